// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The front of a packet engine: keys, descriptors and beats come in, counter blocks go to the core.
//
//   s_key  --[ key slots, keys and H ]--+------------------------- key of the core
//   s_desc --+--------------------------+--[ H ]------------------ item
//            +--[ counter block |R| ]----------------------------- block of the core
//   beats  --[ grammar ]-----+--[ item ]-------------------------- queue to the back
//
// A beat of text is taken in the clock in which the core takes its counter block, so it is taken only
// when there is a place for the result (credits). After the last beat of a GCM packet the core gets J0,
// in one clock of its own; in this clock the next descriptor is taken, so a packet costs one clock
// beside its beats. With Shared the core takes a block each few clocks only. Then decisions are made in
// one clock and done in the next one, so what moves 128 bits begins at a register. A far core takes a
// block in each clock: what is decided goes on in each clock, of what was looked at a clock before (that
// a descriptor is there, that there is room), and the counter, its key, the core's block and the item
// follow a clock later. With stored keys, a descriptor with another slot than the one before loads the
// key first.
//
// The packet of a descriptor or beat that makes no sense ends with an error item; its other beats
// are taken and dropped to the one with tlast, and the next descriptor finds its own beats. No
// descriptor is taken while a J0 is still to come, so none can come to the wrong packet.
//
// A key that is offered goes to a spare place of the key slots first; the core makes H of it (zero,
// encrypted) between two packets, and when H is there it takes its slot in one clock and the key in the
// next one, in which the key is taken. Descriptors go on being taken meanwhile, under the old key; none
// in these two clocks.
//
// After a reset, and on request, all slots are overwritten with zero, a word a clock.

module aes_engine_front
  import aes_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter cfg_t        Cfg        = DefaultCfg,
  parameter bit          Gcm        = 1'b1,       // GCM too, not CTR alone
  parameter int unsigned NumSlots   = 64,
  parameter int unsigned NumCredits = 16,         // places for results
  parameter int unsigned LengthBits = 32,         // a GCM text has 2^LengthBits - 2 blocks at most
  parameter bit          Shared     = 1'b1        // as of aes_engine_keys
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  // Keys
  input  logic                               s_key_tvalid_i,
  output logic                               s_key_tready_o,
  input  logic [key_width(Cfg.key_size)-1:0] s_key_tdata_i,
  input  logic [11:0]                        s_key_tuser_i,  // {clear all, clear, length, slot}

  // Descriptors
  input  logic                               s_desc_tvalid_i,
  output logic                               s_desc_tready_o,
  input  desc_t                              s_desc_tdata_i,

  // Beats
  input  logic                               beat_valid_i,
  output logic                               beat_ready_o,
  input  beat_t                              beat_i,
  input  logic [15:0]                        beat_keep_i,    // bytes of beat_i that count
  input  beat_is_t                           beat_is_i,      // beside a far core
  output logic [15:0]                        tag_end_o,      // one bit: where the packet's tag ends

  // Core
  output logic                               key_valid_o,    // stored keys
  input  logic                               key_ready_i,
  output logic [255:0]                       key_o,
  output logic [1:0]                         key_len_o,
  output logic                               core_valid_o,
  input  logic                               core_ready_i,
  output block_t                             core_block_o,
  input  logic                               core_valid_i,   // a result
  input  block_t                             core_block_i,

  // Back
  output logic                               stream_valid_o,  // the result is key stream
  output logic                               item_valid_o,
  input  logic                               item_ready_i,
  output item_t                              item_o,
  output item_is_t                           item_is_o,       // the kind of item_o
  output logic                               mask_o,          // the core gets J0
  output logic                               over_o,          // CTR: the text of the packet is over
  output logic                               hash_o,          // as of event_t
  output logic                               mix_o,
  input  logic                               credit_i,        // a place for a result is free again
  input  logic                               ended_i,         // lanes: a packet has left
  output logic                               powers_valid_o,  // lanes: a key, for one clock
  output logic                               powers_zero_o,   // zero in place of its powers
  output logic [$clog2(NumSlots)-1:0]        powers_slot_o,
  input  logic                               powers_done_i,
  input  logic                               j0_valid_i,      // of an IV that is not 96 bits long
  input  logic [127:0]                       j0_i
);

  localparam int unsigned KeyWidth = key_width(Cfg.key_size);
  localparam bit Stored = Cfg.key_sched != KeysOnTheFly;
  localparam bit AnyKey = Cfg.key_size == KeySizeAny;
  localparam bit Both = Shared && Gcm;
  localparam bit Lanes = Gcm && !Shared;
  // A core that takes a block in each clock and is far gets it a clock after that is decided.
  localparam bit Far = is_far(Cfg) && !Shared;
  localparam bit Late = Shared || Far;
  // Its back never waits: when a descriptor is taken, the last result of its packet gets a place.
  localparam bit Reserved = Far || Lanes;
  localparam int unsigned SlotBits = $clog2(NumSlots);
  // Valid, key length, key; or valid, H.
  localparam int unsigned KeyWord = KeyWidth + (AnyKey ? 2 : 0);
  localparam int unsigned WordWidth = 1 + ((Gcm && KeyWord < 128) ? 128 : KeyWord);
  localparam int unsigned CreditBits = $clog2(NumCredits + 1);
  localparam int unsigned FlightBits = 8;  // of blocks in the core
  localparam logic [SlotBits:0] SpareSlot = (SlotBits + 1)'(2 ** SlotBits);

  // One of them is high: each begins decisions, and none waits for a decoder.
  typedef struct packed {
    logic sweep;   // zero into all slots
    logic idle;
    logic fetch;   // the key that is offered is read from its spare place
    logic offer;   // a stored key is offered to the core
    logic expand;  // and expanded
    logic zero;    // the core gets zero, to make H
    logic body;    // beats
    logic mask;    // the core gets J0, the next descriptor is taken
    logic drain;   // beats of a packet that is refused
  } state_t;

  localparam state_t AfterReset = '{sweep: 1'b1, default: 1'b0};
  state_t state_q, state_d;

  // An IV that is not 96 bits long
  logic j0_wait_q;  // the text waits for J0
  logic j0_due_q;   // the IV has gone to the back, J0 has not come
  logic j0_step_q;
  logic text_waits;
  logic credit_left;  // for a result, a place is free

  ///////////////////////////////////////////////////////////////////////////
  // Key slots
  ///////////////////////////////////////////////////////////////////////////

  logic [7:0] new_slot;
  logic key_write, key_clear, key_clear_all, key_known;
  logic h_pending_q, result_is_h, idle, picked, key_wants, blocked, sweep;
  logic may_act, stage_next, clear_next, write_next, pass_next;
  logic stage_key, clear_one, write_one, pass_one;
  logic second_q, quiet, sweep_step;
  logic [SlotBits+1:0] sweep_q;
  logic [KeyWidth-1:0] key_in;
  logic [1:0] key_len;
  logic [KeyWord-1:0] key_word;
  logic take, takes_next, fetch, fetched, slot_write, slot_hash, slots_busy;
  logic [SlotBits:0] slot_waddr;
  logic [WordWidth-1:0] slot_word;
  logic [WordWidth-2:0] key_out;
  logic [127:0] head_key;
  logic desc_valid, desc_waits;
  desc_t desc;
  logic desc_good, desc_next, desc_gcm, gcm, iv_not_12;
  error_e desc_error;

  assign new_slot      = s_key_tuser_i[7:0];
  assign key_clear     = s_key_tvalid_i & s_key_tuser_i[10] & ~s_key_tuser_i[11];
  assign key_clear_all = s_key_tvalid_i & s_key_tuser_i[11];
  assign key_write     = s_key_tvalid_i & ~s_key_tuser_i[10] & ~s_key_tuser_i[11];
  assign key_known     = 9'(new_slot) < 9'(NumSlots);

  always_comb begin
    for (int unsigned n = 0; n < KeyWidth / 8; n++) begin
      key_in[8*n+:8] = s_key_tdata_i[8*(KeyWidth/8-1-n)+:8];
    end
  end

  if (AnyKey) begin : gen_any_key
    assign key_word = {s_key_tuser_i[9:8], key_in};
    assign key_len  = key_out[KeyWidth+:2];
  end else begin : gen_one_key_size
    logic unused_key_len;
    assign unused_key_len = ^s_key_tuser_i[9:8];
    assign key_word = key_in;
    assign key_len  = max_key_len(Cfg.key_size);
  end

  // No descriptor waits that has found its key already, and no packet uses what a key replaces.
  assign idle  = state_q.idle & ~desc_waits & quiet & ~picked;
  assign sweep = state_q.sweep;

  // A slot is written in two clocks, H before the key; without H in one.
  assign may_act    = key_wants & ~h_pending_q & idle & ~second_q;
  assign stage_next = may_act & key_known & key_write & ~j0_due_q & Gcm;
  assign clear_next = may_act & key_known & key_clear;
  assign write_next = may_act & key_known & key_write & ~Gcm;
  // A slot that there is not: nothing is written, and its descriptors are refused.
  assign pass_next  = may_act & ~key_known & (key_write | key_clear);

  // A clock later: the key that is offered stays, and no descriptor is taken meanwhile.
  logic [3:0] acts_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) acts_q <= '0;
    else acts_q <= {stage_next, clear_next, write_next, pass_next} & {4{acts_q == '0}};
  end
  assign {stage_key, clear_one, write_one, pass_one} = acts_q;

  assign slot_hash  = Both & ~second_q & ~stage_key;
  assign slot_write = (sweep & sweep_step) | stage_key | (clear_one & ~Lanes) | second_q |
      (core_valid_i & result_is_h & ~Lanes) | write_one;
  // Where a packet a clock may come, no descriptor waits while a key is taken (idle, block_i).
  assign slots_busy = slot_write & Shared;

  if (Lanes) begin : gen_lanes
    // The powers of a key are made, or overwritten, before its slot is written.
    logic [7:0] packets_q;
    logic taken_q, busy_q, spare;
    assign spare          = sweep_q[SlotBits];
    assign powers_valid_o = ~busy_q & ((core_valid_i & result_is_h) | (clear_one & ~second_q) |
        (sweep & ~spare));
    assign powers_zero_o  = ~result_is_h;
    assign powers_slot_o  = sweep ? sweep_q[SlotBits-1:0] : new_slot[SlotBits-1:0];
    assign sweep_step     = spare | powers_done_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        taken_q   <= 1'b0;
        packets_q <= '0;
        busy_q    <= 1'b0;
        second_q  <= 1'b0;
      end else begin
        taken_q   <= take;
        packets_q <= packets_q + 8'(taken_q) - 8'(ended_i);
        busy_q    <= powers_valid_o | (busy_q & ~powers_done_i);
        second_q  <= powers_done_i & ~sweep;
      end
    end

    if (Far) begin : gen_quiet_later
      logic quiet_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) quiet_q <= 1'b0;
        else quiet_q <= (packets_q == '0) & ~busy_q & ~powers_valid_o & ~take & ~taken_q;
      end
      assign quiet = quiet_q;
    end else begin : gen_quiet_now
      assign quiet = (packets_q == '0) & ~taken_q & ~busy_q;
    end
  end else begin : gen_no_lanes
    assign quiet          = 1'b1;
    assign powers_valid_o = 1'b0;
    assign powers_zero_o  = 1'b0;
    assign powers_slot_o  = '0;
    assign sweep_step     = 1'b1;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) second_q <= 1'b0;
      else second_q <= slot_hash & slot_write & ~sweep;
    end

    logic unused_lanes;
    assign unused_lanes = ^{ended_i, powers_done_i};
  end

  always_comb begin
    if (sweep) slot_waddr = sweep_q[SlotBits:0];
    else if (stage_key) slot_waddr = SpareSlot;
    else slot_waddr = {1'b0, new_slot[SlotBits-1:0]};
    // By what is there early: this goes to many bits.
    slot_word              = '0;
    slot_word[WordWidth-1] = 1'b1;
    slot_word[KeyWord-1:0] = key_word;
    if (Both && h_pending_q) slot_word[127:0] = core_block_i;
    if (sweep || key_clear) slot_word = '0;
  end

  // Beside a far core a slot is written a clock later, in which no descriptor reads it.
  logic key_slot_write;
  logic [SlotBits:0] key_slot_waddr;
  logic [WordWidth-1:0] key_slot_word;
  if (Far) begin : gen_write_later
    logic write_q;
    logic [SlotBits:0] waddr_q;
    logic [WordWidth-1:0] word_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) write_q <= 1'b0;
      else write_q <= slot_write;
    end
    always_ff @(posedge clk_i) begin
      waddr_q <= slot_waddr;
      word_q  <= slot_word;
    end
    assign key_slot_write = write_q;
    assign key_slot_waddr = waddr_q;
    assign key_slot_word  = word_q;
  end else begin : gen_write_now
    assign key_slot_write = slot_write;
    assign key_slot_waddr = slot_waddr;
    assign key_slot_word  = slot_word;
  end

  aes_engine_keys #(
    .Gcm      (Gcm),
    .Shared   (Shared),
    .Late     (Far),
    .NumSlots (NumSlots),
    .WordWidth(WordWidth)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .write_i     (key_slot_write),
    .waddr_hash_i(sweep ? sweep_q[SlotBits+1] : slot_hash),
    .waddr_i     (key_slot_waddr),
    .wdata_i     (key_slot_word),
    .fetch_i     (fetch),
    .fetched_i   (fetched),
    .block_i     (blocked),
    .s_desc_tvalid_i,
    .s_desc_tready_o,
    .s_desc_tdata_i,
    .desc_valid_o(desc_valid),
    .desc_next_o (desc_next),
    .desc_o      (desc),
    .gcm_o       (desc_gcm),
    .iv_not_12_o (iv_not_12),
    .good_o      (desc_good),
    .error_o     (desc_error),
    .waits_o     (desc_waits),
    .take_i      (take),
    .key_o       (key_out),
    .hash_o      (head_key)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Descriptors
  ///////////////////////////////////////////////////////////////////////////

  logic long_iv;

  // By a register where one is there.
  assign gcm     = Shared ? desc.mode == ModeGcm : desc_gcm;
  assign long_iv = gcm & iv_not_12;

  logic gcm_q, decrypt_q, empty_q;
  logic [3:0] head_len, tag_len_q;

  if (Shared) begin : gen_head_len_first
    // A descriptor stays for some clocks before it is taken.
    logic [3:0] head_len_q;
    always_ff @(posedge clk_i) head_len_q <= 4'(desc.tag_len - 8'd1);
    assign head_len = head_len_q;
  end else begin : gen_head_len
    assign head_len = 4'(desc.tag_len - 8'd1);
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      gcm_q     <= gcm & Gcm;
      decrypt_q <= desc.decrypt;
      empty_q   <= desc.empty;
      tag_len_q <= head_len;
    end
  end

  if (Shared) begin : gen_no_tag_end
    assign tag_end_o = '0;
  end else begin : gen_tag_end
    logic [15:0] tag_end_q;
    always_ff @(posedge clk_i) begin
      for (int unsigned n = 0; n < 16; n++) begin
        // Of the lengths that there are.
        if (take) tag_end_q[n] <= (head_len == 4'(n)) & (n == 3 || n == 7 || n >= 11);
      end
    end
    assign tag_end_o = tag_end_q;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Beats
  ///////////////////////////////////////////////////////////////////////////

  logic [3:0] len;
  logic full, kind_ok, last_ok, room_ok, text_ok;
  logic [7:0] iv_left_q;
  logic iv_done_q, iv_seen_q, iv_ends, iv_ends_q, iv_fits, iv_fits_q;
  logic is_text, is_iv, iv_end, text_good, beat_taken, beat_good, beat_seen, item_good;
  logic text_taken, iv_taken;
  error_e beat_error, item_error;

  assign len     = beat_i.len;
  assign full    = beat_i.full;
  assign is_text = beat_i.kind == BeatText;
  assign is_iv   = beat_i.kind == BeatIv;

  // What an IV still has, less 1, is compared in the clock before its beat is taken. Less 1 there is no
  // number for nothing, so an IV that is done says it.
  assign iv_ends = ~iv_done_q & (iv_left_q == 8'(len));
  assign iv_fits = ~iv_done_q & ((full & (iv_left_q >= 8'd15)) | (iv_left_q == 8'(len)));
  assign beat_seen = state_q.body & beat_valid_i & ~beat_taken;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) iv_seen_q <= 1'b0;
    else iv_seen_q <= beat_seen & is_iv;
  end
  always_ff @(posedge clk_i) begin
    iv_ends_q <= iv_ends;
    iv_fits_q <= iv_fits;
  end

  always_comb begin
    case (beat_i.kind)
      BeatIv:  kind_ok = iv_fits_q;
      BeatAad: kind_ok = gcm_q & iv_done_q;
      BeatTag: kind_ok = gcm_q & decrypt_q & iv_done_q & (len == tag_len_q);
      default: kind_ok = iv_done_q & room_ok;
    endcase
  end

  // Decryption ends with a tag, nothing else does; a packet does not end in an IV.
  always_comb begin
    if (gcm_q && decrypt_q) last_ok = beat_i.last == (beat_i.kind == BeatTag);
    else last_ok = ~(beat_i.last & is_iv & ~iv_ends_q);
  end

  assign beat_good  = beat_i.ok & kind_ok & last_ok;
  assign beat_error = (is_text && !room_ok) ? ErrLength : ErrBeat;

  // Where there is time, a beat is judged in one clock, an IV in two, and taken in a later one.
  logic judged, judged_text, good_by_kind, aad_good, tag_good, iv_good, waits, iv_judged;
  if (Shared) begin : gen_judge_first
    logic judged_q, text_q, good_q;
    error_e error_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        judged_q <= 1'b0;
        text_q   <= 1'b0;
      end else begin
        judged_q <= beat_seen & (iv_seen_q | ~is_iv) & ~(is_text & text_good) & item_ready_i;
        // A credit and J0 stay when they are there.
        text_q   <= beat_seen & is_text & text_good & item_ready_i & credit_left & ~j0_wait_q;
      end
    end
    always_ff @(posedge clk_i) begin
      good_q  <= beat_good;
      error_q <= beat_error;
    end
    assign judged      = judged_q;
    assign judged_text = text_q;
    assign item_good   = good_q;
    assign item_error  = error_q;
  end else begin : gen_judge_now
    assign judged      = 1'b1;
    assign judged_text = 1'b1;
    assign item_good   = Far ? good_by_kind : beat_good;
    assign item_error  = beat_error;
  end

  // What beat_good says, kind by kind, of what was decoded with the beat: without a chain of choices. An
  // IV is judged in a clock more.
  if (Far) begin : gen_by_kind
    logic tag_ends_q, aad_ok_q, iv_good_q, iv_judged_q, fresh_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        iv_judged_q <= 1'b0;
        fresh_q     <= 1'b0;
      end else begin
        iv_judged_q <= iv_seen_q & ~beat_taken;
        fresh_q     <= take;
      end
    end
    always_ff @(posedge clk_i) begin
      if (take) begin
        tag_ends_q <= gcm & Gcm & desc.decrypt;
        aad_ok_q   <= gcm & Gcm & ~long_iv;
      end else if (iv_taken) begin
        aad_ok_q <= iv_ends_q;
      end
      iv_good_q <= beat_i.ok & iv_fits_q & ~(beat_i.last & (tag_ends_q | ~iv_ends_q));
    end
    assign iv_judged    = iv_judged_q;
    // How long the tag has to be is known a clock after the descriptor was taken.
    assign waits        = fresh_q & beat_is_i.tag;
    assign text_good    = text_ok & (beat_is_i.text | (beat_is_i.text_last & ~tag_ends_q));
    assign aad_good     = aad_ok_q & (beat_is_i.aad | (beat_is_i.aad_last & ~tag_ends_q));
    assign tag_good     = beat_is_i.tag & tag_ends_q & aad_ok_q & beat_is_i.same_len;
    assign iv_good      = iv_judged_q & iv_good_q;
    assign good_by_kind = text_good | aad_good | tag_good | iv_good;
  end else begin : gen_no_kind
    // Of text, which the core waits for.
    assign text_good = beat_i.ok & iv_done_q & room_ok & ~(gcm_q & decrypt_q & beat_i.last);
    assign {good_by_kind, aad_good, tag_good, iv_good, waits, iv_judged} = '0;
    logic unused_kinds;
    assign unused_kinds = ^{
      beat_is_i, good_by_kind, aad_good, tag_good, iv_good, waits, iv_judged, text_ok
    };
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      iv_left_q <= desc.iv_len - 8'd1;
      iv_done_q <= ~(long_iv & Gcm);
    end else if (iv_taken) begin
      iv_left_q <= iv_left_q - 8'(len) - 8'd1;
      iv_done_q <= iv_ends_q;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Counter block
  ///////////////////////////////////////////////////////////////////////////

  block_t counter_q;
  logic [31:0] j0_low_q;
  logic core_valid, launch;
  logic [127:0] iv;
  logic [3:0] carry;
  block_t next_counter;

  assign iv = swap_bytes(desc.iv);

  // What the counter becomes: the first one of a packet, or J0 again. A far core gets its block a clock
  // later, so all of that stands in one register before.
  logic load, load_low;
  block_t start, first;
  assign first = gcm ? {iv[127:32], desc.empty ? 32'd1 : 32'd2} : iv;
  if (Far) begin : gen_start_later
    logic load_q, load_low_q;
    block_t start_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        load_q     <= 1'b0;
        load_low_q <= 1'b0;
      end else begin
        load_q     <= take | (j0_valid_i & Gcm);
        load_low_q <= take | (j0_valid_i & Gcm) | (beat_taken & beat_i.last);
      end
    end
    always_ff @(posedge clk_i) begin
      start_q <= first;
      if (state_q.body) start_q[31:0] <= j0_low_q;
      if (j0_valid_i && Gcm) start_q <= j0_i;
    end
    assign load     = load_q;
    assign load_low = load_low_q;
    assign start    = start_q;
  end else begin : gen_start_now
    assign load     = take;
    assign load_low = take;
    assign start    = first;
  end

  // inc32 of GCM has no carry out of its word. Words that are all ones are known beforehand.
  logic changes, to_zero, count_text, back_to_j0, load_j0, count_j0;

  if (Shared) begin : gen_ones_later
    // A clock after the counter has changed, which is before the next beat is judged.
    logic [2:0] ones_q;
    always_ff @(posedge clk_i) begin
      for (int unsigned w = 0; w < 3; w++) ones_q[w] <= &counter_q[32*w+:32] & ~gcm_q;
    end
    assign carry = {&ones_q, &ones_q[1:0], ones_q[0], 1'b1};
  end else begin : gen_ones_now
    // Of the IV before it is taken; of the lowest word as it counts. A word above it cannot be needed
    // in the clock after it changed.
    // Of the lowest word its upper bits are known so too: they change as its lowest eight go to zero.
    logic [2:1] ones_q;
    logic [2:0] iv_ones, iv_ones_q, iv_words, carry_q, iv_carry_q;
    logic [11:4] bytes_q;
    logic loaded_q, upper_ones_q, iv_upper_q, low_ones;
    assign low_ones = upper_ones_q & (&counter_q[7:1]) & (counter_q[0] ^ (~load & count_text));
    assign carry = {carry_q, 1'b1};
    for (genvar w = 0; w < 3; w++) begin : gen_iv_word
      assign iv_ones[w] = &iv[32*w+:32];
    end
    // What a far core loads a clock later was there two clocks ago.
    assign iv_words = Far ? iv_ones_q : iv_ones;
    always_ff @(posedge clk_i) begin
      iv_ones_q <= iv_ones;
      // In two steps, in which a word above the lowest one does not change.
      for (int unsigned w = 1; w < 3; w++) begin
        for (int unsigned n = 0; n < 4; n++) bytes_q[4*w+n] <= &counter_q[32*w+8*n+:8];
        if (load) ones_q[w] <= iv_ones_q[w];
        else if (!loaded_q) ones_q[w] <= &bytes_q[4*w+:4];
      end
      loaded_q <= load;
      iv_upper_q   <= &iv[31:8];
      upper_ones_q <= load ? iv_upper_q : &counter_q[31:8];
      iv_carry_q   <= {&iv_words, &iv_words[1:0], iv_words[0]} & {3{~gcm}};
      // What a far core loads may be J0: the IV that is seen then is that of the next packet.
      if (load) carry_q <= iv_carry_q & {3{~(Far & j0_step_q)}};
      else carry_q <= {&ones_q, ones_q[1], 1'b1} & {3{low_ones & ~gcm_q}};
    end
  end

  always_comb begin
    for (int unsigned w = 0; w < 4; w++) begin
      next_counter[32*w+:32] = counter_q[32*w+:32] + 32'(Shared || carry[w]);
    end
  end

  // Blocks of text and two: the last ones of 2^LengthBits belong to J0 and to nobody.
  logic [LengthBits:0] blocks_q;

  if (Far) begin : gen_room_later
    // Text is counted as it comes. Whether there is room for more is a register. The upper bits are all
    // ones long before the last one of the lower two is.
    logic full_q, text_ok_q, upper_ones_q, fills;
    assign fills = text_taken & upper_ones_q & (blocks_q[1:0] == 2'd3) & gcm_q;
    always_ff @(posedge clk_i) begin
      upper_ones_q <= &blocks_q[LengthBits-1:2];
      if (take) begin
        blocks_q  <= (LengthBits + 1)'(2);
        full_q    <= 1'b0;
        text_ok_q <= ~(long_iv & Gcm);
      end else if (text_taken) begin
        blocks_q <= blocks_q + 1'b1;
        if (fills) begin
          full_q    <= 1'b1;
          text_ok_q <= 1'b0;
        end
      end else if (iv_taken) begin
        text_ok_q <= iv_ends_q;
      end
    end
    assign room_ok = ~full_q;
    assign text_ok = text_ok_q;
  end else begin : gen_room_now
    assign room_ok   = ~gcm_q | ~blocks_q[LengthBits];
    assign text_ok   = iv_done_q & room_ok;

    always_ff @(posedge clk_i) begin
      if (take) blocks_q <= (LengthBits + 1)'(2);
      else if (count_text) blocks_q <= blocks_q + 1'b1;
    end
  end

  if (Far) begin : gen_counter_by_start
    always_ff @(posedge clk_i) begin
      if (changes) begin
        counter_q[127:32] <= load ? start[127:32] : next_counter[127:32];
        counter_q[31:0]   <= load_low ? start[31:0] : next_counter[31:0];
        if (to_zero) counter_q <= '0;
      end
      if (take) j0_low_q <= 32'd1;
      else if (j0_valid_i && Gcm) j0_low_q <= j0_i[31:0];
    end
    logic unused_steps;
    assign unused_steps = ^{load_j0, back_to_j0};
  end else begin : gen_counter
    // Where there is time, the next value of each word stands in a register before it is needed, and
    // words above the lowest one take theirs when those below are all ones.
    block_t after;
    logic [3:0] writes;  // words
    if (Shared) begin : gen_count_first
      block_t next_q;
      logic load_q, count_q;
      logic [3:1] carry_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          load_q  <= 1'b0;
          count_q <= 1'b0;
        end else begin
          load_q  <= fetch | takes_next | (j0_valid_i & Gcm);
          count_q <= beat_taken & is_text & ~beat_i.last;
        end
      end
      always_ff @(posedge clk_i) begin
        next_q  <= next_counter;
        carry_q <= carry[3:1];
      end
      assign after  = next_q;
      assign writes = {{3{load_q}} | ({3{count_q}} & carry_q), changes};
    end else begin : gen_count
      assign after  = next_counter;
      assign writes = {{3{(changes & ~back_to_j0) | take | to_zero | (load_j0 & Gcm)}}, changes};
    end
    always_ff @(posedge clk_i) begin
      for (int unsigned w = 0; w < 4; w++) begin
        if (writes[w]) begin
          if (to_zero) counter_q[32*w+:32] <= '0;
          else if (take) counter_q[32*w+:32] <= first[32*w+:32];
          else if (load_j0 && Gcm) counter_q[32*w+:32] <= j0_i[32*w+:32];
          else if (w == 0 && back_to_j0) counter_q[31:0] <= j0_low_q;
          else counter_q[32*w+:32] <= after[32*w+:32];
        end
      end
      if (take) j0_low_q <= 32'd1;
      else if (load_j0 && Gcm) j0_low_q <= j0_i[31:0];
    end
    logic unused_start;
    assign unused_start = ^{load, load_low, start};
  end

  // The counter is wide: where there is time, it sees what it has to do a clock later. It has done that,
  // and its carries are known, before the next beat is judged. J0 stays for this clock.
  if (Late) begin : gen_count_later
    logic changes_q, to_zero_q, count_text_q, back_to_j0_q, j0_loaded_q, counts_j0, counts_beat;
    // With Shared, what comes after J0 is known two clocks after it. It is not counted where the text is
    // over by then.
    assign counts_j0 = Shared ? j0_loaded_q : j0_step_q;
    assign counts_beat = Far ? text_taken | (beat_taken & beat_i.last) :
        beat_taken & (is_text | beat_i.last);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        count_text_q <= 1'b0;
        back_to_j0_q <= 1'b0;
        j0_loaded_q  <= 1'b0;
        to_zero_q    <= 1'b0;
        changes_q    <= 1'b0;
      end else begin
        count_text_q <= text_taken;
        back_to_j0_q <= beat_taken & beat_i.last;
        j0_loaded_q  <= j0_step_q;
        to_zero_q    <= fetch;
        changes_q    <= fetch | (Far ? take : takes_next) | (j0_valid_i & Gcm) |
            (counts_j0 & ~state_q.mask) | counts_beat;
      end
    end
    assign count_text = count_text_q;
    assign back_to_j0 = back_to_j0_q;
    assign load_j0    = j0_step_q;
    assign count_j0   = j0_loaded_q;
    assign to_zero    = to_zero_q;
    assign changes    = changes_q;
  end else begin : gen_count_now
    assign count_text = text_taken;
    assign back_to_j0 = beat_taken & beat_i.last;
    assign load_j0    = j0_valid_i;
    assign count_j0   = j0_step_q;
    assign to_zero    = fetch;
    assign changes    = fetch | take | (load_j0 & Gcm) | back_to_j0 | count_text |
        (count_j0 & ~state_q.mask);

    logic unused_next;
    assign unused_next = takes_next;
  end

  assign text_waits = j0_wait_q & (iv_done_q | iv_end);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      j0_wait_q <= 1'b0;
      j0_due_q  <= 1'b0;
      j0_step_q <= 1'b0;
    end else begin
      // With Shared no descriptor comes before the counter has done all that J0 brings.
      if (Shared ? count_j0 : j0_valid_i) j0_due_q <= 1'b0;
      else if (iv_end && item_good) j0_due_q <= 1'b1;
      j0_step_q <= j0_valid_i & Gcm;
      if (take) j0_wait_q <= long_iv & desc_good & Gcm;
      else if (Far ? j0_step_q : count_j0) j0_wait_q <= 1'b0;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Places for results, and which result is H
  ///////////////////////////////////////////////////////////////////////////

  logic [CreditBits-1:0] credit_q;
  logic
      launch_stream, launch_zero, count_stream, count_zero, count_launch, next_is_h, credit_left_q;

  logic freed_q;

  assign launch_zero    = state_q.zero & launch;
  assign launch_stream  = ~state_q.zero & launch;
  assign launch         = core_valid & core_ready_i;
  assign credit_left    = credit_left_q;
  assign result_is_h    = h_pending_q & next_is_h;
  assign stream_valid_o = core_valid_i & ~result_is_h;

  // Launches are counted a clock later where there is time: text waits for that too.
  if (Late) begin : gen_launch_later
    logic launch_stream_q, launch_zero_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        launch_stream_q <= 1'b0;
        launch_zero_q   <= 1'b0;
      end else begin
        launch_stream_q <= launch_stream;
        launch_zero_q   <= launch_zero;
      end
    end
    assign count_stream = launch_stream_q;
    assign count_zero   = launch_zero_q;
  end else begin : gen_launch_now
    assign count_stream = launch_stream;
    assign count_zero   = launch_zero;
  end
  assign count_launch = count_stream | count_zero;
  assign core_valid_o = Far ? count_launch : core_valid;

  // What takes a place: a block of key stream; with Reserved one of text, and a packet.
  logic place_taken;
  if (Reserved) begin : gen_place_for_packet
    logic place_taken_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) place_taken_q <= 1'b0;
      else place_taken_q <= take | (launch_stream & state_q.body);
    end
    assign place_taken = place_taken_q;
  end else begin : gen_place_for_block
    assign place_taken = count_stream;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      credit_q      <= CreditBits'(NumCredits);
      freed_q       <= 1'b0;
      credit_left_q <= 1'b1;
      h_pending_q   <= 1'b0;
    end else begin
      freed_q <= credit_i;
      credit_q <= credit_q + CreditBits'(freed_q) - CreditBits'(place_taken);
      // Three may be taken that are not counted, and one may be in this clock (room_q).
      if (Reserved) credit_left_q <= credit_q > CreditBits'(3);
      else begin
        credit_left_q <= freed_q | (credit_q > CreditBits'(1)) |
            ((credit_q == CreditBits'(1)) & ~count_stream);
      end
      h_pending_q <= launch_zero | (h_pending_q & ~(core_valid_i & next_is_h));
    end
  end

  if (!Shared) begin : gen_alone
    // No packet is under way while H is made.
    assign next_is_h = 1'b1;
  end else begin : gen_before_h
    logic [FlightBits-1:0] flight_q, before_h_q;
    logic next_is_h_q;
    assign next_is_h = next_is_h_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        flight_q    <= '0;
        before_h_q  <= '0;
        next_is_h_q <= 1'b0;
      end else begin
        flight_q <= flight_q + FlightBits'(count_launch) - FlightBits'(core_valid_i);
        // Results that come before H; a core takes more than a clock.
        if (count_zero) begin
          before_h_q  <= flight_q - FlightBits'(core_valid_i);
          next_is_h_q <= flight_q == FlightBits'(core_valid_i);
        end else if (launch_zero) begin
          next_is_h_q <= 1'b0;
        end else if (core_valid_i && !next_is_h_q) begin
          before_h_q  <= before_h_q - 1'b1;
          next_is_h_q <= before_h_q == FlightBits'(1);
        end
      end
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Key of a core with stored keys
  ///////////////////////////////////////////////////////////////////////////

  logic key_current;  // the core has the key of the descriptor that is offered
  logic for_zero_q;   // what is loaded is to make H

  if (Stored) begin : gen_stored
    logic current_q;
    logic [SlotBits-1:0] slot_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        current_q  <= 1'b0;
        for_zero_q <= 1'b0;
      end else begin
        if (sweep || fetch || (slot_write && !stage_key && new_slot[SlotBits-1:0] == slot_q)) begin
          current_q <= 1'b0;
        end else if (take && desc_good) begin
          current_q <= 1'b1;
        end
        if (fetch) for_zero_q <= 1'b1;
        else if (take) for_zero_q <= 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (take && desc_good) slot_q <= desc.slot[SlotBits-1:0];
    end
    // With Shared a descriptor stays for some clocks before it is taken.
    logic same, same_q;
    assign same = slot_q == desc.slot[SlotBits-1:0];
    always_ff @(posedge clk_i) same_q <= same;
    assign key_current = current_q & (Shared ? same_q : same);
    assign key_valid_o = state_q.offer;
  end else begin : gen_on_the_fly
    logic unused_ready;
    assign unused_ready = key_ready_i;
    assign key_current  = 1'b1;
    assign key_valid_o  = 1'b0;
    assign for_zero_q   = 1'b0;
  end

  if (KeyWidth == 256) begin : gen_long_key
    assign key_o = key_out[255:0];
  end else begin : gen_short_key
    assign key_o = {key_out[KeyWidth-1:0], {256 - KeyWidth{1'b0}}};
  end
  assign key_len_o = key_len;

  ///////////////////////////////////////////////////////////////////////////
  // States
  ///////////////////////////////////////////////////////////////////////////

  logic mask_done, mask_goes, text_goes, rest_goes, may_take, pick, sweep_end;
  logic room, desc_there;
  logic [1:0] fetch_q;

  assign sweep_end = sweep_q == (Both ? {2'b10, {SlotBits{1'b1}}} : {2'b01, {SlotBits{1'b0}}});
  // Looked at a clock ago: a descriptor may still come, or be taken, in the clock in which a key comes.
  if (Late) begin : gen_wants_later
    logic wants_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) wants_q <= 1'b0;
      else wants_q <= s_key_tvalid_i & ~h_pending_q;
    end
    assign key_wants = wants_q;
  end else begin : gen_wants_now
    assign key_wants = s_key_tvalid_i & ~h_pending_q;
  end

  // No descriptor comes while a slot is written.
  if (Far) begin : gen_block_first
    // A key that is offered blocks until its slot is written, and all slots are cleared for a key.
    logic blocked_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) blocked_q <= 1'b1;
      else blocked_q <= sweep | s_key_tvalid_i;
    end
    assign blocked = blocked_q;
  end else begin : gen_block_now
    assign blocked = sweep | (Lanes ? s_key_tvalid_i : key_wants);
  end
  assign fetch     = state_q.fetch;
  assign fetched   = fetch & fetch_q[1];

  // The word of the spare slot comes in the third clock.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fetch_q <= '0;
    else fetch_q <= {fetch_q[0], fetch} & {2{~fetched}};
  end

  if (Lanes && !Far) begin : gen_mask_is_event
    // The end of a packet is an event of its own.
    assign mask_done = state_q.mask & ((~gcm_q & item_ready_i) | (mask_goes & core_ready_i));
  end else begin : gen_mask
    assign mask_done = state_q.mask & (Far ? room : ~gcm_q | (mask_goes & core_ready_i));
  end
  assign may_take  = (state_q.idle | (mask_done & ~Shared)) & ~(key_wants & Shared) &
      ~slots_busy & ~j0_due_q;
  if (Reserved) begin : gen_pick_with_place
    assign pick = may_take & desc_valid & item_ready_i & credit_left;
  end else begin : gen_pick
    assign pick = may_take & desc_valid & item_ready_i;
  end

  if (Far) begin : gen_look_first
    // Room for a result, and no J0 that a packet waits for. Both are looked at in the clock before, and
    // stay for it: see credit_left_q. The lengths of an IV go to GHASH in the clock behind it, in which
    // nothing else comes: J0 is waited for.
    logic room_q, desc_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        room_q <= 1'b0;
        desc_q <= 1'b0;
      end else begin
        room_q <= credit_left & ~text_waits;
        // No beat is taken while a J0 is due, so no packet ends or breaks then.
        desc_q <= desc_next & credit_left;
      end
    end
    assign room       = room_q;
    assign desc_there = desc_q;
  end else begin : gen_look_now
    assign room       = 1'b0;
    assign desc_there = 1'b0;
    logic unused_look;
    assign unused_look = ^{desc_next, room, desc_there, text_waits};
  end

  if (Shared) begin : gen_take_later
    // Many registers wait for this; there is time, so they see it a clock later.
    logic pick_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) pick_q <= 1'b0;
      else pick_q <= takes_next;
    end
    assign takes_next = pick & ~pick_q;
    assign take       = pick_q;
    assign picked     = pick_q;
  end else if (Far) begin : gen_take_seen
    assign takes_next = 1'b0;
    assign take       = desc_there & (state_q.idle | mask_done);
    assign picked     = 1'b0;
    logic unused_pick;
    assign unused_pick = pick;
  end else begin : gen_take_now
    assign takes_next = 1'b0;
    assign take       = pick;
    assign picked     = 1'b0;
  end

  // What is ready for the core, and what is for the back alone.
  if (Shared) begin : gen_go_judged
    logic mask_seen_q, mask_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        mask_seen_q <= 1'b0;
        mask_q      <= 1'b0;
      end else begin
        // The launch before has been counted.
        mask_seen_q <= state_q.mask & gcm_q & ~mask_done;
        mask_q      <= mask_seen_q & ~mask_done & credit_left & ~j0_wait_q;
      end
    end
    assign mask_goes  = mask_q;
    assign text_goes  = judged_text;
    assign rest_goes  = judged;
    assign beat_taken = (text_goes & core_ready_i) | rest_goes;
  end else if (Far) begin : gen_go_ahead
    // Text that comes before its IV is wrong.
    assign mask_goes  = gcm_q & room;
    assign text_goes  = text_good & room;
    assign rest_goes  = room & ((beat_is_i.plain & ~waits) | iv_judged);
    assign beat_taken = state_q.body & rest_goes;
  end else begin : gen_go_now
    // Text that comes before its IV has is wrong, and no J0 comes.
    logic text_ready;
    assign text_ready = core_ready_i & credit_left & (~j0_wait_q | ~iv_done_q);
    assign mask_goes  = gcm_q & credit_left & ~j0_wait_q & (item_ready_i | ~Lanes);
    assign text_goes  = beat_valid_i & is_text & text_good & item_ready_i & credit_left &
        ~j0_wait_q;
    assign rest_goes  = item_ready_i & (text_ready | ~is_text) & (iv_seen_q | ~is_iv);
    assign beat_taken = state_q.body & beat_valid_i & rest_goes;
  end

  if (!Shared) begin : gen_never_judged
    logic unused_judged;
    assign unused_judged = judged ^ judged_text;
  end

  // The same by its kind; text that is not right by itself need not count.
  if (Far) begin : gen_taken_by_kind
    assign text_taken = state_q.body & room & (beat_is_i.text | beat_is_i.text_last);
    assign iv_taken   = state_q.body & room & iv_judged;
    assign iv_end     = iv_taken & iv_ends_q;
  end else begin : gen_taken
    assign text_taken = beat_taken & is_text;
    assign iv_taken   = beat_taken && is_iv;
    assign iv_end     = beat_taken & is_iv & iv_ends_q;
  end

  assign beat_ready_o = state_q.drain |
      (Shared ? beat_taken : state_q.body & rest_goes);

  assign core_block_o = counter_q;
  assign core_valid   = state_q.zero | (state_q.body & text_goes) | (state_q.mask & mask_goes);

  always_comb begin
    s_key_tready_o = (Gcm ? second_q : clear_one | write_one) | pass_one;
    if (sweep && sweep_end && key_clear_all) s_key_tready_o = 1'b1;
  end

  // What ends a state, and where a packet goes on.
  logic clears, ends, breaks, begins, refused, has_key;

  // Not in the clock in which it comes, where a descriptor may be picked in that one, or come.
  assign clears  = (key_wants | ~Late) & idle & key_clear_all & ~h_pending_q & ~take & ~stage_key;
  assign ends    = state_q.body & beat_taken & beat_i.last;
  assign breaks  = state_q.body & beat_taken & ~item_good;
  assign begins  = take & desc_good & key_current;
  assign refused = take & ~desc_good;
  assign has_key = state_q.expand & key_ready_i & ~for_zero_q;

  always_comb begin
    state_d.sweep  = (state_q.sweep & ~sweep_end) | clears;
    state_d.idle   = (state_q.sweep & sweep_end) | (state_q.zero & core_ready_i) |
        (breaks & beat_i.last) | (mask_done & ~take) |
        (state_q.drain & beat_valid_i & beat_i.last) | (refused & desc.empty) |
        (state_q.idle & ~clears & ~stage_key & ~take);
    state_d.fetch  = (state_q.fetch & ~fetched) | (state_q.idle & stage_key & ~take);
    state_d.offer  = (state_q.offer & ~key_ready_i) | (fetched & Stored) |
        (take & desc_good & ~key_current);
    state_d.expand = (state_q.offer & key_ready_i) | (state_q.expand & ~key_ready_i);
    state_d.zero   = (state_q.zero & ~core_ready_i) | (fetched & ~Stored) |
        (state_q.expand & key_ready_i & for_zero_q);
    state_d.body   = (state_q.body & ~(beat_taken & (beat_i.last | ~item_good))) |
        (begins & ~desc.empty) | (has_key & ~empty_q);
    state_d.mask   = (ends & item_good) | (state_q.mask & ~mask_done) | (begins & desc.empty) |
        (has_key & empty_q);
    state_d.drain  = (breaks & ~beat_i.last) |
        (state_q.drain & ~(beat_valid_i & beat_i.last)) | (refused & ~desc.empty);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= AfterReset;
      sweep_q <= '0;
    end else begin
      state_q <= state_d;
      sweep_q <= sweep ? sweep_q + (SlotBits + 2)'(sweep_step) : '0;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Items
  ///////////////////////////////////////////////////////////////////////////

  item_t item;
  item_is_t item_is;

  // By a register: this goes to many bits.
  always_comb begin
    item.data = (state_q.body || Lanes) ? beat_i.data : head_key;
    if (Lanes && !state_q.body) item.data[7:0] = desc.slot;
  end

  if (Far) begin : gen_item_later
    // It goes a clock later. Its kind is a bit for each, without the way over the kind.
    item_t item_q;
    item_is_t item_is_q;
    logic item_valid_q;
    logic [3:0] error_q;

    assign item_is.head   = ~state_q.body & desc_good;
    assign item_is.failed = state_q.body ? ~good_by_kind : ~desc_good;
    assign item_is.text   = state_q.body & text_good;
    assign item_is.aad    = state_q.body & aad_good;
    assign item_is.tag    = state_q.body & tag_good;
    assign item_is.iv     = state_q.body & iv_good;

    assign item.kind = ItemHead;  // item_is_o says it
    assign item.gcm  = gcm & Gcm;
    assign item.last = state_q.body ? beat_i.last : desc.empty;
    assign item.flag = state_q.body ? iv_ends_q : desc.decrypt;
    assign item.len  = state_q.body ? len : head_len;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) item_valid_q <= 1'b0;
      else item_valid_q <= take | beat_taken;
    end
    always_ff @(posedge clk_i) begin
      item_q <= item;
      for (int unsigned n = 0; n < 16; n++) begin
        if ((state_q.body && !beat_keep_i[n]) || state_q.zero) item_q.data[8*(15-n)+:8] <= '0;
      end
      item_is_q <= item_is;
      error_q   <= state_q.body ? item_error : desc_error;
      // With H all bytes of the key stream count.
      if (state_q.zero) begin
        item_q.len <= '1;
        error_q    <= '1;
      end
    end

    logic mask_q, over_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        mask_q <= 1'b0;
        over_q <= 1'b0;
      end else begin
        mask_q <= mask_done & gcm_q;
        over_q <= mask_done & ~gcm_q;
      end
    end

    assign mask_o       = mask_q;
    assign over_o       = over_q;
    assign mix_o        = count_zero | (item_valid_q & item_is_q.text & ~decrypt_q);
    assign hash_o       = mask_q | count_zero | (item_valid_q & (item_is_q.iv | item_is_q.aad |
        (gcm_q & (item_is_q.text | item_is_q.failed))));
    assign item_valid_o = item_valid_q;
    assign item_is_o    = item_is_q;
    always_comb begin
      item_o = item_q;
      if (item_is_q.failed) item_o.len = error_q;
    end
  end else begin : gen_item
    assign item_valid_o = take | beat_taken;
    assign mask_o       = mask_done & gcm_q;
    assign over_o       = mask_done & ~gcm_q;
    assign mix_o        = launch_zero | (beat_taken & item_is.text & ~decrypt_q);
    assign hash_o       = mask_o | launch_zero | (beat_taken & (item_is.iv | item_is.aad |
        (gcm_q & (item_is.text | item_is.failed))));

    always_comb begin
      item.gcm = gcm & Gcm;
      if (take) begin
        item.kind = desc_good ? ItemHead : ItemError;
        item.last = desc.empty;
        item.flag = desc.decrypt;
        item.len  = desc_good ? head_len : desc_error;
      end else begin
        case (beat_i.kind)
          BeatIv:  item.kind = ItemIv;
          BeatAad: item.kind = ItemAad;
          BeatTag: item.kind = ItemTag;
          default: item.kind = ItemText;
        endcase
        item.last = beat_i.last;
        item.flag = iv_ends_q;
        item.len  = len;
        if (!item_good) begin
          item.kind = ItemError;
          item.len  = item_error;
        end
      end
    end

    logic unused_keep;
    assign unused_keep = ^beat_keep_i;

    if (Lanes) begin : gen_item_or_key
      // With H all bytes of the key stream count.
      always_comb begin
        item_o = item;
        if (state_q.zero) begin
          item_o.len  = '1;
          item_o.data = '0;
        end
      end
    end else begin : gen_item_alone
      assign item_o = item;
    end
    assign item_is   = is_of(item.kind);
    assign item_is_o = item_is;
  end

  logic unused_desc;
  assign unused_desc = ^{desc.mode, desc.reserved, key_len, new_slot, key_out, sweep_q};

endmodule
