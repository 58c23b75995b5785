// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// S-box as one table in LUT logic, for fabrics that join their LUTs to wide ones within a tile.
//
//   byte_i --[ table of 256 ]--|R|-- byte_o
//
// Levels = 1 places the register. In one piece the table can be mapped as such: on ECP5 the recipe
// wide makes a bit of it of two joined LUTs of seven inputs, each a tile, and a LUT4 that chooses. That
// is 17 LUT4, 136 for the S-box, and two levels, where aes_sbox_shallow has five. Other recipes
// restructure it. Both directions in one S-box are a table of twice the size, addressed by
// the direction as well.

module aes_sbox_wide
  import aes_pkg::*;
#(
  parameter dir_e        Dir    = DirEncrypt,
  parameter int unsigned Levels = 0            // register levels, 0 or 1
) (
  input  logic  clk_i,
  input  logic  decrypt_i,  // direction of byte_i; read only when Dir is DirBoth
  input  byte_t byte_i,
  output byte_t byte_o      // Levels clocks after byte_i
);

  if (Levels > 1) begin : gen_bad_levels
    $fatal(1, "aes_sbox_wide: Levels must be 0 or 1");
  end

  localparam int unsigned AddrWidth = (Dir == DirBoth) ? 9 : 8;

  // With a register the last entry comes first and the address goes in inverted, as in aes_sbox_table.
  // Without one nothing stands between the table and a register before it, so that an inversion
  // would cost a LUT a bit; see aes_core_iterative_compact for what keeps that register in its place.
  localparam bit Inverted = Levels != 0;

  typedef byte_t table_t[2**AddrWidth];

  function automatic table_t make_table();
    table_t entries;
    for (int i = 0; i < 2 ** AddrWidth; i++) begin
      entries[Inverted?2**AddrWidth-1-i : i] =
          (Dir == DirDecrypt || i >= 256) ? SboxInvTable[i%256] : SboxFwdTable[i%256];
    end
    return entries;
  endfunction

  logic [AddrWidth-1:0] addr;

  if (Dir == DirBoth) begin : gen_both
    assign addr = {decrypt_i, byte_i};
  end else begin : gen_one
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
    assign addr           = byte_i;
  end

  // rom_style keeps synthesis from turning the table into a block RAM.
  localparam table_t Entries = make_table();
  (* rom_style = "logic", ram_style = "logic" *) byte_t entries[2**AddrWidth];
  initial entries = Entries;

  byte_t byte_d;
  assign byte_d = entries[Inverted?~addr : addr];

  if (Levels == 1) begin : gen_reg
    byte_t byte_q;
    always_ff @(posedge clk_i) byte_q <= byte_d;
    assign byte_o = byte_q;
  end else begin : gen_comb
    assign byte_o = byte_d;

    logic unused_clk;
    assign unused_clk = clk_i;
  end

endmodule
