// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The host system on AXI4-Lite, 32 bit: aes_bus_axi_lite in front of aes_host_window.
//
// For processors of the microcontroller class. A block is four writes and four reads of 32 bit.

module aes_host_axi_lite
  import aes_pkg::*;
  import aes_host_pkg::AddrWidth;
#(
  parameter cfg_t        Cfg       = DefaultCfg,
  parameter int unsigned Depth     = 512,         // blocks in each buffer, a power of two
  parameter bit          Guarded   = 1'b1,        // see aes_host_buffer
  parameter int unsigned DataWidth = 32           // 32 or 64
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
  output logic                   irq_o
);

  aes_bus_if #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth)
  ) access ();

  aes_bus_axi_lite #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .s_axi_awaddr_i,
    .s_axi_awprot_i,
    .s_axi_awvalid_i,
    .s_axi_awready_o,
    .s_axi_wdata_i,
    .s_axi_wstrb_i,
    .s_axi_wvalid_i,
    .s_axi_wready_o,
    .s_axi_bresp_o,
    .s_axi_bvalid_o,
    .s_axi_bready_i,
    .s_axi_araddr_i,
    .s_axi_arprot_i,
    .s_axi_arvalid_i,
    .s_axi_arready_o,
    .s_axi_rdata_o,
    .s_axi_rresp_o,
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
