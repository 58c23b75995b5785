// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_soc_bridge between a processor and a device that do what they like: the processor holds its access
// until it is answered, the device is within AXI4-Lite (fair_o, which a proof takes as given).
//
//   asks_o     what the bridge offers stands until it is taken (aes_rules_axi_lite)
//   once_o     each access becomes one request and is ready with its answer, with the data and the error
//              of that; nothing is offered without an access
//   related_o  both, and the bridge knows what of its request is taken
//
// related_o holds after a reset, and where it holds in a clock it holds in the next one: so for ever.

module soc_bridge_miter (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  input  logic [13:0] addr_i,
  input  logic [3:0]  write_i,
  input  logic [31:0] data_i,
  input  logic        awready_i,
  input  logic        wready_i,
  input  logic [1:0]  bresp_i,
  input  logic        bvalid_i,
  input  logic        arready_i,
  input  logic [31:0] rdata_i,
  input  logic [1:0]  rresp_i,
  input  logic        rvalid_i,
  output logic        fair_o,
  output logic        asks_o,
  output logic        once_o,
  output logic        related_o
);

  logic ready, error, awvalid, wvalid, bready, arvalid, rready, unfair;
  logic [31:0] data, wdata;
  logic [13:0] awaddr, araddr;
  logic [2:0] awprot, arprot;
  logic [3:0] wstrb;
  logic [4:0] broken;

  aes_soc_bridge u_bridge (
    .clk_i,
    .rst_ni,
    .valid_i,
    .ready_o        (ready),
    .addr_i,
    .write_i,
    .data_i,
    .data_o         (data),
    .error_o        (error),
    .m_axi_awaddr_o (awaddr),
    .m_axi_awprot_o (awprot),
    .m_axi_awvalid_o(awvalid),
    .m_axi_awready_i(awready_i),
    .m_axi_wdata_o  (wdata),
    .m_axi_wstrb_o  (wstrb),
    .m_axi_wvalid_o (wvalid),
    .m_axi_wready_i (wready_i),
    .m_axi_bresp_i  (bresp_i),
    .m_axi_bvalid_i (bvalid_i),
    .m_axi_bready_o (bready),
    .m_axi_araddr_o (araddr),
    .m_axi_arprot_o (arprot),
    .m_axi_arvalid_o(arvalid),
    .m_axi_arready_i(arready_i),
    .m_axi_rdata_i  (rdata_i),
    .m_axi_rresp_i  (rresp_i),
    .m_axi_rvalid_i (rvalid_i),
    .m_axi_rready_o (rready)
  );

  aes_rules_axi_lite u_rules (
    .clk_i,
    .rst_ni,
    .w_paused_i    (1'b0),
    .r_paused_i    (1'b0),
    .awaddr_i      (awaddr),
    .awprot_i      (awprot),
    .awvalid_i     (awvalid),
    .awready_i,
    .wdata_i       (wdata),
    .wstrb_i       (wstrb),
    .wvalid_i      (wvalid),
    .wready_i,
    .bresp_i,
    .bvalid_i,
    .bready_i      (bready),
    .araddr_i      (araddr),
    .arprot_i      (arprot),
    .arvalid_i     (arvalid),
    .arready_i,
    .rdata_i,
    .rresp_i,
    .rvalid_i,
    .rready_i      (rready),
    .broken_o      (broken),
    .asker_broken_o(unfair)
  );

  // The processor's access of the last clock, where it was not answered.
  logic waits_q, is_write;
  logic [49:0] access_q;
  assign is_write = write_i != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waits_q <= 1'b0;
    else waits_q <= valid_i & ~ready;
  end
  always_ff @(posedge clk_i) access_q <= {addr_i, write_i, data_i};

  assign fair_o = broken == '0 && rst_ni >= valid_i &&
                  (!waits_q || (valid_i && access_q == {addr_i, write_i, data_i}));

  logic aw_open, w_open, ar_open;
  assign aw_open = u_rules.aw_open_q != '0;
  assign w_open  = u_rules.w_open_q != '0;
  assign ar_open = u_rules.ar_open_q != '0;

  assign asks_o = ~unfair;
  assign once_o = awvalid == (valid_i && is_write && !aw_open) &&
                  wvalid == (valid_i && is_write && !w_open) &&
                  arvalid == (valid_i && !is_write && !ar_open) &&
                  ready == (is_write ? bvalid_i : rvalid_i) && (!ready || valid_i) &&
                  {awaddr, araddr, wdata, wstrb} == {addr_i, addr_i, data_i, write_i} &&
                  (!ready || error == ((is_write ? bresp_i : rresp_i) != '0)) &&
                  (!ready || is_write || data == rdata_i);
  assign related_o = asks_o && once_o && u_rules.aw_open_q <= 2'd1 && u_rules.w_open_q <= 2'd1 &&
                     u_rules.ar_open_q <= 2'd1 && u_bridge.aw_taken_q == aw_open &&
                     u_bridge.w_taken_q == w_open && u_bridge.ar_taken_q == ar_open &&
                     (!(aw_open || w_open) || (valid_i && is_write)) &&
                     (!ar_open || (valid_i && !is_write)) &&
                     (waits_q || !(aw_open || w_open || ar_open || u_rules.aw_held_q ||
                                   u_rules.w_held_q || u_rules.ar_held_q));

endmodule
