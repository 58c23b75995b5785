# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The time of every core is constant: on its netlist no handshake follows from data or key."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import passed
from aesfab.design import catalogue
from aesfab.eda import yosys
from aesfab.folder import generate
from aesfab.hdl import dependence
from aesfab.hdl.dependence import CONTROL_OUTPUTS, DATA_INPUTS, DATA_OUTPUTS

_MODULE = Path(str(dependence.__file__))

pytestmark = pytest.mark.kept(*passed.EDA, "src/aesfab/design", passed.cores)

# Of every architecture, a fault that lets data or key into a handshake.
LEAKS = [
    ("kakarlapudi-sbox-enc-128", "aes_core_iterative.sv", "(busy_q & last_round)",
     "(busy_q & last_round & ~out_block_o[5])"),
    ("fab-compact", "aes_core_iterative_compact.sv", "in_ready_o = available & ~busy_q;",
     "in_ready_o = available & ~busy_q & ~key_i[200];"),
    ("standaert-ram-compact-21", "aes_core_interleaved.sv", "= in_valid_i & in_ready_o;",
     "= in_valid_i & in_ready_o & ~&in_key_i[255:128];"),
    ("standaert-ram-pipeline-21", "aes_core_pipelined.sv", "assign out_valid_o = out_valid_q;",
     "assign out_valid_o = out_valid_q & ~&out_block_o;"),
    ("qin-8sm", "aes_core_rolling.sv", "assign in_ready_o  = turn_q == '0;",
     "assign in_ready_o  = turn_q == '0 && !in_block_i[3];"),
    ("fischer-economic-sbox-enc", "aes_core_narrow.sv",
     "(busy_q & last_round & last_part)",
     "(busy_q & last_round & last_part & ~in_block_i[0])"),
]  # fmt: skip


def _leaks(sources: list[Path], module: str) -> dict[str, set[str]]:
    """Handshakes to the inputs with data or keys that they depend on."""
    found = dependence.inputs_of(yosys.elaborated(sources, module), CONTROL_OUTPUTS)
    return {output: inputs & set(DATA_INPUTS) for output, inputs in found.items()}


def constant_time(named: catalogue.Named) -> None:
    """No output of a core but its result depends on data or key, and the result on both."""
    module = yosys.elaborated(generate.sources(named), named.module)
    ports = named.design.ports()
    found = dependence.inputs_of(module, [port.name for port in ports if not port.is_input])
    inputs = {port.name for port in ports if port.is_input}
    data = inputs & set(DATA_INPUTS)
    assert len(data) >= 2
    for output, sources in found.items():
        if output in DATA_OUTPUTS:
            assert data <= sources, output
        else:
            assert not sources & data, (output, sources & data)
            # A core that is always ready follows from nothing.
            assert sources or output == "in_ready_o", output


@pytest.mark.parametrize("name", catalogue.CATALOGUE)
def test_no_handshake_follows_from_data_or_key(name: str) -> None:
    named = catalogue.CATALOGUE[name]
    identity = passed.of_netlist(named, constant_time, _MODULE, simulated=False)
    passed.once(f"{name}, constant time", identity, lambda: constant_time(named))


@pytest.mark.parametrize(("name", "file", "old", "new"), LEAKS, ids=[leak[0] for leak in LEAKS])
def test_a_leak_is_found(name: str, file: str, old: str, new: str, tmp_path: Path) -> None:
    named = catalogue.CATALOGUE[name]
    sources = [Path(shutil.copy(path, tmp_path)) for path in generate.sources(named)]
    assert not any(_leaks(sources, named.module).values())
    text = (tmp_path / file).read_text()
    assert text.count(old) >= 1
    (tmp_path / file).write_text(text.replace(old, new))
    assert any(_leaks(sources, named.module).values())


_CELLS = """
module cells (
  input  logic       clk_i,
  input  logic [1:0] a, b, c, s,
  input  logic       w,
  output logic [1:0] bitwise, chosen, kept, sum,
  output logic       low, column,
  output logic [1:0] picked,
  output logic       first
);
  logic [1:0] both, table_q;
  logic [1:0] memory[4];
  assign bitwise = a & b;
  assign chosen  = w ? a : c;
  assign sum     = a + b;
  assign both    = {a[1], b[0]};
  assign low     = both[0];
  // As many cases as bits: each selector counts for both of them.
  always_comb begin
    case (1'b1)
      s[0]: picked = a;
      s[1]: picked = b;
      default: picked = c;
    endcase
  end
  assign first = picked[0];
  always_ff @(posedge clk_i) begin
    kept <= chosen;
    if (w) memory[s] <= {c[0], a[0]};
    table_q <= memory[b];
  end
  assign column = table_q[1];
endmodule
"""


def test_every_selector_counts_for_every_bit() -> None:
    """Also where there are as many selectors as bits, as if each belonged to one of them."""
    cell = {
        "type": "$pmux",
        "port_directions": {"A": "input", "B": "input", "S": "input", "Y": "output"},
        "connections": {"A": [2, 3], "B": [4, 5, 6, 7], "S": [8, 9], "Y": [10, 11]},
    }
    edges = {bit: set(sources) for bit, sources in dependence._edges("choice", cell)}
    assert edges == {10: {2, 4, 6, 8, 9}, 11: {3, 5, 7, 8, 9}}


def test_dependence_of_each_kind_of_cell(tmp_path: Path) -> None:
    """Bit by bit where a cell works bit by bit, through registers and columns of a memory."""
    top = tmp_path / "cells.sv"
    top.write_text(_CELLS)
    module = yosys.elaborated([top], "cells")
    outputs = [name for name, port in module["ports"].items() if port["direction"] == "output"]
    found = dependence.inputs_of(module, outputs)
    assert found == {
        "bitwise": {"a", "b"},
        "chosen": {"a", "c", "w"},
        "kept": {"a", "c", "w"},
        "sum": {"a", "b"},
        "low": {"b"},
        "picked": {"a", "b", "c", "s"},
        "first": {"a", "b", "c", "s"},
        # Not a[0], which is written beside it.
        "column": {"b", "c", "s", "w"},
    }
    assert dependence.inputs_of(module, ["none"]) == {}
