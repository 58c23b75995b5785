# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Figures of points that were not measured, from their parts and from measured neighbours.

An area starts from the sum of a design's parts (``parts``). What the sum leaves, and the clock, are
taken from measured points by kriging, in logarithms: the nearer a point, the more it counts. How
near two points are follows from the axes in which they differ, and from their device and recipe.
What an axis counts is learned from all pairs of measured points that differ in this axis alone.
Kriging says its own deviation, and the error that is stated is a multiple of it.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
import statistics
from collections.abc import Container, Iterable, Sequence

from aesfab.choosing import parts
from aesfab.choosing.candidates import ESTIMATE, Candidate, fabric, point, serves
from aesfab.choosing.need import Need
from aesfab.design import catalogue
from aesfab.design.axes import Architecture, Clear, Hardened, KeySbox, Sbox
from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.devices import DEVICES
from aesfab.records import PLAIN

DEVIATIONS = 1.7
"""Deviations in a stated error: it covers nine of ten held-out figures (``evaluate``)."""

_MOST = 1000  # points that one model takes: its time grows with their third power
_NOISE = 3e-4  # variance of areas between two runs that differ in nothing that counts
_CLOCK_NOISE = 2e-3  # the same of clocks: medians of other seeds differ by some percent

_Vector = list[float]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    total: float = sum(map(operator.mul, one, other))
    return total


def _cycles(design: Design) -> _Vector:
    """What a clock depends on beside the axes: cycles, and how much is done in one."""
    loop = design.rounds_in_hardware if design.architecture is Architecture.ITERATIVE else 1
    return [
        math.log(design.latency()), math.log(float(design.interval())),
        math.log(loop), math.log(design.round_levels),
    ]  # fmt: skip


class _Model:
    """All figures of measured points."""

    def __init__(self, measured: Sequence[Candidate], costs: parts.Costs) -> None:
        # NumPy comes with it, which is slow to import.
        from aesfab.choosing import kriging

        self._costs = costs
        designs = [each.named.design for each in measured]
        areas = [
            parts.luts(design, each.device, costs)
            for design, each in zip(designs, measured, strict=True)
        ]
        registers = [parts.flip_flops(design) for design in designs]
        luts = [max(1.0, each.lut) for each in measured]
        ffs = [max(1.0, each.ff) for each in measured]
        self._lut_factors = parts.fitted(areas, luts)
        self._ff_factors = parts.fitted(registers, ffs)
        points = [_axes(each.named.design, each.device, each.recipe) for each in measured]
        cycles = [_cycles(design) for design in designs]
        self._centre = [statistics.fmean(column) for column in zip(*cycles, strict=True)]
        self._scale = [statistics.pstdev(column) or 1.0 for column in zip(*cycles, strict=True)]
        lines = [self._line(each) for each in cycles]
        figures = zip(
            *(
                (
                    math.log(lut / _dot(self._lut_factors, area)),
                    math.log(ff / _dot(self._ff_factors, register)),
                    math.log(each.cells / packed(each.device, lut, ff)),
                    math.log(each.mhz or 1.0),
                )
                for each, area, register, lut, ff in zip(
                    measured, areas, registers, luts, ffs, strict=True
                )
            ),
            strict=True,
        )
        self._known: dict[tuple[object, ...], tuple[tuple[float, float], ...]] = {}
        self._sample = kriging.Sample(points, lines)
        beside = self._sample.beside(points, lines)
        noises = (_NOISE, _NOISE, _NOISE, _CLOCK_NOISE)
        self._figures = [
            kriging.Kriging(self._sample, beside, list(column), noise)
            for column, noise in zip(figures, noises, strict=True)
        ]

    def _line(self, cycles: _Vector) -> _Vector:
        return [
            (value - middle) / scale
            for value, middle, scale in zip(cycles, self._centre, self._scale, strict=True)
        ]

    def __call__(
        self, design: Design, device: str, recipe: str
    ) -> tuple[tuple[float, float, float, float], tuple[float, float]]:
        """LUTs, flip-flops, cells, MHz of a point, and the stated errors of areas and clock."""
        one = _axes(design, device, recipe)
        self.prepare([(design, device, recipe)])
        (lut, lut_off), (ff, ff_off), (cells, cells_off), (mhz, mhz_off) = self._known[one]
        luts = math.exp(lut) * _dot(self._lut_factors, parts.luts(design, device, self._costs))
        ffs = math.exp(ff) * _dot(self._ff_factors, parts.flip_flops(design))
        area = math.hypot(ff_off if ffs > luts else lut_off, cells_off)
        return (
            (luts, ffs, math.exp(cells) * packed(device, luts, ffs), math.exp(mhz)),
            (math.expm1(DEVIATIONS * area), math.expm1(DEVIATIONS * mhz_off)),
        )

    def prepare(self, wanted: Iterable[tuple[Design, str, str]]) -> None:
        """Work many points out at once: design, device and recipe of each."""
        new: dict[tuple[object, ...], _Vector] = {}
        for design, device, recipe in wanted:
            new.setdefault(_axes(design, device, recipe), self._line(_cycles(design)))
        ones = [one for one in new if one not in self._known]
        if ones:
            beside = self._sample.beside(ones, [new[one] for one in ones])
            columns = (figure(beside) for figure in self._figures)
            self._known |= zip(ones, zip(*columns, strict=True), strict=True)


def _axes(design: Design, device: str, recipe: str) -> tuple[object, ...]:
    return (*_values(design), fabric(device), recipe)


@functools.lru_cache(4096)
def _values(design: Design) -> tuple[object, ...]:
    """The values of all axes, in their order."""
    return tuple(design.axes().values())


def packed(device: str, luts: float, ffs: float) -> float:
    """Cells of a device, if all LUTs and flip-flops shared them."""
    return max(luts, ffs) / DEVICES[device].slice_.pairs


def telling(measured: Iterable[Candidate]) -> list[Candidate]:
    """Measured candidates that estimates are made of: with a clock, and by a recipe of choice.

    Where a design was measured with other recipes too, the plain one tells what it costs to do
    without them, and an estimate is made for one of the others.
    """
    placed = [each for each in measured if each.mhz]
    by_choice = {(each.named.design, each.device) for each in placed if each.recipe != PLAIN}
    return [
        each
        for each in placed
        if each.recipe != PLAIN or (each.named.design, each.device) not in by_choice
    ]


class Estimator:
    """Estimates out of measured candidates.

    Args:
        measured: candidates of records, of which ``telling`` says what counts.
        costs: LUTs of components; those that came with the program by default.
    """

    def __init__(self, measured: Iterable[Candidate], costs: parts.Costs | None = None) -> None:
        self._measured = telling(measured)
        self._costs = costs or parts.shipped()
        self._models: dict[str, _Model] = {}
        self._found: dict[tuple[object, ...], Candidate | None] = {}
        self._beside: dict[tuple[str, tuple[str, ...]], list[Candidate]] = {}
        self._nearest: dict[tuple[object, ...], Candidate] = {}
        self._recipes: dict[tuple[object, ...], str] = {}

    def prepare(self, device: str, words: Iterable[tuple[str, tuple[str, ...]]]) -> None:
        """Work the figures of many points on a device out at once: ``estimate`` is quicker then."""
        if self._here(device):
            designs = {named.design: None for each in words if (named := point(*each))}
            self._of(device).prepare(
                (design, device, self._recipe(design, device)) for design in designs
            )

    def _here(self, device: str) -> list[Candidate]:
        """What was measured on a device or another size of it, with a recipe that it has."""
        recipes = DEVICES[device].recipes
        key = fabric(device), tuple(recipes)
        if key not in self._beside:
            self._beside[key] = [
                each
                for each in self._measured
                if fabric(each.device) == key[0] and each.recipe in recipes
            ]
        return self._beside[key]

    def _near(self, design: Design, device: str) -> Candidate:
        """The measured point that differs from a design in the fewest axes."""
        key = design, fabric(device), tuple(DEVICES[device].recipes)
        if key not in self._nearest:
            axes = _values(design)

            def away(each: Candidate) -> tuple[bool, bool, int, bool]:
                other = each.named.design
                differs = sum(map(operator.ne, axes, _values(other)))
                rom, forms = (not alike(other, design) for alike in (_as_rom, _formed))
                return rom, forms, differs, each.recipe != PLAIN

            self._nearest[key] = min(self._here(device), key=away)
        return self._nearest[key]

    def _recipe(self, design: Design, device: str) -> str:
        """The recipe that a design is estimated with.

        That of the same design with more protection, whose figures bound it; without one, that of
        the nearest point.
        """
        key = design, fabric(device), tuple(DEVICES[device].recipes)
        if key not in self._recipes:
            more = [each for each in self._here(device) if _guards(each.named.design, design)]
            best = min(more, key=lambda each: each.cells) if more else self._near(design, device)
            self._recipes[key] = best.recipe
        return self._recipes[key]

    def _of(self, device: str) -> _Model:
        """The model for a device: of its own points first, then of devices with such LUTs."""
        name = fabric(device)
        if name not in self._models:
            inputs = DEVICES[device].lut_inputs
            alike = [e for e in self._measured if DEVICES[e.device].lut_inputs == inputs]
            alike.sort(key=lambda each: fabric(each.device) != name)
            self._models[name] = _Model(alike[:_MOST], self._costs)
        return self._models[name]

    def estimate(
        self, words: tuple[str, tuple[str, ...]], device: str, recipe: str | None = None
    ) -> Candidate | None:
        """Figures of a point on a device.

        None where the point is illegal, where nothing was measured on the device or on another
        size of it, and where its clock would be one that timing analysis does not cover. Without
        ``recipe``, that of ``_recipe``.
        """
        key = (words, device, recipe)
        if key not in self._found:
            # Sizes of a family have the same figures, as far as they have the same recipes.
            alike = (words, fabric(device), tuple(DEVICES[device].recipes), recipe)
            if alike not in self._found:
                self._found[alike] = self._estimate(words, device, recipe)
            found = self._found[alike]
            self._found[key] = found and dataclasses.replace(found, device=device)
        return self._found[key]

    def _estimate(
        self, words: tuple[str, tuple[str, ...]], device: str, recipe: str | None
    ) -> Candidate | None:
        named = point(*words)
        here = self._here(device)
        if named is None or not here:
            return None
        design = named.design
        near = self._near(design, device)
        ram = _ram(near, design)
        if ram and DEVICES[device].ram_clock:
            return None  # what its clock is, no record tells
        assert near.mhz
        assert near.mhz_min
        recipe = recipe or self._recipe(design, device)
        (lut, ff, cells, mhz), error = self._of(device)(design, device, recipe)
        found = Candidate(
            *(named, device, recipe, _six(lut), _six(ff), ram, _six(cells)),
            *(_six(mhz), _six(mhz * near.mhz_min / near.mhz), 0, ESTIMATE, near.device),
            error=(_six(error[0]), _six(error[1]), 0.0),
            present=near.present,
        )
        for each in here:
            if each.recipe == recipe and _guards(each.named.design, design):
                found = _no_worse(found, each)
        return found


def _six(value: float) -> float:
    """Six significant digits: an estimate is not better, whatever it is worked out with."""
    return float(f"{value:.6g}")


def _guards(one: Design, other: Design) -> bool:
    """Whether a design is the other one, hardened or clearing or both."""
    both = (one.hardened, one.clear), (other.hardened, other.clear)
    return (
        other.hardened is Hardened.NO
        and both[0] != both[1]
        and other.clear in (Clear.NO, one.clear)
        and dataclasses.replace(one, hardened=other.hardened, clear=other.clear) == other
    )


def _no_worse(found: Candidate, known: Candidate) -> Candidate:
    """An estimate, given a measured point that has all of it and more: a bound of it."""
    assert found.mhz
    assert found.mhz_min
    assert known.mhz
    assert known.mhz_min
    lut, ff = min(found.lut, known.lut), min(found.ff, known.ff)
    cells, mhz = min(found.cells, known.cells), max(found.mhz, known.mhz)
    area, clock, _ = found.error
    area = min(area, max(known.lut / max(1, lut), known.cells / max(1, cells)) - 1)
    # With the stated error, too, both areas are no larger than the known ones.
    lut, cells = (min(lut, known.lut / (1 + area)), min(cells, known.cells / (1 + area)))
    return dataclasses.replace(
        found,
        lut=lut, ff=ff, cells=cells, mhz=mhz, mhz_min=max(found.mhz_min, known.mhz_min),
        error=(area, min(clock, mhz / known.mhz - 1), 0.0),
    )  # fmt: skip


def _as_rom(one: Design, other: Design) -> bool:
    """Whether two designs have the same tables in block RAM, and keys in a memory or not."""
    rom = all((a is rom) == (b is rom) for a, b, rom in (
        (one.sbox, other.sbox, Sbox.ROM), (one.key_sbox, other.key_sbox, KeySbox.ROM)
    ))  # fmt: skip
    return rom and one.stored_keys == other.stored_keys


def _formed(one: Design, other: Design) -> bool:
    """Whether two designs have tables and key memories of the same form."""
    return (one.tbox, one.key_memory) == (other.tbox, other.key_memory)


def _ram(near: Candidate, design: Design) -> int:
    """Block RAMs, in proportion to the memories of tables."""
    had, has = parts.memories(near.named.design), parts.memories(design)
    return math.ceil(near.ram * has / had) if near.ram and had else near.ram


def unmeasured(
    measured: Sequence[Candidate], need: Need, here: Container[Design]
) -> list[tuple[str, tuple[str, ...]]]:
    """Points that a need asks for and that are not among the designs that are known ``here``.

    They are measured points of any device with the axes moved that the need sets: direction, key
    size, and what it wants of hardening and clearing. As names and overrides.
    """
    found: dict[Design, tuple[str, tuple[str, ...]]] = {}
    moved = {"direction": need.core_direction, "key_bits": need.key}
    moved |= {name: "yes" for name in ("hardened", "clear") if getattr(need, name)}
    for each in {each.named.design: each.named for each in measured}.values():
        changed = {**dict(each.overrides), **moved}
        words = (each.name, tuple(f"{axis}={value}" for axis, value in changed.items()))
        named = point(*words)
        if named is None or named.design in here or named.design in found:
            continue
        if not serves(named, need):
            found[named.design] = _plainest(named)
    return list(found.values())


@functools.cache
def _plainest(named: Named) -> tuple[str, tuple[str, ...]]:
    """The name of the catalogue from which a point is the fewest overrides away, and these."""
    target = _values(named.design)

    def away(other: Named) -> int:
        return sum(map(operator.ne, target, _values(other.design)))

    # Of equals its own name.
    known = [catalogue.CATALOGUE[named.name], *catalogue.CATALOGUE.values()]
    best = min(known, key=away)
    differs = zip(named.design.axes().items(), _values(best.design), strict=True)
    return best.name, tuple(f"{axis}={value}" for (axis, value), its in differs if value != its)
