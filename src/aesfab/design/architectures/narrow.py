# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A round in several clocks, on a data path of 64 or 32 bits."""

from __future__ import annotations

from fractions import Fraction

from aesfab.design.architectures import drawing, keys
from aesfab.design.architectures.contract import Acceptance, Between, OneBlock, Realisation
from aesfab.design.axes import ROUNDS_OF_KEY, Direction, KeyBits, Tbox
from aesfab.design.point import Point

_TURN = 5
"""Clocks in which a block of two has the S-boxes: for four columns, then for a word of its key."""

_FIRST = 3
"""The clock in which the first word of a block of two is added to its key."""


class Parts(OneBlock):
    """With stored keys: a part of the state each clock."""

    shows = Between.ASSEMBLED

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        return (1 + ROUNDS_OF_KEY[bits]) * point.parts

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        return Fraction(self.latency(point, bits))

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        # A part of the state each clock; beside it the part of the next look-up.
        rounds = ROUNDS_OF_KEY[bits]
        parts = point.parts
        columns = 4 // parts
        look_up, mixing = _work(point)
        rows = []
        for clock in range(self.latency(point, bits)):
            number, part = divmod(clock, parts)
            first = part * columns
            which = f"column {first}" if columns == 1 else f"columns {first} and {first + 1}"
            key = drawing.round_key(point, rounds, number)
            if number == 0:
                source = "block" if part == 0 else "waiting block"
                text = f"{source} + {key}, {which}"
            elif number == rounds:
                text = f"round {number} + {key}, {which} -> output register"
            else:
                names = {"key": f"K{number}", "back": f"K{rounds - number}"}
                text = f"round {number}, {mixing.format(**names)}, {which}"
            # The part after this one, of the state that is complete.
            following, then = divmod(clock + 1, parts)
            if 1 <= following <= rounds:
                text += f"; {look_up} of round {following}, part {then}"
            rows.append(text)
        return [*rows, "out_valid_o, out_block_o"]

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        width = point.datapath.value
        columns = width // 32
        boxes, after = "S-boxes", "Mix + key"
        if point.tbox is not Tbox.NONE:
            boxes, after = "T-boxes", "XOR + key"
        kind = "ram" if point.tbox is Tbox.REFILLED else point.sbox.value
        memory = f"key memory, {width} bits wide, {point.banks} bank(s)"
        lines = [f"{keys.into_memory(point)}--[ {memory} ]-- round keys"]
        if point.tbox is Tbox.REFILLED:
            lines.append("{S, S^-1} --[ x 2, 1, 3 or e, 9, d, b ]-- content of the T-boxes")
        waiting = drawing.registers(4 // columns - 1)
        head = f"in_block_i --{waiting}--(+ key)--[ mux ]--[ ShiftRows |R| ]--"
        tail = f"[ {4 * columns} {boxes}: {kind} |R| ]--[ {after} ]--+"
        line = head + tail
        at, plus = head.index("[ mux ]") + 3, len(line) - 1
        back = " " * at + "|" + " " * (plus - at - 1) + "+-- last"
        loop = " " * at + "+" + f" {width} bits a clock ".center(plus - at - 1, "-") + "+"
        result = f"last --[ output register, {width} bits a clock ]-- out_block_o"
        return "\n".join([*lines, "", line, back, loop, "", result])


def _work(point: Point) -> tuple[str, str]:
    """What leads to a look-up and, with gaps for the keys, what follows it in an inner round."""
    shift = drawing.layer_names(point)[1]
    if point.tbox is not Tbox.NONE:
        key = {
            Direction.ENCRYPT: "{key}",
            Direction.DECRYPT: "InvMixColumns({back})",
            Direction.BOTH: "{key} (decryption: InvMixColumns({back}))",
        }[point.direction]
        return f"{shift}, T-boxes", f"XOR of 4 words a column, + {key}"
    return f"{shift}, S-boxes", {
        Direction.ENCRYPT: "MixColumns, + {key}",
        Direction.DECRYPT: "+ {back}, InvMixColumns",
        Direction.BOTH: "MixColumns, + {key} (decryption: + {back}, InvMixColumns)",
    }[point.direction]


class InTurn(Realisation):
    """With on-the-fly keys and 32 bits: two blocks take turns."""

    shows = Between.ASSEMBLED

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        return _FIRST + 2 * _TURN * ROUNDS_OF_KEY[bits] + 4

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        return Fraction(_TURN * (ROUNDS_OF_KEY[bits] + 1))

    def acceptance(self, point: Point, bits: int) -> Acceptance:
        """See ``Realisation``."""
        # A block has its own turns once more than rounds.
        turns = range(1, ROUNDS_OF_KEY[bits] + 1)
        return Acceptance(frozenset(2 * _TURN * turn for turn in turns), period=_TURN)

    def blocks_in_flight(self, point: Point) -> int:
        """See ``Realisation``."""
        return 2

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        rounds = ROUNDS_OF_KEY[bits]
        rows = [
            "block, key -> input registers",
            "-> registers of their words",
            "word 0 of K0 -> key register",
        ]
        for clock in range(_FIRST, self.latency(point, bits)):
            number, slot = divmod(clock - _FIRST, 2 * _TURN)
            if slot >= _TURN:
                text = "(the other block)"
            elif slot == _TURN - 1:
                text = f"word 3 of K{number} to the S-boxes"
            elif number == 0:
                text = f"word {slot} of the block + K0 -> column register"
            elif number < rounds:
                text = f"column {slot} of round {number}, + K{number} -> column register"
            else:
                text = f"column {slot} of round {number}, + K{number} -> output register"
            rows.append(text)
        return [*rows, "out_valid_o, out_block_o"]

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        return shared_diagram(point, "word", 4, "|R|R|", "two blocks")


_STORED_TURN = 4
"""Clocks of a turn with stored keys: one for each column."""

_LOOP = 2 * _STORED_TURN
"""Register levels of the loop of two such turns: two of S-boxes, four of ShiftRows, two more."""


class StoredTurns(InTurn):
    """The same with stored keys, which the S-boxes of the data path make between blocks."""

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        return _LOOP * ROUNDS_OF_KEY[bits] + 7 + _wait(point)

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        return Fraction(_STORED_TURN * (ROUNDS_OF_KEY[bits] + 1))

    def acceptance(self, point: Point, bits: int) -> Acceptance:
        """See ``Realisation``."""
        turns = range(1, ROUNDS_OF_KEY[bits] + 1)
        return Acceptance(frozenset(_LOOP * turn for turn in turns), period=_STORED_TURN)

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        rounds, wait = ROUNDS_OF_KEY[bits], _wait(point)
        rows: list[list[str]] = [[] for _ in range(self.latency(point, bits))]
        rows[0].append("block -> registers of its words")
        for number in range(rounds + 1):
            key = drawing.round_key(point, rounds, number)
            added = "the block" if number == 0 else f"round {number}"
            for column in range(4):
                clock = _LOOP * number + column + wait
                what = f"column {column} of {added} + {key}"
                rows[clock].append(f"word {column} of {key} is read")
                rows[clock + 2].append(f"{what} -> column register")
                if number == rounds:
                    rows[clock + 3].append(f"{what} -> output register")
        return ["; ".join(events) or "-" for events in rows] + ["out_valid_o, out_block_o"]

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        both = point.direction is Direction.BOTH
        _, shift, mix = drawing.layer_names(point)
        wait = "|R|--" if both else ""
        before = "(+ key)--" if both else ""
        head = f"in_block_i --[ words ]--{wait}(+)--|R|--(+)--|R|--+"
        boxes = f"[ 4 x {point.sbox.value} |R||R| ]"
        key, plus = head.index("(+)") + 1, head.rindex("(+)") + 1
        line, to_key = f"{head}--{boxes}--+", "|R|-- SubWord"
        # The way back, from the right to the left.
        back = " " * plus + f"+--[ |R| {mix} ]--{before}[ {shift} ]--"
        end = max(len(back), len(line) + len(to_key) + 1)
        line, back = (f"{part:-<{end}}+" for part in (line, back))
        places = [key, plus, len(head) - 1, len(head + boxes) + 4, end]
        words = "round keys"
        names = {key + 1 - len(words): words, plus: "|", places[2]: "out_block_o, w[i]"}
        return "\n".join(
            [
                "w[i] --[ key memory, 32 bits wide, 1 bank ]--|R|--+-- round keys",
                "key_i, w[i-1], SubWord + Rcon ---------------|R|--+",
                "",
                line,
                drawing.in_columns(dict.fromkeys(places, "|")),
                drawing.in_columns({**names, places[3]: to_key, places[4]: "|"}),
                back,
            ]
        )


def _wait(point: Point) -> int:
    """Clocks that a block waits for its first round key, which depends on its direction."""
    return int(point.direction is Direction.BOTH)


def shared_diagram(point: Point, part: str, count: int, mix: str, blocks: str) -> str:
    """A loop whose S-boxes make the round keys, too.

    Everything behind the adder leads back to it.

    Args:
        point: whose drawing it is.
        part: what passes the loop in a clock.
        count: number of S-boxes.
        mix: registers of MixColumns.
        blocks: whose round keys are kept.
    """
    levels = point.sbox_levels.value
    ring = "ring" if point.key_bits is KeyBits.K128 else "window"
    boxes = f"{count} x {point.sbox.value} {drawing.registers(levels)}" + "-|R|" * (3 - levels)
    head = f"in_block_i --[ {part}s ]--(+ key {part})--|R|--+"
    tail = f"--[ {boxes} ]--+--[ ShiftRows |R| ]--[ Mix {mix} ]--+"
    line = head + tail
    marks = [head.index("(+") + 1, len(head) - 1, len(head) + tail.index("]--+") + 3, len(line) - 1]

    def below(*texts: str) -> str:
        """A text under each mark but the last, to which the loop leads."""
        return drawing.in_columns(dict(zip(marks, texts, strict=True)))

    return "\n".join(
        [
            f"in_key_i --[ {part}s ]--[ {ring} of the round keys of {blocks} ]-- key {part}",
            "",
            line,
            below("|", "|", "|", "|"),
            below("|", "out_block_o", "SubWord", "|"),
            below("+" + "-" * (marks[-1] - marks[0] - 1), "-", "-", "+"),
        ]
    )
