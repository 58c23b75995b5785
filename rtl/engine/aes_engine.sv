// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A packet engine: AES modes with keys, packets and back-pressure around any core of the family.
//
//   s_key  --+             +--[ core, never stalls ]--[ key stream ]--+
//   s_desc --+--[ front ]--+                                          +--[ back ]--[ release ]--+
//   s_data --+             +--[ items, in order ]---------------------+                         |
//                                                                                            m_data
//
// Each descriptor (s_desc) is a packet; its beats come on s_data, its text and one last beat leave on
// m_data. All streams are AXI4-Stream (ARM IHI 0051), byte 0 in the lowest lane; aes_engine_pkg has
// the fields. A core cannot be held back, so it gets a block only when a place for its result is free.
// Items wait beside it: in a queue, or beside a pipeline in a RAM for as long as it takes.
//
// The page "Engines" of AESFab has the theory of operation, with the clocks of a packet.

module aes_engine
  import aes_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter cfg_t        Cfg          = DefaultCfg,
  parameter bit          Gcm          = 1'b1,  // GCM and GMAC too, not CTR alone
  parameter int unsigned Digit        = 8,     // of GHASH, bits a clock; 128: lanes
  parameter int unsigned NumSlots     = 64,    // keys, a power of two up to 128
  parameter int unsigned ReleaseDepth = 0,     // beats of text that wait for their tag; 0: none
  parameter int unsigned LengthBits   = 32     // a GCM text has 2^LengthBits - 2 blocks at most
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               s_key_tvalid_i,
  output logic                               s_key_tready_o,
  input  logic [key_width(Cfg.key_size)-1:0] s_key_tdata_i,
  input  logic [11:0]                        s_key_tuser_i,   // {clear all, clear, length, slot}
  input  logic                               s_desc_tvalid_i,
  output logic                               s_desc_tready_o,
  input  logic [159:0]                       s_desc_tdata_i,  // desc_t
  input  logic                               s_data_tvalid_i,
  output logic                               s_data_tready_o,
  input  logic [127:0]                       s_data_tdata_i,
  input  logic [15:0]                        s_data_tkeep_i,
  input  logic                               s_data_tlast_i,
  input  logic [1:0]                         s_data_tuser_i,  // beat_e
  output logic                               m_data_tvalid_o,
  input  logic                               m_data_tready_i,
  output logic [127:0]                       m_data_tdata_o,
  output logic [15:0]                        m_data_tkeep_o,
  output logic                               m_data_tlast_o,
  output logic [5:0]                         m_data_tuser_o   // result_user_t
);

  if (Cfg.dir == DirDecrypt) begin : gen_illegal_direction
    $fatal(1, "aes_engine: CTR and GCM encrypt blocks in both directions of a packet");
  end
  if (Cfg.clear || Cfg.hardened) begin : gen_illegal_guard
    $fatal(1, "aes_engine: faults of a core and its clearing are not told further");
  end
  if (Cfg.key_sbox == SboxNone) begin : gen_illegal_round_keys
    $fatal(1, "aes_engine: the core must make its round keys itself");
  end
  if (NumSlots < 2 || NumSlots > 128 || 2 ** $clog2(NumSlots) != NumSlots) begin : gen_illegal_slots
    $fatal(1, "aes_engine: NumSlots must be a power of two from 2 to 128");
  end

  // Whether a queue or a slot that needs three clocks is fast enough: where GHASH takes more for a
  // block, or the core does.
  localparam bit Lanes = Gcm && Digit == 128;
  localparam bit Spaced = Gcm ? !Lanes : latency(
      Cfg, max_key_len(Cfg.key_size)
  ) >= 8 * blocks_in_flight(
      Cfg, max_key_len(Cfg.key_size)
  );

  localparam bit Far = is_far(Cfg);
  // A back that never waits: an item meets its block of key stream in a clock that is known.
  localparam bit FarEvents = Far && !Spaced;
  localparam bit Events = FarEvents || Lanes;
  localparam int unsigned InCore = blocks_in_flight(Cfg, max_key_len(Cfg.key_size));
  localparam int unsigned Flight = InCore + far_clocks(Cfg);

  // Places for all blocks under way, and for what the queues themselves take a clock or two for; of
  // results also for those that wait for a sum. As many results may be asked for as there are places.
  localparam int unsigned Around = Far ? 16 : 8;
  localparam int unsigned Depth = (Flight <= 10) ? 16 : 2 ** $clog2(Flight + Around);
  localparam int unsigned Results = 2 ** $clog2(Flight + (Lanes ? 64 : 32));
  localparam int unsigned Credits = Events ? Results : Depth;

  logic key_valid, key_ready, core_in_valid, core_in_ready, core_out_valid, stream_in_valid;
  logic [255:0] key;
  logic [1:0] key_len;
  block_t core_in, core_out, stream;
  logic item_in_valid, item_in_ready, freed;
  item_t item_in;
  item_is_t item_in_is;
  logic mask, over, hash, mix;
  event_t event_in, event_out;
  logic event_there;
  logic j0_valid, back_valid, back_ready, back_hold;
  logic [127:0] j0, back_data;
  logic [3:0] back_len;
  result_user_t back_user;

  logic ended, powers_valid, powers_zero, powers_done;
  logic [$clog2(NumSlots)-1:0] powers_slot;

  logic beat_valid, beat_ready;
  beat_t beat;
  beat_is_t beat_is;
  logic [15:0] beat_keep, tag_end;

  aes_engine_intake #(
    .Spaced(Spaced),
    .Far   (FarEvents)
  ) u_intake (
    .clk_i,
    .rst_ni,
    .s_data_tvalid_i,
    .s_data_tready_o,
    .s_data_tdata_i,
    .s_data_tkeep_i,
    .s_data_tlast_i,
    .s_data_tuser_i(beat_e'(s_data_tuser_i)),
    .beat_valid_o  (beat_valid),
    .beat_ready_i  (beat_ready),
    .beat_o        (beat),
    .keep_o        (beat_keep),
    .tag_end_i     (tag_end),
    .is_o          (beat_is)
  );

  aes_engine_front #(
    .Cfg       (Cfg),
    .Gcm       (Gcm),
    .NumSlots  (NumSlots),
    .NumCredits(Credits),
    .LengthBits(LengthBits),
    .Shared    (Spaced)
  ) u_front (
    .clk_i,
    .rst_ni,
    .s_key_tvalid_i,
    .s_key_tready_o,
    .s_key_tdata_i,
    .s_key_tuser_i,
    .s_desc_tvalid_i,
    .s_desc_tready_o,
    .s_desc_tdata_i,
    .beat_valid_i  (beat_valid),
    .beat_ready_o  (beat_ready),
    .beat_i        (beat),
    .beat_keep_i   (beat_keep),
    .beat_is_i     (beat_is),
    .tag_end_o     (tag_end),
    .key_valid_o   (key_valid),
    .key_ready_i   (key_ready),
    .key_o         (key),
    .key_len_o     (key_len),
    .core_valid_o  (core_in_valid),
    .core_ready_i  (core_in_ready),
    .core_block_o  (core_in),
    .core_valid_i  (core_out_valid),
    .core_block_i  (core_out),
    .stream_valid_o(stream_in_valid),
    .item_valid_o  (item_in_valid),
    .item_ready_i  (item_in_ready),
    .item_o        (item_in),
    .item_is_o     (item_in_is),
    .mask_o        (mask),
    .over_o        (over),
    .hash_o        (hash),
    .mix_o         (mix),
    .credit_i      (freed),
    .ended_i       (ended),
    .powers_valid_o(powers_valid),
    .powers_zero_o (powers_zero),
    .powers_slot_o (powers_slot),
    .powers_done_i (powers_done),
    .j0_valid_i    (j0_valid),
    .j0_i          (j0)
  );

  aes_engine_core #(
    .Cfg(Cfg),
    .Far(Far)
  ) u_core (
    .clk_i,
    .rst_ni,
    .key_valid_i (key_valid),
    .key_ready_o (key_ready),
    .key_i       (key),
    .key_len_i   (key_len),
    .in_valid_i  (core_in_valid),
    .in_ready_o  (core_in_ready),
    .in_block_i  (core_in),
    .in_decrypt_i(1'b0),
    .in_key_i    (key),
    .out_valid_o (core_out_valid),
    .out_block_o (core_out)
  );

  if (Events) begin : gen_events
    assign event_in = '{
            mask: mask,
            over: over,
            hash: hash,
            mix: mix,
            is: item_in_is & {$bits(item_is_t) {item_in_valid}},
            flag: item_in.flag,
            gcm: item_in.gcm,
            len: item_in.len,
            data: item_in.data
        };

    aes_engine_events #(
      .Far   (FarEvents),
      .Early (Lanes),
      .Clocks(latency(Cfg, max_key_len(Cfg.key_size)) + far_clocks(Cfg))
    ) u_events (
      .clk_i,
      .rst_ni,
      .event_i       (event_in),
      .ready_o       (item_in_ready),
      .stream_valid_i(core_out_valid),
      .stream_i      (core_out),
      .there_o       (event_there),
      .event_o       (event_out),
      .stream_o      (stream)
    );

    logic unused_item;
    assign unused_item = ^{item_in.kind, item_in.last, stream_in_valid};
  end else begin : gen_no_events
    assign event_in    = '0;
    assign event_out   = event_in;
    assign event_there = 1'b0;
    assign stream      = '0;
    logic unused_events;
    assign unused_events = ^{event_out, event_there, stream, mask, over, hash, mix, item_in_is};
  end

  if (Lanes) begin : gen_lanes
    aes_engine_back_lanes #(
      .NumSlots  (NumSlots),
      .LengthBits(LengthBits),
      .Results   (Results)
    ) u_back (
      .clk_i,
      .rst_ni,
      .key_valid_i(powers_valid),
      .key_zero_i (powers_zero),
      .key_slot_i (powers_slot),
      .key_done_o (powers_done),
      .there_i    (event_there),
      .event_i    (event_out),
      .stream_i   (stream),
      .freed_o    (freed),
      .j0_valid_o (j0_valid),
      .j0_o       (j0),
      .ended_o    (ended),
      .m_valid_o  (back_valid),
      .m_ready_i  (back_ready),
      .m_data_o   (back_data),
      .m_len_o    (back_len),
      .m_user_o   (back_user),
      .m_hold_o   (back_hold)
    );
  end else if (FarEvents) begin : gen_ctr
    aes_engine_back_ctr #(
      .Results(Results)
    ) u_back (
      .clk_i,
      .rst_ni,
      .there_i  (event_there),
      .event_i  (event_out),
      .stream_i (stream),
      .freed_o  (freed),
      .m_valid_o(back_valid),
      .m_ready_i(back_ready),
      .m_data_o (back_data),
      .m_len_o  (back_len),
      .m_user_o (back_user)
    );

    assign back_hold = 1'b0;
  end else begin : gen_digits
    logic item_valid, item_ready, stream_valid, unused_stream_in_ready;
    item_t item;
    block_t key_stream;

    aes_engine_fifo #(
      .Depth (Depth),
      .Width (128),
      .Block (Spaced),
      .Spaced(Spaced)
    ) u_stream (
      .clk_i,
      .rst_ni,
      .valid_i(stream_in_valid),
      .ready_o(unused_stream_in_ready),
      .data_i (core_out),
      .valid_o(stream_valid),
      .ready_i(freed),
      .data_o (key_stream)
    );

    aes_engine_fifo #(
      .Depth(Depth),
      .Width($bits(item_t)),
      .Held (Spaced)
    ) u_items (
      .clk_i,
      .rst_ni,
      .valid_i(item_in_valid),
      .ready_o(item_in_ready),
      .data_i (item_in),
      .valid_o(item_valid),
      .ready_i(item_ready),
      .data_o (item)
    );

    aes_engine_back #(
      .Gcm       (Gcm),
      .Digit     (Digit),
      .LengthBits(LengthBits),
      .Spaced    (Spaced)
    ) u_back (
      .clk_i,
      .rst_ni,
      .item_valid_i  (item_valid),
      .item_ready_o  (item_ready),
      .item_i        (item),
      .stream_valid_i(stream_valid),
      .stream_ready_o(freed),
      .stream_i      (key_stream),
      .j0_valid_o    (j0_valid),
      .j0_o          (j0),
      .m_valid_o     (back_valid),
      .m_ready_i     (back_ready),
      .m_data_o      (back_data),
      .m_len_o       (back_len),
      .m_user_o      (back_user),
      .m_hold_o      (back_hold)
    );
  end

  if (!Lanes) begin : gen_no_lanes
    assign ended       = 1'b0;
    assign powers_done = 1'b0;
    logic unused_powers;
    assign unused_powers = ^{powers_valid, powers_zero, powers_slot};
  end
  if (!Lanes && FarEvents) begin : gen_no_j0
    assign j0_valid = 1'b0;
    assign j0       = '0;
  end

  aes_engine_output #(
    .Depth(ReleaseDepth)
  ) u_output (
    .clk_i,
    .rst_ni,
    .valid_i(back_valid),
    .ready_o(back_ready),
    .data_i (back_data),
    .len_i  (back_len),
    .user_i (back_user),
    .hold_i (back_hold),
    .m_data_tvalid_o,
    .m_data_tready_i,
    .m_data_tdata_o,
    .m_data_tkeep_o,
    .m_data_tlast_o,
    .m_data_tuser_o
  );

endmodule
