# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What runs inside the simulator: cocotb benches of the host system, with cocotbext-axi as master.

Loaded by test_host_cocotb.py, which builds one simulation for each bus. Every bench draws from the
seed of cocotb, pauses its channels at random, and judges what it reads by OpenSSL.
"""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import (
    AxiBurstType,
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)

from aesfab.verify import oracle

ID, INFO, CONTROL, STATUS, ERRORS, IN_LEVEL, OUT_LEVEL = 0, 8, 0x10, 0x18, 0x20, 0x28, 0x30
IRQ_ENABLE, IRQ_STATUS, IN_MARK, OUT_MARK, KEY, DATA = 0x38, 0x40, 0x48, 0x50, 0x80, 0x2000
SET, LOAD_KEY, DECRYPT, ERASE = 1, 2, 4, 0x100
ERASING, KEYED, SETTING = 1, 2, 4
OVERFLOW, UNDERFLOW, BAD_SETTING, ILLEGAL = 1, 2, 4, 8
DEPTH = 16


async def start(dut: Any) -> None:
    """Clock and reset."""
    Clock(dut.clk_i, 10, "ns").start()
    await reset(dut)


async def reset(dut: Any) -> None:
    """A reset of two clocks."""
    dut.rst_ni.value = 0
    await ClockCycles(dut.clk_i, 2)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)


def pauses(rng: random.Random, share: float) -> Any:
    """Endless random pauses for a channel."""
    while True:
        yield rng.random() < share


class Host:
    """Registers and blocks over any AXI master."""

    def __init__(self, dut: Any, master: Any) -> None:
        self.dut, self.master = dut, master

    def pause(self, rng: random.Random, share: float) -> None:
        """Random pauses on every channel of the bus."""
        write, read = self.master.write_if, self.master.read_if
        for channel in (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel,
                        read.r_channel):  # fmt: skip
            channel.set_pause_generator(pauses(rng, share))

    async def get(self, address: int) -> int:
        """A register; the read must succeed."""
        answer = await self.master.read(address, 4)
        assert answer.resp == AxiResp.OKAY, hex(address)
        return int.from_bytes(answer.data, "little")

    async def put(self, address: int, value: int) -> AxiResp:
        """Write a register."""
        answer = await self.master.write(address, value.to_bytes(4, "little"))
        return AxiResp(answer.resp)

    async def ready(self) -> None:
        """Wait for the end of an erasure."""
        while await self.get(STATUS) & ERASING:
            pass

    async def key(self, key: bytes, decrypt: bool = False) -> None:
        """A setting with a key; what is refused fails."""
        answer = await self.master.write(KEY, key)
        assert answer.resp == AxiResp.OKAY
        length = (len(key) - 16) // 8
        await self.set(LOAD_KEY | length << 4, decrypt)

    async def set(self, bits: int, decrypt: bool) -> None:
        """A setting."""
        assert await self.put(CONTROL, SET | bits | DECRYPT * decrypt) == AxiResp.OKAY


def make(dut: Any) -> Host:
    """The master of the bus that the top module has."""
    if hasattr(dut, "s_axi_awlen"):
        bus = AxiBus.from_prefix(dut, "s_axi")
        return Host(dut, AxiMaster(bus, dut.clk_i, dut.rst_ni, reset_active_level=False))
    lite = AxiLiteBus.from_prefix(dut, "s_axi")
    return Host(dut, AxiLiteMaster(lite, dut.clk_i, dut.rst_ni, reset_active_level=False))


@cocotb.test()
async def blocks_under_changing_keys(dut: Any) -> None:
    """Writer and reader at once, random pieces, keys changed without waiting, channels paused."""
    rng = random.Random(cocotb.RANDOM_SEED)
    await start(dut)
    if hasattr(dut, "s_axis_tvalid"):
        return
    host = make(dut)
    await host.ready()
    is_axi4 = hasattr(dut, "s_axi_awlen")
    wanted = bytearray()
    total = 150
    progress = {"written": 0, "read": 0}

    async def write() -> None:
        key = rng.randbytes(rng.choice([16, 24, 32]))
        decrypt = False
        await host.key(key)
        while progress["written"] < total:
            if rng.random() < 0.3:
                decrypt = rng.random() < 0.5
                if rng.random() < 0.6:
                    key = rng.randbytes(rng.choice([16, 24, 32]))
                    await host.key(key, decrypt)
                else:
                    await host.set(0, decrypt)
            count = min(rng.randint(1, 12), total - progress["written"])
            data = rng.randbytes(16 * count)
            wanted.extend(oracle.ecb(key, data, decrypt=decrypt))
            # Never more than the buffers hold, so that nothing may be refused.
            while progress["written"] + count - progress["read"] > 2 * DEPTH:
                await ClockCycles(dut.clk_i, 10)
            address = DATA + 16 * rng.randint(0, 100)
            done = 0
            while done < len(data):
                # Pieces of any length; bursts of any size on AXI4.
                piece = data[done : done + rng.choice([4, 8, 16, 48, len(data)])]
                more = {"size": rng.randint(0, 2)} if is_axi4 and rng.random() < 0.3 else {}
                answer = await host.master.write(address + done, piece, **more)
                assert answer.resp == AxiResp.OKAY
                done += len(piece)
            progress["written"] += count

    async def read() -> bytes:
        got = bytearray()
        while progress["read"] < total:
            level = await host.get(OUT_LEVEL)
            waiting = progress["written"] - progress["read"]
            # More than the level says, as long as it will come: the bus waits for it.
            count = min(rng.randint(1, 10), max(level, waiting))
            if count == 0:
                continue
            address = DATA + 16 * rng.randint(0, 100)
            more = {"size": rng.randint(0, 2)} if is_axi4 and rng.random() < 0.3 else {}
            answer = await host.master.read(address, 16 * count, **more)
            assert answer.resp == AxiResp.OKAY
            got.extend(answer.data)
            progress["read"] += count
        return bytes(got)

    host.pause(rng, 0.3)
    writer = cocotb.start_soon(write())
    got = await with_timeout(read(), 20, "ms")
    await writer
    assert got == bytes(wanted)
    assert await host.get(ERRORS) == 0
    assert await host.get(STATUS) & 0xFF == KEYED | 0x10 | 0x40


@cocotb.test()
async def what_is_wrong_is_refused(dut: Any) -> None:
    """Illegal addresses, partial registers, no key, bad settings, too many blocks, none to read."""
    rng = random.Random(cocotb.RANDOM_SEED)
    await start(dut)
    host = make(dut)

    async def errors() -> int:
        value = await host.get(ERRORS)
        assert await host.put(ERRORS, value) == AxiResp.OKAY
        assert await host.get(ERRORS) == 0
        return value

    stream = hasattr(dut, "s_axis_tvalid")
    assert (await host.master.write(DATA, bytes(16))).resp == AxiResp.SLVERR, "while erasing"
    assert (await host.master.read(DATA, 16)).resp == AxiResp.SLVERR
    assert await errors() == ILLEGAL
    await host.ready()
    assert await host.get(ID) == int.from_bytes(b"AESF", "little")
    for address in (0x58, 0x60, 0x78, 0xA0, 0x100, 0x800, 0xFFC, 0x1000, 0x1FFC):
        assert (await host.master.read(address, 4)).resp == AxiResp.SLVERR, hex(address)
        assert await host.put(address, 1) == AxiResp.SLVERR, hex(address)
    for address in (ID, INFO, STATUS, IN_LEVEL, OUT_LEVEL, IRQ_STATUS):
        assert await host.put(address, 1) == AxiResp.SLVERR, "read only"
    assert await errors() == ILLEGAL
    assert (await host.master.write(IN_MARK, b"\5")).resp == AxiResp.SLVERR, "part of a register"
    assert await host.get(IN_MARK) == 0
    assert await errors() == ILLEGAL
    assert await host.put(CONTROL, SET) == AxiResp.SLVERR, "a setting without any key"
    assert await host.put(CONTROL, SET | LOAD_KEY | 3 << 4) == AxiResp.SLVERR, "no such length"
    assert await errors() == BAD_SETTING
    if stream:
        return
    assert (await host.master.write(DATA, bytes(16))).resp == AxiResp.SLVERR, "no key"
    assert await errors() == BAD_SETTING
    key = rng.randbytes(16)
    await host.key(key)
    assert (await host.master.read(DATA, 16)).resp == AxiResp.SLVERR, "no block"
    assert await errors() == UNDERFLOW
    # Both buffers full: then a block is refused, nothing hangs, and nothing that is there is lost.
    data = rng.randbytes(16 * 2 * DEPTH)
    assert (await with_timeout(host.master.write(DATA, data), 2, "ms")).resp == AxiResp.OKAY
    refused = await with_timeout(host.master.write(DATA, bytes(16)), 2, "ms")
    assert refused.resp == AxiResp.SLVERR
    assert await errors() == OVERFLOW
    # A setting waits behind the blocks, the next one has no way to go on.
    await host.set(0, False)
    assert await host.put(CONTROL, SET) == AxiResp.SLVERR
    assert await errors() == BAD_SETTING
    answer = await with_timeout(host.master.read(DATA, len(data)), 2, "ms")
    assert answer.resp == AxiResp.OKAY
    assert answer.data == oracle.ecb(key, data)
    assert await errors() == 0


@cocotb.test()
async def levels_and_interrupts(dut: Any) -> None:
    """Each condition raises the line when it is enabled and holds, and only then."""
    rng = random.Random(cocotb.RANDOM_SEED)
    await start(dut)
    host = make(dut)
    await host.ready()
    if hasattr(dut, "s_axis_tvalid"):
        return
    key = rng.randbytes(16)
    await host.key(key)
    await host.put(OUT_MARK, 3)
    await host.put(IRQ_ENABLE, 1)
    data = rng.randbytes(16 * 3)
    await host.master.write(DATA, data[:32])
    await ClockCycles(dut.clk_i, 100)
    assert await host.get(OUT_LEVEL) == 2
    assert dut.irq_o.value == 0
    await host.master.write(DATA, data[32:])
    await with_timeout(RisingEdge(dut.irq_o), 10, "us")
    assert await host.get(IRQ_STATUS) & 1
    assert (await host.master.read(DATA, 48)).data == oracle.ecb(key, data)
    await ClockCycles(dut.clk_i, 2)
    assert dut.irq_o.value == 0
    for condition in (2, 4):  # room at the input, idle
        await host.put(IRQ_ENABLE, condition)
        await ClockCycles(dut.clk_i, 2)
        assert dut.irq_o.value == 1, condition
    await host.put(IRQ_ENABLE, 8)
    await ClockCycles(dut.clk_i, 2)
    assert dut.irq_o.value == 0
    await host.master.read(DATA, 16)
    await ClockCycles(dut.clk_i, 2)
    assert dut.irq_o.value == 1, "an error"
    await host.put(ERRORS, 0xF)
    await ClockCycles(dut.clk_i, 2)
    assert dut.irq_o.value == 0


@cocotb.test()
async def resets_and_erasures_in_the_middle(dut: Any) -> None:
    """Whatever is under way: afterwards no key, no block, and a device that works."""
    rng = random.Random(cocotb.RANDOM_SEED)
    await start(dut)
    host = make(dut)
    if hasattr(dut, "s_axis_tvalid"):
        return
    for turn in range(10):
        await host.ready()
        key = rng.randbytes(rng.choice([16, 24, 32]))
        await host.key(key)
        cut = turn % 2 == 0
        writing = cocotb.start_soon(host.master.write(DATA, rng.randbytes(16 * 20)))
        await ClockCycles(dut.clk_i, rng.randint(1, 200))
        if cut:
            await reset(dut)
        else:
            await writing
            await host.key(rng.randbytes(32))
            assert await host.put(CONTROL, ERASE) == AxiResp.OKAY
        await host.ready()
        assert await host.get(STATUS) & (KEYED | SETTING) == 0
        assert await host.get(IN_LEVEL) == 0
        assert await host.get(OUT_LEVEL) == 0
        assert (await host.master.write(DATA, bytes(16))).resp == AxiResp.SLVERR
        await host.put(ERRORS, 0xF)
        key, data = rng.randbytes(24), rng.randbytes(16 * 9)
        await host.key(key)
        await host.master.write(DATA, data)
        assert (await host.master.read(DATA, len(data))).data == oracle.ecb(key, data)
        assert await host.get(ERRORS) == 0


@cocotb.test()
async def bursts_of_every_type(dut: Any) -> None:
    """Fixed and wrapping bursts on AXI4, against what the block window makes of them."""
    rng = random.Random(cocotb.RANDOM_SEED)
    await start(dut)
    if not hasattr(dut, "s_axi_awlen"):
        return
    host = make(dut)
    await host.ready()
    key = rng.randbytes(16)
    await host.key(key)
    width = len(dut.s_axi_wdata) // 8
    # A wrapping burst that begins in the middle of the window writes the same blocks, turned.
    beats = 4 * 16 // width
    if beats in (2, 4, 8, 16):
        data = rng.randbytes(64)
        await host.master.write(DATA + 32, data, burst=AxiBurstType.WRAP)
        got = (await host.master.read(DATA, 64)).data
        assert got == oracle.ecb(key, data)
    if width == 16:
        data = rng.randbytes(16)
        await host.master.write(DATA, data, burst=AxiBurstType.FIXED)
        got = (await host.master.read(DATA, 16, burst=AxiBurstType.FIXED)).data
        assert got == oracle.ecb(key, data)


@cocotb.test()
async def streams(dut: Any) -> None:
    """Packets through the stream ports, both sides paused, keys and credits while they run."""
    rng = random.Random(cocotb.RANDOM_SEED)
    await start(dut)
    if not hasattr(dut, "s_axis_tvalid"):
        return
    host = make(dut)
    source = AxiStreamSource(
        AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk_i, dut.rst_ni, reset_active_level=False
    )
    sink = AxiStreamSink(
        AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk_i, dut.rst_ni, reset_active_level=False
    )
    await host.ready()
    assert int(dut.in_credit_o.value) == 0, "nothing is taken without a key"
    for turn in range(6):
        key = rng.randbytes(rng.choice([16, 24, 32]))
        await host.key(key)
        source.set_pause_generator(pauses(rng, rng.choice([0, 0.5])))
        sink.set_pause_generator(pauses(rng, rng.choice([0, 0.7, 0.97])))
        packets = [rng.randbytes(16 * rng.randint(1, 3 * DEPTH)) for _ in range(4)]
        for packet in packets:
            await source.send(AxiStreamFrame(packet))
        for packet in packets:
            frame = await with_timeout(sink.recv(), 5, "ms")
            assert bytes(frame.tdata) == oracle.ecb(key, packet), turn
    # The sink stands still: then credits fall to zero, and what was taken is not lost.
    await host.key(key := rng.randbytes(16))
    sink.set_pause_generator(pauses(rng, 1.0))
    source.clear_pause_generator()
    packet = rng.randbytes(16 * 3 * DEPTH)
    await source.send(AxiStreamFrame(packet))
    await ClockCycles(dut.clk_i, 2000)
    assert int(dut.in_credit_o.value) == 0
    assert int(dut.out_level_o.value) == DEPTH
    assert int(dut.s_axis_tready.value) == 0
    sink.set_pause_generator(pauses(rng, 0.1))
    frame = await with_timeout(sink.recv(), 5, "ms")
    assert bytes(frame.tdata) == oracle.ecb(key, packet)
    assert await host.get(ERRORS) == 0
