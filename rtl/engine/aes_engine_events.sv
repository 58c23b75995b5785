// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What a front decided meets the key stream that it asked the core for:
//
//   event_i --[ RAM, as many clocks as the core takes ]--+-- event_o       (Far)
//   stream_i --------------------------------------------+-- stream_o
//
//   event_i --[ queue ]--+--[ both are there ]-------------- event_o       (not Far)
//   stream_i -[ queue ]--+---------------------------------- stream_o
//
// With Early an event comes a clock before its key stream: what it is can be decoded into registers.
//
// A core never stalls, and a pipeline takes the same clocks for each block. So nothing has to be asked
// for, and what stands behind never waits: it gets an event in each clock, or none (nothing is high). What
// it gets before there_o is high is from before a reset.
//
// Other cores take a block each few clocks, or as long as the key says. There an event waits for its
// block. None follows the end of an IV in the next clock: its lengths go to GHASH then. A far front sees
// to that itself.

module aes_engine_events
  import aes_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter bit          Far    = 1'b0,
  parameter int unsigned Clocks = 57,    // from in_valid_i of the core to its result, 5 or more
  parameter bit          Early  = 1'b0
) (
  input  logic   clk_i,
  input  logic   rst_ni,
  input  event_t event_i,         // with the block for the core
  output logic   ready_o,         // not far: there is a place for an event
  input  logic   stream_valid_i,
  input  block_t stream_i,
  output logic   there_o,         // event_o is one; stays high
  output event_t event_o,
  output block_t stream_o         // with event_o, or a clock later
);

  if (Far) begin : gen_far
    aes_engine_delay #(
      .Clocks(Clocks - 32'(Early)),
      .Width ($bits(event_t))
    ) u_delay (
      .clk_i,
      .rst_ni,
      .data_i(event_i),
      .there_o,
      .data_o(event_o)
    );

    assign ready_o  = 1'b1;
    assign stream_o = stream_i;
    logic unused_valid;
    assign unused_valid = stream_valid_i;
  end else begin : gen_near
    // What comes behind a block waits for it as long as the core takes, and has a place. Blocks do not
    // wait for events.
    localparam int unsigned Depth = (Clocks <= 8) ? 16 : 2 ** $clog2(Clocks + 8);

    logic valid, stream_valid, needs, goes, ends_iv_q, unused_ready;
    event_t head;
    block_t stream;

    aes_engine_fifo #(
      .Depth(Depth),
      .Width($bits(event_t))
    ) u_events (
      .clk_i,
      .rst_ni,
      .valid_i(event_i.mask | event_i.over | event_i.hash | (|event_i.is)),
      .ready_o,
      .data_i (event_i),
      .valid_o(valid),
      .ready_i(goes),
      .data_o (head)
    );

    aes_engine_fifo #(
      .Depth(16),
      .Width(128)
    ) u_stream (
      .clk_i,
      .rst_ni,
      .valid_i(stream_valid_i),
      .ready_o(unused_ready),
      .data_i (stream_i),
      .valid_o(stream_valid),
      .ready_i(goes & needs),
      .data_o (stream)
    );

    if (Early) begin : gen_later
      block_t stream_q;
      always_ff @(posedge clk_i) stream_q <= stream;
      assign stream_o = stream_q;
    end else begin : gen_together
      assign stream_o = stream;
    end

    assign needs = head.mask | head.is.text | head.mix;
    assign goes  = valid & (stream_valid | ~needs) & ~ends_iv_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) ends_iv_q <= 1'b0;
      else ends_iv_q <= goes & head.is.iv & head.flag;
    end

    assign there_o = 1'b1;
    always_comb begin
      event_o      = head;
      event_o.mask = head.mask & goes;
      event_o.over = head.over & goes;
      event_o.hash = head.hash & goes;
      event_o.is   = head.is & {$bits(item_is_t) {goes}};
    end
  end

endmodule
