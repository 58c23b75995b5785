# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""``aesfab choose`` with packets or streams: the engines of the records are the candidates."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import needs
import passed
from aesfab import records
from aesfab.choosing import answer, candidates
from aesfab.choosing.candidates import ESTIMATE, LONG, RECORD, EngineCandidate
from aesfab.choosing.engines import Engines
from aesfab.choosing.need import Need, parse
from aesfab.engine import every, hdl
from aesfab.engine.every import SIZES
from aesfab.engine.streams.spec import DESCRIPTOR_CLOCKS
from aesfab.errors import AesfabError
from conftest import Cli

pytestmark = pytest.mark.kept(
    "src/aesfab/choosing",
    "src/aesfab/design",
    "src/aesfab/engine",
    "src/aesfab/cli/choose.py",
    *passed.RECORDS,
    "src/aesfab/devices.py",
    "src/aesfab/measure/implement.py",
    "src/aesfab/study/study.py",
    "tools/needs.py",
)


@functools.cache
def _known() -> list[records.Record]:
    return records.shipped("implement")


@functools.cache
def _measured() -> list[EngineCandidate]:
    return candidates.of_engines(_known())


def _choose(line: str) -> answer.Answer:
    return answer.choose(needs.words(line), _known())


def _need_of(name: str, device: str) -> Need:
    """A need of a mode and direction that an engine has without overrides, without a limit."""
    mode, decrypt = next(
        (mode, decrypt)
        for mode in SIZES
        for decrypt in (True, False)
        if (name, ()) in every.carriers(mode, decrypt=decrypt)
        and every.carries(every.find(name), mode, decrypt=decrypt)
    )
    words = {"device": device, "mode": mode, "direction": "decrypt" if decrypt else "encrypt"}
    streams = {"streams": 128} if every.streamed(mode, decrypt=decrypt) else {}
    return parse({**words, **streams, "packet": 1600})


def _clocks(named: every.AnyNamed, need: Need) -> float:
    """Clocks of a packet, by the formulas that ``aesfab verify`` counts the engines by."""
    engine: Any = named.engine
    assert need.packet
    blocks = -(-need.packet // 16)
    if every.kind(named.name) is every.SECTORS:
        return float(engine.sector_clocks(blocks) + (need.packet % 16 and engine.steal_clocks))
    if need.streams:
        fills = min(need.streams, engine.num_streams) >= engine.streams_that_fill
        assert fills
        return float(engine.interval() * blocks)
    return float(engine.packet_clocks(0, blocks, decrypt=need.direction == "decrypt"))


def _rows() -> list[tuple[str, str]]:
    """Every engine and device of which there is a record of the RTL as it is."""
    return sorted({
        (record["design"], record["device"])
        for record in _known()
        if every.is_engine(record["design"])
        and hdl.Present(every.find(record["design"])).has(record, elaborate=False)
    })  # fmt: skip


@pytest.mark.parametrize("device", sorted({device for _, device in _rows()}))
def test_what_is_said_of_an_engine_is_its_record(device: str) -> None:
    """Each record of each engine: its area, its clock, its rate by the formula, whether it fits."""
    checked = 0
    for name in [name for name, its in _rows() if its == device]:
        named, need = every.find(name), _need_of(name, device)
        said = {
            (each.words, each.recipe): (each, row.fails)
            for row in answer.choose(need, _known()).rows
            if (each := row.candidate).source == RECORD
        }
        mine = [
            record
            for record in _known()
            if record["design"] == name
            and record["device"] == device
            and hdl.Present(named).has(record, elaborate=False)
        ]
        for record in mine:
            for recipe, result in record["recipes"].items():
                each, fails = said[name, recipe]
                fmax = result.get("fmax_mhz")
                more = [r for r in mine if recipe in r["recipes"] and r is not record]
                if any(records.seeds(r) > records.seeds(record) for r in more):
                    continue
                has = each.figures(need)
                figures = (result["lut"], result["ff"], result["ram"])
                assert (has["lut"], has["ff"], has["ram"]) == figures
                assert has["cells"] == round(result["slices_estimate"])
                assert (each.device, each.measured_on) == (device, device)
                assert ("does not fit" in fails) == (result["status"] == "does not fit")
                assert each.mhz == (fmax["median"] if fmax else None)
                if fmax:
                    rate = 8 * (need.packet or 0) * fmax["median"] / _clocks(named, need)
                    assert each.judged(need)["mbit"] == pytest.approx(rate)
                    assert each.mhz_min == fmax["min"]
                assert answer.commands(each) == {
                    "generate": f"aesfab generate {name} -o engine",
                    "implement": f"aesfab implement {name} --device {device} --recipe {recipe}",
                }
                checked += 1
    assert checked >= len([1 for _, its in _rows() if its == device])


@pytest.mark.parametrize("name", every.names())
def test_evidence_is_that_of_the_engine(name: str) -> None:
    (found, *_) = [e for e in _measured() if e.words == name and e.device == "ecp5-85k"]
    known = every.evidence_of(every.find(name))
    assert known
    assert known["passed"]
    assert answer._evidence(found) == f"passed the verification (level {known['level']})"


# ------------------------------------------------------------------- needs of an audit


def test_a_limit_of_area_is_that_of_the_engine() -> None:
    said = _choose("--mode gcm --device ecp5-85k --packet 64 --max-lut 1200")
    assert said.best
    assert said.best.words == "gcm-byte"
    assert said.best.lut <= 1200
    assert answer.slack(said.best, said.need)["max_lut"] < 10
    failed = [r for r in said.rows if r.candidate.words == "gcm-interleaved-ram"]
    assert failed
    assert all(row.fails == f"{row.candidate.lut:,} for 1,200 LUTs" for row in failed)


def test_a_rate_that_no_engine_carries_is_met_by_none(aesfab: Cli) -> None:
    options = ("--mode", "gcm", "--device", "ecp5-85k", "--packet", "64", "--mbit", "30G")
    done = aesfab("choose", *options)
    assert done.returncode == 1
    assert done.stdout.startswith("no engine that is known meets this need\n")
    assert "the nearest need that can be met" in done.stdout
    said = _choose(shlex.join(options))
    assert said.nearest
    nearest, each = said.nearest
    assert not answer.violations(each, nearest)
    most = max(row.candidate.judged(said.need)["mbit"] or 0.0 for row in said.rows)
    assert most < 30_000
    assert nearest.mbit == math.floor(10 * most) / 10


def test_what_does_not_fit_is_said_and_not_named(aesfab: Cli) -> None:
    options = ("--mode", "gcm", "--device", "ice40-hx8k", "--packet", "64", "--optimise", "lut")
    done = aesfab("choose", *options, "--explain")
    assert done.returncode == 0
    assert "gcm-tiny" not in done.stdout.partition("candidates, the nearest first")[0]
    (row,) = [line for line in done.stdout.splitlines() if line.startswith("gcm-tiny ")]
    assert row.rstrip().endswith("does not fit, by a record")
    none = aesfab("choose", *options, "--max-ram", "0")
    assert none.returncode == 1
    assert "max_ram: without it there is gcm-byte" in none.stdout
    assert "--max-ram 10" in none.stdout


def test_a_device_that_is_too_small_has_no_engine(aesfab: Cli) -> None:
    done = aesfab(
        *("choose", "--mode", "gcm", "--device", "ice40-hx1k", "--packet", "64", "--mbit", "100")
    )
    assert done.returncode == 1
    first, second, *_ = done.stdout.splitlines()
    assert first == "no engine that is known meets this need"
    assert re.fullmatch(
        r"  the nearest: gcm-byte on ice40-hx1k, too large: 1\d\d % of the logic, .*", second
    )


def test_streams_are_asked_for_by_their_number() -> None:
    few, many = (_choose(f"--mode cbc --device ecp5-85k --mbit 2G --streams {n}") for n in (1, 8))
    assert few.best is None
    assert many.best
    assert many.best.words == "cbc-streams-interleaved-ram"
    # With as many as fill the core it is its whole speed; an engine serves no more than it has.
    each, *_ = [e for e in _measured() if e.words == "cbc-streams-pipeline-ram" and e.mhz]
    engine: Any = each.named.engine
    rates = [
        each.judged(parse({"device": "ecp5-85k", "mode": "cbc", "streams": n}))["mbit"] or 0.0
        for n in (1, 16, engine.streams_that_fill, 64, 1000)
    ]
    assert each.mhz
    assert rates[0] == pytest.approx(128 * each.mhz / engine.turn_clocks)
    assert rates[1] == pytest.approx(16 * rates[0], rel=1e-3)
    assert rates[2] == rates[3] == rates[4] == pytest.approx(128 * each.mhz)
    # Small messages of many streams wait for their descriptors.
    assert engine.size_clocks(16, streams=64) == DESCRIPTOR_CLOCKS
    assert engine.size_clocks(LONG, streams=64) == LONG // 16


def test_other_chained_modes_have_engines_too() -> None:
    for mode in ("cfb", "ofb", "cmac"):
        said = _choose(f"--mode {mode} --device ecp5-85k --streams 8 --packet 64")
        assert said.best
        assert said.best.words == "chained-streams-interleaved-ram"
        assert said.best.source == RECORD
    both = _choose("--mode cbc --direction both --device ecp5-85k --streams 8 --packet 64")
    assert both.best is None
    assert any("Ask for each direction" in remark for remark in both.remarks)


def test_decryption_of_cbc_has_engines_of_its_own() -> None:
    said = _choose("--mode cbc --direction decrypt --device ecp5-85k --packet 512 --mbit 10G")
    assert said.best
    assert said.best.words == "cbc-dec-pipeline-ram"
    assert {row.candidate.named.name for row in said.rows} == {
        name for name in every.names() if every.carries(every.find(name), "cbc", decrypt=True)
    }


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("--mode gcm", "--packet 1500"),
        ("--mode gcm --mbit 1G", "--packet 1500"),
        ("--mode xts", "--packet 512"),
        ("--mode cbc --mbit 2G", "--streams 8"),
        ("--mode cbc --mbit 10G", "--streams 64"),
        ("--mode cbc --direction decrypt", "--packet 1500"),
        ("--mode cfb --direction both", "--streams 8"),
        ("--mode cfb --direction decrypt", "--streams 8"),
        ("--mode gcm --key 256", "--packet 1500"),
    ],
)
def test_a_mode_without_packets_leads_to_an_engine(line: str, option: str) -> None:
    """The line that is proposed is answered by the engine that it names."""
    said = _choose(f"--device ecp5-85k {line}")
    (lead,) = [remark for remark in said.remarks if "A core alone has none of" in remark]
    command = lead.splitlines()[-1].strip()
    assert option in command
    again = _choose(command.removeprefix("aesfab choose "))
    assert again.best
    source = {RECORD: "measured", ESTIMATE: "estimated"}[again.best.source]
    assert f"here {again.best.words}, {source} with " in lead


def test_no_engine_is_proposed_where_there_is_none() -> None:
    for line in ("--mode ecb", "--mode cbc --direction both", ""):
        said = _choose(f"--device ecp5-85k {line}")
        assert not [remark for remark in said.remarks if "engine" in remark]
    hard = _choose("--device ecp5-85k --mode gcm --packet 64 --hardened")
    assert hard.best is None
    for line in (
        "ecp5-85k --mode gcm --hardened",
        "virtex --mode gcm",
        "ecp5-85k --mode cfb --mbit 100G",
    ):
        lead = _choose(f"--device {line}").remarks[-1]
        assert lead.endswith("An engine has them; none that is known meets this need.")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--device ecp5-85k --mode gcm --packet 64 --hardened", "not hardened"),
        ("--device ecp5-25k --mode gcm --packet 64 --hardened", "not hardened"),
        (
            "--device ecp5-85k --mode gcm --packet 64 --key 256 --clear",
            "key of 128 bits; no port that clears keys",
        ),
        ("--device ecp5-85k --mode cfb --streams 8 --key any", "key of 128 bits"),
        ("--device virtex --mode gcm --packet 64", ""),
        ("--device ecp5-85k --mode cbc --direction both --streams 8", ""),
    ],
)
def test_why_no_engine_serves_a_need(line: str, said: str) -> None:
    answered = _choose(line)
    assert answered.best is None
    reasons = [r for r in answered.remarks if r.startswith("Engines that are known: ")]
    assert reasons == ([f"Engines that are known: {said}."] if said else [])


def test_packets_of_an_engine_of_streams_need_streams() -> None:
    """Whether a block waits or not."""
    for mode in ("cfb", "ofb", "cmac"):
        for direction in ("encrypt", "decrypt", "both"):
            line = f"--device ecp5-85k --mode {mode} --direction {direction} --packet 1500"
            with pytest.raises(AesfabError, match="goes with --streams N"):
                _choose(line)
            found = _choose(f"{line} --streams 8").best
            assert found
            assert every.kind(found.named.name) is every.STREAMS
    assert _choose("--device ecp5-85k --mode cbc --direction decrypt --packet 1500").best


def test_what_is_said_of_another_key() -> None:
    """Alone too, where a need has no length and the engine is none of streams."""
    said = _choose("--device ecp5-85k --mode cbc --direction decrypt --streams 8")
    found, *_ = [row.candidate for row in said.rows if row.candidate.core.stored_keys]
    engine: Any = found.named.engine
    assert found.notes(said.need) == [
        "Its rate is that of sectors under one key: another one takes "
        f"{engine.key_change_clocks} clocks more at most."
    ]


def test_block_rams_of_an_estimate_are_judged_with_an_error() -> None:
    need = parse({"device": "ice40-hx8k", "mode": "ctr", "packet": 64})
    found = dataclasses.replace(_measured()[0], device="ice40-hx8k", lut=100, ff=100, cells=100)
    found = dataclasses.replace(found, ram=20, source=ESTIMATE, error=(0.0, 0.0, 0.5))
    assert found.judged(need)["max_ram"] == 30
    assert found.fits()
    assert not dataclasses.replace(found, error=(0.0, 0.0, 1.0)).fits()


# ------------------------------------------------------------------------------ estimates


def test_no_estimate_is_before_a_record_that_meets_the_need() -> None:
    seen = 0
    for device in ("ice40-hx8k", "ecp5-85k", "ecp5-25k", "gw1n-9"):
        for mode, (least, _) in SIZES.items():
            need = Need((device,), mode=mode, packet=max(least, 64), streams=16, optimise="lut")
            said = answer.choose(need, _known())
            sources = [row.candidate.source for row in said.rows if not row.fails]
            assert sources == sorted(sources, key=[RECORD, ESTIMATE].index)
            seen += sources.count(ESTIMATE)
            for row in said.rows:
                if row.candidate.source == ESTIMATE:
                    assert any("Not measured on" in note for note in _notes(row, need))
            if ESTIMATE in [row.candidate.source for row in said.rows]:
                assert any(
                    remark.startswith("Not measured, so an estimate") for remark in said.remarks
                )
    assert seen


def _notes(row: answer.Row, need: Need) -> list[str]:
    return answer.notes(row.candidate, need)


def test_an_estimate_is_no_farther_away_than_it_says() -> None:
    """Each engine that was measured on two fabrics, estimated by the other one."""
    cores = candidates.of_records(_known())
    compared = 0
    for each in _measured():
        others = [
            other
            for other in _measured()
            if candidates.fabric(other.device) != candidates.fabric(each.device)
        ]
        engines = Engines(others, cores, answer._estimator(tuple(cores)))
        guess = engines.estimate(each.named, each.device)
        if guess is None or each.mhz is None or guess.mhz is None:
            continue
        area, clock, ram = guess.error
        for name, error in (("cells", area), ("lut", area), ("ff", area), ("mhz", clock)):
            said, true = getattr(guess, name), getattr(each, name)
            assert max(said / true, true / said) <= 1 + error, (each.words, each.device, name)
        assert each.ram <= guess.ram * (1 + ram)
        compared += 1
    assert compared >= 10


def test_another_key_is_estimated_around_its_own_core() -> None:
    said = _choose("--device ecp5-85k --mode gcm --packet 64 --key 256 --mbit 500")
    assert said.best
    assert said.best.words.endswith("key_bits=256")
    plain = {each.words: each for each in _measured() if each.device == "ecp5-85k"}
    for row in said.rows:
        each, like = row.candidate, plain[row.candidate.named.name]
        assert each.source == ESTIMATE
        assert 0.9 * like.lut < each.lut < 1.5 * like.lut
        assert each.mhz
        assert like.mhz
        assert each.mhz <= 1.1 * like.mhz


def test_a_record_of_an_earlier_rtl_is_not_dropped_in_silence() -> None:
    need = parse({"device": "ecp5-85k", "mode": "gcm", "packet": "64", "mbit": "10G"})
    changed = [
        {**record, "netlist_hash": "other", "rtl_hash": "other"}
        if record["design"] == "gcm-pipeline-ram"
        else record
        for record in _known()
    ]
    now, then = answer.choose(need, _known()), answer.choose(need, changed)
    assert now.best
    assert then.best
    assert now.best.words == then.best.words == "gcm-pipeline-ram"
    assert "The RTL has been changed since the record" in " ".join(answer.notes(then.best, need))
    assert "The RTL has been changed" not in " ".join(answer.notes(now.best, need))
    # A record that is of the RTL stands for all before it.
    assert all(each.present for each in _measured())


# --------------------------------------------------------------------------------- output


def test_json_tells_of_an_engine(aesfab: Cli) -> None:
    done = aesfab("choose", "--mode", "xts", "--device", "ecp5-85k", "--packet", "512", "--json")
    found = json.loads(done.stdout)
    first = found["answers"][0]
    named = every.find(*first["design"].split()[:1])
    assert first["engine"] is True
    assert first["packet_clocks"] == named.engine.size_clocks(512)
    assert found["need"]["packet"] == 512
    done = aesfab("choose", *("--mode", "cbc", "--device", "ecp5-85k", "--streams", "8", "--json"))
    assert json.loads(done.stdout)["answers"][0]["packet_clocks"] is None
    assert "engine" not in found
    core = json.loads(aesfab("choose", "--device", "ecp5-85k", "--json").stdout)["answers"][0]
    assert (core["engine"], core["packet_clocks"]) == (False, None)


def test_a_need_of_an_engine_can_be_asked_again() -> None:
    need = parse({"device": "ecp5-85k", "mode": "cbc", "streams": "16", "packet": "64"})
    assert parse(needs.words(shlex.join(shlex.split(need.command())[2:]))) == need


@pytest.mark.parametrize(
    ("mode", "file", "unit"),
    [("gcm", "*engine_front.sv", "packet"), ("xts", "*engine_xts_front.sv", "sector")],
)
def test_the_folder_of_packets_is_an_engine(
    mode: str, file: str, unit: str, aesfab: Cli, tmp_path: Path
) -> None:
    options = ("--device", "ecp5-85k", "--mode", mode, "--packet", "64", "-o", "engine")
    done = aesfab("choose", *options)
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "engine" / "rtl").glob(file))
    readme = (tmp_path / "engine" / "README.md").read_text()
    assert "--packet 64" in readme
    assert f"{unit} of 64 bytes takes" in readme
