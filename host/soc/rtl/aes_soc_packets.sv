// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A small system on a chip in which a program drives an AES engine: the bench for the packet calls of
// the C library.
//
//   [ processor ]--+--[ RAM ]--( port b )--[ packet DMA ]--( keys, descriptors, data )--> engine
//                  +--[ control ]             |      ^
//                  +--------- registers ------+      +------( results )------------------ engine
//
// Address map, by the upper bits; other addresses read as zero:
//
//   0x0000_0000  RAM: program and data, no wait states
//   0x3000_0000  packet DMA (aes_soc_packet_dma)
//   0x4000_0000  control (aes_soc_control)
//
// The engine stands beside it, so that any will do: streams are wide enough for all of them.

module aes_soc_packets #(
  parameter logic [31:0] Info        = 32'h0,  // see aes_soc_packet_dma
  parameter int unsigned RamWords    = 65536,  // a power of two
  parameter int unsigned ClocksPerUs = 100
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  output logic         m_key_tvalid_o,
  input  logic         m_key_tready_i,
  output logic [255:0] m_key_tdata_o,
  output logic [11:0]  m_key_tuser_o,
  output logic         m_desc_tvalid_o,
  input  logic         m_desc_tready_i,
  output logic [255:0] m_desc_tdata_o,
  output logic         m_data_tvalid_o,
  input  logic         m_data_tready_i,
  output logic [127:0] m_data_tdata_o,
  output logic [15:0]  m_data_tkeep_o,
  output logic         m_data_tlast_o,
  output logic [1:0]   m_data_tuser_o,
  input  logic         s_data_tvalid_i,
  output logic         s_data_tready_o,
  input  logic [127:0] s_data_tdata_i,
  input  logic [15:0]  s_data_tkeep_i,
  input  logic [5:0]   s_data_tuser_i,

  output logic         console_valid_o,
  output logic [7:0]   console_data_o,
  output logic         exit_valid_o,     // stays
  output logic [31:0]  exit_status_o,
  output logic         trap_o            // stays
);

  localparam int unsigned RamBits = $clog2(RamWords);
  localparam logic [3:0] AtDma = 4'h3;

  logic valid, at_dma, ram_read;
  logic [3:0] wstrb, ram_write;
  logic [31:0] addr, wdata, rdata, ram_wdata, ram_rdata;
  logic [RamBits-1:0] ram_addr;

  assign at_dma = valid & (addr[31:28] == AtDma);

  logic unused_addr;
  assign unused_addr = ^{addr[27:7], addr[1:0]};

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
    .device_ready_i(valid),
    .device_data_i (at_dma ? rdata : '0),
    .bus_waiting_i (1'b0),
    .bus_error_i   (1'b0),
    .irq_i         ('0),
    .ram_read_i    (ram_read),
    .ram_write_i   (ram_write),
    .ram_addr_i    (ram_addr),
    .ram_data_i    (ram_wdata),
    .ram_data_o    (ram_rdata),
    .console_valid_o,
    .console_data_o,
    .exit_valid_o,
    .exit_status_o,
    .trap_o
  );

  aes_soc_packet_dma #(
    .RamBits(RamBits),
    .Info   (Info)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .valid_i    (at_dma),
    .addr_i     (addr[6:2]),
    .write_i    (|wstrb),
    .data_i     (wdata),
    .data_o     (rdata),
    .ram_read_o (ram_read),
    .ram_write_o(ram_write),
    .ram_addr_o (ram_addr),
    .ram_data_o (ram_wdata),
    .ram_data_i (ram_rdata),
    .m_key_tvalid_o,
    .m_key_tready_i,
    .m_key_tdata_o,
    .m_key_tuser_o,
    .m_desc_tvalid_o,
    .m_desc_tready_i,
    .m_desc_tdata_o,
    .m_data_tvalid_o,
    .m_data_tready_i,
    .m_data_tdata_o,
    .m_data_tkeep_o,
    .m_data_tlast_o,
    .m_data_tuser_o,
    .s_data_tvalid_i,
    .s_data_tready_o,
    .s_data_tdata_i,
    .s_data_tkeep_i,
    .s_data_tuser_i
  );

endmodule
