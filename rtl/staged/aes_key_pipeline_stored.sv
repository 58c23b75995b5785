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
// With Levels > 0 no net goes to all rounds: words, their index and start_o pass from round to round,
// a clock each, and the registers of a round hear of them from there.
//
// Cost: 128 flip-flops a round, bank and direction; with Levels 64 more a round and direction.

module aes_key_pipeline_stored
  import aes_pkg::*;
#(
  parameter  sbox_e       Sbox        = SboxTable,
  parameter  dir_e        Dir         = DirEncrypt,
  parameter  key_size_e   KeySize     = KeySize128,  // not KeySizeAny
  parameter  int unsigned NumBanks    = 2,           // 1 or 2
  parameter  int unsigned FirstUse    = 0,           // clocks from acceptance to key addition 0
  parameter  int unsigned RoundLevels = 2,           // from that of a round to that of the next
  parameter  int unsigned Levels      = 0,           // see aes_key_filler
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

  logic start, write, switch_next, switching, blocked;
  logic [5:0] index;
  word_t [1:0] half, mixed_half;

  if (Levels != 0) begin : gen_counts
    // Clocks since the last block under the current key, and since the last one under the key before,
    // were accepted. It is a clock late, its end is told two clocks later, and the filler hears of that
    // one more later: so it ends four clocks before.
    localparam byte_t LastCount = count_after((LastUse > 4) ? LastUse - 4 : 0);

    logic accept_q, switching_q;
    byte_t current_q, before_q;
    logic [1:0] current_met_q, before_met_q;  // the halves of the count were those of LastCount
    logic current_left_q, before_left_q;

    function automatic logic [1:0] met(byte_t count);
      return {count[7:4] == LastCount[7:4], count[3:0] == LastCount[3:0]};
    endfunction

    always_ff @(posedge clk_i) begin
      current_q     <= accept_q ? '0 : next_count(current_q);
      current_met_q <= accept_q ? '0 : met(current_q);
      before_q      <= !switching_q ? next_count(before_q) : accept_q ? '0 : next_count(current_q);
      before_met_q  <= !switching_q ? met(before_q) : accept_q ? '0 : met(current_q);
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        accept_q       <= 1'b0;
        switching_q    <= 1'b0;
        current_left_q <= 1'b1;
        before_left_q  <= 1'b1;
      end else begin
        accept_q       <= accept_i;
        switching_q    <= switching;
        current_left_q <= (current_left_q | (&current_met_q) | switching_q) & ~accept_q;
        if (switching_q) before_left_q <= (current_left_q | (&current_met_q)) & ~accept_q;
        else before_left_q <= before_left_q | (&before_met_q);
      end
    end

    assign blocked = (NumBanks == 2) ? ~before_left_q : ~current_left_q;
  end else begin : gen_ages
    localparam int unsigned AgeWidth = $clog2(LastUse + 1);
    typedef logic [AgeWidth-1:0] age_t;

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
  end

  logic unused_fill_bank, unused_bank, unused_round_key_ready;
  logic [NumBanks-1:0][1:0] unused_bank_len;

  logic [2:0] unused_recall;
  logic unused_fault;

  aes_key_filler #(
    .Sbox    (Sbox),
    .KeySize (KeySize),
    .NumBanks(NumBanks),
    .Levels  (Levels)
  ) u_filler (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .key_len_i        (max_key_len(KeySize)),
    .round_key_valid_i(1'b0),
    .round_key_ready_o(unused_round_key_ready),
    .blocked_i        (blocked),
    .start_o          (start),
    .write_o          (write),
    .index_o          (index),
    .words_o          (half),
    .old_i            ('0),
    .recall_o         (unused_recall),
    .mixed_words_o    (mixed_half),
    .switch_next_o    (switch_next),
    .switch_o         (switching),
    .fill_bank_o      (unused_fill_bank),
    .bank_o           (unused_bank),
    .bank_len_o       (unused_bank_len),
    .available_o,
    .fault_o          (unused_fault)
  );

  // [i]: the first block that can be under the new key is accepted in the clock i - 1 from here.
  logic [LastUse:0] pulse;
  logic [LastUse:1] pulse_q;

  assign pulse = {pulse_q, switching};

  // What reaches the registers of each round: words, which halves of its keys they are, and start.
  logic [NumRounds:0] start_at;
  word_t [NumRounds:0][1:0] half_at, mixed_half_at;
  logic [NumRounds:0][1:0] encrypt_write, decrypt_write;  // [1]: the upper half

  // The half that index stands for of key k.
  function automatic logic [1:0] half_of(logic [4:0] k, logic valid, logic [5:0] at);
    return {2{valid && at[5:1] == k}} & {~at[0], at[0]};
  endfunction

  if (Levels != 0) begin : gen_chain
    // From round to round, a clock each. A block takes longer, so words are there before it. Start
    // is in front of the words that follow it, and overtakes the pulse.
    logic [NumRounds:0] start_q;
    logic [NumRounds-1:0] write_q;
    logic [NumRounds-1:0][5:0] index_q;
    word_t [NumRounds:0][1:0] half_q, mixed_half_q;
    logic [NumRounds:0][1:0] encrypt_write_q, decrypt_write_q;

    always_ff @(posedge clk_i) begin
      write_q      <= {write_q[NumRounds-2:0], write};
      start_q      <= {start_q[NumRounds-1:0], start};
      index_q      <= {index_q[NumRounds-2:0], index};
      half_q       <= {half_q[NumRounds-1:0], half};
      mixed_half_q <= {mixed_half_q[NumRounds-1:0], mixed_half};
    end

    // The words are a clock behind their index, which is compared in two steps of one LUT4: upper and
    // lower bits at first.
    for (genvar r = 0; r <= NumRounds; r++) begin : gen_write
      localparam logic [4:0] Encrypt = 5'(r);
      localparam logic [4:0] Decrypt = 5'(NumRounds - r);

      logic       valid;
      logic [5:0] at;
      logic encrypt_upper_q, decrypt_upper_q;
      logic [1:0] encrypt_lower_q, decrypt_lower_q;

      if (r == 0) begin : gen_first
        assign valid = write;
        assign at    = index;
      end else begin : gen_next
        assign valid = write_q[r-1];
        assign at    = index_q[r-1];
      end

      always_ff @(posedge clk_i) begin
        encrypt_upper_q    <= valid && at[5:3] == Encrypt[4:2];
        decrypt_upper_q    <= valid && at[5:3] == Decrypt[4:2];
        encrypt_lower_q    <= {2{at[2:1] == Encrypt[1:0]}} & {~at[0], at[0]};
        decrypt_lower_q    <= {2{at[2:1] == Decrypt[1:0]}} & {~at[0], at[0]};
        encrypt_write_q[r] <= encrypt_lower_q & {2{encrypt_upper_q}};
        decrypt_write_q[r] <= decrypt_lower_q & {2{decrypt_upper_q}};
      end
    end

    // Register i of the pulse is on the way to the first key that is added i clocks or more after
    // acceptance.
    for (genvar i = 1; i <= LastUse; i++) begin : gen_pulse
      localparam int unsigned Past = (i <= FirstUse) ? 0 : i - FirstUse;
      localparam int unsigned To = (Past + RoundLevels - 1) / RoundLevels;
      always_ff @(posedge clk_i) pulse_q[i] <= start_q[To] ? 1'b0 : pulse[i-1];
    end

    assign start_at      = start_q;
    assign half_at       = half_q;
    assign mixed_half_at = mixed_half_q;
    assign encrypt_write = encrypt_write_q;
    assign decrypt_write = decrypt_write_q;
  end else begin : gen_everywhere
    always_ff @(posedge clk_i) pulse_q <= start ? '0 : pulse[LastUse-1:0];

    assign start_at      = {(NumRounds + 1) {start}};
    assign half_at       = {(NumRounds + 1) {half}};
    assign mixed_half_at = {(NumRounds + 1) {mixed_half}};
    for (genvar r = 0; r <= NumRounds; r++) begin : gen_write
      assign encrypt_write[r] = half_of(5'(r), write, index);
      assign decrypt_write[r] = half_of(5'(NumRounds - r), write, index);
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Registers
  ///////////////////////////////////////////////////////////////////////////

  for (genvar r = 0; r <= NumRounds; r++) begin : gen_round
    logic load;
    block_t encrypt_key, decrypt_key;

    if (Levels != 0) begin : gen_load_register
      // Taken one clock before the pulse is at the key.
      localparam int unsigned Use = FirstUse + r * RoundLevels;
      logic load_q, at_next;
      if (Use == 0) begin : gen_switch
        assign at_next = switch_next;
      end else begin : gen_before
        assign at_next = pulse[Use-1];
      end
      always_ff @(posedge clk_i) load_q <= start_at[r] | at_next;
      assign load = load_q;
    end else begin : gen_load
      assign load = start_at[r] | pulse[FirstUse+r*RoundLevels];
    end

    if (Dir != DirDecrypt) begin : gen_encrypt
      aes_key_register #(
        .NumBanks(NumBanks)
      ) u_key (
        .clk_i,
        .write_i(encrypt_write[r]),
        .half_i (half_at[r]),
        .load_i (load),
        .key_o  (encrypt_key)
      );
    end

    if (Dir != DirEncrypt) begin : gen_decrypt
      aes_key_register #(
        .NumBanks(NumBanks)
      ) u_key (
        .clk_i,
        .write_i(decrypt_write[r]),
        .half_i (mixed_half_at[r]),
        .load_i (load),
        .key_o  (decrypt_key)
      );
    end

    if (Dir == DirBoth) begin : gen_both
      assign round_keys_o[r] = decrypt_i[r] ? decrypt_key : encrypt_key;
    end else if (Dir == DirDecrypt) begin : gen_only_decrypt
      assign round_keys_o[r] = decrypt_key;
      assign encrypt_key     = '0;

      logic unused_key;
      assign unused_key = ^encrypt_key;
    end else begin : gen_only_encrypt
      assign round_keys_o[r] = encrypt_key;
      assign decrypt_key     = '0;

      logic unused_key;
      assign unused_key = ^decrypt_key;
    end
  end

  logic unused_decrypt;
  assign unused_decrypt = ^{
    decrypt_i, mixed_half_at, half_at, encrypt_write, decrypt_write, switch_next
  };

endmodule
