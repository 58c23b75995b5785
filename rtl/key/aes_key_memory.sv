// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Memory of round keys: written half a round key at a time, read whole, one clock later.
//
//   half_i --+--[ RAM of upper halves ]--+
//            |                           +-- key_o (a clock after the address)
//            +--[ RAM of lower halves ]--+
//
// 16 round keys a bank, of which Nr+1 are used: 2 x 64 bit wide. Writes and reads never meet at
// one address (a bank that is read is not written), so no logic for that case is wanted.

module aes_key_memory
  import aes_pkg::*;
#(
  parameter key_mem_e    Style    = KeyMemAuto,
  parameter int unsigned NumBanks = 2           // 1 or 2
) (
  input  logic        clk_i,
  input  logic        write_i,
  input  logic        write_bank_i,
  input  logic [4:0]  write_half_index_i,  // 2 x round + (0 for the upper half, 1 for the lower)
  input  logic [63:0] half_i,
  input  logic        read_bank_i,
  input  logic [3:0]  read_round_i,
  output block_t      key_o
);

  localparam int unsigned AddrWidth = 3 + NumBanks;

  logic [AddrWidth-1:0] write_addr, read_addr;

  if (NumBanks == 2) begin : gen_two_banks
    assign write_addr = {write_bank_i, write_half_index_i[4:1]};
    assign read_addr  = {read_bank_i, read_round_i};
  end else begin : gen_one_bank
    logic unused_bank;
    assign unused_bank = ^{write_bank_i, read_bank_i};
    assign write_addr  = write_half_index_i[4:1];
    assign read_addr   = read_round_i;
  end

  for (genvar h = 0; h < 2; h++) begin : gen_half
    logic        write;
    logic [63:0] half_q;
    assign write = write_i & (write_half_index_i[0] == (h == 1));

    // One memory in three styles: an attribute cannot depend on a parameter.
    if (Style == KeyMemBlock) begin : gen_block
      (* no_rw_check, ram_style = "block" *) logic [63:0] mem[2**AddrWidth];
      always_ff @(posedge clk_i) begin
        if (write) mem[write_addr] <= half_i;
        half_q <= mem[read_addr];
      end
    end else if (Style == KeyMemDistributed) begin : gen_distributed
      (* no_rw_check, ram_style = "distributed" *) logic [63:0] mem[2**AddrWidth];
      always_ff @(posedge clk_i) begin
        if (write) mem[write_addr] <= half_i;
        half_q <= mem[read_addr];
      end
    end else if (Style == KeyMemAuto) begin : gen_auto
      (* no_rw_check *) logic [63:0] mem[2**AddrWidth];
      always_ff @(posedge clk_i) begin
        if (write) mem[write_addr] <= half_i;
        half_q <= mem[read_addr];
      end
    end else begin : gen_unknown
      $fatal(1, "aes_key_memory: unknown Style");
    end

    assign key_o[64*(1-h)+:64] = half_q;
  end

endmodule
