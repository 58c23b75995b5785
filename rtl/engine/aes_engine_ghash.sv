// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// GHASH (SP 800-38D, section 6.4), Digit bits a clock:
//
//   block_i --[ bytes that count |R| ]--(+)--[ factor |R| ]--+--[ part ]--|R|--[ step ]--+--|R|--+
//                                        ^                   |              (8, 16 bits)  |       |
//                                        |                   +-- added_o          ^       |       |
//                                        |                                        +-------|-------+
//                                        +------------------------------------------------+
//
// A block goes to a register first, so the next one can come while a product is made; a product takes
// 128/Digit + 1 clocks. A block with add_i is not multiplied: the sum, it included, is added_o while
// added_valid_o is high, and the next block begins a new sum. From 8 bits on the last of the products
// is added when the next block comes.
//
// A key is taken when no block waits for the key before; a sum that is not finished then is given up.
// key_i stays for a clock more, in which the registers take it.

module aes_engine_ghash
  import aes_engine_pkg::*;
#(
  parameter int unsigned Digit = 8  // 1, 2, 4, 8 or 16 bits a clock
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         key_valid_i,    // with key_ready_o only
  output logic         key_ready_o,
  input  logic [127:0] key_i,
  input  logic         valid_i,
  output logic         ready_o,
  input  logic         add_i,
  input  logic [15:0]  keep_i,         // bytes of block_i that count, the first one lowest
  input  logic [127:0] block_i,
  output logic         added_valid_o,
  input  logic         added_ready_i,
  output logic [127:0] added_o
);

  localparam int unsigned Steps = 128 / Digit;
  localparam int unsigned CountWidth = $clog2(Steps + 1);
  localparam bit Halves = Digit == 16;
  localparam bit Piped = Digit >= 8;
  localparam int unsigned PartWidth = Halves ? 213 : 127 + Digit;

  if (!(Digit inside {1, 2, 4, 8, 16})) begin : gen_illegal_digit
    $fatal(1, "aes_engine_ghash: Digit must be 1, 2, 4, 8 or 16");
  end

  // The top bit of a block is the coefficient of x^0; inside it is the lowest one, but in block_q.
  logic [127:0] block_q, key_q, factor_q, factor_d, shifted, sum_q, sum_d;
  logic [PartWidth-1:0] part, part_now;
  logic [CountWidth-1:0] count_q;
  logic [Digit-1:0] digit;
  logic block_valid_q, block_add_q, added_valid_q, busy_q, load;
  logic key_valid_q, clear_q;

  ///////////////////////////////////////////////////////////////////////////
  // What is done in this clock
  ///////////////////////////////////////////////////////////////////////////

  assign load        = block_valid_q & ~busy_q & ~added_valid_q;
  assign ready_o     = ~block_valid_q;
  // In the last clock of a product the key is used for the last time.
  assign key_ready_o = (~busy_q | (count_q == '0)) & (~block_valid_q | block_add_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      block_valid_q <= 1'b0;
      key_valid_q   <= 1'b0;
      clear_q       <= 1'b0;
      added_valid_q <= 1'b0;
      busy_q        <= 1'b0;
      count_q       <= '0;
    end else begin
      block_valid_q <= ready_o ? valid_i : ~load;
      key_valid_q   <= key_valid_i;
      clear_q       <= key_valid_i & ~block_valid_q;
      if (load) added_valid_q <= block_add_q;
      else if (added_ready_i) added_valid_q <= 1'b0;
      if (load && !block_add_q) begin
        busy_q  <= 1'b1;
        count_q <= CountWidth'(Steps - 1);
      end else if (busy_q) begin
        busy_q  <= count_q != '0;
        count_q <= count_q - 1'b1;
      end
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      block_add_q <= add_i;
      for (int unsigned n = 0; n < 16; n++) begin
        if (!keep_i[n]) block_q[8*(15-n)+:8] <= '0;
        else block_q[8*(15-n)+:8] <= block_i[8*(15-n)+:8];
      end
    end
    if (key_valid_q) key_q <= reverse_bits(key_i);
  end

  if (Halves) begin : gen_halves
    assign digit   = {factor_q[127:120], factor_q[63:56]};
    assign shifted = {factor_q[119:64], 8'd0, factor_q[55:0], 8'd0};
  end else begin : gen_whole
    assign digit   = factor_q[127-:Digit];
    assign shifted = factor_q << Digit;
  end

  aes_engine_ghash_part #(
    .Digit(Digit)
  ) u_part (
    .key_i  (key_q),
    .digit_i(digit),
    .part_o (part_now)
  );

  aes_engine_ghash_step #(
    .Digit(Digit)
  ) u_step (
    .sum_i (sum_q),
    .part_i(part),
    .sum_o (sum_d)
  );

  if (Piped) begin : gen_piped
    // The part that comes last waits here for the next block.
    logic [PartWidth-1:0] part_q;
    always_ff @(posedge clk_i) begin
      if (load || clear_q) part_q <= '0;
      else if (busy_q) part_q <= part_now;
    end
    assign part     = part_q;
    assign factor_d = sum_d ^ reverse_bits(block_q);
  end else begin : gen_direct
    assign part     = part_now;
    assign factor_d = sum_q ^ reverse_bits(block_q);
  end

  always_ff @(posedge clk_i) begin
    if (load || clear_q) sum_q <= '0;
    else if (busy_q) sum_q <= sum_d;
    if (load) factor_q <= factor_d;
    else if (busy_q) factor_q <= shifted;
  end

  assign added_valid_o = added_valid_q;
  assign added_o       = reverse_bits(factor_q);

endmodule
