// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_mixadd beside the matrix products of FIPS 197 (sections 5.1.3 and 5.3.3) and the key addition,
// delayed by as many clocks. same_o is high when the two agree. A block that is cleared counts as
// zero; what enters is added: besides or, with Early, in its place.

module mixadd_miter
  import aes_pkg::*;
#(
  parameter dir_e        Dir     = DirEncrypt,
  parameter int unsigned Levels  = 1,
  parameter bit          Doubled = 1'b0,
  parameter bit          Early   = 1'b0
) (
  input  logic   clk_i,
  input  logic   decrypt_i,
  input  block_t state_i,
  input  block_t round_key_i,
  input  logic [15:0] clear_i,
  input  block_t entry_i,
  output logic   same_o
);

  block_t realised, doubled, product;

  // The bits of clear_i are copies of one. Forward, each serves its byte alone and is free here; the
  // correction of the inverse is of whole columns, so there they are alike, as they are in a loop.
  logic [15:0] clear;
  assign clear = (Dir == DirEncrypt) ? clear_i : {16{clear_i[0]}};

  aes_mixadd #(
    .Dir    (Dir),
    .Levels (Levels),
    .Doubled(Doubled),
    .Early  (Early)
  ) u_mixadd (
    .clk_i,
    .decrypt_i,
    .state_i,
    .double_i(doubled),
    .round_key_i,
    .clear_i (clear),
    .entry_i,
    .state_o (realised)
  );

  // First row of each matrix; row r is row 0 rotated right by r.
  localparam byte_t Forward[4] = '{8'h02, 8'h03, 8'h01, 8'h01};
  localparam byte_t Inverse[4] = '{8'h0e, 8'h0b, 8'h0d, 8'h09};

  logic inverse;
  assign inverse = (Dir == DirBoth) ? decrypt_i : (Dir == DirDecrypt);

  always_comb begin
    product = '0;
    for (int n = 0; n < 16; n++) begin
      doubled[127-8*n-:8] = gf_mul(state_i[127-8*n-:8], 8'h02);
      for (int m = 0; m < 4; m++) begin
        product[127-8*n-:8] ^= inverse ? gf_mul(state_i[127-8*(n/4*4+m)-:8], Inverse[(m-n%4+4)%4]) :
            gf_mul(state_i[127-8*(n/4*4+m)-:8], Forward[(m-n%4+4)%4]);
      end
    end
  end

  // The key is added in the last of Levels clocks.
  block_t delayed[Levels];
  block_t defined_q;
  for (genvar n = 0; n < 16; n++) begin : gen_byte
    assign delayed[0][8*n+:8] = (Levels > 1 && clear[n]) ? (Early ? entry_i[8*n+:8] : '0) :
        product[8*n+:8];
  end
  for (genvar l = 1; l < Levels; l++) begin : gen_delay
    always_ff @(posedge clk_i) delayed[l] <= delayed[l-1];
  end
  always_ff @(posedge clk_i) begin
    defined_q <= delayed[Levels-1] ^ round_key_i ^ (Early ? '0 : entry_i);
  end

  assign same_o = realised == defined_q;

endmodule
