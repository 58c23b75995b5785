// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// MixColumns of columns that come byte by byte, up to the last addition, which is left to the sum
// with the round key: byte i of the result is a[i] + u + {02} (a[i] + a[i+1]), u the sum of the column.
//
//   byte_i --|R|--+--|R|--|R|--( mux )--|R|--|S|---------- same_o     a[i]
//                 |          |    |      |
//                 |          |  load_i   +--(+)--|S|------ twice_o    a[i] + a[i+1]
//                 |          +--|H|---------+
//                 +--( sum of a column )--|S|------------- sum_o      u
//
//   |S|: zero by its synchronous reset where there is nothing to add; |H| byte 0 of the column, which
//   is a[i+1] of byte 3
//
// Byte i comes five slots before its results. The bypass of the last round is sum_o = twice_o = 0; a
// block that is loaded passes the same way.

module aes_mix_column_serial
  import aes_pkg::*;
(
  input  logic  clk_i,
  input  logic  en_i,      // a slot passes
  input  logic  first_i,   // the byte that comes in this slot is of row 0
  input  logic  second_i,  // of row 1
  input  logic  last_i,    // of row 3
  input  logic  bypass_i,  // in the next slot sum_o and twice_o are to be zero
  input  logic  zero_i,    // and same_o too
  input  logic  load_i,    // byte n of a block comes, two slots before its result
  input  byte_t load_byte_i,
  input  byte_t byte_i,
  output byte_t same_o,
  output byte_t sum_o,
  output byte_t twice_o
);

  byte_t a_q[5];
  byte_t first_q, part_q, sum_q, twice_q;

  // The byte of row r is in a_q[d] d + 1 slots after it came.
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      a_q[0] <= byte_i;
      a_q[1] <= a_q[0];
      a_q[2] <= a_q[1];
      a_q[3] <= load_i ? load_byte_i : a_q[2];

      if (zero_i) a_q[4] <= '0;
      else a_q[4] <= a_q[3];

      // Rows 0 to 2 of a column; row 3 comes to it in the clock of the sum.
      part_q <= second_i ? a_q[0] : part_q ^ a_q[0];

      if (first_i) sum_q <= (bypass_i || zero_i) ? '0 : part_q ^ a_q[0];

      // Row 0 is in a_q[2] when row 3 comes.
      if (last_i) first_q <= a_q[2];

      if (bypass_i || zero_i) twice_q <= '0;
      else twice_q <= a_q[3] ^ (last_i ? first_q : a_q[2]);
    end
  end

  assign same_o  = a_q[4];
  assign sum_o   = sum_q;
  assign twice_o = twice_q;

endmodule
