# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""How throughput and area grow with the register levels of a round and the rounds in hardware.

``results/scaling.toml`` is the plan of the measurements; what is recorded of it is drawn. The knee
of a curve is where one more step gives no more throughput for each LUT, and what its record says
of the longest path is why.
"""

from __future__ import annotations

import collections
import dataclasses
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from aesfab.design import catalogue
from aesfab.design.axes import Rounds, SboxLevels, Tbox
from aesfab.design.design import Design
from aesfab.records import Record
from aesfab.study import charts, study
from aesfab.study.charts import Chart
from aesfab.study.study import Study

LEVELS = {
    base.partition(" ")[0]: tuple(f"{base} sbox_levels={each.value}" for each in SboxLevels)
    for base in ("fab-pipeline key_memory=auto", "fab-interleaved")
}
"""Base to the designs of its curve over register levels."""

ROUNDS = {
    "a part of a round": ("fab-tiny", "fab-narrow"),
    "whole rounds in a clock": tuple(f"fab-iterative-small rounds={each.value}" for each in Rounds),
    "rounds cut by registers": ("fab-interleaved", "fab-pipeline"),
    "S-boxes used in turn (block RAM)": ("qin-4sm", "qin-8sm", "qin-unrolling"),
    "the same column by column": ("fab-rolling", "fab-rolling lookups=2", "fab-pipeline-ram"),
}
"""Kind to the designs of its curve over rounds in hardware."""

NOTHING = "No curve is placed yet: aesfab explore --plan results/scaling.toml"
"""What stands in the place of the knees where there are no records."""


@dataclasses.dataclass(frozen=True)
class Point:
    """A measured point of a curve.

    Attributes:
        curve: base or kind.
        device: where it was measured.
        design: with its axes.
        levels: register levels of a round, S-boxes and MixColumns together.
        rounds: S-boxes of the data path as rounds: 16 are one.
        record: by recipes that all points of the curve are recorded with; where there are none,
            the fastest of those recorded, or the smallest where nothing is placed.
    """

    curve: str
    device: str
    design: str
    levels: int
    rounds: float
    record: Record

    @property
    def lut(self) -> int | None:
        """LUTs."""
        return self.record.get("lut")

    @property
    def mbit_s(self) -> float | None:
        """Throughput; None without place and route."""
        return self.record.get("throughput_mbit_s")

    @property
    def mhz(self) -> float | None:
        """Median clock."""
        return (self.record.get("fmax_mhz") or {}).get("median")

    @property
    def per_lut(self) -> float | None:
        """Mbit/s a LUT."""
        return self.mbit_s / self.lut if self.mbit_s and self.lut else None

    @property
    def path(self) -> tuple[float, float] | None:
        """Logic and routing of the longest path in ns, medians over the seeds."""
        known = study.paths(self.record)
        if not known:
            return None
        logic, routing = zip(*known, strict=True)
        return statistics.median(logic), statistics.median(routing)


def rounds_in_hardware(design: Design) -> float:
    """S-boxes (or T-boxes) of the data path, 16 of which are a round."""
    return dataclasses.replace(design, tbox=Tbox.NONE).data_sbox_count / 16


def points(curves: dict[str, tuple[str, ...]], measured: Study) -> list[Point]:
    """The points of some curves that are recorded, curve by curve and device by device."""
    return [
        point
        for curve, designs in curves.items()
        for device in measured.devices()
        for point in _curve(curve, device, designs, measured)
    ]


def _curve(curve: str, device: str, designs: Sequence[str], measured: Study) -> Iterator[Point]:
    """Its points on a device, so that they differ in the design alone where records allow it.

    Where all points are recorded with the same recipes, by these; else each by what is best for it.
    """
    known = {
        design: records
        for design in designs
        if design.split()[0] in catalogue.CATALOGUE
        and (records := [r for r in measured.every(design, device) if r.get("lut") is not None])
    }
    by_recipes: dict[tuple[str, ...], dict[str, Record]] = collections.defaultdict(dict)
    for design, records in known.items():
        for record in records:
            by_recipes[tuple(record.get("recipe_names", []))][design] = record
    shared = [records for records in by_recipes.values() if len(records) == len(known)]
    alike = max(shared, key=lambda records: sum(map(_speed, records.values())), default={})
    for design, records in known.items():
        best = alike.get(design) or max(records, key=lambda r: (_speed(r), -r["lut"]))
        point = study.find(design).design
        yield Point(curve, device, design, point.round_levels, rounds_in_hardware(point), best)


def _speed(record: Record) -> float:
    return record.get("throughput_mbit_s") or 0.0


def figures(measured: Study) -> list[Chart]:
    """The scaling figures; each has the points that are recorded."""
    levels, rounds = points(LEVELS, measured), points(ROUNDS, measured)
    return [
        _chart("levels-throughput", "throughput over the register levels of a round", levels,
               ("levels", "register levels of a round"), ("mbit_s", "Mbit/s"), log_y=True),
        _chart("levels-lut", "LUTs over the register levels of a round", levels,
               ("levels", "register levels of a round"), ("lut", "LUTs"), log_y=True),
        _chart("levels-per-lut", "throughput for each LUT over the register levels of a round",
               levels, ("levels", "register levels of a round"), ("per_lut", "Mbit/s a LUT")),
        _paths(levels),
        _chart("rounds-throughput", "throughput over the rounds in hardware", rounds,
               ("rounds", "rounds in hardware"), ("mbit_s", "Mbit/s"), log_y=True),
        _chart("rounds-lut", "LUTs over the rounds in hardware", rounds,
               ("rounds", "rounds in hardware"), ("lut", "LUTs"), log_y=True),
        _chart("rounds-per-lut", "throughput for each LUT over the rounds in hardware", rounds,
               ("rounds", "rounds in hardware"), ("per_lut", "Mbit/s a LUT")),
    ]  # fmt: skip


def _chart(
    name: str,
    title: str,
    known: Sequence[Point],
    x: tuple[str, str],
    y: tuple[str, str],
    *,
    log_y: bool = False,
) -> Chart:
    rows: list[dict[str, Any]] = [
        {
            "series": f"{point.curve}, {point.device}",
            "design": point.design,
            x[0]: getattr(point, x[0]),
            y[0]: value,
            "ff": point.record.get("ff"),
            "mhz": point.mhz,
        }
        for point in known
        if (value := getattr(point, y[0])) is not None
    ]
    columns = {"design": "design", "series": "curve", x[0]: x[1], y[0]: y[1], "ff": "FF",
               "mhz": "MHz"}  # fmt: skip
    return charts.lines(
        f"scaling-{name}", f"Scaling: {title}", rows, x, y, ("series", "curve"), columns,
        scale="ordinal" if x[0] == "levels" else "log", log_y=log_y,
    )  # fmt: skip


def _paths(known: Sequence[Point]) -> Chart:
    rows = [
        {"system": f"{point.design}, {point.device}", "part": part, "ns": round(ns, 2)}
        for point in known
        if point.path
        for part, ns in zip(("logic", "routing"), point.path, strict=True)
    ]
    return charts.bars(
        "scaling-levels-path", "Scaling: the longest path over the register levels of a round",
        rows, ("system", "design"), ("ns", "ns"), ("part", "part of the path"),
        {"system": "design", "part": "part", "ns": "ns"}, stacked=True,
    )  # fmt: skip


def knees(measured: Study) -> list[str]:
    """For every curve of levels that was placed: where its knee is, and why.

    The knee is the point of most Mbit/s for each LUT. What follows it costs registers and, by the
    longest path, gains little: that is told by the points on both sides.
    """
    known = [point for point in points(LEVELS, measured) if point.per_lut]
    said = []
    for curve, device in dict.fromkeys((point.curve, point.device) for point in known):
        here = [point for point in known if (point.curve, point.device) == (curve, device)]
        here.sort(key=lambda point: point.levels)
        said.append(_knee(curve, device, here))
    return said


def _knee(curve: str, device: str, here: Sequence[Point]) -> str:
    missing = [n for n in LEVELS[curve] if n not in {point.design for point in here}]
    if missing:
        return (
            f"{curve} on {device}: {len(here)} of {len(LEVELS[curve])} points are recorded; "
            f"missing: {', '.join(missing)} (aesfab explore --plan results/scaling.toml)"
        )
    at = max(range(len(here)), key=lambda number: here[number].per_lut or 0.0)
    best = here[at]
    text = (
        f"{curve} on {device}: most Mbit/s a LUT ({best.per_lut:.2f}) with {best.levels} register "
        f"levels a round, at {best.mhz:.0f} MHz"
    )
    if best.path:
        logic, routing = best.path
        text += f", {100 * routing / (logic + routing):.0f} % of the longest path in routing"
    for word, other in (("fewer", at - 1), ("more", at + 1)):
        if 0 <= other < len(here):
            text += f"; one level {word}: {_step(best, here[other])}"
    return text


def _step(best: Point, other: Point) -> str:
    """What changes from the knee to its neighbour."""
    mhz = 100 * ((other.mhz or 0) / (best.mhz or 1) - 1)
    lut = 100 * ((other.lut or 0) / (best.lut or 1) - 1)
    text = f"{mhz:+.0f} % clock, {lut:+.0f} % LUTs"
    if best.record.get("ff") and other.record.get("ff") is not None:
        text += f", {100 * (other.record['ff'] / best.record['ff'] - 1):+.0f} % flip-flops"
    depths = [point.record.get("lut_levels") for point in (best, other)]
    if None not in depths:
        text += f", {depths[0]} to {depths[1]} LUT levels in a clock"
    return text
