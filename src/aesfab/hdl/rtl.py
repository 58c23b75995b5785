# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Where the RTL is, in which order it compiles, and which of it a design needs."""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aesfab.design.axes import FIELDS
from aesfab.design.design import Design
from aesfab.errors import ToolError
from aesfab.system import cache, process, shipped

# The package is imported where it is used: what is elaborated once is kept.
if TYPE_CHECKING:
    import pyslang


@functools.cache
def folder() -> Path:
    """The folder of the RTL: inside the installed package, or of the checkout."""
    return shipped.require("rtl", mark="sources.f")


def sources() -> list[Path]:
    """Every RTL file, in compilation order."""
    return _files()


def _files(*without: str) -> list[Path]:
    """The files of the list as it is now, without those of some folders."""
    base = folder()
    return list(_listed(base, without, (base / "sources.f").stat().st_mtime_ns))


@functools.lru_cache(16)
def _listed(base: Path, without: tuple[str, ...], stamp: int) -> tuple[Path, ...]:
    """``_files``, read once for each state of the list: a table asks for every record."""
    del stamp
    lines = (base / "sources.f").read_text().splitlines()
    paths = [base / line for line in lines if line and not line.startswith("//")]
    return tuple(path for path in paths if path.parent.name not in without)


def file(module: str) -> Path:
    """The file of a module or package of the RTL; KeyError where there is none."""
    return {path.stem: path for path in sources()}[module]


def core_sources() -> list[Path]:
    """The files that a core may need: all but what stands around it, engines and boards."""
    return _files("engine", "board")


def engine_sources() -> list[Path]:
    """The files that an engine may need: those of cores, and what engines have around them."""
    return _files("board")


def cfg_literal(design: Design) -> str:
    """The design as an assignment pattern for ``aes_pkg::cfg_t``, one field a line."""
    lines = []
    for axis, name in FIELDS.items():
        value = getattr(design, axis)
        text = value.rtl if value.rtl[0].isdigit() else f"aes_pkg::{value.rtl}"
        lines.append(f"    {name + ':':<12} {text}")
    return "'{\n" + ",\n".join(lines) + "\n  }"


def elaborate(top_text: str, top: str, beside: Sequence[Path] = ()) -> pyslang.ast.Compilation:
    """Elaborate a top module, given as text, over all of the RTL and files beside it."""
    import pyslang

    compilation = pyslang.ast.Compilation(_options(top))
    for path in (*sources(), *beside):
        compilation.addSyntaxTree(_syntax_tree(path))
    compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromText(top_text, f"{top}.sv"))
    return compilation


def needed_by(top_text: str, top: str, beside: Sequence[Path] = ()) -> list[Path]:
    """The RTL files that an elaborated top module uses, in compilation order.

    Args:
        top_text: the top module.
        top: its name.
        beside: files that are not in the source list and may use what is; not in the result.

    What is found is kept in the user's cache: an elaboration takes half a second.

    Raises:
        AesfabError: an unwritable cache.
        ToolError: the top module does not elaborate; the message is the first error.
    """
    files = sources()
    names = [str(path.relative_to(folder())) for path in files]
    key = process.content_key(
        Path(__file__), _slang_version(), "\n".join(names), top, top_text, [*files, *beside]
    )
    kept = cache.text(
        "needed", key, lambda: "\n".join(sorted(_elaborated_names(top_text, top, beside)))
    )
    needed = set(kept.splitlines())
    return [path for path in files if path.stem in needed]


def _elaborated_names(top_text: str, top: str, beside: Sequence[Path]) -> set[str]:
    """Names of the modules and packages that a top module uses; see ``needed_by``."""
    import pyslang

    compilation = elaborate(top_text, top, beside)
    errors = [d for d in compilation.getAllDiagnostics() if d.isError()]
    if errors:
        engine = pyslang.DiagnosticEngine(compilation.sourceManager)
        raise ToolError(f"{top} does not elaborate: {engine.formatMessage(errors[0])}")
    used: set[str] = set()

    def visit(symbol: object) -> None:
        if isinstance(symbol, pyslang.ast.InstanceSymbol):
            used.add(symbol.definition.name)

    # The root holds modules that nothing uses as well.
    for instance in compilation.getRoot().topInstances:
        instance.visit(visit)
    # A package comes before its users and counts when one of them names it.
    texts = [path.read_text() for path in (*sources(), *beside) if path.stem in used]
    for path in reversed(sources()):
        if path.stem not in used and any(f"{path.stem}::" in text for text in texts):
            used.add(path.stem)
            texts.append(path.read_text())
    return used


@functools.cache
def _slang_version() -> str:
    return importlib.metadata.version("pyslang")


@functools.cache
def _syntax_tree(path: Path) -> pyslang.syntax.SyntaxTree:
    import pyslang

    return pyslang.syntax.SyntaxTree.fromFile(str(path))


def _options(top: str) -> pyslang.Bag:
    import pyslang

    options = pyslang.ast.CompilationOptions()
    options.topModules = {top}
    options.defaultTimeScale = pyslang.TimeScale.fromString("1ns/1ns")
    return pyslang.Bag([options])
