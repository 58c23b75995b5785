// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Iterative architecture with T-boxes: one block at a time, one round a clock. A block leaves after
// Nr + 1 clocks; the next one enters then (without overlap) or a clock earlier (with it).
//
//   in_block --(+ first key)--[ mux ]-- round key, in decryption through InvMixColumns
//                                |
//                                v
//         +--[ zero at entry ]--(+)--[ ShiftRows ]--[ T-boxes |R| ]--+--[ XOR of four words ]--+
//         |                                                          |                         |
//         +----------------------------------------------------------|-------------------------+
//                                                                    |
//                               out_block --|R|--(+ round key)--[ S of T ]
//
// A new block takes the place of the round key, so that no multiplexer is on the way of the loop.
//
//   clock 0 (the block is accepted)   block + first key, (Inv)ShiftRows, T-boxes, register
//   clock 1 ... Nr - 1                XOR of four words a column, + round key (decryption: through
//                                     InvMixColumns); (Inv)ShiftRows, T-boxes, register
//   clock Nr                          S or S^-1 out of the T-boxes' words, + key, output register
//
// kakarlapudi, section IV, Fig. 5, and fischer2001, section 3.2, Fig. 6. The register stands behind
// the tables in logic, inside those in block RAM. ShiftRows stands before the tables, where a core
// for both directions selects 64 address bits rather than 256 bits of words.
//
// Where the S-boxes of the key schedule are block RAMs too and KeyRegRoundKey is chosen, the key
// schedule is a clock ahead. Block + first key wait in a register, which holds the round key in the
// other clocks. Everything above is a clock later. No path then leads from RAM to RAM by way of the
// key.
//
// With TboxRefilled the RAMs hold the tables of one direction (aes_tbox_refill): a block of the
// other one is accepted 257 clocks later than it would be otherwise. Then in_ready_o depends on
// in_decrypt_i, and in_valid_i must stay until in_ready_o. The direction of the tables is the
// direction of the block under way.

module aes_core_iterative_tbox
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
  input  logic [255:0] key_i,              // first byte at the top
  input  logic [1:0]   key_len_i,          // key_len_e, for designs that take every key size
  input  logic         round_key_valid_i,  // SboxNone: the words at the top of key_i are offered
  output logic         round_key_ready_o,  // and taken
  output logic         available_o,        // a key is current

  // Block
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,       // DirBoth: its direction
  input  logic [255:0] in_key_i,           // on-the-fly keys: its key, first byte at the top

  // Result, which cannot be held back
  output logic         out_valid_o,
  output block_t       out_block_o
);

  // Block-RAM S-boxes of the key schedule and a round key out of a register: the key schedule is a
  // clock ahead of the data, for which block or round key wait in the register of what is added.
  localparam bit Ahead = Cfg.key_reg == KeyRegRoundKey && Cfg.key_sbox == SboxRom;

  logic accept, available, last_round;
  logic unused_fault;
  logic enter;           // the register of the state is free for a new block
  logic last_round_next;  // last_round of the next clock, if a block is under way then
  logic [3:0] select;  // what is added to a column is of a block that enters
  logic enter_d, result;
  logic busy_d, busy_q, enter_q, out_valid_q;
  logic block_decrypt;   // direction of the block under way
  logic lookup_decrypt;  // direction of the bytes that enter the tables
  logic   tables_ready;  // the tables are those of the block that is offered
  logic   write;         // the tables are written
  byte_t  write_addr;
  word_t  write_word;
  block_t first_key, round_key;

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  assign in_ready_o = available & tables_ready & enter;
  assign accept     = in_valid_i & in_ready_o;
  assign busy_d     = accept | (busy_q & ~last_round);
  assign enter_d    = ~busy_d | (Cfg.overlap & last_round_next);
  assign enter      = enter_q;

  // The multiplexers of each column follow registers of their own, so that none has to reach all of
  // the core. An attribute of the process keeps Yosys from making one of several.
  for (genvar i = 0; i < 4; i++) begin : gen_enter
    (* keep *) logic select_q;
    (* keep *) always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) select_q <= 1'b1;
      else select_q <= Ahead ? enter : enter_d;
    end
    assign select[i] = select_q;
  end

  if (Ahead) begin : gen_result_later
    logic result_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) result_q <= 1'b0;
      else result_q <= busy_q & last_round;
    end
    assign result = result_q;
  end else begin : gen_result
    assign result = busy_q & last_round;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= 1'b0;
      enter_q     <= 1'b1;
      out_valid_q <= 1'b0;
    end else begin
      busy_q      <= busy_d;
      enter_q     <= enter_d;
      out_valid_q <= result;
    end
  end

  if (Cfg.tbox == TboxRefilled) begin : gen_refilled
    aes_tbox_refill u_refill (
      .clk_i,
      .rst_ni,
      .offered_i     (in_valid_i & ~busy_q),
      .decrypt_i     (in_decrypt_i),
      .ready_o       (tables_ready),
      .held_decrypt_o(block_decrypt),
      .write_o       (write),
      .addr_o        (write_addr),
      .word_o        (write_word)
    );
    assign lookup_decrypt = block_decrypt;
  end else begin : gen_fixed
    assign tables_ready = 1'b1;
    assign write        = 1'b0;
    assign write_addr   = '0;
    assign write_word   = '0;
    if (Cfg.dir == DirBoth) begin : gen_both
      logic block_decrypt_q;
      always_ff @(posedge clk_i) begin
        if (accept) block_decrypt_q <= in_decrypt_i;
      end
      assign block_decrypt  = block_decrypt_q;
      assign lookup_decrypt = enter ? in_decrypt_i : block_decrypt_q;
    end else begin : gen_one_direction
      assign block_decrypt  = Cfg.dir == DirDecrypt;
      assign lookup_decrypt = Cfg.dir == DirDecrypt;
    end
  end

  if (Cfg.key_sched == KeysOnTheFly) begin : gen_on_the_fly
    aes_key_schedule_on_the_fly #(
      .Sbox    (Cfg.key_sbox),
      .Register(Ahead ? KeyRegSubWord : Cfg.key_reg),
      .KeySize (Cfg.key_size)
    ) u_key_schedule (
      .clk_i,
      .rst_ni,
      .in_key_i,
      .enter_i          (enter),
      .first_key_o      (first_key),
      .round_keys_o     (round_key),
      .last_round_o     (last_round),
      .last_round_next_o(last_round_next),
      .fault_o          (unused_fault)
    );
    assign available         = 1'b1;
    assign key_ready_o       = 1'b0;
    assign round_key_ready_o = 1'b0;

    logic unused_stored;
    assign unused_stored = ^{key_valid_i, key_i, key_len_i, round_key_valid_i};
  end else begin : gen_stored
    logic [1:0] unused_part;
    block_t unused_key_before, unused_key_after;
    aes_key_schedule_stored #(
      .Sbox    (Cfg.key_sbox),
      .Dir     (Cfg.dir),
      .KeySize (Cfg.key_size),
      .Memory  (Cfg.key_mem),
      .Overlap (Cfg.overlap),
      .Mixed   (Cfg.dir == DirBoth && mixed_round_keys(Cfg)),
      .NumBanks((Cfg.key_sched == KeysStored) ? 2 : 1)
    ) u_key_schedule (
      .clk_i,
      .rst_ni,
      .key_valid_i,
      .key_ready_o,
      .key_i,
      .key_len_i,
      .round_key_valid_i,
      .round_key_ready_o,
      .decrypt_i        (in_decrypt_i),
      .enter_i          (enter),
      .accept_i         (accept),
      .busy_i           (busy_q),
      .available_o      (available),
      .first_key_o      (first_key),
      .round_key_o      (round_key),
      .key_before_o     (unused_key_before),
      .key_after_o      (unused_key_after),
      .last_round_o     (last_round),
      .last_round_next_o(last_round_next),
      .part_o           (unused_part),
      .fault_o          (unused_fault)
    );

    logic unused_on_the_fly;
    assign unused_on_the_fly = ^in_key_i;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  block_t loaded, state, shifted, last, out_block_q;
  word_t [15:0] words;

  // Refilled tables take the address to be written from the bytes of rows 0 and 2 (aes_tboxes).
  // Here it lengthens no path of the loop.
  always_comb begin
    loaded = in_block_i ^ first_key;
    for (int n = 0; n < 16; n += 2) begin
      if (write) loaded[8*(15-n)+:8] = write_addr;
    end
  end

  // A new block comes in by the key addition, so that the multiplexer of the loop is a gate. It does
  // not wait for an offer: what enters without one is never used.
  block_t mixed, inner_key, added, last_key, unused_inner;

  if (Ahead) begin : gen_ahead
    block_t added_q, last_key_q;
    always_ff @(posedge clk_i) begin
      added_q    <= enter ? loaded : round_key;
      last_key_q <= round_key;
    end
    assign added    = added_q;
    assign last_key = last_key_q;

    logic unused_inner_key;
    assign unused_inner_key = ^inner_key;
  end else begin : gen_no_ahead
    for (genvar c = 0; c < 4; c++) begin : gen_column
      assign added[32*c+:32] = select[c] ? loaded[32*c+:32] : inner_key[32*c+:32];
    end
    assign last_key = round_key;
  end

  for (genvar c = 0; c < 4; c++) begin : gen_column
    assign state[32*c+:32] = (select[c] ? '0 : mixed[32*c+:32]) ^ added[32*c+:32];
  end

  aes_shift_rows #(
    .Dir(Cfg.dir)
  ) u_shift_rows (
    .decrypt_i(lookup_decrypt),
    .state_i  (state),
    .state_o  (shifted)
  );

  aes_tboxes #(
    .Sbox(Cfg.sbox),
    .Tbox(Cfg.tbox),
    .Dir (Cfg.dir)
  ) u_tboxes (
    .clk_i,
    .rst_ni,
    .decrypt_i   (lookup_decrypt),
    .write_i     (write),
    .write_word_i(write_word),
    .table_i     ('0),
    .bytes_i     (shifted),
    .words_o     (words)
  );

  aes_tbox_round #(
    .Dir      (Cfg.dir),
    .MixedKeys(mixed_round_keys(Cfg))
  ) u_round (
    .decrypt_i  (block_decrypt),
    .words_i    (words),
    .round_key_i(last_key),
    .mixed_o    (mixed),
    .inner_key_o(inner_key),
    .inner_o    (unused_inner),
    .last_o     (last)
  );

  always_ff @(posedge clk_i) begin
    if (result) out_block_q <= last;
  end

  assign out_valid_o = out_valid_q;
  assign out_block_o = out_block_q;

  assign available_o = available;

endmodule
