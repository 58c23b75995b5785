# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is kept of long checks: believed for the very same check of the very same design."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

import passed
from aesfab import devices
from aesfab.design import catalogue
from aesfab.folder import generate
from aesfab.host.system import Bus, System
from aesfab.verify import verify

NAMED = catalogue.find("fab-tiny")


class Made(Exception):  # noqa: N818
    """The check was made."""


def _check() -> None:
    raise Made


def _other_check() -> None:
    """Like the first, with another text."""
    raise Made


def _passes() -> None:
    pass


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a check of a text says; nothing is of the sample."""
    monkeypatch.setattr("kept.SAMPLE", 1 << 200)
    monkeypatch.delenv("AESFAB_PASSED", raising=False)
    path = tmp_path / "core.v"
    path.write_text("module core; endmodule\n")
    return path


def _know(monkeypatch: pytest.MonkeyPatch, identity: str) -> None:
    monkeypatch.setattr(passed.PASSED, "records", {identity: {}})


@pytest.mark.usefixtures("file")
def test_what_passed_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    identity = passed.of_netlist(NAMED, _check)
    _know(monkeypatch, identity)
    passed.once(NAMED.module, identity, _check)
    monkeypatch.setattr("kept.SAMPLE", 1)
    with pytest.raises(Made):
        passed.once(NAMED.module, identity, _check)
    monkeypatch.setattr("kept.SAMPLE", 1 << 200)
    _know(monkeypatch, "other")
    with pytest.raises(Made):
        passed.once(NAMED.module, identity, _check)


def test_a_check_of_a_design_is_of_all_that_it_follows_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = passed.of_netlist(NAMED, _check)
    assert passed.of_netlist(NAMED, _check) == first
    others = [
        passed.of_netlist(catalogue.find("fab-tiny-ram"), _check),
        passed.of_netlist(NAMED, _other_check),
        passed.of_netlist(NAMED, _check, _passes),
        passed.of_netlist(dataclasses.replace(NAMED, overrides=(("key_bits", "128"),)), _check),
    ]
    changes = [
        (passed, "JUDGES", passed.JUDGES[1:]),
        (generate, "netlist_hash", lambda _: "other"),
        (verify, "_tools", lambda: {"verilator": "other"}),
    ]
    for module, name, value in changes:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            others.append(passed.of_netlist(NAMED, _check))
    assert first not in others
    assert len(set(others)) == len(others)


def test_a_check_of_a_synthesis_is_of_all_that_it_follows_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = devices.find("ecp5-25k")
    first = passed.of_synthesis(device, "text", _check)
    assert passed.of_synthesis(device, "text", _check) == first
    recipes = {**device.recipes, "default": device.recipe("nowidelut")}
    others = [
        passed.of_synthesis(devices.find("ice40-hx8k"), "text", _check),
        passed.of_synthesis(dataclasses.replace(device, recipes=recipes), "text", _check),
        passed.of_synthesis(device, "other", _check),
        passed.of_synthesis(device, "text", _other_check),
    ]
    for name, value in (("SYNTHESIS", []), ("yosys.version", lambda: "other")):
        with monkeypatch.context() as patch:
            patch.setattr(f"passed.{name}", value)
            others.append(passed.of_synthesis(device, "text", _check))
    assert first not in others
    assert len(set(others)) == len(others)


def test_a_check_of_a_system_is_of_all_that_it_follows_from(
    monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    system = System(NAMED)
    first = passed.of_system(system, _check)
    assert passed.of_system(system, _check) == first
    others = [
        passed.of_system(System(catalogue.find("fab-tiny-ram")), _check),
        passed.of_system(System(NAMED, Bus.AXI4), _check),
        passed.of_system(System(NAMED, data_width=64), _check),
        passed.of_system(System(NAMED, depth=16), _check),
        passed.of_system(system, _other_check),
    ]
    for folder in ("include", "sim", "src"):
        (file.parent / "host" / folder).mkdir(parents=True)
    changes = [
        ("HOST", passed.HOST[1:]),
        ("JUDGES", passed.JUDGES[1:]),
        ("verify._tools", lambda: {"verilator": "other"}),
        ("host_system.sources", lambda _: [file]),
        ("host_system.c_folder", lambda: file.parent / "host"),
    ]
    for name, value in changes:
        with monkeypatch.context() as patch:
            patch.setattr(f"passed.{name}", value)
            others.append(passed.of_system(system, _check))
    assert first not in others
    assert len(set(others)) == len(others)


def test_a_check_of_a_text_is_of_all_that_it_follows_from(file: Path) -> None:
    first = passed.of_text(NAMED, [file], "tool 1", _check)
    assert passed.of_text(NAMED, [file], "tool 1", _check) == first
    others = [
        passed.of_text(catalogue.find("fab-tiny-ram"), [file], "tool 1", _check),
        passed.of_text(NAMED, [file, file], "tool 1", _check),
        passed.of_text(NAMED, [file], "tool 2", _check),
        passed.of_text(NAMED, [file], "tool 1", _other_check),
        passed.of_text(NAMED, [file.rename(file.with_suffix(".sv"))], "tool 1", _check),
    ]
    file.write_text("module core; // changed\nendmodule\n")
    others.append(passed.of_text(NAMED, [file], "tool 1", _check))
    assert first not in others
    assert len(set(others)) == len(others)


@pytest.mark.usefixtures("file")
def test_only_what_passes_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With AESFAB_PASSED all is made, and what fails leaves no line."""
    lines = tmp_path / "passed.jsonl"
    monkeypatch.setenv("AESFAB_PASSED", str(lines))
    identity = passed.of_netlist(NAMED, _check)
    _know(monkeypatch, identity)
    with pytest.raises(Made):
        passed.once(NAMED.module, identity, _check)
    assert not lines.exists()
    passed.once(NAMED.module, identity, _passes)
    (line,) = lines.read_text().splitlines()
    assert json.loads(line) == {"of": NAMED.module, "identity": identity}
