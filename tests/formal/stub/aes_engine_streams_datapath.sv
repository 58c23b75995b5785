// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_engine_streams_datapath that does anything, for proofs about what counts beside it. That no turn
// leaves that is not there, is for who uses it to assume. A ring that no reset sets has values for four
// clocks, each of them free.

module aes_engine_streams_datapath
  import aes_pkg::*;
  import aes_engine_streams_pkg::*;
#(
  parameter cfg_t        Cfg        = DefaultCfg,
  parameter bit          Chained    = 1'b0,
  parameter bit          Spaced     = 1'b0,
  parameter int unsigned NumStreams = 64,
  parameter int unsigned Ahead      = 6,
  localparam int unsigned KeyWidth   = key_width(Cfg.key_size),
  localparam int unsigned StreamBits = $clog2(NumStreams)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  ready_i,
  input  logic                  desc_write_i,
  input  logic                  desc_spare_i,
  input  logic [StreamBits-1:0] desc_stream_i,
  input  logic                  desc_place_i,
  input  logic [KeyWidth-1:0]   desc_key_i,
  input  logic [127:0]          desc_iv_i,
  input  info_t                 desc_info_i,
  input  logic                  beat_write_i,
  input  logic [StreamBits-1:0] beat_stream_i,
  input  logic [1:0]            beat_entry_i,
  input  logic [127:0]          beat_data_i,
  input  shape_t                beat_shape_i,
  input  logic                  turn_valid_i,
  output logic                  turn_ready_o,
  input  logic                  turn_spare_i,
  input  logic [StreamBits-1:0] turn_stream_i,
  input  logic [1:0]            turn_entry_i,
  input  logic                  turn_place_i,
  output logic                  leave_valid_o,
  output logic [StreamBits-1:0] leave_stream_o,
  output meta_t                 leave_o,
  output logic [127:0]          result_o,
  output logic                  spare_valid_o,
  output logic [StreamBits-1:0] result_stream_o,
  output meta_t                 result_meta_o
);

  localparam int unsigned All = 3 + 128 + 2 * StreamBits + 2 * $bits(meta_t);
  localparam int unsigned Clocks = 4;
  logic [Clocks*All-1:0] free_q;
  always_ff @(posedge clk_i) free_q <= {free_q[All-1:0], free_q[Clocks*All-1:All]};

  assign {turn_ready_o, leave_valid_o, leave_stream_o, leave_o, result_o, spare_valid_o,
          result_stream_o, result_meta_o} = free_q[All-1:0];

  logic unused;
  assign unused = ^{
    rst_ni, ready_i, turn_valid_i, desc_write_i, desc_spare_i, desc_stream_i, desc_place_i,
    desc_key_i, desc_iv_i, desc_info_i, beat_write_i, beat_stream_i, beat_entry_i, beat_data_i,
    beat_shape_i, turn_spare_i, turn_stream_i, turn_entry_i, turn_place_i
  };

endmodule
