// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys of a pipeline whose blocks bring their keys: a key round beside each round, with as
// many register levels (standaert2003, section 6.1, Fig. 7).
//
//   in_key_i --|in|--+--[ key round 1 ]--+-- ... --[ key round Nr ]--+
//                    |                   |                           |
//                    K(0)                K(1)                        K(Nr)
//
// What flows from key round to key round is a window of Nk words, of which the top four are the
// round key (aes_key_pkg). The key rounds at the end make words that no round key takes: synthesis
// removes their S-boxes, and those of the steps without SubWord.
//
// With RamWidth > 0 keys wait for their SubWord in LUT RAM, all of whose addresses come from one
// counter with a reset. The clock in which the first block after a reset can be accepted is that in
// which it begins to count, so the key must not come to the first memory before the clock after:
// MixLevels must be 2.

module aes_key_pipeline_on_the_fly
  import aes_pkg::*;
  import aes_key_pkg::*;
#(
  parameter  sbox_e       Sbox       = SboxTable,
  parameter  key_size_e   KeySize    = KeySize128,
  parameter  bit          Ahead      = 1'b0,                        // a register behind each key
  parameter  int unsigned RamWidth   = 0,                           // see aes_key_round_staged
  parameter  int unsigned SboxLevels = 1,
  parameter  int unsigned MixLevels  = 1,                           // 1 or 2
  localparam int unsigned NumRounds  = 32'(num_rounds(max_key_len(KeySize)))
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,       // RamWidth > 0 only
  input  logic   [255:0]       in_key_i,
  output block_t [NumRounds:0] round_keys_o  // [r]: of round r, for the block that adds it
);

  localparam int unsigned Width = key_width(KeySize);

  logic [NumRounds:0][Width-1:0] window;

  if (MixLevels == 2) begin : gen_in_register
    logic [Width-1:0] in_key_q;
    always_ff @(posedge clk_i) in_key_q <= in_key_i[255-:Width];
    assign window[0] = in_key_q;
  end else begin : gen_no_in_register
    assign window[0] = in_key_i[255-:Width];
  end

  if (RamWidth > 0 && MixLevels != 2) begin : gen_bad_levels
    $fatal(1, "aes_key_pipeline_on_the_fly: LUT RAM needs MixLevels to be 2");
  end

  // Addresses of the memories, which go from round to round with a clock at each, so that none has
  // a long way. Those of the first round count.
  localparam int unsigned CountWidth = (SboxLevels > 1) ? $clog2(SboxLevels) : 1;
  logic [NumRounds:1][CountWidth-1:0] count;

  if (RamWidth > 0) begin : gen_count
    logic [CountWidth-1:0] count_q;
    logic [NumRounds:2][CountWidth-1:0] late_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) count_q <= '0;
      else count_q <= count_q + CountWidth'(1);
    end
    always_ff @(posedge clk_i) late_q <= count[NumRounds-1:1];
    assign count = {late_q, count_q};
  end else begin : gen_no_count
    assign count = '0;
  end

  for (genvar r = 0; r <= NumRounds; r++) begin : gen_round
    if (r > 0) begin : gen_key_round
      logic [Width-1:0] unused_next;
      aes_key_round_staged #(
        .Sbox      (Sbox),
        .KeySize   (KeySize),
        .SboxLevels(SboxLevels),
        .MixLevels (MixLevels),
        .RamWidth  (RamWidth)
      ) u_key_round (
        .clk_i,
        .count_i     (count[r]),
        .window_i    (window[r-1]),
        .phase_i     (phase_of(KeySize, r - 1)),
        .late_phase_i(phase_of(KeySize, r - 1)),
        .rcon_i      (rcon_of(KeySize, r - 1)),
        .load_i      ('0),
        .new_window_i('0),
        .next_o      (unused_next),
        .window_o    (window[r])
      );
    end

    if (Ahead && RamWidth > 0) begin : gen_ahead_alone
      // An attribute of the process keeps Yosys from making one of these and of the registers of the
      // next SubWord, which are elsewhere.
      (* keep *) block_t key_q;
      (* keep *) always_ff @(posedge clk_i) key_q <= window[r][Width-1-:128];
      assign round_keys_o[r] = key_q;
    end else if (Ahead) begin : gen_ahead
      always_ff @(posedge clk_i) round_keys_o[r] <= window[r][Width-1-:128];
    end else begin : gen_beside
      assign round_keys_o[r] = window[r][Width-1-:128];
    end
  end

  if (Width < 256) begin : gen_unused
    logic [256-Width:0] unused_inputs;
    assign unused_inputs = {rst_ni, in_key_i[255-Width:0]};
  end else begin : gen_unused_reset
    logic unused_reset;
    assign unused_reset = rst_ni;
  end

endmodule
