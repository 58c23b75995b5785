// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// MixColumns of columns that come byte by byte, with the bypass of the last round for nothing.
//
//   byte_i (a) --+--( sum of a column )--|U|-----------------+
//                +--|R| x 3, 4 or 7--(a[i] + a[i+1])--|S|----+-- a + u + x s --|R|-- byte_o
//                +--|R| x 5 -- a[i] -------------------------+
//
// Byte i of MixColumns is a[i] + u + {02} (a[i] + a[i+1]), u the sum of the column; without u and s
// it is a[i], so the bypass is the synchronous reset of their registers. 24 LUT4.

module aes_mix_column_bytes
  import aes_pkg::*;
(
  input  logic  clk_i,
  input  logic  first_i,   // byte_i is of row 0
  input  logic  last_i,    // byte_i is of row 3
  input  logic  bypass_i,  // four clocks after byte_i: the result is byte_i itself
  input  logic  zero_i,    // five clocks after byte_i: the result is zero
  input  byte_t byte_i,
  output byte_t byte_o     // six clocks after byte_i
);

  byte_t a_q[7];
  byte_t sum_q, u_q, s_q;

  always_ff @(posedge clk_i) begin
    a_q[0] <= byte_i;
    for (int d = 1; d < 7; d++) a_q[d] <= a_q[d-1];

    sum_q <= first_i ? byte_i : sum_q ^ byte_i;

    // The column before is complete when the first byte of this one is there.
    if (bypass_i) u_q <= '0;
    else if (first_i) u_q <= sum_q;

    // What came four clocks ago, with what came after it, or for row 3 with row 0.
    if (bypass_i) s_q <= '0;
    else s_q <= a_q[3] ^ (last_i ? a_q[6] : a_q[2]);

    if (zero_i) byte_o <= '0;
    else byte_o <= a_q[4] ^ u_q ^ xtime(s_q);
  end

endmodule
