# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What engines have in common: a core of the family, axes of their own, a name, a top module.

There are engines of packets (``engine.spec``), of streams (``engine.streams.spec``) and of sectors
(``engine.xts.spec``).
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Generic, Self, TypeVar

from aesfab.design import axes, catalogue
from aesfab.design.axes import Architecture, Clear, Hardened, Interface, KeySbox, KeySchedule
from aesfab.design.catalogue import Named, in_words, module_name
from aesfab.design.ports import Field, Port
from aesfab.engine.packets import Error
from aesfab.errors import AesfabError, unknown

KEY_USER_BITS, RESULT_USER_BITS = 12, 6

Rules = Sequence[tuple[bool, str]]
"""Whether a rule is broken, and the reason with the way out."""


class Slots(enum.Enum):
    """Keys that an engine holds."""

    S2 = "2"
    S4 = "4"
    S8 = "8"
    S16 = "16"
    S32 = "32"
    S64 = "64"
    S128 = "128"


@dataclasses.dataclass(frozen=True)
class AnyEngine(abc.ABC):
    """An engine. Fields are its axes; ``reasons()`` says why one is illegal.

    Attributes:
        AXES: its own axes by name; those of its core are set by the same option.
        MODULE: the module of the RTL; ``top_module`` is that of an engine.
        UNIT: what a descriptor is of.
        INTERFACES: ports of a core that it takes.
        DESCRIPTOR_BITS: bits of a descriptor.
        HAND_OVER: clocks at most from the end of what goes before to the set-up of another stored
            key, and from its end to the first block under it.
        core: the core that it is built around, with the axes that were changed.
        slots: keys.
    """

    AXES: ClassVar[Mapping[str, type[enum.Enum]]]
    MODULE: ClassVar[str]
    UNIT: ClassVar[str]
    INTERFACES: ClassVar[tuple[Interface, ...]] = (Interface.BLOCK,)
    DESCRIPTOR_BITS: ClassVar[int]
    HAND_OVER: ClassVar[int] = 2

    core: Named
    slots: Slots = Slots.S64

    def axes(self) -> dict[str, str]:
        """Axis name to value as the user writes it, the core by its name first."""
        own = {name: str(getattr(self, name).value) for name in self.AXES}
        return {"core": self.core.name, **own}

    def every_axis(self) -> dict[str, Any]:
        """``axes``, and those of its core: all that says what it is, for records."""
        return {**self.axes(), **self.core.design.axes()}

    def with_axis(self, name: str, value: str) -> Self:
        """The engine with one axis changed: its own, its core by name, or one of its core.

        Raises AesfabError for an axis or value that does not exist.
        """
        if name == "core":
            return dataclasses.replace(self, core=catalogue.find(value))
        if name in self.AXES:
            for member in self.AXES[name]:
                if member.value == value:
                    change: dict[str, Any] = {name: member}
                    return dataclasses.replace(self, **change)
            raise unknown(f"{name} value", value, [str(m.value) for m in self.AXES[name]])
        if name not in self.core.design.axes():
            raise unknown("axis", name, self.every_axis())
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
        rules = [
            *self.rules(),
            (
                design.key_sbox is KeySbox.NONE,
                "an engine has keys, not round keys; choose a core with another key_sbox than none",
            ),
            (
                design.hardened is not Hardened.NO or design.clear is not Clear.NO,
                "an engine does not tell faults of its core and its clearing; choose a core with "
                "hardened=no clear=no",
            ),
            (
                design.interface not in self.INTERFACES,
                "an engine of its kind has no such core; choose a core with interface="
                + " or ".join(each.value for each in self.INTERFACES),
            ),
            (
                self.serial and design.architecture is Architecture.MICROCODED,
                "an engine that is a byte wide has its own core, a round of which is 20 clocks; "
                "choose a core with architecture=narrow, or with interface=block",
            ),
        ]
        return [reason for broken, reason in rules if broken]

    def require_legal(self) -> None:
        """AesfabError with every reason when this engine is illegal."""
        if reasons := self.reasons():
            raise AesfabError("illegal combination: " + "; ".join(reasons))

    # ---------------------------------------------------- what is of a kind

    @abc.abstractmethod
    def rules(self) -> Rules:
        """The rules of its kind, for a core that is legal."""

    @property
    def top_module(self) -> str:
        """The module of the RTL that it is."""
        return self.MODULE

    @abc.abstractmethod
    def parameters(self) -> dict[str, str]:
        """The parameters of ``MODULE`` beside ``Cfg``, as SystemVerilog has them."""

    @abc.abstractmethod
    def latency(self, key_bits: int | None = None) -> int:
        """Clocks from a beat to its result at least."""

    @abc.abstractmethod
    def interval(self, key_bits: int | None = None) -> Fraction:
        """Clocks from a block to the next one, where the engine is full."""

    @abc.abstractmethod
    def size_clocks(self, size: int, *, decrypt: bool = False, streams: int = 1) -> int | Fraction:
        """Clocks from a packet, sector or message to the next one at most, in line, without AAD.

        Of several streams it is their clocks, divided by how many messages these are.

        Args:
            size: bytes of text.
            decrypt: the direction.
            streams: how many are there; of no meaning but for an engine of streams.
        """

    @property
    @abc.abstractmethod
    def result(self) -> str:
        """What ``m_data_tdata_o`` has."""

    @property
    @abc.abstractmethod
    def errors(self) -> Mapping[Error, str]:
        """What the last beat of a result may tell, with what is wrong in words."""

    @abc.abstractmethod
    def descriptor_fields(self) -> tuple[Field, ...]:
        """The fields of a descriptor, from the lowest bits on."""

    def key_fields(self) -> tuple[Field, ...]:
        """The fields of ``s_key_tuser_i``, from the lowest bits on."""
        return self.key_fields_with(Field(9, 8, "zero"))

    @staticmethod
    def key_fields_with(*between: Field) -> tuple[Field, ...]:
        """``key_fields`` with what stands between the slot and the clearing."""
        clear = Field(10, 10, "clear the slot"), Field(11, 11, "clear all slots")
        return (Field(7, 0, "slot"), *between, *clear)

    def result_fields(self) -> tuple[Field, ...]:
        """The fields of ``m_data_tuser_o``, from the lowest bits on."""
        errors = ", ".join(f"{error:d} {what}" for error, what in self.errors.items())
        return (
            Field(0, 0, "last"),
            Field(1, 1, "ok: with the last beat, nothing is wrong"),
            Field(5, 2, f"error: with the last beat, 0 none, {errors}"),
        )

    @property
    def beside(self) -> str:
        """What the engine has beside its core and counts with it, in words; empty: nothing."""
        return ""

    @property
    def stream_bits(self) -> int:
        """Bits of the number of a stream; 0 where there is one."""
        return 0

    @property
    def last_key_user(self) -> int:
        """Bit of ``tuser`` of the key that makes its slot whole; 0 where a slot has one key."""
        return 0

    @property
    def num_slots(self) -> int:
        """Keys that it holds."""
        return int(self.slots.value)

    # ---------------------------------------------------- what follows from the core

    @property
    def serial(self) -> bool:
        """Whether it is a byte wide, as the ports of its core are."""
        return self.core.design.interface is Interface.BYTES

    @property
    def key_port_bytes(self) -> int:
        """Bytes of its key channel; shorter keys stand in the lowest of them."""
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
    def far(self) -> bool:
        """Whether what stands around its core may be far away from it, as ``is_far`` of the RTL."""
        design = self.core.design
        return design.architecture is Architecture.PIPELINED and not design.stored_keys

    def core_latency(self, key_bits: int | None = None) -> int:
        """The latency of its core, with the registers around one that is far away."""
        return self.core.design.latency(key_bits) + (2 if self.far else 0)

    @property
    def key_change_clocks(self) -> int:
        """Clocks that another key costs at most; 0 where keys travel with their blocks.

        It is another one where the slot is not the one before, or was written.
        """
        design = self.core.design
        if not design.stored_keys:
            return 0
        setup, latency = design.key_setup(), design.latency()
        alone = setup + self.HAND_OVER
        if design.key_schedule is KeySchedule.STORED_SINGLE:
            # All blocks leave before, the last one in the clocks of the hand-over where there is no
            # loop of several.
            leaves = latency - math.ceil(design.interval()) - (0 if self.place_clocks else 2)
            return alone + max(0, leaves)
        # Blocks of the key before last leave before, in the time of two changes and a unit between.
        return max(alone + self.place_clocks, math.ceil((latency + setup - self.least_clocks) / 2))

    @property
    def least_clocks(self) -> int:
        """Clocks from a shortest packet, sector or message to the next one, at least."""
        return math.ceil(self.core.design.interval())

    @property
    def place_clocks(self) -> int:
        """Clocks of another key, at most, until the first place of a loop of several comes by."""
        interval = self.core.design.interval()
        return math.ceil((self.blocks_in_flight - 1) * interval) if interval > 1 else 0

    @property
    def flight(self) -> int:
        """Blocks under way in its core, and in the registers around one that is far away."""
        return self.blocks_in_flight + (2 if self.far else 0)

    @property
    def spaced(self) -> bool:
        """Whether blocks leave its core so seldom that the queue behind it may be a slow one.

        ``Spaced`` of the RTL.
        """
        return self.core.design.latency() >= 8 * self.flight

    @property
    def queue_clocks(self) -> int:
        """Clocks from a block that leaves the core to its result, or to a tweak in its queue.

        Those of ``aes_engine_fifo`` and of the register at the output, where nothing else waits.
        Beside a core that is far away and takes a block in each clock there is no such queue.
        """
        if self.spaced:
            # It is decided a clock before that an entry goes.
            return 4
        return 5 if self.flight > 10 else 2

    def interval_number(self, key_bits: int | None = None) -> int | float:
        """The interval as a plain number, for records."""
        interval = self.interval(key_bits)
        return interval.numerator if interval.denominator == 1 else round(float(interval), 3)

    def ports(self) -> list[Port]:
        """The ports of a generated engine, in their order."""
        key, unit = self.core.design.key_width, self.UNIT

        def tid(channel: str, is_input: bool) -> list[Port]:
            end = "i" if is_input else "o"
            port = Port(f"{channel}_tid_{end}", self.stream_bits, is_input, "stream")
            return [port] if self.stream_bits else []

        return [
            Port("clk_i", 1, True, "clock"),
            Port("rst_ni", 1, True, "reset, active low; every slot is cleared after it"),
            Port("s_key_tvalid_i", 1, True, "a key is offered"),
            Port("s_key_tready_o", 1, False, "it has taken its slot"),
            Port("s_key_tdata_i", key, True, "key, byte 0 lowest"),
            Port(
                *("s_key_tuser_i", KEY_USER_BITS, True, "slot, and whether it or all are cleared"),
                self.key_fields(),
            ),
            Port("s_desc_tvalid_i", 1, True, f"a {unit} is described"),
            Port("s_desc_tready_o", 1, False, "the description is taken"),
            *tid("s_desc", True),
            Port(
                *("s_desc_tdata_i", self.DESCRIPTOR_BITS, True, "descriptor"),
                self.descriptor_fields(),
            ),
            Port("s_data_tvalid_i", 1, True, "a beat is offered"),
            Port("s_data_tready_o", 1, False, "the beat is taken"),
            *tid("s_data", True),
            Port("s_data_tdata_i", 128, True, "up to 16 bytes, byte 0 lowest"),
            Port("s_data_tkeep_i", 16, True, "which of them count"),
            Port("s_data_tlast_i", 1, True, f"last beat of the {unit}"),
            *self.data_user(),
            Port("m_data_tvalid_o", 1, False, "a beat of the result is there"),
            Port("m_data_tready_i", 1, True, "it is taken"),
            *tid("m_data", False),
            Port("m_data_tdata_o", 128, False, self.result),
            Port("m_data_tkeep_o", 16, False, "which bytes count"),
            Port("m_data_tlast_o", 1, False, f"last beat of the {unit}"),
            Port(
                *("m_data_tuser_o", RESULT_USER_BITS, False, "error, ok, last"),
                self.result_fields(),
            ),
        ]

    def data_user(self) -> list[Port]:
        """``tuser`` of the beats, where they are of several kinds."""
        return []


E = TypeVar("E", bound=AnyEngine)


@dataclasses.dataclass(frozen=True)
class Entry(Generic[E]):
    """An engine with a name.

    Attributes:
        name: as the user types it.
        engine: its axes.
        overrides: axes changed on the command line.
        top: the name that the user gave its top module; empty: it is made of name and overrides.
    """

    name: str
    engine: E
    overrides: tuple[tuple[str, str], ...] = ()
    top: str = ""

    @property
    def design(self) -> E:
        """The engine, under the name that measuring knows."""
        return self.engine

    @property
    def module(self) -> str:
        """Name of the generated top module."""
        words = [self.name, *(f"{axis}-{value}" for axis, value in self.overrides)]
        return self.top or module_name(words, self.name)

    @property
    def words(self) -> str:
        """Name and changed axes, as the command line takes them."""
        return in_words(self.name, self.overrides)


N = TypeVar("N", bound=Entry[Any])


def find(known: Mapping[str, N], name: str, overrides: Sequence[str] = ()) -> N:
    """The engine of a catalogue called ``name``, with ``axis=value`` overrides.

    Raises AesfabError for an unknown name, axis or value and for an illegal combination.
    """
    if name not in known:
        raise unknown("engine", name, known)
    engine, applied = axes.overridden(known[name].engine, overrides)
    engine.require_legal()
    return dataclasses.replace(known[name], engine=engine, overrides=applied)
