// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A queue whose oldest entry stands at its output:
//
//   data_i --[ RAM, Depth x Width ]-- data_o
//                 ^          ^
//          write counter   read counter
//
// A short one is LUT RAM: one entry a clock goes in and one out, and an entry is at data_o in the clock
// after it was written. A long one is block RAM with its output register, and a short one behind it,
// which takes an entry a clock. A spaced one has a register alone behind its RAM: with LUT RAM an entry
// is there two clocks after it was written, or after the one before was taken, with block RAM three.
//
// With Held a fast one has a register at its output too: an entry is there a clock later, and one more
// fits.
//
// The place that is written next is written in each clock, so the RAM does not wait for valid_i.
// A write while full and a read while nothing is valid do nothing.

module aes_engine_fifo #(
  parameter int unsigned Depth  = 16,   // entries, a power of two
  parameter int unsigned Width  = 128,
  parameter bit          Block  = 1'b0,  // block RAM; without it from 32 entries on
  parameter bit          Spaced = 1'b0,  // an entry each three clocks is enough
  parameter bit          Held   = 1'b0,  // of one that is not spaced
  parameter int unsigned Behind = 8      // places of a fast long one behind its RAM
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  if (Held && Spaced) begin : gen_illegal_held
    $fatal(1, "aes_engine_fifo: a spaced queue has a register at its output");
  end

  localparam int unsigned PtrWidth = $clog2(Depth);

  // One bit more than an address: the counters differ in it alone where the queue is full. What comes
  // after them stands beside them, so no compare waits for a carry.
  logic [PtrWidth:0] write_q, write_next_q, read_q, read_next_q;
  logic write, read, almost, ready_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q      <= '0;
      write_next_q <= (PtrWidth + 1)'(1);
      read_q       <= '0;
      read_next_q  <= (PtrWidth + 1)'(1);
    end else begin
      if (write) begin
        write_q      <= write_next_q;
        write_next_q <= write_next_q + 1'b1;
      end
      if (read) begin
        read_q      <= read_next_q;
        read_next_q <= read_next_q + 1'b1;
      end
    end
  end

  localparam bit Long = Block || Depth > 16;

  assign almost  = write_next_q == {~read_q[PtrWidth], read_q[PtrWidth-1:0]};
  assign ready_o = ready_q;

  // A register: what stands around begins its decisions with it.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ready_q <= 1'b1;
    else ready_q <= read | (ready_q & ~(almost & write));
  end
  assign write = valid_i & ready_q;

  if (Long) begin : gen_long
    localparam int unsigned BehindBits = $clog2(Behind + 1);

    (* no_rw_check, ram_style = "block" *) logic [Width-1:0] mem[Depth];
    logic [Width-1:0] word_q, data_q;
    logic there, word_valid_q, data_valid_q;

    always_ff @(posedge clk_i) begin
      if (ready_q) mem[write_q[PtrWidth-1:0]] <= data_i;
      word_q <= mem[read_q[PtrWidth-1:0]];
      data_q <= word_q;
    end

    if (Spaced) begin : gen_spaced
      assign there = write_q != read_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          word_valid_q <= 1'b0;
          data_valid_q <= 1'b0;
        end else begin
          word_valid_q <= there & ~read;
          data_valid_q <= word_valid_q & ~read;
        end
      end
      assign read    = ready_i & valid_o;
      assign valid_o = data_valid_q;
      assign data_o  = data_q;
    end else begin : gen_fast
      logic [BehindBits-1:0] room_q;
      logic unused_ready, leaves, room;

      assign read   = there & room;
      assign leaves = ready_i & valid_o;

      assign there = write_q != read_q;
      assign room  = room_q != '0;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          word_valid_q <= 1'b0;
          data_valid_q <= 1'b0;
          room_q       <= BehindBits'(Behind);
        end else begin
          word_valid_q <= read;
          data_valid_q <= word_valid_q;
          room_q       <= room_q - BehindBits'(read) + BehindBits'(leaves);
        end
      end

      aes_engine_fifo #(
        .Depth(Behind),
        .Width(Width),
        .Held (Held)
      ) u_behind (
        .clk_i,
        .rst_ni,
        .valid_i(data_valid_q),
        .ready_o(unused_ready),
        .data_i (data_q),
        .valid_o,
        .ready_i,
        .data_o
      );
    end
  end else begin : gen_short
    (* ram_style = "distributed" *) logic [Width-1:0] mem[Depth];
    logic valid_q, one;

    assign one = write_q == read_next_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= 1'b0;
      else valid_q <= write | (valid_q & ~(one & read));
    end

    always_ff @(posedge clk_i) begin
      if (ready_q) mem[write_q[PtrWidth-1:0]] <= data_i;
    end

    if (Spaced) begin : gen_register
      logic [Width-1:0] data_q;
      logic data_valid_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) data_valid_q <= 1'b0;
        else data_valid_q <= valid_q & ~read;
      end
      always_ff @(posedge clk_i) data_q <= mem[read_q[PtrWidth-1:0]];
      assign read    = ready_i & data_valid_q;
      assign valid_o = data_valid_q;
      assign data_o  = data_q;
    end else if (Held) begin : gen_held
      logic [Width-1:0] data_q;
      logic data_valid_q, goes_on;
      assign goes_on = ~data_valid_q | ready_i;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) data_valid_q <= 1'b0;
        else if (goes_on) data_valid_q <= valid_q;
      end
      always_ff @(posedge clk_i) begin
        if (goes_on) data_q <= mem[read_q[PtrWidth-1:0]];
      end
      assign read    = goes_on & valid_q;
      assign valid_o = data_valid_q;
      assign data_o  = data_q;
    end else begin : gen_direct
      assign read    = ready_i & valid_q;
      assign valid_o = valid_q;
      assign data_o  = mem[read_q[PtrWidth-1:0]];
    end
  end

endmodule
