# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page that says where things are: questions of readers, and the circuits of the papers.

Files are found by what stands in them (a module, a function), so the page follows a move. Each
answer says what must stand in its place; ``tests/python/test_where.py`` looks there.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import front
import pages
from aesfab import devices
from aesfab.design import catalogue, timing
from aesfab.design.axes import Interface
from aesfab.hdl import rtl
from aesfab.measure import components
from aesfab.study import published

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "where.md"


@dataclasses.dataclass(frozen=True)
class Place:
    """Where an answer stands.

    Attributes:
        path: the file.
        anchor: the heading, in a page.
        says: what must stand there.
    """

    path: Path
    says: str
    anchor: str = ""

    @property
    def link(self) -> str:
        """The place as a link of the page."""
        name = self.path.relative_to(ROOT).as_posix()
        anchor = f"#{self.anchor}" if self.anchor else ""
        return f"[{name}]({os.path.relpath(self.path, PAGE.parent)}{anchor})"


@dataclasses.dataclass(frozen=True)
class Answer:
    """A question of a reader, its answer in a sentence, and the files to open."""

    question: str
    text: str
    places: tuple[Place, ...]


def module(name: str, says: str = "") -> Place:
    """The file of a module or package of the RTL."""
    return Place(rtl.file(name), says or f"module {name}")


def source(thing: Any, says: str) -> Place:
    """The file of a module, class or function of the program."""
    found = inspect.getsourcefile(inspect.unwrap(thing) if callable(thing) else thing)
    assert found is not None
    return Place(Path(found).resolve(), says)


def page(name: str, anchor: str, says: str) -> Place:
    """A heading of a page."""
    return Place(ROOT / name, says, anchor)


def answers(known: Sequence[front.Point]) -> list[Answer]:
    """The questions with their answers; ``known`` are the points that answer needs."""
    (need,) = (each for each in front.NEEDS if each.text == "AES-256, fewest logic cells")
    smallest = front.answer(need, known)
    words = f"`{smallest.words}`" if smallest else "not measured"
    compact = catalogue.CATALOGUE["standaert-ram-compact-21"]
    return [
        Answer(
            "What do I change to add an S-box?",
            "Ten steps, with every file.",
            (page("CONTRIBUTING.md", "add-an-s-box", "`rtl/sbox/aes_sub_bytes.sv`: a b"),),
        ),
        Answer(
            "Is a core protected, and are keys erased?",
            "What all cores promise, what some axes add, and what none promises. The data sheet of "
            "a folder says it of its own core.",
            (page("SECURITY.md", "cores", "Erasure: keys and blocks are overwritten"),),
        ),
        Answer(
            "Which is the smallest AES-256 core for an iCE40 HX8K?",
            f"{words}. The table has the best core for each need. `aesfab choose` answers others.",
            (page("README.md", "which-core-do-i-need", "AES-256, fewest logic cells"),),
        ),
        Answer(
            "Where is the key expander of 192-bit keys?",
            "For stored keys one expander does all sizes. Keys that travel with their blocks are "
            "made by the steps of the package, or byte by byte.",
            (
                module("aes_key_expander"),
                module("aes_key_pkg", "KeySize192"),
                module("aes_key_bytes"),
            ),
        ),
        Answer(
            "Which file draws Fig. 9 of standaert2003?",
            f"It is `{compact.name}`. [The table below](#circuits-of-the-papers) has each circuit. "
            f"`aesfab show {compact.name}` draws it with its clocks.",
            (module(components.core(compact).stem),),
        ),
        Answer(
            "How do I add a device?",
            "One entry of a table, with its part, its tool and its recipes.",
            (
                page("CONTRIBUTING.md", "add-a-device", "part, package, speed"),
                source(devices.Device, "class Device"),
            ),
        ),
        Answer(
            "What does `out_block_o` show between results?",
            "The last result, zero, or inner states. It depends on the architecture and on some "
            "axes, which the page names.",
            (page("SECURITY.md", "promised", "Between results it holds the last one"),),
        ),
        Answer(
            "Where do I change the latency of a core?",
            "In the core, in `latency` of the package, and in that of the architecture, which "
            "`timing.realisation` chooses. A test compares them.",
            (
                module("aes_pkg", "function automatic int unsigned latency("),
                source(timing.realisation, "def realisation"),
            ),
        ),
        Answer(
            "How do I get a core for CTR at 1 Gbit/s?",
            "`aesfab choose --device ecp5-25k --mbit 1G --mode ctr -o core`",
            (page("docs/choosing.md", "what-a-need-says", "| `--mode` |"),),
        ),
        Answer(
            "How do I run what CI runs?",
            "`make test`. The script adds the packages of the system that some tests want.",
            (
                Place(ROOT / ".ci" / "run", "make test"),
                page("CONTRIBUTING.md", "what-runs-when", "| file | holds |"),
            ),
        ),
    ]


def questions_table(known: Sequence[front.Point]) -> str:
    """The questions, as Markdown."""
    rows = [
        (each.question, each.text, ", ".join(place.link for place in each.places))
        for each in answers(known)
    ]
    return "\n".join(pages.table(("question", "answer", "open"), rows)) + "\n"


_SAME_CORE = ("key_bits", "sbox", "key_sbox", "sbox_levels", "mix_levels")
"""Axes that leave a design of a paper in its core; ``test_where.py`` elaborates some of each."""


def circuits() -> list[tuple[str, str, str, int, str]]:
    """Paper, place in it, first design of that place and core, how many there are, the core."""
    found: dict[tuple[str, str, str], list[str]] = {}
    same: dict[tuple[str, ...], str] = {}
    for named in catalogue.CATALOGUE.values():
        if named.paper not in published.of_catalogue():
            continue
        design = named.design
        # Key sizes and S-boxes share a core: one of each other kind is elaborated.
        others = tuple(str(v) for axis, v in design.axes().items() if axis not in _SAME_CORE)
        kind = (named.paper, named.section, *others)
        if kind not in same:
            same[kind] = components.core(named).stem
        found.setdefault((named.paper, named.section, same[kind]), []).append(named.name)
    return [(*key[:2], names[0], len(names), key[2]) for key, names in found.items()]


def circuits_table() -> str:
    """The circuits of the papers, as Markdown."""
    rows = []
    for paper, section, first, number, name in circuits():
        more = f" and {number - 1} more" if number > 1 else ""
        files = [module(name).link]
        if catalogue.CATALOGUE[first].design.interface is Interface.WORDS:
            files.append(module("aes_words").link)
        rows.append((f"`{paper}`", section, f"`{first}`{more}", ", ".join(files)))
    return "\n".join(pages.table(("paper", "section and figure", "design", "core"), rows)) + "\n"
