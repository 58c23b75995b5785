// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The back of a packet engine: items in their order, key stream, GHASH, results.
//
//   item -------+---(+)-----------------------------|R|-- m_data
//               |    ^                               ^
//   key stream -+----+--(+)--[ GHASH ]--+-- tag -----+
//   lengths ----------------^           +-- J0 to the front
//
// A packet is a head, which brings H, and beats; after the last one come the lengths, and with
// decryption the tag is still at the head of the queue then. An item that is text waits for its key
// stream and for a free place at the output. The key stream of J0 goes through GHASH as the last
// block, which is added and not multiplied: so the sum is the tag. With decryption the tag of the
// packet is added too, and the sum is the difference, of which all bits are looked at in one clock;
// the right tag is in no register of the output. The next packet goes on meanwhile.
//
// With Spaced an item is looked at in one clock, it is decided in the next one, and done in a third. So
// what moves 128 bits begins at a register. What was decided on stays as it is: nobody else takes an
// item, key stream or sum, and a free output stays free.

module aes_engine_back
  import aes_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter bit          Gcm        = 1'b1,
  parameter int unsigned Digit      = 8,     // of GHASH, bits a clock
  parameter int unsigned LengthBits = 32,    // AAD has 2^LengthBits - 1 full blocks at most
  parameter bit          Spaced     = 1'b0   // an item each three clocks is enough
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
    StIvSum,     // its sum is asked for
    StJ0,        // J0 is the sum
    StLength,    // the lengths of AAD and text to GHASH
    StTag,       // the key stream of J0 to GHASH
    StEnd        // CTR: the last beat
  } state_e;

  state_e state_q, state_d;

  logic gcm_q, decrypt_q, last_q;
  logic [3:0] tag_len_q;
  logic head, iv, aad, text, tag, failed;
  logic key_ready, hash_ready, sum_valid, sum_is_tag, owed, counts_aad, out_free;
  logic [127:0] sum;

  // Of the packet whose tag is the sum.
  logic [3:0] result_len;
  logic result_error, result_decrypt, result_long;
  error_e result_code;

  ///////////////////////////////////////////////////////////////////////////
  // What there is
  ///////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic head;
    logic hash;
    logic text;
    logic error;
    logic iv_length;
    logic iv_sum;
    logic j0;
    logic opens;  // the count of AAD is over, that of text begins
    logic lengths;
    logic tag;
    logic last;  // CTR: the last beat
    logic result;
  } step_t;

  step_t can, act;
  logic gives_now;

  // With Spaced by registers, in the clock after an item came.
  item_is_t is;
  logic item_seen, sum_seen;
  logic [15:0] item_keep, end_keep;  // bytes of the item, and of the tag that is due

  if (Spaced) begin : gen_look_first
    item_is_t is_q;
    logic [15:0] item_keep_q, end_keep_q;
    logic item_q, sum_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        item_q <= 1'b0;
        sum_q  <= 1'b0;
      end else begin
        item_q <= item_valid_i & ~item_ready_o;
        sum_q  <= sum_valid;
      end
    end
    always_ff @(posedge clk_i) begin
      is_q        <= is_of(item_i.kind);
      item_keep_q <= keep_of(item_i.len);
      end_keep_q  <= keep_of(result_len);
    end
    assign is        = is_q;
    assign item_keep = item_keep_q;
    assign end_keep  = end_keep_q;
    assign item_seen = item_q;
    // All bits of a difference are looked at first.
    assign sum_seen  = sum_valid & (sum_q | ~result_decrypt);
  end else begin : gen_look_now
    assign is        = is_of(item_i.kind);
    assign item_keep = keep_of(item_i.len);
    assign end_keep  = keep_of(result_len);
    assign item_seen = item_valid_i;
    assign sum_seen  = sum_valid;
  end

  assign head   = is.head;
  assign iv     = is.iv;
  assign aad    = is.aad;
  assign text   = is.text;
  assign tag    = is.tag;
  assign failed = is.failed;

  ///////////////////////////////////////////////////////////////////////////
  // What is done in this clock
  ///////////////////////////////////////////////////////////////////////////

  logic in_packet, acting, ends, gives;

  assign in_packet     = item_seen & (state_q == StBody) & ~acting;
  assign ends          = (state_q == StEnd) & out_free & ~owed & ~acting;
  // Also in the clock in which the packet before ends.
  assign can.head      = item_seen & head & key_ready & ~acting & ((state_q == StHead) | ends);
  assign can.hash      = in_packet & (iv | aad) & hash_ready;
  assign can.text      = in_packet & text & hash_ready & stream_valid_i & out_free & ~owed &
      ~counts_aad;
  assign can.error     = item_seen & failed & out_free & ~owed & ~acting &
      ((state_q == StHead) | (state_q == StBody));
  assign can.iv_length = (state_q == StIvLength) & hash_ready & ~acting;
  assign can.iv_sum    = (state_q == StIvSum) & hash_ready & ~acting;
  assign can.j0        = (state_q == StJ0) & sum_seen & ~owed & ~acting;
  assign can.opens     = counts_aad & (((state_q == StLength) & ~acting) | (in_packet & text));
  assign can.lengths   = (state_q == StLength) & hash_ready & ~counts_aad & ~acting;
  assign can.tag       = (state_q == StTag) & hash_ready & stream_valid_i & ~acting;
  assign can.last      = ends;
  assign can.result    = sum_is_tag & out_free & ~acting;
  assign gives         = can.text | can.error | can.last | can.result;

  // What leaves with a step.
  logic takes_item, takes_stream;
  assign takes_item   = can.head | can.hash | can.text | can.error | (can.tag & decrypt_q);
  assign takes_stream = can.text | can.tag;

  if (Spaced) begin : gen_act_later
    step_t act_q;
    logic gives_q, acting_q, takes_item_q, takes_stream_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        act_q          <= '0;
        gives_q        <= 1'b0;
        acting_q       <= 1'b0;
        takes_item_q   <= 1'b0;
        takes_stream_q <= 1'b0;
      end else begin
        act_q          <= can;
        gives_q        <= gives;
        acting_q       <= can != '0;
        takes_item_q   <= takes_item;
        takes_stream_q <= takes_stream;
      end
    end
    assign act            = act_q;
    assign acting         = acting_q;
    assign gives_now      = gives_q;
    assign item_ready_o   = takes_item_q;
    assign stream_ready_o = takes_stream_q;
  end else begin : gen_act_now
    assign act            = can;
    assign acting         = 1'b0;
    assign gives_now      = gives & out_free;
    assign item_ready_o   = takes_item;
    assign stream_ready_o = takes_stream;
  end

  always_comb begin
    state_d = state_q;
    case (state_q)
      StBody: begin
        if (act.hash && iv && item_i.flag) state_d = StIvLength;
        else if ((act.hash || act.text) && item_i.last) state_d = gcm_q ? StLength : StEnd;
        else if (in_packet && tag) state_d = StLength;
        else if (act.error) state_d = StHead;
      end
      StIvLength: if (act.iv_length) state_d = StIvSum;
      StIvSum:    if (act.iv_sum) state_d = StJ0;
      StJ0:       if (act.j0) state_d = last_q ? StLength : StBody;
      StLength:   if (act.lengths) state_d = StTag;
      StTag:      if (act.tag) state_d = StHead;
      StEnd:      if (act.last) state_d = StHead;
      default:    state_d = StHead;
    endcase
    if (act.head && item_i.last) state_d = item_i.gcm ? StLength : StEnd;
    else if (act.head) state_d = StBody;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StHead;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (act.head) begin
      gcm_q     <= item_i.gcm & Gcm;
      decrypt_q <= item_i.flag & item_i.gcm & Gcm;
      tag_len_q <= item_i.len;
    end
    if (act.hash) last_q <= item_i.last;
  end

  ///////////////////////////////////////////////////////////////////////////
  // GHASH
  ///////////////////////////////////////////////////////////////////////////

  // What a block for GHASH is the sum of, and its bytes that count.
  typedef struct packed {
    logic        data;
    logic        stream;
    logic        lengths;
    logic [15:0] keep;
  } hash_t;

  if (Gcm) begin : gen_hash
    // Blocks, and bytes beyond them, of what is counted: an IV, AAD, then text. The counter is that of
    // the text after act.opens, which goes before its first beat.
    logic [LengthBits:0] blocks_q, aad_blocks_q;
    logic [3:0] bytes_q, aad_bytes_q, end_len_q;
    logic [63:0] bits, aad_bits;
    logic full, counts_aad_q, owed_q, too_long_q, hash_valid, end_long_q, end_decrypt_q, any_wrong;
    logic [127:0] hash_block;
    logic [15:0] wrong;
    hash_t hash, hash_now;

    assign full     = item_i.len == 4'd15;
    assign bits     = 64'({blocks_q, bytes_q, 3'd0});
    assign aad_bits = 64'({aad_blocks_q, aad_bytes_q, 3'd0});
    assign counts_aad = counts_aad_q;

    always_ff @(posedge clk_i) begin
      if (act.head || act.j0 || act.opens) begin
        blocks_q <= '0;
        bytes_q  <= '0;
      end else if (act.hash || act.text) begin
        if (full) blocks_q <= blocks_q + 1'b1;
        else bytes_q <= item_i.len + 4'd1;
      end
      if (act.head) begin
        aad_blocks_q <= '0;
        aad_bytes_q  <= '0;
      end else if (act.opens) begin
        aad_blocks_q <= blocks_q;
        aad_bytes_q  <= bytes_q;
      end
      if (act.head) too_long_q <= 1'b0;
      else too_long_q <= too_long_q | (counts_aad_q & blocks_q[LengthBits]);
      if (act.head || act.opens) counts_aad_q <= 1'b0;
      else if (act.hash && aad) counts_aad_q <= 1'b1;
    end

    assign hash_valid  = act.hash | (act.text & gcm_q) | act.iv_length | act.iv_sum | act.lengths |
        act.tag;
    // The tag of the packet; nothing with encryption.
    assign hash.data    = (state_q == StBody) | ((state_q == StTag) & decrypt_q);
    // Of an IV too: there is no AAD yet.
    assign hash.lengths = (state_q == StLength) | (state_q == StIvLength);
    assign hash.stream  = ((state_q == StBody) & text & ~decrypt_q) | (state_q == StTag);
    // Of a tag those that do not count are not looked at.
    assign hash.keep    = (state_q == StBody) ? item_keep : '1;

    if (Spaced) begin : gen_hash_later
      hash_t hash_q;
      always_ff @(posedge clk_i) hash_q <= hash;
      assign hash_now = hash_q;
    end else begin : gen_hash_now
      assign hash_now = hash;
    end

    assign hash_block = (item_i.data & {128{hash_now.data}}) ^
        (stream_i & {128{hash_now.stream}}) ^ ({aad_bits, bits} & {128{hash_now.lengths}});

    aes_engine_ghash #(
      .Digit(Digit)
    ) u_ghash (
      .clk_i,
      .rst_ni,
      // Its registers take the key in the clock in which the item leaves.
      .key_valid_i  (can.head),
      .key_ready_o  (key_ready),
      .key_i        (item_i.data),
      .valid_i      (hash_valid),
      .ready_o      (hash_ready),
      .add_i        (act.tag | act.iv_sum),
      .keep_i       (hash_now.keep),
      .block_i      (hash_block),
      .added_valid_o(sum_valid),
      .added_ready_i(act.j0 | act.result),
      .added_o      (sum)
    );

    // A tag is asked for that has not left, and of which packet.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) owed_q <= 1'b0;
      else owed_q <= act.tag | (owed_q & ~act.result);
    end
    always_ff @(posedge clk_i) begin
      if (act.tag) begin
        end_len_q     <= tag_len_q;
        end_decrypt_q <= decrypt_q;
        end_long_q    <= too_long_q;
      end
    end
    assign owed           = owed_q;
    assign sum_is_tag     = sum_seen & owed_q;
    assign result_len     = end_len_q;
    assign result_decrypt = end_decrypt_q;
    assign result_long    = end_long_q;

    always_comb begin
      for (int unsigned n = 0; n < 16; n++) begin
        wrong[n] = (4'(n) <= end_len_q) & (sum[8*(15-n)+:8] != '0);
      end
    end
    if (Spaced) begin : gen_judge_bytes_first
      // In the clock in which the sum is given, two after it came.
      logic [15:0] wrong_q;
      logic any_wrong_q;
      always_ff @(posedge clk_i) begin
        wrong_q     <= wrong;
        any_wrong_q <= wrong_q != '0;
      end
      assign any_wrong = any_wrong_q;
    end else begin : gen_judge_now
      assign any_wrong = wrong != '0;
    end
    assign result_error = end_long_q | (end_decrypt_q & any_wrong);
    assign result_code = end_long_q ? ErrLength : ErrTag;
  end else begin : gen_no_hash
    assign key_ready      = 1'b1;
    assign hash_ready     = 1'b1;
    assign sum_valid      = 1'b0;
    assign sum            = '0;
    assign sum_is_tag     = 1'b0;
    assign owed           = 1'b0;
    assign counts_aad     = 1'b0;
    assign result_len     = 4'd15;
    assign result_decrypt = 1'b0;
    assign result_long    = 1'b0;
    assign result_error   = 1'b0;
    assign result_code    = ErrNone;

    logic unused_hash;
    assign unused_hash = ^{
      32'(Digit), tag_len_q, act.lengths, act.iv_length, act.iv_sum, act.opens
    };
  end

  assign j0_valid_o = act.j0;
  assign j0_o       = sum;

  ///////////////////////////////////////////////////////////////////////////
  // Output
  ///////////////////////////////////////////////////////////////////////////

  logic [127:0] m_data_d;
  logic [15:0] m_keep, keep_now;
  logic gives_tag, gives_sum, load, shows;

  assign out_free  = ~m_valid_o | m_ready_i;
  assign gives_tag = ~result_decrypt & ~result_long;
  assign gives_sum = Spaced ? act.result : sum_is_tag;
  assign load      = Spaced ? gives_now : out_free;
  assign m_data_d  = gives_sum ? sum : item_i.data ^ stream_i;

  // While nothing is given the output is zero, or with Spaced what it was: no key stream by itself,
  // and no data without it.
  assign shows = Spaced | (item_valid_i & stream_valid_i);

  always_comb begin
    if (sum_is_tag) m_keep = end_keep & {16{gives_tag}};
    else m_keep = item_keep & {16{(state_q == StBody) & text & shows}};
  end

  if (Spaced) begin : gen_keep_later
    logic [15:0] keep_q;
    always_ff @(posedge clk_i) keep_q <= m_keep;
    assign keep_now = keep_q;
  end else begin : gen_keep_now
    assign keep_now = m_keep;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) m_valid_o <= 1'b0;
    else m_valid_o <= gives_now | (m_valid_o & ~m_ready_i);
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      for (int unsigned n = 0; n < 16; n++) begin
        if (!keep_now[n]) m_data_o[8*(15-n)+:8] <= '0;
        else m_data_o[8*(15-n)+:8] <= m_data_d[8*(15-n)+:8];
      end
      m_len_o        <= 4'd15;
      m_user_o.last  <= ~act.text;
      m_user_o.ok    <= act.last;
      m_user_o.error <= ErrNone;
      m_hold_o       <= gives_sum ? result_decrypt : decrypt_q;
      if (act.text) m_len_o <= item_i.len;
      if (act.error) m_user_o.error <= item_i.len;
      if (act.result) begin
        if (gives_tag) m_len_o <= result_len;
        m_user_o.ok <= ~result_error;
        if (result_error) m_user_o.error <= result_code;
      end
    end
  end

endmodule
