// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The front of a packet engine: keys, descriptors and beats come in, counter blocks go to the core.
//
//   s_key  --[ key slots ]---------------------------------------- key of the core
//   s_desc --+--[ counter block |R| ]----------------------------- block of the core
//            +--[ H slots ]--+
//   beats  --[ grammar ]-----+--[ item ]-------------------------- queue to the back
//
// A beat of text is taken in the clock in which the core takes its counter block, so it is taken only
// when there is a place for the result (credits). After the last beat of a GCM packet the core gets
// J0, in one clock of its own; in this clock the next descriptor is taken, so a packet costs one clock
// beside its beats. With stored keys, a descriptor with another slot than the one before loads the key
// first.
//
// The packet of a descriptor or beat that makes no sense ends with an error item; its other beats
// are taken and dropped to the one with tlast, and the next descriptor finds its own beats. No
// descriptor is taken while a J0 is still to come, so none can come to the wrong packet.
//
// A key that is offered goes to a spare place of the key slots first; the core makes H of it (zero,
// encrypted) between two packets, and when H is there key and H take their slot in one clock, in which
// the key is taken. Descriptors go on being taken meanwhile, under the old key; none in that clock.
//
// After a reset, and on request, all slots are overwritten with zero, one a clock.

module aes_engine_front
  import aes_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter cfg_t        Cfg        = DefaultCfg,
  parameter bit          Gcm        = 1'b1,       // GCM too, not CTR alone
  parameter int unsigned NumSlots   = 64,
  parameter int unsigned NumCredits = 16,         // places for results of the core
  parameter int unsigned LengthBits = 32          // a GCM text has 2^LengthBits - 2 blocks at most
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
  input  logic                               credit_i,        // a place for a result is free again
  input  logic                               j0_valid_i,      // of an IV that is not 96 bits long
  input  logic [127:0]                       j0_i
);

  localparam int unsigned KeyWidth = key_width(Cfg.key_size);
  localparam bit Stored = Cfg.key_sched != KeysOnTheFly;
  localparam bit AnyKey = Cfg.key_size == KeySizeAny;
  localparam int unsigned SlotBits = $clog2(NumSlots);
  localparam int unsigned WordWidth = KeyWidth + (AnyKey ? 2 : 0);
  localparam int unsigned HashWidth = Gcm ? 129 : 1;  // valid, H
  localparam int unsigned CreditBits = $clog2(NumCredits + 1);
  localparam int unsigned FlightBits = 8;  // of blocks in the core
  localparam logic [SlotBits:0] SpareSlot = (SlotBits + 1)'(2 ** SlotBits);

  typedef enum logic [3:0] {
    StSweep,   // zero into all slots
    StIdle,
    StFetch,   // the key that is offered is read from its spare place
    StOffer,   // a stored key is offered to the core
    StExpand,  // and expanded
    StZero,    // the core gets zero, to make H
    StBody,    // beats
    StMask,    // the core gets J0, the next descriptor is taken
    StDrain    // beats of a packet that is refused
  } state_e;

  state_e state_q, state_d;

  // An IV that is not 96 bits long
  logic j0_wait_q;  // the text waits for J0
  logic j0_due_q;   // the IV has gone to the back, J0 has not come
  logic j0_step_q;

  ///////////////////////////////////////////////////////////////////////////
  // Key slots
  ///////////////////////////////////////////////////////////////////////////

  logic [7:0] new_slot;
  logic key_write, key_clear, key_clear_all, key_known;
  logic h_pending_q, commit, sweep, stage_key;
  logic [SlotBits:0] sweep_q;
  logic [KeyWidth-1:0] key_in, key_out;
  logic [1:0] key_len;
  logic [WordWidth-1:0] key_word, key_word_out;
  logic take, fetch;

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
    assign {key_len, key_out} = key_word_out;
  end else begin : gen_one_key_size
    logic unused_key_len;
    assign unused_key_len = ^s_key_tuser_i[9:8];
    assign key_word = key_in;
    assign key_out  = key_word_out;
    assign key_len  = max_key_len(Cfg.key_size);
  end

  logic slot_write, hash_write, clear_one;
  logic [SlotBits:0] slot_waddr;

  assign sweep      = state_q == StSweep;
  assign stage_key  = (state_q == StIdle) & key_write & key_known & ~h_pending_q & ~j0_due_q & Gcm;
  assign clear_one  = (state_q == StIdle) & key_clear & key_known & ~h_pending_q;
  assign slot_write = sweep | stage_key | commit | clear_one;
  assign hash_write = sweep | commit | clear_one;

  always_comb begin
    if (sweep) slot_waddr = sweep_q;
    else if (commit || clear_one) slot_waddr = {1'b0, new_slot[SlotBits-1:0]};
    else slot_waddr = SpareSlot;
  end

  aes_engine_slots #(
    .Depth(2 ** (SlotBits + 1)),
    .Width(WordWidth)
  ) u_keys (
    .clk_i,
    .write_i(slot_write),
    .waddr_i(slot_waddr),
    .wdata_i((sweep || clear_one) ? '0 : key_word),
    .read_i (take | fetch),
    .raddr_i(fetch ? SpareSlot : {1'b0, s_desc_tdata_i.slot[SlotBits-1:0]}),
    .rdata_o(key_word_out)
  );

  // H of the descriptor that is offered, a clock after it was offered first.
  logic [HashWidth-1:0] hash_in, hash_out;
  logic slot_valid;
  logic [127:0] hash_key;

  aes_engine_slots #(
    .Depth(2 ** SlotBits),
    .Width(HashWidth)
  ) u_hashes (
    .clk_i,
    .write_i(hash_write),
    .waddr_i(slot_waddr[SlotBits-1:0]),
    .wdata_i((sweep || clear_one) ? '0 : hash_in),
    .read_i (1'b1),
    .raddr_i(s_desc_tdata_i.slot[SlotBits-1:0]),
    .rdata_o(hash_out)
  );

  if (Gcm) begin : gen_hash_keys
    assign hash_in = {1'b1, core_block_i};
    assign {slot_valid, hash_key} = hash_out;
  end else begin : gen_no_hash_keys
    assign hash_in    = 1'b1;
    assign slot_valid = hash_out;
    assign hash_key   = '0;
    logic unused_core_block;
    assign unused_core_block = ^core_block_i;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Descriptors
  ///////////////////////////////////////////////////////////////////////////

  logic seen_q, desc_known, gcm, long_iv, tag_len_ok, mode_ok;
  logic [127:0] head_key;
  error_e found_error, desc_error;

  // What is read of its slot is there.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) seen_q <= 1'b0;
    else seen_q <= s_desc_tvalid_i & ~take & ~hash_write;
  end

  if (Gcm) begin : gen_registered
    // A block RAM is slow: H and what it says of the slot go through a register.
    logic known_q;
    logic [127:0] head_key_q;
    error_e error_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) known_q <= 1'b0;
      else known_q <= seen_q & ~take & ~hash_write;
    end
    always_ff @(posedge clk_i) begin
      head_key_q <= hash_key;
      error_q    <= found_error;
    end
    assign desc_known = known_q;
    assign head_key   = head_key_q;
    assign desc_error = error_q;
  end else begin : gen_direct
    assign desc_known = seen_q;
    assign head_key   = hash_key;
    assign desc_error = found_error;
  end

  assign gcm        = s_desc_tdata_i.mode == ModeGcm;
  assign long_iv    = gcm & (s_desc_tdata_i.iv_len != 8'd12);
  assign mode_ok    = (gcm & Gcm) | (s_desc_tdata_i.mode == ModeCtr);
  assign tag_len_ok = s_desc_tdata_i.tag_len inside {8'd4, 8'd8, [8'd12 : 8'd16]};

  always_comb begin
    found_error = ErrNone;
    if (!mode_ok) found_error = ErrMode;
    else if (9'(s_desc_tdata_i.slot) >= 9'(NumSlots) || !slot_valid) found_error = ErrSlot;
    else if (gcm && !(s_desc_tdata_i.iv_len inside {[8'd1 : 8'd128]})) found_error = ErrIv;
    else if (!gcm && s_desc_tdata_i.iv_len != 8'd16) found_error = ErrIv;
    else if (gcm && !tag_len_ok) found_error = ErrTagLen;
    else if (s_desc_tdata_i.empty && gcm && (long_iv || s_desc_tdata_i.decrypt)) begin
      found_error = ErrBeat;
    end
  end

  logic gcm_q, decrypt_q, empty_q;
  logic [3:0] tag_len_q;

  always_ff @(posedge clk_i) begin
    if (take) begin
      gcm_q     <= gcm & Gcm;
      decrypt_q <= s_desc_tdata_i.decrypt;
      empty_q   <= s_desc_tdata_i.empty;
      tag_len_q <= 4'(s_desc_tdata_i.tag_len - 8'd1);
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Beats
  ///////////////////////////////////////////////////////////////////////////

  // The order of beats in a packet.
  function automatic logic [1:0] rank_of(beat_e kind);
    case (kind)
      BeatIv:   return 2'd0;
      BeatAad:  return 2'd1;
      BeatText: return 2'd2;
      default:  return 2'd3;
    endcase
  endfunction

  logic [1:0] rank, rank_q;
  logic [3:0] len;
  logic partial_q, full, in_order, beat_ok, kind_ok, last_ok, room_ok;
  logic [7:0] iv_left_q;
  logic is_text, is_iv, iv_ends, text_ready, beat_taken, beat_good;
  error_e beat_error;

  assign rank     = rank_of(beat_i.kind);
  assign len      = beat_i.len;
  assign full     = beat_i.full;
  assign is_text  = beat_i.kind == BeatText;
  assign is_iv    = beat_i.kind == BeatIv;
  assign iv_ends  = iv_left_q == 8'(len) + 8'd1;
  assign in_order = (rank > rank_q) | ((rank == rank_q) & ~partial_q);

  always_comb begin
    case (beat_i.kind)
      BeatIv:  kind_ok = (full & (iv_left_q >= 8'd16)) | iv_ends;
      BeatAad: kind_ok = gcm_q & (iv_left_q == 8'd0);
      BeatTag: kind_ok = gcm_q & decrypt_q & (iv_left_q == 8'd0) & (len == tag_len_q);
      default: kind_ok = iv_left_q == 8'd0;
    endcase
  end

  // Decryption ends with a tag, nothing else does; a packet does not end in an IV.
  always_comb begin
    if (gcm_q && decrypt_q) last_ok = beat_i.last == (beat_i.kind == BeatTag);
    else last_ok = ~(beat_i.last & is_iv & ~iv_ends);
  end

  assign beat_ok    = beat_i.legal & in_order & kind_ok & last_ok;
  assign beat_good  = beat_ok & (room_ok | ~is_text);
  assign beat_error = beat_ok ? ErrLength : ErrBeat;

  always_ff @(posedge clk_i) begin
    if (take) begin
      rank_q    <= 2'd0;
      partial_q <= 1'b0;
      iv_left_q <= (long_iv && Gcm) ? s_desc_tdata_i.iv_len : '0;
    end else if (beat_taken) begin
      rank_q    <= rank;
      partial_q <= ~full;
      if (is_iv) iv_left_q <= iv_left_q - 8'(len) - 8'd1;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Counter block
  ///////////////////////////////////////////////////////////////////////////

  block_t counter_q;
  logic [31:0] j0_low_q;
  logic launch, credit_left;
  logic [127:0] iv;
  logic [3:0] carry;
  block_t next_counter;

  assign iv = swap_bytes(s_desc_tdata_i.iv);

  // inc32 of GCM has no carry out of its word.
  assign carry[0] = 1'b1;
  for (genvar w = 1; w < 4; w++) begin : gen_carry
    assign carry[w] = ~gcm_q & (&counter_q[32*w-1:0]);
  end

  always_comb begin
    for (int unsigned w = 0; w < 4; w++) begin
      next_counter[32*w+:32] = counter_q[32*w+:32] + 32'(carry[w]);
    end
  end

  // The last counter that text may have is that of J0 less 2. Looked at as the one before is used.
  logic [LengthBits-1:0] last_q;
  logic room_q;
  assign room_ok = ~gcm_q | room_q;

  always_ff @(posedge clk_i) begin
    if (take) last_q <= '1;
    else if (j0_step_q) last_q <= {j0_low_q[LengthBits-1:1] - 1'b1, j0_low_q[0]};
    if (take) room_q <= 1'b1;
    else if (beat_taken && is_text) room_q <= counter_q[LengthBits-1:0] != last_q;
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      counter_q <= gcm ? {iv[127:32], s_desc_tdata_i.empty ? 32'd1 : 32'd2} : iv;
    end else if (fetch) begin
      counter_q <= '0;
    end else if (j0_valid_i && Gcm) begin
      counter_q <= j0_i;
    end else if (beat_taken && beat_i.last) begin
      counter_q[31:0] <= j0_low_q;
    end else if ((beat_taken && is_text) || (j0_step_q && state_q != StMask)) begin
      counter_q <= next_counter;
    end
    if (take) j0_low_q <= 32'd1;
    else if (j0_valid_i && Gcm) j0_low_q <= j0_i[31:0];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      j0_wait_q <= 1'b0;
      j0_due_q  <= 1'b0;
      j0_step_q <= 1'b0;
    end else begin
      if (j0_valid_i) j0_due_q <= 1'b0;
      else if (beat_taken && beat_good && is_iv && iv_ends) j0_due_q <= 1'b1;
      j0_step_q <= j0_valid_i & Gcm;
      if (take) j0_wait_q <= long_iv & (desc_error == ErrNone) & Gcm;
      else if (j0_step_q) j0_wait_q <= 1'b0;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Credits, and which result is H
  ///////////////////////////////////////////////////////////////////////////

  logic [CreditBits-1:0] credit_q;
  logic [FlightBits-1:0] flight_q, before_h_q;
  logic launch_stream, launch_zero, result_is_h, ahead_of_h;

  assign launch_zero    = (state_q == StZero) & launch;
  assign launch_stream  = (state_q != StZero) & launch;
  assign launch         = core_valid_o & core_ready_i;
  assign credit_left    = credit_q != '0;
  assign result_is_h    = h_pending_q & (before_h_q == '0);
  assign ahead_of_h     = h_pending_q & (before_h_q != '0);
  assign stream_valid_o = core_valid_i & ~result_is_h;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      credit_q    <= CreditBits'(NumCredits);
      flight_q    <= '0;
      before_h_q  <= '0;
      h_pending_q <= 1'b0;
    end else begin
      credit_q <= credit_q + CreditBits'(credit_i) - CreditBits'(launch_stream);
      flight_q <= flight_q + FlightBits'(launch) - FlightBits'(core_valid_i);
      if (launch_zero) begin
        h_pending_q <= 1'b1;
        before_h_q  <= flight_q - FlightBits'(core_valid_i);
      end else if (core_valid_i) begin
        h_pending_q <= h_pending_q & ~result_is_h;
        before_h_q  <= before_h_q - FlightBits'(ahead_of_h);
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
        if (sweep || fetch || ((commit || clear_one) && new_slot[SlotBits-1:0] == slot_q)) begin
          current_q <= 1'b0;
        end else if (take && desc_error == ErrNone) begin
          current_q <= 1'b1;
        end
        if (fetch) for_zero_q <= 1'b1;
        else if (take) for_zero_q <= 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (take && desc_error == ErrNone) slot_q <= s_desc_tdata_i.slot[SlotBits-1:0];
    end
    assign key_current = current_q & (slot_q == s_desc_tdata_i.slot[SlotBits-1:0]);
    assign key_valid_o = state_q == StOffer;
  end else begin : gen_on_the_fly
    logic unused_ready;
    assign unused_ready = key_ready_i;
    assign key_current  = 1'b1;
    assign key_valid_o  = 1'b0;
    assign for_zero_q   = 1'b0;
  end

  if (KeyWidth == 256) begin : gen_long_key
    assign key_o = key_out;
  end else begin : gen_short_key
    assign key_o = {key_out, {256 - KeyWidth{1'b0}}};
  end
  assign key_len_o = key_len;

  ///////////////////////////////////////////////////////////////////////////
  // States
  ///////////////////////////////////////////////////////////////////////////

  logic mask_done, may_take, key_wants, sweep_end;
  logic [3:0] head_len;

  assign sweep_end = sweep_q == {1'b1, SlotBits'(0)};
  assign key_wants = s_key_tvalid_i & ~h_pending_q;
  assign fetch     = state_q == StFetch;

  // With H or, in CTR alone, at once.
  assign commit = Gcm ? core_valid_i & result_is_h :
      (state_q == StIdle) & key_write & key_known;

  assign mask_done = (state_q == StMask) & (~gcm_q | launch);
  assign may_take  = ((state_q == StIdle) | mask_done) & ~key_wants & ~commit & ~j0_due_q;
  assign take      = may_take & s_desc_tvalid_i & desc_known & item_ready_i;

  assign text_ready      = core_ready_i & credit_left & ~j0_wait_q;
  assign s_desc_tready_o = take;
  assign beat_ready_o = (state_q == StDrain) | ((state_q == StBody) & item_ready_i &
      (text_ready | ~is_text | ~beat_good));
  assign beat_taken      = (state_q == StBody) & beat_valid_i & beat_ready_o;

  assign core_block_o = counter_q;
  always_comb begin
    case (state_q)
      StZero: core_valid_o = 1'b1;
      StBody:
      core_valid_o = beat_valid_i & is_text & beat_good & item_ready_i & credit_left & ~j0_wait_q;
      StMask: core_valid_o = gcm_q & credit_left & ~j0_wait_q;
      default: core_valid_o = 1'b0;
    endcase
  end

  always_comb begin
    s_key_tready_o = commit;
    if (state_q == StIdle && !h_pending_q) begin
      // A slot that there is not: nothing is written, and its descriptors are refused.
      if (key_clear || (key_write && !key_known)) s_key_tready_o = 1'b1;
    end
    if (sweep && sweep_end && key_clear_all) s_key_tready_o = 1'b1;
  end

  state_e loaded;  // where a packet goes on once the core has its key

  always_comb begin
    if (for_zero_q) loaded = StZero;
    else if (empty_q) loaded = StMask;
    else loaded = StBody;
  end

  always_comb begin
    state_d = state_q;
    case (state_q)
      StSweep:  if (sweep_end) state_d = StIdle;
      StFetch:  state_d = Stored ? StOffer : StZero;
      StOffer:  if (key_ready_i) state_d = StExpand;
      StExpand: if (key_ready_i) state_d = loaded;
      StZero:   if (core_ready_i) state_d = StIdle;
      StBody: begin
        if (beat_taken && !beat_good) state_d = beat_i.last ? StIdle : StDrain;
        else if (beat_taken && beat_i.last) state_d = StMask;
      end
      StMask:   if (mask_done) state_d = StIdle;
      StDrain:  if (beat_valid_i && beat_i.last) state_d = StIdle;
      default: begin
        state_d = StIdle;
        if (key_clear_all && !h_pending_q) state_d = StSweep;
        else if (stage_key) state_d = StFetch;
      end
    endcase
    if (take) begin
      if (desc_error != ErrNone) state_d = s_desc_tdata_i.empty ? StIdle : StDrain;
      else if (!key_current) state_d = StOffer;
      else state_d = s_desc_tdata_i.empty ? StMask : StBody;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StSweep;
      sweep_q <= '0;
    end else begin
      state_q <= state_d;
      sweep_q <= sweep ? sweep_q + 1'b1 : '0;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Items
  ///////////////////////////////////////////////////////////////////////////

  assign head_len     = 4'(s_desc_tdata_i.tag_len - 8'd1);
  assign item_valid_o = take | beat_taken;

  always_comb begin
    item_o.gcm  = gcm & Gcm;
    // By the state alone: this goes to many bits.
    item_o.data = (state_q == StBody) ? beat_i.data : head_key;
    if (take) begin
      item_o.kind = (desc_error == ErrNone) ? ItemHead : ItemError;
      item_o.last = s_desc_tdata_i.empty;
      item_o.flag = s_desc_tdata_i.decrypt;
      item_o.len  = (desc_error == ErrNone) ? head_len : desc_error;
    end else begin
      case (beat_i.kind)
        BeatIv:  item_o.kind = ItemIv;
        BeatAad: item_o.kind = ItemAad;
        BeatTag: item_o.kind = ItemTag;
        default: item_o.kind = ItemText;
      endcase
      item_o.last = beat_i.last;
      item_o.flag = iv_ends;
      item_o.len  = len;
      if (!beat_good) begin
        item_o.kind = ItemError;
        item_o.len  = beat_error;
      end
    end
  end

  logic unused_desc;
  assign unused_desc = ^{s_desc_tdata_i.reserved, key_len, new_slot};

endmodule
