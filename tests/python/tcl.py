# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Scripts of vendors, run with stand-ins for the commands of their tools (``TOOL.tcl``)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Python's own Tcl: no machine has to have a tclsh.
_TCL = """
import sys, tkinter
tcl = tkinter.Tcl()
tcl.setvar("argv", tcl.call("list", *sys.argv[2:]))
try:
    tcl.eval(f"source {{{sys.argv[1]}}}")
except tkinter.TclError as error:
    sys.exit(str(error))
"""


def run(tool: str, script: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder; it fails where a file or an argument of a command is missing."""
    pytest.importorskip("tkinter")
    stub = Path(__file__).with_name(f"{tool}.tcl")
    return subprocess.run(
        [sys.executable, "-c", _TCL, str(stub), script, *arguments],
        cwd=folder, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
