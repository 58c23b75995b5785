// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What follows SubBytes in a round of both directions, with the place where a new block comes in:
//
//   state_i --[ (Inv)ShiftRows ]--(+ key_before)--+--[ (Inv)MixColumns ]--(+ entry_i)-- inner_o
//                                                 +------------------------------------ last_o
//
// entry_i is the sum of all that is added behind MixColumns: round keys of encryption, or a new block
// with its first key, for which enter_i takes away what MixColumns gives. It is the job of aes_round
// and aes_mix_columns_both, shaped for three levels of LUT4 and the multiplexer of a slice:
//
//   1   unmixed columns a; and, from the registers, s = a0 + a2 and t = a1 + a3 of decryption
//   2   MixColumns as a sum of two; its correction, 0c s + 08 t for rows 0 and 2 and 08 s + 0c t for
//       rows 1 and 3, as another one. Of a bit, one of these LUTs is for both kinds of rows
//   3   decryption: the sum of the four; else: the two, AND not enter, + entry. Then the multiplexer
//
// Each column has controls of its own, which are to be equal. Combinational.

module aes_round_entry
  import aes_pkg::*;
(
  input  logic [3:0] decrypt_i,     // InvShiftRows
  input  logic [3:0] correct_i,     // InvMixColumns; only with decrypt_i, and without enter_i
  input  logic [3:0] enter_i,       // inner_o is entry_i
  input  block_t     state_i,       // after SubBytes or InvSubBytes
  input  block_t     key_before_i,
  input  block_t     entry_i,
  output block_t     inner_o,
  output block_t     last_o         // result of the last round
);

  // The bits of {s, t} in bit j of left times s plus right times t.
  function automatic logic [15:0] mask_of(byte_t left, byte_t right, int unsigned j);
    logic [15:0] mask;
    for (int unsigned k = 0; k < 8; k++) begin
      mask[8+k] = 1'(gf_mul(8'(1 << k), left) >> j);
      mask[k]   = 1'(gf_mul(8'(1 << k), right) >> j);
    end
    return mask;
  endfunction

  // Up to four bits that two masks have in common; none where four bits are all of a mask.
  function automatic logic [15:0] shared_of(logic [15:0] mask, logic [15:0] other);
    logic [15:0] common, shared;
    int unsigned count;
    common = mask & other;
    shared = '0;
    count  = ($countones(mask) == 4) ? 2 : 0;
    for (int i = 0; i < 8; i++) begin
      if (count < 2 && common[i] && common[8+i]) begin
        shared[i]   = 1'b1;
        shared[8+i] = 1'b1;
        count++;
      end
    end
    return shared;
  endfunction

  block_t forward, inverse;

  assign forward = shift_rows(state_i);
  assign inverse = inv_shift_rows(state_i);

  for (genvar c = 0; c < 4; c++) begin : gen_column
    word_t key;
    byte_t [3:0] a, b, entry, inner;
    byte_t s, t;

    // Row r is byte 3 - r.
    assign key   = key_before_i[32*c+:32];
    assign entry = entry_i[32*c+:32];
    assign a     = (decrypt_i[c] ? inverse[32*c+:32] : forward[32*c+:32]) ^ key;
    assign b     = inverse[32*c+:32] ^ key;
    assign s     = b[3] ^ b[1];
    assign t     = b[2] ^ b[0];

    for (genvar r = 0; r < 4; r++) begin : gen_row
      // MixColumns: 02 (this + next) + across + next + last.
      byte_t this_row, next_row, across, pair;
      assign this_row = a[3-r];
      assign next_row = a[3-(r+1)%4];
      assign across   = a[3-(r+2)%4];
      // Rows 0 and 2 are shifted alike in both directions.
      assign pair     = (r % 2 == 0) ? a[2] ^ a[0] : s;

      for (genvar j = 0; j < 8; j++) begin : gen_bit
        localparam int unsigned Below = (j + 7) % 8;
        localparam logic [15:0] Even = mask_of(8'h0c, 8'h08, j);
        localparam logic [15:0] Odd = mask_of(8'h08, 8'h0c, j);
        localparam logic [15:0] Shared = shared_of(Even, Odd);
        localparam logic [15:0] Own = ((r % 2 == 0) ? Even : Odd) & ~Shared;
        logic correction, head, rest;
        assign correction = ^({s, t} & Shared) ^ ^({s, t} & Own);

        if (j inside {1, 3, 4}) begin : gen_reduced
          if (r % 2 == 0) begin : gen_even
            assign head = pair[j] ^ (this_row[7] ^ next_row[7]);
            assign rest = across[j] ^ this_row[Below] ^ next_row[Below];
          end else begin : gen_odd
            assign head = pair[j] ^ across[j] ^ this_row[Below] ^ next_row[Below];
            assign rest = this_row[7] ^ next_row[7];
          end
        end else begin : gen_plain
          assign head = pair[j];
          assign rest = across[j] ^ this_row[Below] ^ next_row[Below];
        end

        aes_slice_mux u_slice_mux (
          .sel_i (correct_i[c]),
          .zero_i(((head ^ rest) & ~enter_i[c]) ^ entry[3-r][j]),
          .one_i (head ^ rest ^ correction),
          .y_o   (inner[3-r][j])
        );
      end
    end

    assign last_o[32*c+:32]  = a;
    assign inner_o[32*c+:32] = inner;
  end

endmodule
