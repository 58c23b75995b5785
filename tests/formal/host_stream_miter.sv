// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_host_axi_stream with masters that do what they like, around a core that does what it likes within
// its contract (stub/aes_core.sv).
//
//   rules_o    a beat that is offered stands until it is taken (aes_rules_axi_stream), but for the
//              command to erase
//   still_o    while the device erases, both streams stand still
//   marks_o    each block that is offered has its mark: as many marks as blocks are in the device, and
//              both leave in the order in which they came (host_miter, host_buffer_miter)
//   bytes_o    byte 0 of a block is in the lowest bits of its beat; the mark is that of the beat
//   related_o  all of them, and the levels of the three buffers, of the core and of the free places
//              belong together
//
// related_o holds after a reset, and where it holds in a clock it holds in the next one: so for ever.

module host_stream_miter
  import aes_pkg::*;
#(
  parameter bit OnTheFly = 1'b0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [13:0]  awaddr_i,
  input  logic         awvalid_i,
  input  logic [31:0]  wdata_i,
  input  logic [3:0]   wstrb_i,
  input  logic         wvalid_i,
  input  logic         bready_i,
  input  logic         s_valid_i,
  input  logic [127:0] s_data_i,
  input  logic         s_last_i,
  input  logic         m_ready_i,
  output logic         rules_o,
  output logic         still_o,
  output logic         marks_o,
  output logic         bytes_o,
  output logic         related_o
);

  localparam int unsigned Depth = 2;

  function automatic cfg_t the_cfg();
    cfg_t cfg;
    cfg = DefaultCfg;
    if (OnTheFly) cfg.key_sched = KeysOnTheFly;
    return cfg;
  endfunction

  logic s_ready, m_valid, m_last, unused_awready, unused_wready, unused_bvalid, unused_arready;
  logic unused_rvalid, unused_irq;
  logic [127:0] m_data;
  logic [1:0] credit, out_level, unused_bresp, unused_rresp;
  logic [31:0] unused_rdata;

  aes_host_axi_stream #(
    .Cfg  (the_cfg()),
    .Depth(Depth)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .s_axi_awaddr_i (awaddr_i),
    .s_axi_awprot_i ('0),
    .s_axi_awvalid_i(awvalid_i),
    .s_axi_awready_o(unused_awready),
    .s_axi_wdata_i  (wdata_i),
    .s_axi_wstrb_i  (wstrb_i),
    .s_axi_wvalid_i (wvalid_i),
    .s_axi_wready_o (unused_wready),
    .s_axi_bresp_o  (unused_bresp),
    .s_axi_bvalid_o (unused_bvalid),
    .s_axi_bready_i (bready_i),
    .s_axi_araddr_i ('0),
    .s_axi_arprot_i ('0),
    .s_axi_arvalid_i(1'b0),
    .s_axi_arready_o(unused_arready),
    .s_axi_rdata_o  (unused_rdata),
    .s_axi_rresp_o  (unused_rresp),
    .s_axi_rvalid_o (unused_rvalid),
    .s_axi_rready_i (1'b0),
    .s_axis_tvalid_i(s_valid_i),
    .s_axis_tready_o(s_ready),
    .s_axis_tdata_i (s_data_i),
    .s_axis_tlast_i (s_last_i),
    .m_axis_tvalid_o(m_valid),
    .m_axis_tready_i(m_ready_i),
    .m_axis_tdata_o (m_data),
    .m_axis_tlast_o (m_last),
    .in_credit_o    (credit),
    .out_level_o    (out_level),
    .irq_o          (unused_irq)
  );

  logic erasing, erase;
  logic [3:0] broken;
  assign erasing = u_dut.u_system.erasing;
  assign erase   = u_dut.u_system.erase;

  aes_rules_axi_stream #(
    .DataWidth(128)
  ) u_rules (
    .clk_i,
    .rst_ni,
    .revoked_i(erase),
    .tvalid_i (m_valid),
    .tready_i (m_ready_i),
    .tdata_i  (m_data),
    .tkeep_i  ('1),
    .tlast_i  (m_last),
    .tuser_i  (1'b0),
    .broken_o (broken)
  );

  assign rules_o = broken == '0;
  assign still_o = !(erasing && (m_valid || s_ready)) && (credit != '0 || !s_ready);
  assign marks_o = !m_valid || u_dut.u_system.gen_stream.last_valid;

  always_comb begin
    bytes_o = u_dut.u_system.gen_stream.u_last.data_i == s_last_i &&
              u_dut.u_system.gen_stream.u_last.data_o == m_last;
    for (int unsigned n = 0; n < 16; n++) begin
      if (u_dut.in_block[8*(15-n)+:8] != s_data_i[8*n+:8]) bytes_o = 1'b0;
      if (u_dut.out_block[8*(15-n)+:8] != m_data[8*n+:8]) bytes_o = 1'b0;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // States that belong together
  ///////////////////////////////////////////////////////////////////////////

  localparam logic [2:0] StWipe = 3'd0;
  localparam logic [2:0] StFlush = 3'd1;
  localparam logic [2:0] StRun = 3'd2;
  localparam logic [2:0] StKeyWait = 3'd4;

  // An entry can be read in the second clock after it was written.
  logic in_fresh_q, out_fresh_q, last_fresh_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {in_fresh_q, out_fresh_q, last_fresh_q} <= '0;
    end else begin
      in_fresh_q   <= u_dut.u_system.u_host.u_in.write;
      out_fresh_q  <= u_dut.u_system.u_host.u_out.write;
      last_fresh_q <= u_dut.u_system.gen_stream.u_last.write;
    end
  end

  logic [1:0] in_level;
  logic [3:0] last_level, flight;
  logic in_right, out_right, last_right;
  assign in_level   = u_dut.in_level;
  assign last_level = u_dut.u_system.gen_stream.u_last.level_o;
  assign flight     = 4'(u_dut.u_system.u_host.flight_q);

  assign in_right = in_level <= 2'd2 && !(in_fresh_q && in_level == '0) &&
      u_dut.u_system.u_host.u_in.write_ptr_q ==
      u_dut.u_system.u_host.u_in.read_ptr_q + 1'(in_level) &&
      u_dut.u_system.u_host.u_in.valid_q == (in_level != 2'(in_fresh_q));
  assign out_right = out_level <= 2'd2 && !(out_fresh_q && out_level == '0) &&
      u_dut.u_system.u_host.u_out.write_ptr_q ==
      u_dut.u_system.u_host.u_out.read_ptr_q + 1'(out_level) &&
      u_dut.u_system.u_host.u_out.valid_q == (out_level != 2'(out_fresh_q)) &&
      (!u_dut.u_system.u_host.u_out.valid_q || u_dut.u_system.u_host.u_out.data_q ==
       u_dut.u_system.u_host.u_out.mem[u_dut.u_system.u_host.u_out.read_ptr_q]);
  assign last_right = last_level <= 4'd8 && !(last_fresh_q && last_level == '0) &&
      u_dut.u_system.gen_stream.u_last.write_ptr_q ==
      u_dut.u_system.gen_stream.u_last.read_ptr_q + 3'(last_level) &&
      u_dut.u_system.gen_stream.u_last.valid_q == (last_level != 4'(last_fresh_q)) &&
      (!u_dut.u_system.gen_stream.u_last.valid_q || u_dut.u_system.gen_stream.u_last.data_q ==
       u_dut.u_system.gen_stream.u_last.mem[u_dut.u_system.gen_stream.u_last.read_ptr_q]);

  logic [2:0] state;
  logic begun, swept, sweeping, empty, runs;
  logic [3:0] room;
  assign state    = u_dut.u_system.u_host.state_q;
  assign sweeping = u_dut.u_system.u_host.erasing;
  assign runs     = u_dut.u_system.u_host.core_runs_q;
  assign room     = 4'(u_dut.u_system.u_host.gen_guarded.room_q);
  assign begun    = u_dut.u_system.u_host.wipe_q == 2'(Depth + 1);
  assign swept    = state == StFlush || (state == StWipe && !begun);
  assign empty = in_level == '0 && out_level == '0 && last_level == '0 && !in_fresh_q &&
                 !out_fresh_q && !last_fresh_q && room == 4'(Depth) &&
                 !u_dut.u_system.u_host.waiting_q;

  always_comb begin
    related_o = rules_o && still_o && marks_o && bytes_o && in_right && out_right && last_right &&
                state <= StKeyWait && runs == u_dut.u_system.u_host.core_rst_nq &&
                flight == 4'(u_dut.u_system.u_host.u_core.valid_q) +
                          4'(u_dut.u_system.u_host.u_core.out_valid_q);
    // The core is in reset for a clock after that of the device, and two by command.
    if (u_dut.u_system.u_host.reset_q && (runs || !begun || state != StWipe)) related_o = 1'b0;
    if (!runs && !(state == StWipe && (begun || u_dut.u_system.u_host.wipe_q == 2'(Depth)))) begin
      related_o = 1'b0;
    end
    if (swept && !empty) related_o = 1'b0;
    // The first clock after an erasure sets its counters anew.
    if (!sweeping && !begun && !(state == StRun && !u_dut.u_system.u_host.waiting_q)) begin
      related_o = 1'b0;
    end
    if (u_dut.u_system.u_host.erase_q && sweeping) related_o = 1'b0;
    if (!sweeping && room + 4'(out_level) + flight != 4'(Depth)) related_o = 1'b0;
    if (!erasing && (last_level != 4'(in_level) + flight + 4'(out_level) ||
                     last_fresh_q != in_fresh_q)) begin
      related_o = 1'b0;
    end
  end

endmodule
