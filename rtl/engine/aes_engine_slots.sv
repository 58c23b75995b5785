// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Key slots: a word for each in block RAM, written and read by addresses of their own.
//
//   wdata_i --[ RAM, Depth x Width ]--|R|-- rdata_o     (the register is that of the RAM)
//
// rdata_o keeps its word until read_i is high again. A word that is read in the clock in which it is
// written is not defined: whoever reads waits for that clock to pass.

module aes_engine_slots #(
  parameter int unsigned Depth = 128,
  parameter int unsigned Width = 128
) (
  input  logic                     clk_i,
  input  logic                     write_i,
  input  logic [$clog2(Depth)-1:0] waddr_i,
  input  logic [Width-1:0]         wdata_i,
  input  logic                     read_i,
  input  logic [$clog2(Depth)-1:0] raddr_i,
  output logic [Width-1:0]         rdata_o
);

  (* no_rw_check *) logic [Width-1:0] mem[Depth];
  logic [Width-1:0] rdata_q;

  always_ff @(posedge clk_i) begin
    if (write_i) mem[waddr_i] <= wdata_i;
    if (read_i) rdata_q <= mem[raddr_i];
  end

  assign rdata_o = rdata_q;

endmodule
