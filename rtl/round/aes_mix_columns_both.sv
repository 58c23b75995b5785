// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// MixColumns or InvMixColumns of one column in shared logic: MixColumns, with the correction that
// turns it into its inverse (see aes_mix_columns_inv) switched on for decryption.
//
//   column_i --(+)--------------------------------[ MixColumns ]-- column_o
//        |      |
//        +--[ 04 (a0 + a2), 04 (a1 + a3) ]--[ AND decrypt_i ]

module aes_mix_columns_both
  import aes_pkg::*;
(
  input  logic  decrypt_i,
  input  word_t column_i,  // byte of row 0 at the top
  output word_t column_o
);

  byte_t a0, a1, a2, a3;
  byte_t even, odd;

  assign {a0, a1, a2, a3} = column_i;

  assign even = xtime(xtime(a0 ^ a2)) & {8{decrypt_i}};
  assign odd  = xtime(xtime(a1 ^ a3)) & {8{decrypt_i}};

  aes_mix_columns_fwd u_mix_columns (
    .column_i({a0 ^ even, a1 ^ odd, a2 ^ even, a3 ^ odd}),
    .column_o
  );

endmodule
