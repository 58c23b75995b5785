// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A T-box (macro TBOX: its module name) beside the definition: the column of MixColumns or
// InvMixColumns for row 0 times SubBytes or InvSubBytes (FIPS 197, sections 5.1 and 5.3), one clock
// later. Macros: TRIPLED, with that parameter; SELECTS, if it has several tables. same_o is high when the two agree.

module tbox_miter
  import aes_pkg::*;
#(
  parameter dir_e Dir = DirEncrypt
) (
  input  logic  clk_i,
  input  logic  decrypt_i,
  input  byte_t byte_i,
  output logic  same_o
);

  word_t realised, defined_q;
  logic inverse;

  `TBOX #(
`ifdef TRIPLED
    .Tripled(1'b1),
`endif
    .Dir(Dir)
  ) u_tbox (
    .clk_i,
    .decrypt_i,
`ifdef SELECTS
    .table_i('0),
`endif
    .byte_i,
    .word_o (realised)
  );

  typedef word_t table_t[256];

  // First column of each matrix: what the byte of row 0 adds to rows 0 to 3.
  function automatic table_t make_table(bit invert);
    table_t entries;
    for (int x = 0; x < 256; x++) begin
      if (invert) begin
        entries[x] = {
          gf_mul(SboxInvTable[x], 8'h0e),
          gf_mul(SboxInvTable[x], 8'h09),
          gf_mul(SboxInvTable[x], 8'h0d),
          gf_mul(SboxInvTable[x], 8'h0b)
        };
      end else begin
        entries[x] = {
          gf_mul(SboxFwdTable[x], 8'h02),
          SboxFwdTable[x],
          SboxFwdTable[x],
          gf_mul(SboxFwdTable[x], 8'h03)
        };
      end
    end
    return entries;
  endfunction

  localparam table_t Forward = make_table(1'b0);
  localparam table_t Inverse = make_table(1'b1);

  assign inverse = Dir == DirDecrypt || (Dir == DirBoth && decrypt_i);

  always_ff @(posedge clk_i) defined_q <= inverse ? Inverse[byte_i] : Forward[byte_i];

  assign same_o = realised == defined_q;

endmodule
