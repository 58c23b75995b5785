// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A key round cut into as many register levels as a round of the data path has (beta of
// standaert2003, section 5.2 and Fig. 2): a new 128-bit key each clock.
//
//   clock            0 ... SboxLevels        SboxLevels         SboxLevels + 1
//
//   w3 --+--[ SubWord(RotWord), levels ]--(+ rcon_i)--+
//        |                                            v
//   w0 --|------[ delay ]----------------------------(+)--|R|--+--------------------|R|-- w0'
//        |                                                     v
//   w1 --|------[ delay ]-----------------------------[ delay ](+)----------|R|-- w1'
//   w2 --|------[ delay ]-----------------------------[ delay ](+ w1)-------|R|-- w2'
//        +------[ delay ]-----------------------------[ delay ](+ w1 + w2)--|R|-- w3'
//
// This is MixLevels = 2. With MixLevels = 1 all four words are made in one level, by aes_key_round.
//
// With Loop = 1 (and MixLevels = 2) the last level is also the multiplexer of a loop, one LUT4 a
// bit: there load_i takes new_key_i in place of the result, which next_o shows as well. For that
// the sums w1, w1 + w2 and w1 + w2 + w3 are made a level earlier: 64 LUTs more, and none for the
// multiplexer.
//
// The delays have no reset and no enable, so that a synthesis tool may turn those of three and more
// clocks into LUT shift registers. The placement of the registers in Fig. 2 of the paper is lost;
// this one, with one of the words w1 to w3 delayed in flip-flops and two in LUTs, gives both totals
// of Table 3: 768 LUTs and 488 flip-flops. Yosys 0.70 has no shift registers for Virtex: 672
// flip-flops and 768 LUTs, 640 of them in S-boxes.

module aes_key_round_staged
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox       = SboxTable,
  parameter int unsigned SboxLevels = 1,          // register levels of the S-boxes, from 1
  parameter int unsigned MixLevels  = 1,          // register levels of the rest, 1 or 2
  parameter bit          Loop       = 1'b0        // 1: with the multiplexer of a loop
) (
  input  logic   clk_i,
  input  block_t key_i,
  input  byte_t  rcon_i,     // SboxLevels clocks after key_i
  input  logic [15:0] load_i, // Loop only: for each byte of new_key_i, one clock before key_o
  input  block_t new_key_i,
  output block_t next_o,     // Loop only: the result, one clock before key_o
  output block_t key_o       // SboxLevels + MixLevels clocks after key_i
);

  if (!Loop) begin : gen_straight
    logic unused_loop;
    assign unused_loop = ^{load_i, new_key_i};
    assign next_o      = '0;
  end

  word_t sub;
  block_t [SboxLevels-1:0] delay_q;

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Dir     (DirEncrypt),
    .Levels  (SboxLevels),
    .NumBytes(4)
  ) u_sub_word (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  (rot_word(key_i[31:0])),
    .bytes_o  (sub)
  );

  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < SboxLevels; l++) delay_q[l] <= (l == 0) ? key_i : delay_q[l-1];
  end

  if (MixLevels == 1) begin : gen_one
    block_t key_d;

    aes_key_round u_key_round (
      .key_i(delay_q[SboxLevels-1]),
      .sub_i(sub),
      .rcon_i,
      .key_o(key_d)
    );

    always_ff @(posedge clk_i) key_o <= key_d;
  end else if (MixLevels == 2 && Loop) begin : gen_two_loop
    word_t w0, w1, w2, w3;
    block_t new_q, sums_q;

    assign {w0, w1, w2, w3} = delay_q[SboxLevels-1];

    always_ff @(posedge clk_i) begin
      new_q  <= {4{w0 ^ sub ^ {rcon_i, 24'b0}}};
      sums_q <= {32'b0, w1, w1 ^ w2, w1 ^ w2 ^ w3};
      for (int unsigned n = 0; n < 16; n++) begin
        key_o[8*n+:8] <= load_i[n] ? new_key_i[8*n+:8] : next_o[8*n+:8];
      end
    end

    assign next_o = new_q ^ sums_q;
  end else if (MixLevels == 2) begin : gen_two
    word_t w0, w1, w2, w3, new_w0_q, w1_q, w2_q, w3_q;

    assign {w0, w1, w2, w3} = delay_q[SboxLevels-1];

    always_ff @(posedge clk_i) begin
      new_w0_q           <= w0 ^ sub ^ {rcon_i, 24'b0};
      {w1_q, w2_q, w3_q} <= {w1, w2, w3};

      key_o <= {
        new_w0_q,
        new_w0_q ^ w1_q,
        new_w0_q ^ w1_q ^ w2_q,
        new_w0_q ^ w1_q ^ w2_q ^ w3_q
      };
    end
  end else begin : gen_bad_levels
    $fatal(1, "aes_key_round_staged: MixLevels must be 1 or 2");
  end

endmodule
