// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The host system of pilchard (sections 4 and 6): a 64-bit memory slot in front of aes_host_window.
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

  aes_bus_if #(
    .AddrWidth(AddrWidth),
    .DataWidth(64)
  ) access ();

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
    .access
  );

  aes_host_window #(
    .Cfg      (Cfg),
    .Depth    (Depth),
    .Guarded  (Guarded),
    .DataWidth(64),
    .CanWait  (1'b0)
  ) u_window (
    .clk_i,
    .rst_ni,
    .access,
    .irq_o
  );

endmodule
