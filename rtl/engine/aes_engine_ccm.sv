// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A CCM engine (SP 800-38C): packets with AAD and a tag around any core that encrypts. One core makes
// the chain of the tag and the key stream, in turns; there is no GHASH.
//
//   s_key  --[ keys ]--+-- key --------------------------+
//   s_desc --+---------+                                 |
//            +--[ packet ]--+--[ control ]--[ |R| ]--[ core, never stalls ]--+-- chain, key stream
//   s_data --[ intake ]-----+       ^                                        |
//                                   +----------------------------------------+
//                                   +--[ release ]-- m_data
//
// Each descriptor (s_desc) is a packet, whose beats of AAD and text come on s_data; its text and one
// last beat, the tag, leave on m_data. All streams are AXI4-Stream (ARM IHI 0051), byte 0 in the lowest
// lane; aes_engine_ccm_pkg and aes_engine_pkg have the fields. A block of text takes two blocks of the
// core, one of AAD takes one, and a packet two more: the first block of the chain, and that of the tag.
//
// Cost beside core and key slots: 4 x 128 flip-flops for chain, key stream, block of the core and
// result, 128 for beats.

module aes_engine_ccm
  import aes_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter cfg_t        Cfg          = DefaultCfg,
  parameter int unsigned NumSlots     = 64,         // keys, a power of two up to 128
  parameter int unsigned ReleaseDepth = 0           // beats of text that wait for a tag; 0: none
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               s_key_tvalid_i,
  output logic                               s_key_tready_o,
  input  logic [key_width(Cfg.key_size)-1:0] s_key_tdata_i,
  input  logic [11:0]                        s_key_tuser_i,   // {clear all, clear, 0, 0, slot}
  input  logic                               s_desc_tvalid_i,
  output logic                               s_desc_tready_o,
  input  logic [191:0]                       s_desc_tdata_i,  // aes_engine_ccm_pkg::desc_t
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

  localparam int unsigned KeyWidth = key_width(Cfg.key_size);
  localparam logic [1:0] KeyLen = max_key_len(Cfg.key_size);
  localparam bit Stored = Cfg.key_sched != KeysOnTheFly;

  if (Cfg.dir == DirDecrypt) begin : gen_illegal_direction
    $fatal(1, "aes_engine_ccm: CCM encrypts blocks in both directions of a packet");
  end
  if (Cfg.clear || Cfg.hardened) begin : gen_illegal_guard
    $fatal(1, "aes_engine_ccm: faults of a core and its clearing are not told further");
  end
  if (Cfg.key_sbox == SboxNone) begin : gen_illegal_round_keys
    $fatal(1, "aes_engine_ccm: the core must make its round keys itself");
  end
  if (Cfg.key_size == KeySizeAny) begin : gen_illegal_size
    $fatal(1, "aes_engine_ccm: keys have one size");
  end
  if (NumSlots < 2 || NumSlots > 128 || 2 ** $clog2(NumSlots) != NumSlots) begin : gen_illegal_slots
    $fatal(1, "aes_engine_ccm: NumSlots must be a power of two from 2 to 128");
  end

  aes_engine_ccm_pkg::desc_t desc;
  aes_engine_streams_pkg::desc_t key_desc;
  aes_engine_xts_pkg::info_t info;
  logic ready, packet_valid, packet_ready, beat_free, beat_valid, beat_ready;
  logic [KeyWidth-1:0] key;
  beat_t beat;
  logic key_valid, key_ready, core_valid, core_ready, core_out_valid;
  block_t core_block, core_out;
  logic out_valid, out_ready, out_hold;
  logic [127:0] out_data;
  logic [3:0] out_len;
  result_user_t out_user;
  logic unused_tweak_valid;
  logic [KeyWidth-1:0] unused_tweak_key;
  logic [127:0] unused_tweak_block;
  aes_engine_pkg::beat_is_t unused_kind;
  logic [15:0] unused_keep;

  assign desc = s_desc_tdata_i;

  // The slots know the modes of streams: theirs is the one with a key of its own.
  always_comb begin
    key_desc         = '0;
    key_desc.slot    = desc.slot;
    key_desc.decrypt = desc.decrypt;
    if (desc.mode == aes_engine_ccm_pkg::ModeCcm) key_desc.mode = aes_engine_streams_pkg::ModeCbc;
  end

  aes_engine_xts_keys #(
    .Cbc     (1'b1),
    .Encrypts(1'b1),
    .Decrypts(1'b1),
    .Stored  (Stored),
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
    .s_desc_tdata_i(key_desc),
    .tweak_valid_o (unused_tweak_valid),
    .tweak_ready_i (1'b0),
    .tweak_key_o   (unused_tweak_key),
    .tweak_block_o (unused_tweak_block),
    .sector_valid_o(packet_valid),
    .sector_ready_i(packet_ready),
    .sector_key_o  (key),
    .sector_info_o (info)
  );

  assign s_data_tready_o = beat_free & ready;

  aes_engine_intake #(
    .Spaced(1'b1)
  ) u_intake (
    .clk_i,
    .rst_ni,
    .s_data_tvalid_i(s_data_tvalid_i & ready),
    .s_data_tready_o(beat_free),
    .s_data_tdata_i,
    .s_data_tkeep_i,
    .s_data_tlast_i,
    .s_data_tuser_i (beat_e'(s_data_tuser_i)),
    .beat_valid_o   (beat_valid),
    .beat_ready_i   (beat_ready),
    .beat_o         (beat),
    .keep_o         (unused_keep),
    .tag_end_i      ('0),
    .is_o           (unused_kind)
  );

  aes_engine_ccm_control #(
    .Stored(Stored)
  ) u_control (
    .clk_i,
    .rst_ni,
    .packet_valid_i(packet_valid),
    .packet_ready_o(packet_ready),
    .desc_i        (desc),
    .load_i        (info.load),
    .error_i       (info.error),
    .beat_valid_i  (beat_valid),
    .beat_ready_o  (beat_ready),
    .beat_i        (beat),
    .key_valid_o   (key_valid),
    .key_ready_i   (key_ready),
    .core_valid_o  (core_valid),
    .core_ready_i  (core_ready),
    .core_block_o  (core_block),
    .core_valid_i  (core_out_valid),
    .core_block_i  (core_out),
    .m_valid_o     (out_valid),
    .m_ready_i     (out_ready),
    .m_data_o      (out_data),
    .m_len_o       (out_len),
    .m_user_o      (out_user),
    .m_hold_o      (out_hold)
  );

  aes_engine_core #(
    .Cfg(Cfg)
  ) u_core (
    .clk_i,
    .rst_ni,
    .key_valid_i (key_valid),
    .key_ready_o (key_ready),
    .key_i       (256'(key) << (256 - KeyWidth)),
    .key_len_i   (KeyLen),
    .in_valid_i  (core_valid),
    .in_ready_o  (core_ready),
    .in_block_i  (core_block),
    .in_decrypt_i(1'b0),
    .in_key_i    (256'(key) << (256 - KeyWidth)),
    .out_valid_o (core_out_valid),
    .out_block_o (core_out)
  );

  aes_engine_output #(
    .Depth(ReleaseDepth)
  ) u_output (
    .clk_i,
    .rst_ni,
    .valid_i(out_valid),
    .ready_o(out_ready),
    .data_i (out_data),
    .len_i  (out_len),
    .user_i (out_user),
    .hold_i (out_hold),
    .m_data_tvalid_o,
    .m_data_tready_i,
    .m_data_tdata_o,
    .m_data_tkeep_o,
    .m_data_tlast_o,
    .m_data_tuser_o
  );

  logic unused;
  assign unused = ^{
    info.decrypt, unused_tweak_valid, unused_tweak_key, unused_tweak_block, unused_kind
  };

endmodule
