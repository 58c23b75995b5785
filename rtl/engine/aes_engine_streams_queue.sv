// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The queue of results, in a RAM with a register behind it:
//
//   data_i --[ RAM, Depth x Width ]--|R|--|R|--[ short queue ]-- data_o
//                 ^          ^
//          write counter   read counter
//
// Whoever writes has counted the places. The short queue takes an entry a clock; with Spaced the register
// alone stands there, and an entry leaves each third clock at most.

module aes_engine_streams_queue #(
  parameter int unsigned Depth  = 128,  // entries, a power of two
  parameter int unsigned Width  = 143,
  parameter bit          Spaced = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  localparam int unsigned PtrWidth = $clog2(Depth);

  // One bit more than an address: the counters differ in it alone where the queue is full.
  logic [PtrWidth:0] write_q, read_q;
  logic read, there, word_valid_q, data_valid_q;
  logic [Width-1:0] data;

  assign there = write_q != read_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (valid_i) write_q <= write_q + 1'b1;
      if (read) read_q <= read_q + 1'b1;
    end
  end

  aes_engine_streams_ram #(
    .Depth(Depth),
    .Width(Width)
  ) u_ram (
    .clk_i,
    .write_i(1'b1),
    .waddr_i(write_q[PtrWidth-1:0]),
    .wdata_i(data_i),
    .raddr_i(read_q[PtrWidth-1:0]),
    .rdata_o(data)
  );

  if (Spaced) begin : gen_spaced
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
    assign data_o  = data;
  end else begin : gen_fast
    localparam int unsigned Behind = 8;  // places of the short queue
    localparam int unsigned BehindBits = $clog2(Behind + 1);

    logic [BehindBits-1:0] room_q;
    logic unused_ready, leaves;

    assign read   = there & (room_q != '0);
    assign leaves = ready_i & valid_o;

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
      .Width(Width)
    ) u_behind (
      .clk_i,
      .rst_ni,
      .valid_i(data_valid_q),
      .ready_o(unused_ready),
      .data_i (data),
      .valid_o,
      .ready_i,
      .data_o
    );
  end

endmodule
