# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Plots as Vega-Lite specifications, and as SVG and PNG files made from the same ones.

A specification holds its data, so that the plot in the report, the file for a README and the table
beside it cannot differ.

Series are told apart by their ``Look``: a colour, of a palette that the colour-blind can tell apart
(Okabe and Ito), together with a shape, a dash or a filling. What a paper prints is hollow and
dotted, and nothing else is. Devices and architectures look the same in every chart where they can.

The names of series say what a chart needs to know of them, as parts between commas: one that
``printed`` begins is a paper's, and where kinds of cores are measured on several devices
(``S-box, printed, Virtex-5`` and ``T-box, ours, virtex``), each kind gets a panel of its own.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from aesfab.design.axes import Architecture
from aesfab.devices import DEVICES
from aesfab.errors import AesfabError
from aesfab.system.process import written_whole

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
VERSION = "6.4"
"""Version of Vega-Lite that files are made with."""

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D1F", "#7F7F7F")

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
          "triangle-left")  # fmt: skip

HOLLOW = "transparent"
"""Filling of what a paper prints."""

ASSEMBLY, OTHERS = "assembly", "other components"
"""Series of a breakdown that are no component."""

WHOSE = {"our own": "circle", "after a paper": "triangle-up", "other open core": "square"}
"""Whose a design is to its shape, where shapes say that and not the series."""

OPEN_CORE = "other open cores"
"""Series of what is not of one of our architectures."""

_DASHES = ((1, 0), (9, 3), (9, 3, 2, 3))
_DOTS = ((2, 3), (2, 6), (4, 2))
"""Dashes of what a paper prints."""

# Their numbers are their places: devices that figures are taken on first, so that those have the
# looks that differ most.
_DEVICES = dict.fromkeys(
    ("ecp5-85k", "ice40-hx8k", "gw1n-9", "gw2a-18", "virtex", "virtex-e", "virtex-ii",
     "spartan-3e", "virtex-5", "7-series", "cyclone-iv", *DEVICES)
)  # fmt: skip
_NUMBERS = {
    **{name: number for number, name in enumerate(_DEVICES)},
    **{each.value: number for number, each in enumerate(Architecture)},
    # Grey: what is not of a device or a component of its own.
    "printed": 7,
    ASSEMBLY: 7,
    OPEN_CORE: 7,
    OTHERS: 15,
}
"""Name to the number of its look in every chart."""

Spec = dict[str, Any]
Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Chart:
    """A plot.

    Attributes:
        name: for files and anchors.
        title: what it shows, a full phrase.
        rows: its data; the same rows are the table beside it.
        columns: field to heading, for that table.
        spec: Vega-Lite, with the data in it.
        front: names of the points of the Pareto front, in the order of their numbers.
        choice: what a page shows it for: a kind of choice, such as ``area``, and its value.
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    columns: dict[str, str]
    spec: Spec
    front: tuple[str, ...] = ()
    choice: tuple[str, str] | None = None

    @property
    def wide(self) -> bool:
        """Whether it should not share its line of a page: panels, and many bars."""
        return bool(self.panels) or self.spec.get("height", 0) > _TALL

    @property
    def panels(self) -> tuple[str, ...]:
        """The kinds of cores that have a panel each, none for a plot in one piece."""
        return tuple(self.spec["facet"]["sort"]) if "facet" in self.spec else ()


def _axis(field: str, title: str, log: bool = False, **more: Any) -> Row:
    scale: Row = {"type": "log", "nice": False, "padding": 14} if log else {"zero": True}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, **more}


# -------------------------------------------------------------------------------- looks


@dataclasses.dataclass(frozen=True)
class Look:
    """How a series is drawn; two of a chart differ in one of these at least.

    Attributes:
        colour: of lines and outlines.
        fill: of points and bars; ``HOLLOW`` for what a paper prints and for nothing else.
        shape: of points.
        dash: of lines, and of the outlines of bars: lengths of strokes and gaps.
    """

    colour: str
    fill: str
    shape: str
    dash: tuple[int, ...]


def _point_look(number: int, printed: bool) -> Look:
    """Of points and lines: the eight colours with a shape each, then with other shapes."""
    turn, place = divmod(number, len(PALETTE))
    colour, shape = PALETTE[place], SHAPES[(place + turn) % len(SHAPES)]
    dashes = _DOTS if printed else _DASHES
    fill = HOLLOW if printed else colour
    return Look(colour, fill, shape, dashes[turn % len(dashes)])


def _bar_look(number: int, printed: bool) -> Look:
    """Of bars: the eight colours full, then pale with an outline, then with dashes around.

    What is printed has dots around.
    """
    turn, place = divmod(number, len(PALETTE))
    colour = PALETTE[place]
    if printed:
        return Look(colour, HOLLOW, "square", _DOTS[::-1][turn % len(_DOTS)])
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    fill = colour if turn == 0 else f"rgba({red}, {green}, {blue}, 0.4)"
    return Look(colour, fill, "square", _DASHES[max(turn - 1, 0) % len(_DASHES)])


def is_printed(series: str) -> bool:
    """Whether a series is of what a paper prints, by its name."""
    return any(re.match(r"printed\b", part) for part in series.split(", "))


def _number(series: str) -> int | None:
    """The number of ``_NUMBERS`` for the last part of a name."""
    return _NUMBERS.get(_bare(series.split(", ")[-1]).lower())


def _bare(name: str) -> str:
    """A name without what stands in brackets behind it: a unit, how exact it is."""
    return re.sub(r"( \([^()]*\))+$", "", name)


def _looks(names: Sequence[str], look: Callable[[int, bool], Look]) -> list[Look]:
    """A look for each name, no two the same.

    A device, also the family that a paper prints (``printed, Virtex-5``), and the other names of
    ``_NUMBERS`` have their own where no name before has it, the rest those that are left.
    """
    found: dict[str, int] = {}
    taken: dict[bool, set[int]] = {True: set(), False: set()}
    for name in names:
        number = _number(name)
        if number is not None and number not in taken[is_printed(name)]:
            found[name] = number
            taken[is_printed(name)].add(number)
    for name in names:
        if name not in found:
            used = taken[is_printed(name)]
            found[name] = next(number for number in itertools.count() if number not in used)
            used.add(found[name])
    return [look(found[name], is_printed(name)) for name in names]


def _panel(series: str) -> tuple[str, str]:
    """The kind of cores that a series is of, and the rest of its name; no kind where it has none.

    A kind stands before a device or before the words that say whose figures they are.
    """
    kind, _, rest = series.partition(", ")
    of_device = _bare(rest) in DEVICES or re.match(r"(printed|ours)\b", rest)
    return (kind, rest) if of_device and not re.match(r"(printed|ours)\b", kind) else ("", series)


def _order(series: str) -> tuple[bool, float]:
    """Printed first, then by number, so that legends and bars agree between charts."""
    number = _number(series)
    return not is_printed(series), math.inf if number is None else number


@dataclasses.dataclass(frozen=True)
class _Series:
    """The series of a chart as Vega-Lite wants them.

    Attributes:
        rows: the data, with the fields ``panel`` and ``look`` where there are panels.
        field: the field that tells the series of a panel apart.
        panels: names of the panels, none for a chart in one piece.
        stroke: channel for the colour of lines and outlines.
        fill: channel for the filling.
        shape: channel for the shape of points.
        dash: channel for the dashes.
    """

    rows: tuple[Row, ...]
    field: str
    panels: tuple[str, ...]
    stroke: Spec
    fill: Spec
    shape: Spec
    dash: Spec


def _series(
    field: str,
    rows: Sequence[Row],
    title: str,
    look: Callable[[int, bool], Look],
    *,
    panels: bool = False,
) -> _Series:
    """What tells the series of ``rows`` apart, in panels by kind where that is wanted."""
    split = {row[field]: _panel(row[field]) for row in rows}
    kinds = tuple(dict.fromkeys(kind for kind, _ in split.values()))
    if panels and len(kinds) > 1 and all(kinds):
        rows = [
            {**row, "panel": split[row[field]][0], "look": split[row[field]][1]} for row in rows
        ]
        field = "look"
    else:
        kinds = ()
    domain = sorted(dict.fromkeys(row[field] for row in rows), key=_order)
    looks = _looks(domain, look)
    longest = max((len(name) for name in domain), default=0)
    legend = {
        "title": title,
        "orient": "bottom",
        # What does not stand in the width beside each other would be cut by the edge of the plot.
        "columns": min(4, max(1, 560 // (7 * longest + 32))),
        "labelLimit": 400,
        # Vega leaves out what comes after the 30th.
        "symbolLimit": 0,
    }

    def channel(values: Sequence[Any]) -> Spec:
        # With the same legend for all, which makes one of them.
        scale = {"domain": domain, "range": list(values)}
        return {"field": field, "type": "nominal", "title": title, "scale": scale,
                "legend": legend}  # fmt: skip

    return _Series(
        tuple(rows), field, kinds,
        channel([look.colour for look in looks]), channel([look.fill for look in looks]),
        channel([look.shape for look in looks]),
        channel([list(look.dash) for look in looks]),
    )  # fmt: skip


def _tooltip(columns: dict[str, str]) -> list[Row]:
    return [{"field": field, "title": title} for field, title in columns.items()]


def _spec(title: str, rows: Sequence[Row], **more: Any) -> Spec:
    return {
        "$schema": SCHEMA,
        "description": title,
        "width": 560,
        "height": 320,
        "data": {"name": "rows", "values": list(rows)},
        **more,
    }


_POINT: Spec = {"type": "point", "size": 70, "strokeWidth": 1.5, "opacity": 1}
_PANEL = (250, 220)
"""Width and height of a panel."""

_TALL = 600


def pareto(rows: Sequence[Row], smaller: str, larger: str) -> list[Row]:
    """The rows that no other beats in both: less of ``smaller``, more of ``larger``.

    In the order of ``smaller``; of equal rows the first.
    """
    front: list[Row] = []
    for row in sorted(rows, key=lambda row: (row[smaller], -row[larger])):
        if not front or row[larger] > front[-1][larger]:
            front.append(row)
    return front


def scatter(
    name: str,
    title: str,
    rows: Sequence[Row],
    x: tuple[str, str],
    y: tuple[str, str],
    series: tuple[str, str],
    columns: dict[str, str],
    *,
    log: bool = True,
    front: bool = False,
    whose: tuple[str, str] | None = None,
) -> Chart:
    """Points, with the Pareto front of small ``x`` and large ``y`` where wanted.

    Args:
        name: for files.
        title: what is shown.
        rows: the data.
        x: field and heading.
        y: field and heading.
        series: field and heading that looks tell apart.
        columns: fields of the table and of the tool-tip.
        log: logarithmic axes.
        front: draw the front, and number its points; the first of ``columns`` names them.
        whose: field and heading that shapes tell apart, instead of the series (``WHOSE``).
    """
    told = _series(series[0], rows, series[1], _point_look)
    shape = told.shape
    if whose:
        present = [name for name in WHOSE if any(row[whose[0]] == name for row in rows)]
        shape = {
            "field": whose[0], "type": "nominal", "title": whose[1],
            "scale": {"domain": present, "range": [WHOSE[name] for name in present]},
            "legend": {**told.shape["legend"], "title": whose[1], "symbolFillColor": "#7F7F7F",
                       "symbolStrokeColor": "#7F7F7F"},
        }  # fmt: skip
    encoding = {
        "x": _axis(*x, log=log, axis={"tickCount": 6, "labelOverlap": True}),
        "y": _axis(*y, log=log, axis={"tickCount": 6, "labelOverlap": True}),
    }
    layers: list[Spec] = []
    best: list[Row] = []
    if front:
        best = pareto(rows, x[0], y[0])
        places = [{key: row[key] for key in (x[0], y[0])} for row in best]
        layers.append(
            {
                "data": {"name": "front", "values": places},
                "mark": {"type": "line", "interpolate": "step-after", "strokeDash": [4, 3],
                         "color": "#7F7F7F", "aria": False},
                "encoding": encoding,
            }
        )  # fmt: skip
    layers.append(
        {
            "name": "points",
            "params": [{"name": "pick", "select": {"type": "point", "fields": [series[0]]},
                        "bind": "legend"}],
            "mark": _POINT,
            "encoding": {
                **encoding,
                "stroke": told.stroke,
                "fill": told.fill,
                "shape": shape,
                "opacity": {"condition": {"param": "pick", "value": 0.9}, "value": 0.15},
                "tooltip": _tooltip(columns),
            },
        }
    )  # fmt: skip
    if best:
        numbers = _numbered(best, rows, x[0], y[0])
        layers.append(
            {
                "data": {"name": "numbers", "values": numbers},
                "mark": {"type": "text", "dy": -11, "fontSize": 10, "aria": False},
                "encoding": {**encoding, "text": {"field": "number", "type": "nominal"}},
            }
        )
    named = tuple(str(row[next(iter(columns))]) for row in best)
    spec = _spec(title, rows, layer=layers)
    if whose:
        # One legend below the other: beside each other the edge of the plot cuts them.
        layout = {"bottom": {"direction": "vertical", "anchor": "start"}}
        spec["config"] = {"legend": {"layout": layout}}
    return Chart(name, title, tuple(rows), columns, spec, named)


_APART = 0.07
"""Two numbers that are nearer to each other, as a share of the plot, would touch."""


def _numbered(best: Sequence[Row], rows: Sequence[Row], x: str, y: str) -> list[Row]:
    """A number for each point of a front, and one range for those that are too near."""

    def place(row: Row, field: str) -> float:
        values = [math.log(each[field]) for each in rows]
        return (math.log(row[field]) - min(values)) / ((max(values) - min(values)) or 1.0)

    groups: list[tuple[int, int, Row]] = []
    for number, row in enumerate(best, 1):
        if groups:
            first, last, other = groups[-1]
            if all(
                place(row, f) - place(best[last - 1], f) < size
                for f, size in ((x, _APART), (y, _APART))
            ):
                groups[-1] = (first, number, other)
                continue
        groups.append((number, number, row))
    return [
        {x: row[x], y: row[y], "number": str(a) if a == b else f"{a}\N{EN DASH}{b}"}
        for a, b, row in groups
    ]


def lines(
    name: str,
    title: str,
    rows: Sequence[Row],
    x: tuple[str, str],
    y: tuple[str, str],
    series: tuple[str, str],
    columns: dict[str, str],
    *,
    scale: Literal["ordinal", "linear", "log"] = "ordinal",
    log_y: bool = False,
    dots: Sequence[str] = (),
) -> Chart:
    """A line with points for each series, over ``x``, and a panel for each kind of cores.

    Args:
        name: for files.
        title: what is shown.
        rows: the data.
        x: field and heading.
        y: field and heading.
        series: field and heading that looks and panels tell apart.
        columns: fields of the table and of the tool-tip.
        scale: of ``x``; ``ordinal`` gives each of its values the same room.
        log_y: logarithmic ``y``.
        dots: series whose points no line joins.
    """
    order = sorted({row[x[0]] for row in rows})
    told = _series(series[0], rows, series[1], _point_look, panels=True)
    along = {"field": x[0], "type": "ordinal", "title": x[1], "sort": order,
             "axis": {"labelAngle": 0}}  # fmt: skip
    if scale != "ordinal":
        along = _axis(*x, log=scale == "log", axis={"tickCount": 8, "labelOverlap": True})
    encoding = {"x": along, "y": _axis(*y, log=log_y), "stroke": told.stroke}
    joined: Spec = {
        "mark": {"type": "line", "aria": False},
        "encoding": {"strokeDash": told.dash},
    }
    if dots:
        joined["transform"] = [{"filter": {"not": {"field": series[0], "oneOf": list(dots)}}}]
    points = {
        "name": "points",
        "mark": _POINT,
        "encoding": {"fill": told.fill, "shape": told.shape, "tooltip": _tooltip(columns)},
    }
    plot: Spec = {"encoding": encoding, "layer": [joined, points]}
    spec = _spec(title, told.rows, **plot)
    if told.panels:
        size = {"width": _PANEL[0], "height": _PANEL[1]}
        header = {"title": None, "labelFontWeight": "bold", "labelFontSize": 12}
        spec = {
            **{name: spec[name] for name in ("$schema", "description", "data")},
            "facet": {"field": "panel", "type": "nominal", "sort": list(told.panels),
                      "header": header},
            "columns": 2,
            # The last line of panels may be shorter, and all would look for their axis there.
            "resolve": {"axis": {"x": "independent"}},
            "spec": {**size, **plot},
        }  # fmt: skip
    return Chart(name, title, tuple(rows), columns, spec)


def bars(
    name: str,
    title: str,
    rows: Sequence[Row],
    category: tuple[str, str],
    value: tuple[str, str],
    series: tuple[str, str],
    columns: dict[str, str],
    *,
    stacked: bool = False,
) -> Chart:
    """Horizontal bars, beside each other or stacked, one row of the plot for each category."""
    order = list(dict.fromkeys(row[category[0]] for row in rows))
    told = _series(series[0], rows, series[1], _bar_look)
    names = told.stroke["scale"]["domain"]
    encoding: Spec = {
        "y": {"field": category[0], "type": "nominal", "title": category[1], "sort": order,
              "axis": {"labelLimit": 320, "maxExtent": 360}},
        "x": {**_axis(*value), "stack": "zero" if stacked else None},
        "stroke": told.stroke,
        "fill": told.fill,
        "strokeDash": told.dash,
        "tooltip": _tooltip(columns),
    }  # fmt: skip
    if not stacked:
        encoding["yOffset"] = {"field": series[0], "sort": names}
    spec = _spec(title, rows, mark={"type": "bar", "strokeWidth": 1.5}, encoding=encoding)
    # A number rather than a step for each bar, so that a page may fit the width.
    spec["height"] = len(order) * (22 if stacked else 8 + 11 * len(names))
    return Chart(name, title, tuple(rows), columns, spec)


# -------------------------------------------------------------------------------- files


def _title(chart: Chart) -> str | Spec:
    """The title of a file, with the names of the front below."""
    if not chart.front:
        return chart.title
    names = [f"{number} {name}" for number, name in enumerate(chart.front, 1)]
    said = textwrap.wrap("Pareto front: " + ", ".join(names), 90, break_on_hyphens=False)
    return {"text": chart.title, "subtitle": said}


def svg(chart: Chart) -> str:
    """The plot as an SVG document, with its title."""
    import vl_convert

    spec = {**chart.spec, "title": _title(chart), "background": "white"}
    return str(vl_convert.vegalite_to_svg(spec, vl_version=VERSION))


def png(chart: Chart, scale: float = 2) -> bytes:
    """The plot as a PNG file, ``scale`` pixels to a point."""
    import vl_convert

    spec = {**chart.spec, "title": _title(chart), "background": "white"}
    return bytes(vl_convert.vegalite_to_png(spec, vl_version=VERSION, scale=scale))


def write(charts: Sequence[Chart], folder: Path, *, with_png: bool = False) -> list[Path]:
    """Write the plots as ``NAME.svg`` (and ``NAME.png``); returns the files.

    AesfabError when the folder cannot be written.
    """
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for chart in charts:
            assert re.fullmatch(r"[a-z0-9.-]+", chart.name), chart.name
            contents = {"svg": svg(chart).encode()} | ({"png": png(chart)} if with_png else {})
            for kind, content in contents.items():
                path = folder / f"{chart.name}.{kind}"
                with written_whole(path) as temporary:
                    temporary.write_bytes(content)
                written.append(path)
    except OSError as error:
        raise AesfabError(f"cannot write {folder}: {error.strerror}") from error
    return written
