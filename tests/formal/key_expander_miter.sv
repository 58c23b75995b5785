// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_key_expander beside KeyExpansion (FIPS 197, section 5.2), word by word, from the loading of any
// key to its last round key: the first Nk words are the key, and each later pair of words is what
// the standard makes of the words that came out before it.

module key_expander_miter
  import aes_pkg::*;
  import key_expansion_pkg::*;
#(
  parameter key_size_e   KeySize  = KeySize128,
  parameter int unsigned NumWords = 4            // Nk of the key that is loaded
) (
  input  logic         clk_i,
  input  logic [255:0] key_i,
  output logic         same_o
);

  // 0: load, 1: the first SubWord, then a pair of words in each clock.
  logic [5:0] clock_q;
  initial clock_q = '0;
  always_ff @(posedge clk_i) clock_q <= clock_q + 6'd1;

  word_t [1:0] pair;

  aes_key_expander #(
    .KeySize(KeySize)
  ) u_expander (
    .clk_i,
    .load_i (clock_q == '0),
    .key_i,
    .len_i  (2'(NumWords / 2 - 2)),
    .step_i (clock_q >= 6'd2),
    .words_o(pair)
  );

  // The key that was loaded, and the words that came out: [0] is the last one.
  logic [255:0] key_q;
  word_t before_q[8];
  always_ff @(posedge clk_i) begin
    if (clock_q == '0) key_q <= key_i;
    if (clock_q >= 6'd2) begin
      for (int unsigned i = 2; i < 8; i++) before_q[i] <= before_q[i-2];
      before_q[1] <= pair[1];
      before_q[0] <= pair[0];
    end
  end

  word_t first, second;
  logic [6:0] index;  // of the first word of the pair
  logic in_key, done;

  assign index  = {clock_q, 1'b0} - 7'd4;
  assign in_key = index < 7'(NumWords);
  assign done   = index >= 7'(4 * (NumWords + 7));

  // Of words from Nk on; the second word of a pair has an odd index, for which there is no SubWord.
  step_t step;

  always_comb begin
    step = '0;
    for (int unsigned i = NumWords; i < 4 * (NumWords + 7); i += 2) begin
      if (index == 7'(i)) step = step_of(NumWords, i);
    end
  end

  always_comb begin
    if (in_key) begin
      {first, second} = key_q[255-32*32'(index[2:0])-:64];
    end else begin
      first  = next_word(step, before_q[0], before_q[NumWords-1]);
      second = first ^ before_q[NumWords-2];
    end
  end

  assign same_o = clock_q < 6'd2 || done || pair == {first, second};

endmodule
