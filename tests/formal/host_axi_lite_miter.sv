// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_bus_axi_lite with a master and a device that do what they like, the master within AXI4-Lite
// (fair_o, which a proof takes as given), beside the rules of the bus (aes_rules_axi_lite).
//
//   rules_o    no rule is broken: answers stand, each request has one, none is late
//   words_o    each request reaches the device once, to the whole word that it names, with its data
//              and strobes; its answer brings the device's data and tells whether that refused it
//   related_o  both, and the state of the adapter is the one that belongs to the requests under way
//
// related_o holds after a reset, and where it holds in a clock it holds in the next one: so for ever.

module host_axi_lite_miter #(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned AddrWidth = 14
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [AddrWidth-1:0]   awaddr_i,
  input  logic [2:0]             awprot_i,
  input  logic                   awvalid_i,
  input  logic [DataWidth-1:0]   wdata_i,
  input  logic [DataWidth/8-1:0] wstrb_i,
  input  logic                   wvalid_i,
  input  logic                   bready_i,
  input  logic [AddrWidth-1:0]   araddr_i,
  input  logic [2:0]             arprot_i,
  input  logic                   arvalid_i,
  input  logic                   rready_i,
  input  logic                   w_ready_i,
  input  logic                   w_error_i,
  input  logic                   r_ready_i,
  input  logic [DataWidth-1:0]   r_data_i,
  input  logic                   r_error_i,
  output logic                   fair_o,
  output logic                   rules_o,
  output logic                   words_o,
  output logic                   related_o
);

  localparam logic [AddrWidth-1:0] WordMask = ~AddrWidth'(DataWidth / 8 - 1);

  logic awready, wready, arready, bvalid, rvalid, unfair;
  logic [1:0] bresp, rresp;
  logic [DataWidth-1:0] rdata;
  logic [4:0] broken;

  aes_bus_if #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth)
  ) access ();

  assign {access.w_ready, access.w_error} = {w_ready_i, w_error_i};
  assign {access.r_ready, access.r_error, access.r_data} = {r_ready_i, r_error_i, r_data_i};

  aes_bus_axi_lite #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .s_axi_awaddr_i (awaddr_i),
    .s_axi_awprot_i (awprot_i),
    .s_axi_awvalid_i(awvalid_i),
    .s_axi_awready_o(awready),
    .s_axi_wdata_i  (wdata_i),
    .s_axi_wstrb_i  (wstrb_i),
    .s_axi_wvalid_i (wvalid_i),
    .s_axi_wready_o (wready),
    .s_axi_bresp_o  (bresp),
    .s_axi_bvalid_o (bvalid),
    .s_axi_bready_i (bready_i),
    .s_axi_araddr_i (araddr_i),
    .s_axi_arprot_i (arprot_i),
    .s_axi_arvalid_i(arvalid_i),
    .s_axi_arready_o(arready),
    .s_axi_rdata_o  (rdata),
    .s_axi_rresp_o  (rresp),
    .s_axi_rvalid_o (rvalid),
    .s_axi_rready_i (rready_i),
    .access
  );

  aes_rules_axi_lite #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth),
    .Patience (1)
  ) u_rules (
    .clk_i,
    .rst_ni,
    .w_paused_i    (access.w_valid & ~w_ready_i),
    .r_paused_i    (access.r_valid & ~r_ready_i),
    .awaddr_i,
    .awprot_i,
    .awvalid_i,
    .awready_i     (awready),
    .wdata_i,
    .wstrb_i,
    .wvalid_i,
    .wready_i      (wready),
    .bresp_i       (bresp),
    .bvalid_i      (bvalid),
    .bready_i,
    .araddr_i,
    .arprot_i,
    .arvalid_i,
    .arready_i     (arready),
    .rdata_i       (rdata),
    .rresp_i       (rresp),
    .rvalid_i      (rvalid),
    .rready_i,
    .broken_o      (broken),
    .asker_broken_o(unfair)
  );

  assign fair_o  = ~unfair;
  assign rules_o = broken == '0;

  // The requests under way, and what the device said.
  logic [AddrWidth-1:0] w_addr_q, r_addr_q;
  logic w_failed_q, r_failed_q;
  logic [DataWidth-1:0] r_data_q;
  always_ff @(posedge clk_i) begin
    if (awvalid_i && awready) w_addr_q <= awaddr_i & WordMask;
    if (arvalid_i && arready) r_addr_q <= araddr_i & WordMask;
    if (access.w_valid && w_ready_i) w_failed_q <= w_error_i;
    if (access.r_valid && r_ready_i) {r_failed_q, r_data_q} <= {r_error_i, r_data_i};
  end

  logic aw_open, w_open, ar_open;
  assign aw_open = u_rules.aw_open_q != '0;
  assign w_open  = u_rules.w_open_q != '0;
  assign ar_open = u_rules.ar_open_q != '0;

  always_comb begin
    words_o = access.w_valid == (aw_open && !w_open && wvalid_i) &&
              (wvalid_i && wready) == (access.w_valid && w_ready_i);
    if (access.w_valid &&
        {access.w_addr, access.w_data, access.w_strb} != {w_addr_q, wdata_i, wstrb_i}) begin
      words_o = 1'b0;
    end
    if (bvalid && bresp != {w_failed_q, 1'b0}) words_o = 1'b0;
    if (access.r_valid != (ar_open && !rvalid)) words_o = 1'b0;
    if (access.r_valid && (access.r_addr != r_addr_q || access.r_strb != '1)) words_o = 1'b0;
    if (rvalid && {rresp, rdata} != {r_failed_q, 1'b0, r_data_q}) words_o = 1'b0;
  end

  localparam logic [2:0] Size = 3'($clog2(DataWidth / 8));
  localparam logic [1:0] WriteAddress = 2'd0;
  localparam logic [1:0] WriteData = 2'd1;
  localparam logic [1:0] WriteResponse = 2'd2;

  always_comb begin
    related_o = rules_o && words_o && u_rules.aw_open_q <= 2'd1 && u_rules.w_open_q <= 2'd1 &&
                u_rules.ar_open_q <= 2'd1 && u_rules.w_wait_q == '0;
    case (u_bus.u_axi4.write_q)
      WriteAddress:  if (aw_open || w_open) related_o = 1'b0;
      WriteData:     if (!aw_open || w_open) related_o = 1'b0;
      WriteResponse: if (!aw_open || !w_open) related_o = 1'b0;
      default:       related_o = 1'b0;
    endcase
    if (aw_open && !w_open && (u_bus.u_axi4.w_failed_q || u_bus.u_axi4.wb_q.addr != w_addr_q ||
        u_bus.u_axi4.wb_q.beats != '0 || u_bus.u_axi4.wb_q.size != Size)) begin
      related_o = 1'b0;
    end
    if (ar_open != (u_bus.u_axi4.reading_q || rvalid)) related_o = 1'b0;
    if (u_bus.u_axi4.reading_q && (rvalid || u_bus.u_axi4.rb_q.addr != r_addr_q ||
        u_bus.u_axi4.rb_q.beats != '0 || u_bus.u_axi4.rb_q.size != Size)) begin
      related_o = 1'b0;
    end
    if (u_rules.r_wait_q != '0 && !rvalid) related_o = 1'b0;
  end

endmodule
