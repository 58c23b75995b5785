// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The register of the data stream, with what tkeep says in short, and whether the order is right:
//
//   s_data --[ tkeep, order of beats ]--|R|-- beat_o
//
// Bytes that do not count are zero behind it: the reset of the register does that, which costs no LUT.
// With Far they are what they were, and keep_o says which ones count: who takes a beat a clock later
// makes them zero, with no way from beat_ready_i.
//
// A beat can come and go in each clock, or in each other one. So the long way of a decision over a beat
// begins at a register.

module aes_engine_intake
  import aes_engine_pkg::*;
#(
  parameter bit Spaced = 1'b0,  // a beat each two clocks is enough
  parameter bit Far    = 1'b0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         s_data_tvalid_i,
  output logic         s_data_tready_o,
  input  logic [127:0] s_data_tdata_i,
  input  logic [15:0]  s_data_tkeep_i,
  input  logic         s_data_tlast_i,
  input  beat_e        s_data_tuser_i,
  output logic         beat_valid_o,
  input  logic         beat_ready_i,
  output beat_t        beat_o,
  output logic [15:0]  keep_o,           // with Far: bytes of beat_o that count
  input  logic [15:0]  tag_end_i,        // not spaced: one bit, the last byte of the packet's tag
  output beat_is_t     is_o              // not spaced; same_len: by tag_end_i of the clock before
);

  beat_t beat_q;
  logic valid_q, in_order, ok, partial_q;
  logic [1:0] rank, rank_q;

  // By a register alone where there is time.
  assign s_data_tready_o = ~valid_q | (beat_ready_i & ~Spaced);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q   <= 1'b0;
      rank_q    <= 2'd0;
      partial_q <= 1'b0;
    end else if (!s_data_tready_o) begin
      valid_q <= ~beat_ready_i;
    end else begin
      valid_q <= s_data_tvalid_i;
      if (s_data_tvalid_i) begin
        rank_q    <= s_data_tlast_i ? 2'd0 : rank;
        partial_q <= ~s_data_tlast_i & ~s_data_tkeep_i[15];
      end
    end
  end

  // A packet ends with tlast; a partial beat is the last one of its kind.
  assign rank     = rank_of(s_data_tuser_i);
  assign in_order = (rank > rank_q) | ((rank == rank_q) & ~partial_q);
  assign ok       = keep_is_legal(s_data_tkeep_i) & in_order;

  always_ff @(posedge clk_i) begin
    if (s_data_tready_o) begin
      beat_q.kind  <= s_data_tuser_i;
      beat_q.last  <= s_data_tlast_i;
      beat_q.ok    <= ok;
      beat_q.full  <= s_data_tkeep_i[15];
      beat_q.len   <= keep_len(s_data_tkeep_i);
      for (int unsigned n = 0; n < 16; n++) begin
        if (!Far && !s_data_tkeep_i[n]) beat_q.data[8*(15-n)+:8] <= '0;
        else beat_q.data[8*(15-n)+:8] <= s_data_tdata_i[8*n+:8];
      end
    end
  end

  // What a beat is, where there is no time to look at it later.
  if (Spaced) begin : gen_no_kind
    assign is_o = '0;
    logic unused_tag_end;
    assign unused_tag_end = ^tag_end_i;
  end else begin : gen_kind
    beat_is_t is_q;
    function automatic logic ends_at(logic [15:0] bytes, logic [15:0] last);
      return (last & bytes & {1'b1, ~bytes[15:1]}) != '0;
    endfunction

    logic text, aad, tag;
    logic [15:0] keep;
    assign text = ok & (s_data_tuser_i == BeatText);
    assign aad  = ok & (s_data_tuser_i == BeatAad);
    assign tag  = ok & (s_data_tuser_i == BeatTag);
    // A tag that is right has its last byte where tkeep ends.
    assign keep = Far ? keep_o : keep_of(beat_q.len);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        is_q <= '0;
      end else begin
        if (s_data_tready_o) begin
          is_q.plain     <= s_data_tvalid_i & (s_data_tuser_i != BeatIv);
          is_q.text      <= s_data_tvalid_i & text & ~s_data_tlast_i;
          is_q.text_last <= s_data_tvalid_i & text & s_data_tlast_i;
          is_q.aad       <= s_data_tvalid_i & aad & ~s_data_tlast_i;
          is_q.aad_last  <= s_data_tvalid_i & aad & s_data_tlast_i;
          is_q.tag       <= s_data_tvalid_i & tag & s_data_tlast_i;
        end
        is_q.same_len <= s_data_tready_o ? ends_at(
            s_data_tkeep_i, tag_end_i
        ) : ends_at(
            keep, tag_end_i
        );
      end
    end
    assign is_o = is_q;
  end

  if (Far) begin : gen_keep
    logic [15:0] keep_q;
    always_ff @(posedge clk_i) begin
      if (s_data_tready_o) keep_q <= s_data_tkeep_i;
    end
    assign keep_o = keep_q;
  end else begin : gen_no_keep
    assign keep_o = '1;
  end

  assign beat_valid_o = valid_q;
  assign beat_o       = beat_q;

endmodule
