// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_key_filler around its expander, for ever: by induction over one clock. What the expander makes
// of a key is in key_expander_miter; here is that it is asked for it and where every word goes:
//
//   idle --key--> wait --not blocked--> give group 0, 1, ... 4 (Nr + 1) / NumWords - 1 --> switch
//
// same_o says that all outputs are those of this and the steps of the expander are the groups, the
// last one of a window left out; and that mixed_words_o are the words, those of rounds 1 to Nr - 1
// after InvMixColumns (FIPS 197, section 5.3.5).
//
// With Levels the expander says when it gives, no two clocks one after the other (key_expander_miter),
// and words_o are those of a clock ago, mixed_words_o those of two clocks ago:
//
//   idle --key--> wait --not blocked a clock ago--> give --last--> flush, 2 clocks --> switch
//
// With Outside there is no expander: words_o are those at the port in the clocks in which they are
// offered and taken, which are clocks of give, and no others; mixed_words_o those behind them.

module key_filler_miter
  import aes_pkg::*;
#(
  parameter key_size_e   KeySize  = KeySizeAny,
  parameter bit          Recall   = 1'b0,
  parameter int unsigned NumBanks = 2,
  parameter int unsigned NumWords = 2,
  parameter int unsigned Levels   = 0,
  parameter bit          Outside  = 1'b0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         key_valid_i,
  input  logic [255:0] key_i,
  input  logic [1:0]   key_len_i,
  input  logic         round_key_valid_i,
  input  logic         blocked_i,
  input  word_t [1:0]  old_i,
  output logic         same_o
);

  localparam bit Staged = Levels != 0;

  logic
      key_ready, round_key_ready, start, write, switch_next, switching, fill_bank, bank, available;
  logic [5:0] index;
  logic [2:0] recalled;
  logic [NumBanks-1:0][1:0] bank_len;
  word_t [NumWords-1:0] words, mixed_words;

  aes_key_filler #(
    .Sbox    (Outside ? SboxNone : SboxTable),
    .KeySize (KeySize),
    .NumBanks(NumBanks),
    .Recall  (Recall),
    .NumWords(NumWords),
    .Levels  (Levels)
  ) u_filler (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o      (key_ready),
    .key_i,
    .key_len_i,
    .round_key_valid_i,
    .round_key_ready_o(round_key_ready),
    .blocked_i,
    .start_o          (start),
    .write_o          (write),
    .index_o          (index),
    .words_o          (words),
    .old_i,
    .recall_o         (recalled),
    .mixed_words_o    (mixed_words),
    .switch_next_o    (switch_next),
    .switch_o         (switching),
    .fill_bank_o      (fill_bank),
    .bank_o           (bank),
    .bank_len_o       (bank_len),
    .available_o      (available)
  );

  ///////////////////////////////////////////////////////////////////////////
  // The filling of a bank
  ///////////////////////////////////////////////////////////////////////////

  logic idle_q, wait_q, give_q, switch_q, last;
  logic [1:0] flush_q;
  logic blocked, waited_q, blocked_q, gives, gave_q, valid, ends;
  logic bank_q, any_key_q;
  logic [5:0] group_q;
  int unsigned num_groups;
  logic [1:0] len, len_q;
  logic [NumBanks-1:0][1:0] bank_len_q;
  logic [NumBanks-1:0] filled_q;  // something was written to the bank
  logic filling;

  assign filling = NumBanks == 2 && !bank_q;
  assign len  = (KeySize == KeySizeAny) ? key_len_i : max_key_len(KeySize);
  assign num_groups = 4 * (32'(num_rounds(len_q)) + 1) / NumWords;
  assign last = 32'(group_q) + 1 == num_groups;

  assign blocked = Staged ? blocked_q : blocked_i;
  assign gives   = give_q && valid;
  assign ends    = Staged ? flush_q[1] : gives && last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {idle_q, wait_q, give_q, switch_q} <= 4'b1000;
      flush_q                            <= '0;
      bank_q                             <= 1'b0;
      any_key_q                          <= 1'b0;
      filled_q                           <= '0;
    end else begin
      idle_q   <= switch_q || (idle_q && !key_valid_i);
      wait_q   <= (idle_q && key_valid_i) || (wait_q && blocked);
      give_q   <= (wait_q && !blocked) || (give_q && !(gives && last));
      flush_q  <= {flush_q[0], Staged && gives && last};
      switch_q <= ends;
      // The words of the last group are read in the clock in which it is switched.
      if (ends) bank_q <= filling;
      if (switch_q) any_key_q <= 1'b1;
      if (gives) filled_q[filling] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (idle_q && key_valid_i) len_q <= len;
    group_q   <= gives ? group_q + 6'd1 : give_q ? group_q : '0;
    waited_q  <= wait_q;
    blocked_q <= blocked_i || !waited_q;
    gave_q    <= valid;
    if (gives) bank_len_q[filling] <= len_q;
  end

  ///////////////////////////////////////////////////////////////////////////
  // The filler
  ///////////////////////////////////////////////////////////////////////////

  logic load, step, same_expander;
  logic [2:0] pairs;  // in a key of the length that the expander is told
  logic [1:0] expander_len;
  word_t [NumWords-1:0] made, mixable;
  logic inner, inner_q, same_registers;

  if (Staged) begin : gen_staged
    word_t [1:0] made_q, made_before_q, corrected;
    logic round_inner_q, was_idle_q;

    assign load         = u_filler.gen_staged.u_expander.load_i;
    assign step         = u_filler.gen_staged.u_expander.start_i;
    assign expander_len = u_filler.gen_staged.u_expander.len_i;
    assign made         = u_filler.gen_staged.u_expander.words_o;
    assign valid        = u_filler.gen_staged.u_expander.valid_o;

    always_ff @(posedge clk_i) begin
      made_q        <= made;
      made_before_q <= made_q;
      round_inner_q <= inner;
      inner_q       <= round_inner_q;
      was_idle_q    <= idle_q;
    end

    for (genvar w = 0; w < 2; w++) begin : gen_word
      aes_inv_mix_correction #(
        .Dir(DirDecrypt)
      ) u_correction (
        .decrypt_i(1'b1),
        .column_i (made_q[w]),
        .column_o (corrected[w])
      );
    end

    // The last key that is offered while it is idle is the one that is taken.
    assign same_expander = load == idle_q && step == (wait_q && !blocked) &&
                           (idle_q || (expander_len == len_q && words == made_q));
    // The reset leaves them as they are.
    assign same_registers = idle_q ? !rst_ni || !(waited_q || u_filler.gen_staged.waiting_q) :
                            (u_filler.gen_staged.blocked_q == blocked_q &&
                             u_filler.gen_staged.waiting_q == waited_q &&
                             u_filler.gen_staged.flushed_q == {switch_q, flush_q[1] | switch_q} &&
                             u_filler.state_q == (wait_q ? 2'd1 : give_q ? 2'd2 : 2'd3) &&
                             u_filler.gen_staged.corrected_q == corrected &&
                             (was_idle_q ? wait_q && blocked_q
                                         : u_filler.gen_staged.inner_q == round_inner_q) &&
                             (!give_q || gave_q || u_filler.gen_staged.last_step_q == last));
    assign mixable = made_before_q;
  end else if (Outside) begin : gen_outside
    assign load         = 1'b0;
    assign step         = 1'b0;
    assign expander_len = len_q;
    assign made         = key_i[255-:32*NumWords];
  end else if (Recall) begin : gen_recall
    assign load         = u_filler.gen_straight.gen_recall.u_expander.load_i;
    assign step         = u_filler.gen_straight.gen_recall.u_expander.step_i;
    assign expander_len = u_filler.gen_straight.gen_recall.u_expander.len_i;
    assign made         = u_filler.gen_straight.gen_recall.u_expander.words_o;
  end else begin : gen_window
    assign load         = u_filler.gen_straight.gen_window.u_expander.load_i;
    assign step         = u_filler.gen_straight.gen_window.u_expander.step_i;
    assign expander_len = u_filler.gen_straight.gen_window.u_expander.len_i;
    assign made         = u_filler.gen_straight.gen_window.u_expander.words_o;
  end

  if (!Staged) begin : gen_straight
    assign valid         = !Outside || round_key_valid_i;
    assign mixable       = Outside ? key_i[255-32*NumWords-:32*NumWords] : made;
    assign inner_q       = inner;
    assign same_expander = words == made &&
                           (Outside || (load == (idle_q && key_valid_i) &&
                                        step == (give_q && (Recall || !last)) &&
                                        (idle_q || expander_len == len_q)));
    assign same_registers = 1'b1;
  end

  always_comb begin
    case (expander_len)
      KeyLen128: pairs = 3'd2;
      KeyLen192: pairs = 3'd3;
      default:   pairs = 3'd4;
    endcase
  end

  // Its index is counted from zero and stands in the clocks of give; its bank follows in one clock.
  logic same_state, same_outputs, same_lengths;

  always_comb begin
    same_lengths = (!any_key_q && !switch_q) || filled_q[bank_q];
    for (int unsigned b = 0; b < NumBanks; b++) begin
      if (filled_q[b] && bank_len[b] != bank_len_q[b]) same_lengths = 1'b0;
    end
  end

  assign same_outputs = {key_ready, start, write, switching} ==
                            {idle_q, wait_q && !blocked, gives, switch_q} &&
                        switch_next == ends && bank == bank_q && fill_bank == filling &&
                        same_lengths &&
                        available == (any_key_q && (NumBanks == 2 || idle_q)) &&
                        recalled == (Recall ? pairs : 3'd0) &&
                        round_key_ready == (Outside && give_q);
  assign same_state   = (idle_q || index == group_q) &&
                        (!give_q || 32'(group_q) < num_groups) && (!wait_q || group_q == '0) &&
                        (idle_q || u_filler.fill_len_q == len_q) &&
                        3'(idle_q) + 3'(wait_q) + 3'(give_q) + 3'(switch_q) + 3'(flush_q[0]) +
                            3'(flush_q[1]) == 3'd1 &&
                        (flush_q == '0 || filled_q[filling]) && same_registers;

  // InvMixColumns itself is in mix_columns_miter.
  word_t [NumWords-1:0] inverse;
  logic  [         3:0] round;

  assign round = 4'(32'(group_q) * NumWords / 4);

  aes_mix_columns #(
    .Dir       (DirDecrypt),
    .NumColumns(NumWords)
  ) u_mix_columns (
    .decrypt_i(1'b1),
    .state_i  (mixable),
    .state_o  (inverse)
  );

  logic same_mixed;
  assign inner      = round != '0 && round != num_rounds(len_q);
  assign same_mixed = !gives || mixed_words == (inner_q && !Outside ? inverse : mixable);

  // Nothing is claimed once an expander has given in two clocks one after the other.
  logic claimed_q, broken;
  assign broken = Staged && valid && gave_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) claimed_q <= 1'b1;
    else if (broken) claimed_q <= 1'b0;
  end

  assign same_o = !claimed_q || broken ||
                  (same_expander && same_outputs && same_state && same_mixed);

endmodule
