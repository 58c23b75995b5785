// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_engine_results that says anything, for proofs about what stands behind it: whatever is proved there
// does not depend on it. A ring that no reset sets has values for four clocks, each of them free.

module aes_engine_results #(
  parameter int unsigned Depth  = 128,
  parameter int unsigned Width  = 128,
  parameter int unsigned Wait   = 0,
  parameter int unsigned Late   = 0,
  parameter int unsigned Places = 16,
  localparam int unsigned Bits = $clog2(Depth),
  localparam int unsigned LateBits = (Late == 0) ? 1 : Late
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                valid_i,
  input  logic [Width-1:0]    data_i,
  output logic [Bits-1:0]     place_o,
  output logic                freed_o,
  input  logic                late_valid_i,
  input  logic [Bits-1:0]     late_place_i,
  input  logic [LateBits-1:0] late_i,
  output logic                valid_o,
  output logic [Width-1:0]    data_o,
  output logic [LateBits-1:0] late_o,
  input  logic                left_i
);

  localparam int unsigned All = Bits + 2 + Width + LateBits;
  localparam int unsigned Clocks = 4;
  logic [Clocks*All-1:0] free_q;
  always_ff @(posedge clk_i) free_q <= {free_q[All-1:0], free_q[Clocks*All-1:All]};

  assign {place_o, freed_o, valid_o, data_o, late_o} = free_q[All-1:0];

  logic unused;
  assign unused = ^{rst_ni, valid_i, data_i, late_valid_i, late_place_i, late_i, left_i};

endmodule
