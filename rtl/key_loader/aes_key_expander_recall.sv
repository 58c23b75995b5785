// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// KeyExpansion (FIPS 197, section 5.2) for 128, 192 and 256-bit keys, two words a clock, where the
// words made Nk before can be read again: the key memory is the window of aes_key_expander.
//
//   key_i --[ shift register, or mux ]----------------+
//                                                     |
//   old_i (pair Nk words back) --(+)--[ (a', a' + b)]-+--[ mux ]--+-- words_o, to the memory
//                                 |                               |
//          [ t = u, or SubWord ]--+--[ SubWord, a clock ]-- last word, u
//
// The recurrence is that of aes_key_expander. The first Nk words are the key itself: shifted, or, with
// Held, selected, which takes two LUT4 a bit of a pair and the multiplexer of a slice instead of three.
// Held also decides a clock before what a step adds.
//
// Protocol: load_i takes a key; at least one clock later each clock with step_i takes words_o, the
// next two words, into the memory. In it old_i must be the pair pairs_o places before, where one has
// been given by then. From the last pair of the key on, step_i stays high to the end: SubWord is of
// the word of the clock before.

module aes_key_expander_recall
  import aes_pkg::*;
#(
  parameter sbox_e     Sbox    = SboxTable,
  parameter key_size_e KeySize = KeySize128,
  parameter bit        Held     = 1'b0,       // the key stands still: fewer LUTs; KeySizeAny
  parameter bit        Hardened = 1'b0        // registers of control in three copies
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         load_i,
  input  logic [255:0] key_i,    // first byte at the top
  input  logic [1:0]   len_i,    // key_len_e, held from load_i to the last step_i
  input  logic         step_i,
  input  word_t [1:0]  old_i,    // the pair pairs_o before that of words_o
  output logic  [2:0]  pairs_o,  // Nk / 2, pairs of words in a key
  output word_t [1:0]  words_o,  // [1] comes first
  output logic         fault_o   // copies of a register differ
);

  localparam int unsigned MaxPairs = key_width(KeySize) / 64;

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

  assign pairs_o = num_pairs;

  word_t [MaxPairs-1:0][1:0] key_q;  // what is left of the key, the next pair at the top; or all
  word_t [1:0]               pair;   // the next pair
  logic                      from_key_q;
  logic [2:0]                phase_q;  // of its group of Nk / 2 pairs: 0 means i mod Nk = 0
  byte_t                     rcon_q;
  word_t last_q, sub, t;
  logic at_start, group_ends;

  assign at_start   = phase_q == 3'd0;
  assign group_ends = phase_q == num_pairs - 3'd1;

  word_t first;
  assign first      = old_i[1] ^ t;
  assign words_o[1] = from_key_q ? pair[1] : first;
  assign words_o[0] = from_key_q ? pair[0] : first ^ old_i[0];

  if (Held) begin : gen_held
    word_t [1:0] early, late;
    assign early = phase_q[0] ? key_q[MaxPairs-2] : key_q[MaxPairs-1];
    assign late  = phase_q[0] ? key_q[MaxPairs-4] : key_q[MaxPairs-3];
    for (genvar i = 0; i < 64; i++) begin : gen_bit
      aes_slice_mux u_slice_mux (
        .sel_i (phase_q[1]),
        .zero_i(early[i/32][i%32]),
        .one_i (late[i/32][i%32]),
        .y_o   (pair[i/32][i%32])
      );
    end
  end else begin : gen_shifted
    assign pair = key_q[MaxPairs-1];
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      key_q <= key_i[255-:64*MaxPairs];
    end else if (step_i) begin
      // What follows the last pair of the key is never used.
      for (int unsigned p = 1; p < MaxPairs; p++) key_q[p] <= Held ? key_q[p] : key_q[p-1];
    end
  end

  logic from_key_d;
  logic [2:0] phase_d;
  byte_t rcon_d;
  logic [2:0] fault;

  always_comb begin
    from_key_d = from_key_q;
    phase_d    = phase_q;
    rcon_d     = rcon_q;
    if (load_i) begin
      from_key_d = 1'b1;
      phase_d    = '0;
      rcon_d     = 8'h01;
    end else if (step_i) begin
      phase_d = group_ends ? '0 : phase_q + 3'd1;
      if (group_ends) from_key_d = 1'b0;
      if (at_start && !from_key_q) rcon_d = xtime(rcon_q);
    end
  end

  aes_control_register #(
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_from_key (
    .clk_i,
    .rst_ni,
    .d_i    (from_key_d),
    .q_o    (from_key_q),
    .fault_o(fault[0])
  );

  aes_control_register #(
    .Width   (3),
    .Hardened(Hardened),
    .HasReset(1'b0)
  ) u_phase (
    .clk_i,
    .rst_ni,
    .d_i    (phase_d),
    .q_o    (phase_q),
    .fault_o(fault[1])
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
    .fault_o(fault[2])
  );

  assign fault_o = |fault;

  always_ff @(posedge clk_i) begin
    if (step_i) last_q <= words_o[0];
  end

  // What is added, and SubWord of the last word, ready in the clock after that word is given. Its
  // input is rotated unless it is for the middle of a 256-bit group.
  logic next_middle;

  if (Held) begin : gen_decided
    // Decided a clock before: the way to SubWord is the longest one where its key may have any size.
    logic adds_sub_q, next_middle_q;
    byte_t adds_rcon_q;
    always_ff @(posedge clk_i) begin
      adds_sub_q    <= phase_d == 3'd0 || (num_pairs == 3'd4 && phase_d == 3'd2);
      adds_rcon_q   <= (phase_d == 3'd0) ? rcon_d : '0;
      next_middle_q <= num_pairs == 3'd4 && phase_d == 3'd1;
    end
    assign t           = (adds_sub_q ? sub : last_q) ^ {adds_rcon_q, 24'b0};
    assign next_middle = next_middle_q;
  end else begin : gen_as_it_comes
    logic at_middle;
    assign at_middle   = num_pairs == 3'd4 && phase_q == 3'd2;
    assign next_middle = num_pairs == 3'd4 && phase_q == 3'd1;
    always_comb begin
      if (at_start) t = sub ^ {rcon_q, 24'b0};
      else if (at_middle) t = sub;
      else t = last_q;
    end
  end

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Dir     (DirEncrypt),
    .Levels  (1),
    .NumBytes(4)
  ) u_sub_word (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  (next_middle ? words_o[0] : rot_word(words_o[0])),
    .bytes_o  (sub)
  );

  if (MaxPairs < 4) begin : gen_unused
    logic unused_key;
    assign unused_key = ^key_i[255-64*MaxPairs:0];
  end

endmodule
