# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""README's first screen: which core for which need, and the picture of all cores, from records.

A need is a device, what a core must do there, and what is to be best. The answer is whichever
recorded point is best, of any recipe, so it changes with the records and nobody types it. A point
counts when its record is of the RTL as it is, a full verification of that RTL passed, and the core
expands its keys itself.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import vl_convert

import pages
from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.design.axes import Direction, Interface, KeyBits
from aesfab.design.catalogue import Named
from aesfab.errors import AesfabError
from aesfab.records import Record
from aesfab.study import charts, classes, study
from aesfab.study.study import Study

ROOT = Path(__file__).resolve().parents[1]
PICTURES = {
    theme: ROOT / "docs" / "pictures" / f"throughput-{theme}.svg" for theme in ("light", "dark")
}
DEVICE = "ecp5-85k"
"""Of the picture."""

TITLES = {"ecp5-85k": "ECP5-85", "ice40-hx8k": "iCE40 HX8K"}


@dataclasses.dataclass(frozen=True)
class Point:
    """A recorded point of the family on a device.

    Attributes:
        named: the design with its axes.
        record: of ``aesfab implement``, with a clock.
    """

    named: Named
    record: Record

    @property
    def words(self) -> str:
        """The design as ``aesfab generate`` takes it."""
        return self.named.words

    def figure(self, metric: str) -> float:
        """One of ``study.METRICS``; infinite where there is none."""
        value = study.METRICS[metric](self.record, self.named.design)
        return math.inf if value is None else float(value)


@dataclasses.dataclass(frozen=True)
class Need:
    """What somebody may want of a core.

    Attributes:
        text: the need, for the table.
        device: of the table of devices.
        serves: whether a point will do.
        best: what is to be as large as possible.
        first: whether it is one of those on the first screen.
    """

    text: str
    device: str
    serves: Callable[[Point], bool]
    best: Callable[[Point], float]
    first: bool = True


def _encrypts(key_bits: int) -> Callable[[Point], bool]:
    def serves(point: Point) -> bool:
        design = point.named.design
        return design.can_encrypt and key_bits in design.key_lengths

    return serves


def _without_ram(point: Point) -> bool:
    return not point.record["ram"]


def _ports(point: Point, interface: Interface) -> bool:
    return point.named.design.interface is interface


def _fewest(point: Point) -> float:
    return -point.figure("slices")


def _chained(point: Point) -> float:
    return point.figure("chained_mbit_s")


_AES128, _AES256 = _encrypts(128), _encrypts(256)

NEEDS = (
    Need(
        "AES-128, highest throughput",
        "ecp5-85k",
        _AES128,
        lambda point: point.figure("mbit_s"),
    ),
    Need(
        "AES-128, most throughput for its slices",
        "ecp5-85k",
        _AES128,
        lambda point: point.figure("mbit_s_per_slice"),
        first=False,
    ),
    Need(
        "AES-128, one message at a time (CBC, CMAC), fastest",
        "ecp5-85k",
        _AES128,
        _chained,
    ),
    Need(
        "encryption and decryption, all key sizes, one message at a time, fastest",
        "ecp5-85k",
        lambda point: (
            point.named.design.direction is Direction.BOTH
            and point.named.design.key_bits is KeyBits.ANY
        ),
        _chained,
    ),
    Need(
        "AES-128, no block RAM, 128-bit ports, fewest slices",
        "ecp5-85k",
        lambda point: _AES128(point) and _without_ram(point) and _ports(point, Interface.BLOCK),
        _fewest,
    ),
    Need(
        "AES-128, no block RAM, 8-bit ports, fewest slices",
        "ecp5-85k",
        lambda point: _AES128(point) and _without_ram(point) and _ports(point, Interface.BYTES),
        _fewest,
        first=False,
    ),
    Need(
        "AES-128, 8-bit ports, fewest logic cells",
        "ice40-hx8k",
        lambda point: _AES128(point) and _ports(point, Interface.BYTES),
        _fewest,
    ),
    Need("AES-256, fewest logic cells", "ice40-hx8k", _AES256, _fewest),
)


def points(measured: Iterable[Record], verified: Iterable[Record]) -> list[Point]:
    """The points that may answer a need: placed and routed, verified, with keys of their own.

    Of each the record of every recipe, as ``Study`` has it.
    """
    by_name: dict[str, list[Record]] = {}
    for record in verified:
        by_name.setdefault(record["design"], []).append(record)
    every = list(measured)
    table = Study(every)
    cores = {
        (Point(named, record).words, record["device"]): named
        for record in every
        if record.get("device") in TITLES
        and (named := _named(record))
        and not named.design.round_keys_from_outside
    }
    found = []
    for (words, device), named in cores.items():
        evidence = study.evidence_of(named, by_name.get(named.name, []))
        if evidence and evidence["passed"] and evidence["level"] == "full":
            found += [
                Point(named, record)
                for record in table.every(words, device)
                if record.get("status") == "ok"
                and record.get("fmax_mhz")
                and not records.clock_bound(record)
            ]
    return found


def _named(record: Record) -> Named | None:
    """The point that a record is of; None where it has axes that the program does not know."""
    name = record["design"]
    if name not in catalogue.CATALOGUE:
        return None
    axes = catalogue.CATALOGUE[name].design.axes()
    changed = [
        f"{axis}={value}"
        for axis, value in record.get("parameters", {}).items()
        if axes.get(axis) != value
    ]
    try:
        return catalogue.find(name, changed)
    except AesfabError:
        return None


def answer(need: Need, known: Iterable[Point]) -> Point | None:
    """The best point for a need: then the one of most throughput."""
    serving = [
        point for point in known if point.record["device"] == need.device and need.serves(point)
    ]
    return max(
        serving,
        key=lambda point: (need.best(point), point.figure("mbit_s")),
        default=None,
    )


def _mbit_s(need: Need, point: Point) -> str:
    """One message at a time counts a block only when the one before it has left."""
    return f"{point.figure('chained_mbit_s' if need.best is _chained else 'mbit_s'):,.0f}"


def which_core(known: list[Point], linked: str = "") -> str:
    """The needs of the first screen and their cores, as Markdown.

    Args:
        known: the points that may answer.
        linked: the folder with a page for each design, where names are to be links.
    """
    head = ("need", "design", "LUT", "slices or cells", "MHz", "Mbit/s")
    rows = []
    for need in filter(lambda need: need.first, NEEDS):
        point = answer(need, known)
        if point is None:
            rows.append([need.text, *["-"] * 5])
            continue
        design = f"`{point.words}`"
        if linked:
            design = f"[{design}]({linked}{point.named.name}.md)"
        slices = f"{point.figure('slices'):,.0f} {_unit(need.device)}s, {TITLES[need.device]}"
        mhz = f"{point.figure('mhz'):,.0f}"
        lut = f"{point.figure('lut'):,.0f}"
        rows.append([need.text, design, lut, slices, mhz, _mbit_s(need, point)])
    return "\n".join(pages.table(head, rows)) + "\n"


def every_need(known: list[Point]) -> str:
    """All needs with all figures, as Markdown."""
    head = ("need", "design", "device, recipe", "LUT", "flip-flops", "slices or cells",
            "block RAM", "MHz", "Mbit/s")  # fmt: skip
    rows = []
    for need in NEEDS:
        point = answer(need, known)
        device = TITLES[need.device]
        if point is None:
            rows.append([need.text, *["-"] * 8])
            continue
        numbers = [f"{point.figure(metric):,.0f}" for metric in ("lut", "ff")]
        numbers.append(f"{point.figure('slices'):,.0f} {_unit(need.device)}s")
        numbers += [f"{point.figure(metric):,.0f}" for metric in ("ram", "mhz")]
        numbers.append(_mbit_s(need, point))
        place = f"{device}, `{point.record['recipe']}`"
        rows.append([need.text, f"`{point.words}`", place, *numbers])
    return "\n".join(pages.table(head, rows)) + "\n"


# ------------------------------------------------------------------------------- picture

OURS, PAPERS, OPEN = (
    "our own designs",
    "designs of the five papers, measured by us",
    "other open cores",
)
_SHAPES = {OURS: "circle", PAPERS: "triangle-up", OPEN: "square"}
_THEMES = {
    "light": ("#ffffff", "#24292f", "#d0d7de", ("#0072B2", "#8C8C8C", "#D55E00")),
    "dark": ("#0d1117", "#e6edf3", "#30363d", ("#56B4E9", "#8C8C8C", "#E69F00")),
}
"""Background, text, lines and the kinds of cores, in colours that the colour-blind tell apart."""


def rows(known: list[Point]) -> list[dict[str, Any]]:
    """What the picture shows: slices and Mbit/s of cores that encrypt under 128-bit keys.

    Of each design the record with the most Mbit/s for its slices. Open cores are taken at their
    best, one of each repository at a commit; where their slices were not estimated, at the lower
    bound.
    """
    best: dict[str, Point] = {}
    for point in known:
        design = point.named.design
        if point.record["device"] != DEVICE or 128 not in design.key_lengths:
            continue
        if not design.can_encrypt:
            continue
        name = point.words
        if name not in best or _rank(point) > _rank(best[name]):
            best[name] = point
    found = [
        {
            "name": name,
            "kind": PAPERS if point.named.paper else OURS,
            "slices": point.figure("slices"),
            "mbit_s": classes.ours(point.record)["mbit_s"],
        }
        for name, point in best.items()
    ]
    rivals: dict[str, dict[str, Any]] = {}
    for peer in classes.peers().values():
        slices, mbit_s = peer.slices(DEVICE), peer.best(DEVICE, "mbit_s")
        if not slices or not mbit_s:
            continue
        row = {"name": peer.repository.split("/")[1], "kind": OPEN,
               "slices": slices[0], "mbit_s": mbit_s}  # fmt: skip
        if peer.source not in rivals or mbit_s > rivals[peer.source]["mbit_s"]:
            rivals[peer.source] = row
    return found + list(rivals.values())


def _rank(point: Point) -> float:
    return point.figure("mbit_s_per_slice")


_SAME_HEIGHT = 1.3
"""Two points whose Mbit/s differ by less have their names at the same height."""


def chart(known: list[Point], theme: str) -> charts.Spec:
    """The picture as Vega-Lite: throughput over area, with the front of our own designs."""
    shown = rows(known)
    background, text, lines, palette = _THEMES[theme]
    colours = dict(zip(_SHAPES, palette, strict=True))
    kinds = [kind for kind in _SHAPES if any(row["kind"] == kind for row in shown)]
    ours = [row for row in shown if row["kind"] == OURS]
    front = charts.pareto(ours, "slices", "mbit_s")
    rivals = charts.pareto([row for row in shown if row["kind"] == OPEN], "slices", "mbit_s")

    def scale(field: str, title: str, digits: tuple[int, ...]) -> charts.Spec:
        values = [row[field] for row in shown] or [1]
        low, high = 0.4 * min(values), 1.6 * max(values)
        ticks = [digit * 10**power for power in range(7) for digit in digits]
        return {
            "field": field,
            "type": "quantitative",
            "title": title,
            "scale": {"type": "log", "domain": [low, high], "nice": False},
            "axis": {"values": [tick for tick in ticks if low <= tick <= high], "format": ",d"},
        }

    place = {
        "x": scale("slices", "slices of an ECP5-85, fewer is better", (1, 2, 5)),
        "y": scale("mbit_s", "Mbit/s, more is better", (1,)),
    }

    def told(looks: dict[str, str]) -> charts.Spec:
        return {
            "field": "kind",
            "type": "nominal",
            "scale": {"domain": kinds, "range": [looks[kind] for kind in kinds]},
            "legend": {"title": None, "orient": "top", "columns": 3, "labelLimit": 400},
        }

    def labels(data: list[dict[str, Any]], dy: int) -> list[charts.Spec]:
        """Names to the left of their points, with a rim that keeps them readable on others."""
        mark = {"type": "text", "dx": -8, "dy": dy, "align": "right", "fontSize": 11}
        encoding = {**place, "text": {"field": "name"}}
        rim = {"stroke": background, "strokeWidth": 3, "color": background}
        return [
            {"data": {"values": data}, "mark": {**mark, **look}, "encoding": encoding}
            for look in (rim, {"color": text})
        ]

    # A name stands above its point, or below where the next one's would be at the same height.
    named = [row for row in front if " " not in row["name"]]
    below = [
        row
        for row, after in itertools.pairwise(named)
        if after["mbit_s"] < _SAME_HEIGHT * row["mbit_s"]
    ]
    above = [row for row in named if row not in below]

    return {
        "$schema": charts.SCHEMA,
        "description": "Throughput over area of AES-128 cores on an ECP5-85",
        "width": 720,
        "height": 330,
        "background": background,
        "padding": 12,
        "data": {"values": shown},
        "layer": [
            {
                "data": {"values": front},
                "mark": {"type": "line", "interpolate": "step-after", "strokeDash": [4, 3],
                         "color": colours[OURS]},
                "encoding": place,
            },
            {
                "mark": {"type": "point", "size": 60, "filled": True, "opacity": 0.9},
                "encoding": {**place, "color": told(colours), "shape": told(_SHAPES)},
            },
            *labels([*above, *rivals], -8),
            *labels(below, 14),
        ],
        "config": {
            "aria": False,
            "font": "Liberation Sans, Arial, Helvetica, sans-serif",
            "axis": {"labelColor": text, "titleColor": text, "domainColor": lines,
                     "tickColor": lines, "gridColor": lines, "labelFontSize": 11,
                     "titleFontSize": 12},
            "legend": {"labelColor": text, "labelFontSize": 12},
            "view": {"stroke": lines},
        },
    }  # fmt: skip


def picture(known: list[Point], theme: str) -> str:
    """The picture as an SVG document."""
    return str(vl_convert.vegalite_to_svg(chart(known, theme), vl_version=charts.VERSION)) + "\n"


# ---------------------------------------------------------------------------- open cores


def against_open_cores(measured: Study, parts: Sequence[records.Record] = ()) -> str:
    """In which classes our own designs beat other open cores, and where they do not, as Markdown.

    A line for each class and device: with ours that has won and the open core that came nearest,
    or with those that it did not beat. ``parts`` are records of components, which some targets
    are of.
    """
    won, lost = [], []
    for each in classes.load():
        for target in each.main_targets():
            standing = classes.reached(each, target, measured, parts)
            outcome = classes.contest(each, standing)
            if outcome and all(outcome.values()):
                won.append(_win(each, standing))
            elif outcome:
                lost.append(_loss(each, standing))
    text = "" if won else "Won by LUTs and by slices or cells: none.\n"
    for head, lines in (("Won by LUTs and by slices or cells", won), ("Not won by both", lost)):
        if lines:
            text += ("\n" if text else "") + f"{head}:\n\n" + "".join(f"- {x}\n" for x in lines)
    return text


def _device(name: str) -> str:
    return TITLES.get(name, name)


def _more_ram(each: classes.Class, standing: classes.Reached) -> str:
    """How many block RAMs ours has where an open core of the class has fewer, or none says its."""
    device = standing.target.device
    ours = standing.figures.get("ram", 0)
    rivals = classes.comparable(each, standing.design, device)
    theirs = [ram for peer in rivals if (ram := peer.best(device, "ram")) is not None]
    if not theirs:
        return f", with {ours:.0f} block RAM, theirs not known" if ours else ""
    fewest = min(theirs)
    return f", with {ours:.0f} block RAM against {fewest:.0f}" if fewest < ours else ""


def _win(each: classes.Class, standing: classes.Reached) -> str:
    """Ours by name, and the open core that came nearest to it."""
    device = standing.target.device
    beside = classes.comparable(each, standing.design, device)
    rivals = [peer for peer in beside if peer.best(device, "lut") is not None]

    def worth(peer: classes.Peer) -> tuple[float, float]:
        lut, mbit_s = (peer.best(device, metric) or 0.0 for metric in ("lut", "mbit_s"))
        return mbit_s / max(1.0, lut), -lut

    nearest = max(rivals, key=worth)
    ours = _takes(standing.figures, device)
    place = f"{_device(device)}{_more_ram(each, standing)}"
    return f"`{each.name}` ({place}): `{standing.design}`, {ours}; {_rival(nearest, device)}."


def _rival(peer: classes.Peer, device: str) -> str:
    """An open core with its figures on a device."""
    slices = peer.slices(device)
    figures = {name: peer.best(device, name) for name in ("mbit_s", "lut")}
    figures["slices"] = slices[0] if slices else None
    bound = slices is not None and slices[1]
    return f"{peer.source} {_takes(figures, device, bound=bound)}"


def _loss(each: classes.Class, standing: classes.Reached) -> str:
    """Ours, and every open core that it does not beat by both areas."""
    device = standing.target.device
    rivals = []
    for peer in classes.comparable(each, standing.design, device):
        outcome = classes.contest(dataclasses.replace(each, peers=(peer,)), standing)
        if outcome and not all(outcome.values()):
            rivals.append(_rival(peer, device))
    verdict = classes.winner(classes.contest(each, standing))
    ours = _takes(standing.figures, device)
    place = f"`{each.name}` ({_device(device)}), {verdict}"
    return f"{place}: `{standing.design}`, {ours}; {'; '.join(rivals)}."


def _takes(figures: Mapping[str, float | None], device: str, *, bound: bool = False) -> str:
    units = {"mbit_s": "Mbit/s", "lut": "LUT", "slices": f"{_unit(device)}s"}
    return ", ".join(
        f"{'at least ' if bound and name == 'slices' else ''}{value:,.0f} {unit}"
        for name, unit in units.items()
        if (value := figures.get(name)) is not None
    )


def _unit(device: str) -> str:
    return devices.DEVICES[device].slice_.name
