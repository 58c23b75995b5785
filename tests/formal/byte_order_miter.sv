// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The cyclic shifter and the permutations of qin2005 beside the formula and the tables of the paper
// (requirements QI-4, QI-8, QI-9).

module byte_order_miter
  import aes_pkg::*;
(
  input  logic [1:0] turn_i,
  input  block_t     block_i,
  output logic       same_o
);

  logic [3:0] k;
  byte_t [3:0] shifted, by_four;
  byte_t [7:0] by_two;
  block_t by_shifter, by_table_1, by_derived;

  assign k = {turn_i, turn_i};

  aes_byte_shifter u_shifter (
    .shift_i(k),
    .block_i,
    .bytes_o(shifted)
  );

  aes_byte_permutation #(
    .NumLookups(2)
  ) u_permutation_2 (
    .turn_i,
    .block_i,
    .bytes_o(by_two)
  );

  aes_byte_permutation #(
    .NumLookups(4)
  ) u_permutation_4 (
    .turn_i,
    .block_i,
    .bytes_o(by_four)
  );

  // Output position i carries X of the entry, position 0 at the top.
  localparam logic [15:0][3:0] Table1 = 64'h0a4e82c6_5f93d71b;
  localparam logic [15:0][3:0] Derived = 64'h048c59d1_ae26f37b;

  always_comb begin
    // F(X, K) = (X_K, X_(K+4), X_(K+8), X_(K+12)), indices modulo 16.
    by_shifter = '0;
    for (int j = 0; j < 4; j++) begin
      by_shifter[8*(3-j)+:8] = block_i[8*(15-(32'(k)+4*j)%16)+:8];
    end
    for (int i = 0; i < 16; i++) begin
      by_table_1[8*i+:8] = block_i[8*(15-32'(Table1[i]))+:8];
      by_derived[8*i+:8] = block_i[8*(15-32'(Derived[i]))+:8];
    end
  end

  assign same_o = shifted == by_shifter[31:0] &&
                  by_two == (turn_i[0] ? by_table_1[63:0] : by_table_1[127:64]) &&
                  by_four == by_derived[32*(3-32'(turn_i))+:32];

endmodule
