// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// One step of KeyExpansion (FIPS 197, section 5.2): the next window of Nk words, of which the top
// four are a round key, from the one before it; see aes_key_pkg. SubWord is made outside, where a
// register may stand on its path.
//
//   window_i --[ sub_operand ]--( SubWord )-- sub_i
//   window_o = { window_i without its first four words, the four new words }
//
// For 128-bit keys: w0' = w0 + sub_i + Rcon, w1' = w1 + w0', w2' = w2 + w1', w3' = w3 + w2'.

module aes_key_round
  import aes_pkg::*;
  import aes_key_pkg::*;
#(
  parameter  key_size_e   KeySize = KeySize128,
  localparam int unsigned Width   = key_width(KeySize)
) (
  input  logic [Width-1:0] window_i,
  input  logic [1:0]       phase_i,   // of the step, phase_of(KeySize, r)
  input  word_t            sub_i,     // SubWord of sub_operand(KeySize, phase_i, window_i)
  input  byte_t            rcon_i,    // used where takes_rcon(KeySize, phase_i)
  output logic [Width-1:0] window_o
);

  window_t window;

  assign window   = {window_i, {(256 - Width) {1'b0}}};
  assign window_o = Width'({window_i, second_part(first_part(KeySize, phase_i, window, sub_i,
                                                             rcon_i))});

endmodule
