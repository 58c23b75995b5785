// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A circular buffer in dual-port RAM with separate counters for writing and reading (pilchard,
// section 4), in the order of arrival:
//
//   data_i --> [ RAM, Depth x Width ] --|R|-- data_o      (the register is that of the RAM)
//                 ^            ^
//              write counter   read counter
//
// The oldest entry stands at data_o while valid_o is high and leaves with read_i; one entry a clock
// goes in and one out. An entry can be read two clocks after it was written at the earliest.
//
// Guarded: full_o is there, a write while full and a read while nothing is valid do nothing, and
// level_o counts all entries from 0 to Depth. Not guarded, as published: there is no full flag, and
// the buffer is empty when the two counters are equal. So Depth entries look like none, a further
// write overwrites the oldest entry, and a read of an empty buffer moves its counter on.
//
// While erase_i is high for Depth clocks and two more, zero is written over every entry and over
// the output; the buffer is empty from its first clock on.
//
// Cost: the RAM, two counters, one more for the level where guarded.

module aes_host_buffer #(
  parameter int unsigned Depth   = 512,  // entries, a power of two
  parameter int unsigned Width   = 128,
  parameter bit          Guarded = 1'b1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   erase_i,
  input  logic                   write_i,
  input  logic [Width-1:0]       data_i,
  output logic                   full_o,
  output logic                   valid_o,  // an entry stands at data_o
  input  logic                   read_i,   // it is taken in this clock
  output logic [Width-1:0]       data_o,
  output logic [$clog2(Depth):0] level_o   // entries, those not yet valid_o included
);

  localparam int unsigned PtrWidth = $clog2(Depth);

  if (Depth < 2 || 2 ** PtrWidth != Depth) begin : gen_illegal_depth
    $fatal(1, "aes_host_buffer: Depth must be a power of two, 2 or more");
  end

  logic [PtrWidth-1:0] write_ptr_q, read_ptr_q, read_ptr_d;
  logic [PtrWidth:0] level;
  logic [PtrWidth:0] left;
  logic write, read, valid_q;

  assign write = write_i & ~full_o & ~erase_i;
  assign read  = read_i & (valid_q | ~Guarded) & ~erase_i;

  if (Guarded) begin : gen_guarded
    logic [PtrWidth:0] level_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        level_q <= '0;
      end else if (erase_i) begin
        level_q <= '0;
      end else if (write != read) begin
        level_q <= write ? level_q + 1'b1 : level_q - 1'b1;
      end
    end
    assign level  = level_q;
    assign full_o = level_q[PtrWidth];
    // What is left for the next clock, the entry that is being written excepted: the RAM gives it
    // one clock later.
    assign left   = level_q - (PtrWidth + 1)'(read);
  end else begin : gen_published
    assign level  = {1'b0, write_ptr_q - read_ptr_q};
    assign full_o = 1'b0;
    assign left   = {1'b0, write_ptr_q - read_ptr_d};
  end

  assign read_ptr_d = erase_i ? write_ptr_q : read_ptr_q + PtrWidth'(read);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_ptr_q <= '0;
      read_ptr_q  <= '0;
      valid_q     <= 1'b0;
    end else begin
      write_ptr_q <= write_ptr_q + PtrWidth'(write | erase_i);
      // An empty buffer has equal counters.
      read_ptr_q  <= erase_i ? write_ptr_q + 1'b1 : read_ptr_d;
      valid_q     <= (left != '0) & ~erase_i;
    end
  end

  (* no_rw_check *) logic [Width-1:0] mem[Depth];
  logic [Width-1:0] data_q;

  always_ff @(posedge clk_i) begin
    if (write || erase_i) mem[write_ptr_q] <= erase_i ? '0 : data_i;
    data_q <= mem[read_ptr_d];
  end

  assign valid_o = valid_q;
  assign data_o  = data_q;
  assign level_o = level;

endmodule
