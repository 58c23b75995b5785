// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Takes keys and fills the banks of whoever stores round keys: the handshake, the expander if there
// is one, and which bank is the current one.
//
//   key_i --valid/ready--[ expander ]--+-- words_o
//                                      +--[ InvMixColumns, rounds 1 to Nr-1 ]-- mixed_words_o
//
//   clock t          the key is taken                                   key_ready_o falls
//   clock t+1        waits while blocked_i; start_o in the last such clock
//   clock t+2 ...    write_o: NumWords words a clock, to the last round key
//   one clock later  switch_o: the bank is full, bank_o is the new one
//   t + key_setup    the new key is the current one (aes_pkg)           key_ready_o rises
//
// With Levels > 0 words come every few clocks (aes_key_expander_staged) and no path is long.
// blocked_i may come two clocks late. Words are there in the clock of write_o and in the next one,
// so write_o may be delayed by one. switch_o is three clocks after the last write_o.
//
//   clock t+1, t+2   waits
//   clock t+3        waits while blocked_i was high a clock ago; start_o in the last such clock
//   after each step of the expander    write_o
//   3 clocks after the last write_o    switch_o
//
// With SboxNone there is no expander, and words come from outside, at the top of key_i, with those of
// mixed_words_o, where they are wanted, behind them:
//
//   clock t+2 ...    write_o where round_key_valid_i, and round_key_ready_o in all of these clocks
//
// A block accepted before the last of these clocks is processed under the key before, one accepted
// from it on under the new one. With one bank no block is accepted meanwhile (available_o).
//
// mixed_words_o are the round keys of the equivalent inverse cipher (FIPS 197, section 5.3.5). After
// reset no key is current; what the banks hold is out of reach.

module aes_key_filler
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox     = SboxTable,
  parameter key_size_e   KeySize  = KeySize128,
  parameter int unsigned NumBanks = 2,          // 1 or 2
  parameter bit          Recall   = 1'b0,       // the bank can be read while it is filled
  parameter bit          Held     = 1'b0,       // see aes_key_expander_recall
  parameter int unsigned NumWords = 2,          // words a clock, 1 or 2; 2 for Recall or Levels
  parameter int unsigned Levels   = 0,          // of SubWord in aes_key_expander_staged; 0: others
  parameter bit          Hardened = 1'b0        // registers of control in three copies; no Levels
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,         // first byte at the top
  input  logic [1:0]   key_len_i,     // key_len_e; read only when KeySize is KeySizeAny

  // SboxNone: NumWords words of round keys, the first of them at the top of key_i
  input  logic         round_key_valid_i,
  output logic         round_key_ready_o,

  input  logic         blocked_i,     // a block under way still needs the bank to be filled
  output logic         start_o,       // nothing needs it from the next clock on
  output logic         write_o,
  output logic [5:0]   index_o,       // 4 / NumWords x round + number in it
  output word_t [NumWords-1:0] words_o,
  input  word_t [1:0]          old_i,           // Recall: the words recall_o pairs back
  output logic  [2:0]          recall_o,
  output word_t [NumWords-1:0] mixed_words_o,
  output logic         switch_next_o, // switch_o is high in the next clock
  output logic         switch_o,      // the new key is the current one from the next clock on

  output logic         fill_bank_o,
  output logic         bank_o,        // of the current key, in clock switch_o already the new one
  output logic [NumBanks-1:0][1:0] bank_len_o,   // key_len_e of the key in each bank
  output logic                     available_o,  // a key is current: blocks can be accepted
  output logic                     fault_o       // copies of a register differ
);

  typedef enum logic [1:0] {
    StReady,   // takes a key
    StWait,    // first SubWord under way; waits for the bank
    StExpand,  // a step a clock
    StSwitch   // first key of the new bank is being read
  } state_e;

  localparam int unsigned StepBits = (NumWords == 1) ? 2 : 1;  // steps in a round key: 2^StepBits

  // Expansion by steps of several clocks, and outputs out of registers.
  localparam bit Staged = Levels != 0;

  state_e state_q, state_d;
  word_t [NumWords-1:0] expanded;
  logic load, blocked, last_step, ended, any_key_q;
  logic bank_q;
  logic [1:0] len, fill_len_q;
  logic [5:0] index_q, next_index;
  logic [6:0] fault;
  logic [NumBanks-1:0] bank_fault;
  state_e after_switch;

  assign len       = (KeySize == KeySizeAny) ? key_len_i : max_key_len(KeySize);
  assign load      = key_valid_i & key_ready_o;

  always_comb begin
    case (state_q)
      StReady:  state_d = load ? StWait : StReady;
      StWait:   state_d = blocked ? StWait : StExpand;
      StExpand: state_d = ended ? StSwitch : StExpand;
      StSwitch: state_d = after_switch;
      default:  state_d = StReady;
    endcase
  end

  logic [1:0] state_bits;
  logic [NumBanks-1:0][1:0] bank_len_d;

  always_comb begin
    for (int unsigned b = 0; b < NumBanks; b++) begin
      bank_len_d[b] = (write_o && fill_bank_o == (b == 1)) ? fill_len_q : bank_len_o[b];
    end
  end

  aes_control_register #(
    .Width     (2),
    .Hardened  (Hardened),
    .ResetValue(StReady)
  ) u_state (
    .clk_i,
    .rst_ni,
    .d_i    (state_d),
    .q_o    (state_bits),
    .fault_o(fault[0])
  );

  aes_control_register #(
    .Hardened(Hardened)
  ) u_bank (
    .clk_i,
    .rst_ni,
    .d_i    (switch_next_o ? fill_bank_o : bank_q),
    .q_o    (bank_q),
    .fault_o(fault[1])
  );

  aes_control_register #(
    .Hardened(Hardened)
  ) u_any_key (
    .clk_i,
    .rst_ni,
    .d_i    (switch_o ? 1'b1 : any_key_q),
    .q_o    (any_key_q),
    .fault_o(fault[2])
  );

  aes_control_register #(
    .Width   (2),
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_fill_len (
    .clk_i,
    .rst_ni,
    .d_i    (load ? len : fill_len_q),
    .q_o    (fill_len_q),
    .fault_o(fault[3])
  );

  aes_control_register #(
    .Width   (6),
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_index (
    .clk_i,
    .rst_ni,
    .d_i    (next_index),
    .q_o    (index_q),
    .fault_o(fault[4])
  );

  for (genvar b = 0; b < NumBanks; b++) begin : gen_bank_len
    aes_control_register #(
      .Width   (2),
      .Hardened(Hardened),
      .HasReset(1'b0)
    ) u_bank_len (
      .clk_i,
      .rst_ni,
      .d_i    (bank_len_d[b]),
      .q_o    (bank_len_o[b]),
      .fault_o(bank_fault[b])
    );
  end

  assign state_q = state_e'(state_bits);
  assign fault[5] = |bank_fault;
  assign fault_o  = |fault;

  assign key_ready_o  = state_q == StReady;
  assign start_o      = state_q == StWait & ~blocked;
  assign index_o      = index_q;
  assign fill_bank_o  = (NumBanks == 2) ? ~bank_q : 1'b0;
  assign bank_o       = bank_q;
  assign available_o  = any_key_q & ((NumBanks == 2) | key_ready_o);

  ///////////////////////////////////////////////////////////////////////////
  // Words
  ///////////////////////////////////////////////////////////////////////////

  logic [3:0] round;
  logic       inner;  // round keys of the equivalent inverse cipher differ

  assign round = 4'(index_q >> StepBits);
  assign inner = round != '0 && round != num_rounds(fill_len_q);

  if (Staged) begin : gen_staged
    // What is compared stands still for longer than that takes, and so do the words.
    word_t [1:0] corrected, corrected_q, mixed, words_q, mixed_q;
    logic words_valid, last_step_q, inner_q, waiting_q, blocked_q;
    logic [1:0] flushed_q;

    aes_key_expander_staged #(
      .Sbox   (Sbox),
      .KeySize(KeySize),
      .Levels (Levels)
    ) u_expander (
      .clk_i,
      .load_i (key_ready_o),
      .key_i,
      .len_i  (fill_len_q),
      .start_i(start_o),
      .valid_o(words_valid),
      .words_o(expanded)
    );

    for (genvar w = 0; w < 2; w++) begin : gen_word
      aes_inv_mix_correction #(
        .Dir(DirDecrypt)
      ) u_correction (
        .decrypt_i(1'b1),
        .column_i (expanded[w]),
        .column_o (corrected[w])
      );

      aes_mix_columns_fwd u_mix_columns (
        .column_i(corrected_q[w]),
        .column_o(mixed[w])
      );
    end

    always_ff @(posedge clk_i) begin
      last_step_q <= index_q == 6'({num_rounds(fill_len_q), {StepBits{1'b1}}});
      inner_q     <= inner;
      // A block that came with the key is heard of two clocks later.
      waiting_q   <= state_q == StWait;
      blocked_q   <= blocked_i | ~waiting_q;
      flushed_q   <= {flushed_q[0], 1'b1} & {2{state_q == StSwitch}};
      corrected_q <= corrected;
      words_q     <= expanded;
      mixed_q     <= inner_q ? mixed : words_q;
    end

    assign blocked       = blocked_q;
    assign last_step     = last_step_q;
    assign write_o       = state_q == StExpand && words_valid;
    assign ended         = words_valid && last_step;
    assign next_index    = (state_q == StExpand) ? index_q + 6'(words_valid) : '0;
    assign after_switch  = flushed_q[1] ? StReady : StSwitch;
    assign switch_next_o = state_q == StSwitch && flushed_q == 2'b01;
    assign switch_o      = state_q == StSwitch && flushed_q[1];
    assign words_o       = words_q;
    assign mixed_words_o = mixed_q;
    assign recall_o      = '0;
    assign fault[6]      = 1'b0;

    logic unused_old;
    assign unused_old = ^{old_i, Held};
  end else if (Sbox == SboxNone) begin : gen_outside
    assign expanded      = key_i[255-:32*NumWords];
    assign blocked       = blocked_i;
    assign last_step     = index_q == 6'({num_rounds(fill_len_q), {StepBits{1'b1}}});
    assign write_o       = state_q == StExpand && round_key_valid_i;
    assign ended         = write_o && last_step;
    assign next_index    = (state_q == StExpand) ? index_q + 6'(write_o) : '0;
    assign after_switch  = StReady;
    assign switch_next_o = ended;
    assign switch_o      = state_q == StSwitch;
    assign words_o       = expanded;
    assign mixed_words_o = key_i[255-32*NumWords-:32*NumWords];
    assign recall_o      = '0;
    assign fault[6]      = 1'b0;

    logic unused_others;
    assign unused_others = ^{key_i, old_i, inner, Recall, Held};
  end else begin : gen_straight
    word_t [NumWords-1:0] mixed;

    assign blocked       = blocked_i;
    assign last_step     = index_q == 6'({num_rounds(fill_len_q), {StepBits{1'b1}}});
    assign write_o       = state_q == StExpand;
    assign ended         = last_step;
    assign next_index    = write_o ? index_q + 6'd1 : '0;
    assign after_switch  = StReady;
    assign switch_next_o = write_o && last_step;
    assign switch_o      = state_q == StSwitch;

    if (Recall) begin : gen_recall
      aes_key_expander_recall #(
        .Sbox    (Sbox),
        .KeySize (KeySize),
        .Held    (Held),
        .Hardened(Hardened)
      ) u_expander (
        .clk_i,
        .rst_ni,
        .load_i (load),
        .key_i,
        .len_i  (fill_len_q),
        .step_i (write_o),
        .old_i,
        .pairs_o(recall_o),
        .words_o(expanded),
        .fault_o(fault[6])
      );
    end else begin : gen_window
      // The last step is left out: the window then still ends with the last round key.
      aes_key_expander #(
        .Sbox    (Sbox),
        .KeySize (KeySize),
        .NumWords(NumWords),
        .Hardened(Hardened)
      ) u_expander (
        .clk_i,
        .rst_ni,
        .load_i (load),
        .key_i,
        .len_i  (fill_len_q),
        .step_i (write_o & ~last_step),
        .words_o(expanded),
        .fault_o(fault[6])
      );
      assign recall_o = '0;

      logic unused_old;
      assign unused_old = ^{old_i, Held};
    end

    aes_mix_columns #(
      .Dir       (DirDecrypt),
      .NumColumns(NumWords)
    ) u_mix_columns (
      .decrypt_i(1'b1),
      .state_i  (expanded),
      .state_o  (mixed)
    );

    assign words_o       = expanded;
    assign mixed_words_o = inner ? mixed : expanded;
  end

  if (Sbox == SboxNone) begin : gen_round_keys
    assign round_key_ready_o = state_q == StExpand;
  end else begin : gen_no_round_keys
    logic unused_round_key;
    assign unused_round_key  = round_key_valid_i;
    assign round_key_ready_o = 1'b0;
  end

  if (KeySize != KeySizeAny) begin : gen_unused
    logic unused_len;
    assign unused_len = ^key_len_i;
  end

endmodule
