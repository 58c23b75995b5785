# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The time that a message takes from memory through the core and back.

A processor moves a message as pilchard section 7 does: it writes blocks until the input buffer
holds as many as the buffers take, reads as many results, and begins again. The core works while
that goes on. Stores and loads become bus transactions by the type of memory:

- *uncacheable*: each access by itself and in order. It is cut into pieces of what a transaction
  moves at most, which may differ for writes and reads;
- *write-combining*: stores gather in combining buffers. A full one leaves as one burst; a part
  leaves, in uncacheable pieces, when its buffer is needed for another line or at the fence at the
  end of the chunk. A load moves what it asks for. Such loads may run ahead; a machine says whether
  its program therefore begins to read after the last result of the chunk (section 6).

Any other read waits for the result of its own block. A transaction costs what its first bus word
does and a bus clock for each further word. A stream moves both ways at the same time, in
descriptors and packets.

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
from aesfab.study.link.machine import UNCACHEABLE, MemoryType, Platform, Stream

BLOCK = 16
"""Bytes of an AES block."""

LINK, CORE = "link", "core"
"""What can limit a system."""


def limit(link_mbit_s: float, core_mbit_s: float) -> str:
    """What limits a system: the part that alone would be the slower one.

    Args:
        link_mbit_s: the rate with a core that takes no time, see ``link_alone``.
        core_mbit_s: the rate of the core without a host, see ``core_alone``.
    """
    return LINK if link_mbit_s < core_mbit_s else CORE


@dataclasses.dataclass(frozen=True)
class Transfer:
    """What moving a message cost.

    Attributes:
        blocks: of the message.
        total_ns: from the first store to the last load.
        write_ns, read_ns: of that, with writes and with reads on the bus.
        wait_ns: of that, waiting for the core.
        writes, reads: number of bus transactions (of packets, for a stream).
    """

    blocks: int
    total_ns: float
    write_ns: float
    read_ns: float
    wait_ns: float
    writes: int
    reads: int

    @property
    def transactions(self) -> int:
        """Writes and reads."""
        return self.writes + self.reads

    @property
    def mbit_s(self) -> float:
        """Payload bits through the core by time."""
        return 8000.0 * BLOCK * self.blocks / self.total_ns


class Combining:
    """The combining buffers of a processor: stores in, transactions out.

    A transaction is (first byte, bytes). A part of a line leaves in pieces of ``piece_bytes``.
    """

    def __init__(self, memory: MemoryType, piece_bytes: int) -> None:
        self.memory, self.piece_bytes = memory, piece_bytes
        self.open: collections.OrderedDict[int, set[int]] = collections.OrderedDict()

    def store(self, address: int, size: int) -> Iterator[tuple[int, int]]:
        """A store; yields the transactions that it causes."""
        unit, end = self.memory.write_bytes, address + size
        for line in range(address // unit, (end - 1) // unit + 1):
            if line not in self.open:
                if len(self.open) == self.memory.buffers:
                    yield from self._evict(next(iter(self.open)))
                self.open[line] = set()
            self.open[line].update(range(max(address, line * unit), min(end, (line + 1) * unit)))
            if len(self.open[line]) == unit:
                del self.open[line]
                yield line * unit, unit

    def fence(self) -> Iterator[tuple[int, int]]:
        """Everything leaves, oldest first."""
        for line in list(self.open):
            yield from self._evict(line)

    def _evict(self, line: int) -> Iterator[tuple[int, int]]:
        held = self.open.pop(line)
        pieces = collections.Counter(byte // self.piece_bytes for byte in held)
        for piece, size in sorted(pieces.items()):
            yield piece * self.piece_bytes, size


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


@functools.lru_cache(256)
def _free(platform: Platform) -> Platform:
    """The machine with a core that takes no time worth the name."""
    return dataclasses.replace(platform, core_mhz=1e9)


def link_alone(platform: Platform, store: str, memory: str, blocks: int) -> Transfer:
    """A message through a core that takes no time: what the link alone allows."""
    return transfer(_free(platform), store, memory, blocks)


def core_alone(platform: Platform) -> float:
    """Mbit/s of the core without a host."""
    return 128 * platform.core_mhz / float(platform.design.interval())


def asymptote(platform: Platform, store: str, memory: str) -> float:
    """Mbit/s that the throughput of ever longer messages comes to."""
    blocks = 1 << 14 if platform.stream is not None else 8 * platform.capacity
    short, long = (transfer(platform, store, memory, n * blocks).total_ns for n in (1, 2))
    return 8000.0 * BLOCK * blocks / (long - short)


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
    single = platform.memory[UNCACHEABLE]
    buffers = Combining(memory, single.write_bytes)

    def pieces() -> Iterator[tuple[int, int]]:
        for address in range(0, size, access):
            length = min(access, size - address)
            if memory.buffers:
                yield from buffers.store(address, length)
            else:
                yield from _pieces(address, length, memory.write_bytes)
        yield from buffers.fence()

    for start, length in pieces():
        # A part of a combining buffer goes as an uncacheable write does.
        first_ns = (memory if length == memory.write_bytes else single).write_ns
        yield start, length, _cost(platform, first_ns, length)


def _loads(
    platform: Platform, access: int, memory: MemoryType, size: int
) -> Iterator[tuple[int, int, float]]:
    """The same for reading."""
    for address in range(0, size, access):
        for start, length in _pieces(address, min(access, size - address), memory.read_bytes):
            yield start, length, _cost(platform, memory.read_ns, length)


def _pieces(address: int, size: int, most: int) -> Iterator[tuple[int, int]]:
    """An access in pieces of ``most`` bytes."""
    for start in range(address, address + size, most):
        yield start, min(most, address + size - start)


def _cost(platform: Platform, first_ns: float, size: int) -> float:
    """A transaction of ``size`` bytes whose first word takes ``first_ns``."""
    return first_ns + (math.ceil(size / platform.word_bytes) - 1) * platform.word_ns


@dataclasses.dataclass(frozen=True)
class _Chunk:
    """The transactions that move some blocks, which are the same for every chunk of that size.

    Attributes:
        writes: ns of each, and how many blocks are whole with it.
        reads: ns of each, and the last block that it reads.
    """

    writes: tuple[tuple[float, int], ...]
    reads: tuple[tuple[float, int], ...]


@functools.lru_cache(256)
def _chunk(platform: Platform, access: int, kind: str, blocks: int) -> _Chunk:
    memory, size = platform.memory[kind], BLOCK * blocks
    arrived: collections.Counter[int] = collections.Counter()
    writes = []
    for start, length, cost in _stores(platform, access, memory, size):
        end, whole = start + length, 0
        for block in range(start // BLOCK, (end - 1) // BLOCK + 1):
            arrived[block] += min(end, (block + 1) * BLOCK) - max(start, block * BLOCK)
            whole += arrived[block] == BLOCK
        writes.append((cost, whole))
    reads = [
        (cost, (start + length - 1) // BLOCK)
        for start, length, cost in _loads(platform, access, memory, size)
    ]
    return _Chunk(tuple(writes), tuple(reads))


def _programmed(platform: Platform, access: int, kind: str, blocks: int) -> Transfer:
    all_of_it = platform.memory[kind].waits_for_chunk
    core = _Core(platform)
    now, written, read, wait = platform.setup_ns, 0.0, 0.0, 0.0
    writes = reads = 0
    for first in range(0, blocks, platform.capacity):
        chunk = _chunk(platform, access, kind, min(platform.capacity, blocks - first))
        results: list[float] = []
        for cost, whole in chunk.writes:
            now, written = now + cost, written + cost
            results += [core.result_ns(now) for _ in range(whole)]
        for cost, last in chunk.reads:
            ready = results[-1 if all_of_it else last]
            if ready > now:
                wait, now = wait + ready - now, ready
            now, read = now + cost, read + cost
        writes, reads = writes + len(chunk.writes), reads + len(chunk.reads)
    return Transfer(blocks, now, written, read, wait, writes, reads)


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
        packets += 1
    return Transfer(blocks, back + stream.latency_ns, bus, bus, wait, packets, packets)
