// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The rule of a stream: what is valid and not taken is valid in the next clock, with the same payload.
// kept_o says so of the results of an engine a byte wide, whatever comes to it, in any state: of
// packets, or of the one that the macro ENGINE names, whose descriptors have DESC_BITS bits.

`ifndef ENGINE
`define ENGINE aes_engine_bytes
`define DESC_BITS 160
`endif

module engine_bytes_miter (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         key_valid_i,
  input  logic [127:0] key_i,
  input  logic [11:0]  key_user_i,
  input  logic         desc_valid_i,
  input  logic [`DESC_BITS-1:0] desc_i,
  input  logic         beat_valid_i,
  input  logic [127:0] data_i,
  input  logic [15:0]  keep_i,
  input  logic         last_i,
  input  logic [1:0]   user_i,
  input  logic         ready_i,
  output logic         kept_o
);

  logic valid, last, was_waiting_q, unused_key_ready, unused_desc_ready, unused_beat_ready;
  logic [127:0] data;
  logic [15:0] keep;
  logic [5:0] user;
  logic [150:0] payload, payload_q;

  `ENGINE #(
    .NumSlots(2)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .s_key_tvalid_i (key_valid_i),
    .s_key_tready_o (unused_key_ready),
    .s_key_tdata_i  (key_i),
    .s_key_tuser_i  (key_user_i),
    .s_desc_tvalid_i(desc_valid_i),
    .s_desc_tready_o(unused_desc_ready),
    .s_desc_tdata_i (desc_i),
    .s_data_tvalid_i(beat_valid_i),
    .s_data_tready_o(unused_beat_ready),
    .s_data_tdata_i (data_i),
    .s_data_tkeep_i (keep_i),
    .s_data_tlast_i (last_i),
    .s_data_tuser_i (user_i),
    .m_data_tvalid_o(valid),
    .m_data_tready_i(ready_i),
    .m_data_tdata_o (data),
    .m_data_tkeep_o (keep),
    .m_data_tlast_o (last),
    .m_data_tuser_o (user)
  );

  assign payload = {last, user, keep, data};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) was_waiting_q <= 1'b0;
    else was_waiting_q <= valid & ~ready_i;
  end

  always_ff @(posedge clk_i) payload_q <= payload;

  assign kept_o = ~was_waiting_q | (valid & (payload == payload_q));

endmodule
