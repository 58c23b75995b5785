# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""32-bit ports: a core with a register for a block in front of it (``aes_words``)."""

from __future__ import annotations

from fractions import Fraction

from aesfab.design.architectures.contract import Acceptance, Between, Realisation
from aesfab.design.point import Point

_WORDS = 4
"""Words of a block."""


class Words(Realisation):
    """A core behind 32-bit ports.

    Args:
        core: what is inside, with 128-bit ports.
    """

    shows = Between.ZERO

    def __init__(self, core: Realisation) -> None:
        self._core = core

    def latency(self, point: Point, bits: int) -> int:
        """See ``Realisation``."""
        # Words in, the core, its result into the register, words out.
        return _WORDS + self._core.latency(point.core, bits) + 1 + _WORDS

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        return Fraction(self.latency(point, bits))

    def acceptance(self, point: Point, bits: int) -> Acceptance:
        """See ``Realisation``."""
        return Acceptance(frozenset(range(1, self.latency(point, bits))))

    def blocks_in_flight(self, point: Point) -> int:
        """See ``Realisation``."""
        return 1

    def schedule(self, point: Point, bits: int) -> list[str]:
        """See ``Realisation``."""
        texts = [f"in_word_i: word {n} -> block register" for n in range(_WORDS)]
        texts += [f"core: {text}" for text in self._core.schedule(point.core, bits)[:-1]]
        texts += ["result of the core -> block register"]
        return texts + [f"out_valid_o, out_word_o: word {n}" for n in range(_WORDS)]

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        register = f"[ block register: {_WORDS} words, one in or out a clock ]"
        return "\n".join(
            [
                f"in_word_i, out_block_o --{register}-- in_block_i, out_word_o",
                "key_word_i --[ key register ]-- key_i",
                "",
                "inside, with 128-bit ports:",
                "",
                self._core.diagram(point.core),
            ]
        )
