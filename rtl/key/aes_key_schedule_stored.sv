// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys expanded once and kept: the expander, the key memory, and the order in which they are
// read.
//
//   key_i --[ expander ]--64--[ key memory, 1 or 2 banks ]--128-- round_key_o
//                        |                                 |
//                        +--[ last round key ]--[ mux ]----+----- first_key_o
//                             (DirBoth only)
//
// A key taken at clock t is expanded into the bank that is not in use and becomes the current one
// at clock t + key_setup (aes_pkg), in which key_ready_o rises again: blocks accepted before that
// clock are processed under the last key, blocks accepted from it on under the new one. The
// expansion waits while a block under way still reads the bank to be filled. With one bank no
// block is accepted between the taking of a key and the rise of key_ready_o.
//
// The two directions start at opposite ends of the memory, and which one comes next is not known
// before the block is there; so with DirBoth the last round key is kept in a register as well.
//
// After reset no key is current. Old round keys stay in the memory, out of reach.

module aes_key_schedule_stored
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox     = SboxTable,
  parameter dir_e        Dir      = DirEncrypt,
  parameter key_size_e   KeySize  = KeySize128,
  parameter key_mem_e    Memory   = KeyMemAuto,
  parameter int unsigned NumBanks = 2           // 1 or 2
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,         // first byte at the top
  input  logic [1:0]   key_len_i,     // key_len_e; read only when KeySize is KeySizeAny

  input  logic         decrypt_i,     // direction of the block that is offered
  input  logic         accept_i,      // that block is accepted in this clock
  input  logic         busy_i,        // a block is under way
  output logic         available_o,   // a key is current: blocks can be accepted
  output block_t       first_key_o,   // for the block that is offered
  output block_t       round_key_o,   // for the block under way
  output logic         last_round_o   // round_key_o is the last one of its block
);

  ///////////////////////////////////////////////////////////////////////////
  // Filling a bank
  ///////////////////////////////////////////////////////////////////////////

  typedef enum logic [1:0] {
    StReady,   // takes a key
    StWait,    // first SubWord under way; waits for the bank
    StExpand,  // two words a clock into the memory
    StSwitch   // first key of the new bank is being read
  } state_e;

  state_e state_q, state_d;
  logic load, step, last_pair, bank_blocked;
  logic       bank_q;              // the current bank: blocks accepted from the next clock on
  logic       block_bank_q;        // the bank that round_key_o comes from
  logic       fill_bank;
  logic [1:0] len, fill_len_q;
  logic [1:0] bank_len_q[NumBanks];
  logic [4:0] pair_index_q;
  word_t [1:0] pair;

  assign len          = (KeySize == KeySizeAny) ? key_len_i : max_key_len(KeySize);
  assign fill_bank    = (NumBanks == 2) ? ~bank_q : 1'b0;
  assign bank_blocked = busy_i & (block_bank_q == fill_bank);
  assign load         = key_valid_i & key_ready_o;
  assign step         = state_q == StExpand;
  assign last_pair    = pair_index_q == {num_rounds(fill_len_q), 1'b1};

  always_comb begin
    case (state_q)
      StReady:  state_d = load ? StWait : StReady;
      StWait:   state_d = bank_blocked ? StWait : StExpand;
      StExpand: state_d = last_pair ? StSwitch : StExpand;
      StSwitch: state_d = StReady;
      default:  state_d = StReady;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StReady;
      bank_q  <= 1'b0;
    end else begin
      state_q <= state_d;
      if (step && last_pair) bank_q <= fill_bank;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) fill_len_q <= len;
    pair_index_q <= step ? pair_index_q + 5'd1 : '0;
    for (int unsigned b = 0; b < NumBanks; b++) begin
      if (step && fill_bank == (b == 1)) bank_len_q[b] <= fill_len_q;
    end
  end

  assign key_ready_o = state_q == StReady;

  // The last step is left out: the window then still ends with the last round key.
  aes_key_expander #(
    .Sbox   (Sbox),
    .KeySize(KeySize)
  ) u_expander (
    .clk_i,
    .load_i(load),
    .key_i,
    .len_i (fill_len_q),
    .step_i(step & ~last_pair),
    .pair_o(pair)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Reading
  ///////////////////////////////////////////////////////////////////////////

  logic read_bank;
  logic [3:0] read_round, round_q, block_rounds, first_rounds;
  logic block_decrypt_q, next_decrypt;
  logic last_round_d, last_round_q;
  logic any_key_q;

  // Nr of the block under way or about to be accepted, and of the next one to come.
  assign block_rounds = num_rounds(bank_len_q[(NumBanks == 2) ? block_bank_q : 1'b0]);
  assign first_rounds = num_rounds(bank_len_q[(NumBanks == 2) ? bank_q : 1'b0]);

  always_comb begin
    case (Dir)
      DirEncrypt: next_decrypt = 1'b0;
      DirDecrypt: next_decrypt = 1'b1;
      default:    next_decrypt = busy_i ? block_decrypt_q : decrypt_i;
    endcase
  end

  always_comb begin
    if (accept_i) begin
      read_bank  = block_bank_q;
      read_round = next_decrypt ? block_rounds - 4'd1 : 4'd1;
    end else if (busy_i && !last_round_q) begin
      read_bank  = block_bank_q;
      read_round = next_decrypt ? round_q - 4'd1 : round_q + 4'd1;
    end else begin
      read_bank  = bank_q;
      read_round = (Dir == DirDecrypt) ? first_rounds : 4'd0;
    end
  end

  assign last_round_d = read_round == (next_decrypt ? 4'd0 : block_rounds);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      any_key_q <= 1'b0;
    end else if (state_q == StSwitch) begin
      any_key_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    block_bank_q <= read_bank;
    round_q      <= read_round;
    last_round_q <= last_round_d;
    if (accept_i) block_decrypt_q <= decrypt_i;
  end

  aes_key_memory #(
    .Style   (Memory),
    .NumBanks(NumBanks)
  ) u_memory (
    .clk_i,
    .write_i           (step),
    .write_bank_i      (fill_bank),
    .write_half_index_i(pair_index_q),
    .half_i            (pair),
    .read_bank_i       (read_bank),
    .read_round_i      (read_round),
    .key_o             (round_key_o)
  );

  assign available_o  = any_key_q & ((NumBanks == 2) | key_ready_o);
  assign last_round_o = last_round_q;

  if (Dir == DirBoth) begin : gen_last_key
    word_t [1:0] previous_pair_q;
    block_t      last_key_q;
    always_ff @(posedge clk_i) begin
      if (step && !last_pair) previous_pair_q <= pair;
      if (state_q == StSwitch) last_key_q <= {previous_pair_q, pair};
    end
    assign first_key_o = decrypt_i ? last_key_q : round_key_o;
  end else begin : gen_no_last_key
    logic unused_decrypt;
    assign unused_decrypt = ^{decrypt_i, block_decrypt_q};
    assign first_key_o    = round_key_o;
  end

  if (KeySize != KeySizeAny) begin : gen_unused
    logic unused_len;
    assign unused_len = ^key_len_i;
  end

endmodule
