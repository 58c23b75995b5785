# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A pipeline of rounds whose S-boxes are used several times for a block."""

from __future__ import annotations

from fractions import Fraction

from aesfab.design.architectures import drawing
from aesfab.design.architectures.contract import Acceptance, Between, Realisation
from aesfab.design.axes import ROUNDS_OF_KEY, Lookups, Order, Sbox
from aesfab.design.point import Point


class _Rolling(Realisation):
    """A block comes each time the S-boxes are free again."""

    shows = Between.PASSING

    def interval(self, point: Point, bits: int) -> Fraction:
        return Fraction(point.lookups.value)

    def acceptance(self, point: Point, bits: int) -> Acceptance:
        return Acceptance(period=point.lookups.value)

    def blocks_in_flight(self, point: Point) -> int:
        return -(-self.latency(point, point.key_width) // int(point.lookups.value))


class Selected(_Rolling):
    """Bytes for the look-ups are selected from a block that stands still, row by row."""

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        return ROUNDS_OF_KEY[bits] * _round_clocks(point)

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        rounds = ROUNDS_OF_KEY[bits]
        turns = point.lookups.value
        sbox = "RAM address register" if point.sbox is Sbox.ROM else "S-box register"
        # The registers that a look-up passes on its way from the block to the result of a round.
        way = {
            1: [sbox],
            2: [sbox, "feed-back registers"],
            4: ["selection register", sbox, "S-box output register", "feed-back registers"],
        }[turns]
        shifted = drawing.SHIFTED
        rows = []
        round_clocks = _round_clocks(point)
        for clock in range(self.latency(point, bits)):
            number, step = clock // round_clocks + 1, clock % round_clocks
            events = []
            if step < turns:
                given = f"P{number - 1}, MixColumns, + K{number - 1}"
                if number == 1:
                    given = "block + K0" if step == 0 else "held block + K0"
                chosen = "ShiftRows"
                if turns > 1:
                    chosen = " ".join(f"X{n}" for n in shifted[step::turns])
                events.append(f"{given}: {chosen} -> {way[0]}")
            for at, register in enumerate(way[1:], start=1):
                if 0 <= step - at < turns:
                    events.append(f"look-up {step - at + 1} -> {register}")
            if step == round_clocks - 1:
                events.append(f"-> P{number}, K{number}")
            rows.append("; ".join(events))
        return [*rows, f"P{rounds} + K{rounds}: out_valid_o, out_block_o"]

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        turns = point.lookups.value
        boxes = f"{16 // turns} x {point.sbox.value}"
        if point.lookups is Lookups.ONE:
            hold, part = "", f"[ ShiftRows ]--[ {boxes} |R| ]"
        else:
            hold = "[ hold, mux ]--"
            select = "shifter" if point.order is Order.SHIFTER else "permutation, selector"
            if point.lookups is Lookups.FOUR:
                part = f"[ {select} |R| ]--[ {boxes} |R|R| ]--[ feed-back x {turns} ]"
            else:
                part = f"[ {select} ]--[ {boxes} |R| ]--[ feed-back x {turns} ]"
        period = "each clock" if turns == 1 else f"every {turns} clocks"
        return "\n".join(
            [
                f"in_block_i --(+ K0)--{hold}[ part 1 ]--|P1|--[ MixColumns ]--(+ K1)-- ...",
                "... --[ part 10 ]--|P10|--(+ K10)-- out_block_o",
                "",
                f"part: {part}",
                f"in_key_i --{hold.replace(', mux', '')}[ round key circuit ]-- K1 -- ... -- K10",
                f"round key circuit: |R|--[ 4 x {point.key_sbox.value} |R|, XORs ]--|K|",
                f"registers P and those of the round keys load {period}",
            ]
        )


def _round_clocks(point: Point) -> int:
    """Clocks of a round: its look-ups, and as many until the last of them is in its register."""
    return 2 * int(point.lookups.value)


class Columns(_Rolling):
    """Rounds take the columns of a block one after the other, or two at a time."""

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        return _substituted(point, ROUNDS_OF_KEY[bits]) + int(point.lookups.value)

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        rounds = ROUNDS_OF_KEY[bits]
        parts, sbox_levels = int(point.lookups.value), int(point.sbox_levels.value)
        size = 4 // parts
        shifted = drawing.SHIFTED
        rows: list[list[str]] = [[] for _ in range(self.latency(point, bits) + 1)]
        rows[0].append("block + K0 -> entry registers")
        for number in range(1, rounds + 1):
            substituted = _substituted(point, number)
            for part in range(parts):
                columns = ", ".join(str(size * part + column + 1) for column in range(size))
                name = f"round {number}, column{'s' * (size > 1)} {columns}"
                chosen = " ".join(f"X{n}" for n in shifted[4 * size * part : 4 * size * (part + 1)])
                for level, text in enumerate(drawing.levels("S-boxes", sbox_levels)):
                    what = f"{chosen}, " if level == 0 else ""
                    rows[substituted - sbox_levels + part + level].append(f"{name}: {what}{text}")
                if number == rounds:
                    rows[substituted + part].append(f"{name}: + K{number} -> output registers")
                    continue
                to = ["registers of ShiftRows"]
                if point.mix_levels.value:
                    to.insert(0, "register of MixColumns")
                    rows[substituted + part + 1].append(f"{name}: -> {to[1]}")
                rows[substituted + part].append(f"{name}: MixColumns, + K{number} -> {to[0]}")
        rows[-1].append("out_valid_o, out_block_o")
        return ["; ".join(events) for events in rows]

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        parts = int(point.lookups.value)
        comes = f"{128 // parts} bits a clock"
        boxes = f"[ {16 // parts} x {point.sbox.value} {'|R' * int(point.sbox_levels.value)}| ]"
        level = "--|R|" if point.mix_levels.value else ""
        return "\n".join(
            [
                f"in_block_i --(+ K0)--[ ShiftRows |R| ]-- {comes} --[ round 1 ]-- ...",
                "... --[ round 10 ]--[ |R| ]-- out_block_o",
                "",
                f"round:    {boxes}--[ MixColumns ]--(+ K){level}--[ ShiftRows |R| ]",
                f"round 10: {boxes}--(+ K)",
                f"in_key_i --[ |R| ]-- {comes} --[ round key circuit ]-- K1 -- ... -- K10",
            ]
        )


def _substituted(point: Point, number: int) -> int:
    """The clock in which the S-boxes give the first columns of a round, counted from 1.

    A round takes a block period, and what the registers on the way add to it.
    """
    period = int(point.lookups.value) + point.round_levels - 1
    return 1 + int(point.sbox_levels.value) + (number - 1) * period
