# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What stands in a folder beside its RTL, a module for each kind of file.

Of every top module: constraints, projects of vendors' tools, VHDL, IP-XACT. Of a core also the
assertions of its cycle contract, timing diagrams and a block diagram; of engines and host systems
the rules of their buses as assertions. Engines draw their diagrams themselves
(``engine.diagrams``).
Each follows from the top module and is the same text every time.
"""

from __future__ import annotations

from aesfab.design.catalogue import Named
from aesfab.folder.collateral import (
    bus_rules,
    buses,
    constraints,
    diagram,
    ipxact,
    projects,
    sva,
    timing,
    vhdl,
)
from aesfab.folder.collateral.top import Top


def of_core(named: Named, top: Top, mhz: float | None = None) -> dict[str, str]:
    """All of these files of a core.

    Args:
        named: the design.
        top: its top module.
        mhz: the clock of the best record of the design, in MHz; None where there is none.

    Returns:
        Name relative to the folder of the core, to text.
    """
    return {
        **_of_any(top, (), mhz),
        **sva.files(named, top.module),
        **timing.files(named, top.module),
        **diagram.files(named, top.module),
    }


def on_buses(top: Top, mhz: float | None = None, *, pipelined: bool = False) -> dict[str, str]:
    """The same of a top module whose ports are buses: an engine or a host system.

    ``pipelined`` is whether cycles of Wishbone are.
    """
    found = buses.of(top.ports)
    rules = bus_rules.files(top.module, top.what, top.ports, found, pipelined)
    return {**_of_any(top, found, mhz), **rules}


def rows(module: str, contract: str) -> str:
    """Lines of the table of files in a README; ``contract`` is what the assertions are of."""
    return f"""\
| `constraints/` | examples of clock and reset constraints: SDC, XDC, LPF, PCF |
| `projects/` | Tcl scripts that make a Vivado or a Quartus project |
| `vhdl/{module}.vhd` | a VHDL component, and an entity around it |
| `ip-xact/{module}.xml` | IP-XACT component (IEEE 1685-2014) |
| `sva/{module}_contract.sv` | {contract} as assertions to bind; for simulation only |
"""


def _of_any(
    top: Top, found: list[buses.Bus] | tuple[()], mhz: float | None = None
) -> dict[str, str]:
    return {
        **constraints.files(top, mhz),
        **projects.files(top),
        **vhdl.files(top),
        **ipxact.files(top, found),
    }
