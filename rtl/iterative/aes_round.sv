// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What follows SubBytes in a round, for both kinds of rounds (FIPS 197, sections 5.1 and 5.3):
//
//   encryption   state_i --[ ShiftRows ]----+--[ MixColumns ]--(+ key)-- inner_o
//                                           +------------------(+ key)-- last_o
//
//   decryption   state_i --[ InvShiftRows ]--(+ key)--+--[ InvMixColumns ]-- inner_o
//                                                     +--------------------- last_o
//
// With both directions each adder is there once, and one of them gets zero for a key: that behind
// MixColumns in decryption and in the last round, the other one in the other rounds of encryption.
//
// state_i has been through SubBytes or InvSubBytes; InvSubBytes commutes with InvShiftRows, so the
// same place of the register serves both directions. Round keys are those of the cipher in both
// directions (the straight inverse cipher). Combinational.

module aes_round
  import aes_pkg::*;
#(
  parameter dir_e Dir = DirEncrypt
) (
  input  logic   decrypt_i,     // read only when Dir is DirBoth
  input  logic   correct_i,     // 1: InvMixColumns; read only when Dir is DirBoth
  input  block_t state_i,       // after SubBytes or InvSubBytes
  input  block_t key_before_i,  // the key for the adder before MixColumns
  input  block_t key_after_i,   // the key for the one behind it
  output block_t mixed_o,       // inner_o without key_after_i and correction_o
  output block_t correction_o,  // what makes it InvMixColumns, for DirBoth
  output block_t inner_o,       // result of a round with MixColumns or InvMixColumns
  output block_t last_o         // result of the last round
);

  block_t shifted;

  aes_shift_rows #(
    .Dir(Dir)
  ) u_shift_rows (
    .decrypt_i,
    .state_i,
    .state_o(shifted)
  );

  aes_round_columns #(
    .Dir(Dir)
  ) u_columns (
    .correct_i,
    .columns_i(shifted),
    .key_before_i,
    .key_after_i,
    .mixed_o,
    .correction_o,
    .inner_o,
    .last_o
  );

endmodule
