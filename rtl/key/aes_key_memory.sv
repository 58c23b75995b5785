// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Memory of round keys, read one clock after the address in parts of the width of the data path.
//
//   Width = 128   words_i --+--[ RAM of upper halves ]--+
//                           |                           +-- key_o
//                           +--[ RAM of lower halves ]--+
//
//   Width = 64    words_i -----[ RAM, two words wide ]----- key_o
//   Width = 32    words_i -----[ RAM, a word wide ]-------- key_o
//
// 16 round keys a bank, of which Nr+1 are used. They are written as the expander makes them: two
// words at a time, one where the parts are words. Writes and reads never meet at one address (a bank
// that is read is not written), so no logic for that case is wanted.
//
// With Gated, key_o is for one of the two adders of aes_round and the other one gets zero. Behind
// LUT RAM these are two registers with a reset; elsewhere it takes logic.

module aes_key_memory
  import aes_pkg::*;
#(
  parameter key_mem_e    Style    = KeyMemAuto,
  parameter int unsigned NumBanks = 2,          // 1 or 2
  parameter bit          Gated    = 1'b0,       // whether the keys of the two adders differ
  parameter int unsigned Width    = 128,        // of a part of a round key: 128, 64 or 32
  parameter bit          Hardened = 1'b0,       // registers of control in three copies
  // Bits that are written at a time.
  localparam int unsigned WriteWidth = (Width == 32) ? 32 : 64
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  write_i,
  input  logic                  write_bank_i,
  input  logic [5:0]            write_index_i,  // 128 / WriteWidth x round + number in it
  input  logic [WriteWidth-1:0] words_i,
  input  logic                  read_bank_i,
  input  logic [5:0]            read_index_i,   // 128 / Width x round + part
  input  logic                  before_i,       // the key read is for the adder before MixColumns
  output logic [Width-1:0]      key_o,
  output logic [Width-1:0]      key_before_o,   // key_o or, where it is not for this adder, zero
  output logic [Width-1:0]      key_after_o,
  output logic                  fault_o         // copies of a register differ
);

  localparam int unsigned NumRams = Width / WriteWidth;
  localparam int unsigned BankWidth = 4 + $clog2(128 / Width);
  localparam int unsigned AddrWidth = BankWidth + NumBanks - 1;

  logic [AddrWidth-1:0] write_addr, read_addr;
  logic unused_inputs;

  assign unused_inputs = ^{read_index_i, rst_ni, Hardened};

  if (NumBanks == 2) begin : gen_two_banks
    assign write_addr = {write_bank_i, BankWidth'(write_index_i / 6'(NumRams))};
    assign read_addr  = {read_bank_i, BankWidth'(read_index_i)};
  end else begin : gen_one_bank
    logic unused_bank;
    assign unused_bank = ^{write_bank_i, read_bank_i};
    assign write_addr  = BankWidth'(write_index_i / 6'(NumRams));
    assign read_addr   = BankWidth'(read_index_i);
  end

  logic [Width-1:0] before_q, after_q;

  for (genvar r = 0; r < NumRams; r++) begin : gen_ram
    logic write;
    logic [WriteWidth-1:0] words_q;
    assign write = write_i & (write_index_i % 6'(NumRams) == 6'(r));

    // One memory in three styles: an attribute cannot depend on a parameter.
    if (Style == KeyMemBlock) begin : gen_block
      (* no_rw_check, ram_style = "block" *) logic [WriteWidth-1:0] mem[2**AddrWidth];
      always_ff @(posedge clk_i) begin
        if (write) mem[write_addr] <= words_i;
        words_q <= mem[read_addr];
      end
    end else if (Style == KeyMemDistributed) begin : gen_distributed
      (* no_rw_check, ram_style = "distributed" *) logic [WriteWidth-1:0] mem[2**AddrWidth];
      always_ff @(posedge clk_i) begin
        if (write) mem[write_addr] <= words_i;
        words_q <= mem[read_addr];
      end
      if (Gated) begin : gen_gated
        always_ff @(posedge clk_i) begin
          before_q[WriteWidth*(NumRams-1-r)+:WriteWidth] <= before_i ? mem[read_addr] : '0;
          after_q[WriteWidth*(NumRams-1-r)+:WriteWidth]  <= before_i ? '0 : mem[read_addr];
        end
      end
    end else if (Style == KeyMemAuto) begin : gen_auto
      (* no_rw_check *) logic [WriteWidth-1:0] mem[2**AddrWidth];
      always_ff @(posedge clk_i) begin
        if (write) mem[write_addr] <= words_i;
        words_q <= mem[read_addr];
      end
    end else begin : gen_unknown
      $fatal(1, "aes_key_memory: unknown Style");
    end

    assign key_o[WriteWidth*(NumRams-1-r)+:WriteWidth] = words_q;
  end

  if (!Gated) begin : gen_not_gated
    logic unused_before;
    assign unused_before = before_i;
    assign before_q      = key_o;
    assign after_q       = key_o;
    assign fault_o       = 1'b0;
  end else if (Style != KeyMemDistributed) begin : gen_gates
    logic key_before_q;
    aes_control_register #(
      .Hardened(Hardened),
      .HasReset(1'b0)
    ) u_key_before (
      .clk_i,
      .rst_ni,
      .d_i    (before_i),
      .q_o    (key_before_q),
      .fault_o(fault_o)
    );
    assign before_q = key_before_q ? key_o : '0;
    assign after_q  = key_before_q ? '0 : key_o;
  end else begin : gen_gated_in_ram
    assign fault_o = 1'b0;
  end

  assign key_before_o = before_q;
  assign key_after_o  = after_q;

endmodule
