# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What each paper concludes, and whether our figures say the same.

A conclusion names the designs that it compares and holds a function that judges a device from
their figures. It is judged on every device on which all of them have what it needs, so the verdict
changes when the records do; where they are missing it says so.
"""

from __future__ import annotations

import collections
import dataclasses
import math
import random
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from aesfab import devices, records
from aesfab.records import PLAIN, Record
from aesfab.study import published
from aesfab.study.link import experiments
from aesfab.study.link import model as link_model
from aesfab.study.study import (
    CLOCKED,
    LABELS,
    METRICS,
    LongestPath,
    Study,
    best_recipe,
    find,
    longest_path,
    rounded,
    routing_shares,
)

VERDICTS = HOLDS, IN_PART, FAILS, OPEN, REACHED, MISSED, UNTESTABLE, UNKNOWN = (
    "holds",
    "holds in part",
    "does not hold",
    "open",
    "reached today",
    "not reached today",
    "cannot be tested here",
    "not enough records",
)

SPREAD = "largest spread of the seeds, %"
"""Name of a number beside those that a judge gives: a smaller difference says little."""

_PLACED = (*CLOCKED, "routing", "latency_ns")
"""Metrics that only place and route gives: all that follows from the longest path."""

_USUAL = "ecp5-85k"
"""The device on which records are asked for where any would do."""

_DRAWS = 2000
"""How often runs are drawn anew to see whether an answer depends on the seeds."""

_DOUBT = 0.05
"""The share of draws with the other answer from which on an answer is open."""

_EQUAL = 0.03
"""As far apart, figures count as equal where no more than ``_DOUBT`` of the draws part them."""

Figures = Callable[[str, str], float]
"""Design and metric to the figure, on the device that is judged."""

Numbers = dict[str, float]
"""Names of figures and quotients to what they are."""

Judge = Callable[[Figures], tuple[bool, Numbers]]
"""From the figures of a device to whether the conclusion holds, and the numbers behind that."""


@dataclasses.dataclass(frozen=True)
class Conclusion:
    """A conclusion of a paper.

    Attributes:
        name: as the user types it.
        paper: id of the paper.
        where: section.
        claim: what the paper says.
        needs: metric to the designs whose figure is needed; a design may have axes behind it.
        judge: the test.
        today: why the answer differs where it does.
        devices: only these, or every device with the figures when empty.
        component_needs: LUTs of components, by label, that ``judge`` gets as metric ``part``.
        model: what it is judged on instead of devices: the model of the host link, whose ways to
            move a message ``needs`` names (``experiments.rate``), or a count that needs none.
        absolute: whether it is a figure of a device of its time; a device of today that reaches it
            says nothing of the conclusion itself.
        untestable: why no open flow can test it; then there is no verdict but that.
        one_circuit: whether all figures of a design must be of one circuit, so of one recipe.
        difference: whether it claims that a figure is larger than another one, by whatever; it does
            not hold where many seeds show them equal.
    """

    name: str
    paper: str
    where: str
    claim: str
    needs: Mapping[str, tuple[str, ...]]
    judge: Judge
    today: str
    devices: tuple[str, ...] = ()
    component_needs: tuple[str, ...] = ()
    model: str = ""
    absolute: bool = False
    untestable: str = ""
    one_circuit: bool = False
    difference: bool = False


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What our records say of a conclusion.

    Attributes:
        conclusion: the conclusion.
        verdict: ``holds``, ``holds in part`` (on some devices), ``does not hold``, ``open`` (on
            every device within the spread of the seeds) or ``not enough records``. Where the
            seeds leave a device open, it does not count beside others; where they say that the
            figures are equal, the difference that is claimed is not there. An absolute figure is
            ``reached today``, on one device at least, or ``not reached today``; what an open flow
            cannot test ``cannot be tested here``.
        by_device: device, or model, to (whether it holds, the numbers that it rests on). Of
            devices that map alike (``devices.maps_alike``) there is one: they are one witness.
        alike: those of them to the others with the same figures.
        left_out: devices with all figures of which one does not mean what the conclusion needs, and
            why it does not (``Device.ram_clock``, ``Device.ram_count``).
        close: the devices on which other seeds could well have given the other answer.
        equal: those on which they could, for the figures that are compared are equal (``_EQUAL``).
        missing: ``design on device: metrics`` that would give a verdict, on the device that lacks
            least; empty when there is one.
        longest: for devices on which the answer is not the paper's, the longest paths of designs
            whose clocks are compared.
        recipes: device to the recipe behind each figure: one where all have the same, else
            ``figure: recipe`` each. It is the best one (``study.best_recipe``) of those that all
            members of the comparison have.
        unequal: device to recipes that some members have a figure of and others lack, as
            ``recipe: who lacks it``; none of them counts for that figure.
    """

    conclusion: Conclusion
    verdict: str
    by_device: Mapping[str, tuple[bool, Mapping[str, float]]]
    close: frozenset[str]
    missing: tuple[str, ...]
    longest: Mapping[str, Mapping[str, LongestPath]] = dataclasses.field(default_factory=dict)
    recipes: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    unequal: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    left_out: Mapping[str, str] = dataclasses.field(default_factory=dict)
    alike: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    equal: frozenset[str] = frozenset()

    def answer(self, device: str) -> str:
        """``yes`` or ``no`` on a device, and whether the seeds leave it open."""
        word = "yes" if self.by_device[device][0] else "no"
        if device in self.equal:
            return f"{word}: equal within {100 * _EQUAL:.0f} %"
        return f"{word}, but within the spread of the seeds" if device in self.close else word

    @property
    def why(self) -> str:
        """The sentence for answers of which one differs from the paper's, else nothing."""
        if self.conclusion.untestable:
            return self.conclusion.untestable
        differs = any(not holds for holds, _ in self.by_device.values())
        return self.conclusion.today if differs else ""

    def to_json(self) -> dict[str, Any]:
        """The verdict as plain values."""
        return {
            "name": self.conclusion.name,
            "paper": self.conclusion.paper,
            "where": self.conclusion.where,
            "claim": self.conclusion.claim,
            "verdict": self.verdict,
            "by_device": {
                device: {
                    "holds": holds,
                    "numbers": dict(numbers),
                    "within_spread": device in self.close,
                    "equal": device in self.equal,
                    "recipes": list(self.recipes.get(device, ())),
                    "recipes_not_of_all": list(self.unequal.get(device, ())),
                }
                for device, (holds, numbers) in self.by_device.items()
            },
            "alike": {device: list(others) for device, others in self.alike.items()},
            "left_out": dict(self.left_out),
            "missing": list(self.missing),
            "longest_paths": {
                device: {design: str(path) for design, path in paths.items()}
                for device, paths in self.longest.items()
            },
            "why": self.why,
        }


def counts(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """How many there are of each verdict that there is, in the order of ``VERDICTS``."""
    found = collections.Counter(verdict.verdict for verdict in verdicts)
    return {word: found[word] for word in VERDICTS if found[word]}


Parts = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Device to component label to recipe to LUTs, for conclusions about components."""


def judge(conclusion: Conclusion, study: Study, parts: Parts | None = None) -> Verdict:
    """The verdict on a conclusion from records of designs and of components."""
    if conclusion.untestable:
        return Verdict(conclusion, UNTESTABLE, {}, frozenset(), ())
    if conclusion.model:
        rates = {(way, metric): experiments.rate(way) for way, metric in _wanted(conclusion)}
        holds, numbers = conclusion.judge(_reader(rates))
        said = {name: rounded(value) for name, value in numbers.items()}
        by_model = {conclusion.model: (holds, said)}
        return Verdict(conclusion, HOLDS if holds else FAILS, by_model, frozenset(), ())
    parts = parts or {}
    wanted = _wanted(conclusion)
    by_device: dict[str, tuple[bool, Mapping[str, float]]] = {}
    close, equal = set(), set()
    left_out = {}
    compared: dict[str, _Chosen] = {}
    alike: dict[str, tuple[str, ...]] = {}
    present = set(study.devices()) | set(parts)
    for device in (name for name in devices.DEVICES if name in present):
        if conclusion.devices and device not in conclusion.devices:
            continue
        chosen = _choose(conclusion, study, parts, device)
        if chosen is None:
            continue
        if reason := _unusable(conclusion, chosen.records, device):
            left_out[device] = reason
            continue
        if twin := _twin(device, by_device):
            alike[twin] = (*alike.get(twin, ()), device)
            continue

        figures = chosen.figures
        holds, numbers = conclusion.judge(_reader(figures))
        outcomes = _redrawn(conclusion, chosen, device)
        if sum(other is not holds for other, _ in outcomes) > _DOUBT * len(outcomes):
            if conclusion.difference and _are_equal(outcomes):
                holds = False
                equal.add(device)
            else:
                close.add(device)
        spreads = [
            METRICS["spread"](chosen.records[d, metric], find(d).design)
            for d, metric in wanted
            if metric in CLOCKED
        ]
        compared[device] = chosen
        numbers |= {SPREAD: max(filter(None, spreads))} if any(spreads) else {}
        by_device[device] = holds, {name: rounded(value) for name, value in numbers.items()}
    answers = {holds for device, (holds, _) in by_device.items() if device not in close}
    if not by_device:
        verdict = UNKNOWN
    elif not answers:
        verdict = OPEN
    elif conclusion.absolute:
        verdict = REACHED if True in answers else MISSED
    else:
        verdict = IN_PART if len(answers) == 2 else HOLDS if answers == {True} else FAILS
    missing = () if by_device else _missing(conclusion, study, parts)
    timed = {design: metric for design, metric in reversed(wanted) if metric in _PLACED}
    longest = {
        device: {
            design: path
            for design, metric in reversed(timed.items())
            if (path := longest_path(compared[device].records[design, metric])) is not None
        }
        for device, (holds, _) in by_device.items()
        if not holds
    }
    return Verdict(
        conclusion,
        verdict,
        by_device,
        frozenset(close),
        missing,
        longest,
        {device: chosen.said() for device, chosen in compared.items()},
        {device: chosen.unequal for device, chosen in compared.items() if chosen.unequal},
        left_out,
        alike,
        frozenset(equal),
    )


@dataclasses.dataclass(frozen=True)
class _Chosen:
    """The figures of a comparison on a device, each with its recipe and, of a core, its record.

    ``unequal`` names the recipes that do not count because not every member has them.
    """

    figures: Mapping[tuple[str, str], float]
    recipes: Mapping[tuple[str, str], str]
    records: Mapping[tuple[str, str], Record]
    unequal: tuple[str, ...]

    def said(self) -> tuple[str, ...]:
        names = set(self.recipes.values())
        if len(names) == 1:
            return tuple(names)
        return tuple(
            f"{key[0]}, {LABELS.get(key[1], 'LUT')}: {name}" for key, name in self.recipes.items()
        )


def _choose(conclusion: Conclusion, study: Study, parts: Parts, device: str) -> _Chosen | None:
    """The figures that a conclusion needs, each of recipes that all members have it of.

    An area may so be of another recipe than a clock, unless both must be of one circuit: then each
    design stands by the recipe of its last figure. None where one has no figure, or where no recipe
    is of all.
    """
    values = {
        (design, metric): study.figures_by_recipe(design, device, metric)
        for design, metric in _wanted(conclusion)
    }
    known = parts.get(device, {})
    values |= {(label, "part"): dict(known.get(label, {})) for label in conclusion.component_needs}
    metrics = list(dict.fromkeys(metric for _, metric in values))
    groups = [metrics] if conclusion.one_circuit else [[metric] for metric in metrics]
    recipes: dict[tuple[str, str], str] = {}
    for group in groups:
        here = {key: each for key, each in values.items() if key[1] in group}
        of_all = set.intersection(*map(set, here.values()))
        if not of_all:
            return None
        last = group[-1]
        for design, metric in here:
            figures = {name: values[design, last][name] for name in of_all}
            recipes[design, metric] = best_recipe(last, figures)
    return _Chosen(
        {key: each[recipes[key]] for key, each in values.items()},
        recipes,
        {
            key: study.by_recipe(key[0], device)[recipe]
            for key, recipe in recipes.items()
            if key[1] != "part"
        },
        _unequal(values, metrics),
    )


def _unequal(
    values: Mapping[tuple[str, str], Mapping[str, float]], metrics: Sequence[str]
) -> tuple[str, ...]:
    """The recipes by which some members have a figure and others do not, and who has not."""
    lack: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for metric in metrics:
        here = {design: each for (design, of), each in values.items() if of == metric}
        for recipe in set.union(*map(set, here.values())):
            if who := tuple(design for design, each in here.items() if recipe not in each):
                lack.setdefault((recipe, who), []).append(LABELS.get(metric, "LUT"))
    return tuple(
        f"{recipe}: no {'record' if len(of) == len(metrics) else ' and '.join(of)} of "
        f"{', '.join(who)}"
        for (recipe, who), of in sorted(lack.items())
    )


def _twin(device: str, judged: Iterable[str]) -> str:
    """The device among those judged that maps every design as this one does; empty for none."""
    here = devices.DEVICES[device]
    return next((d for d in judged if devices.maps_alike(devices.DEVICES[d], here)), "")


def _wanted(conclusion: Conclusion) -> list[tuple[str, str]]:
    """Every figure of a design that a conclusion needs: design and metric."""
    return [(d, metric) for metric, designs in conclusion.needs.items() for d in designs]


def _unusable(conclusion: Conclusion, known: Mapping[tuple[str, str], Record], device: str) -> str:
    """Why figures of a device do not count in a conclusion; empty where they do."""
    for design, metric in _wanted(conclusion):
        if metric == "ram" and (reason := devices.DEVICES[device].ram_count):
            return reason
        if metric in _PLACED and (reason := records.clock_bound(known.get((design, metric), {}))):
            return reason
    return ""


def _missing(conclusion: Conclusion, study: Study, parts: Parts) -> tuple[str, ...]:
    """What to record for a verdict, on the device that lacks least."""
    wanted = _wanted(conclusion)
    here = {
        name: {(d, metric): study.record(d, name) or {} for d, metric in wanted}
        for name in devices.DEVICES
    }
    placed = any(metric in _PLACED for _, metric in wanted)
    allowed = [
        name
        for name, device in devices.DEVICES.items()
        if name in (conclusion.devices or devices.DEVICES)
        and (device.place_and_route or not placed)
        and not _unusable(conclusion, here[name], name)
    ]

    def lacks(device: str) -> list[tuple[str, str]]:
        known = parts.get(device, {})
        by_recipe = {key: study.figures_by_recipe(key[0], device, key[1]) for key in wanted}
        by_recipe |= {(n, "part"): dict(known.get(n, {})) for n in conclusion.component_needs}
        # All have figures but no recipe is of all: then what lacks is those of the plain flow.
        plain = all(by_recipe.values())
        return [key for key, each in by_recipe.items() if not each or (plain and PLAIN not in each)]

    device = min(allowed, key=lambda name: (len(lacks(name)), name != _USUAL))
    by_design: dict[str, list[str]] = {}
    for design, metric in lacks(device):
        by_design.setdefault(design, []).append(LABELS.get(metric, "LUT"))
    said = []
    for design, headings in by_design.items():
        record = None if design in conclusion.component_needs else study.record(design, device)
        source = " (aesfab components)" if design in conclusion.component_needs else ""
        status = f" (recorded: {record['status']})" if record else source
        if record and record["status"] == "ok":
            status = f" by recipe {PLAIN} (recorded: {record['recipe']})"
        said.append(f"{design} on {device}: {', '.join(headings)}{status}")
    return tuple(said)


def _reader(figures: Mapping[tuple[str, str], float]) -> Figures:
    return lambda design, metric: figures[design, metric]


def _redrawn(conclusion: Conclusion, chosen: _Chosen, device: str) -> list[tuple[bool, Numbers]]:
    """What other seeds could well have given: answers and numbers; none where nothing has seeds.

    The bootstrap: runs are drawn from those of each design, as many as it has and with repetition,
    and the conclusion is judged on the medians of what was drawn; the answer stands where all but
    one in twenty draws give it. So it takes no more than the runs at hand to say how far medians go
    together, and more of them decide more. What is in proportion to a clock goes with the clock; a
    share of routing goes by its own.
    """
    figures = chosen.figures
    runs: dict[tuple[str, str, str], list[float]] = {}

    def source(design: str, metric: str) -> tuple[str, str, str]:
        kind = "clock" if metric in CLOCKED else metric
        return design, chosen.recipes[design, metric], kind

    for design, metric in figures:
        *_, kind = key = source(design, metric)
        record = chosen.records.get((design, metric), {})
        if kind == "clock" and (fmax := record.get("fmax_mhz")):
            clocks = fmax.get("seeds") or {end: fmax[end] for end in ("min", "median", "max")}
            runs[key] = [clock / fmax["median"] for clock in clocks.values()]
        elif kind == "routing" and (median := figures[design, metric]):
            runs[key] = [share / median for share in routing_shares(record)]
    if not runs:
        return []
    moving = [(key, value, source(*key)) for key, value in figures.items()]
    # The same draws each time, so that the same records always give the same verdict.
    draw = random.Random(f"{conclusion.name} on {device}")
    outcomes = []
    for _ in range(_DRAWS):
        factors = {
            run: statistics.median(draw.choices(values, k=len(values)))
            for run, values in runs.items()
        }
        moved = {key: value * factors.get(run, 1) for key, value, run in moving}
        outcomes.append(conclusion.judge(_reader(moved)))
    return outcomes


def _are_equal(outcomes: Sequence[tuple[bool, Numbers]]) -> bool:
    """Whether the figures that a conclusion divides are so near that no seeds tell them apart."""
    names = [name for name in outcomes[0][1] if name.startswith("ratio")]
    moving = [name for name in names if len({numbers[name] for _, numbers in outcomes}) > 1]
    near = sum(
        all(1 / (1 + _EQUAL) <= numbers[name] <= 1 + _EQUAL for name in moving)
        for _, numbers in outcomes
    )
    return bool(moving) and near >= (1 - _DOUBT) * len(outcomes)


def label(design: str, metric: str) -> str:
    """A figure in words: the design and the heading of the metric."""
    return f"{design}: {LABELS[metric]}"


# ---------------------------------------------------------------------------- the claims


def _all(metric: str, *designs: str) -> dict[str, tuple[str, ...]]:
    return {metric: designs}


def _descending(metric: str, *designs: str) -> Judge:
    """The figures fall from the first design to the last."""

    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        values = [figures(design, metric) for design in designs]
        numbers = {label(design, metric): v for design, v in zip(designs, values, strict=True)}
        return values == sorted(values, reverse=True) and len({*values}) == len(values), numbers

    return test


def _best(metric: str, best: tuple[str, ...], *others: str) -> Judge:
    """The largest figure is that of one of ``best``."""

    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        values = {design: figures(design, metric) for design in (*best, *others)}
        return max(values, key=lambda d: values[d]) in best, {
            label(design, metric): value for design, value in values.items()
        }

    return test


def _quotient(metric: str, top: str, bottom: str, low: float, high: float = math.inf) -> Judge:
    """The figure of one design over that of another lies between two bounds."""

    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        above, below = figures(top, metric), figures(bottom, metric)
        numbers = {label(top, metric): above, label(bottom, metric): below}
        if not below:
            # Nothing of a kind, such as block RAM, on a device: nothing is saved either.
            return False, numbers
        return low <= above / below <= high, numbers | {"ratio": above / below}

    return test


def _both(*tests: Judge) -> Judge:
    """Every one of the tests."""

    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        numbers: dict[str, float] = {}
        holds = True
        for number, one in enumerate(tests, 1):
            said, values = one(figures)
            holds &= said
            numbers |= {(f"ratio {number}" if k == "ratio" else k): v for k, v in values.items()}
        return holds, numbers

    return test


def _within(metric: str, low: float, high: float, *designs: str) -> Judge:
    """The figure of every design lies between two bounds."""
    return _both(*(_limit(metric, design, low, high) for design in designs))


def _limit(metric: str, design: str, low: float, high: float = math.inf) -> Judge:
    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        value = figures(design, metric)
        return low <= value <= high, {label(design, metric): value}

    return test


def _fastest_at_least(mbit_s: float, *designs: str) -> Judge:
    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        values = {label(design, "mbit_s"): figures(design, "mbit_s") for design in designs}
        return max(values.values()) >= mbit_s, values

    return test


def _smallest_at_most(slices: float, rams: float, *designs: str) -> Judge:
    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        values = {label(d, "slices"): figures(d, "slices") for d in designs}
        blocks = {label(d, "ram"): figures(d, "ram") for d in designs}
        fits = any(figures(d, "slices") <= slices and figures(d, "ram") <= rams for d in designs)
        return fits, values | blocks

    return test


def _no_more_registers(*designs: str) -> Judge:
    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        ratios = {label(d, "lut_per_ff"): figures(d, "lut_per_ff") for d in designs}
        return min(ratios.values()) >= 1, ratios

    return test


def _proportional(metric: str, tolerance: float, sizes: Mapping[str, int]) -> Judge:
    """The figure for each unit of size is the same, but for a tolerance."""

    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        each = {f"{label(d, metric)} a round": figures(d, metric) / n for d, n in sizes.items()}
        return max(each.values()) <= (1 + tolerance) * min(each.values()), each

    return test


def _each_pair(metric: str, pairs: list[tuple[str, str]], *, smaller: bool = False) -> Judge:
    """The first of every pair has the larger figure (or the smaller)."""

    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        numbers: dict[str, float] = {}
        holds = True
        for first, second in pairs:
            a, b = figures(first, metric), figures(second, metric)
            numbers |= {label(first, metric): a, label(second, metric): b}
            holds &= a < b if smaller else a > b
        return holds, numbers

    return test


def _first_of(first: str, *others: str) -> Judge:
    """One design is faster and has fewer LUTs than each of the others."""
    pairs = [(first, other) for other in others]
    return _both(_each_pair("mbit_s", pairs), _each_pair("lut", pairs, smaller=True))


def _nearest_one_is_best(ratio: str, metric: str, *designs: str) -> Judge:
    """The design whose ratio is the nearest to one has the largest figure."""

    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        ratios = {design: figures(design, ratio) for design in designs}
        values = {design: figures(design, metric) for design in designs}
        nearest = min(designs, key=lambda d: abs(math.log(max(ratios[d], 1e-9))))
        numbers = {label(design, ratio): value for design, value in ratios.items()}
        numbers |= {label(design, metric): value for design, value in values.items()}
        return values[nearest] == max(values.values()), numbers

    return test


def _limited_by_link(link: str, core: str) -> Judge:
    """The link limits a system, by the rule of the link model."""

    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        rates = {label(name, "mbit_s"): figures(name, "mbit_s") for name in (link, core)}
        return link_model.limit(*rates.values()) == link_model.LINK, rates

    return test


def _sum_quotient(metric: str, one: str, parts: tuple[str, ...], low: float, high: float) -> Judge:
    """The figure of one design over the sum of those of others lies between two bounds."""

    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        values = {label(design, metric): figures(design, metric) for design in (one, *parts)}
        share = figures(one, metric) / sum(figures(design, metric) for design in parts)
        return low <= share <= high, values | {"ratio": share}

    return test


def _rams_of_pilchard(_: Figures) -> tuple[bool, dict[str, float]]:
    """The RAM blocks that the paper counts: two S-boxes in each, and those of the buffers."""
    blocks = {
        f"{name}: {LABELS['ram']}": find(name).design.sbox_count / 2 + _PI_BUFFERS
        for name in (_PI[5], _PI[10])
    }
    small, large = blocks.values()
    return small <= _XCV1000E_RAMS < large, blocks


def _part_quotient(top: str, bottom: str, low: float, high: float) -> Judge:
    def test(figures: Figures) -> tuple[bool, dict[str, float]]:
        above, below = figures(top, "part"), figures(bottom, "part")
        return low <= above / below <= high, {
            label(top, "lut"): above,
            label(bottom, "lut"): below,
            "ratio": above / below,
        }

    return test


def _direction_change(_: Figures) -> tuple[bool, dict[str, float]]:
    clocks = {
        f"{name}, clocks": float(find(name).design.direction_change)
        for name in ("fischer-fast-sbox-both", "fischer-fast-tbox-both")
    }
    sbox, tbox = clocks.values()
    return sbox == 0 < tbox, clocks


_LINK = f"link model of {experiments.PAPER}"


def _way(store: str, memory: str, blocks: int) -> str:
    """A way to move a message, in place of a design (``experiments.rate``)."""
    return f"{store} {memory} {blocks} blocks"


_WC = "write_combining"
_UC = "uncacheable"
_LARGE = 15 * experiments.KB
_SIZES = (3 * experiments.KB // 2, _LARGE)
_WC_PAIRS = [(_way(store, _WC, n), _way(store, _UC, n)) for store in ("mmx", "sse") for n in _SIZES]
_SSE_PAIRS = [(_way("sse", memory, _LARGE), _way("mmx", memory, _LARGE)) for memory in (_WC, _UC)]
_FAST_WAY, _SLOW_WAY = _way("sse", _WC, _LARGE), _way("mmx", _UC, _LARGE)
_FAST_LINK = _FAST_WAY + experiments.ALONE
_GROWING = tuple(_way("sse", _WC, n) for n in (1, 2, 400))
_LONG_WAY = _way("sse", _WC, 10_000)
_ST_SEQ = "standaert-sequential-52"
_ST_PIPE = "standaert-pipeline-42"
_ST_RAM_PIPE = tuple(f"standaert-ram-pipeline-{n}" for n in (21, 32, 42))
_ST_RAM_SEQ = tuple(f"standaert-ram-sequential-{n}" for n in (21, 31, 42, 52))
_ST_COMPACT = "standaert-ram-compact-21"
# To the letter of Fig. 9, whose state register is the output.
_ST_FIG_9 = f"{_ST_COMPACT} output_register=no"
_ST_LOOPS = (*_ST_RAM_SEQ, _ST_COMPACT)
_ST_SHORT_LOOPS = (*_ST_RAM_SEQ[:2], _ST_COMPACT)
_ITERATIVE = "kakarlapudi-sbox-enc-128"
_PI = {n: f"pilchard-unrolled-{n}" for n in (1, 2, 5, 10)}
_KA_WAYS = ("enc", "dec", "both")
_KA_S = [f"kakarlapudi-sbox-{way}-128" for way in _KA_WAYS]
_KA_T = [f"kakarlapudi-tbox-{way}-128" for way in _KA_WAYS]
_KA_PAIRS = list(zip(_KA_S, _KA_T, strict=True))
_KA_RAM = (
    "kakarlapudi-tbox-enc-128 sbox=rom",
    "kakarlapudi-sbox-enc-128 sbox=rom",
    "kakarlapudi-sbox-enc-128",
)
# Round keys from outside, as in the paper: our key expander would be what limits most of these.
_FI_S = [f"fischer-fast-sbox-{way} key_sbox=none" for way in _KA_WAYS]
_FI_T = [f"fischer-fast-tbox-{way} key_sbox=none" for way in _KA_WAYS]
_FI_HALF = "fischer-economic-sbox-enc key_sbox=none"
_FI_ECONOMIC_T = [f"fischer-economic-tbox-{way} key_sbox=none" for way in _KA_WAYS]
_KA_S_32 = [f"{name}-io32" for name in _KA_S]
_KA_T_32 = [f"{name}-io32" for name in _KA_T]
_VIRTEX_SLICES = 12288
_XCV1000E_RAMS = 96
# Two buffers of 512 blocks, each of 16 RAM blocks of 512 x 8 bit.
_PI_BUFFERS = 32
_QI = ("qin-4sm", "qin-8sm", "qin-unrolling")
_QI_SMALL = ("qin-4sm-m4k-keys", "qin-8sm-m4k-keys", "qin-unrolling key_sbox=rom")
# As the unrolled ones are: a block RAM cannot be read within a clock.
_PI_TABLE = "pilchard-unrolled-1 sbox=table key_sbox=table"
_KA_KEYS = tuple(f"kakarlapudi-sbox-enc-{bits}" for bits in (128, 192, 256))

CONCLUSIONS: tuple[Conclusion, ...] = (
    Conclusion(
        "standaert-registers", "standaert2003", "4, 5; Tables 1 to 4",
        "registers never outnumber the LUTs that they stand behind, so no slice is spent on "
        "registers alone",
        _all("lut_per_ff", _ST_SEQ, _ST_PIPE),
        _no_more_registers(_ST_SEQ, _ST_PIPE),
        "wider LUTs, or LUTs joined by hard multiplexers, do more logic each, so the same number "
        "of registers stands behind fewer of them",
    ),
    Conclusion(
        "standaert-too-large", "standaert2003", "6.1, Table 4",
        "the pipeline with S-boxes in LUTs (17984 slices) is too large for a VIRTEX1000",
        _all("slices", _ST_PIPE),
        _limit("slices", _ST_PIPE, _VIRTEX_SLICES + 1),
        "today's mapping packs the tables into fewer slices than the device has",
        devices=("virtex",),
    ),
    Conclusion(
        "standaert-efficiency", "standaert2003", "7, Table 5",
        "the loop cut by registers gives the most throughput for its area (0.69 Mbit/s per slice "
        "against 0.06 to 0.22 for plain loops and partial unrolling)",
        _all("mbit_s_per_slice", _ST_SEQ, _ITERATIVE, _PI[2]),
        _best("mbit_s_per_slice", (_ST_SEQ,), _ITERATIVE, _PI[2]),
        "routing takes most of the period here, so cutting the logic of a round raises the clock "
        "by less than the registers and delayed keys cost",
    ),
    Conclusion(
        "standaert-ram-pipelines", "standaert2003", "6.2",
        "with S-boxes in RAM a deep pipeline is no use: two register levels a round give the most "
        "throughput for the area",
        _all("mbit_s_per_slice", *_ST_RAM_PIPE),
        _best("mbit_s_per_slice", _ST_RAM_PIPE[:1], *_ST_RAM_PIPE[1:]),
        "a register between the two levels of Mixadd shortens the path that begins at the block "
        "RAM, whose output is late, by more than its slices cost; one at that output as well no "
        "longer pays",
    ),
    Conclusion(
        "standaert-ram-loops", "standaert2003", "6.2",
        "the same for the loops: those with two register levels a round, the one with a single "
        "key addition (Fig. 9) among them, give the most throughput for the area",
        _all("mbit_s_per_slice", *_ST_LOOPS),
        _best("mbit_s_per_slice", _ST_SHORT_LOOPS, *_ST_RAM_SEQ[2:]),
        "a block RAM is slow without a register at its output, so the level that the paper saves "
        "raises the clock by more than the slices that it takes",
    ),
    Conclusion(
        "standaert-ratio", "standaert2003", "6.2",
        "the 21-cycle pipeline has about as many LUTs as registers, the 42-cycle one far fewer",
        _all("lut_per_ff", _ST_RAM_PIPE[0], _ST_RAM_PIPE[2]),
        _both(
            _limit("lut_per_ff", _ST_RAM_PIPE[0], 0.8, 1.25),
            _quotient("lut_per_ff", _ST_RAM_PIPE[2], _ST_RAM_PIPE[0], 0, 0.7),
        ),
        "where hard multiplexers join LUTs (ECP5), the sums of Mixadd that have no register inside "
        "take several LUTs each; where LUTs can be shift registers of many bits (Virtex-5), the "
        "delayed keys of the 42-cycle pipeline go into those, LUTs in place of registers",
    ),
    Conclusion(
        "standaert-pipeline-efficiency", "standaert2003", "6, 7",
        "a pipeline gives more throughput for its area than a loop of the same round, for its "
        "multiplexer and its two key additions serve one round and not ten",
        _all("mbit_s_per_slice", _ST_PIPE, _ST_SEQ, _ST_RAM_PIPE[0], _ST_RAM_SEQ[0]),
        _each_pair(
            "mbit_s_per_slice", [(_ST_PIPE, _ST_SEQ), (_ST_RAM_PIPE[0], _ST_RAM_SEQ[0])]
        ),
        "the wires of a core that fills the device are longer, which costs more of its clock than "
        "the loop's multiplexer does",
    ),
    Conclusion(
        "standaert-ratio-efficiency", "standaert2003", "4, 6.2",
        "LUTs and registers in like number go with throughput for the area: of the pipelines with "
        "S-boxes in RAM the one whose ratio is nearest to one has the most",
        dict.fromkeys(("lut_per_ff", "mbit_s_per_slice"), _ST_RAM_PIPE),
        _nearest_one_is_best("lut_per_ff", "mbit_s_per_slice", *_ST_RAM_PIPE),
        "a register behind the block RAM, or between the two levels of Mixadd, shortens the path "
        "that limits the clock by more than the slices that registers without LUTs take",
        one_circuit=True,
    ),
    Conclusion(
        "standaert-clock-after-synthesis", "standaert2003", "5, Table 4",
        "the clock after implementation is far below the one after synthesis (127 MHz against 172 "
        "MHz)",
        {}, lambda _: (False, {}), "",
        untestable="the open flow gives no clock after synthesis: a mapped netlist has no wires, "
        "and the delay of a LUT alone is no estimate that a tool stands for",
    ),
    Conclusion(
        "standaert-routing", "standaert2003", "6.1, 7",
        "routing is 80 % of the longest path (S-boxes in LUTs)",
        _all("routing", _ST_SEQ),
        _limit("routing", _ST_SEQ, 0.7, 0.9),
        "the share depends on the fabric: where a LUT is slow beside its wires, or hard "
        "multiplexers carry a path, logic takes more of it",
    ),
    Conclusion(
        "standaert-routing-ram", "standaert2003", "7",
        "the same with S-boxes in RAM: routing is 80 % of the longest path of every loop",
        _all("routing", *_ST_RAM_SEQ),
        _within("routing", 0.7, 0.9, *_ST_RAM_SEQ),
        "what a path begins with counts as logic: where that is a block RAM, its output alone "
        "takes longer than several LUTs; where it is a register, as it can be in a loop with "
        "registers behind its RAMs, the share is nearer to that with S-boxes in LUTs",
    ),
    Conclusion(
        "standaert-14-gbit", "standaert2003", "7",
        "up to 14 Gbit/s",
        _all("mbit_s", *_ST_RAM_PIPE),
        _fastest_at_least(14000, *_ST_RAM_PIPE),
        "the clock that this fabric allows for a block RAM and the wires to it is lower",
        absolute=True,
    ),
    Conclusion(
        "standaert-405-slices", "standaert2003", "7",
        "down to 405 slices and 10 RAM blocks",
        dict.fromkeys(("slices", "ram"), (*_ST_LOOPS, _ST_FIG_9)),
        _smallest_at_most(405, 10, *_ST_LOOPS, _ST_FIG_9),
        "the smallest is the loop of Fig. 9 as it is drawn, with handshakes and a round counter: "
        "its state register is the output; a register that hides inner states takes a slice for "
        "two bits more",
        devices=("virtex", "virtex-e"),
    ),
    Conclusion(
        "qin-partial", "qin2005", "5, Table 2",
        "AES-4SM and AES-8SM give more throughput per Kbit of memory than UNROLLING",
        _all("mbit_s_per_kbit", *_QI),
        _each_pair("mbit_s_per_kbit", [(_QI[0], _QI[2]), (_QI[1], _QI[2])]),
        "the selector and the feed-back registers cost more of the clock than the shorter way to "
        "the smaller memory gains",
    ),
    Conclusion(
        "qin-area", "qin2005", "5, Table 2",
        "the less memory, the more logic: AES-4SM takes more than AES-8SM, AES-8SM more than "
        "UNROLLING",
        _all("lut", *_QI),
        _descending("lut", *_QI),
        "what selects the bytes of AES-4SM is one 4-to-1 selection a byte, of AES-8SM a 2-to-1 "
        "selection for twice as many S-boxes, so a fabric with hard multiplexers can take less for "
        "the first",
    ),
    Conclusion(
        "qin-4sm", "qin2005", "5, Table 2",
        "AES-4SM gives about 10 % more throughput per Kbit of memory than UNROLLING",
        _all("mbit_s_per_kbit", "qin-4sm", "qin-unrolling"),
        _quotient("mbit_s_per_kbit", "qin-4sm", "qin-unrolling", 1.05, 1.15),
        "the gain is that of the clock, for a quarter of the memory passes a quarter of the "
        "blocks: how much faster the smaller memory is reached than the shifter and the feed-back "
        "registers cost is a matter of the fabric",
    ),
    Conclusion(
        "qin-8sm", "qin2005", "5, Table 2",
        "AES-8SM gives about 2 % more throughput per Kbit of memory than UNROLLING",
        _all("mbit_s_per_kbit", "qin-8sm", "qin-unrolling"),
        _quotient("mbit_s_per_kbit", "qin-8sm", "qin-unrolling", 1.0, 1.05),
        "the gain is that of the clock, for half of the memory passes half of the blocks: how much "
        "faster the smaller memory is reached than the selector in front of it costs is a matter "
        "of the fabric",
    ),
    Conclusion(
        "qin-memory", "qin2005", "5",
        "memory falls by 75 % and 50 % against UNROLLING",
        _all("ram", "qin-4sm", "qin-8sm", "qin-unrolling"),
        _both(
            _quotient("ram", "qin-4sm", "qin-unrolling", 0.25, 0.25),
            _quotient("ram", "qin-8sm", "qin-unrolling", 0.5, 0.5),
        ),
        "on this device not every S-box of the data path is in block RAM",
    ),
    Conclusion(
        "qin-gap", "qin2005", "1, 5, Table 3",
        "partial rolling fills the gap between a rolled and an unrolled core: throughput rises "
        "from loop to 4SM to 8SM to UNROLLING",
        _all("mbit_s", "qin-unrolling", "qin-8sm", "qin-4sm", _PI[1]),
        _descending("mbit_s", "qin-unrolling", "qin-8sm", "qin-4sm", _PI[1]),
        "the clock of the larger cores falls by more than their blocks a clock rise",
    ),
    Conclusion(
        "qin-efficiency", "qin2005", "5, Table 3",
        "partial rolling gives 1.5 to 1.6 times the throughput per Kbit of memory of a rolled core "
        "(ours: Unrolled-1)",
        _all("mbit_s_per_kbit", "qin-4sm", "qin-8sm", _PI[1]),
        _both(
            _quotient("mbit_s_per_kbit", "qin-4sm", _PI[1], 1.4, 1.7),
            _quotient("mbit_s_per_kbit", "qin-8sm", _PI[1], 1.4, 1.7),
        ),
        "a block takes as many look-ups in either, so the factor is that of their clocks and a "
        "tenth, for the rolled core's clock of the first key addition; a whole round is between "
        "the look-ups of a rolled core, only a register between those of the others, and how much "
        "slower that is, is a matter of the fabric",
    ),
    Conclusion(
        "qin-shifter", "qin2005", "3",
        "a permutation and a selector in place of the shifter take the same area and are slower",
        {
            "lut": ("qin-4sm", "qin-4sm-permuted"),
            "mbit_s": ("qin-4sm", "qin-4sm-permuted"),
        },
        _both(
            _quotient("lut", "qin-4sm-permuted", "qin-4sm", 0.95, 1.05),
            _quotient("mbit_s", "qin-4sm-permuted", "qin-4sm", 0, 1),
        ),
        "both come down to one 4-to-1 selection a byte, so what differs is placement, within the "
        "spread of the seeds",
        difference=True,
    ),
    Conclusion(
        "qin-key-sboxes", "qin2005", "4",
        "S-boxes of the keys in logic are slightly faster than in M4K",
        _all("mhz", "qin-4sm", "qin-4sm-m4k-keys"),
        _quotient("mhz", "qin-4sm", "qin-4sm-m4k-keys", 1.0, 1.15),
        "",
        untestable="a round key may take the rest of its block period, three clocks of AES-4SM, "
        "from the RAM to its register, but the open flow gives every path one: the clock of the "
        "core with key S-boxes in RAM is that of a path which could take longer",
    ),
    Conclusion(
        "qin-small-device", "qin2005", "5, Table 2",
        "with the S-boxes of their keys in memory AES-4SM and AES-8SM fit the 60 blocks of an "
        "EP1S10, UNROLLING does not",
        _all("ram", *_QI_SMALL),
        _both(
            _limit("ram", _QI_SMALL[0], 0, 60),
            _limit("ram", _QI_SMALL[1], 0, 60),
            _limit("ram", _QI_SMALL[2], 61),
        ),
        "a block RAM of this device has one port to read (iCE40), so it holds one S-box where a "
        "M4K holds two",
    ),
    Conclusion(
        "qin-software", "qin2005", "5",
        "all of them are far faster than software (1.5 Gbit/s at 3.2 GHz)",
        _all("mbit_s", *_QI),
        _within("mbit_s", 2 * 1538, math.inf, *_QI),
        "the clock that this fabric allows is too low",
        absolute=True,
    ),
    Conclusion(
        "pilchard-first", "pilchard", "5, 7, Figs. 7.1, 7.3",
        "Unrolled-1 is the fastest and the smallest (its S-boxes in block RAM, those of the others "
        "tables in logic)",
        dict.fromkeys(("lut", "mbit_s"), (_PI[1], _PI[2], _PI[5])),
        _first_of(_PI[1], _PI[2], _PI[5]),
        "where a block RAM is slow beside a table, or the registers and their wiring, which "
        "several rounds a clock pay once, take much of a clock, unrolling is faster",
    ),
    Conclusion(
        "pilchard-first-tables", "pilchard", "5, 7, Figs. 7.1, 7.3",
        "the same with the S-boxes of all three, of rounds and keys, as tables in logic: "
        "Unrolled-1 is the fastest and the smallest",
        dict.fromkeys(("lut", "mbit_s"), (_PI_TABLE, _PI[2], _PI[5])),
        _first_of(_PI_TABLE, _PI[2], _PI[5]),
        "the registers of the loop and their wiring, which several rounds a clock pay once, take "
        "more of a clock than the clock of the first key addition costs",
    ),
    Conclusion(
        "pilchard-feedback", "pilchard", "7",
        "pipelines are faster, but slower than a loop where each block waits for the one before it "
        "(CBC)",
        dict.fromkeys(("mbit_s", "chained_mbit_s"), (_PI[1], "qin-unrolling", _ST_RAM_PIPE[2])),
        _both(
            _each_pair("mbit_s", [("qin-unrolling", _PI[1]), (_ST_RAM_PIPE[2], _PI[1])]),
            _each_pair("chained_mbit_s", [(_PI[1], "qin-unrolling"), (_PI[1], _ST_RAM_PIPE[2])]),
        ),
        "a pipeline of few levels with a much faster clock is through with a block as soon",
    ),
    Conclusion(
        "pilchard-area", "pilchard", "7, Fig. 7.1",
        "area is linear in the rounds in hardware",
        _all("lut", _PI[2], _PI[5], _PI[10]),
        _proportional("lut", 0.15, {_PI[2]: 2, _PI[5]: 5, _PI[10]: 10}),
        "where LUTs have hard multiplexers behind them (Virtex, ECP5), what the mapper makes of a "
        "round differs by a third and more from core to core; without them it does not",
    ),
    Conclusion(
        "pilchard-clock", "pilchard", "7, Fig. 7.2",
        "the clock falls as rounds are added",
        _all("mhz", _PI[1], _PI[2], _PI[5]),
        _descending("mhz", _PI[1], _PI[2], _PI[5]),
        "Unrolled-1 alone has its S-boxes in block RAM, which can take longer than two rounds of "
        "tables in logic; between the others placement differs by more than the rounds do",
    ),
    Conclusion(
        "pilchard-equal", "pilchard", "7, Fig. 7.3",
        "Unrolled-2 and Unrolled-5 are about equally fast",
        _all("mbit_s", _PI[2], _PI[5]),
        _quotient("mbit_s", _PI[2], _PI[5], 0.85, 1.15),
        "a clock of five rounds takes two and a half times one of two, in proportion; the first "
        "key addition has a clock of its own, so three of the long ones are more than six of the "
        "short; for equal speed a long one would have to be two short ones",
    ),
    Conclusion(
        "pilchard-too-large", "pilchard", "7",
        "by its RAM blocks Unrolled-5 fits the XCV1000E (96), Unrolled-10 is too large for it",
        {},
        _rams_of_pilchard,
        "",
        model="count of S-boxes, two in a block, and of buffers",
    ),
    Conclusion(
        "pilchard-too-large-logic", "pilchard", "7",
        "the same by slices, with S-boxes as tables in logic: several rounds a clock cannot have "
        "theirs in block RAM, which gives its data at a clock edge",
        _all("slices", _PI[5], _PI[10]),
        _both(
            _limit("slices", _PI[5], 0, _VIRTEX_SLICES),
            _limit("slices", _PI[10], _VIRTEX_SLICES + 1),
        ),
        "tables in logic for five rounds take more slices than the device has, by our estimate",
        devices=("virtex", "virtex-e"),
    ),
    Conclusion(
        "pilchard-host", "pilchard", "7, 8",
        "the transfers of the host, not the core, limit the system",
        _all("mbit_s", _FAST_LINK, experiments.CORE),
        _limited_by_link(_FAST_LINK, experiments.CORE),
        "",
        model=_LINK,
    ),
    Conclusion(
        "pilchard-host-doubles", "pilchard", "7, 8, Fig. 7.6",
        "SSE with write-combining has about twice the throughput of MMX with uncacheable memory "
        "(section 7: 210 to 455, a factor of 2.17; section 8: 280 to 450, a factor of 1.61, from "
        "an earlier system)",
        _all("mbit_s", _FAST_WAY, _SLOW_WAY),
        _quotient("mbit_s", _FAST_WAY, _SLOW_WAY, 1.8, 2.5),
        "",
        model=_LINK,
    ),
    Conclusion(
        "pilchard-host-order", "pilchard", "7, Figs. 7.5, 7.6",
        "write-combining is faster than uncacheable memory, whatever the instruction and size",
        _all("mbit_s", *dict.fromkeys(way for pair in _WC_PAIRS for way in pair)),
        _each_pair("mbit_s", _WC_PAIRS),
        "",
        model=_LINK,
    ),
    Conclusion(
        "pilchard-host-wider", "pilchard", "7, Fig. 7.6",
        "SSE is faster than MMX at 15 KB, with either type of memory",
        _all("mbit_s", *(way for pair in _SSE_PAIRS for way in pair)),
        _each_pair("mbit_s", _SSE_PAIRS),
        "",
        model=_LINK,
    ),
    Conclusion(
        "pilchard-host-size", "pilchard", "7, Fig. 7.7",
        "throughput grows with the size of a message and saturates beyond 400 blocks",
        _all("mbit_s", *_GROWING, _LONG_WAY),
        _both(
            _descending("mbit_s", *reversed(_GROWING)),
            _quotient("mbit_s", _GROWING[-1], _LONG_WAY, 0.97),
        ),
        "",
        model=_LINK,
    ),
    Conclusion(
        "pilchard-host-software", "pilchard", "2, 7",
        "MMX with uncacheable memory is slower than software",
        _all("mbit_s", _SLOW_WAY, experiments.SOFTWARE),
        _descending("mbit_s", experiments.SOFTWARE, _SLOW_WAY),
        "",
        model=_LINK,
    ),
    Conclusion(
        "kakarlapudi-faster", "kakarlapudi", "X, Graph 1",
        "S-boxes are faster than T-boxes, for encryption, decryption and both",
        _all("mbit_s", *_KA_S, *_KA_T),
        _each_pair("mbit_s", _KA_PAIRS),
        "a T-box round has a shorter path, no MixColumns behind the table; where routing leaves it "
        "that gain, it is the faster one",
    ),
    Conclusion(
        "kakarlapudi-smaller", "kakarlapudi", "X, Graph 2",
        "S-boxes are smaller than T-boxes, for encryption, decryption and both",
        _all("lut", *_KA_S, *_KA_T),
        _each_pair("lut", _KA_PAIRS, smaller=True),
        "a T-box is an S-box and its multiples; a mapper that finds the S-box in it shares it",
    ),
    Conclusion(
        "kakarlapudi-encryption-faster", "kakarlapudi", "X, Tables 1 to 3",
        "encryption is faster than decryption, decryption than both",
        _all("mbit_s", *_KA_S),
        _descending("mbit_s", *_KA_S),
        "placement of a large core varies by more than the two directions differ",
    ),
    Conclusion(
        "kakarlapudi-tbox-order", "kakarlapudi", "X, Tables 4 to 6",
        "with T-boxes too encryption is faster than decryption, decryption than both",
        _all("mbit_s", *_KA_T),
        _descending("mbit_s", *_KA_T),
        "placement of a large core varies by more than the two directions differ",
    ),
    Conclusion(
        "kakarlapudi-tbox-area-order", "kakarlapudi", "X, Tables 4 to 6",
        "with T-boxes too encryption is smaller than decryption, decryption than both",
        _all("lut", *_KA_T),
        _descending("lut", *reversed(_KA_T)),
        "tables are most of these cores, and what hard multiplexers behind LUTs save of a table "
        "differs by more than InvMixColumns of the keys costs",
    ),
    Conclusion(
        "kakarlapudi-32-bit", "kakarlapudi", "X, Tables 8 to 13",
        "with 32-bit ports too S-boxes are faster and smaller than T-boxes, for encryption, "
        "decryption and both",
        dict.fromkeys(("mbit_s", "lut"), (*_KA_S_32, *_KA_T_32)),
        _both(
            _each_pair("mbit_s", list(zip(_KA_S_32, _KA_T_32, strict=True))),
            _each_pair("lut", list(zip(_KA_S_32, _KA_T_32, strict=True)), smaller=True),
        ),
        "a T-box round has a shorter path, no MixColumns behind the table; where routing leaves it "
        "that gain, it is the faster one",
    ),
    Conclusion(
        "kakarlapudi-encryption-smaller", "kakarlapudi", "X, Tables 1 to 3",
        "encryption is smaller than decryption, decryption than both",
        _all("lut", *_KA_S),
        _descending("lut", *reversed(_KA_S)),
        "S-boxes are most of these cores, and what hard multiplexers behind LUTs (ECP5) save of a "
        "table differs by more than InvMixColumns costs: with a register level in it, the table of "
        "the inverse S-box takes fewer LUTs than that of the S-box (aesfab components "
        "aes_sbox_table --device ecp5-85k)",
    ),
    Conclusion(
        "kakarlapudi-inverse", "kakarlapudi", "X",
        "InvMixColumns takes almost 80 % more than MixColumns",
        {},
        _part_quotient("aes_mix_columns_inv", "aes_mix_columns_fwd", 1.6, 1.9),
        "written as networks of constants as in the paper, a bit of the inverse has 11 to 19 "
        "inputs against 5 or 7, and how many LUTs that takes depends on their inputs and on what "
        "the mapper shares between bits",
        component_needs=("aes_mix_columns_inv", "aes_mix_columns_fwd"),
    ),
    Conclusion(
        "kakarlapudi-best", "kakarlapudi", "X, Graph 3",
        "the best throughput for the area is that of S-boxes and encryption",
        _all("mbit_s_per_slice", *_KA_S, *_KA_T),
        _best("mbit_s_per_slice", (_KA_S[0],), *_KA_S[1:], *_KA_T),
        "a T-box core is the smaller or the faster one here",
    ),
    Conclusion(
        "kakarlapudi-key-bits", "kakarlapudi", "X, Tables 1 to 3",
        "the throughput for the area is best with 128-bit keys (it is said to fall with each size; "
        "for S-boxes and encryption 8.88, 7.44 and 7.45 are printed, of which the second and third "
        "do not follow from the 264 slices beside them)",
        _all("mbit_s_per_slice", *_KA_KEYS),
        _best("mbit_s_per_slice", _KA_KEYS[:1], *_KA_KEYS[1:]),
        "a longer key takes more rounds, but what the mapper makes of the tables differs from core "
        "to core by more than that",
    ),
    Conclusion(
        "kakarlapudi-ram", "kakarlapudi", "XI (future work)",
        "with T-boxes in block RAM the T-box core is faster than the S-box core, with its S-boxes "
        "in block RAM or in logic",
        _all("mbit_s", *_KA_RAM),
        _each_pair("mbit_s", [(_KA_RAM[0], other) for other in _KA_RAM[1:]]),
        "it is faster than S-boxes in block RAM, for MixColumns is in the tables; but the RAM and "
        "the wires to it take most of the period, and S-boxes in logic do without them",
    ),
    Conclusion(
        "kakarlapudi-ram-area", "kakarlapudi", "XI (future work)",
        "with T-boxes in block RAM it also has more throughput for the area than either",
        _all("mbit_s_per_slice", *_KA_RAM),
        _each_pair("mbit_s_per_slice", [(_KA_RAM[0], other) for other in _KA_RAM[1:]]),
        "the larger tables are in more RAMs, which are further from the one state that reads them "
        "all; that costs what MixColumns did",
    ),
    Conclusion(
        "fischer-slow-decryption", "fischer2001", "5.1, Tables 1 and 2",
        "with S-boxes encryption is fast, decryption slower, both in one slowest",
        _all("mbit_s", *_FI_S),
        _descending("mbit_s", *_FI_S),
        "InvMixColumns shared with MixColumns adds one level of logic, less than what placement "
        "varies by",
    ),
    Conclusion(
        "fischer-same-speed", "fischer2001", "5.1, Table 4",
        "with T-boxes encryption and decryption are equally fast",
        _all("mbit_s", *_FI_T[:2]),
        _quotient("mbit_s", _FI_T[0], _FI_T[1], 0.93, 1.07),
        "both have the same path, from a table through a sum of four to the next table, so what "
        "differs is placement",
    ),
    Conclusion(
        "fischer-few-luts", "fischer2001", "5.1, Tables 1 and 4",
        "T-boxes take fewer logic elements than S-boxes, for encryption, decryption and both",
        _all("lut", *_FI_S, *_FI_T),
        _each_pair("lut", list(zip(_FI_T, _FI_S, strict=True)), smaller=True),
        "for both directions T-boxes need what fills them anew, which can be more than MixColumns",
    ),
    Conclusion(
        "fischer-memory", "fischer2001", "5.1, Tables 1 and 4",
        "T-boxes take far more memory: 86 blocks against 50",
        _all("ram", _FI_T[0], _FI_S[0]),
        _quotient("ram", _FI_T[0], _FI_S[0], 1.5),
        "a block RAM of today holds a T-box as well as an S-box, so only its ports count",
    ),
    Conclusion(
        "fischer-direction", "fischer2001", "3.2, 5.1",
        "a change of direction costs S-boxes nothing and T-boxes the time to make them anew",
        _all("lut", _FI_S[2], _FI_T[2]),
        _direction_change,
        "",
    ),
    Conclusion(
        "fischer-encryption", "fischer2001", "5.1",
        "for encryption alone S-boxes are the faster choice",
        _all("mbit_s", _FI_S[0], _FI_T[0]),
        _quotient("mbit_s", _FI_S[0], _FI_T[0], 1.0),
        "T-boxes have no MixColumns behind the table, and a large enough device has the memory",
        difference=True,
    ),
    Conclusion(
        "fischer-both", "fischer2001", "5.1",
        "where both directions must be fast, T-boxes are the faster choice",
        _all("mbit_s", _FI_T[2], _FI_S[2]),
        _quotient("mbit_s", _FI_T[2], _FI_S[2], 1.0),
        "the block RAM and the wires to and from it take most of the period of both, and the level "
        "of logic that T-boxes save is less than what placement varies by",
        difference=True,
    ),
    Conclusion(
        "fischer-others", "fischer2001", "5.1, Table 6",
        "for both directions T-boxes give over 80 % more throughput than the fastest core of "
        "others in an FPGA (414 Mbit/s, printed; ours in a device of today)",
        _all("mbit_s", _FI_T[2]),
        _limit("mbit_s", _FI_T[2], 1.8 * 414),
        "the clock that this fabric allows is too low",
        absolute=True,
    ),
    Conclusion(
        "fischer-economic", "fischer2001", "3, Tables 2 and 3",
        "half of the data path a clock saves half of the S-boxes and has half of the throughput",
        dict.fromkeys(("ram", "mbit_s"), (_FI_HALF, _FI_S[0])),
        _both(
            _quotient("ram", _FI_HALF, _FI_S[0], 0, 0.99),
            _quotient("mbit_s", _FI_HALF, _FI_S[0], 0.4, 0.6),
        ),
        "the narrower core has shorter paths, so its clock is higher and it loses less than half",
    ),
    Conclusion(
        "fischer-economic-logic", "fischer2001", "3, Tables 2 and 3",
        "it saves no logic: its multiplexers and counters take what half of the rounds' logic "
        "gives",
        _all("lut", _FI_HALF, _FI_S[0]),
        _quotient("lut", _FI_HALF, _FI_S[0], 0.9),
        "half of MixColumns and of the key addition is saved as well, a quarter or a third of a "
        "core whose round keys come from outside",
    ),
    Conclusion(
        "fischer-economic-directions", "fischer2001", "5.1, Table 5",
        "economic T-box cores are equally fast in all directions",
        _all("mbit_s", *_FI_ECONOMIC_T),
        _both(
            _quotient("mbit_s", _FI_ECONOMIC_T[0], _FI_ECONOMIC_T[1], 0.93, 1.07),
            _quotient("mbit_s", _FI_ECONOMIC_T[0], _FI_ECONOMIC_T[2], 0.93, 1.07),
        ),
        "both directions have the same path but for the source of the tables, so what differs is "
        "placement, and what fills them in the core for both",
    ),
    Conclusion(
        "fischer-sharing", "fischer2001", "5.1, Tables 1, 2, 4",
        "a core for both directions takes less logic than one for each: S-boxes share little, "
        "T-boxes all but their content",
        _all("lut", *_FI_S, *_FI_T),
        _both(
            _sum_quotient("lut", _FI_S[2], (_FI_S[0], _FI_S[1]), 0, 0.95),
            _sum_quotient("lut", _FI_T[2], (_FI_T[0], _FI_T[1]), 0, 0.95),
        ),
        "for both directions T-boxes need what fills them anew, which can be more than the logic "
        "that they share",
    ),
)  # fmt: skip
"""Every conclusion, in the order of the papers."""


def of_paper(paper: str) -> list[Conclusion]:
    """The conclusions of a paper; AesfabError for an unknown one."""
    published.require_paper(paper)
    return [conclusion for conclusion in CONCLUSIONS if conclusion.paper == paper]


def designs_needed() -> list[str]:
    """Every design, with axes behind it, on which a conclusion rests."""
    found = [design for c in CONCLUSIONS if not c.model for design, _ in _wanted(c)]
    return list(dict.fromkeys(found))
