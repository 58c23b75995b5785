// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Block RAM with a plain register behind it, which block RAMs have of their own:
//
//   wdata_i --[ RAM, Depth x Width ]--|R|--|R|-- rdata_o
//
// A word is there two clocks after its address. A word that is read in the clock in which it is written is
// not defined.
//
// The RAM is made of columns of 18 bits: on ECP5, the register of a wider RAM cannot be used.

module aes_engine_streams_ram #(
  parameter int unsigned Depth = 256,
  parameter int unsigned Width = 128
) (
  input  logic                     clk_i,
  input  logic                     write_i,
  input  logic [$clog2(Depth)-1:0] waddr_i,
  input  logic [Width-1:0]         wdata_i,
  input  logic [$clog2(Depth)-1:0] raddr_i,
  output logic [Width-1:0]         rdata_o
);

  localparam int unsigned Column = 18;

  for (genvar n = 0; n < Width; n += Column) begin : gen_column
    localparam int unsigned Bits = (Width - n < Column) ? Width - n : Column;

    (* no_rw_check, ram_style = "block" *) logic [Bits-1:0] mem[Depth];
    logic [Bits-1:0] word_q, rdata_q;

    always_ff @(posedge clk_i) begin
      if (write_i) mem[waddr_i] <= wdata_i[n+:Bits];
      word_q  <= mem[raddr_i];
      rdata_q <= word_q;
    end

    assign rdata_o[n+:Bits] = rdata_q;
  end

endmodule
