# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is kept of long proofs: believed for the very same proof, and for no other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import miters
from aesfab import yosys
from aesfab.errors import ToolError
from miters import change, prove, sat

OPTIONS = "-G Dir=aes_pkg::dir_e'(1)"
PROOF = sat("same_o", 1)
WRONG = change("aes_tbox_extract.sv", "y[5] ^ y[2],", "y[5],")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file of its own, into which any proof goes, and none is of the sample."""
    file = tmp_path / "proved.jsonl"
    monkeypatch.setattr(miters.PROVED, "path", file)
    monkeypatch.setattr(miters, "LONG", 0.0)
    monkeypatch.setattr("kept.SAMPLE", 1 << 200)
    _read_again()
    yield file
    _read_again()


def _read_again() -> None:
    """What was read of the file does not count any more."""
    vars(miters.PROVED).pop("records", None)


def _take(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a proof, and that of a damaged copy."""
    monkeypatch.setenv("AESFAB_PROOFS", str(kept))
    prove("tbox_extract_miter", OPTIONS, PROOF)
    with pytest.raises(ToolError, match="proof did fail"):
        prove("tbox_extract_miter", OPTIONS, PROOF, damage=WRONG)
    monkeypatch.delenv("AESFAB_PROOFS")
    _read_again()


def _solved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The scripts with a proof in them that run from now on."""
    solved: list[str] = []
    run = yosys.run_script

    def counted(commands: Sequence[str], **others: Any) -> str:
        solved.extend(command for command in commands if command.startswith("sat "))
        return run(commands, **others)

    monkeypatch.setattr(yosys, "run_script", counted)
    return solved


def test_known_proofs_do_not_run(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _take(kept, monkeypatch)
    holds = [json.loads(line)["holds"] for line in kept.read_text().splitlines()]
    assert holds == [True, False]
    solved = _solved(monkeypatch)
    prove("tbox_extract_miter", OPTIONS, PROOF)
    with pytest.raises(ToolError, match=r"proof did fail, says proved\.jsonl"):
        prove("tbox_extract_miter", OPTIONS, PROOF, damage=WRONG)
    assert solved == []


def test_the_sample_runs(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _take(kept, monkeypatch)
    solved = _solved(monkeypatch)
    monkeypatch.setattr("kept.SAMPLE", 1)
    prove("tbox_extract_miter", OPTIONS, PROOF)
    assert solved == [PROOF]


def test_what_has_changed_is_proved(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other RTL, another proof, preparation or tool; but not for a comment."""
    _take(kept, monkeypatch)
    solved = _solved(monkeypatch)
    comment = change("aes_tbox_extract.sv", "byte_t x, y", "// a comment\n  byte_t x, y")
    prove("tbox_extract_miter", OPTIONS, PROOF, damage=comment)
    assert solved == []
    other = change("aes_tbox_extract.sv", "y[4] ^ y[1],", "y[4],")
    with pytest.raises(ToolError, match="proof did fail!"):
        prove("tbox_extract_miter", OPTIONS, PROOF, damage=other)
    assert solved == [PROOF]
    prove("tbox_extract_miter", OPTIONS, sat("same_o", 2))
    assert len(solved) == 2
    with monkeypatch.context() as patch:
        patch.setattr(miters, "_PREPARATION", ("memory_map", "async2sync"))
        prove("tbox_extract_miter", OPTIONS, PROOF)
    assert len(solved) == 3
    monkeypatch.setattr(yosys, "version", lambda: "another")
    prove("tbox_extract_miter", OPTIONS, PROOF)
    assert len(solved) == 4


def test_wires_inside_that_a_proof_speaks_of_count() -> None:
    """The same netlist with the name at another wire is another proof."""

    def netlist(bit: int) -> dict[str, Any]:
        module = {
            "ports": {"a_i": {"direction": "input", "bits": [2, 3]}},
            "cells": {},
            "netnames": {"a_i": {"bits": [2, 3]}, "start": {"bits": [bit]}},
        }
        return {"modules": {"miter": module}}

    for proof, same in (("sat -set-at 1 start 0", False), ("sat -set-at 1 begin 0", True)):
        hashes = [miters.netlist_hash(netlist(bit), "miter", [proof]) for bit in (2, 3)]
        assert (hashes[0] == hashes[1]) == same
