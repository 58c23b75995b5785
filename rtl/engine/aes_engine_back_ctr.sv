// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The back of a packet engine of CTR alone, around a core that is far and takes a block each clock:
//
//   item -------+--(+)--|R|--[ bytes that count ]--|R|-- m_data
//               |    ^
//   key stream -+----+
//
// A packet is a head and its text; a last beat of zeros says how it ended. An item that is text waits
// for its key stream. What is done goes on from registers: a result goes through two that do not wait,
// and room for one is looked at in the clock before. m_ready_i says that there is room for those that are
// on their way, and one more (aes_engine_output).

module aes_engine_back_ctr
  import aes_pkg::*;
  import aes_engine_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         item_valid_i,
  output logic         item_ready_o,
  input  item_t        item_i,
  input  item_is_t     item_is_i,      // the kind of item_i
  input  logic         stream_valid_i,
  output logic         stream_ready_o,
  input  block_t       stream_i,

  output logic         m_valid_o,
  input  logic         m_ready_i,
  output logic [127:0] m_data_o,   // byte 0 at the top
  output logic [3:0]   m_len_o,
  output result_user_t m_user_o
);

  // One of them is high.
  logic at_head_q, at_body_q, at_end_q;  // at_end_q: the last beat of the packet is due
  logic room_q, do_head, do_text, do_error, do_end;

  assign do_head  = room_q & item_valid_i & item_is_i.head & (at_head_q | at_end_q);
  assign do_text  = room_q & item_valid_i & item_is_i.text & at_body_q & stream_valid_i;
  assign do_error = room_q & item_valid_i & item_is_i.failed & (at_head_q | at_body_q);
  assign do_end   = room_q & at_end_q;

  assign item_ready_o   = do_head | do_text | do_error;
  assign stream_ready_o = do_text;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      room_q    <= 1'b0;
      at_head_q <= 1'b1;
      at_body_q <= 1'b0;
      at_end_q  <= 1'b0;
    end else begin
      room_q    <= m_ready_i;
      at_head_q <= do_error | ((at_head_q | do_end) & ~do_head);
      at_body_q <= (do_head & ~item_i.last) | (at_body_q & ~do_error & ~(do_text & item_i.last));
      at_end_q  <= (item_i.last & (do_head | do_text)) | (at_end_q & ~do_end);
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Results
  ///////////////////////////////////////////////////////////////////////////

  logic valid_q, text_q, error_q;
  logic [3:0] len_q;  // of text, or a code
  logic [127:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q   <= 1'b0;
      m_valid_o <= 1'b0;
    end else begin
      valid_q   <= do_text | do_error | do_end;
      m_valid_o <= valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    text_q  <= do_text;
    error_q <= do_error;
    len_q   <= item_i.len;
    data_q  <= item_i.data ^ stream_i;

    m_len_o        <= text_q ? len_q : 4'd15;
    m_user_o.last  <= ~text_q;
    m_user_o.ok    <= ~text_q & ~error_q;
    m_user_o.error <= error_q ? len_q : ErrNone;
    for (int unsigned n = 0; n < 16; n++) begin
      if (!text_q || 4'(n) > len_q) m_data_o[8*(15-n)+:8] <= '0;
      else m_data_o[8*(15-n)+:8] <= data_q[8*(15-n)+:8];
    end
  end

  logic unused_item;
  assign unused_item = ^{
    item_i.kind, item_i.flag, item_i.gcm, item_is_i.iv, item_is_i.aad, item_is_i.tag
  };

endmodule
