// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// MixColumns of one column (FIPS 197, section 5.1.3) as XORs of its bytes and their pairs.
//
//   b0 = 02 (a0 + a1) + a1 + (a2 + a3), the other rows by rotation (standaert2003, equation 10)

module aes_mix_columns_fwd
  import aes_pkg::*;
(
  input  word_t column_i,  // byte of row 0 at the top
  output word_t column_o
);

  byte_t a0, a1, a2, a3;
  byte_t sum01, sum12, sum23, sum30;

  assign {a0, a1, a2, a3} = column_i;

  assign sum01 = a0 ^ a1;
  assign sum12 = a1 ^ a2;
  assign sum23 = a2 ^ a3;
  assign sum30 = a3 ^ a0;

  assign column_o = {
    xtime(sum01) ^ a1 ^ sum23,
    xtime(sum12) ^ a2 ^ sum30,
    xtime(sum23) ^ a3 ^ sum01,
    xtime(sum30) ^ a0 ^ sum12
  };

endmodule
