// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What follows SubBytes and ShiftRows in a round, for any number of columns and both kinds of rounds
// (FIPS 197, sections 5.1 and 5.3):
//
//   encryption   columns_i --+--[ MixColumns ]--(+ key)-- inner_o
//                            +------------------(+ key)-- last_o
//
//   decryption   columns_i --(+ key)--+--[ InvMixColumns ]-- inner_o
//                                     +--------------------- last_o
//
// Round keys are those of the cipher in both directions (the straight inverse cipher).
// Combinational.

module aes_round_columns
  import aes_pkg::*;
#(
  parameter dir_e        Dir        = DirEncrypt,
  parameter int unsigned NumColumns = 4
) (
  input  logic                   decrypt_i,    // read only when Dir is DirBoth
  input  word_t [NumColumns-1:0] columns_i,
  input  word_t [NumColumns-1:0] round_key_i,
  output word_t [NumColumns-1:0] inner_o,      // result of a round with (Inv)MixColumns
  output word_t [NumColumns-1:0] last_o        // result of the last round
);

  word_t [NumColumns-1:0] unmixed, mixed, key_before, key_after;

  aes_mix_columns #(
    .Dir       (Dir),
    .NumColumns(NumColumns)
  ) u_mix_columns (
    .decrypt_i,
    .state_i(unmixed),
    .state_o(mixed)
  );

  if (Dir == DirEncrypt) begin : gen_encrypt
    assign key_before = '0;
    assign key_after  = round_key_i;
  end else if (Dir == DirDecrypt) begin : gen_decrypt
    assign key_before = round_key_i;
    assign key_after  = '0;
  end else begin : gen_both
    assign key_before = decrypt_i ? round_key_i : '0;
    assign key_after  = decrypt_i ? '0 : round_key_i;
  end

  assign unmixed = columns_i ^ key_before;
  assign inner_o = mixed ^ key_after;
  assign last_o  = columns_i ^ round_key_i;

endmodule
