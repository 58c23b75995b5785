# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a design does in each clock, and a drawing of its data path; both from its axes."""

from __future__ import annotations

from aesfab.spec import ROUNDS_OF_KEY, Design, Direction, KeySchedule, Sbox, Tbox


def schedule(design: Design, key_bits: int | None = None) -> list[tuple[str, str]]:
    """Rows of (clock, what happens) for one block accepted in clock 0.

    The register that ends a clock is named in its row; the last row is the clock in which
    ``out_valid_o`` is high.
    """
    bits = key_bits or design.key_width
    rows = _tbox_rows(design, bits) if design.tbox is not Tbox.NONE else _iterative(design, bits)
    assert int(rows[-1][0]) == design.latency(bits)
    return rows


def _key(design: Design, rounds: int, number: int) -> str:
    """The name of the round key that is added in round ``number``, 0 before the first."""
    if design.direction is Direction.BOTH:
        return f"K{number} (decryption: K{rounds - number})"
    return f"K{rounds - number if design.direction is Direction.DECRYPT else number}"


def _tbox_rows(design: Design, bits: int) -> list[tuple[str, str]]:
    rounds = ROUNDS_OF_KEY[bits]
    shift, tables, taken = {
        Direction.ENCRYPT: ("ShiftRows", "T", "S out of T"),
        Direction.DECRYPT: ("InvShiftRows", "T^-1", "S^-1 out of T^-1"),
        Direction.BOTH: ("(Inv)ShiftRows", "T or T^-1", "S or S^-1 out of them"),
    }[design.direction]

    def inner(number: int) -> str:
        mixed = f"InvMixColumns(K{rounds - number})"
        return {
            Direction.ENCRYPT: f"K{number}",
            Direction.DECRYPT: mixed,
            Direction.BOTH: f"K{number} (decryption: {mixed})",
        }[design.direction]

    register = "RAM address register" if design.sbox is Sbox.ROM else "register of the words"
    first = f"block + {_key(design, rounds, 0)}, {shift}, {tables} of round 1 -> {register}"
    rows = [("0", first)]
    for number in range(1, rounds):
        text = f"XOR of 4 words a column, + {inner(number)}"
        rows.append((str(number), f"{text}, {shift}, {tables} of round {number + 1} -> {register}"))
    last = f"{taken}, + {_key(design, rounds, rounds)} -> output register"
    return [*rows, (str(rounds), last), (str(rounds + 1), "out_valid_o, out_block_o")]


def _iterative(design: Design, bits: int) -> list[tuple[str, str]]:
    rounds = ROUNDS_OF_KEY[bits]
    step = design.rounds.value
    passes = rounds // step
    backward = design.direction is Direction.DECRYPT
    substitute = {
        Direction.ENCRYPT: "SubBytes",
        Direction.DECRYPT: "InvSubBytes",
        Direction.BOTH: "(Inv)SubBytes",
    }[design.direction]
    shift, mix = {
        Direction.ENCRYPT: ("ShiftRows", "MixColumns"),
        Direction.DECRYPT: ("InvShiftRows", "InvMixColumns"),
        Direction.BOTH: ("(Inv)ShiftRows", "(Inv)MixColumns"),
    }[design.direction]
    register = "RAM address register" if design.sbox is Sbox.ROM else "state register"

    def key(number: int) -> str:
        return _key(design, rounds, number)

    rows = [("0", f"block + {key(0)}, {substitute} of round 1 -> {register}")]
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
        rows.append((str(number), text))
    return [*rows, (str(passes + 1), "out_valid_o, out_block_o")]


def diagram(design: Design) -> str:
    """The data path in a few lines of text."""
    return _tbox_diagram(design) if design.tbox is not Tbox.NONE else _iterative_diagram(design)


def _with_loop(head: str) -> str:
    """A data path with the way from its plus back to its multiplexer drawn below."""
    mux = head.index("[ mux ]") + 3
    plus = head.index("+--|R|--")
    back = " " * mux + "|" + " " * (plus - mux - 1) + "|"
    loop = " " * mux + "+" + "-" * (plus - mux - 1) + "+"
    return "\n".join([head, back, loop])


def _tbox_diagram(design: Design) -> str:
    banks = 2 if design.key_schedule is KeySchedule.STORED else 1
    lines = [f"key_i --[ expander, 2 words a clock ]--[ key memory, {banks} bank(s) ]-- round keys"]
    shift = "ShiftRows" if design.direction is Direction.ENCRYPT else "InvShiftRows"
    if design.direction is Direction.BOTH:
        shift = "(Inv)ShiftRows"
    tables = {Sbox.TABLE: "table", Sbox.ROM: "rom"}[design.sbox]
    if design.tbox is Tbox.REFILLED:
        lines.append("{S, S^-1} --[ x 2, 1, 3 or e, 9, d, b ]-- content of the T-boxes")
        tables = "ram"
    lines.append("")
    lines.append(
        _with_loop(
            f"in_block_i --(+ key)--[ mux ]--[ {shift} ]--[ 16 T-boxes: {tables} |R| ]"
            "--[ XOR, + key ; S of T, + key ]--+--|R|-- out_block_o"
        )
    )
    if design.direction is not Direction.ENCRYPT:
        lines += ["", "decryption: inner rounds add InvMixColumns(key), made where it is read"]
    return "\n".join(lines)


def _iterative_diagram(design: Design) -> str:
    step = design.rounds.value
    keys = (
        "in_key_i --[ key round x "
        f"{step}, key register ]-- round keys (a key travels with each block)"
        if not design.stored_keys
        else f"key_i --[ expander, 2 words a clock ]--[ key memory, "
        f"{2 if design.key_schedule.value == 'stored' else 1} bank(s) ]-- round keys"
    )
    layer = (
        "(Inv)SubBytes"
        if design.direction is Direction.BOTH
        else ("SubBytes" if design.can_encrypt else "InvSubBytes")
    )
    first = f"{layer}: {design.sbox.value}"
    rounds = "round" if step == 1 else f"round, {layer}, ... x {step}"
    head = f"in_block_i --(+ key)--[ mux ]--[ {first} |R| ]--[ {rounds} ]--+--|R|-- out_block_o"
    return "\n".join([keys, "", _with_loop(head)])
