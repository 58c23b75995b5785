# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/host-link.md: the paper's figures beside the link model, from the model."""

from __future__ import annotations

from pathlib import Path

import pages
from aesfab.study.link import experiments

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "host-link.md"
BEGIN, END = "<!-- link model: written by make generated -->", "<!-- end of link model -->"

TABLES = (
    ("What a transaction costs, found by the calibration:", experiments.costs),
    ("The paper's figures, in Mbit/s:", experiments.figures),
    ("The raw rates by what they may count:", experiments.raw),
    ("Other readings of the machine, in Mbit/s:", experiments.readings),
    ("What the paper says of its system, in the model:", experiments.claim_rows),
)


def page() -> str:
    """docs/host-link.md with its tables as the model has them."""
    return pages.between(PAGE.read_text(), BEGIN, END, tables())


def tables() -> str:
    """Every table of the paper's machine that depends on nothing but the model, as Markdown."""
    lines = []
    for title, make in TABLES:
        rows = experiments.shown(make())
        head = [name.replace("_", " ") for name in rows[0]]
        body = [[str(value) for value in row.values()] for row in rows]
        lines += [title, "", *pages.table(head, body), ""]
    return "\n".join(lines)
