// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The host system on Wishbone B4: aes_bus_wishbone in front of aes_host_window.

module aes_host_wishbone
  import aes_pkg::*;
  import aes_host_pkg::AddrWidth;
#(
  parameter cfg_t        Cfg       = DefaultCfg,
  parameter int unsigned Depth     = 512,         // blocks in each buffer, a power of two
  parameter bit          Guarded   = 1'b1,        // see aes_host_buffer
  parameter int unsigned DataWidth = 32,          // 32 or 64
  parameter bit          Pipelined = 1'b0         // else standard cycles
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   wb_cyc_i,
  input  logic                   wb_stb_i,
  input  logic                   wb_we_i,
  input  logic [AddrWidth-1:0]   wb_adr_i,  // in bytes; bits below a word are ignored
  input  logic [DataWidth/8-1:0] wb_sel_i,
  input  logic [DataWidth-1:0]   wb_dat_i,
  output logic [DataWidth-1:0]   wb_dat_o,
  output logic                   wb_ack_o,
  output logic                   wb_err_o,
  output logic                   wb_stall_o,
  output logic                   irq_o
);

  aes_bus_if #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth)
  ) access ();

  aes_bus_wishbone #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth),
    .Pipelined(Pipelined)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .wb_cyc_i,
    .wb_stb_i,
    .wb_we_i,
    .wb_adr_i,
    .wb_sel_i,
    .wb_dat_i,
    .wb_dat_o,
    .wb_ack_o,
    .wb_err_o,
    .wb_stall_o,
    .access
  );

  aes_host_window #(
    .Cfg      (Cfg),
    .Depth    (Depth),
    .Guarded  (Guarded),
    .DataWidth(DataWidth),
    .CanWait  (1'b1)
  ) u_window (
    .clk_i,
    .rst_ni,
    .access,
    .irq_o
  );

endmodule
