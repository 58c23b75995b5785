# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The model of the host link: transactions counted by hand, the paper's figures, bad platforms."""

from __future__ import annotations

import dataclasses
import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from aesfab import cli, records
from aesfab.errors import AesfabError
from aesfab.study import conclusions, published, report
from aesfab.study.link import calibration, experiments, figures, machine, model, software
from aesfab.study.link.machine import MemoryType, Platform
from aesfab.study.link.platform import load, shipped
from aesfab.study.study import Study
from conftest import Cli

ROOT = Path(__file__).resolve().parents[2]
PILCHARD = load("pilchard-p3")


def _with(**changes: Any) -> Platform:
    return dataclasses.replace(PILCHARD, **changes)


CLOCK_NS = 1000 / 133.33
"""A word on the bus of the paper's machine."""

WAYS = {"mmx uncacheable": (4, 4), "sse uncacheable": (4, 2), "mmx write_combining": (1, 4),
        "sse write_combining": (1, 2)}  # fmt: skip
"""Writes and reads of two blocks, counted by hand: stores in pieces of 8 bytes or lines of 32,
loads as wide as they are."""


def _printed(words: str) -> float:
    (row,) = (r for r in published.of_paper("pilchard") if words in r.system)
    assert row.mbit_s is not None
    return row.mbit_s


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("pairs", [1, 7, 100])
def test_transactions_by_hand(way: str, pairs: int) -> None:
    store, memory = way.split()
    writes, reads = WAYS[way]
    done = model.transfer(PILCHARD, store, memory, 2 * pairs)
    assert (done.writes, done.reads) == (writes * pairs, reads * pairs)
    assert done.transactions == done.writes + done.reads


def test_the_costs_by_hand() -> None:
    """Two equations of the two figures that calibrate, in ns a block, and what follows from them.

    MMX: two writes and two reads of a word. SSE: two writes, and a read of two words.
    """
    mmx, sse = 128e3 / 210, 128e3 / 319
    read_ns = mmx - sse + CLOCK_NS
    write_ns = mmx / 2 - read_ns
    for memory in PILCHARD.memory.values():
        assert memory.write_ns == pytest.approx(write_ns)
        assert memory.read_ns == pytest.approx(read_ns)
    assert (write_ns, read_ns) == pytest.approx((89.0, 215.8), abs=0.05)
    line = (write_ns + 3 * CLOCK_NS) / 2
    for store, per_block in (("sse", line + read_ns + CLOCK_NS), ("mmx", line + 2 * read_ns)):
        got = model.transfer(PILCHARD, store, "write_combining", 510 * 8)
        assert got.mbit_s == pytest.approx(128e3 / per_block, rel=2e-3)
    raw = experiments.raw_mbit_s(PILCHARD, "mmx", "uncacheable", "read")
    assert raw == pytest.approx(128e3 / (2 * read_ns))


def test_only_two_figures_are_in_the_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each printed figure of the paper is changed in turn: the costs move with those named so."""
    rows = published.load()
    named = {row.system: known for row, known in _statuses()}
    moved = set()
    for number, row in enumerate(rows):
        if row.paper != "pilchard" or row.mbit_s is None:
            continue
        other = dataclasses.replace(row, mbit_s=1.01 * row.mbit_s)
        monkeypatch.setattr(
            published, "load", lambda n=number, o=other: (*rows[:n], o, *rows[n + 1 :])
        )
        here = load("pilchard-p3")
        if here.memory != PILCHARD.memory or here.core_mhz != PILCHARD.core_mhz:
            moved.add(row.system)
    assert moved == {system for system, known in named.items() if known == "calibrated"}
    assert len(moved) == 2


def _statuses() -> list[tuple[published.Printed, str]]:
    return [(row, experiments.status(account, PILCHARD)) for row, account in experiments.accounts()]


def test_every_figure_of_the_host_has_one_account() -> None:
    known = _statuses()
    wanted = published.of_paper("pilchard", lambda r: r.kind in ("host", "software"))
    assert [sum(row is other for other, _ in known) for row in wanted] == [1] * len(wanted)
    assert {status for _, status in known} == set(experiments.STATUSES)
    rows = experiments.figures()
    assert [row["status"] for row in rows] == [status for _, status in known]
    for row in rows:
        compared = row["status"] in ("predicted", "unexplained") and row["printed_mbit_s"]
        assert (row["error_percent"] is not None) == bool(compared)
        if compared:
            errors = [100 * (ours / row["printed_mbit_s"] - 1) for ours in row["model_mbit_s"]]
            assert row["error_percent"] == pytest.approx(max(errors, key=abs), abs=0.1)
    # The core's clock, which no row of the host gives, is the paper's throughput.
    (core,) = (r for r in published.of_paper("pilchard") if r.system == "Unrolled-1")
    assert core.mbit_s == pytest.approx(128 * PILCHARD.core_mhz / 11, abs=0.05)


def test_predictions() -> None:
    """Errors of what the model computes without knowing it; one of the raw rates is far off."""
    errors = {
        row["system"]: row["error_percent"]
        for row in experiments.figures()
        if row["status"] == "predicted" and row["printed_mbit_s"]
    }
    assert errors == {
        "core and host, SSE + Write-combining, 15 KB": 0.7,
        "core and host, SSE + Write-combining, more than 400 blocks": 1.8,
        "Pilchard raw transfer, movq + Uncacheable (earlier measurement)": 5.9,
        "Pilchard raw transfer, Uncacheable": -0.5,
        "Pilchard raw transfer, Write-combining": 18.7,
    }
    worst = {m: [abs(r["error_percent"]) for r in experiments.raw() if r["counts_payload"] == m]
             for m in experiments.MEANINGS}  # fmt: skip
    assert max(worst[experiments.raw_meaning()]) == min(map(max, worst.values()))


def test_readings() -> None:
    """Other assumptions, the same calibration: what they would give, and what speaks against it."""
    shipped_, uniform, *others = experiments.readings()
    assert shipped_["refuted_by"] == uniform["refuted_by"] == ""
    # Without the clocks of further words, by hand: r = mmx - sse, two reads; w/2 + r.
    read_ns = 128e3 / 210 - 128e3 / 319
    write_ns = 64e3 / 210 - read_ns
    assert uniform["raw_uncacheable"] == pytest.approx(64e3 / read_ns, abs=0.1)
    assert uniform["sse_combining"] == pytest.approx(128e3 / (write_ns / 2 + read_ns), rel=2e-3)
    assert uniform["mmx_combining"] == pytest.approx(128e3 / (write_ns / 2 + 2 * read_ns), rel=2e-3)
    assert all(row["refuted_by"] for row in others)
    # To wait for the last result of a chunk takes the core's time for all of it, then the reads.
    waiting = next(row for row in others if "last result" in row["reading"])
    block_ns = 11e3 / 64.88 + PILCHARD.memory["uncacheable"].read_ns + CLOCK_NS
    assert waiting["sse_combining"] == pytest.approx(128e3 / block_ns, rel=3e-3)


def _points(*points: tuple[str, str, float]) -> Platform:
    return _with(
        points=tuple(machine.Point(store, memory, 960, mbit_s) for store, memory, mbit_s in points)
    )


def test_calibration_that_cannot_be() -> None:
    mmx, sse = ("mmx", "uncacheable"), ("sse", "uncacheable")
    for points, said in (
        (((*mmx, 210.0),), "two [[calibration]] points"),
        (((*mmx, 210.0), (*mmx, 210.0)), "in the same ratio"),
        (((*mmx, 210.0), (*sse, 200.0)), "no costs above 0"),
        (((*mmx, 210.0), (*sse, 500.0)), "no costs above 0"),
    ):
        with pytest.raises(AesfabError) as caught:
            calibration.calibrate(_points(*points))
        assert said in str(caught.value)


def test_calibration_finds_known_costs() -> None:
    """What is not on the bus (driver, the last result) is taken off; a core that decides is not."""
    known = _with(
        setup_ns=5000.0,
        memory={
            name: dataclasses.replace(
                memory, write_ns=95.0, read_ns=130.0, waits_for_chunk=bool(memory.buffers)
            )
            for name, memory in PILCHARD.memory.items()
        },
    )

    def found(*ways: tuple[str, str]) -> Platform:
        done = [model.transfer(known, *way, 300) for way in ways]
        points = (machine.Point(*w, 300, d.mbit_s) for w, d in zip(ways, done, strict=True))
        return calibration.calibrate(dataclasses.replace(known, points=tuple(points)))

    for memory in found(("sse", "uncacheable"), ("mmx", "uncacheable")).memory.values():
        assert (memory.write_ns, memory.read_ns) == pytest.approx((95.0, 130.0))
    with pytest.raises(AesfabError, match="does not settle"):
        found(("sse", "write_combining"), ("mmx", "uncacheable"))


def test_a_block_by_hand() -> None:
    """One block, uncacheable: two writes, the core from its next clock on, two reads."""
    memory = PILCHARD.memory["uncacheable"]
    clock_ns = 1000 / 64.88
    arrived = 2 * memory.write_ns
    started = -(-arrived // clock_ns) * clock_ns
    expected = started + 11 * clock_ns + 2 * memory.read_ns
    done = model.transfer(PILCHARD, "mmx", "uncacheable", 1)
    assert done.total_ns == pytest.approx(expected)
    assert (done.writes, done.reads) == (2, 2)
    assert done.write_ns == pytest.approx(2 * memory.write_ns)
    assert done.read_ns == pytest.approx(2 * memory.read_ns)
    assert done.wait_ns == pytest.approx(expected - done.write_ns - done.read_ns)


def test_what_a_read_waits_for() -> None:
    """Three blocks and a core of 11 us each: the result of the block, or the last of the chunk."""
    fast = dataclasses.replace(
        PILCHARD.memory["write_combining"], write_ns=10.0, read_ns=20.0, write_bytes=16
    )
    for chunk, ends in ((False, 33_000 + 20), (True, 33_000 + 3 * 20)):
        memory = dataclasses.replace(fast, waits_for_chunk=chunk)
        slow = _with(
            core_mhz=1.0, word_ns=0.0, memory={**PILCHARD.memory, "write_combining": memory}
        )
        done = model.transfer(slow, "sse", "write_combining", 3)
        # The first block is there after 10 ns and starts with the clock at 1 us.
        assert done.total_ns == pytest.approx(1_000 + ends)


def test_a_slow_core_is_the_limit() -> None:
    """Whatever the link, a message takes no less than its blocks take the core."""
    slow = _with(core_mhz=1.0)
    done = model.transfer(slow, "sse", "write_combining", 100)
    assert done.total_ns > 100 * 11 * 1000
    assert done.total_ns < 101 * 11 * 1000 + done.write_ns + done.read_ns


def test_buffers_bound_what_is_under_way() -> None:
    """A message beyond the buffers goes in chunks; it shows where they wait for the last result."""
    memory = dataclasses.replace(PILCHARD.memory["write_combining"], waits_for_chunk=True)
    waiting = {**PILCHARD.memory, "write_combining": memory}
    chunked = model.transfer(_with(capacity=10, memory=waiting), "sse", "write_combining", 100)
    whole = model.transfer(_with(capacity=100, memory=waiting), "sse", "write_combining", 100)
    assert chunked.transactions == whole.transactions == 100 // 2 + 100
    assert chunked.wait_ns > whole.wait_ns


def test_combining_buffers() -> None:
    """Full lines leave as bursts, parts piece by piece, at a fence or when the buffers run out."""
    memory = MemoryType(write_bytes=32, read_bytes=16, write_ns=100.0, read_ns=100.0, buffers=2)
    buffers = model.Combining(memory, 8)
    assert list(buffers.store(0, 16)) == []
    assert list(buffers.store(16, 16)) == [(0, 32)]
    assert list(buffers.store(32, 4)) == []
    assert list(buffers.store(64, 16)) == []
    # A third line: the oldest leaves, 4 bytes of one word.
    assert list(buffers.store(96, 8)) == [(32, 4)]
    assert list(buffers.fence()) == [(64, 8), (72, 8), (96, 8)]
    assert list(buffers.fence()) == []


def test_odd_messages_flush_the_last_line() -> None:
    """31 blocks end in half a line: fifteen bursts of four words and two writes of one there."""
    done = model.transfer(PILCHARD, "sse", "write_combining", 31)
    assert (done.writes, done.reads) == (15 + 2, 31)
    write_ns = PILCHARD.memory["uncacheable"].write_ns
    assert done.write_ns == pytest.approx(17 * write_ns + 15 * 3 * CLOCK_NS)


def test_a_stream_is_bound_by_its_slower_part() -> None:
    """Both ways at a time: a long message runs at the rate of link or core, whichever is less."""
    stream = load("soc-dma")
    assert stream.stream is not None
    payload = stream.stream.packet_bytes / (
        stream.stream.packet_bytes + stream.stream.packet_overhead_bytes
    )
    link = stream.stream.mbit_s * payload
    fast = dataclasses.replace(stream, core_mhz=1e4)
    assert model.transfer(fast, "dma", "stream", 1 << 18).mbit_s == pytest.approx(link, rel=0.03)
    slow = dataclasses.replace(stream, core_mhz=10.0)
    core = 128 * 10.0 / float(stream.design.interval())
    assert model.transfer(slow, "dma", "stream", 1 << 14).mbit_s == pytest.approx(core, rel=0.03)


def test_claims_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """The orderings of the paper hold in the model; with other machines they would not."""
    assert all(claim.holds for claim in experiments.claims())

    def failed(other: Platform) -> str:
        monkeypatch.setattr(experiments, "load", lambda _: other)
        return "; ".join(claim.text for claim in experiments.claims() if not claim.holds)

    slow = dataclasses.replace(
        PILCHARD.memory["write_combining"], write_ns=5000.0, read_ns=5000.0, read_bytes=8
    )
    words = failed(_with(memory={**PILCHARD.memory, "write_combining": slow}, core_mhz=0.5))
    assert "write-combining is faster" in words
    assert "not the core" in words
    narrow = {
        name: dataclasses.replace(memory, read_bytes=8) for name, memory in PILCHARD.memory.items()
    }
    assert "SSE is faster than MMX" in failed(_with(memory=narrow))
    assert "saturates" in failed(_with(setup_ns=20_000.0))
    quick = {
        name: dataclasses.replace(memory, write_ns=40.0, read_ns=90.0)
        for name, memory in PILCHARD.memory.items()
    }
    assert "slower than software" in failed(_with(memory=quick))


@pytest.mark.parametrize("mhz", [64.88, 45.0, 35.0, 20.0])
@pytest.mark.parametrize("chunk", [False, True])
def test_one_rule_of_what_limits(monkeypatch: pytest.MonkeyPatch, mhz: float, chunk: bool) -> None:
    """Tables, claims and conclusions say the same of a system, below and above the crossing."""
    memory = dataclasses.replace(PILCHARD.memory["write_combining"], waits_for_chunk=chunk)
    here = _with(core_mhz=mhz, memory={**PILCHARD.memory, "write_combining": memory})
    monkeypatch.setattr(experiments, "load", lambda _: here)
    row = experiments.unrolled()[0]
    claim = next(c for c in experiments.claims() if "not the core" in c.text)
    conclusion = next(c for c in conclusions.CONCLUSIONS if c.name == "pilchard-host")
    said = conclusions.judge(conclusion, Study([])).verdict == "holds"
    link_limits = mhz > row["needed_mhz"]
    assert (row["limit"] == "link") is claim.holds is said is link_limits
    for way in here.ways():
        system = model.transfer(here, *way, 960).mbit_s
        bounds = model.link_alone(here, *way, 960).mbit_s, model.core_alone(here)
        assert system <= min(bounds) * (1 + 1e-9)


def test_the_paper_s_own_clock_is_a_row() -> None:
    first, *others = experiments.unrolled()
    assert (first["clock_of"], first["mhz"]) == ("the paper", 64.88)
    assert first["core_mbit_s"] == pytest.approx(755, abs=0.05)
    assert first["limit"] == "link"
    assert {row["clock_of"] for row in others} == {"ecp5-85k"}


@pytest.mark.parametrize("name", shipped())
def test_the_line_promises_no_more_than_the_model(name: str) -> None:
    """Beta is what a block of a long message takes, or more."""
    platform = load(name)
    for row in experiments.break_even(platform):
        bound = model.asymptote(platform, row["store"], row["memory"])
        longest = model.transfer(platform, row["store"], row["memory"], 1 << 16).mbit_s
        assert bound == pytest.approx(longest, rel=0.01)
        assert row["mbit_s"] <= round(bound, 1)


def test_a_line_with_a_least_slope() -> None:
    times = {n: 700.0 + 25.0 * n for n in (1, 10, 100, 1000)}
    alpha, beta = software.fit(times, 26.0)
    assert beta == 26.0
    assert 650 < alpha < 700
    assert software.fit(times, 24.0) == pytest.approx((700.0, 25.0))


def test_fit_and_break_even() -> None:
    times = {n: 700.0 + 25.0 * n for n in (1, 10, 100, 1000)}
    assert software.fit(times) == pytest.approx((700.0, 25.0))
    # 700 + 25 n is no more than 35 n from n = 70 on.
    program = software.printed("x", 128e3 / 35)
    assert experiments._crossing(700.0, 25.0, program) == 16 * 70
    assert experiments._crossing(700.0, 40.0, program) is None
    assert experiments._crossing(5.0, 10.0, program) == 16


def test_openssl_is_slower_without_aes_instructions() -> None:
    """Both figures come from a run; that one is of tables shows in the long messages."""
    with_aes, without = software.measured(True), software.measured(False)
    assert set(with_aes.times_ns) == set(software.SIZES) == set(without.times_ns)
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").is_file() else ""
    if " aes " in flags:
        assert without.times_ns[4096] > 3 * with_aes.times_ns[4096]


@pytest.mark.parametrize("name", shipped())
def test_shipped_platforms_load(name: str) -> None:
    platform = load(name)
    assert platform.title
    assert platform.why
    for store, memory in platform.ways():
        short, long = (model.transfer(platform, store, memory, n).mbit_s for n in (1, 4096))
        assert 0 < short < long


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('kind = "processor"', 'kind = "carrier pigeon"', "unknown kind 'carrier pigeon'"),
        ("clock_mhz = 133.33", "clock_mhz = 0", "[bus] clock_mhz must be at least"),
        ("clock_mhz = 133.33", "clock_mhz = nan", "[bus] clock_mhz must be at least"),
        ("clock_mhz = 133.33", 'clock_mhz = "fast"', "[bus] clock_mhz must be a number"),
        ("width_bits = 64", "width_bits = 65", "width_bits must be 8, 16, 32, 64 or 128"),
        ("mmx = 8", "mmx = 9", "[bus.stores] mmx must be"),
        ("blocks = 511", "blocks = 1.5", "[buffers] blocks must be a whole number"),
        ("blocks = 511", "", "[buffers] blocks is missing"),
        ("blocks = 511", "blocks = 511\nblock = 3", "[buffers] unknown: block"),
        ('design = "pilchard-unrolled-1"', 'design = "x"', "unknown design 'x'"),
        ("clock_mhz = 64.88", 'device = "moon"', "no record of pilchard-unrolled-1 on moon"),
        ("[uncacheable]", "[uncached]", "no section [uncacheable]"),
        ("[bus]", "[bus", "not TOML"),
        ("write_bytes = 8", "write_bytes = 9", "[uncacheable] write_bytes must be 1, 2, 4"),
        ("write_bytes = 32", "write_bytes = 4", "[write_combining] write_bytes must be whole bus"),
        ("read_bytes = 16", "", "[uncacheable] read_bytes is missing"),
        ('"block"', '"luck"', "[write_combining] reads_wait_for: unknown value 'luck'"),
        ('cost = "calibrated"', "write_ns = 9\nread_ns = 9", "bad: unknown: calibration"),
        ('cost = "calibrated"\n\n[w', "write_ns = 9\nread_ns = 9\n\n[w", "are calibrated, or none"),
        ('cost = "calibrated"', 'cost = "guessed"', "cost: unknown value 'guessed'"),
        ('store = "sse"', 'store = "mmx"', "in the same ratio"),
        ('store = "sse"', 'store = "avx"', "[calibration] no way avx+uncacheable"),
        ('paper = "pilchard"', "mbit_s = 3", "[calibration] unknown: system"),
        ("SSE + Uncacheable, 15 KB", "MMX movq + Write-combining", "prints no throughput"),
        ("[[calibration]]", "[calibration]", "not TOML"),
    ],
)
def test_bad_platforms(tmp_path: Path, old: str, new: str, said: str) -> None:
    good = Path(experiments.__file__).parent / "platforms" / "pilchard-p3.toml"
    text = good.read_text()
    assert old in text
    bad = tmp_path / "bad.toml"
    bad.write_text(text.replace(old, new))
    with pytest.raises(AesfabError) as caught:
        load(str(bad))
    assert said in str(caught.value)


def test_a_platform_without_its_record_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of all platforms; one that is asked for by name must be there."""
    monkeypatch.setattr(records, "known", lambda *_, **__: [])
    done = CliRunner().invoke(cli.app, ["host", "bench", "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    assert {row["platform"] for row in json.loads(done.stdout)["curves"]} == {"pilchard-p3"}
    missing = [line for line in done.stderr.splitlines() if "left out" in line]
    assert len(missing) == len(shipped()) - 1
    with pytest.raises(AesfabError, match="no record of"):
        load("soc-dma")


def test_no_such_platform_or_way() -> None:
    with pytest.raises(AesfabError, match="unknown platform"):
        load("pilchard")
    with pytest.raises(AesfabError, match="cannot read the platform"):
        load("missing.toml")
    with pytest.raises(AesfabError, match=r"known: mmx\+uncacheable"):
        model.transfer(PILCHARD, "avx", "uncacheable", 1)
    with pytest.raises(AesfabError, match="at least one block"):
        model.transfer(PILCHARD, "sse", "uncacheable", 0)


def test_graphs_hold_the_model_and_what_is_printed() -> None:
    """Figs. 7.4 to 7.7 hold the model's figures and the paper's, each under its own name."""
    charts = {chart.name: chart for chart in figures.paper_figures()}
    assert list(charts) == [f"pilchard-figure-7.{number}" for number in (4, 5, 6, 7)]
    over_size = charts["pilchard-figure-7.7"].rows
    printed = {
        (r["series"], r["blocks"]): r["value"] for r in over_size if "printed" in r["series"]
    }
    assert printed == {
        ("printed: SSE, write-combining", 401): 450,
        ("printed: SSE, write-combining", 960): 455,
        ("printed: SSE, write-combining", 1024): 450,
        ("printed: MMX, uncacheable", 96): 210,
        ("printed: MMX, uncacheable", 960): 210,
        ("printed: MMX, uncacheable", 1472): 210,
    }
    ours = {(r["series"], r["blocks"]): r["value"] for r in over_size if "ours" in r["series"]}
    for series, way, blocks in (
        ("ours, predicted: SSE, write-combining", ("sse", "write_combining"), 1024),
        ("ours, calibrated: MMX, uncacheable", ("mmx", "uncacheable"), 1472),
    ):
        rate = model.transfer(PILCHARD, *way, blocks).mbit_s
        assert ours[series, blocks] == pytest.approx(rate, abs=0.05)
    for name, blocks, known in (("7.5", 96, 2), ("7.6", 960, 3)):
        bars = charts[f"pilchard-figure-{name}"].rows
        assert [row["series"] for row in bars].count("printed") == known
        assert {(r["system"], r["series"]): r["value"] for r in bars if "ours" in r["series"]} == {
            (
                f"{s.upper()}, {memory.replace('write_', 'write-')}",
                "ours, predicted" if memory == "write_combining" else "ours, calibrated",
            ): pytest.approx(model.transfer(PILCHARD, s, memory, blocks).mbit_s, abs=0.05)
            for s, memory in PILCHARD.ways()
        }


def test_the_report_has_the_same_table() -> None:
    """Every figure with all of its fields, written as the page writes it."""
    page = report.build(report.Figures(Study([]))).html()
    table = page[page.index('id="host-figures-table"') :].partition("</table>")[0]
    rows = experiments.shown(experiments.figures(), nothing=None)
    assert [column.key for column in report.HOST_COLUMNS] == list(rows[0])
    body = table.partition("<tbody>")[2]
    assert body.count("<tr>") == len(rows)
    for row, line in zip(rows, body.split("<tr>")[1:], strict=True):
        for name in ("status", "model_mbit_s", "error_percent"):
            assert row[name] is None or f">{row[name]}</td>" in line


def test_the_page_has_the_tables_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/host-link.md is written from the model, and its sentences repeat what is printed."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    page = (ROOT / "docs" / "host-link.md").read_text()
    assert importlib.import_module("hostlink").tables() in page
    slow = _printed("host, MMX movq + Uncacheable")
    assert f"MMX ({slow:g}) and SSE ({_printed('host, SSE + Uncacheable, 15 KB'):g})" in page
    fast, base, end = (
        _printed(words)
        for words in ("Write-combining, 15 KB", "DES on Pilchard", "more than 400 blocks")
    )
    words = f"{base:g} to {end:g} is a factor of {end / base:.2f}"
    assert words in page
    assert f"{slow:g} and {fast:g} give {fast / slow:.2f}" in page
    claim = next(c for c in conclusions.CONCLUSIONS if c.name == "pilchard-host-doubles").claim
    for first, last in ((slow, fast), (base, end)):
        assert f"{first:g} to {last:g}, a factor of {last / first:.2f}" in claim


def test_figures_as_files(aesfab: Cli, tmp_path: Path) -> None:
    """A curve is joined and printed points are not; PNG files as well where wanted."""
    done = aesfab("host", "bench", "pilchard-p3", "--svg", tmp_path / "new", "--png")
    assert done.returncode == 0, done.stderr
    names = [*(f"pilchard-figure-7.{n}" for n in (4, 5, 6, 7)), "host-pilchard-p3"]
    assert {f.name for f in (tmp_path / "new").iterdir()} == {
        f"{name}.{kind}" for name in names for kind in ("svg", "png")
    }
    drawn = (tmp_path / "new" / "pilchard-figure-7.7.svg").read_text()
    assert drawn.count('aria-roledescription="line mark"') + drawn.count("mark-line") == 2
    assert "printed: SSE, write-combining" in drawn
    done = aesfab("host", "bench", "pilchard-p3", "--png")
    assert done.returncode == 2
    assert done.stderr == "aesfab: --png goes with --svg DIR\n"


def test_command(aesfab: Cli) -> None:
    done = aesfab("host", "bench", "pilchard-p3", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert len(said["curves"]) == 4 * len(experiments.SIZES)
    assert {row["design"] for row in said["unrolled"]} == {
        f"pilchard-unrolled-{rounds}" for rounds in (1, 2, 5, 10)
    }
    assert said["figures"] == experiments.figures()
    assert said["costs"] == experiments.costs()
    assert said["raw"] == experiments.raw()
    assert said["readings"] == experiments.readings()
    text = aesfab("host", "bench", "pilchard-p3").stdout
    for row in experiments.figures():
        (line,) = (
            line
            for line in text.splitlines()
            if f" {row['system']} " in line + " " and row["where"] in line and row["status"] in line
        )
        assert all(str(rate) in line for rate in row["model_mbit_s"])
    assert aesfab("host", "bench", "nowhere").returncode == 2
