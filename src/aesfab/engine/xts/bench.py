# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sectors through the pins of a simulated engine: the verdict on them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from aesfab.engine.bench import AnyModel
from aesfab.engine.packets import ALL, Event, Kind
from aesfab.engine.streams import bench as of_streams
from aesfab.engine.streams.messages import Result
from aesfab.engine.xts.catalogue import NamedXts
from aesfab.engine.xts.sectors import Sector

Key = tuple[int, bool, bytes | None]
"""A slot or ALL, whether it is the key of its tweaks, and the key; None clears the slot."""


@dataclasses.dataclass(frozen=True)
class Script:
    """What goes in, and what it means.

    Attributes:
        steps: records of keys, descriptors and beats, in the order of each channel.
        keys: those that are written, in their order.
        sectors: in the order of the descriptors.
        keys_of_slot: keys that a slot has.
    """

    steps: bytes
    keys: tuple[Key, ...]
    sectors: tuple[Sector, ...]
    keys_of_slot: int


Model: TypeAlias = AnyModel[NamedXts]
"""A sector engine that can be run."""


def results(found: Iterable[Event]) -> list[Result]:
    """The sectors that came out, in their order; CoreError for beats that none has."""
    return of_streams.results(found).get(0, [])


def differences(script: Script, found: Sequence[Event]) -> list[str]:
    """What is wrong with the results of sectors, a line for each that is.

    The keys that a sector finds in its slot follow from the clock in which its descriptor was
    taken. A key of the data leaves its slot without a key of the tweaks.
    """
    came = results(found)
    taken = [event.keys for event in found if event.kind is Kind.DESCRIPTOR]
    wrong = []
    slots: dict[int, tuple[bytes | None, bytes | None]] = {}
    done = 0
    for number, (sector, count) in enumerate(zip(script.sectors, taken, strict=True)):
        for slot, of_tweaks, key in script.keys[done:count]:
            if slot == ALL:
                slots.clear()
                continue
            slots[slot] = (slots.get(slot, (None, None))[0], key) if of_tweaks else (key, None)
        done = count
        data, tweaks = slots.get(sector.slot, (None, None))
        if script.keys_of_slot == 1:
            tweaks = b""
        keys = data + tweaks if data is not None and tweaks is not None else None
        expected = sector.expected(keys)
        got = came[number] if number < len(came) else None
        if got != expected:
            wrong.append(
                f"sector {number} ({'de' if sector.decrypt else 'en'}cryption, "
                f"{len(sector.text)} bytes): {of_streams.short(got)} instead of "
                f"{of_streams.short(expected)}"
            )
    return wrong
