# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Projects for Vivado and Quartus; neither is here, so fakes of a line take their place."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from aesfab import devices
from aesfab.design import catalogue
from aesfab.eda import yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.folder import generate
from aesfab.measure import vendor

NAMED = catalogue.find("pilchard-unrolled-1")
DEVICES = [device for device in devices.DEVICES.values() if device.vendor]


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_project(device: devices.Device, tmp_path: Path) -> None:
    assert device.vendor
    tool = device.vendor.name
    files = vendor.project(NAMED, device, tool, tmp_path / "p")
    assert {"Makefile", "harness.sv", "aesfab_harness.tcl"} <= set(files)
    script = (tmp_path / "p" / "aesfab_harness.tcl").read_text()
    assert device.vendor.part in script
    assert device.vendor.family in script
    # Every source once, in compilation order, then the harness.
    order = re.findall(r"[\w/]+\.sv", script)
    sources = [f"rtl/{path.name}" for path in generate.sources(NAMED)]
    assert order == [*sources, "harness.sv"]
    constraints = next((tmp_path / "p").glob("constraints.*"))
    assert constraints.name in script
    assert "create_clock -name clk -period 3.333 [get_ports clk_i]" in constraints.read_text()


def test_the_project_elaborates(tmp_path: Path) -> None:
    """With the core itself in the harness, not the empty module that stands for it elsewhere."""
    vendor.project(NAMED, devices.find("7-series"), "vivado", tmp_path / "p")
    script = (tmp_path / "p" / "aesfab_harness.tcl").read_text()
    names = re.findall(r"[\w/]+\.sv", script)
    with yosys.workspace([tmp_path / "p" / name for name in names]) as (folder, plain):
        log = yosys.run_script(
            [
                yosys.read_command(plain, "aesfab_harness"),
                *("hierarchy -check -top aesfab_harness", "flatten", "stat"),
            ],
            what="the project",
            cwd=folder,
        )
    assert "rom" in log


def test_another_part(tmp_path: Path) -> None:
    vendor.project(NAMED, devices.find("cyclone-v"), "quartus", tmp_path / "p", "5CGXFC7C7F23C8")
    assert "5CGXFC7C7F23C8" in (tmp_path / "p" / "aesfab_harness.tcl").read_text()


@pytest.mark.parametrize(
    ("tool", "device", "says"),
    [
        ("ise", "virtex", "unknown flow 'ise'; known: open, vivado, quartus"),
        ("vivado", "ecp5-25k", "ecp5-25k is no device of vivado"),
        ("quartus", "7-series", "7-series is no device of quartus"),
    ],
)
def test_requests_without_sense(tmp_path: Path, tool: str, device: str, says: str) -> None:
    with pytest.raises(AesfabError, match=says):
        vendor.project(NAMED, devices.find(device), tool, tmp_path / "p")
    assert list(tmp_path.iterdir()) == []
    for part in ('no such"part', "a; exit", "a b"):
        with pytest.raises(AesfabError, match="no ordering code"):
            vendor.project(NAMED, devices.find("7-series"), "vivado", tmp_path / "p", part)
    assert list(tmp_path.iterdir()) == []


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    device = devices.find("7-series")
    (tmp_path / "file").write_text("")
    with pytest.raises(AesfabError, match="is not empty"):
        vendor.project(NAMED, device, "vivado", tmp_path)
    with pytest.raises(AesfabError, match="cannot write"):
        vendor.project(NAMED, device, "vivado", tmp_path / "file" / "p")


def test_a_tool_that_is_missing_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for tool, program in vendor.TOOLS.items():
        with pytest.raises(ToolError, match=f"{program} is not on PATH.*run 'make' there"):
            vendor.run(tool, tmp_path)


def test_a_tool_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "quartus_sh").write_text("#!/bin/sh\n")
    (tmp_path / "quartus_sh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    ran = tmp_path / "ran"
    (tmp_path / "Makefile").write_text(f"all:\n\tsh -c 'sleep 4; touch {ran}'\n")
    with pytest.raises(ToolError, match=r"quartus: no end after 1 s; see .*make\.log"):
        vendor.run("quartus", tmp_path, timeout=1)
    time.sleep(4)
    assert not ran.exists()


@pytest.mark.parametrize("status", [0, 3])
def test_a_tool_that_is_there_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    folder = tmp_path / "p"
    vendor.project(NAMED, devices.find("cyclone-v"), "quartus", folder)
    for step in ("sh", "map", "fit", "asm", "sta"):
        program = tmp_path / f"quartus_{step}"
        program.write_text(f"#!/bin/sh\necho {step} >> steps\nexit {status}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    if status:
        with pytest.raises(ToolError, match=r"quartus ended with .*make\.log"):
            vendor.run("quartus", folder)
    else:
        vendor.run("quartus", folder)
        assert (folder / "steps").read_text().split() == ["sh", "map", "fit", "asm", "sta"]
