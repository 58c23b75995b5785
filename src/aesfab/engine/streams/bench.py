# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Messages through the pins of a simulated stream engine: the verdict on them."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from aesfab.eda.simulate import CoreError
from aesfab.engine.bench import AnyModel
from aesfab.engine.packets import Error, Event, GivenKey, Kind, give
from aesfab.engine.streams.catalogue import NamedStreams
from aesfab.engine.streams.messages import ERRORS, Message, Result


@dataclasses.dataclass(frozen=True)
class Script:
    """What goes in, and what it means.

    Attributes:
        steps: records of keys, descriptors and beats, in the order of each channel.
        keys: slot and key of each of them.
        messages: stream and message, in the order of the descriptors.
    """

    steps: bytes
    keys: tuple[GivenKey, ...]
    messages: tuple[tuple[int, Message], ...]


Model: TypeAlias = AnyModel[NamedStreams]
"""A stream engine that can be run."""


def results(found: Iterable[Event]) -> dict[int, list[Result]]:
    """The messages that came out, by stream, in their order.

    Raises CoreError for beats that no message has: a partial one before the last, ok with an error.
    """
    done: dict[int, list[Result]] = defaultdict(list)
    texts: dict[int, bytearray] = defaultdict(bytearray)
    for event in found:
        if event.kind is not Kind.RESULT:
            continue
        where, text = f"of stream {event.stream}, in clock {event.clock}", texts[event.stream]
        length = event.keep.bit_count()
        if event.keep != (1 << length) - 1 or (length < 16 and not event.last):
            raise CoreError(f"tkeep of a result is {event.keep:#06x}, {where}")
        if any(event.data[length:]):
            raise CoreError(f"bytes that do not count are not zero, {where}")
        last, ok, code = event.user & 1, event.user >> 1 & 1, event.user >> 2
        if last != event.last or (not last and event.user) or (last and ok != (code == 0)):
            raise CoreError(f"tuser of a result is {event.user:#x}, {where}")
        if code not in ERRORS or (code and length):
            raise CoreError(f"a result has error {code} and {length} bytes, {where}")
        text += event.data[:length]
        if event.last:
            done[event.stream].append(Result(bytes(text), Error(code)))
            texts[event.stream] = bytearray()
    for stream, text in texts.items():
        if text:
            raise CoreError(f"a result of stream {stream} has no end")
    return done


def differences(script: Script, found: Sequence[Event]) -> list[str]:
    """What is wrong with the results of messages, a line for each message that is.

    The key that a message finds in its slot follows from the clock in which its descriptor was
    taken.
    """
    came = results(found)
    taken = [event for event in found if event.kind is Kind.DESCRIPTOR]
    wrong = []
    slots: dict[int, bytes] = {}
    done = 0
    numbers: dict[int, int] = defaultdict(int)
    for number, ((stream, message), event) in enumerate(zip(script.messages, taken, strict=True)):
        give(slots, script.keys[done : event.keys])
        done = event.keys
        expected = message.expected(slots.get(message.slot))
        place = numbers[stream]
        numbers[stream] += 1
        got = came[stream][place] if place < len(came[stream]) else None
        if got != expected:
            wrong.append(
                f"message {number} of stream {stream} (mode {message.mode}, "
                f"{'de' if message.decrypt else 'en'}cryption, {len(message.text)} bytes): "
                f"{short(got)} instead of {short(expected)}"
            )
    return wrong


def short(result: Result | None) -> str:
    """A result in a line."""
    if result is None:
        return "nothing"
    return f"{len(result.text)} bytes {result.text[:8].hex()}.., {result.error.name}"
