# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The host system through the C library: sessions, errors, erasure, sanitizers."""

from __future__ import annotations

import ctypes
import json
import mmap
import random
import re
import shutil
from pathlib import Path

import pyslang
import pytest

import passed
from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.eda import yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.hdl import rtl
from aesfab.host import driver, soak
from aesfab.host.driver import Copy, Device, DeviceError, Simulation, Status
from aesfab.host.system import Bus, System, c_folder, simulation, wrapper
from aesfab.system import process
from aesfab.verify import oracle
from conftest import Cli

BOTH_ANY = catalogue.CATALOGUE["kakarlapudi-sbox-both-any"]
ON_THE_FLY = catalogue.CATALOGUE["pilchard-unrolled-1"]
SYSTEMS = {
    "axi-lite": System(BOTH_ANY),
    "axi4": System(BOTH_ANY, Bus.AXI4, 128),
    "axi-stream": System(BOTH_ANY, Bus.AXI_STREAM),
    "wishbone": System(ON_THE_FLY, Bus.WISHBONE),
    "memory-slot": System(ON_THE_FLY, Bus.MEMORY_SLOT, guarded=False),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_random_session_agrees_with_openssl(name: str) -> None:
    system = SYSTEMS[name]
    passed.once(system.module, passed.of_system(system, _session), lambda: _session(system))


def _session(system: System) -> None:
    result = soak.soak(system, 12_000, seed=7)
    assert result.blocks >= 12_000
    assert result.keys > 5
    assert result.openings > 2
    assert result.chunks[2000] > 0
    assert result.chunks[1] > 0


@pytest.mark.parametrize("name", ["fab-tiny", "fab-narrow", "qin-4sm", "standaert-sequential-52"])
def test_other_architectures_behind_the_same_buffers(name: str) -> None:
    """A core may come out of the simulator in another way when it is part of a system."""
    system = System(catalogue.CATALOGUE[name], Bus.AXI4)
    identity = passed.of_system(system, _short_session)
    passed.once(system.module, identity, lambda: _short_session(system))


def _short_session(system: System) -> None:
    assert soak.soak(system, 1000, seed=9).blocks >= 1000


@pytest.fixture
def sim() -> Simulation:
    return Simulation(simulation(SYSTEMS["axi-lite"]))


def _status(error: pytest.ExceptionInfo[DeviceError]) -> Status:
    return error.value.status


def test_enums_are_those_of_the_header() -> None:
    text = (c_folder() / "include" / "aesfab.h").read_text()
    statuses = re.findall(r"^  AESFAB_(?:E_)?([A-Z_]+)(?: = 0)?,  ?", text, re.MULTILINE)
    assert [s for s in statuses if not s.startswith("COPY")] == [
        s.name for s in Status if s is not Status.OK
    ]
    copies = re.findall(r"^  AESFAB_COPY_([A-Z0-9_]+)", text, re.MULTILINE)
    assert [{"64": "WORD_64"}.get(c, c) for c in copies] == [c.name for c in Copy] + ["COUNT"]


def test_info_is_that_of_the_design(sim: Simulation) -> None:
    with sim, Device(sim) as device:
        info = device.info()
    assert info == driver.Info(512, True, True, True, True, True, True, False)


def test_calls_that_make_no_sense_are_refused(sim: Simulation) -> None:
    with sim:
        with Device(sim) as device:
            with pytest.raises(DeviceError, match="no key") as error:
                device.encrypt(bytes(16))
            assert _status(error) is Status.NO_KEY
            with pytest.raises(DeviceError, match="16, 24 or 32") as error:
                device.set_key(bytes(20))
            assert _status(error) is Status.ARGUMENT
            device.set_key(bytes(16))
            with pytest.raises(DeviceError, match="whole number") as error:
                device.encrypt(bytes(17))
            assert _status(error) is Status.LENGTH
            buffer = bytearray(64)
            overlapping = driver._bytes(memoryview(buffer)[16:])
            status = driver.library().aesfab_encrypt(
                device._device, driver._bytes(buffer), overlapping, 48
            )
            assert status == Status.ARGUMENT
            assert device.encrypt(b"") == b""
            # None of these costs the device.
            assert device.encrypt(bytes(32)) == oracle.ecb(bytes(16), bytes(32))
        with pytest.raises(DeviceError, match="closed"):
            device.encrypt(bytes(16))


def test_what_a_core_cannot_do_is_refused() -> None:
    with Simulation(simulation(SYSTEMS["wishbone"])) as sim, Device(sim) as device:
        with pytest.raises(DeviceError) as error:
            device.set_key(bytes(32))
        assert _status(error) is Status.UNSUPPORTED
        device.set_key(bytes(16))
        with pytest.raises(DeviceError, match="decryption") as error:
            device.decrypt(bytes(16))
        assert _status(error) is Status.UNSUPPORTED


@pytest.mark.parametrize(
    ("address", "status", "match"),
    [
        ("nothing", Status.ARGUMENT, "begins with none"),
        ("sim:/no/such/library", Status.SYSTEM, "cannot load"),
        ("uio:/no/such/device", Status.SYSTEM, "No such file"),
        ("devmem:/no/such/device@0x0", Status.SYSTEM, "No such file"),
        ("devmem:0x10", Status.ARGUMENT, "aligned"),
        ("devmem:@0x0", Status.ARGUMENT, "names no file"),
        ("devmem:{file}@0x1000", Status.ARGUMENT, "ends before a device at 0x1000 would"),
        ("devmem:{file}@0xfffffffffffff000", Status.ARGUMENT, "ends before a device at 0xf"),
        ("devmem:ten", Status.ARGUMENT, "not a physical address"),
    ],
)
def test_bad_address_is_one_line(address: str, status: Status, match: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(0x4FFF))
    with pytest.raises(DeviceError, match=match) as error:
        Device(address.format(file=file))
    assert _status(error) is status
    assert "\n" not in str(error.value)


def test_simulation_opens_by_its_address() -> None:
    with Device(f"sim:{simulation(SYSTEMS['axi-lite'])}") as device:
        device.set_key(bytes(24))
        assert device.encrypt(bytes(160)) == oracle.ecb(bytes(24), bytes(160))


@pytest.mark.parametrize(
    ("name", "interrupts", "clocks"),
    [
        ("axi-lite", False, 13_000),
        ("axi-lite", True, 13_000),
        ("axi4", False, 8000),
        ("axi-stream", True, 8000),
    ],
)
def test_reset_in_a_transfer_is_an_error_and_reopening_helps(
    name: str, interrupts: bool, clocks: int
) -> None:
    rng = random.Random(1)
    seen = set()
    with Simulation(simulation(SYSTEMS[name])) as sim:
        for _ in range(30):
            device = Device(sim, interrupts=interrupts, timeout_us=2000)
            key, data = rng.randbytes(32), rng.randbytes(16 * 600)
            device.set_key(key)
            sim.reset_after(rng.randint(1, clocks))
            with pytest.raises(DeviceError) as error:
                device.encrypt(data)
            seen.add(_status(error))
            with pytest.raises(DeviceError) as error:
                device.encrypt(data)
            assert _status(error) is Status.FAILED
            device.close()
            with Device(sim) as again:
                again.set_key(key)
                assert again.encrypt(data) == oracle.ecb(key, data)
    assert seen <= {Status.BUS, Status.RESET, Status.DEVICE}


def test_bus_error_in_a_transfer_is_an_error_and_reopening_helps(sim: Simulation) -> None:
    rng = random.Random(2)
    with sim:
        for _ in range(40):
            device = Device(sim)
            key, data = rng.randbytes(16), rng.randbytes(16 * 300)
            device.set_key(key)
            sim.fail_after(rng.randint(0, 2000))
            with pytest.raises(DeviceError) as error:
                device.encrypt(data)
            assert _status(error) is Status.BUS
            device.close()
            with Device(sim) as again:
                again.set_key(key)
                assert again.encrypt(data) == oracle.ecb(key, data)


def test_bus_error_while_opening_leaves_no_device(sim: Simulation) -> None:
    with sim:
        for accesses in range(8):
            sim.fail_after(accesses)
            with pytest.raises(DeviceError, match="bus"):
                Device(sim)
        Device(sim).close()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("kakarlapudi-sbox-both-any", {}),
        ("kakarlapudi-tbox-both-256", {}),
        ("standaert-ram-pipeline-21", {}),
        ("qin-4sm", {}),
        ("fab-narrow-both", {}),
        ("standaert-ram-sequential-42", {"key_schedule": "stored", "direction": "both"}),
    ],
)
def test_nothing_secret_is_left_after_erasure(
    name: str, change: dict[str, str], tmp_path: Path
) -> None:
    """Two devices with different keys and data, the same calls: then not a bit differs.

    Every register and memory of the hardware is compared, so what is left tells nothing.
    """
    named = catalogue.find(name, [f"{axis}={value}" for axis, value in change.items()])
    system = System(named, Bus.AXI4, depth=8)
    identity = passed.of_system(system, _nothing_is_left, _states)
    passed.once(system.module, identity, lambda: _nothing_is_left(system, tmp_path))


def _nothing_is_left(system: System, folder: Path) -> None:
    for way in ("erase", "reset"):
        before, after = _states(system, way, folder)
        assert before[0] != before[1], "the comparison sees the secrets"
        assert after[0] == after[1], way


def _states(system: System, way: str, tmp_path: Path) -> tuple[list[bytes], list[bytes]]:
    """The whole state of two devices with different secrets, before and after the erasure."""
    path = simulation(system, savable=True)
    design = system.named.design
    file = tmp_path / "state"
    before, after = [], []
    for secret in (1, 2):
        rng = random.Random(secret)
        with Simulation(path) as sim:
            device = Device(sim)
            for bits in design.key_lengths * 2:
                device.set_key(rng.randbytes(bits // 8))
                for decrypt in (False, True):
                    if design.can_decrypt if decrypt else design.can_encrypt:
                        data = rng.randbytes(16 * 11)
                        _ = device.decrypt(data) if decrypt else device.encrypt(data)
            sim.save(file)
            before.append(file.read_bytes())
            if way == "erase":
                device.erase()
            else:
                sim.reset_after(0)
                sim.step(5000)
            sim.save(file)
            after.append(file.read_bytes())
            device.close()
    return before, after


def _damaged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, old: str, new: str
) -> None:
    """Let the RTL be a copy in which the first ``old`` of a file is ``new``."""
    folder = tmp_path / "rtl"
    shutil.copytree(rtl.folder(), folder)
    path = folder / "host" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    monkeypatch.setattr(rtl, "folder", lambda: folder)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("w_data[8*(n%NumBytes)+:8]", "w_data[8*((n+1)%NumBytes)+:8]"),
        ("key_q[8*(31-n)+:8] <= key_bytes[n]", "key_q[8*n+:8] <= key_bytes[n]"),
    ],
)
def test_wrong_front_end_is_found_by_a_session(
    old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _damaged(monkeypatch, tmp_path, "aes_host_system.sv", old, new)
    system = System(ON_THE_FLY, depth=32)
    identity = passed.of_system(system, _is_found)
    passed.once(f"{system.module}, damaged", identity, lambda: _is_found(system))


def _is_found(system: System) -> None:
    with pytest.raises(soak.SoakError, match="seed 7, transfer"):
        soak.soak(system, 2000, seed=7)


@pytest.mark.kept(*passed.HOST_FOLDERS, cores_of=(ON_THE_FLY,))
def test_a_core_that_has_stopped_is_reset_over_the_bus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A core that takes ten blocks after each of its resets, and then nothing: only that helps."""
    folder = tmp_path / "rtl"
    shutil.copytree(rtl.folder(), folder)
    path = folder / "iterative" / "aes_core_iterative.sv"
    ready = "  assign in_ready_o = available & enter;\n"
    stops = (
        "  logic [3:0] taken_q;\n"
        "  always_ff @(posedge clk_i or negedge rst_ni) begin\n"
        "    if (!rst_ni) taken_q <= '0;\n"
        "    else if (accept) taken_q <= taken_q + 4'd1;\n"
        "  end\n"
        "  assign in_ready_o = available & enter & (taken_q != 4'd10);\n"
    )
    text = path.read_text()
    assert ready in text
    path.write_text(text.replace(ready, stops))
    monkeypatch.setattr(rtl, "folder", lambda: folder)
    key, block = bytes(range(16)), bytes(16)
    with Simulation(simulation(System(ON_THE_FLY, depth=32))) as sim:
        device = Device(sim)
        device.set_key(key)
        with pytest.raises(DeviceError):
            device.encrypt(block * 30)
        with pytest.raises(DeviceError):
            device.erase()
        for _ in range(2):
            device.reset()
            device.set_key(key)
            assert device.encrypt(block * 5) == oracle.ecb(key, block * 5)
        device.close()


def test_a_bank_that_is_not_erased_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, fewer = "!Cfg.clear) ? 2'd2 : 2'd0", "!Cfg.clear) ? 2'd1 : 2'd0"
    _damaged(monkeypatch, tmp_path, "aes_host.sv", keys, fewer)
    system = System(BOTH_ANY, Bus.AXI4, depth=8)
    identity = passed.of_system(system, _something_is_left, _states)
    what = f"{system.module}, damaged"
    passed.once(what, identity, lambda: _something_is_left(system, tmp_path))


def _something_is_left(system: System, folder: Path) -> None:
    _, after = _states(system, "erase", folder)
    assert after[0] != after[1]


@pytest.mark.parametrize(
    ("device", "rams"), [("ecp5-85k", 4), ("ice40-hx8k", 16), ("virtex-e", 16)]
)
def test_a_buffer_is_block_ram(device: str, rams: int, tmp_path: Path) -> None:
    """512 blocks of 128 bit; PI-9: 16 block RAMs of a Virtex-E."""
    target = devices.find(device)
    path = rtl.file("aes_host_buffer")
    counts = yosys.synthesize(
        [path], path.stem, target, next(iter(target.recipes.values())), tmp_path / "netlist.json"
    )
    assert counts.ram == rams
    assert counts.ff < 40


REGISTERS = {"IN_LEVEL": 0x28, "OUT_LEVEL": 0x30, "ERRORS": 0x20}


class _Raw:
    """A device without a driver: any order of writes and reads that a program might try."""

    def __init__(self, sim: Simulation) -> None:
        class Transport(ctypes.Structure):
            _fields_ = (
                ("name", ctypes.c_char_p),
                ("read32", _READ32),
                ("write32", ctypes.c_void_p),
                ("push", _MOVE),
                ("pull", _MOVE),
            )

        self._sim = sim
        self._calls = Transport.from_address(sim.transport)

    def register(self, name: str) -> int:
        value = ctypes.c_uint32()
        assert self._calls.read32(self._sim.handle, REGISTERS[name], ctypes.byref(value)) == 0
        return value.value

    def push(self, data: bytes, copy: Copy = Copy.WORD_64) -> int:
        return int(self._calls.push(self._sim.handle, data, len(data), int(copy)))

    def pull(self, blocks: int, copy: Copy = Copy.WORD_64) -> bytes:
        data = ctypes.create_string_buffer(16 * blocks)
        self._calls.pull(self._sim.handle, data, len(data), int(copy))
        return data.raw


_WAIT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32)
_READ32 = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32)
)
_MOVE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int
)
_EXCHANGE = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_uint32,
)


class _Transport(ctypes.Structure):
    """The whole ``struct aesfab_transport``; what is not called here is an address."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("name", "read32", "write32")),
        ("push", _MOVE),
        ("pull", _MOVE),
        ("wait", _WAIT),
        *((name, ctypes.c_void_p) for name in ("clock_us", "close")),
        ("exchange", _EXCHANGE),
        ("message", ctypes.c_void_p),
    )


@pytest.mark.parametrize("result", ["done", "late", "late after a reset", "late by an error"])
def test_transport_that_moves_blocks_both_ways(result: str) -> None:
    """An exchange by a transport is all of a transfer; its timeout is explained by the device."""
    with Simulation(simulation(SYSTEMS["axi-lite"])) as sim:
        own = _Transport.from_buffer_copy(_Transport.from_address(sim.transport))
        raw = _Raw(sim)
        calls = []

        def exchange(_: int, given: int, made: int, size: int, timeout_us: int) -> int:
            calls.append((size, timeout_us))
            if result == "late after a reset":
                sim.reset_after(0)
            elif result == "late by an error":
                raw.pull(1)
            if result != "done":
                return Status.TIMEOUT
            raw.push(ctypes.string_at(given, size))
            data = raw.pull(size // 16)
            ctypes.memmove(made, data, size)
            return Status.OK

        own.exchange = _EXCHANGE(exchange)
        sim.transport = ctypes.addressof(own)
        device = Device(sim, timeout_us=4321)
        device.set_key(KEY)
        data = random.Random(6).randbytes(16 * 100)
        if result == "done":
            assert device.encrypt(data) == oracle.ecb(KEY, data)
        else:
            with pytest.raises(DeviceError) as error:
                device.encrypt(data)
            assert (
                _status(error)
                is {
                    "late": Status.TIMEOUT,
                    "late after a reset": Status.RESET,
                    "late by an error": Status.DEVICE,
                }[result]
            )
        assert calls == [(1600, 4321)]
        device.close()


@pytest.mark.parametrize("call", ["push", "pull", "wait"])
def test_error_of_a_transport_ends_the_device(call: str) -> None:
    """Whatever its status: blocks are left in the buffers, and would be another call's results."""
    with Simulation(simulation(SYSTEMS["axi4"])) as sim:
        own = _Transport.from_buffer_copy(_Transport.from_address(sim.transport))
        kind = _WAIT if call == "wait" else _MOVE
        setattr(own, call, kind(lambda *_: Status.SYSTEM))
        given, sim.transport = sim.transport, ctypes.addressof(own)
        device = Device(sim, interrupts=True)
        device.set_key(KEY)
        with pytest.raises(DeviceError, match="operating system") as error:
            device.encrypt(bytes(16 * 500))
        assert _status(error) is Status.SYSTEM
        for again in (lambda: device.encrypt(bytes(16)), lambda: device.set_key(KEY), device.erase):
            with pytest.raises(DeviceError) as error:
                again()
            assert _status(error) is Status.FAILED
        message = driver.library().aesfab_message(device._device).decode()
        assert message.startswith("the operating system refused: ")
        device.close()
        sim.transport = given
        with Device(sim) as reopened:
            reopened.set_key(KEY)
            assert reopened.encrypt(bytes(16)) == oracle.ecb(KEY, bytes(16))


@pytest.mark.parametrize("interrupts", [False, True])
def test_time_is_without_a_result_and_not_of_all_of_them(interrupts: bool) -> None:
    """A wait for 256 blocks of 15 clocks takes longer than the ten microseconds for one."""
    data = random.Random(8).randbytes(16 * 511)
    with (
        Simulation(simulation(SYSTEMS["axi4"])) as sim,
        Device(sim, copy=Copy.SSE, interrupts=interrupts, timeout_us=10) as device,
    ):
        device.set_key(bytes(32))
        assert device.encrypt(data) == oracle.ecb(bytes(32), data)


def test_waiting_by_userspace_io(tmp_path: Path) -> None:
    """Each wait writes a one and reads a count: in a file, in the places of the registers.

    The fourth one is written to STATUS, where it means that the device is being erased.
    """
    image = bytearray(0x4000)
    image[0:4] = b"AESF"
    image[8:12] = (1 | 9 << 8 | 1 << 16 | 1 << 18).to_bytes(4, "little")
    path = tmp_path / "device"
    path.write_bytes(image)
    with (
        path.open("r+b") as file,
        mmap.mmap(file.fileno(), 0) as memory,
        Device(f"uio:{path}", interrupts=True) as device,
    ):
        memory[0x18] = 2
        memory[0x20:0x24] = bytes(4)
        device.set_key(bytes(16))
        with pytest.raises(DeviceError) as error:
            device.encrypt(bytes(16))
        assert _status(error) is Status.RESET
        assert memory[0:4] == memory[8:12] == memory[0x18:0x1C] == (1).to_bytes(4, "little")
        assert memory[0x50:0x54] == (1).to_bytes(4, "little"), "OUT_MARK"
        memory[0x18] = 0  # so that the erasure at the end need not wait


def _blocks(rng: random.Random, count: int) -> tuple[bytes, list[bytes]]:
    data = rng.randbytes(16 * count)
    result = oracle.ecb(KEY, data)
    return data, [result[16 * i : 16 * i + 16] for i in range(count)]


KEY = bytes(range(16))
DEPTH = 16


@pytest.mark.parametrize("guarded", [False, True])
def test_overflow_as_published_and_guarded(guarded: bool) -> None:
    """PI-9, PI-10: without a full flag unread results are lost; guards refuse what has no room."""
    system = System(ON_THE_FLY, Bus.MEMORY_SLOT, depth=DEPTH, guarded=guarded)
    with Simulation(simulation(system)) as sim, Device(sim) as device:
        assert device.info().guarded is guarded
        device.set_key(KEY)
        raw = _Raw(sim)
        rng = random.Random(3)
        # One less than the buffer holds: both are right.
        data, results = _blocks(rng, DEPTH - 1)
        raw.push(data)
        sim.step(500)
        assert raw.register("OUT_LEVEL") == DEPTH - 1
        assert raw.pull(DEPTH - 1) == b"".join(results)
        # As many as it holds: the counters are equal again.
        data, results = _blocks(rng, DEPTH)
        raw.push(data)
        sim.step(500)
        assert raw.register("OUT_LEVEL") == (DEPTH if guarded else 0)
        # Three more: in the paper's buffers they take the places of the oldest.
        more, newer = _blocks(rng, 3)
        raw.push(more)
        sim.step(500)
        assert raw.register("OUT_LEVEL") == (DEPTH if guarded else 3)
        if guarded:
            assert raw.register("IN_LEVEL") == 3
            assert raw.pull(DEPTH) == b"".join(results)
            sim.step(500)
            assert raw.pull(3) == b"".join(newer)
            assert raw.register("ERRORS") == 0
        else:
            # The three new ones, and then what the counters say is not there.
            assert raw.pull(3) == b"".join(newer)
            assert raw.register("ERRORS") == 0, "nothing tells"


def test_a_slot_that_cannot_wait_is_told_by_the_errors() -> None:
    system = System(ON_THE_FLY, Bus.MEMORY_SLOT, depth=DEPTH)
    with Simulation(simulation(system)) as sim, Device(sim) as device:
        device.set_key(KEY)
        raw = _Raw(sim)
        data, results = _blocks(random.Random(4), 2 * DEPTH + 1)
        raw.pull(1)
        assert raw.register("ERRORS") == 2, "no block to read"
        # Faster than the core: the input buffer fills, then blocks are refused, not lost unseen.
        raw.push(data)
        sim.step(1000)
        assert raw.register("ERRORS") == 3
        kept = raw.register("OUT_LEVEL") + raw.register("IN_LEVEL")
        assert kept <= 2 * DEPTH
        assert raw.pull(DEPTH) == b"".join(results[:DEPTH])
        with pytest.raises(DeviceError) as error:
            device.encrypt(bytes(16))
        assert _status(error) is Status.DEVICE


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_block_costs_what_the_page_says(name: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "host.md").read_text()
    row = re.search(rf"^\| {name}(?:, 128 bit)? \| (.*) \| (.*) \| (.*) \|$", page, re.M)
    assert row
    count = 64
    variants = zip((Copy.WORD_64, Copy.SSE, Copy.SSE_NT), row.groups(), strict=True)
    with Simulation(simulation(SYSTEMS[name])) as sim, Device(sim) as device:
        device.set_key(KEY)
        raw = _Raw(sim)
        for variant, clocks in variants:
            sim.step(50)
            begun = sim.clocks
            raw.push(bytes(16 * count), variant)
            assert sim.clocks - begun == float(clocks) * count
            sim.step(64 * 50)
            begun = sim.clocks
            raw.pull(count, variant)
            assert sim.clocks - begun == float(clocks) * count


@pytest.mark.parametrize("copy", [c for c in Copy if c is not Copy.AUTO])
def test_mapped_device_by_every_transfer_variant(copy: Copy, tmp_path: Path) -> None:
    """A file in the place of a device: results are what was written to the window.

    A block of canaries on both sides of the window stays, lengths are odd, buffers are unaligned.
    A variant that this processor has not is refused.
    """
    if not driver.library().aesfab_copy_supported(int(copy)):
        with pytest.raises(DeviceError, match="transfer variant"):
            Device(f"devmem:{tmp_path}@0x0", copy=copy)
        return
    registers = {
        0x00: int.from_bytes(b"AESF", "little"),
        0x08: 1 | 9 << 8 | 0x7F << 16 & ~(1 << 22),
        0x18: 0,
        0x30: 0,
    }
    for offset in (0, 0x1000):
        image = bytearray(b"\xa5" * (offset + 0x5000))
        for address, value in registers.items():
            image[offset + address : offset + address + 8] = value.to_bytes(8, "little")
        image[offset + 0x20 : offset + 0x28] = bytes(8)
        path = tmp_path / f"device{offset}"
        path.write_bytes(image)
        with (
            path.open("r+b") as file,
            mmap.mmap(file.fileno(), 0) as memory,
            Device(f"devmem:{path}@{offset:#x}", copy=copy, batch=True) as device,
        ):
            errors = slice(offset + 0x20, offset + 0x24)
            assert memory[errors] == b"\xff" * 4, "cleared by writing ones"
            memory[errors] = bytes(4)
            status, level = offset + 0x18, slice(offset + 0x30, offset + 0x34)
            memory[status] = 2  # keyed
            key = bytes(range(32))
            device.set_key(key)
            assert memory[offset + 0x80 : offset + 0xA0] == key
            assert memory[offset + 0x10 : offset + 0x14] == (1 | 2 | 2 << 4).to_bytes(4, "little")
            rng = random.Random(offset)
            for count in (1, 2, 3, 33, 511, 3 * 511):
                memory[level] = min(count, 511).to_bytes(4, "little")
                data = rng.randbytes(16 * count)
                assert device.encrypt(data) == data
                view = memoryview(bytearray(b"." + data))[1:]
                device.encrypt_in_place(view)
                assert view == data
                last = count - 511 * ((count - 1) // 511)
                window = offset + 0x2000
                assert memory[window : window + 16 * last] == data[16 * (count - last) :]
            assert memory[offset + 0x2000 + 511 * 16 :] == image[offset + 0x2000 + 511 * 16 :]
            assert memory[:offset] == image[:offset]
            memory[status] = 0  # erased


def test_mapped_device_that_never_answers_is_a_timeout(tmp_path: Path) -> None:
    image = bytearray(0x4000)
    path = tmp_path / "device"
    path.write_bytes(image)
    with pytest.raises(DeviceError, match="0x00000000") as error:
        Device(f"devmem:{path}@0")
    assert _status(error) is Status.NO_DEVICE
    image[0:4] = b"AESF"
    path.write_bytes(image)
    with pytest.raises(DeviceError) as error:
        Device(f"uio:{path}")
    assert _status(error) is Status.VERSION
    image[8:12] = (1 | 9 << 8 | 1 << 16 | 1 << 18).to_bytes(4, "little")
    image[0x18] = 1  # erasing for ever
    path.write_bytes(image)
    with pytest.raises(DeviceError, match="erasing after a reset") as error:
        Device(f"uio:{path}", timeout_us=1000)
    assert _status(error) is Status.TIMEOUT
    image[0x18] = 2  # a key that no erasure takes away
    path.write_bytes(image)
    with pytest.raises(DeviceError, match=r"in time: erasing$") as error:
        Device(f"uio:{path}", timeout_us=1000)
    assert _status(error) is Status.TIMEOUT
    image[0x18] = 0
    path.write_bytes(image)
    with (
        path.open("r+b") as file,
        mmap.mmap(file.fileno(), 0) as memory,
        Device(f"uio:{path}", timeout_us=1000) as device,
    ):
        memory[0x18] = 2
        memory[0x20:0x24] = bytes(4)
        device.set_key(bytes(16))
        with pytest.raises(DeviceError, match="waiting for results") as error:
            device.encrypt(bytes(16))
    assert _status(error) is Status.TIMEOUT


def test_c_program_under_the_sanitizers(tmp_path: Path) -> None:
    """A whole session in C, with errors: no leak, no stray access, no undefined behaviour."""
    program = tmp_path / "session"
    folder = c_folder()
    command: list[str | Path] = [
        *driver.compiler(),
        *driver.C_FLAGS,
        "-g",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-I",
        folder / "include",
        *driver.c_sources(),
        folder / "test" / "session.c",
        "-o",
        program,
        "-ldl",
    ]
    process.run(command, what="compiling the session", timeout=120)
    library = simulation(SYSTEMS["axi-lite"])
    (tmp_path / "file").write_bytes(bytes(0x4000))
    text = process.run([program, library, tmp_path / "file"], what="the session", timeout=120)
    assert text.endswith("session: all as it should be\n")
    with pytest.raises(ToolError, match="ended with 1"):
        process.run([program, library, tmp_path / "file", "spoil"], what="it", timeout=120)


def test_illegal_systems_are_refused() -> None:
    for system, reason in (
        (System(BOTH_ANY, Bus.MEMORY_SLOT, 32), "no data width of 32 bit"),
        (System(BOTH_ANY, depth=100), "power of two"),
        (System(BOTH_ANY, pipelined=True), "only Wishbone"),
    ):
        with pytest.raises(AesfabError, match=reason):
            simulation(system)


def test_axi_ports_have_the_names_of_the_standard() -> None:
    text = wrapper(SYSTEMS["axi-stream"])
    for name in ("s_axi_awvalid", "s_axis_tdata", "m_axis_tready", "irq_o"):
        assert re.search(rf"logic [^,]*\b{name}\b,?$", text, re.MULTILINE), name


def test_file_through_the_command(aesfab: Cli, tmp_path: Path) -> None:
    data = random.Random(5).randbytes(16 * 700 + 5)
    (tmp_path / "in").write_bytes(data)
    key, iv = KEY.hex(), "ff" * 16
    ran = aesfab("host", "run", "in", "out", "--key", key, "--iv", iv, "--interrupts", "--json")
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "out").read_bytes() == oracle.crypt("ctr", KEY, bytes.fromhex(iv), data)
    assert json.loads(ran.stdout)["blocks"] == 701
    for way, source, target in ((), "in", "ecb"), (("--decrypt",), "ecb", "back"):
        ran = aesfab("host", "run", source, target, "--key", key, "--mode", "ecb", *way)
        assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "ecb").read_bytes() == oracle.crypt("ecb", KEY, b"", data)
    assert (tmp_path / "back").read_bytes() == data


def test_session_leaves_a_record(aesfab: Cli, tmp_path: Path) -> None:
    for _ in range(2):
        arguments = ("--bus", "wishbone", "--blocks", "300", "--records", "records.jsonl", "--json")
        ran = aesfab("host", "soak", "pilchard-unrolled-1", *arguments)
        assert ran.returncode == 0, ran.stderr
    (record,) = records.read(tmp_path / "records.jsonl")
    assert record == json.loads(ran.stdout)
    assert record["bus"] == "wishbone"
    assert record["blocks"] >= 300


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--key", "00"), "2 hexadecimal digits"),
        (("--key", "zz" * 16, "--iv", "00" * 16), "not hexadecimal"),
        (("--key", "00" * 16), "needs an iv"),
        (("--key", "00" * 16, "--mode", "cbc"), "unknown mode 'cbc'"),
        (("--key", "00" * 16, "--iv", "00" * 16, "--copy", "mmx"), "unknown transfer variant"),
        (("--key", "00" * 16, "--iv", "00" * 16, "--bus", "pci"), "unknown bus"),
        (
            ("--key", "00" * 16, "--iv", "00" * 16, "--address", "uio:/none"),
            "cannot open /none: No such file",
        ),
        (("--key", "00" * 16, "--iv", "00" * 16, "--design", "none"), "unknown design 'none'"),
        (
            ("--key", "00" * 16, "--iv", "00" * 16, "--set", "interface=words"),
            "take a design with interface=block",
        ),
        (
            ("--key", "00" * 16, "--iv", "00" * 16, "--set", "key_sbox=none"),
            "gives its core keys, not round keys",
        ),
        (
            ("--key", "00" * 16, "--mode", "ecb", "--decrypt", "--design", "pilchard-unrolled-1"),
            "only encrypts",
        ),
        (("--key", "00" * 24, "--iv", "00" * 16, "--design", "pilchard-unrolled-1"), "takes 32 "),
    ],
)
def test_bad_command_is_one_line(
    aesfab: Cli, tmp_path: Path, arguments: tuple[str, ...], reason: str
) -> None:
    (tmp_path / "in").write_bytes(bytes(16))
    ran = aesfab("host", "run", "in", "out", *arguments)
    assert ran.returncode in (1, 2)
    assert ran.stderr.count("\n") == 1
    assert reason in ran.stderr


@pytest.mark.parametrize(
    ("given", "made", "reason"),
    [
        ("none", "out", "cannot read none: No such file"),
        (".", "out", "cannot read .: it is a folder"),
        ("in", "none/out", "cannot write none/out: there is no folder none"),
        ("in", ".", "cannot write .: it is a folder"),
        ("in", "in", "the output is the input"),
    ],
)
def test_files_are_refused_before_anything_is_built(
    aesfab: Cli, tmp_path: Path, given: str, made: str, reason: str
) -> None:
    (tmp_path / "in").write_bytes(bytes(16))
    ran = aesfab("host", "run", given, made, "--key", "00" * 16, "--iv", "00" * 16)
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1
    assert reason in ran.stderr


@pytest.mark.parametrize(
    "command", [("soak", "pilchard-unrolled-1", "--blocks", "1000000"), ("soc",)]
)
def test_records_are_refused_before_a_long_run(
    aesfab: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "text").write_text("no record\n")
    for place, reason in ((".", "not a file"), ("text", "not JSON"), ("text/x", "Not a dir")):
        ran = aesfab("host", *command, "--records", place)
        assert ran.returncode == 2
        assert ran.stderr.count("\n") == 1
        assert reason in ran.stderr


def test_generated_folder_stands_alone(aesfab: Cli, tmp_path: Path) -> None:
    ran = aesfab("host", "generate", "pilchard-unrolled-1", "--bus", "wishbone", "-o", "system")
    assert ran.returncode == 0, ran.stderr
    folder = tmp_path / "system"
    (listing,) = folder.glob("*.f")
    listed = [folder / name for name in listing.read_text().split()]
    assert sorted(listed) == sorted((folder / "rtl").iterdir())
    lint = pyslang.driver.Driver()
    lint.addStandardArgs()
    assert lint.parseCommandLine(f"slang -Werror {' '.join(map(str, listed))} --top {listing.stem}")
    assert lint.processOptions()
    assert lint.parseAllSources()
    lint.reportCompilation(lint.createCompilation(), quiet=True)
    assert lint.reportDiagnostics(quiet=True)
    driver_folder = folder / "driver"
    process.run(
        [*driver.compiler(), *driver.C_FLAGS, "-Werror", "-I", driver_folder / "include",
         *sorted(driver_folder.glob("*/*.c")), "-o", tmp_path / "session", "-ldl"],
        what="compiling the driver",
        timeout=120,
    )  # fmt: skip
    again = aesfab("host", "generate", "pilchard-unrolled-1", "-o", "system")
    assert again.returncode == 2
    assert "not empty" in again.stderr
