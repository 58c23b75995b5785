// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// MixColumns or InvMixColumns of one column in shared logic: MixColumns, and a correction that turns
// it into its inverse, switched on for decryption.
//
//   column_i --+--[ MixColumns ]--------------------------------- forward_o --(+)-- column_o
//              |                                                               |
//              +--[ s = a0 + a2, t = a1 + a3 ]--[ linear, AND decrypt_i ]-- correction_o
//
// The bits of the correction are those of aes_mix_pkg. The two parts are there by themselves, so that
// what follows can be added to the one that is early. The correction is late and shaped for LUT4: a bit is
// a sum of three to eight bits of s and t, three of them and the direction in a LUT each.

module aes_mix_columns_both
  import aes_pkg::*;
  import aes_mix_pkg::*;
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
      localparam logic [15:0] Mask = correction_of(r, j);
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
