// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Places for results of an engine of streams, around a datapath in which each turn leaves once and which
// does what it likes otherwise (stub/aes_engine_streams_datapath.sv). places_o: all places are free, on
// their way back, or of turns that are under way and of results that wait; so there are never more of
// these than places. It holds after a reset, and where it holds in a clock it holds in the next one, as
// long as fair_o is high: of the results none leaves that is not there. That is a matter of their queue,
// for which engine_queue_miter and engine_results_miter have the proof.

module streams_places_miter
  import aes_pkg::*;
  import aes_engine_streams_pkg::with_keys_on_the_fly;
#(
  parameter bit Chained = 1'b1,
  parameter bit Far     = 1'b0,
  parameter bit Spaced  = 1'b0
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

  logic m_valid, unused_last, unused_key_ready, unused_desc_ready, unused_data_ready;
  logic [1:0] unused_id;
  logic [127:0] unused_data;
  logic [15:0] unused_keep;
  logic [5:0] unused_user;

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
    .m_data_tid_o   (unused_id),
    .m_data_tdata_o (unused_data),
    .m_data_tkeep_o (unused_keep),
    .m_data_tlast_o (unused_last),
    .m_data_tuser_o (unused_user)
  );

  // As of aes_engine_streams.
  localparam int unsigned Latency = latency(
      the_cfg(), KeyLen128
  ) + aes_engine_pkg::far_clocks(
      the_cfg()
  );
  localparam int unsigned Places = Spaced ? 16 : 2 ** $clog2(Latency + 28);

  localparam int unsigned Emitted = Spaced ? 4 : 3;  // clocks from a beat that is due to its result

  // Results that wait.
  logic [8:0] stored_q, ways, flight;
  logic comes, goes;
  assign goes   = u_engine.freed;
  assign fair_o = !goes || stored_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stored_q <= '0;
    else stored_q <= stored_q + 9'(comes) - 9'(goes);
  end

  // A block that left, until it is known whether there is a result of it; and the results of those.
  logic later;
  if (Far) begin : gen_far
    assign comes = u_engine.gen_far.word_valid_q;
    assign later = u_engine.u_scheduler.gen_leave_later.leave_valid_q;
    assign ways  = 9'(later) + 9'(comes);
  end else begin : gen_near
    assign comes = u_engine.emit_q[Emitted];
    assign later = 1'b0;
    assign ways  = 9'(later);
  end

  always_comb begin
    flight = 9'(u_engine.u_datapath.flight_q) + ways + 9'(u_engine.emit) + 9'(u_engine.drop);
    for (int unsigned n = 1; n <= Emitted; n++) flight += 9'(u_engine.emit_q[n]);
  end

  assign places_o = 9'(u_engine.free_q) <= 9'(Places) && stored_q <= 9'(Places) &&
                    u_engine.u_datapath.flight_q <= 8'(Places) &&
                    !(u_engine.emit && u_engine.drop) &&
                    (Far || !(u_engine.drop && u_engine.spare_left_q)) &&
                    9'(u_engine.free_q) + 9'(u_engine.freed_q) + 9'(u_engine.dropped_q) +
                    9'(u_engine.spare_left_q) + flight + stored_q == 9'(Places) &&
                    (!u_engine.room_q || u_engine.free_q > 3);

endmodule
