// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What aes_tbox_refill writes beside the definition of the tables: in every clock with write_o, from
// any state, the word is the entry of that address and of the direction held. same_o is high when
// it is.

module tbox_refill_miter
  import aes_pkg::*;
(
  input  logic clk_i,
  input  logic offered_i,
  input  logic decrypt_i,
  output logic same_o
);

  logic ready, held, write;
  byte_t addr;
  word_t word;

  aes_tbox_refill u_refill (
    .clk_i,
    .rst_ni        (1'b1),
    .offered_i,
    .decrypt_i,
    .ready_o       (ready),
    .held_decrypt_o(held),
    .write_o       (write),
    .addr_o        (addr),
    .word_o        (word)
  );

  logic unused_ready;
  assign unused_ready = ready;

  word_t defined;

  byte_t s;

  assign s       = held ? SboxInvTable[addr] : SboxFwdTable[addr];
  assign defined = held
      ? {gf_mul(s, 8'h0e), gf_mul(s, 8'h09), gf_mul(s, 8'h0d), gf_mul(s, 8'h0b)}
      : {gf_mul(s, 8'h02), s, s, gf_mul(s, 8'h03)};
  assign same_o  = !write || word == defined;

endmodule
