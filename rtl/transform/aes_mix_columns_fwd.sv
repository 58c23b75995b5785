// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// MixColumns of one column (FIPS 197, section 5.1.3). With a, b, c, d the bytes of rows r to r+3, row
// r of the result is 02 (a + b) + b + c + d (standaert2003, equation 10).
//
// A bit of it is a sum of five bits, or of seven where the modulus adds bit 7 of a and b (bits 1, 3
// and 4). The sums are in the order that suits a mapper which keeps it: four bits in the first LUT4,
// and in the second level two inputs are left for what follows.

module aes_mix_columns_fwd
  import aes_pkg::*;
(
  input  word_t column_i,  // byte of row 0 at the top
  output word_t column_o
);

  // The bits of a product by x that take bit 7 of the other factor: those of 8'h1b above bit 0.
  localparam byte_t WithBit7 = 8'h1a;

  byte_t [3:0] result;  // [r]: of row r

  for (genvar r = 0; r < 4; r++) begin : gen_row
    byte_t a, b, c, d, a_rotated, b_rotated;

    assign a         = column_i[8*(3-r)+:8];
    assign b         = column_i[8*(3-(r+1)%4)+:8];
    assign c         = column_i[8*(3-(r+2)%4)+:8];
    assign d         = column_i[8*(3-(r+3)%4)+:8];
    assign a_rotated = {a[6:0], a[7]};
    assign b_rotated = {b[6:0], b[7]};

    for (genvar j = 0; j < 8; j++) begin : gen_bit
      if (WithBit7[j]) begin : gen_seven
        assign result[r][j] = (a_rotated[j] ^ b_rotated[j] ^ a[7] ^ b[7]) ^ (b[j] ^ c[j] ^ d[j]);
      end else begin : gen_five
        assign result[r][j] = ((a_rotated[j] ^ b_rotated[j]) ^ (b[j] ^ c[j])) ^ d[j];
      end
    end

  end

  assign column_o = {result[0], result[1], result[2], result[3]};

endmodule
