// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A key round cut into as many register levels as a round of the data path has (beta of
// standaert2003, section 5.2 and Fig. 2): a new window of KeyExpansion each clock.
//
//   clock            0 ... SboxLevels        SboxLevels         SboxLevels + 1
//
//   w3 --+--[ SubWord(RotWord), levels ]--(+ rcon_i)--+
//        |                                            v
//   w0 --|------[ delay ]----------------------------(+)--|R|--+--------------------|R|-- w0'
//        |                                                     v
//   w1 --|------[ delay ]-----------------------------[ delay ](+)----------|R|-- w1'
//   w2 --|------[ delay ]-----------------------------[ delay ](+ w1)-------|R|-- w2'
//        +------[ delay ]-----------------------------[ delay ](+ w1 + w2)--|R|-- w3'
//
// This is MixLevels = 2 for 128-bit keys; for others see aes_key_pkg, whose two parts of a step the
// register in the middle divides. With MixLevels = 1 all four words are made in one level.
//
// With Loop = 1 (and MixLevels = 2) the last level is also the multiplexer of a loop: there load_i
// takes new_window_i in place of the result, which next_o shows as well. For 128-bit keys that is
// one LUT4 a bit, because the sums w1, w1 + w2 and w1 + w2 + w3 are made a level earlier: 64 LUTs
// more, and none for the multiplexer. For longer keys it is two.
//
// With RamWidth > 0 the delays beside the S-box are in LUT RAMs of so many bits (aes_key_delay), each
// with registers of its own for the addresses: of the SboxLevels flip-flops of a bit one is left.
// It pays from three levels. count_i is the number of the clock, and what comes in is right from a
// clock after count_i began to count.
//
// The delays have no reset and no enable, so that a synthesis tool may turn those of three and more
// clocks into LUT shift registers. The placement of the registers in Fig. 2 of the paper is lost;
// this one, with one of the words w1 to w3 delayed in flip-flops and two in LUTs, gives both totals
// of Table 3: 768 LUTs and 488 flip-flops. Yosys 0.70 has no shift registers for Virtex: 672
// flip-flops and 768 LUTs, 640 of them in S-boxes.

module aes_key_round_staged
  import aes_pkg::*;
  import aes_key_pkg::*;
#(
  parameter  sbox_e       Sbox       = SboxTable,
  parameter  key_size_e   KeySize    = KeySize128,
  parameter  int unsigned SboxLevels = 1,           // register levels of the S-boxes, from 1
  parameter  int unsigned MixLevels  = 1,           // register levels of the rest, 1 or 2
  parameter  bit          Loop       = 1'b0,        // 1: with the multiplexer of a loop
  parameter  int unsigned RamWidth   = 0,           // of a LUT RAM for delays; 0: flip-flops
  localparam int unsigned Width      = key_width(KeySize),
  localparam int unsigned CountWidth = (SboxLevels > 1) ? $clog2(SboxLevels) : 1
) (
  input  logic                  clk_i,
  input  logic [CountWidth-1:0] count_i,       // RamWidth > 0 only: one more each clock
  input  logic [Width-1:0]      window_i,
  input  logic [1:0]            phase_i,       // of the step, with window_i
  input  logic [1:0]            late_phase_i,  // the same SboxLevels clocks later
  input  byte_t                 rcon_i,        // SboxLevels clocks after window_i
  input  logic [15:0]           load_i,        // Loop only: for byte n of new_window_i bit n mod 16
  input  logic [Width-1:0]      new_window_i,  // with load_i, one clock before window_o
  output logic [Width-1:0]      next_o,        // Loop only: the result, one clock before window_o
  output logic [Width-1:0]      window_o       // SboxLevels + MixLevels clocks after window_i
);

  if (!Loop) begin : gen_straight
    logic unused_loop;
    assign unused_loop = ^{load_i, new_window_i};
    assign next_o      = '0;
  end

  word_t sub;
  logic [SboxLevels-1:0][Width-1:0] delay_q;
  logic [CountWidth+1:0] unused_phase;

  assign unused_phase = {late_phase_i, count_i};

  logic [Width-1:0] delayed;

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Dir     (DirEncrypt),
    .Levels  (SboxLevels),
    .NumBytes(4)
  ) u_sub_word (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i  (sub_operand(KeySize, phase_i, {window_i, {(256 - Width) {1'b0}}})),
    .bytes_o  (sub)
  );

  if (RamWidth > 0) begin : gen_ram_delay
    for (genvar n = 0; n < Width / RamWidth; n++) begin : gen_part
      aes_key_delay #(
        .Width (RamWidth),
        .Clocks(SboxLevels)
      ) u_delay (
        .clk_i,
        .count_i,
        .data_i(window_i[RamWidth*n+:RamWidth]),
        .data_o(delay_q[SboxLevels-1][RamWidth*n+:RamWidth])
      );
    end

    assign delay_q[SboxLevels-2:0] = '0;
  end else begin : gen_delay
    always_ff @(posedge clk_i) begin
      for (int unsigned l = 0; l < SboxLevels; l++) begin
        delay_q[l] <= (l == 0) ? window_i : delay_q[l-1];
      end
    end
  end

  assign delayed = delay_q[SboxLevels-1];

  if (MixLevels == 1) begin : gen_one
    logic [Width-1:0] window_d;

    aes_key_round #(
      .KeySize(KeySize)
    ) u_key_round (
      .window_i(delayed),
      .phase_i (late_phase_i),
      .sub_i   (sub),
      .rcon_i,
      .window_o(window_d)
    );

    always_ff @(posedge clk_i) window_o <= window_d;
  end else if (MixLevels == 2 && Loop) begin : gen_two_loop
    if (KeySize == KeySize128) begin : gen_sums
      word_t w0, w1, w2, w3;
      block_t new_q, sums_q;

      assign {w0, w1, w2, w3} = delayed;

      always_ff @(posedge clk_i) begin
        new_q  <= {4{w0 ^ sub ^ {rcon_i, 24'b0}}};
        sums_q <= {32'b0, w1, w1 ^ w2, w1 ^ w2 ^ w3};
      end

      assign next_o = new_q ^ sums_q;
    end else begin : gen_parts
      half_step_t       half_q;
      logic [Width-1:0] delayed_q;

      always_ff @(posedge clk_i) begin
        half_q    <= first_part(KeySize, late_phase_i, {delayed, {(256 - Width) {1'b0}}}, sub,
                                rcon_i);
        delayed_q <= delayed;
      end

      assign next_o = Width'({delayed_q, second_part(half_q)});
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned n = 0; n < Width / 8; n++) begin
        window_o[8*n+:8] <= load_i[n%16] ? new_window_i[8*n+:8] : next_o[8*n+:8];
      end
    end
  end else if (MixLevels == 2) begin : gen_two
    half_step_t       half_q;
    logic [Width-1:0] delayed_q;

    always_ff @(posedge clk_i) begin
      half_q    <= first_part(KeySize, late_phase_i, {delayed, {(256 - Width) {1'b0}}}, sub,
                              rcon_i);
      delayed_q <= delayed;
      window_o  <= Width'({delayed_q, second_part(half_q)});
    end
  end else begin : gen_bad_levels
    $fatal(1, "aes_key_round_staged: MixLevels must be 1 or 2");
  end

endmodule
