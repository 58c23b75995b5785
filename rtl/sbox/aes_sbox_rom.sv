// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// S-boxes in block RAM: one memory with one or two read ports.
//
//                     +-----------+
//   byte_i[0] -|I|---| > address |
//                     |    ROM    |--|O|--|F|- byte_o
//   byte_i[1] -|I|---| > address |
//                     +-----------+
//
// Levels = 1: the address register inside the RAM. 2: and |O|, which may be the output register of
// the RAM (recipe outreg on ECP5). 3: and |F|, 4: and |I|, in the fabric: RAMs have places of their
// own, and these share the way to them and from them between two clocks.
//
// 256 x 8 bit for one direction, 512 x 8 bit for both (bit 8 of the address is the direction). With
// Doubled = 1 the words have 16 bits, {02} S beside S, which most fabrics have in the same block.
// Two ports share one true dual-port block; where the fabric has none, synthesis doubles the memory.
// The register is inside the RAM, before the table: an address register that is also the state
// register of a round (pilchard, section 4).

module aes_sbox_rom
  import aes_pkg::*;
#(
  parameter dir_e        Dir      = DirEncrypt,
  parameter bit          Doubled  = 1'b0,       // 1: {02} S above S in byte_o
  parameter int unsigned Levels   = 1,          // register levels, 1 to 4
  parameter int unsigned NumPorts = 1           // bytes a clock, 1 or 2
) (
  input  logic                 clk_i,
  input  logic                 decrypt_i,  // direction of byte_i; read only when Dir is DirBoth
  input  byte_t [NumPorts-1:0] byte_i,
  output logic  [NumPorts-1:0][8*Doubled+7:0] byte_o      // Levels clocks after byte_i
);

  if (Levels < 1 || Levels > 4) begin : gen_bad_levels
    $fatal(1, "aes_sbox_rom: Levels must be 1 to 4");
  end
  if (NumPorts < 1 || NumPorts > 2) begin : gen_bad_ports
    $fatal(1, "aes_sbox_rom: NumPorts must be 1 or 2");
  end

  localparam int unsigned AddrWidth = (Dir == DirBoth) ? 9 : 8;

  typedef logic [8*Doubled+7:0] data_t;
  typedef data_t rom_t[2**AddrWidth];

  function automatic rom_t make_rom();
    rom_t entries;
    for (int i = 0; i < 2 ** AddrWidth; i++) begin
      byte_t s;
      s = (Dir == DirDecrypt || i >= 256) ? SboxInvTable[i%256] : SboxFwdTable[i%256];
      entries[i] = data_t'({xtime(s), s});
    end
    return entries;
  endfunction

  localparam rom_t Entries = make_rom();

  (* rom_style = "block", ram_style = "block" *) data_t rom[2**AddrWidth];
  initial rom = Entries;

  data_t [NumPorts-1:0] data_q, out_q;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [AddrWidth-1:0] addr_d, addr;

    if (Dir == DirBoth) begin : gen_both
      assign addr_d = {decrypt_i, byte_i[p]};
    end else begin : gen_one
      assign addr_d = byte_i[p];
    end

    if (Levels == 4) begin : gen_in
      always_ff @(posedge clk_i) addr <= addr_d;
    end else begin : gen_no_in
      assign addr = addr_d;
    end

    always_ff @(posedge clk_i) data_q[p] <= rom[addr];
  end

  if (Levels >= 2) begin : gen_out
    always_ff @(posedge clk_i) out_q <= data_q;
  end else begin : gen_no_out
    assign out_q = data_q;
  end

  if (Levels >= 3) begin : gen_fabric
    always_ff @(posedge clk_i) byte_o <= out_q;
  end else begin : gen_no_fabric
    assign byte_o = out_q;
  end

  if (Dir != DirBoth) begin : gen_unused
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
  end

endmodule
