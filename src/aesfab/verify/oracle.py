# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""AES as OpenSSL does it, the judge of everything that the RTL does.

Keys are 16, 24 or 32 bytes and blocks 16 bytes, byte 0 of FIPS 197 first.
"""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING, Any

# The package is imported where it is used: commands that do not use it start without it.
if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext

BLOCK_BYTES = 16
"""Bytes of an AES block."""

MODES = ("ecb", "cbc", "ctr", "cfb", "ofb")
"""Modes of operation of NIST SP 800-38A; cfb has segments of 128 bits."""

PADDED_MODES = ("ecb", "cbc")
"""Modes that take whole blocks and therefore pad (PKCS#7)."""


def _cipher(mode: str, key: bytes, iv: bytes = b"") -> Cipher[Any]:
    """AES under a key, in one of MODES."""
    from cryptography.hazmat.decrepit.ciphers.modes import CFB, OFB
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    if mode == "ecb":
        return Cipher(algorithms.AES(key), modes.ECB())
    chosen: Any = {"cbc": modes.CBC, "ctr": modes.CTR, "cfb": CFB, "ofb": OFB}[mode]
    return Cipher(algorithms.AES(key), chosen(iv))


def versions() -> dict[str, str]:
    """Version of ``cryptography`` and of the OpenSSL in it."""
    from cryptography.hazmat.backends.openssl import backend

    return {
        "cryptography": importlib.metadata.version("cryptography"),
        "openssl": backend.openssl_version_text(),
    }


def ecb(key: bytes, blocks: bytes, *, decrypt: bool = False) -> bytes:
    """Every 16-byte block of ``blocks`` encrypted (or decrypted) under ``key``."""
    cipher = _cipher("ecb", key)
    context = cipher.decryptor() if decrypt else cipher.encryptor()
    return context.update(blocks) + context.finalize()


def first_difference(got: bytes, wanted: bytes) -> int:
    """The number of the first block in which two messages, which are not equal, differ."""
    pairs = enumerate(zip(got, wanted, strict=False))
    byte = next((n for n, (a, b) in pairs if a != b), min(len(got), len(wanted)))
    return byte // BLOCK_BYTES


def chain(key: bytes, block: bytes, count: int, *, decrypt: bool = False) -> tuple[bytes, bytes]:
    """The last two results of ``count`` encryptions, each of the result of the one before.

    The first of the two is ``block`` itself where ``count`` is 1.
    """
    cipher = _cipher("ecb", key)
    context: CipherContext = cipher.decryptor() if decrypt else cipher.encryptor()
    last, result = block, block
    for _ in range(count):
        last, result = result, context.update(result)
    return last, result


def crypt(
    mode: str,
    key: bytes,
    iv: bytes,
    data: bytes,
    *,
    decrypt: bool = False,
    pad: bool = True,
) -> bytes:
    """A whole buffer in a mode of operation, as the ``openssl enc`` command does it.

    Args:
        mode: one of MODES.
        key: 16, 24 or 32 bytes.
        iv: 16 bytes (the first counter block in CTR mode); empty for ECB.
        data: any length in CTR, CFB and OFB; whole blocks for ECB and CBC without padding.
        decrypt: the direction.
        pad: PKCS#7 padding in ECB and CBC.

    Raises:
        ValueError: data or padding is not what the mode wants.
    """
    from cryptography.hazmat.primitives import padding

    cipher = _cipher(mode, key, iv)
    padded = pad and mode in PADDED_MODES
    if not decrypt:
        if padded:
            padder = padding.PKCS7(8 * BLOCK_BYTES).padder()
            data = padder.update(data) + padder.finalize()
        encryptor = cipher.encryptor()
        return encryptor.update(data) + encryptor.finalize()
    decryptor = cipher.decryptor()
    plain = decryptor.update(data) + decryptor.finalize()
    if padded:
        unpadder = padding.PKCS7(8 * BLOCK_BYTES).unpadder()
        plain = unpadder.update(plain) + unpadder.finalize()
    return plain
