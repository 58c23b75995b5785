// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The results of an engine of streams around a core that does what it likes within its contract
// (stub/aes_core.sv), beside the rules of their stream (aes_rules_axi_stream). rules_o: none is broken,
// whatever comes to the engine, in any state; with Far, where a queue with a register at its output is the
// last one.
//
// Otherwise the last queue is one behind block RAM. engine_queue_miter has the proof that what waits in it
// stays, and through_o says that the results are those of this queue and nothing else: valid when it says
// so, with what it has, and taken from it when the results are.

module streams_stream_miter
  import aes_pkg::*;
  import aes_engine_streams_pkg::with_keys_on_the_fly;
#(
  parameter bit Chained = 1'b1,
  parameter bit Far     = 1'b0,
  parameter bit Spaced  = 1'b0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         s_key_valid_i,
  input  logic [127:0] s_key_data_i,
  input  logic [11:0]  s_key_user_i,
  input  logic         s_desc_valid_i,
  input  logic [1:0]   s_desc_id_i,
  input  logic [143:0] s_desc_data_i,
  input  logic         s_data_valid_i,
  input  logic [1:0]   s_data_id_i,
  input  logic [127:0] s_data_data_i,
  input  logic [15:0]  s_data_keep_i,
  input  logic         s_data_last_i,
  input  logic         m_ready_i,
  output logic         rules_o,
  output logic         through_o
);

  function automatic cfg_t the_cfg();
    cfg_t cfg;
    cfg = with_keys_on_the_fly(DefaultCfg);
    cfg.dir = DirEncrypt;
    cfg.key_size = KeySize128;
    if (Far) cfg.arch = ArchPipelined;
    return cfg;
  endfunction

  logic m_valid, m_last, unused_key_ready, unused_desc_ready, unused_data_ready;
  logic [1:0] m_id;
  logic [127:0] m_data;
  logic [15:0] m_keep;
  logic [5:0] m_user;
  logic [3:0] broken;

  aes_engine_streams #(
    .Cfg       (the_cfg()),
    .Chained   (Chained),
    .NumStreams(4),
    .NumSlots  (2),
    .Spaced    (Spaced)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .s_key_tvalid_i (s_key_valid_i),
    .s_key_tready_o (unused_key_ready),
    .s_key_tdata_i  (s_key_data_i),
    .s_key_tuser_i  (s_key_user_i),
    .s_desc_tvalid_i(s_desc_valid_i),
    .s_desc_tready_o(unused_desc_ready),
    .s_desc_tid_i   (s_desc_id_i),
    .s_desc_tdata_i (s_desc_data_i),
    .s_data_tvalid_i(s_data_valid_i),
    .s_data_tready_o(unused_data_ready),
    .s_data_tid_i   (s_data_id_i),
    .s_data_tdata_i (s_data_data_i),
    .s_data_tkeep_i (s_data_keep_i),
    .s_data_tlast_i (s_data_last_i),
    .m_data_tvalid_o(m_valid),
    .m_data_tready_i(m_ready_i),
    .m_data_tid_o   (m_id),
    .m_data_tdata_o (m_data),
    .m_data_tkeep_o (m_keep),
    .m_data_tlast_o (m_last),
    .m_data_tuser_o (m_user)
  );

  aes_rules_axi_stream #(
    .DataWidth(128),
    .UserWidth(8)
  ) u_rules (
    .clk_i,
    .rst_ni,
    .revoked_i(1'b0),
    .tvalid_i (m_valid),
    .tready_i (m_ready_i),
    .tdata_i  (m_data),
    // A last beat may have no byte.
    .tkeep_i  ({m_keep[15:1], m_keep[0] | ~|m_keep}),
    .tlast_i  (m_last),
    .tuser_i  ({m_id, m_user}),
    .broken_o (broken)
  );

  assign rules_o = broken == '0;

  if (Far) begin : gen_far
    assign through_o = 1'b1;
  end else begin : gen_near
    // The results in the clock before, and what the queue said. What it says alike gives the same results.
    logic [138:0] word, word_q;
    logic [152:0] result, result_q;
    assign word   = u_engine.gen_near.u_results.data_o;
    assign result = {m_id, m_data, m_keep, m_last, m_user};
    always_ff @(posedge clk_i) begin
      word_q   <= word;
      result_q <= result;
    end
    assign through_o = m_valid == u_engine.gen_near.u_results.valid_o &&
                       m_ready_i == u_engine.gen_near.u_results.ready_i &&
                       broken[3:2] == '0 && (word != word_q || result == result_q);
  end

endmodule
