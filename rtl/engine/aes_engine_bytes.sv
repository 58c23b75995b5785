// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A packet engine a byte wide, CTR, GCM and GMAC, around a core with 8-bit ports:
//
//   s_key  ---[ byte n ]--+--|R|--+--[ slots, keys and H ]--|R|-- key --+
//   s_desc ---[ byte n ]--+       |                                     |
//   s_data ---[ byte n ]--+       +--[ bytes, 4 x 16 ]--+-- counter ----+--[ core ]--|R|--+
//                                 |      ^              |                                 |
//                                 |      +--(+ 1, + 8 n)+                       key stream|
//                                 |                     +-- lengths, mask                 |
//                                 |                             |                         |
//                                 +--(+)------------------------|----------+--|R x 16|-- m_data
//                                     ^    |                    |          |              |
//                                     |    +--[ GHASH ]--------(+)-- tag --+              |
//                                     +---------------------------------------------------+
//
// Its streams and answers are those of aes_engine. There are no queues: a beat stays on its stream
// until its sixteen bytes have gone through, a key until it has its slot, and one packet is under way.
//
// The core encrypts J0 first, for the mask of the tag, then the counters. GHASH takes a block while the
// core makes the key stream of the next one: a counter goes into the core as soon as GHASH will be free
// for the result. One memory has the counter, the mask, and the lengths and blocks of AAD and text; an
// adder of a byte counts.
//
// A byte takes three clocks: a step, in which it is counted or comes out of the core; the reading of
// what belongs to it, with its number in read_n_q; and its use, with use_n_q. Each state is so many
// steps, or waits.
//
// A key goes through the core with zero for a block while it is written into its slot, and H is written
// behind it. After a reset, and on request, all slots are overwritten with zero, a byte a clock.
//
// The page "Engines" of AESFab has the clocks of a packet.

module aes_engine_bytes
  import aes_pkg::*;
  import aes_engine_pkg::*;
#(
  // By itself around fab-byte-ram
  parameter cfg_t        Cfg          = '{
      arch: ArchNarrow,
      rounds: 4'd1,
      datapath: 8'd8,
      serial: 1'b1,
      sbox: SboxRom,
      sbox_levels: 4'd2,
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
      key_sbox: SboxRom,
      dir: DirEncrypt,
      key_size: KeySize128,
      key_sched: KeysOnTheFly,
      key_reg: KeyRegSubWord,
      key_exp: KeyExpDoubleWord,
      key_mem: KeyMemAuto,
      hardened: 1'b0,
      clear: 1'b0
  },
  parameter bit          Gcm          = 1'b1,  // GCM and GMAC too, not CTR alone
  parameter int unsigned NumSlots     = 64,    // keys, a power of two up to 128
  parameter int unsigned ReleaseDepth = 0,     // beats of text that wait for their tag; 0: none
  parameter int unsigned LengthBits   = 32     // a GCM text has 2^LengthBits - 2 blocks at most
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         s_key_tvalid_i,
  output logic         s_key_tready_o,
  input  logic [127:0] s_key_tdata_i,
  input  logic [11:0]  s_key_tuser_i,   // {clear all, clear, length, slot}
  input  logic         s_desc_tvalid_i,
  output logic         s_desc_tready_o,
  input  logic [159:0] s_desc_tdata_i,  // desc_t
  input  logic         s_data_tvalid_i,
  output logic         s_data_tready_o,
  input  logic [127:0] s_data_tdata_i,
  input  logic [15:0]  s_data_tkeep_i,
  input  logic         s_data_tlast_i,
  input  logic [1:0]   s_data_tuser_i,  // beat_e
  output logic         m_data_tvalid_o,
  input  logic         m_data_tready_i,
  output logic [127:0] m_data_tdata_o,
  output logic [15:0]  m_data_tkeep_o,
  output logic         m_data_tlast_o,
  output logic [5:0]   m_data_tuser_o   // result_user_t
);

  if (!Cfg.serial || Cfg.key_size != KeySize128) begin : gen_illegal_core
    $fatal(1, "aes_engine_bytes: the core must have 8-bit ports and 128-bit keys");
  end
  // Its first byte comes 207 clocks after soon_o of GHASH, which is free 205 clocks after that.
  if (latency(Cfg, KeyLen128) < 219) begin : gen_illegal_latency
    $fatal(1, "aes_engine_bytes: GHASH would not be free for the results of a faster core");
  end
  if (Cfg.dir != DirEncrypt) begin : gen_illegal_direction
    $fatal(1, "aes_engine_bytes: CTR and GCM encrypt blocks in both directions of a packet");
  end
  if (Cfg.clear || Cfg.hardened) begin : gen_illegal_guard
    $fatal(1, "aes_engine_bytes: faults of a core and its clearing are not told further");
  end
  if (NumSlots < 2 || NumSlots > 128 || 2 ** $clog2(NumSlots) != NumSlots) begin : gen_illegal_slots
    $fatal(1, "aes_engine_bytes: NumSlots must be a power of two from 2 to 128");
  end
  if (LengthBits > 32) begin : gen_illegal_length
    $fatal(1, "aes_engine_bytes: LengthBits must be 32 at most");
  end

  localparam int unsigned SlotBits = $clog2(NumSlots);
  // A slot has its key and, with Gcm, H behind it.
  localparam int unsigned ByteBits = Gcm ? 5 : 4;
  localparam int unsigned CountBits = SlotBits + ByteBits;

  // Bytes of the memory, 16 of each
  localparam logic [1:0] Counter = 2'd0;  // block
  localparam logic [1:0] Mask = 2'd1;  // J0, encrypted
  localparam logic [1:0] Lengths = 2'd2;  // of AAD, then of text, in bits
  localparam logic [1:0] Blocks = 2'd3;  // of AAD in bytes 0 to 3, of text in 8 to 11

  // Their counts overflow when there are too many.
  localparam logic [31:0] FirstText = 32'(64'h1_0000_0002 - (64'd1 << LengthBits));
  localparam logic [31:0] FirstAad = 32'(64'h1_0000_0000 - (64'd1 << LengthBits));

  ///////////////////////////////////////////////////////////////////////////
  // States, a bit each
  ///////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic sweep;     // zero into all slots
    logic idle;
    logic clear;     // zero into a slot
    logic key;       // a key into its slot, and with zero into the core
    logic hash;      // H into its slot
    logic key_done;  // the key is taken
    logic look;      // whether the slot of the descriptor has a key
    logic iv;        // the IV to the counter, H to GHASH
    logic zero;      // lengths and numbers of blocks
    logic beat;      // a beat is judged
    logic judged;    // in two clocks
    logic absorb;    // AAD, or an IV, to GHASH
    logic ready;     // the core may begin
    logic feed;      // counter and key into the core
    logic count;     // counter + 1
    logic length;    // length of AAD or text + 8 for each byte
    logic block;     // number of blocks + 1
    logic result;    // the core gives the mask of the tag, or key stream
    logic lengths;   // lengths to GHASH
    logic sum;       // GHASH multiplies
    logic j0;        // its sum to the counter
    logic tag;       // its sum and the mask
    logic last;      // the last beat of the result
    logic error;     // the same, with an error
    logic drain;     // beats of a packet that is refused
  } state_t;

  state_t state_q, next;
  logic done;  // with the state: the next one follows

  // Steps: a state begins with such a number that its last one is 15, or 31
  logic step, ends, at_15_q, began_q, sweep_ends_q;
  logic [CountBits-1:0] count_q, count_first;
  logic [3:0] n, read_n_q, use_n_q;

  beat_e kind_q;  // of the beat that is judged or goes through
  logic [3:0] len_q;
  logic gcm_q, decrypt_q, empty_q, last_q, masks_q, iv_done_q, iv_ends_q, beat_good_q;
  logic text_full_q, aad_full_q, out_free, gives_last, core_ready, core_gives;
  logic hash_busy, hash_soon, hash_free_q, key_waits_q, desc_waits_q;

  assign n    = count_q[3:0];
  assign ends = step & at_15_q & (~(state_q.zero | (state_q.clear & Gcm)) | count_q[4]) &
      (~state_q.sweep | sweep_ends_q);

  assign step = state_q.sweep | state_q.clear | state_q.key | state_q.look | state_q.iv |
      state_q.zero | state_q.feed | state_q.count | state_q.length | state_q.block | state_q.j0 |
      ((state_q.hash | state_q.result) & core_gives) |
      ((state_q.absorb | state_q.lengths) & hash_free_q) | (state_q.tag & out_free);

  // From the last byte of its sixteen on, as far as the counts are long.
  always_comb begin
    count_first = '0;
    if (next.look || next.block || (next.count && gcm_q)) count_first[3:0] = 4'd12;
    if (next.length) count_first[3:0] = 4'd8;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      at_15_q <= 1'b0;
      began_q <= 1'b0;
    end else begin
      began_q <= done;
      if (done) count_q <= count_first;
      else if (step) count_q <= count_q + 1'b1;
      at_15_q <= ~done & (step ? n == 4'd14 : at_15_q);
    end
  end
  // Sixteen clocks long
  always_ff @(posedge clk_i) sweep_ends_q <= &count_q[CountBits-1:4];

  ///////////////////////////////////////////////////////////////////////////
  // Descriptors
  ///////////////////////////////////////////////////////////////////////////

  desc_t desc;
  error_e own_error, own_error_q, error_q;
  logic desc_gcm, long_iv, mode_ok_q, slot_ok_q, key_there;
  logic [3:0] tag_len_q;
  logic [SlotBits-1:0] slot_q;

  assign desc      = desc_t'(s_desc_tdata_i);
  assign desc_gcm  = (desc.mode == ModeGcm) & Gcm;
  assign long_iv   = desc_gcm & (desc.iv_len != 8'd12);
  assign own_error = own_error_of(desc_gcm, desc.decrypt, desc.empty, desc.iv_len, desc.tag_len);

  always_ff @(posedge clk_i) begin
    mode_ok_q   <= desc_gcm | (desc.mode == ModeCtr);
    slot_ok_q   <= 9'(desc.slot) < 9'(NumSlots);
    own_error_q <= own_error;
    if (state_q.idle) begin
      slot_q <= desc_waits_q ? desc.slot[SlotBits-1:0] : s_key_tuser_i[SlotBits-1:0];
    end
    if (state_q.look) begin
      gcm_q     <= desc_gcm;
      decrypt_q <= desc.decrypt & desc_gcm;
      empty_q   <= desc.empty;
      tag_len_q <= 4'(desc.tag_len - 8'd1);
      error_q   <= all_errors(mode_ok_q, slot_ok_q & key_there, own_error_q);
    end else if (state_q.judged) begin
      error_q <= (kind_q == BeatText && text_full_q) ? ErrLength : ErrBeat;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Beats: judged while they wait
  ///////////////////////////////////////////////////////////////////////////

  logic [1:0] rank, rank_q;
  logic [2:0] iv_blocks_q;  // of an IV before its last one, which are whole
  logic [3:0] iv_len_q;     // bytes of the last one, less 1
  logic iv_ends, kind_ok, last_ok, in_order, partial_q, keep_ok_q;

  // A partial beat is the last one of its kind.
  assign rank     = rank_of(kind_q);
  assign in_order = (rank > rank_q) | ((rank == rank_q) & ~partial_q);
  assign iv_ends  = (iv_blocks_q == '0) & (len_q == iv_len_q);

  always_comb begin
    case (kind_q)
      BeatIv:  kind_ok = ~iv_done_q & (iv_ends | ((len_q == 4'd15) & (iv_blocks_q != '0)));
      BeatAad: kind_ok = gcm_q & iv_done_q;
      BeatTag: kind_ok = decrypt_q & iv_done_q & (len_q == tag_len_q);
      default: kind_ok = iv_done_q & ~text_full_q;
    endcase
    // Decryption ends with a tag, nothing else does; a packet does not end in an IV.
    if (decrypt_q) last_ok = last_q == (kind_q == BeatTag);
    else last_ok = ~(last_q & (kind_q == BeatIv) & ~iv_ends);
  end

  always_ff @(posedge clk_i) begin
    if (state_q.beat) begin
      kind_q    <= beat_e'(s_data_tuser_i);
      len_q     <= keep_len(s_data_tkeep_i);
      keep_ok_q <= keep_is_legal(s_data_tkeep_i);
      last_q    <= s_data_tlast_i;
    end
    if (state_q.judged && began_q) begin
      iv_ends_q   <= iv_ends;
      beat_good_q <= keep_ok_q & in_order & kind_ok & last_ok;
    end
    if (state_q.judged && !began_q) begin
      rank_q    <= rank;
      partial_q <= len_q != 4'd15;
    end
    if (state_q.look) begin
      {iv_blocks_q, iv_len_q} <= 7'(desc.iv_len - 8'd1);
      iv_done_q               <= ~long_iv;
      rank_q                  <= 2'd0;
      partial_q               <= 1'b0;
      last_q                  <= desc.empty;
    end else if (state_q.absorb && ends) begin
      iv_blocks_q <= iv_blocks_q - 3'd1;
    end
    if (state_q.j0) iv_done_q <= 1'b1;
    // J0 is in the counter: the core makes the mask of the tag of it.
    if (state_q.look) masks_q <= desc_gcm & ~long_iv;
    else if (state_q.j0) masks_q <= 1'b1;
    else if (state_q.result && ends) masks_q <= 1'b0;
  end

  ///////////////////////////////////////////////////////////////////////////
  // What a step does
  ///////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic clear;        // zero to the slots
    logic key;          // byte of s_key to the slots and the core
    logic hash;         // of the core to the slots
    logic iv;           // of s_desc to the counter, and H to GHASH
    logic zero;         // to lengths and blocks
    logic feed;         // of the counter to the core
    logic add;          // a count goes on
    logic adds_length;  // and this is the byte that a beat adds to
    logic adds_block;   // it is that of blocks
    logic mask;         // of the core to the mask
    logic text;         // of s_data and the core to the output and to GHASH
    logic lengths;      // to GHASH
    logic j0;           // of GHASH to the counter
    logic tag;          // of GHASH and the mask to the output
    logic hashes;       // GHASH gets a byte
    logic first_byte;   // of sixteen
    logic final_byte;
  } use_t;

  use_t step_does, read_q, use_q;

  always_comb begin
    step_does             = '0;
    step_does.clear       = state_q.sweep | state_q.clear;
    step_does.key         = state_q.key;
    step_does.hash        = step & state_q.hash;
    step_does.iv          = state_q.iv;
    step_does.zero        = state_q.zero;
    step_does.feed        = state_q.feed;
    step_does.add         = state_q.count | state_q.length | state_q.block;
    step_does.adds_length = state_q.length & began_q;
    step_does.adds_block  = state_q.block;
    step_does.mask        = step & state_q.result & masks_q;
    step_does.text        = step & state_q.result & ~masks_q;
    step_does.lengths     = step & state_q.lengths;
    step_does.j0          = state_q.j0;
    step_does.tag         = step & state_q.tag;
    step_does.hashes      = step & ((state_q.result & ~masks_q & gcm_q) | state_q.absorb |
        state_q.lengths);
    step_does.first_byte  = n == '0;
    step_does.final_byte  = at_15_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q <= '0;
      use_q  <= '0;
    end else begin
      read_q <= step_does;
      use_q  <= read_q;
    end
  end

  logic keeps_q, zero_block_q, zero_block_later_q;
  logic [CountBits-1:0] slot_address_q, slot_waddr_q;
  logic [5:0] address, address_q, waddr_q;
  byte_t core_byte_q, core_byte_later_q, port_byte_q;
  block_t core_out;

  always_ff @(posedge clk_i) begin
    read_n_q           <= n;
    use_n_q            <= read_n_q;
    core_byte_q        <= core_out[127:120];
    core_byte_later_q  <= core_byte_q;
    zero_block_q       <= count_q[4];
    zero_block_later_q <= zero_block_q;
  end

  // Bytes of data that do not count are zero.
  aes_engine_bytes_port u_port (
    .clk_i,
    .key_i    (s_key_tdata_i),
    .head_i   (desc.iv),
    .data_i   (s_data_tdata_i),
    .of_key_i (state_q.key),
    .of_head_i(state_q.iv),
    .index_i  (n),
    .keep_i   (state_q.key | state_q.iv | (n <= (state_q.tag ? tag_len_q : len_q))),
    .byte_o   (port_byte_q),
    .keep_o   (keeps_q)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Key slots
  ///////////////////////////////////////////////////////////////////////////

  logic [8:0] slot_word, slot_word_q, slot_wdata;  // a byte, and whether there is a key
  logic [CountBits-1:0] slot_address;

  if (Gcm) begin : gen_hash_address
    assign slot_address = {slot_q, (state_q.clear & count_q[4]) | state_q.hash | state_q.iv, n};
  end else begin : gen_key_address
    assign slot_address = {slot_q, n};
  end

  always_comb begin
    slot_wdata = {1'b1, use_q.hash ? core_byte_later_q : port_byte_q};
    if (use_q.clear) slot_wdata = '0;
  end

  // A byte of block RAM comes late in its clock, so it goes to a register.
  always_ff @(posedge clk_i) begin
    slot_address_q <= state_q.sweep ? count_q : slot_address;
    slot_waddr_q   <= slot_address_q;
    slot_word_q    <= slot_word;
  end

  aes_engine_slots #(
    .Depth(2 ** CountBits),
    .Width(9)
  ) u_slots (
    .clk_i,
    .write_i(use_q.clear | use_q.key | use_q.hash),
    .waddr_i(slot_waddr_q),
    .wdata_i(slot_wdata),
    .read_i (1'b1),
    .raddr_i(slot_address),
    .rdata_o(slot_word)
  );

  assign key_there = slot_word_q[8];

  ///////////////////////////////////////////////////////////////////////////
  // Counter, mask, lengths, numbers of blocks
  ///////////////////////////////////////////////////////////////////////////

  logic [1:0] region;
  byte_t word, wdata, added, sum, j0_byte, hash_sum;
  logic carry, carry_q, of_text, write_q;
  logic [5:0] write_address_q;
  byte_t wdata_q;

  assign of_text = kind_q != BeatAad;

  always_comb begin
    region = Counter;
    if (state_q.result || state_q.tag) region = Mask;
    if (state_q.length || state_q.lengths || (state_q.zero && !count_q[4])) region = Lengths;
    if (state_q.block || (state_q.zero && count_q[4])) region = Blocks;
    address = {region, n};
    // Counts go from their last byte on, and inc32 of GCM takes four.
    if (state_q.count) address = {region, ~n[3:2] | {2{gcm_q}}, ~n[1:0]};
    if (state_q.length || state_q.block) address = {region, of_text, ~n[2:0]};
  end

  assign added        = {1'b0, len_q, 3'd7} & {8{use_q.adds_length}};
  assign {carry, sum} = 9'(word) + 9'(added) + 9'(carry_q);

  // J0 of an IV of 96 bits ends with one.
  always_comb begin
    j0_byte = port_byte_q;
    if (gcm_q && use_n_q[3:2] == 2'b11) j0_byte = {7'd0, use_n_q[1] & use_n_q[0]};
  end

  always_comb begin
    wdata = '0;
    if (use_q.zero && zero_block_later_q && !use_n_q[2]) begin
      for (int unsigned b = 0; b < 4; b++) begin
        if (use_n_q[1:0] == 2'(b)) begin
          wdata = use_n_q[3] ? FirstText[8*(3-b)+:8] : FirstAad[8*(3-b)+:8];
        end
      end
    end
    if (use_q.iv) wdata = j0_byte;
    if (use_q.add) wdata = sum;
    if (use_q.mask) wdata = core_byte_later_q;
    if (use_q.j0) wdata = hash_sum;
  end

  always_ff @(posedge clk_i) begin
    address_q       <= address;
    waddr_q         <= address_q;
    write_address_q <= waddr_q;
    wdata_q         <= wdata;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) write_q <= 1'b0;
    else write_q <= use_q.iv | use_q.zero | use_q.add | use_q.mask | use_q.j0;
  end

  aes_engine_slots #(
    .Depth(64),
    .Width(8)
  ) u_counts (
    .clk_i,
    .write_i(write_q),
    .waddr_i(write_address_q),
    .wdata_i(wdata_q),
    .read_i (1'b1),
    .raddr_i(address_q),
    .rdata_o(word)
  );

  logic adds_first_q, full_q;
  always_ff @(posedge clk_i) begin
    // A count begins with one more.
    adds_first_q <= began_q;
    carry_q      <= carry | adds_first_q;
    full_q       <= carry & use_q.adds_block & use_q.final_byte;
    if (state_q.look) begin
      text_full_q <= 1'b0;
      aad_full_q  <= 1'b0;
    end else if (full_q) begin
      // Of the block that was counted: the next beat may be looked at.
      if (write_address_q[3]) text_full_q <= 1'b1;
      else aad_full_q <= 1'b1;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Core
  ///////////////////////////////////////////////////////////////////////////

  byte_t core_key, core_in;
  logic unused_key_ready;

  assign core_in  = word & {8{use_q.feed}};
  assign core_key = use_q.feed ? slot_word_q[7:0] : port_byte_q;

  aes_engine_core #(
    .Cfg(Cfg)
  ) u_core (
    .clk_i,
    .rst_ni,
    .key_valid_i (1'b0),
    .key_ready_o (unused_key_ready),
    .key_i       ('0),
    .key_len_i   (2'd0),
    .in_valid_i  (use_q.feed | (use_q.key & Gcm)),
    .in_ready_o  (core_ready),
    .in_block_i  ({core_in, use_q.first_byte, 119'd0}),
    .in_decrypt_i(1'b0),
    .in_key_i    ({core_key, 248'd0}),
    .out_valid_o (core_gives),
    .out_block_o (core_out)
  );

  ///////////////////////////////////////////////////////////////////////////
  // GHASH
  ///////////////////////////////////////////////////////////////////////////

  byte_t stream;
  assign stream = core_byte_later_q & {8{keeps_q & use_q.text}};

  if (Gcm) begin : gen_hash
    byte_t hash_byte;
    logic first_q;  // the sum is zero

    always_comb begin
      if (use_q.iv) hash_byte = slot_word_q[7:0];
      else if (use_q.lengths) hash_byte = word;
      else hash_byte = port_byte_q ^ (stream & {8{~decrypt_q}});
    end

    aes_engine_bytes_ghash u_ghash (
      .clk_i,
      .rst_ni,
      .index_i  (read_n_q),
      .index_q_i(use_n_q),
      .key_i    (use_q.iv),
      .add_i    (use_q.hashes),
      .first_i  (first_q),
      .byte_i   (hash_byte),
      .sum_o    (hash_sum),
      .start_i  (use_q.hashes & use_q.final_byte),
      .busy_o   (hash_busy),
      .soon_o   (hash_soon)
    );

    // From the step of its last byte on it is busy.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) hash_free_q <= 1'b1;
      else begin
        hash_free_q <= ~(hash_busy | (step_does.hashes & at_15_q) |
            (read_q.hashes & read_q.final_byte));
      end
    end
    always_ff @(posedge clk_i) begin
      if (state_q.zero) first_q <= 1'b1;
      else if (use_q.hashes && use_q.final_byte) first_q <= 1'b0;
    end
  end else begin : gen_no_hash
    assign hash_sum    = '0;
    assign hash_busy   = 1'b0;
    assign hash_soon   = 1'b1;
    assign hash_free_q = 1'b1;
    logic unused_hash;
    assign unused_hash = ^{hash_busy, use_q.hashes, use_q.lengths};
  end

  ///////////////////////////////////////////////////////////////////////////
  // From state to state
  ///////////////////////////////////////////////////////////////////////////

  logic key_known, clears_all, clears_one, writes, ready_q, packet_goes;
  logic lost_q;  // no state at all, which a flip can do

  assign key_known  = 9'(s_key_tuser_i[7:0]) < 9'(NumSlots);
  assign clears_all = s_key_tuser_i[11];
  assign clears_one = ~clears_all & key_known & s_key_tuser_i[10];
  assign writes     = ~clears_all & key_known & ~s_key_tuser_i[10];

  // What is waited for stays.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q      <= 1'b0;
      key_waits_q  <= 1'b0;
      desc_waits_q <= 1'b0;
      lost_q       <= 1'b0;
    end else begin
      ready_q      <= state_q.ready & core_ready & (masks_q | (out_free & hash_soon)) & ~done;
      key_waits_q  <= state_q.idle & hash_free_q & core_ready & s_key_tvalid_i & ~done;
      desc_waits_q <= state_q.idle & hash_free_q & ~s_key_tvalid_i & s_desc_tvalid_i & ~done;
      lost_q       <= state_q == '0;
    end
  end

  assign done = lost_q | ends | (state_q.beat & s_data_tvalid_i) | state_q.key_done |
      (state_q.judged & ~began_q) | ready_q | (state_q.sum & hash_free_q) | gives_last |
      (state_q.error & out_free) | (state_q.drain & s_data_tvalid_i & s_data_tlast_i) |
      key_waits_q | desc_waits_q;

  logic is_iv, is_aad, is_text, counts_block;

  assign is_iv        = kind_q == BeatIv;
  assign is_aad       = kind_q == BeatAad;
  assign is_text      = kind_q == BeatText;
  // Of AAD whole blocks are counted.
  assign counts_block = is_text | (is_aad & (len_q == 4'd15));

  // The packet goes on: with the next beat, or with its end.
  assign packet_goes = (state_q.iv & ~gcm_q) | (state_q.length & is_aad & ~counts_block) |
      (state_q.block & is_aad) | state_q.result;

  always_comb begin
    next          = '0;
    next.sweep    = lost_q | (key_waits_q & clears_all);
    next.clear    = key_waits_q & clears_one;
    next.key      = key_waits_q & writes;
    next.hash     = state_q.key & Gcm;
    next.key_done = (key_waits_q & ~clears_all & ~key_known) | state_q.clear | state_q.hash |
        (state_q.key & ~Gcm);
    next.look     = desc_waits_q;
    next.iv       = state_q.look & (error_q == ErrNone);
    next.zero     = (state_q.iv & gcm_q) | state_q.j0;
    next.beat     = (state_q.zero & ~masks_q) | (packet_goes & ~last_q) |
        (state_q.length & is_iv & ~iv_ends_q);
    next.judged   = state_q.beat;
    next.absorb   = state_q.judged & beat_good_q & (is_iv | is_aad);
    next.ready    = (state_q.zero & masks_q) | (state_q.judged & beat_good_q & is_text);
    next.feed     = state_q.ready;
    next.count    = state_q.feed;
    next.length   = state_q.absorb | (state_q.count & gcm_q & ~masks_q);
    next.block    = state_q.length & counts_block;
    next.result   = (state_q.count & (masks_q | ~gcm_q)) | (state_q.block & is_text);
    next.lengths  = (packet_goes & last_q & gcm_q) | (state_q.length & is_iv & iv_ends_q) |
        (state_q.judged & beat_good_q & (kind_q == BeatTag));
    next.sum      = state_q.lengths;
    next.j0       = state_q.sum & ~iv_done_q;
    next.tag      = state_q.sum & iv_done_q & ~aad_full_q;
    next.last     = (packet_goes & last_q & ~gcm_q) | (state_q.sum & iv_done_q & aad_full_q) |
        state_q.tag;
    next.error    = (state_q.look & (error_q != ErrNone)) | (state_q.judged & ~beat_good_q);
    next.drain    = state_q.error & ~empty_q;
    next.idle     = state_q.sweep | state_q.key_done | state_q.last | state_q.drain |
        (state_q.error & empty_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= '{sweep: 1'b1, default: '0};
    else if (done) state_q <= next;
  end

  assign s_key_tready_o  = state_q.key_done | (state_q.sweep & ends & s_key_tvalid_i & clears_all);
  assign s_desc_tready_o = (state_q.iv & ends) | (state_q.look & ends & (error_q != ErrNone));
  assign s_data_tready_o = ((state_q.absorb | (state_q.result & ~masks_q)) & ends) |
      (gives_last & decrypt_q) | state_q.drain;

  ///////////////////////////////////////////////////////////////////////////
  // Output
  ///////////////////////////////////////////////////////////////////////////

  logic m_valid_q, m_ready, gives_text, gives_error, gives_tag, wrong_q, moves;
  logic [127:0] m_data_q;
  logic [3:0] m_len_q;
  result_user_t m_user_q;
  byte_t tag_byte, out_byte;

  assign out_free    = ~m_valid_q;
  assign moves       = read_q.text | read_q.tag | use_q.text | use_q.tag;
  assign gives_text  = use_q.text & use_q.final_byte;
  assign gives_last  = state_q.last & out_free & ~moves;
  assign gives_error = state_q.error & out_free;
  assign gives_tag   = gcm_q & ~decrypt_q & ~aad_full_q;
  assign tag_byte    = (hash_sum ^ word) & {8{keeps_q}};
  assign out_byte    = use_q.tag ? tag_byte : port_byte_q ^ stream;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) m_valid_q <= 1'b0;
    else m_valid_q <= gives_text | gives_last | gives_error | (m_valid_q & ~m_ready);
  end

  always_ff @(posedge clk_i) begin
    // Byte 0 arrives at the top. The right tag of what is decrypted stays inside.
    if (gives_error || (gives_last && !gives_tag)) m_data_q <= '0;
    else if (out_free && (use_q.text || (use_q.tag && !decrypt_q))) begin
      m_data_q <= {m_data_q[119:0], out_byte};
    end

    if (state_q.look) wrong_q <= 1'b0;
    else if (use_q.tag && tag_byte != port_byte_q) wrong_q <= 1'b1;

    if (out_free) begin
      // The next beat is looked at when the last byte of this one comes.
      if (!gives_text) m_len_q <= use_q.text ? len_q : 4'd15;
      m_user_q.last  <= ~use_q.text;
      m_user_q.ok    <= gives_last;
      m_user_q.error <= gives_error ? error_q : ErrNone;
      if (gives_last && gives_tag) m_len_q <= tag_len_q;
      if (gives_last && (aad_full_q || (decrypt_q && wrong_q))) begin
        m_user_q.ok    <= 1'b0;
        m_user_q.error <= aad_full_q ? ErrLength : ErrTag;
      end
    end
  end

  aes_engine_output #(
    .Depth(ReleaseDepth)
  ) u_output (
    .clk_i,
    .rst_ni,
    .valid_i(m_valid_q),
    .ready_o(m_ready),
    .data_i (m_data_q),
    .len_i  (m_len_q),
    .user_i (m_user_q),
    .hold_i (decrypt_q),
    .m_data_tvalid_o,
    .m_data_tready_i,
    .m_data_tdata_o,
    .m_data_tkeep_o,
    .m_data_tlast_o,
    .m_data_tuser_o
  );

  logic unused;
  assign unused = ^{unused_key_ready, s_key_tuser_i[9:8], desc.reserved, core_out[119:0], read_q};

endmodule
