# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Words and lines that drawings and clock tables of all architectures are made of."""

from __future__ import annotations

from aesfab.design.axes import Direction
from aesfab.design.point import Point


def round_key(point: Point, rounds: int, number: int) -> str:
    """The name of the round key that is added in round ``number``, 0 before the first."""
    if point.direction is Direction.BOTH:
        return f"K{number} (decryption: K{rounds - number})"
    return f"K{rounds - number if point.direction is Direction.DECRYPT else number}"


def mixed_round_key(point: Point, rounds: int, number: int) -> str:
    """The same where decryption adds the key after InvMixColumns, in rounds 1 to Nr - 1."""
    mixed = f"InvMixColumns(K{rounds - number})"
    return {
        Direction.ENCRYPT: f"K{number}",
        Direction.DECRYPT: mixed,
        Direction.BOTH: f"K{number} (decryption: {mixed})",
    }[point.direction]


def layer_names(point: Point) -> tuple[str, str, str]:
    """What SubBytes, ShiftRows and MixColumns are in the direction of the core."""
    prefix = {Direction.ENCRYPT: "", Direction.DECRYPT: "Inv", Direction.BOTH: "(Inv)"}
    sub, shift, mix = (
        prefix[point.direction] + name for name in ("SubBytes", "ShiftRows", "MixColumns")
    )
    return sub, shift, mix


def with_loop(head: str, joint: str = "[ mux ]") -> str:
    """A data path with the way from its plus back to its multiplexer drawn below."""
    mux = head.index(joint) + len(joint) // 2
    plus = head.index("+--|R|--")
    back = " " * mux + "|" + " " * (plus - mux - 1) + "|"
    loop = " " * mux + "+" + "-" * (plus - mux - 1) + "+"
    return "\n".join([head, back, loop])


def in_columns(texts: dict[int, str]) -> str:
    """A line of a drawing: each text from its column on, over what is there."""
    line = ""
    for column, text in texts.items():
        line = line[:column].ljust(column) + text + line[column + len(text) :]
    return line.rstrip()


def registers(count: int) -> str:
    """So many registers in a row."""
    return "|R|" * count if count <= 6 else f"{count} x |R|"


def levels(text: str, count: int) -> list[str]:
    """``text`` once for each of its register levels."""
    return [text] if count == 1 else [f"{text}, level {n}" for n in range(1, count + 1)]


SHIFTED = tuple(4 * ((n // 4 + n) % 4) + n % 4 for n in range(16))
"""ShiftRows: the byte of the state that comes to place n."""
