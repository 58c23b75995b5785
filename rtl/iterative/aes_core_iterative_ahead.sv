// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Iterative architecture for both directions whose first round key is chosen a clock ahead: a block
// waits for it in a register, so that neither its direction nor its key is on the way through a
// round. One bank of stored keys, one round a clock.
//
//   first_key --|R|--+                                  key_before
//   in_block ---|R|--+                                       |
//   key_after -------+--(+)--[ SubBytes |R| ]--[ ShiftRows, + ]--+--[ MixColumns ]--+
//                        ^                                       +--|R|-- out_block |
//                        +----------------------------------------------------------+
//
//   clock 0 (the block is accepted)   registers of block and first key
//   clock 1                           block + first key, SubBytes, register
//   clock 2 ... Nr                    a round; SubBytes of the next one, register
//   clock Nr + 1                      the rest of the last round, output register
//
// A block is taken every Nr clocks: clock 1 of a block is the last one of the block before it. What
// is added behind MixColumns (aes_round_entry) are registers that are zero when it is not their turn,
// so there is no multiplexer. The output register changes with a result only.

module aes_core_iterative_ahead
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  // Printed from one table for all cores
  input  logic         clk_i,
  input  logic         rst_ni,

  // Key, for stored keys
  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,              // first byte at the top
  input  logic [1:0]   key_len_i,          // key_len_e, for designs that take every key size
  input  logic         round_key_valid_i,  // SboxNone: the words at the top of key_i are offered
  output logic         round_key_ready_o,  // and taken
  output logic         available_o,        // a key is current

  // Block
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,       // DirBoth: its direction

  // Result, which cannot be held back
  output logic         out_valid_o,
  output block_t       out_block_o
);

  logic accept, accept_q, available, last_round, last_round_next;
  logic [1:0] unused_part;
  logic unused_fault;
  logic window;  // a block may be accepted: the register of the state is free in the next clock
  logic busy_d, busy_q, out_valid_q;
  block_t first_key, unused_round_key, key_before, key_after;

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  assign window     = ~busy_d | last_round_next;
  assign in_ready_o = available & window;
  assign accept     = in_valid_i & in_ready_o;
  assign busy_d     = accept_q | (busy_q & ~last_round);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      accept_q    <= 1'b0;
      busy_q      <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      accept_q    <= accept;
      busy_q      <= busy_d;
      out_valid_q <= busy_q & last_round;
    end
  end

  // Each column follows registers of its own, so that none has to reach all of the core. An
  // attribute of the process keeps Yosys from making one of several.
  logic [3:0] enter;     // a block may enter
  logic [3:0] decrypt;   // direction of the S-boxes, which are those of the next round
  logic [3:0] backward;  // that of the round
  logic [3:0] correct;   // the same, but in the last round
  for (genvar c = 0; c < 4; c++) begin : gen_control
    (* keep *) logic enter_q, decrypt_q, backward_q, correct_q;
    (* keep *) always_ff @(posedge clk_i) begin
      enter_q    <= window;
      backward_q <= decrypt_q;
      correct_q  <= decrypt_q & ~window;
      if (window) decrypt_q <= in_decrypt_i;
    end
    assign enter[c]    = enter_q;
    assign decrypt[c]  = decrypt_q;
    assign backward[c] = backward_q;
    assign correct[c]  = correct_q;
  end

  aes_key_schedule_stored #(
    .Sbox    (Cfg.key_sbox),
    .Dir     (Cfg.dir),
    .KeySize (Cfg.key_size),
    .Memory  (Cfg.key_mem),
    .Overlap (1'b1),
    .Ahead   (1'b1),
    .NumBanks(1)
  ) u_key_schedule (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .key_len_i,
    .round_key_valid_i,
    .round_key_ready_o,
    .decrypt_i        (in_decrypt_i),
    .enter_i          (window),
    .accept_i         (accept),
    .busy_i           (busy_q),
    .available_o      (available),
    .first_key_o      (first_key),
    .round_key_o      (unused_round_key),
    .key_before_o     (key_before),
    .key_after_o      (key_after),
    .last_round_o     (last_round),
    .last_round_next_o(last_round_next),
    .part_o           (unused_part),
    .fault_o          (unused_fault)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  block_t in_block_q, substituted, inner, last, out_block_q;

  // What enters without an offer is never used.
  always_ff @(posedge clk_i) begin
    if (!window) in_block_q <= '0;
    else in_block_q <= in_block_i;
  end

  for (genvar c = 0; c < 4; c++) begin : gen_column
    aes_sub_bytes #(
      .Sbox    (Cfg.sbox),
      .Dir     (Cfg.dir),
      .Levels  (1),
      .NumBytes(4)
    ) u_sub_bytes (
      .clk_i,
      .decrypt_i(decrypt[c]),
      .bytes_i  (inner[32*c+:32]),
      .bytes_o  (substituted[32*c+:32])
    );
  end

  aes_round_entry u_round (
    .decrypt_i   (backward),
    .correct_i   (correct),
    .enter_i     (enter),
    .state_i     (substituted),
    .key_before_i(key_before),
    .entry_i     (in_block_q ^ first_key ^ key_after),
    .inner_o     (inner),
    .last_o      (last)
  );

  always_ff @(posedge clk_i) begin
    if (busy_q && last_round) out_block_q <= last;
  end

  assign out_valid_o = out_valid_q;
  assign out_block_o = out_block_q;

  assign available_o = available;

endmodule
