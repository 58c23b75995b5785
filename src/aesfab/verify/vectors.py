# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Known answers of NIST: the AES ECB response files, and the Monte Carlo chains.

The files are those of the AES Algorithm Validation Suite (AESAVS), as the Python package
``cryptography_vectors`` carries them.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import importlib.resources
from collections.abc import Iterator

from aesfab.design.design import Design
from aesfab.verify import oracle

KINDS = ("GFSbox", "KeySbox", "VarTxt", "VarKey", "MMT")
"""Kinds of known answers: four of one block each (AESAVS 6.1 to 6.4), and multi-block messages."""

TOTAL = 2138
"""Known answers in all files together, a message of several blocks counted once."""

MONTE_CARLO_OUTER = 100
"""Outer steps of a Monte Carlo chain (AESAVS, section 6.4.1), a key each."""

MONTE_CARLO_INNER = 1000
"""Blocks of an outer step."""


@dataclasses.dataclass(frozen=True)
class Vector:
    """A known answer.

    Attributes:
        key: 16, 24 or 32 bytes.
        plaintext: one or more blocks.
        ciphertext: as many blocks.
        decrypt: the direction in which the file gives it.
        kind: one of KINDS.
        source: name of the file.
        count: its COUNT in that file and direction.
    """

    key: bytes
    plaintext: bytes
    ciphertext: bytes
    decrypt: bool
    kind: str
    source: str
    count: int

    @property
    def key_bits(self) -> int:
        """128, 192 or 256."""
        return 8 * len(self.key)

    @property
    def given(self) -> bytes:
        """What the core gets."""
        return self.ciphertext if self.decrypt else self.plaintext

    @property
    def expected(self) -> bytes:
        """What the core must give."""
        return self.plaintext if self.decrypt else self.ciphertext

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self.plaintext) // oracle.BLOCK_BYTES


def version() -> str:
    """Version of the package that holds the files."""
    return importlib.metadata.version("cryptography_vectors")


def parse(text: str, kind: str, source: str) -> Iterator[Vector]:
    """The known answers of a CAVS response file.

    Raises:
        ValueError: the file is not of that form, or an answer in it is incomplete.
    """
    decrypt: bool | None = None
    fields: dict[str, str] = {}

    def finish() -> Iterator[Vector]:
        if not fields:
            return
        if decrypt is None or set(fields) != {"COUNT", "KEY", "PLAINTEXT", "CIPHERTEXT"}:
            raise ValueError(f"{source}: incomplete answer: {fields}")
        vector = Vector(
            key=bytes.fromhex(fields["KEY"]),
            plaintext=bytes.fromhex(fields["PLAINTEXT"]),
            ciphertext=bytes.fromhex(fields["CIPHERTEXT"]),
            decrypt=decrypt,
            kind=kind,
            source=source,
            count=int(fields["COUNT"]),
        )
        whole = vector.plaintext and len(vector.plaintext) % oracle.BLOCK_BYTES == 0
        if not whole or len(vector.plaintext) != len(vector.ciphertext):
            raise ValueError(f"{source}: answer {vector.count} has the wrong length")
        yield vector

    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line in ("[ENCRYPT]", "[DECRYPT]"):
            yield from finish()
            fields = {}
            decrypt = line == "[DECRYPT]"
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        if not equals:
            raise ValueError(f"{source}: cannot read '{line}'")
        if name == "COUNT":
            yield from finish()
            fields = {}
        fields[name] = value
    yield from finish()


@functools.cache
def nist() -> tuple[Vector, ...]:
    """All known answers, by kind, key size, direction and count.

    Raises:
        ValueError: their number is not TOTAL, so the package is not the one that we know.
    """
    folder = importlib.resources.files("cryptography_vectors") / "ciphers" / "AES" / "ECB"
    found: list[Vector] = []
    for kind in KINDS:
        for bits in (128, 192, 256):
            source = f"ECB{kind}{bits}.rsp"
            found += parse((folder / source).read_text(encoding="ascii"), kind, source)
    if len(found) != TOTAL:
        raise ValueError(f"cryptography_vectors holds {len(found)} AES ECB answers, not {TOTAL}")
    return tuple(found)


def of(design: Design) -> list[Vector]:
    """The known answers that a design can take: of its key sizes and directions."""
    return [
        vector
        for vector in nist()
        if vector.key_bits in design.key_lengths
        and (design.can_decrypt if vector.decrypt else design.can_encrypt)
    ]


@dataclasses.dataclass(frozen=True)
class OuterStep:
    """One outer step of a Monte Carlo chain.

    Attributes:
        key: key of its blocks.
        given: first block that goes in.
        result: last block that comes out.
    """

    key: bytes
    given: bytes
    result: bytes


def next_key(key: bytes, before_last: bytes, last: bytes) -> bytes:
    """The key of the next outer step (AESAVS, section 6.4.1).

    The last two results joined, as many bytes of their end as the key has, are added to it:
    the last result for 128 bits; 64 bits of the one before and it for 192; both for 256.
    """
    mask = (before_last + last)[-len(key) :]
    return bytes(a ^ b for a, b in zip(key, mask, strict=True))


def monte_carlo(
    key: bytes,
    block: bytes,
    *,
    decrypt: bool = False,
    outer: int = MONTE_CARLO_OUTER,
    inner: int = MONTE_CARLO_INNER,
) -> Iterator[OuterStep]:
    """The Monte Carlo chain of AESAVS, section 6.4.1 (ECB), as the oracle computes it.

    In the direction of decryption plaintext and ciphertext change places. The last result of an
    outer step is the first block of the next one.
    """
    for _ in range(outer):
        before_last, last = oracle.chain(key, block, inner, decrypt=decrypt)
        yield OuterStep(key, block, last)
        key, block = next_key(key, before_last, last), last
