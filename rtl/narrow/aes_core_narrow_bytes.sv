// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Narrow architecture, a byte a clock, encryption: one block at a time, one S-box for state and round
// keys, a round in 24 clocks.
//
//                      byte of the round key
//                               |
//   in_block_i --[ byte feed ]-(+)--|R|--+--[ S-box |R|R|R| ]--+--[ ShiftRows ]--|R|--+
//                               |        |                     |                      |
//                               |        +-- out_block         +-- SubWord            |
//                               +--------------------------------[ MixColumns |R| ]---+
//
//   128-bit keys (the others in aes_key_bytes):
//
//   in_key_i --[ byte feed ]-(+)--|R|-- byte of the round key
//                             +--|R| x 23 -------- byte n of the last round key
//                             +--|R| x 3 --------- byte n - 4 of this one
//                             +--|R|-- SubWord, Rcon
//
// A round takes slots 0 to 23: the 16 bytes of the state, bytes 12 to 15 of the round key, which
// go through the S-box for the next one, and four clocks for them to come back. A byte of the
// state comes back to the adder after 24 registers. What must not be added is zero by the
// synchronous reset of its register, so that each bit of both adders is one LUT, and no multiplexer
// loads a state or a key.
//
//   clock 0                      the block is accepted
//   clocks 1 to 17               slots 6 to 22, in which the byte feeds run empty
//   clock 18                     slot 23: byte 0 of the key
//   clocks 24 r + 19 ... + 34    slots 0 to 15 of round r; round 0 is the block + K0
//   clock 275                    out_valid_o
//
// Keys of 192 and 256 bits take 8 and 16 clocks more to run empty: clock 1 is slot 22 or 14, and
// out_valid_o is high in clock 331 or 387.

module aes_core_narrow_bytes
  import aes_pkg::*;
  import aes_key_pkg::*;
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
  output block_t       out_block_o,
  output logic         fault_o    // Cfg.hardened: copies of a register of control differ
);

  // Registers of the S-box; those that it does not have stand behind it.
  localparam int unsigned SboxClocks = 3;
  localparam int unsigned SboxLevels = 32'(Cfg.sbox_levels);

  // Keys of 192 and 256 bits have their round keys from aes_key_bytes, which is empty 4 Nk clocks
  // after a block was accepted: 16, 24 or 32 of them lead to the same slots.
  localparam bit Long = Cfg.key_size != KeySize128;
  localparam int unsigned IdleSlot =
      (Cfg.key_size == KeySize192) ? 22 : ((Cfg.key_size == KeySize256) ? 14 : 6);
  localparam int unsigned NumRounds = 32'(num_rounds(max_key_len(Cfg.key_size)));

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  logic [12:0] fault;  // copies of a register of control differ
  logic accept, start, busy_q, out_valid_q;
  logic [3:0] row_q;     // slot mod 4, one-hot
  logic [5:0] column_q;  // slot / 4, one-hot
  logic [5:0] around_q;  // (slot + 2) / 4, one-hot: bit k from slot 4 k - 2 to 4 k + 1
  logic bypass;          // from slot 22 of the round before the last one
  logic last_q;          // the last round
  logic no_state;        // what leaves MixColumns in the next slot is to be zero
  byte_t key;            // byte n of the round key in slot n

  assign in_ready_o = ~busy_q;
  assign accept     = in_valid_i & ~busy_q;

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_busy (
    .clk_i,
    .rst_ni,
    .d_i    (accept | (busy_q & ~(last_q & column_q[3] & row_q[3]))),
    .q_o    (busy_q),
    .fault_o(fault[0])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_out_valid (
    .clk_i,
    .rst_ni,
    .d_i    (last_q & column_q[3] & row_q[3]),
    .q_o    (out_valid_q),
    .fault_o(fault[1])
  );

  // While there is no block the slot is IdleSlot, as it is in the clock after one was accepted.
  logic [3:0] row_d;
  logic [5:0] column_d, around_d;
  logic last_d;

  always_comb begin
    column_d = column_q;
    around_d = around_q;
    last_d   = last_q;
    if (!busy_q) begin
      row_d    = 4'b0100;
      column_d = 6'b000001 << IdleSlot / 4;
      around_d = 6'b000001 << (IdleSlot + 2) / 4 % 6;
      last_d   = 1'b0;
    end else begin
      // A ring begins again where no other bit is set, so it comes back from any state.
      row_d = {row_q[2:0], ~|row_q[2:0]};
      if (row_q[3]) column_d = {column_q[4:0], ~|column_q[4:0]};
      if (row_q[1]) around_d = {around_q[4:0], around_q[5]};
      if (row_q[3]) last_d = bypass;
    end
  end

  aes_control_register #(
    .Width   (4),
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_row (
    .clk_i,
    .rst_ni,
    .d_i    (row_d),
    .q_o    (row_q),
    .fault_o(fault[2])
  );

  aes_control_register #(
    .Width   (6),
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_column (
    .clk_i,
    .rst_ni,
    .d_i    (column_d),
    .q_o    (column_q),
    .fault_o(fault[3])
  );

  aes_control_register #(
    .Width   (6),
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_around (
    .clk_i,
    .rst_ni,
    .d_i    (around_d),
    .q_o    (around_q),
    .fault_o(fault[4])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_last (
    .clk_i,
    .rst_ni,
    .d_i    (last_d),
    .q_o    (last_q),
    .fault_o(fault[5])
  );

  ///////////////////////////////////////////////////////////////////////////
  // Round keys
  ///////////////////////////////////////////////////////////////////////////

  byte_t substituted;

  if (!Long) begin : gen_128
    logic loading_q;       // no block, or one before slot 14 of round 0
    logic loading_late_q;  // a clock later
    logic bypass_q, around_4_q;
    byte_t rcon_q;

    // Rcon is {00} when there is no block, which leads to {01}.
    byte_t rcon_d, rcon_now_d;
    logic loading_d, bypass_d;

    always_comb begin
      if (column_q[5] && row_q[1]) rcon_now_d = rcon_q;
      else rcon_now_d = '0;
      rcon_d    = rcon_q;
      loading_d = loading_q;
      bypass_d  = bypass_q;
      if (!busy_q) begin
        rcon_d    = 8'h00;
        loading_d = 1'b1;
        bypass_d  = 1'b0;
      end else begin
        // {36} for the key of round 10 is the only one of {01} to {36} with bits 5 and 4.
        if (column_q[5] && row_q[1]) bypass_d = rcon_q[5] & rcon_q[4];
        if (column_q[5] && row_q[3]) rcon_d = rcon_after(rcon_q);
        if (column_q[3] && row_q[1] && rcon_q[6:0] != '0) loading_d = 1'b0;
      end
    end

    aes_control_register #(
      .Width   (8),
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_rcon (
      .clk_i,
      .rst_ni,
      .d_i    (rcon_d),
      .q_o    (rcon_q),
      .fault_o(fault[6])
    );

    aes_control_register #(
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_loading (
      .clk_i,
      .rst_ni,
      .d_i    (loading_d),
      .q_o    (loading_q),
      .fault_o(fault[7])
    );

    aes_control_register #(
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_bypass (
      .clk_i,
      .rst_ni,
      .d_i    (bypass_d),
      .q_o    (bypass_q),
      .fault_o(fault[8])
    );

    aes_control_register #(
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_loading_late (
      .clk_i,
      .rst_ni,
      .d_i    (loading_q),
      .q_o    (loading_late_q),
      .fault_o(fault[9])
    );

    aes_control_register #(
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_around_4 (
      .clk_i,
      .rst_ni,
      .d_i    (around_q[4]),
      .q_o    (around_4_q),
      .fault_o(fault[10])
    );

    // The feeds give byte 0 in slot 23.
    assign start    = loading_q & column_q[5] & row_q[1];
    assign bypass   = bypass_q;
    assign no_state = around_4_q | loading_late_q;

    byte_t key_feed, key_d, key_q, sub_q, rcon_now_q, before_q;
    byte_t ring_q[23];
    byte_t delayed[6];  // [d]: d clocks after the S-box

    aes_byte_feed u_key_feed (
      .clk_i,
      .load_i (accept),
      .start_i(start),
      .block_i(in_key_i[255:128]),
      .byte_o (key_feed)
    );

    assign key_d      = ring_q[22] ^ before_q ^ sub_q ^ key_feed;
    assign delayed[0] = substituted;

    always_ff @(posedge clk_i) begin
      key_q     <= key_d;
      ring_q[0] <= key_q;
      for (int d = 1; d < 22; d++) ring_q[d] <= ring_q[d-1];
      for (int d = 1; d < 6; d++) delayed[d] <= delayed[d-1];

      // Not for bytes 12 to 15, which come a second time, nor for the first round key.
      if (around_q[4] || loading_q) ring_q[22] <= '0;
      else ring_q[22] <= ring_q[21];

      // Not for bytes 0 to 3, nor for the first round key.
      if (around_q[0] || loading_q) before_q <= '0;
      else before_q <= ring_q[1];

      // For bytes 0 to 3: bytes 13, 14, 15 and 12 through the S-box.
      if (!around_q[0] || loading_q) sub_q <= '0;
      else sub_q <= (row_q[1] ? delayed[5] : delayed[1]) ^ rcon_now_q;
    end

    aes_control_register #(
      .Width   (8),
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_rcon_now (
      .clk_i,
      .rst_ni,
      .d_i    (rcon_now_d),
      .q_o    (rcon_now_q),
      .fault_o(fault[11])
    );

    assign key = key_q;
  end else begin : gen_long
    localparam int unsigned Width = key_width(Cfg.key_size);
    // The round from slot 22 of the one before it, one-hot, from round -2 on.
    logic [NumRounds+2:0] round_q;
    logic empty_q;    // no block, or one before slot 22 before round 0
    logic loading_q;  // no block, or one before slot 22 of round 0
    logic around_4_q, around_5_q;

    always_ff @(posedge clk_i) begin
      if (!busy_q) begin
        round_q   <= (IdleSlot == 22) ? (NumRounds + 3)'(2) : (NumRounds + 3)'(1);
        empty_q   <= 1'b1;
        loading_q <= 1'b1;
      end else if (column_q[5] && row_q[1]) begin
        round_q   <= {round_q[NumRounds+1:0], ~|round_q[NumRounds+1:0]};
        empty_q   <= round_q[0];
        loading_q <= empty_q;
      end
      around_4_q <= around_q[4];
      around_5_q <= around_q[5];
    end

    assign start    = round_q[1] & column_q[5] & row_q[1];
    assign bypass   = round_q[NumRounds+2];
    assign no_state = around_4_q | around_5_q | loading_q;
    assign fault[11:6] = '0;

    aes_key_bytes #(
      .KeySize(Cfg.key_size)
    ) u_keys (
      .clk_i,
      .load_i       (accept),
      .key_i        (in_key_i[255-:Width]),
      .idle_i       (~busy_q),
      .start_i      (start),
      .row_i        (row_q),
      .column_i     (column_q),
      .around_i     (around_q),
      .round_i      (round_q[NumRounds+2:2]),
      .substituted_i(substituted),
      .key_o        (key)
    );
  end

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  byte_t feed, feed_q, mixed, state_d, state_q, looked_up, shifted, shifted_q;
  logic late_q;
  block_t out_block_q;

  aes_byte_feed u_block_feed (
    .clk_i,
    .load_i (accept),
    .start_i(start),
    .block_i(in_block_i),
    .byte_o (feed)
  );

  assign state_d = mixed ^ key ^ feed_q;

  always_ff @(posedge clk_i) begin
    feed_q    <= feed;
    state_q   <= state_d;
    shifted_q <= shifted;
    if (busy_q && last_q) out_block_q <= {out_block_q[119:0], state_d};
  end

  aes_sub_bytes #(
    .Sbox    (Cfg.sbox),
    .Dir     (DirEncrypt),
    .Levels  (SboxLevels),
    .NumBytes(1)
  ) u_sub_bytes (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  (state_q),
    .bytes_o  (looked_up)
  );

  byte_t delay[SboxClocks-SboxLevels+1];

  assign delay[0] = looked_up;
  for (genvar d = 1; d <= SboxClocks - SboxLevels; d++) begin : gen_delay
    always_ff @(posedge clk_i) delay[d] <= delay[d-1];
  end
  assign substituted = delay[SboxClocks-SboxLevels];

  // Byte n comes out of the S-box in slot n + 4, so its row is that of the slot. Byte n = 4 c + r
  // leaves ShiftRows in slot n + 17, four columns later than near where c + r is above 3: row 1 in
  // slot 6, row 2 in slots 3 and 7, row 3 in slots 0, 4 and 8. In slots without a byte it is no
  // matter; the register is set a slot before.
  logic late_d;
  assign late_d = (row_q[1] & column_q[1]) | (row_q[2] & (column_q[0] | column_q[1])) |
                  (row_q[3] & ~column_q[4]);

  aes_control_register #(
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_late (
    .clk_i,
    .rst_ni,
    .d_i    (late_d),
    .q_o    (late_q),
    .fault_o(fault[12])
  );

  aes_shift_rows_bytes u_shift_rows (
    .clk_i,
    .row_i (row_q),
    .late_i(late_q),
    .byte_i(substituted),
    .byte_o(shifted)
  );

  // Byte n is in shifted_q in slot n + 18.
  aes_mix_column_bytes u_mix_column (
    .clk_i,
    .first_i (row_q[2]),
    .last_i  (row_q[1]),
    .bypass_i(bypass),
    .zero_i  (no_state),
    .byte_i  (shifted_q),
    .byte_o  (mixed)
  );

  assign out_valid_o = out_valid_q;
  assign out_block_o = out_block_q;

  // The whole key is read of 256-bit keys only.
  logic unused_key;
  assign unused_key = ^in_key_i;

  assign fault_o = |fault;

endmodule
