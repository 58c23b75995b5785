# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proofs by SAT over the clocks of a miter of ``tests/formal``, and damages to the RTL in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from aesfab import rtl, yosys

MITERS = Path(__file__).parents[1] / "formal"
Damage = Callable[[Path], None]


def sat(claim: str, clocks: int, *given: str, value: int = 1) -> str:
    """The command that proves that an output has a value in each of the first clocks.

    For every input; registers start with anything.

    Args:
        claim: the output.
        clocks: how many.
        given: more of the command: ``-prove-skip N`` leaves the first N clocks out.
        value: what the output has.
    """
    return f"sat -verify -seq {clocks} {' '.join(given)} -prove {claim} {value}"


def prove(
    miter: str, options: str, *proofs: str, damage: Damage | None = None, stub: bool = False
) -> None:
    """Prove something of a miter.

    Args:
        miter: the module, and its file without ``.sv``.
        options: for slang, parameters and macros.
        proofs: what, see ``sat``.
        damage: what is done to the files before.
        stub: the core is the one in ``stub``, which does what it likes within its contract.

    Raises:
        ToolError: it is not so, or the miter does not elaborate.
    """
    sources = [*rtl.sources(), *sorted(MITERS.glob("*_pkg.sv")), MITERS / f"{miter}.sv"]
    with yosys.workspace(sources) as (folder, names):
        if stub:
            shutil.copyfile(MITERS / "stub" / "aes_core.sv", folder / "aes_core.sv")
            names = [name for name in names if not name.startswith("aes_core_")]
        if damage:
            damage(folder)
        read = yosys.read_command(names, miter)
        yosys.run_script(
            [
                read.replace("read_slang", f"read_slang {options}", 1),
                "hierarchy -check",
                "proc",
                "flatten",
                "opt_clean",  # mapping a memory that nothing reads takes long
                "memory_map",
                "opt -full",
                "async2sync",
                *proofs,
            ],
            what=f"proof of {miter} {options}",
            cwd=folder,
            timeout=300,
        )


def change(name: str, old: str, new: str) -> Damage:
    """A damage: the first ``old`` in a file becomes ``new``."""

    def apply(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return apply
