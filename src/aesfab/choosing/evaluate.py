# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""How good the answers are where the best design was not measured (``choose --evaluate N``).

A fifth of what was measured is held out at a time, with all records of it: of the points (a design
with its key size and direction), or of the names of the catalogue, with all points of each. Needs
are drawn and answered from the other records, with estimates in place of what is held out. The
truth is what all records say of which estimates are made (``telling``). Records of components stay:
they are of parts, and of no design.
"""

from __future__ import annotations

import collections
import dataclasses
import random
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from aesfab import records
from aesfab.choosing import answer, candidates
from aesfab.choosing.candidates import RECORD, Candidate
from aesfab.choosing.estimate import Estimator, telling
from aesfab.choosing.need import DIRECTIONS, KEYS, MODES, XTS_KEYS, Need

_FOLDS = 5
_INFEASIBLE = 0.2
_NEAR = 0.05
_SLOWEST = 5.0  # Mbit/s
_BEYOND = 4.0  # times what can be done, at most, where a need is infeasible
_TRIES = 50


@dataclasses.dataclass(frozen=True)
class Miss:
    """A wrong answer: on which device, the best design, what was said instead, and why."""

    device: str
    best: str
    said: str
    cause: str


@dataclasses.dataclass(frozen=True)
class Figures:
    """What an evaluation found.

    Attributes:
        needs: how many were answered; ``infeasible``: how many of them nothing meets.
        near: part of the needs whose answer is right within 5 % of the best, or rightly none.
        missed: part whose answer in truth misses the need.
        refused: part that is answered by none although something meets it.
        estimates: estimates compared; ``asked``: held-out points on devices.
        lut_error: median error of estimated LUTs; likewise ``cells_error`` and ``mhz_error``.
        within: part of the clocks that are within the error that is said; ``area_within`` of cells.
        misses: what went wrong, with how often, the most frequent first.
    """

    needs: int
    infeasible: int
    near: float
    missed: float
    refused: float
    estimates: int
    asked: int
    lut_error: float
    cells_error: float
    mhz_error: float
    within: float
    area_within: float
    misses: tuple[tuple[Miss, int], ...]

    def to_json(self) -> dict[str, Any]:
        """As ``choose --evaluate --json`` prints it."""
        return {
            **dataclasses.asdict(self),
            "misses": [{**dataclasses.asdict(miss), "needs": n} for miss, n in self.misses],
        }

    def rows(self) -> dict[str, str]:
        """What was found, in words."""
        return {
            "needs": f"{self.needs:,}, {self.infeasible:,} of them infeasible",
            "answer within 5 % of the best, or rightly none": f"{100 * self.near:.1f} %",
            "answer in truth misses the need": f"{100 * self.missed:.1f} %",
            "no answer though there is one": f"{100 * self.refused:.1f} %",
            "held-out points with an estimate": f"{self.estimates:,} of {self.asked:,}",
            "median error of LUTs": f"{100 * self.lut_error:.1f} %",
            "median error of cells": f"{100 * self.cells_error:.1f} %",
            "median error of MHz": f"{100 * self.mhz_error:.1f} %",
            "clocks within the stated error": f"{100 * self.within:.0f} %",
            "cells within the stated error": f"{100 * self.area_within:.0f} %",
        }


def table(of: Mapping[str, Figures]) -> str:
    """Evaluations beside each other as Markdown, by what was held out."""
    lines = [f"| figure | {' | '.join(of)} |", "|---" * (len(of) + 1) + "|"]
    columns = [each.rows() for each in of.values()]
    lines += [f"| {name} | {' | '.join(c[name] for c in columns)} |" for name in columns[0]]
    return "\n".join(lines)


def both(known: Sequence[records.Record], needs: int, seed: int) -> dict[str, Figures]:
    """The evaluation with points held out, and with names."""
    return {
        "points held out": evaluate(known, needs, seed, whole=False),
        "names held out": evaluate(known, needs, seed, whole=True),
    }


def evaluate(
    known: Sequence[records.Record], needs: int, seed: int, *, whole: bool = True
) -> Figures:
    """Answer this many needs, drawn at random from ``seed``; see ``Figures``.

    Names are held out with all their points; without ``whole``, single points on all devices.
    """

    def unit(each: Candidate) -> str:
        return each.named.name if whole else each.words

    draw = random.Random(seed)
    measured = telling(candidates.of_records(known))
    names = sorted({unit(each) for each in measured})
    draw.shuffle(names)
    none = 0
    verdicts: collections.Counter[str] = collections.Counter()
    misses: collections.Counter[Miss] = collections.Counter()
    errors: dict[str, list[float]] = {"lut": [], "cells": [], "mhz": []}
    within = area_within = asked = 0
    devices = sorted({each.device for each in measured})
    for fold in range(_FOLDS):
        held = set(names[fold::_FOLDS])
        # Two names may have a point in common, and then none of them may tell of it.
        gone = {each.named.design for each in measured if unit(each) in held}
        kept = [each for each in measured if each.named.design not in gone]
        away = [each for each in measured if each.named.design in gone]
        estimator = Estimator(kept)
        asked += len(away)
        for true in away:
            each = _estimate(estimator, true, true.recipe)
            if each is None or not true.mhz or not each.mhz:
                continue
            for name, values in errors.items():
                if there := getattr(true, name):
                    values.append(abs(getattr(each, name) / there - 1))
            within += abs(each.mhz / true.mhz - 1) <= each.error[1]
            area_within += abs(each.cells / true.cells - 1) <= each.error[0]
        points = {(each.named.design, each.device): each for each in away}
        guessed = [_estimate(estimator, each, None) for each in points.values()]
        estimated = [each for each in guessed if each is not None]
        share = needs // _FOLDS + (fold < needs % _FOLDS)
        for _ in range(share):
            need, feasible = _draw(draw, devices, measured)
            none += not feasible
            verdict, miss = _judge(need, measured, [*kept, *estimated])
            verdicts[verdict] += 1
            if miss:
                misses[miss] += 1

    def middle(name: str) -> float:
        return statistics.median(errors[name]) if errors[name] else 0.0

    count = len(errors["mhz"])
    return Figures(
        needs=needs,
        infeasible=none,
        near=verdicts["good"] / needs,
        missed=verdicts["missed"] / needs,
        refused=verdicts["refused"] / needs,
        estimates=count,
        asked=asked,
        lut_error=middle("lut"),
        cells_error=middle("cells"),
        mhz_error=middle("mhz"),
        within=within / max(1, count),
        area_within=area_within / max(1, count),
        misses=tuple(misses.most_common()),
    )


def _estimate(estimator: Estimator, of: Candidate, recipe: str | None) -> Candidate | None:
    words = tuple(f"{axis}={value}" for axis, value in of.named.overrides)
    return estimator.estimate((of.named.name, words), of.device, recipe)


def _serving(pool: Sequence[Candidate], need: Need) -> list[Candidate]:
    (device,) = need.devices
    return [
        each for each in pool if each.device == device and not candidates.serves(each.named, need)
    ]


def _draw(
    draw: random.Random, devices: Sequence[str], measured: Sequence[Candidate]
) -> tuple[Need, bool]:
    """A need, log-uniform in its rate, and whether something meets it."""
    for _ in range(_TRIES):
        direction, mode = draw.choice(DIRECTIONS), draw.choice(["", *MODES])
        need = Need(
            (draw.choice(devices),),
            mbit=1.0,
            key=draw.choice(XTS_KEYS if mode == "xts" else KEYS),
            direction=direction,
            mode=mode,
        )
        rates = [
            each.judged(need)["mbit"] or 0.0 for each in _serving(measured, need) if each.fits()
        ]
        most = max(rates, default=0.0)
        if most > _SLOWEST:
            break
    else:
        raise ValueError("no device has records to draw needs from")
    feasible = draw.random() >= _INFEASIBLE
    low, high = (_SLOWEST, most) if feasible else (most * 1.001, most * _BEYOND)
    return dataclasses.replace(need, mbit=low * (high / low) ** draw.random()), feasible


def _judge(
    need: Need, measured: Sequence[Candidate], pool: Sequence[Candidate]
) -> tuple[str, Miss | None]:
    """The verdict on an answer from a pool, and what went wrong."""
    true, _ = answer.of(_serving(measured, need), need)
    serving = _serving(pool, need)
    said, _ = answer.of(serving, need)
    if not said and not true:
        return "good", None
    best, chosen = true[0] if true else None, said[0] if said else None
    miss = Miss(
        *(need.devices[0], best.words if best else "none", chosen.words if chosen else "none"),
        _cause(need, best, chosen, serving),
    )
    if chosen is None:
        return "refused", miss
    truly = [each for each in true if each.named.design == chosen.named.design]
    if best is None or not truly:
        return "missed", miss
    unit = "max_cells"
    ours, least = (each.judged(need)[unit] or 0.0 for each in (truly[0], best))
    return ("good", None) if ours <= least * (1 + _NEAR) else ("worse", miss)


def _cause(
    need: Need, best: Candidate | None, chosen: Candidate | None, pool: Sequence[Candidate]
) -> str:
    known = [each for each in pool if best and each.named.design == best.named.design]
    if best is None or any(each.source == RECORD for each in known):
        return "the estimate of another design is too good"
    if not known:
        return "the best has no estimate"
    if all(answer.violations(each, need) for each in known):
        return "the estimate of the best misses the need"
    if chosen and chosen.source == RECORD:
        return "the estimate of the best ranks behind a record"
    return "the estimate of the best ranks behind another estimate"


def causes(of: Mapping[str, Figures]) -> str:
    """Why answers were wrong, as Markdown: needs by cause, device, and the best design."""
    lines = []
    for title, figures in of.items():
        lines += [f"{title.capitalize()}:", "", "| needs | device | best | answer | why |"]
        lines += ["|---" * 5 + "|"]
        lines += [
            f"| {count} | {miss.device} | `{miss.best}` | `{miss.said}` | {miss.cause} |"
            for miss, count in figures.misses
        ]
        lines += [""]
    return "\n".join(lines)
