// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// S-box as a table in LUT logic.
//
//   byte_i --[ 4 tables of 64, by bits 5..0 ]--|R|--[ 4:1 by bits 7..6 ]--|R|-- byte_o
//                                               2                          1
//
// Levels = 1 places the register on the right, Levels = 2 both (34 + 8 flip-flops; one more where
// the direction travels along). The cut is that of standaert2003, section 5.1. Both directions in
// one S-box are tables of twice the size, addressed by the direction as well.

module aes_sbox_table
  import aes_pkg::*;
#(
  parameter dir_e        Dir    = DirEncrypt,
  parameter int unsigned Levels = 0            // register levels, 0 to 2
) (
  input  logic  clk_i,
  input  logic  decrypt_i,  // direction of byte_i; read only when Dir is DirBoth
  input  byte_t byte_i,
  output byte_t byte_o      // Levels clocks after byte_i
);

  if (Levels > 2) begin : gen_bad_levels
    $fatal(1, "aes_sbox_table: Levels must be 0, 1 or 2");
  end

  // One quarter of the table for each value of bits 7..6.
  byte_t [3:0] quarter_d, quarter_q;
  logic [1:0] select_d, select_q;
  byte_t byte_d, byte_q;

  assign select_d = byte_i[7:6];

  localparam int unsigned AddrWidth = (Dir == DirBoth) ? 7 : 6;

  // The last entry comes first and the address goes in inverted. In LUTs that costs nothing, and it
  // keeps Yosys (memory_dff) from taking a register in front of the S-box for the address register
  // of a memory, which it then builds anew behind the table: 32 flip-flops for these 8.
  typedef byte_t quarter_t[2**AddrWidth];

  function automatic quarter_t make_quarter(int unsigned q);
    quarter_t entries;
    for (int i = 0; i < 2 ** AddrWidth; i++) begin
      entries[2**AddrWidth-1-i] = (Dir == DirDecrypt || i >= 64) ? SboxInvTable[64*q+i%64] :
          SboxFwdTable[64*q+i%64];
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

  for (genvar q = 0; q < 4; q++) begin : gen_quarter
    localparam quarter_t Entries = make_quarter(q);
    // rom_style keeps synthesis from turning the table into a block RAM.
    (* rom_style = "logic", ram_style = "logic" *) byte_t entries[2**AddrWidth];
    initial entries = Entries;
    assign quarter_d[q] = entries[~addr];
  end

  if (Levels == 2) begin : gen_cut
    always_ff @(posedge clk_i) begin
      quarter_q <= quarter_d;
      select_q  <= select_d;
    end
  end else begin : gen_no_cut
    assign quarter_q = quarter_d;
    assign select_q  = select_d;
  end

  assign byte_d = quarter_q[select_q];

  if (Levels >= 1) begin : gen_reg
    always_ff @(posedge clk_i) byte_q <= byte_d;
  end else begin : gen_no_reg
    logic unused_clk;
    assign unused_clk = clk_i;
    assign byte_q     = byte_d;
  end

  assign byte_o = byte_q;

endmodule
