# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The ports of a generated core."""

from __future__ import annotations

import dataclasses

from aesfab.design.axes import Clear, Direction, Hardened, Interface, KeyBits
from aesfab.design.point import Point


@dataclasses.dataclass(frozen=True)
class Field:
    """Bits of a port that have a meaning of their own.

    Attributes:
        high: the highest of them.
        low: the lowest.
        meaning: one line for data sheets.
    """

    high: int
    low: int
    meaning: str

    @property
    def bits(self) -> str:
        """Its bits as data sheets write them: ``7:0``, or ``8``."""
        return str(self.low) if self.high == self.low else f"{self.high}:{self.low}"


@dataclasses.dataclass(frozen=True)
class Port:
    """A port of a generated core.

    Attributes:
        name: as in the RTL, with its ``_i`` or ``_o``.
        width: in bits.
        is_input: direction.
        meaning: one line for data sheets.
        fields: what its bits are, from the lowest on; none where the port is one value.
    """

    name: str
    width: int
    is_input: bool
    meaning: str
    # No part of what a core is known by.
    fields: tuple[Field, ...] = dataclasses.field(default=(), repr=False)


def ports(point: Point) -> list[Port]:
    """The ports of the generated core, in order: only those that this design needs."""
    words = point.interface is Interface.WORDS
    key_text = "key, first byte at the top" + (
        "; a shorter key stands at the top" if point.key_bits is KeyBits.ANY else ""
    )
    ports = [
        Port("clk_i", 1, True, "clock, rising edge"),
        Port("rst_ni", 1, True, "reset, low active, asynchronous"),
    ]
    if point.clear is Clear.YES:
        ports += [
            Port("clear_i", 1, True, "overwrite keys and blocks; what is under way is lost"),
            Port("clearing_o", 1, False, "that is going on, as after a reset"),
        ]
    if point.stored_keys:
        offered, taken = "a key is offered", "the key is taken"
        if words:
            offered, taken = "a word of a key is offered", "the word is taken"
        elif point.round_keys_from_outside:
            offered, taken = "a key is announced", "its round keys may come"
        again = "; the key is current when this rises again"
        if point.key_offered:
            offered, taken, again = "a key is offered, until taken", "it is expanded", ""
        ports += [
            Port("key_valid_i", 1, True, offered),
            Port("key_ready_o", 1, False, taken + again),
        ]
        if words:
            text = "words of the key, the first one first"
            ports.append(Port("key_word_i", 32, True, text))
        elif not point.round_keys_from_outside:
            ports.append(Port("key_i", point.key_width, True, key_text))
        if point.key_bits is KeyBits.ANY:
            when = ", read with the first word" if words else ""
            text = f"0: 128 bit, 1: 192 bit, 2: 256 bit{when}"
            ports.append(Port("key_len_i", 2, True, text))
        if point.refuses_key_lengths:
            text = "no key has this length: it is refused, and the old one stays"
            ports.append(Port("key_error_o", 1, False, text))
        if point.round_keys_from_outside:
            width = 32 * point.round_key_words
            text = "words of the round keys in their order, the first one at the top"
            ports += [
                Port("round_key_valid_i", 1, True, "words of a round key are offered"),
                Port("round_key_ready_o", 1, False, "they are taken"),
                *(Port(name, width, True, text) for name in point.round_key_ports),
            ]
    if words:
        ports += [
            Port("in_valid_i", 1, True, "a word of a block is offered"),
            Port("in_ready_o", 1, False, "the word is taken"),
            Port("in_word_i", 32, True, "words of the block, byte 0 at the top of the first"),
        ]
    elif point.interface is Interface.BYTES:
        ports += [
            Port("in_valid_i", 1, True, "a byte of a block and one of its key are offered"),
            Port("in_ready_o", 1, False, "they are taken"),
            Port("in_first_i", 1, True, "this byte is the first one of its block"),
            Port("in_byte_i", 8, True, "bytes of the block, in the order of FIPS 197"),
            Port("in_key_byte_i", 8, True, "bytes of the key of this block, likewise"),
        ]
    else:
        ports += [
            Port("in_valid_i", 1, True, "a block is offered"),
            Port("in_ready_o", 1, False, "the block is taken"),
            Port("in_block_i", 128, True, "block, byte 0 of FIPS 197 at the top"),
        ]
    if point.direction is Direction.BOTH:
        when = ", read with the first word" if words else ""
        ports.append(Port("in_decrypt_i", 1, True, f"1: decrypt this block{when}"))
    if not point.stored_keys and point.interface is not Interface.BYTES:
        ports.append(Port("in_key_i", point.key_width, True, "key of this block"))
    if words:
        ports += [
            Port("out_valid_o", 1, False, "a word of a result leaves; it cannot be held back"),
            Port("out_word_o", 32, False, "words of the result, in the order of the block's"),
        ]
    elif point.interface is Interface.BYTES:
        ports += [
            Port("out_valid_o", 1, False, "a byte of a result leaves; it cannot be held back"),
            Port("out_byte_o", 8, False, "bytes of the result, in the order of the block's"),
        ]
    else:
        ports += [
            Port("out_valid_o", 1, False, "a result leaves; it cannot be held back"),
            Port("out_block_o", 128, False, "result, byte 0 of FIPS 197 at the top"),
        ]
    if point.hardened is Hardened.YES:
        ports.append(Port("fault_o", 1, False, "the result is zero because of a fault"))
    return ports
