// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys of a pipeline that are expanded once and kept, each in a register beside the round
// that adds it.
//
//   key_i --[ filler ]--64--+-----------------------+-- ...
//                           |                       |
//                      [ register, load ]      [ register, load ]
//                           |       ^               |       ^
//                           K(0)    |               K(1)    |
//   switch -----------------------|R|-- ... --|R|-----------+--|R|-- ...
//
// With two banks a new key is written behind the one in use and loaded round by round: the pulse
// that loads it travels beside the blocks, in front of the first one under the new key. So no block
// ever sees a round key that is not of its own key, and there is no multiplexer between banks. A
// bank is written again when the last block under the key before has left; then the pulse is no
// longer needed, start_o has loaded what is still waiting.
//
// Round r of decryption adds the key Nr - r of the equivalent inverse cipher (FIPS 197, section
// 5.3.5), after InvMixColumns, in the same clock as that of encryption. A core for both directions
// has registers for both.
//
// Cost: 128 flip-flops a round, bank and direction.

module aes_key_pipeline_stored
  import aes_pkg::*;
#(
  parameter  sbox_e       Sbox        = SboxTable,
  parameter  dir_e        Dir         = DirEncrypt,
  parameter  key_size_e   KeySize     = KeySize128,  // not KeySizeAny
  parameter  int unsigned NumBanks    = 2,           // 1 or 2
  parameter  int unsigned FirstUse    = 0,           // clocks from acceptance to key addition 0
  parameter  int unsigned RoundLevels = 2,           // from that of a round to that of the next
  localparam int unsigned NumRounds   = 32'(num_rounds(max_key_len(KeySize)))
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 key_valid_i,
  output logic                 key_ready_o,
  input  logic   [255:0]       key_i,

  input  logic                 accept_i,     // a block is accepted
  output logic                 available_o,  // a key is current: blocks can be accepted
  input  logic   [NumRounds:0] decrypt_i,    // [r]: direction of the block that adds key r
  output block_t [NumRounds:0] round_keys_o  // [r]: for that block
);

  // Clocks from the acceptance of a block to its last key addition.
  localparam int unsigned LastUse = FirstUse + NumRounds * RoundLevels;

  ///////////////////////////////////////////////////////////////////////////
  // Keys and the blocks that still need them
  ///////////////////////////////////////////////////////////////////////////

  localparam int unsigned AgeWidth = $clog2(LastUse + 1);
  typedef logic [AgeWidth-1:0] age_t;

  logic start, write, switching, blocked;
  logic [5:0] index;
  word_t [1:0] half, mixed_half;

  // Clocks for which a block under the current key may need it, and one under the key before.
  age_t current_d, current_q, before_q;

  function automatic age_t count_down(age_t age);
    return (age == '0) ? '0 : age - age_t'(1);
  endfunction

  assign current_d = accept_i ? age_t'(LastUse) : count_down(current_q);
  assign blocked   = ((NumBanks == 2) ? before_q : current_q) != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      current_q <= '0;
      before_q  <= '0;
    end else begin
      current_q <= switching ? '0 : current_d;
      before_q  <= switching ? current_d : count_down(before_q);
    end
  end

  logic unused_fill_bank, unused_bank;
  logic [NumBanks-1:0][1:0] unused_bank_len;

  logic [2:0] unused_recall;

  aes_key_filler #(
    .Sbox    (Sbox),
    .KeySize (KeySize),
    .NumBanks(NumBanks)
  ) u_filler (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .key_len_i    (max_key_len(KeySize)),
    .blocked_i    (blocked),
    .start_o      (start),
    .write_o      (write),
    .index_o      (index),
    .words_o      (half),
    .old_i        ('0),
    .recall_o     (unused_recall),
    .mixed_words_o(mixed_half),
    .switch_o     (switching),
    .fill_bank_o  (unused_fill_bank),
    .bank_o       (unused_bank),
    .bank_len_o   (unused_bank_len),
    .available_o
  );

  // [i]: the first block that can be under the new key is accepted in the clock i - 1 from here.
  logic [LastUse:0] pulse;
  logic [LastUse:1] pulse_q;

  assign pulse = {pulse_q, switching};

  always_ff @(posedge clk_i) pulse_q <= start ? '0 : pulse[LastUse-1:0];

  ///////////////////////////////////////////////////////////////////////////
  // Registers
  ///////////////////////////////////////////////////////////////////////////

  for (genvar r = 0; r <= NumRounds; r++) begin : gen_round
    logic load;
    block_t encrypt_key, decrypt_key;

    assign load = start | pulse[FirstUse+r*RoundLevels];

    if (Dir != DirDecrypt) begin : gen_encrypt
      logic here;
      assign here = write && index[5:1] == 5'(r);
      aes_key_register #(
        .NumBanks(NumBanks)
      ) u_key (
        .clk_i,
        .write_i({here & ~index[0], here & index[0]}),
        .half_i (half),
        .load_i (load),
        .key_o  (encrypt_key)
      );
    end

    if (Dir != DirEncrypt) begin : gen_decrypt
      logic here;
      assign here = write && index[5:1] == 5'(NumRounds - r);
      aes_key_register #(
        .NumBanks(NumBanks)
      ) u_key (
        .clk_i,
        .write_i({here & ~index[0], here & index[0]}),
        .half_i (mixed_half),
        .load_i (load),
        .key_o  (decrypt_key)
      );
    end

    if (Dir == DirBoth) begin : gen_both
      assign round_keys_o[r] = decrypt_i[r] ? decrypt_key : encrypt_key;
    end else if (Dir == DirDecrypt) begin : gen_only_decrypt
      assign round_keys_o[r] = decrypt_key;
      assign encrypt_key     = '0;
    end else begin : gen_only_encrypt
      assign round_keys_o[r] = encrypt_key;
      assign decrypt_key     = '0;
    end
  end

  logic unused_decrypt;
  assign unused_decrypt = ^{decrypt_i, mixed_half, half};

endmodule
