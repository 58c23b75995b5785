# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Verification of a sector engine through its pins: known answers, random and wrong sectors."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Iterable, Sequence
from functools import partial

from aesfab.eda.simulate import Progress, silent
from aesfab.engine import verify as of_packets
from aesfab.engine.bench import READY, Pace
from aesfab.engine.packets import (
    ALL,
    BLOCK,
    CLEAR,
    CLEAR_ALL,
    AnyRandomKeys,
    Error,
    Kind,
    descriptor_step,
    key_step,
)
from aesfab.engine.streams.verify import broken_beats
from aesfab.engine.verify import Evidence, run
from aesfab.engine.xts import bench, vectors
from aesfab.engine.xts.bench import Key, Model, Script
from aesfab.engine.xts.sectors import OF_TWEAKS, Sector, key_steps
from aesfab.engine.xts.spec import Engine
from aesfab.engine.xts.vectors import Answer

PACES: tuple[Pace, ...] = of_packets.PACES
"""Stalls on no stream, on all, on each; and resets while sectors are under way."""

# Blocks of a sector, and bytes beside them.
_BLOCKS = (1, 1, 2, 2, 3, 4, 5, 8, 9, 32)
_REST = (0, 0, 0, 1, 2, 7, 8, 14, 15)


def verify(
    model: Model, *, every_answer: bool, seed: int = 1, progress: Progress = silent
) -> Evidence:
    """Run all checks of a sector engine.

    Args:
        model: the engine.
        every_answer: all known answers of its directions and key size, or every fiftieth.
        seed: of what is random.
        progress: told of each step.
    """
    answers = fitting((*vectors.nist(), *vectors.cbc()), model.named.engine)
    if not every_answer:
        answers = answers[seed % 50 :: 50]
    return run(
        model,
        [
            ("known answers", lambda: known_answers(model, answers)),
            ("random sectors", lambda: random_sectors(model, 120, seed)),
            ("wrong sectors", lambda: random_sectors(model, 120, seed + 1, wrong=0.4)),
            ("clocks", lambda: clocks(model)),
        ],
        progress,
    )


def fitting(answers: Iterable[Answer], engine: Engine) -> list[Answer]:
    """Those of the mode, the directions and the key size of an engine."""
    has, size = engine.directions, engine.keys_of_slot * engine.key_port_bytes
    return [
        a
        for a in answers
        if a.sector.mode == engine.mode and a.sector.decrypt in has and len(a.keys) == size
    ]


def known_answers(
    model: Model, answers: Sequence[Answer], pace: Pace = READY
) -> tuple[int, list[str]]:
    """Known answers, each under keys of its own; count and failures."""
    engine, wrong = model.named.engine, list[str]()
    for begin in range(0, len(answers), 2000):
        piece = answers[begin : begin + 2000]
        steps = bytearray()
        for number, answer in enumerate(piece):
            slot = number % engine.num_slots
            count, after = engine.keys_of_slot, max(0, number + 1 - engine.num_slots)
            steps += key_steps(slot, answer.keys, count, after)
            steps += dataclasses.replace(answer.sector, slot=slot).steps(count * (number + 1))
        got = bench.results(model.run(bytes(steps), pace))
        for answer, result in zip(piece, got, strict=True):
            if result != answer.result:
                wrong.append(f"{answer.source}: {result}")
    return len(answers), wrong


class _RandomKeys(AnyRandomKeys):
    """Keys of random sectors, one or two of a slot.

    Attributes:
        steps: their records.
        given: all of them.
        slots: those of sectors.
    """

    def __init__(self, rng: random.Random, engine: Engine, count: int) -> None:
        """Each slot takes its keys, for so many sectors."""
        self.given: list[Key] = []
        self._size, self._both = engine.key_port_bytes, (False, True)[: engine.keys_of_slot]
        super().__init__(rng, engine.num_slots, count, 0.2)
        every = range(engine.num_slots)
        self.slots = rng.sample(every, min(engine.num_slots, rng.choice((1, 3, 64))))

    def _write(self, slot: int, after: int) -> None:
        self._halves(slot, after, self._both)

    def _halves(self, slot: int, after: int, halves: Sequence[bool]) -> None:
        for of_tweaks in halves:
            key = self._rng.randbytes(self._size)
            self.given.append((slot, of_tweaks, key))
            user = OF_TWEAKS * of_tweaks
            self.steps += key_step(slot, key, length=0, user=user, after=after)

    def _change(self, number: int) -> None:
        rng = self._rng
        slot, after, kind = rng.choice(self.slots), max(0, number - rng.randrange(5)), rng.random()
        if kind < 0.2:
            # Of which key is not looked at. What comes alone afterwards makes no pair.
            self.given.append((slot, False, None))
            self.steps += key_step(slot, user=CLEAR | rng.choice((0, OF_TWEAKS)), after=after)
            if rng.random() < 0.5:
                self._halves(slot, after, [rng.choice(self._both)])
        elif kind < 0.3:
            # There is no such slot, and the key is lost.
            self._write(slot + self._slots, after)
        elif kind < 0.4:
            self._halves(slot, after, [rng.choice(self._both)])
        else:
            self._write(slot, after)

    def _clear_all(self) -> list[int]:
        self.given.append((ALL, False, None))
        self.slots = self._some(self.slots)
        return self.slots


def script(engine: Engine, count: int, seed: int, wrong: float = 0.0) -> Script:
    """Random sectors, with keys that are written, half of them written and cleared meanwhile.

    Args:
        engine: what they are for.
        count: how many.
        seed: of what is random.
        wrong: the part of them that makes no sense.
    """
    rng = random.Random(seed)
    keys, sectors, steps = _RandomKeys(rng, engine, count), list[Sector](), bytearray()
    for number in range(count):
        after = keys.before(number)
        sector = _sector(rng, engine, rng.choice(keys.slots))
        if rng.random() < wrong:
            sector = _break(rng, engine, sector)
        sectors.append(sector)
        steps += sector.steps(after)
    return Script(bytes(keys.steps + steps), tuple(keys.given), tuple(sectors), engine.keys_of_slot)


def _sector(rng: random.Random, engine: Engine, slot: int) -> Sector:
    rest = 0 if engine.cbc else rng.choice(_REST)
    text = rng.randbytes(BLOCK * rng.choice(_BLOCKS) + rest)
    # Tweaks that differ little, and any.
    tweak = rng.choice((rng.randrange(1 << 8), rng.randrange(1 << 128))).to_bytes(BLOCK, "little")
    return Sector(slot, tweak, text, rng.choice(engine.directions), mode=engine.mode)


def _break(rng: random.Random, engine: Engine, good: Sector) -> Sector:
    """A sector that makes no sense, out of one that does."""
    kind = rng.randrange(4)
    if kind == 0:
        missing = [each for each in (False, True) if each not in engine.directions]
        if missing and rng.random() < 0.5:
            return dataclasses.replace(good, decrypt=missing[0], error=Error.MODE)
        others = [mode for mode in range(8) if mode != good.mode]
        return dataclasses.replace(good, mode=rng.choice(others), error=Error.MODE)
    if kind == 1:
        slot = rng.randrange(engine.num_slots, 256)
        return dataclasses.replace(good, slot=slot, error=Error.SLOT)

    def more(after: bool, last: bool) -> list[tuple[int, bool]]:
        alone = [(0x7FFF, True), (0x0001, True)] if engine.cbc or not after else []
        return [(0x0000, last), *alone]

    beats = broken_beats(rng, more)
    return dataclasses.replace(good, text=b"", raw=beats, error=Error.BEAT)


def random_sectors(
    model: Model, count: int, seed: int, paces: Sequence[Pace] = PACES, wrong: float = 0.0
) -> tuple[int, list[str]]:
    """Random sectors, some of them without sense; count and failures."""
    engine, failures = model.named.engine, []
    for number, pace in enumerate(paces):
        given = script(engine, count, 100 * seed + number, wrong)
        failures += bench.differences(given, model.run(given.steps, pace, probe(engine)))
    return count * len(paces), failures + (_cleared(model) if wrong else [])


def _keys(engine: Engine) -> bytes:
    """Keys of a slot, one behind the other."""
    return bytes(range(engine.keys_of_slot * engine.key_port_bytes))


def probe(engine: Engine) -> bytes:
    """The records of a sector that is right where its slot has its keys."""
    return _plain(engine).steps()


def _plain(engine: Engine) -> Sector:
    return Sector(0, text=bytes(BLOCK), decrypt=engine.directions[0], mode=engine.mode)


def _cleared(model: Model) -> list[str]:
    """After all slots are cleared, a sector finds no keys."""
    engine = model.named.engine
    count = engine.keys_of_slot
    steps = key_steps(0, _keys(engine), count) + key_step(0, user=CLEAR_ALL)
    steps += _plain(engine).steps(count + 1)
    (result,) = bench.results(model.run(steps))
    if result.error is Error.SLOT:
        return []
    return [f"after all slots are cleared a sector gives {result.error.name}"]


_LINE = 12
"""Sectors in line whose clocks are counted; as many again before them fill the queues."""


def clocks(model: Model) -> tuple[int, list[str]]:
    """Clocks of sectors beside those that the engine promises; count and failures."""
    engine, wrong, counted = model.named.engine, list[str](), 0
    for decrypt in engine.directions:
        for blocks in (1, 2, 3, 8, 32, 33):
            found, promised = sector_clocks(model, blocks, decrypt), engine.sector_clocks(blocks)
            counted += _LINE
            # First and last sector of the line may meet the core at other points of its turn.
            if found * _LINE > promised * _LINE + 2 * engine.core.design.interval():
                wrong.append(f"sectors of {blocks} blocks take {found:g} clocks, not {promised}")
            if engine.cbc:
                continue
            stolen = sector_clocks(model, blocks, decrypt, rest=5)
            most = engine.sector_clocks(blocks + 1) + engine.steal_clocks
            if stolen > most:
                wrong.append(
                    f"sectors of {blocks} blocks and 5 bytes take {stolen:g} clocks, not {most}"
                )
        if (found := block_clocks(model, decrypt)) != engine.latency():
            wrong.append(f"a block takes {found} clocks, not {engine.latency()}")
        lines = (partial(_of_keys, engine, more=more, decrypt=decrypt) for more in (0, 8))
        wrong += of_packets.key_change(model, *lines)
    if (found := _reset_clocks(model)) != engine.reset_clocks:
        wrong.append(
            f"the first key is taken {found} clocks after a reset, not {engine.reset_clocks}"
        )
    return counted, wrong


def _of_keys(engine: Engine, slots: Sequence[int], *, more: int, decrypt: bool) -> bytes:
    """Sectors of these slots, so long that none waits for its tweak, and of some blocks more.

    Their blocks are odd in number: in a loop of two places the next one waits for its place.
    """
    interval, _, least = engine.sector_costs()
    text, count = bytes(BLOCK * (more + math.ceil(least / interval) | 1)), engine.keys_of_slot
    steps = b"".join(
        key_steps(slot, _keys(engine)[slot:] + bytes(slot), count) for slot in range(2)
    )
    sectors = (Sector(slot, bytes(BLOCK), text, decrypt, mode=engine.mode) for slot in slots)
    return steps + b"".join(sector.steps(2 * count) for sector in sectors)


def _line(model: Model, count: int, blocks: int, decrypt: bool, rest: int = 0) -> bytes:
    """The records of sectors in line; where keys travel, each has a slot of its own."""
    engine, rng = model.named.engine, random.Random(1)
    slots = 1 if engine.core.design.stored_keys else engine.num_slots
    of_slot = engine.keys_of_slot
    steps = b"".join(
        key_steps(slot, rng.randbytes(of_slot * engine.key_port_bytes), of_slot)
        for slot in range(slots)
    )
    for number in range(count):
        text = rng.randbytes(BLOCK * blocks + rest)
        sector = Sector(number % slots, rng.randbytes(BLOCK), text, decrypt, mode=engine.mode)
        steps += sector.steps(of_slot * slots if number == 0 else 0)
    return steps


def sector_clocks(model: Model, blocks: int, decrypt: bool = False, rest: int = 0) -> float:
    """Clocks from sector to sector, of sectors in line with all streams ready."""
    # Behind them are more, so that there are tweaks to come.
    found = model.run(_line(model, 3 * _LINE, blocks, decrypt, rest))
    ends = [event.clock for event in found if event.kind is Kind.RESULT and event.last]
    return (ends[2 * _LINE - 1] - ends[_LINE - 1]) / _LINE


def block_clocks(model: Model, decrypt: bool = False) -> int:
    """Clocks from a beat to its result, of one that waits for nothing.

    It is of the second sector: T-boxes may have to be filled for the first. Keys of another slot
    are written until its tweak is there, and then a sector without sense is described, for which
    the beat waits. A core may not be ready in each clock: the least is taken of beats that come a
    clock later each.
    """
    engine, found = model.named.engine, list[int]()
    keys, of_slot = _keys(engine), engine.keys_of_slot
    good = Sector(0, text=bytes(BLOCK), decrypt=decrypt, mode=engine.mode)
    bad = dataclasses.replace(good, mode=0, error=Error.MODE)
    core = engine.core.design
    beside = engine.tweak_design or core
    # A clock each at least; a change of direction takes T-boxes 257.
    pairs = core.latency() + beside.latency() + 300 + (core.key_setup() if core.stored_keys else 0)
    steps = key_steps(0, keys, of_slot)
    steps += 2 * descriptor_step(good.descriptor(), after=of_slot)
    steps += key_steps(1, keys, of_slot) * pairs
    steps += descriptor_step(bad.descriptor(), after=of_slot + of_slot * pairs)
    for each, after in ((good, 1), (good, 3), (bad, 3)):
        steps += each.beats()[0].step(0, after)
    for late in range(min(math.ceil(core.interval()), 15) + 1):
        seen = model.run(steps, Pace(late=late))
        beat, result = (
            [event.clock for event in seen if event.kind is kind][1]
            for kind in (Kind.BEAT, Kind.RESULT)
        )
        found.append(result - beat)
    return min(found)


def _reset_clocks(model: Model) -> int:
    """The clock in which a key is taken that is offered from the reset on."""
    engine = model.named.engine
    found = model.run(key_steps(0, _keys(engine), engine.keys_of_slot))
    return next(event.clock for event in found if event.kind is Kind.KEY)
