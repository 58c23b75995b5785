// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Interleaved architecture: one round and one key round cut by registers, with a block and its key
// in each level of the loop (standaert2003, section 6.1, Fig. 8; section 6.2). Drawn with keys that
// travel with their blocks; stored keys come from aes_key_loop_stored in the same clocks.
//
//   in_key_i ---|in|----------[ mux ]-|loop|--[ key round ]-------+---------- K(r)
//                     |          |                                |
//                     | K0       +--------------------------------+
//                     v
//   in_block_i -|in|-(+)-|R|--[ mux ]-|loop|--[ SubBytes, ShiftRows ]--+--[ MixColumns + K(r) ]--+
//                                |                                     |                         |
//                                +-------------------------------------|-------------------------+
//                                                                      |
//                                                                      +--|delay|--(+K10)-|R|- out
//
// The loop has N = sbox_levels + mix_levels + loop_level registers, so it holds N blocks. |in| and
// |delay| are there with two levels in MixColumns (mix 2), |loop| with loop_level = 1. Values below
// stand behind the clock edge of that number; the block is accepted in clock 0, which ends with
// edge 1. S: sbox_levels.
//
//   levels            N  block+K0  |loop|      SubBytes       Mixadd      K(r)  delay  out, latency
//   S=2, mix 2, loop  5     2      5r-2        5r-1, 5r       5r+1, 5r+2  5r+1   51        52
//   S=1, mix 2, loop  4     2      4r-1        4r             4r+1, 4r+2  4r+1   41        42
//   S=1, mix 1, loop  3     1      3r-1        3r             3r+1        3r      -        31
//   S=1, mix 1        2     1      -           2r             2r+1        2r      -        21
//   any, mix 2        N     2      N(r-1)+3  to Nr          to Nr+2     Nr+1  10N+1    10N+2
//   ..., shared first N     2      -         to Nr          to Nr+2     Nr+1    -      10N+1
//   any, mix 1        N     1      N(r-1)+2  to Nr          to Nr+1     Nr      -      10N+1
//
// (for 128-bit keys; 12 and 14 rounds take 12 N and 14 N clocks in place of 10 N).
//
// The key's loop register is loaded one edge before that of the state.
//
// A block passes the multiplexer in ten clocks, N apart. In those after the first one no other
// block can enter: in_ready_o is low k N clocks after every acceptance, k = 1 to 9 (RestartEarly: N
// blocks every 10 N clocks). With RestartLatency it is low as well while N blocks are between entry
// and exit. So the next N enter when the first result leaves: 5 blocks in 52 clocks as the paper
// counts, where 5 in 50 are possible.
//
// The round constant is the round counter: it circulates with its block in a ring of N levels, with
// the phase of the key round where that has one (aes_key_pkg).
//
// For decryption the transformations are their inverses and the keys those of the equivalent inverse
// cipher (FIPS 197, section 5.3.5). With both directions, the direction travels with the block.
//
// Shared first key addition (two levels in MixColumns, no loop register): the loop has no
// multiplexer of its own for the state. What comes round is held back where a block enters, and the
// key addition of the round adds the block's first key. With doubled S-boxes the block comes in by a
// sum of MixColumns whose LUTs have two inputs to spare; else by the key addition, as one more input
// of the same LUTs, from a register. The multiplexer of the key is in the last level of the key
// round. So the last round key is added a clock earlier, before the key of the next block takes its
// place, and the result is out a clock earlier. Values as above for N = S + 2.
//
//   in_key_i -------------------------------------------+
//                                                       v
//         +--[ SubWord, S levels ]--[ word 0, sums ]-[ mux ]-|K(r)|--+
//         +----------------------------------------------------------+
//   in_block_i -----------------------------+
//                                           v
//         +--[ SubBytes, S levels ]--+--[ Mix ]--|R|--(+ K(r))--|R|--+
//         +--------------------------|-------------------------------+
//                                    +--(+ K10)--|R|-- out
//
//   not doubled:     in_block_i --|in, 0 when no block enters|--(+ K(r))
//
// Which slots hold a block that goes on, and which one that ends, is known some clocks ahead there: it
// is in registers of its own, and no path leads from the round counter to the entry.
//
// With key_mem = KeyMemDistributed and on-the-fly keys, those wait beside the S-boxes of the key round
// in LUT RAM (aes_key_delay): of their sbox_levels flip-flops a bit one is left.
//
// Shared key addition (Fig. 9; sbox_levels = mix_levels = 1, no loop register):
//
//   in_key_i --[ mux ]--+-------------------[ key round ]--+
//                 |     |                                  |
//                 +-----:----------------------------------+
//                       v
//   in_block_i --[ ]    |
//   inner --[ mux 3 ]--(+)--+--|R|--[ SubBytes, ShiftRows ]--+--[ MixColumns ]-- inner
//   last ---[       ]       |                                |
//                           +--|R|-- out_block_o             +-- last
//
//   r = 0: |R| = block + K0, edge 1    r = 1 to 10: SubBytes 2r, K(r) made 2r, |R| 2r+1    out 21
//
// There the key adder is taken eleven times by a block, so its slot is free 22 clocks after it, not
// 20: two blocks every 22 clocks, whatever the restart. (The paper gives the latency only.) The
// output register is loaded with the state register, by results only. With out_reg = 0, which saves
// 128 flip-flops, the state register is the output, as in the figure: between results it shows states
// of inner rounds, and the block + K0.
//
// Cost, with tables of two levels and the loop register: a round and a key round (Tables 1 to 3 of
// the paper), two multiplexers, and two key additions of 128 LUTs. There are registers for block
// and key that enter (in the I/O cells of the paper), for the first key addition, delay and result,
// and the two loop registers.

module aes_core_interleaved
  import aes_pkg::*;
  import aes_key_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  // Printed from one table for all cores
  input  logic         clk_i,
  input  logic         rst_ni,

  // Key, for stored keys
  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,         // first byte at the top
  input  logic [1:0]   key_len_i,     // key_len_e, for designs that take every key size
  output logic         available_o,   // a key is current

  // Block
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,  // DirBoth: its direction
  input  logic [255:0] in_key_i,      // on-the-fly keys: its key, first byte at the top

  // Result, which cannot be held back
  output logic         out_valid_o,
  output block_t       out_block_o,
  output logic         fault_o        // Cfg.hardened: copies of a register of control differ
);

  localparam int unsigned SboxLevels = 32'(Cfg.sbox_levels);
  localparam int unsigned MixLevels = (Cfg.mix_levels == 2) ? 2 : 1;
  localparam int unsigned LoopLevels = 32'(Cfg.loop_level);
  localparam bit SharedFirst = Cfg.shared_add == ShareFirst;
  localparam bit SharedAll = Cfg.shared_add == ShareAll;
  localparam int unsigned NumSlots = SboxLevels + MixLevels + LoopLevels;

  // How long before a slot is at the entry its fate is looked up; a loop that is shared by its first
  // addition has three slots or more.
  localparam int unsigned Soon = (NumSlots > 3) ? 3 : 2;

  // Clocks from the one in which a block is at the entry of the ring of slots to the one in which
  // it is at the multiplexer of the loop: input register, first key addition. The same number from
  // its last pass to its result: delay register, last key addition. With a shared first key addition
  // the last one is a clock earlier, and there is no delay.
  localparam int unsigned Front = MixLevels;
  localparam int unsigned Back = SharedFirst ? 1 : Front;

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  // The slots of the loop go round past their entry, where blocks are accepted. Level i of the ring
  // holds the slot that was at the entry i clocks ago, level NumSlots the one that is there now.
  logic [NumSlots:1] busy_q;
  logic [7:0] fault;  // copies of a register of control differ
  logic [55:0] copy_fault;
  logic last;       // the block at the entry, if there is one, is about to add its last key
  logic last_soon;  // that is so of the block that is there Soon clocks later; SharedFirst only
  logic going, ended, full, available, accept;

  // Going and ended so many clocks after the one in which last_soon is known.
  logic [Soon:0] going_ahead, ended_ahead;
  logic unused_ahead;

  if (SharedFirst) begin : gen_ahead
    logic [Soon:1] going_ahead_q, ended_ahead_q;

    assign going_ahead = {going_ahead_q, busy_q[NumSlots-Soon] & ~last_soon};
    assign ended_ahead = {ended_ahead_q, busy_q[NumSlots-Soon] & last_soon};

    aes_control_register #(
      .Width   (2 * Soon),
      .Hardened(Cfg.hardened)
    ) u_ahead (
      .clk_i,
      .rst_ni,
      .d_i    ({going_ahead[Soon-1:0], ended_ahead[Soon-1:0]}),
      .q_o    ({going_ahead_q, ended_ahead_q}),
      .fault_o(fault[3])
    );

    assign going        = going_ahead[Soon];
    assign ended        = ended_ahead[Soon];
    assign unused_ahead = last;
  end else begin : gen_not_ahead
    assign ended                      = busy_q[NumSlots] & last;
    assign going                      = busy_q[NumSlots] & ~ended;
    assign {going_ahead, ended_ahead} = '0;
    assign unused_ahead               = ^{going_ahead, ended_ahead};
    assign fault[3]                   = 1'b0;
  end

  // A key adder that is shared still has to make the result in the clock of ended.
  assign in_ready_o = ~(SharedAll ? busy_q[NumSlots] : going) & ~full & available;
  assign accept     = in_valid_i & in_ready_o;

  aes_control_register #(
    .Width   (NumSlots),
    .Hardened(Cfg.hardened)
  ) u_busy (
    .clk_i,
    .rst_ni,
    .d_i    ({busy_q[NumSlots-1:1], accept | going}),
    .q_o    (busy_q),
    .fault_o(fault[0])
  );

  // Where going and ended are needed later on, index: clocks after the entry.
  logic [Front:0] going_at, ended_at;
  logic [Front:1] going_q, ended_q;

  logic [3:0] ended_later;  // the end for each column, Back - 1 clocks later
  logic unused_going;

  assign unused_going = ^{going_at, ended_later};
  assign going_at = {going_q, going};
  assign ended_at = {ended_q, ended};

  aes_control_register #(
    .Width   (Front),
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_going (
    .clk_i,
    .rst_ni,
    .d_i    (going_at[Front-1:0]),
    .q_o    (going_q),
    .fault_o(fault[1])
  );

  aes_control_register #(
    .Width   (Front),
    .Hardened(Cfg.hardened)
  ) u_ended (
    .clk_i,
    .rst_ni,
    .d_i    (ended_at[Front-1:0]),
    .q_o    (ended_q),
    .fault_o(fault[2])
  );

  assign out_valid_o = ended_at[Back];

  // The same where it goes to every bit, so that no net is long: whether a block may enter, for each
  // byte of the round, of the key and of the block itself, and the end for each column.
  logic [15:0] enter_round, enter_key, enter_block;

  if (SharedFirst) begin : gen_copies
    // The leaves of a tree of registers.
    for (genvar c = 0; c < 4; c++) begin : gen_column
      logic hold_next_q;
      aes_control_register #(
        .Hardened(Cfg.hardened),
        .Keep    (1'b1)
      ) u_hold_next (
        .clk_i,
        .rst_ni,
        .d_i    (going_ahead[Soon-2]),
        .q_o    (hold_next_q),
        .fault_o(copy_fault[14*c])
      );

      aes_control_register #(
        .Hardened(Cfg.hardened),
        .HasReset(1'b0),
        .Keep    (1'b1)
      ) u_late (
        .clk_i,
        .rst_ni,
        .d_i    (ended_ahead[Soon-1]),
        .q_o    (ended_later[c]),
        .fault_o(copy_fault[14*c+1])
      );

      for (genvar r = 0; r < 4; r++) begin : gen_row
        // No reset: a clock edge while rst_ni is low brings the one before here.
        logic hold_round_q, hold_key_q;
        aes_control_register #(
          .Hardened(Cfg.hardened),
          .HasReset(1'b0),
          .Keep    (1'b1)
        ) u_hold_round (
          .clk_i,
          .rst_ni,
          .d_i    (hold_next_q),
          .q_o    (hold_round_q),
          .fault_o(copy_fault[14*c+3*r+2])
        );

        aes_control_register #(
          .Hardened(Cfg.hardened),
          .HasReset(1'b0),
          .Keep    (1'b1)
        ) u_hold_key (
          .clk_i,
          .rst_ni,
          .d_i    (hold_next_q),
          .q_o    (hold_key_q),
          .fault_o(copy_fault[14*c+3*r+3])
        );

        assign enter_round[4*c+r] = ~hold_round_q;
        assign enter_key[4*c+r]   = ~hold_key_q;

        // A block that comes in early needs none.
        if (Cfg.doubled) begin : gen_early
          assign enter_block[4*c+r]     = 1'b0;
          assign copy_fault[14*c+3*r+4] = 1'b0;
        end else begin : gen_hold_block
          logic hold_block_q;
          aes_control_register #(
            .Hardened(Cfg.hardened),
            .HasReset(1'b0),
            .Keep    (1'b1)
          ) u_hold_block (
            .clk_i,
            .rst_ni,
            .d_i    (hold_next_q),
            .q_o    (hold_block_q),
            .fault_o(copy_fault[14*c+3*r+4])
          );
          assign enter_block[4*c+r] = ~hold_block_q;
        end
      end
    end
  end else begin : gen_no_copies
    assign {enter_round, enter_key, enter_block} = {48{~going}};
    assign ended_later                           = {4{ended_at[Back-1]}};
    assign copy_fault                            = '0;
  end

  if (Cfg.restart == RestartLatency) begin : gen_limit
    // Blocks between entry and exit: those of the other slots, and those that have ended and are
    // not out. These are Back - 1 bits more than NumSlots, so the core is full when at most
    // Back - 1 of them are 0.
    logic [NumSlots+Back-2:0] under_way;
    assign under_way = {busy_q[NumSlots-1:1], ended_at[Back-1:0]};

    logic no_zero, one_zero;
    always_comb begin
      no_zero  = 1'b1;
      one_zero = 1'b0;
      for (int unsigned i = 0; i < NumSlots + Back - 1; i++) begin
        one_zero = under_way[i] ? one_zero : no_zero;
        no_zero  = no_zero & under_way[i];
      end
    end
    assign full = no_zero | (one_zero & (Back == 2));
  end else begin : gen_no_limit
    assign full = 1'b0;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Keys
  ///////////////////////////////////////////////////////////////////////////

  // Where the slot at the entry is Front - 1 clocks later: the key of the block that may have been
  // accepted, and that of its round if it holds another one. SharedFirst: both in round_key, and
  // that of the round one clock earlier in next_key.
  block_t first_key, round_key, next_key;

  if (Cfg.key_sched == KeysOnTheFly) begin : gen_on_the_fly
    // In the loop a clock or two before the state.
    localparam int unsigned Width = key_width(Cfg.key_size);

    logic [Width-1:0] key_in, key_d, loop_key, window, next_window;

    // Round constant and phase of the key round that the slot's block is in, and of the one that
    // starts if the block at the entry goes on. What is there for a slot without a block does not
    // matter.
    byte_t [NumSlots-1:1]      rcon_q;
    logic  [NumSlots-1:0][1:0] phase;
    logic  [NumSlots-1:1][1:0] phase_q;
    byte_t                     next_rcon_q;
    logic  [1:0]               next_phase_q;

    assign phase = {phase_q, going ? next_phase_q : 2'd0};

    logic [NumSlots-1:1] rcon_fault, phase_fault;
    byte_t [NumSlots-1:0] rcon;
    assign rcon = {rcon_q, going ? next_rcon_q : 8'h01};

    for (genvar i = 1; i < NumSlots; i++) begin : gen_rcon
      aes_control_register #(
        .Width   (8),
        .Hardened(Cfg.hardened),
        .HasReset(1'b0)
      ) u_rcon (
        .clk_i,
        .rst_ni,
        .d_i    (rcon[i-1]),
        .q_o    (rcon_q[i]),
        .fault_o(rcon_fault[i])
      );
    end
    assign fault[4] = |rcon_fault;

    for (genvar i = 1; i < NumSlots; i++) begin : gen_phase
      aes_control_register #(
        .Width   (2),
        .Hardened(Cfg.hardened),
        .HasReset(1'b0)
      ) u_phase (
        .clk_i,
        .rst_ni,
        .d_i    (phase[i-1]),
        .q_o    (phase_q[i]),
        .fault_o(phase_fault[i])
      );
    end
    assign fault[5] = |phase_fault;

    aes_control_register #(
      .Width   (8),
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_next_rcon (
      .clk_i,
      .rst_ni,
      .d_i    (next_rcon(Cfg.key_size, phase[NumSlots-1], rcon_q[NumSlots-1])),
      .q_o    (next_rcon_q),
      .fault_o(fault[6])
    );

    aes_control_register #(
      .Width   (2),
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_next_phase (
      .clk_i,
      .rst_ni,
      .d_i    (next_phase(Cfg.key_size, phase[NumSlots-1])),
      .q_o    (next_phase_q),
      .fault_o(fault[7])
    );

    // After Nr passes the next constant is {6c}, {1b} or {80}, which none before has; with longer
    // keys the pass before has it too, in another phase.
    always_comb begin
      case (Cfg.key_size)
        KeySize128: last = next_rcon_q[6] & next_rcon_q[5];
        KeySize192: last = next_rcon_q[1] & next_rcon_q[0] & ~next_phase_q[1];
        default:    last = next_rcon_q[7] & ~next_phase_q[0];
      endcase
    end

    // {36}, {1b} and {80} are the last constants.
    if (SharedFirst) begin : gen_last_soon
      byte_t soon_rcon;
      logic [1:0] soon_phase;
      logic unused_soon;

      assign unused_soon = ^{soon_rcon, soon_phase};
      assign soon_rcon  = rcon_q[NumSlots-Soon];
      assign soon_phase = phase_q[NumSlots-Soon];
      always_comb begin
        case (Cfg.key_size)
          KeySize128: last_soon = soon_rcon[5] & soon_rcon[4];
          KeySize192: last_soon = soon_rcon[1] & soon_rcon[0] & soon_phase[1];
          default:    last_soon = soon_rcon[7] & soon_phase[0];
        endcase
      end
    end else begin : gen_no_last_soon
      assign last_soon = 1'b0;
    end

    if (MixLevels == 2 && !SharedFirst) begin : gen_key_in_register
      logic [Width-1:0] in_key_q;
      always_ff @(posedge clk_i) in_key_q <= in_key_i[255-:Width];
      assign key_in = in_key_q;
    end else begin : gen_no_key_in_register
      assign key_in = in_key_i[255-:Width];
    end

    // A shared key adder takes its key here, also for the last addition. Where only the first
    // addition is shared, the multiplexer is part of the key round.
    if (SharedFirst) begin : gen_no_key_mux
      assign key_d = window;
    end else begin : gen_key_mux
      assign key_d = (SharedAll ? busy_q[NumSlots] : going_at[Front-1]) ? window : key_in;
    end

    if (LoopLevels == 1) begin : gen_key_loop_register
      logic [Width-1:0] loop_key_q;
      always_ff @(posedge clk_i) loop_key_q <= key_d;
      assign loop_key = loop_key_q;
    end else begin : gen_no_key_loop_register
      assign loop_key = key_d;
    end

    // With keys that wait in LUT RAM: the number of the clock, from 0 in the first one in which a
    // block may be accepted. Its key comes to the key round a clock later.
    localparam int unsigned CountWidth = (SboxLevels > 1) ? $clog2(SboxLevels) : 1;
    logic [CountWidth-1:0] count;

    if (Cfg.key_mem == KeyMemDistributed) begin : gen_count
      logic [CountWidth-1:0] count_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) count_q <= '0;
        else count_q <= count_q + CountWidth'(1);
      end
      assign count = count_q;
    end else begin : gen_no_count
      assign count = '0;
    end

    aes_key_round_staged #(
      .Sbox      (Cfg.key_sbox),
      .KeySize   (Cfg.key_size),
      .SboxLevels(SboxLevels),
      .MixLevels (MixLevels),
      .RamWidth  ((Cfg.key_mem == KeyMemDistributed) ? 64 : 0),
      .Loop      (SharedFirst)
    ) u_key_round (
      .clk_i,
      .count_i     (count),
      .window_i    (loop_key),
      .phase_i     (phase[Front-1+LoopLevels]),
      .late_phase_i(phase[NumSlots-1]),
      .rcon_i      (rcon_q[NumSlots-1]),
      .load_i      (enter_key),
      .new_window_i(in_key_i[255-:Width]),
      .next_o      (next_window),
      .window_o    (window)
    );

    assign first_key   = key_in[Width-1-:128];
    assign round_key   = window[Width-1-:128];
    assign next_key    = next_window[Width-1-:128];
    assign available   = 1'b1;
    assign key_ready_o = 1'b0;

    logic unused_stored;
    assign unused_stored = ^{
      key_valid_i, key_i, key_len_i, in_key_i,
      phase, next_phase_q, next_window, key_in, rcon
    };
  end else begin : gen_stored
    block_t memory_key;

    // Where the round adds the first key too, memory and first key meet in a register.
    aes_key_loop_stored #(
      .Sbox    (Cfg.key_sbox),
      .Dir     (Cfg.dir),
      .KeySize (Cfg.key_size),
      .Memory  (Cfg.key_mem),
      .NumBanks((Cfg.key_sched == KeysStored) ? 2 : 1),
      .NumSlots(NumSlots),
      .Front   (SharedFirst ? 1 : Front),
      .Levels  ((Cfg.key_exp == KeyExpStaged) ? SboxLevels : 0),
      .Soon    (Soon)
    ) u_keys (
      .clk_i,
      .rst_ni,
      .key_valid_i,
      .key_ready_o,
      .key_i,
      .key_len_i,
      .decrypt_i  (in_decrypt_i),
      .going_i    (going),
      .busy_i     (busy_q),
      .available_o(available),
      .last_o     (last),
      .last_soon_o(last_soon),
      .first_key_o(first_key),
      .round_key_o(memory_key)
    );

    if (SharedFirst) begin : gen_key_register
      block_t round_key_q;
      always_ff @(posedge clk_i) begin
        for (int unsigned n = 0; n < 16; n++) begin
          round_key_q[8*n+:8] <= enter_key[n] ? first_key[8*n+:8] : memory_key[8*n+:8];
        end
      end
      assign round_key = round_key_q;
    end else begin : gen_no_key_register
      assign round_key = memory_key;
    end

    assign next_key = memory_key;

    logic unused_on_the_fly;
    assign unused_on_the_fly = ^in_key_i;
    assign fault[7:4]        = '0;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Direction of the block in the slot that was at the entry so many clocks ago
  ///////////////////////////////////////////////////////////////////////////

  logic [NumSlots:0] decrypt;

  if (Cfg.dir == DirBoth) begin : gen_both
    logic [NumSlots:1] decrypt_q;
    always_ff @(posedge clk_i) decrypt_q <= decrypt[NumSlots-1:0];
    assign decrypt = {decrypt_q, going ? decrypt_q[NumSlots] : in_decrypt_i};
  end else begin : gen_one_direction
    logic unused_decrypt;
    assign unused_decrypt = ^{in_decrypt_i, decrypt};
    assign decrypt        = {(NumSlots + 1) {Cfg.dir == DirDecrypt}};
  end

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  block_t out_block_q;

  if (SharedAll) begin : gen_shared_add
    block_t substituted, shifted, mixed, addend, sum, state_q;

    // Two slots: what is substituted entered the loop a clock ago, what is mixed two.
    aes_sub_bytes #(
      .Sbox    (Cfg.sbox),
      .Dir     (Cfg.dir),
      .Levels  (SboxLevels),
      .NumBytes(16)
    ) u_sub_bytes (
      .clk_i,
      .decrypt_i(decrypt[1]),
      .bytes_i  (state_q),
      .bytes_o  (substituted)
    );

    aes_shift_rows #(
      .Dir(Cfg.dir)
    ) u_shift_rows (
      .decrypt_i(decrypt[2]),
      .state_i  (substituted),
      .state_o  (shifted)
    );

    aes_mix_columns #(
      .Dir(Cfg.dir)
    ) u_mix_columns (
      .decrypt_i(decrypt[2]),
      .state_i  (shifted),
      .state_o  (mixed)
    );

    always_comb begin
      if (going) addend = mixed;
      else if (ended) addend = shifted;
      else addend = in_block_i;
    end

    assign sum = addend ^ (busy_q[NumSlots] ? round_key : first_key);

    always_ff @(posedge clk_i) state_q <= sum;

    if (Cfg.out_reg) begin : gen_out_register
      always_ff @(posedge clk_i) begin
        if (ended) out_block_q <= sum;
      end
    end else begin : gen_no_out_register
      assign out_block_q = state_q;  // no register of its own
    end
  end else begin : gen_own_adds
    block_t block_in, entry, loop_state, state, shifted;

    if (SharedFirst && Cfg.doubled) begin : gen_shared_first_doubled
      assign block_in   = in_block_i;
      assign entry      = block_in;
      assign loop_state = state;
    end else if (SharedFirst) begin : gen_shared_first
      // Zero where no block enters, so that the round can add it.
      block_t in_block_q;
      always_ff @(posedge clk_i) begin
        for (int unsigned n = 0; n < 16; n++) begin
          in_block_q[8*n+:8] <= enter_block[n] ? in_block_i[8*n+:8] : '0;
        end
      end
      assign block_in   = in_block_q;
      assign entry      = block_in;
      assign loop_state = state;
    end else begin : gen_own_first
      block_t first_state_q, state_d;

      if (MixLevels == 2) begin : gen_in_register
        block_t in_block_q;
        always_ff @(posedge clk_i) in_block_q <= in_block_i;
        assign block_in = in_block_q;
      end else begin : gen_no_in_register
        assign block_in = in_block_i;
      end

      always_ff @(posedge clk_i) first_state_q <= block_in ^ first_key;

      assign state_d = going_at[Front] ? state : first_state_q;

      if (LoopLevels == 1) begin : gen_loop_register
        block_t loop_state_q;
        always_ff @(posedge clk_i) loop_state_q <= state_d;
        assign loop_state = loop_state_q;
      end else begin : gen_no_loop_register
        assign loop_state = state_d;
      end

      assign entry = '0;
    end

    aes_round_staged #(
      .Sbox      (Cfg.sbox),
      .Dir       (Cfg.dir),
      .SboxLevels(SboxLevels),
      .MixLevels (MixLevels),
      .Doubled   (Cfg.doubled),
      .Early     (SharedFirst && Cfg.doubled)
    ) u_round (
      .clk_i,
      .decrypt_i  (decrypt[Front+LoopLevels]),
      .state_i    (loop_state),
      .round_key_i(round_key),
      .clear_i    (SharedFirst ? enter_round : '0),
      .entry_i    (entry),
      .shifted_o  (shifted),
      .state_o    (state)
    );

    // The last round key comes MixLevels - 1 clocks after the state, as in every round. Where the
    // key of a new block may take its place, it is added a clock earlier.
    block_t last_d;

    if (SharedFirst) begin : gen_early
      assign last_d = shifted ^ next_key;
    end else if (MixLevels == 2) begin : gen_delay
      block_t shifted_q;
      always_ff @(posedge clk_i) shifted_q <= shifted;
      assign last_d = shifted_q ^ round_key;
    end else begin : gen_no_delay
      assign last_d = shifted ^ round_key;
    end

    // The output changes with a result only: no state of an inner round is seen outside.
    always_ff @(posedge clk_i) begin
      for (int unsigned c = 0; c < 4; c++) begin
        if (ended_later[c]) out_block_q[32*c+:32] <= last_d[32*c+:32];
      end
    end
  end

  assign out_block_o = out_block_q;

  logic unused_keys;
  assign unused_keys = ^{next_key, first_key, last_soon, enter_round, enter_key, enter_block};

  assign available_o = available;
  assign fault_o     = |fault | (|copy_fault);

endmodule
