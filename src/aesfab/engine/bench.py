# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Engines as programs: what goes through the pins of the simulated RTL; the verdict on packets."""

from __future__ import annotations

import ctypes
import dataclasses
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from aesfab.eda import simulate
from aesfab.eda.simulate import CoreError, Progress, silent
from aesfab.engine import hdl
from aesfab.engine.catalogue import NamedEngine
from aesfab.engine.family import AnyEngine, Entry
from aesfab.engine.packets import (
    EVENT_BYTES,
    STEP_BYTES,
    Error,
    Event,
    GivenKey,
    Kind,
    Result,
    events,
    give,
)
from aesfab.system import shipped

_PROGRAM = shipped.PACKAGE / "engine" / "bench" / "engine.cpp"
N = TypeVar("N", bound=Entry[Any])
_OPTIONS = struct.Struct("<12I")


@dataclasses.dataclass(frozen=True)
class Pace:
    """How the streams go on: of 256, the chance that one does not in a clock.

    Attributes:
        keys: keys.
        descriptors: descriptors.
        beats: beats.
        results: results.
        seed: of the chances, and of state without a reset value.
        resets: while packets are under way, after each of which everything begins again.
        late: a beat is not offered before nothing has happened for as many clocks.
    """

    keys: int = 0
    descriptors: int = 0
    beats: int = 0
    results: int = 0
    seed: int = 1
    resets: int = 0
    late: int = 0


READY = Pace()
"""All streams go on in every clock."""


def seldom(engine: AnyEngine, seed: int) -> Pace:
    """A pace at which each beat meets an engine at rest, at any clock of its core's turn."""
    return Pace(beats=255, seed=seed, late=5 * engine.core.design.latency())


@dataclasses.dataclass(frozen=True)
class AnyModel(Generic[N]):
    """An engine that can be run.

    Attributes:
        named: the engine.
        library: the simulation.
    """

    named: N
    library: Path

    def run(self, steps: bytes, pace: Pace = READY, probe: bytes = b"") -> list[Event]:
        """What happens at the pins.

        Args:
            steps: records of keys, descriptors and beats, in the order of each stream.
            pace: how the streams go on.
            probe: records of a packet, for a pace with resets: after each of them some of it come
                on slots that had a key, and have to end with the error of a slot without one.

        Raises:
            CoreError: a result falls or changes before it is taken, comes without a descriptor,
                nothing happens any more, a reset meets no packet, or a key is there after it.
        """
        if pace.resets and not probe:
            raise ValueError("a pace with resets needs a packet that follows them")
        engine = self.named.engine
        library = ctypes.CDLL(str(self.library))
        library.aesfab_engine_free.argtypes = [ctypes.c_void_p]
        latency = engine.core.design.latency()
        options = _OPTIONS.pack(
            pace.seed,
            pace.keys,
            pace.descriptors,
            pace.beats,
            pace.results,
            20 * latency + 5000,
            pace.resets,
            (1 << engine.stream_bits) - 1,
            pace.late,
            engine.num_slots,
            engine.last_key_user,
            latency,
        )
        found, error = ctypes.c_void_p(), ctypes.c_void_p()
        count = ctypes.c_size_t()
        library.aesfab_engine_run(
            steps,
            ctypes.c_size_t(len(steps) // STEP_BYTES),
            probe,
            ctypes.c_size_t(len(probe) // STEP_BYTES),
            options,
            ctypes.byref(found),
            ctypes.byref(count),
            ctypes.byref(error),
        )
        try:
            said = ctypes.string_at(error.value or 0).decode()
            raw = ctypes.string_at(found.value or 0, count.value * EVENT_BYTES)
        finally:
            library.aesfab_engine_free(found)
            library.aesfab_engine_free(error)
        if said:
            raise CoreError(said)
        return list(events(raw))


Model: TypeAlias = AnyModel[NamedEngine]
"""An engine of packets that can be run."""


def build(
    named: N, *, changed: Mapping[str, str] | None = None, progress: Progress = silent
) -> AnyModel[N]:
    """The runnable model of an engine, from the cache or built now (``simulate.build_library``).

    Args:
        named: the engine.
        changed: see ``hdl.wrapper``.
        progress: told of each step.
    """
    return of_sources(named, hdl.sources(named, changed), progress=progress)


def of_sources(named: N, sources: Sequence[Path], *, progress: Progress = silent) -> AnyModel[N]:
    """The runnable model of an engine of other files than its own, for tests of the bench."""
    return AnyModel(
        named, simulate.build_library(sources, named.module, _PROGRAM, progress=progress)
    )


def results(found: Iterable[Event]) -> list[Result]:
    """The packets that came out, in their order.

    Raises CoreError for beats that no packet has: a partial one before the last, ok with an error.
    """
    packets, text = [], bytearray()
    for event in found:
        if event.kind is not Kind.RESULT:
            continue
        length = event.keep.bit_count()
        if event.keep != (1 << length) - 1 or length == 0:
            raise CoreError(f"tkeep of a result is {event.keep:#06x}, in clock {event.clock}")
        if any(event.data[length:]):
            raise CoreError(f"bytes that do not count are not zero, in clock {event.clock}")
        last, ok, error = event.user & 1, event.user >> 1 & 1, Error(event.user >> 2 & 15)
        if last != event.last or (not last and event.user) or (last and ok != (error == 0)):
            raise CoreError(f"tuser of a result is {event.user:#x}, in clock {event.clock}")
        if not last:
            if len(text) % 16:
                raise CoreError(f"text goes on after a partial beat, in clock {event.clock}")
            text += event.data[:length]
            continue
        packets.append(Result(bytes(text), event.data[:length], error))
        text = bytearray()
    return packets


class AnyPacket(Protocol):
    """A packet of an engine that gives tags, see ``packets.Packet``."""

    @property
    def slot(self) -> int:
        """Of its key."""

    @property
    def text(self) -> bytes:
        """What goes in."""

    @property
    def aad(self) -> bytes:
        """What is not encrypted."""

    @property
    def said(self) -> str:
        """What it is, in words."""

    def expected(self, key: bytes | None, most_held: int | None = None) -> Result:
        """What an engine has to give."""


def differences(
    named: Entry[Any],
    packets: Sequence[AnyPacket],
    keys: Sequence[GivenKey],
    found: Sequence[Event],
) -> list[str]:
    """What is wrong with the results of packets, a line for each packet that is.

    Args:
        named: the engine.
        packets: what went in, all of them as a packet may be.
        keys: those that went in; which of them a packet finds follows from the clock in which its
            descriptor was taken.
        found: what the bench saw.
    """
    came = results(found)
    taken = [event.keys for event in found if event.kind is Kind.DESCRIPTOR]
    wrong = []
    slots: dict[int, bytes] = {}
    done = 0
    for number, (packet, count) in enumerate(zip(packets, taken, strict=True)):
        give(slots, keys[done:count])
        done = count
        expected = packet.expected(slots.get(packet.slot), named.engine.most_held)
        got = came[number]
        if got != expected:
            wrong.append(
                f"packet {number} ({packet.said}, AAD of {len(packet.aad)}, text of "
                f"{len(packet.text)} bytes): {_short(got)} instead of {_short(expected)}"
            )
    return wrong


def _short(result: Result) -> str:
    return f"text {result.text[:8].hex()}, tag {result.tag.hex()}, {result.error.name}"
