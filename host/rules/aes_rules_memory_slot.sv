// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The rules of the memory slot of pilchard, as aes_bus_memory_slot has it. It waits for nothing, so there
// are two, about its data:
//
//   broken_o[0]  data in a clock that does not follow a read
//   broken_o[1]  data during reset

module aes_rules_memory_slot (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        read_i,
  input  logic [63:0] data_i,   // that is read
  output logic [1:0]  broken_o
);

  logic read_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_q <= 1'b0;
    else read_q <= read_i;
  end

  assign broken_o[0] = rst_ni && !read_q && data_i != '0;
  assign broken_o[1] = !rst_ni && data_i != '0;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (broken_o == '0)
      else $error("aes_rules_memory_slot: broken_o is %b", broken_o);
    end
  end
`endif

endmodule
