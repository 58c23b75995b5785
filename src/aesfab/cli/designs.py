# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Commands about designs themselves: list, show, devices, generate, verify."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import itertools
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from aesfab import devices, extras, records
from aesfab.api import facts
from aesfab.cli.options import (
    AllOption,
    AxisOption,
    CheckOption,
    DesignArgument,
    DesignsArgument,
    FormatOption,
    JsonOption,
    ManifestOption,
    NameOption,
    OptionalDesignArgument,
    OverridesArgument,
    PrefixOption,
    RandomOption,
    RecordsOption,
    chosen_designs,
    chosen_engines,
    completed,
    find_core,
    one,
    read,
    refuse_empty,
    refuse_given,
)
from aesfab.cli.output import (
    Bars,
    as_line,
    check_folder,
    figures_table,
    headline,
    new_table,
    print_beside,
    print_json,
    print_json_of,
    print_table,
)
from aesfab.design import catalogue, schedule
from aesfab.design.axes import Tbox
from aesfab.design.combinations import combinations
from aesfab.design.design import Design
from aesfab.engine import bench as engine_bench
from aesfab.engine import every as engines
from aesfab.engine import hdl as engine_hdl
from aesfab.engine import verify as engine_verify
from aesfab.engine.family import Entry
from aesfab.engine.folder import AnyFolder
from aesfab.errors import AesfabError, unknown
from aesfab.folder import generate
from aesfab.hdl import rtl
from aesfab.study import study
from aesfab.system import files
from aesfab.verify import verify, wave


def _verification(evidence: list[records.Record]) -> dict[str, str]:
    """Design to what its evidence says of the RTL as it is now."""
    by_name: dict[str, list[records.Record]] = {}
    for record in evidence:
        by_name.setdefault(record["design"], []).append(record)
    status = {}
    for name, named in catalogue.CATALOGUE.items():
        own = by_name.get(name, [])
        speaks = study.evidence_of(named, own)
        if speaks is not None:
            status[name] = str(speaks["level"]) if speaks["passed"] else "FAILED"
            continue
        axes = named.design.axes()
        older = any(study.of_parameters(each, axes) for each in own)
        status[name] = "stale" if older else "-"
    return status


def _list_combinations(as_json: bool) -> None:
    """Every architecture with every key schedule, direction and key size: legal, or why not."""
    axes = ("architecture", "key_schedule", "direction", "key_bits")

    def of(design: Design) -> tuple[Any, ...]:
        return tuple(design.axes()[axis] for axis in axes)

    names: dict[tuple[Any, ...], list[str]] = {}
    for named in catalogue.CATALOGUE.values():
        names.setdefault(of(named.design), []).append(named.name)
    found = combinations()
    if as_json:
        print_json(
            [
                {
                    **dict(zip(axes, of(c.design), strict=True)),
                    "legal": not c.reasons,
                    "reasons": c.reasons,
                    "designs": names.get(of(c.design), []),
                }
                for c in found
            ]
        )
        return
    table = new_table("architecture", "key schedule", "direction", "key sizes", "why no others")
    for row, group in itertools.groupby(found, lambda c: of(c.design)[:3]):
        members = list(group)
        sizes = [str(of(c.design)[3]) for c in members if not c.reasons]
        # Reason to the key sizes that it keeps out.
        why: dict[str, list[str]] = {}
        for c in members:
            for reason in c.reasons:
                why.setdefault(reason, []).append(str(of(c.design)[3]))
        texts = [
            reason if len(out) == len(members) else f"{', '.join(out)}: {reason}"
            for reason, out in why.items()
        ]
        table.add_row(*row, " ".join(sizes) or "-", "; ".join(texts))
    print_table(table)


def list_(
    combinations: Annotated[
        bool,
        typer.Option(
            "--combinations",
            help="which key schedules, directions and key sizes an architecture takes, and why not",
        ),
    ] = False,
    as_json: JsonOption = False,
    records_file: RecordsOption = None,
) -> None:
    """The catalogue: name, paper, axes, latency, interval, verification status."""
    if combinations:
        _list_combinations(as_json)
        return
    evidence = read("verify", records_file)
    status = _verification(evidence)
    if as_json:
        cores = [{**facts(n), "verified": status[n.name]} for n in catalogue.CATALOGUE.values()]
        print_json(cores + [_engine_facts(engines.find(name)) for name in engines.names()])
        return
    table = new_table(
        "design", "paper", "architecture", "S-box", "direction", "key", "key schedule",
        "latency", "interval", "verified", right=("latency", "interval"),
    )  # fmt: skip
    for named in catalogue.CATALOGUE.values():
        design = named.design
        latency, interval = (
            "/".join(str(f(bits)) for bits in design.key_lengths)
            for f in (design.latency, design.interval_number)
        )
        axes = design.axes()
        table.add_row(
            named.name, named.paper, axes["architecture"], axes["sbox"], axes["direction"],
            str(axes["key_bits"]), axes["key_schedule"], latency, interval, status[named.name],
        )  # fmt: skip
    print_table(table)
    for kind in engines.KINDS:
        print("")
        table = new_table(*kind.columns, right=kind.right)
        for name, each in kind.catalogue.items():
            table.add_row(name, *kind.row(each.engine))
        print_table(table)


def _engine_facts(named: Entry[Any]) -> dict[str, Any]:
    """What ``list --json`` says of an engine: as of its core, under its own name, and its axes."""
    engine = named.engine
    return {
        **facts(engine.core),
        "name": named.name,
        "paper": "",
        "architecture": "engine",
        **engine.axes(),
        "latency_cycles": engine.latency(),
        "latency_by_key_bits": {str(bits): engine.latency(bits) for bits in engine.key_lengths},
        "interval_cycles": engine.interval_number(),
        "verified": "-",
    }


def _show_engine(
    named: engines.AnyNamed, as_json: bool, known: list[records.Record], said: str
) -> None:
    """One engine: its axes, clocks of packets, blocks or sectors, ports, figures.

    ``said`` is which records were read.
    """
    present = engine_hdl.Present(named)
    figures = records.newest(record for record in known if present.has(record))
    engine = named.engine
    clocks, head, rows = engines.kind(named.name).clocks(engine)
    if as_json:
        print_json(
            {**_engine_facts(named), **clocks, "figures": [headline(each) for each in figures]}
        )
        return
    print(f"{named.name}\n")
    table = new_table("axis", "value", "or")
    for axis, value in engine.axes().items():
        others = [m.value for m in engine.AXES.get(axis, ())]
        legal = [v for v in others if not engine.with_axis(axis, v).reasons() and v != value]
        table.add_row(axis, value, ", ".join(legal))
    print_table(table)
    print("\nThe axes of the core can be set too.\n")
    table = new_table(*head, right=head[:1] if head[1] else ())
    for row in rows:
        table.add_row(*row)
    print_table(table)
    print("")
    table = new_table("port", "bits", "meaning", right=("bits",))
    for port in engine.ports():
        table.add_row(port.name, str(port.width), port.meaning)
    print_table(table)
    print("")
    if figures:
        print_table(figures_table(figures))
    else:
        print(f"no figures of this RTL; {said}")


def show(
    design: DesignArgument,
    overrides: OverridesArgument = None,
    as_json: JsonOption = False,
    records_file: RecordsOption = None,
) -> None:
    """One design: axes, schedule, diagram, notes on its paper, figures measured."""
    if engines.is_engine(design):
        _show_engine(
            engines.find(design, overrides or []),
            as_json,
            read("implement", records_file),
            records.said("implement", one(records_file)),
        )
        return
    named = find_core(design, overrides or [])
    point = named.design
    figures = records.newest(
        record
        for record in read("implement", records_file)
        if record["design"] == named.name
        # Before the hashes, which take the time of an elaboration for a point never met before.
        and study.of_parameters(record, point.axes())
        and study.is_current(record, named)
    )
    if as_json:
        print_json(
            {
                **facts(named),
                "moves": point.moves(),
                "notes": named.notes,
                "schedule": [
                    {"clock": clock, "does": does} for clock, does in schedule.schedule(point)
                ],
                "figures": [headline(record) for record in figures],
            }
        )
        return
    print(named.name)
    if named.paper:
        print(f"paper {named.paper}, section {named.section}")
    from aesfab.measure import components

    # It is found by an elaboration, which wants a cache: without one all else is shown.
    with contextlib.suppress(AesfabError):
        print(f"core {_place(components.core(named))}")
    print("")
    table = new_table("axis", "value", "or")
    for axis, others in point.shown_axes().items():
        table.add_row(axis, str(point.axes()[axis]), ", ".join(map(str, others)))
    print_table(table)
    print(f"\n{schedule.diagram(point)}\n")
    table = new_table("clock", "what happens")
    for clock, does in schedule.schedule(point):
        table.add_row(clock, escape(does))
    print_table(table)
    print("")
    for bits in point.key_lengths:
        setup = f", key set-up {point.key_setup(bits)}" if point.stored_keys else ""
        print(
            f"{bits}-bit key: latency {point.latency(bits)}, interval {point.interval_number(bits)}"
            f"{setup} clocks"
        )
    if point.direction_change:
        print(f"a block of the other direction than the last waits {point.direction_change} clocks")
    tboxes = " and T-boxes" if point.tbox is not Tbox.NONE else ""
    print(
        f"{point.sbox_count} S-boxes{tboxes}, {point.sbox_rom_bits} bit of S-box ROM, "
        f"{point.key_memory_bits} bit of round keys"
    )
    if named.notes:
        print(f"\n{named.notes_title}:")
    for note in named.notes:
        print(f"- {note}")
    print("")
    if figures:
        print_table(figures_table(figures))
    else:
        print(f"no figures of this RTL; {records.said('implement', one(records_file))}")


def _place(path: Path) -> str:
    """A file of the RTL as the repository has it."""
    return f"rtl/{path.relative_to(rtl.folder()).as_posix()}"


def devices_(as_json: JsonOption = False) -> None:
    """The devices: part, tool, recipes, what is counted."""
    if as_json:
        print_json(
            [
                {
                    "name": device.name,
                    "family": device.family,
                    "part": device.part,
                    "package": device.package,
                    "speed": device.speed,
                    "lut_inputs": device.lut_inputs,
                    "ram_kbit": device.ram_kbit,
                    "slice": device.slice_.name,
                    "pairs_in_a_slice": device.slice_.pairs,
                    "place_and_route": device.place_and_route,
                    "target_mhz": device.target_mhz,
                    "recipes": {name: each.summary for name, each in device.recipes.items()},
                    "vendor": device.vendor.name if device.vendor else None,
                }
                for device in devices.DEVICES.values()
            ]
        )
        return
    table = new_table(
        "device", "family", "part", "LUT", "RAM kbit", "slice", "measured by", "recipes",
        right=("LUT", "RAM kbit"),
    )  # fmt: skip
    for device in devices.DEVICES.values():
        measured = f"nextpnr-{device.nextpnr}" if device.place_and_route else "synthesis only"
        table.add_row(
            device.name,
            device.family,
            " ".join(filter(None, (device.part, device.package, device.speed))),
            str(device.lut_inputs),
            str(device.ram_kbit),
            f"{device.slice_.name} of {device.slice_.pairs}",
            measured + (f", --flow {device.vendor.name}" if device.vendor else ""),
            ", ".join(device.recipes),
        )
    print_table(table)
    print(
        "\nLUT: inputs of one. A slice holds so many pairs of a LUT and a flip-flop; slices are an "
        "estimate. Recipes:"
    )
    # Of one name each device has its own, which may do something else.
    meanings: dict[str, dict[str, list[str]]] = {}
    for device in devices.DEVICES.values():
        for name, recipe in device.recipes.items():
            meanings.setdefault(name, {}).setdefault(recipe.summary, []).append(device.name)
    for name, summaries in meanings.items():
        for number, (summary, where) in enumerate(summaries.items()):
            only = f" ({', '.join(where)})" if len(summaries) > 1 else ""
            print(f"  {'' if number else name:<10} {summary}{only}")


_FOLDERS: Sequence[type[generate.Folder | AnyFolder[Any]]] = (
    generate.Folder,
    *engines.FOLDERS,
)
"""The kinds of folders that ``generate`` writes."""


_LEVELS = ("quick", "full")


def generate_(
    context: typer.Context,
    design: OptionalDesignArgument = None,
    overrides: OverridesArgument = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="folder to write")
    ] = None,
    output_format: FormatOption = "systemverilog",
    name: NameOption = "",
    prefix: PrefixOption = "",
    library: Annotated[
        bool,
        typer.Option(
            "--library", help="the top module alone, on the FuseSoC core of the whole RTL"
        ),
    ] = False,
    syn: Annotated[
        bool | None,
        typer.Option(
            "--syn/--no-syn",
            help="with the scripts that take its figures again (default: where Yosys is)",
        ),
    ] = None,
    source: ManifestOption = None,
    check: CheckOption = None,
    force: Annotated[bool, typer.Option("--force", help="write into a non-empty folder")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the self-contained folder of a core, or check one against its manifest."""
    refuse_empty(context, "name", "prefix")
    chosen = ("design", "overrides", "output_format", "name", "prefix", "library", "syn")
    if check is not None:
        refuse_given(context, "--check", *chosen, "output", "source", "force")
        check_folder(_FOLDERS, check, as_json)
        return
    if output is None:
        raise AesfabError("say where to with -o DIR")
    folder: generate.Folder | AnyFolder[Any]
    if source is not None:
        refuse_given(context, "--from", *chosen)
        folder = generate.kind_of(source, _FOLDERS).read(source)[0]
    elif design is None:
        raise AesfabError("name a design, see 'aesfab list', or give --from or --check")
    elif engines.is_engine(design):
        if library:
            raise AesfabError("--library is for cores; an engine's folder stands alone")
        engine = dataclasses.replace(engines.find(design, overrides or []), top=name)
        folder = engines.folder(engine, output_format, prefix)
        if syn is not None:
            folder = dataclasses.replace(folder, syn=syn)
    else:
        named = dataclasses.replace(find_core(design, overrides or []), top=name)
        if syn and library:
            raise AesfabError("--syn goes without --library, whose folder quotes no figure")
        folder = generate.Folder(named, output_format, prefix, library)
        if syn is not None:
            folder = dataclasses.replace(folder, syn=syn)
    folder.require_possible(output, force)
    with Bars() as bars:
        files = folder.write(output, force, bars.line)
    if as_json:
        print_json(
            {
                "design": folder.named.name,
                "module": folder.named.module,
                "prefix": folder.names().prefix,
                "files": [str(file) for file in files],
            }
        )
        return
    for file in files:
        print(str(output / file))


def verify_(
    designs: DesignsArgument = None,
    every: AllOption = False,
    level: Annotated[
        str, typer.Option(help="quick (seconds) or full", autocompletion=completed(_LEVELS))
    ] = "full",
    seed: RandomOption = 1,
    waves: Annotated[
        Path, typer.Option(metavar="DIR", help="where a failure leaves its waveform")
    ] = Path("build/waves"),
    resume: Annotated[
        bool, typer.Option("--resume", help="leave out what is recorded as passed for this RTL")
    ] = False,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run NIST vectors, Monte Carlo chains, random traffic and the cycle contract on the RTL.

    A short pass runs the plain Verilog of it with unknown values: in Icarus Verilog where that is
    installed, else in native Yosys (AESFAB_FOUR_STATE: icarus, yosys, none).
    """
    if level not in _LEVELS:
        raise unknown("level", level, _LEVELS)
    if mine := chosen_engines(designs, every):
        extras.require("verify")
        _verify_engines(mine, level == "full", seed, as_json)
        return
    chosen = chosen_designs(designs, every)
    failed = False
    said: list[records.Record] = []
    places = records.places("verify", one(records_file))
    records.require_place(places[-1])
    extras.require("verify")
    for named in chosen:
        known = None
        if resume:
            netlist_hash = generate.netlist_hash(named)
            identity = verify.identity(named, netlist_hash, _level(level), seed)
            known = records.find(records.every(places), identity)
        # A record without the pass of the translated Verilog says too little.
        if known and known.get("passed") and "four_state" in known:
            said.append(known)
            if not as_json:
                print(f"{named.name}: passed, as recorded")
            continue
        with Bars() as bars:
            evidence = verify.verify(
                named,
                generate.sources(named),
                level=_level(level),
                seed=seed,
                waves=waves,
                progress=bars.step,
            )
        records.put(places[-1], evidence.to_json())
        failed |= not evidence.passed
        said.append(evidence.to_json())
        if as_json:
            continue
        word = "passed" if evidence.passed else "FAILED"
        print(
            f"{named.name}: {word}: {evidence.vectors} NIST vectors, {evidence.monte_carlo} Monte "
            f"Carlo chains, {evidence.random_blocks} random blocks "
            f"({evidence.blocks_per_second:,.0f} blocks/s)"
        )
        four_state = evidence.four_state
        if four_state["run"]:
            print(
                f"  as plain Verilog, four values: {four_state['blocks']} of "
                f"{four_state['wanted']} blocks, {four_state['simulator']}"
            )
        else:
            print(f"  as plain Verilog, four values: not run, {four_state['why']}")
        for failure in evidence.failures[:1]:
            print(str(failure))
    if as_json:
        print_json_of(chosen, said)
    if failed:
        raise SystemExit(1)


def wave_(
    design: DesignArgument,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="waveform to write, VCD")
    ],
    overrides: OverridesArgument = None,
    axes: AxisOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the waveform of a short run with NIST vectors: every signal of the core, as VCD."""
    named = find_core(design, [*(overrides or []), *(axes or [])])
    named.design.require_legal()
    # Refuse what can be refused before a model is built.
    try:
        files.target(output)
        if not output.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    except OSError as error:
        raise AesfabError(f"cannot write {output}: {error.strerror}") from error
    extras.require("verify")
    with Bars() as bars:
        shown = wave.wave(named, generate.sources(named), output, progress=bars.step)
    if as_json:
        facts_ = {"design": named.name, "file": str(output), "blocks": shown.blocks}
        facts_ |= {"clocks": shown.clocks, "failures": [f.to_json() for f in shown.failures]}
        print_beside(output, as_line(facts_))
    else:
        print_beside(
            output,
            f"{output}: {shown.blocks} blocks in {shown.clocks} clocks; open it with: "
            f"gtkwave {shlex.quote(str(output))}",
        )
    for failure in shown.failures[:1]:
        print(str(failure), file=sys.stderr)
    if shown.failures:
        raise SystemExit(1)


def _verify_engines(
    chosen: Sequence[engines.AnyNamed], every_answer: bool, seed: int, as_json: bool
) -> None:
    """Known answers, random and wrong packets, messages, sectors; status 1 where one fails."""
    said: list[engine_verify.Evidence] = []
    for named in chosen:
        options: dict[str, Any] = {"every_answer": every_answer, "seed": seed}
        with Bars() as bars:
            options["progress"] = bars.step
            model = engine_bench.build(named, progress=bars.step)
            evidence = engines.kind(named.name).verify(model, **options)
        said.append(evidence)
        if as_json:
            continue
        word, unit = "passed" if evidence.passed else "FAILED", named.engine.UNIT
        print(
            f"{named.name}: {word}: {evidence.answers} known answers, {evidence.random} random "
            f"{unit}s, {evidence.wrong} wrong ones, clocks of {evidence.clocks}"
        )
        for failure in evidence.failures[:5]:
            print(failure)
    if as_json:
        documents = [
            {"design": each.engine, "passed": each.passed, **dataclasses.asdict(each)}
            for each in said
        ]
        print_json(documents[0] if len(documents) == 1 else documents)
    if not all(each.passed for each in said):
        raise SystemExit(1)


def _level(level: str) -> Literal["quick", "full"]:
    return "quick" if level == "quick" else "full"
