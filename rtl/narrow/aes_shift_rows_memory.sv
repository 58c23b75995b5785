// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// ShiftRows of a state that comes byte by byte, 20 clocks a round, in a memory of 16 bytes.
//
//   byte_i --[ write |  RAM, 16 x 8  | read ]--(|R|)-- byte_o
//               ^                       ^
//             column + k row          column + (k + 1) row,   k: states before this one
//
// |R|: the register of a block RAM, which is not there with InBlock = 0.
//
// A byte is written where one of the same place was read, so that one state takes the memory of the
// last one; the column of an address is that of the byte and k times its row more, modulo 4.
//
// Byte n comes in slot n of its round and byte n of the shifted state leaves in slot n + 13 + InBlock;
// it is read seven slots before a byte of the next state takes its place.

module aes_shift_rows_memory
  import aes_pkg::*;
#(
  parameter bit InBlock = 1'b0  // block RAM, else LUT RAM
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       en_i,     // a slot passes
  input  logic [3:0] row_i,    // one-hot: the row of byte_i, after that of byte_o
  input  logic       write_i,  // byte_i is a byte of a state
  input  logic       first_i,  // the slot before byte 0 comes
  input  logic       turn_i,   // the slot before byte 0 is read
  input  byte_t      byte_i,
  output byte_t      byte_o
);

  logic [1:0] in_row, out_row;  // of the bytes that come and leave
  logic [1:0] in_column_q, out_column_q;  // their columns
  logic [1:0] in_q, out_q;  // columns of their addresses
  logic [1:0] turn_q, next_turn_q;  // k and k + 1

  assign in_row  = {row_i[2] | row_i[3], row_i[1] | row_i[3]};
  assign out_row = {row_i[3] | row_i[0], row_i[2] | row_i[0]};

  // Any number will do, but in simulation an unknown one stays unknown.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) next_turn_q <= 2'd0;
    else if (en_i && turn_i) next_turn_q <= next_turn_q + 2'd1;
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (first_i) begin
        in_column_q <= 2'd0;
        in_q        <= 2'd0;
        turn_q      <= next_turn_q;
      end else if (row_i[3]) begin
        in_column_q <= in_column_q + 2'd1;
        in_q        <= in_column_q + 2'd1;
      end else begin
        in_q <= in_q + turn_q;
      end

      if (turn_i) begin
        out_column_q <= 2'd0;
        out_q        <= 2'd0;
      end else if (row_i[0]) begin
        out_column_q <= out_column_q + 2'd1;
        out_q        <= out_column_q + 2'd1;
      end else begin
        out_q <= out_q + next_turn_q;
      end
    end
  end

  aes_byte_memory #(
    .Style     (InBlock ? KeyMemBlock : KeyMemDistributed),
    .Registered(InBlock)
  ) u_memory (
    .clk_i,
    .write_i        (en_i & write_i),
    .write_address_i({in_q, in_row}),
    .byte_i,
    .read_i         (en_i),
    .read_address_i ({out_q, out_row}),
    .byte_o
  );

endmodule
