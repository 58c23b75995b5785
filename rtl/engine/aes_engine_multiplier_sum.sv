// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What Karatsuba's rule makes of three products of halves: the product of the whole.
//
//   lower_i ----+--[ lower half ]---|R|--+--------------------+
//               |                        |                    |
//   upper_i --+-|--[ upper half ]---|R|--|--+-----------------+-- product_o
//             | |                        |  |                 |
//             +-+--(+)--------------|R|--+--+--[ in two places ]
//                                        |  |                 |
//   sums_i -------------------------|R|--+--+-----------------+
//
// The upper half of lower_i and the lower half of upper_i are needed as their sum alone, twice. So this
// sum goes on in their place: that is fewer registers, and where the halves are products of bits, fewer
// LUTs too. The registers are there with Registered.

module aes_engine_multiplier_sum #(
  parameter int unsigned Bits       = 8,    // of a half of a factor
  parameter bit          Registered = 1'b0
) (
  input  logic              clk_i,
  input  logic [2*Bits-2:0] lower_i,   // the product of the lower halves
  input  logic [2*Bits-2:0] upper_i,   // that of the upper halves
  input  logic [2*Bits-2:0] sums_i,    // that of their sums
  output logic [4*Bits-2:0] product_o
);

  typedef struct packed {
    logic [Bits-1:0]   lower;
    logic [Bits-2:0]   twice;
    logic [Bits-1:0]   upper;
    logic [2*Bits-2:0] sums;
  } parts_t;

  parts_t given, parts;

  assign given.lower = lower_i[Bits-1:0];
  assign given.twice = lower_i[2*Bits-2:Bits] ^ upper_i[Bits-2:0];
  assign given.upper = upper_i[2*Bits-2:Bits-1];
  assign given.sums  = sums_i;

  if (Registered) begin : gen_register
    parts_t parts_q;
    always_ff @(posedge clk_i) parts_q <= given;
    assign parts = parts_q;
  end else begin : gen_no_register
    logic unused_clk;
    assign unused_clk = clk_i;
    assign parts      = given;
  end

  localparam int unsigned Width = 4 * Bits - 1;

  assign product_o = Width'(parts.lower) ^ (Width'(parts.lower) << Bits) ^
      (Width'(parts.twice) << Bits) ^ (Width'(parts.twice) << 2 * Bits) ^
      (Width'(parts.upper) << (2 * Bits - 1)) ^ (Width'(parts.upper) << (3 * Bits - 1)) ^
      (Width'(parts.sums) << Bits);

endmodule
