// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_host_buffer beside a queue. same_o is high when every output is what the queue says: levels,
// full, and the oldest entry at the output in every clock in which there is one that was written
// two clocks ago or earlier.
//
// related_o says that the state of the buffer and that of the queue belong together: the entry i
// behind the read counter is the entry i of the queue. It holds after a reset, and where it holds
// in a clock it holds in the next one, whatever the inputs; so same_o, which follows from it, holds
// for ever. Entries have one bit: the buffer looks at none, so what is true for each bit is
// true for words.

module host_buffer_miter #(
  parameter int unsigned Depth   = 4,
  parameter bit          Guarded = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic erase_i,
  input  logic write_i,
  input  logic data_i,
  input  logic read_i,
  output logic related_o,
  output logic same_o,
  output logic zero_o
);

  localparam int unsigned PtrWidth = $clog2(Depth);

  logic full, valid, data;
  logic [PtrWidth:0] level;

  aes_host_buffer #(
    .Depth  (Depth),
    .Width  (1),
    .Guarded(Guarded)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .erase_i,
    .write_i,
    .data_i,
    .full_o (full),
    .valid_o(valid),
    .read_i,
    .data_o (data),
    .level_o(level)
  );

  // The queue: entry 0 is the oldest one. fresh_q: the newest entry was written in the last clock.
  logic [Depth-1:0] queue_q, queue_d;
  logic [PtrWidth:0] count_q, count_d, left;
  logic fresh_q, write, read, visible;

  assign visible = count_q != (PtrWidth + 1)'(fresh_q);
  assign write   = write_i && count_q != (PtrWidth + 1)'(Depth) && !erase_i;
  assign read    = read_i && visible && !erase_i;
  assign left    = count_q - (PtrWidth + 1)'(read);

  always_comb begin
    queue_d = read ? queue_q >> 1 : queue_q;
    count_d = left + (PtrWidth + 1)'(write);
    for (int unsigned i = 0; i < Depth; i++) begin
      if (write && left == (PtrWidth + 1)'(i)) queue_d[i] = data_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      fresh_q <= 1'b0;
    end else begin
      count_q <= erase_i ? '0 : count_d;
      fresh_q <= write;
    end
  end

  always_ff @(posedge clk_i) queue_q <= queue_d;

  assign same_o = level == count_q && full == (count_q == (PtrWidth + 1)'(Depth)) &&
                  valid == visible && (!valid || data == queue_q[0]);

  logic [Depth-1:0] mem;
  logic [PtrWidth-1:0] read_ptr, write_ptr;
  assign read_ptr  = u_buffer.read_ptr_q;
  assign write_ptr = u_buffer.write_ptr_q;
  for (genvar i = 0; i < Depth; i++) begin : gen_mem
    assign mem[i] = u_buffer.mem[i];
  end

  always_comb begin
    related_o = same_o && count_q <= (PtrWidth + 1)'(Depth) && !(fresh_q && count_q == '0) &&
                write_ptr == read_ptr + count_q[PtrWidth-1:0];
    for (int unsigned i = 0; i < Depth; i++) begin
      if ((PtrWidth + 1)'(i) < count_q && mem[read_ptr+PtrWidth'(i)] != queue_q[i]) begin
        related_o = 1'b0;
      end
    end
  end

  // For the erasure.
  assign zero_o = mem == '0 && !data;

endmodule
