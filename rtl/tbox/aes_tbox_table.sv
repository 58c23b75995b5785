// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// T-box as a table in LUT logic (kakarlapudi, section X: the tables were mapped to LUTs).
//
//   byte_i --[ 4 tables of 64 x 32, by bits 5..0 ]--[ 4:1 by bits 7..6 ]--[ T0 or T0' ]--|R|-- word_o
//
// The register stands behind the table. Both directions in one T-box are two sets of tables with one
// set of registers; one table that takes the direction for an address bit would be twice as large,
// for synthesis does not find the two halves in it. Of the 32 bits of T0, eight are the S-box a second
// time and five the S-box shifted, so 19 functions and registers are left after synthesis; T0' has 32
// different ones.

module aes_tbox_table
  import aes_pkg::*;
  import aes_tbox_pkg::*;
#(
  parameter dir_e Dir = DirEncrypt
) (
  input  logic  clk_i,
  input  logic  decrypt_i,  // direction of byte_i; read only when Dir is DirBoth
  input  byte_t byte_i,
  output word_t word_o      // T0 or T0' of byte_i, one clock later
);

  typedef word_t quarter_t[64];

  function automatic quarter_t make_quarter(bit inverse, int unsigned q);
    quarter_t entries;
    for (int i = 0; i < 64; i++) begin
      entries[i] = inverse ? tbox_word(SboxInvTable[64*q+i], 1'b1) :
          tbox_word(SboxFwdTable[64*q+i], 1'b0);
    end
    return entries;
  endfunction

  word_t [1:0] words;  // of T0' and of T0

  for (genvar d = 0; d < 2; d++) begin : gen_table
    if (Dir == DirBoth || (Dir == DirDecrypt) == (d == 1)) begin : gen_used
      // One quarter of the table for each value of bits 7..6.
      word_t [3:0] quarters;
      for (genvar q = 0; q < 4; q++) begin : gen_quarter
        // rom_style keeps synthesis from turning the table into a block RAM.
        (* rom_style = "logic", ram_style = "logic" *) word_t entries[64];
        initial entries = make_quarter(d == 1, q);
        assign quarters[q] = entries[byte_i[5:0]];
      end
      assign words[d] = quarters[byte_i[7:6]];
    end else begin : gen_unused
      assign words[d] = '0;
    end
  end

  word_t word_d, word_q;

  if (Dir == DirBoth) begin : gen_both
    assign word_d = decrypt_i ? words[1] : words[0];
  end else begin : gen_one
    logic unused_direction;
    assign unused_direction = ^{decrypt_i, words[Dir == DirEncrypt]};
    assign word_d           = words[Dir == DirDecrypt];
  end

  always_ff @(posedge clk_i) word_q <= word_d;

  assign word_o = word_q;

endmodule
