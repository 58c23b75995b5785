// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What turns MixColumns into InvMixColumns when it is applied before it, to one column:
//
//   circ(0e, 0b, 0d, 09) = circ(02, 03, 01, 01) * circ(05, 00, 04, 00)
//
//   column_i --(+)------------------------------- column_o
//        |      |
//        +--[ 04 (a0 + a2), 04 (a1 + a3) ]
//
// With DirBoth it is switched on by decrypt_i, with DirEncrypt it is nothing. Combinational.

module aes_inv_mix_correction
  import aes_pkg::*;
#(
  parameter dir_e Dir = DirDecrypt
) (
  input  logic  decrypt_i,  // read only when Dir is DirBoth
  input  word_t column_i,   // byte of row 0 at the top
  output word_t column_o
);

  byte_t a0, a1, a2, a3;
  byte_t even, odd;
  logic on;

  assign on = (Dir == DirBoth) ? decrypt_i : (Dir == DirDecrypt);

  assign {a0, a1, a2, a3} = column_i;

  assign even = xtime(xtime(a0 ^ a2)) & {8{on}};
  assign odd  = xtime(xtime(a1 ^ a3)) & {8{on}};

  assign column_o = {a0 ^ even, a1 ^ odd, a2 ^ even, a3 ^ odd};

  if (Dir != DirBoth) begin : gen_unused
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
  end

endmodule
