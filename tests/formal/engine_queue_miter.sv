// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_engine_fifo in its other forms, beside a queue: with a register behind LUT RAM, behind block RAM,
// and with a short queue behind that, with and without a register before it. same_o is high when the
// entry that is shown is the oldest one, nothing is shown without one, nothing is lost, and an
// entry waits no longer than it may. Registers of the reference are set by the reset, so it is
// proved for the clocks after one.

module engine_queue_miter #(
  parameter int unsigned Depth  = 4,
  parameter bit          Block  = 1'b0,
  parameter bit          Spaced = 1'b1,
  parameter bit          Far    = 1'b0,
  parameter bit          Held   = 1'b0,
  parameter int unsigned Behind = 8,
  parameter int unsigned Direct = 0     // bits; there is one more
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  input  logic [Direct:0] data_i,
  input  logic ready_i,
  output logic same_o
);

  // Places in all, and clocks in which an entry may be there and not be shown.
  localparam bit Short = !Block && Depth <= 16;
  localparam int unsigned Places = (Spaced ? Depth : Short ? Depth : Depth + Behind) + 32'(Held);
  localparam int unsigned Looked = Spaced ? (Block ? 2 : 1) : Short ? 32'(Far) : Far ? 5 : 3;
  localparam int unsigned Wait = Looked + 32'(Held);
  // Entries with which it may say that it is full.
  localparam int unsigned Full = Far ? Depth - 10 : Depth;
  localparam int unsigned CountBits = $clog2(Places + 1);

  logic ready, valid, write, read;
  logic [Direct:0] data;

  aes_engine_fifo #(
    .Depth (Depth),
    .Width (Direct + 1),
    .Block (Block),
    .Spaced(Spaced),
    .Far   (Far),
    .Held  (Held),
    .Behind(Behind),
    .Direct(Direct)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .valid_i(Far ? write : valid_i),
    .ready_o(ready),
    .data_i,
    .valid_o(valid),
    .ready_i,
    .data_o (data)
  );

  // Entry 0 is the oldest one.
  logic [Places-1:0][Direct:0] queue_q, queue_d;
  logic [CountBits-1:0] count_q, left;
  logic [2:0] hidden_q;  // clocks in which there was an entry and none was shown
  logic lost;

  // Who writes to a far one may have looked at ready_o four clocks ago.
  logic [3:0] ready_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ready_q <= 4'b1111;
    else ready_q <= {ready_q[2:0], ready};
  end

  assign write = valid_i & (ready | (Far & (ready_q != '0)));
  assign read  = ready_i & valid;
  assign left  = count_q - CountBits'(read);
  assign lost  = write && left == CountBits'(Places);

  always_comb begin
    queue_d = read ? queue_q >> (Direct + 1) : queue_q;
    for (int unsigned i = 0; i < Places; i++) begin
      if (write && left == CountBits'(i)) queue_d[i] = data_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q  <= '0;
      hidden_q <= '0;
    end else begin
      count_q  <= left + CountBits'(write);
      hidden_q <= (valid || count_q == '0) ? '0 : hidden_q + 3'd1;
    end
  end

  always_ff @(posedge clk_i) queue_q <= queue_d;

  assign same_o = !lost && hidden_q <= 3'(Wait) && (ready || count_q >= CountBits'(Full)) &&
                  (!valid || (count_q != '0 && data == queue_q[0]));

endmodule
