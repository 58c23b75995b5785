// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A column of aes_round_crossed, whose header says what crossed means:
//
//   forward_i --+--[ crossed MixColumns ]-----------------+--[ mux ]--(+)-- inner_o
//               |                                         |            ^
//   inverse_i --|--(+ key_before)--+--[ InvMixColumns ]---+            +--[ crossed ]-- entry_i
//               |                  |
//               |                  +------------------------[ mux ]-- last_o
//               +--[ crossed ]--(+ key_before)--------------+
//
// entry_i is the sum of all that is added behind MixColumns: round keys of encryption, or a new block
// with its first key, for which enter_i takes away what MixColumns gives. It is shaped for three
// levels of LUT4 and the multiplexer of a slice from forward_i and inverse_i to inner_o:
//
//   1   encryption: v0 + v1 and v1 + v2 + v3 of forward_i. Decryption: a, with its key,
//       and s = a0 + a2 and t = a1 + a3
//   2   encryption: M {02} M of the one and M M of the other, up to eight bits of them in two sums.
//       Decryption: MixColumns as a sum of two, its correction (aes_mix_pkg) as another one. Of a
//       bit, one of these LUTs is for both kinds of rows
//   3   decryption: the sum of the four; else: the two, AND not enter, + entry. Then the multiplexer
//
// Combinational.

module aes_column_crossed
  import aes_pkg::*;
  import aes_mix_pkg::*;
(
  input  logic  decrypt_i,       // direction of what comes in
  input  logic  correct_i,       // InvMixColumns; only with decrypt_i, and without enter_i
  input  logic  enter_i,         // inner_o is entry_i
  input  logic  next_decrypt_i,  // direction of inner_o, which is not crossed then
  input  word_t forward_i,       // a column of what ShiftRows gives; row 0 at the top
  input  word_t inverse_i,       // and InvShiftRows
  input  word_t key_before_i,
  input  word_t entry_i,
  output word_t inner_o,
  output word_t last_o           // result of the last round
);

  localparam byte_t Scale = 8'h8c;  // k
  localparam byte_t Constant = 8'h63;

  function automatic byte_t crossed(byte_t x);
    return sbox_affine(gf_mul(x, Scale)) ^ Constant;
  endfunction

  // The bits of x in bit j of M times x, or of M times factor times M times x.
  function automatic byte_t mask_of(int unsigned j, bit twice, byte_t factor);
    byte_t mask;
    for (int unsigned i = 0; i < 8; i++) begin
      mask[i] = 1'(crossed(twice ? gf_mul(crossed(8'(1 << i)), factor) : 8'(1 << i)) >> j);
    end
    return mask;
  endfunction

  // The first ones of a mask: what the first of two sums of four takes, or of one of four and a bit.
  function automatic logic [15:0] first_of(logic [15:0] mask);
    logic [15:0] first;
    int unsigned count;
    first = '0;
    count = ($countones(mask) > 5) ? 4 : 1;
    for (int i = 0; i < 16; i++) begin
      if (mask[i] && count != 0) begin
        first[i] = 1'b1;
        count--;
      end
    end
    return first;
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

  byte_t [3:0] v, a, entry;
  byte_t s, t;

  // Row r is byte 3 - r.
  assign v     = forward_i;
  assign a     = inverse_i ^ key_before_i;
  assign s     = a[3] ^ a[1];
  assign t     = a[2] ^ a[0];

  for (genvar r = 0; r < 4; r++) begin : gen_row
    byte_t plain;
    assign plain = entry_i[8*(3-r)+:8];

    // Crossed MixColumns: M 02 M two + M M three.
    byte_t two, three;
    assign two   = v[3-r] ^ v[3-(r+1)%4];
    assign three = v[3-(r+1)%4] ^ v[3-(r+2)%4] ^ v[3-(r+3)%4];

    // MixColumns of decryption: 02 (this + next) + across + next + last.
    byte_t this_row, next_row, across, pair;
    assign this_row = a[3-r];
    assign next_row = a[3-(r+1)%4];
    assign across   = a[3-(r+2)%4];
    assign pair     = (r % 2 == 0) ? t : s;

    for (genvar j = 0; j < 8; j++) begin : gen_bit
      localparam byte_t Row = mask_of(j, 1'b0, 8'h01);
      logic crossed_plain, crossed_state;
      assign crossed_plain = ^(plain & Row) ^ Constant[j];
      assign crossed_state = ^(v[3-r] & Row) ^ Constant[j];
      assign last_o[8*(3-r)+j] = (decrypt_i ? inverse_i[8*(3-r)+j] : crossed_state) ^
                                 key_before_i[8*(3-r)+j];

      if ($countones(Row) == 3 && !Row[j]) begin : gen_five
        aes_slice_mux u_slice_mux_entry (
          .sel_i (next_decrypt_i),
          .zero_i(crossed_plain),
          .one_i (plain[j]),
          .y_o   (entry[3-r][j])
        );
      end else begin : gen_four
        assign entry[3-r][j] = next_decrypt_i ? plain[j] : crossed_plain;
      end

      // M {63} stays of the constant of SubBytes behind MixColumns, which adds up to {01}.
      localparam logic [15:0] Mask = {mask_of(j, 1'b1, 8'h02), mask_of(j, 1'b1, 8'h01)};
      localparam logic [15:0] First = first_of(Mask);
      localparam byte_t Rest = crossed(Constant);
      logic mixed_first, mixed_rest;
      assign mixed_first = ^({two, three} & First) ^ Rest[j];
      assign mixed_rest  = ^({two, three} & Mask & ~First);

      localparam int unsigned Below = (j + 7) % 8;
      localparam logic [15:0] Shared = shared_of(correction_of(0, j), correction_of(1, j));
      localparam logic [15:0] Own = correction_of(r, j) & ~Shared;
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
        .sel_i (correct_i),
        .zero_i(((mixed_first ^ mixed_rest) & ~enter_i) ^ entry[3-r][j]),
        .one_i (head ^ rest ^ correction),
        .y_o   (inner_o[8*(3-r)+j])
      );
    end
  end

endmodule
