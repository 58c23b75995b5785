// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What stands around a core with clear = 1 or hardened = 1: between its ports and those of aes_core.
//
//                       +-----------------------------------------------+
//   key, block, --------|--( zero in a sweep )--->[ any core ]--valid---|--( else zero )-- out_block_o
//                       |                           |  |  ^             |
//   clear_i ------------|-->[ count of the sweep ]--|--|--+ reset       |
//                       |      ^                    |  |                |
//                       |      +---[ watch ]<-ready-+  +-fault->[ wait ]|-- fault_o
//                       +-----------------------------------------------+
//
// out_block_o is zero but in the clock of a result.
//
// clear: after a reset, and after a clock with clear_i, secrets are overwritten in a number of clocks
// that is always the same (aes_pkg::sweep_clocks). Until then nothing is taken and nothing comes out;
// what was under way is lost, also what is taken in the clock of clear_i. With zero on all inputs:
//
//   SweepReset                       clocks of reset: no block is under way and no key is current
//   sweep_keys                       a key for each bank, of the longest size
//   sweep_blocks for each direction  blocks, one after the other
//   SweepReset                       clocks of reset again: no key is current
//   wake_clocks                      the core begins
//
// hardened: the registers of control are aes_control_register in three copies. A copy that differs
// does nothing, but it is the mark of an attack: results of blocks that were under way when it did are
// zero and come with fault_o, each in its clock. So are all results for latency clocks.
//
// Where more than one copy is wrong, control may be in a state that no input leads to, and stay
// there. The watch looks at whole periods of a free running counter. It puts the core into reset,
// and sweeps where there is a sweep, after a period of one of these kinds: the core has a key and
// would never have taken a block (a loop: in one of its slots); it would never have taken a key; no
// result came of a block. Periods are longer than any wait of a sound core, so the core is at rest
// again after two of them.
//
// A key of a length that there is not (key_len_i = 3) is refused: key_error_o is high in the clock in
// which it would be taken, and the old key stays.

module aes_guard
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  // Printed from one table for all cores
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,            // Cfg.clear: overwrite keys and blocks
  output logic         clearing_o,         // or what follows a reset, is going on: nothing is taken

  // Key, for stored keys
  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,              // first byte at the top
  input  logic [1:0]   key_len_i,          // key_len_e, for designs that take every key size
  output logic         key_error_o,        // hardened or clear: a key of no length is refused
  input  logic         round_key_valid_i,  // SboxNone: the words at the top of key_i are offered
  output logic         round_key_ready_o,  // and taken

  // Block
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,       // DirBoth: its direction
  input  logic [255:0] in_key_i,           // on-the-fly keys: its key, first byte at the top

  // Result, which cannot be held back
  output logic         out_valid_o,
  output block_t       out_block_o,
  output logic         fault_o,            // Cfg.hardened: the result is zero because of a fault

  // The core
  output logic         core_rst_no,
  output logic         core_key_valid_o,
  input  logic         core_key_ready_i,
  output logic [255:0] core_key_o,
  output logic [1:0]   core_key_len_o,
  output logic         core_round_key_valid_o,
  input  logic         core_round_key_ready_i,
  input  logic         core_available_i,   // a key is current
  output logic         core_in_valid_o,
  input  logic         core_in_ready_i,
  output block_t       core_in_block_o,
  output logic         core_in_decrypt_o,
  output logic [255:0] core_in_key_o,
  input  logic         core_out_valid_i,
  input  block_t       core_out_block_i,
  input  logic         core_fault_i        // Cfg.hardened: copies of a register of control differ
);

  localparam bit Stored = Cfg.key_sched != KeysOnTheFly;
  localparam bit AnyKey = Cfg.key_size == KeySizeAny;
  localparam key_len_e MaxKeyLen = max_key_len(Cfg.key_size);
  localparam int unsigned Latency = latency(Cfg, MaxKeyLen);

  ///////////////////////////////////////////////////////////////////////////
  // Sweep
  ///////////////////////////////////////////////////////////////////////////

  localparam int unsigned Sweep = sweep_clocks(Cfg);
  localparam int unsigned FirstKey = SweepReset;
  localparam int unsigned FirstBlock = FirstKey + sweep_keys(Cfg);
  localparam int unsigned Turn = FirstBlock + sweep_blocks(Cfg);  // of the direction
  localparam int unsigned LastReset = Sweep - wake_clocks(Cfg);
  localparam int unsigned FirstReset = LastReset - (Cfg.clear ? SweepReset : 0);
  // One key, or more, or one that is offered: key_valid until the last of them is taken.
  localparam int unsigned KeyOffer =
      (Cfg.key_sched == KeysStored || Cfg.key_exp == KeyExpWordSerial) ?
      key_setup(
      Cfg, MaxKeyLen
  ) + 1 : 1;
  localparam int unsigned CountWidth = $clog2(Sweep + 1);

  typedef logic [CountWidth-1:0] count_t;

  // Clocks since the sweep began; it stays at Sweep. Larger counts, which there are not, lead there.
  count_t count_d, count_q;
  logic run_d, run_q, sweeping, restart, hung;
  logic [1:0] sweep_fault;

  assign restart  = clear_i | hung;
  assign sweeping = count_q < count_t'(Sweep);
  assign count_d  = restart ? '0 : (sweeping ? count_q + count_t'(1) : count_t'(Sweep));

  // The core is in reset at both ends of a sweep.
  assign run_d = count_d >= count_t'(SweepReset) &&
                 !(Cfg.clear && count_d >= count_t'(FirstReset) && count_d < count_t'(LastReset));

  aes_control_register #(
    .Width   (CountWidth),
    .Hardened(Cfg.hardened)
  ) u_count (
    .clk_i,
    .rst_ni,
    .d_i    (count_d),
    .q_o    (count_q),
    .fault_o(sweep_fault[0])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_run (
    .clk_i,
    .rst_ni,
    .d_i    (run_d),
    .q_o    (run_q),
    .fault_o(sweep_fault[1])
  );

  assign core_rst_no = run_q;
  assign clearing_o  = sweeping;

  logic sweep_key, sweep_block, sweep_decrypt;

  // Zero, and with 8-bit ports the bit behind the byte: where a block must begin, each byte may be its
  // first.
  localparam block_t SweepBlock = {8'd0, Cfg.serial, 119'd0};

  if (Cfg.clear) begin : gen_sweep
    assign sweep_key = Stored && count_q >= count_t'(FirstKey) &&
                       count_q < count_t'(FirstKey + KeyOffer);
    assign sweep_block = count_q >= count_t'(FirstBlock) && count_q < count_t'(FirstReset);
    assign sweep_decrypt = (Cfg.dir == DirBoth) ? count_q >= count_t'(Turn) : Cfg.dir == DirDecrypt;
  end else begin : gen_no_sweep
    assign sweep_key     = 1'b0;
    assign sweep_block   = 1'b0;
    assign sweep_decrypt = 1'b0;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Keys and blocks
  ///////////////////////////////////////////////////////////////////////////

  // What stands on idle inputs does not come into hardened control, where a simulator would take it
  // for copies that may differ.
  logic refused, known_key, known_block;

  assign known_key   = key_valid_i | ~Cfg.hardened;
  assign known_block = in_valid_i | ~Cfg.hardened;
  assign refused     = AnyKey & (key_len_i == 2'd3);
  assign key_error_o = refused & key_valid_i & key_ready_o;
  assign key_ready_o = core_key_ready_i & ~sweeping;

  assign core_key_valid_o       = sweeping ? sweep_key : key_valid_i & ~refused;
  assign core_key_o             = sweeping ? '0 : key_i;
  assign core_key_len_o         = sweeping ? MaxKeyLen : key_len_i & {2{known_key}};
  assign core_round_key_valid_o = sweeping | round_key_valid_i;
  assign round_key_ready_o      = core_round_key_ready_i & ~sweeping;

  assign in_ready_o        = core_in_ready_i & ~sweeping;
  assign core_in_valid_o   = sweeping ? sweep_block : in_valid_i;
  assign core_in_block_o   = sweeping ? SweepBlock : in_block_i;
  assign core_in_decrypt_o = sweeping ? sweep_decrypt : in_decrypt_i & known_block;
  assign core_in_key_o     = sweeping ? '0 : in_key_i;

  ///////////////////////////////////////////////////////////////////////////
  // Faults
  ///////////////////////////////////////////////////////////////////////////

  logic tainted;  // results of this clock may be of a block that met a fault

  if (Cfg.hardened) begin : gen_hardened
    // Clocks for which that is so: the last block under way in the clock of a fault is one that was
    // taken in it, and fault_q is a clock later.
    localparam int unsigned WaitWidth = $clog2(Latency + 1);
    typedef logic [WaitWidth-1:0] wait_t;

    wait_t wait_d, wait_q;
    logic any_fault, fault_q;
    logic [6:0] own_fault;

    assign any_fault = core_fault_i | (|sweep_fault) | (|own_fault);
    assign tainted   = fault_q | (wait_q != '0);

    always_comb begin
      wait_d = (wait_q == '0) ? '0 : wait_q - wait_t'(1);
      if (fault_q) wait_d = wait_t'(Latency - 1);
    end

    aes_control_register #(
      .Hardened(1'b1)
    ) u_fault (
      .clk_i,
      .rst_ni,
      .d_i    (any_fault),
      .q_o    (fault_q),
      .fault_o(own_fault[0])
    );

    aes_control_register #(
      .Width   (WaitWidth),
      .Hardened(1'b1)
    ) u_wait (
      .clk_i,
      .rst_ni,
      .d_i    (wait_d),
      .q_o    (wait_q),
      .fault_o(own_fault[1])
    );

    // The watch. No wait of a sound core is longer than that for two blocks and a key.
    localparam int unsigned PeriodWidth = $clog2(
        2 * Latency + 2 * (Stored ? key_setup(Cfg, MaxKeyLen) : 0) + 8
    );
    typedef logic [PeriodWidth-1:0] period_t;

    // A loop takes a block in each of its slots.
    localparam int unsigned NumSlots = (Cfg.arch == ArchInterleaved) ? blocks_in_flight(
        Cfg, MaxKeyLen
    ) : 1;
    localparam int unsigned SlotWidth = (NumSlots > 1) ? $clog2(NumSlots) : 1;
    typedef logic [SlotWidth-1:0] slot_t;

    period_t period_q;
    slot_t slot_q;
    logic [NumSlots-1:0] took_block, took_block_q;
    logic ends, halves, took_key, took_key_q, due_d, due_q;

    assign ends     = &period_q;
    assign halves   = &period_q[PeriodWidth-2:0] & ~period_q[PeriodWidth-1];
    assign took_key = took_key_q | ~Stored | core_key_ready_i | sweeping;

    always_comb begin
      took_block = took_block_q | {NumSlots{~core_available_i | sweeping}};
      for (int unsigned i = 0; i < NumSlots; i++) begin
        if (core_in_ready_i && slot_q == slot_t'(i)) took_block[i] = 1'b1;
      end
    end

    // Of a block that is taken in the second half of a period a result comes in the half that follows.
    always_comb begin
      due_d = due_q & ~core_out_valid_i & ~sweeping & ~halves;
      if (core_in_valid_o && core_in_ready_i && period_q[PeriodWidth-1] && !sweeping) due_d = 1'b1;
    end

    assign hung = (ends & ~((&took_block) & took_key)) | (halves & due_q & ~core_out_valid_i);

    aes_control_register #(
      .Width   (PeriodWidth),
      .Hardened(1'b1)
    ) u_period (
      .clk_i,
      .rst_ni,
      .d_i    (period_q + period_t'(1)),
      .q_o    (period_q),
      .fault_o(own_fault[2])
    );

    if (NumSlots > 1) begin : gen_slots
      slot_t slot_d;
      assign slot_d = (slot_q >= slot_t'(NumSlots - 1)) ? '0 : slot_q + slot_t'(1);

      aes_control_register #(
        .Width   (SlotWidth),
        .Hardened(1'b1)
      ) u_slot (
        .clk_i,
        .rst_ni,
        .d_i    (slot_d),
        .q_o    (slot_q),
        .fault_o(own_fault[5])
      );
    end else begin : gen_one_slot
      assign slot_q       = '0;
      assign own_fault[5] = 1'b0;
    end

    aes_control_register #(
      .Hardened(1'b1)
    ) u_due (
      .clk_i,
      .rst_ni,
      .d_i    (due_d),
      .q_o    (due_q),
      .fault_o(own_fault[6])
    );

    aes_control_register #(
      .Width   (NumSlots),
      .Hardened(1'b1)
    ) u_took_block (
      .clk_i,
      .rst_ni,
      .d_i    (ends ? '0 : took_block),
      .q_o    (took_block_q),
      .fault_o(own_fault[3])
    );

    aes_control_register #(
      .Hardened(1'b1)
    ) u_took_key (
      .clk_i,
      .rst_ni,
      .d_i    (~ends & took_key),
      .q_o    (took_key_q),
      .fault_o(own_fault[4])
    );
  end else begin : gen_not_hardened
    assign tainted = 1'b0;
    assign hung    = 1'b0;

    logic unused_faults;
    assign unused_faults = ^{core_available_i, core_fault_i, sweep_fault};
  end

  assign out_valid_o = core_out_valid_i & ~sweeping;
  assign fault_o     = out_valid_o & tainted;
  assign out_block_o = (out_valid_o && !tainted) ? core_out_block_i : '0;

endmodule
