// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The results of an engine of packets, as they leave on m_data:
//
//   data_i, len_i, user_i --[ release ]--[ byte 0 to the lowest lane ]-- m_data
//
// With Depth > 0 the text of a packet that is held waits for its last beat (aes_engine_release). Without
// it nothing is stored: results come from registers and stay there until they are taken.

module aes_engine_output
  import aes_engine_pkg::*;
#(
  parameter int unsigned Depth = 0  // beats of text that wait for their tag; 0: none
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 valid_i,
  output logic                 ready_o,
  input  logic         [127:0] data_i,           // byte 0 at the top
  input  logic         [3:0]   len_i,
  input  result_user_t         user_i,
  input  logic                 hold_i,
  output logic                 m_data_tvalid_o,
  input  logic                 m_data_tready_i,
  output logic         [127:0] m_data_tdata_o,
  output logic         [15:0]  m_data_tkeep_o,
  output logic                 m_data_tlast_o,
  output logic         [5:0]   m_data_tuser_o    // result_user_t
);

  logic [127:0] result;
  logic [3:0] len;
  result_user_t user;

  if (Depth > 0) begin : gen_verified
    aes_engine_release #(
      .Depth(Depth)
    ) u_release (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o,
      .data_i,
      .len_i,
      .user_i,
      .hold_i,
      .valid_o(m_data_tvalid_o),
      .ready_i(m_data_tready_i),
      .data_o (result),
      .len_o  (len),
      .user_o (user)
    );
  end else begin : gen_stream
    logic unused;
    assign unused          = ^{clk_i, rst_ni, hold_i};
    assign m_data_tvalid_o = valid_i;
    assign ready_o         = m_data_tready_i;
    assign result          = data_i;
    assign len             = len_i;
    assign user            = user_i;
  end

  assign m_data_tdata_o = swap_bytes(result);
  assign m_data_tkeep_o = keep_of(len);
  assign m_data_tlast_o = user.last;
  assign m_data_tuser_o = user;

endmodule
