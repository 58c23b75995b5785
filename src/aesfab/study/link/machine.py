# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a machine is to the model: how its memory types move data, what a transaction costs.

``platform`` reads machines from files, ``model`` computes with them, ``calibration`` finds the
costs of a machine of which only throughputs were measured.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from aesfab.design.design import Design
from aesfab.study.published import Printed

UNCACHEABLE, COMBINING = "uncacheable", "write_combining"
"""The types of memory that a processor may have for a device."""


@dataclasses.dataclass(frozen=True)
class MemoryType:
    """How accesses to a type of memory become transactions on the bus, and what those cost.

    Attributes:
        write_bytes: what one write transaction moves at most: a piece of a store, or a full
            combining buffer.
        read_bytes: what one read transaction moves at most. A read moves what the load asks for, so
            a narrow load moves less.
        write_ns: of a write of one bus word; each further word takes ``Platform.word_ns`` more.
        read_ns: the same of a read.
        buffers: combining buffers of the processor; 0 where nothing is combined.
        waits_for_chunk: reading begins after the last result of the chunk; else each read waits for
            its own block only.
    """

    write_bytes: int
    read_bytes: int
    write_ns: float
    read_ns: float
    buffers: int = 0
    waits_for_chunk: bool = False


@dataclasses.dataclass(frozen=True)
class Stream:
    """A link that moves data both ways at a time; see ``platform`` for the fields."""

    mbit_s: float
    packet_bytes: int
    packet_overhead_bytes: int
    latency_ns: float
    descriptor_bytes: int
    descriptor_ns: float


@dataclasses.dataclass(frozen=True)
class Point:
    """A measured throughput by which the costs of a machine are found.

    Attributes:
        store, memory: the way.
        blocks: the size of the message.
        mbit_s: what was measured.
        printed: the row of a paper that says so, None for a measurement of the user's.
    """

    store: str
    memory: str
    blocks: int
    mbit_s: float
    printed: Printed | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Platform:
    """A host, a link and a core; each is its own, so that what was computed for it can be kept.

    Attributes:
        name: of its file.
        title: for people.
        why: where its numbers are from.
        design: the core; ``core_mhz`` is its clock.
        core_name: the name of the core in the catalogue.
        capacity: blocks that may be on their way at a time.
        setup_ns: of one call of the driver.
        word_bytes: width of the bus.
        word_ns: clock period of the bus, in which it moves a word.
        stores: name of a way to store to the bytes of one store; empty for a stream.
        memory: memory type by name (``UNCACHEABLE``, ``COMBINING``); empty for a stream.
        stream: the stream, None where a processor moves the data.
        points: what the costs of ``memory`` were found by; empty where they are given.
    """

    name: str
    title: str
    why: str
    design: Design
    core_name: str
    core_mhz: float
    capacity: int
    setup_ns: float
    word_bytes: int
    word_ns: float
    stores: Mapping[str, int]
    memory: Mapping[str, MemoryType]
    stream: Stream | None
    points: tuple[Point, ...] = ()

    def ways(self) -> list[tuple[str, str]]:
        """How data can be moved: (store, memory type); a stream has one, ``("dma", "stream")``."""
        if self.stream is not None:
            return [("dma", "stream")]
        return [(store, kind) for kind in self.memory for store in self.stores]
