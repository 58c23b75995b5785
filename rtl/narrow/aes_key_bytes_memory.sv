// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The round key that a core behind 8-bit ports makes, byte by byte, and the one before it, in a
// memory of 16 bytes.
//
//   byte_i --[ write | RAM, 16 x 8 | read ]--|R|-- byte_o
//
// Byte n is written in slot n, and in the round after it is on byte_o from slot n - 2 on, for the
// adder of slot n - 1. Byte 12, which goes through the S-box last, is read in the round in which it
// was written, too, and is on byte_o in slots 14 to 17.
//
// Addresses are in Gray code: no carry, and each bit is a function of a few slots.

module aes_key_bytes_memory
  import aes_pkg::*;
#(
  parameter key_mem_e Style = KeyMemAuto
) (
  input  logic       clk_i,
  input  logic       en_i,      // a slot passes
  input  logic [3:0] row_i,     // slot mod 4, one-hot
  input  logic [4:0] column_i,  // slot / 4, one-hot
  input  byte_t      byte_i,
  output byte_t      byte_o
);

  logic [1:0] write_row_q, read_row_q, write_column_q, read_column_q;
  logic hold_q;

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      // Of the byte of this slot, and of the third one after it.
      write_row_q <= {row_i[0] | row_i[1], row_i[1] | row_i[2]};
      read_row_q  <= {row_i[1] | row_i[2], row_i[2] | row_i[3]};
      // Column 3 is read from slot 9 to 16: byte 12, the first of it, in slot 13 again.
      if (row_i[0]) begin
        read_column_q <= {column_i[1] | column_i[2] | column_i[3], column_i[0] | column_i[1]};
      end
      if (row_i[3]) write_column_q <= {column_i[1] | column_i[2], column_i[0] | column_i[1]};
      hold_q <= column_i[3] & ~row_i[0];
    end
  end

  // In slots 16 to 19 nothing is written; in slots 14 to 16 byte_o holds.
  aes_byte_memory #(
    .Style(Style)
  ) u_memory (
    .clk_i,
    .write_i        (en_i & ~column_i[4]),
    .write_address_i({write_column_q, write_row_q}),
    .byte_i,
    .read_i         (en_i & ~hold_q),
    .read_address_i ({read_column_q, read_row_q}),
    .byte_o
  );

endmodule
