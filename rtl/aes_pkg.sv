// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Types, choices, field arithmetic and cycle counts of the AES family.
//
// Byte order: byte 0 of FIPS 197 is the most significant byte. A block is [127:120] = byte 0 ...
// [7:0] = byte 15; column c of the state is the 32-bit word c from the top; a key shorter than its
// port stands at the top of it.
//
// Everything that follows from a choice (number of rounds, latency, interval) is computed here and
// nowhere else in the RTL. The Python side computes the same figures for its catalogue; a test
// compares the two over the whole space of choices.

package aes_pkg;

  ///////////////////////////////////////////////////////////////////////////
  // The choices: one enum for each axis of the family
  ///////////////////////////////////////////////////////////////////////////

  typedef enum logic [2:0] {
    ArchIterative,    // one block at a time, one or more rounds a clock
    ArchInterleaved,  // one round cut by registers, a block in each level
    ArchPipelined,    // every round in hardware, a block each clock
    ArchRolling,      // a pipeline of rounds, each with its S-boxes used several times a block
    ArchNarrow,       // a round in several clocks; one block at a time, or two in turn
    ArchMicrocoded    // a program that works on a byte at a time
  } arch_e;

  typedef enum logic [2:0] {
    SboxTable,  // 256-entry table in LUT logic
    SboxRom,  // block RAM read in one clock; two S-boxes share a dual-port RAM
    SboxTower,  // composite-field logic of few LUTs
    SboxShallow,  // composite-field logic of few LUT levels
    SboxWide,  // the table in one piece, for LUTs that join to wide ones
    SboxNone,  // of the key schedule: round keys come from outside
    SboxShared  // of the key schedule: the S-boxes of the data path
  } sbox_e;

  typedef enum logic [2:0] {
    TboxNone,      // S-boxes, then MixColumns in logic
    TboxFixed,     // S-box and MixColumns in one table, a set of tables for each direction
    TboxRefilled,  // one set of tables in RAM, written again when the direction changes
    TboxPair,      // S and 2S of encryption in one RAM word, the rest of MixColumns in logic
    TboxPacked     // the different bits of S, 2S and 3S of encryption in one RAM word of 18 bits
  } tbox_e;

  typedef enum logic [1:0] {
    DirEncrypt,
    DirDecrypt,
    DirBoth  // selected with each block
  } dir_e;

  typedef enum logic [1:0] {
    KeySize128,
    KeySize192,
    KeySize256,
    KeySizeAny   // selected with each key
  } key_size_e;

  typedef enum logic [1:0] {
    KeysOnTheFly,     // a key travels with each block
    KeysStored,       // expanded once into two banks: a key loads while blocks of the last one run
    KeysStoredSingle  // the same with one bank: a new key waits for the blocks under way
  } key_sched_e;

  typedef enum logic [1:0] {
    KeyRegSubWord,  // behind SubWord, which may be a block RAM: round keys are made when added
    KeyRegRoundKey,  // behind the key round: round keys are there when the clock begins
    KeyRegAhead,  // beside each round of a pipeline, or for the first key of a block: a clock ahead
    KeyRegSums  // behind SubWord and behind running sums of the words of a round key
  } key_reg_e;

  typedef enum logic [1:0] {
    KeyExpDoubleWord,  // two words a clock, or one where the key memory is a word wide
    KeyExpStaged,  // registers in SubWord as in SubBytes of a round, and behind each addition
    KeyExpWordSerial  // a word in two or three clocks; the key stays on its port till all are made
  } key_exp_e;

  typedef enum logic [1:0] {
    KeyMemAuto,        // the synthesis tool chooses
    KeyMemBlock,       // block RAM
    KeyMemDistributed  // LUT RAM; of on-the-fly keys in staged rounds, what they wait in
  } key_mem_e;

  typedef enum logic [1:0] {
    RestartEarly,   // a block may enter as soon as its slot of the loop is free
    RestartLatency  // no more than a loop full of blocks between entry and exit
  } restart_e;

  typedef enum logic [1:0] {
    OrderPermutation,  // a fixed permutation, then a selector
    OrderShifter,      // a cyclic shifter of the 16 bytes
    OrderColumns       // columns that come one after the other
  } order_e;

  typedef enum logic [1:0] {
    ShareNone,   // first and last key addition are circuits of their own
    ShareFirst,  // the round does the first one
    ShareAll     // the round does both
  } share_e;

  // One design: a value on every axis.
  typedef struct packed {
    arch_e      arch;
    logic [3:0] rounds;       // rounds in hardware, all done in one clock
    logic [7:0] datapath;     // bits of the state that are processed a clock
    logic       serial;       // 8-bit ports: a block byte by byte, at the top of its port
    sbox_e      sbox;         // S-boxes of the data path
    logic [3:0] sbox_levels;  // register levels of the S-boxes
    logic       doubled;      // S-boxes that give {02} S too
    tbox_e      tbox;         // whether MixColumns is part of the tables
    logic [1:0] mix_levels;   // register levels of MixColumns with the key addition
    logic       loop_level;   // a register at the multiplexer of the loop
    share_e     shared_add;   // first and last key addition by that of the round
    logic       out_reg;      // a register for the result; without it the one of the state shows
    restart_e   restart;      // when the next block may enter a loop
    logic       overlap;      // a block enters in the clock of the last round of the one before it
    logic [2:0] lookups;      // blocks' look-ups that an S-box does in turn
    order_e     order;        // how bytes are brought to S-boxes that are used several times
    sbox_e      key_sbox;     // S-boxes of the key schedule, or none
    dir_e       dir;
    key_size_e  key_size;
    key_sched_e key_sched;
    key_reg_e   key_reg;      // where the registers on the way of round keys stand
    key_exp_e   key_exp;      // how stored round keys are expanded
    key_mem_e   key_mem;
    logic       hardened;     // control in three copies that vote; see aes_guard
    logic       clear;        // a port that overwrites keys and blocks; see aes_guard
  } cfg_t;

  // An encryption core for 128-bit keys, one round a clock: what a module is by itself.
  localparam cfg_t DefaultCfg = '{
      arch: ArchIterative,
      rounds: 4'd1,
      datapath: 8'd128,
      serial: 1'b0,
      sbox: SboxTable,
      sbox_levels: 4'd1,
      doubled: 1'b0,
      tbox: TboxNone,
      mix_levels: 2'd0,
      loop_level: 1'b0,
      shared_add: ShareNone,
      out_reg: 1'b1,
      restart: RestartEarly,
      overlap: 1'b0,
      lookups: 3'd1,
      order: OrderPermutation,
      key_sbox: SboxTable,
      dir: DirEncrypt,
      key_size: KeySize128,
      key_sched: KeysStored,
      key_reg: KeyRegSubWord,
      key_exp: KeyExpDoubleWord,
      key_mem: KeyMemAuto,
      hardened: 1'b0,
      clear: 1'b0
  };

  ///////////////////////////////////////////////////////////////////////////
  // Data types
  ///////////////////////////////////////////////////////////////////////////

  typedef logic [7:0] byte_t;
  typedef logic [31:0] word_t;  // a column, byte of row 0 at the top
  typedef logic [127:0] block_t;

  // Length of a key at run time. Any other encoding is taken as 256 bit, but where aes_guard refuses it.
  typedef enum logic [1:0] {
    KeyLen128 = 2'd0,
    KeyLen192 = 2'd1,
    KeyLen256 = 2'd2
  } key_len_e;

  ///////////////////////////////////////////////////////////////////////////
  // What follows from the choices
  ///////////////////////////////////////////////////////////////////////////

  // Number of rounds Nr for a key length (FIPS 197, table 3).
  function automatic logic [3:0] num_rounds(logic [1:0] key_len);
    case (key_len)
      KeyLen128: return 4'd10;
      KeyLen192: return 4'd12;
      default:   return 4'd14;
    endcase
  endfunction

  // The longest key a design takes.
  function automatic key_len_e max_key_len(key_size_e key_size);
    case (key_size)
      KeySize128: return KeyLen128;
      KeySize192: return KeyLen192;
      default:    return KeyLen256;
    endcase
  endfunction

  // Width of a key port in bits.
  function automatic int unsigned key_width(key_size_e key_size);
    case (key_size)
      KeySize128: return 128;
      KeySize192: return 192;
      default:    return 256;
    endcase
  endfunction

  // Whether the key schedule of an iterative core is a clock ahead of the data, whose block waits in
  // a register: where round keys come out of a register although the S-boxes that make them are
  // block RAMs, or where the first one of stored keys does.
  function automatic bit key_ahead(cfg_t cfg);
    logic unused_cfg;
    unused_cfg = ^cfg;
    return (cfg.key_reg == KeyRegRoundKey && cfg.key_sbox == SboxRom) ||
        (cfg.arch == ArchIterative && cfg.key_reg == KeyRegAhead);
  endfunction

  // Whether decryption's round keys come from outside as those of the equivalent inverse cipher (FIPS
  // 197, section 5.3.5): with T-boxes. A core for both directions takes both kinds, unless it is a
  // narrow one, which makes them as it reads them, for a word or two at a time; and unless blocks
  // overlap, which read both ends of a key at a time.
  function automatic bit mixed_round_keys(cfg_t cfg);
    logic unused_cfg;
    unused_cfg = ^cfg;
    return cfg.key_sbox == SboxNone && cfg.tbox != TboxNone && (cfg.dir == DirDecrypt ||
        (cfg.dir == DirBoth && cfg.arch == ArchIterative && !cfg.overlap));
  endfunction

  // Whether a byte-wide core has the round of 20 clocks, which is that of 8-bit ports.
  function automatic bit byte_loop(cfg_t cfg);
    logic unused_cfg;
    unused_cfg = ^cfg;
    return cfg.arch == ArchNarrow && (cfg.serial || (cfg.datapath == 8 && cfg.dir == DirEncrypt &&
        cfg.key_mem != KeyMemAuto));
  endfunction

  // Whether two blocks take turns on a narrow data path with stored keys.
  function automatic bit stored_turns(cfg_t cfg);
    logic unused_cfg;
    unused_cfg = ^cfg;
    return cfg.arch == ArchNarrow && cfg.key_sched != KeysOnTheFly && cfg.key_sbox == SboxShared;
  endfunction

  // Clocks from the one in which a block is accepted to the one in which out_valid_o is high. With
  // 8-bit ports, from the first byte of a block to the last one of its result, both counted.
  //
  // The pipelined and interleaved architectures have an input register where MixColumns takes two
  // levels (standaert2003, section 6.1), then the first key addition, then Nr rounds. A loop that
  // shares the first key addition has no delay before the last one.
  function automatic int unsigned latency(cfg_t cfg, logic [1:0] key_len);
    int unsigned rounds, levels, front;
    logic unused_cfg;
    unused_cfg = ^cfg;
    rounds = 32'(num_rounds(key_len));
    levels = 32'(cfg.sbox_levels) + 32'(cfg.mix_levels);
    front  = (cfg.mix_levels == 2) ? 2 : 1;
    if (cfg.arch == ArchPipelined && cfg.key_reg == KeyRegAhead) front += 1;
    if (cfg.arch == ArchInterleaved && cfg.shared_add == ShareFirst) front = 1;
    case (cfg.arch)
      ArchIterative: begin
        if (cfg.shared_add == ShareAll && cfg.tbox != TboxNone) begin
          return 2 + rounds * levels + 32'(cfg.tbox == TboxPacked);
        end
        return 1 + rounds / 32'(cfg.rounds) + 32'(key_ahead(cfg));
      end
      ArchInterleaved: return front + rounds * (levels + 32'(cfg.loop_level));
      ArchPipelined: return front + rounds * levels;
      ArchRolling: begin
        // Columns pass a round in a block period and what the registers on the way add to it.
        if (cfg.order == OrderColumns) begin
          return 1 + 32'(cfg.sbox_levels) + (rounds - 1) * (32'(cfg.lookups) + levels - 1) +
              32'(cfg.lookups);
        end
        return 2 * rounds * 32'(cfg.lookups);
      end
      // With on-the-fly keys two blocks take turns, five clocks a round each, or a round takes 24
      // and a byte of the key is loaded a clock. With stored keys a turn takes four clocks. A
      // byte-wide decryption has 28 clocks for each round, as many before for the keys, and one for
      // the key that is loaded.
      ArchNarrow: begin
        if (cfg.serial) return 20 * (rounds + 1) - 1;
        if (byte_loop(cfg)) return 20 * (rounds + 1);
        if (cfg.datapath == 8 && cfg.dir == DirDecrypt) return 28 * (2 * rounds + 1) + 15;
        if (cfg.datapath == 8) return 24 * rounds + key_width(cfg.key_size) / 8 + 19;
        if (cfg.key_sched == KeysOnTheFly) return 10 * rounds + 7;
        if (stored_turns(cfg)) return 8 * rounds + 7 + 32'(cfg.dir == DirBoth);
        return (1 + rounds) * (128 / 32'(cfg.datapath));
      end
      // The words that are run (aes_microcode_pkg), and a clock for shift registers around them.
      ArchMicrocoded: return 1415 + 32'(!cfg.serial);
      default: return 0;
    endcase
  endfunction

  // The same behind 32-bit ports (aes_words), and the interval there: clocks from the first word of
  // a block to the last one of its result, both counted. Four words in, the core, its result into
  // the register, four words out.
  function automatic int unsigned words_latency(cfg_t cfg, logic [1:0] key_len);
    return 4 + latency(cfg, key_len) + 1 + 4;
  endfunction

  // Blocks under way at the same time when the core is kept busy.
  function automatic int unsigned blocks_in_flight(cfg_t cfg, logic [1:0] key_len);
    case (cfg.arch)
      ArchIterative:   return 1;
      ArchMicrocoded:  return 1;
      ArchNarrow: begin
        if (stored_turns(cfg)) return 2;
        return (cfg.key_sched == KeysOnTheFly && cfg.datapath == 32) ? 2 : 1;
      end
      ArchInterleaved: return 32'(cfg.sbox_levels) + 32'(cfg.mix_levels) + 32'(cfg.loop_level);
      ArchPipelined:   return latency(cfg, key_len);
      ArchRolling:     return (latency(cfg, key_len) + 32'(cfg.lookups) - 1) / 32'(cfg.lookups);
      default:         return 0;
    endcase
  endfunction

  // Clocks from the one in which a key is accepted to the first in which a block accepted is
  // processed under it. Stored keys only; longer where a block of the key before the last still
  // occupies the bank that is to be filled, or words of round keys from outside come late. Keys are
  // expanded by two words a clock, or by one where the key memory is a word wide; with KeyExpStaged
  // by two words in four clocks, or in five and the levels of SubWord where there is one
  // (aes_key_expander_staged). With KeyExpWordSerial, clocks from the one in which a key is offered:
  // two a word, or three where it goes to the S-boxes of the state. Where two blocks take turns, a
  // word takes three clocks, and three more where it is one of the key or has a SubWord
  // (aes_key_turns).
  function automatic int unsigned key_setup(cfg_t cfg, logic [1:0] key_len);
    int unsigned steps, subs;
    logic unused_cfg;
    unused_cfg = ^cfg;
    if (cfg.key_exp == KeyExpStaged) begin
      steps = 2 * (32'(num_rounds(key_len)) + 1);
      subs  = (key_len == KeyLen192) ? (steps + 2) / 3 : steps / 2;
      return 4 * steps + (32'(cfg.sbox_levels) + 1) * subs + 7;
    end
    if (stored_turns(cfg)) begin
      case (key_len)
        KeyLen128: subs = 4 + 10;
        KeyLen192: subs = 6 + 8;
        default:   subs = 8 + 13;
      endcase
      return 12 * (32'(num_rounds(key_len)) + 1) + 3 * subs + 7;
    end
    if (cfg.key_exp == KeyExpWordSerial) begin
      return ((cfg.key_sbox == SboxShared) ? 12 : 8) * (32'(num_rounds(key_len)) + 1) + 2;
    end
    return ((cfg.datapath == 32) ? 4 : 2) * (32'(num_rounds(key_len)) + 1) + 3;
  endfunction

  // Clocks from the one in which direction changes are known to be over: refilled T-boxes are written
  // in 256 clocks, with one more to fill the pipeline.
  function automatic int unsigned direction_change(cfg_t cfg);
    logic unused_cfg;
    unused_cfg = ^cfg;
    return (cfg.tbox == TboxRefilled) ? 257 : 0;
  endfunction

  // Whether aes_guard stands around the core.
  function automatic bit guarded(cfg_t cfg);
    logic unused_cfg;
    unused_cfg = ^cfg;
    return cfg.hardened || cfg.clear;
  endfunction

  // The parts of a sweep by aes_guard in clocks: the core is in reset at both ends of it; it loads a
  // key of zeros for each bank; it processes blocks of zeros in each direction.
  localparam int unsigned SweepReset = 2;

  function automatic int unsigned sweep_keys(cfg_t cfg);
    logic unused_cfg;
    unused_cfg = ^cfg;
    if (!cfg.clear || cfg.key_sched == KeysOnTheFly) return 0;
    return ((cfg.key_sched == KeysStored) ? 2 : 1) * key_setup(
        cfg, max_key_len(cfg.key_size)
    ) + 32'(cfg.key_exp == KeyExpWordSerial);
  endfunction

  function automatic int unsigned sweep_blocks(cfg_t cfg);
    logic unused_cfg;
    unused_cfg = ^cfg;
    if (!cfg.clear) return 0;
    return 2 * latency(cfg, max_key_len(cfg.key_size)) + direction_change(cfg);
  endfunction

  // Clocks that a core takes after its reset before it takes anything: a program reads its first
  // instruction.
  function automatic int unsigned wake_clocks(cfg_t cfg);
    logic unused_cfg;
    unused_cfg = ^cfg;
    return 32'(cfg.arch == ArchMicrocoded);
  endfunction

  // Clocks from the first one after a reset, or after the clock of clear_i, to the first one in which
  // a key or a block is taken again.
  function automatic int unsigned sweep_clocks(cfg_t cfg);
    logic unused_cfg;
    unused_cfg = ^cfg;
    if (!guarded(cfg)) return wake_clocks(cfg);
    if (!cfg.clear) return SweepReset;
    return 2 * SweepReset + sweep_keys(
        cfg
    ) + ((cfg.dir == DirBoth) ? 2 : 1) * sweep_blocks(
        cfg
    ) + wake_clocks(
        cfg
    );
  endfunction

  ///////////////////////////////////////////////////////////////////////////
  // Counting clocks by linear feedback, x^8 + x^6 + x^5 + x^4 + 1 from 0: one LUT4 deep
  ///////////////////////////////////////////////////////////////////////////

  // The count that follows; 255 of them before 0 comes again.
  function automatic byte_t next_count(byte_t count);
    return {count[6:0], ~(count[7] ^ count[5] ^ count[4] ^ count[3])};
  endfunction

  function automatic byte_t count_after(int unsigned clocks);
    byte_t count;
    count = '0;
    for (int unsigned i = 0; i < clocks; i++) count = next_count(count);
    return count;
  endfunction

  ///////////////////////////////////////////////////////////////////////////
  // GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, section 4)
  ///////////////////////////////////////////////////////////////////////////

  // Multiplication by x, {02}.
  function automatic byte_t xtime(byte_t a);
    return {a[6:0], 1'b0} ^ (8'h1b & {8{a[7]}});
  endfunction

  function automatic byte_t gf_mul(byte_t a, byte_t b);
    byte_t product;
    product = '0;
    for (int i = 7; i >= 0; i--) begin
      product = xtime(product);
      if (b[i]) product ^= a;
    end
    return product;
  endfunction

  ///////////////////////////////////////////////////////////////////////////
  // SubBytes (FIPS 197, section 5.1.1) as tables
  ///////////////////////////////////////////////////////////////////////////

  typedef byte_t sbox_table_t[256];

  // The affine map after the inversion.
  function automatic byte_t sbox_affine(byte_t b);
    return b ^ {b[6:0], b[7]} ^ {b[5:0], b[7:6]} ^ {b[4:0], b[7:5]} ^ {b[3:0], b[7:4]} ^ 8'h63;
  endfunction

  // {03} generates the field, so {03}^i and {03}^(255-i) are inverse to each other. (Raising every
  // byte to the power of 254 gives the same and takes elaboration a hundred times as long.)
  function automatic sbox_table_t make_sbox_table(bit inverse);
    byte_t power, reciprocal;
    sbox_table_t powers, entries;
    power = 8'h01;
    for (int i = 0; i < 256; i++) begin
      powers[i] = power;
      power ^= xtime(power);
    end
    for (int i = 0; i < 256; i++) begin
      power      = (i == 255) ? 8'h00 : powers[i];
      reciprocal = (i == 255) ? 8'h00 : powers[255-i];
      if (inverse) entries[sbox_affine(reciprocal)] = power;
      else entries[power] = sbox_affine(reciprocal);
    end
    return entries;
  endfunction

  // A design all of whose S-boxes are composite-field logic has no use for them.
  // verilator lint_off UNUSEDPARAM
  localparam sbox_table_t SboxFwdTable = make_sbox_table(1'b0);
  localparam sbox_table_t SboxInvTable = make_sbox_table(1'b1);
  // verilator lint_on UNUSEDPARAM

  ///////////////////////////////////////////////////////////////////////////
  // ShiftRows and InvShiftRows (FIPS 197, sections 5.1.2 and 5.3.1): wires
  ///////////////////////////////////////////////////////////////////////////

  // Byte n of a block, n as in FIPS 197.
  function automatic byte_t get_byte(block_t b, int unsigned n);
    return b[8*(15-n)+:8];
  endfunction

  function automatic block_t shift_rows(block_t state);
    block_t shifted;
    for (int unsigned c = 0; c < 4; c++) begin
      for (int unsigned r = 0; r < 4; r++) begin
        shifted[8*(15-(4*c+r))+:8] = get_byte(state, 4 * ((c + r) % 4) + r);
      end
    end
    return shifted;
  endfunction

  function automatic block_t inv_shift_rows(block_t state);
    block_t shifted;
    for (int unsigned c = 0; c < 4; c++) begin
      for (int unsigned r = 0; r < 4; r++) begin
        shifted[8*(15-(4*c+r))+:8] = get_byte(state, 4 * ((c + 4 - r) % 4) + r);
      end
    end
    return shifted;
  endfunction

  // RotWord (FIPS 197, section 5.2): [a0, a1, a2, a3] to [a1, a2, a3, a0].
  function automatic word_t rot_word(word_t w);
    return {w[23:0], w[31:24]};
  endfunction

endpackage
