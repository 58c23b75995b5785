// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Results of a back that never waits, until the queue at the output has a place for them:
//
//   data_i --[ RAM, Depth x Width ]--|R|--|R|-- data_o
//   late_i --[ RAM, Depth x Late  ]--|R|--|R|-- late_o
//      valid_i --[ Wait clocks ]--[ how many are there ]--+--> valid_o
//                      left_i --[ how many may go ]-------+
//
// An entry goes two clocks after that is decided, and nothing holds it then. Who writes has a place for
// each entry: freed_o says that one is free again. What belongs to an entry and comes later is written
// beside it, to the place that place_o said, Wait clocks and two after it at the latest.

module aes_engine_results #(
  parameter int unsigned Depth  = 128,  // a power of two
  parameter int unsigned Width  = 128,
  parameter int unsigned Wait   = 0,    // clocks
  parameter int unsigned Late   = 0,    // bits that come later
  parameter int unsigned Places = 16,   // in the queue at the output
  localparam int unsigned Bits = $clog2(Depth),
  localparam int unsigned LateBits = (Late == 0) ? 1 : Late
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                valid_i,
  input  logic [Width-1:0]    data_i,
  output logic [Bits-1:0]     place_o,       // of data_i
  output logic                freed_o,
  input  logic                late_valid_i,
  input  logic [Bits-1:0]     late_place_i,
  input  logic [LateBits-1:0] late_i,
  output logic                valid_o,
  output logic [Width-1:0]    data_o,
  output logic [LateBits-1:0] late_o,        // with data_o
  input  logic                left_i         // an entry has left the queue at the output
);

  logic [Bits-1:0] write_q, read_q;
  logic [Bits:0] used_q;
  logic [$clog2(Places+1)-1:0] places_q;
  logic [Wait:0] comes_q;
  logic there_q, place_q, left_q, goes, word_valid_q, data_valid_q;
  logic [Width-1:0] word_q, data_q;
  (* no_rw_check, ram_style = "block" *) logic [Width-1:0] mem[Depth];

  // Both looked at in the clock before; what comes in that clock counts later.
  assign goes = there_q & place_q;

  if (Wait == 0) begin : gen_at_once
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) comes_q <= '0;
      else comes_q <= valid_i;
    end
  end else begin : gen_wait
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) comes_q <= '0;
      else comes_q <= {comes_q[Wait-1:0], valid_i};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q      <= '0;
      read_q       <= '0;
      used_q       <= '0;
      places_q     <= $bits(places_q)'(Places);
      there_q      <= 1'b0;
      place_q      <= 1'b1;
      left_q       <= 1'b0;
      word_valid_q <= 1'b0;
      data_valid_q <= 1'b0;
    end else begin
      if (valid_i) write_q <= write_q + 1'b1;
      if (goes) read_q <= read_q + 1'b1;
      used_q       <= used_q + (Bits + 1)'(comes_q[Wait]) - (Bits + 1)'(goes);
      there_q      <= used_q > (Bits + 1)'(goes);
      left_q       <= left_i;
      places_q     <= places_q + $bits(places_q)'(left_q) - $bits(places_q)'(goes);
      place_q      <= places_q > $bits(places_q)'(goes);
      word_valid_q <= goes;
      data_valid_q <= word_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) mem[write_q] <= data_i;
    word_q       <= mem[read_q];
    data_q       <= word_q;
  end

  if (Late == 0) begin : gen_nothing_later
    logic unused_late;
    assign unused_late = ^{late_valid_i, late_place_i, late_i};
    assign late_o      = '0;
  end else begin : gen_later
    logic [Late-1:0] late_word_q, late_q;
    (* no_rw_check, ram_style = "block" *) logic [Late-1:0] late[Depth];
    always_ff @(posedge clk_i) begin
      if (late_valid_i) late[late_place_i] <= late_i;
      late_word_q <= late[read_q];
      late_q      <= late_word_q;
    end
    assign late_o = late_q;
  end

  assign place_o = write_q;
  assign freed_o = goes;
  assign valid_o = data_valid_q;
  assign data_o  = data_q;

endmodule
