// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A step of GHASH beside steps of one bit, by the rules of SP 800-38D, section 6.3: a product with x is
// a shift to the right, and a bit that falls out brings R. With 16 bits, 8 of them count for x^64 more.
// same_o is high when the two agree.

module engine_ghash_miter
  import aes_engine_pkg::*;
#(
  parameter int unsigned Digit = 8
) (
  input  logic [127:0]     sum_i,    // the coefficient of x^0 at the top
  input  logic [127:0]     key_i,
  input  logic [Digit-1:0] digit_i,  // the coefficient of x^0 lowest
  output logic             same_o
);

  localparam int unsigned Steps = (Digit == 16) ? 8 : Digit;
  localparam int unsigned PartWidth = (Digit == 16) ? 213 : 127 + Digit;

  function automatic logic [127:0] times_x(logic [127:0] block);
    return {1'b0, block[127:1]} ^ (block[0] ? {8'b11100001, 120'd0} : 128'd0);
  endfunction

  logic [127:0] realised, product, upper_key;
  logic [PartWidth-1:0] part;

  aes_engine_ghash_part #(
    .Digit(Digit)
  ) u_part (
    .key_i (reverse_bits(key_i)),
    .digit_i,
    .part_o(part)
  );

  aes_engine_ghash_step #(
    .Digit(Digit)
  ) u_step (
    .sum_i (reverse_bits(sum_i)),
    .part_i(part),
    .sum_o (realised)
  );

  always_comb begin
    upper_key = key_i;
    for (int unsigned i = 0; i < 64; i++) upper_key = times_x(upper_key);
    product = sum_i;
    for (int unsigned i = Steps; i > 0; i--) begin
      product = times_x(product);
      if (digit_i[i-1]) product = product ^ key_i;
      if (Digit == 16 && digit_i[(i-1+8)%Digit]) product = product ^ upper_key;
    end
  end

  assign same_o = realised == reverse_bits(product);

endmodule
