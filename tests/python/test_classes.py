# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Our own designs in their classes, and the scaling figures: what is said follows the records."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import passed
from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.errors import AesfabError
from aesfab.measure import components, plan
from aesfab.records import Record
from aesfab.study import classes, published, scaling, study
from aesfab.study.study import Study
from conftest import Cli
from made_up import record

ECP5 = "ecp5-85k"


def _run(logic: float, routing: float, begin: str, end: str, mhz: float) -> Record:
    return {"status": "ok", "logic_ns": logic, "routing_ns": routing, "from": begin, "to": end,
            "fmax_mhz": mhz}  # fmt: skip


def _only(name: str, number: int = 0) -> tuple[classes.Class, classes.Target]:
    each = classes.find(name)
    return each, each.targets[number]


# ----------------------------------------------------------------------------------- data


def test_quoted_figures_agree_with_each_other() -> None:
    """Throughput of an open core is its best seed's, by its clocks a block.

    A figure that was copied wrongly would not fit the others.
    """
    checked = 0
    for peer in classes.peers().values():
        assert "/" in peer.repository
        assert len(peer.commit) >= 7
        runs = [run for each in peer.figures.values() for run in (each, *each.get("others", ()))]
        for known in runs:
            seeds = known.get("fmax_mhz_by_seed")
            assert (seeds is None) is ("mbit_s" not in known)
            if seeds:
                # MHz are quoted with one digit, Mbit/s with none.
                bits = 128 / peer.interval_cycles
                mbit_s = pytest.approx(bits * max(seeds), abs=0.05 * bits + 0.5)
                assert known["mbit_s"] == mbit_s, peer.name
                checked += 1
    assert checked == 19


def test_every_design_of_our_own_is_in_one_class() -> None:
    """By its name, or because it begins like the design of a class: other keys and directions."""
    placed = [design for each in classes.load() for design in (*each.designs, *each.others())]
    assert len(placed) == len(set(placed))
    own = [name for name in catalogue.CATALOGUE if name.startswith("fab-")]
    assert set(own) <= set(placed)
    narrow = classes.find("fab-narrow")
    assert "fab-narrow-192" in narrow.others()
    assert not [name for name in narrow.others() if name.startswith("fab-tiny")]
    assert not [name for name in classes.find("fab-iterative").others() if "-ram" in name]
    assert "fab-iterative-ram-both" in classes.find("fab-iterative-ram").others()


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What was read of the data is read again after the test."""
    published.load()
    yield
    classes._read.cache_clear()
    classes.peers.cache_clear()


@pytest.mark.usefixtures("forgotten")
def test_broken_data_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = records.shipped_path("classes")
    assert shipped is not None
    text = shipped.with_suffix(".toml").read_text()
    monkeypatch.setattr(records, "shipped_path", lambda kind: tmp_path / f"{kind}.jsonl")
    peers = shipped.with_name("peers.jsonl").read_text()
    for old, new, says in (
        ("8bit_datapath_AES", "9bit", "unknown open core"),
        ('device = "7-series"', 'device = "8-series"', "unknown device"),
        ('printed = ["pilchard-unrolled-1"', 'printed = ["pilchard-1"', "unknown printed design"),
        ("mbit_s_per_lut = 2.1", "mbit_per_lut = 2.1", "not the classes"),
        ("[[class]]", "[[class", "not the classes"),
        ('design = "fab-narrow-256"', 'design = "fab-narrow-25"', "unknown design"),
        ("[plain]", "[plan]", "not the classes"),
    ):
        assert old in text
        (tmp_path / "classes.toml").write_text(text.replace(old, new))
        (tmp_path / "peers.jsonl").write_text(peers)
        classes._read.cache_clear()
        classes.peers.cache_clear()
        with pytest.raises(AesfabError, match=says):
            classes.load()
    (tmp_path / "classes.toml").write_text(text)
    (tmp_path / "peers.jsonl").write_text(peers.replace('"commit"', '"comit"', 1))
    with pytest.raises(AesfabError, match="line 1: no open core"):
        classes.load()
    (tmp_path / "peers.jsonl").unlink()
    with pytest.raises(AesfabError, match=r"peers\.jsonl is missing"):
        classes.load()


# -------------------------------------------------------------------------------- targets


def test_a_target_is_reached_by_one_record() -> None:
    """Not by the speed of one recipe and the area of another."""
    each, target = _only("fab-interleaved", 1)
    assert target.named() == {"mbit_s": 3000, "lut": 2000, "ram": 0, "mbit_s_per_lut": 1.5}
    fast = record("fab-interleaved", ECP5, 250.0, lut=2300, recipe_names=["a"], recipe="a")
    small = record("fab-interleaved", ECP5, 200.0, lut=1700, recipe_names=["b"], recipe="b")
    both = classes.reached(each, target, Study([fast, small]))
    assert both.record == small, "three of four metrics against two"
    assert both.met == {"mbit_s": False, "lut": True, "ram": True, "mbit_s_per_lut": True}
    assert both.verdict == "missed: Mbit/s 85 % of the target"
    good = record("fab-interleaved", ECP5, 240.0, lut=1990, recipe_names=["c"], recipe="c")
    done = classes.reached(each, target, Study([good, fast, small]))
    assert (done.record, done.verdict) == (good, "reached")
    # RAM blocks where none are allowed, and a core that does not fit, reach nothing.
    ram = {**good, "ram": 10}
    assert classes.reached(each, target, Study([ram])).verdict == ("missed: RAM 10 instead of none")
    unfit = {**good, "status": "does not fit", "fmax_mhz": None, "throughput_mbit_s": None}
    missed = classes.reached(each, target, Study([unfit])).verdict
    assert missed == "missed: Mbit/s, Mbit/s a LUT"
    # What is nearly reached is not said to be all of it.
    nearly = {**good, "throughput_mbit_s": 2999.0, "ram": 1}
    assert classes.reached(each, target, Study([nearly])).verdict == (
        "missed: Mbit/s 99.97 % of the target, RAM 1 instead of none"
    )
    assert classes.reached(each, target, Study([])).verdict == "not measured"
    old = {**good, "rtl_hash": "other", "netlist_hash": "other"}
    assert classes.reached(each, target, Study([old])).verdict == "not measured"


# Issue 30: class, device, who is to reach it where one does, and what.
_WANTED = [
    ("fab-byte", "ice40-hx8k", "", {"mbit_s": 60, "slices": 330, "ram": 2}),
    ("fab-micro", "ice40-hx8k", "", {"mbit_s": 5, "slices": 200}),
    ("fab-byte", ECP5, "", {"mbit_s": 60, "slices": 170}),
    ("fab-byte", "7-series", "", {"lut": 110, "slices": 40}),
    ("fab-small", "ice40-hx8k", "", {"mbit_s": 60, "slices": 720}),
    ("fab-small", ECP5, "", {"mbit_s": 60, "slices": 380}),
    ("fab-narrow", ECP5, "fab-narrow-256", {"mhz": 180, "lut": 1400, "slices": 800}),
    ("fab-narrow", ECP5, "fab-narrow-both", {"mhz": 150, "lut": 1400, "slices": 800}),
    ("fab-interleaved", ECP5, "", {"mbit_s": 3500, "mbit_s_per_slice": 3}),
    ("fab-interleaved", ECP5, "decrypt", {"mhz": 250}),
    ("fab-interleaved", ECP5, "both", {"mhz": 220}),
    ("fab-iterative-both", ECP5, "", {"mhz": 90}),
    ("fab-iterative-both", "ice40-hx8k", "", {"fits": True}),
    ("fab-pipeline", ECP5, "", {"ceiling": 85, "mbit_s_per_slice": 3}),
    ("fab-pipeline-ram", ECP5, "", {"ceiling": 85, "mbit_s_per_slice": 7}),
]


@pytest.mark.parametrize(("name", "device", "design", "wanted"), _WANTED)
def test_targets_are_those_of_the_issue(
    name: str, device: str, design: str, wanted: dict[str, float]
) -> None:
    found = [
        target.named()
        for target in classes.find(name).targets
        if target.device == device and target.design.split("=")[-1] == design
    ]
    assert any(wanted.items() <= target.items() for target in found)
    plain = classes.plain_wanted()
    assert (plain.device, plain.mhz, plain.lut) == (ECP5, 90, 110)


def test_a_target_of_a_named_design_is_reached_by_it_alone() -> None:
    each, target = _only("fab-narrow", 1)
    other = record("fab-narrow", ECP5, 300.0, lut=10, slices_estimate=10)
    assert classes.reached(each, target, Study([other])).verdict == "not measured"
    own = record("fab-narrow-256", ECP5, 90.0, lut=1540, slices_estimate=700)
    found = classes.reached(each, target, Study([other, own]))
    assert (found.design, found.verdict) == (
        "fab-narrow-256", "missed: MHz 50 %, LUT 110 % of the target"
    )  # fmt: skip
    # It stands in the table once, beside its target.
    lines = classes.table(each, Study([own])).lines
    (line,) = [line for line in lines if line.system == "fab-narrow-256"]
    assert line.note.startswith("target missed: MHz 50 %")
    assert f"target of {target.design}" in [line.system for line in lines]


def test_a_target_by_slices_is_reached_by_who_has_few() -> None:
    """Not by who is the fastest, nor by who has the fewest LUTs."""
    each, target = _only("fab-interleaved")
    fast = record("fab-interleaved", ECP5, 310.0, lut=1744, slices_estimate=1885)
    few = record("fab-interleaved-small", ECP5, 278.0, lut=2066, slices_estimate=1176)
    found = classes.reached(each, target, Study([fast, few]))
    assert (found.design, found.verdict) == ("fab-interleaved-small", "reached")
    assert found.figures["mbit_s_per_slice"] == pytest.approx(128 * 278 / 10 / 1176)


def test_a_share_of_the_ceiling_and_a_fit_are_targets() -> None:
    each, target = _only("fab-pipeline-ram")
    parts = _ceiling_records()
    made = record("fab-pipeline-ram", ECP5, 200.0, ff=16000, ram=100, slices_estimate=3000)
    found = classes.reached(each, target, Study([made]), parts)
    assert found.figures["ceiling"] == pytest.approx(80.0)
    assert found.verdict == "missed: Mbit/s 80 %, share of the ceiling 94 % of the target"
    assert "share of the ceiling" in classes.reached(each, target, Study([made])).verdict
    each, target = _only("fab-iterative-both", 1)
    fits = record("fab-iterative-both", "ice40-hx8k", 50.0)
    unfit = {**fits, "status": "does not fit", "fmax_mhz": None, "throughput_mbit_s": None}
    assert classes.reached(each, target, Study([fits])).verdict == "reached"
    assert classes.reached(each, target, Study([unfit])).verdict == "missed: does not fit"


def test_cores_are_compared_with_ports_of_equal_width() -> None:
    each, target = _only("fab-byte")
    (peer,) = each.peers
    made = record("fab-byte", ECP5, 200.0, lut=100, slices_estimate=100)
    assert (classes.port_bits("fab-byte"), peer.port_bits) == (8, 8)
    assert classes.port_bits("kakarlapudi-sbox-enc-128-io32") == 32
    assert classes.port_bits("gcm-byte") == 128
    standing = classes.reached(each, target, Study([made]))
    assert classes.winner(classes.contest(each, standing)) == "won"
    wide = dataclasses.replace(each, peers=(dataclasses.replace(peer, port_bits=128),))
    assert classes.contest(wide, standing) == {}
    assert classes.best_peer(wide, "fab-byte", ECP5) is None
    assert classes.best_peer(each, "fab-byte", ECP5) == peer
    # A core of the class with other ports would be compared with nothing.
    for one in classes.load():
        for design in one.designs if one.peers else ():
            assert classes.comparable(one, design, ECP5), design


def test_bounds_of_open_cores_are_those_of_their_line() -> None:
    """Each figure of an open core is said once, with the sign of a bound."""
    (vault,) = [p for p in classes.find("fab-iterative-both").peers if "Vault" in p.name]
    figures, bounds = vault.stand(ECP5)
    pairs = int(max(figures["lut"], figures["ff"]))
    assert figures["slices"] == devices.DEVICES[ECP5].slices(pairs)
    assert bounds == {"slices": ">=", "mbit_s_per_slice": "<="}
    lines = classes.table(classes.find("fab-iterative-both"), Study([])).lines
    (line,) = [x for x in lines if x.system == vault.name and x.device == ECP5]
    assert line.text("slices") == f">= {figures['slices']:.0f}"
    assert line.bounds == bounds
    measured, none = vault.stand("ice40-hx8k")
    assert (measured["slices"], none) == (3291, {})


def test_how_an_open_core_was_measured_is_said_of_each() -> None:
    for name, how in (("gcm-narrow", "by synthesis alone"), ("fab-byte", "in the same harness")):
        each, _ = _only(name)
        table = classes.table(each, Study([]))
        (line,) = [x for x in table.lines if x.source == f"open core, {ECP5}"]
        assert how in line.note
        assert "same harness" not in table.note


def test_the_plain_flow_is_a_share_of_the_record() -> None:
    best = record("fab-iterative", ECP5, 100.0, lut=1000, recipe_names=["wide"], recipe="wide",
                  recipes={"wide": {}})  # fmt: skip
    slow = record("fab-iterative", ECP5, 90.0, lut=1100)
    measured = Study([slow, best])
    share = classes.plain(best, measured)
    assert share is not None
    assert share.mhz == pytest.approx(90.0)
    assert share.lut == pytest.approx(110.0)
    assert classes.plain_wanted().met_by(share)
    assert classes.plain_shares(measured)["fab-iterative"] == share
    assert classes.plain_shares(measured)["fab-narrow"] is None
    for change in ({"lut": 1101}, {"fmax_mhz": {"median": 89.9, "min": 1, "max": 99}}):
        other = classes.beside(best, {**slow, **change})
        assert other is not None
        assert not classes.plain_wanted().met_by(other)
    assert classes.plain(best, Study([best])) is None


def test_a_class_is_won_by_luts_and_by_slices() -> None:
    """Against the open core at its best, in both areas, by as many Mbit/s."""
    each, target = _only("fab-interleaved")
    (peer,) = each.peers

    def outcome(mhz: float, lut: int, slices: int, open_core: classes.Peer = peer) -> str:
        made = record("fab-interleaved", ECP5, mhz, lut=lut, slices_estimate=slices)
        against = dataclasses.replace(each, peers=(open_core,))
        return classes.winner(
            classes.contest(against, classes.reached(against, target, Study([made])))
        )

    assert outcome(200.0, 2000, 1400) == "won"
    assert outcome(200.0, 2000, 3000) == "by LUTs only"
    assert outcome(200.0, 5000, 1400) == "by slices only"
    assert outcome(200.0, 5000, 3000) == "not won"
    assert outcome(50.0, 100, 100) == "not won", "smaller for each Mbit/s, but slower"
    # Slices that have a lower bound only are taken at that, and a core that it beats lost nothing.
    figures = dict(peer.figures[ECP5])
    del figures["slices"]
    bound = dataclasses.replace(peer, figures={ECP5: figures})
    assert bound.slices(ECP5) == (1337, True)
    assert peer.slices(ECP5) == (1413, False)
    assert outcome(200.0, 2000, 1400, bound) == "won"
    assert outcome(200.0, 2000, 3000, bound) == "by LUTs only; slices open"
    assert classes.winner(classes.contest(each, classes.reached(each, target, Study([])))) == (
        "nothing to compare"
    )


def test_an_open_core_is_quoted_at_its_best() -> None:
    """Of several mappings, each figure is the best one, by whichever recipe."""
    peer = classes.peers()["Usselmann aes_cipher_top"]
    runs = [peer.figures["ice40-hx8k"], *peer.figures["ice40-hx8k"]["others"]]
    assert len(runs) == 2
    for metric, pick in (("lut", min), ("slices", min), ("ram", min), ("mbit_s", max)):
        values = [run[metric] for run in runs]
        assert len(set(values)) == 2, metric
        assert peer.best("ice40-hx8k", metric) == pick(values)
    assert peer.best("gw1n-9", "lut") is None
    assert peer.slices("gw1n-9") is None


def test_targets_are_for_short_keys() -> None:
    """A core of all key sizes is slower for the longest, of which its record's headline is."""
    each, target = _only("fab-iterative-both")
    by_key = {"throughput_by_key_bits": {"128": 950.0, "192": 790.0, "256": 680.0}}
    made = record("fab-iterative-both", ECP5, 92.0, lut=2700, **by_key, throughput_mbit_s=680.0)
    assert made["throughput_mbit_s"] < 900
    assert classes.reached(each, target, Study([made])).verdict == "reached"


def test_more_seeds_count_more() -> None:
    """Of two records of a recipe the one of more seeds; of the same number the newest."""
    few = record("fab-narrow", ECP5, 200.0, seeds=[1])
    many = record("fab-narrow", ECP5, 190.0, seeds=[1, 2, 3])
    newer = record("fab-narrow", ECP5, 195.0, seeds=[1, 2, 3])
    assert Study([many, few]).every("fab-narrow", ECP5) == [many]
    assert Study([few, many, newer]).every("fab-narrow", ECP5) == [newer]
    assert Study([few]).every("fab-narrow sbox_levels=2", ECP5) == []
    assert Study([few]).every("no-such-design", ECP5) == []


def test_table_quotes_and_never_mixes() -> None:
    each, _ = _only("fab-byte")
    made = record("fab-byte", "ice40-hx8k", 120.0, lut=220, ram=0)
    table = classes.table(each, Study([made]))
    (peer,) = each.peers
    quoted = [line for line in table.lines if line.system == peer.name]
    assert len(quoted) == 3
    for line in quoted:
        assert line.printed
        assert f"{peer.repository} @ {peer.commit}" in line.note
        assert line.figures["lut"] == peer.best(line.device, "lut")
    ours = [line for line in table.lines if not line.printed]
    assert {line.design for line in ours} == {"fab-byte", "fab-byte-ram", "fab-byte-min"}
    (measured,) = [line for line in ours if line.figures]
    assert (measured.device, measured.figures["lut"]) == ("ice40-hx8k", 220)
    for line in ours:
        if line is not measured:
            wanted = f"aesfab implement {line.design} --device {line.device}"
            assert line.note == f"not measured: {wanted}"


# --------------------------------------------------------------------------------- limits


def _limited(parts: list[Record], **figures: Any) -> list[str]:
    each, target = _only("fab-interleaved-ram")
    made = record("fab-interleaved-ram", ECP5, 300.0, ram=10, **figures)
    return classes.limits(classes.reached(each, target, Study([made])), parts)


def test_limits_are_those_of_the_run_at_the_median() -> None:
    runs = {
        "1": _run(1.0, 1.0, "u_core.gen_a.x_q_TRELLIS_FF_Q_3.Q",
                  "u_core.y_q_TRELLIS_FF_Q.LSR", 500.0),
        "2": _run(1.0, 2.0, "u_core.gen_a.x_q_TRELLIS_FF_Q_3.Q",
                  "u_core.b.y_q_TRELLIS_FF_Q.LSR", 301.0),
        "3": _run(2.0, 2.0, "u_core.gen_a.x_q.Q", "capture_q_TRELLIS_FF_Q_2.DI", 250.0),
    }  # fmt: skip
    said = _limited([], recipes={"default": {"runs": runs}})
    assert said[0] == (
        "longest path: 1.00 ns logic and 2.00 ns routing (67 %) from x_q to b.y_q; at most 2 LUT "
        "levels between registers"
    )
    assert said[1] == (
        "the longest path ends at a set or reset (2 of 3 seeds), data of a register (1 of 3 seeds)"
    )
    assert "components --device ecp5-85k --design fab-interleaved-ram" in said[2]
    assert "components --ceiling --device ecp5-85k" in said[3]
    runs["2"]["fmax_mhz"], runs["3"]["fmax_mhz"] = 250.0, 301.0
    assert "to capture_q of the harness" in _limited([], recipes={"default": {"runs": runs}})[0]


def _ceiling_records() -> list[Record]:
    """Plain registers of each size, at 500, 400 and 250 MHz."""
    return [
        {
            "design": each.name,
            "rtl_hash": components._text_hash(each),
            "netlist_hash": "",
            "device": ECP5,
            "lut": 0,
            "ff": each.flip_flops,
            "delay_ns": delay_ns,
        }
        for each, delay_ns in zip(components.ceiling(), (2.0, 2.5, 4.0), strict=True)
    ]


def test_ceiling_is_that_of_as_many_registers() -> None:
    """The nearest of the sizes that are measured; of other RTL or another device none."""
    parts = _ceiling_records()
    assert _limited(parts, ff=1800)[-1] == (
        "the clock is 75 % of the 400 MHz that 2048 plain registers reach in the same harness"
    )
    assert "120 % of the 250 MHz that 16384" in _limited(parts, ff=30000)[-1]
    elsewhere = [{**part, "device": "ice40-hx8k"} for part in parts]
    assert "not measured" in _limited(elsewhere, ff=1800)[-1]


def test_breakdown_adds_up() -> None:
    named = catalogue.find("fab-interleaved-ram")
    parts = [
        {
            "design": component.name,
            "netlist_hash": components._netlist_hash(component),
            "device": ECP5,
            "lut": 50 + number,
        }
        for number, component in enumerate(components.parts(named))
    ]
    total = sum((50 + n) * count for n, count in enumerate(components.parts(named).values()))
    (line,) = [line for line in _limited(parts, lut=total + 7) if "by component" in line]
    assert line.startswith("LUTs by component, each measured alone: aes_")
    assert line.endswith("; assembly +7")
    assert "not measured" in "".join(_limited(parts[1:], lut=total))


@pytest.mark.kept(*passed.PRODUCT)
def test_plain_registers_are_measured_like_a_core() -> None:
    """The ceiling is a record like others, with no LUT in the registers."""
    smallest = components.ceiling()[0]
    made = components.measure(smallest, devices.find("ice40-hx8k"))
    assert (made["status"], made["lut"], made["ff"]) == ("ok", 0, smallest.flip_flops)
    assert 1000 / made["delay_ns"] == pytest.approx(made["fmax_mhz"]["median"], rel=1e-3)
    assert components.known([made], smallest, "ice40-hx8k") == made
    assert components.known([made], components.registers(2), "ice40-hx8k") is None


# ---------------------------------------------------------------------------------- areas


def test_areas_are_held_against_print() -> None:
    def area(*measured: Record) -> classes.Area:
        found = classes.areas(Study(measured))
        (one,) = [a for a in found if a.row.design == "standaert-sequential-52"]
        return one

    name = "standaert-sequential-52"
    nothing = area()
    assert (nothing.printed, nothing.unit, nothing.value, nothing.met) == (3916, "LUT", None, None)
    assert nothing.allowed == pytest.approx(0.6 * 3916)
    assert area(record(name, "virtex", lut=2400, ff=2000)).met is False
    assert area(record(name, "virtex", lut=2300, ff=2000)).met is True
    assert area(record(name, "virtex", lut=2300, ff=4300)).met is False, "flip-flops"
    tower = f"{name} sbox=tower key_sbox=tower"
    table = record(name, "virtex", lut=3000, ff=10, lut_levels=2)
    smaller = area(table, record(tower, "virtex", lut=2200, ff=9, lut_levels=2))
    assert (smaller.design, smaller.value, smaller.ff, smaller.met) == (tower, 2200, 9, True)
    # Fewer LUTs on a longer path are another design, and without the faithful one nobody knows.
    deeper = record(tower, "virtex", lut=2200, ff=9, lut_levels=3)
    assert area(table, deeper).met is False
    assert area(deeper).met is None
    good = record(name, "virtex", lut=2300, ff=10, lut_levels=2)
    assert (area(good, deeper).design, area(good, deeper).met) == (name, True)
    # Another fabric says nothing of the paper's.
    assert area(record(name, ECP5, 100.0, lut=10, ff=1)).value is None


def test_areas_in_slices_are_compared_with_slices() -> None:
    made = record("kakarlapudi-sbox-enc-128", "virtex-5", lut=1000, ff=100, slices_estimate=250)
    (one,) = [a for a in classes.areas(Study([made])) if a.value is not None]
    assert (one.unit, one.printed, one.value, one.met) == ("slices", 264, 250, True)
    assert classes.area_row(one)["small enough"] == "yes"


def test_areas_have_no_more_ram_than_the_faithful_design() -> None:
    """Which is the one with round keys from outside where the paper has them so."""
    name, outside = "fischer-fast-tbox-both", "fischer-fast-tbox-both key_sbox=none"

    def area(*measured: Record) -> classes.Area:
        found = classes.areas(Study(measured))
        (one,) = [a for a in found if a.row.design == name and a.value is not None]
        return one

    made = record(name, "cyclone-iv", lut=2000, ff=600, ram=21, slices_estimate=2600)
    more = record(f"{name} key_sbox=tower", "cyclone-iv", lut=8, ff=8, ram=22, slices_estimate=9)
    keys = record(outside, "cyclone-iv", lut=700, ff=100, ram=25, slices_estimate=800)
    assert (area(made, more).design, area(made, more).met) == (name, False)
    assert (area(made, keys).design, area(made, keys).met) == (outside, True)
    assert area(made, keys, more).design == f"{name} key_sbox=tower"


# -------------------------------------------------------------------------------- scaling


def _levels(base: str, figures: dict[int, tuple[float, int, int]]) -> list[Record]:
    return [
        record(f"{base} sbox_levels={n}", ECP5, mhz, lut=lut, ff=1000 * n, lut_levels=depth)
        for n, (mhz, lut, depth) in figures.items()
    ]


CURVE = {
    1: (60.0, 2000, 8), 2: (100.0, 2000, 4), 3: (140.0, 2000, 3), 4: (180.0, 2000, 2),
    5: (200.0, 2000, 2), 6: (220.0, 2000, 1), 7: (222.0, 2200, 1), 8: (224.0, 2500, 1),
}  # fmt: skip


def test_knee_is_where_a_level_more_gains_nothing() -> None:
    measured = _levels("fab-interleaved", CURVE)
    (knee,) = scaling.knees(Study(measured))
    best = 128 * 220 / 10 / 2000
    assert knee == (
        f"fab-interleaved on {ECP5}: most Mbit/s a LUT ({best:.2f}) with 8 register levels a "
        "round, at 220 MHz, 80 % of the longest path in routing; one level fewer: -9 % clock, "
        "+0 % LUTs, -17 % flip-flops, 1 to 2 LUT levels in a clock; one level more: +1 % clock, "
        "+10 % LUTs, +17 % flip-flops, 1 to 1 LUT levels in a clock"
    )
    (missing,) = scaling.knees(Study(measured[:3] + measured[5:]))
    assert "6 of 8 points are recorded; missing: fab-interleaved sbox_levels=4, " in missing
    assert scaling.knees(Study([])) == []


def test_a_curve_has_one_mapping() -> None:
    """Where all points are recorded with it: a point that is better by others is no knee."""
    alike = [r | {"recipe_names": ["nowidelut"]} for r in _levels("fab-interleaved", CURVE)]
    tuned = [
        r | {"recipe_names": ["floorplan"]}
        for r in _levels("fab-interleaved", {8: (400.0, 900, 1)})
    ]
    curve = {"fab-interleaved": scaling.LEVELS["fab-interleaved"]}
    found = scaling.points(curve, Study(alike + tuned))
    assert [point.record for point in found] == alike
    # Without one for all, each point has its best.
    found = scaling.points(
        curve, Study(alike[1:] + tuned + _levels("fab-interleaved", {1: CURVE[1]}))
    )
    assert found[-1].record == tuned[0]


def test_scaling_figures_have_the_recorded_points() -> None:
    measured = _levels("fab-interleaved", CURVE)
    measured += [record(f"fab-interleaved sbox_levels={n}", "virtex", lut=100 * n) for n in (1, 2)]
    measured += [
        record(f"fab-iterative-small rounds={n}", ECP5, 90.0 / n, lut=900 * n) for n in (1, 10)
    ]
    charts = {chart.name: chart for chart in scaling.figures(Study(measured))}
    lut = charts["scaling-levels-lut"].rows
    assert [row["levels"] for row in lut if row["series"].endswith("virtex")] == [3, 4]
    assert [row["lut"] for row in lut if row["series"].endswith(ECP5)] == [
        figures[1] for figures in CURVE.values()
    ]
    throughput = charts["scaling-levels-throughput"].rows
    mbit_s = [128 * mhz / 10 for mhz, _, _ in CURVE.values()]
    assert [row["mbit_s"] for row in throughput] == pytest.approx(mbit_s)
    assert len(charts["scaling-levels-path"].rows) == 2 * len(CURVE)
    rounds = charts["scaling-rounds-lut"].rows
    whole = [row for row in rounds if row["series"].startswith("whole rounds")]
    assert [(row["rounds"], row["lut"]) for row in whole] == [(1, 900), (10, 9000)]


def test_rounds_in_hardware_count_sboxes() -> None:
    rounds = {
        name: scaling.rounds_in_hardware(study.find(name).design)
        for name in ("fab-tiny", "fab-narrow", "qin-4sm", "fab-interleaved", "fab-pipeline")
    }
    assert list(rounds.values()) == [1 / 16, 1 / 4, 2.5, 1, 10]


def test_the_plans_measure_what_the_figures_show() -> None:
    """By place and route: what scaling.toml leaves out is in matrix.toml."""
    planned = set()
    for name in ("scaling", "matrix"):
        path = records.shipped_path(name)
        assert path is not None
        for request in plan.read_requests(path.with_suffix(".toml")):
            points, impossible = plan._points(request)
            if name == "scaling":
                assert impossible == []
            if "ecp5-85k" in request.devices:
                planned |= {point.design for point in points}
    wanted = [d for curve in (scaling.LEVELS, scaling.ROUNDS) for ds in curve.values() for d in ds]
    assert {study.find(design).design for design in wanted} <= planned


# -------------------------------------------------------------------------------- command


@pytest.mark.kept(*passed.PRODUCT)
def test_command(aesfab: Cli, tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    lines = _levels("fab-interleaved", CURVE)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = aesfab("classes", "--records", file, "--svg", tmp_path / "svg", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [each["name"] for each in said["classes"]] == [each.name for each in classes.load()]
    (loop,) = [each for each in said["classes"] if each["name"] == "fab-interleaved"]
    assert loop["targets"][0]["verdict"].startswith("missed: ")
    assert len(said["scaling"]["scaling-levels-lut"]) == len(CURVE)
    assert len(said["knees"]) == 1
    drawn = {path.name for path in (tmp_path / "svg").iterdir()}
    assert drawn == {f"{name}.svg" for name in said["scaling"]}
    done = aesfab("classes", "fab-interleaved", "--records", file)
    assert "aes_highthroughput_lowarea" in done.stdout
    assert "cf0bb8d" in done.stdout
    assert "80 %" in done.stdout
    assert "Scaling" not in done.stdout
    for wrong, says in [
        (("fab-interleavd",), "unknown class 'fab-interleavd'; did you mean fab-interleaved"),
        (("--png",), "--png goes with --svg DIR"),
    ]:
        done = aesfab("classes", *wrong)
        assert done.returncode == 2
        assert says in done.stderr
        assert len(done.stderr.splitlines()) == 1
