// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// KeyExpansion (FIPS 197, section 5.2) for 128, 192 and 256-bit keys, two words a step of several
// clocks, none of which has more than a LUT4 or two: for cores whose rounds are cut as finely.
//
//          +--------------------------- window of the last Nk words -----------+
//   key_i -|  pair 0  <-  pair 1  <-  ...  <-  newest pair (a, b)  <-----------|--------------+
//          +----|----------------------------------------|---------------------+              |
//               |                                       |R|                                   |
//            words_o        +----------------------------+                                    |
//               |           |                            +--|R|--[ SubWord, Levels ]--+       |
//               |           +--[ t = b, or SubWord ( ) + Rcon ]-----------------------+       |
//               |                         |R|                                                 |
//               +--( a' = pair 0.a + t, b' = a' + pair 0.b )--|R|-----------------------------+
//
// The recurrence is that of aes_key_expander. A step takes 4 clocks, or Levels + 5 where it has a
// SubWord.
//
// Protocol: while load_i is high, keys are taken; the last one stays. start_i, two clocks after
// that or later, begins the steps. At the end of each step valid_o is high for a clock. In that
// clock words_o are the next two words; after the first step, the first two of the key. They have
// been there for three clocks at least. The steps go on until load_i.

module aes_key_expander_staged
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox    = SboxTable,
  parameter key_size_e   KeySize = KeySize128,
  parameter int unsigned Levels  = 1           // register levels of SubWord
) (
  input  logic         clk_i,
  input  logic         load_i,
  input  logic [255:0] key_i,    // first byte at the top
  input  logic [1:0]   len_i,    // key_len_e, from the clock after the key on
  input  logic         start_i,
  output logic         valid_o,  // the step ends
  output word_t [1:0]  words_o   // [1] comes first
);

  localparam int unsigned MaxPairs = key_width(KeySize) / 64;

  // Clocks from the one after a step to the last one of the next step, with SubWord and without.
  localparam int unsigned LongStep = Levels + 4;
  localparam int unsigned ShortStep = 3;

  logic [1:0] len;
  assign len = (KeySize == KeySizeAny) ? len_i : max_key_len(KeySize);

  // Which pair of its key-length group the next one is: 0 means i mod Nk = 0. What follows from it is
  // looked up while a step is under way.
  logic [1:0] phase_q, next_phase_q;
  logic first_q, next_first_q;  // i mod Nk = 0
  logic middle_q, next_middle_q;  // Nk = 8 and i mod 8 = 4
  logic sub_q, next_sub_q;  // either
  byte_t rcon_q;
  logic [LongStep:0] wait_q;      // [i]: the step ends i clocks later

  assign valid_o = wait_q[0];

  always_ff @(posedge clk_i) begin
    case (len)
      KeyLen128: {next_phase_q, next_first_q} <= phase_q[0] ? 3'b001 : 3'b010;
      KeyLen192: begin
        case (phase_q)
          2'd0:    {next_phase_q, next_first_q} <= 3'b010;
          2'd1:    {next_phase_q, next_first_q} <= 3'b100;
          default: {next_phase_q, next_first_q} <= 3'b001;
        endcase
      end
      default:   {next_phase_q, next_first_q} <= {phase_q + 2'd1, phase_q == 2'd3};
    endcase
    next_middle_q <= !(len inside {KeyLen128, KeyLen192}) && phase_q == 2'd1;
  end

  assign next_sub_q = next_first_q | next_middle_q;

  always_ff @(posedge clk_i) begin
    wait_q <= wait_q >> 1;
    if (start_i || (valid_o && next_sub_q)) wait_q[LongStep] <= 1'b1;
    if (valid_o && !next_sub_q) wait_q[ShortStep] <= 1'b1;
    if (load_i) wait_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      phase_q  <= '0;
      first_q  <= 1'b1;
      middle_q <= 1'b0;
      sub_q    <= 1'b1;
      rcon_q   <= 8'h01;
    end else if (valid_o) begin
      phase_q  <= next_phase_q;
      first_q  <= next_first_q;
      middle_q <= next_middle_q;
      sub_q    <= next_sub_q;
      if (first_q) rcon_q <= xtime(rcon_q);
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Words
  ///////////////////////////////////////////////////////////////////////////

  word_t [1:0] window_q[MaxPairs];
  word_t [1:0] pair_q;            // the pair that is made
  word_t newest, newest_q;  // u
  word_t sub_in_q, sub, t_q;
  byte_t rcon_here_q;             // 0 where none is added
  logic [MaxPairs-1:0] newest_at_q;

  always_comb begin
    newest = window_q[MaxPairs-1][0];
    if (KeySize == KeySizeAny) begin
      if (len == KeyLen128) newest = window_q[1][0];
      if (len == KeyLen192) newest = window_q[2%MaxPairs][0];
    end
  end

  // Both are made of what stands still.
  always_ff @(posedge clk_i) begin
    rcon_here_q <= first_q ? rcon_q : '0;
    for (int unsigned p = 0; p < MaxPairs; p++) begin
      newest_at_q[p] <= p == 1 + ((len == KeyLen128) ? 0 : (len == KeyLen192) ? 1 : 2);
    end
  end

  always_ff @(posedge clk_i) begin
    newest_q  <= newest;
    sub_in_q  <= middle_q ? newest_q : rot_word(newest_q);
    t_q       <= (sub_q ? sub : newest_q) ^ {rcon_here_q, 24'b0};
    pair_q[1] <= window_q[0][1] ^ t_q;
    pair_q[0] <= window_q[0][1] ^ window_q[0][0] ^ t_q;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < MaxPairs; p++) begin
      if (load_i) window_q[p] <= key_i[64*(3-p)+:64];
      else if (valid_o) begin
        if (p == MaxPairs - 1 || (KeySize == KeySizeAny && newest_at_q[p])) window_q[p] <= pair_q;
        else window_q[p] <= window_q[(p+1)%MaxPairs];
      end
    end
  end

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Dir     (DirEncrypt),
    .Levels  (Levels),
    .NumBytes(4)
  ) u_sub_word (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  (sub_in_q),
    .bytes_o  (sub)
  );

  assign words_o = window_q[0];

  if (MaxPairs < 4) begin : gen_unused_key
    logic unused_key;
    assign unused_key = ^key_i[255-64*MaxPairs:0];
  end
  if (KeySize != KeySizeAny) begin : gen_unused_len
    logic unused_len;
    assign unused_len = ^{len_i, newest_at_q};
  end

endmodule
