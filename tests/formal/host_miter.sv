// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_host with a core that does what it likes within its contract (stub/aes_core.sv), beside a
// queue of the blocks that the host wrote, each with the result that it must have: that under the
// setting in force when it was written.
//
//   order_o    what is read is the head of the queue; nothing is lost, doubled or out of order
//   room_o     no result comes while the output buffer is full, no block while the input buffer is
//   levels_o   what the levels say, with the blocks in the core, is the length of the queue; idle
//              means idle
//   stable_o   a block at the output stands until it is taken; nothing is erased unasked
//   waits_o    what is said to come comes: nothing waits longer than Patience clocks for the core
//   same_o     all of them
//   related_o  order_o, room_o, levels_o and stable_o, and the state of the host is the one that belongs
//              to the queue: which blocks stand where, under which key and direction each of them is
//              to be processed, and how far an erasure is
//
// related_o holds after a reset, and where it holds in a clock it holds in the next one: so for ever.

module host_miter
  import aes_pkg::*;
#(
  parameter int unsigned Depth    = 2,
  parameter bit          OnTheFly = 1'b0,
  parameter int unsigned Patience = 10
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       erase_i,
  input  logic       want_set_i,
  input  logic       want_key_i,
  input  logic       want_decrypt_i,
  input  logic [1:0] want_bits_i,
  input  logic       in_valid_i,
  input  logic [1:0] in_data_i,
  input  logic       out_ready_i,
  output logic       order_o,
  output logic       room_o,
  output logic       levels_o,
  output logic       stable_o,
  output logic       waits_o,
  output logic       same_o,
  output logic       related_o,
  output logic       reached_o
);

  function automatic cfg_t the_cfg();
    cfg_t cfg;
    cfg = DefaultCfg;
    if (OnTheFly) cfg.key_sched = KeysOnTheFly;
    return cfg;
  endfunction

  localparam int unsigned LevelWidth = $clog2(Depth) + 1;
  localparam int unsigned Most = 2 * Depth + 2;  // blocks in the buffers and in the core
  localparam int unsigned CountWidth = $clog2(Most + 2);

  // A setting stands until it is taken, as the front end has it.
  logic set_valid_q, set_key_q, set_decrypt_q, set_ready;
  logic [1:0] set_bits_q;
  logic erasing, keyed, set_moving, in_ready, in_full, out_valid, out_full, busy, moving, coming;
  block_t out_block;
  logic [LevelWidth-1:0] in_level, out_level;
  logic begin_set;

  assign begin_set = want_set_i & ~set_valid_q & ~erasing & ~erase_i & (want_key_i | keyed);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      set_valid_q   <= 1'b0;
      set_key_q     <= 1'b0;
      set_decrypt_q <= 1'b0;
      set_bits_q    <= '0;
    end else if (erase_i) begin
      set_valid_q <= 1'b0;
      set_bits_q  <= '0;
    end else if (begin_set) begin
      set_valid_q   <= 1'b1;
      set_key_q     <= want_key_i;
      set_decrypt_q <= want_decrypt_i;
      set_bits_q    <= want_bits_i;
    end else if (set_ready) begin
      set_valid_q <= 1'b0;
      set_bits_q  <= '0;
    end
  end

  aes_host #(
    .Cfg  (the_cfg()),
    .Depth(Depth)
  ) u_host (
    .clk_i,
    .rst_ni,
    .erase_i,
    .reset_i       (1'b0),
    .erasing_o     (erasing),
    .set_valid_i   (set_valid_q),
    .set_ready_o   (set_ready),
    .set_key_i     (set_key_q),
    .set_decrypt_i (set_decrypt_q),
    .set_key_len_i (2'd0),
    .set_key_bits_i({6'd0, set_bits_q, 248'd0}),
    .set_moving_o  (set_moving),
    .keyed_o       (keyed),
    .in_valid_i,
    .in_ready_o    (in_ready),
    .in_block_i    (128'(in_data_i)),
    .in_full_o     (in_full),
    .in_level_o    (in_level),
    .out_valid_o   (out_valid),
    .out_ready_i,
    .out_block_o   (out_block),
    .out_full_o    (out_full),
    .out_level_o   (out_level),
    .busy_o        (busy),
    .moving_o      (moving),
    .coming_o      (coming)
  );

  ///////////////////////////////////////////////////////////////////////////
  // The queue
  ///////////////////////////////////////////////////////////////////////////

  logic [2:0] queue_q[Most], queue_d[Most];
  logic [CountWidth-1:0] count_q, count_d, left;
  logic [1:0] bits_q, bits;
  logic decrypt_q, decrypt, set_known_q, push, pop;

  // A setting is in force from the clock in which it comes.
  assign bits    = (set_valid_q && !set_known_q && set_key_q) ? set_bits_q : bits_q;
  assign decrypt = (set_valid_q && !set_known_q) ? set_decrypt_q : decrypt_q;
  assign push    = in_valid_i & in_ready;
  assign pop     = out_valid & out_ready_i;
  assign left    = count_q - CountWidth'(pop);

  always_comb begin
    count_d = left + CountWidth'(push);
    for (int unsigned i = 0; i < Most; i++) begin
      queue_d[i] = pop ? ((i == Most - 1) ? '0 : queue_q[(i+1)%Most]) : queue_q[i];
      if (push && left == CountWidth'(i)) queue_d[i] = {decrypt, in_data_i ^ bits};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q     <= '0;
      set_known_q <= 1'b0;
      bits_q      <= '0;
      decrypt_q   <= 1'b0;
    end else if (erase_i || erasing) begin
      count_q     <= '0;
      set_known_q <= 1'b0;
      bits_q      <= '0;
      decrypt_q   <= 1'b0;
    end else begin
      count_q     <= count_d;
      set_known_q <= set_valid_q & ~set_ready;
      bits_q      <= bits;
      decrypt_q   <= decrypt;
    end
  end

  always_ff @(posedge clk_i) queue_q <= queue_d;

  ///////////////////////////////////////////////////////////////////////////
  // What must hold
  ///////////////////////////////////////////////////////////////////////////

  logic quiet;
  assign quiet = erasing;

  assign order_o = quiet || !out_valid ||
                   (count_q != '0 && {out_block[7], out_block[1:0]} == queue_q[0]);
  assign room_o = !(u_host.core_out_valid && out_full && !quiet) &&
                  !(push && in_full) && out_level <= LevelWidth'(Depth);
  assign levels_o = quiet ||
      (CountWidth'(in_level) + CountWidth'(u_host.flight_q) + CountWidth'(out_level) == count_q &&
       busy == (count_q != CountWidth'(out_level)));

  logic held_q;
  logic [7:0] held_block_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= 1'b0;
    else held_q <= out_valid & ~out_ready_i & ~erase_i & ~erasing;
  end
  always_ff @(posedge clk_i) held_block_q <= out_block[7:0];
  logic may_erase_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) may_erase_q <= 1'b1;
    else may_erase_q <= erase_i | erasing;
  end
  assign stable_o = (!held_q || (out_valid && out_block[7:0] == held_block_q) || erasing) &&
                    (!erasing || may_erase_q);

  // Clocks in which the host could wait for a block at the output or for room at the input.
  logic [4:0] out_wait_q, in_wait_q, set_wait_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_wait_q <= '0;
      in_wait_q  <= '0;
      set_wait_q <= '0;
    end else begin
      out_wait_q <= (coming && !out_valid) ? out_wait_q + 5'd1 : '0;
      in_wait_q  <= (moving && in_full) ? in_wait_q + 5'd1 : '0;
      set_wait_q <= (set_valid_q && set_moving && !set_ready) ? set_wait_q + 5'd1 : '0;
    end
  end
  assign waits_o = out_wait_q <= 5'(Patience) && in_wait_q <= 5'(Patience) &&
                   set_wait_q <= 5'(Patience);

  assign same_o = order_o & room_o & levels_o & stable_o & waits_o;

  ///////////////////////////////////////////////////////////////////////////
  // States that belong together
  ///////////////////////////////////////////////////////////////////////////

  localparam int unsigned PtrWidth = $clog2(Depth);
  localparam logic [2:0] StWipe = 3'd0;
  localparam logic [2:0] StFlush = 3'd1;
  localparam logic [2:0] StRun = 3'd2;
  localparam logic [2:0] StKey = 3'd3;
  localparam logic [2:0] StKeyWait = 3'd4;

  // An entry can be read in the second clock after it was written.
  logic in_fresh_q, out_fresh_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {in_fresh_q, out_fresh_q} <= '0;
    else {in_fresh_q, out_fresh_q} <= {u_host.u_in.write, u_host.u_out.write};
  end

  // Of a block the bits that say something: direction and data.
  logic [2:0] in_mem[Depth], out_mem[Depth];
  logic [7:0] in_oldest, out_oldest;
  for (genvar i = 0; i < Depth; i++) begin : gen_mem
    assign in_mem[i]  = {u_host.u_in.mem[i][7], u_host.u_in.mem[i][1:0]};
    assign out_mem[i] = {u_host.u_out.mem[i][7], u_host.u_out.mem[i][1:0]};
  end
  assign in_oldest  = u_host.u_in.mem[u_host.u_in.read_ptr_q][7:0];
  assign out_oldest = u_host.u_out.mem[u_host.u_out.read_ptr_q][7:0];

  logic [2:0] state, current;  // the key of the next block to the core
  assign state = u_host.state_q;

  if (OnTheFly) begin : gen_on_the_fly
    logic [255:0] key;
    assign key     = u_host.gen_on_the_fly.key_q;
    assign current = {key[255], key[249:248]};
  end else begin : gen_stored
    byte_t key;
    assign key     = (state == StKeyWait) ? u_host.u_core.key_q : u_host.u_core.current_q;
    assign current = {key[7], key[1:0]};
  end

  // A buffer: level and pointers, and what stands at its output.
  logic in_right, out_right;
  assign in_right = in_level <= LevelWidth'(Depth) && !(in_fresh_q && in_level == '0) &&
      u_host.u_in.write_ptr_q == u_host.u_in.read_ptr_q + PtrWidth'(in_level) &&
      u_host.u_in.valid_q == (in_level != LevelWidth'(in_fresh_q)) &&
      (!u_host.u_in.valid_q || u_host.head[7:0] == in_oldest);
  assign out_right = out_level <= LevelWidth'(Depth) && !(out_fresh_q && out_level == '0) &&
      u_host.u_out.write_ptr_q == u_host.u_out.read_ptr_q + PtrWidth'(out_level) &&
      out_valid == (out_level != LevelWidth'(out_fresh_q)) &&
      (!out_valid || out_block[7:0] == out_oldest);

  // What the settings and the queue say of each other.
  logic settings;
  always_comb begin
    settings = u_host.waiting_q == set_known_q && (!set_known_q || set_valid_q) &&
               (u_host.keyed_q || !set_known_q || (set_key_q && u_host.ahead_q == '0)) &&
               (!set_valid_q || set_key_q || u_host.keyed_q) &&
               (!set_known_q || u_host.ahead_q <= in_level);
    if (state inside {StRun, StKey} && !OnTheFly && !u_host.u_core.key_ready_q) begin
      settings = 1'b0;
    end
    if (state == StKey && !(set_known_q && set_key_q && u_host.ahead_q == '0 && !OnTheFly &&
        u_host.decrypt_q == set_decrypt_q)) begin
      settings = 1'b0;
    end
    if (state == StKeyWait && (OnTheFly || !u_host.keyed_q ||
        (u_host.u_core.key_ready_q && u_host.u_core.current_q != u_host.u_core.key_q))) begin
      settings = 1'b0;
    end
    if (u_host.keyed_q && current[2]) settings = 1'b0;
    if (set_known_q) begin
      if (decrypt_q != set_decrypt_q || bits_q != (set_key_q ? set_bits_q : current[1:0])) begin
        settings = 1'b0;
      end
    end else begin
      if (u_host.keyed_q && (decrypt_q != u_host.decrypt_q || bits_q != current[1:0])) begin
        settings = 1'b0;
      end
      if (!u_host.keyed_q && count_q != '0) settings = 1'b0;
    end
    if (!u_host.keyed_q && (out_level != '0 || u_host.flight_q != '0)) settings = 1'b0;
  end

  // Each block is where it must be, with what is still to be done to it.
  logic blocks;
  always_comb begin
    blocks = count_q == CountWidth'(in_level) + CountWidth'(u_host.flight_q) +
                        CountWidth'(out_level) &&
             CountWidth'(u_host.gen_guarded.room_q) + CountWidth'(u_host.flight_q) +
             CountWidth'(out_level) == CountWidth'(Depth);
    for (int unsigned i = 0; i < Depth; i++) begin
      automatic logic [2:0] entry;
      automatic logic [CountWidth-1:0] place;
      if (LevelWidth'(i) < out_level &&
          out_mem[u_host.u_out.read_ptr_q+PtrWidth'(i)] != queue_q[i]) begin
        blocks = 1'b0;
      end
      place = CountWidth'(i) + CountWidth'(out_level) + CountWidth'(u_host.flight_q);
      entry = in_mem[u_host.u_in.read_ptr_q+PtrWidth'(i)];
      if (set_known_q && LevelWidth'(i) >= u_host.ahead_q) begin
        entry = entry ^ {set_decrypt_q, set_key_q ? set_bits_q : current[1:0]};
      end else begin
        entry = entry ^ {u_host.decrypt_q, current[1:0]};
      end
      if (LevelWidth'(i) < in_level && queue_q[place] != entry) blocks = 1'b0;
    end
    if (u_host.u_core.out_valid_q && queue_q[CountWidth'(out_level)] !=
        {u_host.u_core.out_block_q[7], u_host.u_core.out_block_q[1:0]}) begin
      blocks = 1'b0;
    end
    if (u_host.u_core.valid_q &&
        queue_q[CountWidth'(out_level)+CountWidth'(u_host.u_core.out_valid_q)] !=
        {u_host.u_core.block_q[7], u_host.u_core.block_q[1:0]}) begin
      blocks = 1'b0;
    end
  end

  // The erasure: from its second clock on the buffers are empty and no setting is known.
  localparam int unsigned WipeWidth = $clog2(Depth + 2);
  logic begun, swept, empty;
  assign begun = u_host.wipe_q == WipeWidth'(Depth + 1);
  assign swept = state == StFlush || (state == StWipe && !begun);
  assign empty = in_level == '0 && out_level == '0 && !in_fresh_q && !out_fresh_q &&
                 u_host.gen_guarded.room_q == LevelWidth'(Depth) && !u_host.waiting_q &&
                 !u_host.keyed_q;

  always_comb begin
    related_o = order_o && room_o && levels_o && stable_o && in_right && out_right &&
                state <= StKeyWait && u_host.wipe_q <= WipeWidth'(Depth + 1) &&
                u_host.core_runs_q == u_host.core_rst_nq && !u_host.reset_q &&
                u_host.flight_q == CountWidth'(u_host.u_core.valid_q) +
                                   CountWidth'(u_host.u_core.out_valid_q);
    // The clock after a reset.
    if (!u_host.core_runs_q && !(state == StWipe && begun)) related_o = 1'b0;
    if (swept && !empty) related_o = 1'b0;
    if (state == StFlush && !OnTheFly && !u_host.u_core.key_ready_q) related_o = 1'b0;
    // The first clock after an erasure sets its counters anew.
    if (!u_host.erasing && !begun && !(state == StRun && !u_host.waiting_q)) related_o = 1'b0;
    if (u_host.erase_q && u_host.erasing) related_o = 1'b0;
    if (erasing && (count_q != '0 || set_known_q || set_valid_q)) related_o = 1'b0;
    if (!erasing && !(settings && blocks)) related_o = 1'b0;
  end

  // For a check that the proof is not empty: the output buffer is full and a block waits.
  assign reached_o = out_full & in_full;

  logic unused;
  assign unused = ^out_block;

endmodule
