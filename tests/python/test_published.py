# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The papers' figures agree with each other and with the extraction that they come from."""

from __future__ import annotations

import csv
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from aesfab import records
from aesfab.design import catalogue
from aesfab.design.axes import Interface, Lookups
from aesfab.errors import AesfabError
from aesfab.study import published
from aesfab.study.published import Printed

EXTRACTION = Path(__file__).parents[3] / "shared" / "papers" / "published.csv"
CORES = [row for row in published.load() if row.kind == "core"]
COLUMNS = {
    "luts": "lut", "registers": "ff", "slices": "slices", "logic_elements": "le",
    "bram_blocks": "ram_blocks", "memory_bits_core": "core_memory_bits",
    "memory_bits_key": "key_memory_bits", "latency_cycles": "latency_cycles",
    "throughput_mbps": "mbit_s", "latency_ns": "latency_ns",
}  # fmt: skip


def _name(row: Printed) -> str:
    return f"{row.paper}, {row.where}: {row.system}"


def test_throughput_is_128_bit_times_the_clock_over_the_interval() -> None:
    """Where a row prints both; only qin2005 cuts two products to 10 Mbit/s."""
    checked = 0
    for row in CORES:
        implied = published.implied_mbit_s(row)
        if implied is None or row.mbit_s is None or row.design == "pilchard-unrolled-1":
            continue
        cut = 10 if row.paper == "qin2005" else 1
        assert abs(implied - row.mbit_s) < cut, _name(row)
        checked += 1
    assert checked == 5
    # pilchard prints 65 MHz; its 755 Mbit/s are 64.88 MHz.
    (unrolled,) = published.of_design("pilchard-unrolled-1")
    assert unrolled.fmax_mhz == 65
    implied_clock = published.implied_fmax_mhz(unrolled)
    assert implied_clock is not None
    assert 64.87 < implied_clock < 64.89


def test_latency_and_throughput_of_kakarlapudi_are_one_figure() -> None:
    rows = published.of_paper("kakarlapudi", lambda row: row.kind == "core")
    assert len(rows) == 36
    for row in rows:
        assert row.latency_ns is not None
        assert row.mbit_s is not None
        assert row.slices is not None
        assert row.mbit_s_per_slice is not None
        assert row.mbit_s == pytest.approx(128000 / row.latency_ns, abs=0.2)
        # Every latency is a whole number of periods of a whole number of picoseconds.
        assert round(row.latency_ns * 1000) % (row.periods or 0) == 0, _name(row)
        odd = "printed ratio" in row.note
        ratio = 1000 * row.mbit_s / row.slices
        assert (abs(ratio - 1000 * row.mbit_s_per_slice) < max(0.02, ratio / 5e4)) is not odd
    assert sum("printed ratio" in row.note for row in rows) == 2


def test_efficiencies_are_what_their_rows_give() -> None:
    checked = 0
    for row in CORES:
        if row.paper == "standaert2003" and row.mbit_s_per_slice and row.slices and row.mbit_s:
            assert round(row.mbit_s / row.slices, 2) == row.mbit_s_per_slice, _name(row)
            checked += 1
        if row.mbit_s_per_kbit and row.mbit_s and row.core_memory_bits:
            per_kbit = row.mbit_s * 1024 / row.core_memory_bits
            # qin2005 divides what it has before it cuts the throughput.
            assert per_kbit == pytest.approx(row.mbit_s_per_kbit, abs=0.05), _name(row)
            checked += 1
    assert checked == 13


def test_counts_of_components_add_up_to_the_designs() -> None:
    """The bookkeeping of standaert2003: Tables 1 to 3 are the parts of Table 4."""
    part = {row.component: row for row in published.of_paper("standaert2003") if row.component}
    area = {name: (row.lut or 0, row.ff or 0) for name, row in part.items()}
    assert area["sub_bytes"] == tuple(16 * each for each in area["sbox"])
    assert area["round"] == tuple(map(sum, zip(area["sub_bytes"], area["mixadd"], strict=True)))
    (pipeline,) = published.of_design("standaert-pipeline-42")
    lut, ff = (
        9 * area["round"][i] + area["sub_bytes"][i] + 10 * area["key_round"][i] + 2 * 128
        for i in range(2)
    )
    assert (pipeline.lut, pipeline.ff) == (lut, ff)


def test_designs_are_those_of_the_catalogue() -> None:
    """Rows name the design that builds them, and its cycles are those printed."""
    missing = set()
    for row in CORES:
        if not row.own or row.design is None:
            continue
        if row.paper not in published.of_catalogue():
            continue  # only near to a design; the note of the row says what differs
        named = catalogue.CATALOGUE.get(row.design)
        if named is None:
            missing.add(row.design)
            continue
        design = named.design
        assert named.paper == row.paper
        assert row.direction == design.direction.value
        assert row.key_bits == design.key_bits.value
        # qin2005 counts block periods.
        period = {Lookups.ONE: 1, Lookups.TWO: 2, Lookups.FOUR: 4}[design.lookups]
        # kakarlapudi states cycles of the core; those of its 32-bit ports are in the latency only.
        if row.latency_cycles is not None:
            assert row.latency_cycles * period == design.core.latency(), _name(row)
        if row.interval_cycles is not None:
            assert row.interval_cycles * period == design.core.interval(), _name(row)
        if design.interface is Interface.WORDS:
            assert row.periods == design.latency() == design.interval(), _name(row)
    assert all(name.startswith("fischer-economic-") for name in missing), missing
    of_papers = {name for name, named in catalogue.CATALOGUE.items() if named.paper}
    silent = {name for name in of_papers if not published.of_design(name)}
    # A second interleaved loop, a variant of a shifter, and cores for all key sizes.
    assert {name for name in silent if not re.search("-any|doubled", name)} <= {
        "standaert-ram-compact-21",
        "qin-4sm-permuted",
    }


def test_what_is_lost_stays_empty() -> None:
    lost = [row for row in published.of_table("standaert2003", "Sec. 6.2") if row.design]
    assert len(lost) == 7
    for row in lost:
        assert set(row.figures()) == {"latency_cycles"}, _name(row)
    for steps in (2, 5, 10):
        (row,) = published.of_design(f"pilchard-unrolled-{steps}")
        assert row.figures() == {}


def test_places_are_found() -> None:
    both = "standaert-sequential-52"
    for place in ("Table 4", "Table 5"):
        assert both in [row.design for row in published.of_table("standaert2003", place)]
    assert len(published.of_table("kakarlapudi", "Table 1")) == 3
    assert len(published.of_table("standaert2003", "Table 1", "Table 2", "Table 3")) == 5
    with pytest.raises(AesfabError, match="did you mean fischer2001"):
        published.of_paper("fischer")


def test_a_broken_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "published.jsonl"
    usual = records.shipped_path
    monkeypatch.setattr(
        records, "shipped_path", lambda kind: path if kind == "published" else usual(kind)
    )
    good = '{"paper": "qin2005", "where": "", "system": "", "kind": "core", "own": true'
    for line, says in [
        ("{", "line 1"),
        (good + ', "lutt": 3}', "lutt"),
        (good.replace("qin2005", "qin2006") + "}", "unknown paper"),
        (good + ', "interval_cycles": "5:52"}', "line 1"),
    ]:
        path.write_text(line + "\n")
        published.load.cache_clear()
        with pytest.raises(AesfabError, match=says):
            published.load()
    path.unlink()
    with pytest.raises(AesfabError, match="missing"):
        published.load()
    published.load.cache_clear()


@pytest.mark.skipif(
    not EXTRACTION.is_file(), reason="the extraction of the papers is not beside this checkout"
)
def test_figures_are_those_of_the_extraction() -> None:
    """As many of each value for each paper and device, so none is lost, changed or invented."""
    theirs: Counter[tuple[str, str, float]] = Counter()
    ours: Counter[tuple[str, str, float]] = Counter()
    with EXTRACTION.open(newline="") as file:
        for line in csv.DictReader(file):
            for column, name in COLUMNS.items():
                if line[column]:
                    theirs[line["paper"], name, float(line[column])] += 1
            if clocks := line["interval"]:
                # Blocks in clocks, where it is not a whole number.
                exact = 1 / Fraction(clocks) if "/" in clocks else Fraction(clocks)
                theirs[line["paper"], "interval_cycles", float(exact)] += 1
            after_synthesis = line["note"].startswith("172 MHz is after synthesis")
            if line["freq_mhz"] and not after_synthesis:
                theirs[line["paper"], "fmax_mhz", float(line["freq_mhz"])] += 1
    extracted = {paper for paper, *_ in theirs}
    assert extracted == set(published.of_catalogue())
    for row in published.load():
        if row.paper not in extracted:
            continue  # read in a text that the paper names
        for name in [*COLUMNS.values(), "fmax_mhz", "interval_cycles"]:
            value = getattr(row, name)
            if value is not None:
                ours[row.paper, name, float(value)] += 1
    assert ours == theirs
    assert sum(ours.values()) > 300


def test_fractions_are_exact() -> None:
    (row,) = published.of_design("standaert-sequential-52")
    assert row.interval_cycles == Fraction(52, 5)
    assert row.figures()["interval_cycles"] == 10.4
