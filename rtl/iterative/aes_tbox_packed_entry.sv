// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The way into the T-boxes of a loop with one key addition, and the result, for one column of
// aes_tbox_packed with its four tables (Selected):
//
//   table      column_o                                        last_o
//   products   MixColumns of the substituted bytes + added_i
//   last                                                       the substituted bytes + added_i
//   zero       added_i, for a block that enters
//
// A bit of column_o is a sum of four bits of words_i and one of added_i, so one LUT5, which ECP5 joins
// from two LUT4 in a slice (recipe slicexor). The bits of last_o that the table for the last round
// keeps are those of column_o; the others are a LUT2. Combinational.

module aes_tbox_packed_entry
  import aes_pkg::*;
  import aes_tbox_pkg::*;
(
  input  word_t       added_i,   // round key, or block with its first key
  input  word_t [3:0] words_i,   // of the shifted column {2S, S, S, 3S}, [3] of row 0
  output word_t       column_o,  // byte of row 0 at the top
  output word_t       last_o
);

  localparam byte_t Kept = packed_kept();

  for (genvar r = 0; r < 4; r++) begin : gen_row
    for (genvar j = 0; j < 8; j++) begin : gen_bit
      localparam int unsigned Place = 8 * (3 - r) + j;

      aes_slice_xor u_slice_xor (
        .bits_i({
          words_i[3-r][24+j],
          words_i[3-(r+1)%4][j],
          words_i[3-(r+2)%4][8+j],
          words_i[3-(r+3)%4][8+j],
          added_i[Place]
        }),
        .y_o(column_o[Place])
      );

      if (Kept[j]) begin : gen_kept
        assign last_o[Place] = column_o[Place];
      end else begin : gen_other
        assign last_o[Place] = words_i[3-r][j] ^ added_i[Place];
      end
    end
  end

  // S is there twice.
  for (genvar i = 0; i < 4; i++) begin : gen_unused
    logic unused_single;
    assign unused_single = ^words_i[i][23:16];
  end

endmodule
