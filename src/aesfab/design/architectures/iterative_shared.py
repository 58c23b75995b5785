# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""T-boxes in block RAM and one key addition (``aes_core_iterative_shared``)."""

from __future__ import annotations

from fractions import Fraction

from aesfab.design.architectures import drawing
from aesfab.design.architectures.contract import Acceptance, Between, OneBlock
from aesfab.design.axes import ROUNDS_OF_KEY, Overlap, Tbox
from aesfab.design.point import Point


class SharedOne(OneBlock):
    """A loop whose one key addition serves entry, rounds and result."""

    shows = Between.HELD

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        return _first_addition(point) + _all_rounds(point, bits) + 1

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        # Of two blocks that overlap, one enters before the last key of the other is added.
        return Fraction(_all_rounds(point, bits) + (-1 if point.overlap is Overlap.YES else 1))

    def acceptance(self, point: Point, bits: int) -> Acceptance:
        """See ``Realisation``."""
        taken = super().acceptance(point, bits)
        if point.overlap is Overlap.NO:
            return taken
        # The clock of the last round key is that of the block before.
        return Acceptance(taken.conflicts | {int(self.interval(point, bits)) + 1})

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        rounds, first = ROUNDS_OF_KEY[bits], _first_addition(point)
        levels = point.sbox_levels.value
        packed = point.tbox is Tbox.PACKED
        words = "XOR of 4 bits each" if packed else "XOR of 5 bytes"
        done = {0: "block, K0 -> registers"}
        if packed:
            done[1] = "block + K0 -> register of what is added"
        for number in range(rounds + 1):
            added = f"+ K{number}"
            if number == rounds:
                text = f"S out of the words, {added} -> output register"
            else:
                state = f"block {added}" if number == 0 else f"{words}, {added}"
                text = f"{state}, ShiftRows, T of round {number + 1} -> RAM address register"
            done[first + levels * number] = text
            if levels == 2 and number < rounds:
                done[first + levels * number + 1] = "words of the RAMs -> their output registers"
        done[self.latency(point, bits)] = "out_valid_o, out_block_o"
        return [text for _, text in sorted(done.items())]

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        # The key above the one addition, and the loop of the state below it.
        packed = point.tbox is Tbox.PACKED
        registers = drawing.registers(point.sbox_levels.value)
        block = "in_block_i --|R, else 0|--(+)--"
        key = block.index("(+)") + 1
        head = f"{block}|R|--(+)--" if packed else block
        plus, fork = head.rindex("(+)") + 1, len(head)
        line = f"{head}+--[ ShiftRows ]--[ T-boxes: {point.tbox.value} {registers} ]--+"
        end = len(line) - 1
        words = "[ XOR of 4 bits each ]" if packed else "[ XOR of 5 bytes ]"
        into = "in_key_i --[ mux ]--|R|".ljust(key, "-")
        return "\n".join(
            [
                f"{into}+--[ key round, SubWord {registers} ]-- next key, to the mux",
                drawing.in_columns({key: "|"}),
                line,
                drawing.in_columns({plus: "^", fork: "|", end: "|"}),
                drawing.in_columns({plus: "|", fork: "+--|R|-- out_block_o", end: "|"}),
                " " * plus + "+" + words.center(end - plus - 1, "-") + "+",
            ]
        )


def _first_addition(point: Point) -> int:
    """The clock of the first key addition."""
    return 1 + (point.tbox is Tbox.PACKED)


def _all_rounds(point: Point, bits: int) -> int:
    """Clocks from the first key addition to the last one."""
    return ROUNDS_OF_KEY[bits] * int(point.sbox_levels.value)
