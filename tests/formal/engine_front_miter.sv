// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_engine_front: related_o is high when one bit of its state is, and the registers belong together. It
// holds after a reset, and where it holds in a clock it holds in the next one, whatever the inputs.
//
// Beside a far core (not Shared) the front says some things twice, once in fewer steps: whether a beat is
// right (good_by_kind beside beat_good) and its kind (item_is beside that of the beat). same_o is high
// when both say the same of what is done in this clock, no IV beat is right whose IV is done, and what is
// taken was there: a descriptor that was known, and a beat. What waits for key stream comes in the clock
// in which the core gets its block. The intake is there too: it decodes the beats.
//
// places_o: a result never finds no place. Results are counted (places_q): near, blocks of key stream that
// went to the core; beside a far core what its back makes a result of, text and ends of packets. They are
// given back in any clocks, none that is not there. All credits are with the front, on their way to it,
// with results, or, beside a far core, kept for the end of a packet that is there. Its back makes one result
// of what comes in a clock, that of a failed packet a clock later: so no two of them meet. It holds in some
// clocks after a reset, and where it holds in so many, it holds in the next one.

module engine_front_miter
  import aes_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter bit Gcm    = 1'b1,
  parameter bit Shared = 1'b0,  // a block each few clocks
  parameter bit Stored = 1'b0   // with Shared: the core stores its key
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         key_valid_i,
  input  logic [127:0] key_i,
  input  logic [11:0]  key_user_i,
  input  logic         desc_valid_i,
  input  desc_t        desc_i,
  input  logic         data_valid_i,
  input  logic [127:0] data_i,
  input  logic [15:0]  keep_i,
  input  logic         last_i,
  input  beat_e        user_i,
  input  logic         key_ready_i,
  input  logic         core_ready_i,
  input  logic         core_valid_i,
  input  block_t       core_block_i,
  input  logic         item_ready_i,
  input  logic         credit_i,
  input  logic         ended_i,
  input  logic         powers_done_i,
  input  logic         j0_valid_i,
  input  logic [127:0] j0_i,
  output logic         related_o,
  output logic         same_o,
  output logic         places_o
);

  function automatic cfg_t the_cfg();
    cfg_t cfg;
    cfg           = DefaultCfg;
    cfg.arch      = Shared ? ArchIterative : ArchPipelined;
    cfg.key_sched = Stored ? KeysStored : KeysOnTheFly;
    return cfg;
  endfunction

  localparam int unsigned Credits = 8;

  logic beat_valid, beat_ready, item_valid, core_valid, mask, hash, mix;
  logic [15:0] keep, tag_end;
  beat_t beat;
  beat_is_t beat_is;
  item_t item;
  item_is_t item_is;

  logic over, credit;
  logic unused_key_ready, unused_desc_ready, unused_data_ready, unused_key_valid;
  logic unused_stream, unused_powers, unused_zero, unused_slot;
  logic [255:0] unused_key;
  logic [1:0] unused_key_len;
  block_t unused_block;

  aes_engine_intake #(
    .Spaced(Shared),
    .Far   (!Shared)
  ) u_intake (
    .clk_i,
    .rst_ni,
    .s_data_tvalid_i(data_valid_i),
    .s_data_tready_o(unused_data_ready),
    .s_data_tdata_i (data_i),
    .s_data_tkeep_i (keep_i),
    .s_data_tlast_i (last_i),
    .s_data_tuser_i (user_i),
    .beat_valid_o   (beat_valid),
    .beat_ready_i   (beat_ready),
    .beat_o         (beat),
    .keep_o         (keep),
    .tag_end_i      (tag_end),
    .is_o           (beat_is)
  );

  aes_engine_front #(
    .Cfg       (the_cfg()),
    .Gcm       (Gcm),
    .NumSlots  (2),
    .NumCredits(Credits),
    .LengthBits(4),
    .Shared    (Shared)
  ) u_front (
    .clk_i,
    .rst_ni,
    .s_key_tvalid_i (key_valid_i),
    .s_key_tready_o (unused_key_ready),
    .s_key_tdata_i  (key_i),
    .s_key_tuser_i  (key_user_i),
    .s_desc_tvalid_i(desc_valid_i),
    .s_desc_tready_o(unused_desc_ready),
    .s_desc_tdata_i (desc_i),
    .beat_valid_i   (beat_valid),
    .beat_ready_o   (beat_ready),
    .beat_i         (beat),
    .beat_keep_i    (keep),
    .beat_is_i      (beat_is),
    .tag_end_o      (tag_end),
    .key_valid_o    (unused_key_valid),
    .key_ready_i    (key_ready_i),
    .key_o          (unused_key),
    .key_len_o      (unused_key_len),
    .core_valid_o   (core_valid),
    .core_ready_i   (core_ready_i | ~Shared),
    .core_block_o   (unused_block),
    .core_valid_i,
    .core_block_i,
    .stream_valid_o (unused_stream),
    .item_valid_o   (item_valid),
    .item_ready_i,
    .item_o         (item),
    .item_is_o      (item_is),
    .mask_o         (mask),
    .over_o         (over),
    .hash_o         (hash),
    .mix_o          (mix),
    .credit_i       (credit),
    .ended_i,
    .powers_valid_o (unused_powers),
    .powers_zero_o  (unused_zero),
    .powers_slot_o  (unused_slot),
    .powers_done_i,
    .j0_valid_i,
    .j0_i
  );

  // Results that have a place.
  logic [4:0] places_q, more, all;
  assign credit = credit_i && places_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) places_q <= '0;
    else places_q <= places_q + more - 5'(credit);
  end
  assign all = 5'(u_front.credit_q) + 5'(u_front.freed_q) + places_q;

  // One state at a time, and those of a stored key where the core stores one.
  logic states;
  assign states = u_front.state_q != '0 && (u_front.state_q & (u_front.state_q - 9'd1)) == '0 &&
                  (Stored || (!u_front.state_q.offer && !u_front.state_q.expand));

  if (Shared) begin : gen_shared
    // A key that acts has been seen for a clock, and no descriptor is taken beside it.
    assign related_o = states && (u_front.acts_q == '0 || u_front.key_wants) &&
                       (!u_front.picked || (u_front.state_q.idle && u_front.acts_q == '0));
    assign same_o = 1'b1;

    // One that went in the clock before is not counted yet.
    assign more     = 5'(core_valid & core_ready_i & ~u_front.state_q.zero);
    assign places_o = places_q <= 5'(Credits) && (more == '0 || places_q != 5'(Credits)) &&
                      all == 5'(Credits) + 5'(u_front.count_stream) &&
                      (!u_front.credit_left || u_front.credit_q != '0) &&
                      (!core_valid || u_front.state_q.zero ||
                       u_front.credit_q > 4'(u_front.count_stream)) && related_o;
  end else begin : gen_far
    logic decoded, same_len, facts, known, body, seen, judged, item_known, met;
    logic [15:0] beat_keep, ends;
    desc_t desc;

    assign beat_keep = keep_of(beat.len);

    // The beat as the intake decodes it.
    assign decoded =
        beat_is.plain == (beat_valid && beat.kind != BeatIv) &&
        beat_is.text == (beat_valid && beat.ok && beat.kind == BeatText && !beat.last) &&
        beat_is.text_last == (beat_valid && beat.ok && beat.kind == BeatText && beat.last) &&
        beat_is.aad == (beat_valid && beat.ok && beat.kind == BeatAad && !beat.last) &&
        beat_is.aad_last == (beat_valid && beat.ok && beat.kind == BeatAad && beat.last) &&
        beat_is.tag == (beat_valid && beat.ok && beat.kind == BeatTag && beat.last) &&
        (!beat_valid || !beat.ok || keep == beat_keep);

    // The tag of the packet, of a length that there is, and that of the beat a clock after it is known.
    always_comb begin
      ends = '0;
      if (u_front.tag_len_q inside {4'd3, 4'd7, [4'd11 : 4'd15]}) ends[u_front.tag_len_q] = 1'b1;
    end
    assign same_len = !u_front.state_q.body || (tag_end == ends && (!beat_is.tag ||
                      u_front.gen_by_kind.fresh_q || beat_is.same_len == ends[beat.len]));

    // What is known of the descriptor that waits.
    assign desc = u_front.u_keys.gen_apart.desc_q;
    assign facts =
        (!u_front.u_keys.gen_apart.valid_q || (
        u_front.u_keys.gen_apart.gcm_q == (desc.mode == ModeGcm) &&
        u_front.u_keys.gen_apart.iv_ok_q == iv_len_is_ok(desc.iv_len) &&
        u_front.u_keys.gen_apart.iv_not_12_q == (desc.iv_len != 8'd12) &&
        u_front.u_keys.gen_apart.iv_not_16_q == (desc.iv_len != 8'd16) &&
        u_front.u_keys.gen_apart.tag_len_ok_q == tag_len_is_ok(desc.tag_len))) &&
        (!u_front.u_keys.gen_apart.reads || !u_front.u_keys.gen_apart.known_q) &&
        (!(u_front.u_keys.gen_apart.reads || u_front.u_keys.gen_apart.known_q) ||
         u_front.u_keys.gen_apart.valid_q);
    assign known = (!u_front.u_keys.gen_apart.known_q || u_front.u_keys.gen_apart.good_q ==
                    (u_front.u_keys.mode_ok && u_front.u_keys.slot_ok &&
                     u_front.u_keys.own_error == ErrNone)) &&
                   (!u_front.desc_there || u_front.u_keys.gen_apart.known_q);

    // What is known of the packet whose beats come.
    assign body = u_front.gen_by_kind.tag_ends_q == (u_front.gcm_q && u_front.decrypt_q) &&
                  u_front.gen_by_kind.aad_ok_q == (u_front.gcm_q && u_front.iv_done_q) &&
                  u_front.text_ok == (u_front.iv_done_q && u_front.room_ok) &&
                  (u_front.iv_done_q || (u_front.room_ok && u_front.gcm_q)) &&
                  (!u_front.gcm_q || ends != '0);

    // What an IV still has was compared in the clock before, and judged in the next one.
    assign seen = beat_valid && beat.kind == BeatIv && u_front.state_q.body &&
                  u_front.iv_ends_q == u_front.iv_ends && u_front.iv_fits_q == u_front.iv_fits;
    assign judged = seen && u_front.gen_by_kind.iv_good_q == (beat.ok && u_front.iv_fits &&
                    !(beat.last && (u_front.gen_by_kind.tag_ends_q || !u_front.iv_ends)));

    // The item that was decided on is of one kind.
    assign item_known = item_is != '0 && (item_is & (item_is - 6'd1)) == '0;

    // The core gets a block for what waits for key stream, and for nothing else: both meet behind it.
    logic text, key;
    assign text = item_valid && item_is.text;
    assign key  = mix && !text;
    assign met  = core_valid == (text || mask || key) && !(text && mask) && !(key && item_valid) &&
                  (hash || !(mask || key));

    assign related_o = states && decoded && same_len && facts && known &&
                       (body || !u_front.state_q.body) && (seen || !u_front.iv_seen_q) &&
                       (judged || !u_front.iv_judged) && (item_known || !item_valid) && met;
    // What a beat becomes, by the way over its kind.
    item_e kind;
    always_comb begin
      case (beat.kind)
        BeatIv:  kind = ItemIv;
        BeatAad: kind = ItemAad;
        BeatTag: kind = ItemTag;
        default: kind = ItemText;
      endcase
      if (!u_front.beat_good) kind = ItemError;
    end

    // Each packet that was taken has one end: a result that a place is kept for.
    logic take_q, failed_q, apart;
    logic [1:0] open_q, over_now;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        take_q   <= 1'b0;
        failed_q <= 1'b0;
        open_q   <= '0;
      end else begin
        take_q   <= u_front.take;
        failed_q <= item_valid & item_is.failed;
        open_q   <= open_q + 2'(take_q) - over_now;
      end
    end
    assign over_now = 2'(mask | over) + 2'(item_valid & item_is.failed);
    assign more     = 5'(item_valid & item_is.text) + 5'(over_now);
    // A result each, and in clocks of their own; a mask is of GCM alone.
    assign apart = !(failed_q && (mask || over || text)) && !(text && (mask || over)) &&
                   !(mask && over) && (Gcm || !mask);
    assign places_o = places_q <= 5'(Credits) && all + 5'(open_q) == 5'(Credits) &&
                      2'(open_q + 2'(take_q)) ==
                      2'(u_front.state_q.body | u_front.state_q.mask) + over_now &&
                      apart && related_o;

    assign same_o = (!u_front.beat_taken || (beat_valid &&
                     u_front.good_by_kind == u_front.beat_good)) &&
                    (!u_front.take || u_front.u_keys.gen_apart.known_q) &&
                    (!u_front.beat_taken || u_front.item_is == is_of(
        kind
    )) && !(u_front.beat_taken && u_front.iv_good && u_front.iv_done_q);
  end

endmodule
