# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files beside the RTL of engines and host systems: they say what it is, and tools take them."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pyslang
import pytest

import passed
from aesfab.design import catalogue
from aesfab.design.ports import Port
from aesfab.eda import simulate
from aesfab.engine import every
from aesfab.folder import collateral, generate, testbench
from aesfab.folder.collateral import buses, ipxact
from aesfab.folder.collateral.top import Top
from aesfab.hdl import rtl
from aesfab.host import folder as host_folder
from aesfab.host import packets, unit
from aesfab.host.system import Bus, System
from conftest import needed
from test_collateral import TESTBENCH, _run, _verilator

CORE = catalogue.find("fab-tiny")
SYSTEMS = [
    *(System(CORE, bus, width) for bus in Bus for width in bus.widths),
    System(CORE, Bus.WISHBONE, pipelined=True),
]

RAM = {f"ram_{name}" for name in ("read_o", "write_o", "addr_o", "data_o", "data_i")}


def _top(module: str, ports: list[Port]) -> Top:
    return Top(module, f"What {module} is", tuple(ports), ("rtl/a.sv", "rtl/b.sv"), TESTBENCH)


def _tops() -> dict[str, tuple[Top, dict[str, str]]]:
    """Every engine, every host system and packet units, with their files."""
    found = {}
    for name in every.names():
        named = every.find(name)
        top = _top(named.module, named.design.ports())
        found[name] = top, collateral.on_buses(top)
    for system in SYSTEMS:
        name = f"{system.bus.value}_{system.width}_{int(system.pipelined)}"
        top = _top(f"aes_{name}".replace("-", "_"), host_folder.top_ports(system))
        found[name] = top, collateral.on_buses(top, pipelined=system.pipelined)
    for bus in unit.BUSES:
        of = unit.Unit(packets.find("gcm-tiny"), bus)
        top = _top(of.module, host_folder.top_ports(of))
        found[of.module] = top, collateral.on_buses(top)
    return found


TOPS = _tops()


def test_every_top_module_has_the_files() -> None:
    for top, files in TOPS.values():
        module = top.module
        assert set(files) == {
            *(f"constraints/{module}.{kind}" for kind in ("sdc", "xdc", "lpf", "pcf")),
            *("projects/vivado.tcl", "projects/quartus.tcl"),
            *(f"vhdl/{module}.vhd", f"ip-xact/{module}.xml", f"sva/{module}_contract.sv"),
        }
        for name, text in files.items():
            assert text.isascii(), name
            assert text.endswith("\n"), name
            assert "SPDX-License-Identifier: Apache-2.0" in text[:400], name
        for folder in {name.partition("/")[0] for name in files}:
            assert f"| `{folder}/" in collateral.rows(module, "rules")


def test_folders_have_the_files_and_their_readme_names_them() -> None:
    names = ("gcm-tiny", "ccm-tiny", "cbc-streams-interleaved", "xts-tiny")
    folders: list[generate.Generated] = [
        *(dataclasses.replace(every.folder(every.find(name)), syn=False) for name in names),
        host_folder.Folder(System(CORE), syn=False),
    ]
    for folder in folders:
        files = folder.contents()
        module = next(name[:-2] for name in files if name.endswith(".f"))
        text = files["README.md"]
        for name in (f"vhdl/{module}.vhd", f"ip-xact/{module}.xml", f"sva/{module}_contract.sv"):
            assert name in files
            assert f"| `{name}` |" in text
        listed = re.findall(r"<ipxact:name>\.\./(.*?)<", files[f"ip-xact/{module}.xml"])
        assert listed == files[f"{module}.f"].splitlines()


def test_every_port_is_in_vhdl_and_in_ip_xact_and_buses_are_whole() -> None:
    at = {"x": ipxact.NAMESPACE}
    for name, (top, files) in TOPS.items():
        ports = {port.name for port in top.ports}
        vhdl = files[f"vhdl/{top.module}.vhd"]
        assert set(re.findall(r"^\s+(\w+)\s*=> \1,?$", vhdl, re.M)) == ports
        root = ElementTree.fromstring(files[f"ip-xact/{top.module}.xml"])
        described = root.findall("x:model/x:ports/x:port/x:name", at)
        assert [each.text for each in described] == [port.name for port in top.ports]
        mapped = [e.text for e in root.findall(".//x:physicalPort/x:name", at)]
        assert len(set(mapped)) == len(mapped)
        # In no interface: buses without a definition there, levels of buffers, the port of a RAM.
        rest = {p for p in ports - set(mapped) if not p.startswith(("wb_", "slot_"))}
        assert rest <= {"in_credit_o", "out_level_o", *RAM}, name
        kinds = {bus.kind for bus in buses.of(top.ports)}
        assert kinds, name
    assert {bus.kind for top, _ in TOPS.values() for bus in buses.of(top.ports)} == {
        *(buses.STREAM, buses.LITE, buses.FULL, buses.WISHBONE, buses.SLOT)
    }


def test_ghdl_takes_the_vhdl(tmp_path: Path) -> None:
    ghdl = needed("GHDL", "GHDL", "ghdl", "ghdl")
    for top, files in TOPS.values():
        (tmp_path / f"{top.module}.vhd").write_text(files[f"vhdl/{top.module}.vhd"])
    names = [path.name for path in sorted(tmp_path.iterdir())]
    for standard in ("93", "08"):
        _run(ghdl, "-a", f"--std={standard}", f"--workdir={tmp_path}", *names, cwd=tmp_path)


def test_rules_pass_lint(tmp_path: Path) -> None:
    """Verilator with every warning, and slang: a module of each set of ports."""
    seen = set()
    for top, files in TOPS.values():
        text = files[f"sva/{top.module}_contract.sv"]
        alike = text.replace(top.module, "top")
        if alike.partition("\nmodule ")[2] in seen:
            continue
        seen.add(alike.partition("\nmodule ")[2])
        name = f"{top.module}_contract"
        # Bind has no meaning without the top module.
        module = re.sub(r"^bind .*\n", "", text, flags=re.M)
        path = tmp_path / f"{name}.sv"
        path.write_text(module)
        flags = ("--lint-only", "-Wall", "-Wno-DECLFILENAME", "--assert", "--no-timing")
        _verilator(*flags, "--top-module", name, path, cwd=tmp_path)
        compilation = rtl.elaborate(module, name)
        errors = [each for each in compilation.getAllDiagnostics() if each.isError()]
        engine = pyslang.DiagnosticEngine(compilation.sourceManager)
        assert [engine.formatMessage(each) for each in errors] == []


# A bus of each kind, and a fault at an output of it; flip_q is one in every second clock.
FAULTS = {
    "engine": ("m_data_tdata_o", "inner ^ 128'(flip_q)"),
    "axi-lite": ("s_axi_rvalid", "inner | flip_q"),
    "axi4": ("s_axi_rvalid", "inner | flip_q"),
    "axi-stream": ("m_axis_tdata", "inner ^ 128'(flip_q)"),
    "wishbone": ("wb_err_o", "inner | wb_ack_o"),
    "memory-slot": ("slot_data_o", "inner ^ 64'(flip_q)"),
}


def _folder(kind: str) -> generate.Generated:
    if kind == "engine":
        return dataclasses.replace(every.folder(every.find("ctr-tiny")), syn=False)
    return host_folder.Folder(System(CORE, Bus.parse(kind)), syn=False)


def _simulated(folder: Path, module: str) -> subprocess.CompletedProcess[str]:
    """Its testbench with the rules bound to its buses."""
    root = simulate._verilator_root()
    flags = [word for flag in testbench.VERILATOR_FLAGS for word in flag.split(maxsplit=1)]
    sources = [*(folder / f"{module}.f").read_text().split(), f"tb/tb_{module}.sv"]
    sources += [f"sva/{module}_contract.sv"]
    command = [str(root / "bin" / "verilator"), *flags, *host_folder.FLAGS, "--assert"]
    environment = {**os.environ, "VERILATOR_ROOT": str(root)}
    _run("env", f"VERILATOR_ROOT={root}", *command, "-O0", "--top-module", f"tb_{module}",
         *sources, cwd=folder)  # fmt: skip
    return subprocess.run(
        [folder / "obj_dir" / f"Vtb_{module}"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.kept(
    *(*passed.ENGINES, *passed.HOSTS, "src/aesfab/host", "host/rules"),
    cores_of=lambda kind: ("ctr-tiny" if kind == "engine" else CORE,),
)
@pytest.mark.parametrize("broken", [False, True], ids=["right", "broken"])
@pytest.mark.parametrize("kind", FAULTS)
def test_buses_keep_their_rules_and_a_fault_breaks_one(
    kind: str, broken: bool, tmp_path: Path
) -> None:
    """Of the testbench, too, which the same rules judge."""
    folder = _folder(kind)
    folder.write(tmp_path, force=True)
    module = next(tmp_path.glob("*.f")).stem
    if broken:
        path = tmp_path / "rtl" / f"{module}.sv"
        text = path.read_text()
        port, driven = FAULTS[kind]
        width = next(p.width for p in TOPS_OF[kind] if p.name == port)
        text = re.sub(rf"\({port}\)", "(inner)", text)
        text = re.sub(rf"\.{port}(?=[,\n])", f".{port}(inner)", text)
        fault = f"""
  logic [{width - 1}:0] inner;
  logic flip_q;
  always_ff @(posedge clk_i or negedge rst_ni) flip_q <= !rst_ni ? 1'b0 : !flip_q;
  assign {port} = {driven};
"""
        assert "(inner)" in text
        path.write_text(text.replace("\n);\n", f"\n);\n{fault}", 1))
    done = _simulated(tmp_path, module)
    said = done.stdout + done.stderr
    assert (f"{module}_contract" in said and "broken_o is" in said) == broken, said[-2000:]
    assert (done.returncode != 0) == broken
    assert ("PASS: " in said) != broken


TOPS_OF = {
    "engine": every.find("ctr-tiny").design.ports(),
    **{bus.title: host_folder.top_ports(System(CORE, bus)) for bus in Bus},
}
