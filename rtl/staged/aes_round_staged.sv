// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A round cut by registers (rho of standaert2003, section 5.2): S-boxes, ShiftRows, MixColumns with
// the key addition; for decryption their inverses in the same order, with the keys of the
// equivalent inverse cipher (FIPS 197, section 5.3.5).
//
//                                                        round_key_i
//                                                             |
//   state_i --[ SubBytes, SboxLevels ]--[ ShiftRows ]--+--[ Mixadd, MixLevels ]-- state_o
//                                                      |
//                                                 shifted_o, for the last round
//
//   clock 0                          state_i, decrypt_i
//   clock SboxLevels                 shifted_o
//   clock SboxLevels + MixLevels-1   round_key_i
//   clock SboxLevels + MixLevels     state_o
//
// With the two-level table and MixLevels = 2: 672 + 304 = 976 registers, as in Table 3.

module aes_round_staged
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox       = SboxTable,
  parameter dir_e        Dir        = DirEncrypt,
  parameter int unsigned SboxLevels = 1,           // register levels of the S-boxes, from 1
  parameter int unsigned MixLevels  = 1,           // register levels of the rest, 1 or 2
  parameter bit          Doubled    = 1'b0,        // whether the S-boxes give {02} S too
  parameter bit          Early      = 1'b0         // entry_i comes with clear_i (see aes_mixadd)
) (
  input  logic   clk_i,
  input  logic   decrypt_i,    // direction of state_i; read only when Dir is DirBoth
  input  block_t state_i,
  input  block_t round_key_i,  // one clock before state_o
  input  logic [15:0] clear_i,  // with shifted_o: state_o without it (see aes_mixadd)
  input  block_t entry_i,      // one clock before state_o: added as well; Early: with clear_i
  output block_t shifted_o,    // SboxLevels clocks after state_i
  output block_t state_o       // SboxLevels + MixLevels clocks after state_i
);

  logic [15:0][8*Doubled+7:0] results;  // of the S-boxes
  block_t substituted, doubled;
  logic shifted_decrypt;

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Dir     (Dir),
    .Levels  (SboxLevels),
    .NumBytes(16),
    .Doubled (Doubled)
  ) u_sub_bytes (
    .clk_i,
    .decrypt_i,
    .bytes_i(state_i),
    .bytes_o(results)
  );

  for (genvar n = 0; n < 16; n++) begin : gen_byte
    assign substituted[8*n+:8] = results[n][7:0];
    assign doubled[8*n+:8]     = results[n][8*Doubled+:8];  // not read otherwise
  end

  if (Dir == DirBoth) begin : gen_both
    logic [SboxLevels:1] decrypt_q;
    always_ff @(posedge clk_i) begin
      for (int unsigned l = 1; l <= SboxLevels; l++) begin
        decrypt_q[l] <= (l == 1) ? decrypt_i : decrypt_q[l-1];
      end
    end
    assign shifted_decrypt = decrypt_q[SboxLevels];
  end else begin : gen_one_direction
    assign shifted_decrypt = 1'b0;
  end

  aes_shift_rows #(
    .Dir(Dir)
  ) u_shift_rows (
    .decrypt_i(shifted_decrypt),
    .state_i  (substituted),
    .state_o  (shifted_o)
  );

  aes_mixadd #(
    .Dir    (Dir),
    .Levels (MixLevels),
    .Doubled(Doubled),
    .Early  (Early)
  ) u_mixadd (
    .clk_i,
    .decrypt_i(shifted_decrypt),
    .state_i  (shifted_o),
    .double_i (shift_rows(doubled)),
    .round_key_i,
    .clear_i,
    .entry_i,
    .state_o
  );

endmodule
