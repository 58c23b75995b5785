# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""``aesfab choose``: from a need to a core or an engine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from aesfab import extras, records
from aesfab.choosing import evaluate, settle
from aesfab.choosing.answer import Answer, choose, commands, notes, slack
from aesfab.choosing.candidates import AnyCandidate
from aesfab.choosing.need import DIRECTIONS, KEYS, MODES, OPTIMISE, Need, parse
from aesfab.cli.options import (
    JOBS,
    JobsOption,
    JsonOption,
    RecordsOption,
    SeedsOption,
    TimeoutOption,
    completed,
    one,
    read,
    refuse_given,
)
from aesfab.cli.output import Bars, new_table, print_json, print_table, rounded
from aesfab.devices import DEVICES
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.measure import implement

_MOST_ROWS = 25
_MOST_NEEDS = 100_000
_MOST_RUNS = 100


def _text(option: str, help_: str, metavar: str, known: Iterable[str] = ()) -> Any:
    return typer.Option(option, metavar=metavar, help=help_, autocompletion=completed(known))


def choose_(
    context: typer.Context,
    device: Annotated[str | None, _text("--device", "see 'aesfab devices'", "DEV", DEVICES)] = None,
    devices: Annotated[
        str | None, _text("--devices", "several: 'ecp5-*,ice40-*'", "PATTERNS")
    ] = None,
    mbit: Annotated[
        str | None, _text("--mbit", "throughput: 500, 500M, '500 Mbit/s', 0.5G", "RATE")
    ] = None,
    key: Annotated[str, _text("--key", ", ".join(KEYS), "BITS", KEYS)] = KEYS[0],
    direction: Annotated[
        str, _text("--direction", ", ".join(DIRECTIONS), "WORD", DIRECTIONS)
    ] = DIRECTIONS[0],
    mode: Annotated[str | None, _text("--mode", ", ".join(MODES), "MODE", MODES)] = None,
    chained: Annotated[
        bool, typer.Option("--chained", help="each block waits for the result before it")
    ] = False,
    max_lut: Annotated[str | None, _text("--max-lut", "LUTs at most", "N")] = None,
    max_cells: Annotated[
        str | None, _text("--max-cells", "slices or logic cells at most", "N")
    ] = None,
    max_ram: Annotated[str | None, _text("--max-ram", "block RAMs at most", "N")] = None,
    clock: Annotated[
        str | None,
        _text("--clock", "the clock it runs at, which the slowest seed must reach", "MHZ"),
    ] = None,
    latency_ns: Annotated[
        str | None, _text("--latency-ns", "from a block to its result, at most", "NS")
    ] = None,
    key_agile: Annotated[
        bool, typer.Option("--key-agile", help="the key may change with every block")
    ] = False,
    hardened: Annotated[
        bool, typer.Option("--hardened", help="a fault of the control gives no wrong result")
    ] = False,
    clear: Annotated[
        bool, typer.Option("--clear", help="a port overwrites keys and blocks")
    ] = False,
    open_output: Annotated[
        bool,
        typer.Option("--open-output", help="cores too whose output shows states between results"),
    ] = False,
    packet: Annotated[
        str | None,
        _text("--packet", "an engine, and packets, sectors or messages of so many bytes", "BYTES"),
    ] = None,
    streams: Annotated[
        str | None,
        _text("--streams", "an engine of cbc, cfb, ofb, cmac for so many streams at least", "N"),
    ] = None,
    optimise: Annotated[
        str | None,
        _text(
            "--optimise",
            f"{', '.join(OPTIMISE)}; as the need suggests if not said",
            "WORD",
            OPTIMISE,
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="candidates, and what each fails by")
    ] = False,
    measured: Annotated[
        int,
        typer.Option(
            "--measure",
            min=0,
            max=_MOST_RUNS,
            metavar="N",
            help="settle the answer: measure up to N estimates that may be the best, and record",
        ),
    ] = 0,
    seeds: SeedsOption = 5,
    jobs: JobsOption = JOBS,
    timeout: TimeoutOption = implement.DEFAULT_TIMEOUT,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="write the folder of the best one"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="write into a folder that is not empty")
    ] = False,
    evaluations: Annotated[
        int | None, typer.Option("--evaluate", min=1, max=_MOST_NEEDS, hidden=True, metavar="N")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", hidden=True)] = 1,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a need with the best core or engine that is known, and with how to make it.

    With --packet or --streams the answer is an engine.

    Status 1 where nothing meets the need; then the nearest need that can be met is said.
    """
    if evaluations is not None:
        every = read("implement", records_file, implement.require_records)
        found = evaluate.both(every, evaluations, seed)
        if as_json:
            print_json({name: each.to_json() for name, each in found.items()})
        else:
            print(evaluate.table(found))
            if explain:
                print(f"\n{evaluate.causes(found)}")
        return
    need = parse(
        {
            "device": device, "devices": devices, "mbit": mbit, "key": key,
            "direction": direction, "mode": mode, "chained": chained, "max_lut": max_lut,
            "max_cells": max_cells, "max_ram": max_ram, "clock": clock,
            "latency_ns": latency_ns, "key_agile": key_agile, "packet": packet,
            "streams": streams,
            "hardened": hardened, "clear": clear, "open_output": open_output,
            "optimise": optimise,
        }
    )  # fmt: skip
    if force and output is None:
        raise AesfabError("--force goes with -o DIR")
    if output is not None:
        generate.require_free(output, force)

    def known() -> list[records.Record]:
        return read("implement", records_file, implement.require_records)

    if not measured:
        refuse_given(context, "choose without --measure", "seeds", "jobs", "timeout")
        answer = choose(need, known())
    else:
        extras.require("measure")
        places = records.places("implement", one(records_file))
        with Bars() as bars:
            answer = settle.settle(
                need, known, places, measured, range(1, seeds + 1), bars.line, timeout, jobs
            )
    if as_json:
        print_json(answer.to_json())
    else:
        _print(answer, explain)
    if answer.best is None:
        raise SystemExit(1)
    if output is not None:
        folder = answer.best.folder(answer.readme())
        with Bars() as bars:
            files = folder.write(output, force, bars.line)
        if not as_json:
            print(f"\nwritten: {output} ({len(files)} files)")


def _print(answer: Answer, explain: bool) -> None:
    need = answer.need
    if answer.best is None:
        print(f"no {'engine' if need.engine else 'core'} that is known meets this need")
        for line in answer.binding:
            print(f"  what binds: {line}")
        if answer.nearest:
            nearest, each = answer.nearest
            print(f"\nthe nearest need that can be met:\n  {nearest.command()}\n")
            _print_one(each, nearest)
        elif answer.rows:
            row = answer.rows[0]
            print(f"  the nearest: {row.candidate.words} on {row.candidate.device}, {row.fails}")
    else:
        _print_one(answer.best, need)
        if answer.first:
            print(f"  {answer.first}")
        print(f"  evidence: {answer.evidence}")
        for line in answer.binding:
            print(f"  what binds: {line}")
        if answer.found[1:]:
            print("\nnear it, each better in another figure:\n")
            _print_table([(each, "") for each in answer.found[1:]], need, "")
    for remark in answer.remarks:
        print(f"\n{remark}")
    if explain and answer.rows:
        shown = answer.rows[:_MOST_ROWS]
        print(f"\n{len(shown)} of {len(answer.rows)} candidates, the nearest first:\n")
        _print_table([(row.candidate, row.fails or "-") for row in shown], need, "fails by")


def _print_one(each: AnyCandidate, need: Need) -> None:
    has = each.figures(need)
    print(f"{each.words} on {each.device}, recipe {each.recipe} ({each.source})")
    said = [
        f"{has['lut']:,} LUTs", f"{has['cells']:,} {has['cell_unit']}s",
        f"{has['ram']} block RAMs",
    ]  # fmt: skip
    if has["fmax_mhz"] is not None:
        said.append(f"{has['fmax_mhz']} MHz (slowest seed {has['fmax_min_mhz']})")
        said += [f"{has['mbit_s']:,} Mbit/s", f"{has['latency_ns']} ns of latency"]
    print(f"  {', '.join(said)}")
    if left := slack(each, need):
        words = (f"{name} {value:+.0f} %" for name, value in left.items())
        print(f"  slack: {', '.join(words)}")
    for note in notes(each, need):
        print(f"  {note}")
    for command in commands(each).values():
        print(f"  {command}")


def _print_table(found: list[tuple[AnyCandidate, str]], need: Need, last: str) -> None:
    numbers = ("cells", "LUT", "RAM", "MHz", "Mbit/s", "ns")
    table = new_table("design", "device", "recipe", *numbers, "source", last, right=numbers)
    for each, why in found:
        has = each.figures(need)
        table.add_row(
            escape(each.words), each.device, each.recipe,
            *(f"{has[name]:,}" for name in ("cells", "lut", "ram")),
            *(rounded(has[name], 0) for name in ("fmax_mhz", "mbit_s", "latency_ns")),
            each.source, why,
        )  # fmt: skip
    print_table(table)
    units = {DEVICES[each.device].slice_unit for each, _ in found}
    print(f"\ncells: {', '.join(sorted(units))}")
