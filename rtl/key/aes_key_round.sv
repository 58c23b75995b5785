// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// One step of KeyExpansion for 128-bit keys (FIPS 197, section 5.2): a round key from the one
// before it. SubWord(RotWord(w3)) is made outside, where a register may stand on its path.
//
//   w0' = w0 + SubWord(RotWord(w3)) + Rcon, w1' = w1 + w0', w2' = w2 + w1', w3' = w3 + w2'
//
// Each new word is written as a sum of the old ones, so that none waits for another.

module aes_key_round
  import aes_pkg::*;
(
  input  block_t key_i,
  input  word_t  sub_i,   // SubWord(RotWord(key_i[31:0]))
  input  byte_t  rcon_i,
  output block_t key_o
);

  word_t w0, w1, w2, w3, t;

  assign {w0, w1, w2, w3} = key_i;

  assign t = sub_i ^ {rcon_i, 24'b0};

  assign key_o = {
    w0 ^ t,
    w0 ^ w1 ^ t,
    w0 ^ w1 ^ w2 ^ t,
    w0 ^ w1 ^ w2 ^ w3 ^ t
  };

endmodule
