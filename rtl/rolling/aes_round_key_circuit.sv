// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The round key circuit of a round: a round key of a 128-bit key from the one before it, two block
// periods later (qin2005, section 4).
//
//                   half_q                                       key_q
//   key_i --+-----[ |R| load ]-----+------------------[ key round ]--[ |R| load ]-- key_o
//           :                      :                       |
//           + N = 1          N > 1 +                       |
//           :......................:--[ 4 S-boxes |R| ]----+
//
// A round of the core has two register levels at block rate, so this has two as well; the paper
// gives no places. load_i is high in the last clock of each block period of N clocks:
//
//   edge 0    key_i changes
//   edge N    half_q takes it (load_i)
//   edge N+1  the S-boxes have read it from half_q; for N = 1 they read key_i at edge N instead
//   edge 2N   key_q takes the next round key (load_i)
//
// The register of the S-boxes runs with every clock: that suits a block RAM, and logic S-boxes get
// the whole of a clock before and after it. Cost: 256 flip-flops and 4 S-boxes. The XORs are those
// of aes_key_round; Rcon, a constant of the circuit, becomes inversions.

module aes_round_key_circuit
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox       = SboxTable,
  parameter int unsigned NumLookups = 1,         // clocks of a block period
  parameter byte_t       Rcon       = 8'h01
) (
  input  logic   clk_i,
  input  logic   load_i,  // the last clock of a block period
  input  block_t key_i,
  output block_t key_o    // two block periods after key_i
);

  block_t half_q, key_d, key_q;
  word_t last_word, sub;

  assign last_word = (NumLookups == 1) ? key_i[31:0] : half_q[31:0];

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Dir     (DirEncrypt),
    .Levels  (1),
    .NumBytes(4)
  ) u_sub_word (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  (rot_word(last_word)),
    .bytes_o  (sub)
  );

  aes_key_round u_key_round (
    .window_i(half_q),
    .phase_i (2'd0),
    .sub_i   (sub),
    .rcon_i  (Rcon),
    .window_o(key_d)
  );

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      half_q <= key_i;
      key_q  <= key_d;
    end
  end

  assign key_o = key_q;

endmodule
