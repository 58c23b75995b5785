// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The back of a packet engine of CTR alone, around a core that is far and takes a block each clock:
//
//   event ------+--(+)--|R|--[ bytes that count ]--|R|--[ results ]-- m_data
//               |    ^
//   key stream -+----+
//
// A packet is a head and its text; a last beat of zeros says how it ended. Nothing waits here: an event
// comes with its key stream, and each result has a place.

module aes_engine_back_ctr
  import aes_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter int unsigned Results = 128  // places
) (
  input  logic   clk_i,
  input  logic   rst_ni,
  input  logic   there_i,  // event_i is one
  input  event_t event_i,
  input  block_t stream_i,
  output logic   freed_o,  // a place is free again

  output logic         m_valid_o,
  input  logic         m_ready_i,
  output logic [127:0] m_data_o,   // byte 0 at the top
  output logic [3:0]   m_len_o,
  output result_user_t m_user_o
);

  typedef struct packed {
    result_user_t user;
    logic [3:0]   len;
    logic [127:0] data;
  } result_t;

  // An error may come with the end of the packet before, and goes a clock later. Nothing else does then:
  // the next packet is at its head at best.
  logic valid_q, text_q, failed_q, error_q, result_valid_q;
  logic [3:0] code_q, error_code_q, len_q;
  logic [127:0] data_q;
  result_t result_q, result;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q        <= 1'b0;
      failed_q       <= 1'b0;
      result_valid_q <= 1'b0;
    end else begin
      valid_q        <= (there_i & (event_i.is.text | event_i.over)) | failed_q;
      failed_q       <= there_i & event_i.is.failed;
      result_valid_q <= valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    code_q <= event_i.len;

    text_q       <= event_i.is.text;
    error_q      <= failed_q;
    error_code_q <= code_q;
    len_q        <= event_i.len;
    data_q       <= event_i.data ^ stream_i;

    result_q.len        <= text_q ? len_q : 4'd15;
    result_q.user.last  <= ~text_q;
    result_q.user.ok    <= ~text_q & ~error_q;
    result_q.user.error <= error_q ? error_code_q : ErrNone;
    for (int unsigned n = 0; n < 16; n++) begin
      if (!text_q || 4'(n) > len_q) result_q.data[8*(15-n)+:8] <= '0;
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
  assign m_user_o = result.user;

  logic unused_event;
  assign unused_event = ^{
    event_i.mask,
    event_i.flag,
    event_i.gcm,
    event_i.hash,
    event_i.mix,
    event_i.is.head,
    event_i.is.iv,
    event_i.is.aad,
    event_i.is.tag
  };

endmodule
