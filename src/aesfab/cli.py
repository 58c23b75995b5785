# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The command line: thin commands over the modules that do the work."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from aesfab import (
    __version__,
    catalogue,
    cipher,
    clusters,
    devices,
    explore,
    generate,
    implement,
    oracle,
    plan,
    published,
    records,
    results,
    schedule,
    simulate,
    spec,
    vendor,
    verify,
)
from aesfab.catalogue import Named
from aesfab.errors import AesfabError, ToolError, unknown
from aesfab.host import driver as host_driver
from aesfab.host import run as host_job
from aesfab.host import soak as host_soak
from aesfab.host import soc as host_soc
from aesfab.host import system as host_system
from aesfab.link import experiments, platform
from aesfab.spec import Design, Tbox

# Typer exports only some of the exceptions with which it refuses a command line; this is the base
# of them all.
_ClickException: Any = typer.BadParameter.__mro__[2]

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="AES cores for FPGAs: generated, verified and measured in one open flow.",
)

DesignArgument = Annotated[str, typer.Argument(metavar="DESIGN", help="name, see 'aesfab list'")]
OverridesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[AXIS=VALUE]...", help="axes to change")
]
DesignsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="DESIGN... [AXIS=VALUE]...", help="names, and axes to change in all"),
]
AllOption = Annotated[bool, typer.Option("--all", help="every design of the catalogue")]
JsonOption = Annotated[bool, typer.Option("--json", help="print JSON for scripts")]
RecordsOption = Annotated[
    Path | None, typer.Option("--records", metavar="FILE", help="where records are kept")
]


# ------------------------------------------------------------------------------ output


def _print(text: str) -> None:
    print(text)


def _print_table(table: Table) -> None:
    """A table at its natural width: a wide one is wrapped by the terminal rather than cut."""
    console = Console(highlight=False, width=1000)
    console.width = console.measure(table).maximum
    console.print(table)


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False))


def _table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", no_wrap=True)
    return table


class _Bars:
    """Steps as progress bars on a terminal, as lines elsewhere; always on standard error."""

    def __init__(self) -> None:
        console = Console(stderr=True, highlight=False)
        self._live = console.is_terminal
        self._console = console
        self._tasks: dict[str, Any] = {}
        self._told: dict[str, int] = {}
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
        )

    def __enter__(self) -> _Bars:
        if self._live:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._progress.stop()

    def step(self, step: str, done: int, total: int) -> None:
        """A step that counts (simulate.Progress)."""
        if self._live:
            if step not in self._tasks:
                self._tasks[step] = self._progress.add_task(escape(step), total=total or None)
            self._progress.update(self._tasks[step], completed=done, total=total or None)
            return
        tenth = 10 * done // total if total else 0
        if self._told.get(step, -1) < tenth and (tenth in (0, 5, 10)):
            self._told[step] = tenth
            self._console.print(
                f"{escape(step)}: {done} of {total}" if total else escape(step), soft_wrap=True
            )

    def line(self, text: str) -> None:
        """Something that happened."""
        self._console.print(escape(text), soft_wrap=True)


def _split(arguments: list[str] | None, every: bool) -> list[Named]:
    """Designs out of names and ``axis=value`` words, or every design."""
    words = arguments or []
    names = [word for word in words if "=" not in word]
    overrides = [word for word in words if "=" in word]
    if every and words:
        raise AesfabError("--all goes without names and axes")
    if every:
        names = list(catalogue.CATALOGUE)
    if not names:
        raise AesfabError("name a design, or give --all; 'aesfab list' shows them")
    return [catalogue.find(name, overrides) for name in names]


# ------------------------------------------------------------------------- list and show


def _facts(named: Named) -> dict[str, Any]:
    """What ``list --json`` says of a design."""
    design = named.design
    axes = design.axes()
    return {
        "name": named.name,
        "paper": named.paper,
        "section": named.section,
        **axes,
        "latency_cycles": design.latency(),
        "interval_cycles": design.interval_number(),
        "blocks_in_flight": design.blocks_in_flight,
        "latency_by_key_bits": {str(bits): design.latency(bits) for bits in design.key_lengths},
        "key_setup_cycles": design.key_setup(),
        "direction_change_cycles": design.direction_change,
        "sbox_count": design.sbox_count,
        "sbox_rom_bits": design.sbox_rom_bits,
        "key_memory_bits": design.key_memory_bits,
    }


def _verification(path: Path) -> dict[str, str]:
    """Design to what its newest evidence record says, for the RTL as it is now."""
    known = records.read(path)
    status = {}
    for name, named in catalogue.CATALOGUE.items():
        status[name] = "-"
        for record in known:
            if record["design"] != name:
                continue
            if not generate.is_current(record, named):
                status[name] = "stale"
            elif not record.get("passed"):
                status[name] = "FAILED"
                break
            elif status[name] != "full":
                status[name] = str(record.get("level"))
    return status


def _list_combinations(as_json: bool) -> None:
    """Every architecture with every key schedule, direction and key size: legal, or why not."""
    axes = ("architecture", "key_schedule", "direction", "key_bits")

    def of(design: Design) -> tuple[Any, ...]:
        return tuple(design.axes()[axis] for axis in axes)

    names: dict[tuple[Any, ...], list[str]] = {}
    for named in catalogue.CATALOGUE.values():
        names.setdefault(of(named.design), []).append(named.name)
    found = spec.combinations()
    if as_json:
        _print_json(
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
    table = _table("architecture", "key schedule", "direction", "key sizes", "why no others")
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
    _print_table(table)


@app.command("list")
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
    status = _verification(records_file or records.default_path("verify"))
    if as_json:
        _print_json(
            [{**_facts(n), "verified": status[n.name]} for n in catalogue.CATALOGUE.values()]
        )
        return
    table = _table(
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
    _print_table(table)


@app.command()
def show(
    design: DesignArgument,
    overrides: OverridesArgument = None,
    as_json: JsonOption = False,
    records_file: RecordsOption = None,
) -> None:
    """One design: axes, schedule, diagram, notes on its paper, figures measured."""
    named = catalogue.find(design, overrides or [])
    point = named.design
    figures = [
        record
        for record in records.read(records_file or records.default_path())
        if record["design"] == named.name and record.get("parameters") == point.axes()
    ]
    if as_json:
        _print_json(
            {
                **_facts(named),
                "notes": named.notes,
                "schedule": [
                    {"clock": clock, "does": does} for clock, does in schedule.schedule(point)
                ],
                "figures": [_headline(record) for record in figures],
            }
        )
        return
    _print(named.name)
    if named.paper:
        _print(f"paper {named.paper}, section {named.section}")
    _print("")
    table = _table("axis", "value")
    for axis, value in point.axes().items():
        table.add_row(axis, str(value))
    _print_table(table)
    _print(f"\n{schedule.diagram(point)}\n")
    table = _table("clock", "what happens")
    for clock, does in schedule.schedule(point):
        table.add_row(clock, escape(does))
    _print_table(table)
    _print("")
    for bits in point.key_lengths:
        setup = f", key set-up {point.key_setup(bits)}" if point.stored_keys else ""
        _print(
            f"{bits}-bit key: latency {point.latency(bits)}, interval {point.interval_number(bits)}"
            f"{setup} clocks"
        )
    if point.direction_change:
        _print(
            f"a block of the other direction than the last waits {point.direction_change} clocks"
        )
    tboxes = " and T-boxes" if point.tbox is not Tbox.NONE else ""
    _print(
        f"{point.sbox_count} S-boxes{tboxes}, {point.sbox_rom_bits} bit of S-box ROM, "
        f"{point.key_memory_bits} bit of round keys"
    )
    if named.notes:
        _print("\nNotes on the paper:" if named.paper else "\nNotes:")
    for note in named.notes:
        _print(f"- {note}")
    if figures:
        _print("")
        _print_table(_figures_table(figures))


# ----------------------------------------------------------------------------- generate


@app.command("generate")
def generate_(
    design: DesignArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="folder to write")],
    overrides: OverridesArgument = None,
    output_format: Annotated[
        str, typer.Option("--format", help="systemverilog, or verilog: one Verilog-2005 file")
    ] = "systemverilog",
    force: Annotated[bool, typer.Option("--force", help="write into a non-empty folder")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the self-contained folder of a core."""
    named = catalogue.find(design, overrides or [])
    with _Bars() as bars:
        files = generate.generate(
            named, output, output_format=output_format, force=force, progress=bars.line
        )
    if as_json:
        _print_json(
            {"design": named.name, "module": named.module, "files": [str(f) for f in files]}
        )
        return
    for file in files:
        _print(str(output / file))


# ------------------------------------------------------------------------------- verify


@app.command("verify")
def verify_(
    designs: DesignsArgument = None,
    every: AllOption = False,
    level: Annotated[str, typer.Option(help="quick (seconds) or full")] = "full",
    seed: Annotated[int, typer.Option(help="of everything that is random")] = 1,
    waves: Annotated[
        Path, typer.Option(metavar="DIR", help="where a failure leaves its waveform")
    ] = Path("build/waves"),
    resume: Annotated[
        bool, typer.Option("--resume", help="leave out what is recorded as passed for this RTL")
    ] = False,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run NIST vectors, Monte Carlo chains, random traffic and the cycle contract on the RTL."""
    chosen = _split(designs, every)
    if level not in ("quick", "full"):
        raise AesfabError(f"unknown level '{level}'; known: quick, full")
    failed = False
    path = records_file or records.default_path("verify")
    for named in chosen:
        known = None
        if resume:
            netlist_hash = generate.netlist_hash(named)
            known = records.find(path, verify.identity(named, netlist_hash, _level(level), seed))
        if known and known.get("passed"):
            if as_json:
                _print_json(known)
            else:
                _print(f"{named.name}: passed, as recorded")
            continue
        with _Bars() as bars:
            evidence = verify.verify(
                named,
                generate.sources(named),
                level=_level(level),
                seed=seed,
                waves=waves,
                progress=bars.step,
            )
        records.put(path, evidence.to_json())
        failed |= not evidence.passed
        if as_json:
            _print_json(evidence.to_json())
            continue
        word = "passed" if evidence.passed else "FAILED"
        _print(
            f"{named.name}: {word}: {evidence.vectors} NIST vectors, {evidence.monte_carlo} Monte "
            f"Carlo chains, {evidence.random_blocks} random blocks "
            f"({evidence.blocks_per_second:,.0f} blocks/s)"
        )
        for failure in evidence.failures[:1]:
            _print(str(failure))
    if failed:
        raise SystemExit(1)


def _level(level: str) -> Literal["quick", "full"]:
    return "quick" if level == "quick" else "full"


# ------------------------------------------------------------------- encrypt and decrypt

ModeOption = Annotated[str, typer.Option("--mode", help=", ".join(oracle.MODES))]
KeyOption = Annotated[str, typer.Option("--key", metavar="HEX", help="32, 48 or 64 hex digits")]
IvOption = Annotated[
    str | None, typer.Option("--iv", metavar="HEX", help="32 hex digits; all modes but ecb")
]
FileArgument = Annotated[Path, typer.Argument(metavar="IN", help="file to read")]
ResultArgument = Annotated[Path, typer.Argument(metavar="OUT", help="file to write")]
CipherDesignOption = Annotated[
    str, typer.Option("--design", metavar="DESIGN", help="name, see 'aesfab list'")
]
AxisOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="AXIS=VALUE", help="axis to change")
]


@app.command()
def encrypt(
    data_in: FileArgument,
    data_out: ResultArgument,
    design: CipherDesignOption,
    key: KeyOption,
    mode: ModeOption = "cbc",
    iv: IvOption = None,
    axes: AxisOption = None,
    as_json: JsonOption = False,
) -> None:
    """Encrypt a file through the simulated RTL (PKCS#7 padding in ecb and cbc)."""
    _crypt(False, design, axes, mode, key, iv, data_in, data_out, as_json)


@app.command()
def decrypt(
    data_in: FileArgument,
    data_out: ResultArgument,
    design: CipherDesignOption,
    key: KeyOption,
    mode: ModeOption = "cbc",
    iv: IvOption = None,
    axes: AxisOption = None,
    as_json: JsonOption = False,
) -> None:
    """Decrypt a file through the simulated RTL (PKCS#7 padding in ecb and cbc)."""
    _crypt(True, design, axes, mode, key, iv, data_in, data_out, as_json)


def _crypt(
    decrypts: bool,
    design: str,
    axes: list[str] | None,
    mode: str,
    key: str,
    iv: str | None,
    data_in: Path,
    data_out: Path,
    as_json: bool,
) -> None:
    named = catalogue.find(design, axes or [])
    # Refuse what can be refused before a model is built.
    cipher.check(named.design, mode, key, iv, data_in, data_out, decrypt=decrypts)
    with _Bars() as bars:
        model = simulate.build(
            generate.sources(named), named.module, named.design.ports(), progress=bars.step
        )
        stats = cipher.crypt(
            model,
            named.design,
            mode,
            key,
            iv,
            data_in,
            data_out,
            decrypt=decrypts,
            progress=bars.step,
        )
    if as_json:
        _print_json(
            {
                "design": named.name,
                "mode": mode,
                "blocks": stats.blocks,
                "cycles": stats.cycles,
                "cycles_per_block": round(stats.cycles_per_block, 3),
            }
        )
        return
    _print(
        f"{data_out}: {stats.blocks} blocks in {stats.cycles} cycles, "
        f"{stats.cycles_per_block:.2f} cycles per block"
    )


# ---------------------------------------------------------------------------- implement


@app.command("implement")
def implement_(
    designs: DesignsArgument = None,
    every: AllOption = False,
    device: Annotated[str, typer.Option(metavar="DEV", help=", ".join(devices.DEVICES))] = "",
    seeds: Annotated[int, typer.Option(min=1, help="place-and-route seeds, from 1")] = 5,
    recipe: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="mapping recipe; 'all' for every one")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="runs at a time")] = os.cpu_count() or 1,
    timeout: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="limit for each run of a tool")
    ] = implement.DEFAULT_TIMEOUT,
    force: Annotated[bool, typer.Option("--force", help="measure again what is recorded")] = False,
    flow: Annotated[
        str, typer.Option(help="open, or vivado or quartus: a project, and a run where they are")
    ] = "open",
    part: Annotated[
        str, typer.Option(metavar="CODE", help="part for --flow, in place of the table's")
    ] = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="project of --flow")
    ] = None,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Synthesise, place and route; record area, Fmax over the seeds, and throughput."""
    if not device:
        raise AesfabError(f"name a device with --device; known: {', '.join(devices.DEVICES)}")
    chosen = _split(designs, every)
    target = devices.find(device)
    if flow != "open":
        if len(chosen) != 1:
            raise AesfabError("--flow takes one design")
        folder = output or Path("build", flow, chosen[0].module)
        files = vendor.project(chosen[0], target, flow, folder, part)
        if as_json:
            _print_json({"folder": str(folder), "files": files})
        with _Bars() as bars:
            vendor.run(flow, folder, bars.line)
        _print(f"{folder}: the reports of {flow} are there")
        return
    if part or output:
        raise AesfabError("--part and --output go with --flow vivado or quartus")
    recipes = recipe or ["default"]
    if recipes == ["all"]:
        recipes = list(target.recipes)
    path = records_file or records.default_path()
    done = []
    for named in chosen:
        sources = generate.sources(named)
        identity = implement.identity(named, sources, target, recipes, range(1, seeds + 1))
        with _Bars() as bars:

            def measure(
                named: Named = named, sources: list[Path] = sources, bars: _Bars = bars
            ) -> records.Record:
                return implement.implement(
                    named,
                    sources,
                    target,
                    recipes,
                    range(1, seeds + 1),
                    bars.line,
                    timeout,
                    jobs,
                )

            record = records.cached(path, identity, measure, force=force)
        done.append(record)
        if as_json:
            _print_json(record)
    if not as_json:
        _print_table(_figures_table(done))
    bad = [record for record in done if record["status"] != implement.OK]
    for record in bad:
        last = (record.get("log_tail") or "").strip().splitlines()
        Console(stderr=True, highlight=False).print(
            f"{record['design']} on {record['device']}: {record['status']}"
            + (f": {escape(last[-1])}" if last else ""),
            soft_wrap=True,
        )
    if bad:
        raise SystemExit(1)


def _headline(record: records.Record) -> dict[str, Any]:
    """The figures of a record that fit a line."""
    names = (
        "device", "recipe", "status", "lut", "ff", "ram", "fmax_mhz", "throughput_mbit_s",
        "mbit_s_per_lut",
    )  # fmt: skip
    return {name: record.get(name) for name in names}


def _figures_table(measured: list[records.Record]) -> Table:
    numbers = (
        "LUT", "FF", "RAM", "Fmax MHz", "min", "max", "clocks/block", "Mbit/s", "Mbit/s/LUT",
    )  # fmt: skip
    table = _table("design", "device", "recipe", *numbers, "status", right=numbers)
    for record in measured:
        fmax = record.get("fmax_mhz") or {}
        named = catalogue.CATALOGUE.get(record["design"])
        usual = named.design.axes() if named else {}
        changed = [
            f"{axis}={value}"
            for axis, value in record.get("parameters", {}).items()
            if usual.get(axis) != value
        ]
        table.add_row(
            " ".join([record["design"], *changed]),
            record["device"],
            str(record.get("recipe")),
            *(_number(record.get(name), 0) for name in ("lut", "ff", "ram")),
            *(_number(fmax.get(name), 1) for name in ("median", "min", "max")),
            str(record.get("interval_cycles")),
            _number(record.get("throughput_mbit_s"), 0),
            _number(record.get("mbit_s_per_lut"), 3),
            str(record.get("status")),
        )
    return table


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


# --------------------------------------------------------------------------- components


@app.command("components")
def components_(
    patterns: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATTERN]...", help="only components with one of these in the name"
        ),
    ] = None,
    device: Annotated[str, typer.Option(metavar="DEV", help=", ".join(devices.DEVICES))] = "virtex",
    designs: Annotated[
        list[str] | None,
        typer.Option("--design", metavar="DESIGN", help="show it beside the sum of its parts"),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="place-and-route seeds, from 1")] = 1,
    recipe: Annotated[str, typer.Option(metavar="NAME", help="mapping recipe")] = "default",
    jobs: Annotated[int, typer.Option(min=1, help="runs at a time")] = os.cpu_count() or 1,
    timeout: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="limit for each run of a tool")
    ] = implement.DEFAULT_TIMEOUT,
    only_list: Annotated[bool, typer.Option("--list", help="name them, measure nothing")] = False,
    ceiling: Annotated[
        bool,
        typer.Option("--ceiling", help="instead plain registers: what fabric and harness allow"),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="measure again what is recorded")] = False,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure every component alone, at every register level (standaert2003, section 4)."""
    from aesfab import components

    target = devices.find(device)
    target.recipe(recipe)
    if ceiling and (patterns or designs):
        raise AesfabError("--ceiling goes without components and designs")
    chosen: list[components.Component] = list(components.ceiling())
    if not ceiling:
        # A design alone needs its own parts only.
        chosen = components.matching(patterns or []) if patterns or not designs else []
    whole_names = designs or ([] if patterns or ceiling else _STUDIED)
    wholes = [catalogue.find(name) for name in whole_names]
    needed = dict.fromkeys(chosen) | {c: None for n in wholes for c in components.parts(n)}
    if only_list:
        for component in needed if designs else chosen:
            _print(component.label)
        return
    path = records_file or records.default_path("components")
    numbers = range(1, seeds + 1)
    done = []
    with _Bars() as bars:
        for number, component in enumerate(needed):
            bars.step(f"components on {target.name}", number, len(needed))
            identity = components.identity(component, target, [recipe], numbers)

            def measure(component: components.Component = component) -> records.Record:
                return components.measure(
                    component, target, [recipe], numbers, lambda _: None, timeout, jobs
                )

            record = records.cached(path, identity, measure, force=force)
            done.append((component, record))
            if as_json:
                _print_json(record)
        bars.step(f"components on {target.name}", len(needed), len(needed))
    if not as_json:
        _print_components(done, target, wholes)
    bad = [(c, record) for c, record in done if record["status"] != implement.OK]
    for component, record in bad:
        print(f"{component.label}: {record['status']}", file=sys.stderr)
    if bad:
        raise SystemExit(1)


_STUDIED = ("standaert-sequential-52", "standaert-pipeline-42")


def _print_components(done: list[Any], target: devices.Device, wholes: list[Named]) -> None:
    from aesfab import components

    numbers = ("LUT", "FF", "RAM", "LUT/FF", "levels", "delay ns")
    table = _table("component", *numbers, "", right=numbers)
    for component, record in done:
        delay = _number(record.get("delay_ns"), 2)
        table.add_row(
            component.label,
            *(_number(record.get(name), 0) for name in ("lut", "ff", "ram")),
            _number(components.ratio(record), 2),
            _number(record.get("lut_levels"), 0),
            f"< {delay}" if record.get("harness_limited") else delay,
            "; ".join(components.marks(record)),
        )
    _print_table(table)
    measured = [record for _, record in done]
    if all(isinstance(component, components.Registers) for component, _ in done):
        return
    _print(f"\nstandaert2003, Tables 1 to 3 (Virtex), beside {target.name}:\n")
    columns = ("LUT", "FF", "LUT/FF", "path ns", "our LUT", "our FF", "our LUT/FF", "levels")
    table = _table("part", "place", *columns, right=columns)
    for row, component in components.of_paper():
        record = components.known(measured, component, target.name) or {}
        table.add_row(
            row.system, row.where,
            _number(row.lut, 0), _number(row.ff, 0),
            _number(row.lut / row.ff if row.lut and row.ff else None, 2), _number(row.path_ns, 1),
            _number(record.get("lut"), 0), _number(record.get("ff"), 0),
            _number(components.ratio(record) if record else None, 2),
            _number(record.get("lut_levels"), 0),
        )  # fmt: skip
    _print_table(table)
    known = records.read(records.default_path())
    for whole in wholes:
        _print(f"\n{whole.name} and its parts on {target.name}:\n")
        heads = ("number", "LUT", "FF", "RAM")
        table = _table("part", *heads, right=heads)
        sum_up = components.assembly(whole, target.name, measured, known)
        for component, count, record in sum_up.parts:
            areas = [_number((record or {}).get(name), 0) for name in _AREA]
            table.add_row(component.label, str(count), *areas)
        table.add_row("sum", "", *(_number(sum_up.total(name), 0) for name in _AREA))
        whole_record = sum_up.assembled or {}
        table.add_row("assembled", "", *(_number(whole_record.get(name), 0) for name in _AREA))
        table.add_row("cost of assembly", "", *(_number(sum_up.cost(name), 0) for name in _AREA))
        _print_table(table)
        if not sum_up.assembled:
            _print(f"not measured: aesfab implement {whole.name} --device {target.name}")


_AREA = ("lut", "ff", "ram")


# ------------------------------------------------------------------------ papers, report

StudyRecordsOption = Annotated[
    list[Path] | None,
    typer.Option("--records", metavar="FILE", help="records of designs; may be given repeatedly"),
]
PartsRecordsOption = Annotated[
    list[Path] | None,
    typer.Option("--components", metavar="FILE", help="records of components"),
]
StaleOption = Annotated[
    bool, typer.Option("--stale", help="use figures of other RTL than the one at hand as well")
]

SvgOption = Annotated[
    Path | None, typer.Option("--svg", metavar="DIR", help="write the graphs as SVG files")
]
PngOption = Annotated[bool, typer.Option("--png", help="and as PNG files")]


def _check_graphs(svg: Path | None, png: bool) -> None:
    """AesfabError for ``--png`` without a folder."""
    if png and svg is None:
        raise AesfabError("--png goes with --svg DIR")


def _read_all(files: list[Path] | None, kind: str) -> list[records.Record]:
    """The records of some files, which must be there; else those shipped and the user's own."""
    for file in files or []:
        if not file.exists():
            raise AesfabError(f"cannot read the records in {file}: no such file")
    usual = [path for path in (records.shipped_path(kind), records.default_path(kind)) if path]
    # One file in a checkout, two elsewhere.
    distinct = {path.resolve(): path for path in usual}.values()
    return [record for file in files or distinct for record in records.read(file)]


@app.command("papers")
def papers_(
    paper: Annotated[
        str | None, typer.Argument(metavar="[PAPER]", help=", ".join(published.PAPERS))
    ] = None,
    svg: SvgOption = None,
    png: PngOption = False,
    stale: StaleOption = False,
    records_files: StudyRecordsOption = None,
    components_files: PartsRecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """The papers' tables and graphs with our figures beside them, and what still holds."""
    from aesfab import charts, papers
    from aesfab.study import Study

    _check_graphs(svg, png)
    chosen = [paper] if paper else list(published.PAPERS)
    study = Study(_read_all(records_files, "implement"), stale=stale)
    parts = _read_all(components_files, "components")
    done = [papers.reproduce(name, study, parts) for name in chosen]
    if svg:
        for result in done:
            charts.write(result.charts, svg, with_png=png)
    if as_json:
        _print_json([result.to_json() for result in done])
        return
    for result in done:
        _print(f"{result.paper}: {published.PAPERS[result.paper]}")
        for paper_table in result.tables:
            _print_paper_table(paper_table)
        _print("\nDoes it still hold?\n")
        for verdict in result.verdicts:
            _print("\n".join(papers.verdict_lines(verdict)))
        _print("")
    counts = collections.Counter(v.verdict for result in done for v in result.verdicts)
    _print("; ".join(f"{number} {verdict}" for verdict, number in counts.items()))


def _print_paper_table(shown: Any) -> None:
    """A table of printed and measured lines (``papers.PaperTable``); ours are bold."""
    from aesfab import papers

    _print(f"\n{shown.title}\n")
    heads = tuple(papers.COLUMNS[name] for name in shown.columns)
    table = _table("design", "source", *heads, "note", right=heads)
    for line in shown.lines:
        cells = [papers.cell(line.figures.get(name)) for name in shown.columns]
        table.add_row(
            escape(line.system), line.source, *cells, escape(line.note),
            style="" if line.printed else "bold",
        )  # fmt: skip
    _print_table(table)
    if shown.note:
        _print(shown.note)


@app.command("classes")
def classes_(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[CLASS]...", help="all by default")
    ] = None,
    svg: SvgOption = None,
    png: PngOption = False,
    stale: StaleOption = False,
    records_files: StudyRecordsOption = None,
    components_files: PartsRecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Our own designs beside open cores and papers: targets, what is reached, what limits it.

    Without a class also how they scale (--svg draws it) and the areas of the papers' families.
    """
    from aesfab import charts, classes, scaling
    from aesfab.study import Study

    _check_graphs(svg, png)
    chosen = [classes.find(name) for name in names] if names else list(classes.load())
    study = Study(_read_all(records_files, "implement"), stale=stale)
    parts = _read_all(components_files, "components")
    standings = [classes.standing(each, study, parts) for each in chosen]
    graphs = [] if names else [chart for chart in scaling.figures(study) if chart.rows]
    areas = [] if names else classes.areas(study)
    knees = [] if names else scaling.knees(study)
    if svg:
        charts.write(graphs, svg, with_png=png)
    if as_json:
        _print_json(
            {
                "classes": [standing.to_json() for standing in standings],
                "areas": [area.to_json() for area in areas],
                "scaling": {chart.name: list(chart.rows) for chart in graphs},
                "knees": knees,
            }
        )
        return
    for standing in standings:
        _print_paper_table(standing.table)
        for device, lines in standing.summaries().items():
            _print(f"\n{device}: {lines[0]}")
            for line in lines[1:]:
                _print(f"  {line}")
    if names:
        return
    _print("\nAreas that the papers print, and ours for the same family\n")
    _print_rows("", [classes.area_row(area) for area in areas])
    _print("\nScaling\n")
    for line in knees or [scaling.NOTHING]:
        _print(line)


# ------------------------------------------------------------------------------ devices


@app.command("devices")
def devices_(as_json: JsonOption = False) -> None:
    """The devices: part, tool, recipes, what is counted."""
    if as_json:
        for device in devices.DEVICES.values():
            _print_json(
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
            )
        return
    table = _table(
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
    _print_table(table)
    _print(
        "\nLUT: inputs of one. A slice holds so many pairs of a LUT and a flip-flop; slices are an "
        "estimate. Recipes:"
    )
    summaries = {
        name: recipe.summary
        for device in devices.DEVICES.values()
        for name, recipe in device.recipes.items()
    }
    for name, summary in summaries.items():
        _print(f"  {name:<10} {summary}")


# ------------------------------------------------------------------------------ explore


class _Watch:
    """An exploration as one live line on a terminal, as a line for each record elsewhere."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._live = self._console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("runs, {task.fields[facts]}"),
            TimeElapsedColumn(),
            console=self._console,
        )
        self._task = self._progress.add_task("exploring", total=None, facts="")
        self._lonely = False

    def __enter__(self) -> _Watch:
        if self._live:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._progress.stop()

    def __call__(self, status: explore.Status) -> None:
        if status.event:
            at = "" if self._live else f"[{status.records_done}/{status.records}] "
            self._console.print(escape(at + status.event), soft_wrap=True)
        if not status.workers and not self._lonely:
            self._console.print("waiting for workers")
        self._lonely = not status.workers
        facts = [
            f"{status.records_done} of {status.records} records",
            f"{status.running} running",
            f"{status.failed} failed",
        ]
        if status.remaining is not None:
            facts.append(f"about {_duration(status.remaining)} left")
        self._progress.update(
            self._task, completed=status.runs_done, total=status.runs, facts=", ".join(facts)
        )


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02} min"


@app.command("explore")
def explore_(
    designs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DESIGN]... [AXIS=VALUE,...]...",
            help="names or patterns (quote them), and values of axes to go through",
        ),
    ] = None,
    device: Annotated[
        list[str] | None, typer.Option(metavar="DEV", help="name or pattern, see 'aesfab devices'")
    ] = None,
    recipe: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="mapping recipe; a+b compares, 'all' every one"),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="place-and-route seeds, from 1")] = 5,
    seeds_large: Annotated[
        int | None, typer.Option(min=1, help=f"the same from {plan.LARGE} LUTs on")
    ] = None,
    plan_file: Annotated[
        Path | None, typer.Option("--plan", metavar="FILE", help="TOML file of what to explore")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be done")] = False,
    jobs: Annotated[
        int, typer.Option(min=1, help="runs at a time; for --cluster, jobs of it")
    ] = os.cpu_count() or 1,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler to use")
    ] = None,
    cluster: Annotated[
        Path | None, typer.Option(metavar="FILE", help="start file of a batch cluster")
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="limit for each run of a tool")
    ] = implement.DEFAULT_TIMEOUT,
    force: Annotated[bool, typer.Option("--force", help="measure again what is recorded")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="measure again what failed")] = False,
    in_order: Annotated[
        bool, typer.Option("--in-order", help="in the order of the plan, not the long ones first")
    ] = False,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure designs x axes x devices x recipes; results are kept as they come."""
    path = records_file or records.default_path()
    if scheduler and cluster:
        raise AesfabError("--scheduler and --cluster exclude each other")
    if plan_file and (designs or device or recipe):
        raise AesfabError("--plan goes without designs, axes, devices and recipes")
    if plan_file:
        requests = plan.read_requests(plan_file)
    else:
        words = designs or []
        axes = [word.partition("=") for word in words if "=" in word]
        requests = [
            plan.Request(
                designs=tuple(word for word in words if "=" not in word),
                axes={axis: tuple(values.split(",")) for axis, _, values in axes},
                devices=tuple(device or []),
                recipes=tuple(recipe or ["default"]),
                seeds=plan.Seeds(seeds, seeds_large or seeds),
            )
        ]
    known = records.read(path)
    with _Bars() as bars:
        what = plan.make(
            requests,
            known,
            force=force,
            retry=retry,
            progress=lambda done, total: bars.step("planning", done, total),
        )
    sizes, times = plan.Sizes(known), plan.Times()
    seconds = sum(times.job(job, sizes) for job in what.jobs)
    facts = {
        "records": len(what.jobs),
        "recorded": len(what.recorded),
        "impossible": len(what.impossible),
        "syntheses": what.syntheses,
        "placements": what.placements(sizes),
        "sizes_known": sum(sizes.known(job) for job in what.jobs),
        "seconds": round(seconds / jobs),
    }
    said = (
        f"{facts['records']} records to make from {facts['syntheses']} syntheses and "
        f"{facts['placements']} place-and-route runs; {facts['recorded']} recorded already, "
        f"{facts['impossible']} that cannot be built"
    )
    if dry_run:
        if as_json:
            _print_json({**facts, "jobs": [job.title for job in what.jobs]})
            return
        for job in what.jobs:
            _print(job.title)
        for reason in what.impossible:
            _print(f"cannot be built: {reason}")
        _print(said)
        _print(
            f"about {_duration(seconds / jobs)} with {jobs} runs at a time "
            f"(the sizes of {facts['sizes_known']} of {facts['records']} are recorded)"
        )
        if cluster:
            _print(f"\nEach job of the cluster:\n\n{clusters.job_script(cluster)}")
        return
    made: list[records.Record] = []
    if what.jobs:
        Console(stderr=True, highlight=False).print(said, soft_wrap=True)
        if scheduler:
            pool = clusters.connect(scheduler)
        elif cluster:
            pool = clusters.batch(cluster, jobs)
        else:
            pool = clusters.local(jobs)
        with pool as client, _Watch() as watch:
            explorer = explore.Explorer(
                what, path, client, timeout=timeout, watch=watch, fresh=force, in_order=in_order
            )
            made = explorer.run()
    failed = sum(record["status"] in implement.PASSING for record in made)
    if as_json:
        for record in made:
            _print_json(record)
    else:
        _print(
            f"{path}: {len(made)} new records, {failed} of them failed; "
            f"{len(what.recorded)} were there"
        )
    if failed:
        raise SystemExit(1)


# ------------------------------------------------------------------------------ results


@app.command("results")
def results_(
    conditions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DESIGN]... [CONDITION]...",
            help="names or patterns, and conditions such as device=ecp5-* or 'lut<5000'",
        ),
    ] = None,
    sort: Annotated[str, typer.Option(metavar="COLUMN,...", help="order; -COLUMN descends")] = "",
    columns: Annotated[
        str, typer.Option(metavar="COLUMN,...", help="what to show; 'all' for every one")
    ] = "",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="write FILE.csv, .jsonl or .parquet"),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="older records of the same measurement too")
    ] = False,
    only_current: Annotated[
        bool, typer.Option("--current", help="only of the RTL as it is")
    ] = False,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Query the records of measurements; all columns go into a file unless you choose."""
    words = conditions or []
    signs = [word for word in words if any(sign in word for sign in "<>=")]
    names = [word for word in words if word not in signs]
    tests = [results.condition(word) for word in signs]
    if names:
        tests.append(results.condition(f"design={','.join(names)}"))
    known = records.read(records_file or records.default_path())
    if only_current:
        known = results.current(known)
    if not every:
        known = results.newest(known)
    rows = results.matching(map(results.row, known), tests)
    rows = results.ordered(rows, sort.split(",") if sort else [])
    whole = output is not None or as_json
    chosen = results.columns(columns or ("all" if whole else ",".join(results.SHOWN)))
    if output:
        results.write(output, rows, chosen)
        _print(f"{output}: {len(rows)} rows, {len(chosen)} columns")
        return
    if as_json:
        print(results.export(rows, chosen, "jsonl").decode(), end="")
        return
    numbers = tuple(name for name in chosen if results.SCHEMA[name] is not str)
    table = _table(*chosen, right=numbers)
    for row in rows:
        table.add_row(*(escape(results.shown(row[name])) for name in chosen))
    _print_table(table)


@app.command("report")
def report_(
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="folder to write")],
    plots: Annotated[
        bool, typer.Option("--plots/--no-plots", help="write the plots as SVG and PNG files too")
    ] = True,
    stale: StaleOption = False,
    records_files: StudyRecordsOption = None,
    components_files: PartsRecordsOption = None,
    evidence_files: Annotated[
        list[Path] | None,
        typer.Option("--evidence", metavar="FILE", help="records of verifications"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write one HTML page of everything known: tables, plots, papers, designs."""
    from aesfab import report
    from aesfab.study import Study

    figures = report.Figures(
        Study(_read_all(records_files, "implement"), stale=stale),
        _read_all(components_files, "components"),
        _read_all(evidence_files, "verify"),
    )
    with _Bars() as bars:
        files = report.write(figures, output, plots=plots, progress=bars.line)
    if as_json:
        _print_json({"page": str(files[0]), "files": [str(file) for file in files]})
        return
    _print(str(files[0]))


# --------------------------------------------------------------------------------- demo


@app.command()
def demo(
    data: Annotated[Path, typer.Argument(metavar="FILE", help="file to encrypt")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="folder to write")
    ] = Path("build/demo"),
    design: CipherDesignOption = "kakarlapudi-sbox-both-128",
    axes: AxisOption = None,
    seeds: Annotated[int, typer.Option(min=1, help="place-and-route seeds a device")] = 3,
) -> None:
    """The main job on a real file: generate, verify, encrypt, decrypt, compare, implement."""
    from aesfab import demo as job

    with _Bars() as bars:
        measured = job.run(
            catalogue.find(design, axes or []),
            data,
            output,
            seeds=seeds,
            step=bars.step,
            line=bars.line,
        )
    _print_table(_figures_table(measured))


# ---------------------------------------------------------------------------------- host

host_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="The host system: a core behind buffers and a bus, driven by the C library.",
)
app.add_typer(host_app, name="host")

BusOption = Annotated[
    str, typer.Option("--bus", help="axi-lite, axi4, axi-stream, wishbone or memory-slot")
]
WidthOption = Annotated[int, typer.Option("--width", help="of the bus in bits; 0: the usual one")]
PublishedOption = Annotated[
    bool, typer.Option("--published", help="buffers without a full flag, as in the paper")
]


def _system(
    design: str, axes: list[str] | None, bus: str, width: int, published: bool
) -> host_system.System:
    system = host_system.System(
        catalogue.find(design, axes or []), host_system.Bus.parse(bus), width, guarded=not published
    )
    system.require_legal()
    return system


@host_app.command("generate")
def host_generate(
    design: DesignArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="folder to write")],
    axes: OverridesArgument = None,
    bus: BusOption = "axi-lite",
    width: WidthOption = 0,
    published: PublishedOption = False,
    force: Annotated[bool, typer.Option("--force", help="write into a folder with files")] = False,
) -> None:
    """Write a host system as a folder that stands alone, with the C library for it."""
    system = _system(design, axes, bus, width, published)
    with _Bars() as bars:
        files = host_system.generate(system, output, force=force, progress=bars.line)
    _print(f"{output}: {len(files)} files, top module {system.module}")


@host_app.command("run")
def host_run(
    data_in: FileArgument,
    data_out: ResultArgument,
    key: KeyOption,
    mode: ModeOption = "ctr",
    iv: IvOption = None,
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
        str, typer.Option(help=f"transfer variant: {', '.join(host_driver.COPY_NAMES)}")
    ] = "auto",
    interrupts: Annotated[bool, typer.Option("--interrupts", help="sleep, do not poll")] = False,
    batch: Annotated[bool, typer.Option("--batch", help="read when a chunk is done")] = False,
    as_json: JsonOption = False,
) -> None:
    """Encrypt or decrypt a file with a device through the C library (modes ctr and ecb)."""
    if copy not in host_driver.COPY_NAMES:
        raise unknown("transfer variant", copy, host_driver.COPY_NAMES)
    system = _system(design, axes, bus, width, published) if address is None else None
    # Refuse what can be refused before a model is built.
    secret, counter = host_job.check(
        mode,
        key,
        iv,
        data_in,
        data_out,
        decrypt=decrypts,
        design=system.named.design if system else None,
    )
    with _Bars() as bars, contextlib.ExitStack() as stack:
        sim = None
        where: str | host_driver.Simulation
        if system is not None:
            library = host_system.simulation(system, progress=bars.step)
            where = sim = stack.enter_context(host_driver.Simulation(library))
        else:
            where = str(address)
        device = stack.enter_context(
            host_driver.Device(
                where, copy=host_driver.COPY_NAMES[copy], interrupts=interrupts, batch=batch
            )
        )
        begun = sim.clocks if sim else 0
        stats = host_job.crypt(
            device, mode, secret, counter, data_in, data_out, decrypt=decrypts, progress=bars.step
        )
        cycles = sim.clocks - begun if sim else None
    facts: dict[str, Any] = {"blocks": stats.blocks, "seconds": round(stats.seconds, 3)}
    line = f"{data_out}: {stats.blocks} blocks in {stats.seconds:.2f} s"
    if cycles is not None:
        per_block = cycles / stats.blocks if stats.blocks else 0.0
        facts |= {"cycles": cycles, "cycles_per_block": round(per_block, 3)}
        line = f"{data_out}: {stats.blocks} blocks in {cycles} cycles of the bus, "
        line += f"{per_block:.2f} cycles per block"
    if as_json:
        _print_json(facts)
    else:
        _print(line)


@host_app.command("soak")
def host_soak_(
    design: DesignArgument,
    axes: OverridesArgument = None,
    blocks: Annotated[int, typer.Option(min=1, help="blocks to compare, at least")] = 100_000,
    seed: Annotated[int, typer.Option(help="of everything that is random")] = 1,
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
    with _Bars() as bars:
        result = host_soak.soak(system, blocks, seed=seed, progress=bars.step)
    record = result.record(system, seed)
    if records_file is not None:
        records.put(records_file, record)
    if as_json:
        _print_json(record)
        return
    _print(
        f"{system.named.name} on {bus}: {result.blocks} blocks in {result.transfers} transfers "
        f"under {result.keys} keys agree with OpenSSL; {result.clocks} clocks"
    )


@host_app.command("soc")
def host_soc_(
    design: Annotated[
        str, typer.Argument(metavar="[DESIGN]", help="name, see 'aesfab list'")
    ] = "kakarlapudi-sbox-both-128",
    axes: OverridesArgument = None,
    seed: Annotated[int, typer.Option(help="of message, key and state without a reset")] = 1,
    interrupts: Annotated[
        bool, typer.Option("--interrupts", help="sleep, do not poll, where the processor copies")
    ] = False,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """The C library on a RISC-V processor beside the core: cycles per block, every clock counted.

    Messages of 16 bytes to 16 KB, copied by the processor or moved by a DMA engine; examples of
    FIPS 197 and SP 800-38A are checked before, the messages are compared with OpenSSL.
    """
    named = catalogue.find(design, axes or [])
    if records_file is not None:
        records.require_place(records_file)
    with _Bars() as bars:
        result = host_soc.run(named, seed=seed, interrupts=interrupts, progress=bars.step)
        record = result.record(named, seed)
    if records_file is not None:
        records.put(records_file, record)
    if as_json:
        _print_json(record)
        return
    mhz = host_soc.CLOCK_MHZ
    _print_rows(
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
        _print(
            f"{line['path']}, {line['direction']}: {line['one_block']} cycles for a message of one "
            f"block, {line['each_more']:.1f} for each more of a long one"
        )
    for path, costs in result.costs.items():
        slept = f"; slept {costs['sleeps']} times" if "sleeps" in costs else ""
        _print(
            f"{path}: {costs['open']} cycles to open the device, {costs['key']} to set a key{slept}"
        )
    _print(f"{result.checks} checks on the processor passed; OpenSSL agrees with all messages")


# ---------------------------------------------------------------------------------- main


def _version(wanted: bool) -> None:
    if wanted:
        print(f"aesfab {__version__}")
        raise typer.Exit


@host_app.command("bench")
def host_bench(
    platforms: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PLATFORM]...", help="names or .toml files; all by default"),
    ] = None,
    svg: SvgOption = None,
    png: PngOption = False,
    as_json: JsonOption = False,
) -> None:
    """Throughput from a program's memory through the core and back, by the link model.

    For the paper's machine: what it prints beside what the model predicts. For every machine:
    time = alpha + blocks x beta, and the message size from which on the core beats software.
    With --svg, Figs. 7.4 to 7.7 of the paper and a graph of every machine.
    """
    _check_graphs(svg, png)
    chosen = []
    for name in platforms or platform.shipped():
        try:
            chosen.append(platform.load(name))
        except AesfabError as error:
            # One that was asked for must be there; of all of them, what lacks a record is left out.
            if platforms:
                raise
            print(f"aesfab: left out: {error}", file=sys.stderr)
    of_paper = any(p.name == experiments.PAPER for p in chosen)
    result: dict[str, Any] = {}
    if of_paper:
        result["predictions"] = experiments.predictions()
        result["lacks"] = experiments.lacks()
        result["claims"] = [dataclasses.asdict(claim) for claim in experiments.claims()]
        result["unrolled"] = experiments.unrolled()
    result["break_even"] = [row for p in chosen for row in experiments.break_even(p)]
    result["curves"] = [row for p in chosen for row in experiments.curves(p)]
    if svg:
        from aesfab import charts
        from aesfab.link import figures

        graphs = [*(figures.paper_figures() if of_paper else ()),
                  *(figures.platform_figure(p, result["curves"]) for p in chosen)]  # fmt: skip
        charts.write(graphs, svg, with_png=png)
    if as_json:
        _print_json(result)
        return
    if of_paper:
        _print_rows(
            "The paper's system figures, predicted from its raw rates", result["predictions"]
        )
        for line in result["lacks"]:
            _print(f"  off: {line}")
        _print("\nDoes the model agree with what the paper concludes?")
        for claim in result["claims"]:
            _print(f"  {'yes' if claim['holds'] else 'NO '}  {claim['text']}: {claim['because']}")
        _print("")
        _print_rows("Unrolled cores in the paper's system, by its fastest way", result["unrolled"])
    _print("")
    _print_rows(
        "Time = alpha + blocks x beta, and where the core begins to pay", result["break_even"]
    )
    for p in chosen:
        _print(f"\n{p.name}: {p.title}. {p.core_name} at {p.core_mhz:.1f} MHz. {p.why}")


def _print_rows(title: str, rows: list[dict[str, Any]]) -> None:
    """Rows of equal fields as a table; what is not known is a dash."""
    if title:
        _print(title)
    columns = list(rows[0])
    numbers = [name for name in columns if any(isinstance(row[name], int | float) for row in rows)]
    table = _table(
        *(name.replace("_", " ") for name in columns),
        right=tuple(n.replace("_", " ") for n in numbers),
    )
    for row in rows:
        table.add_row(*(escape("-" if row[name] is None else str(row[name])) for name in columns))
    _print_table(table)


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """AES cores for FPGAs: generated, verified and measured in one open flow."""


def _terminated(_signal: int, _frame: object) -> NoReturn:
    raise SystemExit(143)


@contextlib.contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn what went wrong into one line on standard error and an exit status."""

    def stop(message: str, status: int) -> NoReturn:
        line = " ".join(message.split())
        print(f"aesfab: {line}", file=sys.stderr)
        raise SystemExit(status)

    try:
        yield
    except AesfabError as error:
        if isinstance(error, ToolError) and error.log_tail:
            print(error.log_tail, file=sys.stderr)
        stop(str(error), error.exit_status)
    except _ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # a group without a command: its help
            print(error.format_message(), file=sys.stderr)
            raise SystemExit(2) from None
        stop(error.format_message(), 2)
    except (typer.Abort, KeyboardInterrupt):
        stop("interrupted", 130)
    except BrokenPipeError:
        # Whoever read our output has left; the interpreter must not complain about that at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(141) from None
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        stop(f"cannot go on:{where} {error.strerror or error}", 1)


def main() -> None:
    """Entry point of the ``aesfab`` program."""
    signal.signal(signal.SIGTERM, _terminated)
    with _one_line_errors():
        status = typer.main.get_command(app).main(standalone_mode=False)
        if isinstance(status, int) and status:
            raise SystemExit(status)
