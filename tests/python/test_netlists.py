# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The netlist hashes that are shipped are those of the RTL in the tree."""

from __future__ import annotations

import pytest

import kept
from aesfab import records
from aesfab.design import catalogue
from aesfab.eda import yosys
from aesfab.engine import every, hdl
from aesfab.folder import generate
from aesfab.measure import components, implement, query, subjects
from aesfab.measure.subjects import Subject
from aesfab.study import study

SHIPPED = records.shipped("netlists")


def test_every_design_and_engine_is_shipped() -> None:
    """Else the first use of the records takes minutes: `make netlists`."""
    known = [*catalogue.CATALOGUE.values(), *map(every.find, every.names())]
    missing = [named.name for named in known if subjects.present(named).shipped is None]
    assert not missing, "run make netlists"


def test_parts_are_shipped() -> None:
    """Else a report takes minutes: `make netlists`. Elaboration says the same of some of them."""
    given = components.shipped()
    assert given is not None, "run make netlists"
    assert set(given.parts) == set(catalogue.CATALOGUE)
    for name in ("fab-tiny", "standaert-sequential-52"):
        assert given.parts[name] == components._elaborated_parts(catalogue.find(name))
    component = components.find("aes_mixadd", Levels=2)
    assert given.hashes[component] == yosys.netlist_hash(component.sources(), component.module)
    usual = {each.name: each.value for each in components._parameters_of("aes_mixadd")}
    assert given.usual["aes_mixadd"] == usual


def test_parts_of_another_rtl_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "shipped_key", lambda: "other")
    assert components.shipped() is None


def test_a_sample_is_elaborated() -> None:
    """Whatever changes the RTL changes the keys, and with them which points these are."""
    points: dict[implement.Shape, Subject] = {
        named.design: named for named in catalogue.CATALOGUE.values()
    }
    for record in query.current(records.shipped("implement")):
        axes = [f"{axis}={value}" for axis, value in record["parameters"].items()]
        named = subjects.find(record["design"], axes)
        points[named.design] = named
    found = [subjects.present(named) for named in points.values()]
    assert any(isinstance(each, hdl.Present) for each in found), "engines are among them"
    sample = [each for each in found if kept.in_sample(each.key())]
    assert sample
    for each in sample:
        hashed = yosys.netlist_hash(each.sources(), each.named.module)
        assert each.shipped == hashed, each.named.module


def test_what_is_shipped_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record is current by the shipped hash where there is one, by elaboration elsewhere."""
    named = catalogue.find("fab-tiny")
    netlist_hash = yosys.netlist_hash(generate.sources(named), named.module)
    record = {"design": "fab-tiny", "rtl_hash": "other", "netlist_hash": netlist_hash}
    study._present.cache_clear()
    for shipped in ({}, {generate.netlist_key(named): netlist_hash}, {"other": "x"}):
        monkeypatch.setattr(generate, "_shipped_netlists", lambda known=shipped: known)
        assert generate.netlist_hash(named) == netlist_hash
        assert generate.is_current(record, named)
        assert study.is_current(record, named)
        study._present.cache_clear()
    wrong = {generate.netlist_key(named): "wrong"}
    monkeypatch.setattr(generate, "_shipped_netlists", lambda: wrong)
    assert not generate.is_current(record, named)
    assert not study.is_current(record, named)
    study._present.cache_clear()


def test_keys_are_of_point_rtl_tools_and_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    one = catalogue.find("fab-tiny")
    key = generate.netlist_key(one)
    assert generate.netlist_key(catalogue.find("fab-tiny", ["sbox_levels=3"])) == key
    assert generate.netlist_key(catalogue.find("fab-tiny", ["sbox_levels=2"])) != key
    with monkeypatch.context() as patch:
        patch.setattr(generate, "_rtl_text", lambda _: "other")
        assert generate.netlist_key(one) != key
    with monkeypatch.context() as patch:
        patch.setattr(yosys, "_ELABORATION", ("proc", "write_json netlist.json"))
        assert generate.netlist_key(one) != key
    monkeypatch.setattr(yosys, "REFERENCE", "other")
    assert generate.netlist_key(one) != key
