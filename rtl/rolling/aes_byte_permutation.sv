// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A fixed permutation of the 16 bytes and a selector, which bring a block to 16/N S-boxes in N
// turns (qin2005, section 3, Fig. 5 and Table 1; section 3 for N = 4):
//
//                                +--- positions of turn 0 ---|\
//   block_i --[ permutation ]----+--- :                      | |-- bytes_o, 16/N bytes
//                                +--- positions of turn N-1 -|/
//                                                             ^ turn_i
//
// S-box m makes bytes N m ... N m + N-1 of the block after ShiftRows, in this order. So position
// 16/N t + m is byte N m + t of ShiftRows (X of the input):
//
//   N = 2   0 10 4 14 8 2 12 6 | 5 15 9 3 13 7 1 11
//   N = 4   0 4 8 12 | 5 9 13 1 | 10 14 2 6 | 15 3 7 11
//
// The line for N = 2 is Table 1 read as "output position i carries X of ...". The opposite reading
// would need a second permutation behind the S-boxes, which the paper does not have. For N = 4 the
// paper prints no permutation. Combinational.

module aes_byte_permutation
  import aes_pkg::*;
#(
  parameter int unsigned NumLookups = 2  // turns, 2 or 4
) (
  input  logic  [1:0]               turn_i,  // 0 to NumLookups-1
  input  block_t                    block_i,
  output byte_t [16/NumLookups-1:0] bytes_o  // the byte of S-box 0 at the top
);

  if (NumLookups != 2 && NumLookups != 4) begin : gen_bad_lookups
    $fatal(1, "aes_byte_permutation: NumLookups must be 2 or 4");
  end

  localparam int unsigned NumBytes = 16 / NumLookups;

  block_t shifted;
  byte_t [NumLookups-1:0][NumBytes-1:0] permuted;  // [turn][S-box, 0 at the top]

  assign shifted = shift_rows(block_i);

  for (genvar t = 0; t < NumLookups; t++) begin : gen_turn
    for (genvar m = 0; m < NumBytes; m++) begin : gen_byte
      assign permuted[t][NumBytes-1-m] = get_byte(shifted, NumLookups * m + t);
    end
  end

  if (NumLookups == 4) begin : gen_four
    assign bytes_o = permuted[turn_i];
  end else begin : gen_two
    logic unused_turn;
    assign unused_turn = turn_i[1];
    assign bytes_o     = permuted[turn_i[0]];
  end

endmodule
