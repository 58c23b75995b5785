// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// ShiftRows and MixColumns of the core behind 8-bit ports beside FIPS 197: 16 bytes of a state in slots
// 0 to 15, anything in slots 16 to 19, and that again and again; a slot passes where en_i is high. The
// macro PART says which:
//
//   0   ShiftRows in registers: byte_o is byte n of the shifted state in slot n + 13
//   1   ShiftRows in a memory
//   3   the same in a block RAM: in slot n + 14
//   2   MixColumns: the three terms together are byte n of the mixed state in slot n + 5; zero in the
//       four slots after byte 15, and with bypass byte n itself
//
// same_o is high when both agree.

module serial_miter
  import aes_pkg::*;
  import fips197_pkg::*;
(
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  en_i,
  input  byte_t byte_i,
  input  logic  bypass_i,
  output logic  same_o
);

  localparam int unsigned Depth = 30;
  localparam int unsigned Wait = (`PART == 2) ? 5 : (`PART == 3) ? 14 : 13;

  // The slot, and what came in those before it: history[0] is byte_i.
  logic [3:0] row;
  logic [4:0] slot_q;
  logic bypass_q, started_q;
  byte_t history[Depth];

  initial slot_q = 5'd19;
  initial started_q = 1'b0;

  assign history[0] = byte_i;
  assign row        = 4'b0001 << slot_q[1:0];

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      slot_q <= (slot_q == 5'd19) ? '0 : slot_q + 5'd1;
      if (slot_q == 5'(Wait - 1)) started_q <= 1'b1;
      if (slot_q == 5'd2) bypass_q <= bypass_i;
    end
  end
  for (genvar d = 1; d < Depth; d++) begin : gen_history
    always_ff @(posedge clk_i) if (en_i) history[d] <= history[d-1];
  end

  // Byte n of the result in this slot, from 16 on none.
  logic [4:0] n;
  assign n = (slot_q >= 5'(Wait)) ? slot_q - 5'(Wait) : slot_q + 5'(20 - Wait);

  // Registers: row r holds its first bytes for 3, 2 and 1 columns.
  logic [2:0] hold;
  assign hold = {
    slot_q inside {5'd13, 5'd14, 5'd15, 5'd17, 5'd18, 5'd1},
    slot_q inside {5'd14, 5'd15, 5'd18},
    slot_q == 5'd15
  };

  byte_t queued, remembered, same, sum, twice;

  aes_shift_rows_queue u_queue (
    .clk_i,
    .en_i,
    .hold_i(hold),
    .byte_i,
    .byte_o(queued)
  );

  aes_shift_rows_memory #(
    .InBlock(`PART == 3)
  ) u_memory (
    .clk_i,
    .rst_ni,
    .en_i,
    .row_i  (row),
    .write_i(slot_q < 5'd16),
    .first_i(slot_q == 5'd19),
    .turn_i (slot_q == 5'd12),
    .byte_i,
    .byte_o (remembered)
  );

  aes_mix_column_serial u_mix_column (
    .clk_i,
    .en_i,
    .first_i    (row[0]),
    .second_i   (row[1]),
    .last_i     (row[3]),
    .bypass_i   (bypass_q),
    .zero_i     (slot_q inside {5'd0, 5'd1, 5'd2, 5'd3}),
    .load_i     (1'b0),
    .load_byte_i('0),
    .byte_i,
    .same_o     (same),
    .sum_o      (sum),
    .twice_o    (twice)
  );

  block_t state, column, shifted_state, mixed_column;
  byte_t defined_mixed;

  always_comb begin
    state  = '0;
    column = '0;
    for (int unsigned b = 0; b < 16; b++) begin
      state[8*(15-b)+:8] = history[(Wait+32'(n)+Depth-b)%Depth];
    end
    for (int unsigned r = 0; r < 4; r++) begin
      column[8*(15-r)+:8] = history[(Wait+32'(n[1:0])-r)%Depth];
    end
  end

  assign shifted_state = to_block(shift(to_array(state), 1'b0));
  assign mixed_column  = to_block(mix(to_array(column), 8'h02, 8'h03, 8'h01, 8'h01));

  always_comb begin
    if (n >= 5'd16) defined_mixed = '0;
    else defined_mixed = bypass_q ? history[Wait] : get_byte(mixed_column, 32'(n[1:0]));
  end

  if (`PART == 2) begin : gen_mix_column
    assign same_o = !started_q || (same ^ sum ^ xtime(twice)) == defined_mixed;
  end else begin : gen_shift_rows
    assign same_o = !started_q || n >= 5'd16 || ((`PART == 0) ? queued : remembered) == get_byte(
        shifted_state, 32'(n)
    );
  end

endmodule
