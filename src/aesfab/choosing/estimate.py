# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Figures of points that were not measured, from measured neighbours.

The model is additive in logarithms. A step is a change of one axis, or of the device. What a step
does to a figure is the median over all pairs of measured points that differ in that step alone and
have the same recipe; of pairs that are like the point, where there are some. An estimate goes from
measured points, by two steps at most, and its error is what the pairs of its steps differ by.
"""

from __future__ import annotations

import collections
import math
import statistics
from collections.abc import Iterable, Sequence

from aesfab.choosing.candidates import ESTIMATE, Candidate, point
from aesfab.choosing.need import Need
from aesfab.design import catalogue
from aesfab.design.catalogue import Named
from aesfab.design.spec import Design
from aesfab.devices import DEVICES

MOST_STEPS = 2
_DEVICE = "device"
_FLOOR = 0.05  # no step is known better than what one more run of the tools changes
_LONELY = 0.15  # of a step that one pair alone tells of
_COVERED = 0.9  # part of the pairs of a step that its error covers
_FEW = 4  # fewer pairs than these say little of their spread

_OF_TABLES = ("sbox", "key_sbox", "tbox", "key_memory")
"""Axes that move tables between LUTs and block RAMs: no step goes along them."""

_Step = tuple[str, object, object]
_Effect = tuple[float, ...]


def _figures(each: Candidate) -> _Effect:
    """Logarithms of LUTs, flip-flops, cells, and of the clock (0 where there is none)."""
    clock = math.log(each.mhz) if each.mhz else 0.0
    return (*(math.log(max(1.0, value)) for value in (each.lut, each.ff, each.cells)), clock)


class Estimator:
    """Steps and their effects, learned from measured candidates."""

    def __init__(self, measured: Iterable[Candidate]) -> None:
        self._measured = [each for each in measured if each.mhz]
        self._axes = {each.named.design: each.named.design.axes() for each in self._measured}
        self._steps: dict[tuple[object, ...], list[_Effect]] = collections.defaultdict(list)
        self._learned: dict[tuple[object, ...], tuple[_Effect, _Effect] | None] = {}
        self._learn()

    def _learn(self) -> None:
        groups: dict[tuple[object, ...], list[tuple[object, Candidate]]]
        groups = collections.defaultdict(list)
        for each in self._measured:
            axes = self._axes[each.named.design]
            values = tuple(axes.items())
            groups[(_DEVICE, each.recipe, values)].append((each.device, each))
            for index, (axis, value) in enumerate(values):
                rest = values[:index] + values[index + 1 :]
                groups[(axis, each.recipe, each.device, rest)].append((value, each))
        for key, members in groups.items():
            for before, one in members:
                for after, other in members:
                    if before != after:
                        change = tuple(
                            b - a for a, b in zip(_figures(one), _figures(other), strict=True)
                        )
                        step = (str(key[0]), before, after)
                        for context in self._contexts(one.named.design, one.device):
                            self._steps[(*step, *context)].append(change)

    @staticmethod
    def _contexts(design: Design, device: str) -> list[tuple[object, ...]]:
        """What a pair is like, the most like first."""
        kind = (design.architecture, design.key_schedule, design.sbox, design.direction)
        inputs = DEVICES[device].lut_inputs
        return [(*kind, device), (*kind[:3], inputs), (*kind[:2], inputs), (kind[0], inputs), ()]

    def _effect(self, step: _Step, design: Design, device: str) -> tuple[_Effect, _Effect] | None:
        """What a step does, and by how much pairs differ in it; None where no pair tells."""
        lonely = None
        for context in self._contexts(design, device):
            key = (*step, *context)
            pairs = self._steps.get(key, [])
            if len(pairs) == 1 and lonely is None:
                lonely = (pairs[0], (_LONELY,) * 4)
            if len(pairs) < 2:
                continue
            if key not in self._learned:
                columns = list(zip(*pairs, strict=True))
                middle = tuple(statistics.median(column) for column in columns)
                spread = tuple(
                    _spread([abs(value - m) for value in column])
                    for column, m in zip(columns, middle, strict=True)
                )
                self._learned[key] = (middle, spread)
            return self._learned[key]
        return lonely

    def estimate(self, words: tuple[str, tuple[str, ...]], device: str) -> Candidate | None:
        """Figures of a point on a device; None where it is illegal or no neighbour tells."""
        named = point(*words)
        if named is None:
            return None
        target, design = named.design.axes(), named.design
        inputs = DEVICES[device].lut_inputs
        ways: list[tuple[float, _Effect, _Effect, Candidate]] = []
        for each in self._measured:
            if DEVICES[each.device].lut_inputs != inputs:
                continue
            if each.recipe not in DEVICES[device].recipes:
                continue
            axes = self._axes[each.named.design]
            steps: list[_Step] = [(a, axes[a], v) for a, v in target.items() if axes[a] != v]
            if each.device != device:
                steps.append((_DEVICE, each.device, device))
                if each.ram and DEVICES[each.device].ram_kbit != DEVICES[device].ram_kbit:
                    continue
            if not 0 < len(steps) <= MOST_STEPS or any(s[0] in _OF_TABLES for s in steps):
                continue
            effects = [self._effect(step, each.named.design, each.device) for step in steps]
            if known := [effect for effect in effects if effect is not None]:
                if len(known) < len(steps):
                    continue
                sums = zip(_figures(each), *(effect for effect, _ in known), strict=True)
                errors = zip(*(spread for _, spread in known), strict=True)
                error = tuple(math.hypot(*column) for column in errors)
                ways.append((error[0] + error[3], tuple(map(sum, sums)), error, each))
        if not ways:
            return None
        score, values, error, start = min(ways, key=lambda way: way[0])
        same = [way for way in ways if way[3].recipe == start.recipe and way[0] <= 1.5 * score]
        values = tuple(
            statistics.median(column) for column in zip(*(w[1] for w in same), strict=True)
        )
        lut, ff, cells, mhz = map(math.exp, values)
        ram = _ram(start, design)
        if ram and DEVICES[device].ram_clock:
            return None  # what its clock is, no record tells
        assert start.mhz is not None
        assert start.mhz_min is not None
        return Candidate(
            *(named, device, start.recipe, lut if start.lut else 0, ff, ram, cells),
            *(mhz, mhz * start.mhz_min / start.mhz, 0, ESTIMATE, start.device),
            error=(math.expm1(max(error[0], error[2])), math.expm1(error[3])),
            present=start.present,
        )


def _spread(away: list[float]) -> float:
    """What pairs of a step differ by from their median: as much as most of them do."""
    away.sort()
    covered = away[min(len(away) - 1, math.ceil(_COVERED * len(away)) - 1)]
    return max(_FLOOR if len(away) >= _FEW else 1.5 * _FLOOR, covered)


def _ram(start: Candidate, design: Design) -> int:
    """Block RAMs in proportion to the bits of tables."""
    bits = start.named.design.sbox_rom_bits
    if not start.ram or not bits:
        return start.ram
    return math.ceil(start.ram * design.sbox_rom_bits / bits)


def unmeasured(
    measured: Sequence[Candidate], need: Need, device: str
) -> list[tuple[str, tuple[str, ...]]]:
    """Points of the need's direction and key size that were not measured on a device.

    They are measured points of any device with the two axes moved, as names and overrides.
    """
    here = {each.named.design for each in measured if each.device == device}
    found: dict[Design, tuple[str, tuple[str, ...]]] = {}
    moved = {"direction": need.core_direction, "key_bits": need.key}
    for each in {each.named.design: each.named for each in measured}.values():
        changed = {**dict(each.overrides), **moved}
        words = (each.name, tuple(f"{axis}={value}" for axis, value in changed.items()))
        named = point(*words)
        if named and named.design not in here and named.design not in found:
            found[named.design] = _plainest(named)
    return list(found.values())


def _plainest(named: Named) -> tuple[str, tuple[str, ...]]:
    """The name of the catalogue from which a point is the fewest overrides away, and these."""
    target = named.design.axes()

    def away(other: Named) -> dict[str, object]:
        axes = other.design.axes()
        return {axis: value for axis, value in target.items() if axes[axis] != value}

    # Of equals its own name.
    known = [catalogue.CATALOGUE[named.name], *catalogue.CATALOGUE.values()]
    best = min(known, key=lambda other: len(away(other)))
    return best.name, tuple(f"{axis}={value}" for axis, value in away(best).items())
