# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Every design passes, the evidence says what was run, and a spoiled record is never believed."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import passed
from aesfab.design import catalogue
from aesfab.design.axes import Architecture, Lookups
from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.eda import simulate
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.verify import vectors, verify
from aesfab.verify.bench import contract, script
from aesfab.verify.bench.script import Kind

_VARIANTS = [
    ("kakarlapudi-sbox-both-any", ("key_schedule=stored-single",)),
    ("kakarlapudi-sbox-both-any", ("sbox=rom", "key_sbox=rom")),
    ("kakarlapudi-sbox-enc-128", ("key_schedule=on-the-fly",)),
    ("pilchard-unrolled-1", ("sbox=table", "key_sbox=table", "rounds=2")),
    ("pilchard-unrolled-1", ("sbox=table", "key_sbox=table", "rounds=5")),
    ("kakarlapudi-sbox-both-any-io32", ("key_schedule=stored-single",)),
    ("fischer-fast-tbox-both", ("interface=words",)),
    # Longer keys that travel with their blocks.
    ("pilchard-unrolled-1", ("key_bits=192",)),
    ("pilchard-unrolled-2", ("key_bits=192",)),
    ("pilchard-unrolled-2", ("key_bits=256",)),
    ("standaert-ram-pipeline-21", ("key_bits=192",)),
    ("standaert-ram-pipeline-32", ("key_bits=256",)),
    ("standaert-ram-sequential-21", ("key_bits=256",)),
    ("standaert-sequential-52", ("key_bits=192",)),
    ("standaert-ram-compact-21", ("key_bits=192",)),
    # Round keys from outside: of the cipher, and of the equivalent inverse cipher.
    ("kakarlapudi-sbox-both-any", ("key_sbox=none",)),
    ("kakarlapudi-sbox-both-any", ("key_sbox=none", "key_schedule=stored-single")),
    ("kakarlapudi-tbox-dec-256", ("key_sbox=none",)),
    ("fab-iterative-both", ("key_sbox=none",)),
    ("fischer-fast-tbox-both", ("key_sbox=none",)),
    ("kakarlapudi-tbox-both-any", ("key_sbox=none",)),
    ("kakarlapudi-tbox-both-128", ("key_sbox=none", "overlap=yes")),
    ("fischer-fast-tbox-dec", ("key_sbox=none",)),
    ("fischer-economic-tbox-dec", ("key_sbox=none",)),
    ("fischer-economic-sbox-both", ("key_sbox=none",)),
    # Stored keys of one block at a time, and of two in turn.
    ("fab-narrow-192", ("sbox_levels=1", "key_sbox=tower")),
    ("fab-narrow-both", ("sbox_levels=1", "key_sbox=tower")),
    ("fab-narrow-both", ("sbox=rom", "key_bits=128")),
    # Stored keys and decryption where several blocks are under way.
    ("standaert-ram-pipeline-21", ("key_schedule=stored", "direction=both")),
    ("standaert-ram-pipeline-32", ("key_schedule=stored-single", "direction=both")),
    ("standaert-ram-pipeline-21", ("key_schedule=stored", "direction=decrypt", "key_bits=256")),
    ("standaert-ram-sequential-42", ("key_schedule=stored", "direction=both", "key_bits=192")),
    ("standaert-ram-sequential-31", ("key_schedule=stored", "direction=decrypt")),
    ("standaert-ram-sequential-21", ("key_schedule=stored", "direction=both", "restart=early")),
    (
        "standaert-ram-sequential-42",
        ("key_schedule=stored-single", "direction=both", "key_bits=any", "restart=early"),
    ),
    ("standaert-ram-compact-21", ("key_schedule=stored", "direction=both", "key_bits=256")),
    ("fab-rolling", ("sbox_levels=1", "mix_levels=0")),
    ("fab-rolling", ("lookups=2", "sbox=tower", "key_sbox=tower", "sbox_levels=5")),
]


def _wanted(design: Design) -> int:
    return sum(
        v.key_bits in design.key_lengths
        and (design.can_decrypt if v.decrypt else design.can_encrypt)
        for v in vectors.nist()
    )


# Behind 32-bit ports are cores that are in the list themselves: one of each key port will do.
_DESIGNS = [
    name
    for name in catalogue.CATALOGUE
    if not name.endswith("-io32")
    or name.startswith("kakarlapudi-sbox-enc")
    or "tbox-both-any" in name
]


@pytest.mark.parametrize(("name", "overrides"), [*((name, ()) for name in _DESIGNS), *_VARIANTS])
def test_designs_pass(name: str, overrides: tuple[str, ...]) -> None:
    """Quick evidence of every catalogued design, with every figure as its parameters say."""
    named = catalogue.find(name, overrides)
    follows = passed.of_netlist(named, _passes, _wanted, generate._plain_verilog)
    passed.once(named.module, follows, lambda: _passes(named))


def _passes(named: Named) -> None:
    design = named.design
    evidence = verify.verify(named, generate.sources(named), level="quick")
    assert evidence.passed, "\n".join(map(str, evidence.failures))
    assert evidence.vectors == _wanted(design)
    directions = design.can_encrypt + design.can_decrypt
    assert evidence.monte_carlo == directions * len(design.key_lengths)
    assert evidence.random_blocks >= 500
    assert evidence.four_state["run"]
    assert evidence.four_state["blocks"] == evidence.four_state["wanted"] >= 20
    measured = evidence.measured
    assert measured.latency == {b: {design.latency(b)} for b in design.key_lengths}
    # Spacing of blocks of which the second waited; that each came as early as the contract lets it
    # is judged block by block.
    match design.architecture:
        case Architecture.NARROW if design.in_turn:
            for bits, seen in measured.interval.items():
                assert min(seen) == design.acceptance(bits).period, "the other follows at once"
        case Architecture.ITERATIVE | Architecture.NARROW | Architecture.MICROCODED:
            assert measured.interval == {b: {design.interval(b)} for b in design.key_lengths}
        case Architecture.INTERLEAVED:
            assert measured.interval.keys() == set(design.key_lengths)
        case Architecture.PIPELINED if design.stored_keys:
            pass  # keys make blocks wait, in a pipeline for nothing else
        case Architecture.ROLLING if design.lookups is not Lookups.ONE:
            assert min(measured.interval[128]) == design.interval()
        case _:
            assert not measured.interval, "a core that takes a block each clock lets none wait"
    if design.stored_keys:
        expected = {b: {design.key_setup(b)} for b in design.key_lengths}
        if design.round_keys_from_outside:
            # Words that come late leave fewer keys that no block is in the way of.
            assert measured.key_setup
            expected = {b: expected[b] for b in measured.key_setup}
        assert measured.key_setup == expected


@pytest.mark.parametrize("name", ["kakarlapudi-sbox-dec-128", "pilchard-unrolled-1"])
def test_plain_verilog_passes(name: str, tmp_path: Path) -> None:
    """The one-file Verilog-2005 form keeps the same contract."""
    named = catalogue.find(name)
    generate.generate(named, tmp_path, output_format="verilog")
    evidence = verify.verify(named, [tmp_path / f"{named.module}.v"], level="quick", lint=False)
    assert evidence.passed, "\n".join(map(str, evidence.failures))
    assert evidence.vectors == _wanted(named.design)


def test_full_level() -> None:
    """All 2,138 known answers, six chains of 100 x 1,000 and ten thousand random blocks."""
    named = catalogue.find("kakarlapudi-sbox-both-any")
    steps: list[tuple[str, int, int]] = []
    evidence = verify.verify(
        named,
        generate.sources(named),
        level="full",
        progress=lambda step, done, total: steps.append((step, done, total)),
    )
    record = evidence.to_json()
    assert record["passed"] is True
    assert record["vectors"] == vectors.TOTAL
    assert record["monte_carlo"] == 6
    assert record["counts"]["monte_carlo"] == {"wanted": 6, "outer": 100, "inner": 1000}
    assert record["random_blocks"] >= 10_000
    assert record["failures"] == []
    assert record["counts"]["random"]["resets"] >= 1
    assert record["counts"]["random"]["keys_loaded"] >= 100
    assert min(record["counts"]["random"]["by_key_bits"].values()) >= 1000
    assert {step for step, _, _ in steps} >= {"NIST vectors", "Monte Carlo", "random traffic"}
    assert all(done <= total for _, done, total in steps)


def test_record_is_the_same_again() -> None:
    """The same seed gives the same bytes, without times or places of this machine."""
    named = catalogue.find("pilchard-unrolled-1")
    sources = generate.sources(named)
    first, again, other = (
        verify.verify(named, sources, level="quick", seed=seed) for seed in (5, 5, 6)
    )
    text = json.dumps(first.to_json())
    assert text == json.dumps(again.to_json())
    assert text != json.dumps(other.to_json())
    assert str(Path.home()) not in text
    assert "second" not in text
    assert first.blocks_per_second > 0


def test_unknown_level() -> None:
    """Refused before anything is built."""
    named = catalogue.find("pilchard-unrolled-1")
    with pytest.raises(AesfabError, match="unknown level 'slow'"):
        verify.verify(named, [], level="slow")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["fab-compact", "kakarlapudi-sbox-both-128-io32"])
def test_registers_before_the_inputs_change_no_record(name: str) -> None:
    """The core alone, as waveforms show it, and the core that is judged: equal, event by event.

    In ``fab-compact``, key_ready_o follows key_valid_i in the same clock.
    """
    named = catalogue.find(name)
    played = script.random_traffic(named.design, random.Random(3), 100)
    records = []
    for trace in (False, True):
        model = simulate.build(
            generate.sources(named), named.module, named.design.ports(), trace=trace
        )
        log = model.run("script", given=played.encode()).output
        # Without a result the output shows state that started at random, another one in each model.
        records.append([e for e in script.decode_events(log) if e[0] != Kind.SHOWN])
    assert records[0] == records[1]
    assert sum(kind == Kind.OUT for kind, *_ in records[0]) >= 100


def _wrong_core(folder: Path) -> tuple[Named, list[Path]]:
    """A core whose results have their last bit inverted."""
    named = catalogue.find("kakarlapudi-sbox-enc-128")
    sources = [Path(shutil.copy(path, folder)) for path in generate.sources(named)]
    core = folder / "aes_core_iterative.sv"
    text = core.read_text()
    good = "assign out_block_o = out_block_q;"
    assert good in text
    core.write_text(text.replace(good, "assign out_block_o = out_block_q ^ 128'd1;"))
    return named, sources


def test_failure_has_a_waveform(tmp_path: Path) -> None:
    """Of each part that fails: block, key, both results, and a waveform with that clock in it."""
    named, sources = _wrong_core(tmp_path)
    evidence = verify.verify(named, sources, level="quick", waves=tmp_path / "waves")
    assert [f.check for f in evidence.failures] == ["vectors", "monte-carlo 128 encrypt", "random"]
    for failure in evidence.failures:
        assert failure.expected[:15] == failure.got[:15]
        assert failure.expected[15] ^ failure.got[15] == 1
        assert failure.key
        assert failure.given
        assert failure.waveform is not None
        wave = failure.waveform.read_text()
        times = {int(line[1:]) for line in wave.splitlines() if line.startswith("#")}
        assert 10 * failure.clock - 5 in times  # the samples of that clock are taken here
        assert "out_block_o" in wave
        assert failure.got.hex() in str(failure)
    assert evidence.vectors == evidence.monte_carlo == evidence.random_blocks == 0
    assert evidence.to_json()["failures"][0]["waveform"].endswith(".vcd")


_ON_A_FULL_DISK = """\
import resource, sys
from pathlib import Path
from aesfab.design import catalogue
from aesfab.verify import verify
named, folder = catalogue.find(sys.argv[1]), Path(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))
evidence = verify.verify(named, [Path(n) for n in sys.argv[3:]], level="quick", waves=folder)
print(*evidence.failures, sep="\\n")
"""


def test_a_failure_whose_waveform_does_not_fit_the_disk(tmp_path: Path) -> None:
    """The writer of Verilator alone would try for ever; the failure says why it is not shown."""
    named, sources = _wrong_core(tmp_path)
    waves = tmp_path / "waves"
    # What is written elsewhere comes from the cache.
    for trace in (False, True):
        simulate.build(sources, named.module, named.design.ports(), trace=trace)
    done = subprocess.run(
        [sys.executable, "-c", _ON_A_FULL_DISK, named.name, waves, *sources],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env={**os.environ, "AESFAB_FOUR_STATE": "none"},
    )
    said = [line for line in done.stdout.splitlines() if "waveform" in line]
    stem = waves / named.module
    checks = ("vectors", "monte-carlo-128-encrypt", "random")
    assert said == [
        f"  waveform  none: cannot write {stem}-{check}.vcd: File too large" for check in checks
    ], done.stderr
    assert not list(waves.iterdir())


# ------------------------------------------------------------------- spoiled records

_EVENT = struct.Struct("<IIQ16s")
_Events = list[tuple[int, int, int, bytes]]


@functools.cache
def _played(name: str, overrides: tuple[str, ...] = ()) -> tuple[Named, script.Script, bytes]:
    """A random script of a good core, and its record."""
    named = catalogue.find(name, overrides)
    design = named.design
    model = simulate.build(generate.sources(named), named.module, design.ports())
    played = script.random_traffic(design, random.Random(3), 400)
    return named, played, model.run("script", given=played.encode()).output


def _middle(events: _Events, kind: Kind) -> int:
    """Index of an event of that kind in the middle of the last segment."""
    start = max(i for i, event in enumerate(events) if event[0] == Kind.RELEASE)
    found = [i for i, event in enumerate(events) if event[0] == kind and i > start]
    return found[len(found) // 2]


def _drop(kind: Kind) -> Callable[[_Events], None]:
    def spoil(events: _Events) -> None:
        del events[_middle(events, kind)]

    return spoil


def _move(kind: Kind, clocks: int) -> Callable[[_Events], None]:
    def spoil(events: _Events) -> None:
        at = _middle(events, kind)
        old = events.pop(at)
        new = (old[0], old[1], old[2] + clocks, old[3])
        events.append(new)
        # Kinds are numbered in the order that they have within a clock.
        events.sort(key=lambda event: (event[2], event[0]))

    return spoil


def _double(kind: Kind) -> Callable[[_Events], None]:
    def spoil(events: _Events) -> None:
        at = _middle(events, kind)
        events.insert(at, events[at])

    return spoil


def _flip(events: _Events) -> None:
    at = _middle(events, Kind.OUT)
    kind, index, clock, data = events[at]
    events[at] = (kind, index, clock, bytes([data[0] ^ 0x80]) + data[1:])


def _swap(events: _Events) -> None:
    outs = [i for i, event in enumerate(events) if event[0] == Kind.OUT]
    a, b = outs[50], outs[51]  # with 32-bit ports, two words of one result
    events[a], events[b] = events[a][:3] + events[b][3:], events[b][:3] + events[a][3:]


def _cut(events: _Events) -> None:
    del events[len(events) // 2 :]


_SPOILED = {
    "result-lost": _drop(Kind.OUT),
    "result-early": _move(Kind.OUT, -1),
    "result-late": _move(Kind.OUT, 1),
    "result-twice": _double(Kind.OUT),
    "result-wrong": _flip,
    "results-swapped": _swap,
    "accepted-early": _move(Kind.ACCEPT, -1),
    "accepted-late": _move(Kind.ACCEPT, 1),
    "record-cut": _cut,
}
_SPOILED_KEYS = {
    "key-ready-early": _move(Kind.KEY_READY, -1),
    "key-ready-late": _move(Kind.KEY_READY, 1),
    "key-ready-lost": _drop(Kind.KEY_READY),
    "key-taken-late": _move(Kind.KEY_ACCEPT, 1),
    "key-lost": _drop(Kind.KEY_ACCEPT),
}


def _judge(named: Named, played: script.Script, events: _Events) -> contract.Judgement:
    log = b"".join(_EVENT.pack(*event) for event in events)
    return contract.judge(named.design, played, log, "test")


_GOOD = {
    "two-banks": ("kakarlapudi-sbox-both-any", ()),
    "one-bank": ("kakarlapudi-sbox-both-any", ("key_schedule=stored-single",)),
    "on-the-fly": ("pilchard-unrolled-1", ()),
    "words": ("kakarlapudi-sbox-both-any-io32", ()),
    "words-one-bank": ("kakarlapudi-sbox-both-any-io32", ("key_schedule=stored-single",)),
}


@pytest.mark.parametrize(
    ("core", "how"),
    [
        *((core, how) for core in _GOOD for how in _SPOILED),
        *((core, how) for core in _GOOD if core != "on-the-fly" for how in _SPOILED_KEYS),
    ],
)
def test_spoiled_record(core: str, how: str) -> None:
    """A good record passes; the same with one event changed does not."""
    named, played, log = _played(*_GOOD[core])
    events: _Events = list(script.decode_events(log))
    assert not _judge(named, played, events).failures
    (_SPOILED | _SPOILED_KEYS)[how](events)
    assert _judge(named, played, events).failures


def test_wrong_latency_in_the_catalogue_is_found() -> None:
    """Figures come from the parameters: a core of another latency does not fit them."""
    named, played, log = _played("pilchard-unrolled-1")
    other = catalogue.find(
        "pilchard-unrolled-1", ("sbox=table", "key_sbox=table", "rounds=2")
    ).design
    failures = contract.judge(other, played, log, "test").failures
    assert failures
    assert dataclasses.replace(named, design=other).design.latency() == 6


# -------------------------------------------------------------------------- scripts


@pytest.mark.parametrize("name", ["kakarlapudi-sbox-both-any", "pilchard-unrolled-1"])
def test_random_traffic_is_varied(name: str) -> None:
    """All that must occur does occur: gaps, directions, key sizes, keys, resets."""
    design = catalogue.find(name).design
    played = script.random_traffic(design, random.Random(1), 2000)
    blocks = [block for segment in played.segments for block in segment.blocks]
    assert len(blocks) >= 2000
    assert sum(block.idle == 0 for block in blocks) > 400
    assert any(block.idle > 100 for block in blocks)
    assert len(played.segments) >= 3
    if design.stored_keys:
        keys = [key for segment in played.segments for key in segment.keys]
        assert {len(key.key) * 8 for key in keys} == set(design.key_lengths)
        assert any(key.idle == 0 for key in keys)
        assert any(key.idle > 500 for key in keys)
        assert {block.decrypt for block in blocks} == {False, True}
    else:
        same = sum(a.key == b.key for a, b in itertools.pairwise(blocks))
        assert 0.1 < same / len(blocks) < 0.6


@pytest.mark.parametrize("core", ["words", "words-one-bank"])
def test_every_phase_of_a_key_change_over_32_bit_ports(core: str) -> None:
    """The clock in which the core takes a block is not seen at its ports; the judge knows it."""
    named = catalogue.find(*_GOOD[core])
    model = simulate.build(generate.sources(named), named.module, named.design.ports())
    right = 0
    for seed in range(12):
        played = script.random_traffic(named.design, random.Random(seed), 600)
        run = model.run("script", given=played.encode(), seed=seed)
        judgement = contract.judge(named.design, played, run.output, "test")
        assert not judgement.failures, judgement.failures[0]
        right += len(judgement.right)
    assert right >= 12 * 600


def test_key_changes_meet_blocks_of_the_key_before_last() -> None:
    """The hardest case of two banks, a bank still read when it is to be filled, does occur."""
    named, played, log = _played("kakarlapudi-sbox-both-any")
    judgement = contract.judge(named.design, played, log, "test")
    assert judgement.blocked_keys > 0
    assert judgement.keys > judgement.blocked_keys
