// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The host system of pilchard (sections 4 and 6): a 64-bit memory slot in front of aes_host_system.
//
// With Guarded = 0 the buffers are those of the paper. With guards, what a slot cannot be made to
// wait for is refused and shows in ERRORS.

module aes_host_memory_slot
  import aes_pkg::*;
  import aes_host_pkg::AddrWidth;
#(
  parameter cfg_t        Cfg       = DefaultCfg,
  parameter int unsigned Depth     = 512,         // blocks in each buffer, a power of two
  parameter bit          Guarded   = 1'b1         // see aes_host_buffer
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 slot_write_i,
  input  logic                 slot_read_i,
  input  logic [AddrWidth-4:0] slot_addr_i,  // of 64-bit words
  input  logic [63:0]          slot_data_i,
  output logic [63:0]          slot_data_o,
  output logic                 irq_o
);

  logic w_valid, w_ready, w_error, r_valid, r_ready, r_error;
  logic [AddrWidth-1:0] w_addr, r_addr;
  logic [63:0] w_data, r_data;
  logic [7:0] w_strb, r_strb;

  aes_bus_memory_slot #(
    .AddrWidth(AddrWidth)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .slot_write_i,
    .slot_read_i,
    .slot_addr_i,
    .slot_data_i,
    .slot_data_o,
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
    .DataWidth(64),
    .CanWait  (1'b0),
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
