# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page of the published designs: what the papers print, what ours measure, every deviation.

Cycles, vectors and blocks are those of the committed evidence, areas those of the committed
records; what is printed comes from the shipped data. Nothing is typed by hand, and what is not
there is a dash.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import pages
from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.design.axes import Interface
from aesfab.design.catalogue import Named
from aesfab.study import papers, published
from aesfab.study.published import Printed
from aesfab.study.study import Study, fast_clock_factor, is_current

ROOT = Path(__file__).resolve().parents[1]
_HEAD = (
    "design",
    "where",
    "latency: printed",
    "measured",
    "clocks a block: printed",
    "asserted",
    "NIST vectors",
    "random blocks",
)
_AREA_HEAD = (
    "design",
    "printed for",
    "printed",
    "ours, synthesis for",
    "recipe",
    "LUT",
    "FF",
    "RAM",
    "slices",
)
_DASH = "-"

_INTRODUCTION = """\
# The published designs: printed, measured, and where they differ

Every system of the five papers is a design of the catalogue. This page sets its clocks beside the
printed ones, tells what was verified, gives the area after synthesis for the paper's own family,
or the nearest that open tools map for, beside the printed area, and lists every deviation from the
paper with its reason.

- *Measured* latencies, vectors and blocks are of `aesfab verify NAME` (`results/verify.jsonl`). The
  bench knows from the design in which clock it takes a block and asserts just that; *asserted* are
  the clocks a block, in the mean, that follow. Clocks for several key sizes stand as 128/192/256.
  Each of these verifications also has chains of 100 x 1,000 Monte Carlo encryptions (and
  decryptions).
- Areas are of `aesfab implement NAME --device FAMILY` (`results/implement.jsonl`): LUTs of the
  whole core, with those used as memory, flip-flops, RAM blocks; slices are an estimate, LUTs and
  flip-flops packed in pairs (in Virtex-5 also two functions in a LUT). Slices are those of the
  family: two pairs, in Virtex-5 four, and in Cyclone IV one, a logic element. RAM blocks of
  Cyclone IV are marked `<=`, for {ram_count}.
  Of several recipes the one with the fewest slices stands here where slices are printed, else the
  one with the fewest LUTs. So rows of two recipes are no comparison of their designs; conclusions
  of `aesfab papers` are by recipes that all of them have.
  A dash means that the paper, or our copy of it, gives no figure, or that ours is not recorded for
  the RTL as it is.
- qin2005 counts block periods, which are four, two or one clocks of our core: its printed figures
  are given in both. The clocks of the 32-bit interface variants (`-io32`) of kakarlapudi are the
  clock periods in its printed latencies, end to end.

`aesfab papers` computes every other column of the papers' tables, and judges their conclusions.
"""


def page() -> str:
    """The page, as Markdown."""
    evidence = records.read(ROOT / "results" / "verify.jsonl")
    study = Study(records.read(ROOT / "results" / "implement.jsonl"))
    lines = [_INTRODUCTION.format(ram_count=devices.DEVICES["cyclone-iv"].ram_count)]
    for paper in published.of_catalogue():
        designs = [named for named in catalogue.CATALOGUE.values() if named.paper == paper]
        lines.append(f"## {paper}: {published.papers()[paper].title}\n")
        lines += [*pages.table(_HEAD, (_cycles(named, evidence) for named in designs)), ""]
        areas = (row for named in designs for row in _areas(named, study))
        lines += [*pages.table(_AREA_HEAD, areas), ""]
        lines += _deviations(designs)
    return "\n".join(lines)


def _rows_of(named: Named) -> list[Printed]:
    return [row for row in published.load() if row.design == named.name and row.kind == "core"]


def _cycles(named: Named, evidence: list[records.Record]) -> list[str]:
    rows = _rows_of(named)
    known = [record for record in evidence if is_current(record, named)]
    record = records.latest(known, level="full")
    factor = fast_clock_factor(named.design)
    cells = [f"`{named.name}`", named.section]
    columns = ["latency_cycles", "interval_cycles"]
    if named.design.interface is Interface.WORDS:
        columns = ["periods", "periods"]
    printed = [
        _printed_clocks({getattr(row, column) for row in rows}, factor) for column in columns
    ]
    if record is None:
        return [*cells, printed[0], _DASH, printed[1], *[_DASH] * 3]
    latency = "/".join(str(clocks) for seen in record["latency_cycles"].values() for clocks in seen)
    interval = "/".join(str(named.design.interval_number(n)) for n in named.design.key_lengths)
    vectors = f"{record['vectors']}{'' if record['passed'] else ' FAILED'}"
    return [
        *cells, printed[0], latency, printed[1], interval, vectors, f"{record['random_blocks']:,}"
    ]  # fmt: skip


def _printed_clocks(values: set[Fraction | int | None], factor: int) -> str:
    clocks = sorted(value for value in values if value is not None)
    if factor == 1:
        return ", ".join(map(str, clocks)) or _DASH
    return ", ".join(f"{value} x {factor} = {value * factor}" for value in clocks) or _DASH


def _areas(named: Named, study: Study) -> list[list[str]]:
    lines: dict[str, list[str]] = {}
    in_slices = {row.family for row in _rows_of(named) if row.slices is not None}
    for row in _rows_of(named):
        printed = _printed_area(row)
        if row.family and (printed or row.family not in lines):
            lines[row.family] = [*lines.get(row.family, []), *([printed] if printed else [])]
    rows = []
    for family, printed_areas in lines.items():
        nearest = papers.FAMILY_DEVICES.get(family, ())
        device = next((d for d in nearest if study.record(named.name, d)), None)
        ours = [_DASH] * 5
        if device is not None:
            slices = study.figures_by_recipe(named.name, device, "slices")
            luts = study.figures_by_recipe(named.name, device, "lut")
            sizes = slices if family in in_slices and slices else luts
            recipe = min(sizes, key=lambda name: (sizes[name], luts[name]))
            record = study.by_recipe(named.name, device)[recipe]
            ours = [f"{record.get(column, _DASH)}" for column in ("recipe", "lut", "ff", "ram")]
            if record.get("ram") and devices.DEVICES[device].ram_count:
                ours[-1] = f"<= {ours[-1]}"
            ours.append(f"{slices[recipe]:.0f}" if recipe in slices else _DASH)
        areas = ", ".join(dict.fromkeys(printed_areas)) or _DASH
        rows.append([f"`{named.name}`", family, areas, device or _DASH, *ours])
    return rows


def _printed_area(row: Printed) -> str:
    units = {"lut": "LUT", "ff": "FF", "slices": "slices", "le": "LE", "ram_blocks": "RAM blocks"}
    known = [
        f"{getattr(row, column):,} {unit}"
        for column, unit in units.items()
        if getattr(row, column) is not None
    ]
    return " / ".join(known)


def _deviations(designs: list[Named]) -> list[str]:
    """The notes of the designs, each once, with the designs that it is for."""
    names: dict[str, list[str]] = {}
    for named in designs:
        for note in named.notes:
            names.setdefault(note, []).append(named.name)
    if not names:
        return []
    lines = ["Deviations and what the paper leaves open:", ""]
    for note, those in names.items():
        whose = "all" if len(those) == len(designs) else _short(those)
        lines.append(f"- {note} ({whose})")
    return [*lines, ""]


def _short(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) if len(names) <= 6 else f"{len(names)} designs"


if __name__ == "__main__":
    sys.stdout.write(page())
