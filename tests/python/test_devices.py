# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The table of devices: complete rows, and what cells cost."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import pytest

import passed
from aesfab import devices
from aesfab.design.ports import Port
from aesfab.devices import DEVICES, Device
from aesfab.eda import yosys
from aesfab.errors import AesfabError
from aesfab.measure import harness, implement
from aesfab.records import Record


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
    assert device.slice_.pairs >= 1
    if device.place_and_route:
        assert any(device.package in word for word in device.arguments)
        assert str(device.target_mhz) in device.arguments
        assert "--timing-allow-fail" in device.arguments
        assert set(implement.tools(device)) == {"yosys", "nextpnr"}
        assert device.harness_recipe.for_top("some_top")
        # Every pin is constrained where any is, and nextpnr is told of the file.
        for name, text in device.files.items():
            assert any(word.endswith(name) for word in device.arguments)
            for port in ("clk_i", "scan_i", "scan_o"):
                assert port in text
    else:
        assert not device.arguments
        assert not device.files


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_every_cell_costs_consistently(device: Device) -> None:
    """The total is never less than its parts, and every kind of resource is counted."""
    for counts in device.cells.values():
        assert counts.lut >= counts.lut_logic + counts.lut_ram
    # For Cyclone IV, Yosys makes sums of LUTs.
    for column in ("lut_logic", *(["carry"] if device.family != "Cyclone IV" else []), "ff", "ram"):
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


# Something of everything: LUTs, wide functions, a sum, a ROM and a RAM that fit block RAM, a small
# RAM, flip-flops with enable and with asynchronous reset.
KINDS = """
module kinds (
  input  logic        clk_i, rst_ni, we_i,
  input  logic [8:0]  addr_i,
  input  logic [15:0] data_i,
  output logic [15:0] rom_o, ram_o, small_o, sum_o,
  output logic        wide_o
);
  (* rom_style = "block" *) logic [15:0] rom[512];
  initial for (int i = 0; i < 512; i++) rom[i] = 16'(i * i * 7 + 3);
  (* ram_style = "block" *) logic [15:0] ram[512];
  logic [15:0] little[16];
  always_ff @(posedge clk_i) begin
    rom_o <= rom[addr_i];
    ram_o <= ram[addr_i];
    if (we_i) ram[addr_i] <= data_i;
    if (we_i) little[addr_i[3:0]] <= data_i;
    small_o <= little[addr_i[7:4]];
    if (we_i) wide_o <= ^{data_i & {16{addr_i[0]}}, addr_i} ^ (data_i[7:0] == addr_i[7:0]);
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) sum_o <= '0;
    else sum_o <= sum_o + data_i;
endmodule
"""
INPUTS = {"clk_i": 1, "rst_ni": 1, "we_i": 1, "addr_i": 9, "data_i": 16}
OUTPUTS = {"rom_o": 16, "ram_o": 16, "small_o": 16, "sum_o": 16, "wide_o": 1}
PORTS = [
    *(Port(name, width, True, "") for name, width in INPUTS.items()),
    *(Port(name, width, False, "") for name, width in OUTPUTS.items()),
]
FAMILIES = {device.family: device for device in DEVICES.values()}
# All of a family in one process, which maps a text once.
EACH_FAMILY = [
    pytest.param(device, id=family, marks=pytest.mark.xdist_group(family))
    for family, device in FAMILIES.items()
]


@functools.cache
def _mapped(device: str, text: str) -> tuple[Record, bytes]:
    """What synthesis of KINDS, or of a variant, gives."""
    frame = harness.generate("kinds", PORTS)
    sources = [("kinds.sv", text.encode())]
    return implement.synthesise("kinds", sources, DEVICES[device], "default", frame)


def _every_cell_that_yosys_writes_is_counted(device: Device) -> None:
    result, netlist = _mapped(device.name, KINDS)
    assert result["status"] == "ok", result["log_tail"]
    assert result["other"] == {}
    assert result["ff"] >= 17
    assert result["ram"] >= 2
    assert result["lut_logic"] >= 10
    assert bool(netlist) is device.place_and_route


def _a_table_that_is_to_be_logic_is(device: Device) -> None:
    """Also where a register follows, with which it would make a block RAM."""
    text = KINDS.replace('rom_style = "block"', 'rom_style = "logic", ram_style = "logic"')
    block, _ = _mapped(device.name, KINDS)
    logic, _ = _mapped(device.name, text)
    assert 0 < logic["ram"] < block["ram"]
    assert logic["lut_logic"] > block["lut_logic"] + 50


def _a_memory_that_is_to_be_distributed_is_built_without_such_ram_too(device: Device) -> None:
    """As distributed RAM where there is some, else as something: never as an error."""
    text = KINDS.replace(
        "logic [15:0] little", '(* ram_style = "distributed" *) logic [15:0] little'
    )
    assert text != KINDS
    result, _ = _mapped(device.name, text)
    assert result["status"] == "ok", result["log_tail"]
    without = device.family in ("iCE40", "GateMate", "Cyclone IV")
    assert (result["lut_ram"] == 0) is without


def _what_a_block_ram_gives_is_used(device: Device) -> None:
    """Logic behind it is there: a mapper that does not know the cell would put zeros there."""
    text = KINDS.replace("rom_o <=", "rom_q <=").replace("ram_o <=", "ram_q <=")
    behind = "assign rom_o = rom_q ^ ram_q;\n  assign ram_o = rom_q & ram_q;"
    text = text.replace(
        "logic [15:0] little", f"logic [15:0] rom_q, ram_q;\n  {behind}\n  logic [15:0] little"
    )
    plain, _ = _mapped(device.name, KINDS)
    more, _ = _mapped(device.name, text)
    assert more["ram"] == plain["ram"]
    assert more["lut"] >= plain["lut"] + 15


@pytest.mark.parametrize(
    "check",
    [
        _every_cell_that_yosys_writes_is_counted,
        _a_table_that_is_to_be_logic_is,
        _a_memory_that_is_to_be_distributed_is_built_without_such_ram_too,
        _what_a_block_ram_gives_is_used,
    ],
    ids=lambda check: check.__name__.strip("_"),
)
@pytest.mark.parametrize("device", EACH_FAMILY)
def test_synthesis(device: Device, check: Callable[[Device], None]) -> None:
    """Of KINDS and its variants, for each family."""
    identity = passed.of_synthesis(device, KINDS + repr(PORTS), check, _mapped)
    passed.once(device.name, identity, lambda: check(device))


@pytest.mark.parametrize("recipe", ["default", "shaped"])
@pytest.mark.parametrize(
    ("first", "second", "families"),
    [("virtex", "virtex-e", ("xcv", "xcve")), ("virtex-ii", "spartan-3e", ("xc2v", "xc3se"))],
)
def test_yosys_maps_these_the_same(
    first: str, second: str, families: tuple[str, str], recipe: str
) -> None:
    """So that the devices may share their recipes: whatever family of the two these name."""
    one, two = DEVICES[first], DEVICES[second]
    assert one.maps_like(two, recipe)
    assert not one.maps_like(DEVICES["virtex-5"], recipe)
    assert not one.maps_like(DEVICES["spartan-3e" if first == "virtex" else "virtex"], recipe)
    identity = passed.of_synthesis(one, f"{KINDS} {families} {recipe}", _mapped_alike)
    passed.once(one.name, identity, lambda: _mapped_alike(one, families, recipe))


def _mapped_alike(device: Device, families: tuple[str, str], recipe: str) -> None:
    written = []
    for family in families:
        commands = [
            re.sub(r"-family \w+", f"-family {family}", command)
            for command in device.recipe(recipe).for_top("kinds")
        ]
        assert any(f"-family {family}" in command for command in commands)
        with yosys.workspace() as (folder, _):
            (folder / "kinds.sv").write_text(KINDS)
            yosys.run_script(
                [yosys.read_command(["kinds.sv"], "kinds"), *commands, "write_json kinds.json"],
                what="kinds", cwd=folder, outputs=["kinds.json"],
            )  # fmt: skip
            written.append(yosys.load_netlist(folder / "kinds.json")["modules"]["kinds"])
    assert written[0] == written[1]


def test_pairs_of_luts_and_flip_flops() -> None:
    """A flip-flop shares the pair of the LUT before it, each LUT with one."""

    def cell(kind: str, data: list[int | str], out: int) -> dict[str, object]:
        ports = ("A", "Z") if kind == "LUT4" else ("DI", "Q")
        return {
            "type": kind,
            "port_directions": {ports[0]: "input", ports[1]: "output"},
            "connections": {ports[0]: data, ports[1]: [out]},
        }

    cells = {
        "lut 1": cell("LUT4", [2], 10),
        "lut 2": cell("LUT4", [3], 11),
        "behind lut 1": cell("TRELLIS_FF", [10], 20),
        "behind lut 1 too": cell("TRELLIS_FF", [10], 21),
        "behind a port": cell("TRELLIS_FF", [4], 22),
        "behind another": cell("TRELLIS_FF", [22], 23),
        "constant": cell("TRELLIS_FF", ["1"], 24),
    }
    device = devices.find("ecp5-25k")
    netlist = {"modules": {"top": {"cells": cells}}}
    # Two LUTs, one of them with a flip-flop, and four flip-flops alone.
    assert yosys.lut_ff_pairs(netlist, "top", device) == 6
    assert [device.slices(pairs) for pairs in (0, 1, 6, 7)] == [0, 1, 3, 4]


def _xilinx_netlist(**cells: tuple[str, list[int], int]) -> dict[str, Any]:
    """Cells by name: type, what they read, what they drive."""

    def cell(kind: str, reads: list[int], drives: int) -> dict[str, object]:
        names = ["D"] if kind.startswith("FD") else [f"I{index}" for index in range(len(reads))]
        return {
            "type": kind,
            "port_directions": {**dict.fromkeys(names, "input"), "O": "output"},
            "connections": {
                **{n: [bit] for n, bit in zip(names, reads, strict=True)},
                "O": [drives],
            },
        }

    return {"modules": {"top": {"cells": {name: cell(*each) for name, each in cells.items()}}}}


@pytest.mark.parametrize(
    ("cells", "virtex_5", "series_7", "virtex"),
    [
        # Two inputs and three: no more than five, whatever they are.
        ({"a": ("LUT2", [2, 3], 20), "b": ("LUT3", [4, 5, 6], 21)}, 1, 1, 2),
        # Three and three: only with a common one.
        ({"a": ("LUT3", [2, 3, 4], 20), "b": ("LUT3", [5, 6, 7], 21)}, 2, 2, 2),
        ({"a": ("LUT3", [2, 3, 4], 20), "b": ("LUT3", [4, 5, 6], 21)}, 1, 1, 2),
        # Five inputs that are the same, or contain the others.
        ({"a": ("LUT5", [2, 3, 4, 5, 6], 20), "b": ("LUT5", [6, 5, 4, 3, 2], 21)}, 1, 1, 2),
        ({"a": ("LUT5", [2, 3, 4, 5, 6], 20), "b": ("LUT2", [6, 7], 21)}, 2, 2, 2),
        # Six inputs leave no room.
        ({"a": ("LUT6", [2, 3, 4, 5, 6, 7], 20), "b": ("LUT2", [2, 3], 21)}, 2, 2, 2),
        # The one with five inputs chooses first, and what is left finds the fourth.
        (
            {
                "a": ("LUT2", [2, 3], 20),
                "b": ("LUT2", [12, 13], 21),
                "c": ("LUT5", [2, 3, 4, 5, 6], 22),
                "d": ("LUT3", [7, 8, 9], 23),
            },
            *(2, 2, 4),
        ),
        # One flip-flop behind a LUT, or two.
        (
            {
                "a": ("LUT2", [2, 3], 20),
                "b": ("LUT2", [2, 4], 21),
                "behind a": ("FDRE", [20], 30),
                "behind b": ("FDRE", [21], 31),
            },
            *(2, 1, 2),
        ),
        # LUTs in front of a multiplexer share nothing; what it selects may be registered.
        (
            {
                "a": ("LUT2", [2, 3], 20),
                "b": ("LUT2", [2, 4], 21),
                "select": ("MUXF7", [20, 21, 5], 22),
                "behind": ("FDRE", [22], 30),
            },
            *(2, 2, 2),
        ),
        # A distributed RAM (two LUT4 on Virtex), and the register of what is read.
        ({"a": ("RAM32X1S", [2, 3], 20), "behind a": ("FDRE", [20], 30)}, 1, 1, 2),
    ],
)
def test_two_functions_in_a_lut(
    cells: dict[str, tuple[str, list[int], int]], virtex_5: int, series_7: int, virtex: int
) -> None:
    """Virtex-5 and what came after has LUTs of two outputs."""
    netlist = _xilinx_netlist(**cells)
    for name, sites in (("virtex-5", virtex_5), ("7-series", series_7), ("virtex", virtex)):
        device = devices.find(name)
        assert {kind for kind, _, _ in cells.values()} <= set(device.cells)
        assert yosys.lut_ff_pairs(netlist, "top", device) == sites, name


def _alm_netlist(kinds: list[tuple[str, list[int]]]) -> dict[str, Any]:
    """Cells of Cyclone V: type and what they read; each drives a net of its own."""
    cells: dict[str, dict[str, Any]] = {
        f"cell {number}": {
            "type": kind,
            "connections": {
                **{("DATAIN" if "FF" in kind else f"I{i}"): [bit] for i, bit in enumerate(reads)},
                "Q": [100 + number],
            },
        }
        for number, (kind, reads) in enumerate(kinds)
    }
    for cell in cells.values():
        names = cell["connections"]
        cell["port_directions"] = {n: "output" if n == "Q" else "input" for n in names}
    return {"modules": {"top": {"cells": cells}}}


@pytest.mark.parametrize(
    ("kinds", "sites"),
    [
        # Of six inputs each takes a whole one, however much they share.
        ([("MISTRAL_ALUT6", [2, 3, 4, 5, 6, 7]), ("MISTRAL_ALUT6", [2, 3, 4, 5, 6, 7])], 2),
        ([("MISTRAL_ALUT6", [2, 3, 4, 5, 6, 7]), ("MISTRAL_ALUT2", [2, 3])], 2),
        # Eight inputs between two: five and three, or five and five with two in common.
        ([("MISTRAL_ALUT5", [2, 3, 4, 5, 6]), ("MISTRAL_ALUT3", [7, 8, 9])], 1),
        ([("MISTRAL_ALUT5", [2, 3, 4, 5, 6]), ("MISTRAL_ALUT5", [5, 6, 7, 8, 9])], 1),
        ([("MISTRAL_ALUT5", [2, 3, 4, 5, 6]), ("MISTRAL_ALUT5", [6, 7, 8, 9, 10])], 2),
        ([("MISTRAL_ALUT_ARITH", [2, 3])] * 3, 2),
        ([("MISTRAL_MLAB", [2, 3])] * 4, 2),
        # Four flip-flops each, where none is behind a LUT.
        ([("MISTRAL_FF", [2])] * 5, 2),
    ],
)
def test_sites_of_an_alm(kinds: list[tuple[str, list[int]]], sites: int) -> None:
    device = devices.find("cyclone-v")
    assert {kind for kind, _ in kinds} <= set(device.cells)
    assert device.slices(yosys.lut_ff_pairs(_alm_netlist(kinds), "top", device)) == sites
