// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// ShiftRows, InvShiftRows or both of two states that come in turn, a column a clock, in a RAM of eight
// bytes a row.
//
//   column_i --[ RAM of row 0, 8 x 8 ]-- column_o
//              [ ... of row 3        ]
//
// While the columns of one state are written, those of the other one are read: row r of column c is
// that of column c + r, or c - r. So a column is read four clocks after that of the same number was
// written, and the last one of a state, which row 3 of its first column needs, in the clock before.
//
// In place of 18 bytes of registers with a multiplexer of two, four or six taps (which is
// aes_shift_rows_narrow): for LUTs that are memories, eight of those of ECP5 (16 x 4).

module aes_shift_rows_turns
  import aes_pkg::*;
#(
  parameter dir_e Dir = DirEncrypt
) (
  input  logic       clk_i,
  input  logic [2:0] count_i,         // turn and number of column_i
  input  logic [2:0] next_count_i,    // the same in the next clock
  input  logic       decrypt_next_i,  // DirBoth: what is read then is of a decryption
  input  word_t      column_i,        // byte of row 0 at the top
  output word_t      column_o         // of the other turn, number as that of column_i
);

  logic decrypt;
  assign decrypt = (Dir == DirBoth) ? decrypt_next_i : Dir == DirDecrypt;

  for (genvar r = 0; r < 4; r++) begin : gen_row
    logic [1:0] number;
    logic [2:0] read_q;

    // number + r, or less r.
    if (r % 2 == 0) begin : gen_even
      assign number = next_count_i[1:0] ^ 2'(r);
    end else begin : gen_odd
      assign number = {next_count_i[1] ^ next_count_i[0] ^ ((r == 3) ^ decrypt), ~next_count_i[0]};
    end

    always_ff @(posedge clk_i) read_q <= {~next_count_i[2], number};

    (* no_rw_check, ram_style = "distributed" *) byte_t mem[8];
    always_ff @(posedge clk_i) mem[count_i] <= column_i[8*(3-r)+:8];
    assign column_o[8*(3-r)+:8] = mem[read_q];
  end

  if (Dir != DirBoth) begin : gen_unused
    logic unused_decrypt;
    assign unused_decrypt = decrypt_next_i;
  end

endmodule
