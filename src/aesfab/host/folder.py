# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The folder of a host system: what the folder of a core is (``folder.generate``), with a driver.

RTL under its own names, file list, FuseSoC core, testbench, README, manifest and licence; beside
them the register map, as a page and as SystemRDL, and the C library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from aesfab import __version__
from aesfab.design.ports import Port
from aesfab.eda import yosys
from aesfab.folder import datasheet, own_names
from aesfab.folder import generate as core_generate
from aesfab.hdl import rtl
from aesfab.host import litex, testbench
from aesfab.host import system as host_system
from aesfab.host.system import Bus, System
from aesfab.measure import unquoted

REGISTERS = "docs/registers.md"
"""The page of the register map, in the folder as in the repository, so that comments lead to it."""

MAP = "docs/registers.rdl"
"""The register map in SystemRDL, in the folder."""

FLAGS = ("-Wno-WIDTH", "-Wno-SYMRSVDWORD")
"""What Verilator is not to ask about: its oldest version does so where newer ones do not."""


@dataclasses.dataclass(frozen=True)
class Folder(core_generate.Generated):
    """What the folder of a host system is of: all that its files follow from.

    Attributes:
        system: the host system; its top module is ``system.module``.
        output_format: as for the folder of a core.
        prefix: as for the folder of a core.
        syn: whether it has the scripts that measure it (``measure.unquoted``); by default where
            Yosys is installed, which they need to be written.
    """

    system: System
    output_format: str = "systemverilog"
    prefix: str = ""
    syn: bool = dataclasses.field(default_factory=yosys.is_installed)

    kind = "host system"

    @property
    def needs_yosys(self) -> bool:
        """See ``Generated``."""
        return self.output_format == "verilog" or self.syn

    def names(self) -> own_names.Names:
        """The names in it; AesfabError where they are none or clash."""
        core_generate.require_format(self.output_format)
        return own_names.Names.of(self.system.module, self.prefix)

    def contents(self, progress: Callable[[str], None] = lambda _: None) -> dict[str, str]:
        """See ``Generated``. AesfabError for what is illegal, ToolError where Yosys fails."""
        own, system, module = self.names(), self.system, self.system.module
        given = host_system.sources(system)
        files: dict[str, str] = {}
        if self.output_format == "verilog":
            progress(f"translating {module} to Verilog-2005")
            text = core_generate.plain_verilog(module, module, own, given, given)
            files[f"{module}.v"] = _here(text)
        else:
            progress(f"host system of {system.named.name} on {system.bus.title}")
            files |= {f"rtl/{own.file(path)}": own.apply(_here(path.read_text())) for path in given}
        rtl_files = list(files)
        testbench_file = f"tb/tb_{module}.sv"
        files[f"{module}.f"] = "".join(f"{name}\n" for name in rtl_files)
        files[testbench_file] = testbench.text(system)
        what = f"host system of {system.named.name} on {system.bus.title}"
        files[f"{module}.core"] = core_generate.fusesoc(
            module, what, rtl_files, testbench_file, FLAGS
        )
        for part in ("include", "src", "test"):
            for path in sorted((host_system.c_folder() / part).glob("*.[ch]")):
                files[f"driver/{part}/{path.name}"] = _here(path.read_text())
        files |= litex.files(system, rtl_files)
        page = _here(core_generate.shipped_text(REGISTERS))
        files[REGISTERS] = page
        files[MAP] = _here((rtl.folder() / "host" / "aes_host.rdl").read_text())
        syn = unquoted.files(module, _top_ports(system), given, progress) if self.syn else {}
        files["README.md"] = _readme(
            system, rtl_files, testbench_file, page, with_scripts=bool(syn)
        )
        files |= syn
        files["LICENSE"] = core_generate.shipped_text("LICENSE")
        return files

    def facts(self) -> dict[str, Any]:
        """See ``Generated``."""
        return {
            **core_generate.facts_of(self.system.named),
            "format": self.output_format,
            "name": self.system.module,
            "prefix": self.names().prefix,
            "bus": self.system.bus.title,
            "width": self.system.width,
            "depth": self.system.depth,
            "guarded": self.system.guarded,
            "pipelined": self.system.pipelined,
            "syn": self.syn,
        }

    @classmethod
    def read(cls, path: Path) -> tuple[Folder, dict[str, Any]]:
        """See ``Generated``."""
        named, found = cls._read_core(
            path,
            {"bus": str, "width": int, "depth": int, "guarded": bool, "pipelined": bool},
        )
        system = System(
            named,
            Bus.parse(found["bus"]),
            found["width"],
            found["depth"],
            found["guarded"],
            found["pipelined"],
            found["name"],
        )
        system.require_legal()
        # Older folders have no such scripts.
        return cls(system, found["format"], found["prefix"], found.get("syn") is True), found


def generate(
    system: System,
    folder: Path,
    *,
    output_format: str = "systemverilog",
    prefix: str = "",
    syn: bool | None = None,
    force: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Write the folder of a host system; as ``folder.generate.generate`` for a core."""
    of = Folder(system, output_format, prefix)
    if syn is not None:
        of = dataclasses.replace(of, syn=syn)
    return of.write(folder, force, progress)


def _top_ports(system: System) -> list[Port]:
    """The ports of the top module, under their names there."""
    return [
        dataclasses.replace(port, name=host_system.port_name(port.name)) for port in system.ports()
    ]


def _here(text: str) -> str:
    """A text of the repository that speaks of the files of the folder instead."""
    text = text.replace("tools/generated.py", "AESFab")
    return text.replace("rtl/host/aes_host.rdl; change that.", f"{MAP}.")


def _readme(
    system: System,
    rtl_files: Sequence[str],
    testbench_file: str,
    page: str,
    *,
    with_scripts: bool,
) -> str:
    named, module, bus = system.named, system.module, system.bus
    words = "".join(f" {axis}={value}" for axis, value in named.overrides)
    is_verilog = rtl_files[0].endswith(".v")
    # The list of registers, which is the first table of their page.
    rows = [line for line in page.partition("\n## ")[0].splitlines() if line.startswith("|")]
    table = "\n".join(row.replace("](#", f"]({REGISTERS}#") for row in rows)
    ports = "\n".join(
        f"| `{host_system.port_name(p.name)}` | {'in' if p.is_input else 'out'} | {p.width} |"
        for p in system.ports()
    )
    lost = "nothing is lost" if system.guarded else "without a full flag, as published"
    window = (
        "blocks go through `s_axis_*` and come through `m_axis_*`, a block a beat"
        if bus is Bus.AXI_STREAM
        else "write the blocks to DATA, 16 bytes each"
    )
    result = "take" if bus is Bus.AXI_STREAM else "read"
    more = ""
    if litex.has(system):
        more += (
            f"| `{litex.FOLDER}/` | a module of LiteX, and how its programs reach the device |\n"
        )
    if with_scripts:
        more += unquoted.ROW
    cycles = " in pipelined cycles" if system.pipelined else ""
    return f"""# {module}

AES host system, generated by AESFab {__version__} from the design `{named.name}{words}`: a core
between two buffers on {bus.title}{cycles}, {system.width} bit. Apache-2.0.

Each buffer holds {system.depth} blocks; {lost}. Everything runs on `clk_i`; `rst_ni` is low for a
reset. `irq_o` is high while a condition holds that IRQ_ENABLE enables.

| file | what it is |
|---|---|
| `{module}.f` | the RTL in compilation order; the top module is `{module}` |
| `{module}.core` | FuseSoC core with targets to lint and to simulate |
| `{testbench_file}` | testbench: examples of FIPS 197 and SP 800-38A over the bus |
| `{REGISTERS}`, `{MAP}` | the register map, for readers and in SystemRDL |
| `driver/` | the C library: `include/aesfab.h` says what it does |
{more}| `aesfab.json` | what the folder is of: `aesfab host generate --check` says what differs |

## Registers

{table}

## Use

1. Wait until STATUS.erasing is 0, as it is some time after a reset.
2. Write the key to KEY, its first byte at the lowest address, and to CONTROL `set`, `load_key`,
   `key_len` and, for decryption, `decrypt`.
3. For blocks in: {window}.
4. Wait until OUT_LEVEL is the number of blocks, or for the interrupt: OUT_MARK and IRQ_ENABLE.
5. For results: {result} them the same way, in their order.

The driver does this: `aesfab_open`, `aesfab_set_key` and so on. To compile it:

```sh
cc -std=c11 -D_DEFAULT_SOURCE -Idriver/include -c driver/src/*.c
```
{litex.section(system)}
## Ports

| port | direction | bits |
|---|---|---|
{ports}
{unquoted.section(with_scripts)}
## Simulation

{datasheet.simulation(module, testbench_file, is_verilog, FLAGS)}"""
