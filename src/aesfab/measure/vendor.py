# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Projects for the tools of the vendors, made by edalize: Vivado and Quartus.

A project holds the core in the harness in which we place and route (``harness``) and a clock
constraint at its end. What the tool says stays in its reports, in the folder; it is no record,
for we cannot run these tools.
"""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from aesfab.design.catalogue import Named
from aesfab.devices import Device, VendorTool
from aesfab.errors import AesfabError, ToolError
from aesfab.folder import generate
from aesfab.measure import harness, implement
from aesfab.system import process

TOOLS = {"vivado": "vivado", "quartus": "quartus_sh"}
"""Tool to the program that must be on PATH to run it."""

TARGET_MHZ = 300
"""The frequency that the tools aim at."""


def project(named: Named, device: Device, tool: str, folder: Path, part: str = "") -> list[str]:
    """Write the project of a design and return the names of its files, relative to the folder.

    Args:
        named: the design.
        device: a device with a vendor's tool.
        tool: ``vivado`` or ``quartus``; it must be the device's.
        folder: made if missing; must be empty else.
        part: full ordering code, in place of that of the device table.

    Raises:
        AesfabError: the device has no such tool, or the folder cannot be used.
    """
    vendor = check(device, tool, part)
    frame = harness.generate(named.module, named.design.ports())
    texts = {
        **{f"rtl/{n}": t for n, t in implement.read_sources(generate.sources(named))},
        "harness.sv": frame.top.encode(),
        "constraints.xdc" if tool == "vivado" else "constraints.sdc": _constraints(tool).encode(),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise AesfabError(
                f"{folder} is not empty; name another with -o, or where it holds this project "
                "run 'make' in it"
            )
        for name, text in texts.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(text)
    except OSError as error:
        raise AesfabError(f"cannot write {folder}: {error.strerror}") from error
    _configure(tool, device, folder, list(texts), part or vendor.part)
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def check(device: Device, tool: str, part: str = "") -> VendorTool:
    """The vendor of a device; AesfabError where the tool is not its own, or a part is none."""
    if tool not in TOOLS:
        raise AesfabError(f"unknown flow '{tool}'; known: open, {', '.join(TOOLS)}")
    if device.vendor is None or device.vendor.name != tool:
        raise AesfabError(f"{device.name} is no device of {tool}; see 'aesfab devices'")
    if part and not re.fullmatch(r"[\w.-]+", part):
        # It goes into scripts of the tools as it is.
        raise AesfabError(f"'{part}' is no ordering code of a part")
    return device.vendor


def _constraints(tool: str) -> str:
    clock = f"create_clock -name clk -period {1000 / TARGET_MHZ:.3f} [get_ports clk_i]\n"
    if tool == "quartus":
        return f"{clock}derive_clock_uncertainty\n"
    # No board, so no pins.
    return f"{clock}set_property SEVERITY {{Warning}} [get_drc_checks {{NSTD-1 UCIO-1}}]\n"


def _configure(tool: str, device: Device, folder: Path, names: list[str], part: str) -> None:
    kinds = {".sv": "systemVerilogSource", ".xdc": "xdc", ".sdc": "SDC"}
    edam = {
        "name": harness.TOP,
        "toplevel": harness.TOP,
        "files": [{"name": name, "file_type": kinds[Path(name).suffix]} for name in names],
    }
    # It warns of a tool that is missing, which we do in our own words.
    logging.getLogger("edalize").setLevel(logging.CRITICAL)
    if tool == "vivado":
        from edalize.flows.vivado import Vivado

        flow = Vivado({**edam, "flow_options": {"part": part, "pnr": "vivado"}}, str(folder))
        flow.configure()
        return
    from edalize.edatool import get_edatool

    family = device.vendor.family if device.vendor else ""
    options = {"quartus": {"family": family, "device": part}}
    get_edatool("quartus")(
        edam={**edam, "tool_options": options}, work_root=str(folder)
    ).configure()


def run(
    tool: str,
    folder: Path,
    progress: Callable[[str], None] = lambda _: None,
    timeout: float | None = None,
) -> None:
    """Run the tool on a project; its reports stay in the folder.

    ToolError when the tool is not there, fails, or has no end after ``timeout`` seconds.
    """
    program = TOOLS[tool]
    if shutil.which(program) is None:
        raise ToolError(
            f"{tool} is not here ({program} is not on PATH); the project is in {folder}, "
            "run 'make' there where it is"
        )
    progress(f"running {tool} in {folder}; this takes minutes")
    log = folder / "make.log"
    with log.open("wb") as out:
        child = process.Child(
            ["make"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
        try:
            status = child.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise ToolError(f"{tool}: no end after {timeout:.0f} s; see {log}") from error
        finally:
            child.end()
    if status:
        raise ToolError(f"{tool} ended with {status}; see {log}")
