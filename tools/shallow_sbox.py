#!/usr/bin/env python3
# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Search of the circuit of ``rtl/sbox/aes_sbox_shallow.sv``, which prints its functions.

Usage: ``tools/shallow_sbox.py``. The search is exhaustive within the form given here and takes some
seconds; the module says what the functions mean.

With x the byte to be inverted (for decryption what the inverse affine map gives), the norm
n = x^17 lies in GF(16), and 1/x = x^16 / n. So an output bit is y_i = Tr(beta_i x^16 / n).

- A bit of the norm, Tr(d n), is a quadratic form in the bits of the byte. For some of the 15 values
  of d it is the sum of three functions of four bits each: two levels of LUT4 give the norm.
- a = Tr(ga x^16) and b = Tr(gb x^16), traces from GF(256) to GF(16), tell x. A product a / n is
  known from three products in GF(4), of the values of a and 1/n on three lines (traces to GF(4));
  so an output bit is a sum of bits of six products in GF(4). A bit of such a product takes one
  LUT4. Sought are ga, gb and the lines with which no output bit has more than four, and then the
  fewest LUTs.
- For both directions in one, decryption inverts k x instead of x, with the k for which no input and
  no output bit of the common circuit needs more than three bits and the direction.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

Mask = int
Affine = tuple[Mask, int]  # input bits, constant


def mul(a: int, b: int) -> int:
    """Product in GF(2^8) of FIPS 197."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return product


def power(a: int, n: int) -> int:
    """a^n."""
    result = 1
    for _ in range(n):
        result = mul(result, a)
    return result


def parity(v: int) -> int:
    """Sum of the bits modulo 2."""
    return v.bit_count() & 1


def affine(b: int) -> int:
    """The affine map of SubBytes."""
    return sum(
        (parity(b & (0xF1F1F1F1 >> (8 - i) & 0xFF)) ^ (0x63 >> i & 1)) << i for i in range(8)
    )


FIELD16 = [a for a in range(1, 256) if power(a, 15) == 1]
FIELD4 = [a for a in FIELD16 if power(a, 3) == 1]
AFFINE_INVERSE = {affine(b): b for b in range(256)}
PAIRS = list(itertools.combinations(range(8), 2))
FOURS = list(itertools.combinations(range(8), 4))


def trace(a: int, degree: int) -> int:
    """Trace from GF(2^degree) to GF(2)."""
    total = 0
    for _ in range(degree):
        total ^= a
        a = mul(a, a)
    return total


def classes() -> list[int]:
    """One element of each class of GF(16)* modulo GF(4)*."""
    found: list[int] = []
    for g in FIELD16:
        if all(mul(g, f) not in found for f in FIELD4):
            found.append(g)
    return found


def to_field4(a: int) -> int:
    """Trace from GF(16) to GF(4)."""
    return a ^ power(a, 4)


Triple = tuple[tuple[int, int, int], tuple[int, int, int]]


def karatsuba(lines: tuple[int, ...]) -> Triple:
    """Factors g of three lines and c with u v = sum of c_k T(g_k u) T(g_k v)."""
    for f1, f2 in itertools.product(FIELD4, FIELD4):
        g1, g2 = mul(lines[0], f1), mul(lines[1], f2)
        if g1 ^ g2 == lines[2]:
            break
    w1, w2 = (
        next(w for w in FIELD16 if to_field4(mul(one, w)) == 1 and to_field4(mul(other, w)) == 0)
        for one, other in ((g1, g2), (g2, g1))
    )
    mixed = mul(w1, w2)
    return (g1, g2, lines[2]), (mul(w1, w1) ^ mixed, mul(w2, w2) ^ mixed, mixed)


class Direction:
    """The forms of one direction: what norm, lines and output bits have to do with the byte."""

    def __init__(self, decrypt: bool) -> None:
        inverted = [AFFINE_INVERSE[y] if decrypt else y for y in range(256)]
        out = [power(x, 254) if decrypt else affine(power(x, 254)) for x in inverted]
        self.norm = [power(x, 17) for x in inverted]
        self.out_constant = out[inverted.index(0)]
        # Only powers of two are looked at: both sides are linear in 1/x.
        self.beta = []
        for i in range(8):
            wanted = [
                (y ^ self.out_constant) >> i & 1
                for r in range(8)
                for x, y in zip(inverted, out, strict=True)
                if power(x, 254) == 1 << r
            ]
            self.beta += [
                b for b in range(1, 256) if [trace(mul(b, 1 << r), 8) for r in range(8)] == wanted
            ]
        conjugates = [power(x, 16) for x in inverted]
        self.line: dict[int, Affine] = {}
        for g in range(1, 256):
            at_0 = trace(mul(g, conjugates[0]), 8)
            bits = [trace(mul(g, conjugates[1 << k]), 8) ^ at_0 for k in range(8)]
            self.line[g] = (sum(bit << k for k, bit in enumerate(bits)), at_0)

    def quadratic(self, d: int) -> tuple[set[tuple[int, int]], Affine]:
        """Tr(d n) as products of two input bits and an affine rest."""
        f = [trace(mul(d, n), 4) for n in self.norm]
        linear = sum((f[1 << k] ^ f[0]) << k for k in range(8))
        products = {(i, j) for i, j in PAIRS if f[1 << i] ^ f[1 << j] ^ f[1 << i | 1 << j] ^ f[0]}
        return products, (linear, f[0])

    def covers(self, d: int) -> list[tuple[tuple[int, ...], ...]]:
        """Three sets of four input bits that hold every product and every bit of Tr(d n)."""
        products, (linear, _) = self.quadratic(d)
        return [
            triple
            for triple in itertools.combinations(FOURS, 3)
            if all(any(i in s and j in s for s in triple) for i, j in products)
            and all(any(k in s for s in triple) for k in range(8) if linear >> k & 1)
        ]

    def choose_norm(self) -> list[int]:
        """Four d whose forms have covers and tell n."""
        usable = [d for d in FIELD16 if self.covers(d)]
        for ds in itertools.combinations(usable, 4):
            if len({tuple(trace(mul(d, n), 4) for d in ds) for n in FIELD16}) == 15:
                return list(ds)
        raise SystemExit("no four forms of this kind tell n")

    def choose_products(self) -> Products:
        """The lines with the fewest LUTs."""
        some = [
            Products(self, ga, gb, triple)
            for triple in map(karatsuba, itertools.combinations(classes(), 3))
            for ga, gb in itertools.combinations(LINE_CLASSES, 2)
            if FIELD16_CLASS[ga] != FIELD16_CLASS[gb]
        ]
        return min((p for p in some if p.shallow), key=lambda p: p.cost)


class Products:
    """The output bits by six products in GF(4).

    Attributes:
        bits: for each output bit the (product, factor) with Tr(factor product) in its sum.
    """

    def __init__(self, forms: Direction, ga: int, gb: int, triple: Triple) -> None:
        self.forms, self.g, self.lines = forms, (ga, gb), triple[0]
        parts = {mul(c, ga) ^ mul(d, gb): (c, d) for c in (0, *FIELD16) for d in (0, *FIELD16)}
        self.bits = []
        for beta in forms.beta:
            row = []
            for side, factor in enumerate(parts[beta]):
                for k, c in enumerate(triple[1]):
                    value = to_field4(mul(factor, c))
                    if value:
                        row.append((3 * side + k, value))
            self.bits.append(row)

    @property
    def shallow(self) -> bool:
        """Whether every output bit is one LUT4 behind the products."""
        return max(map(len, self.bits)) <= 4

    def line_bits(self, product: int) -> list[tuple[int, int]]:
        """(factor, g) of the two line bits with the fewest inputs; g as in ``Direction.line``."""
        side, k = divmod(product, 3)
        g = mul(self.lines[k], self.g[side])
        some = [(f, mul(f, g)) for f in FIELD4]
        return sorted(some, key=lambda fg: self.forms.line[fg[1]][0].bit_count())[:2]

    @property
    def cost(self) -> int:
        """LUTs of products and line bits."""
        masks = {self.forms.line[g][0] for p in range(6) for _, g in self.line_bits(p)}
        products = {bit for row in self.bits for bit in row}
        return len(products) + sum(mask.bit_count() > 1 for mask in masks)


LINE_CLASSES: list[int] = []
FIELD16_CLASS: dict[int, int] = {}
for _g in range(1, 256):
    FIELD16_CLASS[_g] = min(mul(_g, f) for f in FIELD16)
    if min(mul(_g, f) for f in FIELD4) == _g:
        LINE_CLASSES.append(_g)


def both_directions() -> tuple[list[tuple[Mask, int]], list[Mask]]:
    """The selections of decryption around the forward circuit.

    First the bits of the byte (and a constant) that make k times what is inverted, then the forward
    outputs, without the constant of the affine map, that make the result.
    """
    rows = [affine(1 << k) ^ 0x63 for k in range(8)]
    forward = [sum((rows[k] >> i & 1) << k for k in range(8)) for i in range(8)]
    combination = {}
    for some in range(256):
        mask = 0
        for i in range(8):
            mask ^= forward[i] if some >> i & 1 else 0
        combination[mask] = some
    for k in range(1, 256):
        images = [mul(k, AFFINE_INVERSE[1 << b] ^ AFFINE_INVERSE[0]) for b in range(8)]
        inputs = [sum((images[b] >> i & 1) << b for b in range(8)) for i in range(8)]
        images = [mul(k, 1 << b) for b in range(8)]
        outputs = [combination[sum((images[b] >> i & 1) << b for b in range(8))] for i in range(8)]
        both = (*enumerate(inputs), *enumerate(outputs))
        if all((mask | 1 << i).bit_count() <= 3 for i, mask in both):
            at_0 = mul(k, AFFINE_INVERSE[0])
            return [(m, at_0 >> i & 1) for i, m in enumerate(inputs)], outputs
    raise SystemExit("no factor of this kind")


def names(mask: Mask, name: str) -> list[str]:
    """The bits of a mask as text."""
    return [f"{name}[{k}]" for k in range(8) if mask >> k & 1]


def show(decrypt: bool) -> str:
    """The functions of one direction as SystemVerilog."""
    forms = Direction(decrypt)
    prefix = "dec" if decrypt else "enc"
    ds = forms.choose_norm()
    chosen = forms.choose_products()

    text = [f"function automatic logic [11:0] {prefix}_norm_parts(logic [7:0] x);"]
    text.append("  logic [11:0] h;")
    for number, d in enumerate(ds):
        products, (linear, constant) = forms.quadratic(d)
        for index, four in enumerate(forms.covers(d)[0]):
            here = sorted(p for p in products if p[0] in four and p[1] in four)
            products -= set(here)
            mask = sum(1 << k for k in four) & linear
            linear &= ~mask
            terms = [f"(x[{i}] & x[{j}])" for i, j in here] + names(mask, "x")
            value = " ^ ".join(terms)
            value = f"~({value})" if constant and index == 0 else value
            text.append(f"  h[{3 * number + index}] = {value};")
    text += ["  return h;", "endfunction", ""]

    # Line bits, the short ones first so that the long ones may use them.
    line_bits = {p: chosen.line_bits(p) for p in range(6)}
    lines = sorted(
        {forms.line[g][0] for pair in line_bits.values() for _, g in pair},
        key=lambda m: (m.bit_count(), m),
    )
    text.append(f"function automatic logic [{len(lines) - 1}:0] {prefix}_lines(logic [7:0] x);")
    text.append(f"  logic [{len(lines) - 1}:0] l;")
    for index, line in enumerate(lines):
        terms = names(line, "x")
        if len(terms) > 4:
            for take in (1, 2):
                for some in itertools.combinations(range(index), take):
                    rest = line
                    for s in some:
                        rest ^= lines[s]
                    if rest.bit_count() + take < len(terms):
                        terms = [f"l[{s}]" for s in some] + names(rest, "x")
        text.append(f"  l[{index}] = {' ^ '.join(terms)};")
    text += ["  return l;", "endfunction", ""]

    # Tr(f P) of a product P = e l in GF(4), with e = T(g / n) by its values Tr(f1 e), Tr(f2 e) for
    # the factors of the two line bits: e = sum of dual(f) Tr(f e).
    tables: list[int] = []
    for k in range(3):
        for f in FIELD4[:2]:
            table = 0
            for n in (0, *FIELD16):
                address = sum(trace(mul(d, n), 4) << i for i, d in enumerate(ds))
                factor = to_field4(mul(chosen.lines[k], power(n, 14)))
                table |= (mul(f, factor) ^ power(mul(f, factor), 2)) << address
            tables.append(table)

    def trace4(a: int) -> int:
        return a ^ mul(a, a)

    def dual(factors: Sequence[int]) -> list[int]:
        return [
            next(
                v
                for v in FIELD4
                if trace4(mul(v, f)) == 1 and all(trace4(mul(v, o)) == 0 for o in factors if o != f)
            )
            for f in factors
        ]

    wanted = sorted({bit for row in chosen.bits for bit in row})
    text.append(f"function automatic logic [{len(wanted) - 1}:0] {prefix}_products(")
    text.append(f"    logic [5:0] e, logic [{len(lines) - 1}:0] l);")
    text.append(f"  logic [{len(wanted) - 1}:0] p;")
    for index, (product, factor) in enumerate(wanted):
        k = product % 3
        terms = []
        for e_index, e_dual in enumerate(dual(FIELD4[:2])):
            sums = []
            for (_, g), l_dual in zip(
                line_bits[product], dual([f for f, _ in line_bits[product]]), strict=True
            ):
                if trace4(mul(factor, mul(e_dual, l_dual))):
                    mask, constant = forms.line[g]
                    sums.append(f"{'~' if constant else ''}l[{lines.index(mask)}]")
            if sums:
                total = " ^ ".join(sums)
                total = f"({total})" if len(sums) > 1 else total
                terms.append(f"(e[{2 * k + e_index}] & {total})")
        text.append(f"  p[{index}] = {' ^ '.join(terms)};")
    text += ["  return p;", "endfunction", ""]

    text.append(f"function automatic logic [7:0] {prefix}_output(logic [{len(wanted) - 1}:0] p);")
    text.append("  logic [7:0] y;")
    for i, row in enumerate(chosen.bits):
        total = " ^ ".join(f"p[{wanted.index(bit)}]" for bit in row)
        text.append(f"  y[{i}] = {f'~({total})' if forms.out_constant >> i & 1 else total};")
    text += ["  return y;", "endfunction", ""]

    values = ", ".join(f"16'h{table:04x}" for table in reversed(tables))
    text += [
        f"localparam logic [5:0][15:0] {prefix.title()}Inverse = {{",
        f"  {values}",
        "};",
        "",
    ]
    return "\n".join(text)


def show_both() -> str:
    """The maps before and behind the forward circuit with which it serves both directions."""
    inputs, outputs = both_directions()
    text = ["function automatic logic [7:0] both_input(logic [7:0] x, logic dec);"]
    text.append("  logic [7:0] z;")
    for i, (mask, constant) in enumerate(inputs):
        change = names(mask ^ 1 << i, "x") + (["1'b1"] if constant else [])
        text.append(f"  z[{i}] = x[{i}] ^ (dec & ({' ^ '.join(change)}));")
    text += ["  return z;", "endfunction", ""]
    text.append("function automatic logic [7:0] both_output(logic [7:0] y, logic dec);")
    text.append("  logic [7:0] r;")
    for i, mask in enumerate(outputs):
        # y has the constant of the affine map in it; decryption must be without.
        constant = parity(mask & 0x63)
        change = names(mask ^ 1 << i, "y") + (["1'b1"] if constant else [])
        text.append(f"  r[{i}] = y[{i}] ^ (dec & ({' ^ '.join(change)}));")
    text += ["  return r;", "endfunction", ""]
    return "\n".join(text)


def main() -> None:
    """Print the functions."""
    for decrypt in (False, True):
        print(show(decrypt))
    print(show_both())


if __name__ == "__main__":
    main()
