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

  aes_bus_if.bus access
);

  logic [63:0] data_q;

  assign access.w_valid = slot_write_i;
  assign access.w_addr  = {slot_addr_i, 3'b0};
  assign access.w_data  = slot_data_i;
  assign access.w_strb  = '1;
  assign access.r_valid = slot_read_i;
  assign access.r_addr  = {slot_addr_i, 3'b0};
  assign access.r_strb  = '1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) data_q <= '0;
    else data_q <= slot_read_i ? access.r_data : '0;
  end

  assign slot_data_o = data_q;

  logic unused_answers;
  assign unused_answers = ^{access.w_ready, access.w_error, access.r_ready, access.r_error};

endmodule
