// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Iterative architecture with T-boxes in block RAM and one key addition for all: one block at a time,
// L clocks a round, where L is sbox_levels: 1, or 2 with a register behind the RAMs.
//
//   in_key --[ mux ]--|R|-- round key --------------+--[ key round ]-- back to the mux
//                |                                  |        |
//                +--------[ SubWord(RotWord), L ]---|--------+
//                                                   v
//   in_block --|R, else zero|----------------------(+)--[ ShiftRows ]--[ T-boxes, L ]--+
//                                                 ^  |                                 |
//                                                 |  +--|R|-- out_block                |
//                                                 +--------------[ sum ]---------------+
//
//   clock 0 (the block is accepted)    registers of key and block
//   clock 1                            block + K0; ShiftRows, T-boxes
//   clock 1 + L r, r = 1 to Nr - 1     MixColumns as a sum + Kr; ShiftRows, T-boxes
//   clock 1 + L Nr                     S + key Nr, output register
//
// What is added is always the register of the key: the first one because a block waits a clock beside
// it, the last one because the way of the rounds lets S through. So there are no multiplexer of block
// and state and no second register of keys, and of a bit of the key there are two LUT4. It costs a
// clock a block, for the key register holds one key more than there are rounds: the next block may be
// accepted in clock 1 + L Nr.
//
//   tbox     of a bit of the state                                                 of block RAM
//   pair     three LUT4, two deep: the sum of five bytes with gates (aes_tbox_entry)     16 bit
//   packed   three LUT4, for three bits of eight four: block + key in a register of      18 bit
//            its own (zero where no block is), by which the state is a clock later, and a LUT5 for the
//            sum of four bytes and that; the gates are tables for the last round and of
//            zeros (aes_tbox_packed_entry)
//
// With L = 2 a clock is the way from the output registers of the RAMs: on ECP5 1.0 ns of it is the
// RAM's and not 5.8. A round then has a clock for another block, of which Overlap makes use where a
// block follows the one before it: it is accepted in clock L Nr - 1, so that its first addition is
// between the last two of that one.

module aes_core_iterative_shared
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  // Printed from one table for all cores
  input  logic         clk_i,
  input  logic         rst_ni,

  // Block
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic [255:0] in_key_i,  // on-the-fly keys: its key, first byte at the top

  // Result, which cannot be held back
  output logic         out_valid_o,
  output block_t       out_block_o
);

  localparam int unsigned Levels = 32'(Cfg.sbox_levels);
  localparam int unsigned NumRounds = 32'(num_rounds(max_key_len(Cfg.key_size)));
  localparam int unsigned Latency = latency(Cfg, max_key_len(Cfg.key_size));

  // Clocks from acceptance to round key r in the register of the key, and to the state to which it is
  // added.
  function automatic int unsigned key_clock(int unsigned r);
    return 1 + Levels * r;
  endfunction

  function automatic int unsigned state_clock(int unsigned r);
    return key_clock(r) + 32'(Cfg.tbox == TboxPacked);
  endfunction

  ///////////////////////////////////////////////////////////////////////////
  // Control: where each block is
  ///////////////////////////////////////////////////////////////////////////

  // A block may be accepted: registers of block and key take what is offered.
  logic enter_d, enter_q, busy_d, busy_q;
  logic [Latency:0] token;  // [n]: a block was accepted n clocks ago

  logic [Latency:1] token_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      token_q <= '0;
      enter_q <= 1'b1;
      busy_q  <= 1'b0;
    end else begin
      token_q <= token[Latency-1:0];
      enter_q <= enter_d;
      busy_q  <= busy_d;
    end
  end

  assign in_ready_o  = enter_q;
  assign token       = {token_q, in_valid_i & enter_q};
  assign out_valid_o = token[Latency];

  // A block may enter where none is on its way, whichever state that came from. busy_d looks a clock
  // ahead, so that the tokens are in one bit when the block enters or not.
  localparam int unsigned Last = key_clock(NumRounds);
  assign enter_d = ~(token[0] | busy_q);

  if (Cfg.overlap) begin : gen_overlap
    // A clock before the last key is in the register it may be taken from it for another block, but
    // not in the clock in which that is under way to it.
    assign busy_d = (|token[Last-5:0]) | token[Last-3];
  end else begin : gen_no_overlap
    assign busy_d = |token[Last-3:0];
  end

  block_t round_key;
  logic [NumRounds-1:0] steps;
  for (genvar r = 0; r < NumRounds; r++) begin : gen_step
    assign steps[r] = token[key_clock(r)];
  end

  aes_key_schedule_held #(
    .Sbox   (Cfg.key_sbox),
    .KeySize(Cfg.key_size),
    .Levels (Levels)
  ) u_key_schedule (
    .clk_i,
    .in_key_i,
    .enter_i    (enter_q),
    .steps_i    (steps),
    .round_key_o(round_key)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  block_t in_block_q, state, last, shifted, out_block_q;
  logic  [ 1:0] table_select;
  word_t [15:0] words;

  // What enters without an offer is never used.
  always_ff @(posedge clk_i) begin
    if (!enter_q) in_block_q <= '0;
    else in_block_q <= in_block_i;
  end

  if (Cfg.tbox == TboxPacked) begin : gen_packed
    logic look_up, adds, zeros_q, last_table_q, adds_q;
    block_t added_q;

    // Whether a round begins in the next clock, and whether a key or a block is added in the one
    // after that.
    always_comb begin
      look_up = 1'b0;
      adds    = token[state_clock(NumRounds)-2];
      for (int unsigned r = 0; r < NumRounds; r++) begin
        look_up |= token[state_clock(r)-1];
        adds |= token[state_clock(r)-2];
      end
    end

    // Nothing is added where no block is: what stands on idle inputs does not come into the loop.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        zeros_q <= 1'b1;
        adds_q  <= 1'b0;
        added_q <= '0;
      end else begin
        zeros_q <= ~look_up;
        adds_q  <= adds;
        added_q <= adds_q ? round_key ^ in_block_q : '0;
      end
    end

    always_ff @(posedge clk_i) last_table_q <= token[state_clock(NumRounds-1)-1];

    assign table_select = {zeros_q, last_table_q};

    for (genvar c = 0; c < 4; c++) begin : gen_column
      aes_tbox_packed_entry u_entry (
        .added_i (added_q[32*c+:32]),
        .words_i (words[4*c+:4]),
        .column_o(state[32*c+:32]),
        .last_o  (last[32*c+:32])
      );
    end
  end else begin : gen_pair
    // Each column follows registers of its own, so that none has to reach all of the core. An
    // attribute of the process keeps Yosys from making one of several.
    for (genvar c = 0; c < 4; c++) begin : gen_column
      (* keep *) logic round_q, keep_q;
      (* keep *) always_ff @(posedge clk_i) begin
        round_q <= ~enter_q & ~token[state_clock(NumRounds)-1];
        keep_q  <= ~enter_q;
      end

      aes_tbox_entry u_entry (
        .round_i    (round_q),
        .keep_i     (keep_q),
        .in_column_i(in_block_q[32*c+:32]),
        .round_key_i(round_key[32*c+:32]),
        .words_i    (words[4*c+:4]),
        .column_o   (state[32*c+:32])
      );
    end
    assign last         = state;
    assign table_select = '0;
  end

  aes_shift_rows #(
    .Dir(Cfg.dir)
  ) u_shift_rows (
    .decrypt_i(1'b0),
    .state_i  (state),
    .state_o  (shifted)
  );

  aes_tboxes #(
    .Sbox    (Cfg.sbox),
    .Tbox    (Cfg.tbox),
    .Dir     (Cfg.dir),
    .Levels  (Levels),
    .Tripled (Cfg.tbox == TboxPair),
    .Selected(Cfg.tbox == TboxPacked)
  ) u_tboxes (
    .clk_i,
    .rst_ni,
    .decrypt_i   (1'b0),
    .write_i     (1'b0),
    .write_word_i('0),
    .table_i     (table_select),
    .bytes_i     (shifted),
    .words_o     (words)
  );

  always_ff @(posedge clk_i) begin
    if (token[state_clock(NumRounds)]) out_block_q <= last;
  end

  assign out_block_o = out_block_q;

  logic unused_token;
  assign unused_token = ^token;

endmodule
