# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Rounds cut by registers, which pipelines and interleaved loops share (``aes_round_staged``)."""

from __future__ import annotations

from aesfab.design.architectures import drawing, keys
from aesfab.design.architectures.contract import Realisation
from aesfab.design.axes import (
    ROUNDS_OF_KEY,
    Direction,
    Doubled,
    KeyMemory,
    KeyRegister,
    SharedAdd,
)
from aesfab.design.point import Point


class Staged(Realisation):
    """A block through rounds of several register levels, with its key beside it."""

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        return front(point) + ROUNDS_OF_KEY[bits] * point.round_levels

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        # Each entry of state and key is the work of one clock, which ends in a register.
        rounds = ROUNDS_OF_KEY[bits]
        sbox, mix = point.sbox_levels.value, point.mix_levels.value
        selector, prefix = self._selector(point)
        sub_bytes, shift_rows, mix_columns = drawing.layer_names(point)
        first = f"+ {drawing.round_key(point, rounds, 0)}"
        if point.shared_add is SharedAdd.FIRST:
            enters = (
                "into the sums of MixColumns" if point.doubled is Doubled.YES else "input register"
            )
            state = [enters, f"{first}, in the key addition of the round"]
        else:
            state = ["input register"] * (front(point) - 1) + [first]
        for number in range(1, rounds + 1):
            state += selector + drawing.levels(f"{prefix}{sub_bytes} of round {number}", sbox)
            if number < rounds:
                added = drawing.mixed_round_key(point, rounds, number)
                state += drawing.levels(f"{shift_rows}, {mix_columns}, + {added}", mix)
        last = f"{shift_rows}, + {drawing.round_key(point, rounds, rounds)}"
        if point.shared_add is not SharedAdd.FIRST:
            state += ["delay"] * (mix - 1)
        state += [f"{last} -> output register"]
        if point.stored_keys:
            return beside(state, self._key_reads(point, rounds), "out_valid_o, out_block_o")
        key = ["input register"] * (mix - 1)
        for number in range(1, rounds + 1):
            sub_word, new_key = key_step(point, number)
            key += selector + drawing.levels(sub_word, sbox)
            key += [new_key[0]] if mix == 1 else new_key[1:]
        return beside(state, key, "out_valid_o, out_block_o")

    def _selector(self, point: Point) -> tuple[list[str], str]:
        """What a round begins with: clocks of their own, and the begin of the first of SubBytes."""
        return [], ""

    def _key_reads(self, point: Point, rounds: int) -> list[str]:
        """The clocks in which stored keys are read; none where they are in registers."""
        return []


def front(point: Point) -> int:
    """Clocks besides those of the rounds: the first key addition, and registers before it.

    A round that does the first key addition needs none before the last one.
    """
    if point.shared_add is SharedAdd.FIRST:
        return 1
    return max(1, int(point.mix_levels.value)) + (point.key_register is KeyRegister.AHEAD)


def waiting_note(point: Point) -> list[str]:
    """Lines below a diagram, of keys that wait in LUT RAM; none of others."""
    if point.key_memory is not KeyMemory.DISTRIBUTED or point.stored_keys:
        return []
    return ["", "A key waits for SubWord in LUT RAM."]


def key_step(point: Point, number: int) -> tuple[str, list[str]]:
    """Step ``number`` of a key that is made on the way, from 1.

    Its SubWord, and its new words: in one clock, and in the first and second of two.
    """
    if point.key_width == 128:
        new = f"K{number}"
        return f"SubWord for {new}", [new, f"{new}, word 0", f"{new}, words 1 to 3"]
    first = point.key_width // 32 + 4 * (number - 1)
    words = range(first, first + 4)
    substituted = [i for i in keys.substituted_words(point.key_width) if i in words]
    new = f"W[{words[0]}] to W[{words[-1]}]"
    sub_word = f"SubWord for W[{substituted[0]}]" if substituted else "delay"
    return sub_word, [new, f"{new}, part 1", f"{new}, part 2"]


def beside(state: list[str], key: list[str], result: str) -> list[str]:
    """The rows of a schedule with the work on the state and that on the key side by side."""
    width = max(len(text) for text in state)
    texts = [
        f"{text:<{width}} | {work}" if work else text
        for text, work in zip(state, key, strict=False)
    ]
    return [*texts, *state[len(key) :], result]


def outer_keys(point: Point, rounds: int) -> tuple[str, str]:
    """Names of the first and the last round key in a drawing."""
    if point.direction is Direction.BOTH:
        return "first key", "last key"
    return drawing.round_key(point, rounds, 0), drawing.round_key(point, rounds, rounds)


def sub_bytes(point: Point) -> str:
    """The S-boxes of a staged round, with the multiples that they give besides."""
    doubles = ", {02}" if point.doubled is Doubled.YES else ""
    return f"{drawing.layer_names(point)[0]}: {point.sbox.value}{doubles}"
