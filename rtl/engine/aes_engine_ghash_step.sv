// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A step of GHASH (SP 800-38D, section 6.3) by Horner's rule, modulo x^128 + x^7 + x^2 + x + 1:
//
//   Digit up to 8    sum_o = sum_i * x^Digit + part_i
//   Digit 16         sum_o = sum_i * x^8 + what Karatsuba makes of the three products
//
// part_i is that of aes_engine_ghash_part. Polynomials have the coefficient of x^n at bit n.

module aes_engine_ghash_step #(
  parameter  int unsigned Digit     = 8,  // 1, 2, 4, 8 or 16 bits
  localparam int unsigned PartWidth = (Digit == 16) ? 213 : 127 + Digit
) (
  input  logic [127:0]         sum_i,
  input  logic [PartWidth-1:0] part_i,
  output logic [127:0]         sum_o
);

  // How far a step shifts, and the bits of what is to be reduced.
  localparam int unsigned Shift = (Digit == 16) ? 8 : Digit;
  localparam int unsigned Width = (Digit == 16) ? 199 : 128 + Digit;

  logic [Width-1:0] wide;

  if (Digit == 16) begin : gen_halves
    logic [70:0] high, both, low, middle;
    assign {high, both, low} = part_i;
    assign middle = high ^ both ^ low;
    assign wide = (Width'(sum_i) << Shift) ^ {high, 128'd0} ^
        (Width'(middle) << 64) ^ Width'(low);
  end else begin : gen_whole
    assign wide = (Width'(sum_i) << Shift) ^ Width'(part_i);
  end

  // x^128 is x^7 + x^2 + x + 1; what lies above it has so few bits that one turn is enough.
  logic [127:0] above;
  assign above = 128'(wide[Width-1:128]);
  assign sum_o = wide[127:0] ^ above ^ (above << 1) ^ (above << 2) ^ (above << 7);

endmodule
