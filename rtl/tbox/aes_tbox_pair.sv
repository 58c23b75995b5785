// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// T-boxes of encryption in half the block RAM: one memory with one or two read ports that holds two
// of the products S, 2S and 3S of a byte, from whose sum the third one comes.
//
//              +----------+             +-- 2S --+
//   byte_i[p] -| > address|--16--(|O|)--+-- S, S-+-- word_o[p] = {2S, S, S, 3S}
//              |   ROM    |             +-(+)-3S-+
//              +----------+
//
// 256 x 16 bit: as wide as the ports of an iCE40 RAM, and within the 18 bits of one port of an ECP5
// RAM, where aes_tbox_rom needs two RAMs. A row of MixColumns is then a sum of five bytes, and S
// for the last round costs nothing. With Tripled = 1 it is 2S that is the sum, so that the five
// bytes of a row have S of its own byte among them.
//
// Levels = 1: the address register of the RAM. 2: and |O|, which may be its output register (recipe
// outreg on ECP5).

module aes_tbox_pair
  import aes_pkg::*;
#(
  parameter dir_e        Dir      = DirEncrypt,  // DirEncrypt only
  parameter int unsigned Levels   = 1,           // register levels, 1 or 2
  parameter bit          Tripled  = 1'b0,        // 0: the RAM holds S and 2S, 1: S and 3S
  parameter int unsigned NumPorts = 1            // bytes a clock, 1 or 2
) (
  input  logic                 clk_i,
  input  logic                 decrypt_i,  // not used: the ports are those of the other T-boxes
  input  byte_t [NumPorts-1:0] byte_i,
  output word_t [NumPorts-1:0] word_o      // T0 of byte_i, Levels clocks later
);

  if (Dir != DirEncrypt) begin : gen_bad_dir
    $fatal(1, "aes_tbox_pair: Dir must be DirEncrypt");
  end
  if (Levels < 1 || Levels > 2) begin : gen_bad_levels
    $fatal(1, "aes_tbox_pair: Levels must be 1 or 2");
  end
  if (NumPorts < 1 || NumPorts > 2) begin : gen_bad_ports
    $fatal(1, "aes_tbox_pair: NumPorts must be 1 or 2");
  end

  typedef logic [15:0] pair_t;
  typedef pair_t rom_t[256];

  function automatic rom_t make_rom();
    rom_t entries;
    for (int i = 0; i < 256; i++) begin
      byte_t once, twice;
      once       = SboxFwdTable[i];
      twice      = xtime(once);
      entries[i] = {Tripled ? twice ^ once : twice, once};
    end
    return entries;
  endfunction

  (* rom_style = "block", ram_style = "block" *) pair_t rom[256];
  initial rom = make_rom();

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    byte_t product, once, other;
    pair_t data_q;

    always_ff @(posedge clk_i) data_q <= rom[byte_i[p]];

    if (Levels == 2) begin : gen_out
      always_ff @(posedge clk_i) {product, once} <= data_q;
    end else begin : gen_no_out
      assign {product, once} = data_q;
    end

    assign other     = product ^ once;
    assign word_o[p] = Tripled ? {other, once, once, product} : {product, once, once, other};
  end

  logic unused_decrypt;
  assign unused_decrypt = decrypt_i;

endmodule
