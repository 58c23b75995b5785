# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tables beside the papers', and conclusions whose verdict follows the records."""

from __future__ import annotations

import dataclasses
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

import pytest

from aesfab import catalogue, charts, conclusions, devices, papers, published, records, study
from aesfab.errors import AesfabError
from aesfab.spec import Sbox, Tbox
from aesfab.study import Study
from conftest import Cli
from made_up import record


def _claim(name: str) -> conclusions.Conclusion:
    (found,) = [claim for claim in conclusions.CONCLUSIONS if claim.name == name]
    return found


# ------------------------------------------------------------------------------- figures


def test_metrics_are_those_of_the_papers() -> None:
    measured = record("qin-4sm", "ecp5-85k", 200.0, lut=1000, ff=1500, ram=20)
    figures = study.figures(Study([measured]), "qin-4sm", "ecp5-85k")
    assert figures["mbit_s"] == pytest.approx(128 * 200 / 4)
    assert figures["core_kbit"] == 80
    assert figures["mbit_s_per_kbit"] == pytest.approx(6400 / 80)
    assert figures["slices"] == 750
    assert figures["mbit_s_per_slice"] == pytest.approx(6400 / 750)
    assert figures["lut_per_ff"] == pytest.approx(2 / 3)
    assert figures["latency_ns"] == pytest.approx(80 / 0.2)
    assert figures["routing"] == pytest.approx(0.8)
    assert figures["percent"] == pytest.approx(100)
    assert figures["spread"] == pytest.approx(1)


def test_core_memory_is_what_qin2005_prints() -> None:
    """For its designs; and where tables are in logic there is none."""
    checked = 0
    for row in published.of_paper("qin2005", lambda row: bool(row.own and row.design)):
        if row.core_memory_bits is not None:
            design = catalogue.find(row.design or "").design
            assert study.core_memory_bits(design) == row.core_memory_bits
            checked += 1
    assert checked == 4
    for named in catalogue.CATALOGUE.values():
        bits = study.core_memory_bits(named.design)
        assert (bits > 0) is (named.design.sbox is Sbox.ROM)
        if named.design.tbox is Tbox.FIXED and bits:
            assert bits % (256 * 32) == 0


def test_records_of_other_rtl_do_not_count() -> None:
    old = {**record("qin-4sm", "ecp5-85k", 100.0), "rtl_hash": "other", "netlist_hash": "other"}
    assert Study([old]).record("qin-4sm", "ecp5-85k") is None
    assert Study([old], stale=True).record("qin-4sm", "ecp5-85k") == old
    new = record("qin-4sm", "ecp5-85k", 120.0)
    assert Study([new, old]).record("qin-4sm", "ecp5-85k") == new
    assert Study([old, new], stale=True).record("qin-4sm", "ecp5-85k") == new
    # Axes behind the name are part of what is looked for.
    ram = record("kakarlapudi-sbox-enc-128 sbox=rom", "ecp5-85k", 90.0)
    both = Study([ram, record("kakarlapudi-sbox-enc-128", "ecp5-85k", 80.0)])
    assert both.figure("kakarlapudi-sbox-enc-128 sbox=rom", "ecp5-85k", "mhz") == 90
    assert both.figure("kakarlapudi-sbox-enc-128", "ecp5-85k", "mhz") == 80
    assert Study([ram]).figure("kakarlapudi-sbox-enc-128", "ecp5-85k", "mhz") is None
    assert Study([ram]).record("no-such-design", "ecp5-85k") is None


# --------------------------------------------------------------------------- conclusions


def test_direction_change_is_that_of_the_contract() -> None:
    holds, clocks = _claim("fischer-direction").judge(lambda _, __: 1.0)
    assert holds
    assert list(clocks.values()) == [0, 257]


@pytest.mark.parametrize(
    "claim",
    [claim for claim in conclusions.CONCLUSIONS if claim.name != "fischer-direction"],
    ids=lambda claim: claim.name,
)
def test_a_verdict_can_be_either(claim: conclusions.Conclusion) -> None:
    """No conclusion is bound to hold, or to fail, whatever the figures are."""
    wanted = [(d, metric) for metric, designs in claim.needs.items() for d in designs]
    wanted += [(label, "part") for label in claim.component_needs]
    answers = set()
    for values in _figures_to_try(wanted):
        holds, numbers = claim.judge(conclusions._reader(values))
        answers.add(holds)
        assert numbers
    assert answers == {True, False}


def _figures_to_try(wanted: list[tuple[str, str]]) -> list[Mapping[tuple[str, str], float]]:
    """Rising, falling, in proportion, and every pair of small and large numbers."""
    rising = {key: float(number) for number, key in enumerate(wanted, 1)}
    falling = {key: 1000.0 / number for number, key in enumerate(wanted, 1)}
    tried: list[Mapping[tuple[str, str], float]] = [rising, falling]
    for scale in (1e-3, 0.3, 0.8, 1.0, 20000.0):
        tried.append(dict.fromkeys(wanted, scale))
    rounds = {"pilchard-unrolled-2": 2.0, "pilchard-unrolled-5": 5.0, "pilchard-unrolled-10": 10.0}
    tried.append({key: rounds.get(key[0], 1.0) for key in wanted})
    for metric in {metric for _, metric in wanted}:
        keys = [key for key in wanted if key[1] == metric]
        for first in keys:
            for factor in (0.25, 0.5, 1.02, 1.1, 1.8, 3.0):
                tried.append({**dict.fromkeys(wanted, 1.0), first: factor})
        # Both orders within this metric, beside both orders of the others.
        for base in (rising, falling):
            for order in (keys, keys[::-1]):
                moved = {key: 10.0 / number for number, key in enumerate(order, 1)}
                tried.append({**base, **moved})
    small = {"qin-unrolling key_sbox=rom": 120.0}
    tried.append({key: small.get(key[0], 40.0) for key in wanted})
    quarter = {"qin-4sm": 1.0, "qin-8sm": 2.0, "qin-unrolling": 4.0}
    tried.append({key: quarter.get(key[0], 1.0) for key in wanted})
    levels = {"standaert-ram-pipeline-42": 0.5}
    tried.append({key: levels.get(key[0], 1.0) for key in wanted})
    economic = {"ram": 0.5, "mbit_s": 0.5, "lut": 1.1}
    tried.append({key: economic[key[1]] if "economic" in key[0] and key[1] in economic else 1.0
                  for key in wanted})  # fmt: skip
    slower = {("qin-4sm-permuted", "mbit_s"): 0.9}
    tried.append({key: slower.get(key, 1.0) for key in wanted})
    return tried


def test_designs_of_conclusions_exist() -> None:
    """But for the narrow ones, whose architecture a checkout may not have."""
    for design in conclusions.designs_needed():
        if not design.startswith("fischer-economic-"):
            study.find(design).design.require_legal()
    names = [claim.name for claim in conclusions.CONCLUSIONS]
    assert len(set(names)) == len(names)
    assert {claim.paper for claim in conclusions.CONCLUSIONS} == set(published.PAPERS)


def test_verdicts_follow_the_records() -> None:
    claim = _claim("qin-4sm")
    four = record("qin-4sm", "ecp5-85k", 176.0)
    one = record("qin-unrolling", "ecp5-85k", 160.0)
    held = conclusions.judge(claim, Study([four, one]))
    assert held.verdict == "holds"
    assert held.why == ""
    assert held.close == frozenset()
    assert held.answer("ecp5-85k") == "yes"
    # 1.1 times as fast, of which 1.05 are asked, and seeds that leave it open.
    wide = {"median": 176.0, "min": 150.0, "max": 180.0}
    close = conclusions.judge(claim, Study([{**four, "fmax_mhz": wide}, one]))
    assert close.verdict == "open"
    assert close.why == ""
    assert close.answer("ecp5-85k") == "yes, but within the spread of the seeds"
    assert close.to_json()["by_device"]["ecp5-85k"]["within_spread"] is True
    holds, numbers = held.by_device["ecp5-85k"]
    assert holds
    assert numbers["ratio"] == 1.1
    assert numbers[conclusions.SPREAD] == 1.25

    slow = [record("qin-4sm", "ice40-hx8k", 50.0), record("qin-unrolling", "ice40-hx8k", 60.0)]
    failed = conclusions.judge(claim, Study(slow))
    assert failed.verdict == "does not hold"
    assert failed.why == claim.today
    # Beside the reason stand the longest paths that it speaks of; not where the paper is right.
    assert {d: str(path) for d, path in failed.longest["ice40-hx8k"].items()} == dict.fromkeys(
        ("qin-4sm", "qin-unrolling"), "2.00 ns logic and 8.00 ns routing (80 %)"
    )
    assert held.longest == {}
    # A device that the seeds leave open does not count beside one that they do not.
    mixed = conclusions.judge(claim, Study([{**four, "fmax_mhz": wide}, one, *slow]))
    assert mixed.verdict == "does not hold"
    assert mixed.close == {"ecp5-85k"}
    both = conclusions.judge(claim, Study([four, one, *slow]))
    assert both.verdict == "holds in part"
    assert [holds for holds, _ in both.by_device.values()] == [True, False]

    alone = conclusions.judge(claim, Study([four]))
    assert alone.verdict == "not enough records"
    assert alone.missing == ("qin-unrolling on ecp5-85k: Mbit/s a Kbit",)
    assert alone.by_device == {}
    # A core that does not fit has no clock, so it says nothing about throughput.
    unfit = {**one, "status": "does not fit", "fmax_mhz": None, "throughput_mbit_s": None}
    without = conclusions.judge(claim, Study([four, unfit]))
    assert without.verdict == "not enough records"
    assert without.missing == ("qin-unrolling on ecp5-85k: Mbit/s a Kbit (recorded: does not fit)",)
    # Records of both, but on different devices, compare nothing; and synthesis has no clock.
    apart = conclusions.judge(claim, Study([four, slow[1]]))
    assert apart.missing == ("qin-unrolling on ecp5-85k: Mbit/s a Kbit",)
    area = conclusions.judge(claim, Study([record("qin-4sm", "virtex")]))
    assert area.missing == tuple(
        f"{design} on ecp5-85k: Mbit/s a Kbit" for design in ("qin-4sm", "qin-unrolling")
    )


def test_no_clock_is_asked_of_a_device_without_place_and_route() -> None:
    """However many areas are known there already."""
    designs = [f"pilchard-unrolled-{point}" for point in ("1", "1 sbox=table", "2", "5")]
    areas = Study([record(design, "virtex") for design in designs])
    assert conclusions.judge(_claim("pilchard-first"), areas).missing == tuple(
        f"{design} on ecp5-85k: LUT, Mbit/s" for design in designs
    )


def test_conclusions_about_a_device_or_components() -> None:
    claim = _claim("standaert-too-large")
    large = {"lut": 30000, "ff": 10}
    elsewhere = Study([record("standaert-pipeline-42", "ecp5-85k", 90.0, **large)])
    assert conclusions.judge(claim, elsewhere).verdict == "not enough records"
    virtex = Study([record("standaert-pipeline-42", "virtex", **large)])
    assert conclusions.judge(claim, virtex).verdict == "holds"

    claim = _claim("kakarlapudi-inverse")
    inverse, forward = claim.component_needs
    nothing = conclusions.judge(claim, Study([]))
    assert nothing.missing == tuple(
        f"{n} on ecp5-85k: LUT (aesfab components)" for n in (inverse, forward)
    )
    areas = {"virtex": {inverse: 180.0, forward: 100.0}, "virtex-5": {inverse: 300.0}}
    verdict = conclusions.judge(claim, Study([]), areas)
    assert verdict.verdict == "holds"
    assert list(verdict.by_device) == ["virtex"]


# -------------------------------------------------------------------------------- tables


@pytest.fixture
def measured() -> Study:
    names = [name for name, named in catalogue.CATALOGUE.items() if named.paper]
    return Study(
        [record(name, "ecp5-85k", 100.0, lut=77) for name in names]
        + [record(name, "virtex", lut=88) for name in names]
    )


@pytest.mark.parametrize("paper", published.PAPERS)
def test_printed_values_and_ours_never_mix(paper: str, measured: Study) -> None:
    result = papers.reproduce(paper, measured)
    printed = [line for table in result.tables for line in table.lines if line.printed]
    ours = [line for table in result.tables for line in table.lines if not line.printed]
    # Every row of the paper but parts of other kinds is somewhere, with its own values.
    rows: dict[str, list[published.Printed]] = {}
    for row in published.of_paper(paper):
        rows.setdefault(row.system, []).append(row)
    for line in printed:
        assert line.device == ""
        assert line.source.startswith("printed")
        candidates = [
            {str(value) for value in (*row.figures().values(), row.process_um)}
            for row in rows[line.system]
        ]
        derived = {"lut_per_ff", "core_kbit", "key_kbit"}
        values = {str(v) for name, v in line.figures.items() if name not in derived}
        assert any(
            values <= {c.replace("(", "[").replace(")", "]") for c in candidate}
            for candidate in candidates
        )
        assert not {"mbit_s_per_lut", "lut_levels"} & set(line.figures)
    assert ours
    for line in ours:
        assert line.source.startswith("ours")
        assert line.figures["lut"] == {"ecp5-85k": 77, "virtex": 88}[line.device]
        assert ("mbit_s" in line.figures) is (line.device == "ecp5-85k")
        assert "le" not in line.figures
    for chart in result.charts:
        heights = [row.get("value", row.get("efficiency")) for row in chart.rows]
        assert all(isinstance(height, int | float) for height in heights)
        series = {str(row["series"]) for row in chart.rows}
        assert any("ours" in name for name in series)


def test_every_printed_core_is_in_a_table() -> None:
    nothing = Study([])
    for paper in published.PAPERS:
        result = papers.reproduce(paper, nothing)
        shown = {line.system for table in result.tables for line in table.lines}
        assert {row.system for row in published.of_paper(paper)} <= shown
        assert all(line.printed for table in result.tables for line in table.lines)
        # Whatever rests on records says that there are none.
        assert {verdict.verdict for verdict in result.verdicts} == {"not enough records"}


def test_what_is_lost_has_no_printed_value(measured: Study) -> None:
    (table,) = [t for t in papers.reproduce("standaert2003", measured).tables
                if t.name == "table-6"]  # fmt: skip
    lost = [line for line in table.lines if line.printed]
    assert len(lost) == 7
    assert all(set(line.figures) == {"latency_cycles"} for line in lost)
    (table,) = [t for t in papers.reproduce("pilchard", measured).tables
                if t.name == "figures-7"]  # fmt: skip
    assert [len(line.figures) > 0 for line in table.lines if line.printed] == [
        True, False, False, False,
    ]  # fmt: skip


# -------------------------------------------------------------------------------- charts


def test_pareto_front() -> None:
    points = [(1, 1), (2, 5), (2, 4), (3, 5), (4, 9), (5, 8)]
    rows = [{"a": a, "b": b} for a, b in points]
    front = [(row["a"], row["b"]) for row in charts.pareto(rows, "a", "b")]
    assert front == [(1, 1), (2, 5), (4, 9)]


def test_graphs_become_files(measured: Study, tmp_path: Path) -> None:
    graphs = papers.reproduce("qin2005", measured).charts
    files = charts.write(graphs, tmp_path / "new", with_png=True)
    assert {file.suffix for file in files} == {".svg", ".png"}
    for chart in graphs:
        root = ET.fromstring((tmp_path / "new" / f"{chart.name}.svg").read_text())
        marks = [
            path for path in root.iter("{http://www.w3.org/2000/svg}path")
            if "graphics-symbol" in (path.get("aria-roledescription") or "")
            or path.get("aria-roledescription") in ("point", "bar")
        ]  # fmt: skip
        assert len(marks) == len(chart.rows)
        assert (tmp_path / "new" / f"{chart.name}.png").read_bytes().startswith(b"\x89PNG")
    (tmp_path / "file").write_text("")
    with pytest.raises(AesfabError, match="cannot write"):
        charts.write(graphs[:1], tmp_path / "file")


def test_nothing_to_divide_by_is_no_gain() -> None:
    """A device without block RAM saves none."""
    names = ("qin-4sm", "qin-8sm", "qin-unrolling")
    verdict = conclusions.judge(
        _claim("qin-memory"), Study([record(name, "virtex", ram=0) for name in names])
    )
    assert verdict.verdict == "does not hold"


# ------------------------------------------------------------------------------- command


def test_command(aesfab: Cli, tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    lines = [
        record("qin-4sm", "ecp5-85k", 176.0),
        record("qin-unrolling", "ecp5-85k", 160.0),
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = aesfab("papers", "qin2005", "--records", file, "--svg", tmp_path / "svg", "--png")
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"^AES-4SM, key S-boxes in LEs +printed, Stratix .* 43\.86 ", done.stdout, re.M
    )
    assert re.search(r"^AES-4SM, key .* +ours, ecp5-85k \(place and route\)", done.stdout, re.M)
    assert "HOLDS: AES-4SM gives about 10 %" in done.stdout
    assert "Missing: qin-8sm on ecp5-85k: Mbit/s a Kbit" in done.stdout
    for kind, begin in (("svg", b"<svg"), ("png", b"\x89PNG")):
        assert (tmp_path / "svg" / f"qin2005-efficiency.{kind}").read_bytes().startswith(begin)
    done = aesfab("papers", "--records", file, "--json")
    everything = json.loads(done.stdout)
    assert [result["paper"] for result in everything] == list(published.PAPERS)
    (verdict,) = [c for c in everything[1]["conclusions"] if c["name"] == "qin-4sm"]
    assert verdict["verdict"] == "holds"
    assert verdict["by_device"]["ecp5-85k"]["numbers"]["ratio"] == 1.1
    for wrong, says in [
        (("qin",), "unknown paper 'qin'; did you mean qin2005"),
        (("qin2005", "--records", tmp_path / "none"), "no such file"),
        (("qin2005", "--png"), "--png goes with --svg"),
    ]:
        done = aesfab("papers", *wrong)
        assert done.returncode == 2
        assert says in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_cells() -> None:
    assert [papers.cell(v) for v in (None, 3, 3.0, 0.69, 10.4, 1563.4, [1, 1], [0.84, 1.68])] == [
        "", "3", "3", "0.6900", "10.40", "1563.4", "1", "0.8400 - 1.68",
    ]  # fmt: skip
    assert dataclasses.is_dataclass(papers.Line)


def test_without_files_the_shipped_records_count(aesfab: Cli) -> None:
    """Anywhere: the command runs in an empty folder here. Every record on an open fabric shows."""
    shipped = {(made["design"], made["device"]) for made in records.shipped("implement")}
    assert shipped
    done = aesfab("papers", "--stale", "--json")
    assert done.returncode == 0, done.stderr
    lines = [
        line
        for result in json.loads(done.stdout)
        for table in result["tables"]
        for line in table["lines"]
    ]
    ours = {
        (line["design"].partition(" ")[0], line["device"]) for line in lines if not line["printed"]
    }
    # A line without a design is of a component.
    parts = {("", made["device"]) for made in records.shipped("components")}
    assert ours <= shipped | parts
    assert ("", "virtex") in ours & parts, "the parts beside standaert2003's Tables 1 to 3"
    printed = {line["design"] for line in lines if line["printed"]}
    placed = {pair for pair in shipped if devices.find(pair[1]).place_and_route}
    assert {pair for pair in placed if pair[0] in printed} <= ours

    done = aesfab("classes", "--stale", "--json")
    assert done.returncode == 0, done.stderr
    reached = [target for each in json.loads(done.stdout)["classes"] for target in each["targets"]]
    assert any(target["figures"] for target in reached)
    assert {(t["design"], t["device"]) for t in reached if t["figures"]} <= shipped
