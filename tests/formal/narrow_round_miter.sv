// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A round of the narrow architecture beside the round of FIPS 197 (Cipher, section 5.1, and
// InvCipher, section 5.3), in two steps, told apart by the macro PART:
//
//   0   ShiftRows of states that follow each other without a gap, in parts: what is in the register
//       behind it in a clock is the part that is due of the shifted state of the period before,
//       whatever the state is that comes meanwhile
//   1   MixColumns and the key addition of any such part
//
// state_i is a state after SubBytes or InvSubBytes, which commute with ShiftRows and InvShiftRows.
// The direction is that of the first clock and stays. same_o is high when both sides agree.

module narrow_round_miter
  import aes_pkg::*;
  import fips197_pkg::*;
#(
  parameter dir_e        Dir        = DirEncrypt,
  parameter int unsigned NumColumns = 1
) (
  input  logic   clk_i,
  input  logic   decrypt_i,
  input  logic   last_i,
  input  block_t state_i,
  input  block_t round_key_i,
  output logic   same_o
);

  localparam int unsigned Width = 32 * NumColumns;
  localparam int unsigned NumParts = 4 / NumColumns;

  typedef word_t [NumColumns-1:0] columns_t;

  logic [1:0] part_q;
  logic first_q, decrypt, decrypt_q, inverse;
  block_t state, state_q, before_q;

  // A period begins with the first clock; every other register starts with anything.
  initial part_q = '0;
  initial first_q = 1'b1;

  assign state   = (part_q == '0) ? state_i : state_q;
  assign decrypt = first_q ? decrypt_i : decrypt_q;
  assign inverse = (Dir == DirBoth) ? decrypt : (Dir == DirDecrypt);

  always_ff @(posedge clk_i) begin
    part_q    <= (part_q == 2'(NumParts - 1)) ? 2'd0 : part_q + 2'd1;
    state_q   <= state;
    first_q   <= 1'b0;
    decrypt_q <= decrypt;
    if (part_q == 2'(NumParts - 1)) before_q <= state;
  end

  columns_t shifted, shifted_q, mixed, correction, inner, last;

  aes_shift_rows_narrow #(
    .Dir       (Dir),
    .NumColumns(NumColumns)
  ) u_shift_rows (
    .clk_i,
    .decrypt_i(decrypt),
    .part_i   (part_q),
    .columns_i(state[127-Width*part_q-:Width]),
    .columns_o(shifted)
  );

  always_ff @(posedge clk_i) shifted_q <= shifted;

  block_t key_before, key_after;

  // With both directions one of the adders gets zero.
  assign key_before = (Dir != DirBoth || decrypt || last_i) ? round_key_i : '0;
  assign key_after  = (Dir != DirBoth || !(decrypt || last_i)) ? round_key_i : '0;

  aes_round_columns #(
    .Dir       (Dir),
    .NumColumns(NumColumns)
  ) u_round (
    .correct_i   (decrypt),
    .columns_i   (state_i[127-:Width]),
    .key_before_i(key_before[127-:Width]),
    .key_after_i (key_after[127-:Width]),
    .mixed_o     (mixed),
    .correction_o(correction),
    .inner_o     (inner),
    .last_o      (last)
  );

  block_t defined_shifted, defined_inner, defined_last;
  array_t keys, columns;

  assign keys            = to_array(round_key_i);
  assign columns         = to_array(state_i);
  assign defined_shifted = to_block(shift(to_array(before_q), inverse));
  assign defined_inner   = inverse ? to_block(mix(columns ^ keys, 8'h0e, 8'h0b, 8'h0d, 8'h09)) :
                                     to_block(mix(columns, 8'h02, 8'h03, 8'h01, 8'h01) ^ keys);
  assign defined_last    = state_i ^ round_key_i;

  assign same_o = (`PART == 0) ? shifted_q == defined_shifted[127-Width*part_q-:Width] :
      last_i ? last == defined_last[127-:Width] : inner == defined_inner[127-:Width];

endmodule
