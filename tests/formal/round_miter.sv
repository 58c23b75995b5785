// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_round beside the order of steps of FIPS 197 on a 4 x 4 array of bytes: Cipher (section 5.1)
// and InvCipher (section 5.3). same_o is high when both results agree.

module round_miter
  import aes_pkg::*;
#(
  parameter dir_e Dir = DirEncrypt
) (
  input  logic   decrypt_i,
  input  block_t state_i,
  input  block_t round_key_i,
  output logic   same_o
);

  typedef byte_t [3:0][3:0] array_t;  // [row][column]

  block_t inner, last;
  logic inverse;

  aes_round #(
    .Dir(Dir)
  ) u_round (
    .decrypt_i,
    .state_i,
    .round_key_i,
    .inner_o(inner),
    .last_o (last)
  );

  assign inverse = (Dir == DirBoth) ? decrypt_i : (Dir == DirDecrypt);

  function automatic array_t to_array(block_t block);
    array_t s;
    for (int n = 0; n < 16; n++) s[n%4][n/4] = block[127-8*n-:8];
    return s;
  endfunction

  function automatic block_t to_block(array_t s);
    block_t block;
    for (int n = 0; n < 16; n++) block[127-8*n-:8] = s[n%4][n/4];
    return block;
  endfunction

  // s'[r][c] = s[r][(c + r) mod 4], or the reverse.
  function automatic array_t shift(array_t s, bit reverse);
    array_t moved;
    for (int r = 0; r < 4; r++) begin
      for (int c = 0; c < 4; c++) begin
        if (reverse) moved[r][(c+r)%4] = s[r][c];
        else moved[r][c] = s[r][(c+r)%4];
      end
    end
    return moved;
  endfunction

  function automatic array_t mix(array_t s, byte_t m0, byte_t m1, byte_t m2, byte_t m3);
    array_t mixed;
    for (int c = 0; c < 4; c++) begin
      for (int r = 0; r < 4; r++) begin
        mixed[r][c] = gf_mul(s[r][c], m0) ^ gf_mul(s[(r+1)%4][c], m1) ^ gf_mul(s[(r+2)%4][c], m2) ^
            gf_mul(s[(r+3)%4][c], m3);
      end
    end
    return mixed;
  endfunction

  array_t key, forward_shifted, inverse_keyed;
  block_t defined_inner, defined_last;

  assign key             = to_array(round_key_i);
  assign forward_shifted = shift(to_array(state_i), 1'b0);
  assign inverse_keyed   = shift(to_array(state_i), 1'b1) ^ key;

  assign defined_inner = inverse
      ? to_block(mix(inverse_keyed, 8'h0e, 8'h0b, 8'h0d, 8'h09))
      : to_block(mix(forward_shifted, 8'h02, 8'h03, 8'h01, 8'h01) ^ key);
  assign defined_last = inverse ? to_block(inverse_keyed) : to_block(forward_shifted ^ key);

  assign same_o = inner == defined_inner && last == defined_last;

endmodule
