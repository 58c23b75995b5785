# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Our measured figures as the papers compare them: one metric of one design on one device.

Everything is read from records of ``aesfab implement``; what has no record has no figure.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import math
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.design.axes import Direction, KeySbox, Lookups, Tbox
from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.folder import generate
from aesfab.measure import harness, subjects
from aesfab.records import Record


class Row:
    """What is known of a design on a device: a row of the table of figures.

    Each of its entries is taken from the records once, by whoever asks first.

    Attributes:
        design: a name of the catalogue, with ``axis=value`` words behind it where there are any.
        device: name of the device.
    """

    def __init__(self, design: str, device: str, measured: Sequence[Record], stale: bool) -> None:
        self.design, self.device = design, device
        self._measured, self._stale = measured, stale

    @functools.cached_property
    def named(self) -> Named:
        """The design; AesfabError for one that is not in the catalogue, as an engine."""
        return find(self.design)

    @functools.cached_property
    def subject(self) -> subjects.Subject:
        """The same, or an engine: for what is asked of both."""
        return subject(self.design)

    @functools.cached_property
    def record(self) -> Record | None:
        """What speaks for the design (``records.headline``); None where nothing was measured."""
        if not self._measured:
            return None
        found = [record for record in self._measured if is_current(record, self.subject)]
        if self._stale and not found:
            # Parameters follow from what the RTL says; where that differs they are all there is,
            # and a record may be older than an axis.
            axes = self.subject.design.every_axis()
            for record in self._measured:
                if of_parameters(record, axes):
                    return record
        return records.headline(reversed(found))

    @functools.cached_property
    def every(self) -> Sequence[Record]:
        """A record for each choice of recipes: the one of most seeds, of several the newest."""
        if not self._measured:
            return ()
        axes = self.subject.design.every_axis()
        found: dict[tuple[str, ...], Record] = {}
        for record in self._measured:
            # Before the hashes, which take the time of an elaboration for a point never met before.
            if not of_parameters(record, axes):
                continue
            recipes = tuple(record.get("recipe_names", []))
            fewer = recipes in found and records.seeds(record) <= records.seeds(found[recipes])
            if not fewer and (self._stale or is_current(record, self.subject)):
                found[recipes] = record
        return tuple(found.values())

    @functools.cached_property
    def by_recipe(self) -> Mapping[str, Record]:
        """Recipe to the record that speaks for the design with that recipe."""
        groups: dict[str, list[Record]] = {}
        for record in self.every:
            for recipe, result in record.get("recipes", {}).items():
                alone = record
                if len(record["recipes"]) > 1:
                    clocks = {name: result.get(name) for name in ("fmax_mhz", "throughput_mbit_s")}
                    alone = {**record, **result, **clocks, "recipe": recipe}
                groups.setdefault(recipe, []).append(alone)
        found = {recipe: records.headline(group) for recipe, group in groups.items()}
        return {recipe: each for recipe, each in found.items() if each}

    @functools.cached_property
    def figures(self) -> Mapping[str, float]:
        """Metric to its value, of those that the record has; of a core alone."""
        return {} if self.record is None else _figures(self.record, self.named.design)

    @functools.cached_property
    def figures_by_recipe(self) -> Mapping[str, Mapping[str, float]]:
        """Recipe to metric to its value."""
        return {
            recipe: _figures(record, self.named.design) for recipe, record in self.by_recipe.items()
        }


def _figures(record: Record, design: Design) -> dict[str, float]:
    values = {metric: take(record, design) for metric, take in METRICS.items()}
    return {metric: float(value) for metric, value in values.items() if value is not None}


class Study:
    """The flat table of figures: a row for each design and device, from records of designs.

    Whoever renders figures (report, papers, classes) takes them from its rows.

    Args:
        measured: records of ``aesfab implement``, oldest first.
        stale: take records of other RTL than the one at hand as well.
    """

    def __init__(self, measured: Iterable[Record], *, stale: bool = False) -> None:
        self._stale = stale
        self._measured: dict[tuple[str, str], list[Record]] = {}
        for record in measured:
            if "device" in record:
                key = record["design"], record["device"]
                self._measured.setdefault(key, []).insert(0, record)
        self._rows: dict[tuple[str, str], Row] = {}

    def devices(self) -> list[str]:
        """Devices of the table that have a record, in its order."""
        present = {device for _, device in self._measured}
        return [name for name in devices.DEVICES if name in present]

    def row(self, design: str, device: str) -> Row:
        """The row of a design on a device: empty where nothing was measured.

        ``design`` may have ``axis=value`` behind it, and may be an engine. What is neither has no
        records.
        """
        key = design, device
        if key not in self._rows:
            name = design.split()[0]
            measured = self._measured.get((name, device), []) if subjects.is_name(name) else []
            self._rows[key] = Row(design, device, measured, self._stale)
        return self._rows[key]

    def rows(self) -> Iterator[Row]:
        """The rows of named designs that hold a record, device by device."""
        for device in self.devices():
            for name in catalogue.CATALOGUE:
                row = self.row(name, device)
                if row.record is not None:
                    yield row

    def record(self, design: str, device: str) -> Record | None:
        """``Row.record`` of a design on a device."""
        return self.row(design, device).record

    def every(self, design: str, device: str) -> list[Record]:
        """``Row.every`` of a design on a device."""
        return list(self.row(design, device).every)

    def by_recipe(self, design: str, device: str) -> Mapping[str, Record]:
        """``Row.by_recipe`` of a design on a device."""
        return self.row(design, device).by_recipe

    def figures_by_recipe(self, design: str, device: str, metric: str) -> dict[str, float]:
        """Recipe to one of ``METRICS`` for a design on a device, where it was measured."""
        found = self.row(design, device).figures_by_recipe
        return {recipe: each[metric] for recipe, each in found.items() if metric in each}

    def figure(self, design: str, device: str, metric: str) -> float | None:
        """One of ``METRICS`` for a design on a device; None where it was not measured."""
        return self.row(design, device).figures.get(metric)


@functools.cache
def find(design: str) -> Named:
    """A design of the catalogue by name, with ``axis=value`` words behind it."""
    name, *overrides = design.split()
    return catalogue.find(name, overrides)


@functools.cache
def subject(design: str) -> subjects.Subject:
    """The same, or an engine."""
    name, *overrides = design.split()
    return subjects.find(name, overrides)


def rounded(value: float) -> float:
    """Four significant digits, whole numbers as they are."""
    if value == int(value):
        return value
    return round(value, max(0, 3 - math.floor(math.log10(abs(value)))))


@functools.cache
def _present(name: str, overrides: tuple[str, ...]) -> generate.AnyPresent:
    return subjects.present(subjects.find(name, overrides))


def is_current(record: Record, named: subjects.Subject) -> bool:
    """Whether a record is of a design or engine as its RTL is (``generate.is_current``).

    The hashes of a design are taken once in the life of the program.
    """
    overrides = tuple(f"{axis}={value}" for axis, value in named.overrides)
    return _present(named.name, overrides).has(record)


def of_parameters(record: Record, axes: Mapping[str, Any]) -> bool:
    """Whether a record, of any RTL, has these axes; one may be older than an axis."""
    parameters = record.get("parameters", {})
    return all(axes.get(axis, value) == value for axis, value in parameters.items())


def evidence_of(named: Named, known: Iterable[Record]) -> Record | None:
    """What speaks for a design as its RTL is, of records of ``verify`` (``records.evidence``).

    Those of the design's other points, which have its name too, do not count.
    """
    return records.evidence(record for record in known if is_current(record, named))


# ------------------------------------------------------------------------------ metrics


def _column(name: str) -> Callable[[Record, Design], float | None]:
    return lambda record, _: record.get(name)


def _mhz(record: Record, _: Design) -> float | None:
    fmax = record.get("fmax_mhz")
    return fmax["median"] if fmax else None


def _spread(record: Record, _: Design) -> float | None:
    """Range of the clock over the seeds in percent of its median."""
    share = records.spread(record)
    return None if share is None else 100 * share


def _latency_ns(record: Record, design: Design) -> float | None:
    mhz = _mhz(record, design)
    return 1000 * design.latency() / mhz if mhz else None


def _chained(record: Record, design: Design) -> float | None:
    """Throughput where each block waits for the result of the one before it, as in CBC."""
    mhz = _mhz(record, design)
    return 128 * mhz / max(design.latency(), design.interval_number()) if mhz else None


def _slices(record: Record, _: Design) -> float | None:
    if record.get("slices_estimate") is not None:
        return float(record["slices_estimate"])
    device = devices.DEVICES.get(record["device"])
    if device is None or record.get("lut") is None:
        return None
    # A record without the estimate: as if every flip-flop found a LUT to stand behind.
    return float(device.slices(max(record["lut"], record["ff"])))


def _ratio(top: str, bottom: str) -> Callable[[Record, Design], float | None]:
    def metric(record: Record, design: Design) -> float | None:
        values = METRICS[top](record, design), METRICS[bottom](record, design)
        return values[0] / values[1] if values[0] is not None and values[1] else None

    return metric


def _ram_percent(record: Record, _: Design) -> float | None:
    """Block RAMs of the core as a share of what the device has; over 100 it does not fit."""
    device = devices.DEVICES.get(record["device"])
    if device is None or device.sites is None or record.get("ram") is None:
        return None
    return 100 * float(record["ram"]) / device.sites.ram


def core_memory_bits(design: Design) -> int:
    """Memory for the S-boxes of the data path as qin2005 counts it: whole blocks of 4096 bit.

    A block with its two ports is two S-boxes of one direction, of which it fills half, or of both;
    T-boxes take the bits that they have.
    """
    bits = dataclasses.replace(design, key_sbox=KeySbox.TABLE).sbox_rom_bits
    half_full = design.tbox is Tbox.NONE and design.direction is not Direction.BOTH
    return 2 * bits if half_full else bits


def _core_kbit(_: Record, design: Design) -> float | None:
    return core_memory_bits(design) / 1024 or None


def _key_kbit(_: Record, design: Design) -> float | None:
    """Memory for the keys: of stored ones, and of their S-boxes counted like the core's."""
    without = dataclasses.replace(design, key_sbox=KeySbox.TABLE)
    tables = design.sbox_rom_bits - without.sbox_rom_bits
    return (design.key_memory_bits + 2 * tables) / 1024 or None


def _routing(record: Record, _: Design) -> float | None:
    """Share of routing in the longest path, the median over the seeds."""
    shares = routing_shares(record)
    return statistics.median(shares) if shares else None


def routing_shares(record: Record) -> list[float]:
    """Share of routing in the longest path, for each seed of the recipe that is quoted."""
    return [routing / (logic + routing) for logic, routing in paths(record)]


def paths(record: Record) -> list[tuple[float, float]]:
    """Logic and routing of the longest path in ns, for each seed of the recipe that is quoted."""
    result = record.get("recipes", {}).get(record.get("recipe"), {})
    return [
        (run["logic_ns"], run["routing_ns"])
        for run in result.get("runs", {}).values()
        if run.get("routing_ns") is not None and run["logic_ns"] + run["routing_ns"] > 0
    ]


@dataclasses.dataclass(frozen=True)
class LongestPath:
    """The longest path of the run nearest to the median, and where such paths end.

    Attributes:
        logic_ns, routing_ns: its parts.
        begin, end: instances and registers, without generate blocks and names of mapped cells; one
            outside the core is called one of the harness, and then the core limits no clock.
        ends: kind of pin to the number of seeds whose longest path ends at one.
    """

    logic_ns: float
    routing_ns: float
    begin: str
    end: str
    ends: Mapping[str, int]

    @property
    def routing_percent(self) -> float:
        """Share of routing."""
        return 100 * self.routing_ns / (self.logic_ns + self.routing_ns)

    def __str__(self) -> str:
        text = (
            f"{self.logic_ns:.2f} ns logic and {self.routing_ns:.2f} ns routing "
            f"({self.routing_percent:.0f} %)"
        )
        return f"{text} from {self.begin} to {self.end}" if self.begin else text


def longest_path(record: Record) -> LongestPath | None:
    """The longest path of a record; None where nothing was placed and routed."""
    fmax = record.get("fmax_mhz")
    runs = record.get("recipes", {}).get(record.get("recipe"), {}).get("runs", {})
    known = [run for run in runs.values() if run.get("routing_ns") is not None]
    if not fmax or not known:
        return None
    middle = min(known, key=lambda run: abs(run.get("fmax_mhz", 0.0) - fmax["median"]))
    ends = collections.Counter(_end(run["to"]) for run in known if run.get("to"))
    return LongestPath(
        middle["logic_ns"],
        middle["routing_ns"],
        _short(middle.get("from", "")),
        _short(middle.get("to", "")),
        dict(ends.most_common()),
    )


_MAPPED = re.compile(
    r"_(?:TRELLIS|SB|DFF[A-Z]*|LUT\d|CC|L6MUX21|PFUMX|DP16KD|FDRE|RAM)(?:_\w+)?\b|\.\d+\.\d+\b"
)
"""What synthesis adds to the name of a register or of a memory."""

_NEAR = re.compile(
    r"_(?:SB_)?(?:LUT\d|L6MUX21|PFUMX)_|_(?:TRELLIS_FF|SB_DFF[A-Z]*|DFF[A-Z]*)_(?!Q(?:_|$))"
)
"""What begins so says that the register itself has no name in the RTL: it is called after a net on
the other side of a LUT, or of one of its own inputs."""


def _short(end: str) -> str:
    if not end:
        return ""
    path = end.rpartition(".")[0]
    cell = _MAPPED.split(path)[0]
    names = [name for name in cell.split(".") if name != "u_core" and not name.startswith("gen_")]
    name = ".".join(names) or "a port"
    if _NEAR.match(path, len(cell)):
        name = f"a register near {name}"
    return f"{name} of the harness" if harness.is_outside(end) else name


def _end(end: str) -> str:
    """The kind of pin that a path ends at."""
    pin = end.rpartition(".")[2].upper()
    if re.fullmatch(r"LSR\d?|SR|R|S|SET|RESET|CLEAR|CLR", pin):
        return "a set or reset"
    if re.fullmatch(r"CE\w*|EN|ENA|WRE|WE\w*", pin):
        return "an enable"
    if re.fullmatch(r"AD[AB]?\d+|[RW]?ADDR_?\d*", pin):
        return "an address of a RAM"
    return "data of a register"


def _percent(record: Record, design: Design) -> float | None:
    """What a core takes of the device's logic (``Device.logic_share``), in percent.

    More than 100 where it does not fit.
    """
    device = devices.DEVICES.get(record["device"])
    slices = _slices(record, design)
    if device is None or slices is None or record.get("lut") is None:
        return None
    share = device.logic_share(record["lut"], record["ff"], slices)
    return None if share is None else 100 * share


CLOCKED = (
    "mhz",
    "mbit_s",
    "chained_mbit_s",
    "mbit_s_per_lut",
    "mbit_s_per_slice",
    "mbit_s_per_kbit",
)
"""Metrics in proportion to the clock: of a clock that is an upper bound they are bounds, too."""


METRICS: dict[str, Callable[[Record, Design], float | None]] = {
    "lut": _column("lut"),
    "ff": _column("ff"),
    "ram": _column("ram"),
    "lut_levels": _column("lut_levels"),
    "slices": _slices,
    "mhz": _mhz,
    "spread": _spread,
    "mbit_s": _column("throughput_mbit_s"),
    "chained_mbit_s": _chained,
    "latency_ns": _latency_ns,
    "core_kbit": _core_kbit,
    "key_kbit": _key_kbit,
    "routing": _routing,
    "percent": _percent,
    "ram_percent": _ram_percent,
    "lut_per_ff": _ratio("lut", "ff"),
    "mbit_s_per_lut": _ratio("mbit_s", "lut"),
    "mbit_s_per_slice": _ratio("mbit_s", "slices"),
    "mbit_s_per_kbit": _ratio("mbit_s", "core_kbit"),
}
"""Metric to the function that takes it from a record and its design.

``slices`` are an estimate: LUTs and flip-flops packed in pairs. ``core_kbit`` and what is divided
by it count the tables of the data path in blocks of 4096 bit, whatever the device has.
"""


def best_recipe(metric: str, values: Mapping[str, float]) -> str:
    """Of recipes with a figure the one that counts: for a rate the largest, else the smallest.

    So an area is the smallest, a clock the fastest and an efficiency the best. Of equal ones the
    first by name, the plain flow before all others.
    """
    sign = -1 if metric in CLOCKED else 1
    return min(values, key=lambda name: (sign * values[name], name != records.PLAIN, name))


LABELS = {
    "lut": "LUT",
    "ff": "FF",
    "ram": "RAM blocks",
    "lut_levels": "LUT levels",
    "slices": "slices (estimate)",
    "mhz": "MHz",
    "spread": "spread of MHz over seeds, %",
    "mbit_s": "Mbit/s",
    "chained_mbit_s": "Mbit/s, chained",
    "latency_ns": "latency in ns",
    "core_kbit": "core memory in Kbit",
    "key_kbit": "key memory in Kbit",
    "routing": "share of routing",
    "percent": "% of the logic",
    "ram_percent": "% of the RAM blocks",
    "lut_per_ff": "LUT/FF",
    "mbit_s_per_lut": "Mbit/s a LUT",
    "mbit_s_per_slice": "Mbit/s a slice (estimate)",
    "mbit_s_per_kbit": "Mbit/s a Kbit",
}
"""Metric to how it is called in sentences and tables."""


def fast_clock_factor(design: Design) -> int:
    """Clocks of our core in a clock of qin2005, which counts block periods."""
    return {Lookups.ONE: 1, Lookups.TWO: 2, Lookups.FOUR: 4}[design.lookups]


def figures(study: Study, design: str, device: str) -> dict[str, Any]:
    """Every metric of a design on a device that is known, with the stage and the status."""
    row = study.row(design, device)
    if row.record is None:
        return {}
    stage, status = row.record["stage"], row.record["status"]
    return {"device": device, "stage": stage, "status": status, **row.figures}


def routed(study: Study, designs: Sequence[str]) -> list[str]:
    """Devices on which every one of the designs has a clock frequency."""
    return [
        device
        for device in study.devices()
        if all(study.figure(design, device, "mhz") is not None for design in designs)
    ]
