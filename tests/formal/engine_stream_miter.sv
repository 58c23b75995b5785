// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The results of an engine around a core that does what it likes within its contract (stub/aes_core.sv),
// beside the rules of their stream (aes_rules_axi_stream). rules_o: none is broken, whatever comes to the
// engine, in any state. Where packets are held (ReleaseDepth), a beat that waits is one of a RAM; related_o
// says besides that the counters of it belong together and that beat is the one of its place. It holds
// after a reset, and where it holds in a clock it holds in the next one.

module engine_stream_miter
  import aes_pkg::*;
  import engine_release_pkg::is_release_state;
#(
  parameter bit          Gcm          = 1'b1,
  parameter int unsigned Digit        = 8,
  parameter bit          Far          = 1'b0,  // a pipeline whose keys travel with its blocks
  parameter int unsigned ReleaseDepth = 0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         s_key_valid_i,
  input  logic [127:0] s_key_data_i,
  input  logic [11:0]  s_key_user_i,
  input  logic         s_desc_valid_i,
  input  logic [159:0] s_desc_data_i,
  input  logic         s_data_valid_i,
  input  logic [127:0] s_data_data_i,
  input  logic [15:0]  s_data_keep_i,
  input  logic         s_data_last_i,
  input  logic [1:0]   s_data_user_i,
  input  logic         m_ready_i,
  output logic         related_o,
  output logic         rules_o
);

  function automatic cfg_t the_cfg();
    cfg_t cfg;
    cfg = DefaultCfg;
    cfg.dir = DirEncrypt;
    cfg.key_size = KeySize128;
    if (Far) cfg.arch = ArchPipelined;
    if (Far) cfg.key_sched = KeysOnTheFly;
    return cfg;
  endfunction

  logic m_valid, m_last, unused_key_ready, unused_desc_ready, unused_data_ready;
  logic [127:0] m_data;
  logic [15:0] m_keep;
  logic [5:0] m_user;
  logic [3:0] broken;

  aes_engine #(
    .Cfg         (the_cfg()),
    .Gcm         (Gcm),
    .Digit       (Digit),
    .NumSlots    (2),
    .ReleaseDepth(ReleaseDepth)
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
    .s_data_tuser_i (s_data_user_i),
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
    .tkeep_i  (m_keep),
    .tlast_i  (m_last),
    .tuser_i  (m_user),
    .broken_o (broken)
  );

  assign rules_o = broken == '0;

  if (ReleaseDepth > 0) begin : gen_verified
    localparam int unsigned PtrWidth = $clog2(ReleaseDepth);
    logic [PtrWidth:0] released, held, used;
    assign released = u_engine.u_output.gen_verified.u_release.released_q -
                      u_engine.u_output.gen_verified.u_release.read_q;
    assign held = u_engine.u_output.gen_verified.u_release.write_q -
                  u_engine.u_output.gen_verified.u_release.released_q;
    assign used = u_engine.u_output.gen_verified.u_release.write_q -
                  u_engine.u_output.gen_verified.u_release.read_q;
    assign related_o = rules_o && is_release_state(
        ReleaseDepth, 32'(released), 32'(held), 32'(used), m_valid
    ) && (!m_valid || u_engine.u_output.gen_verified.u_release.word_q ==
          u_engine.u_output.gen_verified.u_release.mem[
              u_engine.u_output.gen_verified.u_release.read_q[PtrWidth-1:0]]);
  end else begin : gen_stream
    assign related_o = rules_o;
  end

endmodule
