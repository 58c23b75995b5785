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
    "lut": "LUT",
    "slices": "slices",
    "ram": "RAM",
    "mbit_s_per_lut": "Mbit/s a LUT",
}
"""What a target may name, and how it is called; a rate is to be reached, an area not exceeded."""

_SHOWN = ("lut", "ff", "slices", "le", "ram", "latency_cycles", "interval_cycles", "mhz", "mbit_s",
          "chained_mbit_s", "mbit_s_per_lut")  # fmt: skip

_LUT_SHARE = 0.6
"""Of the LUTs that a paper prints, those that ours may take; of slices and logic elements all."""

_FF_FACTOR = 2.0
"""Of the flip-flops that a paper prints."""


@dataclasses.dataclass(frozen=True)
class Peer:
    """An open core, measured in the same harness with the same tools.

    Attributes:
        name: of the core, with what was done to its ports for the comparison.
        repository: on GitHub.
        commit: that was measured.
        licence: as the repository states it.
        what: key sizes, directions, architecture.
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


@dataclasses.dataclass(frozen=True)
class Target:
    """What a class is to reach on a device, for 128-bit keys; None where anything will do."""

    device: str
    mbit_s: float | None = None
    lut: float | None = None
    slices: float | None = None
    ram: float | None = None
    mbit_s_per_lut: float | None = None

    def named(self) -> dict[str, float]:
        """The metrics that it names."""
        values = {metric: getattr(self, metric) for metric in METRICS}
        return {metric: value for metric, value in values.items() if value is not None}


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
        targets: one for each device that counts.
    """

    name: str
    title: str
    designs: tuple[str, ...]
    peers: tuple[Peer, ...]
    printed: tuple[str, ...]
    targets: tuple[Target, ...]
    variants: tuple[str, ...] = ()

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


@functools.cache
def load() -> tuple[Class, ...]:
    """The classes in their order; AesfabError when the file is missing or broken."""
    path = _shipped("classes", "toml")
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["class"]
        return tuple(_class(dict(table)) for table in tables)
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
            if value is None:
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
    if mbit_s is not None and record.get("lut"):
        found["mbit_s_per_lut"] = mbit_s / record["lut"]
    return {name: value for name, value in found.items() if value is not None}


def reached(each: Class, target: Target, measured: Study) -> Reached:
    """Where a class stands, by the record that meets most of a target, then the fastest."""
    best = Reached(target, each.designs[0] if each.designs else "", None, {}, {})
    rank: tuple[float, ...] = ()
    for design in each.designs:
        for record in measured.every(design, target.device):
            values = ours(record)
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

    Ours must be as fast, and do more Mbit/s for each LUT or slice; where the two have no clock on
    the device, it must be smaller. Open cores are taken at their best (``Peer.best``, whichever
    mapping), ours at one record. None where the slices of an open core have a lower bound only and
    that bound beats ours, which decides nothing. Empty without a record or an open core.
    """
    device = standing.target.device
    rivals = [peer for peer in each.peers if peer.best(device, "lut") is not None]
    if standing.record is None or not rivals:
        return {}
    result: dict[str, bool | None] = {}
    for area in AREAS:
        outcomes = [_beats(standing.figures, peer, device, area) for peer in rivals]
        result[area] = False if False in outcomes else None if None in outcomes else True
    return result


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
    return value >= wanted if metric.startswith("mbit_s") else value <= wanted


def table(each: Class, measured: Study) -> PaperTable:
    """A class: open cores, papers, target and ours, device by device."""
    lines: list[Line] = []
    for target in each.targets:
        device = target.device
        lines += [_peer_line(peer, device) for peer in each.peers if device in peer.figures]
        named = {name: value for name, value in target.named().items() if name in _SHOWN}
        lines.append(Line("target", True, f"target, {device}", device, "", named))
        standing = reached(each, target, measured)
        for design in each.designs:
            best = standing.record if design == standing.design else None
            lines.append(_own_line(design, device, measured, best))
            if best is not None:
                beside = winner(contest(each, standing))
                note = f"target {standing.verdict}; against open cores: {beside}; {lines[-1].note}"
                lines[-1] = dataclasses.replace(lines[-1], note=note)
    for line in map(printed_line, printed_rows(each)):
        lines.append(dataclasses.replace(line, figures=_ordered(line.figures)))
    main = each.targets[0].device
    others = [_own_line(design, main, measured, None) for design in each.others()]
    lines += [line for line in others if line.figures]
    unmeasured = [line.system for line in others if not line.figures]
    note = (
        "Open cores were measured in the same harness; their Mbit/s are those of the best seed, "
        "ours the median's; of several mappings each figure is the best one. Latency and interval "
        "of ours are for the largest key. Chained: each block waits for the result before it, as "
        "in CBC encryption."
    )
    if unmeasured:
        note += f" Not measured on {main}: {', '.join(unmeasured)}."
    return PaperTable("classes", each.name, f"{each.name}: {each.title}", tuple(lines), note)


def _peer_line(peer: Peer, device: str) -> Line:
    known = peer.figures[device]
    best = {name: peer.best(device, name) for name in ("lut", "slices", "ff", "ram", "mbit_s")}
    figures: dict[str, Any] = {name: value for name, value in best.items() if value is not None}
    figures |= {"interval_cycles": peer.interval_cycles}
    if peer.latency_cycles is not None:
        figures["latency_cycles"] = peer.latency_cycles
    seeds = known.get("fmax_mhz_by_seed")
    if seeds:
        figures["mhz"] = max(seeds)
    if seeds and peer.latency_cycles is not None:
        figures["chained_mbit_s"] = _chained(max(seeds), peer.latency_cycles, peer.interval_cycles)
    if "mbit_s" in known:
        figures["mbit_s_per_lut"] = figures["mbit_s"] / figures["lut"]
    notes = [peer.source, peer.what, f"licence: {peer.licence}"]
    notes += [known["status"]] if "status" in known else []
    return Line(peer.name, True, f"open core, {device}", device, "", _ordered(figures),
                "; ".join(notes))  # fmt: skip


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
    notes = [f"recipe {record['recipe']}"]
    notes += [record["status"]] if record["status"] != "ok" else []
    seeds = (record.get("fmax_mhz") or {}).get("seeds")
    if seeds:
        notes.append(f"MHz by seed: {', '.join(f'{mhz:.1f}' for mhz in seeds.values())}")
    return Line(design, False, source, device, name, _ordered(figures), "; ".join(notes))


def _chained(mhz: float, latency: float, interval: float) -> float:
    """Mbit/s of blocks of which each waits for the result before it, as in CBC encryption."""
    return mhz * 128 / max(latency, interval)


def _ordered(figures: Mapping[str, float]) -> dict[str, Any]:
    return {name: figures[name] for name in _SHOWN if name in figures}


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


def _ceiling(record: Record, parts: Sequence[Record]) -> str:
    device = record["device"]
    known = [
        (component.flip_flops, part)
        for component in components.ceiling()
        if (part := components.known(parts, component, device)) and part.get("delay_ns")
    ]
    if not known:
        return (
            f"ceiling of the fabric: not measured (aesfab components --ceiling --device {device})"
        )
    size, part = min(known, key=lambda each: abs(each[0] - (record.get("ff") or 0)))
    mhz = 1000 / part["delay_ns"]
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


def best_peer(each: Class, device: str) -> Peer | None:
    """The fastest open core of a class on a device, or the smallest where none is placed."""
    there = [peer for peer in each.peers if "lut" in peer.figures.get(device, {})]
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

    def summaries(self) -> dict[str, list[str]]:
        """Device to the design with its verdict, and what limits it."""
        return {
            result.target.device: [f"{result.design}: {result.verdict}", *said]
            for result, said in self.targets
        }

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
                    "against_open_cores": contest(self.of, result),
                    "limits": list(said),
                }
                for result, said in self.targets
            ],
        }


def standing(each: Class, measured: Study, parts: Sequence[Record] = ()) -> Standing:
    """Where a class stands, from records of designs and of components."""
    results = [reached(each, target, measured) for target in each.targets]
    return Standing(
        each,
        table(each, measured),
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
