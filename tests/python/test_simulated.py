# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is kept of long simulations: believed for the very same check of the very same design."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

import simulated
from aesfab import catalogue, generate, verify
from aesfab.catalogue import Named

NAMED = catalogue.find("fab-tiny")


class Made(Exception):  # noqa: N818
    """The check was made."""


def _check(named: Named) -> None:
    raise Made(named.name)


def _other_check(named: Named) -> None:
    """Like the first, with another text."""
    raise Made(named.name)


def _passes(named: Named) -> None:
    assert named is NAMED


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """One check of one design is known to have passed, and nothing is of the sample."""
    passed = frozenset({simulated.identity(NAMED, (_check,))})
    monkeypatch.setattr(simulated, "_known", lambda: passed)
    monkeypatch.setattr("kept.SAMPLE", 1 << 200)
    monkeypatch.delenv("AESFAB_PASSED", raising=False)


@pytest.mark.usefixtures("known")
def test_what_passed_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    simulated.once(NAMED, _check)
    monkeypatch.setattr("kept.SAMPLE", 1)
    with pytest.raises(Made):
        simulated.once(NAMED, _check)


@pytest.mark.usefixtures("known")
def test_anything_else_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [
        (catalogue.find("fab-tiny-ram"), _check, ()),
        (NAMED, _other_check, ()),
        (NAMED, _check, (_passes,)),
        (dataclasses.replace(NAMED, overrides=(("key_bits", "128"),)), _check, ()),
    ]
    for named, check, used in others:
        with pytest.raises(Made):
            simulated.once(named, check, *used)
    changes = [
        (simulated, "JUDGES", simulated.JUDGES[1:]),
        (generate, "netlist_hash", lambda _: "other"),
        (verify, "_tools", lambda: {"verilator": "other"}),
    ]
    for module, name, value in changes:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            with pytest.raises(Made):
                simulated.once(NAMED, _check)


@pytest.mark.usefixtures("known")
def test_only_what_passes_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With AESFAB_PASSED all is made, and what fails leaves no line."""
    file = tmp_path / "passed.jsonl"
    monkeypatch.setenv("AESFAB_PASSED", str(file))
    with pytest.raises(Made):
        simulated.once(NAMED, _check)
    assert not file.exists()
    simulated.once(NAMED, _passes)
    (line,) = file.read_text().splitlines()
    assert json.loads(line)["identity"] == simulated.identity(NAMED, (_passes,))
