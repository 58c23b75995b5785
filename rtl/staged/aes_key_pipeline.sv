// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys for a pipeline of all rounds: the dispatcher of the key schedules.
//
// Key r is there in the clock in which the round adds it: MixLevels - 1 + r (SboxLevels + MixLevels)
// clocks after its block was accepted; with Ahead a clock later.

module aes_key_pipeline
  import aes_pkg::*;
#(
  parameter  sbox_e       Sbox       = SboxTable,
  parameter  dir_e        Dir        = DirEncrypt,
  parameter  key_size_e   KeySize    = KeySize128,  // not KeySizeAny
  parameter  key_sched_e  Schedule   = KeysOnTheFly,
  parameter  bit          Ahead      = 1'b0,        // on-the-fly keys: a register behind each
  parameter  bit          Staged     = 1'b0,        // stored keys: see KeyExpStaged
  parameter  int unsigned RamWidth   = 0,           // on-the-fly keys: see aes_key_round_staged
  parameter  int unsigned SboxLevels = 1,
  parameter  int unsigned MixLevels  = 1,           // 1 or 2
  localparam int unsigned NumRounds  = 32'(num_rounds(max_key_len(KeySize)))
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Stored keys
  input  logic                 key_valid_i,
  output logic                 key_ready_o,
  input  logic   [255:0]       key_i,

  // On-the-fly keys
  input  logic   [255:0]       in_key_i,

  input  logic                 accept_i,     // a block is accepted
  output logic                 available_o,  // a key is there: blocks can be accepted
  input  logic   [NumRounds:0] decrypt_i,    // [r]: direction of the block that adds key r
  output block_t [NumRounds:0] round_keys_o  // [r]: for that block
);

  if (Schedule == KeysOnTheFly) begin : gen_on_the_fly
    aes_key_pipeline_on_the_fly #(
      .Sbox      (Sbox),
      .KeySize   (KeySize),
      .Ahead     (Ahead),
      .RamWidth  (RamWidth),
      .SboxLevels(SboxLevels),
      .MixLevels (MixLevels)
    ) u_keys (
      .clk_i,
      .rst_ni,
      .in_key_i,
      .round_keys_o
    );
    assign available_o = 1'b1;
    assign key_ready_o = 1'b0;

    logic [NumRounds+261:0] unused_stored;
    assign unused_stored = {key_valid_i, key_i, accept_i, decrypt_i, Dir, Staged};
  end else if (Schedule == KeysStored || Schedule == KeysStoredSingle) begin : gen_stored
    aes_key_pipeline_stored #(
      .Sbox       (Sbox),
      .Dir        (Dir),
      .KeySize    (KeySize),
      .NumBanks   ((Schedule == KeysStored) ? 2 : 1),
      .FirstUse   (MixLevels - 1),
      .RoundLevels(SboxLevels + MixLevels),
      .Levels     (Staged ? SboxLevels : 0)
    ) u_keys (
      .clk_i,
      .rst_ni,
      .key_valid_i,
      .key_ready_o,
      .key_i,
      .accept_i,
      .available_o,
      .decrypt_i,
      .round_keys_o
    );

    logic unused_on_the_fly;
    assign unused_on_the_fly = ^{in_key_i, Ahead, RamWidth};
  end else begin : gen_unknown
    $fatal(1, "aes_key_pipeline: unknown Schedule");
  end

endmodule
