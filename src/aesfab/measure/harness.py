# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The harness in which a core is placed and routed.

A core has hundreds of ports and a device may have fewer pins; and a path from a pin says nothing
about the core. So every input comes from a flip-flop and every output goes to one::

    scan_i --[ shift register ]    [ capture ]--[ signature register ]--|R|-- scan_o
                     | NI bits          | NO bits      NO bits, NO LUTs
                     +----->[ core ]----+

All inputs but the clock come from the shift register, the reset too. The signature register (MISR)
keeps every output needed. It is for timing: nothing resets it, so it is not for simulation.

The core in it must be a netlist that is mapped already (``implement`` does so): then nothing of the
harness melts into the core, and the extra is exactly ``Harness.flip_flops`` and ``Harness.luts``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aesfab.design.ports import Port
from aesfab.devices import Device

TOP = "aesfab_harness"
"""Name of the harness module; its ports are ``clk_i``, ``scan_i`` and ``scan_o``."""

CORE = "u_core"
"""Name of the instance of the core in it."""


@dataclasses.dataclass(frozen=True)
class Harness:
    """A generated harness and what it costs.

    Attributes:
        text: SystemVerilog of the harness and of an empty module in place of the core.
        top: SystemVerilog of the harness alone.
        inputs: bits that feed the core, without the clock.
        outputs: bits that come from the core.
    """

    text: str
    top: str
    inputs: int
    outputs: int

    @property
    def flip_flops(self) -> int:
        """Flip-flops beside the core's: shift, capture and signature registers, output."""
        return self.inputs + 2 * self.outputs + 1

    @property
    def luts(self) -> int:
        """LUTs beside the core's: one for each bit of the signature."""
        return self.outputs


def is_outside(end: str) -> bool:
    """Whether an end of a path, by its name in a record, is a register of the harness."""
    return bool(end) and not end.startswith(f"{CORE}.")


def generate(module: str, ports: Sequence[Port], clock: str = "clk_i") -> Harness:
    """The harness of a core.

    Args:
        module: top module of the core.
        ports: all its ports; one input is the clock, at least one more is an input and one an
            output.
        clock: name of the clock port.

    Raises:
        ValueError: the ports are not such.
    """
    inputs = [port for port in ports if port.is_input and port.name != clock]
    outputs = [port for port in ports if not port.is_input]
    if not inputs or not outputs or all(port.name != clock for port in ports):
        raise ValueError(f"a harness needs the clock '{clock}', an input and an output")
    num_in = sum(port.width for port in inputs)
    num_out = sum(port.width for port in outputs)

    connections = [f"    .{clock}(clk_i)"]
    for group, vector in ((inputs, "shift_q"), (outputs, "core_out")):
        low = 0
        for port in group:
            connections.append(f"    .{port.name}({vector}[{low}+:{port.width}])")
            low += port.width

    separator = ",\n"
    top = f"""\
// The harness of {module}: {num_in} input bits, {num_out} output bits.

module {TOP} (
  input  logic clk_i,
  input  logic scan_i,
  output logic scan_o
);

  // Kept: a core that ignores its last inputs must not shorten the register.
  (* keep *) logic [{num_in - 1}:0] shift_q;
  logic [{num_out - 1}:0] core_out, capture_q, signature_q;

  {module} {CORE} (
{separator.join(connections)}
  );

  always_ff @(posedge clk_i) begin
    shift_q     <= {num_in}'({{shift_q, scan_i}});
    capture_q   <= core_out;
    signature_q <= {num_out}'({{signature_q, signature_q[{num_out - 1}]}}) ^ capture_q;
    scan_o      <= signature_q[{num_out - 1}];
  end

endmodule
"""
    return Harness(text=stub(module, ports) + top, top=top, inputs=num_in, outputs=num_out)


def stub(module: str, ports: Sequence[Port]) -> str:
    """An empty module in place of the core, which its mapped netlist then replaces."""
    declared = ",\n".join(
        f"  {'input ' if port.is_input else 'output'} logic [{port.width - 1}:0] {port.name}"
        for port in ports
    )
    return f"(* blackbox *)\nmodule {module} (\n{declared}\n);\nendmodule\n\n"


def mapping(
    device: Device, module: str, read: str, core: str, output: str, top: str = TOP
) -> list[str]:
    """The Yosys commands that put a mapped core into what stands around it.

    Args:
        device: what it is mapped for.
        module: top module of the core, of which the text around it has a stub.
        read: the command that reads that text: ``Harness.text``, or what has the core in it.
        core: JSON file with the mapped core.
        output: JSON file for all of it.
        top: the module of all of it.
    """
    return [
        f"read_json {core}",
        # What stands around is mapped around an empty module, which the core then replaces.
        "design -stash core",
        read,
        *device.harness_recipe.for_top(top),
        f"design -copy-from core {module}",
        "flatten",
        # Notes of the hierarchy hold names, and nextpnr is to see none.
        "delete t:$scopeinfo",
        "clean",
        f"write_json {output}",
    ]
