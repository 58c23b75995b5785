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
from aesfab.choosing.answer import choose
from aesfab.choosing.candidates import ESTIMATE, RECORD

_A = {RECORD: "a record", ESTIMATE: "an estimate"}
PAGE = Path(__file__).resolve().parents[1] / "docs" / "choosing.md"

NEEDS = (
    (
        "--device ecp5-25k --mbit 500 --key 256 --mode ctr",
        "CTR encrypts for both directions, so a small core with an iteration for each block is "
        "enough, and tables in block RAM save slices.",
    ),
    (
        "--device ecp5-25k --mbit 500M --key 256 --mode ctr --max-ram 0",
        "The block RAMs belong to a frame buffer, so the S-boxes are logic.",
    ),
    (
        "--device ecp5-85k --mbit 1G --mode cbc",
        "CBC encryption waits for each block, so a deep pipeline is of no use: a short latency is.",
    ),
    (
        "--device ecp5-85k --mbit 10G --mode gcm --max-ram 0",
        "10-Gbit Ethernet needs a block in almost every clock, or several cores.",
    ),
    (
        "--device ice40-hx8k --mbit 20 --max-ram 0 --optimise lut",
        "A sensor node with a slow radio: the fewest LUTs.",
    ),
    (
        "--device ice40-hx8k --mbit '100 Mbit/s' --clock 48MHz",
        "The clock is that of the USB, so what counts is clocks for a block.",
    ),
    (
        "--device ecp5-45k --key any --direction both --mode cbc --mbit 0.3G",
        "A VPN that takes all key sizes and both directions.",
    ),
    (
        "--device ecp5-85k --latency-ns 150 --optimise latency",
        "A memory is encrypted on its way: the delay of one block is what hurts.",
    ),
    (
        "--devices 'ecp5-*' --mbit 2G --key-agile --mode ctr",
        "Many channels, each block under the key of its own.",
    ),
    (
        "--device ice40-hx8k --mbit 5G",
        "More than this device can do with one core: the answer says what it can.",
    ),
)
"""Ten needs as the command line has them, each with why the answer is as it is."""


def words(line: str) -> dict[str, Any]:
    """The words of a need out of a command line, as the command itself reads them."""
    root: Any = typer.main.get_command(cli.app)
    command = root.commands["choose"]
    said: dict[str, Any] = command.make_context("choose", shlex.split(line)).params
    other = ("explain", "output", "force", "evaluations", "seed", "records_file", "as_json")
    return {name: value for name, value in said.items() if name not in other}


def needs(known: Sequence[records.Record]) -> str:
    """The ten needs with their answers, as Markdown."""
    lines = []
    for number, (line, why) in enumerate(NEEDS, 1):
        answer = choose(words(line), known)
        lines += [f"{number}. {why}", "", "   ```", f"   aesfab choose {line}", "   ```", ""]
        each, need, word = answer.best, answer.need, "The answer is"
        if each is None:
            assert answer.nearest is not None
            need, each = answer.nearest
            word = "No core meets it. The nearest is"
        has = each.figures(need)
        lines += [
            f"   {word} `{each.words}` on {each.device} by {_A[each.source]}: {has['cells']:,} "
            f"{has['cell_unit']}s, {has['lut']:,} LUTs, {has['ram']} block RAMs, "
            f"{has['mbit_s']:,} Mbit/s, {has['latency_ns']} ns.",
            "",
        ]
    return "\n".join(lines)


def evaluation(known: Sequence[records.Record]) -> str:
    """The figures of the evaluation, as Markdown."""
    return evaluate.table(evaluate.both(known, 1000, 1)) + "\n"
