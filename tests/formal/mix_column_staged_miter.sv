// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_mix_column_staged beside the matrix of FIPS 197, section 5.1.3: the column of two clocks ago,
// mixed, or itself where it was to be bypassed, or zero. same_o is high when both agree.

module mix_column_staged_miter
  import aes_pkg::*;
  import fips197_pkg::*;
(
  input  logic  clk_i,
  input  word_t column_i,
  input  logic  bypass_i,
  input  logic  zero_i,
  output logic  same_o
);

  word_t columns[2];
  logic bypass[2];
  logic zero_q;
  word_t column, defined;
  block_t mixed;

  always_ff @(posedge clk_i) begin
    columns <= '{column_i, columns[0]};
    bypass  <= '{bypass_i, bypass[0]};
    zero_q  <= zero_i;
  end

  aes_mix_column_staged u_mix_column (
    .clk_i,
    .column_i,
    .bypass_i,
    .zero_i,
    .column_o(column)
  );

  assign mixed = to_block(mix(to_array({columns[1], 96'b0}), 8'h02, 8'h03, 8'h01, 8'h01));

  always_comb begin
    defined = bypass[1] ? columns[1] : mixed[127:96];
    if (zero_q) defined = '0;
  end

  assign same_o = column == defined;

endmodule
