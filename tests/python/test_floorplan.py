# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Floorplans: the cells of every round are found, and their places are where they should be."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

import passed
from aesfab import devices
from aesfab.design import catalogue
from aesfab.eda import yosys
from aesfab.folder import generate
from aesfab.hdl import canonical
from aesfab.measure import floorplan

pytestmark = pytest.mark.kept(*passed.EDA, "src/aesfab/measure", passed.cores)

DEVICE = devices.find("ecp5-85k")


UNNAMED = canonical.Netlist("", {}, {})
"""Where cells of the test have the names of the source themselves."""


def _elaborated(name: str, kind: str, cell: str) -> tuple[dict[str, Any], str, canonical.Netlist]:
    """A canonical netlist, its cells of a kind under the name of what the device has for them.

    Mapping takes a minute and keeps the names.
    """
    named = catalogue.find(name)
    source = yosys.canonical(generate.sources(named), named.module)
    with yosys.workspace() as (folder, _):
        (folder / yosys.CANONICAL).write_text(source.text)
        commands = [f"read_rtlil {yosys.CANONICAL}", f"simplemap t:{kind}"]
        yosys.run_script([*commands, "write_json n.json"], what="netlist", cwd=folder)
        netlist = yosys.load_netlist(folder / "n.json")
    for entry in netlist["modules"][canonical.TOP]["cells"].values():
        if re.fullmatch(kind.replace("$dff", "$_DFF_P_").replace("$", r"\$"), entry["type"]):
            entry["type"] = cell
    return netlist, canonical.TOP, source


def _places(
    netlist: dict[str, Any], top: str, source: canonical.Netlist = UNNAMED
) -> dict[str, tuple[int, int]]:
    """Cells with a place, as the source calls them, to its column and row."""
    found = {}
    for name, cell in netlist["modules"][top]["cells"].items():
        if "BEL" in cell["attributes"]:
            column, row = re.findall(r"[XY](\d+)/", cell["attributes"]["BEL"])
            found[source.source_name(name)] = int(column), int(row)
    return found


def _round(name: str) -> int:
    found = re.search(r"gen_round\[(\d+)\]", name)
    assert found
    return int(found[1])


def _byte(name: str) -> int:
    """The byte of FIPS 197 that an S-box takes; of the last word for one of the key."""
    found = re.search(r"gen_byte\[(\d+)\]", name)
    assert found
    return (3 if "u_keys" in name else 15) - int(found[1])


def _cells(netlist: dict[str, Any], top: str) -> dict[str, Any]:
    cells: dict[str, Any] = netlist["modules"][top]["cells"]
    return cells


def test_rams_of_a_round_are_neighbours() -> None:
    """All hundred, in two rows side by side, those of keys in the middle of each round."""
    netlist, top, source = _elaborated("fab-pipeline-ram", "$mem_v2", "DP16KD")
    assert floorplan.fix(netlist, top, DEVICE, source) == 100
    places = _places(netlist, top, source)
    assert len(set(places.values())) == 100
    assert {row for _, row in places.values()} == {70, 82}
    bands = [
        sorted(x for name, (x, _) in places.items() if _round(name) == r) for r in range(1, 11)
    ]
    assert all(len(band) == 10 for band in bands)
    assert all(left[-1] < right[0] for left, right in itertools.pairwise(bands))
    for number, band in enumerate(bands, 1):
        keys = {x for name, (x, _) in places.items() if _round(name) == number and "u_keys" in name}
        assert keys == {band[4]} == {band[5]}


def test_rounds_without_rams_stand_in_two_lanes() -> None:
    """Two flip-flops in the middle of each S-box, which no LUT feeds."""
    netlist, top, source = _elaborated("fab-pipeline", "$dff", "TRELLIS_FF")
    assert floorplan.fix(netlist, top, DEVICE, source) == 10 * (16 + 4) * 2
    places = _places(netlist, top, source)
    fabric = DEVICE.fabric
    assert fabric
    assert not {y for _, y in places.values()} & fabric.gaps
    assert all(x in fabric.columns for x, _ in places.values())
    bels = [cell.get("attributes", {}).get("BEL") for cell in _cells(netlist, top).values()]
    assert len(set(bels) - {None}) == len(places)

    # The nets in which the flip-flops end tell the S-boxes; the mapper names the cells after them.
    nets = netlist["modules"][top]["netnames"]
    middles = {
        nets[wire]["bits"][index]: name
        for name, bits in source.middles.items()
        for wire, index in bits
    }
    cells = _cells(netlist, top)
    sboxes: dict[str, list[tuple[int, int]]] = {}
    for name, place in places.items():
        sboxes.setdefault(middles[cells[name]["connections"]["Q"][0]], []).append(place)
    assert all(len(set(pair)) == 1 and len(pair) == 2 for pair in sboxes.values())

    # There below the middle and back above it, each round in columns of its own.
    spans = []
    for number in range(1, 11):
        area = {name: pair[0] for name, pair in sboxes.items() if _round(name) == number}
        assert len(set(area.values())) == 20
        spans.append((min(x for x, _ in area.values()), max(x for x, _ in area.values())))
        assert all((y < fabric.middle) == (number <= 5) for _, y in area.values())
        rows = sorted({y for _, y in area.values()})
        assert len(rows) == 5
        assert {y for name, (_, y) in area.items() if "u_keys" in name} == {rows[2]}
        # A row of S-boxes has one of each row of the state: a column of MixColumns.
        for row in rows:
            bytes_ = [_byte(name) for name, (_, y) in area.items() if y == row]
            assert sorted(n % 4 for n in bytes_) == [0, 1, 2, 3]
            if row != rows[2]:
                assert len({(n // 4 - n % 4) % 4 for n in bytes_}) == 1
    assert all(left[1] < right[0] for left, right in itertools.pairwise(spans[:5]))
    assert spans[5:] == spans[4::-1]

    # None stands behind a LUT.
    outputs = {c["connections"]["Q"][0] for c in cells.values() if c["type"] == "TRELLIS_FF"}
    assert all(cells[name]["connections"]["D"][0] in outputs for name in places)


@pytest.mark.parametrize(("rounds", "rams", "rows"), [(12, 10, 3), (14, 10, 4), (26, 8, 4)])
def test_as_few_rows_as_hold_all_rounds(rounds: int, rams: int, rows: int) -> None:
    """Longer keys have more rounds."""
    names = [f"gen_round[{r}].gen_pair[{2 * n}].rom" for r in range(rounds) for n in range(rams)]
    cells = {name: {"type": "DP16KD", "attributes": {}} for name in names}
    netlist = {"modules": {"top": {"cells": cells, "netnames": {}}}}
    assert floorplan.fix(netlist, "top", DEVICE, UNNAMED) == len(names)
    places = _places(netlist, "top")
    assert len(set(places.values())) == len(names)
    assert len({y for _, y in places.values()}) == rows


def test_rams_of_a_pipeline_outside_its_rounds_are_left_to_the_placer() -> None:
    """Those of a key expander, say: they stand in no area of a round."""
    names = [f"gen_round[{r}].gen_pair[{2 * n}].rom" for r in range(1, 11) for n in range(10)]
    cells = {name: {"type": "DP16KD", "attributes": {}} for name in [*names, "u_expander.rom"]}
    netlist = {"modules": {"top": {"cells": cells, "netnames": {}}}}
    assert floorplan.fix(netlist, "top", DEVICE, UNNAMED) == len(names)
    assert set(_places(netlist, "top")) == set(names)


def test_rams_of_a_single_round_are_those_of_a_loop() -> None:
    """The key schedule of a loop has its one key round in a row of them."""
    names = [f"u_tboxes.gen_pair[{2 * n}].rom" for n in range(8)]
    keys = [f"u_key_schedule.gen_round[0].gen_pair[{2 * n}].rom" for n in range(2)]
    cells = {name: {"type": "DP16KD", "attributes": {}} for name in [*names, *keys]}
    netlist = {"modules": {"top": {"cells": cells, "netnames": {}}}}
    assert floorplan.fix(netlist, "top", DEVICE, UNNAMED) == 10
    ordered = sorted(_places(netlist, "top").items(), key=lambda item: item[1])
    assert [name in keys for name, _ in ordered] == [False] * 4 + [True] * 2 + [False] * 4


def test_an_unknown_fabric_has_no_floorplan() -> None:
    """Nothing changes there."""
    device = devices.find("ecp5-25k")
    name = "gen_round[1].rom"
    cells = {name: {"type": "DP16KD", "attributes": {}, "connections": {}, "port_directions": {}}}
    netlist = {"modules": {"top": {"cells": cells, "netnames": {}}}}
    assert floorplan.fix(netlist, "top", device, UNNAMED) == 0
    assert cells[name]["attributes"] == {}
    assert "floorplan" not in device.recipes
    assert "floorplan" in DEVICE.recipes


def test_logic_on_a_fabric_of_which_only_rams_are_known() -> None:
    """Its flip-flops are left to the placer."""
    netlist, top, source = _elaborated("fab-pipeline", "$dff", "SB_DFF")
    assert floorplan.fix(netlist, top, devices.find("ice40-hx8k"), source) == 0
    assert not _places(netlist, top)


@pytest.mark.parametrize(
    ("device", "kind", "copies", "rows", "across"),
    [("ecp5-85k", "DP16KD", 1, 1, 0), ("ice40-hx8k", "SB_RAM40_4K", 2, 2, 1)],
)
def test_rams_of_a_loop_are_neighbours(
    device: str, kind: str, copies: int, rows: int, across: int
) -> None:
    """Side by side in rows, or in columns, with those of the key in the middle of each."""
    netlist, top, source = _elaborated("fab-iterative-ram-packed", "$mem_v2", kind)
    cells = _cells(netlist, top)
    rams = [name for name, cell in cells.items() if cell["type"] == kind]
    # A RAM with one read port is there twice.
    for name in [name for name in rams for _ in range(copies - 1)]:
        cells[f"{name}.1"] = {**cells[name], "attributes": {}}
    known = devices.find(device)
    assert known.fabric
    assert floorplan.fix(netlist, top, known, source) == copies * len(rams) == copies * 10
    places = _places(netlist, top, source)
    assert len(set(places.values())) == len(places)
    lines: dict[int, list[tuple[int, str]]] = {}
    for name, place in places.items():
        lines.setdefault(place[1 - across], []).append((place[across], name))
    assert len(lines) == rows
    order = [int(bel.split("/")[across][1:]) for bel in known.fabric.ram_rows[0]]
    for line in lines.values():
        at = [order.index(position) for position, _ in sorted(line)]
        assert at == list(range(at[0], at[0] + len(at)))
        assert abs(at[0] - (len(order) - 1 - at[-1])) <= 8
        keys = ["u_key_schedule" in name for _, name in sorted(line)]
        assert keys == [False] * 4 + [True] * 2 + [False] * 4


def test_more_rams_than_there_are_places() -> None:
    """They are left to the placer, which then says what does not fit."""
    names = [f"gen_round[{r}].gen_pair[{n}].rom" for r in range(20) for n in range(12)]
    cells = {name: {"type": "DP16KD", "attributes": {}} for name in names}
    netlist = {"modules": {"top": {"cells": cells, "netnames": {}}}}
    assert floorplan.fix(netlist, "top", DEVICE, UNNAMED) == 0
    assert not _places(netlist, "top")
