// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A delay of a fixed number of clocks in a RAM that is written and read in each clock:
//
//   data_i --[ RAM ]--|R|--|R|-- data_o     (the first register is that of the RAM)
//
// After a reset data_o is what data_i was before it, until Clocks clocks have passed.

module aes_engine_streams_delay #(
  parameter int unsigned Clocks = 50,  // from data_i to data_o, at least 4
  parameter int unsigned Width  = 128
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);

  localparam int unsigned PtrWidth = $clog2(Clocks);

  logic [PtrWidth-1:0] write_q, read_q;

  // A word that is written in clock 0 is read in clock Clocks - 2.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= PtrWidth'(Clocks - 2);
      read_q  <= '0;
    end else begin
      write_q <= write_q + 1'b1;
      read_q  <= read_q + 1'b1;
    end
  end

  aes_engine_streams_ram #(
    .Depth(2 ** PtrWidth),
    .Width(Width)
  ) u_ram (
    .clk_i,
    .write_i(1'b1),
    .waddr_i(write_q),
    .wdata_i(data_i),
    .raddr_i(read_q),
    .rdata_o(data_o)
  );

endmodule
