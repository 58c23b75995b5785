// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The receiver of a UART: one start bit, eight data bits, the least significant first, one stop bit.
//
//   rx_i --|R||R|--+--[ falling edge: begin ]--[ phase, bit counter ]-- bit_valid_o
//                  |                                   |
//                  +-------------------------[ shift register ]-- byte_o
//
// A bit lasts Modulus / Step clocks, exactly on average and never off by a clock or more: the phase
// grows by Step in each clock, modulo Modulus. A bit is read in its middle. A byte whose stop bit is
// low is dropped.

module aes_uart_rx #(
  parameter int unsigned Modulus = 12,  // clock and baud rate, both divided by what divides both
  parameter int unsigned Step    = 1
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       rx_i,
  output logic       bit_valid_o,   // a data bit, as it comes
  output logic       bit_o,
  output logic       byte_valid_o,  // the byte is complete, for one clock
  output logic [7:0] byte_o
);

  localparam int unsigned Width = $clog2(Modulus);

  // Two registers against metastability, and the value before.
  logic [2:0] rx_q;
  logic [Width-1:0] phase_q, phase_next;
  logic [3:0] left_q;  // bits that are still to come, with start and stop bit; 0 while idle
  logic [7:0] byte_q;
  logic tick;

  assign tick       = phase_q >= Width'(Modulus - Step);
  assign phase_next = tick ? phase_q - Width'(Modulus - Step) : phase_q + Width'(Step);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rx_q    <= '1;
      phase_q <= '0;
      left_q  <= '0;
    end else begin
      rx_q    <= {rx_q[1:0], rx_i};
      phase_q <= phase_next;
      if (left_q == '0) begin
        phase_q <= Width'(Modulus / 2);
        if (rx_q[2:1] == 2'b10) left_q <= 4'd10;
      end else if (tick) begin
        left_q <= left_q - 4'd1;
        // What does not last until its middle was no start bit.
        if (left_q == 4'd10 && rx_q[1]) left_q <= '0;
      end
    end
  end

  assign bit_valid_o = tick && left_q inside {[4'd2 : 4'd9]};
  assign bit_o       = rx_q[1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) byte_q <= '0;
    else if (bit_valid_o) byte_q <= {bit_o, byte_q[7:1]};
  end

  assign byte_valid_o = tick && left_q == 4'd1 && rx_q[1];
  assign byte_o       = byte_q;

endmodule
