# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What several tests use."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def aesfab(tmp_path: Path) -> Cli:
    """The program, run in a folder of its own; records go there as well."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [Path(sys.executable).parent / "aesfab", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "data"), "COLUMNS": "80"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    return run
