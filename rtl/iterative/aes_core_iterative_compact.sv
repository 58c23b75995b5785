// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Iterative architecture for area: one block at a time, one round a clock, one register of the state and
// one key addition for entry, rounds and result.
//
//   in_block --[ mux ]--(+ round key)--+--|R|--[ SubBytes ]--[ ShiftRows ]--+--[ MixColumns ]--+
//                 |                    |                                    |                  |
//                 |                    +--|R|-- out_block                   |                  |
//                 +---------------------------------------------------------+------------------+
//
// Decryption adds the round key before InvMixColumns, which a block that enters and a result go round:
//
//   in_block --[ mux ]--(+ round key)--+--[ InvMixColumns ]--[ mux ]--+--|R|-- out_block
//                 |                    +------------------------+     |
//                 +-----------[ InvShiftRows ]--[ InvSubBytes ]-------+--|R|
//
//   clock 0 (the block is accepted)   block + first key
//   clock r, 1 to Nr                  round r
//   clock Nr + 1                      out_valid_o; the next block may be accepted
//
// The register stands before the S-boxes (kakarlapudi, section IV: before or after them), so that the
// last addition ends in it, and in the output register. For encryption, everything except the S-box
// and MixColumns fits in one LUT6 per state bit: sum, S-box, block, key and two bits that choose.
//
// With out_reg = 0 the register of the state is the output, which saves 128 flip-flops. out_block_o
// then shows inner states between results, and the round keys while a key is expanded: only for a
// comparison with a published figure.
//
// The round keys are made a word at a time from a key that stays on its port (aes_key_schedule_offered).
// With key_sbox = SboxShared the S-boxes of the state make them: while a key is expanded, the state
// takes the round keys read, with nothing added.

module aes_core_iterative_compact
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
  input  logic [255:0] key_i,        // first byte at the top
  output logic         available_o,  // a key is current

  // Block
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,

  // Result, which cannot be held back
  output logic         out_valid_o,
  output block_t       out_block_o
);

  logic accept, available, busy_d, busy_q, out_valid_q;
  logic last_round, last_round_next, expand_next;
  logic plain_q;  // MixColumns is left out, or, while no block is under way, the block
  block_t round_key, state_d, state_q, substituted, shifted;

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  assign in_ready_o = available & ~busy_q;
  assign accept     = in_valid_i & in_ready_o;
  assign busy_d     = accept | (busy_q & ~last_round);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      busy_q      <= busy_d;
      out_valid_q <= busy_q & last_round;
    end
  end

  always_ff @(posedge clk_i) plain_q <= busy_d ? last_round_next : expand_next;

  aes_key_schedule_offered #(
    .Sbox   (Cfg.key_sbox),
    .Dir    (Cfg.dir),
    .KeySize(Cfg.key_size)
  ) u_key_schedule (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .accept_i         (accept),
    .busy_i           (busy_q),
    .available_o      (available),
    .substituted_i    (substituted),
    .round_key_o      (round_key),
    .last_round_o     (last_round),
    .last_round_next_o(last_round_next),
    .expand_next_o    (expand_next)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  aes_sub_bytes #(
    .Sbox    (Cfg.sbox),
    .Dir     (Cfg.dir),
    .Levels  (0),
    .NumBytes(16)
  ) u_sub_bytes (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  (state_q),
    .bytes_o  (substituted)
  );

  aes_shift_rows #(
    .Dir(Cfg.dir)
  ) u_shift_rows (
    .decrypt_i(1'b0),
    .state_i  (substituted),
    .state_o  (shifted)
  );

  block_t to_mix, mixed;

  aes_mix_columns #(
    .Dir       (Cfg.dir),
    .NumColumns(4)
  ) u_mix_columns (
    .decrypt_i(1'b0),
    .state_i  (to_mix),
    .state_o  (mixed)
  );

  if (Cfg.dir == DirDecrypt) begin : gen_decrypt
    block_t added;
    assign added   = (busy_q ? shifted : in_block_i) ^ round_key;
    assign to_mix  = added;
    // As a sum, which a mapper takes apart better than a multiplexer.
    assign state_d = added ^ ((mixed ^ added) & {128{busy_q && !plain_q}});
  end else begin : gen_encrypt
    block_t chosen;
    assign to_mix = shifted;
    always_comb begin
      case ({
        busy_q, plain_q
      })
        2'b00:   chosen = in_block_i;
        2'b01:   chosen = '0;
        2'b10:   chosen = mixed;
        default: chosen = shifted;
      endcase
    end
    assign state_d = chosen ^ round_key;
  end

  // Bit 0 of each byte holds its value where nothing comes. Registers of two kinds are none that Yosys
  // (memory_dff) takes for the address register of a table, which it then builds anew behind it.
  logic moves;
  assign moves = busy_q | plain_q | in_valid_i;

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    always_ff @(posedge clk_i) begin
      state_q[8*i+1+:7] <= state_d[8*i+1+:7];
      if (moves) state_q[8*i] <= state_d[8*i];
    end
  end

  // Loaded with a result only: neither inner states nor round keys are seen outside.
  if (Cfg.out_reg) begin : gen_out_register
    block_t out_block_q;
    always_ff @(posedge clk_i) begin
      if (busy_q && last_round) out_block_q <= state_d;
    end
    assign out_block_o = out_block_q;
  end else begin : gen_no_out_register
    assign out_block_o = state_q;
  end

  assign out_valid_o = out_valid_q;

  assign available_o = available;

endmodule
