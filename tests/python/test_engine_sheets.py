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
from aesfab.engine.ccm.packets import CCM
from aesfab.engine.packets import Beat, Error, Kind, Mode
from aesfab.engine.streams.messages import Mode as ChainedMode
from aesfab.engine.streams.spec import Engine as StreamEngine
from aesfab.engine.xts.sectors import CBC, XTS
from aesfab.engine.xts.spec import Engine as SectorEngine
from aesfab.hdl import rtl
from aesfab.system import shipped
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


# ------------------------------------------------------------------------ beside the RTL

PACKAGES = {
    "gcm-narrow": ("aes_engine_pkg",),
    "gcm-byte": ("aes_engine_pkg",),
    "ccm-tiny": ("aes_engine_ccm_pkg",),
    "cbc-streams-interleaved": ("aes_engine_streams_pkg",),
    "chained-streams-interleaved-ram": ("aes_engine_streams_pkg",),
    "xts-tiny": ("aes_engine_streams_pkg", "aes_engine_xts_pkg"),
    "cbc-dec-tiny": ("aes_engine_streams_pkg", "aes_engine_xts_pkg"),
}
"""Engines of all kinds with the packages of their modes; the first one has their descriptor."""

MEMBERS = {
    "iv": "IV|first counter block|tweak",
    "nonce": "nonce",
    "mode": "mode: ",
    "decrypt": "decryption",
    "empty": "no beat of data follows",
    "slot": "slot",
    "iv_len": "bytes of the IV",
    "nonce_len": "bytes of the nonce",
    "tag_len": "bytes of the tag",
    "text_len": "bytes of the text",
    "aad_len": "bytes of the AAD",
}
"""Members of ``desc_t`` with how their meaning begins."""


def of_package(package: str, name: str) -> list[str]:
    """What stands in a type of a package, without comments: an item for each member."""
    text = re.sub(r"//.*", "", rtl.file(package).read_text())
    (found,) = re.findall(rf"typedef (?:enum|struct)[^{{]*\{{([^}}]*)\}} {name};", text)
    return [" ".join(each.split()) for each in re.split("[;,]", found) if each.strip()]


def members(package: str, name: str) -> dict[str, tuple[int, int]]:
    """Highest and lowest bit of the members of a struct."""
    found, low = {}, 0
    for each in reversed(of_package(package, name)):
        parted = re.fullmatch(r"logic (?:\[(\d+):0\] )?(\w+)", each)
        assert parted, each
        high, member = parted.groups()
        found[member] = (low + int(high or 0), low)
        low += int(high or 0) + 1
    return found


def numbers(package: str, name: str) -> dict[str, int]:
    """The values of an enum, by their names without what they all begin with, in capitals."""
    parted = [
        re.fullmatch(r"[A-Z][a-z]+(\w+) = \d'd(\d+)", each) for each in of_package(package, name)
    ]
    return {re.sub("(?<=[a-z])(?=[A-Z])", "_", e[1]).upper(): int(e[2]) for e in parted if e}


@pytest.mark.parametrize("name", PACKAGES)
def test_descriptors_are_those_of_the_rtl(name: str) -> None:
    """Bits and width as in ``desc_t``; modes as in ``mode_e``."""
    engine, packages = every.find(name).engine, PACKAGES[name]
    wanted = members(packages[0], "desc_t")
    assert max(high for high, _ in wanted.values()) == engine.DESCRIPTOR_BITS - 1
    del wanted["reserved"]
    fields = {(each.high, each.low): each.meaning for each in engine.descriptor_fields()}
    assert fields.keys() == set(wanted.values())
    for member, bits in wanted.items():
        assert re.match(MEMBERS[member], fields[bits]), member
    modes: dict[str, int] = {}
    for package in packages:
        modes |= numbers(package, "mode_e")
    said = re.findall(r"(\d) ([A-Z]+)", fields[wanted["mode"]])
    assert said
    assert all(modes[mode] == int(number) for number, mode in said)
    if not isinstance(engine, SectorEngine):
        assert name == "cbc-streams-interleaved" or len(said) == len(modes)


@pytest.mark.parametrize("name", PACKAGES)
def test_errors_are_those_of_the_rtl(name: str) -> None:
    """With the numbers that the engine's own package gives them, where it has any."""
    wanted = numbers("aes_engine_pkg", "error_e")
    assert wanted == {
        {Error.TAG_LENGTH: "TAG_LEN"}.get(error, error.name): int(error) for error in Error
    }
    bits = members("aes_engine_pkg", "result_user_t")
    engine = every.find(name).engine
    assert [(each.high, each.low) for each in engine.result_fields()] == sorted(bits.values())
    if not isinstance(engine, StreamEngine):
        return
    own = numbers("aes_engine_streams_pkg", "error_e")
    assert own.items() <= wanted.items()
    assert set(engine.errors) | {Error.NONE} == set(own.values())


def test_values_of_the_bench_are_those_of_the_rtl() -> None:
    """Modes and beats as the scripts of the bench have them."""
    beats = numbers("aes_engine_pkg", "beat_e")
    assert beats == {each.name: int(each) for each in Beat}
    assert numbers("aes_engine_pkg", "mode_e") == {each.name: int(each) for each in Mode}
    chained = numbers("aes_engine_streams_pkg", "mode_e")
    assert chained == {each.name: int(each) for each in ChainedMode}
    assert numbers("aes_engine_ccm_pkg", "mode_e") == {"CCM": CCM}
    assert numbers("aes_engine_xts_pkg", "mode_e") == {"XTS": XTS}
    assert chained["CBC"] == CBC
    for name in PACKAGES:
        for port in every.find(name).engine.data_user():
            said = re.findall(r"(\d) (\w+)", port.meaning)
            assert said
            assert all(beats[kind.upper()] == int(number) for number, kind in said), name
    # That of a run, and of what it finds.
    text = (shipped.PACKAGE / "engine" / "bench" / "engine.cpp").read_text()
    (kinds,) = re.findall(r"enum Kind : uint8_t \{ (.*) \};", text)
    assert kinds == ", ".join(f"k{each.name.capitalize()} = {each:d}" for each in Kind)
