// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// ShiftRows of a state that comes byte by byte.
//
//   byte_i --+--|R| x 4--[ mux ]--+--|R| x 8--[ mux ]--|R|--+--|R| x 16--[ mux ]-- byte_o
//            +-----------[     ]  +-----------[     ]       +------------[     ]
//              rows 0 and 2         rows 0 and 1              row r: columns 4 - r to 3
//
// Byte n = 4 c + r of the shifted state is byte 4 ((c + r) mod 4) + r of the state: in row r it
// waits for 3 - r columns, and four more where c + r passes the last one. A wait of whole columns
// leaves a byte in its row, so three stages with two taps do, whose choice depends on row and column
// alone: 24 LUT4. Byte n leaves 13 clocks after byte n has come.

module aes_shift_rows_bytes
  import aes_pkg::*;
(
  input  logic       clk_i,
  input  logic [3:0] row_i,   // one-hot: the row of byte_i
  input  logic       late_i,  // byte_o is to have waited four columns more
  input  byte_t      byte_i,
  output byte_t      byte_o
);

  byte_t one_q[4], two_q[8], four_q[16];
  byte_t one, two, two_out_q;
  logic unused_row;

  assign unused_row = row_i[3];

  assign one = (row_i[0] | row_i[2]) ? one_q[3] : byte_i;
  assign two = (row_i[0] | row_i[1]) ? two_q[7] : one;

  always_ff @(posedge clk_i) begin
    one_q[0]  <= byte_i;
    two_q[0]  <= one;
    two_out_q <= two;
    four_q[0] <= two_out_q;
    for (int d = 1; d < 4; d++) one_q[d] <= one_q[d-1];
    for (int d = 1; d < 8; d++) two_q[d] <= two_q[d-1];
    for (int d = 1; d < 16; d++) four_q[d] <= four_q[d-1];
  end

  assign byte_o = late_i ? four_q[15] : two_out_q;

endmodule
