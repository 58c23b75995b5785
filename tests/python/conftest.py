# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What several tests use."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

import passed
from kept import code

# What a shell starts in the background ignores Ctrl-C, and hands that down to what tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


_IDENTITY = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """The mark of tests that are kept, for ``pytest --markers``."""
    config.addinivalue_line(
        "markers",
        "kept(*parts): made again only when its file or a part has changed, see passed.of_test",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where all that is kept is made anew, nothing else is run."""
    if passed.PASSED.anew is None:
        return
    long: list[pytest.Item] = []
    other: list[pytest.Item] = []
    for item in items:
        makes = isinstance(item, pytest.Function) and "passed.once(" in code(item.function)
        (long if makes or item.get_closest_marker("kept") else other).append(item)
    config.hook.pytest_deselected(items=other)
    items[:] = long


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that is kept is left out, before its fixtures are made, where it passed as it is."""
    marks = list(item.iter_markers("kept"))
    if marks and isinstance(item, pytest.Function):
        identity = passed.of_test(item, marks)
        if passed.PASSED.find(identity) is not None:
            pytest.skip("kept: it passed, and nothing that it follows from has changed")
        item.stash[_IDENTITY] = identity


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep that it passed."""
    report = yield
    identity = item.stash.get(_IDENTITY, None)
    if identity is not None and call.when == "call" and report.passed:
        passed.PASSED.add({"of": item.nodeid, "identity": identity})
    return report


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
