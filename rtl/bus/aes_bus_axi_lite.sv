// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// AXI4-Lite (ARM IHI 0022, part B) to a write and a read port that may wait: aes_bus_axi4 with bursts
// of one beat. Three clocks a write, two a read, while the ports are ready.

module aes_bus_axi_lite #(
  parameter int unsigned AddrWidth = 14,
  parameter int unsigned DataWidth = 32
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [AddrWidth-1:0]   s_axi_awaddr_i,
  input  logic [2:0]             s_axi_awprot_i,
  input  logic                   s_axi_awvalid_i,
  output logic                   s_axi_awready_o,
  input  logic [DataWidth-1:0]   s_axi_wdata_i,
  input  logic [DataWidth/8-1:0] s_axi_wstrb_i,
  input  logic                   s_axi_wvalid_i,
  output logic                   s_axi_wready_o,
  output logic [1:0]             s_axi_bresp_o,
  output logic                   s_axi_bvalid_o,
  input  logic                   s_axi_bready_i,

  input  logic [AddrWidth-1:0]   s_axi_araddr_i,
  input  logic [2:0]             s_axi_arprot_i,
  input  logic                   s_axi_arvalid_i,
  output logic                   s_axi_arready_o,
  output logic [DataWidth-1:0]   s_axi_rdata_o,
  output logic [1:0]             s_axi_rresp_o,
  output logic                   s_axi_rvalid_o,
  input  logic                   s_axi_rready_i,

  aes_bus_if.bus access
);

  localparam int unsigned LaneBits = $clog2(DataWidth / 8);

  // An access is always to a whole word; strobes choose the bytes of a write.
  localparam logic [2:0] Size = 3'(LaneBits);
  localparam logic [1:0] BurstIncr = 2'b01;
  localparam logic [AddrWidth-1:0] WordMask = ~AddrWidth'(DataWidth / 8 - 1);

  logic unused_bid, unused_rid, unused_rlast, unused_prot;
  assign unused_prot = ^{s_axi_awprot_i, s_axi_arprot_i};

  aes_bus_axi4 #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth),
    .IdWidth  (1)
  ) u_axi4 (
    .clk_i,
    .rst_ni,
    .s_axi_awid_i   (1'b0),
    .s_axi_awaddr_i (s_axi_awaddr_i & WordMask),
    .s_axi_awlen_i  (8'd0),
    .s_axi_awsize_i (Size),
    .s_axi_awburst_i(BurstIncr),
    .s_axi_awvalid_i,
    .s_axi_awready_o,
    .s_axi_wdata_i,
    .s_axi_wstrb_i,
    .s_axi_wlast_i  (1'b1),
    .s_axi_wvalid_i,
    .s_axi_wready_o,
    .s_axi_bid_o    (unused_bid),
    .s_axi_bresp_o,
    .s_axi_bvalid_o,
    .s_axi_bready_i,
    .s_axi_arid_i   (1'b0),
    .s_axi_araddr_i (s_axi_araddr_i & WordMask),
    .s_axi_arlen_i  (8'd0),
    .s_axi_arsize_i (Size),
    .s_axi_arburst_i(BurstIncr),
    .s_axi_arvalid_i,
    .s_axi_arready_o,
    .s_axi_rid_o    (unused_rid),
    .s_axi_rdata_o,
    .s_axi_rresp_o,
    .s_axi_rlast_o  (unused_rlast),
    .s_axi_rvalid_o,
    .s_axi_rready_i,
    .access
  );

endmodule
