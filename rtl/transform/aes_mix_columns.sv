// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// MixColumns, InvMixColumns or both in shared logic: the dispatcher, for any number of columns.

module aes_mix_columns
  import aes_pkg::*;
#(
  parameter dir_e        Dir        = DirEncrypt,
  parameter int unsigned NumColumns = 4
) (
  input  logic                   decrypt_i,  // 1: InvMixColumns; read only when Dir is DirBoth
  input  word_t [NumColumns-1:0] state_i,    // byte of row 0 at the top of each column
  output word_t [NumColumns-1:0] state_o
);

  for (genvar c = 0; c < NumColumns; c++) begin : gen_column
    if (Dir == DirEncrypt) begin : gen_fwd
      aes_mix_columns_fwd u_mix_columns (
        .column_i(state_i[c]),
        .column_o(state_o[c])
      );
    end else if (Dir == DirDecrypt) begin : gen_inv
      aes_mix_columns_inv u_mix_columns (
        .column_i(state_i[c]),
        .column_o(state_o[c])
      );
    end else if (Dir == DirBoth) begin : gen_both
      word_t unused_forward, unused_correction;
      aes_mix_columns_both u_mix_columns (
        .decrypt_i,
        .column_i    (state_i[c]),
        .forward_o   (unused_forward),
        .correction_o(unused_correction),
        .column_o    (state_o[c])
      );
    end else begin : gen_unknown
      $fatal(1, "aes_mix_columns: unknown Dir");
    end
  end

  if (Dir != DirBoth) begin : gen_unused
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
  end

endmodule
