# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The pipelined multiplier of GHASH: every product of two powers of x, and random ones.

That it is right for all factors is proved level by level in ``test_engine_formal.py``. Here is the
whole of it, in the clocks in which it is used.
"""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import pytest

from aesfab.eda import simulate
from aesfab.hdl import rtl

pytestmark = pytest.mark.kept(
    "src/aesfab/eda/simulate.py", "src/aesfab/system", "rtl/engine", "tests/python/multiplier.cpp"
)

_MODULUS = 1 << 128 | 0x87
_LATENCY = 6
_PROGRAM = Path(__file__).with_name("multiplier.cpp")


def product(first: int, second: int) -> int:
    """Modulo x^128 + x^7 + x^2 + x + 1, bit by bit; the coefficient of x^n is bit n."""
    result = 0
    for bit in reversed(range(128)):
        result <<= 1
        if result >> 128:
            result ^= _MODULUS
        if second >> bit & 1:
            result ^= first
    return result


def realised(pairs: list[tuple[int, int]], sources: list[Path]) -> list[int]:
    """What the RTL makes of pairs of factors, one a clock."""
    library = ctypes.CDLL(str(simulate.build_library(sources, "aes_engine_multiplier", _PROGRAM)))
    given = b"".join(factor.to_bytes(16, "little") for pair in pairs for factor in pair)
    products = ctypes.create_string_buffer(16 * len(pairs))
    count = ctypes.c_size_t(len(pairs))
    library.aesfab_multiply(given, count, ctypes.c_size_t(_LATENCY), products)
    return [int.from_bytes(products.raw[16 * i : 16 * i + 16], "little") for i in range(len(pairs))]


def files() -> list[Path]:
    """The RTL."""
    return [rtl.file(name) for name in ("aes_engine_multiplier_sum", "aes_engine_multiplier")]


def some() -> list[tuple[int, int]]:
    """Random pairs, and zero and all ones."""
    rng = random.Random(1)
    edges = [(0, 0), (2**128 - 1, 2**128 - 1), (1, 2**128 - 1), (2**127, 2**127)]
    return edges + [(rng.getrandbits(128), rng.getrandbits(128)) for _ in range(500)]


def test_multiplier_is_right_for_all_pairs_of_powers() -> None:
    pairs = [(1 << i, 1 << j) for i in range(128) for j in range(128)] + some()
    assert realised(pairs, files()) == [product(*p) for p in pairs]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("halves[i][63:32] ^ halves[i][31:0]", "halves[i][63:32]"),
        ("pairs[i][15:8] ^ pairs[i][7:0]", "pairs[i][7:0]"),
        ("a[2*i+1]", "a[2*i]"),
        ("lower_i[2*Bits-2:Bits] ^ upper_i[Bits-2:0]", "lower_i[2*Bits-2:Bits]"),
        ("upper_i[2*Bits-2:Bits-1]", "{upper_i[2*Bits-2:Bits], 1'b0}"),
        ("parts.twice) << 2 * Bits", "parts.twice) << Bits"),
        ("parts.upper) << (2 * Bits - 1)", "parts.upper) << (2 * Bits)"),
        ("lower_q ^ sums_q", "sums_q"),
        ("{above_q[63], 127'd0}", "128'd0"),
        ("of_64[0][126:64] ^ of_64[1][62:0]", "of_64[1][62:0]"),
        ("^ 127'(of_64[1][126:64])", ""),
        ("128'(again)", "128'(1'b0)"),
        ("(134'(above_q) << 7)", "(134'(above_q) << 6)"),
        ("a_words_q <= to_words(a_i)", "a_words_q <= to_words(b_i)"),
    ],
)
def test_wrong_multipliers_are_found(old: str, new: str, tmp_path: Path) -> None:
    texts = {file: file.read_text() for file in files()}
    assert any(old in text for text in texts.values())
    sources = []
    for file, text in texts.items():
        sources.append(tmp_path / file.name)
        lint = "/* verilator lint_off UNUSED */\n"
        sources[-1].write_text(lint + text.replace(old, new, 1))
    pairs = some()
    assert realised(pairs, sources) != [product(*pair) for pair in pairs]
