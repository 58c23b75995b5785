// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The bytes of a block one after the other, byte 0 first, and zero when there are none left.
//
//      byte 15           byte 14                 byte 0
//         |                 |                       |
//        |R|               |R|                     |R|   kept from load_i on
//        |R|               |R|                     |R|   zero but in the clock after start_i
//         | set             | set                   | set
//   0 ---|R|---------------|R|------- ... ---------|R|-- byte_o
//
// A shift register that is loaded by the synchronous set of its flip-flops, each by one of its own:
// no LUT at all, where sums of bytes that are zero but in their clocks take 40 LUT4 and multiplexers
// before the registers 120. It costs 384 flip-flops and 128 set signals; where the flip-flops of a
// slice share theirs, these spread over as many slices, whose LUTs are free for other logic.
//
// The set clears nothing. What is in the shift register after a reset leaves in 16 clocks, so
// start_i is 16 clocks or more after load_i.

module aes_byte_feed
  import aes_pkg::*;
(
  input  logic   clk_i,
  input  logic   load_i,
  input  logic   start_i,
  input  block_t block_i,
  output byte_t  byte_o    // byte n in clock n + 2 after start_i
);

  block_t block_q, set_q, shift_d, shift_q;

  always_ff @(posedge clk_i) begin
    if (load_i) block_q <= block_i;
    if (!start_i) set_q <= '0;
    else set_q <= block_q;
  end

  always_comb begin
    for (int i = 0; i < 128; i++) begin
      if (set_q[i]) shift_d[i] = 1'b1;
      else shift_d[i] = (i < 8) ? 1'b0 : shift_q[(i+120)%128];
    end
  end

  // Not bit by bit in the loop: Verilator 5.048 may shift by more than a byte there.
  always_ff @(posedge clk_i) shift_q <= shift_d;

  assign byte_o = shift_q[127:120];

endmodule
