# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The named designs: full sets of axis values, with the paper that each one comes from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aesfab.errors import AesfabError, unknown
from aesfab.spec import (
    Design,
    Direction,
    KeyBits,
    KeyMemory,
    KeySchedule,
    Sbox,
    Tbox,
)


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
    """

    name: str
    paper: str
    section: str
    design: Design
    notes: tuple[str, ...] = ()
    overrides: tuple[tuple[str, str], ...] = ()

    @property
    def module(self) -> str:
        """Name of the generated top module."""
        parts = [self.name, *(f"{axis}-{value}" for axis, value in self.overrides)]
        return "aes_" + "_".join(parts).replace("-", "_").replace("/", "_")


_KAKARLAPUDI_NOTES = (
    "The register of the loop stands after the S-box layer, as the critical path that the paper "
    "lists implies.",
    "The printed latencies are whole numbers of clock periods only for Nr+2 clocks on Virtex-5: "
    "one interface cycle more than the core's Nr+1, which is what is built and counted here.",
    "Two key banks let a key expand while blocks of the last one run, which the paper describes "
    "and its single memory would not allow.",
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

_FISCHER_KEY_NOTES = (
    "The paper stores round keys that were made outside and does not say how they are loaded: here "
    "the core expands them itself into one bank, with its S-boxes in logic because the paper's "
    "memory blocks are all in use.",
    "Area figures thus include a key expander that the paper's do not.",
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
                    + (
                        ("All key sizes in one core is beyond the paper.",)
                        if bits is KeyBits.ANY
                        else ()
                    ),
                )
            )
    return named


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


CATALOGUE: dict[str, Named] = {
    named.name: named
    for named in [
        *_kakarlapudi(),
        *_kakarlapudi_tbox(),
        Named(
            name="pilchard-unrolled-1",
            paper="pilchard",
            section="4, Fig. 4.1",
            design=Design(sbox=Sbox.ROM, key_sbox=Sbox.ROM, key_schedule=KeySchedule.ON_THE_FLY),
            notes=_PILCHARD_NOTES,
        ),
        *_fischer_fast(),
    ]
}
"""Name to design, in the order of the listings."""


def find(name: str, overrides: Sequence[str] = ()) -> Named:
    """The design called ``name``, with ``axis=value`` overrides applied.

    Raises AesfabError for an unknown name, axis or value and for an illegal combination.
    """
    if name not in CATALOGUE:
        raise unknown("design", name, CATALOGUE)
    named = CATALOGUE[name]
    design = named.design
    applied = []
    for override in overrides:
        axis, equals, value = override.partition("=")
        if not equals:
            raise AesfabError(f"'{override}' is not of the form axis=value")
        changed = design.with_axis(axis, value)
        if changed != design:
            applied.append((axis, value))
        design = changed
    design.require_legal()
    return dataclasses.replace(named, design=design, overrides=tuple(applied))
