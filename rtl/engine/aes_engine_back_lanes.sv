// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The back of a packet engine that takes a block each clock:
//
//   event ------+---(+)--[ results ]--(+ sum)--|R|--[ parts ]--|R|--[ right? ]--|R|--[ queue ]-- m_data
//               |    ^        ^
//   key stream -+----+        | sums
//               +--[ lanes of GHASH ]-- J0 to the front
//
// A packet is a head, which brings its slot, and beats. Text goes to the results as it is; behind it
// goes the key stream of J0, in the clock in which the lengths go to GHASH and the next head may come.
// With decryption the tag of the packet is added to it, so that a sum which is not zero is wrong.
//
// Nothing waits here: an event comes with its key stream, and each result has a place. It stays there for
// as long as a sum may take, so the sum is beside it when it leaves.

module aes_engine_back_lanes
  import aes_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter  int unsigned NumSlots   = 64,
  parameter  int unsigned LengthBits = 32,   // AAD has 2^LengthBits - 1 full blocks at most
  parameter  int unsigned Results    = 128,  // places
  localparam int unsigned SlotBits   = $clog2(NumSlots)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                key_valid_i,  // as of aes_engine_lanes
  input  logic                key_zero_i,
  input  logic [SlotBits-1:0] key_slot_i,
  output logic                key_done_o,

  input  logic                there_i,      // event_i is one
  input  event_t              event_i,
  input  block_t              stream_i,     // a clock after event_i
  output logic                freed_o,      // a place for a result is free again
  output logic                j0_valid_o,
  output logic [127:0]        j0_o,
  output logic                ended_o,      // the last beat of a packet went out

  output logic         m_valid_o,
  input  logic         m_ready_i,
  output logic [127:0] m_data_o,   // byte 0 at the top
  output logic [3:0]   m_len_o,
  output result_user_t m_user_o,
  output logic         m_hold_o    // the packet must not be seen before its last beat
);

  localparam int unsigned PlaceBits = $clog2(Results);

  logic iv_length_q;  // the lengths of an IV to GHASH
  logic decrypt_q;
  logic [3:0] tag_len_q;
  logic [SlotBits-1:0] slot_q;
  logic [127:0] tag_q;
  logic hash_valid, hash_end;
  logic sum_valid, sum_long, sum_is_j0, result_long;
  logic [PlaceBits-1:0] place, sum_place;
  logic [127:0] sum, hash_block;

  ///////////////////////////////////////////////////////////////////////////
  // The packet
  ///////////////////////////////////////////////////////////////////////////

  // An event comes a clock before its key stream, and is decoded meanwhile.
  item_is_t is_q;
  logic mask_q, over_q, hash_q, mix_q, flag_q, head_gcm_q;
  logic [3:0] len_q;
  logic [127:0] data_q;
  logic [15:0] mixed_q;  // bytes of the key stream that go into the block for GHASH

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {mask_q, over_q, hash_q, is_q} <= '0;
    else if (!there_i) {mask_q, over_q, hash_q, is_q} <= '0;
    else {mask_q, over_q, hash_q, is_q} <= {event_i.mask, event_i.over, event_i.hash, event_i.is};
  end
  always_ff @(posedge clk_i) begin
    mix_q      <= event_i.mix;
    flag_q     <= event_i.flag;
    head_gcm_q <= event_i.gcm;
    len_q      <= event_i.len;
    data_q     <= event_i.data;
    mixed_q    <= keep_of(event_i.len) & {16{event_i.mix}};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) iv_length_q <= 1'b0;
    else iv_length_q <= is_q.iv & flag_q;
  end

  always_ff @(posedge clk_i) begin
    if (is_q.head) begin
      decrypt_q <= flag_q & head_gcm_q;
      tag_len_q <= len_q;
      slot_q    <= data_q[SlotBits-1:0];
    end
    if (is_q.head) tag_q <= '0;
    else if (is_q.tag) tag_q <= data_q;
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
      {count_head_q, count_j0_q, count_hash_q, count_text_q} <= {
        is_q.head, iv_length_q, is_q.iv | is_q.aad, is_q.text
      };
  end

  always_ff @(posedge clk_i) begin
    count_full_q  <= len_q == 4'd15;
    count_bytes_q <= len_q + 4'd1;
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

  // A packet that breaks ends its message too, and one that is refused may be one.
  assign hash_valid = hash_q | iv_length_q;
  assign hash_end   = iv_length_q | mask_q | is_q.failed | (mix_q & ~is_q.text);

  // Bytes of the key stream that do not count must not come in.
  always_comb begin
    for (int unsigned n = 0; n < 16; n++) begin
      hash_block[8*(15-n)+:8] = data_q[8*(15-n)+:8] ^ (stream_i[8*(15-n)+:8] & {8{mixed_q[n]}});
    end
  end

  // Lengths are counted a clock later.
  logic hash_valid_q, hash_end_q, lengths_q, of_iv_q, too_long;
  logic [127:0] hash_block_q, block;
  logic [SlotBits-1:0] hash_slot_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) hash_valid_q <= 1'b0;
    else hash_valid_q <= hash_valid;
  end
  always_ff @(posedge clk_i) begin
    hash_end_q   <= hash_end;
    hash_block_q <= hash_block;
    hash_slot_q  <= slot_q;
    lengths_q    <= mask_q;
    of_iv_q      <= iv_length_q;
  end

  always_comb begin
    block = hash_block_q;
    if (of_iv_q) block = {64'd0, aad_bits};
    if (lengths_q) block = {aad_bits, text_bits};
  end

  assign too_long = too_long_q | aad_blocks_q[LengthBits];

  aes_engine_lanes #(
    .NumSlots(NumSlots),
    .KindBits(2 + PlaceBits)
  ) u_lanes (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_zero_i,
    .key_slot_i,
    .key_done_o,
    .valid_i    (hash_valid_q),
    .block_i    (block),
    .slot_i     (hash_slot_q),
    .end_i      (hash_end_q),
    .kind_i     ({place, too_long, of_iv_q}),
    .sum_valid_o(sum_valid),
    .sum_kind_o ({sum_place, sum_long, sum_is_j0}),
    .sum_o      (sum)
  );

  // The sum of an IV is J0. Each sum goes to a place beside the results; where none waits for it, that of
  // the one which does comes later.
  assign j0_valid_o = sum_valid & sum_is_j0;
  assign j0_o       = sum;

  ///////////////////////////////////////////////////////////////////////////
  // Results
  ///////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic         ends;
    logic         waits;    // for the sum of its packet
    logic         counts;   // its bytes do: text, and a tag
    logic         decrypt;  // GCM
    logic         ok;
    logic [3:0]   error;
    keep_t        keep;     // bytes of data
    logic [127:0] data;
  } entry_t;

  // An error may come with the end of the packet before, and goes a clock later. Nothing else does then:
  // the next packet is at its head at best.
  logic entry_valid_q, failed_q, result_valid, first_valid_q, second_valid_q, given_valid_q;
  logic unused_ready;
  logic [3:0] code_q;
  entry_t entry_q, result, first_q, second_q;
  logic given_hold_q;
  result_user_t given_user_q;
  logic [3:0] given_len_q;
  logic [127:0] given_data_q;
  logic [15:0] keep_q;     // of first_q: bytes that count
  logic [15:0] differs_q;  // bytes: what is left of the tag that a packet brought
  logic wrong;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      failed_q      <= 1'b0;
      entry_valid_q <= 1'b0;
    end else begin
      failed_q      <= is_q.failed;
      entry_valid_q <= is_q.text | mask_q | over_q | failed_q;
    end
  end

  always_ff @(posedge clk_i) begin
    code_q          <= len_q;
    entry_q.ends    <= ~is_q.text;
    entry_q.waits   <= mask_q;
    entry_q.counts  <= is_q.text | mask_q;
    entry_q.decrypt <= decrypt_q;
    entry_q.ok      <= over_q;
    entry_q.error   <= failed_q ? code_q : ErrNone;
    entry_q.keep    <= keep_parts(mask_q ? tag_len_q : len_q);
    entry_q.data    <= stream_i ^ (mask_q ? tag_q : data_q);
  end

  // The end of a message goes to the lanes in the clock in which its entry goes to the results.
  logic [127:0] result_sum;
  aes_engine_results #(
    .Depth (Results),
    .Width ($bits(entry_t)),
    .Wait  (sum_clocks() - 2),
    .Late  (129),
    .Places(out_places())
  ) u_results (
    .clk_i,
    .rst_ni,
    .valid_i     (entry_valid_q),
    .data_i      (entry_q),
    .place_o     (place),
    .freed_o,
    .late_valid_i(sum_valid),
    .late_place_i(sum_place),
    .late_i      ({sum_long, sum}),
    .valid_o     (result_valid),
    .data_o      (result),
    .late_o      ({result_long, result_sum}),
    .left_i      (m_valid_o & m_ready_i)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_valid_q  <= 1'b0;
      second_valid_q <= 1'b0;
      given_valid_q  <= 1'b0;
    end else begin
      first_valid_q  <= result_valid;
      second_valid_q <= first_valid_q;
      given_valid_q  <= second_valid_q;
    end
  end

  assign wrong = second_q.waits & second_q.decrypt & (second_q.error == ErrNone) &
      (differs_q != '0);

  always_ff @(posedge clk_i) begin
    first_q <= result;
    if (result.waits && result_long) first_q.error <= ErrLength;
    first_q.data <= result.data ^ (result_sum & {128{result.waits}});
    keep_q       <= keep_by(result.keep) & {16{result.counts}};

    second_q <= first_q;
    for (int unsigned n = 0; n < 16; n++) begin
      if (!keep_q[n]) second_q.data[8*(15-n)+:8] <= '0;
      differs_q[n] <= keep_q[n] & (first_q.data[8*(15-n)+:8] != '0);
    end

    given_data_q <= second_q.data;
    given_len_q <= len_by(second_q.keep);
    given_user_q.last <= second_q.ends;
    given_user_q.ok <= second_q.ok | (second_q.waits & (second_q.error == ErrNone) & ~wrong);
    given_user_q.error <= wrong ? ErrTag : second_q.error;
    given_hold_q <= second_q.decrypt;
    if (second_q.ends && (!second_q.waits || second_q.decrypt || second_q.error != ErrNone)) begin
      given_data_q <= '0;
      given_len_q <= 4'd15;
    end
  end

  aes_engine_fifo #(
    .Depth(out_places()),
    .Width(139),
    .Held (1'b1)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .valid_i(given_valid_q),
    .ready_o(unused_ready),
    .data_i ({given_hold_q, given_user_q, given_len_q, given_data_q}),
    .valid_o(m_valid_o),
    .ready_i(m_ready_i),
    .data_o ({m_hold_o, m_user_o, m_len_o, m_data_o})
  );

  // A clock later: the front only counts them.
  logic ended_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ended_q <= 1'b0;
    else ended_q <= second_valid_q & second_q.ends;
  end
  assign ended_o = ended_q;

  logic unused_counts;
  assign unused_counts = second_q.counts;

endmodule
