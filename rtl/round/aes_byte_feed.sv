// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The bytes of a block one after the other, byte 0 first, and zero when there are none left.
//
//   byte 0 --|R|-----------------+
//   byte 1 --|R|--|R|------------+
//   byte 2 --|R|--|R|--|R|-------+--(+)-- byte_o
//   bytes 3 to 15, the same way -+
//    and registers for 3 clocks
//
// Each byte is zero but in one clock (the synchronous reset of its first register) and waits its
// time in registers, so four bytes need one LUT a bit: 40 LUT4 and 368 flip-flops, where a shift
// register that is loaded has 120 multiplexers. What is left of a block before, after a reset, is
// cleared with the load.

module aes_byte_feed
  import aes_pkg::*;
(
  input  logic   clk_i,
  input  logic   load_i,
  input  block_t block_i,
  output byte_t  byte_o    // byte n in clock n + 1 after load_i
);

  // The sum of bytes 3 k, 3 k + 1, ..., each in its clock.
  byte_t from[5];

  for (genvar k = 0; k < 5; k++) begin : gen_stage
    byte_t first_q, second_q[2], third_q[3], rest;

    always_ff @(posedge clk_i) begin
      if (!load_i) begin
        first_q     <= '0;
        second_q[0] <= '0;
        third_q[0]  <= '0;
      end else begin
        first_q     <= get_byte(block_i, 3 * k);
        second_q[0] <= get_byte(block_i, 3 * k + 1);
        third_q[0]  <= get_byte(block_i, 3 * k + 2);
      end
    end

    byte_t following, rest_q[3];

    always_ff @(posedge clk_i) begin
      if (load_i) begin
        second_q[1] <= '0;
        third_q[1]  <= '0;
        third_q[2]  <= '0;
        rest_q      <= '{default: '0};
      end else begin
        second_q[1] <= second_q[0];
        third_q[1]  <= third_q[0];
        third_q[2]  <= third_q[1];
        rest_q[0]   <= following;
        rest_q[1]   <= rest_q[0];
        rest_q[2]   <= rest_q[1];
      end
    end

    assign rest = rest_q[2];

    if (k < 4) begin : gen_next
      assign following = from[k+1];
    end else begin : gen_last
      byte_t last_q;
      always_ff @(posedge clk_i) begin
        if (!load_i) last_q <= '0;
        else last_q <= get_byte(block_i, 15);
      end
      assign following = last_q;
    end

    assign from[k] = first_q ^ second_q[1] ^ third_q[2] ^ rest;
  end

  assign byte_o = from[0];

endmodule
