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
// (aes_key_pkg). The register stands at the marks * (KeyRegSubWord) or # (KeyRegRoundKey). At * it
// is inside the SubWord of the first key round of a clock, which can then be a block RAM. At # key
// 0 comes from a register, and no sum of key words lengthens the path of a round; it needs SubWord
// in logic. The SubWords of the other key rounds (NumRounds > 1) are combinational.

module aes_key_schedule_on_the_fly
  import aes_pkg::*;
  import aes_key_pkg::*;
#(
  parameter sbox_e       Sbox      = SboxTable,
  parameter key_reg_e    Register  = KeyRegSubWord,
  parameter key_size_e   KeySize   = KeySize128,     // not KeySizeAny
  parameter int unsigned NumRounds = 1,              // round keys a clock; divides Nr
  parameter bit          Hardened  = 1'b0            // registers of control in three copies
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic   [255:0]         in_key_i,      // key of the block that is offered
  input  logic                   enter_i,       // a block may enter: a new key is taken
  output block_t                 first_key_o,   // for the block that is offered
  output block_t [NumRounds-1:0] round_keys_o,  // for the block under way, [0] comes first
  output logic                   last_round_o,  // round_keys_o are the last ones of the block
  output logic                   last_round_next_o,  // that of the next clock
  output logic                   fault_o         // copies of a register differ
);

  localparam int unsigned Width = key_width(KeySize);
  typedef logic [Width-1:0] key_window_t;

  // The round constant of step r from 0 on, as rcon_q has it: also where the step takes none.
  function automatic byte_t rcon_from(int unsigned r);
    byte_t rcon;
    rcon = 8'h01;
    for (int unsigned i = 0; i < r; i++) rcon = rcon_from_any(KeySize, phase_of(KeySize, i), rcon);
    return rcon;
  endfunction

  // The first key round in the last clock of a block, and whether its round constant is its own: the
  // first key round of no other clock has it.
  localparam int unsigned LastStep = 32'(num_rounds(max_key_len(KeySize))) - NumRounds;
  localparam byte_t LastRcon = rcon_from(LastStep);

  localparam bit Ahead = Register == KeyRegRoundKey;

  key_window_t window_d, window_q;
  byte_t rcon_d, rcon_q;
  logic [1:0] phase_d, phase_q;
  logic last_round_q;

  for (genvar r = 0; r < NumRounds; r++) begin : gen_round
    localparam bit First = r == 0;
    localparam bit FirstAhead = First && Ahead;

    // Before and behind this key round. One signal for each, not a vector for all: Verilator takes
    // a vector of which one part depends on another for a loop.
    key_window_t window, next_window, result;
    logic [1:0] phase, next;
    byte_t rcon, following;
    word_t sub;

    if (First) begin : gen_first
      assign window = window_q;
      assign phase  = phase_q;
      assign rcon   = rcon_q;
    end else begin : gen_following
      assign window = gen_round[r-1].result;
      assign phase  = gen_round[r-1].next;
      assign rcon   = gen_round[r-1].following;
    end

    // The first key round begins at the multiplexer: its S-boxes always, all of it with Ahead.
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
          KeySize, phase, {window, {(256 - Width) {1'b0}}}
      )),
      .bytes_o(sub)
    );

    aes_key_round #(
      .KeySize(KeySize)
    ) u_key_round (
      .window_i(FirstAhead ? window_d : window),
      .phase_i (FirstAhead ? phase_d : phase),
      .sub_i   (sub),
      .rcon_i  (FirstAhead ? rcon_d : rcon),
      .window_o(next_window)
    );

    if (FirstAhead) begin : gen_ahead
      key_window_t result_q;
      always_ff @(posedge clk_i) result_q <= next_window;
      assign result = result_q;
    end else begin : gen_no_ahead
      assign result = next_window;
    end

    // The round constant counts the clocks of a block, so it comes back from any value. Where a block
    // takes one clock it counts nothing.
    assign following       = (LastStep == 0) ? next_rcon(KeySize, phase, rcon) :
                                               rcon_from_any(KeySize, phase, rcon);
    assign next            = next_phase(KeySize, phase);
    assign round_keys_o[r] = result[Width-1-:128];
  end

  assign window_d = enter_i ? in_key_i[255-:Width] : gen_round[NumRounds-1].result;
  assign rcon_d   = enter_i ? 8'h01 : gen_round[NumRounds-1].following;
  assign phase_d  = enter_i ? '0 : gen_round[NumRounds-1].next;

  always_ff @(posedge clk_i) window_q <= window_d;

  logic [2:0] fault;

  aes_control_register #(
    .Width   (8),
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_rcon (
    .clk_i,
    .rst_ni,
    .d_i    (rcon_d),
    .q_o    (rcon_q),
    .fault_o(fault[0])
  );

  aes_control_register #(
    .Width   (2),
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_phase (
    .clk_i,
    .rst_ni,
    .d_i    (phase_d),
    .q_o    (phase_q),
    .fault_o(fault[1])
  );

  aes_control_register #(
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_last_round (
    .clk_i,
    .rst_ni,
    .d_i    (last_round_next_o),
    .q_o    (last_round_q),
    .fault_o(fault[2])
  );

  assign fault_o = |fault;

  assign last_round_next_o = rcon_d == LastRcon;

  assign first_key_o  = in_key_i[255:128];
  assign last_round_o = last_round_q;

  logic unused_bits;
  assign unused_bits = ^{in_key_i, window_q};

endmodule
