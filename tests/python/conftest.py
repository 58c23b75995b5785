# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What several tests use."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# Hooks: how tests are kept.
from passed import pytest_collection_modifyitems as pytest_collection_modifyitems
from passed import pytest_configure as pytest_configure
from passed import pytest_runtest_makereport as pytest_runtest_makereport
from passed import pytest_runtest_protocol as pytest_runtest_protocol
from passed import pytest_runtest_setup as pytest_runtest_setup

# What a shell starts in the background ignores Ctrl-C, and hands that down to what tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

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


def needed(what: str, kind: str, package: str, *programs: str) -> str:
    """The path of the first of some programs, which pip cannot bring; without any, skip the test.

    Where tests are evidence, AESFAB_REQUIRE_KIND is set (``.ci/run``), and then it is a failure.
    """
    for program in programs:
        if path := shutil.which(program):
            return path
    assert not os.environ.get(f"AESFAB_REQUIRE_{kind}"), f"{what} is required here"
    pytest.skip(f"{what} is not installed (Debian or Ubuntu: apt install {package})")
