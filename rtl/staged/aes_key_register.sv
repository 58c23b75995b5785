// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// One stored round key in registers, always readable; for a pipeline, whose rounds all read at once.
//
//   half_i --[ |R| write_i, upper and lower half ]--+--[ |R| load_i ]-- key_o    NumBanks = 2
//                                                   +------------------ key_o    NumBanks = 1
//
// With two banks the second register is the key in use, so a key is read without a multiplexer.
// Cost: 128 flip-flops a bank and no logic.

module aes_key_register
  import aes_pkg::*;
#(
  parameter int unsigned NumBanks = 2  // 1 or 2
) (
  input  logic        clk_i,
  input  logic  [1:0] write_i,  // [1]: the upper half, [0]: the lower one
  input  word_t [1:0] half_i,
  input  logic        load_i,   // what was written is in use from the next clock on (two banks)
  output block_t      key_o
);

  word_t [1:0][1:0] written_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned h = 0; h < 2; h++) if (write_i[h]) written_q[h] <= half_i;
  end

  if (NumBanks == 2) begin : gen_two_banks
    block_t key_q;
    always_ff @(posedge clk_i) if (load_i) key_q <= written_q;
    assign key_o = key_q;
  end else begin : gen_one_bank
    logic unused_load;
    assign unused_load = load_i;
    assign key_o       = written_q;
  end

endmodule
