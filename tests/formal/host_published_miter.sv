// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_host_buffer as published (Guarded = 0), beside counts of what was written and read and the last
// Depth entries that were written, the newest one first.
//
//   counts_o   the level is what was written less what was read, modulo Depth; there is no full flag.
//              So Depth entries look like none, one more looks like one and is that one, and a read of
//              an empty buffer leaves Depth - 1
//   newest_o   what stands at the output with a level of n is the entry that was written n entries ago
//   queue_o    while no more than Depth - 1 entries are unread and nothing is read that is not there, the
//              level is that of a queue: then the output is the oldest entry and none is lost
//   related_o  all of them, and the entries are where they must be
//
// related_o holds after a reset, and where it holds in a clock it holds in the next one: so for ever.
// Entries have one bit: the buffer looks at none.

module host_published_miter #(
  parameter int unsigned Depth = 4
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic write_i,
  input  logic data_i,
  input  logic read_i,
  output logic counts_o,
  output logic newest_o,
  output logic queue_o,
  output logic related_o
);

  localparam int unsigned PtrWidth = $clog2(Depth);

  logic full, valid, data;
  logic [PtrWidth:0] level;

  aes_host_buffer #(
    .Depth  (Depth),
    .Width  (1),
    .Guarded(1'b0)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .erase_i(1'b0),
    .write_i,
    .data_i,
    .full_o (full),
    .valid_o(valid),
    .read_i,
    .data_o (data),
    .level_o(level)
  );

  logic [PtrWidth-1:0] written_q, read_q, unread;
  logic [Depth-1:0] newest_q;       // as many of them as were written
  logic [PtrWidth:0] num_newest_q;
  logic fresh_q, kept_q;  // written in the last clock; used as a queue so far
  logic [PtrWidth:0] queue_q;  // entries of that queue

  assign unread = written_q - read_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q    <= '0;
      read_q       <= '0;
      num_newest_q <= '0;
      fresh_q      <= 1'b0;
      kept_q       <= 1'b1;
      queue_q      <= '0;
    end else begin
      written_q <= written_q + PtrWidth'(write_i);
      read_q    <= read_q + PtrWidth'(read_i);
      fresh_q   <= write_i;
      queue_q   <= queue_q + (PtrWidth + 1)'(write_i) - (PtrWidth + 1)'(read_i);
      if (write_i && num_newest_q != (PtrWidth + 1)'(Depth)) num_newest_q <= num_newest_q + 1'b1;
      if ((read_i && !valid) || (write_i && !read_i && queue_q == (PtrWidth + 1)'(Depth - 1))) begin
        kept_q <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (write_i) newest_q <= {newest_q[Depth-2:0], data_i};
  end

  assign counts_o = level == {1'b0, unread} && !full && valid == (unread != PtrWidth'(fresh_q));
  assign newest_o = !valid || (PtrWidth + 1)'(unread) > num_newest_q || unread == '0 ||
                    data == newest_q[unread-1'b1];
  assign queue_o = !kept_q || (queue_q == level && queue_q < (PtrWidth + 1)'(Depth) &&
                               queue_q <= num_newest_q && !(fresh_q && queue_q == '0));

  logic [PtrWidth-1:0] write_ptr;
  logic [Depth-1:0] mem;
  assign write_ptr = u_buffer.write_ptr_q;
  for (genvar i = 0; i < Depth; i++) begin : gen_mem
    assign mem[i] = u_buffer.mem[i];
  end

  always_comb begin
    related_o = counts_o && newest_o && queue_o && num_newest_q <= (PtrWidth + 1)'(Depth) &&
                write_ptr == written_q && u_buffer.read_ptr_q == read_q &&
                !(fresh_q && num_newest_q == '0);
    for (int unsigned i = 0; i < Depth; i++) begin
      if ((PtrWidth + 1)'(i) < num_newest_q && mem[write_ptr-PtrWidth'(i+1)] != newest_q[i]) begin
        related_o = 1'b0;
      end
    end
  end

endmodule
