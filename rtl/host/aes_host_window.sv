// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_host_system whose blocks go through the data window: no streams.

module aes_host_window
  import aes_pkg::*;
#(
  parameter cfg_t        Cfg       = DefaultCfg,
  parameter int unsigned Depth     = 512,         // blocks in each buffer, a power of two
  parameter bit          Guarded   = 1'b1,        // see aes_host_buffer
  parameter int unsigned DataWidth = 32,          // of the bus: 32, 64 or 128
  parameter bit          CanWait   = 1'b1         // the bus honours *_ready
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  aes_bus_if.device access,
  output logic      irq_o
);

  logic unused_in_ready, unused_out_valid, unused_out_last;
  logic [$clog2(Depth):0] unused_in_level, unused_out_level;
  block_t unused_out_block;

  aes_host_system #(
    .Cfg      (Cfg),
    .Depth    (Depth),
    .Guarded  (Guarded),
    .DataWidth(DataWidth),
    .CanWait  (CanWait),
    .Stream   (1'b0)
  ) u_system (
    .clk_i,
    .rst_ni,
    .access,
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
