// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The queue of blocks in aes_engine_lanes, which nobody asks whether it has room, and sums, which nobody
// waits for longer than sum_clocks of aes_engine_pkg. related_o says that there is room, and what that
// follows from: from the tenth block on one leaves in each clock. And it says that the end of a message,
// any that mark_i chooses, leaves the queue in twelve clocks, since from the second one on a block leaves
// in each clock; its sum is there eleven later. It holds after a reset, and where it holds in a clock it
// holds in the next one, whatever the inputs.

module engine_lanes_miter
  import aes_engine_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         key_valid_i,
  input  logic         key_zero_i,
  input  logic         key_slot_i,
  input  logic         valid_i,
  input  logic [127:0] block_i,
  input  logic         slot_i,
  input  logic         end_i,
  input  logic [1:0]   kind_i,
  input  logic         mark_i,
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
  logic room;
  assign room = level == stored + 5'(held) && valid == (stored != '0) && ready &&
                u_lanes.u_queue.write_next_q == u_lanes.u_queue.write_q + 5'd1 &&
                u_lanes.u_queue.read_next_q == u_lanes.u_queue.read_q + 5'd1 &&
                (held || stored <= 5'd1) && stored <= 5'd11 &&
                level <= 5'd11 && (level != 5'd11 || many) && (!many || level >= 5'd9);

  // Which blocks of the queue end a message, the oldest lowest; the place of the one that was chosen, from
  // 1, and for how many clocks it has been there.
  localparam int unsigned EndBit = 129;  // of an entry of the queue
  logic [15:0] ends_q;
  logic [4:0] place_q, age_q, left;
  assign left = level - 5'(u_lanes.issue);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ends_q  <= '0;
      place_q <= '0;
      age_q   <= '0;
    end else begin
      ends_q <= (ends_q >> u_lanes.issue) | (16'(valid_i & end_i) << left);
      if (place_q == '0 && mark_i && valid_i && end_i) begin
        place_q <= left + 5'd1;
        age_q   <= 5'd1;
      end else if (place_q != '0) begin
        place_q <= place_q - 5'(u_lanes.issue);
        age_q   <= age_q + 5'd1;
      end
    end
  end

  // The queue says the same of its blocks, and the other one has as many numbers as messages end. Where
  // the register at its output is empty, the last block that came ended one.
  logic [4:0] numbers, number_stored, ones;
  logic number_held, same, counted;
  logic [15:0] entry_ends;
  logic [3:0] first;
  assign first = 4'(u_lanes.u_queue.read_q);
  for (genvar n = 0; n < 16; n++) begin : gen_entry
    assign entry_ends[n] = u_lanes.u_queue.gen_short.mem[n][EndBit];
  end
  assign number_stored = u_lanes.u_ends.write_q - u_lanes.u_ends.read_q;
  assign number_held   = u_lanes.u_ends.gen_short.gen_held.data_valid_q;
  assign numbers       = number_stored + 5'(number_held);
  always_comb begin
    same = !held || u_lanes.u_queue.gen_short.gen_held.data_q[EndBit] == ends_q[0];
    ones = '0;
    for (int unsigned n = 0; n < 16; n++) begin
      ones += 5'(ends_q[n]);
      if (5'(n) >= level && ends_q[n]) same = 1'b0;
      if (5'(n) < stored && entry_ends[first+4'(n)] != ends_q[4'(n)+4'(held)]) same = 1'b0;
    end
  end
  assign counted = numbers == ones && u_lanes.u_ends.ready_q &&
                   u_lanes.u_ends.gen_short.valid_q == (number_stored != '0) &&
                   u_lanes.u_ends.write_next_q == u_lanes.u_ends.write_q + 5'd1 &&
                   u_lanes.u_ends.read_next_q == u_lanes.u_ends.read_q + 5'd1 &&
                   (number_held || number_stored == '0 || (number_stored == 5'd1 &&
                    level != '0 && ends_q[4'(level-5'd1)])) && number_stored <= 5'd11;

  logic soon;
  assign soon = place_q == '0 || (place_q <= level && ends_q[4'(place_q-5'd1)] && age_q != '0 &&
                (age_q == 5'd1 || (6'(place_q) + 6'(age_q) <= 6'd13 && held && number_held)));

  // The last block of a message on its way to the sum.
  logic [10:0] sent_q;
  logic sent;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sent_q <= '0;
    else sent_q <= {sent_q[9:0], u_lanes.issue & u_lanes.out_ends & ~u_lanes.power_goes};
  end
  always_comb begin
    sent = sent_q[10] == u_lanes.sum_valid_q;
    sent &= sent_q[0] == (u_lanes.valid_q[0] && u_lanes.flags_1_q.ends && !u_lanes.flags_1_q.power);
    sent &= sent_q[1] == (u_lanes.valid_q[1] && u_lanes.flags_2_q.ends && !u_lanes.flags_2_q.power);
    sent &= sent_q[2] == (u_lanes.valid_q[2] && u_lanes.flags_3_q.ends && !u_lanes.flags_3_q.power);
    for (int unsigned n = 0; n < 7; n++) begin
      sent &= sent_q[n+3] ==
          (u_lanes.valid_q[n+3] && u_lanes.flags_q[n].ends && !u_lanes.flags_q[n].power);
    end
  end

  assign related_o = room && same && counted && soon && sent && sum_clocks() == 23;

endmodule
