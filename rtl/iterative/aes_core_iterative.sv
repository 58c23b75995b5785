// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Iterative architecture: one block at a time, N rounds a clock. A block leaves after Nr/N + 1
// clocks. Without overlap the next one enters when it has left. With overlap it enters in the clock
// of the last rounds, so a block is taken every Nr/N clocks.
//
//   in_block --(+ first key)--[ mux ]             key 1             key N
//               key N of the loop |                 |                 |
//                                 v                 v                 v
//          +--[ zero at entry ]--(+)--[ SubBytes |R| ]--[ round 1 ]--[ SubBytes ]--[ round N ]--+
//          |                                                                              |     |
//          +----------------------- mixed: round N before its key addition ---------------+     |
//                                                                           out_block --|R|-----+
//
// A new block takes the place of the key that is added last (aes_mixed_entry), so that no
// multiplexer is on the way of the loop. Where decryption adds its keys before InvMixColumns, there
// is nothing in that place. Every other key addition is in aes_round; with KeyRegSums, in
// aes_column_entry.
//
//   clock 0 (the block is accepted)   block + first key, SubBytes, register
//   clock 1 ... Nr/N - 1              N rounds; SubBytes of the next one, register
//   clock Nr/N                        the rest of the last round, output register
//
// The register stands behind the first S-box layer of a clock, or, where that is a block RAM,
// inside it (kakarlapudi, section IV, Fig. 4; pilchard, sections 4 and 5). With N > 1 the layers
// between the rounds are combinational. The output register changes with a result only, so no
// state of an inner round is ever seen outside.

module aes_core_iterative
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  // Printed from one table for all cores
  input  logic         clk_i,
  input  logic         rst_ni,

  // Key, for stored keys
  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,              // first byte at the top
  input  logic [1:0]   key_len_i,          // key_len_e, for designs that take every key size
  input  logic         round_key_valid_i,  // SboxNone: the words at the top of key_i are offered
  output logic         round_key_ready_o,  // and taken
  output logic         available_o,        // a key is current

  // Block
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,       // DirBoth: its direction
  input  logic [255:0] in_key_i,           // on-the-fly keys: its key, first byte at the top

  // Result, which cannot be held back
  output logic         out_valid_o,
  output block_t       out_block_o,
  output logic         fault_o             // Cfg.hardened: copies of a register of control differ
);

  localparam int unsigned NumRounds = 32'(Cfg.rounds);

  logic [10:0] fault;  // copies of a register of control differ
  logic accept, available, last_round;
  logic [4:0] select;  // enter for each column and, [4], for the keys
  logic enter_d;
  logic enter;           // the register of the state is free for a new block
  logic last_round_next;  // last_round of the next clock, if a block is under way then
  logic busy_d, busy_q, enter_q, out_valid_q, block_decrypt;
  logic correct;  // the state goes through InvMixColumns in a core for both directions

  // Round keys by the place where they are added: the first one of a block, those before
  // (Inv)MixColumns, and those behind it. In a core of both directions, that of the last two which is
  // not to be added is zero. keys_after are sums + sub in every word, with KeyRegSums.
  block_t first_key, sums;
  block_t [NumRounds-1:0] keys_before, keys_after;
  word_t sub;

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  assign in_ready_o = available & enter;
  assign accept     = in_valid_i & in_ready_o;
  assign enter_d    = ~busy_d | (Cfg.overlap & last_round_next);
  assign busy_d     = accept | (busy_q & ~last_round);
  assign enter      = enter_q;

  // The multiplexers of keys and of each column follow registers of their own, so that none has to
  // reach all of the core.
  for (genvar i = 0; i < 5; i++) begin : gen_enter
    aes_control_register #(
      .Hardened  (Cfg.hardened),
      .ResetValue(1'b1),
      .Keep      (1'b1)
    ) u_select (
      .clk_i,
      .rst_ni,
      .d_i    (enter_d),
      .q_o    (select[i]),
      .fault_o(fault[i])
    );
  end

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_busy (
    .clk_i,
    .rst_ni,
    .d_i    (busy_d),
    .q_o    (busy_q),
    .fault_o(fault[5])
  );

  aes_control_register #(
    .Hardened  (Cfg.hardened),
    .ResetValue(1'b1)
  ) u_enter (
    .clk_i,
    .rst_ni,
    .d_i    (enter_d),
    .q_o    (enter_q),
    .fault_o(fault[6])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_out_valid (
    .clk_i,
    .rst_ni,
    .d_i    (busy_q & last_round),
    .q_o    (out_valid_q),
    .fault_o(fault[7])
  );

  if (Cfg.dir == DirBoth) begin : gen_both
    logic block_decrypt_q;
    aes_control_register #(
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_block_decrypt (
      .clk_i,
      .rst_ni,
      .d_i    (accept ? in_decrypt_i : block_decrypt_q),
      .q_o    (block_decrypt_q),
      .fault_o(fault[8])
    );
    assign block_decrypt = block_decrypt_q;

    // No block is corrected while a new one enters.
    logic correct_q;
    aes_control_register #(
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_correct (
      .clk_i,
      .rst_ni,
      .d_i    ((enter ? in_decrypt_i : block_decrypt_q) & ~enter_d),
      .q_o    (correct_q),
      .fault_o(fault[9])
    );
    assign correct = correct_q;
  end else begin : gen_one_direction
    assign block_decrypt = Cfg.dir == DirDecrypt;
    assign correct       = 1'b0;
    assign fault[9:8]    = '0;
  end

  if (Cfg.key_sched != KeysOnTheFly) begin : gen_stored
    logic [1:0] unused_part;
    block_t unused_round_key;
    aes_key_schedule_stored #(
      .Sbox    (Cfg.key_sbox),
      .Dir     (Cfg.dir),
      .KeySize (Cfg.key_size),
      .Memory  (Cfg.key_mem),
      .Overlap (Cfg.overlap),
      .NumBanks((Cfg.key_sched == KeysStored) ? 2 : 1),
      .Hardened(Cfg.hardened)
    ) u_key_schedule (
      .clk_i,
      .rst_ni,
      .key_valid_i,
      .key_ready_o,
      .key_i,
      .key_len_i,
      .round_key_valid_i,
      .round_key_ready_o,
      .decrypt_i        (in_decrypt_i),
      .enter_i          (select[4]),
      .accept_i         (accept),
      .busy_i           (busy_q),
      .available_o      (available),
      .first_key_o      (first_key),
      .round_key_o      (unused_round_key),
      .key_before_o     (keys_before),
      .key_after_o      (keys_after),
      .last_round_o     (last_round),
      .last_round_next_o(last_round_next),
      .part_o           (unused_part),
      .fault_o          (fault[10])
    );

    logic unused_on_the_fly;
    assign unused_on_the_fly = ^in_key_i;
  end else begin : gen_on_the_fly
    if (Cfg.key_reg == KeyRegSums) begin : gen_sums
      aes_key_schedule_sums #(
        .Sbox    (Cfg.key_sbox),
        .Hardened(Cfg.hardened)
      ) u_key_schedule (
        .clk_i,
        .rst_ni,
        .in_key_i,
        .enter_i          (select[4]),
        .first_key_o      (first_key),
        .round_key_o      (keys_after),
        .sums_o           (sums),
        .sub_o            (sub),
        .last_round_o     (last_round),
        .last_round_next_o(last_round_next),
        .fault_o          (fault[10])
      );
    end else begin : gen_no_sums
      aes_key_schedule_on_the_fly #(
        .Sbox     (Cfg.key_sbox),
        .Register (Cfg.key_reg),
        .KeySize  (Cfg.key_size),
        .NumRounds(NumRounds),
        .Hardened (Cfg.hardened)
      ) u_key_schedule (
        .clk_i,
        .rst_ni,
        .in_key_i,
        .enter_i          (select[4]),
        .first_key_o      (first_key),
        .round_keys_o     (keys_after),
        .last_round_o     (last_round),
        .last_round_next_o(last_round_next),
        .fault_o          (fault[10])
      );
    end
    assign available         = 1'b1;
    assign key_ready_o       = 1'b0;
    assign round_key_ready_o = 1'b0;
    assign keys_before       = '0;

    logic unused_stored;
    assign unused_stored = ^{key_valid_i, key_i, key_len_i, round_key_valid_i};
  end

  if (Cfg.key_sched != KeysOnTheFly || Cfg.key_reg != KeyRegSums) begin : gen_keys_whole
    logic unused_sums;
    assign sums        = '0;
    assign sub         = '0;
    assign unused_sums = ^{sums, sub};
  end

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  block_t mixed[NumRounds];
  block_t correction[NumRounds];
  block_t inner[NumRounds];
  block_t last [NumRounds];
  block_t out_block_q;

  for (genvar r = 0; r < NumRounds; r++) begin : gen_round
    block_t to_substitute, substituted;

    // A new block does not wait for an offer: what enters without one is never used.
    if (r == 0 && Cfg.key_reg == KeyRegSums) begin : gen_first_sums
      block_t shifted;
      assign shifted = shift_rows(substituted);
      for (genvar c = 0; c < 4; c++) begin : gen_column
        aes_column_entry u_entry (
          .enter_i    (select[c]),
          .in_column_i(in_block_i[32*c+:32]),
          .first_key_i(first_key[32*c+:32]),
          .column_i   (shifted[32*c+:32]),
          .sums_i     (sums[32*c+:32]),
          .sub_i      (sub),
          .column_o   (to_substitute[32*c+:32])
        );
      end
    end else if (r == 0) begin : gen_first
      block_t added;
      assign added = (Cfg.dir == DirDecrypt) ? '0 : keys_after[NumRounds-1];
      for (genvar c = 0; c < 4; c++) begin : gen_column
        aes_mixed_entry u_entry (
          .enter_i     (select[c]),
          .in_column_i (in_block_i[32*c+:32]),
          .first_key_i (first_key[32*c+:32]),
          .mixed_i     (mixed[NumRounds-1][32*c+:32]),
          .correction_i(correction[NumRounds-1][32*c+:32]),
          .key_after_i (added[32*c+:32]),
          .column_o    (to_substitute[32*c+:32])
        );
      end
    end else begin : gen_next
      assign to_substitute = inner[r-1];
    end

    aes_sub_bytes #(
      .Sbox    (Cfg.sbox),
      .Dir     (Cfg.dir),
      .Levels  ((r == 0) ? 1 : 0),
      .NumBytes(16)
    ) u_sub_bytes (
      .clk_i,
      .decrypt_i(enter ? in_decrypt_i : block_decrypt),
      .bytes_i  (to_substitute),
      .bytes_o  (substituted)
    );

    aes_round #(
      .Dir(Cfg.dir)
    ) u_round (
      .decrypt_i   (block_decrypt),
      .correct_i   (correct),
      .state_i     (substituted),
      .key_before_i(keys_before[r]),
      .key_after_i (keys_after[r]),
      .mixed_o     (mixed[r]),
      .correction_o(correction[r]),
      .inner_o     (inner[r]),
      .last_o      (last[r])
    );

    logic unused_results;
    assign unused_results = ^{mixed[r], correction[r], inner[r], last[r]};
  end

  always_ff @(posedge clk_i) begin
    if (busy_q && last_round) out_block_q <= last[NumRounds-1];
  end

  assign out_valid_o = out_valid_q;
  assign out_block_o = out_block_q;

  assign available_o = available;
  assign fault_o     = |fault;

endmodule
