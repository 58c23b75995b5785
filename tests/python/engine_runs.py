# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Commands with engines, and their folders in Icarus Verilog: for engines of all kinds."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner

from aesfab import cli
from aesfab.errors import AesfabError
from conftest import needed


def run(*words: object) -> tuple[int, str]:
    """Status and output of a command, in this process."""
    done = CliRunner().invoke(cli.app, list(map(str, words)))
    error = str(done.exception) if isinstance(done.exception, AesfabError) else ""
    status = done.exception.exit_status if isinstance(done.exception, AesfabError) else 0
    return status or done.exit_code, done.output + error


def folder_runs_in_icarus(
    folder: Path, words: list[str], module: str, passes: str, damage: Callable[[str], str]
) -> None:
    """Its testbench passes, and fails where a result is expected that does not come.

    Args:
        folder: where it is written.
        words: engine and axes.
        module: its top module.
        passes: what stands behind ``PASS:``.
        damage: of the text of the testbench.
    """
    needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    assert run("generate", *words, "--format", "verilog", "--no-syn", "-o", folder)[0] == 0
    bench = f"tb/tb_{module}.sv"

    def simulated() -> subprocess.CompletedProcess[str]:
        build = ["iverilog", "-g2012", "-o", "sim", "-c", f"{module}.f", bench]
        subprocess.run(build, cwd=folder, check=True)
        return subprocess.run(["./sim"], cwd=folder, check=False, capture_output=True, text=True)

    done = simulated()
    assert done.returncode == 0, done.stdout[-2000:]
    assert f"PASS: {passes}" in done.stdout
    path = folder / bench
    wrong = damage(path.read_text())
    assert wrong != path.read_text()
    path.write_text(wrong)
    done = simulated()
    assert done.returncode != 0
    assert "FAIL" in done.stdout
