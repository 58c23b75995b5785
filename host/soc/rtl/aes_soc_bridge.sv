// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The processor's memory interface to AXI4-Lite: one access at a time, 32 bit.
//
// An access stands at the port with valid_i until ready_o, in which clock the data and the error of
// the answer are valid. Address and data of a write are offered together. Nothing is registered but
// what the device has already taken, so an access takes as long as the device needs for it.

module aes_soc_bridge #(
  parameter int unsigned AddrWidth = 14
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 valid_i,
  output logic                 ready_o,
  input  logic [AddrWidth-1:0] addr_i,
  input  logic [3:0]           write_i,  // bytes; none: a read
  input  logic [31:0]          data_i,
  output logic [31:0]          data_o,
  output logic                 error_o,

  output logic [AddrWidth-1:0] m_axi_awaddr_o,
  output logic [2:0]           m_axi_awprot_o,
  output logic                 m_axi_awvalid_o,
  input  logic                 m_axi_awready_i,
  output logic [31:0]          m_axi_wdata_o,
  output logic [3:0]           m_axi_wstrb_o,
  output logic                 m_axi_wvalid_o,
  input  logic                 m_axi_wready_i,
  input  logic [1:0]           m_axi_bresp_i,
  input  logic                 m_axi_bvalid_i,
  output logic                 m_axi_bready_o,
  output logic [AddrWidth-1:0] m_axi_araddr_o,
  output logic [2:0]           m_axi_arprot_o,
  output logic                 m_axi_arvalid_o,
  input  logic                 m_axi_arready_i,
  input  logic [31:0]          m_axi_rdata_i,
  input  logic [1:0]           m_axi_rresp_i,
  input  logic                 m_axi_rvalid_i,
  output logic                 m_axi_rready_o
);

  logic is_write;
  logic aw_taken_q, w_taken_q, ar_taken_q;

  assign is_write = |write_i;

  assign m_axi_awaddr_o  = addr_i;
  assign m_axi_awprot_o  = 3'b000;
  assign m_axi_awvalid_o = valid_i & is_write & ~aw_taken_q;
  assign m_axi_wdata_o   = data_i;
  assign m_axi_wstrb_o   = write_i;
  assign m_axi_wvalid_o  = valid_i & is_write & ~w_taken_q;
  assign m_axi_bready_o  = 1'b1;
  assign m_axi_araddr_o  = addr_i;
  assign m_axi_arprot_o  = 3'b000;
  assign m_axi_arvalid_o = valid_i & ~is_write & ~ar_taken_q;
  assign m_axi_rready_o  = 1'b1;

  assign ready_o = m_axi_bvalid_i | m_axi_rvalid_i;
  assign data_o  = m_axi_rdata_i;
  assign error_o = (m_axi_bvalid_i & (m_axi_bresp_i != 2'b00)) |
                   (m_axi_rvalid_i & (m_axi_rresp_i != 2'b00));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_taken_q <= 1'b0;
      w_taken_q  <= 1'b0;
      ar_taken_q <= 1'b0;
    end else begin
      aw_taken_q <= (aw_taken_q | (m_axi_awvalid_o & m_axi_awready_i)) & ~ready_o;
      w_taken_q  <= (w_taken_q | (m_axi_wvalid_o & m_axi_wready_i)) & ~ready_o;
      ar_taken_q <= (ar_taken_q | (m_axi_arvalid_o & m_axi_arready_i)) & ~ready_o;
    end
  end

endmodule
