# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The rounds of AES-128 with every state between two transformations, as FIPS 197 prints them.

Written from the standard for the pages that show a state on its way through a core; the last one
is held against OpenSSL, and tests hold those of Appendix B against the standard.
"""

from __future__ import annotations

import dataclasses

from aesfab.verify import oracle

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
"""The cipher key of FIPS 197, Appendix B."""
BLOCK = bytes.fromhex("3243f6a8885a308d313198a2e0370734")
"""Its input."""

ROUNDS = 10


def double(value: int) -> int:
    """The product with {02}."""
    return (value << 1) ^ (0x11B if value & 0x80 else 0)


def _sboxes() -> bytes:
    """The S-box: the inverse in GF(2^8), then the affine map."""
    inverse = [0] * 256
    # 3 generates the field.
    powers = [1]
    for _ in range(254):
        powers.append(powers[-1] ^ double(powers[-1]))
    for number, value in enumerate(powers):
        inverse[value] = powers[-number % 255]
    found = bytearray()
    for value in inverse:
        result = 0x63
        for turn in range(5):
            result ^= (value << turn | value >> (8 - turn)) & 0xFF
        found.append(result)
    return bytes(found)


SBOX = _sboxes()


@dataclasses.dataclass(frozen=True)
class Round:
    """The states of a round, 16 bytes each, byte 0 of FIPS 197 first.

    Attributes:
        key: the round key that is added at its end.
        sub: after SubBytes.
        shift: after ShiftRows.
        mix: after MixColumns; in the last round the same as ``shift``.
        end: after AddRoundKey, the start of the next round.
    """

    key: bytes
    sub: bytes
    shift: bytes
    mix: bytes
    end: bytes


@dataclasses.dataclass(frozen=True)
class Trace:
    """A block on its way.

    Attributes:
        block: what goes in.
        key: the cipher key, which is round key 0.
        start: after the first AddRoundKey.
        rounds: ``rounds[0]`` is round 1.
    """

    block: bytes
    key: bytes
    start: bytes
    rounds: tuple[Round, ...]

    @property
    def result(self) -> bytes:
        """What comes out."""
        return self.rounds[-1].end

    def end(self, number: int) -> bytes:
        """The state after AddRoundKey of round ``number``; 0 is the one before round 1."""
        return self.rounds[number - 1].end if number else self.start


def add(one: bytes, other: bytes) -> bytes:
    """AddRoundKey."""
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def shifted(state: bytes) -> bytes:
    """ShiftRows."""
    return bytes(state[(4 * (column + row) + row) % 16] for column in range(4) for row in range(4))


def _mixed(state: bytes) -> bytes:
    found = bytearray()
    for column in range(4):
        a = state[4 * column : 4 * column + 4]
        for row in range(4):
            b, c, d, e = (a[(row + step) % 4] for step in range(4))
            found.append(double(b) ^ double(c) ^ c ^ d ^ e)
    return bytes(found)


def round_keys(key: bytes) -> list[bytes]:
    """Round keys 0 to 10 of a 128-bit key."""
    words = [key[at : at + 4] for at in range(0, 16, 4)]
    constant = 1
    for number in range(4, 4 * (ROUNDS + 1)):
        word = words[-1]
        if number % 4 == 0:
            turned = bytes(SBOX[value] for value in word[1:] + word[:1])
            word = bytes([turned[0] ^ constant]) + turned[1:]
            constant = double(constant)
        words.append(add(words[number - 4], word))
    return [b"".join(words[at : at + 4]) for at in range(0, len(words), 4)]


def trace(key: bytes = KEY, block: bytes = BLOCK) -> Trace:
    """Every state of an encryption, whose result OpenSSL gives too."""
    keys = round_keys(key)
    start = state = add(block, keys[0])
    rounds = []
    for number in range(1, ROUNDS + 1):
        sub = bytes(SBOX[value] for value in state)
        shift = shifted(sub)
        mix = shift if number == ROUNDS else _mixed(shift)
        state = add(mix, keys[number])
        rounds.append(Round(keys[number], sub, shift, mix, state))
    if state != oracle.ecb(key, block):
        raise AssertionError("the rounds are not those of AES")
    return Trace(block, key, start, tuple(rounds))
