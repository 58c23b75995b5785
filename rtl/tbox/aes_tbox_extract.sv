// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The byte of the S-box taken out of the word of a T-box, for the last round, which has no
// MixColumns.
//
//   encryption   S    = byte 1 of T0, for nothing
//   decryption   S^-1 = a constant multiple of any byte of T0', the "multiplication elimination" of
//                       fischer2001, equations 9 to 13: of the four possible sums for a bit, one
//                       with at most three inputs
//   both         a sum of bits that is S of T0 and S^-1 of T0', whichever it is: two or three
//                inputs, four for bit 3, and no multiplexer
//
// With x = {0e} S^-1 (byte 0), y = {09} S^-1 (byte 1) and z = {0b} S^-1 (byte 3): S^-1 = {e5} x =
// {4f} y = {c0} z. The paper marks its selection in bold face, which our copy has lost; that of
// kakarlapudi, section III, is the only one with at most three inputs a bit but for two bits that
// {e1} w, w = byte 2, could give as well.
//
// For both directions: y + z is {02} S of T0 and {02} S^-1 of T0', where five bits are bits of S; the
// sum of all four bytes is S, or S^-1; and two bits come from bytes 0 and 3. No sums of three bits
// give bit 3, as trying all of them shows.

module aes_tbox_extract
  import aes_pkg::*;
#(
  parameter dir_e Dir = DirEncrypt
) (
  input  word_t word_i,  // of T0 or T0', not rotated
  output byte_t byte_o
);

  byte_t x, y, w, z;

  assign {x, y, w, z} = word_i;

  if (Dir == DirEncrypt) begin : gen_encrypt
    logic unused_bytes;
    assign unused_bytes = ^{x, w, z};
    assign byte_o       = y;
  end else if (Dir == DirDecrypt) begin : gen_decrypt
    logic unused_bytes;
    assign unused_bytes = ^{x, w, z};
    assign byte_o = {
      y[7] ^ y[4] ^ y[1],
      y[6] ^ y[3] ^ y[0],
      y[5] ^ y[2],
      y[4] ^ y[1],
      z[3] ^ z[2] ^ z[1],
      x[6] ^ x[5] ^ x[0],
      x[7] ^ x[5] ^ x[4],
      y[5] ^ y[2] ^ y[0]
    };
  end else begin : gen_both
    logic unused_bytes;
    assign unused_bytes = ^{x, y, w, z};
    assign byte_o = {
      y[0] ^ z[0],
      y[7] ^ z[7],
      y[6] ^ z[6],
      y[5] ^ z[5],
      x[3] ^ y[3] ^ w[3] ^ z[3],
      x[1] ^ z[1] ^ z[2],
      y[2] ^ z[2],
      x[7] ^ z[0] ^ z[7]
    };
  end

endmodule
