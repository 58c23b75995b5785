# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tables beside the papers', and conclusions whose verdict follows the records."""

from __future__ import annotations

import dataclasses
import json
import random
import re
import statistics
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import passed
from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.design.axes import Sbox, Tbox
from aesfab.errors import AesfabError
from aesfab.study import charts, conclusions, papers, published, study
from aesfab.study.study import Study
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
    assert figures["percent"] == pytest.approx(100 * 1500 / 83640)
    assert figures["ram_percent"] == pytest.approx(100 * 20 / 208)
    assert figures["spread"] == pytest.approx(1)


def test_share_of_a_device_is_that_of_what_runs_out_first() -> None:
    """Of cells where a LUT and its flip-flop are one, also of a design that does not fit."""
    for device, lut, ff, slices, percent in (
        # The larger of LUTs and of flip-flops, of which a GW1N-9 has fewer.
        ("ecp5-85k", 41820, 100, 21000, 50),
        ("ecp5-85k", 100, 83640, 42000, 100),
        ("gw1n-9", 4320, 4320, 2200, 100 * 4320 / 6480),
        ("gw1n-9", 17280, 100, 8700, 200),
        # Of cells, as many as pairs: here half of the flip-flops stand behind no LUT.
        ("ice40-hx8k", 3000, 3680, 3840, 50),
        ("ice40-hx8k", 12000, 4000, 15360, 200),
    ):
        made = record("pilchard-unrolled-2", device, lut=lut, ff=ff, slices_estimate=slices)
        made |= {"status": "does not fit"} if percent > 100 else {}
        share = Study([made]).figure("pilchard-unrolled-2", device, "percent")
        assert share == pytest.approx(percent), device
    # Nothing is known of a family.
    areas = Study([record("pilchard-unrolled-2", "virtex")])
    assert areas.figure("pilchard-unrolled-2", "virtex", "percent") is None


def test_sizes_of_devices_are_those_that_nextpnr_reports() -> None:
    """In every shipped record; where LUTs and flip-flops are one cell the site is that."""
    kinds = {
        "lut": ("TRELLIS_COMB", "ICESTORM_LC", "OXIDE_COMB", "LUT4", "CPE_LT"),
        "ff": ("TRELLIS_FF", "ICESTORM_LC", "OXIDE_FF", "DFF", "CPE_FF"),
        "ram": ("DP16KD", "ICESTORM_RAM", "OXIDE_EBR", "BSRAM", "RAM_HALF"),
    }
    seen = set()
    for made in records.shipped("implement"):
        used = made["recipes"].get(made["recipe"], {}).get("utilisation") or {}
        sites = devices.find(made["device"]).sites
        for resource, names in kinds.items():
            for name in set(names) & set(used):
                assert sites is not None
                assert getattr(sites, resource) == used[name][1], (made["device"], name)
                seen.add((made["device"], resource))
    assert {device for device, _ in seen} >= {"ecp5-85k", "ice40-hx8k", "gw1n-9", "gw2a-18"}
    assert all(each.sites is not None for each in devices.DEVICES.values() if each.place_and_route)


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


def test_a_row_is_taken_from_the_records_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks, and however often: hashes and metrics of a design are taken for its row."""
    asked, whole = [], study.is_current

    def counted(each: records.Record, named: catalogue.Named) -> bool:
        asked.append(named.name)
        return whole(each, named)

    monkeypatch.setattr(study, "is_current", counted)
    known = Study([record("qin-4sm", "ecp5-85k", 100.0)])
    for _ in range(2):
        assert study.figures(known, "qin-4sm", "ecp5-85k")["mhz"] == 100
        assert known.figure("qin-4sm", "ecp5-85k", "mhz") == 100
        assert [row.design for row in known.rows()] == ["qin-4sm"]
    assert asked == ["qin-4sm"]
    assert known.by_recipe("qin-4sm", "ecp5-85k") is known.by_recipe("qin-4sm", "ecp5-85k")


# --------------------------------------------------------------------------- conclusions


def test_direction_change_is_that_of_the_contract() -> None:
    holds, clocks = _claim("fischer-direction").judge(lambda _, __: 1.0)
    assert holds
    assert list(clocks.values()) == [0, 257]


# What follows from the architectures, whatever is measured, and what nothing measured can tell.
COUNTED = {"fischer-direction", "pilchard-too-large"}
UNTESTABLE = {claim.name for claim in conclusions.CONCLUSIONS if claim.untestable}


@pytest.mark.parametrize(
    "claim",
    [claim for claim in conclusions.CONCLUSIONS if claim.name not in COUNTED | UNTESTABLE],
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
    partial = {"qin-4sm": 1.5, "qin-8sm": 1.5}
    tried.append({key: partial.get(key[0], 1.0) for key in wanted})
    unrolled = {"pilchard-unrolled-5": 12000.0, "pilchard-unrolled-10": 24000.0}
    tried.append({key: unrolled.get(key[0], 1.0) for key in wanted})
    tried.append({key: 2.0 if "combining" in key[0] else 1.0 for key in wanted})
    growing = dict(zip(conclusions._GROWING, (0.25, 0.5), strict=False))
    tried.append({key: growing.get(key[0], 1.0) for key in wanted})
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
    assert {claim.paper for claim in conclusions.CONCLUSIONS} == set(published.of_catalogue())


def _clocked(design: str, clocks: list[float]) -> records.Record:
    """A record of ECP5 with these clocks over the seeds."""
    by_seed = {str(seed): mhz for seed, mhz in enumerate(clocks, 1)}
    made = record(design, "ecp5-85k", statistics.median(clocks))
    return {**made, "fmax_mhz": {**made["fmax_mhz"], "seeds": by_seed}}


def test_seeds_that_do_not_tell_designs_apart_leave_it_open() -> None:
    """Of designs that are alike in truth, the verdicts that claim a difference are few.

    The rule asks for 95 % one way or the other, so about one in ten would; medians of few seeds
    are coarse, which shifts that by some. Of designs that differ by the range of the seeds all do.
    """
    claim = _claim("fischer-both")
    tbox, sbox = claim.needs["mbit_s"]
    draw = random.Random(1)

    def settled(gain: float, seeds: int, times: int) -> float:
        decided = 0
        for _ in range(times):
            faster = _clocked(tbox, [gain + draw.random() for _ in range(seeds)])
            other = _clocked(sbox, [10 + draw.random() for _ in range(seeds)])
            said = conclusions.judge(claim, Study([other, faster]))
            decided += said.verdict != "open" and not said.equal
        return decided / times

    assert 0 < settled(10, 5, 60) < 0.3
    assert 0 < settled(10, 15, 60) < 0.25
    assert settled(11, 5, 5) == 1
    # More seeds see a smaller difference.
    assert settled(10.35, 5, 40) < settled(10.35, 15, 40)


def test_a_difference_that_no_seeds_show_is_not_there() -> None:
    """Many seeds of designs that are alike: equal within 3 %, which is no difference."""
    claim = _claim("fischer-both")
    tbox, sbox = claim.needs["mbit_s"]
    draw = random.Random(2)

    def judged(gain: float, spread: float, seeds: int) -> conclusions.Verdict:
        clocks = [100 + spread * draw.random() for _ in range(seeds)]
        faster = _clocked(tbox, [gain * mhz for mhz in clocks])
        return conclusions.judge(claim, Study([_clocked(sbox, clocks), faster]))

    for gain in (0.998, 1.002):
        same = judged(gain, 10, 61)
        assert same.verdict == "does not hold"
        assert same.answer("ecp5-85k") == "no: equal within 3 %"
        assert same.to_json()["by_device"]["ecp5-85k"] | {"numbers": {}} == {
            "holds": False, "numbers": {}, "within_spread": False, "equal": True,
            "recipes": ["default"], "recipes_not_of_all": [],
        }  # fmt: skip
        assert same.why == claim.today
    # Of a claim that is of something else it says nothing.
    other = dataclasses.replace(claim, difference=False)
    clocks = [100 + 10 * draw.random() for _ in range(61)]
    study = Study([_clocked(sbox, clocks), _clocked(tbox, [1.002 * mhz for mhz in clocks])])
    assert conclusions.judge(other, study).verdict == "open"
    # Few of them, or wide apart, say that neither; a difference is one however small.
    assert judged(1.002, 10, 5).verdict == "open"
    assert judged(1.002, 60, 61).verdict == "open"
    assert judged(1.02, 2, 15).verdict == "holds"
    assert judged(0.98, 2, 15).answer("ecp5-85k") == "no"


def test_verdicts_are_counted_in_their_order() -> None:
    claim = _claim("standaert-14-gbit")
    said = [
        conclusions.Verdict(claim, verdict, {}, frozenset(), ())
        for verdict in ("open", "does not hold", "holds", "open")
    ]
    counts = list(conclusions.counts(said).items())
    assert counts == [("holds", 1), ("does not hold", 1), ("open", 2)]


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
    # More seeds with the same ends: few draws of them have a median at an end. And the same again.
    clocks = [150.0, 171, 172, 173, 174, 175, 175.5, 176, 176.5, 177, 177.5, 178, 178.5, 179, 180]
    more = {**wide, "seeds": {str(seed): mhz for seed, mhz in enumerate(clocks)}}
    known = Study([{**four, "fmax_mhz": more}, one])
    assert conclusions.judge(claim, known) == conclusions.judge(claim, known)
    assert conclusions.judge(claim, known).verdict == "holds"

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


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("u_core.u_core.gen_a.u_part.x_q_TRELLIS_FF_Q_3.Q", "u_part.x_q"),
        ("u_core.x_q_DFFR_Q_2.Q", "x_q"),
        ("u_core.u_sbox.rom.0.0.DOB5", "u_sbox.rom"),
        ("u_core.sub_SB_DFF_Q_5_D_SB_LUT4_O_LC.I2", "sub"),
        ("capture_q_TRELLIS_FF_Q_2.DI", "capture_q of the harness"),
        # Called after another net: to say that net would name a path that is not there.
        ("u_core.rst_ni_LUT4_D_Z_TRELLIS_FF_LSR.Q", "a register near rst_ni"),
        ("u_core.u_part.d_i_TRELLIS_FF_DI_Q_TRELLIS_FF_DI.Q", "a register near u_part.d_i"),
        ("u_core.in_valid_i_SB_LUT4_I2_O_SB_DFFR_D_Q_DFFLC.O", "a register near in_valid_i"),
        ("u_core.in_valid_i_LUT2_I0_F_DFFC_D.Q", "a register near in_valid_i"),
    ],
)
def test_ends_of_paths_are_what_the_rtl_calls_so(cell: str, said: str) -> None:
    run = {"fmax_mhz": 100.0, "logic_ns": 1.0, "routing_ns": 9.0, "from": cell, "to": cell}
    made = {**record("qin-4sm", "ecp5-85k", 100.0), "recipe": "default"}
    path = study.longest_path({**made, "recipes": {"default": {"runs": {"1": run}}}})
    assert path is not None
    assert (path.begin, path.end) == (said, said)


def test_no_clock_is_asked_of_a_device_without_place_and_route() -> None:
    """However many areas are known there already."""
    designs = [f"pilchard-unrolled-{point}" for point in ("1", "2", "5")]
    areas = Study([record(design, "virtex") for design in designs])
    assert conclusions.judge(_claim("pilchard-first"), areas).missing == tuple(
        f"{design} on ecp5-85k: LUT, Mbit/s" for design in designs
    )


# ------------------------------------------------------------- figures that do not count


RAM_LOOPS = [f"standaert-ram-sequential-{n}" for n in (21, 31, 42, 52)]


def _loops(device: str, **mhz: float) -> list[records.Record]:
    """The loops with S-boxes in RAM; the long ones are the best where nothing else is said."""
    names = [*RAM_LOOPS, "standaert-ram-compact-21"]
    clocks = dict(zip(names, (10.0, 10.0, 100.0, 200.0, 10.0), strict=True)) | mhz
    return [record(name, device, clocks[name], ram=10) for name in names]


@pytest.mark.parametrize("device", ["gw1n-9", "gw2a-18", "gw5a-25"])
def test_clocks_that_are_upper_bounds_give_no_verdict(device: str) -> None:
    """With block RAM on a device whose timing analysis leaves it out; without they count."""
    claim = _claim("standaert-ram-loops")
    reason = devices.find(device).ram_clock
    assert "port B" in reason
    alone = conclusions.judge(claim, Study(_loops(device)))
    assert alone.verdict == "not enough records"
    assert alone.by_device == {}
    assert alone.left_out == {device: reason}
    assert alone.to_json()["left_out"] == {device: reason}
    # Not on the device that is left out, though nothing is missing there.
    assert {said.partition(" on ")[2].partition(":")[0] for said in alone.missing} == {"ecp5-85k"}
    assert f"  Left out: {device}: {reason}" in papers.verdict_lines(alone)
    both = conclusions.judge(claim, Study([*_loops(device), *_loops("ice40-hx8k")]))
    assert both.verdict == "does not hold"
    assert list(both.by_device) == ["ice40-hx8k"]
    # Shares of routing come from the same paths; areas do not.
    assert conclusions.judge(_claim("standaert-routing-ram"), Study(_loops(device))).left_out
    areas = [record(n, device, ram=10) for n in ("qin-4sm", "qin-8sm", "qin-unrolling")]
    assert conclusions.judge(_claim("qin-memory"), Study(areas)).by_device
    # A core without block RAM has a clock like any other.
    tables = [record(f"pilchard-unrolled-{n}", device, 40.0) for n in (2, 5)]
    assert list(conclusions.judge(_claim("pilchard-equal"), Study(tables)).by_device) == [device]


def test_counts_of_ram_that_are_upper_bounds_give_no_verdict() -> None:
    """Yosys gives a M9K one port of its two, so the count says nothing of the device."""
    reason = devices.find("cyclone-iv").ram_count
    needed = {
        "qin-memory": ("qin-4sm", "qin-8sm", "qin-unrolling"),
        "qin-small-device": conclusions._QI_SMALL,
        "fischer-memory": (conclusions._FI_T[0], conclusions._FI_S[0]),
    }
    for name, designs in needed.items():
        counted = [record(design, "cyclone-iv", ram=80) for design in designs]
        verdict = conclusions.judge(_claim(name), Study(counted))
        assert (verdict.verdict, verdict.left_out) == ("not enough records", {"cyclone-iv": reason})
        assert all("cyclone-iv" not in said for said in verdict.missing)
    # What counts LUTs is judged there.
    areas = [record(design, "cyclone-iv", ram=20) for design in conclusions._FI_T]
    areas += [record(design, "cyclone-iv", ram=20) for design in conclusions._FI_S]
    assert conclusions.judge(_claim("fischer-few-luts"), Study(areas)).by_device
    # A device with a real count stays in.
    real = [record(design, "virtex", ram=80) for design in needed["qin-memory"]]
    assert list(conclusions.judge(_claim("qin-memory"), Study(real)).by_device) == ["virtex"]


def test_seeds_without_places_are_noted() -> None:
    made = record("qin-4sm", "ecp5-85k", 100.0, seeds=[1, 2, 3])
    made["recipes"]["default"]["runs"]["3"] = {"status": "does not fit"}
    tables = papers.reproduce("qin2005", Study([made])).tables
    notes = {
        line.note for table in tables for line in table.lines if line.figures and not line.printed
    }
    assert notes == {"4 clocks a block period; no place with 1 of 3 seeds"}


def test_bounds_are_marked_in_tables() -> None:
    made = [
        record("qin-4sm", "gw2a-18", 200.0, ram=20),
        record("qin-4sm", "ecp5-85k", 200.0, ram=20),
        record("qin-4sm", "cyclone-iv", ram=40),
        record("pilchard-unrolled-2", "gw2a-18", 50.0),
    ]
    result = papers.reproduce("qin2005", Study(made))
    (table,) = [table for table in result.tables if table.name == "table-2"]
    lines = {line.device: line for line in table.lines if line.design == "qin-4sm" and line.device}
    assert lines["gw2a-18"].text("mhz") == "<= 200"
    assert lines["gw2a-18"].text("mbit_s_per_kbit") == "<= 80"
    assert lines["gw2a-18"].text("latency_ns") == ">= 400"
    assert lines["gw2a-18"].text("ram") == "20"
    assert lines["gw2a-18"].text("lut_levels") == "2"
    assert lines["ecp5-85k"].text("mhz") == "200"
    assert lines["ecp5-85k"].bounds == {}
    assert lines["cyclone-iv"].text("ram") == "<= 40"
    assert lines["cyclone-iv"].text("mhz") == ""
    for device, kind in (("gw2a-18", "ram_clock"), ("cyclone-iv", "ram_count")):
        assert getattr(devices.find(device), kind) in table.note
    series = {row["series"] for chart in result.charts for row in chart.rows}
    assert {"ours, gw2a-18 (at most)", "ours, ecp5-85k"} <= series
    # No block RAM, no bound.
    (table,) = [t for t in papers.reproduce("pilchard", Study(made)).tables
                if t.name == "figures-7"]  # fmt: skip
    (line,) = [line for line in table.lines if line.device == "gw2a-18"]
    assert line.text("mhz") == "50"
    assert "Bounds" not in table.note


def test_slices_are_named_where_they_are_counted() -> None:
    made = [record("standaert-sequential-52", d, 90.0) for d in ("ecp5-85k", "ice40-hx8k")]
    result = papers.reproduce("standaert2003", Study(made))
    (table,) = [table for table in result.tables if table.name == "table-4"]
    assert "slice of 2 LUT4: Virtex (printed), ecp5-85k; logic cell of 1 LUT4: ice40" in table.note
    (chart,) = [chart for chart in result.charts if chart.name == "standaert2003-table-5"]
    assert {row["series"] for row in chart.rows} == {
        "printed, Virtex (slice of 2 LUT4)",
        "ours, ecp5-85k (slice of 2 LUT4)",
        "ours, ice40-hx8k (logic cell of 1 LUT4)",
    }
    (chart,) = [c for c in papers.reproduce("kakarlapudi", Study(
        [record("kakarlapudi-sbox-both-128", "ecp5-85k", 90.0)]
    )).charts if c.name == "kakarlapudi-graph-2"]  # fmt: skip
    assert {row["series"] for row in chart.rows if "S-box" in str(row["series"])} == {
        "S-box, printed, Virtex-5 (slice of 4 LUT6)",
        "S-box, printed, Spartan-3E (slice of 2 LUT4)",
        "S-box, ours, ecp5-85k (slice of 2 LUT4)",
    }


# ------------------------------------------------------------------- what is compared


def test_unrolled_cores_are_compared_like_for_like() -> None:
    """The S-boxes of the rounds and those of the keys."""
    for name in (
        "pilchard-first-tables",
        "pilchard-equal",
        "pilchard-area",
        "pilchard-too-large-logic",
    ):
        points = [study.find(design).design for design, _ in conclusions._wanted(_claim(name))]
        assert len({(point.sbox, point.key_sbox) for point in points}) == 1, name
    (table,) = {d for d in conclusions.designs_needed() if d.startswith("pilchard-unrolled-1 ")}
    assert study.find(table).design.sbox is Sbox.TABLE
    # It is judged by itself, so that it does not keep the others waiting for its records.
    made = [record(f"pilchard-unrolled-{n}", "ecp5-85k", 90.0 / n, lut=100 * n) for n in (1, 2, 5)]
    assert conclusions.judge(_claim("pilchard-first"), Study(made)).verdict == "holds"
    waiting = conclusions.judge(_claim("pilchard-first-tables"), Study(made))
    assert waiting.verdict == "not enough records"
    assert waiting.missing == (f"{table} on ecp5-85k: LUT, Mbit/s",)


def test_the_best_loops_are_those_with_two_levels_a_round() -> None:
    """Also the one with a single key addition (Fig. 9)."""
    claim = _claim("standaert-ram-loops")
    compact = _loops("ecp5-85k", **{"standaert-ram-compact-21": 500.0})
    assert conclusions.judge(claim, Study(compact)).verdict == "holds"
    assert conclusions.judge(claim, Study(_loops("ecp5-85k"))).verdict == "does not hold"


def test_shares_of_routing_are_tested_against_the_seeds() -> None:
    claim = _claim("standaert-routing")

    def judged(*logic: float) -> conclusions.Verdict:
        runs = {str(n): {"logic_ns": each, "routing_ns": 1 - each} for n, each in enumerate(logic)}
        made = record("standaert-sequential-52", "ecp5-85k", 90.0)
        return conclusions.judge(claim, Study([{**made, "recipes": {"default": {"runs": runs}}}]))

    assert judged(0.19, 0.20, 0.21).verdict == "holds"
    open_ = judged(0.19, 0.20, 0.31)
    assert open_.verdict == "open"
    assert open_.close == {"ecp5-85k"}
    assert judged(0.28, 0.31, 0.4).verdict == "open"
    assert judged(0.35, 0.36, 0.4).verdict == "does not hold"


def test_too_large_needs_one_that_fits() -> None:
    claim = _claim("pilchard-too-large-logic")
    for five, ten, verdict in (
        (12288, 24164, "holds"),
        (14215, 24164, "does not hold"),
        (10000, 12288, "does not hold"),
    ):
        made = [
            record(f"pilchard-unrolled-{n}", "virtex-e", slices_estimate=slices)
            for n, slices in ((5, five), (10, ten))
        ]
        assert conclusions.judge(claim, Study(made)).verdict == verdict


def test_claims_about_the_host_are_judged_on_the_model() -> None:
    """Without any record."""
    verdicts = {
        claim.name: conclusions.judge(claim, Study([]))
        for claim in conclusions.CONCLUSIONS
        if claim.model and "link" in claim.model
    }
    names = ("", "-doubles", "-order", "-wider", "-size", "-software")
    assert {name: verdict.verdict for name, verdict in verdicts.items()} == {
        f"pilchard-host{name}": "holds" for name in names
    }
    for verdict in verdicts.values():
        assert list(verdict.by_device) == ["link model of pilchard-p3"]
        assert verdict.missing == ()


@pytest.mark.parametrize(
    ("name", "rates", "holds"),
    [
        ("pilchard-host-wider", [2, 1, 2, 1], True),
        ("pilchard-host-wider", [2, 1, 2, 2], False),
        ("pilchard-host-wider", [1, 1, 2, 1], False),
        ("pilchard-host-order", [2, 1, 2, 1, 2, 1, 2, 1], True),
        ("pilchard-host-order", [2, 1, 2, 1, 2, 1, 2, 2], False),
        ("pilchard-host-size", [1, 2, 98, 100], True),
        ("pilchard-host-size", [1, 2, 96, 100], False),
        ("pilchard-host-size", [2, 2, 98, 100], False),
        ("pilchard-host-software", [1, 2], True),
        ("pilchard-host-software", [2, 2], False),
        ("pilchard-host", [1, 2], True),
        ("pilchard-host", [2, 2], False),
        ("pilchard-host-doubles", [161, 100], False),
        ("pilchard-host-doubles", [217, 100], True),
    ],
)
def test_rules_about_the_host_have_a_sign(name: str, rates: list[float], holds: bool) -> None:
    claim = _claim(name)
    wanted = conclusions._wanted(claim)
    figures = dict(zip(wanted, map(float, rates), strict=True))
    assert claim.judge(conclusions._reader(figures))[0] is holds


# --------------------------------------------------------------- the papers' own figures

PRINTED = {
    "mbit_s": "mbit_s",
    "mhz": "fmax_mhz",
    "ram": "ram_blocks",
    "slices": "slices",
    "mbit_s_per_slice": "mbit_s_per_slice",
    "mbit_s_per_kbit": "mbit_s_per_kbit",
}
# What is printed of another core or in another unit, where a conclusion of ours takes one of ours.
STAND_INS = {
    "standaert-efficiency": {
        "kakarlapudi-sbox-enc-128": "Gaj et al.",
        "pilchard-unrolled-2": "Elbirt et al.",
    },
    "qin-small-device": {"qin-unrolling key_sbox=rom": "UNROLLING, key S-boxes in M4K"},
    "qin-efficiency": {"pilchard-unrolled-1": "Helion (rolling)"},
    "qin-gap": {"pilchard-unrolled-1": "Helion (rolling)"},
}
LOGIC = {
    **dict.fromkeys(
        ("kakarlapudi-smaller", "kakarlapudi-encryption-smaller", "kakarlapudi-tbox-area-order",
         "kakarlapudi-32-bit"), "slices",
    ),
    **dict.fromkeys(
        ("qin-area", "fischer-few-luts", "fischer-economic-logic", "fischer-sharing"), "le"
    ),
}  # fmt: skip
HOST = {
    conclusions._FAST_WAY: "SSE + Write-combining, 15 KB",
    conclusions._SLOW_WAY: "MMX movq + Uncacheable",
    # Of the link without a core, the raw rate is what the paper has.
    conclusions._FAST_LINK: "raw transfer, Write-combining",
    "software": "software, Gladman",
}
NOT_PRINTED = {
    **dict.fromkeys(
        ("standaert-ram-pipelines", "standaert-ram-loops", "standaert-ratio", "standaert-routing",
         "standaert-routing-ram", "standaert-pipeline-efficiency", "standaert-ratio-efficiency"),
        "Table 6 is lost, Table 4 has no clock of the pipeline, shares of routing are words",
    ),
    **dict.fromkeys(
        ("standaert-14-gbit", "standaert-405-slices"), "printed without the design"
    ),
    "qin-shifter": "said in words",
    **dict.fromkeys(
        ("pilchard-first", "pilchard-first-tables", "pilchard-feedback", "pilchard-area",
         "pilchard-clock", "pilchard-equal", "pilchard-too-large-logic"), "the figures are lost",
    ),
    **dict.fromkeys(
        ("pilchard-host-order", "pilchard-host-wider"), "MMX with write-combining is lost"
    ),
    "pilchard-host-size": "Fig. 7.7 is lost",
    "kakarlapudi-inverse": "said in words",
    **dict.fromkeys(("kakarlapudi-ram", "kakarlapudi-ram-area"), "future work"),
    **dict.fromkeys(COUNTED, "follows from the architecture"),
    **dict.fromkeys(UNTESTABLE, "cannot be tested here"),
}  # fmt: skip


def _printed(claim: conclusions.Conclusion, family: str) -> dict[tuple[str, str], float] | None:
    """What the papers print for the figures that a conclusion needs; None where one is missing."""
    found = {}
    for design, metric in conclusions._wanted(claim):
        system = STAND_INS.get(claim.name, {}).get(design) or HOST.get(design)
        name = design.split(" key_sbox=none")[0]
        if design == "core":
            name = "pilchard-unrolled-1"
        rows = [
            row
            for row in published.load()
            if (system in row.system if system else row.design == name)
        ]
        rows.sort(key=lambda row: row.family != family)
        values = []
        for row in rows:
            if metric == "lut" and claim.name in LOGIC:
                values.append(getattr(row, LOGIC[claim.name]))
            elif metric == "lut_per_ff":
                values.append(row.lut / row.ff if row.lut and row.ff else None)
            else:
                values.append(getattr(row, PRINTED[metric]) if metric in PRINTED else None)
        known = [value for value in values if value is not None]
        if not known:
            return None
        found[design, metric] = float(known[0])
    return found


@pytest.mark.parametrize("claim", conclusions.CONCLUSIONS, ids=lambda claim: claim.name)
def test_the_printed_figures_lead_to_the_paper_s_conclusion(claim: conclusions.Conclusion) -> None:
    """Of every conclusion whose figures are printed: a rule with its sign reversed shows here."""
    # fischer2001 sets its economic cores, in an ACEX, beside the fast ones in a FLEX.
    family = "FLEX 10KE" if claim.name.startswith("fischer-economic") else ""
    figures = None if claim.component_needs else _printed(claim, family)
    if claim.name in NOT_PRINTED:
        assert figures is None or claim.name in COUNTED | UNTESTABLE
        return
    assert figures is not None, "not printed, and not said why"
    holds, numbers = claim.judge(conclusions._reader(figures))
    assert holds, numbers


def test_an_economic_core_is_not_compared_across_families() -> None:
    """Half of the throughput holds for the slower of the two devices with the fast core."""
    claim = _claim("fischer-economic")
    for family, answer in (("FLEX 10KE", True), ("APEX", False)):
        figures = _printed(claim, family)
        assert figures is not None
        assert claim.judge(conclusions._reader(figures))[0] is answer


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
    areas = {
        "virtex": {inverse: {"default": 180.0, "shaped": 90.0}, forward: {"default": 100.0}},
        "virtex-5": {inverse: {"default": 300.0}},
    }
    verdict = conclusions.judge(claim, Study([]), areas)
    assert verdict.verdict == "holds"
    assert list(verdict.by_device) == ["virtex"]


def _by_recipe(design: str, device: str, **figures: tuple[float | None, int]) -> list[Any]:
    """A record of a design for each recipe: of its clock and its LUTs."""
    return [
        {**record(design, device, mhz, lut=lut, slices_estimate=lut), "recipe": recipe,
         "recipe_names": [recipe], "recipes": {recipe: {"runs": {}}}}
        for recipe, (mhz, lut) in figures.items()
    ]  # fmt: skip


def test_members_of_a_comparison_have_the_same_recipes() -> None:
    """For an area the smallest, for a clock the fastest, of recipes that all have."""
    claim = dataclasses.replace(
        _claim("qin-memory"),
        needs={"lut": ("qin-4sm", "qin-8sm"), "mhz": ("qin-4sm", "qin-8sm")},
        judge=lambda figures: (
            figures("qin-4sm", "lut") < figures("qin-8sm", "lut"),
            {f"{d} {m}": figures(d, m) for d in ("qin-4sm", "qin-8sm") for m in ("lut", "mhz")},
        ),
    )
    device = "ecp5-85k"
    four = _by_recipe("qin-4sm", device, default=(100, 900), shaped=(120, 700), wide=(300, 10))
    eight = _by_recipe("qin-8sm", device, default=(200, 800), shaped=(190, 850))
    verdict = conclusions.judge(claim, Study([*four, *eight]))
    holds, numbers = verdict.by_device[device]
    assert holds, "by the plain flow alone it would not"
    wanted = {"qin-4sm lut": 700, "qin-4sm mhz": 120, "qin-8sm lut": 800, "qin-8sm mhz": 200}
    assert {name: numbers[name] for name in wanted} == wanted
    assert verdict.recipes[device] == (
        "qin-4sm, LUT: shaped", "qin-8sm, LUT: default", "qin-4sm, MHz: shaped",
        "qin-8sm, MHz: default",
    )  # fmt: skip
    assert verdict.unequal[device] == ("wide: no record of qin-8sm",)
    text = "\n".join(papers.verdict_lines(verdict))
    assert "not of all, so not compared: recipe wide: no record of qin-8sm" in text
    # Without the second recipe of one of them the plain flow decides.
    verdict = conclusions.judge(claim, Study([*four, eight[0]]))
    assert verdict.by_device[device][0] is False
    assert verdict.recipes[device] == ("default",)
    assert verdict.unequal[device] == (
        "shaped: no record of qin-8sm", "wide: no record of qin-8sm",
    )  # fmt: skip
    # An area alone is an area of its recipe, and no clock.
    more = _by_recipe("qin-8sm", device, shaped=(None, 600))
    verdict = conclusions.judge(claim, Study([*four, eight[0], *more]))
    assert verdict.by_device[device] == (
        False,
        {**verdict.by_device[device][1], "qin-4sm lut": 700, "qin-8sm lut": 600},
    )
    assert verdict.by_device[device][1]["qin-4sm mhz"] == 100
    assert verdict.unequal[device] == (
        "shaped: no MHz of qin-8sm", "wide: no record of qin-8sm",
    )  # fmt: skip
    # Where both must be of one circuit, a recipe without a clock does not count.
    one = dataclasses.replace(claim, one_circuit=True)
    verdict = conclusions.judge(one, Study([*four, eight[0], *more]))
    assert verdict.recipes[device] == ("default",)
    assert verdict.by_device[device][1]["qin-8sm lut"] == 800
    verdict = conclusions.judge(one, Study([*four, *eight]))
    assert [verdict.by_device[device][1][f"qin-4sm {m}"] for m in ("lut", "mhz")] == [700, 120]
    assert [verdict.by_device[device][1][f"qin-8sm {m}"] for m in ("lut", "mhz")] == [800, 200]
    assert not conclusions.judge(one, Study([*four[:1], *eight[:1], *more])).missing
    assert conclusions.judge(one, Study([four[1], eight[0], *more])).verdict == "not enough records"
    # Nothing is compared across recipes.
    apart = conclusions.judge(claim, Study([four[1], eight[0]]))
    assert not apart.by_device
    assert apart.missing == (f"qin-4sm on {device}: LUT, MHz by recipe default (recorded: shaped)",)


def test_a_figure_of_another_recipe_says_so() -> None:
    made = _by_recipe("qin-4sm", "ecp5-85k", shaped=(120, 700))
    (table,) = [t for t in papers.reproduce("qin2005", Study(made)).tables if t.name == "table-2"]
    ours = [line for line in table.lines if line.device]
    assert ours
    assert all("recipe shaped" in line.note for line in ours)


# -------------------------------------------------------------------------------- tables


@pytest.fixture
def measured() -> Study:
    names = [name for name, named in catalogue.CATALOGUE.items() if named.paper]
    printed = [row.design for row in published.load() if row.design and row.own]
    names = list(dict.fromkeys([*names, *printed]))
    return Study(
        [record(name, "ecp5-85k", 100.0, lut=77) for name in names]
        + [record(name, "virtex", lut=88) for name in names]
    )


@pytest.mark.parametrize("paper", published.papers())
def test_printed_values_and_ours_never_mix(paper: str, measured: Study) -> None:
    result = papers.reproduce(paper, measured)
    printed = [line for table in result.tables for line in table.lines if line.printed]
    ours = [line for table in result.tables for line in table.lines if not line.printed]
    # Every row of the paper but parts of other kinds is somewhere, with its own values.
    rows: dict[str, list[published.Printed]] = {}
    for row in published.of_paper(paper):
        rows.setdefault(row.system, []).append(row)
        for other in published.same_circuit(row):
            label = f"{other.system} ({other.paper}, {other.where})"
            rows.setdefault(label, []).append(other)
    for line in printed:
        assert line.device == ""
        assert line.source.startswith("printed")
        candidates = [
            {str(value) for value in (*row.figures().values(), row.process_um)}
            for row in rows[line.system]
        ]
        derived = {"lut_per_ff", "core_kbit", "key_kbit"}
        derived |= {name for name, sign in line.bounds.items() if sign == "="}
        values = {str(v) for name, v in line.figures.items() if name not in derived}
        assert any(
            values <= {c.replace("(", "[").replace(")", "]") for c in candidate}
            for candidate in candidates
        )
        assert not {"mbit_s_per_lut", "lut_levels"} & set(line.figures)
    assert any(line.figures for line in ours)
    for line in ours:
        assert line.source.startswith("ours")
        if not line.figures:
            assert line.note, "nothing is empty without a reason"
            continue
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
    for paper in published.papers():
        result = papers.reproduce(paper, nothing)
        shown = {line.system for table in result.tables for line in table.lines}
        assert {row.system for row in published.of_paper(paper)} <= shown
        assert all(
            line.printed or not line.figures for table in result.tables for line in table.lines
        )
        # Whatever rests on records says that there are none.
        of_records = {
            v.verdict
            for v in result.verdicts
            if not (v.conclusion.model or v.conclusion.untestable)
        }
        assert of_records == ({"not enough records"} if result.verdicts else set())


def test_what_several_papers_print_of_a_circuit_stands_together(measured: Study) -> None:
    """With ours beside a circuit that the authors only cite."""
    (table,) = (t for t in papers.reproduce("qin2005", measured).tables if t.name == "table-2")
    systems = [line.system for line in table.lines]
    at = next(n for n, system in enumerate(systems) if system.startswith("Standaert"))
    cited, first, *ours = table.lines[at : at + 4]
    assert (cited.figures["slices"], cited.figures["mbit_s"]) == (2784, 11770)
    assert first.printed
    assert "standaert2003, Sec. 6.2" in first.system
    assert first.figures["latency_cycles"] == 21
    assert [line.design for line in ours] == ["standaert-ram-pipeline-21"] * 2
    # Every name of a circuit is of several rows.
    named = [row.circuit for row in published.load() if row.circuit]
    assert all(named.count(name) > 1 for name in named)
    for paper, other in (("pilchard", "standaert2003"), ("fischer2001", "standaert2003")):
        tables = papers.reproduce(paper, measured).tables
        assert any(f"({other}, " in line.system for table in tables for line in table.lines)


def test_clocks_from_end_to_end_stand_beside_such(measured: Study) -> None:
    for table in papers.reproduce("kakarlapudi", measured).tables:
        for line in table.lines:
            if line.design.endswith("-io32"):
                clocks = study.find(line.design).design.latency()
                for name in ("latency_cycles", "interval_cycles"):
                    assert line.figures[name] == clocks, (line.system, line.source)
                    assert not line.printed or line.bounds[name] == "="


def test_printed_and_ours_are_one_category_of_a_graph(measured: Study) -> None:
    """Where both are of a design they stand in one place; rounds stand on a linear axis."""
    checked = 0
    for paper in published.of_catalogue():
        for chart in papers.reproduce(paper, measured).charts:
            if "system" not in chart.columns:
                continue
            printed, ours = (
                {str(row["system"]) for row in chart.rows if ("ours" in row["series"]) is mine}
                for mine in (False, True)
            )
            designs = {row.system: row.design for row in published.of_paper(paper) if row.own}
            apart = {designs[name] for name in printed if designs.get(name)} & ours
            assert not apart, chart.name
            checked += bool(printed & ours)
    assert checked >= 4
    for chart in papers.reproduce("pilchard", measured).charts:
        if chart.name.startswith("pilchard-figure-7."):
            kinds = re.findall(r'"field": "rounds", "type": "(\w+)"', json.dumps(chart.spec))
            assert set(kinds) <= {"quantitative"}, chart.name


def test_no_printed_component_stands_alone() -> None:
    """Beside each of the authors' is ours, measured, or how to measure it, or why it is not."""
    checked = 0
    for paper in published.papers():
        tables = papers.reproduce(paper, Study([])).tables
        for table in tables:
            wanted = {row.system for row in published.of_paper(paper) if row.component}
            for system in wanted & {line.system for line in table.lines}:
                lines = [line for line in table.lines if line.system == system]
                ours = [line for line in lines if not line.printed]
                assert ours, (paper, system)
                for line in ours:
                    said = "aesfab components" in line.note or "aes_host_buffer" in line.note
                    assert line.figures or said, (paper, system)
                checked += 1
    assert checked == 18


def test_the_key_round_differs_as_its_note_says() -> None:
    """Fewer LUTs than in Table 3 and more flip-flops, for want of LUT shift registers."""
    tables = papers.reproduce("standaert2003", Study([]), records.shipped("components")).tables
    (table,) = (each for each in tables if each.name == "table-1-2-3")
    lines = [line for line in table.lines if line.system == "key round"]
    (printed,) = (line.figures for line in lines if line.printed)
    (ours,) = (line.figures for line in lines if line.device == "virtex")
    said = (
        f"{printed['lut'] - ours['lut']} LUTs fewer than are printed and "
        f"{ours['ff'] - printed['ff']} flip-flops more"
    )
    assert "LUT shift registers" in table.note
    for name in ("standaert-pipeline-42", "standaert-sequential-52"):
        (note,) = (note for note in catalogue.find(name).notes if "LUT shift registers" in note)
        assert said in note


def test_the_sbox_has_the_area_that_is_printed() -> None:
    """Of Table 1: one S-box, and the 16 of a block, by the recipe of its figure."""
    tables = papers.reproduce("standaert2003", Study([]), records.shipped("components")).tables
    (table,) = (each for each in tables if each.name == "table-1-2-3")
    for system in ("one S-box in LUTs", "SubBytes, 16 S-boxes in LUTs"):
        lines = [line for line in table.lines if line.system == system]
        (printed,) = (line.figures for line in lines if line.printed)
        (ours,) = (line for line in lines if line.device == "virtex")
        assert {name: ours.figures[name] for name in ("lut", "ff")} == {
            name: printed[name] for name in ("lut", "ff")
        }
        assert "recipe wide" in ours.note


def test_what_is_lost_has_no_printed_value(measured: Study) -> None:
    (table,) = [t for t in papers.reproduce("standaert2003", measured).tables
                if t.name == "table-6"]  # fmt: skip
    lost = [line for line in table.lines if line.printed and "(qin2005" not in line.system]
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
    graphs = ("--svg", tmp_path / "svg", "--png")
    done = aesfab("papers", "qin2005", "--wide", "--records", file, *graphs)
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
    assert [result["paper"] for result in everything] == list(published.papers())
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


@pytest.mark.kept(*passed.PRODUCT)
@pytest.mark.parametrize(
    ("command", "option", "right", "kind"),
    [
        (command, option, right, kind)
        for command, option, right in (
            (("papers", "qin2005"), "--records", "implement"),
            (("papers", "qin2005"), "--components", "components"),
            (("classes", "--json"), "--records", "implement"),
            (("report", "-o", "out", "--no-plots"), "--evidence", "verify"),
        )
        for kind in ("implement", "verify", "components", "host", "peers")
        if kind != right
    ],
)
def test_records_of_another_command_are_refused(
    aesfab: Cli, command: tuple[str, ...], option: str, right: str, kind: str
) -> None:
    """With one line that names the file."""
    path = records.shipped_path(kind)
    done = aesfab(*command, option, path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"aesfab: {path}")
    assert f"is none of '{right}'" in line or "not a record" in line


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
        (line["design"].partition(" ")[0], line["device"])
        for line in lines
        if line["figures"] and not line["printed"]
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
    names = {(t["design"].partition(" ")[0], t["device"]) for t in reached if t["figures"]}
    assert names <= shipped


def test_families_that_map_alike_are_one_witness() -> None:
    """By the device table, by every record of both, and in verdicts."""
    groups = [
        {b for b in devices.DEVICES if devices.maps_alike(devices.DEVICES[a], devices.DEVICES[b])}
        for a in devices.DEVICES
    ]
    pairs = {tuple(sorted(group)) for group in groups if len(group) > 1}
    assert pairs == {("virtex", "virtex-e"), ("spartan-3e", "virtex-ii")}
    areas: dict[tuple[str, ...], dict[str, tuple[Any, ...]]] = {}
    for one in records.shipped("implement"):
        what = (
            *(one["design"], one["netlist_hash"], str(one["flow"]), str(one["recipe_names"])),
            # Flow 2 mapped the text itself, which counted.
            one["rtl_hash"] if one["flow"] == 2 else "",
        )
        area = tuple(one[column] for column in (*devices.COLUMNS, "slices_estimate"))
        areas.setdefault(what, {})[one["device"]] = area
    for first, second in pairs:
        both = [each for each in areas.values() if first in each and second in each]
        assert len(both) > 50
        assert all(each[first] == each[second] for each in both)

    claim = conclusions.Conclusion(
        "x", "pilchard", "1", "", {"lut": ("a",)}, lambda f: (True, {}), ""
    )
    study = Study([])
    figures = {"virtex": 1.0, "virtex-e": 1.0, "virtex-5": 2.0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Study, "devices", lambda _: list(figures))
        patch.setattr(
            Study, "figures_by_recipe", lambda _, __, device, ___: {"default": figures[device]}
        )
        patch.setattr(Study, "by_recipe", lambda *_: {"default": {}})
        verdict = conclusions.judge(claim, study)
    assert list(verdict.by_device) == ["virtex", "virtex-5"]
    assert verdict.alike == {"virtex": ("virtex-e",)}
    assert any(
        line.startswith("  virtex, virtex-e alike: yes") for line in papers.verdict_lines(verdict)
    )


def test_absolute_figures_and_what_cannot_be_tested_have_verdicts_of_their_own() -> None:
    fast = Study([record(f"standaert-ram-pipeline-{n}", "ecp5-85k", 120.0) for n in (21, 32, 42)])
    slow = Study([record(f"standaert-ram-pipeline-{n}", "ecp5-85k", 90.0) for n in (21, 32, 42)])
    claim = _claim("standaert-14-gbit")
    assert conclusions.judge(claim, fast).verdict == "reached today"
    assert conclusions.judge(claim, slow).verdict == "not reached today"
    assert conclusions.judge(claim, slow).why
    for name in UNTESTABLE:
        verdict = conclusions.judge(_claim(name), fast)
        assert verdict.verdict == "cannot be tested here"
        assert not verdict.by_device
        assert verdict.why == verdict.conclusion.untestable
    counts = conclusions.counts([conclusions.judge(claim, fast), verdict])
    assert list(counts) == ["reached today", "cannot be tested here"]


def test_ram_blocks_of_pilchard_are_the_papers() -> None:
    """82 and 132 of 96: what the paper's S-boxes, two in a block, and its buffers take."""
    verdict = conclusions.judge(_claim("pilchard-too-large"), Study([]))
    assert verdict.verdict == "holds"
    ((_, numbers),) = verdict.by_device.values()
    assert list(numbers.values()) == [82, 132]
