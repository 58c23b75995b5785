# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""One S-box and a byte a clock, for the state and for round keys that are made on the fly."""

from __future__ import annotations

import re
from fractions import Fraction

from aesfab.design.architectures import drawing
from aesfab.design.architectures.contract import Acceptance, Between, OneBlock, Realisation
from aesfab.design.architectures.narrow import shared_diagram
from aesfab.design.axes import ROUNDS_OF_KEY, KeyMemory
from aesfab.design.point import Point

_STATE_BYTES = 16

_ENCRYPTION_SLOTS = 24
"""Clocks of a round: bytes of the state, four of the key for the S-box, four to come back."""

_DECRYPTION_SLOTS = 28
"""Clocks of a round key, and of a round, where keys run backward."""

_SERIAL_SLOTS = 20
"""Clocks of a round with 8-bit ports: bytes of the state, and four of the key for the S-box."""

_SERIAL_FIRST = 2
"""The clock of the first slot with 8-bit ports."""


class Encryption(OneBlock):
    """Encryption under keys of any one size."""

    shows = Between.ASSEMBLED

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        return _first_slot(bits) + _ENCRYPTION_SLOTS * ROUNDS_OF_KEY[bits] + _STATE_BYTES

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        return Fraction(self.latency(point, bits))

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        rounds, first = ROUNDS_OF_KEY[bits], _first_slot(bits)
        rows = ["block, key -> registers of their bytes", *["-"] * (first - 3)]
        rows += ["block, key -> shift registers", "byte 0 of K0 -> key register"]
        for clock in range(first, self.latency(point, bits)):
            number, slot = divmod(clock - first, _ENCRYPTION_SLOTS)
            if slot < 16:
                source = "the block" if number == 0 else f"round {number}"
                register = "output register" if number == rounds else "state register"
                text = f"byte {slot} of {source} + K{number} -> {register}"
            else:
                text = _byte_of_key(bits, number, slot)
            rows.append(text)
        return [*rows, "out_valid_o, out_block_o"]

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        return shared_diagram(point, "byte", 1, "|R|", "a block")


def _first_slot(bits: int) -> int:
    """The clock of slot 0 of round 0, when the key is loaded, a byte a clock."""
    return bits // 8 + 3


def _byte_of_key(bits: int, number: int, slot: int) -> str:
    """What a byte-wide encryption does in one of the slots 16 to 23 of a round."""
    word = 4 * number + 3
    if bits == 128 and slot < 20:
        return f"byte {slot - 4} of K{number} to the S-box"
    if bits == 192 and number % 3 == 0:
        # Six words are made; of the last two, the second goes to the S-box at once.
        which, byte = divmod(slot - 16, 4)
        text = f"byte {byte} of W[{word + 1 + which}] -> key register"
        return f"{text}, to the S-box" if which else text
    if (bits == 256 or (bits == 192 and number % 3 == 2)) and 17 <= slot < 21:
        # With RotWord, which 256-bit keys have in every other round.
        rotated = bits == 192 or number % 2 == 1
        return f"byte {(slot - 17 + rotated) % 4} of W[{word}] to the S-box"
    return "-"


class Decryption(OneBlock):
    """Decryption: the key runs forward to the last round key, then backward with the rounds."""

    shows = Between.ASSEMBLED

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        periods = 2 * ROUNDS_OF_KEY[bits] + 1
        return _DECRYPTION_SLOTS * periods - 1 + _STATE_BYTES

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        return Fraction(self.latency(point, bits))

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        # A round key in each period, forward to the last one, then backward.
        rounds = ROUNDS_OF_KEY[bits]
        rows = ["block, key -> registers of their bytes"]
        for clock in range(1, self.latency(point, bits)):
            period, slot = divmod(clock + 1, _DECRYPTION_SLOTS)
            events = []
            done = period - rounds - 1
            if done >= 0 and slot < 16:
                source = "the block" if done == 0 else f"round {done}"
                register = "output register" if done == rounds else "state register"
                events.append(f"byte {slot} of {source} + K{rounds - done} -> {register}")
            if 1 <= period <= 2 * rounds and 4 <= slot < 20:
                made = period if period <= rounds else 2 * rounds - period
                events.append(f"byte {slot - 4} of K{made} -> ring")
            # In the last two slots and the first two, behind MixColumns and its correction.
            coming, byte = divmod(clock + 3, _DECRYPTION_SLOTS)
            if 1 <= coming <= 2 * rounds and byte < 4:
                operand = coming - 1 if coming <= rounds else 2 * rounds - coming
                events.append(f"byte {12 + byte} of K{operand} to the S-box")
            if (period, slot) == (0, 18):
                events.append("K0 -> ring")
            if (period, slot) == (rounds, _DECRYPTION_SLOTS - 1):
                events.append("block -> shift register")
            rows.append("; ".join(events) or "-")
        return [*rows, "out_valid_o, out_block_o"]

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        # The key is added before InvMixColumns: the S-box stands behind that.
        levels = point.sbox_levels.value
        boxes = f"1 x {point.sbox.value} {drawing.registers(levels)}" + "-|R|" * (4 - levels)
        head = "in_block_i --[ bytes ]-(+ key)--|R|--+"
        entry = "--[ InvMix "
        line = head + entry + f"|R| ]--[ {boxes} ]--+--[ InvShiftRows |R| ]--+"
        places = [
            head.index("(+") + 1,
            len(head) - 1,
            len(head + entry),
            line.index("]--+--[ InvShift") + 3,
            len(line) - 1,
        ]
        names = ["|", "out_block_o", "last word of a key", "SubWord", "|"]
        return "\n".join(
            [
                "in_key_i --[ ring of the round keys of a block, forward, then backward ]"
                "-- key byte",
                "",
                line,
                drawing.in_columns(dict.fromkeys(places, "|")),
                drawing.in_columns(dict(zip(places, names, strict=True))),
                drawing.in_columns({places[0]: "+" + "-" * (places[-1] - places[0] - 1) + "+"}),
            ]
        )


class BytePorts(Realisation):
    """8-bit ports: a byte of the block and one of its key each clock, and the result likewise.

    The latency counts the first byte of a block and the last one of its result, both. The next
    block may come in the clock after that.
    """

    shows = Between.ZERO

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        return int(self.interval(point, bits)) - 1

    def acceptance(self, point: Point, bits: int) -> Acceptance:
        """See ``Realisation``."""
        return Acceptance(frozenset(range(1, int(self.interval(point, bits)))))

    def blocks_in_flight(self, point: Point) -> int:
        """See ``Realisation``."""
        return 1


class Serial(BytePorts):
    """A round in 20 clocks behind them."""

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        return Fraction(_SERIAL_SLOTS * (ROUNDS_OF_KEY[bits] + 1))

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        # Bytes in, all slots of each round, bytes out, each in the slot in which it is added.
        rounds = ROUNDS_OF_KEY[bits]
        texts = []
        for clock in range(self.latency(point, bits)):
            events = []
            if clock < 16:
                events.append(f"in_byte_i, in_key_byte_i: byte {clock}")
            number, slot = divmod(clock - _SERIAL_FIRST, _SERIAL_SLOTS)
            if number >= 0 and slot < 16:
                source = "the block" if number == 0 else f"round {number}"
                register = "output register" if number == rounds else "S-box"
                events.append(f"byte {slot} of {source} + K{number} -> {register}")
            elif 0 <= number < rounds:
                events.append(f"byte {12 + (slot - 15) % 4} of K{number} -> S-box")
            if number == rounds and slot > 0:
                events.append(f"out_valid_o, out_byte_o: byte {slot - 1}")
            texts.append("; ".join(events) or "-")
        return texts

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        # Block and key come where those of a round do.
        waits = {
            KeyMemory.AUTO: "|R|",
            KeyMemory.DISTRIBUTED: "in LUT RAM",
            KeyMemory.BLOCK: "in block RAM",
        }[point.key_memory]
        boxes = f"[ 1 x {point.sbox.value} |R||R| ]"
        head = "in_byte_i --[ mux ]--(+ key byte)--+--"
        line = f"{head}{boxes}--+--[ ShiftRows {waits} ]--[ Mix |R| ]--+"
        places = [
            head.index("mux") + 1,
            len(head) - 3,
            len(head + boxes) + 2,
            len(line) - 1,
        ]
        names = ["|", "|R|-- out_byte_o", "SubWord", "|"]
        return "\n".join(
            [
                "in_key_byte_i --[ mux ]--(+ byte n - 4, SubWord, Rcon)--|R|--+-- key byte",
                "                    |                                        |",
                "                    +--------------[ RAM, 16 x 8 ]-----------+",
                "",
                line,
                drawing.in_columns(dict.fromkeys(places, "|")),
                drawing.in_columns(dict(zip(places, names, strict=True))),
                drawing.in_columns({places[0]: "+" + "-" * (places[-1] - places[0] - 1) + "+"}),
            ]
        )


class Moving(OneBlock):
    """128-bit ports: shift registers for block and key around the core of 8-bit ports."""

    shows = Between.MOVING

    def __init__(self, inside: BytePorts) -> None:
        self._inside = inside

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        # A clock for the registers before the core, and one for the last byte of the result.
        return 1 + self._inside.latency(point, bits)

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        return Fraction(self.latency(point, bits) + 1)

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        rows = ["block, key -> shift registers"]
        for text in self._inside.schedule(point, bits):
            taken = text.replace("in_byte_i, in_key_byte_i: byte", "to the core: byte")
            rows.append(
                re.sub(r"out_valid_o, out_byte_o: byte (\d+)", r"byte \1 -> block register", taken)
            )
        return [*rows, "out_valid_o, out_block_o"]

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        return "\n".join(
            [
                "in_block_i --[ block register, 16 bytes ]-- in_byte_i",
                "out_byte_o --[ the same                 ]-- out_block_o",
                "in_key_i ----[ key register, 16 bytes   ]-- in_key_byte_i",
                "",
                "inside, with 8-bit ports:",
                "",
                self._inside.diagram(point),
            ]
        )
