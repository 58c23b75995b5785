# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Engines: legality, packets through the pins, files, folders; and that wrong RTL is found out."""

from __future__ import annotations

import dataclasses
import itertools
import re
import shutil
from functools import partial
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import chosen_faults
import passed
from aesfab.eda.simulate import CoreError
from aesfab.engine import bench, catalogue, crypt, every, hdl, spec, testbench, vectors, verify
from aesfab.engine.bench import Pace
from aesfab.engine.every import MODES, example
from aesfab.engine.packets import CLEAR_ALL, Error, Mode, Packet, key_step
from aesfab.errors import AesfabError
from aesfab.hdl import rtl
from engine_runs import folder_runs_in_icarus, run

pytestmark = pytest.mark.kept(
    *passed.ENGINES, cores_of=("gcm-interleaved-ram", "ctr-iterative-ram", "gcm-narrow", "fab-tiny")
)

KEY, IV = bytes(range(16)), bytes(range(12))


# ------------------------------------------------------------------------ legality


def test_every_engine_is_legal_and_has_a_module_of_its_own() -> None:
    for named in catalogue.CATALOGUE.values():
        assert named.engine.reasons() == []
        assert named.engine.ports()
    modules = [named.module for named in catalogue.CATALOGUE.values()]
    assert len(set(modules)) == len(modules)


@pytest.mark.parametrize(
    ("name", "overrides", "reason"),
    [
        ("gcm-narrow", ["ghash=none"], "modes=gcm needs GHASH"),
        ("ctr-narrow", ["ghash=4"], "modes=ctr has no GHASH"),
        ("ctr-narrow", ["release=verified"], "no tag that text could wait for"),
        ("gcm-narrow", ["core=kakarlapudi-sbox-dec-128"], "encrypt blocks in both directions"),
        ("gcm-narrow", ["core=fischer-fast-sbox-enc", "key_sbox=none"], "keys, not round keys"),
        ("gcm-narrow", ["core=kakarlapudi-sbox-enc-128-io32"], "interface=block"),
        ("gcm-narrow", ["core=kakarlapudi-sbox-enc-128", "clear=yes"], "hardened=no clear=no"),
        ("gcm-narrow", ["slots=3"], "unknown slots value"),
        ("gcm-narrow", ["colour=red"], "unknown axis"),
        ("gcm-narrow", ["slots"], "not of the form"),
        ("gcm-wide", [], "unknown engine"),
    ],
)
def test_what_makes_no_engine_is_refused(name: str, overrides: list[str], reason: str) -> None:
    with pytest.raises(AesfabError, match=reason):
        catalogue.find(name, overrides)


def test_every_reason_of_an_engine_can_be_given() -> None:
    """And each value of each axis is part of a legal engine."""
    for axis, values in spec.AXES.items():
        for value in values:
            base = "ctr-narrow" if value in (spec.Modes.CTR, spec.Ghash.NONE) else "gcm-narrow"
            if value is spec.Ghash.BYTES:
                base = "gcm-byte"
            assert catalogue.find(base, [f"{axis}={value.value}"]).engine.reasons() == []


# ------------------------------------------------------------------------ through the pins

ENGINES: list[tuple[str, tuple[str, ...]]] = [
    *((name, ()) for name in catalogue.CATALOGUE),
    ("gcm-interleaved-ram", ("release=verified", "release_depth=16")),
    ("gcm-interleaved-ram", ("core=kakarlapudi-sbox-both-any", "slots=8")),
    ("gcm-iterative-ram", ("core=fab-compact",)),
    ("gcm-interleaved-ram", ("core=fab-pipeline-ram", "key_bits=256")),
]


@pytest.mark.kept(cores_of=passed.of_point)
@pytest.mark.parametrize(("name", "overrides"), ENGINES)
def test_engine_passes(name: str, overrides: tuple[str, ...]) -> None:
    """Every named engine, and other cores and releases, with all known answers of its key size."""
    model = bench.build(catalogue.find(name, overrides))
    evidence = verify.verify(model, every_answer=True)
    assert evidence.failures == ()
    assert evidence.random >= 400
    assert evidence.wrong >= 100
    assert evidence.answers or not model.named.engine.gcm


_CORE = "ctr-iterative-ram core=", "gcm-pipeline-ram core="


@pytest.mark.kept(cores_of=lambda words: (words,))
@pytest.mark.parametrize(
    "words",
    [
        # Short queues and long ones, far ones, lanes, and what waits for its tag.
        *(f"{_CORE[0]}{core}" for core in ("pilchard-unrolled-10", "qin-4sm")),
        f"{_CORE[0]}standaert-ram-pipeline-21",
        f"{_CORE[0]}standaert-ram-sequential-21",
        *(f"{_CORE[1]}qin-unrolling ghash={digit}" for digit in (16, 128)),
        f"{_CORE[1]}pilchard-unrolled-2",
        f"{_CORE[1]}standaert-ram-pipeline-21",
        f"{_CORE[1]}standaert-ram-pipeline-21 release=verified release_depth=128",
    ],
)
def test_latency_of_any_core_is_that_of_the_pins(words: str) -> None:
    name, *overrides = words.split()
    model = bench.build(catalogue.find(name, overrides))
    assert verify.beat_clocks(model) == model.named.engine.latency()


def test_wrong_latency_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    model = bench.build(catalogue.find("ctr-iterative-ram"))
    right = model.named.engine.latency()
    monkeypatch.setattr(spec.Engine, "latency", lambda *_: right - 1)
    assert verify.clocks(model)[1] == [f"a beat takes {right} clocks, not {right - 1}"]


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_every_known_answer_goes_through(bits: int) -> None:
    model = bench.build(catalogue.find("gcm-interleaved-ram", [f"key_bits={bits}"]))
    answers = [a for a in (*vectors.nist(), *vectors.wycheproof()) if len(a.key) * 8 == bits]
    assert len(answers) > 15_750
    for pace in (bench.READY, bench.Pace(50, 60, 60, 60, 3)):
        assert verify.known_answers(model, answers, pace) == (len(answers), [])


def test_answers_that_travel_are_those_of_nist() -> None:
    """A folder is written without the package that has them all."""
    chosen = vectors.of_each_kind()
    assert list(vectors.shipped()) == chosen
    assert vectors.SHIPPED.read_text() == "".join(map(vectors.line, chosen))
    assert {vectors.kind(a) for a in vectors.nist()} - set(map(vectors.kind, chosen)) == set()


def test_known_answers_are_all_there() -> None:
    answers = vectors.nist()
    assert len(answers) == vectors.TOTAL
    assert sum(a.result.error is Error.TAG for a in answers) == 11_908
    assert len(vectors.wycheproof()) > vectors.WYCHEPROOF


def test_known_answers_of_ctr_are_those_of_openssl() -> None:
    """And every engine of packets carries those of its key size, in both directions."""
    answers = vectors.counter()
    assert len(answers) == 2 * (3 + 9)
    for answer in answers:
        assert answer.packet.expected(answer.key) == answer.result, answer.source
    for named in catalogue.CATALOGUE.values():
        mine = [a for a in testbench.answers(named) if a.packet.mode == Mode.CTR]
        assert len(mine) == 2 * 4 * len(named.engine.key_bytes), named.name
        assert {a.packet.decrypt for a in mine} == {False, True}


@pytest.mark.kept(cores_of=passed.of_name)
@pytest.mark.parametrize("name", ["gcm-interleaved-ram", "gcm-pipeline-ram", "gcm-byte"])
def test_texts_longer_than_the_standard_allows_are_refused(name: str) -> None:
    """With a limit of 14 blocks in place of 2^32 - 2; the packet behind is as it should be."""
    named = catalogue.find(name)
    model = bench.build(named, changed={"LengthBits": "4"})
    after = Packet(Mode.GCM, 0, IV, b"abc", after=1)
    for iv in (IV, bytes(20)):
        for blocks, error in ((14, Error.NONE), (15, Error.LENGTH), (30, Error.LENGTH)):
            long = Packet(Mode.GCM, 0, iv, bytes(16 * blocks), after=1)
            steps = key_step(0, KEY) + long.steps() + after.steps()
            first, second = bench.results(model.run(steps))
            assert first.error is error
            assert second == after.expected(KEY)
        for blocks, error in ((15, Error.NONE), (16, Error.LENGTH), (40, Error.LENGTH)):
            for text in (b"x", b""):
                long = Packet(Mode.GCM, 0, iv, text, bytes(16 * blocks), after=1)
                steps = key_step(0, KEY) + long.steps() + after.steps()
                first, second = bench.results(model.run(steps))
                assert first.error is error
                assert second == after.expected(KEY)


@pytest.mark.kept(cores_of=passed.of_name)
@pytest.mark.parametrize(
    "name", ["ctr-pipeline-ram", "ctr-pipeline", "gcm-pipeline-ram", "gcm-pipeline"]
)
def test_one_dead_clock_a_packet(name: str) -> None:
    """Packets of 64 bytes run at four fifths of the peak, whatever key follows."""
    model = bench.build(catalogue.find(name))
    assert verify.packet_clocks(model, 0, 4) == 5
    assert verify.packet_clocks(model, 0, 94) == 95
    assert verify.packet_clocks(model, 0, 1) == 2
    if not model.named.engine.gcm:
        return
    # The tag that a packet brings is a beat more.
    for blocks in (1, 4, 94):
        found = verify.packet_clocks(model, 0, blocks, decrypt=True)
        assert found == blocks + 2 == model.named.engine.size_clocks(16 * blocks, decrypt=True)


@pytest.mark.kept(cores_of=passed.of_name)
@pytest.mark.parametrize("name", ["gcm-pipeline-ram", "gcm-pipeline"])
def test_a_new_key_waits_until_the_engine_is_empty(name: str) -> None:
    """It is what the data sheet says, whatever packets there are."""
    named = catalogue.find(name)
    model, lost = bench.build(named), named.engine.new_key_clocks
    for blocks in (1, 4, 94):
        for decrypt in (False, True):
            assert verify.new_key_clocks(model, blocks, decrypt=decrypt) == lost
    sheet = dataclasses.replace(every.folder(named), syn=False).sheet()
    assert f"packets in line lose at most\n  {lost} clocks" in sheet.channels
    other = every.folder(catalogue.find("gcm-narrow")).sheet()
    assert "waits until" not in other.channels


def carries(model: bench.Model) -> list[int]:
    """Blocks before a carry out of each word of the counter, in text of nine, that go wrong."""
    wrong = []
    for ones in (4, 8, 12):
        for before in range(8):
            low = ((1 << 8 * ones) - 1 - before).to_bytes(ones, "big")
            packet = Packet(Mode.CTR, 0, bytes(16 - ones) + low, bytes(144), after=1)
            (result,) = bench.results(model.run(key_step(0, KEY) + packet.steps()))
            if result != packet.expected(KEY):
                wrong.append(before)
    return wrong


@pytest.mark.kept(cores_of=("ctr-pipeline-ram",))
def test_counter_carries_far(tmp_path: Path) -> None:
    """A block a clock: the carry is known beforehand. Without that it comes late."""
    named = catalogue.find("ctr-pipeline-ram")
    assert carries(bench.build(named)) == []
    sources = hdl.sources(named)
    front = next(path for path in sources if path.name == "aes_engine_front.sv")
    text = front.read_text()
    known = "(counter_q[0] ^ (~load & count_text))"
    assert known in text
    late = tmp_path / front.name
    late.write_text(text.replace(known, "counter_q[0]"))
    damaged = [late if path == front else path for path in sources]
    assert carries(bench.of_sources(named, [_no_lint(tmp_path), *damaged]))


STORED = "core=kakarlapudi-sbox-enc-128"


@pytest.mark.kept(cores_of=(f"gcm-interleaved-ram {STORED}",))
def test_clocks_of_another_stored_key_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are those of the listings; and wrong ones, more or less, are found out."""
    words = ["gcm-interleaved-ram", STORED]
    engine = catalogue.find(words[0], words[1:]).engine
    setup = engine.core.design.key_setup()
    assert engine.key_change_clocks == setup + 2
    assert re.search(f"more with another key +{setup + 2} ", run("show", *words)[1])
    model = bench.build(catalogue.find(words[0], words[1:]))
    assert verify.clocks(model)[1] == []
    lines = (partial(verify._of_keys, engine, blocks=blocks) for blocks in (1, 4))
    found = int(max(verify.key_change_clocks(model, line) for line in lines))
    interval = int(engine.core.design.interval())
    for wrong, is_red in (
        (found - 1, 1),
        (found, 0),
        (found + interval, 0),
        (found + interval + 1, 1),
    ):
        monkeypatch.setattr(spec.Engine, "HAND_OVER", wrong - setup)
        said = [f"another key takes {found} clocks more, not {wrong}"]
        assert verify.clocks(model)[1] == said * is_red


@pytest.mark.kept(cores_of=passed.of_name)
@pytest.mark.parametrize("name", ["ctr-narrow", "gcm-interleaved-ram", "gcm-pipeline-ram"])
def test_all_slots_are_cleared_among_packets(name: str) -> None:
    """In any clock: packets before it are right, those behind it find no key, and none is lost.

    One of these seeds clears all slots of ``ctr-narrow`` in the clock in which a descriptor is
    picked.
    """
    named = catalogue.find(name)
    model = bench.build(named)
    key, gcm = bytes(range(16)), named.engine.gcm
    packet = Packet(Mode.GCM if gcm else Mode.CTR, 0, bytes(12 if gcm else 16), bytes(16))
    for seed in range(24, 40):
        steps = key_step(0, key) + key_step(0, user=CLEAR_ALL, after=3 + seed % 5)
        steps += dataclasses.replace(packet, after=1).steps() + 29 * packet.steps()
        steps += dataclasses.replace(packet, after=2).steps()
        got = bench.results(model.run(steps, Pace(keys=240, seed=seed)))
        errors = [each.error for each in got]
        right = errors.count(Error.NONE)
        assert got[:right] == right * [packet.expected(key)]
        assert errors[right:] == (31 - right) * [Error.SLOT]
        assert 3 <= right < 31


# ------------------------------------------------------------------------ wrong RTL

FAULTS = [
    ("aes_engine_front.sv", "&counter_q[32*w+:32] & ~gcm_q;", "&counter_q[32*w+:32];"),
    ("aes_engine_front.sv", "{&ones_q, &ones_q[1:0],", "{&ones_q, ones_q[1],"),
    ("aes_engine_front.sv", "({3{count_q}} & carry_q)", "{3{count_q}}"),
    ("aes_engine_front.sv", "beat_taken & is_text & ~beat_i.last;", "1'b0;"),
    ("aes_engine_front.sv", "(w == 0 && back_to_j0)", "(1'b0)"),
    ("aes_engine_front.sv", "~slots_busy & ~j0_due_q;", "~slots_busy;"),
    ("aes_engine_front.sv", "_i & credit_left & ~j0_wait_q;", "_i & credit_left;"),
    ("aes_engine_front.sv", "~mask_done & credit_left & ~j0_wait_q;", "~mask_done & credit_left;"),
    ("aes_engine_front.sv", "beat_i.ok & kind_ok & last_ok", "kind_ok & last_ok"),
    ("aes_engine_front.sv", "beat_i.ok & kind_ok & last_ok", "beat_i.ok & last_ok"),
    ("aes_engine_front.sv", "beat_i.ok & kind_ok & last_ok", "beat_i.ok & kind_ok"),
    ("aes_engine_front.sv", "beat_i.ok & iv_done_q & room_ok &", "room_ok &"),
    ("aes_engine_front.sv", "& (iv_seen_q | ~is_iv)", ""),
    ("aes_engine_front.sv", "& (len == tag_len_q)", ""),
    ("aes_engine_front.sv", "(breaks & beat_i.last) |", "breaks |"),
    ("aes_engine_front.sv", "(counts_j0 & ~state_q.mask)", "counts_j0"),
    ("aes_engine_front.sv", "if (sweep || key_clear) slot_word", "if (sweep) slot_word"),
    ("aes_engine_front.sv", "fetch & fetch_q[1]", "fetch & fetch_q[0]"),
    ("aes_engine_keys.sv", "slot_ok_q & word_q[WordWidth-1], own_error_q);", "1'b1, own_error_q);"),
    ("aes_engine_keys.sv", "if (!step_q[2])", "if (!step_q[1])"),
    ("aes_engine_keys.sv", "~take_i & ~write_i & ~fetch_i;", "~take_i & ~fetch_i;"),
    ("aes_engine_pkg.sv", "if (!mode_ok) return ErrMode;", ""),
    ("aes_engine_back.sv", "(act.head || act.j0 || act.opens)", "(act.head || act.opens)"),
    ("aes_engine_back.sv", "& text & ~decrypt_q)", "& text)"),
    ("aes_engine_back.sv", "? item_keep : '1;", "? '1 : '1;"),
    ("aes_engine_back.sv", "item_keep & {16{(state_q", "{16{(state_q"),
    ("aes_engine_back.sv", "{16{gives_tag}}", "16'hffff"),
    ("aes_engine_back.sv", "~result_decrypt & ~result_long", "~result_long"),
    ("aes_engine_back.sv", "(end_decrypt_q & any_wrong)", "1'b0"),
    ("aes_engine_back.sv", "failed & out_free & ~owed &", "failed & out_free &"),
    ("aes_engine_back.sv", "& ~acting) | (in_packet & text));", "& ~acting));"),
    ("aes_engine_front.sv", "(Shared ? count_j0 : j0_valid_i) j0_due_q", "(j0_valid_i) j0_due_q"),
    ("aes_engine_front.sv", "key_wants & ~h_pending_q & idle", "key_wants & idle"),
    ("aes_engine_front.sv", "may_act & ~key_known", "may_act & 1'b0"),
    ("aes_engine_keys.sv", "good_q      <= error_q == ErrNone;", "good_q      <= 1'b1;"),
    ("aes_engine_back.sv", "item_q <= item_valid_i & ~item_ready_o;", "item_q <= item_valid_i;"),
    ("aes_engine_back.sv", "(sum_q | ~result_decrypt)", "1'b1"),
    ("aes_engine_back.sv", ".key_valid_i  (can.head)", ".key_valid_i  (act.head)"),
    ("aes_engine_ghash.sv", "CountWidth'(Steps - 1)", "CountWidth'(Steps - 2)"),
    ("aes_engine_ghash.sv", "<= key_valid_i & ~block_valid_q;", "<= 1'b0;"),
    ("aes_engine_ghash.sv", "if (load || clear_q) part_q", "if (clear_q) part_q"),
    ("aes_engine_fifo.sv", "(ready_q & ~(almost & write))", "ready_q"),
    ("aes_engine_intake.sv", "if (!s_data_tready_o)", "if (s_data_tvalid_i)"),
    ("aes_engine_intake.sv", "(rank > rank_q) |", "1'b1 |"),
    ("aes_engine_intake.sv", "keep_is_legal(s_data_tkeep_i) & in_order", "in_order"),
]  # fmt: skip

OTHER_FAULTS = [
    # GHASH takes longer for a block than the front for a packet.
    (
        "gcm-interleaved-ram ghash=2",
        "aes_engine_ghash.sv",
        "& (~block_valid_q | block_add_q);",
        ";",
    ),
    # The core takes zero, of which it makes H, in any clock of its turn.
    (
        *("gcm-iterative-ram core=fab-iterative-ram", "aes_engine_front.sv"),
        *("flight_q == FlightBits'(core_valid_i)", "flight_q == '0"),
    ),
    (
        *("gcm-pipeline-ram ghash=16", "aes_engine_front.sv"),
        *("& is_text & text_good & item_ready_i &", "& is_text & item_ready_i &"),
    ),
    # A key is written in one clock.
    ("ctr-interleaved-ram", "aes_engine_front.sv", "& {4{acts_q == '0}}", ""),
    # Events wait for their key stream in a queue.
    *(
        ("gcm-pipeline-ram core=qin-unrolling", *fault)
        for fault in [
            ("aes_engine_events.sv", " & ~ends_iv_q;", ";"),
            ("aes_engine_events.sv", "| head.is.text | head.mix", "| head.is.text"),
            ("aes_engine_events.sv", "head.hash & goes", "head.hash"),
            ("aes_engine_fifo.sv", "room_q - BehindBits'(read)", "room_q"),
            ("aes_engine_fifo.sv", "BehindBits'(leaves)", "1'b0"),
        ]
    ),
]

# In engines of a block a clock.
LANE_FAULTS = [
    ("aes_engine_front.sv", "{3{low_ones & ~gcm_q}}", "{3{low_ones}}"),
    ("aes_engine_front.sv", "{3{low_ones & ~gcm_q}}", "{3{~gcm_q}}"),
    ("aes_engine_front.sv", "= j0_wait_q & (iv_done_q | iv_end);", "= j0_wait_q;"),
    ("aes_engine_front.sv", "= j0_wait_q & (iv_done_q | iv_end);", "= j0_wait_q & iv_done_q;"),
    ("aes_engine_front.sv", "if (state_q.body) start_q[31:0]", "if (1'b0) start_q[31:0]"),
    ("aes_engine_front.sv", "= ~iv_done_q & (", "= ("),
    ("aes_engine_front.sv", "& (beat_i.last | ~item_good))", "& beat_i.last)"),
    ("aes_engine_intake.sv", "text = ok & (", "text = 1'b1 & ("),
    ("aes_engine_intake.sv", "& tag & s_data_tlast_i;", "& tag;"),
    ("aes_engine_keys.sv", "load_q <= take_i | fetched_i;", "load_q <= fetched_i;"),
    ("aes_engine_lanes.sv", "level_q >= 5'd10", "level_q >= 5'd7"),
    ("aes_engine_lanes.sv", "(behind < 5'd8)", "(behind < 5'd7)"),
    ("aes_engine_lanes.sv", "final_1 ? behind[2:0] : 3'd7", "final_1 ? behind[2:0] : 3'd6"),
    ("aes_engine_lanes.sv", "if (out_ends) young_q <= '0;", "if (1'b0) young_q <= '0;"),
    ("aes_engine_lanes.sv", "& ~last_flags.ends;", ";"),
    ("aes_engine_lanes.sv", "if (last_valid) lanes", "lanes"),
    ("aes_engine_lanes.sv", "in_count_q <= end_i ? 5'd1 :", "in_count_q <= end_i ? 5'd0 :"),
    ("aes_engine_lanes.sv", "{slot_1_q, 3'd0}", "{slot_1_q, 3'd1}"),
    ("aes_engine_lanes.sv", "power_goes ? key_slot_i : out_slot", "out_slot"),
    ("aes_engine_back_lanes.sv", "mix_q & ~is_q.text", "1'b0"),
    ("aes_engine_back_lanes.sv", "entry_q.waits   <= mask_q;", "entry_q.waits   <= 1'b0;"),
    ("aes_engine_back_lanes.sv", "(differs_q != '0)", "1'b0"),
    ("aes_engine_back_lanes.sv", "|| second_q.decrypt ||", "||"),
    ("aes_engine_front.sv", "~desc_waits & quiet", "~desc_waits"),
    ("aes_engine_keys.sv", "desc_next_o  = reads |", "desc_next_o  = offered_q |"),
    ("aes_engine_back_lanes.sv", "of_iv_q      <= iv_length_q;", "of_iv_q      <= 1'b0;"),
    ("aes_engine_back_lanes.sv", "lengths_q    <= mask_q;", "lengths_q    <= 1'b0;"),
    ("aes_engine_back_lanes.sv", "<= len_q == 4'd15;", "<= 1'b1;"),
    ("aes_engine_back_lanes.sv", "if (is_q.head) tag_q <= '0;\n    else if", "if"),
    ("aes_engine_pkg.sv", "return 23;", "return 12;"),
    ("aes_engine_delay.sv", "+ 2 - Clocks", "+ 1 - Clocks"),
    ("aes_engine_results.sv", "if (valid_i) mem[", "mem["),
    ("aes_engine_core.sv", "in_key_q     <= in_key_i;", "in_key_q     <= in_key_i << 1;"),
    ("aes_engine_core.sv", "in_valid_q  <= in_valid_i;", "in_valid_q  <= 1'b0;"),
]  # fmt: skip


def _no_lint(folder: Path) -> Path:
    """A file for Verilator that turns lint off: what a damage leaves unused is no finding here."""
    path = folder / "no_lint.vlt"
    path.write_text("`verilator_config\nlint_off\n")
    return path


@pytest.mark.kept(cores_of=lambda words: (words, f"{words} slots=2"))
@pytest.mark.parametrize(
    ("words", "file", "old", "new"),
    [
        *(("gcm-interleaved-ram", *fault) for fault in FAULTS),
        *OTHER_FAULTS,
        *(("gcm-pipeline-ram", *fault) for fault in LANE_FAULTS),
    ],
)
def test_faults_are_found(
    words: str, file: str, old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damage to the RTL of an engine, which the verification reports."""
    copy = tmp_path / "rtl"
    shutil.copytree(rtl.folder(), copy)
    path = copy / "engine" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    monkeypatch.setattr(rtl, "folder", lambda: copy)
    # With few slots a key is often rewritten while a descriptor waits.
    name, *given = words.split()
    points = [catalogue.find(name, [*given, *more]) for more in (("slots=2",), ())]
    sources = [[_no_lint(tmp_path), *hdl.sources(named)] for named in points]
    models = [bench.of_sources(named, files) for named, files in zip(points, sources, strict=True)]
    # What needs rare clocks, as a key that is written while a descriptor is looked at, needs more.
    assert any(not verify.verify(model, every_answer=False).passed for model in models) or any(
        chosen_faults.complaints(
            partial(verify.random_packets, models[0], 240, seed) for seed in range(5, 9)
        )
    )


# ------------------------------------------------------------------------ files and folders


def test_file_is_sealed_and_opened(tmp_path: Path) -> None:
    names = ("in", "out", "aad", "tag", "back", "wrong")
    given, out, aad, tag, back, wrong = (tmp_path / name for name in names)
    given.write_bytes(bytes(range(256)) * 3 + b"end")
    aad.write_bytes(b"header")
    words = [
        "--design",
        "gcm-interleaved-ram",
        "--mode",
        "gcm",
        "--key",
        KEY.hex(),
        "--iv",
        IV.hex(),
    ]
    words += ["--aad", str(aad)]
    assert run("encrypt", given, out, *words, "--tag", tag)[0] == 0
    sealed = AESGCM(KEY).encrypt(IV, given.read_bytes(), aad.read_bytes())
    assert out.read_bytes() + tag.read_bytes() == sealed
    assert run("decrypt", out, back, *words, "--tag", tag)[0] == 0
    assert back.read_bytes() == given.read_bytes()
    back.unlink()
    wrong.write_bytes(bytes([tag.read_bytes()[0] ^ 1]) + tag.read_bytes()[1:])
    for more, said in (
        ([], "gave the text out"),
        (["--set", "release=verified"], "nothing is written"),
    ):
        status, output = run("decrypt", out, back, *words, "--tag", wrong, *more)
        assert status == 1
        assert said in output
        assert not back.exists()
    held = ["--set", "release=verified", "--set", "release_depth=16"]
    status, output = run("decrypt", out, back, *words, "--tag", tag, *held)
    assert status == 2
    assert "longer than the 14 blocks" in output
    assert not back.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mode", "gcm", "--iv", IV.hex()], "needs --tag"),
        (["--mode", "gcm", "--iv", "0", "--tag", "TAG"], "not hexadecimal"),
        (["--mode", "gcm", "--iv", "00" * 129, "--tag", "TAG"], "takes 2 to 256"),
        (["--mode", "gcm", "--tag", "TAG"], "needs an iv"),
        (["--mode", "ctr", "--iv", IV.hex()], "takes 32"),
        (["--mode", "ctr", "--iv", "00" * 16, "--tag", "TAG"], "no --tag"),
        (
            ["--mode", "cbc", "--iv", "00" * 16],
            "has no cbc, but gcm, ctr; one that has it: ",
        ),
        (["--iv", "00" * 16], "several modes: --mode gcm or ctr"),
        (["--mode", "ecb"], "unknown mode of engines 'ecb'"),
        (["--mode", "gmac", "--iv", IV.hex()], "give --mode gcm --aad FILE"),
        (["--mode", "gcm", "--iv", IV.hex(), "--tag", "OUT"], "one file"),
    ],
)
def test_bad_calls_are_refused_in_a_line(words: list[str], said: str, tmp_path: Path) -> None:
    given = tmp_path / "in"
    given.write_bytes(b"text")
    places = {"TAG": str(tmp_path / "tag"), "OUT": str(tmp_path / "out")}
    words = [places.get(word, word) for word in words]
    common = ["--design", "gcm-narrow", "--key", KEY.hex()]
    status, output = run("encrypt", given, tmp_path / "out", *common, *words)
    assert status == 2
    assert said in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_cores_have_no_gcm(tmp_path: Path) -> None:
    given = tmp_path / "in"
    given.write_bytes(b"text")
    common = ["--key", KEY.hex(), "--design", "fab-tiny", "--iv", IV.hex()]
    status, output = run("encrypt", given, tmp_path / "out", "--mode", "gcm", *common)
    assert status == 2
    assert "needs an engine" in output


def test_what_a_mode_lacks_is_named_with_an_engine_that_has_it(tmp_path: Path) -> None:
    """What the hint says is taken, with the same words beside it."""
    given, tag = tmp_path / "in", tmp_path / "tag"
    given.write_bytes(b"text")
    words = ["--mode", "gcm", "--key", KEY.hex(), "--iv", IV.hex(), "--tag", tag]
    status, output = run("encrypt", given, tmp_path / "out", "--design", "ctr-narrow", *words)
    assert status == 2
    (name,) = re.findall(
        r"this engine has no gcm, but ctr; one that has it: --design (\S+)", output
    )
    assert crypt.Job.modes(catalogue.find(name).engine) == ("gcm", "ctr")


def _job(name: str, mode: str, tmp_path: Path, *, decrypt: bool) -> crypt.AnyJob:
    """A file for an engine, with key, IV and tag of the lengths that its mode takes."""
    (tmp_path / "in").write_bytes(bytes(64))
    (tmp_path / "tag").write_bytes(bytes(16))
    key = KEY.hex() + (KEY[::-1].hex() if mode == "xts" else "")
    iv = IV.hex() if mode in ("gcm", "ccm") else None if mode == "cmac" else "00" * 16
    tag = tmp_path / "tag" if mode in ("gcm", "ccm") else None
    given, out = tmp_path / "in", tmp_path / "out"
    return every.kind(name).job(mode, key, iv, given, out, None, tag, decrypt)


@pytest.mark.parametrize("decrypt", [False, True])
@pytest.mark.parametrize("mode", sorted(MODES))
def test_the_example_of_a_mode_has_it_in_the_direction(
    mode: str, decrypt: bool, tmp_path: Path
) -> None:
    """Whatever the refusal of an engine without it names takes the file."""
    without = "gcm-narrow" if mode not in ("gcm", "ctr") else "ccm-tiny"
    with pytest.raises(AesfabError) as refused:
        _job(without, mode, tmp_path, decrypt=decrypt).resolved(every.find(without).engine)
    if mode == "cmac" and decrypt:
        assert "cmac has no decryption" in str(refused.value)
        return
    (name,) = re.findall(r"one that has it: --design (\S+)$", str(refused.value))
    assert str(refused.value).endswith(example(mode, decrypt=decrypt))
    engine = every.find(name).engine
    _job(name, mode, tmp_path, decrypt=decrypt).resolved(engine).check(engine)


def test_engines_are_for_modes_that_files_go_through_them_in(tmp_path: Path) -> None:
    """And have no other ones, but that GCM has CTR."""
    given: list[tuple[str, tuple[str, ...]]] = [(name, ()) for name in every.names()]
    given += [(name, ("modes=chained",)) for name in every.STREAMS.catalogue]
    for name, axes in given:
        named = every.find(name, axes)
        has, found = every.kind(name).job.modes(named.engine), set()
        for mode, decrypt in itertools.product(every.SIZES, (False, True)):
            if every.carries(named, mode, decrypt=decrypt):
                found.add(mode)
                if (mode, decrypt) != ("cmac", True):
                    job = _job(name, mode, tmp_path, decrypt=decrypt).resolved(named.engine)
                    job.check(named.engine)
        assert found == set(has) - ({"ctr"} if "gcm" in has else set()), name


def test_engines_for_a_mode_are_listed_once() -> None:
    for mode, decrypt in itertools.product(every.SIZES, (False, True)):
        found = [every.find(*each).engine for each in every.carriers(mode, decrypt=decrypt)]
        assert found
        assert all(one != other for one, other in itertools.combinations(found, 2))


def test_an_engine_of_one_mode_needs_none_and_axes_stand_behind_the_files(tmp_path: Path) -> None:
    given, out, same, back = (tmp_path / name for name in ("in", "out", "same", "back"))
    given.write_bytes(b"some text of no whole blocks")
    words = ["--design", "ctr-narrow", "--key", KEY.hex(), "--iv", "00" * 16]
    assert run("encrypt", given, out, "slots=4", *words)[0] == 0
    assert run("encrypt", given, same, *words, "--set", "slots=4", "--mode", "ctr")[0] == 0
    work = Cipher(algorithms.AES(KEY), modes.CTR(bytes(16))).encryptor()
    assert out.read_bytes() == same.read_bytes() == work.update(given.read_bytes())
    assert run("decrypt", out, back, *words, "slots=4")[0] == 0
    assert back.read_bytes() == given.read_bytes()
    status, output = run("encrypt", given, out, *words, "slots=5")
    assert status == 2
    assert "unknown slots value" in output


def test_gmac_is_gcm_of_nothing(tmp_path: Path) -> None:
    """The way that the refusal of --mode gmac tells."""
    aad, tag = tmp_path / "aad", tmp_path / "tag"
    aad.write_bytes(b"additional data alone")
    words = ["--design", "ctr-narrow", "--key", KEY.hex(), "--iv", IV.hex()]
    status, output = run("encrypt", "/dev/null", tmp_path / "out", *words, "--mode", "gmac")
    assert status == 2
    assert "/dev/null as IN" in output
    words[1] = "gcm-narrow"
    words += ["--mode", "gcm", "--aad", str(aad), "--tag", str(tag)]
    status, output = run("encrypt", "/dev/null", tmp_path / "out", *words)
    assert status == 0, output
    assert tag.read_bytes() == AESGCM(KEY).encrypt(IV, b"", aad.read_bytes())
    assert (tmp_path / "out").read_bytes() == b""


def test_a_waveform_of_an_engine_is_that_of_its_testbench(tmp_path: Path) -> None:
    status, output = run("wave", "gcm-narrow", "slots=4", "-o", tmp_path / "a.vcd")
    assert status == 2
    assert "'aesfab generate gcm-narrow slots=4 -o DIR'" in output
    assert "+vcd=FILE.vcd" in output
    sheet = every.folder(every.find("gcm-narrow", ["slots=4"])).contents()["README.md"]
    assert "`+vcd=FILE.vcd`" in sheet


def test_folder_runs_in_icarus(tmp_path: Path) -> None:
    """Its testbench passes, and fails where another result is expected."""
    named = catalogue.find("gcm-interleaved-ram")
    folder_runs_in_icarus(
        tmp_path / "folder",
        ["gcm-interleaved-ram"],
        named.module,
        f"{len(testbench.answers(named))} packets",
        lambda text: re.sub(r"(result\(.*)16'hffff", r"\g<1>16'h7fff", text, count=1),
    )


def test_bench_sees_results_that_do_not_stay(tmp_path: Path) -> None:
    """The rule of streams in the bench itself."""
    named = catalogue.find("gcm-interleaved-ram")
    sources = []
    for path in hdl.sources(named):
        if path.name == "aes_engine_back.sv":
            text, free = path.read_text(), "out_free  = ~m_valid_o | m_ready_i;"
            assert free in text
            damaged = text.replace(free, "out_free  = 1'b1;")
            copy = tmp_path / path.name
            copy.write_text(damaged)
            path = copy
        sources.append(path)
    model = bench.of_sources(named, [_no_lint(tmp_path), *sources])
    packet = Packet(Mode.GCM, 0, IV, bytes(40), after=1)
    with pytest.raises(CoreError, match="before m_data_tready_i"):
        model.run(key_step(0, KEY) + packet.steps(), dataclasses.replace(bench.READY, results=200))
