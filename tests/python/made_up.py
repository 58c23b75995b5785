# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Records with figures of our choice, for tests of what is made from records."""

from __future__ import annotations

from typing import Any

from aesfab import devices
from aesfab.records import Record
from aesfab.study import study


def record(design: str, device: str, mhz: float | None = None, **figures: Any) -> Record:
    """A record as ``implement`` writes it, of the RTL as it is, with figures of our choice."""
    named, overrides = study.find(design), tuple(design.split()[1:])
    mbit_s = mhz and float(128 * mhz / named.design.interval())
    runs = {"1": {"status": "ok", "logic_ns": 2.0, "routing_ns": 8.0}} if mhz else {}
    route = devices.find(device).place_and_route
    return {
        "design": named.name,
        "parameters": named.design.axes(),
        # The text says that it is current where no netlist hash is shipped.
        "rtl_hash": study._present(named.name, overrides).text,
        "netlist_hash": study._present(named.name, overrides).shipped or "",
        "device": device,
        "stage": "place and route" if route else "synthesis",
        "status": "ok",
        "recipe": "default",
        "recipe_names": ["default"],
        "seeds": [1] if mhz else [],
        "latency_cycles": named.design.latency(),
        "tools": {"yosys": "made up"},
        "lut": 100,
        "ff": 50,
        "ram": 0,
        "lut_levels": 2,
        "fmax_mhz": mhz and {"median": mhz, "min": mhz - 1, "max": mhz + 1},
        "throughput_mbit_s": mbit_s,
        "recipes": {"default": {"runs": runs}},
        **figures,
    }
