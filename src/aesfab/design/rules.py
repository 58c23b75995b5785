# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Which designs are legal: one table of rules, for Python and for the RTL.

``CORE`` and ``HARDENED`` are what ``aes_core.sv`` checks, ``WORDS`` what ``aes_words.sv`` checks.
``make generated`` prints them into these files, in the order that they have here.
"""

from __future__ import annotations

import functools

from aesfab.design.axes import (
    FIELDS,
    OWNED,
    ROUNDS_OF_KEY,
    Architecture,
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
    Rounds,
    Sbox,
    SboxLevels,
    SharedAdd,
    Tbox,
)
from aesfab.design.conditions import Condition, Field, Name, Rule


def _of(axis: str) -> Field:
    return Field(axis, FIELDS[axis])


class On:
    """The axes, for conditions; those of one bit are a condition."""

    architecture = _of("architecture")
    rounds = _of("rounds")
    datapath = _of("datapath")
    sbox = _of("sbox")
    sbox_levels = _of("sbox_levels")
    tbox = _of("tbox")
    mix_levels = _of("mix_levels")
    shared_add = _of("shared_add")
    restart = _of("restart")
    lookups = _of("lookups")
    order = _of("order")
    key_sbox = _of("key_sbox")
    direction = _of("direction")
    key_bits = _of("key_bits")
    key_schedule = _of("key_schedule")
    key_register = _of("key_register")
    key_expansion = _of("key_expansion")
    key_memory = _of("key_memory")

    serial = _of("interface").flag(Interface.BYTES)
    doubled = _of("doubled").flag(Doubled.YES)
    loop_level = _of("loop_level").flag(LoopLevel.ONE)
    output_register = _of("output_register").flag(OutputRegister.YES)
    overlap = _of("overlap").flag(Overlap.YES)
    hardened = _of("hardened").flag(Hardened.YES)


_NO_SBOX = (KeySbox.NONE, KeySbox.SHARED)
"""No S-boxes of their own. Only the RTL can say so of the data path, and must be told not to."""

NAMES: list[Name] = []
"""Conditions that several rules use, in the order of their declaration in the RTL."""


def _named(name: str, condition: Condition, comment: str | None = None) -> Condition:
    NAMES.append(Name(condition, name, comment))
    return Condition(condition.holds, name, condition.axes)


_ITERATIVE = _named("Iterative", On.architecture.is_(Architecture.ITERATIVE))
_INTERLEAVED = _named("Interleaved", On.architecture.is_(Architecture.INTERLEAVED))
_PIPELINED = _named("Pipelined", On.architecture.is_(Architecture.PIPELINED))
_ROLLING = _named("Rolling", On.architecture.is_(Architecture.ROLLING))
_COLUMNS = _named("Columns", On.order.is_(Order.COLUMNS))
_NARROW = _named("Narrow", On.architecture.is_(Architecture.NARROW))
_MICROCODED = _named("Microcoded", On.architecture.is_(Architecture.MICROCODED))
_BYTES = _named("Bytes", _NARROW & On.datapath.is_(Datapath.W8))
STORED = _named("Stored", On.key_schedule.isnt(KeySchedule.ON_THE_FLY))
_TWO_BANKS = _named("TwoBanks", On.key_schedule.is_(KeySchedule.STORED))
_ANY_KEY = _named("AnyKey", On.key_bits.is_(KeyBits.ANY))
_MULTI = _named("Multi", On.rounds.over(Rounds.ONE))
_ANY_ROM = _named("AnyRom", On.sbox.is_(Sbox.ROM) | On.key_sbox.is_(KeySbox.ROM))
_ALL_DEEP = _named(
    "AllDeep",
    On.sbox.among(Sbox.TOWER, Sbox.SHALLOW, Sbox.ROM)
    & On.key_sbox.among(KeySbox.TOWER, KeySbox.SHALLOW, KeySbox.ROM),
)
_ALL_TOWER = _named("AllTower", On.sbox.is_(Sbox.TOWER) & On.key_sbox.is_(KeySbox.TOWER))
_TBOX = _named("Tbox", On.tbox.isnt(Tbox.NONE))
_REFILLED = _named("Refilled", On.tbox.is_(Tbox.REFILLED))
_COMPACT_LOOP = _named(
    "CompactLoop",
    _INTERLEAVED
    & On.sbox_levels.is_(SboxLevels.ONE)
    & On.mix_levels.is_(MixLevels.ONE)
    & ~On.loop_level,
    "The loop of standaert2003, Fig. 9: S-boxes, MixColumns with the key addition, nothing else.",
)
_CHOSEN_AHEAD = _named(
    "ChosenAhead",
    _ITERATIVE
    & On.overlap
    & On.key_schedule.is_(KeySchedule.STORED_SINGLE)
    & On.direction.is_(Direction.BOTH)
    & ~_TBOX,
    "Iterative cores whose blocks may wait for the first one of their stored round keys.",
)
_STAGED = _named(
    "Staged",
    _PIPELINED | (_INTERLEAVED & On.shared_add.isnt(SharedAdd.YES)),
    "Rounds of aes_round_staged.",
)
_DEEP_LOOP = _named(
    "DeepLoop",
    _INTERLEAVED & On.mix_levels.is_(MixLevels.TWO) & ~On.loop_level,
    "A loop whose last register level can take a new block beside the round's result.",
)
_PAIR = _named(
    "Pair",
    On.tbox.among(Tbox.PAIR, Tbox.PACKED),
    "T-boxes in RAM words of one port whose key addition may be that of entry and result, too.",
)
_SHARED_PAIR = _named("SharedPair", _ITERATIVE & _PAIR & ~STORED)
SHARED_ONE = _named("SharedOne", _ITERATIVE & _TBOX & On.shared_add.is_(SharedAdd.YES), "")
OFFERED = _named(
    "Offered",
    On.key_expansion.is_(KeyExpansion.WORD_SERIAL),
    "The loop of one register and one key addition, with the key schedule that is made for it.",
)
_LOGIC_SBOX = _named("LogicSbox", ~On.sbox.among(Sbox.ROM, *_NO_SBOX))
_COMPACT = _named(
    "Compact",
    _ITERATIVE
    & ~_TBOX
    & _LOGIC_SBOX
    & On.shared_add.is_(SharedAdd.YES)
    & ~On.overlap
    & ~_ANY_KEY
    & On.direction.isnt(Direction.BOTH)
    & On.key_schedule.is_(KeySchedule.STORED_SINGLE)
    & On.key_memory.is_(KeyMemory.DISTRIBUTED)
    & On.key_sbox.isnt(KeySbox.NONE),
)
_WAIT_IN_RAM = _named(
    "WaitInRam",
    (_PIPELINED | _INTERLEAVED)
    & On.mix_levels.is_(MixLevels.TWO)
    & On.sbox_levels.over(SboxLevels.TWO)
    & On.key_memory.is_(KeyMemory.DISTRIBUTED),
    "Keys of a pipeline or an interleaved loop that wait for their SubWord in LUT RAM.",
)
BYTE_LOOP = _named(
    "ByteLoop",
    (On.serial & ~_MICROCODED)
    | (_BYTES & On.direction.is_(Direction.ENCRYPT) & On.key_memory.isnt(KeyMemory.AUTO)),
    "The byte-wide core whose round takes 20 clocks, behind 8-bit ports or two shift registers.",
)
TURNS = _named(
    "Turns",
    _NARROW
    & On.datapath.is_(Datapath.W32)
    & On.sbox_levels.is_(SboxLevels.TWO)
    & On.direction.isnt(Direction.DECRYPT)
    & ~_TBOX
    & On.key_sbox.is_(KeySbox.SHARED)
    & On.key_schedule.is_(KeySchedule.STORED_SINGLE)
    & On.key_memory.is_(KeyMemory.DISTRIBUTED),
    "Two blocks in turn on a narrow data path, with stored keys.",
)
_DIVIDES = _named(
    "Divides",
    functools.reduce(
        Condition.__and__,
        (
            ~(On.key_bits.among(KeyBits(bits), KeyBits.ANY) & On.rounds.leaves(rounds))
            for bits, rounds in ROUNDS_OF_KEY.items()
        ),
    ),
    "Nr mod rounds for every key size that the design takes; all of them are 10, 12 or 14.",
)

_ARCHITECTURES = {
    Architecture.ITERATIVE: _ITERATIVE,
    Architecture.INTERLEAVED: _INTERLEAVED,
    Architecture.PIPELINED: _PIPELINED,
    Architecture.ROLLING: _ROLLING,
    Architecture.NARROW: _NARROW,
    Architecture.MICROCODED: _MICROCODED,
}


def _only(axis: str, moved: Condition, label: str = "") -> Rule:
    """That an axis is moved in its own architecture only (``axes.OWNED``).

    Args:
        axis: whose row it is.
        moved: that the axis has another value than the neutral one.
        label: of the rule, where it is not called as the axis.
    """
    owned = OWNED[axis]
    (own,) = owned.architectures
    reason = f"only the {own.value} architecture {owned.does}"
    return Rule(label or axis, moved & ~_ARCHITECTURES[own], reason)


def _moved(axis: str) -> Condition:
    return _of(axis).isnt(OWNED[axis].neutral)


CORE = (
    Rule(
        "rounds",
        ~_DIVIDES,
        "the rounds in hardware must divide the number of rounds of every key size",
    ),
    _only("rounds", _MULTI, "rounds_arch"),
    Rule(
        "rounds_rom",
        _MULTI & _ANY_ROM,
        "a block-RAM S-box takes a clock, so it cannot do several rounds in one",
    ),
    Rule(
        "rounds_stored",
        _MULTI & STORED,
        "several rounds a clock need on-the-fly keys: a memory gives one key a clock",
    ),
    Rule(
        "levels",
        _ITERATIVE
        & (On.sbox_levels.over(SHARED_ONE.then(2, 1)) | On.mix_levels.isnt(MixLevels.ZERO)),
        "the iterative architecture has one register in a round, that of the S-boxes, or two "
        "where its one key addition is shared",
    ),
    Rule(
        "rolling_levels",
        _ROLLING
        & ~_COLUMNS
        & (On.sbox_levels.isnt(SboxLevels.ONE) | On.mix_levels.isnt(MixLevels.ZERO)),
        "the rolling architecture has one register in a round beside the one of its S-boxes",
    ),
    Rule(
        "column_levels",
        _ROLLING & _COLUMNS & On.mix_levels.over(MixLevels.ONE),
        "columns that come one after the other have one register after MixColumns at most",
    ),
    Rule(
        "narrow_levels",
        _NARROW & STORED & On.sbox_levels.isnt(SboxLevels.ONE) & ~TURNS,
        "the narrow architecture with stored keys has S-boxes with one register, or, on 32 bits "
        "and where they encrypt and make the round keys, too, in one bank of LUT RAM, with two",
    ),
    Rule(
        "narrow_sbox_levels",
        _NARROW
        & ~STORED
        & On.sbox_levels.over((_BYTES & On.direction.is_(Direction.DECRYPT)).then(4, 3)),
        "S-boxes of a narrow core with on-the-fly keys have three registers at most, or four "
        "for decryption",
    ),
    Rule(
        "narrow_mix",
        (_NARROW | _MICROCODED) & On.mix_levels.isnt(MixLevels.ZERO),
        "narrow and microcoded architectures have no choice of registers in MixColumns",
    ),
    Rule(
        "narrow_datapath",
        _NARROW & ~STORED & On.datapath.is_(Datapath.W64),
        "the narrow architecture with on-the-fly keys has a data path of 32 or 8 bits",
    ),
    Rule(
        "narrow_byte",
        _NARROW & STORED & On.datapath.is_(Datapath.W8),
        "a data path of 8 bits makes its keys on the fly",
    ),
    Rule(
        "narrow_sbox",
        _NARROW & ~STORED & On.sbox.differs(On.key_sbox),
        "the narrow architecture makes on-the-fly keys with the S-boxes of the data path",
    ),
    Rule(
        "datapath",
        _moved("datapath").differs(_NARROW | _MICROCODED),
        "narrow and microcoded architectures, and no others, have less than 128 bits of data path",
    ),
    Rule(
        "microcoded_datapath",
        _MICROCODED & On.datapath.isnt(Datapath.W8),
        "the microcoded architecture has a data path of 8 bits",
    ),
    Rule(
        "microcoded_sbox",
        _MICROCODED
        & (
            On.sbox.isnt(Sbox.ROM)
            | On.key_sbox.isnt(KeySbox.ROM)
            | On.sbox_levels.isnt(SboxLevels.ONE)
        ),
        "the one S-box of the microcoded architecture is in its data RAM, which is read in a clock",
    ),
    Rule(
        "microcoded_program",
        _MICROCODED & (On.direction.isnt(Direction.ENCRYPT) | On.key_bits.isnt(KeyBits.K128)),
        "the program of the microcoded architecture is encryption under 128-bit keys",
    ),
    Rule(
        "mix_levels",
        (_PIPELINED | _INTERLEAVED) & On.mix_levels.is_(MixLevels.ZERO),
        "pipelined and interleaved rounds have a register after MixColumns",
    ),
    Rule(
        "doubled_inverse",
        On.doubled & On.direction.isnt(Direction.ENCRYPT),
        "the doubles of S-boxes are of use to MixColumns, not to its inverse",
    ),
    Rule(
        "table_levels",
        On.sbox_levels.over(SboxLevels.TWO) & ~_ALL_DEEP,
        "only composite-field and block-RAM S-boxes have more than two register levels",
    ),
    Rule(
        "sbox_levels",
        On.sbox_levels.over(SboxLevels.FOUR) & ~_ALL_TOWER,
        "only tower S-boxes have more than four register levels",
    ),
    Rule(
        "wide_levels",
        On.sbox_levels.over(SboxLevels.ONE)
        & (On.sbox.is_(Sbox.WIDE) | On.key_sbox.is_(KeySbox.WIDE)),
        "a table in one piece has one register level",
    ),
    _only("loop_level", On.loop_level),
    Rule("doubled", On.doubled & ~_STAGED, "only staged rounds take the doubles of their S-boxes"),
    Rule(
        "shared_first",
        On.shared_add.is_(SharedAdd.FIRST) & ~_DEEP_LOOP,
        "only a loop of two levels in MixColumns and no loop level shares just the first addition",
    ),
    Rule(
        "shared_add",
        On.shared_add.is_(SharedAdd.YES) & ~_COMPACT_LOOP & ~_SHARED_PAIR & ~OFFERED,
        "a shared key addition needs an interleaved loop of two levels, T-boxes in pairs or "
        "packed and on-the-fly keys, or a key that is offered until it is expanded",
    ),
    Rule(
        "out_reg",
        ~On.output_register & ~(On.shared_add.is_(SharedAdd.YES) & (_COMPACT_LOOP | OFFERED)),
        "the state register is the output only of a loop of two levels or a key that is "
        "offered, with a shared key addition",
    ),
    Rule(
        "shared_overlap",
        SHARED_ONE & On.overlap & On.sbox_levels.is_(SboxLevels.ONE),
        "where entry and result share a key addition, two blocks overlap only if a round takes "
        "two clocks",
    ),
    Rule(
        "shared_key_reg",
        SHARED_ONE & On.key_register.is_(KeyRegister.ROUND_KEY),
        "a shared key addition of the iterative architecture takes the key that is held",
    ),
    _only("restart", _moved("restart")),
    _only("overlap", On.overlap),
    Rule(
        "overlap_refilled",
        On.overlap & _REFILLED,
        "refilled T-boxes belong to one block, so the next one waits until it has left",
    ),
    _only("lookups", _moved("lookups")),
    Rule(
        "order",
        On.order.is_(Order.SHIFTER) & On.lookups.isnt(Lookups.FOUR),
        "a cyclic shifter brings four bytes at a time: it needs four look-ups",
    ),
    Rule(
        "columns",
        _COLUMNS & On.lookups.is_(Lookups.ONE),
        "columns come one after the other where an S-box is used several times",
    ),
    Rule(
        "tbox_arch",
        _TBOX & ((~_ITERATIVE & ~_NARROW) | _MULTI),
        "T-boxes need the iterative architecture with one round a clock, or the narrow one",
    ),
    Rule(
        "tbox_sbox",
        _TBOX & ~On.sbox.among(Sbox.TABLE, Sbox.ROM),
        "a T-box is a table in parts or a block RAM",
    ),
    # Of the RTL alone: Sbox has neither.
    Rule(
        "no_sbox",
        On.sbox.among(*_NO_SBOX),
        "only a key schedule can do without S-boxes",
    ),
    Rule(
        "no_key_sbox",
        On.key_sbox.is_(KeySbox.NONE) & ~(STORED & (_ITERATIVE | _NARROW)),
        "round keys from outside are stored ones of the iterative or narrow architecture",
    ),
    Rule(
        "tbox_keys",
        _TBOX & _NARROW & ~STORED,
        "T-boxes of the narrow architecture need stored keys",
    ),
    Rule(
        "tbox_refilled",
        _REFILLED & (On.sbox.isnt(Sbox.ROM) | On.direction.isnt(Direction.BOTH)),
        "refilled T-boxes are block RAMs of a core for both directions",
    ),
    Rule(
        "tbox_pair",
        _PAIR & (On.sbox.isnt(Sbox.ROM) | On.direction.isnt(Direction.ENCRYPT) | ~_ITERATIVE),
        "pairs of products and packed ones are RAMs of an iterative core for encryption",
    ),
    Rule(
        "keys",
        STORED & (_ROLLING | _MICROCODED),
        "in rolling and microcoded architectures a key travels with each block",
    ),
    Rule("pipeline_any", _PIPELINED & _ANY_KEY, "a pipeline has the rounds of one key size"),
    Rule(
        "loop_any",
        _INTERLEAVED & _ANY_KEY & _TWO_BANKS,
        "in a loop a block of a shorter key would overtake: all key sizes need one bank",
    ),
    Rule(
        "pipeline_mem",
        _PIPELINED & STORED & On.key_memory.isnt(KeyMemory.AUTO),
        "a pipeline reads all round keys at once: they are in registers, not in a memory",
    ),
    Rule(
        "direction",
        ~STORED & On.direction.isnt(Direction.ENCRYPT) & ~_BYTES,
        "on-the-fly keys run forward from the cipher key, so they serve encryption only",
    ),
    Rule(
        "bytes_both",
        _BYTES & On.direction.is_(Direction.BOTH),
        "a data path of 8 bits is for one direction",
    ),
    Rule(
        "bytes_size",
        _BYTES & On.direction.is_(Direction.DECRYPT) & On.key_bits.isnt(KeyBits.K128),
        "a data path of 8 bits decrypts under 128-bit keys only",
    ),
    Rule("key_size", ~STORED & _ANY_KEY, "on-the-fly keys are made for one key size"),
    Rule(
        "fly_size",
        ~STORED & (_ROLLING | (_NARROW & ~_BYTES)) & On.key_bits.isnt(KeyBits.K128),
        "rolling cores, and narrow ones of 32 bits, make round keys of 128-bit keys only on the "
        "fly",
    ),
    Rule(
        "key_reg",
        On.key_register.is_(KeyRegister.ROUND_KEY) & (STORED | ~_ITERATIVE),
        "only on-the-fly keys of the iterative architecture have a register to place",
    ),
    Rule(
        "key_ahead",
        On.key_register.is_(KeyRegister.AHEAD) & ~(_PIPELINED & ~STORED) & ~_CHOSEN_AHEAD,
        "only on-the-fly keys of a pipeline are made a clock ahead, and only the first one of "
        "an iterative core with overlap, one bank and both directions is chosen a clock ahead",
    ),
    Rule(
        "key_sums",
        On.key_register.is_(KeyRegister.SUMS)
        & (STORED | ~_ITERATIVE | _MULTI | _TBOX | On.key_bits.isnt(KeyBits.K128)),
        "running sums are of 128-bit on-the-fly keys, for one round a clock and no T-boxes",
    ),
    Rule(
        "key_staged",
        On.key_expansion.is_(KeyExpansion.STAGED) & ~(STORED & (_PIPELINED | _INTERLEAVED)),
        "only stored keys of a pipeline or an interleaved loop are made in stages",
    ),
    Rule(
        "key_offered",
        OFFERED & ~_COMPACT,
        "a key is offered until it is expanded where an iterative core for one direction and "
        "key size has a shared key addition, logic for S-boxes, one bank of LUT RAM and no "
        "overlap",
    ),
    Rule(
        "key_shared",
        On.key_sbox.is_(KeySbox.SHARED) & ~(OFFERED & On.direction.is_(Direction.ENCRYPT)) & ~TURNS,
        "S-boxes of the state make round keys where they encrypt: of a key that is offered until "
        "it is expanded, or between the blocks of a narrow core that take turns",
    ),
    Rule(
        "key_reg_rom",
        On.key_register.is_(KeyRegister.ROUND_KEY) & On.key_sbox.is_(KeySbox.ROM) & ~_TBOX,
        "where S-boxes of the key schedule are block RAMs, only T-boxes let it run ahead",
    ),
    Rule(
        "key_mem",
        ~STORED & On.key_memory.isnt(KeyMemory.AUTO) & ~_WAIT_IN_RAM & ~BYTE_LOOP & ~_MICROCODED,
        "on-the-fly keys have no key memory to choose, but LUT RAM in which those of a pipeline "
        "or an interleaved loop, with two levels in MixColumns, wait for three S-box levels or "
        "more, and the RAM of a data path of 8 bits for encryption, or of a microcoded core",
    ),
    Rule(
        "serial",
        BYTE_LOOP & ~(_BYTES & On.direction.is_(Direction.ENCRYPT) & On.key_bits.is_(KeyBits.K128)),
        "8-bit ports, and a RAM of the data path of 8 bits, go with encryption under 128-bit keys",
    ),
    Rule(
        "serial_levels",
        BYTE_LOOP & On.sbox_levels.isnt(On.sbox.is_(Sbox.ROM).then(2, 1)),
        "with 8-bit ports, or a RAM of the data path of 8 bits, an S-box has one register in logic "
        "and two in block RAM",
    ),
    Rule(
        "serial_hardened",
        (BYTE_LOOP | _MICROCODED) & On.hardened,
        "a core with 8-bit ports, or with a RAM of the data path of 8 bits, or with microcode, is "
        "not hardened",
    ),
)
"""What ``aes_core`` checks of every design."""

HARDENED = (
    Rule(
        "hardened_tbox",
        On.hardened & (_TBOX | On.key_sbox.is_(KeySbox.NONE)),
        "T-boxes and round keys from outside are not hardened",
    ),
    Rule(
        "hardened_keys",
        On.hardened
        & (
            (_ITERATIVE & On.key_register.is_(KeyRegister.AHEAD))
            | On.key_expansion.isnt(KeyExpansion.DOUBLE_WORD)
        ),
        "keys that an iterative core chooses ahead, that are offered until expanded, or made in "
        "stages, are not hardened",
    ),
    Rule(
        "hardened_stored",
        On.hardened & STORED & (_PIPELINED | _INTERLEAVED | TURNS),
        "a pipeline, an interleaved loop, and a narrow core of two blocks in turn are hardened "
        "with on-the-fly keys only",
    ),
    Rule(
        "hardened_mem",
        On.hardened & (_PIPELINED | _INTERLEAVED) & On.key_memory.is_(KeyMemory.DISTRIBUTED),
        "the counters that address LUT RAM in which keys wait are not hardened",
    ),
    Rule(
        "hardened_loop",
        On.hardened & _INTERLEAVED & On.key_bits.is_(KeyBits.K192),
        "an interleaved loop has a bit of control among the words of 192-bit keys, so it is not "
        "hardened",
    ),
    Rule(
        "hardened_bytes",
        On.hardened
        & _BYTES
        & ~(On.direction.is_(Direction.ENCRYPT) & On.key_bits.is_(KeyBits.K128)),
        "a data path of 8 bits is hardened for encryption under 128-bit keys only",
    ),
)
"""What it checks of hardened ones."""

_IN_WORDS = _of("interface").flag(Interface.WORDS)

WORDS = (
    Rule(
        "words_keys",
        On.key_schedule.is_(KeySchedule.ON_THE_FLY),
        "32-bit ports load a key by itself, so they need stored keys",
        _IN_WORDS,
    ),
    Rule(
        "words_round_keys",
        On.key_sbox.is_(KeySbox.NONE),
        "32-bit ports take keys, of which the core makes the round keys",
        _IN_WORDS,
    ),
    Rule(
        "words_offered",
        On.key_expansion.is_(KeyExpansion.WORD_SERIAL),
        "32-bit ports hold a key in a register, so the core does not wait for it",
        _IN_WORDS,
    ),
    Rule(
        "words_turns",
        On.architecture.is_(Architecture.NARROW) & On.sbox_levels.over(SboxLevels.ONE),
        "32-bit ports go with cores that take a block in any clock, not in turns",
        _IN_WORDS,
    ),
    Rule(
        "words_arch",
        On.architecture.among(Architecture.PIPELINED, Architecture.INTERLEAVED),
        "32-bit ports hold one block at a time: they go with cores that do the same",
        _IN_WORDS,
    ),
)
"""What ``aes_words`` checks beside, which stands around a core with 32-bit ports."""

RULES = (*CORE, *HARDENED, *WORDS)


def declarations() -> list[str]:
    """The conditions with a name, as SystemVerilog."""
    lines: list[str] = []
    for name in NAMES:
        # What is said of one begins a paragraph.
        lines += [""] * (name.comment is not None) + name.lines()
    return lines


def checks(rules: tuple[Rule, ...]) -> list[str]:
    """The checks, which stop elaboration, as SystemVerilog."""
    return [line for rule in rules for line in rule.lines()]
