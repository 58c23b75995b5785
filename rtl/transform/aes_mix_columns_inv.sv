// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// InvMixColumns of one column (FIPS 197, section 5.3.3) as MixColumns after a small correction.

module aes_mix_columns_inv
  import aes_pkg::*;
(
  input  word_t column_i,  // byte of row 0 at the top
  output word_t column_o
);

  word_t corrected;

  aes_inv_mix_correction #(
    .Dir(DirDecrypt)
  ) u_correction (
    .decrypt_i(1'b1),
    .column_i,
    .column_o (corrected)
  );

  aes_mix_columns_fwd u_mix_columns (
    .column_i(corrected),
    .column_o
  );

endmodule
