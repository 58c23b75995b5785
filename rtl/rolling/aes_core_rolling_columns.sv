// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Rolling architecture, column by column: a pipeline of all rounds that takes a block every N
// clocks, with 16/N S-boxes in each round that are used N times for a block, as in aes_core_rolling,
// but for whole columns. So MixColumns, the key addition and the key schedule are as narrow as the
// S-boxes: one column a clock with N = 4, two with N = 2.
//
//   in_block_i --(+)--[ ShiftRows ]--[ shift register ]--[ round 1 ]-- ... --[ round 10 ]--+
//                 |                                          | K_1               | K_10    |
//   in_key_i -----+------------------[ shift register ]--[ key circuit 1 ]-- ... |         |
//                                                                                          |
//                                              out_block_o --[ |R| shift register ]--------+
//
//   round:       --[ S-boxes |R| ]--[ MixColumns ]--(+ K)--[ |R| ]--[ narrow ShiftRows |R| ]--
//                                                         MixLevels
//   round 10:    --[ S-boxes |R| ]--(+ K)--
//
// qin2005 brings the bytes of a row to the S-boxes together, collects the block behind them, holds it
// for a period and mixes all columns at once, in two block periods a round. Here the ShiftRows of a
// state that comes in columns (aes_shift_rows_narrow) is all that a round keeps, and the next one
// begins as soon as it can:
//
//   clock 0                  (turn 0) the block is accepted
//   clock 1 ... N            its columns go to the S-boxes of round 1, after ShiftRows
//   clock T_1 = 1 + L        they come out, L being SboxLevels; K_1 is there
//   clock T_r                the same for round r, T_r = T_(r-1) + N + L - 1 + MixLevels
//   clock T_10 + N           the columns of the result are whole, with out_valid_o
//
// With L = 1 and MixLevels = 0 a round takes one block period. K_r comes word by word, and each round
// key circuit makes it from K_(r-1), in time for the column that it is added to.
//
// What is offered while in_valid_i is low goes through the rounds as well and leaves unseen.
// out_block_o is right in the clock of out_valid_o only.
// Cost: 160/N S-boxes and 40 of the keys; with N = 4, L = 1 and MixLevels = 0, of a round, 68 LUT4 for
// MixColumns with the key, 24 for ShiftRows, 32 for the key, and 272 flip-flops.

module aes_core_rolling_columns
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

  localparam int unsigned NumParts = 32'(Cfg.lookups);  // of a block, one a clock
  localparam int unsigned NumColumns = 4 / NumParts;  // of a part
  localparam int unsigned PartWidth = 32 * NumColumns;
  localparam int unsigned NumRounds = 10;
  localparam int unsigned SboxLevels = 32'(Cfg.sbox_levels);
  localparam int unsigned MixLevels = 32'(Cfg.mix_levels);
  localparam int unsigned RoundClocks = NumParts + SboxLevels - 1 + MixLevels;
  localparam int unsigned Latency = latency(Cfg, KeyLen128);

  if (MixLevels > 1) begin : gen_bad_levels
    $fatal(1, "aes_core_rolling_columns: mix_levels must be 0 or 1");
  end

  // Clock, after a block is accepted, in which the S-boxes of round r give its first part.
  function automatic int unsigned substituted_clock(int unsigned r);
    return 1 + SboxLevels + (r - 1) * RoundClocks;
  endfunction

  ///////////////////////////////////////////////////////////////////////////
  // Block periods
  ///////////////////////////////////////////////////////////////////////////

  // The clock of the period, 0 to N-1, and whether it is the first one.
  logic [1:0] turn_q;
  logic [2:0] fault;  // copies of a register of control differ
  logic [2*NumRounds:1] round_fault;
  logic ready_q;

  // The part of its block that is where part `part` was so many clocks before, modulo N.
  function automatic logic [1:0] part_after(logic [1:0] part, logic [1:0] clocks);
    return (part - clocks) & 2'(NumParts - 1);
  endfunction

  // One bit a period: [k] is of the block that was accepted kN + 1 to kN + N clocks ago.
  localparam int unsigned NumPeriods = (Latency + NumParts - 1) / NumParts;
  logic [NumPeriods-1:0] valid_q;

  aes_control_register #(
    .Width   (2),
    .Hardened(Cfg.hardened)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .d_i    ((turn_q + 2'd1) & 2'(NumParts - 1)),
    .q_o    (turn_q),
    .fault_o(fault[0])
  );

  aes_control_register #(
    .Hardened  (Cfg.hardened),
    .ResetValue(1'b1)
  ) u_ready (
    .clk_i,
    .rst_ni,
    .d_i    (turn_q == 2'(NumParts - 1)),
    .q_o    (ready_q),
    .fault_o(fault[1])
  );

  aes_control_register #(
    .Width   (NumPeriods),
    .Hardened(Cfg.hardened)
  ) u_valid (
    .clk_i,
    .rst_ni,
    .d_i    (ready_q ? {valid_q[NumPeriods-2:0], in_valid_i} : valid_q),
    .q_o    (valid_q),
    .fault_o(fault[2])
  );

  assign in_ready_o  = ready_q;
  assign out_valid_o = valid_q[NumPeriods-1] & (part_after(turn_q, 2'(Latency)) == '0);

  ///////////////////////////////////////////////////////////////////////////
  // Entry: blocks and keys in parts
  ///////////////////////////////////////////////////////////////////////////

  block_t entry_q, key_entry_q;

  always_ff @(posedge clk_i) begin
    if (ready_q) begin
      entry_q     <= shift_rows(in_block_i ^ in_key_i);
      key_entry_q <= in_key_i;
    end else begin
      entry_q     <= 128'({entry_q, PartWidth'(0)});
      key_entry_q <= 128'({key_entry_q, PartWidth'(0)});
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Rounds
  ///////////////////////////////////////////////////////////////////////////

  logic [PartWidth-1:0] result;

  for (genvar r = 1; r <= NumRounds; r++) begin : gen_round
    localparam int unsigned Clock = substituted_clock(r);

    logic [PartWidth-1:0] columns, substituted, key_before, round_key;
    word_t last_word, next_last;

    // Which part comes to ShiftRows, and whether the next words begin a round key: counted on from
    // round to round, so that these registers may stand beside what they select. They have no reset;
    // they are right r clocks after the turn is, long before a block comes there.
    localparam int unsigned Distance = (r == 1) ? Clock + MixLevels : RoundClocks;
    logic [1:0] part_before, part_d, part_q;
    logic first_q;

    assign part_d = part_after(part_before, 2'(Distance - 1));

    aes_control_register #(
      .Width   (2),
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_part (
      .clk_i,
      .rst_ni,
      .d_i    (part_d),
      .q_o    (part_q),
      .fault_o(round_fault[2*r-1])
    );

    aes_control_register #(
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_first (
      .clk_i,
      .rst_ni,
      .d_i    (part_d == 2'((2 * NumParts - 1 - MixLevels) % NumParts)),
      .q_o    (first_q),
      .fault_o(round_fault[2*r])
    );

    if (r == 1) begin : gen_first
      assign columns     = entry_q[127-:PartWidth];
      assign key_before  = key_entry_q[127-:PartWidth];
      assign last_word   = in_key_i[31:0];
      assign part_before = turn_q;
    end else begin : gen_next
      assign columns     = gen_round[r-1].gen_inner.shifted;
      assign key_before  = gen_round[r-1].round_key;
      assign part_before = gen_round[r-1].part_q;
      // A register of MixColumns gives SubWord the time for one on its way.
      assign last_word   = (MixLevels == 1) ? gen_round[r-1].round_key[31:0] :
                                              gen_round[r-1].next_last;
    end

    aes_sub_bytes #(
      .Sbox    (Cfg.sbox),
      .Dir     (DirEncrypt),
      .Levels  (SboxLevels),
      .NumBytes(16 / NumParts)
    ) u_sub_bytes (
      .clk_i,
      .decrypt_i(1'b0),
      .bytes_i  (columns),
      .bytes_o  (substituted)
    );

    aes_round_key_columns #(
      .Sbox      (Cfg.key_sbox),
      .SboxLevels(SboxLevels),
      .NumColumns(NumColumns),
      .Delay     ((r == 1) ? SboxLevels - 1 : RoundClocks - 1),
      .Rcon      (aes_key_pkg::rcon_of(KeySize128, r - 1))
    ) u_round_key (
      .clk_i,
      .first_i    (first_q),
      .words_i    (key_before),
      .last_word_i(last_word),
      .words_o    (round_key),
      .last_o     (next_last)
    );

    if (r == NumRounds) begin : gen_last
      assign result = substituted ^ round_key;
    end else begin : gen_inner
      logic [PartWidth-1:0] mixed, added, shifted;

      aes_mix_columns #(
        .Dir       (DirEncrypt),
        .NumColumns(NumColumns)
      ) u_mix_columns (
        .decrypt_i(1'b0),
        .state_i  (substituted),
        .state_o  (mixed)
      );

      if (MixLevels == 1) begin : gen_level
        always_ff @(posedge clk_i) added <= mixed ^ round_key;
      end else begin : gen_no_level
        assign added = mixed ^ round_key;
      end

      aes_shift_rows_narrow #(
        .Dir       (DirEncrypt),
        .NumColumns(NumColumns)
      ) u_shift_rows (
        .clk_i,
        .decrypt_i(1'b0),
        .part_i   (part_q),
        .columns_i(added),
        .columns_o(shifted)
      );
    end
  end

  always_ff @(posedge clk_i) out_block_o <= 128'({out_block_o, result});

  logic unused_inputs;
  assign unused_inputs = ^{gen_round[NumRounds].next_last, gen_round[NumRounds].part_q, Cfg};

  assign fault_o = |fault | (|round_fault);

endmodule
