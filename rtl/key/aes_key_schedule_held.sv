// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys made while the block is processed (FIPS 197, section 5.2), each held in the register
// behind the multiplexer of the loop for the Levels clocks that a round takes, the first one too:
//
//   in_key_i --[ mux ]--+--|R|--------------------------------+-- round_key_o
//                 ^     |                                     |
//                 |     +--[ SubWord(RotWord), Levels ]--( key round )--+
//                 +-----------------------------------------------------+
//
// What goes round is a window of KeyExpansion, Nk words, of which the top four are the round key
// (aes_key_pkg). In the clocks in between the register keeps its value, and what SubWord is offered
// is of no use. From the S-boxes, which have their registers inside, to the register and back to
// them there is one LUT4 for 128-bit keys: the sums of their words are made beside it.

module aes_key_schedule_held
  import aes_pkg::*;
  import aes_key_pkg::*;
#(
  parameter sbox_e       Sbox    = SboxTable,
  parameter key_size_e   KeySize = KeySize128,  // not KeySizeAny
  parameter int unsigned Levels  = 1            // clocks a round key, register levels of SubWord
) (
  input  logic         clk_i,
  input  logic [255:0] in_key_i,     // key of the block that is offered, at the top
  input  logic         enter_i,      // a block may enter: a new key is taken
  output block_t       round_key_o,  // the first one from the clock after enter_i
  output logic         last_next_o   // the last one is there in the next clock, the first of its
);                                   // Levels

  localparam int unsigned Width = key_width(KeySize);
  localparam int unsigned NumRounds = 32'(num_rounds(max_key_len(KeySize)));
  localparam byte_t LastRcon = rcon_of(KeySize, NumRounds - 1);
  localparam logic [1:0] LastPhase = phase_of(KeySize, NumRounds - 1);

  typedef logic [Width-1:0] key_window_t;

  key_window_t window_d, window_q, result;
  byte_t rcon_q;  // of the next key round
  logic [1:0] phase_d, phase_q;
  logic step;  // the last clock of a round key
  word_t sub;

  if (Levels == 1) begin : gen_each
    assign step = 1'b1;
  end else if (Levels == 2) begin : gen_every_other
    logic step_q;
    always_ff @(posedge clk_i) step_q <= ~enter_i & ~step_q;
    assign step = step_q;
  end else begin : gen_bad_levels
    $fatal(1, "aes_key_schedule_held: Levels must be 1 or 2");
  end

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Levels  (Levels),
    .NumBytes(4)
  ) u_sub_word (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  (sub_operand(KeySize, phase_d, {window_d, {(256 - Width) {1'b0}}})),
    .bytes_o  (sub)
  );

  if (KeySize == KeySize128) begin : gen_sums
    // As aes_key_round, with SubWord last in each sum, for it comes last.
    word_t w0, w1, w2, w3;
    assign {w0, w1, w2, w3} = window_q;
    assign result = {
      w0 ^ {rcon_q, 24'd0}, w0 ^ w1 ^ {rcon_q, 24'd0}, w0 ^ w1 ^ w2 ^ {rcon_q, 24'd0},
      w0 ^ w1 ^ w2 ^ w3 ^ {rcon_q, 24'd0}
    } ^ {4{sub}};
  end else begin : gen_round
    aes_key_round #(
      .KeySize(KeySize)
    ) u_key_round (
      .window_i(window_q),
      .phase_i (phase_q),
      .sub_i   (sub),
      .rcon_i  (rcon_q),
      .window_o(result)
    );
  end

  assign window_d = enter_i ? in_key_i[255-:Width] : result;
  assign phase_d  = enter_i ? '0 : next_phase(KeySize, phase_q);

  always_ff @(posedge clk_i) begin
    if (enter_i || step) begin
      window_q <= window_d;
      phase_q  <= phase_d;
    end
    if (enter_i) rcon_q <= 8'h01;
    else if (step) rcon_q <= next_rcon(KeySize, phase_q, rcon_q);
  end

  // With 128-bit keys two bits tell the last round constant from all others.
  if (KeySize == KeySize128) begin : gen_last_128
    assign last_next_o = ~enter_i & step & rcon_q[2] & rcon_q[1];
  end else begin : gen_last
    assign last_next_o = ~enter_i & step & (rcon_q == LastRcon) & (phase_q == LastPhase);
  end

  assign round_key_o = window_q[Width-1-:128];

  logic unused_bits;
  assign unused_bits = ^{in_key_i, LastRcon, LastPhase};

endmodule
