// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// ShiftRows and MixColumns of the byte-wide data path beside FIPS 197, for bytes that come one a
// clock without a gap. The macro PART says which:
//
//   0   MixColumns: byte_o is the byte of six clocks ago of the mixed column, or itself with bypass,
//       which is that of the first clock
//   1   ShiftRows: byte_o is the byte of 13 clocks ago of the shifted state
//
// same_o is high when both agree.

module narrow_bytes_miter
  import aes_pkg::*;
  import fips197_pkg::*;
(
  input  logic  clk_i,
  input  byte_t byte_i,
  input  logic  bypass_i,
  output logic  same_o
);

  localparam int unsigned Depth = 32;

  // Number of the byte in its state, and what came before it: history[0] is byte_i.
  logic [3:0] n_q;
  logic first_q, bypass, bypass_q;
  byte_t history[Depth];

  initial n_q = '0;
  initial first_q = 1'b1;

  assign bypass     = first_q ? bypass_i : bypass_q;
  assign history[0] = byte_i;

  always_ff @(posedge clk_i) begin
    n_q      <= n_q + 4'd1;
    first_q  <= 1'b0;
    bypass_q <= bypass;
  end
  for (genvar d = 1; d < Depth; d++) begin : gen_history
    always_ff @(posedge clk_i) history[d] <= history[d-1];
  end

  byte_t mixed, shifted;
  logic late;

  aes_mix_column_bytes u_mix_column (
    .clk_i,
    .first_i (n_q[1:0] == 2'd0),
    .last_i  (n_q[1:0] == 2'd3),
    .bypass_i(bypass),
    .zero_i  (1'b0),
    .byte_i,
    .byte_o  (mixed)
  );

  // The byte that leaves both is of another number than the one that comes.
  logic [3:0] mix_n, shift_n;
  assign mix_n   = n_q - 4'd6;
  assign shift_n = n_q - 4'd13;
  assign late    = 32'(shift_n[3:2]) + 32'(shift_n[1:0]) >= 4;

  aes_shift_rows_bytes u_shift_rows (
    .clk_i,
    .row_i (4'b0001 << n_q[1:0]),
    .late_i(late),
    .byte_i,
    .byte_o(shifted)
  );

  // The column of the byte that leaves MixColumns: its byte r came 6 + row - r clocks ago.
  block_t column, state;
  byte_t defined_mixed, defined_shifted;
  block_t mixed_column, shifted_state;

  always_comb begin
    column = '0;
    state  = '0;
    for (int unsigned r = 0; r < 4; r++) begin
      column[8*(15-r)+:8] = history[6+32'(mix_n[1:0])-r];
    end
    for (int unsigned b = 0; b < 16; b++) state[8*(15-b)+:8] = history[(13+32'(shift_n)-b)%Depth];
  end

  assign mixed_column    = to_block(mix(to_array(column), 8'h02, 8'h03, 8'h01, 8'h01));
  assign shifted_state   = to_block(shift(to_array(state), 1'b0));
  assign defined_mixed   = bypass ? history[6] : get_byte(mixed_column, 32'(mix_n[1:0]));
  assign defined_shifted = get_byte(shifted_state, 32'(shift_n));

  assign same_o = (`PART == 0) ? mixed == defined_mixed : shifted == defined_shifted;

endmodule
