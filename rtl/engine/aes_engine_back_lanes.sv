// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The back of a packet engine that takes a block each clock:
//
//   item -------+---(+)--[ results ]--(+ sum)--|R|--[ parts ]--|R|--[ right? ]--|R|-- m_data
//               |    ^                  ^
//   key stream -+----+                  |
//               +--[ lanes of GHASH ]--[ sums ]-- J0 to the front
//
// A packet is a head, which brings its slot, and beats. Text goes to the results as it is; behind it
// goes the key stream of J0, in the clock in which the lengths go to GHASH and the next head is taken.
// There it waits for the sum of its packet, while GHASH and results take the packets behind. With
// decryption the tag of the packet is added, so that a sum which is not zero is wrong.

module aes_engine_back_lanes
  import aes_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter  int unsigned NumSlots   = 64,
  parameter  int unsigned LengthBits = 32,  // AAD has 2^LengthBits - 1 full blocks at most
  localparam int unsigned SlotBits   = $clog2(NumSlots)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                key_valid_i,    // as of aes_engine_lanes
  input  logic                key_zero_i,
  input  logic [SlotBits-1:0] key_slot_i,
  input  logic [127:0]        key_i,
  output logic                key_done_o,

  input  logic                item_valid_i,
  output logic                item_ready_o,
  input  item_t               item_i,
  input  item_is_t            item_is_i,      // the kind of item_i
  input  logic                stream_valid_i,
  output logic                stream_ready_o,
  input  block_t              stream_i,
  output logic                j0_valid_o,
  output logic [127:0]        j0_o,
  output logic                ended_o,        // the last beat of a packet went out

  output logic         m_valid_o,
  input  logic         m_ready_i,
  output logic [127:0] m_data_o,   // byte 0 at the top
  output logic [3:0]   m_len_o,
  output result_user_t m_user_o,
  output logic         m_hold_o    // the packet must not be seen before its last beat
);

  localparam int unsigned Sums = 16;  // messages of GHASH under way
  localparam int unsigned Results = 64;

  localparam logic [1:0] SumTag = 2'd0;
  localparam logic [1:0] SumJ0 = 2'd1;
  localparam logic [1:0] SumNone = 2'd2;  // of a packet that ended with an error
  localparam logic [1:0] SumLong = 2'd3;  // the tag of a packet with too much AAD

  typedef struct packed {
    logic         ends;
    logic         waits;    // for the sum of its packet
    logic         decrypt;  // GCM
    logic         ok;
    logic [3:0]   error;
    logic [3:0]   len;
    logic [127:0] data;
  } entry_t;

  logic gcm_q, decrypt_q, last_q;
  logic [3:0] tag_len_q;
  logic [SlotBits-1:0] slot_q;
  // One of them is high.
  logic at_head_q;
  logic at_body_q;
  logic at_iv_length_q;  // the lengths of an IV to GHASH
  logic at_j0_q;         // J0 is the sum
  logic at_length_q;     // those of AAD and text; the key stream of J0 to the results
  logic at_end_q;        // CTR: the last beat
  logic room, full;
  logic do_head, do_hash, do_text, do_error, do_iv_length, do_j0, do_tag, do_length, do_end;
  logic hash_valid, hash_end, entry_valid, entry_ready, sums_left_q;
  logic sum_in_valid, sum_valid, sum_taken, of_tag, of_long, of_j0, of_none;
  logic sum_is_tag, sum_is_j0, sum_is_none;
  logic [1:0] sum_in_kind, hash_kind;
  logic [127:0] sum_in, sum, hash_block;
  entry_t entry_in;

  assign full = item_i.len == 4'd15;

  ///////////////////////////////////////////////////////////////////////////
  // What is done in this clock
  ///////////////////////////////////////////////////////////////////////////

  // For a result and the end of a message in GHASH, which takes a block in each clock; looked at in the
  // clock before (Far of aes_engine_fifo, and sums_left_q).
  logic room_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) room_q <= 1'b0;
    else room_q <= entry_ready & sums_left_q;
  end
  assign room = room_q;

  logic goes, may_length, ends_iv, ends_body;

  assign goes         = item_valid_i & room;
  assign do_hash      = goes & at_body_q & (item_is_i.iv | item_is_i.aad);
  assign do_text      = goes & at_body_q & item_is_i.text & stream_valid_i;
  assign do_error     = goes & item_is_i.failed & (at_head_q | at_body_q);
  assign do_iv_length = at_iv_length_q & room;
  assign do_j0        = at_j0_q & sum_is_j0;
  // With decryption the tag is there then.
  assign may_length   = at_length_q & room & stream_valid_i;
  assign do_tag       = goes & at_body_q & item_is_i.tag & stream_valid_i;
  assign do_length    = may_length | do_tag;
  assign do_end       = at_end_q & room;
  // Also in the clock in which the packet before ends.
  assign do_head      = goes & item_is_i.head &
      (at_head_q | at_end_q | (at_length_q & stream_valid_i));

  assign item_ready_o   = do_head | do_error | do_hash | do_text | do_tag;
  assign stream_ready_o = do_text | do_length;

  assign ends_iv   = do_hash & item_is_i.iv & item_i.flag;
  assign ends_body = (do_text | (do_hash & ~(item_is_i.iv & item_i.flag))) & item_i.last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      at_head_q      <= 1'b1;
      at_body_q      <= 1'b0;
      at_iv_length_q <= 1'b0;
      at_j0_q        <= 1'b0;
      at_length_q    <= 1'b0;
      at_end_q       <= 1'b0;
    end else begin
      at_head_q      <= do_error | do_tag | ((at_head_q | may_length | do_end) & ~do_head);
      at_body_q      <= (do_head & ~item_i.last) | (do_j0 & ~last_q) |
          (at_body_q & ~do_error & ~do_tag & ~ends_iv & ~ends_body);
      at_iv_length_q <= ends_iv | (at_iv_length_q & ~room);
      at_j0_q        <= do_iv_length | (at_j0_q & ~do_j0);
      at_length_q    <= (do_head & item_i.last & item_i.gcm) | (do_j0 & last_q) |
          (ends_body & gcm_q) | (at_length_q & ~may_length);
      at_end_q       <= (do_head & item_i.last & ~item_i.gcm) | (ends_body & ~gcm_q) |
          (at_end_q & ~room);
    end
  end

  always_ff @(posedge clk_i) begin
    if (do_head) begin
      gcm_q     <= item_i.gcm;
      decrypt_q <= item_i.flag & item_i.gcm;
      tag_len_q <= item_i.len;
      slot_q    <= item_i.data[SlotBits-1:0];
    end
    if (do_hash) last_q <= item_i.last;
  end

  ///////////////////////////////////////////////////////////////////////////
  // GHASH
  ///////////////////////////////////////////////////////////////////////////

  // Blocks, and bytes beyond them; AAD also counts the IV, before. All are counted a clock later: the
  // lengths go to GHASH a clock later too.
  logic [LengthBits:0] aad_blocks_q, text_blocks_q;
  logic [3:0] aad_bytes_q, text_bytes_q, count_bytes_q;
  logic count_head_q, count_j0_q, count_hash_q, count_text_q, count_full_q, too_long_q;
  logic [63:0] aad_bits, text_bits;

  assign aad_bits  = 64'({aad_blocks_q, aad_bytes_q, 3'd0});
  assign text_bits = 64'({text_blocks_q, text_bytes_q, 3'd0});

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {count_head_q, count_j0_q, count_hash_q, count_text_q} <= '0;
    else
      {count_head_q, count_j0_q, count_hash_q, count_text_q} <= {do_head, do_j0, do_hash, do_text};
  end

  always_ff @(posedge clk_i) begin
    count_full_q  <= full;
    count_bytes_q <= item_i.len + 4'd1;
    if (count_head_q || count_j0_q) begin
      aad_blocks_q <= '0;
      aad_bytes_q  <= '0;
    end else if (count_hash_q) begin
      if (count_full_q) aad_blocks_q <= aad_blocks_q + 1'b1;
      else aad_bytes_q <= count_bytes_q;
    end
    if (count_head_q) begin
      text_blocks_q <= '0;
      text_bytes_q  <= '0;
    end else if (count_text_q) begin
      if (count_full_q) text_blocks_q <= text_blocks_q + 1'b1;
      else text_bytes_q <= count_bytes_q;
    end
    if (count_head_q) too_long_q <= 1'b0;
    else too_long_q <= too_long_q | aad_blocks_q[LengthBits];
  end

  // A packet that breaks ends its message too.
  assign hash_valid = do_hash | (do_text & gcm_q) | do_iv_length | do_length |
      (do_error & gcm_q & at_body_q);
  assign hash_end   = do_iv_length | do_length | do_error;

  always_comb begin
    hash_block = item_i.data;
    // Bytes of the key stream that do not count must not come in.
    if (item_is_i.text && !decrypt_q) begin
      for (int unsigned n = 0; n < 16; n++) begin
        hash_block[8*(15-n)+:8] = item_i.data[8*(15-n)+:8] ^ (stream_i[8*(15-n)+:8] &
            {8{4'(n) <= item_i.len}});
      end
    end
    hash_kind = SumTag;
    if (at_iv_length_q) hash_kind = SumJ0;
    if (item_is_i.failed && at_body_q) hash_kind = SumNone;
  end

  // Through a register: what comes of an item and its key stream is not in the queue in this clock. It
  // never waits there.
  logic hash_valid_q, hash_end_q, lengths_q, iv_length_q;
  logic [1:0] hash_kind_q, block_kind;
  logic [127:0] hash_block_q, block;
  logic [SlotBits-1:0] hash_slot_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) hash_valid_q <= 1'b0;
    else hash_valid_q <= hash_valid;
  end
  always_ff @(posedge clk_i) begin
    hash_end_q   <= hash_end;
    hash_kind_q  <= hash_kind;
    hash_block_q <= hash_block;
    hash_slot_q  <= slot_q;
    lengths_q    <= at_length_q | (at_body_q & item_is_i.tag);
    iv_length_q  <= at_iv_length_q;
  end

  always_comb begin
    block      = hash_block_q;
    block_kind = hash_kind_q;
    if (iv_length_q) block = {64'd0, aad_bits};
    if (lengths_q) begin
      block = {aad_bits, text_bits};
      if (too_long_q || aad_blocks_q[LengthBits]) block_kind = SumLong;
    end
  end

  aes_engine_lanes #(
    .NumSlots(NumSlots)
  ) u_lanes (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_zero_i,
    .key_slot_i,
    .key_i,
    .key_done_o,
    .valid_i    (hash_valid_q),
    .block_i    (block),
    .slot_i     (hash_slot_q),
    .end_i      (hash_end_q),
    .kind_i     (block_kind),
    .sum_valid_o(sum_in_valid),
    .sum_kind_o (sum_in_kind),
    .sum_o      (sum_in)
  );

  // No more messages are under way than there are places for their sums.
  logic [4:0] sums_q;
  logic sum_asked, asked_q, taken_q, unused_sum_ready;

  assign sum_asked = hash_valid & hash_end;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sums_q      <= '0;
      asked_q     <= 1'b0;
      taken_q     <= 1'b0;
      sums_left_q <= 1'b1;
    end else begin
      asked_q     <= sum_asked;
      taken_q     <= sum_taken;
      sums_q      <= sums_q + 5'(asked_q) - 5'(taken_q);
      // Three were asked for perhaps that are not counted, and one may be in this clock.
      sums_left_q <= sums_q < 5'(Sums - 3);
    end
  end

  aes_engine_fifo #(
    .Depth (Sums),
    .Width (132),
    .Spaced(1'b1)
  ) u_sums (
    .clk_i,
    .rst_ni,
    .valid_i(sum_in_valid),
    .ready_o(unused_sum_ready),
    .data_i({
      sum_in_kind == SumTag || sum_in_kind == SumLong,
      sum_in_kind == SumLong,
      sum_in_kind == SumJ0,
      sum_in_kind == SumNone,
      sum_in
    }),
    .valid_o(sum_valid),
    .ready_i(sum_taken),
    .data_o({of_tag, of_long, of_j0, of_none, sum})
  );

  assign sum_is_tag  = sum_valid & of_tag;
  assign sum_is_j0   = sum_valid & of_j0;
  assign sum_is_none = sum_valid & of_none;

  assign j0_valid_o = do_j0;
  assign j0_o       = sum;

  ///////////////////////////////////////////////////////////////////////////
  // Results
  ///////////////////////////////////////////////////////////////////////////

  logic result_valid, result_ready, result_goes, goes_on_q, first_valid_q, second_valid_q;
  entry_t result, first_q, second_q;
  logic [15:0] keep;
  logic [7:0] differs_q;  // in eight parts: what is left of the tag that a packet brought
  logic wrong;

  assign entry_valid = do_text | do_error | do_length | do_end;

  always_comb begin
    entry_in         = '0;
    entry_in.ends    = ~do_text;
    entry_in.waits   = do_length;
    entry_in.decrypt = decrypt_q;
    entry_in.ok      = do_end;
    entry_in.len     = do_length ? tag_len_q : item_i.len;
    entry_in.data    = stream_i ^ (item_i.data & {128{at_body_q}});
    if (do_error) entry_in.error = item_i.len;
  end

  aes_engine_fifo #(
    .Depth(Results),
    .Width($bits(entry_t)),
    .Far  (1'b1),
    .Held (1'b1)
  ) u_results (
    .clk_i,
    .rst_ni,
    .valid_i(entry_valid),
    .ready_o(entry_ready),
    .data_i (entry_in),
    .valid_o(result_valid),
    .ready_i(result_ready),
    .data_o (result)
  );

  // A result that goes on waits for nothing: m_ready_i says that there will be room for those that are
  // on their way, and one more.
  assign result_ready = goes_on_q & (~result.waits | sum_is_tag);
  assign result_goes  = result_valid & result_ready;
  assign sum_taken    = do_j0 | (result_goes & result.waits) | sum_is_none;
  assign keep         = keep_of(result.len) & {16{~result.ends | result.waits}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      goes_on_q      <= 1'b0;
      first_valid_q  <= 1'b0;
      second_valid_q <= 1'b0;
      m_valid_o      <= 1'b0;
    end else begin
      goes_on_q      <= m_ready_i;
      first_valid_q  <= result_goes;
      second_valid_q <= first_valid_q;
      m_valid_o      <= second_valid_q;
    end
  end

  assign wrong = second_q.waits & second_q.decrypt & (second_q.error == ErrNone) &
      (differs_q != '0);

  always_ff @(posedge clk_i) begin
    first_q <= result;
    if (result.waits && of_long) first_q.error <= ErrLength;
    for (int unsigned n = 0; n < 16; n++) begin
      if (!keep[n]) first_q.data[8*(15-n)+:8] <= '0;
      else begin
        first_q.data[8*(15-n)+:8] <= result.data[8*(15-n)+:8] ^
            (sum[8*(15-n)+:8] & {8{result.waits}});
      end
    end

    second_q <= first_q;
    for (int unsigned n = 0; n < 8; n++) differs_q[n] <= first_q.data[16*n+:16] != '0;

    m_data_o       <= second_q.data;
    m_len_o        <= second_q.len;
    m_user_o.last  <= second_q.ends;
    m_user_o.ok    <= second_q.ok | (second_q.waits & (second_q.error == ErrNone) & ~wrong);
    m_user_o.error <= wrong ? ErrTag : second_q.error;
    m_hold_o       <= second_q.decrypt;
    if (second_q.ends && (!second_q.waits || second_q.decrypt || second_q.error != ErrNone)) begin
      m_data_o <= '0;
      m_len_o  <= 4'd15;
    end
  end

  // A clock later: the front only counts them.
  logic ended_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ended_q <= 1'b0;
    else ended_q <= second_valid_q & second_q.ends;
  end
  assign ended_o = ended_q;

  logic unused_kind;
  assign unused_kind = ^item_i.kind;

endmodule
