// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Iterative architecture for both directions whose first round key is added a clock ahead: a block
// waits for its round in a register, so that neither its direction nor its key is on the way through
// one. S-boxes are those of decryption (aes_round_crossed). One bank of stored keys, one round a clock.
//
//   first_key --+                                             key_before
//   in_block --(+)--|R|--+                                        |
//   key_after ----------(+)--[ entry ]--(+)--[ InvSubBytes |R| ]--+--[ round of its direction ]--+
//                                        ^                        +--|R|-- out_block             |
//                                        +-------------------------------------------------------+
//
//   clock 0 (the block is accepted)   register of block + first key
//   clock 1                           S-boxes, register
//   clock 2 ... Nr                    a round; S-boxes of the next one, register
//   clock Nr + 1                      the rest of the last round, output register
//
// A block is taken every Nr clocks: clock 1 of a block is the last one of the block before it. What
// is added behind MixColumns are registers that are zero when it is not their turn. The
// output register changes with a result only.

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

  logic accept, accept_q, available, last_q, last_next;
  logic window;  // a block may be accepted: the register of the state is free in the next clock
  logic busy_d, busy_q, out_valid_q;
  block_t first_key, key_before, key_after;

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  assign window     = ~busy_d | last_next;
  assign in_ready_o = available & window;
  assign accept     = in_valid_i & in_ready_o;
  assign busy_d     = accept_q | (busy_q & ~last_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      accept_q    <= 1'b0;
      busy_q      <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      accept_q    <= accept;
      busy_q      <= busy_d;
      out_valid_q <= busy_q & last_q;
    end
  end

  always_ff @(posedge clk_i) last_q <= last_next;

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

  aes_key_schedule_ahead #(
    .Sbox   (Cfg.key_sbox),
    .KeySize(Cfg.key_size),
    .Memory (Cfg.key_mem)
  ) u_key_schedule (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .key_len_i,
    .round_key_valid_i,
    .round_key_ready_o,
    .enter_i     (window),
    .decrypt_i   (in_decrypt_i),
    .going_i     (busy_d),
    .blocked_i   (busy_q | accept_q),
    .available_o (available),
    .first_key_o (first_key),
    .key_before_o(key_before),
    .key_after_o (key_after),
    .last_next_o (last_next)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  block_t entering_q, substituted, inner, last, out_block_q;

  // What enters without an offer is never used.
  always_ff @(posedge clk_i) begin
    if (!window) entering_q <= '0;
    else entering_q <= in_block_i ^ first_key;
  end

  for (genvar c = 0; c < 4; c++) begin : gen_column
    aes_sub_bytes #(
      .Sbox    (Cfg.sbox),
      .Dir     (DirDecrypt),
      .Levels  (1),
      .NumBytes(4)
    ) u_sub_bytes (
      .clk_i,
      .decrypt_i(1'b1),
      .bytes_i  (inner[32*c+:32]),
      .bytes_o  (substituted[32*c+:32])
    );
  end

  aes_round_crossed u_round (
    .decrypt_i     (backward),
    .correct_i     (correct),
    .enter_i       (enter),
    .next_decrypt_i(decrypt),
    .state_i       (substituted),
    .key_before_i  (key_before),
    .entry_i       (entering_q ^ key_after),
    .inner_o       (inner),
    .last_o        (last)
  );

  always_ff @(posedge clk_i) begin
    if (busy_q && last_q) out_block_q <= last;
  end

  assign out_valid_o = out_valid_q;
  assign out_block_o = out_block_q;

  assign available_o = available;

endmodule
