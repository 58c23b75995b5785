// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The rule of a stream: what is valid and not taken is valid in the next clock, with the same payload.
// kept_o says so of the results of the back, whatever comes to it, two clocks after any state and in
// the clocks after a reset.

module engine_back_miter
  import aes_engine_pkg::*;
#(
  parameter bit Spaced = 1'b0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         item_valid_i,
  input  item_t        item_i,
  input  logic         stream_valid_i,
  input  logic [127:0] stream_i,
  input  logic         ready_i,
  output logic         kept_o
);

  logic valid, hold, was_waiting_q, unused_item_ready, unused_stream_ready, unused_j0_valid;
  logic [127:0] data, unused_j0;
  logic [3:0] len;
  result_user_t user;
  logic [$bits(result_user_t)+132:0] payload, payload_q;

  aes_engine_back #(
    .Digit (16),
    .Spaced(Spaced)
  ) u_back (
    .clk_i,
    .rst_ni,
    .item_valid_i,
    .item_ready_o  (unused_item_ready),
    .item_i,
    .stream_valid_i,
    .stream_ready_o(unused_stream_ready),
    .stream_i,
    .j0_valid_o    (unused_j0_valid),
    .j0_o          (unused_j0),
    .m_valid_o     (valid),
    .m_ready_i     (ready_i),
    .m_data_o      (data),
    .m_len_o       (len),
    .m_user_o      (user),
    .m_hold_o      (hold)
  );

  assign payload = {hold, user, len, data};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) was_waiting_q <= 1'b0;
    else was_waiting_q <= valid & ~ready_i;
  end

  always_ff @(posedge clk_i) payload_q <= payload;

  assign kept_o = ~was_waiting_q | (valid & (payload == payload_q));

endmodule
