// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What follows SubBytes in a round of both directions, with the place where a new block comes in:
//
//   state_i --[ (Inv)ShiftRows ]--(+ key_before)--+--[ (Inv)MixColumns, AND not enter ]--(+)-- inner_o
//                                                 |                           entry_i ----+
//                                                 +--------------------------------------- last_o
//
// entry_i is the sum of all that is added behind MixColumns: round keys of encryption, or a new block
// with its first key. What aes_round and aes_mix_columns_both do, shaped for four levels of LUT4:
//
//   1  unmixed columns a; in decryption, from the registers, s = a0 + a2 and t = a1 + a3
//   2  sums for MixColumns; 04 s, 04 t and w = s + t, which are zero in encryption
//   3  MixColumns; its correction 04 s + 08 w for rows 0 and 2, 04 t + 08 w for rows 1 and 3
//   4  inner_o
//
// Each column has controls of its own, which are to be equal. Combinational.

module aes_round_entry
  import aes_pkg::*;
(
  input  logic [3:0] decrypt_i,     // InvShiftRows
  input  logic [3:0] correct_i,     // InvMixColumns; only with decrypt_i and without enter_i
  input  logic [3:0] enter_i,       // inner_o is entry_i
  input  block_t     state_i,       // after SubBytes or InvSubBytes
  input  block_t     key_before_i,
  input  block_t     entry_i,
  output block_t     inner_o,
  output block_t     last_o         // result of the last round
);

  block_t forward, inverse;

  assign forward = shift_rows(state_i);
  assign inverse = inv_shift_rows(state_i);

  for (genvar c = 0; c < 4; c++) begin : gen_column
    word_t key;
    byte_t [3:0] a, b, mixed, correction;
    byte_t s, t, w, s_4, t_4, w_8;

    // Row r is byte 3 - r.
    assign key = key_before_i[32*c+:32];
    assign a   = (decrypt_i[c] ? inverse[32*c+:32] : forward[32*c+:32]) ^ key;
    assign b   = inverse[32*c+:32] ^ key;

    assign s   = b[3] ^ b[1];
    assign t   = b[2] ^ b[0];
    assign w   = (s ^ t) & {8{correct_i[c]}};
    assign s_4 = xtime(xtime(s)) & {8{correct_i[c]}};
    assign t_4 = xtime(xtime(t)) & {8{correct_i[c]}};
    assign w_8 = xtime(xtime(xtime(w)));

    for (genvar r = 0; r < 4; r++) begin : gen_row
      // 02 (this + next) + next + last + other
      byte_t this_row, next_row, across, pair;
      assign this_row = a[3-r];
      assign next_row = a[3-(r+1)%4];
      assign across   = a[3-(r+2)%4];
      // Rows 0 and 2 are shifted alike in both directions.
      assign pair     = (r % 2 == 0) ? a[2] ^ a[0] : s;
      for (genvar j = 0; j < 8; j++) begin : gen_bit
        localparam int unsigned Below = (j + 7) % 8;
        logic reduced;
        if (j inside {1, 3, 4}) begin : gen_reduced
          assign reduced = pair[j] ^ this_row[7] ^ next_row[7];
        end else begin : gen_plain
          assign reduced = pair[j];
        end
        assign mixed[3-r][j] = reduced ^ across[j] ^ this_row[Below] ^ next_row[Below];
      end
      assign correction[3-r] = ((r % 2 == 0) ? s_4 : t_4) ^ w_8;
    end

    assign last_o[32*c+:32]  = a;
    assign inner_o[32*c+:32] = (enter_i[c] ? '0 : mixed) ^ correction ^ entry_i[32*c+:32];
  end

endmodule
