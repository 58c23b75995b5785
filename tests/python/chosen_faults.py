# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""An engine with many faults in it, of which none or one is chosen when it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from aesfab.eda.simulate import CoreError
from aesfab.engine import bench, hdl
from aesfab.engine.family import Entry

Fault = tuple[str, str, str]
"""A file, an expression in it, and what stands there instead."""

Check = Callable[[], tuple[int, list[str]]]
"""Gives what it looked at, counted, and what is wrong with it."""

# One build has all of them; a file in the working directory says which one is there.
_CHOICE = """// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0
package aes_fault_pkg;
  int chosen;
endpackage
"""
_CHOOSE = """
  int file, count;
  initial begin
    file = $fopen("fault", "r");
    count = $fscanf(file, "%d", aes_fault_pkg::chosen);
    $fclose(file);
  end

endmodule
"""


def build(named: Entry[Any], faults: Sequence[Fault], folder: Path) -> bench.AnyModel[Any]:
    """The engine with all of the faults, numbered from 1 on.

    Args:
        named: the engine.
        faults: what they are; an expression may end with the operator behind it.
        folder: for the changed files.
    """
    by_text: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for number, (file, old, new) in enumerate(faults, 1):
        by_text.setdefault((file, old), []).append((number, new))
    sources = [folder / "no_lint.vlt", folder / "aes_fault_pkg.sv"]
    # An expression beside another one that is wrong has other widths: the engine itself is linted.
    sources[0].write_text("`verilator_config\nlint_off\n")
    sources[1].write_text(_CHOICE)
    for path in hdl.sources(named):
        text = path.read_text()
        for (file, old), news in by_text.items():
            if file != path.name:
                continue
            assert old in text, (file, old)
            operator = old[-2:] if old[-2:] in (" &", " |") else ""
            closed = ")" if old.count(")") > old.count("(") else ""
            chosen = _bare(old, operator, closed)
            for number, new in news:
                other = _bare(new, operator, closed)
                chosen = f"(aes_fault_pkg::chosen == {number} ? ({other}) : ({chosen}))"
            text = text.replace(old, chosen + closed + operator)
        if path.stem == named.engine.top_module:
            text = text.replace("\nendmodule\n", _CHOOSE)
        if text != path.read_text():
            path = folder / path.name
            path.write_text(text)
        sources.append(path)
    return bench.of_sources(named, sources)


def complaints(checks: Iterable[Check]) -> Iterator[str]:
    """What checks find, one after the other, with engines that stop or make no sense."""
    for check in checks:
        try:
            yield from check()[1]
        except (CoreError, ValueError) as error:
            yield str(error)


def _bare(text: str, operator: str, closed: str) -> str:
    """An expression without the operator or bracket behind it."""
    return text.removesuffix(operator).removesuffix(closed)
