# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The table of devices: complete rows, and what cells cost."""

from __future__ import annotations

import pytest

from aesfab import devices
from aesfab.devices import DEVICES, Device
from aesfab.errors import AesfabError


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_row_is_complete(device: Device) -> None:
    assert DEVICES[device.name] is device
    assert devices.find(device.name) is device
    assert "default" in device.recipes
    for name, recipe in device.recipes.items():
        assert device.recipe(name) is recipe
        assert recipe.name == name
        assert recipe.summary
        assert "some_top" in " ".join(recipe.for_top("some_top"))
        assert "{" not in " ".join(recipe.for_top("some_top"))
    if device.place_and_route:
        assert device.package in device.arguments
        assert str(device.target_mhz) in device.arguments
    else:
        assert not device.arguments


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_every_cell_costs_consistently(device: Device) -> None:
    """The total is never less than its parts, and every kind of resource is counted."""
    for counts in device.cells.values():
        assert counts.lut >= counts.lut_logic + counts.lut_ram
    for column in ("lut_logic", "carry", "ff", "ram"):
        assert any(getattr(counts, column) for counts in device.cells.values()), column


def test_unknown_names_are_refused_with_near_ones() -> None:
    with pytest.raises(AesfabError, match=r"unknown device 'ecp5-86k'; did you mean .*ecp5-85k"):
        devices.find("ecp5-86k")
    with pytest.raises(AesfabError, match=r"unknown recipe for ecp5-25k 'nowidelud'.*nowidelut"):
        devices.find("ecp5-25k").recipe("nowidelud")


def test_counting() -> None:
    ecp5 = devices.find("ecp5-85k")
    counts = ecp5.count(
        {
            "LUT4": 100,
            "CCU2C": 3,
            "TRELLIS_DPR16X4": 2,
            "PFUMX": 7,
            "L6MUX21": 1,
            "TRELLIS_FF": 9,
            "DP16KD": 4,
            "$scopeinfo": 5,
            "MULT18X18D": 1,
        }
    )
    assert counts.columns() == {
        "lut": 100 + 2 * 3 + 6 * 2,
        "lut_logic": 100,
        "lut_ram": 12,
        "carry": 3,
        "wide_mux": 8,
        "ff": 9,
        "ram": 4,
    }
    assert dict(counts.other) == {"MULT18X18D": 1}

    ice40 = devices.find("ice40-hx8k").count(
        {"SB_LUT4": 5, "SB_CARRY": 2, "SB_DFFESR": 3, "SB_DFF": 1, "SB_RAM40_4KNW": 1}
    )
    assert (ice40.lut, ice40.carry, ice40.ff, ice40.ram) == (5, 2, 4, 1)

    xc7 = devices.find("7-series").count({"LUT6": 2, "INV": 1, "RAMB36E1": 1, "RAMB18E1": 1})
    assert (xc7.lut, xc7.ram) == (3, 3)
