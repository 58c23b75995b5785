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
  output beat_t        beat_o
);

  beat_t beat_q;
  logic valid_q, in_order, partial_q;
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

  always_ff @(posedge clk_i) begin
    if (s_data_tready_o) begin
      beat_q.kind  <= s_data_tuser_i;
      beat_q.last  <= s_data_tlast_i;
      beat_q.ok    <= keep_is_legal(s_data_tkeep_i) & in_order;
      beat_q.full  <= s_data_tkeep_i[15];
      beat_q.len   <= keep_len(s_data_tkeep_i);
      for (int unsigned n = 0; n < 16; n++) begin
        if (!s_data_tkeep_i[n]) beat_q.data[8*(15-n)+:8] <= '0;
        else beat_q.data[8*(15-n)+:8] <= s_data_tdata_i[8*n+:8];
      end
    end
  end

  assign beat_valid_o = valid_q;
  assign beat_o       = beat_q;

endmodule
