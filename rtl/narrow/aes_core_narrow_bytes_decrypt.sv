// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Narrow architecture, a byte a clock, decryption under 128-bit keys: one block at a time, one S-box
// for state and round keys, a round in 28 clocks.
//
//                 byte of the round key
//                          |
//   in_block_i --[ feed ]-(+)--|R|--+--[ correction |R| ]--[ MixColumns |R| ]--[ S-box |R|R|R|R| ]--+
//                          |        |         |                                                     |
//                          |        |         +-- operand of SubWord                      SubWord --+
//                          |        +-- out_block                                                   |
//                          +--|R|--[ InvShiftRows ]-------------------------------------------------+
//
//   in_key_i --(set)--[ ring of 28 bytes ]--+--(+)-- byte n of a round key, and into the ring
//                                           |   |
//                                           |   +-- byte n - 4 of this round key (forward)
//                                           |   +-- byte n - 4 of the last one (backward)
//                                           |   +-- SubWord, Rcon
//
// Decryption begins with the last round key, so the key runs forward to it and then backward (FIPS
// 197, section 5.2). Forward W[i] = W[i - 4] + W[i - 1], backward W[i - 4] = W[i] + W[i - 1]. The
// first word of a round key takes SubWord and Rcon of the last word of the one before, in place of
// W[i - 1]. Backward that word is the sum of two words that are there. A period of 28 slots makes
// one round key, in slots 4 to 19:
//
//   period 0          the key is loaded as K0
//   periods 1 to 10   K1 to K10
//   periods 11 to 20  K9 to K0; slots 0 to 15: the block + K10, and rounds 1 to 9
//   period 21         slots 0 to 15: round 10
//
//   slots 20 to 23    the operand of SubWord goes between the correction (of InvMixColumns) and
//                     MixColumns, both of which it bypasses
//   slots 26 to 1     it goes into the S-box, which is forward for it
//   slots 4 to 7      SubWord is added
//
// The operand takes slots that the state leaves free. What must not be added is zero by the
// synchronous reset of its register; the ring is loaded by the set of its flip-flops when it is full
// of zeros. What is in slots without a byte of the key does no harm.
//
//   clock 0                      the block is accepted
//   clock 1                      slot 2 of period 0
//   clock 28 p - 1               slot 0 of period p
//   clock 603                    out_valid_o

module aes_core_narrow_bytes_decrypt
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
  output block_t out_block_o
);

  // Registers of the S-box; those that it does not have stand behind it.
  localparam int unsigned SboxClocks = 4;
  localparam int unsigned SboxLevels = 32'(Cfg.sbox_levels);

  localparam int unsigned NumRounds = 10;
  localparam int unsigned NumPeriods = 2 * NumRounds + 2;

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  logic accept, busy_q, out_valid_q;
  logic [3:0] row_q;     // slot mod 4, one-hot
  logic [6:0] column_q;  // slot / 4, one-hot
  logic [6:0] around_q;  // (slot + 1) / 4, one-hot: bit k from slot 4 k - 1 to 4 k + 2
  logic [NumPeriods-1:0] period_q;  // one-hot; changes with slot 27
  logic ahead_q;         // from period 10 on: the next round key is one of those backward
  logic backward_q;      // from period 11 on
  logic live_q;          // from period 12 on: what leaves InvShiftRows is the state
  logic [1:0] operand_q;  // column_q[6] one and two clocks later
  logic last, next_period;

  assign in_ready_o  = ~busy_q;
  assign accept      = in_valid_i & ~busy_q;
  assign last        = period_q[NumPeriods-1];
  assign next_period = column_q[6] & row_q[2];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      busy_q      <= accept | (busy_q & ~(last & column_q[3] & row_q[3]));
      out_valid_q <= last & column_q[3] & row_q[3];
    end
  end

  // While there is no block the slot is 2, as it is in the clock after one was accepted.
  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      row_q      <= 4'b0100;
      column_q   <= 7'b0000001;
      around_q   <= 7'b0000001;
      period_q   <= NumPeriods'(1);
      ahead_q    <= 1'b0;
      backward_q <= 1'b0;
      live_q     <= 1'b0;
    end else begin
      // A ring begins again where no other bit is set, so it comes back from any state.
      row_q <= {row_q[2:0], ~|row_q[2:0]};
      if (row_q[3]) column_q <= {column_q[5:0], ~|column_q[5:0]};
      if (row_q[2]) around_q <= {around_q[5:0], around_q[6]};
      if (next_period) begin
        period_q   <= {period_q[NumPeriods-2:0], ~|period_q[NumPeriods-2:0]};
        ahead_q    <= ahead_q | period_q[NumRounds-1];
        backward_q <= ahead_q;
        live_q     <= backward_q;
      end
    end
    operand_q <= {operand_q[0], column_q[6]};
  end

  // The round constants of all periods, in a shift register that has them when there is no block.
  byte_t rcon_q[NumPeriods];

  function automatic byte_t rcon(int unsigned period);
    byte_t value;
    int unsigned number;
    number = (period <= NumRounds) ? period : 2 * NumRounds + 1 - period;
    if (number == 0 || period > 2 * NumRounds) return '0;
    value = 8'h01;
    for (int unsigned i = 1; i < number; i++) value = xtime(value);
    return value;
  endfunction

  for (genvar p = 0; p < NumPeriods; p++) begin : gen_rcon
    always_ff @(posedge clk_i) begin
      if (!busy_q) rcon_q[p] <= rcon(p);
      else if (next_period) rcon_q[p] <= (p == NumPeriods - 1) ? '0 : rcon_q[(p+1)%NumPeriods];
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Round keys
  ///////////////////////////////////////////////////////////////////////////

  block_t kept_q, set_q;
  logic [119:0] head_d, head_q;  // the first 15 bytes of the ring
  byte_t
      made,
      tail_d,
      tail_q,
      empty_q,
      before_q,
      back_q,
      sub_q,
      rcon_now_q,
      key_q,
      last_word_q,
      word_before_q;
  byte_t ring[31];                        // [d]: the byte made d + 1 clocks ago
  byte_t substituted[5];                  // [d]: d clocks after the S-box

  assign made = tail_q ^ before_q ^ back_q ^ sub_q;

  always_comb begin
    for (int i = 0; i < 120; i++) begin
      if (set_q[i+8]) head_d[i] = 1'b1;
      else head_d[i] = (i < 8) ? made[i%8] : head_q[(i+112)%120];
    end
    for (int i = 0; i < 8; i++) tail_d[i] = set_q[i] | empty_q[i];
    for (int d = 0; d < 15; d++) ring[d] = head_q[8*d+:8];
  end

  for (genvar d = 15; d < 31; d++) begin : gen_ring
    byte_t byte_q;
    if (d == 26) begin : gen_empty
      assign byte_q = empty_q;
    end else if (d == 27) begin : gen_tail
      assign byte_q = tail_q;
    end else begin : gen_byte
      always_ff @(posedge clk_i) byte_q <= ring[d-1];
    end
    assign ring[d] = byte_q;
  end

  always_ff @(posedge clk_i) begin
    if (accept) kept_q <= in_key_i;
    // Where they are in slot 19, had they been made since slot 4: byte 15 is at the end.
    if (!(period_q[0] && column_q[4] && row_q[1])) set_q <= '0;
    else set_q <= kept_q;
    head_q <= head_d;
    tail_q <= tail_d;

    if (period_q[0]) empty_q <= '0;
    else empty_q <= ring[25];

    // Not for bytes 0 to 3.
    if (around_q[1] || period_q[0] || backward_q) before_q <= '0;
    else before_q <= ring[2];
    if (around_q[1] || !backward_q) back_q <= '0;
    else back_q <= ring[30];

    // For bytes 0 to 3: bytes 13, 14, 15 and 12 through the S-box.
    if (!around_q[1] || period_q[0]) sub_q <= '0;
    else sub_q <= (row_q[2] ? substituted[4] : substituted[0]) ^ rcon_now_q;
    if (column_q[0] && row_q[2]) rcon_now_q <= rcon_q[0];
    else rcon_now_q <= '0;

    // Bytes 12 to 15 of a round key, and backward 8 to 11: their sum is the last word of the one
    // before.
    if (!around_q[5]) last_word_q <= '0;
    else last_word_q <= ring[2];
    if (!around_q[5] || !ahead_q) word_before_q <= '0;
    else word_before_q <= ring[6];

    key_q <= ring[22];
    for (int d = 1; d < 5; d++) substituted[d] <= substituted[d-1];
  end

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  byte_t feed, corrected, mixed, state_d, state_q, looked_up, shifted, shifted_q;
  logic late_q;
  block_t out_block_q;

  // Byte n in slot n of period 11.
  aes_byte_feed u_block_feed (
    .clk_i,
    .load_i (accept),
    .start_i(next_period & period_q[NumRounds]),
    .block_i(in_block_i),
    .byte_o (feed)
  );

  assign state_d = shifted_q ^ key_q ^ feed;

  always_ff @(posedge clk_i) begin
    state_q <= state_d;
    if (!live_q) shifted_q <= '0;
    else shifted_q <= shifted;
    // Not in slot 27, with which the period begins: what is there belongs to a round.
    if (busy_q && last && !column_q[6]) out_block_q <= {out_block_q[119:0], state_d};
  end

  // Byte n is in state_q in slot n + 1.
  aes_inv_mix_correction_bytes u_correction (
    .clk_i,
    .second_i(row_q[3] | row_q[0]),
    .bypass_i(period_q[NumRounds+1] | around_q[5]),
    .zero_i  (around_q[5]),
    .add_i   (last_word_q ^ word_before_q),
    .byte_i  (state_q),
    .byte_o  (corrected)
  );

  // Byte n is in corrected in slot n + 4, the operand of SubWord in slots 20 to 23.
  aes_mix_column_bytes u_mix_column (
    .clk_i,
    .first_i (row_q[0]),
    .last_i  (row_q[3]),
    .bypass_i(period_q[NumRounds+1] | column_q[6]),
    .zero_i  (1'b0),
    .byte_i  (corrected),
    .byte_o  (mixed)
  );

  // Byte n is in mixed in slot n + 10, the operand in slots 26 to 1.
  aes_sub_bytes #(
    .Sbox    (Cfg.sbox),
    .Dir     (DirBoth),
    .Levels  (SboxLevels),
    .NumBytes(1)
  ) u_sub_bytes (
    .clk_i,
    .decrypt_i(~operand_q[1]),
    .bytes_i  (mixed),
    .bytes_o  (looked_up)
  );

  byte_t delay[SboxClocks-SboxLevels+1];

  assign delay[0] = looked_up;
  for (genvar d = 1; d <= SboxClocks - SboxLevels; d++) begin : gen_delay
    always_ff @(posedge clk_i) delay[d] <= delay[d-1];
  end
  assign substituted[0] = delay[SboxClocks-SboxLevels];

  // Byte n comes out of the S-box in slot n + 14, so rows 0 to 3 in slots 2, 3, 0, 1 mod 4. Byte
  // n = 4 c + r of InvShiftRows is byte 4 ((c - r) mod 4) + r of the state, which is ShiftRows with
  // rows 1 and 3 exchanged, but for those that wait four columns more: where c is r or more, not in
  // row 0. It leaves in slot n + 27; the register is set a slot before, n - 2 of the next period.
  always_ff @(posedge clk_i) begin
    late_q <= (row_q[3] & ~column_q[6]) | (row_q[0] & ~(column_q[0] | column_q[1])) |
              (row_q[1] & ~(column_q[0] | column_q[1] | column_q[2]));
  end

  aes_shift_rows_bytes u_shift_rows (
    .clk_i,
    .row_i ({row_q[3], row_q[0], row_q[1], row_q[2]}),
    .late_i(late_q),
    .byte_i(substituted[0]),
    .byte_o(shifted)
  );

  assign out_valid_o = out_valid_q;
  assign out_block_o = out_block_q;

endmodule
