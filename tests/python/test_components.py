# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Components are found, measured alone, and added up beside the designs made of them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import passed
from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.design.axes import KeySbox, Lookups, Tbox
from aesfab.eda import yosys
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.hdl import rtl
from aesfab.measure import components
from conftest import Cli

# In one process, which looks for the components once where the cache is empty.
pytestmark = [
    pytest.mark.xdist_group("components"),
    pytest.mark.kept(
        *passed.EDA,
        "src/aesfab/measure",
        "src/aesfab/records.py",
        "src/aesfab/cli/measure.py",
        "results/components.jsonl",
        passed.cores,
    ),
]


def test_every_module_of_the_rtl_is_a_component() -> None:
    """Found by file; the dispatcher of cores is none, and the buffers of a host system are."""
    found = {component.name for component in components.discover()}
    files = {
        path.stem
        for folder in components.FOLDERS
        for path in (rtl.folder() / folder).rglob("aes_*.sv")
        if not path.stem.endswith("_pkg") and not path.stem.startswith("aes_core")
    }
    assert found == files | {"aes_host_buffer"}
    assert not any(name.startswith("aes_core") for name in found)


@pytest.mark.parametrize("path", sorted(rtl.folder().rglob("aes_sbox_*.sv")))
def test_register_levels_are_those_that_the_sbox_accepts(path: Path) -> None:
    """In every direction, and none beyond what its message offers."""
    said = re.search(rf"{path.stem}: Levels must be ([\d, a-z]+)\"", path.read_text())
    assert said
    numbers = [int(digit) for digit in re.findall(r"\d", said.group(1))]
    offered = range(numbers[0], numbers[-1] + 1)
    found = {
        (dict(c.choices)["Dir"], dict(c.choices)["Levels"])
        for c in components.discover()
        if c.name == path.stem
    }
    assert found == {
        (direction, level)
        for direction in ("DirEncrypt", "DirDecrypt", "DirBoth")
        for level in offered
    }


def test_discovery_is_remembered_for_the_same_rtl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AESFAB_CACHE", str(tmp_path))
    monkeypatch.setattr(components, "modules", lambda: {"aes_mixadd": Path()})
    first = components.discovered()
    assert {dict(c.choices)["Levels"] for c in first} == {1, 2}
    monkeypatch.setattr(components, "modules", dict)
    assert components.discovered() == first
    shutil.rmtree(tmp_path / "kept")
    assert components.discovered() == ()


def test_choices_are_values_of_the_family() -> None:
    values: dict[str, set[Any]] = {}
    for component in components.discover():
        for name, value in component.choices:
            values.setdefault(name, set()).add(value)
    # No S-boxes is not a kind of S-boxes.
    assert values["Sbox"] == {sbox.rtl for sbox in KeySbox} - {"SboxNone"}
    assert values["NumLookups"] == {lookups.value for lookups in Lookups}
    # No T-boxes is not a kind of T-boxes.
    assert values["Tbox"] == {tbox.rtl for tbox in Tbox} - {"TboxNone"}
    assert len({component.module for component in components.discover()}) == len(
        components.discover()
    )


def test_parts_are_those_of_the_elaborated_design() -> None:
    found = components.parts(catalogue.find("standaert-pipeline-42"))
    (rounds,) = [c for c in found if c.name == "aes_round_staged"]
    assert found[rounds] in (9, 10), "the last round may be a part of its own"
    assert {"Sbox": "SboxTable", "SboxLevels": 2, "MixLevels": 2}.items() <= dict(
        rounds.choices
    ).items()
    # A module inside a component is not counted once more, nor is a round constant a choice.
    counts = {c.name: n for c, n in components.parts(catalogue.find("qin-4sm")).items()}
    assert counts["aes_rolling_part"] == counts["aes_round_key_circuit"] == 10
    assert "aes_s_modules" not in counts


def test_the_rows_of_the_paper_have_their_components() -> None:
    rows = {row.component: component for row, component in components.of_paper()}
    assert set(rows) == {"sbox", "sub_bytes", "sub_bytes_ram", "mixadd", "round", "key_round"}
    assert rows["mixadd"].name == "aes_mixadd"
    assert dict(rows["mixadd"].choices)["Levels"] == 2
    with pytest.raises(AesfabError, match="no component"):
        components.find("aes_mixadd", Levels=7)


def test_measures_a_component(tmp_path: Path) -> None:
    """Mixadd with two levels has the flip-flops of Table 2; all of its paths stay in a slice."""
    component = components.find("aes_mixadd", Levels=2)
    device = devices.find("virtex")
    record = components.measure(component, device)
    assert record["kind"] == "components"
    assert record["status"] == "ok"
    assert record["ff"] == 304
    assert record["lut_levels"] == 1
    assert record["delay_ns"] is None
    assert not [name for name in record if "throughput" in name or "mbit_s" in name]
    assert components.marks(record) == []
    identity = components.identity(component, device, ["default"], [1])
    assert records.key(identity) == records.key(record)
    path = tmp_path / "components.jsonl"
    records.put(path, record)
    assert components.known(records.read(path), component, "virtex") == record
    assert components.known(records.read(path), component, "virtex-e") is None

    one = components.measure(components.find("aes_mixadd", Levels=1), device)
    assert one["ff"] == 128
    assert components.marks(one) == ["path leaves a slice"]
    assert components.ratio(one) == one["lut"] / 128


def test_a_component_without_a_clock_gets_a_delay() -> None:
    component = components.find("aes_mix_columns_fwd")
    assert not component.clocked
    assert "clk_i" in component.wrapper()
    record = components.measure(component, devices.find("ice40-hx8k"))
    assert record["status"] == "ok", record["log_tail"]
    assert record["ff"] == 0
    assert components.ratio(record) is None
    assert 1 < record["delay_ns"] < 20
    assert not record["harness_limited"]
    run = record["recipes"]["default"]["runs"]["1"]
    assert record["delay_ns"] == pytest.approx(run["logic_ns"] + run["routing_ns"], abs=0.02)


def test_wires_are_slower_in_the_harness_than_alone() -> None:
    """Where the harness itself has the longest path, the record says so."""
    assert components._through_core("shift_q_x", "capture_q_y")
    assert components._through_core("u_core.a", "capture_q_y")
    assert not components._through_core("capture_q_x", "signature_q_y")
    assert not components._through_core("shift_q_x", "shift_q_y")


def test_marks() -> None:
    record = {"lut": 10, "ff": 11, "lut_levels": 2}
    assert components.marks(record) == ["more flip-flops than LUTs", "path leaves a slice"]
    assert components.marks({"lut": 10, "ff": 10, "lut_levels": 1}) == []
    assert components.marks({"lut": None, "ff": None, "lut_levels": None}) == []


def test_sum_of_the_parts_beside_the_whole() -> None:
    named = catalogue.find("standaert-pipeline-42")
    measured = []
    for number, component in enumerate(components.parts(named), 1):
        measured.append(
            {
                "design": component.name,
                "parameters": dict(component.choices),
                "device": "virtex",
                "recipe": "default",
                "recipe_names": ["default"],
                "netlist_hash": yosys.netlist_hash(component.sources(), component.module),
                "lut": 100 * number,
                "ff": number,
            }
        )
    # Newer, of another recipe than the design: they do not stand beside it.
    smaller = [{**each, "recipe": "wide", "recipe_names": ["wide"], "lut": 1} for each in measured]
    measured += smaller
    assert components.Measured.of(measured).smallest(component, "virtex") is smaller[-1]
    whole = {
        "design": named.name,
        "parameters": named.design.axes(),
        "device": "virtex",
        "recipe": "default",
        "netlist_hash": generate.netlist_hash(named),
        "lut": 5000,
        "ff": 20,
    }
    both = components.assembly(named, "virtex", measured, whole)
    counts = [count for _, count, _ in both.parts]
    assert both.total("lut") == sum(100 * n * count for n, count in enumerate(counts, 1))
    assert both.cost("ff") == 20 - sum(n * count for n, count in enumerate(counts, 1))
    # Nothing is added up that is not measured, nor measured for other RTL.
    others = [each for each in measured if each["design"] != measured[0]["design"]]
    assert components.assembly(named, "virtex", others, whole).total("lut") is None
    assert components.assembly(named, "virtex", measured, None).cost("lut") is None
    stale = [{**record, "netlist_hash": "other"} for record in measured]
    assert components.assembly(named, "virtex", stale, whole).total("lut") is None


def _recorded(component: components.Component, device: str, **figures: Any) -> records.Record:
    """A made-up record, in the place of a measurement with one seed."""
    identity = components.identity(component, devices.find(device), ["default"], [1])
    return {**identity, "recipe": "default", "status": "ok", "ram": 0, **figures}


def test_the_papers_tables_show_what_is_recorded(aesfab: Cli, tmp_path: Path) -> None:
    """Our delay beside the printed one, also of components that the command does not name."""
    file = tmp_path / "components.jsonl"
    paper = {row.component: component for row, component in components.of_paper()}
    mixadd, sbox, rounds = (paper[name] for name in ("mixadd", "sbox", "round"))
    device = "ecp5-85k"
    for record in (
        _recorded(mixadd, device, lut=301, ff=302, lut_levels=1, delay_ns=2.34),
        _recorded(sbox, device, lut=101, ff=42, lut_levels=2, delay_ns=1.5, harness_limited=True),
        _recorded(rounds, device, lut=5, ff=5, lut_levels=1, delay_ns=9.0, harness_limited=False),
        _recorded(rounds, device, lut=7, ff=7, lut_levels=1, delay_ns=8.0) | {"netlist_hash": "o",
                                                                            "rtl_hash": "o"},
    ):  # fmt: skip
        records.put(file, record)
    done = aesfab("components", mixadd.label, "--device", device, "--records", file)
    assert done.returncode == 0, done.stderr
    above, below = done.stdout.split("Tables 1 to 3")
    assert sbox.label not in above
    lines = {line.split("  ")[0]: line for line in below.splitlines()}
    assert lines["part"].rstrip().endswith("levels  our delay ns")
    named = {row.component: lines[row.system].split() for row, _ in components.of_paper()}
    assert named["mixadd"][-5:] == ["301", "302", "1.00", "1", "2.34"]
    assert named["sbox"][-6:] == ["101", "42", "2.40", "2", "<", "1.50"]
    assert named["round"][-5:] == ["5", "5", "1.00", "1", "9.00"], "not of other RTL"
    assert named["key_round"][-5:] == ["-"] * 5


def test_designs_by_pattern(aesfab: Cli) -> None:
    """All the parts of several designs, each once."""

    def listed(*patterns: str) -> list[str]:
        options = (word for pattern in patterns for word in ("--design", pattern))
        done = aesfab("components", "--list", *options)
        assert done.returncode == 0, done.stderr
        return list(done.stdout.splitlines())

    qin = ("qin-4sm", "qin-8sm")
    own = [c.label for name in qin for c in components.parts(catalogue.find(name))]
    assert listed("qin-?sm") == listed(*qin) == list(dict.fromkeys(own))
    assert listed("*") == [c.label for c in components.catalogue_parts()]
    done = aesfab("components", "--list", "--design", "qin-9sm")
    assert done.returncode == 2
    assert "did you mean qin-8sm" in done.stderr or "did you mean qin-4sm" in done.stderr


def test_a_component_that_does_not_fit_is_an_answer(aesfab: Cli, tmp_path: Path) -> None:
    """It is said, and is no failure: the next devices of a script are measured as well."""
    file = tmp_path / "components.jsonl"
    component = components.find("aes_mixadd", Levels=2)
    record = _recorded(component, "ice40-hx1k", lut=9000, ff=302, lut_levels=1)
    records.put(file, {**record, "status": "does not fit"})
    done = aesfab("components", component.label, "--device", "ice40-hx1k", "--records", file)
    assert done.returncode == 0, done.stderr
    assert f"{component.label} on ice40-hx1k: does not fit" in done.stderr


def test_coverage() -> None:
    """Records of other RTL or without an area do not count."""
    named = catalogue.find("qin-4sm")
    measured = [_recorded(c, "virtex", lut=1, ff=1) for c in components.parts(named)]
    (full,) = components.coverage(measured)
    assert full.device == "virtex"
    # Parts whose choices make no difference are of the same RTL.
    assert len(measured) <= full.parts < len(components.catalogue_parts())
    assert 0 < full.components < len(components.discover())
    assert 1 <= full.designs < len(catalogue.CATALOGUE)
    (less,) = components.coverage([*measured[1:], {**measured[0], "lut": None}])
    assert (less.parts, less.designs) < (full.parts, full.designs)
    assert components.coverage([]) == []


def test_command(aesfab: Cli, tmp_path: Path) -> None:
    file = tmp_path / "components.jsonl"
    label = components.find("aes_mixadd", Levels=2).label
    arguments = ("components", label, "--records", file)
    done = aesfab(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout)
    assert [record["design"] for record in first] == ["aes_mixadd"]
    before = file.stat().st_mtime_ns
    done = aesfab(*arguments)
    assert done.returncode == 0, done.stderr
    assert file.stat().st_mtime_ns == before, "measured again"
    row = next(line for line in done.stdout.splitlines() if line.startswith("Mixadd"))
    # The paper's figures, then ours.
    ours = [first[0][name] for name in ("lut", "ff")]
    assert re.search(rf" 304 +304 +1\.00 +4\.8 +{ours[0]} +{ours[1]} ", row)

    done = aesfab("components", "--list")
    assert done.stdout.splitlines() == [c.label for c in components.discover()]
    done = aesfab("components", "--list", "--design", "qin-4sm")
    own = [c.label for c in components.parts(catalogue.find("qin-4sm"))]
    assert done.stdout.splitlines() == own
    done = aesfab("components", "--list", "--ceiling")
    assert done.stdout.splitlines() == [c.label for c in components.ceiling()]
    for wrong, says in [
        (("nothing",), "no component has 'nothing' in its name"),
        (("--device", "virtexx"), "did you mean virtex"),
        (("mixadd", "--recipe", "best"), "unknown recipe"),
        (("mixadd", "--ceiling"), "--ceiling goes without components and designs"),
    ]:
        done = aesfab("components", *wrong)
        assert done.returncode == 2
        assert says in done.stderr
        assert len(done.stderr.splitlines()) == 1
