// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// ShiftRows, InvShiftRows (FIPS 197, sections 5.1.2 and 5.3.1) or both. One direction is wires; for
// both, the bytes of rows 1 and 3 pass a multiplexer (rows 0 and 2 are shifted alike).

module aes_shift_rows
  import aes_pkg::*;
#(
  parameter dir_e Dir = DirEncrypt
) (
  input  logic   decrypt_i,  // 1: InvShiftRows; read only when Dir is DirBoth
  input  block_t state_i,
  output block_t state_o
);

  if (Dir == DirEncrypt) begin : gen_fwd
    assign state_o = shift_rows(state_i);
  end else if (Dir == DirDecrypt) begin : gen_inv
    assign state_o = inv_shift_rows(state_i);
  end else begin : gen_both
    assign state_o = decrypt_i ? inv_shift_rows(state_i) : shift_rows(state_i);
  end

  if (Dir != DirBoth) begin : gen_unused
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
  end

endmodule
