// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// An AES core: the dispatcher of the architectures and the place where a design is checked.
//
//   key_i   --valid/ready--[ key schedule ]      stored keys; else in_key_i comes with each block
//                                 |
//   in_block_i --valid/ready--[ rounds ]--valid-- out_block_o
//
// A block accepted at clock t (in_valid_i and in_ready_o high) leaves at clock t + LATENCY
// (aes_pkg::latency), whatever the data and the key: a core never stalls. Byte 0 of FIPS 197 is at
// the top of every block and key.
//
// With key_sbox = SboxNone the round keys come from outside. A key that is taken gives its length
// only. Its round keys follow at the top of key_i, K0 first, two words at a time, or one where the
// data path is 32 bits wide. Words are taken in each clock in which round_key_valid_i and
// round_key_ready_o are high. They are those of the cipher, but for two kinds of cores:
//
//   T-boxes, decryption only      those of the equivalent inverse cipher (FIPS 197, section 5.3.5):
//                                 K1 to K(Nr-1) through InvMixColumns
//   mixed_round_keys (aes_pkg)    both, those of the cipher on top
//
// With KeyExpWordSerial a key stays on its port until its round keys are made: key_ready_o, which
// follows key_valid_i in the same clock, is low from the offer on to the clock in which the key is
// taken, and the current one.
//
// With serial = 1 a block and its key are accepted in 16 clocks, byte 0 first. Each byte is at the
// top of in_block_i and in_key_i. A result leaves the same way, at the top of out_block_o.
//
// With hardened = 1 or clear = 1 aes_guard stands between these ports and the architecture.
//
// All ports are always there; those that a design does not use are ignored or constant. Generated
// wrappers show only the ports in use.

module aes_core
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  // Printed from one table for all cores
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,            // Cfg.clear: overwrite keys and blocks
  output logic         clearing_o,         // or what follows a reset, is going on: nothing is taken

  // Key, for stored keys
  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,              // first byte at the top
  input  logic [1:0]   key_len_i,          // key_len_e, for designs that take every key size
  output logic         key_error_o,        // hardened or clear: a key of no length is refused
  input  logic         round_key_valid_i,  // SboxNone: the words at the top of key_i are offered
  output logic         round_key_ready_o,  // and taken

  // Block
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,       // DirBoth: its direction
  input  logic [255:0] in_key_i,           // on-the-fly keys: its key, first byte at the top

  // Result, which cannot be held back
  output logic         out_valid_o,
  output block_t       out_block_o,
  output logic         fault_o             // Cfg.hardened: the result is zero because of a fault
);

  ///////////////////////////////////////////////////////////////////////////
  // Legality: printed from AESFab's table of rules, with its words
  ///////////////////////////////////////////////////////////////////////////

  localparam bit Iterative = Cfg.arch == ArchIterative;
  localparam bit Interleaved = Cfg.arch == ArchInterleaved;
  localparam bit Pipelined = Cfg.arch == ArchPipelined;
  localparam bit Rolling = Cfg.arch == ArchRolling;
  localparam bit Columns = Cfg.order == OrderColumns;
  localparam bit Narrow = Cfg.arch == ArchNarrow;
  localparam bit Microcoded = Cfg.arch == ArchMicrocoded;
  localparam bit Bytes = Narrow && Cfg.datapath == 8;
  localparam bit Stored = Cfg.key_sched != KeysOnTheFly;
  localparam bit TwoBanks = Cfg.key_sched == KeysStored;
  localparam bit AnyKey = Cfg.key_size == KeySizeAny;
  localparam bit Multi = Cfg.rounds > 1;
  localparam bit AnyRom = Cfg.sbox == SboxRom || Cfg.key_sbox == SboxRom;
  localparam bit AllDeep = Cfg.sbox inside {SboxTower, SboxShallow, SboxRom} &&
                           Cfg.key_sbox inside {SboxTower, SboxShallow, SboxRom};
  localparam bit AllTower = Cfg.sbox == SboxTower && Cfg.key_sbox == SboxTower;
  localparam bit Tbox = Cfg.tbox != TboxNone;
  localparam bit Refilled = Cfg.tbox == TboxRefilled;

  // The loop of standaert2003, Fig. 9: S-boxes, MixColumns with the key addition, nothing else.
  localparam bit CompactLoop = Interleaved && Cfg.sbox_levels == 1 && Cfg.mix_levels == 1 &&
                               !Cfg.loop_level;

  // Iterative cores whose blocks may wait for the first one of their stored round keys.
  localparam bit ChosenAhead = Iterative && Cfg.overlap && Cfg.key_sched == KeysStoredSingle &&
                               Cfg.dir == DirBoth && !Tbox;

  // Rounds of aes_round_staged.
  localparam bit Staged = Pipelined || (Interleaved && Cfg.shared_add != ShareAll);

  // A loop whose last register level can take a new block beside the round's result.
  localparam bit DeepLoop = Interleaved && Cfg.mix_levels == 2 && !Cfg.loop_level;

  // T-boxes in RAM words of one port whose key addition may be that of entry and result, too.
  localparam bit Pair = Cfg.tbox inside {TboxPair, TboxPacked};
  localparam bit SharedPair = Iterative && Pair && !Stored;

  localparam bit SharedOne = Iterative && Tbox && Cfg.shared_add == ShareAll;

  // The loop of one register and one key addition, with the key schedule that is made for it.
  localparam bit Offered = Cfg.key_exp == KeyExpWordSerial;
  localparam bit LogicSbox = !(Cfg.sbox inside {SboxRom, SboxNone, SboxShared});
  localparam bit Compact = Iterative && !Tbox && LogicSbox && Cfg.shared_add == ShareAll &&
                           !Cfg.overlap && !AnyKey && Cfg.dir != DirBoth &&
                           Cfg.key_sched == KeysStoredSingle &&
                           Cfg.key_mem == KeyMemDistributed && Cfg.key_sbox != SboxNone;

  // Keys of a pipeline or an interleaved loop that wait for their SubWord in LUT RAM.
  localparam bit WaitInRam = (Pipelined || Interleaved) && Cfg.mix_levels == 2 &&
                             Cfg.sbox_levels > 2 && Cfg.key_mem == KeyMemDistributed;

  // The byte-wide core whose round takes 20 clocks, behind 8-bit ports or two shift registers.
  localparam bit ByteLoop = (Cfg.serial && !Microcoded) ||
                            (Bytes && Cfg.dir == DirEncrypt && Cfg.key_mem != KeyMemAuto);

  // Two blocks in turn on a narrow data path, with stored keys.
  localparam bit Turns = Narrow && Cfg.datapath == 32 && Cfg.sbox_levels == 2 &&
                         Cfg.dir != DirDecrypt && !Tbox && Cfg.key_sbox == SboxShared &&
                         Cfg.key_sched == KeysStoredSingle && Cfg.key_mem == KeyMemDistributed;

  // Nr mod rounds for every key size that the design takes; all of them are 10, 12 or 14.
  localparam bit Divides =
      !(Cfg.key_size inside {KeySize128, KeySizeAny} && 10 % Cfg.rounds != 0) &&
      !(Cfg.key_size inside {KeySize192, KeySizeAny} && 12 % Cfg.rounds != 0) &&
      !(Cfg.key_size inside {KeySize256, KeySizeAny} && 14 % Cfg.rounds != 0);

  if (!Divides) begin : gen_illegal_rounds
    $fatal(1, "the rounds in hardware must divide the number of rounds of every key size");
  end
  if (Multi && !Iterative) begin : gen_illegal_rounds_arch
    $fatal(1, "only the iterative architecture does several rounds in one clock");
  end
  if (Multi && AnyRom) begin : gen_illegal_rounds_rom
    $fatal(1, "a block-RAM S-box takes a clock, so it cannot do several rounds in one");
  end
  if (Multi && Stored) begin : gen_illegal_rounds_stored
    $fatal(1, "several rounds a clock need on-the-fly keys: a memory gives one key a clock");
  end
  if (Iterative && (Cfg.sbox_levels > (SharedOne ? 2 : 1) || Cfg.mix_levels != 0))
  begin : gen_illegal_levels
    $fatal(
        1,
        "the iterative architecture has one register in a round, that of the S-boxes, or two where its one key addition is shared"
    );
  end
  if (Rolling && !Columns && (Cfg.sbox_levels != 1 || Cfg.mix_levels != 0))
  begin : gen_illegal_rolling_levels
    $fatal(1, "the rolling architecture has one register in a round beside the one of its S-boxes");
  end
  if (Rolling && Columns && Cfg.mix_levels > 1) begin : gen_illegal_column_levels
    $fatal(1, "columns that come one after the other have one register after MixColumns at most");
  end
  if (Narrow && Stored && Cfg.sbox_levels != 1 && !Turns) begin : gen_illegal_narrow_levels
    $fatal(
        1,
        "the narrow architecture with stored keys has S-boxes with one register, or, on 32 bits and where they encrypt and make the round keys, too, in one bank of LUT RAM, with two"
    );
  end
  if (Narrow && !Stored && Cfg.sbox_levels > ((Bytes && Cfg.dir == DirDecrypt) ? 4 : 3))
  begin : gen_illegal_narrow_sbox_levels
    $fatal(
        1,
        "S-boxes of a narrow core with on-the-fly keys have three registers at most, or four for decryption"
    );
  end
  if ((Narrow || Microcoded) && Cfg.mix_levels != 0) begin : gen_illegal_narrow_mix
    $fatal(1, "narrow and microcoded architectures have no choice of registers in MixColumns");
  end
  if (Narrow && !Stored && Cfg.datapath == 64) begin : gen_illegal_narrow_datapath
    $fatal(1, "the narrow architecture with on-the-fly keys has a data path of 32 or 8 bits");
  end
  if (Narrow && Stored && Cfg.datapath == 8) begin : gen_illegal_narrow_byte
    $fatal(1, "a data path of 8 bits makes its keys on the fly");
  end
  if (Narrow && !Stored && Cfg.sbox != Cfg.key_sbox) begin : gen_illegal_narrow_sbox
    $fatal(1, "the narrow architecture makes on-the-fly keys with the S-boxes of the data path");
  end
  if ((Cfg.datapath != 128) != (Narrow || Microcoded)) begin : gen_illegal_datapath
    $fatal(
        1,
        "narrow and microcoded architectures, and no others, have less than 128 bits of data path"
    );
  end
  if (Microcoded && Cfg.datapath != 8) begin : gen_illegal_microcoded_datapath
    $fatal(1, "the microcoded architecture has a data path of 8 bits");
  end
  if (Microcoded && (Cfg.sbox != SboxRom || Cfg.key_sbox != SboxRom || Cfg.sbox_levels != 1))
  begin : gen_illegal_microcoded_sbox
    $fatal(
        1,
        "the one S-box of the microcoded architecture is in its data RAM, which is read in a clock"
    );
  end
  if (Microcoded && (Cfg.dir != DirEncrypt || Cfg.key_size != KeySize128))
  begin : gen_illegal_microcoded_program
    $fatal(1, "the program of the microcoded architecture is encryption under 128-bit keys");
  end
  if ((Pipelined || Interleaved) && Cfg.mix_levels == 0) begin : gen_illegal_mix_levels
    $fatal(1, "pipelined and interleaved rounds have a register after MixColumns");
  end
  if (Cfg.doubled && Cfg.dir != DirEncrypt) begin : gen_illegal_doubled_inverse
    $fatal(1, "the doubles of S-boxes are of use to MixColumns, not to its inverse");
  end
  if (Cfg.sbox_levels > 2 && !AllDeep) begin : gen_illegal_table_levels
    $fatal(1, "only composite-field and block-RAM S-boxes have more than two register levels");
  end
  if (Cfg.sbox_levels > 4 && !AllTower) begin : gen_illegal_sbox_levels
    $fatal(1, "only tower S-boxes have more than four register levels");
  end
  if (Cfg.sbox_levels > 1 && (Cfg.sbox == SboxWide || Cfg.key_sbox == SboxWide))
  begin : gen_illegal_wide_levels
    $fatal(1, "a table in one piece has one register level");
  end
  if (Cfg.loop_level && !Interleaved) begin : gen_illegal_loop_level
    $fatal(1, "only the interleaved architecture has a register at the multiplexer of a loop");
  end
  if (Cfg.doubled && !Staged) begin : gen_illegal_doubled
    $fatal(1, "only staged rounds take the doubles of their S-boxes");
  end
  if (Cfg.shared_add == ShareFirst && !DeepLoop) begin : gen_illegal_shared_first
    $fatal(
        1,
        "only a loop of two levels in MixColumns and no loop level shares just the first addition"
    );
  end
  if (Cfg.shared_add == ShareAll && !CompactLoop && !SharedPair && !Offered)
  begin : gen_illegal_shared_add
    $fatal(
        1,
        "a shared key addition needs an interleaved loop of two levels, T-boxes in pairs or packed and on-the-fly keys, or a key that is offered until it is expanded"
    );
  end
  if (!Cfg.out_reg && !(Cfg.shared_add == ShareAll && (CompactLoop || Offered)))
  begin : gen_illegal_out_reg
    $fatal(
        1,
        "the state register is the output only of a loop of two levels or a key that is offered, with a shared key addition"
    );
  end
  if (SharedOne && Cfg.overlap && Cfg.sbox_levels == 1) begin : gen_illegal_shared_overlap
    $fatal(
        1,
        "where entry and result share a key addition, two blocks overlap only if a round takes two clocks"
    );
  end
  if (SharedOne && Cfg.key_reg == KeyRegRoundKey) begin : gen_illegal_shared_key_reg
    $fatal(1, "a shared key addition of the iterative architecture takes the key that is held");
  end
  if (Cfg.restart != RestartEarly && !Interleaved) begin : gen_illegal_restart
    $fatal(1, "only the interleaved architecture has a choice when the next block enters");
  end
  if (Cfg.overlap && !Iterative) begin : gen_illegal_overlap
    $fatal(1, "only the iterative architecture overlaps last round and entry of two blocks");
  end
  if (Cfg.overlap && Refilled) begin : gen_illegal_overlap_refilled
    $fatal(1, "refilled T-boxes belong to one block, so the next one waits until it has left");
  end
  if (Cfg.lookups != 1 && !Rolling) begin : gen_illegal_lookups
    $fatal(1, "only the rolling architecture uses an S-box several times for a block");
  end
  if (Cfg.order == OrderShifter && Cfg.lookups != 4) begin : gen_illegal_order
    $fatal(1, "a cyclic shifter brings four bytes at a time: it needs four look-ups");
  end
  if (Columns && Cfg.lookups == 1) begin : gen_illegal_columns
    $fatal(1, "columns come one after the other where an S-box is used several times");
  end
  if (Tbox && ((!Iterative && !Narrow) || Multi)) begin : gen_illegal_tbox_arch
    $fatal(1, "T-boxes need the iterative architecture with one round a clock, or the narrow one");
  end
  if (Tbox && !(Cfg.sbox inside {SboxTable, SboxRom})) begin : gen_illegal_tbox_sbox
    $fatal(1, "a T-box is a table in parts or a block RAM");
  end
  if (Cfg.sbox inside {SboxNone, SboxShared}) begin : gen_illegal_no_sbox
    $fatal(1, "only a key schedule can do without S-boxes");
  end
  if (Cfg.key_sbox == SboxNone && !(Stored && (Iterative || Narrow)))
  begin : gen_illegal_no_key_sbox
    $fatal(1, "round keys from outside are stored ones of the iterative or narrow architecture");
  end
  if (Tbox && Narrow && !Stored) begin : gen_illegal_tbox_keys
    $fatal(1, "T-boxes of the narrow architecture need stored keys");
  end
  if (Refilled && (Cfg.sbox != SboxRom || Cfg.dir != DirBoth)) begin : gen_illegal_tbox_refilled
    $fatal(1, "refilled T-boxes are block RAMs of a core for both directions");
  end
  if (Pair && (Cfg.sbox != SboxRom || Cfg.dir != DirEncrypt || !Iterative))
  begin : gen_illegal_tbox_pair
    $fatal(1, "pairs of products and packed ones are RAMs of an iterative core for encryption");
  end
  if (Stored && (Rolling || Microcoded)) begin : gen_illegal_keys
    $fatal(1, "in rolling and microcoded architectures a key travels with each block");
  end
  if (Pipelined && AnyKey) begin : gen_illegal_pipeline_any
    $fatal(1, "a pipeline has the rounds of one key size");
  end
  if (Interleaved && AnyKey && TwoBanks) begin : gen_illegal_loop_any
    $fatal(1, "in a loop a block of a shorter key would overtake: all key sizes need one bank");
  end
  if (Pipelined && Stored && Cfg.key_mem != KeyMemAuto) begin : gen_illegal_pipeline_mem
    $fatal(1, "a pipeline reads all round keys at once: they are in registers, not in a memory");
  end
  if (!Stored && Cfg.dir != DirEncrypt && !Bytes) begin : gen_illegal_direction
    $fatal(1, "on-the-fly keys run forward from the cipher key, so they serve encryption only");
  end
  if (Bytes && Cfg.dir == DirBoth) begin : gen_illegal_bytes_both
    $fatal(1, "a data path of 8 bits is for one direction");
  end
  if (Bytes && Cfg.dir == DirDecrypt && Cfg.key_size != KeySize128) begin : gen_illegal_bytes_size
    $fatal(1, "a data path of 8 bits decrypts under 128-bit keys only");
  end
  if (!Stored && AnyKey) begin : gen_illegal_key_size
    $fatal(1, "on-the-fly keys are made for one key size");
  end
  if (!Stored && (Rolling || (Narrow && !Bytes)) && Cfg.key_size != KeySize128)
  begin : gen_illegal_fly_size
    $fatal(
        1,
        "rolling cores, and narrow ones of 32 bits, make round keys of 128-bit keys only on the fly"
    );
  end
  if (Cfg.key_reg == KeyRegRoundKey && (Stored || !Iterative)) begin : gen_illegal_key_reg
    $fatal(1, "only on-the-fly keys of the iterative architecture have a register to place");
  end
  if (Cfg.key_reg == KeyRegAhead && !(Pipelined && !Stored) && !ChosenAhead)
  begin : gen_illegal_key_ahead
    $fatal(
        1,
        "only on-the-fly keys of a pipeline are made a clock ahead, and only the first one of an iterative core with overlap, one bank and both directions is chosen a clock ahead"
    );
  end
  if (Cfg.key_reg == KeyRegSums &&
      (Stored || !Iterative || Multi || Tbox || Cfg.key_size != KeySize128))
  begin : gen_illegal_key_sums
    $fatal(1, "running sums are of 128-bit on-the-fly keys, for one round a clock and no T-boxes");
  end
  if (Cfg.key_exp == KeyExpStaged && !(Stored && (Pipelined || Interleaved)))
  begin : gen_illegal_key_staged
    $fatal(1, "only stored keys of a pipeline or an interleaved loop are made in stages");
  end
  if (Offered && !Compact) begin : gen_illegal_key_offered
    $fatal(
        1,
        "a key is offered until it is expanded where an iterative core for one direction and key size has a shared key addition, logic for S-boxes, one bank of LUT RAM and no overlap"
    );
  end
  if (Cfg.key_sbox == SboxShared && !(Offered && Cfg.dir == DirEncrypt) && !Turns)
  begin : gen_illegal_key_shared
    $fatal(
        1,
        "S-boxes of the state make round keys where they encrypt: of a key that is offered until it is expanded, or between the blocks of a narrow core that take turns"
    );
  end
  if (Cfg.key_reg == KeyRegRoundKey && Cfg.key_sbox == SboxRom && !Tbox)
  begin : gen_illegal_key_reg_rom
    $fatal(1, "where S-boxes of the key schedule are block RAMs, only T-boxes let it run ahead");
  end
  if (!Stored && Cfg.key_mem != KeyMemAuto && !WaitInRam && !ByteLoop && !Microcoded)
  begin : gen_illegal_key_mem
    $fatal(
        1,
        "on-the-fly keys have no key memory to choose, but LUT RAM in which those of a pipeline or an interleaved loop, with two levels in MixColumns, wait for three S-box levels or more, and the RAM of a data path of 8 bits for encryption, or of a microcoded core"
    );
  end
  if (ByteLoop && !(Bytes && Cfg.dir == DirEncrypt && Cfg.key_size == KeySize128))
  begin : gen_illegal_serial
    $fatal(
        1,
        "8-bit ports, and a RAM of the data path of 8 bits, go with encryption under 128-bit keys"
    );
  end
  if (ByteLoop && Cfg.sbox_levels != ((Cfg.sbox == SboxRom) ? 2 : 1))
  begin : gen_illegal_serial_levels
    $fatal(
        1,
        "with 8-bit ports, or a RAM of the data path of 8 bits, an S-box has one register in logic and two in block RAM"
    );
  end
  if ((ByteLoop || Microcoded) && Cfg.hardened) begin : gen_illegal_serial_hardened
    $fatal(
        1,
        "a core with 8-bit ports, or with a RAM of the data path of 8 bits, or with microcode, is not hardened"
    );
  end

  if (Cfg.hardened && (Tbox || Cfg.key_sbox == SboxNone)) begin : gen_illegal_hardened_tbox
    $fatal(1, "T-boxes and round keys from outside are not hardened");
  end
  if (Cfg.hardened &&
      ((Iterative && Cfg.key_reg == KeyRegAhead) || Cfg.key_exp != KeyExpDoubleWord))
  begin : gen_illegal_hardened_keys
    $fatal(
        1,
        "keys that an iterative core chooses ahead, that are offered until expanded, or made in stages, are not hardened"
    );
  end
  if (Cfg.hardened && Stored && (Pipelined || Interleaved || Turns))
  begin : gen_illegal_hardened_stored
    $fatal(
        1,
        "a pipeline, an interleaved loop, and a narrow core of two blocks in turn are hardened with on-the-fly keys only"
    );
  end
  if (Cfg.hardened && (Pipelined || Interleaved) && Cfg.key_mem == KeyMemDistributed)
  begin : gen_illegal_hardened_mem
    $fatal(1, "the counters that address LUT RAM in which keys wait are not hardened");
  end
  if (Cfg.hardened && Interleaved && Cfg.key_size == KeySize192) begin : gen_illegal_hardened_loop
    $fatal(
        1,
        "an interleaved loop has a bit of control among the words of 192-bit keys, so it is not hardened"
    );
  end
  if (Cfg.hardened && Bytes && !(Cfg.dir == DirEncrypt && Cfg.key_size == KeySize128))
  begin : gen_illegal_hardened_bytes
    $fatal(1, "a data path of 8 bits is hardened for encryption under 128-bit keys only");
  end

  ///////////////////////////////////////////////////////////////////////////
  // Guard
  ///////////////////////////////////////////////////////////////////////////

  // What is between the ports and the core: the guard, or wires. Printed from one table for all cores
  logic core_rst_n;
  logic core_key_valid;
  logic core_key_ready;
  logic core_round_key_valid;
  logic core_round_key_ready;
  logic core_available;
  logic core_in_valid;
  logic core_in_ready;
  logic core_in_decrypt;
  logic core_out_valid;
  logic core_fault;
  logic [255:0] core_key;
  logic [255:0] core_in_key;
  logic [1:0] core_key_len;
  block_t core_in_block;
  block_t core_out_block;

  if (guarded(Cfg)) begin : gen_guard
    aes_guard #(
      .Cfg(Cfg)
    ) u_guard (
      .clk_i,
      .rst_ni,
      .clear_i               (clear_i & Cfg.clear),
      .clearing_o,
      .key_valid_i,
      .key_ready_o,
      .key_i,
      .key_len_i,
      .key_error_o,
      .round_key_valid_i,
      .round_key_ready_o,
      .in_valid_i,
      .in_ready_o,
      .in_block_i,
      .in_decrypt_i,
      .in_key_i,
      .out_valid_o,
      .out_block_o,
      .fault_o,
      .core_rst_no           (core_rst_n),
      .core_key_valid_o      (core_key_valid),
      .core_key_ready_i      (core_key_ready),
      .core_key_o            (core_key),
      .core_key_len_o        (core_key_len),
      .core_round_key_valid_o(core_round_key_valid),
      .core_round_key_ready_i(core_round_key_ready),
      .core_available_i      (core_available),
      .core_in_valid_o       (core_in_valid),
      .core_in_ready_i       (core_in_ready),
      .core_in_block_o       (core_in_block),
      .core_in_decrypt_o     (core_in_decrypt),
      .core_in_key_o         (core_in_key),
      .core_out_valid_i      (core_out_valid),
      .core_out_block_i      (core_out_block),
      .core_fault_i          (core_fault)
    );
  end else begin : gen_no_guard
    assign core_rst_n           = rst_ni;
    assign core_key_valid       = key_valid_i;
    assign core_key             = key_i;
    assign core_key_len         = key_len_i;
    assign core_round_key_valid = round_key_valid_i;
    assign core_in_valid        = in_valid_i;
    assign core_in_block        = in_block_i;
    assign core_in_decrypt      = in_decrypt_i;
    assign core_in_key          = in_key_i;
    assign key_ready_o          = core_key_ready;
    assign round_key_ready_o    = core_round_key_ready;
    assign in_ready_o           = core_in_ready;
    assign out_valid_o          = core_out_valid;
    assign out_block_o          = core_out_block;
    assign fault_o              = 1'b0;
    assign clearing_o           = 1'b0;
    assign key_error_o          = 1'b0;

    logic unused_guard;
    assign unused_guard = ^{clear_i, core_available, core_fault};
  end

  // Some cores do not have these ports, or not all bits of them.
  logic unused_inputs;
  assign unused_inputs = ^{
    core_key_valid, core_key, core_key_len, core_round_key_valid, core_in_block, core_in_decrypt,
    core_in_key
  };
  // end of what is between

  ///////////////////////////////////////////////////////////////////////////
  // Architectures: the instances are printed from one table for all cores
  ///////////////////////////////////////////////////////////////////////////

  if (Iterative && Cfg.key_reg == KeyRegAhead) begin : gen_iterative_ahead
    aes_core_iterative_ahead #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni           (core_rst_n),
      .key_valid_i      (core_key_valid),
      .key_ready_o      (core_key_ready),
      .key_i            (core_key),
      .key_len_i        (core_key_len),
      .round_key_valid_i(core_round_key_valid),
      .round_key_ready_o(core_round_key_ready),
      .available_o      (core_available),
      .in_valid_i       (core_in_valid),
      .in_ready_o       (core_in_ready),
      .in_block_i       (core_in_block),
      .in_decrypt_i     (core_in_decrypt),
      .out_valid_o      (core_out_valid),
      .out_block_o      (core_out_block)
    );
    assign core_fault = 1'b0;
  end else if (SharedOne) begin : gen_iterative_shared
    aes_core_iterative_shared #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni     (core_rst_n),
      .in_valid_i (core_in_valid),
      .in_ready_o (core_in_ready),
      .in_block_i (core_in_block),
      .in_key_i   (core_in_key),
      .out_valid_o(core_out_valid),
      .out_block_o(core_out_block)
    );
    assign core_key_ready       = 1'b0;
    assign core_round_key_ready = 1'b0;
    assign core_available       = 1'b1;
    assign core_fault           = 1'b0;
  end else if (Iterative && Offered) begin : gen_iterative_compact
    aes_core_iterative_compact #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni     (core_rst_n),
      .key_valid_i(core_key_valid),
      .key_ready_o(core_key_ready),
      .key_i      (core_key),
      .available_o(core_available),
      .in_valid_i (core_in_valid),
      .in_ready_o (core_in_ready),
      .in_block_i (core_in_block),
      .out_valid_o(core_out_valid),
      .out_block_o(core_out_block)
    );
    assign core_round_key_ready = 1'b0;
    assign core_fault           = 1'b0;
  end else if (Iterative && !Tbox) begin : gen_iterative
    aes_core_iterative #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni           (core_rst_n),
      .key_valid_i      (core_key_valid),
      .key_ready_o      (core_key_ready),
      .key_i            (core_key),
      .key_len_i        (core_key_len),
      .round_key_valid_i(core_round_key_valid),
      .round_key_ready_o(core_round_key_ready),
      .available_o      (core_available),
      .in_valid_i       (core_in_valid),
      .in_ready_o       (core_in_ready),
      .in_block_i       (core_in_block),
      .in_decrypt_i     (core_in_decrypt),
      .in_key_i         (core_in_key),
      .out_valid_o      (core_out_valid),
      .out_block_o      (core_out_block),
      .fault_o          (core_fault)
    );
  end else if (Iterative) begin : gen_iterative_tbox
    aes_core_iterative_tbox #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni           (core_rst_n),
      .key_valid_i      (core_key_valid),
      .key_ready_o      (core_key_ready),
      .key_i            (core_key),
      .key_len_i        (core_key_len),
      .round_key_valid_i(core_round_key_valid),
      .round_key_ready_o(core_round_key_ready),
      .available_o      (core_available),
      .in_valid_i       (core_in_valid),
      .in_ready_o       (core_in_ready),
      .in_block_i       (core_in_block),
      .in_decrypt_i     (core_in_decrypt),
      .in_key_i         (core_in_key),
      .out_valid_o      (core_out_valid),
      .out_block_o      (core_out_block)
    );
    assign core_fault = 1'b0;
  end else if (Interleaved) begin : gen_interleaved
    aes_core_interleaved #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni      (core_rst_n),
      .key_valid_i (core_key_valid),
      .key_ready_o (core_key_ready),
      .key_i       (core_key),
      .key_len_i   (core_key_len),
      .available_o (core_available),
      .in_valid_i  (core_in_valid),
      .in_ready_o  (core_in_ready),
      .in_block_i  (core_in_block),
      .in_decrypt_i(core_in_decrypt),
      .in_key_i    (core_in_key),
      .out_valid_o (core_out_valid),
      .out_block_o (core_out_block),
      .fault_o     (core_fault)
    );
    assign core_round_key_ready = 1'b0;
  end else if (Pipelined) begin : gen_pipelined
    aes_core_pipelined #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni      (core_rst_n),
      .key_valid_i (core_key_valid),
      .key_ready_o (core_key_ready),
      .key_i       (core_key),
      .available_o (core_available),
      .in_valid_i  (core_in_valid),
      .in_ready_o  (core_in_ready),
      .in_block_i  (core_in_block),
      .in_decrypt_i(core_in_decrypt),
      .in_key_i    (core_in_key),
      .out_valid_o (core_out_valid),
      .out_block_o (core_out_block),
      .fault_o     (core_fault)
    );
    assign core_round_key_ready = 1'b0;
  end else if (Rolling && Columns) begin : gen_rolling_columns
    aes_core_rolling_columns #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni     (core_rst_n),
      .in_valid_i (core_in_valid),
      .in_ready_o (core_in_ready),
      .in_block_i (core_in_block),
      .in_key_i   (core_in_key[255:128]),
      .out_valid_o(core_out_valid),
      .out_block_o(core_out_block),
      .fault_o    (core_fault)
    );
    assign core_key_ready       = 1'b0;
    assign core_round_key_ready = 1'b0;
    assign core_available       = 1'b1;
  end else if (Rolling) begin : gen_rolling
    aes_core_rolling #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni     (core_rst_n),
      .in_valid_i (core_in_valid),
      .in_ready_o (core_in_ready),
      .in_block_i (core_in_block),
      .in_key_i   (core_in_key[255:128]),
      .out_valid_o(core_out_valid),
      .out_block_o(core_out_block),
      .fault_o    (core_fault)
    );
    assign core_key_ready       = 1'b0;
    assign core_round_key_ready = 1'b0;
    assign core_available       = 1'b1;
  end else if (Turns) begin : gen_narrow_turns
    aes_core_narrow_turns #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni      (core_rst_n),
      .key_valid_i (core_key_valid),
      .key_ready_o (core_key_ready),
      .key_i       (core_key),
      .key_len_i   (core_key_len),
      .available_o (core_available),
      .in_valid_i  (core_in_valid),
      .in_ready_o  (core_in_ready),
      .in_block_i  (core_in_block),
      .in_decrypt_i(core_in_decrypt),
      .out_valid_o (core_out_valid),
      .out_block_o (core_out_block)
    );
    assign core_round_key_ready = 1'b0;
    assign core_fault           = 1'b0;
  end else if (Narrow && Stored) begin : gen_narrow
    aes_core_narrow #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni           (core_rst_n),
      .key_valid_i      (core_key_valid),
      .key_ready_o      (core_key_ready),
      .key_i            (core_key),
      .key_len_i        (core_key_len),
      .round_key_valid_i(core_round_key_valid),
      .round_key_ready_o(core_round_key_ready),
      .available_o      (core_available),
      .in_valid_i       (core_in_valid),
      .in_ready_o       (core_in_ready),
      .in_block_i       (core_in_block),
      .in_decrypt_i     (core_in_decrypt),
      .out_valid_o      (core_out_valid),
      .out_block_o      (core_out_block),
      .fault_o          (core_fault)
    );
  end else if (Microcoded && Cfg.serial) begin : gen_microcoded
    aes_core_microcoded #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni     (core_rst_n),
      .in_valid_i (core_in_valid),
      .in_ready_o (core_in_ready),
      .in_block_i (core_in_block[127:119]),
      .in_key_i   (core_in_key[255:248]),
      .out_valid_o(core_out_valid),
      .out_block_o(core_out_block)
    );
    assign core_key_ready       = 1'b0;
    assign core_round_key_ready = 1'b0;
    assign core_available       = 1'b1;
    assign core_fault           = 1'b0;
  end else if (Cfg.serial) begin : gen_narrow_serial
    aes_core_narrow_serial #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni     (core_rst_n),
      .in_valid_i (core_in_valid),
      .in_ready_o (core_in_ready),
      .in_block_i (core_in_block[127:119]),
      .in_key_i   (core_in_key[255:248]),
      .out_valid_o(core_out_valid),
      .out_block_o(core_out_block)
    );
    assign core_key_ready       = 1'b0;
    assign core_round_key_ready = 1'b0;
    assign core_available       = 1'b1;
    assign core_fault           = 1'b0;
  end else if (ByteLoop || Microcoded) begin : gen_narrow_shift
    aes_core_narrow_shift #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni     (core_rst_n),
      .in_valid_i (core_in_valid),
      .in_ready_o (core_in_ready),
      .in_block_i (core_in_block),
      .in_key_i   (core_in_key[255:128]),
      .out_valid_o(core_out_valid),
      .out_block_o(core_out_block)
    );
    assign core_key_ready       = 1'b0;
    assign core_round_key_ready = 1'b0;
    assign core_available       = 1'b1;
    assign core_fault           = 1'b0;
  end else if (Bytes && Cfg.dir == DirDecrypt) begin : gen_narrow_bytes_decrypt
    aes_core_narrow_bytes_decrypt #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni     (core_rst_n),
      .in_valid_i (core_in_valid),
      .in_ready_o (core_in_ready),
      .in_block_i (core_in_block),
      .in_key_i   (core_in_key[255:128]),
      .out_valid_o(core_out_valid),
      .out_block_o(core_out_block)
    );
    assign core_key_ready       = 1'b0;
    assign core_round_key_ready = 1'b0;
    assign core_available       = 1'b1;
    assign core_fault           = 1'b0;
  end else if (Bytes) begin : gen_narrow_bytes
    aes_core_narrow_bytes #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni     (core_rst_n),
      .in_valid_i (core_in_valid),
      .in_ready_o (core_in_ready),
      .in_block_i (core_in_block),
      .in_key_i   (core_in_key),
      .out_valid_o(core_out_valid),
      .out_block_o(core_out_block),
      .fault_o    (core_fault)
    );
    assign core_key_ready       = 1'b0;
    assign core_round_key_ready = 1'b0;
    assign core_available       = 1'b1;
  end else if (Narrow) begin : gen_narrow_shared
    aes_core_narrow_shared #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni     (core_rst_n),
      .in_valid_i (core_in_valid),
      .in_ready_o (core_in_ready),
      .in_block_i (core_in_block),
      .in_key_i   (core_in_key[255:128]),
      .out_valid_o(core_out_valid),
      .out_block_o(core_out_block),
      .fault_o    (core_fault)
    );
    assign core_key_ready       = 1'b0;
    assign core_round_key_ready = 1'b0;
    assign core_available       = 1'b1;
  end else begin : gen_unknown
    $fatal(1, "aes_core: unknown architecture");
  end

endmodule
