// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_round beside the order of steps of FIPS 197 on a 4 x 4 array of bytes: Cipher (section 5.1)
// and InvCipher (section 5.3). same_o is high when the result of the
// round that last_i tells agrees.

module round_miter
  import aes_pkg::*;
  import fips197_pkg::*;
#(
  parameter dir_e Dir = DirEncrypt
) (
  input  logic   decrypt_i,
  input  logic   last_i,
  input  block_t state_i,
  input  block_t round_key_i,
  output logic   same_o
);

  block_t mixed, correction, inner, last, unmixed_key;
  block_t key_before, key_after;
  logic inverse;

  aes_round #(
    .Dir(Dir)
  ) u_round (
    .decrypt_i,
    .correct_i(decrypt_i),
    .state_i,
    .key_before_i(key_before),
    .key_after_i(key_after),
    .mixed_o(mixed),
    .correction_o(correction),
    .inner_o(inner),
    .last_o(last)
  );

  // With both directions one of the adders gets zero.
  assign key_before = (Dir != DirBoth || decrypt_i || last_i) ? round_key_i : '0;
  assign key_after  = (Dir != DirBoth || !(decrypt_i || last_i)) ? round_key_i : '0;

  assign inverse = (Dir == DirBoth) ? decrypt_i : (Dir == DirDecrypt);

  array_t key, forward_shifted, inverse_keyed;
  block_t defined_inner, defined_last;

  assign key             = to_array(round_key_i);
  assign forward_shifted = shift(to_array(state_i), 1'b0);
  assign inverse_keyed   = shift(to_array(state_i), 1'b1) ^ key;

  assign defined_inner = inverse
      ? to_block(mix(inverse_keyed, 8'h0e, 8'h0b, 8'h0d, 8'h09))
      : to_block(mix(forward_shifted, 8'h02, 8'h03, 8'h01, 8'h01) ^ key);
  assign defined_last = inverse ? to_block(inverse_keyed) : to_block(forward_shifted ^ key);

  assign unmixed_key = inverse ? '0 : round_key_i;
  assign same_o = last_i ? last == defined_last :
      inner == defined_inner && (mixed ^ correction ^ unmixed_key) == defined_inner;

endmodule
