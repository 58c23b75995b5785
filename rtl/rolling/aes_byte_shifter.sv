// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The cyclic shifter of 16 bytes that feeds four S-boxes in turn (qin2005, section 3, Fig. 4):
//
//   block_i --[ by 5 bytes, or not ]--[ by 10 bytes, or not ]--+-- bytes_o[3] = X_K
//                       ^                        ^             +-- bytes_o[2] = X_(K+4)
//              shift_i[0]               shift_i[1]             +-- bytes_o[1] = X_(K+8)
//                                                              +-- bytes_o[0] = X_(K+12)
//
// K = shift_i, indices modulo 16. The paper uses K = 0, 5, 10 and 15, coded 0000, 0101, 1010 and
// 1111: K = 5p delivers row p of the state after ShiftRows. The two halves of K are equal in all
// four, so two stages do, and four outputs need only 8 bytes of the first stage: 12 x 8 two-input
// multiplexers, the tree of the 4:1 selector of aes_byte_permutation. Combinational.

module aes_byte_shifter
  import aes_pkg::*;
(
  input  logic [3:0]  shift_i,  // K: 0, 5, 10 or 15
  input  block_t      block_i,
  output byte_t [3:0] bytes_o   // [3] comes first
);

  block_t by_5, by_15;

  assign by_5  = shift_i[0] ? {block_i[87:0], block_i[127:88]} : block_i;
  assign by_15 = shift_i[1] ? {by_5[47:0], by_5[127:48]} : by_5;

  assign bytes_o = {by_15[127-:8], by_15[95-:8], by_15[63-:8], by_15[31-:8]};

  // The other bytes of the shifter, and the half of K that repeats the first one.
  logic unused_bits;
  assign unused_bits = ^{by_15[119:96], by_15[87:64], by_15[55:32], by_15[23:0], shift_i[3:2]};

endmodule
