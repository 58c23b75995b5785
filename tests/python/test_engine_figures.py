# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Figures of engines: records of their RTL are quoted by every command, as those of cores are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aesfab import api, devices, records
from aesfab.cli import output
from aesfab.design import catalogue
from aesfab.engine import every, hdl
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.hdl import canonical
from aesfab.measure import implement, query, scripts, subjects
from aesfab.study.study import Study
from conftest import Cli

DEVICE = devices.find("ecp5-85k")


def _record(name: str, *words: str, lut: int = 1234, mhz: float = 100.0) -> records.Record:
    """A record of an engine as its RTL is, with figures of our choice."""
    named = every.find(name, words)
    rtl = {"rtl_hash": hdl.Present(named).text, "netlist_hash": hdl.Present(named).shipped or ""}
    clock = {"median": mhz, "min": mhz - 1, "max": mhz + 1, "seeds": {"1": mhz, "2": mhz}}
    figures: dict[str, Any] = {
        **{"lut": lut, "ff": 567, "ram": 8, "lut_levels": 5, "slices_estimate": 700},
        **{"status": "ok", "fmax_mhz": clock, "log_tail": ""},
        "throughput_mbit_s": implement.throughput_mbit_s(named.engine, mhz),
    }
    identity = implement.identity(named, [], DEVICE, ["nowidelut"], [1, 2], rtl)
    # Not the text of another checkout: the hash says of which RTL it is.
    return {
        **identity,
        "stage": "place and route",
        "recipe": "nowidelut",
        **figures,
        "recipes": {"nowidelut": {**figures, "runs": {}}},
    }


def test_the_parameters_of_a_record_have_the_axes_of_the_core() -> None:
    """Else two engines around other cores of one name were the same measurement in a listing."""
    one, other = _record("gcm-tiny"), _record("gcm-tiny", "sbox_levels=2")
    assert one["parameters"] == every.find("gcm-tiny").engine.every_axis()
    assert one["parameters"] != other["parameters"]
    assert len(records.newest([one, other])) == 2
    rows = [query.row(each) for each in (one, other)]
    assert [row["axes"] for row in rows] == ["", "sbox_levels=2"]
    assert {row["design"] for row in rows} == {"gcm-tiny"}
    assert query.current([one, other]) == [one, other]


def test_a_table_names_the_axes_that_are_not_the_engines_own() -> None:
    table = output.figures_table([_record("gcm-tiny"), _record("gcm-tiny", "sbox_levels=2")])
    assert [*table.columns[0].cells] == ["gcm-tiny", "gcm-tiny sbox_levels=2"]


def test_a_record_is_of_its_rtl_alone() -> None:
    record = _record("gcm-tiny")
    for named in (every.find("gcm-tiny"), every.find("gcm-tiny", ["slots=32"])):
        assert hdl.Present(named).has(record) == (not named.overrides)
    changed = {**record, "rtl_hash": "other", "netlist_hash": "other"}
    assert not hdl.Present(every.find("gcm-tiny")).has(changed)
    assert query.current([changed]) == []
    assert query.current([{**record, "design": "gcm-gone"}]) == []


def test_keys_of_engines_are_of_point_and_rtl(monkeypatch: pytest.MonkeyPatch) -> None:
    one = every.find("gcm-tiny")
    key = hdl.netlist_key(one)
    assert hdl.netlist_key(every.find("gcm-tiny", ["slots=64"])) == key
    assert hdl.netlist_key(every.find("gcm-tiny", ["slots=32"])) != key
    assert hdl.netlist_key(every.find("gcm-tiny", ["sbox_levels=2"])) != key
    assert key != generate.netlist_key(catalogue.find("fab-tiny"))
    monkeypatch.setattr(generate, "_rtl_text", lambda _: "other")
    assert hdl.netlist_key(one) != key


def test_a_pattern_is_of_engines_where_no_design_is_like_it() -> None:
    assert subjects.is_engines("gcm-*")
    assert subjects.is_engines("xts-narrow")
    assert not subjects.is_engines("*-tiny")
    for name in subjects.names():
        assert subjects.find(name).name == name
        assert subjects.is_engines(name) == every.is_engine(name)


@pytest.mark.parametrize("name", every.names())
def test_every_engine_has_figures(name: str) -> None:
    """Of its RTL: its clock on one device, and its area in LUT6 beside LUT4."""
    known = Study(each for each in records.shipped("implement") if each["design"] == name)
    placed, synthesised = (known.record(name, device) for device in ("ecp5-85k", "7-series"))
    assert placed is not None
    assert placed["fmax_mhz"]["median"] > 0
    assert synthesised is not None
    assert synthesised["lut"] > 0


def test_a_near_name_may_be_one_of_an_engine() -> None:
    for name in subjects.names():
        with pytest.raises(AesfabError, match=f"unknown design '{name}x'; did you mean .*{name}"):
            subjects.find(f"{name}x")


def test_commands_print_them(aesfab: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    records.put(file, _record("gcm-tiny"))
    shown = json.loads(aesfab("show", "gcm-tiny", "--records", file, "--json").stdout)
    (figures,) = shown["figures"]
    assert (figures["device"], figures["lut"], figures["ff"]) == ("ecp5-85k", 1234, 567)
    assert "1234" in aesfab("show", "gcm-tiny", "--records", file).stdout
    other = aesfab("show", "gcm-tiny", "slots=32", "--records", file)
    assert "no figures of this RTL" in other.stdout
    assert str(file) in other.stdout
    done = aesfab("results", "gcm-*", "--records", file, "--json")
    (row,) = json.loads(done.stdout)
    assert (row["lut"], row["device"]) == (1234, "ecp5-85k")


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> records.Record:
    """A record of an engine among those of the user, and nothing is elaborated."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    empty = canonical.Netlist("", {}, {})
    monkeypatch.setattr(scripts, "_netlists", lambda *_: (empty, ""))
    record = _record("ctr-tiny", "slots=16")
    records.put(records.user_path("implement"), record)
    return record


def test_a_folder_quotes_them(mine: records.Record) -> None:
    """And takes them again; of other devices there is the plain flow."""
    files = every.folder(every.find("ctr-tiny", ["slots=16"])).contents()
    sheet = files["README.md"]
    assert "No figures are quoted" not in sheet
    assert "Area of the engine alone" in sheet
    (row,) = [line for line in sheet.splitlines() if line.startswith("| ecp5-85k |")]
    for figure in ("nowidelut", "1234", "567", "100.0", f"{mine['throughput_mbit_s']:.0f}"):
        assert f"| {figure} |" in row
    assert "sh syn/ecp5-85k.sh nowidelut" in sheet
    assert "quoted='1234 567 8 100.00'" in files["syn/ecp5-85k.sh"]
    assert "quoted=''" in files["syn/ice40-hx8k.sh"]
    # Examples of constraints are of the quoted clock.
    (sdc,) = [text for name, text in files.items() if name.endswith(".sdc")]
    assert "10.000" in sdc
    other = every.folder(every.find("ctr-tiny", ["slots=32"])).contents()
    assert "1234" not in other["README.md"]


def test_programs_get_them(mine: records.Record) -> None:
    (row,) = api.find_engine("ctr-tiny", slots=16).figures()
    assert (row["lut"], row["recipe"]) == (mine["lut"], "nowidelut")
