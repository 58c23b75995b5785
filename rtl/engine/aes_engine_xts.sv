// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A sector engine: XTS (IEEE 1619, SP 800-38E), or CBC decryption, around any core of the family.
//
//   s_key  --+--[ keys ]--+--[ queue of sectors ]---+
//   s_desc --+            |                         v
//                         +-- tweak --[ core ]--[ first tweaks ]
//                                                   v
//   s_data --[ intake ]-------------------------[ front ]--[ core, never stalls ]--[ queue ]--+
//                                                   |                                         |
//                                                   +--[ items, in order ]--[ back ]----------+-- m_data
//
// Each descriptor (s_desc) is a sector, or a data unit in the words of the standard; its beats come on
// s_data, as many bytes leave on m_data. All streams are AXI4-Stream (ARM IHI 0051), byte 0 in the lowest
// lane. A core cannot be held back, so it gets a block only when a place for its result is free.
//
// The first tweak of a sector is encrypted while sectors before it are under way: by the same core, in a
// slot between blocks of data (Shared), or by one of its own, which is needed where the core decrypts or
// stores its key.
//
// With Cbc a message of CBC is a sector: its IV, as it is, is the first tweak. CBC encryption is not here, for
// each block waits for the one before: that is for the engines of streams.
//
// The page "Engines" of AESFab has the theory of operation.

module aes_engine_xts
  import aes_pkg::*;
  import aes_engine_pkg::far_clocks;
  import aes_engine_pkg::is_far;
  import aes_engine_pkg::swap_bytes;
  import aes_engine_pkg::keep_of;
  import aes_engine_pkg::ErrNone;
  import aes_engine_pkg::result_user_t;
  import aes_engine_streams_pkg::desc_t;
  import aes_engine_streams_pkg::shape_t;
  import aes_engine_streams_pkg::with_keys_on_the_fly;
  import aes_engine_xts_pkg::*;
#(
  parameter cfg_t        Cfg        = with_keys_on_the_fly(DefaultCfg),
  parameter bit          Cbc        = 1'b0,                              // not XTS
  parameter bit          Shared     = 1'b1,                              // no core of tweaks
  parameter cfg_t        TweakCfg   = with_keys_on_the_fly(DefaultCfg),  // of it
  parameter int unsigned NumSlots   = 64,  // pairs of keys, a power of two from 2 to 128
  parameter int unsigned LengthBits = 20   // a sector has 2^LengthBits blocks at most
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               s_key_tvalid_i,
  output logic                               s_key_tready_o,
  input  logic [key_width(Cfg.key_size)-1:0] s_key_tdata_i,
  input  logic [11:0]                        s_key_tuser_i,   // {all, clear, 0, tweaks, slot}
  input  logic                               s_desc_tvalid_i,
  output logic                               s_desc_tready_o,
  input  logic [143:0]                       s_desc_tdata_i,  // desc_t
  input  logic                               s_data_tvalid_i,
  output logic                               s_data_tready_o,
  input  logic [127:0]                       s_data_tdata_i,
  input  logic [15:0]                        s_data_tkeep_i,
  input  logic                               s_data_tlast_i,
  output logic                               m_data_tvalid_o,
  input  logic                               m_data_tready_i,
  output logic [127:0]                       m_data_tdata_o,
  output logic [15:0]                        m_data_tkeep_o,
  output logic                               m_data_tlast_o,
  output logic [5:0]                         m_data_tuser_o   // result_user_t
);

  localparam int unsigned KeyWidth = key_width(Cfg.key_size);
  localparam logic [1:0] KeyLen = max_key_len(Cfg.key_size);
  localparam bit Stored = Cfg.key_sched != KeysOnTheFly;
  localparam bit Decrypts = Cfg.dir != DirEncrypt;
  localparam bit Far = is_far(Cfg);
  localparam int unsigned Flight = blocks_in_flight(Cfg, KeyLen) + far_clocks(Cfg);

  // A queue that needs three clocks for an entry is fast enough.
  localparam bit Spaced = latency(Cfg, KeyLen) >= 8 * Flight;
  // Places for all blocks under way, and for what the queues themselves take a clock or two for.
  localparam int unsigned Places = (Flight <= 10) ? 16 : 2 ** $clog2(Flight + (Far ? 32 : 20));
  localparam int unsigned Sectors = 8;

  if (Cfg.clear || Cfg.hardened || TweakCfg.clear || TweakCfg.hardened) begin : gen_illegal_guard
    $fatal(1, "aes_engine_xts: faults of a core and its clearing are not told further");
  end
  if (Cfg.key_sbox == SboxNone) begin : gen_illegal_round_keys
    $fatal(1, "aes_engine_xts: the core must make its round keys itself");
  end
  if (Cfg.key_size == KeySizeAny || (Cfg.key_size == KeySize192 && !Cbc)) begin : gen_illegal_size
    $fatal(1, "aes_engine_xts: XTS has keys of 128 and 256 bits, CBC of one size");
  end
  if (Cbc && !Decrypts) begin : gen_illegal_cbc
    $fatal(1, "aes_engine_xts: of CBC this is the decryption");
  end
  if (Shared && !Cbc && (Stored || Decrypts)) begin : gen_illegal_sharing
    $fatal(1, "aes_engine_xts: a core that stores its key or decrypts cannot encrypt tweaks");
  end
  if (!Shared && !Cbc && (TweakCfg.key_sched != KeysOnTheFly || TweakCfg.dir != DirEncrypt ||
      TweakCfg.key_size != Cfg.key_size)) begin : gen_illegal_tweaks
    $fatal(1, "aes_engine_xts: the core of tweaks encrypts, and its keys travel with its blocks");
  end
  if (NumSlots < 2 || NumSlots > 128 || 2 ** $clog2(NumSlots) != NumSlots) begin : gen_illegal_slots
    $fatal(1, "aes_engine_xts: NumSlots must be a power of two from 2 to 128");
  end

  typedef struct packed {
    result_user_t user;
    logic         none;
    logic [3:0]   len;
    logic [127:0] data;
  } result_t;

  logic ready, unused_load, unused_stream;
  logic beat_valid, beat_take;
  logic [127:0] beat_data;
  shape_t beat_shape;
  logic tweak_valid, tweak_ready, front_tweak_valid, front_tweak_ready;
  logic [KeyWidth-1:0] tweak_key, sector_key, next_key, key, core_key;
  logic [127:0] tweak_block;
  logic sector_in_valid, sector_in_ready, sector_valid, sector_ready;
  info_t sector_info, next_info;
  logic first_in_valid, unused_first_ready, first_valid, first_ready, shared_first_valid;
  logic [127:0] first_in, first;
  logic key_valid, key_ready, core_valid, core_ready, core_decrypt, core_out_valid;
  block_t core_block, core_out, block;
  logic item_in_valid, freed;
  item_t item_in;
  logic steal_valid;
  logic [127:0] steal;

  // A key of this width at the top of a core's port.
  function automatic logic [255:0] key_port(logic [KeyWidth-1:0] bits);
    return 256'(bits) << (256 - KeyWidth);
  endfunction

  aes_engine_streams_intake #(
    .Chained   (1'b0),
    .StreamBits(1)
  ) u_intake (
    .clk_i,
    .rst_ni,
    .ready_i     (ready),
    .s_data_tvalid_i,
    .s_data_tready_o,
    .s_data_tid_i(1'b0),
    .s_data_tdata_i,
    .s_data_tkeep_i,
    .s_data_tlast_i,
    .load_o      (unused_load),
    .valid_o     (beat_valid),
    .take_i      (beat_take),
    .stream_o    (unused_stream),
    .data_o      (beat_data),
    .shape_o     (beat_shape)
  );

  aes_engine_xts_keys #(
    .Cbc     (Cbc),
    .Encrypts(Cfg.dir != DirDecrypt && !Cbc),
    .Decrypts(Decrypts),
    .Stored  (Stored),
    .Far     (Far),
    .KeyWidth(KeyWidth),
    .NumSlots(NumSlots)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .ready_o       (ready),
    .s_key_tvalid_i,
    .s_key_tready_o,
    .s_key_tdata_i,
    .s_key_tuser_i,
    .s_desc_tvalid_i,
    .s_desc_tready_o,
    .s_desc_tdata_i(desc_t'(s_desc_tdata_i)),
    .tweak_valid_o (tweak_valid),
    .tweak_ready_i (tweak_ready),
    .tweak_key_o   (tweak_key),
    .tweak_block_o (tweak_block),
    .sector_valid_o(sector_in_valid),
    .sector_ready_i(sector_in_ready),
    .sector_key_o  (sector_key),
    .sector_info_o (sector_info)
  );

  aes_engine_fifo #(
    .Depth (Sectors),
    .Width (KeyWidth + $bits(info_t)),
    .Spaced(1'b1)
  ) u_sectors (
    .clk_i,
    .rst_ni,
    .valid_i(sector_in_valid),
    .ready_o(sector_in_ready),
    .data_i ({sector_key, sector_info}),
    .valid_o(sector_valid),
    .ready_i(sector_ready),
    .data_o ({next_key, next_info})
  );

  ///////////////////////////////////////////////////////////////////////////
  // First tweaks
  ///////////////////////////////////////////////////////////////////////////

  if (Cbc) begin : gen_cbc
    logic unused_cbc;
    assign front_tweak_valid = 1'b0;
    assign tweak_ready       = 1'b0;
    assign first_in_valid    = sector_in_valid & (sector_info.error == ErrNone);
    assign first_in          = s_desc_tdata_i[127:0];
    assign unused_cbc        = ^{tweak_valid, front_tweak_ready, shared_first_valid};
  end else if (Shared) begin : gen_shared
    assign front_tweak_valid = tweak_valid;
    assign tweak_ready       = front_tweak_ready;
    assign first_in_valid    = shared_first_valid;
    assign first_in          = swap_bytes(block);
  end else begin : gen_apart
    logic out_valid, unused_apart, unused_key_ready;
    block_t out;

    aes_engine_core #(
      .Cfg(TweakCfg)
    ) u_tweaks (
      .clk_i,
      .rst_ni,
      .key_valid_i (1'b0),
      .key_ready_o (unused_key_ready),
      .key_i       ('0),
      .key_len_i   (KeyLen),
      .in_valid_i  (tweak_valid),
      .in_ready_o  (tweak_ready),
      .in_block_i  (tweak_block),
      .in_decrypt_i(1'b0),
      .in_key_i    (key_port(tweak_key)),
      .out_valid_o (out_valid),
      .out_block_o (out)
    );

    assign front_tweak_valid = 1'b0;
    assign first_in_valid    = out_valid;
    assign first_in          = swap_bytes(out);
    assign unused_apart      = ^{shared_first_valid, front_tweak_ready};
  end

  // There are as many places as sectors, so it is never full.
  aes_engine_fifo #(
    .Depth (Sectors),
    .Width (128),
    .Spaced(1'b1)
  ) u_first (
    .clk_i,
    .rst_ni,
    .valid_i(first_in_valid),
    .ready_o(unused_first_ready),
    .data_i (first_in),
    .valid_o(first_valid),
    .ready_i(first_ready),
    .data_o (first)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Data
  ///////////////////////////////////////////////////////////////////////////

  aes_engine_xts_front #(
    .Cbc       (Cbc),
    .Decrypts  (Decrypts),
    .Stored    (Stored),
    .Shared    (Shared && !Cbc),
    .Spaced    (Spaced),
    .Far       (Far),
    .KeyWidth  (KeyWidth),
    .NumPlaces (Places),
    .LengthBits(LengthBits)
  ) u_front (
    .clk_i,
    .rst_ni,
    .beat_valid_i  (beat_valid),
    .beat_take_o   (beat_take),
    .beat_data_i   (beat_data),
    .beat_shape_i  (beat_shape),
    .sector_valid_i(sector_valid),
    .sector_ready_o(sector_ready),
    .sector_key_i  (next_key),
    .sector_info_i (next_info),
    .first_valid_i (first_valid),
    .first_ready_o (first_ready),
    .first_i       (first),
    .tweak_valid_i (front_tweak_valid),
    .tweak_ready_o (front_tweak_ready),
    .tweak_key_i   (tweak_key),
    .tweak_block_i (tweak_block),
    .key_valid_o   (key_valid),
    .key_ready_i   (key_ready),
    .key_o         (key),
    .core_valid_o  (core_valid),
    .core_ready_i  (core_ready),
    .core_block_o  (core_block),
    .core_decrypt_o(core_decrypt),
    .core_key_o    (core_key),
    .item_valid_o  (item_in_valid),
    .item_o        (item_in),
    .freed_i       (freed),
    .steal_valid_i (steal_valid),
    .steal_i       (steal)
  );

  aes_engine_core #(
    .Cfg(Cfg),
    .Far(Far)
  ) u_core (
    .clk_i,
    .rst_ni,
    .key_valid_i (key_valid),
    .key_ready_o (key_ready),
    .key_i       (key_port(key)),
    .key_len_i   (KeyLen),
    .in_valid_i  (core_valid),
    .in_ready_o  (core_ready),
    .in_block_i  (core_block),
    .in_decrypt_i(core_decrypt),
    .in_key_i    (key_port(core_key)),
    .out_valid_o (core_out_valid),
    .out_block_o (core_out)
  );

  result_t result;
  logic result_valid;

  if (Far) begin : gen_far
    // An item meets its block in a clock that is known, and nothing waits behind.
    logic there, unused_out, unused_block;
    event_t event_in, event_out;

    assign event_in = '{
            text: item_in_valid & (item_in.kind == ItemText),
            tweak: item_in_valid & (item_in.kind == ItemTweak),
            steal: item_in_valid & (item_in.kind == ItemSteal),
            stolen: item_in_valid & (item_in.kind == ItemStolen),
            failed: item_in_valid & (item_in.kind == ItemError),
            last: item_in.last,
            len: item_in.len,
            tweak_data: item_in.tweak
        };

    aes_engine_delay #(
      .Clocks(latency(Cfg, KeyLen) + far_clocks(Cfg)),
      .Width ($bits(event_t))
    ) u_delay (
      .clk_i,
      .rst_ni,
      .data_i (event_in),
      .there_o(there),
      .data_o (event_out)
    );

    aes_engine_xts_back_far #(
      .Results(Places)
    ) u_back (
      .clk_i,
      .rst_ni,
      .there_i      (there),
      .event_i      (event_out),
      .block_i      (core_out),
      .freed_o      (freed),
      .first_valid_o(shared_first_valid),
      .steal_valid_o(steal_valid),
      .steal_o      (steal),
      .m_valid_o    (result_valid),
      .m_ready_i    (m_data_tready_i),
      .m_data_o     (result.data),
      .m_len_o      (result.len),
      .m_none_o     (result.none),
      .m_user_o     (result.user)
    );
    assign block        = core_out;
    assign unused_out   = core_out_valid;
    assign unused_block = ^block;

  end else begin : gen_near
    logic item_valid, item_ready, block_valid, block_ready, freed_q;
    logic unused_item_ready, unused_block_ready;
    item_t item;

    aes_engine_fifo #(
      .Depth (Places),
      .Width (128),
      .Block (Spaced),
      .Spaced(Spaced)
    ) u_blocks (
      .clk_i,
      .rst_ni,
      .valid_i(core_out_valid),
      .ready_o(unused_block_ready),
      .data_i (core_out),
      .valid_o(block_valid),
      .ready_i(block_ready),
      .data_o (block)
    );

    aes_engine_fifo #(
      .Depth (Places),
      .Width ($bits(item_t)),
      .Block (Spaced),
      .Spaced(Spaced)
    ) u_items (
      .clk_i,
      .rst_ni,
      .valid_i(item_in_valid),
      .ready_o(unused_item_ready),
      .data_i (item_in),
      .valid_o(item_valid),
      .ready_i(item_ready),
      .data_o (item)
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) freed_q <= 1'b0;
      else freed_q <= item_ready;
    end
    assign freed = freed_q;

    aes_engine_xts_back #(
      .Spaced(Spaced)
    ) u_back (
      .clk_i,
      .rst_ni,
      .item_valid_i (item_valid),
      .item_ready_o (item_ready),
      .item_i       (item),
      .block_valid_i(block_valid),
      .block_ready_o(block_ready),
      .block_i      (block),
      .first_valid_o(shared_first_valid),
      .steal_valid_o(steal_valid),
      .steal_o      (steal),
      .m_valid_o    (result_valid),
      .m_ready_i    (m_data_tready_i),
      .m_data_o     (result.data),
      .m_len_o      (result.len),
      .m_none_o     (result.none),
      .m_user_o     (result.user)
    );
  end

  assign m_data_tvalid_o = result_valid;
  assign m_data_tdata_o  = swap_bytes(result.data);
  assign m_data_tkeep_o  = result.none ? '0 : keep_of(result.len);
  assign m_data_tlast_o  = result.user.last;
  assign m_data_tuser_o  = result.user;

endmodule
