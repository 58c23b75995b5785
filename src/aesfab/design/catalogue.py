# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The named designs: full sets of axis values, with the paper that each one comes from."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import string
from collections.abc import Iterable, Sequence

from aesfab.design import axes
from aesfab.design.axes import (
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
    Overlap,
    Restart,
    Rounds,
    Sbox,
    SboxLevels,
    SharedAdd,
    Tbox,
)
from aesfab.design.design import Design
from aesfab.errors import unknown

LONGEST_MODULE = 64
"""Characters of the name of a top module, at most: tools and file systems take so many."""


def module_name(words: Sequence[str], name: str) -> str:
    """A module called by all words; where that is too long, by ``name`` and a hash of them."""
    whole, short = (
        re.sub(r"\W+|__+", "_", "_".join(("aes", *parts)), flags=re.ASCII)
        for parts in (words, (name,))
    )
    if len(whole) <= LONGEST_MODULE:
        return whole
    return f"{short}_{hashlib.sha256(whole.encode()).hexdigest()[:8]}"


def in_words(name: str, overrides: Sequence[tuple[str, str]]) -> str:
    """A name and changed axes, as the command line takes them."""
    return " ".join([name, *(f"{axis}={value}" for axis, value in overrides)])


@dataclasses.dataclass(frozen=True)
class Named:
    """A design with a name.

    Attributes:
        name: as the user types it.
        paper: id of the paper, empty for our own.
        section: where in the paper.
        design: the point of the family.
        notes: deviations from the paper and what it leaves open, one sentence each.
        overrides: axes changed on the command line, empty for a design as catalogued.
        top: the name that the user gave its top module; empty: it is made of name and overrides.
    """

    name: str
    paper: str
    section: str
    design: Design
    notes: tuple[str, ...] = ()
    overrides: tuple[tuple[str, str], ...] = ()
    top: str = ""

    @property
    def notes_title(self) -> str:
        """What stands above the notes, which are of the design as it is catalogued."""
        title = "Notes on the paper" if self.paper else "Notes"
        if not self.overrides:
            return title
        changed = ", ".join(f"{axis}={value}" for axis, value in self.overrides)
        return f"{title}, for {self.name} without {changed}"

    @property
    def module(self) -> str:
        """Name of the generated top module."""
        words = [self.name, *(f"{axis}-{value}" for axis, value in self.overrides)]
        return self.top or module_name(words, self.name)

    @property
    def words(self) -> str:
        """Name and changed axes, as the command line takes them."""
        return in_words(self.name, self.overrides)


_KAKARLAPUDI_CYCLES_NOTE = (
    "The printed latencies are whole numbers of clock periods only for Nr+2 clocks on Virtex-5: "
    "one interface cycle more than the core's Nr+1, which is what is built and counted here."
)

_KAKARLAPUDI_NOTES = (
    "The register of the loop stands after the S-box layer, as the critical path that the paper "
    "lists implies.",
    _KAKARLAPUDI_CYCLES_NOTE,
    "Two key banks let a key expand while blocks of the last one run, which the paper describes "
    "and its single memory would not allow.",
)

_KAKARLAPUDI_MIX_NOTE = (
    "InvMixColumns is MixColumns with a correction added, so the two directions share the one of "
    "them; the paper does not say that its cores for both directions share any."
)

_KAKARLAPUDI_TBOX_NOTES = (
    *_KAKARLAPUDI_NOTES,
    "The tables are in LUT logic as in the paper's figures; sbox=rom puts them into block RAM, "
    "which the paper leaves for the future.",
    "One table, T0, serves all rows: T1 to T3 are rotations of it, which are wires.",
)

_KAKARLAPUDI_TBOX_INVERSE_NOTES = (
    "The decryption tables hold S^-1; the paper prints them with S.",
    "The key memory holds the keys of the cipher, and InvMixColumns of keys 1 to Nr-1 is done "
    "where they are read, which is how sections V and IX fit together.",
)

_KAKARLAPUDI_TBOX_BOTH_NOTE = (
    "The table sets of the two directions share XOR network and multiplexer, with the direction as "
    "an address bit of the tables; the paper's Fig. 5 is lost."
)

_KAKARLAPUDI_WORDS_NOTES = (
    "The printed Spartan-3E latencies are whole numbers of clock periods only for Nr+10 clocks: "
    "four to load 128 bits over 32-bit ports, Nr+2 as on Virtex-5, four to unload; that is what is "
    "built and counted here, from the first word of the block to the last one of the result.",
    "A block is loaded when the last one has left, as the printed throughput of 128 bits a "
    "latency implies; so one register serves as input and output.",
    "The signals of Fig. 8 are lost: words are taken by valid and ready, the direction with the "
    "first word, and the words of a result come with a valid of their own.",
    "A key takes a clock for each 32 bits of it, over its own port; the paper counts none of them.",
)

_FISCHER_KEY_NOTES = (
    "The paper stores round keys that were made outside and does not say how they are loaded: here "
    "the core expands them itself into one bank, with its S-boxes in logic because the paper's "
    "memory blocks are all in use.",
    "Area figures thus include a key expander that the paper's do not; with key_sbox=none the core "
    "has none and its round keys come from outside.",
    "The paper puts sums on carry chains where that gains (up to 20 %, as printed); open synthesis "
    "makes carry chains of arithmetic only, so every sum here is in LUTs.",
    "Equation 5 prints y0 with x7 twice; it is x7 + x0.",
)

_FISCHER_SBOX_NOTE = (
    "Encryption and decryption have separate logic in the paper; here they share the key additions "
    "and MixColumns, with a correction that makes InvMixColumns of it."
)

_FISCHER_TBOX_NOTES = (
    *_FISCHER_KEY_NOTES,
    "Column j of an encryption round takes columns j, j+1, j+2 and j+3; equation 7 prints the "
    "order of decryption.",
    "One table, T0, serves all rows: T1 to T3 are rotations of it, which are wires.",
)

_FISCHER_TBOX_INVERSE_NOTES = (
    "InvMixColumns of round keys 1 to 9 is done where they are read rather than when they are "
    "made, so a key takes no longer for decryption than for encryption.",
    "The bold face that marks the sums taken in equations 11 to 13 is lost: the ones with at most "
    "three inputs are taken.",
)

_FISCHER_TBOX_BOTH_NOTES = (
    "S and its inverse in the last round are one sum of bits of the table, whichever direction it "
    "is of, with no multiplexer: two or three inputs a bit, and four for bit 3, for which no sum "
    "of three serves both. The paper's sums of at most three inputs are of one direction.",
    "The paper gives no time for making the tables of the other direction: it is 257 clocks, 256 "
    "entries and one clock to fill the pipeline.",
    "When the tables are made is left open: here as soon as a block of the other direction is "
    "offered and none is under way, and for the first block after a reset.",
    "tbox=fixed doubles the tables, the paper's other choice, and a change of direction costs "
    "nothing.",
)

_PILCHARD_NOTES = (
    "The address register of the block RAM is the state register, so a synchronous S-box costs no "
    "extra clock.",
)


_PILCHARD_UNROLLED_NOTES = (
    "A block RAM takes a clock edge for each S-box layer, so several rounds in one clock have "
    "their S-boxes in LUT logic; the captions of the paper say block RAM.",
    "The first key addition takes a clock of its own, so a block takes 10/d + 1 clocks.",
)


def _pilchard() -> list[Named]:
    one = Design(sbox=Sbox.ROM, key_sbox=KeySbox.ROM, key_schedule=KeySchedule.ON_THE_FLY)
    return [
        Named("pilchard-unrolled-1", "pilchard", "4, Fig. 4.1", one, _PILCHARD_NOTES),
        *(
            Named(
                f"pilchard-unrolled-{rounds.value}",
                "pilchard",
                "5, Fig. 5.1",
                dataclasses.replace(one, rounds=rounds, sbox=Sbox.TABLE, key_sbox=KeySbox.TABLE),
                _PILCHARD_UNROLLED_NOTES,
            )
            for rounds in (Rounds.TWO, Rounds.FIVE, Rounds.TEN)
        ),
    ]


_DIRECTIONS = {
    "enc": Direction.ENCRYPT,
    "dec": Direction.DECRYPT,
    "both": Direction.BOTH,
}


def _kakarlapudi() -> list[Named]:
    named = []
    for short, direction in _DIRECTIONS.items():
        for bits in KeyBits:
            named.append(
                Named(
                    name=f"kakarlapudi-sbox-{short}-{bits.value}",
                    paper="kakarlapudi",
                    section="IV, Fig. 4; V, Fig. 6",
                    design=Design(direction=direction, key_bits=bits),
                    notes=_KAKARLAPUDI_NOTES
                    + ((_KAKARLAPUDI_MIX_NOTE,) if direction is Direction.BOTH else ())
                    + (
                        ("All key sizes in one core is beyond the paper.",)
                        if bits is KeyBits.ANY
                        else ()
                    ),
                )
            )
    return named


_STANDAERT_NOTES = (
    "The placement of the registers in the key round (Fig. 2) is lost; the one built gives both "
    "totals of Table 3.",
    "The printed multiplication X is wrong in bits 1 and 2 (b1 = a0 + a7, b2 = a1 are right), and "
    "the key recurrence runs over i = 0 to 9, not 10.",
)

_STANDAERT_INPUT_NOTE = (
    "The paper prints only the total latency; the level that its figure does not account for is "
    "built as an input register for block and key."
)

_STANDAERT_MIXADD_NOTE = (
    "The first level of Mixadd adds five bits, one LUT4 with the XOR gate of a Virtex slice in the "
    "paper; open synthesis does not use that gate and takes two LUT4."
)

_STANDAERT_KEY_ROUND_NOTE = (
    "Table 3 counts the delays beside the S-boxes of a key round as LUT shift registers in part; "
    "open synthesis makes none for Virtex. So ours has 64 LUTs fewer than are printed and 184 "
    "flip-flops more."
)

_STANDAERT_BATCH_NOTE = (
    "Blocks enter as the paper counts, the next batch when the first result leaves; restart=early "
    "lets N blocks enter every 10 N clocks."
)

_STANDAERT_INTERVAL_NOTE = (
    "The paper gives the latency only; the interval is that of N blocks in N loop registers."
)


def _standaert() -> list[Named]:
    named = []

    def add(name: str, section: str, design: Design, *notes: str) -> None:
        notes = (*_STANDAERT_NOTES, *notes)
        if design.mix_levels is MixLevels.TWO:
            notes = (*notes, _STANDAERT_MIXADD_NOTE, _STANDAERT_INPUT_NOTE)
        if design.sbox is Sbox.TABLE:
            notes = (*notes, _STANDAERT_KEY_ROUND_NOTE)
        if design.restart is Restart.LATENCY:
            notes = (*notes, _STANDAERT_BATCH_NOTE)
        named.append(Named(name, "standaert2003", section, design, notes))

    lut = Design(
        architecture=Architecture.PIPELINED,
        sbox_levels=SboxLevels.TWO,
        mix_levels=MixLevels.TWO,
        key_schedule=KeySchedule.ON_THE_FLY,
    )
    ram = dataclasses.replace(lut, sbox=Sbox.ROM, key_sbox=KeySbox.ROM)
    three = dataclasses.replace(ram, sbox_levels=SboxLevels.ONE)
    two = dataclasses.replace(three, mix_levels=MixLevels.ONE)

    def sequential(design: Design, loop_level: LoopLevel = LoopLevel.ONE) -> Design:
        return dataclasses.replace(
            design,
            architecture=Architecture.INTERLEAVED,
            loop_level=loop_level,
            restart=Restart.LATENCY,
        )

    add("standaert-pipeline-42", "6.1, Fig. 7, Table 4", lut)
    add("standaert-sequential-52", "6.1, Fig. 8, Tables 4 and 5", sequential(lut))
    for latency, design in ((42, ram), (32, three), (21, two)):
        add(f"standaert-ram-pipeline-{latency}", "6.2", design)
    for latency, design in (
        (52, sequential(ram)),
        (42, sequential(three)),
        (31, sequential(two)),
        (21, sequential(two, LoopLevel.ZERO)),
    ):
        add(f"standaert-ram-sequential-{latency}", "6.2", design, _STANDAERT_INTERVAL_NOTE)
    add(
        "standaert-ram-compact-21",
        "6.2, Fig. 9",
        dataclasses.replace(two, architecture=Architecture.INTERLEAVED, shared_add=SharedAdd.YES),
        "A block takes the shared key adder in eleven clocks, two apart, so two blocks enter every "
        "22 clocks; the paper gives the latency of 21 only.",
        "An output register hides states of inner rounds; in Fig. 9 the state register is the "
        "output (output_register=no).",
    )
    return named


_QIN_NOTES = (
    "One clock with an enable every fourth or second cycle stands for the paper's slow clock; its "
    "printed f_clk, like its 20 cycles, counts block periods, as its throughput of 128 bits a "
    "cycle implies.",
    "The round key circuit has two registers at block rate, like a round of the data; the paper "
    "does not place them.",
)

_QIN_PERIOD_NOTES = (
    "A block is on the input for one clock, and a register holds it, after the first key "
    "addition, for the rest of its period; the paper needs it to stand still there.",
)

_QIN_4SM_NOTES = (
    "Registers behind the selection of the bytes and behind the S-boxes, on which the paper is "
    "silent, keep the feed-back registers from being overwritten before the pipeline register "
    "takes them.",
)


def _qin() -> list[Named]:
    rows = [
        ("4sm", "3, Fig. 4; 4; 5, Table 2", Lookups.FOUR, Order.SHIFTER, KeySbox.TABLE, ()),
        (
            "8sm",
            "3, Fig. 5, Table 1; 4; 5, Table 2",
            Lookups.TWO,
            Order.PERMUTATION,
            KeySbox.TABLE,
            (
                "Table 1 is read as output position to input byte; the other reading would need a "
                "second permutation behind the S-modules.",
            ),
        ),
        ("unrolling", "4; 5, Table 2", Lookups.ONE, Order.PERMUTATION, KeySbox.TABLE, ()),
        ("4sm-m4k-keys", "4; 5, Table 2", Lookups.FOUR, Order.SHIFTER, KeySbox.ROM, ()),
        ("8sm-m4k-keys", "4; 5", Lookups.TWO, Order.PERMUTATION, KeySbox.ROM, ()),
        (
            "4sm-permuted",
            "3",
            Lookups.FOUR,
            Order.PERMUTATION,
            KeySbox.TABLE,
            (
                "The paper does not print the permutation for four look-ups; it follows from the "
                "order in which the S-modules collect.",
            ),
        ),
    ]
    return [
        Named(
            name=f"qin-{short}",
            paper="qin2005",
            section=section,
            design=Design(
                architecture=Architecture.ROLLING,
                sbox=Sbox.ROM,
                lookups=lookups,
                order=order,
                key_sbox=key_sbox,
                key_schedule=KeySchedule.ON_THE_FLY,
            ),
            notes=_QIN_NOTES
            + (_QIN_PERIOD_NOTES if lookups is not Lookups.ONE else ())
            + (_QIN_4SM_NOTES if lookups is Lookups.FOUR else ())
            + notes,
        )
        for short, section, lookups, order, key_sbox, notes in rows
    ]


def _kakarlapudi_tbox() -> list[Named]:
    named = []
    for short, direction in _DIRECTIONS.items():
        for bits in KeyBits:
            notes = list(_KAKARLAPUDI_TBOX_NOTES)
            if direction is not Direction.ENCRYPT:
                notes += _KAKARLAPUDI_TBOX_INVERSE_NOTES
            if direction is Direction.BOTH:
                notes.append(_KAKARLAPUDI_TBOX_BOTH_NOTE)
            if bits is KeyBits.ANY:
                notes.append("All key sizes in one core is beyond the paper.")
            named.append(
                Named(
                    name=f"kakarlapudi-tbox-{short}-{bits.value}",
                    paper="kakarlapudi",
                    section="III, IV, Fig. 5; V, Fig. 6",
                    design=Design(tbox=Tbox.FIXED, direction=direction, key_bits=bits),
                    notes=tuple(notes),
                )
            )
    return named


def _with_32_bit_ports(designs: Sequence[Named]) -> list[Named]:
    """The designs of kakarlapudi as they are on Spartan-3E."""
    return [
        dataclasses.replace(
            named,
            name=f"{named.name}-io32",
            section=f"{named.section}; VII, IX, Fig. 8, Tables 7 to 13",
            design=dataclasses.replace(named.design, interface=Interface.WORDS),
            notes=tuple(n for n in named.notes if n != _KAKARLAPUDI_CYCLES_NOTE)
            + _KAKARLAPUDI_WORDS_NOTES,
        )
        for named in designs
    ]


def _fischer_fast() -> list[Named]:
    keys = Design(sbox=Sbox.ROM, key_schedule=KeySchedule.STORED_SINGLE, key_memory=KeyMemory.BLOCK)
    sboxes, tboxes = [], []
    for short, direction in _DIRECTIONS.items():
        both = direction is Direction.BOTH
        sboxes.append(
            Named(
                name=f"fischer-fast-sbox-{short}",
                paper="fischer2001",
                section="3, 3.1, Fig. 5, Tables 1 and 2",
                design=dataclasses.replace(keys, direction=direction),
                notes=_FISCHER_KEY_NOTES + ((_FISCHER_SBOX_NOTE,) if both else ()),
            )
        )
        notes = list(_FISCHER_TBOX_NOTES)
        if direction is not Direction.ENCRYPT:
            notes += _FISCHER_TBOX_INVERSE_NOTES
        if both:
            notes += _FISCHER_TBOX_BOTH_NOTES
        tboxes.append(
            Named(
                name=f"fischer-fast-tbox-{short}",
                paper="fischer2001",
                section="3, 3.2, Figs. 5 and 6, Table 4",
                design=dataclasses.replace(
                    keys, tbox=Tbox.REFILLED if both else Tbox.FIXED, direction=direction
                ),
                notes=tuple(notes),
            )
        )
    return sboxes + tboxes


_FISCHER_ECONOMIC_NOTES = (
    "ShiftRows needs the old columns until a round ends, on which the paper is silent: each row is "
    "a chain of registers with two taps, 18 bytes for 32 bits a clock and 12 for 64, so that no "
    "column is selected and no clock is lost.",
    "The block comes over a 128-bit port and waits in a register for its turn, and the parts of "
    "the result are collected in the output register; the paper does not describe its ports.",
)


def _fischer_economic() -> list[Named]:
    named = []
    for fast in _fischer_fast():
        kind = "tbox" if "-tbox-" in fast.name else "sbox"
        narrow = {"sbox": Datapath.W64, "tbox": Datapath.W32}[kind]
        named.append(
            Named(
                name=fast.name.replace("-fast-", "-economic-"),
                paper=fast.paper,
                section={
                    "sbox": "3, 3.1, Table 3",
                    "tbox": "3, 3.2, Fig. 6, Table 5",
                }[kind],
                design=dataclasses.replace(
                    fast.design, architecture=Architecture.NARROW, datapath=narrow
                ),
                notes=fast.notes + _FISCHER_ECONOMIC_NOTES,
            )
        )
    return named


_FAB_LEVELS_NOTE = (
    "Every register level is one LUT4 deep: the S-box has seven, MixColumns with the key addition "
    "two, of the {02} multiples that the S-boxes give besides."
)

_FAB_AHEAD_NOTE = (
    "Keys are made a clock before they are added (key_register=ahead), and recipe floorplan says "
    "where each round stands."
)

_FAB_WAITING_NOTE = (
    "A key waits for its SubWord in LUT RAM (key_memory=distributed), which takes the place of "
    "many flip-flops: those, not the LUTs, say how large a round is and how long its wires."
)

_FAB_FEWER_NOTE = (
    "Every register level of the S-box is two LUT4 deep, and most of what it keeps comes from a "
    "LUT; a key waits for its SubWord in LUT RAM (key_memory=distributed): flip-flops, not LUTs, "
    "fill the slices of fab-interleaved."
)

_FAB_VIRTEX_NOTE = (
    "Levels up to two LUT4 deep, as the tables of standaert2003's pipeline are: with one LUT4 a "
    "level there would be more flip-flops than a Virtex has beside the LUTs. Recipe shaped keeps "
    "the mapper from making them three deep."
)

_FAB_ENTRY_NOTE = "A register more, on the input of each S-box, is only for the way to it."

_FAB_RAM_NOTE = (
    "A block RAM holds {02} S beside S; its output register (recipe outreg on ECP5) is the second "
    "level of the S-box, a register of the fabric on the way from it the third."
)

_FAB_LOOP_NOTE = (
    "The loop has no multiplexer of its own for the state: a new block comes in by a sum of "
    "MixColumns, which has two LUT inputs to spare."
)


def _own(name: str, design: Design, *notes: str) -> Named:
    """A design of our own, from no paper."""
    return Named(name, "", "", design, notes)


def _fab() -> list[Named]:
    pipeline = Design(
        architecture=Architecture.PIPELINED,
        sbox=Sbox.TOWER,
        sbox_levels=SboxLevels.SEVEN,
        doubled=Doubled.YES,
        mix_levels=MixLevels.TWO,
        key_sbox=KeySbox.TOWER,
        key_schedule=KeySchedule.ON_THE_FLY,
    )
    pipeline_ram = dataclasses.replace(
        pipeline, sbox=Sbox.ROM, key_sbox=KeySbox.ROM, sbox_levels=SboxLevels.THREE
    )
    loop, loop_ram = (
        dataclasses.replace(
            design, architecture=Architecture.INTERLEAVED, shared_add=SharedAdd.FIRST
        )
        for design in (pipeline, pipeline_ram)
    )
    loop_small = dataclasses.replace(
        loop,
        sbox=Sbox.SHALLOW,
        key_sbox=KeySbox.SHALLOW,
        sbox_levels=SboxLevels.THREE,
        key_memory=KeyMemory.DISTRIBUTED,
    )
    pipeline_virtex = dataclasses.replace(pipeline, sbox_levels=SboxLevels.FOUR)
    pipeline = dataclasses.replace(
        pipeline,
        sbox_levels=SboxLevels.EIGHT,
        key_register=KeyRegister.AHEAD,
        key_memory=KeyMemory.DISTRIBUTED,
    )
    pipeline_ram = dataclasses.replace(pipeline_ram, key_register=KeyRegister.AHEAD)
    return [
        _own(
            "fab-pipeline",
            pipeline,
            _FAB_LEVELS_NOTE,
            _FAB_ENTRY_NOTE,
            _FAB_AHEAD_NOTE,
            _FAB_WAITING_NOTE,
        ),
        _own("fab-pipeline-ram", pipeline_ram, _FAB_RAM_NOTE, _FAB_AHEAD_NOTE),
        _own("fab-pipeline-virtex", pipeline_virtex, _FAB_VIRTEX_NOTE),
        _own("fab-interleaved", loop, _FAB_LEVELS_NOTE, _FAB_LOOP_NOTE),
        _own("fab-interleaved-small", loop_small, _FAB_FEWER_NOTE, _FAB_LOOP_NOTE),
        _own("fab-interleaved-ram", loop_ram, _FAB_RAM_NOTE, _FAB_LOOP_NOTE),
    ]


_FAB_TINY_LONG_NOTE = (
    "Block and key come over their ports into shift registers that are loaded through the set of "
    "each flip-flop, as in fab-tiny. A window of the last Nk words of KeyExpansion shifts only "
    "when a byte is made."
)

_FAB_TINY_DEC_NOTE = (
    "The key runs forward to the last round key, then backward with the rounds: 307 clocks of the "
    "603 pass before the first key addition, and no round key is kept. The S-box is one for both "
    "directions: forward for the round keys, inverse for the state."
)

_FAB_TINY_NOTE = (
    "Block and key come over 128-bit ports into shift registers that are loaded through the set of "
    "each flip-flop: no LUT, but 256 set signals, so that the flip-flops spread over more slices "
    "than their number needs."
)


_FAB_BYTE_NOTE = (
    "A byte of the key comes with each byte of the block, and the next block may come $interval "
    "after the first byte of this one. A clock in which no byte is offered is a clock more: the "
    "whole core waits for it."
)


_FAB_SMALL_NOTE = (
    "Block and key come over 128-bit ports into two shift registers in front of the core of 8-bit "
    "ports, and the result moves into that of the block: 256 flip-flops serve all three ports. "
    "These registers are loaded by a LUT a bit, where those of fab-tiny are loaded by none and are "
    "three times as many."
)


def _fab_narrow() -> list[Named]:
    narrow = Design(
        architecture=Architecture.NARROW,
        datapath=Datapath.W32,
        sbox=Sbox.TOWER,
        key_sbox=KeySbox.TOWER,
    )
    shared = dataclasses.replace(
        narrow, sbox_levels=SboxLevels.THREE, key_schedule=KeySchedule.ON_THE_FLY
    )
    tiny = dataclasses.replace(shared, datapath=Datapath.W8)
    tiny_ram = dataclasses.replace(
        tiny, sbox=Sbox.ROM, key_sbox=KeySbox.ROM, sbox_levels=SboxLevels.TWO
    )
    byte = dataclasses.replace(
        tiny,
        sbox_levels=SboxLevels.ONE,
        key_memory=KeyMemory.DISTRIBUTED,
        interface=Interface.BYTES,
    )
    byte_ram = dataclasses.replace(tiny_ram, interface=Interface.BYTES)
    byte_min = dataclasses.replace(byte_ram, key_memory=KeyMemory.BLOCK)
    small = dataclasses.replace(byte, interface=Interface.BLOCK)
    small_ram = dataclasses.replace(byte_min, interface=Interface.BLOCK)
    stored = dataclasses.replace(
        narrow,
        sbox_levels=SboxLevels.TWO,
        key_sbox=KeySbox.SHARED,
        key_schedule=KeySchedule.STORED_SINGLE,
        key_memory=KeyMemory.DISTRIBUTED,
    )
    return [
        _own(
            "fab-narrow",
            shared,
            "Two blocks take turns, and the key schedule has the S-boxes in every fifth clock: "
            "no clock is lost to registers in the S-boxes, and no S-box stands still.",
        ),
        _own("fab-tiny", tiny, _FAB_TINY_NOTE),
        _own("fab-tiny-ram", tiny_ram, _FAB_TINY_NOTE),
        _own("fab-byte", byte, _FAB_BYTE_NOTE),
        _own("fab-byte-ram", byte_ram, _FAB_BYTE_NOTE),
        _own("fab-byte-min", byte_min, _FAB_BYTE_NOTE),
        _own("fab-small", small, _FAB_SMALL_NOTE),
        _own("fab-small-ram", small_ram, _FAB_SMALL_NOTE),
        _own(
            "fab-tiny-dec",
            dataclasses.replace(tiny, direction=Direction.DECRYPT, sbox_levels=SboxLevels.FOUR),
            _FAB_TINY_DEC_NOTE,
        ),
        _own("fab-tiny-192", dataclasses.replace(tiny, key_bits=KeyBits.K192), _FAB_TINY_LONG_NOTE),
        _own("fab-tiny-256", dataclasses.replace(tiny, key_bits=KeyBits.K256), _FAB_TINY_LONG_NOTE),
        *(
            _own(
                f"fab-narrow-{short}",
                dataclasses.replace(stored, direction=direction, key_bits=bits),
            )
            for short, direction, bits in (
                ("192", Direction.ENCRYPT, KeyBits.K192),
                ("256", Direction.ENCRYPT, KeyBits.K256),
                ("both", Direction.BOTH, KeyBits.ANY),
            )
        ),
    ]


_FAB_MICRO_NOTE = (
    "A program does all the steps with an accumulator of one byte, so nearly all of the core is "
    "memory: three block RAMs, for the program, for the state with the S-box, and for the round "
    "key. key_memory=distributed takes LUT RAM for the last one."
)


def _fab_micro() -> list[Named]:
    micro = Design(
        architecture=Architecture.MICROCODED,
        datapath=Datapath.W8,
        sbox=Sbox.ROM,
        key_sbox=KeySbox.ROM,
        key_schedule=KeySchedule.ON_THE_FLY,
        key_memory=KeyMemory.BLOCK,
        interface=Interface.BYTES,
    )
    return [
        _own("fab-micro", micro, _FAB_MICRO_NOTE, _FAB_BYTE_NOTE),
        _own(
            "fab-micro-block",
            dataclasses.replace(micro, interface=Interface.BLOCK),
            _FAB_MICRO_NOTE,
            "Block and key come over 128-bit ports into two shift registers in front of the core "
            "of 8-bit ports, and the result moves into that of the block.",
        ),
    ]


_FAB_ITERATIVE_NOTE = (
    "A block enters in the clock in which the last round of the one before it is done, so that a "
    "block takes $interval."
)


_FAB_STORED_NOTE = (
    "One bank of round keys, which is the window of the key expansion too: a new key waits for the "
    "block under way."
)


_FAB_COMPACT_NOTE = (
    "For LUTs of six inputs that join to wide ones in a slice (recipe wide): of a bit of the state "
    "there are an S-box of four LUTs, one LUT for MixColumns, and one for all that is added and "
    "chosen. Without its output register (output_register=no) the register of the state is the "
    "output, in 128 flip-flops less, and shows inner states and round keys between results."
)

_FAB_OFFERED_NOTE = (
    "A key has no register and is taken when it is expanded: it stays on its port for the time of "
    "the key set-up."
)

_FAB_SHARED_NOTE = "The S-boxes of the state make the round keys, while no block is under way."


def _fab_compact() -> list[Named]:
    encrypt = Design(
        sbox=Sbox.WIDE,
        shared_add=SharedAdd.YES,
        key_sbox=KeySbox.SHARED,
        key_schedule=KeySchedule.STORED_SINGLE,
        key_expansion=KeyExpansion.WORD_SERIAL,
        key_memory=KeyMemory.DISTRIBUTED,
    )
    decrypt = dataclasses.replace(encrypt, key_sbox=KeySbox.WIDE, direction=Direction.DECRYPT)
    sizes = {"": KeyBits.K128, "-192": KeyBits.K192, "-256": KeyBits.K256}
    return [
        _own(f"fab-compact{short}{size}", dataclasses.replace(design, key_bits=bits), *notes)
        for short, design, notes in (
            ("", encrypt, (_FAB_COMPACT_NOTE, _FAB_OFFERED_NOTE, _FAB_SHARED_NOTE)),
            ("-dec", decrypt, (_FAB_COMPACT_NOTE, _FAB_OFFERED_NOTE)),
        )
        for size, bits in sizes.items()
    ]


def _fab_rolling() -> list[Named]:
    return [
        _own(
            "fab-rolling",
            Design(
                architecture=Architecture.ROLLING,
                sbox=Sbox.ROM,
                sbox_levels=SboxLevels.TWO,
                mix_levels=MixLevels.ONE,
                lookups=Lookups.FOUR,
                order=Order.COLUMNS,
                key_sbox=KeySbox.ROM,
                key_schedule=KeySchedule.ON_THE_FLY,
            ),
            "All rounds in hardware, each a column wide: S-boxes, MixColumns and the round key "
            "circuit are used four times for a block, and a key travels with it.",
            "No block is collected but by the shift registers of ShiftRows, so a round takes one "
            "block period, and a clock for each of its two further registers, behind the S-boxes "
            "and behind MixColumns.",
        )
    ]


def _fab_iterative() -> list[Named]:
    shallow = Design(
        sbox=Sbox.SHALLOW,
        overlap=Overlap.YES,
        key_sbox=KeySbox.SHALLOW,
        key_schedule=KeySchedule.ON_THE_FLY,
        key_register=KeyRegister.ROUND_KEY,
    )
    fast = dataclasses.replace(
        shallow, sbox=Sbox.WIDE, key_sbox=KeySbox.WIDE, key_register=KeyRegister.SUMS
    )
    small = dataclasses.replace(shallow, sbox=Sbox.TOWER)
    ram = dataclasses.replace(
        shallow,
        sbox=Sbox.ROM,
        tbox=Tbox.PAIR,
        shared_add=SharedAdd.YES,
        overlap=Overlap.NO,
        key_sbox=KeySbox.ROM,
        key_register=KeyRegister.SUB_WORD,
    )
    stored = dataclasses.replace(
        shallow,
        key_schedule=KeySchedule.STORED_SINGLE,
        key_register=KeyRegister.SUB_WORD,
        key_memory=KeyMemory.DISTRIBUTED,
    )
    both = dataclasses.replace(
        stored,
        direction=Direction.BOTH,
        key_bits=KeyBits.ANY,
        key_register=KeyRegister.AHEAD,
    )
    return [
        _own(
            "fab-iterative",
            fast,
            _FAB_ITERATIVE_NOTE,
            "With the recipe wide a clock is two LUT4 for MixColumns with the key and the entry "
            "of a block, and an S-box of a LUT of seven inputs and a LUT4; the key schedule, in "
            "running sums, is one LUT4 and the S-box.",
        ),
        _own(
            "fab-iterative-small",
            small,
            _FAB_ITERATIVE_NOTE,
            "S-boxes of seven LUT levels instead of five are smaller by an eighth.",
        ),
        *(
            _own(
                f"fab-iterative-{short}",
                dataclasses.replace(stored, direction=direction, key_bits=bits),
                _FAB_ITERATIVE_NOTE,
                _FAB_STORED_NOTE,
            )
            for short, direction, bits in (
                ("192", Direction.ENCRYPT, KeyBits.K192),
                ("256", Direction.ENCRYPT, KeyBits.K256),
                ("dec", Direction.DECRYPT, KeyBits.K128),
            )
        ),
        _own(
            "fab-iterative-both",
            both,
            _FAB_ITERATIVE_NOTE,
            _FAB_STORED_NOTE,
            "A block waits a clock for the first key of its direction (key_register=ahead), so "
            "that it enters, like the round keys of encryption, by a sum of registers that are "
            "zero when it is not their turn.",
            "S-boxes are those of decryption. Encryption uses them between linear maps of bytes, "
            "which become part of its MixColumns: no S-box has a selection before or behind it.",
            "With the recipe slicemux a clock is eight LUT4 deep, three of them and a multiplexer "
            "of a slice for the round and five for the S-box. With sbox=wide and key_sbox=wide an "
            "S-box is a LUT of seven inputs and a LUT4.",
        ),
        _own(
            "fab-iterative-ram",
            ram,
            "S and 3S of a byte are one word of block RAM, so that a round is a sum of five "
            "bytes and the key; S of its own byte is one of them and is all that the last round "
            "keeps.",
            "One key addition serves entry, rounds and result: a clock more for a block than it "
            "has rounds, and of a bit of state and key five LUT4.",
        ),
        _own(
            "fab-iterative-ram-packed",
            dataclasses.replace(
                ram, tbox=Tbox.PACKED, sbox_levels=SboxLevels.TWO, overlap=Overlap.YES
            ),
            "The 18 different bits of S, 2S and 3S of a byte are one word of block RAM, so that a "
            "bit of a round is a sum of four bits and the key. Tables for the last round and of "
            "zeros, for the entry, fill the RAM.",
            "Two clocks a round, for RAMs with output registers (recipe slicexor): from RAM to RAM "
            "there is one LUT5. A block that follows another one at once enters in the middle of "
            "its last round.",
        ),
        _own(
            "fab-iterative-ram-both",
            dataclasses.replace(
                ram,
                tbox=Tbox.FIXED,
                shared_add=SharedAdd.NO,
                overlap=Overlap.YES,
                key_sbox=KeySbox.TOWER,
                direction=Direction.BOTH,
                key_bits=KeyBits.ANY,
                key_schedule=KeySchedule.STORED_SINGLE,
                key_register=KeyRegister.SUB_WORD,
            ),
            _FAB_ITERATIVE_NOTE,
            _FAB_STORED_NOTE,
        ),
    ]


_FAB_HARDENED_NOTE = (
    "$base with control in three copies that vote (hardened=yes): a flip of one bit of control "
    "makes the result zero, with fault_o, in its clock."
)

_FAB_ONE_BLOCK_NOTE = (
    "One block at a time, and S-boxes of the key's own: two blocks in turn, as in $base, are "
    "hardened with on-the-fly keys only."
)

_FAB_CLEAR_NOTE = "A port and every reset overwrite keys and blocks (clear=yes)."


def _fab_hardened(designs: Sequence[Named]) -> list[Named]:
    """A hardened design of each architecture, and one with stored keys that are cleared."""
    known = {named.name: named for named in designs}
    found = []
    for base, clear in (
        ("fab-iterative", Clear.NO),
        ("fab-interleaved", Clear.NO),
        ("fab-pipeline-ram", Clear.NO),
        ("fab-rolling", Clear.NO),
        ("fab-narrow", Clear.NO),
        ("fab-tiny", Clear.NO),
        ("fab-narrow-both", Clear.YES),
    ):
        texts = [_FAB_HARDENED_NOTE]
        of_base = known[base].design
        if of_base.key_sbox is KeySbox.SHARED:
            of_base = dataclasses.replace(
                of_base, sbox_levels=SboxLevels.ONE, key_sbox=KeySbox.TOWER
            )
            texts.append(_FAB_ONE_BLOCK_NOTE)
        design = dataclasses.replace(of_base, hardened=Hardened.YES, clear=clear)
        notes = (
            *(string.Template(text).substitute(base=base) for text in texts),
            *([_FAB_CLEAR_NOTE] if clear is Clear.YES else []),
        )
        found.append(_own(f"{base}-hardened", design, *known[base].notes, *notes))
    return found


def _fitted(named: Named) -> Named:
    """The design with notes that say its own numbers (``$interval``)."""
    design = named.design
    sizes = design.key_lengths
    keys = f"a {sizes[0]}-bit key" if len(sizes) == 1 else f"a key of {_either(sizes)} bits"
    words = {
        "interval": f"{_either(map(design.interval_number, sizes))} clocks with {keys}",
    }
    notes = tuple(string.Template(note).substitute(words) for note in named.notes)
    return dataclasses.replace(named, notes=notes)


def _either(values: Iterable[object]) -> str:
    *others, last = map(str, values)
    return f"{', '.join(others)} or {last}" if others else last


CATALOGUE: dict[str, Named] = {
    named.name: _fitted(named)
    for named in [
        *_standaert(),
        *_qin(),
        *_pilchard(),
        *_kakarlapudi(),
        *_kakarlapudi_tbox(),
        *_with_32_bit_ports([*_kakarlapudi(), *_kakarlapudi_tbox()]),
        *_fischer_fast(),
        *_fischer_economic(),
        *_fab(),
        *_fab_narrow(),
        *_fab_micro(),
        *_fab_iterative(),
        *_fab_compact(),
        *_fab_rolling(),
        *_fab_hardened([*_fab(), *_fab_narrow(), *_fab_iterative(), *_fab_rolling()]),
    ]
}
"""Name to design, in the order of the listings."""


def find(name: str, overrides: Sequence[str] = ()) -> Named:
    """The design called ``name``, with ``axis=value`` overrides applied.

    Raises AesfabError for an unknown name, axis or value and for an illegal combination.
    """
    named = point(name, overrides)
    named.design.require_legal()
    return named


def point(name: str, overrides: Sequence[str] = ()) -> Named:
    """The same where the combination may be illegal."""
    if name not in CATALOGUE:
        raise unknown("design", name, CATALOGUE, see="'aesfab list' shows them")
    named = CATALOGUE[name]
    design, applied = axes.overridden(named.design, overrides)
    return dataclasses.replace(named, design=design, overrides=applied)
