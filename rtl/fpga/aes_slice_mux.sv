// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A multiplexer that is meant for the one beside two LUTs of a slice (PFUMX of ECP5, recipe slicemux),
// which costs no LUT and no way through the routing; elsewhere it is logic. Its instances are called
// u_slice_mux, by which the recipe finds them; those below an instance u_round are taken for the
// middle of the longest path, but for u_slice_mux_entry. Combinational.

module aes_slice_mux (
  input  logic sel_i,
  input  logic zero_i,
  input  logic one_i,
  output logic y_o
);

  assign y_o = sel_i ? one_i : zero_i;

endmodule
