// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Products of a step of GHASH: bits of one factor times the other, before they are summed up.
//
//   Digit up to 8    digit_i * key_i, which has 127 + Digit bits
//   Digit 16         Karatsuba: with halves of both, the 8 bits of digit_i from each half of the factor,
//                    {high * high, (high + low) * (high + low), low * low}, of 71 bits each
//
// Polynomials have the coefficient of x^n at bit n. Combinational; the sums of the key's halves are 64
// LUTs that a key changes and a block does not.

module aes_engine_ghash_part #(
  parameter  int unsigned Digit = 8,  // 1, 2, 4, 8 or 16 bits
  localparam int unsigned Width = (Digit == 16) ? 213 : 127 + Digit
) (
  input  logic [127:0]     key_i,
  input  logic [Digit-1:0] digit_i,
  output logic [Width-1:0] part_o
);

  if (Digit == 16) begin : gen_halves
    // In pairs: two products and their sum are a LUT.
    function automatic logic [70:0] product(logic [63:0] half, logic [7:0] digit);
      logic [3:0][70:0] pair;
      for (int unsigned i = 0; i < 4; i++) begin
        pair[i] = ({7'd0, half & {64{digit[2*i]}}} ^
            {6'd0, half & {64{digit[2*i+1]}}, 1'b0}) << 2 * i;
      end
      return (pair[0] ^ pair[1]) ^ (pair[2] ^ pair[3]);
    endfunction

    logic [7:0] low, high;
    assign {high, low} = digit_i;
    assign part_o = {
      product(key_i[127:64], high),
      product(key_i[127:64] ^ key_i[63:0], high ^ low),
      product(key_i[63:0], low)
    };
  end else begin : gen_whole
    // In pairs: two products and their sum are a LUT.
    localparam int unsigned Pairs = (Digit + 1) / 2;
    logic [Pairs-1:0][Width-1:0] pair;
    logic [Width-1:0] wide_key;
    assign wide_key = {{Width - 128{1'b0}}, key_i};
    always_comb begin
      part_o = '0;
      for (int unsigned i = 0; i < Pairs; i++) begin
        pair[i] = (wide_key & {Width{digit_i[2*i]}}) << 2 * i;
        if (2 * i + 1 < Digit) begin
          pair[i] ^= (wide_key & {Width{digit_i[(2*i+1)%Digit]}}) << (2 * i + 1);
        end
        part_o ^= pair[i];
      end
    end
  end

endmodule
