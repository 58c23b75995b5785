# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""How stored round keys are expanded: clocks of it, and the drawing of what does it."""

from __future__ import annotations

from aesfab.design.axes import ROUNDS_OF_KEY, KeyExpansion, KeySbox
from aesfab.design.point import Point

_STAGED_STEP = 4
"""Clocks in which two words are made in stages, without SubWord."""

_TURNS_WORD = 3
"""Clocks in which the S-boxes of two blocks in turn make a word of a key, while there is none."""


def substituted_words(key_bits: int) -> list[int]:
    """The i of all W[i] for which KeyExpansion takes SubWord (FIPS 197, section 5.2)."""
    nk = key_bits // 32
    last = 4 * (ROUNDS_OF_KEY[key_bits] + 1)
    return [i for i in range(nk, last) if i % nk == 0 or (nk > 6 and i % nk == 4)]


def setup(point: Point, bits: int) -> int:
    """Clocks from acceptance of a key to the first block under it; see ``timing.key_setup``."""
    words = 4 * (ROUNDS_OF_KEY[bits] + 1)
    if point.key_expansion is KeyExpansion.STAGED:
        # More clocks for two words with a SubWord.
        steps = words // 2
        substitutions = -(-steps // 3) if bits == 192 else steps // 2
        more = _substituted_step(point) - _STAGED_STEP
        return _STAGED_STEP * steps + more * substitutions + 7
    if point.key_offered:
        return _word_clocks(point) * words + 2
    if point.stored_turns:
        # As many clocks more for a word of the key, and for one with SubWord.
        return _TURNS_WORD * (words + bits // 32 + len(substituted_words(bits))) + 7
    return words // point.key_words + 3


def _substituted_step(point: Point) -> int:
    """Clocks in which two words are made in stages, with SubWord."""
    return _STAGED_STEP + int(point.sbox_levels.value) + 1


def _word_clocks(point: Point) -> int:
    """Clocks in which a word is made of a key that is offered until all are."""
    return 3 if point.key_sbox is KeySbox.SHARED else 2


def into_memory(point: Point) -> str:
    """What fills the key memory of a core with one block at a time."""
    words = "1 word" if point.key_words == 1 else f"{point.key_words} words"
    if point.round_keys_from_outside:
        return f"{', '.join(point.round_key_ports)}, {words} a clock "
    if point.key_offered:
        sub_word = "S-boxes of the state"
        if not point.shared_sboxes:
            sub_word = f"SubWord: {point.key_sbox.value}"
        return f"key_i --[ expansion, a word in {_word_clocks(point)} clocks, {sub_word} ]"
    return f"key_i --[ expander, {words} a clock ]"


def expander(point: Point, memory: str) -> str:
    """Where stored keys of a pipeline or a loop come from."""
    mixed = ", InvMixColumns" if point.can_decrypt else ""
    clocks = "a clock"
    if point.key_expansion is KeyExpansion.STAGED:
        clocks = f"in {_STAGED_STEP} clocks, or {_substituted_step(point)} with SubWord"
    return f"key_i --[ expander, 2 words {clocks}{mixed} ]--[ {memory}, {point.banks} bank(s) ]"
