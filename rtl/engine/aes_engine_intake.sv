// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The register of the data stream, with what tkeep says in short:
//
//   s_data --[ tkeep: legal, full, bytes ]--|R|-- beat_o
//
// A beat can come and go in each clock. So the long way of a decision over a beat begins at a register.

module aes_engine_intake
  import aes_engine_pkg::*;
(
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
  logic valid_q;

  assign s_data_tready_o = ~valid_q | beat_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (s_data_tready_o) valid_q <= s_data_tvalid_i;
  end

  always_ff @(posedge clk_i) begin
    if (s_data_tready_o) begin
      beat_q.kind  <= s_data_tuser_i;
      beat_q.last  <= s_data_tlast_i;
      beat_q.legal <= keep_is_legal(s_data_tkeep_i);
      beat_q.full  <= s_data_tkeep_i[15];
      beat_q.len   <= keep_len(s_data_tkeep_i);
      beat_q.data  <= swap_bytes(s_data_tdata_i);
    end
  end

  assign beat_valid_o = valid_q;
  assign beat_o       = beat_q;

endmodule
