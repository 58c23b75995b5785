// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A queue whose oldest entry stands at its output:
//
//   data_i --[ RAM, Depth x Width ]-- data_o
//                 ^          ^
//          write counter   read counter
//
// One entry a clock goes in and one out. A short one is LUT RAM, and an entry is at data_o in the
// clock after it was written; a long one is the buffer of aes_host_buffer in block RAM, where it is
// there a clock later. A write while full and a read while nothing is valid do nothing.

module aes_engine_fifo #(
  parameter int unsigned Depth = 16,  // entries, a power of two
  parameter int unsigned Width = 128
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

  if (Depth <= 16) begin : gen_short
    localparam int unsigned PtrWidth = $clog2(Depth);

    (* ram_style = "distributed" *) logic [Width-1:0] mem[Depth];
    // One bit more than an address: the counters differ in it alone where the queue is full.
    logic [PtrWidth:0] write_q, read_q;
    logic write, read;

    assign ready_o = write_q != {~read_q[PtrWidth], read_q[PtrWidth-1:0]};
    assign valid_o = write_q != read_q;
    assign write   = valid_i & ready_o;
    assign read    = ready_i & valid_o;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        write_q <= '0;
        read_q  <= '0;
      end else begin
        write_q <= write_q + (PtrWidth + 1)'(write);
        read_q  <= read_q + (PtrWidth + 1)'(read);
      end
    end

    always_ff @(posedge clk_i) begin
      if (write) mem[write_q[PtrWidth-1:0]] <= data_i;
    end

    assign data_o = mem[read_q[PtrWidth-1:0]];
  end else begin : gen_long
    logic full;
    logic [$clog2(Depth):0] unused_level;

    aes_host_buffer #(
      .Depth(Depth),
      .Width(Width)
    ) u_buffer (
      .clk_i,
      .rst_ni,
      .erase_i(1'b0),
      .write_i(valid_i),
      .data_i,
      .full_o (full),
      .valid_o,
      .read_i (ready_i),
      .data_o,
      .level_o(unused_level)
    );

    assign ready_o = ~full;
  end

endmodule
