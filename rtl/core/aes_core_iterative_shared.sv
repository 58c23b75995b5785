// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Iterative architecture with T-boxes in pairs and one key addition for all: one block at a time, L
// clocks a round, where L is sbox_levels: 1, or 2 with a register behind the RAMs.
//
//   in_key --[ mux ]--|R|-- round key --------------+--[ key round ]-- back to the mux
//                |                                  |        |
//                +--------[ SubWord(RotWord), L ]---|--------+
//                                                   v
//   in_block --|R, else zero|----------------------(+)--[ ShiftRows ]--[ T-boxes, L ]--+
//                                                 ^  |                                 |
//                                                 |  +--|R|-- out_block                |
//                                                 +--------[ sum of five bytes ]-------+
//
//   clock 0 (the block is accepted)    registers of key and block
//   clock 1                            block + K0; ShiftRows, T-boxes
//   clock 1 + L r, r = 1 to Nr - 1     sum of five bytes + Kr; ShiftRows, T-boxes
//   clock 1 + L Nr                     S + key Nr, output register; the next block may be accepted
//
// What is added is always the register of the key (aes_tbox_entry): the first round key because a
// block waits a clock beside it, the last one because S is one of the five bytes. So there are no
// multiplexer of block and state, no addition for the result alone, and no second register of keys:
// of each bit of the state three LUT4, of the key two. It costs a clock a block, for the key register
// holds one key more than there are rounds.
//
// With L = 2 every other clock does nothing of use: a clock is what one block RAM takes from its
// output register, which where RAMs are slow (5.8 ns on ECP5, else) is less than half as long.

module aes_core_iterative_shared
  import aes_pkg::*;
  import aes_key_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,
  input  logic [1:0]   key_len_i,

  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,
  input  logic [255:0] in_key_i,

  output logic         out_valid_o,
  output block_t       out_block_o
);

  localparam int unsigned Levels = 32'(Cfg.sbox_levels);

  logic enter_q;       // a block may be accepted: registers of block and key take what is offered
  logic last_next;     // the next clock is the last one of a block
  logic last_q, out_valid_q;
  block_t round_key;

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  logic enter_d;

  assign in_ready_o = enter_q;
  assign enter_d    = last_next | (enter_q & ~in_valid_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enter_q     <= 1'b1;
      last_q      <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      enter_q     <= enter_d;
      last_q      <= last_next;
      out_valid_q <= last_q;
    end
  end

  // Each column follows registers of its own, so that none has to reach all of the core. An
  // attribute of the process keeps Yosys from making one of several.
  logic [3:0] round;  // the columns are those of a round but the last one
  logic [3:0] keep;   // or of the last one
  for (genvar c = 0; c < 4; c++) begin : gen_control
    (* keep *) logic round_q, keep_q;
    (* keep *) always_ff @(posedge clk_i) begin
      round_q <= ~enter_q & ~enter_d;
      keep_q  <= ~enter_q;
    end
    assign round[c] = round_q;
    assign keep[c]  = keep_q;
  end

  aes_key_schedule_held #(
    .Sbox   (Cfg.key_sbox),
    .KeySize(Cfg.key_size),
    .Levels (Levels)
  ) u_key_schedule (
    .clk_i,
    .in_key_i,
    .enter_i    (enter_q),
    .round_key_o(round_key),
    .last_next_o(last_next)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  block_t in_block_q, state, shifted, out_block_q;
  word_t [15:0] words;

  // What enters without an offer is never used.
  always_ff @(posedge clk_i) begin
    if (!enter_q) in_block_q <= '0;
    else in_block_q <= in_block_i;
  end

  for (genvar c = 0; c < 4; c++) begin : gen_column
    aes_tbox_entry u_entry (
      .round_i    (round[c]),
      .keep_i     (keep[c]),
      .in_column_i(in_block_q[32*c+:32]),
      .key_i      (round_key[32*c+:32]),
      .words_i    (words[4*c+:4]),
      .column_o   (state[32*c+:32])
    );
  end

  aes_shift_rows #(
    .Dir(Cfg.dir)
  ) u_shift_rows (
    .decrypt_i(1'b0),
    .state_i  (state),
    .state_o  (shifted)
  );

  aes_tboxes #(
    .Sbox   (Cfg.sbox),
    .Tbox   (Cfg.tbox),
    .Dir    (Cfg.dir),
    .Levels (Levels),
    .Tripled(1'b1)
  ) u_tboxes (
    .clk_i,
    .decrypt_i   (1'b0),
    .write_i     (1'b0),
    .write_word_i('0),
    .bytes_i     (shifted),
    .words_o     (words)
  );

  always_ff @(posedge clk_i) begin
    if (last_q) out_block_q <= state;
  end

  assign out_valid_o = out_valid_q;
  assign out_block_o = out_block_q;

  assign key_ready_o = 1'b0;

  logic unused_inputs;
  assign unused_inputs = ^{key_valid_i, key_i, key_len_i, in_decrypt_i};

endmodule
