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
from typing import Any

from aesfab.design import catalogue
from aesfab.design.catalogue import Named
from aesfab.design.spec import (
    Clear,
    Direction,
    Hardened,
    Interface,
    KeySchedule,
    Port,
    Sbox,
)
from aesfab.engine.spec import KEY_USER_BITS, RESULT_USER_BITS, Slots
from aesfab.errors import AesfabError, unknown


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

DESCRIPTOR_BITS = 144
_SPACED, _LATENCIES = 6, range(10, 251)


@dataclasses.dataclass(frozen=True)
class Engine:
    """A stream engine. Fields are its axes; ``reasons()`` says why one is illegal.

    Attributes:
        core: the core that it is built around, with the axes that were changed.
    """

    core: Named
    modes: Modes = Modes.CBC
    streams: Streams = Streams.S64
    slots: Slots = Slots.S64

    def axes(self) -> dict[str, str]:
        """Axis name to value as the user writes it, the core by its name first."""
        own = {name: str(getattr(self, name).value) for name in AXES}
        return {"core": self.core.name, **own}

    def with_axis(self, name: str, value: str) -> Engine:
        """The engine with one axis changed: its own, its core by name, or one of its core.

        Raises AesfabError for an axis or value that does not exist.
        """
        if name == "core":
            return dataclasses.replace(self, core=catalogue.find(value))
        if name in AXES:
            for member in AXES[name]:
                if member.value == value:
                    change: dict[str, Any] = {name: member}
                    return dataclasses.replace(self, **change)
            raise unknown(f"{name} value", value, [str(m.value) for m in AXES[name]])
        design = self.core.design.with_axis(name, value)
        if design == self.core.design:
            return self
        changed = (*self.core.overrides, (name, value))
        core = dataclasses.replace(self.core, design=design, overrides=changed)
        return dataclasses.replace(self, core=core)

    def reasons(self) -> list[str]:
        """Why this engine is illegal, empty when it is legal; each ends with the way out."""
        design = self.core.design
        if reasons := design.reasons():
            return reasons
        interval = design.interval()
        rules = [
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
                design.key_sbox is Sbox.NONE,
                "an engine has keys, not round keys; choose a core with another key_sbox than none",
            ),
            (
                design.hardened is not Hardened.NO or design.clear is not Clear.NO,
                "an engine does not tell faults of its core and its clearing; choose a core with "
                "hardened=no clear=no",
            ),
            (
                design.interface is not Interface.BLOCK,
                "an engine takes blocks from its core; choose a core with interface=block",
            ),
            (
                interval != 1 and interval < _SPACED,
                f"a stream engine gives its core a block in each clock, or one in {_SPACED} at "
                "most; choose a pipelined, interleaved or iterative core of one round a clock",
            ),
            (
                design.latency() not in _LATENCIES,
                f"the latency of the core is {design.latency()} clocks, and a stream engine takes "
                f"{_LATENCIES.start} to {_LATENCIES.stop - 1}; choose another core, for example "
                "fab-interleaved-ram",
            ),
        ]
        return [reason for broken, reason in rules if broken]

    def require_legal(self) -> None:
        """AesfabError with every reason when this engine is illegal."""
        if reasons := self.reasons():
            raise AesfabError("illegal combination: " + "; ".join(reasons))

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
    def num_slots(self) -> int:
        """Keys that it holds."""
        return int(self.slots.value)

    @property
    def spaced(self) -> bool:
        """Whether its core takes a block each sixth clock at most, not in each."""
        return self.core.design.interval() != 1

    @property
    def key_bytes(self) -> int:
        """Bytes of its keys."""
        return self.core.design.key_width // 8

    @property
    def key_lengths(self) -> tuple[int, ...]:
        """Sizes of its keys in bits."""
        return self.core.design.key_lengths

    @property
    def blocks_in_flight(self) -> int:
        """Blocks under way in its core."""
        return self.core.design.blocks_in_flight

    @property
    def turn_clocks(self) -> int:
        """Clocks from a block of a stream into the core to the next one, where it is alone."""
        return self.core.design.latency() + (5 if self.chained else 4)

    @property
    def streams_that_fill(self) -> int:
        """Streams with which a block enters the core each interval.

        A block may have to wait until the next place in the loop of an interleaved core comes by.
        """
        wait = self.blocks_in_flight - 1 if self.spaced else 0
        return math.ceil((self.turn_clocks + wait) / self.core.design.interval())

    def latency(self, key_bits: int | None = None) -> int:
        """Clocks from a beat to its result, where the engine is idle."""
        design = self.core.design
        return design.latency(key_bits) + self._way

    @property
    def _way(self) -> int:
        """Clocks of the engine on the way of a block: to the core, and behind it."""
        listed = 1 if self.num_streams < 16 else 4
        return 6 + listed + int(self.chained) + (3 if self.spaced else 4) + 1

    def interval(self, key_bits: int | None = None) -> Fraction:
        """Clocks from a block to the next one, with streams that fill the core."""
        return self.core.design.interval(key_bits)

    def interval_number(self, key_bits: int | None = None) -> int | float:
        """The same as a plain number, for records."""
        return self.core.design.interval_number(key_bits)

    def ports(self) -> list[Port]:
        """The ports of a generated engine, in their order."""
        key, tid = self.core.design.key_width, self.stream_bits
        return [
            Port("clk_i", 1, True, "clock"),
            Port("rst_ni", 1, True, "reset, active low; every slot is cleared after it"),
            Port("s_key_tvalid_i", 1, True, "a key is offered"),
            Port("s_key_tready_o", 1, False, "it has taken its slot"),
            Port("s_key_tdata_i", key, True, "key, byte 0 lowest"),
            Port("s_key_tuser_i", KEY_USER_BITS, True, "clear all, clear, length, slot"),
            Port("s_desc_tvalid_i", 1, True, "a message is described"),
            Port("s_desc_tready_o", 1, False, "the description is taken"),
            Port("s_desc_tid_i", tid, True, "stream"),
            Port("s_desc_tdata_i", DESCRIPTOR_BITS, True, "descriptor"),
            Port("s_data_tvalid_i", 1, True, "a beat is offered"),
            Port("s_data_tready_o", 1, False, "the beat is taken"),
            Port("s_data_tid_i", tid, True, "stream"),
            Port("s_data_tdata_i", 128, True, "up to 16 bytes, byte 0 lowest"),
            Port("s_data_tkeep_i", 16, True, "which of them count"),
            Port("s_data_tlast_i", 1, True, "last beat of the message"),
            Port("m_data_tvalid_o", 1, False, "a beat of a result is there"),
            Port("m_data_tready_i", 1, True, "it is taken"),
            Port("m_data_tid_o", tid, False, "stream"),
            Port("m_data_tdata_o", 128, False, "text, or the tag of CMAC"),
            Port("m_data_tkeep_o", 16, False, "which bytes count"),
            Port("m_data_tlast_o", 1, False, "last beat of the message"),
            Port("m_data_tuser_o", RESULT_USER_BITS, False, "error, ok, last"),
        ]
