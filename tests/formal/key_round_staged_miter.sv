// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_key_round_staged beside the recurrence of KeyExpansion for Nk = 4 (FIPS 197, section 5.2),
// delayed by as many clocks; with Loop = 1, its multiplexer too. SubWord is
// taken from the package's table, which sbox_miter checks.

module key_round_staged_miter
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox       = SboxTable,
  parameter int unsigned SboxLevels = 1,
  parameter int unsigned MixLevels  = 1,
  parameter bit          Loop       = 1'b0
) (
  input  logic   clk_i,
  input  block_t key_i,
  input  byte_t  rcon_i,
  input  logic [15:0] load_i,
  input  block_t new_key_i,
  output logic   same_o
);

  block_t realised, realised_next, defined;

  aes_key_round_staged #(
    .Sbox      (Sbox),
    .SboxLevels(SboxLevels),
    .MixLevels (MixLevels),
    .Loop      (Loop)
  ) u_key_round (
    .clk_i,
    .key_i,
    .rcon_i,
    .load_i,
    .new_key_i,
    .next_o(realised_next),
    .key_o (realised)
  );

  // The round constant is taken in SboxLevels clocks after the key.
  block_t key[SboxLevels+1];
  assign key[0] = key_i;
  for (genvar l = 0; l < SboxLevels; l++) begin : gen_key_delay
    always_ff @(posedge clk_i) key[l+1] <= key[l];
  end

  word_t w[8];
  always_comb begin
    for (int i = 0; i < 4; i++) w[i] = key[SboxLevels][127-32*i-:32];
    for (int i = 4; i < 8; i++) begin
      w[i] = w[i-1];
      if (i == 4) begin
        w[i] = {SboxFwdTable[w[3][23:16]], SboxFwdTable[w[3][15:8]],
                SboxFwdTable[w[3][7:0]], SboxFwdTable[w[3][31:24]]} ^ {rcon_i, 24'h0};
      end
      w[i] ^= w[i-4];
    end
  end
  assign defined = {w[4], w[5], w[6], w[7]};

  block_t delayed[MixLevels+1];
  assign delayed[0] = defined;
  for (genvar l = 0; l < MixLevels; l++) begin : gen_delay
    if (Loop && l == MixLevels - 1) begin : gen_mux
      for (genvar n = 0; n < 16; n++) begin : gen_byte
        always_ff @(posedge clk_i) begin
          delayed[l+1][8*n+:8] <= load_i[n] ? new_key_i[8*n+:8] : delayed[l][8*n+:8];
        end
      end
    end else begin : gen_straight
      always_ff @(posedge clk_i) delayed[l+1] <= delayed[l];
    end
  end

  assign same_o = realised == delayed[MixLevels] &&
      (!Loop || realised_next == delayed[MixLevels-1]);

endmodule
