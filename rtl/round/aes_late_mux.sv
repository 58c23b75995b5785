// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A multiplexer whose select is early. On ECP5, recipe slicemux maps it to the multiplexer (PFUMX)
// beside two LUTs of a slice: no LUT, and no way through the routing. Elsewhere it is logic.

module aes_late_mux (
  input  logic sel_i,
  input  logic zero_i,
  input  logic one_i,
  output logic y_o
);

  assign y_o = sel_i ? one_i : zero_i;

endmodule
