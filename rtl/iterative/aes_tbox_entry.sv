// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The way into the T-boxes of a loop with one key addition, for one column:
//
//   round_i  keep_i   column_o
//      1       1      a round: MixColumns of the substituted bytes + round_key_i + in_column_i
//      0       1      the last round: the substituted bytes + round_key_i + in_column_i
//      0       0      a block enters: round_key_i + in_column_i
//
// in_column_i is to be zero but when a block enters. Row r of a round is a sum of five bytes of
// aes_tbox_pair, whose memories hold S and 3S: 3S + S of row r, 3S of row r + 1, S of rows r + 2 and
// r + 3. Its own S is one of them, which is what the last round keeps. A bit is three LUT4, two
// deep:
//
//   own    = keep_i & S[r] + round_i & 3S[r]
//   others = round_i & (3S[r+1] + S[r+2] + S[r+3])
//   column_o = own + others + round_key_i + in_column_i
//
// Combinational.

module aes_tbox_entry
  import aes_pkg::*;
(
  input  logic        round_i,
  input  logic        keep_i,
  input  word_t       in_column_i,
  input  word_t       round_key_i,
  input  word_t [3:0] words_i,      // T0 of the shifted column {2S, S, S, 3S}, [3] of row 0
  output word_t       column_o      // byte of row 0 at the top
);

  for (genvar r = 0; r < 4; r++) begin : gen_row
    localparam int unsigned Low = 8 * (3 - r);
    byte_t own, others;

    assign own = ({8{keep_i}} & words_i[3-r][15:8]) ^ ({8{round_i}} & words_i[3-r][7:0]);
    assign others = {8{round_i}} & (words_i[3-(r+1)%4][7:0] ^ words_i[3-(r+2)%4][15:8] ^
                                    words_i[3-(r+3)%4][15:8]);

    assign column_o[Low+:8] = (own ^ others) ^ (round_key_i[Low+:8] ^ in_column_i[Low+:8]);
  end

  // 2S is the sum of the others, and of use where it is not.
  for (genvar i = 0; i < 4; i++) begin : gen_unused
    logic unused_products;
    assign unused_products = ^words_i[i][31:16];
  end

endmodule
