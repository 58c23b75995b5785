# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Timing diagrams of engines: scenes with the clocks of runs that are kept beside this module.

``tools/waves.py`` makes the runs; a test compares what is kept with runs of today.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aesfab.engine.bench import AnyModel
from aesfab.engine.diagrams import scenes
from aesfab.engine.diagrams.scenes import Scene
from aesfab.engine.family import Entry
from aesfab.engine.packets import Event, Kind
from aesfab.folder.collateral.timing import Trace, Value

SHIPPED = Path(__file__).with_name("clocks.jsonl")
"""Clocks of scenes, a line for each scene of an engine."""

Clocks = tuple[tuple[int, ...], ...]
"""The clocks since a reset in which something is taken or leaves, by ``Kind``."""

_PREFIX = {Kind.KEY: "s_key", Kind.DESCRIPTOR: "s_desc", Kind.BEAT: "s_data"}
_AFTER = {Kind.KEY: Kind.DESCRIPTOR, Kind.DESCRIPTOR: Kind.KEY, Kind.BEAT: Kind.DESCRIPTOR}
"""What has to be taken before, see ``scenes.Taken``."""
_TAIL = 2
"""Clocks behind the last result."""


def clocks(events: Sequence[Event]) -> Clocks:
    """The clocks of a run."""
    return tuple(tuple(each.clock for each in events if each.kind is kind) for kind in Kind)


@functools.cache
def kept() -> dict[tuple[str, str], Clocks]:
    """The clocks that came with this AESFab, by the words of an engine and the name of a scene."""
    lines = map(json.loads, SHIPPED.read_text().splitlines())
    return {(each["engine"], each["scene"]): tuple(map(tuple, each["clocks"])) for each in lines}


def differences(model: AnyModel[Any]) -> list[str]:
    """What runs of an engine do in another way than its diagrams show, a line for each scene.

    An engine without kept clocks has none. Raises CoreError as ``model.run``.
    """
    engine, wrong = model.named.engine, list[str]()
    own = next((of for of, each in _alike(model.named) if each.engine == engine), "")
    for name, scene in scenes.of(engine).items():
        if (known := kept().get((own, name))) is None:
            continue
        found = model.run(scene.steps)
        left = [(e.keep, e.last, e.user, e.stream) for e in found if e.kind is Kind.RESULT]
        if left != [(each.keep, each.last, each.user, each.stream) for each in scene.left]:
            wrong.append(f"the results of {name} are not those of its diagram: {left}")
        elif (seen := clocks(found)) != known:
            wrong.append(f"the clocks of {name} are {seen}, not those of its diagram")
    return wrong


def _alike(named: Entry[Any]) -> list[tuple[str, Entry[Any]]]:
    """Engines with kept clocks, by their words, those that are most alike first."""
    from aesfab.engine import every

    def unlike(each: Entry[Any]) -> tuple[bool, ...]:
        its, mine = each.engine.core.design, named.engine.core.design
        return (
            each.engine != named.engine,
            each.engine.serial is not named.engine.serial,
            each.name != named.name,
            each.engine.core.name != named.engine.core.name,
            its.architecture is not mine.architecture,
            bool(each.overrides),
        )

    found = []
    for of in dict.fromkeys(engine for engine, _ in kept()):
        name, *overrides = of.split()
        other = every.find(name, overrides)
        if type(other.engine) is type(named.engine):
            found.append((of, other))
    return sorted(found, key=lambda each: unlike(each[1]))


def traces(named: Entry[Any]) -> dict[str, Trace]:
    """The diagrams of an engine by their names.

    With the clocks of this engine where a run of it is kept, under any of its names. Otherwise they
    are of the engine that is most alike and in whose run the same happens, and a note says so;
    without one, a diagram is left out.
    """
    found, others = dict[str, Trace](), _alike(named)
    for name, scene in scenes.of(named.engine).items():
        for other, each in others:
            its = scenes.of(each.engine).get(name)
            if its is None or its.shape != scene.shape:
                continue
            drawn = trace(named, scene, kept()[other, name])
            if each.engine != named.engine:
                note = f"The clocks are those of {other}; other cores and axes have others."
                drawn = dataclasses.replace(drawn, notes=(*drawn.notes, note))
            found[name] = drawn
            break
    return found


def offered(scene: Scene, known: Clocks) -> list[tuple[int, int]]:
    """From when on each value of a scene is offered, and when it is taken: as early as can be."""
    found, taken = [], dict.fromkeys(Kind, 0)
    for each in scene.taken:
        number = taken[each.kind]
        own, others = known[each.kind], known[_AFTER[each.kind]]
        start = max(
            own[number - 1] + 1 if number else 0, others[each.after - 1] + 1 if each.after else 0
        )
        found.append((start, known[each.kind][number]))
        taken[each.kind] += 1
    return found


def trace(named: Entry[Any], scene: Scene, known: Clocks) -> Trace:
    """The ports of an engine in each clock of a scene, all streams ready."""
    times = offered(scene, known)
    both = list(zip(scene.taken, times, strict=True))
    if scene.keys:
        # The first key has waited until all slots are cleared.
        begin = known[Kind.KEY][0] - 1
    else:
        begin = min(start for each, (start, _) in both if each.kind is not Kind.KEY) - 1
    end = max(clock for of_kind in known for clock in of_kind) + _TAIL
    count = end - begin
    rows: dict[str, list[Value]] = {}
    for kind, prefix in _PREFIX.items():
        if kind is Kind.KEY and not scene.keys:
            continue
        valid, ready = [0] * count, [None] * count
        rows[f"{prefix}_tvalid_i"], rows[f"{prefix}_tready_o"] = list(valid), list(ready)
        for each, (start, taken) in both:
            if each.kind is not kind:
                continue
            for clock in range(max(start - begin, 0), taken - begin + 1):
                rows[f"{prefix}_tvalid_i"][clock] = 1
                rows[f"{prefix}_tready_o"][clock] = int(clock == taken - begin)
                for name, value in each.shown.items():
                    row = rows.setdefault(f"{prefix}_{name}_i", [None] * count)
                    row[clock] = value
    rows["m_data_tready_i"] = [1] * count
    rows["m_data_tvalid_o"] = [0] * count
    for left, clock in zip(scene.left, known[Kind.RESULT], strict=True):
        rows["m_data_tvalid_o"][clock - begin] = 1
        for name, value in left.shown.items():
            rows.setdefault(f"m_data_{name}_o", [None] * count)[clock - begin] = value
    ports = [port for port in named.engine.ports() if port.name in rows]
    return Trace(
        scene.title,
        (*scene.legend, _said(scene, known, begin)),
        {port.name: rows[port.name] for port in ports if port.is_input},
        {port.name: rows[port.name] for port in ports if not port.is_input},
        kept=1,
    )


def _said(scene: Scene, known: Clocks, begin: int) -> str:
    """A line of the clocks."""
    ends = [
        clock - begin
        for left, clock in zip(scene.left, known[Kind.RESULT], strict=True)
        if left.last
    ]
    if len(ends) > 1:
        steps = " and ".join(str(after - before) for before, after in itertools.pairwise(ends))
        return f"The first result ends in clock {ends[0]}; each next one {steps} clocks later."
    beats = [clock - begin for clock in known[Kind.BEAT]]
    first = known[Kind.DESCRIPTOR][0] - begin
    return (
        f"The descriptor is taken in clock {first}, the last beat in clock {beats[-1]}; "
        f"the result ends in clock {ends[0]}."
    )
