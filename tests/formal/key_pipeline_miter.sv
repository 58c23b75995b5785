// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_key_pipeline_on_the_fly beside KeyExpansion (FIPS 197, section 5.2): each window of the
// pipeline is what the standard makes of the window before it, SboxLevels + MixLevels clocks
// earlier, and the first one is the key. There is no way back in a pipeline, so this is for ever. The first bytes of
// the words are compared, in which all constants of a key round show; key_round_miter has the rest.
// With RamWidth > 0 this begins when the last of the addresses has come from the counter.

module key_pipeline_miter
  import aes_pkg::*;
  import key_expansion_pkg::*;
#(
  parameter key_size_e   KeySize    = KeySize128,
  parameter int unsigned SboxLevels = 1,
  parameter int unsigned MixLevels  = 1,
  parameter bit          Ahead      = 1'b0,
  parameter int unsigned RamWidth   = 0
) (
  input  logic         clk_i,
  input  logic [255:0] in_key_i,
  output logic         same_o
);

  localparam int unsigned Width = key_width(KeySize);
  localparam int unsigned Nk = Width / 32;
  localparam int unsigned Nr = Nk + 6;
  localparam int unsigned Levels = SboxLevels + MixLevels;

  block_t [Nr:0] round_keys;

  aes_key_pipeline_on_the_fly #(
    .KeySize   (KeySize),
    .Ahead     (Ahead),
    .RamWidth  (RamWidth),
    .SboxLevels(SboxLevels),
    .MixLevels (MixLevels)
  ) u_pipeline (
    .clk_i,
    .rst_ni      (1'b1),
    .in_key_i,
    .round_keys_o(round_keys)
  );

  // With two levels in MixColumns there is an input register.
  logic [Width-1:0] key, key_q;
  always_ff @(posedge clk_i) key_q <= in_key_i[255-:Width];
  assign key = (MixLevels == 2) ? key_q : in_key_i[255-:Width];

  // What the round keys are: the tops of the windows, or those of a clock ago.
  block_t [Nr:0] tops, tops_q;
  always_ff @(posedge clk_i) tops_q <= tops;

  logic [Nr:0] same;
  assign tops[0] = u_pipeline.window[0][Width-1-:128];
  assign same[0] = u_pipeline.window[0] == key && round_keys[0] == (Ahead ? tops_q[0] : tops[0]);

  for (genvar r = 1; r <= Nr; r++) begin : gen_round
    logic [Width-1:0] before_q[Levels];
    word_t w[Nk+4];

    assign tops[r] = u_pipeline.window[r][Width-1-:128];

    always_ff @(posedge clk_i) begin
      for (int unsigned l = 0; l < Levels; l++) begin
        before_q[l] <= (l == 0) ? u_pipeline.window[r-1] : before_q[(l+Levels-1)%Levels];
      end
    end

    always_comb begin
      same[r] = round_keys[r] == (Ahead ? tops_q[r] : tops[r]);
      for (int unsigned i = 0; i < Nk; i++) w[i] = before_q[Levels-1][Width-1-32*i-:32];
      for (int unsigned i = 0; i < 4; i++) begin
        w[Nk+i] = next_word(step_of(Nk, 4 * (r - 1) + Nk + i), w[Nk+i-1], w[i]);
      end
      for (int unsigned i = 0; i < Nk; i++) begin
        same[r] &= u_pipeline.window[r][Width-1-32*i-:8] == w[i+4][31:24];
      end
    end
  end

  assign same_o = &same;

endmodule
