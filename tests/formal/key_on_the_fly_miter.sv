// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_key_schedule_on_the_fly beside KeyExpansion (FIPS 197, section 5.2), word by word from the
// taking of any key to its last round key: by induction over one clock.
//
// same_o says: if a key was taken r / NumRounds clocks ago and r < Nr, the window is that of step r,
// every key round of the clock follows from the window before it as the standard says, and
// last_round_o is high where r + NumRounds = Nr. Where it holds in a clock it holds in the next one,
// whatever the inputs; before the first key and behind the last round key it says nothing.

module key_on_the_fly_miter
  import aes_pkg::*;
  import key_expansion_pkg::*;
#(
  parameter key_reg_e    Register  = KeyRegSubWord,
  parameter key_size_e   KeySize   = KeySize128,
  parameter int unsigned NumRounds = 1
) (
  input  logic         clk_i,
  input  logic [255:0] in_key_i,
  input  logic         enter_i,
  output logic         same_o
);

  localparam int unsigned Width = key_width(KeySize);
  localparam int unsigned Nk = Width / 32;
  localparam int unsigned Nr = Nk + 6;

  block_t first_key;
  block_t [NumRounds-1:0] round_keys;
  logic last_round, unused_last_round_next;

  aes_key_schedule_on_the_fly #(
    .Register (Register),
    .KeySize  (KeySize),
    .NumRounds(NumRounds)
  ) u_schedule (
    .clk_i,
    .in_key_i,
    .enter_i,
    .first_key_o      (first_key),
    .round_keys_o     (round_keys),
    .last_round_o     (last_round),
    .last_round_next_o(unused_last_round_next)
  );

  // The windows before and behind each key round. The first one is that of the last clock.
  logic [Width-1:0] window[NumRounds+1];
  logic [Width-1:0] window_q;
  logic             claimed_q;
  logic [      3:0] r_q;

  assign window[0] = window_q;
  for (genvar n = 0; n < NumRounds; n++) begin : gen_window
    assign window[n+1] = u_schedule.gen_round[n].result;
  end

  always_ff @(posedge clk_i) begin
    window_q <= enter_i ? in_key_i[255-:Width] : window[NumRounds];
    if (enter_i) begin
      claimed_q <= 1'b1;
      r_q       <= '0;
    end else if (r_q >= 4'(Nr - NumRounds)) begin
      claimed_q <= 1'b0;
    end else begin
      r_q <= r_q + 4'(NumRounds);
    end
  end

  // What the standard asks for the words of each key round.
  step_t steps[NumRounds][4];
  byte_t next_rcon;
  logic [1:0] phase;

  always_comb begin
    phase     = '0;
    next_rcon = '0;
    for (int unsigned n = 0; n < NumRounds; n++) begin
      for (int unsigned i = 0; i < 4; i++) steps[n][i] = '0;
    end
    for (int unsigned r = 0; r < Nr; r += NumRounds) begin
      if (r_q == 4'(r)) begin
        // Steps repeat with the groups of Nk words, and are of four.
        phase     = 2'(r % ((Nk == 6) ? 3 : Nk / 4));
        // The last step of a 192-bit key takes none; there the ring is at {00}.
        next_rcon = (Nk == 6 && r == 11) ? 8'h00 : Rcon[(4*r+2*Nk-1)/Nk];
        for (int unsigned n = 0; n < NumRounds; n++) begin
          for (int unsigned i = 0; i < 4; i++) steps[n][i] = step_of(Nk, 4 * (r + n) + Nk + i);
        end
      end
    end
  end

  logic same_keys, same_state, counted;

  always_comb begin
    word_t w[Nk+4];
    same_keys = first_key == in_key_i[255:128] && last_round == (r_q == 4'(Nr - NumRounds));
    for (int unsigned n = 0; n < NumRounds; n++) begin
      for (int unsigned i = 0; i < Nk; i++) w[i] = window[n][Width-1-32*i-:32];
      for (int unsigned i = 0; i < 4; i++) w[Nk+i] = next_word(steps[n][i], w[Nk+i-1], w[i]);
      for (int unsigned i = 0; i < Nk; i++) same_keys &= window[n+1][Width-1-32*i-:32] == w[i+4];
      same_keys &= round_keys[n] == {w[4], w[5], w[6], w[7]};
    end
  end

  always_comb begin
    counted = 1'b0;
    for (int unsigned r = 0; r < Nr; r += NumRounds) counted |= r_q == 4'(r);
    same_state = counted && u_schedule.window_q == window_q && u_schedule.phase_q == phase &&
                 u_schedule.rcon_q == next_rcon;
  end

  assign same_o = !claimed_q || (same_keys && same_state);

endmodule
