// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The results of an engine of packets, as they leave on m_data:
//
//   data_i, len_i, user_i --[ queue ]--[ release ]--[ byte 0 to the lowest lane ]-- m_data
//
// With Places there is a queue of so many, for who gives results that do not wait for each other: he
// counts them, and left_o says that one has gone.
//
// With Depth > 0 the text of a packet that is held waits for its last beat (aes_engine_release). Without
// it nothing is stored: results come from registers and stay there until they are taken.

module aes_engine_output
  import aes_engine_pkg::*;
#(
  parameter int unsigned Depth  = 0,  // beats of text that wait for their tag; 0: none
  parameter int unsigned Places = 0   // of the queue; 0: none
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 valid_i,
  output logic                 ready_o,
  output logic                 left_o,
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

  // What is held does not leave this module.
  typedef struct packed {
    logic         hold;
    result_user_t user;
    logic [3:0]   len;
    logic [127:0] data;
  } result_t;

  logic [127:0] result;
  logic [3:0] len;
  result_user_t user;
  logic valid, ready;
  result_t given, taken;

  assign given = '{hold: hold_i, user: user_i, len: len_i, data: data_i};

  assign left_o = valid & ready;

  if (Places != 0) begin : gen_queue
    aes_engine_fifo #(
      .Depth(Places),
      .Width($bits(result_t)),
      .Held (1'b1)
    ) u_queue (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o,
      .data_i (given),
      .valid_o(valid),
      .ready_i(ready),
      .data_o (taken)
    );
  end else begin : gen_no_queue
    assign valid   = valid_i;
    assign ready_o = ready;
    assign taken   = given;
  end

  if (Depth > 0) begin : gen_verified
    aes_engine_release #(
      .Depth(Depth)
    ) u_release (
      .clk_i,
      .rst_ni,
      .valid_i(valid),
      .ready_o(ready),
      .data_i (taken.data),
      .len_i  (taken.len),
      .user_i (taken.user),
      .hold_i (taken.hold),
      .valid_o(m_data_tvalid_o),
      .ready_i(m_data_tready_i),
      .data_o (result),
      .len_o  (len),
      .user_o (user)
    );
  end else begin : gen_stream
    logic unused;
    assign unused          = ^{clk_i, rst_ni, taken.hold};
    assign m_data_tvalid_o = valid;
    assign ready           = m_data_tready_i;
    assign result          = taken.data;
    assign len             = taken.len;
    assign user            = taken.user;
  end

  assign m_data_tdata_o = swap_bytes(result);
  assign m_data_tkeep_o = keep_of(len);
  assign m_data_tlast_o = user.last;
  assign m_data_tuser_o = user;

endmodule
