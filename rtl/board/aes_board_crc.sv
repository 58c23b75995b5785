// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The CRC of a frame, a bit at a time as the bits are on the line (CRC-16/X-25):
//
//   bit_i --(+)--[ shift register of 16 bits, fed back by the polynomial ]-- crc_o
//
// What is sent is the complement, least significant bit first.

module aes_board_crc
  import aes_board_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  logic        valid_i,
  input  logic        bit_i,
  output logic [15:0] crc_o
);

  logic [15:0] crc_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) crc_q <= CrcStart;
    else if (start_i) crc_q <= CrcStart;
    else if (valid_i) crc_q <= (crc_q >> 1) ^ ({16{crc_q[0] ^ bit_i}} & CrcPolynomial);
  end

  assign crc_o = crc_q;

endmodule
