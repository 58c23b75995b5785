# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a design does in each clock, and a drawing of its data path; both from its axes."""

from __future__ import annotations

from aesfab.spec import ROUNDS_OF_KEY, Architecture, Design, Direction, Lookups, Order, Sbox


def schedule(design: Design, key_bits: int | None = None) -> list[tuple[str, str]]:
    """Rows of (clock, what happens) for one block accepted in clock 0.

    The register that ends a clock is named in its row; the last row is the clock in which
    ``out_valid_o`` is high.
    """
    bits = key_bits or design.key_width
    rows = {
        Architecture.ITERATIVE: _iterative_schedule,
        Architecture.ROLLING: _rolling_schedule,
    }[design.architecture](design, ROUNDS_OF_KEY[bits])
    assert len(rows) == design.latency(bits) + 1
    return rows


def diagram(design: Design) -> str:
    """The data path in a few lines of text."""
    return {
        Architecture.ITERATIVE: _iterative_diagram,
        Architecture.ROLLING: _rolling_diagram,
    }[design.architecture](design)


# ---------------------------------------------------------------------------- iterative


def _iterative_schedule(design: Design, rounds: int) -> list[tuple[str, str]]:
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
    return rows


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
    mux = head.index("[ mux ]") + 3
    plus = head.index("+--|R|--")
    back = " " * mux + "|" + " " * (plus - mux - 1) + "|"
    loop = " " * mux + "+" + "-" * (plus - mux - 1) + "+"
    return "\n".join([keys, "", head, back, loop])


# ------------------------------------------------------------------------------ rolling


def _rolling_schedule(design: Design, rounds: int) -> list[tuple[str, str]]:
    turns = design.lookups.value
    sbox = "RAM address register" if design.sbox is Sbox.ROM else "S-box register"
    # The registers that a look-up passes on its way from the block to the result of a round.
    way = {
        1: [sbox],
        2: [sbox, "feed-back registers"],
        4: ["selection register", sbox, "S-box output register", "feed-back registers"],
    }[turns]
    shifted = [4 * ((n // 4 + n) % 4) + n % 4 for n in range(16)]  # ShiftRows: byte n comes from
    rows = []
    for clock in range(2 * rounds * turns):
        number, step = clock // (2 * turns) + 1, clock % (2 * turns)
        events = []
        if step < turns:
            given = f"P{number - 1}, MixColumns, + K{number - 1}"
            if number == 1:
                given = "block + K0" if step == 0 else "held block + K0"
            chosen = " ".join(f"X{n}" for n in shifted[step::turns]) if turns > 1 else "ShiftRows"
            events.append(f"{given}: {chosen} -> {way[0]}")
        for at, register in enumerate(way[1:], start=1):
            if 0 <= step - at < turns:
                events.append(f"look-up {step - at + 1} -> {register}")
        if step == 2 * turns - 1:
            events.append(f"-> P{number}, K{number}")
        rows.append((str(clock), "; ".join(events)))
    rows.append((str(2 * rounds * turns), f"P{rounds} + K{rounds}: out_valid_o, out_block_o"))
    return rows


def _rolling_diagram(design: Design) -> str:
    turns = design.lookups.value
    boxes = f"{16 // turns} x {design.sbox.value}"
    if design.lookups is Lookups.ONE:
        hold, part = "", f"[ ShiftRows ]--[ {boxes} |R| ]"
    else:
        hold = "[ hold, mux ]--"
        select = "shifter" if design.order is Order.SHIFTER else "permutation, selector"
        if design.lookups is Lookups.FOUR:
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
            f"round key circuit: |R|--[ 4 x {design.key_sbox.value} |R|, XORs ]--|K|",
            f"registers P and those of the round keys load {period}",
        ]
    )
