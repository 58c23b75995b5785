# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The folder of a host system as a user has it: on every bus, in both formats, by its README."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import passed
from aesfab.design import catalogue
from aesfab.errors import AesfabError
from aesfab.folder import manifest
from aesfab.host import folder as host_folder
from aesfab.host import testbench
from aesfab.host.system import Bus, System
from conftest import Cli, needed

BOTH = catalogue.find("kakarlapudi-sbox-both-any")
ENCRYPTS = catalogue.find("pilchard-unrolled-1")
STORED = catalogue.find("fab-narrow")

pytestmark = pytest.mark.kept(
    *passed.EDA,
    "src/aesfab/folder",
    "src/aesfab/host",
    "src/aesfab/measure",
    "host",
    "docs/registers.md",
    *passed.HOSTS,
    cores_of=(BOTH, ENCRYPTS, STORED),
)

# Every bus with every width of its data, and what else changes what is on it.
SYSTEMS = {
    **{f"{bus.title}-{width}": System(ENCRYPTS, bus, width) for bus in Bus for width in bus.widths},
    "wishbone-pipelined": System(ENCRYPTS, Bus.WISHBONE, pipelined=True),
    "published": System(ENCRYPTS, Bus.MEMORY_SLOT, guarded=False),
    "two blocks": System(ENCRYPTS, depth=2),
    "both directions": System(BOTH, Bus.AXI4),
    "narrow": System(STORED, Bus.WISHBONE),
}


def _generate(system: System, folder: Path, output_format: str = "systemverilog") -> list[Path]:
    """Without the scripts that measure, whose tests are in ``test_unquoted.py``."""
    return host_folder.generate(system, folder, output_format=output_format, syn=False)


def _commands(folder: Path, tool: str) -> list[str]:
    """The lines for a shell that the README gives for a tool."""
    text = (folder / "README.md").read_text()
    found = re.search(rf"^With {tool}, [^\n]*:\n\n```sh\n(.*?)\n```", text, re.M | re.S)
    assert found, tool
    return found[1].split("\n")


def _shell(lines: list[str], folder: Path, **environment: str) -> tuple[int, str]:
    done = subprocess.run(
        ["sh", "-ec", "\n".join(lines)],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    return done.returncode, done.stdout


def finds(module: str, text: str, says: str, folder: Path) -> None:
    """The testbench of a folder in Verilog says this of its module, as it is in this text."""
    needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    (folder / f"{module}.v").write_text(text)
    status, said = _shell(_commands(folder, "Icarus Verilog"), folder)
    assert status != 0
    assert says in said, said[-2000:]
    assert "PASS" not in said


def verilated(module: str, folder: Path, program: str, says: str) -> None:
    """A folder passes in Verilator, by the README; and so does the target to lint."""
    core = yaml.safe_load((folder / f"{module}.core").read_text().partition("\n")[2])
    flags = " ".join(core["targets"]["lint"]["flow_options"]["verilator_options"])
    lint = f"$VERILATOR --lint-only --top-module {module} {flags} -f {module}.f"
    for lines in ([lint], _commands(folder, "Verilator")):
        status, said = _shell(lines, folder, VERILATOR=program)
        assert status == 0, said[-2000:]
    assert says in said


def whole(of: host_folder.AnyFolder[Any], tmp_path: Path) -> dict[str, str]:
    """Write a folder in ``one``, and look at it: its files, by their names.

    Files that it speaks of are there, names inside are its own, and its manifest makes it anew.
    """
    written = of.write(tmp_path / "one", False)
    texts = {str(name): (tmp_path / "one" / name).read_text() for name in written}
    for name, text in texts.items():
        if name == "LICENSE":
            continue
        for found in re.findall(
            r"(?<![\w/*.])(?:docs|rtl|tools|tests|host|driver|tb)/[\w/]+\.\w+", text
        ):
            assert found in texts, f"{name} speaks of {found}"
        for found in re.findall(r"\]\(([^)#]+)(?:#\w+)?\)", text) if name.endswith(".md") else ():
            assert found in texts, f"{name} leads to {found}"
    if of.output_format == "systemverilog":
        rtl = "".join(text for name, text in texts.items() if name.endswith(".sv"))
        declared = re.findall(r"^(?:module|package|interface) (\w+)", rtl, re.M)
        assert declared
        assert all(re.match(rf"(tb_)?{of.system.module}", name) for name in declared)
    path = tmp_path / "one" / manifest.FILE
    assert json.loads(texts[manifest.FILE])["kind"] == of.kind
    assert of.differences(tmp_path / "one") == {}
    host_folder.read(path).write(tmp_path / "two", False)
    for name, text in texts.items():
        assert (tmp_path / "two" / name).read_text() == text
    (tmp_path / "one" / "README.md").write_text("mine")
    assert of.differences(tmp_path / "one") == {"README.md": "changed since it was generated"}
    return texts


def refuses(of: host_folder.AnyFolder[Any], change: dict[str, object], says: str) -> None:
    """A folder here, whose manifest says something else then, is refused with this reason."""
    of.write(Path(), False)
    path = Path(manifest.FILE)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(AesfabError, match=says) as caught:
        of.differences(Path())
    assert caught.value.exit_status == 2
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", SYSTEMS)
def test_testbench_passes_in_icarus(name: str, tmp_path: Path) -> None:
    """By the lines of the README, from unknown registers, with unknown idle inputs."""
    needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    system = SYSTEMS[name]
    _generate(system, tmp_path, output_format="verilog")
    status, said = _shell(_commands(tmp_path, "Icarus Verilog"), tmp_path)
    assert status == 0, said[-2000:]
    blocks = re.search(r"PASS: (\d+) blocks in \d+ clocks", said)
    assert blocks, said[-2000:]
    design = system.named.design
    directions = design.can_encrypt + design.can_decrypt
    a_key = min(1, system.depth // 2) + min(4, system.depth // 2)
    assert int(blocks[1]) == a_key * directions * len(design.key_lengths)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (r"8'h63\b", "8'h62", "expected "),
        (r"32'h46534541", "32'h46534540", "register 0000 is 46534540"),
        # In the top module, which comes last.
        (r"\.irq_o\(irq_o\)(?!.*\.irq_o)", ".irq_o()", "no end"),
    ],
)
def test_testbench_finds_faults(old: str, new: str, says: str, tmp_path: Path) -> None:
    system = SYSTEMS["axi-lite-32"]
    _generate(system, tmp_path, output_format="verilog")
    text = (tmp_path / f"{system.module}.v").read_text()
    broken = re.sub(old, new, text, flags=re.S)
    assert broken != text
    finds(system.module, broken, says, tmp_path)


@pytest.mark.parametrize("output_format", ["systemverilog", "verilog"])
@pytest.mark.parametrize("which", ["pinned", "system"])
def test_testbench_passes_in_verilator(output_format: str, which: str, tmp_path: Path) -> None:
    """The pinned one and that of the system, by the README; and so does the target to lint."""
    pinned = str(Path(sys.executable).parent / "verilator-cli")
    program = needed("Verilator", "VERILATOR", "verilator", "verilator")
    program = pinned if which == "pinned" else program
    _generate(SYSTEMS["both directions"], tmp_path, output_format=output_format)
    verilated(SYSTEMS["both directions"].module, tmp_path, program, "PASS: 30 blocks")


@pytest.mark.parametrize("output_format", ["systemverilog", "verilog"])
@pytest.mark.parametrize("bus", Bus)
def test_folder_is_whole(bus: Bus, output_format: str, tmp_path: Path) -> None:
    """What it speaks of is there: files, every register; and its manifest makes it anew."""
    system = System(BOTH, bus, top="my_system")
    texts = whole(host_folder.Folder(system, output_format, syn=False), tmp_path)
    rows = re.findall(r"^\| [0-9a-f]{4}\S* \| \[(\w+)\]", texts["README.md"], re.M)
    map_ = testbench.registers()
    assert {name: map_.get(name) for name in rows} == {
        name: value
        for name, value in map_.items()
        if f"\n## {name}\n" in texts[host_folder.REGISTERS]
    }
    assert len(rows) > 10


def test_driver_compiles_as_the_readme_says(tmp_path: Path) -> None:
    _generate(SYSTEMS["axi-lite-32"], tmp_path)
    text = (tmp_path / "README.md").read_text()
    (line,) = re.findall(r"^cc .*$", text, re.M)
    status, said = _shell([line], tmp_path)
    assert status == 0, said
    # What the text names is in the header.
    header = (tmp_path / "driver" / "include" / "aesfab.h").read_text()
    for name in re.findall(r"`(aesfab_\w+)`", text):
        assert f"{name}(" in header


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"kind": "core"}, "is not of a host system, but of kind 'core'"),
        ({"bus": "pci"}, "unknown bus 'pci'"),
        ({"width": 8}, "axi-lite has no data width of 8 bit"),
        ({"depth": 3}, "power of two"),
        ({"format": "vhdl"}, "unknown format 'vhdl'"),
        ({"pipelined": "no"}, "does not say 'pipelined'"),
    ],
)
def test_bad_manifests_are_refused(
    change: dict[str, object], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refuses(host_folder.Folder(SYSTEMS["axi-lite-32"], syn=False), change, says)


def test_command_writes_checks_and_makes_anew(aesfab: Cli, tmp_path: Path) -> None:
    words = ("host", "generate", "pilchard-unrolled-1", "--bus", "wishbone", "--format", "verilog")
    done = aesfab(*words, "--name", "mine", "--prefix", "own_", "-o", "one", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["module"], said["prefix"], said["bus"]) == ("mine", "own_", "wishbone")
    there = (path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.*"))
    assert {str(p) for p in there} <= set(said["files"])
    assert aesfab("host", "generate", "--check", "one").returncode == 0
    assert aesfab("host", "generate", "--from", "one/aesfab.json", "-o", "two").returncode == 0
    for name in said["files"]:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    (tmp_path / "one" / "mine.v").unlink()
    done = aesfab("host", "generate", "--check", "one")
    assert (done.returncode, done.stdout) == (1, "one/mine.v: missing\n")
    for bad, says in (
        (("--format", "vhdl"), "unknown format 'vhdl'"),
        (("--from", "one/aesfab.json"), "--from goes without design"),
    ):
        done = aesfab(*words[:3], *bad, "-o", "three")
        assert (done.returncode, done.stdout) == (2, "")
        assert says in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "three").exists()
