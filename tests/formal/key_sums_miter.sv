// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_key_schedule_sums beside KeyExpansion (FIPS 197, section 5.2), word by word from the taking of
// any 128-bit key to its last round key: by induction over one clock.
//
// same_o says: if a key was taken r + 1 clocks ago and r < 10, round_key_o is what the standard makes
// of round key r, last_round_o is high where r = 9, and the registers hold the sums of round key r,
// its SubWord and the next round constant. Where it holds in a clock it holds in the next one,
// whatever the inputs; before the first key and behind the last round key it says nothing.

module key_sums_miter
  import aes_pkg::*;
  import key_expansion_pkg::*;
(
  input  logic         clk_i,
  input  logic [255:0] in_key_i,
  input  logic         enter_i,
  output logic         same_o
);

  block_t first_key, round_key, sums;
  word_t sub;
  logic last_round, last_round_next;

  aes_key_schedule_sums u_schedule (
    .clk_i,
    .in_key_i,
    .enter_i,
    .first_key_o      (first_key),
    .round_key_o      (round_key),
    .sums_o           (sums),
    .sub_o            (sub),
    .last_round_o     (last_round),
    .last_round_next_o(last_round_next)
  );

  block_t     key_q;      // round key r
  logic       claimed_q;
  logic [3:0] r_q;

  always_ff @(posedge clk_i) begin
    key_q <= enter_i ? in_key_i[255:128] : round_key;
    if (enter_i) begin
      claimed_q <= 1'b1;
      r_q       <= '0;
    end else if (r_q >= 4'd9) begin
      claimed_q <= 1'b0;
    end else begin
      r_q <= r_q + 4'd1;
    end
  end

  // What the standard asks for.
  word_t w[8];
  word_t defined_sub, sum;
  byte_t rcon, next_rcon;
  block_t defined_sums;
  logic same_keys, same_state, counted;

  always_comb begin
    counted   = 1'b0;
    rcon      = '0;
    next_rcon = '0;
    for (int unsigned r = 0; r < 10; r++) begin
      if (r_q == 4'(r)) begin
        counted   = 1'b1;
        rcon      = Rcon[r+1];
        next_rcon = (r < 9) ? Rcon[r+2] : 8'h6c;
      end
    end
    sum = {rcon, 24'h0};
    for (int unsigned i = 0; i < 4; i++) begin
      w[i] = key_q[127-32*i-:32];
      sum ^= w[i];
      defined_sums[127-32*i-:32] = sum;
    end
    defined_sub = sub_word({w[3][23:0], w[3][31:24]});
    w[4] = w[0] ^ defined_sub ^ {rcon, 24'h0};
    for (int unsigned i = 5; i < 8; i++) w[i] = w[i-4] ^ w[i-1];
  end

  assign same_keys = first_key == in_key_i[255:128] && round_key == {w[4], w[5], w[6], w[7]} &&
                     last_round == (r_q == 4'd9) &&
                     last_round_next == (!enter_i && r_q == 4'd8);
  assign same_state = counted && sums == defined_sums && sub == defined_sub &&
                      u_schedule.rcon_q == next_rcon;
  assign same_o = !claimed_q || (same_keys && same_state);

endmodule
