# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""libaesfab at the UART of a board: simulated boards behind a pseudo-terminal, and strange ones."""

from __future__ import annotations

import contextlib
import os
import random
import re
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import passed
from aesfab.board import boards, protocol
from aesfab.board.boards import Board
from aesfab.board.protocol import REPLY, Code, Command, Decoder, Frame
from aesfab.board.simulation import simulate
from aesfab.board.simulation.simulate import Simulated
from aesfab.design import catalogue
from aesfab.errors import ToolError
from aesfab.host import driver
from aesfab.host.driver import CounterMode, Device, DeviceError, Info, Status
from aesfab.host.system import c_folder
from aesfab.system import process
from aesfab.verify import oracle
from conftest import Cli

pytestmark = pytest.mark.kept(
    "src/aesfab/board",
    "src/aesfab/host",
    "src/aesfab/eda/simulate.py",
    "host",
    "rtl/board",
    passed.cores,
    cores_of=("fab-tiny", "kakarlapudi-sbox-both-any sbox=tower key_sbox=tower"),
)

KEY = bytes(range(16))
# A simulated second may take some seconds; a board answers within one.
PATIENT = 30_000_000


def _random(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


@pytest.fixture(scope="module")
def tiny() -> tuple[Board, Path]:
    """fab-tiny on an iCEBreaker, four clocks a bit."""
    board = boards.shipped()["icebreaker"].with_baud(3_000_000)
    return board, simulate.rtl_model(board, catalogue.find("fab-tiny"))


@pytest.fixture(scope="module")
def whole() -> tuple[Board, Path]:
    """A core for every key and both directions."""
    board = boards.shipped()["ulx3s-25k"]
    named = catalogue.find("kakarlapudi-sbox-both-any", ("sbox=tower", "key_sbox=tower"))
    return board, simulate.rtl_model(board, named)


def _address(port: Path, baud: int = 3_000_000) -> str:
    return f"uart:{port}@{baud}"


# ------------------------------------------------------------------------------ a board answers


def test_library_knows_the_protocol() -> None:
    text = (c_folder() / "src" / "uart.c").read_text()
    numbers = {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper(): int(value, 0)
        for name, value in re.findall(r"^  k(\w+) = (0x[0-9a-f]+|\d+),", text, re.MULTILINE)
    }
    assert numbers["SYNC"] == protocol.SYNC
    assert numbers["VERSION"] == protocol.VERSION
    assert numbers["REPLY"] == protocol.REPLY
    assert numbers["HEADER_BYTES"] == protocol.HEADER_BYTES
    assert numbers["CRC_BYTES"] == protocol.CRC_BYTES
    assert numbers["MOST_PAYLOAD"] == protocol.MOST_PAYLOAD
    for name in ("HELLO", "RESET", "ENCRYPT", "DECRYPT", "KEY128", "ERROR"):
        assert numbers[name] == Command[name], name
    assert [Command.KEY192 - Command.KEY128, Command.KEY256 - Command.KEY128] == [1, 2]
    for name in ("CRC", "LENGTH", "NO_KEY", "TIMEOUT", "BUSY", "FAULT"):
        assert numbers[name] == Code[name], name


def test_every_key_and_both_directions(whole: tuple[Board, Path]) -> None:
    board, model = whole
    with (
        Simulated(model, board) as sim,
        Device(f"uart:{sim.port}", timeout_us=PATIENT) as device,
    ):
        assert device.info() == Info(32, True, True, True, True, True, True, True)
        for bits in (128, 192, 256):
            key, data = _random(bits // 8, bits), _random(16 * 6, bits + 1)
            device.set_key(key)
            assert device.encrypt(data) == oracle.ecb(key, data)
            assert device.decrypt(data) == oracle.ecb(key, data, decrypt=True)
        device.erase()
        with pytest.raises(DeviceError) as error:
            device.encrypt(data)
        assert error.value.status is Status.NO_KEY


def test_messages_in_counter_mode(tiny: tuple[Board, Path]) -> None:
    """In one piece, in pieces, in the place of what was given, and longer than the window."""
    board, model = tiny
    data, first = _random(16 * 70 + 5), b"\xff" * 16
    with (
        Simulated(model, board) as sim,
        Device(_address(sim.port), timeout_us=PATIENT) as device,
    ):
        device.set_key(KEY)
        wanted = oracle.crypt("ctr", KEY, first, data)
        assert device.ctr(first, data) == wanted
        with CounterMode(device, first) as message:
            assert message.update(data[:20]) + message.update(data[20:57]) == wanted[:57]
        buffer = bytearray(data[: 16 * 40])
        device.encrypt_in_place(buffer)
        assert buffer == oracle.ecb(KEY, data[: 16 * 40])
        assert device.encrypt(b"") == b""
        with pytest.raises(DeviceError, match="16, 24 or 32"):
            device.set_key(bytes(20))
        with pytest.raises(DeviceError) as error:
            device.set_key(bytes(32))
        assert error.value.status is Status.UNSUPPORTED
        with pytest.raises(DeviceError) as error:
            device.decrypt(bytes(16))
        assert error.value.status is Status.UNSUPPORTED
        # None of these costs the device.
        assert device.encrypt(data[:16]) == oracle.ecb(KEY, data[:16])


@pytest.mark.parametrize("fault", ["drop", "spoil"])
@pytest.mark.parametrize("number", [2, 20, 90, 93, 107])
def test_disturbed_line(tiny: tuple[Board, Path], fault: str, number: int) -> None:
    """A byte lost or damaged in the hello, the key and the blocks: it is sent again."""
    board, model = tiny
    data = _random(16 * 10)
    with (
        Simulated(model, board, **{fault: number}) as sim,
        Device(_address(sim.port), timeout_us=1_500_000) as device,
    ):
        device.set_key(KEY)
        assert device.encrypt(data) == oracle.ecb(KEY, data)


def test_a_faster_host_sends_fewer_ahead(tiny: tuple[Board, Path]) -> None:
    board, model = tiny
    data = _random(16 * 70)
    with (
        Simulated(model, board, drift=-0.02) as sim,
        Device(_address(sim.port), timeout_us=PATIENT) as device,
    ):
        device.set_key(KEY)
        assert device.encrypt(data) == oracle.ecb(KEY, data)


def test_c_program_under_the_sanitizers(whole: tuple[Board, Path], tmp_path: Path) -> None:
    """The session of the library's own tests, at a board."""
    board, model = whole
    program, file, folder = tmp_path / "session", tmp_path / "file", c_folder()
    process.run(
        [*driver.compiler(), *driver.C_FLAGS, "-g", "-fsanitize=address,undefined",
         "-fno-sanitize-recover=all", "-I", folder / "include", *driver.c_sources(),
         folder / "test" / "session.c", "-o", program, "-ldl"],
        what="compiling the session", timeout=120,
    )  # fmt: skip
    file.write_bytes(bytes(0x4000))
    with Simulated(model, board) as sim:
        words: list[str | Path] = [program, f"uart:{sim.port}", file]
        said = process.run(words, what="the session", timeout=240)
        assert said.endswith("session: all as it should be\n")
        with pytest.raises(ToolError, match="ended with 1"):
            process.run([*words, "spoil"], what="it", timeout=240)


def test_file_through_the_command(tiny: tuple[Board, Path], aesfab: Cli, tmp_path: Path) -> None:
    board, model = tiny
    data = _random(16 * 40 + 5)
    (tmp_path / "in").write_bytes(data)
    with Simulated(model, board) as sim:
        ran = aesfab(
            "host", "run", "in", "out", "--address", _address(sim.port), "--key", KEY.hex(),
            "--iv", "ff" * 16,
        )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "out").read_bytes() == oracle.crypt("ctr", KEY, b"\xff" * 16, data)


# ----------------------------------------------------------------------------- errors of boards


def test_reset_by_somebody_else(tiny: tuple[Board, Path]) -> None:
    """The board has lost its key: no result is made up, and a reset by the library helps."""
    board, model = tiny
    with (
        Simulated(model, board) as sim,
        Device(_address(sim.port), timeout_us=PATIENT) as device,
    ):
        device.set_key(KEY)
        # The lock is for programs that ask for it.
        other = os.open(sim.port, os.O_RDWR | os.O_NOCTTY)
        os.write(other, Frame(Command.RESET, 0).encoded())
        os.close(other)
        with pytest.raises(DeviceError, match="was reset in the middle") as error:
            device.encrypt(bytes(160))
        assert error.value.status is Status.RESET
        with pytest.raises(DeviceError) as error:
            device.encrypt(bytes(16))
        assert error.value.status is Status.FAILED
        device.reset()
        device.set_key(KEY)
        assert device.encrypt(bytes(16)) == oracle.ecb(KEY, bytes(16))


def test_cable_pulled_in_the_middle(tiny: tuple[Board, Path]) -> None:
    board, model = tiny
    with Simulated(model, board) as sim, Device(_address(sim.port), timeout_us=PATIENT) as device:
        device.set_key(KEY)
        threading.Timer(0.5, sim.pull).start()
        with pytest.raises(DeviceError, match="the cable was pulled") as error:
            device.encrypt(bytes(16 * 100_000))
        assert error.value.status is Status.SYSTEM
        assert str(sim.port) in str(error.value)
        begun = time.monotonic()
        device.close()
        assert time.monotonic() - begun < PATIENT / 2e6, "closing waits for nobody"


@contextlib.contextmanager
def _stranger(answer: Callable[[bytes], bytes], alone: bytes = b"") -> Iterator[str]:
    """An address at which somebody else answers to what is written, or talks alone."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    os.set_blocking(ours, False)
    stop = threading.Event()

    def serve() -> None:
        while not stop.is_set():
            with contextlib.suppress(BlockingIOError):
                if alone:
                    os.write(ours, alone)
                os.write(ours, answer(os.read(ours, 4096)))
            time.sleep(0.001)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"uart:{os.ttyname(theirs)}"
    finally:
        stop.set()
        thread.join()
        os.close(ours)
        os.close(theirs)


def _frames(reply: Callable[[Frame], Frame]) -> Callable[[bytes], bytes]:
    decoder = Decoder()
    return lambda data: b"".join(reply(frame).encoded() for frame in decoder.feed(data))


_HELLO = bytes((5, 0)) + bytes(14)  # encrypts, 128 bit


def _always(payload: bytes, command: int = 0, version: int = 1) -> Callable[[bytes], bytes]:
    return _frames(lambda f: Frame(command or f.command | REPLY, f.tag, payload, version))


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        (lambda _: b"", Status.TIMEOUT, "nothing answers at"),
        (lambda data: data, Status.BUS, "answers to other questions"),
        (lambda _: b"login: ", Status.NO_DEVICE, "no board of AESFab, or has another baud rate"),
        (_always(bytes(16)), Status.NO_DEVICE, "is no board of AESFab"),
        (_always(_HELLO[:15]), Status.NO_DEVICE, "is no board of AESFab"),
        (_always(bytes((1,)) + bytes(15)), Status.NO_DEVICE, "is no board of AESFab"),
        (_always(bytes((0x25,)) + bytes(15)), Status.NO_DEVICE, "is no board of AESFab"),
        (_always(b"\x02", Command.ERROR, 2), Status.VERSION, "speaks version 2 of the protocol"),
        (_always(b"\x03", Command.ERROR), Status.DEVICE, "has no such command"),
        (_always(b"\x01", Command.ERROR), Status.BUS, "says: a frame was damaged"),
        (_always(b"\x63", Command.ERROR), Status.DEVICE, "says: error 99"),
        (_always(bytes((Code.FAULT,)), Command.ERROR), Status.DEVICE, "has seen a fault in itself"),
    ],
)
def test_other_firmware(answer: Callable[[bytes], bytes], status: Status, said: str) -> None:
    with _stranger(answer) as address, pytest.raises(DeviceError, match=said) as error:
        Device(address, timeout_us=200_000)
    assert error.value.status is status
    assert "\n" not in str(error.value)


def test_somebody_who_does_not_stop_to_talk() -> None:
    with (
        _stranger(lambda _: b"", alone=b"\xa5\x01\x02ready\r\n") as address,
        pytest.raises(DeviceError, match="does not stop to talk") as error,
    ):
        Device(address, timeout_us=200_000)
    assert error.value.status is Status.NO_DEVICE


def _board(block: Callable[[Frame], Frame]) -> Callable[[bytes], bytes]:
    """A board that does everything but what is done with blocks."""

    def reply(frame: Frame) -> Frame:
        if frame.command == Command.ENCRYPT:
            return block(frame)
        return Frame(frame.command | REPLY, frame.tag, _HELLO if frame.command == 1 else b"")

    return _frames(reply)


@pytest.mark.parametrize(
    ("block", "status", "said"),
    [
        (lambda f: Frame(Command.ERROR, f.tag, b"\x01"), Status.BUS, "a frame was damaged"),
        (lambda f: Frame(Command.ERROR, 0, b"\x07"), Status.BUS, "before the one before it"),
        (lambda f: Frame(Command.ERROR, f.tag, b"\x08"), Status.DEVICE, "seen a fault in itself"),
        (lambda f: Frame(Command.ERROR, f.tag, b"\x05"), Status.RESET, "was reset in the middle"),
        (lambda f: Frame(0x83, f.tag ^ 1, f.payload), Status.BUS, "answers to other questions"),
        (lambda f: Frame(0x84, f.tag, f.payload), Status.BUS, "answers to other questions"),
        (lambda f: Frame(0x83, f.tag, bytes(15)), Status.BUS, "answers to other questions"),
        (lambda f: Frame(0x83, f.tag, f.payload, 3), Status.BUS, "speaks version 3"),
    ],
)
def test_blocks_without_a_right_answer(
    block: Callable[[Frame], Frame], status: Status, said: str
) -> None:
    with _stranger(_board(block)) as address, Device(address, timeout_us=200_000) as device:
        device.set_key(KEY)
        with pytest.raises(DeviceError, match=said) as error:
            device.encrypt(bytes(160))
        assert error.value.status is status


def test_board_that_stops_to_answer() -> None:
    """No call blocks for ever, and closing tries once."""
    heard = []

    def answer(data: bytes) -> bytes:
        heard.append(data)
        return made(data) if len(heard) < 4 else b""

    made = _board(lambda f: Frame(0x83, f.tag, f.payload))
    with _stranger(answer) as address:
        device = Device(address, timeout_us=200_000)
        device.set_key(KEY)
        with pytest.raises(DeviceError, match="does not answer any more") as error:
            device.encrypt(bytes(16))
        assert error.value.status is Status.TIMEOUT
        heard[:] = [b""] * 4
        device.close()
        assert len(heard) == 5


def test_ports_that_are_none(tmp_path: Path) -> None:
    for where, status, said in (
        (tmp_path / "ttyUSB7", Status.SYSTEM, "cannot open the port .*: No such file"),
        ("/dev/null", Status.NO_DEVICE, "/dev/null is no serial line"),
        ("", Status.ARGUMENT, "names no port"),
        ("@1000000", Status.ARGUMENT, "names no port"),
        ("/dev/null@1000001", Status.ARGUMENT, "no 1000001 baud"),
        ("/dev/null@fast", Status.ARGUMENT, "no fast baud"),
        ("/dev/null@", Status.ARGUMENT, "no  baud"),
    ):
        with pytest.raises(DeviceError, match=said) as error:
            Device(f"uart:{where}")
        assert error.value.status is status


def test_one_program_at_a_line() -> None:
    made = _board(lambda f: Frame(0x83, f.tag, f.payload))
    with (
        _stranger(made) as address,
        Device(address, timeout_us=PATIENT),
        pytest.raises(DeviceError, match="another program uses the port") as error,
    ):
        Device(address)
    assert error.value.status is Status.SYSTEM
