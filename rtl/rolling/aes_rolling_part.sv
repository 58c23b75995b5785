// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The rolling part of a round: ShiftRows and SubBytes of a block with 16/N S-boxes, each used N
// times (qin2005, section 3, Figs. 3 to 5).
//
//   N = 4   state_i --[ shifter or permutation + selector |R| ]--[ S-modules |R|R|R| ]-- result_o
//   N = 2   state_i --[ permutation + selector ]-----------------[ S-modules |R|R| ]---- result_o
//   N = 1   state_i --[ ShiftRows: wires ]-----------------------[ SubBytes |R| ]------- result_o
//
// By clock, with the block in state_i from clock 0 to clock N-1 (edge c begins clock c):
//
//   clock p      turn_i = p: the bytes of look-up p are chosen, p = 0 ... N-1
//   edge p+1+d   what they are looked up to enters the feed-back registers
//   edge 2N      result_o, whole since edge 2N-1, is to be taken: at this very edge look-up 0 of
//                the next block begins to overwrite it
//
// The paper gives neither d nor edges, but a latency of two block periods a round. With the block
// periods of all rounds aligned, the registers are whole from edge N+d on and are overwritten at
// edge N+1+d; to be read at edge 2N they need d = N-1, no less and no more. N = 2 has this one
// register in the S-box. N = 4 needs two others, which stand where the paths are longest: behind
// the choice of bytes (after MixColumns and the key addition), and behind the S-box.
//
// N = 1 is the same with d = 0: the register in the S-box is what takes the place of the feed-back
// registers.

module aes_rolling_part
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox       = SboxTable,
  parameter order_e      Order      = OrderPermutation,  // OrderShifter for NumLookups = 4 only
  parameter int unsigned NumLookups = 1                  // look-ups of an S-box, 1, 2 or 4
) (
  input  logic       clk_i,
  input  logic [1:0] turn_i,   // 0 to NumLookups-1
  input  block_t     state_i,
  output block_t     result_o
);

  if (NumLookups == 1) begin : gen_sub_bytes
    logic unused_turn;
    assign unused_turn = ^{turn_i, Order};

    aes_sub_bytes #(
      .Sbox    (Sbox),
      .Dir     (DirEncrypt),
      .Levels  (1),
      .NumBytes(16)
    ) u_sub_bytes (
      .clk_i,
      .decrypt_i(1'b0),
      .bytes_i  (shift_rows(state_i)),
      .bytes_o  (result_o)
    );
  end else if (NumLookups == 2 || NumLookups == 4) begin : gen_s_modules
    byte_t [16/NumLookups-1:0] chosen, to_look_up;

    if (Order == OrderPermutation) begin : gen_permutation
      aes_byte_permutation #(
        .NumLookups(NumLookups)
      ) u_permutation (
        .turn_i,
        .block_i(state_i),
        .bytes_o(chosen)
      );
    end else if (Order == OrderShifter && NumLookups == 4) begin : gen_shifter
      aes_byte_shifter u_shifter (
        .shift_i({turn_i, turn_i}),
        .block_i(state_i),
        .bytes_o(chosen)
      );
    end else begin : gen_unknown_order
      $fatal(1, "aes_rolling_part: unknown Order");
    end

    if (NumLookups == 4) begin : gen_chosen
      always_ff @(posedge clk_i) to_look_up <= chosen;
    end else begin : gen_no_chosen
      assign to_look_up = chosen;
    end

    aes_s_modules #(
      .Sbox      (Sbox),
      .NumLookups(NumLookups)
    ) u_s_modules (
      .clk_i,
      .bytes_i(to_look_up),
      .block_o(result_o)
    );
  end else begin : gen_unknown
    $fatal(1, "aes_rolling_part: NumLookups must be 1, 2 or 4");
  end

endmodule
