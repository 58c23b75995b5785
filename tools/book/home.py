# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The first page of the site."""

from __future__ import annotations

from pathlib import Path

import front
from aesfab import records
from book import drawings, travel

ROOT = Path(__file__).resolve().parents[2]


def page() -> str:
    """What AESFab is, which core for which need, and where to go on."""
    results = ROOT / "results"
    known = front.points(
        records.read(results / "implement.jsonl"), records.read(results / "verify.jsonl")
    )
    plots = "".join(
        f'<div class="only-{theme}">{travel.bare(path.read_text(encoding="utf-8"))}</div>'
        for theme, path in front.PICTURES.items()
    )
    flow = travel.inline((drawings.FOLDER / "program.svg").read_text(encoding="utf-8"))
    return f"""# AESFab

**AESFab generates AES cores for FPGAs, verifies each of them, and measures them all in one open
flow.**

<div class="wide">{flow}</div>

Each core comes as a folder that works without AESFab: RTL, testbench, constraints, scripts and a
data sheet. Its evidence and its figures come with it. [Quick start](quick-start.md) makes the first
core in five minutes.

## Which core do I need?

{front.which_core(known, linked="designs/")}
Each row is the best recorded point for its need, and its RTL has passed the full verification. LUT,
slices or cells are those of the core alone. MHz is the median of the place-and-route seeds.
For a need of your own there is `aesfab choose` ([Choosing](choosing.md)).
[Every design](designs/index.md) has a page.

## All of them

<div class="wide">{plots}</div>

AES-128 encryption on an ECP5-85, placed and routed by the same tools in the same harness.

## Where to go on

| you want | read |
|---|---|
| a core on an ECP5 board | [ECP5 board in plain Verilog](tutorials/ecp5-board.md) |
| a core in a Vivado project | [Vivado](tutorials/vivado.md) |
| a core behind AXI4-Stream, or GCM | [Engines](engines.md) |
| to understand a pipeline | [A first pipeline](tutorials/first-pipeline.md) |
| to see a block travel | [How a pipelined core works](theory/pipelined.md) |
| figures for a paper | [From a paper to a plot](tutorials/paper-to-plot.md) |
| to know what was proved | [Verification](verification.md), [Security](security.md) |
| to change something | [Your first change](first-change.md) |
"""
