# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Plots as Vega-Lite specifications, and as SVG and PNG files made from the same ones.

A specification holds its data, so that the plot in the report, the file for a README and the table
beside it cannot differ. Series have a shape as well as a colour, of a palette that the colour-blind
can tell apart (Okabe and Ito).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import vl_convert

from aesfab.errors import AesfabError
from aesfab.process import written_whole

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
VERSION = "6.4"
"""Version of Vega-Lite that files are made with."""

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D1F", "#7F7F7F")

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
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    columns: dict[str, str]
    spec: Spec


def _axis(field: str, title: str, log: bool = False, **more: Any) -> Row:
    scale: Row = {"type": "log", "nice": False, "padding": 14} if log else {"zero": True}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, **more}


def _colour(field: str, rows: Sequence[Row], title: str | None = None) -> Row:
    domain = list(dict.fromkeys(row[field] for row in rows))
    colours = [PALETTE[n % len(PALETTE)] for n in range(len(domain))]
    # Two columns of longer names are wider than the plot, whose edge would cut them.
    columns = 2 if all(len(str(value)) <= 35 for value in domain) else 1
    legend = {"title": title, "orient": "bottom", "columns": columns, "labelLimit": 400}
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": domain, "range": colours},
        "legend": legend,
    }


def _shape(colour: Spec) -> Spec:
    """A shape for each series as well, in one legend with its colour (``_colour``)."""
    return {
        "field": colour["field"],
        "type": "nominal",
        "legend": colour["legend"],
        "scale": {"domain": colour["scale"]["domain"]},
    }


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
) -> Chart:
    """Points, with the Pareto front of small ``x`` and large ``y`` where wanted.

    Args:
        name: for files.
        title: what is shown.
        rows: the data.
        x: field and heading.
        y: field and heading.
        series: field and heading that colour and shape tell apart.
        columns: fields of the table and of the tool-tip.
        log: logarithmic axes.
        front: draw the front.
    """
    colour = _colour(series[0], rows, series[1])
    encoding = {
        "x": _axis(*x, log=log, axis={"tickCount": 6, "labelOverlap": True}),
        "y": _axis(*y, log=log, axis={"tickCount": 6, "labelOverlap": True}),
    }
    layers: list[Spec] = []
    if front:
        layers.append(
            {
                "data": {"name": "front", "values": pareto(rows, x[0], y[0])},
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
            "mark": {"type": "point", "size": 70, "filled": True},
            "encoding": {
                **encoding,
                "color": colour,
                "shape": _shape(colour),
                "opacity": {"condition": {"param": "pick", "value": 0.9}, "value": 0.15},
                "tooltip": _tooltip(columns),
            },
        }
    )  # fmt: skip
    return Chart(name, title, tuple(rows), columns, _spec(title, rows, layer=layers))


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
    """A line with points for each series, over ``x``.

    Args:
        name: for files.
        title: what is shown.
        rows: the data.
        x: field and heading.
        y: field and heading.
        series: field and heading that colour and shape tell apart.
        columns: fields of the table and of the tool-tip.
        scale: of ``x``; ``ordinal`` gives each of its values the same room.
        log_y: logarithmic ``y``.
        dots: series whose points no line joins.
    """
    order = sorted({row[x[0]] for row in rows})
    colour = _colour(series[0], rows, series[1])
    along = {"field": x[0], "type": "ordinal", "title": x[1], "sort": order,
             "axis": {"labelAngle": 0}}  # fmt: skip
    if scale != "ordinal":
        along = _axis(*x, log=scale == "log", axis={"tickCount": 8, "labelOverlap": True})
    encoding = {"x": along, "y": _axis(*y, log=log_y), "color": colour}
    joined: Spec = {"mark": {"type": "line", "aria": False}}
    if dots:
        joined["transform"] = [{"filter": {"not": {"field": series[0], "oneOf": list(dots)}}}]
    spec = _spec(
        title,
        rows,
        encoding=encoding,
        layer=[
            joined,
            {
                "name": "points",
                "mark": {"type": "point", "filled": True, "size": 70},
                "encoding": {"shape": _shape(colour), "tooltip": _tooltip(columns)},
            },
        ],
    )
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
    names = list(dict.fromkeys(row[series[0]] for row in rows))
    encoding: Spec = {
        "y": {"field": category[0], "type": "nominal", "title": category[1], "sort": order,
              "axis": {"labelLimit": 260}},
        "x": {**_axis(*value), "stack": "zero" if stacked else None},
        "color": _colour(series[0], rows, series[1]),
        "tooltip": _tooltip(columns),
    }  # fmt: skip
    if not stacked:
        encoding["yOffset"] = {"field": series[0], "sort": names}
    spec = _spec(title, rows, mark={"type": "bar"}, encoding=encoding)
    # A number rather than a step for each bar, so that a page may fit the width.
    spec["height"] = len(order) * (22 if stacked else 8 + 11 * len(names))
    return Chart(name, title, tuple(rows), columns, spec)


# -------------------------------------------------------------------------------- files


def svg(chart: Chart) -> str:
    """The plot as an SVG document, with its title."""
    spec = {**chart.spec, "title": chart.title, "background": "white"}
    return str(vl_convert.vegalite_to_svg(spec, vl_version=VERSION))


def png(chart: Chart, scale: float = 2) -> bytes:
    """The plot as a PNG file, ``scale`` pixels to a point."""
    spec = {**chart.spec, "title": chart.title, "background": "white"}
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
