# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The tutorials do what they say: their files are written and their commands run, in order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest

import tcl
from aesfab import devices
from aesfab.design import catalogue
from aesfab.measure import vendor
from conftest import needed

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)

_FILES = {"verilog", "tcl", "python"}
# Commands that no test runs, with why: minutes, and a board.
_NOT_RUN = {"minutes of place and route"}
_FAILS = "ends with status 1"


def _blocks(page: Path) -> list[tuple[str, str, str]]:
    """Language, title and text of the code blocks that a reader writes or runs."""
    found = [match.groups("") for match in _BLOCK.finditer(page.read_text())]
    return [(kind, title, text) for kind, title, text in found]


def _run(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Commands in a shell that ends with the first failure."""
    return subprocess.run(
        ["bash", "-euc", text],
        cwd=folder / "work",
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "XDG_DATA_HOME": str(folder / "data"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def _follow(page: Path, folder: Path) -> str:
    """Do what a page says in a folder of its own; what its commands printed."""
    (folder / "work").mkdir()
    printed = ""
    for kind, title, text in _blocks(page):
        if kind in _FILES:
            assert title, "a file needs a name"
            (folder / "work" / title).write_text(text)
            continue
        assert kind in ("sh", "text"), f"{page.name}: a block of {kind} that no test knows"
        if kind == "text" or title in _NOT_RUN:
            continue
        done = _run(text, folder)
        printed += done.stdout
        assert done.returncode == int(title.startswith(_FAILS)), (text, done.stdout, done.stderr)
    return printed


@pytest.fixture
def icarus() -> str:
    return needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")


@pytest.mark.usefixtures("icarus")
def test_quick_start(tmp_path: Path) -> None:
    assert "\nPASS" in _follow(DOCS / "quick-start.md", tmp_path)


@pytest.mark.usefixtures("icarus")
def test_ecp5_board(tmp_path: Path) -> None:
    printed = _follow(DOCS / "tutorials" / "ecp5-board.md", tmp_path)
    # The design's own testbench, then that of the core.
    assert len(re.findall("^PASS", printed, re.MULTILINE)) == 2
    assert "blink_aes" in printed
    assert "ulx3s-12k" in printed


@pytest.mark.usefixtures("icarus")
def test_first_pipeline(tmp_path: Path) -> None:
    printed = _follow(DOCS / "tutorials" / "first-pipeline.md", tmp_path)
    taken = [int(clock) for clock in re.findall(r"cycle (\d+): in ", printed)]
    given = re.findall(r"cycle (\d+): out (\w+)", printed)
    latency = catalogue.CATALOGUE["fab-pipeline-ram"].design.latency()
    assert len(taken) == 3
    assert [int(clock) for clock, _ in given] == [clock + latency for clock in taken]
    result = given[0][1]
    assert result == "3925841d02dc09fbdc118597196a0b32"
    assert result in (DOCS / "tutorials" / "first-pipeline.md").read_text()
    for name in ("three.vcd", "tiny.vcd"):
        assert "$enddefinitions" in (tmp_path / "work" / name).read_text()


def test_paper_to_plot(tmp_path: Path) -> None:
    printed = _follow(DOCS / "tutorials" / "paper-to-plot.md", tmp_path)
    (points,) = re.findall(r"^(\d+) points$", printed, re.MULTILINE)
    assert int(points) > 30
    assert "datapackage.json" in printed
    plot = xml.etree.ElementTree.parse(tmp_path / "work" / "plot.svg").getroot()
    texts = {text for each in plot.iter() if (text := each.text)}
    assert {"ours", "qin2005", "Mbit/s"} <= texts


# -------------------------------------------------------------------------------- Vivado


def _with_stub(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return tcl.run("vivado", script, folder)


@pytest.mark.usefixtures("icarus")
def test_vivado(tmp_path: Path) -> None:
    """The page as far as it goes without Vivado, then its script with stand-ins."""
    page = DOCS / "tutorials" / "vivado.md"
    blocks = [block for block in _blocks(page) if block[1] != "where Vivado is"]
    assert len(blocks) == len(_blocks(page)) - 1
    text = re.sub(r'```sh title="where Vivado is"\n.*?```', "", page.read_text(), flags=re.DOTALL)
    (tmp_path / "vivado.md").write_text(text)
    _follow(tmp_path / "vivado.md", tmp_path)
    work = tmp_path / "work"
    done = _with_stub("build.tcl", work)
    assert done.returncode == 0, done.stderr
    called = [line.split()[0] for line in done.stdout.splitlines()]
    assert called[:3] == ["read_verilog", "read_xdc", "synth_design"]
    assert {"place_design", "route_design", "write_checkpoint"} <= set(called)
    # The constraints are Tcl of the same kind, and so is the project that measures.
    for folder, script in (
        (work, "core/constraints/aes_fab_iterative.xdc"),
        (work / "project", "aesfab_harness.tcl"),
        (work / "project", "constraints.xdc"),
    ):
        done = _with_stub(script, folder)
        assert done.returncode == 0, (script, done.stderr)
    assert "aes_fab_iterative" in (work / "build.tcl").read_text()


@pytest.mark.parametrize(
    "line", ["read_verilog missing.v", "synth_design -top top", "made_up_command", "read_xdc -sv"]
)
def test_stand_ins_refuse_mistakes(line: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.tcl").write_text(f"{line}\n")
    assert _with_stub("wrong.tcl", tmp_path).returncode != 0


def test_a_project_needs_its_files(tmp_path: Path) -> None:
    """A project of ``--flow vivado`` whose file is gone is not passed over."""
    named = catalogue.CATALOGUE["fab-byte"]
    vendor.project(named, devices.find("7-series"), "vivado", tmp_path)
    assert _with_stub("aesfab_harness.tcl", tmp_path).returncode == 0
    (tmp_path / "harness.sv").unlink()
    assert "no file harness.sv" in _with_stub("aesfab_harness.tcl", tmp_path).stderr
