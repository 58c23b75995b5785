# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the contract of a core says, and what each architecture says of its own cores."""

from __future__ import annotations

import abc
import dataclasses
import enum
from fractions import Fraction

from aesfab.design.axes import Tbox
from aesfab.design.point import Point


@dataclasses.dataclass(frozen=True)
class Acceptance:
    """When a core accepts a block that is offered, given the blocks that it accepted before.

    In-ready is high in exactly the clocks in which none of these holds:

    - a block was accepted d clocks ago (with 32-bit ports: its first word, where its words came
      one right after the other and the core did not have to wait), with d in ``conflicts``;
    - ``limit`` blocks were accepted in the last ``latency - 1`` clocks (0: no limit);
    - the clock is none of those that come every ``period`` clocks;
    - the block is not of the direction that the core is set up for, which is that of the last block
      accepted, and neither after a reset, and less than ``direction_change`` clocks have passed
      since the first one in which this block was offered and the blocks accepted before left room.
      (A key that is not there yet holds up the acceptance, but not this.)
    """

    conflicts: frozenset[int] = frozenset()
    limit: int = 0
    period: int = 1
    direction_change: int = 0


class Between(enum.Enum):
    """What the output of a core shows while ``out_valid_o`` is low; a member's value is a sentence.

    Only STATES shows anything of a block or a key but results.
    """

    HELD = "the last result, until the next one"
    ASSEMBLED = "the last result, into which the parts of the next one move"
    ZERO = "zero"
    MOVING = "the block that was accepted and bytes of its result, as they move, else zero"
    PASSING = "the results of what stood on the inputs while in_valid_i was low"
    STATES = "inner states, and round keys while a key is expanded"


class Realisation(abc.ABC):
    """The cycles and the drawing of one kind of core.

    ``timing.realisation`` chooses it for a point. ``bits`` is the size of the key of a block. What
    guards, ports and output registers change is no matter of it.
    """

    shows: Between
    """What the output shows between results, where nothing else decides that."""

    @abc.abstractmethod
    def latency(self, point: Point, bits: int) -> int:
        """Clocks from acceptance of a block to ``out_valid_o``."""

    @abc.abstractmethod
    def interval(self, point: Point, bits: int) -> Fraction:
        """Clocks a block when the core is kept busy."""

    @abc.abstractmethod
    def acceptance(self, point: Point, bits: int) -> Acceptance:
        """When a block is accepted."""

    @abc.abstractmethod
    def blocks_in_flight(self, point: Point) -> int:
        """Blocks under way at the same time when the core is kept busy."""

    @abc.abstractmethod
    def schedule(self, point: Point, bits: int) -> list[str]:
        """What happens in each clock of a block, from acceptance to ``out_valid_o``."""

    @abc.abstractmethod
    def diagram(self, point: Point) -> str:
        """The data path in a few lines of text."""


class OneBlock(Realisation):
    """A core with one block at a time, which may overlap the next one at its end."""

    def acceptance(self, point: Point, bits: int) -> Acceptance:
        """See ``Realisation``."""
        busy = range(1, int(self.interval(point, bits)))
        return Acceptance(frozenset(busy), direction_change=direction_change(point))

    def blocks_in_flight(self, point: Point) -> int:
        """See ``Realisation``."""
        return 1


def direction_change(point: Point) -> int:
    """Clocks that a block waits whose direction is not that of the last one (see Acceptance).

    Refilled T-boxes are written in 256 clocks, with one more to fill the pipeline.
    """
    return 257 if point.tbox is Tbox.REFILLED else 0
