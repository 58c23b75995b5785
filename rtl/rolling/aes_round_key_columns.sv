// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The round key circuit of a round that takes its block, and its key, some columns a clock: a round
// key of a 128-bit key from the one before it, word by word or two words a clock.
//
//   words_i --[ |R| x Delay ]--(+)--+--|R|--+-- words_o
//                               |   |       |
//                               |   +-- last_o, of the last word
//                               |           |  last word
//                            [ mux ]--------+
//                               | first_i
//   last_word_i --[ 4 S-boxes ]-+ (+ Rcon)
//
// A word is the one of the round key before, plus the word made before it, or plus SubWord and Rcon
// where it is the first one. With one word a clock that is one LUT4 a bit, whose register is the
// first one of the delay to the next round.
//
// By clock, with the first words of the key before on words_i in clock 0:
//
//   clock Delay - SboxLevels     last_word_i is the last word of the key before
//   clock Delay                  first_i
//   clock Delay + 1              the first words of the new key on words_o
//
// Cost with one word a clock: 4 S-boxes, 32 LUT4, 32 (Delay + 1) flip-flops.

module aes_round_key_columns
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox       = SboxTable,
  parameter int unsigned SboxLevels = 1,          // register levels of the S-boxes
  parameter int unsigned NumColumns = 1,          // words a clock: 1 or 2
  parameter int unsigned Delay      = 3,          // clocks that words wait for their successors
  parameter byte_t       Rcon       = 8'h01
) (
  input  logic                   clk_i,
  input  logic                   first_i,      // words_o begins a round key in the next clock
  input  word_t [NumColumns-1:0] words_i,      // round key before, the first word at the top
  input  word_t                  last_word_i,  // of that key, for SubWord
  output word_t [NumColumns-1:0] words_o,      // round key
  output word_t                  last_o        // last word of words_o, a clock before
);

  word_t [NumColumns-1:0] delayed, made;
  word_t sub, carried;

  if (Delay == 0) begin : gen_no_delay
    assign delayed = words_i;
  end else begin : gen_delay
    word_t [NumColumns-1:0] delay_q[Delay];
    always_ff @(posedge clk_i) begin
      delay_q[0] <= words_i;
      for (int unsigned d = 1; d < Delay; d++) delay_q[d] <= delay_q[d-1];
    end
    assign delayed = delay_q[Delay-1];
  end

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Dir     (DirEncrypt),
    .Levels  (SboxLevels),
    .NumBytes(4)
  ) u_sub_word (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  (rot_word(last_word_i)),
    .bytes_o  (sub)
  );

  assign carried = first_i ? sub ^ {Rcon, 24'h0} : words_o[0];

  for (genvar w = NumColumns; w > 0; w--) begin : gen_word
    if (w == NumColumns) begin : gen_first
      assign made[w-1] = delayed[w-1] ^ carried;
    end else begin : gen_next
      assign made[w-1] = delayed[w-1] ^ made[w];
    end
  end

  always_ff @(posedge clk_i) words_o <= made;
  assign last_o = made[0];

endmodule
