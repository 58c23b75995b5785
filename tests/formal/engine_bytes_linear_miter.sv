// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// GHASH of bytes is linear in a factor: in the sum, or in H (OfKey).
//
//   factor a, other factor -----[ copy 0 ]-- product a
//   factor b, other factor -----[ copy 1 ]-- product b     product s = product a + product b
//   factor a + b, the same -----[ copy 2 ]-- product s
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
  logic key, add, start, from_linear;
  // Of a, b and s
  logic [2:0] busy;
  byte_t [2:0] bytes;
  logic [2:0][29:0] control;
  byte_t [2:0][2:0] registers;
  logic [2:0][29:0] sums;
  byte_t [2:0][31:0] mem;
  byte_t [2:0][15:0] key_mem;

  if (Alone) begin : gen_alone
    logic [8:0] clock_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) clock_q <= '0;
      else clock_q <= clock_q + 1'b1;
    end
    assign key     = 1'b0;
    assign add     = 1'b0;
    assign start   = clock_q == '0;
    assign ended_o = (clock_q < 9'(Clocks)) ? busy[0] : ~busy[0] & (&linear_q[15:0]);
  end else begin : gen_any
    assign key     = key_i;
    assign add     = add_i;
    assign start   = start_i;
    assign ended_o = 1'b1;
  end

  // A byte of the linear factor comes, or one that is the same in all three.
  assign from_linear = key == OfKey;
  assign bytes       = {
    from_linear ? byte_a_i ^ byte_b_i : byte_a_i, from_linear ? byte_b_i : byte_a_i, byte_a_i
  };

  for (genvar n = 0; n < 3; n++) begin : gen_copy
    aes_engine_bytes_ghash u_ghash (
      .clk_i,
      .rst_ni,
      .index_i,
      .index_q_i,
      .key_i  (key),
      .add_i  (add),
      .first_i,
      .byte_i (bytes[n]),
      .sum_o  (),
      .start_i(start),
      .busy_o (busy[n]),
      .soon_o ()
    );

    // What decides, without the bytes.
    assign control[n] = {
      u_ghash.run_q, u_ghash.busy_q, u_ghash.flush_q, u_ghash.fold_q, u_ghash.first_q,
      u_ghash.column_q, u_ghash.i_q, u_ghash.j_q, u_ghash.write_q, u_ghash.valid_q,
      u_ghash.first_later_q, u_ghash.ends_later_q
    };
    assign registers[n] = {u_ghash.sum_q, u_ghash.key_q, u_ghash.lower_q};
    assign sums[n]      = {u_ghash.product_q & {15{u_ghash.valid_q[1]}}, u_ghash.column_sum_q};
    for (genvar i = 0; i < 32; i++) begin : gen_mem
      assign mem[n][i] = u_ghash.mem[i];
    end
    for (genvar i = 0; i < 16; i++) begin : gen_key
      assign key_mem[n][i] = u_ghash.key_mem[i];
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Which bytes are linear
  ///////////////////////////////////////////////////////////////////////////

  logic sum_linear_q, key_linear_q, write;

  assign write = gen_copy[0].u_ghash.write | add;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) linear_q <= {32{~OfKey}};
    else if (write) linear_q[gen_copy[0].u_ghash.sum_waddr] <= gen_copy[0].u_ghash.busy_q | ~OfKey;
  end
  always_ff @(posedge clk_i) begin
    sum_linear_q <= linear_q[gen_copy[0].u_ghash.sum_raddr];
    key_linear_q <= OfKey & ~gen_copy[0].u_ghash.fold_q;
  end

  assign fair_o = (~gen_copy[0].u_ghash.valid_q[0] | (sum_linear_q ^ key_linear_q)) &
      (~add | gen_copy[0].u_ghash.busy_q | (~key & (first_i | (sum_linear_q == ~OfKey)))) &
      (~gen_copy[0].u_ghash.write | gen_copy[0].u_ghash.busy_q);

  ///////////////////////////////////////////////////////////////////////////
  // The relation
  ///////////////////////////////////////////////////////////////////////////

  function automatic logic related(logic linear, byte_t [2:0] of);
    return linear ? of[2] == (of[0] ^ of[1]) : (of[2] == of[0]) & (of[2] == of[1]);
  endfunction

  logic [31:0] mem_related;
  logic [15:0] key_related;
  logic same_control, registers_related;

  for (genvar i = 0; i < 32; i++) begin : gen_mem_related
    assign mem_related[i] = related(linear_q[i], {mem[2][i], mem[1][i], mem[0][i]});
  end
  for (genvar i = 0; i < 16; i++) begin : gen_key_related
    assign key_related[i] = related(OfKey, {key_mem[2][i], key_mem[1][i], key_mem[0][i]});
  end

  logic [2:0] kinds;
  assign kinds = {sum_linear_q, key_linear_q, 1'b1};  // of sum_q, key_q, lower_q
  always_comb begin
    registers_related = sums[2] == (sums[0] ^ sums[1]);
    for (int unsigned i = 0; i < 3; i++) begin
      registers_related &= related(kinds[i], {registers[2][i], registers[1][i], registers[0][i]});
    end
  end

  assign same_control = (control[0] == control[1]) & (control[0] == control[2]);

  // Alone has no data, so there is nothing of it to prove then.
  assign related_o = Alone | (same_control & registers_related & (&mem_related) & (&key_related));

endmodule
