// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The state as FIPS 197 writes it, a 4 x 4 array of bytes filled column by column, and its
// transformations as loops over rows and columns: the definition that rounds are proved against.

package fips197_pkg;

  import aes_pkg::block_t, aes_pkg::byte_t, aes_pkg::gf_mul;

  typedef byte_t [3:0][3:0] array_t;  // [row][column]

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

endpackage
