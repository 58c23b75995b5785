// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys of a key that stays on its port until they are all made: a word at a time into LUT RAM of
// one port, which is the window of the expansion, too. The key has no register.
//
//   key_i --[ mux ]---------------------------------------+
//                                                         |
//            +--[ mux ]-- w[i-Nk] --(+)-----------------[ mux ]--|R|-- w[i] --+
//            |                       |                            |           |
//            |                       +--[ w[i-1], or SubWord ]----+           |
//            |                                                                |
//            +-----------------[ key memory, a round key wide ]---------------+
//            |
//            +-- round_key_o
//
//   SubWord     clocks a word
//   its own     2: w[i-Nk] is read; w[i] is written                          after SubWord a register
//   SboxShared  3: w[i-1] is read, for the state to take it, by which it comes to the S-boxes of the
//               rounds and back as substituted_i; then as above
//
//   clock t             a key is offered: key_valid_i rises; key_ready_o falls with it
//   clock t+1           waits while a block is under way
//   clock t+2 ...       4 (Nr + 1) words
//   t + key_setup       key_ready_o is high: the key is taken, and the current one (aes_pkg)
//
// So key_ready_o follows key_valid_i in the same clock: high while none is offered, low while one is
// expanded. No block is accepted from clock t+1 to the last word. After reset no key is current; old
// round keys stay in the memory, out of reach.
//
// Of a bit of a word there are five LUT6 for 128-bit keys (both multiplexers, the sum, one LUT of
// memory for two bits of a round key), and two more for longer ones.

module aes_key_schedule_offered
  import aes_pkg::*;
#(
  parameter sbox_e     Sbox    = SboxShared,
  parameter dir_e      Dir     = DirEncrypt,  // DirEncrypt or DirDecrypt: the order of reading
  parameter key_size_e KeySize = KeySize128   // one size
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,         // first byte at the top

  input  logic         accept_i,      // a block enters: round_key_o is its first one
  input  logic         busy_i,        // a block is under way
  output logic         available_o,   // a key is current: blocks can be accepted
  input  block_t       substituted_i, // SboxShared: SubBytes of round_key_o of the clock before
  output block_t       round_key_o,   // of this clock
  output logic         last_round_o,  // it is the last one of its block
  output logic         last_round_next_o,  // that of the next clock is
  output logic         expand_next_o  // the next clock is one of the expansion
);

  localparam bit Shared = Sbox == SboxShared;
  localparam int unsigned NumRounds = 32'(num_rounds(max_key_len(KeySize)));
  localparam int unsigned NumWords = key_width(KeySize) / 32;  // Nk

  localparam logic [3:0] FirstRound = (Dir == DirDecrypt) ? 4'(NumRounds) : 4'd0;
  localparam logic [3:0] LastRound = (Dir == DirDecrypt) ? 4'd0 : 4'(NumRounds);

  // Small sums without the carry chains that Yosys makes of operators.
  function automatic logic [3:0] more(logic [3:0] n);
    return n ^ {&n[2:0], &n[1:0], n[0], 1'b1};
  endfunction

  function automatic logic [3:0] less(logic [3:0] n);
    return n ^ {~|n[2:0], ~|n[1:0], ~n[0], 1'b1};
  endfunction

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  typedef enum logic [1:0] {
    StReady,  // hears of a key
    StWait,   // for a block under way
    StExpand
  } state_e;

  state_e state_q, state_d;
  logic done_q, any_key_q;
  logic [3:0] round_q, round_d;  // of the word that is made, or of the key that is read
  logic [1:0] word_number_q;  // of the word that is made, in its round key
  logic fetch_q, sum_q;  // phases of a word; the last one is that of its write
  logic write, ended;

  assign write = state_q == StExpand && !fetch_q && !sum_q;
  assign ended = write && word_number_q == 2'd3 && round_q == 4'(NumRounds);

  always_comb begin
    case (state_q)
      StReady: state_d = (key_valid_i && !done_q) ? StWait : StReady;
      StWait:  state_d = busy_i ? StWait : StExpand;
      default: state_d = ended ? StReady : StExpand;
    endcase
  end

  logic next_word;  // the next clock is the first one of a word
  assign next_word = expand_next_o && !fetch_q && !sum_q;

  always_comb begin
    if (state_q == StExpand && !ended) begin
      round_d = (write && word_number_q == 2'd3) ? more(round_q) : round_q;
    end else if (state_q == StWait && !busy_i) round_d = '0;
    else if (accept_i || (busy_i && !last_round_o)) begin
      round_d = (Dir == DirDecrypt) ? less(round_q) : more(round_q);
    end else round_d = FirstRound;
  end

  assign last_round_next_o = round_d == LastRound;
  assign expand_next_o     = state_d == StExpand;

  logic last_round_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StReady;
      any_key_q <= 1'b0;
      done_q    <= 1'b0;
    end else begin
      state_q <= state_d;
      done_q  <= ended;
      if (ended) any_key_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    round_q      <= round_d;
    fetch_q      <= Shared && next_word;
    sum_q        <= Shared ? fetch_q : next_word;
    last_round_q <= last_round_next_o;
    if (state_q != StExpand) word_number_q <= '0;
    else if (write) word_number_q <= word_number_q ^ {word_number_q[0], 1'b1};
  end

  assign key_ready_o  = state_q == StReady && (!key_valid_i || done_q);
  assign available_o  = any_key_q && state_q == StReady;
  assign last_round_o = last_round_q;

  ///////////////////////////////////////////////////////////////////////////
  // Key memory: where words are read
  ///////////////////////////////////////////////////////////////////////////

  // How many round keys ago the word stands that is wanted, and its number there.
  logic [1:0] back, old_number, from_last;  // from_last: 3 less old_number

  if (NumWords == 6) begin : gen_back_192
    // w[i-1] is asked for where i mod 6 = 0, which makes it word 0 or 2 of its round key.
    always_comb begin
      back = 2'd0;
      if (fetch_q) back = {1'b0, !word_number_q[1]};
      if (sum_q) back = word_number_q[1] ? 2'd1 : 2'd2;
    end
    assign old_number = word_number_q ^ 2'd2;
  end else begin : gen_back
    always_comb begin
      back = 2'd0;
      if (fetch_q) back = 2'd1;
      if (sum_q) back = 2'(NumWords / 4);
    end
    assign old_number = word_number_q;
  end
  assign from_last = 2'd3 - old_number;

  word_t word_q;
  logic [3:0] address;
  word_t [3:0] round_key;  // [3] is word 0

  always_comb begin
    case (back)
      2'd0:    address = round_q;
      2'd1:    address = less(round_q);
      default: address = {3'(less({1'b1, round_q[3:1]})), round_q[0]};
    endcase
  end

  for (genvar w = 0; w < 4; w++) begin : gen_word
    (* no_rw_check, ram_style = "distributed" *) word_t mem[16];
    always_ff @(posedge clk_i) begin
      if (write && word_number_q == 2'(w)) mem[address] <= word_q;
    end
    assign round_key[3-w] = mem[address];
  end

  assign round_key_o = round_key;

  ///////////////////////////////////////////////////////////////////////////
  // KeyExpansion (FIPS 197, section 5.2)
  ///////////////////////////////////////////////////////////////////////////

  logic [2:0] place, from_end;  // i mod Nk, and Nk - 1 less that
  logic from_key, at_start, at_middle;
  byte_t rcon_q;
  word_t [NumWords-1:0] key_words;  // the first one at the top
  word_t key_word, sub, sum;

  if (NumWords == 4) begin : gen_place_128
    assign place    = {1'b0, word_number_q};
    assign from_key = round_q == '0;
  end else begin : gen_place
    logic [2:0] place_q;
    logic       from_key_q;
    always_ff @(posedge clk_i) begin
      if (state_q != StExpand) begin
        place_q    <= '0;
        from_key_q <= 1'b1;
      end else if (write) begin
        place_q <= (place_q == 3'(NumWords - 1)) ? '0 : 3'(more({1'b0, place_q}));
        if (place_q == 3'(NumWords - 1)) from_key_q <= 1'b0;
      end
    end
    assign place    = place_q;
    assign from_key = from_key_q;
  end

  assign at_start  = place == 3'd0;
  assign at_middle = NumWords == 8 && place == 3'd4;
  assign key_words = key_i[255-:32*NumWords];
  assign from_end  = 3'(NumWords - 1) - place;
  assign key_word  = key_words[from_end];

`ifndef SYNTHESIS
  // What is read where there is no word, simulation and synthesis do not agree on.
  always_ff @(posedge clk_i) begin
    if (state_q == StExpand) begin
      assert (4'(from_end) < 4'(NumWords))
      else $error("key_words has no such word");
    end
  end
`endif

  if (Shared) begin : gen_shared
    // The last word of a round key, or, for 192-bit keys, in two of four places the second one.
    assign sub = (NumWords == 6 && word_number_q[1]) ? substituted_i[95:64] : substituted_i[31:0];
  end else begin : gen_own
    aes_sub_bytes #(
      .Sbox    (Sbox),
      .Dir     (DirEncrypt),
      .Levels  ((Sbox == SboxRom) ? 1 : 0),
      .NumBytes(4)
    ) u_sub_word (
      .clk_i,
      .decrypt_i(1'b0),
      .bytes_i  (word_q),
      .bytes_o  (sub)
    );
  end

  always_comb begin
    sum = round_key[from_last];
    if (at_start) sum ^= rot_word(sub) ^ {rcon_q, 24'b0};
    else if (at_middle) sum ^= sub;
    else sum ^= word_q;
  end

  // Bit 0 of each byte hears of the sum in another way, which says the same: see
  // aes_core_iterative_compact.
  word_t word_d;
  assign word_d = from_key ? key_word : sum;

  for (genvar i = 0; i < 4; i++) begin : gen_byte
    always_ff @(posedge clk_i) begin
      if (sum_q) word_q[8*i+1+:7] <= word_d[8*i+1+:7];
      if (sum_q && state_q == StExpand) word_q[8*i] <= word_d[8*i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q != StExpand) rcon_q <= 8'h01;
    else if (write && at_start && !from_key) rcon_q <= xtime(rcon_q);
  end

  logic unused_inputs;
  assign unused_inputs = ^{key_i, substituted_i};

endmodule
