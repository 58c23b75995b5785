// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The results of aes_sub_bytes with Doubled = 1 beside S and {02} S, delayed by as many clocks. S
// is taken from the package's table, which sbox_miter checks.

module sub_bytes_miter
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox   = SboxTable,
  parameter int unsigned Levels = 1
) (
  input  logic        clk_i,
  input  byte_t [1:0] bytes_i,
  output logic        same_o
);

  logic [1:0][15:0] realised, defined_q[Levels];

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Dir     (DirEncrypt),
    .Levels  (Levels),
    .NumBytes(2),
    .Doubled (1'b1)
  ) u_sub_bytes (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i,
    .bytes_o  (realised)
  );

  for (genvar i = 0; i < 2; i++) begin : gen_byte
    byte_t s;
    assign s = SboxFwdTable[bytes_i[i]];
    always_ff @(posedge clk_i) defined_q[0][i] <= {gf_mul(s, 8'h02), s};
  end

  for (genvar l = 1; l < Levels; l++) begin : gen_delay
    always_ff @(posedge clk_i) defined_q[l] <= defined_q[l-1];
  end

  assign same_o = realised == defined_q[Levels-1];

endmodule
