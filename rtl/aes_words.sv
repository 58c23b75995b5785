// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// An AES core behind 32-bit ports for key, block and result (kakarlapudi, sections VII and IX,
// Fig. 8).
//
//   key_word_i --valid/ready--[ all but the last word ]-- key ----+
//                                                                 |
//   in_word_i --valid/ready--+->[ block register ]-- block --[ aes_core ]--+
//                            |          |    ^                             |
//                            |          |    +----------- result ----------+
//                            |          +-- top word -- out_word_o
//                            +--<< 32 --+
//
//   clocks 0 to 3              the words of a block are taken, the first one (bytes 0 to 3 of
//                              FIPS 197, byte 0 at the top) first
//   clock 4                    the core takes the block
//   clock 4 + L                its result, L clocks (aes_pkg::latency) later, goes into the register
//   clocks 5 + L to 8 + L      the words of the result, which cannot be held back
//
// One register serves both ways, so a block is loaded when the last one has left, and takes
// L + 9 clocks (aes_pkg::words_latency): Nr + 10 with L = Nr + 1. A clock between two words in which
// none is offered is a clock more. The direction is taken with the first word. The core takes the
// block in the clock after its last word, unless no key is current then or the core has to be set
// up for the direction; the block then waits in the register. It is processed under the key that is
// current when the core takes it.
//
// A key is 4, 6 or 8 words; the core takes it with the last of them, and its set-up (aes_pkg)
// begins there. key_len_i is taken with the first one. key_ready_o is that of the core, so keys load
// while a block is under way wherever the core lets them.
//
// The result port is zero between results, so that no block is seen on it before it is processed.
//
// With clear = 1 the registers here are zero while the core sweeps (aes_guard). With hardened = 1 those
// of control are in three copies; a result that met a difference of these is zero, with fault_o.
//
// Cost beside the core, in flip-flops: 128 for the block, 32 for each word of the longest key but
// the last, 7 for control (1 more with DirBoth, 2 more with KeySizeAny); a LUT for each bit of the
// block register and of the result port.

module aes_words
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       clear_i,      // Cfg.clear: overwrite keys and blocks, see aes_guard
  output logic       clearing_o,   // that, or what follows a reset, is under way: nothing is taken

  // Key
  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  word_t      key_word_i,
  input  logic [1:0] key_len_i,    // key_len_e, for designs that take every key size
  output logic       key_error_o,  // hardened or clear: the key whose last word this is, is refused

  // Block, with its direction (DirBoth)
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  word_t      in_word_i,
  input  logic       in_decrypt_i,

  // Result, which cannot be held back
  output logic       out_valid_o,
  output word_t      out_word_o,
  output logic       fault_o       // Cfg.hardened: it is a word of a result that a fault made zero
);

  ///////////////////////////////////////////////////////////////////////////
  // Legality: printed from AESFab's table of rules, with its words
  ///////////////////////////////////////////////////////////////////////////

  if (Cfg.key_sched == KeysOnTheFly) begin : gen_illegal_words_keys
    $fatal(1, "32-bit ports load a key by itself, so they need stored keys");
  end
  if (Cfg.key_sbox == SboxNone) begin : gen_illegal_words_round_keys
    $fatal(1, "32-bit ports take keys, of which the core makes the round keys");
  end
  if (Cfg.key_exp == KeyExpWordSerial) begin : gen_illegal_words_offered
    $fatal(1, "32-bit ports hold a key in a register, so the core does not wait for it");
  end
  if (Cfg.arch == ArchNarrow && Cfg.sbox_levels > 1) begin : gen_illegal_words_turns
    $fatal(1, "32-bit ports go with cores that take a block in any clock, not in turns");
  end
  if (Cfg.arch inside {ArchPipelined, ArchInterleaved}) begin : gen_illegal_words_arch
    $fatal(1, "32-bit ports hold one block at a time: they go with cores that do the same");
  end

  ///////////////////////////////////////////////////////////////////////////
  // Key
  ///////////////////////////////////////////////////////////////////////////

  localparam int unsigned MaxKeyWords = key_width(Cfg.key_size) / 32;

  logic [4:0] fault;  // copies of a register of control differ
  logic take_key_word, last_key_word;
  logic [1:0] key_len;
  logic [2:0] last_key_index, key_index_q;
  word_t [MaxKeyWords-2:0] key_words_q;
  logic [255:0] key;

  assign take_key_word = key_valid_i & key_ready_o;
  assign last_key_word = key_index_q == last_key_index;

  if (Cfg.key_size == KeySizeAny) begin : gen_any_len
    // The first word is never the last one, so the register is enough.
    logic [1:0] key_len_q;
    aes_control_register #(
      .Width   (2),
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_key_len (
      .clk_i,
      .rst_ni,
      .d_i    ((take_key_word && key_index_q == '0) ? key_len_i : key_len_q),
      .q_o    (key_len_q),
      .fault_o(fault[0])
    );
    assign key_len = key_len_q;
  end else begin : gen_one_len
    logic unused_len;
    assign unused_len = ^key_len_i;
    assign key_len    = max_key_len(Cfg.key_size);
    assign fault[0]   = 1'b0;
  end

  always_comb begin
    case (key_len)
      KeyLen128: last_key_index = 3'd3;
      KeyLen192: last_key_index = 3'd5;
      default:   last_key_index = 3'd7;
    endcase
  end

  logic [2:0] key_index_d, next_key_index;
  word_t [MaxKeyWords-2:0] key_words_d, next_key_words;

  always_comb begin
    next_key_index = key_index_q;
    if (take_key_word) next_key_index = last_key_word ? '0 : key_index_q + 3'd1;
    for (int unsigned i = 0; i < MaxKeyWords - 1; i++) begin
      next_key_words[i] = (take_key_word && key_index_q == 3'(i)) ? key_word_i : key_words_q[i];
    end
  end

  aes_control_register #(
    .Width   (3),
    .Hardened(Cfg.hardened)
  ) u_key_index (
    .clk_i,
    .rst_ni,
    .d_i    (key_index_d),
    .q_o    (key_index_q),
    .fault_o(fault[1])
  );

  always_ff @(posedge clk_i) key_words_q <= key_words_d;

  // Only a word that may be the last one is not always read from its register.
  always_comb begin
    key = '0;
    for (int unsigned i = 0; i < MaxKeyWords - 1; i++) begin
      key[32*(7-i)+:32] = (3'(i) == last_key_index) ? key_word_i : key_words_q[i];
    end
    key[32*(8-MaxKeyWords)+:32] = key_word_i;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Block and result
  ///////////////////////////////////////////////////////////////////////////

  typedef enum logic [1:0] {
    StLoad,   // words come in
    StStart,  // the core is offered the block
    StRun,    // the core has it
    StUnload  // words go out
  } state_e;

  state_e state_q, state_d, next_state;
  logic load, unload, last_word, core_ready, core_valid, core_fault, decrypt;
  logic unused_round_key_ready;
  logic [1:0] word_index_d, word_index_q, next_word_index;
  block_t block_d, block_q, next_block, core_block;

  assign load      = in_valid_i & in_ready_o;
  assign last_word = word_index_q == 2'd3;

  always_comb begin
    case (state_q)
      StLoad:   next_state = (load && last_word) ? StStart : StLoad;
      StStart:  next_state = core_ready ? StRun : StStart;
      StRun:    next_state = core_valid ? StUnload : StRun;
      StUnload: next_state = last_word ? StLoad : StUnload;
      default:  next_state = StLoad;
    endcase
  end

  always_comb begin
    next_word_index = word_index_q;
    if (load || unload) next_word_index = word_index_q + 2'd1;
    next_block = block_q;
    if (core_valid) next_block = core_block;
    else if (load || unload) next_block = {block_q[95:0], in_word_i};
  end

  if (guarded(Cfg)) begin : gen_guarded
    assign state_d      = clearing_o ? StLoad : next_state;
    assign word_index_d = clearing_o ? '0 : next_word_index;
    assign block_d      = clearing_o ? '0 : next_block;
    assign key_index_d  = clearing_o ? '0 : next_key_index;
    assign key_words_d  = clearing_o ? '0 : next_key_words;
    assign in_ready_o   = (state_q == StLoad) & ~clearing_o;
    assign unload       = (state_q == StUnload) & ~clearing_o;
  end else begin : gen_not_guarded
    assign state_d      = next_state;
    assign word_index_d = next_word_index;
    assign block_d      = next_block;
    assign key_index_d  = next_key_index;
    assign key_words_d  = next_key_words;
    assign in_ready_o   = state_q == StLoad;
    assign unload       = state_q == StUnload;
  end

  logic [1:0] state_bits;

  aes_control_register #(
    .Width     (2),
    .Hardened  (Cfg.hardened),
    .ResetValue(StLoad)
  ) u_state (
    .clk_i,
    .rst_ni,
    .d_i    (state_d),
    .q_o    (state_bits),
    .fault_o(fault[2])
  );

  assign state_q = state_e'(state_bits);

  aes_control_register #(
    .Width   (2),
    .Hardened(Cfg.hardened)
  ) u_word_index (
    .clk_i,
    .rst_ni,
    .d_i    (word_index_d),
    .q_o    (word_index_q),
    .fault_o(fault[3])
  );

  always_ff @(posedge clk_i) block_q <= block_d;

  if (Cfg.dir == DirBoth) begin : gen_both
    logic decrypt_q;
    aes_control_register #(
      .Hardened(Cfg.hardened),
      .HasReset(1'b0)
    ) u_decrypt (
      .clk_i,
      .rst_ni,
      .d_i    ((load && word_index_q == '0) ? in_decrypt_i : decrypt_q),
      .q_o    (decrypt_q),
      .fault_o(fault[4])
    );
    assign decrypt = decrypt_q;
  end else begin : gen_one_direction
    logic unused_decrypt;
    assign unused_decrypt = in_decrypt_i;
    assign decrypt        = Cfg.dir == DirDecrypt;
    assign fault[4]       = 1'b0;
  end

  aes_core #(
    .Cfg(Cfg)
  ) u_core (
    .clk_i,
    .rst_ni,
    .clear_i,
    .clearing_o,
    .key_valid_i      (key_valid_i & last_key_word),
    .key_ready_o,
    .key_i            (key),
    .key_len_i        (key_len),
    .key_error_o,
    .round_key_valid_i(1'b0),
    .round_key_ready_o(unused_round_key_ready),
    .in_valid_i       (state_q == StStart),
    .in_ready_o       (core_ready),
    .in_block_i       (block_q),
    .in_decrypt_i     (decrypt),
    .in_key_i         ('0),
    .out_valid_o      (core_valid),
    .out_block_o      (core_block),
    .fault_o          (core_fault)
  );

  assign out_valid_o = unload;

  if (Cfg.hardened) begin : gen_hardened
    // The block in the register, or the clock before its first word, met a fault.
    logic tainted_d, tainted_q, own_fault;
    assign tainted_d = (|fault) | own_fault | core_fault | (tainted_q & (state_q != StLoad));

    aes_control_register #(
      .Hardened(1'b1)
    ) u_tainted (
      .clk_i,
      .rst_ni,
      .d_i    (tainted_d),
      .q_o    (tainted_q),
      .fault_o(own_fault)
    );

    assign fault_o    = unload & tainted_q;
    assign out_word_o = (unload && !tainted_q) ? block_q[127:96] : '0;
  end else begin : gen_not_hardened
    assign fault_o    = 1'b0;
    assign out_word_o = unload ? block_q[127:96] : '0;

    logic unused_fault;
    assign unused_fault = ^{fault, core_fault};
  end

endmodule
