// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The reset of a board that has none: low in the first clocks after the FPGA was configured.
//
//   1 --[ shift register, 0 at the start ]-- rst_no
//
// It rests on what the flip-flops hold after the configuration, as iCE40, ECP5 and Gowin have it.

module aes_board_reset (
  input  logic clk_i,
  output logic rst_no
);

  logic [7:0] high_q;

  initial high_q = '0;

  always_ff @(posedge clk_i) begin
    high_q <= {high_q[6:0], 1'b1};
  end

  assign rst_no = high_q[7];

endmodule
