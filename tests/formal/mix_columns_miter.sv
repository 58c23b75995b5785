// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A MixColumns circuit of one column beside the matrix product of FIPS 197 (sections 5.1.3 and
// 5.3.3). MIX is its module name; WITH_DIRECTION is defined where it has a decrypt_i port, INVERSE
// where it is InvMixColumns. same_o is high when the two agree.

module mix_columns_miter
  import aes_pkg::*;
(
  input  logic  decrypt_i,
  input  word_t column_i,
  output logic  same_o
);

  word_t realised, product;
  logic inverse;

  `MIX u_mix_columns (
`ifdef WITH_DIRECTION
    .decrypt_i,
`endif
    .column_i,
    .column_o(realised)
  );

`ifdef WITH_DIRECTION
  assign inverse = decrypt_i;
`elsif INVERSE
  assign inverse = 1'b1;
`else
  assign inverse = 1'b0;
`endif

  // First row of each matrix; row r is row 0 rotated right by r.
  localparam byte_t Forward[4] = '{8'h02, 8'h03, 8'h01, 8'h01};
  localparam byte_t Inverse[4] = '{8'h0e, 8'h0b, 8'h0d, 8'h09};

  always_comb begin
    product = '0;
    for (int row = 0; row < 4; row++) begin
      for (int col = 0; col < 4; col++) begin
        product[8*(3-row)+:8] ^= inverse ? gf_mul(column_i[8*(3-col)+:8], Inverse[(col-row+4)%4]) :
            gf_mul(column_i[8*(3-col)+:8], Forward[(col-row+4)%4]);
      end
    end
  end

  assign same_o = realised == product;

endmodule
