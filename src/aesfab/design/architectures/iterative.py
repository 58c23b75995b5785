# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""One block at a time, one or more rounds a clock."""

from __future__ import annotations

from fractions import Fraction

from aesfab.design.architectures import drawing, keys
from aesfab.design.architectures.contract import Acceptance, Between, OneBlock
from aesfab.design.axes import (
    ROUNDS_OF_KEY,
    Direction,
    KeyRegister,
    OutputRegister,
    Overlap,
    Sbox,
    Tbox,
)
from aesfab.design.point import Point


class Iterative(OneBlock):
    """A loop of one or more rounds, with S-boxes or T-boxes."""

    shows = Between.HELD

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        return 1 + ROUNDS_OF_KEY[bits] // int(point.rounds.value) + point.key_ahead

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        overlap = point.overlap is Overlap.YES
        return Fraction(self.latency(point, bits) - point.key_ahead - overlap)

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        rounds = ROUNDS_OF_KEY[bits]
        if point.key_offered:
            return _compact_schedule(point, rounds)
        if point.tbox is not Tbox.NONE:
            return _tbox_schedule(point, rounds)
        step = point.rounds.value
        passes = rounds // step
        backward = point.direction is Direction.DECRYPT
        substitute, shift, mix = drawing.layer_names(point)
        register = "RAM address register" if point.sbox is Sbox.ROM else "state register"

        def key(number: int) -> str:
            return drawing.round_key(point, rounds, number)

        entered, substituted = f"block + {key(0)}", f"{substitute} of round 1 -> {register}"
        if point.key_ahead:
            done = [f"{entered} -> register of what is added", substituted]
        else:
            done = [f"{entered}, {substituted}"]
        for number in range(1, passes + 1):
            first, last = (number - 1) * step + 1, number * step
            if step == 1:
                if number == passes:
                    text = f"{shift}, + {key(first)}"
                elif backward:
                    text = f"{shift}, + {key(first)}, {mix}"
                else:
                    text = f"{shift}, {mix}, + {key(first)}"
            else:
                text = f"rounds {first} to {last} with {key(first)} to {key(last)}"
            if number == passes:
                text += " -> output register"
            else:
                text += f", {substitute} of round {last + 1} -> {register}"
            done.append(text)
        done.append("out_valid_o, out_block_o")
        return done

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        if point.tbox is not Tbox.NONE:
            return _tbox_diagram(point)
        step = point.rounds.value
        layer = drawing.layer_names(point)[0]
        first = f"{layer}: {point.sbox.value}"
        rounds = "round" if step == 1 else f"round, {layer}, ... x {step}"
        if point.key_offered:
            return "\n".join([_round_keys(point), "", *_compact_loop(point)])
        if point.key_ahead:
            # Encryption uses the same S-boxes, of what its linear maps of bytes give.
            boxes = f"InvSubBytes: {point.sbox.value} |R|"
            head = f"in_block_i --(+ key)--|R|--(+)--[ {boxes} ]--[ round ]--+--|R|-- out_block_o"
            return "\n".join([_round_keys(point), "", drawing.with_loop(head, "(+)")])
        head = f"in_block_i --(+ key)--[ mux ]--[ {first} |R| ]--[ {rounds} ]--+--|R|-- out_block_o"
        return "\n".join([_round_keys(point), "", drawing.with_loop(head)])


def _tbox_schedule(point: Point, rounds: int) -> list[str]:
    shift = drawing.layer_names(point)[1]
    tables, taken = {
        Direction.ENCRYPT: ("T", "S out of T"),
        Direction.DECRYPT: ("T^-1", "S^-1 out of T^-1"),
        Direction.BOTH: ("T or T^-1", "S or S^-1 out of them"),
    }[point.direction]
    register = "RAM address register" if point.sbox is Sbox.ROM else "register of the words"
    first = f"block + {drawing.round_key(point, rounds, 0)}"
    look_up = f"{shift}, {tables} of round 1 -> {register}"
    if point.key_ahead:
        done = [f"{first} -> register of what is added", look_up]
    else:
        done = [f"{first}, {look_up}"]
    for number in range(1, rounds):
        text = f"XOR of 4 words a column, + {drawing.mixed_round_key(point, rounds, number)}"
        done.append(f"{text}, {shift}, {tables} of round {number + 1} -> {register}")
    done.append(f"{taken}, + {drawing.round_key(point, rounds, rounds)} -> output register")
    done.append("out_valid_o, out_block_o")
    return done


def _compact_schedule(point: Point, rounds: int) -> list[str]:
    """One register and one key addition (``aes_core_iterative_compact``)."""
    substitute, shift, mix = drawing.layer_names(point)
    done = [f"block + {drawing.round_key(point, rounds, 0)} -> state register"]
    for number in range(1, rounds + 1):
        added = f"+ {drawing.round_key(point, rounds, number)}"
        if number == rounds:
            text = f"{substitute}, {shift}, {added}"
        elif point.direction is Direction.DECRYPT:
            text = f"{substitute}, {shift}, {added}, {mix}"
        else:
            text = f"{substitute}, {shift}, {mix}, {added}"
        done.append(f"{text} -> state register")
    done.append("out_valid_o, out_block_o")
    return done


def _round_keys(point: Point) -> str:
    """Where the round keys come from."""
    if point.stored_keys:
        filled = keys.into_memory(point)
        return f"{filled}--[ key memory, {point.banks} bank(s) ]-- round keys"
    if point.key_register is KeyRegister.SUMS:
        return (
            "in_key_i --[ running sums |R|, SubWord |R| ]--(+)-- round keys (a key travels with "
            "each block)"
        )
    return (
        f"in_key_i --[ key round x {point.rounds.value}, key register ]-- round keys (a key "
        "travels with each block)"
    )


def _tbox_diagram(point: Point) -> str:
    lines = [_round_keys(point)]
    shift = drawing.layer_names(point)[1]
    tables = {Sbox.TABLE: "table", Sbox.ROM: "rom"}[point.sbox]
    if point.tbox is Tbox.REFILLED:
        lines.append("{S, S^-1} --[ x 2, 1, 3 or e, 9, d, b ]-- content of the T-boxes")
        tables = "ram"
    lines.append("")
    wait = "|R|--" if point.key_ahead else ""
    lines.append(
        drawing.with_loop(
            f"in_block_i --(+ key)--{wait}[ mux ]--[ {shift} ]--[ T-boxes: {tables} |R| ]"
            "--[ XOR + key ]--+--|R|-- out_block_o"
        )
    )
    if point.direction is not Direction.ENCRYPT:
        outside = "mixed_round_key_i" in point.round_key_ports
        made = "which comes from outside" if outside else "made where it is read"
        lines += ["", f"decryption: inner rounds add InvMixColumns(key), {made}"]
    return "\n".join(lines)


def _compact_loop(point: Point) -> list[str]:
    """The data path with one register, which a block enters where the last round goes."""
    substitute, shift, mix = drawing.layer_names(point)
    layer = f"[ {substitute}: {point.sbox.value} ]--[ {shift} ]"
    if point.direction is Direction.DECRYPT:
        own = point.output_register is OutputRegister.YES
        end_of_head = "+--|R|-- out_block_o" if own else "|R|--+-- out_block_o"
        head = f"in_block_i --[ mux ]--(+ key)--+-----------------------[ mux ]--{end_of_head}"
        back = layer + "--|R|" * own
        mixing = f"--[ {mix} ]--"
        at, plus, end = head.index("[ mux ]") + 3, head.index("+----"), head.rindex("+")
        join = head.rindex("[ mux ]") + 3
        return [
            head,
            drawing.in_columns(
                {at: "|", plus: "+" + mixing.center(join - plus - 1, "-") + "+", end: "|"}
            ),
            drawing.in_columns({at: "+" + back.center(end - at - 1, "-") + "+"}),
        ]
    if point.output_register is OutputRegister.YES:
        head = f"in_block_i --[ mux ]--(+ key)--+--|R|--{layer}--+--[ {mix} ]--+"
        out, result = head.index("+--|R|"), "+--|R|-- out_block_o"
    else:
        head = f"in_block_i --[ mux ]--(+ key)--|R|--+--{layer}--+--[ {mix} ]--+"
        out, result = head.index("+--["), "+-- out_block_o"
    at = head.index("[ mux ]") + 3
    tap, end = head.rindex("+--["), len(head) - 1
    return [
        head,
        drawing.in_columns({at: "|", out: result, tap: "|", end: "|"}),
        drawing.in_columns({at: "+" + "-" * (end - at - 1) + "+", tap: "+"}),
    ]


class SharedOne(OneBlock):
    """T-boxes in block RAM, in a loop whose one key addition serves entry, rounds and result."""

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
