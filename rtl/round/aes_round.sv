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
// state_i has been through SubBytes or InvSubBytes; InvSubBytes commutes with InvShiftRows, so the
// same place of the register serves both directions. Round keys are those of the cipher in both
// directions (the straight inverse cipher). Combinational.

module aes_round
  import aes_pkg::*;
#(
  parameter dir_e Dir = DirEncrypt
) (
  input  logic   decrypt_i,    // read only when Dir is DirBoth
  input  block_t state_i,      // after SubBytes or InvSubBytes
  input  block_t round_key_i,
  output block_t inner_o,      // result of a round with MixColumns or InvMixColumns
  output block_t last_o        // result of the last round
);

  block_t unmixed, mixed;

  aes_mix_columns #(
    .Dir(Dir)
  ) u_mix_columns (
    .decrypt_i,
    .state_i(unmixed),
    .state_o(mixed)
  );

  if (Dir == DirEncrypt) begin : gen_encrypt
    assign unmixed = shift_rows(state_i);
    assign inner_o = mixed ^ round_key_i;
    assign last_o  = unmixed ^ round_key_i;
  end else if (Dir == DirDecrypt) begin : gen_decrypt
    assign unmixed = inv_shift_rows(state_i) ^ round_key_i;
    assign inner_o = mixed;
    assign last_o  = unmixed;
  end else begin : gen_both
    block_t key_after;
    assign key_after = decrypt_i ? '0 : round_key_i;
    assign unmixed   = decrypt_i ? inv_shift_rows(state_i) ^ round_key_i : shift_rows(state_i);
    assign inner_o   = mixed ^ key_after;
    assign last_o    = unmixed ^ key_after;
  end

endmodule
