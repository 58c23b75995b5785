// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The round keys of aes_core_narrow_bytes beside KeyExpansion for Nk = 4 (FIPS 197, section 5.2),
// byte by byte. The core adds byte n of a round key in slot n of its round of 24.
//
//   control_o   slot, round, round constant and flags belong together, and of the feeds is left what
//               round 0 still takes. Where that is so in a clock it is so in the next one, whatever
//               the inputs: for ever.
//   same_o      the key byte of this clock is that of the key taken, in round 0, or what the
//               standard makes of those of 24 and fewer clocks ago
//
// The slots before round 0 count as those of round 15.
//
// From any state with control_o in slot 23, same_o holds for the round behind the next one; and from
// the taking of a key, for round 0.

module key_bytes_miter
  import aes_pkg::*;
  import key_expansion_pkg::*;
#(
  parameter sbox_e       Sbox       = SboxTable,
  parameter int unsigned SboxLevels = 1
) (
  input  logic   clk_i,
  input  logic   rst_ni,
  input  logic   in_valid_i,
  input  block_t in_block_i,
  input  block_t in_key_i,
  output logic   round_ends_o,  // slot 23
  output logic   idle_o,        // a block is taken if there is one
  output logic   control_o,
  output logic   same_o
);

  function automatic cfg_t make_cfg();
    cfg_t cfg;
    cfg             = DefaultCfg;
    cfg.sbox        = Sbox;
    cfg.sbox_levels = 4'(SboxLevels);
    return cfg;
  endfunction

  localparam cfg_t Cfg = make_cfg();

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
    .in_key_i   ({in_key_i, 128'b0}),
    .out_valid_o(unused_out_valid),
    .out_block_o(unused_out_block),
    .fault_o    (unused_fault)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Slots and rounds
  ///////////////////////////////////////////////////////////////////////////

  logic busy_q, loading, accept;
  logic [4:0] slot_q;
  logic [3:0] round_q;
  block_t key_q;

  assign accept       = in_valid_i && !busy_q;
  assign round_ends_o = busy_q && slot_q == 5'd23;
  assign idle_o       = !busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else if (accept) begin
      busy_q <= 1'b1;
    end else if (round_q == 4'd10 && slot_q == 5'd15) begin
      busy_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept) begin
      key_q   <= in_key_i;
      slot_q  <= 5'd6;
      round_q <= 4'd15;
    end else begin
      slot_q <= (slot_q == 5'd23) ? 5'd0 : slot_q + 5'd1;
      if (slot_q == 5'd23) round_q <= round_q + 4'd1;
    end
  end

  assign loading = round_q == 4'd15 || (round_q == 4'd0 && slot_q <= 5'd13);

  logic [5:0] around;
  byte_t rcon;

  always_comb begin
    around = '0;
    for (int unsigned s = 0; s < 24; s++) if (slot_q == 5'(s)) around[(s+2)/4%6] = 1'b1;
    rcon = (round_q == 4'd15) ? 8'h00 : 8'h6c;
    for (int unsigned r = 0; r < 10; r++) if (round_q == 4'(r)) rcon = Rcon[r+1];
  end

  // The bytes of a feed that have been given.
  block_t gone;
  always_comb begin
    for (int unsigned b = 0; b < 16; b++) begin
      gone[8*b+:8] = (round_q != 4'd0 || 32'(slot_q) >= b) ? 8'hff : 8'h00;
    end
  end

  always_comb begin
    control_o = u_core.busy_q == busy_q && ready != busy_q;
    if (busy_q) begin
      control_o &= slot_q < 5'd24 && u_core.row_q == 4'b0001 << slot_q[1:0] &&
                   u_core.column_q == 6'b000001 << slot_q[4:2] && u_core.around_q == around &&
                   u_core.gen_128.rcon_q == rcon && u_core.gen_128.loading_q == loading &&
                   u_core.last_q == (round_q == 4'd10) && (round_q <= 4'd10 || loading) &&
                   u_core.gen_128.bypass_q ==
                       (round_q == 4'd10 || (round_q == 4'd9 && slot_q >= 5'd22));
      control_o &= round_q != 4'd15 || slot_q >= 5'd6;
      control_o &= round_q != 4'd10 || slot_q <= 5'd15;
      control_o &= (round_q == 4'd15 && slot_q != 5'd23) ||
                   (u_core.gen_128.u_key_feed.set_q | u_core.u_block_feed.set_q) == '0;
      control_o &= round_q == 4'd15 ||
                   ((u_core.gen_128.u_key_feed.shift_q | u_core.u_block_feed.shift_q) & gone) == '0;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // The standard
  ///////////////////////////////////////////////////////////////////////////

  byte_t h[25];  // the key byte of so many clocks ago

  assign h[0] = u_core.key;
  for (genvar i = 1; i <= 24; i++) begin : gen_past
    always_ff @(posedge clk_i) h[i] <= h[i-1];
  end

  byte_t defined, operand;

  always_comb begin
    // Byte n + 1 of the last word of the round key before, byte 12 for n = 3.
    operand = (slot_q[1:0] == 2'd3) ? h[15] : h[11];
    if (round_q == '0) defined = get_byte(key_q, 32'(slot_q[3:0]));
    else if (slot_q >= 5'd4) defined = h[24] ^ h[4];
    else defined = h[24] ^ SboxFwdTable[operand];
    if (round_q != '0 && slot_q == '0) begin
      for (int unsigned r = 1; r <= 10; r++) if (round_q == 4'(r)) defined ^= Rcon[r];
    end
  end

  assign same_o = !busy_q || round_q == 4'd15 || slot_q > 5'd15 || h[0] == defined;

endmodule
