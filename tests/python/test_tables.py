# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The tables of papers fit a terminal, and say the same in every form."""

from __future__ import annotations

import csv
import io
import re

import pytest

from aesfab.cli import tables
from aesfab.cli.tables import Form
from aesfab.study import papers, published
from aesfab.study.papers import Line, PaperTable
from aesfab.study.study import Study
from conftest import Cli

LINE = Line(
    "a | b_c",
    True,
    "printed, Virtex",
    "",
    "x",
    {"lut": 10, "mhz": 20.5, "mbit_s": [1, 2], "ram_percent": 3},
    "100 % of it",
    {"mhz": "="},
)
OURS = Line("a | b_c", False, "ours, virtex (synthesis)", "virtex", "x", {"lut": 12}, "", {})
TABLE = PaperTable("pilchard", "table-1", "Table 1: made up", (LINE, OURS), "A note.")


@pytest.mark.parametrize("width", [60, 100, 160])
@pytest.mark.parametrize("paper", published.papers())
def test_fitted_tables_fit(
    paper: str, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every line of every table; no column is lost without a word."""
    shown = papers.reproduce(paper, Study([])).tables
    monkeypatch.setattr(tables, "_NO_TERMINAL", width)
    for table in shown:
        tables.print_paper_table(table, Form.FITTED)
        text = capsys.readouterr().out
        assert max(map(len, text.splitlines())) <= width, table.name
        flat = " ".join(text.split())
        for name in table.columns:
            assert papers.COLUMNS[name] in flat, (table.name, name)


def test_a_wide_terminal_shows_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tables.print_paper_table(TABLE, Form.FITTED)
    text = capsys.readouterr().out
    assert "a | b_c [1]" in text
    assert "[1] 100 % of it" in text
    assert "ours, virtex, mapped" in text
    assert "--wide" not in text
    monkeypatch.setattr(tables, "_NO_TERMINAL", 62)
    tables.print_paper_table(TABLE, Form.FITTED)
    assert "Columns by --wide: % of RAM." in capsys.readouterr().out
    tables.print_paper_table(TABLE, Form.WIDE)
    assert "% of RAM" in capsys.readouterr().out


def test_markdown() -> None:
    lines = tables.markdown(TABLE).splitlines()
    assert lines[0] == "### Table 1: made up"
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines if line.startswith("|")]
    assert len(rows) == 4
    assert len({len(row) for row in rows}) == 1
    assert [cell.strip() for cell in rows[2]] == [
        r"a \| b_c", "printed, Virtex", "10", "3", "= 20.50", "1 - 2", "100 % of it",
    ]  # fmt: skip
    assert lines[-1] == "A note."


def test_latex() -> None:
    text = tables.latex(TABLE)
    assert (
        r"a \textbar{} b\_c\textsuperscript{1} & printed, Virtex & 10 & 3 & = 20.50 & 1 - 2 \\"
        in text
    )
    assert r"\textsuperscript{1}~100 \% of it" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in rows} == {5}
    # No letter that LaTeX takes for something else is left bare.
    assert not re.search(r"(?<!\\)[%#_]", text)


def test_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(tables.csv_text([TABLE]))))
    printed, ours = rows
    assert printed["mbit_s"] == "1"
    assert printed["mbit_s_to"] == "2"
    assert (printed["mhz"], printed["mhz_sign"]) == ("20.5", "=")
    assert (ours["lut"], ours["mhz"], ours["printed"]) == ("12", "", "0")


def test_forms_of_the_command(aesfab: Cli) -> None:
    """The same lines in each form, which exclude each other."""
    done = aesfab("papers", "fischer2001", "--csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {row["paper"] for row in rows} == {"fischer2001"}
    for row in rows:
        for name in ("lut", "mhz", "mbit_s"):
            assert not row[name] or float(row[name]) >= 0
    markdown = aesfab("papers", "fischer2001", "--markdown").stdout
    systems = [line for line in markdown.splitlines() if re.match(r"\| (?!design)", line)]
    assert len(systems) == len(rows)
    assert aesfab("papers", "fischer2001", "--latex").stdout.count(r"\begin{tabular}") > 1
    refused = aesfab("papers", "--csv", "--wide")
    assert refused.returncode == 2
    assert refused.stderr == "aesfab: --wide and --csv exclude each other\n"


def test_derived_figures_follow_from_printed_ones() -> None:
    """A clock that the paper does not print, and no other, has the sign of a derived figure."""
    lines = [
        papers.printed_line(row)
        for paper in published.papers()
        for row in published.of_paper(paper, lambda row: row.kind == "core")
    ]
    derived = [line for line in lines if "=" in line.bounds.values()]
    assert len(derived) > 20
    for row in published.of_paper("kakarlapudi", lambda row: bool(row.design)):
        line = papers.printed_line(row)
        if row.fmax_mhz is None and "mhz" in line.figures:
            assert line.text("mhz").startswith("= ")
        if row.fmax_mhz is not None:
            assert line.figures["mhz"] == row.fmax_mhz
            assert "mhz" not in line.bounds
