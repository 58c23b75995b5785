# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The model of the host link: transactions counted by hand, the paper's figures, bad platforms."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from aesfab import cli, published, records
from aesfab.errors import AesfabError
from aesfab.link import experiments, figures, model, software
from aesfab.link.platform import MemoryType, Platform, load, shipped
from conftest import Cli

PILCHARD = load("pilchard-p3")


def _with(**changes: Any) -> Platform:
    return dataclasses.replace(PILCHARD, **changes)


def test_raw_rates_are_the_calibration() -> None:
    """Without a core the model gives back the rates that it was calibrated with."""
    free = _with(core_mhz=1e9, capacity=512)
    for row, memory in (("Uncacheable", "uncacheable"), ("Write-combining", "write_combining")):
        (raw,) = (
            r for r in published.of_paper("pilchard") if r.system == f"Pilchard raw transfer, {row}"
        )
        assert raw.mbit_s is not None
        for store in ("mmx", "sse"):
            got = model.transfer(free, store, memory, 1024).mbit_s
            assert got == pytest.approx(raw.mbit_s, rel=1e-3)


def test_a_block_by_hand() -> None:
    """One block, uncacheable: two writes, the core from its next clock on, two reads."""
    word_ns = 64e3 / 298 / 2
    clock_ns = 1000 / 64.88
    arrived = 2 * word_ns
    started = -(-arrived // clock_ns) * clock_ns
    expected = started + 11 * clock_ns + 2 * word_ns
    done = model.transfer(PILCHARD, "mmx", "uncacheable", 1)
    assert done.total_ns == pytest.approx(expected)
    assert done.transactions == 4
    assert done.bus_ns == pytest.approx(4 * word_ns)
    assert done.wait_ns == pytest.approx(expected - 4 * word_ns)


def test_a_slow_core_is_the_limit() -> None:
    """Whatever the link, a message takes no less than its blocks take the core."""
    slow = _with(core_mhz=1.0)
    done = model.transfer(slow, "sse", "write_combining", 100)
    assert done.total_ns > 100 * 11 * 1000
    assert done.total_ns < 101 * 11 * 1000 + done.bus_ns


def test_buffers_bound_what_is_under_way() -> None:
    """A message beyond the buffers goes in chunks, each of which waits for its last result."""
    chunked = model.transfer(_with(capacity=10), "sse", "write_combining", 100)
    whole = model.transfer(_with(capacity=100), "sse", "write_combining", 100)
    assert chunked.transactions == whole.transactions == 2 * 100 // 2
    assert chunked.wait_ns > whole.wait_ns


def test_combining_buffers() -> None:
    """Full lines leave as bursts, parts word by word, at a fence or when the buffers run out."""
    memory = MemoryType(unit_bytes=32, write_ns=100.0, read_ns=100.0, buffers=2)
    buffers = model.Combining(memory, 8, 40.0)
    assert list(buffers.store(0, 16)) == []
    assert list(buffers.store(16, 16)) == [(0, 32, 100.0)]
    assert list(buffers.store(32, 4)) == []
    assert list(buffers.store(64, 16)) == []
    # A third line: the oldest leaves, 4 bytes of one word.
    assert list(buffers.store(96, 8)) == [(32, 4, 40.0)]
    assert list(buffers.fence()) == [(64, 8, 40.0), (72, 8, 40.0), (96, 8, 40.0)]
    assert list(buffers.fence()) == []


def test_odd_messages_flush_the_last_line() -> None:
    """31 blocks end in half a line: fifteen bursts and two words there, sixteen lines back."""
    done = model.transfer(PILCHARD, "sse", "write_combining", 31)
    assert done.transactions == 15 + 2 + 16


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


def test_predictions_stand_beside_what_is_printed() -> None:
    rows = experiments.predictions()
    assert {row["printed_mbit_s"] for row in rows} == {210, 319, 455, 450}
    for row in rows:
        predicted = row["predicted_mbit_s"]
        assert row["error_percent"] == pytest.approx(
            100 * (predicted / row["printed_mbit_s"] - 1), abs=0.1
        )
    combining = [row for row in rows if "Write-combining" in row["system"]]
    assert all(abs(row["error_percent"]) < 10 for row in combining)
    assert len(experiments.lacks()) == sum(abs(row["error_percent"]) > 10 for row in rows) > 0


def test_claims_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """The orderings of the paper hold in the model; with another machine they would not."""
    assert all(claim.holds for claim in experiments.claims())
    slow = MemoryType(unit_bytes=32, write_ns=5000.0, read_ns=5000.0, buffers=4)
    broken = _with(memory={**PILCHARD.memory, "write_combining": slow}, core_mhz=1.0)
    monkeypatch.setattr(experiments, "load", lambda _: broken)
    failed = [claim.text for claim in experiments.claims() if not claim.holds]
    assert any("write-combining is faster" in text for text in failed)
    assert any("not the core" in text for text in failed)


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
        ("clock_mhz = 133", "clock_mhz = 0", "[bus] clock_mhz must be at least"),
        ("clock_mhz = 133", "clock_mhz = nan", "[bus] clock_mhz must be at least"),
        ("clock_mhz = 133", 'clock_mhz = "fast"', "[bus] clock_mhz must be a number"),
        ("width_bits = 64", "width_bits = 65", "width_bits must be 8, 16, 32, 64 or 128"),
        ("mmx = 8", "mmx = 9", "[bus.stores] mmx must be"),
        ("blocks = 511", "blocks = 1.5", "[buffers] blocks must be a whole number"),
        ("blocks = 511", "", "[buffers] blocks is missing"),
        ("blocks = 511", "blocks = 511\nblock = 3", "[buffers] unknown: block"),
        ('design = "pilchard-unrolled-1"', 'design = "x"', "unknown design 'x'"),
        ("clock_mhz = 64.88", 'device = "moon"', "no record of pilchard-unrolled-1 on moon"),
        ("[uncacheable]", "[uncached]", "no section [uncacheable]"),
        ("[bus]", "[bus", "not TOML"),
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


def test_figures_are_predictions_and_what_is_printed() -> None:
    """Figs. 7.4 to 7.7 hold the model's figures and the paper's, each under its own name."""
    charts = {chart.name: chart for chart in figures.paper_figures()}
    assert list(charts) == [f"pilchard-figure-7.{number}" for number in (4, 5, 6, 7)]
    predictions = {
        (row["blocks"], row["printed_mbit_s"]): row["predicted_mbit_s"]
        for row in experiments.predictions()
    }
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
    assert ours["ours, predicted: SSE, write-combining", 1024] == predictions[1024, 450]
    assert ours["ours, predicted: MMX, uncacheable", 1472] == predictions[1472, 210]
    for name, blocks, known in (("7.5", 96, 2), ("7.6", 960, 3)):
        bars = charts[f"pilchard-figure-{name}"].rows
        assert [row["series"] for row in bars].count("printed") == known
        assert {r["system"]: r["value"] for r in bars if r["series"] != "printed"} == {
            f"{s.upper()}, {memory.replace('write_', 'write-')}": pytest.approx(
                model.transfer(PILCHARD, s, memory, blocks).mbit_s, abs=0.05
            )
            for s, memory in PILCHARD.ways()
        }


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
    text = aesfab("host", "bench", "pilchard-p3").stdout
    assert "422.6" in text
    assert aesfab("host", "bench", "nowhere").returncode == 2
