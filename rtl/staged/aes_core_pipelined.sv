// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Pipelined architecture: every round in hardware, a block each clock (standaert2003, section 6.1,
// Fig. 7; section 6.2).
//
//   in_key_i or key_i --[ aes_key_pipeline: key rounds beside the rounds, or stored keys ]
//                     |                   |         |                           |
//                     | K0                | K1      | K(Nr-1)                   | K(Nr)
//                     v                   v         v                           v
//   in_block_i -|in|-(+)-|R|-[ round 1 ]--+-- ... --+--[ SubBytes ]--|delay|---(+)--|R|-- out
//
// A round and a key round have L = sbox_levels + mix_levels register levels each. With two levels
// in MixColumns there is an input register |in| and, to meet the last round key, the register
// |delay|; with one level neither. Values below stand behind the clock edge of that number; the
// block is accepted in clock 0, which ends with edge 1. S: sbox_levels.
//
//   levels            |in|  block+K0  SubBytes       Mixadd      K(r)   delay  out, latency
//   S=2, mix 2, L=4    1       2      4r-1, 4r       4r+1, 4r+2  4r+1    41        42
//   S=1, mix 2, L=3    1       2      3r             3r+1, 3r+2  3r+1    31        32
//   S=1, mix 1, L=2    -       1      2r             2r+1        2r       -        21
//   any, mix 2         1       2      to Lr        to Lr+2     Lr+1  Nr L+1    Nr L+2
//   any, mix 1         -       1      to Lr        to Lr+1     Lr       -      Nr L+1
//
// With key_reg = KeyRegAhead the key rounds are a clock ahead of the rounds, by one more input
// register for the block: each key is added out of a register of its own and need not be near its
// addition. (The first delay of the next key round holds the same bits, so it costs no flip-flop.)
//
// With key_mem = KeyMemDistributed keys on their way wait for SubWord in LUT RAM and not in
// flip-flops, of which a pipeline with many S-box levels has far more than LUTs.
//
// For decryption the transformations are their inverses and the keys those of the equivalent inverse
// cipher (FIPS 197, section 5.3.5). With both directions, the direction travels with the block.
//
// The paper prints the totals 42, 32 and 21 only. That the level beyond 41 and 31 is an input
// register is ours; the registers that it counts leave room for one in the I/O cells.
//
// Cost with tables of two levels: 9 rounds, SubBytes, 10 key rounds and two key additions as in
// Table 4 of the paper (33712 LUTs, 14592 registers). Ours has a valid bit for each level beside
// them, the counter of clocks since the reset, and 384 registers that the paper does not count. Of
// block in, key in, first key addition, delay and result it counts two, perhaps because the others
// are in I/O cells.

module aes_core_pipelined
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  // Printed from one table for all cores
  input  logic         clk_i,
  input  logic         rst_ni,

  // Key, for stored keys
  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,         // first byte at the top
  output logic         available_o,   // a key is current

  // Block
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,  // DirBoth: its direction
  input  logic [255:0] in_key_i,      // on-the-fly keys: its key, first byte at the top

  // Result, which cannot be held back
  output logic         out_valid_o,
  output block_t       out_block_o,
  output logic         fault_o        // Cfg.hardened: copies of a register of control differ
);

  localparam int unsigned SboxLevels = 32'(Cfg.sbox_levels);
  localparam int unsigned MixLevels = (Cfg.mix_levels == 2) ? 2 : 1;
  localparam int unsigned NumRounds = 32'(num_rounds(max_key_len(Cfg.key_size)));
  localparam int unsigned Latency = latency(Cfg, max_key_len(Cfg.key_size));

  // Key rounds a clock ahead of the block: a register stands between each key and its addition.
  localparam bit Ahead = Cfg.key_reg == KeyRegAhead;

  // Clocks from acceptance to round key r, which is added in the same clock or, Ahead, in the next.
  function automatic int unsigned key_clock(int unsigned r);
    return MixLevels - 1 + r * (SboxLevels + MixLevels);
  endfunction

  ///////////////////////////////////////////////////////////////////////////
  // Control: a block each clock, so nothing but the valid bits
  ///////////////////////////////////////////////////////////////////////////

  // The valid bits on the way have no reset, which would be a net all over the device. Instead, no
  // result counts until the blocks that were under way at the last reset have left.
  logic [5:0] fault;  // copies of a register of control differ
  logic accept;
  logic [Latency-2:0] on_the_way_q;
  byte_t clocks_d, clocks_q;  // since the reset, see next_count
  logic [1:0] ones_q;  // the halves of clocks_q were ones
  logic [1:0] met_q;  // the halves of clocks_q were those of LastCount
  logic drained_q, out_valid_q;

  localparam byte_t LastCount = count_after(Latency - 3);

  assign accept = in_valid_i & in_ready_o;

  // The count would stand still at ones, which it meets only where a flip throws it there: then it
  // goes on from the fourth count, 0f.
  assign clocks_d = next_count(clocks_q) & ~{{4{&ones_q}}, 4'h0};

  aes_control_register #(
    .Width   (Latency - 1),
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_on_the_way (
    .clk_i,
    .rst_ni,
    .d_i    ({on_the_way_q[Latency-3:0], accept}),
    .q_o    (on_the_way_q),
    .fault_o(fault[0])
  );

  aes_control_register #(
    .Width   (8),
    .Hardened(Cfg.hardened)
  ) u_clocks (
    .clk_i,
    .rst_ni,
    .d_i    (clocks_d),
    .q_o    (clocks_q),
    .fault_o(fault[1])
  );

  aes_control_register #(
    .Width   (2),
    .Hardened(Cfg.hardened)
  ) u_ones (
    .clk_i,
    .rst_ni,
    .d_i    ({&clocks_q[7:4], &clocks_q[3:0]}),
    .q_o    (ones_q),
    .fault_o(fault[5])
  );

  aes_control_register #(
    .Width   (2),
    .Hardened(Cfg.hardened)
  ) u_met (
    .clk_i,
    .rst_ni,
    .d_i    ({clocks_q[7:4] == LastCount[7:4], clocks_q[3:0] == LastCount[3:0]}),
    .q_o    (met_q),
    .fault_o(fault[2])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_drained (
    .clk_i,
    .rst_ni,
    .d_i    (drained_q | (&met_q)),
    .q_o    (drained_q),
    .fault_o(fault[3])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_out_valid (
    .clk_i,
    .rst_ni,
    .d_i    (on_the_way_q[Latency-2] & drained_q),
    .q_o    (out_valid_q),
    .fault_o(fault[4])
  );

  assign out_valid_o = out_valid_q;

  // Direction of the block that was accepted so many clocks ago.
  localparam int unsigned LastKey = key_clock(NumRounds);
  logic [LastKey:0] decrypt;

  if (Cfg.dir == DirBoth) begin : gen_both
    logic [LastKey:1] decrypt_q;
    always_ff @(posedge clk_i) decrypt_q <= decrypt[LastKey-1:0];
    assign decrypt = {decrypt_q, in_decrypt_i};
  end else begin : gen_one_direction
    logic unused_decrypt;
    assign unused_decrypt = in_decrypt_i;
    assign decrypt        = {(LastKey + 1) {Cfg.dir == DirDecrypt}};
  end

  ///////////////////////////////////////////////////////////////////////////
  // Keys
  ///////////////////////////////////////////////////////////////////////////

  logic [NumRounds:0] key_decrypt;
  block_t [NumRounds:0] key;

  for (genvar r = 0; r <= NumRounds; r++) begin : gen_key_decrypt
    assign key_decrypt[r] = decrypt[key_clock(r)];
  end

  aes_key_pipeline #(
    .Sbox      (Cfg.key_sbox),
    .Dir       (Cfg.dir),
    .KeySize   (Cfg.key_size),
    .Schedule  (Cfg.key_sched),
    .Ahead     (Ahead),
    .Staged    (Cfg.key_exp == KeyExpStaged),
    .RamWidth  ((Cfg.key_mem == KeyMemDistributed) ? 16 : 0),
    .SboxLevels(SboxLevels),
    .MixLevels (MixLevels)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .in_key_i,
    .accept_i    (accept),
    .available_o (in_ready_o),
    .decrypt_i   (key_decrypt),
    .round_keys_o(key)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  // Index r: after round r, 0: after the first key addition.
  block_t [NumRounds:0] state, shifted;
  block_t in_block, first_state_q, last_shifted, out_block_q;

  localparam int unsigned InLevels = MixLevels - 1 + 32'(Ahead);

  if (InLevels > 0) begin : gen_in_register
    block_t [InLevels:1] in_block_q;
    always_ff @(posedge clk_i) begin
      for (int unsigned l = 1; l <= InLevels; l++) begin
        in_block_q[l] <= (l == 1) ? in_block_i : in_block_q[l-1];
      end
    end
    assign in_block = in_block_q[InLevels];
  end else begin : gen_no_in_register
    assign in_block = in_block_i;
  end

  always_ff @(posedge clk_i) first_state_q <= in_block ^ key[0];
  assign state[0]   = first_state_q;
  assign shifted[0] = '0;

  // Of the last round there is SubBytes and ShiftRows only: nothing reads the rest.
  for (genvar r = 1; r <= NumRounds; r++) begin : gen_round
    aes_round_staged #(
      .Sbox      (Cfg.sbox),
      .Dir       (Cfg.dir),
      .SboxLevels(SboxLevels),
      .MixLevels (MixLevels),
      .Doubled   (Cfg.doubled)
    ) u_round (
      .clk_i,
      .decrypt_i  (decrypt[key_clock(r-1)+1+32'(Ahead)]),
      .state_i    (state[r-1]),
      .round_key_i(key[r]),
      .clear_i    ('0),
      .entry_i    ('0),
      .shifted_o  (shifted[r]),
      .state_o    (state[r])
    );
  end

  // The last round key comes MixLevels - 1 clocks after the state, as in every round.
  if (MixLevels == 2) begin : gen_delay
    block_t shifted_q;
    always_ff @(posedge clk_i) shifted_q <= shifted[NumRounds];
    assign last_shifted = shifted_q;
  end else begin : gen_no_delay
    assign last_shifted = shifted[NumRounds];
  end

  always_ff @(posedge clk_i) out_block_q <= last_shifted ^ key[NumRounds];

  assign out_block_o = out_block_q;

  logic unused_inputs;
  assign unused_inputs = ^{shifted[NumRounds-1:0], state[NumRounds], decrypt};

  assign available_o = in_ready_o;
  assign fault_o     = |fault;

endmodule
