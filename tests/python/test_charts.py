# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Plots: every series can be told from every other, and what a paper prints from what is ours."""

from __future__ import annotations

import collections
import re
from typing import Any

import pytest

import passed
from aesfab import records
from aesfab.study import charts, report
from aesfab.study.charts import Chart
from aesfab.study.study import Study

pytestmark = pytest.mark.kept(
    "src/aesfab/study",
    "src/aesfab/choosing",
    "src/aesfab/design",
    *passed.RECORDS,
    "src/aesfab/devices.py",
)


@pytest.fixture(scope="module")
def shipped() -> list[Chart]:
    """Every chart of the report from the records that ship."""
    study = Study(records.shipped("implement"))
    return report.build(report.Figures(study, records.shipped("components"))).charts


def _channels(spec: Any) -> dict[str, dict[str, Any]]:
    """Every channel that tells series apart, by its name, as Vega-Lite is given it."""
    found: dict[str, dict[str, Any]] = {}
    for part in (spec, spec.get("spec", {}), *spec.get("layer", ())):
        for layer in (part, *part.get("layer", ())):
            for name, channel in layer.get("encoding", {}).items():
                if not isinstance(channel, dict) or "range" not in channel.get("scale", {}):
                    continue
                if channel["field"] != "whose":
                    found[name] = channel
    return found


def _looks(chart: Chart) -> dict[str, tuple[Any, ...]]:
    """Series to what is seen of it: the outline, the filling, the shape, of bars the dashes."""
    channels = _channels(chart.spec)
    seen = ["stroke", "fill", "shape" if "shape" in channels else "strokeDash"]
    if chart.front:
        seen.pop()  # shapes say whose a point is
    assert set(seen) <= set(channels), chart.name
    scales = [channels[name]["scale"] for name in seen]
    looks = {
        name: tuple(str(scale["range"][scale["domain"].index(name)]) for scale in scales)
        for name in scales[0]["domain"]
    }
    return {name: (*look, "")[:3] for name, look in looks.items()}


POINTS = [
    {"design": "a", "kind": "one", "whose": "our own", "x": 10, "y": 1.0},
    {"design": "b", "kind": "one", "whose": "after a paper", "x": 100, "y": 50.0},
    {"design": "c", "kind": "two", "whose": "other open core", "x": 101, "y": 51.0},
    {"design": "d", "kind": "two", "whose": "our own", "x": 1000, "y": 40.0},
]


def test_the_front_is_numbered_and_named() -> None:
    """Points that are too near to each other share a label; the file has the names."""
    columns = {"design": "design", "kind": "kind"}
    chart = charts.scatter(
        "s", "S", POINTS, ("x", "x"), ("y", "y"), ("kind", "kind"), columns,
        front=True, whose=("whose", "whose"),
    )  # fmt: skip
    assert chart.front == ("a", "b", "c")
    numbers = chart.spec["layer"][-1]["data"]["values"]
    assert [each["number"] for each in numbers] == ["1", "2\N{EN DASH}3"]
    text = charts.svg(chart)
    assert "Pareto front: 1 a, 2 b, 3 c" in text
    shape = chart.spec["layer"][1]["encoding"]["shape"]["scale"]
    assert dict(zip(shape["domain"], shape["range"], strict=True)) == charts.WHOSE
    for name in charts.WHOSE:
        assert text.count(f">{name}</text>") == 1


def test_no_two_series_of_a_chart_look_the_same(shipped: list[Chart]) -> None:
    assert len(shipped) > 30
    assert max(len(_looks(chart)) for chart in shipped) > len(charts.PALETTE)
    for chart in shipped:
        for look, number in collections.Counter(_looks(chart).values()).items():
            assert number == 1, (chart.name, look)


def test_what_is_printed_never_looks_like_ours(shipped: list[Chart]) -> None:
    printed = 0
    for chart in shipped:
        for name, (_, fill, _) in _looks(chart).items():
            is_printed = "printed" in name
            printed += is_printed
            assert (fill == charts.HOLLOW) is is_printed, (chart.name, name)
        channels = _channels(chart.spec)
        if "strokeDash" not in channels:
            continue  # points alone
        dashes = channels["strokeDash"]["scale"]
        by_printed: dict[bool, set[str]] = {True: set(), False: set()}
        for name, dash in zip(dashes["domain"], dashes["range"], strict=True):
            by_printed["printed" in name].add(str(dash))
        assert not by_printed[True] & by_printed[False], chart.name
    assert printed > 20


def test_every_row_has_a_series_and_a_panel_of_its_own(shipped: list[Chart]) -> None:
    """In a panel, too, a name stands for one series of the data."""
    panels = 0
    for chart in shipped:
        channel = _channels(chart.spec)["stroke"]
        rows = chart.spec["data"]["values"]
        assert len(rows) == len(chart.rows)
        assert {row[channel["field"]] for row in rows} == set(channel["scale"]["domain"])
        if chart.panels:
            panels += 1
            assert {row["panel"] for row in rows} == set(chart.panels)
            for row in rows:
                assert row["series"] == f"{row['panel']}, {row['look']}"
    assert panels > 5


def test_a_device_looks_the_same_in_every_chart(shipped: list[Chart]) -> None:
    seen: dict[tuple[str, bool], set[str]] = {}
    for chart in shipped:
        bars = "layer" not in chart.spec.get("spec", chart.spec)
        for name, look in _looks(chart).items():
            if match := re.fullmatch(r"(?:ours, )?([a-z0-9-]+)(?: \(.*\))?", name):
                seen.setdefault((match.group(1), bars), set()).add(str(look))
    for device in ("ecp5-85k", "ice40-hx8k", "virtex"):
        assert len(seen[device, False]) == 1, device
        assert len(seen[device, True]) == 1, device


def test_legends_are_complete(shipped: list[Chart]) -> None:
    """One legend with every name, in the file as on the page; Vega alone stops at the 30th."""
    for chart in shipped:
        legends = [channel["legend"] for channel in _channels(chart.spec).values()]
        assert legends
        assert all(legend == legends[0] for legend in legends), "else they would not be one"
        assert legends[0]["symbolLimit"] == 0
    by_name = {chart.name: chart for chart in shipped}
    for name in ("scaling-rounds-lut", "kakarlapudi-graph-2", "fischer2001-area"):
        chart = by_name[name]
        texts = re.findall(r"<text[^>]*>([^<]*)</text>", charts.svg(chart))
        for series in _looks(chart):
            assert texts.count(series) == 1, (name, series)
        for panel in chart.panels:
            assert texts.count(panel) == 1, (name, panel)


def test_printed_points_are_hollow_in_the_file(shipped: list[Chart]) -> None:
    (chart,) = [chart for chart in shipped if chart.name == "kakarlapudi-graph-2"]
    printed = sum("printed" in row["series"] for row in chart.rows)
    assert 0 < printed < len(chart.rows)
    groups = re.findall(r'class="mark-symbol role-mark[^"]*".*?</g>', charts.svg(chart), re.S)
    marks = re.findall(r"<path[^>]*>", "".join(groups))
    assert len(marks) == len(chart.rows)
    assert sum(" fill=" not in mark for mark in marks) == printed, "as the document: none"


@pytest.mark.parametrize("draw", [charts.lines, charts.bars])
def test_many_series_are_told_apart(draw: Any) -> None:
    """Whatever they are called: thirty of ours, twenty printed."""
    names = [f"ours, core {n}" for n in range(30)] + [f"printed, core {n}" for n in range(20)]
    rows = [{"series": name, "x": n, "y": n} for n, name in enumerate(names)]
    chart = draw("many", "Many", rows, ("x", "x"), ("y", "y"), ("series", "series"), {})
    assert not chart.panels
    looks = _looks(chart)
    assert set(looks) == set(names)
    assert len(set(looks.values())) == len(names)


def test_kinds_have_panels_where_they_stand_before_a_device() -> None:
    def panels(*names: str) -> tuple[str, ...]:
        rows = [{"series": name, "x": 1, "y": 1} for name in names]
        chart = charts.lines("p", "P", rows, ("x", "x"), ("y", "y"), ("series", "series"), {})
        return chart.panels

    assert panels("S-box, printed, Virtex-5", "T-box, ours, virtex") == ("S-box", "T-box")
    assert panels("a, virtex", "b, gw1n-9 (at most)", "a, ecp5-85k") == ("a", "b")
    assert panels("S-box, ours, virtex", "S-box, ours, virtex-e") == ()
    assert panels("printed, Virtex-5", "ours, virtex") == ()
    assert panels("ours, predicted: SSE, write-combining", "printed: SSE, write-combining") == ()
    assert panels("MMX, uncacheable", "SSE, uncacheable") == ()
