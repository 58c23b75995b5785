// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A step of GHASH (SP 800-38D, section 6.3): Digit bits of one factor times the other, by Horner's rule.
//
//   sum_i * x^Digit + digit_i * key_i  --[ modulo x^128 + x^7 + x^2 + x + 1 ]-- sum_o
//
// The top bit of a block is the coefficient of x^0, so a product with x is a shift to the right. The
// lowest bit of digit_i is its highest coefficient.

module aes_engine_ghash_step #(
  parameter int unsigned Digit = 8  // bits a clock
) (
  input  logic [127:0]       sum_i,
  input  logic [127:0]       key_i,
  input  logic [Digit-1:0] digit_i,
  output logic [127:0]       sum_o
);

  // As a block, with the coefficients from x^128 on below it.
  logic [127+Digit:0] product;

  always_comb begin
    product = {{Digit{1'b0}}, sum_i};
    for (int unsigned i = 0; i < Digit; i++) begin
      product ^= ({key_i, {Digit{1'b0}}} >> i) & {128 + Digit{digit_i[Digit-1-i]}};
    end
  end

  always_comb begin
    sum_o = product[127+Digit:Digit];
    for (int unsigned i = 0; i < Digit; i++) begin
      sum_o ^= ({8'he1, 120'd0} >> i) & {128{product[Digit-1-i]}};
    end
  end

endmodule
