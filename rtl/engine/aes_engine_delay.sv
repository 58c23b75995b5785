// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What comes in each clock comes out again so many clocks later:
//
//   data_i --[ RAM ]--|R|--|R|-- data_o
//
// What comes out before there_o is high is from before a reset.

module aes_engine_delay #(
  parameter int unsigned Clocks = 57,  // 4 or more
  parameter int unsigned Width  = 128
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] data_i,
  output logic             there_o,  // data_o is something that came; stays high
  output logic [Width-1:0] data_o
);

  localparam int unsigned Bits = $clog2(Clocks);

  // What is read was written so many clocks ago, but for two in registers. The highest bit of read_q
  // becomes one with the first entry, and stays so.
  logic [Bits-1:0] write_q;
  logic [Bits:0] read_q;
  logic written_q, there_q;
  logic [Width-1:0] word_q, data_q;
  (* no_rw_check, ram_style = "block" *) logic [Width-1:0] mem[2**Bits];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q   <= '0;
      read_q    <= (Bits + 1)'(2 ** Bits + 2 - Clocks);
      written_q <= 1'b0;
      there_q   <= 1'b0;
    end else begin
      write_q          <= write_q + 1'b1;
      read_q[Bits-1:0] <= read_q[Bits-1:0] + 1'b1;
      read_q[Bits]     <= read_q[Bits] | (&read_q[Bits-1:0]);
      written_q        <= read_q[Bits];
      there_q          <= written_q;
    end
  end
  always_ff @(posedge clk_i) begin
    mem[write_q] <= data_i;
    word_q       <= mem[read_q[Bits-1:0]];
    data_q       <= word_q;
  end

  assign there_o = there_q;
  assign data_o  = data_q;

endmodule
