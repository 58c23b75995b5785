// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The round key of the microcoded core: 16 bytes, and zero where none is read.
//
//   byte_i --[ write | RAM, 32 x 8, the upper half zero | read ]-- byte_o     block RAM
//   byte_i --[ write | RAM, 16 x 8 | read ]--|R|-- byte_o                     else
//
// byte_o is that of the clock before. |R| is zero by its synchronous reset. Block RAM has no such reset
// in every family; there the address decides.

module aes_microcode_key
  import aes_pkg::*;
#(
  parameter key_mem_e Style = KeyMemAuto
) (
  input  logic       clk_i,
  input  logic       write_i,
  input  logic [3:0] write_address_i,
  input  byte_t      byte_i,
  input  logic       read_i,
  input  logic [3:0] read_address_i,
  output byte_t      byte_o
);

  if (Style == KeyMemBlock) begin : gen_block
    typedef byte_t memory_t[32];

    function automatic memory_t make_zero();
      memory_t zero;
      for (int unsigned i = 0; i < 32; i++) zero[i] = '0;
      return zero;
    endfunction

    (* no_rw_check, ram_style = "block" *) byte_t mem[32];
    initial mem = make_zero();

    always_ff @(posedge clk_i) begin
      if (write_i) mem[{1'b0, write_address_i}] <= byte_i;
      byte_o <= mem[{~read_i, read_address_i}];
    end
  end else begin : gen_registered
    byte_t read;

    aes_byte_memory #(
      .Style     (Style),
      .Registered(1'b0)
    ) u_memory (
      .clk_i,
      .write_i,
      .write_address_i,
      .byte_i,
      .read_i(1'b1),
      .read_address_i,
      .byte_o(read)
    );

    always_ff @(posedge clk_i) begin
      if (!read_i) byte_o <= '0;
      else byte_o <= read;
    end
  end

endmodule
