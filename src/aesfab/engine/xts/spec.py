# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a sector engine is: a core of the family, who encrypts its tweaks, keys; what follows.

It takes sectors, which the standard calls data units: a descriptor each with the tweak, beats of
128 bits, results of as many bytes. A message of CBC decryption is one, too: its IV is the tweak.
The RTL is ``rtl/engine/aes_engine_xts*``; ``docs/engines.md`` is its theory of operation.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from fractions import Fraction

from aesfab.design import catalogue
from aesfab.design.axes import Direction, KeyBits, KeySchedule
from aesfab.design.design import Design
from aesfab.design.ports import Field
from aesfab.engine.family import AnyEngine, Rules, Slots
from aesfab.engine.packets import Error
from aesfab.engine.xts.sectors import CBC, OF_TWEAKS, XTS
from aesfab.hdl import rtl


class Modes(enum.Enum):
    """The mode of operation of a sector engine."""

    XTS = "xts"
    CBC = "cbc"
    """CBC, decryption."""


class Tweaks(enum.Enum):
    """Who encrypts the first tweak of a sector: the core itself, or one beside it, by its name."""

    NONE = "none"
    """Nobody: it is the IV of CBC."""
    SHARED = "shared"
    ITERATIVE = "fab-iterative"
    ITERATIVE_RAM = "fab-iterative-ram"
    INTERLEAVED = "fab-interleaved"
    INTERLEAVED_RAM = "fab-interleaved-ram"
    NARROW = "fab-narrow"
    TINY = "fab-tiny"
    TINY_RAM = "fab-tiny-ram"


AXES: dict[str, type[enum.Enum]] = {"modes": Modes, "tweaks": Tweaks, "slots": Slots}
"""The axes of a sector engine by name; those of its core are set by the same option."""

SIZES = (16, 64, 512, 4096)
"""Bytes of the sectors whose clocks are shown."""

_SECTORS = 8
"""Sectors that have their tweak, or wait for it."""
_READ = 7
"""Clocks of a descriptor, where the core takes its tweak at once."""


@dataclasses.dataclass(frozen=True)
class Engine(AnyEngine):
    """A sector engine. Fields are its axes, see ``AnyEngine``."""

    AXES = AXES
    MODULE = "aes_engine_xts"
    UNIT = "sector"
    DESCRIPTOR_BITS = 144
    HAND_OVER = 3

    modes: Modes = Modes.XTS
    tweaks: Tweaks = Tweaks.SHARED

    def rules(self) -> Rules:
        """See ``AnyEngine``."""
        design = self.core.design
        travels = design.key_schedule is KeySchedule.ON_THE_FLY
        encrypts = design.direction is Direction.ENCRYPT
        beside = self.tweak_design
        sizes = self.cbc or design.key_bits in (KeyBits.K128, KeyBits.K256)
        return [
            (not sizes, "XTS has keys of 128 and 256 bits; choose key_bits=128 or key_bits=256"),
            (
                self.cbc and design.key_bits is KeyBits.ANY,
                "the keys of a sector engine have one size; choose key_bits=128, 192 or 256",
            ),
            (
                self.cbc and encrypts,
                "CBC encryption waits for each block, and this engine does not; choose a core with "
                "direction=decrypt or both, or an engine of streams (cbc-streams-...)",
            ),
            (
                self.cbc and self.tweaks is not Tweaks.NONE,
                "modes=cbc has no tweaks to encrypt; choose tweaks=none",
            ),
            (
                not self.cbc and self.tweaks is Tweaks.NONE,
                "modes=xts encrypts its tweaks; choose tweaks=shared, or a core of tweaks",
            ),
            (
                not self.cbc and self.tweaks is Tweaks.SHARED and not (travels and encrypts),
                "a core that decrypts or stores its key cannot encrypt tweaks; choose "
                "tweaks=fab-iterative-ram, or another core of tweaks",
            ),
            (
                sizes and beside is not None and bool(beside.reasons()),
                f"{self.tweaks.value} has no keys of {design.key_bits.value} bits; choose "
                "tweaks=fab-iterative-ram or tweaks=fab-tiny",
            ),
        ]

    def parameters(self) -> dict[str, str]:
        """See ``AnyEngine``."""
        beside = self.tweak_design
        return {
            "Cbc": f"1'b{int(self.cbc)}",
            "Shared": f"1'b{int(self.tweaks is Tweaks.SHARED)}",
            "TweakCfg": "Cfg" if beside is None else rtl.cfg_literal(beside),
            "NumSlots": str(self.num_slots),
        }

    # ---------------------------------------------------- channels

    @property
    def result(self) -> str:
        """See ``AnyEngine``."""
        return "text"

    @property
    def errors(self) -> dict[Error, str]:
        """See ``AnyEngine``."""
        unit, keys = ("message", "a key") if self.cbc else ("sector", "both keys")
        return {
            Error.MODE: "mode or direction",
            Error.SLOT: f"slot without {keys}",
            Error.BEAT: f"a beat that the {unit} cannot have there",
            **({} if self.cbc else {Error.LENGTH: "length"}),
        }

    def key_fields(self) -> tuple[Field, ...]:
        """See ``AnyEngine``."""
        if self.cbc:
            return super().key_fields()
        which = "0 key of the data, 1 key of the tweaks"
        return self.key_fields_with(Field(8, 8, which), Field(9, 9, "zero"))

    def descriptor_fields(self) -> tuple[Field, ...]:
        """See ``AnyEngine``."""
        has = self.directions
        ways = "0 or 1" if len(has) > 1 else f"{int(has[0])} alone"
        first = "IV" if self.cbc else "tweak: the number of the sector"
        return (
            Field(127, 0, f"{first}, its {'first' if self.cbc else 'lowest'} byte lowest"),
            Field(130, 128, f"mode: {self.mode} {'CBC' if self.cbc else 'XTS'}"),
            Field(131, 131, f"decryption: {ways}"),
            Field(143, 136, "slot"),
        )

    # ---------------------------------------------------- what follows from it

    @property
    def cbc(self) -> bool:
        """Whether it is for CBC decryption, and not for XTS."""
        return self.modes is Modes.CBC

    @property
    def keys_of_slot(self) -> int:
        """Keys that a slot has: that of the data, and that of the tweaks."""
        return 1 if self.cbc else 2

    @property
    def last_key_user(self) -> int:
        """See ``AnyEngine``."""
        return 0 if self.cbc else OF_TWEAKS

    @property
    def mode(self) -> int:
        """The mode of its descriptors."""
        return CBC if self.cbc else XTS

    @property
    def directions(self) -> tuple[bool, ...]:
        """Its directions: whether it decrypts."""
        design = self.core.design
        encrypts = design.can_encrypt and not self.cbc
        return (False,) * encrypts + (True,) * design.can_decrypt

    @property
    def tweak_design(self) -> Design | None:
        """The core of the tweaks, with keys of the size of the other one; None: there is none."""
        if self.tweaks in (Tweaks.SHARED, Tweaks.NONE):
            return None
        design = catalogue.find(self.tweaks.value).design
        return dataclasses.replace(design, key_bits=self.core.design.key_bits)

    @property
    def reset_clocks(self) -> int:
        """Clocks from the end of a reset to the first key that is taken.

        Both words of each slot are swept before it. Then it is decided that a key is taken. Where a
        slot has two keys, the first one takes two clocks.
        """
        return 2 * self.num_slots + 1 + self.keys_of_slot

    def latency(self, key_bits: int | None = None) -> int:
        """Clocks from a beat to its result, where its sector waits for it."""
        # Where blocks come seldom it is decided a clock before that one is held, and that it goes;
        # behind the core it is looked at, decided and done in a clock each. Behind a core that is
        # far away nothing waits but for a place.
        if self.far:
            return self.core_latency(key_bits) + 12
        return self.core_latency(key_bits) + 3 + 4 * int(self.spaced) + self.queue_clocks

    def interval(self, key_bits: int | None = None) -> Fraction:
        """Clocks from a block to the next one, in a long sector."""
        return self.core.design.interval(key_bits)

    @property
    def beside(self) -> str:
        """See ``AnyEngine``."""
        alone = self.tweaks in (Tweaks.SHARED, Tweaks.NONE)
        return "" if alone else f"{self.tweaks.value} for its tweaks"

    def size_clocks(self, size: int, *, decrypt: bool = False, streams: int = 1) -> int:
        """See ``AnyEngine``; with the clocks of a partial block."""
        del decrypt, streams
        return self.sector_clocks(-(-size // 16)) + self.steal_clocks * (size % 16 > 0)

    def sector_clocks(self, blocks: int) -> int:
        """Clocks from a sector to the next one at most, where all streams are ready.

        Of sectors in line of whole blocks; with stored keys, of one slot. The slowest of: its
        blocks, and one more where the core encrypts the tweak too; its descriptor; the tweak, of
        which eight are under way at most, where the core of the tweaks takes so many.
        """
        interval, more, least = self.sector_costs()
        return max(math.ceil((blocks + more) * interval), least)

    @property
    def clocks_by_size(self) -> dict[int, int]:
        """Clocks from sector to sector by bytes of text."""
        return {size: self.sector_clocks(size // 16) for size in SIZES}

    def sector_costs(self) -> tuple[Fraction, int, int]:
        """What ``sector_clocks`` follows from: interval, blocks beside its own, clocks at least."""
        core = self.core.design
        shared = self.tweaks is Tweaks.SHARED
        beside = core if shared else self.tweak_design
        if beside is None:
            return core.interval(), 0, _READ
        # In a loop the tweaks fill its places in one turn, and their sectors in the next.
        loop = shared and core.interval() > 1
        latency = self.core_latency() + int(self.far) if shared else beside.latency()
        ahead = Fraction(latency * (1 + loop) + _READ + 8, _SECTORS)
        tweak = math.ceil(beside.interval()) + int(not shared)
        return core.interval(), int(shared), max(_READ, tweak, math.ceil(ahead))

    @property
    def least_clocks(self) -> int:
        """See ``AnyEngine``."""
        return max(super().least_clocks, self.sector_costs()[2])

    @property
    def steal_clocks(self) -> int:
        """Clocks that a sector with a partial block at its end takes beside those, at most."""
        if self.cbc:
            return 0
        return self.latency() + math.ceil(self.core.design.interval()) + 4
