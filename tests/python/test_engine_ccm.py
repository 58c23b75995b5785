# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""CCM engines: legality, packets through the pins, clocks, files, folders, wrong RTL."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import chosen_faults
import passed
from aesfab import records
from aesfab.engine import bench as programs
from aesfab.engine.ccm import bench, catalogue, spec, testbench, vectors, verify
from aesfab.engine.ccm.packets import NONCES, TAGS, Packet
from aesfab.engine.ccm.spec import MOST_AAD, MOST_TEXT
from aesfab.engine.packets import NO_TAG, Error, Kind, Result, key_step
from aesfab.errors import AesfabError
from engine_runs import folder_runs_in_icarus, run

KEY = bytes(range(16))
ITERATIVE = "ccm-iterative-ram"
COMPACT = ("core=fab-compact-256", "slots=4")

pytestmark = pytest.mark.kept(
    *passed.ENGINES,
    cores_of=(ITERATIVE, " ".join((ITERATIVE, *COMPACT)), "ccm-tiny", "fab-tiny"),
)


# ------------------------------------------------------------------------ legality


def test_every_engine_is_legal() -> None:
    for named in catalogue.CATALOGUE.values():
        assert named.engine.reasons() == []
        # A block of text is two of the core, and a few clocks.
        core = named.engine.core.design
        assert core.latency() <= named.engine.interval() <= 2 * core.latency() + 15
    modules = [named.module for named in catalogue.CATALOGUE.values()]
    assert len(set(modules)) == len(modules)


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        (["core=fab-tiny-dec"], "choose a core with direction=encrypt"),
        (["core=kakarlapudi-sbox-enc-any"], "choose key_bits=128, 192 or 256"),
        (["core=fischer-fast-sbox-enc", "key_sbox=none"], "not round keys"),
        (["clear=yes"], "hardened=no clear=no"),
        (["ghash=8"], "unknown axis 'ghash'; known: core, modes, slots, release, "),
        (["modes=gcm"], "unknown modes value"),
    ],
)
def test_what_makes_no_engine_is_refused(overrides: list[str], reason: str) -> None:
    with pytest.raises(AesfabError, match=reason):
        catalogue.find(ITERATIVE, overrides)


def test_each_value_of_each_axis_is_part_of_a_legal_engine() -> None:
    for axis, values in spec.AXES.items():
        for value in values:
            assert catalogue.find(ITERATIVE, [f"{axis}={value.value}"]).engine.reasons() == []


# ------------------------------------------------------------------------ through the pins

ENGINES: list[tuple[str, tuple[str, ...]]] = [
    *((name, ()) for name in catalogue.CATALOGUE),
    (ITERATIVE, ("key_bits=256", "slots=2")),
    (ITERATIVE, ("release=verified", "release_depth=16", "slots=8")),
    # Blocks in turn, in a loop and in a pipeline; periods; keys that are stored; both directions.
    (ITERATIVE, ("core=fab-interleaved", "slots=4")),
    (ITERATIVE, ("core=fab-pipeline-ram", "slots=4")),
    (ITERATIVE, ("core=fab-rolling", "slots=4")),
    (ITERATIVE, ("core=fab-narrow-256", "slots=4")),
    (ITERATIVE, ("core=fab-tiny-192", "slots=4")),
    (ITERATIVE, COMPACT),
    (ITERATIVE, ("core=pilchard-unrolled-10", "slots=4")),
    (ITERATIVE, ("core=fab-iterative-ram-both", "key_bits=128", "slots=4")),
]


@pytest.mark.kept(cores_of=passed.of_point)
@pytest.mark.parametrize(("name", "overrides"), ENGINES)
def test_engine_passes(name: str, overrides: tuple[str, ...]) -> None:
    """Every named engine, and other axes, with all known answers of its key size."""
    named = catalogue.find(name, overrides)
    evidence = verify.verify(programs.build(named), every_answer=True)
    assert evidence.failures == ()
    assert evidence.random >= 400
    assert evidence.wrong >= 300
    assert evidence.answers > 1900
    assert evidence.clocks > 0


def test_known_answers_are_all_there() -> None:
    """And OpenSSL, which is the reference, gives them."""
    answers = (*vectors.nist(), *vectors.wycheproof())
    assert len(vectors.wycheproof()) > vectors.WYCHEPROOF
    assert len({a.source for a in vectors.nist()}) == vectors.TOTAL
    sensible = [a for a in answers if len(a.packet.nonce) in NONCES and a.packet.tag_length in TAGS]
    assert [a.source for a in sensible if not a.agrees(a.packet.expected(a.key))] == []
    others = {a.result.error for a in answers} - {a.result.error for a in sensible}
    assert others == {Error.IV, Error.TAG_LENGTH}


def test_answers_that_travel_are_those_of_the_packages() -> None:
    """A folder is written without the packages that have them all."""
    chosen = vectors.of_each_kind()
    assert list(vectors.shipped()) == chosen
    assert vectors.SHIPPED.read_text() == "".join(map(vectors.line, chosen))
    assert {len(a.packet.nonce) for a in chosen} == set(NONCES)
    assert {a.result.error for a in chosen} == {Error.NONE, Error.TAG}


@pytest.fixture(scope="module")
def model() -> bench.Model:
    return programs.build(catalogue.find(ITERATIVE))


def test_the_longest_packet(model: bench.Model) -> None:
    """All that its lengths can tell, and a count of 4,096 blocks."""
    packets = [
        Packet(0, bytes(13), bytes(range(256)) * 256, bytes(MOST_AAD), after=1),
        Packet(0, bytes(7), bytes(5), bytes(MOST_AAD)),
        Packet(0, bytes(8), bytes(MOST_TEXT)),
    ]
    packets[0] = Packet(0, bytes(13), packets[0].text[:MOST_TEXT], bytes(MOST_AAD), after=1)
    steps = key_step(0, KEY, length=0) + b"".join(each.steps() for each in packets)
    assert programs.results(model.run(steps)) == [each.expected(KEY) for each in packets]


def test_bytes_behind_a_nonce_are_not_looked_at(model: bench.Model) -> None:
    packet = Packet(0, b"seven..", b"text", after=1)
    data = packet.data()
    assert data[7:16] != bytes(9)
    steps = key_step(0, KEY, length=0) + packet.steps()
    assert programs.results(model.run(steps)) == [packet.expected(KEY)]
    assert programs.results(model.run(steps.replace(data, data[:7] + bytes(9) + data[16:]))) == [
        packet.expected(KEY)
    ]


def test_a_stored_key_is_loaded_once_and_after_a_packet_that_never_got_it() -> None:
    """A load takes the clocks of the key set-up, and no packet finds another key than its own."""
    named = catalogue.find(ITERATIVE, COMPACT)
    model, setup = programs.build(named), named.engine.core.design.key_setup()
    keys = [bytes([n]) * 32 for n in range(2)]
    start = b"".join(key_step(slot, key, length=0) for slot, key in enumerate(keys))

    def packet(slot: int, after: int = 0) -> Packet:
        return Packet(slot, bytes(13), bytes(64), after=after)

    def ends(slots: list[int]) -> list[int]:
        steps = start + packet(slots[0], 2).steps()
        steps += b"".join(packet(slot).steps() for slot in slots[1:])
        found = model.run(steps)
        assert programs.results(found) == [packet(slot).expected(keys[slot]) for slot in slots]
        return [event.clock for event in found if event.kind is Kind.RESULT and event.last]

    same, changed = ends([0, 0, 0, 0]), ends([0, 1, 0, 1])
    assert same[3] - same[2] <= named.engine.packet_clocks(0, 4)
    assert changed[3] - changed[2] >= same[3] - same[2] + setup
    # The nonce of the first packet of slot 1 is wrong: its key is not loaded, and the next one is.
    for slots in ([0, 1, 1, 0], [1, 1, 0]):
        bad = slots.index(1)
        steps, wanted = bytearray(start), list[Result]()
        for number, slot in enumerate(slots):
            each = packet(slot, 2 if number == 0 else 0)
            if number == bad:
                steps += each.descriptor(nonce_length=3)
                steps += b"".join(beat.step() for beat in each.beats())
                wanted.append(Result(b"", NO_TAG, Error.IV))
            else:
                steps += each.steps()
                wanted.append(each.expected(keys[slot]))
        assert programs.results(model.run(bytes(steps))) == wanted


# ------------------------------------------------------------------------ wrong RTL

_CONTROL, _TOP = "aes_engine_ccm_control.sv", "aes_engine_ccm.sv"
SMALL = (ITERATIVE, ("core=fab-narrow-256", "slots=4"))
"""An engine with all that there is: a stored key, two blocks in the core."""

FAULTS = [
    (_TOP, "desc.mode == aes_engine_ccm_pkg::ModeCcm", "1'b1"),
    (_CONTROL, "desc_i.nonce_len < 8'd7", "1'b0"),
    (_CONTROL, "desc_i.nonce_len > 8'd13", "1'b0"),
    (_CONTROL, "desc_i.tag_len < 8'd4", "1'b0"),
    (_CONTROL, "desc_i.tag_len > 8'd16", "1'b0"),
    (_CONTROL, "desc_i.tag_len[0]", "1'b0"),
    (_CONTROL, "aad_too_long(desc_i.aad_len)", "1'b0"),
    (_CONTROL, "(8'(n) < desc_i.nonce_len)", "1'b1"),
    (_CONTROL, "load_i | owed_q", "load_i"),
    (_CONTROL, "loads & (desc_error != ErrNone)", "1'b0"),
    (_CONTROL, "(left_q[15:4] == '0) | (left_q == 16'd16)", "(left_q[15:4] == '0)"),
    (_CONTROL, "(ends & ~text_any & ~packet_q.decrypt)", "(ends & ~packet_q.decrypt)"),
    (_CONTROL, "(ends & ~text_any & ~packet_q.decrypt)", "(ends & ~text_any)"),
    (_CONTROL, "beat_i.last == (ends & ~packet_q.decrypt)", "1'b1"),
    (_CONTROL, "beat_i.kind == BeatAad", "1'b1"),
    (_CONTROL, "beat_i.kind == BeatText", "1'b1"),
    (_CONTROL, "beat_i.kind == BeatTag", "1'b1"),
    (_CONTROL, "(state_q == StTag) & packet_q.decrypt", "1'b0"),
    (_CONTROL, "(beat_i.len == len)", "1'b1"),
    (_CONTROL, "beat_i.ok & kind_ok", "kind_ok"),
    (_CONTROL, "~chain_busy_q & stage_free", "stage_free"),
    (_CONTROL, "~m_valid_o | m_ready_i", "1'b1"),
    (_CONTROL, "chain_free & stream_valid_q &", "chain_free &"),
    (_CONTROL, "~chain_busy_q & stream_valid_q & out_free &", "stream_valid_q & out_free &"),
    (_CONTROL, "~chain_busy_q & stream_valid_q & out_free &", "~chain_busy_q & out_free &"),
    (_CONTROL, "((judged_q & good_q) | ~packet_q.decrypt)", "1'b1"),
    (_CONTROL, "in_beats & judged_q & ~good_q", "1'b0"),
    (_CONTROL, "~stream_busy_q & ~stream_valid_q & stage_free &", "~stream_busy_q & stage_free &"),
    (_CONTROL, "~(first_now | aad_now | rest_now | text_now)", "1'b1"),
    (_CONTROL, "(act_q != '0)", "1'b0"),
    (_CONTROL, "in_beats & beat_valid_i", "in_beats"),
    (_CONTROL, "(act_q.tag & packet_q.decrypt)", "act_q.tag"),
    (_CONTROL, "(state_q == StIdle) & ~chain_busy_q & ~stream_busy_q", "(state_q == StIdle)"),
    (_CONTROL, "(beat_i.len > 4'd13) ? StRest : after_aad", "after_aad"),
    (_CONTROL, "(beat_i.len > 4'd13) ? StRest : after_aad", "StRest"),
    (_CONTROL, "drains_q ? StDrain : StIdle", "StIdle"),
    (_CONTROL, "drains_q ? StDrain : StIdle", "StDrain"),
    (_CONTROL, "(desc_i.aad_len != '0) | (desc_i.text_len != '0) | desc_i.decrypt", "1'b0"),
    (_CONTROL, "act_q.aad && ends", "1'b0"),
    (_CONTROL, "count_q == blocks", "1'b0"),
    (_CONTROL, "sum[8*(15-n)+:8] & {8{keep_q[n]}}", "sum[8*(15-n)+:8]"),
    (_CONTROL, "sum[8*(15-n)+:8] & {8{keep_q[n]}}", "beat_i.data[8*(15-n)+:8]"),
    (_CONTROL, "{112{act_q.aad}}", "112'h0"),
    (_CONTROL, "packet_q.has_aad & act_q.first", "packet_q.has_aad"),
    (_CONTROL, "packet_q.has_aad & act_q.first", "act_q.first"),
    (_CONTROL, "packet_q.tag_half & {3{act_q.first}}", "packet_q.tag_half"),
    (_CONTROL, "act_q.first ? text_len_q : 16'(count_q)", "16'(count_q)"),
    (_CONTROL, "(core_valid_q & ~core_ready_i)", "1'b0"),
    (_CONTROL, "chain_q ^ operand", "operand"),
    (_CONTROL, "chain_busy_q & (~stream_busy_q | older_q)", "chain_busy_q"),
    (_CONTROL, "chain_busy_q & (~stream_busy_q | older_q)", "~stream_busy_q"),
    (_CONTROL, "(act_q.stream & (count_q == '0))", "act_q.stream"),
    (_CONTROL, "(4'(n) <= tag_len)", "1'b0"),
    (_CONTROL, "(4'(n) <= tag_len)", "1'b1"),
    (_CONTROL, "act_q.tag ? tag : sum", "sum"),
    (_CONTROL, "keep_q[n] & ~act_q.error", "1'b1"),
    (_CONTROL, "~packet_q.decrypt | (wrong_q == '0)", "1'b1"),
]  # fmt: skip


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> bench.Model:
    """An engine with every fault in it."""
    return chosen_faults.build(catalogue.find(*SMALL), FAULTS, tmp_path_factory.mktemp("faulty"))


def _checks(model: bench.Model) -> Iterator[chosen_faults.Check]:
    """What looks for faults, the likeliest first."""
    for seed, pace in enumerate(verify.PACES, 1):
        yield partial(verify.random_packets, model, 60, seed, [pace])
        yield partial(verify.wrong_packets, model, seed, [pace])


@pytest.mark.kept(cores_of=(" ".join((SMALL[0], *SMALL[1])),))
@pytest.mark.parametrize("number", range(len(FAULTS) + 1))
def test_faults_are_found(
    number: int, faulty: bench.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damage to the RTL, which the verification reports; nothing where there is none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fault").write_text(str(number))
    found = next(chosen_faults.complaints(_checks(faulty)), None)
    assert (found is not None) == (number > 0)


# ------------------------------------------------------------------------ files and folders

NONCE = ("--iv", bytes(12).hex())


@pytest.mark.parametrize(("size", "release"), [(0, "stream"), (525, "stream"), (525, "verified")])
def test_files_go_through(size: int, release: str, tmp_path: Path) -> None:
    """There and back; with a wrong tag nothing comes."""
    given, out, back, tag, aad = (tmp_path / name for name in ("in", "out", "back", "tag", "aad"))
    given.write_bytes((bytes(range(256)) * 3)[:size])
    aad.write_bytes(b"additional")
    words = ["--design", ITERATIVE, "--set", f"release={release}", "--mode", "ccm", *NONCE]
    words += ["--key", KEY.hex(), "--tag", str(tag), "--aad", str(aad)]
    assert run("encrypt", given, out, *words)[0] == 0
    packet = Packet(0, bytes(12), given.read_bytes(), aad.read_bytes())
    assert (out.read_bytes(), tag.read_bytes()) == (
        packet.expected(KEY).text,
        packet.right_tag(KEY),
    )
    assert run("decrypt", out, back, *words)[0] == 0
    assert back.read_bytes() == given.read_bytes()
    back.unlink()
    tag.write_bytes(tag.read_bytes()[::-1])
    status, said = run("decrypt", out, back, *words)
    assert status == 1
    assert "the tag is wrong" in said
    assert not back.exists()


@pytest.mark.parametrize(
    ("verb", "words", "said"),
    [
        (
            "encrypt",
            ["--mode", "gcm", *NONCE, "--tag", "tag"],
            "has no gcm, but ccm",
        ),
        ("encrypt", ["--mode", "ccm", "--tag", "tag"], "needs an iv of 14 to 26"),
        ("encrypt", ["--mode", "ccm", "--iv", "00" * 6, "--tag", "tag"], "takes 14 to 26"),
        ("encrypt", ["--mode", "ccm", "--iv", "zz" * 8, "--tag", "tag"], "not hexadecimal"),
        ("encrypt", ["--mode", "ccm", *NONCE], "needs --tag FILE"),
        ("encrypt", ["--mode", "ccm", *NONCE, "--tag", "tag", "--key", "00"], "key has 2"),
        ("encrypt", ["--mode", "ccm", *NONCE, "--tag", "out"], "are one file"),
        ("encrypt", ["--mode", "ccm", *NONCE, "--tag", "tag", "--design", "fab-tiny"], "engine"),
        ("encrypt", ["--mode", "ccm", *NONCE, "--tag", "tag", "--aad", "no"], "cannot read no"),
        ("decrypt", ["--mode", "ccm", *NONCE, "--tag", "in"], "a tag has 4, 6, 8"),
    ],
)
def test_bad_calls_are_refused_in_a_line(
    verb: str, words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").write_bytes(b"texts")
    status, output = run(verb, "in", "out", "--design", ITERATIVE, "--key", KEY.hex(), *words)
    assert status == 2
    assert said in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_a_file_that_is_too_long_is_refused(tmp_path: Path) -> None:
    given = tmp_path / "in"
    given.write_bytes(bytes(MOST_TEXT + 1))
    words = ["--design", ITERATIVE, "--mode", "ccm", "--key", KEY.hex(), *NONCE, "--tag"]
    status, output = run("encrypt", given, tmp_path / "out", *words, tmp_path / "tag")
    assert status == 2
    assert "larger than 65,535 bytes" in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_folder_runs_in_icarus(tmp_path: Path) -> None:
    """Its testbench passes, and fails where another result is expected."""
    named = catalogue.find("ccm-tiny")
    folder_runs_in_icarus(
        tmp_path / "folder",
        ["ccm-tiny"],
        named.module,
        f"{len(testbench.answers(named))} packets",
        lambda text: text.replace("16'h000f, 1'b1, 6'd3", "16'h000f, 1'b1, 6'd1", 1),
    )


def test_verify_and_refusals_by_command(tmp_path: Path) -> None:
    """What passed is kept, shown by ``list`` and not made again."""
    kept = str(tmp_path / "records.jsonl")
    words = ["verify", ITERATIVE, "--level", "quick", "--records", kept]
    status, output = run(*words)
    assert status == 0
    assert "passed" in output
    (record,) = records.read(Path(kept))
    assert (record["design"], record["level"], record["failures"]) == (ITERATIVE, "quick", [])
    status, output = run(*words, "--resume", "--json")
    assert (status, json.loads(output)) == (0, record)
    status, output = run(*words, "--resume")
    assert (status, output) == (0, f"{ITERATIVE}: passed, as recorded\n")
    status, output = run("list", "--json", "--records", kept)
    said = {each["name"]: each["verified"] for each in json.loads(output)}
    assert (said[ITERATIVE], said["ccm-tiny"]) == ("quick", "-")
    records.put(Path(kept), {**record, "seed": 2, "passed": False})
    status, output = run("list", "--records", kept)
    assert re.search(rf"^{ITERATIVE} .* FAILED *$", output, re.MULTILINE)
    Path(kept).write_text(json.dumps({**record, "netlist_hash": "0" * 24}) + "\n")
    status, output = run("list", "--records", kept)
    assert re.search(rf"^{ITERATIVE} .* stale *$", output, re.MULTILINE)
    status, output = run("verify", ITERATIVE, "direction=decrypt")
    assert status == 2
