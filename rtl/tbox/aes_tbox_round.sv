// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What follows the T-boxes in a round, for any number of columns and both kinds of rounds
// (fischer2001, section 3.2, Fig. 6; kakarlapudi, sections III and IV):
//
//   words_i --+--[ rotate, XOR of four words ]--(+ key)-- inner_o
//             |                                    |
//             |          round_key_i --+--[ InvMixColumns ] (decryption)
//             |                        |
//             +--[ S or S^-1 out of T ]--(+ key)--------- last_o
//
// words_i are the T-box words of the state after ShiftRows or InvShiftRows, which changes places
// with the table look-up. Column j of a round is T0[s0j] + T1[s1j] + T2[s2j] + T3[s3j] + key column
// j, each s after the shift, for both directions (fischer2001, equation 7, whose column indices
// belong to decryption).
//
// Decryption is the equivalent inverse cipher (FIPS 197, section 5.3.5): the same order of steps as
// encryption, with round keys 1 to Nr-1 through InvMixColumns. That is done here, on the fly, so
// that the key memory holds the keys of the cipher for both directions (kakarlapudi, section IX;
// its section V stores keys, which fits together so); with MixedKeys it was done outside.
// Combinational.

module aes_tbox_round
  import aes_pkg::*;
  import aes_tbox_pkg::*;
#(
  parameter dir_e        Dir        = DirEncrypt,
  parameter bit          MixedKeys  = 1'b0,  // those of decryption come through InvMixColumns
  parameter int unsigned NumColumns = 4
) (
  input  logic                     decrypt_i,    // read only when Dir is DirBoth, not MixedKeys
  input  word_t [4*NumColumns-1:0] words_i,      // of the shifted columns, byte 0 at the top
  input  word_t [  NumColumns-1:0] round_key_i,  // of the cipher, see MixedKeys
  output word_t [  NumColumns-1:0] mixed_o,      // inner_o without the key
  output word_t [  NumColumns-1:0] inner_key_o,  // the key that is added to it
  output word_t [  NumColumns-1:0] inner_o,      // result of a round with (Inv)MixColumns
  output word_t [  NumColumns-1:0] last_o        // result of the last round
);

  word_t [NumColumns-1:0] mixed, inner_key;
  byte_t [4*NumColumns-1:0] substituted;

  for (genvar c = 0; c < NumColumns; c++) begin : gen_column
    word_t t1, t2, t3;
    assign t1 = rotate_down(words_i[4*c+2], 1);
    assign t2 = rotate_down(words_i[4*c+1], 2);
    assign t3 = rotate_down(words_i[4*c], 3);

    // Row r begins with the word of row r: {02} and {03} first, which suits a mapper that keeps the
    // order where {03} S is a sum itself.
    assign mixed[c] = {
      words_i[4*c+3][31:24] ^ t1[31:24] ^ t2[31:24] ^ t3[31:24],
      t1[23:16] ^ t2[23:16] ^ t3[23:16] ^ words_i[4*c+3][23:16],
      t2[15:8] ^ t3[15:8] ^ words_i[4*c+3][15:8] ^ t1[15:8],
      t3[7:0] ^ words_i[4*c+3][7:0] ^ t1[7:0] ^ t2[7:0]
    };
  end

  for (genvar i = 0; i < 4 * NumColumns; i++) begin : gen_byte
    aes_tbox_extract #(
      .Dir(Dir)
    ) u_extract (
      .word_i(words_i[i]),
      .byte_o(substituted[i])
    );
  end

  if (Dir == DirEncrypt || MixedKeys) begin : gen_encrypt
    assign inner_key = round_key_i;
  end else begin : gen_decrypt
    word_t [NumColumns-1:0] mixed_key;
    for (genvar c = 0; c < NumColumns; c++) begin : gen_key
      aes_mix_columns_inv u_mix_key (
        .column_i(round_key_i[c]),
        .column_o(mixed_key[c])
      );
    end
    if (Dir == DirDecrypt) begin : gen_only
      assign inner_key = mixed_key;
    end else begin : gen_both
      assign inner_key = decrypt_i ? mixed_key : round_key_i;
    end
  end

  assign mixed_o     = mixed;
  assign inner_key_o = inner_key;

  assign inner_o = mixed ^ inner_key;
  assign last_o  = substituted ^ round_key_i;

  if (Dir != DirBoth || MixedKeys) begin : gen_unused
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
  end

endmodule
