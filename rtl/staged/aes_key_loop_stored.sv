// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Stored round keys for a loop whose slots hold a block each: every clock the memory gives the key
// of another slot.
//
//   key_i --[ filler ]--64--+--[ registers: first keys ]----------------- first_key_o
//                           +--[ key memory of encryption ]--+--[ mux ]-- round_key_o
//                           +--[ key memory of decryption ]--+    (both: DirBoth only)
//
// The slots go round in NumSlots clocks past an entry, where blocks are accepted (clock 0 below).
// With each slot travels which round key its block adds next. The key is added Front - 1 clocks
// after every time that the slot comes by the entry:
//
//   clock 0, of acceptance                    accept_i, decrypt_i
//   clock Front-1                             first_key_o
//   clock r NumSlots, r = 1 ... Nr            going_i; for r = Nr last_o instead
//   clock r NumSlots + Front-1                round_key_o of round r
//
// In the clock in which a block's last key is added, that of the block which takes its slot is its
// first one: so first keys are in registers, those of two banks as in aes_key_register, and the
// memory holds the others. Decryption takes the keys of the equivalent inverse cipher (FIPS 197,
// section 5.3.5) from a memory of its own.
//
// KeySizeAny goes with one bank only: a block of a shorter key would overtake one of a longer key.

module aes_key_loop_stored
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox     = SboxTable,
  parameter dir_e        Dir      = DirEncrypt,
  parameter key_size_e   KeySize  = KeySize128,
  parameter key_mem_e    Memory   = KeyMemAuto,
  parameter int unsigned NumBanks = 2,           // 1 or 2
  parameter int unsigned NumSlots = 2,           // from 2
  parameter int unsigned Front    = 1,           // 1 or 2
  parameter int unsigned Levels   = 0,           // see aes_key_filler
  parameter int unsigned Soon     = 2            // less than NumSlots, where last_soon_o is used
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,
  input  logic [1:0]   key_len_i,

  // The slot at the entry, and all of them: [i] was at the entry i clocks ago
  input  logic              decrypt_i,    // direction of the block that is offered
  input  logic              going_i,      // its block goes on; if not, the offered one may enter
  input  logic [NumSlots:1] busy_i,       // it holds a block
  output logic              available_o,  // a key is current: blocks can be accepted
  output logic              last_o,       // its block, if there is one, adds its last key next
  output logic              last_soon_o,  // that is so of the slot that is there in Soon clocks

  output block_t first_key_o,
  output block_t round_key_o
);

  ///////////////////////////////////////////////////////////////////////////
  // Filling
  ///////////////////////////////////////////////////////////////////////////

  logic write, switching, bank, fill_bank, blocked, unused_start, unused_switch_next;
  logic unused_round_key_ready, unused_filler_fault;
  logic [5:0] index;
  word_t [1:0] half, mixed_half;
  logic [NumBanks-1:0][1:0] bank_len;

  logic [2:0] unused_recall;

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
    .key_len_i,
    .round_key_valid_i(1'b0),
    .round_key_ready_o(unused_round_key_ready),
    .blocked_i        (blocked),
    .start_o          (unused_start),
    .write_o          (write),
    .index_o          (index),
    .words_o          (half),
    .old_i            ('0),
    .recall_o         (unused_recall),
    .mixed_words_o    (mixed_half),
    .switch_next_o    (unused_switch_next),
    .switch_o         (switching),
    .fill_bank_o      (fill_bank),
    .bank_o           (bank),
    .bank_len_o       (bank_len),
    .available_o,
    .fault_o          (unused_filler_fault)
  );

  ///////////////////////////////////////////////////////////////////////////
  // What travels with a slot
  ///////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic       bank;
    logic       decrypt;
    logic [3:0] round;    // the key that the block adds next
  } slot_t;

  slot_t [NumSlots:1] slot_q;
  slot_t              entering;
  logic               bank_q;   // of the blocks that are accepted
  logic [3:0]         rounds;   // Nr of the current key

  // The lengths differ with one bank only.
  assign rounds = num_rounds((KeySize == KeySizeAny) ? bank_len[0] : max_key_len(KeySize));

  always_comb begin
    entering = slot_q[NumSlots];
    if (going_i) begin
      entering.round = entering.decrypt ? entering.round - 4'd1 : entering.round + 4'd1;
    end else begin
      entering.bank    = bank_q;
      entering.decrypt = (Dir == DirBoth) ? decrypt_i : (Dir == DirDecrypt);
      entering.round   = entering.decrypt ? rounds - 4'd1 : 4'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    bank_q    <= bank;
    slot_q[1] <= entering;
    for (int unsigned i = 2; i <= NumSlots; i++) slot_q[i] <= slot_q[i-1];
  end

  // One clock before the slot is at the entry.
  logic last_q;
  always_ff @(posedge clk_i) begin
    last_q <= slot_q[NumSlots-1].round == (slot_q[NumSlots-1].decrypt ? 4'd0 : rounds);
  end
  assign last_o = last_q;

  slot_t soon;
  assign soon        = slot_q[(NumSlots>Soon)?NumSlots-Soon : 1];
  assign last_soon_o = soon.round == (soon.decrypt ? 4'd0 : rounds);

  always_comb begin
    blocked = 1'b0;
    for (int unsigned i = 1; i <= NumSlots; i++) begin
      blocked |= busy_i[i] & (NumBanks == 1 || slot_q[i].bank == fill_bank);
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Writing
  ///////////////////////////////////////////////////////////////////////////

  // The first key is that of encryption; of those of decryption each is written, and the last stays.
  logic write_memory;
  logic [5:0] write_index;
  logic [1:0] first_write, every_write;  // the upper half, the lower one

  if (Levels != 0) begin : gen_write_registers
    // The words are still there.
    logic write_q;
    logic [5:0] index_q;
    logic [1:0] first_write_q, every_write_q;
    always_ff @(posedge clk_i) begin
      write_q       <= write;
      index_q       <= index;
      first_write_q <= {2{write && index[5:1] == '0}} & {~index[0], index[0]};
      every_write_q <= {2{write}} & {~index[0], index[0]};
    end
    assign write_memory = write_q;
    assign write_index  = index_q;
    assign first_write  = first_write_q;
    assign every_write  = every_write_q;
  end else begin : gen_no_write_registers
    logic here;
    assign here         = write && index[5:1] == '0;
    assign write_memory = write;
    assign write_index  = index;
    assign first_write  = {here & ~index[0], here & index[0]};
    assign every_write  = {write & ~index[0], write & index[0]};
  end

  ///////////////////////////////////////////////////////////////////////////
  // Memories
  ///////////////////////////////////////////////////////////////////////////

  // The slot whose key is added in the next clock.
  slot_t  read;
  logic   added_decrypt_q;
  block_t encrypt_key, decrypt_key;

  assign read = slot_q[NumSlots+Front-2];

  always_ff @(posedge clk_i) added_decrypt_q <= read.decrypt;

  if (Dir != DirDecrypt) begin : gen_encrypt
    logic unused_fault;
    block_t unused_before, unused_after;
    aes_key_memory #(
      .Style   (Memory),
      .NumBanks(NumBanks)
    ) u_memory (
      .clk_i,
      .rst_ni,
      .write_i      (write_memory),
      .write_bank_i (fill_bank),
      .write_index_i(write_index),
      .words_i      (half),
      .read_bank_i  (read.bank),
      .read_index_i ({2'b0, read.round}),
      .before_i     (1'b0),
      .key_o        (encrypt_key),
      .key_before_o (unused_before),
      .key_after_o  (unused_after),
      .fault_o      (unused_fault)
    );
  end else begin : gen_no_encrypt
    assign encrypt_key = '0;
  end

  if (Dir != DirEncrypt) begin : gen_decrypt
    logic unused_fault;
    block_t unused_before, unused_after;
    aes_key_memory #(
      .Style   (Memory),
      .NumBanks(NumBanks)
    ) u_memory (
      .clk_i,
      .rst_ni,
      .write_i      (write_memory),
      .write_bank_i (fill_bank),
      .write_index_i(write_index),
      .words_i      (mixed_half),
      .read_bank_i  (read.bank),
      .read_index_i ({2'b0, read.round}),
      .before_i     (1'b0),
      .key_o        (decrypt_key),
      .key_before_o (unused_before),
      .key_after_o  (unused_after),
      .fault_o      (unused_fault)
    );
  end else begin : gen_no_decrypt
    assign decrypt_key = '0;
  end

  ///////////////////////////////////////////////////////////////////////////
  // First keys
  ///////////////////////////////////////////////////////////////////////////

  // The first block under a new key is accepted in the clock after switching, and adds its first
  // key Front - 1 clocks later.
  logic load, first_decrypt;

  if (Front == 2) begin : gen_front
    logic switching_q, decrypt_q;
    always_ff @(posedge clk_i) begin
      switching_q <= switching;
      decrypt_q   <= decrypt_i;
    end
    assign load          = switching_q;
    assign first_decrypt = decrypt_q;
  end else begin : gen_no_front
    assign load          = switching;
    assign first_decrypt = decrypt_i;
  end

  block_t first_encrypt_key, first_decrypt_key;

  if (Dir != DirDecrypt) begin : gen_first_encrypt
    aes_key_register #(
      .NumBanks(NumBanks)
    ) u_key (
      .clk_i,
      .write_i(first_write),
      .half_i (half),
      .load_i (load),
      .key_o  (first_encrypt_key)
    );
  end else begin : gen_no_first_encrypt
    assign first_encrypt_key = '0;
  end

  if (Dir != DirEncrypt) begin : gen_first_decrypt
    aes_key_register #(
      .NumBanks(NumBanks)
    ) u_key (
      .clk_i,
      .write_i(every_write),
      .half_i (half),
      .load_i (load),
      .key_o  (first_decrypt_key)
    );
  end else begin : gen_no_first_decrypt
    assign first_decrypt_key = '0;
  end

  if (Dir == DirBoth) begin : gen_both
    assign round_key_o = added_decrypt_q ? decrypt_key : encrypt_key;
    assign first_key_o = first_decrypt ? first_decrypt_key : first_encrypt_key;
  end else begin : gen_one_direction
    assign round_key_o = (Dir == DirDecrypt) ? decrypt_key : encrypt_key;
    assign first_key_o = (Dir == DirDecrypt) ? first_decrypt_key : first_encrypt_key;

    logic unused_directions;
    assign unused_directions = ^{added_decrypt_q, first_decrypt};
  end

  logic unused_bits;
  assign unused_bits = ^{
    mixed_half, first_write, every_write, soon, bank_len, slot_q[NumSlots].bank
  };

endmodule
