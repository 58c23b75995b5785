// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Which stream gets the next turn in the core:
//
//   beat ---[ tables: beats, messages ]---+--[ ready list ]-- turn_o
//   block that leaves ---[ tables ]-------+
//
// A stream has a small buffer of beats, a ring with a write count w (a beat comes) and a read count r
// (its block leaves). It is in the ready list or in the core where w /= r, and once alone: a beat that
// comes to an empty ring puts it into the list, and so does a block that leaves while there are more.
// So the list never overflows, and a stream has one block in the core at most.
//
//   clock of a beat    0  taken from the stream, its counts are read
//                      1  written to the buffer, its stream goes to the list where w = r
//   clock of a block   0  the counts of its stream are read
//                      1  r counts; more beats, also one that comes in these clocks: back to the list
//                      2  the list is written
//                      3  turn_o at the earliest; 6 where the list is block RAM (from 16 streams on)
//                      (with Far the counts that were read go to registers first: all a clock later)
//
// With Spaced it is decided in one clock what is done in the next one. The counts of a beat that is held
// are read in each clock; it is written in clock 3, and its stream goes to the list in clock 4. A stream
// whose block has left goes to the list in clock 2.
//
// Messages: descriptors (d), beats with tlast that came (e) and that left (f) are counted too, by four. A
// beat waits until its message is open (d /= e), a descriptor until less than two messages are (d - f).

module aes_engine_streams_scheduler
  import aes_engine_streams_pkg::*;
#(
  parameter int unsigned NumStreams = 64,
  parameter bit          Chained    = 1'b0,
  parameter bit          Far        = 1'b0,
  parameter bit          Spaced     = 1'b0,  // a beat each second clock at most
  localparam int unsigned StreamBits = $clog2(NumStreams)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  sweep_i,        // all counts are overwritten with zero
  input  logic [StreamBits-1:0] sweep_stream_i,

  // Descriptors
  input  logic [StreamBits-1:0] desc_stream_i,
  input  logic                  desc_write_i,
  output logic                  desc_free_o,    // a clock late: its stream has a free place
  output logic                  desc_place_o,   // which one

  // Beats
  input  logic                  beat_load_i,    // it goes to the buffer register
  input  logic [StreamBits-1:0] beat_stream_i,
  input  logic                  held_valid_i,   // of the buffer register
  input  logic                  held_last_i,
  input  logic [StreamBits-1:0] held_stream_i,
  output logic                  held_first_o,   // it is the first one of its message
  output logic                  held_take_o,    // it is written to its ring
  output logic [1:0]            held_entry_o,   // at this place of it

  // The spare stream
  input  logic                  spare_valid_i,
  output logic                  spare_ready_o,

  // Blocks that leave the core
  input  logic                  leave_valid_i,
  input  logic [StreamBits-1:0] leave_stream_i,
  input  logic                  leave_last_i,
  input  logic                  leave_gives_i,  // a beat of the result
  input  logic                  leave_error_i,  // its message is wrong from here on
  output logic                  emit_o,         // a clock later, or two: a beat of a result is due
  output logic                  drop_o,         // then: none is

  // Turns
  input  logic                  turn_ready_i,
  output logic                  turn_valid_o,
  output logic                  turn_spare_o,
  output logic [StreamBits-1:0] turn_stream_o,
  output logic [1:0]            turn_entry_o,
  output logic                  turn_place_o
);

  typedef struct packed {
    logic                  spare;
    logic                  place;
    logic [1:0]            entry;
    logic [StreamBits-1:0] stream;
  } turn_t;

  // Counts that beats write.
  typedef struct packed {
    logic [2:0] w;
    logic [1:0] e;
    logic       going;  // of a message: the next beat is not its first one
  } in_t;

  // Counts that leaving blocks write.
  typedef struct packed {
    logic [2:0] r;
    logic [1:0] f;
    logic       failed;  // the message is wrong, the rest of it is dropped
  } out_t;

  // A block that leaves.
  typedef struct packed {
    logic [StreamBits-1:0] stream;
    logic                  last;
    logic                  gives;
    logic                  error;
    logic                  came;    // a beat comes to its stream while the counts are read
    logic [2:0]            w;
    out_t                  out;
  } leave_t;

  // All streams and the spare one.
  localparam int unsigned ListDepth = (NumStreams < 16) ? 16 : (NumStreams < 32) ? 32 : NumStreams;

  out_t unused_left;
  logic fire, push_leave, push_held, push_spare, same_leave;
  turn_t turn_held, turn_leave;
  in_t in_beat, in_leave, in_q, in_next;
  out_t out_beat, out_leave, out_next_q;
  logic [1:0] opened_beat, opened_desc, opened_q, opened_next;
  out_t out_desc;
  logic [StreamBits-1:0] beat_stream;  // whose counts are read

  ///////////////////////////////////////////////////////////////////////////
  // Tables
  ///////////////////////////////////////////////////////////////////////////

  aes_engine_streams_table #(
    .Depth(NumStreams),
    .Width($bits(in_t))
  ) u_in (
    .clk_i,
    .write_i (sweep_i | fire),
    .waddr_i (sweep_i ? sweep_stream_i : held_stream_i),
    .wdata_i (sweep_i ? '0 : in_next),
    .raddr0_i(beat_stream),
    .rdata0_o(in_beat),
    .raddr1_i(leave_stream_i),
    .rdata1_o(in_leave)
  );

  logic leave_q;
  logic [StreamBits-1:0] leave_stream_q;

  aes_engine_streams_table #(
    .Depth(NumStreams),
    .Width($bits(out_t))
  ) u_out (
    .clk_i,
    .write_i (sweep_i | leave_q),
    .waddr_i (sweep_i ? sweep_stream_i : leave_stream_q),
    .wdata_i (sweep_i ? '0 : out_next_q),
    .raddr0_i(beat_stream),
    .rdata0_o(out_beat),
    .raddr1_i(leave_stream_i),
    .rdata1_o(out_leave)
  );

  // The same once more, for descriptors.
  aes_engine_streams_table #(
    .Depth(NumStreams),
    .Width(2)
  ) u_opened (
    .clk_i,
    .write_i (sweep_i | desc_write_i),
    .waddr_i (sweep_i ? sweep_stream_i : desc_stream_i),
    .wdata_i (sweep_i ? '0 : opened_next),
    .raddr0_i(beat_stream),
    .rdata0_o(opened_beat),
    .raddr1_i(desc_stream_i),
    .rdata1_o(opened_desc)
  );

  aes_engine_streams_table #(
    .Depth(NumStreams),
    .Width($bits(out_t))
  ) u_left (
    .clk_i,
    .write_i (sweep_i | leave_q),
    .waddr_i (sweep_i ? sweep_stream_i : leave_stream_q),
    .wdata_i (sweep_i ? '0 : out_next_q),
    .raddr0_i(desc_stream_i),
    .rdata0_o(out_desc),
    .raddr1_i(desc_stream_i),
    .rdata1_o(unused_left)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Descriptors
  ///////////////////////////////////////////////////////////////////////////

  logic [1:0] desc_opened_q;
  logic desc_free_q;

  // The stream stays the same until its descriptor is taken.
  always_ff @(posedge clk_i) begin
    desc_opened_q <= opened_desc;
    desc_free_q   <= ((opened_desc ^ out_desc.f) != 2'b10);
  end

  assign desc_free_o  = desc_free_q;
  assign desc_place_o = desc_opened_q[0];
  assign opened_next  = desc_opened_q + 1'b1;

  ///////////////////////////////////////////////////////////////////////////
  // Beats
  ///////////////////////////////////////////////////////////////////////////

  logic [2:0] r_q;

  if (Spaced) begin : gen_read_held
    // The counts of the beat that is held, again in each clock.
    assign beat_stream = held_stream_i;
    always_ff @(posedge clk_i) begin
      in_q     <= in_beat;
      r_q      <= (leave_q && same_leave) ? out_next_q.r : out_beat.r;
      opened_q <= opened_beat;
    end
    logic unused_load;
    assign unused_load = ^{beat_load_i, beat_stream_i};
  end else begin : gen_read_next
    assign beat_stream = beat_stream_i;
    always_ff @(posedge clk_i) begin
      if (beat_load_i) begin
        // A beat that is held leaves the register for its ring then: fire is high.
        in_q     <= (held_valid_i && held_stream_i == beat_stream_i) ? in_next : in_beat;
        r_q      <= (leave_q && leave_stream_q == beat_stream_i) ? out_next_q.r : out_beat.r;
        opened_q <= (desc_write_i && desc_stream_i == beat_stream_i) ? opened_next : opened_beat;
      end else begin
        if (leave_q && same_leave) r_q <= out_next_q.r;
        if (desc_write_i && desc_stream_i == held_stream_i) opened_q <= opened_next;
      end
    end
  end

  logic room, empty, push_other;

  // Its ring has a place, its message is open: once that is so it stays so.
  assign room  = held_valid_i & ((in_q.w ^ r_q) != 3'b100) & (opened_q != in_q.e);
  assign empty = in_q.w == r_q;

  turn_t held;
  assign held = {1'b0, in_q.e[0], in_q.w[1:0], held_stream_i};

  if (Spaced) begin : gen_fire_first
    // It is taken by a register, and goes to the list when that has time.
    logic seen_q, fire_q, waits_q;
    turn_t waiting_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        seen_q  <= 1'b0;
        fire_q  <= 1'b0;
        waits_q <= 1'b0;
      end else begin
        seen_q  <= held_valid_i & ~fire;
        fire_q  <= room & seen_q & ~fire;
        waits_q <= (fire & empty) | (waits_q & push_leave);
      end
    end
    always_ff @(posedge clk_i) if (fire) waiting_q <= held;
    assign fire      = fire_q;
    assign push_held = waits_q;
    assign turn_held = waiting_q;
  end else begin : gen_fire_now
    // A beat that comes to the stream whose block leaves finds that block in its ring still.
    assign fire      = room & ~(empty & (push_other | push_spare));
    assign push_held = room & empty;
    assign turn_held = held;
  end

  assign in_next.w      = in_q.w + 1'b1;
  assign in_next.e      = in_q.e + 2'(held_last_i);
  assign in_next.going = ~held_last_i;

  assign held_first_o = ~in_q.going;
  assign held_take_o  = fire;
  assign held_entry_o = in_q.w[1:0];

  logic unused_beat;
  assign unused_beat = ^{out_beat.f, out_beat.failed, out_desc.r, out_desc.failed,
      in_leave.e, in_leave.going};

  ///////////////////////////////////////////////////////////////////////////
  // Blocks that leave
  ///////////////////////////////////////////////////////////////////////////

  logic [2:0] leave_w_q;
  logic came_q, emit_q, drop_q;
  leave_t leave_in, leave;

  // A block that leaves, with the counts of its stream.
  assign leave_in = {
    leave_stream_i,
    leave_last_i,
    leave_gives_i,
    leave_error_i,
    fire & (held_stream_i == leave_stream_i),
    in_leave.w,
    out_leave
  };

  logic leave_valid;

  if (Far) begin : gen_leave_later
    logic leave_valid_q;
    leave_t leave_in_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) leave_valid_q <= 1'b0;
      else leave_valid_q <= leave_valid_i;
    end
    always_ff @(posedge clk_i) leave_in_q <= leave_in;
    assign leave_valid = leave_valid_q;
    always_comb begin
      leave      = leave_in_q;
      leave.came = leave_in_q.came | (fire & (held_stream_i == leave_in_q.stream));
    end
  end else begin : gen_leave_now
    assign leave_valid = leave_valid_i;
    assign leave       = leave_in;
  end

  logic leave_gives, out_failed;
  assign out_failed  = leave.out.failed;
  assign leave_gives = leave.gives | leave.error;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      leave_q <= 1'b0;
      emit_q  <= 1'b0;
      drop_q  <= 1'b0;
    end else begin
      leave_q <= leave_valid;
      emit_q  <= leave_valid & ~out_failed & leave_gives;
      drop_q  <= leave_valid & (out_failed | ~leave_gives);
    end
  end
  // With Spaced a block that leaves stays at the inputs for a clock more, and so do these.
  always_ff @(posedge clk_i) begin
    leave_stream_q    <= leave.stream;
    leave_w_q         <= leave.w;
    out_next_q.r      <= leave.out.r + 1'b1;
    out_next_q.f      <= leave.out.f + 2'(leave.last);
    out_next_q.failed <= ~leave.last & (out_failed | leave.error);
    came_q            <= leave.came;
  end

  assign emit_o = emit_q;
  assign drop_o = drop_q;

  assign same_leave = held_stream_i == leave_stream_q;
  assign push_other = leave_q & ((leave_w_q != out_next_q.r) | came_q);
  assign turn_leave = {1'b0, out_next_q.f[0], out_next_q.r[1:0], leave_stream_q};

  if (Spaced) begin : gen_leave_first
    logic push_leave_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) push_leave_q <= 1'b0;
      else push_leave_q <= push_other | (leave_q & fire & same_leave);
    end
    assign push_leave = push_leave_q;
  end else begin : gen_push_leave_now
    assign push_leave = push_other | (leave_q & room & same_leave);
  end

  ///////////////////////////////////////////////////////////////////////////
  // The ready list
  ///////////////////////////////////////////////////////////////////////////

  turn_t turn_d, turn_q, turn;
  logic push_q, unused_ready;

  assign push_spare    = Chained & spare_valid_i & ~push_leave & ~(Spaced & push_held);
  assign spare_ready_o = push_spare;

  always_comb begin
    turn_d = turn_held;
    if (push_leave) turn_d = turn_leave;
    else if (push_spare) turn_d = {1'b1, (3 + StreamBits)'(0)};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) push_q <= 1'b0;
    else push_q <= push_leave | push_spare | push_held;
  end
  always_ff @(posedge clk_i) turn_q <= turn_d;

  aes_engine_fifo #(
    .Depth(ListDepth),
    .Width($bits(turn_t))
  ) u_list (
    .clk_i,
    .rst_ni,
    .valid_i(push_q),
    .ready_o(unused_ready),
    .data_i (turn_q),
    .valid_o(turn_valid_o),
    .ready_i(turn_ready_i),
    .data_o (turn)
  );

  assign turn_spare_o  = turn.spare;
  assign turn_stream_o = turn.stream;
  assign turn_entry_o  = turn.entry;
  assign turn_place_o  = turn.place;

endmodule
