# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the form of the report page chooses from: all candidates that any need may ask for.

The page has no Python, so it applies the limits itself (``templates/choose.js``). What a core or an
engine serves, its cycles, the capacity of devices, and the estimates are worked out here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aesfab import records
from aesfab.choosing import answer, candidates
from aesfab.choosing.candidates import ESTIMATE, AnyCandidate, EngineCandidate
from aesfab.choosing.engines import Engines
from aesfab.choosing.estimate import Estimator
from aesfab.choosing.need import BLOCKS, DIRECTIONS, KEYS, MODES, OPTIMISE, STREAMED, XTS_KEYS, Need
from aesfab.devices import DEVICES
from aesfab.engine import every
from aesfab.engine.every import SIZES


def data(known: Sequence[records.Record]) -> dict[str, Any]:
    """Candidates and rules for the page, as JSON has them.

    Returns:
        ``devices`` (name to LUTs, unit of cells, and whether a tool places it), ``modes``,
        ``optimise``, ``engines`` (``SIZES``), ``streamed`` (of each mode of ``STREAMED``, by
        direction, whether its packets go with streams), ``xts_keys``, ``ranked``
        (``answer.RANKED``), ``long`` (``candidates.LONG``), and ``rows``: objects as ``_row`` gives
        them, each once with all its ``devices``. All estimates of a device are worked out at once.
    """
    measured = candidates.of_records(known)
    estimator = Estimator(measured)
    engines = Engines(candidates.of_engines(known), measured, estimator)
    # What a need asks for that was not measured follows from the designs, each once.
    designs = list({each.named.design: each for each in measured}.values())
    kinds = [
        Need(tuple(DEVICES), key=key, direction=direction)
        for key in KEYS
        for direction in DIRECTIONS
    ]
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for name in DEVICES:
        here = candidates.on_devices(measured, [name])
        found: dict[int, tuple[AnyCandidate, list[str]]] = {}
        asked = (answer.to_estimate(name, here, designs, need) for need in kinds)
        estimator.prepare(name, {words: None for each in asked for words in each})
        for need in kinds:
            kind = f"{need.core_direction} {need.key}"
            for core in answer.pool_on(name, here, estimator, designs, need):
                found.setdefault(id(core), (core, []))[1].append(kind)
        for each, serves in [*found.values(), *_engines(engines, name)]:
            if not each.fits():
                continue
            row = _row(each, serves)
            same = (each.words, each.recipe, each.source, each.lut, each.cells, each.mhz)
            rows.setdefault((*same, *serves), {**row, "devices": []})["devices"].append(name)
    present = {name for row in rows.values() for name in row["devices"]}
    return {
        "devices": {
            name: {
                "sites": device.sites.lut if device.sites else 0,
                "unit": device.slice_.name,
                "placed": device.place_and_route,
            }
            for name, device in DEVICES.items()
            if name in present
        },
        "modes": MODES,
        "keys": KEYS,
        "directions": DIRECTIONS,
        "optimise": OPTIMISE,
        "engines": SIZES,
        "streamed": {
            mode: {each: Need((), mode=mode, direction=each).streamed for each in DIRECTIONS}
            for mode in STREAMED
        },
        "xts_keys": XTS_KEYS,
        "blocks": BLOCKS,
        "ranked": answer.RANKED,
        "long": candidates.LONG,
        "rows": list(rows.values()),
    }


def _engines(engines: Engines, device: str) -> list[tuple[EngineCandidate, list[str]]]:
    """The engines of a device, each with the modes, directions and keys that it serves."""
    found: dict[int, tuple[EngineCandidate, list[str]]] = {}
    for mode in SIZES:
        for direction in DIRECTIONS:
            for key in KEYS:
                need = Need(
                    (device,), key=key, direction=direction, mode=mode, packet=SIZES[mode][0]
                )
                for each in engines.pool_on(device, need):
                    found.setdefault(id(each), (each, []))[1].append(f"{mode} {direction} {key}")
    return list(found.values())


def _row(each: AnyCandidate, serves: Sequence[str]) -> dict[str, Any]:
    """A candidate.

    ``cycles`` is latency and interval for each key size that it has, ``costs`` what the clocks of
    packets follow from, with the kind of the engine before it; null for a core.
    """
    design = each.named.design
    cycles = {
        bits: (design.latency(bits), float(design.interval(bits))) for bits in design.key_lengths
    }
    return {
        "words": each.words, "recipe": each.recipe, "estimate": each.source == ESTIMATE,
        "lut": each.lut, "cells": each.cells, "ram": each.ram, "mhz": each.mhz,
        "slowest": each.mhz_min, "error": each.error, "cycles": cycles, "serves": serves,
        "agile": not each.core.stored_keys,
        "costs": _costs(each.named),
    }  # fmt: skip


_COSTS: dict[str, Callable[[Any], Sequence[Any]]] = {
    "packets": lambda engine: engine.packet_costs(),
    "bytes": lambda engine: engine.serial_costs(),
    "ccm": lambda engine: (
        *engine.packet_costs(), engine.size_clocks(16, decrypt=True) - engine.size_clocks(16)
    ),
    "sectors": lambda engine: (*engine.sector_costs(), engine.steal_clocks),
    "streams": lambda engine: engine.message_costs(),
}  # fmt: skip
"""Kind of engine, as the page knows it, to the numbers that ``size_clocks`` follows from."""


def _costs(named: Any) -> tuple[str, list[float]] | None:
    """The kind of an engine, and its numbers; None for a core."""
    if not every.is_engine(named.name):
        return None
    kinds = ((every.CCM, "ccm"), (every.SECTORS, "sectors"), (every.STREAMS, "streams"))
    usual = "bytes" if named.engine.serial else "packets"
    kind = next((word for of, word in kinds if of is every.kind(named.name)), usual)
    return kind, [float(number) for number in _COSTS[kind](named.engine)]
