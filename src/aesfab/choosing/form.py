# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the form of the report page chooses from: all candidates that any need may ask for.

The page has no Python, so it applies the limits itself (``templates/choose.js``). What a design
serves, its cycles, the capacity of devices, and the estimates are worked out here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aesfab import records
from aesfab.choosing import answer, candidates
from aesfab.choosing.candidates import ESTIMATE, Candidate
from aesfab.choosing.estimate import Estimator
from aesfab.choosing.need import BLOCKS, DIRECTIONS, KEYS, MODES, OPTIMISE, XTS_KEYS, Need
from aesfab.devices import DEVICES
from aesfab.engine import catalogue as packets
from aesfab.engine.ccm import catalogue as ccm
from aesfab.engine.every import SIZES
from aesfab.engine.spec import Modes
from aesfab.engine.xts import catalogue as xts


def data(known: Sequence[records.Record]) -> dict[str, Any]:
    """Candidates and rules for the page, as JSON has them.

    Returns:
        ``devices`` (name to LUTs, unit of cells, and whether a tool places it), ``modes``,
        ``optimise``, ``engines`` (``SIZES``), ``xts_keys``, ``ranked``
        (``answer.RANKED``), and ``rows``: objects as ``_row`` gives them, each once with all its
        ``devices``. All estimates of a device are worked out at once.
    """
    measured = candidates.of_records(known)
    estimator = Estimator(measured)
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
        found: dict[int, tuple[Candidate, list[str]]] = {}
        asked = (answer.to_estimate(name, here, designs, need) for need in kinds)
        estimator.prepare(name, {words: None for each in asked for words in each})
        for need in kinds:
            kind = f"{need.core_direction} {need.key}"
            for each in answer.pool_on(name, here, estimator, designs, need):
                found.setdefault(id(each), (each, []))[1].append(kind)
        for each, serves in found.values():
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
        "xts_keys": XTS_KEYS,
        "blocks": BLOCKS,
        "ranked": answer.RANKED,
        "rows": list(rows.values()),
    }


def _row(each: Candidate, serves: Sequence[str]) -> dict[str, Any]:
    """A candidate.

    ``cycles`` is latency and interval for each key size that it has. ``engine`` is what the clocks
    of packets follow from (``Engine.packet_costs``), ``bytes`` the same of an engine that is a byte
    wide (``serial_costs``), ``ccm`` what those of CCM do, with the clocks that decryption takes
    more, and ``sectors`` what those of XTS do (``sector_costs``, ``steal_clocks``); null where no
    engine takes the core.
    """
    design = each.named.design
    engine, sectors = packets.around(each.named, Modes.GCM), xts.around(each.named)
    chain = ccm.around(each.named)
    opens = 0 if chain.reasons() else chain.size_clocks(16, decrypt=True) - chain.size_clocks(16)
    cycles = {
        bits: (design.latency(bits), float(design.interval(bits))) for bits in design.key_lengths
    }
    return {
        "words": each.words, "recipe": each.recipe, "estimate": each.source == ESTIMATE,
        "lut": each.lut, "cells": each.cells, "ram": each.ram, "mhz": each.mhz,
        "slowest": each.mhz_min, "error": each.error, "cycles": cycles, "serves": serves,
        "agile": not design.stored_keys,
        "engine": None if engine.reasons() or engine.serial else engine.packet_costs(),
        "bytes": None
        if engine.reasons() or not engine.serial
        else {modes.value: packets.around(each.named, modes).serial_costs() for modes in Modes},
        "ccm": None
        if chain.reasons()
        else (*(float(cost) for cost in chain.packet_costs()), opens),
        "sectors": None
        if sectors.reasons()
        else (*map(float, sectors.sector_costs()), sectors.steal_clocks),
    }  # fmt: skip
