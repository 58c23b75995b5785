# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sector engines: legality, sectors through the pins, clocks, files, folders, wrong RTL."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import chosen_faults
import passed
from aesfab.engine import bench as programs
from aesfab.engine.packets import CLEAR_ALL, Error, Kind, key_step
from aesfab.engine.streams import vectors as of_streams
from aesfab.engine.streams.messages import Result
from aesfab.engine.xts import bench, catalogue, spec, testbench, vectors, verify
from aesfab.engine.xts.sectors import CBC, Sector, key_steps
from aesfab.errors import AesfabError
from engine_runs import folder_runs_in_icarus, run

PAIR = bytes(range(32))
BOTH = "xts-iterative-ram-both"

pytestmark = pytest.mark.kept(
    *passed.ENGINES,
    cores_of=(
        *("xts-interleaved-ram", "xts-iterative-ram", BOTH, "cbc-dec-iterative"),
        *("cbc-streams-interleaved-ram", "cbc-dec-tiny", "fab-tiny"),
    ),
)


# ------------------------------------------------------------------------ legality


def test_every_engine_is_legal_and_takes_a_sector_in_the_clocks_of_its_blocks() -> None:
    for named in catalogue.CATALOGUE.values():
        engine = named.engine
        assert engine.reasons() == []
        slots = 32 + (engine.tweaks is spec.Tweaks.SHARED)
        assert engine.keys_of_slot == (1 if named.name.startswith("cbc-dec") else 2)
        assert engine.sector_clocks(32) == slots * engine.interval()
    modules = [named.module for named in catalogue.CATALOGUE.values()]
    assert len(set(modules)) == len(modules)


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        (["core=fab-narrow-256"], "cannot encrypt tweaks; choose tweaks="),
        (["core=fab-tiny-dec"], "cannot encrypt tweaks; choose tweaks="),
        (["core=fab-tiny-192"], "choose key_bits=128 or key_bits=256"),
        (["core=fab-narrow-both", "tweaks=fab-tiny"], "choose key_bits=128 or key_bits=256"),
        (["core=fab-narrow-256", "tweaks=fab-narrow"], "fab-narrow has no keys of 256 bits"),
        (["core=fischer-fast-sbox-enc", "key_sbox=none", "tweaks=fab-tiny"], "not round keys"),
        (["clear=yes"], "hardened=no clear=no"),
        (["tweaks=fab-tiny-dec"], "unknown tweaks value"),
        (["streams=4"], "unknown axis 'streams'; known: core, modes, tweaks, slots, "),
        (["tweaks=none"], "choose tweaks=shared"),
        (["modes=cbc", "tweaks=none"], "choose a core with direction=decrypt or both"),
        (["modes=cbc", "core=fab-tiny-dec"], "choose tweaks=none"),
        (["modes=cbc", "core=fab-narrow-both", "tweaks=none"], "choose key_bits=128, 192 or 256"),
    ],
)
def test_what_makes_no_engine_is_refused(overrides: list[str], reason: str) -> None:
    with pytest.raises(AesfabError, match=reason):
        catalogue.find("xts-interleaved-ram", overrides)


def test_each_value_of_each_axis_is_part_of_a_legal_engine() -> None:
    for axis, values in spec.AXES.items():
        for value in values:
            without = value in (spec.Modes.CBC, spec.Tweaks.NONE)
            name = "cbc-dec-tiny" if without else "xts-pipeline-ram"
            assert catalogue.find(name, [f"{axis}={value.value}"]).engine.reasons() == []


# ------------------------------------------------------------------------ through the pins

ENGINES: list[tuple[str, tuple[str, ...]]] = [
    *((name, ()) for name in catalogue.CATALOGUE),
    ("xts-interleaved", ("key_bits=256", "slots=2")),
    (BOTH, ("key_bits=256", "slots=4")),
    ("xts-pipeline-ram", ("tweaks=fab-iterative-ram", "key_bits=256")),
    # Periods, a round a clock, T-boxes that are refilled, keys of a word, decryption alone.
    ("xts-narrow", ("core=fab-rolling",)),
    ("xts-narrow", ("core=pilchard-unrolled-5",)),
    (BOTH, ("core=fischer-fast-tbox-both", "key_bits=128")),
    ("xts-narrow-both", ("core=fab-compact-256",)),
    ("xts-narrow-both", ("core=fab-tiny-dec",)),
    ("cbc-dec-iterative", ("core=fab-iterative-ram-both", "key_bits=256", "slots=4")),
    ("cbc-dec-iterative", ("core=fab-compact-dec-192",)),
]


@pytest.mark.kept(cores_of=passed.of_point)
@pytest.mark.parametrize(("name", "overrides"), ENGINES)
def test_engine_passes(name: str, overrides: tuple[str, ...]) -> None:
    """Every named engine, and other axes, with all known answers of its key size."""
    named = catalogue.find(name, overrides)
    evidence = verify.verify(programs.build(named), every_answer=True)
    assert evidence.failures == ()
    assert evidence.random >= 800
    assert evidence.wrong >= 800
    engine = named.engine
    of_xts = len(engine.directions) * {16: 800, 24: 0, 32: 600}[engine.key_port_bytes]
    assert evidence.answers >= 580 if engine.cbc else evidence.answers == of_xts
    assert evidence.clocks > 0


def test_known_answers_are_all_there() -> None:
    """And OpenSSL, which is the reference, gives them."""
    assert len(vectors.nist()) == vectors.TOTAL
    assert len(vectors.cbc()) == of_streams.CBC
    answers = (*vectors.nist(), *vectors.cbc())
    assert [a.source for a in answers if a.sector.expected(a.keys) != a.result] == []


def test_answers_that_travel_are_those_of_the_packages() -> None:
    """A folder is written without the packages that have them all; some have stolen bytes."""
    chosen = vectors.of_each_kind()
    assert [a for a in vectors.shipped() if a.sector.mode != CBC] == chosen
    assert len({a.keys for a in vectors.shipped() if a.sector.mode == CBC}) > 10
    assert vectors.SHIPPED.read_text() == "".join(map(vectors.line, chosen))
    assert {len(a.sector.text) % 16 for a in chosen if len(a.keys) == 32} == {0, 9}


@pytest.mark.kept(cores_of=passed.of_name)
@pytest.mark.parametrize("name", ["xts-interleaved-ram", "xts-pipeline-ram"])
def test_sector_of_2_to_20_blocks_is_the_longest(name: str) -> None:
    """Of 2^4 here: the number is a parameter, which no axis changes."""
    model = programs.build(catalogue.find(name), changed={"LengthBits": "4"})
    # Right ones of all kinds before others: none leaves its length to the next.
    sizes = (256, 257, 256, 272, 245, 256, 323, 21, 256)
    text = bytes(range(256)) + bytes(256)
    sectors = [Sector(0, text=text[:size]) for size in sizes]
    steps = key_steps(0, PAIR, 2) + sectors[0].steps(2)
    steps += b"".join(each.steps() for each in sectors[1:])
    long = Result(sectors[0].crypt(PAIR, text[:256]), Error.LENGTH)
    wanted = [each.expected(PAIR) if len(each.text) <= 256 else long for each in sectors]
    for pace in verify.PACES:
        found = model.run(steps, pace, verify.probe(model.named.engine))
        assert bench.results(found) == wanted


def test_a_key_of_the_data_leaves_no_pair() -> None:
    """No sector finds one of a new pair beside the other of an old pair."""
    model = programs.build(catalogue.find("xts-interleaved-ram"))
    sector = Sector(0, text=bytes(16))
    other = PAIR[::-1]
    data, tweaks = key_steps(0, other, 2)[:44], key_steps(0, other, 2)[44:]
    steps = key_steps(0, PAIR, 2) + sector.steps(2)
    steps += data + sector.steps(3) + tweaks + sector.steps(4)
    # The key waits until the sector before has its own.
    steps = steps.replace(data, key_steps(0, other, 2, 1)[:44])
    steps = steps.replace(tweaks, key_steps(0, other, 2, 2)[44:])
    got = bench.results(model.run(steps))
    none = Result(b"", Error.SLOT)
    assert got == [sector.expected(PAIR), none, sector.expected(other)]


def test_a_clearing_of_all_slots_is_taken_when_all_are_zero() -> None:
    named = catalogue.find("xts-interleaved-ram")
    found = programs.build(named).run(key_steps(0, PAIR, 2) + key_step(0, user=CLEAR_ALL))
    keys = [event.clock for event in found if event.kind is Kind.KEY]
    assert keys[2] - keys[1] > 2 * named.engine.num_slots


APART = "tweaks=fab-interleaved-ram"


@pytest.mark.kept(cores_of=("xts-pipeline-ram", f"xts-pipeline-ram {APART}"))
def test_clocks_are_those_of_the_listings() -> None:
    named = catalogue.find("xts-pipeline-ram")
    shown = run("show", named.name)[1]
    assert "                     512  33" in shown
    model = programs.build(named)
    assert verify.sector_clocks(model, 32) == 33
    apart = catalogue.find("xts-pipeline-ram", [APART])
    assert verify.sector_clocks(programs.build(apart), 32) == 32


def test_a_stored_key_is_loaded_where_the_slot_changes_or_is_written() -> None:
    """And not again otherwise: a load takes the clocks of the key set-up."""
    named = catalogue.find(BOTH)
    model, setup = programs.build(named), named.engine.core.design.key_setup()
    sector = Sector(0, text=bytes(64))

    def ends(steps: bytes) -> list[int]:
        return [e.clock for e in model.run(steps) if e.kind is Kind.RESULT and e.last]

    keys = key_steps(0, PAIR, 2) + key_steps(1, PAIR[::-1], 2)
    same = ends(keys + sector.steps(4) + 3 * sector.steps())
    other = Sector(1, text=bytes(64))
    changed = ends(keys + sector.steps(4) + other.steps() + sector.steps() + other.steps())
    assert same[3] - same[2] == named.engine.sector_clocks(4)
    assert changed[3] - changed[2] >= setup
    # Between two sectors of a slot it is written, with the same keys.
    again = keys + key_steps(0, PAIR, 2, after=1) + sector.steps(4) + sector.steps(6)
    assert ends(again)[1] - ends(again)[0] >= setup


# ------------------------------------------------------------------------ wrong RTL

_KEYS, _FRONT = "aes_engine_xts_keys.sv", "aes_engine_xts_front.sv"
_BACK, _TOP = "aes_engine_xts_back.sv", "aes_engine_xts.sv"
SMALL = (BOTH, ("slots=4",))
"""An engine with all that there is, but a core that is shared."""

FAULTS = [
    (_KEYS, "9'(new_slot) < 9'(NumSlots)", "1'b1"),
    (_KEYS, "9'(s_desc_tdata_i.slot) < 9'(NumSlots)", "1'b1"),
    (_KEYS, "of_tweaks | ~key_known | Cbc", "1'b1"),
    (_KEYS, "~clear_one & (of_tweaks | second_q | Cbc)", "~clear_one"),
    (_KEYS, "~clear_one & (of_tweaks | second_q | Cbc)", "(of_tweaks | second_q)"),
    (_KEYS, "s_key_tuser_i[8] & ~clear_one & ~Cbc", "s_key_tuser_i[8]"),
    (_KEYS, "~second_q & ~Cbc", "second_q"),
    (_KEYS, "step_q == '0", "step_q != '0"),
    (_KEYS, "(!known_q && !Cbc)", "1'b0"),
    (_KEYS, "!word[KeyWidth]", "1'b0"),
    (_KEYS, "s_desc_tdata_i.mode == (Cbc ? ModeCbc : ModeXts)", "1'b1"),
    (_KEYS, "loaded_q & (slot_q == s_desc_tdata_i.slot[SlotBits-1:0])", "loaded_q"),
    (_KEYS, "(write && waddr[SlotBits:1] == slot_q)", "1'b0"),
    (_FRONT, "~beat_shape_i.none & beat_shape_i.last", "~beat_shape_i.none"),
    (_FRONT, "~beat_shape_i.none & beat_shape_i.last", "beat_shape_i.last"),
    (_FRONT, "beat_shape_i.ok & beat_shape_i.full", "beat_shape_i.full"),
    (_FRONT, "(held_last_q | beat_valid_i)", "1'b1"),
    (_FRONT, "part & ~held_last_q", "part"),
    (_FRONT, "(body_q | (state_q == StNone))", "1'b1"),
    (_FRONT, "(held_valid_q & ~act.go & ~act.error)", "(held_valid_q & ~act.go)"),
    (_FRONT, "(held_valid_q && held_last_q) ? StNone : StDrain", "StDrain"),
    (_FRONT, "~held_valid_q & beat_valid_i & (~whole | too_long)", "1'b0"),
    (_FRONT, "(sector_info_i.load && Stored)", "1'b0"),
    (_FRONT, "~held_valid_q | go_now)", "1'b1)"),
    (_FRONT, "decrypt_q & steal", "1'b0"),
    (_FRONT, "decrypt_q & steal", "steal"),
    (_FRONT, "act.go && !swapped", "act.go"),
    (_FRONT, "(act_q != '0)", "1'b0"),
    (_FRONT, "(state_q == StSteal) & steal_valid_i", "(state_q == StSteal)"),
    (_FRONT, "swapped ? t_next : t_q", "t_q"),
    (_FRONT, "(4'(n) <= beat_shape_i.len)", "(4'(n) < beat_shape_i.len)"),
    (_FRONT, "Stored & (state_q == StOffer) & ~core_valid_q", "Stored & (state_q == StOffer)"),
    (_FRONT, "sector_info_i.decrypt", "1'b0"),
    (_FRONT, "held_stolen_q ? held_len_q : 4'd15", "4'd15"),
    (_FRONT, "free_q > CountBits'(1)", "1'b1"),
    (_FRONT, "CountBits'(freed_i)", "'0"),
    (_BACK, "seen.steal & ~tail_q", "seen.steal"),
    (_BACK, "item_i.last & ~act.stolen", "item_i.last"),
    (_BACK, "(4'(n) <= tail_len_q)", "1'b1"),
    (_BACK, "tail_q & ~act.tail", "tail_q"),
    (_BACK, "there & {$bits(step_t){~item_ready_o}}", "there"),
    (_BACK, "~m_valid_o | m_ready_i", "1'b1"),
    (_BACK, "last_q & (error_q == ErrNone)", "last_q"),
    (_TOP, "result.none ? '0 : keep_of(result.len)", "keep_of(result.len)"),
]  # fmt: skip


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> bench.Model:
    """An engine with every fault in it."""
    return chosen_faults.build(catalogue.find(*SMALL), FAULTS, tmp_path_factory.mktemp("faulty"))


def _checks(model: bench.Model) -> Iterator[chosen_faults.Check]:
    """What looks for faults, the likeliest first."""
    for seed, wrong in itertools.product((10, 20), (0.0, 0.4)):
        for more, pace in enumerate(verify.PACES):
            yield partial(verify.random_sectors, model, 120, seed + more, [pace], wrong)


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


@pytest.mark.parametrize("size", [16, 512, 525])
def test_files_go_through(size: int, tmp_path: Path) -> None:
    given, out, back = (tmp_path / name for name in ("in", "out", "back"))
    given.write_bytes(bytes(range(256)) * 3)
    given.write_bytes(given.read_bytes()[:size])
    tweak = (77).to_bytes(16, "little")
    words = ["--design", BOTH, "--mode", "xts", "--key", PAIR.hex(), "--iv", tweak.hex()]
    assert run("encrypt", given, out, *words)[0] == 0
    assert out.read_bytes() == Sector(0, tweak).crypt(PAIR, given.read_bytes())
    assert run("decrypt", out, back, *words)[0] == 0
    assert back.read_bytes() == given.read_bytes()


def test_cbc_comes_back(tmp_path: Path) -> None:
    """What an engine of streams encrypts; a wrong key leaves nothing."""
    given, out, back = (tmp_path / name for name in ("in", "out", "back"))
    given.write_bytes(bytes(range(100)))
    words = ["--mode", "cbc", *IV, "--key"]
    streams = ["--design", "cbc-streams-interleaved-ram"]
    mine = ["--design", "cbc-dec-iterative"]
    assert run("encrypt", given, out, *words, PAIR[:16].hex(), *streams)[0] == 0
    assert run("decrypt", out, back, *words, PAIR[:16].hex(), *mine)[0] == 0
    assert back.read_bytes() == given.read_bytes()
    back.unlink()
    status, said = run("decrypt", out, back, *words, PAIR[16:].hex(), *mine)
    assert status == 2
    assert "bad padding" in said
    assert not back.exists()


IV = ("--iv", bytes(16).hex())


@pytest.mark.parametrize(
    ("verb", "words", "said"),
    [
        ("decrypt", ["--mode", "xts", *IV], "does not decrypt"),
        ("encrypt", ["--mode", "ctr", *IV], "has no ctr, but xts; one that has it: --design ctr-"),
        ("encrypt", [*IV], "needs 16 or more"),
        ("encrypt", ["--mode", "xts"], "needs an iv"),
        ("encrypt", ["--mode", "xts", *IV, "--key", "00" * 16], "takes 64"),
        ("encrypt", ["--mode", "xts", *IV, "--key", "ab" * 32], "are the same"),
        ("encrypt", ["--mode", "xts", *IV, "--tag", "tag"], "go with --mode gcm or ccm"),
        ("encrypt", ["--mode", "xts", *IV], "needs 16 or more"),
        ("encrypt", ["--mode", "xts", *IV, "--design", "fab-tiny"], "needs an engine"),
        ("encrypt", ["--mode", "cbc", *IV, "--design", "cbc-dec-tiny"], "does not encrypt"),
        ("decrypt", ["--mode", "cbc", *IV, "--design", "cbc-dec-tiny"], "32 ("),
    ],
)
def test_bad_calls_are_refused_in_a_line(
    verb: str, words: list[str], said: str, tmp_path: Path
) -> None:
    given = tmp_path / "in"
    given.write_bytes(b"text")
    common = ["--design", "xts-interleaved-ram", "--key", PAIR.hex()]
    status, output = run(verb, given, tmp_path / "out", *common, *words)
    assert status == 2
    assert said in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_folder_runs_in_icarus(tmp_path: Path) -> None:
    """Its testbench passes, and fails where another result is expected."""
    named = catalogue.find(BOTH)
    folder_runs_in_icarus(
        tmp_path / "folder",
        [BOTH],
        named.module,
        f"{len(testbench.answers(named))} sectors",
        lambda text: text.replace("16'hffff, 128'h", "16'h7fff, 128'h", 1),
    )


def test_verify_and_refusals_by_command(tmp_path: Path) -> None:
    kept = str(tmp_path / "records.jsonl")
    status, output = run("verify", "xts-iterative-ram", "--level", "quick", "--records", kept)
    assert status == 0
    assert "passed" in output
    status, output = run("verify", "xts-iterative-ram", "direction=decrypt")
    assert status == 2
