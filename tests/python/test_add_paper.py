# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A paper is added as data: what CONTRIBUTING.md says under "Add a paper" is enough."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from aesfab import cli, records
from aesfab.errors import AesfabError
from aesfab.study import papers, published, report
from aesfab.study.study import Study
from made_up import record

PAPER = {"id": "doe2030", "title": "J. Doe: two cores", "source": "https://example.org/doe"}
SMALL = {
    "paper": "doe2030", "where": "Table 1", "system": "the small core", "kind": "core", "own": True,
    "design": "fab-narrow-both key_bits=128", "family": "Virtex", "direction": "both",
    "key_bits": 128, "slices": 300, "mbit_s": 100, "interval_cycles": 44, "note": "No bus.",
}  # fmt: skip
LARGE = {
    "paper": "doe2030", "where": "Table 2", "system": "the large core", "kind": "core", "own": True,
    "design": "fab-pipeline", "family": "a family of tomorrow", "lut": 9000, "mbit_s": 30000,
}  # fmt: skip
PART = {
    "paper": "doe2030", "where": "Table 2", "system": "one S-box", "kind": "component", "own": True,
    "component": "sbox", "lut": 40,
}  # fmt: skip

Add = Callable[..., None]


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Add]:
    """Writes papers and rows into a results folder of its own; the rest is the usual one."""
    usual = records.shipped_path

    def forget() -> None:
        published.papers.cache_clear()
        published.load.cache_clear()

    shipped = {kind: usual(kind) for kind in ("papers", "published")}

    def write(known: list[Any], rows: list[Any], *, to_others: bool = False) -> None:
        for kind, objects in (("papers", known), ("published", rows)):
            text = "".join(json.dumps(each) + "\n" for each in objects)
            others = shipped[kind] if to_others else None
            text = (others.read_text(encoding="utf-8") if others else "") + text
            (tmp_path / f"{kind}.jsonl").write_text(text, encoding="utf-8")
        forget()

    monkeypatch.setattr(
        records,
        "shipped_path",
        lambda kind: tmp_path / f"{kind}.jsonl" if kind in ("papers", "published") else usual(kind),
    )
    yield write
    forget()


def test_a_paper_is_data(add: Add, tmp_path: Path) -> None:
    """Tables, graphs, the command and the report come of two systems, without any code."""
    add([PAPER], [SMALL, LARGE, PART], to_others=True)
    made = [
        record("fab-narrow-both key_bits=128", "ecp5-85k", 50.0, lut=1800),
        record("fab-pipeline", "ecp5-85k", 300.0, lut=14000),
        record("fab-narrow-both key_bits=128", "virtex", lut=3000),
    ]
    result = papers.reproduce("doe2030", Study(made))
    by_name = {table.name: table for table in result.tables}
    assert list(by_name) == ["table-1-core", "table-2-core", "table-2-component"]
    small = by_name["table-1-core"].lines
    assert [line.source for line in small] == [
        "printed, Virtex", "ours, virtex (synthesis)", "ours, ecp5-85k (place and route)",
    ]  # fmt: skip
    # The clock follows from what is printed, as in every other table.
    assert small[0].figures["mhz"] == pytest.approx(100 * 44 / 128)
    assert [line.figures["lut"] for line in by_name["table-2-core"].lines] == [9000, 14000]
    assert [line.system for line in by_name["table-2-component"].lines] == ["one S-box"]
    # A graph of each figure that the paper prints; printed and ours are one category.
    (throughput, area) = result.charts
    assert throughput.name == "doe2030-mbit-s"
    assert area.name == "doe2030-slices"
    for chart in result.charts:
        systems = {row["system"] for row in chart.rows if row["series"].startswith("printed")}
        assert systems & {row["system"] for row in chart.rows if row["series"].startswith("ours")}
    assert result.verdicts == ()

    file = tmp_path / "implement.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in made))
    shown = CliRunner().invoke(cli.app, ["papers", "doe2030", "--wide", "--records", str(file)])
    assert shown.exit_code == 0, shown.output
    for words in ("J. Doe: two cores", "https://example.org/doe", "the large core", "No bus."):
        assert words in shown.output
    assert "Does it still hold?" not in shown.output

    page = report.build(report.Figures(Study(made[:1]))).html()
    assert "paper-doe2030" in page
    assert "the small core" in page


@pytest.mark.parametrize(
    ("known", "rows", "says"),
    [
        ([PAPER, PAPER], [], "papers.jsonl, line 2: paper doe2030 is there twice"),
        ([{"id": "doe2030"}], [], "line 1: .*title"),
        ([{**PAPER, "title": ""}], [], "line 1: id and title"),
        ([3], [], "line 1: not an object"),
        ([PAPER], [SMALL, {**LARGE, "paper": "roe2031"}], "line 2: unknown paper 'roe2031'"),
        ([PAPER], [{**SMALL, "kind": "cores"}], "line 1: unknown kind 'cores'; kinds are core,"),
        ([PAPER], [{**SMALL, "design": "fab-wide"}], "line 1: .*fab-wide"),
        ([PAPER], [{**SMALL, "design": "fab-tiny tbox=fixed"}], "line 1: illegal combination"),
    ],
)
def test_a_mistake_is_named_with_its_line(
    add: Add, known: list[Any], rows: list[Any], says: str
) -> None:
    add(known, rows)
    with pytest.raises(AesfabError, match=says):
        published.load() if rows else published.papers()


def test_papers_that_are_added_say_where_they_were_read() -> None:
    """Two areas and a throughput at least; a design that is only near says what differs."""
    for paper in published.papers().values():
        if paper.id in published.of_catalogue():
            continue
        assert paper.source.startswith("https://")
        rows = published.of_paper(paper.id, lambda row: row.own)
        areas = [v for row in rows for v in (row.slices, row.lut, row.le, row.ram_blocks)]
        assert sum(value is not None for value in areas) >= 2
        assert any(row.mbit_s for row in rows)
        assert all(row.note for row in rows if row.design)
