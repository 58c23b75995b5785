// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A step of GHASH beside as many steps of one bit, by the rules of SP 800-38D, section 6.3: a product
// with x is a shift to the right, and a bit that falls out brings R. same_o is high when the two agree.

module engine_ghash_miter #(
  parameter int unsigned Digit = 8
) (
  input  logic [127:0]     sum_i,
  input  logic [127:0]     key_i,
  input  logic [Digit-1:0] digit_i,
  output logic             same_o
);

  logic [127:0] realised, product;

  aes_engine_ghash_step #(
    .Digit(Digit)
  ) u_step (
    .sum_i,
    .key_i,
    .digit_i,
    .sum_o(realised)
  );

  always_comb begin
    product = sum_i;
    for (int unsigned i = 0; i < Digit; i++) begin
      product = {1'b0, product[127:1]} ^ (product[0] ? {8'b11100001, 120'd0} : 128'd0);
      if (digit_i[i]) product = product ^ key_i;
    end
  end

  assign same_o = realised == product;

endmodule
