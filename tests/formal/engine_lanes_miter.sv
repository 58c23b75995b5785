// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The queue of blocks in aes_engine_lanes, which nobody asks whether it has room. related_o says that it
// has, and what that follows from: from the tenth block on one leaves in each clock. It holds after a
// reset, and where it holds in a clock it holds in the next one, whatever the inputs.

module engine_lanes_miter (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         key_valid_i,
  input  logic         key_zero_i,
  input  logic         key_slot_i,
  input  logic [127:0] key_i,
  input  logic         valid_i,
  input  logic [127:0] block_i,
  input  logic         slot_i,
  input  logic         end_i,
  input  logic [1:0]   kind_i,
  output logic         related_o
);

  logic unused_done, unused_valid;
  logic [1:0] unused_kind;
  logic [127:0] unused_sum;

  aes_engine_lanes #(
    .NumSlots(2)
  ) u_lanes (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_zero_i,
    .key_slot_i,
    .key_i,
    .key_done_o (unused_done),
    .valid_i,
    .block_i,
    .slot_i,
    .end_i,
    .kind_i,
    .sum_valid_o(unused_valid),
    .sum_kind_o (unused_kind),
    .sum_o      (unused_sum)
  );

  logic [4:0] level, stored;
  logic many, valid, ready, held;
  assign level  = u_lanes.level_q;
  assign many   = u_lanes.many_q;
  assign stored = u_lanes.u_queue.write_q - u_lanes.u_queue.read_q;
  assign valid  = u_lanes.u_queue.gen_short.valid_q;
  assign ready  = u_lanes.u_queue.ready_q;
  assign held   = u_lanes.u_queue.gen_short.gen_held.data_valid_q;

  // Where the register at the output is empty, one block at most has come behind it.
  assign related_o = level == stored + 5'(held) && valid == (stored != '0) && ready &&
                     u_lanes.u_queue.write_next_q == u_lanes.u_queue.write_q + 5'd1 &&
                     u_lanes.u_queue.read_next_q == u_lanes.u_queue.read_q + 5'd1 &&
                     (held || stored <= 5'd1) && stored <= 5'd11 &&
                     level <= 5'd11 && (level != 5'd11 || many);

endmodule
