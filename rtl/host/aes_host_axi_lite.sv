// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The host system on AXI4-Lite, 32 bit: aes_bus_axi_lite in front of aes_host_system.
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

  logic w_valid, w_ready, w_error, r_valid, r_ready, r_error;
  logic [AddrWidth-1:0] w_addr, r_addr;
  logic [DataWidth-1:0] w_data, r_data;
  logic [DataWidth/8-1:0] w_strb, r_strb;

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
    .w_valid_o(w_valid),
    .w_ready_i(w_ready),
    .w_addr_o (w_addr),
    .w_data_o (w_data),
    .w_strb_o (w_strb),
    .w_error_i(w_error),
    .r_valid_o(r_valid),
    .r_ready_i(r_ready),
    .r_addr_o (r_addr),
    .r_strb_o (r_strb),
    .r_data_i (r_data),
    .r_error_i(r_error)
  );

  logic unused_in_ready, unused_out_valid, unused_out_last;
  logic [$clog2(Depth):0] unused_in_level, unused_out_level;
  block_t unused_out_block;

  aes_host_system #(
    .Cfg      (Cfg),
    .Depth    (Depth),
    .Guarded  (Guarded),
    .DataWidth(DataWidth),
    .CanWait  (1'b1),
    .Stream   (1'b0)
  ) u_system (
    .clk_i,
    .rst_ni,
    .w_valid_i  (w_valid),
    .w_ready_o  (w_ready),
    .w_addr_i   (w_addr),
    .w_data_i   (w_data),
    .w_strb_i   (w_strb),
    .w_error_o  (w_error),
    .r_valid_i  (r_valid),
    .r_ready_o  (r_ready),
    .r_addr_i   (r_addr),
    .r_strb_i   (r_strb),
    .r_data_o   (r_data),
    .r_error_o  (r_error),
    .in_valid_i (1'b0),
    .in_ready_o (unused_in_ready),
    .in_block_i ('0),
    .in_last_i  (1'b0),
    .out_valid_o(unused_out_valid),
    .out_ready_i(1'b0),
    .out_block_o(unused_out_block),
    .out_last_o (unused_out_last),
    .in_level_o (unused_in_level),
    .out_level_o(unused_out_level),
    .irq_o
  );

endmodule
