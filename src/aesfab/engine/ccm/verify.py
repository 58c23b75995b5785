# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Verification of a CCM engine through its pins: known answers, random and wrong packets."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Sequence
from functools import partial

from aesfab.eda.simulate import Progress, silent
from aesfab.engine import bench
from aesfab.engine import verify as of_packets
from aesfab.engine.bench import READY, Pace
from aesfab.engine.ccm import vectors
from aesfab.engine.ccm.bench import Model
from aesfab.engine.ccm.packets import NONCES, TAGS, Packet
from aesfab.engine.ccm.spec import MOST_AAD, Engine
from aesfab.engine.ccm.vectors import Answer
from aesfab.engine.packets import CLEAR_ALL, NO_TAG, Beat, Error, Kind, RandomKeys, Raw, key_step
from aesfab.engine.verify import Evidence, run

PACES: tuple[Pace, ...] = (*of_packets.PACES, Pace(beats=254, seed=9))
"""Stalls on no stream, on all, on each; resets while packets are under way; beats that come
seldom, so the core is done with what it has."""

# Around every boundary: of blocks, and of AAD two bytes before it.
_TEXTS = (0, 0, 1, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 100)
_LONG = 16 * 257
"""Bytes of text of one packet: the count of its blocks has a carry."""
_AADS = (0, 0, 1, 13, 14, 15, 16, 17, 29, 30, 31, 32, 33, 46, 47, 48, 64, 80)


def verify(
    model: Model, *, every_answer: bool, seed: int = 1, progress: Progress = silent
) -> Evidence:
    """Run all checks of a CCM engine.

    Args:
        model: the engine.
        every_answer: all known answers of its key size, or every fiftieth.
        seed: of what is random.
        progress: told of each step.
    """
    answers = fitting((*vectors.nist(), *vectors.wycheproof()), model.named.engine)
    if not every_answer:
        answers = answers[seed % 50 :: 50]
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


def fitting(answers: Iterable[Answer], engine: Engine) -> list[Answer]:
    """Those of the key size of an engine, with no more text than may wait for its tag."""
    held = engine.most_held
    return [
        a
        for a in answers
        if len(a.key) == engine.key_port_bytes
        and not (held is not None and a.packet.decrypt and len(a.packet.text) > 16 * held)
    ]


def known_answers(
    model: Model, answers: Sequence[Answer], pace: Pace = READY
) -> tuple[int, list[str]]:
    """Known answers, each under a key that is written into a slot in turn; count and failures."""
    slots, wrong = model.named.engine.num_slots, list[str]()
    for begin in range(0, len(answers), 2000):
        piece = answers[begin : begin + 2000]
        steps = bytearray()
        for number, answer in enumerate(piece):
            slot, after = number % slots, max(0, number + 1 - slots)
            steps += key_step(slot, answer.key, length=0, after=after)
            packet = dataclasses.replace(answer.packet, slot=slot, after=number + 1)
            steps += packet.steps()
        got = bench.results(model.run(bytes(steps), pace))
        for answer, result in zip(piece, got, strict=True):
            if not answer.agrees(result):
                wrong.append(f"{answer.source}: {result}")
    return len(answers), wrong


def random_packets(
    model: Model, count: int, seed: int, paces: Sequence[Pace] = PACES
) -> tuple[int, list[str]]:
    """Random packets with keys that are written and cleared meanwhile; count and failures.

    Of decrypted packets one in five has a wrong tag, in a bit that is random. The last one is long.
    """
    engine, rng = model.named.engine, random.Random(seed)
    fits = engine.most_held is None or 16 * engine.most_held >= _LONG
    keys = RandomKeys(rng, engine.num_slots, [engine.key_port_bytes], count, length=0)
    steps, packets = bytearray(), list[Packet]()
    for number in range(count):
        after = keys.before(number)
        packet = Packet(
            keys.slot(),
            rng.randbytes(rng.choice(NONCES)),
            rng.randbytes(_LONG if number == count - 1 and fits else rng.choice(_TEXTS)),
            rng.randbytes(rng.choice(_AADS)),
            rng.random() < 0.5,
            tag_length=rng.choice(TAGS),
            after=after,
        )
        if packet.decrypt:
            key = keys.held.get(packet.slot)
            tag = bytes(packet.tag_length) if key is None else packet.right_tag(key)
            if rng.random() < 0.2:
                bit = rng.randrange(8 * len(tag))
                tag = (int.from_bytes(tag, "big") ^ 1 << bit).to_bytes(len(tag), "big")
            packet = dataclasses.replace(packet, tag=tag)
        packets.append(packet)
        steps.extend(packet.steps())
    wrong = []
    for pace in paces:
        found = model.run(bytes(keys.steps + steps), pace, _PROBE)
        wrong += bench.differences(model.named, packets, keys.given, found)
    return count * len(paces), wrong


_PROBE = Packet(0, bytes(13), bytes(16)).steps()
"""A packet that is right where its slot has a key."""


def _beats(*parts: tuple[int, int, bool]) -> list[Raw]:
    """Beats out of kind, number of bytes and tlast."""
    return [Raw(bytes(range(16)), kind, (1 << size) - 1, last) for kind, size, last in parts]


def _cases(plain: Packet, num_slots: int) -> list[tuple[bytes, list[Raw], Error]]:
    """Descriptors and beats that make no sense, with the error that each ends with."""
    text, aad, tag = Beat.TEXT, Beat.AAD, Beat.TAG
    opened = dataclasses.replace(plain, decrypt=True)
    one, size = _beats((text, 16, True)), {"text_length": 16}

    def beats(packet: Packet, given: list[Raw], **lengths: int) -> tuple[bytes, list[Raw], Error]:
        return packet.descriptor(**lengths), given, Error.BEAT

    cases = [(plain.descriptor(mode=mode, **size), one, Error.MODE) for mode in (0, 1, 2, 7, 9, 12)]
    cases += [
        (plain.descriptor(mode=3), [], Error.MODE),
        (opened.descriptor(mode=3), _beats((tag, 16, True)), Error.MODE),
        (
            plain.descriptor(slot=128, text_length=19),
            _beats((text, 16, False), (text, 3, True)),
            Error.SLOT,
        ),
        (plain.descriptor(slot=255, **size), one, Error.SLOT),
        (plain.descriptor(slot=num_slots, **size), one, Error.SLOT),
    ]
    cases += [(plain.descriptor(nonce_length=n, **size), one, Error.IV) for n in (0, 6, 14, 255)]
    cases += [
        (plain.descriptor(tag_length=each, **size), one, Error.TAG_LENGTH)
        for each in (0, 2, 3, 5, 15, 17, 18, 20, 255)
    ]
    cases += [
        (plain.descriptor(aad_length=each), _beats((aad, 16, True)), Error.LENGTH)
        for each in (MOST_AAD + 1, 0xFFFF)
    ]
    return [
        *cases,
        beats(plain, _beats((text, 15, True)), text_length=16),
        beats(plain, _beats((text, 16, True)), text_length=15),
        beats(plain, _beats((text, 16, False), (text, 1, True)), text_length=16),
        beats(plain, _beats((text, 16, True)), text_length=17),
        beats(plain, _beats((text, 3, False), (text, 16, True)), text_length=19),
        beats(plain, _beats((text, 16, False), (text, 16, False), (text, 7, True)), text_length=40),
        beats(
            opened, _beats((text, 16, False), (text, 16, False), (text, 7, True)), text_length=40
        ),
        beats(plain, [Raw(bytes(16), text, 0x0005, True)], text_length=2),
        beats(plain, [Raw(bytes(16), text, 0, True)], text_length=1),
        beats(plain, _beats((aad, 16, True)), text_length=16),
        beats(plain, _beats((text, 16, True)), aad_length=16),
        beats(plain, _beats((Beat.IV, 12, True)), text_length=12),
        beats(plain, _beats((aad, 16, True)), aad_length=16, text_length=16),
        beats(plain, _beats((aad, 15, False), (text, 16, True)), aad_length=16, text_length=16),
        beats(plain, _beats((aad, 16, False), (text, 16, True)), aad_length=32, text_length=16),
        beats(plain, _beats((aad, 16, False), (text, 16, True)), aad_length=16),
        beats(opened, _beats((text, 16, True)), text_length=16),
        beats(opened, _beats((text, 16, False), (tag, 16, False), (tag, 16, True)), **size),
        beats(opened, _beats((text, 16, False), (tag, 14, True)), **size),
        beats(opened, _beats((text, 16, False), (text, 16, True)), **size),
        beats(opened, _beats((text, 16, True))),
        beats(opened, _beats((aad, 16, True)), aad_length=16),
        beats(plain, _beats((tag, 16, True)), text_length=16),
    ]


def wrong_packets(
    model: Model, seed: int = 1, paces: Sequence[Pace] = PACES
) -> tuple[int, list[str]]:
    """Packets that make no sense, each followed by a right one; count and failures.

    Each has to end with its error, and the packet behind it has to come out as if alone.
    """
    engine, rng = model.named.engine, random.Random(seed)
    keys = [rng.randbytes(engine.key_port_bytes) for _ in range(2)]
    # A key for a slot that there is not: it is taken, and nothing is written.
    nowhere = engine.num_slots
    plain = Packet(0, rng.randbytes(13), after=3)
    cases = _cases(plain, nowhere) + _cases(dataclasses.replace(plain, slot=1), nowhere)
    steps = bytearray(b"".join(key_step(n, key, length=0) for n, key in enumerate(keys)))
    steps += key_step(nowhere, rng.randbytes(engine.key_port_bytes), length=0)
    wanted: list[Packet | Error] = []
    for number, (descriptor, beats, error) in enumerate(cases):
        nonce, text, aad = (rng.randbytes(size) for size in (7 + number % 7, 35, number))
        good = Packet(number // 2 % 2, nonce, text, aad)
        steps += descriptor + b"".join(beat.step() for beat in beats) + good.steps()
        wanted += [error, good]
    wrong = []
    for pace in paces:
        got = bench.results(model.run(bytes(steps), pace, _PROBE))
        for number, (want, result) in enumerate(zip(wanted, got, strict=True)):
            if isinstance(want, Packet):
                if result != want.expected(keys[want.slot]):
                    wrong.append(f"the packet after case {number // 2} is {result}")
            elif result.error is not want or result.tag != NO_TAG:
                wrong.append(f"case {number // 2} gives {result.error.name}, not {want.name}")
    cleared = bytes(
        key_step(0, keys[0], length=0)
        + key_step(0, user=CLEAR_ALL)
        + dataclasses.replace(plain, text=bytes(5), after=2).steps()
    )
    (last,) = bench.results(model.run(cleared))
    if last.error is not Error.SLOT:
        wrong.append(f"after all slots are cleared a packet gives {last.error.name}")
    return len(cases) * len(paces), wrong


_LINE = 12
"""Packets in line whose clocks are counted; as many again before them."""


def clocks(model: Model) -> tuple[int, list[str]]:
    """Clocks from packet to packet beside those that the engine promises; count and failures."""
    engine = model.named.engine
    wrong, counted = [], 0
    for aad, text in ((0, 0), (0, 1), (0, 2), (0, 4), (0, 32), (1, 0), (1, 1), (2, 4), (7, 1)):
        for decrypt in (False, True):
            found = packet_clocks(model, aad, text, decrypt=decrypt)
            promised = engine.packet_clocks(aad, text, decrypt=decrypt)
            counted += _LINE
            if not 0.9 * promised - 8 <= found <= promised:
                wrong.append(
                    f"packets of {aad} blocks of AAD and {text} of text take {found:g} clocks "
                    f"each, not {promised}"
                )
    wrong += of_packets.key_change(model, partial(_of_keys, engine))
    if (found := beat_clocks(model)) != engine.latency():
        wrong.append(f"a beat takes {found} clocks, not {engine.latency()}")
    if (found := _reset_clocks(model)) != engine.reset_clocks:
        wrong.append(
            f"the first key is taken {found} clocks after a reset, not {engine.reset_clocks}"
        )
    return counted + 2, wrong


def _of_keys(engine: Engine, slots: Sequence[int]) -> bytes:
    """Packets of these slots."""
    keys = [bytes([each]) * engine.key_port_bytes for each in range(2)]
    steps = b"".join(key_step(slot, key, length=0) for slot, key in enumerate(keys))
    packets = (Packet(slot, bytes(13), bytes(64), after=2) for slot in slots)
    return steps + b"".join(packet.steps() for packet in packets)


def _reset_clocks(model: Model) -> int:
    """The clock in which a key is taken that is offered from the reset on."""
    found = model.run(key_step(0, bytes(model.named.engine.key_port_bytes), length=0))
    return next(event.clock for event in found if event.kind is Kind.KEY)


_AAD_STEPS = 21
"""Clocks of a block of AAD beside its pass of the core, where all is a byte wide."""


def beat_clocks(model: Model) -> int:
    """Clocks from a beat of text to its result: the least of some, which come when all is done.

    One that is taken when it has gone through was offered for all that its block takes, but for the
    pass of the chain behind its result; a block of AAD says how long a pass is.
    """
    if not model.named.engine.serial:
        return _taken_clocks(model)
    text = packet_clocks(model, 0, 3) - packet_clocks(model, 0, 2)
    aad = packet_clocks(model, 3, 0) - packet_clocks(model, 2, 0)
    return _taken_clocks(model) + round(text - (aad - _AAD_STEPS))


def _taken_clocks(model: Model) -> int:
    """Clocks from a beat of text that is taken to its result: the least of some."""
    key = bytes(model.named.engine.key_port_bytes)
    steps = key_step(0, key, length=0) + Packet(0, bytes(13), bytes(16), after=1).steps()
    found = []
    for seed in range(8):
        seen = model.run(steps, bench.seldom(model.named.engine, seed))
        beat, result = (
            next(event.clock for event in seen if event.kind is kind)
            for kind in (Kind.BEAT, Kind.RESULT)
        )
        found.append(result - beat)
    return min(found)


def packet_clocks(model: Model, aad: int, text: int, *, decrypt: bool = False) -> float:
    """Clocks from packet to packet, of packets of one key in line with all streams ready.

    Args:
        model: the engine.
        aad: blocks of it; its length stands in the first one, so it has two bytes less.
        text: blocks of it.
        decrypt: the direction.
    """
    engine, rng = model.named.engine, random.Random(1)
    key = rng.randbytes(engine.key_port_bytes)
    steps = bytearray(key_step(0, key, length=0))
    for _ in range(2 * _LINE):
        packet = Packet(
            *(0, rng.randbytes(13), rng.randbytes(16 * text)),
            *(rng.randbytes(max(0, 16 * aad - 2)), decrypt),
            after=1,
        )
        if decrypt:
            packet = dataclasses.replace(packet, tag=packet.right_tag(key))
        steps += packet.steps()
    ends = [
        event.clock for event in model.run(bytes(steps)) if event.kind is Kind.RESULT and event.last
    ]
    return (ends[-1] - ends[_LINE - 1]) / (len(ends) - _LINE)
