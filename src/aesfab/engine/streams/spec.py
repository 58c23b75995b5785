# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a stream engine is: a core of the family and a value on each axis of its own; what follows.

It takes messages of many streams: a descriptor each, beats of 128 bits with the number of their
stream, results with the same. The RTL is ``rtl/engine/aes_engine_streams*``; ``docs/engines.md``
is its theory of operation.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from fractions import Fraction

from aesfab.design.axes import Direction, KeySchedule
from aesfab.design.ports import Field
from aesfab.engine.family import AnyEngine, Rules, Slots
from aesfab.engine.packets import Error


class Modes(enum.Enum):
    """Modes of operation that a stream engine has."""

    CBC = "cbc"
    """CBC, encryption."""
    CHAINED = "chained"
    """CBC encryption, CFB128 and OFB in both directions, CMAC."""


class Streams(enum.Enum):
    """Streams that an engine serves."""

    S4 = "4"
    S8 = "8"
    S16 = "16"
    S32 = "32"
    S64 = "64"
    S128 = "128"


AXES: dict[str, type[enum.Enum]] = {"modes": Modes, "streams": Streams, "slots": Slots}
"""The axes of a stream engine by name; those of its core are set by the same option."""

_SPACED, _LATENCIES = 6, range(11, 251)
DESCRIPTOR_CLOCKS = 3
"""Clocks from a descriptor to the next one, at least."""


@dataclasses.dataclass(frozen=True)
class Engine(AnyEngine):
    """A stream engine. Fields are its axes, see ``AnyEngine``."""

    AXES = AXES
    MODULE = "aes_engine_streams"
    UNIT = "message"
    DESCRIPTOR_BITS = 144

    modes: Modes = Modes.CBC
    streams: Streams = Streams.S64

    def rules(self) -> Rules:
        """See ``AnyEngine``."""
        design = self.core.design
        interval, latency = design.interval(), design.latency()
        return [
            (
                design.key_schedule is not KeySchedule.ON_THE_FLY,
                "the next block of a stream engine has another key, and this core stores one; "
                "choose a core with key_schedule=on-the-fly",
            ),
            (
                design.direction is not Direction.ENCRYPT,
                "a stream engine encrypts blocks (no core with keys on the fly has both "
                "directions); choose a core with direction=encrypt",
            ),
            (
                interval != 1 and interval < _SPACED,
                f"a stream engine gives its core a block in each clock, or one in {_SPACED} at "
                "most; choose a pipelined, interleaved or iterative core of one round a clock",
            ),
            (
                latency not in _LATENCIES,
                f"the latency of the core is {latency} clocks, and a stream engine takes "
                f"{_LATENCIES.start} to {_LATENCIES.stop - 1}; choose another core, for example "
                "fab-interleaved-ram",
            ),
        ]

    def parameters(self) -> dict[str, str]:
        """See ``AnyEngine``."""
        return {
            "Chained": f"1'b{int(self.chained)}",
            "NumStreams": str(self.num_streams),
            "NumSlots": str(self.num_slots),
            "Spaced": f"1'b{int(self.spaced)}",
        }

    # ---------------------------------------------------- channels

    @property
    def result(self) -> str:
        """See ``AnyEngine``."""
        return "text, or the tag of CMAC" if self.chained else "text"

    @property
    def errors(self) -> dict[Error, str]:
        """See ``AnyEngine``."""
        beat = "a beat that the message cannot have there"
        return {Error.MODE: "mode", Error.SLOT: "slot", Error.BEAT: beat}

    def key_fields(self) -> tuple[Field, ...]:
        """See ``AnyEngine``."""
        return self.key_fields_with(Field(9, 8, "ignored"))

    def descriptor_fields(self) -> tuple[Field, ...]:
        """See ``AnyEngine``."""
        more = ", 4 CFB128, 5 OFB, 6 CMAC" if self.chained else ""
        ways = "decryption, of CFB128 and OFB" if self.chained else "decryption: 0 alone"
        return (
            Field(127, 0, "IV, its first byte lowest"),
            Field(130, 128, f"mode: 3 CBC (encryption){more}"),
            Field(131, 131, ways),
            Field(143, 136, "slot"),
        )

    # ---------------------------------------------------- what follows from it

    @property
    def chained(self) -> bool:
        """Whether it has CFB128, OFB and CMAC beside CBC."""
        return self.modes is Modes.CHAINED

    @property
    def num_streams(self) -> int:
        """Streams that it serves."""
        return int(self.streams.value)

    @property
    def stream_bits(self) -> int:
        """Bits of the number of a stream."""
        return (self.num_streams - 1).bit_length()

    @property
    def spaced(self) -> bool:
        """Whether its core takes a block each sixth clock at most, not in each."""
        return self.core.design.interval() != 1

    @property
    def reset_clocks(self) -> int:
        """Clocks from the end of a reset to the first descriptor that is taken.

        All addresses of a slot's number are swept before it, whatever the slots are.
        """
        return 2**8 + 2 + int(self.far or self.spaced)

    @property
    def turn_clocks(self) -> int:
        """Clocks from a block of a stream into the core to the next one, where it is alone."""
        return self.core_latency() + (5 if self.chained or self.spaced else 4)

    @property
    def streams_that_fill(self) -> int:
        """Streams with which a block enters the core each interval."""
        return math.ceil(self.shared_turn_clocks / self.core.design.interval())

    @property
    def shared_turn_clocks(self) -> int:
        """``turn_clocks`` at most where other streams are there, too.

        A block may have to wait until the next place in the loop of an interleaved core comes by.
        """
        return self.turn_clocks + (self.blocks_in_flight - 1 if self.spaced else 0)

    def size_clocks(self, size: int, *, decrypt: bool = False, streams: int = 1) -> Fraction:
        """See ``AnyEngine``; of messages that keep all these streams, or those it has, busy."""
        del decrypt
        alone, shared, interval, served = self.message_costs()
        busy = min(streams, served)
        each = max(interval, Fraction(alone if busy == 1 else shared, busy))
        return max(Fraction(DESCRIPTOR_CLOCKS), each * -(-size // 16))

    def message_costs(self) -> tuple[int, int, Fraction, int]:
        """What ``size_clocks`` follows from.

        Returns:
            ``turn_clocks``, ``shared_turn_clocks``, the interval of the core, streams.
        """
        interval = self.core.design.interval()
        return self.turn_clocks, self.shared_turn_clocks, interval, self.num_streams

    def latency(self, key_bits: int | None = None) -> int:
        """Clocks from a beat to its result, where the engine is idle."""
        return self.core_latency(key_bits) + self._way

    @property
    def _way(self) -> int:
        """Clocks of the engine on the way of a block: to the core, and behind it."""
        listed = 1 if self.num_streams < 16 else 4
        # Where results go over a RAM to a queue of their own, four more.
        behind = 3 if self.spaced else 4 + 4 * int(self.far)
        # The counts of a beat's stream, its taking and its way to the list begin at registers.
        decided = 3 if self.spaced else 0
        return 6 + decided + listed + int(self.chained or self.spaced) + behind + 1

    def interval(self, key_bits: int | None = None) -> Fraction:
        """Clocks from a block to the next one, with streams that fill the core."""
        return self.core.design.interval(key_bits)
