# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cores on boards: board files, protocol, the RTL and bitstreams driven by the real host code."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import random
import re
import shutil
import stat
import threading
import time
import xml.etree.ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import boards as recorded
import kept
import passed
from aesfab import cli
from aesfab.board import boards, build, job, loader, picture, protocol, top
from aesfab.board.boards import Board
from aesfab.board.line import Line, LineError
from aesfab.board.protocol import Code, Command, Decoder, Frame, Hello
from aesfab.board.session import BoardError, Session
from aesfab.board.simulation import exercise, gowin, simulate
from aesfab.board.simulation.exercise import WrongAnswerError
from aesfab.board.simulation.simulate import Simulated
from aesfab.design import catalogue
from aesfab.devices import DEVICES, Recipe
from aesfab.eda import yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.folder import generate
from aesfab.hdl import rtl
from aesfab.verify import oracle
from conftest import needed

pytestmark = pytest.mark.kept(
    *passed.EDA,
    "src/aesfab/board",
    "src/aesfab/cli/board",
    "src/aesfab/choosing",
    "src/aesfab/measure",
    "src/aesfab/verify/oracle.py",
    "src/aesfab/system/process.py",
    *passed.RECORDS,
    "rtl/board",
    "tools/boards.py",
)

ROOT = Path(__file__).parents[2]
BOARDS = boards.shipped()
BUILT = ("icebreaker", "ice40-hx8k-breakout", "colorlight-i5", "tang-nano-9k")
KEY = bytes(range(16))
PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
# FIPS 197, appendix C: key size to ciphertext of PLAIN under the key 00 01 02 ...
CIPHER = {
    128: "69c4e0d86a7b0430d8cdb78070b4c55a",
    192: "dda97ca4864cdfe06eaf70a0ec0d7191",
    256: "8ea2b7ca516745bfeafc49904b496089",
}
# A simulated second may take some seconds; a board answers within one.
PATIENCE, SILENCE = 30.0, 0.5

USUAL = """\
title = "A board"
devices = ["ice40-hx8k"]
loader = "ice40_generic"
[clock]
pin = "J3"
mhz = 12
[uart]
rx = "B10"
tx = "B12"
baud = 1000000
"""


def _blocks(data: bytes) -> list[bytes]:
    return [data[at : at + 16] for at in range(0, len(data), 16)]


def _random(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


# ------------------------------------------------------------------------------- board files


def test_boards_that_come_with_aesfab() -> None:
    assert set(BOARDS) == {
        "icebreaker", "ice40-hx8k-breakout", "ulx3s-12k", "ulx3s-25k", "ulx3s-45k", "ulx3s-85k",
        "colorlight-i5", "tang-nano-9k",
    }  # fmt: skip
    for board in BOARDS.values():
        assert board.baud >= 1_000_000
        assert board.bit_error == 0.0, "a bit is a whole number of clocks"
        assert {"clk_i", "uart_rx_i", "uart_tx_o"} < {pin.port for pin in board.pins}


def test_board_files_say_where_pins_are_from() -> None:
    for path in (Path(boards.__file__).parent / "boards").glob("*.toml"):
        assert len(re.findall(r"https://\S+", path.read_text())) >= 2, path


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "A board"\n', "", "title is missing"),
        ('"ice40-hx8k"', '"ice40-hx9k"', "unknown device 'ice40-hx9k'; did you mean"),
        ('"ice40-hx8k"', '"virtex"', "no open tool makes a bitstream for virtex"),
        ('rx = "B10"\n', "", "[uart] rx is missing"),
        ('rx = "B10"', 'rx = "B12"', "pin B12 is used twice"),
        ('rx = "B10"', 'rx = "B 10"', "no name of a pin"),
        ("mhz = 12", 'mhz = "12"', "[clock] mhz must be a number"),
        ("mhz = 12", "mhz = 0", "[clock] mhz must be from 1 to 1000"),
        ("baud = 1000000", "baud = 4000000", "at most 3000000 baud"),
        ("baud = 1000000", "baud = 1000000\nparity = 1", "unknown entry 'parity'"),
        ("[clock]", "[clocks]", "[clock]"),
        ('loader = "ice40_generic"', 'loader = "a; b"', "loader 'a; b' must be"),
        ("[clock]", "speed = \"6\"\n[clock]", "no speed grade"),
        ("title", "= title", "not TOML"),
    ],
)  # fmt: skip
def test_bad_board_files_are_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(USUAL)
    assert boards.load(str(path)).device is DEVICES["ice40-hx8k"]
    path.write_text(USUAL.replace(old, new))
    with pytest.raises(AesfabError) as refused:
        boards.load(str(path))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value).strip()
    assert refused.value.exit_status == 2


def test_gowin_has_one_package_a_device(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    text = USUAL.replace("ice40-hx8k", "gw1n-9")
    path.write_text(text.replace("loader", 'package = "X1"\nloader'))
    with pytest.raises(AesfabError, match="in package QN88P only"):
        boards.load(str(path))


def test_an_unknown_board_gets_the_list() -> None:
    done = CliRunner().invoke(cli.app, ["board", "show", "ulx4s"])
    assert isinstance(done.exception, AesfabError)
    assert all(name in str(done.exception) for name in BOARDS)


# ---------------------------------------------------------------------------------- protocol


def test_protocol_is_that_of_the_rtl() -> None:
    text = rtl.file("aes_board_pkg").read_text()
    numbers = {
        name: int(value, {"h": 16, "d": 10}[base])
        for name, base, value in re.findall(r"(\w+)\s*= \d+'([hd])([0-9a-f]+)", text)
    }
    assert numbers["Sync"] == protocol.SYNC
    assert numbers["Version"] == protocol.VERSION
    assert numbers["Reply"] == protocol.REPLY
    commands = {n.removeprefix("Cmd").upper(): v for n, v in numbers.items() if n[:3] == "Cmd"}
    assert commands == {each.name: each.value for each in Command}
    codes = {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", n.removeprefix("Err")).upper(): v
             for n, v in numbers.items() if n[:3] == "Err"}  # fmt: skip
    assert codes == {"NONE": 0, **{each.name: each.value for each in Code}}
    assert set(protocol.MEANINGS) == set(Code)


def test_crc_is_x25() -> None:
    """Its check value, as catalogues of CRCs print it."""
    assert protocol.crc(b"123456789") == 0x906E


def test_decoder_finds_frames_in_garbage() -> None:
    frames = [Frame(Command.ENCRYPT, n, _random(16, n)) for n in range(1, 6)]
    for cut in range(1, 30):
        decoder, found = Decoder(), []
        data = b"\xa5\xa5\x01" + frames[0].encoded() + b"\x00\xa5\x01\x03\x07\x10"
        data += b"".join(frame.encoded() for frame in frames[1:]) + b"\xff" * 40
        for at in range(0, len(data), cut):
            found += decoder.feed(data[at : at + cut])
        assert found == frames


def test_decoder_drops_damaged_frames() -> None:
    good, decoder = Frame(Command.HELLO | protocol.REPLY, 7, bytes(16)), Decoder()
    for place in range(1, len(good.encoded())):
        broken = bytearray(good.encoded())
        broken[place] ^= 0x40
        assert good not in decoder.feed(bytes(broken) + bytes(40))
        decoder.clear()
    assert decoder.feed(good.encoded()) == [good]


@pytest.mark.parametrize("name", sorted(catalogue.CATALOGUE))
def test_hello_of_every_design(name: str) -> None:
    said = top.hello(BOARDS["icebreaker"], catalogue.find(name))
    assert Hello.of(said.encoded()) == said
    assert len(said.encoded()) == 16


# ------------------------------------------------------------------------------- RTL, simulated

# Stored keys, keys on the fly, both directions, all key sizes, hardened with faults, a fast clock.
DESIGNS = (
    ("icebreaker", "fab-tiny", ()),
    ("tang-nano-9k", "fab-narrow-256", ()),
    ("ulx3s-25k", "kakarlapudi-sbox-both-any", ("sbox=tower", "key_sbox=tower")),
    ("ulx3s-12k", "fab-tiny", ("hardened=yes", "clear=yes")),
    ("ulx3s-25k", "fab-tiny", ("direction=decrypt",)),
)


@pytest.mark.parametrize(("board_name", "name", "axes"), DESIGNS, ids=lambda v: str(v))
def test_rtl_answers_the_host(board_name: str, name: str, axes: tuple[str, ...]) -> None:
    """FIPS 197, 100 random blocks, a reset, by the host code through a pseudo-terminal."""
    board, named = BOARDS[board_name], catalogue.find(name, axes)
    exercise.of_model(board, named, simulate.rtl_model(board, named))


def test_a_board_that_is_wrong_is_found(
    tiny: tuple[Board, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Another design than is said, and a core with a wrong MixColumns."""
    board, model = tiny
    named = catalogue.find("fab-tiny")
    with pytest.raises(WrongAnswerError, match="its greeting is"):
        exercise.of_model(board, catalogue.find("fab-tiny-ram"), model)
    broken = tmp_path / "aes_mix_column_bytes.sv"
    right = rtl.file("aes_mix_column_bytes").read_text()
    assert right.count("a_q[6]") == 1
    broken.write_text(right.replace("a_q[6]", "a_q[5]"))
    sources = [broken if path.name == broken.name else path for path in generate.sources(named)]
    monkeypatch.setattr(generate, "sources", lambda _: sources)
    with pytest.raises(WrongAnswerError, match="FIPS 197, 128-bit key"):
        exercise.of_model(board, named, simulate.rtl_model(board, named))


@pytest.fixture(scope="module")
def tiny() -> tuple[Board, Path]:
    """fab-tiny on an iCEBreaker as a model of its RTL."""
    board = BOARDS["icebreaker"]
    return board, simulate.rtl_model(board, catalogue.find("fab-tiny"))


@pytest.mark.parametrize("drift", [-0.02, -0.0001, 0.0, 0.02])
def test_line_is_kept_busy(tiny: tuple[Board, Path], drift: float) -> None:
    """The core costs the line nothing, and a host whose clock differs by 2 % is understood."""
    board, model = tiny
    data = _random(16 * 200)
    # The board has one place for a frame: a faster host must send fewer ahead, and finds out.
    far = drift < -0.001
    wanted = 10 * protocol.frame_bytes(16) * board.clocks_per_bit * (1 + abs(drift))
    # The clocks of the model go on while a busy machine lets the host wait: one of three runs is
    # free of that.
    for _ in range(3):
        with Simulated(model, board, drift=drift) as sim, Line(sim.port, board.baud) as opened:
            host = Session(opened, str(sim.port), PATIENCE, SILENCE)
            host.set_key(KEY)
            begun = sim.clocks
            got = b"".join(host.blocks(_blocks(data)))
            clocks = (sim.clocks - begun) / 200
        assert got == oracle.ecb(KEY, data)
        assert host.retries <= (5 if far else 0)
        if far or clocks < 1.05 * wanted:
            return
    pytest.fail(f"{clocks:.0f} clocks a block, of {wanted:.0f} that the line takes")


@pytest.mark.parametrize(
    ("name", "baud"), [("icebreaker", 3_000_000), ("ulx3s-25k", 3_000_000), ("ulx3s-25k", 921_600)]
)
def test_other_rates(name: str, baud: int) -> None:
    """Four clocks a bit, and bits that are no whole number of clocks."""
    board = BOARDS[name].with_baud(baud)
    model = simulate.rtl_model(board, catalogue.find("fab-tiny"))
    exercise.of_model(board, catalogue.find("fab-tiny"), model)


@pytest.mark.parametrize("leds", ["", 'pins = ["C3"]', 'pins = ["C3", "B3", "C4", "C5"]'])
def test_boards_with_other_leds(tmp_path: Path, leds: str) -> None:
    """None, one, and more than are used: the ports of the module are those of the constraints."""
    path, named = tmp_path / "mine.toml", catalogue.find("fab-tiny")
    path.write_text(USUAL + (f"[leds]\n{leds}\nlit_by = 0\n" if leds else ""))
    board = boards.load(str(path))
    assert board.leds == min(boards.LEDS, leds.count('"') // 2)
    model = simulate.rtl_model(board, named)
    with Simulated(model, board) as sim, Line(sim.port, board.baud) as opened:
        assert Session(opened, str(sim.port), PATIENCE, SILENCE).hello.hz == board.hz
    head = top.text(board, named).partition(");")[0]
    assert ("led_o" in head) == bool(leds)
    assert {pin.port for pin in board.pins if "led" in pin.port} == {
        0: set(), 1: {"led_o"}, 3: {f"led_o[{n}]" for n in range(3)}
    }[board.leds]  # fmt: skip


@pytest.mark.parametrize("fault", ["drop", "spoil"])
@pytest.mark.parametrize("number", [80, 83, 90, 99])
def test_disturbed_line(tiny: tuple[Board, Path], fault: str, number: int) -> None:
    """A byte that is lost or damaged anywhere in a frame: what has no answer is sent again."""
    board, model = tiny
    data = _random(16 * 20)
    with Simulated(model, board, **{fault: number}) as sim, Line(sim.port, board.baud) as opened:
        host = Session(opened, str(sim.port), 2.0, SILENCE)
        host.set_key(KEY)
        got = b"".join(host.blocks(_blocks(data)))
        assert got == oracle.ecb(KEY, data)
        assert host.retries >= 1


def test_broken_frames_get_an_error(tiny: tuple[Board, Path]) -> None:
    """Each code, from frames as no host of ours sends them, and the next frame is understood."""
    board, model = tiny
    hello = Frame(Command.HELLO, 9).encoded()
    block = Frame(Command.ENCRYPT, 5, PLAIN)
    wrong_crc = block.encoded()[:-1] + bytes((block.encoded()[-1] ^ 1,))
    sent = {
        wrong_crc: (5, Code.CRC),
        Frame(Command.HELLO, 6, version=2).encoded(): (6, Code.VERSION),
        Frame(0x55, 7).encoded(): (7, Code.COMMAND),
        Frame(Command.KEY256, 8, bytes(16)).encoded(): (8, Code.COMMAND),
        Frame(Command.ENCRYPT, 3, bytes(15)).encoded(): (3, Code.LENGTH),
        bytes((protocol.SYNC, 1, 3, 4, 200)): (4, Code.LENGTH),
        block.encoded(): (5, Code.NO_KEY),
        block.encoded()[:12]: (5, Code.TIMEOUT),
        b"\x00\x01garbage" + block.encoded()[:1]: (None, Code.TIMEOUT),
    }
    with Simulated(model, board) as sim, Line(sim.port, board.baud) as opened:
        decoder = Decoder()

        def answer(data: bytes) -> Frame:
            opened.write(data, PATIENCE)
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                if found := decoder.feed(opened.read(PATIENCE)):
                    (frame,) = found
                    return frame
            raise AssertionError("no answer")

        for data, (tag, code) in sent.items():
            said = answer(data)
            assert (said.command, said.payload) == (Command.ERROR, bytes((code,))), code
            assert tag is None or said.tag == tag, code
            assert answer(hello).command == Command.HELLO | protocol.REPLY


def test_cable_pulled_in_the_middle(tiny: tuple[Board, Path], tmp_path: Path) -> None:
    """One line, status 1, and what was there as output stays as it was."""
    board, model = tiny
    given, out = tmp_path / "in", tmp_path / "out"
    given.write_bytes(_random(200_000))
    out.write_bytes(b"before")
    with Simulated(model, board) as sim:
        threading.Timer(1.5, sim.pull).start()
        todo = job.Job("ctr", KEY.hex(), KEY.hex(), given, out)
        with pytest.raises(LineError, match="the cable was pulled") as failed:
            job.through(sim.port, board.baud, todo)
    assert failed.value.exit_status == 1
    assert out.read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


def test_reset_in_the_middle(tiny: tuple[Board, Path]) -> None:
    """A board that has lost its key says so; nothing wrong is taken for a result."""
    board, model = tiny
    with Simulated(model, board) as sim, Line(sim.port, board.baud) as opened:
        host = Session(opened, str(sim.port), PATIENCE, SILENCE)
        host.set_key(KEY)

        def given() -> Iterator[bytes]:
            yield from [PLAIN] * 10
            opened.write(Frame(Command.RESET, 0).encoded(), PATIENCE)
            yield from [PLAIN] * 10

        results = host.blocks(given(), window=1)
        got = [next(results) for _ in range(10)]
        with pytest.raises(BoardError, match=r"reset in the middle|answers to other questions"):
            got += list(results)
    assert set(got) == {bytes.fromhex(CIPHER[128])}


@pytest.mark.parametrize("mode", job.MODES)
def test_file_through_the_command(tiny: tuple[Board, Path], tmp_path: Path, mode: str) -> None:
    board, model = tiny
    given, out, key = tmp_path / "in", tmp_path / "out", tmp_path / "key"
    given.write_bytes(_random(16 * 40 + 5))
    key.write_text(KEY.hex())
    iv = ["--iv", "ff" * 16] if mode == "ctr" else []
    words = ["board", "run", "--key-file", str(key), "--mode", mode, *iv, str(given), str(out)]
    with Simulated(model, board) as sim:
        done = CliRunner().invoke(
            cli.app, [*words, "--port", str(sim.port), "--json"], catch_exceptions=False
        )
        said = json.loads(done.stdout)
        assert out.read_bytes() == oracle.crypt(
            mode, KEY, b"\xff" * 16 if mode == "ctr" else b"", given.read_bytes()
        )
        assert said["blocks"] == 41
        assert said["retries"] == 0
        if mode == "ctr":
            words[-2:] = [str(out), str(tmp_path / "back")]
            done = CliRunner().invoke(
                cli.app, [*words, "--decrypt", "--port", str(sim.port)], catch_exceptions=False
            )
            assert "blocks a second" in done.stdout
            assert (tmp_path / "back").read_bytes() == given.read_bytes()


# ------------------------------------------------------------------------------ what is refused


def _refused(*words: str) -> AesfabError:
    done = CliRunner().invoke(cli.app, ["board", *words])
    assert isinstance(done.exception, AesfabError), done.output
    return done.exception


def _run_words(tmp_path: Path, port: Path, key: str = KEY.hex()) -> list[str]:
    given = tmp_path / "in"
    given.write_bytes(bytes(100))
    return ["run", "--port", str(port), "--key", key, "--iv", "00" * 16, str(given),
            str(tmp_path / "out")]  # fmt: skip


def test_ports_that_are_none(tmp_path: Path) -> None:
    for port, said in (
        (tmp_path / "ttyUSB7", "cannot open the port"),
        (Path("/dev/null"), "is no serial line"),
    ):
        error = _refused(*_run_words(tmp_path, port))
        assert said in str(error)
        assert error.exit_status == 2
    assert not (tmp_path / "out").exists()


def test_rate_that_the_system_has_not(tmp_path: Path) -> None:
    error = _refused(*_run_words(tmp_path, Path("/dev/null")), "--baud", "1000001")
    assert "no 1000001 baud; it has" in str(error)


def test_key_of_a_wrong_length(tiny: tuple[Board, Path], tmp_path: Path) -> None:
    board, model = tiny
    with Simulated(model, board) as sim:
        error = _refused(*_run_words(tmp_path, sim.port, "00" * 24))
    assert "the key has 48 hexadecimal digits; the design on the board takes 32 (128 bit)" in str(
        error
    )
    assert error.exit_status == 2
    assert not (tmp_path / "out").exists()


def test_one_program_at_a_line(tiny: tuple[Board, Path]) -> None:
    board, model = tiny
    with (
        Simulated(model, board) as sim,
        Line(sim.port, board.baud),
        pytest.raises(AesfabError, match="another program uses the port"),
    ):
        Line(sim.port, board.baud)


@pytest.mark.parametrize("number", [errno.EIO, errno.ENODEV, errno.ENXIO])
def test_errors_of_a_line_that_is_gone(
    tiny: tuple[Board, Path], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """What drivers of USB adapters say when the adapter goes."""
    board, model = tiny

    def gone(*_: object) -> bytes:
        raise OSError(number, os.strerror(number))

    with Simulated(model, board) as sim, Line(sim.port, board.baud) as opened:
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", gone)
            with pytest.raises(LineError, match="the cable was pulled"):
                opened.write(b"x", 1.0)
        opened.write(Frame(Command.HELLO, 1).encoded(), 1.0)
        with monkeypatch.context() as patch:
            patch.setattr(os, "read", gone)
            with pytest.raises(LineError, match="the cable was pulled"):
                opened.read(PATIENCE)


class _Scripted:
    """A line at which somebody else answers."""

    def __init__(self, answers: list[bytes]) -> None:
        self.answers, self.due = answers, b""

    def write(self, data: bytes, patience: float) -> None:
        self.due = self.answers.pop(0) if self.answers else b""

    def read(self, patience: float) -> bytes:
        due, self.due = self.due, b""
        return due


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([], "nothing answers at X"),
        ([b"login: "] * 9, "no board of AESFab, or has another baud rate"),
        ([Frame(0x81, 1, bytes(16)).encoded()], "is no board of AESFab"),
        ([Frame(0x81, 1, bytes(16), version=9).encoded()], "is no board of AESFab"),
        ([Frame(0xFF, 1, b"\x02", version=2).encoded()], "speaks version 2 of the protocol"),
        ([Frame(0xFF, 1, b"\x03").encoded()], "has no such command"),
    ],
)
def test_other_firmware(answers: list[bytes], said: str) -> None:
    with pytest.raises(BoardError, match=said) as failed:
        Session(_Scripted(answers), "X", 0.01, 0.0)
    assert failed.value.exit_status == 1


class _Talker(_Scripted):
    """A line at which somebody talks without an end."""

    def read(self, patience: float) -> bytes:
        return b"ready\r\n"


def test_somebody_who_does_not_stop_to_talk() -> None:
    with pytest.raises(BoardError, match="does not stop to talk") as failed:
        Session(_Talker([]), "X", 0.05, 0.0)
    assert failed.value.exit_status == 1


def test_designs_that_do_not_go_on_a_board() -> None:
    board = BOARDS["icebreaker"]
    for words, said in (
        (("kakarlapudi-sbox-enc-128", "interface=words"), "its ports have 32 bits"),
        (("fab-tiny",), ""),
    ):
        assert said in top.reason_against(board, catalogue.find(words[0], words[1:]))
    said = top.reason_against(board, catalogue.find("fab-tiny-hardened"))
    assert "a block takes 275 clocks, and at 1000000 baud and 12 MHz the line leaves 240" in said
    with pytest.raises(AesfabError, match="at most 3000000 baud"):
        board.with_baud(3_000_001)


# ---------------------------------------------------------------------------------- programming


def test_what_simulates_is_asked_for_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes of place and route are not for nothing."""
    monkeypatch.setattr(simulate, "_ICEBOX", tmp_path / "none")
    monkeypatch.setattr(build, "build", lambda *_, **__: pytest.fail("it was built"))
    out = tmp_path / "out"
    said = _refused("build", "icebreaker", "fab-tiny", "-o", str(out), "--simulate")
    assert "apt install fpga-icestorm" in str(said)
    assert not out.exists()


def test_a_board_that_fails_its_simulation_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*_: object) -> None:
        raise WrongAnswerError("it does not answer as it must")

    monkeypatch.setattr(build, "netlist", lambda *_: None)
    monkeypatch.setattr(build, "_route", lambda *_: (40.0, {"LC": (1, 2)}))
    monkeypatch.setattr(build, "_pack", lambda *_: (b"bits", "bin"))
    monkeypatch.setattr(simulate, "require_tools", lambda _: None)
    monkeypatch.setattr(exercise, "of_build", wrong)
    out = tmp_path / "out"
    said = _refused("build", "icebreaker", "fab-tiny", "-o", str(out), "--simulate")
    assert said.exit_status == 1
    assert not out.exists()


def test_loader_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "cannot read the report" in str(_refused("program", str(tmp_path)))
    (tmp_path / "timing.json").write_text('{"loader": "ulx3s", "bitstream": "a.bit"}')
    assert "there is no bitstream" in str(_refused("program", str(tmp_path)))
    (tmp_path / "a.bit").write_bytes(b"1")
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    error = _refused("program", str(tmp_path))
    assert "apt install openfpgaloader" in str(error)
    assert error.exit_status == 2


def test_loader_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "timing.json").write_text('{"loader": "ulx3s", "bitstream": "a.bit"}')
    (tmp_path / "a.bit").write_bytes(b"1")
    program = tmp_path / loader.PROGRAM
    program.write_text(f'#!/bin/sh\necho "$@" >{tmp_path}/called\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    done = CliRunner().invoke(
        cli.app, ["board", "program", str(tmp_path), "--flash", "--json"], catch_exceptions=False
    )
    assert json.loads(done.stdout)["command"][0] == loader.PROGRAM
    assert (tmp_path / "called").read_text() == f"-b ulx3s -f {tmp_path}/a.bit\n"


# --------------------------------------------------------------------------------- bitstreams


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_every_board_chooses_a_design(name: str) -> None:
    board = BOARDS[name]
    choice = build.choose(board)
    assert not top.reason_against(board, choice.named)
    assert choice.named.words in choice.why
    if board.device.ram_clock:
        with_ram = build.Choice(catalogue.find("fab-tiny-ram"), "default", "")
        with yosys.workspace() as (folder, _), pytest.raises(AesfabError, match="block RAM"):
            build.netlist(board, with_ram, folder, lambda _: None)


def test_a_build_follows_from_its_own_recipe_alone() -> None:
    board = BOARDS["ulx3s-25k"]
    choice = build.choose(board)
    own = board.device.recipes[choice.recipe]

    def identity(**recipes: Recipe) -> str:
        device = dataclasses.replace(board.device, recipes={**board.device.recipes, **recipes})
        return build.follows_from(dataclasses.replace(board, device=device), choice)

    assert identity(another=dataclasses.replace(own, name="another")) == identity()
    changed = dataclasses.replace(own, arguments=("--placer", "static"))
    assert identity(**{choice.recipe: changed}) != identity()


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_every_board_has_a_record(name: str) -> None:
    """Of ``make boards``: of its design and the tools as they are, in time, and simulated."""
    board, record = BOARDS[name], recorded.known()[name]
    assert recorded.is_current(record, board)
    assert len(record["fmax_mhz"]) == len(build.SEEDS)
    assert record["fmax_min_mhz"] >= build.needed_mhz(board)
    assert record["simulated"]["blocks"] == exercise.BLOCKS
    assert f"| `{name}` | `{record['design']}` |" in recorded.table()


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_every_board_is_synthesised(name: str) -> None:
    """And each port of its netlist has a pin, by the name that the constraints have for it."""
    board = BOARDS[name]

    def check() -> None:
        choice = build.best_recipe(board, catalogue.find("fab-tiny"))
        with yosys.workspace() as (folder, _):
            build.netlist(board, choice, folder, lambda _: None)
            module = yosys.load_netlist(folder / "design.json")["modules"][top.TOP]
            kind, text = top.constraints(board)
            assert (folder / kind).read_text() == text
        ports = {
            f"{port}[{n}]" if len(each["bits"]) > 1 else port
            for port, each in module["ports"].items()
            for n in range(len(each["bits"]))
        }
        assert ports == {pin.port for pin in board.pins}
        assert all(re.search(rf"\b{pin.name}\b", text) for pin in board.pins)
        counts = board.device.count(yosys.cells_of({"modules": {"m": module}}, "m"))
        assert counts.ram == 0
        assert counts.ff > 1500

    text = top.text(board, catalogue.find("fab-tiny")) + repr(board)
    bridge = "".join(path.read_text() for path in top.bridge_sources())
    passed.once(name, passed.of_synthesis(board.device, text + bridge, check), check)


def _built_check(board: Board, name: str) -> None:
    """Build with one seed, and simulate what comes nearest to the FPGA that a tool makes of it."""
    named = catalogue.find(name)
    built = build.build(board, build.best_recipe(board, named), seeds=(1,))
    assert min(built.fmax.values()) >= build.needed_mhz(board)
    files = build.contents(built)
    assert files[built.file] == built.bitstream
    picture = str(files["floorplan.svg"])
    assert ">core<" in picture
    assert 'class="core' in picture
    assert len(picture) < 200_000
    assert json.loads(str(files["timing.json"]))["design"] == name
    assert f"aesfab board build {board.name} {name}" in str(files["README.md"])
    directions = named.design.can_encrypt + named.design.can_decrypt
    assert exercise.of_build(built).blocks == exercise.BLOCKS * directions


@pytest.mark.parametrize(
    ("name", "design"),
    [
        *((name, recorded.known()[name]["design"]) for name in BUILT),
        ("ulx3s-25k", "fischer-fast-tbox-both"),
    ],
)
def test_what_was_built_answers_the_host(name: str, design: str) -> None:
    """The bitstream or the routed netlist, driven over its UART pin: the same ciphertext.

    A board of each family, with what it gets where no design is named: block RAMs on iCE40 and
    ECP5, LUT RAM on Gowin. RAMs of fischer-fast-tbox-both are written too: T-boxes of 18 bits,
    round keys of 36.
    """
    needed("the unpacker of iCE40 bitstreams", "ICESTORM", "fpga-icestorm", "icebox_vlog")
    board, named = BOARDS[name], catalogue.find(design)
    if name in BUILT:
        assert build.choose(board).named == named
    text = top.text(board, named) + repr(board)
    files = [*top.bridge_sources(), *simulate.files_of_check()]
    tools = [build.packer_version(board), yosys.version()]
    more = [text, "".join(map(kept.code, files)), *tools]
    identity = passed.of_netlist(named, _built_check, more=more)
    passed.once(f"{design} on {name}", identity, lambda: _built_check(board, design))


@pytest.mark.devices
@pytest.mark.parametrize("name", sorted(BOARDS))
def test_every_board_is_built(name: str) -> None:
    """From synthesis to bitstream, with what can be simulated of it."""
    _built_check(BOARDS[name], "fab-tiny")


def test_command_writes_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a design it takes one and says why; where a step fails, nothing is written."""
    board = BOARDS["ice40-hx8k-breakout"]
    reached = {1: 20.0, 2: 21.0, 3: 22.0, 4: 40.5, 5: 30.0}
    monkeypatch.setattr(build, "netlist", lambda *_: None)
    monkeypatch.setattr(build, "_route", lambda *a: (reached[a[3]], {"LC": (1, 2)}))
    monkeypatch.setattr(build, "_pack", lambda *_: (b"bits", "bin"))
    words = ["board", "build", board.name, "-o", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(cli.app, words, catch_exceptions=False)
    said = json.loads(done.stdout)
    chosen = recorded.known()[board.name]["design"]
    assert said["design"] == chosen
    assert said["why"].startswith(f"{chosen} has the fewest logic cells")
    assert (said["seed"], said["fmax_min_mhz"]) == (4, 20.0)
    folder = {str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*")}
    assert folder | {"LICENSE"} == set(said["files"])
    assert {f"{board.name}.bin", "pins.pcf", "timing.json", "README.md",
            "rtl/aesfab_board.sv", "rtl/aes_core.sv", "rtl/aes_board.sv"} <= folder  # fmt: skip
    assert not any(str(tmp_path) in str(text) for text in said.values())
    assert "is not empty" in str(_refused(*words[1:]))
    reached[3] = 12.5
    failed = _refused("build", board.name, "fab-tiny", "-o", str(tmp_path / "two"))
    assert failed.exit_status == 1
    assert not (tmp_path / "two").exists()


def _placed(*cells: tuple[str, str]) -> bytes:
    named = {name: {"attributes": {"NEXTPNR_BEL": place}} for name, place in cells}
    return json.dumps({"modules": {"top": {"cells": named}}}).encode()


def test_picture_shows_who_stands_where() -> None:
    """A tile is split by its cells, and RAMs, pads and what is no cell of a tile are told apart."""
    cells = (
        ("u_core.a", "X3/Y5/lc0"), ("u_core.b", "X3/Y5/lc1"), ("u_core.c", "X3/Y5/lc2"),
        ("u_core_b", "X3/Y5/lc3"), ("rx", "X4/Y5/lc0"), ("u_core.r", "X8/Y1/ram"),
        ("pad", "X0/Y9/io1"), ("clock", "X0/Y16/gb"), ("nowhere", ""),
    )  # fmt: skip
    text = picture.svg(BOARDS["icebreaker"], "a <design>", _placed(*cells))
    tree = xml.etree.ElementTree.fromstring(text)
    assert "a <design> on " in "".join(tree.itertext())
    shown = [
        (each.get("class"), *(float(each.get(name, "")) for name in ("x", "y", "width")))
        for each in tree.iter("{http://www.w3.org/2000/svg}rect")
        if each.get("class") and float(each.get("y", "")) < 34 + 32 * 12
    ]
    # 12 dots a tile; rows of iCE40 begin at the bottom, and there are 32.
    assert shown == [
        ("core l4", 46, 34 + 26 * 12, 8.2), ("bridge l4", 54.2, 34 + 26 * 12, 2.8),
        ("bridge l1", 58, 34 + 26 * 12, 11), ("RAM", 106, 34 + 30 * 12, 11),
        ("pad", 10, 34 + 22 * 12, 11),
    ]  # fmt: skip
    gowin = picture.svg(BOARDS["tang-nano-9k"], "x", _placed(("u_core.a", "X3Y5/LUT2")))
    assert f'<rect class="core l4" x="46" y="{34 + 5 * 12}" width="11" height="11"/>' in gowin
    with pytest.raises(ToolError, match="where it is"):
        picture.svg(BOARDS["icebreaker"], "x", _placed(("pad", "X0/Y9/io1")))


def test_pictures_of_pages_are_small_and_stand_alone() -> None:
    found = sorted((ROOT / "docs" / "pictures").glob("floorplan-*.svg"))
    for path in found:
        text = path.read_text()
        assert len(text) < 200_000
        assert not re.findall(r"href=|url\(|<script|<image", text)
        words = "".join(xml.etree.ElementTree.fromstring(text).itertext())
        assert BOARDS[path.stem.removeprefix("floorplan-")].title in words
        pages = [page for page in (ROOT / "docs").glob("*.md") if path.name in page.read_text()]
        assert pages, path
    assert found


def test_wires_and_cells_of_gowin_unpack() -> None:
    """Wires of two names are one, and adders are their LUTs, also one without a bit or with all."""
    whole = (
        "module top(R1C1_IA);\ninput R1C1_IA;\nwire R1C2_F0;\n`define R1C2_A0 R1C3_Q1\n"
        "assign `R1C2_A0 = R1C9_Q0;\nassign R1C2_F2 = VSS;\nassign VSS = 1'b0;\n"
        "ALU R1C2_ALU_0 (\n.SUM(R1C2_F0),\n.COUT(R1C2_F0)\n);\n"
        "defparam R1C2_ALU_0.ALU_MODE = C2L;\n"
        "ALU R1C2_ALU_5 (\n.COUT(R1C3_CIN0)\n);\nendmodule\n"
    )
    luts = (
        "LUT4 R1C2_LUT4_0 (\n.F(R1C2_F0),\n.I0(R1C2_A0)\n);\n"
        "defparam R1C2_LUT4_0.INIT = 16'h00ca;\nassign R1C2_F2 = VSS;\n"
    )
    chip = gowin._Chip.of(whole)
    gowin._add_adders(chip, gowin._Chip.of(luts))
    first, last = chip.cells["R1C2_ALU_0"], chip.cells["R1C2_ALU_5"]
    assert (first.kind, first.parameters) == ("AESFAB_ADDER", {"INIT": "16'h00ca"})
    assert (first.ports["CIN"], first.ports["COUT"]) == (["R1C2_CIN0"], ["R1C2_CIN1"])
    assert (last.ports["COUT"], last.parameters["INIT"]) == (["R1C3_CIN0"], "16'hffff")
    lines = list(gowin._lines(chip, {}))
    assert "assign R1C3_Q1 = R1C9_Q0;" in lines
    assert any(".A({R1C3_Q1})" in line and "16'h00ca" in line for line in lines)
    # A table that does not depend on an input leaves it out: the wire there may be a loop.
    first.parameters["INIT"] = "16'hc0c0"
    (line,) = (line for line in gowin._lines(chip, {}) if "16'hc0c0" in line)
    assert [port for port in "ABCD" if f".{port}({{VSS}})" in line] == ["A", "D"]
    # C is 1, so D counts no more.
    chip.follows["R1C2_C0"] = "VCC"
    first.parameters["INIT"] = "16'ha0aa"
    (line,) = (line for line in gowin._lines(chip, {}) if "16'ha0aa" in line)
    assert [port for port in "ABCD" if f".{port}({{VSS}})" in line] == ["B", "D"]
    # A tap follows the spine that passes, by whichever of its wires is driven.
    chip.follows |= {"R2C2_GT00": "R2C2_SPINE11", "R2C9_SPINE8": "R1C1_F6"}
    wires = {"SPINE8": ["R2C5_SPINE8", "R2C9_SPINE8"]}
    gowin._settle_taps(chip, {"R2C2_GT00": "SPINE8", "R3C2_GT00": "SPINE8"}, wires)
    assert chip.follows["R2C2_GT00"] == "R2C9_SPINE8"
    assert "R3C2_GT00" not in chip.follows
    with pytest.raises(ToolError, match="a cell DSP, which is not known"):
        list(gowin._lines(gowin._Chip({"x": gowin._Cell("DSP", {}, {})}, {}, {}), {}))
    with pytest.raises(ToolError, match="wrote no module"):
        gowin._Chip.of("")
    with pytest.raises(AesfabError, match="no Gowin device"):
        gowin.verilog(BOARDS["icebreaker"], b"")


def test_recipes_that_a_user_names(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    board = "ice40-hx8k-breakout"
    assert "unknown recipe" in str(_refused("build", board, "-o", out, "--recipe", "none"))
    assert "fixes places" in str(_refused("build", board, "-o", out, "--recipe", "floorplan"))


def test_too_slow_gives_no_bitstream(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the slowest seed, not with the fastest, and with the margin."""
    board = BOARDS["ice40-hx8k-breakout"]
    choice = build.Choice(catalogue.find("fab-tiny"), "default", "")
    reached = {1: 12.7, 2: 12.5, 3: 80.0}
    monkeypatch.setattr(build, "netlist", lambda *_: None)
    monkeypatch.setattr(build, "_route", lambda *a: (reached[a[3]], {}))
    monkeypatch.setattr(build, "_pack", lambda *_: (b"1", "bin"))
    with pytest.raises(build.NotMetError, match=r"12\.5 MHz .* seed 2.* no bitstream") as failed:
        build.build(board, choice, seeds=(1, 2, 3))
    assert failed.value.exit_status == 1
    reached[2] = build.needed_mhz(board)
    assert build.build(board, choice, seeds=(1, 2, 3)).seed == 3


# ----------------------------------------------------------------------------------- the page


def test_page_has_the_protocol() -> None:
    """The tables of commands and codes, the file of a board, and what is said of frames."""
    page = (ROOT / "docs" / "board.md").read_text()
    commands, codes = page.split("<!-- commands -->")[1].split("<!-- codes -->")
    found = dict(re.findall(r"^\| (\w+) \| `0x(\w+)` \|", commands, re.MULTILINE))
    assert {name: int(code, 16) for name, code in found.items()} == {c.name: c for c in Command}
    rows = dict(re.findall(r"^\| (\w+) \| (\d) \|", codes, re.MULTILINE))
    assert {name: int(code) for name, code in rows.items()} == {c.name: c for c in Code}
    assert f"sync, `0x{protocol.SYNC:x}`" in page
    assert f"version of the protocol, {protocol.VERSION} |" in page
    assert f"{protocol.MOST_PAYLOAD} at most" in page
    assert f"{1 << top.TIMEOUT_BITS:,} bits" in page


def test_page_has_a_board_file_that_works(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "board.md").read_text()
    (text,) = re.findall(r"```\n(title = .*?)```", page, re.DOTALL)
    (tmp_path / "mine.toml").write_text(text)
    assert boards.load(str(tmp_path / "mine.toml")).leds == boards.LEDS
    for name in BOARDS:
        assert f"`{name}`" in page or f"`-{name.rpartition('-')[2]}`" in page, name
