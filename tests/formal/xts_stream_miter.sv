// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The results of a sector engine around a core that does what it likes within its contract
// (stub/aes_core.sv), beside the rules of their stream (aes_rules_axi_stream). rules_o: none is broken,
// whatever comes to the engine, two clocks after any state and in the clocks after a reset.

module xts_stream_miter
  import aes_pkg::*;
#(
  parameter bit Shared = 1'b1,
  parameter bit Stored = 1'b0,
  parameter bit Far    = 1'b0   // a pipeline
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         s_key_valid_i,
  input  logic [127:0] s_key_data_i,
  input  logic [11:0]  s_key_user_i,
  input  logic         s_desc_valid_i,
  input  logic [143:0] s_desc_data_i,
  input  logic         s_data_valid_i,
  input  logic [127:0] s_data_data_i,
  input  logic [15:0]  s_data_keep_i,
  input  logic         s_data_last_i,
  input  logic         m_ready_i,
  output logic         rules_o
);

  function automatic cfg_t the_cfg(logic stored);
    cfg_t cfg;
    cfg = DefaultCfg;
    cfg.dir = stored ? DirBoth : DirEncrypt;
    cfg.key_size = KeySize128;
    cfg.key_sched = stored ? KeysStored : KeysOnTheFly;
    if (Far) cfg.arch = ArchPipelined;
    return cfg;
  endfunction

  logic m_valid, m_last, unused_key_ready, unused_desc_ready, unused_data_ready;
  logic [127:0] m_data;
  logic [15:0] m_keep;
  logic [5:0] m_user;
  logic [3:0] broken;

  aes_engine_xts #(
    .Cfg     (the_cfg(Stored)),
    .Shared  (Shared),
    .TweakCfg(the_cfg(1'b0)),
    .NumSlots(2)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .s_key_tvalid_i (s_key_valid_i),
    .s_key_tready_o (unused_key_ready),
    .s_key_tdata_i  (s_key_data_i),
    .s_key_tuser_i  (s_key_user_i),
    .s_desc_tvalid_i(s_desc_valid_i),
    .s_desc_tready_o(unused_desc_ready),
    .s_desc_tdata_i (s_desc_data_i),
    .s_data_tvalid_i(s_data_valid_i),
    .s_data_tready_o(unused_data_ready),
    .s_data_tdata_i (s_data_data_i),
    .s_data_tkeep_i (s_data_keep_i),
    .s_data_tlast_i (s_data_last_i),
    .m_data_tvalid_o(m_valid),
    .m_data_tready_i(m_ready_i),
    .m_data_tdata_o (m_data),
    .m_data_tkeep_o (m_keep),
    .m_data_tlast_o (m_last),
    .m_data_tuser_o (m_user)
  );

  aes_rules_axi_stream #(
    .DataWidth(128),
    .UserWidth(6)
  ) u_rules (
    .clk_i,
    .rst_ni,
    .revoked_i(1'b0),
    .tvalid_i (m_valid),
    .tready_i (m_ready_i),
    .tdata_i  (m_data),
    // A beat may have no byte: that only the last one of a sector has none is a matter of what comes to
    // the back, or to the queue.
    .tkeep_i  ({m_keep[15:1], m_keep[0] | ~|m_keep}),
    .tlast_i  (m_last),
    .tuser_i  (m_user),
    .broken_o (broken)
  );

  assign rules_o = broken == '0;

endmodule
