// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_round_crossed beside the order of steps of FIPS 197 on a 4 x 4 array of bytes: Cipher (section
// 5.1) and InvCipher (section 5.3). In a last round a new block enters, of either direction. Where the
// direction is encryption, S-boxes of decryption give and take crossed bytes.
//
//   same_o    the results agree, but for the rounds of encryption before the last one
//   mixed_o   these agree where no more than one bit of state and round key is one
//   linear_o  and they are affine: of a sum of two they are the sum of the two, and that of zero. So
//             they agree for all
//   byte_o    what is said of S-boxes in the header of aes_round_crossed

module round_crossed_miter
  import aes_pkg::*;
  import fips197_pkg::*;
(
  input  logic   decrypt_i,
  input  logic   last_i,
  input  logic   enter_decrypt_i,
  input  block_t state_i,          // what the S-boxes give
  input  block_t round_key_i,
  input  block_t block_i,          // that enters, with its first key
  input  block_t other_key_i,
  input  logic [8:0] one_i,        // which bit
  input  byte_t  byte_i,
  output logic   same_o,
  output logic   mixed_o,
  output logic   linear_o,
  output logic   byte_o
);

  block_t inner, last, key_before, entry;
  logic next_decrypt;

  assign next_decrypt = last_i ? enter_decrypt_i : decrypt_i;

  aes_round_crossed u_round (
    .decrypt_i     ({4{decrypt_i}}),
    .correct_i     ({4{decrypt_i & ~last_i}}),
    .enter_i       ({4{last_i}}),
    .next_decrypt_i({4{next_decrypt}}),
    .state_i,
    .key_before_i  (key_before),
    .entry_i       (entry),
    .inner_o       (inner),
    .last_o        (last)
  );

  assign key_before = (decrypt_i || last_i) ? round_key_i : '0;

  always_comb begin
    if (last_i) entry = block_i;
    else entry = decrypt_i ? '0 : round_key_i;
  end

  // FIPS 197, section 5.1.1: bit i of the affine map is b[i] + b[i+4] + b[i+5] + b[i+6] + b[i+7] + c[i].
  localparam byte_t Constant = 8'h63;

  function automatic byte_t crossed(byte_t x);
    byte_t scaled, image;
    scaled = gf_mul(x, 8'h8c);
    for (int i = 0; i < 8; i++) begin
      image[i] = scaled[i] ^ scaled[(i+4)%8] ^ scaled[(i+5)%8] ^ scaled[(i+6)%8] ^
          scaled[(i+7)%8] ^ Constant[i];
    end
    return image;
  endfunction

  function automatic block_t all_crossed(block_t block);
    block_t image;
    for (int n = 0; n < 16; n++) image[8*n+:8] = crossed(block[8*n+:8]);
    return image;
  endfunction

  array_t key, forward_shifted, inverse_keyed;
  block_t defined_next, defined_inner, defined_last;

  assign key             = to_array(round_key_i);
  assign forward_shifted = shift(to_array(all_crossed(state_i)), 1'b0);
  assign inverse_keyed   = shift(to_array(state_i), 1'b1) ^ key;

  assign defined_next = decrypt_i
      ? to_block(mix(inverse_keyed, 8'h0e, 8'h0b, 8'h0d, 8'h09))
      : to_block(mix(forward_shifted, 8'h02, 8'h03, 8'h01, 8'h01) ^ key);
  assign defined_last = decrypt_i ? to_block(inverse_keyed) : to_block(forward_shifted ^ key);

  always_comb begin
    defined_inner = last_i ? block_i : defined_next;
    if (!next_decrypt) defined_inner = all_crossed(defined_inner);
  end

  // The rounds before are sums of bits in another order, which SAT is slow to compare.
  assign same_o = (!decrypt_i && !last_i) ||
                  (inner == defined_inner && (!last_i || last == defined_last));

  // State and round key of encryption: a bit of one of the two or none, x, y, x + y, and zero.
  block_t [4:0] states, keys, inners;

  always_comb begin
    states = '0;
    keys   = '0;
    if (!one_i[8]) begin
      if (one_i[7]) keys[0][one_i[6:0]] = 1'b1;
      else states[0][one_i[6:0]] = 1'b1;
    end
    states[1] = state_i;
    states[2] = block_i;
    states[3] = state_i ^ block_i;
    keys[1]   = round_key_i;
    keys[2]   = other_key_i;
    keys[3]   = round_key_i ^ other_key_i;
  end

  for (genvar i = 0; i < 5; i++) begin : gen_round
    block_t unused_last;
    aes_round_crossed u_round (
      .decrypt_i     ('0),
      .correct_i     ('0),
      .enter_i       ('0),
      .next_decrypt_i('0),
      .state_i       (states[i]),
      .key_before_i  ('0),
      .entry_i       (keys[i]),
      .inner_o       (inners[i]),
      .last_o        (unused_last)
    );
  end

  array_t one_shifted;
  block_t defined_one;
  assign one_shifted = shift(to_array(all_crossed(states[0])), 1'b0);
  assign defined_one = all_crossed(to_block(
      mix(one_shifted, 8'h02, 8'h03, 8'h01, 8'h01) ^ to_array(keys[0])));

  assign mixed_o  = inners[0] == defined_one;
  assign linear_o = inners[3] == (inners[1] ^ inners[2] ^ inners[4]);

  assign byte_o = crossed(SboxInvTable[crossed(byte_i)]) == SboxFwdTable[byte_i];

endmodule
