# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What an engine is: a core of the family and a value on each axis of its own; what follows.

An engine takes packets: a descriptor each, beats of 128 bits, and a result that ends with the tag.
The RTL is in ``rtl/engine``; ``docs/engines.md`` is its theory of operation.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from fractions import Fraction
from typing import Any

from aesfab.design import catalogue
from aesfab.design.catalogue import Named
from aesfab.design.spec import Clear, Direction, Hardened, Interface, KeyBits, Port, Sbox
from aesfab.errors import AesfabError, unknown


class Modes(enum.Enum):
    """Modes of operation that an engine has."""

    CTR = "ctr"
    GCM = "gcm"
    """GCM, GMAC and CTR."""


class Ghash(enum.Enum):
    """How GHASH multiplies: bits of a factor in a clock."""

    NONE = "none"
    ONE = "1"
    TWO = "2"
    FOUR = "4"
    EIGHT = "8"
    SIXTEEN = "16"
    LANES = "128"
    """A block in a clock, in eight lanes with a power of H each."""


class Slots(enum.Enum):
    """Keys that an engine holds."""

    S2 = "2"
    S4 = "4"
    S8 = "8"
    S16 = "16"
    S32 = "32"
    S64 = "64"
    S128 = "128"


class Release(enum.Enum):
    """When the text of a packet that is decrypted leaves."""

    STREAM = "stream"
    """As it comes: the last beat tells whether its tag is right."""
    VERIFIED = "verified"
    """When its tag is right; never otherwise."""


class Depth(enum.Enum):
    """Beats that release=verified has room for; a packet has at most two less."""

    D16 = "16"
    D64 = "64"
    D128 = "128"
    D512 = "512"
    D1024 = "1024"


AXES: dict[str, type[enum.Enum]] = {
    "modes": Modes,
    "ghash": Ghash,
    "slots": Slots,
    "release": Release,
    "release_depth": Depth,
}
"""The axes of an engine by name; those of its core are set by the same option."""

KEY_USER_BITS, DESCRIPTOR_BITS, RESULT_USER_BITS = 12, 160, 6


@dataclasses.dataclass(frozen=True)
class Engine:
    """An engine. Fields are its axes; ``reasons()`` says why one is illegal.

    Attributes:
        core: the core that it is built around, with the axes that were changed.
    """

    core: Named
    modes: Modes = Modes.GCM
    ghash: Ghash = Ghash.EIGHT
    slots: Slots = Slots.S64
    release: Release = Release.STREAM
    release_depth: Depth = Depth.D128

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
        design, hashes = self.core.design, self.ghash is not Ghash.NONE
        rules = [
            (
                self.modes is Modes.GCM and not hashes,
                "modes=gcm needs GHASH; choose ghash=1, 2, 4, 8, 16 or 128",
            ),
            (self.modes is Modes.CTR and hashes, "modes=ctr has no GHASH; choose ghash=none"),
            (
                self.modes is Modes.CTR and self.release is Release.VERIFIED,
                "modes=ctr has no tag that text could wait for; choose release=stream",
            ),
            (
                design.direction is Direction.DECRYPT,
                "CTR and GCM encrypt blocks in both directions of a packet; choose a core with "
                "direction=encrypt",
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
        ]
        return design.reasons() + [reason for broken, reason in rules if broken]

    def require_legal(self) -> None:
        """AesfabError with every reason when this engine is illegal."""
        if reasons := self.reasons():
            raise AesfabError("illegal combination: " + "; ".join(reasons))

    # ---------------------------------------------------- what follows from it

    @property
    def gcm(self) -> bool:
        """Whether it has GCM and GMAC beside CTR."""
        return self.modes is Modes.GCM

    @property
    def num_slots(self) -> int:
        """Keys that it holds."""
        return int(self.slots.value)

    @property
    def digit(self) -> int:
        """Bits of a factor that GHASH takes in a clock; 8 where there is no GHASH."""
        return int(self.ghash.value) if self.ghash is not Ghash.NONE else 8

    @property
    def most_held(self) -> int | None:
        """Beats of text that wait for their tag at most; None: none wait."""
        return int(self.release_depth.value) - 2 if self.release is Release.VERIFIED else None

    @property
    def key_bytes(self) -> tuple[int, ...]:
        """Lengths of keys that it takes."""
        return tuple(bits // 8 for bits in self.core.design.key_lengths)

    @property
    def key_port_bytes(self) -> int:
        """Bytes of its key stream; shorter keys stand in the lowest of them."""
        return self.core.design.key_width // 8

    @property
    def any_key(self) -> bool:
        """Whether each slot has a key size of its own."""
        return self.core.design.key_bits is KeyBits.ANY

    @property
    def hash_clocks(self) -> int:
        """Clocks from a block for GHASH to the next one; 0 without GHASH."""
        if not self.gcm:
            return 0
        return 1 if self.ghash is Ghash.LANES else 128 // self.digit + 1

    @property
    def key_lengths(self) -> tuple[int, ...]:
        """Sizes of its keys in bits."""
        return self.core.design.key_lengths

    @property
    def blocks_in_flight(self) -> int:
        """Blocks under way in its core."""
        return self.core.design.blocks_in_flight

    def latency(self, key_bits: int | None = None) -> int:
        """Clocks from a beat of text to its result at least: the core's, and three registers."""
        return self.core.design.latency(key_bits) + 3

    def interval(self, key_bits: int | None = None) -> Fraction:
        """Clocks from a block of a long text to the next one: the slower of core and GHASH."""
        return max(self.core.design.interval(key_bits), Fraction(self.hash_clocks))

    def interval_number(self, key_bits: int | None = None) -> int | float:
        """The same as a plain number, for records."""
        interval = self.interval(key_bits)
        return interval.numerator if interval.denominator == 1 else round(float(interval), 3)

    def packet_clocks(self, aad: int, text: int, *, decrypt: bool = False) -> int:
        """Clocks from a packet to the next one at most, where all streams are ready.

        Of packets in line and 96-bit IVs: the slower of beats with the core's slots (text and one,
        for J0) and GHASH's slots (AAD, text and one for the lengths). Two clocks of GHASH are dead,
        or three where the packet begins with text, which waits for the tag before to leave. With
        stored keys, of packets of one key.

        Args:
            aad: blocks of it.
            text: blocks of it.
            decrypt: the direction.
        """
        interval = float(self.core.design.interval())
        if not self.gcm:
            return math.ceil(interval * (text + 1))
        # The tag that a packet brings is a beat of its own.
        beats = aad + text + 1 + int(decrypt)
        slots = math.ceil(interval * (text + 1)) + aad + int(decrypt) if interval > 1 else beats
        if self.ghash is Ghash.LANES:
            return slots
        # An item that is in block RAM comes a clock later.
        dead = 2 + int(not aad) + int(self.blocks_in_flight > 10)
        return max(slots, self.hash_clocks * (aad + text + 1) + dead)

    def ports(self) -> list[Port]:
        """The ports of a generated engine, in their order."""
        key = self.core.design.key_width
        return [
            Port("clk_i", 1, True, "clock"),
            Port("rst_ni", 1, True, "reset, active low; every slot is cleared after it"),
            Port("s_key_tvalid_i", 1, True, "a key is offered"),
            Port("s_key_tready_o", 1, False, "it has taken its slot"),
            Port("s_key_tdata_i", key, True, "key, byte 0 lowest"),
            Port("s_key_tuser_i", KEY_USER_BITS, True, "clear all, clear, length, slot"),
            Port("s_desc_tvalid_i", 1, True, "a packet is described"),
            Port("s_desc_tready_o", 1, False, "the description is taken"),
            Port("s_desc_tdata_i", DESCRIPTOR_BITS, True, "descriptor"),
            Port("s_data_tvalid_i", 1, True, "a beat is offered"),
            Port("s_data_tready_o", 1, False, "the beat is taken"),
            Port("s_data_tdata_i", 128, True, "up to 16 bytes, byte 0 lowest"),
            Port("s_data_tkeep_i", 16, True, "which of them count"),
            Port("s_data_tlast_i", 1, True, "last beat of the packet"),
            Port("s_data_tuser_i", 2, True, "0 text, 1 AAD, 2 IV, 3 tag"),
            Port("m_data_tvalid_o", 1, False, "a beat of the result is there"),
            Port("m_data_tready_i", 1, True, "it is taken"),
            Port("m_data_tdata_o", 128, False, "text, or the tag in the last beat"),
            Port("m_data_tkeep_o", 16, False, "which bytes count"),
            Port("m_data_tlast_o", 1, False, "last beat of the packet"),
            Port("m_data_tuser_o", RESULT_USER_BITS, False, "error, ok, last"),
        ]
