# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Commands that measure many designs, and that look up what is recorded: explore, results."""

from __future__ import annotations

import collections
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

from aesfab import extras, records
from aesfab.cli.options import (
    JOBS,
    MOST_JOBS,
    JsonOption,
    RecordsOption,
    RemeasureOption,
    SeedsOrAreaOption,
    TimeoutOption,
    completed,
    one,
    recipes_completed,
    refuse_given,
    words_completed,
)
from aesfab.cli.output import Bars, Live, many, new_table, print_json, print_table
from aesfab.devices import DEVICES
from aesfab.errors import AesfabError
from aesfab.measure import clusters, explore, implement, plan, query


class _Watch(Live):
    """An exploration as one live line on a terminal, as a line for each record elsewhere."""

    def __init__(self) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("runs, {task.fields[facts]}"),
            TimeElapsedColumn(),
        )
        self._task = self._progress.add_task("exploring", total=None, facts="")
        self._lonely = False

    def __call__(self, status: explore.Status) -> None:
        if status.event:
            at = "" if self._live else f"[{status.records_done}/{status.records}] "
            self.line(at + status.event)
        if not status.workers and not self._lonely:
            self.line("waiting for workers")
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


def explore_(
    context: typer.Context,
    designs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DESIGN]... [AXIS=VALUE,...]...",
            help="names or patterns (quote them), of a plan these only; "
            "and values of axes to go through",
            autocompletion=words_completed,
        ),
    ] = None,
    device: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DEV",
            help="name or pattern, see 'aesfab devices'; of a plan these only",
            autocompletion=completed(DEVICES),
        ),
    ] = None,
    recipe: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="mapping recipe; a+b compares, 'all' every one",
            autocompletion=recipes_completed,
        ),
    ] = None,
    seeds: SeedsOrAreaOption = 5,
    seeds_large: Annotated[
        int | None,
        typer.Option(min=1, max=plan.MOST_SEEDS, help=f"the same from {plan.LARGE} LUTs on"),
    ] = None,
    plan_file: Annotated[
        Path | None, typer.Option("--plan", metavar="FILE", help="TOML file of what to explore")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be done")] = False,
    jobs: Annotated[
        int,
        typer.Option(min=1, max=MOST_JOBS, help="runs at a time; for --cluster, jobs of it"),
    ] = JOBS,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler to use")
    ] = None,
    cluster: Annotated[
        Path | None, typer.Option(metavar="FILE", help="start file of a batch cluster")
    ] = None,
    timeout: TimeoutOption = implement.DEFAULT_TIMEOUT,
    force: RemeasureOption = False,
    retry: Annotated[bool, typer.Option("--retry", help="measure again what failed")] = False,
    order: Annotated[
        plan.Order, typer.Option(help="which records come first")
    ] = plan.Order.LONGEST,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure designs x axes x devices x recipes; results are kept as they come.

    A native nextpnr of the same version is used where AESFAB_NEXTPNR names it: a folder, or a
    command before the program's name.
    """
    if scheduler is not None and cluster:
        raise AesfabError("--scheduler and --cluster exclude each other")
    words = designs or []
    if plan_file and (recipe or any("=" in word for word in words)):
        raise AesfabError("--plan goes without axes and recipes")
    if plan_file:
        refuse_given(context, "--plan", "seeds", "seeds_large")
        requests = plan.read_requests(plan_file)
    else:
        axes = [word.partition("=") for word in words if "=" in word]
        twice = collections.Counter(axis for axis, _, _ in axes).most_common(1)
        if twice and twice[0][1] > 1:
            raise AesfabError(f"{twice[0][0]} is given twice; its values go together: A,B")
        requests = [
            plan.Request(
                designs=tuple(word for word in words if "=" not in word),
                axes={axis: tuple(values.split(",")) for axis, _, values in axes},
                devices=tuple(device or []),
                recipes=tuple(recipe or ["default"]),
                seeds=plan.Seeds(seeds, seeds_large or seeds),
            )
        ]
    places = records.places("implement", one(records_file))
    path = places[-1]
    known = records.every(places, implement.require_records)
    if not dry_run:
        records.require_place(path)
    only = (device or [], words) if plan_file else ([], [])
    plan.check(requests, *only)
    extras.require(*(["cluster"] if cluster else ["measure"]))
    with Bars() as bars:
        what = plan.make(
            requests,
            known,
            force=force,
            retry=retry,
            devices=only[0],
            designs=only[1],
            progress=lambda done, total: bars.step("planning", done, total),
        )
    at_a_time = jobs * (clusters.runs_of_a_job(cluster) if cluster else 1)
    sizes, times = plan.Sizes(known), plan.Times()
    firsts = [first for first, *_ in plan.together(what.jobs)]
    seconds = max(
        sum(times.job(first, sizes) for first in firsts) / at_a_time,
        # No job is done before its synthesis and its longest run.
        max((times.shortest(first, sizes) for first in firsts), default=0.0),
    )
    facts = {
        "records": len(what.jobs),
        "earlier": what.earlier,
        "recorded": len(what.recorded),
        "impossible": len(what.impossible),
        "syntheses": what.syntheses,
        "placements": what.placements(sizes),
        "sizes_known": sum(sizes.known(job) for job in what.jobs),
        "seconds": round(seconds),
    }
    said = (
        f"{many(facts['records'], 'record')} to make from "
        f"{many(facts['syntheses'], 'synthesis', 'syntheses')} and "
        f"{many(facts['placements'], 'place-and-route run')}; "
        f"{facts['recorded']} recorded already, {facts['impossible']} that cannot be built"
    )
    if what.earlier:
        said += (
            f"\nrecorded with an earlier flow, and measured again: {what.earlier} of them; until "
            "then those figures are quoted"
        )
    if dry_run:
        if as_json:
            print_json({**facts, "jobs": [job.title for job in what.jobs]})
            return
        for job in what.jobs:
            print(job.title)
        for reason in what.impossible:
            print(f"cannot be built: {reason}")
        print(said)
        if not what.recorded:
            print(records.said("implement", one(records_file)))
        print(
            f"about {_duration(seconds)} with {many(at_a_time, 'run')} at a time "
            f"(the sizes of {facts['sizes_known']} of {facts['records']} are recorded)"
        )
        if cluster:
            print(f"\nEach job of the cluster:\n\n{clusters.job_script(cluster)}")
        return
    made: list[records.Record] = []
    if what.jobs:
        print(said, file=sys.stderr)
        if scheduler is not None:
            pool = clusters.connect(scheduler)
        elif cluster:
            pool = clusters.batch(cluster, jobs)
        else:
            pool = clusters.local(jobs)
        with pool as client, _Watch() as watch:
            explorer = explore.Explorer(
                what,
                path,
                client,
                known=known,
                timeout=timeout,
                watch=watch,
                fresh=force,
                order=order,
            )
            made = explorer.run()
    failed = sum(record["status"] in implement.TRANSIENT for record in made)
    if as_json:
        print_json(made)
    else:
        print(
            f"{path}: {many(len(made), 'new record')}, {failed} of them failed; "
            f"{len(what.recorded)} were there"
        )
    if failed:
        raise SystemExit(1)


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
        bool,
        typer.Option("--all", help="those of older RTL too, and older ones of one measurement"),
    ] = False,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Query the records of measurements; all columns go into a file unless you choose.

    Of the RTL as it is; --all for the rest.
    """
    words = conditions or []
    known = records.known(
        "implement", one(records_file), implement.require_records, query.asked(words), query.light()
    )
    rows, older = query.query(known, words, only_current=not every, every=every)
    rows = query.ordered(rows, sort.split(",") if sort else [])
    whole = output is not None or as_json
    chosen = query.columns(columns or ("all" if whole else ",".join(query.SHOWN)))
    if output:
        query.write(output, rows, chosen)
    if older:
        them = "it" if older == 1 else "them"
        said = f"{many(older, 'record')} of older RTL left out; --all shows {them}"
        print(f"aesfab: {said}", file=sys.stderr)
    if output:
        if as_json:
            print_json({"file": str(output), "rows": len(rows), "columns": chosen})
            return
        print(f"{output}: {many(len(rows), 'row')}, {many(len(chosen), 'column')}")
        return
    if as_json:
        print_json([{name: row[name] for name in chosen} for row in rows])
        return
    numbers = tuple(name for name in chosen if query.SCHEMA[name] is not str)
    if not rows:
        said = records.said("implement", one(records_file))
        print(f"no record is like that; {said}", file=sys.stderr)
    table = new_table(*chosen, right=numbers)
    for row in rows:
        table.add_row(*(escape(query.shown(row[name])) for name in chosen))
    print_table(table)
