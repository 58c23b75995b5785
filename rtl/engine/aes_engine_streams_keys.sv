// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Keys and descriptors of a stream engine:
//
//   s_key --+--[ slots: RAM ]--|R|--|R|--+---- key_o   to the place of a message
//           |         ^                  +---- iv_o    its IV; CMAC: the subkey K1
//   K1 -----+         | slot                   info_o  its mode and error
//   s_desc -----------+
//
// A descriptor stays on its stream for three clocks: its slot is read, then all goes to the place that
// its message has (two messages of a stream can be open). So a message keeps its key: a slot can be
// rewritten at any time.
//
// With CMAC a slot holds K1 beside its key. The key that is offered goes to a spare slot, from there to
// the place of the spare stream, and the core encrypts zero under it. The result, doubled, is K1: key and
// K1 take their slot in one clock, in which the key is taken.
//
// After a reset, and on request, all slots are overwritten with zero.

module aes_engine_streams_keys
  import aes_engine_streams_pkg::*;
#(
  parameter bit          Chained  = 1'b0,  // CFB128, OFB and CMAC too, not CBC alone
  parameter bit          Late     = 1'b0,  // a register before the slots: they may be far away
  parameter int unsigned KeyWidth = 128,
  parameter int unsigned NumSlots = 64
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                ready_o,         // the sweep after a reset has ended
  output logic [7:0]          sweep_o,         // its address
  input  logic                s_key_tvalid_i,
  output logic                s_key_tready_o,
  input  logic [KeyWidth-1:0] s_key_tdata_i,
  input  logic [11:0]         s_key_tuser_i,   // {clear all, clear, length, slot}
  input  logic                s_desc_tvalid_i,
  output logic                s_desc_tready_o,
  input  desc_t               s_desc_tdata_i,
  input  logic                place_i,         // one clock late: its stream has a free place
  output logic                write_o,         // a message takes its place
  output logic                write_spare_o,   // the spare stream does
  output logic [KeyWidth-1:0] key_o,           // byte 0 at the top
  output logic [127:0]        iv_o,
  output info_t               info_o,
  output logic                spare_valid_o,   // the spare stream wants a turn
  input  logic                spare_ready_i,
  input  logic                result_valid_i,  // its block has left the core
  input  logic [127:0]        result_i
);

  import aes_engine_pkg::swap_bytes;

  localparam int unsigned SlotBits = $clog2(NumSlots);
  localparam int unsigned WordWidth = 1 + KeyWidth + (Chained ? 128 : 0);
  localparam logic [SlotBits:0] SpareSlot = (SlotBits + 1)'(2 ** SlotBits);

  logic [7:0] new_slot;
  logic key_write, key_clear, key_known, clear_all, write;
  logic [KeyWidth-1:0] key_in;
  logic [WordWidth-1:0] word_in, word_q;
  logic [SlotBits:0] waddr, raddr;

  assign new_slot  = s_key_tuser_i[7:0];
  assign clear_all = s_key_tvalid_i & s_key_tuser_i[11];
  assign key_clear = s_key_tvalid_i & s_key_tuser_i[10] & ~s_key_tuser_i[11];
  assign key_write = s_key_tvalid_i & ~s_key_tuser_i[10] & ~s_key_tuser_i[11];
  assign key_known = 9'(new_slot) < 9'(NumSlots);

  logic unused_len;
  assign unused_len = ^s_key_tuser_i[9:8];

  always_comb begin
    for (int unsigned n = 0; n < KeyWidth / 8; n++) begin
      key_in[8*n+:8] = s_key_tdata_i[8*(KeyWidth/8-1-n)+:8];
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // The sweep
  ///////////////////////////////////////////////////////////////////////////

  logic [8:0] sweep_q;  // its end is the highest bit
  logic ready_q;        // no sweep since the reset is going on
  logic sweep, cleared_q;

  assign sweep   = ~sweep_q[8];
  assign ready_o = ready_q;
  assign sweep_o = sweep_q[7:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sweep_q   <= '0;
      ready_q   <= 1'b0;
      cleared_q <= 1'b0;
    end else begin
      if (sweep) sweep_q <= sweep_q + 1'b1;
      else if (clear_all && !cleared_q) sweep_q <= '0;
      ready_q   <= ready_q | ~sweep;
      cleared_q <= clear_all & ~s_key_tready_o;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Slots
  ///////////////////////////////////////////////////////////////////////////

  logic stage, stage_next, spare, spare_done, take_next, free, turn_q;
  logic [1:0] step_q, acts_q;

  // After a key, a descriptor that is there comes first; one that waits for its place lets keys pass.
  assign free = ready_q & ~sweep & (((step_q == '0) & ~turn_q) | (step_q[1] & ~place_i)) &
      (acts_q == '0);

  // What a key makes is decided in one clock and done in the next one: it goes to many RAMs.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) acts_q <= '0;
    else acts_q <= {stage_next, take_next};
  end
  assign stage          = acts_q[1];
  assign s_key_tready_o = acts_q[0] | spare_done;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= 1'b0;
    else begin
      // None finds its slot while all of them are cleared.
      turn_q <= (s_key_tready_o | (turn_q & s_desc_tvalid_i & ~step_q[1])) & ~sweep;
    end
  end

  assign write = sweep | stage | s_key_tready_o;

  always_comb begin
    if (sweep) waddr = sweep_q[SlotBits:0];
    else if (stage || (s_key_tready_o && !key_known)) waddr = SpareSlot;
    else waddr = {1'b0, new_slot[SlotBits-1:0]};
    word_in                        = '0;
    word_in[WordWidth-1]           = 1'b1;
    word_in[WordWidth-2-:KeyWidth] = key_in;
    if (Chained) word_in[127:0] = double(result_i);
    if (sweep || key_clear || clear_all) word_in = '0;
  end

  assign raddr = spare ? SpareSlot : {1'b0, s_desc_tdata_i.slot[SlotBits-1:0]};

  logic slot_write, writing;
  logic [SlotBits:0] slot_waddr;
  logic [WordWidth-1:0] slot_word;

  if (Late) begin : gen_write_later
    logic write_q;
    logic [SlotBits:0] waddr_q;
    logic [WordWidth-1:0] word_in_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) write_q <= 1'b0;
      else write_q <= write;
    end
    always_ff @(posedge clk_i) begin
      waddr_q   <= waddr;
      word_in_q <= word_in;
    end
    assign slot_write = write_q;
    assign slot_waddr = waddr_q;
    assign slot_word  = word_in_q;
    assign writing    = write | write_q;
  end else begin : gen_write_now
    assign slot_write = write;
    assign slot_waddr = waddr;
    assign slot_word  = word_in;
    assign writing    = write;
  end

  aes_engine_streams_ram #(
    .Depth(2 ** (SlotBits + 1)),
    .Width(WordWidth)
  ) u_slots (
    .clk_i,
    .write_i(slot_write),
    .waddr_i(slot_waddr),
    .wdata_i(slot_word),
    .raddr_i(raddr),
    .rdata_o(word_q)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Descriptors, and the spare stream's place
  ///////////////////////////////////////////////////////////////////////////

  logic mode_ok_q, slot_ok_q, done_q;

  // In the third clock a descriptor is taken, which is decided in the second one. A key that takes its
  // slot in the third one comes too late for it.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= '0;
      done_q <= 1'b0;
    end else begin
      if (writing || done_q) step_q <= '0;
      else step_q <= {step_q[0] | step_q[1], s_desc_tvalid_i | spare};
      done_q <= (step_q != '0) & ~writing & ~done_q & (spare | place_i);
    end
  end
  always_ff @(posedge clk_i) begin
    mode_ok_q <= (s_desc_tdata_i.mode == ModeCbc && !s_desc_tdata_i.decrypt) |
        (Chained & (s_desc_tdata_i.mode inside {ModeCfb, ModeOfb, ModeCmac}));
    slot_ok_q <= 9'(s_desc_tdata_i.slot) < 9'(NumSlots);
  end

  assign write_o         = done_q & ~spare;
  assign write_spare_o   = done_q & spare;
  assign s_desc_tready_o = write_o;
  assign key_o           = word_q[WordWidth-2-:KeyWidth];

  logic unused_reserved;
  assign unused_reserved = ^s_desc_tdata_i.reserved;

  always_comb begin
    info_o.mode    = s_desc_tdata_i.mode;
    info_o.decrypt = s_desc_tdata_i.decrypt;
    info_o.error   = ErrNone;
    if (!mode_ok_q) info_o.error = ErrMode;
    else if (!slot_ok_q || !word_q[WordWidth-1]) info_o.error = ErrSlot;
  end

  ///////////////////////////////////////////////////////////////////////////
  // A key is taken
  ///////////////////////////////////////////////////////////////////////////

  if (Chained) begin : gen_subkey
    typedef enum logic [1:0] {
      StIdle,
      StPlace,  // the key goes to the place of the spare stream
      StTurn,   // which waits for its turn
      StResult  // and for its result
    } state_e;
    state_e state_q;

    assign stage_next    = free & (state_q == StIdle) & key_write & key_known;
    assign spare         = state_q == StPlace;
    assign spare_valid_o = state_q == StTurn;
    assign spare_done    = (state_q == StResult) & result_valid_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        state_q <= StIdle;
      end else begin
        case (state_q)
          StIdle:  if (stage) state_q <= StPlace;
          StPlace: if (write_spare_o) state_q <= StTurn;
          StTurn:  if (spare_ready_i) state_q <= StResult;
          default: if (result_valid_i) state_q <= StIdle;
        endcase
      end
    end

    assign iv_o = (s_desc_tdata_i.mode == ModeCmac) ? word_q[127:0] : swap_bytes(s_desc_tdata_i.iv);
  end else begin : gen_keys_alone
    assign stage_next    = 1'b0;
    assign spare         = 1'b0;
    assign spare_valid_o = 1'b0;
    assign spare_done    = 1'b0;
    assign iv_o          = swap_bytes(s_desc_tdata_i.iv);

    logic unused_result;
    assign unused_result = ^{spare_ready_i, result_valid_i, result_i};
  end

  // A key without a slot, and a slot that is cleared, are taken at once, with CBC alone every key.
  assign take_next = free & ((key_write & (~key_known | ~Chained)) | key_clear |
      (clear_all & cleared_q));

endmodule
