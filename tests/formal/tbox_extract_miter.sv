// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_tbox_extract gives back every byte from the word that a T-box makes of it: of S for T0, of
// S^-1 for T0' (kakarlapudi, section III; fischer2001, section 3.2). same_o is high when it does.

module tbox_extract_miter
  import aes_pkg::*;
#(
  parameter dir_e Dir = DirEncrypt
) (
  input  logic  decrypt_i,
  input  byte_t byte_i,
  output logic  same_o
);

  word_t word;
  byte_t extracted;
  logic  inverse;

  assign inverse = Dir == DirDecrypt || (Dir == DirBoth && decrypt_i);

  assign word = inverse
      ? {gf_mul(byte_i, 8'h0e), gf_mul(byte_i, 8'h09), gf_mul(byte_i, 8'h0d), gf_mul(byte_i, 8'h0b)}
      : {gf_mul(byte_i, 8'h02), byte_i, byte_i, gf_mul(byte_i, 8'h03)};

  aes_tbox_extract #(
    .Dir(Dir)
  ) u_extract (
    .word_i(word),
    .byte_o(extracted)
  );

  assign same_o = extracted == byte_i;

endmodule
