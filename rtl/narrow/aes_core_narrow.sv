// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Narrow architecture: one block at a time, a round in P = 2 or 4 clocks by a data path of 64 or 32
// bits, P (Nr + 1) clocks a block.
//
//               first_key, round_key (a part of it)
//                  |                            round_key
//   in_block --+--(+)--+                          |
//              |       +--[ mux ]--[ ShiftRows ]--|--[ S-boxes |R| ]--[ MixColumns ]-(+)-+- inner
//   [ columns  |       |              18 bytes   (+ decryption)                          |
//     waiting]-+       +-----------------------------------------------------------------+
//                                                                        last --(+)--[ out_block ]
//
//   clocks 0 ... P-1 (0: the block is accepted)
//                         part 0 ... P-1 of the block + first key
//   clocks r P ... r P + P-1, r = 1 ... Nr-1
//                         part 0 ... P-1 of round r: (Inv)MixColumns, round key
//   clocks Nr P ... Nr P + P-1
//                         part 0 ... P-1 of the last round, into the output register
//
// fischer2001, section 3, the economic configurations: as the iterative architecture, with 2 or 4
// times fewer S-boxes or T-boxes. The register of the S-boxes (in a block RAM, of its address) is
// the only one on the way. In the clock in which the last part of a round is made,
// aes_shift_rows_narrow gives them the first part of the next round. So no clock is lost between
// rounds. Columns pass by in order; no multiplexer selects one.
//
// With T-boxes everything behind the look-up is that of aes_tbox_round. Refilled T-boxes
// (aes_tbox_refill): a block of the other direction is accepted 257 clocks later than it would be
// otherwise; then in_ready_o depends on in_decrypt_i, and in_valid_i must stay until in_ready_o.
//
// The output register takes the parts of the result one after the other and holds them; nothing of
// an inner round is ever seen outside.

module aes_core_narrow
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

  // Result, which cannot be held back
  output logic         out_valid_o,
  output block_t       out_block_o,
  output logic         fault_o             // Cfg.hardened: copies of a register of control differ
);

  localparam int unsigned Width = 32'(Cfg.datapath);
  localparam int unsigned NumColumns = Width / 32;
  localparam int unsigned NumParts = 4 / NumColumns;

  typedef word_t [NumColumns-1:0] columns_t;

  logic [4:0] fault;  // copies of a register of control differ
  logic accept, available, tables_ready;
  logic busy_q, loading_q, out_valid_q;
  logic block_decrypt;  // direction of the block under way
  logic last_round, last_part;
  logic [1:0] part;
  logic  write;         // refilled tables are written
  byte_t write_addr;
  word_t write_word;
  logic unused_next;
  columns_t first_key, round_key, key_before, key_after;

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  assign in_ready_o = available & tables_ready & ~busy_q;
  assign accept     = in_valid_i & in_ready_o;
  assign last_part  = part == 2'(NumParts - 1);

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_busy (
    .clk_i,
    .rst_ni,
    .d_i    (accept | (busy_q & ~(last_round & last_part))),
    .q_o    (busy_q),
    .fault_o(fault[0])
  );

  aes_control_register #(
    .Hardened(Cfg.hardened)
  ) u_out_valid (
    .clk_i,
    .rst_ni,
    .d_i    (busy_q & last_round & last_part),
    .q_o    (out_valid_q),
    .fault_o(fault[1])
  );

  // Parts of the block are still to come.
  aes_control_register #(
    .Hardened(Cfg.hardened),
    .HasReset(1'b0)
  ) u_loading (
    .clk_i,
    .rst_ni,
    .d_i    (~busy_q | (loading_q & ~last_part)),
    .q_o    (loading_q),
    .fault_o(fault[2])
  );

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
    assign fault[3] = 1'b0;
  end else begin : gen_fixed
    assign tables_ready = 1'b1;
    assign write        = 1'b0;
    assign write_addr   = '0;
    assign write_word   = '0;
    if (Cfg.dir == DirBoth) begin : gen_both
      logic block_decrypt_q;
      aes_control_register #(
        .Hardened(Cfg.hardened),
        .HasReset(1'b0)
      ) u_block_decrypt (
        .clk_i,
        .rst_ni,
        .d_i    (accept ? in_decrypt_i : block_decrypt_q),
        .q_o    (block_decrypt_q),
        .fault_o(fault[3])
      );
      assign block_decrypt = block_decrypt_q;
    end else begin : gen_one_direction
      assign fault[3]      = 1'b0;
      assign block_decrypt = Cfg.dir == DirDecrypt;
    end
  end

  aes_key_schedule_stored #(
    .Sbox    (Cfg.key_sbox),
    .Dir     (Cfg.dir),
    .KeySize (Cfg.key_size),
    .Memory  (Cfg.key_mem),
    .NumBanks((Cfg.key_sched == KeysStored) ? 2 : 1),
    .Width   (Width),
    .Hardened(Cfg.hardened)
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
    .enter_i          (~busy_q),
    .accept_i         (accept),
    .busy_i           (busy_q),
    .available_o      (available),
    .first_key_o      (first_key),
    .round_key_o      (round_key),
    .key_before_o     (key_before),
    .key_after_o      (key_after),
    .last_round_o     (last_round),
    .last_round_next_o(unused_next),
    .part_o           (part),
    .fault_o          (fault[4])
  );

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  columns_t loaded, columns, shifted, inner, last;
  block_t waiting_q;  // the parts of the block that are still to come, the next one at the top
  block_t out_block_q;

  always_ff @(posedge clk_i) begin
    // With two parts what is captured after the first is never used.
    waiting_q <= 128'({(busy_q && NumParts > 2) ? waiting_q : in_block_i, {Width{1'b0}}});
  end

  // What enters while no block is offered is never used.
  assign loaded  = busy_q ? waiting_q[127-:Width] ^ round_key :
                            in_block_i[127-:Width] ^ first_key;
  assign columns = (loading_q | ~busy_q) ? loaded : inner;

  aes_shift_rows_narrow #(
    .Dir       (Cfg.dir),
    .NumColumns(NumColumns)
  ) u_shift_rows (
    .clk_i,
    .decrypt_i(block_decrypt),
    .part_i   (part),
    .columns_i(columns),
    .columns_o(shifted)
  );

  if (Cfg.tbox == TboxNone) begin : gen_sboxes
    columns_t substituted, unused_mixed, unused_correction;

    aes_sub_bytes #(
      .Sbox    (Cfg.sbox),
      .Dir     (Cfg.dir),
      .Levels  (1),
      .NumBytes(4 * NumColumns)
    ) u_sub_bytes (
      .clk_i,
      .decrypt_i(block_decrypt),
      .bytes_i  (shifted),
      .bytes_o  (substituted)
    );

    aes_round_columns #(
      .Dir       (Cfg.dir),
      .NumColumns(NumColumns)
    ) u_round (
      .correct_i   (block_decrypt),
      .columns_i   (substituted),
      .key_before_i(key_before),
      .key_after_i (key_after),
      .mixed_o     (unused_mixed),
      .correction_o(unused_correction),
      .inner_o     (inner),
      .last_o      (last)
    );

    logic unused_tboxes;
    assign unused_tboxes = ^{write, write_addr, write_word};
  end else begin : gen_tboxes
    columns_t unused_mixed, unused_key;
    byte_t [4*NumColumns-1:0] bytes;
    word_t [4*NumColumns-1:0] words;
    logic unused_keys;

    assign unused_keys = ^{key_before, key_after};

    // Refilled tables take the address to be written from the bytes of rows 0 and 2 (aes_tboxes),
    // which are never the latest to come.
    always_comb begin
      bytes = shifted;
      for (int i = 1; i < 4 * NumColumns; i += 2) begin
        if (write) bytes[i] = write_addr;
      end
    end

    aes_tboxes #(
      .Sbox    (Cfg.sbox),
      .Tbox    (Cfg.tbox),
      .Dir     (Cfg.dir),
      .NumBytes(4 * NumColumns)
    ) u_tboxes (
      .clk_i,
      .rst_ni,
      .decrypt_i   (block_decrypt),
      .write_i     (write),
      .write_word_i(write_word),
      .table_i     ('0),
      .bytes_i     (bytes),
      .words_o     (words)
    );

    aes_tbox_round #(
      .Dir       (Cfg.dir),
      .MixedKeys (mixed_round_keys(Cfg)),
      .NumColumns(NumColumns)
    ) u_round (
      .decrypt_i  (block_decrypt),
      .words_i    (words),
      .round_key_i(round_key),
      .mixed_o    (unused_mixed),
      .inner_key_o(unused_key),
      .inner_o    (inner),
      .last_o     (last)
    );
  end

  always_ff @(posedge clk_i) begin
    if (busy_q && last_round) out_block_q <= 128'({out_block_q, last});
  end

  assign out_valid_o = out_valid_q;
  assign out_block_o = out_block_q;

  assign available_o = available;
  assign fault_o     = |fault;

endmodule
