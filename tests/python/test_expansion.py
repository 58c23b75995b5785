# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""KeyExpansion against the examples of FIPS 197, appendix A."""

from __future__ import annotations

import pytest

from aesfab.verify import expansion

# Key, then i and W[i] for some i.
EXAMPLES = [
    ("2b7e151628aed2a6abf7158809cf4f3c", {4: 0xA0FAFE17, 10: 0x5935807A, 43: 0xB6630CA6}),
    (
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        {6: 0xFE0C91F7, 12: 0x4DB7B4BD, 51: 0x01002202},
    ),
    (
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        {8: 0x9BA35411, 12: 0xA8B09C1A, 59: 0x706C631E},
    ),
]


@pytest.mark.parametrize(("key", "words"), EXAMPLES)
def test_examples_of_the_standard(key: str, words: dict[int, int]) -> None:
    found = expansion.round_key_words(bytes.fromhex(key))
    assert len(found) == max(words) + 1
    assert {i: found[i] for i in words} == words
    assert b"".join(w.to_bytes(4, "big") for w in found[: len(key) // 8]).hex() == key


def test_keys_of_the_equivalent_inverse_cipher() -> None:
    """InvMixColumns of round keys 1 to Nr-1; MixColumns makes 8e4da1bc of db135345."""
    key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    plain, mixed = expansion.round_key_words(key), expansion.round_key_words(key, mixed=True)
    assert (plain[:4], plain[-4:]) == (mixed[:4], mixed[-4:])
    assert expansion._inv_mix_column(0x8E4DA1BC) == 0xDB135345
    assert mixed[4:-4] == [expansion._inv_mix_column(word) for word in plain[4:-4]]
    assert mixed[4] != plain[4]
