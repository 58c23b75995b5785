# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A program that works on a byte at a time (``aes_microcode_pkg.sv``)."""

from __future__ import annotations

from fractions import Fraction

from aesfab.design.architectures import drawing
from aesfab.design.architectures.narrow_bytes import BytePorts
from aesfab.design.axes import ROUNDS_OF_KEY, KeyMemory
from aesfab.design.point import Point

_TAKE = 18
"""Words that take a block and its key, and make Rcon; the last two read for the first round."""

_SUBSTITUTE = 32
"""Words for key addition, SubBytes and ShiftRows: two bytes in four."""

_KEY = 34
"""Words that make the next round key, and then Rcon."""

_MIX = 80
"""Words for MixColumns, five a byte."""

_RESULT = 20
"""Words that add the last round key, and give the result out."""


class Microcoded(BytePorts):
    """An accumulator, three memories and a program."""

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        rounds = ROUNDS_OF_KEY[bits]
        # The words that read for a first round stand for two of it.
        words = rounds * (_SUBSTITUTE + _KEY) - 2 + (rounds - 1) * _MIX
        return Fraction(_TAKE + words + _RESULT)

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        rounds = ROUNDS_OF_KEY[bits]
        texts = [f"in_byte_i, in_key_byte_i: byte {n}" for n in range(16)]
        for number in range(1, rounds + 1):
            texts += _substitution(number) + _round_key(number)
            if number < rounds:
                texts += _mix_columns(number)
        texts += ["-"] * _RESULT
        first = len(texts) - _RESULT
        # A byte is read, taken by the accumulator and then by the register of the port.
        for n in range(16):
            texts[first + n + 1] = f"byte {n} of round {rounds} + K{rounds} -> accumulator"
        out = [f"out_valid_o, out_byte_o: byte {n}" for n in range(16)]
        for n, text in enumerate(out):
            at = first + n + 3
            texts[at] = text if texts[at] == "-" else f"{texts[at]}; {text}"
        return texts[: self.latency(point, bits)]

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        kept = {
            KeyMemory.AUTO: "key RAM",
            KeyMemory.DISTRIBUTED: "key LUT RAM",
            KeyMemory.BLOCK: "key block RAM",
        }[point.key_memory]
        data, key = "[ data RAM: bytes, S-box ]", f"[ {kept}: round key ]"
        width = max(len(data), len(key))
        # From the accumulator back to the sum, and to both memories.
        back = "[ x 0, 1, {02} ]"
        sums = f"in_key_byte_i --[ mux ]--{key:-<{width}}-(+)"
        places = [sums.index("mux") + 1, len(sums) - 2, len(sums) + len(back) + 1]
        rule = "-" * (places[2] - places[0] - 1)
        bars = dict.fromkeys(places, "|")
        return "\n".join(
            [
                "|PC|--[ program RAM, 256 x 16 ]-- instruction: addresses, operation",
                "",
                f"in_byte_i ------[ mux ]--{data:-<{width}}--+",
                drawing.in_columns(dict.fromkeys(places[:2], "|")),
                f"{sums}--|accumulator|--+--|R|-- out_byte_o",
                drawing.in_columns(bars),
                drawing.in_columns({places[0]: "|", places[1]: f"+-{back}-+"}),
                drawing.in_columns({places[0]: f"+{rule}+"}),
            ]
        )


def _substitution(number: int) -> list[str]:
    """Clocks of key addition, SubBytes and ShiftRows of a round, by what the accumulator takes."""
    source = "the block" if number == 1 else f"round {number - 1}"
    texts = ["-"] * _SUBSTITUTE
    if number > 1:
        texts[0] = _mixed(15, number - 1)
    for n in range(16):
        at = n // 2 * 4 + n % 2 + 1
        texts[at] = f"byte {(n + n % 4 * 4) % 16} of {source} + K{number - 1} -> accumulator"
        if at + 2 < _SUBSTITUTE:
            texts[at + 2] = _substituted(n, number)
    return texts


def _substituted(byte: int, number: int) -> str:
    return f"S-box -> accumulator: byte {byte} of round {number} after ShiftRows"


def _round_key(number: int) -> list[str]:
    """Clocks of a round key, which is made row by row."""
    texts = [_substituted(15, number)]
    for row in range(4):
        if row == 3:
            # Of byte 12 the new one is there, and what it was is the sum of it and byte 8.
            texts.append(f"byte 12 of K{number} -> accumulator")
        texts += [f"byte {12 + (row + 1) % 4} of K{number - 1} -> accumulator", "-"]
        texts.append(f"S-box -> accumulator: byte {row} of SubWord for K{number}")
        if row == 0:
            texts.append(f"+ Rcon for K{number} -> accumulator")
        texts += [f"byte {4 * column + row} of K{number} -> accumulator" for column in range(4)]
    return [*texts, f"Rcon for K{number} -> accumulator", "Rcon x {02} -> accumulator", "-"]


def _mixed(byte: int, number: int) -> str:
    return f"MixColumns: byte {byte} of round {number} -> accumulator"


def _mix_columns(number: int) -> list[str]:
    """Clocks of MixColumns, five a byte."""
    texts = []
    for n in range(16):
        texts += [_mixed(n - 1, number) if n else "-"]
        texts += [f"MixColumns, part of byte {n} -> accumulator"] * 4
    return texts
