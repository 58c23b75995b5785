// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// T-box as a table in LUT logic (kakarlapudi, section X: the tables were mapped to LUTs).
//
//   byte_i --[ 4 tables of 64 x 32, by bits 5..0 ]--[ 4:1 by bits 7..6 ]--|R|-- word_o
//
// The register stands behind the table. Both directions in one T-box are tables of twice the size,
// addressed by the direction as well: two sets of tables with one set of registers. Of the 32 bits
// of T0, eight are the S-box a second time and five the S-box shifted, so 19 functions and
// registers are left after synthesis; T0' has 32 different ones.

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

  localparam int unsigned AddrWidth = (Dir == DirBoth) ? 7 : 6;

  typedef word_t quarter_t[2**AddrWidth];

  function automatic quarter_t make_quarter(int unsigned q);
    quarter_t entries;
    for (int i = 0; i < 2 ** AddrWidth; i++) begin
      entries[i] = (Dir == DirDecrypt || i >= 64) ? tbox_word(SboxInvTable[64*q+i%64], 1'b1) :
          tbox_word(SboxFwdTable[64*q+i%64], 1'b0);
    end
    return entries;
  endfunction

  logic [AddrWidth-1:0] addr;

  if (Dir == DirBoth) begin : gen_both
    assign addr = {decrypt_i, byte_i[5:0]};
  end else begin : gen_one
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
    assign addr           = byte_i[5:0];
  end

  // One quarter of the table for each value of bits 7..6.
  word_t [3:0] quarters;

  for (genvar q = 0; q < 4; q++) begin : gen_quarter
    // rom_style keeps synthesis from turning the table into a block RAM.
    (* rom_style = "logic", ram_style = "logic" *) word_t entries[2**AddrWidth];
    initial entries = make_quarter(q);
    assign quarters[q] = entries[addr];
  end

  word_t word_q;
  always_ff @(posedge clk_i) word_q <= quarters[byte_i[7:6]];

  assign word_o = word_q;

endmodule
