// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A T-box round beside the order of steps of FIPS 197 on a 4 x 4 array of bytes: Cipher (section
// 5.1) and EqInvCipher (section 5.3.5). same_o is high when both results agree.
//
// state_i is the state after SubBytes or InvSubBytes. Those are bijections of bytes, and the T-boxes
// are proved to hold the multiples of their results, so the words made here are those of the
// tables for every state. SubBytes and ShiftRows commute.
//
// A round is a sum of what it makes of the state and what it makes of the key. The macro PART says
// what is proved: 0 this, by three rounds; 1 and 2 that each is right alone. Together that is all
// states with all keys. (The sums at once are too wide for a SAT solver.)

module tbox_round_miter
  import aes_pkg::*;
  import fips197_pkg::*;
#(
  parameter dir_e Dir = DirEncrypt
) (
  input  logic   decrypt_i,
  input  block_t state_i,
  input  block_t round_key_i,
  output logic   same_o
);

  block_t shifted;
  word_t [15:0] words;
  logic inverse;

  assign inverse = (Dir == DirBoth) ? decrypt_i : (Dir == DirDecrypt);

  aes_shift_rows #(
    .Dir(Dir)
  ) u_shift_rows (
    .decrypt_i,
    .state_i,
    .state_o(shifted)
  );

  always_comb begin
    for (int i = 0; i < 16; i++) begin
      words[i] = inverse ? {gf_mul(shifted[8*i+:8], 8'h0e), gf_mul(shifted[8*i+:8], 8'h09),
                            gf_mul(shifted[8*i+:8], 8'h0d), gf_mul(shifted[8*i+:8], 8'h0b)} :
          {gf_mul(shifted[8*i+:8], 8'h02), shifted[8*i+:8], shifted[8*i+:8],
           gf_mul(shifted[8*i+:8], 8'h03)};
    end
  end

  // Of state and key, of the state alone, of the key alone.
  block_t mixed[3];
  block_t inner_key[3];
  block_t inner[3];
  block_t last [3];

  for (genvar i = 0; i < 3; i++) begin : gen_round
    aes_tbox_round #(
      .Dir(Dir)
    ) u_round (
      .decrypt_i,
      .words_i    ((i == 2) ? '0 : words),
      .round_key_i((i == 1) ? '0 : round_key_i),
      .mixed_o    (mixed[i]),
      .inner_key_o(inner_key[i]),
      .inner_o    (inner[i]),
      .last_o     (last[i])
    );
  end

  array_t key, moved;
  logic is_sum, state_right, key_right;

  assign key   = to_array(round_key_i);
  assign moved = shift(to_array(state_i), inverse);

  assign is_sum = inner[0] == (inner[1] ^ inner[2]) && last[0] == (last[1] ^ last[2]);

  assign state_right = inner[1] == to_block(
      inverse ? mix(moved, 8'h0e, 8'h0b, 8'h0d, 8'h09) : mix(moved, 8'h02, 8'h03, 8'h01, 8'h01)
  ) && last[1] == to_block(moved);

  assign key_right = inner[2] == to_block(
      inverse ? mix(key, 8'h0e, 8'h0b, 8'h0d, 8'h09) : key
  ) && last[2] == round_key_i;

  assign same_o = (`PART == 0) ? is_sum : (`PART == 1) ? state_right : key_right;

endmodule
