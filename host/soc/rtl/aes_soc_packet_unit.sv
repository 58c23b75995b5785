// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The packet DMA behind a bus: what stands between processor, RAM and engine of a system of yours.
//
//   bus --( access )--[ one a clock ]--( registers )--[ packet DMA ]==( keys, descriptors, data )==>
//                                                         |    ^      engine
//                                          RAM port <-----+    +====( results )====================
//
// Registers are those of aes_soc_packet_dma. Reading changes nothing. Where both ways ask in one
// clock, the write goes first. Refused with an error, and without a trace, are addresses beyond the
// registers, writes of less than a whole word, and writes of what is only read (INFO, RESULT).

module aes_soc_packet_unit #(
  parameter int unsigned AddrWidth = 14,    // of the bus, in bytes
  parameter int unsigned RamBits   = 30,    // of a word address in RAM
  parameter logic [31:0] Info      = 32'h0  // see aes_soc_packet_dma
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  aes_bus_if.device          access,  // of 32 bit

  output logic               ram_read_o,
  output logic [3:0]         ram_write_o,
  output logic [RamBits-1:0] ram_addr_o,
  output logic [31:0]        ram_data_o,
  input  logic [31:0]        ram_data_i,  // in the clock after ram_read_o

  output logic               m_key_tvalid_o,
  input  logic               m_key_tready_i,
  output logic [255:0]       m_key_tdata_o,
  output logic [11:0]        m_key_tuser_o,
  output logic               m_desc_tvalid_o,
  input  logic               m_desc_tready_i,
  output logic [255:0]       m_desc_tdata_o,
  output logic               m_data_tvalid_o,
  input  logic               m_data_tready_i,
  output logic [127:0]       m_data_tdata_o,
  output logic [15:0]        m_data_tkeep_o,
  output logic               m_data_tlast_o,
  output logic [1:0]         m_data_tuser_o,
  input  logic               s_data_tvalid_i,
  output logic               s_data_tready_o,
  input  logic [127:0]       s_data_tdata_i,
  input  logic [15:0]        s_data_tkeep_i,
  input  logic [5:0]         s_data_tuser_i
);

  localparam logic [AddrWidth-1:0] InfoAddr = AddrWidth'(7'h1c);
  localparam logic [AddrWidth-1:0] ResultAddr = AddrWidth'(7'h40);
  localparam logic [AddrWidth-1:0] EndAddr = AddrWidth'(7'h50);

  logic w_known, r_known, write;

  assign w_known = access.w_addr < ResultAddr && access.w_addr != InfoAddr && (&access.w_strb);
  assign r_known = access.r_addr < EndAddr;
  assign write   = access.w_valid & w_known;

  assign access.w_ready = 1'b1;
  assign access.w_error = ~w_known;
  assign access.r_ready = ~access.w_valid;
  assign access.r_error = ~r_known;

  logic unused;
  assign unused = ^{access.r_strb, access.w_addr[1:0], access.r_addr[1:0], access.r_valid};

  logic [31:0] data;
  assign access.r_data = r_known ? data : '0;

  aes_soc_packet_dma #(
    .RamBits(RamBits),
    .Info   (Info)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .valid_i(write),
    .addr_i (access.w_valid ? access.w_addr[6:2] : access.r_addr[6:2]),
    .write_i(write),
    .data_i (access.w_data),
    .data_o (data),
    .ram_read_o,
    .ram_write_o,
    .ram_addr_o,
    .ram_data_o,
    .ram_data_i,
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
