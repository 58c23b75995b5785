// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The T-box generator (fischer2001, section 3.2): writes the T-boxes of the wanted direction from
// both S-boxes, all T-box RAMs at the same time.
//
//   count --[ ROM 256 x 16: {S, S^-1} |R| ]--[ S or S^-1 ]--[ x 2, 1, 3 or x e, 9, d, b ]-- word_o
//     |                                                            all RAMs hold T0 or T0'
//     +--|R|-- addr_o
//
//   clock 0            a block of the other direction is offered, no block is under way: the
//                      address 0 enters the ROM
//   clock 1 ... 256    write_o: entry 0 ... 255
//   clock 257          ready_o
//
// The paper gives no cycle count and does not say when the tables are made again, nor what they
// hold after reset. Here: the refill starts in the first clock in which a block is offered for
// which the tables are not made while none is under way, whether or not there is a key, and runs to
// its end. After reset the tables hold neither direction, as a reset may have come in a refill: the
// first block costs a refill, too. ROM and RAM need no content but that of the ROM.

module aes_tbox_refill
  import aes_pkg::*;
  import aes_tbox_pkg::*;
(
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  offered_i,       // a block is offered and none is under way
  input  logic  decrypt_i,       // its direction
  output logic  ready_o,         // the tables are those of decrypt_i
  output logic  held_decrypt_o,  // direction of the tables; valid where ready_o was high
  output logic  write_o,         // entry addr_o of the tables is to become word_o
  output byte_t addr_o,
  output word_t word_o
);

  logic start, running_q, write_q, made_q, held_decrypt_q;
  byte_t count_q, addr_q;

  // write_q is high from the clock after the start to the end of the refill.
  assign start = offered_i & ~ready_o & ~write_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      write_q   <= 1'b0;
      made_q    <= 1'b0;
      count_q   <= '0;
    end else begin
      running_q <= start | (running_q & (count_q != 8'hff));
      write_q   <= start | running_q;
      made_q    <= ~start & (made_q | (write_q & ~running_q));
      if (start || running_q) count_q <= count_q + 8'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) held_decrypt_q <= decrypt_i;
    addr_q <= count_q;
  end

  // Both S-boxes in one memory (4096 bit, one embedded memory block of the paper's devices).
  typedef logic [15:0] rom_t[256];

  function automatic rom_t make_rom();
    rom_t entries;
    for (int i = 0; i < 256; i++) entries[i] = {SboxFwdTable[i], SboxInvTable[i]};
    return entries;
  endfunction

  (* rom_style = "block", ram_style = "block" *) logic [15:0] rom[256];
  initial rom = make_rom();

  logic [15:0] pair_q;
  always_ff @(posedge clk_i) pair_q <= rom[count_q];

  assign ready_o        = made_q & (held_decrypt_q == decrypt_i);
  assign held_decrypt_o = held_decrypt_q;
  assign write_o        = write_q;
  assign addr_o         = addr_q;
  assign word_o         = tbox_word(held_decrypt_q ? pair_q[7:0] : pair_q[15:8], held_decrypt_q);

endmodule
