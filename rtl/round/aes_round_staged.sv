// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A round of encryption cut by registers (rho of standaert2003, section 5.2): S-boxes, ShiftRows,
// MixColumns with the key addition.
//
//                                                        round_key_i
//                                                             |
//   state_i --[ SubBytes, SboxLevels ]--[ ShiftRows ]--+--[ Mixadd, MixLevels ]-- state_o
//                                                      |
//                                                 shifted_o, for the last round
//
//   clock 0                          state_i
//   clock SboxLevels                 shifted_o
//   clock SboxLevels + MixLevels-1   round_key_i
//   clock SboxLevels + MixLevels     state_o
//
// With the two-level table and MixLevels = 2: 672 + 304 = 976 registers, as in Table 3.

module aes_round_staged
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox       = SboxTable,
  parameter int unsigned SboxLevels = 1,          // register levels of the S-boxes, from 1
  parameter int unsigned MixLevels  = 1,          // register levels of the rest, 1 or 2
  parameter bit          Doubled    = 1'b0        // whether the S-boxes give {02} S too
) (
  input  logic   clk_i,
  input  block_t state_i,
  input  block_t round_key_i,  // one clock before state_o
  input  logic [15:0] clear_i,  // with shifted_o: state_o without it (see aes_mixadd)
  input  block_t entry_i,      // one clock before state_o: added as well
  output block_t shifted_o,    // SboxLevels clocks after state_i
  output block_t state_o       // SboxLevels + MixLevels clocks after state_i
);

  logic [15:0][8*Doubled+7:0] results;  // of the S-boxes
  block_t substituted, doubled;

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Dir     (DirEncrypt),
    .Levels  (SboxLevels),
    .NumBytes(16),
    .Doubled (Doubled)
  ) u_sub_bytes (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  (state_i),
    .bytes_o  (results)
  );

  for (genvar n = 0; n < 16; n++) begin : gen_byte
    assign substituted[8*n+:8] = results[n][7:0];
    assign doubled[8*n+:8]     = results[n][8*Doubled+:8];  // not read otherwise
  end

  assign shifted_o = shift_rows(substituted);

  aes_mixadd #(
    .Levels (MixLevels),
    .Doubled(Doubled)
  ) u_mixadd (
    .clk_i,
    .state_i (shifted_o),
    .double_i(shift_rows(doubled)),
    .key_i   (round_key_i),
    .clear_i,
    .entry_i,
    .state_o
  );

endmodule
