# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The canonical netlist: one text for all twins, another for whatever means something else."""

from __future__ import annotations

import copy
import functools
import hashlib
import json
import random
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import passed
from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.eda import yosys
from aesfab.folder import generate
from aesfab.hdl import canonical, fingerprint, roles
from aesfab.measure import harness, implement
from aesfab.system import shipped

pytestmark = pytest.mark.kept(
    *passed.EDA,
    "src/aesfab/folder/own_names.py",
    "src/aesfab/measure/harness.py",
    "src/aesfab/measure/implement.py",
    "results/netlists.jsonl",
    passed.cores,
)

TWENTY = (
    *("fab-tiny", "fab-tiny-ram", "fab-tiny-dec", "fab-tiny-256", "fab-narrow", "fab-narrow-both"),
    *("fab-iterative", "fab-iterative-ram", "fab-iterative-ram-packed", "fab-iterative-both"),
    *("fab-compact", "fab-interleaved", "fab-interleaved-ram", "fab-rolling", "qin-8sm"),
    *("pilchard-unrolled-1", "kakarlapudi-sbox-enc-128", "fischer-fast-tbox-both"),
    *("fischer-economic-tbox-both", "standaert-ram-sequential-21"),
)
"""Of every architecture and kind of S-box, key schedule and memory; quick to elaborate."""

_OURS = re.compile(r"\b(u|gen)_[a-z0-9_]+\b|\b[a-z][a-z0-9_]*_[qd]\b")
"""Instances, blocks and registers of the RTL, by its rules for names."""

MARKS = re.compile(r"^  attribute \\aesfab_\w+ 1\n", re.MULTILINE)


def twin(name: str, folder: Path) -> list[Path]:
    """The sources of a design with other names and in another order.

    Modules and packages are called otherwise, so are instances, blocks and registers, and files
    stand in another order. A name is the same in all files, so that what is connected stays so.
    """
    named = catalogue.find(name)
    source = random.Random(name)
    own = generate.Folder(named, prefix="other_").names()

    def renamed(word: re.Match[str]) -> str:
        return "z" + hashlib.sha256(word[0].encode()).hexdigest()[:10]

    packages: list[Path] = []
    others: list[Path] = []
    for path in generate.sources(named):
        text = own.apply(_OURS.sub(renamed, path.read_text()))
        new = folder / own.file(path)
        new.write_text(text)
        (packages if "\npackage " in f"\n{text}" else others).append(new)
    source.shuffle(others)
    return [*packages, *others]


@functools.cache
def elaborated(name: str) -> Mapping[str, Any]:
    named = catalogue.find(name)
    return yosys.elaborated(generate.sources(named), named.module)


@functools.cache
def form(name: str) -> canonical.Netlist:
    named = catalogue.find(name)
    return yosys.canonical(generate.sources(named), named.module)


def shuffled(module: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """A netlist with other names, numbers and order of cells, nets, and read ports of memories."""
    source = random.Random(seed)
    numbers = {bit for cell in module["cells"].values() for bits in cell["connections"].values()
               for bit in bits if isinstance(bit, int)}  # fmt: skip
    numbers |= {b for p in module["ports"].values() for b in p["bits"] if isinstance(b, int)}
    numbers |= {b for n in module["netnames"].values() for b in n["bits"] if isinstance(b, int)}
    order = sorted(numbers)
    source.shuffle(order)
    other = dict(zip(sorted(numbers), order, strict=True))

    def bits(of: list[Any]) -> list[Any]:
        return [other.get(bit, bit) for bit in of]

    def mixed(items: Mapping[str, Any]) -> list[tuple[str, Any]]:
        pairs = list(items.items())
        source.shuffle(pairs)
        return pairs

    cells = {}
    for number, (_, cell) in enumerate(mixed(module["cells"])):
        cell = {**cell, "connections": {p: bits(b) for p, b in mixed(cell["connections"])}}
        cells[f"c{number}"] = _ports_moved(cell, source) if cell["type"] == "$mem_v2" else cell
    return {
        "ports": {n: {**p, "bits": bits(p["bits"])} for n, p in mixed(module["ports"])},
        "cells": cells,
        "netnames": {
            f"w{number}": {**net, "bits": bits(net["bits"])}
            for number, (_, net) in enumerate(mixed(module["netnames"]))
        },
    }


def _ports_moved(cell: dict[str, Any], source: random.Random) -> dict[str, Any]:
    """A memory with its read ports in another order."""
    ports = int(cell["parameters"]["RD_PORTS"], 2)
    order = list(range(ports))
    source.shuffle(order)

    def moved(of: Any) -> list[Any]:
        each = len(of) // ports
        return [bit for port in order for bit in of[each * port : each * (port + 1)]]

    wires, parameters = dict(cell["connections"]), dict(cell["parameters"])
    for key in [key for key in wires if key.startswith("RD_")]:
        wires[key] = moved(wires[key])
    for key, value in cell["parameters"].items():
        if key.startswith("RD_") and key != "RD_PORTS" and len(value) % ports == 0:
            parameters[key] = "".join(moved(value[::-1]))[::-1]
    return {**cell, "connections": wires, "parameters": parameters}


@pytest.mark.parametrize("name", TWENTY)
def test_twins_have_one_text(name: str, tmp_path: Path) -> None:
    """Of other names and another order in the RTL, and of the netlist shuffled."""
    module = catalogue.find(name).module
    files = twin(name, tmp_path)
    assert "u_core" not in "".join(path.read_text() for path in files)
    other = yosys.canonical(files, module)
    assert yosys.netlist_hash(files, module) == fingerprint.of_module(elaborated(name))
    # Marks are known by names (``roles``); nothing else of the text is.
    unmarked = MARKS.sub("", form(name).text)
    assert MARKS.sub("", other.text) == unmarked
    again = shuffled(elaborated(name), 1)
    assert canonical.of_module(again).text == unmarked
    assert fingerprint.of_module(again) == fingerprint.of_module(elaborated(name))


def _inverted(module: dict[str, Any]) -> None:
    """An inverter before one input of a cell."""
    cell = next(c for c in module["cells"].values() if c["type"] == "$xor")
    bit = next(bit for bit in cell["connections"]["A"] if isinstance(bit, int))
    module["cells"]["extra"] = {
        "type": "$not",
        "parameters": {
            "A_SIGNED": f"{0:032b}",
            "A_WIDTH": f"{1:032b}",
            "Y_WIDTH": f"{1:032b}",
        },
        "attributes": {},
        "port_directions": {"A": "input", "Y": "output"},
        "connections": {"A": [bit], "Y": [10**9]},
    }
    place = cell["connections"]["A"].index(bit)
    cell["connections"]["A"][place] = 10**9


def _swapped(module: dict[str, Any]) -> None:
    """Two wires of an output port change places."""
    bits = module["ports"]["out_block_o"]["bits"]
    bits[3], bits[4] = bits[4], bits[3]


def _begins_otherwise(module: dict[str, Any]) -> None:
    """A register has a value to begin with."""
    cell = next(c for c in module["cells"].values() if c["type"] == "$dff")
    module["netnames"]["begins"] = {
        "hide_name": 1,
        "bits": cell["connections"]["Q"][:1],
        "attributes": {"init": "1"},
    }


def _holds_otherwise(module: dict[str, Any]) -> None:
    """A bit of a table is another one."""
    cell = next(c for c in module["cells"].values() if c["type"] == "$mem_v2")
    text = cell["parameters"]["INIT"]
    cell["parameters"]["INIT"] = text[:-1] + ("0" if text[-1] == "1" else "1")


@pytest.mark.parametrize("name", ["fab-iterative-ram", "pilchard-unrolled-1"])
@pytest.mark.parametrize(
    "damage", [_inverted, _swapped, _begins_otherwise, _holds_otherwise], ids=lambda f: f.__name__
)
def test_a_damaged_twin_is_another(name: str, damage: Callable[[dict[str, Any]], None]) -> None:
    module = copy.deepcopy(dict(elaborated(name)))
    damage(module)
    assert canonical.of_module(module).text != canonical.of_module(elaborated(name)).text
    assert fingerprint.of_module(module) != fingerprint.of_module(elaborated(name))


@pytest.mark.parametrize(
    ("name", "device", "recipe"),
    [
        ("fab-tiny", "ecp5-25k", "default"),
        ("fab-tiny", "ecp5-25k", "shaped"),
        ("fab-iterative-ram", "ecp5-25k", "default"),
        ("fab-iterative-ram", "ecp5-85k", "outreg"),
        ("fab-interleaved-ram", "ice40-hx8k", "default"),
    ],
)
def test_twins_are_mapped_and_placed_alike(
    name: str, device: str, recipe: str, tmp_path: Path
) -> None:
    """To the last cell: what nextpnr reads is the same."""
    named, target = catalogue.find(name), devices.find(device)
    frame = harness.generate(named.module, named.design.ports())
    made = []
    for files in (generate.sources(named), twin(name, tmp_path)):
        contents = implement.read_sources(files)
        result, packed = implement.synthesise(named.module, contents, target, recipe, frame)
        assert result["status"] == implement.OK
        implement._lay_out(tmp_path, target, "n", packed)
        netlist = json.loads((tmp_path / "n.json").read_text())
        made.append((result, netlist))
        assert named.module not in (tmp_path / "n.json").read_text()
    assert made[0] == made[1]


def test_memories_are_mapped_with_as_many_ports_as_before() -> None:
    """Read ports of one address are one, though a memory of the canonical netlist is one cell."""
    named, device = catalogue.find("fab-iterative-both"), devices.find("ecp5-85k")
    recipe = device.recipe("slicemux")
    with yosys.workspace() as (folder, _):
        yosys.map_canonical(form(named.name), named.module, device, recipe, folder, "netlist.json")
        cells = yosys.cells_of(yosys.load_netlist(folder / "netlist.json"), named.module)
    counts = device.count(cells)
    # As many words of 128 bits as the key memory has read ports, one, in cells of four bits.
    assert counts.lut_ram == 128 // 4 * 6
    assert counts.wide_mux == 224


def test_reports_have_the_names_of_the_source() -> None:
    """Registers and memories; what a mapper makes of a name is kept around it."""
    found = form("fab-iterative-ram")
    assert "u_core" not in found.text
    wires = {wire: name for wire, name in found.names.items() if name.endswith("_q")}
    assert wires
    for wire, name in wires.items():
        mapped = f"u_core.{wire}_TRELLIS_FF_Q_3.DI"
        assert found.source_name(mapped) == f"u_core.{name}_TRELLIS_FF_Q_3.DI"
    rams = [wire for wire, name in found.names.items() if name.endswith(".rom")]
    assert len(rams) == 10
    assert found.source_name(f"{rams[0]}.0.0") == f"{found.names[rams[0]]}.0.0"
    assert found.source_name("capture_q_TRELLIS_FF_Q_1.M") == "capture_q_TRELLIS_FF_Q_1.M"


@pytest.mark.parametrize(
    ("mark", "name", "number"),
    [
        (roles.SLICE_MUX, "fab-iterative-both", 224),
        (roles.URGENT_MUX, "fab-iterative-both", 128),
        (roles.SLICE_XOR, "fab-iterative-ram-packed", 128),
    ],
)
def test_marked_cells_are_found(mark: roles.Mark, name: str, number: int) -> None:
    """By the names in ``roles``: who renames an instance in the RTL renames it there."""
    assert form(name).text.count(f"  attribute \\{mark.attribute} 1\n") == number
    for recipe in devices.find("ecp5-85k").recipes.values():
        for command in recipe.commands:
            for attribute in re.findall(r"a:(aesfab_\w+_\w+)", command):
                assert attribute in {each.attribute for each in roles.MARKS}


def test_rounds_keys_and_sboxes_are_found() -> None:
    """Of a pipeline and of a loop, by the names in ``roles``."""
    pipeline = form("fab-pipeline")
    assert len(pipeline.middles) == 10 * (16 + 4)
    assert sum(roles.KEYS.search(net) is not None for net in pipeline.middles) == 10 * 4
    assert all(bits for bits in pipeline.middles.values())
    rams = [name for name in form("fab-pipeline-ram").names.values() if name.endswith(".rom")]
    rounds = [roles.ROUND.search(name) for name in rams]
    assert sorted({int(found[1]) for found in rounds if found}) == list(range(1, 11))
    loop = [name for name in form("fab-iterative-ram").names.values() if name.endswith(".rom")]
    assert sum(roles.KEYS.search(name) is not None for name in loop) == 2


def _of_several_texts(known: Iterable[records.Record]) -> set[str]:
    """Netlist hashes of records that were mapped, in one flow, from more than one text."""
    texts: dict[tuple[str, int], set[str]] = {}
    for record in known:
        for result in record.get("recipes", {}).values():
            if "mapped" in result:
                same = record["netlist_hash"], record["flow"]
                texts.setdefault(same, set()).add(result["mapped"])
    return {netlist for (netlist, _), each in texts.items() if len(each) > 1}


def test_records_of_one_netlist_are_of_one_text() -> None:
    """What a netlist hash stands for is mapped from one text, whatever the design is called."""
    for kind in ("implement", "components"):
        assert _of_several_texts(records.shipped(kind)) == set()
    one = next(r for r in records.shipped("implement") if r["flow"] == implement.FLOW)
    (recipe,) = one["recipes"]
    other = {**one, "recipes": {recipe: {**one["recipes"][recipe], "mapped": "another"}}}
    assert _of_several_texts([one, one]) == set()
    assert _of_several_texts([one, other]) == {one["netlist_hash"]}


def test_nothing_else_relies_on_names_of_instances() -> None:
    """Names of instances and blocks of the RTL stand in ``roles`` alone."""
    for path in shipped.PACKAGE.rglob("*.py"):
        if path.name == "roles.py":
            continue
        for line in path.read_text().splitlines():
            if re.search(r"re\.(compile|search|match|fullmatch)\(|\bw:\*", line):
                assert not re.search(r"\bu_[a-z]|gen_[a-z]|lines_i", line), f"{path.name}: {line}"
