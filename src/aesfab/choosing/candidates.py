# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cores and engines with figures, of records: on their device and others of the same fabric."""

from __future__ import annotations

import abc
import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from aesfab import records
from aesfab.choosing.need import Need
from aesfab.design import catalogue
from aesfab.design.architectures.contract import Between
from aesfab.design.axes import Clear, Hardened
from aesfab.design.catalogue import Named, in_words
from aesfab.design.design import Design
from aesfab.devices import DEVICES, Device
from aesfab.engine import every, hdl
from aesfab.engine.folder import AnyFolder
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.measure import subjects
from aesfab.study import study

RECORD, ESTIMATE = "record", "estimate"

LONG = 1 << 20
"""Bytes of a message whose length nobody tells."""


@dataclasses.dataclass(frozen=True)
class AnyCandidate(abc.ABC):
    """A core or an engine on a device, with its figures.

    Attributes:
        named: what it is.
        device: where it is to be.
        recipe: how it is mapped.
        lut: LUTs of it; likewise ``ff`` and ``ram``.
        cells: slices or logic cells, an estimate of occupied ones.
        mhz: clock in MHz, the median over seeds; None where nothing is placed.
        mhz_min: that of the slowest seed.
        seeds: how many.
        source: ``record`` or ``estimate``.
        measured_on: the device of the record, or of the one that an estimate starts from.
        present: whether it is of the RTL as it is, as far as that is known without elaboration.
        placed: False: it was measured, and does not fit.
        error: of an estimate, the part by which areas, the clock and block RAMs may be off.
    """

    KIND: ClassVar[str]
    BASIS: ClassVar[str]
    """What an estimate starts from; it may name ``measured_on``."""

    named: Any
    device: str
    recipe: str
    lut: float
    ff: float
    ram: int
    cells: float
    mhz: float | None
    mhz_min: float | None
    seeds: int
    source: str
    measured_on: str
    error: tuple[float, float, float] = (0.0, 0.0, 0.0)
    present: bool = True
    placed: bool = True

    @property
    def words(self) -> str:
        """Name and overrides, as ``generate`` takes them."""
        return words(self.named)

    @property
    def percent(self) -> float | None:
        """What it takes of the device's logic, in percent; None where that is not known."""
        device = DEVICES[self.device]
        share = device.logic_share(round(self.lut), round(self.ff), self.cells)
        return None if share is None else 100 * share

    def fits(self) -> bool:
        """Whether the device has what it takes; an estimate must fit with its error."""
        if not self.placed:
            return False
        sites = DEVICES[self.device].sites
        share = self.percent
        if sites is None or share is None:
            return True
        area, _, ram = self.error
        return share * (1 + area) <= 100 and self.ram * (1 + ram) <= sites.ram

    @property
    @abc.abstractmethod
    def core(self) -> Design:
        """The core, alone or of the engine."""

    @abc.abstractmethod
    def bits_and_clocks(self, need: Need) -> tuple[int, float]:
        """Bits that it does for a need in so many clocks."""

    def packet_clocks(self, need: Need) -> float | None:
        """Clocks from a packet, sector or message to the next one, where a need has its length.

        Of the slower direction; None for a core.
        """
        return None

    @abc.abstractmethod
    def notes(self, need: Need) -> list[str]:
        """What a user must know of it alone, a sentence each."""

    @abc.abstractmethod
    def evidence(self) -> records.Record | None:
        """The record of its verification; None without one."""

    @abc.abstractmethod
    def folder(self, need: str) -> generate.Folder | AnyFolder[Any]:
        """Its folder, with a need for the README."""

    def judged(self, need: Need, *, careful: float = 1.0) -> dict[str, float | None]:
        """What a need asks of it, by the names of its limits, and what can be made best.

        The figures of an estimate are off by this part of its error, to the worse side. At a
        fixed clock rate and latency are those of that clock, and ``clock_mhz`` is the slowest seed.
        """
        area, slow, rams = (careful * error for error in self.error)
        clock = None if self.mhz is None else self.mhz / (1 + slow)
        least = None if self.mhz_min is None else self.mhz_min / (1 + slow)
        runs = need.clock_mhz if need.clock_mhz is not None and least else clock
        latency = self.named.design.latency(need.key_bits)
        bits, clocks = self.bits_and_clocks(need)
        mbit = None if runs is None else bits * runs / clocks
        return {
            "mbit": mbit,
            "latency_ns": None if runs is None else 1000 * latency / runs,
            "clock_mhz": least,
            "max_lut": self.lut * (1 + area),
            "max_cells": self.cells * (1 + area),
            "max_ram": self.ram * (1 + rams),
        }

    def figures(self, need: Need) -> dict[str, Any]:
        """Its figures as they are quoted: areas, MHz, Mbit/s in the mode, latency in ns."""
        found = self.judged(need, careful=0.0)
        share = self.percent
        return {
            "lut": round(self.lut),
            "ff": round(self.ff),
            "cells": round(self.cells),
            "cell_unit": DEVICES[self.device].slice_.name,
            "ram": self.ram,
            "percent": None if share is None else round(share, 1),
            "fmax_mhz": _rounded(self.mhz),
            "fmax_min_mhz": _rounded(self.mhz_min),
            "seeds": self.seeds,
            "mbit_s": _rounded(found["mbit"]),
            "latency_ns": _rounded(found["latency_ns"]),
        }


@dataclasses.dataclass(frozen=True)
class Candidate(AnyCandidate):
    """A core on a device, with its figures."""

    KIND = "core"
    BASIS = "measured neighbours"
    named: Named

    @property
    def core(self) -> Design:
        """See ``AnyCandidate``."""
        return self.named.design

    def bits_and_clocks(self, need: Need) -> tuple[int, float]:
        """See ``AnyCandidate``: a block, each interval or each latency."""
        design = self.named.design
        interval = float(design.interval(need.key_bits))
        if not need.waits:
            return 128, interval
        return 128, max(design.latency(need.key_bits), need.blocks * interval)

    def notes(self, need: Need) -> list[str]:
        """See ``AnyCandidate``: a change of direction, narrow ports."""
        design, said = self.named.design, []
        if need.direction == "both" and need.core_direction == "both" and design.direction_change:
            said.append(f"A change of direction takes {design.direction_change} clocks.")
        if design.pieces > 1:
            said.append(
                f"Its ports have {8 * design.piece_bytes} bits: a block passes them in "
                f"{design.pieces} clocks."
            )
        return said

    def evidence(self) -> records.Record | None:
        """See ``AnyCandidate``."""
        axes = self.named.design.axes()
        return records.evidence(
            record
            for record in records.known("verify")
            if record["design"] == self.named.name
            and study.of_parameters(record, axes)
            and is_present(record, self.named)
        )

    def folder(self, need: str) -> generate.Folder:
        """See ``AnyCandidate``."""
        return generate.Folder(self.named, need=need)


@dataclasses.dataclass(frozen=True)
class EngineCandidate(AnyCandidate):
    """An engine on a device, with its figures: those of the engine and its core together."""

    KIND = "engine"
    BASIS = "its core, and the engine around it as it is on {measured_on}"
    named: every.AnyNamed

    @property
    def core(self) -> Design:
        """See ``AnyCandidate``."""
        return self.named.engine.core.design

    def bits_and_clocks(self, need: Need) -> tuple[int, float]:
        """See ``AnyCandidate``: a packet, sector or message of the need, ``LONG`` without one."""
        size, streams = need.packet or LONG, need.streams or 1
        clocks = max(
            self.named.engine.size_clocks(size, decrypt=decrypt, streams=streams)
            for decrypt in need.decrypts
        )
        return 8 * size, float(clocks)

    def packet_clocks(self, need: Need) -> float | None:
        """See ``AnyCandidate``."""
        return None if need.packet is None else self.bits_and_clocks(need)[1]

    def notes(self, need: Need) -> list[str]:
        """See ``AnyCandidate``: the clocks of packets, sectors or messages, and of another key."""
        engine: Any = self.named.engine
        said = []
        bits, clocks = self.bits_and_clocks(need)
        blocks = -(-bits // 128)
        if need.streams is not None and every.kind(self.named.name) is every.STREAMS:
            said.append(
                f"With {need.streams} streams it does a block each {clocks / blocks:.3g} clocks; "
                f"{engine.streams_that_fill} fill its core, and it serves {engine.num_streams}."
            )
        elif need.packet is not None:
            dead = clocks - need.blocks * blocks * float(self.core.interval())
            beside = f"With {engine.beside}, a" if engine.beside else "A"
            said.append(
                f"{beside} {engine.UNIT} of {need.packet} bytes takes {clocks:g} clocks, "
                f"{dead:g} more than its blocks take the core."
            )
        if self.core.stored_keys:
            said.append(
                f"Its rate is that of {engine.UNIT}s under one key: another one takes "
                f"{engine.key_change_clocks} clocks more at most."
            )
        return said

    def evidence(self) -> records.Record | None:
        """See ``AnyCandidate``."""
        axes = self.named.engine.every_axis()
        return every.evidence_of(
            self.named,
            # Before the hashes, which take the time of an elaboration for a point never met.
            (r for r in records.known(hdl.EVIDENCE) if study.of_parameters(r, axes)),
        )

    def folder(self, need: str) -> AnyFolder[Any]:
        """See ``AnyCandidate``."""
        return every.folder(self.named, need=need)


C = TypeVar("C", bound=AnyCandidate)


def words(named: subjects.Subject) -> str:
    """Name and overrides of a core or engine, as ``generate`` takes them."""
    return in_words(named.name, named.overrides)


def _rounded(value: float | None) -> float | None:
    return None if value is None else study.rounded(value)


@functools.cache
def point(name: str, words: tuple[str, ...]) -> Named | None:
    """A design of the catalogue with overrides; None where there is none, or it is illegal."""
    try:
        named = catalogue.point(name, words)
    except AesfabError:
        return None
    # Its refusal, with the way out, would take longer than all else here.
    return None if named.design.reasons() else named


def named_of(record: records.Record) -> Named | None:
    """The point that a record is of, as its name and the axes that are not the name's own."""
    usual = catalogue.CATALOGUE.get(record["design"])
    if usual is None:
        return None
    axes = usual.design.axes()
    changed = {a: v for a, v in record.get("parameters", {}).items() if axes.get(a, v) != v}
    found = point(usual.name, tuple(f"{axis}={value}" for axis, value in changed.items()))
    return found if found and study.of_parameters(record, found.design.axes()) else None


@functools.cache
def engine(name: str, words: tuple[str, ...]) -> every.AnyNamed | None:
    """A named engine with overrides; None where there is none, or it is illegal."""
    try:
        return every.find(name, words)
    except AesfabError:
        return None


def engine_of(record: records.Record) -> every.AnyNamed | None:
    """The engine that a record is of; None for what is none, or is not legal any more."""
    if not every.is_engine(record["design"]):
        return None
    found = engine(record["design"], tuple(subjects.changed(record) or ()))
    return found if found and study.of_parameters(record, found.engine.every_axis()) else None


def engine_serves(named: every.AnyNamed, need: Need) -> str:
    """Why an engine is not of the kind that a need asks for; empty where it is."""
    if not all(every.carries(named, need.mode, decrypt=each) for each in need.decrypts):
        return f"no {need.mode.upper()} in direction {need.direction}"
    return _lacks(named.engine.core.design, need)


def _lacks(design: Design, need: Need) -> str:
    """What a core lacks that a need asks for, alone or of an engine; empty without anything."""
    sizes = {str(bits) for bits in design.key_lengths}
    if (len(sizes) < 3) if need.key == "any" else (need.key not in sizes):
        return f"key of {', '.join(sorted(sizes))} bits"
    if need.key_agile and design.stored_keys:
        return "a new key takes its set-up"
    if need.hardened and design.hardened is not Hardened.YES:
        return "not hardened"
    if need.clear and design.clear is not Clear.YES:
        return "no port that clears keys"
    return ""


@functools.cache
def _present(named: Any) -> generate.AnyPresent:
    return subjects.present(named)


def is_present(record: Mapping[str, Any], named: Named | every.AnyNamed) -> bool:
    """Whether a record is of the RTL as it is, by what needs no elaboration."""
    return _present(named).has(record, elaborate=False)


def same_fabric(one: Device, other: Device, recipe: str) -> bool:
    """Whether a record of one device speaks for the other: sizes of a family, mapped alike.

    The same recipe of the same family and speed grade; or both are of synthesis alone, by the same
    commands.
    """
    if one.name == other.name:
        return recipe in one.recipes
    if one.maps_like(other, recipe):
        return True
    alike = (one.family, one.nextpnr, one.speed) == (other.family, other.nextpnr, other.speed)
    mapping = one.recipes.get(recipe)
    return alike and one.place_and_route and mapping == other.recipes.get(recipe) is not None


@functools.cache
def fabric(device: str) -> str:
    """The first device that records of this one speak for: one name for all sizes of a family."""
    one = DEVICES[device]
    return next(name for name, other in DEVICES.items() if same_fabric(other, one, records.PLAIN))


def serves(named: Named, need: Need) -> str:
    """Why a design is not of the kind that a need asks for; empty where it is."""
    design = named.design
    if design.round_keys_from_outside:
        return "its round keys come from outside"
    wanted = need.core_direction
    if (wanted != "decrypt" and not design.can_encrypt) or (
        wanted != "encrypt" and not design.can_decrypt
    ):
        return f"direction {design.direction.value}"
    if lacks := _lacks(design, need):
        return lacks
    if not need.open_output and design.between_results is Between.STATES:
        return "its output shows inner states"
    return ""


def of_records(known: Iterable[records.Record]) -> list[Candidate]:
    """Every point and recipe that was measured, on the device of its record, if it fits or not.

    Of several records of one point, device and recipe the one with more seeds, then the newest.
    An area alone of a device that could be placed is no candidate.
    Records of another RTL do not count (``is_present``), unless none is of the RTL as it is: in a
    checkout whose RTL is being changed all count, and each says so (``Candidate.present``).
    """
    found, older = _kept(known, named_of, Candidate)
    return list((found or older).values())


def of_engines(known: Iterable[records.Record]) -> list[EngineCandidate]:
    """Every engine and recipe that was measured, as ``of_records`` has cores.

    An engine without a record of the RTL as it is has those of an earlier one, each of which says
    so.
    """
    found, older = _kept(known, engine_of, EngineCandidate)
    engines = {(engine, device) for engine, device, _ in found}
    return [*found.values(), *(e for same, e in older.items() if same[:2] not in engines)]


_Kept = dict[tuple[Any, str, str], C]


def _kept(
    known: Iterable[records.Record],
    of: Callable[[records.Record], Any],
    kind: Callable[..., C],
) -> tuple[_Kept[C], _Kept[C]]:
    """Candidates by what they are, device and recipe: of the RTL as it is, and of an earlier one.

    Args:
        known: the records.
        of: what a record is of; None: nothing that counts here.
        kind: makes a candidate.
    """
    found: _Kept[C] = {}
    older: _Kept[C] = {}
    for record in records.newest(known):
        device = DEVICES.get(record.get("device", ""))
        named = of(record)
        if device is None or named is None or record.get("status") not in records.GOOD:
            continue
        if records.is_area_alone(record) and record["status"] == "ok":
            # Nobody has seen it placed, by this recipe.
            continue
        for recipe, result in record.get("recipes", {}).items():
            if result.get("status") not in records.GOOD or result.get("lut") is None:
                continue
            fmax = result.get("fmax_mhz")
            # A clock that timing analysis does not bound from below is none to rely on.
            if fmax and not records.clock_bound({**record, **result}):
                mhz, slowest, seeds = fmax["median"], fmax["min"], len(fmax["seeds"])
            else:
                mhz, slowest, seeds = None, None, 0
            cells = study.METRICS["slices"]({**record, **result}, named.design)
            if cells is None:
                continue
            each = kind(
                *(named, device.name, recipe, result["lut"], result["ff"], result["ram"]),
                *(cells, mhz, slowest, seeds, RECORD, device.name),
                placed=result["status"] == "ok",
            )
            same = (named.design, device.name, recipe)
            if is_present(record, named):
                if same not in found or found[same].seeds <= seeds:
                    found[same] = each
            elif same not in older or older[same].seeds <= seeds:
                older[same] = dataclasses.replace(each, present=False)
    return found, older


def on_devices(measured: Iterable[C], names: Iterable[str]) -> list[C]:
    """Candidates on the devices of a need: of their own records, else of another size's."""
    measured = list(measured)
    found = []
    for name in names:
        own = [each for each in measured if each.device == name]
        # What was measured here needs nobody to speak for it.
        here = {each.named.design for each in own}
        found += own
        best: dict[tuple[Any, str], C] = {}
        for each in measured:
            # What does not fit one device may fit another one.
            if each.device == name or each.named.design in here or not each.placed:
                continue
            if same_fabric(DEVICES[each.device], DEVICES[name], each.recipe):
                moved = dataclasses.replace(each, device=name)
                best.setdefault((each.named.design, each.recipe), moved)
        found += best.values()
    return found
