// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A round of both directions behind S-boxes of decryption, with the place where a new block comes in:
//
//   state_i --+--[ ShiftRows, crossed MixColumns ]--------------------+--[ mux ]--(+)-- inner_o
//             +--[ InvShiftRows ]--(+ key_before)--[ InvMixColumns ]--+            ^
//             |                                                                    |
//             |                                        entry_i --[ crossed ]-------+
//             +--[ the same, without (Inv)MixColumns ]-- last_o
//
// For each k of GF(2^8) there is a linear map M of bytes, multiplication by k and then the linear
// part of the affine map, so that
//
//   SubBytes(x) = M InvSubBytes(M x + {63}) + {63}
//
// since both invert, and 1 / x = k / (k x). So encryption needs no S-box of its own and nothing before
// or behind those of decryption: M x + {63} of what it has, the crossed byte, goes into them. Between two
// S-boxes is M MixColumns M, whose parts are again linear maps of bytes. k = {8c} has the
// fewest ones in M, three a row at most.
//
// entry_i is the sum of all that is added behind MixColumns: round keys of encryption, or a new block
// with its first key, for which enter_i takes away what MixColumns gives.
//
// Each column has controls of its own, which are to be equal. Combinational.

module aes_round_crossed
  import aes_pkg::*;
(
  input  logic [3:0] decrypt_i,       // direction of state_i
  input  logic [3:0] correct_i,       // InvMixColumns; only with decrypt_i, and without enter_i
  input  logic [3:0] enter_i,         // inner_o is entry_i
  input  logic [3:0] next_decrypt_i,  // direction of inner_o, which is not crossed then
  input  block_t     state_i,         // after the S-boxes of decryption
  input  block_t     key_before_i,
  input  block_t     entry_i,
  output block_t     inner_o,         // to the S-boxes of decryption
  output block_t     last_o           // result of the last round
);

  block_t forward, inverse;

  assign forward = shift_rows(state_i);
  assign inverse = inv_shift_rows(state_i);

  for (genvar c = 0; c < 4; c++) begin : gen_column
    aes_column_crossed u_column (
      .decrypt_i     (decrypt_i[c]),
      .correct_i     (correct_i[c]),
      .enter_i       (enter_i[c]),
      .next_decrypt_i(next_decrypt_i[c]),
      .forward_i     (forward[32*c+:32]),
      .inverse_i     (inverse[32*c+:32]),
      .key_before_i  (key_before_i[32*c+:32]),
      .entry_i       (entry_i[32*c+:32]),
      .inner_o       (inner_o[32*c+:32]),
      .last_o        (last_o[32*c+:32])
    );
  end

endmodule
