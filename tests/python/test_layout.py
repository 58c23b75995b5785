# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The layers of the program are those of ``tests/layers.toml``; tests run as they should."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import aesfab
import layers

ROOT = Path(__file__).parents[2]
PACKAGE = Path(aesfab.__file__).parent


def _layers() -> dict[str, int]:
    """Module to its place, from the ground up."""
    return {name: n for n, layer in enumerate(layers.load()) for name in layer.modules}


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


def test_every_module_has_a_layer() -> None:
    named = [name for layer in layers.load() for name in layer.modules]
    assert len(named) == len(set(named))
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert set(named) == there - {"__init__", "__pycache__", "templates"}


def test_modules_use_lower_layers() -> None:
    """And nothing but the command line uses the host system."""
    places = _layers()
    for name, place in places.items():
        folder = PACKAGE / name
        files = sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{name}.py"]
        used = {each for file in files for each in _imports(file)} - {name}
        assert {each for each in used if places.get(each, 0) > place} == set(), name
        assert name == "cli" or "host" not in used, name


def test_nothing_uses_the_command_line() -> None:
    for file in PACKAGE.rglob("*.py"):
        if "cli" not in file.relative_to(PACKAGE).parts:
            assert "cli" not in _imports(file), file.name


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="not with pytest -n")
@pytest.mark.xdist_group("layout")
def test_groups_of_tests_are_kept_together(request: pytest.FixtureRequest) -> None:
    """pytest-xdist knows a group by the end of a node's name; without one there is no group."""
    assert request.node.nodeid.endswith("@layout")
