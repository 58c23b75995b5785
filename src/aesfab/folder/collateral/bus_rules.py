# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The rules of the buses of a top module as SystemVerilog assertions, to bind to it.

The rules are the modules of ``host/rules``, by which the adapters are proved. They judge both
sides: what offers a beat or a request, and what answers.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from aesfab.design.ports import Port
from aesfab.folder.collateral.buses import FULL, LITE, SLOT, STREAM, WISHBONE, Bus
from aesfab.system import shipped

_MODULES = {
    STREAM: "axi_stream",
    LITE: "axi_lite",
    FULL: "axi4",
    WISHBONE: "wishbone",
    SLOT: "memory_slot",
}
_JUDGE_BOTH = (LITE, FULL, WISHBONE)
"""Kinds whose rules are of both sides."""


def files(
    module: str, what: str, ports: Iterable[Port], buses: Iterable[Bus], pipelined: bool = False
) -> dict[str, str]:
    """The rules of the buses of a top module.

    Args:
        module: its name.
        what: what it is, for the head.
        ports: its ports.
        buses: those among them.
        pipelined: whether cycles of Wishbone are pipelined.

    Returns:
        ``sva/MODULE_contract.sv`` to its text: the module ``MODULE_contract``, bound to MODULE, and
        the modules of the rules.
    """
    ports, buses = list(ports), list(buses)
    inputs = ",\n".join(
        f"  input logic {'' if port.width == 1 else f'[{port.width - 1}:0] '}{port.name}"
        for port in ports
    )
    names = ", ".join(f"{bus.name} ({bus.kind})" for bus in buses)
    instances = "".join(_instance(module, bus, pipelined) for bus in buses)
    used = dict.fromkeys(_MODULES[bus.kind] for bus in buses)
    rules = "\n".join(_rules(module, kind) for kind in used)
    connected = {port.name for bus in buses for port in bus.signals.values()}
    unused = [p.name for p in ports if p.name not in (*connected, "clk_i", "rst_ni")]
    unused += _not_judged(buses)
    for bus in buses:
        unused += [f"broken_{bus.name}"]
        unused += [f"asker_broken_{bus.name}"] if bus.kind in _JUDGE_BOTH else []
    erased = ""
    if any(bus.name == "m_axis" for bus in buses):
        erased = "// When keys and blocks are erased (CONTROL), what m_axis offers goes away.\n"
    spare = f"\n  logic unused_ports;\n  assign unused_ports = ^{{{', '.join(unused)}}};\n"
    return {
        f"sva/{module}_contract.sv": f"""\
// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The rules of the buses of {module}, for simulation and formal tools alone.
// {what}.
//
// Buses: {names}.
// A rule that is broken is an error of what offers on the bus, or of what answers: broken_BUS and
// asker_broken_BUS say which one. Add this file to the project behind the RTL: it binds itself.
{erased}\

// Assertions look at the asynchronous reset in a clock.
// verilator lint_off SYNCASYNCNET

module {module}_contract (
{inputs}
);
{instances}{spare}
endmodule

bind {module} {module}_contract u_contract (.*);

{rules}
// verilator lint_on SYNCASYNCNET
"""
    }


def _rules(module: str, kind: str) -> str:
    """A module of rules under a name of its own."""
    return _text(kind).replace(f"aes_rules_{kind}", _named(module, kind))


@functools.cache
def _text(kind: str) -> str:
    """The rules of a bus as the repository has them, without copyright and licence."""
    folder = shipped.require("host", in_wheel="host/libaesfab") / "rules"
    return (folder / f"aes_rules_{kind}.sv").read_text().partition("\n\n")[2]


def _named(module: str, kind: str) -> str:
    return f"{module}_rules_{kind}"


def _not_judged(buses: Iterable[Bus]) -> list[str]:
    """Ports of buses that no rule looks at."""
    ends = {SLOT: ("write_i", "addr_i", "data_i"), WISHBONE: ("dat_o",)}
    return [
        bus.signals[name].name
        for bus in buses
        for name in ends.get(bus.kind, ())
        if name in bus.signals
    ]


def _instance(module: str, bus: Bus, pipelined: bool) -> str:
    at = {name: port.name for name, port in bus.signals.items()}
    wide = {name: port.width for name, port in bus.signals.items()}
    parameters: dict[str, str] = {}
    given: dict[str, str] = {"clk_i": "clk_i", "rst_ni": "rst_ni"}
    bits = re.search(r"output logic (\[.*?\]) +broken_o", _text(_MODULES[bus.kind]))
    assert bits
    outputs = {"broken_o": f"broken_{bus.name}"}
    declared = f"  logic {bits[1]} broken_{bus.name};\n"
    if bus.kind in _JUDGE_BOTH:
        outputs["asker_broken_o"] = f"asker_broken_{bus.name}"
        declared += f"  logic asker_broken_{bus.name};\n"
    if bus.kind == STREAM:
        # A stream of blocks has no tkeep, and one of the last beat none that says how many bytes.
        lanes = wide["tdata"] // 8
        keep = at.get("tkeep")
        beside = [at[name] for name in ("tid", "tuser") if name in at]
        parameters = {
            # Each byte of the rules has a bit of tkeep, and descriptors are whole bytes.
            "DataWidth": str(wide["tdata"]),
            "UserWidth": str(sum(wide.get(name, 0) for name in ("tid", "tuser")) or 1),
        }
        given |= {
            "revoked_i": "1'b0",
            "tvalid_i": at["tvalid"],
            "tready_i": at["tready"],
            "tdata_i": at["tdata"],
            # A beat without a byte is one of AXI4-Stream, too.
            "tkeep_i": f"{{{keep}[{lanes - 1}:1], {keep}[0] | ~|{keep}}}" if keep else "'1",
            "tlast_i": at.get("tlast", "1'b1"),
            "tuser_i": f"{{{', '.join(beside)}}}" if beside else "1'b0",
        }
    elif bus.kind == SLOT:
        given |= {"read_i": at["read_i"], "data_i": at["data_o"]}
    elif bus.kind == WISHBONE:
        parameters = {
            "AddrWidth": str(wide["adr_i"]),
            "DataWidth": str(wide["dat_i"]),
            "Pipelined": f"1'b{int(pipelined)}",
        }
        given |= {"paused_i": "1'b0"}
        ours = ("cyc_i", "stb_i", "we_i", "adr_i", "sel_i", "dat_i")
        given |= {name: at[name] for name in ours}
        given |= {f"{name}_i": at[f"{name}_o"] for name in ("ack", "err", "stall")}
    else:
        parameters = {"AddrWidth": str(wide["awaddr"]), "DataWidth": str(wide["wdata"])}
        if bus.kind == FULL:
            parameters["IdWidth"] = str(wide["awid"])
        given |= {"w_paused_i": "1'b0", "r_paused_i": "1'b0"}
        given |= {f"{name}_i": port for name, port in at.items()}
    named = ",\n".join(f"    .{name}({value})" for name, value in parameters.items())
    connected = ",\n".join(f"    .{name}({value})" for name, value in (given | outputs).items())
    of = f"#(\n{named}\n  ) " if parameters else ""
    return f"""
{declared}  {_named(module, _MODULES[bus.kind])} {of}u_{bus.name} (
{connected}
  );
"""
