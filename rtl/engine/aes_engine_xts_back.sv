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
//
// With Spaced an item is looked at in one clock, it is decided in the next one, and done in a third. So
// what moves 128 bits begins at registers; a free output stays free meanwhile.

module aes_engine_xts_back
  import aes_engine_pkg::result_user_t;
  import aes_engine_pkg::error_e;
  import aes_engine_pkg::ErrNone;
  import aes_engine_xts_pkg::*;
#(
  parameter bit Spaced = 1'b0  // an item each three clocks is enough
) (
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

  typedef struct packed {
    logic tweak;
    logic steal;
    logic text;
    logic stolen;  // with text: bytes of the block before are in it
    logic error;
    logic tail;    // the block before, behind it
  } step_t;

  step_t can, act;
  logic out_free, tail_q, ready, acting, gives, load;
  logic [3:0] tail_len_q;
  logic [127:0] sum, steal_q;
  logic steal_valid_q, last_q;
  error_e error_q;

  assign out_free = ~m_valid_o | m_ready_i;
  assign sum      = block_i ^ swap_bytes(item_i.tweak);

  // What there is: a block with its item, or an error alone.
  step_t there, seen;
  assign ready        = item_valid_i & block_valid_i;
  assign there.tweak  = ready & (item_i.kind == ItemTweak);
  assign there.steal  = ready & (item_i.kind == ItemSteal);
  assign there.text   = ready & (item_i.kind inside {ItemText, ItemStolen});
  assign there.stolen = item_i.kind == ItemStolen;
  assign there.error  = item_valid_i & (item_i.kind == ItemError);
  assign there.tail   = 1'b0;

  logic unused_tail;
  assign unused_tail = seen.tail;

  assign can.tweak  = seen.tweak & ~acting;
  // The tail of the sector before has its bytes in steal_q.
  assign can.steal  = seen.steal & ~tail_q & ~acting;
  assign can.text   = seen.text & out_free & ~tail_q & ~acting;
  assign can.stolen = seen.stolen;
  assign can.error  = seen.error & out_free & ~tail_q & ~acting;
  assign can.tail   = tail_q & out_free & ~acting;

  if (Spaced) begin : gen_act_later
    step_t seen_q, act_q;
    logic acting_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        seen_q   <= '0;
        act_q    <= '0;
        acting_q <= 1'b0;
      end else begin
        seen_q   <= there & {$bits(step_t){~item_ready_o}};
        act_q    <= can;
        acting_q <= can.tweak | can.steal | can.text | can.error | can.tail;
      end
    end
    assign seen   = seen_q;
    assign act    = act_q;
    assign acting = acting_q;
    assign load   = gives;
  end else begin : gen_act_now
    assign seen   = there;
    assign act    = can;
    assign acting = 1'b0;
    assign load   = out_free;
  end

  assign gives         = act.text | act.error | act.tail;
  assign item_ready_o  = act.tweak | act.steal | act.text | act.error;
  assign block_ready_o = act.tweak | act.steal | act.text;
  assign first_valid_o = act.tweak;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      m_valid_o     <= 1'b0;
      tail_q        <= 1'b0;
      steal_valid_q <= 1'b0;
    end else begin
      m_valid_o     <= gives | (m_valid_o & ~m_ready_i);
      tail_q        <= (act.text & act.stolen) | (tail_q & ~act.tail);
      steal_valid_q <= act.steal;
    end
  end

  always_ff @(posedge clk_i) begin
    if (act.steal) steal_q <= sum;
    if (act.text) tail_len_q <= item_i.len;
  end

  assign steal_valid_o = steal_valid_q;
  assign steal_o       = steal_q;

  always_ff @(posedge clk_i) begin
    if (load) begin
      m_data_o <= sum;
      m_len_o  <= 4'd15;
      m_none_o <= 1'b0;
      last_q   <= item_i.last & ~act.stolen;
      error_q  <= ErrNone;
      if (act.tail) begin
        for (int unsigned n = 0; n < 16; n++) begin
          if (4'(n) <= tail_len_q) m_data_o[8*(15-n)+:8] <= steal_q[8*(15-n)+:8];
          else m_data_o[8*(15-n)+:8] <= '0;
        end
        m_len_o <= tail_len_q;
        last_q  <= 1'b1;
      end else if (act.error) begin
        m_data_o <= '0;
        m_none_o <= 1'b1;
        error_q  <= error_e'(item_i.len);
      end
    end
  end

  assign m_user_o = '{error: error_q, ok: last_q & (error_q == ErrNone), last: last_q};

endmodule
