// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The control of a CCM engine: what the core is given, and what leaves.
//
//   nonce, lengths, count --[ formatted block ]------------+
//   beat of AAD --[ two bytes later ]--+                   |
//   beat of text --+-------------------+--(+)--[ mux ]-----+--|R|-- block of the core
//                  |                       ^
//                 (+)--|R|-- m_data        +-- chain |R| -----+-- result of the core
//                  ^                                          |
//                  +------------------------ key stream |R| --+
//
// A packet is a chain of blocks, each added to the result of the one before (CBC-MAC): one of nonce and
// lengths, AAD with its length before it, text. Beside it blocks of a count give the key stream, the one
// with count zero last: it is added to the chain, and the sum is the tag. Of both kinds one block at
// most is in the core, so the chain is never behind more than one other block.
//
// It is decided in one clock what is done in the next one, so what moves 128 bits begins at registers.
// A beat is judged in a clock before: what it has to be follows from the lengths of the descriptor.
//
// A packet that makes no sense ends with an error; its other beats are dropped. It has beats if its
// descriptor has a length that is not zero, or says decryption.

module aes_engine_ccm_control
  import aes_engine_pkg::*;
  import aes_engine_ccm_pkg::aad_too_long;
  import aes_engine_ccm_pkg::packet_t;
#(
  parameter bit Stored = 1'b0  // the core stores its key
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // Packets: valid for one clock, at least two after ready
  input  logic                      packet_valid_i,
  output logic                      packet_ready_o,
  input  aes_engine_ccm_pkg::desc_t desc_i,
  input  logic                      load_i,          // Stored: the core has another key
  input  error_e                    error_i,         // of mode or slot

  input  logic                      beat_valid_i,
  output logic                      beat_ready_o,
  input  beat_t                     beat_i,

  // Core
  output logic                      key_valid_o,     // Stored
  input  logic                      key_ready_i,
  output logic                      core_valid_o,
  input  logic                      core_ready_i,
  output logic [127:0]              core_block_o,    // byte 0 at the top
  input  logic                      core_valid_i,
  input  logic [127:0]              core_block_i,

  output logic                      m_valid_o,
  input  logic                      m_ready_i,
  output logic [127:0]              m_data_o,        // byte 0 at the top
  output logic [3:0]                m_len_o,
  output result_user_t              m_user_o,
  output logic                      m_hold_o         // not to be seen before the last beat
);

  localparam int unsigned CountBits = 13;  // of blocks of text

  typedef enum logic [3:0] {
    StIdle,
    StOffer,   // a key is offered to a core that stores it
    StExpand,  // and expanded
    StFirst,   // the first block of the chain
    StAad,
    StRest,    // what the AAD has beyond its beats, for its length came before it
    StText,
    StTag,
    StError,
    StDrain
  } state_e;

  state_e state_q, state_d, after_aad;

  ///////////////////////////////////////////////////////////////////////////
  // The packet
  ///////////////////////////////////////////////////////////////////////////

  packet_t packet_q;
  logic [15:0] text_len_q, left_q;
  logic [CountBits-1:0] blocks, count_q;
  logic text_any, drains_q, ends, loads, counted_q;
  logic [3:0] tag_len;  // bytes less 1
  error_e desc_error, code_q;

  always_comb begin
    desc_error = error_i;
    if (error_i != ErrNone) desc_error = error_i;
    else if (desc_i.nonce_len < 8'd7 || desc_i.nonce_len > 8'd13) desc_error = ErrIv;
    else if (desc_i.tag_len < 8'd4 || desc_i.tag_len > 8'd16 || desc_i.tag_len[0]) begin
      desc_error = ErrTagLen;
    end else if (aad_too_long(desc_i.aad_len)) desc_error = ErrLength;
  end

  always_ff @(posedge clk_i) begin
    if (packet_valid_i) begin
      packet_q.q_less_1 <= 3'(8'd14 - desc_i.nonce_len);
      packet_q.tag_half <= 3'(desc_i.tag_len[4:1] - 4'd1);
      packet_q.has_aad  <= desc_i.aad_len != '0;
      packet_q.decrypt  <= desc_i.decrypt;
      for (int unsigned n = 0; n < 13; n++) begin
        packet_q.nonce[8*(12-n)+:8] <= (8'(n) < desc_i.nonce_len) ? desc_i.nonce[8*n+:8] : '0;
      end
      text_len_q <= desc_i.text_len;
    end
  end

  // Whether the core has to be given the key: it was not for a packet that ended with an error here.
  if (Stored) begin : gen_stored
    logic owed_q;
    assign loads = load_i | owed_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) owed_q <= 1'b0;
      else if (packet_valid_i && error_i == ErrNone) owed_q <= loads & (desc_error != ErrNone);
    end
  end else begin : gen_travels
    assign loads = 1'b0;
    logic unused_load;
    assign unused_load = load_i;
  end

  assign text_any = text_len_q != '0;
  assign tag_len  = {packet_q.tag_half, 1'b1};
  assign blocks   = CountBits'((17'(text_len_q) + 17'd15) >> 4);

  ///////////////////////////////////////////////////////////////////////////
  // Beats
  ///////////////////////////////////////////////////////////////////////////

  logic in_beats, kind_ok, last_ok, beat_good, judged_q, good_q;
  logic [3:0] len;
  logic [15:0] keep, keep_q;

  // Of AAD or text, what is left.
  assign ends = (left_q[15:4] == '0) | (left_q == 16'd16);

  always_comb begin
    in_beats = 1'b1;
    len      = (left_q[15:4] != '0) ? 4'd15 : left_q[3:0] - 4'd1;
    case (state_q)
      StAad: begin
        kind_ok = beat_i.kind == BeatAad;
        last_ok = beat_i.last == (ends & ~text_any & ~packet_q.decrypt);
      end
      StText: begin
        kind_ok = beat_i.kind == BeatText;
        last_ok = beat_i.last == (ends & ~packet_q.decrypt);
      end
      default: begin
        in_beats = (state_q == StTag) & packet_q.decrypt;
        len      = tag_len;
        kind_ok  = beat_i.kind == BeatTag;
        last_ok  = beat_i.last;
      end
    endcase
  end

  assign beat_good = beat_i.ok & kind_ok & last_ok & (beat_i.len == len);
  assign keep      = (state_q == StTag) ? keep_of(tag_len) & {16{~packet_q.decrypt}} : keep_of(len);

  ///////////////////////////////////////////////////////////////////////////
  // What is done in the next clock
  ///////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic first;   // to the chain
    logic aad;
    logic rest;
    logic text;
    logic stream;  // a block of the count
    logic tag;
    logic bad;     // a beat makes no sense
    logic error;
    logic drop;    // a beat
  } act_t;

  act_t now, act_q;
  logic first_now, aad_now, rest_now, text_now, stream_now, tag_now, bad_now;
  logic chain_busy_q, stream_busy_q, stream_valid_q, wants_q, core_valid_q;
  logic runs, chain_free, stage_free, out_free, gives, is_chain, chained;

  assign stage_free = ~core_valid_q;
  assign chain_free = ~chain_busy_q & stage_free;
  assign out_free   = ~m_valid_o | m_ready_i;
  assign runs       = state_q inside {StFirst, StAad, StRest, StText, StTag};

  assign first_now  = (state_q == StFirst) & chain_free;
  assign aad_now    = (state_q == StAad) & judged_q & good_q & chain_free;
  assign rest_now   = (state_q == StRest) & chain_free;
  assign text_now   = (state_q == StText) & judged_q & good_q & chain_free & stream_valid_q &
      out_free;
  assign tag_now    = (state_q == StTag) & ~chain_busy_q & stream_valid_q & out_free &
      ((judged_q & good_q) | ~packet_q.decrypt);
  assign bad_now    = in_beats & judged_q & ~good_q;
  // The chain comes first: all else waits for it.
  assign stream_now = runs & wants_q & ~stream_busy_q & ~stream_valid_q & stage_free &
      ~(first_now | aad_now | rest_now | text_now);

  assign now = '{
    first: first_now, aad: aad_now, rest: rest_now, text: text_now, stream: stream_now,
    tag: tag_now, bad: bad_now,
    error: (state_q == StError) & out_free, drop: (state_q == StDrain) & beat_valid_i
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      act_q    <= '0;
      judged_q <= 1'b0;
    end else begin
      act_q    <= (act_q != '0) ? '0 : now;
      // Behind a beat that is taken, the chain is busy for longer than a judgement takes.
      judged_q <= in_beats & beat_valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    good_q <= beat_good;
    keep_q <= keep;
  end

  assign beat_ready_o   = act_q.aad | act_q.text | (act_q.tag & packet_q.decrypt) | act_q.drop;
  assign packet_ready_o = (state_q == StIdle) & ~chain_busy_q & ~stream_busy_q;

  assign after_aad = text_any ? StText : StTag;

  always_comb begin
    state_d = state_q;
    case (state_q)
      StIdle: begin
        if (packet_valid_i) state_d = loads ? StOffer : StFirst;
        if (packet_valid_i && desc_error != ErrNone) state_d = StError;
      end
      StOffer:  if (key_valid_o && key_ready_i) state_d = StExpand;
      StExpand: if (key_ready_i) state_d = StFirst;
      StFirst:  if (act_q.first) state_d = packet_q.has_aad ? StAad : after_aad;
      StAad:    if (act_q.aad && ends) state_d = (beat_i.len > 4'd13) ? StRest : after_aad;
      StRest:   if (act_q.rest) state_d = after_aad;
      StText:   if (act_q.text && ends) state_d = StTag;
      StTag:    if (act_q.tag) state_d = StIdle;
      StError:  if (act_q.error) state_d = drains_q ? StDrain : StIdle;
      StDrain:  if (act_q.drop && beat_i.last) state_d = StIdle;
      default:  state_d = StIdle;
    endcase
    if (act_q.bad) state_d = StError;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (packet_valid_i) begin
      code_q   <= desc_error;
      drains_q <= (desc_i.aad_len != '0) | (desc_i.text_len != '0) | desc_i.decrypt;
      left_q   <= (desc_i.aad_len != '0) ? desc_i.aad_len : desc_i.text_len;
      count_q  <= CountBits'(desc_i.text_len != '0);
    end
    if (act_q.bad) begin
      code_q   <= ErrBeat;
      drains_q <= 1'b1;
    end
    if (act_q.aad && ends) left_q <= text_len_q;
    else if (act_q.aad || act_q.text) left_q <= left_q - 16'd16;
    // From one to the last block of text, then zero. A block of the count takes some clocks.
    counted_q <= count_q == blocks;
    if (act_q.stream) count_q <= counted_q ? '0 : count_q + 1'b1;
  end

  ///////////////////////////////////////////////////////////////////////////
  // To the core
  ///////////////////////////////////////////////////////////////////////////

  logic [127:0] chain_q, stream_q, sum, formatted, operand, text_in, core_block_q;
  logic [15:0] carry_q;
  logic [7:0] flags;

  assign sum = beat_i.data ^ stream_q;

  always_comb begin
    text_in = beat_i.data;
    for (int unsigned n = 0; n < 16; n++) begin
      if (packet_q.decrypt) text_in[8*(15-n)+:8] = sum[8*(15-n)+:8] & {8{keep_q[n]}};
    end
    operand = act_q.text ? text_in : {carry_q, beat_i.data[127:16] & {112{act_q.aad}}};
  end

  assign flags     = {1'b0, packet_q.has_aad & act_q.first,
                      packet_q.tag_half & {3{act_q.first}}, packet_q.q_less_1};
  assign formatted = {flags, packet_q.nonce, act_q.first ? text_len_q : 16'(count_q)};
  assign chained   = act_q.first | act_q.aad | act_q.rest | act_q.text;

  // The two bytes before the AAD are its length; the last two of a beat go to the next block.
  always_ff @(posedge clk_i) begin
    if (packet_valid_i) carry_q <= desc_i.aad_len;
    else if (act_q.aad) carry_q <= beat_i.data[15:0];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) core_valid_q <= 1'b0;
    else core_valid_q <= chained | act_q.stream | (core_valid_q & ~core_ready_i);
  end

  always_ff @(posedge clk_i) begin
    if (stage_free) begin
      core_block_q <= (act_q.first || act_q.stream) ? formatted : chain_q ^ operand;
    end
  end

  assign core_valid_o = core_valid_q;
  assign core_block_o = core_block_q;
  assign key_valid_o  = Stored & (state_q == StOffer) & ~core_valid_q;

  ///////////////////////////////////////////////////////////////////////////
  // From the core, whose results come in their order
  ///////////////////////////////////////////////////////////////////////////

  logic older_q;  // of two blocks in the core the first one is of the chain

  assign is_chain = chain_busy_q & (~stream_busy_q | older_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      chain_busy_q   <= 1'b0;
      stream_busy_q  <= 1'b0;
      stream_valid_q <= 1'b0;
      wants_q        <= 1'b0;
    end else begin
      chain_busy_q   <= chained | (chain_busy_q & ~(core_valid_i & is_chain));
      stream_busy_q  <= act_q.stream | (stream_busy_q & ~(core_valid_i & ~is_chain));
      stream_valid_q <= ((core_valid_i & ~is_chain) | stream_valid_q) &
          ~(act_q.text | act_q.tag | packet_valid_i);
      wants_q        <= packet_valid_i | (wants_q & ~(act_q.stream & (count_q == '0)));
    end
  end

  always_ff @(posedge clk_i) begin
    if (chained) older_q <= ~stream_busy_q;
    else if (act_q.stream) older_q <= chain_busy_q;
    if (core_valid_i && is_chain) chain_q <= core_block_i;
    if (core_valid_i && !is_chain) stream_q <= core_block_i;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Output
  ///////////////////////////////////////////////////////////////////////////

  logic [15:0] wrong, wrong_q;
  logic [127:0] tag, m_data_d;

  assign tag = chain_q ^ stream_q;

  always_comb begin
    for (int unsigned n = 0; n < 16; n++) begin
      wrong[n] = (4'(n) <= tag_len) & (tag[8*(15-n)+:8] != beat_i.data[8*(15-n)+:8]);
    end
  end

  always_ff @(posedge clk_i) wrong_q <= wrong;

  assign gives    = act_q.text | act_q.tag | act_q.error;
  assign m_data_d = act_q.tag ? tag : sum;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) m_valid_o <= 1'b0;
    else m_valid_o <= gives | (m_valid_o & ~m_ready_i);
  end

  always_ff @(posedge clk_i) begin
    if (gives) begin
      for (int unsigned n = 0; n < 16; n++) begin
        m_data_o[8*(15-n)+:8] <= m_data_d[8*(15-n)+:8] & {8{keep_q[n] & ~act_q.error}};
      end
      m_len_o        <= 4'd15;
      m_user_o.last  <= ~act_q.text;
      m_user_o.ok    <= 1'b0;
      m_user_o.error <= ErrNone;
      m_hold_o       <= packet_q.decrypt;
      if (act_q.text) m_len_o <= beat_i.len;
      if (act_q.tag && !packet_q.decrypt) m_len_o <= tag_len;
      if (act_q.tag) begin
        m_user_o.ok <= ~packet_q.decrypt | (wrong_q == '0);
        if (packet_q.decrypt && wrong_q != '0) m_user_o.error <= ErrTag;
      end
      if (act_q.error) m_user_o.error <= code_q;
    end
  end

  logic unused;
  assign unused = ^{desc_i.reserved, desc_i.mode, desc_i.slot, desc_i.nonce[127:104], beat_i.full};

endmodule
