// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A CCM engine a byte wide (SP 800-38C), around a core with 8-bit ports:
//
//   s_key  --[ byte n ]--[ slots ]--|R|----------------- key --+
//                                                              |
//   s_desc --[ byte n ]--+--[ bytes, 2 x 16 ]--+-- block --[ core ]--|R|--+
//                        ^                     |                          |
//                        +--(+)<---------------+                          |
//                        |   ^                                            |
//                        +---|------------ next chain --------------------+
//                            |                                            |
//   s_data --[ byte n ]--|R|-+--(+)--|R x 16|--[ output ]-- m_data        |
//                                ^------------ key stream ----------------+
//
// Its streams and answers are those of aes_engine_ccm. There are no queues: a beat stays on its stream
// until it has gone through, and one packet is under way.
//
// A packet is a line of blocks for the core, a pass each: the first block of the chain, a block of the
// chain for each one of AAD, a counter and a block of the chain for each one of text, and the counter
// zero for the tag. One memory has the chain and the counter block, whose last two bytes count. What is
// read of it can be written again, added to a byte of a stream or of the core; AAD is added two bytes
// later, for its length stands before it.
//
// A byte takes three clocks: a step, which says which one it is, or in which it comes out of the core;
// the reading of what belongs to it; and its use, with use_n_q. Each state is so many steps, or waits.
//
// After a reset, and on request, all slots are overwritten with zero, a byte a clock. The page "Engines"
// of AESFab has the clocks of a packet.

module aes_engine_ccm_bytes
  import aes_pkg::*;
  import aes_engine_pkg::*;
  import aes_engine_ccm_pkg::aad_too_long;
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
  parameter int unsigned NumSlots     = 64,  // keys, a power of two up to 128
  parameter int unsigned ReleaseDepth = 0    // beats of text that wait for their tag; 0: none
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         s_key_tvalid_i,
  output logic         s_key_tready_o,
  input  logic [127:0] s_key_tdata_i,
  input  logic [11:0]  s_key_tuser_i,    // {clear all, clear, 0, 0, slot}
  input  logic         s_desc_tvalid_i,
  output logic         s_desc_tready_o,
  input  logic [191:0] s_desc_tdata_i,   // aes_engine_ccm_pkg::desc_t
  input  logic         s_data_tvalid_i,
  output logic         s_data_tready_o,
  input  logic [127:0] s_data_tdata_i,
  input  logic [15:0]  s_data_tkeep_i,
  input  logic         s_data_tlast_i,
  input  logic [1:0]   s_data_tuser_i,   // beat_e
  output logic         m_data_tvalid_o,
  input  logic         m_data_tready_i,
  output logic [127:0] m_data_tdata_o,
  output logic [15:0]  m_data_tkeep_o,
  output logic         m_data_tlast_o,
  output logic [5:0]   m_data_tuser_o    // result_user_t
);

  if (!Cfg.serial || Cfg.key_size != KeySize128) begin : gen_illegal_core
    $fatal(1, "aes_engine_ccm_bytes: the core must have 8-bit ports and 128-bit keys");
  end
  if (Cfg.dir != DirEncrypt) begin : gen_illegal_direction
    $fatal(1, "aes_engine_ccm_bytes: CCM encrypts blocks in both directions of a packet");
  end
  if (Cfg.clear || Cfg.hardened) begin : gen_illegal_guard
    $fatal(1, "aes_engine_ccm_bytes: faults of a core and its clearing are not told further");
  end
  if (NumSlots < 2 || NumSlots > 128 || 2 ** $clog2(NumSlots) != NumSlots) begin : gen_illegal_slots
    $fatal(1, "aes_engine_ccm_bytes: NumSlots must be a power of two from 2 to 128");
  end

  localparam int unsigned SlotBits = $clog2(NumSlots);
  localparam int unsigned CountBits = SlotBits + 4;

  ///////////////////////////////////////////////////////////////////////////
  // States, a bit each
  ///////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic sweep;     // zero into all slots
    logic idle;
    logic clear;     // zero into a slot
    logic key;       // a key into its slot
    logic key_done;  // the key is taken
    logic look;      // whether the slot of the descriptor has a key
    logic form;      // the counter block: flags, nonce, zero
    logic head;      // the length of the AAD to the chain
    logic beat;      // a beat is judged
    logic judged;    // in two clocks
    logic absorb;    // AAD to the chain, but for its last two bytes
    logic rest;      // these, in the next block
    logic count;     // counter + 1
    logic ready;     // the core may begin
    logic feed;      // a block and the key into the core
    logic result;    // the core gives the next chain, or key stream
    logic last;      // the last beat of the result
    logic error;     // the same, with an error
    logic drain;     // beats of a packet that is refused
  } state_t;

  // What the core is given
  typedef struct packed {
    logic first;   // first block of the chain
    logic chain;   // a block of it
    logic stream;  // a counter
    logic tag;     // the counter zero
  } pass_t;

  state_t state_q, next;
  pass_t pass_q;
  logic  done;  // with the state: the next one follows

  // Steps: a state begins with such a number that its last one is 15
  logic step, ends, at_15_q, began_q, sweep_ends_q;
  logic [CountBits-1:0] count_q, count_first;
  logic [3:0] n, read_n_q, use_n_q;
  logic core_ready, core_gives, out_free, gives_last, key_waits_q, desc_waits_q;

  assign n = count_q[3:0];
  assign ends = step & at_15_q & (~state_q.sweep | sweep_ends_q);

  assign step = state_q.sweep | state_q.clear | state_q.key | state_q.look | state_q.form |
      state_q.head | state_q.absorb | state_q.rest | state_q.count | state_q.feed |
      (state_q.result & core_gives);

  always_comb begin
    count_first = '0;
    if (next.look) count_first[3:0] = 4'd12;
    if (next.head || next.rest || next.count) count_first[3:0] = 4'd14;
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

  aes_engine_ccm_pkg::desc_t desc;
  error_e own_error, own_error_q, error_q;
  logic mode_ok_q, slot_ok_q, key_there, decrypt_q, empty_q, has_aad_q;
  logic [2:0] length_less_1_q;  // bytes of the length of the text, less 1
  logic [3:0] tag_len_q, nonce_last_q;
  logic [15:0] text_len_q;
  logic [SlotBits-1:0] slot_q;

  assign desc = s_desc_tdata_i;

  always_comb begin
    own_error = ErrNone;
    if (!(desc.nonce_len inside {[8'd7 : 8'd13]})) own_error = ErrIv;
    else if (!(desc.tag_len inside {[8'd4 : 8'd16]}) || desc.tag_len[0]) own_error = ErrTagLen;
    else if (aad_too_long(desc.aad_len)) own_error = ErrLength;
  end

  always_ff @(posedge clk_i) begin
    mode_ok_q   <= desc.mode == aes_engine_ccm_pkg::ModeCcm;
    slot_ok_q   <= 9'(desc.slot) < 9'(NumSlots);
    own_error_q <= own_error;
    if (state_q.idle) begin
      slot_q <= desc_waits_q ? desc.slot[SlotBits-1:0] : s_key_tuser_i[SlotBits-1:0];
    end
    if (state_q.look) begin
      nonce_last_q    <= 4'(desc.nonce_len - 8'd1);
      length_less_1_q <= 3'(8'd14 - desc.nonce_len);
      tag_len_q       <= 4'(desc.tag_len - 8'd1);
      decrypt_q       <= desc.decrypt;
      has_aad_q       <= desc.aad_len != '0;
      text_len_q      <= desc.text_len;
      empty_q         <= (desc.aad_len == '0) & (desc.text_len == '0) & ~desc.decrypt;
      error_q         <= all_errors(mode_ok_q, slot_ok_q & key_there, own_error_q);
    end else if (state_q.judged) begin
      error_q <= ErrBeat;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Beats: judged while they wait
  ///////////////////////////////////////////////////////////////////////////

  beat_e kind_q;  // of the beat that is judged or goes through
  logic [3:0] len_q, wanted_len_q;
  logic [15:0] left_q;  // bytes of AAD, then of text, with the beat that waits
  logic in_aad_q;   // it belongs to the AAD
  logic in_text_q;  // or else to the text
  logic no_text_q, keep_ok_q, last_q, fits, part_ends_q, beat_good_q;

  always_ff @(posedge clk_i) begin
    no_text_q <= text_len_q == '0;
    if (state_q.beat) begin
      kind_q       <= beat_e'(s_data_tuser_i);
      len_q        <= keep_len(s_data_tkeep_i);
      keep_ok_q    <= keep_is_legal(s_data_tkeep_i);
      last_q       <= s_data_tlast_i;
      part_ends_q  <= (left_q[15:4] == '0) | (left_q == 16'd16);
      wanted_len_q <= (left_q[15:4] != '0) ? 4'd15 : left_q[3:0] - 4'd1;
      if (!in_aad_q && !in_text_q) wanted_len_q <= tag_len_q;
    end
    if (state_q.judged && began_q) beat_good_q <= fits;
    if (state_q.form) begin
      in_aad_q  <= has_aad_q;
      in_text_q <= ~no_text_q;
    end else if (s_data_tready_o && part_ends_q) begin
      // Before the beat behind it is looked at.
      in_aad_q  <= 1'b0;
      in_text_q <= in_aad_q & ~no_text_q;
    end
    if (state_q.look) left_q <= desc.aad_len;
    else if (state_q.form ? ~has_aad_q : s_data_tready_o & part_ends_q) left_q <= text_len_q;
    else if (s_data_tready_o) left_q[15:4] <= left_q[15:4] - 12'd1;
  end

  // Decryption ends with a tag, encryption with the last beat that its lengths tell.
  always_comb begin
    fits = keep_ok_q & (len_q == wanted_len_q);
    if (in_aad_q) begin
      fits &= (kind_q == BeatAad) & (last_q == (part_ends_q & no_text_q & ~decrypt_q));
    end else if (in_text_q) begin
      fits &= (kind_q == BeatText) & (last_q == (part_ends_q & ~decrypt_q));
    end else begin
      fits &= (kind_q == BeatTag) & last_q;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // What a step does
  ///////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic clear;       // zero to the slots
    logic key;         // byte of s_key to the slots
    logic form;        // of s_desc to the counter block
    logic head;        // of the length to the chain
    logic absorb;      // of s_data to the chain
    logic add;         // the counter goes on
    logic feed;        // of the memory to the core
    logic chain;       // of the core to the chain
    logic text;        // of s_data and the core to the output and to the chain
    logic tag;         // of the chain and the core to the output
    logic first_byte;  // of sixteen
    logic final_byte;
  } use_t;

  use_t step_does, read_q, use_q;

  always_comb begin
    step_does            = '0;
    step_does.clear      = state_q.sweep | state_q.clear;
    step_does.key        = state_q.key;
    step_does.form       = state_q.form;
    step_does.head       = state_q.head;
    step_does.absorb     = (state_q.absorb & (n[3:1] != 3'b111)) | state_q.rest;
    step_does.add        = state_q.count;
    step_does.feed       = state_q.feed;
    step_does.chain      = step & state_q.result & (pass_q.first | pass_q.chain);
    step_does.text       = step & state_q.result & pass_q.stream;
    step_does.tag        = step & state_q.result & pass_q.tag;
    step_does.first_byte = n == '0;
    step_does.final_byte = at_15_q;
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

  logic keeps_q;
  logic [3:0] last_byte;
  logic [CountBits-1:0] slot_address_q, slot_waddr_q;
  byte_t core_byte_q, core_byte_later_q, port_byte_q;
  block_t core_out;

  always_ff @(posedge clk_i) begin
    read_n_q          <= n;
    use_n_q           <= read_n_q;
    core_byte_q       <= core_out[127:120];
    core_byte_later_q <= core_byte_q;
  end

  always_comb begin
    last_byte = len_q;
    if (state_q.form) last_byte = nonce_last_q;
    if (state_q.key) last_byte = 4'd15;
  end

  // Bytes that do not count are zero.
  aes_engine_bytes_port u_port (
    .clk_i,
    .key_i    (s_key_tdata_i),
    .head_i   (desc.nonce),
    .data_i   (s_data_tdata_i),
    .of_key_i (state_q.key),
    .of_head_i(state_q.form),
    .index_i  (n),
    .keep_i   (n <= last_byte),
    .byte_o   (port_byte_q),
    .keep_o   (keeps_q)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Key slots
  ///////////////////////////////////////////////////////////////////////////

  logic [8:0] slot_word, slot_word_q;  // a byte, and whether there is a key

  // A byte of block RAM comes late in its clock, so it goes to a register.
  always_ff @(posedge clk_i) begin
    slot_address_q <= state_q.sweep ? count_q : {slot_q, n};
    slot_waddr_q   <= slot_address_q;
    slot_word_q    <= slot_word;
  end

  aes_engine_slots #(
    .Depth(2 ** CountBits),
    .Width(9)
  ) u_slots (
    .clk_i,
    .write_i(use_q.clear | use_q.key),
    .waddr_i(slot_waddr_q),
    .wdata_i({1'b1, port_byte_q} & {9{~use_q.clear}}),
    .read_i (1'b1),
    .raddr_i({slot_q, n}),
    .rdata_o(slot_word)
  );

  assign key_there = slot_word_q[8];

  ///////////////////////////////////////////////////////////////////////////
  // Chain and counter block
  ///////////////////////////////////////////////////////////////////////////

  logic of_chain, carry, carry_q, adds_first_q, write_q;
  logic [3:0] place;
  logic [4:0] address_q, waddr_q, write_address_q;
  byte_t word, wdata, wdata_q, addend, text_byte, plain_byte, counted, flags, stream;

  assign of_chain = state_q.head | state_q.absorb | state_q.rest | state_q.result |
      (state_q.feed & pass_q.chain);

  always_comb begin
    place = n;
    // The length of the AAD is two bytes before it.
    if (state_q.head || state_q.absorb || state_q.rest) place = n + 4'd2;
    // The nonce stands behind the flags, which are the last step.
    if (state_q.form) place = n + 4'd1;
    // From the last byte on
    if (state_q.count) place[0] = ~n[0];
  end

  always_ff @(posedge clk_i) begin
    address_q       <= {of_chain, place};
    waddr_q         <= address_q;
    write_address_q <= waddr_q;
    wdata_q         <= wdata;
    // A count begins with one more.
    adds_first_q    <= began_q;
    carry_q         <= adds_first_q | carry;
  end

  assign stream           = core_byte_later_q & {8{keeps_q}};
  assign text_byte        = port_byte_q ^ stream;
  assign plain_byte       = decrypt_q ? text_byte : port_byte_q;
  assign {carry, counted} = 9'(word) + 9'(carry_q);
  assign flags            = {5'd0, length_less_1_q};

  // What is added to a byte of the chain
  always_comb begin
    addend = plain_byte;
    if (use_q.head) addend = use_n_q[0] ? left_q[7:0] : left_q[15:8];
    if (use_q.absorb) addend = port_byte_q;
  end

  always_comb begin
    wdata = word ^ addend;
    if (use_q.form) wdata = (use_n_q == 4'd15) ? flags : port_byte_q;
    if (use_q.add) wdata = counted;
    if (use_q.chain) wdata = core_byte_later_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) write_q <= 1'b0;
    else begin
      write_q <= use_q.form | use_q.head | use_q.absorb | use_q.add | use_q.chain | use_q.text;
    end
  end

  aes_engine_slots #(
    .Depth(32),
    .Width(8)
  ) u_blocks (
    .clk_i,
    .write_i(write_q),
    .waddr_i(write_address_q),
    .wdata_i(wdata_q),
    .read_i (1'b1),
    .raddr_i(address_q),
    .rdata_o(word)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Core
  ///////////////////////////////////////////////////////////////////////////

  byte_t formatted;
  logic unused_key_ready;

  // The first block of the chain is the counter block with other flags and the length of the text, the
  // last counter is zero.
  always_comb begin
    formatted = word;
    if (use_n_q[3:1] == 3'b111) begin
      if (pass_q.first) formatted = use_n_q[0] ? text_len_q[7:0] : text_len_q[15:8];
      if (pass_q.tag) formatted = '0;
    end
    if (pass_q.first && use_q.first_byte) begin
      formatted[6:3] = {has_aad_q, tag_len_q[3:1]};
    end
  end

  aes_engine_core #(
    .Cfg(Cfg)
  ) u_core (
    .clk_i,
    .rst_ni,
    .key_valid_i (1'b0),
    .key_ready_o (unused_key_ready),
    .key_i       ('0),
    .key_len_i   (2'd0),
    .in_valid_i  (use_q.feed),
    .in_ready_o  (core_ready),
    .in_block_i  ({formatted, use_q.first_byte, 119'd0}),
    .in_decrypt_i(1'b0),
    .in_key_i    ({slot_word_q[7:0], 248'd0}),
    .out_valid_o (core_gives),
    .out_block_o (core_out)
  );

  ///////////////////////////////////////////////////////////////////////////
  // From state to state
  ///////////////////////////////////////////////////////////////////////////

  logic key_known, clears_all, clears_one, writes, ready_q;
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
      ready_q      <= state_q.ready & core_ready & (pass_q.first | pass_q.chain | out_free) & ~done;
      key_waits_q  <= state_q.idle & s_key_tvalid_i & ~done;
      desc_waits_q <= state_q.idle & ~s_key_tvalid_i & s_desc_tvalid_i & ~done;
      lost_q       <= state_q == '0;
    end
  end

  assign done = lost_q | ends | (state_q.beat & s_data_tvalid_i) | state_q.key_done |
      (state_q.judged & ~began_q) | ready_q | gives_last | (state_q.error & out_free) |
      (state_q.drain & s_data_tvalid_i & s_data_tlast_i) | key_waits_q | desc_waits_q;

  // The blocks of a chain: B0, then AAD, whose last two bytes may need one more, then text.
  logic b0_done, chain_done, rests_q, overflows, goes_on, tags;
  logic more_q;  // beats of AAD or text follow

  assign b0_done = state_q.result & pass_q.first;
  assign chain_done = state_q.result & pass_q.chain;
  // Of the last block of AAD there is more than fits behind its length.
  assign overflows = state_q.rest & part_ends_q & (len_q > 4'd13);
  // To the next beat, or to the tag
  assign goes_on = (b0_done & ~has_aad_q) | (state_q.rest & ~overflows) | (chain_done & ~rests_q);
  assign tags = goes_on & ~more_q & ~decrypt_q;

  always_ff @(posedge clk_i) begin
    // The chain goes on with the rest of a block of AAD.
    if (state_q.absorb) rests_q <= 1'b1;
    else if (state_q.rest || state_q.form) rests_q <= 1'b0;
    if (state_q.form) more_q <= has_aad_q | ~no_text_q;
    else if (state_q.judged) more_q <= ~part_ends_q | (in_aad_q & ~no_text_q);
    // What comes behind a state that ends
    if (state_q.form) pass_q <= '{first: 1'b1, default: '0};
    else if (state_q.count) pass_q <= '{stream: 1'b1, default: '0};
    else if (done && next.ready) begin
      pass_q <= (tags | state_q.judged) ? '{tag: 1'b1, default: '0} : '{chain: 1'b1, default: '0};
    end
  end

  always_comb begin
    next = '0;
    next.sweep = lost_q | (key_waits_q & clears_all);
    next.clear = key_waits_q & clears_one;
    next.key = key_waits_q & writes;
    next.key_done = (key_waits_q & ~clears_all & ~key_known) | state_q.clear | state_q.key;
    next.look = desc_waits_q;
    next.form = state_q.look & (error_q == ErrNone);
    next.head = b0_done & has_aad_q;
    next.beat = state_q.head | (goes_on & ~tags);
    next.judged = state_q.beat;
    next.absorb = state_q.judged & beat_good_q & (kind_q == BeatAad);
    next.rest = chain_done & rests_q;
    next.count = state_q.judged & beat_good_q & (kind_q == BeatText);
    next.ready    = state_q.form | state_q.absorb | overflows | state_q.count | tags |
        (state_q.judged & beat_good_q & (kind_q == BeatTag)) | (state_q.result & pass_q.stream);
    next.feed = state_q.ready;
    next.result = state_q.feed;
    next.last = state_q.result & pass_q.tag;
    next.error = (state_q.look & (error_q != ErrNone)) | (state_q.judged & ~beat_good_q);
    next.drain = state_q.error & ~empty_q;
    next.idle     = state_q.sweep | state_q.key_done | state_q.last | state_q.drain |
        (state_q.error & empty_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= '{sweep: 1'b1, default: '0};
    else if (done) state_q <= next;
  end

  assign s_key_tready_o = state_q.key_done | (state_q.sweep & ends & s_key_tvalid_i & clears_all);
  assign s_desc_tready_o = (state_q.form & ends) | (state_q.look & ends & (error_q != ErrNone));
  assign s_data_tready_o = ((state_q.rest | (state_q.result & pass_q.stream)) & ends) |
      (gives_last & decrypt_q) | state_q.drain;

  ///////////////////////////////////////////////////////////////////////////
  // Output
  ///////////////////////////////////////////////////////////////////////////

  logic m_valid_q, m_ready, gives_text, gives_error, wrong_q, moves;
  logic [127:0] m_data_q;
  logic [3:0] m_len_q;
  result_user_t m_user_q;
  byte_t tag_byte;

  assign out_free    = ~m_valid_q;
  assign moves       = read_q.text | read_q.tag | use_q.text | use_q.tag;
  assign gives_text  = use_q.text & use_q.final_byte;
  assign gives_last  = state_q.last & out_free & ~moves;
  assign gives_error = state_q.error & out_free;
  assign tag_byte    = word ^ core_byte_later_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) m_valid_q <= 1'b0;
    else m_valid_q <= gives_text | gives_last | gives_error | (m_valid_q & ~m_ready);
  end

  logic of_tag;  // the byte counts in the tag
  assign of_tag = use_n_q <= tag_len_q;

  always_ff @(posedge clk_i) begin
    // Byte 0 arrives at the top. The right tag of what is decrypted stays inside.
    if (gives_error || (gives_last && decrypt_q)) m_data_q <= '0;
    else if (out_free && (use_q.text || (use_q.tag && !decrypt_q))) begin
      m_data_q <= {m_data_q[119:0], use_q.tag ? tag_byte & {8{of_tag}} : text_byte};
    end

    if (state_q.look) wrong_q <= 1'b0;
    else if (use_q.tag && of_tag && tag_byte != port_byte_q) wrong_q <= 1'b1;

    if (out_free) begin
      // The next beat is looked at when the last byte of this one comes.
      if (!gives_text) m_len_q <= use_q.text ? len_q : 4'd15;
      m_user_q.last  <= ~use_q.text;
      m_user_q.ok    <= gives_last;
      m_user_q.error <= gives_error ? error_q : ErrNone;
      if (gives_last && !decrypt_q) m_len_q <= tag_len_q;
      if (gives_last && decrypt_q && wrong_q) begin
        m_user_q.ok    <= 1'b0;
        m_user_q.error <= ErrTag;
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
