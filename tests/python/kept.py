# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What long tests say is kept in files of the repository, by the identity of what it follows from.

Such a test need not run while nothing of that has changed, but for a sample, which always does.
"""

from __future__ import annotations

import ast
import functools
import inspect
import json
import os
import re
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

SAMPLE = 32
"""One of so many that are known runs all the same."""
KEEP = "AESFAB_KEEP"
"""A variable of the environment: a folder. What passes goes there, with what was known to pass and
was asked for; ``tools/keep.py`` takes it from there (``make keep``)."""

Record = dict[str, Any]


def in_sample(identity: str, one_of: int | None = None) -> bool:
    """Whether what has this identity, a hash in hexadecimal, runs in any case."""
    return int(identity, 16) % (one_of or SAMPLE) == 0


def code(what: Path | Callable[..., Any]) -> str:
    """What a file or a function does, as text: Python without comments, docstrings and imports.

    Verilog without comments as well, see ``hdl_code``. So a better comment and a module that moves
    make no check anew. Other files are their text.
    """
    if isinstance(what, Path):
        return _code(what, what.stat().st_mtime_ns)
    return _bare(textwrap.dedent(inspect.getsource(what)))


@functools.cache
def _code(path: Path, changed: int) -> str:
    """The code of a file, as it is since it was changed."""
    del changed
    if path.suffix == ".py":
        return _bare(path.read_text())
    if path.suffix in HDL:
        return hdl_code(path.read_text())
    # Some are no text.
    return path.read_bytes().decode(errors="surrogateescape")


HDL = (".sv", ".svh", ".v")
"""Suffixes of Verilog."""
_HDL = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_PRAGMA = re.compile(r"verilator|synthesis|synopsys|translate|pragma")


def hdl_code(text: str) -> str:
    """Verilog without comments, but those that tools read, and without empty lines."""

    def without(found: re.Match[str]) -> str:
        keep = found[0].startswith('"') or _PRAGMA.search(found[0])
        return found[0] if keep else " "

    lines = (line.rstrip() for line in _HDL.sub(without, text).splitlines())
    return "\n".join(filter(None, lines))


def _bare(text: str) -> str:
    return ast.unparse(_Bare().visit(ast.parse(text)))


class _Bare(ast.NodeTransformer):
    """Python without imports and without texts that stand for themselves."""

    def visit_Import(self, node: ast.Import) -> None:
        """An import goes."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """An import goes."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """A text that stands for itself becomes nothing that runs."""
        text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return ast.Pass() if text else node


def _identity(record: Mapping[str, Any]) -> str:
    return str(record["identity"])


class Kept:
    """What the checks of one kind said.

    Args:
        path: the file, a record a line; there need not be one.
        variable: of the environment; where it names a file, all checks are made, and what they say
            goes into that one.
        identity: of a record: the hash of what it follows from, in hexadecimal.
        resumed: whether checks that the new file has already are not made again.
        sample: one of so many that are known runs all the same, in place of SAMPLE.
    """

    def __init__(
        self,
        path: Path,
        variable: str,
        identity: Callable[[Mapping[str, Any]], str] = _identity,
        *,
        resumed: bool = False,
        sample: int | None = None,
    ) -> None:
        self.path = path
        self._variable = variable
        self._identity = identity
        self._resumed = resumed
        self._sample = sample

    def sampled(self, identity: str) -> bool:
        """Whether a check runs in any case."""
        return in_sample(identity, self._sample)

    @property
    def anew(self) -> Path | None:
        """The file for what is said now, where all checks are made."""
        name = os.environ.get(self._variable)
        return Path(name) if name else None

    @functools.cached_property
    def records(self) -> dict[str, Record]:
        """All of the file, by identity."""
        return self._read(self.path)

    @functools.cached_property
    def _begun(self) -> dict[str, Record]:
        """What the new file had when it was looked at first."""
        return self._read(self.anew) if self.anew else {}

    def _read(self, path: Path) -> dict[str, Record]:
        lines = path.read_text().splitlines() if path.exists() else []
        return {self._identity(record): record for record in map(json.loads, lines)}

    def find(self, identity: str) -> Record | None:
        """What stands for a check; None where that is to be made."""
        if self.anew:
            return self._begun.get(identity) if self._resumed else None
        if self.sampled(identity):
            return None
        record = self.records.get(identity)
        if record is not None:
            self._write(self._beside, record)
        return record

    def add(self, record: Mapping[str, Any]) -> None:
        """Keep what a check said, where that is wanted."""
        self._write(self.anew or self._beside, record)

    @property
    def _beside(self) -> Path | None:
        folder = os.environ.get(KEEP)
        return Path(folder) / self.path.name if folder else None

    def _write(self, path: Path | None, record: Mapping[str, Any]) -> None:
        if path:
            # Short enough to be written whole where several processes do the same.
            with path.open("a") as file:
                file.write(json.dumps(record) + "\n")
