// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_key_ring beside KeyExpansion for Nk = 4 (FIPS 197, section 5.2), word by word, for every key
// and for ever: by induction over one clock.
//
// The ring is driven as its ports ask: groups of five slots, a key taken in slot 3 of any group, and
// in slot 3 SubWord(RotWord) of w3 of the group before, which came five clocks ago.
//
//   h[i]          word_o of i clocks ago, which is what the ring holds up to i = 8
//   r_q           the round of this group, r_before_q of the one before; Off: of no key
//   same_o        the words of a group of round 0 are the key, those of round r follow from the
//                 group ten clocks ago, and the registers of the ring belong to all that
//
// Where same_o holds in a clock it holds in the next one, whatever the inputs. At the start, without
// a key, it says nothing.

module key_ring_miter
  import aes_pkg::*;
  import key_expansion_pkg::*;
(
  input  logic   clk_i,
  input  logic   take_i,      // in slot 3: a key is taken
  input  block_t key_i,
  input  word_t  anything_i,  // what the S-boxes give in other slots
  output logic   same_o
);

  localparam logic [3:0] Off = 4'd11;

  ///////////////////////////////////////////////////////////////////////////
  // Slots, keys and rounds
  ///////////////////////////////////////////////////////////////////////////

  logic [2:0] slot_q, slot;
  logic load, loading_q;
  logic [3:0] r_q, r_before_q, r_next;
  block_t key_q;
  logic started_q;  // a clock has passed
  word_t word, h[11], h9_q, h10_q;
  word_t shifted_q[8];  // what the ring must hold

  // A counter that starts with anything.
  assign slot = (slot_q > 3'd4) ? 3'd4 : slot_q;
  assign load = take_i && slot == 3'd3;

  // The group that comes is that of the key, or a round on from the one before this.
  assign r_next = loading_q ? 4'd0 : (r_before_q >= 4'd10) ? Off : r_before_q + 4'd1;

  always_ff @(posedge clk_i) begin
    slot_q <= (slot == 3'd4) ? 3'd0 : slot + 3'd1;
    if (slot == 3'd3) loading_q <= load;
    if (load) key_q <= key_i;
    if (slot == 3'd4) begin
      r_q        <= r_next;
      r_before_q <= r_q;
    end
    started_q <= 1'b1;
    for (int unsigned d = 0; d < 8; d++) shifted_q[d] <= (d == 0) ? word : h[d];
    h9_q  <= h[8];
    h10_q <= h9_q;
  end

  assign h[0]  = word;
  assign h[9]  = h9_q;
  assign h[10] = h10_q;
  for (genvar i = 1; i <= 8; i++) begin : gen_past
    assign h[i] = u_ring.ring_q[i-1];
  end

  ///////////////////////////////////////////////////////////////////////////
  // The ring
  ///////////////////////////////////////////////////////////////////////////

  logic last, done, next_last;
  logic [4:0] slot_is;  // one-hot

  assign slot_is = 5'b00001 << slot;

  aes_key_ring u_ring (
    .clk_i,
    .slot_i       (slot_is),
    .load_i       (load),
    .idle_i       (~load),
    .ring_zero_i  (slot_is[2] | load | (loading_q & (slot_is[4] | slot_is[0] | slot_is[1]))),
    .before_zero_i(slot_is[3] | (loading_q & (slot_is[4] | slot_is[0] | slot_is[1]))),
    .sub_zero_i   (~slot_is[3] | load),
    .first_i      (loading_q),
    .key_i        (key_i),
    .sub_i        (slot_is[3] ? sub_word({h[5][23:0], h[5][31:24]}) : anything_i),
    .word_o       (word),
    .last_o       (last),
    .done_o       (done),
    .next_last_o  (next_last)
  );

  ///////////////////////////////////////////////////////////////////////////
  // The standard
  ///////////////////////////////////////////////////////////////////////////

  function automatic byte_t rcon_of_round(logic [3:0] r);
    byte_t rcon;
    rcon = '0;
    for (int unsigned i = 1; i <= 10; i++) if (r == 4'(i)) rcon = Rcon[i];
    return rcon;
  endfunction

  word_t defined;
  step_t step;

  always_comb begin
    step    = '{rotates: slot_is[0], substitutes: slot_is[0], rcon: '0};
    defined = key_q[32*(3-32'(slot[1:0]))+:32];
    if (slot_is[0]) step.rcon = rcon_of_round(r_q);
    if (r_q != '0) defined = next_word(step, slot_is[0] ? h[7] : h[1], h[10]);
    // The last word comes twice, the second time for the S-boxes.
    if (slot_is[4]) defined = h[1];
  end

  logic same_words, same_flags;

  assign same_words = r_q >= Off || word == defined;
  assign same_flags = (r_q >= Off || last == (r_q == 4'd10)) &&
                      (r_before_q >= Off || {done, next_last} == {r_before_q == 4'd10,
                                                                  r_before_q == 4'd9});

  ///////////////////////////////////////////////////////////////////////////
  // The registers
  ///////////////////////////////////////////////////////////////////////////

  // What makes the round after round r, and marks round 10.
  function automatic byte_t code(logic [3:0] r);
    return (r == 4'd10) ? 8'h6c : rcon_of_round(r + 4'd1);
  endfunction

  logic same_past, same_rcon, same_sum;
  logic [2:0] gone;  // words of the key that are no longer in the buffer
  word_t sub;

  assign gone = (slot == 3'd4) ? 3'd0 : slot + 3'd1;
  assign sub  = sub_word({h[6][23:0], h[6][31:24]}) ^ {code(r_before_q), 24'b0};

  always_comb begin
    same_past = 1'b1;
    for (int unsigned d = 0; d < 8; d++) same_past &= !started_q || h[d+1] == shifted_q[d];

    same_rcon = (r_q >= Off || u_ring.rcon_q == code(r_q)) &&
                (r_before_q >= Off || u_ring.rcon_before_q == code(r_before_q));

    // What is added in this slot.
    same_sum = u_ring.ring_q[8] == ((loading_q || slot_is[3]) ? '0 : h[9]) &&
               u_ring.before_q == (((loading_q && !slot_is[3]) || slot_is[4]) ? '0 : word);
    if (!slot_is[4] || loading_q) same_sum &= u_ring.sub_q == '0;
    else if (r_before_q < 4'd10) same_sum &= u_ring.sub_q == sub;
    for (int unsigned j = 0; j < 4; j++) begin
      if (loading_q && 3'(j) + gone < 3'd4) begin
        same_sum &= u_ring.buffer_q[j] == key_q[32*(3-32'(3'(j)+gone))+:32];
      end else begin
        same_sum &= u_ring.buffer_q[j] == '0;
      end
    end
  end

  // Round 0 is that of a key that was just taken.
  logic same_round;
  assign same_round = slot_is[4] || loading_q == (r_q == '0);

  assign same_o = same_words && same_flags && same_past && same_rcon && same_round &&
                  (same_sum || (!loading_q && r_q >= Off && r_before_q >= Off));

endmodule
