# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures of docs/engines.md: area and clock of engines, and what they carry in packets."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pages
from aesfab import devices, records
from aesfab.engine import every, hdl

PAGE = Path(__file__).parents[1] / "docs" / "engines.md"
SIZES = (64, 512, 1500)
"""Bytes of packets and sectors."""

_AREA = ("engine", "recipe", "LUT", "FF", "{unit}s", "RAM")
_COLUMNS = ("recipe", "lut", "ff", "slices_estimate", "ram")
_CLOCK = ("MHz", "seeds", "Mbit/s", *(f"in {size:,} bytes" for size in SIZES))
"""Of devices that there is a free place and route for."""


def table(known: Iterable[records.Record]) -> str:
    """Tables of the engines as the RTL is, one for each device, as Markdown."""
    measured = [record for record in known if every.is_engine(record["design"])]
    of_device: dict[str, list[list[str]]] = {}
    for name in every.names():
        named = every.find(name)
        for row in records.quoted(filter(hdl.Present(named).has, measured)):
            cells = [f"`{name}`", *(str(row[column]) for column in _COLUMNS)]
            if devices.DEVICES[row["device"]].place_and_route:
                cells += _clock(named, row)
            of_device.setdefault(row["device"], []).append(cells)
    text = ""
    for name, rows in of_device.items():
        device = devices.DEVICES[name]
        part = " ".join(filter(None, (device.part, device.package, device.speed)))
        head = [each.format(unit=device.slice_.name) for each in _AREA]
        head += _CLOCK if device.place_and_route else ()
        text += f"\n`{name}` ({part}):\n\n" + "\n".join(pages.table(head, rows)) + "\n"
    return text.removeprefix("\n")


def _clock(named: every.AnyNamed, row: records.Record) -> list[str]:
    if row["status"] != "ok":
        return [row["status"], *["-"] * (len(_CLOCK) - 1)]
    fmax, engine = row["fmax_mhz"], named.engine
    clock = f"{fmax['median']:.1f} ({fmax['min']:.1f} to {fmax['max']:.1f})"
    cells = [clock, str(len(fmax["seeds"])), f"{row['throughput_mbit_s']:.0f}"]
    for size in SIZES:
        if engine.stream_bits:
            cells.append("-")
        else:
            mbit_s = 8 * size * fmax["median"] / engine.size_clocks(size)
            cells.append(f"{mbit_s:.0f}")
    return cells
