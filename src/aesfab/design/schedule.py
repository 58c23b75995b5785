# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a design does in each clock, and a drawing of its data path; both from its axes."""

from __future__ import annotations

from aesfab.design import timing
from aesfab.design.design import Design


def schedule(design: Design, key_bits: int | None = None) -> list[tuple[str, str]]:
    """Rows of (clock, what happens) for one block accepted in clock 0.

    The register that ends a clock is named in its row; the last row is the clock in which
    ``out_valid_o`` is high. With narrower ports, clock 0 takes the first word or byte of the block,
    and the last row shows the last one of the result.
    """
    bits = key_bits or design.key_width
    texts = timing.realisation(design).schedule(design, bits)
    # Of narrower ports the latency counts the first and the last piece, both.
    assert len(texts) == design.latency(bits) + (design.piece == "block")
    return [(str(clock), text) for clock, text in enumerate(texts)]


def diagram(design: Design) -> str:
    """The data path in a few lines of text."""
    return timing.realisation(design).diagram(design)
