# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The costs of a machine from two measured throughputs.

The unknowns are two: what a write and what a read of one bus word take, whatever the type of
memory. Each point gives an equation, the time of its message in the model.
"""

from __future__ import annotations

import dataclasses

from aesfab.errors import AesfabError
from aesfab.study.link.machine import Platform, Point
from aesfab.study.link.model import BLOCK, transfer

_ROUNDS = 50

_CALIBRATED: dict[str, Platform] = {}
"""What has been calibrated: a platform as text to what it became. Every table of the paper asks."""


def calibrate(platform: Platform) -> Platform:
    """The platform with the costs at which the model gives back its two points.

    The costs that it comes with do not matter. What is not a transaction (the driver, waiting for
    the core, further words of a burst) is taken from the model with the costs of the round before.

    Raises:
        AesfabError: there are not two points, no costs above 0 explain them, or it is the core that
            decides one of them.
    """
    asked = repr(platform)
    if asked not in _CALIBRATED:
        _CALIBRATED[asked] = _calibrate(platform)
    return _CALIBRATED[asked]


def _calibrate(platform: Platform) -> Platform:
    if len(platform.points) != 2:
        raise AesfabError(f"platform {platform.name}: two [[calibration]] points are needed")
    write_ns = read_ns = 100.0
    for _ in range(_ROUNDS):
        here = _with(platform, write_ns, read_ns)
        (a, b, c), (d, e, f) = (_equation(here, point, write_ns, read_ns) for point in here.points)
        rank = a * e - b * d
        if abs(rank) < 1e-9 * a * e:
            raise AesfabError(
                f"platform {platform.name}: both [[calibration]] points take reads and writes in "
                "the same ratio"
            )
        before = write_ns, read_ns
        write_ns, read_ns = (c * e - b * f) / rank, (a * f - c * d) / rank
        if min(write_ns, read_ns) <= 0:
            raise AesfabError(
                f"platform {platform.name}: no costs above 0 explain the [[calibration]] points"
            )
        if max(abs(write_ns - before[0]), abs(read_ns - before[1])) < 1e-9:
            return here
    raise AesfabError(
        f"platform {platform.name}: the [[calibration]] does not settle; points are needed at "
        "which the program does not wait for the core"
    )


def _equation(
    platform: Platform, point: Point, write_ns: float, read_ns: float
) -> tuple[int, int, float]:
    """Writes, reads, and the ns that they may take together, of the message of a point."""
    done = transfer(platform, point.store, point.memory, point.blocks)
    rest = done.total_ns - done.writes * write_ns - done.reads * read_ns
    return done.writes, done.reads, 8000.0 * BLOCK * point.blocks / point.mbit_s - rest


def _with(platform: Platform, write_ns: float, read_ns: float) -> Platform:
    return dataclasses.replace(
        platform,
        memory={
            name: dataclasses.replace(memory, write_ns=write_ns, read_ns=read_ns)
            for name, memory in platform.memory.items()
        },
    )
