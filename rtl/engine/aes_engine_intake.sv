// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The register of the data stream, with what tkeep says in short, and whether the order is right:
//
//   s_data --[ tkeep, order of beats ]--|R|-- beat_o
//
// Bytes that do not count are zero behind it: the reset of the register does that, which costs no LUT.
// A beat can come and go in each clock, or in each other one. So the long way of a decision over a beat begins at a register.

module aes_engine_intake
  import aes_engine_pkg::*;
#(
  parameter bit Spaced = 1'b0  // a beat each two clocks is enough
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
  output logic         text_o,           // not spaced: there is text, right by itself
  output logic         aad_o,            // there is AAD, right by itself
  output logic         tag_o,            // there is a tag, right by itself, and last
  output logic         other_o           // there is no IV, and no such text
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
        if (!s_data_tkeep_i[n]) beat_q.data[8*(15-n)+:8] <= '0;
        else beat_q.data[8*(15-n)+:8] <= s_data_tdata_i[8*n+:8];
      end
    end
  end

  // What a beat is, where there is no time to look at it later.
  if (Spaced) begin : gen_no_kind
    assign {text_o, aad_o, tag_o, other_o} = '0;
  end else begin : gen_kind
    logic text, text_q, aad_q, tag_q, other_q;
    assign text = ok & (s_data_tuser_i == BeatText);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        {text_q, aad_q, tag_q, other_q} <= '0;
      end else if (s_data_tready_o) begin
        text_q  <= s_data_tvalid_i & text;
        aad_q   <= s_data_tvalid_i & ok & (s_data_tuser_i == BeatAad);
        tag_q   <= s_data_tvalid_i & ok & (s_data_tuser_i == BeatTag) & s_data_tlast_i;
        other_q <= s_data_tvalid_i & ~text & (s_data_tuser_i != BeatIv);
      end
    end
    assign text_o  = text_q;
    assign aad_o   = aad_q;
    assign tag_o   = tag_q;
    assign other_o = other_q;
  end

  assign beat_valid_o = valid_q;
  assign beat_o       = beat_q;

endmodule
