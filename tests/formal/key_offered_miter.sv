// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_key_schedule_offered beside its protocol and KeyExpansion (FIPS 197, section 5.2), for every key
// and for ever: by induction over one clock.
//
//   idle --key offered--> wait --no block--> words 0, 1, ... 4 (Nr + 1) - 1 --> taken --> idle
//                                            of 3 or 2 clocks
//
//   block     accepted in any clock of idle and taken once a key is current; reads K0, K1, ... KNr, or
//             KNr, ... K0 for decryption, from that clock on; the next one comes when it ends
//   word_q    the word that is made, from its second to last clock on: what the standard makes of
//             words i-1 and i-Nk in the memory, or of the key
//   value_q   word which_q of the last expansion, as it was written: one word of each key, whichever
//   same_o    the outputs are those of the protocol and the registers belong to it; word_q, and nothing
//             else, is written, in its last clock and to its place; value_q stands in the memory from
//             then to the next expansion, and a block reads it where it is in the round key of its clock
//
// So words i-1 and i-Nk in the memory are as they were written, and they are those of the standard.
//
// Where same_o holds in a clock it holds in the next one, whatever the inputs. Of words nothing is
// claimed once key_i has changed while they were made, until the next key is expanded; the protocol
// does not depend on it, nor on a key that is offered no longer. In reset no key is current, and more
// is not said.
//
// With SboxShared the state takes round_key_o in the clocks that were announced by expand_next_o, and
// substituted_i is SubBytes of it a clock later; in other clocks it is anything.

module key_offered_miter
  import aes_pkg::*;
  import key_expansion_pkg::*;
#(
  parameter sbox_e     Sbox    = SboxShared,
  parameter dir_e      Dir     = DirEncrypt,
  parameter key_size_e KeySize = KeySize128
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         key_valid_i,
  input  logic [255:0] key_i,
  input  logic         block_i,     // is accepted where one can be
  input  block_t       anything_i,  // what the S-boxes give of a state that is no round key
  input  logic [5:0]   which_i,     // the word of the next key that is followed
  output logic         same_o
);

  localparam int unsigned Nk = key_width(KeySize) / 32;
  localparam int unsigned NumRounds = Nk + 6;
  localparam int unsigned Total = 4 * (NumRounds + 1);
  localparam bit Shared = Sbox == SboxShared;
  localparam logic [1:0] LastClock = Shared ? 2'd2 : 2'd1;  // of a word

  logic key_ready, available, last_round, last_round_next, expand_next;
  logic accept, busy_q;
  block_t substituted, round_key;

  aes_key_schedule_offered #(
    .Sbox   (Sbox),
    .Dir    (Dir),
    .KeySize(KeySize)
  ) u_schedule (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o      (key_ready),
    .key_i,
    .accept_i         (accept),
    .busy_i           (busy_q),
    .available_o      (available),
    .substituted_i    (substituted),
    .round_key_o      (round_key),
    .last_round_o     (last_round),
    .last_round_next_o(last_round_next),
    .expand_next_o    (expand_next)
  );

  ///////////////////////////////////////////////////////////////////////////
  // The protocol
  ///////////////////////////////////////////////////////////////////////////

  logic idle_q, wait_q, expand_q, taken_q;  // one of them
  logic [5:0] index_q;  // of the word that is made
  logic [1:0] clock_q;  // of this word
  logic any_key_q, begins, sums, writes, ends;
  logic [3:0] round_q, round, next_round;  // of the block
  logic can_accept, busy_next;

  assign begins     = wait_q && !busy_q;
  assign sums       = expand_q && clock_q == LastClock - 2'd1;
  assign writes     = expand_q && clock_q == LastClock;
  assign ends       = writes && index_q == 6'(Total - 1);

  assign can_accept = any_key_q && (idle_q || taken_q);
  assign accept     = block_i && can_accept && !busy_q;
  assign round      = busy_q ? round_q : '0;
  assign next_round = round + 4'd1;
  assign busy_next  = accept || (busy_q && 32'(round_q) != NumRounds);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {idle_q, wait_q, expand_q, taken_q} <= 4'b1000;
      any_key_q                           <= 1'b0;
      busy_q                              <= 1'b0;
    end else begin
      idle_q   <= taken_q || (idle_q && !key_valid_i);
      wait_q   <= (idle_q && key_valid_i) || (wait_q && busy_q);
      expand_q <= begins || (expand_q && !ends);
      taken_q  <= ends;
      if (ends) any_key_q <= 1'b1;
      busy_q <= busy_next;
    end
  end

  always_ff @(posedge clk_i) begin
    clock_q <= (begins || writes) ? '0 : clock_q + 2'd1;
    if (begins) index_q <= '0;
    else if (writes) index_q <= index_q + 6'd1;
    round_q <= next_round;
  end

  ///////////////////////////////////////////////////////////////////////////
  // The state, whose S-boxes are lent
  ///////////////////////////////////////////////////////////////////////////

  logic expanding_q;  // as announced
  logic lent_q;
  block_t state_q;

  always_ff @(posedge clk_i) begin
    expanding_q <= expand_next;
    lent_q      <= expanding_q;
    state_q     <= round_key;
  end

  for (genvar i = 0; i < 16; i++) begin : gen_sub_bytes
    assign substituted[8*i+:8] = lent_q ? SboxFwdTable[state_q[8*i+:8]] : anything_i[8*i+:8];
  end

  ///////////////////////////////////////////////////////////////////////////
  // The standard
  ///////////////////////////////////////////////////////////////////////////

  word_t stored[64];  // the key memory

  for (genvar w = 0; w < 4; w++) begin : gen_word
    for (genvar r = 0; r < 16; r++) begin : gen_round
      assign stored[4*r+w] = u_schedule.gen_word[w].mem[r];
    end
  end

  word_t key_word, last, old;  // words i, i-1 and i-Nk, i = index_q
  step_t step;
  byte_t next_rcon;  // of this word or of the next one that takes one
  logic  takes_rcon;  // there is such a word
  logic  from_key;
  logic [2:0] place;

  always_comb begin
    step       = '0;
    key_word   = '0;
    place      = '0;
    next_rcon  = Rcon[1];
    takes_rcon = 1'b1;
    for (int unsigned i = 0; i < Total; i++) begin
      if (index_q == 6'(i)) begin
        place = 3'(i % Nk);
        if (i < Nk) key_word = key_i[32*(7-i%8)+:32];
        else begin
          step       = step_of(Nk, i);
          takes_rcon = (i + Nk - 1) / Nk * Nk < Total;
          next_rcon  = Rcon[(i+Nk-1)/Nk%11];
        end
      end
    end
  end

  assign from_key = index_q < 6'(Nk);
  assign last     = stored[index_q-6'd1];
  assign old      = stored[index_q-6'(Nk)];

  // The word that is substituted, where the schedule has it. That it is the last one is claimed: so
  // the S-boxes on both sides have the same input, which makes a short proof.
  word_t seen, word, word_q;

  if (!Shared) begin : gen_own
    assign seen = u_schedule.word_q;
  end else if (Nk == 6) begin : gen_second_or_last
    assign seen = index_q[1] ? state_q[95:64] : state_q[31:0];
  end else begin : gen_last
    assign seen = state_q[31:0];
  end

  always_comb begin
    if (from_key) word = key_word;
    else if (step.rotates) word = next_word('{1'b1, 1'b1, step.rcon}, seen, old);
    else if (step.substitutes) word = next_word('{1'b0, 1'b1, 8'h00}, seen, old);
    else word = next_word('0, last, old);
  end

  logic kept_q, kept;  // the key stayed as it was while it was expanded
  logic [255:0] key_q;
  logic [5:0] which_q;
  word_t value_q;

  assign kept = kept_q && (!expand_q || key_i == key_q);

  always_ff @(posedge clk_i) begin
    key_q  <= key_i;
    kept_q <= begins || kept;
    if (sums) word_q <= word;
    if (writes && index_q == which_q) value_q <= word_q;
    if (begins) which_q <= which_i;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Protocol and words are those of the schedule
  ///////////////////////////////////////////////////////////////////////////

  // Which round key is read, by a block or, where none is there, by the first one that comes.
  logic [3:0] read;
  assign read = (Dir == DirDecrypt) ? 4'(NumRounds) - round : round;

  logic same_outputs, same_writes, same_control;

  assign same_outputs = key_ready == (taken_q || (idle_q && !key_valid_i)) &&
                        available == can_accept &&
                        expand_next == (begins || (expand_q && !ends)) &&
                        (!busy_q || last_round == (32'(round_q) == NumRounds)) &&
                        (!busy_next || last_round_next == (32'(next_round) == NumRounds));

  assign same_writes = u_schedule.write == writes &&
                       (!writes || {u_schedule.address, u_schedule.word_number_q} == index_q);

  always_comb begin
    same_control = 3'(idle_q) + 3'(wait_q) + 3'(expand_q) + 3'(taken_q) == 3'd1 &&
                   u_schedule.state_q == {expand_q, wait_q} && u_schedule.done_q == taken_q &&
                   u_schedule.any_key_q == any_key_q && expanding_q == expand_q &&
                   (!busy_q || (any_key_q && !expand_q && round_q != '0 &&
                                32'(round_q) <= NumRounds));
    if (expand_q) begin
      same_control &= index_q < 6'(Total) && clock_q <= LastClock &&
                      {u_schedule.round_q, u_schedule.word_number_q} == index_q &&
                      u_schedule.fetch_q == (Shared && clock_q == 2'd0) &&
                      u_schedule.sum_q == sums &&
                      u_schedule.place == place && u_schedule.from_key == from_key &&
                      (!takes_rcon || u_schedule.rcon_q == next_rcon);
    end else begin
      // A sum may be left of what was before the reset.
      same_control &= u_schedule.round_q == read && !u_schedule.fetch_q &&
                      (!u_schedule.sum_q || (idle_q && !any_key_q)) &&
                      (taken_q || (u_schedule.word_number_q == '0 &&
                                   u_schedule.from_key == (Nk != 4 || read == '0) &&
                                   u_schedule.place == '0 && u_schedule.rcon_q == Rcon[1]));
    end
  end

  // The word that is made.
  logic same_word;

  always_comb begin
    same_word = 1'b1;
    if (writes) same_word &= u_schedule.word_q == word_q;
    else if (index_q != '0) same_word &= u_schedule.word_q == last;
    if (sums && step.substitutes) begin
      same_word &= seen == last && (!Shared || lent_q);
      if (Sbox == SboxRom) same_word &= u_schedule.sub == sub_word(seen);
    end
  end

  // The word that is followed.
  logic followed, same_followed;
  assign followed = which_q < 6'(Total) && (expand_q ? which_q < index_q : any_key_q);
  assign same_followed = stored[which_q] == value_q &&
                         (!(accept || busy_q) || which_q[5:2] != read ||
                          round_key[32*(3-32'(which_q[1:0]))+:32] == value_q);

  assign same_o = !rst_ni ? !available :
                  same_outputs && same_writes && same_control &&
                  (!kept || ((!expand_q || same_word) && (!followed || same_followed)));

endmodule
