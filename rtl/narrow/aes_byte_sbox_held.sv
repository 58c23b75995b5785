// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The S-box of a byte in a block RAM that can be held.
//
//   byte_i --[ RAM, 256 x 8 ]--+--|O|-- byte_o
//                              +------- early_o
//
// Both registers, the address register inside the RAM and |O|, hold while en_i is low: byte_o is the
// S-box of the byte of two enabled clocks before, early_o of that of one. 2048 bits of RAM; 8 flip-flops where |O| is not
// that of the RAM.

module aes_byte_sbox_held
  import aes_pkg::*;
(
  input  logic  clk_i,
  input  logic  en_i,
  input  byte_t byte_i,
  output byte_t early_o,
  output byte_t byte_o
);

  typedef byte_t rom_t[256];

  function automatic rom_t make_rom();
    rom_t entries;
    for (int i = 0; i < 256; i++) entries[i] = SboxFwdTable[i];
    return entries;
  endfunction

  localparam rom_t Entries = make_rom();

  (* rom_style = "block", ram_style = "block" *) byte_t rom[256];
  initial rom = Entries;

  byte_t data_q;

  assign early_o = data_q;

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      data_q <= rom[byte_i];
      byte_o <= data_q;
    end
  end

endmodule
