// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Takes keys and fills the banks of whoever stores round keys: the handshake, the expander, and
// which bank is the current one.
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
  parameter int unsigned NumWords = 2           // words a clock, 1 or 2; 2 for Recall
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,         // first byte at the top
  input  logic [1:0]   key_len_i,     // key_len_e; read only when KeySize is KeySizeAny

  input  logic         blocked_i,     // a block under way still needs the bank to be filled
  output logic         start_o,       // nothing needs it from the next clock on
  output logic         write_o,
  output logic [5:0]   index_o,       // 4 / NumWords x round + number in it
  output word_t [NumWords-1:0] words_o,
  input  word_t [1:0]          old_i,           // Recall: the words recall_o pairs back
  output logic  [2:0]          recall_o,
  output word_t [NumWords-1:0] mixed_words_o,
  output logic         switch_o,      // the new key is the current one from the next clock on

  output logic         fill_bank_o,
  output logic         bank_o,        // of the current key, in clock switch_o already the new one
  output logic [NumBanks-1:0][1:0] bank_len_o,   // key_len_e of the key in each bank
  output logic                     available_o   // a key is current: blocks can be accepted
);

  typedef enum logic [1:0] {
    StReady,   // takes a key
    StWait,    // first SubWord under way; waits for the bank
    StExpand,  // a step a clock
    StSwitch   // first key of the new bank is being read
  } state_e;

  localparam int unsigned StepBits = (NumWords == 1) ? 2 : 1;  // steps in a round key: 2^StepBits

  state_e state_q, state_d;
  logic load, last_step, any_key_q;
  logic bank_q;
  logic [1:0] len, fill_len_q;
  logic [5:0] index_q;

  assign len       = (KeySize == KeySizeAny) ? key_len_i : max_key_len(KeySize);
  assign load      = key_valid_i & key_ready_o;
  assign last_step = index_q == 6'({num_rounds(fill_len_q), {StepBits{1'b1}}});

  always_comb begin
    case (state_q)
      StReady:  state_d = load ? StWait : StReady;
      StWait:   state_d = blocked_i ? StWait : StExpand;
      StExpand: state_d = last_step ? StSwitch : StExpand;
      StSwitch: state_d = StReady;
      default:  state_d = StReady;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StReady;
      bank_q    <= 1'b0;
      any_key_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (write_o && last_step) bank_q <= fill_bank_o;
      if (switch_o) any_key_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) fill_len_q <= len;
    index_q <= write_o ? index_q + 6'd1 : '0;
    for (int unsigned b = 0; b < NumBanks; b++) begin
      if (write_o && fill_bank_o == (b == 1)) bank_len_o[b] <= fill_len_q;
    end
  end

  assign key_ready_o  = state_q == StReady;
  assign start_o      = state_q == StWait & ~blocked_i;
  assign write_o      = state_q == StExpand;
  assign switch_o     = state_q == StSwitch;
  assign index_o      = index_q;
  assign fill_bank_o  = (NumBanks == 2) ? ~bank_q : 1'b0;
  assign bank_o       = bank_q;
  assign available_o  = any_key_q & ((NumBanks == 2) | key_ready_o);

  if (Recall) begin : gen_recall
    aes_key_expander_recall #(
      .Sbox   (Sbox),
      .KeySize(KeySize),
      .Held   (Held)
    ) u_expander (
      .clk_i,
      .load_i (load),
      .key_i,
      .len_i  (fill_len_q),
      .step_i (write_o),
      .old_i,
      .pairs_o(recall_o),
      .words_o(words_o)
    );
  end else begin : gen_window
    // The last step is left out: the window then still ends with the last round key.
    aes_key_expander #(
      .Sbox    (Sbox),
      .KeySize (KeySize),
      .NumWords(NumWords)
    ) u_expander (
      .clk_i,
      .load_i (load),
      .key_i,
      .len_i  (fill_len_q),
      .step_i (write_o & ~last_step),
      .words_o(words_o)
    );
    assign recall_o = '0;

    logic unused_old;
    assign unused_old = ^{old_i, Held};
  end

  word_t [NumWords-1:0] mixed;
  logic  [         3:0] round;

  assign round         = 4'(index_q >> StepBits);
  assign mixed_words_o = (round != '0 && round != num_rounds(fill_len_q)) ? mixed : words_o;

  aes_mix_columns #(
    .Dir       (DirDecrypt),
    .NumColumns(NumWords)
  ) u_mix_columns (
    .decrypt_i(1'b1),
    .state_i  (words_o),
    .state_o  (mixed)
  );

  if (KeySize != KeySizeAny) begin : gen_unused
    logic unused_len;
    assign unused_len = ^key_len_i;
  end

endmodule
