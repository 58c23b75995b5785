// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys of two blocks in turn, made word by word while the blocks are processed (FIPS 197,
// section 5.2, 128-bit keys). The S-boxes are those of the data path.
//
//             zero at a group's end, at the first words
//                    |
//          +--------|R|--------+
//          |                   v
//   word_o-+--|R| x 9 (zero)--(+)--|R|-- word_o
//                              ^ ^
//      sub_i (+ Rcon), zero ---+ +--- key words, zero when there is none
//
// A round takes five clocks of a block, then five of the other one: words w0 to w3, and w3 again,
// which is then on its way through the S-boxes as a fifth column. w0' = w0 + SubWord + Rcon and
// w[j]' = w[j] + w[j-1]' ten clocks after w[j]. What must not be added is the synchronous reset of
// its register, so each bit of the sum is one LUT of four inputs.
//
//   slot_i               4     0     1     2     3     4    ...
//   key words            w0    w1    w2    w3               (after load_i)
//   word_o                     w0    w1    w2    w3    w3   w0' of the other block ...
//   sub_i                                        of w3 of the other block

module aes_key_ring
  import aes_pkg::*;
  import aes_key_pkg::*;
#(
  parameter bit Hardened = 1'b0  // registers of control in three copies
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [4:0] slot_i,         // one-hot: which column of a round, 4: w3 for the S-boxes
  input  logic       load_i,         // slot 3: key_i is taken for the group that comes
  input  logic       idle_i,         // no load_i
  // What must not be added is made zero in the clock before it would be:
  input  logic       ring_zero_i,    // slot 2; while a key is loaded, slots 3, 4, 0 and 1, too
  input  logic       before_zero_i,  // slot 3; while a key is loaded, slots 4, 0 and 1, too
  input  logic       sub_zero_i,     // any clock but slot 3 without load_i
  input  logic       first_i,        // slot 4: the group that comes is that of a key taken
  input  block_t     key_i,
  input  word_t      sub_i,          // slot 3: SubWord(RotWord) of the group before
  output word_t      word_o,
  output logic       last_o,         // word_o is of round 10
  output logic       done_o,         // the group before was of round 10
  output logic       next_last_o,    // the group after this one is of round 10
  output logic       fault_o         // copies of a register differ
);

  logic unused_slot;
  assign unused_slot = ^slot_i;

  localparam int unsigned Delay = 9;

  word_t buffer_q[4];
  word_t ring_q[Delay];
  word_t word_d, word_q, before_q, sub_q;
  byte_t rcon_q, rcon_before_q;  // for the next round key of this group, of the group before

  ///////////////////////////////////////////////////////////////////////////
  // Key words, one a clock, then zero
  ///////////////////////////////////////////////////////////////////////////

  always_ff @(posedge clk_i) begin
    for (int j = 0; j < 3; j++) buffer_q[j] <= load_i ? key_i[32*(3-j)+:32] : buffer_q[j+1];
    if (idle_i) buffer_q[3] <= '0;
    else buffer_q[3] <= key_i[31:0];
  end

  ///////////////////////////////////////////////////////////////////////////
  // The sum
  ///////////////////////////////////////////////////////////////////////////

  assign word_d = ring_q[Delay-1] ^ before_q ^ sub_q ^ buffer_q[0];

  always_ff @(posedge clk_i) begin
    word_q <= word_d;

    ring_q[0] <= word_q;
    for (int unsigned d = 1; d < Delay - 1; d++) ring_q[d] <= ring_q[d-1];
    if (ring_zero_i) ring_q[Delay-1] <= '0;
    else ring_q[Delay-1] <= ring_q[Delay-2];

    if (before_zero_i) before_q <= '0;
    else before_q <= word_d;

    if (sub_zero_i) sub_q <= '0;
    else sub_q <= sub_i ^ {rcon_before_q, 24'b0};
  end

  ///////////////////////////////////////////////////////////////////////////
  // Rcon, which also counts the rounds: {36} leads to round 10, whose own would be {6c}
  ///////////////////////////////////////////////////////////////////////////

  byte_t rcon_d, rcon_before_d;
  logic [1:0] fault;

  always_comb begin
    rcon_before_d = rcon_before_q;
    rcon_d        = rcon_q;
    if (slot_i[4]) begin
      rcon_before_d = rcon_q;
      if (first_i) rcon_d = 8'h01;
      else rcon_d = rcon_after(rcon_before_q);
    end
  end

  aes_control_register #(
    .Width   (8),
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_rcon (
    .clk_i,
    .rst_ni,
    .d_i    (rcon_d),
    .q_o    (rcon_q),
    .fault_o(fault[0])
  );

  aes_control_register #(
    .Width   (8),
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_rcon_before (
    .clk_i,
    .rst_ni,
    .d_i    (rcon_before_d),
    .q_o    (rcon_before_q),
    .fault_o(fault[1])
  );

  assign fault_o = |fault;

  // {36} is the only one of {01} to {6c} with bits 5 and 4, {6c} the only one with 6 and 5.
  assign last_o      = rcon_q[6] & rcon_q[5];
  assign done_o      = rcon_before_q[6] & rcon_before_q[5];
  assign next_last_o = rcon_before_q[5] & rcon_before_q[4];
  assign word_o = word_q;

endmodule
