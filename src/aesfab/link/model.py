# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The time that a message takes from memory through the core and back.

A processor moves a message as pilchard section 7 does: it writes blocks until the input buffer
holds as many as the buffers take, reads as many results, and begins again. The core works while
that goes on. Stores and loads become bus transactions by the type of memory:

- *uncacheable*: each access by itself and in order, cut into words of the bus;
- *write-combining*: stores gather in combining buffers. A full one leaves as one burst; a part
  leaves, word by word, when its buffer is needed for another line or at the fence at the end of the
  chunk. A load brings a whole line, and loads from the same line cost nothing more. Because such
  loads may run ahead, reading begins only after the last result of the chunk is there (section 6).

A stream moves both ways at the same time, in descriptors and packets.

The bus does one transaction at a time. Not in the model: instructions between accesses, caches and
the memory that holds the message, refresh, other masters, interrupts.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import math
from collections.abc import Iterator

from aesfab.errors import AesfabError
from aesfab.link.platform import MemoryType, Platform, Stream

BLOCK = 16
"""Bytes of an AES block."""


@dataclasses.dataclass(frozen=True)
class Transfer:
    """What moving a message cost.

    Attributes:
        blocks: of the message.
        total_ns: from the first store to the last load.
        bus_ns: of that, with a transaction on the bus.
        wait_ns: of that, waiting for the core.
        transactions: number of bus transactions (packets of a stream, both ways).
    """

    blocks: int
    total_ns: float
    bus_ns: float
    wait_ns: float
    transactions: int

    @property
    def mbit_s(self) -> float:
        """Payload bits through the core by time."""
        return 8000.0 * BLOCK * self.blocks / self.total_ns


class Combining:
    """The combining buffers of a processor: stores in, transactions out.

    A transaction is (first byte, bytes, ns). ``word_ns`` is what a part of a line costs for each
    bus word.
    """

    def __init__(self, memory: MemoryType, word_bytes: int, word_ns: float) -> None:
        self.memory, self.word_bytes, self.word_ns = memory, word_bytes, word_ns
        self.open: collections.OrderedDict[int, set[int]] = collections.OrderedDict()

    def store(self, address: int, size: int) -> Iterator[tuple[int, int, float]]:
        """A store; yields the transactions that it causes."""
        unit, end = self.memory.unit_bytes, address + size
        for line in range(address // unit, (end - 1) // unit + 1):
            if line not in self.open:
                if len(self.open) == self.memory.buffers:
                    yield from self._evict(next(iter(self.open)))
                self.open[line] = set()
            self.open[line].update(range(max(address, line * unit), min(end, (line + 1) * unit)))
            if len(self.open[line]) == unit:
                del self.open[line]
                yield line * unit, unit, self.memory.write_ns

    def fence(self) -> Iterator[tuple[int, int, float]]:
        """Everything leaves, oldest first."""
        for line in list(self.open):
            yield from self._evict(line)

    def _evict(self, line: int) -> Iterator[tuple[int, int, float]]:
        held = self.open.pop(line)
        words = collections.Counter(byte // self.word_bytes for byte in held)
        for word, size in sorted(words.items()):
            yield word * self.word_bytes, size, self.word_ns


@functools.lru_cache(4096)
def transfer(platform: Platform, store: str, memory: str, blocks: int) -> Transfer:
    """The time of a message.

    Args:
        platform: the machine.
        store: the way to store, one of ``platform.stores``; loads are of the same width.
        memory: the type of memory, one of ``platform.memory``; see ``Platform.ways``.
        blocks: length of the message in blocks.

    Raises:
        AesfabError: a way that the platform does not have, or no block.
    """
    if blocks < 1:
        raise AesfabError("a message has at least one block")
    if (store, memory) not in platform.ways():
        known = ", ".join("+".join(way) for way in platform.ways())
        raise AesfabError(f"{platform.name} does not move data by {store}+{memory}; known: {known}")
    if platform.stream is not None:
        return _stream(platform, platform.stream, blocks)
    return _programmed(platform, platform.stores[store], memory, blocks)


class _Core:
    """When results leave: a block that arrives starts with the next clock in which it may."""

    def __init__(self, platform: Platform) -> None:
        self.clock_ns = 1000.0 / platform.core_mhz
        self.latency_ns = platform.design.latency() * self.clock_ns
        self.interval_ns = float(platform.design.interval()) * self.clock_ns
        self.free_ns = 0.0

    def result_ns(self, arrival_ns: float) -> float:
        clocks = math.ceil(arrival_ns / self.clock_ns - 1e-9)
        start = max(clocks * self.clock_ns, self.free_ns)
        self.free_ns = start + self.interval_ns
        return start + self.latency_ns


def _stores(
    platform: Platform, access: int, memory: MemoryType, size: int
) -> Iterator[tuple[int, int, float]]:
    """The bus transactions (first byte, bytes, ns) that write ``size`` bytes in order."""
    single = platform.memory["uncacheable"]
    buffers = Combining(memory, single.unit_bytes, single.write_ns)
    for address in range(0, size, access):
        length = min(access, size - address)
        if memory.buffers:
            yield from buffers.store(address, length)
            continue
        for word in range(address, address + length, single.unit_bytes):
            yield word, min(single.unit_bytes, address + length - word), single.write_ns
    yield from buffers.fence()


def _loads(access: int, memory: MemoryType, size: int) -> Iterator[tuple[int, int, float]]:
    """The same for reading: a load brings a line, or its words come one by one."""
    unit = memory.unit_bytes if memory.buffers else min(access, memory.unit_bytes)
    for address in range(0, size, unit):
        yield address, min(unit, size - address), memory.read_ns


def _programmed(platform: Platform, access: int, kind: str, blocks: int) -> Transfer:
    memory = platform.memory[kind]
    core = _Core(platform)
    now, bus, wait, transactions = platform.setup_ns, 0.0, 0.0, 0
    for first in range(0, blocks, platform.capacity):
        size = BLOCK * min(platform.capacity, blocks - first)
        arrived: collections.Counter[int] = collections.Counter()
        results: list[float] = []
        for start, length, cost in _stores(platform, access, memory, size):
            now, bus, transactions = now + cost, bus + cost, transactions + 1
            end = start + length
            for block in range(start // BLOCK, (end - 1) // BLOCK + 1):
                arrived[block] += min(end, (block + 1) * BLOCK) - max(start, block * BLOCK)
                if arrived[block] == BLOCK:
                    results.append(core.result_ns(now))
        for start, length, cost in _loads(access, memory, size):
            # Where loads run ahead, the last result must be there before the first load.
            ready = results[-1 if memory.buffers else (start + length - 1) // BLOCK]
            if ready > now:
                wait, now = wait + ready - now, ready
            now, bus, transactions = now + cost, bus + cost, transactions + 1
    return Transfer(blocks, now, bus, wait, transactions)


def _stream(platform: Platform, stream: Stream, blocks: int) -> Transfer:
    core = _Core(platform)
    there = platform.setup_ns
    back = 0.0
    bus = wait = 0.0
    packets = 0
    size = BLOCK * blocks
    for first in range(0, size, stream.packet_bytes):
        length = min(stream.packet_bytes, size - first)
        if first % stream.descriptor_bytes < stream.packet_bytes:
            there += stream.descriptor_ns
        # A short packet carries its payload and the whole overhead.
        cost = 8000.0 * (length + stream.packet_overhead_bytes) / stream.mbit_s
        there += cost
        arrival = there + stream.latency_ns
        last = 0.0
        for _ in range(math.ceil(length / BLOCK)):
            last = core.result_ns(arrival)
        # Results leave in packets of the same size, when the way back is free.
        wait += max(0.0, last - max(back, arrival))
        back = max(back, last) + cost
        bus += cost
        packets += 2
    return Transfer(blocks, back + stream.latency_ns, bus, wait, packets)
