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
  logic [80:0][14:0] products_q;
  logic [26:0][30:0] of_16;
  logic [8:0][62:0] of_32, of_32_q;
  logic [2:0][126:0] of_64;
  logic [254:0] of_128, of_128_q;
  logic [126:0] above;
  logic [127:0] product_q;

  always_comb begin
    for (int unsigned i = 0; i < 27; i++) begin
      of_16[i] = {products_q[3*i+1], 1'b0, products_q[3*i]} ^
          {8'd0, products_q[3*i+2] ^ products_q[3*i+1] ^ products_q[3*i], 8'd0};
    end
    for (int unsigned i = 0; i < 9; i++) begin
      of_32[i] = {of_16[3*i+1], 1'b0, of_16[3*i]} ^
          {16'd0, of_16[3*i+2] ^ of_16[3*i+1] ^ of_16[3*i], 16'd0};
    end
    for (int unsigned i = 0; i < 3; i++) begin
      of_64[i] = {of_32_q[3*i+1], 1'b0, of_32_q[3*i]} ^
          {32'd0, of_32_q[3*i+2] ^ of_32_q[3*i+1] ^ of_32_q[3*i], 32'd0};
    end
    of_128 = {of_64[1], 1'b0, of_64[0]} ^ {64'd0, of_64[2] ^ of_64[1] ^ of_64[0], 64'd0};
  end

  // x^128 is x^7 + x^2 + x + 1; what is above comes down twice.
  assign above = of_128_q[254:128];
  logic [133:0] folded;
  logic [5:0] again;
  assign folded = 134'(above) ^ (134'(above) << 1) ^ (134'(above) << 2) ^ (134'(above) << 7);
  assign again  = folded[133:128];

  always_ff @(posedge clk_i) begin
    a_words_q <= to_words(a_i);
    b_words_q <= to_words(b_i);
    a_bytes_q <= to_bytes(a_words_q);
    b_bytes_q <= to_bytes(b_words_q);
    for (int unsigned i = 0; i < 81; i++) products_q[i] <= product_8(a_bytes_q[i], b_bytes_q[i]);
    of_32_q  <= of_32;
    of_128_q <= of_128;
    product_q <= of_128_q[127:0] ^ folded[127:0] ^ 128'(again) ^ (128'(again) << 1) ^
        (128'(again) << 2) ^ (128'(again) << 7);
  end

  assign product_o = product_q;

endmodule
