// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_column_entry for four columns beside FIPS 197: a round behind ShiftRows (section 5.1), or the
// first AddRoundKey of a block that enters. same_o is high when the two agree.

module column_entry_miter
  import aes_pkg::*;
  import fips197_pkg::*;
(
  input  logic   enter_i,
  input  block_t in_block_i,
  input  block_t first_key_i,
  input  block_t state_i,
  input  block_t round_key_i,
  input  word_t  sub_i,
  output logic   same_o
);

  block_t shifted, realised, defined;

  assign shifted = to_block(shift(to_array(state_i), 1'b0));

  for (genvar c = 0; c < 4; c++) begin : gen_column
    aes_column_entry u_entry (
      .enter_i,
      .in_column_i(in_block_i[32*c+:32]),
      .first_key_i(first_key_i[32*c+:32]),
      .column_i   (shifted[32*c+:32]),
      .sums_i     (round_key_i[32*c+:32] ^ sub_i),
      .sub_i,
      .column_o   (realised[32*c+:32])
    );
  end

  assign defined = enter_i ? in_block_i ^ first_key_i :
      to_block(mix(to_array(shifted), 8'h02, 8'h03, 8'h01, 8'h01)) ^ round_key_i;

  assign same_o = realised == defined;

endmodule
