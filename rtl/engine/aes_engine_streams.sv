// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A stream engine: chained modes of many streams at a time, at the full speed of a core.
//
//   s_key  --+--[ keys ]--------------------------+
//   s_desc --+     |                              v
//   s_data --[ intake ]--[ beats ]--+--[ contexts, core, chaining ]--[ queue ]-- m_data
//                  |                ^             |
//                  +--[ scheduler: ready list ]<--+  a block leaves
//
// A block of a chained mode needs the result of the one before, so a stream has one block in the core at
// a time. Another stream takes the next turn: with as many streams as the core has blocks under way, and
// the clocks from a result to the next block of its stream, the core gets a block each interval.
//
// A descriptor (s_desc) opens a message of a stream, tid; its beats come on s_data, its result leaves on
// m_data. All streams are AXI4-Stream (ARM IHI 0051), byte 0 in the lowest lane. A core cannot be held
// back, so a stream gets a turn only when a place for its result is free (credits).
//
// The page "Engines" of AESFab has the theory of operation.

module aes_engine_streams
  import aes_pkg::*;
  import aes_engine_streams_pkg::*;
#(
  parameter cfg_t        Cfg        = with_keys_on_the_fly(DefaultCfg),
  parameter bit          Chained    = 1'b0,  // CFB128, OFB and CMAC too, not CBC alone
  parameter int unsigned NumStreams = 64,    // a power of two from 4 to 128
  parameter int unsigned NumSlots   = 64,    // keys, a power of two from 2 to 128
  parameter bit          Spaced     = 1'b0   // the core takes a block each sixth clock at most
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               s_key_tvalid_i,
  output logic                               s_key_tready_o,
  input  logic [key_width(Cfg.key_size)-1:0] s_key_tdata_i,
  input  logic [11:0]                        s_key_tuser_i,   // {clear all, clear, length, slot}
  input  logic                               s_desc_tvalid_i,
  output logic                               s_desc_tready_o,
  input  logic [$clog2(NumStreams)-1:0]      s_desc_tid_i,
  input  logic [143:0]                       s_desc_tdata_i,  // desc_t
  input  logic                               s_data_tvalid_i,
  output logic                               s_data_tready_o,
  input  logic [$clog2(NumStreams)-1:0]      s_data_tid_i,
  input  logic [127:0]                       s_data_tdata_i,
  input  logic [15:0]                        s_data_tkeep_i,
  input  logic                               s_data_tlast_i,
  output logic                               m_data_tvalid_o,
  input  logic                               m_data_tready_i,
  output logic [$clog2(NumStreams)-1:0]      m_data_tid_o,
  output logic [127:0]                       m_data_tdata_o,
  output logic [15:0]                        m_data_tkeep_o,
  output logic                               m_data_tlast_o,
  output logic [5:0]                         m_data_tuser_o   // {error (4), ok, last}
);

  import aes_engine_pkg::far_clocks;
  import aes_engine_pkg::is_far;
  import aes_engine_pkg::keep_of;
  import aes_engine_pkg::swap_bytes;

  localparam bit Far = is_far(Cfg);
  localparam int unsigned Latency = latency(Cfg, max_key_len(Cfg.key_size)) + far_clocks(Cfg);
  localparam int unsigned KeyWidth = key_width(Cfg.key_size);
  localparam int unsigned StreamBits = $clog2(NumStreams);
  // Clocks from a block's look-up to its result: the ready list is a long one from 16 streams on, and with
  // Spaced it is written a clock later.
  localparam int unsigned Ahead = ((NumStreams < 16) ? 3 : 6) + ((Far || Spaced) ? 1 : 0);
  localparam int unsigned Emitted = Ahead - (Far ? 1 : 0);  // of them, from the beat that is due

  if (Cfg.dir != DirEncrypt) begin : gen_illegal_direction
    $fatal(1, "aes_engine_streams: blocks are encrypted");
  end
  if (Cfg.clear || Cfg.hardened) begin : gen_illegal_guard
    $fatal(1, "aes_engine_streams: faults of a core and its clearing are not told further");
  end
  if (Cfg.key_sched != KeysOnTheFly || Cfg.key_size == KeySizeAny) begin : gen_illegal_keys
    $fatal(1, "aes_engine_streams: keys of one size travel with their blocks");
  end
  if (Latency < 11 || Latency > 252) begin : gen_illegal_latency
    $fatal(1, "aes_engine_streams: the latency must be 11 to 250 clocks");
  end
  if (NumStreams < 4 || NumStreams > 128 || 2 ** StreamBits != NumStreams)
  begin : gen_illegal_streams
    $fatal(1, "aes_engine_streams: NumStreams must be a power of two from 4 to 128");
  end
  if (NumSlots < 2 || NumSlots > 128 || 2 ** $clog2(NumSlots) != NumSlots) begin : gen_illegal_slots
    $fatal(1, "aes_engine_streams: NumSlots must be a power of two from 2 to 128");
  end

  logic ready;
  logic [7:0] sweep;
  logic desc_write, desc_spare, desc_free, desc_place;
  logic [KeyWidth-1:0] desc_key;
  logic [127:0] desc_iv;
  info_t desc_info;
  logic held_load, held_valid, held_take, held_first;
  logic [StreamBits-1:0] held_stream;
  logic [127:0] held_data;
  logic [1:0] held_entry;
  shape_t held_shape, beat_shape;
  logic spare_valid, spare_ready, spare_result;
  logic turn_valid, turn_ready, turn_spare, turn_place;
  logic [StreamBits-1:0] turn_stream, leave_stream, result_stream;
  logic [1:0] turn_entry;
  logic leave_valid, emit, drop, room_q;
  meta_t leave, result_meta;
  logic [127:0] result;

  aes_engine_streams_keys #(
    .Chained (Chained),
    .Late    (Far || Spaced),
    .KeyWidth(KeyWidth),
    .NumSlots(NumSlots)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .ready_o       (ready),
    .sweep_o       (sweep),
    .s_key_tvalid_i,
    .s_key_tready_o,
    .s_key_tdata_i,
    .s_key_tuser_i,
    .s_desc_tvalid_i,
    .s_desc_tready_o,
    .s_desc_tdata_i,
    .place_i       (desc_free),
    .write_o       (desc_write),
    .write_spare_o (desc_spare),
    .key_o         (desc_key),
    .iv_o          (desc_iv),
    .info_o        (desc_info),
    .spare_valid_o (spare_valid),
    .spare_ready_i (spare_ready),
    .result_valid_i(spare_result),
    .result_i      (result)
  );

  aes_engine_streams_intake #(
    .Chained   (Chained),
    .Whole     (!Chained),
    .StreamBits(StreamBits)
  ) u_intake (
    .clk_i,
    .rst_ni,
    .ready_i (ready),
    .s_data_tvalid_i,
    .s_data_tready_o,
    .s_data_tid_i,
    .s_data_tdata_i,
    .s_data_tkeep_i,
    .s_data_tlast_i,
    .load_o  (held_load),
    .valid_o (held_valid),
    .take_i  (held_take),
    .stream_o(held_stream),
    .data_o  (held_data),
    .shape_o (held_shape)
  );

  aes_engine_streams_scheduler #(
    .NumStreams(NumStreams),
    .Chained   (Chained),
    .Far       (Far),
    .Spaced    (Spaced)
  ) u_scheduler (
    .clk_i,
    .rst_ni,
    .sweep_i       (~ready),
    .sweep_stream_i(sweep[StreamBits-1:0]),
    .desc_stream_i (s_desc_tid_i),
    .desc_write_i  (desc_write),
    .desc_free_o   (desc_free),
    .desc_place_o  (desc_place),
    .beat_load_i   (held_load),
    .beat_stream_i (s_data_tid_i),
    .held_valid_i  (held_valid),
    .held_last_i   (held_shape.last),
    .held_stream_i (held_stream),
    .held_first_o  (held_first),
    .held_take_o   (held_take),
    .held_entry_o  (held_entry),
    .spare_valid_i (spare_valid),
    .spare_ready_o (spare_ready),
    .leave_valid_i (leave_valid & ~leave.spare),
    .leave_stream_i(leave_stream),
    .leave_last_i  (leave.last),
    .leave_gives_i (leave.gives),
    .leave_error_i (leave.error != ErrNone),
    .emit_o        (emit),
    .drop_o        (drop),
    .turn_ready_i  (turn_ready & room_q),
    .turn_valid_o  (turn_valid),
    .turn_spare_o  (turn_spare),
    .turn_stream_o (turn_stream),
    .turn_entry_o  (turn_entry),
    .turn_place_o  (turn_place)
  );

  always_comb begin
    beat_shape       = held_shape;
    beat_shape.first = held_first;
  end

  aes_engine_streams_datapath #(
    .Cfg       (Cfg),
    .Chained   (Chained),
    .Spaced    (Spaced),
    .NumStreams(NumStreams),
    .Ahead     (Ahead)
  ) u_datapath (
    .clk_i,
    .rst_ni,
    .ready_i        (ready),
    .desc_write_i   (desc_write),
    .desc_spare_i   (desc_spare),
    .desc_stream_i  (s_desc_tid_i),
    .desc_place_i   (desc_place),
    .desc_key_i     (desc_key),
    .desc_iv_i      (desc_iv),
    .desc_info_i    (desc_info),
    .beat_write_i   (held_take),
    .beat_stream_i  (held_stream),
    .beat_entry_i   (held_entry),
    .beat_data_i    (held_data),
    .beat_shape_i   (beat_shape),
    .turn_valid_i   (turn_valid & room_q),
    .turn_ready_o   (turn_ready),
    .turn_spare_i   (turn_spare),
    .turn_stream_i  (turn_stream),
    .turn_entry_i   (turn_entry),
    .turn_place_i   (turn_place),
    .leave_valid_o  (leave_valid),
    .leave_stream_o (leave_stream),
    .leave_o        (leave),
    .result_o       (result),
    .spare_valid_o  (spare_result),
    .result_stream_o(result_stream),
    .result_meta_o  (result_meta)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Results and their places
  ///////////////////////////////////////////////////////////////////////////

  localparam int unsigned Places = Spaced ? 16 : 2 ** $clog2(Latency + 28);
  localparam int unsigned CountBits = $clog2(Places + 1);

  typedef struct packed {
    logic [StreamBits-1:0] stream;
    logic                  last;
    error_e                error;
    logic                  none;
    logic [3:0]            len;
    logic [127:0]          data;
  } word_t;
  localparam int unsigned WordWidth = $bits(word_t);

  // Around a pipeline a turn for a key alone and a beat that is dropped may leave at once.
  localparam bit Apart = Far && Chained;

  logic [CountBits-1:0] free_q;
  logic [Emitted:1] emit_q;
  logic taken, freed, freed_q, dropped_q, spare_left_q, out_valid;
  word_t word_in, word;

  assign taken = turn_valid & turn_ready & room_q;

  // A place is taken with a turn; it is free again when its result has left, or when there is none.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_q       <= CountBits'(Places);
      room_q       <= 1'b0;
      freed_q      <= 1'b0;
      dropped_q    <= 1'b0;
      spare_left_q <= 1'b0;
      emit_q       <= '0;
    end else begin
      free_q       <= free_q - CountBits'(taken) + CountBits'(freed_q) + CountBits'(dropped_q) +
          CountBits'(spare_left_q && Apart);
      room_q       <= free_q > CountBits'(4);
      freed_q      <= freed;
      dropped_q    <= drop | (spare_left_q & ~Apart);
      spare_left_q <= leave_valid & leave.spare;
      emit_q       <= {emit_q[Emitted-1:1], emit};
    end
  end

  assign word_in.stream = result_stream;
  assign word_in.last   = result_meta.last | (result_meta.error != ErrNone);
  assign word_in.error  = result_meta.error;
  assign word_in.none   = result_meta.none;
  assign word_in.len    = result_meta.len;
  assign word_in.data   = result;

  // The places were counted (free_q), so there is one for each result.
  if (Far) begin : gen_far
    // A sum is not in the RAM in the clock in which it is made.
    logic word_valid_q;
    word_t word_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) word_valid_q <= 1'b0;
      else word_valid_q <= emit_q[Emitted];
    end
    always_ff @(posedge clk_i) word_q <= word_in;

    aes_engine_leave #(
      .Depth(Places),
      .Width(WordWidth)
    ) u_leave (
      .clk_i,
      .rst_ni,
      .valid_i(word_valid_q),
      .data_i (word_q),
      .freed_o(freed),
      .valid_o(out_valid),
      .ready_i(m_data_tready_i),
      .data_o (word)
    );
  end else begin : gen_near
    logic unused_room;

    aes_engine_fifo #(
      .Depth (Places),
      .Width (WordWidth),
      .Block (1'b1),
      .Spaced(Spaced)
    ) u_results (
      .clk_i,
      .rst_ni,
      .valid_i(emit_q[Emitted]),
      .ready_o(unused_room),
      .data_i (word_in),
      .valid_o(out_valid),
      .ready_i(m_data_tready_i),
      .data_o (word)
    );
    assign freed = out_valid & m_data_tready_i;
  end

  assign m_data_tvalid_o = out_valid;
  assign m_data_tid_o    = word.stream;
  assign m_data_tdata_o  = swap_bytes(word.data);
  assign m_data_tkeep_o  = word.none ? '0 : Chained ? keep_of(word.len) : '1;
  assign m_data_tlast_o  = word.last;
  assign m_data_tuser_o  = {1'b0, word.error, word.last & (word.error == ErrNone), word.last};

  logic unused;
  assign unused = ^{
    sweep, leave, result_meta.spare, result_meta.gives, result_meta.add,
    result_meta.keep_e, result_meta.keep_x
  };

endmodule
