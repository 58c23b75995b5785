// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A single-byte S-box (macro SBOX: its module name) beside the definition of SubBytes, delayed by
// as many clocks. same_o is high when the two agree.

module sbox_miter
  import aes_pkg::*;
#(
  parameter dir_e        Dir    = DirEncrypt,
  parameter int unsigned Levels = 0
) (
  input  logic  clk_i,
  input  logic  decrypt_i,
  input  byte_t byte_i,
  output logic  same_o
);

  byte_t realised, defined;

  `SBOX #(
    .Dir   (Dir),
    .Levels(Levels)
  ) u_sbox (
    .clk_i,
    .decrypt_i,
    .byte_i,
    .byte_o(realised)
  );

  // The inverse as the power of 254. (aes_pkg makes its tables from logarithms.)
  function automatic byte_t inverse_of(byte_t a);
    byte_t square, product;
    square  = a;
    product = 8'h01;
    for (int i = 0; i < 7; i++) begin
      square  = gf_mul(square, square);
      product = gf_mul(product, square);
    end
    return product;
  endfunction

  // FIPS 197, section 5.1.1: bit i is b[i] + b[i+4] + b[i+5] + b[i+6] + b[i+7] + c[i].
  localparam byte_t Constant = 8'h63;

  function automatic byte_t affine(byte_t b);
    byte_t image;
    for (int i = 0; i < 8; i++) begin
      image[i] = b[i] ^ b[(i+4)%8] ^ b[(i+5)%8] ^ b[(i+6)%8] ^ b[(i+7)%8] ^ Constant[i];
    end
    return image;
  endfunction

  typedef byte_t table_t[256];

  function automatic table_t make_table(bit invert);
    table_t entries;
    for (int x = 0; x < 256; x++) begin
      if (invert) entries[affine(inverse_of(byte_t'(x)))] = byte_t'(x);
      else entries[x] = affine(inverse_of(byte_t'(x)));
    end
    return entries;
  endfunction

  localparam table_t Forward = make_table(1'b0);
  localparam table_t Inverse = make_table(1'b1);

  assign defined = (Dir == DirDecrypt || (Dir == DirBoth && decrypt_i)) ? Inverse[byte_i]
                                                                      : Forward[byte_i];

  byte_t delayed[Levels+1];
  assign delayed[0] = defined;
  for (genvar l = 0; l < Levels; l++) begin : gen_delay
    always_ff @(posedge clk_i) delayed[l+1] <= delayed[l];
  end

  assign same_o = realised == delayed[Levels];

endmodule
