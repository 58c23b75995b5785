// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Rolling architecture: a pipeline of all rounds that takes a block every N clocks, with 16/N
// S-boxes in each round that are used N times for a block (qin2005: 4SM is N = 4, 8SM is N = 2,
// UNROLLING is N = 1).
//
//                      +--[ |R| ]--+
//                      |           |                  result         P_1
//   in_block_i --(+)---+--[ mux ]--+--[ rolling part 1 ]--[ |R| load ]--[ MixColumns ]--(+)-- ...
//                 |                                                                      | K_1
//   in_key_i -----+--[ |R| ]--[ round key circuit 1 ]--------------------------------+---+
//                 K_0                                                                +-- ...
//
//   ... --[ rolling part 10 ]--[ P_10 |R| load ]--(+ K_10)-- out_block_o
//
// A block period is N clocks. One counter numbers its clocks for all rounds (turn), and the
// registers P and those of the keys load in its last one (load): an enable in place of the paper's
// slow clock, of which f_clk, the rate of blocks, is the frequency.
//
//   clock 0             (turn 0) the block is accepted; block + K_0 goes to round 1 and, like the
//                       key, into the hold registers
//   clock 1 ... N-1     round 1 takes its other look-ups from the hold register
//   clock 2N-1          (load) P_1 takes ShiftRows and SubBytes of round 1, see aes_rolling_part
//   clock 2N ... 3N-1   P_1 + K_1 stand still; round 2 takes its look-ups from MixColumns (P_1) + K_1
//   clock 2Nr ...       the same for round r+1
//   clock 20N           (turn 0) P_10 + K_10, unregistered, with out_valid_o
//
// Each round takes two block periods; the sum is the printed latency of 20, in block periods. The
// paper has the first key addition in front of round 1 without a register, under which a block must
// stand still on the input for a period. Our contract shows it for one clock: the multiplexer
// before round 1 passes it in that clock and a copy afterwards, so nothing is added to the latency.
// The last XOR is not registered, and the output holds for a whole period; out_valid_o is high in
// its first clock only. With N = 1 there are no hold registers and no counter.
//
// What is offered while in_valid_i is low goes through the rounds as well and leaves unseen.
// Cost: 160/N S-boxes and 40 of the keys.

module aes_core_rolling
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  // Printed from one table for all cores
  input  logic   clk_i,
  input  logic   rst_ni,

  // Block
  input  logic   in_valid_i,
  output logic   in_ready_o,
  input  block_t in_block_i,
  input  block_t in_key_i,  // on-the-fly keys: its key, first byte at the top

  // Result, which cannot be held back
  output logic   out_valid_o,
  output block_t out_block_o,
  output logic   fault_o    // Cfg.hardened: copies of a register of control differ
);

  localparam int unsigned NumLookups = 32'(Cfg.lookups);
  localparam int unsigned NumRounds = 10;
  localparam int unsigned NumLevels = 2 * NumRounds;  // registers at block rate on the way

  block_t whitened, first_state, first_key;
  logic first_valid;
  logic [2:0] fault;  // copies of a register of control differ

  assign whitened = in_block_i ^ in_key_i;

  ///////////////////////////////////////////////////////////////////////////
  // Block periods
  ///////////////////////////////////////////////////////////////////////////

  logic [1:0] turn;
  logic load;

  if (NumLookups == 1) begin : gen_every_clock
    assign turn        = '0;
    assign load        = 1'b1;
    assign in_ready_o  = 1'b1;
    assign first_state = whitened;
    assign first_key   = in_key_i;
    assign first_valid = in_valid_i;
    assign fault[1:0]  = '0;
  end else begin : gen_period
    logic [1:0] turn_q;
    logic valid_q;
    block_t state_q, key_q;

    aes_control_register #(
      .Width   (2),
      .Hardened(Cfg.hardened)
    ) u_turn (
      .clk_i,
      .rst_ni,
      .d_i    (load ? '0 : turn_q + 2'd1),
      .q_o    (turn_q),
      .fault_o(fault[0])
    );

    aes_control_register #(
      .Hardened(Cfg.hardened)
    ) u_valid (
      .clk_i,
      .rst_ni,
      .d_i    (in_ready_o ? in_valid_i : valid_q),
      .q_o    (valid_q),
      .fault_o(fault[1])
    );

    always_ff @(posedge clk_i) begin
      if (in_ready_o) begin
        state_q <= whitened;
        key_q   <= in_key_i;
      end
    end

    assign turn        = turn_q;
    assign load        = turn_q == 2'(NumLookups - 1);
    assign in_ready_o  = turn_q == '0;
    assign first_state = in_ready_o ? whitened : state_q;
    assign first_key   = key_q;
    assign first_valid = valid_q;
  end

  logic [NumLevels-1:0] valid_q;

  aes_control_register #(
    .Width   (NumLevels),
    .Hardened(Cfg.hardened)
  ) u_valid (
    .clk_i,
    .rst_ni,
    .d_i    (load ? {valid_q[NumLevels-2:0], first_valid} : valid_q),
    .q_o    (valid_q),
    .fault_o(fault[2])
  );

  ///////////////////////////////////////////////////////////////////////////
  // Rounds
  ///////////////////////////////////////////////////////////////////////////

  for (genvar r = 1; r <= NumRounds; r++) begin : gen_round
    block_t state, key, substituted, p_q, round_key, after;

    if (r == 1) begin : gen_first
      assign state = first_state;
      assign key   = first_key;
    end else begin : gen_next
      assign state = gen_round[r-1].after;
      assign key   = gen_round[r-1].round_key;
    end

    aes_rolling_part #(
      .Sbox      (Cfg.sbox),
      .Order     (Cfg.order),
      .NumLookups(NumLookups)
    ) u_rolling_part (
      .clk_i,
      .turn_i  (turn),
      .state_i (state),
      .result_o(substituted)
    );

    aes_round_key_circuit #(
      .Sbox      (Cfg.key_sbox),
      .NumLookups(NumLookups),
      .Rcon      (aes_key_pkg::rcon_of(KeySize128, r - 1))
    ) u_round_key_circuit (
      .clk_i,
      .load_i(load),
      .key_i (key),
      .key_o (round_key)
    );

    always_ff @(posedge clk_i) begin
      if (load) p_q <= substituted;
    end

    if (r == NumRounds) begin : gen_last
      assign after = p_q ^ round_key;
    end else begin : gen_inner
      block_t mixed;
      aes_mix_columns #(
        .Dir(DirEncrypt)
      ) u_mix_columns (
        .decrypt_i(1'b0),
        .state_i  (p_q),
        .state_o  (mixed)
      );
      assign after = mixed ^ round_key;
    end
  end

  assign out_valid_o = valid_q[NumLevels-1] & (turn == '0);
  assign out_block_o = gen_round[NumRounds].after;

  logic unused_inputs;
  assign unused_inputs = ^Cfg;

  assign fault_o = |fault;

endmodule
