// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Key slots, and what a descriptor finds in its slot:
//
//   wdata_i --[ RAM ]--|R|--|R|--+--|R|-- key_o     (the first two registers are those of the RAM)
//               ^                +--|R|-- hash_o
//   s_desc -----+--[ errors ]--|R|------- error_o
//
// The words of a slot are read while its descriptor waits. With Shared, key and H are words of one RAM
// and are read one after the other, and the descriptor stays on its stream meanwhile. Else a descriptor
// goes to a register, and the word of its slot is that of the clock in which it did.
//
// desc_valid_o says that all is there; take_i takes the descriptor, and its key goes to the core. With
// fetch_i the word of the spare slot is read: three clocks later it is key_o.

module aes_engine_keys
  import aes_engine_pkg::*;
#(
  parameter  bit          Gcm       = 1'b1,
  parameter  bit          Shared    = 1'b1,              // key and H in one RAM
  parameter  bit          Late      = 1'b0,              // the key goes to the core a clock later
  parameter  int unsigned NumSlots  = 64,
  parameter  int unsigned WordWidth = 130,               // of a word: valid, and a key or H
  localparam int unsigned SlotBits  = $clog2(NumSlots)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 write_i,
  input  logic                 waddr_hash_i,    // with Shared: H of the slot, not the key
  input  logic [SlotBits:0]    waddr_i,
  input  logic [WordWidth-1:0] wdata_i,
  input  logic                 fetch_i,
  input  logic                 fetched_i,       // the last clock of fetch_i
  input  logic                 block_i,         // no descriptor is taken from its stream
  input  logic                 s_desc_tvalid_i,
  output logic                 s_desc_tready_o,
  input  desc_t                s_desc_tdata_i,
  output logic                 desc_valid_o,
  output logic                 desc_next_o,     // apart: desc_valid_o of the next clock
  output desc_t                desc_o,
  output logic                 gcm_o,           // of desc_o
  output logic                 iv_not_12_o,      // of desc_o: the IV has not 96 bits
  output logic                 good_o,          // it is right
  output error_e               error_o,         // if not
  output logic                 waits_o,         // there is a descriptor in the register
  input  logic                 take_i,
  output logic [WordWidth-2:0] key_o,
  output logic [127:0]         hash_o
);

  localparam bit Both = Shared && Gcm;
  localparam logic [SlotBits:0] SpareSlot = (SlotBits + 1)'(2 ** SlotBits);
  localparam int unsigned AddressBits = SlotBits + (Both ? 2 : 1);

  logic [SlotBits:0] raddr;
  logic [SlotBits+1:0] write_address, read_address;
  logic read, load, read_hash, slot_ok, gcm;
  desc_t seen;  // of which is told what follows
  logic [WordWidth-1:0] word, word_q;
  logic [WordWidth-2:0] key_q;

  // H in the upper half.
  assign write_address = {waddr_hash_i & Both, waddr_i};
  assign read_address  = {read_hash, raddr};

  aes_engine_slots #(
    .Depth(2 ** AddressBits),
    .Width(WordWidth)
  ) u_words (
    .clk_i,
    .write_i,
    .waddr_i(write_address[AddressBits-1:0]),
    .wdata_i,
    .read_i (read),
    .raddr_i(read_address[AddressBits-1:0]),
    .rdata_o(word)
  );

  always_ff @(posedge clk_i) begin
    word_q <= word;
    if (load) key_q <= word_q[WordWidth-2:0];
  end

  // The next descriptor's word comes two clocks after it was taken at the earliest.
  if (Late) begin : gen_load_later
    logic load_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) load_q <= 1'b0;
      else load_q <= take_i | fetched_i;
    end
    assign load = load_q;
  end else begin : gen_load_now
    assign load = take_i || fetched_i;
  end

  assign key_o = key_q;

  ///////////////////////////////////////////////////////////////////////////
  // What a descriptor tells by itself
  ///////////////////////////////////////////////////////////////////////////

  error_e own_error, own_error_q;
  logic mode_ok, mode_ok_q, slot_ok_q;

  if (Shared) begin : gen_shared
    // The words come one after the other: H, the key.
    logic [2:0] step_q;
    logic there, good_q;
    error_e error_q;

    assign there = s_desc_tvalid_i & ~take_i & ~write_i & ~fetch_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) step_q <= '0;
      else step_q <= there ? {step_q[1:0], 1'b1} | {step_q[2], 2'd0} : '0;
    end

    // Of the word that comes first.
    always_ff @(posedge clk_i) begin
      if (!step_q[2]) begin
        error_q <= all_errors(mode_ok_q, slot_ok_q & word_q[WordWidth-1], own_error_q);
      end
    end

    if (Both) begin : gen_both
      logic [127:0] hash_q;
      always_ff @(posedge clk_i) begin
        if (!step_q[2]) hash_q <= word_q[127:0];
      end
      assign hash_o    = hash_q;
      assign read_hash = ~step_q[0] & ~fetch_i;
    end else begin : gen_key_alone
      assign hash_o    = '0;
      assign read_hash = 1'b0;
    end

    assign gcm          = seen.mode == ModeGcm;
    assign mode_ok      = (gcm & Gcm) | (seen.mode == ModeCtr);
    assign slot_ok      = 9'(seen.slot) < 9'(NumSlots);
    assign own_error    = own_error_of(gcm, seen.decrypt, seen.empty, seen.iv_len, seen.tag_len);
    assign gcm_o        = gcm;
    assign iv_not_12_o   = seen.iv_len != 8'd12;

    assign seen         = s_desc_tdata_i;
    assign desc_valid_o = step_q[2];
    assign desc_next_o  = 1'b0;

    always_ff @(posedge clk_i) begin
      mode_ok_q   <= mode_ok;
      slot_ok_q   <= slot_ok;
      own_error_q <= own_error;
      // The word has come a clock before its descriptor is taken.
      good_q      <= error_q == ErrNone;
    end

    assign read            = 1'b1;
    assign raddr           = fetch_i ? SpareSlot : {1'b0, s_desc_tdata_i.slot[SlotBits-1:0]};
    assign s_desc_tready_o = take_i;
    assign desc_o          = s_desc_tdata_i;
    assign good_o          = good_q;
    assign error_o         = error_q;

    assign waits_o         = 1'b0;

    logic unused_block;
    assign unused_block = block_i;
  end else begin : gen_apart
    desc_t desc_q;
    logic free, free_q, offered_q, reads, valid_q, known_q, good_q;
    logic
        gcm_q, iv_ok_q, iv_not_12_q, iv_not_16_q, tag_len_ok_q, looked_mode_ok_q, looked_slot_ok_q;

    // Whoever writes or fetches blocks. What the register takes and the RAM reads does not count then,
    // nor while no descriptor is offered: so neither waits for the stream.
    assign free            = ~valid_q | take_i;
    assign s_desc_tready_o = free & ~block_i;
    // It was taken in the clock before.
    assign reads           = offered_q & free_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q   <= 1'b0;
        offered_q <= 1'b0;
        free_q    <= 1'b0;
        known_q   <= 1'b0;
      end else begin
        valid_q   <= (s_desc_tvalid_i & ~block_i) | (valid_q & ~take_i);
        offered_q <= s_desc_tvalid_i & ~block_i;
        free_q    <= free;
        known_q   <= reads | (known_q & ~take_i);
      end
    end
    // Its numbers are looked at as it comes; while its word is read, what they mean.
    assign mode_ok   = looked_mode_ok_q;
    assign slot_ok   = looked_slot_ok_q;
    assign own_error = own_error_by(
        gcm_q, seen.decrypt, seen.empty, iv_ok_q, iv_not_12_q, iv_not_16_q, tag_len_ok_q
    );
    always_ff @(posedge clk_i) begin
      if (free) begin
        desc_q           <= s_desc_tdata_i;
        gcm_q            <= gcm;
        iv_ok_q          <= iv_len_is_ok(s_desc_tdata_i.iv_len);
        iv_not_12_q       <= s_desc_tdata_i.iv_len != 8'd12;
        iv_not_16_q       <= s_desc_tdata_i.iv_len != 8'd16;
        tag_len_ok_q     <= tag_len_is_ok(s_desc_tdata_i.tag_len);
        looked_mode_ok_q <= (gcm & Gcm) | (s_desc_tdata_i.mode == ModeCtr);
        looked_slot_ok_q <= 9'(s_desc_tdata_i.slot) < 9'(NumSlots);
      end
      mode_ok_q   <= mode_ok;
      slot_ok_q   <= slot_ok;
      own_error_q <= own_error;
      good_q      <= mode_ok & slot_ok & (own_error == ErrNone);
    end

    assign gcm        = s_desc_tdata_i.mode == ModeGcm;
    assign gcm_o      = gcm_q;
    assign iv_not_12_o = iv_not_12_q;
    assign seen       = desc_q;

    assign read         = free | fetch_i;
    assign read_hash    = 1'b0;
    assign raddr        = fetch_i ? SpareSlot : {1'b0, s_desc_tdata_i.slot[SlotBits-1:0]};
    assign desc_valid_o = known_q;
    assign desc_next_o  = reads | (known_q & ~take_i);
    assign desc_o       = desc_q;
    assign good_o       = good_q & word_q[WordWidth-1];
    assign error_o      = all_errors(mode_ok_q, slot_ok_q & word_q[WordWidth-1], own_error_q);
    assign hash_o       = '0;
    assign waits_o      = valid_q;
  end

  logic unused;
  assign unused = ^{seen, write_address, read_address};

endmodule
