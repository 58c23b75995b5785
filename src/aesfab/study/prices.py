# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the points that the family refuses would cost, counted from records of what it has.

Nothing here is measured of a core that does not exist. Each price is a count of parts, or a
difference of two cores that differ in just that, from records of the plain flow of the RTL as it
is, so it says about how much and not to the LUT.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence

from aesfab.design import catalogue
from aesfab.measure import components
from aesfab.records import PLAIN, Record
from aesfab.study.study import Study, find

COLUMNS = ("lut", "ff", "ram")
"""What is counted: LUTs, flip-flops and block RAMs."""

Counts = Mapping[str, int]


@dataclasses.dataclass(frozen=True)
class Refusal:
    """A combination that the family refuses.

    Attributes:
        what: in words.
        point: a design with the axes of one such combination; illegal.
        core: the core that it would be added to.
        instead: a legal design that does the same work.
        how: how the price is counted.
        count: the price on a device from a reader; None where a record is missing.
    """

    what: str
    point: str
    core: str
    instead: str
    how: str
    count: Callable[[Reader], Counts | None]

    @property
    def reason(self) -> str:
        """Why it is refused, in the words of the rule; empty where it is not."""
        name, *overrides = self.point.split()
        return "; ".join(catalogue.point(name, overrides).design.reasons())


@dataclasses.dataclass(frozen=True)
class Price:
    """A price on a device: what is added to the core, and what the core has; in ``COLUMNS``."""

    refusal: Refusal
    device: str
    added: Counts
    core: Counts


class Reader:
    """Counts of cores and of components on a device."""

    def __init__(self, study: Study, parts: Sequence[Record], device: str) -> None:
        self._study, self._parts, self._device = study, parts, device

    def core(self, design: str) -> collections.Counter[str] | None:
        """Of a design, by the plain flow."""
        record = self._study.by_recipe(design, self._device).get(PLAIN)
        return _counts(record)

    def part(self, component: components.Component) -> collections.Counter[str] | None:
        """Of a component."""
        return _counts(components.known(self._parts, component, self._device))


def _counts(record: Record | None) -> collections.Counter[str] | None:
    if record is None or record.get("lut") is None:
        return None
    names = (*COLUMNS, "lut_ram")
    return collections.Counter({name: int(record.get(name) or 0) for name in names})


def _sum(*terms: tuple[int, Counts | None]) -> Counts | None:
    """The sum of counts, each so many times; None where one is missing."""
    total: collections.Counter[str] = collections.Counter()
    for times, counts in terms:
        if counts is None:
            return None
        for name in COLUMNS:
            total[name] += times * counts[name]
    return total


_ROLLING = "qin-4sm"
_MULTI = "pilchard-unrolled-2"
_PIPELINE = "standaert-ram-pipeline-21"
_LOADED = "key_sbox=none"


def _longer_key(key_bits: int, reader: Reader) -> Counts | None:
    """The rounds of a longer key, and its bits in each of the two key registers of a round."""
    parts = components.parts(find(_ROLLING))
    rounds = key_bits // 32 + 6
    wider = {"lut": 0, "ff": rounds * 2 * (key_bits - 128), "ram": 0}
    return _sum((1, wider), *((rounds - 10, reader.part(part)) for part in parts))


def _rolling_backward(reader: Reader) -> Counts | None:
    """InvMixColumns in place of MixColumns in 9 rounds, and round keys made ahead once more."""
    parts = components.parts(find(_ROLLING))
    (circuit,) = (part for part in parts if part.name == "aes_round_key_circuit")
    inverse, forward = (reader.part(components.find(n)) for n in _MIX)
    columns = 4 * 9
    return _sum((columns, inverse), (-columns, forward), (10, reader.part(circuit)))


_MIX = ("aes_mix_columns_inv", "aes_mix_columns_fwd")


def _multi_backward(reader: Reader) -> Counts | None:
    """For each of two rounds what decryption adds to one, and a memory that gives its key."""
    inverse, forward = (reader.core(f"kakarlapudi-sbox-{way}-128") for way in ("dec", "enc"))
    if forward is None:
        return None
    memory = {"lut": forward["lut_ram"], "ff": 0, "ram": forward["ram"]}
    return _sum((2, inverse), (-2, forward), (2, memory))


def _tbox_pipeline(reader: Reader) -> Counts | None:
    """In nine rounds what T-boxes change in one: cores of one round with loaded keys."""
    tables, boxes = (reader.core(f"fischer-fast-{kind}box-enc {_LOADED}") for kind in "ts")
    return _sum((9, tables), (-9, boxes))


REFUSALS = (
    *(
        Refusal(
            f"{key_bits}-bit keys in a rolling core", f"{_ROLLING} key_bits={key_bits}", _ROLLING,
            f"fab-pipeline-ram key_bits={key_bits}",
            f"{more} more of each part of a round, and key registers of {key_bits} bits",
            functools.partial(_longer_key, key_bits),
        )
        for key_bits, more in ((192, "two"), (256, "four"))
    ),
    Refusal(
        "decryption in a rolling core", f"{_ROLLING} direction=decrypt", _ROLLING,
        "fab-interleaved-ram direction=decrypt key_schedule=stored-single doubled=no",
        "InvMixColumns instead of MixColumns in nine rounds; the last round key comes first, so "
        "ten more round key circuits make it ahead", _rolling_backward,
    ),
    Refusal(
        "decryption with several rounds a clock", f"{_MULTI} direction=decrypt", _MULTI,
        "kakarlapudi-sbox-dec-128",
        "twice the difference of a core for decryption and one for encryption, and a key memory "
        "for each round of a clock", _multi_backward,
    ),
    Refusal(
        "T-boxes in a pipeline", f"{_PIPELINE} tbox=fixed", _PIPELINE, _PIPELINE,
        "nine times the difference of a core of one round with T-boxes and one with S-boxes",
        _tbox_pipeline,
    ),
)  # fmt: skip
"""What the family refuses, each with its price."""


def prices(study: Study, parts: Sequence[Record], devices: Sequence[str]) -> list[Price]:
    """Every price that can be counted on the devices."""
    found = []
    for refusal in REFUSALS:
        for device in devices:
            reader = Reader(study, parts, device)
            added, core = refusal.count(reader), reader.core(refusal.core)
            if added is not None and core is not None:
                found.append(Price(refusal, device, added, core))
    return found
