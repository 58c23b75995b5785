# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is kept of the verification of an engine: a record of the kind ``engines``.

``records`` says how such a record is identified. Its level is ``full`` with every known answer.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable
from typing import Any

from aesfab import __version__, records
from aesfab.engine import hdl
from aesfab.engine.family import Entry
from aesfab.engine.verify import Evidence
from aesfab.records import Record

KIND = "engines"
"""Of the records, see ``records.known``."""


def identity(named: Entry[Any], level: str, seed: int) -> dict[str, Any]:
    """The part of a record that is known beforehand: what ``records.find`` goes by.

    Args:
        named: the engine.
        level: ``quick`` or ``full``.
        seed: of what is random.
    """
    from aesfab.eda import simulate
    from aesfab.verify import oracle, vectors

    return {
        "design": named.name,
        "netlist_hash": hdl.Present(named).netlist,
        "tools": {
            "aesfab": __version__,
            "verilator": simulate.verilator_version(),
            "cryptography_vectors": vectors.version(),
            "pycryptodome-test-vectors": importlib.metadata.version("pycryptodome-test-vectors"),
            **oracle.versions(),
        },
        "level": level,
        "seed": seed,
    }


def record(named: Entry[Any], known: dict[str, Any], found: Evidence) -> Record:
    """The record of a verification.

    Args:
        named: the engine.
        known: its ``identity``.
        found: what the verification found.
    """
    return {
        **known,
        "parameters": named.engine.every_axis(),
        "passed": found.passed,
        "answers": found.answers,
        "random": found.random,
        "wrong": found.wrong,
        "clocks": found.clocks,
        "failures": list(found.failures),
    }


def of(named: Entry[Any], known: Iterable[Record]) -> Record | None:
    """The record that speaks for an engine as its RTL is, of ``known``; None without one."""
    present = hdl.Present(named)
    return records.evidence(each for each in known if present.has(each))


def text(named: Entry[Any], speaks: Record | None) -> str:
    """What a data sheet says of it, Markdown."""
    if speaks is None:
        return "No record of a verification of exactly this RTL came with this AESFab.\n"
    tools = ", ".join(f"{tool} {version}" for tool, version in speaks["tools"].items())
    verdict = "passed" if speaks["passed"] else "FAILED"
    unit = named.engine.UNIT
    return (
        f"This RTL (netlist hash `{speaks['netlist_hash']}`) {verdict} at level "
        f"{speaks['level']}:\n{speaks['answers']} known answers, {speaks['random']} random "
        f"{unit}s, {speaks['wrong']} wrong ones, the clocks of {speaks['clocks']},\n"
        f"seed {speaks['seed']}. Tools: {tools}.\n"
    )
