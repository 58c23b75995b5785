# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A user's own design, for example one with a core in it, measured as a core is.

Its top module needs a clock, and nothing else is asked of it: the recipes find the parts of a core
by their names (``hdl.roles``), wherever in a hierarchy they are. It has no blocks and no interval,
so there is no throughput, and nothing is recorded.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from aesfab.design.ports import Port
from aesfab.eda import yosys
from aesfab.errors import AesfabError, unknown

FILE_LIST = ".f"
"""Suffix of a file that names others."""


@dataclasses.dataclass(frozen=True)
class Own:
    """A design that is not one of the catalogue; see ``implement.Subject``.

    Attributes:
        name: its top module.
        inside: its ports, the clock among them.
    """

    name: str
    inside: tuple[Port, ...]

    key_lengths = ()
    blocks_in_flight = 0

    @property
    def module(self) -> str:
        """Its top module."""
        return self.name

    @property
    def design(self) -> Own:
        """Itself."""
        return self

    def ports(self) -> list[Port]:
        """Its ports."""
        return list(self.inside)

    def every_axis(self) -> dict[str, Any]:
        """None: it is no point of the family."""
        return {}

    def latency(self, key_bits: int | None = None) -> int:
        """0, for it has no blocks."""
        return 0

    def interval(self, key_bits: int | None = None) -> Fraction:
        """0, for it has no blocks."""
        return Fraction(0)

    def interval_number(self, key_bits: int | None = None) -> int | float:
        """0, for it has no blocks."""
        return 0


def source_files(given: Iterable[Path]) -> list[Path]:
    """The source files that a user names, in compilation order, each once.

    A file list (``*.f``, as in a generated folder) stands for those that it names, a line each,
    relative to it; what begins with ``//`` or ``#`` is a comment.

    Raises:
        AesfabError: a list that cannot be read or holds an option, no file, and one that is none.
    """
    found: list[Path] = []
    for path in given:
        if path.suffix != FILE_LIST:
            found.append(path)
            continue
        try:
            lines = path.read_text().splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            raise AesfabError(f"cannot read {path}: {reason}") from error
        for number, line in enumerate(lines, 1):
            name = re.split(r"//|#", line)[0].strip()
            if name.startswith(("+", "-")):
                raise AesfabError(f"{path}, line {number}: '{name}' is no file but an option")
            if name:
                found.append(path.parent / name)
    if not found:
        raise AesfabError("name the source files with --sources, packages first")
    for path in found:
        if not path.is_file():
            raise AesfabError(f"there is no source file {path}")
    return list(dict.fromkeys(found))


def find(top: str, sources: Sequence[Path], clock: str) -> Own:
    """The design of a top module, with its ports as Yosys elaborates them.

    Args:
        top: its name.
        sources: its files, packages first.
        clock: the port that is its clock; every other input comes from a register.

    Raises:
        AesfabError: the sources are at fault, or the harness does not take such ports.
        ToolError: Yosys failed for another reason.
    """
    try:
        module = yosys.elaborated(sources, top)
    except yosys.ElaborationError as error:
        raise AesfabError(str(error)) from error
    ports = []
    for name, port in module["ports"].items():
        direction = port["direction"]
        if direction not in ("input", "output") or not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise AesfabError(f"port '{name}' of {top} is an {direction}, which is not measured")
        ports.append(Port(name, len(port["bits"]), direction == "input", ""))
    inputs = [port.name for port in ports if port.is_input]
    if clock not in inputs:
        raise unknown(f"input of {top}, given by --clock,", clock, inputs)
    if len(inputs) < 2 or len(inputs) == len(ports):
        raise AesfabError(f"{top} needs an output and an input beside its clock '{clock}'")
    return Own(top, tuple(ports))
