# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a CCM engine is: a core of the family that encrypts, keys, release; what follows.

It takes packets as the engines of GCM do. The core makes chain and key stream in turns, so a block
of text takes two blocks of the core. The RTL is ``rtl/engine/aes_engine_ccm*``;
``docs/engines.md`` is its theory of operation.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from fractions import Fraction

from aesfab.design.axes import Direction, Interface, KeyBits
from aesfab.design.ports import Field, Port
from aesfab.engine.family import Rules, Slots
from aesfab.engine.packets import Error
from aesfab.engine.spec import AnyPacketEngine, Depth, Release


class Modes(enum.Enum):
    """The mode of operation of a CCM engine."""

    CCM = "ccm"


AXES: dict[str, type[enum.Enum]] = {
    "modes": Modes,
    "slots": Slots,
    "release": Release,
    "release_depth": Depth,
}
"""The axes of a CCM engine by name; those of its core are set by the same option."""

MOST_TEXT, MOST_AAD = 0xFFFF, 0xFEFF
"""Bytes of text and of AAD of a packet at most."""

_LEAST = 8
"""Clocks that a block of text takes around any core."""

# Clocks of the engine that is a byte wide. A block goes through its core in 219, and four are
# around it. A block of text has two such passes and the judgement of its beat; one of AAD has a
# pass, the judgement and 18 steps in which its bytes go to the chain. Beside them a packet has the
# first block of the chain and the tag, and two clocks for the tag that it brings or the length of
# its AAD.
_SERIAL_TEXT = 452
_SERIAL_AAD = 244
_SERIAL_PASS = 223
_SERIAL_PACKET = 472
_SERIAL_SHORT = 2


@dataclasses.dataclass(frozen=True)
class Engine(AnyPacketEngine):
    """A CCM engine. Fields are its axes, see ``AnyEngine``."""

    AXES = AXES
    MODULE = "aes_engine_ccm"
    UNIT = "packet"
    INTERFACES = (Interface.BLOCK, Interface.BYTES)
    DESCRIPTOR_BITS = 192

    modes: Modes = Modes.CCM
    release: Release = Release.STREAM
    release_depth: Depth = Depth.D128

    def rules(self) -> Rules:
        """See ``AnyEngine``."""
        design = self.core.design
        return [
            (
                design.direction is Direction.DECRYPT,
                "CCM encrypts blocks in both directions of a packet; choose a core with "
                "direction=encrypt",
            ),
            (
                design.key_bits is KeyBits.ANY,
                "the keys of a CCM engine have one size; choose key_bits=128, 192 or 256",
            ),
        ]

    def parameters(self) -> dict[str, str]:
        """See ``AnyEngine``."""
        return {"NumSlots": str(self.num_slots), "ReleaseDepth": self.held_depth}

    # ---------------------------------------------------- what follows from it

    @property
    def top_module(self) -> str:
        """See ``AnyEngine``."""
        return "aes_engine_ccm_bytes" if self.serial else self.MODULE

    @property
    def place_clocks(self) -> int:
        """See ``AnyEngine``; the tag of a packet has left its core, so nothing is in its places."""
        return 0

    @property
    def reset_clocks(self) -> int:
        """Clocks from the end of a reset to the first key that is taken: all slots are swept."""
        return 16 * self.num_slots + 18 if self.serial else 2 * self.num_slots + 2

    def latency(self, key_bits: int | None = None) -> int:
        """Clocks from a beat of text to its result, where key stream and chain are there.

        An engine a byte wide makes the key stream of a beat while it waits.
        """
        del key_bits
        waits = _SERIAL_TEXT - _SERIAL_PASS - 1 if self.serial else 0
        return 4 + waits + 2 * int(self.most_held is not None)

    def interval(self, key_bits: int | None = None) -> Fraction:
        """Clocks from a block of a long text to the next one, at most.

        A core with one block has both blocks one behind the other; one with more of them has the
        block of the key stream while that of the chain is under way.
        """
        if self.serial:
            return Fraction(_SERIAL_TEXT)
        design = self.core.design
        if self.blocks_in_flight == 1:
            return max(design.latency(key_bits) + design.interval(key_bits) + 3, Fraction(_LEAST))
        return Fraction(design.latency(key_bits) + 6 + self._turn)

    @property
    def _turn(self) -> int:
        """Clocks that a block waits at most until a core with several blocks takes it."""
        if self.blocks_in_flight == 1:
            return 0
        return min(math.ceil(self.core.design.interval()) - 1, 4)

    @property
    def aad_clocks(self) -> int:
        """Clocks that a block of AAD takes at most."""
        if self.serial:
            return _SERIAL_AAD
        return self.core.design.latency() + 3 + self._turn

    def packet_clocks(self, aad: int, text: int, *, decrypt: bool = False) -> int:
        """See ``AnyPacketEngine``; of one key, and of AAD with the two bytes of its length."""
        least, interval = self.packet_costs()
        short = _SERIAL_SHORT * (int(decrypt) + int(aad > 0)) if self.serial else 0
        return least + short + aad * self.aad_clocks + math.ceil(text * interval)

    def packet_costs(self) -> tuple[int, Fraction]:
        """What ``packet_clocks`` follows from: clocks of a packet alone, and of a block of text."""
        if self.serial:
            return _SERIAL_PACKET, self.interval()
        design = self.core.design
        turn = math.ceil(design.interval()) + 13
        turn = turn if self.blocks_in_flight == 1 else 16 + self._turn
        return design.latency() + turn, self.interval()

    @property
    def result(self) -> str:
        """See ``AnyEngine``."""
        return "text, or the tag in the last beat"

    @property
    def errors(self) -> dict[Error, str]:
        """See ``AnyEngine``."""
        return {
            Error.MODE: "mode",
            Error.SLOT: "slot",
            Error.IV: "length of the nonce",
            Error.TAG_LENGTH: "length of the tag",
            Error.BEAT: "a beat that the packet cannot have there",
            Error.LENGTH: "length",
            Error.TAG: "wrong tag",
        }

    def descriptor_fields(self) -> tuple[Field, ...]:
        """See ``AnyEngine``."""
        return (
            Field(127, 0, "nonce, its first byte lowest; what is behind it does not count"),
            Field(131, 128, "mode: 8 CCM"),
            Field(132, 132, "decryption"),
            Field(143, 136, "slot"),
            Field(151, 144, "bytes of the nonce: 7 to 13"),
            Field(159, 152, "bytes of the tag: 4, 6, 8, 10, 12, 14, 16"),
            Field(175, 160, f"bytes of the text: {MOST_TEXT:,} at most"),
            Field(191, 176, f"bytes of the AAD: {MOST_AAD:,} at most"),
        )

    def data_user(self) -> list[Port]:
        """See ``AnyEngine``."""
        return [Port("s_data_tuser_i", 2, True, "0 text, 1 AAD, 3 tag")]
