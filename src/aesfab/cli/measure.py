# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Commands that measure designs and their parts one after the other: implement, components."""

from __future__ import annotations

import fnmatch
import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aesfab import devices, extras, records
from aesfab.cli.options import (
    CORES_COMPLETED,
    JOBS,
    AllOption,
    DesignsArgument,
    DeviceOption,
    JobsOption,
    JsonOption,
    RecordsOption,
    RemeasureOption,
    SeedsOption,
    SeedsOrAreaOption,
    TimeoutOption,
    chosen_designs,
    chosen_engines,
    find_core,
    one,
    recipes_completed,
    refuse_given,
)
from aesfab.cli.output import (
    Bars,
    figures_table,
    many,
    new_table,
    print_json,
    print_json_of,
    print_table,
    rounded,
)
from aesfab.design import catalogue
from aesfab.design.catalogue import Named, in_words
from aesfab.engine import hdl as engine_hdl
from aesfab.errors import AesfabError, require_pattern
from aesfab.folder import generate
from aesfab.measure import implement, own, vendor
from aesfab.study import study

if TYPE_CHECKING:
    from aesfab.measure import components


def implement_(
    context: typer.Context,
    designs: DesignsArgument = None,
    every: AllOption = False,
    device: DeviceOption = "",
    seeds: SeedsOrAreaOption = 5,
    recipe: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="mapping recipe; 'all' for every one",
            autocompletion=recipes_completed,
        ),
    ] = None,
    jobs: JobsOption = JOBS,
    timeout: TimeoutOption = implement.DEFAULT_TIMEOUT,
    force: RemeasureOption = False,
    flow: Annotated[
        str, typer.Option(help="open, or vivado or quartus: a project, and a run where they are")
    ] = "open",
    part: Annotated[
        str, typer.Option(metavar="CODE", help="part for --flow, in place of the table's")
    ] = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="project of --flow")
    ] = None,
    top: Annotated[
        str,
        typer.Option("--top", metavar="MODULE", help="a design of your own instead, not recorded"),
    ] = "",
    given: Annotated[
        list[Path] | None,
        typer.Option(
            "--sources", metavar="FILE", help="its files, packages first; *.f is a list of files"
        ),
    ] = None,
    clock: Annotated[str, typer.Option(metavar="PORT", help="its clock")] = "clk_i",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="say what would be measured, and what is recorded")
    ] = False,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Synthesise, place and route; record area, Fmax over the seeds, and throughput.

    With --seeds 0 the area alone.

    Or do it to a design of your own, for example with a core in it: --top my_top --sources
    core/aes_fab_tiny.f my_top.sv

    A native nextpnr of the same version is used where AESFAB_NEXTPNR names it: a folder, or a
    command before the program's name.
    """
    if not device:
        raise AesfabError(f"name a device with --device; known: {', '.join(devices.DEVICES)}")
    if top:
        refuse_given(
            context, "--top", "every", "flow", "part", "output", "records_file", "force", "dry_run"
        )
        # What follows the first file of --sources are arguments.
        files_given = [*(given or []), *map(Path, designs or [])]
        names = _recipes(devices.find(device), recipe)
        _implement_own(
            *(top, files_given, clock, devices.find(device), names),
            *(range(1, seeds + 1), timeout, jobs, as_json),
        )
        return
    if given:
        raise AesfabError("--sources goes with --top MODULE")
    refuse_given(context, "a design of the catalogue", "clock")
    mine = chosen_engines(designs, every)
    cores = [] if mine else chosen_designs(designs, every)
    subjects: list[tuple[implement.Subject, Callable[[], list[Path]]]] = [
        *((each, functools.partial(engine_hdl.sources, each)) for each in mine),
        *((each, functools.partial(generate.sources, each)) for each in cores),
    ]
    target = devices.find(device)
    if flow != "open":
        if mine:
            raise AesfabError("--flow takes a design, not an engine")
        if len(cores) != 1:
            raise AesfabError("--flow takes one design")
        refuse_given(
            context, "--flow", "recipe", "seeds", "jobs", "records_file", "force", "dry_run"
        )
        folder = output or Path("build", flow, cores[0].module)
        vendor.check(target, flow, part)
        extras.require("measure")
        files = vendor.project(cores[0], target, flow, folder, part)
        if as_json:
            print_json({"folder": str(folder), "files": files})
        with Bars() as bars:
            vendor.run(flow, folder, bars.line, timeout)
        if not as_json:
            print(f"{folder}: the reports of {flow} are there")
        return
    if part or output:
        raise AesfabError("--part and --output go with --flow vivado or quartus")
    recipes = _recipes(target, recipe)
    for name in recipes:
        target.recipe(name)
    places = records.places("implement", one(records_file))
    if not dry_run:
        records.require_place(places[-1])
    extras.require("measure")
    done, planned = [], []
    known = records.every(places) if dry_run and not force else []
    for named, files_of in subjects:
        sources = files_of()
        identity = implement.identity(named, sources, target, recipes, range(1, seeds + 1))
        if dry_run:
            planned.append((named, records.settled(known, identity) is not None))
            continue
        with Bars() as bars:

            def measure(
                named: implement.Subject = named,
                sources: list[Path] = sources,
                identity: records.Record = identity,
                bars: Bars = bars,
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
                    beforehand=identity,
                )

            record = records.cached(places, identity, measure, force=force)
        done.append(record)
    if dry_run:
        _say_planned(planned, target, recipes, seeds, as_json)
    elif as_json:
        print_json_of([named for named, _ in subjects], done)
    else:
        print_table(figures_table(done))
    _end(done)


def _say_planned(
    planned: Sequence[tuple[implement.Subject, bool]],
    target: devices.Device,
    recipes: Sequence[str],
    seeds: int,
    as_json: bool,
) -> None:
    """What ``implement --dry-run`` says: of each design whether it is recorded."""
    if as_json:
        print_json(
            [
                {"design": named.name, "device": target.name, "recipes": list(recipes),
                 "seeds": seeds, "recorded": recorded}
                for named, recorded in planned
            ]
        )  # fmt: skip
        return
    how = f"{target.name}, {' + '.join(recipes)}, {many(seeds, 'seed') if seeds else 'area alone'}"
    for named, recorded in planned:
        print(f"{named.name} on {how}: {'recorded' if recorded else 'to measure'}")


def _recipes(target: devices.Device, given: list[str] | None) -> list[str]:
    """The recipes of --recipe: the plain one by default, every one for ``all``."""
    recipes = given or [records.PLAIN]
    return list(target.recipes) if recipes == ["all"] else recipes


def _end(done: Sequence[records.Record]) -> None:
    """A line for each record that did not go well; status 1 where there is one."""
    bad = [record for record in done if record["status"] != implement.OK]
    for record in bad:
        _say_bad(record["design"], record)
    if bad:
        raise SystemExit(1)


def _say_bad(what: str, record: records.Record) -> None:
    """How a measurement ended, with the last line that its tool said."""
    last = (record.get("log_tail") or "").strip().splitlines()
    why = f": {last[-1]}" if last else ""
    print(f"{what} on {record['device']}: {record['status']}{why}", file=sys.stderr)


def _implement_own(
    top: str,
    given: Sequence[Path],
    clock: str,
    target: devices.Device,
    recipes: Sequence[str],
    seeds: Sequence[int],
    timeout: float,
    jobs: int,
    as_json: bool,
) -> None:
    """Measure a design of the user and print its figures, a row a recipe; see ``implement_``."""
    for name in recipes:
        target.recipe(name)
    sources = own.source_files(given)
    extras.require("measure")
    named = own.find(top, sources, clock)
    with Bars() as bars:
        record = implement.implement(
            named, sources, target, recipes, seeds, bars.line, timeout, jobs, clock
        )
    # What only a core has.
    for name in ("parameters", "latency_cycles", "interval_cycles", "blocks_in_flight"):
        del record[name]
    rows = [{**record, **result, "recipe": name} for name, result in record["recipes"].items()]
    for row in (record, *record["recipes"].values()):
        for name in ("throughput_mbit_s", "throughput_by_key_bits", "mbit_s_per_lut"):
            row.pop(name, None)
    if as_json:
        print_json(record)
    else:
        print_table(figures_table(rows))
    _end(rows)


def components_(
    patterns: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATTERN]...", help="only components with one of these in the name"
        ),
    ] = None,
    device: DeviceOption = "virtex",
    designs: Annotated[
        list[str] | None,
        typer.Option(
            "--design",
            metavar="DESIGN",
            help="show it beside the sum of its parts; '*' and '?' stand for any letters",
            autocompletion=CORES_COMPLETED,
        ),
    ] = None,
    seeds: SeedsOption = 1,
    recipe: Annotated[
        str,
        typer.Option(metavar="NAME", help="mapping recipe", autocompletion=recipes_completed),
    ] = "default",
    jobs: JobsOption = JOBS,
    timeout: TimeoutOption = implement.DEFAULT_TIMEOUT,
    only_list: Annotated[bool, typer.Option("--list", help="name them, measure nothing")] = False,
    ceiling: Annotated[
        bool,
        typer.Option("--ceiling", help="instead plain registers: what fabric and harness allow"),
    ] = False,
    force: RemeasureOption = False,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure every component alone, at every register level (standaert2003, section 4)."""
    from aesfab.measure import components

    target = devices.find(device)
    target.recipe(recipe)
    if ceiling and (patterns or designs):
        raise AesfabError("--ceiling goes without components and designs")
    chosen: list[components.Component] = list(components.ceiling())
    if not ceiling:
        # A design alone needs its own parts only.
        chosen = components.matching(patterns or []) if patterns or not designs else []
    whole_names = designs or ([] if patterns or ceiling else _STUDIED)
    wholes = _wholes(whole_names)
    needed = dict.fromkeys(chosen) | {c: None for n in wholes for c in components.parts(n)}
    if only_list:
        labels = [component.label for component in (needed if designs else chosen)]
        if as_json:
            print_json(labels)
            return
        for label in labels:
            print(label)
        return
    places = records.places("components", one(records_file))
    records.require_place(places[-1])
    extras.require("measure")
    numbers = range(1, seeds + 1)
    done = []
    with Bars() as bars:
        for number, component in enumerate(needed):
            bars.step(f"components on {target.name}", number, len(needed))
            identity = components.identity(component, target, [recipe], numbers)

            def measure(
                component: components.Component = component, identity: records.Record = identity
            ) -> records.Record:
                return components.measure(
                    component, target, [recipe], numbers, lambda _: None, timeout, jobs, identity
                )

            record = records.cached(places, identity, measure, force=force)
            done.append((component, record))
        bars.step(f"components on {target.name}", len(needed), len(needed))
    if as_json:
        print_json([record for _, record in done])
    else:
        # What this call did not measure may be recorded; what it did comes last and counts.
        known = [*records.every(places), *(record for _, record in done)]
        _print_components(done, known, target, wholes)
    bad = [(c, record) for c, record in done if record["status"] != implement.OK]
    for component, record in bad:
        _say_bad(component.label, record)
    # That a component does not fit is a figure as well, as for aesfab explore.
    if any(record["status"] != "does not fit" for _, record in bad):
        raise SystemExit(1)


_STUDIED = ("standaert-sequential-52", "standaert-pipeline-42")


def _wholes(names: Sequence[str]) -> list[Named]:
    """The designs of names and patterns, each once; AesfabError for one that none has."""
    found: dict[str, Named] = {}
    for name in names:
        require_pattern(name)
        matching = fnmatch.filter(catalogue.CATALOGUE, name)
        # A name that is none is refused with what comes near it.
        found |= {each: find_core(each) for each in matching or [name]}
    return list(found.values())


def _delay(record: records.Record) -> str:
    """The delay of a component; of one that the harness is slower than, that it is less."""
    delay = rounded(record.get("delay_ns"), 2)
    return f"< {delay}" if record.get("harness_limited") else delay


def _print_components(
    done: Sequence[tuple[components.Component, records.Record]],
    known: Sequence[records.Record],
    target: devices.Device,
    wholes: Sequence[Named],
) -> None:
    """What was measured, beside the paper's tables and the designs made of it.

    Args:
        done: the components of this call.
        known: every record of components, the newest last.
        target: the device.
        wholes: the designs.
    """
    from aesfab.measure import components

    numbers = ("LUT", "FF", "RAM", "LUT/FF", "levels", "delay ns")
    table = new_table("component", *numbers, "", right=numbers)
    for component, record in done:
        table.add_row(
            component.label,
            *(rounded(record.get(name), 0) for name in ("lut", "ff", "ram")),
            rounded(components.ratio(record), 2),
            rounded(record.get("lut_levels"), 0),
            _delay(record),
            "; ".join(components.marks(record)),
        )
    print_table(table)
    if all(isinstance(component, components.Registers) for component, _ in done):
        return
    print(f"\nstandaert2003, Tables 1 to 3 (Virtex), beside {target.name}:\n")
    columns = ("LUT", "FF", "LUT/FF", "path ns",
               "our LUT", "our FF", "our LUT/FF", "levels", "our delay ns")  # fmt: skip
    table = new_table("part", "place", *columns, right=columns)
    measured = components.Measured.of(known)
    for row, component in components.of_paper():
        ours = measured.smallest(component, target.name) or {}
        table.add_row(
            row.system, row.where,
            rounded(row.lut, 0), rounded(row.ff, 0),
            rounded(row.lut / row.ff if row.lut and row.ff else None, 2), rounded(row.path_ns, 1),
            rounded(ours.get("lut"), 0), rounded(ours.get("ff"), 0),
            rounded(components.ratio(ours) if ours else None, 2),
            rounded(ours.get("lut_levels"), 0), _delay(ours),
        )  # fmt: skip
    print_table(table)
    designs = study.Study(records.known("implement"))
    for whole in wholes:
        print(f"\n{whole.name} and its parts on {target.name}:\n")
        heads = ("number", "LUT", "FF", "RAM")
        table = new_table("part", *heads, right=heads)
        own_record = designs.record(in_words(whole.name, whole.overrides), target.name)
        sum_up = components.assembly(whole, target.name, known, own_record)
        for component, count, part in sum_up.parts:
            areas = [rounded((part or {}).get(name), 0) for name in _AREA]
            table.add_row(component.label, str(count), *areas)
        table.add_row("sum", "", *(rounded(sum_up.total(name), 0) for name in _AREA))
        whole_record = sum_up.assembled or {}
        table.add_row("assembled", "", *(rounded(whole_record.get(name), 0) for name in _AREA))
        table.add_row("cost of assembly", "", *(rounded(sum_up.cost(name), 0) for name in _AREA))
        print_table(table)
        if not sum_up.assembled:
            print(f"not measured: aesfab implement {whole.name} --device {target.name}")


_AREA = ("lut", "ff", "ram")
