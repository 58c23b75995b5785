// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys expanded once and kept: the expander, the key memory, and the order in which they are
// read: whole, or in parts of the width of a narrow data path, the first columns first.
//
//   key_i --[ expander ]--64--[ key memory, 1 or 2 banks ]--Width-- round_key_o
//                        |                                 |
//                        +--[ last round key ]--[ mux ]----+------- first_key_o
//                             (DirBoth only)
//
// A key taken at clock t is expanded into the bank that is not in use. It becomes the current one
// at clock t + key_setup (aes_pkg), in which key_ready_o rises again. Blocks accepted before that
// clock are processed under the last key, blocks accepted from it on under the new one. The
// expansion waits while a block under way still reads the bank to be filled. With one bank no block
// is accepted between the taking of a key and the rise of key_ready_o.
//
// The two directions start at opposite ends of the memory. Which one comes next is not known before
// the block is there. So with DirBoth the last round key, or its first part, is kept in a register
// as well. Words enter the memory two a clock, or one where the parts are words.
//
// With Overlap a block enters while the memory gives the last round key of the one before it.
// Then the first round key of each direction is kept in a register (Width = 128 only).
//
// With SboxNone there is no expander: words of round keys come from outside, in the same order.
//
// With Mixed (SboxNone, DirBoth, Width = 128, no Overlap) the round keys of decryption come too, those
// of the equivalent inverse cipher, and have a memory of their own, which is read from its end:
//
//   words --+--[ key memory, from K0 on ]---------------+
//           |                                           +--[ mux ]-- first_key_o, round_key_o
//           +--[ key memory, from the last one down ]---+
//
// Then both first round keys are at hand where no block is under way, and need no register.
//
// After reset no key is current. Old round keys stay in the memory, out of reach.

module aes_key_schedule_stored
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox     = SboxTable,
  parameter dir_e        Dir      = DirEncrypt,
  parameter key_size_e   KeySize  = KeySize128,
  parameter key_mem_e    Memory   = KeyMemAuto,
  parameter bit          Overlap  = 1'b0,       // blocks enter in the last round of others
  parameter bit          Mixed    = 1'b0,       // keys of both ciphers from outside
  parameter int unsigned NumBanks = 2,          // 1 or 2
  parameter int unsigned Width    = 128,        // of a part of a round key: 128, 64 or 32
  parameter bit          Hardened = 1'b0        // registers of control in three copies
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             key_valid_i,
  output logic             key_ready_o,
  input  logic [255:0]     key_i,         // first byte at the top
  input  logic [1:0]       key_len_i,     // key_len_e; read only when KeySize is KeySizeAny
  input  logic             round_key_valid_i,  // SboxNone: words of round keys, see aes_key_filler
  output logic             round_key_ready_o,

  input  logic             decrypt_i,     // direction of the block that is offered
  input  logic             enter_i,       // a block may enter in this clock
  input  logic             accept_i,      // the block that is offered does
  input  logic             busy_i,        // a block is under way
  output logic             available_o,   // a key is current: blocks can be accepted
  output logic [Width-1:0] first_key_o,   // for the block that is offered: its first part
  output logic [Width-1:0] round_key_o,   // for the block under way
  output logic [Width-1:0] key_before_o,  // the same for the adders of aes_round
  output logic [Width-1:0] key_after_o,
  output logic             last_round_o,  // round_key_o is of the last one of its block
  output logic             last_round_next_o,  // that of the next clock
  output logic [1:0]       part_o,        // which part round_key_o is
  output logic             fault_o        // copies of a register differ
);

  localparam int unsigned NumParts = 128 / Width;
  localparam int unsigned StepWords = (Width == 32) ? 1 : 2;
  localparam int unsigned UnitBits = (Width == 32) ? 2 : 1;  // steps in a round key: 2^UnitBits

  logic write, switching, bank, fill_bank, bank_blocked, unused_start, unused_switch_next;
  logic       block_bank_q;                   // the bank that round_key_o comes from
  logic [5:0] index;                          // of the words that the expander gives, in steps
  word_t [StepWords-1:0] words, mixed_words;
  logic [NumBanks-1:0][1:0] bank_len;

  // Where no block reads the memory while it is filled, it is the window of the expansion as well.
  localparam bit Recall = NumBanks == 1 && Width == 128 && Sbox != SboxNone;

  logic [8:0] fault;

  logic recall_upper_q;
  logic [2:0] recall_pairs;
  word_t [1:0] old_upper, old_lower;

  if (Width == 128) begin : gen_old
    assign old_upper = round_key_o[Width-1-:64];
    assign old_lower = round_key_o[63:0];
  end else begin : gen_no_old
    assign old_upper = '0;
    assign old_lower = '0;
  end

  assign bank_blocked = busy_i & (block_bank_q == fill_bank);

  aes_key_filler #(
    .Sbox    (Sbox),
    .KeySize (KeySize),
    .NumBanks(NumBanks),
    .Recall  (Recall),
    .NumWords(StepWords),
    .Hardened(Hardened)
  ) u_filler (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .key_len_i,
    .round_key_valid_i,
    .round_key_ready_o,
    .blocked_i    (bank_blocked),
    .start_o      (unused_start),
    .write_o      (write),
    .index_o      (index),
    .words_o      (words),
    .old_i        (recall_upper_q ? old_upper : old_lower),
    .recall_o     (recall_pairs),
    .mixed_words_o(mixed_words),
    .switch_next_o(unused_switch_next),
    .switch_o     (switching),
    .fill_bank_o  (fill_bank),
    .bank_o       (bank),
    .bank_len_o   (bank_len),
    .available_o,
    .fault_o      (fault[0])
  );

  ///////////////////////////////////////////////////////////////////////////
  // Reading
  ///////////////////////////////////////////////////////////////////////////

  logic read_bank, enter_bank;
  logic [3:0] read_round, round_q, block_rounds, enter_rounds, first_rounds;
  logic [1:0] read_part, part_q;
  logic last_part, goes_on;
  logic block_decrypt_q, next_decrypt;  // next_decrypt: keys are read from the last one on
  logic last_round_d, last_round_q;

  // The bank of a block that enters: the one whose first round key is at hand.
  if (Overlap && NumBanks == 2) begin : gen_enter_bank
    logic enter_bank_q;
    aes_control_register #(
      .Hardened(Hardened),
      .HasReset(1'b0)
    ) u_enter_bank (
      .clk_i,
      .rst_ni,
      .d_i    (bank),
      .q_o    (enter_bank_q),
      .fault_o(fault[1])
    );
    assign enter_bank = enter_bank_q;
  end else begin : gen_no_enter_bank
    assign enter_bank = block_bank_q;
    assign fault[1]   = 1'b0;
  end

  // Nr of the block under way, of one that enters, and of the next one to come.
  if (NumBanks == 2) begin : gen_rounds_of_banks
    assign block_rounds = num_rounds(bank_len[block_bank_q]);
    assign enter_rounds = num_rounds(bank_len[enter_bank]);
    assign first_rounds = num_rounds(bank_len[bank]);
  end else begin : gen_rounds
    assign block_rounds = num_rounds(bank_len[0]);
    assign enter_rounds = num_rounds(bank_len[0]);
    assign first_rounds = num_rounds(bank_len[0]);
  end

  always_comb begin
    case (Dir)
      DirEncrypt: next_decrypt = 1'b0;
      DirDecrypt: next_decrypt = 1'b1;
      default:    next_decrypt = ~Mixed & (enter_i ? decrypt_i : block_decrypt_q);
    endcase
  end

  // While no block is under way the first part of the first round key is read: with one direction
  // round_q and part_q are its place, with DirBoth those of the first key of encryption.
  assign last_part = part_q == 2'(NumParts - 1);
  assign goes_on   = accept_i | (busy_i & ~(last_round_q & last_part));

  // The pair of words that the next step of the expansion goes back to.
  logic [4:0] recall_index;
  assign recall_index = 5'(index) + 5'd1 - 5'(recall_pairs);

  always_comb begin
    if (Recall && write) begin
      read_bank  = bank;
      read_part  = 2'd0;
      read_round = recall_index[4:1];
    end else if (Overlap && accept_i) begin
      read_bank  = enter_bank;
      read_part  = 2'd0;
      read_round = next_decrypt ? enter_rounds - 4'd1 : 4'd1;
    end else if (goes_on) begin
      read_bank  = block_bank_q;
      read_part  = last_part ? 2'd0 : part_q + 2'd1;
      read_round = (Dir == DirBoth && accept_i && next_decrypt) ? block_rounds : round_q;
      if (last_part) read_round = next_decrypt ? read_round - 4'd1 : read_round + 4'd1;
    end else begin
      read_bank  = bank;
      read_part  = 2'd0;
      read_round = (Dir == DirDecrypt) ? first_rounds : 4'd0;
    end
  end

  assign last_round_d = read_round == (next_decrypt ? 4'd0 : block_rounds);

  aes_control_register #(
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_block_bank (
    .clk_i,
    .rst_ni,
    .d_i    (read_bank),
    .q_o    (block_bank_q),
    .fault_o(fault[2])
  );

  aes_control_register #(
    .Width   (4),
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_round (
    .clk_i,
    .rst_ni,
    .d_i    (read_round),
    .q_o    (round_q),
    .fault_o(fault[3])
  );

  aes_control_register #(
    .Width   (2),
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_part (
    .clk_i,
    .rst_ni,
    .d_i    (read_part),
    .q_o    (part_q),
    .fault_o(fault[4])
  );

  aes_control_register #(
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_recall_upper (
    .clk_i,
    .rst_ni,
    .d_i    (~recall_index[0]),
    .q_o    (recall_upper_q),
    .fault_o(fault[5])
  );

  aes_control_register #(
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_last_round (
    .clk_i,
    .rst_ni,
    .d_i    (last_round_d),
    .q_o    (last_round_q),
    .fault_o(fault[6])
  );

  aes_control_register #(
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_block_decrypt (
    .clk_i,
    .rst_ni,
    .d_i    (accept_i ? decrypt_i : block_decrypt_q),
    .q_o    (block_decrypt_q),
    .fault_o(fault[7])
  );

  assign fault_o = |fault;

  logic [Width-1:0] stored_key;

  aes_key_memory #(
    .Style   (Memory),
    .Gated   (Dir == DirBoth && !Mixed),
    .NumBanks(NumBanks),
    .Width   (Width),
    .Hardened(Hardened)
  ) u_memory (
    .clk_i,
    .rst_ni,
    .write_i      (write),
    .write_bank_i (fill_bank),
    .write_index_i(index),
    .words_i      (words),
    .read_bank_i  (read_bank),
    .read_index_i (6'(32'(read_round) * NumParts + 32'(read_part))),
    .before_i     (next_decrypt | last_round_d),
    .key_o        (stored_key),
    .key_before_o,
    .key_after_o,
    .fault_o      (fault[8])
  );

  if (Mixed) begin : gen_mixed
    logic unused_mixed_fault;
    logic [3:0] from_end;
    logic [Width-1:0] mixed_key, unused_before, unused_after;

    assign from_end = (goes_on ? block_rounds : first_rounds) - read_round;

    aes_key_memory #(
      .Style   (Memory),
      .Gated   (1'b0),
      .NumBanks(NumBanks),
      .Width   (Width)
    ) u_mixed_memory (
      .clk_i,
      .rst_ni,
      .write_i      (write),
      .write_bank_i (fill_bank),
      .write_index_i(index),
      .words_i      (mixed_words),
      .read_bank_i  (read_bank),
      .read_index_i (6'(from_end)),
      .before_i     (next_decrypt | last_round_d),
      .key_o        (mixed_key),
      .key_before_o (unused_before),
      .key_after_o  (unused_after),
      .fault_o      (unused_mixed_fault)
    );

    assign round_key_o = (enter_i ? decrypt_i : block_decrypt_q) ? mixed_key : stored_key;
  end else begin : gen_plain
    logic unused_mixed_words;
    assign unused_mixed_words = ^mixed_words;
    assign round_key_o        = stored_key;
  end

  assign last_round_o = last_round_q;
  assign last_round_next_o = last_round_d;
  assign part_o       = part_q;

  // First round keys: of encryption, of decryption.
  logic [Width-1:0] encrypt_key, decrypt_key;

  if (Overlap && Dir != DirDecrypt) begin : gen_cipher_key
    block_t cipher_key_q, new_key_q;
    always_ff @(posedge clk_i) begin
      if (write && index == 6'd0) new_key_q[127:64] <= 64'(words);
      if (write && index == 6'd1) new_key_q[63:0] <= 64'(words);
      if (switching) cipher_key_q <= new_key_q;
    end
    assign encrypt_key = cipher_key_q[127-:Width];
  end else begin : gen_no_cipher_key
    assign encrypt_key = round_key_o;
  end

  if (!Mixed && (Dir == DirBoth || (Overlap && Dir == DirDecrypt))) begin : gen_last_key
    // The last words that began a round key, which becomes the last one with the bank.
    word_t [StepWords-1:0] start_q, end_words;
    logic [Width-1:0] last_key_d, last_key_q;
    always_ff @(posedge clk_i) begin
      if (write && index[UnitBits-1:0] == '0) start_q <= words;
      if (switching) last_key_q <= last_key_d;
    end
    assign decrypt_key = last_key_q;

    if (NumParts == 1) begin : gen_whole
      assign last_key_d = {start_q, end_words};
    end else begin : gen_part
      logic unused_end_words;
      assign unused_end_words = ^end_words;
      assign last_key_d       = start_q;
    end

    // The words of the last step, a clock later.
    if (Recall || Sbox == SboxNone) begin : gen_recall_end
      word_t [StepWords-1:0] end_q;
      always_ff @(posedge clk_i) end_q <= words;
      assign end_words = end_q;
    end else begin : gen_window_end
      assign end_words = words;
    end
  end else begin : gen_no_last_key
    assign decrypt_key = round_key_o;
  end

  if (Dir == DirBoth && !Mixed) begin : gen_first_key_both
    assign first_key_o = decrypt_i ? decrypt_key : encrypt_key;
  end else begin : gen_first_key
    logic unused_decrypt;
    assign unused_decrypt = ^{
      decrypt_i, enter_i, block_decrypt_q, encrypt_key, decrypt_key, switching
    };
    assign first_key_o    = (Dir == DirDecrypt) ? decrypt_key : encrypt_key;
  end

endmodule
