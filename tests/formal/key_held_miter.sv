// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_key_schedule_held beside KeyExpansion (FIPS 197, section 5.2), word by word: one step, from any
// window and any state of the rest, and so any number of them.
//
// same_o says of the window in the register: it is the key that was offered, if one was taken a clock
// ago. Else it is what the standard makes of the window of Levels clocks before, if that was said to be
// the one of round key r, and SubWord was told so a clock earlier (the phase of 192- and 256-bit keys).
// It holds from Levels + 1 clocks after the start.

module key_held_miter
  import aes_pkg::*;
  import aes_key_pkg::*;
  import key_expansion_pkg::*;
#(
  parameter  key_size_e   KeySize   = KeySize128,
  parameter  int unsigned Levels    = 1,
  localparam int unsigned NumRounds = 32'(num_rounds(max_key_len(KeySize)))
) (
  input  logic                 clk_i,
  input  logic [        255:0] in_key_i,
  input  logic                 enter_i,
  input  logic [NumRounds-1:0] steps_i,
  output logic                 same_o
);

  localparam int unsigned Width = key_width(KeySize);
  localparam int unsigned Nk = Width / 32;

  typedef logic [Width-1:0] key_window_t;
  typedef struct packed {
    key_window_t          window;
    logic [NumRounds-1:0] steps;
    logic [1:0]           phase;
  } seen_t;

  block_t round_key;

  aes_key_schedule_held #(
    .KeySize(KeySize),
    .Levels (Levels)
  ) u_schedule (
    .clk_i,
    .in_key_i,
    .enter_i,
    .steps_i,
    .round_key_o(round_key)
  );

  // [n]: n clocks ago
  seen_t [Levels:0] seen;
  logic [1:0] phase_q;
  logic entered_q;
  key_window_t in_key_q;

  assign seen[0] = {u_schedule.window_q, steps_i, phase_q};

  always_ff @(posedge clk_i) begin
    phase_q        <= u_schedule.phase_d;
    seen[Levels:1] <= seen[Levels-1:0];
    entered_q      <= enter_i;
    in_key_q       <= in_key_i[255-:Width];
  end

  logic claimed;
  key_window_t expected;

  always_comb begin
    word_t w[Nk+4];
    step_t steps[4];
    claimed = 1'b0;
    for (int unsigned i = 0; i < 4; i++) steps[i] = '0;
    for (int unsigned r = 0; r < NumRounds; r++) begin
      if (seen[Levels].steps == NumRounds'(1) << r) begin
        claimed = seen[Levels].phase == 2'(r % ((Nk == 6) ? 3 : Nk / 4));
        for (int unsigned i = 0; i < 4; i++) steps[i] = step_of(Nk, 4 * r + Nk + i);
      end
    end
    for (int unsigned i = 0; i < Nk; i++) w[i] = seen[Levels].window[Width-1-32*i-:32];
    for (int unsigned i = 0; i < 4; i++) w[Nk+i] = next_word(steps[i], w[Nk+i-1], w[i]);
    for (int unsigned i = 0; i < Nk; i++) expected[Width-1-32*i-:32] = w[i+4];
  end

  assign same_o = round_key == seen[0].window[Width-1-:128] &&
                  (entered_q ? seen[0].window == in_key_q :
                   !claimed || seen[0].window == expected);

endmodule
