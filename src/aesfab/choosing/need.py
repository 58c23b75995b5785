# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a user needs of a core or engine, out of words with units; nonsense is refused."""

from __future__ import annotations

import dataclasses
import math
import re
import shlex
from collections.abc import Mapping
from typing import Any

from aesfab.devices import DEVICES
from aesfab.devices import find as find_device
from aesfab.engine import every
from aesfab.engine.every import SIZES
from aesfab.errors import AesfabError, like, unknown

ENCRYPT, DECRYPT, BOTH = DIRECTIONS = ("encrypt", "decrypt", "both")
KEYS = ("128", "192", "256", "any")
OPTIMISE = ("lut", "cells", "mbit", "mbit/lut", "latency")

MODES: dict[str, dict[str, tuple[str, bool]]] = {
    "ecb": {ENCRYPT: (ENCRYPT, False), DECRYPT: (DECRYPT, False)},
    "cbc": {ENCRYPT: (ENCRYPT, True), DECRYPT: (DECRYPT, False)},
    "cfb": {ENCRYPT: (ENCRYPT, True), DECRYPT: (ENCRYPT, False)},
    "ofb": {ENCRYPT: (ENCRYPT, True), DECRYPT: (ENCRYPT, True)},
    "ctr": {ENCRYPT: (ENCRYPT, False), DECRYPT: (ENCRYPT, False)},
    "gcm": {ENCRYPT: (ENCRYPT, False), DECRYPT: (ENCRYPT, False)},
    "ccm": {ENCRYPT: (ENCRYPT, True), DECRYPT: (ENCRYPT, True)},
    "cmac": {ENCRYPT: (ENCRYPT, True), DECRYPT: (ENCRYPT, True)},
    "xts": {ENCRYPT: (ENCRYPT, False), DECRYPT: (DECRYPT, False)},
}
"""Mode and direction to what the core does for it (SP 800-38A to E): its direction, and whether a
block waits for the result of the one before it."""

BLOCKS = {"ccm": 2}
"""Blocks of the core for a block of a mode, where these are several: key stream and chain."""

STREAMED = tuple(
    mode for mode in SIZES if any(every.streamed(mode, decrypt=each) for each in (False, True))
)
"""Modes whose blocks wait, and which engines carry for several streams."""

XTS_KEYS = ("128", "256")
"""The keys of XTS (IEEE 1619)."""

TRUTHS = ("chained", "key_agile", "hardened", "clear", "open_output")
"""Fields of a need that are true or false, as the options that state them."""

_RATES = {"k": 1e-3, "m": 1.0, "g": 1e3, "t": 1e6}
_CLOCKS = {"k": 1e-3, "m": 1.0, "g": 1e3}
_TIMES = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6}
_MOST_STREAMS = 1_000_000
_NUMBER = r"[0-9]+(?:\.[0-9]*)?(?:e[0-9]+)?|\.[0-9]+"


@dataclasses.dataclass(frozen=True)
class Need:
    """A need; every limit that is None does not count.

    Attributes:
        devices: names of the devices that may be used.
        mbit: Mbit/s that the core must do, in the mode.
        key: key size in bits, or ``any`` for all three at run time.
        direction: of the mode: ``encrypt``, ``decrypt`` or ``both``.
        mode: one of ``MODES``; empty for plain blocks.
        packet: bytes of each packet, sector or message, which an engine takes; with the modes of
            ``SIZES``.
        streams: independent streams that are there at least, which an engine takes; with the
            modes of ``STREAMED``.
        chained: each block waits for the result of the one before it.
        max_lut: LUTs of the core or engine.
        max_cells: slices or logic cells of the core or engine, whatever the device has.
        max_ram: block RAMs of the core or engine.
        clock_mhz: the clock that the core runs at.
        latency_ns: from a block to its result; in an engine, where nothing else is under way.
        key_agile: the key may change with every block.
        hardened: a fault in the core's control gives a zero block and a flag, and no wrong result.
        clear: the core has a port that overwrites keys and blocks.
        open_output: cores count too whose output shows inner states between results.
        optimise: what is made best: one of ``OPTIMISE``.
    """

    devices: tuple[str, ...]
    mbit: float | None = None
    key: str = "128"
    direction: str = ENCRYPT
    mode: str = ""
    packet: int | None = None
    streams: int | None = None
    chained: bool = False
    max_lut: int | None = None
    max_cells: int | None = None
    max_ram: int | None = None
    clock_mhz: float | None = None
    latency_ns: float | None = None
    key_agile: bool = False
    hardened: bool = False
    clear: bool = False
    open_output: bool = False
    optimise: str = "cells"

    @property
    def core_direction(self) -> str:
        """The direction that the core must have for the mode."""
        needed = {core for core, _ in self._parts()}
        return BOTH if len(needed) > 1 or BOTH in needed else needed.pop()

    @property
    def waits(self) -> bool:
        """Whether a block waits for the result before it: then latency counts, not interval."""
        return self.chained or any(chained for _, chained in self._parts())

    @property
    def blocks(self) -> int:
        """Blocks of the core for a block of the mode."""
        return BLOCKS.get(self.mode, 1)

    @property
    def engine(self) -> bool:
        """Whether an engine is asked for, and not a core alone."""
        return self.packet is not None or self.streams is not None

    @property
    def decrypts(self) -> tuple[bool, ...]:
        """The directions of the mode: whether it is decryption."""
        return (False, True) if self.direction == BOTH else (self.direction == DECRYPT,)

    @property
    def streamed(self) -> bool:
        """Whether engines of streams have the mode in a direction that is asked for."""
        return any(every.streamed(self.mode, decrypt=each) for each in self.decrypts)

    def _parts(self) -> list[tuple[str, bool]]:
        if not self.mode:
            return [(self.direction, False)]
        of = MODES[self.mode]
        return list(of.values()) if self.direction == BOTH else [of[self.direction]]

    @property
    def key_bits(self) -> int:
        """The key size that cycles are counted for: the longest where all are needed."""
        return 256 if self.key == "any" else int(self.key)

    def limits(self) -> dict[str, float]:
        """The limits that are given, by their names here."""
        names = ("mbit", "latency_ns", "clock_mhz", "max_lut", "max_cells", "max_ram")
        return {name: v for name in names if (v := getattr(self, name)) is not None}

    def to_json(self) -> dict[str, Any]:
        """As ``choose --json`` prints it, with what follows for the core."""
        return {
            **dataclasses.asdict(self),
            "devices": list(self.devices),
            "core_direction": self.core_direction,
            "waits": self.waits,
        }

    def command(self) -> str:
        """The command line that states this need."""
        several = len(self.devices) > 1
        words = ["aesfab", "choose", "--devices" if several else "--device", ",".join(self.devices)]
        options = {
            "--mbit": self.mbit, "--key": self.key, "--direction": self.direction,
            "--mode": self.mode or None, "--packet": self.packet, "--streams": self.streams,
            "--max-lut": self.max_lut, "--max-cells": self.max_cells, "--max-ram": self.max_ram,
            "--clock": self.clock_mhz,
            "--latency-ns": self.latency_ns, "--optimise": self.optimise,
        }  # fmt: skip
        for option, value in options.items():
            if value is not None:
                words += [option, f"{value:.10g}" if isinstance(value, float) else str(value)]
        for name in TRUTHS:
            words += [f"--{name.replace('_', '-')}"] * getattr(self, name)
        return shlex.join(words)


WORDS = frozenset(
    {"device", "devices", "mbit", "key", "direction", "mode", "max_lut", "max_cells", "max_ram"}
    | {"clock", "latency_ns", "optimise", "packet", "streams", *TRUTHS}
)
"""The words of a need, as the command line has them."""


def parse(words: Mapping[str, object]) -> Need:
    """A need out of words: option (``max_lut``) to text, number or truth; None is not given.

    AesfabError, one line, for an unknown word, a bad number or unit, and what excludes itself.
    """
    for word in words:
        if word not in WORDS:
            raise unknown("word of a need", word, sorted(WORDS))
    said = {name: value for name, value in words.items() if value is not None}
    key = _one_of("key", said.get("key", "128"), KEYS)
    direction = _one_of("direction", said.get("direction", ENCRYPT), DIRECTIONS)
    mode = _one_of("mode", said["mode"], MODES) if said.get("mode") else ""
    chained = _truth("chained", said)
    if said.get("packet") is not None and mode not in SIZES:
        raise AesfabError(f"--packet goes with --mode {', '.join(SIZES)}, which engines carry")
    packet = _count("--packet", said.get("packet"), *SIZES.get(mode, (1, 1)))
    if said.get("streams") is not None and mode not in STREAMED:
        raise AesfabError(f"--streams goes with --mode {', '.join(STREAMED)}, whose blocks wait")
    streams = _count("--streams", said.get("streams"), 1, _MOST_STREAMS)
    if mode == "xts" and key not in XTS_KEYS:
        raise AesfabError(f"--mode xts has keys of 128 and 256 bits, and not --key {key}")
    need = Need(
        devices=_devices(said.get("device"), said.get("devices")),
        mbit=_quantity("--mbit", said.get("mbit"), _RATES, r"(?:bit/s|bps|bit)?", "500 Mbit/s"),
        key=key,
        direction=direction,
        mode=mode,
        packet=packet,
        streams=streams,
        max_lut=_count("--max-lut", said.get("max_lut"), 1),
        max_cells=_count("--max-cells", said.get("max_cells"), 1),
        max_ram=_count("--max-ram", said.get("max_ram"), 0),
        clock_mhz=_quantity("--clock", said.get("clock"), _CLOCKS, r"(?:hz)?", "100 MHz"),
        latency_ns=_quantity("--latency-ns", said.get("latency_ns"), _TIMES, "", "200 ns"),
        key_agile=_truth("key_agile", said),
        hardened=_truth("hardened", said),
        clear=_truth("clear", said),
        open_output=_truth("open_output", said),
    )
    if chained and mode and not need.waits:
        raise AesfabError(
            f"--chained goes without --mode {mode}: its blocks do not wait in direction {direction}"
        )
    if packet is not None and streams is None and need.streamed:
        raise AesfabError(
            f"--packet with --mode {mode} in direction {direction} goes with --streams N: an "
            "engine of streams has it, which does blocks of many at a time"
        )
    limits = need.limits()
    fast = {"mbit", "latency_ns", "clock_mhz"} & set(limits)
    unplaced = [name for name in need.devices if not DEVICES[name].place_and_route]
    if fast and len(unplaced) == len(need.devices):
        raise AesfabError(
            f"no open tool places {unplaced[0]}, so nothing is known of rate, clock or latency on "
            "it; give limits of area alone, or another device"
        )
    usual = "cells" if fast else "mbit" if limits and not unplaced else "mbit/lut"
    usual = "cells" if len(unplaced) == len(need.devices) else usual
    optimise = _one_of("optimise", said.get("optimise", usual), OPTIMISE)
    if len(unplaced) == len(need.devices) and optimise not in ("lut", "cells"):
        raise AesfabError(f"--optimise {optimise} needs a clock, and no tool places {unplaced[0]}")
    return dataclasses.replace(need, chained=chained, optimise=optimise)


def _truth(name: str, said: Mapping[str, object]) -> bool:
    value = said.get(name, False)
    if not isinstance(value, bool):
        raise AesfabError(f"{name} is true or false, not '{value}'")
    return value


def _one_of(what: str, value: object, known: Mapping[str, object] | tuple[str, ...]) -> str:
    text = str(value).strip().lower()
    if text not in known:
        raise unknown(what, str(value), known)
    return text


def _devices(device: object, patterns: object) -> tuple[str, ...]:
    if device is not None and patterns is not None:
        raise AesfabError("--device and --devices exclude each other")
    if device is not None:
        return (find_device(str(device)).name,)
    if patterns is None:
        raise AesfabError("name a device by --device, or several by --devices 'ecp5-*,ice40-*'")
    found: list[str] = []
    for pattern in str(patterns).split(","):
        found += like("device", pattern.strip(), DEVICES)
    return tuple(dict.fromkeys(found))


def _quantity(
    option: str, value: object, units: Mapping[str, float], after: str, example: str
) -> float | None:
    """A number above zero with a unit; of a plain number the unit is the usual one."""
    if value is None:
        return None
    text = str(value).strip().lower()
    prefix = "|".join(map(re.escape, units))
    match = re.fullmatch(rf"({_NUMBER})\s*(?:({prefix}){after})?", text)
    if match is None:
        raise AesfabError(f"{option} '{value}' is no number above zero with its unit: '{example}'")
    factor = units[match[2]] if match[2] else 1.0
    number = float(match[1]) * factor
    if not 0 < number < math.inf:
        raise AesfabError(f"{option} '{value}' is no number above zero with its unit: '{example}'")
    return number


def _count(option: str, value: object, least: int, most: int = 999_999_999) -> int | None:
    if value is None:
        return None
    text = str(value).strip().replace(",", "")
    if not re.fullmatch(r"[0-9]{1,12}", text) or not least <= int(text) <= most:
        raise AesfabError(f"{option} '{value}' is no whole number from {least} to {most}")
    return int(text)
