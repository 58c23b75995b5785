# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Our own designs in their classes: beside open cores, the papers, and what they are to reach.

Classes and targets are data (``results/classes.toml``), and so are the open cores, which were
measured with the tools that AESFab pins and are quoted with repository and commit
(``results/peers.jsonl``). Figures of ours come from records of ``aesfab implement`` only, medians
over the seeds; where there is no record of the RTL as it is, the line says how to get one.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.design.axes import KeySbox, Sbox
from aesfab.engine import every as engines
from aesfab.errors import AesfabError, unknown
from aesfab.measure import components, subjects
from aesfab.records import Record
from aesfab.study import published, study
from aesfab.study.papers import FAMILY_DEVICES, Line, PaperTable, printed_line
from aesfab.study.study import Study

KEY_BITS = 128
"""Size of the keys for which targets hold."""

METRICS = {
    "mbit_s": "Mbit/s",
    "mhz": "MHz",
    "lut": "LUT",
    "slices": "slices",
    "ram": "RAM",
    "mbit_s_per_lut": "Mbit/s a LUT",
    "mbit_s_per_slice": "Mbit/s a slice",
    "ceiling": "share of the ceiling",
    "fits": "fits",
}
"""What a target may name, and how it is called; a rate is to be reached, an area not exceeded."""

_AREAS_NAMED = {"lut", "slices", "ram"}

_SHOWN = ("lut", "ff", "slices", "le", "ram", "latency_cycles", "interval_cycles", "mhz", "mbit_s",
          "mbit_s_per_slice", "chained_mbit_s", "mbit_s_per_lut")  # fmt: skip

_LUT_SHARE = 0.6
"""Of the LUTs that a paper prints, those that ours may take; of slices and logic elements all."""

_FF_FACTOR = 2.0
"""Of the flip-flops that a paper prints."""


@dataclasses.dataclass(frozen=True)
class Peer:
    """An open core, measured with the same tools; where it has a clock, in the same harness.

    Attributes:
        name: of the core, with what was done to its ports for the comparison.
        repository: on GitHub.
        commit: that was measured.
        licence: as the repository states it.
        what: key sizes, directions, architecture.
        port_bits: of the port that blocks leave by.
        latency_cycles: clocks of a block, in simulation; None where it was not simulated.
        interval_cycles: clocks a block.
        figures: device to ``lut``, ``ff``, ``ram``, ``slices`` (estimated as ours are),
            ``fmax_mhz_by_seed``, ``mbit_s`` (at the best of these seeds), ``status`` where it is
            not ok; what was not measured is missing. ``others`` lists the same of other mappings
            of the core that are smaller in some way.
    """

    name: str
    repository: str
    commit: str
    licence: str
    what: str
    port_bits: int
    latency_cycles: int | None
    interval_cycles: int
    figures: Mapping[str, Mapping[str, Any]]

    @property
    def source(self) -> str:
        """Repository and commit, for quotations."""
        return f"{self.repository} @ {self.commit}"

    def best(self, device: str, metric: str) -> float | None:
        """The figure that speaks most for the core, of all its mappings for a device.

        The highest Mbit/s, of everything else the least; None where it was not measured. So the
        best LUTs and the best Mbit/s may be of two mappings.
        """
        known = self.figures.get(device, {})
        every = [known, *known.get("others", ())]
        values = [figures[metric] for figures in every if metric in figures]
        if not values:
            return None
        return float(max(values) if metric.startswith("mbit_s") else min(values))

    def slices(self, device: str) -> tuple[float, bool] | None:
        """Slices that the core takes on a device, and whether that is a lower bound only.

        It is one where slices were not estimated: then no slice holds more than its LUTs and its
        flip-flops. None where nothing is known.
        """
        measured = self.best(device, "slices")
        if measured is not None:
            return measured, False
        cells = [self.best(device, metric) for metric in ("lut", "ff")]
        pairs = max((int(each) for each in cells if each is not None), default=None)
        return None if pairs is None else (devices.DEVICES[device].slices(pairs), True)

    def stand(self, device: str) -> tuple[dict[str, float], dict[str, str]]:
        """What is quoted of the core on a device, each figure at its best, and which are bounds.

        A bound has the sign ``>=``, or ``<=`` where it is divided by (``Line.bounds``).
        """
        names = ("lut", "ff", "ram", "mbit_s")
        found = {name: value for name in names if (value := self.best(device, name)) is not None}
        runs = self.figures.get(device, {})
        clocks = [
            mhz
            for run in (runs, *runs.get("others", ()))
            for mhz in run.get("fmax_mhz_by_seed") or ()
        ]
        bounds: dict[str, str] = {}
        if clocks:
            found["mhz"] = max(clocks)
        if "mbit_s" in found and "lut" in found:
            found["mbit_s_per_lut"] = found["mbit_s"] / found["lut"]
        if (slices := self.slices(device)) is not None:
            found["slices"], is_bound = slices
            bounds |= {"slices": ">="} if is_bound else {}
            if "mbit_s" in found:
                found["mbit_s_per_slice"] = found["mbit_s"] / found["slices"]
                bounds |= {"mbit_s_per_slice": "<="} if is_bound else {}
        return found, bounds

    def how(self, device: str) -> str:
        """How it was measured on a device."""
        runs = self.figures.get(device, {})
        placed = any(run.get("fmax_mhz_by_seed") for run in (runs, *runs.get("others", ())))
        return "in the same harness, by the best seed" if placed else "by synthesis alone"


@dataclasses.dataclass(frozen=True)
class Target:
    """What a class is to reach on a device, for 128-bit keys; None where anything will do.

    Attributes:
        device: name of it.
        design: which one is to reach it, of the class or of its ``others``; empty for any of the
            class's designs.
        mbit_s, mhz, lut, slices, ram: of a record.
        mbit_s_per_lut, mbit_s_per_slice: what follows from them.
        ceiling: the clock in percent of what plain registers reach (``ceiling_mhz``).
        fits: whether it is to be placed and routed there with its harness.
    """

    device: str
    design: str = ""
    mbit_s: float | None = None
    mhz: float | None = None
    lut: float | None = None
    slices: float | None = None
    ram: float | None = None
    mbit_s_per_lut: float | None = None
    mbit_s_per_slice: float | None = None
    ceiling: float | None = None
    fits: bool | None = None

    def named(self) -> dict[str, float]:
        """The metrics that it names."""
        values = {metric: getattr(self, metric) for metric in METRICS}
        return {metric: value for metric, value in values.items() if value is not None}

    def __str__(self) -> str:
        """The target in words."""
        said = []
        for metric, wanted in self.named().items():
            sign = "<=" if metric in _AREAS_NAMED else ">="
            if metric == "fits":
                said.append("fits")
            elif metric == "ceiling":
                said.append(f"{sign} {wanted:g} % of the ceiling")
            elif not wanted:
                said.append(f"no {METRICS[metric]}")
            else:
                said.append(f"{sign} {wanted:g} {METRICS[metric]}")
        return ", ".join(said)


@dataclasses.dataclass(frozen=True)
class Class:
    """Cores that do the same job.

    Attributes:
        name: as the user types it.
        title: the job.
        designs: ours.
        variants: points of these without a name of their own, for other key sizes and directions.
        peers: open cores.
        printed: designs or systems of the papers, for ``published``.
        targets: for each device that counts at least one, the most important first.
    """

    name: str
    title: str
    designs: tuple[str, ...]
    peers: tuple[Peer, ...]
    printed: tuple[str, ...]
    targets: tuple[Target, ...]
    variants: tuple[str, ...] = ()

    def main_targets(self) -> list[Target]:
        """The first target of each device: by it a class is won or not."""
        found: dict[str, Target] = {}
        for target in self.targets:
            found.setdefault(target.device, target)
        return list(found.values())

    def others(self) -> list[str]:
        """What belongs to the class beside the designs that targets are for.

        They are other key sizes and directions: designs with longer names than the class's, and
        the variants.
        """
        mains = {design for each in load() for design in each.designs}
        named = [
            name
            for name in subjects.names()
            if name not in mains and _family(name, mains) in self.designs
        ]
        return [*named, *self.variants]


def port_bits(design: str) -> int:
    """The bits of the port that blocks leave a design or an engine by."""
    return max(port.width for port in study.subject(design).design.ports() if not port.is_input)


def _family(name: str, mains: set[str]) -> str | None:
    """The longest of the names that a longer name begins with."""
    found = [main for main in mains if name.startswith(f"{main}-")]
    return max(found, key=len, default=None)


# ---------------------------------------------------------------------------------- data


@functools.cache
def peers() -> dict[str, Peer]:
    """The open cores by name; AesfabError when the file is missing or broken."""
    path = _shipped("peers", "jsonl")
    found: dict[str, Peer] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            fields = json.loads(line)
            peer = Peer(name=fields.pop("peer"), **fields)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise AesfabError(f"{path}, line {number}: no open core: {error}") from error
        if not set(peer.figures) <= set(devices.DEVICES):
            raise AesfabError(f"{path}, line {number}: an unknown device")
        found[peer.name] = peer
    return found


def load() -> tuple[Class, ...]:
    """The classes in their order; AesfabError when the file is missing or broken."""
    return _read()[0]


def plain_wanted() -> PlainWanted:
    """What the plain flow is to reach of each of our own designs."""
    return _read()[1]


@functools.cache
def _read() -> tuple[tuple[Class, ...], PlainWanted]:
    path = _shipped("classes", "toml")
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        wanted = PlainWanted(**found["plain"])
        devices.find(wanted.device)
        return tuple(_class(dict(table)) for table in found["class"]), wanted
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise AesfabError(f"{path}: not the classes: {error}") from error


def _class(table: dict[str, Any]) -> Class:
    open_cores = []
    for name in table.pop("peers"):
        if name not in peers():
            raise unknown("open core", name, peers())
        open_cores.append(peers()[name])
    known = {row.design for row in published.load()} | {row.system for row in published.load()}
    for name in table["printed"]:
        if name not in known:
            raise unknown("printed design", name, filter(None, known))
    targets = tuple(Target(**target) for target in table.pop("target"))
    for target in targets:
        devices.find(target.device)
        if target.design:
            study.subject(target.design)
    for variant in table.setdefault("variants", []):
        study.subject(variant)
    for key in ("designs", "variants", "printed"):
        table[key] = tuple(table[key])
    return Class(peers=tuple(open_cores), targets=targets, **table)


def _shipped(stem: str, ending: str) -> Path:
    folder = records.shipped_path(stem)
    if folder is None or not folder.with_suffix(f".{ending}").is_file():
        raise AesfabError(f"{stem}.{ending} is missing from this installation")
    return folder.with_suffix(f".{ending}")


def find(name: str) -> Class:
    """A class by name; AesfabError for an unknown one."""
    known = {each.name: each for each in load()}
    if name not in known:
        raise unknown("class", name, known)
    return known[name]


# --------------------------------------------------------------------------------- tables


@dataclasses.dataclass(frozen=True)
class Reached:
    """What a class has reached on a device.

    Attributes:
        target: what it is to reach.
        design: ours that comes nearest; of several recipes the record that does. Empty without.
        record: its record, None where nothing is measured.
        figures: metric to ours.
        met: metric of the target to whether it is met; empty without a record.
    """

    target: Target
    design: str
    record: Record | None
    figures: Mapping[str, float]
    met: Mapping[str, bool]

    @property
    def verdict(self) -> str:
        """``reached``, ``not measured``, or what is missed by how much."""
        if self.record is None:
            return "not measured"
        shares, others = [], []
        for metric, wanted in self.target.named().items():
            if self.met[metric]:
                continue
            value = self.figures.get(metric)
            if metric == "fits":
                others.append("does not fit")
            elif value is None:
                others.append(METRICS[metric])
            elif wanted:
                shares.append(f"{METRICS[metric]} {_percent(value, wanted)}")
            else:
                others.append(f"{METRICS[metric]} {value:.0f} instead of none")
        missed = [f"{', '.join(shares)} of the target"] if shares else []
        return f"missed: {', '.join([*missed, *others])}" if missed or others else "reached"


def _percent(value: float, whole: float) -> str:
    """A share other than all of it, with as many decimals as show that."""
    share = 100 * value / whole
    digits = next((n for n in range(3) if float(f"{share:.{n}f}") != 100), 3)
    return f"{share:.{digits}f} %"


def ours(record: Record) -> dict[str, float]:
    """The figures of a record that a class compares, for ``KEY_BITS`` where it has them."""
    by_key = record.get("throughput_by_key_bits") or {}
    mbit_s = by_key.get(str(KEY_BITS), record.get("throughput_mbit_s"))
    found = {name: record.get(name) for name in ("lut", "ff", "ram")}
    found |= {"slices": record.get("slices_estimate")}
    found |= {"mhz": (record.get("fmax_mhz") or {}).get("median"), "mbit_s": mbit_s}
    for name in ("lut", "slices"):
        if mbit_s is not None and found[name]:
            found[f"mbit_s_per_{name.removesuffix('s')}"] = mbit_s / found[name]
    return {name: value for name, value in found.items() if value is not None}


def reached(each: Class, target: Target, measured: Study, parts: Sequence[Record] = ()) -> Reached:
    """Where a class stands, by the record that meets most of a target, then the fastest.

    ``parts`` are records of components, of which the fabric's ceiling is one.
    """
    designs = (target.design,) if target.design else each.designs
    best = Reached(target, designs[0] if designs else "", None, {}, {})
    rank: tuple[float, ...] = ()
    for design in designs:
        for record in measured.every(design, target.device):
            values = ours(record)
            if target.fits is not None:
                values["fits"] = float(record["status"] == "ok")
            limit = None if target.ceiling is None else ceiling_mhz(record, parts)
            if limit and "mhz" in values:
                values["ceiling"] = 100 * values["mhz"] / limit[1]
            met = {metric: _meets(metric, values.get(metric), wanted)
                   for metric, wanted in target.named().items()}  # fmt: skip
            here = (
                sum(met.values()),
                record["status"] == "ok",
                values.get("mbit_s", 0.0),
                -values.get("lut", 0.0),
            )
            if here > rank:
                rank, best = here, Reached(target, design, record, values, met)
    return best


AREAS = {"lut": "LUTs", "slices": "slices"}
"""The areas in which a class is won: by both, for a core may save one by wasting the other."""


def contest(each: Class, standing: Reached) -> dict[str, bool | None]:
    """Area to whether ours beats every open core of a class in it, on the device of a target.

    Those are open cores with ports as wide as ours. Ours must be as fast, and do more Mbit/s for
    each LUT or slice; where the two have no clock on the device, it must be smaller. Open cores are
    taken at their best (``Peer.best``, whichever mapping), ours at one record. None where the
    slices of an open core have a lower bound only and that bound beats ours, which decides nothing.
    Empty without a record or an open core.
    """
    device = standing.target.device
    rivals = [] if standing.record is None else comparable(each, standing.design, device)
    if not rivals:
        return {}
    result: dict[str, bool | None] = {}
    for area in AREAS:
        outcomes = [_beats(standing.figures, peer, device, area) for peer in rivals]
        result[area] = False if False in outcomes else None if None in outcomes else True
    return result


def comparable(each: Class, design: str, device: str) -> list[Peer]:
    """The open cores of a class that are known on a device and have ports as wide as a design."""
    bits = port_bits(design)
    return [
        peer
        for peer in each.peers
        if peer.port_bits == bits and peer.best(device, "lut") is not None
    ]


def _beats(figures: Mapping[str, float], peer: Peer, device: str, area: str) -> bool | None:
    slices = peer.slices(device)
    lut = peer.best(device, "lut")
    assert slices is not None
    assert lut is not None
    theirs, is_bound = slices if area == "slices" else (lut, False)
    if area not in figures:
        return None
    mbit_s, rival = figures.get("mbit_s"), peer.best(device, "mbit_s")
    if mbit_s is None or rival is None:
        wins = figures[area] < theirs
    elif mbit_s < rival:
        return False
    else:
        wins = mbit_s * theirs > rival * figures[area]
    return None if is_bound and not wins else wins


def winner(outcome: Mapping[str, bool | None]) -> str:
    """``contest`` in words."""
    if not outcome:
        return "nothing to compare"
    won = [AREAS[area] for area, wins in outcome.items() if wins]
    undecided = [AREAS[area] for area, wins in outcome.items() if wins is None]
    if len(won) == len(AREAS):
        return "won"
    said = f"by {won[0]} only" if won else "not won"
    return f"{said}; {', '.join(undecided)} open" if undecided else said


def _meets(metric: str, value: float | None, wanted: float) -> bool:
    if value is None:
        return False
    return value <= wanted if metric in _AREAS_NAMED else value >= wanted


def table(each: Class, measured: Study, parts: Sequence[Record] = ()) -> PaperTable:
    """A class: open cores, papers, targets and ours, device by device."""
    lines: list[Line] = []
    for device in dict.fromkeys(target.device for target in each.targets):
        lines += [_peer_line(peer, device) for peer in each.peers if device in peer.figures]
        standings = [
            reached(each, target, measured, parts)
            for target in each.targets
            if target.device == device
        ]
        notes: dict[str, list[str]] = {}
        best: dict[str, Record] = {}
        for standing in standings:
            lines.append(_target_line(standing.target))
            if standing.record is None:
                continue
            beside = winner(contest(each, standing))
            said = f"target {standing.verdict}; against open cores: {beside}"
            recipe = standing.record["recipe"]
            if best.setdefault(standing.design, standing.record) is not standing.record:
                said += f" (recipe {recipe})"
            notes.setdefault(standing.design, []).append(said)
        shown = dict.fromkeys([*each.designs, *(s.target.design for s in standings)])
        for design in filter(None, shown):
            line = _own_line(design, device, measured, best.get(design))
            note = "; ".join(filter(None, [*notes.get(design, ()), line.note]))
            lines.append(dataclasses.replace(line, note=note))
    for line in map(printed_line, printed_rows(each)):
        lines.append(dataclasses.replace(line, figures=_ordered(line.figures)))
    main = each.targets[0].device
    there = {(line.system, line.device) for line in lines}
    others = [
        _own_line(design, main, measured, None)
        for design in each.others()
        if (design, main) not in there
    ]
    lines += [line for line in others if line.figures]
    unmeasured = [line.system for line in others if not line.figures]
    note = (
        "Of several mappings of an open core each figure is the best one; its Mbit/s are the best "
        "seed's, ours the median's. Beside a target stand cores of any port width; a class is won "
        "against open cores with ports as wide as ours. Latency and interval "
        "of ours are for the largest key. Chained: each block waits for the result before it, as "
        "in CBC encryption."
    )
    if unmeasured:
        note += f" Not measured on {main}: {', '.join(unmeasured)}."
    return PaperTable("classes", each.name, f"{each.name}: {each.title}", tuple(lines), note)


def _target_line(target: Target) -> Line:
    figures = {name: value for name, value in target.named().items() if name in _SHOWN}
    whose = f" of {target.design}" if target.design else ""
    return Line(f"target{whose}", True, f"target, {target.device}", target.device, "", figures,
                str(target))  # fmt: skip


def _peer_line(peer: Peer, device: str) -> Line:
    found, bounds = peer.stand(device)
    figures: dict[str, Any] = {**found, "interval_cycles": peer.interval_cycles}
    if peer.latency_cycles is not None:
        figures["latency_cycles"] = peer.latency_cycles
        if "mhz" in figures:
            figures["chained_mbit_s"] = _chained(
                figures["mhz"], peer.latency_cycles, peer.interval_cycles
            )
    known = peer.figures[device]
    notes = [peer.source, peer.what, f"ports of {peer.port_bits} bits", f"licence: {peer.licence}"]
    notes += [peer.how(device)]
    notes += [known["status"]] if "status" in known else []
    return Line(peer.name, True, f"open core, {device}", device, "", _ordered(figures),
                "; ".join(notes), bounds)  # fmt: skip


def _own_line(design: str, device: str, measured: Study, record: Record | None) -> Line:
    """One of ours: its best record, or the command that makes one."""
    source = f"ours, {device}"
    name = design.split()[0]
    if not subjects.is_name(name):
        return Line(design, False, source, device, "", {}, "there is no such design")
    if record is None:
        candidates = measured.every(design, device)
        if not candidates:
            note = f"not measured: aesfab implement {design} --device {device}"
            return Line(design, False, source, device, name, {}, note)
        record = max(candidates, key=lambda r: (r["status"] == "ok", ours(r).get("mbit_s", 0)))
    point = study.subject(design).design
    figures = ours(record)
    figures |= {"latency_cycles": point.latency(), "interval_cycles": point.interval_number()}
    if figures.get("mhz"):
        clocks = point.latency(), point.interval_number()
        figures["chained_mbit_s"] = _chained(figures["mhz"], *clocks)
    notes = [f"recipe {record['recipe']}", f"ports of {port_bits(design)} bits"]
    notes += [record["status"]] if record["status"] != "ok" else []
    notes += [by_seed(record)] if (record.get("fmax_mhz") or {}).get("seeds") else []
    return Line(design, False, source, device, name, _ordered(figures), "; ".join(notes))


def by_seed(record: Record) -> str:
    """The clock of each seed, with a mark where the harness is at an end of the longest path."""
    limited = records.limited_seeds(record)
    clocks = [
        f"{mhz:.1f}{' (harness)' if seed in limited else ''}"
        for seed, mhz in record["fmax_mhz"]["seeds"].items()
    ]
    return f"MHz by seed: {', '.join(clocks)}"


def _chained(mhz: float, latency: float, interval: float) -> float:
    """Mbit/s of blocks of which each waits for the result before it, as in CBC encryption."""
    return mhz * 128 / max(latency, interval)


def _ordered(figures: Mapping[str, float]) -> dict[str, Any]:
    return {name: figures[name] for name in _SHOWN if name in figures}


# -------------------------------------------------------------------------- the plain flow


@dataclasses.dataclass(frozen=True)
class PlainWanted:
    """What the plain flow is to reach of each ``fab-`` design, in percent of its record.

    Attributes:
        device: where.
        mhz: of the clock at least.
        lut: of the LUTs at most.
    """

    device: str
    mhz: float
    lut: float

    def met_by(self, share: Plain) -> bool:
        """Whether a design reaches both."""
        return share.mhz >= self.mhz and share.lut <= self.lut


@dataclasses.dataclass(frozen=True)
class Plain:
    """What the plain flow (``records.PLAIN``) makes of a design, in percent of another record.

    Attributes:
        mhz: the clock; 0 where it does not fit.
        lut: the LUTs.
    """

    mhz: float
    lut: float

    def __str__(self) -> str:
        return f"{self.mhz:.0f} %, {self.lut:.0f} %"


def plain(record: Record | None, measured: Study) -> Plain | None:
    """What the plain flow makes of the design of a record; None where that has no record.

    None also for a record without a clock.
    """
    if record is None:
        return None
    words = " ".join([record["design"], *(subjects.changed(record) or ())])
    return beside(record, measured.by_recipe(words, record["device"]).get(records.PLAIN))


def beside(record: Record, other: Record | None) -> Plain | None:
    """A record of the plain flow in percent of another of the same design on the same device.

    None where one of them has no figures of place and route.
    """
    known = other is not None and not records.is_area_alone(other) and other.get("lut")
    if other is None or not known or not record.get("fmax_mhz"):
        return None
    clock = (other.get("fmax_mhz") or {}).get("median", 0.0)
    return Plain(100 * clock / record["fmax_mhz"]["median"], 100 * other["lut"] / record["lut"])


def plain_shares(measured: Study) -> dict[str, Plain | None]:
    """Each ``fab-`` design to what the plain flow makes of it, beside the record of the design.

    On the device that ``plain_wanted`` names.
    """
    device = plain_wanted().device
    own = [name for name in catalogue.CATALOGUE if name.startswith("fab-")]
    return {name: plain(measured.record(name, device), measured) for name in own}


# --------------------------------------------------------------------------------- limits


def limits(standing: Reached, parts: Sequence[Record] = ()) -> list[str]:
    """What keeps a design from more, in sentences made from its record and those of components.

    The longest path with its logic and routing, where such paths end, LUTs by component, and the
    clock as a share of what plain registers reach in the same harness. What is not recorded is
    said, with the command that records it.
    """
    record = standing.record
    if record is None:
        return []
    said = _path(record)
    said.append(_breakdown(standing.design, record, parts))
    if record.get("fmax_mhz"):
        said.append(_ceiling(record, parts))
    return [line for line in said if line]


def _path(record: Record) -> list[str]:
    depth = record.get("lut_levels")
    plural = "" if depth == 1 else "s"
    levels = None if depth is None else f"at most {depth} LUT level{plural} between registers"
    path = study.longest_path(record)
    if path is None:
        return [levels] if levels else []
    said = [f"longest path: {path}" + (f"; {levels}" if levels else "")]
    if path.ends:
        seeds = sum(path.ends.values())
        kinds = ", ".join(f"{kind} ({n} of {seeds} seeds)" for kind, n in path.ends.items())
        said.append(f"the longest path ends at {kinds}")
    return said


def _breakdown(design: str, record: Record, parts: Sequence[Record]) -> str:
    """Empty for an engine: parts are measured of cores alone."""
    if engines.is_engine(design.split()[0]):
        return ""
    device = record["device"]
    command = f"aesfab components --device {device} --design {design.split()[0]}"
    missing = f"LUTs by component: not measured ({command})"
    if record.get("lut") is None or not any(part.get("device") == device for part in parts):
        return missing
    both = components.assembly(study.find(design), device, parts, record)
    areas: collections.Counter[str] = collections.Counter()
    for component, count, part in both.parts:
        if part is None or part.get("lut") is None:
            return missing
        areas[component.name] += count * part["lut"]
    rest = record["lut"] - sum(areas.values())
    shares = [f"{name} {lut}" for name, lut in areas.most_common() if lut]
    return f"LUTs by component, each measured alone: {', '.join(shares)}; assembly {rest:+d}"


def ceiling_mhz(record: Record, parts: Sequence[Record]) -> tuple[int, float] | None:
    """The plain registers nearest in number to those of a record, and the MHz that they reach.

    That is the ceiling of the fabric, in the same harness; None where it is not measured.
    """
    device = record["device"]
    known = [
        (component.flip_flops, part)
        for component in components.ceiling()
        if (part := components.known(parts, component, device)) and part.get("delay_ns")
    ]
    if not known:
        return None
    size, part = min(known, key=lambda each: abs(each[0] - (record.get("ff") or 0)))
    return size, 1000 / part["delay_ns"]


def _ceiling(record: Record, parts: Sequence[Record]) -> str:
    limit = ceiling_mhz(record, parts)
    if limit is None:
        device = record["device"]
        return (
            f"ceiling of the fabric: not measured (aesfab components --ceiling --device {device})"
        )
    size, mhz = limit
    share = 100 * record["fmax_mhz"]["median"] / mhz
    return (
        f"the clock is {share:.0f} % of the {mhz:.0f} MHz that {size} plain registers reach in the "
        "same harness"
    )


def printed_rows(each: Class) -> list[published.Printed]:
    """What the papers print of a class, the fastest first."""
    rows = [
        row
        for name in each.printed
        for row in published.load()
        if name in (row.design, row.system) and row.figures()
    ]
    return sorted(rows, key=lambda row: -(row.mbit_s or 0))


def best_peer(each: Class, design: str, device: str) -> Peer | None:
    """The fastest open core of a class on a device, or the smallest where none is placed.

    Of those with ports as wide as a design's.
    """
    there = comparable(each, design, device)
    return max(
        there,
        key=lambda peer: (peer.figures[device].get("mbit_s", 0), -peer.figures[device]["lut"]),
        default=None,
    )


@dataclasses.dataclass(frozen=True)
class Standing:
    """Everything about a class: its table, and for each target what is reached and what limits it.

    Attributes:
        of: the class.
        table: open cores, papers, targets and ours.
        targets: each with the sentences of ``limits``.
    """

    of: Class
    table: PaperTable
    targets: tuple[tuple[Reached, tuple[str, ...]], ...]

    def summaries(self) -> list[list[str]]:
        """Of each target the design with its verdict, and what limits it."""
        found = []
        for result, said in self.targets:
            target = f"{result.target.device}, {result.target}"
            found.append([f"{target}: {result.design}: {result.verdict}", *said])
        return found

    def to_json(self) -> dict[str, Any]:
        """The class as plain values."""
        return {
            "name": self.of.name,
            "title": self.of.title,
            "table": self.table.to_json(),
            "targets": [
                {
                    "device": result.target.device,
                    "target": result.target.named(),
                    "design": result.design,
                    "figures": dict(result.figures),
                    "met": dict(result.met),
                    "verdict": result.verdict,
                    "port_bits": port_bits(result.design) if result.record else None,
                    "against_open_cores": contest(self.of, result),
                    "limits": list(said),
                }
                for result, said in self.targets
            ],
        }


def standing(each: Class, measured: Study, parts: Sequence[Record] = ()) -> Standing:
    """Where a class stands, from records of designs and of components."""
    results = [reached(each, target, measured, parts) for target in each.targets]
    return Standing(
        each,
        table(each, measured, parts),
        tuple((result, tuple(limits(result, parts))) for result in results),
    )


# ---------------------------------------------------------------------------- the papers


@dataclasses.dataclass(frozen=True)
class Area:
    """An area that a paper prints, and the smallest of ours with its architecture and clocks.

    Attributes:
        row: of the paper.
        unit: ``LUT``, ``slices`` or ``LE``.
        printed: in that unit.
        allowed: what ours may take at most.
        design: ours; the faithful one, or one of our own that is smaller.
        device: of our record.
        value: of ours; None where nothing of the paper's own family is measured.
        ff: flip-flops of ours, for rows that print them.
        levels: LUT levels between registers of ours.
        levels_allowed: for rows that print LUTs, those of the faithful design, for fewer LUTs on a
            longer path are another design; None where that is not measured, and for other rows.
    """

    row: published.Printed
    unit: str
    printed: int
    allowed: float
    design: str
    device: str
    value: float | None
    ff: float | None
    levels: int | None
    levels_allowed: int | None

    @property
    def met(self) -> bool | None:
        """Whether ours is small enough, with no more flip-flops and LUT levels than allowed.

        None where ours or, for its levels, the faithful design is not measured.
        """
        if self.value is None:
            return None
        few = self.row.ff is None or (self.ff or 0) <= _FF_FACTOR * self.row.ff
        if not (self.value <= self.allowed and few):
            return False
        if self.unit != "LUT":
            return True
        if self.levels is None or self.levels_allowed is None:
            return None
        return self.levels <= self.levels_allowed

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain values."""
        return {
            "paper": self.row.paper,
            "where": self.row.where,
            "family": self.row.family,
            "unit": self.unit,
            "printed": self.printed,
            "allowed": self.allowed,
            "printed_ff": self.row.ff,
            "design": self.design,
            "device": self.device,
            "ours": self.value,
            "ours_ff": self.ff,
            "ours_lut_levels": self.levels,
            "allowed_lut_levels": self.levels_allowed,
            "met": self.met,
        }


def area_row(area: Area) -> dict[str, Any]:
    """A comparison for a table."""
    met = {None: "not measured", True: "yes", False: "NO"}[area.met]
    return {
        "paper": area.row.paper,
        "where": area.row.where,
        "design": area.design,
        "family": area.row.family,
        "unit": area.unit,
        "printed": area.printed,
        "allowed": round(area.allowed),
        "printed FF": area.row.ff,
        "ours on": area.device,
        "ours": None if area.value is None else round(area.value),
        "our FF": None if area.ff is None else round(area.ff),
        "our LUT levels": area.levels,
        "levels allowed": area.levels_allowed,
        "small enough": met,
    }


def areas(measured: Study) -> list[Area]:
    """Every area that a paper prints of its own cores, beside ours for the same family.

    LUTs are compared with LUTs, slices and logic elements with our estimate of them. A family
    without a device of its own is compared on the nearest (``papers.FAMILY_DEVICES``). Ours may
    have no more block RAM than the faithful design there, which has round keys from outside where
    the paper has them so.
    """
    found = []
    for row in published.load():
        if not (row.own and row.kind == "core" and row.design in catalogue.CATALOGUE):
            continue
        unit, printed = next(
            ((name, value) for name, value in
             (("LUT", row.lut), ("LE", row.le), ("slices", row.slices)) if value),
            ("", None),
        )  # fmt: skip
        if printed is None or row.design is None:
            continue
        device = FAMILY_DEVICES.get(row.family or "", ("",))[0]
        options = [
            (value, design, record)
            for design in (row.design, *_equals(row.design, any_latency=unit == "LUT"))
            for record in measured.every(design, device)
            if (value := _area(record, unit, design)) is not None
        ]
        same = {row.design}
        if row.paper in _ROUND_KEYS_FROM_OUTSIDE:
            same.add(f"{row.design} key_sbox={KeySbox.NONE.value}")
        faithful = [record for _, design, record in options if design in same]
        if faithful:
            most = max(record["ram"] for record in faithful)
            options = [option for option in options if option[2]["ram"] <= most]
        known = (record.get("lut_levels") for record in faithful)
        levels = [depth for depth in known if depth is not None]
        levels_allowed = min(levels, default=None) if unit == "LUT" else None
        allowed = printed * (_LUT_SHARE if unit == "LUT" else 1.0)
        candidates = [
            Area(row, unit, printed, allowed, design, device, value, record.get("ff"),
                 record.get("lut_levels"), levels_allowed)
            for value, design, record in options
        ]  # fmt: skip
        nothing = Area(row, unit, printed, allowed, row.design, device, None, None, None, None)
        # One that is as it should be before a smaller one that is not.
        found.append(min(candidates, key=lambda area: (not area.met, area.value), default=nothing))
    return found


def _area(record: Record, unit: str, design: str) -> float | None:
    metric = study.METRICS["lut" if unit == "LUT" else "slices"]
    return metric(record, study.find(design).design)


_ROUND_KEYS_FROM_OUTSIDE = {"fischer2001"}
"""Papers whose cores store round keys that were made elsewhere (fischer2001, section 2.2)."""


def _equals(design: str, any_latency: bool) -> list[str]:
    """Ours that stand for a paper's design: of its architecture and clocks, in other circuits.

    They have its direction, keys and ports, no more latency, and take a block at least as often:
    designs of our own, and those of the same paper, this one too, with S-boxes of state, key or
    both in composite fields or as tables in the multiplexers of slices, or with round keys from
    outside where the paper has them so. With ``any_latency``, for areas that are judged by LUT
    levels too, more register levels will do.
    """
    wanted = catalogue.CATALOGUE[design]
    alike = {
        name: named
        for name, named in catalogue.CATALOGUE.items()
        if all(
            getattr(named.design, axis) is getattr(wanted.design, axis)
            for axis in ("architecture", "direction", "key_bits", "interface", "datapath")
        )
        and (any_latency or named.design.latency() <= wanted.design.latency())
        and named.design.interval() <= wanted.design.interval()
    }
    circuits: list[dict[str, str]] = [
        dict.fromkeys(axes, sbox.value)
        for sbox in (Sbox.TOWER, Sbox.SHALLOW, Sbox.WIDE)
        for axes in (("sbox", "key_sbox"), ("sbox",), ("key_sbox",))
    ]
    if wanted.paper in _ROUND_KEYS_FROM_OUTSIDE:
        circuits += [
            {**sboxes, "key_sbox": KeySbox.NONE.value}
            for sboxes in ({}, {"sbox": Sbox.TOWER.value}, {"sbox": Sbox.SHALLOW.value})
        ]
    others = []
    for name, named in alike.items():
        for change in circuits if named.paper == wanted.paper else ():
            words = [f"{axis}={sbox}" for axis, sbox in change.items()]
            if not catalogue.point(name, words).design.reasons():
                others.append(" ".join([name, *words]))
    return others + [name for name, named in alike.items() if not named.paper]
