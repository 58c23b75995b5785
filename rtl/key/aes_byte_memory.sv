// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// 16 bytes, written and read at a time.
//
//   byte_i --[ write | RAM, 16 x 8 | read ]--(|R|)-- byte_o
//
// |R|, with Registered = 1, is loaded while read_i is high; block RAM has it inside. A byte is not read
// in the clock in which it is written, so no logic for that case is wanted.
//
// Cost on ECP5: six slices of LUT RAM.

module aes_byte_memory
  import aes_pkg::*;
#(
  parameter key_mem_e Style      = KeyMemAuto,
  parameter bit       Registered = 1'b1
) (
  input  logic       clk_i,
  input  logic       write_i,
  input  logic [3:0] write_address_i,
  input  byte_t      byte_i,
  input  logic       read_i,           // Registered
  input  logic [3:0] read_address_i,
  output byte_t      byte_o
);

  byte_t read;

  // One memory in three styles: an attribute cannot depend on a parameter.
  if (Style == KeyMemBlock) begin : gen_block
    (* no_rw_check, ram_style = "block" *) byte_t mem[16];
    always_ff @(posedge clk_i) if (write_i) mem[write_address_i] <= byte_i;
    assign read = mem[read_address_i];
  end else if (Style == KeyMemDistributed) begin : gen_distributed
    (* no_rw_check, ram_style = "distributed" *) byte_t mem[16];
    always_ff @(posedge clk_i) if (write_i) mem[write_address_i] <= byte_i;
    assign read = mem[read_address_i];
  end else begin : gen_auto
    (* no_rw_check *) byte_t mem[16];
    always_ff @(posedge clk_i) if (write_i) mem[write_address_i] <= byte_i;
    assign read = mem[read_address_i];
  end

  if (Registered) begin : gen_registered
    always_ff @(posedge clk_i) if (read_i) byte_o <= read;
  end else begin : gen_not_registered
    logic unused_read;
    assign unused_read = read_i;
    assign byte_o      = read;
  end

endmodule
