# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""One round cut by registers, and a block in each of its levels."""

from __future__ import annotations

from fractions import Fraction

from aesfab.design.architectures import drawing, keys, staged
from aesfab.design.architectures.contract import Acceptance, Between
from aesfab.design.axes import ROUNDS_OF_KEY, Doubled, OutputRegister, Restart, SharedAdd
from aesfab.design.point import Point


class Interleaved(staged.Staged):
    """A loop that several blocks go round at the same time."""

    shows = Between.HELD

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        if point.shared_add is SharedAdd.YES or point.restart is Restart.EARLY:
            return Fraction(_passes(point, bits))
        return Fraction(self.latency(point, bits), self.blocks_in_flight(point))

    def acceptance(self, point: Point, bits: int) -> Acceptance:
        """See ``Realisation``."""
        slot = (point.round_levels * number for number in range(1, _passes(point, bits)))
        limited = point.restart is Restart.LATENCY
        return Acceptance(frozenset(slot), self.blocks_in_flight(point) if limited else 0)

    def blocks_in_flight(self, point: Point) -> int:
        """See ``Realisation``."""
        return point.round_levels

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        if point.shared_add is SharedAdd.YES:
            return _shared_add_schedule(point, ROUNDS_OF_KEY[bits])
        return super().schedule(point, bits)

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        if point.shared_add is SharedAdd.YES:
            return _shared_add_diagram(point)
        if point.shared_add is SharedAdd.FIRST:
            return _shared_first_diagram(point)
        sbox, mix, loop = point.sbox_levels.value, point.mix_levels.value, point.loop_level.value
        front, loop_register = drawing.registers(mix - 1), drawing.registers(loop)
        first_key, last_key = staged.outer_keys(point, ROUNDS_OF_KEY[point.key_width])

        def looped(head: str, tail: str, label: str) -> list[str]:
            at, end = head.index("[ mux ]") + 3, len(head) + tail.rindex("+")
            return [
                head + tail,
                " " * at + "|" + " " * (end - at - 1) + "|",
                " " * at + "+" + f" {label} ".center(end - at - 1, "-") + "+",
            ]

        if point.stored_keys:
            key = [keys.expander(point, "key memory") + "-- a key each clock", ""]
        else:
            key = looped(
                f"in_key_i   --{front}--------------[ mux ]-{loop_register}-",
                f"-[ key round {drawing.registers(sbox + mix)} ]--+-- round keys",
                "next round",
            )
        state = looped(
            f"in_block_i --{front}-(+ {first_key})-|R|---[ mux ]-{loop_register}-",
            f"-[ {staged.sub_bytes(point)} {drawing.registers(sbox)} ]"
            f"--x--[ Mix + key {drawing.registers(mix)} ]--+",
            "next round",
        )
        last = f"                    x --{front}--(+ {last_key})--|R|-- out_block_o"
        return "\n".join([*key, *state, last, *staged.waiting_note(point)])

    def _selector(self, point: Point) -> tuple[list[str], str]:
        if point.loop_level.value:
            return ["multiplexer of the loop"], ""
        return [], "multiplexer, " if point.shared_add is SharedAdd.NO else ""

    def _key_reads(self, point: Point, rounds: int) -> list[str]:
        return _key_reads(point, rounds)


def _passes(point: Point, bits: int) -> int:
    """How often a block is in a slot: once a round, and once more where it shares a key adder."""
    return ROUNDS_OF_KEY[bits] + (point.shared_add is SharedAdd.YES)


def _key_reads(point: Point, rounds: int) -> list[str]:
    """The clocks in which the loop reads stored keys: the one before the last of each round."""
    front = staged.front(point)
    reads = [""] * (front + point.round_levels * rounds - 1)
    for number in range(1, rounds + 1):
        added = drawing.round_key if number == rounds else drawing.mixed_round_key
        text = f"read {added(point, rounds, number)}"
        reads[front + point.round_levels * number - 2] = text
    return reads


def _shared_add_schedule(point: Point, rounds: int) -> list[str]:
    """A block in the loop with one key adder (standaert2003, Fig. 9)."""
    sub_bytes, shift_rows, mix_columns = drawing.layer_names(point)
    state = [f"block + {drawing.round_key(point, rounds, 0)} -> state register"]
    key = []
    for number in range(1, rounds + 1):
        added = drawing.round_key(point, rounds, number)
        if number < rounds:
            added = f"{mix_columns}, + {drawing.mixed_round_key(point, rounds, number)}"
        else:
            added = f"+ {added}"
        state.append(f"{sub_bytes} of round {number}")
        state.append(f"{shift_rows}, {added} -> state register")
        sub_word, new_key = staged.key_step(point, number)
        key += [sub_word, new_key[0]]
    if point.stored_keys:
        key = _key_reads(point, rounds)
    own = point.output_register is OutputRegister.YES
    shows = "out_block_o" if own else "out_block_o (the state register)"
    return staged.beside(state, key, f"out_valid_o, {shows}")


def _shared_first_diagram(point: Point) -> str:
    """A loop without multiplexers of its own: new blocks come in by the last additions."""
    sbox = drawing.registers(point.sbox_levels.value)
    layer = staged.sub_bytes(point)

    def looped(head: str, enters: str, tail: str, label: str) -> list[str]:
        at, end = len(head) + 2, len(head) + tail.rindex("+")
        return [
            enters + "-" * (at - len(enters)) + "+",
            " " * at + "v",
            head + tail,
            "   |" + " " * (end - 4) + "|",
            "   +" + f" {label} ".center(end - 4, "-") + "+",
        ]

    if point.doubled is Doubled.YES:
        mix, enters, tail = "[ Mix ]-", "in_block_i ", "[ mux ]-|R|-(+ key)-|R|--+"
    else:
        mix, enters, tail = "[ Mix |R| ]-", "in_block_i --|R|", "(+ key)-|R|--+"
    return "\n".join(
        [
            *looped(
                f"   +--[ key round {sbox}|R| ]--",
                "in_key_i ",
                "[ mux ]-|R|--+-- round keys",
                "next round",
            ),
            *looped(f"   +--[ {layer} {sbox} ]--x--{mix}", enters, tail, "next round"),
            f"      x --(+ K{ROUNDS_OF_KEY[point.key_width]})--|R|-- out_block_o",
            *staged.waiting_note(point),
        ]
    )


def _shared_add_diagram(point: Point) -> str:
    """Fig. 9: a selector in front of the only key adder."""
    sub_bytes, shift_rows, mix_columns = drawing.layer_names(point)
    layer = f"[ {sub_bytes}: {point.sbox.value} |R| ]"
    if point.output_register is OutputRegister.YES:
        state = f"in_block_i --[ mux ]-(+)-+--|R|--{layer}--[ {shift_rows} ]--+-- last"
        result = "+--|R|-- out_block_o"
    else:
        state = f"in_block_i --[ mux ]-(+)-|R|--+--{layer}--[ {shift_rows} ]--+-- last"
        result = "+-- out_block_o"
    tap = state.index("+--")
    down = state.rindex("+") - tap - 1
    key = [
        "in_key_i   --[ mux ]--+--[ key round |R||R| ]--+",
        "                |     |                        |",
        "                +-----|------ next round ------+",
        "                      v",
    ]
    if point.stored_keys:
        expander = keys.expander(point, "key memory")
        key = [
            f"{expander}--+",
            "+".rjust(23) + "-" * (len(expander) - 21) + "+",
            "v".rjust(23),
        ]
    return "\n".join(
        [
            *key,
            state,
            "     inner --[     ]".ljust(tap) + "|" + " " * down + "|",
            "      last --[     ]".ljust(tap)
            + result.ljust(down + 1)
            + f"+--[ {mix_columns} ]-- inner",
        ]
    )
