// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys made while the block is processed (FIPS 197, section 5.2; pilchard, section 3): a key
// travels with each block.
//
//   in_key_i --[ mux ]--+---------|*|-----------+--( key round )-|#|- ... --( key round )--+
//                 |     +--[ SubWord(RotWord) ]-+               |                    |     |
//                 |                |*|                         key 0 ...          key N-1  |
//                 +------------------------------------------------------------------------+
//
// What goes round is a window of KeyExpansion, Nk words, of which the top four are the round key
// (aes_key_pkg). The register stands at the marks * (KeyRegSubWord), inside the SubWord of the first
// key round of a clock, which can then be a block RAM; or at # (KeyRegRoundKey), so that key 0 comes
// from a register and no sum of key words lengthens the path of a round. The latter needs SubWord in
// logic. The SubWords of the other key rounds (NumRounds > 1) are combinational.

module aes_key_schedule_on_the_fly
  import aes_pkg::*;
  import aes_key_pkg::*;
#(
  parameter sbox_e       Sbox      = SboxTable,
  parameter key_reg_e    Register  = KeyRegSubWord,
  parameter key_size_e   KeySize   = KeySize128,     // not KeySizeAny
  parameter int unsigned NumRounds = 1               // round keys a clock; divides Nr
) (
  input  logic                   clk_i,
  input  logic   [255:0]         in_key_i,      // key of the block that is offered
  input  logic                   enter_i,       // a block may enter: a new key is taken
  output block_t                 first_key_o,   // for the block that is offered
  output block_t [NumRounds-1:0] round_keys_o,  // for the block under way, [0] comes first
  output logic                   last_round_o   // round_keys_o are the last ones of the block
);

  localparam int unsigned Width = key_width(KeySize);
  typedef logic [Width-1:0] key_window_t;

  // The first key round in the last clock of a block, and whether its round constant is its own: the
  // first key round of no other clock has it.
  localparam int unsigned LastStep = 32'(num_rounds(max_key_len(KeySize))) - NumRounds;
  localparam byte_t LastRcon = rcon_of(KeySize, LastStep);

  localparam bit Ahead = Register == KeyRegRoundKey;

  // Index r: before key round r of the clock.
  key_window_t [NumRounds:0]      window;
  byte_t       [NumRounds:0]      rcon;
  logic        [NumRounds:0][1:0] phase;

  key_window_t window_d, window_q;
  byte_t rcon_d, rcon_q;
  logic [1:0] phase_d, phase_q;
  logic last_round_q;

  assign window[0] = window_q;
  assign rcon[0]   = rcon_q;
  assign phase[0]  = phase_q;

  for (genvar r = 0; r < NumRounds; r++) begin : gen_round
    localparam bit First = r == 0;
    localparam bit FirstAhead = First && Ahead;

    // The first key round begins at the multiplexer: its S-boxes always, all of it with Ahead.
    key_window_t from_window, next_window;
    logic [1:0] from_phase;
    byte_t from_rcon;
    word_t sub;

    assign from_window = FirstAhead ? window_d : window[r];
    assign from_phase = FirstAhead ? phase_d : phase[r];
    assign from_rcon  = FirstAhead ? rcon_d : rcon[r];

    aes_sub_bytes #(
      .Sbox    (Sbox),
      .Levels  ((First && !Ahead) ? 1 : 0),
      .NumBytes(4)
    ) u_sub_word (
      .clk_i,
      .decrypt_i(1'b0),
      .bytes_i(First ? sub_operand(
          KeySize, phase_d, {window_d, {(256 - Width) {1'b0}}}
      ) : sub_operand(
          KeySize, phase[r], {window[r], {(256 - Width) {1'b0}}}
      )),
      .bytes_o(sub)
    );

    aes_key_round #(
      .KeySize(KeySize)
    ) u_key_round (
      .window_i(from_window),
      .phase_i (from_phase),
      .sub_i   (sub),
      .rcon_i  (from_rcon),
      .window_o(next_window)
    );

    if (FirstAhead) begin : gen_ahead
      key_window_t ahead_q;
      always_ff @(posedge clk_i) ahead_q <= next_window;
      assign window[r+1] = ahead_q;
    end else begin : gen_no_ahead
      assign window[r+1] = next_window;
    end

    assign rcon[r+1]       = next_rcon(KeySize, phase[r], rcon[r]);
    assign phase[r+1]      = next_phase(KeySize, phase[r]);
    assign round_keys_o[r] = window[r+1][Width-1-:128];
  end

  assign window_d = enter_i ? in_key_i[255-:Width] : window[NumRounds];
  assign rcon_d   = enter_i ? 8'h01 : rcon[NumRounds];
  assign phase_d  = enter_i ? '0 : phase[NumRounds];

  always_ff @(posedge clk_i) begin
    window_q     <= window_d;
    rcon_q       <= rcon_d;
    phase_q      <= phase_d;
    last_round_q <= rcon_d == LastRcon;
  end

  assign first_key_o  = in_key_i[255:128];
  assign last_round_o = last_round_q;

  logic unused_bits;
  assign unused_bits = ^{in_key_i, window};

endmodule
