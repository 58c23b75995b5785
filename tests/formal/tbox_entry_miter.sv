// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_tbox_entry and aes_tbox_packed_entry, for one column, beside MixColumns (FIPS 197, section 5.1)
// of the bytes that T-box words are made of, or what the last round and an entry have in its place.
// Macro PACKED: of the second one, with what aes_tbox_packed has in its tables for both. same_o is
// high when they agree.

module tbox_entry_miter
  import aes_pkg::*;
  import aes_tbox_pkg::*;
(
  input  logic        round_i,
  input  logic        keep_i,
  input  word_t       in_column_i,
  input  word_t       round_key_i,
  input  byte_t [3:0] bytes_i,      // after SubBytes and ShiftRows, [3] of row 0
  output logic        same_o
);

  word_t [3:0] words;
  word_t column, added, mixed;
  byte_t a, b, c, d;

  assign {a, b, c, d} = bytes_i;
  assign added = round_key_i ^ in_column_i;
  assign mixed = {
    xtime(a) ^ xtime(b) ^ b ^ c ^ d,
    a ^ xtime(b) ^ xtime(c) ^ c ^ d,
    a ^ b ^ xtime(c) ^ xtime(d) ^ d,
    xtime(a) ^ a ^ b ^ c ^ xtime(d)
  };

`ifdef PACKED
  word_t last;
  logic  same_last;

  for (genvar i = 0; i < 4; i++) begin : gen_word
    byte_t s, kept, low;
    assign s = bytes_i[i];
    assign kept = s & packed_kept();
    assign low = {kept[0], kept[7:5], 2'b00, kept[2], 1'b0};
    assign words[i] = round_i ? {xtime(
        s
    ), s, s, xtime(
        s
    ) ^ s} : keep_i ? {kept, low, low, s & ~packed_kept()} : '0;
  end

  aes_tbox_packed_entry u_entry (
    .added_i (added),
    .words_i (words),
    .column_o(column),
    .last_o  (last)
  );

  assign same_last = last == (bytes_i ^ added);
  assign same_o    = round_i ? column == (mixed ^ added) : keep_i ? same_last : column == added;
`else
  for (genvar i = 0; i < 4; i++) begin : gen_word
    assign words[i] = {xtime(bytes_i[i]), bytes_i[i], bytes_i[i], xtime(bytes_i[i]) ^ bytes_i[i]};
  end

  aes_tbox_entry u_entry (
    .round_i,
    .keep_i,
    .in_column_i,
    .round_key_i,
    .words_i (words),
    .column_o(column)
  );

  // Without keep_i there is no round.
  assign same_o = column == ((round_i ? mixed : keep_i ? bytes_i : '0) ^ added) ||
                  (round_i && !keep_i);
`endif

endmodule
