# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Commands that show what there is: list, show, devices."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from aesfab import devices, records
from aesfab.api import facts
from aesfab.cli.options import (
    DesignArgument,
    JsonOption,
    ListedArgument,
    OverridesArgument,
    RecordsOption,
    find_core,
    one,
    read,
    refuse_given,
)
from aesfab.cli.output import (
    figures_table,
    headline,
    new_table,
    print_json,
    print_table,
)
from aesfab.design import catalogue, schedule
from aesfab.design.axes import Tbox
from aesfab.design.combinations import combinations
from aesfab.design.design import Design
from aesfab.engine import every as engines
from aesfab.engine import hdl as engine_hdl
from aesfab.engine.family import Entry
from aesfab.errors import AesfabError, like
from aesfab.hdl import rtl
from aesfab.measure import subjects
from aesfab.records import Record
from aesfab.study import study


def _verification(file: Path | None, wanted: Collection[str]) -> dict[str, str]:
    """Design or engine, of those wanted, to what its evidence says of the RTL as it is now."""
    by_name: dict[str, list[Record]] = {}
    for kind in ("verify", "engines"):
        for record in read(kind, file):
            by_name.setdefault(record["design"], []).append(record)
    status = {}
    for name, named in catalogue.CATALOGUE.items():
        if name not in wanted:
            continue
        own = by_name.get(name, [])
        status[name] = _said(study.evidence_of(named, own), own, named.design.axes())
    for engine in (engines.find(name) for name in engines.names() if name in wanted):
        own = by_name.get(engine.name, [])
        speaks = engines.evidence_of(engine, own) if own else None
        status[engine.name] = _said(speaks, own, engine.engine.every_axis())
    return status


def _said(speaks: Record | None, own: list[Record], axes: dict[str, Any]) -> str:
    """What evidence says: that of the RTL as it is, or all that there is of these axes."""
    if speaks is not None:
        return str(speaks["level"]) if speaks["passed"] else "FAILED"
    return "stale" if any(study.of_parameters(each, axes) for each in own) else "-"


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
        table.add_row(*row, " ".join(sizes) or "-", "; ".join(texts) or "-")
    print_table(table)


def list_(
    context: typer.Context,
    designs: ListedArgument = None,
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
        refuse_given(context, "--combinations", "designs")
        _list_combinations(as_json)
        return
    wanted = {
        name
        for pattern in designs or ["*"]
        for name in like("design", pattern, subjects.names(), subjects.LISTED)
    }
    cores = [named for name, named in catalogue.CATALOGUE.items() if name in wanted]
    status = _verification(records_file, wanted)
    if as_json:
        found = [facts(each) for each in cores]
        found += [_engine_facts(engines.find(name)) for name in engines.names() if name in wanted]
        print_json([{**each, "verified": status[each["name"]]} for each in found])
        return
    table = new_table(
        "design", "paper", "architecture", "S-box", "direction", "key", "key schedule",
        "latency", "interval", "verified", right=("latency", "interval"),
    )  # fmt: skip
    for named in cores:
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
    tables = [table] if cores else []
    for kind in engines.KINDS:
        table = new_table(*kind.columns, "verified", right=kind.right)
        for name, each in kind.catalogue.items():
            if name in wanted:
                table.add_row(name, *kind.row(each.engine), status[name])
        tables += [table] if table.row_count else []
    for number, table in enumerate(tables):
        if number:
            print("")
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
    }


def _show_engine(named: engines.AnyNamed, as_json: bool, known: list[Record], said: str) -> None:
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
    core = engine.core.design
    for bits in engine.key_lengths:
        setup = f", key set-up {core.key_setup(bits)}" if core.stored_keys else ""
        print(
            f"{bits}-bit key: latency {engine.latency(bits)} at least, interval "
            f"{engine.interval_number(bits)}{setup} clocks"
        )
    print("")
    table = new_table(*head, right=head[:1] if head[1] else ())
    for row in rows:
        table.add_row(*row)
    print_table(table)
    print("")
    table = new_table("port", "bits", "meaning", right=("bits",))
    for port in engine.ports():
        table.add_row(port.name, str(port.width), port.meaning)
        for field in port.fields:
            table.add_row("", field.bits, field.meaning)
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
