// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// KeyExpansion (FIPS 197, section 5.2) for 128, 192 and 256-bit keys, two words a clock.
//
//          +--------------------------- window of the last Nk words -----------+
//   key_i -|  pair 0  <-  pair 1  <-  ...  <-  newest pair (a, b)              |
//          +----|-------------------------------|------------------------------+
//               |                               |  next b --[ RotWord ]--[ SubWord, one clock ]--+
//            pair_o                             +--[ t = b, or SubWord ( ) + Rcon ]---------------+
//               |                                         |
//               +--( a' = pair 0.a + t, b' = a' + pair 0.b )--> new newest pair
//
// For even i from Nk on, with u = W[i-1]: t = SubWord(RotWord(u)) + Rcon[i/Nk] where i mod Nk = 0,
// SubWord(u) where Nk = 8 and i mod 8 = 4, u otherwise; W[i] = W[i-Nk] + t and
// W[i+1] = W[i+1-Nk] + W[i] (kakarlapudi, section V, with the condition for Nk = 8 corrected).
//
// Protocol: load_i takes a key; at least one clock later each clock with step_i moves on by a pair.
// pair_o is W[0], W[1] before the first step and the next two words after each.

module aes_key_expander
  import aes_pkg::*;
#(
  parameter sbox_e     Sbox    = SboxTable,
  parameter key_size_e KeySize = KeySize128
) (
  input  logic         clk_i,
  input  logic         load_i,
  input  logic [255:0] key_i,   // first byte at the top
  input  logic [1:0]   len_i,   // key_len_e, held from load_i to the last step_i
  input  logic         step_i,
  output word_t [1:0]  pair_o   // [1]: W[i], [0]: W[i+1]
);

  typedef word_t [1:0] pair_t;

  localparam int unsigned MaxPairs = key_width(KeySize) / 64;

  // Pairs of words in a key of the current length, Nk / 2.
  logic [2:0] num_pairs;

  if (KeySize == KeySizeAny) begin : gen_any
    always_comb begin
      case (len_i)
        KeyLen128: num_pairs = 3'd2;
        KeyLen192: num_pairs = 3'd3;
        default:   num_pairs = 3'd4;
      endcase
    end
  end else begin : gen_fixed
    logic unused_len;
    assign unused_len = ^len_i;
    assign num_pairs  = 3'(MaxPairs);
  end

  pair_t window_q[MaxPairs];
  pair_t window_d[MaxPairs];
  pair_t computed;
  word_t newest;

  // Which pair of its key-length group the next one is: 0 means i mod Nk = 0.
  logic [2:0] phase_q;
  byte_t      rcon_q;
  word_t sub, t;
  logic at_start, at_middle;

  always_comb begin
    newest = window_q[MaxPairs-1][0];
    for (int unsigned p = 0; p < MaxPairs; p++) begin
      if (3'(p + 1) == num_pairs) newest = window_q[p][0];
    end
  end

  assign at_start  = phase_q == 3'd0;
  assign at_middle = num_pairs == 3'd4 && phase_q == 3'd2;

  always_comb begin
    if (at_start) t = sub ^ {rcon_q, 24'b0};
    else if (at_middle) t = sub;
    else t = newest;
  end

  assign computed[1] = window_q[0][1] ^ t;
  assign computed[0] = window_q[0][0] ^ computed[1];

  always_comb begin
    for (int unsigned p = 0; p < MaxPairs; p++) begin
      window_d[p] = (p == MaxPairs - 1 || 3'(p + 1) == num_pairs) ? computed
                                                                  : window_q[(p+1)%MaxPairs];
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      for (int unsigned p = 0; p < MaxPairs; p++) window_q[p] <= key_i[64*(3-p)+:64];
      phase_q <= '0;
      rcon_q  <= 8'h01;
    end else if (step_i) begin
      for (int unsigned p = 0; p < MaxPairs; p++) window_q[p] <= window_d[p];
      phase_q <= (phase_q == num_pairs - 3'd1) ? '0 : phase_q + 3'd1;
      if (at_start) rcon_q <= xtime(rcon_q);
    end
  end

  // SubWord of the newest word, ready in the clock after that word is made. Its input is rotated
  // unless it is for the middle of a 256-bit group.
  word_t next_word;
  logic  next_middle;

  assign next_word   = step_i ? computed[0] : newest;
  assign next_middle = num_pairs == 3'd4 && phase_q[1:0] == (step_i ? 2'd1 : 2'd2);

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Dir     (DirEncrypt),
    .Levels  (1),
    .NumBytes(4)
  ) u_sub_word (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  (next_middle ? next_word : rot_word(next_word)),
    .bytes_o  (sub)
  );

  assign pair_o = window_q[0];

  if (MaxPairs < 4) begin : gen_unused
    logic unused_key;
    assign unused_key = ^key_i[255-64*MaxPairs:0];
  end

endmodule
