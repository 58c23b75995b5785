// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The 64-bit memory-slot interface of pilchard (sections 4 and 6) to a write and a read port.
//
//   write, addr, data --> w_*
//   read, addr -----> r_* --|R|--> data, one clock later
//
// A memory slot cannot wait and has no way to report an error: an access that the ports do not take
// is lost, and a bit in ERRORS says so where the buffers are guarded. The paper gives neither the
// address map nor the order of the halves of a block; here the first access of a block has bytes
// 0 to 7, the second one bytes 8 to 15, and a block enters with the second.

module aes_bus_memory_slot #(
  parameter int unsigned AddrWidth = 14  // in bytes
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 slot_write_i,
  input  logic                 slot_read_i,
  input  logic [AddrWidth-4:0] slot_addr_i,   // of 64-bit words
  input  logic [63:0]          slot_data_i,
  output logic [63:0]          slot_data_o,

  output logic                 w_valid_o,
  input  logic                 w_ready_i,
  output logic [AddrWidth-1:0] w_addr_o,
  output logic [63:0]          w_data_o,
  output logic [7:0]           w_strb_o,
  input  logic                 w_error_i,

  output logic                 r_valid_o,
  input  logic                 r_ready_i,
  output logic [AddrWidth-1:0] r_addr_o,
  output logic [7:0]           r_strb_o,
  input  logic [63:0]          r_data_i,
  input  logic                 r_error_i
);

  logic [63:0] data_q;

  assign w_valid_o = slot_write_i;
  assign w_addr_o  = {slot_addr_i, 3'b0};
  assign w_data_o  = slot_data_i;
  assign w_strb_o  = '1;
  assign r_valid_o = slot_read_i;
  assign r_addr_o  = {slot_addr_i, 3'b0};
  assign r_strb_o  = '1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) data_q <= '0;
    else data_q <= slot_read_i ? r_data_i : '0;
  end

  assign slot_data_o = data_q;

  logic unused_answers;
  assign unused_answers = ^{w_ready_i, w_error_i, r_ready_i, r_error_i};

endmodule
