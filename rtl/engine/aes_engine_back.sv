// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The back of a packet engine: items in their order, key stream, GHASH, results.
//
//   item ---+----(+)--[ bytes that count ]--+--|R|-- m_data
//           |     ^                         |
//   key stream ---+                         +--[ ciphertext, AAD, IV, lengths ]--[ GHASH ]--+
//   J0 to the front  <----------------------------------------------------------------------+
//   the tag, with the key stream of J0, or whether that of the packet is it  <--------------+
//
// A packet is a head, which brings H, and beats; after the last one come the lengths, and with
// decryption the tag is still at the head of the queue then. An item that is text waits for its key
// stream and for a free place at the output. Tags are compared in one clock, all bits of them; where
// the packet is decrypted the right one never leaves.

module aes_engine_back
  import aes_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter bit          Gcm        = 1'b1,
  parameter int unsigned Digit      = 8,    // of GHASH, bits a clock
  parameter int unsigned LengthBits = 32    // AAD has 2^LengthBits - 1 full blocks at most
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         item_valid_i,
  output logic         item_ready_o,
  input  item_t        item_i,
  input  logic         stream_valid_i,
  output logic         stream_ready_o,
  input  block_t       stream_i,
  output logic         j0_valid_o,
  output logic [127:0] j0_o,

  output logic         m_valid_o,
  input  logic         m_ready_i,
  output logic [127:0] m_data_o,   // byte 0 at the top
  output logic [3:0]   m_len_o,
  output result_user_t m_user_o,
  output logic         m_hold_o    // the packet must not be seen before its last beat
);

  typedef enum logic [2:0] {
    StHead,
    StBody,
    StIvLength,  // the lengths of an IV to GHASH
    StJ0,        // J0 is the sum
    StLength,    // the lengths of AAD and text to GHASH
    StTag
  } state_e;

  state_e state_q, state_d;

  logic gcm_q, decrypt_q, last_q;
  logic [3:0] tag_len_q;
  logic head, iv, aad, text, tag, failed;
  logic hash_ready, hash_valid, hash_clear, out_free, out_valid;
  logic [127:0] sum, masked, mixed, hash_block, result;

  assign head   = item_i.kind == ItemHead;
  assign iv     = item_i.kind == ItemIv;
  assign aad    = item_i.kind == ItemAad;
  assign text   = item_i.kind == ItemText;
  assign tag    = item_i.kind == ItemTag;
  assign failed = item_i.kind == ItemError;

  ///////////////////////////////////////////////////////////////////////////
  // What is done in this clock
  ///////////////////////////////////////////////////////////////////////////

  logic do_head, do_hash, do_text, do_error, do_iv_length, do_j0, do_length, do_tag;
  logic in_packet;

  assign in_packet    = item_valid_i & (state_q == StBody);
  // Also in the clock of the tag before, unless this one takes an item itself.
  assign do_head      = item_valid_i & head & hash_ready & ((state_q == StHead) | do_tag);
  assign do_hash      = in_packet & (iv | aad) & hash_ready;
  assign do_text      = in_packet & text & hash_ready & stream_valid_i & out_free;
  assign do_error     = item_valid_i & failed & out_free & (state_q inside {StHead, StBody});
  assign do_iv_length = (state_q == StIvLength) & hash_ready;
  assign do_j0        = (state_q == StJ0) & hash_ready;
  assign do_length    = (state_q == StLength) & hash_ready;
  assign do_tag       = (state_q == StTag) & hash_ready & out_free & (~gcm_q | stream_valid_i);

  assign item_ready_o   = do_head | do_hash | do_text | do_error | (do_tag & gcm_q & decrypt_q);
  assign stream_ready_o = do_text | (do_tag & gcm_q);
  assign out_valid      = do_text | do_error | do_tag;

  always_comb begin
    state_d = state_q;
    case (state_q)
      StBody: begin
        if (do_hash && iv && item_i.flag) state_d = StIvLength;
        else if ((do_hash || do_text) && item_i.last) state_d = gcm_q ? StLength : StTag;
        else if (in_packet && tag) state_d = StLength;
        else if (do_error) state_d = StHead;
      end
      StIvLength: if (do_iv_length) state_d = StJ0;
      StJ0:       if (do_j0) state_d = last_q ? StLength : StBody;
      StLength:   if (do_length) state_d = StTag;
      StTag:      if (do_tag) state_d = StHead;
      default:    state_d = StHead;
    endcase
    if (do_head && item_i.last) state_d = item_i.gcm ? StLength : StTag;
    else if (do_head) state_d = StBody;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StHead;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (do_head) begin
      gcm_q     <= item_i.gcm & Gcm;
      decrypt_q <= item_i.flag;
      tag_len_q <= item_i.len;
    end
    if (do_hash) last_q <= item_i.last;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  result_user_t m_user_d;
  logic [3:0] m_len_d;
  logic [127:0] bytes;

  assign bytes  = bytes_mask(item_i.len);
  assign masked = item_i.data & bytes;
  assign mixed  = (item_i.data ^ stream_i) & bytes;

  if (Gcm) begin : gen_hash
    // Lengths in blocks and bytes beyond them; AAD also counts the IV, before.
    logic [LengthBits:0] aad_blocks_q, text_blocks_q;
    logic [3:0] aad_bytes_q, text_bytes_q;
    logic [63:0] aad_bits, text_bits;
    logic full;
    logic [127:0] difference;
    logic tag_right, too_long, gives_tag;

    assign full      = item_i.len == 4'd15;
    assign aad_bits  = 64'({aad_blocks_q, aad_bytes_q, 3'd0});
    assign text_bits = 64'({text_blocks_q, text_bytes_q, 3'd0});

    always_ff @(posedge clk_i) begin
      if (do_head || do_j0) begin
        aad_blocks_q  <= '0;
        aad_bytes_q   <= '0;
        text_blocks_q <= '0;
        text_bytes_q  <= '0;
      end else begin
        if (do_hash && full) begin
          // The highest bit stays: too many.
          aad_blocks_q <= {
            aad_blocks_q[LengthBits] | (&aad_blocks_q[LengthBits-1:0]),
            aad_blocks_q[LengthBits-1:0] + 1'b1
          };
        end else if (do_hash) begin
          aad_bytes_q <= item_i.len + 4'd1;
        end
        if (do_text && full) text_blocks_q <= text_blocks_q + 1'b1;
        else if (do_text) text_bytes_q <= item_i.len + 4'd1;
      end
    end

    always_comb begin
      if (do_iv_length) hash_block = {64'd0, aad_bits};
      else if (do_length) hash_block = {aad_bits, text_bits};
      else if (do_text && !decrypt_q) hash_block = mixed;
      else hash_block = masked;
    end

    assign hash_valid = do_hash | (do_text & gcm_q) | do_iv_length | do_length;
    assign hash_clear = do_j0;

    aes_engine_ghash #(
      .Digit(Digit)
    ) u_ghash (
      .clk_i,
      .rst_ni,
      .key_valid_i(do_head),
      .key_i      (item_i.data),
      .clear_i    (hash_clear),
      .valid_i    (hash_valid),
      .ready_o    (hash_ready),
      .block_i    (hash_block),
      .sum_o      (sum)
    );

    assign too_long   = aad_blocks_q[LengthBits];
    assign difference = (sum ^ stream_i ^ item_i.data) & bytes_mask(tag_len_q);
    assign tag_right  = difference == '0;
    assign gives_tag  = gcm_q & ~decrypt_q & ~too_long;

    always_comb begin
      result   = mixed;
      m_user_d = '0;
      m_len_d  = item_i.len;
      if (do_error) begin
        result         = '0;
        m_len_d        = 4'd15;
        m_user_d.last  = 1'b1;
        m_user_d.error = item_i.len;
      end else if (do_tag) begin
        result        = (sum ^ stream_i) & bytes_mask(tag_len_q) & {128{gives_tag}};
        m_len_d       = gives_tag ? tag_len_q : 4'd15;
        m_user_d.last = 1'b1;
        if (gcm_q && too_long) m_user_d.error = ErrLength;
        else if (gcm_q && decrypt_q && !tag_right) m_user_d.error = ErrTag;
        else m_user_d.ok = 1'b1;
      end
    end
  end else begin : gen_no_hash
    assign hash_ready = 1'b1;
    assign sum        = '0;

    always_comb begin
      result   = mixed;
      m_user_d = '0;
      m_len_d  = item_i.len;
      if (do_error || do_tag) begin
        result         = '0;
        m_len_d        = 4'd15;
        m_user_d.last  = 1'b1;
        m_user_d.ok    = do_tag;
        m_user_d.error = do_error ? item_i.len : ErrNone;
      end
    end

    logic unused_hash;
    assign unused_hash = ^{hash_valid, hash_clear, hash_block, masked, tag_len_q, do_length};
    assign hash_valid  = 1'b0;
    assign hash_clear  = 1'b0;
    assign hash_block  = '0;
  end

  assign j0_valid_o = do_j0;
  assign j0_o       = sum;

  ///////////////////////////////////////////////////////////////////////////
  // Output
  ///////////////////////////////////////////////////////////////////////////

  assign out_free = ~m_valid_o | m_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) m_valid_o <= 1'b0;
    else if (out_free) m_valid_o <= out_valid;
  end

  always_ff @(posedge clk_i) begin
    if (out_valid) begin
      m_data_o <= result;
      m_len_o  <= m_len_d;
      m_user_o <= m_user_d;
      m_hold_o <= gcm_q & decrypt_q;
    end
  end

endmodule
