# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The generated parts of docs/choosing.md: ten needs with their answers, and the evaluation."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from aesfab import cli, records
from aesfab.choosing import evaluate
from aesfab.choosing.answer import Answer, choose
from aesfab.choosing.candidates import ESTIMATE, RECORD, AnyCandidate
from aesfab.choosing.need import WORDS, Need

_ROWS = 4
_A = {RECORD: "a record", ESTIMATE: "an estimate"}
PAGE = Path(__file__).resolve().parents[1] / "docs" / "choosing.md"

NEEDS = (
    (
        "--device ecp5-25k --mbit 500 --key 256 --mode ctr",
        "CTR encrypts for both directions, and a block may start before the last one ends.",
        "500 Mbit/s are about 4 million blocks a second, so one round a clock is enough. S-boxes "
        "in block RAM then leave few slices, and this device has 56 block RAMs.",
    ),
    (
        "--device ecp5-25k --mbit 500M --key 256 --mode ctr --max-ram 0 --hardened",
        "The block RAMs belong to a frame buffer, and the attacker holds the device in his hand.",
        "Without block RAM the S-boxes are logic, and at this rate there are sixteen of them. "
        "The guard against faults is small beside them.",
    ),
    (
        "--device ecp5-85k --mbit 1G --mode cbc",
        "Files in CBC: each block waits for the one before it.",
        "Pipelines and several blocks in flight are of no use, so the clocks from block to result "
        "count. A round a clock with one more for the tables does it.",
    ),
    (
        "--device ecp5-85k --mbit 10G --mode gcm --max-ram 0",
        "10-Gbit Ethernet, and the memories are packet buffers.",
        "A block is due every 12.8 ns. So nearly every clock takes one, and all rounds are in "
        "hardware. As few register levels as reach that clock take the least.",
    ),
    (
        "--device ice40-hx8k --mbit 20 --max-ram 0 --optimise lut",
        "A sensor node with a slow radio, and other logic that fills the LUTs.",
        "A byte a clock is still four times too fast. One S-box does the blocks and the keys, and "
        "state and key go round in shift registers, which cost flip-flops and no LUTs.",
    ),
    (
        "--device ice40-hx8k --mbit '100 Mbit/s' --clock 48MHz",
        "The clock is that of the USB.",
        "At 48 MHz a block may take 61 clocks, so what is smallest at this clock counts, "
        "and how fast it could be does not.",
    ),
    (
        "--device ecp5-45k --key any --direction both --mode cbc --mbit 0.3G",
        "A VPN takes what the other side offers: all key sizes, both directions.",
        "Inverse S-boxes and all key schedules double a core of logic. Tables of both directions "
        "stand in the same block RAMs.",
    ),
    (
        "--device ecp5-85k --latency-ns 150 --optimise latency",
        "A memory is encrypted on its way, and the delay of one block is what hurts.",
        "The shortest round decides: S-boxes of wide multiplexers, no registers in the round, "
        "a block in eleven clocks. More rounds a clock gain nothing, for the clock falls.",
    ),
    (
        "--devices 'ecp5-*' --mbit 2G --key-agile --mode ctr",
        "Many channels, each block under the key of its own.",
        "A key expanded beforehand would stall each time, so the round keys are made with the "
        "block. Blocks of several channels share one loop.",
    ),
    (
        "--device ice40-hx8k --mbit 5G",
        "A link that is too fast for this device.",
        "All rounds in hardware do not fit its 7,680 cells, and one loop does a block in ten "
        "clocks. Two such cores, or a larger device, are what is left.",
    ),
)
"""Ten needs as the command line has them, with what they are for, and why an expert agrees."""


def words(line: str) -> dict[str, Any]:
    """The words of a need out of a command line, as the command itself reads them."""
    root: Any = typer.main.get_command(cli.app)
    command = root.commands["choose"]
    said: dict[str, Any] = command.make_context("choose", shlex.split(line)).params
    return {name: value for name, value in said.items() if name in WORDS}


def needs(known: Sequence[records.Record]) -> str:
    """The ten needs with their answers, as Markdown."""
    lines = []
    for number, (line, what_for, why) in enumerate(NEEDS, 1):
        answer = choose(words(line), known)
        lines += [f"{number}. {what_for}", "", "   ```", f"   aesfab choose {line}", "   ```", ""]
        each, need, word = answer.best, answer.need, "The answer is"
        if each is None:
            assert answer.nearest is not None
            need, each = answer.nearest
            word = "No core meets it. The nearest is"
        lines += [f"   - {word} {_core(each, need)}."]
        lines += [f"   - Next to it: {_core(other, need)}." for other in answer.found[1:2]]
        lines += [f"   - What binds: {bound}." for bound in answer.binding]
        lines += [f"   - Why: {why}", ""]
    lines += ["The first of them with `--explain`, as far as the first cores that fail:", ""]
    return "\n".join([*lines, *_explained(choose(words(NEEDS[0][0]), known)), ""])


def _core(each: AnyCandidate, need: Need) -> str:
    has = each.figures(need)
    return (
        f"`{each.words}` on {each.device} by {_A[each.source]}: {has['cells']:,} "
        f"{has['cell_unit']}s, {has['lut']:,} LUTs, {has['ram']} block RAMs, "
        f"{has['mbit_s']:,} Mbit/s, {has['latency_ns']} ns"
    )


def _explained(answer: Answer) -> list[str]:
    """The table of ``--explain``: the best rows, and the nearest of those that fail."""
    meets = [row for row in answer.rows if not row.fails][:_ROWS]
    fails = [row for row in answer.rows if row.fails][:_ROWS]
    lines = ["| design | cells | LUT | block RAM | MHz | Mbit/s | source | fails by |"]
    lines += ["|---" * 8 + "|"]
    for row in meets + fails:
        has = row.candidate.figures(answer.need)
        numbers = (has[name] for name in ("cells", "lut", "ram", "fmax_mhz", "mbit_s"))
        cells = " | ".join(f"{number:,}" for number in numbers)
        source, why = row.candidate.source, row.fails or "-"
        lines += [f"| `{row.candidate.words}` | {cells} | {source} | {why} |"]
    return lines


def evaluation(known: Sequence[records.Record]) -> str:
    """The figures of the evaluation, as Markdown."""
    return evaluate.table(evaluate.both(known, 1000, 1)) + "\n"
