# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a design does in each clock, and a drawing of its data path; both from its axes."""

from __future__ import annotations

from aesfab.spec import ROUNDS_OF_KEY, Design, Direction, Sbox


def schedule(design: Design, key_bits: int | None = None) -> list[tuple[str, str]]:
    """Rows of (clock, what happens) for one block accepted in clock 0.

    The register that ends a clock is named in its row; the last row is the clock in which
    ``out_valid_o`` is high.
    """
    bits = key_bits or design.key_width
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
        index = rounds - number if backward else number
        if design.direction is Direction.BOTH:
            return f"K{number} (decryption: K{rounds - number})"
        return f"K{index}"

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
    rows.append((str(passes + 1), "out_valid_o, out_block_o"))
    assert passes + 1 == design.latency(bits)
    return rows


def diagram(design: Design) -> str:
    """The data path in a few lines of text."""
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
    mux = head.index("[ mux ]") + 3
    plus = head.index("+--|R|--")
    back = " " * mux + "|" + " " * (plus - mux - 1) + "|"
    loop = " " * mux + "+" + "-" * (plus - mux - 1) + "+"
    return "\n".join([keys, "", head, back, loop])
