# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What an engine of packets is: a core of the family and a value on each axis of its own.

It takes packets: a descriptor each, beats of 128 bits, and a result that ends with the tag.
The RTL is in ``rtl/engine``; ``docs/engines.md`` is its theory of operation.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import math
from fractions import Fraction

from aesfab.design.axes import Direction, Interface, KeyBits
from aesfab.design.ports import Field, Port
from aesfab.engine.family import AnyEngine, Rules, Slots
from aesfab.engine.packets import Error


class Modes(enum.Enum):
    """Modes of operation that an engine has."""

    CTR = "ctr"
    GCM = "gcm"
    """GCM, GMAC and CTR."""


class Ghash(enum.Enum):
    """How GHASH multiplies: bits of a factor in a clock."""

    NONE = "none"
    BYTES = "bytes"
    """A product of two bytes, for engines that are a byte wide."""
    ONE = "1"
    TWO = "2"
    FOUR = "4"
    EIGHT = "8"
    SIXTEEN = "16"
    LANES = "128"
    """A block in a clock, in eight lanes with a power of H each."""


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


LANES_KEY_CLOCKS = 143
"""Clocks of a new key beside two latencies of the core, where H has powers."""

# Clocks of the engine that is a byte wide. A counter goes through its core in 219, and seven are
# around it. GHASH has 272 products and five clocks around them. A block of text begins so early
# that its key stream comes when GHASH ends, and 19 clocks are between; one of AAD goes in after the
# one before, with 18. Beside its blocks a packet has its descriptor, the mask of its tag, lengths.
_SERIAL_COUNTER = 226
_SERIAL_COUNTER_PACKET = 26
_SERIAL_HASH = 277
_SERIAL_TEXT = 296
_SERIAL_AAD = 295
_SERIAL_PACKET = 801
_SERIAL_OVERLAP = 206


class AnyPacketEngine(AnyEngine):
    """What engines of packets with tags have in common; ``release`` and its depth are axes."""

    release: Release
    release_depth: Depth

    @property
    def held_depth(self) -> str:
        """Beats of the buffer for text that waits for its tag, as a parameter; 0: none waits."""
        return self.release_depth.value if self.release is Release.VERIFIED else "0"

    @property
    def most_held(self) -> int | None:
        """Beats of text that wait for their tag at most; None: none wait."""
        return int(self.release_depth.value) - 2 if self.release is Release.VERIFIED else None

    @abc.abstractmethod
    def packet_clocks(self, aad: int, text: int, *, decrypt: bool = False) -> int:
        """Clocks from a packet to the next one at most, where all streams are ready.

        Args:
            aad: blocks of it.
            text: blocks of it.
            decrypt: the direction.
        """

    def size_clocks(self, size: int, *, decrypt: bool = False, streams: int = 1) -> int:
        """See ``AnyEngine``."""
        del streams
        return self.packet_clocks(0, -(-size // 16), decrypt=decrypt)


SIZES = (16, 64, 512, 1500)
"""Bytes of the packets whose clocks are shown."""
CLOCKS_HEAD = ("bytes of text", "clocks from packet to packet", "of packets that are decrypted")
"""Of a table of ``clocks_by_size``."""


def clocks_by_size(engine: AnyPacketEngine) -> dict[int, tuple[int, int]]:
    """Clocks from packet to packet by bytes of text: of packets encrypted, and decrypted."""
    return {
        size: (engine.size_clocks(size), engine.size_clocks(size, decrypt=True)) for size in SIZES
    }


@dataclasses.dataclass(frozen=True)
class Engine(AnyPacketEngine):
    """An engine of packets. Fields are its axes, see ``AnyEngine``."""

    AXES = AXES
    MODULE = "aes_engine"
    UNIT = "packet"
    INTERFACES = (Interface.BLOCK, Interface.BYTES)
    DESCRIPTOR_BITS = 160

    modes: Modes = Modes.GCM
    ghash: Ghash = Ghash.EIGHT
    release: Release = Release.STREAM
    release_depth: Depth = Depth.D128

    def rules(self) -> Rules:
        """See ``AnyEngine``."""
        hashes = self.ghash is not Ghash.NONE
        by_bytes = self.ghash is Ghash.BYTES
        return [
            (
                by_bytes and not self.serial,
                "ghash=bytes is for a core with 8-bit ports; choose such a core, or ghash=1, 2, 4, "
                "8, 16 or 128",
            ),
            (
                hashes and not by_bytes and self.serial,
                "around a core with 8-bit ports all is a byte wide; choose ghash=bytes",
            ),
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
                self.core.design.direction is Direction.DECRYPT,
                "CTR and GCM encrypt blocks in both directions of a packet; choose a core with "
                "direction=encrypt",
            ),
        ]

    def parameters(self) -> dict[str, str]:
        """See ``AnyEngine``."""
        return {
            "Gcm": f"1'b{int(self.gcm)}",
            **({} if self.serial else {"Digit": str(self.digit)}),
            "NumSlots": str(self.num_slots),
            "ReleaseDepth": self.held_depth,
            "LengthBits": "32",
        }

    # ---------------------------------------------------- what follows from it

    @property
    def top_module(self) -> str:
        """See ``AnyEngine``."""
        return "aes_engine_bytes" if self.serial else self.MODULE

    @property
    def gcm(self) -> bool:
        """Whether it has GCM and GMAC beside CTR."""
        return self.modes is Modes.GCM

    @property
    def digit(self) -> int:
        """Bits of a factor that GHASH takes in a clock; 8 where there is no GHASH."""
        return 8 if self.ghash in (Ghash.NONE, Ghash.BYTES) else int(self.ghash.value)

    @property
    def key_bytes(self) -> tuple[int, ...]:
        """Lengths of keys that it takes."""
        return tuple(bits // 8 for bits in self.core.design.key_lengths)

    @property
    def any_key(self) -> bool:
        """Whether each slot has a key size of its own."""
        return self.core.design.key_bits is KeyBits.ANY

    @property
    def hash_clocks(self) -> int:
        """Clocks from a block for GHASH to the next one; 0 without GHASH."""
        if not self.gcm:
            return 0
        if self.serial:
            return _SERIAL_HASH
        return 1 if self.lanes else 128 // self.digit + 1

    @property
    def lanes(self) -> bool:
        """Whether GHASH takes a block in each clock."""
        return self.ghash is Ghash.LANES

    @property
    def spaced(self) -> bool:
        """See ``AnyEngine``; beside a GHASH of several clocks a block, any core."""
        return not self.lanes if self.gcm else super().spaced

    def latency(self, key_bits: int | None = None) -> int:
        """Clocks from a beat of text to its result, where its packet waits for it alone.

        The intake, the core, and its queue. Where blocks come seldom it is decided a clock before
        that one is held, and that it goes; to a core that is far away it goes a clock after that.
        Lanes have nine registers on the way, and CTR around such a core one; behind either there
        is a queue of three clocks. A buffer of ``release=verified`` has two.
        """
        if self.serial:
            return _SERIAL_COUNTER + 3 + 2 * int(self.most_held is not None)
        later = 2 * int(self.most_held is not None)
        if self.lanes or (self.far and not self.spaced):
            # Nothing waits but for a place. A result of GCM stays until a sum would be there.
            later += 11 + 23 * int(self.gcm) + int(not self.far)
            return self.core_latency(key_bits) + later
        return self.core_latency(key_bits) + 1 + 2 * int(self.spaced) + later + self.queue_clocks

    def interval(self, key_bits: int | None = None) -> Fraction:
        """Clocks from a block of a long text to the next one: the slower of core and GHASH."""
        if self.serial:
            return Fraction(self.serial_costs()[1])
        return max(self.core.design.interval(key_bits), Fraction(self.hash_clocks))

    @property
    def beside(self) -> str:
        """See ``AnyEngine``."""
        if self.serial and self.gcm:
            return "GHASH of a product of two bytes a clock"
        return f"GHASH of {self.digit} bits a clock" if self.gcm else ""

    @property
    def sweep_clocks(self) -> int:
        """Clocks after a reset in which all slots are overwritten.

        A slot has a word for its key, one clock each; for H another one, in two passes over all
        places. Eight powers of H take ten clocks.
        """
        if self.serial:
            return self.num_slots * (32 if self.gcm else 16)
        if self.lanes:
            return 10 * self.num_slots + 1
        return 3 * self.num_slots if self.gcm else self.num_slots + 1

    @property
    def new_key_clocks(self) -> int | None:
        """Clocks that packets in line lose at most where a key is written; None: they do not stop.

        With ``ghash=128`` the key waits until no packet is under way: the core is emptied, and H
        and its powers are made. Around a core that takes a block each clock it is this number.
        """
        return 2 * self.core_latency() + LANES_KEY_CLOCKS if self.lanes else None

    def packet_clocks(self, aad: int, text: int, *, decrypt: bool = False) -> int:
        """See ``AnyPacketEngine``.

        Of packets in line and 96-bit IVs: the slower of beats with the core's slots (text and one,
        for J0) and GHASH's slots (AAD, text and one for the lengths). Five clocks of GHASH are
        dead, and one more where a tag is looked at. With stored keys, of packets of one key.
        """
        if self.serial:
            alone, each = self.serial_costs()
            # The first block of text, or the lengths, begin while GHASH takes the last one of AAD.
            later = _SERIAL_AAD * aad - _SERIAL_OVERLAP if aad or (self.gcm and not text) else 0
            return alone + each * text + later
        interval, hashing, dead = self.packet_costs()
        if not self.gcm:
            return math.ceil(interval * (text + 1))
        # The tag that a packet brings is a beat of its own.
        beats = aad + text + 1 + int(decrypt)
        slots = math.ceil(interval * (text + 1)) + aad + int(decrypt) if interval > 1 else beats
        # A descriptor may miss the clock in which the core takes a block.
        slots += int(self.lanes and interval > 1)
        if not hashing:
            return slots
        return max(slots, hashing * (aad + text + 1) + dead + int(decrypt))

    def serial_costs(self) -> tuple[int, int]:
        """What ``packet_clocks`` follows from where all is a byte wide, without AAD.

        Returns:
            Clocks of a packet beside its blocks; clocks of a block.
        """
        return (
            (_SERIAL_PACKET, _SERIAL_TEXT)
            if self.gcm
            else (_SERIAL_COUNTER_PACKET, _SERIAL_COUNTER)
        )

    def packet_costs(self) -> tuple[float, int, int]:
        """What ``packet_clocks`` follows from.

        Returns:
            The interval of the core; clocks of an item in GHASH, 0 where no packet waits for it;
            clocks of GHASH that are dead in a packet.
        """
        interval = float(self.core.design.interval())
        if not self.gcm or self.lanes:
            return interval, 0, 0
        # An item that is in block RAM comes a clock later.
        return interval, self.hash_clocks, 5 + int(self.blocks_in_flight > 10)

    # ---------------------------------------------------- channels

    @property
    def result(self) -> str:
        """See ``AnyEngine``."""
        return f"text, or {'the tag' if self.gcm else 'zero'} in the last beat"

    @property
    def errors(self) -> dict[Error, str]:
        """See ``AnyEngine``."""
        return {
            Error.MODE: "mode",
            Error.SLOT: "slot",
            Error.IV: "length of the IV",
            **({Error.TAG_LENGTH: "length of the tag"} if self.gcm else {}),
            Error.BEAT: "a beat that makes no sense",
            Error.LENGTH: "length of the packet",
            **({Error.TAG: "wrong tag"} if self.gcm else {}),
        }

    def key_fields(self) -> tuple[Field, ...]:
        """See ``AnyEngine``."""
        sizes = "size: 0, 1, 2 for 128, 192, 256 bits" if self.any_key else "ignored"
        return self.key_fields_with(Field(9, 8, sizes))

    def descriptor_fields(self) -> tuple[Field, ...]:
        """See ``AnyEngine``."""
        first = "first counter block, its first byte lowest"
        return (
            Field(127, 0, f"IV of 96 bits (GCM), or {first} (CTR)" if self.gcm else first),
            Field(130, 128, "mode: 1 CTR, 2 GCM" if self.gcm else "mode: 1 CTR"),
            Field(131, 131, "decryption" if self.gcm else "ignored: both directions are the same"),
            Field(132, 132, "no beat of data follows"),
            Field(143, 136, "slot"),
            Field(
                *(151, 144),
                f"bytes of the IV: {'1 to 128 (GCM), 16 (CTR)' if self.gcm else '16'}",
            ),
            Field(159, 152, "bytes of the tag (GCM): 4, 8, 12 to 16" if self.gcm else "ignored"),
        )

    def data_user(self) -> list[Port]:
        """See ``AnyEngine``."""
        kinds = "0 text, 1 AAD, 2 IV, 3 tag" if self.gcm else "0 text"
        return [Port("s_data_tuser_i", 2, True, kinds)]
