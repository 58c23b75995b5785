// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Results of a back that never waits, on their way out:
//
//   data_i --[ results ]--[ queue ]-- data_o
//
// Who writes has a place for each entry, see aes_engine_results. The queue alone waits for ready_i.

module aes_engine_leave
  import aes_engine_pkg::out_places;
#(
  parameter int unsigned Depth = 128,  // places, a power of two
  parameter int unsigned Width = 128
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,
  output logic             freed_o,  // a place is free again
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  logic given_valid, unused_late, unused_ready;
  logic [$clog2(Depth)-1:0] unused_place;
  logic [Width-1:0] given;

  aes_engine_results #(
    .Depth (Depth),
    .Width (Width),
    .Places(out_places())
  ) u_results (
    .clk_i,
    .rst_ni,
    .valid_i,
    .data_i,
    .place_o     (unused_place),
    .freed_o,
    .late_valid_i(1'b0),
    .late_place_i('0),
    .late_i      (1'b0),
    .valid_o     (given_valid),
    .data_o      (given),
    .late_o      (unused_late),
    .left_i      (valid_o & ready_i)
  );

  aes_engine_fifo #(
    .Depth(out_places()),
    .Width(Width),
    .Held (1'b1)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .valid_i(given_valid),
    .ready_o(unused_ready),
    .data_i (given),
    .valid_o,
    .ready_i,
    .data_o
  );

endmodule
