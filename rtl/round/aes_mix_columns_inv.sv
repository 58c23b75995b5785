// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// InvMixColumns of one column (FIPS 197, section 5.3.3) as MixColumns after a small correction:
//
//   circ(0e, 0b, 0d, 09) = circ(02, 03, 01, 01) * circ(05, 00, 04, 00)
//
//   column_i --(+)-----------------------[ MixColumns ]-- column_o
//        |      |
//        +--[ 04 (a0 + a2), 04 (a1 + a3) ]

module aes_mix_columns_inv
  import aes_pkg::*;
(
  input  word_t column_i,  // byte of row 0 at the top
  output word_t column_o
);

  byte_t a0, a1, a2, a3;
  byte_t even, odd;

  assign {a0, a1, a2, a3} = column_i;

  assign even = xtime(xtime(a0 ^ a2));
  assign odd  = xtime(xtime(a1 ^ a3));

  aes_mix_columns_fwd u_mix_columns (
    .column_i({a0 ^ even, a1 ^ odd, a2 ^ even, a3 ^ odd}),
    .column_o
  );

endmodule
