// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// KeyExpansion (FIPS 197, section 5.2) for 128, 192 and 256-bit keys, two words or one a clock.
//
//          +--------------------------- window of the last Nk words -----------+
//   key_i -|  pair 0  <-  pair 1  <-  ...  <-  newest pair (a, b)              |
//          +----|-------------------------------|------------------------------+
//               |                               |  next b --[ RotWord ]--[ SubWord, one clock ]--+
//            words_o                            +--[ t = b, or SubWord ( ) + Rcon ]---------------+
//               |                                         |
//               +--( a' = pair 0.a + t, b' = a' + pair 0.b )--> new newest pair
//
// Drawn for NumWords = 2; with one word a clock there is a' only. For i from Nk on, with u =
// W[i-1], W[i] = W[i-Nk] + t (kakarlapudi, section V, with the condition for Nk = 8 corrected):
//
//   i mod Nk = 0             t = SubWord(RotWord(u)) + Rcon[i/Nk]
//   Nk = 8 and i mod 8 = 4   t = SubWord(u)
//   otherwise                t = u, so always for odd i
//
// Protocol: load_i takes a key; at least one clock later each clock with step_i moves on by NumWords
// words. words_o are the first words of the key before the first step and the next ones after each.

module aes_key_expander
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox     = SboxTable,
  parameter key_size_e   KeySize  = KeySize128,
  parameter int unsigned NumWords = 2,          // words a step, 1 or 2
  parameter bit          Hardened = 1'b0        // registers of control in three copies
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 load_i,
  input  logic [255:0]         key_i,   // first byte at the top
  input  logic [1:0]           len_i,   // key_len_e, held from load_i to the last step_i
  input  logic                 step_i,
  output word_t [NumWords-1:0] words_o,  // the first one at the top
  output logic                 fault_o  // copies of a register differ
);

  // The words of a step.
  typedef word_t [NumWords-1:0] group_t;

  localparam int unsigned MaxGroups = key_width(KeySize) / 32 / NumWords;
  // Groups in a 256-bit key, and the one in its middle.
  localparam int unsigned LongGroups = 8 / NumWords;
  localparam int unsigned Middle = LongGroups / 2;

  // Groups of words in a key of the current length, Nk / NumWords.
  logic [3:0] num_groups;

  if (KeySize == KeySizeAny) begin : gen_any
    always_comb begin
      case (len_i)
        KeyLen128: num_groups = 4'(4 / NumWords);
        KeyLen192: num_groups = 4'(6 / NumWords);
        default:   num_groups = 4'(LongGroups);
      endcase
    end
  end else begin : gen_fixed
    logic unused_len;
    assign unused_len = ^len_i;
    assign num_groups = 4'(MaxGroups);
  end

  group_t window_q[MaxGroups];
  group_t window_d[MaxGroups];
  group_t computed;
  word_t  newest;

  // Which group of words of its key-length group the next one is: 0 means i mod Nk = 0.
  logic [2:0] phase_q;
  byte_t      rcon_q;
  word_t sub, t;
  logic at_start, at_middle;

  always_comb begin
    newest = window_q[MaxGroups-1][0];
    for (int unsigned g = 0; g < MaxGroups; g++) begin
      if (4'(g + 1) == num_groups) newest = window_q[g][0];
    end
  end

  assign at_start  = phase_q == 3'd0;
  assign at_middle = num_groups == 4'(LongGroups) && phase_q == 3'(Middle);

  always_comb begin
    if (at_start) t = sub ^ {rcon_q, 24'b0};
    else if (at_middle) t = sub;
    else t = newest;
  end

  always_comb begin
    word_t sum;
    sum = t;
    for (int w = NumWords - 1; w >= 0; w--) begin
      sum ^= window_q[0][w];
      computed[w] = sum;
    end
  end

  always_comb begin
    for (int unsigned g = 0; g < MaxGroups; g++) begin
      window_d[g] = (g == MaxGroups - 1 || 4'(g + 1) == num_groups) ? computed
                                                                    : window_q[(g+1)%MaxGroups];
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      for (int unsigned g = 0; g < MaxGroups; g++) begin
        window_q[g] <= key_i[32*NumWords*(LongGroups-1-g)+:32*NumWords];
      end
    end else if (step_i) begin
      for (int unsigned g = 0; g < MaxGroups; g++) window_q[g] <= window_d[g];
    end
  end

  logic [2:0] phase_d;
  byte_t rcon_d;
  logic [1:0] fault;

  always_comb begin
    phase_d = phase_q;
    rcon_d  = rcon_q;
    if (load_i) begin
      phase_d = '0;
      rcon_d  = 8'h01;
    end else if (step_i) begin
      phase_d = (4'(phase_q) == num_groups - 4'd1) ? '0 : phase_q + 3'd1;
      if (at_start) rcon_d = xtime(rcon_q);
    end
  end

  aes_control_register #(
    .Width   (3),
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_phase (
    .clk_i,
    .rst_ni,
    .d_i    (phase_d),
    .q_o    (phase_q),
    .fault_o(fault[0])
  );

  aes_control_register #(
    .Width   (8),
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_rcon (
    .clk_i,
    .rst_ni,
    .d_i    (rcon_d),
    .q_o    (rcon_q),
    .fault_o(fault[1])
  );

  assign fault_o = |fault;

  // SubWord of the newest word, ready in the clock after that word is made. Its input is rotated
  // unless it is for the middle of a 256-bit group.
  word_t next_word;
  logic  next_middle;

  assign next_word   = step_i ? computed[0] : newest;
  assign next_middle = num_groups == 4'(LongGroups) &&
                       phase_q == (step_i ? 3'(Middle - 1) : 3'(Middle));

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

  assign words_o = window_q[0];

  if (MaxGroups < LongGroups) begin : gen_unused
    logic unused_key;
    assign unused_key = ^key_i[255-32*NumWords*MaxGroups:0];
  end

endmodule
