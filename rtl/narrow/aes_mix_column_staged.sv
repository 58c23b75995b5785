// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// MixColumns of one column in two clocks, with the bypass of the last round for nothing.
//
//   column_i (a) --+-- a ------------------|R|--+
//                  +-- s = a[i] + a[i+1] --|R|--+-- a + u + x s --|R|-- column_o
//                  +-- u = sum of all a ---|R|--+
//                                    sum_zero_i       zero_i
//
// a[i] + u + {02} (a[i] + a[i+1]) is byte i of MixColumns; without u and s it is a[i]. So the bypass
// is the synchronous reset of the registers of u and s, and so is a result of zero that of the last
// register: neither takes a LUT. 72 LUT4 in all, one level in each clock.

module aes_mix_column_staged
  import aes_pkg::*;
(
  input  logic  clk_i,
  input  word_t column_i,  // byte of row 0 at the top
  input  logic  bypass_i,  // with column_i: the result is column_i itself
  input  logic  zero_i,    // a clock later: the result is zero
  output word_t column_o   // two clocks after column_i
);

  byte_t a[4];
  byte_t s_q[4];
  byte_t u_q;
  word_t a_q, mixed;

  for (genvar i = 0; i < 4; i++) begin : gen_byte
    assign a[i] = column_i[8*(3-i)+:8];

    always_ff @(posedge clk_i) begin
      if (bypass_i) s_q[i] <= '0;
      else s_q[i] <= a[i] ^ a[(i+1)%4];
    end

    assign mixed[8*(3-i)+:8] = a_q[8*(3-i)+:8] ^ u_q ^ xtime(s_q[i]);
  end

  always_ff @(posedge clk_i) begin
    a_q <= column_i;
    if (bypass_i) u_q <= '0;
    else u_q <= a[0] ^ a[1] ^ a[2] ^ a[3];
  end

  always_ff @(posedge clk_i) begin
    if (zero_i) column_o <= '0;
    else column_o <= mixed;
  end

endmodule
