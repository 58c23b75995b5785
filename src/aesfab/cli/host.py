# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Commands about the host system and the link to it: host generate, run, soak, soc, bench."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from aesfab import extras, records
from aesfab.cli.options import (
    DESIGNS_COMPLETED,
    AxisOption,
    CheckOption,
    CipherDesignOption,
    DesignArgument,
    FileArgument,
    FormatOption,
    Group,
    JsonOption,
    KeyEnvOption,
    KeyFileOption,
    KeyOption,
    ManifestOption,
    NameOption,
    OptionalDesignArgument,
    OverridesArgument,
    PngOption,
    PrefixOption,
    RandomOption,
    RecordsOption,
    ResultArgument,
    SvgOption,
    check_graphs,
    chosen_key,
    completed,
    find_core,
    refuse_empty,
    refuse_given,
)
from aesfab.cli.output import (
    Bars,
    as_line,
    check_folder,
    many,
    print_beside,
    print_json,
    print_rows,
)
from aesfab.engine import every as engines
from aesfab.errors import AesfabError, unknown
from aesfab.host import driver, packets, soak, soc
from aesfab.host import folder as host_folder
from aesfab.host import run as job
from aesfab.host import system as host_system
from aesfab.host.unit import Unit
from aesfab.study.link import experiments, platform

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="The host system: a core behind buffers and a bus, driven by the C library.",
)

BusOption = Annotated[
    str,
    typer.Option(
        "--bus",
        help="axi-lite, axi4, axi-stream, wishbone or memory-slot",
        autocompletion=completed(bus.value for bus in host_system.Bus),
    ),
]
WidthOption = Annotated[int, typer.Option("--width", help="of the bus in bits; 0: the usual one")]
PublishedOption = Annotated[
    bool, typer.Option("--published", help="buffers without a full flag, as in the paper")
]


def _system(
    design: str, axes: list[str] | None, bus: str, width: int, published: bool
) -> host_system.System:
    system = host_system.System(
        find_core(design, axes or []), host_system.Bus.parse(bus), width, guarded=not published
    )
    system.require_legal()
    return system


@app.command("generate")
def generate_(
    context: typer.Context,
    design: OptionalDesignArgument = None,
    axes: OverridesArgument = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="folder to write")
    ] = None,
    bus: BusOption = "axi-lite",
    width: WidthOption = 0,
    published: PublishedOption = False,
    output_format: FormatOption = "systemverilog",
    name: NameOption = "",
    prefix: PrefixOption = "",
    syn: Annotated[
        bool | None,
        typer.Option(
            "--syn/--no-syn", help="with the scripts that measure it (default: where Yosys is)"
        ),
    ] = None,
    source: ManifestOption = None,
    check: CheckOption = None,
    force: Annotated[bool, typer.Option("--force", help="write into a folder with files")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a host system as a folder that stands alone, with the C library for it, or check one.

    In it are RTL, testbench, register map, FuseSoC core, README and manifest, as of a core; and,
    for Wishbone and AXI4-Lite, a module of LiteX. Of an engine of packets it is a packet unit: the
    engine and the packet DMA of 'host soc', with registers on axi-lite, axi4 or wishbone.
    """
    refuse_empty(context, "name", "prefix")
    chosen = (
        "design", "axes", "bus", "width", "published", "output_format", "name", "prefix",
        "syn",
    )  # fmt: skip
    if check is not None:
        refuse_given(context, "--check", *chosen, "output", "source", "force")
        check_folder(host_folder.KINDS, check, as_json)
        return
    if output is None:
        raise AesfabError("say where to with -o DIR")
    folder: host_folder.AnyFolder[Any]
    if source is not None:
        refuse_given(context, "--from", *chosen)
        folder = host_folder.read(source)
    elif design is None:
        raise AesfabError("name a design, see 'aesfab list', or give --from or --check")
    elif engines.is_engine(design):
        refuse_given(context, f"'{design}', which is an engine,", "width", "published")
        unit = Unit(packets.find(design, axes or []), host_system.Bus.parse(bus), top=name)
        unit.require_legal()
        folder = host_folder.UnitFolder(unit, output_format, prefix)
    else:
        system = _system(design, axes, bus, width, published)
        system = dataclasses.replace(system, top=name)
        folder = host_folder.Folder(system, output_format, prefix)
    if source is None and syn is not None:
        folder = dataclasses.replace(folder, syn=syn)
    folder.require_possible(output, force)
    with Bars() as bars:
        files = folder.write(output, force, bars.line)
    if as_json:
        facts = {"design": folder.system.named.name, "module": folder.system.module}
        facts |= {"bus": folder.system.bus.title, "prefix": folder.names().prefix}
        print_json({**facts, "files": [str(file) for file in files]})
    else:
        print(f"{output}: {len(files)} files, top module {folder.system.module}")


@app.command("run")
def run_(
    data_in: FileArgument,
    data_out: ResultArgument,
    given_key: KeyOption = None,
    key_file: KeyFileOption = None,
    key_env: KeyEnvOption = None,
    mode: Annotated[
        str,
        typer.Option("--mode", help=", ".join(job.MODES), autocompletion=completed(job.MODES)),
    ] = "ctr",
    iv: Annotated[
        str | None, typer.Option("--iv", metavar="HEX", help="32 hex digits, for ctr")
    ] = None,
    decrypts: Annotated[bool, typer.Option("--decrypt", help="instead of encrypt")] = False,
    address: Annotated[
        str | None,
        typer.Option(help="a device, uio:/dev/uio0 or devmem:0x43c00000; else a simulated one"),
    ] = None,
    design: CipherDesignOption = "kakarlapudi-sbox-both-any",
    axes: AxisOption = None,
    bus: BusOption = "axi-lite",
    width: WidthOption = 0,
    published: PublishedOption = False,
    copy: Annotated[
        str, typer.Option(help=f"transfer variant: {', '.join(driver.COPY_NAMES)}")
    ] = "auto",
    interrupts: Annotated[bool, typer.Option("--interrupts", help="sleep, do not poll")] = False,
    batch: Annotated[bool, typer.Option("--batch", help="read when a chunk is done")] = False,
    as_json: JsonOption = False,
) -> None:
    """Encrypt or decrypt a file with a device through the C library (modes ctr and ecb)."""
    if copy not in driver.COPY_NAMES:
        raise unknown("transfer variant", copy, driver.COPY_NAMES)
    system = _system(design, axes, bus, width, published) if address is None else None
    key = chosen_key(given_key, key_file, key_env, data_in)
    # Refuse what can be refused before a model is built.
    secret, counter = job.check(
        mode,
        key,
        iv,
        data_in,
        data_out,
        decrypt=decrypts,
        design=system.named.design if system else None,
    )
    extras.require("verify")
    with Bars() as bars, contextlib.ExitStack() as stack:
        sim = None
        where: str | driver.Simulation
        if system is not None:
            library = host_system.simulation(system, progress=bars.step)
            where = sim = stack.enter_context(driver.Simulation(library))
        else:
            where = str(address)
        device = stack.enter_context(
            driver.Device(where, copy=driver.COPY_NAMES[copy], interrupts=interrupts, batch=batch)
        )
        begun = sim.clocks if sim else 0
        stats = job.crypt(
            device, mode, secret, counter, data_in, data_out, decrypt=decrypts, progress=bars.step
        )
        cycles = sim.clocks - begun if sim else None
    facts: dict[str, Any] = {"blocks": stats.blocks, "seconds": round(stats.seconds, 3)}
    line = f"{data_out}: {many(stats.blocks, 'block')} in {stats.seconds:.2f} s"
    if cycles is not None:
        per_block = cycles / stats.blocks if stats.blocks else 0.0
        facts |= {"cycles": cycles, "cycles_per_block": round(per_block, 3)}
        line = f"{data_out}: {many(stats.blocks, 'block')} in {cycles} cycles of the bus, "
        line += f"{per_block:.2f} cycles per block"
    print_beside(data_out, as_line(facts) if as_json else line)


@app.command("soak")
def soak_(
    design: DesignArgument,
    axes: OverridesArgument = None,
    blocks: Annotated[int, typer.Option(min=1, help="blocks to compare, at least")] = 100_000,
    seed: RandomOption = 1,
    bus: BusOption = "axi-lite",
    width: WidthOption = 0,
    published: PublishedOption = False,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """A long random session through the C library, compared with OpenSSL."""
    system = _system(design, axes, bus, width, published)
    if records_file is not None:
        records.require_place(records_file)
    extras.require("verify")
    with Bars() as bars:
        result = soak.soak(system, blocks, seed=seed, progress=bars.step)
    record = result.record(system, seed)
    if records_file is not None:
        records.put(records_file, record)
    if as_json:
        print_json(record)
        return
    print(
        f"{system.named.name} on {bus}: {result.blocks} blocks in {result.transfers} transfers "
        f"under {result.keys} keys agree with OpenSSL; {result.clocks} clocks"
    )


@app.command("soc")
def soc_(
    design: Annotated[
        str,
        typer.Argument(
            metavar="[DESIGN]",
            help="core or engine, see 'aesfab list'",
            autocompletion=DESIGNS_COMPLETED,
        ),
    ] = "kakarlapudi-sbox-both-128",
    axes: OverridesArgument = None,
    seed: Annotated[int, typer.Option(help="of message, key and state without a reset")] = 1,
    interrupts: Annotated[
        bool, typer.Option("--interrupts", help="sleep, do not poll, where the processor copies")
    ] = False,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """The C library on a RISC-V processor beside a core or an engine, every clock counted.

    Around a core, messages of 16 bytes to 16 KB, copied by the processor or moved by a DMA engine;
    examples of FIPS 197 and SP 800-38A are checked before, the messages are compared with OpenSSL.
    Around an engine of packets, official answers, random and wrong packets at every alignment, and
    cycles per packet of 64 to 1,500 bytes.
    """
    if engines.is_engine(design):
        if interrupts:
            raise AesfabError("--interrupts is for cores: packets go by the DMA engine")
        _soc_packets(packets.find(design, axes or []), seed, records_file, as_json)
        return
    named = find_core(design, axes or [])
    host_system.System(named).require_legal()
    if records_file is not None:
        records.require_place(records_file)
    extras.require("host")
    with Bars() as bars:
        result = soc.run(named, seed=seed, interrupts=interrupts, progress=bars.step)
        record = result.record(named, seed)
    if records_file is not None:
        records.put(records_file, record)
    if as_json:
        print_json(record)
        return
    mhz = soc.CLOCK_MHZ
    print_rows(
        f"{named.name} and a PicoRV32 at {mhz} MHz, key of {result.key_bits} bit: "
        f"{result.interval:g} cycles per block in the core",
        [
            {
                "path": row.path,
                "direction": row.direction,
                "blocks": row.blocks,
                "cycles": row.cycles,
                "cycles_per_block": round(row.per_block, 2),
                "of_these_at_the_bus": round(row.bus_cycles / row.blocks, 2),
                "times_the_core's": round(row.per_block / result.interval, 2),
                "Mbit/s": round(row.mbit_s, 1),
            }
            for row in result.rows
        ],
    )
    for line in result.summary():
        print(
            f"{line['path']}, {line['direction']}: {line['one_block']} cycles for a message of one "
            f"block, {line['each_more']:.1f} for each more of a long one"
        )
    for path, costs in result.costs.items():
        slept = f"; slept {costs['sleeps']} times" if "sleeps" in costs else ""
        print(
            f"{path}: {costs['open']} cycles to open the device, {costs['key']} to set a key{slept}"
        )
    print(f"{result.checks} checks on the processor passed; OpenSSL agrees with all messages")


def _soc_packets(
    named: packets.AnyNamed, seed: int, records_file: Path | None, as_json: bool
) -> None:
    """``soc`` of an engine."""
    if records_file is not None:
        records.require_place(records_file)
    extras.require("host", "verify")
    with Bars() as bars:
        result = packets.run(named, seed=seed, progress=bars.step)
        record = result.record(named, seed)
    if records_file is not None:
        records.put(records_file, record)
    if as_json:
        print_json(record)
        return
    aad = f", AAD of {record['aad_bytes']} bytes" if record["aad_bytes"] else ""
    print_rows(
        f"{named.name} and a PicoRV32 at {soc.CLOCK_MHZ} MHz, key of {result.key_bits} bit{aad}: "
        "calls of the C library, packet by packet",
        [
            {
                "direction": row.direction,
                "bytes": row.bytes,
                "cycles": row.cycles,
                "of the engine alone": row.engine_cycles,
                "instructions": row.instructions,
                "Mbit/s": round(row.mbit_s, 1),
            }
            for row in result.rows
        ],
    )
    print(
        f"{result.costs['open']} cycles to open the engine, {result.costs['key']} to set a key\n"
        f"{result.packets} packets, {result.official} of them official answers: every call and "
        "every byte of memory is as OpenSSL says"
    )


@app.command("bench")
def bench_(
    platforms: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PLATFORM]...", help="names or .toml files; all by default"),
    ] = None,
    svg: SvgOption = None,
    png: PngOption = False,
    as_json: JsonOption = False,
) -> None:
    """Throughput from a program's memory through the core and back, by the link model.

    For the paper's machine: what it prints beside the model, each figure calibrated, predicted,
    assumed or unexplained. For every machine:
    time = alpha + blocks x beta, and the message size from which on the core beats software.
    With --svg, Figs. 7.4 to 7.7 of the paper and a graph of every machine.
    """
    check_graphs(svg, png)
    chosen = []
    for name in platforms or platform.shipped():
        try:
            chosen.append(platform.load(name))
        except AesfabError as error:
            # One that was asked for must be there; of all of them, what lacks a record is left out.
            if platforms:
                raise
            print(f"aesfab: left out: {error}", file=sys.stderr)
    extras.require("verify", *(["report"] if svg else []))
    of_paper = any(p.name == experiments.PAPER for p in chosen)
    result: dict[str, Any] = {}
    if of_paper:
        result["figures"] = experiments.figures()
        result["costs"] = experiments.costs()
        result["raw"] = experiments.raw()
        result["readings"] = experiments.readings()
        result["claims"] = [dataclasses.asdict(claim) for claim in experiments.claims()]
        result["unrolled"] = experiments.unrolled()
    result["break_even"] = [row for p in chosen for row in experiments.break_even(p)]
    result["curves"] = [row for p in chosen for row in experiments.curves(p)]
    if svg:
        from aesfab.study import charts
        from aesfab.study.link import figures

        graphs = [*(figures.paper_figures() if of_paper else ()),
                  *(figures.platform_figure(p, result["curves"]) for p in chosen)]  # fmt: skip
        charts.write(graphs, svg, with_png=png)
    if as_json:
        print_json(result)
        return
    if of_paper:
        shown = experiments.shown(result["figures"])
        notes = [(row["system"], row.pop("why")) for row in shown]
        print_rows("The paper's figures and the model, in Mbit/s", shown)
        for system, why in notes:
            if why != "-":
                print(f"  {system}: {why}")
        for title, name in (
            ("What a transaction costs, found by the calibration", "costs"),
            ("The raw rates by what they may count", "raw"),
            ("Other readings of the machine, in Mbit/s", "readings"),
        ):
            print("")
            print_rows(title, experiments.shown(result[name]))
        print("\nDoes the model agree with what the paper concludes?")
        for claim in result["claims"]:
            print(f"  {'yes' if claim['holds'] else 'NO '}  {claim['text']}: {claim['because']}")
        print("")
        print_rows("Unrolled cores in the paper's system, by its fastest way", result["unrolled"])
    print("")
    print_rows(
        "Time = alpha + blocks x beta, and where the core begins to pay", result["break_even"]
    )
    for p in chosen:
        print(f"\n{p.name}: {p.title}. {p.core_name} at {p.core_mhz:.1f} MHz. {p.why}")
