// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The register of the data stream, with what tkeep says in short:
//
//   s_data --[ tkeep, padding ]--|R|-- beat_o
//
// With Chained, bytes that do not count are the padding of CMAC, one bit and zeros, in every mode: where
// a beat is partial, no other mode looks at them.

module aes_engine_streams_intake
  import aes_engine_streams_pkg::*;
#(
  parameter bit          Chained    = 1'b0,
  parameter bit          Whole      = 1'b0,  // full beats alone are right
  parameter int unsigned StreamBits = 6
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  ready_i,         // no sweep
  input  logic                  s_data_tvalid_i,
  output logic                  s_data_tready_o,
  input  logic [StreamBits-1:0] s_data_tid_i,
  input  logic [127:0]          s_data_tdata_i,
  input  logic [15:0]           s_data_tkeep_i,
  input  logic                  s_data_tlast_i,
  output logic                  load_o,
  output logic                  valid_o,
  input  logic                  take_i,
  output logic [StreamBits-1:0] stream_o,
  output logic [127:0]          data_o,          // byte 0 at the top
  output shape_t                shape_o          // without first
);

  import aes_engine_pkg::keep_is_legal;
  import aes_engine_pkg::keep_len;

  logic valid_q;
  logic [StreamBits-1:0] stream_q;
  logic [127:0] data_q;
  shape_t shape_q;

  assign s_data_tready_o = ready_i & (~valid_q | take_i);
  assign load_o          = ~valid_q | take_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= (s_data_tvalid_i & s_data_tready_o) | (valid_q & ~take_i);
  end

  always_ff @(posedge clk_i) begin
    if (load_o) begin
      stream_q <= s_data_tid_i;
      for (int unsigned n = 0; n < 16; n++) begin
        if (Chained && !s_data_tkeep_i[n]) data_q[8*(15-n)+:8] <= '0;
        else data_q[8*(15-n)+:8] <= s_data_tdata_i[8*n+:8];
        // The bit behind the last byte.
        if (Chained && !s_data_tkeep_i[n]) begin
          data_q[8*(15-n)+7] <= (n == 0) ? 1'b1 : s_data_tkeep_i[n-(n==0?0 : 1)];
        end
      end
      shape_q.first <= 1'b0;
      shape_q.last  <= s_data_tlast_i;
      if (!Whole) begin
        shape_q.ok   <= keep_is_legal(s_data_tkeep_i) | (s_data_tkeep_i == '0);
        shape_q.full <= s_data_tkeep_i[15];
        shape_q.none <= ~s_data_tkeep_i[0];
        shape_q.len  <= keep_len(s_data_tkeep_i);
      end else begin
        shape_q.ok   <= s_data_tkeep_i == '1;
        shape_q.full <= 1'b1;
        shape_q.none <= 1'b0;
        shape_q.len  <= 4'd15;
      end
    end
  end

  assign valid_o  = valid_q;
  assign stream_o = stream_q;
  assign data_o   = data_q;
  assign shape_o  = shape_q;

endmodule
