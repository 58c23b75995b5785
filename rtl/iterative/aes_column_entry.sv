// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The way into the S-boxes of a loop, for one column: MixColumns and the addition of the round key
// (FIPS 197, section 5.1), or the first key addition of a block that enters.
//
//   enter_i = 0   column_o = MixColumns(column_i) + sums_i + sub_i
//   enter_i = 1   column_o = in_column_i + first_key_i
//
// The round key comes as two addends. With a, b, c, d the bytes of rows r to r+3, a bit of row r is
// one LUT4 of four others, each of which takes part of both cases:
//
//   enter_i  ? in_column_i : a' + b'      (rotated left by one bit)
//   enter_i  ? first_key_i : c + d
//   enter_i  ? 0           : b + sums_i + sub_i
//   enter_i  ? 0           : a[7] + b[7]  (bits 1, 3 and 4, which the modulus reduces)
//
// So it is two LUT4 deep if the mapper keeps it (recipes shaped and wide). Combinational.

module aes_column_entry
  import aes_pkg::*;
(
  input  logic  enter_i,
  input  word_t in_column_i,  // of the block that enters
  input  word_t first_key_i,  // for it
  input  word_t column_i,     // of the state under way, after ShiftRows; byte of row 0 at the top
  input  word_t sums_i,       // its round key is sums_i + sub_i
  input  word_t sub_i,
  output word_t column_o      // to the S-boxes
);

  // The bits of a product by x that take bit 7 of the other factor: those of 8'h1b above bit 0.
  localparam byte_t WithBit7 = 8'h1a;

  for (genvar r = 0; r < 4; r++) begin : gen_row
    localparam int unsigned Low = 8 * (3 - r);
    byte_t a, b, c, d, doubled, rest, with_key, reduced;

    assign a        = column_i[8*(3-r)+:8];
    assign b        = column_i[8*(3-(r+1)%4)+:8];
    assign c        = column_i[8*(3-(r+2)%4)+:8];
    assign d        = column_i[8*(3-(r+3)%4)+:8];
    assign doubled  = enter_i ? in_column_i[Low+:8] : {a[6:0], a[7]} ^ {b[6:0], b[7]};
    assign rest     = enter_i ? first_key_i[Low+:8] : c ^ d;
    assign with_key = enter_i ? '0 : b ^ sums_i[Low+:8] ^ sub_i[Low+:8];
    assign reduced  = enter_i ? '0 : WithBit7 & {8{a[7] ^ b[7]}};

    assign column_o[Low+:8] = (doubled ^ rest) ^ (with_key ^ reduced);
  end

endmodule
