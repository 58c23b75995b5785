// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The front of a sector engine: beats and tweaks to the core.
//
//   tweak of the sector --[ t: |R| ]--( times x )--+
//                            |                     |
//   beats --[ held: |R| ]---(+)--------------------|--[ mux ]--|R|-- block of the core
//               ^            +---------------------|-----------|R|-- item, with t
//   stolen -----+                   tweak block ---+
//
// A beat is held until the next one is known, or it is the last. Then it goes to the core, added to its
// tweak, and the tweak is multiplied by x (IEEE 1619, section 5.2). It goes only when a place for its
// result is free (credits), for the core cannot be held back. In the clock in which the last beat of a
// sector goes, key and tweak of the next one are loaded, and its first beat is held: no clock is dead.
//
// A partial last beat takes the bytes that it lacks from the result of the block before (ciphertext
// stealing, section 5.3.2), so that block is waited for; with decryption it takes the tweak of the
// partial one, and the other way round.
//
// Cbc: nothing is added before the core, t is the block before (first the IV), and a partial beat is an
// error.
//
// Shared: the first tweaks of sectors to come go to the core between blocks of data, under the key of the
// tweaks. Stored: a sector whose key is another one loads it first.
//
// A sector that makes no sense ends with an error item; its other beats are dropped.
//
// With Spaced it is decided in one clock what is done in the next one, so what moves 128 bits begins at
// registers; a block goes each three clocks at most. With Far the core takes a block in each clock and
// its key with it, so nothing waits for the core, and the states are a register each.

module aes_engine_xts_front
  import aes_engine_streams_pkg::shape_t;
  import aes_engine_streams_pkg::double;
  import aes_engine_pkg::error_e;
  import aes_engine_pkg::ErrNone;
  import aes_engine_pkg::ErrBeat;
  import aes_engine_pkg::ErrLength;
  import aes_engine_xts_pkg::*;
#(
  parameter bit          Cbc        = 1'b0,
  parameter bit          Decrypts   = 1'b0,
  parameter bit          Stored     = 1'b0,  // the core stores its key
  parameter bit          Shared     = 1'b1,  // the core encrypts the tweaks too
  parameter bit          Spaced     = 1'b0,  // a block each three clocks is enough
  parameter bit          Far        = 1'b0,  // the core is far, and not Stored
  parameter int unsigned KeyWidth   = 128,
  parameter int unsigned NumPlaces  = 16,    // for results
  parameter int unsigned LengthBits = 20     // a sector has 2^LengthBits blocks at most
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                beat_valid_i,
  output logic                beat_take_o,
  input  logic [127:0]        beat_data_i,     // byte 0 at the top
  input  shape_t              beat_shape_i,

  // Sectors, and their first tweaks, byte 0 lowest
  input  logic                sector_valid_i,
  output logic                sector_ready_o,
  input  logic [KeyWidth-1:0] sector_key_i,
  input  info_t               sector_info_i,
  input  logic                first_valid_i,
  output logic                first_ready_o,
  input  logic [127:0]        first_i,

  // Shared: a tweak of a sector to come
  input  logic                tweak_valid_i,
  output logic                tweak_ready_o,
  input  logic [KeyWidth-1:0] tweak_key_i,
  input  logic [127:0]        tweak_block_i,

  // Core
  output logic                key_valid_o,     // Stored
  input  logic                key_ready_i,
  output logic [KeyWidth-1:0] key_o,           // of the sector
  output logic                core_valid_o,
  input  logic                core_ready_i,
  output logic [127:0]        core_block_o,
  output logic                core_decrypt_o,
  output logic [KeyWidth-1:0] core_key_o,      // of the block

  // The queue beside it
  output logic                item_valid_o,
  output item_t               item_o,
  input  logic                freed_i,         // a place
  input  logic                steal_valid_i,   // the result of ItemSteal
  input  logic [127:0]        steal_i
);

  import aes_engine_pkg::swap_bytes;

  localparam int unsigned CountBits = $clog2(NumPlaces + 1);

  typedef enum logic [2:0] {
    StNone,    // no sector
    StOffer,   // its key is offered
    StExpand,  // and expanded
    StBody,
    StSteal,   // the last block waits for bytes
    StError,
    StDrain
  } state_e;

  state_e state_q, state_d;
  error_e code_q;

  ///////////////////////////////////////////////////////////////////////////
  // What is done in this clock
  ///////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic go;      // the held beat, to the core
    logic tweak;   // a tweak of a sector to come, to the core
    logic error;   // an error item
    logic move;    // a beat is held
    logic stolen;  // a partial one, with the bytes that it lacks
    logic drop;    // a beat is dropped
    logic bad;     // a beat makes no sense
    logic next;    // a sector begins
  } act_t;

  act_t now, act;
  logic go_now, tweak_now, error_now, move_now, stolen_now, drop_now, bad_now, next_now;
  logic held_valid_q, held_last_q, held_stolen_q, decrypt_q, body_q, room_q, stage_free;
  logic whole, part, too_long, any_go, steal, beats_end;
  logic [127:0] held_q, t_q, t_next, t_use;
  logic [3:0] held_len_q;
  logic [KeyWidth-1:0] key_q;

  assign whole    = beat_shape_i.ok & beat_shape_i.full;
  assign part     = beat_shape_i.ok & ~beat_shape_i.full & ~beat_shape_i.none & beat_shape_i.last &
      ~too_long & ~Cbc;

  // One of these is high with Far, where they stand for state_q.
  logic none_q, steal_state_q, error_state_q, drain_q;
  logic wrong, wrong_q;  // the sector that is there; wrong_q: with Far, a clock later
  logic taken_q;  // with Far: it was taken in the clock before

  assign wrong = sector_info_i.error != ErrNone;

  if (Far) begin : gen_now_far
    if (Stored || Spaced) begin : gen_illegal_far
      $fatal(1, "aes_engine_xts_front: a core that is far stores no key and is not spaced");
    end
    logic may_go, may_body, right, found_q;
    // A sector and its tweak are there until the clock after they were taken.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        found_q <= 1'b0;
        taken_q <= 1'b0;
      end else begin
        found_q <= sector_valid_i & (first_valid_i | wrong) & ~next_now & ~taken_q;
        taken_q <= next_now;
      end
    end
    always_ff @(posedge clk_i) wrong_q <= wrong;
    assign may_go     = room_q & ~(Shared & tweak_valid_i);
    assign may_body   = held_valid_q & body_q & may_go;
    assign right      = beat_valid_i & whole & ~too_long;
    assign tweak_now  = Shared & tweak_valid_i & room_q;
    assign go_now     = may_body & (held_last_q | beat_valid_i);
    assign error_now  = error_state_q & may_go;
    assign stolen_now = steal_state_q & steal_valid_i;
    assign drop_now   = drain_q & beat_valid_i;
    assign bad_now    = body_q & ~held_valid_q & beat_valid_i & ~right;
    assign next_now   = found_q & (none_q | (may_body & held_last_q));
    assign move_now   = right & ((body_q & (~held_valid_q | may_go)) | (none_q & ~held_valid_q));
  end else begin : gen_now
    assign tweak_now  = Shared & tweak_valid_i & room_q & stage_free;
    assign go_now     = held_valid_q & body_q & (held_last_q | beat_valid_i) & room_q & stage_free &
      ~tweak_now;
    assign error_now  = (state_q == StError) & room_q & stage_free & ~tweak_now;
    assign stolen_now = (state_q == StSteal) & steal_valid_i;
    assign drop_now   = (state_q == StDrain) & beat_valid_i;
    // A beat that cannot stand here; the one before has gone.
    assign bad_now    = body_q & ~held_valid_q & beat_valid_i & (~whole | too_long);
    assign next_now   = sector_valid_i & (first_valid_i | (sector_info_i.error != ErrNone)) &
      ((state_q == StNone) | (go_now & held_last_q));
    // The first beat of a sector may be held before that is known.
    assign move_now   = beat_valid_i & whole & ~too_long & (~held_valid_q | go_now) &
      (body_q | (state_q == StNone));
  end

  assign now = '{
          go: go_now,
          tweak: tweak_now,
          error: error_now,
          move: move_now,
          stolen: stolen_now,
          drop: drop_now,
          bad: bad_now,
          next: next_now
      };

  if (Spaced) begin : gen_act_later
    act_t act_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) act_q <= '0;
      else begin
        act_q        <= (act_q != '0) ? '0 : now;
        // It is offered in one clock alone.
        act_q.stolen <= stolen_now;
      end
    end
    assign act = act_q;
  end else begin : gen_act_now
    assign act = now;
  end

  assign any_go    = act.go | act.tweak | act.error;
  assign steal     = part & ~held_last_q;
  assign beats_end = (act.move | act.stolen | act.drop) & beat_shape_i.last;

  assign sector_ready_o = Far ? taken_q : act.next;
  assign first_ready_o  = Far ? taken_q & ~wrong_q : act.next & (sector_info_i.error == ErrNone);
  assign tweak_ready_o  = act.tweak;
  assign beat_take_o    = act.move | act.stolen | act.drop;

  if (Far) begin : gen_states
    logic ends;
    // The sector ends with what goes in this clock.
    assign ends = (body_q & act.go & held_last_q) |
        (error_state_q & act.error & held_valid_q & held_last_q) |
        (drain_q & act.drop & beat_shape_i.last);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        none_q        <= 1'b1;
        body_q        <= 1'b0;
        steal_state_q <= 1'b0;
        error_state_q <= 1'b0;
        drain_q       <= 1'b0;
      end else begin
        none_q        <= ~act.next & (none_q | ends);
        body_q        <= (act.next & ~wrong_q) | act.stolen |
            (body_q & ~act.bad & ~(act.go & (held_last_q | steal)));
        steal_state_q <= (body_q & act.go & steal) | (steal_state_q & ~act.stolen);
        error_state_q <= (act.next & wrong_q) | act.bad | (error_state_q & ~act.error);
        drain_q       <= (error_state_q & act.error & ~(held_valid_q & held_last_q)) |
            (drain_q & ~(act.drop & beat_shape_i.last));
      end
    end
    assign state_q = StNone;
    assign state_d = state_q;
    logic unused_state;
    assign unused_state = ^{state_d, key_ready_i, sector_info_i.load};
  end else begin : gen_state
    assign {none_q, steal_state_q, error_state_q, drain_q} = '0;
    logic unused_states;
    assign wrong_q       = wrong;
    assign taken_q       = 1'b0;
    assign unused_states = ^{none_q, steal_state_q, error_state_q, drain_q, wrong_q, taken_q};
    always_comb begin
      state_d = state_q;
      case (state_q)
        StOffer:  if (key_valid_o && key_ready_i) state_d = StExpand;
        StExpand: if (key_ready_i) state_d = StBody;
        StBody: begin
          if (act.go && held_last_q) state_d = StNone;
          else if (act.go && steal) state_d = StSteal;
          else if (act.bad) state_d = StError;
        end
        StSteal:  if (act.stolen) state_d = StBody;
        StError:  if (act.error) state_d = (held_valid_q && held_last_q) ? StNone : StDrain;
        StDrain:  if (act.drop && beat_shape_i.last) state_d = StNone;
        default:  state_d = StNone;
      endcase
      if (act.next) begin
        if (sector_info_i.error != ErrNone) state_d = StError;
        else state_d = (sector_info_i.load && Stored) ? StOffer : StBody;
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        state_q <= StNone;
        body_q  <= 1'b0;
      end else begin
        state_q <= state_d;
        body_q  <= state_d == StBody;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (act.next) code_q <= sector_info_i.error;
    else if (act.bad) code_q <= (whole || too_long) ? ErrLength : ErrBeat;
  end

  ///////////////////////////////////////////////////////////////////////////
  // The held beat, its tweak and its key
  ///////////////////////////////////////////////////////////////////////////

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_valid_q <= 1'b0;
    else held_valid_q <= act.move | act.stolen | (held_valid_q & ~act.go & ~act.error);
  end

  always_ff @(posedge clk_i) begin
    if (act.move) begin
      held_q        <= beat_data_i;
      held_last_q   <= beat_shape_i.last;
      held_stolen_q <= 1'b0;
    end else if (act.stolen) begin
      for (int unsigned n = 0; n < 16; n++) begin
        if (4'(n) <= beat_shape_i.len) held_q[8*(15-n)+:8] <= beat_data_i[8*(15-n)+:8];
        else held_q[8*(15-n)+:8] <= steal_i[8*(15-n)+:8];
      end
      held_last_q   <= 1'b1;
      held_stolen_q <= 1'b1;
      held_len_q    <= beat_shape_i.len;
    end
    if (act.next) begin
      key_q     <= sector_key_i;
      decrypt_q <= sector_info_i.decrypt;
    end
  end

  // Blocks of a sector that were held.
  if (Far) begin : gen_count_apart
    // In two parts, of which the upper one has time: it is all ones for four blocks at least.
    logic [1:0] low_q;
    logic [LengthBits-1:2] upper_q;
    logic wraps_q, upper_ones_q, too_long_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        low_q        <= '0;
        upper_q      <= '0;
        wraps_q      <= 1'b0;
        upper_ones_q <= 1'b0;
        too_long_q   <= 1'b0;
      end else if (beats_end) begin
        low_q        <= '0;
        upper_q      <= '0;
        wraps_q      <= 1'b0;
        upper_ones_q <= 1'b0;
        too_long_q   <= 1'b0;
      end else begin
        if (act.move) low_q <= low_q + 1'b1;
        if (wraps_q) upper_q <= upper_q + 1'b1;
        wraps_q      <= act.move & (low_q == 2'd3);
        upper_ones_q <= &upper_q;
        too_long_q   <= too_long_q | (act.move & upper_ones_q & (low_q == 2'd3));
      end
    end
    assign too_long = too_long_q & ~Cbc;
  end else begin : gen_count
    logic [LengthBits:0] count_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) count_q <= '0;
      else if (beats_end) count_q <= '0;
      else if (act.move) count_q <= count_q + 1'b1;
    end
    assign too_long = count_q[LengthBits] & ~Cbc;
  end

  logic swapped;  // the tweaks of the last two blocks change places
  assign swapped = Decrypts & decrypt_q & steal;
  assign t_next  = Cbc ? swap_bytes(held_q) : double(t_q);
  assign t_use   = swapped ? t_next : t_q;

  always_ff @(posedge clk_i) begin
    if (act.next) t_q <= first_i;
    else if (act.go && !swapped) t_q <= t_next;
  end

  ///////////////////////////////////////////////////////////////////////////
  // To the core, and the item beside it
  ///////////////////////////////////////////////////////////////////////////

  logic core_valid_q, push_q, core_decrypt_q;
  logic [127:0] core_block_q, to_core;
  logic [KeyWidth-1:0] core_key_q;
  item_t item_q;

  assign to_core    = Cbc ? held_q : held_q ^ swap_bytes(t_use);
  assign stage_free = ~core_valid_q | (core_ready_i & ~Spaced);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      core_valid_q <= 1'b0;
      push_q       <= 1'b0;
    end else begin
      core_valid_q <= act.go | act.tweak | (core_valid_q & ~core_ready_i);
      push_q       <= any_go;
    end
  end

  always_ff @(posedge clk_i) begin
    if (stage_free) begin
      core_block_q   <= act.tweak ? tweak_block_i : to_core;
      core_decrypt_q <= Decrypts & decrypt_q;
    end
    if (stage_free && !Stored) core_key_q <= act.tweak ? tweak_key_i : key_q;
    item_q.tweak <= t_use;
    item_q.last  <= held_last_q;
    item_q.len   <= held_stolen_q ? held_len_q : 4'd15;
    item_q.kind  <= ItemText;
    if (act.tweak) begin
      item_q.kind <= ItemTweak;
    end else if (act.error) begin
      item_q.kind <= ItemError;
      item_q.len  <= code_q;
      item_q.last <= 1'b1;
    end else if (held_stolen_q) begin
      item_q.kind <= ItemStolen;
    end else if (steal) begin
      item_q.kind <= ItemSteal;
    end
  end

  assign key_valid_o    = Stored & (state_q == StOffer) & ~core_valid_q;
  assign key_o          = key_q;
  assign core_valid_o   = core_valid_q;
  assign core_block_o   = core_block_q;
  assign core_decrypt_o = core_decrypt_q;
  assign core_key_o     = Stored ? key_q : core_key_q;
  assign item_valid_o   = push_q;
  assign item_o         = item_q;

  ///////////////////////////////////////////////////////////////////////////
  // Places for results
  ///////////////////////////////////////////////////////////////////////////

  logic [CountBits-1:0] free_q;
  logic place_taken, tail;

  if (Far) begin : gen_place_for_result
    assign place_taken = act.go | act.error;
    assign tail        = act.go & held_stolen_q;
  end else begin : gen_place_for_item
    assign place_taken = any_go;
    assign tail        = 1'b0;
    logic unused_tail;
    assign unused_tail = tail;
  end

  // What goes is counted two clocks later in room_q, so one place is kept back. Behind a far core the
  // places are those of results: a tweak has none, and that of a block whose bytes are stolen is for them.
  // Their result comes in the clock behind that of the block that has them, so nothing else does.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_q <= CountBits'(NumPlaces);
      room_q <= 1'b0;
    end else begin
      free_q <= free_q + CountBits'(freed_i) - CountBits'(place_taken);
      if (Far) room_q <= (free_q > CountBits'(1)) & ~tail;
      else room_q <= free_q > CountBits'(1);
    end
  end

  logic unused_first;
  assign unused_first = beat_shape_i.first;

endmodule
