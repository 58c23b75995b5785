# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""KeyExpansion of FIPS 197, section 5.2, and the inner values of a block, for testing cores."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator

from aesfab.design.axes import ROUNDS_OF_KEY


@functools.cache
def _sbox() -> bytes:
    """SubBytes of every byte (FIPS 197, section 5.1.1)."""
    # {03} generates the field: exponents and powers of it give every inverse.
    powers = [1]
    while len(powers) < 255:
        last = powers[-1]
        powers.append(last ^ last << 1 & 0xFF ^ (0x1B if last & 0x80 else 0))
    table = bytearray([0x63]) * 256
    for exponent, power in enumerate(powers):
        inverse = powers[-exponent % 255]
        doubled = inverse * 0x101
        table[power] ^= (
            inverse ^ doubled >> 7 ^ doubled >> 6 ^ doubled >> 5 ^ doubled >> 4
        ) & 0xFF  # fmt: skip
    return bytes(table)


def _sub_word(word: int) -> int:
    return int.from_bytes(word.to_bytes(4, "big").translate(_sbox()), "big")


def _doubled(word: int) -> int:
    return (word & 0x7F7F7F7F) << 1 ^ (word >> 7 & 0x01010101) * 0x1B


def _rotated(word: int, number: int) -> int:
    return word << 8 * number & 0xFFFFFFFF | word >> 32 - 8 * number


def _inv_mix_column(column: int) -> int:
    """InvMixColumns of a column (FIPS 197, section 5.3.3)."""
    two = _doubled(column)
    four = _doubled(two)
    eight = _doubled(four)
    # {0e} = {08} + {04} + {02}, {0b} = {08} + {02} + {01}, {0d} = {08} + {04} + {01}.
    mixed = eight ^ four ^ two ^ _rotated(eight ^ two ^ column, 1)
    return mixed ^ _rotated(eight ^ four ^ column, 2) ^ _rotated(eight ^ column, 3)


def round_key_words(key: bytes, *, mixed: bool = False) -> list[int]:
    """The words of all round keys of a key, first byte at the top of each.

    Args:
        key: 16, 24 or 32 bytes.
        mixed: those of the equivalent inverse cipher (section 5.3.5).
    """
    nk = len(key) // 4
    words = [int.from_bytes(key[at : at + 4], "big") for at in range(0, len(key), 4)]
    constant = 1
    for i in range(nk, 4 * (ROUNDS_OF_KEY[8 * len(key)] + 1)):
        word = words[i - 1]
        if i % nk == 0:
            word = _sub_word(word << 8 & 0xFFFFFFFF | word >> 24) ^ constant << 24
            constant = constant << 1 ^ (0x11B if constant & 0x80 else 0)
        elif nk > 6 and i % nk == 4:
            word = _sub_word(word)
        words.append(word ^ words[i - nk])
    if mixed:
        words[4:-4] = map(_inv_mix_column, words[4:-4])
    return words


def round_keys(key: bytes) -> list[bytes]:
    """The round keys of a key, K0 first, 16 bytes each."""
    words = round_key_words(key)
    return [
        b"".join(word.to_bytes(4, "big") for word in words[at : at + 4])
        for at in range(0, len(words), 4)
    ]


@dataclasses.dataclass(frozen=True)
class Round:
    """The state in a round, 16 bytes each: after SubBytes, ShiftRows, MixColumns, AddRoundKey.

    Round 0 has its AddRoundKey alone, and the last one no MixColumns: the step before stands there.
    """

    substituted: bytes
    shifted: bytes
    mixed: bytes
    added: bytes


def rounds(key: bytes, plain: bytes) -> Iterator[Round]:
    """The rounds of a block, from 0 on (FIPS 197, section 5.1)."""
    keys = round_keys(key)
    state = _added(plain, keys[0])
    yield Round(plain, plain, plain, state)
    for number, round_key in enumerate(keys[1:], 1):
        substituted = state.translate(_sbox())
        # ShiftRows: byte r of column c comes from column c + r (FIPS 197, section 5.1.2).
        shifted = bytes(substituted[4 * ((at // 4 + at % 4) % 4) + at % 4] for at in range(16))
        mixed = shifted
        if number < len(keys) - 1:
            mixed = b"".join(
                _mix_column(int.from_bytes(shifted[at : at + 4], "big")).to_bytes(4, "big")
                for at in range(0, 16, 4)
            )
        state = _added(mixed, round_key)
        yield Round(substituted, shifted, mixed, state)


def inner_values(key: bytes, plain: bytes) -> set[bytes]:
    """All that nobody may see of a block: its round keys, and its state after every transformation.

    Args:
        key: 16, 24 or 32 bytes.
        plain: the plaintext, 16 bytes; a block that is decrypted passes the same states.

    Returns:
        Blocks of 16 bytes; neither the plaintext nor the ciphertext is among them.
    """
    found = set(round_keys(key))
    steps = list(rounds(key, plain))
    for number, step in enumerate(steps):
        # Of round 0 there is the sum alone, and the sum of the last one is the ciphertext.
        found |= {step.substituted, step.shifted} if number else set()
        found |= {step.mixed, step.added} if 0 < number < len(steps) - 1 else set()
    return found | {steps[0].added}


def reduced_results(key: bytes, plain: bytes) -> set[bytes]:
    """What the last round makes of a block too early: ciphertexts of fewer rounds.

    Args:
        key: 16, 24 or 32 bytes.
        plain: the plaintext, 16 bytes.

    Returns:
        For each round but the last, its SubBytes and ShiftRows with a round key added, that of the
        round, the one before, the one behind, or the last one.
    """
    keys = round_keys(key)
    found: set[bytes] = set()
    for number, step in enumerate(rounds(key, plain)):
        if 0 < number < len(keys) - 1:
            near = {keys[number - 1], keys[number], keys[number + 1], keys[-1]}
            found |= {_added(step.shifted, each) for each in near}
    return found


def _added(state: bytes, key: bytes) -> bytes:
    return (int.from_bytes(state, "big") ^ int.from_bytes(key, "big")).to_bytes(16, "big")


def _mix_column(column: int) -> int:
    """MixColumns of a column (FIPS 197, section 5.1.3): {02} a0 + {03} a1 + a2 + a3, ..."""
    two = _doubled(column)
    three = two ^ column
    return two ^ _rotated(three, 1) ^ _rotated(column, 2) ^ _rotated(column, 3)
