// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_engine_delay beside a chain of registers. same_o is high when what comes out is what came so many
// clocks ago, and nothing is said to be there before. Registers of the chain are set by the reset, so it
// is proved for the clocks after one, in which each place of the RAM is used more than once.

module engine_delay_miter #(
  parameter int unsigned Clocks = 5
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic data_i,
  output logic same_o
);

  logic there, data;

  aes_engine_delay #(
    .Clocks(Clocks),
    .Width (1)
  ) u_delay (
    .clk_i,
    .rst_ni,
    .data_i,
    .there_o(there),
    .data_o (data)
  );

  logic [Clocks-1:0] came_q, data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      came_q <= '0;
      data_q <= '0;
    end else begin
      came_q <= {came_q[Clocks-2:0], 1'b1};
      data_q <= {data_q[Clocks-2:0], data_i};
    end
  end

  assign same_o = there == came_q[Clocks-1] && (!there || data == data_q[Clocks-1]);

endmodule
