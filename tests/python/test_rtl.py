# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The RTL as a body of files: the source list, the layers, headers, and every module by itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyslang import driver

import passed
from aesfab.design import catalogue
from aesfab.engine import every
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.hdl import rtl
from aesfab.measure import subjects

LAYERS = (
    ("aes_pkg", "aes_control_register"),
    ("fpga",),
    ("sbox",),
    ("transform",),
    ("tbox",),
    ("key_loader",),
    ("key",),
    ("iterative", "staged", "rolling", "narrow", "microcoded"),
    ("aes_core", "aes_core_narrow_shift", "aes_guard", "aes_words"),
    ("bus",),
    ("host",),
    ("engine", "board"),
)
"""Folders and files of the RTL, from the ground up: one uses what is below it, or beside it."""


def _place(path: Path) -> str:
    return path.relative_to(rtl.folder()).parts[0].removesuffix(".sv")


def _layer(path: Path) -> int:
    (layer,) = (number for number, names in enumerate(LAYERS) if _place(path) in names)
    return layer


def test_source_list_names_every_file_once() -> None:
    listed = rtl.sources()
    assert sorted(listed) == sorted(rtl.folder().rglob("*.sv"))
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize("path", rtl.sources(), ids=lambda p: p.stem)
def test_file_has_header_one_module_and_looks_up_only(path: Path) -> None:
    text = path.read_text()
    assert text.startswith(
        "// Copyright AESFab contributors.\n// SPDX-License-Identifier: Apache-2.0\n\n// "
    )
    modules = re.findall(r"^(?:module|package|interface) (\w+)", text, re.MULTILINE)
    assert modules == [path.stem]
    used = {
        p for p in rtl.sources() if p != path and re.search(rf"^ +{p.stem} ", text, re.MULTILINE)
    }
    order = rtl.sources()
    assert all(order.index(p) < order.index(path) for p in used), "used before it is compiled"
    for other in used:
        assert _layer(other) <= _layer(path), other
        # Of one layer are a folder, and what stands on top beside the core.
        together = _layer(path) == _layer(rtl.file("aes_core"))
        assert together or _layer(other) < _layer(path) or _place(other) == _place(path), other


# No top module can have an interface for a port: such a module is a part of one that has none.
MODULES = [p.stem for p in rtl.sources() if not p.stem.endswith(("_pkg", "_if"))]
PARTS = [
    p.stem for p in rtl.sources() if re.search(r"^  \w+_if\.\w+ +\w+", p.read_text(), re.MULTILINE)
]
TOPS = [module for module in MODULES if module not in PARTS]


def test_modules_with_interfaces_are_parts_of_others() -> None:
    parts = set()
    for top in TOPS:
        if top.startswith("aes_host_"):
            parts |= {path.stem for path in rtl.needed_by("", top)}
    assert PARTS
    assert set(PARTS) <= parts


@pytest.mark.parametrize("module", TOPS)
def test_module_passes_slang_alone(module: str) -> None:
    lint = driver.Driver()
    lint.addStandardArgs()
    files = " ".join(str(path) for path in rtl.sources())
    assert lint.parseCommandLine(f"slang -Wextra -Werror --top {module} {files}")
    assert lint.processOptions()
    assert lint.parseAllSources()
    compilation = lint.createCompilation()
    lint.reportCompilation(compilation, quiet=True)
    assert lint.reportDiagnostics(quiet=True)


def _other_engines() -> list[str]:
    """The first engine of each kind with each other value of its axes that goes with the rest."""
    found = []
    for kind in every.KINDS:
        name, named = next(iter(kind.catalogue.items()))
        for axis, values in named.engine.AXES.items():
            for value in values:
                words = [f"{axis}={value.value}"]
                try:
                    other = every.find(name, words)
                except AesfabError:
                    continue
                if other.engine != named.engine:
                    found.append(f"{name} {words[0]}")
    return found


@pytest.mark.kept("src/aesfab/hdl", passed.cores, cores_of=passed.of_name)
@pytest.mark.parametrize("name", [*subjects.names(), *_other_engines()])
def test_design_passes_verilator(name: str) -> None:
    """As the target ``lint`` of its folder runs it: with the parameters that it has there."""
    of, *overrides = name.split()
    named = subjects.find(of, overrides)
    verilator = Path(sys.executable).parent / "verilator-cli"
    options = ("--lint-only", "-Wall", "-Wno-UNOPTFLAT", "--no-timing", "--timescale", "1ns/1ns")
    done = subprocess.run(
        [verilator, *options, "--top-module", named.module, *subjects.sources(named)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_what_a_design_needs_is_found_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And again for other RTL or another top module."""
    copy = tmp_path / "rtl"
    shutil.copytree(rtl.folder(), copy)
    monkeypatch.setattr(rtl, "folder", lambda: copy)
    monkeypatch.setenv("AESFAB_CACHE", str(tmp_path / "cache"))
    named = catalogue.find("pilchard-unrolled-1")
    text = generate.wrapper(named)
    elaborated = []
    elaborate = rtl.elaborate

    def counted(*arguments: Any) -> Any:
        elaborated.append(arguments[1])
        return elaborate(*arguments)

    monkeypatch.setattr(rtl, "elaborate", counted)
    found = rtl.needed_by(text, named.module)
    assert copy / "iterative" / "aes_core_iterative.sv" in found
    assert copy / "staged" / "aes_core_pipelined.sv" not in found
    assert rtl.needed_by(text, named.module) == found
    assert len(elaborated) == 1
    rtl.needed_by(text + "// another", named.module)
    assert len(elaborated) == 2
    (copy / "aes_pkg.sv").write_text((copy / "aes_pkg.sv").read_text() + "// another\n")
    assert rtl.needed_by(text, named.module) == found
    assert len(elaborated) == 3
