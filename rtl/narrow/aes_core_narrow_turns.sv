// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Narrow architecture with stored keys: two blocks in turn, a round in four clocks of a 32-bit data
// path. 8 (Nr + 1) clocks for two blocks.
//
//   in_block_i --[ words, then zero ]--+
//   key words, of which the sum is     |
//   that of the round key -------------+--(+)--|R|--+
//                                                   |
//      +--------------------------------------------+
//      |
//     (+)--|R|--+--[ 4 S-boxes |R|R| ]--+--[ ShiftRows ]--[ Mix, first part |R| ]--+
//      |        |                       |                                          |
//      |        +-- out_block, w[i]     +--|R|-- SubWord                           |
//      +---------------------------------------------------------------------------+
//
// A column comes back after eight registers, which is when the next round of its block has its turn:
// one before the S-boxes, two in them, four on the way of a column through ShiftRows, of which one is
// the write to its RAM, and one in MixColumns. Byte i of MixColumns is a[i] + u + {02} (a[i] + a[i+1]),
// u the sum of the column: three registers, and with what is added one LUT of four inputs. Without u
// and {02} ( ) it is a[i], which is the last round; without a, too, nothing is added to a new block.
// These are the synchronous resets of the registers.
//
// A decryption adds the round key in front of InvMixColumns, where it costs no register, but in the
// first addition. Its first round key depends on the direction, so with both directions the words of a
// block wait a clock.
//
// A turn in which there is no block takes what stands on in_block_i; it is never used. A block is
// accepted in one clock of a turn, in clock 0; d is 1 with both directions and else 0:
//
//   clocks d + 3 to d + 6              columns 0 to 3 of the block + the first round key
//   clocks 8 r + d + 3 to 8 r + d + 6  columns 0 to 3 of round r
//   clock 8 Nr + d + 7                 out_valid_o
//
// While no block is under way, a key is expanded through the same registers (aes_key_turns).

module aes_core_narrow_turns
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
  input  logic [1:0]   key_len_i,     // key_len_e, for designs that take every key size
  output logic         available_o,   // a key is current

  // Block
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,  // DirBoth: its direction

  // Result, which cannot be held back
  output logic         out_valid_o,
  output block_t       out_block_o
);

  localparam bit Both = Cfg.dir == DirBoth;
  // S-boxes with a register of their own for the direction: each, or both that share a block RAM.
  localparam int unsigned NumGroups = (Cfg.sbox == SboxRom) ? 2 : 4;

  ///////////////////////////////////////////////////////////////////////////
  // Control: whose turn it is, a clock before its words are read
  ///////////////////////////////////////////////////////////////////////////

  logic [2:0] count_q, count_d;  // turn and number of the column behind the S-boxes
  logic [1:0] part;
  // A block: whether there is one, the number of its round key, and its direction; each 0 if not.
  logic busy_q, other_busy_q, inner_q;  // inner: it was there before this turn
  logic [3:0] round_q, other_round_q;
  logic decrypt_q, other_decrypt_q;
  logic accept, stays, last, available_next, ready_q, out_valid_q;
  logic inner_read_q;
  logic [3:0] last_q;  // [n]: n clocks after a word of the last round key is read
  logic all_zero_q, mix_zero_q;
  logic [3:0] last_round, round_read, next_round;

  assign count_d    = count_q ^ {&count_q[1:0], count_q[0], 1'b1};
  assign part       = count_q[1:0] ^ 2'd2;
  assign accept     = in_valid_i & ready_q;
  assign last       = inner_q && round_q == (decrypt_q ? 4'd0 : last_round);
  assign stays      = busy_q & ~last;

  always_comb begin
    logic [3:0] n;
    logic unused_n;
    n = round_q ^ {4{decrypt_q}};
    unused_n = n[3];
    next_round = round_q ^ {&n[2:0], &n[1:0], n[0], 1'b1};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q       <= 3'd2;
      busy_q        <= 1'b0;
      other_busy_q  <= 1'b0;
      inner_q       <= 1'b0;
      round_q       <= '0;
      other_round_q <= '0;
      ready_q       <= 1'b0;
      last_q        <= '0;
      out_valid_q   <= 1'b0;
    end else begin
      count_q <= count_d;
      if (part == 2'd3) begin
        busy_q        <= other_busy_q;
        inner_q       <= other_busy_q;
        other_busy_q  <= stays;
        round_q       <= other_round_q;
        other_round_q <= next_round & {4{stays}};
      end else if (accept) begin
        busy_q <= 1'b1;
        if (Both && in_decrypt_i) round_q <= last_round;
      end
      // With two directions a block is accepted a clock later: its first round key depends on it.
      if (Both) ready_q <= part == 2'd3 && !other_busy_q && available_next;
      else ready_q <= part == 2'd0 && !busy_q && available_next;
      last_q      <= {last_q[2:0], last};
      out_valid_q <= last_q[3] && part == 2'd3;
    end
  end

  always_ff @(posedge clk_i) begin
    inner_read_q <= inner_q;
    all_zero_q   <= ~inner_read_q;
    mix_zero_q   <= ~inner_read_q | last_q[0];
  end

  assign in_ready_o = ready_q;

  // What follows from a decryption: in the S-boxes, in ShiftRows, in the key addition that comes
  // before InvMixColumns, and in what that adds to MixColumns.
  logic [NumGroups-1:0] sbox_decrypt;
  logic shift_decrypt_q, add_before_q, inverse_zero_q;

  if (Both) begin : gen_both
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        decrypt_q       <= 1'b0;
        other_decrypt_q <= 1'b0;
      end else if (part == 2'd3) begin
        decrypt_q       <= other_decrypt_q;
        other_decrypt_q <= decrypt_q & stays;
      end else if (accept) begin
        decrypt_q <= in_decrypt_i;
      end
    end
    always_ff @(posedge clk_i) begin
      shift_decrypt_q <= decrypt_q & inner_q;
      add_before_q    <= shift_decrypt_q;
      inverse_zero_q  <= ~shift_decrypt_q | last_q[0];
    end
    // An attribute of the process keeps Yosys from making one register of them.
    for (genvar i = 0; i < NumGroups; i++) begin : gen_sbox_decrypt
      (* keep *) logic decrypt_here_q;
      (* keep *) always_ff @(posedge clk_i) if (part == 2'd3) decrypt_here_q <= decrypt_q;
      assign sbox_decrypt[i] = decrypt_here_q;
    end
    assign round_read = (ready_q && in_decrypt_i) ? last_round : round_q;
  end else begin : gen_encrypt
    assign decrypt_q       = 1'b0;
    assign other_decrypt_q = 1'b0;
    assign sbox_decrypt    = '0;
    assign shift_decrypt_q = 1'b0;
    assign add_before_q    = 1'b0;
    assign inverse_zero_q  = 1'b1;
    assign round_read      = round_q;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  block_t block_q, out_block_q;
  word_t [2:0] key;
  word_t word, key_before, key_after, added_q, column_q, substituted, shifted;

  if (Both) begin : gen_wait
    word_t word_q;
    always_ff @(posedge clk_i) word_q <= block_q[127:96];
    assign word       = word_q;
    assign key_before = key[0] & {32{add_before_q}};
    assign key_after  = key[0] & {32{~add_before_q}};

    logic unused_key;
    assign unused_key = ^key[1];
  end else begin : gen_no_wait
    assign word       = block_q[127:96];
    assign key_before = '0;
    assign key_after  = key[0] ^ key[1];
  end

  always_ff @(posedge clk_i) begin
    block_q <= ready_q ? in_block_i : {block_q[95:0], 32'b0};
    added_q <= word ^ key_after ^ key[2];
    if (last_q[3]) out_block_q <= {out_block_q[95:0], column_q};
  end

  // The register behind S-boxes of logic is the RAM of ShiftRows, and for words of a key one more.
  if (Cfg.sbox == SboxTower) begin : gen_tower
    for (genvar i = 0; i < NumGroups; i++) begin : gen_byte
      aes_sbox_tower #(
        .Dir         (Cfg.dir),
        .Levels      (2),
        .OutRegisters(0)
      ) u_sbox (
        .clk_i,
        .decrypt_i(sbox_decrypt[i]),
        .byte_i   (column_q[8*i+:8]),
        .byte_o   (substituted[8*i+:8])
      );
    end
  end else begin : gen_sub_bytes
    for (genvar i = 0; i < NumGroups; i++) begin : gen_group
      aes_sub_bytes #(
        .Sbox    (Cfg.sbox),
        .Dir     (Cfg.dir),
        .Levels  (2),
        .NumBytes(4 / NumGroups)
      ) u_sub_bytes (
        .clk_i,
        .decrypt_i(sbox_decrypt[i]),
        .bytes_i  (column_q[32/NumGroups*i+:32/NumGroups]),
        .bytes_o  (substituted[32/NumGroups*i+:32/NumGroups])
      );
    end
  end

  word_t substituted_q;
  always_ff @(posedge clk_i) substituted_q <= substituted;

  aes_shift_rows_turns #(
    .Dir(Cfg.dir)
  ) u_shift_rows (
    .clk_i,
    .count_i       (count_q),
    .next_count_i  (count_d),
    .decrypt_next_i(shift_decrypt_q),
    .column_i      (substituted),
    .column_o      (shifted)
  );

  // MixColumns, or its inverse: that adds {04} (a[i] + a[i+2]) + {08} u to byte i.
  byte_t a[4];
  byte_t pair[2];
  word_t a_q, doubled_q;
  byte_t u_q, inverse_u;
  byte_t pair_q[2];
  byte_t more_u[2];

  for (genvar i = 0; i < 4; i++) begin : gen_byte
    assign a[i] = shifted[8*(3-i)+:8] ^ key_before[8*(3-i)+:8];

    always_ff @(posedge clk_i) begin
      if (all_zero_q) a_q[8*(3-i)+:8] <= '0;
      else a_q[8*(3-i)+:8] <= a[i];
      if (mix_zero_q) doubled_q[8*(3-i)+:8] <= '0;
      else doubled_q[8*(3-i)+:8] <= xtime(a[i] ^ a[(i+1)%4]);
      column_q[8*(3-i)+:8] <= a_q[8*(3-i)+:8] ^ doubled_q[8*(3-i)+:8] ^ more_u[i%2] ^
          added_q[8*(3-i)+:8];
    end
  end

  always_ff @(posedge clk_i) begin
    if (mix_zero_q) u_q <= '0;
    else u_q <= a[0] ^ a[1] ^ a[2] ^ a[3];
  end

  for (genvar i = 0; i < 2; i++) begin : gen_pair
    assign pair[i] = a[i] ^ a[i+2];
    if (Both) begin : gen_inverse
      always_ff @(posedge clk_i) begin
        if (inverse_zero_q) pair_q[i] <= '0;
        else pair_q[i] <= pair[i];
      end
      assign more_u[i] = u_q ^ xtime(xtime(pair_q[i] ^ xtime(inverse_u)));
    end else begin : gen_no_inverse
      assign pair_q[i] = '0;
      assign more_u[i] = u_q;
    end
  end

  // u of a decryption, and else zero.
  assign inverse_u = pair_q[0] ^ pair_q[1];

  if (!Both) begin : gen_unused_inverse
    logic unused_inverse;
    assign unused_inverse = ^{
      inverse_zero_q, inverse_u, pair[0], pair[1], other_decrypt_q, add_before_q
    };
  end

  aes_key_turns #(
    .KeySize(Cfg.key_size),
    .OneWord(Both),
    .Clear  (Cfg.clear)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .key_len_i,
    .busy_i          (busy_q | other_busy_q),
    .available_o,
    .available_next_o(available_next),
    .last_round_o    (last_round),
    .round_i         (round_read),
    .part_i          (part),
    .key_o           (key),
    .word_i          (column_q),
    .substituted_i   (substituted_q)
  );

  assign out_valid_o = out_valid_q;
  assign out_block_o = out_block_q;

endmodule
