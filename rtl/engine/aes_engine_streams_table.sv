// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A word for each stream in LUT RAM: one is written a clock, two are read in the same clock.
//
//   wdata_i --[ LUT RAM, Depth x Width, twice ]-- rdata_o of two addresses
//
// A word that is read in the clock in which it is written is the old one.

module aes_engine_streams_table #(
  parameter int unsigned Depth = 64,
  parameter int unsigned Width = 4
) (
  input  logic                     clk_i,
  input  logic                     write_i,
  input  logic [$clog2(Depth)-1:0] waddr_i,
  input  logic [Width-1:0]         wdata_i,
  input  logic [$clog2(Depth)-1:0] raddr0_i,
  output logic [Width-1:0]         rdata0_o,
  input  logic [$clog2(Depth)-1:0] raddr1_i,
  output logic [Width-1:0]         rdata1_o
);

  (* ram_style = "distributed" *) logic [Width-1:0] mem[Depth];

  always_ff @(posedge clk_i) begin
    if (write_i) mem[waddr_i] <= wdata_i;
  end

  assign rdata0_o = mem[raddr0_i];
  assign rdata1_o = mem[raddr1_i];

endmodule
