// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Keys and descriptors of a sector engine:
//
//   s_key --[ slots: RAM ]--|R|--|R|--+--|R|-- tweak_key_o    with tweak_block_o to the core of tweaks
//                 ^                   +--|R|-- sector_key_o   with sector_info_o to the front
//   s_desc -------+----------------------------- tweak_block_o
//
// A slot has two words, the key of the data and that of the tweaks; with Cbc the first alone. A descriptor reads both, so its
// sector keeps them: a slot can be rewritten at any time. It stays on its stream for six clocks, and
// until the core has taken its tweak; no key is taken meanwhile. The front runs behind: it has a queue
// of sectors.
//
// The key of the data comes first and makes the other one of its slot unknown, so no sector finds the
// one of a new pair beside the other of an old pair. That takes two clocks, the key of the tweaks takes
// one; in the clock before it is decided that a key goes.
//
// After a reset, and on request, all slots are overwritten with zero.

module aes_engine_xts_keys
  import aes_engine_pkg::error_e;
  import aes_engine_pkg::ErrNone;
  import aes_engine_pkg::ErrMode;
  import aes_engine_pkg::ErrSlot;
  import aes_engine_streams_pkg::ModeCbc;
  import aes_engine_xts_pkg::*;
#(
  parameter  bit          Cbc      = 1'b0,
  parameter  bit          Encrypts = 1'b1,
  parameter  bit          Decrypts = 1'b0,
  parameter  bit          Stored   = 1'b0,               // the core stores its key
  parameter  bit          Far      = 1'b0,               // the front is quick: tweaks by a register
  parameter  int unsigned KeyWidth = 128,
  parameter  int unsigned NumSlots = 64
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          ready_o,         // the sweep after a reset has ended
  input  logic                          s_key_tvalid_i,
  output logic                          s_key_tready_o,
  input  logic [KeyWidth-1:0]           s_key_tdata_i,
  input  logic [11:0]                   s_key_tuser_i,   // {clear all, clear, 0, of tweaks, slot}
  input  logic                          s_desc_tvalid_i,
  output logic                          s_desc_tready_o,
  input  aes_engine_streams_pkg::desc_t s_desc_tdata_i,

  // A tweak to be encrypted
  output logic                          tweak_valid_o,
  input  logic                          tweak_ready_i,
  output logic [KeyWidth-1:0]           tweak_key_o,     // byte 0 at the top
  output logic [127:0]                  tweak_block_o,

  // Its sector
  output logic                          sector_valid_o,
  input  logic                          sector_ready_i,
  output logic [KeyWidth-1:0]           sector_key_o,
  output info_t                         sector_info_o
);

  import aes_engine_pkg::swap_bytes;

  localparam int unsigned SlotBits = $clog2(NumSlots);

  typedef enum logic [1:0] {
    StIdle,
    StRead,   // four clocks: both words of the slot
    StTweak,  // the core takes the tweak
    StPass    // the front takes the sector
  } state_e;

  state_e state_q;
  logic [1:0] step_q;
  logic start, sweep, pass;

  ///////////////////////////////////////////////////////////////////////////
  // The sweep
  ///////////////////////////////////////////////////////////////////////////

  logic [SlotBits+1:0] sweep_q;  // its end is the highest bit
  logic ready_q, cleared_q, begin_q, clear_all;

  assign sweep     = ~sweep_q[SlotBits+1];
  assign ready_o   = ready_q;
  assign clear_all = s_key_tvalid_i & s_key_tuser_i[11] & (state_q == StIdle);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sweep_q   <= '0;
      ready_q   <= 1'b0;
      cleared_q <= 1'b0;
      begin_q   <= 1'b0;
    end else begin
      if (sweep) sweep_q <= sweep_q + 1'b1;
      else if (begin_q) sweep_q <= '0;
      begin_q   <= clear_all & ~cleared_q & ~start;
      ready_q   <= ready_q | ~sweep;
      cleared_q <= ((clear_all & ~start) | cleared_q) & ~s_key_tready_o;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Slots
  ///////////////////////////////////////////////////////////////////////////

  logic [7:0] new_slot;
  logic key_next, key_go_q, second_q, turn_q;
  logic key_known, of_tweaks, clear_one, one_step, write, keep;
  logic [KeyWidth-1:0] key_in;
  logic [KeyWidth:0] word;
  logic [SlotBits:0] waddr, raddr;

  assign new_slot  = s_key_tuser_i[7:0];
  assign of_tweaks = s_key_tuser_i[8] & ~clear_one & ~Cbc;
  assign clear_one = s_key_tuser_i[10];
  assign key_known = 9'(new_slot) < 9'(NumSlots);
  assign one_step  = of_tweaks | ~key_known | Cbc;

  // After a key, a descriptor that can be read comes first.
  assign start  = (state_q == StIdle) & s_desc_tvalid_i & sector_ready_i & ready_q & ~sweep &
      ~key_go_q & ~cleared_q & (turn_q | ~s_key_tvalid_i);
  // What a key does is decided in one clock and done from the next one on.
  assign key_next = s_key_tvalid_i & ~s_key_tuser_i[11] & ready_q & ~sweep & ~start &
      (state_q == StIdle);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_go_q <= 1'b0;
      second_q <= 1'b0;
      turn_q   <= 1'b0;
    end else begin
      key_go_q <= key_go_q ? ~(one_step | second_q) : key_next;
      second_q <= key_go_q & ~one_step & ~second_q;
      turn_q   <= s_key_tready_o | (turn_q & ~start & s_desc_tvalid_i);
    end
  end

  assign s_key_tready_o = (key_go_q & (one_step | second_q)) |
      (clear_all & cleared_q & ~sweep & ~begin_q);

  always_comb begin
    for (int unsigned n = 0; n < KeyWidth / 8; n++) begin
      key_in[8*n+:8] = s_key_tdata_i[8*(KeyWidth/8-1-n)+:8];
    end
  end

  assign write = sweep | (key_go_q & key_known);
  // The word of the tweaks is written first, and with the key of the data it is zero.
  assign waddr = sweep ? sweep_q[SlotBits:0] : {new_slot[SlotBits-1:0], ~second_q & ~Cbc};
  assign keep  = ~sweep & ~clear_one & (of_tweaks | second_q | Cbc);
  assign raddr = {s_desc_tdata_i.slot[SlotBits-1:0], step_q == '0};

  // A clock later: the RAM may be far away, and no descriptor looks at it so soon.
  logic write_q;
  logic [SlotBits:0] waddr_q;
  logic [KeyWidth:0] word_in_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) write_q <= 1'b0;
    else write_q <= write;
  end
  always_ff @(posedge clk_i) begin
    waddr_q   <= waddr;
    word_in_q <= {1'b1, key_in} & {KeyWidth + 1{keep}};
  end

  aes_engine_streams_ram #(
    .Depth(2 ** (SlotBits + 1)),
    .Width(KeyWidth + 1)
  ) u_slots (
    .clk_i,
    .write_i(write_q),
    .waddr_i(waddr_q),
    .wdata_i(word_in_q),
    .raddr_i(raddr),
    .rdata_o(word)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Descriptors
  ///////////////////////////////////////////////////////////////////////////

  logic mode_ok_q, slot_ok_q, known_q;
  error_e error_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      step_q  <= '0;
    end else begin
      if (state_q == StRead) step_q <= step_q + 1'b1;
      case (state_q)
        StIdle:  if (start) state_q <= StRead;
        StRead:  if (step_q == 2'd3) state_q <= StTweak;
        StTweak: if (tweak_ready_i || Cbc || error_q != ErrNone) state_q <= StPass;
        default: state_q <= StIdle;
      endcase
    end
  end

  // A word comes two clocks after its address: that of the tweaks, then that of the data.
  always_ff @(posedge clk_i) begin
    mode_ok_q <= s_desc_tdata_i.mode == (Cbc ? ModeCbc : ModeXts) &&
        (s_desc_tdata_i.decrypt ? Decrypts : Encrypts);
    slot_ok_q <= 9'(s_desc_tdata_i.slot) < 9'(NumSlots);
    if (step_q == 2'd2) begin
      tweak_key_o <= word[KeyWidth-1:0];
      known_q     <= word[KeyWidth];
    end
    if (step_q == 2'd3) begin
      sector_key_o <= word[KeyWidth-1:0];
      error_q      <= ErrNone;
      if (!mode_ok_q) error_q <= ErrMode;
      else if (!slot_ok_q || (!known_q && !Cbc) || !word[KeyWidth]) error_q <= ErrSlot;
    end
  end

  assign pass = state_q == StPass;
  if (Far) begin : gen_tweak_first
    // What StTweak and no error say, by a register.
    logic tweak_valid_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) tweak_valid_q <= 1'b0;
      else begin
        tweak_valid_q <= ((step_q == 2'd3) & mode_ok_q & slot_ok_q & known_q & word[KeyWidth]) |
            (tweak_valid_q & ~tweak_ready_i);
      end
    end
    assign tweak_valid_o = tweak_valid_q & ~Cbc;
  end else begin : gen_tweak
    assign tweak_valid_o = (state_q == StTweak) & (error_q == ErrNone) & ~Cbc;
  end
  assign tweak_block_o   = swap_bytes(s_desc_tdata_i.iv);
  assign s_desc_tready_o = pass;
  assign sector_valid_o  = pass;

  // Whether the core has this key already: that of the sector before, of the same slot.
  if (Stored) begin : gen_stored
    logic loaded_q, same_q;
    logic [SlotBits-1:0] slot_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        loaded_q <= 1'b0;
        same_q   <= 1'b0;
      end else begin
        if (start) same_q <= loaded_q & (slot_q == s_desc_tdata_i.slot[SlotBits-1:0]);
        if (pass && error_q == ErrNone) loaded_q <= 1'b1;
        else if (write && waddr[SlotBits:1] == slot_q) loaded_q <= 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (pass && error_q == ErrNone) slot_q <= s_desc_tdata_i.slot[SlotBits-1:0];
    end
    assign sector_info_o.load = ~same_q;
  end else begin : gen_travels
    assign sector_info_o.load = 1'b0;
  end

  assign sector_info_o.decrypt = s_desc_tdata_i.decrypt;
  assign sector_info_o.error   = error_q;

  logic unused;
  assign unused = ^{s_key_tuser_i[9], s_desc_tdata_i.reserved};

endmodule
