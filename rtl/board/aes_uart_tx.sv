// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The transmitter of a UART, with the bits of aes_uart_rx:
//
//   byte_i --[ shift register, start bit first ]-- tx_o
//                        |
//            [ phase, bit counter ]-- ready_o
//
// Bytes may follow each other without a clock between them.

module aes_uart_tx #(
  parameter int unsigned Modulus = 12,  // as in aes_uart_rx
  parameter int unsigned Step    = 1
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] byte_i,
  output logic       bit_valid_o,  // a data bit begins on the line
  output logic       bit_o,
  output logic       tx_o
);

  localparam int unsigned Width = $clog2(Modulus);

  logic [Width-1:0] phase_q;
  logic [3:0] left_q;  // bits that have not ended, with start and stop bit; 0 while idle
  logic [8:0] shift_q;
  logic tick;

  assign tick    = phase_q >= Width'(Modulus - Step);
  assign ready_o = left_q == '0 || (left_q == 4'd1 && tick);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= '0;
      left_q  <= '0;
      shift_q <= '1;
    end else begin
      if (left_q == '0) phase_q <= '0;
      else phase_q <= tick ? phase_q - Width'(Modulus - Step) : phase_q + Width'(Step);
      if (ready_o) begin
        left_q <= valid_i ? 4'd10 : '0;
        if (valid_i) shift_q <= {byte_i, 1'b0};
      end else if (tick) begin
        left_q  <= left_q - 4'd1;
        shift_q <= {1'b1, shift_q[8:1]};
      end
    end
  end

  assign bit_valid_o = tick && left_q >= 4'd3;
  assign bit_o       = shift_q[1];
  assign tx_o        = shift_q[0];

endmodule
