// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// ShiftRows of a state that comes byte by byte, 20 clocks a round, in 14 bytes of registers.
//
//               +---------+     +---------+     +---------+
//               |  hold   |     |  hold   |     |  hold   |
//   byte_i --+--+-|R| x 4-+--+--+-|R| x 4-+--+--+-|R| x 4-+--+
//            |      1        |      2        |      3        |
//            +------[ mux |R| ]--------------[ mux |R| ]-----+
//                       |                        |
//                       +---------[ mux ]--------+-- byte_o
//
// A byte stays in its row: four registers are a column of time. A row leaves with its first
// column three columns after that came in; in row r the byte that leaves is then r columns younger
// than the oldest one, which waits: the registers behind it hold, and those before it move on.
//
// Byte n comes in slot n of its round and byte n of the shifted state leaves in slot n + 13. hold_i
// tells, a slot late, which groups hold for the byte that comes: [2] the oldest.
//
// Cost: 112 flip-flops, 48 LUT4, of which 40 stand before a flip-flop.

module aes_shift_rows_queue
  import aes_pkg::*;
(
  input  logic       clk_i,
  input  logic       en_i,    // a slot passes
  input  logic [2:0] hold_i,  // groups 3, 2, 1; a group holds only with those behind it
  input  byte_t      byte_i,
  output byte_t      byte_o
);

  byte_t young_q[4], middle_q[4], old_q[4];
  byte_t later_q, sooner_q;
  logic late_q;

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      young_q[0]  <= hold_i[0] ? young_q[3] : byte_i;
      middle_q[0] <= hold_i[1] ? middle_q[3] : young_q[3];
      old_q[0]    <= hold_i[2] ? old_q[3] : middle_q[3];
      for (int d = 1; d < 4; d++) begin
        young_q[d]  <= young_q[d-1];
        middle_q[d] <= middle_q[d-1];
        old_q[d]    <= old_q[d-1];
      end
      later_q  <= hold_i[0] ? byte_i : young_q[3];
      sooner_q <= hold_i[2] ? middle_q[3] : old_q[3];
      late_q   <= hold_i[1];
    end
  end

  assign byte_o = late_q ? later_q : sooner_q;

endmodule
