// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_key_round beside the recurrence of KeyExpansion for Nk = 4 (FIPS 197, section 5.2).

module key_round_miter
  import aes_pkg::*;
(
  input  block_t key_i,
  input  word_t  sub_i,
  input  byte_t  rcon_i,
  output logic   same_o
);

  block_t realised;
  word_t  w[8];

  aes_key_round u_key_round (
    .key_i,
    .sub_i,
    .rcon_i,
    .key_o(realised)
  );

  always_comb begin
    for (int i = 0; i < 4; i++) w[i] = key_i[127-32*i-:32];
    for (int i = 4; i < 8; i++) begin
      w[i] = w[i-4] ^ ((i == 4) ? sub_i ^ {rcon_i, 24'h0} : w[i-1]);
    end
  end

  assign same_o = realised == {w[4], w[5], w[6], w[7]};

endmodule
