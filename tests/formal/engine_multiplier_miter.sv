// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_engine_multiplier, level by level, for all factors; registers are in any state.
//
//   factors_o   of both factors, the 81 sums of bytes that Karatsuba's rule multiplies
//   level_16_o  products of those, plain, and what the rule makes of three of them: of 16 bits
//   level_32_o  what the rule makes of three products of 16 bits, whatever those are
//   level_64_o  the same of three of 32 bits
//   whole_o     the same of three of 64 bits
//   product_o   what is left of a product of 255 bits modulo x^128 + x^7 + x^2 + x + 1
//
// Each level is compared with its plain form in the clock in which it is there: so these are the product
// of the factors six clocks before. One thing is taken from algebra: for factors in halves, the product
// of the lower ones, that of the upper ones and that of their sums make the product by Karatsuba's rule.

module engine_multiplier_miter (
  input  logic         clk_i,
  input  logic [127:0] a_i,
  input  logic [127:0] b_i,
  output logic         factors_o,
  output logic         level_16_o,
  output logic         level_32_o,
  output logic         level_64_o,
  output logic         whole_o,
  output logic         product_o
);

  logic [127:0] product;

  aes_engine_multiplier u_multiplier (
    .clk_i,
    .a_i,
    .b_i,
    .product_o(product)
  );

  // Of byte n of 81, the digits to base 3, the first one of the largest halves, say which half of each is
  // meant: 0 the lower one, 1 the upper one, 2 both. So it is the sum of some of the 16 bytes: these.
  function automatic logic [15:0] meant(int unsigned n);
    meant = '1;
    for (int unsigned m = 0; m < 16; m++) begin
      for (int unsigned level = 0; level < 4; level++) begin
        if ((n / 3 ** level) % 3 == 1 - (m >> level) % 2) meant[m] = 1'b0;
      end
    end
  endfunction

  function automatic logic [7:0] sum_of_bytes(logic [127:0] x, logic [15:0] bytes);
    sum_of_bytes = '0;
    for (int unsigned m = 0; m < 16; m++) begin
      if (bytes[m]) sum_of_bytes ^= x[8*m+:8];
    end
  endfunction

  // The definition of a product of polynomials.
  function automatic logic [14:0] plain_product(logic [7:0] a, logic [7:0] b);
    plain_product = '0;
    for (int unsigned i = 0; i < 8; i++) begin
      for (int unsigned j = 0; j < 8; j++) plain_product[i+j] ^= a[i] & b[j];
    end
  endfunction

  // Karatsuba's rule for halves of some bits, in its first form.
  function automatic logic [254:0] rule(int unsigned bits, logic [126:0] lower, logic [126:0] upper,
                                        logic [126:0] sums);
    return (255'(upper) << 2 * bits) ^ (255'(127'(sums ^ upper ^ lower)) << bits) ^ 255'(lower);
  endfunction

  // The remainder of a division, from the top bit down.
  function automatic logic [127:0] remainder(logic [254:0] x);
    for (int n = 254; n >= 128; n--) begin
      if (x[n]) x[n-128+:8] ^= 8'h87;
    end
    return x[127:0];
  endfunction

  // What comes a clock later, and two.
  logic [80:0][7:0] a_sums_q, a_sums_2_q, b_sums_q, b_sums_2_q;
  logic [26:0][30:0] of_16_q;
  logic [2:0][126:0] of_64_q;
  logic [254:0] whole_q;
  logic [127:0] product_q;
  for (genvar n = 0; n < 81; n++) begin : gen_sums
    localparam logic [15:0] Meant = meant(n);
    always_ff @(posedge clk_i) begin
      a_sums_q[n] <= sum_of_bytes(a_i, Meant);
      b_sums_q[n] <= sum_of_bytes(b_i, Meant);
    end
  end
  for (genvar i = 0; i < 27; i++) begin : gen_of_16
    logic [2:0][14:0] plain;
    for (genvar n = 0; n < 3; n++) begin : gen_plain
      assign plain[n] = plain_product(u_multiplier.a_bytes_q[3*i+n], u_multiplier.b_bytes_q[3*i+n]);
    end
    always_ff @(posedge clk_i)
      of_16_q[i] <= 31'(rule(
          8, 127'(plain[0]), 127'(plain[1]), 127'(plain[2])
      ));
  end
  always_ff @(posedge clk_i) begin
    a_sums_2_q <= a_sums_q;
    b_sums_2_q <= b_sums_q;
    for (int unsigned i = 0; i < 3; i++) begin
      of_64_q[i] <= 127'(rule(
          32,
          127'(u_multiplier.of_32[3*i]),
          127'(u_multiplier.of_32[3*i+1]),
          127'(u_multiplier.of_32[3*i+2])
      ));
    end
    whole_q   <= rule(64, u_multiplier.of_64[0], u_multiplier.of_64[1], u_multiplier.of_64[2]);
    product_q <= remainder({u_multiplier.above_q, u_multiplier.below});
  end

  always_comb begin
    level_32_o = 1'b1;
    for (int unsigned i = 0; i < 9; i++) begin
      if (u_multiplier.of_32[i] != 63'(rule(
              16,
              127'(u_multiplier.of_16[3*i]),
              127'(u_multiplier.of_16[3*i+1]),
              127'(u_multiplier.of_16[3*i+2])
          )))
        level_32_o = 1'b0;
    end
  end

  assign factors_o  = u_multiplier.a_bytes_q == a_sums_2_q && u_multiplier.b_bytes_q == b_sums_2_q;
  assign level_16_o = u_multiplier.of_16 == of_16_q;
  assign level_64_o = u_multiplier.of_64 == of_64_q;
  assign whole_o    = {u_multiplier.above_q, u_multiplier.below} == whole_q;
  assign product_o  = product == product_q;

endmodule
