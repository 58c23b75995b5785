// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A delay in LUT RAM, for keys that wait beside an S-box of many register levels.
//
//   count_i --|w|--+-----------[ + 2 - Clocks ]--|r|--+
//                  | write                            | read
//   data_i --------[ RAM of Clocks entries or a few more ]--|R|-- data_o
//
// What is written in one clock is read Clocks - 1 clocks later into a register. A LUT RAM of 16 x 4
// bits takes the place of Clocks - 1 flip-flops for each of its four bits.
//
// Nothing here has a reset: addresses are those of a counter outside, a clock later. Data that comes
// while count_i counts is right, from a clock after it began to. The registers of the addresses are
// for these bits alone, so that they may stand near them.

module aes_key_delay #(
  parameter  int unsigned Width     = 16,
  parameter  int unsigned Clocks    = 8,              // from 2
  localparam int unsigned AddrWidth = $clog2(Clocks)
) (
  input  logic                 clk_i,
  input  logic [AddrWidth-1:0] count_i,  // one more each clock, modulo 2^AddrWidth
  input  logic [Width-1:0]     data_i,
  output logic [Width-1:0]     data_o    // Clocks clocks after data_i
);

  if (Clocks < 2) begin : gen_bad_clocks
    $fatal(1, "aes_key_delay: Clocks must be 2 or more");
  end

  // An attribute of the process keeps Yosys from making one of several registers.
  (* keep *) logic [AddrWidth-1:0] write_addr_q, read_addr_q;
  (* keep *) always_ff @(posedge clk_i) begin
    write_addr_q <= count_i;
    read_addr_q  <= write_addr_q + AddrWidth'(2) - AddrWidth'(Clocks);
  end

  (* no_rw_check, ram_style = "distributed" *) logic [Width-1:0] mem[2**AddrWidth];
  always_ff @(posedge clk_i) begin
    mem[write_addr_q] <= data_i;
    data_o            <= mem[read_addr_q];
  end

endmodule
