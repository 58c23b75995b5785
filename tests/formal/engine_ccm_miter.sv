// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The rule of a stream: what is valid and not taken is valid in the next clock, with the same payload.
// kept_o says so of the results of the control of a CCM engine, whatever comes to it, in any state.

module engine_ccm_miter
  import aes_engine_pkg::*;
(
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      packet_valid_i,
  input  aes_engine_ccm_pkg::desc_t desc_i,
  input  logic                      load_i,
  input  error_e                    error_i,
  input  logic                      beat_valid_i,
  input  beat_t                     beat_i,
  input  logic                      key_ready_i,
  input  logic                      core_ready_i,
  input  logic                      core_valid_i,
  input  logic [127:0]              core_block_i,
  input  logic                      ready_i,
  output logic                      kept_o
);

  logic valid, hold, was_waiting_q;
  logic unused_packet_ready, unused_beat_ready, unused_key_valid, unused_core_valid;
  logic [127:0] data, unused_core_block;
  logic [3:0] len;
  result_user_t user;
  logic [$bits(result_user_t)+132:0] payload, payload_q;

  aes_engine_ccm_control #(
    .Stored(1'b1)
  ) u_control (
    .clk_i,
    .rst_ni,
    .packet_valid_i,
    .packet_ready_o(unused_packet_ready),
    .desc_i,
    .load_i,
    .error_i,
    .beat_valid_i,
    .beat_ready_o  (unused_beat_ready),
    .beat_i,
    .key_valid_o   (unused_key_valid),
    .key_ready_i,
    .core_valid_o  (unused_core_valid),
    .core_ready_i,
    .core_block_o  (unused_core_block),
    .core_valid_i,
    .core_block_i,
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
