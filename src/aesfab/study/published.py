# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures that papers print, each with its place; none of them is ours.

The papers are in ``results/papers.jsonl`` and their rows in ``results/published.jsonl``, one object
a line. A field that is missing there is missing
from the paper, or from the copies that we have (standaert2003 Tables 6 and 7, pilchard Table 7.1
and every drawing are lost): it is None here, and nothing fills it in.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from aesfab import records
from aesfab.design import catalogue
from aesfab.errors import AesfabError, unknown


@dataclasses.dataclass(frozen=True)
class Paper:
    """A paper that figures are printed in.

    Attributes:
        id: a short name, as the user types it.
        title: authors, title and place.
        source: address of the text that its figures were read in; empty for one of which we have
            copies.
        note: what must be known of that text, such as that it is the abstract alone.
    """

    id: str
    title: str
    source: str = ""
    note: str = ""


@functools.cache
def papers() -> dict[str, Paper]:
    """Every paper by its id, in the order of ``results/papers.jsonl``.

    AesfabError when the file is missing or broken.
    """
    found: dict[str, Paper] = {}
    for place, fields in _objects("papers"):
        try:
            paper = Paper(**fields)
        except TypeError as error:
            raise AesfabError(f"{place}: {error}") from error
        texts = (paper.id, paper.title, paper.source, paper.note)
        if not all(isinstance(text, str) for text in texts) or not (paper.id and paper.title):
            raise AesfabError(f"{place}: id and title must be texts, and not empty")
        if paper.id in found:
            raise AesfabError(f"{place}: paper {paper.id} is there twice")
        found[paper.id] = paper
    return found


def of_catalogue() -> list[str]:
    """The papers every system of which is a design of the catalogue."""
    named = {each.paper for each in catalogue.CATALOGUE.values()}
    return [paper for paper in papers() if paper in named]


KINDS = ("core", "component", "claim", "class", "host", "software")
"""What a row is: a whole core, a part of one, a sentence about a design that is not named, a range
for a group of designs, a core with its host, a program."""


@dataclasses.dataclass(frozen=True)
class Printed:
    """A row of a paper. Every figure is as printed, None where the paper gives none.

    Attributes:
        paper: id of the paper, see ``papers``.
        where: tables, figures or sections.
        system: what the row is about, in our words.
        kind: one of ``KINDS``.
        own: a result of the authors, not one that they cite.
        design: the design of our catalogue that builds it, or comes nearest; ``axis=value`` may
            stand behind its name.
        circuit: a name that rows of one circuit share, such as those in which papers cite one.
        component: for a component, which.
        device: as printed.
        family: family of the device.
        direction: ``encrypt``, ``decrypt`` or ``both``.
        key_bits: key size, or several as text.
        lut, ff, slices, le: area; ``le`` are logic elements of Altera.
        ram_blocks: RAM blocks of the device, for the data and the keys together.
        core_memory_bits, key_memory_bits: bits of memory for the data path and for the keys.
        latency_cycles: clocks, as the paper counts them.
        interval_cycles: clocks a block, as the paper counts them.
        fmax_mhz: clock after place and route; of the processor for a program.
        fmax_synthesis_mhz: clock after synthesis.
        path_ns: longest path after synthesis.
        mbit_s: throughput.
        latency_ns: latency.
        mbit_s_per_slice: throughput per area.
        mbit_s_per_kbit: throughput per 1024 bit of core memory.
        le_percent, ram_percent: share of the device.
        periods: clock periods in the printed latency, which has cycles of the interface in it.
        efficiency_factor: range of ``mbit_s_per_kbit``, as a multiple of the Helion core's.
        mbit_s_range: range of throughputs of a class.
        process_um: feature size of the device.
        note: what must be known to read the row.
    """

    paper: str
    where: str
    system: str
    kind: str
    own: bool
    design: str | None = None
    circuit: str | None = None
    component: str | None = None
    device: str | None = None
    family: str | None = None
    direction: str | None = None
    key_bits: int | str | None = None
    lut: int | None = None
    ff: int | None = None
    slices: int | None = None
    le: int | None = None
    ram_blocks: int | None = None
    core_memory_bits: int | None = None
    key_memory_bits: int | None = None
    latency_cycles: int | None = None
    interval_cycles: Fraction | None = None
    fmax_mhz: float | None = None
    fmax_synthesis_mhz: float | None = None
    path_ns: float | None = None
    mbit_s: float | None = None
    latency_ns: float | None = None
    mbit_s_per_slice: float | None = None
    mbit_s_per_kbit: float | None = None
    le_percent: int | None = None
    ram_percent: int | None = None
    periods: int | None = None
    efficiency_factor: tuple[float, float] | None = None
    mbit_s_range: tuple[float, float] | None = None
    process_um: str | None = None
    note: str = ""

    def figures(self) -> dict[str, Any]:
        """The printed figures by name, without those that are missing."""
        values = ((name, getattr(self, name)) for name in FIGURES)
        return {
            name: float(value) if isinstance(value, Fraction) else value
            for name, value in values
            if value is not None
        }


FIGURES = (
    "lut", "ff", "slices", "le", "ram_blocks", "core_memory_bits", "key_memory_bits",
    "latency_cycles", "interval_cycles", "fmax_mhz", "fmax_synthesis_mhz", "path_ns", "mbit_s",
    "latency_ns", "mbit_s_per_slice", "mbit_s_per_kbit", "le_percent", "ram_percent",
    "efficiency_factor", "mbit_s_range",
)  # fmt: skip
"""The fields of Printed that hold a figure."""


@functools.cache
def load() -> tuple[Printed, ...]:
    """Every row, in the order of the papers; AesfabError when the file is missing or broken."""
    return tuple(_rows())


def _objects(kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a file in ``results``, each with its place; AesfabError where one is none."""
    path = records.shipped_path(kind)
    if path is None or not path.is_file():
        raise AesfabError(f"{kind}.jsonl, of the papers, is missing from this installation")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{path}, line {number}"
        try:
            fields = json.loads(line)
        except ValueError as error:
            raise AesfabError(f"{place}: {error}") from error
        if not isinstance(fields, dict):
            raise AesfabError(f"{place}: not an object")
        yield place, fields


def _rows() -> Iterator[Printed]:
    for place, fields in _objects("published"):
        try:
            for name in ("efficiency_factor", "mbit_s_range"):
                if name in fields:
                    fields[name] = tuple(fields[name])
            if "interval_cycles" in fields:
                fields["interval_cycles"] = Fraction(fields["interval_cycles"])
            row = Printed(**fields)
        except (ValueError, TypeError) as error:
            raise AesfabError(f"{place}: {error}") from error
        if row.paper not in papers():
            raise AesfabError(f"{place}: unknown paper '{row.paper}'; papers.jsonl has the others")
        if row.kind not in KINDS:
            raise AesfabError(f"{place}: unknown kind '{row.kind}'; kinds are {', '.join(KINDS)}")
        _require_design(place, row)
        yield row


def _require_design(place: str, row: Printed) -> None:
    """AesfabError for a core of the authors whose design, or a value of its axes, is none."""
    if row.design is None or not row.own:
        return
    name, *overrides = row.design.split()
    try:
        catalogue.find(name, overrides).design.require_legal()
    except AesfabError as error:
        raise AesfabError(f"{place}: {error}") from error


def require_paper(paper: str) -> None:
    """AesfabError for an unknown paper."""
    if paper not in papers():
        raise unknown("paper", paper, papers())


def of_paper(paper: str, where: Callable[[Printed], bool] = lambda _: True) -> list[Printed]:
    """The rows of a paper that ``where`` takes; AesfabError for an unknown paper."""
    require_paper(paper)
    return [row for row in load() if row.paper == paper and where(row)]


def of_table(paper: str, *places: str) -> list[Printed]:
    """The rows of a paper that stand in one of ``places`` (``Table 4``, ``Sec. 6.2``), in order."""
    return of_paper(paper, lambda row: any(place in _places(row.where) for place in places))


def _places(where: str) -> list[str]:
    """The single places of "Tables 4 and 5" or "Table 1, Sec. 5.1"."""
    places: list[str] = []
    kind = ""
    for word in where.replace(" and ", ", ").split(", "):
        head, _, tail = word.rpartition(" ")
        kind = head.rstrip("s.").removesuffix("s") if head else kind
        places.append(f"{kind}{'.' if kind in ('Sec', 'Fig') else ''} {tail}")
    return places


def of_design(name: str) -> list[Printed]:
    """What the papers print of a design of our catalogue."""
    return [row for row in load() if row.design == name]


def same_circuit(row: Printed) -> list[Printed]:
    """What other papers, or other tables of the same one, print of the circuit of a row."""
    if row.circuit is None:
        return []
    return [each for each in load() if each.circuit == row.circuit and each is not row]


def implied_mbit_s(row: Printed) -> float | None:
    """128 bit x f / interval, from what a row prints; None where it prints too little."""
    if row.kind != "core" or row.fmax_mhz is None or row.interval_cycles is None:
        return None
    return float(128 * Fraction(row.fmax_mhz) / row.interval_cycles)


def implied_fmax_mhz(row: Printed) -> float | None:
    """The clock behind a printed throughput or latency; None where the row prints too little.

    A printed latency may have cycles of an interface in it (``periods``).
    """
    if row.kind != "core":
        return None
    if row.latency_ns is not None and row.periods is not None:
        return 1000 * row.periods / row.latency_ns
    if row.mbit_s is not None and row.interval_cycles is not None:
        return float(Fraction(row.mbit_s) * row.interval_cycles / 128)
    return None
