# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a core takes: S-boxes, and bits of memory."""

from __future__ import annotations

from aesfab.design.architectures import keys
from aesfab.design.axes import (
    ROUNDS_OF_KEY,
    Architecture,
    Direction,
    Doubled,
    KeySbox,
    Sbox,
    Tbox,
)
from aesfab.design.point import Point


def sbox_count(point: Point) -> int:
    """S-boxes (or T-boxes) of the data path, and S-boxes of the key schedule."""
    data = 16 // point.lookups.value // point.parts
    if point.tbox is Tbox.FIXED and point.direction is Direction.BOTH:
        data *= 2
    return data * point.rounds_in_hardware + _key_sbox_count(point)


def data_sbox_count(point: Point) -> int:
    """S-boxes (or T-boxes) of the data path alone."""
    return sbox_count(point) - _key_sbox_count(point)


def _key_sbox_count(point: Point) -> int:
    """S-boxes of the key schedule, as many as work at the same time."""
    if point.shared_sboxes or point.round_keys_from_outside:
        return 0
    if point.stored_keys or point.architecture is Architecture.INTERLEAVED:
        return 4
    if point.architecture is Architecture.ITERATIVE:
        return 4 * int(point.rounds.value)
    # A SubWord of its own for each that KeyExpansion does.
    return 4 * len(keys.substituted_words(point.key_width))


def sbox_rom_bits(point: Point) -> int:
    """Bits of tables meant for block RAM; the two ports of a RAM share an S-box table.

    Microcode is a table as well, and its S-box has a memory with the data.
    """
    if point.architecture is Architecture.MICROCODED:
        return 256 * 16 + 512 * 8
    # A byte-wide decryption has the S-box of its keys beside the inverse one.
    two = point.sbox_direction is Direction.BOTH or (point.shared_sboxes and point.can_decrypt)
    both = 2 if two else 1
    data = key = 0
    if point.sbox is Sbox.ROM:
        # A T-box has 32 bits an entry; refilled ones are of one direction at a time, and made
        # from both S-boxes in one more memory.
        if point.tbox is Tbox.REFILLED:
            data = 8 // point.parts * 256 * 32 + 256 * 16
        elif point.tbox is Tbox.FIXED:
            data = 8 // point.parts * 256 * 32 * both
        elif point.tbox is Tbox.PAIR:
            data = 8 * 256 * 16
        elif point.tbox is Tbox.PACKED:
            # Four tables where a shared key addition lets through what they hold.
            data = 8 * (1024 if point.shared_one else 256) * 18
        else:
            # {02} S above S where it gives both.
            word = 16 if point.doubled is Doubled.YES else 8
            data = (16 // point.lookups.value // point.parts + 1) // 2 * 256 * word * both
    if point.key_sbox is KeySbox.ROM:
        key = _key_sbox_count(point) // 2 * 256 * 8
    return data * point.rounds_in_hardware + key


def key_memory_bits(point: Point) -> int:
    """Bits of stored round keys, all banks and directions.

    Pipelines and loops keep the keys of the equivalent inverse cipher for decryption.
    """
    copies = point.banks
    if point.architecture in (Architecture.PIPELINED, Architecture.INTERLEAVED):
        copies *= point.can_encrypt + point.can_decrypt
    return copies * (ROUNDS_OF_KEY[point.key_width] + 1) * 128
