// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The back of a sector engine around a core that is far and takes a block each clock:
//
//   block --+--(+)--+--[ mux ]--|R|--[ bytes that count ]--|R|--[ results ]-- m_data
//           |   ^   |     ^
//   event --|---+   +-|R|-+            steal: kept, and given to the front
//           +------------------------- first tweak of a sector
//
// Nothing waits here: an event comes with its block, and each result has a place. The block of which bytes
// were stolen leaves in the clock behind the one that they went to; nothing else comes then.

module aes_engine_xts_back_far
  import aes_engine_pkg::result_user_t;
  import aes_engine_pkg::error_e;
  import aes_engine_pkg::ErrNone;
  import aes_engine_xts_pkg::*;
#(
  parameter int unsigned Results = 128  // places
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         there_i,        // event_i is one
  input  event_t       event_i,
  input  logic [127:0] block_i,        // byte 0 at the top
  output logic         freed_o,        // a place is free again

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

  logic tail_q, steal_valid_q;
  logic [3:0] tail_len_q;
  logic [127:0] sum, steal_q;

  assign first_valid_o = there_i & event_i.tweak;
  assign sum           = block_i ^ swap_bytes(event_i.tweak_data);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tail_q        <= 1'b0;
      steal_valid_q <= 1'b0;
    end else begin
      tail_q        <= there_i & event_i.stolen;
      steal_valid_q <= there_i & event_i.steal;
    end
  end

  always_ff @(posedge clk_i) begin
    if (event_i.steal) steal_q <= sum;
    tail_len_q <= event_i.len;
  end

  assign steal_valid_o = steal_valid_q;
  assign steal_o       = steal_q;

  ///////////////////////////////////////////////////////////////////////////
  // Results
  ///////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    result_user_t user;
    logic         none;
    logic [3:0]   len;
    logic [127:0] data;
  } result_t;

  logic valid_q, is_tail_q, error_q, last_q, result_valid_q;
  logic [3:0] len_q;  // of a tail, or a code
  logic [127:0] data_q;
  result_t result_q, result;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q        <= 1'b0;
      result_valid_q <= 1'b0;
    end else begin
      valid_q        <= (there_i & (event_i.text | event_i.stolen | event_i.failed)) | tail_q;
      result_valid_q <= valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    is_tail_q <= tail_q;
    error_q   <= event_i.failed;
    last_q    <= tail_q | (event_i.last & ~event_i.stolen);
    len_q     <= tail_q ? tail_len_q : event_i.len;
    data_q    <= tail_q ? steal_q : sum;

    result_q.len        <= is_tail_q ? len_q : 4'd15;
    result_q.none       <= error_q;
    result_q.user.last  <= last_q;
    result_q.user.ok    <= last_q & ~error_q;
    result_q.user.error <= error_q ? len_q : ErrNone;
    for (int unsigned n = 0; n < 16; n++) begin
      if (error_q || (is_tail_q && 4'(n) > len_q)) result_q.data[8*(15-n)+:8] <= '0;
      else result_q.data[8*(15-n)+:8] <= data_q[8*(15-n)+:8];
    end
  end

  aes_engine_leave #(
    .Depth(Results),
    .Width($bits(result_t))
  ) u_leave (
    .clk_i,
    .rst_ni,
    .valid_i(result_valid_q),
    .data_i (result_q),
    .freed_o,
    .valid_o(m_valid_o),
    .ready_i(m_ready_i),
    .data_o (result)
  );

  assign m_data_o = result.data;
  assign m_len_o  = result.len;
  assign m_none_o = result.none;
  assign m_user_o = result.user;

endmodule
