# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The layers of the Python side are those that CONTRIBUTING.md draws; tests run as they should."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import aesfab

ROOT = Path(__file__).parents[2]
PACKAGE = Path(aesfab.__file__).parent


def _layers() -> dict[str, int]:
    """Module to its place in the row of ``src/aesfab``, from the left."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    (row,) = re.findall(r"^\| `src/aesfab` \| (.*?) \|", page, re.MULTILINE)
    chain = row.partition(";")[0].split(" -> ")
    return {name: n for n, names in enumerate(chain) for name in re.findall(r"`(\w+)`", names)}


def _imports(path: Path) -> Iterator[str]:
    """Modules and packages directly below ``aesfab`` that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == "aesfab":
                yield rest.split(".")[0]


def test_modules_use_what_is_to_their_left() -> None:
    layers = _layers()
    assert len(layers) > 20
    for name, layer in layers.items():
        folder = PACKAGE / name
        files = sorted(folder.glob("*.py")) if folder.is_dir() else [PACKAGE / f"{name}.py"]
        used = {each for file in files for each in _imports(file)}
        assert {each for each in used if layers.get(each, 0) > layer} == set(), name
        assert not used & {"host", "cli"}, name


def test_nothing_uses_the_command_line() -> None:
    for file in PACKAGE.rglob("*.py"):
        if "cli" not in file.relative_to(PACKAGE).parts:
            assert "cli" not in _imports(file), file.name


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="not with pytest -n")
@pytest.mark.xdist_group("layout")
def test_groups_of_tests_are_kept_together(request: pytest.FixtureRequest) -> None:
    """pytest-xdist knows a group by the end of a node's name; without one there is no group."""
    assert request.node.nodeid.endswith("@layout")
