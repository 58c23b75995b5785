// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Contexts of streams in RAMs, and the chaining of their blocks around the core:
//
//   turn --[ beats     ]-- text --(&)--+
//        --[ IV, or K1 ]-----------(&)-(+)--[ core, never stalls ]--(+)--|R|-- result_o
//        --[ chaining  ]-----------(&)-+         ^                   ^    |
//        --[ keys      ]-------------------------+                   |    |
//   text --[ delay, as long as the core ]--------------------(&)-----+    |
//        --[ chaining ]<--------------------------------------------------+
//
//   mode     into the core                            result           next chaining value
//   CBC      text + chaining                          core             core
//   CFB128   chaining                                 core + text      ciphertext: result or text
//   OFB      chaining                                 core + text      core
//   CMAC     text + chaining, at the end + K1 or K2   core, at the end core
//
// The first block of a message takes the IV in place of the chaining value, that of CMAC nothing. K2 is
// K1 doubled. With CBC alone there are no delay of text, no sum behind the core and no K1.
//
//   clock   0  turn_valid_i, turn_ready_o        core's result in clock E
//           1  address of shape and mode           E + 1  result_o, chaining value is written
//           2  address of text, IV, chaining       E + 2  and can be read
//           4  into the core (5 with Chained or Spaced)
//
// leave_o comes Ahead clocks before a result, so that its stream can have its next turn in clock E.
// A core that takes blocks seldom (Spaced) finds the next one ready; the addresses wait for it.

module aes_engine_streams_datapath
  import aes_pkg::*;
  import aes_engine_streams_pkg::*;
#(
  parameter cfg_t        Cfg        = DefaultCfg,
  parameter bit          Chained    = 1'b0,        // CFB128, OFB and CMAC too, not CBC alone
  parameter bit          Spaced     = 1'b0,        // a block each sixth clock at most
  parameter int unsigned NumStreams = 64,
  parameter int unsigned Ahead      = 6,
  localparam int unsigned KeyWidth   = key_width(Cfg.key_size),
  localparam int unsigned StreamBits = $clog2(NumStreams)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  ready_i,        // the sweep after a reset has ended

  // A message takes its place
  input  logic                  desc_write_i,
  input  logic                  desc_spare_i,   // the key alone, for the spare stream
  input  logic [StreamBits-1:0] desc_stream_i,
  input  logic                  desc_place_i,
  input  logic [KeyWidth-1:0]   desc_key_i,
  input  logic [127:0]          desc_iv_i,
  input  info_t                 desc_info_i,

  // A beat takes its place
  input  logic                  beat_write_i,
  input  logic [StreamBits-1:0] beat_stream_i,
  input  logic [1:0]            beat_entry_i,
  input  logic [127:0]          beat_data_i,
  input  shape_t                beat_shape_i,

  // Turns
  input  logic                  turn_valid_i,
  output logic                  turn_ready_o,
  input  logic                  turn_spare_i,
  input  logic [StreamBits-1:0] turn_stream_i,
  input  logic [1:0]            turn_entry_i,
  input  logic                  turn_place_i,

  // Blocks that leave
  output logic                  leave_valid_o,
  output logic [StreamBits-1:0] leave_stream_o,
  output meta_t                 leave_o,

  // Their results, Ahead + 1 clocks later
  output logic [127:0]          result_o,
  output logic                  spare_valid_o,
  output logic [StreamBits-1:0] result_stream_o,
  output meta_t                 result_meta_o
);

  import aes_engine_pkg::far_clocks;
  import aes_engine_pkg::is_far;
  import aes_engine_pkg::keep_of;

  localparam bit Far = is_far(Cfg);
  localparam int unsigned Latency = latency(Cfg, max_key_len(Cfg.key_size)) + far_clocks(Cfg);

  ///////////////////////////////////////////////////////////////////////////
  // A turn: addresses
  ///////////////////////////////////////////////////////////////////////////

  logic pop, busy_q, accept, core_ready, core_valid;
  logic spare_1_q, spare_2_q, spare_3_q, place_1_q, place_2_q;
  logic [1:0] entry_1_q, entry_2_q;
  logic [StreamBits-1:0] stream_1_q, stream_2_q, stream_3_q, stream_4_q;
  logic [3:1] step_q;

  assign turn_ready_o = ~(Spaced & busy_q);
  assign pop          = turn_valid_i & turn_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= '0;
      busy_q <= 1'b0;
    end else begin
      step_q <= {step_q[2:1], pop};
      busy_q <= pop | (busy_q & ~accept);
    end
  end

  always_ff @(posedge clk_i) begin
    if (pop) begin
      spare_1_q  <= turn_spare_i;
      stream_1_q <= turn_stream_i;
      entry_1_q  <= turn_entry_i;
      place_1_q  <= turn_place_i;
    end
    spare_2_q  <= spare_1_q;
    stream_2_q <= stream_1_q;
    entry_2_q  <= entry_1_q;
    place_2_q  <= place_1_q;
    spare_3_q  <= spare_2_q;
    stream_3_q <= stream_2_q;
    stream_4_q <= stream_3_q;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Contexts
  ///////////////////////////////////////////////////////////////////////////

  shape_t shape;
  info_t info;
  logic [127:0] text, iv, chain;
  logic [KeyWidth-1:0] key;
  logic [127:0] chain_next;
  logic chain_write;
  logic [StreamBits-1:0] chain_stream;

  // What is written, by a register where it comes from far away: it is in its RAM two clocks after
  // beat_write_i or desc_write_i then, and its stream's turn looks for it in the third one at the earliest.
  typedef struct packed {
    logic [StreamBits-1:0] stream;
    logic [1:0]            entry;
    logic [127:0]          data;
    shape_t                shape;
  } beat_t;

  typedef struct packed {
    logic                  spare;
    logic [StreamBits-1:0] stream;
    logic                  place;
    logic [KeyWidth-1:0]   key;
    logic [127:0]          iv;
    info_t                 info;
  } message_t;

  logic beat_write, desc_write, spare_write;
  beat_t beat_in, beat;
  message_t message_in, message;

  assign beat_in = {beat_stream_i, beat_entry_i, beat_data_i, beat_shape_i};
  assign message_in = {
    desc_spare_i,
    desc_spare_i ? StreamBits'(0) : desc_stream_i,
    desc_place_i & ~desc_spare_i,
    desc_key_i,
    desc_iv_i,
    desc_info_i
  };

  if (Far) begin : gen_write_later
    logic [2:0] write_q;
    beat_t beat_q;
    message_t message_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) write_q <= '0;
      else write_q <= {beat_write_i, desc_write_i, desc_spare_i};
    end
    always_ff @(posedge clk_i) begin
      beat_q    <= beat_in;
      message_q <= message_in;
    end
    assign {beat_write, desc_write, spare_write} = write_q;
    assign beat                                  = beat_q;
    assign message                               = message_q;
  end else begin : gen_write_now
    assign {beat_write, desc_write, spare_write} = {beat_write_i, desc_write_i, desc_spare_i};
    assign beat                                  = beat_in;
    assign message                               = message_in;
  end

  aes_engine_streams_ram #(
    .Depth(4 * NumStreams),
    .Width($bits(shape_t))
  ) u_shapes (
    .clk_i,
    .write_i(beat_write),
    .waddr_i({beat.stream, beat.entry}),
    .wdata_i(beat.shape),
    .raddr_i({stream_1_q, entry_1_q}),
    .rdata_o(shape)
  );

  aes_engine_streams_ram #(
    .Depth(2 * NumStreams),
    .Width($bits(info_t))
  ) u_infos (
    .clk_i,
    .write_i(desc_write),
    .waddr_i({message.stream, message.place}),
    .wdata_i(message.info),
    .raddr_i({stream_1_q, place_1_q}),
    .rdata_o(info)
  );

  aes_engine_streams_ram #(
    .Depth(4 * NumStreams),
    .Width(128)
  ) u_beats (
    .clk_i,
    .write_i(beat_write),
    .waddr_i({beat.stream, beat.entry}),
    .wdata_i(beat.data),
    .raddr_i({stream_2_q, entry_2_q}),
    .rdata_o(text)
  );

  aes_engine_streams_ram #(
    .Depth(2 * NumStreams),
    .Width(128)
  ) u_ivs (
    .clk_i,
    .write_i(desc_write),
    .waddr_i({message.stream, message.place}),
    .wdata_i(message.iv),
    .raddr_i({stream_2_q, place_2_q}),
    .rdata_o(iv)
  );

  aes_engine_streams_ram #(
    .Depth(4 * NumStreams),
    .Width(KeyWidth)
  ) u_keys (
    .clk_i,
    .write_i(desc_write | spare_write),
    .waddr_i({message.spare, message.stream, message.place}),
    .wdata_i(message.key),
    .raddr_i({spare_2_q, stream_2_q, place_2_q}),
    .rdata_o(key)
  );

  aes_engine_streams_ram #(
    .Depth(NumStreams),
    .Width(128)
  ) u_chains (
    .clk_i,
    .write_i(chain_write),
    .waddr_i(chain_stream),
    .wdata_i(chain_next),
    .raddr_i(stream_2_q),
    .rdata_o(chain)
  );

  ///////////////////////////////////////////////////////////////////////////
  // What the mode makes of them
  ///////////////////////////////////////////////////////////////////////////

  logic cbc, cfb, cmac, bad;
  logic first, use_chain, use_iv, use_text, use_k2;
  meta_t meta;

  assign cbc  = info.mode == ModeCbc;
  assign cfb  = info.mode == ModeCfb;
  assign cmac = info.mode == ModeCmac;
  // A partial beat comes last, an empty one alone; CBC has neither.
  assign bad = ~shape.ok | (~shape.full & (~shape.last | cbc | ~Chained)) |
      (shape.none & ~shape.first);

  always_comb begin
    meta.spare  = spare_3_q;
    meta.last   = shape.last;
    meta.error  = info.error;
    if (info.error == ErrNone && bad) meta.error = ErrBeat;
    meta.gives  = ~cmac | shape.last | ~Chained;
    meta.none   = (shape.none & ~cmac & Chained) | (meta.error != ErrNone);
    meta.len    = (cmac | ~Chained) ? 4'd15 : shape.len;
    meta.add    = ~cbc & ~cmac;
    meta.keep_e = ~(cfb & info.decrypt);
    meta.keep_x = cfb;
    if (spare_3_q) begin
      meta.error = ErrNone;
      meta.gives = 1'b0;
      meta.none  = 1'b0;
      meta.len   = 4'd15;
      meta.add   = 1'b0;
    end
  end

  assign first     = shape.first;
  assign use_chain = ~first & ~spare_3_q;
  assign use_iv    = ~spare_3_q & (cmac ? (shape.last & shape.full) : first);
  assign use_text  = ~spare_3_q & (cbc | cmac);
  assign use_k2    = ~spare_3_q & cmac & shape.last & ~shape.full;

  meta_t meta_q, meta_in;
  logic first_q;

  always_ff @(posedge clk_i) begin
    meta_q  <= meta;
    first_q <= first;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Into the core
  ///////////////////////////////////////////////////////////////////////////

  logic last_step, valid_q;
  block_t core_in, core_out;
  logic [KeyWidth-1:0] core_key;
  logic [255:0] in_key;
  logic [StreamBits-1:0] stream_in;

  assign accept = core_valid & core_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= last_step | (Spaced & valid_q & ~core_ready);
  end

  assign core_valid = valid_q;

  if (Chained || Spaced) begin : gen_by_registers
    // The RAMs may stand far from the core.
    logic [127:0] in;
    logic [KeyWidth-1:0] key_q;
    logic step_4_q;
    meta_t meta_late_q;
    logic [StreamBits-1:0] stream_5_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) step_4_q <= 1'b0;
      else step_4_q <= step_q[3];
    end
    always_ff @(posedge clk_i) begin
      key_q       <= key;
      meta_late_q <= meta_q;
      stream_5_q  <= stream_4_q;
    end

    if (Chained) begin : gen_chained
      logic [127:0] sum_q, more_q;
      logic use_chain_q, use_iv_q, use_text_q, use_k2_q;
      always_ff @(posedge clk_i) begin
        use_chain_q <= use_chain;
        use_iv_q    <= use_iv;
        use_text_q  <= use_text;
        use_k2_q    <= use_k2;
        sum_q       <= (chain & {128{use_chain_q}}) ^ (iv & {128{use_iv_q}});
        more_q      <= (text & {128{use_text_q}}) ^ (double(iv) & {128{use_k2_q}});
      end
      assign in = sum_q ^ more_q;
      logic unused_first;
      assign unused_first = first_q;
    end else begin : gen_cbc
      logic [127:0] sum_q;
      always_ff @(posedge clk_i) sum_q <= (first_q ? iv : chain) ^ text;
      assign in = sum_q;
      logic unused_use;
      assign unused_use = ^{use_chain, use_iv, use_text, use_k2};
    end

    assign last_step = step_4_q;
    assign core_in   = in;
    assign core_key  = key_q;
    assign meta_in   = meta_late_q;
    assign stream_in = stream_5_q;
  end else begin : gen_by_rams
    assign last_step = step_q[3];
    assign core_in   = (first_q ? iv : chain) ^ text;
    assign core_key  = key;
    assign meta_in   = meta_q;
    assign stream_in = stream_4_q;

    logic unused_use;
    assign unused_use = ^{use_chain, use_iv, use_text, use_k2};
  end

  if (KeyWidth < 256) begin : gen_short_key
    assign in_key = {core_key, (256 - KeyWidth)'(0)};
  end else begin : gen_long_key
    assign in_key = core_key;
  end

  logic unused_core, unused_valid, unused_key_ready;
  assign unused_core = ^{unused_key_ready, unused_valid};

  aes_engine_core #(
    .Cfg(Cfg),
    .Far(Far)
  ) u_core (
    .clk_i,
    .rst_ni,
    .key_valid_i (1'b0),
    .key_ready_o (unused_key_ready),
    .key_i       ('0),
    .key_len_i   (max_key_len(Cfg.key_size)),
    .in_valid_i  (core_valid),
    .in_ready_o  (core_ready),
    .in_block_i  (core_in),
    .in_decrypt_i(1'b0),
    .in_key_i    (in_key),
    .out_valid_o (unused_valid),
    .out_block_o (core_out)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Beside the core
  ///////////////////////////////////////////////////////////////////////////

  localparam int unsigned LeaveWidth = 1 + StreamBits + $bits(meta_t);
  // A register behind the delay, where there is room for it.
  localparam bit LeaveLate = Latency >= Ahead + 5;

  logic leave_valid;
  logic [LeaveWidth-1:0] leaving, left;

  aes_engine_streams_delay #(
    .Clocks(Latency - Ahead - (LeaveLate ? 1 : 0)),
    .Width (LeaveWidth)
  ) u_metas (
    .clk_i,
    .rst_ni,
    .data_i({accept, stream_in, meta_in}),
    .data_o(leaving)
  );

  if (LeaveLate) begin : gen_leave_later
    logic [LeaveWidth-1:0] leaving_late_q;
    always_ff @(posedge clk_i) leaving_late_q <= leaving;
    assign left = leaving_late_q;
  end else begin : gen_leave_now
    assign left = leaving;
  end

  assign {leave_valid, leave_stream_o, leave_o} = left;

  // What was under way at a reset has left before the sweep has ended.
  assign leave_valid_o = leave_valid & ready_i;

  // The same at the core's result (Ahead), and a clock later.
  logic [Ahead+1:1] spare_valid_q;
  logic [StreamBits-1:0] stream_q[Ahead+2];
  meta_t late_q[Ahead+2];
  logic [15:0] keep_q;
  logic chain_write_q;

  always_comb begin
    stream_q[0] = leave_stream_o;
    late_q[0]   = leave_o;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) spare_valid_q <= '0;
    else spare_valid_q <= {spare_valid_q[Ahead:1], leave_valid_o & leave_o.spare};
  end
  for (genvar n = 1; n < Ahead + 2; n++) begin : gen_late
    always_ff @(posedge clk_i) begin
      stream_q[n] <= stream_q[n-1];
      late_q[n]   <= late_q[n-1];
    end
  end
  always_ff @(posedge clk_i) keep_q <= late_q[Ahead-1].none ? '0 : keep_of(late_q[Ahead-1].len);

  ///////////////////////////////////////////////////////////////////////////
  // Behind the core
  ///////////////////////////////////////////////////////////////////////////

  logic [127:0] added, result_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned n = 0; n < 16; n++) begin
      if (!keep_q[n]) result_q[8*(15-n)+:8] <= '0;
      else result_q[8*(15-n)+:8] <= core_out[8*(15-n)+:8] ^ added[8*(15-n)+:8];
    end
  end

  assign result_o        = result_q;
  assign spare_valid_o   = spare_valid_q[Ahead+1];
  assign result_stream_o = stream_q[Ahead+1];
  assign result_meta_o   = late_q[Ahead+1];

  // Written in each clock in which no other stream's value could be lost.
  assign chain_write  = chain_write_q;
  assign chain_stream = stream_q[Ahead+1];

  logic [Ahead:1] leaving_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      leaving_q     <= '0;
      chain_write_q <= 1'b0;
    end else begin
      leaving_q     <= {leaving_q[Ahead-1:1], leave_valid_o & ~leave_o.spare};
      chain_write_q <= leaving_q[Ahead];
    end
  end

  if (Chained) begin : gen_add
    logic [127:0] text_late, chain_q;

    aes_engine_streams_delay #(
      .Clocks(Latency + (Spaced ? 0 : 1)),
      .Width (128)
    ) u_texts (
      .clk_i,
      .rst_ni,
      .data_i(text),
      .data_o(text_late)
    );

    assign added = text_late & {128{late_q[Ahead].add}};
    always_ff @(posedge clk_i) begin
      chain_q <= (core_out & {128{late_q[Ahead].keep_e}}) ^
          (text_late & {128{late_q[Ahead].keep_x}});
    end
    assign chain_next = chain_q;
  end else begin : gen_no_add
    assign added      = '0;
    assign chain_next = result_q;
  end

endmodule
