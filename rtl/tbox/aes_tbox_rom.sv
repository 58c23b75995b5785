// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// T-boxes in block RAM: one memory with one or two read ports (fischer2001, section 3.2).
//
//              +-----------+
//   byte_i[0] -| > address |-- word_o[0]
//              |    ROM    |
//   byte_i[1] -| > address |-- word_o[1]
//              +-----------+
//
// 256 x 32 bit for one direction, 512 x 32 bit for both (bit 8 of the address is the direction: the
// doubled tables of fischer2001, section 3.2, with which a change of direction costs nothing). Two
// ports share one true dual-port block; where the fabric has none, synthesis doubles the memory.
// The register is the address register of the RAM.

module aes_tbox_rom
  import aes_pkg::*;
  import aes_tbox_pkg::*;
#(
  parameter dir_e        Dir      = DirEncrypt,
  parameter int unsigned NumPorts = 1           // bytes a clock, 1 or 2
) (
  input  logic                 clk_i,
  input  logic                 decrypt_i,  // direction of byte_i; read only when Dir is DirBoth
  input  byte_t [NumPorts-1:0] byte_i,
  output word_t [NumPorts-1:0] word_o      // T0 or T0' of byte_i, one clock later
);

  if (NumPorts < 1 || NumPorts > 2) begin : gen_bad_ports
    $fatal(1, "aes_tbox_rom: NumPorts must be 1 or 2");
  end

  localparam int unsigned AddrWidth = (Dir == DirBoth) ? 9 : 8;

  typedef word_t rom_t[2**AddrWidth];

  function automatic rom_t make_rom();
    rom_t entries;
    for (int i = 0; i < 2 ** AddrWidth; i++) begin
      entries[i] = (Dir == DirDecrypt || i >= 256) ? tbox_word(SboxInvTable[i%256], 1'b1) :
          tbox_word(SboxFwdTable[i%256], 1'b0);
    end
    return entries;
  endfunction

  (* rom_style = "block", ram_style = "block" *) word_t rom[2**AddrWidth];
  initial rom = make_rom();

  word_t [NumPorts-1:0] data_q;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [AddrWidth-1:0] addr;
    if (Dir == DirBoth) begin : gen_both
      assign addr = {decrypt_i, byte_i[p]};
    end else begin : gen_one
      assign addr = byte_i[p];
    end
    always_ff @(posedge clk_i) data_q[p] <= rom[addr];
  end

  assign word_o = data_q;

  if (Dir != DirBoth) begin : gen_unused
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
  end

endmodule
