# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What headers and records say is measured again here: areas exactly, a clock within its spread."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import passed
from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.eda import yosys
from aesfab.engine import every
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.hdl import rtl
from aesfab.measure import implement
from aesfab.study import classes, study

ROOT = Path(__file__).parents[2]
# Quick to map and of different kinds; the rest of the records is taken again by `make measure`.
SAMPLE = [("pilchard-unrolled-1", "ecp5-85k"), ("pilchard-unrolled-1", "ice40-hx8k")]
# Quick to place and route as well.
ROUTED_SAMPLE = [("fab-tiny-ram", "ice40-hx8k")]
EARLIER = 0.15
"""By how much the area of an earlier flow may differ, for other names and order were mapped."""


def _luts(
    path: Path, module: str, options: str, command: str, tmp_path: Path, *more: Path
) -> tuple[int, int]:
    """LUTs and flip-flops of one module."""
    with yosys.workspace([rtl.file("aes_pkg"), path, *more]) as (folder, names):
        read = yosys.read_command(names, module)
        yosys.run_script(
            [
                read.replace("read_slang", f"read_slang {options}", 1),
                f"{command} -top {module}",
                "write_json netlist.json",
            ],
            what=f"area of {module}",
            cwd=folder,
            outputs=["netlist.json"],
        )
        cells = yosys.cells_of(yosys.load_netlist(folder / "netlist.json"), module)
    luts = sum(number for cell, number in cells.items() if cell in ("SB_LUT4", "LUT4"))
    ffs = sum(n for cell, n in cells.items() if cell.startswith(("SB_DFF", "TRELLIS_FF")))
    return luts, ffs


@pytest.mark.kept(*passed.EDA, "rtl/sbox")
@pytest.mark.parametrize("direction", ["Encrypt", "Decrypt", "Both"])
def test_tower_sbox_costs_what_its_header_says(direction: str, tmp_path: Path) -> None:
    path = rtl.file("aes_sbox_tower")
    match = re.search(rf"^// +{direction} +(\d+) +(\d+) .* (\d+)/(\d+) ", path.read_text(), re.M)
    assert match
    ice40, ecp5 = int(match.group(1)), int(match.group(2))
    option = f"-G Dir=aes_pkg::Dir{direction} -G Levels=0"
    module = "aes_sbox_tower"
    assert _luts(path, module, option, "synth_ice40", tmp_path) == (ice40, 0)
    assert _luts(path, module, option, "synth_ecp5 -nowidelut", tmp_path) == (ecp5, 0)
    assert ice40 <= 75
    line = match.string[match.start() : match.string.index("\n", match.start())]
    columns = [tuple(map(int, pair)) for pair in re.findall(r"(\d+)/(\d+)", line)]
    assert len(columns) == 8
    for levels, cost in enumerate(columns, 1):
        option = f"-G Dir=aes_pkg::Dir{direction} -G Levels={levels}"
        assert _luts(path, module, option, "synth_ice40", tmp_path) == cost


def _mapped(
    sources: Sequence[Path], top: str, recipe: str, options: str = "", on: str = "ecp5-85k"
) -> tuple[devices.Counts, int | None]:
    """Area and depth on a device with a recipe; the package comes by itself."""
    device = devices.find(on)
    with yosys.workspace([rtl.file("aes_pkg"), *sources]) as (folder, names):
        read = yosys.read_command(names, top)
        device.recipe(recipe).lay_out(folder)
        yosys.run_script(
            [
                read.replace("read_slang", f"read_slang {options}", 1),
                *device.recipe(recipe).for_top(top),
                "write_json netlist.json",
            ],
            what=f"area of {top}",
            cwd=folder,
            outputs=["netlist.json"],
        )
        netlist = yosys.load_netlist(folder / "netlist.json")
    return device.count(yosys.cells_of(netlist, top)), yosys.lut_levels(netlist, top, device)


def test_shallow_sbox_has_the_size_and_depth_that_its_header_says() -> None:
    path = rtl.file("aes_sbox_shallow")
    match = re.search(
        r"(\d+) LUT4 for encryption, (\d+) for decryption, (\d+) for both", path.read_text()
    )
    assert match
    for direction, luts, levels in zip(
        ("Encrypt", "Decrypt", "Both"), map(int, match.groups()), (5, 5, 7), strict=True
    ):
        counts, depth = _mapped([path], path.stem, "shaped", f"-G Dir=aes_pkg::Dir{direction}")
        assert (counts.lut, depth) == (luts, levels)


@pytest.mark.parametrize(
    ("direction", "levels", "depth", "flip_flops"),
    [
        ("Encrypt", 1, 5, 8),
        ("Encrypt", 2, 4, 20),
        ("Encrypt", 3, 2, 37),
        ("Encrypt", 4, 2, 59),
        ("Decrypt", 3, 3, 39),
        ("Decrypt", 4, 2, 61),
        ("Both", 3, 3, 48),
        ("Both", 4, 2, 62),
    ],
)
def test_levels_of_shallow_sbox_are_as_deep_as_its_header_says(
    direction: str, levels: int, depth: int, flip_flops: int
) -> None:
    path = rtl.file("aes_sbox_shallow")
    options = f"-G Dir=aes_pkg::Dir{direction} -G Levels={levels}"
    counts, found = _mapped([path], path.stem, "shaped", options)
    assert (found, counts.ff) == (depth, flip_flops)
    if direction == "Encrypt":
        said = re.search(r"has ([\d, and\n/]+)flip-flops with Levels from 1", path.read_text())
        assert said
        assert flip_flops == int(re.findall(r"\d+", said[1])[levels - 1])


@pytest.mark.parametrize("direction", ["Encrypt", "Decrypt"])
def test_wide_sbox_has_the_size_and_depth_that_its_header_says(
    direction: str, tmp_path: Path
) -> None:
    """A bit is two LUTs of seven inputs, each eight LUT4 and seven multiplexers, and a LUT4."""
    path = rtl.file("aes_sbox_wide")
    match = re.search(r"(\d+) LUT4, (\d+) for the S-box, and two levels", path.read_text())
    assert match
    bit, whole = map(int, match.groups())
    # Something before it, as in every design.
    top = tmp_path / "added.sv"
    top.write_text(
        "module added import aes_pkg::*; (input byte_t a_i, b_i, output byte_t byte_o);\n"
        f"  aes_sbox_wide #(.Dir(Dir{direction})) u_sbox "
        "(.clk_i(1'b0), .decrypt_i(1'b0), .byte_i(a_i ^ b_i), .byte_o);\nendmodule\n"
    )
    counts, depth = _mapped([path, top], "added", "wide")
    assert (counts.lut, counts.wide_mux, depth) == (8 + whole, 8 * 2 * 7, 1 + 2)
    assert whole == 8 * bit


@pytest.mark.parametrize("device", ["virtex", "spartan-3e"])
@pytest.mark.parametrize("levels", [0, 1, 2])
@pytest.mark.parametrize("direction", ["Encrypt", "Decrypt"])
def test_table_sbox_is_that_of_standaert2003_in_slices_of_two_luts(
    direction: str, levels: int, device: str
) -> None:
    """Its Fig. 6: a bit is 16 LUTs with F5 and F6, then two with F5, which makes 144."""
    options = f"-G Dir=aes_pkg::Dir{direction} -G Levels={levels}"
    path = rtl.file("aes_sbox_table")
    counts, depth = _mapped([path], path.stem, "wide", options, device)
    muxes = 8 * (4 * 3 + 1)
    assert (counts.lut, counts.wide_mux, depth) == (144, muxes, 1 if levels == 2 else 2)


# Addressed as it is and inverted, with more bits than a table of the recipe and with as many, and
# behind each what chooses among four.
TABLES = """
module tables (
  input  logic [6:0] addr_i,
  output logic [3:0] plain_o, inverted_o, mixed_o,
  output logic [1:0] chosen_o
);
  (* rom_style = "logic", ram_style = "logic" *) logic [3:0] plain[128];
  (* rom_style = "logic", ram_style = "logic" *) logic [3:0] inverted[64];
  (* rom_style = "logic", ram_style = "logic" *) logic [3:0] mixed[32];
  initial for (int i = 0; i < 128; i++) plain[i] = 4'((i * i * 7 + 3) >> 2);
  initial for (int i = 0; i < 64; i++) inverted[i] = 4'((i * i * 5 + i) >> 1);
  initial for (int i = 0; i < 32; i++) mixed[i] = 4'((i * i * 3 + 1) >> 1);
  assign plain_o    = plain[addr_i];
  assign inverted_o = inverted[~addr_i[5:0]];
  assign mixed_o    = mixed[{~addr_i[6:4], addr_i[1:0]}];
  wire [3:0][1:0] each = {plain_o, inverted_o};
  assign chosen_o   = each[addr_i[3:2]];
endmodule
"""


def _tables_by(commands: Sequence[str], files: Mapping[str, str]) -> None:
    """Prove that TABLES is the same before and after the commands; an error where it is not."""
    with yosys.workspace() as (folder, _):
        (folder / "tables.sv").write_text(TABLES)
        for name, text in files.items():
            (folder / name).write_text(text)
        yosys.run_script(
            [
                yosys.read_command(["tables.sv"], "tables"),
                "design -save source",
                *commands,
                "read_verilog -overwrite +/xilinx/cells_sim.v",
                "hierarchy -top tables", "proc", "flatten", "opt_clean", "memory",
                "design -stash mapped",
                "design -load source",
                "memory", "rename tables source",
                "design -copy-from mapped -as mapped tables",
                "miter -equiv -flatten -make_outputs source mapped miter",
                "hierarchy -top miter",
                "sat -verify -prove trigger 0 miter",
                "tee -o proved.txt stat",
            ],
            what="tables", cwd=folder, outputs=["proved.txt"],
        )  # fmt: skip


def test_tables_that_slices_of_two_luts_hold_are_those_of_the_source() -> None:
    """Proved; and not with the table of inverted addresses in the order of the others."""
    recipe = devices.find("virtex").recipe("wide")
    commands = recipe.for_top("tables")
    _tables_by(commands, recipe.files)
    order = "reversed[2**OPTION_ABITS-1-k]"
    assert order in recipe.files["tables_map.v"]
    damaged = recipe.files["tables_map.v"].replace(order, "reversed[k]")
    with pytest.raises(AesfabError, match="tables"):
        _tables_by(commands, {**recipe.files, "tables_map.v": damaged})
    damaged = recipe.files["mux4_map.v"].replace(".I1(A[WIDTH+i])", ".I1(A[2*WIDTH+i])")
    with pytest.raises(AesfabError, match="tables"):
        _tables_by(commands, {**recipe.files, "mux4_map.v": damaged})


@pytest.mark.parametrize("command", ["synth_ice40", "synth_ecp5"])
def test_table_sbox_leaves_the_register_before_it_alone(command: str, tmp_path: Path) -> None:
    """Taken for an address register it would be built anew: 32 flip-flops for eight."""
    top = tmp_path / "registered.sv"
    top.write_text(
        "module registered import aes_pkg::*; (\n"
        "  input logic clk_i, input byte_t byte_i, output byte_t byte_o, held_o\n);\n"
        "  always_ff @(posedge clk_i) held_o <= byte_i;\n"
        "  aes_sbox_table #(.Levels(1)) u_sbox "
        "(.clk_i, .decrypt_i(1'b0), .byte_i(held_o), .byte_o);\nendmodule\n"
    )
    sbox = rtl.file("aes_sbox_table")
    _, flip_flops = _luts(sbox, "registered", "", command, tmp_path, top)
    assert flip_flops == 8 + 8


def _recorded(named: catalogue.Named, device: str) -> records.Record:
    record = study.Study(records.read(ROOT / "results" / "implement.jsonl")).record(
        named.name, device
    )
    assert record, "not measured"
    return record


@pytest.mark.kept(*passed.EDA, "src/aesfab/measure", "results/implement.jsonl", passed.cores)
@pytest.mark.parametrize(("name", "device"), SAMPLE)
def test_area_is_that_of_the_record(name: str, device: str, tmp_path: Path) -> None:
    named, target = catalogue.find(name), devices.find(device)
    record = _recorded(named, device)
    counts = yosys.synthesize(
        generate.sources(named),
        named.module,
        target,
        target.recipe(record["recipe"]),
        tmp_path / "netlist.json",
    )
    if record["flow"] == implement.FLOW:
        assert {column: record[column] for column in counts.columns()} == counts.columns()
    else:
        # An earlier flow mapped another text of the same netlist.
        assert counts.lut == pytest.approx(record["lut"], rel=EARLIER)
        assert counts.ff == record["ff"]


@pytest.mark.kept(*passed.EDA, "src/aesfab/measure", "results/implement.jsonl", passed.cores)
@pytest.mark.parametrize(("name", "device"), ROUTED_SAMPLE)
def test_clock_is_that_of_the_record(name: str, device: str) -> None:
    named = catalogue.find(name)
    record = _recorded(named, device)
    again = implement.implement(
        named,
        generate.sources(named),
        devices.find(device),
        [record["recipe"]],
        record["seeds"],
        jobs=2,
    )
    recorded = record["fmax_mhz"]
    assert len(record["seeds"]) == 5
    if record["flow"] == implement.FLOW:
        assert again["lut"] == record["lut"]
    spread = recorded["max"] - recorded["min"]
    assert again["fmax_mhz"]["median"] == pytest.approx(recorded["median"], abs=spread)


def test_every_design_has_passed_as_it_is_now() -> None:
    """The committed evidence is of the RTL in the tree; `make verify-all` takes it again."""
    known = records.shipped("verify")
    for name, named in catalogue.CATALOGUE.items():
        of_it = [record for record in known if record["design"] == name]
        assert of_it, f"{name} was never verified"
        # Points without a name of their own have records under the name that they are made from.
        current = [record for record in of_it if generate.is_current(record, named)]
        record = records.latest(current, level="full")
        assert record, f"{name} has changed since, or was not verified in full"
        assert record["passed"]


@pytest.mark.parametrize("name", every.names())
def test_every_engine_has_passed_as_it_is_now(name: str) -> None:
    """The committed evidence is of the RTL in the tree; `make verify-all` takes it again."""
    named = every.find(name)
    speaks = every.evidence_of(named, records.shipped("engines"))
    assert speaks, f"{name} has changed since, or was not verified; make verify-all"
    assert speaks["passed"]
    assert speaks["level"] == "full"
    assert speaks["parameters"] == named.engine.every_axis()
    assert min(speaks[count] for count in ("answers", "random", "wrong", "clocks")) > 0


def test_designs_of_matched_areas_have_passed() -> None:
    """What stands beside a printed area is often a point without a name of its own."""
    known = records.shipped("verify")
    matched = {
        area.design for area in classes.areas(study.Study(records.shipped("implement"))) if area.met
    }
    assert len(matched) > 30
    for design in sorted(matched):
        named = study.find(design)
        full = [each for each in known if each["level"] == "full" and each["passed"]]
        assert any(generate.is_current(each, named) for each in full), f"{design} was not verified"


@pytest.mark.kept(*passed.PRODUCT, *passed.BOOKS)
def test_generated_files_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "generated.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
