# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""How good the answers are where the best design was not measured (``choose --evaluate N``).

A fifth of what was measured is held out at a time, with all records of it: of the points (a design
with its key size and direction), or of the names of the catalogue, with all points of each. Needs
are drawn and answered from the other records, with estimates in place of what is held out. The
truth is what all records say.
"""

from __future__ import annotations

import dataclasses
import random
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from aesfab import records
from aesfab.choosing import answer, candidates
from aesfab.choosing.candidates import Candidate
from aesfab.choosing.estimate import Estimator
from aesfab.choosing.need import DIRECTIONS, KEYS, MODES, Need

_FOLDS = 5
_INFEASIBLE = 0.2
_NEAR = 0.05
_SLOWEST = 5.0  # Mbit/s
_BEYOND = 4.0  # times what can be done, at most, where a need is infeasible
_TRIES = 50


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
        within: part of the clocks that are within the error that is said.
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

    def to_json(self) -> dict[str, Any]:
        """As ``choose --evaluate --json`` prints it."""
        return dataclasses.asdict(self)

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
    measured = [each for each in candidates.of_records(known) if each.mhz]
    names = sorted({unit(each) for each in measured})
    draw.shuffle(names)
    good = missed = refused = none = 0
    errors: dict[str, list[float]] = {"lut": [], "cells": [], "mhz": []}
    within = asked = 0
    devices = sorted({each.device for each in measured})
    for fold in range(_FOLDS):
        held = set(names[fold::_FOLDS])
        kept = [each for each in measured if unit(each) not in held]
        away = [each for each in measured if unit(each) in held]
        estimated = _estimates(kept, away)
        asked += len({(each.named.design, each.device) for each in away})
        truth = {(e.named.design, e.device, e.recipe): e for e in away}
        for each in estimated:
            true = truth.get((each.named.design, each.device, each.recipe))
            if true is None or not true.mhz or not each.mhz:
                continue
            for name, values in errors.items():
                there = getattr(true, name)
                if there:
                    values.append(abs(getattr(each, name) / there - 1))
            within += abs(each.mhz / true.mhz - 1) <= each.error[1]
        share = needs // _FOLDS + (fold < needs % _FOLDS)
        for _ in range(share):
            need, feasible = _draw(draw, devices, measured)
            none += not feasible
            verdict = _judge(need, measured, [*kept, *estimated])
            good += verdict == "good"
            missed += verdict == "missed"
            refused += verdict == "refused"

    def middle(name: str) -> float:
        return statistics.median(errors[name]) if errors[name] else 0.0

    count = len(errors["mhz"])
    return Figures(
        *(needs, none, good / needs, missed / needs, refused / needs, count, asked),
        *(middle("lut"), middle("cells"), middle("mhz"), within / count if count else 0.0),
    )


def _estimates(kept: Sequence[Candidate], away: Sequence[Candidate]) -> list[Candidate]:
    estimator = Estimator(kept)
    points = {(each.named.design, each.device): each for each in away}
    found = []
    for (_, device), each in points.items():
        words = tuple(f"{axis}={value}" for axis, value in each.named.overrides)
        estimate = estimator.estimate((each.named.name, words), device)
        if estimate is not None:
            found.append(estimate)
    return found


def _serving(pool: Sequence[Candidate], need: Need) -> list[Candidate]:
    (device,) = need.devices
    return [
        each
        for each in pool
        if each.device == device and not candidates.serves(each.named.design, need)
    ]


def _draw(
    draw: random.Random, devices: Sequence[str], measured: Sequence[Candidate]
) -> tuple[Need, bool]:
    """A need, log-uniform in its rate, and whether something meets it."""
    for _ in range(_TRIES):
        direction = draw.choice(DIRECTIONS)
        need = Need(
            (draw.choice(devices),),
            mbit=1.0,
            key=draw.choice(KEYS),
            direction=direction,
            mode=draw.choice(["", *MODES]),
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


def _judge(need: Need, measured: Sequence[Candidate], pool: Sequence[Candidate]) -> str:
    true, _ = answer.of(_serving(measured, need), need)
    said, _ = answer.of(_serving(pool, need), need)
    if not said:
        return "refused" if true else "good"
    chosen = [each for each in true if each.named.design == said[0].named.design]
    if not chosen:
        return "missed"
    unit = "max_cells"
    ours, best = (each[0].judged(need)[unit] or 0.0 for each in (chosen, true))
    return "good" if ours <= best * (1 + _NEAR) else "worse"
