# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A host system as hardware: any design of the family, on one of the buses, and its simulation."""

from __future__ import annotations

import dataclasses
import enum
import functools
import re
from collections.abc import Sequence
from pathlib import Path

from aesfab import __version__
from aesfab.design.axes import Interface
from aesfab.design.catalogue import Named, module_name
from aesfab.design.ports import Port
from aesfab.eda import simulate
from aesfab.errors import AesfabError, ToolError, unknown
from aesfab.folder import generate as core_generate
from aesfab.hdl import rtl
from aesfab.system import shipped

LICENSE = "// Copyright AESFab contributors.\n// SPDX-License-Identifier: Apache-2.0\n"
"""What every source begins with."""


class Bus(enum.Enum):
    """How the host reaches the device: the ``aes_host_*`` module, and which data widths it has."""

    AXI_LITE = "axi-lite"
    AXI4 = "axi4"
    AXI_STREAM = "axi-stream"
    WISHBONE = "wishbone"
    MEMORY_SLOT = "memory-slot"

    @property
    def title(self) -> str:
        """What the user writes."""
        return str(self.value)

    @property
    def widths(self) -> tuple[int, ...]:
        """Widths of its data in bits, the usual one first; AXI4-Stream: of its registers."""
        return {Bus.AXI4: (64, 128, 32), Bus.MEMORY_SLOT: (64,)}.get(self, (32, 64))

    @property
    def module(self) -> str:
        """The RTL module."""
        return f"aes_host_{self.title.replace('-', '_')}"

    @property
    def macro(self) -> str:
        """What the simulated bus master is compiled for."""
        return f"AESFAB_BUS_{self.title.replace('-', '_').upper()}"

    @classmethod
    def parse(cls, text: str) -> Bus:
        """The bus that a user means; AesfabError for anything else."""
        for bus in cls:
            if bus.title == text:
                return bus
        raise unknown("bus", text, [bus.title for bus in cls])


@dataclasses.dataclass(frozen=True)
class System:
    """A host system.

    Attributes:
        named: the design of its core.
        bus: what it hangs on.
        data_width: of the bus in bits; 0 for the usual one.
        depth: blocks in each buffer, a power of two.
        guarded: buffers that lose nothing; False for those of pilchard, without a full flag.
        pipelined: Wishbone only, pipelined instead of standard cycles.
        top: the name that the user gave its top module; empty: it is made of design and bus.
    """

    named: Named
    bus: Bus = Bus.AXI_LITE
    data_width: int = 0
    depth: int = 512
    guarded: bool = True
    pipelined: bool = False
    top: str = ""

    @property
    def width(self) -> int:
        """Width of the bus in bits."""
        return self.data_width or self.bus.widths[0]

    @property
    def module(self) -> str:
        """Name of the top module."""
        return self.top or module_on(self.bus, self.named.name, self.named.overrides)

    def require_legal(self) -> None:
        """AesfabError with the reason when this cannot be built."""
        self.named.design.require_legal()
        if self.named.design.interface is not Interface.BLOCK:
            raise AesfabError(
                "a host system has a bus around the core and no ports of "
                f"{8 * self.named.design.piece_bytes} bits: take a design with interface=block"
            )
        if self.named.design.round_keys_from_outside:
            raise AesfabError(
                "a host system gives its core keys, not round keys: take one with another key_sbox"
            )
        if self.width not in self.bus.widths:
            widths = ", ".join(map(str, sorted(self.bus.widths)))
            raise AesfabError(
                f"{self.bus.title} has no data width of {self.width} bit; known: {widths}"
            )
        if self.depth not in (2**n for n in range(1, 16)):
            raise AesfabError("the depth of a buffer must be a power of two from 2 to 32768")
        if self.pipelined and self.bus is not Bus.WISHBONE:
            raise AesfabError("only Wishbone has pipelined cycles")

    def parameters(self) -> dict[str, str]:
        """Parameters of the RTL module beside the design."""
        values = {"Depth": str(self.depth), "Guarded": f"1'b{int(self.guarded)}"}
        if self.bus is not Bus.MEMORY_SLOT:
            values["DataWidth"] = str(self.width)
        if self.bus is Bus.WISHBONE:
            values["Pipelined"] = f"1'b{int(self.pipelined)}"
        return values

    def ports(self) -> list[Port]:
        """The ports of the RTL module, in order."""
        names = tuple(f"{name}={value}" for name, value in self.parameters().items())
        return list(ports_of(self.bus.module, names))


def module_on(bus: Bus, name: str, overrides: Sequence[tuple[str, object]]) -> str:
    """The top module of what has a name in a catalogue, and differs from it there, on a bus."""
    words = [f"{axis}-{value}" for axis, value in overrides]
    return module_name([name, *words, bus.title], f"{name}-{bus.title}")


def port_name(name: str) -> str:
    """The name of a port on the top module: AXI ports as the standard has them, others as in RTL.

    Tools for systems on a chip know an AXI interface by these names.
    """
    return re.sub(r"^([sm]_axis?_\w+)_[io]$", r"\1", name)


@functools.cache
def ports_of(module: str, parameters: tuple[str, ...]) -> tuple[Port, ...]:
    """The ports of a module of the RTL with these parameters, each ``NAME=VALUE``."""
    import pyslang

    options = pyslang.ast.CompilationOptions()
    options.topModules = {module}
    options.paramOverrides = list(parameters)
    compilation = pyslang.ast.Compilation(pyslang.Bag([options]))
    for path in rtl.sources():
        compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromFile(str(path)))
    errors = [d for d in compilation.getAllDiagnostics() if d.isError()]
    if errors:
        engine = pyslang.DiagnosticEngine(compilation.sourceManager)
        raise ToolError(f"{module} does not elaborate: {engine.formatMessage(errors[0])}")
    (top,) = compilation.getRoot().topInstances
    return tuple(
        Port(port.name, port.type.bitWidth, port.direction == pyslang.ast.ArgumentDirection.In, "")
        for port in top.body.portList
    )


def wrapper(system: System) -> str:
    """The top module of a system: its RTL module with all parameters fixed."""
    ports = system.ports()
    ranges = {p.name: "" if p.width == 1 else f"[{p.width - 1}:0] " for p in ports}
    width = max(map(len, ranges.values()))
    declared = ",\n".join(
        f"  {'input ' if p.is_input else 'output'} logic {ranges[p.name]:<{width}}"
        f"{port_name(p.name)}"
        for p in ports
    )
    longest = max(len(p.name) for p in ports)
    connected = ",\n".join(f"    .{p.name:<{longest}}({port_name(p.name)})" for p in ports)
    values = {"Cfg": "Cfg", **system.parameters()}
    longest = max(map(len, values))
    parameters = ",\n".join(f"    .{name:<{longest}}({value})" for name, value in values.items())
    return f"""{LICENSE}
// {system.module}: the host system of {system.named.name} on {system.bus.title}, generated by
// AESFab {__version__}. Registers: docs/registers.md.

module {system.module} (
{declared}
);

  localparam aes_pkg::cfg_t Cfg = {rtl.cfg_literal(system.named.design)};

  {system.bus.module} #(
{parameters}
  ) u_host (
{connected}
  );

endmodule
"""


def sources(system: System) -> list[Path]:
    """The files of a system in compilation order: the RTL it needs, then its top module."""
    system.require_legal()
    text = wrapper(system)
    return core_generate.with_top(text, system.module)


@functools.cache
def c_folder() -> Path:
    """The folder of libaesfab: inside the installed package, or of the checkout."""
    return shipped.require("host", in_wheel="host/libaesfab", mark="include/aesfab.h")


def simulation(
    system: System, *, savable: bool = False, progress: simulate.Progress = simulate.silent
) -> Path:
    """The system as a shared library for the ``sim`` transport, from the cache or built now.

    Args:
        system: what to build.
        savable: whether its state can be saved (``aesfab_sim_save``).
        progress: told of each step.

    Raises:
        AesfabError: an illegal system, no compiler, an unwritable cache.
        ToolError: Verilator or the compiler fails.
    """
    return simulate.build_library(
        sources(system),
        system.module,
        c_folder() / "sim" / "sim.cpp",
        defines=[
            system.bus.macro,
            f"AESFAB_BUS_BITS={system.width}",
            *(["AESFAB_SIM_SAVABLE"] if savable else []),
        ],
        includes=[c_folder() / "include"],
        savable=savable,
        progress=progress,
    )
