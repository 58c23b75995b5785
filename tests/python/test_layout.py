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


def _module(dotted: str) -> str:
    """The module of the table that an import below ``aesfab`` means, such as ``design.rules``."""
    parts = dotted.split(".")
    return ".".join(parts[:2]) if parts[0] in _packages() else parts[0]


def _packages() -> set[str]:
    """Packages whose modules are named one by one."""
    return {name.partition(".")[0] for name in _layers() if "." in name}


def _imports(path: Path) -> Iterator[str]:
    """Modules of the table that a file imports, anywhere in it."""
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
                yield _module(rest)


def _there() -> dict[str, list[Path]]:
    """Module of the table to its files, as the folder has them."""
    found: dict[str, list[Path]] = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[-1] != "__init__" or parts[0] not in _packages() or len(parts) > 2:
            found.setdefault(_module(".".join(parts)), []).append(path)
    return found


def test_every_module_has_a_layer() -> None:
    named = [name for layer in layers.load() for name in layer.modules]
    assert len(named) == len(set(named))
    assert set(named) == set(_there()) - {"__init__"}


def test_modules_use_lower_layers() -> None:
    """And nothing but the command line uses the host system."""
    places = _layers()
    for name, files in _there().items():
        used = {each for file in files for each in _imports(file)} - {name}
        place = places.get(name, 0)
        assert {each for each in used if places.get(each, 0) > place} - {"api"} == set(), name
        assert name == "cli" or "host" not in used, name


def test_folders_are_small() -> None:
    """No folder of the program holds more than a dozen modules, and its top no more than six."""
    for folder in (PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir())):
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= (6 if folder == PACKAGE else 12), folder


def test_nothing_uses_the_command_line() -> None:
    for file in PACKAGE.rglob("*.py"):
        if "cli" not in file.relative_to(PACKAGE).parts and file.name != "__main__.py":
            assert "cli" not in _imports(file), file.name


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="not with pytest -n")
@pytest.mark.xdist_group("layout")
def test_groups_of_tests_are_kept_together(request: pytest.FixtureRequest) -> None:
    """pytest-xdist knows a group by the end of a node's name; without one there is no group."""
    assert request.node.nodeid.endswith("@layout")
