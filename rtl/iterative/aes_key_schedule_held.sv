// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys made while the block is processed (FIPS 197, section 5.2), Levels clocks each, all of them
// out of one register, the first one too:
//
//   in_key_i --[ mux ]--+--|R|-- round_key_o --+
//                 ^     |                      |
//                 |     |                    [ sums ]--(|R|)
//                 |     |                               |
//                 |     +--[ SubWord(RotWord), Levels ]-+--( key round )--+
//                 +-------------------------------------------------------+
//
// What goes round is a window of KeyExpansion, Nk words, of which the top four are the round key
// (aes_key_pkg). With two levels there are two registers in the loop, (|R|) is one, so that keys of
// two blocks take turns: round key r + 1 follows two clocks behind r. From the S-boxes, which have
// their registers inside, to the register and back to them there is one LUT4 for 128-bit keys.
//
// The round constant of a step, and its phase, are sums of what steps_i says, which knows where each
// block is.

module aes_key_schedule_held
  import aes_pkg::*;
  import aes_key_pkg::*;
#(
  parameter sbox_e Sbox = SboxTable,
  parameter key_size_e KeySize = KeySize128,  // not KeySizeAny
  parameter int unsigned Levels = 1,  // register levels of SubWord, 1 or 2
  localparam int unsigned NumRounds = 32'(num_rounds(max_key_len(KeySize)))
) (
  input  logic                   clk_i,
  input  logic   [        255:0] in_key_i,    // key of the block that is offered, at the top
  input  logic                   enter_i,     // a block may enter: a new key is taken
  input  logic   [NumRounds-1:0] steps_i,     // [r]: round_key_o is round key r of a block
  output block_t                 round_key_o  // key 0 in the clock after enter_i
);

  localparam int unsigned Width = key_width(KeySize);

  typedef logic [Width-1:0] key_window_t;

  key_window_t window_d, window_q, result;
  logic  [          1:0] phase_d;  // of the step that begins with window_d; 0 for a key that enters
  byte_t                 rcon;  // of the step that begins with window_q
  logic  [NumRounds-1:0] steps_late;  // steps_i, Levels - 1 clocks later
  word_t                 sub;

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

  always_comb begin
    rcon    = '0;
    phase_d = '0;
    for (int unsigned r = 0; r < NumRounds; r++) begin
      if (steps_i[r] && takes_rcon(KeySize, phase_of(KeySize, r))) rcon |= rcon_of(KeySize, r);
      if (steps_late[r]) phase_d |= phase_of(KeySize, r + 1);
    end
  end

  if (Levels == 1) begin : gen_one_level
    assign steps_late = steps_i;
  end else if (Levels == 2) begin : gen_two_levels
    always_ff @(posedge clk_i) steps_late <= steps_i;
  end else begin : gen_bad_levels
    $fatal(1, "aes_key_schedule_held: Levels must be 1 or 2");
  end

  if (KeySize == KeySize128) begin : gen_sums
    // As aes_key_round, with SubWord last in each sum, for it comes last.
    word_t w0, w1, w2, w3, rcon_word;
    block_t sums_d, sums;

    assign {w0, w1, w2, w3} = window_q;
    assign rcon_word = {rcon, 24'd0};
    assign sums_d = {w0, w0 ^ w1, w0 ^ w1 ^ w2, w0 ^ w1 ^ w2 ^ w3} ^ {4{rcon_word}};
    assign result = sums ^ {4{sub}};

    if (Levels == 2) begin : gen_early
      block_t sums_q;
      always_ff @(posedge clk_i) sums_q <= sums_d;
      assign sums = sums_q;
    end else begin : gen_at_once
      assign sums = sums_d;
    end
  end else begin : gen_round
    key_window_t window;
    byte_t rcon_late;
    logic [1:0] phase;

    if (Levels == 2) begin : gen_late
      key_window_t window_late_q;
      byte_t rcon_late_q;
      always_ff @(posedge clk_i) begin
        window_late_q <= window_q;
        rcon_late_q   <= rcon;
      end
      assign window    = window_late_q;
      assign rcon_late = rcon_late_q;
    end else begin : gen_at_once
      assign window    = window_q;
      assign rcon_late = rcon;
    end

    always_comb begin
      phase = '0;
      for (int unsigned r = 0; r < NumRounds; r++) begin
        if (steps_late[r]) phase |= phase_of(KeySize, r);
      end
    end

    aes_key_round #(
      .KeySize(KeySize)
    ) u_key_round (
      .window_i(window),
      .phase_i (phase),
      .sub_i   (sub),
      .rcon_i  (rcon_late),
      .window_o(result)
    );
  end

  assign window_d = enter_i ? in_key_i[255-:Width] : result;

  always_ff @(posedge clk_i) window_q <= window_d;

  assign round_key_o = window_q[Width-1-:128];

  logic unused_bits;
  assign unused_bits = ^{in_key_i, steps_late};

endmodule
