// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys of a 128-bit key made while the block is processed (FIPS 197, section 5.2; pilchard,
// section 3): a key travels with each block.
//
//   in_key_i --[ mux ]--+--|R|------------------+--( key round )-- ... --( key round )--+
//                 |     +--[ SubWord(RotWord) ]-+        |                     |        |
//                 |                                   key 0 ...             key N-1     |
//                 +---------------------------------------------------------------------+
//
// The SubWord of the first key round of a clock has the register on its path, so that it can be a
// block RAM; those of the others (NumRounds > 1) are combinational.

module aes_key_schedule_on_the_fly
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox      = SboxTable,
  parameter int unsigned NumRounds = 1           // round keys a clock; divides 10
) (
  input  logic                   clk_i,
  input  block_t                 in_key_i,      // key of the block that is offered
  input  logic                   busy_i,        // a block is under way
  output block_t                 first_key_o,   // for the block that is offered
  output block_t [NumRounds-1:0] round_keys_o,  // for the block under way, [0] comes first
  output logic                   last_round_o   // round_keys_o are the last ones of the block
);

  // a times x^exponent.
  function automatic byte_t times_x(byte_t a, int unsigned exponent);
    byte_t product;
    product = a;
    for (int unsigned i = 0; i < exponent; i++) product = xtime(product);
    return product;
  endfunction

  // Rcon of the first key round in the last clock of a block.
  localparam byte_t LastRcon = times_x(8'h01, 10 - NumRounds);

  block_t key_q, key_d;
  word_t sub[NumRounds];
  byte_t rcon_d, rcon_q;
  logic last_round_q;

  for (genvar r = 0; r < NumRounds; r++) begin : gen_round
    block_t key;

    if (r == 0) begin : gen_first
      assign key = key_q;
      aes_sub_bytes #(
        .Sbox    (Sbox),
        .Levels  (1),
        .NumBytes(4)
      ) u_sub_word (
        .clk_i,
        .decrypt_i(1'b0),
        .bytes_i  (rot_word(key_d[31:0])),
        .bytes_o  (sub[r])
      );
    end else begin : gen_next
      assign key = round_keys_o[r-1];
      aes_sub_bytes #(
        .Sbox    (Sbox),
        .Levels  (0),
        .NumBytes(4)
      ) u_sub_word (
        .clk_i,
        .decrypt_i(1'b0),
        .bytes_i  (rot_word(key[31:0])),
        .bytes_o  (sub[r])
      );
    end

    aes_key_round u_key_round (
      .key_i (key),
      .sub_i (sub[r]),
      .rcon_i(times_x(rcon_q, r)),
      .key_o (round_keys_o[r])
    );
  end

  assign key_d  = busy_i ? round_keys_o[NumRounds-1] : in_key_i;
  assign rcon_d = busy_i ? times_x(rcon_q, NumRounds) : 8'h01;

  always_ff @(posedge clk_i) begin
    key_q        <= key_d;
    rcon_q       <= rcon_d;
    last_round_q <= rcon_d == LastRcon;
  end

  assign first_key_o  = in_key_i;
  assign last_round_o = last_round_q;

endmodule
