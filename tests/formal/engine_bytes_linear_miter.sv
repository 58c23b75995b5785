// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// GHASH of bytes is linear in a factor: in the sum, or in H (OfKey).
//
//   factor a, other factor -----[ u_a ]-- product a
//   factor b, other factor -----[ u_b ]-- product b     product s = product a + product b
//   factor a + b, the same -----[ u_s ]-- product s
//
// What all three do depends on no data. A byte in them is linear (the third one is the sum of the other
// two) or the same in all three. linear_q says which of the sum's memory are linear: at first all of the
// sum or none, then those of the new product. A product of a linear byte and one that is the same is
// linear.
//
// related_o: all registers and memories stand in that relation. fair_o: each pair of bytes that is
// multiplied has one linear byte, and a byte from outside is of the kind that its place has. related_o
// stays while fair_o holds, whatever the state.
//
// Alone is a multiplication from a reset on, without data. fair_o holds in all its clocks, and ended_o says
// that all of the sum is linear when it ends, not before.

module engine_bytes_linear_miter
  import aes_pkg::*;
#(
  parameter bit OfKey = 1'b0,
  parameter bit Alone = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [3:0] index_i,
  input  logic [3:0] index_q_i,
  input  logic       key_i,
  input  logic       add_i,
  input  logic       first_i,
  input  logic       start_i,
  input  byte_t      byte_a_i,
  input  byte_t      byte_b_i,
  output logic       fair_o,
  output logic       related_o,
  output logic       ended_o
);

  localparam int unsigned Clocks = 256 + 16 + 5;

  logic [31:0] linear_q;
  logic key, add, start, from_linear, busy, unused_busy_b, unused_busy_s;
  byte_t byte_a, byte_b, byte_s;

  if (Alone) begin : gen_alone
    logic [8:0] clock_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) clock_q <= '0;
      else clock_q <= clock_q + 1'b1;
    end
    assign key     = 1'b0;
    assign add     = 1'b0;
    assign start   = clock_q == '0;
    assign ended_o = (clock_q < 9'(Clocks)) ? busy : ~busy & (&linear_q[15:0]);
  end else begin : gen_any
    assign key     = key_i;
    assign add     = add_i;
    assign start   = start_i;
    assign ended_o = 1'b1;
  end

  // A byte of the linear factor comes, or one that is the same in all three.
  assign from_linear = key == OfKey;
  assign byte_a      = byte_a_i;
  assign byte_b      = from_linear ? byte_b_i : byte_a_i;
  assign byte_s      = from_linear ? byte_a_i ^ byte_b_i : byte_a_i;

  aes_engine_bytes_ghash u_a (
    .clk_i,
    .rst_ni,
    .index_i,
    .index_q_i,
    .key_i  (key),
    .add_i  (add),
    .first_i,
    .byte_i (byte_a),
    .sum_o  (),
    .start_i(start),
    .busy_o (busy),
    .soon_o ()
  );

  aes_engine_bytes_ghash u_b (
    .clk_i,
    .rst_ni,
    .index_i,
    .index_q_i,
    .key_i  (key),
    .add_i  (add),
    .first_i,
    .byte_i (byte_b),
    .sum_o  (),
    .start_i(start),
    .busy_o (unused_busy_b),
    .soon_o ()
  );

  aes_engine_bytes_ghash u_s (
    .clk_i,
    .rst_ni,
    .index_i,
    .index_q_i,
    .key_i  (key),
    .add_i  (add),
    .first_i,
    .byte_i (byte_s),
    .sum_o  (),
    .start_i(start),
    .busy_o (unused_busy_s),
    .soon_o ()
  );

  ///////////////////////////////////////////////////////////////////////////
  // Which bytes are linear
  ///////////////////////////////////////////////////////////////////////////

  logic sum_linear_q, key_linear_q, write;

  assign write = u_a.write | add;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) linear_q <= {32{~OfKey}};
    else if (write) linear_q[u_a.sum_waddr] <= u_a.busy_q | ~OfKey;
  end
  always_ff @(posedge clk_i) begin
    sum_linear_q <= linear_q[u_a.sum_raddr];
    key_linear_q <= OfKey & ~u_a.fold_q;
  end

  assign fair_o = (~u_a.valid_q[0] | (sum_linear_q ^ key_linear_q)) &
      (~add | u_a.busy_q | (~key & (first_i | (sum_linear_q == ~OfKey)))) &
      (~u_a.write | u_a.busy_q);

  ///////////////////////////////////////////////////////////////////////////
  // The relation
  ///////////////////////////////////////////////////////////////////////////

  function automatic logic related(logic linear, byte_t a, byte_t b, byte_t s);
    return linear ? s == (a ^ b) : (s == a) & (s == b);
  endfunction

  logic [31:0] mem_related;
  logic [15:0] key_related;
  logic same_control, registers_related;

  for (genvar n = 0; n < 32; n++) begin : gen_mem
    assign mem_related[n] = related(linear_q[n], u_a.mem[n], u_b.mem[n], u_s.mem[n]);
  end
  for (genvar n = 0; n < 16; n++) begin : gen_key
    assign key_related[n] = related(OfKey, u_a.key_mem[n], u_b.key_mem[n], u_s.key_mem[n]);
  end

  assign registers_related = related(
      sum_linear_q, u_a.sum_q, u_b.sum_q, u_s.sum_q
  ) & related(
      key_linear_q, u_a.key_q, u_b.key_q, u_s.key_q
  ) & related(
      1'b1, u_a.lower_q, u_b.lower_q, u_s.lower_q
  ) & (~u_a.valid_q[1] | (u_s.product_q == (u_a.product_q ^ u_b.product_q))) &
      (u_s.column_sum_q == (u_a.column_sum_q ^ u_b.column_sum_q));

  localparam int unsigned ControlWidth = 28;
  logic [ControlWidth-1:0] control_a, control_b, control_s;
  assign control_a = {
    u_a.run_q,
    u_a.busy_q,
    u_a.flush_q,
    u_a.fold_q,
    u_a.first_q,
    u_a.column_q,
    u_a.i_q,
    u_a.j_q,
    u_a.write_q,
    u_a.valid_q,
    u_a.first_later_q,
    u_a.ends_later_q[0]
  };
  assign control_b = {
    u_b.run_q,
    u_b.busy_q,
    u_b.flush_q,
    u_b.fold_q,
    u_b.first_q,
    u_b.column_q,
    u_b.i_q,
    u_b.j_q,
    u_b.write_q,
    u_b.valid_q,
    u_b.first_later_q,
    u_b.ends_later_q[0]
  };
  assign control_s = {
    u_s.run_q,
    u_s.busy_q,
    u_s.flush_q,
    u_s.fold_q,
    u_s.first_q,
    u_s.column_q,
    u_s.i_q,
    u_s.j_q,
    u_s.write_q,
    u_s.valid_q,
    u_s.first_later_q,
    u_s.ends_later_q[0]
  };
  assign same_control = (control_a == control_b) & (control_a == control_s) &
      (u_a.ends_later_q == u_b.ends_later_q) & (u_a.ends_later_q == u_s.ends_later_q);

  // Alone has no data, so there is nothing of it to prove then.
  assign related_o = Alone | (same_control & registers_related & (&mem_related) & (&key_related));

endmodule
