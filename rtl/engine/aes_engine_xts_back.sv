// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The back of a sector engine: blocks of the core and the items beside them, in their order.
//
//   block --+--(+)--+--------[ mux ]--|R|-- m_data
//           |   ^   |          ^
//   item ---|---+   +--|R|-----+            ItemSteal: kept, and given to the front
//           +------------------------------ first tweak of a sector (ItemTweak)
//
// Where bytes were stolen, the block before the end leaves behind the one that they went to: it is kept
// until then. One result leaves a clock.

module aes_engine_xts_back
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

  logic do_text, do_tweak, do_steal, do_error, do_tail, out_free, tail_q, ready;
  logic [3:0] tail_len_q;
  logic [127:0] sum, steal_q;
  logic steal_valid_q, last_q;
  error_e error_q;

  assign out_free = ~m_valid_o | m_ready_i;
  assign ready    = item_valid_i & block_valid_i;
  assign sum      = block_i ^ swap_bytes(item_i.tweak);

  assign do_tweak = ready & (item_i.kind == ItemTweak);
  // The tail of the sector before has its bytes in steal_q.
  assign do_steal = ready & (item_i.kind == ItemSteal) & ~tail_q;
  assign do_text  = ready & (item_i.kind inside {ItemText, ItemStolen}) & out_free & ~tail_q;
  assign do_error = item_valid_i & (item_i.kind == ItemError) & out_free & ~tail_q;
  assign do_tail  = tail_q & out_free;

  assign item_ready_o  = do_tweak | do_steal | do_text | do_error;
  assign block_ready_o = do_tweak | do_steal | do_text;
  assign first_valid_o = do_tweak;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      m_valid_o     <= 1'b0;
      tail_q        <= 1'b0;
      steal_valid_q <= 1'b0;
    end else begin
      if (out_free) m_valid_o <= do_text | do_error | do_tail;
      tail_q        <= (do_text & (item_i.kind == ItemStolen)) | (tail_q & ~out_free);
      steal_valid_q <= do_steal;
    end
  end

  always_ff @(posedge clk_i) begin
    if (do_steal) steal_q <= sum;
    if (do_text) tail_len_q <= item_i.len;
  end

  assign steal_valid_o = steal_valid_q;
  assign steal_o       = steal_q;

  always_ff @(posedge clk_i) begin
    if (out_free) begin
      m_data_o <= sum;
      m_len_o  <= 4'd15;
      m_none_o <= 1'b0;
      last_q   <= item_i.last & (item_i.kind != ItemStolen);
      error_q  <= ErrNone;
      if (tail_q) begin
        for (int unsigned n = 0; n < 16; n++) begin
          if (4'(n) <= tail_len_q) m_data_o[8*(15-n)+:8] <= steal_q[8*(15-n)+:8];
          else m_data_o[8*(15-n)+:8] <= '0;
        end
        m_len_o <= tail_len_q;
        last_q  <= 1'b1;
      end else if (do_error) begin
        m_data_o <= '0;
        m_none_o <= 1'b1;
        error_q  <= error_e'(item_i.len);
      end
    end
  end

  assign m_user_o = '{error: error_q, ok: last_q & (error_q == ErrNone), last: last_q};

endmodule
