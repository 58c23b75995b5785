// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A byte of a beat that waits on one of three streams, in two clocks:
//
//   key_i  --[ word ]--|R|--+
//   head_i --[ word ]--|R|-(or)--[ byte ]--[ and ]--|R|-- byte_o
//   data_i --[ word ]--|R|--+                  ^
//   keep_i -------------|R|--------------------+--|R|-- keep_o
//
// Cost: two LUT4 a bit of each word, and three for a bit of the byte.

module aes_engine_bytes_port
  import aes_pkg::*;
(
  input  logic         clk_i,
  input  logic [127:0] key_i,      // byte 0 lowest, as in the next two
  input  logic [127:0] head_i,     // of a descriptor
  input  logic [127:0] data_i,
  input  logic         of_key_i,
  input  logic         of_head_i,  // of neither: of data_i
  input  logic [3:0]   index_i,
  input  logic         keep_i,     // else the byte is zero
  output byte_t        byte_o,
  output logic         keep_o      // keep_i, with byte_o
);

  // A word that nobody wants is zero.
  logic [31:0] key_word_q, head_word_q, data_word_q, word;
  logic [1:0] index_q;
  logic keep_q;
  byte_t chosen;

  // One of four bits in two LUT4: the first one gives n[0] where the second one chooses by it.
  function automatic logic [31:0] word_of(logic [127:0] block, logic [1:0] index);
    logic [31:0] lower, wanted;
    lower = index[0] ? block[63:32] : block[31:0];
    if (index[1]) lower = {32{index[0]}};
    wanted = (lower & block[127:96]) | (~lower & block[95:64]);
    return index[1] ? wanted : lower;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!of_key_i) key_word_q <= '0;
    else key_word_q <= word_of(key_i, index_i[3:2]);
    if (!of_head_i) head_word_q <= '0;
    else head_word_q <= word_of(head_i, index_i[3:2]);
    if (of_key_i || of_head_i) data_word_q <= '0;
    else data_word_q <= word_of(data_i, index_i[3:2]);
    index_q <= index_i[1:0];
    keep_q  <= keep_i;
    keep_o  <= keep_q;
    if (!keep_q) byte_o <= '0;
    else byte_o <= chosen;
  end
  assign word = key_word_q | head_word_q | data_word_q;

  always_comb begin
    case (index_q)
      2'd0:    chosen = word[7:0];
      2'd1:    chosen = word[15:8];
      2'd2:    chosen = word[23:16];
      default: chosen = word[31:24];
    endcase
  end

endmodule
