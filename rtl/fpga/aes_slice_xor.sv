// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A sum of five bits that is meant for one LUT5, two LUT4 of a slice and the multiplexer beside them
// (PFUMX of ECP5, recipe slicexor), which is one way through the routing; elsewhere it is logic. Its
// instances are called u_slice_xor, by which the recipe finds them. Combinational.

module aes_slice_xor (
  input  logic [4:0] bits_i,
  output logic       y_o
);

  assign y_o = ^bits_i;

endmodule
