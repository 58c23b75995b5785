# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Numbers, lists and orders that the documents state are those of the code.

Names, links, axes and options are looked at for every page in ``test_documents.py``. Here is what
only one sentence or table says: each test reads it there and takes the truth from the program.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from aesfab import devices
from aesfab.board import boards, build
from aesfab.board.simulation import exercise
from aesfab.choosing import answer, evaluate, need, parts
from aesfab.design import catalogue, schedule
from aesfab.design.axes import Interface, KeyBits, KeySchedule
from aesfab.design.catalogue import Named
from aesfab.devices import DEVICES
from aesfab.engine import every, vectors
from aesfab.engine import spec as packets
from aesfab.engine.ccm import spec as ccm
from aesfab.engine.ccm import vectors as ccm_vectors
from aesfab.engine.streams import spec as streams
from aesfab.engine.xts import spec as xts
from aesfab.engine.xts import vectors as xts_vectors
from aesfab.folder import datasheet, own_names
from aesfab.hdl import rtl
from aesfab.host import litex
from aesfab.host.system import Bus
from aesfab.measure import components, implement, plan
from aesfab.study import classes, papers, published

ROOT = Path(__file__).parents[2]


@functools.cache
def _page(name: str) -> str:
    """A page in one line, as sentences go over several."""
    return " ".join((ROOT / name).read_text().split())


def _table(name: str, head: str) -> list[list[str]]:
    """The rows of the table of a page that begins with a head, cell by cell."""
    text = (ROOT / name).read_text().partition(head)[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    assert len(rows) > 1, (name, head)
    return [[cell.strip() for cell in row] for row in rows[1:]]


def _code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


# ------------------------------------------------------------------------------ README


def _last_words(named: Named) -> set[int]:
    """By how many clocks the last word or byte of a result is behind the first one of its block."""
    rows = schedule.schedule(named.design)
    first = next(int(clock) for clock, what in rows if re.search(r"in_(word|byte)_i", what))
    last = max(int(clock) for clock, what in rows if re.search(r"out_(word|byte)_o", what))
    return {last - first}


def test_latency_of_narrow_ports_includes_the_transfers() -> None:
    said = "the last word or byte of a result leaves *latency* - 1 cycles after the first one"
    assert said in _page("README.md")
    seen = set()
    for named in catalogue.CATALOGUE.values():
        if named.design.interface is not Interface.BLOCK:
            assert _last_words(named) == {named.design.latency() - 1}, named.name
            seen.add(named.design.interface)
    assert seen == {Interface.WORDS, Interface.BYTES}


def test_timing_depends_on_the_length_of_a_key_alone() -> None:
    assert "only on the length of the key where a core takes every size (`key_bits=any`)" in _page(
        "README.md"
    )
    for named in catalogue.CATALOGUE.values():
        lengths = named.design.key_lengths
        assert (len(lengths) > 1) is (named.design.key_bits is KeyBits.ANY)
        assert len({named.design.latency(bits) for bits in lengths}) == len(lengths)


def test_every_design_has_a_diagram_and_a_contract() -> None:
    assert "Every design has such a block diagram." in _page("README.md")
    for named in catalogue.CATALOGUE.values():
        assert schedule.diagram(named.design).strip(), named.name


def test_blocks_while_a_key_is_loaded() -> None:
    """The table of keys says of each schedule what the data sheets of its cores say."""
    rows = {_code(row[0])[0]: row[2] for row in _table("README.md", "| axis | the key |")}
    kinds = [row.partition("=")[2] for row in rows if row.startswith("key_schedule=")]
    assert kinds == [value.value for value in KeySchedule]
    seen = set()
    for named in catalogue.CATALOGUE.values():
        kind = named.design.key_schedule
        if named.design.interface is not Interface.BLOCK or not named.design.stored_keys:
            continue
        said, sheet = (
            rows[f"key_schedule={kind.value}"],
            " ".join(datasheet._key_text(named).split()),
        )
        waits = named.design.key_offered or kind is KeySchedule.STORED_SINGLE
        assert said.startswith("are accepted") is (kind is KeySchedule.STORED)
        assert ("Blocks go on being accepted meanwhile." in sheet) is not waits
        assert ("no block is accepted;" in sheet) is waits
        assert "After reset no key is current" in sheet
        seen.add(kind)
    assert seen == {KeySchedule.STORED, KeySchedule.STORED_SINGLE}
    assert "After reset no key is current" in _page("README.md")


def test_extras_of_readme_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    offered = set(project["optional-dependencies"]) - {"dev"}
    sentence = _page("README.md").partition("`pip install '.[verify]'`")[2].partition("`aesfab")[0]
    assert {"verify", *re.findall(r"`\[(\w+)\]`", sentence)} == offered


def test_the_size_of_the_tools_is_said_once() -> None:
    (size,) = re.findall(r"about ([\d.]+ GB) of tools", (ROOT / "Makefile").read_text())
    assert f"downloads about {size} of tools" in _page("docs/quick-start.md")


def test_names_inside_a_core_begin_with_its_top_module() -> None:
    (example,) = re.findall(r"`(aes_\w+_inner_\w+)`", _page("README.md"))
    named = catalogue.find("fab-tiny")
    assert example in own_names.Names.of(named.module).renamed.values()


# ------------------------------------------------------------------------ CONTRIBUTING


def _modules() -> dict[str, Path]:
    return {path.stem: path for path in rtl.folder().rglob("*.sv")}


def _used(module: str) -> set[str]:
    """Modules and packages that a module uses itself."""
    text = re.sub(r"//.*", "", _modules()[module].read_text())
    return {
        name
        for name in _modules()
        if name != module and re.search(rf"\b{name}\b\s*(?:#\s*\(|u_\w+\s*\(|::)", text)
    }


def test_folders_of_the_rtl_use_what_stands_above_them() -> None:
    """The table of CONTRIBUTING has every folder, and what each may use is so."""
    rows: dict[str, int] = {}
    alone = set()
    for number, (places, _, uses) in enumerate(_table("CONTRIBUTING.md", "| folder | what |")):
        for place in _code(places):
            if place.startswith("rtl/"):
                rows[place] = number
                assert uses in ("-", "the rows above"), uses
                if uses == "-":
                    alone.add(place)

    def place_of(module: str) -> str:
        path = _modules()[module].relative_to(rtl.folder())
        return f"rtl/{path.parts[0]}"

    assert {place_of(module) for module in _modules()} == set(rows)
    for module in _modules():
        here = place_of(module)
        for other in map(place_of, _used(module)):
            if other.endswith(".sv") and rows[other] == rows[here]:
                continue  # files of one row
            above = other == here or rows[other] < rows[here]
            assert above, f"{module} of {here} uses {other}"
            assert other == here or here not in alone, f"{module} of {here} uses {other}"


_RECORDING = {
    "src/aesfab/cli/designs/verification.py": ("`verify`",),
    "src/aesfab/cli/measure.py": ("`implement`", "`components`"),
    "src/aesfab/measure/explore.py": ("`explore`",),
    "src/aesfab/choosing/settle.py": ("`choose --measure`",),
    "src/aesfab/cli/host.py": ("`host soak`", "`host soc`"),
}
"""Files that write records to what runs them."""


def test_commands_that_record_are_named() -> None:
    (sentence,) = re.findall(r"Records are written only by [^.]*\.", _page("CONTRIBUTING.md"))
    writing = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if re.search(r"\brecords\.(put|cached)\(", path.read_text())
    }
    assert writing == set(_RECORDING)
    commands = {command for each in _RECORDING.values() for command in each}
    assert {f"`{text}`" for text in _code(sentence)} == commands


def test_files_that_are_written_by_make_are_written_by_that_target() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for file, _, target in _table("CONTRIBUTING.md", "| file | holds |"):
        name = _code(target)[0].removeprefix("make ")
        recipe = re.search(rf"^{name}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
        assert recipe, name
        text = recipe[1]
        for tool in re.findall(r"tools/\w+\.py", text):
            text += (ROOT / tool).read_text()
        assert _code(file)[0].rpartition("/")[2] in text, (file, target)


def test_names_that_contributing_gives_for_papers_devices_and_buses() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for owner, names in (
        (published, ("KINDS",)),
        (papers, ("FAMILY_DEVICES", "_TABLES", "_GRAPHS")),
        (components, ("_PAPERS",)),
        (devices, ("Fabric",)),
        (parts.Costs, ("lut",)),
    ):
        for name in names:
            assert hasattr(owner, name), name
            assert re.search(rf"\b{name}`", text), name
    assert "`host.system.Bus`" in text
    for bus in Bus:
        assert (rtl.folder() / "host" / f"{bus.module}.sv").exists()
        adapter = bus.module.replace("aes_host_", "aes_bus_")
        # Data of a stream needs no adapter; its registers take that of AXI4-Lite.
        streams_only = bus is Bus.AXI_STREAM
        assert (rtl.folder() / "bus" / f"{adapter}.sv").exists() is not streams_only


def test_variables_of_the_environment_are_read() -> None:
    """``AESFAB_...`` that a page names stands in the program, in a test or in the C library."""
    pages = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    named = {
        name for page in pages for name in re.findall(r"\bAESFAB_[A-Z_]*[A-Z]\b", page.read_text())
    }
    assert {"AESFAB_CACHE", "AESFAB_FOUR_STATE", "AESFAB_PASSED"} <= named
    texts = "\n".join(
        path.read_text(errors="replace")
        for folder in ("src", "tests", "host", "tools")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".c", ".h") and path.name != Path(__file__).name
    )
    assert [name for name in sorted(named) if not re.search(rf"\b{name}\b", texts)] == []


# --------------------------------------------------------------------------- measuring


def test_devices_of_exploring_are_those_of_the_table() -> None:
    page = _page("docs/exploring.md")
    (placed,) = re.findall(r"lists them\. ([\w0-9, ]+) are placed and routed", page)

    def brands(of: bool) -> set[str]:
        return {d.family.split()[0] for d in DEVICES.values() if d.place_and_route is of}

    assert set(re.split(r", | and ", placed)) == brands(True)
    (without,) = re.findall(r"([\w0-9, ]+) have no distributed RAM here", page)
    lacking = {d.family for d in DEVICES.values() if "nolutram" not in d.recipes}
    assert set(re.split(r", | and ", without.strip())) == lacking
    (pairs,) = re.findall(r"Yosys maps for ([^.]*) as for [^.]*, so one synthesis", page)
    del pairs
    for one, other in re.findall(r"(?:for|and for) (Virtex-\w+) as for ([\w-]+)", page):
        by_family = {d.family: d for d in DEVICES.values()}
        assert devices.maps_alike(by_family[one], by_family[other]), (one, other)
    assert "router1" in " ".join(
        word for d in DEVICES.values() if d.family == "Nexus" for word in d.arguments
    )


def test_seeds_and_sizes_of_exploring() -> None:
    page = _page("docs/exploring.md")
    assert f"three for designs from {plan.LARGE:,} LUTs on" in page
    assert "five place-and-route seeds" in page
    assert len(implement.DEFAULT_SEEDS) == 5
    assert "five seeds" in next(
        line for line in (ROOT / "README.md").read_text().splitlines() if "implement fab" in line
    )
    words = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
    (large,) = re.findall(
        r"five or more, or (\w+) for large designs", _page("docs/architecture.md")
    )
    matrix = tomllib.loads((ROOT / "results" / "matrix.toml").read_text())["explore"]
    assert words[large] in {table.get("seeds_large") for table in matrix}


def test_scaling_of_classes_md_is_its_plan() -> None:
    page = _page("docs/classes.md")
    assert "with S-boxes of one to eight register levels" in page
    assert "from a sixteenth of a round to all ten rounds in hardware" in page
    tables = tomllib.loads((ROOT / "results" / "scaling.toml").read_text())["explore"]
    levels = [t["axes"]["sbox_levels"] for t in tables if "sbox_levels" in t.get("axes", {})]
    assert {"1", "8"} <= set.intersection(*map(set, levels))
    assert any("10" in t["axes"]["rounds"] for t in tables if "rounds" in t.get("axes", {}))
    assert any("fab-tiny" in t["designs"] for t in tables)
    tiny = catalogue.CATALOGUE["fab-tiny"].design
    assert tiny.axes()["datapath"] == 8, "a byte: a sixteenth of a round"


def test_open_cores_were_measured_where_classes_md_says() -> None:
    (sentence,) = re.findall(r"harness as ours: (.*?)\. None of", _page("docs/classes.md"))
    each, most, rest = sentence.split(", ", 2)
    names = {"ECP5-85": "ecp5-85k", "iCE40 HX8K": "ice40-hx8k", "7-series": "7-series",
             "Virtex": "virtex"}  # fmt: skip
    peers = classes.peers().values()
    number = {device: sum(device in peer.figures for peer in peers) for device in names.values()}
    assert {device for peer in peers for device in peer.figures} == set(number)
    for text, least, places in ((each, len(peers), True), (most, len(peers) / 2, True),
                                (rest, len(peers) / 2, False)):  # fmt: skip
        for name in names:
            if name in text:
                assert number[names[name]] >= least
                assert DEVICES[names[name]].place_and_route is places
    assert all(name in sentence for name in names)
    # Without a clock, where one says that it was placed and routed.
    clocked = {peer.name for peer in peers if peer.best("ecp5-85k", "mbit_s") is not None}
    assert {peer.name for peer in peers} - clocked == set(re.findall("`([^`]+)` by", sentence))


def test_another_key_of_a_stored_pipeline_takes_what_engines_md_says() -> None:
    (found,) = re.findall(
        r"by levels, for the clock: a set-up of (\d+) cycles for 128 bits, "
        r"(\d+) with S-boxes in LUTs\. "
        r"With `(\S+)` it is (\d+)",
        " ".join(_page("docs/engines.md").split()),
    )
    of_ram, of_luts, words, fewer = found
    for name in ("cbc-dec-pipeline-ram", "xts-pipeline-ram-both", "xts-pipeline-both"):
        cores = [every.find(name, more).engine.core.design for more in ((), (words,))]
        levels = of_ram if cores[0].sbox_rom_bits else of_luts
        assert [core.key_setup() for core in cores] == [int(levels), int(fewer)]


# ---------------------------------------------------------------------- needs, engines


def test_words_of_a_need_are_those_of_choose() -> None:
    rows = {row[0]: row[1] for row in _table("docs/choosing.md", "| option | meaning |")}
    options = {text.removeprefix("--").replace("-", "_") for row in rows for text in _code(row)}
    # A mode of the user's own is the word 'chained'.
    assert options == set(need.WORDS)
    assert rows["`--mode`"].split(", ") == list(need.MODES)
    assert rows["`--optimise`"].split(", ") == list(need.OPTIMISE)
    assert [key for key in need.KEYS if key not in re.sub("`", "", rows["`--key`"])] == []


def test_limits_of_choosing_are_those_of_choose() -> None:
    page = _page("docs/choosing.md")
    assert "In the order of the answers a third of the error counts" in page
    assert answer.RANKED == 1 / 3
    assert "A fifth of what was measured is held out at a time" in page
    assert evaluate._FOLDS == 5


def test_answers_of_engines_md_are_counted() -> None:
    page = _page("docs/engines.md")
    assert f"all {vectors.TOTAL:,} answers of NIST" in page
    assert f"all {128 * 128:,} pairs of powers of x" in page
    assert f"the {xts_vectors.TOTAL:,} answers of NIST that have whole bytes" in page
    assert f"the {ccm_vectors.TOTAL:,} answers of NIST, those of encryption in both" in page
    assert f"the {ccm_vectors.WYCHEPROOF} of Wycheproof" in page
    assert f"For CBC it sends the {len(xts_vectors.cbc()):,} answers of NIST" in page


def test_clocks_of_engines_md_are_those_of_the_program() -> None:
    page = _page("docs/engines.md")
    of_ram, of_luts = (
        every.PACKETS.catalogue[name].engine.new_key_clocks
        for name in ("gcm-pipeline-ram", "gcm-pipeline")
    )
    assert f"and {packets.LANES_KEY_CLOCKS} cycles with each key that is written" in page
    assert f"written: {of_ram} in `gcm-pipeline-ram` and {of_luts} in `gcm-pipeline`." in page
    assert f"A descriptor takes {streams.DESCRIPTOR_CLOCKS} cycles." in page


def test_cores_of_streams_are_those_that_engines_md_names() -> None:
    """At the limits of latency and of interval, and a block beyond each."""
    page = _page("docs/engines.md")
    (least, most) = map(int, re.findall(r"its latency is (\d+) to (\d+) cycles", page)[0])
    assert "a block each cycle or no more often than each sixth" in page
    taken, refused = set[tuple[int, float]](), set[str]()
    for core in catalogue.CATALOGUE.values():
        design = core.design
        if design.key_schedule is not KeySchedule.ON_THE_FLY or not design.can_encrypt:
            continue
        interval, latency = float(design.interval()), design.latency()
        reasons = streams.Engine(core).reasons()
        of_clocks = [each for each in reasons if "block in each clock" in each or "latency" in each]
        is_named = (interval == 1 or interval >= 6) and least <= latency <= most
        assert bool(of_clocks) is not is_named, core.name
        refused |= set(of_clocks)
        if not reasons:
            taken.add((latency, interval))
    assert any(interval > 50 for _, interval in taken), taken
    assert any(f"takes {least} to {most}" in each for each in refused)


@pytest.mark.parametrize(
    ("head", "axes"),
    [
        ("| `modes` | `gcm`", packets.AXES),
        ("| `modes` | `ccm`", ccm.AXES),
        ("| `modes` | `cbc`", streams.AXES),
        ("| `modes` | `xts`", xts.AXES),
    ],
)
def test_axes_of_engines_are_those_of_the_program(
    head: str, axes: Mapping[str, type[enum.Enum]]
) -> None:
    text = (ROOT / "docs" / "engines.md").read_text()
    table = (head + text.partition(head)[2]).partition("\n\n")[0]
    rows = {_code(line)[0]: line.split(" | ")[1] for line in table.splitlines()}
    assert list(rows) == list(axes)
    for name, values in rows.items():
        found = set(_code(values))
        assert found == {str(value.value) for value in axes[name]}, name


# -------------------------------------------------------------------------- host, board


def test_buses_of_host_md_are_those_of_the_program() -> None:
    titles = {
        "AXI4-Lite": Bus.AXI_LITE, "AXI4": Bus.AXI4, "AXI4-Stream": Bus.AXI_STREAM,
        "Wishbone B4": Bus.WISHBONE, "memory slot": Bus.MEMORY_SLOT,
    }  # fmt: skip
    rows = dict(row[:2] for row in _table("docs/host.md", "| bus | data |"))
    assert {titles[name] for name in rows} == set(Bus)
    for name, text in rows.items():
        if "beat" not in text:  # a stream of blocks
            numbers = re.match(r"(\d+)(?: \(([\d, ]+)\))? bit", text)
            assert numbers, text
            others = re.findall(r"\d+", numbers[2] or "")
            usual, *more = titles[name].widths
            assert [int(n) for n in (numbers[1], *others)] == [usual, *sorted(more)]
    costs = [row[0].partition(",")[0] for row in _table("docs/host.md", "| bus | accesses of 64")]
    assert costs == [bus.title for bus in Bus]
    (number,) = re.findall(r"one of (\w+) buses", _page("docs/architecture.md"))
    assert number == "five"
    assert len(Bus) == 5


def test_sizes_of_host_md_are_those_of_the_rtl() -> None:
    system = (rtl.folder() / "host" / "aes_host_system.sv").read_text()
    (depth,) = re.findall(r"parameter int unsigned Depth\s*= (\d+)", system)
    assert f"Each buffer holds {depth} blocks (`Depth`)" in _page("docs/host.md")
    assert f"{litex.SPACE // 1024} KiB of the address space" in _page("docs/litex.md")


def test_numbers_of_board_md_are_those_of_the_program() -> None:
    page = _page("docs/board.md")
    assert f"leaves {100 * build.MARGIN:.0f} % above the clock of the board" in page
    assert f"{exercise.BLOCKS} random blocks as OpenSSL gives them" in page
    assert "only where the slowest of five seeds" in page
    assert len(build.SEEDS) == 5
    named = set()
    for cell, *_ in _table("docs/board.md", "| board | FPGA |"):
        first, *ends = _code(cell)
        named |= {first} | {first.rpartition("-")[0] + end for end in ends}
    assert named == set(boards.shipped())


def test_a_record_is_of_one_point() -> None:
    """What ``aesfab generate`` takes for a row of the first screen is the point of that row."""
    for row in _table("README.md", "| need | design |"):
        name, *axes = _code(row[1])[0].split()
        named = catalogue.find(name, axes)
        assert dataclasses.replace(named).design.reasons() == []
        if "AES-256" in row[0]:
            assert named.design.key_lengths == (256,)
