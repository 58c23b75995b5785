// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The way into the S-boxes of a loop, for one column: AddRoundKey behind MixColumns, or the first
// AddRoundKey of a block that enters (FIPS 197, sections 5.1 and 5.3).
//
//   enter_i = 0   column_o = mixed_i + correction_i + key_after_i
//   enter_i = 1   column_o = in_column_i + first_key_i
//
// A new block takes the place of the round key. So the multiplexer of the loop is one gate on the way
// of mixed_i. correction_i must be zero while a block enters. Combinational.

module aes_mixed_entry
  import aes_pkg::*;
(
  input  logic  enter_i,
  input  word_t in_column_i,   // of the block that enters
  input  word_t first_key_i,   // its first round key
  input  word_t mixed_i,       // of the block under way, see aes_round
  input  word_t correction_i,
  input  word_t key_after_i,   // its round key; zero where decryption adds it before InvMixColumns
  output word_t column_o       // to the S-boxes
);

  assign column_o = (enter_i ? in_column_i ^ first_key_i : key_after_i) ^
                    (enter_i ? '0 : mixed_i) ^ correction_i;

endmodule
