// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// MixColumns or InvMixColumns of one column in shared logic: MixColumns, with the correction that
// turns it into its inverse switched on for decryption.

module aes_mix_columns_both
  import aes_pkg::*;
(
  input  logic  decrypt_i,
  input  word_t column_i,  // byte of row 0 at the top
  output word_t column_o
);

  word_t corrected;

  aes_inv_mix_correction #(
    .Dir(DirBoth)
  ) u_correction (
    .decrypt_i,
    .column_i,
    .column_o(corrected)
  );

  aes_mix_columns_fwd u_mix_columns (
    .column_i(corrected),
    .column_o
  );

endmodule
