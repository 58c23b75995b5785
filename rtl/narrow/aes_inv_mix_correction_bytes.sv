// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What makes InvMixColumns of MixColumns, for columns that come byte by byte.
//
//   byte_i (a) --+--|R| x 2 --(a[i] + a[i+2])--|V|--+--|R|--+
//                |                       ^----------|-------+
//                +--|R| x 3 ------------------------+-- a + {04} v + add_i -- byte_o
//
// InvMixColumns is MixColumns of b, b[i] = a[i] + {04} (a[i] + a[i+2]) with indices mod 4. The sum
// for bytes 0 and 2 and that for bytes 1 and 3 are used twice, in turn. Without them b is a, so the
// bypass is the synchronous reset of their register. 16 LUT4, and five more where add_i is a sum of
// two registers.

module aes_inv_mix_correction_bytes
  import aes_pkg::*;
(
  input  logic  clk_i,
  input  logic  second_i,  // byte_i is of row 2 or 3
  input  logic  bypass_i,  // two clocks after byte_i: the result is byte_i itself
  input  logic  zero_i,    // two clocks after byte_i: it counts as zero
  input  byte_t add_i,     // added to byte_o
  input  byte_t byte_i,
  output byte_t byte_o     // three clocks after byte_i
);

  byte_t a_q[3];
  byte_t v_q, v_late_q;

  always_ff @(posedge clk_i) begin
    a_q[0] <= byte_i;
    a_q[1] <= a_q[0];
    if (zero_i) a_q[2] <= '0;
    else a_q[2] <= a_q[1];

    // Made of rows 2 and 0, then of 3 and 1, which are two clocks apart, then both again.
    if (bypass_i) v_q <= '0;
    else v_q <= second_i ? byte_i ^ a_q[1] : v_late_q;
    v_late_q <= v_q;
  end

  assign byte_o = a_q[2] ^ xtime(xtime(v_q)) ^ add_i;

endmodule
