// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys made while the block is processed (FIPS 197, section 5.2; pilchard, section 3): a key
// travels with each block.
//
//   in_key_i --[ mux ]--+--|R|------------------+--( key round )-- ... --( key round )--+
//                 |     +--[ SubWord(RotWord) ]-+        |                     |        |
//                 |                                   key 0 ...             key N-1     |
//                 +---------------------------------------------------------------------+
//
// What goes round is a window of KeyExpansion, Nk words, of which the top four are the round key
// (aes_key_pkg). The SubWord of the first key round of a clock has the register on its path, so that
// it can be a block RAM; those of the others (NumRounds > 1) are combinational.

module aes_key_schedule_on_the_fly
  import aes_pkg::*;
  import aes_key_pkg::*;
#(
  parameter sbox_e       Sbox      = SboxTable,
  parameter key_size_e   KeySize   = KeySize128,  // not KeySizeAny
  parameter int unsigned NumRounds = 1            // round keys a clock; divides Nr
) (
  input  logic                   clk_i,
  input  logic   [255:0]         in_key_i,      // key of the block that is offered
  input  logic                   busy_i,        // a block is under way
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
    word_t sub;

    // Between the register and the S-boxes there is the multiplexer, in the first key round.
    aes_sub_bytes #(
      .Sbox    (Sbox),
      .Levels  ((r == 0) ? 1 : 0),
      .NumBytes(4)
    ) u_sub_word (
      .clk_i,
      .decrypt_i(1'b0),
      .bytes_i((r == 0) ? sub_operand(
          KeySize, phase_d, {window_d, {(256 - Width) {1'b0}}}
      ) : sub_operand(
          KeySize, phase[r], {window[r], {(256 - Width) {1'b0}}}
      )),
      .bytes_o(sub)
    );

    aes_key_round #(
      .KeySize(KeySize)
    ) u_key_round (
      .window_i(window[r]),
      .phase_i (phase[r]),
      .sub_i   (sub),
      .rcon_i  (rcon[r]),
      .window_o(window[r+1])
    );

    assign rcon[r+1]       = next_rcon(KeySize, phase[r], rcon[r]);
    assign phase[r+1]      = next_phase(KeySize, phase[r]);
    assign round_keys_o[r] = window[r+1][Width-1-:128];
  end

  assign window_d = busy_i ? window[NumRounds] : in_key_i[255-:Width];
  assign rcon_d   = busy_i ? rcon[NumRounds] : 8'h01;
  assign phase_d  = busy_i ? phase[NumRounds] : '0;

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
