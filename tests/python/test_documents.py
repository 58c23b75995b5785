# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the documents claim of the code is so, and the commands that README shows run."""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import os
import re
import shlex
import statistics
import subprocess
import sys
import tomllib
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

import aesfab as package
import front
import passed
import sentences
from aesfab import cli, devices, records
from aesfab.design import axes, catalogue, rules, security
from aesfab.design.axes import (
    AXES,
    Architecture,
    Axis,
    Clear,
    Datapath,
    Direction,
    Hardened,
    Interface,
    KeyBits,
    KeyRegister,
    KeySbox,
    KeySchedule,
    Tbox,
)
from aesfab.design.design import Design
from aesfab.folder import own_names
from aesfab.hdl import rtl
from aesfab.study import classes, conclusions, published
from aesfab.study.study import Study
from conftest import Cli
from made_up import record

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()


def _code(text: str) -> list[str]:
    """What stands in backticks within lines."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)


def _names(pages: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in pages]


# ---------------------------------------------------------------------------- commands


def _blocks() -> list[list[str]]:
    return [block.splitlines() for block in re.findall(r"^```\n(.*?)^```$", README, re.M | re.S)]


_KEY = "export K="


def _commands() -> dict[str, str]:
    """The commands of README, without what is said beside them, with their shell variables."""
    (use,) = [lines for lines in _blocks() if lines[0].startswith(_KEY)]
    plain = [re.split(r" {3,}", line)[0] for line in use]
    key = plain[0].removeprefix(_KEY)
    return {line: line.replace("$K", key) for line in plain[1:]}


@pytest.fixture
def key_in_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the first line of README's commands does."""
    (use,) = [lines for lines in _blocks() if lines[0].startswith(_KEY)]
    monkeypatch.setenv("K", use[0].split()[1].removeprefix("K="))


# A chain is run in its order: what decrypts takes what was encrypted.
_CHAIN = ("aesfab encrypt", "aesfab decrypt", "aesfab host run")
# What looks at a folder that another command made.
_AFTER = "aesfab generate --check core"
_ALONE = [line for line in _commands() if not line.startswith((*_CHAIN, _AFTER))]


def test_every_command_block_is_known() -> None:
    """A block that no test runs would be a claim."""
    assert [lines for lines in _blocks() if not lines[0].startswith(_KEY)] == [["$ make demo"]]
    assert len(_commands()) > 12
    assert all(line.startswith("aesfab ") for line in _commands())


@pytest.mark.kept(*passed.PRODUCT, "README.md")
@pytest.mark.usefixtures("key_in_environment")
@pytest.mark.parametrize("line", _ALONE)
def test_a_command_of_readme_runs(line: str, aesfab: Cli, tmp_path: Path) -> None:
    """Beside the committed records, as in a checkout: what they hold is not measured again."""
    for kind in ("implement", "verify"):
        source, target = records.shipped_path(kind), tmp_path / "data" / "aesfab" / f"{kind}.jsonl"
        assert source is not None
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    done = aesfab(*shlex.split(_commands()[line])[1:])
    assert done.returncode == 0, done.stderr


@pytest.mark.kept(*passed.PRODUCT, "README.md")
def test_a_generated_folder_holds_what_readme_says(aesfab: Cli, tmp_path: Path) -> None:
    for name, words in (("core", []), ("core2", ["--format", "verilog"])):
        done = aesfab("generate", "pilchard-unrolled-1", "-o", name, *words)
        assert done.returncode == 0, done.stderr
        files = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
        suffixes = {path.suffix for path in files}
        assert {".f", ".core"} <= suffixes
        assert [path for path in files if path.name.startswith("tb_")]
        assert "FIPS 197" in (tmp_path / name / "README.md").read_text()
        design = [path for path in files if path.parent.name in (name, "rtl")]
        verilog = [path for path in design if path.suffix == ".v"]
        assert len(verilog) == (1 if words else 0)
        assert (".sv" in {path.suffix for path in design}) is not bool(words)
    assert _AFTER in _commands()
    assert aesfab(*_AFTER.split()[1:]).returncode == 0


@pytest.mark.kept(*passed.PRODUCT, "README.md")
@pytest.mark.usefixtures("key_in_environment")
def test_files_of_readme_go_through_and_back(aesfab: Cli, tmp_path: Path) -> None:
    """The core and the core on a bus make the same of a file, and it comes back."""
    (tmp_path / "IN").write_bytes(bytes(range(200)))
    ran = 0
    for line, command in _commands().items():
        if line.startswith(_CHAIN):
            done = aesfab(*shlex.split(command)[1:])
            assert done.returncode == 0, done.stderr
            ran += 1
    assert ran == len(_CHAIN)
    assert (tmp_path / "BACK").read_bytes() == (tmp_path / "IN").read_bytes()
    assert (tmp_path / "OUT").read_bytes() != (tmp_path / "IN").read_bytes()
    assert (tmp_path / "OUT2").read_bytes() == (tmp_path / "OUT").read_bytes()


def test_targets_of_make_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for page in PAGES:
        for words in re.findall(r"`(?:\$ )?make ([a-z -]+)`", page.read_text()):
            assert set(words.split()) <= targets, (page.name, words)


def test_demo_is_as_readme_says() -> None:
    """Its file is README itself, its devices are ECP5 and iCE40, its tools those that are named."""
    makefile = (ROOT / "Makefile").read_text()
    assert "aesfab demo README.md" in makefile
    demo = (ROOT / "src" / "aesfab" / "cli" / "demo.py").read_text()
    (line,) = re.findall(r"^DEVICES = \((.*)\)", demo, re.MULTILINE)
    families = {devices.find(name.strip(' "')).family for name in line.split(",")}
    assert families == {"ECP5", "iCE40"}
    (installed,) = re.findall(r"`apt install ([^`]*)`", README)
    script = (ROOT / "tools" / "prerequisites").read_text()
    wanted = set(re.findall(r'^ *(?:.*\|\| )?lack "[^"]*" (\S+)', script, re.MULTILINE))
    # A Debian or Ubuntu with Python 3.11 has these two, and make has run when the script is.
    assert set(installed.split()) == wanted - {"python3", "python3.11"} | {"make"}
    project = (ROOT / "pyproject.toml").read_text()
    (version,) = re.findall(r'requires-python = ">=([\d.]+)"', project)
    assert f"Python {version} or newer" in README


# ------------------------------------------------------------------------------- links


@pytest.mark.parametrize("page", _names(PAGES))
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    text = path.read_text()
    links = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
    for link in (first or second for first, second in links):
        if re.match(r"https?://", link):
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        if anchor:
            titles = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in titles}


def test_index_has_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    linked = set(re.findall(r"\]\(([^)]+)\)", index))
    assert linked == {
        os.path.relpath(path, ROOT / "docs") for path in PAGES if path.name != "index.md"
    }


@pytest.mark.parametrize("page", _names(PAGES))
def test_files_that_a_page_names_are_there(page: str) -> None:
    """What begins like a folder of the repository and has no place for a NAME."""
    roots = ("rtl/", "src/", "tests/", "tools/", "results/", "host/", "docs/")
    if page == "CHANGELOG.md":
        pytest.skip("it tells of files as they were")
    for text in _code((ROOT / page).read_text()):
        name = text.split()[0]
        if name.startswith(roots) and not re.search(r"[A-Z]{3,}|[*<{]", name):
            inside = "src/aesfab/host/" + name.removeprefix("host/")
            assert (ROOT / name).exists() or (ROOT / inside).exists(), name


# --------------------------------------------------------------------------- the code


@functools.cache
def _modules() -> dict[str, Path]:
    return {path.stem: path for path in rtl.folder().rglob("*.sv")}


@functools.cache
def _direct(module: str) -> frozenset[str]:
    """Modules that one instantiates, and the packages that it uses."""
    text = re.sub(r"//.*", "", _modules()[module].read_text())
    return frozenset(
        name
        for name in _modules()
        if name != module and re.search(rf"\b{name}\b\s*(?:#\s*\(|u_\w+\s*\(|::)", text)
    )


@functools.cache
def _children(module: str) -> frozenset[str]:
    """The same, directly or below it."""
    return _direct(module).union(*(_children(name) for name in _direct(module)))


@pytest.mark.parametrize("module", sorted(path.stem for path in rtl.sources()))
def test_a_module_stands_where_it_is_used(module: str) -> None:
    """Beside its only parent, but for cores; what several folders use is above them."""
    place = _modules()[module].parent
    parents = {_modules()[name].parent for name in _modules() if module in _direct(name)}
    if place in (rtl.folder(), rtl.folder() / "bus", rtl.folder() / "fpga"):
        return
    if module.startswith("aes_core_"):
        # A core may be around another one of its architecture.
        assert rtl.folder() in parents
        assert parents <= {rtl.folder(), place}
    elif len(parents) == 1:
        assert parents == {place}
    # In these folders is what several modules use.
    if place.name in ("transform", "key"):
        assert len([name for name in _modules() if module in _direct(name)]) > 1


def test_the_iterative_core_adds_no_key_itself() -> None:
    """It has no sum of two words, as architecture.md says; ``^`` before one word sums its bits."""
    assert "`aes_core_iterative` adds no key itself" in ARCHITECTURE
    sums = r"[\w\])}]\s*\^"
    assert re.search(sums, _modules()["aes_mixed_entry"].read_text())
    code = re.sub(r"//.*", "", _modules()["aes_core_iterative"].read_text())
    assert not re.search(sums, code)


def test_the_tree_of_the_rtl_is_that_of_architecture_md() -> None:
    """Each module stands below one that instantiates it, and every core is in the tree."""
    trees = re.findall(r"^```\n( aes_core .*?|aes_core .*?| aes_host_BUS .*?)^```$", ARCHITECTURE,
                       re.MULTILINE | re.DOTALL)  # fmt: skip
    assert len(trees) == 2
    seen = set()
    above: list[tuple[int, str]] = []
    for line in trees[0].splitlines():
        match = re.match(r"^([ |]*\+- |(?= ?aes_core )[ ]?)((?:aes_|\.\.\.)\w+)", line)
        if not match:
            continue
        place, name = len(match[1]), match[2]
        while above and above[-1][0] >= place:
            above.pop()
        if name.startswith("..."):
            name = next(full for _, parent in reversed(above)
                        if (full := parent + name.removeprefix("...")) in _modules())  # fmt: skip
        assert name in _modules(), name
        if above:
            assert name in _children(above[-1][1]), f"{name} is not below {above[-1][1]}"
        above.append((place, name))
        seen.add(name)
    cores = {name for name in _modules() if name.startswith("aes_core_")}
    assert cores <= seen


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/architecture.md",
                                  "docs/glossary.md", "docs/host.md"])  # fmt: skip
def test_modules_that_a_page_names_are_there(page: str) -> None:
    text = re.sub(
        r"aes_host_BUS|aes_\w*NAME|aes_\w*_\.\.\.|aes_bus_if", "", (ROOT / page).read_text()
    )
    there = {*_modules(), *(path.stem for path in (ROOT / "host").rglob("*.sv"))}
    # Ends of names in a row: `aes_host_axi_lite`, `_axi4`.
    named = {name for name in re.findall(r"\baes_\w+", text) if not name.endswith("_")}
    open_cores = {each.repository.partition("/")[2] for each in classes.peers().values()}
    known = there | open_cores | {"aes_sbox_wide", "aes_soc"}
    # Names of a generated folder are made of these, behind that of its top module.
    inside = own_names.Names.of("aes_fab_tiny").renamed.values()
    assert {name for name in named if name not in known and name not in inside} == set()


@pytest.mark.parametrize("page", _names(PAGES))
def test_axes_and_values_are_those_of_the_program(page: str) -> None:
    for text in _code((ROOT / page).read_text()):
        for word in text.split():
            match = re.fullmatch(r"([a-z_]+)=([\w-]+)(?:,[\w-]+)*", word)
            if match and match[1] in AXES:
                for value in word.partition("=")[2].split(","):
                    AXES[match[1]].parse(match[1], value)


def test_readme_names_every_way_to_load_a_key() -> None:
    table = README.partition("How a key is loaded")[2].partition("## ")[0]
    for schedule in KeySchedule:
        assert f"`key_schedule={schedule.value}`" in table
    assert len(published.of_catalogue()) == 5, "as README says"
    for named in catalogue.CATALOGUE.values():
        ports = {port.name for port in named.design.ports()}
        assert bool({"in_key_i", "in_key_byte_i"} & ports) is not named.design.stored_keys
        assert ("key_valid_i" in ports) is named.design.stored_keys


def test_cycle_counts_are_where_readme_says() -> None:
    """Latency on both sides, the interval in Python only."""
    functions = re.findall(r"function automatic [^(]* (\w+)\(", (rtl.file("aes_pkg")).read_text())
    assert "latency" in functions
    assert not [name for name in functions if "interval" in name]
    assert callable(Design.latency)
    assert callable(Design.interval)
    assert "The interval stands in Python only." in README


def test_recipes_of_architecture_md_are_there() -> None:
    table = ARCHITECTURE.partition("| recipe | what it does |")[2].partition("\n\n")[0]
    named = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert len(named) == 6
    for name in named:
        assert any(name in device.recipes for device in devices.DEVICES.values()), name


def _setups(schedule: str, **axes: Axis) -> list[int]:
    design = Design(key_bits=KeyBits.ANY, key_schedule=KeySchedule(schedule))
    return [dataclasses.replace(design, **axes).key_setup(bits) for bits in (128, 192, 256)]  # type: ignore[arg-type]


def test_clocks_of_architecture_md_are_those_of_the_program() -> None:
    text = " ".join(ARCHITECTURE.split())
    two, one = _setups("stored"), _setups("stored", datapath=Datapath.W32)
    assert f"{two[0]}, {two[1]} or {two[2]} clocks ({one[0]}, {one[1]} or {one[2]})" in text
    staged = catalogue.find(
        "fab-pipeline", ["doubled=no", "key_schedule=stored", "key_register=sub-word",
                         "key_expansion=staged", "key_memory=auto",
                         "sbox_levels=8", "mix_levels=2"],
    ).design  # fmt: skip
    assert f"{staged.key_setup(128)} clocks for eight levels and a 128-bit key" in text
    compact = catalogue.CATALOGUE["fab-compact"].design
    offered = [
        dataclasses.replace(
            compact, key_sbox=sbox, key_bits=KeyBits(bits)
        ).key_setup()
        for sbox in (KeySbox.TABLE, KeySbox.SHARED)
        for bits in (128, 192, 256)
    ]  # fmt: skip
    assert f"takes {min(offered)} to {max(offered)} clocks" in text
    refilled = Design(tbox=Tbox.REFILLED).direction_change
    assert f"accepts a block of the other direction {refilled} clocks later" in text
    ahead = catalogue.CATALOGUE["fab-iterative-both"].design
    late = dataclasses.replace(ahead, key_register=KeyRegister.SUB_WORD)
    assert ahead.latency() == late.latency() + 1
    assert ahead.interval() == late.interval()
    assert "a clock more of latency and none of the interval" in text


def test_limits_that_pages_state_are_those_of_the_program() -> None:
    """How verdicts and comparisons of areas are made."""
    papers = " ".join((ROOT / "docs" / "papers.md").read_text().split())
    assert f"{conclusions._DRAWS:,} times" in papers
    assert "all but one in twenty draws" in papers
    assert conclusions._DOUBT == 1 / 20
    page = " ".join((ROOT / "docs" / "classes.md").read_text().split())
    assert f"ours are to take {100 * classes._LUT_SHARE:.0f} %" in page
    assert "at most twice the flip-flops" in page
    assert classes._FF_FACTOR == 2


@pytest.mark.parametrize("page", _names(PAGES))
def test_options_that_a_page_names_are_there(page: str) -> None:
    for text in _code((ROOT / page).read_text()):
        for word in text.split():
            if re.fullmatch(r"--[a-z-]+", word):
                assert word in _options(), word


@functools.cache
def _options() -> frozenset[str]:
    """Options of every command."""
    root: Any = typer.main.get_command(cli.app)
    commands = list(root.commands.values())
    commands += [each for group in commands for each in getattr(group, "commands", {}).values()]
    return frozenset({"--help", "--install-completion"}) | frozenset(
        option for command in commands for each in command.params for option in each.opts
    )


def test_contributing_names_every_place_of_an_sbox() -> None:
    """The files that know the S-box ``wide`` are those that a new one goes into, and no others."""
    section = CONTRIBUTING.partition("## Add an S-box")[2].partition("\n## ")[0]
    places = {
        path.relative_to(ROOT).as_posix()
        for folder in ("rtl", "src", "host", "tools")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".sv", ".py", ".f")
        and re.search(r"SboxWide|Sbox\.WIDE|aes_sbox_wide", path.read_text())
    }
    places -= {"rtl/sbox/aes_sbox_wide.sv", "src/aesfab/design/catalogue.py"}
    assert places
    for place in places:
        assert f"`{place}`" in section or f"`{place.rpartition('/')[2]}`" in section, place
    bits = int(re.search(r"typedef enum logic \[(\d)", _enum("sbox_e"))[1]) + 1  # type: ignore[index]
    values = len(re.findall(r"\bSbox[A-Z]\w*", _enum("sbox_e")))
    assert (bits, 2**bits - values) == (3, 1), "the room that the section tells of"
    assert "`sbox_e` has three bits and room for" in section
    labels = re.findall(r"`(gen_illegal_\w+)`", section)
    assert labels
    for name in labels:
        assert f": {name}\n" in (rtl.file("aes_core")).read_text(), name
    of_rules = {rule.label for rule in rules.RULES}
    named = {name.removeprefix("gen_illegal_") for name in re.findall(r"`(\w+_levels)`", section)}
    assert len(named) == 3
    assert named <= of_rules


def _enum(name: str) -> str:
    text = re.sub(r"//.*", "", (rtl.file("aes_pkg")).read_text())
    (found,) = re.findall(rf"typedef enum[^;]*?\}} {name};", text, re.DOTALL)
    return str(found)


def test_functions_that_contributing_names_are_there() -> None:
    for name in ("latency", "interval", "acceptance", "blocks_in_flight",
                 "sbox_rom_bits"):  # fmt: skip
        assert hasattr(Design, name)
        assert name in CONTRIBUTING
    assert "_RTL_NAMES" in vars(axes)
    assert "OWNED" in vars(axes)
    assert "_equals" in vars(classes)
    formal = (ROOT / "tests" / "python" / "test_formal.py").read_text()
    assert "def test_sub_bytes_gives_doubles" in formal


def test_glossary_has_words_of_the_code() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text()
    for name in re.findall(r"^\| `(aes_\w+)` \|", page, re.MULTILINE):
        assert name in _modules()
    for value in ("rolling", "interleaved", "narrow"):
        assert value in {architecture.value for architecture in Architecture}
        assert f"| {value} |" in page


# ---------------------------------------------------------------------------- first screen


def _point(name: str, mhz: float, **figures: int) -> front.Point:
    named = catalogue.find(*(lambda words: (words[0], words[1:]))(name.split()))
    return front.Point(named, record(name, "ecp5-85k", mhz, **figures))


def test_needs_are_answered_by_the_best_point() -> None:
    by_text = {need.text: need for need in front.NEEDS}
    assert len(by_text) == 8
    small = _point("fab-narrow", 100.0, lut=500, slices_estimate=400)
    large = _point("fab-iterative", 100.0, lut=3000, slices_estimate=1500)
    with_ram = _point("fab-iterative-ram", 100.0, lut=100, slices_estimate=90, ram=10)
    decrypting = _point("fab-tiny-dec", 900.0, lut=10, slices_estimate=10)
    bytewise = _point("fab-byte", 100.0, lut=200, slices_estimate=150)
    known = [small, large, with_ram, decrypting, bytewise]
    fewest = "AES-128, no block RAM, {} ports, fewest slices"
    assert front.answer(by_text[fewest.format("128-bit")], known) is small
    assert front.answer(by_text[fewest.format("8-bit")], known) is bytewise
    fastest = front.answer(by_text["AES-128, highest throughput"], [small, large, decrypting])
    assert fastest is large
    assert front.answer(by_text["AES-256, fewest logic cells"], known) is None


def test_first_screen_has_six_needs() -> None:
    """Each with its design, LUTs, slices or cells and MHz, as the table of all needs has them."""
    table = README.partition("## Which core do I need?")[2].partition("<!-- end of which core")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    assert [row[0][2:] for row in rows] == [need.text for need in front.NEEDS if need.first]
    assert len(rows) == 6
    figures = (ROOT / "docs" / "figures.md").read_text()
    for need, design, lut, slices, mhz, *_ in rows:
        (line,) = [line for line in figures.splitlines() if line.startswith(f"{need} | ")]
        cells = line.split(" | ")
        assert [cells[1], cells[3], cells[7]] == [design, lut, mhz]
        assert slices.startswith(cells[5])
    before = README.partition("## Which core do I need?")[0]
    assert "$ make demo" in before
    assert before.count("<img ") == 1


def test_only_verified_points_of_this_rtl_answer() -> None:
    implemented = records.shipped("implement")
    verified = records.shipped("verify")
    known = front.points(implemented, verified)
    assert known
    assert front.points(implemented, []) == []
    assert front.points([{**each, "netlist_hash": "other", "rtl_hash": "other"}
                         for each in implemented[:20]], verified) == []  # fmt: skip
    failed = [{**each, "passed": False} for each in verified]
    assert front.points(implemented, failed) == []
    assert not [point for point in known if point.named.design.round_keys_from_outside]


def test_pictures_are_small_and_stand_alone() -> None:
    """And name the cores of the front in text, which a reader of the file can search."""
    for theme, path in front.PICTURES.items():
        text = path.read_text()
        assert len(text) < 100_000
        tree = xml.etree.ElementTree.fromstring(text)
        assert tree.tag.endswith("svg")
        assert not re.findall(r"href=|url\(|<script|<image", text), theme
        assert "fab-pipeline" in "".join(tree.itertext())
    assert len(set(map(Path.read_text, front.PICTURES.values()))) == 2


def test_open_cores_of_readme_are_judged_by_both_areas() -> None:
    """A class that is lost in one area is not among those won, and its rival is quoted."""
    wide = record("fab-byte", "ecp5-85k", 200.0, lut=100, slices_estimate=800, ram=0)
    said = front.against_open_cores(Study([wide]))
    (peer,) = classes.find("fab-byte").peers
    assert said.startswith("Won by LUTs and by slices or cells: none.")
    assert "`fab-byte` (ECP5-85), by LUTs only: `fab-byte`, " in said
    assert f"100 LUT, 800 slices; {peer.source} 55 Mbit/s, 341 LUT, 271 slices." in said
    small = {**wide, "slices_estimate": 100}
    said = front.against_open_cores(Study([small]))
    assert said.startswith(
        "Won by LUTs and by slices or cells:\n\n- `fab-byte` (ECP5-85): `fab-byte`, "
    )
    assert said.endswith(f"; {peer.source} 55 Mbit/s, 341 LUT, 271 slices.\n")
    said = front.against_open_cores(Study([{**small, "ram": 2}]))
    assert "`fab-byte` (ECP5-85, with 2 block RAM against 0): `fab-byte`, " in said
    # What has won is named, and not the class that it has won.
    other = next(each for each in classes.find("fab-byte").designs if each != "fab-byte")
    made = record(other, "ecp5-85k", 200.0, lut=100, slices_estimate=100, ram=0)
    said = front.against_open_cores(Study([made]))
    assert f"`fab-byte` (ECP5-85): `{other}`, " in said


# ------------------------------------------------------------------------------ security


def test_a_data_sheet_says_what_its_core_promises() -> None:
    for named in catalogue.CATALOGUE.values():
        text = security.text(named.design)
        assert text.startswith("## Security\n\nPromised:\n\n- ")
        words = named.design.interface is Interface.WORDS
        assert ("out_word_o" in text) is words
        assert ("out_byte_o" in text) is (named.design.interface is Interface.BYTES)
        cleared = named.design.clear is Clear.YES
        hardened = named.design.hardened is Hardened.YES
        assert ("load an all-zero key" in text) is (named.design.stored_keys and not cleared)
        assert ("in each direction in turn" in text) is (
            named.design.direction is Direction.BOTH and not cleared
        )
        promised, _, rest = text.partition("Not promised:")
        assert (security.CLEARED in promised) is cleared
        assert (security.NOT_CLEARED in rest) is not cleared
        assert (security.HARDENED in promised) is hardened
        assert (security.NOT_HARDENED in rest) is not hardened
        for limit in (security.POWER, security.DATA_FAULTS, security.AROUND):
            assert limit in rest
    keyless = catalogue.find("fischer-fast-tbox-enc", ["key_sbox=none"]).design
    assert "with all-zero round keys" in security.text(keyless)


def test_a_circuit_to_the_letter_says_what_it_shows() -> None:
    hidden = catalogue.find("fab-compact").design
    shown = catalogue.find("fab-compact", ["output_register=no"]).design
    assert "states of inner rounds, and round keys" in security.output_text(shown)
    assert "no state of an inner round, and no key" in security.output_text(hidden)
    kinds = {security.output_text(named.design) for named in catalogue.CATALOGUE.values()}
    # Every kind is that of some design but the one that shows states: no default is.
    kinds_known = {*security.OUTPUT.values(), security.GUARDED_OUTPUT, security.BYTES_OUTPUT}
    assert kinds == kinds_known - {security.output_text(shown)}
    assert all(text in security.policy() for text in kinds_known)


# ------------------------------------------------------------------------------- the rest


def test_citation_and_changelog_are_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == package.__version__
    assert citation["license"] == "Apache-2.0"
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    text = (ROOT / "CHANGELOG.md").read_text()
    headings = re.findall(r"^## \[?([^\]\n]+)\]?", text, re.MULTILINE)
    assert headings[0] == "Unreleased"
    kinds = re.findall(r"^### (.*)$", text, re.MULTILINE)
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert {"Added", "Changed", "Fixed"} <= set(kinds)


def _files() -> list[Path]:
    """The files of the repository: those that .gitignore does not name."""
    ignored = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text().splitlines() if line]
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            name
            for name in folders
            if name != ".git" and not any(fnmatch.fnmatch(name, each) for each in ignored)
        ]
        found += [Path(folder, name) for name in names if name != ".git"]
    return found


def test_every_file_has_a_licence() -> None:
    """A line in the file, or a pattern of REUSE.toml; patterns that serve no file are wrong."""
    tables = tomllib.loads((ROOT / "REUSE.toml").read_text())["annotations"]
    patterns = [pattern for table in tables for pattern in table["path"]]
    assert all(table["SPDX-License-Identifier"] == "Apache-2.0" for table in tables)
    used = set()
    for path in _files():
        name = path.relative_to(ROOT).as_posix()
        if name in ("LICENSE", "LICENSES/Apache-2.0.txt"):
            continue
        # A star of fnmatch goes over folders, as two of REUSE do.
        fitting = {each for each in patterns if fnmatch.fnmatch(name, each.replace("**", "*"))}
        used |= fitting
        head = path.read_bytes()[:2000].decode(errors="replace")
        assert fitting or "SPDX-License-Identifier: Apache-2.0" in head, name
    assert used == set(patterns)
    licence = (ROOT / "LICENSES" / "Apache-2.0.txt").read_text()
    assert licence == (ROOT / "LICENSE").read_text()


@pytest.mark.parametrize("page", _names(PAGES))
def test_sentences_are_short(page: str) -> None:
    assert statistics.median(sentences.lengths((ROOT / page).read_text()) or [0]) <= 18


def test_sentences_are_counted() -> None:
    page = """# A heading of many words

One two three. Four `a b c` six? Seven
eight.

| no | sentence |

- point one
- Point two. And `more`.

```
not this one
```
"""
    assert sentences.lengths(page) == [3, 3, 2, 2, 2, 2]


def test_the_counter_prints_its_pages(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("One two three.\n")
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "sentences.py", tmp_path / "a.md"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.endswith("1 sentences, median 3 words, longest 3\n")
