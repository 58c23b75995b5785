# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The oracle itself, against the examples printed in the standards."""

from __future__ import annotations

import pytest

from aesfab.verify import oracle

# FIPS 197, appendix C: one plaintext under three keys.
_PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
_FIPS_197 = {
    128: "69c4e0d86a7b0430d8cdb78070b4c55a",
    192: "dda97ca4864cdfe06eaf70a0ec0d7191",
    256: "8ea2b7ca516745bfeafc49904b496089",
}

# NIST SP 800-38A, appendix F: first two blocks under the AES-128 key.
_KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
_IV = bytes(range(16))
_COUNTER = bytes(range(0xF0, 0x100))
_TEXT = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
_SP_800_38A = {
    "ecb": "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf",
    "cbc": "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
    "ctr": "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff",
    "cfb": "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b",
    "ofb": "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825",
}


@pytest.mark.parametrize("bits", _FIPS_197)
def test_fips_197_examples(bits: int) -> None:
    """One block each way under the key 00 01 02 ..."""
    key = bytes(range(bits // 8))
    cipher = oracle.ecb(key, _PLAIN)
    assert cipher.hex() == _FIPS_197[bits]
    assert oracle.ecb(key, cipher, decrypt=True) == _PLAIN


@pytest.mark.parametrize("mode", oracle.MODES)
def test_sp_800_38a_examples(mode: str) -> None:
    """Every mode, both ways."""
    iv = _COUNTER if mode == "ctr" else _IV
    cipher = oracle.crypt(mode, _KEY, iv, _TEXT, pad=False)
    assert cipher.hex() == _SP_800_38A[mode]
    assert oracle.crypt(mode, _KEY, iv, cipher, decrypt=True, pad=False) == _TEXT


@pytest.mark.parametrize("mode", oracle.MODES)
@pytest.mark.parametrize("size", [0, 1, 15, 16, 17])
def test_any_length(mode: str, size: int) -> None:
    """Padding is added in ECB and CBC only, and taken off again."""
    data = bytes(range(size))
    cipher = oracle.crypt(mode, _KEY, _IV, data)
    padded = mode in oracle.PADDED_MODES
    assert len(cipher) == (size // 16 * 16 + 16 if padded else size)
    assert oracle.crypt(mode, _KEY, _IV, cipher, decrypt=True) == data


def test_many_blocks_are_independent() -> None:
    """ECB of a buffer is ECB of its blocks."""
    blocks = bytes(range(256))
    one_by_one = b"".join(oracle.ecb(_KEY, blocks[i : i + 16]) for i in range(0, 256, 16))
    assert oracle.ecb(_KEY, blocks) == one_by_one


@pytest.mark.parametrize("decrypt", [False, True])
def test_chain(decrypt: bool) -> None:
    """A chain of three is three single blocks; one result has the input before it."""
    first = oracle.ecb(_KEY, _PLAIN, decrypt=decrypt)
    second = oracle.ecb(_KEY, first, decrypt=decrypt)
    third = oracle.ecb(_KEY, second, decrypt=decrypt)
    assert oracle.chain(_KEY, _PLAIN, 3, decrypt=decrypt) == (second, third)
    assert oracle.chain(_KEY, _PLAIN, 1, decrypt=decrypt) == (_PLAIN, first)


def test_first_difference_is_a_block() -> None:
    """A message that ends too early differs where it ends."""
    wanted = bytes(range(48))
    for byte, block in ((0, 0), (15, 0), (16, 1), (47, 2)):
        got = bytes([*wanted[:byte], wanted[byte] ^ 1, *wanted[byte + 1 :]])
        assert oracle.first_difference(got, wanted) == block
    assert oracle.first_difference(wanted[:20], wanted) == 1
