// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys of a 128-bit key made while the block is processed, from running sums of its words (FIPS
// 197, section 5.2), so that one LUT4 and the S-box are all there is between two registers:
//
//   in_key_i ----[ sums ]---[ mux ]--|R|-- sums --+--(+ t)-- round_key_o
//                 next sums --+   ^               |
//                             +---|---------------+
//   last word --[ mux ]--[ SubWord(RotWord) ]--|R|-- t
//
// The words of the next round key are w[0] + t + Rcon, w[0] + w[1] + t + Rcon and so on. A register
// keeps the sums p[i] = w[0] + ... + w[i] + Rcon, so each of the words is p[i] + t. The next sums
// are sums of these again, in which t and Rcon cancel in pairs. The operand of the next SubWord is
// p[3] + t. With aes_key_schedule_on_the_fly SubWord stands between chains of additions.
//
// round_key_o follows the key that enters by one clock, for the first round; sums_o and sub_o are its
// two addends. The S-boxes have their register inside, so they can be block RAMs.

module aes_key_schedule_sums
  import aes_pkg::*;
  import aes_key_pkg::*;
#(
  parameter sbox_e Sbox     = SboxTable,
  parameter bit    Hardened = 1'b0       // registers of control in three copies
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [255:0] in_key_i,          // key of the block that is offered, at the top
  input  logic         enter_i,           // a block may enter: a new key is taken
  output block_t       first_key_o,       // for the block that is offered
  output block_t       round_key_o,       // for the block under way
  output block_t       sums_o,            // round_key_o without t
  output word_t        sub_o,             // t, which every word of round_key_o adds
  output logic         last_round_o,      // round_key_o is the last one of the block
  output logic         last_round_next_o,  // that of the next clock
  output logic         fault_o            // copies of a register differ
);

  word_t [3:0] key, sums_d, sums_q;  // [0] is the first word
  word_t operand, sub, rcon_word;
  byte_t rcon_d, rcon_q;  // for the next sums
  logic last_round_q;

  for (genvar w = 0; w < 4; w++) begin : gen_word
    assign key[w]                    = in_key_i[255-32*w-:32];
    assign sums_o[127-32*w-:32]      = sums_q[w];
    assign round_key_o[127-32*w-:32] = sums_q[w] ^ sub;
  end

  assign operand = enter_i ? key[3] : sums_q[3] ^ sub;

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Levels  (1),
    .NumBytes(4)
  ) u_sub_word (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  ({operand[23:0], operand[31:24]}),
    .bytes_o  (sub)
  );

  // A key that enters and sums under way meet in parts, of which every sum is one more addition.
  word_t [3:0] parts;

  assign rcon_word = {rcon_q, 24'd0};
  assign parts[0]  = enter_i ? key[0] ^ {8'h01, 24'd0} : sums_q[0] ^ rcon_word;
  assign parts[1]  = enter_i ? key[1] : sums_q[1];
  assign parts[2]  = enter_i ? key[2] : sums_q[2];
  assign parts[3]  = enter_i ? key[3] : sums_q[3];

  assign sums_d[0] = parts[0] ^ (enter_i ? '0 : sub);
  assign sums_d[1] = parts[0] ^ parts[1];
  assign sums_d[2] = parts[0] ^ parts[1] ^ (enter_i ? key[2] : sums_q[2] ^ sub);
  assign sums_d[3] = parts[0] ^ parts[1] ^ parts[2] ^ parts[3];

  assign rcon_d = enter_i ? 8'h02 : rcon_after(rcon_q);

  always_ff @(posedge clk_i) sums_q <= sums_d;

  logic [1:0] fault;

  aes_control_register #(
    .Width   (8),
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_rcon (
    .clk_i,
    .rst_ni,
    .d_i    (rcon_d),
    .q_o    (rcon_q),
    .fault_o(fault[0])
  );

  aes_control_register #(
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_last_round (
    .clk_i,
    .rst_ni,
    .d_i    (last_round_next_o),
    .q_o    (last_round_q),
    .fault_o(fault[1])
  );

  assign fault_o = |fault;

  // Of all round constants only the last one, 8'h36, has these two bits.
  assign last_round_next_o = ~enter_i & rcon_q[2] & rcon_q[1];

  assign first_key_o  = in_key_i[255:128];
  assign sub_o        = sub;
  assign last_round_o = last_round_q;

  logic unused_key;
  assign unused_key = ^in_key_i[127:0];

endmodule
