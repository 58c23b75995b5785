// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What InvMixColumns (FIPS 197, section 5.3.3) adds to MixColumns (section 5.1.3), for circuits that do
// both. circ(0e, 0b, 0d, 09) = circ(02, 03, 01, 01) + circ(0c, 08, 0c, 08), so with s = a0 + a2 and
// t = a1 + a3 of a column, rows 0 and 2 are corrected by 0c s + 08 t, rows 1 and 3 by 08 s + 0c t.

package aes_mix_pkg;
  import aes_pkg::*;

  // The bits of {s, t} in bit j of the correction of a row: left times s plus right times t.
  function automatic logic [15:0] correction_of(int unsigned row, int unsigned j);
    logic [15:0] mask;
    byte_t left, right;
    left  = (row % 2 == 0) ? 8'h0c : 8'h08;
    right = (row % 2 == 0) ? 8'h08 : 8'h0c;
    for (int unsigned k = 0; k < 8; k++) begin
      mask[8+k] = 1'(gf_mul(8'(1 << k), left) >> j);
      mask[k]   = 1'(gf_mul(8'(1 << k), right) >> j);
    end
    return mask;
  endfunction

endpackage
