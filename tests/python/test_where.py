# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Readers find what they look for in three files: README, the page of places, and the answer."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path

import pytest

import front
import where
from aesfab import records
from aesfab.design import catalogue
from aesfab.hdl import rtl
from aesfab.measure import components
from aesfab.study import published
from conftest import Cli

ROOT = Path(__file__).parents[2]
MOST_HOPS = 2
"""Links from README to an answer: three files are opened at most."""


@functools.cache
def _answers() -> list[where.Answer]:
    measured = records.read(ROOT / "results" / "implement.jsonl")
    return where.answers(front.points(measured, records.read(ROOT / "results" / "verify.jsonl")))


def _links(page: Path) -> set[tuple[Path, str]]:
    """Files of the repository that a page links, with their anchors; without one the whole file."""
    found = set()
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if not re.match(r"https?://", link):
            name, _, anchor = link.partition("#")
            target = Path(os.path.normpath(page.parent / name)) if name else page
            found |= {(target, anchor), (target, "")}
    return found


@functools.cache
def _hops() -> dict[tuple[Path, str], int]:
    """Files and anchors that links lead to from README, with the number of links."""
    start = ROOT / "README.md"
    found = {(start, ""): 0}
    found |= {(start, anchor): 0 for anchor in _anchors(start)}
    pages = {start}
    for hop in range(1, MOST_HOPS + 1):
        for page in list(pages):
            for place in _links(page):
                found.setdefault(place, hop)
        pages |= {path for path, _ in found if path.suffix == ".md"}
    return found


def _anchors(page: Path) -> dict[str, str]:
    """Anchors of a page to what stands below their headings."""
    parts = re.split(r"^#+ (.*)$", page.read_text(), flags=re.MULTILINE)[1:]
    titles = [re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in parts[::2]]
    # A heading of a level below belongs to what stands above it.
    return {title: "".join(parts[2 * n + 1 :]) for n, title in enumerate(titles)}


def test_there_are_ten_questions() -> None:
    assert len(_answers()) == len({each.question for each in _answers()}) == 10
    text = where.PAGE.read_text()
    for each in _answers():
        assert f"| {each.question} | " in text


@pytest.mark.parametrize("number", range(10))
def test_an_answer_is_two_links_from_readme(number: int) -> None:
    each = _answers()[number]
    for place in each.places:
        assert _hops().get((place.path, place.anchor), MOST_HOPS + 1) <= MOST_HOPS, place.link
        text = place.path.read_text()
        if place.anchor:
            text = _anchors(place.path)[place.anchor]
        assert place.says in text, place.link


def test_the_pages_where_one_begins_lead_there() -> None:
    for page in ("README.md", "CONTRIBUTING.md", "docs/index.md"):
        assert (where.PAGE, "") in _links(ROOT / page), page


def test_every_circuit_of_a_paper_has_its_core() -> None:
    rows = where.circuits()
    of_papers = [n for n in catalogue.CATALOGUE.values() if n.paper in published.of_catalogue()]
    assert sum(number for *_, number, _ in rows) == len(of_papers)
    text = where.PAGE.read_text()
    for paper, section, first, _, core in rows:
        (line,) = [line for line in text.splitlines() if f"| `{first}`" in line]
        assert line.startswith(f"| `{paper}` | {section} | ")
        assert os.path.relpath(rtl.file(core), where.PAGE.parent) in line
        alike = [n for n in of_papers if (n.paper, n.section) == (paper, section)]
        # The last one of a row is elaborated too: what the table takes as alike is.
        assert components.core(alike[-1]).stem in {
            core for p, s, *_, core in rows if (p, s) == (paper, section)
        }


def test_show_names_the_core_and_its_file(aesfab: Cli) -> None:
    for name, core in (
        ("standaert-ram-compact-21", "aes_core_interleaved"),
        ("fab-byte", "aes_core_narrow_serial"),
    ):
        place = rtl.file(core).relative_to(rtl.folder())
        shown = aesfab("show", name).stdout.splitlines()
        assert f"core rtl/{place.as_posix()}" in shown
