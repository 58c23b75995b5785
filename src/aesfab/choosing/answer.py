# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The answer to a need: the best point, what else is near, what binds, what could be met."""

from __future__ import annotations

import dataclasses
import functools
import math
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from aesfab import records
from aesfab.choosing import candidates
from aesfab.choosing.candidates import ESTIMATE, RECORD, AnyCandidate, C, Candidate
from aesfab.choosing.engines import Engines, refusals
from aesfab.choosing.estimate import Estimator, unmeasured
from aesfab.choosing.need import BOTH, Need, parse
from aesfab.devices import DEVICES
from aesfab.engine import every
from aesfab.engine.every import SIZES
from aesfab.measure import implement

_LEAST = ("mbit", "clock_mhz")  # limits from below; all others are from above
_NEIGHBOURS = 4
_FULL = 85.0  # percent of a device above which placing gets hard

_A = {RECORD: "a record", ESTIMATE: "an estimate"}

RANKED = 1 / 3
"""Part of an estimate's error that its rank counts."""

LABELS = {
    "mbit": "Mbit/s",
    "latency_ns": "ns of latency",
    "clock_mhz": "MHz of the slowest seed",
    "max_lut": "LUTs",
    "max_cells": "cells",
    "max_ram": "block RAMs",
}
"""Limit to what it counts."""


def violations(each: AnyCandidate, need: Need) -> dict[str, float]:
    """The limits that a candidate misses, each with its factor (more than 1).

    ``fits`` stands for a device that is too small, with an infinite factor; so does a limit on a
    figure that is not known.
    """
    found = {} if each.fits() else {"fits": math.inf}
    has = each.judged(need)
    for name, limit in need.limits().items():
        value = has[name]
        if value is None:
            found[name] = math.inf
        elif name in _LEAST and value < limit:
            found[name] = limit / value
        elif name not in _LEAST and value > limit:
            found[name] = value / limit if limit else math.inf
    return found


def expected(pool: Iterable[C], need: Need) -> C | None:
    """The best candidate if every estimate is as it is expected, without its error."""
    plain = [(dataclasses.replace(each, error=(0.0, 0.0, 0.0)), each) for each in pool]
    meets = [pair for pair in plain if not violations(pair[0], need)]
    return min(meets, key=lambda pair: order(pair[0], need))[1] if meets else None


def order(each: AnyCandidate, need: Need) -> tuple[float | str, ...]:
    """What candidates are ranked by, the best first.

    A limit must be met with the whole error of an estimate (``violations``). Its rank takes a part
    of it, so of two that are alike a measured one wins. Of engines any measured one does.
    """
    has = each.judged(need, careful=RANKED)
    cells, lut, mbit = (has[name] or 0.0 for name in ("max_cells", "max_lut", "mbit"))
    sites = DEVICES[each.device].sites
    place = sites.lut if sites else 0
    leads = _leads(each, has, need)
    return (*leads, place, cells, lut, each.ram, -mbit, each.words, each.recipe)


def _leads(each: AnyCandidate, has: Mapping[str, float | None], need: Need) -> tuple[bool, float]:
    """What makes a candidate better than another one, and not only first of two that are alike.

    Whether it is an estimate of an engine, and the figure that the need wants best; less is better.
    """
    lut, cells, mbit = (has[name] or 0.0 for name in ("max_lut", "max_cells", "mbit"))
    latency = has["latency_ns"]
    best = {
        "lut": lut,
        "cells": cells,
        "mbit": -mbit,
        "mbit/lut": -mbit / max(1.0, lut),
        "latency": math.inf if latency is None else latency,
    }[need.optimise]
    return need.engine and each.source == ESTIMATE, best


def _best_figure(each: AnyCandidate, need: Need) -> tuple[bool, float]:
    """What ``order`` begins with, see ``_leads``."""
    return _leads(each, each.judged(need, careful=RANKED), need)


def slack(each: AnyCandidate, need: Need) -> dict[str, float]:
    """By how much each limit is met, in percent of the limit; a limit of 0 has none."""
    has = each.judged(need)
    found = {}
    for name, limit in need.limits().items():
        value = has[name]
        if value is not None and limit:
            better = value - limit if name in _LEAST else limit - value
            found[name] = round(100 * better / limit, 1)
    return found


def notes(each: AnyCandidate, need: Need) -> list[str]:
    """What a user must know of a candidate, a sentence each."""
    said = []
    share = each.percent
    if not each.present:
        said.append("The RTL has been changed since the record; 'aesfab show' compares netlists.")
    if each.source == ESTIMATE:
        area, clock, ram = (round(100 * error) for error in each.error)
        of = each.BASIS.format(measured_on=each.measured_on)
        rams = f", block RAMs up to {ram} % more" if ram and each.ram else ""
        said.append(
            f"Not measured on {each.device}. An estimate from {of}: areas within about {area} %, "
            f"the clock within about {clock} %{rams}. The second command measures it."
        )
    elif each.device != each.measured_on:
        said.append(
            f"Measured on {each.measured_on}, which has the same fabric"
            + (" and speed grade." if each.mhz else ".")
        )
    if share is not None and (share > _FULL or each.device != each.measured_on):
        hard = "; placing it may fail" if share > _FULL else ""
        said.append(f"It takes {share:.0f} % of the logic of {each.device}{hard}.")
    return [*said, *each.notes(need), *_clock_notes(each, need)]


def _clock_notes(each: AnyCandidate, need: Need) -> list[str]:
    """What a user must know of the clock and of block RAMs."""
    has, said = each.judged(need), []
    rate = has["mbit"]
    spread = each.mhz_min / each.mhz if each.mhz and each.mhz_min else 1.0
    if need.mbit and need.clock_mhz is None and rate and rate * spread < need.mbit <= rate:
        error = f" with {round(100 * each.error[1])} % off for the error" if each.error[1] else ""
        said.append(
            f"The median clock gives {rate:,.0f} Mbit/s{error}, which is enough; that of the "
            f"slowest seed gives {rate * spread:,.0f}, which is not."
        )
    if DEVICES[each.device].ram_count and each.ram:
        said.append(f"{DEVICES[each.device].ram_count}.")
    return said


def why_first(meets: Sequence[AnyCandidate], need: Need) -> str:
    """Why an estimate stands before all that was measured; empty where a measured one is first."""
    if not meets or meets[0].source != ESTIMATE:
        return ""
    known = next((each for each in meets if each.source == RECORD), None)
    if known is None:
        return "Not measured, and first as nothing that was measured meets the need."
    expected_, has = (_best_of(each, need) for each in (meets[0], known))
    return (
        f"Not measured, and first as {expected_} are expected of it; of what was measured "
        f"{known.words} is best, with {has}. --measure 10 settles which one is."
    )


def _best_of(each: AnyCandidate, need: Need) -> str:
    """The figure of a candidate that a need wants best."""
    has = each.figures(need)
    mbit_s = has["mbit_s"] or 0.0
    return {
        "lut": f"{has['lut']:,} LUTs",
        "cells": f"{has['cells']:,} {has['cell_unit']}s",
        "mbit": f"{mbit_s:,} Mbit/s",
        "mbit/lut": f"{mbit_s / max(1, has['lut']):.3f} Mbit/s per LUT",
        "latency": f"{has['latency_ns']} ns of latency",
    }[need.optimise]


def commands(each: AnyCandidate) -> dict[str, str]:
    """The command lines that write the core or engine and that measure it as quoted."""
    mine = shlex.split(each.words)
    return {
        "generate": shlex.join(["aesfab", "generate", *mine, "-o", each.KIND]),
        "implement": shlex.join(
            ["aesfab", "implement", *mine, "--device", each.device, "--recipe", each.recipe]
        ),
    }


@dataclasses.dataclass(frozen=True)
class Row:
    """A candidate as ``--explain`` shows it; ``fails`` is empty where it meets the need."""

    candidate: AnyCandidate
    fails: str


@dataclasses.dataclass(frozen=True)
class Answer:
    """What ``choose`` answers.

    Attributes:
        need: what was asked.
        found: the best candidate, then neighbours that are better in another figure; empty where
            nothing meets the need.
        evidence: what the verification of the best one says.
        binding: limits that the best one would be better without, or that none meets.
        nearest: where nothing was found, the nearest need that can be met, and what meets it.
        remarks: what holds for the whole answer.
        rows: candidates with what each fails by, the nearest first.
    """

    need: Need
    found: tuple[AnyCandidate, ...]
    evidence: str
    binding: tuple[str, ...]
    nearest: tuple[Need, AnyCandidate] | None
    remarks: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def first(self) -> str:
        """Why an estimate comes first (``why_first``)."""
        return why_first([row.candidate for row in self.rows if not row.fails], self.need)

    @property
    def best(self) -> AnyCandidate | None:
        """The answer; None where nothing meets the need."""
        return self.found[0] if self.found else None

    def to_json(self) -> dict[str, Any]:
        """What ``choose --json`` prints."""

        def one(each: AnyCandidate, need: Need) -> dict[str, Any]:
            return {
                "design": each.words,
                "device": each.device,
                "recipe": each.recipe,
                "figures": each.figures(need),
                "slack": slack(each, need),
                "source": each.source,
                "error": dict(zip(("area", "clock", "ram"), each.error, strict=True)),
                "measured_on": each.measured_on,
                "notes": notes(each, need),
                "engine": need.engine,
                "packet_clocks": each.packet_clocks(need),
                "commands": commands(each),
            }

        nearest = None
        if self.nearest:
            need, each = self.nearest
            nearest = {
                "need": need.to_json(), "command": need.command(), "answer": one(each, need)
            }  # fmt: skip
        return {
            "need": self.need.to_json(),
            "answers": [one(each, self.need) for each in self.found],
            "first": self.first,
            "evidence": self.evidence,
            "binding": list(self.binding),
            "nearest": nearest,
            "remarks": list(self.remarks),
        }

    def readme(self) -> str:
        """The section of a generated folder's README that states the need."""
        assert self.best is not None
        has = self.best.figures(self.need)
        rate = f", {has['mbit_s']:,} Mbit/s" if has["mbit_s"] else ""
        lines = [
            f"`{self.best.words}` on {self.best.device} was chosen for this need:",
            "",
            "```",
            self.need.command(),
            "```",
            "",
            f"By {_A[self.best.source]} (recipe `{self.best.recipe}`): {has['lut']:,} LUTs, "
            f"{has['cells']:,} {has['cell_unit']}s, {has['ram']} block RAMs{rate}.",
        ]
        return "\n".join([*lines, *notes(self.best, self.need)])


def of(candidates_: Sequence[C], need: Need) -> tuple[list[C], list[Row]]:
    """Candidates that meet a need, the best first, and all with what each fails by."""
    judged = [(violations(each, need), each) for each in candidates_]
    meets = sorted((e for missed, e in judged if not missed), key=lambda e: order(e, need))
    others = sorted(
        ((missed, each) for missed, each in judged if missed),
        key=lambda pair: (_distance(pair[0]), order(pair[1], need)),
    )
    rows = [Row(each, "") for each in meets]
    rows += [Row(each, _fails(each, missed, need)) for missed, each in others]
    return meets, rows


def _distance(missed: Mapping[str, float]) -> float:
    return sum(math.log(factor) for factor in missed.values())


def _fails(each: AnyCandidate, missed: Mapping[str, float], need: Need) -> str:
    has = each.judged(need)
    said = []
    for name in missed:
        if name == "fits" and not each.placed:
            said.append("does not fit, by a record")
            continue
        if name == "fits":
            share = (each.percent or 0.0) * (1 + each.error[0])
            said.append(
                f"too large: {share:.0f} % of the logic" if share > 100 else "too many block RAMs"
            )
            continue
        value, limit = has[name], need.limits()[name]
        known = "not known" if value is None else f"{value:,.0f}"
        said.append(f"{known} for {limit:,.0f} {LABELS[name]}")
    return ", ".join(said)


def _front(meets: Sequence[AnyCandidate], need: Need) -> list[AnyCandidate]:
    """The best, and candidates near it that are better in another figure than all before them."""
    axes = ("max_cells", "max_lut", "max_ram", "mbit", "latency_ns")

    def values(each: AnyCandidate) -> tuple[float, ...]:
        has = each.judged(need)
        sign = {"mbit": -1.0}
        return tuple(
            math.inf if (v := has[name]) is None else sign.get(name, 1.0) * v for name in axes
        )

    best = meets[0]
    points: dict[str, AnyCandidate] = {}
    for each in meets:
        if each.words != best.words:
            points.setdefault(f"{each.words} {each.device}", each)
    known = [(values(each), each) for each in points.values()]
    front = [
        each
        for mine, each in known
        if not any(
            all(t <= m for t, m in zip(theirs, mine, strict=True)) and theirs != mine
            for theirs in (*(v for v, _ in known), values(best))
        )
    ]
    chosen = front[:_NEIGHBOURS]
    # One that was measured belongs to the answer, and so does one that needs no block RAM.
    for wanted in (lambda e: e.source == RECORD, lambda e: not e.ram):
        if not any(map(wanted, [best, *chosen])):
            chosen += [each for each in meets if wanted(each)][:1]
    return [best, *chosen]


def _binding(pool: Sequence[AnyCandidate], meets: Sequence[AnyCandidate], need: Need) -> list[str]:
    found = []
    for name in need.limits():
        gone: dict[str, Any] = {name: None}
        free = dataclasses.replace(need, **gone)
        if name == "clock_mhz" and not meets:
            continue
        without, _ = of(pool, free)
        if not without:
            continue
        if not meets:
            found.append(f"{name}: without it there is {without[0].words}")
        elif _best_figure(without[0], free) != _best_figure(meets[0], need) and name != "clock_mhz":
            has = without[0].judged(free)[name]
            reach = "" if has is None else f", with {has:,.0f} {LABELS[name]}"
            found.append(f"{name}: without it {without[0].words} would be better{reach}")
    return found


_WANTED = {"hardened": "hardened", "clear": "a port that clears keys"}


def _prices(
    pool: Callable[[Need], Sequence[AnyCandidate]], meets: Sequence[AnyCandidate], need: Need
) -> list[str]:
    """What hardening and clearing cost: the best without them, beside the answer."""
    said = []
    for name, what in _WANTED.items():
        if not getattr(need, name):
            continue
        gone: dict[str, Any] = {name: False}
        free = dataclasses.replace(need, **gone)
        without, _ = of(pool(free), free)
        if not without:
            continue
        other = without[0].figures(free)
        if not meets:
            said.append(f"{name}: without it there is {without[0].words}")
        elif without[0].named.design != meets[0].named.design:
            mine = meets[0].figures(need)
            more = ", ".join(
                f"{mine[key] - other[key]:+,} {unit}"
                for key, unit in (("cells", f"{mine['cell_unit']}s"), ("lut", "LUTs"))
            )
            said.append(f"{name}: {what} costs {more} beside {without[0].words}")
    return said


def _nearest(pool: Sequence[AnyCandidate], need: Need) -> tuple[Need, AnyCandidate] | None:
    """The need that is the least away, as a product of factors, and what meets it."""
    best: tuple[tuple[Any, ...], AnyCandidate] | None = None
    for each in pool:
        missed = violations(each, need)
        if "fits" in missed or any(each.judged(need)[name] is None for name in missed):
            continue
        factors = {
            name: math.log(f) if f < math.inf else math.log(1 + each.ram)
            for name, f in missed.items()
        }
        rank = (sum(factors.values()), order(each, need))
        if best is None or rank < best[0]:
            best = rank, each
    if best is None:
        return None
    each = best[1]
    has = each.judged(need)
    change: dict[str, Any] = {}
    for name in violations(each, need):
        value = has[name]
        assert value is not None
        if name in _LEAST:
            change[name] = math.floor(10 * value) / 10
        else:
            change[name] = math.ceil(value)
    relaxed = dataclasses.replace(need, **change)
    # A slower clock takes something of the rate with it, so the change may ask for another one.
    if violations(each, relaxed) and "mbit" in relaxed.limits():
        rate = each.judged(relaxed)["mbit"]
        relaxed = dataclasses.replace(relaxed, mbit=math.floor(10 * (rate or 0.0)) / 10)
    if violations(each, relaxed) and "latency_ns" in relaxed.limits():
        latency = each.judged(relaxed)["latency_ns"]
        relaxed = dataclasses.replace(relaxed, latency_ns=math.ceil(latency or 0.0))
    return relaxed, each


def _remarks(need: Need, measured: Sequence[Candidate], pool: Sequence[AnyCandidate]) -> list[str]:
    said = []
    if need.mode and not need.engine:
        does = {"encrypt": "encrypts", "decrypt": "decrypts", "both": "encrypts and decrypts"}
        waits = "a block waits for the one before it, so the latency counts" if need.waits else (
            "blocks do not wait for each other, so the interval counts"
        )  # fmt: skip
        said.append(
            f"The core {does[need.core_direction]} blocks; {need.mode.upper()} itself is in "
            f"software or in your logic. In this mode {waits}."
        )
    if len({DEVICES[name].slice_unit for name in need.devices}) > 1:
        said.append("The devices count cells of several kinds, so areas are not the same unit.")
    if not pool:
        kinds = {candidates.serves(each.named, need) for each in measured} - {""}
        said.append(
            f"No point is known on {', '.join(need.devices)} that serves this need"
            + (f" (those that are: {'; '.join(sorted(kinds))})." if kinds else ".")
        )
    return said


_LACKS = {
    "gcm": "counters, GHASH, tags, AAD",
    "ctr": "counters",
    "ccm": "counters, the chain of the tag, AAD",
    "xts": "tweaks, the stealing of ciphertext",
    "cmac": "the chain, subkeys, tags",
}
"""What a mode has beside blocks; of others it is a chain."""

_USUAL = {"xts": 512}
_PACKET = 1500
"""Bytes that are proposed for a packet, where a mode has no usual length of its own."""


def _with_engine(need: Need) -> list[Need]:
    """Needs of an engine for the mode of a need of a core, the one that asks the least first."""
    if need.mode not in SIZES or _is_split(need):
        return []
    plain = dataclasses.replace(need, chained=False, open_output=False)
    if need.streamed:
        return [dataclasses.replace(plain, streams=streams) for streams in (8, 16, 32, 64, 128)]
    return [dataclasses.replace(plain, packet=_USUAL.get(need.mode, _PACKET))]


def _is_split(need: Need) -> bool:
    """Whether the engines of a mode that encrypt and those that decrypt are not the same."""
    return need.direction == BOTH and not every.in_both(need.mode)


def _lead(need: Need, engines: Engines) -> list[str]:
    """The way to an engine, of a need with a mode and without packets or streams."""
    found = _with_engine(need)
    if not found:
        return []
    # What a measured engine meets is asked for before what an estimate does.
    met = [(each, best) for each in found for best in of(engines.pool(each), each)[0][:1]]
    measured = [pair for pair in met if pair[1].source == RECORD]
    has = _LACKS.get(need.mode, "the chain of blocks")
    lead = (
        f"A core alone has none of: {has}; streams with keys, lengths and back-pressure. An engine "
        "has them"
    )
    if not met:
        return [f"{lead}; none that is known meets this need."]
    asked, best = (measured or met)[0]
    figures = best.figures(asked)
    rate = "" if figures["mbit_s"] is None else f", {figures['mbit_s']:,} Mbit/s"
    names = f"here {best.words}, {'measured' if measured else 'estimated'} with "
    option = "--streams" if asked.streams else "--packet"
    return [
        f"{lead}; {names}{figures['lut']:,} LUTs{rate}. {option} asks for it:\n  {asked.command()}"
    ]


def _engine_remarks(need: Need, engines: Engines, pool: Sequence[AnyCandidate]) -> list[str]:
    """What holds for a whole answer that is an engine."""
    said = []
    if _is_split(need):
        return [
            f"No engine has {need.mode.upper()} in both directions: some encrypt, others decrypt. "
            "Ask for each direction."
        ]
    unknown = [
        f"on {', '.join(devices)} {', '.join(names)}"
        for names, devices in engines.unmeasured(need).items()
    ]
    if unknown:
        said.append(
            "Not measured, so an estimate at most, and behind each measured one: "
            f"{'; '.join(unknown)}."
        )
    if not pool and (reasons := refusals(need)):
        said.append(f"Engines that are known: {'; '.join(reasons)}.")
    return said


def _evidence(each: AnyCandidate) -> str:
    known = each.evidence()
    if known is None:
        return "no record of its verification; 'aesfab verify' does it"
    word = "passed" if known["passed"] else "FAILED"
    return f"{word} the verification (level {known.get('level')})"


def pool(known: Iterable[records.Record], need: Need) -> list[AnyCandidate]:
    """All candidates of the kind that a need asks for, cores or engines, on its devices."""
    return [*_pool(_engines(list(known)), need)]


def _pool(engines: Engines, need: Need) -> Sequence[AnyCandidate]:
    return engines.pool(need) if need.engine else pool_of(engines.cores, need)


def _engines(known: Sequence[records.Record]) -> Engines:
    cores = candidates.of_records(known)
    return Engines(candidates.of_engines(known), cores, _estimator(tuple(cores)))


def pool_of(measured: Sequence[Candidate], need: Need) -> list[Candidate]:
    """All candidates of the kind that a need asks for, on its devices, with estimates."""
    estimator = _estimator(tuple(measured))
    return [
        each
        for name in need.devices
        for each in pool_on(
            name, candidates.on_devices(measured, [name]), estimator, measured, need
        )
    ]


def pool_on(
    device: str,
    here: Iterable[Candidate],
    estimator: Estimator,
    measured: Sequence[Candidate],
    need: Need,
) -> list[Candidate]:
    """``pool_of`` for one device, of the candidates that records give ``here``, and estimates."""
    here = list(here)
    pool = [each for each in here if not candidates.serves(each.named, need)]
    words = to_estimate(device, here, measured, need)
    estimator.prepare(device, words)
    found = (estimator.estimate(each, device) for each in words)
    return pool + [each for each in found if each is not None]


def to_estimate(
    device: str, here: Iterable[Candidate], measured: Sequence[Candidate], need: Need
) -> list[tuple[str, tuple[str, ...]]]:
    """The points that ``pool_on`` estimates for a need on a device (``unmeasured``)."""
    if not DEVICES[device].place_and_route:
        return []
    known = {each.named.design for each in here if not candidates.serves(each.named, need)}
    return unmeasured(measured, need, known)


@functools.lru_cache(2)
def _estimator(measured: tuple[Candidate, ...]) -> Estimator:
    """What was learned of these candidates: of several needs, once."""
    return Estimator(measured)


def choose(
    need: Need | Mapping[str, object], known: Sequence[records.Record] | None = None
) -> Answer:
    """Answer a need.

    Args:
        need: a need, or its words as the command line has them: ``{"device": "ecp5-25k",
            "mbit": "500M", "key": 256}``.
        known: records of ``implement``; None for all that the program knows.

    Returns:
        The answer; without candidates (``best`` is None) where nothing meets the need.

    Raises:
        AesfabError: a bad word, number or unit, or words that exclude each other.
    """
    if not isinstance(need, Need):
        need = parse(need)
    if known is None:
        known = records.known("implement", check=implement.require_records)
    engines = _engines(known)
    asked = functools.partial(_pool, engines)
    found = asked(need)
    remarks = _engine_remarks(need, engines, found) if need.engine else _lead(need, engines)
    here = [] if need.engine else candidates.on_devices(engines.cores, need.devices)
    meets, rows = of(found, need)
    return Answer(
        need=need,
        found=tuple(_front(meets, need)) if meets else (),
        evidence=_evidence(meets[0]) if meets else "",
        binding=(*_binding(found, meets, need), *_prices(asked, meets, need)),
        # What can be met is what was measured, where that serves the need at all.
        nearest=None
        if meets
        else _nearest([each for each in found if each.source == RECORD], need)
        or _nearest(found, need),
        remarks=(*_remarks(need, here, found), *remarks),
        rows=tuple(rows),
    )
