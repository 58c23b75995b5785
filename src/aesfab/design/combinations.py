# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Which architectures take which key schedules, directions and key sizes, and why not others."""

from __future__ import annotations

import dataclasses
import itertools

from aesfab.design.axes import (
    AXES,
    Architecture,
    Direction,
    KeyBits,
    KeySchedule,
)
from aesfab.design.design import COMBINED, Design, plainest


@dataclasses.dataclass(frozen=True)
class Combination:
    """Architecture, key schedule, direction and key size together, legal or not.

    Attributes:
        design: the plainest design with them: other axes are as the architecture needs them.
        reasons: why there is no such design; empty when there is.
    """

    design: Design
    reasons: tuple[str, ...]


def combinations() -> list[Combination]:
    """Every architecture with every key schedule, direction and key size."""
    axes = itertools.product(Architecture, KeySchedule, Direction, KeyBits)
    found = []
    for architecture, key_schedule, direction, key_bits in axes:
        design = dataclasses.replace(
            plainest(architecture),
            key_schedule=key_schedule,
            direction=direction,
            key_bits=key_bits,
        )
        if design.reasons():
            design = _legal_neighbour(design)
        found.append(Combination(design, tuple(design.reasons())))
    return found


def _legal_neighbour(design: Design) -> Design:
    """A legal design one axis away, which is none of a combination's; else the same design."""
    others = (name for name in AXES if name not in COMBINED)
    changed = (design.with_axis(name, str(v.value)) for name in others for v in AXES[name])
    return next((each for each in changed if not each.reasons()), design)
