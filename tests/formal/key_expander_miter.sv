// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_key_expander beside KeyExpansion (FIPS 197, section 5.2), word by word, for every key and for
// ever: by induction over one clock.
//
//   h_q[0 ... Nk-1]   words j-Nk to j-1 of the expansion, j = index_q: what the standard says
//   same_o            the registers of the expander belong to these words, and words_o are the next
//                     ones of the expansion
//
// Where same_o holds in a clock it holds in the next one, whatever the inputs. Nothing is claimed
// (and same_o is high) from the start, from an access against the protocol, and from the end of the
// expansion, until a key is loaded; so same_o holds for ever.
//
// With RECALL it is aes_key_expander_recall, whose window is the memory: it is given the words j-Nk
// and j-Nk+1. Its first words are those of the key, so there j begins at 0, and until it is Nk the
// words h_q are the key.
//
// With STAGED it is aes_key_expander_staged, which steps by itself: what has stood still for how many
// clocks (age_q) is in which of its registers.

module key_expander_miter
  import aes_pkg::*;
  import key_expansion_pkg::*;
#(
  parameter key_size_e   KeySize  = KeySize128,
  parameter int unsigned NumWords = 2,           // words a step
  parameter int unsigned Nk       = 4,           // words in the keys of which is spoken
  parameter bit          Held     = 1'b0,        // see aes_key_expander_recall
  parameter int unsigned Levels   = 1            // see aes_key_expander_staged
) (
  input  logic                 clk_i,
  input  logic                 load_i,
  input  logic [255:0]         key_i,
  input  logic [1:0]           len_i,       // while nothing is claimed
  input  logic                 other_i,     // the key that is loaded has another length
  input  logic                 step_i,      // STAGED: the steps begin
  input  word_t [NumWords-1:0] anything_i,  // what stands in a memory that was not written
  output logic                 same_o
);

  // Words in an expansion, 4 (Nr + 1).
  localparam int unsigned Total = 4 * (Nk + 7);

`ifdef RECALL
  localparam bit Recall = 1'b1;
`else
  localparam bit Recall = 1'b0;
`endif

  // The expander gives a word Nk words after it made it, the recalling one when it makes it.
  localparam int unsigned End = Recall ? Total : Total + Nk;

  ///////////////////////////////////////////////////////////////////////////
  // The standard
  ///////////////////////////////////////////////////////////////////////////

  logic       claimed_q;
  logic       loaded_q;   // in the last clock
  logic [6:0] index_q;    // j, the word that is made next
  word_t      h_q[Nk];

  logic in_key, allowed, step;
  assign in_key = index_q < 7'(Nk);

  // The words from j on, and what the standard asks for each.
  word_t words[NumWords];
  step_t steps[NumWords];
  byte_t next_rcon;   // of j or of the next word that takes one
  logic  takes_rcon;  // there is such a word

  always_comb begin
    for (int unsigned n = 0; n < NumWords; n++) steps[n] = '0;
    next_rcon  = Rcon[1];
    takes_rcon = in_key;
    for (int unsigned i = Nk; i < Total; i += NumWords) begin
      if (index_q == 7'(i)) begin
        for (int unsigned n = 0; n < NumWords; n++) steps[n] = step_of(Nk, i + n);
        takes_rcon = (i + Nk - 1) / Nk * Nk < Total;
        next_rcon  = Rcon[(i+Nk-1)/Nk%11];
      end
    end
  end

  always_comb begin
    for (int unsigned n = 0; n < NumWords; n++) begin
      words[n] = next_word(steps[n], (n == 0) ? h_q[Nk-1] : words[n-1], h_q[n]);
    end
  end

  // What next_word has substituted for its sum.
  word_t sub;
  assign sub = words[0] ^ h_q[0] ^ {steps[0].rcon, 24'h0};

  always_ff @(posedge clk_i) begin
    loaded_q <= load_i;
    if (load_i) begin
      claimed_q <= ~other_i;
      index_q   <= Recall ? '0 : 7'(Nk);
      for (int unsigned i = 0; i < Nk; i++) h_q[i] <= key_i[32*(7-i)+:32];
    end else if (!allowed || index_q >= 7'(End)) begin
      claimed_q <= 1'b0;
    end else if (step) begin
      index_q <= index_q + 7'(NumWords);
      if (!in_key) begin
        for (int unsigned i = 0; i < Nk; i++) begin
          h_q[i] <= (i + NumWords < Nk) ? h_q[(i+NumWords)%Nk] : words[(i+NumWords)%Nk];
        end
      end
    end
  end

  // Which group of words of its key-length group the next one is.
  logic [6:0] phase;
  logic counted;

  always_comb begin
    phase   = '0;
    counted = 1'b0;
    for (int unsigned i = Recall ? 0 : Nk; i < Total + Nk; i += NumWords) begin
      if (index_q == 7'(i)) begin
        phase   = 7'(i % Nk / NumWords);
        counted = 1'b1;
      end
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // The expander
  ///////////////////////////////////////////////////////////////////////////

  word_t [NumWords-1:0] realised, old;
  logic [1:0] len;
  logic same_words, same_state;

  assign len = claimed_q ? 2'(Nk / 2 - 2) : len_i;

  always_comb begin
    old = anything_i;
    if (!in_key) for (int unsigned n = 0; n < NumWords; n++) old[NumWords-1-n] = h_q[n];
  end

`ifdef RECALL
  logic [2:0] pairs;

  aes_key_expander_recall #(
    .KeySize(KeySize),
    .Held   (Held)
  ) u_expander (
    .clk_i,
    .load_i,
    .key_i,
    .len_i  (len),
    .step_i,
    .old_i  (old),
    .pairs_o(pairs),
    .words_o(realised)
  );

  // After the key a word is made in every clock: SubWord is of the words of the last one.
  assign step    = step_i;
  assign allowed = step_i || in_key;

  localparam int unsigned MaxPairs = key_width(KeySize) / 64;

  // With Held: what was decided a clock before.
  logic same_decisions;
  if (Held) begin : gen_decisions
    assign same_decisions =
        u_expander.gen_decided.adds_sub_q == (phase == '0 || (Nk == 8 && phase == 7'd2)) &&
        u_expander.gen_decided.adds_rcon_q == (phase == '0 ? u_expander.rcon_q : '0) &&
        u_expander.gen_decided.next_middle_q == (Nk == 8 && phase == 7'd1);
  end else begin : gen_no_decisions
    assign same_decisions = 1'b1;
  end

  always_comb begin
    same_words = 1'b1;
    same_state = u_expander.from_key_q == in_key && pairs == 3'(Nk / 2) && same_decisions;
    for (int unsigned i = 0; i < Nk; i += 2) begin
      if (index_q == 7'(i)) begin
        same_words &= realised == {h_q[i], h_q[i+1]};
        same_state &= i == 0 || u_expander.last_q == h_q[(i+Nk-1)%Nk];
        for (int unsigned p = i / 2; p < Nk / 2; p++) begin
          same_state &= u_expander.key_q[MaxPairs-1-(Held?p : p-i/2)] == {h_q[2*p], h_q[2*p+1]};
        end
      end
    end
    if (!in_key) begin
      same_words &= realised == {words[0], words[1]};
      same_state &= u_expander.last_q == h_q[Nk-1];
      if (steps[0].substitutes) same_state &= u_expander.sub == sub;
    end
  end
`elsif STAGED
  aes_key_expander_staged #(
    .KeySize(KeySize),
    .Levels (Levels)
  ) u_expander (
    .clk_i,
    .load_i,
    .key_i,
    .len_i  (len),
    .start_i(step_i),
    .valid_o(step),
    .words_o(realised)
  );

  // The step that is under way: clocks since the words stand still, clocks to its end, and the clocks
  // that it takes.
  logic started_q;
  logic [4:0] age_q, left_q;
  int unsigned clocks;
  logic first, middle;

  assign allowed = !(step_i && (started_q || loaded_q));

  always_comb begin
    first  = phase == '0;
    middle = Nk == 8 && phase == 7'd2;
    clocks = (first || middle) ? Levels + 5 : 4;
  end

  // Of the step after this one.
  logic [4:0] next_clocks;
  logic next_first, next_middle;

  always_comb begin
    next_first  = 32'(phase) + 1 == Nk / 2;
    next_middle = Nk == 8 && phase == 7'd1;
    next_clocks = (next_first || next_middle) ? 5'(Levels + 5) : 5'd4;
  end

  always_ff @(posedge clk_i) begin
    age_q  <= (load_i || step) ? '0 : (&age_q) ? age_q : age_q + 5'd1;
    left_q <= left_q - 5'd1;
    if (load_i) started_q <= 1'b0;
    else if (step_i) begin
      started_q <= 1'b1;
      left_q    <= 5'(Levels + 4);
    end else if (step) left_q <= next_clocks - 5'd1;
  end

  word_t rotated;
  assign rotated = middle ? h_q[Nk-1] : {h_q[Nk-1][23:0], h_q[Nk-1][31:24]};

  always_comb begin
    same_words = realised == {h_q[0], h_q[1]};
    same_state = u_expander.first_q == first && u_expander.middle_q == middle &&
                 u_expander.sub_q == (first || middle) &&
                 u_expander.wait_q == (started_q ? (Levels + 5)'(1) << left_q : '0) &&
                 (started_q ? !loaded_q && 32'(left_q) < clocks &&
                              32'(age_q) + 32'(left_q) + 1 >= clocks
                            : index_q == 7'(Nk));
    // What follows from the phase, and in which place of the window the newest words are.
    if (age_q >= 5'd1) begin
      same_state &= u_expander.next_first_q == next_first &&
                    u_expander.next_middle_q == next_middle &&
                    7'(u_expander.next_phase_q) == (next_first ? '0 : phase + 7'd1);
    end
    if (KeySize == KeySizeAny && !loaded_q) begin
      same_state &= u_expander.newest_at_q == 4'(1 << (Nk / 2 - 1));
    end
    for (int unsigned i = 0; i < Nk; i++) begin
      if (index_q + 7'(i) < 7'(Total + Nk)) begin
        same_state &= u_expander.window_q[i/2][1-i%2] == h_q[i];
      end
    end
    if (index_q < 7'(Total)) begin
      if (age_q >= 5'd1) begin
        same_state &= u_expander.newest_q == h_q[Nk-1] && u_expander.rcon_here_q == steps[0].rcon;
      end
      if (steps[0].substitutes) begin
        if (age_q >= 5'd2) same_state &= u_expander.sub_in_q == rotated;
        if (32'(age_q) >= Levels + 2) same_state &= u_expander.sub == sub;
      end
      if (32'(age_q) + 2 >= clocks) same_state &= u_expander.t_q == (words[0] ^ h_q[0]);
      if (32'(age_q) + 1 >= clocks) same_state &= u_expander.pair_q == {words[0], words[1]};
    end
  end

  logic unused_old;
  assign unused_old = ^old;
`else
  assign step = step_i;

  aes_key_expander #(
    .KeySize (KeySize),
    .NumWords(NumWords)
  ) u_expander (
    .clk_i,
    .load_i,
    .key_i,
    .len_i  (len),
    .step_i,
    .words_o(realised)
  );

  assign allowed = !(loaded_q && step_i);

  // The words j-Nk to j-1 are in the window; those behind the end are of no expansion.
  always_comb begin
    same_words = 1'b1;
    same_state = loaded_q || !steps[0].substitutes || u_expander.sub == sub;
    for (int unsigned n = 0; n < NumWords; n++) begin
      same_words &= realised[NumWords-1-n] == h_q[n];
    end
    for (int unsigned i = 0; i < Nk; i++) begin
      if (index_q + 7'(i) < 7'(Total + Nk)) begin
        same_state &= u_expander.window_q[i/NumWords][NumWords-1-i%NumWords] == h_q[i];
      end
    end
  end

  logic unused_old;
  assign unused_old = ^old;
`endif

  assign same_o = !claimed_q || index_q >= 7'(End) ||
                  (same_words && same_state && counted && 7'(u_expander.phase_q) == phase &&
                   (!takes_rcon || u_expander.rcon_q == next_rcon));

endmodule
