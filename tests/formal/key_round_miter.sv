// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The key rounds in which a key travels with its block beside KeyExpansion (FIPS 197, section 5.2),
// word by word: step STEP of a key, any window. With STAGED it is aes_key_round_staged, delayed by
// as many clocks, with its multiplexer where Loop = 1 and its memories where RamWidth > 0, else
// aes_key_round with SubWord of its operand.

module key_round_miter
  import aes_pkg::*;
  import aes_key_pkg::*;
  import key_expansion_pkg::*;
#(
  parameter sbox_e       Sbox       = SboxTable,
  parameter key_size_e   KeySize    = KeySize128,
  parameter int unsigned Step       = 0,
  parameter int unsigned SboxLevels = 1,
  parameter int unsigned MixLevels  = 1,
  parameter bit          Loop       = 1'b0,
  parameter int unsigned RamWidth   = 0
) (
  input  logic                          clk_i,
  input  logic [key_width(KeySize)-1:0] window_i,
  input  logic [15:0]                   load_i,
  input  logic [key_width(KeySize)-1:0] new_window_i,
  output logic                          same_o
);

  localparam int unsigned Width = key_width(KeySize);
  localparam int unsigned NumWords = Width / 32;
  localparam int unsigned First = 4 * Step + NumWords;

  logic [Width-1:0] realised, next_window, defined;

  // Words 4 Step to 4 Step + Nk + 3.
  word_t w[NumWords+4];
  always_comb begin
    for (int unsigned i = 0; i < NumWords; i++) w[i] = window_i[Width-1-32*i-:32];
    for (int unsigned i = 0; i < 4; i++) begin
      w[NumWords+i] = next_word(step_of(NumWords, First + i), w[NumWords+i-1], w[i]);
    end
    for (int unsigned i = 0; i < NumWords; i++) defined[Width-1-32*i-:32] = w[i+4];
  end

`ifdef STAGED
  localparam int unsigned Levels = SboxLevels + MixLevels;

  // From any value.
  localparam int unsigned CountWidth = (SboxLevels > 1) ? $clog2(SboxLevels) : 1;
  logic [CountWidth-1:0] count_q;
  always_ff @(posedge clk_i) count_q <= count_q + CountWidth'(1);

  aes_key_round_staged #(
    .Sbox      (Sbox),
    .KeySize   (KeySize),
    .SboxLevels(SboxLevels),
    .MixLevels (MixLevels),
    .Loop      (Loop),
    .RamWidth  (RamWidth)
  ) u_key_round (
    .clk_i,
    .count_i     (count_q),
    .window_i,
    .phase_i     (phase_of(KeySize, Step)),
    .late_phase_i(phase_of(KeySize, Step)),
    .rcon_i      (rcon_of(KeySize, Step)),
    .load_i,
    .new_window_i,
    .next_o      (next_window),
    .window_o    (realised)
  );
`else
  localparam int unsigned Levels = 0;
  assign next_window = '0;

  aes_key_round #(
    .KeySize(KeySize)
  ) u_key_round (
    .window_i,
    .phase_i(phase_of(KeySize, Step)),
    .sub_i(sub_word(
        sub_operand(KeySize, phase_of(KeySize, Step), {window_i, {(256 - Width) {1'b0}}})
    )),
    .rcon_i(rcon_of(KeySize, Step)),
    .window_o(realised)
  );
`endif

  logic [Width-1:0] delayed[Levels+1];
  assign delayed[0] = defined;
  for (genvar l = 0; l < Levels; l++) begin : gen_delay
    logic [Width-1:0] delayed_d;
    always_comb begin
      delayed_d = delayed[l];
      for (int unsigned n = 0; n < Width / 8; n++) begin
        if (Loop && l == Levels - 1 && load_i[n%16]) delayed_d[8*n+:8] = new_window_i[8*n+:8];
      end
    end
    always_ff @(posedge clk_i) delayed[l+1] <= delayed_d;
  end

  // One level before the end.
  localparam int unsigned BeforeLast = (Levels > 0) ? Levels - 1 : 0;

  assign same_o = realised == delayed[Levels] && (!Loop || next_window == delayed[BeforeLast]);

endmodule
