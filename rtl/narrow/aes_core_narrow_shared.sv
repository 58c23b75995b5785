// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Narrow architecture with on-the-fly keys: two blocks in turn, a round in five clocks of a 32-bit
// data path whose four S-boxes make the round keys, too. 2 x 5 (Nr + 1) = 110 clocks for two blocks.
//
//                             word of the round key
//                                      |
//   in_block_i --[ words, then zero ]-(+)--|R|--+--[ 4 S-boxes |R|R|R| ]--+--[ ShiftRows |R| ]--+
//                                      |        |                        |                     |
//                                      |        +--[ out_block ]         +-- SubWord           |
//                                      +---------------|R|--[ MixColumns |R| ]-----------------+
//
// A group of five clocks is a round of a block: four columns, and w3 of its round key, which follows
// them through the S-boxes as a fifth column. ShiftRows stands behind the S-boxes, where the word for
// the key schedule needs no multiplexer on its way. A column comes back after seven registers:
//
//   column 3 leaves the adder in slot 3 of a group; column 0 of the next round, the first to need
//   it, in slot 0 of the next but one: S-boxes with a register before them (4 clocks), ShiftRows,
//   MixColumns in two
//
// What must not be added to a column is zero by the synchronous reset of its register: MixColumns
// while a block is loaded and in the fifth clock; the words of the block at any other time. So the
// adder is one LUT of four inputs a bit, and no multiplexer loads the state.
//
// A block is accepted in slot 2 of the group before its own:
//
//   clock 0                     slot 2: block and key into a register
//   clock 1                     slot 3: into the registers of their words
//   clocks 3 ... 6              columns 0 to 3 of the block + K0
//   clocks 10 r + 3 ... + 6     columns 0 to 3 of round r
//   clock 107                   out_valid_o

module aes_core_narrow_shared
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  // Printed from one table for all cores
  input  logic   clk_i,
  input  logic   rst_ni,

  // Block
  input  logic   in_valid_i,
  output logic   in_ready_o,
  input  block_t in_block_i,
  input  block_t in_key_i,  // on-the-fly keys: its key, first byte at the top

  // Result, which cannot be held back
  output logic   out_valid_o,
  output block_t out_block_o,
  output logic   fault_o    // Cfg.hardened: copies of a register of control differ
);

  // Registers of the S-boxes; those that they do not have stand behind them.
  localparam int unsigned SboxClocks = 3;
  localparam int unsigned SboxLevels = 32'(Cfg.sbox_levels);

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  logic [4:0] slot_q;  // one-hot: the column that is at the adder
  logic [12:0] fault;  // copies of a register of control differ
  logic accept, last, done, next_last;
  logic valid_q, before_q;  // this group and the one before it hold a block
  logic load_q, idle_q;  // slot 3: the block accepted goes to its registers; and not so
  logic loading_q;             // after that from slot 4 to slot 3
  logic bypass_q;              // what is in MixColumns is of the last round
  logic out_valid_q;

  assign in_ready_o = slot_q[2] & (~before_q | done);
  assign accept     = in_valid_i & in_ready_o;

  logic valid_d, before_d;
  assign valid_d  = slot_q[4] ? loading_q | (before_q & ~done) : valid_q;
  assign before_d = slot_q[4] ? valid_q : before_q;

  aes_control_register #(
    .Width     (5),
    .Hardened  (Cfg.hardened),
    .ResetValue(5'b00001)
  ) u_slot (
    .clk_i,
    .rst_ni,
    // Again from any state: the ring begins where no other bit is set.
    .d_i    ({slot_q[3:0], ~|slot_q[3:0]}),
    .q_o    (slot_q),
    .fault_o(fault[0])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_valid (
    .clk_i,
    .rst_ni,
    .d_i    (valid_d),
    .q_o    (valid_q),
    .fault_o(fault[1])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_before (
    .clk_i,
    .rst_ni,
    .d_i    (before_d),
    .q_o    (before_q),
    .fault_o(fault[2])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_load (
    .clk_i,
    .rst_ni,
    .d_i    (accept),
    .q_o    (load_q),
    .fault_o(fault[3])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_loading (
    .clk_i,
    .rst_ni,
    .d_i    (slot_q[3] ? load_q : loading_q),
    .q_o    (loading_q),
    .fault_o(fault[4])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_out_valid (
    .clk_i,
    .rst_ni,
    .d_i    (slot_q[3] & valid_q & last),
    .q_o    (out_valid_q),
    .fault_o(fault[5])
  );

  // The synchronous resets, each from a register of its own: what is reset in a clock is zero in the
  // next one.
  logic loads;  // the next clock is slot 4, 0 or 1 of a group that loads
  logic ring_zero_q, before_zero_q, sub_zero_q, mixed_zero_q;

  assign loads = load_q | (loading_q & (slot_q[4] | slot_q[0]));

  aes_control_register #(
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_idle (
    .clk_i,
    .rst_ni,
    .d_i    (~accept),
    .q_o    (idle_q),
    .fault_o(fault[6])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_ring_zero (
    .clk_i,
    .rst_ni,
    .d_i    (slot_q[1] | accept | loads),
    .q_o    (ring_zero_q),
    .fault_o(fault[7])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_before_zero (
    .clk_i,
    .rst_ni,
    .d_i    (slot_q[2] | loads),
    .q_o    (before_zero_q),
    .fault_o(fault[8])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_sub_zero (
    .clk_i,
    .rst_ni,
    .d_i    (~slot_q[2] | accept),
    .q_o    (sub_zero_q),
    .fault_o(fault[9])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_mixed_zero (
    .clk_i,
    .rst_ni,
    .d_i    (slot_q[2] | loads | (loading_q & slot_q[1])),
    .q_o    (mixed_zero_q),
    .fault_o(fault[10])
  );

  ///////////////////////////////////////////////////////////////////////////
  // Words of a block, each in its slot, then zero
  ///////////////////////////////////////////////////////////////////////////

  block_t block_q, key_q;
  word_t early_q[3];  // words 0 and 1
  word_t late_q [5];  // words 2 and 3

  always_ff @(posedge clk_i) begin
    block_q <= in_block_i;
    key_q   <= in_key_i;
    if (idle_q) begin
      early_q[2] <= '0;
      late_q[4]  <= '0;
    end else begin
      early_q[2] <= block_q[95:64];
      late_q[4]  <= block_q[31:0];
    end
    early_q[1] <= load_q ? block_q[127:96] : early_q[2];
    late_q[3]  <= load_q ? block_q[63:32] : late_q[4];
    early_q[0] <= early_q[1];
    for (int j = 0; j < 3; j++) late_q[j] <= late_q[j+1];
  end

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  word_t key_word, mixed, column_d, column_q, looked_up, substituted, shifted, shifted_q;

  assign column_d = mixed ^ key_word ^ early_q[0] ^ late_q[0];

  always_ff @(posedge clk_i) column_q <= column_d;

  aes_sub_bytes #(
    .Sbox    (Cfg.sbox),
    .Dir     (DirEncrypt),
    .Levels  (SboxLevels),
    .NumBytes(4)
  ) u_sub_bytes (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  (column_q),
    .bytes_o  (looked_up)
  );

  word_t delay[SboxClocks-SboxLevels+1];

  assign delay[0] = looked_up;
  for (genvar d = 1; d <= SboxClocks - SboxLevels; d++) begin : gen_delay
    always_ff @(posedge clk_i) delay[d] <= delay[d-1];
  end
  assign substituted = delay[SboxClocks-SboxLevels];

  // Column 3 comes in slot 2, the first column of the shifted state leaves in it.
  aes_shift_rows_narrow #(
    .Dir       (DirEncrypt),
    .NumColumns(1)
  ) u_shift_rows (
    .clk_i,
    .decrypt_i(1'b0),
    .part_i   ({slot_q[2] | slot_q[0], slot_q[2] | slot_q[4]}),
    .columns_i(substituted),
    .columns_o(shifted)
  );

  always_ff @(posedge clk_i) shifted_q <= shifted;

  aes_mix_column_staged u_mix_column (
    .clk_i,
    .column_i(shifted_q),
    .bypass_i(bypass_q),
    .zero_i  (mixed_zero_q),
    .column_o(mixed)
  );

  aes_key_ring #(
    .Hardened(Cfg.hardened)
  ) u_key_ring (
    .clk_i,
    .rst_ni,
    .slot_i(slot_q),
    .load_i(load_q),
    .idle_i(idle_q),
    .ring_zero_i(ring_zero_q),
    .before_zero_i(before_zero_q),
    .sub_zero_i(sub_zero_q),
    .first_i(loading_q),
    .key_i(key_q),
    .sub_i(rot_word(substituted)),
    .word_o(key_word),
    .last_o(last),
    .done_o(done),
    .next_last_o(next_last),
    .fault_o(fault[12])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_bypass (
    .clk_i,
    .rst_ni,
    .d_i    (slot_q[2] ? next_last : bypass_q),
    .q_o    (bypass_q),
    .fault_o(fault[11])
  );

  block_t out_block_q;

  always_ff @(posedge clk_i) begin
    if (valid_q && last && !slot_q[4]) out_block_q <= {out_block_q[95:0], column_d};
  end

  assign out_valid_o = out_valid_q;
  assign out_block_o = out_block_q;

  assign fault_o = |fault;

endmodule
