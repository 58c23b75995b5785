// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_rolling_part beside SubBytes and ShiftRows, for blocks that follow each other without a gap:
// in the last clock of a period, result_o is that of the block of the period before, whatever the
// neighbours are. same_o is high in all other clocks.

module rolling_part_miter
  import aes_pkg::*;
#(
  parameter order_e      Order      = OrderPermutation,
  parameter int unsigned NumLookups = 1
) (
  input  logic       clk_i,
  input  block_t     block_i,
  input  logic [3:0] index_i,  // the byte of the result that is compared
  output logic       same_o
);

  logic [1:0] turn, turn_q;
  block_t state, state_q, before_q, result;

  assign turn  = turn_q & 2'(NumLookups - 1);
  assign state = (turn == '0) ? block_i : state_q;

  // A block period begins with the first clock; every other register starts with anything.
  initial turn_q = '0;

  always_ff @(posedge clk_i) begin
    turn_q  <= turn + 2'd1;
    state_q <= state;
    if (turn == 2'(NumLookups - 1)) before_q <= state;
  end

  aes_rolling_part #(
    .Sbox      (SboxTable),
    .Order     (Order),
    .NumLookups(NumLookups)
  ) u_rolling_part (
    .clk_i,
    .turn_i  (turn),
    .state_i (state),
    .result_o(result)
  );

  // FIPS 197, sections 5.1.1 and 5.1.2: byte r + 4c is the S-box of byte r + 4 (c + r mod 4).
  byte_t source, realised;

  always_comb begin
    source   = '0;
    realised = '0;
    for (int r = 0; r < 4; r++) begin
      for (int c = 0; c < 4; c++) begin
        if (index_i == 4'(4 * c + r)) begin
          source   = before_q[8*(15-4*((c+r)%4)-r)+:8];
          realised = result[8*(15-4*c-r)+:8];
        end
      end
    end
  end

  assign same_o = turn != 2'(NumLookups - 1) || realised == SboxFwdTable[source];

endmodule
