# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Write ``results/boards.jsonl``: what ``aesfab board build --simulate`` gives for every board.

Each board gets the design that is chosen where none is named, with five seeds, and it is simulated.
A line is kept while all that the build takes is as it was: a run that was stopped goes on. The page
of boards prints them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pages
from aesfab.board import boards, build
from aesfab.board.boards import Board
from aesfab.board.simulation import exercise
from aesfab.errors import AesfabError
from aesfab.system import files

FILE = Path(__file__).parents[1] / "results" / "boards.jsonl"
_BESIDE = ("why", "bitstream", "loader")
"""Of a report, what says nothing of the board that its choice does not say."""


def known() -> dict[str, dict[str, Any]]:
    """Board to the record of it."""
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    return {record["board"]: record for record in map(json.loads, lines)}


def is_current(record: Mapping[str, Any], board: Board) -> bool:
    """Whether a record is of a board, its design and the tools as they are."""
    return bool(record["follows_from"] == build.follows_from(board, build.choose(board)))


def _measure(board: Board) -> dict[str, Any]:
    choice = build.choose(board)
    built = build.build(board, choice, _say)
    report = {name: each for name, each in built.report().items() if name not in _BESIDE}
    outcome = exercise.of_build(built)
    follows_from = build.follows_from(board, choice)
    return {**report, "simulated": outcome.to_json(), "follows_from": follows_from}


def _say(line: str) -> None:
    print(line, file=sys.stderr)


_KINDS = {
    "ice40": ("ICESTORM_LC", "", "ICESTORM_RAM"),
    "ecp5": ("TRELLIS_COMB", "TRELLIS_FF", "DP16KD"),
    "himbaechel-gowin": ("LUT4", "DFF", "BSRAM"),
}
"""Which nextpnr to what it counts: cells of logic, flip-flops (in these cells on iCE40), RAM."""
_HEAD = ("board", "design", "logic cells", "flip-flops", "block RAM", "slowest seed, MHz",
         "needed, MHz", "blocks a second", "simulated")  # fmt: skip


def table() -> str:
    """The records as Markdown."""
    shipped, rows = boards.shipped(), []
    for name, record in sorted(known().items()):
        logic, flip_flops, ram = _KINDS[shipped[name].device.nextpnr]
        cells, simulated = record["cells"], record["simulated"]
        used, there = cells[logic]
        rows.append([
            f"`{name}`",
            f"`{record['design']}`",
            f"{used:,} of {there:,}",
            f"{cells[flip_flops][0]:,}" if flip_flops else "in the cells",
            str(cells.get(ram, (0, 0))[0]),
            f"{record['fmax_min_mhz']:.1f}",
            f"{record['needed_mhz']:g}",
            f"{simulated['blocks_per_second']:,}",
            simulated["level"],
        ])  # fmt: skip
    return "\n".join(pages.table(_HEAD, rows)) + "\n"


def main() -> int:
    """Build and simulate what is missing; status 1 where a board fails, when all were tried."""
    records, failed = known(), 0
    for name, board in boards.shipped().items():
        if name in records and is_current(records[name], board):
            continue
        try:
            records[name] = _measure(board)
        except AesfabError as error:
            failed = 1
            records.pop(name, None)
            _say(f"{name}: {error}")
        lines = [f"{json.dumps(record)}\n" for _, record in sorted(records.items())]
        with files.whole_file(FILE) as file:
            file.write("".join(lines).encode())
    return failed


if __name__ == "__main__":
    sys.exit(main())
