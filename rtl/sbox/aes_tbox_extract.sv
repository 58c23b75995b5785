// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The byte of the S-box taken out of the word of a T-box, for the last round, which has no
// MixColumns.
//
//   encryption   S    = byte 1 of T0, for nothing
//   decryption   S^-1 = a constant multiple of any byte of T0', the "multiplication elimination" of
//                       fischer2001, equations 9 to 13: of the four possible sums for a bit, one
//                       with at most three inputs
//
// With x = {0e} S^-1 (byte 0), y = {09} S^-1 (byte 1) and z = {0b} S^-1 (byte 3): S^-1 = {e5} x =
// {4f} y = {c0} z. The paper marks its selection in bold face, which our copy has lost; that of
// kakarlapudi, section III, is the only one with at most three inputs a bit but for two bits that
// {e1} w, w = byte 2, could give as well.
//
// Byte 1 of T0 is the one chosen for encryption because a core for both directions then needs no
// multiplexer for the bits that come from y: the decryption sum holds the encryption bit.

module aes_tbox_extract
  import aes_pkg::*;
#(
  parameter dir_e Dir = DirEncrypt
) (
  input  logic  decrypt_i,  // 1: word_i is of T0'; read only when Dir is DirBoth
  input  word_t word_i,     // of T0 or T0', not rotated
  output byte_t byte_o
);

  byte_t x, y, z, inverse;

  assign x = word_i[31:24];
  assign y = word_i[23:16];
  assign z = word_i[7:0];

  assign inverse = {
    y[7] ^ y[4] ^ y[1],
    y[6] ^ y[3] ^ y[0],
    y[5] ^ y[2],
    y[4] ^ y[1],
    z[3] ^ z[2] ^ z[1],
    x[6] ^ x[5] ^ x[0],
    x[7] ^ x[5] ^ x[4],
    y[5] ^ y[2] ^ y[0]
  };

  logic unused_word;
  assign unused_word = ^{word_i, x, z};

  if (Dir == DirEncrypt) begin : gen_encrypt
    logic unused_inverse;
    assign unused_inverse = ^{decrypt_i, inverse};
    assign byte_o         = y;
  end else if (Dir == DirDecrypt) begin : gen_decrypt
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
    assign byte_o         = inverse;
  end else begin : gen_both
    assign byte_o = decrypt_i ? inverse : y;
  end

endmodule
