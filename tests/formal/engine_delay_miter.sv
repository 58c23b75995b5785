// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_engine_delay beside a chain of registers. same_o is high when what comes out is what came so many
// clocks ago, and nothing is said to be there before. related_o, when the states belong together too: what
// came stands in the RAM at the places before the one that is written next, and in two registers. It holds
// after a reset, and where it holds in a clock it holds in the next one.

module engine_delay_miter #(
  parameter int unsigned Clocks = 5
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic data_i,
  output logic related_o,
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


  // The first entries go to the first places.
  localparam int unsigned Bits = $clog2(Clocks);
  always_comb begin
    related_o = same_o && u_delay.read_q[Bits-1:0] == Bits'(u_delay.write_q + 2 - Clocks) &&
                u_delay.read_q[Bits] == came_q[Clocks-3] && u_delay.written_q == came_q[Clocks-2] &&
                (!came_q[Clocks-2] || u_delay.word_q == data_q[Clocks-2]);
    for (int unsigned n = 0; n < Clocks; n++) begin
      if (n > 0 && came_q[n] && !came_q[n-1]) related_o = 1'b0;
      if (!came_q[n] && (n == 0 || came_q[(n+Clocks-1)%Clocks])) begin
        if (u_delay.write_q != Bits'(n)) related_o = 1'b0;
      end
      if (n < Clocks - 2 && came_q[n] && u_delay.mem[Bits'(u_delay.write_q-1-n)] != data_q[n]) begin
        related_o = 1'b0;
      end
    end
  end

endmodule
