// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Stored round keys of a narrow core in which two blocks take turns: the key memory, and the expansion
// of a key through the adder and the S-boxes of the data path while no block is under way.
//
//   key_i --[ key register ]-- word --+
//   word_i (w[i-1]) ------------------+--(+)--|R|-- key_o[2] --+
//   substituted_i (+ Rcon) -----------+                        |
//                                                              +--( + of the core )-- word_i (w[i])
//             +--[ rounds 8 ...  ]--|R|-- key_o[1] ------------+                          |
//   word_i ---+                                                |                          |
//             +--[ rounds 0 to 7 ]--|R|-- key_o[0] ------------+                          |
//                                                              +---- write ---------------+
//
// A word of a round key is the sum of the three words of key_o. What must not be added is zero by the
// synchronous reset of its register: the half of the memory that is not read, key_o[2] while blocks
// are processed, and everything in most clocks of an expansion.
//
//   clock c        word_i is w[i-1], and is written
//   clock c        it is taken for key_o[2]                    w[i] is none of those below
//   clock c + 3    its SubWord, or a word of the key, is       i mod Nk = 0 and the like; i < Nk
//   3 clocks later word_i is w[i]                              w[i-Nk] was read meanwhile
//
//   clock t             the key is taken                       key_ready_o falls
//   clock t+1           waits while busy_i
//   clock t+8           the first word is taken: what in_ready_o let in at clock t is past word_i
//   clock t+11          the first of 4 (Nr+1) words is written
//   t + key_setup       the key is the current one (aes_pkg)   key_ready_o rises
//
// While no key is expanded, key_o is word part_i of round key round_i, two clocks later.

module aes_key_turns
  import aes_pkg::*;
#(
  parameter key_size_e KeySize = KeySize128,
  parameter bit        OneWord = 1'b0,        // key_o[0] is all that was read, key_o[1] zero
  parameter bit        Clear   = 1'b0         // keep no word of the last key
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,          // first byte at the top
  input  logic [1:0]   key_len_i,      // key_len_e; read only when KeySize is KeySizeAny

  input  logic         busy_i,         // a block is under way
  output logic         available_o,    // a key is current: blocks can be accepted
  output logic         available_next_o,  // that of the next clock
  output logic [3:0]   last_round_o,   // Nr of the current key

  input  logic [3:0]   round_i,
  input  logic [1:0]   part_i,
  output word_t [2:0]  key_o,

  input  word_t        word_i,         // the sum of key_o of two clocks ago, and nothing else
  input  word_t        substituted_i   // SubWord of word_i of three clocks ago
);

  localparam int unsigned Width = key_width(KeySize);
  localparam bit AnyKey = KeySize == KeySizeAny;

  ///////////////////////////////////////////////////////////////////////////
  // Control
  ///////////////////////////////////////////////////////////////////////////

  typedef enum logic [1:0] {
    StReady,   // takes a key
    StWait,    // for blocks under way
    StExpand,
    StSwitch   // the first word of the new key is read
  } state_e;

  state_e state_q;
  logic any_key_q, start, ended, ready, expand;
  logic [1:0] len;

  assign ready  = state_q == StReady;
  assign expand = state_q == StExpand;
  assign start  = state_q == StWait && !busy_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StReady;
      any_key_q <= 1'b0;
    end else begin
      case (state_q)
        StReady:  if (key_valid_i) state_q <= StWait;
        StWait:   if (start) state_q <= StExpand;
        StExpand: if (ended) state_q <= StSwitch;
        default:  state_q <= StReady;
      endcase
      if (ended) any_key_q <= 1'b1;
    end
  end

  assign key_ready_o      = ready;
  assign available_o      = any_key_q & ready;
  assign available_next_o = any_key_q & ((ready & ~key_valid_i) | state_q == StSwitch);

  // Blocks under way keep the length of their key until the expansion of the next one begins.
  if (AnyKey) begin : gen_any
    logic [1:0] len_q, new_len_q;
    always_ff @(posedge clk_i) begin
      if (ready) new_len_q <= key_len_i;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) len_q <= KeyLen128;
      else if (start) len_q <= new_len_q;
    end
    assign len = len_q;
  end else begin : gen_one
    logic unused_len;
    assign unused_len = ^key_len_i;
    assign len        = max_key_len(KeySize);
  end

  assign last_round_o = num_rounds(len);

  // The way of a word: take_q puts together what is added, and three clocks later word_q is high.
  logic take_d, take_q, word_q;
  logic [1:0] sum_q;
  logic [2:0] long_wait_q;
  logic start_q, long_q, last_q, stop_q;

  assign take_d = (sum_q[1] & ~long_q & ~last_q) | long_wait_q[2];
  assign ended  = (word_q & last_q) | stop_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      take_q      <= 1'b0;
      start_q     <= 1'b0;
      sum_q       <= '0;
      word_q      <= 1'b0;
      long_wait_q <= '0;
    end else begin
      take_q      <= take_d;
      start_q     <= start;
      sum_q       <= {sum_q[0], expand & (take_q | start_q)};
      word_q      <= sum_q[1];
      long_wait_q <= {long_wait_q[1:0], sum_q[1] & long_q & ~last_q};
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Which word it is
  ///////////////////////////////////////////////////////////////////////////

  // i mod Nk of the word that is made next, and what follows from it.
  logic [2:0] place_q;
  logic from_key_q, end_of_key, at_start, at_middle;
  logic sub_q, middle_q, first_q;
  byte_t rcon_q;
  logic [5:0] write_index_q;

  always_comb begin
    case (len)
      KeyLen128: end_of_key = place_q[1:0] == 2'd3;
      KeyLen192: end_of_key = place_q[2] & place_q[0];
      default:   end_of_key = &place_q;
    endcase
  end

  assign at_start  = place_q == 3'd0;
  assign at_middle = !(len inside {KeyLen128, KeyLen192}) && place_q == 3'd4;

  // Sums without the carry chains that Yosys makes of operators.
  function automatic logic [5:0] more(logic [5:0] n);
    return n ^ {&n[4:0], &n[3:0], &n[2:0], &n[1:0], n[0], 1'b1};
  endfunction

  always_ff @(posedge clk_i) begin
    if (!expand) begin
      place_q    <= '0;
      from_key_q <= 1'b1;
      rcon_q     <= 8'h01;
    end else if (take_q) begin
      place_q <= end_of_key ? '0 : 3'(more(6'(place_q)));
      if (end_of_key) from_key_q <= 1'b0;
      if (first_q) rcon_q <= xtime(rcon_q);
    end
    // The first word_q of an expansion is written where no word stands. It is one of the key before,
    // or with Clear zero.
    if (!expand) write_index_q <= '1;
    else if (word_q) write_index_q <= more(write_index_q);

    first_q  <= ~from_key_q & at_start;
    middle_q <= at_middle;
    sub_q    <= ~from_key_q & (at_start | at_middle);
    long_q   <= from_key_q | at_start | at_middle;
    last_q   <= write_index_q == {num_rounds(len), 2'b11};
  end

  // What a flipped bit began or lost ends: no word is on its way, or there are more than any key has.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stop_q <= 1'b0;
    else begin
      stop_q <= expand & (~|{start_q, take_q, sum_q, word_q, long_wait_q} |
                          (~from_key_q & (&write_index_q)));
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Key memory
  ///////////////////////////////////////////////////////////////////////////

  localparam int unsigned NumBanks = (KeySize == KeySize128) ? 3 : 4;

  logic [5:0] read_index_q;
  logic no_word_q;
  word_t read[4];
  word_t lower_q, upper_q;

  always_ff @(posedge clk_i) begin
    if (!expand) read_index_q <= {round_i, part_i};
    else if (from_key_q) read_index_q <= '0;
    else if (take_q) read_index_q <= more(read_index_q);
    no_word_q <= (expand | (Clear & start)) & ~(take_d & ~from_key_q);
  end

  for (genvar b = 0; b < 4; b++) begin : gen_bank
    if (b < NumBanks) begin : gen_ram
      (* no_rw_check, ram_style = "distributed" *) word_t mem[16];
      always_ff @(posedge clk_i) begin
        if (word_q && write_index_q[5:4] == 2'(b)) mem[write_index_q[3:0]] <= word_i;
      end
      assign read[b] = mem[read_index_q[3:0]];
    end else begin : gen_none
      assign read[b] = read[b-1];
    end
  end

  if (OneWord) begin : gen_one_word
    always_ff @(posedge clk_i) begin
      if (no_word_q) lower_q <= '0;
      else lower_q <= read[read_index_q[5:4]];
    end
    assign upper_q = '0;
  end else begin : gen_two_words
    always_ff @(posedge clk_i) begin
      if (no_word_q | read_index_q[5]) lower_q <= '0;
      else lower_q <= read_index_q[4] ? read[1] : read[0];
      if (no_word_q | ~read_index_q[5]) upper_q <= '0;
      else upper_q <= read_index_q[4] ? read[3] : read[2];
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // What is added to w[i-Nk] (FIPS 197, section 5.2)
  ///////////////////////////////////////////////////////////////////////////

  logic [Width-1:0] key_q;
  word_t key_word, sub, term_q;

  // Zero follows the words of a key, but where it may be a shorter one.
  assign key_word = (AnyKey && !from_key_q) ? '0 : key_q[Width-1-:32];
  assign sub      = ((middle_q ? substituted_i : rot_word(substituted_i)) & {32{sub_q}}) ^
                    {rcon_q & {8{first_q}}, 24'b0};

  always_ff @(posedge clk_i) begin
    if (ready) key_q <= key_i[255-:Width];
    else if (take_q) key_q <= {key_q[Width-33:0], 32'b0};
    if (!take_q) term_q <= '0;
    else term_q <= word_i ^ key_word ^ sub;
  end

  assign key_o = {term_q, upper_q, lower_q};

  if (Width < 256) begin : gen_unused
    logic unused_key;
    assign unused_key = ^key_i[255-Width:0];
  end

endmodule
