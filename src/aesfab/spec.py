# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a design is: a value on every axis, which combinations are legal, and what follows.

The RTL holds the same knowledge in ``aes_pkg.sv`` (enums, cycle counts) and ``aes_core.sv``
(legality); tests compare the two over the whole space of choices, reasons included.
"""

from __future__ import annotations

import dataclasses
import enum
import itertools
from collections.abc import Iterator
from typing import Any

from aesfab.errors import AesfabError, unknown


class Axis(enum.Enum):
    """One axis of the family; a member's value is what the user writes."""

    @property
    def rtl(self) -> str:
        """The SystemVerilog enum value, for example ``SboxTable``."""
        return _RTL_NAMES[self]

    @classmethod
    def parse(cls, axis: str, text: str) -> Axis:
        """The member that a user means by ``text`` on ``axis``; AesfabError for anything else."""
        for member in cls:
            if str(member.value) == text:
                return member
        raise unknown(f"{axis} value", text, [str(m.value) for m in cls])


class Architecture(Axis):
    """How rounds are laid out in hardware and time."""

    ITERATIVE = "iterative"


class Sbox(Axis):
    """How SubBytes is realised."""

    TABLE = "table"
    ROM = "rom"
    TOWER = "tower"


class Direction(Axis):
    """Encryption, decryption, or both selected with each block."""

    ENCRYPT = "encrypt"
    DECRYPT = "decrypt"
    BOTH = "both"


class KeyBits(Axis):
    """Key size, fixed or selected with each key."""

    K128 = 128
    K192 = 192
    K256 = 256
    ANY = "any"


class KeySchedule(Axis):
    """Where round keys come from."""

    ON_THE_FLY = "on-the-fly"
    STORED = "stored"
    STORED_SINGLE = "stored-single"


class KeyMemory(Axis):
    """What the stored round keys are kept in."""

    AUTO = "auto"
    BLOCK = "block"
    DISTRIBUTED = "distributed"


class Rounds(Axis):
    """Rounds in hardware, all done in one clock."""

    ONE = 1
    TWO = 2
    FIVE = 5
    TEN = 10


_RTL_NAMES: dict[Axis, str] = {
    Architecture.ITERATIVE: "ArchIterative",
    Sbox.TABLE: "SboxTable",
    Sbox.ROM: "SboxRom",
    Sbox.TOWER: "SboxTower",
    Direction.ENCRYPT: "DirEncrypt",
    Direction.DECRYPT: "DirDecrypt",
    Direction.BOTH: "DirBoth",
    KeyBits.K128: "KeySize128",
    KeyBits.K192: "KeySize192",
    KeyBits.K256: "KeySize256",
    KeyBits.ANY: "KeySizeAny",
    KeySchedule.ON_THE_FLY: "KeysOnTheFly",
    KeySchedule.STORED: "KeysStored",
    KeySchedule.STORED_SINGLE: "KeysStoredSingle",
    KeyMemory.AUTO: "KeyMemAuto",
    KeyMemory.BLOCK: "KeyMemBlock",
    KeyMemory.DISTRIBUTED: "KeyMemDistributed",
    Rounds.ONE: "4'd1",
    Rounds.TWO: "4'd2",
    Rounds.FIVE: "4'd5",
    Rounds.TEN: "4'd10",
}


@dataclasses.dataclass(frozen=True)
class Port:
    """A port of a generated core.

    Attributes:
        name: as in the RTL, with its ``_i`` or ``_o``.
        width: in bits.
        is_input: direction.
        meaning: one line for data sheets.
    """

    name: str
    width: int
    is_input: bool
    meaning: str


ROUNDS_OF_KEY = {128: 10, 192: 12, 256: 14}
"""Nr of FIPS 197, table 3."""


@dataclasses.dataclass(frozen=True)
class Design:
    """A point of the family. Field names are the axis names of the command line.

    ``key_bits`` and the other fields hold enum members; ``reasons()`` says why a point is illegal.
    """

    architecture: Architecture = Architecture.ITERATIVE
    rounds: Rounds = Rounds.ONE
    sbox: Sbox = Sbox.TABLE
    key_sbox: Sbox = Sbox.TABLE
    direction: Direction = Direction.ENCRYPT
    key_bits: KeyBits = KeyBits.K128
    key_schedule: KeySchedule = KeySchedule.STORED
    key_memory: KeyMemory = KeyMemory.AUTO

    # ------------------------------------------------------------------ axes

    def axes(self) -> dict[str, Any]:
        """Axis name to value as the user writes it, in the order of the RTL's ``cfg_t``."""
        return {f.name: getattr(self, f.name).value for f in dataclasses.fields(self)}

    def with_axis(self, name: str, value: str) -> Design:
        """The design with one axis changed; AesfabError for an unknown axis or value."""
        if name not in AXES:
            raise unknown("axis", name, AXES)
        return dataclasses.replace(self, **{name: AXES[name].parse(name, value)})

    # -------------------------------------------------------------- legality

    def reasons(self) -> list[str]:
        """Why this point is illegal, empty when it is legal.

        ``aes_core.sv`` stops elaboration for the same points with the same words.
        """
        reasons = []
        for bits in self.key_lengths:
            if ROUNDS_OF_KEY[bits] % self.rounds.value:
                reasons.append(
                    "the rounds in hardware must divide the number of rounds of every key size"
                )
                break
        if self.rounds is not Rounds.ONE:
            if Sbox.ROM in (self.sbox, self.key_sbox):
                reasons.append(
                    "a block-RAM S-box takes a clock, so it cannot do several rounds in one"
                )
            if self.stored_keys:
                reasons.append(
                    "several rounds a clock need on-the-fly keys: a memory gives one key a clock"
                )
        if not self.stored_keys:
            if self.direction is not Direction.ENCRYPT:
                reasons.append(
                    "on-the-fly keys run forward from the cipher key, so they serve encryption only"
                )
            if self.key_bits is not KeyBits.K128:
                reasons.append("on-the-fly keys are made for 128-bit keys only")
            if self.key_memory is not KeyMemory.AUTO:
                reasons.append("on-the-fly keys have no key memory to choose")
        return reasons

    def require_legal(self) -> None:
        """AesfabError with every reason when this point is illegal."""
        reasons = self.reasons()
        if reasons:
            raise AesfabError("illegal combination: " + "; ".join(reasons))

    # ---------------------------------------------------- what follows from it

    @property
    def stored_keys(self) -> bool:
        """Whether round keys are expanded once and kept (else a key travels with each block)."""
        return self.key_schedule is not KeySchedule.ON_THE_FLY

    @property
    def key_lengths(self) -> tuple[int, ...]:
        """Key sizes in bits that the design takes."""
        return (128, 192, 256) if self.key_bits is KeyBits.ANY else (self.key_bits.value,)

    @property
    def key_width(self) -> int:
        """Width of the key port in bits; a shorter key stands at its top."""
        return max(self.key_lengths)

    @property
    def can_encrypt(self) -> bool:
        """Whether the design encrypts."""
        return self.direction is not Direction.DECRYPT

    @property
    def can_decrypt(self) -> bool:
        """Whether the design decrypts."""
        return self.direction is not Direction.ENCRYPT

    def latency(self, key_bits: int | None = None) -> int:
        """Clocks from acceptance of a block to ``out_valid_o``; the longest key by default."""
        return 1 + ROUNDS_OF_KEY[key_bits or self.key_width] // self.rounds.value

    def interval(self, key_bits: int | None = None) -> int:
        """Least clocks between two accepted blocks; the longest key by default."""
        return self.latency(key_bits)

    def key_setup(self, key_bits: int | None = None) -> int:
        """Clocks from acceptance of a key to the first block under it; 0 for on-the-fly keys."""
        if not self.stored_keys:
            return 0
        return 2 * (ROUNDS_OF_KEY[key_bits or self.key_width] + 1) + 3

    @property
    def blocks_in_flight(self) -> int:
        """Blocks under way at the same time."""
        return 1

    @property
    def sbox_count(self) -> int:
        """S-boxes in the data path and the key schedule."""
        return (16 + 4) * self.rounds.value

    @property
    def sbox_rom_bits(self) -> int:
        """Bits of S-box tables meant for block RAM, each port pair sharing one table."""
        data = 16 * self.rounds.value // 2 if self.sbox is Sbox.ROM else 0
        key = 4 * self.rounds.value // 2 if self.key_sbox is Sbox.ROM else 0
        per_table = 512 * 8 if self.direction is Direction.BOTH else 256 * 8
        return data * per_table + key * 256 * 8

    @property
    def key_memory_bits(self) -> int:
        """Bits of stored round keys, all banks."""
        banks = {KeySchedule.STORED: 2, KeySchedule.STORED_SINGLE: 1}.get(self.key_schedule, 0)
        return banks * (ROUNDS_OF_KEY[self.key_width] + 1) * 128

    def ports(self) -> list[Port]:
        """The ports of the generated core, in order: only those that this design needs."""
        key_text = "key, first byte at the top" + (
            "; a shorter key stands at the top" if self.key_bits is KeyBits.ANY else ""
        )
        ports = [
            Port("clk_i", 1, True, "clock, rising edge"),
            Port("rst_ni", 1, True, "reset, low active, asserted asynchronously"),
        ]
        if self.stored_keys:
            ports += [
                Port("key_valid_i", 1, True, "a key is offered"),
                Port("key_ready_o", 1, False, "a key is taken; from its rise on the last is used"),
                Port("key_i", self.key_width, True, key_text),
            ]
            if self.key_bits is KeyBits.ANY:
                ports.append(Port("key_len_i", 2, True, "0: 128 bit, 1: 192 bit, 2: 256 bit"))
        ports += [
            Port("in_valid_i", 1, True, "a block is offered"),
            Port("in_ready_o", 1, False, "the block is taken in this clock"),
            Port("in_block_i", 128, True, "block, byte 0 of FIPS 197 at the top"),
        ]
        if self.direction is Direction.BOTH:
            ports.append(Port("in_decrypt_i", 1, True, "1: decrypt this block"))
        if not self.stored_keys:
            ports.append(Port("in_key_i", self.key_width, True, "key of this block"))
        ports += [
            Port("out_valid_o", 1, False, "a result leaves in this clock; it cannot be held back"),
            Port("out_block_o", 128, False, "result, byte 0 of FIPS 197 at the top"),
        ]
        return ports


AXES: dict[str, type[Axis]] = {
    "architecture": Architecture,
    "rounds": Rounds,
    "sbox": Sbox,
    "key_sbox": Sbox,
    "direction": Direction,
    "key_bits": KeyBits,
    "key_schedule": KeySchedule,
    "key_memory": KeyMemory,
}
"""Axis name to its type, in the order of the fields of Design."""


def all_points() -> Iterator[Design]:
    """Every point of the space of choices, legal or not."""
    for values in itertools.product(*AXES.values()):
        choices: dict[str, Any] = dict(zip(AXES, values, strict=True))
        yield Design(**choices)
