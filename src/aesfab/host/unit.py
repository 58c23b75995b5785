# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A packet unit: an engine behind the packet DMA, with registers on a bus and a port for a RAM.

It is what ``host soc`` has beside its processor (``packets``), for a system of the user's own.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from aesfab import __version__
from aesfab.design.ports import Port
from aesfab.engine import hdl
from aesfab.engine.packets import Mode
from aesfab.errors import AesfabError
from aesfab.hdl import rtl
from aesfab.host import packets, soc
from aesfab.host import system as host_system
from aesfab.host.packets import AnyNamed
from aesfab.host.system import Bus
from aesfab.system import cache

BUSES = (Bus.AXI_LITE, Bus.AXI4, Bus.WISHBONE)
"""Buses that have a way to its registers."""
WIDTH = 32
"""Bits of its data on each of them."""
RAM_BITS = 30
"""Of the address of a word in the RAM."""

EXAMPLE = "packets/example.c"
"""The example of a program, in the folder of the driver."""

_TRANSPORT = ("packet_dma.c", "packet_dma.h")
_DMA, _UNIT = "aes_soc_packet_dma", "aes_soc_packet_unit"
_MEANINGS = {"clk_i": "clock", "rst_ni": "low for a reset, at any time"}
_RAM = (
    Port("ram_read_o", 1, False, "a word is read, and comes in the next clock"),
    Port("ram_write_o", 4, False, "bytes of a word are written, the lowest address in bit 0"),
    Port("ram_addr_o", RAM_BITS, False, "of the word"),
    Port("ram_data_o", 32, False, "what is written"),
    Port("ram_data_i", 32, True, "what was read"),
)


@dataclasses.dataclass(frozen=True)
class Unit:
    """A packet unit.

    Attributes:
        named: its engine.
        bus: what its registers hang on.
        pipelined: Wishbone only, pipelined instead of standard cycles.
        top: the name that the user gave its top module; empty: it is made of engine and bus.
    """

    named: AnyNamed
    bus: Bus = Bus.AXI_LITE
    pipelined: bool = False
    top: str = ""

    @property
    def width(self) -> int:
        """Width of the bus in bits."""
        return WIDTH

    @property
    def module(self) -> str:
        """Name of the top module."""
        return self.top or host_system.module_on(self.bus, self.named.name, self.named.overrides)

    def require_legal(self) -> None:
        """AesfabError with the reason when this cannot be built."""
        self.named.engine.require_legal()
        if self.bus not in BUSES:
            known = ", ".join(bus.title for bus in BUSES)
            raise AesfabError(
                f"the registers of an engine are not on {self.bus.title}; known: {known}"
            )
        if self.pipelined and self.bus is not Bus.WISHBONE:
            raise AesfabError("only Wishbone has pipelined cycles")

    def ports(self) -> list[Port]:
        """The ports of the top module, as the RTL names them."""
        system = host_system.ports_of(self.bus.module, (f"DataWidth={WIDTH}",))
        of_bus = f"as {self.bus.title} has it"
        return [
            *(
                dataclasses.replace(port, meaning=_MEANINGS.get(port.name, of_bus))
                for port in system
                if port.name != "irq_o"
            ),
            *_RAM,
        ]


@dataclasses.dataclass(frozen=True)
class Register:
    """A register of the packet DMA.

    Attributes:
        address: of its first byte.
        name: in capitals.
        text: what it is.
    """

    address: int
    name: str
    text: str


def registers() -> tuple[Register, ...]:
    """The registers, as the head of the RTL of the packet DMA has them."""
    (path,) = soc.own_files(_DMA)
    found: list[Register] = []
    for line in path.read_text().partition("\nmodule ")[0].splitlines():
        if first := re.fullmatch(r"//   0x(\w+)  (\w+) +(.+)", line):
            found.append(Register(int(first[1], 16), first[2], first[3]))
        elif found and (more := re.fullmatch(r"// {8,}(\S.*)", line)):
            found[-1] = dataclasses.replace(found[-1], text=f"{found[-1].text} {more[1]}")
    return tuple(found)


def wrapper(unit: Unit) -> str:
    """The top module: bus, packet DMA and engine."""
    ports = unit.ports()
    ranges = {p.name: "" if p.width == 1 else f"[{p.width - 1}:0] " for p in ports}
    width = max(map(len, ranges.values()))
    names = {p.name: host_system.port_name(p.name) for p in ports}
    declared = ",\n".join(
        f"  {'input ' if p.is_input else 'output'} logic {ranges[p.name]:<{width}}{names[p.name]}"
        for p in ports
    )
    of_bus = {name: top for name, top in names.items() if name.startswith(("s_axi_", "wb_"))}
    longest = max(map(len, of_bus))
    connected = "".join(f"    .{name:<{longest}}({top}),\n" for name, top in of_bus.items())
    (address,) = {p.width for p in ports if p.name in ("s_axi_awaddr_i", "wb_adr_i")}
    shape = {"AddrWidth": str(address), "DataWidth": str(WIDTH)}
    of_adapter = dict(shape)
    if unit.bus is Bus.WISHBONE:
        of_adapter["Pipelined"] = f"1'b{int(unit.pipelined)}"
    device = _instance(
        _UNIT,
        "u_unit",
        {
            "AddrWidth": str(address),
            "RamBits": str(RAM_BITS),
            "Info": f"32'h{packets.info(unit.named):08x}",
        },
    )
    inside = packets.around(unit.named, device, ("access", *(port.name for port in _RAM)))
    return f"""{host_system.LICENSE}
// {unit.module}: {unit.named.name} behind a packet DMA, with
// registers on {unit.bus.title}, generated by AESFab {__version__}.

module {unit.module} (
{declared}
);

  {_instance("aes_bus_if", "access", shape)} ();

  {_instance(_adapter(unit.bus), "u_bus", of_adapter)} (
    .clk_i,
    .rst_ni,
{connected}    .access
  );

{inside}
endmodule
"""


def _adapter(bus: Bus) -> str:
    """The module that takes accesses off a bus."""
    return bus.module.replace("aes_host_", "aes_bus_")


def _instance(module: str, name: str, parameters: dict[str, str]) -> str:
    """The beginning of an instance."""
    longest = max(map(len, parameters))
    fixed = ",\n".join(f"    .{each:<{longest}}({value})" for each, value in parameters.items())
    return f"{module} #(\n{fixed}\n  ) {name}"


def beside(unit: Unit) -> list[Path]:
    """Those of its files that are not of the list of RTL sources, without its top module."""
    return [*soc.own_files(_DMA, _UNIT), hdl.sources(unit.named)[-1]]


def sources(unit: Unit) -> list[Path]:
    """The files of a unit in compilation order: the RTL it needs, then its top module.

    Raises AesfabError for an illegal one.
    """
    unit.require_legal()
    text, own = wrapper(unit), beside(unit)
    top = cache.source(text, f"{unit.module}.sv")
    return [*rtl.needed_by(text, unit.module, own), *own, top]


def driver(unit: Unit) -> dict[str, Path]:
    """The files of the C library that reach a unit, by their place in the folder of a driver.

    It is the code that runs on the processor of ``host soc``; what that knows of its own system
    (``packet_port.h``) stands here for one to be filled in.
    """
    base = host_system.c_folder()
    headers = ("aesfab.h", "aesfab_engine.h", "aesfab_registers.h")
    tagged = packets.modes(unit.named) != {Mode.CTR}
    return {
        **{f"include/{name}": base / "include" / name for name in headers},
        **{f"src/{name}": base / "src" / name for name in (*soc.LIBRARY, "transport.h")},
        **{f"packets/{name}": base / "soc" / "packets" / name for name in _TRANSPORT},
        "packets/packet_port.h": base / "packets" / "packet_port.h",
        EXAMPLE: base / "packets" / f"example_{'aead' if tagged else 'ctr'}.c",
    }
