// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Pipelined architecture: every round in hardware, a block and its key each clock (standaert2003,
// section 6.1, Fig. 7; section 6.2).
//
//   in_key_i ---|in|--+--[ key round 1 ]--+-- ... --+--[ key round 10 ]---------+
//                     |                   |         |                           |
//                     | K0                | K1      | K9                        | K10
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
//   any, mix 2         1       2      to Lr        to Lr+2     Lr+1  10L+1     10L+2
//   any, mix 1         -       1      to Lr        to Lr+1     Lr       -      10L+1
//
// The paper prints the totals 42, 32 and 21 only. That the level beyond 41 and 31 is an input
// register is ours; the registers that it counts leave room for one in the I/O cells.
//
// Cost with tables of two levels: 9 rounds, SubBytes, 10 key rounds and two key additions as in
// Table 4 of the paper (33712 LUTs, 14592 registers), and beside them 384 registers that the paper
// does not count, perhaps because they are in I/O cells (of block and key in, first key addition,
// delay and result it counts two), a valid bit for each level, and the counter of
// clocks since the reset.

module aes_core_pipelined
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,
  input  logic [1:0]   key_len_i,

  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,
  input  logic [255:0] in_key_i,

  output logic         out_valid_o,
  output block_t       out_block_o
);

  localparam int unsigned SboxLevels = 32'(Cfg.sbox_levels);
  localparam int unsigned MixLevels = (Cfg.mix_levels == 2) ? 2 : 1;
  localparam int unsigned NumRounds = 32'(num_rounds(KeyLen128));
  localparam int unsigned Latency = latency(Cfg, KeyLen128);

  ///////////////////////////////////////////////////////////////////////////
  // Control: a block each clock, so nothing but the valid bits
  ///////////////////////////////////////////////////////////////////////////

  // The valid bits on the way have no reset, which would be a net all over the device. Instead, no
  // result counts until the blocks that were under way at the last reset have left.
  logic [Latency-1:0] valid_q;
  logic [$clog2(Latency)-1:0] clocks_q;  // since the reset
  logic drained_q;

  always_ff @(posedge clk_i) valid_q[Latency-2:0] <= {valid_q[Latency-3:0], in_valid_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clocks_q           <= '0;
      drained_q          <= 1'b0;
      valid_q[Latency-1] <= 1'b0;
    end else begin
      if (!drained_q) clocks_q <= clocks_q + 1'b1;
      drained_q          <= drained_q | (32'(clocks_q) == Latency - 2);
      valid_q[Latency-1] <= valid_q[Latency-2] & drained_q;
    end
  end

  assign in_ready_o  = 1'b1;
  assign out_valid_o = valid_q[Latency-1];

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  // RC of key round r, {02}^(r-1).
  function automatic byte_t round_constant(int unsigned r);
    byte_t constant;
    constant = 8'h01;
    for (int unsigned i = 1; i < r; i++) constant = xtime(constant);
    return constant;
  endfunction

  // Index r: after round r, 0: after the first key addition.
  block_t state[NumRounds];
  block_t key  [NumRounds+1];
  block_t in_block, first_state_q, shifted, last_shifted, out_block_q;

  if (MixLevels == 2) begin : gen_in_register
    block_t in_block_q, in_key_q;
    always_ff @(posedge clk_i) begin
      in_block_q <= in_block_i;
      in_key_q   <= in_key_i[255:128];
    end
    assign in_block = in_block_q;
    assign key[0]   = in_key_q;
  end else begin : gen_no_in_register
    assign in_block = in_block_i;
    assign key[0]   = in_key_i[255:128];
  end

  always_ff @(posedge clk_i) first_state_q <= in_block ^ key[0];
  assign state[0] = first_state_q;

  for (genvar r = 1; r <= NumRounds; r++) begin : gen_round
    block_t unused_next;
    aes_key_round_staged #(
      .Sbox      (Cfg.key_sbox),
      .SboxLevels(SboxLevels),
      .MixLevels (MixLevels)
    ) u_key_round (
      .clk_i,
      .key_i(key[r-1]),
      .rcon_i(round_constant(r)),
      .load_i('0),
      .new_key_i('0),
      .next_o(unused_next),
      .key_o(key[r])
    );

    if (r < NumRounds) begin : gen_inner
      block_t unused_shifted;
      aes_round_staged #(
        .Sbox      (Cfg.sbox),
        .SboxLevels(SboxLevels),
        .MixLevels (MixLevels),
        .Doubled   (Cfg.doubled)
      ) u_round (
        .clk_i,
        .state_i    (state[r-1]),
        .round_key_i(key[r]),
        .clear_i    ('0),
        .entry_i    ('0),
        .shifted_o  (unused_shifted),
        .state_o    (state[r])
      );
    end else begin : gen_last
      block_t substituted;
      aes_sub_bytes #(
        .Sbox    (Cfg.sbox),
        .Dir     (DirEncrypt),
        .Levels  (SboxLevels),
        .NumBytes(16)
      ) u_sub_bytes (
        .clk_i,
        .decrypt_i(1'b0),
        .bytes_i  (state[r-1]),
        .bytes_o  (substituted)
      );
      assign shifted = shift_rows(substituted);
    end
  end

  // The last round key comes MixLevels - 1 clocks after the state, as in every round.
  if (MixLevels == 2) begin : gen_delay
    block_t shifted_q;
    always_ff @(posedge clk_i) shifted_q <= shifted;
    assign last_shifted = shifted_q;
  end else begin : gen_no_delay
    assign last_shifted = shifted;
  end

  always_ff @(posedge clk_i) out_block_q <= last_shifted ^ key[NumRounds];

  assign out_block_o = out_block_q;

  ///////////////////////////////////////////////////////////////////////////
  // Ports that other architectures use
  ///////////////////////////////////////////////////////////////////////////

  assign key_ready_o = 1'b0;

  logic unused_ports;
  assign unused_ports = ^{key_valid_i, key_i, key_len_i, in_decrypt_i, in_key_i[127:0]};

endmodule
