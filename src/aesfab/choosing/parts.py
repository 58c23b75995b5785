# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a design is made of: LUTs and flip-flops of its parts, before anything of it was measured.

Each part is a number that follows from the axes: S-boxes with the LUTs that records of components
give them, MixColumns, key additions, registers. A design's size is about their sum; ``fitted``
learns from measured designs what each kind of part really costs beside what is said here.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aesfab import records
from aesfab.design.axes import (
    Architecture,
    Datapath,
    Direction,
    Hardened,
    Interface,
    KeyBits,
    KeyMemory,
    KeySbox,
    Order,
    OutputRegister,
    Sbox,
    Tbox,
)
from aesfab.design.design import Design

_RIDGE = 0.5  # how much a part's own number counts, beside measured designs that have it
_LEAST = 0.05  # no part is for nothing
_SWEEPS = 100
_REFERENCE = "virtex"  # the device on which every component of a transformation was measured
_BYTES = 16  # of aes_sub_bytes, where its parameters do not say


class Costs:
    """LUTs of S-boxes and MixColumns alone, out of records of components."""

    def __init__(self, known: Iterable[records.Record]) -> None:
        self._lut: dict[tuple[str, str, str], float] = {}
        for record in known:
            found = _transformation(record)
            if found and record.get("status") == "ok" and record.get("lut") is not None:
                what, many = found
                key = (record["device"], what, record["parameters"].get("Dir", "DirEncrypt"))
                each = record["lut"] / many
                self._lut[key] = min(each, self._lut.get(key, each))

    def lut(self, device: str, what: str, direction: Direction) -> float:
        """LUTs of a part on a device: ``mix``, or the name of an S-box, of which it is one byte.

        Where it was not measured there, those of the reference device; tables and sums of products
        in proportion to what the two devices take for a table.
        """
        word = f"Dir{direction.value.title()}"
        if (here := self._lut.get((device, what, word))) is not None:
            return here
        usual = self._lut.get((_REFERENCE, what, word), 1.0)
        if what in (Sbox.TABLE.value, Sbox.WIDE.value):
            table = (Sbox.TABLE.value, "DirEncrypt")
            mine, theirs = self._lut.get((device, *table)), self._lut.get((_REFERENCE, *table))
            return usual * mine / theirs if mine and theirs else usual
        return usual


def _transformation(record: Mapping[str, Any]) -> tuple[str, int] | None:
    """What a component is (an S-box by its kind, or ``mix``) and how many bytes wide."""
    name, choices = str(record["design"]), record.get("parameters", {})
    if name == "aes_sub_bytes" and "Sbox" in choices:
        kind = str(choices["Sbox"]).removeprefix("Sbox").lower()
        return kind, int(choices.get("NumBytes", _BYTES))
    if name.startswith("aes_sbox_"):
        return name.removeprefix("aes_sbox_"), 1
    return ("mix", 1) if name == "aes_mix_columns" else None


@functools.cache
def shipped() -> Costs:
    """Costs out of the records of components that came with the program."""
    return Costs(records.shipped("components"))


_IN_LOGIC = frozenset({*Sbox, *KeySbox}) - {
    Sbox.ROM, KeySbox.ROM, KeySbox.NONE, KeySbox.SHARED
}  # fmt: skip


def luts(design: Design, device: str, costs: Costs) -> list[float]:
    """LUTs of each kind of part of a design, in a fixed order."""
    of, both = design.architecture, design.direction is Direction.BOTH
    whole = design.rounds_in_hardware
    # Of each of them only the part that works in one clock is built.
    rounds = whole / design.parts / int(design.lookups.value)
    stored = design.stored_keys and not design.round_keys_from_outside
    on_the_fly = not design.stored_keys and not design.round_keys_from_outside
    if of is Architecture.MICROCODED:
        ports = 256.0 * (design.interface is Interface.BLOCK)
        return [*[0.0] * 14, 75.0 + ports, 0.0]
    if design.byte_loop:
        # Nothing is chosen but a byte, and what moves through a register for each wide port.
        logic = float(design.sbox in _IN_LOGIC)
        byte = logic * costs.lut(device, design.sbox.value, design.direction)
        queue = 48.0 * (design.key_memory is KeyMemory.AUTO)
        ports = 256.0 * (design.interface is Interface.BLOCK)
        return [byte, *[0.0] * 13, 110.0 + queue + ports, 0.0]
    unrolled = of in (Architecture.PIPELINED, Architecture.ROLLING, Architecture.ITERATIVE)
    sbox = key_sbox = 0.0
    if design.sbox in _IN_LOGIC:
        each = costs.lut(device, design.sbox.value, design.sbox_direction)
        sbox = design.data_sbox_count * each
    if design.key_sbox in _IN_LOGIC:
        each = costs.lut(device, design.key_sbox.value, Direction.ENCRYPT)
        key_sbox = (design.sbox_count - design.data_sbox_count) * each
    plain = design.tbox is Tbox.NONE
    looped = of in (Architecture.INTERLEAVED, Architecture.ITERATIVE) and whole == 1
    shifted = of is Architecture.ROLLING and design.order is not Order.COLUMNS
    return [
        sbox,
        key_sbox,
        rounds * costs.lut(device, "mix", design.direction) if plain else 0.0,
        0.0 if plain else rounds * 128 * (1 + both),  # sums of what T-boxes give
        rounds * 128,  # AddRoundKey
        128.0 * looped,  # a block, or what comes round
        128.0 * (whole if unrolled else 1) * on_the_fly,  # sums of KeyExpansion
        design.key_width * float(on_the_fly),  # a key, or what comes round
        design.key_width * float(stored),  # the same, beside a memory
        256.0 * (stored and design.direction is not Direction.ENCRYPT),  # InvMixColumns of keys
        256.0 * whole * (shifted and int(design.lookups.value) > 1),  # state in shift registers
        350.0 * (design.hardened is Hardened.YES),
        200.0 * (design.key_bits is KeyBits.ANY),
        100.0 * (design.interface is Interface.WORDS),
        0.0,  # all but the S-box of a byte-wide core with a round of 20 clocks or with microcode
        60.0,  # control
    ]


def flip_flops(design: Design) -> list[float]:
    """Flip-flops of each kind of part of a design, in a fixed order."""
    of, key, levels = design.architecture, design.key_width, design.round_levels
    rounds = design.rounds_in_hardware
    stored, outside = design.stored_keys, design.round_keys_from_outside
    pipelined, interleaved = of is Architecture.PIPELINED, of is Architecture.INTERLEAVED
    rolling, narrow = of is Architecture.ROLLING, of is Architecture.NARROW
    plain = of is Architecture.ITERATIVE or narrow
    columns = design.order is Order.COLUMNS
    if of is Architecture.MICROCODED:
        ports = 256.0 * (design.interface is Interface.BLOCK)
        return [*[0.0] * 18, 30.0 + ports, 0.0]
    if design.byte_loop:
        # None of the registers below but those of block and key behind 128-bit ports.
        queue = 112.0 * (design.key_memory is KeyMemory.AUTO)
        ports = 256.0 * (design.interface is Interface.BLOCK)
        return [*[0.0] * 18, 176.0 + queue + ports, 0.0]
    bytes_ = narrow and design.datapath is Datapath.W8
    return [
        128.0 * rounds * levels * pipelined,  # blocks
        float(key * rounds * levels * (pipelined and not stored)),  # their keys
        128.0 * rounds * (1 + (design.direction is Direction.BOTH)) * (pipelined and stored),
        256.0 * rounds * (rolling and columns),
        512.0 * rounds * (rolling and not columns),
        128.0 * levels * interleaved,
        float(key * levels * (interleaved and not stored)),
        128.0 * levels * (interleaved and stored),
        1000.0 * bytes_,  # state and key by bytes, in shift registers
        4.0 * key * bytes_,
        (500.0 if stored else 1500.0) * design.in_turn,  # those of on-the-fly keys, too
        128.0 * plain,
        128.0 * (design.output_register is OutputRegister.YES and (plain or interleaved)),
        float(key * (plain and not stored)),
        float(key * (stored and not outside)),
        300.0 * (stored and not outside and design.direction is not Direction.ENCRYPT),
        80.0 * (design.hardened is Hardened.YES),
        (64.0 + key / 2) * (design.interface is Interface.WORDS),
        0.0,  # all of a byte-wide core with a round of 20 clocks or with microcode
        40.0,  # control
    ]


def memories(design: Design) -> float:
    """Tables meant for block RAM, as memories of two ports and of 16 bits at most."""
    rounds, data, key = design.rounds_in_hardware, 0.0, 0.0
    if design.architecture is Architecture.MICROCODED:
        # The program, the data with the S-box, and the round key.
        return 2.0 + (design.key_memory is not KeyMemory.DISTRIBUTED)
    if design.sbox is Sbox.ROM:
        each = 16 / int(design.lookups.value) / design.parts / 2
        wide = design.tbox in (Tbox.FIXED, Tbox.REFILLED)
        data = rounds * each * (1 + wide)  # tables of both directions stand in one memory
    if design.key_sbox is KeySbox.ROM:
        key = (design.sbox_count - design.data_sbox_count) / 2
    return data + key


def fitted(parts: Sequence[Sequence[float]], measured: Sequence[float]) -> list[float]:
    """A factor for each kind of part, with which the sums are nearest to what was measured.

    Nearest in relative error; a kind that few designs have keeps about its own number (factor 1).
    """
    many = len(parts[0])
    rows = [[n / size for n in row] for row, size in zip(parts, measured, strict=True)]
    columns = list(zip(*rows, strict=True))
    products = [[sum(map(float.__mul__, a, b)) for b in columns] for a in columns]
    wanted = [sum(column) + _RIDGE for column in columns]
    for index in range(many):
        products[index][index] += _RIDGE
    factors = [1.0] * many
    for _ in range(_SWEEPS):
        for index in range(many):
            row = products[index]
            others = sum(map(float.__mul__, row, factors)) - row[index] * factors[index]
            factors[index] = max(_LEAST, (wanted[index] - others) / row[index])
    return factors
