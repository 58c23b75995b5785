// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Stored round keys of both directions in one bank, for a core whose blocks wait a clock: where the
// memory is read is decided in the clock before.
//
//   key_i --[ expander ]--64--+--[ key memory ]--+--|R|-- key_before_o
//                             |        ^         +--|R|-- key_after_o
//                             |      place |R|
//                             +--[ first round key of either direction |R| ]--[ mux ]-- first_key_o
//
// Clock t    enter_i: the first key of the direction that is offered is at first_key_o. A block may be
//            taken; whether or not it is, the second key of its direction is read next.
// Clock t+1  the second key is read; going_i tells that it is for a block.
// Clock t+2  it is at key_before_o or key_after_o, and the third one is read.
//
// key_after_o is for an encryption, but not its last round. What has no turn is zero.
//
// A key is taken, expanded and switched to as in aes_key_schedule_stored with one bank. While it is
// expanded the memory is the window of the expansion (aes_key_expander_recall), and read at places
// that are decided a clock before, too.

module aes_key_schedule_ahead
  import aes_pkg::*;
#(
  parameter sbox_e     Sbox    = SboxTable,
  parameter key_size_e KeySize = KeySizeAny,
  parameter key_mem_e  Memory  = KeyMemDistributed
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,              // first byte at the top
  input  logic [1:0]   key_len_i,          // key_len_e; read only when KeySize is KeySizeAny
  input  logic         round_key_valid_i,  // SboxNone: words of round keys, see aes_key_filler
  output logic         round_key_ready_o,

  input  logic         enter_i,            // a block may enter in this clock
  input  logic         decrypt_i,          // direction of the block that is offered
  input  logic         going_i,            // the key that is read is for a block
  input  logic         blocked_i,          // a block is under way, or enters in the next clock
  output logic         available_o,        // a key is current: blocks can be accepted
  output block_t       first_key_o,        // for the block that is offered
  output block_t       key_before_o,       // for the adders of aes_round_crossed, or zero
  output block_t       key_after_o,
  output logic         last_next_o         // the key that is read is the last one of its block
);

  logic write, last_q;
  logic [5:0] index;  // of the words that the expander gives, in pairs
  word_t [1:0] words;
  logic [2:0] recall_pairs;
  logic [0:0][1:0] bank_len;
  logic [3:0] num_rounds_now;
  logic upper_q;      // the words to recall are the upper ones

  logic unused_start, unused_switch_next, unused_switch, unused_fill_bank, unused_bank;
  logic unused_fault, unused_memory_fault;
  word_t [1:0] unused_mixed_words;
  block_t unused_key;

  aes_key_filler #(
    .Sbox    (Sbox),
    .KeySize (KeySize),
    .NumBanks(1),
    .Recall  (Sbox != SboxNone),
    .Held    (KeySize == KeySizeAny),
    .NumWords(2)
  ) u_filler (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .key_len_i,
    .round_key_valid_i,
    .round_key_ready_o,
    .blocked_i,
    .start_o      (unused_start),
    .write_o      (write),
    .index_o      (index),
    .words_o      (words),
    .old_i        (upper_q ? key_before_o[127:64] : key_before_o[63:0]),
    .recall_o     (recall_pairs),
    .mixed_words_o(unused_mixed_words),
    .switch_next_o(unused_switch_next),
    .switch_o     (unused_switch),
    .fill_bank_o  (unused_fill_bank),
    .bank_o       (unused_bank),
    .bank_len_o   (bank_len),
    .available_o,
    .fault_o      (unused_fault)
  );

  assign num_rounds_now = num_rounds(bank_len[0]);

  ///////////////////////////////////////////////////////////////////////////
  // Reading
  ///////////////////////////////////////////////////////////////////////////

  logic [3:0] round_d, round_q;  // that is read
  logic half_q;                  // while a key is expanded: which half of it
  logic decrypt_q;               // direction of the block under way
  logic [4:0] recall;            // the pair of words that the step after the next one goes back to

  assign recall = 5'(index) + 5'd2 - 5'(recall_pairs);

  always_comb begin
    if (write) round_d = recall[4:1];
    else if (enter_i) round_d = decrypt_i ? num_rounds_now - 4'd1 : 4'd1;
    else round_d = decrypt_q ? round_q - 4'd1 : round_q + 4'd1;
  end

  always_ff @(posedge clk_i) begin
    round_q <= round_d;
    half_q  <= recall[0];
    upper_q <= ~half_q;
    last_q  <= ~enter_i & (decrypt_q ? round_q == 4'd1 : round_q == num_rounds_now - 4'd1);
    if (enter_i) decrypt_q <= decrypt_i;
  end

  assign last_next_o = last_q;

  aes_key_memory #(
    .Style   (Memory),
    .Gated   (1'b1),
    .NumBanks(1),
    .Width   (128)
  ) u_memory (
    .clk_i,
    .rst_ni,
    .write_i      (write),
    .write_bank_i (1'b0),
    .write_index_i(index),
    .words_i      (words),
    .read_bank_i  (1'b0),
    .read_index_i (6'(round_q)),
    .before_i     (decrypt_q | last_q | ~going_i),
    .key_o        (unused_key),
    .key_before_o,
    .key_after_o,
    .fault_o      (unused_memory_fault)
  );

  ///////////////////////////////////////////////////////////////////////////
  // First round keys: of encryption, of decryption. Nothing uses them while the bank is filled.
  ///////////////////////////////////////////////////////////////////////////

  block_t cipher_key_q, last_key_q;

  always_ff @(posedge clk_i) begin
    if (write && index == 6'd0) cipher_key_q[127:64] <= 64'(words);
    if (write && index == 6'd1) cipher_key_q[63:0] <= 64'(words);
    if (write && !index[0]) last_key_q[127:64] <= 64'(words);
    if (write && index[0]) last_key_q[63:0] <= 64'(words);
  end

  assign first_key_o = decrypt_i ? last_key_q : cipher_key_q;

endmodule
