// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The counts by feedback of aes_pkg: NumCounts of them follow each other in a ring from 0, and no other
// count takes more than Way clocks into that ring. So a flip can neither stop a counter nor keep a count
// from being met.

module count_miter
  import aes_pkg::*;
#(
  parameter int unsigned NumCounts = 143,
  parameter int unsigned Way       = 16
) (
  input  byte_t count_i,  // any
  output logic  same_o
);

  // [k]: k clocks after count_i.
  byte_t [Way:0] count;

  assign count[0] = count_i;
  for (genvar k = 0; k < Way; k++) begin : gen_step
    assign count[k+1] = next_count(count[k]);
  end

  // Nothing comes twice in a ring, so 0 is its first count alone.
  logic [NumCounts-1:0] is_zero, is_met;
  for (genvar k = 0; k < NumCounts; k++) begin : gen_ring
    localparam byte_t Count = count_after(k);
    assign is_zero[k] = Count == '0;
    assign is_met[k]  = Count == count[Way];
  end

  assign same_o = is_zero == NumCounts'(1) && count_after(NumCounts) == '0 && |is_met;

endmodule
