# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The engines that a need may ask for: those that were measured, and estimates of the others.

An estimate is of the core, measured or estimated, and of the shell: what the same engine takes
beside its core where both were measured, on devices with LUTs of the same size.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence

from aesfab.choosing import candidates
from aesfab.choosing.candidates import ESTIMATE, Candidate, EngineCandidate
from aesfab.choosing.estimate import Estimator, packed
from aesfab.choosing.need import Need
from aesfab.design.catalogue import Named
from aesfab.devices import DEVICES
from aesfab.engine import every
from aesfab.records import PLAIN

OTHER_FABRIC, SAME_FABRIC = (0.35, 0.6, 1.0), (0.1, 0.25, 0.0)
"""The part by which areas, the clock and block RAMs of an estimate may be off, where its engine was
measured on another fabric: no engine that was measured on two is farther away, to the worse side of
block RAMs. On the same fabric, with another core or recipe, it is so much more than that of the
core: no record tells how much."""


class Engines:
    """The engines of records, and estimates of others.

    Attributes:
        measured: candidates of engines.
        cores: candidates of cores.
    """

    def __init__(
        self,
        measured: Sequence[EngineCandidate],
        cores: Sequence[Candidate],
        estimator: Estimator,
    ) -> None:
        """Of candidates, and of what was learned of the cores among them."""
        self.measured = measured
        self.cores = cores
        self._estimator = estimator
        self._on = functools.cache(lambda device: candidates.on_devices(measured, [device]))
        self._cores_on = functools.cache(lambda device: candidates.on_devices(cores, [device]))
        self._found: dict[tuple[str, tuple[str, ...], str], EngineCandidate | None] = {}

    def pool(self, need: Need) -> list[EngineCandidate]:
        """All candidates of the kind that a need asks for, on its devices, with estimates."""
        return [each for device in need.devices for each in self.pool_on(device, need)]

    def pool_on(self, device: str, need: Need) -> list[EngineCandidate]:
        """``pool`` for one device."""
        here = [each for each in self._on(device) if not candidates.engine_serves(each.named, need)]
        known = {each.named.engine for each in here}
        guessed = (
            self.estimate(named, device) for named in wanted(need) if named.engine not in known
        )
        return here + [each for each in guessed if each is not None]

    def unmeasured(self, need: Need) -> dict[tuple[str, ...], list[str]]:
        """Engines that a need asks for without a record, to its devices of which that is true."""
        found: dict[tuple[str, ...], list[str]] = {}
        for device in need.devices:
            known = {each.named.engine for each in self._on(device)}
            names = [candidates.words(named) for named in wanted(need) if named.engine not in known]
            if names:
                found.setdefault(tuple(names), []).append(device)
        return found

    def estimate(self, named: every.AnyNamed, device: str) -> EngineCandidate | None:
        """Figures of an engine that was not measured on a device.

        None where nothing was measured that tells of it, where no tool places the device, and where
        its clock would be one that timing analysis does not cover.
        """
        key = named.name, tuple(f"{a}={v}" for a, v in named.overrides), device
        if key not in self._found:
            self._found[key] = self._estimate(named, device)
        return self._found[key]

    def _estimate(self, named: every.AnyNamed, device: str) -> EngineCandidate | None:
        if not DEVICES[device].place_and_route or (near := self._near(named, device)) is None:
            return None
        there = self._core(near.named.engine.core, near.device, near.recipe)
        here = self._core(named.engine.core, device, near.recipe)
        if there is None or here is None or not (there.mhz and here.mhz and near.mhz):
            return None
        kbit = DEVICES[near.device].ram_kbit / DEVICES[device].ram_kbit
        ram = here.ram + math.ceil(max(0, near.ram - there.ram) * kbit)
        if ram and DEVICES[device].ram_clock:
            return None
        lut = here.lut + max(0.0, near.lut - there.lut)
        ff = here.ff + max(0.0, near.ff - there.ff)
        cells = near.cells / packed(near.device, near.lut, near.ff) * packed(device, lut, ff)
        mhz = near.mhz * here.mhz / there.mhz
        slowest = (near.mhz_min or near.mhz) / near.mhz
        same = candidates.fabric(near.device) == candidates.fabric(device)
        area, clock, rams = OTHER_FABRIC
        if same:
            area, clock, rams = (a + b for a, b in zip(SAME_FABRIC, here.error, strict=True))
        recipe = near.recipe if near.recipe in DEVICES[device].recipes else PLAIN
        return EngineCandidate(
            *(named, device, recipe, round(lut), round(ff), ram, round(cells)),
            *(round(mhz, 2), round(mhz * slowest, 2), 0, ESTIMATE, near.device),
            error=(area, clock, rams),
            present=near.present,
        )

    def _near(self, named: every.AnyNamed, device: str) -> EngineCandidate | None:
        """The measured engine of the same name that is the nearest one."""
        axes = named.engine.every_axis()

        def away(each: EngineCandidate) -> tuple[bool, int, float]:
            other = each.named.engine.every_axis()
            differs = sum(other.get(axis) != value for axis, value in axes.items())
            other_fabric = candidates.fabric(each.device) != candidates.fabric(device)
            return other_fabric, differs, -(each.mhz or 0.0)

        inputs = DEVICES[device].lut_inputs
        alike = [
            each
            for each in self.measured
            if each.named.name == named.name
            and each.mhz
            and DEVICES[each.device].lut_inputs == inputs
        ]
        return min(alike, key=away, default=None)

    def _core(self, core: Named, device: str, recipe: str) -> Candidate | None:
        """A core on a device: measured, by the recipe if it was; else estimated."""
        here = [
            each for each in self._cores_on(device) if each.named.design == core.design and each.mhz
        ]
        if here:
            return min(here, key=lambda each: (each.recipe != recipe, each.lut))
        overrides = tuple(f"{axis}={value}" for axis, value in core.overrides)
        return self._estimator.estimate((core.name, overrides), device)


def wanted(need: Need) -> Iterator[every.AnyNamed]:
    """The named engines that a need asks for, with the axes set that it sets."""
    for ways in _named(need):
        yield from [named for named in ways if not candidates.engine_serves(named, need)][:1]


def _named(need: Need) -> Iterator[list[every.AnyNamed]]:
    """The named engines of the mode of a need: each as it is, then with the key that is needed."""
    (decrypt, *_) = need.decrypts
    for name, modes in every.carriers(need.mode, decrypt=decrypt):
        ways = (
            candidates.engine(name, (*modes, *keys)) for keys in ((), (f"key_bits={need.key}",))
        )
        yield [named for named in ways if named is not None]


def refusals(need: Need) -> list[str]:
    """Why no named engine of the mode of a need serves it; empty where one does."""
    if any(wanted(need)):
        return []
    # With the key that is needed, where there is such a one, something else is in the way.
    return sorted({candidates.engine_serves(named, need) for *_, named in _named(need)})
