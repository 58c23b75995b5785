// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// T-boxes: SubBytes and MixColumns of a byte in one table of 256 words (fischer2001, section 3.2,
// equations 6 and 8; kakarlapudi, section III).
//
//   encryption   T0[a]  = {02, 01, 01, 03} S[a]       byte of row 0 at the top
//   decryption   T0'[a] = {0e, 09, 0d, 0b} S^-1[a]
//
// T1 to T3, for the bytes of rows 1 to 3, are T0 rotated down by 1 to 3 bytes, which is wires: the
// one table serves every byte of the state. (kakarlapudi prints T0' with S; S^-1 is right.)

package aes_tbox_pkg;

  import aes_pkg::*;

  // The word of a T-box from the byte of the S-box. (A table of words here, made once, would be
  // neater; Verilator makes it anew at each use and takes gigabytes.)
  function automatic word_t tbox_word(byte_t s, logic inverse);
    byte_t s2, s4, s8;
    s2 = xtime(s);
    s4 = xtime(s2);
    s8 = xtime(s4);
    return inverse ? {s8 ^ s4 ^ s2, s8 ^ s, s8 ^ s4 ^ s, s8 ^ s2 ^ s} : {s2, s, s, s2 ^ s};
  endfunction

  // Bits of a state that aes_tbox_packed has as a row of MixColumns in its table for the last round.
  function automatic byte_t packed_kept();
    return 8'b0101_1101;
  endfunction

  // Tn from T0, n the row of the byte.
  function automatic word_t rotate_down(word_t w, int unsigned n);
    case (n % 4)
      0:       return w;
      1:       return {w[7:0], w[31:8]};
      2:       return {w[15:0], w[31:16]};
      default: return {w[23:0], w[31:24]};
    endcase
  endfunction

endpackage
