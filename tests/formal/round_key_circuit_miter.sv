// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_round_key_circuit beside the recurrence of KeyExpansion for Nk = 4 (FIPS 197, section 5.2):
// through a whole block period, key_o follows from the key of two periods before.

module round_key_circuit_miter
  import aes_pkg::*;
#(
  parameter int unsigned NumLookups = 1
) (
  input  logic       clk_i,
  input  block_t     key_i,
  input  logic [1:0] row_i,   // the row of the words that is compared
  output logic       same_o
);

  localparam byte_t Rcon = 8'h36;

  logic [1:0] turn, turn_q;
  logic load;
  block_t given_q, given, before_q, before_last_q, realised;

  // A key stands still through its block period; for a period of one clock it is the input.
  assign turn  = turn_q & 2'(NumLookups - 1);
  assign load  = turn == 2'(NumLookups - 1);
  assign given = (turn == '0) ? key_i : given_q;

  // A block period begins with the first clock; every other register starts with anything.
  initial turn_q = '0;

  always_ff @(posedge clk_i) begin
    turn_q  <= turn + 2'd1;
    given_q <= given;
    if (load) begin
      before_q      <= given;
      before_last_q <= before_q;
    end
  end

  aes_round_key_circuit #(
    .NumLookups(NumLookups),
    .Rcon      (Rcon)
  ) u_round_key_circuit (
    .clk_i,
    .load_i(load),
    .key_i (given),
    .key_o (realised)
  );

  // The bytes of one row of the words.
  byte_t w[8];
  byte_t rotated, row_rcon;
  logic [3:0][7:0] realised_row;

  always_comb begin
    for (int i = 0; i < 4; i++) begin
      w[i]              = before_last_q[8*(15-4*i-32'(row_i))+:8];
      realised_row[3-i] = realised[8*(15-4*i-32'(row_i))+:8];
    end
    rotated  = before_last_q[8*(3-(32'(row_i)+1)%4)+:8];
    row_rcon = (row_i == '0) ? Rcon : '0;
    for (int i = 4; i < 8; i++) begin
      w[i] = w[i-4] ^ ((i == 4) ? SboxFwdTable[rotated] ^ row_rcon : w[i-1]);
    end
  end

  // In the first clock of a period the key is compared; then it stands still.
  block_t realised_q;
  always_ff @(posedge clk_i) realised_q <= realised;

  assign same_o = (turn == '0) ? realised_row == {w[4], w[5], w[6], w[7]} : realised == realised_q;

endmodule
