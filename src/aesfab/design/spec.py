# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a design is: a value on every axis, and what follows from them.

The values are in ``axes``, which combinations are legal in ``rules``. The RTL has enums and cycle
counts in ``aes_pkg.sv``, and the checks of the rules, which are printed from them, in
``aes_core.sv`` and ``aes_words.sv``. A test compares all of it over the whole space of choices.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import itertools
from fractions import Fraction
from typing import Any

from aesfab.design.axes import (
    AXES,
    ROUNDS_OF_KEY,
    Architecture,
    Axis,
    Clear,
    Datapath,
    Direction,
    Doubled,
    Hardened,
    Interface,
    KeyBits,
    KeyMemory,
    KeyRegister,
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
from aesfab.design.rules import BYTE_LOOP, OFFERED, RULES, SHARED_ONE, STORED
from aesfab.errors import AesfabError, unknown

__all__ = [
    "AXES",
    "ROUNDS_OF_KEY",
    "Acceptance",
    "Architecture",
    "Axis",
    "Between",
    "Clear",
    "Combination",
    "Datapath",
    "Design",
    "Direction",
    "Doubled",
    "Hardened",
    "Interface",
    "KeyBits",
    "KeyMemory",
    "KeyRegister",
    "KeySchedule",
    "Lookups",
    "LoopLevel",
    "MixLevels",
    "Order",
    "OutputRegister",
    "Overlap",
    "Port",
    "Restart",
    "Rounds",
    "Sbox",
    "SboxLevels",
    "SharedAdd",
    "Tbox",
    "combinations",
    "substituted_words",
]


@dataclasses.dataclass(frozen=True)
class Acceptance:
    """When a core accepts a block that is offered, given the blocks that it accepted before.

    In-ready is high in exactly the clocks in which none of these holds:

    - a block was accepted d clocks ago (with 32-bit ports: its first word, where its words came
      one right after the other and the core did not have to wait), with d in ``conflicts``;
    - ``limit`` blocks were accepted in the last ``latency - 1`` clocks (0: no limit);
    - the clock is none of those that come every ``period`` clocks;
    - the block is not of the direction that the core is set up for, which is that of the last block
      accepted, and neither after a reset, and less than ``direction_change`` clocks have passed
      since the first one in which this block was offered and the blocks accepted before left room.
      (A key that is not there yet holds up the acceptance, but not this.)
    """

    conflicts: frozenset[int] = frozenset()
    limit: int = 0
    period: int = 1
    direction_change: int = 0


class Between(enum.Enum):
    """What the output of a core shows while ``out_valid_o`` is low; a member's value is a sentence.

    Only STATES shows anything of a block or a key but results.
    """

    HELD = "the last result, until the next one"
    ASSEMBLED = "the last result, into which the parts of the next one move"
    ZERO = "zero"
    MOVING = "the block that was accepted and bytes of its result, as they move, else zero"
    PASSING = "the results of what stood on the inputs while in_valid_i was low"
    STATES = "inner states, and round keys while a key is expanded"


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


_SWEEP_RESET = 2
"""Clocks of reset at each end of a sweep: ``SweepReset`` in ``aes_pkg.sv``."""


def substituted_words(key_bits: int) -> list[int]:
    """The i of all W[i] for which KeyExpansion takes SubWord (FIPS 197, section 5.2)."""
    nk = key_bits // 32
    last = 4 * (ROUNDS_OF_KEY[key_bits] + 1)
    return [i for i in range(nk, last) if i % nk == 0 or (nk > 6 and i % nk == 4)]


@dataclasses.dataclass(frozen=True)
class Design:
    """A point of the family. Field names are the axis names of the command line.

    ``key_bits`` and the other fields hold enum members; ``reasons()`` says why a point is illegal.
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
    key_sbox: Sbox = Sbox.TABLE
    direction: Direction = Direction.ENCRYPT
    key_bits: KeyBits = KeyBits.K128
    key_schedule: KeySchedule = KeySchedule.STORED
    key_register: KeyRegister = KeyRegister.SUB_WORD
    key_memory: KeyMemory = KeyMemory.AUTO
    interface: Interface = Interface.BLOCK
    hardened: Hardened = Hardened.NO
    clear: Clear = Clear.NO

    # ------------------------------------------------------------------ axes

    def axes(self) -> dict[str, Any]:
        """Axis name to value as the user writes it, in the order of AXES."""
        return {f.name: getattr(self, f.name).value for f in dataclasses.fields(self)}

    def with_axis(self, name: str, value: str) -> Design:
        """The design with one axis changed; AesfabError for an unknown axis or value."""
        if name not in AXES:
            raise unknown("axis", name, AXES)
        change: dict[str, Any] = {name: AXES[name].parse(name, value)}
        return dataclasses.replace(self, **change)

    def choices(self, name: str) -> list[Any]:
        """The legal values of an axis with all other axes as they are, in the order of the axis."""
        changed = (self.with_axis(name, str(value.value)) for value in AXES[name])
        return [getattr(each, name).value for each in changed if not each.reasons()]

    def moves(self) -> dict[str, list[Any]]:
        """The axes that can be moved alone, each with its legal values, in the order of AXES."""
        found = {name: self.choices(name) for name in AXES}
        return {name: values for name, values in found.items() if len(values) > 1}

    def shown_axes(self) -> dict[str, list[Any]]:
        """The axes that mean something to a user of this design, each with its other values.

        What every core is known by (``_IDENTITY``), and what can be moved: an axis that has one
        legal value says nothing.
        """
        moves = self.moves()
        return {
            name: [value for value in moves.get(name, ()) if value != getattr(self, name).value]
            for name in AXES
            if name in _IDENTITY or name in moves
        }

    # -------------------------------------------------------------- legality

    def reasons(self) -> list[str]:
        """Why this point is illegal, empty when it is legal.

        The RTL stops elaboration for the same points with the same words (``rules``).
        """
        return [rule.reason for rule in RULES if rule.holds(self)]

    def require_legal(self) -> None:
        """AesfabError with every reason when this point is illegal, and with the way out."""
        reasons = self.reasons()
        if reasons:
            raise AesfabError(f"illegal combination: {'; '.join(reasons)}{self._way_out()}")

    def _way_out(self) -> str:
        """The fewest axes with which it would be legal: one with its values, or a pair; or none."""
        axes = frozenset[str]().union(*(rule.axes for rule in RULES if rule.holds(self)))
        # Another architecture is another core: that is said where nothing else helps.
        ordered = sorted((name for name in AXES if name in axes), key="architecture".__eq__)
        for name in ordered:
            if legal := self.choices(name):
                *others, last = map(str, legal)
                values = f"{', '.join(others)} or {last}" if others else last
                return f"; legal with {name}={values} in place of {self.axes()[name]}"
        for one, other in itertools.combinations(ordered, 2):
            for value in AXES[one]:
                changed = self.with_axis(one, str(value.value))
                if legal := changed.choices(other):
                    return f"; legal with {one}={value.value} {other}={legal[0]}"
        return ""

    # ---------------------------------------------------- what follows from it

    @property
    def stored_keys(self) -> bool:
        """Whether round keys are expanded once and kept (else a key travels with each block)."""
        return STORED.holds(self)

    @property
    def round_keys_from_outside(self) -> bool:
        """Whether the round keys are given to the core, which has no S-boxes to make them."""
        return self.key_sbox is Sbox.NONE

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
        if not self.round_keys_from_outside:
            return 0
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
        narrow = self.architecture is Architecture.NARROW and not self.stored_keys
        return narrow or self.key_sbox is Sbox.SHARED

    @property
    def guarded(self) -> bool:
        """Whether ``aes_guard`` stands around the core, which then shows results only."""
        return self.hardened is Hardened.YES or self.clear is Clear.YES

    @property
    def refuses_key_lengths(self) -> bool:
        """Whether a key of a length that there is not is refused, with ``key_error_o``."""
        return self.guarded and self.key_bits is KeyBits.ANY

    @property
    def sweep_clocks(self) -> int:
        """Clocks from the first one after a reset to the first one in which anything is taken.

        The same from the one after ``clear_i``. What is secret is overwritten meanwhile, with
        ``clear=yes``; a hardened core without that is in reset for as long. 0 for other cores.
        ``sweep_clocks`` in ``aes_pkg.sv`` has the parts of it.
        """
        if self.clear is Clear.NO:
            return _SWEEP_RESET if self.guarded else 0
        core = self.core
        keys = 0
        if self.stored_keys:
            banks = 2 if self.key_schedule is KeySchedule.STORED else 1
            keys = banks * core.key_setup() + self.key_offered
        blocks = 2 * core.latency() + self.direction_change
        directions = self.can_encrypt + self.can_decrypt
        return 2 * _SWEEP_RESET + keys + directions * blocks

    @property
    def watch_clocks(self) -> int:
        """Clocks after which a hardened core is at rest again, whatever state it was thrown into.

        Two periods of the watch of ``aes_guard``, and a sweep. 0 for other cores.
        """
        if self.hardened is Hardened.NO:
            return 0
        core = self.core
        waits = 2 * core.latency() + 2 * core.key_setup() + 8
        return 2 * (1 << (waits - 1).bit_length()) + self.sweep_clocks

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
    def _turn(self) -> int:
        """Clocks of a turn: a column each, and one for the key that is made on the way."""
        return 4 if self.stored_keys else 5

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
        return self.key_register is KeyRegister.ROUND_KEY and self.key_sbox is Sbox.ROM

    @property
    def round_levels(self) -> int:
        """Register levels on the way once round a loop, or through one round of a pipeline."""
        return self.sbox_levels.value + self.mix_levels.value + self.loop_level.value

    @property
    def core(self) -> Design:
        """What is inside a design with 32-bit ports: it with 128-bit ports; else the design."""
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

    def latency(self, key_bits: int | None = None) -> int:
        """Clocks from acceptance of a block to ``out_valid_o``; the longest key by default.

        With 32-bit ports, clocks from the first word of a block to the last one of its result, both
        counted: four words in, the core, its result into the register, four words out. With 8-bit
        ports likewise, from the first byte to the last one.
        """
        if self.interface is Interface.WORDS:
            return 4 + self.core.latency(key_bits) + 1 + 4
        if self.interface is Interface.BYTES:
            return int(self.interval(key_bits)) - 1
        rounds = ROUNDS_OF_KEY[key_bits or self.key_width]
        if self.shared_one:
            waits = 2 + (self.tbox is Tbox.PACKED)
            return waits + rounds * self.sbox_levels.value
        if self.architecture is Architecture.ITERATIVE:
            return 1 + rounds // self.rounds.value + self.key_ahead
        if self.architecture is Architecture.ROLLING:
            if self.order is Order.COLUMNS:
                # A block period a round, and what the registers on the way add to it.
                levels = self.round_levels - 1
                period = int(self.lookups.value)
                return 1 + self.sbox_levels.value + (rounds - 1) * (period + levels) + period
            return 2 * rounds * self.lookups.value
        if self.architecture is Architecture.NARROW:
            if self.datapath is Datapath.W8 and self.direction is Direction.DECRYPT:
                return 28 * (2 * rounds + 1) + 15
            if self.byte_loop:
                return 20 * (rounds + 1)
            if self.datapath is Datapath.W8:
                return 24 * rounds + (key_bits or self.key_width) // 8 + 19
            if self.in_turn:
                # With stored keys of two directions, the first one waits for that of its block.
                wait = self.stored_keys and self.direction is Direction.BOTH
                return 2 * self._turn * rounds + 7 + wait
            return (1 + rounds) * self.parts
        front = 2 if self.mix_levels is MixLevels.TWO else 1
        front += self.key_register is KeyRegister.AHEAD
        return front + rounds * self.round_levels

    def interval(self, key_bits: int | None = None) -> Fraction:
        """Clocks a block when the core is kept busy; the longest key by default.

        A whole number but for interleaved cores whose blocks enter in batches. With 32-bit ports a
        block is loaded when the last one has left.
        """
        if self.interface is Interface.WORDS:
            return Fraction(self.latency(key_bits))
        if self.interface is Interface.BYTES:
            return Fraction(20 * (ROUNDS_OF_KEY[key_bits or self.key_width] + 1))
        if self.architecture is Architecture.ITERATIVE:
            if self.shared_one:
                rounds = ROUNDS_OF_KEY[key_bits or self.key_width]
                last = rounds * self.sbox_levels.value
                return Fraction(last - 1 if self.overlap is Overlap.YES else last + 1)
            overlap = self.overlap is Overlap.YES
            return Fraction(self.latency(key_bits) - self.key_ahead - overlap)
        if self.byte_loop:
            return Fraction(self.latency(key_bits) + 1)
        if self.in_turn:
            return Fraction(self._turn * (ROUNDS_OF_KEY[key_bits or self.key_width] + 1))
        if self.architecture is Architecture.ROLLING:
            return Fraction(self.lookups.value)
        if self.architecture is Architecture.INTERLEAVED:
            if self.shared_add is SharedAdd.YES:
                return Fraction(ROUNDS_OF_KEY[key_bits or self.key_width] + 1)
            if self.restart is Restart.EARLY:
                return Fraction(ROUNDS_OF_KEY[key_bits or self.key_width])
        return Fraction(self.latency(key_bits), self.blocks_in_flight)

    def interval_number(self, key_bits: int | None = None) -> int | float:
        """The interval as a plain number: an int where it is whole, else with three decimals."""
        interval = self.interval(key_bits)
        return interval.numerator if interval.denominator == 1 else round(float(interval), 3)

    def acceptance(self, key_bits: int | None = None) -> Acceptance:
        """When a block is accepted; the longest key by default."""
        if self.interface is Interface.WORDS:
            return Acceptance(frozenset(range(1, self.latency(key_bits))))
        if self.interface is Interface.BYTES:
            return Acceptance(frozenset(range(1, int(self.interval(key_bits)))))
        rounds = ROUNDS_OF_KEY[key_bits or self.key_width]
        if self.in_turn:
            # A block has its turn once more than rounds.
            again = (2 * self._turn * turn for turn in range(1, rounds + 1))
            return Acceptance(frozenset(again), period=self._turn)
        if self.architecture in (Architecture.ITERATIVE, Architecture.NARROW):
            interval = int(self.interval(key_bits))
            busy = frozenset(range(1, interval))
            if self.shared_one and self.overlap is Overlap.YES:
                # The clock of the last round key is that of the block before.
                busy |= {interval + 1}
            return Acceptance(busy, direction_change=self.direction_change)
        if self.architecture is Architecture.INTERLEAVED:
            # A block comes by the multiplexer once a round; by a shared key adder once more.
            passes = rounds + (self.shared_add is SharedAdd.YES)
            slot = frozenset(self.round_levels * number for number in range(1, passes))
            limited = self.restart is Restart.LATENCY
            return Acceptance(slot, self.blocks_in_flight if limited else 0)
        return Acceptance(period=self.lookups.value)

    @property
    def direction_change(self) -> int:
        """Clocks that a block waits whose direction is not that of the last one (see Acceptance).

        Refilled T-boxes are written in 256 clocks, with one more to fill the pipeline.
        """
        return 257 if self.tbox is Tbox.REFILLED else 0

    def key_setup(self, key_bits: int | None = None) -> int:
        """Clocks from acceptance of a key to the first block under it; 0 for on-the-fly keys.

        From its offer where it is accepted when it is expanded (``key_offered``).
        With 32-bit ports, from its last word to the first block that the core takes under it. With
        round keys from outside, where each of their words is there when the core can take it.
        """
        if not self.stored_keys:
            return 0
        if self.key_register is KeyRegister.STAGED:
            # Two words a step of four clocks, and more where it has a SubWord.
            bits = key_bits or self.key_width
            steps = 2 * (ROUNDS_OF_KEY[bits] + 1)
            substitutions = -(-steps // 3) if bits == 192 else steps // 2
            return 4 * steps + (self.sbox_levels.value + 1) * substitutions + 7
        if self.key_offered:
            clocks = 3 if self.key_sbox is Sbox.SHARED else 2
            return 4 * clocks * (ROUNDS_OF_KEY[key_bits or self.key_width] + 1) + 2
        if self.in_turn:
            # Three clocks a word, and three more for one of the key or with SubWord.
            bits = key_bits or self.key_width
            longer = bits // 32 + len(substituted_words(bits))
            return 12 * (ROUNDS_OF_KEY[bits] + 1) + 3 * longer + 7
        # Two words a clock, or one where the key memory is a word wide.
        clocks = 4 if self.datapath is Datapath.W32 else 2
        return clocks * (ROUNDS_OF_KEY[key_bits or self.key_width] + 1) + 3

    @property
    def between_results(self) -> Between:
        """What the output shows while ``out_valid_o`` is low."""
        if self.interface is not Interface.BLOCK or self.guarded:
            return Between.ZERO
        if self.output_register is OutputRegister.NO:
            return Between.STATES
        if self.byte_loop:
            return Between.MOVING
        return {
            Architecture.ITERATIVE: Between.HELD,
            Architecture.NARROW: Between.ASSEMBLED,
            Architecture.INTERLEAVED: Between.HELD,
            Architecture.PIPELINED: Between.PASSING,
            Architecture.ROLLING: Between.PASSING,
        }[self.architecture]

    @property
    def blocks_in_flight(self) -> int:
        """Blocks under way at the same time when the core is kept busy; one over narrow ports."""
        if self.interface is not Interface.BLOCK:
            return 1
        return {
            Architecture.ITERATIVE: 1,
            Architecture.NARROW: 2 if self.in_turn else 1,
            Architecture.INTERLEAVED: self.round_levels,
            Architecture.PIPELINED: self.latency(),
            Architecture.ROLLING: -(-self.latency() // self.lookups.value),
        }[self.architecture]

    @property
    def rounds_in_hardware(self) -> int:
        """Rounds that are built, or done in one clock by a loop."""
        if self.architecture in (Architecture.PIPELINED, Architecture.ROLLING):
            return ROUNDS_OF_KEY[self.key_width]
        return int(self.rounds.value)

    @property
    def sbox_count(self) -> int:
        """S-boxes (or T-boxes) of the data path, and S-boxes of the key schedule."""
        data = 16 // self.lookups.value // self.parts
        if self.tbox is Tbox.FIXED and self.direction is Direction.BOTH:
            data *= 2
        return data * self.rounds_in_hardware + self._key_sbox_count

    @property
    def data_sbox_count(self) -> int:
        """S-boxes (or T-boxes) of the data path alone."""
        return self.sbox_count - self._key_sbox_count

    @property
    def _key_sbox_count(self) -> int:
        """S-boxes of the key schedule, as many as work at the same time."""
        if self.shared_sboxes or self.round_keys_from_outside:
            return 0
        if self.stored_keys or self.architecture is Architecture.INTERLEAVED:
            return 4
        if self.architecture is Architecture.ITERATIVE:
            return 4 * int(self.rounds.value)
        # A SubWord of its own for each that KeyExpansion does.
        return 4 * len(substituted_words(self.key_width))

    @property
    def sbox_rom_bits(self) -> int:
        """Bits of tables meant for block RAM; the two ports of a RAM share an S-box table."""
        # A byte-wide decryption has the S-box of its keys beside the inverse one.
        two = self.direction is Direction.BOTH or (self.shared_sboxes and self.can_decrypt)
        both = 2 if two else 1
        data = key = 0
        if self.sbox is Sbox.ROM:
            # A T-box has 32 bits an entry; refilled ones are of one direction at a time, and made
            # from both S-boxes in one more memory.
            if self.tbox is Tbox.REFILLED:
                data = 8 // self.parts * 256 * 32 + 256 * 16
            elif self.tbox is Tbox.FIXED:
                data = 8 // self.parts * 256 * 32 * both
            elif self.tbox is Tbox.PAIR:
                data = 8 * 256 * 16
            elif self.tbox is Tbox.PACKED:
                # Four tables where a shared key addition lets through what they hold.
                data = 8 * (1024 if self.shared_one else 256) * 18
            else:
                data = (16 // self.lookups.value // self.parts + 1) // 2 * 256 * 8 * both
        if self.key_sbox is Sbox.ROM:
            key = self._key_sbox_count // 2 * 256 * 8
        return data * self.rounds_in_hardware + key

    @property
    def key_memory_bits(self) -> int:
        """Bits of stored round keys, all banks and directions.

        Pipelines and loops keep the keys of the equivalent inverse cipher for decryption.
        """
        banks = {KeySchedule.STORED: 2, KeySchedule.STORED_SINGLE: 1}.get(self.key_schedule, 0)
        if self.architecture in (Architecture.PIPELINED, Architecture.INTERLEAVED):
            banks *= self.can_encrypt + self.can_decrypt
        return banks * (ROUNDS_OF_KEY[self.key_width] + 1) * 128

    def ports(self) -> list[Port]:
        """The ports of the generated core, in order: only those that this design needs."""
        words = self.interface is Interface.WORDS
        key_text = "key, first byte at the top" + (
            "; a shorter key stands at the top" if self.key_bits is KeyBits.ANY else ""
        )
        ports = [
            Port("clk_i", 1, True, "clock, rising edge"),
            Port("rst_ni", 1, True, "reset, low active, asynchronous"),
        ]
        if self.clear is Clear.YES:
            ports += [
                Port("clear_i", 1, True, "overwrite keys and blocks; what is under way is lost"),
                Port("clearing_o", 1, False, "that is going on, as after a reset"),
            ]
        if self.stored_keys:
            offered, taken = "a key is offered", "the key is taken"
            if words:
                offered, taken = "a word of a key is offered", "the word is taken"
            elif self.round_keys_from_outside:
                offered, taken = "a key is announced", "its round keys may come"
            again = "; the key is current when this rises again"
            if self.key_offered:
                offered, taken, again = "a key is offered, until taken", "it is expanded", ""
            ports += [
                Port("key_valid_i", 1, True, offered),
                Port("key_ready_o", 1, False, taken + again),
            ]
            if words:
                text = "words of the key, the first one first"
                ports.append(Port("key_word_i", 32, True, text))
            elif not self.round_keys_from_outside:
                ports.append(Port("key_i", self.key_width, True, key_text))
            if self.key_bits is KeyBits.ANY:
                when = ", read with the first word" if words else ""
                text = f"0: 128 bit, 1: 192 bit, 2: 256 bit{when}"
                ports.append(Port("key_len_i", 2, True, text))
            if self.refuses_key_lengths:
                text = "no key has this length: it is refused, and the old one stays"
                ports.append(Port("key_error_o", 1, False, text))
            if self.round_keys_from_outside:
                width = 32 * self.round_key_words
                text = "words of the round keys in their order, the first one at the top"
                ports += [
                    Port("round_key_valid_i", 1, True, "words of a round key are offered"),
                    Port("round_key_ready_o", 1, False, "they are taken"),
                    *(Port(name, width, True, text) for name in self.round_key_ports),
                ]
        if words:
            ports += [
                Port("in_valid_i", 1, True, "a word of a block is offered"),
                Port("in_ready_o", 1, False, "the word is taken"),
                Port("in_word_i", 32, True, "words of the block, byte 0 at the top of the first"),
            ]
        elif self.interface is Interface.BYTES:
            ports += [
                Port("in_valid_i", 1, True, "a byte of a block and one of its key are offered"),
                Port("in_ready_o", 1, False, "they are taken"),
                Port("in_byte_i", 8, True, "bytes of the block, in the order of FIPS 197"),
                Port("in_key_byte_i", 8, True, "bytes of the key of this block, likewise"),
            ]
        else:
            ports += [
                Port("in_valid_i", 1, True, "a block is offered"),
                Port("in_ready_o", 1, False, "the block is taken"),
                Port("in_block_i", 128, True, "block, byte 0 of FIPS 197 at the top"),
            ]
        if self.direction is Direction.BOTH:
            when = ", read with the first word" if words else ""
            ports.append(Port("in_decrypt_i", 1, True, f"1: decrypt this block{when}"))
        if not self.stored_keys and self.interface is not Interface.BYTES:
            ports.append(Port("in_key_i", self.key_width, True, "key of this block"))
        if words:
            ports += [
                Port("out_valid_o", 1, False, "a word of a result leaves; it cannot be held back"),
                Port("out_word_o", 32, False, "words of the result, in the order of the block's"),
            ]
        elif self.interface is Interface.BYTES:
            ports += [
                Port("out_valid_o", 1, False, "a byte of a result leaves; it cannot be held back"),
                Port("out_byte_o", 8, False, "bytes of the result, in the order of the block's"),
            ]
        else:
            ports += [
                Port("out_valid_o", 1, False, "a result leaves; it cannot be held back"),
                Port("out_block_o", 128, False, "result, byte 0 of FIPS 197 at the top"),
            ]
        if self.hardened is Hardened.YES:
            ports.append(Port("fault_o", 1, False, "the result is zero because of a fault"))
        return ports


_IDENTITY = ("architecture", "sbox", "direction", "key_bits", "key_schedule", "interface")
"""The axes that every design is known by."""


@dataclasses.dataclass(frozen=True)
class Combination:
    """Architecture, key schedule, direction and key size together, legal or not.

    Attributes:
        design: the plainest design with them: other axes are as the architecture needs them.
        reasons: why there is no such design; empty when there is.
    """

    design: Design
    reasons: tuple[str, ...]


def combinations() -> list[Combination]:
    """Every architecture with every key schedule, direction and key size."""
    axes = itertools.product(Architecture, KeySchedule, Direction, KeyBits)
    found = []
    for architecture, key_schedule, direction, key_bits in axes:
        design = dataclasses.replace(
            _plainest(architecture),
            key_schedule=key_schedule,
            direction=direction,
            key_bits=key_bits,
        )
        if design.reasons():
            design = _legal_neighbour(design)
        found.append(Combination(design, tuple(design.reasons())))
    return found


_COMBINED = ("architecture", "key_schedule", "direction", "key_bits", "interface")


def _legal_neighbour(design: Design) -> Design:
    """A legal design one axis away, which is none of a combination's; else the same design."""
    others = (name for name in AXES if name not in _COMBINED)
    changed = (design.with_axis(name, str(v.value)) for name in others for v in AXES[name])
    return next((each for each in changed if not each.reasons()), design)


@functools.cache
def _plainest(architecture: Architecture) -> Design:
    """The first legal design of an architecture, at most one other axis from the default."""
    for key_schedule in KeySchedule:
        start = Design(architecture=architecture, key_schedule=key_schedule)
        changed = (start.with_axis(n, str(v.value)) for n, axis in AXES.items() for v in axis)
        for design in (start, *changed):
            if design.architecture is architecture and not design.reasons():
                return design
    raise AssertionError(f"no legal design is near the {architecture.value} architecture")
