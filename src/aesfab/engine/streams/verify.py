# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Verification of a stream engine through its pins: known answers, random and wrong messages."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Callable, Iterable, Sequence

from aesfab.eda.simulate import Progress, silent
from aesfab.engine import verify as of_packets
from aesfab.engine.bench import READY, Pace
from aesfab.engine.packets import ALL, CLEAR_ALL, Error, GivenKey, Kind, RandomKeys, key_step
from aesfab.engine.streams import bench, vectors
from aesfab.engine.streams.bench import Model, Script
from aesfab.engine.streams.messages import Message, Mode, Raw
from aesfab.engine.streams.spec import DESCRIPTOR_CLOCKS, Engine
from aesfab.engine.streams.vectors import Answer
from aesfab.engine.verify import Evidence, run

PACES: tuple[Pace, ...] = of_packets.PACES
"""Stalls on no channel, on all, on each; and resets while messages are under way."""

# Blocks of a message, and bytes beside them: around a block, and around the four beats that wait.
_BLOCKS = (0, 1, 1, 2, 3, 4, 5, 6, 9)
_REST = (0, 1, 2, 7, 8, 14, 15)


def modes(engine: Engine) -> tuple[tuple[Mode, bool], ...]:
    """Modes of an engine, each with the directions that it has."""
    cbc = (Mode.CBC, False)
    if not engine.chained:
        return (cbc,)
    return (
        cbc,
        (Mode.CFB, False),
        (Mode.CFB, True),
        (Mode.OFB, False),
        (Mode.OFB, True),
        (Mode.CMAC, False),
    )


def verify(
    model: Model, *, every_answer: bool, seed: int = 1, progress: Progress = silent
) -> Evidence:
    """Run all checks of a stream engine.

    Args:
        model: the engine.
        every_answer: all known answers of its modes and key size, or every fiftieth.
        seed: of what is random.
        progress: told of each step.
    """
    answers = answers_of(model.named.engine)
    if not every_answer:
        answers = answers[seed % 50 :: 50]
    return run(
        model,
        [
            ("known answers", lambda: known_answers(model, answers)),
            ("random messages", lambda: random_messages(model, 250, seed)),
            ("wrong messages", lambda: random_messages(model, 250, seed + 1, wrong=0.3)),
            ("clocks", lambda: clocks(model)),
        ],
        progress,
    )


def answers_of(engine: Engine) -> list[Answer]:
    """The known answers of the modes and the key size of an engine."""
    return fitting((*vectors.nist(), *vectors.wycheproof()), engine)


def fitting(answers: Iterable[Answer], engine: Engine) -> list[Answer]:
    """Those of the modes and the key size of an engine."""
    has = {mode for mode, _ in modes(engine)}
    return [a for a in answers if a.message.mode in has and len(a.key) == engine.key_port_bytes]


def known_answers(
    model: Model, answers: Sequence[Answer], pace: Pace = READY
) -> tuple[int, list[str]]:
    """Known answers, each under a key of its own, over all streams; count and failures."""
    engine, wrong = model.named.engine, list[str]()
    for begin in range(0, len(answers), 2000):
        piece = answers[begin : begin + 2000]
        steps = bytearray()
        for number, answer in enumerate(piece):
            slot, stream = number % engine.num_slots, number % engine.num_streams
            steps += key_step(slot, answer.key, after=max(0, number + 1 - engine.num_slots))
            message = dataclasses.replace(answer.message, slot=slot)
            steps += message.describe(stream, number + 1)
            for beat in message.beats():
                steps += beat.step(stream, number + 1)
        got = bench.results(model.run(bytes(steps), pace))
        for number, answer in enumerate(piece):
            result = got[number % engine.num_streams][number // engine.num_streams]
            if not answer.agrees(result):
                wrong.append(f"{answer.source}: {result}")
    return len(answers), wrong


def script(engine: Engine, count: int, seed: int, wrong: float = 0.0) -> Script:
    """Random messages over random streams, with keys that are written and cleared meanwhile.

    Args:
        engine: what they are for.
        count: how many.
        seed: of what is random.
        wrong: the part of them that makes no sense.
    """
    rng = random.Random(seed)
    sizes = [engine.key_port_bytes]
    keys = RandomKeys(rng, engine.num_slots, sizes, count, often=0.1, nowhere=0.1)
    messages: list[tuple[int, Message]] = []
    steps = bytearray()
    # Beats that are still to be sent, of each message of a stream.
    open_beats: dict[int, list[list[tuple[Raw, int]]]] = {
        stream: [] for stream in range(engine.num_streams)
    }
    busy = rng.sample(range(engine.num_streams), min(engine.num_streams, rng.choice((3, 200))))
    while len(messages) < count or any(open_beats.values()):
        stream = rng.choice(busy)
        waiting = open_beats[stream]
        if len(messages) < count and len(waiting) < 2 and rng.random() < (0.3 if waiting else 1):
            after = keys.before(len(messages))
            message = _message(rng, engine, keys.slot(), wrong)
            messages.append((stream, message))
            steps += message.describe(stream, after)
            waiting.append([(beat, len(messages)) for beat in message.beats()])
            continue
        for _ in range(rng.choice((1, 1, 1, 5))):
            if waiting:
                beat, number = waiting[0].pop(0)
                # Its descriptor has been taken, or it waits for it.
                steps += beat.step(stream, number if rng.random() < 0.5 else 0)
                if not waiting[0]:
                    waiting.pop(0)
    return Script(bytes(keys.steps + steps), tuple(keys.given), tuple(messages))


def _message(rng: random.Random, engine: Engine, slot: int, wrong: float) -> Message:
    mode, decrypt = rng.choice(modes(engine))
    blocks, rest = rng.choice(_BLOCKS), rng.choice(_REST)
    if mode is Mode.CBC:
        blocks, rest = max(1, blocks), 0
    good = Message(mode, slot, rng.randbytes(16), rng.randbytes(16 * blocks + rest), decrypt)
    return _break(rng, engine, good) if rng.random() < wrong else good


def _break(rng: random.Random, engine: Engine, good: Message) -> Message:
    """A message that makes no sense, out of one that does."""
    kind = rng.randrange(4)
    if kind == 0:
        has = {int(mode) for mode, _ in modes(engine)}
        mode = rng.choice([each for each in range(8) if each not in has])
        return dataclasses.replace(good, mode=mode, error=Error.MODE)
    if kind == 1:
        if good.mode == Mode.CBC:
            return dataclasses.replace(good, decrypt=True, error=Error.MODE)
        return dataclasses.replace(
            good, slot=rng.randrange(engine.num_slots, 256), error=Error.SLOT
        )

    def more(after: bool, last: bool) -> list[tuple[int, bool]]:
        del last
        behind = [(0x0000, True)] if after else []
        partial = [(0x0000, True), (0x7FFF, True), (0x0001, True)] if good.mode == Mode.CBC else []
        return [(0x0000, False), *behind, *partial]

    beats = broken_beats(rng, more)
    return dataclasses.replace(good, text=b"", raw=beats, error=Error.BEAT)


def broken_beats(
    rng: random.Random, more: Callable[[bool, bool], list[tuple[int, bool]]]
) -> tuple[Raw, ...]:
    """A few beats, then one that is wrong in itself, or at its place, and a few behind it.

    Args:
        rng: what is random.
        more: tkeep and tlast of beats that are wrong at their place, beside those that always are:
            of whether there are beats before, and of a tlast that does not matter.
    """
    before = [Raw(rng.randbytes(16), 0xFFFF, False) for _ in range(rng.randrange(4))]
    last = rng.random() < 0.5
    wrongs = [(0x0005, last), (0xFFFE, last), (0xEFFF, last), (0x8000, last), (0x7FFF, False)]
    wrongs += [(0x0001, False), *more(bool(before), last)]
    keep, ends = rng.choice(wrongs)
    beats = [*before, Raw(rng.randbytes(16), keep, ends)]
    if not ends:
        behind = rng.randrange(1, 4)
        beats += [
            Raw(rng.randbytes(16), rng.choice((0xFFFF, 0xFFFF, 0x00FF)), number == behind - 1)
            for number in range(behind)
        ]
    return tuple(beats)


def random_messages(
    model: Model, count: int, seed: int, paces: Sequence[Pace] = PACES, wrong: float = 0.0
) -> tuple[int, list[str]]:
    """Random messages, some of them without sense; count and failures."""
    engine, failures = model.named.engine, []
    for number, pace in enumerate(paces):
        given = script(engine, count, 100 * seed + number, wrong)
        failures += bench.differences(given, model.run(given.steps, pace, PROBE))
    return count * len(paces), failures + (_cleared(model) if wrong else [])


PROBE = Message(Mode.CBC, 0, text=bytes(16)).steps(0)
"""A message that is right where its slot has a key."""


def _cleared(model: Model) -> list[str]:
    """All slots are cleared beside descriptors: those behind it find no key, those before it do."""
    engine, keys, steps = model.named.engine, list[GivenKey](), bytearray()
    messages: list[tuple[int, Message]] = []
    for number in range(_CLEARED):
        key = bytes([number]) * engine.key_port_bytes
        keys += [(0, key), (ALL, None)]
        steps += key_step(0, key, after=number) + key_step(0, user=CLEAR_ALL, after=number)
        # It may be taken between the two, or behind them.
        stream = number % engine.num_streams
        messages.append((stream, Message(Mode.CBC, 0, text=bytes(16))))
        steps += messages[-1][1].steps(stream, 2 * number + 1 + number % 2)
    given = Script(bytes(steps), tuple(keys), tuple(messages))
    wrong = []
    for pace in (READY, Pace(keys=128, descriptors=128, seed=1)):
        wrong += bench.differences(given, model.run(given.steps, pace))
    return wrong


_CLEARED = 16
"""Times that all slots are cleared so."""

_WARM = 6
"""Blocks of each stream before those whose clocks are counted."""


def clocks(model: Model) -> tuple[int, list[str]]:
    """Clocks of blocks beside those that the engine promises; count and failures.

    With streams that fill the core, and with all, a block leaves each interval; with one alone,
    each turn. The first descriptor after a reset is taken in its clock, and the others at their
    distance.
    """
    engine, wrong, counted = model.named.engine, list[str](), 0
    # A loop takes as many blocks as it has places in one turn of it, not each at the same distance.
    rounds = engine.blocks_in_flight if engine.spaced else 6
    for streams in sorted({engine.streams_that_fill, engine.num_streams}):
        if streams > engine.num_streams:
            continue
        for mode, decrypt in modes(engine):
            if mode is Mode.CMAC:
                continue
            few, many = (
                block_clocks(model, blocks, streams, mode, decrypt)
                for blocks in (_WARM, _WARM + rounds)
            )
            counted += streams * rounds
            if many - few != streams * rounds * engine.interval():
                wrong.append(
                    f"{streams * rounds} blocks of {streams} streams take {many - few} clocks, "
                    f"not {streams * rounds * engine.interval()}"
                )
    if (found := block_clocks(model, 1, 1)) != engine.latency():
        wrong.append(f"a block alone takes {found} clocks, not {engine.latency()}")
    alone = block_clocks(model, _WARM + rounds, 1) - block_clocks(model, _WARM, 1)
    if alone != rounds * engine.turn_clocks:
        wrong.append(
            f"{rounds} blocks of one stream take {alone} clocks, not {rounds * engine.turn_clocks}"
        )
    if (found := _reset_clocks(model)) != engine.reset_clocks:
        wrong.append(
            f"the first descriptor is taken {found} clocks after a reset, not {engine.reset_clocks}"
        )
    if (apart := _descriptor_clocks(model)) != {DESCRIPTOR_CLOCKS}:
        wrong.append(f"descriptors are {sorted(apart)} clocks apart, not {DESCRIPTOR_CLOCKS}")
    return counted + rounds, wrong


def _descriptor_clocks(model: Model) -> set[int]:
    """Clocks from a descriptor to the next one, of messages of a block, one a stream."""
    message, streams = Message(Mode.CBC, 0, text=bytes(16)), model.named.engine.num_streams
    steps = key_step(0, bytes(model.named.engine.key_port_bytes))
    steps += b"".join(message.steps(stream, 1) for stream in range(streams))
    found = model.run(steps)
    taken = [event.clock for event in found if event.kind is Kind.DESCRIPTOR]
    return {after - before for before, after in itertools.pairwise(taken)}


def _reset_clocks(model: Model) -> int:
    """The clock in which a descriptor is taken that is offered from the reset on."""
    message = Message(Mode.CBC, 0, text=bytes(16))
    found = model.run(message.steps(0))
    return next(event.clock for event in found if event.kind is Kind.DESCRIPTOR)


def block_clocks(
    model: Model, blocks: int, streams: int, mode: Mode = Mode.CBC, decrypt: bool = False
) -> int:
    """Clocks from the first beat to the last result of messages of so many blocks, one a stream.

    Every channel is ready in each clock, messages have keys of their own, and their beats come in
    turn.
    """
    engine, rng = model.named.engine, random.Random(1)
    steps = bytearray()
    slots = engine.num_slots
    for slot in range(slots):
        steps += key_step(slot, rng.randbytes(engine.key_port_bytes))
    text = rng.randbytes(16 * blocks)
    messages = [
        Message(mode, stream % slots, rng.randbytes(16), text, decrypt) for stream in range(streams)
    ]
    for stream, message in enumerate(messages):
        steps += message.describe(stream, slots)
    for number in range(blocks):
        for stream, message in enumerate(messages):
            steps += message.beats()[number].step(stream, streams)
    found = model.run(bytes(steps))
    first = next(event.clock for event in found if event.kind is Kind.BEAT)
    return found[-1].clock - first
