// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// GHASH (SP 800-38D, section 6.4), Digit bits a clock:
//
//   block_i --(+)--[ shift register |R| ]--digit--[ step ]--|R|--+-- sum_o
//              ^                                     ^           |
//              |                                   key |R|       |
//              +-------------------------------------------------+
//
// A block that is taken at clock t is in sum_o at t + 128/Digit + 1, where the next one is taken. A key
// that is taken begins a new sum, as does clear_i; both go with ready_o only.

module aes_engine_ghash #(
  parameter int unsigned Digit = 8  // 1, 2, 4, 8 or 16 bits a clock
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         key_valid_i,
  input  logic [127:0] key_i,
  input  logic         clear_i,
  input  logic         valid_i,
  output logic         ready_o,
  input  logic [127:0] block_i,
  output logic [127:0] sum_o
);

  localparam int unsigned Steps = 128 / Digit;
  localparam int unsigned CountWidth = $clog2(Steps + 1);

  if (!(Digit inside {1, 2, 4, 8, 16})) begin : gen_illegal_digit
    $fatal(1, "aes_engine_ghash: Digit must be 1, 2, 4, 8 or 16");
  end

  logic [127:0] key_q, factor_q, sum_q, sum_d;
  logic [CountWidth-1:0] count_q;

  assign ready_o = count_q == '0;
  assign sum_o   = sum_q;

  aes_engine_ghash_step #(
    .Digit(Digit)
  ) u_step (
    .sum_i  (sum_q),
    .key_i  (key_q),
    .digit_i(factor_q[Digit-1:0]),
    .sum_o  (sum_d)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (!ready_o) count_q <= count_q - 1'b1;
    else if (valid_i) count_q <= CountWidth'(Steps);
  end

  always_ff @(posedge clk_i) begin
    if (!ready_o) begin
      sum_q    <= sum_d;
      factor_q <= factor_q >> Digit;
    end else if (key_valid_i || clear_i) begin
      sum_q <= '0;
    end else if (valid_i) begin
      sum_q    <= '0;
      factor_q <= sum_q ^ block_i;
    end
    if (key_valid_i && ready_o) key_q <= key_i;
  end

endmodule
