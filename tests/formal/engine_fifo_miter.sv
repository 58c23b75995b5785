// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_engine_fifo beside a queue, as a short one in LUT RAM. same_o is high when every output is what
// the queue says; related_o, when the states belong together. It holds after a reset, and where it
// holds in a clock it holds in the next one, whatever the inputs; so same_o holds for ever. Entries
// have one bit: the queue looks at none.

module engine_fifo_miter #(
  parameter int unsigned Depth = 4
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  input  logic data_i,
  input  logic ready_i,
  output logic related_o,
  output logic same_o
);

  localparam int unsigned PtrWidth = $clog2(Depth);

  logic ready, valid, data, write, read;

  aes_engine_fifo #(
    .Depth(Depth),
    .Width(1)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .valid_i,
    .ready_o(ready),
    .data_i,
    .valid_o(valid),
    .ready_i,
    .data_o (data)
  );

  // Entry 0 is the oldest one.
  logic [Depth-1:0] queue_q, queue_d;
  logic [PtrWidth:0] count_q, left;

  assign write = valid_i && count_q != (PtrWidth + 1)'(Depth);
  assign read  = ready_i && count_q != '0;
  assign left  = count_q - (PtrWidth + 1)'(read);

  always_comb begin
    queue_d = read ? queue_q >> 1 : queue_q;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (write && left == (PtrWidth + 1)'(i)) queue_d[i] = data_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= left + (PtrWidth + 1)'(write);
  end

  always_ff @(posedge clk_i) queue_q <= queue_d;

  assign same_o = ready == (count_q != (PtrWidth + 1)'(Depth)) && valid == (count_q != '0) &&
                  (!valid || data == queue_q[0]);

  logic [PtrWidth:0] read_ptr, write_ptr;
  logic [Depth-1:0] mem;
  assign read_ptr  = u_fifo.read_q;
  assign write_ptr = u_fifo.write_q;
  for (genvar i = 0; i < Depth; i++) begin : gen_mem
    assign mem[i] = u_fifo.gen_short.mem[i];
  end

  always_comb begin
    related_o = same_o && count_q <= (PtrWidth + 1)'(Depth) &&
                write_ptr == (PtrWidth + 1)'(read_ptr + count_q) &&
                u_fifo.write_next_q == (PtrWidth + 1)'(write_ptr + 1'b1) &&
                u_fifo.read_next_q == (PtrWidth + 1)'(read_ptr + 1'b1);
    for (int unsigned i = 0; i < Depth; i++) begin
      if ((PtrWidth + 1)'(i) < count_q && mem[PtrWidth'(read_ptr+i)] != queue_q[i]) begin
        related_o = 1'b0;
      end
    end
  end

endmodule
