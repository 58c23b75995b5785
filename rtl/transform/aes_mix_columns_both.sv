// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// MixColumns or InvMixColumns of one column in shared logic: MixColumns, and a correction that turns
// it into its inverse, switched on for decryption.
//
//   column_i --+--[ MixColumns ]--------------------------------- forward_o --(+)-- column_o
//              |                                                               |
//              +--[ s = a0 + a2, t = a1 + a3 ]--[ linear, AND decrypt_i ]-- correction_o
//
// circ(0e, 0b, 0d, 09) = circ(02, 03, 01, 01) + circ(0c, 08, 0c, 08), so rows 0 and 2 are corrected
// by 0c s + 08 t, rows 1 and 3 by 08 s + 0c t. The two parts are there by themselves, so that what
// follows can be added to the one that is early. The correction is late and shaped for LUT4: a bit is
// a sum of three to eight bits of s and t, three of them and the direction in a LUT each.

module aes_mix_columns_both
  import aes_pkg::*;
(
  input  logic  decrypt_i,
  input  word_t column_i,      // byte of row 0 at the top
  output word_t forward_o,     // MixColumns
  output word_t correction_o,  // what decryption adds to it
  output word_t column_o       // the sum of both
);

  // Group number n of three bits each of those that the mask selects.
  function automatic logic sum_of_group(logic [15:0] bits, logic [15:0] mask, int unsigned n);
    logic total;
    int unsigned count;
    total = 1'b0;
    count = 0;
    for (int i = 0; i < 16; i++) begin
      if (mask[i]) begin
        if (count / 3 == n) total ^= bits[i];
        count++;
      end
    end
    return total;
  endfunction

  // The bits of {s, t} in bit j of left times s plus right times t.
  function automatic logic [15:0] mask_of(byte_t left, byte_t right, int unsigned j);
    logic [15:0] mask;
    for (int unsigned k = 0; k < 8; k++) begin
      mask[8+k] = 1'(gf_mul(8'(1 << k), left) >> j);
      mask[k]   = 1'(gf_mul(8'(1 << k), right) >> j);
    end
    return mask;
  endfunction

  byte_t a0, a1, a2, a3, s, t;

  assign {a0, a1, a2, a3} = column_i;
  assign s                = a0 ^ a2;
  assign t                = a1 ^ a3;

  aes_mix_columns_fwd u_mix_columns (
    .column_i,
    .column_o(forward_o)
  );

  for (genvar r = 0; r < 2; r++) begin : gen_row
    byte_t correction;
    for (genvar j = 0; j < 8; j++) begin : gen_bit
      localparam logic [15:0] Mask = (r == 0) ? mask_of(8'h0c, 8'h08, j) : mask_of(8'h08, 8'h0c, j);
      assign correction[j] = (sum_of_group(
          {s, t}, Mask, 0
      ) & decrypt_i) ^ (sum_of_group(
          {s, t}, Mask, 1
      ) & decrypt_i) ^ (sum_of_group(
          {s, t}, Mask, 2
      ) & decrypt_i);
    end
    assign correction_o[8*(3-r)+:8] = correction;
    assign correction_o[8*(1-r)+:8] = correction;
  end

  assign column_o = forward_o ^ correction_o;

endmodule
