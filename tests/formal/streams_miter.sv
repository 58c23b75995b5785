// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// An engine of streams, in one of two proofs.
//
// Its results, beside the rules of their stream (aes_rules_axi_stream), around a core that does what it
// likes within its contract (stub/aes_core.sv). rules_o: none is broken, whatever comes to the engine, in
// any state; with Far, where a queue with a register at its output is the last one. Otherwise the last
// queue is one behind block RAM. engine_queue_miter has the proof that what waits in it stays, and
// through_o says that the results are those of this queue and nothing else: valid when it says so, with
// what it has, and taken from it when the results are.
//
// Or (Counts) places for results, around a datapath that does what it likes
// (stub/aes_engine_streams_datapath.sv). places_o: all places are free, on their way back, or of turns
// that are under way and of results that wait; so there are never more of these than places. It holds
// after a reset, and where it holds in a clock it holds in the next one, as long as fair_o is high: no turn
// leaves the datapath that is not there, nor one of a spare stream that is not there; and of the results
// in a queue behind block RAM none leaves that is not there, for which engine_queue_miter has the proof.
// With Far the last is part of places_o.

module streams_miter
  import aes_pkg::*;
  import aes_engine_streams_pkg::with_keys_on_the_fly;
#(
  parameter bit Chained = 1'b1,
  parameter bit Far     = 1'b0,
  parameter bit Spaced  = 1'b0,
  parameter bit Counts  = 1'b0   // places_o and fair_o; else rules_o and through_o
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         s_key_valid_i,
  input  logic [127:0] s_key_data_i,
  input  logic [11:0]  s_key_user_i,
  input  logic         s_desc_valid_i,
  input  logic [1:0]   s_desc_id_i,
  input  logic [143:0] s_desc_data_i,
  input  logic         s_data_valid_i,
  input  logic [1:0]   s_data_id_i,
  input  logic [127:0] s_data_data_i,
  input  logic [15:0]  s_data_keep_i,
  input  logic         s_data_last_i,
  input  logic         m_ready_i,
  output logic         rules_o,
  output logic         through_o,
  output logic         fair_o,
  output logic         places_o
);

  function automatic cfg_t the_cfg();
    cfg_t cfg;
    cfg = with_keys_on_the_fly(DefaultCfg);
    cfg.dir = DirEncrypt;
    cfg.key_size = KeySize128;
    if (Far) cfg.arch = ArchPipelined;
    return cfg;
  endfunction

  logic m_valid, m_last, unused_key_ready, unused_desc_ready, unused_data_ready;
  logic [1:0] m_id;
  logic [127:0] m_data;
  logic [15:0] m_keep;
  logic [5:0] m_user;

  aes_engine_streams #(
    .Cfg       (the_cfg()),
    .Chained   (Chained),
    .NumStreams(4),
    .NumSlots  (2),
    .Spaced    (Spaced)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .s_key_tvalid_i (s_key_valid_i),
    .s_key_tready_o (unused_key_ready),
    .s_key_tdata_i  (s_key_data_i),
    .s_key_tuser_i  (s_key_user_i),
    .s_desc_tvalid_i(s_desc_valid_i),
    .s_desc_tready_o(unused_desc_ready),
    .s_desc_tid_i   (s_desc_id_i),
    .s_desc_tdata_i (s_desc_data_i),
    .s_data_tvalid_i(s_data_valid_i),
    .s_data_tready_o(unused_data_ready),
    .s_data_tid_i   (s_data_id_i),
    .s_data_tdata_i (s_data_data_i),
    .s_data_tkeep_i (s_data_keep_i),
    .s_data_tlast_i (s_data_last_i),
    .m_data_tvalid_o(m_valid),
    .m_data_tready_i(m_ready_i),
    .m_data_tid_o   (m_id),
    .m_data_tdata_o (m_data),
    .m_data_tkeep_o (m_keep),
    .m_data_tlast_o (m_last),
    .m_data_tuser_o (m_user)
  );

  if (Counts) begin : gen_counts
    localparam int unsigned CountBits = 9;

    // Turns that have not left the datapath.
    logic [CountBits-1:0] flight_q, stored_q, ways, all;
    logic comes, goes, goes_fair, stored;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) flight_q <= '0;
      else flight_q <= flight_q + CountBits'(u_engine.taken) - CountBits'(u_engine.leave_valid);
    end

    // Results that wait.
    assign goes = u_engine.freed;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) stored_q <= '0;
      else stored_q <= stored_q + CountBits'(comes) - CountBits'(goes);
    end

    // A block that left, until it is known whether there is a result of it; and the results of those.
    if (Far) begin : gen_far
      logic later;
      assign later     = u_engine.u_scheduler.gen_leave_later.leave_valid_q;
      assign comes     = u_engine.gen_far.word_valid_q;
      assign ways      = CountBits'(later) + CountBits'(comes);
      assign goes_fair = 1'b1;
      assign stored = stored_q == CountBits'(u_engine.gen_far.u_leave.u_results.used_q) +
                      CountBits'(u_engine.gen_far.u_leave.u_results.comes_q) &&
                      (!u_engine.gen_far.u_leave.u_results.there_q ||
                       u_engine.gen_far.u_leave.u_results.used_q != '0);
    end else begin : gen_near
      assign comes     = u_engine.gen_near.u_results.valid_i;
      assign ways      = '0;
      assign goes_fair = !goes || stored_q != '0;
      assign stored    = 1'b1;
    end

    assign fair_o = (!u_engine.leave_valid || flight_q != '0) &&
                    (Chained || !u_engine.leave.spare) && goes_fair;

    assign all = CountBits'(u_engine.free_q) + CountBits'(u_engine.freed_q) +
                 CountBits'(u_engine.dropped_q) + CountBits'(u_engine.spare_left_q) + flight_q +
                 ways + CountBits'(u_engine.emit) + CountBits'(u_engine.drop) +
                 CountBits'($countones(u_engine.emit_q)) + stored_q;
    assign places_o = CountBits'(u_engine.free_q) <= CountBits'(u_engine.Places) &&
                      stored_q <= CountBits'(u_engine.Places) &&
                      flight_q <= CountBits'(u_engine.Places) &&
                      !(u_engine.emit && u_engine.drop) &&
                      (Far || !(u_engine.drop && u_engine.spare_left_q)) &&
                      (Chained || !u_engine.spare_left_q) &&
                      all == CountBits'(u_engine.Places) &&
                      (!u_engine.room_q || u_engine.free_q > 3) && stored;

    logic unused;
    assign unused    = ^{m_valid, m_last, m_id, m_data, m_keep, m_user};
    assign rules_o   = 1'b1;
    assign through_o = 1'b1;
  end else begin : gen_results
    logic [3:0] broken;

    aes_rules_axi_stream #(
      .DataWidth(128),
      .UserWidth($bits(m_id) + $bits(m_user))
    ) u_rules (
      .clk_i,
      .rst_ni,
      .revoked_i(1'b0),
      .tvalid_i (m_valid),
      .tready_i (m_ready_i),
      .tdata_i  (m_data),
      // A beat may have no byte: that only a last one has none is a matter of what comes to the queue.
      .tkeep_i  ({m_keep[15:1], m_keep[0] | ~|m_keep}),
      .tlast_i  (m_last),
      .tuser_i  ({m_id, m_user}),
      .broken_o (broken)
    );

    assign rules_o = broken == '0;

    if (Far) begin : gen_far
      assign through_o = 1'b1;
    end else begin : gen_near
      // The results in the clock before, and what the queue said. What it says alike gives the same results.
      // Of the queue's bits, fewer than those of a result, each counts.
      localparam int unsigned Bits = $bits({m_id, m_data, m_keep, m_last, m_user});
      logic [Bits-1:0] word, word_q, result, result_q;
      assign word   = Bits'(u_engine.gen_near.u_results.data_o);
      assign result = {m_id, m_data, m_keep, m_last, m_user};
      always_ff @(posedge clk_i) begin
        word_q   <= word;
        result_q <= result;
      end
      assign through_o = m_valid == u_engine.gen_near.u_results.valid_o &&
                         m_ready_i == u_engine.gen_near.u_results.ready_i &&
                         broken[3:2] == '0 && (word != word_q || result == result_q);
    end

    assign fair_o   = 1'b1;
    assign places_o = 1'b1;
  end

endmodule
