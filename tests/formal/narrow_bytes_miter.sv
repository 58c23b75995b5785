// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// ShiftRows and MixColumns of the byte-wide data path beside FIPS 197, for bytes that come one a
// clock without a gap. The macro PART says which:
//
//   0   MixColumns: byte_o is the byte of six clocks ago of the mixed column, or itself with bypass,
//       which is that of the first clock
//   1   ShiftRows: byte_o is the byte of 13 clocks ago of the shifted state
//   2   the correction before MixColumns, which makes InvMixColumns of it: the product of the column
//       with {05} + {04} x^2, three clocks ago, or the byte itself with bypass
//   3   ShiftRows with rows 1 and 3 exchanged as InvShiftRows, as in 1
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

  localparam bit Inverse = `PART >= 2;
  // Clocks of MixColumns or of the correction.
  localparam int unsigned MixClocks = Inverse ? 3 : 6;

  byte_t mixed_forward, corrected, mixed, shifted;
  logic late;

  aes_inv_mix_correction_bytes u_correction (
    .clk_i,
    .second_i(n_q[1]),
    .bypass_i(bypass),
    .zero_i  (1'b0),
    .add_i   ('0),
    .byte_i,
    .byte_o  (corrected)
  );

  aes_mix_column_bytes u_mix_column (
    .clk_i,
    .first_i (n_q[1:0] == 2'd0),
    .last_i  (n_q[1:0] == 2'd3),
    .bypass_i(bypass),
    .zero_i  (1'b0),
    .byte_i,
    .byte_o  (mixed_forward)
  );

  assign mixed = Inverse ? corrected : mixed_forward;

  // The byte that leaves both is of another number than the one that comes.
  logic [3:0] mix_n, shift_n, row;
  assign mix_n   = n_q - 4'(MixClocks);
  assign shift_n = n_q - 4'd13;
  assign row     = 4'b0001 << n_q[1:0];
  assign late    = Inverse ? shift_n[1:0] != '0 && shift_n[3:2] >= shift_n[1:0] :
      32'(shift_n[3:2]) + 32'(shift_n[1:0]) >= 4;

  aes_shift_rows_bytes u_shift_rows (
    .clk_i,
    .row_i (Inverse ? {row[1], row[2], row[3], row[0]} : row),
    .late_i(late),
    .byte_i,
    .byte_o(shifted)
  );

  // The column of the byte that leaves MixColumns: its byte r came MixClocks + row - r clocks ago.
  block_t column, state;
  byte_t defined_mixed, defined_shifted;
  block_t mixed_column, shifted_state;

  always_comb begin
    column = '0;
    state  = '0;
    for (int unsigned r = 0; r < 4; r++) begin
      column[8*(15-r)+:8] = history[(MixClocks+32'(mix_n[1:0])-r)%Depth];
    end
    for (int unsigned b = 0; b < 16; b++) state[8*(15-b)+:8] = history[(13+32'(shift_n)-b)%Depth];
  end

  assign mixed_column    = Inverse ?
      to_block(mix(to_array(column), 8'h05, 8'h00, 8'h04, 8'h00)) :
      to_block(mix(to_array(column), 8'h02, 8'h03, 8'h01, 8'h01));
  assign shifted_state   = to_block(shift(to_array(state), Inverse));
  assign defined_mixed   = bypass ? history[MixClocks] : get_byte(mixed_column, 32'(mix_n[1:0]));
  assign defined_shifted = get_byte(shifted_state, 32'(shift_n));

  assign same_o = (`PART % 2 == 0) ? mixed == defined_mixed : shifted == defined_shifted;

endmodule
