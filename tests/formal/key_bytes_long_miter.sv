// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The round keys of 192 and 256-bit keys that aes_key_bytes makes in aes_core_narrow_bytes, beside
// KeyExpansion for Nk = 6 and 8 (FIPS 197, section 5.2), byte by byte. The core adds byte n of a
// round key in slot n of its round of 24.
//
//   control_o   slots, rounds and what is derived from them belong together, and the feed of the key
//               holds no more than what is still to come. Where that is so in a clock it is so in
//               the next one, whatever the inputs: for ever.
//   same_o      the key byte of this clock is that of the key taken, in the first Nk words, or what
//               the standard makes of those of 48 and fewer clocks ago
//
// Rounds -2 and -1 are those before round 0.
//
// From any state with control_o and round_ends_o, same_o holds for the third round from there; and from
// the taking of a key, for the first Nk words.

module key_bytes_long_miter
  import aes_pkg::*;
  import key_expansion_pkg::*;
#(
  parameter key_size_e KeySize = KeySize256
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         in_valid_i,
  input  block_t       in_block_i,
  input  logic [255:0] in_key_i,
  output logic         round_ends_o,  // slot 23 before round 0 or later
  output logic         idle_o,        // a block is taken if there is one
  output logic         control_o,
  output logic         same_o
);

  function automatic cfg_t make_cfg();
    cfg_t cfg;
    cfg          = DefaultCfg;
    cfg.key_size = KeySize;
    return cfg;
  endfunction

  localparam cfg_t Cfg = make_cfg();
  localparam bit Six = KeySize == KeySize192;
  localparam int unsigned Nk = Six ? 6 : 8;
  localparam int unsigned KeyWidth = 32 * Nk;
  localparam int NumRounds = Six ? 12 : 14;
  localparam int IdleSlot = Six ? 22 : 14;

  logic ready, unused_fault, unused_out_valid;
  block_t unused_out_block;

  aes_core_narrow_bytes #(
    .Cfg(Cfg)
  ) u_core (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (ready),
    .in_block_i,
    .in_key_i,
    .out_valid_o(unused_out_valid),
    .out_block_o(unused_out_block),
    .fault_o    (unused_fault)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Slots and rounds
  ///////////////////////////////////////////////////////////////////////////

  logic busy_q, accept;
  logic [4:0] slot_q;
  logic [4:0] round_q;  // two more than the round
  logic [255:0] key_q;

  assign accept       = in_valid_i && !busy_q;
  assign round_ends_o = busy_q && round_q != '0 && slot_q == 5'd23;
  assign idle_o       = !busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else if (accept) begin
      busy_q <= 1'b1;
    end else if (round_q == 5'(NumRounds + 2) && slot_q == 5'd15) begin
      busy_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept) begin
      key_q   <= in_key_i;
      slot_q  <= 5'(IdleSlot);
      round_q <= '0;
    end else begin
      slot_q <= (slot_q == 5'd23) ? 5'd0 : slot_q + 5'd1;
      if (slot_q == 5'd23) round_q <= round_q + 5'd1;
    end
  end

  // What changes with slot 22; rounds count from -2 as in round_q.
  logic [4:0] early;
  logic [5:0] around, column;
  logic [31:0] rounds;
  assign early  = (slot_q >= 5'd22) ? round_q + 5'd1 : round_q;
  assign rounds = 32'd1 << early;

  // Bytes at the end of the feed that are zero: zeros are shifted in, and it is loaded in slot 22
  // before round 0 and, its second half of 256-bit keys, in slot 6 of round 0.
  logic signed [10:0] since_taken, zeros;  // narrow: solvers pay for every bit
  always_comb begin
    since_taken = {2'b0, round_q, 4'b0} + {3'b0, round_q, 3'b0} + 11'(slot_q) - 11'(IdleSlot);
    // A reset leaves anything in the registers, and so may set something once more.
    if (since_taken <= 11'(KeyWidth / 8)) zeros = since_taken - 11'sd1;
    else if (Six) zeros = since_taken - 11'sd25;
    else if (since_taken <= 11'sd40) zeros = since_taken - 11'sd17;
    else zeros = since_taken - 11'sd41;
  end

  logic step, first;
  logic [1:0] third;

  always_comb begin
    around = '0;
    column = '0;
    for (int unsigned s = 0; s < 24; s++) begin
      if (slot_q == 5'(s)) begin
        around[(s+2)/4%6] = 1'b1;
        column[s/4]       = 1'b1;
      end
    end
    // Round mod 3: round 0 is 2 in early.
    third = 2'((6'(early) + 6'd1) % 6'd3);
    // Slots whose byte is made for the next slot, of the round that this next slot is in.
    if (!Six) step = slot_q <= 5'd14 || slot_q == 5'd23;
    else begin
      case (2'((6'((slot_q == 5'd23) ? round_q + 5'd1 : round_q) + 6'd1) % 6'd3))
        2'd0:    step = slot_q <= 5'd22 || slot_q == 5'd23;
        2'd1:    step = slot_q >= 5'd3 && slot_q <= 5'd10;
        default: step = slot_q <= 5'd14 || slot_q == 5'd23;
      endcase
    end
    // A clock after a block was taken, what a clock with it has set is there.
    first = round_q == '0 && slot_q == 5'(IdleSlot);
  end

  logic derived;

  if (Six) begin : gen_six
    assign derived =
        u_core.gen_long.u_keys.gen_six.third_q == 3'b001 << third &&
        (first || (
          u_core.gen_long.u_keys.gen_six.half_q == (slot_q >= 5'd7 && slot_q <= 5'd22) &&
          u_core.gen_long.u_keys.gen_six.middle_q ==
              ((slot_q == 5'd22) ? third == 2'd2 : third == 2'd1)));
  end else begin : gen_eight
    assign derived = u_core.gen_long.u_keys.gen_eight.odd_q == early[0];
  end

  always_comb begin
    control_o = u_core.busy_q == busy_q && ready != busy_q;
    if (busy_q) begin
      control_o &= slot_q < 5'd24 && u_core.row_q == 4'b0001 << slot_q[1:0] &&
                   u_core.column_q == column && u_core.around_q == around &&
                   32'(u_core.gen_long.round_q) == rounds &&
                   u_core.gen_long.empty_q == (early < 5'd2) &&
                   u_core.gen_long.loading_q == (early < 5'd3) &&
                   u_core.last_q == (round_q == 5'(NumRounds + 2)) && derived &&
                   u_core.gen_long.u_keys.made_q == (early >= (Six ? 5'd3 : 5'd4));
      control_o &= first || u_core.gen_long.u_keys.step_q == step;
      control_o &= round_q != '0 || slot_q >= 5'(IdleSlot);
      control_o &= round_q < 5'(NumRounds + 2) || (round_q == 5'(NumRounds + 2) && slot_q <= 5'd15);
      control_o &= first || (round_q == 5'd1 && slot_q == 5'd22) ||
                   (!Six && round_q == 5'd2 && slot_q == 5'd6) ||
                   u_core.gen_long.u_keys.set_q == '0;
      if (!Six && round_q == 5'd1 && slot_q == 5'd22) begin
        control_o &= u_core.gen_long.u_keys.set_q[127:0] == '0;
      end
      if (!Six && round_q == 5'd2 && slot_q == 5'd6) begin
        control_o &= u_core.gen_long.u_keys.set_q[KeyWidth-1:128] == '0;
      end
      for (int b = 0; b < 4 * int'(Nk); b++) begin
        if (11'(b) < zeros) control_o &= u_core.gen_long.u_keys.feed_q[8*b+:8] == '0;
      end
      // The feed of the block is one of aes_byte_feed, which gives its last byte in slot 14.
      control_o &= first || (round_q == 5'd1 && slot_q == 5'd22) || u_core.u_block_feed.set_q == '0;
      for (int unsigned b = 0; b < 16; b++) begin
        if (round_q > 5'd2 || (round_q == 5'd2 && 32'(slot_q) >= b)) begin
          control_o &= u_core.u_block_feed.shift_q[8*b+:8] == '0;
        end
      end
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // The standard
  ///////////////////////////////////////////////////////////////////////////

  byte_t h[49];  // the key byte of so many clocks ago

  assign h[0] = u_core.key;
  for (genvar i = 1; i <= 48; i++) begin : gen_past
    always_ff @(posedge clk_i) h[i] <= h[i-1];
  end

  byte_t defined, base, rotated, previous;
  word_t substituted;
  logic [7:0] number;  // of the byte in KeyExpansion
  logic [5:0] word;    // and of its word

  always_comb begin
    number = {4'(round_q - 5'd2), slot_q[3:0]};
    word   = number[7:2];
    // The same byte of W[i - Nk] and W[i - 1], and the one after that.
    if (Six) base = (slot_q >= 5'd8) ? h[32] : h[40];
    else base = h[48];
    previous = (slot_q >= 5'd4) ? h[4] : h[12];
    if (slot_q >= 5'd4) rotated = (slot_q[1:0] == 2'd3) ? h[7] : h[3];
    else rotated = (slot_q[1:0] == 2'd3) ? h[15] : h[11];

    substituted = sub_word({16'b0, rotated, previous});
    defined     = base ^ previous;
    if (number < 8'(4 * Nk)) begin
      defined = '0;
      for (int unsigned n = 0; n < 4 * Nk; n++) if (number == 8'(n)) defined = key_q[8*(31-n)+:8];
    end else if (word % 6'(Nk) == '0) begin
      defined = base ^ substituted[15:8];
      if (slot_q[1:0] == '0) begin
        for (int unsigned k = 1; k <= 8; k++) if (word == 6'(Nk * k)) defined ^= Rcon[k];
      end
    end else if (!Six && word % 6'(Nk) == 6'd4) begin
      defined = base ^ substituted[7:0];
    end
  end

  assign same_o = !busy_q || round_q < 5'd2 || slot_q > 5'd15 || h[0] == defined;

endmodule
