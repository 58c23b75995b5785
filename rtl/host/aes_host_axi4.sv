// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The host system on AXI4, data of 64 or 128 bit: aes_bus_axi4 in front of aes_host_window.
//
// Copies of any length into and out of the data window become bursts; a block takes two beats of 64
// bit or one of 128.

module aes_host_axi4
  import aes_pkg::*;
  import aes_host_pkg::AddrWidth;
#(
  parameter cfg_t        Cfg       = DefaultCfg,
  parameter int unsigned Depth     = 512,         // blocks in each buffer, a power of two
  parameter bit          Guarded   = 1'b1,        // see aes_host_buffer
  parameter int unsigned DataWidth = 64,          // 32, 64 or 128
  parameter int unsigned IdWidth   = 4
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [IdWidth-1:0]     s_axi_awid_i,
  input  logic [AddrWidth-1:0]   s_axi_awaddr_i,
  input  logic [7:0]             s_axi_awlen_i,
  input  logic [2:0]             s_axi_awsize_i,
  input  logic [1:0]             s_axi_awburst_i,
  input  logic                   s_axi_awvalid_i,
  output logic                   s_axi_awready_o,
  input  logic [DataWidth-1:0]   s_axi_wdata_i,
  input  logic [DataWidth/8-1:0] s_axi_wstrb_i,
  input  logic                   s_axi_wlast_i,
  input  logic                   s_axi_wvalid_i,
  output logic                   s_axi_wready_o,
  output logic [IdWidth-1:0]     s_axi_bid_o,
  output logic [1:0]             s_axi_bresp_o,
  output logic                   s_axi_bvalid_o,
  input  logic                   s_axi_bready_i,
  input  logic [IdWidth-1:0]     s_axi_arid_i,
  input  logic [AddrWidth-1:0]   s_axi_araddr_i,
  input  logic [7:0]             s_axi_arlen_i,
  input  logic [2:0]             s_axi_arsize_i,
  input  logic [1:0]             s_axi_arburst_i,
  input  logic                   s_axi_arvalid_i,
  output logic                   s_axi_arready_o,
  output logic [IdWidth-1:0]     s_axi_rid_o,
  output logic [DataWidth-1:0]   s_axi_rdata_o,
  output logic [1:0]             s_axi_rresp_o,
  output logic                   s_axi_rlast_o,
  output logic                   s_axi_rvalid_o,
  input  logic                   s_axi_rready_i,
  output logic                   irq_o
);

  aes_bus_if #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth)
  ) access ();

  aes_bus_axi4 #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth),
    .IdWidth  (IdWidth)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .s_axi_awid_i,
    .s_axi_awaddr_i,
    .s_axi_awlen_i,
    .s_axi_awsize_i,
    .s_axi_awburst_i,
    .s_axi_awvalid_i,
    .s_axi_awready_o,
    .s_axi_wdata_i,
    .s_axi_wstrb_i,
    .s_axi_wlast_i,
    .s_axi_wvalid_i,
    .s_axi_wready_o,
    .s_axi_bid_o,
    .s_axi_bresp_o,
    .s_axi_bvalid_o,
    .s_axi_bready_i,
    .s_axi_arid_i,
    .s_axi_araddr_i,
    .s_axi_arlen_i,
    .s_axi_arsize_i,
    .s_axi_arburst_i,
    .s_axi_arvalid_i,
    .s_axi_arready_o,
    .s_axi_rid_o,
    .s_axi_rdata_o,
    .s_axi_rresp_o,
    .s_axi_rlast_o,
    .s_axi_rvalid_o,
    .s_axi_rready_i,
    .access
  );

  aes_host_window #(
    .Cfg      (Cfg),
    .Depth    (Depth),
    .Guarded  (Guarded),
    .DataWidth(DataWidth),
    .CanWait  (1'b1)
  ) u_window (
    .clk_i,
    .rst_ni,
    .access,
    .irq_o
  );

endmodule
