// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A product modulo x^128 + x^7 + x^2 + x + 1 each clock, by Karatsuba's rule in four levels:
//
//   a_i, b_i --[ sums of halves, twice ]--|R|--[ twice ]--|R|--[ 81 products of 8 bits ]--|R|--+
//   product_o --|R|--[ modulo ]--|R|--[ sums, twice ]--|R|--[ sums, twice ]--------------------+
//
// What a_i and b_i are at clock t gives product_o at t + 6. The coefficient of x^n is bit n. Nothing is
// reset: what goes in comes out.

module aes_engine_multiplier (
  input  logic         clk_i,
  input  logic [127:0] a_i,
  input  logic [127:0] b_i,
  output logic [127:0] product_o
);

  // Of x: the lower half, the upper half and their sum, one behind the other, for a word of x each.
  typedef logic [8:0][31:0] words_t;
  typedef logic [80:0][7:0] bytes_t;

  function automatic words_t to_words(logic [127:0] x);
    logic [2:0][63:0] halves;
    words_t words;
    halves = {x[127:64] ^ x[63:0], x[127:64], x[63:0]};
    for (int unsigned i = 0; i < 3; i++) begin
      words[3*i]   = halves[i][31:0];
      words[3*i+1] = halves[i][63:32];
      words[3*i+2] = halves[i][63:32] ^ halves[i][31:0];
    end
    return words;
  endfunction

  function automatic bytes_t to_bytes(words_t words);
    logic [26:0][15:0] pairs;
    bytes_t bytes;
    for (int unsigned i = 0; i < 9; i++) begin
      pairs[3*i]   = words[i][15:0];
      pairs[3*i+1] = words[i][31:16];
      pairs[3*i+2] = words[i][31:16] ^ words[i][15:0];
    end
    for (int unsigned i = 0; i < 27; i++) begin
      bytes[3*i]   = pairs[i][7:0];
      bytes[3*i+1] = pairs[i][15:8];
      bytes[3*i+2] = pairs[i][15:8] ^ pairs[i][7:0];
    end
    return bytes;
  endfunction

  // Bit n of a product of 8 bits, in pairs: two terms and their sum are a LUT.
  function automatic logic [14:0] product_8(logic [7:0] a, logic [7:0] b);
    logic [3:0][14:0] pair;
    for (int unsigned i = 0; i < 4; i++) begin
      pair[i] = ({7'd0, b & {8{a[2*i]}}} ^ {6'd0, b & {8{a[2*i+1]}}, 1'b0}) << 2 * i;
    end
    return (pair[0] ^ pair[1]) ^ (pair[2] ^ pair[3]);
  endfunction

  words_t a_words_q, b_words_q;
  bytes_t a_bytes_q, b_bytes_q;

  always_ff @(posedge clk_i) begin
    a_words_q <= to_words(a_i);
    b_words_q <= to_words(b_i);
    a_bytes_q <= to_bytes(a_words_q);
    b_bytes_q <= to_bytes(b_words_q);
  end

  // Products of the lower halves, of the upper halves and of the sums, of 8, 32 and 64 bits; of 16 bits
  // what they come to alone.
  logic [26:0][30:0] of_16;
  logic [8:0][62:0] of_32;
  logic [2:0][126:0] of_64;

  for (genvar i = 0; i < 27; i++) begin : gen_of_16
    aes_engine_multiplier_sum #(
      .Bits      (8),
      .Registered(1'b1)
    ) u_sum (
      .clk_i,
      .lower_i  (product_8(a_bytes_q[3*i], b_bytes_q[3*i])),
      .upper_i  (product_8(a_bytes_q[3*i+1], b_bytes_q[3*i+1])),
      .sums_i   (product_8(a_bytes_q[3*i+2], b_bytes_q[3*i+2])),
      .product_o(of_16[i])
    );
  end
  for (genvar i = 0; i < 9; i++) begin : gen_of_32
    aes_engine_multiplier_sum #(
      .Bits      (16),
      .Registered(1'b0)
    ) u_sum (
      .clk_i,
      .lower_i  (of_16[3*i]),
      .upper_i  (of_16[3*i+1]),
      .sums_i   (of_16[3*i+2]),
      .product_o(of_32[i])
    );
  end
  for (genvar i = 0; i < 3; i++) begin : gen_of_64
    aes_engine_multiplier_sum #(
      .Bits      (32),
      .Registered(1'b1)
    ) u_sum (
      .clk_i,
      .lower_i  (of_32[3*i]),
      .upper_i  (of_32[3*i+1]),
      .sums_i   (of_32[3*i+2]),
      .product_o(of_64[i])
    );
  end

  // The last sum is as those before, but for its bits 64 to 127: they are added up in the clock in which
  // what is above comes down, where a LUT has inputs left for them.
  logic [63:0] lower_q, sums_q;
  logic [62:0] twice, twice_q;
  logic [126:0] above, above_q;
  logic [127:0] below, product_q;
  assign twice = of_64[0][126:64] ^ of_64[1][62:0];
  assign above = {of_64[1][126:63], 63'd0} ^ 127'(of_64[1][126:64]) ^ 127'(of_64[2][126:64]) ^
      127'(twice);
  assign below = 128'(lower_q) ^ {lower_q ^ sums_q ^ 64'(twice_q), 64'd0} ^
      {above_q[63], 127'd0};

  // x^128 is x^7 + x^2 + x + 1; what is above comes down twice.
  logic [133:0] folded;
  logic [5:0] again;
  assign folded = 134'(above_q) ^ (134'(above_q) << 1) ^ (134'(above_q) << 2) ^
      (134'(above_q) << 7);
  assign again  = folded[133:128];

  always_ff @(posedge clk_i) begin
    lower_q   <= of_64[0][63:0];
    sums_q    <= of_64[2][63:0];
    twice_q   <= twice;
    above_q   <= above;
    product_q <= below ^ folded[127:0] ^ 128'(again) ^ (128'(again) << 1) ^
        (128'(again) << 2) ^ (128'(again) << 7);
  end

  assign product_o = product_q;

endmodule
