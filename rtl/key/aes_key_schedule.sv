// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys for a core that processes one block at a time: the dispatcher of the key schedules.
//
// The schedule is also the sequencer: it knows which round key is the last one of a block.

module aes_key_schedule
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox      = SboxTable,
  parameter dir_e        Dir       = DirEncrypt,
  parameter key_size_e   KeySize   = KeySize128,
  parameter key_sched_e  Schedule  = KeysStored,
  parameter key_reg_e    Register  = KeyRegSubWord,
  parameter key_mem_e    Memory    = KeyMemAuto,
  parameter bit          Overlap   = 1'b0,       // blocks enter in the last round of others
  parameter bit          Mixed     = 1'b0,       // stored keys of both ciphers, from outside
  parameter int unsigned NumRounds = 1,          // round keys a clock
  parameter int unsigned Width     = 128,        // of the part of a round key a clock
  parameter bit          Hardened  = 1'b0        // registers of control in three copies
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  // Stored keys
  input  logic                            key_valid_i,
  output logic                            key_ready_o,
  input  logic [255:0]                    key_i,
  input  logic [1:0]                      key_len_i,
  input  logic                            round_key_valid_i,  // SboxNone
  output logic                            round_key_ready_o,

  // On-the-fly keys
  input  logic [255:0]                    in_key_i,

  input  logic                            decrypt_i,     // direction of the block that is offered
  input  logic                            enter_i,       // a block may enter in this clock
  input  logic                            accept_i,      // the block that is offered does
  input  logic                            busy_i,        // a block is under way
  output logic                            available_o,   // a key is there: blocks can be accepted
  output logic [Width-1:0]                first_key_o,   // for the block that is offered
  output logic [NumRounds-1:0][Width-1:0] round_keys_o,  // for the block under way, [0] first
  output logic [NumRounds-1:0][Width-1:0] keys_before_o,  // the same for the adders of aes_round
  output logic [NumRounds-1:0][Width-1:0] keys_after_o,
  output logic [127:0]                    sums_o,        // for KeyRegSums: the round key is sums_o
  output logic [31:0]                     sub_o,         // and sub_o in every word; else zero
  output logic                            last_round_o,  // round_keys_o are the last of the block
  output logic                            last_round_next_o,  // that of the next clock
  output logic [1:0]                      part_o,        // which part of a round key it is
  output logic                            fault_o        // copies of a register differ
);

  if (Schedule == KeysOnTheFly && Register == KeyRegSums) begin : gen_sums
    aes_key_schedule_sums #(
      .Sbox    (Sbox),
      .Hardened(Hardened)
    ) u_schedule (
      .clk_i,
      .rst_ni,
      .in_key_i,
      .enter_i,
      .first_key_o,
      .round_key_o(round_keys_o),
      .sums_o,
      .sub_o,
      .last_round_o,
      .last_round_next_o,
      .fault_o
    );
    assign available_o   = 1'b1;
    assign keys_before_o = round_keys_o;
    assign keys_after_o  = round_keys_o;
    assign key_ready_o   = 1'b0;
    assign part_o        = 2'd0;

    logic unused_others;
    assign unused_others = ^{
      key_valid_i, key_i, key_len_i, decrypt_i, accept_i, busy_i, Dir, KeySize, Memory,
      Overlap, Mixed, round_key_valid_i
    };
    assign round_key_ready_o = 1'b0;
  end else if (Schedule == KeysOnTheFly) begin : gen_on_the_fly
    aes_key_schedule_on_the_fly #(
      .Sbox     (Sbox),
      .Register (Register),
      .KeySize  (KeySize),
      .NumRounds(NumRounds),
      .Hardened (Hardened)
    ) u_schedule (
      .clk_i,
      .rst_ni,
      .in_key_i,
      .enter_i,
      .first_key_o,
      .round_keys_o,
      .last_round_o,
      .last_round_next_o,
      .fault_o
    );
    assign available_o = 1'b1;
    assign keys_before_o = round_keys_o;
    assign keys_after_o  = round_keys_o;
    assign key_ready_o = 1'b0;
    assign part_o      = 2'd0;

    logic unused_stored;
    assign unused_stored = ^{
      key_valid_i, key_i, key_len_i, decrypt_i, accept_i, busy_i, Dir, Memory, Overlap,
      Mixed, round_key_valid_i
    };
    assign round_key_ready_o = 1'b0;
  end else if (Schedule == KeysStored || Schedule == KeysStoredSingle) begin : gen_stored
    aes_key_schedule_stored #(
      .Sbox    (Sbox),
      .Dir     (Dir),
      .KeySize (KeySize),
      .Memory  (Memory),
      .Overlap (Overlap),
      .Ahead   (Register == KeyRegAhead),
      .Mixed   (Mixed),
      .NumBanks((Schedule == KeysStored) ? 2 : 1),
      .Width   (Width),
      .Hardened(Hardened)
    ) u_schedule (
      .clk_i,
      .rst_ni,
      .key_valid_i,
      .key_ready_o,
      .key_i,
      .key_len_i,
      .round_key_valid_i,
      .round_key_ready_o,
      .decrypt_i,
      .enter_i,
      .accept_i,
      .busy_i,
      .available_o,
      .first_key_o,
      .round_key_o (round_keys_o),
      .key_before_o(keys_before_o),
      .key_after_o (keys_after_o),
      .last_round_o,
      .last_round_next_o,
      .part_o,
      .fault_o
    );

    logic unused_on_the_fly;
    assign unused_on_the_fly = ^in_key_i;
  end else begin : gen_unknown
    $fatal(1, "aes_key_schedule: unknown Schedule");
  end

  if (Schedule != KeysOnTheFly || Register != KeyRegSums) begin : gen_no_sums
    assign sums_o = '0;
    assign sub_o  = '0;
  end

endmodule
