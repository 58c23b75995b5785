# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Settling an answer by measurement (``choose --measure``): the best estimates become records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from aesfab import records
from aesfab.choosing import answer
from aesfab.choosing.answer import Answer
from aesfab.choosing.candidates import ESTIMATE, RECORD, AnyCandidate
from aesfab.choosing.need import Need
from aesfab.devices import DEVICES
from aesfab.measure import implement, subjects

_Point = tuple[Any, str, str]


def settle(
    need: Need,
    known: Callable[[], Sequence[records.Record]],
    places: Sequence[Path],
    most: int,
    seeds: Sequence[int] = implement.DEFAULT_SEEDS,
    progress: Callable[[str], None] = lambda _: None,
    timeout: float = implement.DEFAULT_TIMEOUT,
    jobs: int = 1,
) -> Answer:
    """Measure what may be the best as long as it is an estimate, and answer from the records.

    What is measured next is the candidate that would be the best if estimates were as expected.
    Each record is in the last of ``places`` before the next run begins, so an interrupted call
    loses no more than the run that was under way, and the next call goes on from there.

    Args:
        need: the need.
        known: gives the records as they are then.
        places: files of records, see ``records.places``; the last one is written.
        most: how many candidates to measure at most.
        seeds: place-and-route seeds of each.
        progress: hears what is being done, a line for each step.
        timeout: limit for each run of a tool, in seconds.
        jobs: place-and-route runs at the same time.

    Raises:
        AesfabError: records cannot be read or written.
    """
    records.require_place(places[-1])
    tried: set[_Point] = set()
    for number in range(1, most + 1):
        each = _next(answer.pool(known(), need), need, tried)
        if each is None:
            break
        tried.add(_point(each))
        progress(f"{number} of {most} at most: {each.words} on {each.device} ({each.recipe})")
        _measure(each, places, seeds, progress, timeout, jobs)
    return answer.choose(need, known())


def _point(each: AnyCandidate) -> _Point:
    return each.named.design, each.device, each.recipe


def _next(pool: Sequence[AnyCandidate], need: Need, tried: set[_Point]) -> AnyCandidate | None:
    """The estimate to measure: the best there is, if estimates are as expected; None if measured.

    One that was tried and has no record (it failed, or does not fit) is out.
    """
    left = [e for e in pool if e.source == RECORD or _point(e) not in tried]
    best = answer.expected(left, need)
    return best if best is not None and best.source == ESTIMATE else None


def _measure(
    each: AnyCandidate,
    places: Sequence[Path],
    seeds: Sequence[int],
    progress: Callable[[str], None],
    timeout: float,
    jobs: int,
) -> records.Record:
    sources = subjects.sources(each.named)
    device = DEVICES[each.device]
    identity = implement.identity(each.named, sources, device, [each.recipe], seeds)

    def take() -> records.Record:
        return implement.implement(
            each.named, sources, device, [each.recipe], seeds, progress, timeout, jobs,
            beforehand=identity,
        )  # fmt: skip

    return records.cached(places, identity, take)
