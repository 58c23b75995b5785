// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_round_key_columns beside the recurrence of KeyExpansion for Nk = 4 (FIPS 197, section 5.2), for
// keys that follow each other without a gap: when the last words of a round key leave, all four are
// those that follow from the key before. same_o is high in all other clocks.

module round_key_columns_miter
  import aes_pkg::*;
#(
  parameter int unsigned NumColumns = 1,
  parameter int unsigned SboxLevels = 1
) (
  input  logic                   clk_i,
  input  word_t [NumColumns-1:0] words_i,
  input  logic  [1:0]            row_i,    // the row of the words that is compared
  output logic                   same_o
);

  localparam byte_t Rcon = 8'h36;
  localparam int unsigned NumParts = 4 / NumColumns;
  // The last word of a key goes to SubWord in the clock in which it comes.
  localparam int unsigned Delay = NumParts + SboxLevels - 1;
  localparam int unsigned PartWidth = 32 * NumColumns;

  logic [1:0] turn_q;
  logic first;
  word_t [NumColumns-1:0] realised;
  word_t unused_last;

  // A key begins with the first clock; every other register starts with anything.
  initial turn_q = '0;
  always_ff @(posedge clk_i) turn_q <= (turn_q + 2'd1) & 2'(NumParts - 1);

  assign first = turn_q == 2'(Delay % NumParts);

  aes_round_key_columns #(
    .SboxLevels(SboxLevels),
    .NumColumns(NumColumns),
    .Delay     (Delay),
    .Rcon      (Rcon)
  ) u_round_key_columns (
    .clk_i,
    .first_i    (first),
    .words_i,
    .last_word_i(words_i[0]),
    .words_o    (realised),
    .last_o     (unused_last)
  );

  // What came, and what left: the parts of the last clocks, the latest one lowest.
  logic [(Delay+NumParts)*PartWidth-1:0] came_q;
  logic [127:0] left_q, left;

  assign left = 128'({left_q, realised});

  always_ff @(posedge clk_i) begin
    came_q <= {came_q[(Delay+NumParts-1)*PartWidth-1:0], words_i};
    left_q <= left;
  end

  block_t key_before;
  assign key_before = came_q[(Delay+NumParts)*PartWidth-1-:128];

  // The bytes of one row of the words.
  byte_t w[8];
  byte_t rotated, row_rcon;
  logic [3:0][7:0] left_row;

  always_comb begin
    for (int i = 0; i < 4; i++) begin
      w[i]          = key_before[8*(15-4*i-32'(row_i))+:8];
      left_row[3-i] = left[8*(15-4*i-32'(row_i))+:8];
    end
    rotated  = key_before[8*(3-(32'(row_i)+1)%4)+:8];
    row_rcon = (row_i == '0) ? Rcon : '0;
    for (int i = 4; i < 8; i++) begin
      w[i] = w[i-4] ^ ((i == 4) ? SboxFwdTable[rotated] ^ row_rcon : w[i-1]);
    end
  end

  assign same_o = !first || left_row == {w[4], w[5], w[6], w[7]};

endmodule
