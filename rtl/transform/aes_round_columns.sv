// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What follows SubBytes and ShiftRows in a round, for any number of columns and both kinds of rounds
// (FIPS 197, sections 5.1 and 5.3):
//
//   encryption   columns_i --+--[ MixColumns ]--(+ key_after)-- inner_o
//                            +------------------(+ key_after)-- last_o
//
//   decryption   columns_i --(+ key_before)--+--[ InvMixColumns ]-- inner_o
//                                            +--------------------- last_o
//
//   both         columns_i --(+ key_before)--+--[ (Inv)MixColumns ]--(+ key_after)-- inner_o
//                                            +-------------------------------------- last_o
//
// With both directions each adder is there once, and one of them gets zero for a key: that behind
// MixColumns in decryption and in the last round, the other one in the other rounds of encryption.
//
// Round keys are those of the cipher in both directions (the straight inverse cipher).
// Combinational.

module aes_round_columns
  import aes_pkg::*;
#(
  parameter dir_e        Dir        = DirEncrypt,
  parameter int unsigned NumColumns = 4
) (
  input  logic                   correct_i,     // 1: InvMixColumns; read only when Dir is DirBoth
  input  word_t [NumColumns-1:0] columns_i,
  input  word_t [NumColumns-1:0] key_before_i,  // not read when Dir is DirEncrypt
  input  word_t [NumColumns-1:0] key_after_i,   // not read when Dir is DirDecrypt
  output word_t [NumColumns-1:0] mixed_o,       // inner_o without key_after_i and correction_o
  output word_t [NumColumns-1:0] correction_o,  // what makes it InvMixColumns, for DirBoth
  output word_t [NumColumns-1:0] inner_o,       // result of a round with (Inv)MixColumns
  output word_t [NumColumns-1:0] last_o         // result of the last round
);

  word_t [NumColumns-1:0] unmixed;

  if (Dir == DirEncrypt) begin : gen_encrypt
    assign unmixed = columns_i;
    assign last_o  = columns_i ^ key_after_i;

    logic unused_key;
    assign unused_key = ^key_before_i;
  end else begin : gen_decrypt
    assign unmixed = columns_i ^ key_before_i;
    assign last_o  = unmixed;
  end

  if (Dir == DirBoth) begin : gen_both
    for (genvar c = 0; c < NumColumns; c++) begin : gen_column
      word_t unused_mixed;
      aes_mix_columns_both u_mix_columns (
        .decrypt_i   (correct_i),
        .column_i    (unmixed[c]),
        .forward_o   (mixed_o[c]),
        .correction_o(correction_o[c]),
        .column_o    (unused_mixed)
      );
    end
  end else begin : gen_one_direction
    aes_mix_columns #(
      .Dir       (Dir),
      .NumColumns(NumColumns)
    ) u_mix_columns (
      .decrypt_i(1'b0),
      .state_i  (unmixed),
      .state_o  (mixed_o)
    );
    assign correction_o = '0;

    logic unused_correct;
    assign unused_correct = correct_i;
  end

  if (Dir == DirDecrypt) begin : gen_no_key_after
    assign inner_o = mixed_o;

    logic unused_key;
    assign unused_key = ^key_after_i;
  end else begin : gen_key_after
    assign inner_o = mixed_o ^ key_after_i ^ correction_o;
  end

endmodule
