# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The axes of the family: their values, and how each is written in the RTL."""

from __future__ import annotations

import dataclasses
import enum
import functools
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

from aesfab.errors import AesfabError, unknown


class Axis(enum.Enum):
    """One axis of the family; a member's value is what the user writes."""

    # A member is itself alone. That of Enum hashes its name, in Python, and tables look up points.
    __hash__ = object.__hash__

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
    INTERLEAVED = "interleaved"
    PIPELINED = "pipelined"
    ROLLING = "rolling"
    NARROW = "narrow"
    MICROCODED = "microcoded"


class Datapath(Axis):
    """Bits of the state that are processed a clock."""

    W128 = 128
    W64 = 64
    W32 = 32
    W8 = 8


class Sbox(Axis):
    """How SubBytes is realised."""

    TABLE = "table"
    ROM = "rom"
    TOWER = "tower"
    SHALLOW = "shallow"
    WIDE = "wide"


class KeySbox(Axis):
    """How SubWord of the key schedule is realised: as SubBytes, by the S-boxes of that, or not."""

    TABLE = "table"
    ROM = "rom"
    TOWER = "tower"
    SHALLOW = "shallow"
    WIDE = "wide"
    NONE = "none"
    SHARED = "shared"


class SboxLevels(Axis):
    """Register levels of the S-boxes."""

    ONE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8


class Doubled(Axis):
    """Whether the S-boxes give {02} S too, which MixColumns then need not make."""

    NO = "no"
    YES = "yes"


class Tbox(Axis):
    """Whether MixColumns is part of the tables."""

    NONE = "none"
    FIXED = "fixed"
    REFILLED = "refilled"
    PAIR = "pair"
    PACKED = "packed"


class MixLevels(Axis):
    """Register levels of MixColumns with the key addition."""

    ZERO = 0
    ONE = 1
    TWO = 2


class LoopLevel(Axis):
    """Register levels at the multiplexer of a loop."""

    ZERO = 0
    ONE = 1


class SharedAdd(Axis):
    """Whether the key addition of the round also does the first one, or that and the last one."""

    NO = "no"
    FIRST = "first"
    YES = "yes"


class OutputRegister(Axis):
    """Whether the result has a register of its own, or the register of the state is the output.

    Without one, ``out_block_o`` shows inner states and round keys between results.
    """

    NO = "no"
    YES = "yes"


class Restart(Axis):
    """When the next block may enter a loop: in a free slot, or when the first one has left."""

    EARLY = "early"
    LATENCY = "latency"


class Overlap(Axis):
    """Whether a block enters in the clock in which the last round of the one before it is done."""

    NO = "no"
    YES = "yes"


class Lookups(Axis):
    """Look-ups that an S-box does in turn for a block."""

    ONE = 1
    TWO = 2
    FOUR = 4


class Order(Axis):
    """How bytes are brought to S-boxes that are used several times.

    Row by row from a block that stands still, or column by column as the round before makes them.
    """

    PERMUTATION = "permutation"
    SHIFTER = "shifter"
    COLUMNS = "columns"


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


class KeyRegister(Axis):
    """Where the register of on-the-fly keys stands: behind SubWord, or behind the key round.

    Or, in a pipeline, beside each round, with key rounds that are a clock ahead of theirs; with
    stored keys of an iterative core, ahead is a register for the first key of a block. Or behind
    SubWord and behind running sums of words, which are one addition from the next round key.
    """

    SUB_WORD = "sub-word"
    ROUND_KEY = "round-key"
    AHEAD = "ahead"
    SUMS = "sums"


class KeyExpansion(Axis):
    """How stored round keys are made.

    Two words a clock, or one where the key memory is a word wide. Or, in a pipeline or an
    interleaved loop, staged: with registers in SubWord as in SubBytes of a round, and behind each
    addition, so that two words take several clocks. Or a word at a time, from a key that stays on
    its port until all of them are made.
    """

    DOUBLE_WORD = "double-word"
    STAGED = "staged"
    WORD_SERIAL = "word-serial"


class KeyMemory(Axis):
    """What the stored round keys are kept in.

    Or, of on-the-fly keys, what those of a pipeline or an interleaved loop wait in while SubWord
    is on its way: flip-flops, or LUT RAM. Or the round key of a byte-wide core.
    """

    AUTO = "auto"
    BLOCK = "block"
    DISTRIBUTED = "distributed"


class Interface(Axis):
    """Width of the ports: a block and a key at once, or words or bytes of them one after the other.

    In the RTL, words are no field of ``cfg_t`` but a module, ``aes_words`` around ``aes_core``;
    bytes are ``serial``, a core of their own.
    """

    BLOCK = "block"
    WORDS = "words"
    BYTES = "bytes"


class Rounds(Axis):
    """Rounds in hardware, all done in one clock."""

    ONE = 1
    TWO = 2
    FIVE = 5
    TEN = 10


class Hardened(Axis):
    """Whether control is kept in three copies that vote, and a fault makes results zero."""

    NO = "no"
    YES = "yes"


class Clear(Axis):
    """Whether a port, and a reset, overwrite keys and blocks."""

    NO = "no"
    YES = "yes"


_RTL_NAMES: dict[Axis, str] = {
    Architecture.ITERATIVE: "ArchIterative",
    Architecture.INTERLEAVED: "ArchInterleaved",
    Architecture.PIPELINED: "ArchPipelined",
    Architecture.ROLLING: "ArchRolling",
    Architecture.NARROW: "ArchNarrow",
    Architecture.MICROCODED: "ArchMicrocoded",
    Datapath.W128: "8'd128",
    Datapath.W64: "8'd64",
    Datapath.W32: "8'd32",
    Datapath.W8: "8'd8",
    SboxLevels.ONE: "4'd1",
    SboxLevels.TWO: "4'd2",
    SboxLevels.THREE: "4'd3",
    SboxLevels.FOUR: "4'd4",
    SboxLevels.FIVE: "4'd5",
    SboxLevels.SIX: "4'd6",
    SboxLevels.SEVEN: "4'd7",
    SboxLevels.EIGHT: "4'd8",
    Doubled.NO: "1'b0",
    Doubled.YES: "1'b1",
    Tbox.NONE: "TboxNone",
    Tbox.FIXED: "TboxFixed",
    Tbox.REFILLED: "TboxRefilled",
    Tbox.PAIR: "TboxPair",
    Tbox.PACKED: "TboxPacked",
    MixLevels.ZERO: "2'd0",
    MixLevels.ONE: "2'd1",
    MixLevels.TWO: "2'd2",
    LoopLevel.ZERO: "1'b0",
    LoopLevel.ONE: "1'b1",
    SharedAdd.NO: "ShareNone",
    SharedAdd.FIRST: "ShareFirst",
    SharedAdd.YES: "ShareAll",
    OutputRegister.NO: "1'b0",
    OutputRegister.YES: "1'b1",
    Overlap.NO: "1'b0",
    Overlap.YES: "1'b1",
    Restart.EARLY: "RestartEarly",
    Restart.LATENCY: "RestartLatency",
    Lookups.ONE: "3'd1",
    Lookups.TWO: "3'd2",
    Lookups.FOUR: "3'd4",
    Order.PERMUTATION: "OrderPermutation",
    Order.SHIFTER: "OrderShifter",
    Order.COLUMNS: "OrderColumns",
    Sbox.TABLE: "SboxTable",
    Sbox.ROM: "SboxRom",
    Sbox.TOWER: "SboxTower",
    Sbox.SHALLOW: "SboxShallow",
    Sbox.WIDE: "SboxWide",
    KeySbox.NONE: "SboxNone",
    KeySbox.SHARED: "SboxShared",
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
    KeyRegister.SUB_WORD: "KeyRegSubWord",
    KeyRegister.ROUND_KEY: "KeyRegRoundKey",
    KeyRegister.AHEAD: "KeyRegAhead",
    KeyRegister.SUMS: "KeyRegSums",
    KeyExpansion.DOUBLE_WORD: "KeyExpDoubleWord",
    KeyExpansion.STAGED: "KeyExpStaged",
    KeyExpansion.WORD_SERIAL: "KeyExpWordSerial",
    KeyMemory.AUTO: "KeyMemAuto",
    KeyMemory.BLOCK: "KeyMemBlock",
    KeyMemory.DISTRIBUTED: "KeyMemDistributed",
    Interface.BLOCK: "1'b0",
    Interface.WORDS: "1'b0",
    Interface.BYTES: "1'b1",
    Hardened.NO: "1'b0",
    Hardened.YES: "1'b1",
    Clear.NO: "1'b0",
    Clear.YES: "1'b1",
    Rounds.ONE: "4'd1",
    Rounds.TWO: "4'd2",
    Rounds.FIVE: "4'd5",
    Rounds.TEN: "4'd10",
}

# Both kinds of S-boxes are of one type in the RTL.
_RTL_NAMES |= {KeySbox(sbox.value): _RTL_NAMES[sbox] for sbox in Sbox}

ROUNDS_OF_KEY = {128: 10, 192: 12, 256: 14}
"""Nr of FIPS 197, table 3."""

AXES: dict[str, type[Axis]] = {
    "architecture": Architecture,
    "rounds": Rounds,
    "datapath": Datapath,
    "sbox": Sbox,
    "sbox_levels": SboxLevels,
    "doubled": Doubled,
    "tbox": Tbox,
    "mix_levels": MixLevels,
    "loop_level": LoopLevel,
    "shared_add": SharedAdd,
    "output_register": OutputRegister,
    "restart": Restart,
    "overlap": Overlap,
    "lookups": Lookups,
    "order": Order,
    "key_sbox": KeySbox,
    "direction": Direction,
    "key_bits": KeyBits,
    "key_schedule": KeySchedule,
    "key_register": KeyRegister,
    "key_expansion": KeyExpansion,
    "key_memory": KeyMemory,
    "interface": Interface,
    "hardened": Hardened,
    "clear": Clear,
}
"""Axis name to its type, in the order of the fields of Design."""


@dataclasses.dataclass(frozen=True)
class Owned:
    """Whose an axis is.

    Attributes:
        architectures: those that have a choice of it.
        neutral: its value in all others.
        does: what only its one architecture does. Empty where another rule keeps others from it.
    """

    architectures: frozenset[Architecture]
    neutral: Axis
    does: str = ""


def _owned(neutral: Axis, *architectures: Architecture, does: str = "") -> Owned:
    return Owned(frozenset(architectures), neutral, does)


_ITERATIVE, _INTERLEAVED, _PIPELINED, _ROLLING, _NARROW, _MICROCODED = Architecture

OWNED: dict[str, Owned] = {
    "rounds": _owned(Rounds.ONE, _ITERATIVE, does="does several rounds in one clock"),
    "datapath": _owned(Datapath.W128, _NARROW, _MICROCODED),
    "doubled": _owned(Doubled.NO, _INTERLEAVED, _PIPELINED),
    "tbox": _owned(Tbox.NONE, _ITERATIVE, _NARROW),
    "mix_levels": _owned(MixLevels.ZERO, _INTERLEAVED, _PIPELINED, _ROLLING),
    "loop_level": _owned(
        LoopLevel.ZERO, _INTERLEAVED, does="has a register at the multiplexer of a loop"
    ),
    "shared_add": _owned(SharedAdd.NO, _ITERATIVE, _INTERLEAVED),
    "output_register": _owned(OutputRegister.YES, _ITERATIVE, _INTERLEAVED),
    "restart": _owned(Restart.EARLY, _INTERLEAVED, does="has a choice when the next block enters"),
    "overlap": _owned(Overlap.NO, _ITERATIVE, does="overlaps last round and entry of two blocks"),
    "lookups": _owned(Lookups.ONE, _ROLLING, does="uses an S-box several times for a block"),
    "order": _owned(Order.PERMUTATION, _ROLLING),
    "key_register": _owned(KeyRegister.SUB_WORD, _ITERATIVE, _PIPELINED),
    "key_expansion": _owned(KeyExpansion.DOUBLE_WORD, _ITERATIVE, _INTERLEAVED, _PIPELINED),
    "key_memory": _owned(
        KeyMemory.AUTO, _ITERATIVE, _INTERLEAVED, _PIPELINED, _NARROW, _MICROCODED
    ),
}
"""The axes that not every architecture has.

``Point`` is one flat record of all axes in spite of them, as ``cfg_t`` of the RTL is one packed
struct: a module asks a field, not first which of five records it has.
"""


def of_architecture(architecture: Axis) -> list[str]:
    """The axes that an architecture has, in the order of AXES."""
    return [name for name in AXES if name not in OWNED or architecture in OWNED[name].architectures]


FIELDS = {
    "architecture": "arch",
    "rounds": "rounds",
    "datapath": "datapath",
    "interface": "serial",
    "sbox": "sbox",
    "sbox_levels": "sbox_levels",
    "doubled": "doubled",
    "tbox": "tbox",
    "mix_levels": "mix_levels",
    "loop_level": "loop_level",
    "shared_add": "shared_add",
    "output_register": "out_reg",
    "restart": "restart",
    "overlap": "overlap",
    "lookups": "lookups",
    "order": "order",
    "key_sbox": "key_sbox",
    "direction": "dir",
    "key_bits": "key_size",
    "key_schedule": "key_sched",
    "key_register": "key_reg",
    "key_expansion": "key_exp",
    "key_memory": "key_mem",
    "hardened": "hardened",
    "clear": "clear",
}
"""Axis name to its field of ``aes_pkg::cfg_t``, in the order of the fields there."""


_MOVED: dict[tuple[str, str], dict[str, str]] = {
    ("key_register", "staged"): {"key_register": "sub-word", "key_expansion": "staged"},
    ("key_register", "offered"): {"key_register": "sub-word", "key_expansion": "word-serial"},
}
"""Axis and value as they were called once, to what is said today."""


def renamed(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Axes and values of a record, under the names of today."""
    today: dict[str, Any] = {}
    for axis, value in parameters.items():
        today |= _MOVED.get((axis, str(value)), {axis: value})
    if "key_register" in today:
        # One axis had the values of both.
        today.setdefault("key_expansion", KeyExpansion.DOUBLE_WORD.value)
    return today


def require_known(axis: str, value: str) -> None:
    """AesfabError for an axis or a value that there is not, under a name of today or before."""
    if axis not in AXES:
        raise unknown("axis", axis, AXES)
    if (axis, value) not in _MOVED:
        AXES[axis].parse(axis, value)


@functools.cache
def _say_moved(axis: str, value: str) -> None:
    """One line on stderr, once."""
    now = " ".join(f"{name}={new}" for name, new in _MOVED[axis, value].items())
    print(f"{axis}={value} is called {now} now", file=sys.stderr)


class HasAxes(Protocol):
    """What has axes that a user changes by ``axis=value``: a design, an engine."""

    def with_axis(self, name: str, value: str) -> Self:
        """The same with one axis changed; AesfabError for an unknown axis or value."""


H = TypeVar("H", bound=HasAxes)


def overridden(start: H, overrides: Sequence[str]) -> tuple[H, tuple[tuple[str, str], ...]]:
    """What ``axis=value`` words make of it, and those that change something.

    A word that is called otherwise today means what it meant, and says so on stderr.

    Raises AesfabError for a word that is none, an unknown axis or value, an axis given twice.
    """
    given: set[str] = set()
    applied = []
    for override in overrides:
        said, equals, text = override.partition("=")
        if not equals:
            raise AesfabError(
                f"'{override}' is not of the form axis=value; one design is taken at a time"
            )
        if (said, text) in _MOVED:
            _say_moved(said, text)
        for axis, value in _MOVED.get((said, text), {said: text}).items():
            changed = start.with_axis(axis, value)
            if axis in given:
                raise AesfabError(f"{axis} is given twice")
            given.add(axis)
            if changed != start:
                applied.append((axis, value))
            start = changed
    return start, tuple(applied)
