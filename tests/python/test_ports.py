# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The ports of the cores: printed from one table, each of them used, each output driven once."""

from __future__ import annotations

import dataclasses
import re

import pytest

import ports
from aesfab.hdl import rtl

CORES = sorted(path.stem for path in rtl.sources() if path.stem.startswith("aes_core_"))


def _unused(text: str) -> set[str]:
    """Ports of a module that its body does not name, or names only to say that it uses them not."""
    match = re.search(r"^(?:module \w+ \(|\) \()\n(.*?)^\);\n(.*)", text, re.MULTILINE | re.DOTALL)
    assert match
    names = re.findall(r"^  (?:input|output) .*?(\w+),?(?: *//.*)?$", match[1], re.MULTILINE)
    assert len(names) >= 7
    body = re.sub(r"//.*", "", match[2])
    body = re.sub(r"\bassign unused_\w+\s*=.*?;", "", body, flags=re.DOTALL)
    # The pin of another module may have the name; `.clk_i,` is pin and signal.
    body = re.sub(r"\.\w+\s*\(", "(", body)
    return {name for name in names if not re.search(rf"\b{name}\b", body)}


@pytest.mark.parametrize("core", CORES)
def test_a_core_uses_all_of_its_ports(core: str) -> None:
    assert _unused(rtl.file(core).read_text()) == set()


def test_a_port_that_nothing_uses_is_found() -> None:
    text = rtl.file("aes_core_rolling").read_text()
    more = text.replace(
        "  input  block_t in_key_i,", "  input  block_t in_key_i,\n  input  logic key_i,"
    )
    assert more != text
    assert _unused(more) == {"key_i"}
    sunk = more.replace(
        "endmodule", "  logic unused_key;\n  assign unused_key = ^key_i;\nendmodule"
    )
    assert _unused(sunk) == {"key_i"}


def test_the_table_is_that_of_the_rtl() -> None:
    assert {f"aes_core_{core}" for core in ports.CORES} == set(CORES)
    assert all(path.read_text() == text for path, text in ports.files({}).items())


def test_an_output_is_of_the_core_or_tied() -> None:
    for port in ports.PORTS:
        lacks = port.is_output and port.cores and port.cores != ports.CORES
        assert bool(port.tie) == bool(lacks), port.name
        assert set(port.narrow) <= port.cores


def test_a_core_loses_a_port_by_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of the core is without it, and a constant is in its place."""
    *others, fault = ports.PORTS
    assert fault.name == "fault_o"
    without = dataclasses.replace(fault, cores=fault.cores - {"rolling"})
    monkeypatch.setattr(ports, "PORTS", (*others, without))
    changed = ports.files({})
    assert "fault_o" not in changed[rtl.file("aes_core_rolling")].partition(");\n")[0]
    assert "fault_o" in changed[rtl.file("aes_core_rolling_columns")].partition(");\n")[0]
    before, after = rtl.file("aes_core").read_text(), changed[rtl.file("aes_core")]
    for text, tied in ((before, False), (after, True)):
        branch = text.partition("aes_core_rolling #(")[2].partition("  end")[0]
        assert ("assign core_fault           = 1'b0;" in branch) == tied
        assert (".fault_o" in branch) != tied
