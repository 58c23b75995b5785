# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A point of the family: a value on every axis, and what kind of core that is."""

from __future__ import annotations

import dataclasses
from typing import Self

from aesfab.design.axes import (
    ROUNDS_OF_KEY,
    Architecture,
    Clear,
    Datapath,
    Direction,
    Doubled,
    Hardened,
    Interface,
    KeyBits,
    KeyExpansion,
    KeyMemory,
    KeyRegister,
    KeySbox,
    KeySchedule,
    Lookups,
    LoopLevel,
    MixLevels,
    Order,
    OutputRegister,
    Overlap,
    Restart,
    Rounds,
    Sbox,
    SboxLevels,
    SharedAdd,
    Tbox,
)
from aesfab.design.rules import BYTE_LOOP, OFFERED, SHARED_ONE, STORED, TURNS


@dataclasses.dataclass(frozen=True)
class Point:
    """A point of the family, legal or not. Field names are the axis names of the command line.

    ``Design`` adds what follows from it: legality, cycles, ports, cost.
    """

    architecture: Architecture = Architecture.ITERATIVE
    rounds: Rounds = Rounds.ONE
    datapath: Datapath = Datapath.W128
    sbox: Sbox = Sbox.TABLE
    sbox_levels: SboxLevels = SboxLevels.ONE
    doubled: Doubled = Doubled.NO
    tbox: Tbox = Tbox.NONE
    mix_levels: MixLevels = MixLevels.ZERO
    loop_level: LoopLevel = LoopLevel.ZERO
    shared_add: SharedAdd = SharedAdd.NO
    output_register: OutputRegister = OutputRegister.YES
    restart: Restart = Restart.EARLY
    overlap: Overlap = Overlap.NO
    lookups: Lookups = Lookups.ONE
    order: Order = Order.PERMUTATION
    key_sbox: KeySbox = KeySbox.TABLE
    direction: Direction = Direction.ENCRYPT
    key_bits: KeyBits = KeyBits.K128
    key_schedule: KeySchedule = KeySchedule.STORED
    key_register: KeyRegister = KeyRegister.SUB_WORD
    key_expansion: KeyExpansion = KeyExpansion.DOUBLE_WORD
    key_memory: KeyMemory = KeyMemory.AUTO
    interface: Interface = Interface.BLOCK
    hardened: Hardened = Hardened.NO
    clear: Clear = Clear.NO

    @property
    def stored_keys(self) -> bool:
        """Whether round keys are expanded once and kept (else a key travels with each block)."""
        return STORED.holds(self)

    @property
    def banks(self) -> int:
        """Banks of stored round keys; 0 where a key travels with each block."""
        return {KeySchedule.STORED: 2, KeySchedule.STORED_SINGLE: 1}.get(self.key_schedule, 0)

    @property
    def round_keys_from_outside(self) -> bool:
        """Whether the round keys are given to the core, which has no S-boxes to make them."""
        return self.key_sbox is KeySbox.NONE

    @property
    def round_key_ports(self) -> tuple[str, ...]:
        """The ports for round keys from outside: of the cipher, of its inverse, or of both.

        T-boxes decrypt with the keys of the equivalent inverse cipher (FIPS 197, section 5.3.5).
        Cores for both directions take both, unless they are narrow or their blocks overlap: these
        make them where they are read.
        """
        if not self.round_keys_from_outside:
            return ()
        plain, mixed = "round_key_i", "mixed_round_key_i"
        if self.tbox is Tbox.NONE or self.direction is Direction.ENCRYPT:
            return (plain,)
        if self.direction is Direction.DECRYPT:
            return (mixed,)
        whole = self.architecture is Architecture.ITERATIVE and self.overlap is Overlap.NO
        return (plain, mixed) if whole else (plain,)

    @property
    def round_key_words(self) -> int:
        """Words of round keys that come at a time; 0 where the core makes them itself."""
        return self.key_words if self.round_keys_from_outside else 0

    @property
    def key_words(self) -> int:
        """Words of a stored round key that are written a clock: two, or one in a narrow memory."""
        return 1 if self.datapath is Datapath.W32 else 2

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

    @property
    def shared_sboxes(self) -> bool:
        """Whether the S-boxes of the data path make the round keys, too."""
        if self.architecture in (Architecture.NARROW, Architecture.MICROCODED):
            return not self.stored_keys or self.key_sbox is KeySbox.SHARED
        return self.key_sbox is KeySbox.SHARED

    @property
    def guarded(self) -> bool:
        """Whether ``aes_guard`` stands around the core, which then shows results only."""
        return self.hardened is Hardened.YES or self.clear is Clear.YES

    @property
    def refuses_key_lengths(self) -> bool:
        """Whether a key of a length that there is not is refused, with ``key_error_o``."""
        return self.guarded and self.key_bits is KeyBits.ANY

    @property
    def key_offered(self) -> bool:
        """Whether a key stays on its port until it is expanded, and is taken then."""
        return OFFERED.holds(self)

    @property
    def byte_loop(self) -> bool:
        """Whether a byte-wide core has the round of 20 clocks, which is that of 8-bit ports."""
        return BYTE_LOOP.holds(self)

    @property
    def in_turn(self) -> bool:
        """Whether two blocks take turns on a narrow data path."""
        return self.shared_sboxes and self.datapath is Datapath.W32

    @property
    def stored_turns(self) -> bool:
        """Whether they do with stored keys."""
        return TURNS.holds(self)

    @property
    def shared_one(self) -> bool:
        """Whether T-boxes of an iterative core have one key addition for entry, rounds, result."""
        return SHARED_ONE.holds(self)

    @property
    def parts(self) -> int:
        """Parts in which the state is processed, one a clock."""
        return int(128 // self.datapath.value)

    @property
    def key_ahead(self) -> bool:
        """Whether an iterative core's keys are a clock ahead of a block, which waits in a register.

        Where round keys come out of a register although the S-boxes that make them are block RAMs,
        or where the first one of stored keys does.
        """
        if self.key_register is KeyRegister.AHEAD:
            return self.architecture is Architecture.ITERATIVE
        return self.key_register is KeyRegister.ROUND_KEY and self.key_sbox is KeySbox.ROM

    @property
    def sbox_direction(self) -> Direction:
        """What the S-boxes of the data path do.

        Those of decryption are all that an iterative core for both directions has whose first key
        is chosen ahead: encryption uses them between linear maps of bytes (aes_round_crossed).
        """
        crossed = self.key_register is KeyRegister.AHEAD and self.key_ahead
        return Direction.DECRYPT if crossed else self.direction

    @property
    def round_levels(self) -> int:
        """Register levels on the way once round a loop, or through one round of a pipeline."""
        return self.sbox_levels.value + self.mix_levels.value + self.loop_level.value

    @property
    def core(self) -> Self:
        """What is inside a design with 32-bit ports: it with 128-bit ports; else itself."""
        if self.interface is not Interface.WORDS:
            return self
        return dataclasses.replace(self, interface=Interface.BLOCK)

    @property
    def piece(self) -> str:
        """What of a block, and of its result, passes a port at a time, as ports are named."""
        return {Interface.BLOCK: "block", Interface.WORDS: "word", Interface.BYTES: "byte"}[
            self.interface
        ]

    @property
    def piece_bytes(self) -> int:
        """How many bytes that is."""
        return {"block": 16, "word": 4, "byte": 1}[self.piece]

    @property
    def pieces(self) -> int:
        """Clocks that a block, or its result, takes to pass its port."""
        return 16 // self.piece_bytes

    @property
    def rounds_in_hardware(self) -> int:
        """Rounds that are built, or done in one clock by a loop."""
        if self.architecture in (Architecture.PIPELINED, Architecture.ROLLING):
            return ROUNDS_OF_KEY[self.key_width]
        return int(self.rounds.value)
