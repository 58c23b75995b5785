# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What an exploration will do: designs x axes x devices x recipes x seeds, and how long it takes.

A request names designs and devices by patterns; its product is made here, what cannot be built is
left out with the reason, and what is recorded already is found. Nothing is run.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import fnmatch
import itertools
import json
import math
import statistics
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from aesfab import records
from aesfab.devices import DEVICES, Device
from aesfab.engine import every as engines
from aesfab.errors import AesfabError, like, unknown
from aesfab.measure import harness, implement, subjects
from aesfab.measure.subjects import Subject
from aesfab.records import Record
from aesfab.system import files, process

LARGE = 10_000
"""LUTs from which a design gets the smaller number of seeds, when two are given."""

FEW_SEEDS, MANY_SEEDS = len(implement.DEFAULT_SEEDS), 15
"""A plan with a spread takes so many seeds where those of a record, of so few at least, spread."""

MOST_SEEDS = 10_000
"""More take longer than a design is of interest."""

MOST_POINTS = 100_000
"""Designs times values of axes in a request; each is looked at before anything runs."""


@dataclasses.dataclass(frozen=True)
class Seeds:
    """Place-and-route seeds, from 1; fewer for large designs, whose runs take long.

    Attributes:
        number: how many; 0 for areas alone, then of large designs too.
        large: how many from ``LARGE`` LUTs on.
        spread: where the clock of these spreads by a larger part of its median (``is_wide``),
            ``MANY_SEEDS`` are taken; None for never.
    """

    number: int = FEW_SEEDS
    large: int = FEW_SEEDS
    spread: float | None = None

    def __post_init__(self) -> None:
        if self.number == self.large == 0:
            return
        if min(self.number, self.large) < 1 or max(self.number, self.large) > MOST_SEEDS:
            raise AesfabError(f"give 1 to {MOST_SEEDS} seeds, or 0 for areas alone")

    def of(self, lut: int | None) -> tuple[int, ...]:
        """The seeds for a core of a size; of a small one where that is not known."""
        return tuple(range(1, 1 + (self.large if (lut or 0) >= LARGE else self.number)))

    def sets(self) -> list[tuple[int, ...]]:
        """Every set of seeds that ``of`` may give."""
        return [tuple(range(1, 1 + n)) for n in dict.fromkeys((self.number, self.large))]


def is_wide(record: Record, spread: float) -> bool:
    """Whether a record has few seeds, and its clock spreads over them by more than a part of it.

    Few are ``FEW_SEEDS`` to ``MANY_SEEDS``: of fewer, runs take so long that there are no more.
    """
    share = records.spread(record)
    few = FEW_SEEDS <= records.seeds(record) < MANY_SEEDS
    return share is not None and few and share > spread


@dataclasses.dataclass(frozen=True)
class Request:
    """A product of designs, axis values, devices and recipes.

    Attributes:
        designs: patterns of names, as in a shell: ``pilchard-*``; ``!*-256`` takes some out; those
            of engines are as in ``subjects``.
        axes: axis to the values that it takes; others stay as a design has them.
        devices: patterns of names.
        recipes: names; ``a+b`` compares a and b in one record and ``all`` does so for every one.
        seeds: place-and-route seeds.
    """

    designs: tuple[str, ...]
    devices: tuple[str, ...]
    axes: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    recipes: tuple[str, ...] = ("default",)
    seeds: Seeds = Seeds()


def read_requests(path: Path) -> list[Request]:
    """The requests of a TOML file, one table ``[[explore]]`` each.

    Its keys are ``designs``, ``devices`` and ``recipes`` (lists), ``seeds`` and ``seeds_large``
    (numbers) and a table ``axes`` of lists. Above them may stand ``spread`` (``Seeds``), for all.
    AesfabError for anything else.
    """
    spread, tables = _tables(path)
    return [_request(path, table, spread) for table in tables]


def spread_of(path: Path) -> float | None:
    """The ``spread`` of a plan (``read_requests``); None for one without."""
    return _tables(path)[0]


def _tables(path: Path) -> tuple[float | None, list[Any]]:
    try:
        found = tomllib.loads(files.small_text(path, "the plan"))
    except ValueError as error:
        raise AesfabError(f"{path}: not TOML: {error}") from error
    except RecursionError as error:
        raise AesfabError(f"{path}: nested too deeply") from error
    tables = found.pop("explore", None)
    spread = found.pop("spread", None)
    if not (spread is None or (type(spread) is float and 0 < spread < 1)):
        raise AesfabError(f"{path}: 'spread' wants a part of the clock, such as 0.15")
    whole = isinstance(tables, list) and tables and all(type(t) is dict for t in tables)
    if found or not whole:
        raise AesfabError(f"{path}: wants tables [[explore]], and a spread, and nothing else")
    return spread, tables


def _request(path: Path, table: Any, spread: float | None) -> Request:
    def names(key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not value or any(type(v) is not str for v in value):
            raise AesfabError(f"{path}: '{key}' wants a list of texts")
        return tuple(value)

    table = dict(table)
    numbers = {key: table.pop(key, None) for key in ("seeds", "seeds_large")}
    for key, value in numbers.items():
        if value is not None and type(value) is not int:
            raise AesfabError(f"{path}: '{key}' wants a number")
    axes = table.pop("axes", {})
    if not isinstance(axes, dict):
        raise AesfabError(f"{path}: 'axes' wants a table of lists")
    number = numbers["seeds"]
    number = len(implement.DEFAULT_SEEDS) if number is None else number
    large = numbers["seeds_large"]
    lists = {key: names(key, table.pop(key, [])) for key in ("designs", "devices")}
    if "recipes" in table:
        lists["recipes"] = names("recipes", table.pop("recipes"))
    if table:
        raise AesfabError(f"{path}: unknown key '{next(iter(table))}'")
    return Request(
        axes={axis: names(axis, values) for axis, values in axes.items()},
        seeds=Seeds(number, number if large is None else large, spread),
        **lists,
    )


@dataclasses.dataclass(frozen=True)
class Job:
    """One record to be made: a design, or an engine, on a device.

    Attributes:
        named: the design.
        device: the device.
        recipes: recipes that the record compares.
        seeds: place-and-route seeds.
        contents: the sources, as they were when the plan was made.
        identity: what ``implement.identity`` says; ``seeds`` are those of a small design.
    """

    named: Subject
    device: Device
    recipes: tuple[str, ...]
    seeds: Seeds
    contents: tuple[tuple[str, bytes], ...]
    identity: Record

    @property
    def title(self) -> str:
        """Design, changed axes, device and recipes, for messages."""
        changed = (f"{axis}={value}" for axis, value in self.named.overrides)
        recipes = [] if self.recipes == ("default",) else ["+".join(self.recipes)]
        return " ".join([self.named.name, *changed, "on", self.device.name, *recipes])

    def frame(self) -> harness.Harness:
        """The harness of the design."""
        return harness.generate(self.named.module, self.named.design.ports())

    def identity_for(self, seeds: Sequence[int]) -> Record:
        """The identity of the record with these seeds."""
        return {**self.identity, "seeds": list(seeds) if self.placed else []}

    def wider(self, record: Record) -> Job | None:
        """The job of more seeds that its own record asks for (``Seeds.spread``); None for none."""
        if self.seeds.spread is None or not is_wide(record, self.seeds.spread):
            return None
        return dataclasses.replace(self, seeds=Seeds(MANY_SEEDS, MANY_SEEDS))

    @property
    def placed(self) -> bool:
        """Whether it is placed and routed."""
        return implement.places(self.device, self.seeds.of(None))

    def earlier_in(self, known: Collection[str]) -> bool:
        """Whether this is recorded in an earlier way, among records by ``without_flow``."""
        sets = (self.identity_for(seeds) for seeds in self.seeds.sets())
        return any(records.without_flow(identity) in known for identity in sets)

    def recorded_in(self, known: Mapping[str, Record]) -> Record | None:
        """The record of this job, by the commands that its recipes are, among records by key."""
        for seeds in self.seeds.sets():
            record = known.get(records.key(self.identity_for(seeds)))
            if record is None or not records.same_recipe(record, self.identity):
                continue
            sizes = [result.get("lut") or 0 for result in record["recipes"].values()]
            if not self.placed or self.seeds.of(max(sizes)) == seeds:
                return record
        return None


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is to be done.

    Attributes:
        jobs: records to be made.
        recorded: records that are there already.
        impossible: what of the product cannot be built, and why.
        earlier: how many of the jobs have a record of an earlier flow (``implement.FLOW``).
    """

    jobs: tuple[Job, ...]
    recorded: tuple[Record, ...]
    impossible: tuple[str, ...]
    earlier: int = 0

    @property
    def syntheses(self) -> int:
        """Runs of Yosys."""
        return sum(len(first.recipes) for first, *_ in together(self.jobs))

    def placements(self, sizes: Sizes) -> int:
        """Runs of nextpnr, for designs of these sizes."""
        return sum(
            len(job.recipes) * len(job.seeds.of(sizes.lut(job))) for job in self.jobs if job.placed
        )


def without_seeds(identity: Record) -> str:
    """What a record is of but for its seeds."""
    return records.key({**identity, "seeds": None})


def synthesis(identity: Record) -> str:
    """What is synthesised and with which tools, from the identity of a record."""
    same = ("flow", "design", "parameters", "netlist_hash", "tools")
    return json.dumps([identity[name] for name in same], sort_keys=True)


def together(jobs: Iterable[Job]) -> list[list[Job]]:
    """The jobs in their order, each with those behind it that its syntheses serve as well."""
    groups: list[list[Job]] = []
    by_content: dict[str, list[list[Job]]] = {}
    for job in jobs:
        same = by_content.setdefault(synthesis(job.identity), [])
        for group in same:
            first = group[0]
            if first.recipes == job.recipes and all(
                first.device.maps_like(job.device, recipe) for recipe in job.recipes
            ):
                group.append(job)
                break
        else:
            same.append([job])
            groups.append(same[-1])
    return groups


def make(
    requests: Iterable[Request],
    known: Iterable[Record],
    *,
    force: bool = False,
    retry: bool = False,
    devices: Sequence[str] = (),
    designs: Sequence[str] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Plan:
    """Make the plan of some requests.

    Args:
        requests: what is wanted.
        known: the records that are there.
        force: do again what is recorded.
        retry: do again what failed or reached the limit.
        devices: patterns of names; only these of the requests, where any are given.
        designs: the same of designs.
        progress: hears how many of how many designs have been looked at.

    Raises:
        AesfabError: a request names a design, axis, value, device or recipe that does not exist,
            or nothing of it can be built.
    """
    known = list(known)
    by_key = {records.key(record): record for record in known}
    many = {without_seeds(r) for r in known if records.seeds(r) >= MANY_SEEDS}
    earlier = {records.without_flow(r) for r in known if r.get("flow") != implement.FLOW}
    jobs: dict[str, Job] = {}
    done: dict[str, Record] = {}
    expanded, impossible = _expanded(requests, devices, designs)
    for number, (request, named, targets, groups) in enumerate(expanded, 1):
        progress(number, len(expanded))
        sources = subjects.sources(named)
        contents = tuple(implement.read_sources(sources))
        rtl = implement.of_rtl(named, sources)
        if process.content_key(*(text for _, text in contents)) != rtl["rtl_hash"]:
            raise AesfabError(f"the RTL of {named.name} changed while it was read")
        for device, recipes in itertools.product(targets, groups):
            chosen = tuple(device.recipes) if recipes == ("all",) else recipes
            if missing := [recipe for recipe in chosen if recipe not in device.recipes]:
                impossible.append(f"{device.name} has no recipe {missing[0]}")
                continue
            seeds = request.seeds.sets()[0]
            identity = implement.identity(named, sources, device, chosen, seeds, rtl)
            job = Job(named, device, chosen, request.seeds, contents, identity)
            record = None if force else job.recorded_in(by_key)
            wider = job.wider(record) if record and without_seeds(record) not in many else None
            if wider:
                job, record = wider, None
            if record and not (retry and record["status"] in implement.TRANSIENT):
                done[records.key(record)] = record
            else:
                sets = [records.key(job.identity_for(each)) for each in job.seeds.sets()]
                jobs["".join(sets)] = job
    if not jobs and not done:
        why = list(dict.fromkeys(impossible)) or ["the plan has none of these"]
        raise AesfabError("nothing to explore: " + "; ".join(why))
    return Plan(
        tuple(jobs.values()),
        tuple(done.values()),
        tuple(dict.fromkeys(impossible)),
        0 if force else sum(job.earlier_in(earlier) for job in jobs.values()),
    )


def check(
    requests: Iterable[Request], devices: Sequence[str] = (), designs: Sequence[str] = ()
) -> None:
    """AesfabError where requests name what does not exist; the arguments are those of ``make``."""
    _expanded(requests, devices, designs)


_Wanted = tuple[Request, Subject, list[Device], list[tuple[str, ...]]]


def _expanded(
    requests: Iterable[Request], devices: Sequence[str], designs: Sequence[str]
) -> tuple[list[_Wanted], list[str]]:
    """Each design of the requests with its devices and recipes, and what cannot be built.

    Only of these devices and designs, where any are given.
    """
    chosen = _names(designs) if designs else None
    impossible: list[str] = []
    expanded: list[_Wanted] = []
    for request in requests:
        points, reasons = _points(request)
        impossible += reasons
        targets = _matching("device", request.devices, DEVICES)
        groups = _recipes(request, targets)
        if devices:
            wanted = _matching("device", devices, DEVICES)
            targets = [target for target in targets if target in wanted]
        if chosen is not None:
            points = [named for named in points if named.name in chosen]
        expanded += [(request, named, targets, groups) for named in points if targets]
    return expanded, impossible


def _matching(
    kind: str, patterns: Sequence[str], known: Mapping[str, Any], see: str = ""
) -> list[Any]:
    """What some patterns name, in the order of ``known``; AesfabError for one without a match.

    A pattern behind ``!`` takes out what it names. For ``see`` look at ``errors.unknown``.
    """
    for pattern in patterns:
        like(kind, pattern.removeprefix("!"), known, see)
    if all(pattern.startswith("!") for pattern in patterns):
        raise AesfabError(f"name a {kind}; {see or 'known: ' + ', '.join(known)}")
    return [value for name, value in known.items() if named_by(name, patterns)]


def named_by(name: str, patterns: Sequence[str]) -> bool:
    """Whether patterns name a design or device: one of them does, and none behind ``!``."""
    within = [p.startswith("!") for p in patterns if fnmatch.fnmatchcase(name, p.removeprefix("!"))]
    return bool(within) and not any(within)


def _names(patterns: Sequence[str]) -> list[str]:
    """The names of designs and engines that patterns are of (``subjects``), as ``_matching``."""
    known = {name: name for name in subjects.names()}
    found = _matching("design", patterns, known, subjects.LISTED)
    of_engines = [p for p in patterns if p.startswith("!") or subjects.is_engines(p)]
    return [
        name
        for name in found
        if named_by(name, of_engines if engines.is_engine(name) else patterns)
    ]


def _points(request: Request) -> tuple[list[Subject], list[str]]:
    """The designs of a request, and why others of the product cannot be built."""
    designs = _names(request.designs)
    for axis, values in request.axes.items():
        for value in values:
            for name in designs:
                subjects.require_axis(name, axis, value)
    points: list[Subject] = []
    reasons = []
    axes = {axis: list(dict.fromkeys(values)) for axis, values in request.axes.items()}
    if (number := len(designs) * math.prod(map(len, axes.values()))) > MOST_POINTS:
        raise AesfabError(
            f"{number} designs and values of axes are too many; give {MOST_POINTS} at most at a "
            "time"
        )
    for name in designs:
        for values in itertools.product(*axes.values()):
            words = [f"{a}={v}" for a, v in zip(axes, values, strict=True)]
            try:
                points.append(subjects.find(name, words))
            except AesfabError as error:
                reasons.append(f"{' '.join([name, *words])}: {error}")
    return points, reasons


def _recipes(request: Request, targets: Sequence[Device]) -> list[tuple[str, ...]]:
    """The recipes of a request, those compared in one record together; each known somewhere."""
    groups = [tuple(word.split("+")) for word in request.recipes]
    known = dict.fromkeys(recipe for device in targets for recipe in device.recipes)
    for recipe in itertools.chain(*groups):
        if recipe not in known and recipe != "all":
            raise unknown("recipe", recipe, known)
    return groups


# ------------------------------------------------------------------------------- time


class Order(enum.StrEnum):
    """Which records come first: of long runs, of short ones, or as the plan has them."""

    LONGEST = "longest"
    SHORTEST = "shortest"
    PLAN = "plan"


class Sizes:
    """How large designs are, as far as records tell.

    Of the same parameters where there is such a record, else of the same name: a new axis changes
    the parameters of every design, and the size of none.
    """

    def __init__(self, known: Iterable[Record]) -> None:
        self._exact: dict[tuple[str, str, str], Record] = {}
        # The largest on any device: with flip-flops, and LUTs alone.
        self._any: dict[tuple[str, str], tuple[int, int]] = {}
        self._largest: dict[str, dict[str, int]] = {}
        for record in known:
            if record.get("lut") is None or "device" not in record:
                continue
            if record.get("fmax_mhz"):
                largest = self._largest.setdefault(record["device"], dict.fromkeys(_FITTING, 0))
                for kind in _FITTING:
                    largest[kind] = max(largest[kind], record[kind])
            name, parameters = record["design"], record.get("parameters")
            for point in ((name, ""), (name, json.dumps(parameters, sort_keys=True))):
                self._exact[(*point, record["device"])] = record
                self._any[point] = max(
                    self._any.get(point, (0, 0)), (_cells(record), record["lut"])
                )
        middle = [cells for (_, parameters), (cells, _) in self._any.items() if not parameters]
        self._middle = int(statistics.median(middle)) if middle else 5000

    @staticmethod
    def _points(job: Job) -> list[tuple[str, str]]:
        name = job.named.name
        same = (name, json.dumps(job.named.design.every_axis(), sort_keys=True))
        return [same] if job.named.overrides else [same, (name, "")]

    def _record(self, job: Job) -> Record | None:
        found = (self._exact.get((*point, job.device.name)) for point in self._points(job))
        return next(filter(None, found), None)

    def known(self, job: Job) -> bool:
        """Whether a record tells the size of this design, on any device."""
        return any(point in self._any for point in self._points(job))

    def lut(self, job: Job) -> int | None:
        """LUTs on this device or on another where it must be; None where no record tells."""
        if record := self._record(job):
            return int(record["lut"])
        other = self._other(job)
        return other[1] if other else None

    def fits(self, device: str, area: Record) -> bool:
        """Whether as many LUTs, flip-flops and RAMs were placed on a device before."""
        largest = self._largest.get(device)
        return largest is not None and all((area[kind] or 0) <= largest[kind] for kind in _FITTING)

    def cells(self, job: Job) -> int:
        """LUTs and flip-flops, of another device or of the middle design where it must be."""
        if record := self._record(job):
            return _cells(record)
        other = self._other(job)
        return other[0] if other else self._middle

    def _other(self, job: Job) -> tuple[int, int] | None:
        """Cells and LUTs of this design on the device where it is the largest."""
        found = (self._any.get(point) for point in self._points(job))
        return next(filter(None, found), None)


_FITTING = ("lut", "ff", "ram")
"""What there may be too much of for a device."""


def _cells(record: Record) -> int:
    return int(record["lut"] + (record.get("ff") or 0))


class Times:
    """How long runs take on this machine: learnt from those that ended, kept in the user's cache.

    A run takes ``BASE`` seconds and a factor times cells^``POWER``; the factor is the median of
    what was seen of the same tool. Records hold no times, for they would differ each time. Without
    a cache nothing is learnt.
    """

    BASE = 2.0
    POWER = 1.2
    FACTORS: ClassVar = {"yosys": 7e-4, "nextpnr": 1.3e-3}
    """Where nothing has been seen: about right for a laptop of 2024."""
    LEAST, MOST = 1e-9, 1e3
    """What a factor may be; others were not written by us."""

    def __init__(self, path: Path | None = None) -> None:
        if path is None:
            with contextlib.suppress(AesfabError):
                path = process.cache_dir("explore") / "times.jsonl"
        self._path = path
        self._factors: dict[str, list[float]] = {}
        try:
            lines = path.read_text(errors="replace").splitlines() if path else []
        except OSError:
            lines = []
        for line in lines:
            # A line that was cut off by a crash is worth nothing, and costs nothing.
            try:
                tool, factor = json.loads(line)
                factor = float(factor)
            except (ValueError, TypeError, OverflowError, RecursionError):
                continue
            if self.LEAST <= factor <= self.MOST:
                self._factors.setdefault(str(tool), []).append(factor)

    def add(self, tool: str, cells: int, seconds: float) -> None:
        """A run ended."""
        factor = max(seconds - self.BASE, 0.1) / max(cells, 1) ** self.POWER
        factor = min(max(factor, self.LEAST), self.MOST)
        self._factors.setdefault(tool, []).append(factor)
        if self._path is None:
            return
        try:
            with self._path.open("a") as file:
                file.write(json.dumps([tool, float(f"{factor:.3g}")]) + "\n")
        except OSError:
            return  # It is only for estimates.

    def seconds(self, tool: str, cells: int) -> float:
        """How long a run of a tool takes; ``tool`` is ``yosys`` or ``nextpnr-...``."""
        seen = self._factors.get(tool, [])[-50:]
        factor = statistics.median(seen) if seen else self.FACTORS[tool.partition("-")[0]]
        return float(self.BASE + factor * max(cells, 1) ** self.POWER)

    def shortest(self, job: Job, sizes: Sizes) -> float:
        """How long a job takes where all its runs that can go together do."""
        cells = sizes.cells(job)
        seconds = self.seconds("yosys", cells)
        if job.placed:
            seconds += self.seconds(f"nextpnr-{job.device.nextpnr}", cells)
        return seconds

    def job(self, job: Job, sizes: Sizes) -> float:
        """How long all runs of a job take, one after the other."""
        cells = sizes.cells(job)
        seconds = self.seconds("yosys", cells)
        if job.placed:
            each = self.seconds(f"nextpnr-{job.device.nextpnr}", cells)
            seconds += len(job.seeds.of(sizes.lut(job))) * each
        return len(job.recipes) * seconds
