# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The measuring harness: its text, and that it costs exactly what it says."""

from __future__ import annotations

import pytest

import passed
from aesfab import devices
from aesfab.design.ports import Port
from aesfab.eda import yosys
from aesfab.measure import harness

PORTS = [
    Port("clk_i", 1, True, ""),
    Port("rst_ni", 1, True, ""),
    Port("load_i", 1, True, ""),
    Port("data_i", 9, True, ""),
    Port("ready_o", 1, False, ""),
    Port("sum_o", 8, False, ""),
]

# Made to tempt an optimiser: a register fed by an input, as the harness has one beside it; a
# constant output; two outputs that are equal; an input that is not used.
CORE = """
module dummy (
  input  logic       clk_i, rst_ni, load_i,
  input  logic [8:0] data_i,
  output logic       ready_o,
  output logic [7:0] sum_o
);
  logic [3:0] data_q, sum_q;
  always_ff @(posedge clk_i) data_q <= data_i[3:0];
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) sum_q <= '0;
    else if (load_i) sum_q <= sum_q + data_q;
  assign ready_o = 1'b1;
  assign sum_o   = {sum_q, sum_q};
endmodule
"""


@pytest.mark.kept(*passed.MEASURING)
@pytest.mark.parametrize("name", [d.name for d in devices.DEVICES.values() if d.place_and_route])
def test_costs_exactly_what_it_says(name: str) -> None:
    device = devices.find(name)
    frame = harness.generate("dummy", PORTS)
    assert (frame.inputs, frame.outputs) == (11, 9)
    assert frame.flip_flops == 11 + 2 * 9 + 1
    assert frame.luts == 9
    with yosys.workspace() as (folder, _):
        (folder / "dummy.sv").write_text(CORE)
        (folder / "harness.sv").write_text(frame.text)
        yosys.run_script(
            [
                yosys.read_command(["dummy.sv"], "dummy"),
                *device.recipe("default").for_top("dummy"),
                "write_json core.json",
                "design -stash core",
                yosys.read_command(["harness.sv"], harness.TOP),
                *device.recipe("default").for_top(harness.TOP),
                "design -copy-from core dummy",
                "flatten",
                "clean",
                "write_json all.json",
            ],
            what="test",
            cwd=folder,
            outputs=["core.json", "all.json"],
        )
        core = yosys.cells_of(yosys.load_netlist(folder / "core.json"), "dummy")
        everything = yosys.cells_of(yosys.load_netlist(folder / "all.json"), harness.TOP)
    alone, framed = device.count(core), device.count(everything)
    assert alone.ff == 8
    assert framed.ff - alone.ff == frame.flip_flops
    assert framed.lut - alone.lut == frame.luts
    assert framed.ram == alone.ram
    assert not framed.other


def test_every_bit_is_connected_once() -> None:
    frame = harness.generate("dummy", PORTS)
    for connection in (
        ".clk_i(clk_i)",
        ".rst_ni(shift_q[0+:1])",
        ".load_i(shift_q[1+:1])",
        ".data_i(shift_q[2+:9])",
        ".ready_o(core_out[0+:1])",
        ".sum_o(core_out[1+:8])",
    ):
        assert connection in frame.text


@pytest.mark.parametrize(
    "ports",
    [
        PORTS[:1],
        PORTS[:3],
        PORTS[1:],
        [PORTS[0], PORTS[4]],
    ],
    ids=["clock only", "no output", "no clock", "no input"],
)
def test_ports_that_make_no_harness(ports: list[Port]) -> None:
    with pytest.raises(ValueError, match="a harness needs"):
        harness.generate("dummy", ports)
