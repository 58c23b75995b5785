// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// ShiftRows, InvShiftRows or both of a state that comes in parts, some columns a clock.
//
//   columns_i --+--|R|--+--|R|-- ... --|R|     a row of the state, a byte of each column a clock
//               |       |               |
//             [ two of the taps, by part_i ]-- columns_o
//
// In the clock in which the last part of a state comes (part_i), the first part of the shifted state
// leaves, so that no clock is lost between states that follow each other; the other parts leave in
// the next clocks, while the next state comes. Byte s' of row r is that of column c + r, which is
// in the row's register for as many clocks as columns lie between: a number that changes once in a
// state, where c + r passes the last column. So each row is a chain of registers without enable with
// one multiplexer of two taps (of four for both directions), and no column is ever selected.
//
//   clocks from columns_i to columns_o,      row 0   row 1     row 2     row 3
//   one column a clock      ShiftRows        3       2 or 6    1 or 5    0 or 4
//                           InvShiftRows     3       4 or 0    5 or 1    6 or 2
//
// fischer2001, section 3 (economic): the old columns are needed until the end of a round. Cost with
// one column a clock and one direction: 18 bytes of registers, three byte multiplexers.

module aes_shift_rows_narrow
  import aes_pkg::*;
#(
  parameter dir_e        Dir        = DirEncrypt,
  parameter int unsigned NumColumns = 1           // columns a clock: 1, 2 or 4
) (
  input  logic                   clk_i,
  input  logic                   decrypt_i,  // 1: InvShiftRows; read only when Dir is DirBoth
  input  logic [1:0]             part_i,     // which part of its state columns_i is
  input  word_t [NumColumns-1:0] columns_i,  // the first column at the top
  output word_t [NumColumns-1:0] columns_o   // the part after part_i, of the shifted state
);

  localparam int N = NumColumns;
  localparam int NumParts = 4 / N;

  // [d]: the columns of d clocks ago, [0][0]: the byte of row 0 of the first column.
  byte_t [N-1:0][3:0] history[2*NumParts-1];

  logic [1:0] next_part;
  assign next_part = (part_i == 2'(NumParts - 1)) ? 2'd0 : part_i + 2'd1;

  for (genvar s = 0; s < N; s++) begin : gen_in
    for (genvar r = 0; r < 4; r++) begin : gen_row
      assign history[0][s][r] = columns_i[N-1-s][8*(3-r)+:8];
    end
  end

  for (genvar d = 1; d < 2 * NumParts - 1; d++) begin : gen_history
    always_ff @(posedge clk_i) history[d] <= history[d-1];
  end

  for (genvar s = 0; s < N; s++) begin : gen_column
    for (genvar r = 0; r < 4; r++) begin : gen_row
      byte_t forward, inverse;

      // Column N x next_part + s takes the byte of column N x next_part + s + r: Near clocks ago,
      // Far where this is beyond the last one.
      localparam int Near = NumParts - 1 - (s + r) / N;
      localparam int Far = Near + NumParts;
      if (s + r >= 4) begin : gen_far
        assign forward = history[Far][(s+r)%N][r];
      end else if (4 - N + s + r < 4) begin : gen_near
        assign forward = history[Near][(s+r)%N][r];
      end else begin : gen_either
        logic beyond;
        assign beyond  = N * 32'(next_part) + s + r >= 4;
        assign forward = beyond ? history[Far][(s+r)%N][r] : history[Near][(s+r)%N][r];
      end

      // The byte of column N x next_part + s - r: Long clocks ago, Short where this is before the
      // first one.
      localparam int Long = NumParts - 1 + (r + N - 1 - s) / N;
      localparam int Short = Long - NumParts;
      if (4 - N + s - r < 0) begin : gen_short
        assign inverse = history[Short][(4+s-r)%N][r];
      end else if (s >= r) begin : gen_long
        assign inverse = history[Long][(4+s-r)%N][r];
      end else begin : gen_short_or_long
        logic earlier;
        assign earlier  = N * 32'(next_part) + s < r;
        assign inverse = earlier ? history[Short][(4+s-r)%N][r] : history[Long][(4+s-r)%N][r];
      end

      if (Dir == DirEncrypt) begin : gen_encrypt
        assign columns_o[N-1-s][8*(3-r)+:8] = forward;
      end else if (Dir == DirDecrypt) begin : gen_decrypt
        assign columns_o[N-1-s][8*(3-r)+:8] = inverse;
      end else begin : gen_both
        assign columns_o[N-1-s][8*(3-r)+:8] = decrypt_i ? inverse : forward;
      end

      if (Dir != DirBoth) begin : gen_unused
        logic unused_byte;
        assign unused_byte = ^{forward, inverse};
      end
    end
  end

  if (Dir != DirBoth) begin : gen_unused
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
  end

endmodule
