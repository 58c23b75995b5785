// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// T-boxes of one direction at a time in a block RAM that is written again for the other one
// (fischer2001, section 3.2): 256 x 32 bit, with one or two read ports.
//
//              +-----------+
//   byte_i[0] -| > address |-- word_o[0]     write_i: word_i goes to entry byte_i[0]
//              |    RAM    |
//   byte_i[1] -| > address |-- word_o[1]
//              +-----------+
//
// The first read port is the write port, so that a true dual-port block holds both T-boxes. What is
// read in a clock with write_i is never used, so no logic for that case is wanted.

module aes_tbox_ram
  import aes_pkg::*;
#(
  parameter int unsigned NumPorts = 1  // bytes a clock, 1 or 2
) (
  input  logic                 clk_i,
  input  logic                 write_i,
  input  word_t                word_i,
  input  byte_t [NumPorts-1:0] byte_i,
  output word_t [NumPorts-1:0] word_o   // one clock after byte_i
);

  if (NumPorts < 1 || NumPorts > 2) begin : gen_bad_ports
    $fatal(1, "aes_tbox_ram: NumPorts must be 1 or 2");
  end

  (* no_rw_check, ram_style = "block" *) word_t mem[256];
  word_t [NumPorts-1:0] data_q;

  always_ff @(posedge clk_i) begin
    if (write_i) mem[byte_i[0]] <= word_i;
    data_q[0] <= mem[byte_i[0]];
  end

  if (NumPorts == 2) begin : gen_second
    always_ff @(posedge clk_i) data_q[1] <= mem[byte_i[1]];
  end

  assign word_o = data_q;

endmodule
