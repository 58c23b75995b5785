// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// RAM of the system: 32-bit words, two ports that each read or write a word a clock, reads a clock
// later. What one port reads while the other one writes the same word is the old word.
//
//   processor --- port a ---[ words ]--- port b --- DMA engine          (bytes of a word by themselves)
//
// Its content at power-up is the program: an FPGA's configuration holds it, a simulation writes it
// into mem_q.

module aes_soc_ram #(
  parameter int unsigned Words = 65536  // a power of two
) (
  input  logic                     clk_i,

  input  logic                     a_read_i,
  input  logic [3:0]               a_write_i,  // each byte; lowest address in bit 0
  input  logic [$clog2(Words)-1:0] a_addr_i,   // of the word
  input  logic [31:0]              a_data_i,
  output logic [31:0]              a_data_o,

  input  logic                     b_read_i,
  input  logic [3:0]               b_write_i,
  input  logic [$clog2(Words)-1:0] b_addr_i,
  input  logic [31:0]              b_data_i,
  output logic [31:0]              b_data_o
);

  logic [31:0] mem_q[Words]  /* verilator public_flat_rw */;

  always_ff @(posedge clk_i) begin
    for (int unsigned n = 0; n < 4; n++) begin
      if (a_write_i[n]) mem_q[a_addr_i][8*n+:8] <= a_data_i[8*n+:8];
      if (b_write_i[n]) mem_q[b_addr_i][8*n+:8] <= b_data_i[8*n+:8];
    end
    if (a_read_i) a_data_o <= mem_q[a_addr_i];
    if (b_read_i) b_data_o <= mem_q[b_addr_i];
  end

endmodule
