// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// An AES core between an input and an output buffer (pilchard, section 4, Fig. 4.1): the core keeps
// working while the host writes and reads, so transfers overlap with computation.
//
//   in_block_i --[ input buffer ]--( feed )--[ any core ]--[ output buffer ]-- out_block_o
//                                     |           |
//   set_* -----------------( in its turn )---- key, direction
//
// The core never stalls (aes_core), so with guarded buffers a block is fed to it only when there
// is a place for its result: room_q counts the places of the output buffer that are neither taken
// nor promised. Without guards, as published, blocks are fed while the counters of the input buffer
// differ, and results overwrite what the host has not read in time.
//
// A setting (direction, with or without a key) is for the blocks written in the clock in which
// set_valid_i rises and later; blocks before it run under the last one. It waits until the last of
// those is in the core; a block after a stored key waits until that is current. set_* stand still
// until set_ready_o. No block is taken before there is a key or one on its way.
//
// After reset and on erase_i everything secret is overwritten: an all-zero key is loaded twice, for
// two banks of round keys, zero is written over both buffers, then all-zero blocks under that key go
// through every register of the core, in both directions in turn. Nothing is taken meanwhile, and
// after it no key is there. A core needs no port of its own for this. It takes Depth + 2 clocks, or
// twice the set-up of a key if that is more, and twice as many blocks as the core holds.
//
// Cost: the buffers (2 x Depth x 128 bit of block RAM), counters; with on-the-fly keys a register
// for the current key. From in_valid_i of an empty buffer to the core: two clocks; from the core's
// result to out_valid_o: two clocks.
//
// reset_i does the same from any state, and the core is in reset first: for one that a fault has stopped.

module aes_host
  import aes_pkg::*;
#(
  parameter cfg_t        Cfg     = DefaultCfg,
  parameter int unsigned Depth   = 512,         // blocks in each buffer, a power of two
  parameter bit          Guarded = 1'b1         // see aes_host_buffer
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   erase_i,         // high for a clock: erase everything secret
  input  logic                   reset_i,         // high for a clock: the same, from any state
  output logic                   erasing_o,       // by command or after reset

  // Setting, for the blocks from now on
  input  logic                   set_valid_i,
  output logic                   set_ready_o,
  input  logic                   set_key_i,       // with a key; else the last one stays
  input  logic                   set_decrypt_i,
  input  logic [1:0]             set_key_len_i,   // key_len_e
  input  logic [255:0]           set_key_bits_i,  // first byte at the top; zero while erasing
  output logic                   set_moving_o,    // the setting under way will go on by itself
  output logic                   keyed_o,         // a key is there or on its way

  // Blocks from the host
  input  logic                   in_valid_i,
  output logic                   in_ready_o,
  input  block_t                 in_block_i,
  output logic                   in_full_o,
  output logic [$clog2(Depth):0] in_level_o,

  // Blocks to the host
  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output block_t                 out_block_o,
  output logic                   out_full_o,
  output logic [$clog2(Depth):0] out_level_o,

  output logic                   busy_o,    // blocks are in the input buffer or in the core
  output logic                   moving_o,  // blocks in the input buffer will go on by themselves
  output logic                   coming_o   // a block is at the output or will come by itself
);

  localparam bit Stored = Cfg.key_sched != KeysOnTheFly;
  localparam key_len_e MaxKeyLen = max_key_len(Cfg.key_size);
  localparam int unsigned FlightWidth = $clog2(latency(Cfg, MaxKeyLen) + 1);
  localparam int unsigned LevelWidth = $clog2(Depth) + 1;

  // Erasure: zero keys for both banks, clocks for the buffers, zero blocks for the core. A core that
  // sweeps by itself needs no keys and no blocks.
  localparam logic [1:0] NumZeroKeys = (Stored && !Cfg.clear) ? 2'd2 : 2'd0;
  localparam int unsigned NumZeroBlocks = Cfg.clear ? 0 : 2 * blocks_in_flight(Cfg, MaxKeyLen);
  localparam int unsigned ZeroBlocksWidth = Cfg.clear ? 1 : $clog2(NumZeroBlocks + 1);
  localparam int unsigned WipeWidth = $clog2(Depth + 2);

  ///////////////////////////////////////////////////////////////////////////
  // States
  ///////////////////////////////////////////////////////////////////////////

  typedef enum logic [2:0] {
    StWipe,    // zero over the buffers and, as keys, over the round keys
    StFlush,   // zero blocks through the core
    StRun,
    StKey,     // the key of a setting is offered to the core
    StKeyWait  // until it is current
  } state_e;

  state_e state_q, state_d;
  logic running, erasing, erase_q, wiped, flushed;
  logic [1:0] zero_keys_q;
  logic [ZeroBlocksWidth-1:0] zero_blocks_q;
  logic [WipeWidth-1:0] wipe_q;
  logic [FlightWidth-1:0] flight_q;

  logic core_key_valid, core_key_ready, unused_round_key_ready;
  logic core_clear, core_clearing, unused_key_error, unused_fault;
  logic core_in_valid, core_in_ready, core_out_valid;
  block_t core_out_block, head;
  logic head_valid, fed, apply;

  assign running = state_q == StRun;
  assign erasing = state_q == StWipe || state_q == StFlush;
  assign core_clear = Cfg.clear & running & (state_d == StWipe);

  if (Cfg.clear) begin : gen_core_sweeps
    assign wiped = wipe_q == '0 && !core_clearing;
  end else begin : gen_core_is_swept
    logic unused_clearing;
    assign unused_clearing = core_clearing;
    assign wiped = wipe_q == '0 && zero_keys_q == '0 && (core_key_ready || !Stored);
  end
  assign flushed = zero_blocks_q == '0 && flight_q == '0;

  always_comb begin
    case (state_q)
      StWipe:    state_d = wiped ? StFlush : StWipe;
      StFlush:   state_d = flushed ? StRun : StFlush;
      StRun: begin
        if (erase_i || erase_q) state_d = StWipe;
        else if (apply && set_key_i && Stored) state_d = StKey;
        else state_d = StRun;
      end
      StKey:     state_d = core_key_ready ? StKeyWait : StKey;
      StKeyWait: state_d = core_key_ready ? StRun : StKeyWait;
      default:   state_d = StWipe;
    endcase
    if (reset_i) state_d = StWipe;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= StWipe;
      erase_q       <= 1'b0;
      zero_keys_q   <= NumZeroKeys;
      zero_blocks_q <= ZeroBlocksWidth'(NumZeroBlocks);
      wipe_q        <= WipeWidth'(Depth + 1);
    end else begin
      state_q <= state_d;
      // A key that is being loaded is waited for.
      erase_q <= (erase_i | erase_q) & ~running & ~erasing & ~reset_i;
      if (running || reset_i) begin
        zero_keys_q   <= NumZeroKeys;
        zero_blocks_q <= ZeroBlocksWidth'(NumZeroBlocks);
        wipe_q        <= WipeWidth'(Depth + 1);
      end else if (state_q == StWipe) begin
        if (core_key_valid && core_key_ready) zero_keys_q <= zero_keys_q - 2'd1;
        if (wipe_q != '0) wipe_q <= wipe_q - 1'b1;
      end else if (fed) begin
        zero_blocks_q <= zero_blocks_q - 1'b1;
      end
    end
  end

  assign erasing_o = erasing | erase_q;

  // The core is in reset for two clocks after reset_i: the register of its reset, and one of the same
  // for what is offered to it, which is nothing meanwhile.
  logic reset_q, core_rst_nq, core_runs_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reset_q     <= 1'b0;
      core_rst_nq <= 1'b0;
      core_runs_q <= 1'b0;
    end else begin
      reset_q     <= reset_i;
      core_rst_nq <= ~reset_i & ~reset_q;
      core_runs_q <= ~reset_i & ~reset_q;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Settings
  ///////////////////////////////////////////////////////////////////////////

  logic waiting_q;  // a setting is known; ahead_q blocks of the input buffer come before it
  logic keyed_q, decrypt_q;
  logic [LevelWidth-1:0] ahead_q;
  logic in_pop;

  assign apply = running & waiting_q & (ahead_q == '0);
  assign set_ready_o = (Stored && set_key_i) ? (state_q == StKey && core_key_ready) : apply;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= 1'b0;
      keyed_q   <= 1'b0;
      decrypt_q <= 1'b0;
    end else if (erasing_o) begin
      waiting_q <= 1'b0;
      keyed_q   <= 1'b0;
      decrypt_q <= 1'b0;
    end else begin
      waiting_q <= set_valid_i & ~set_ready_o;
      if (set_ready_o && set_key_i) keyed_q <= 1'b1;
      if (apply) decrypt_q <= set_decrypt_i;
    end
  end

  // A block that is written in the clock in which the setting comes is after it.
  always_ff @(posedge clk_i) begin
    ahead_q <= (waiting_q ? ahead_q : in_level_o) - LevelWidth'(in_pop);
  end

  assign keyed_o      = keyed_q | (set_valid_i & set_key_i);
  assign set_moving_o = ((waiting_q ? ahead_q : in_level_o) == '0) | moving_o;

  logic [255:0] block_key;

  if (Stored) begin : gen_stored
    assign core_key_valid = core_runs_q &&
                            (state_q == StKey || (state_q == StWipe && zero_keys_q != '0));
    assign block_key      = '0;
  end else begin : gen_on_the_fly
    logic [255:0] key_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        key_q <= '0;
      end else if (erasing_o) begin
        key_q <= '0;
      end else if (apply && set_key_i) begin
        key_q <= set_key_bits_i;
      end
    end
    assign core_key_valid = 1'b0;
    assign block_key      = key_q;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Blocks
  ///////////////////////////////////////////////////////////////////////////

  logic room, out_pop;

  assign in_ready_o = ~in_full_o & ~erasing_o & keyed_o;
  assign in_pop     = fed & running;

  aes_host_buffer #(
    .Depth  (Depth),
    .Width  (128),
    .Guarded(Guarded)
  ) u_in (
    .clk_i,
    .rst_ni,
    .erase_i(erasing),
    .write_i(in_valid_i & in_ready_o),
    .data_i (in_block_i),
    .full_o (in_full_o),
    .valid_o(head_valid),
    .read_i (in_pop),
    .data_o (head),
    .level_o(in_level_o)
  );

  // After the buffers are wiped, the head of the input buffer is zero: the block of the erasure.
  assign core_in_valid = (running & head_valid & keyed_q & room & (~waiting_q | (ahead_q != '0))) |
                         (state_q == StFlush && zero_blocks_q != '0);
  assign fed = core_in_valid & core_in_ready & core_runs_q;

  aes_core #(
    .Cfg(Cfg)
  ) u_core (
    .clk_i,
    .rst_ni           (core_rst_nq),
    .clear_i          (core_clear),
    .clearing_o       (core_clearing),
    .key_valid_i      (core_key_valid),
    .key_ready_o      (core_key_ready),
    .key_i            (set_key_bits_i),
    .key_len_i        (erasing ? MaxKeyLen : set_key_len_i),
    .key_error_o      (unused_key_error),
    .round_key_valid_i(1'b0),
    .round_key_ready_o(unused_round_key_ready),
    .in_valid_i       (core_in_valid),
    .in_ready_o       (core_in_ready),
    .in_block_i       (head),
    .in_decrypt_i     (erasing ? zero_blocks_q[0] : decrypt_q),
    .in_key_i         (block_key),
    .out_valid_o      (core_out_valid),
    .out_block_o      (core_out_block),
    .fault_o          (unused_fault)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      flight_q <= '0;
    end else if (reset_i) begin
      flight_q <= '0;
    end else if (fed != core_out_valid) begin
      flight_q <= fed ? flight_q + 1'b1 : flight_q - 1'b1;
    end
  end

  aes_host_buffer #(
    .Depth  (Depth),
    .Width  (128),
    .Guarded(Guarded)
  ) u_out (
    .clk_i,
    .rst_ni,
    .erase_i(erasing),
    .write_i(core_out_valid),
    .data_i (core_out_block),
    .full_o (out_full_o),
    .valid_o(out_valid_o),
    .read_i (out_ready_i),
    .data_o (out_block_o),
    .level_o(out_level_o)
  );

  assign out_pop = out_valid_o & out_ready_i;

  if (Guarded) begin : gen_guarded
    logic [LevelWidth-1:0] room_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        room_q <= LevelWidth'(Depth);
      end else if (erasing) begin
        room_q <= LevelWidth'(Depth);
      end else if (in_pop != out_pop) begin
        room_q <= out_pop ? room_q + 1'b1 : room_q - 1'b1;
      end
    end
    assign room = room_q != '0;
  end else begin : gen_published
    assign room = 1'b1;
    logic unused_pop;
    assign unused_pop = out_pop;
  end

  assign busy_o   = in_level_o != '0 || flight_q != '0;
  assign moving_o = room & keyed_o & ~erasing_o;
  assign coming_o = (out_level_o != '0 || flight_q != '0 || (in_level_o != '0 && moving_o)) &
                    ~erasing_o;

endmodule
