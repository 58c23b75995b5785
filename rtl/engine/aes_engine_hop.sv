// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A register on a way that is long, or none:
//
//   valid_i --|R|-- valid_o     (reset)
//   data_i ---|R|-- data_o
//
// Cost with Far: a clock, and a flip-flop a bit.

module aes_engine_hop #(
  parameter bit          Far    = 1'b1,  // there is a register
  parameter int unsigned Valids = 1,     // bits that a reset clears
  parameter int unsigned Width  = 128
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [Valids-1:0] valid_i,
  input  logic [ Width-1:0] data_i,
  output logic [Valids-1:0] valid_o,
  output logic [ Width-1:0] data_o
);

  if (Far) begin : gen_far
    logic [Valids-1:0] valid_q;
    logic [Width-1:0] data_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else valid_q <= valid_i;
    end
    always_ff @(posedge clk_i) data_q <= data_i;
    assign valid_o = valid_q;
    assign data_o  = data_q;
  end else begin : gen_near
    assign valid_o = valid_i;
    assign data_o  = data_i;

    logic unused_clock;
    assign unused_clock = ^{clk_i, rst_ni};
  end

endmodule
