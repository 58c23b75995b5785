// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys of 192 and 256-bit keys for aes_core_narrow_bytes, a byte at a time, with its S-box.
//
//   key_i --[ feed ]--+     +-- before, SubWord + Rcon
//                     |     |
//          +----------+-(+)-+--+--|R|------------------(+)-- key_o
//          |                   |                        |
//          +--|R| x 4 Nk ------+                        |
//              (window)  +-----+--|R| x 4 or 8 --|R|----+
//                              +--|R| x 5 -------|R|----+  (Nk = 8)
//
// The window holds the last Nk words of KeyExpansion (FIPS 197, section 5.2). It shifts only when a
// byte is made, so byte b of W[i - Nk] is always at its end and that of W[i - 1], before, four bytes
// from its head; the first word of Nk, and with Nk = 8 the fifth, have SubWord in place of it. The
// key itself comes from a feed, as of aes_byte_feed, which shifts in every clock: a flip-flop with
// an enable beside a set of its own would cost a LUT.
//
// With Nk = 8 the bytes of a round key are made as they are added, SubWord of its first word from the
// round before:
//
//   slots 0 to 15     a byte is made and added
//   slots 17 to 20    the last word to the S-box: bytes 13, 14, 15 and 12 of the last four and eight
//                     clocks (RotWord, in every other round), or 12 to 15 of five clocks ago
//
// With Nk = 6 a word in two rounds of three needs SubWord, once in the middle of a round. So six words
// are made at a time, and added some clocks later where the state is not ready for them:
//
//   round 3 k, slots 0 to 23         six words, four of them added as they are made; the last one
//                                    goes to the S-box as it is made
//   round 3 k + 1, slots 0 to 7      the other two, made eight clocks ago, are added
//                  slots 4 to 11     two words, the first one with SubWord; in slots 8 to 15 they
//                                    are added
//   round 3 k + 2, slots 0 to 15     four words, added as they are made
//                  slots 17 to 20    the last word to the S-box, bytes 13, 14, 15 and 12
//
// What is not to be added is zero by the synchronous reset of its register. SubWord comes back in
// order; only a word that went to the S-box as it was made has byte 12 four clocks too early.

module aes_key_bytes
  import aes_pkg::*;
#(
  parameter key_size_e KeySize = KeySize256,  // KeySize192 or KeySize256
  localparam int unsigned KeyWidth = key_width(KeySize),
  localparam int unsigned NumRounds = 32'(num_rounds(max_key_len(KeySize)))
) (
  input  logic                clk_i,
  input  logic                load_i,        // key_i is taken
  input  logic [KeyWidth-1:0] key_i,         // first byte at the top
  input  logic                idle_i,        // there is no block
  input  logic                start_i,       // slot 21 before round 0
  input  logic [         3:0] row_i,         // slot mod 4, one-hot
  input  logic [         5:0] column_i,      // slot / 4, one-hot
  input  logic [         5:0] around_i,      // (slot + 2) / 4 mod 6, one-hot
  input  logic [NumRounds:0]  round_i,       // one-hot, from slot 22 of the round before
  input  byte_t               substituted_i, // byte of slot n from slot n + 4 on
  output byte_t               key_o          // byte n in slot n; the operand of SubWord, 16 to 23
);

  localparam bit Nk6 = KeySize == KeySize192;
  localparam int unsigned KeySplit = Nk6 ? 0 : 128;

  if (KeySize != KeySize192 && KeySize != KeySize256) begin : gen_bad_size
    $fatal(1, "aes_key_bytes: KeySize must be KeySize192 or KeySize256");
  end

  // Slot 21, behind which round_i changes.
  logic last;
  assign last = column_i[5] & row_i[1];

  logic unused_slots;
  assign unused_slots = ^{row_i, column_i, around_i, round_i};

  ///////////////////////////////////////////////////////////////////////////
  // Which byte is made in which slot, and added in which
  ///////////////////////////////////////////////////////////////////////////

  logic made_q;       // from the first word that is not the key's
  logic made_next;    // the byte after that made in this clock is its first
  logic step_q;       // a byte is made, for the next slot
  logic step_d;       // for four slots
  logic substitute;   // SubWord is added in the clock after the next
  logic first;        // the byte after that made in this clock is of a word with SubWord
  logic direct;       // the next slot takes the byte that is made
  logic late_4, late_5, late_8;  // the next slot takes a byte of so many clocks before
  logic rot_late;     // byte 12 is four clocks older than it should be
  byte_t rcon_q;      // with the first byte of SubWord
  byte_t before_rcon;
  logic rcon_even, rcon_odd;  // round constants 1, 3, 5, 7 and 2, 4, 6, 8 are due

  always_ff @(posedge clk_i) begin
    if (idle_i) made_q <= 1'b0;
    else if (last) made_q <= made_q | round_i[Nk6?0 : 1];

    if (row_i[2]) step_q <= step_d;
  end

  for (genvar i = 0; i < 8; i++) begin : gen_rcon
    always_ff @(posedge clk_i) begin
      if (!((i % 2 == 0) ? rcon_even : rcon_odd)) rcon_q[i] <= 1'b0;
      else rcon_q[i] <= before_rcon[i];
    end
  end

  if (Nk6) begin : gen_six
    logic [2:0] third_q;  // round mod 3, one-hot, from slot 22 of the round before
    logic middle_q;       // round 3 k + 1, from slot 23 of the round before
    logic half_q;         // slots 7 to 22

    always_ff @(posedge clk_i) begin
      if (idle_i) third_q <= 3'b100;
      else if (last) third_q <= {third_q[1:0], third_q[2]};
      middle_q <= third_q[1];
      if (row_i[2]) half_q <= ~(column_i[5] | column_i[0]);
    end

    assign step_d = third_q[0] | column_i[0] | column_i[1] |
                    (third_q[2] & (column_i[2] | column_i[5]));
    assign substitute = (around_i[0] & third_q[0]) | (around_i[1] & third_q[1]);
    assign first = (around_i[0] & ~third_q[2]) | (around_i[1] & third_q[1]) |
                   (around_i[4] & third_q[2]);
    assign direct = ~(middle_q | (column_i[4] & third_q[2]));
    assign late_4 = (middle_q & half_q) | (column_i[4] & third_q[2] & ~row_i[3]);
    assign late_8 = (middle_q & ~half_q) | (column_i[4] & third_q[2] & row_i[3]);
    assign late_5 = 1'b0;
    assign made_next = 1'b0;
    assign rot_late = column_i[1] & row_i[1];
    assign rcon_even = column_i[0] & row_i[1];
    assign rcon_odd = last;
    // Rcon[k] is in W[6 k], which is of round 3 k / 2, for an odd k in the middle of it. Bit 0 of a
    // round that begins with it is that of the round before.
    assign before_rcon = {
      round_i[11], round_i[10], round_i[8], round_i[7], round_i[5], round_i[4], round_i[2],
      round_i[1]
    };
  end else begin : gen_eight
    logic odd_q;  // from slot 22 of the round before

    always_ff @(posedge clk_i) begin
      if (idle_i) odd_q <= 1'b0;
      else if (last) odd_q <= ~odd_q;
    end

    assign step_d      = ~(column_i[3] | column_i[4]);
    assign substitute  = around_i[0];
    assign first       = around_i[0] | around_i[4];
    assign direct      = ~column_i[4];
    assign late_4      = column_i[4] & odd_q & ~row_i[3];
    assign late_8      = column_i[4] & odd_q & row_i[3];
    assign late_5      = column_i[4] & ~odd_q;
    assign made_next   = around_i[4] & round_i[1];
    assign rot_late    = 1'b0;
    assign rcon_even   = last;
    assign rcon_odd    = last;
    // Rcon[k] is in W[8 k], the first word of round 2 k.
    assign before_rcon = {
      1'b0, round_i[13], round_i[11], round_i[9], round_i[7], round_i[5], round_i[3], round_i[1]
    };
  end

  ///////////////////////////////////////////////////////////////////////////
  // The key
  ///////////////////////////////////////////////////////////////////////////

  // Bytes 16 to 31 are of round 1, which begins eight clocks after byte 15 was given.
  logic [KeyWidth-1:0] key_q, set_q, feed_d, feed_q;

  always_comb begin
    for (int i = 0; i < KeyWidth; i++) begin
      if (set_q[i]) feed_d[i] = 1'b1;
      else feed_d[i] = (i < 8) ? 1'b0 : feed_q[(i+KeyWidth-8)%KeyWidth];
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) key_q <= key_i;
    if (!start_i) set_q[KeyWidth-1:KeySplit] <= '0;
    else set_q[KeyWidth-1:KeySplit] <= key_q[KeyWidth-1:KeySplit];
    feed_q <= feed_d;
  end

  if (KeySplit > 0) begin : gen_split
    logic start_again;
    assign start_again = round_i[0] & column_i[1] & row_i[1];
    always_ff @(posedge clk_i) begin
      if (!start_again) set_q[KeySplit-1:0] <= '0;
      else set_q[KeySplit-1:0] <= key_q[KeySplit-1:0];
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // KeyExpansion
  ///////////////////////////////////////////////////////////////////////////

  localparam int unsigned NumBytes = KeyWidth / 8;

  byte_t made, tail_q, before_q, sub_q, direct_q, late_4_q, late_5_q, late_8_q;
  byte_t window_q[NumBytes-1];  // with tail_q behind it
  byte_t past[8];               // [d]: the byte at the head of the window d clocks ago
  byte_t substituted[6];        // [d]: d clocks after the S-box

  assign made           = tail_q ^ before_q ^ sub_q ^ feed_q[KeyWidth-1-:8];
  assign past[0]        = window_q[0];
  assign substituted[0] = substituted_i;

  always_ff @(posedge clk_i) begin
    if (step_q) begin
      window_q[0] <= made;
      for (int d = 1; d < NumBytes - 1; d++) window_q[d] <= window_q[d-1];
      if (!made_q && !made_next) tail_q <= '0;
      else tail_q <= window_q[NumBytes-2];
      if (first || !made_q) before_q <= '0;
      else before_q <= window_q[2];
    end

    if (!substitute || !made_q) sub_q <= '0;
    else sub_q <= (rot_late ? substituted[5] : substituted[1]) ^ rcon_q;

    if (!direct) direct_q <= '0;
    else direct_q <= made;
    if (!late_4) late_4_q <= '0;
    else late_4_q <= past[3];
    if (!late_5) late_5_q <= '0;
    else late_5_q <= past[4];
    if (!late_8) late_8_q <= '0;
    else late_8_q <= past[7];

    for (int d = 1; d < 8; d++) past[d] <= past[d-1];
    for (int d = 1; d < 6; d++) substituted[d] <= substituted[d-1];
  end

  assign key_o = direct_q ^ late_4_q ^ late_5_q ^ late_8_q;

endmodule
