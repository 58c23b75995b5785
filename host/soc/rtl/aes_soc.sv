// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A small system on a chip in which a program drives an AES core: the bench for the C library.
//
//                       +--[ RAM ]--( port b )--[ DMA engine ]==( streams of blocks )==+
//   [ processor ]--+----+                           |                                  |
//   PicoRV32       |    +--[ control ]--------------+                                  |
//   32 bit         +--[ bridge ]--( AXI4-Lite )--[ aes_host: data window ]             |
//                  +--[ bridge ]--( AXI4-Lite )--[ aes_host: stream ports ]============+
//
// Two devices with the same core: one whose blocks the processor copies, one whose blocks the DMA
// engine moves. Address map, by the upper bits:
//
//   0x0000_0000  RAM: program and data, no wait states
//   0x1000_0000  device with a data window (docs/registers.md)
//   0x2000_0000  device with stream ports
//   0x3000_0000  DMA engine (aes_soc_dma)
//   0x4000_0000  control (aes_soc_control)
//
// Other addresses read as zero. aes_soc_processor says how long an access takes. Interrupts: 3 is that
// of the device with a data window, 4 that of the one with stream ports.

module aes_soc
  import aes_pkg::*;
#(
  parameter cfg_t        Cfg         = DefaultCfg,
  parameter int unsigned Depth       = 512,         // blocks in each buffer, a power of two
  parameter int unsigned RamWords    = 65536,       // a power of two
  parameter int unsigned ClocksPerUs = 100
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        console_valid_o,
  output logic [7:0]  console_data_o,
  output logic        exit_valid_o,     // stays
  output logic [31:0] exit_status_o,
  output logic        trap_o            // stays
);

  localparam int unsigned RamBits = $clog2(RamWords);
  localparam int unsigned AddrWidth = aes_host_pkg::AddrWidth;

  typedef enum logic [3:0] {
    AtWindow = 4'h1,
    AtStream = 4'h2,
    AtDma    = 4'h3
  } at_e;

  ///////////////////////////////////////////////////////////////////////////
  // Processor and DMA engine
  ///////////////////////////////////////////////////////////////////////////

  logic valid, ready;
  logic [31:0] addr, wdata, rdata;
  logic [3:0] wstrb;
  logic at_window, at_stream, at_dma;
  logic window_ready, window_error, stream_ready, stream_error;
  logic [31:0] window_rdata, stream_rdata, dma_rdata;
  logic w_irq, s_irq;

  assign at_window = valid & (addr[31:28] == AtWindow);
  assign at_stream = valid & (addr[31:28] == AtStream);
  assign at_dma    = valid & (addr[31:28] == AtDma);

  always_comb begin
    ready = valid;
    case (addr[31:28])
      AtWindow: begin
        rdata = window_rdata;
        ready = window_ready;
      end
      AtStream: begin
        rdata = stream_rdata;
        ready = stream_ready;
      end
      AtDma:   rdata = dma_rdata;
      default: rdata = '0;
    endcase
  end

  logic unused_addr;
  assign unused_addr = ^addr[27:AddrWidth];

  logic dma_read, dma_write;
  logic [RamBits-1:0] dma_addr;
  logic [31:0] dma_wdata, dma_ram_rdata;
  logic in_valid, in_ready, in_last, out_valid, out_ready, out_last;
  logic [127:0] in_data, out_data;

  aes_soc_processor #(
    .RamWords   (RamWords),
    .ClocksPerUs(ClocksPerUs)
  ) u_processor (
    .clk_i,
    .rst_ni,
    .device_valid_o(valid),
    .device_addr_o (addr),
    .device_write_o(wstrb),
    .device_data_o (wdata),
    .device_ready_i(ready),
    .device_data_i (rdata),
    .bus_waiting_i (at_window | at_stream),
    .bus_error_i   (window_error | stream_error),
    .irq_i         ({27'h0, s_irq, w_irq, 3'h0}),
    .ram_read_i    (dma_read),
    .ram_write_i   ({4{dma_write}}),
    .ram_addr_i    (dma_addr),
    .ram_data_i    (dma_wdata),
    .ram_data_o    (dma_ram_rdata),
    .console_valid_o,
    .console_data_o,
    .exit_valid_o,
    .exit_status_o,
    .trap_o
  );

  aes_soc_dma #(
    .RamBits(RamBits)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .valid_i        (at_dma),
    .addr_i         (addr[3:2]),
    .write_i        (|wstrb),
    .data_i         (wdata),
    .data_o         (dma_rdata),
    .ram_read_o     (dma_read),
    .ram_write_o    (dma_write),
    .ram_addr_o     (dma_addr),
    .ram_data_o     (dma_wdata),
    .ram_data_i     (dma_ram_rdata),
    .m_axis_tvalid_o(in_valid),
    .m_axis_tready_i(in_ready),
    .m_axis_tdata_o (in_data),
    .m_axis_tlast_o (in_last),
    .s_axis_tvalid_i(out_valid),
    .s_axis_tready_o(out_ready),
    .s_axis_tdata_i (out_data),
    .s_axis_tlast_i (out_last)
  );

  ///////////////////////////////////////////////////////////////////////////
  // The device with a data window
  ///////////////////////////////////////////////////////////////////////////

  logic [AddrWidth-1:0] w_awaddr, w_araddr;
  logic [2:0] w_awprot, w_arprot;
  logic w_awvalid, w_awready, w_wvalid, w_wready, w_bvalid, w_bready;
  logic w_arvalid, w_arready, w_rvalid, w_rready;
  logic [31:0] w_wdata, w_rdata;
  logic [3:0] w_wstrb;
  logic [1:0] w_bresp, w_rresp;

  aes_soc_bridge #(
    .AddrWidth(AddrWidth)
  ) u_window_bridge (
    .clk_i,
    .rst_ni,
    .valid_i        (at_window),
    .ready_o        (window_ready),
    .addr_i         (addr[AddrWidth-1:0]),
    .write_i        (wstrb),
    .data_i         (wdata),
    .data_o         (window_rdata),
    .error_o        (window_error),
    .m_axi_awaddr_o (w_awaddr),
    .m_axi_awprot_o (w_awprot),
    .m_axi_awvalid_o(w_awvalid),
    .m_axi_awready_i(w_awready),
    .m_axi_wdata_o  (w_wdata),
    .m_axi_wstrb_o  (w_wstrb),
    .m_axi_wvalid_o (w_wvalid),
    .m_axi_wready_i (w_wready),
    .m_axi_bresp_i  (w_bresp),
    .m_axi_bvalid_i (w_bvalid),
    .m_axi_bready_o (w_bready),
    .m_axi_araddr_o (w_araddr),
    .m_axi_arprot_o (w_arprot),
    .m_axi_arvalid_o(w_arvalid),
    .m_axi_arready_i(w_arready),
    .m_axi_rdata_i  (w_rdata),
    .m_axi_rresp_i  (w_rresp),
    .m_axi_rvalid_i (w_rvalid),
    .m_axi_rready_o (w_rready)
  );

  aes_host_axi_lite #(
    .Cfg  (Cfg),
    .Depth(Depth)
  ) u_window (
    .clk_i,
    .rst_ni,
    .s_axi_awaddr_i (w_awaddr),
    .s_axi_awprot_i (w_awprot),
    .s_axi_awvalid_i(w_awvalid),
    .s_axi_awready_o(w_awready),
    .s_axi_wdata_i  (w_wdata),
    .s_axi_wstrb_i  (w_wstrb),
    .s_axi_wvalid_i (w_wvalid),
    .s_axi_wready_o (w_wready),
    .s_axi_bresp_o  (w_bresp),
    .s_axi_bvalid_o (w_bvalid),
    .s_axi_bready_i (w_bready),
    .s_axi_araddr_i (w_araddr),
    .s_axi_arprot_i (w_arprot),
    .s_axi_arvalid_i(w_arvalid),
    .s_axi_arready_o(w_arready),
    .s_axi_rdata_o  (w_rdata),
    .s_axi_rresp_o  (w_rresp),
    .s_axi_rvalid_o (w_rvalid),
    .s_axi_rready_i (w_rready),
    .irq_o          (w_irq)
  );

  ///////////////////////////////////////////////////////////////////////////
  // The device with stream ports
  ///////////////////////////////////////////////////////////////////////////

  logic [AddrWidth-1:0] s_awaddr, s_araddr;
  logic [2:0] s_awprot, s_arprot;
  logic s_awvalid, s_awready, s_wvalid, s_wready, s_bvalid, s_bready;
  logic s_arvalid, s_arready, s_rvalid, s_rready;
  logic [31:0] s_wdata, s_rdata;
  logic [3:0] s_wstrb;
  logic [1:0] s_bresp, s_rresp;
  logic [$clog2(Depth):0] s_credit, s_level;

  aes_soc_bridge #(
    .AddrWidth(AddrWidth)
  ) u_stream_bridge (
    .clk_i,
    .rst_ni,
    .valid_i        (at_stream),
    .ready_o        (stream_ready),
    .addr_i         (addr[AddrWidth-1:0]),
    .write_i        (wstrb),
    .data_i         (wdata),
    .data_o         (stream_rdata),
    .error_o        (stream_error),
    .m_axi_awaddr_o (s_awaddr),
    .m_axi_awprot_o (s_awprot),
    .m_axi_awvalid_o(s_awvalid),
    .m_axi_awready_i(s_awready),
    .m_axi_wdata_o  (s_wdata),
    .m_axi_wstrb_o  (s_wstrb),
    .m_axi_wvalid_o (s_wvalid),
    .m_axi_wready_i (s_wready),
    .m_axi_bresp_i  (s_bresp),
    .m_axi_bvalid_i (s_bvalid),
    .m_axi_bready_o (s_bready),
    .m_axi_araddr_o (s_araddr),
    .m_axi_arprot_o (s_arprot),
    .m_axi_arvalid_o(s_arvalid),
    .m_axi_arready_i(s_arready),
    .m_axi_rdata_i  (s_rdata),
    .m_axi_rresp_i  (s_rresp),
    .m_axi_rvalid_i (s_rvalid),
    .m_axi_rready_o (s_rready)
  );

  aes_host_axi_stream #(
    .Cfg  (Cfg),
    .Depth(Depth)
  ) u_stream (
    .clk_i,
    .rst_ni,
    .s_axi_awaddr_i (s_awaddr),
    .s_axi_awprot_i (s_awprot),
    .s_axi_awvalid_i(s_awvalid),
    .s_axi_awready_o(s_awready),
    .s_axi_wdata_i  (s_wdata),
    .s_axi_wstrb_i  (s_wstrb),
    .s_axi_wvalid_i (s_wvalid),
    .s_axi_wready_o (s_wready),
    .s_axi_bresp_o  (s_bresp),
    .s_axi_bvalid_o (s_bvalid),
    .s_axi_bready_i (s_bready),
    .s_axi_araddr_i (s_araddr),
    .s_axi_arprot_i (s_arprot),
    .s_axi_arvalid_i(s_arvalid),
    .s_axi_arready_o(s_arready),
    .s_axi_rdata_o  (s_rdata),
    .s_axi_rresp_o  (s_rresp),
    .s_axi_rvalid_o (s_rvalid),
    .s_axi_rready_i (s_rready),
    .s_axis_tvalid_i(in_valid),
    .s_axis_tready_o(in_ready),
    .s_axis_tdata_i (in_data),
    .s_axis_tlast_i (in_last),
    .m_axis_tvalid_o(out_valid),
    .m_axis_tready_i(out_ready),
    .m_axis_tdata_o (out_data),
    .m_axis_tlast_o (out_last),
    .in_credit_o    (s_credit),
    .out_level_o    (s_level),
    .irq_o          (s_irq)
  );

  // The streams wait, so the DMA engine needs no credits.
  logic unused_devices;
  assign unused_devices = ^{s_credit, s_level};

endmodule
