# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What data sheets and ``show`` say of engines: of each what it does, and nothing else."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re

import pytest

from aesfab.engine import catalogue, every
from engine_runs import run

_OF_GCM = re.compile(r"\b(?:GCM|GMAC|GHASH|AAD|tags?)\b", re.IGNORECASE)
_DENIALS = (
    "| ghash | none |",
    "(SP 800-38A), without GCM,",
    "//   ghash",
    "    .Gcm ",
)
"""Where an engine without GCM says so."""


@functools.cache
def contents(name: str) -> dict[str, str]:
    """The files of the folder of an engine."""
    return dataclasses.replace(every.folder(every.find(name)), syn=False).contents()


def of_gcm(text: str) -> list[str]:
    """Lines of a text that speak of what CTR has not."""
    lines = [line for line in text.splitlines() if not any(each in line for each in _DENIALS)]
    return [line for line in lines if _OF_GCM.search(line)]


@pytest.mark.parametrize(
    "name", [name for name, each in catalogue.CATALOGUE.items() if not each.engine.gcm]
)
def test_the_sheet_of_a_ctr_engine_speaks_of_ctr_alone(name: str) -> None:
    files = contents(name)
    sheet = files["README.md"]
    assert "CTR" in sheet
    assert of_gcm(sheet) == []
    ports = catalogue.find(name).engine.ports()
    said = "\n".join(text for port in ports for text in (port.meaning, *map(str, port.fields)))
    assert of_gcm(said) == []
    module = catalogue.find(name).module
    for beside in (f"ip-xact/{module}.xml", f"vhdl/{module}.vhd", f"rtl/{module}.sv"):
        assert of_gcm(files[beside]) == [], beside
    # Such words are found where they are.
    other = contents(name.replace("ctr", "gcm"))["README.md"]
    assert len(of_gcm(other)) > 10


@pytest.mark.parametrize("name", every.names())
def test_fields_are_shown_as_the_sheet_has_them(name: str) -> None:
    engine, sheet = every.find(name).engine, contents(name)["README.md"]
    status, shown = run("show", name)
    assert status == 0
    plain = " ".join(shown.split())
    ports = {port.name: port for port in engine.ports() if port.fields}
    assert set(ports) == {"s_key_tuser_i", "s_desc_tdata_i", "m_data_tuser_o"}
    for port in ports.values():
        for below, above in itertools.pairwise(port.fields):
            assert below.high < above.low
        assert 0 == port.fields[0].low <= port.fields[-1].high < port.width
        for field in port.fields:
            assert f"| `{port.name}` | {field.bits} | {field.meaning} |" in sheet
            assert f" {field.bits} {' '.join(field.meaning.split())} " in plain


def test_descriptors_are_as_their_fields_say() -> None:
    """Modes and lengths at their bits, for one engine of each kind."""
    fields = {
        name: {each.meaning: each.bits for each in every.find(name).engine.descriptor_fields()}
        for name in ("gcm-narrow", "ccm-tiny", "cbc-streams-interleaved", "xts-tiny")
    }
    assert fields["gcm-narrow"]["mode: 1 CTR, 2 GCM"] == "130:128"
    assert fields["ccm-tiny"]["mode: 8 CCM"] == "131:128"
    assert fields["ccm-tiny"]["decryption"] == "132"
    assert fields["cbc-streams-interleaved"]["mode: 3 CBC (encryption)"] == "130:128"
    assert fields["xts-tiny"]["mode: 7 XTS"] == "130:128"
    assert {each["slot"] for each in fields.values()} == {"143:136"}
