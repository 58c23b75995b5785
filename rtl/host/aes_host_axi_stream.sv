// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The host system for DMA engines: blocks by AXI4-Stream (ARM IHI 0051), registers by AXI4-Lite.
//
// A beat is a block, byte 0 in the lowest bits as everywhere on AXI; tlast comes out with the block
// it went in with. All bytes of a beat count: there is no tkeep. A core never stalls, so behind the
// input stream stands a count of the places that the output buffer still has, and the input waits
// when the buffers are full. An engine that wants to know beforehand reads the credits: blocks that
// will be taken without waiting (in_credit_o) and blocks that can be taken (out_level_o).
//
// While the device erases, its streams stand still, and a block that was offered is offered no more:
// that is the one case in which out_valid falls without a transfer.

module aes_host_axi_stream
  import aes_pkg::*;
  import aes_host_pkg::AddrWidth;
#(
  parameter cfg_t        Cfg       = DefaultCfg,
  parameter int unsigned Depth     = 512,         // blocks in each buffer, a power of two
  parameter bit          Guarded   = 1'b1,        // see aes_host_buffer
  parameter int unsigned DataWidth = 32           // of the registers: 32 or 64
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
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,
  input  logic [127:0]           s_axis_tdata_i,
  input  logic                   s_axis_tlast_i,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,
  output logic [127:0]           m_axis_tdata_o,
  output logic                   m_axis_tlast_o,
  output logic [$clog2(Depth):0] in_credit_o,  // blocks that go in without waiting
  output logic [$clog2(Depth):0] out_level_o,  // blocks that can be taken
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

  logic [$clog2(Depth):0] in_level;
  block_t in_block, out_block;

  // Byte 0 of a block is at its top, byte 0 of a beat in its lowest bits.
  always_comb begin
    for (int unsigned n = 0; n < 16; n++) begin
      in_block[8*(15-n)+:8]    = s_axis_tdata_i[8*n+:8];
      m_axis_tdata_o[8*n+:8] = get_byte(out_block, n);
    end
  end

  assign in_credit_o = s_axis_tready_o ? ($clog2(Depth) + 1)'(Depth) - in_level : '0;

  aes_host_system #(
    .Cfg      (Cfg),
    .Depth    (Depth),
    .Guarded  (Guarded),
    .DataWidth(DataWidth),
    .CanWait  (1'b1),
    .Stream   (1'b1)
  ) u_system (
    .clk_i,
    .rst_ni,
    .access,
    .in_valid_i (s_axis_tvalid_i),
    .in_ready_o (s_axis_tready_o),
    .in_block_i (in_block),
    .in_last_i  (s_axis_tlast_i),
    .out_valid_o(m_axis_tvalid_o),
    .out_ready_i(m_axis_tready_i),
    .out_block_o(out_block),
    .out_last_o (m_axis_tlast_o),
    .in_level_o (in_level),
    .out_level_o,
    .irq_o
  );

endmodule
