// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The back of a sector engine around a core that is far and takes a block each clock:
//
//   block --+--(+)--+--[ mux ]--|R|--[ bytes that count ]--|R|-- m_data
//           |   ^   |     ^
//   item ---|---+   +-|R|-+            ItemSteal: kept, and given to the front
//           +------------------------- first tweak of a sector (ItemTweak)
//
// What is done is that of aes_engine_xts_back, and goes on from registers: a result goes through two
// that do not wait, and room for one is looked at in the clock before. m_ready_i says that there is room
// for those that are on their way, and one more (Far of aes_engine_fifo).

module aes_engine_xts_back_far
  import aes_engine_pkg::result_user_t;
  import aes_engine_pkg::error_e;
  import aes_engine_pkg::ErrNone;
  import aes_engine_xts_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         item_valid_i,
  output logic         item_ready_o,
  input  item_t        item_i,
  input  logic         is_error_i,     // item_i is ItemError
  input  logic         block_valid_i,
  output logic         block_ready_o,
  input  logic [127:0] block_i,        // byte 0 at the top

  output logic         first_valid_o,  // block_i is a first tweak
  output logic         steal_valid_o,
  output logic [127:0] steal_o,

  output logic         m_valid_o,
  input  logic         m_ready_i,
  output logic [127:0] m_data_o,       // byte 0 at the top
  output logic [3:0]   m_len_o,
  output logic         m_none_o,       // no byte: the end of a sector that makes no sense
  output result_user_t m_user_o
);

  import aes_engine_pkg::swap_bytes;

  // The block before, of which bytes were stolen, is behind the one that they went to. It has its bytes
  // in steal_q, so nothing else goes until it has gone.
  logic tail_q, room_q, steal_valid_q;
  logic [3:0] tail_len_q;
  logic [127:0] sum, steal_q;

  logic goes, with_block, do_tweak, do_steal, do_text, do_stolen, do_error, do_tail;

  assign goes       = item_valid_i & room_q & ~tail_q;
  assign with_block = goes & block_valid_i;
  assign do_tweak   = with_block & (item_i.kind == ItemTweak);
  assign do_steal   = with_block & (item_i.kind == ItemSteal);
  assign do_stolen  = with_block & (item_i.kind == ItemStolen);
  assign do_text    = with_block & (item_i.kind inside {ItemText, ItemStolen});
  assign do_error   = goes & is_error_i;
  assign do_tail    = tail_q & room_q;

  assign item_ready_o  = goes & (block_valid_i | is_error_i);
  assign block_ready_o = with_block & ~is_error_i;
  assign first_valid_o = do_tweak;

  assign sum = block_i ^ swap_bytes(item_i.tweak);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      room_q        <= 1'b0;
      tail_q        <= 1'b0;
      steal_valid_q <= 1'b0;
    end else begin
      room_q        <= m_ready_i;
      tail_q        <= do_stolen | (tail_q & ~do_tail);
      steal_valid_q <= do_steal;
    end
  end

  always_ff @(posedge clk_i) begin
    if (do_steal) steal_q <= sum;
    if (do_text) tail_len_q <= item_i.len;
  end

  assign steal_valid_o = steal_valid_q;
  assign steal_o       = steal_q;

  ///////////////////////////////////////////////////////////////////////////
  // Results
  ///////////////////////////////////////////////////////////////////////////

  logic valid_q, is_tail_q, error_q, last_q;
  logic [3:0] len_q;  // of a tail, or a code
  logic [127:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q   <= 1'b0;
      m_valid_o <= 1'b0;
    end else begin
      valid_q   <= do_text | do_error | do_tail;
      m_valid_o <= valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    is_tail_q <= tail_q;
    error_q   <= do_error;
    last_q    <= tail_q | (item_i.last & (item_i.kind != ItemStolen));
    len_q     <= tail_q ? tail_len_q : item_i.len;
    data_q    <= tail_q ? steal_q : sum;

    m_len_o        <= is_tail_q ? len_q : 4'd15;
    m_none_o       <= error_q;
    m_user_o.last  <= last_q;
    m_user_o.ok    <= last_q & ~error_q;
    m_user_o.error <= error_q ? len_q : ErrNone;
    for (int unsigned n = 0; n < 16; n++) begin
      if (error_q || (is_tail_q && 4'(n) > len_q)) m_data_o[8*(15-n)+:8] <= '0;
      else m_data_o[8*(15-n)+:8] <= data_q[8*(15-n)+:8];
    end
  end

endmodule
