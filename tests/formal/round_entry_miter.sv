// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_round_entry beside the order of steps of FIPS 197 on a 4 x 4 array of bytes: Cipher (section
// 5.1) and InvCipher (section 5.3). In a last round a new block enters. same_o is high when the
// results agree.

module round_entry_miter
  import aes_pkg::*;
  import fips197_pkg::*;
(
  input  logic   decrypt_i,
  input  logic   last_i,
  input  block_t state_i,
  input  block_t round_key_i,
  input  block_t block_i,
  output logic   same_o
);

  block_t inner, last, key_before, entry;

  aes_round_entry u_round (
    .decrypt_i   ({4{decrypt_i}}),
    .correct_i   ({4{decrypt_i & ~last_i}}),
    .enter_i     ({4{last_i}}),
    .state_i,
    .key_before_i(key_before),
    .entry_i     (entry),
    .inner_o     (inner),
    .last_o      (last)
  );

  assign key_before = (decrypt_i || last_i) ? round_key_i : '0;

  always_comb begin
    if (last_i) entry = block_i;
    else entry = decrypt_i ? '0 : round_key_i;
  end

  array_t key, forward_shifted, inverse_keyed;
  block_t defined_inner, defined_last;

  assign key             = to_array(round_key_i);
  assign forward_shifted = shift(to_array(state_i), 1'b0);
  assign inverse_keyed   = shift(to_array(state_i), 1'b1) ^ key;

  assign defined_inner = decrypt_i
      ? to_block(mix(inverse_keyed, 8'h0e, 8'h0b, 8'h0d, 8'h09))
      : to_block(mix(forward_shifted, 8'h02, 8'h03, 8'h01, 8'h01) ^ key);
  assign defined_last = decrypt_i ? to_block(inverse_keyed) : to_block(forward_shifted ^ key);

  assign same_o = last_i ? last == defined_last && inner == block_i : inner == defined_inner;

endmodule
