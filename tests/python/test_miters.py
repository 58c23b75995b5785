# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is kept of proofs: believed for the very same proof, and for no other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import miters
from aesfab.eda import yosys
from aesfab.errors import ToolError
from kept import KEEP
from miters import change, prove, sat

OPTIONS = "-G Dir=aes_pkg::dir_e'(1)"
PROOF = sat("same_o", 1)
WRONG = change("aes_tbox_extract.sv", "y[5] ^ y[2],", "y[5],")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file of its own, into which any proof goes, and none is of the sample."""
    file = tmp_path / "proved.jsonl"
    for kept in (miters.PROVED, miters.PROVED_TEXTS):
        monkeypatch.setattr(kept, "path", file)
    monkeypatch.setattr("kept.SAMPLE", 1 << 200)
    monkeypatch.delenv(KEEP, raising=False)
    _read_again()
    yield file
    _read_again()


def _read_again() -> None:
    """What was read of the file does not count any more."""
    for kept in (miters.PROVED, miters.PROVED_TEXTS):
        vars(kept).pop("records", None)


def _take(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a proof, and that of a damaged copy."""
    monkeypatch.setenv("AESFAB_PROOFS", str(kept))
    prove("tbox_extract_miter", OPTIONS, PROOF)
    with pytest.raises(ToolError, match="proof did fail"):
        prove("tbox_extract_miter", OPTIONS, PROOF, damage=WRONG)
    monkeypatch.delenv("AESFAB_PROOFS")
    _read_again()


def _ran(monkeypatch: pytest.MonkeyPatch, begin: str) -> list[str]:
    """The commands that run from now on and begin so."""
    ran: list[str] = []
    run = yosys.run_script

    def counted(commands: Sequence[str], **others: Any) -> str:
        ran.extend(command for command in commands if command.startswith(begin))
        return run(commands, **others)

    monkeypatch.setattr(yosys, "run_script", counted)
    return ran


def _solved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The proofs that run from now on."""
    return _ran(monkeypatch, "sat ")


def test_known_proofs_do_not_run(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what they are of is not elaborated."""
    _take(kept, monkeypatch)
    said = [json.loads(line)["said"] for line in kept.read_text().splitlines()]
    assert said == ["holds", "refuted"]
    ran = _ran(monkeypatch, "")
    prove("tbox_extract_miter", OPTIONS, PROOF)
    with pytest.raises(ToolError, match=r"proof did fail, says proved\.jsonl"):
        prove("tbox_extract_miter", OPTIONS, PROOF, damage=WRONG)
    assert ran == []


def test_what_the_rtl_refuses_is_kept(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters that a module does not offer, in its own words; but no other failure."""
    options = "-D SBOX=aes_sbox_rom -G Levels=8"
    words = "aes_sbox_rom: Levels must be 1 to 4"
    monkeypatch.setenv("AESFAB_PROOFS", str(kept))
    with pytest.raises(ToolError) as refused:
        prove("sbox_miter", options, PROOF)
    assert words in refused.value.log_tail
    with pytest.raises(ToolError, match="unknown module"):
        prove("sbox_miter", "-D SBOX=aes_sbox_unheard_of", PROOF)
    monkeypatch.delenv("AESFAB_PROOFS")
    _read_again()
    ran = _ran(monkeypatch, "")
    with pytest.raises(ToolError, match=words):
        prove("sbox_miter", options, PROOF)
    assert ran == []
    assert len(kept.read_text().splitlines()) == 1


def test_the_sample_runs(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _take(kept, monkeypatch)
    solved = _solved(monkeypatch)
    monkeypatch.setattr("kept.SAMPLE", 1)
    prove("tbox_extract_miter", OPTIONS, PROOF)
    assert solved == [PROOF]


def test_what_has_changed_is_proved(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other RTL, another proof, preparation or tool; but not for a comment, nor for an order."""
    _take(kept, monkeypatch)
    solved, elaborated = _solved(monkeypatch), _ran(monkeypatch, "read_slang")
    comment = change("aes_tbox_extract.sv", "byte_t x, y", "// a comment\n  byte_t x, y")
    prove("tbox_extract_miter", OPTIONS, PROOF, damage=comment)
    assert elaborated == []
    named = change("aes_tbox_extract.sv", "byte_t x, y, w, z;", "byte_t x, w, y, z;")
    prove("tbox_extract_miter", OPTIONS, PROOF, damage=named)
    assert solved == []
    assert len(elaborated) == 1
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
