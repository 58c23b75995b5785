// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_engine_fifo in its other forms, beside a queue: with a register behind LUT RAM, behind block RAM,
// and with a short queue behind that. same_o is high when the entry that is shown is the oldest one,
// nothing is shown without one, nothing is lost, and an entry waits no longer than it may. Registers of
// the reference are set by the reset, so it is proved for the clocks after one.

module engine_queue_miter #(
  parameter int unsigned Depth  = 4,
  parameter bit          Block  = 1'b0,
  parameter bit          Spaced = 1'b1,
  parameter bit          Held   = 1'b0,
  parameter int unsigned Behind = 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  input  logic data_i,
  input  logic ready_i,
  output logic same_o
);

  // Places in all, and clocks in which an entry may be there and not be shown.
  localparam bit Short = !Block && Depth <= 16;
  localparam int unsigned Places = (Spaced ? Depth : Short ? Depth : Depth + Behind) + 32'(Held);
  localparam int unsigned Looked = Spaced ? (Block ? 2 : 1) : Short ? 0 : 3;
  localparam int unsigned Wait = Looked + 32'(Held);
  localparam int unsigned CountBits = $clog2(Places + 1);

  logic ready, valid, write, read, data;

  aes_engine_fifo #(
    .Depth (Depth),
    .Width (1),
    .Block (Block),
    .Spaced(Spaced),
    .Held  (Held),
    .Behind(Behind)
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
  logic [Places-1:0] queue_q, queue_d;
  logic [CountBits-1:0] count_q, left;
  logic [2:0] hidden_q;  // clocks in which there was an entry and none was shown
  logic lost;

  assign write = valid_i & ready;
  assign read  = ready_i & valid;
  assign left  = count_q - CountBits'(read);
  assign lost  = write && left == CountBits'(Places);

  always_comb begin
    queue_d = read ? queue_q >> 1 : queue_q;
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

  assign same_o = !lost && hidden_q <= 3'(Wait) && (ready || count_q >= CountBits'(Depth)) &&
                  (!valid || (count_q != '0 && data == queue_q[0]));

endmodule
