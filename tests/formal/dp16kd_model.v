// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// DP16KD of ECP5 as far as our cores use it as a ROM: two read ports of 9 or 18 bits, each with an
// address register and, with REGMODE = OUTREG, a register on its output (Lattice FPGA-TN-02204,
// memory usage guide). Yosys has this cell as a black box only. For proofs, not for synthesis.
//
//   AD --|> address |--[ memory ]--+--------+-- DO
//                                  +--|R|---+   OUTREG

module DP16KD (
  input CLKA, CEA, OCEA, RSTA, WEA, CSA0, CSA1, CSA2,
  input ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
  input DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8,
  input DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16, DIA17,
  output DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8,
  output DOA9, DOA10, DOA11, DOA12, DOA13, DOA14, DOA15, DOA16, DOA17,
  input CLKB, CEB, OCEB, RSTB, WEB, CSB0, CSB1, CSB2,
  input ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
  input DIB0, DIB1, DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8,
  input DIB9, DIB10, DIB11, DIB12, DIB13, DIB14, DIB15, DIB16, DIB17,
  output DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8,
  output DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16, DOB17
);
  parameter DATA_WIDTH_A = 18;
  parameter DATA_WIDTH_B = 18;
  parameter REGMODE_A = "NOREG";
  parameter REGMODE_B = "NOREG";
  parameter RESETMODE = "SYNC";
  parameter ASYNC_RESET_RELEASE = "SYNC";
  parameter WRITEMODE_A = "NORMAL";
  parameter WRITEMODE_B = "NORMAL";
  parameter CSDECODE_A = "0b000";
  parameter CSDECODE_B = "0b000";
  parameter CLKAMUX = "CLKA";
  parameter CLKBMUX = "CLKB";
  parameter GSR = "AUTO";
  parameter [319:0] INITVAL_00 = 320'b0;
  parameter [319:0] INITVAL_01 = 320'b0;
  parameter [319:0] INITVAL_02 = 320'b0;
  parameter [319:0] INITVAL_03 = 320'b0;
  parameter [319:0] INITVAL_04 = 320'b0;
  parameter [319:0] INITVAL_05 = 320'b0;
  parameter [319:0] INITVAL_06 = 320'b0;
  parameter [319:0] INITVAL_07 = 320'b0;
  parameter [319:0] INITVAL_08 = 320'b0;
  parameter [319:0] INITVAL_09 = 320'b0;
  parameter [319:0] INITVAL_0A = 320'b0;
  parameter [319:0] INITVAL_0B = 320'b0;
  parameter [319:0] INITVAL_0C = 320'b0;
  parameter [319:0] INITVAL_0D = 320'b0;
  parameter [319:0] INITVAL_0E = 320'b0;
  parameter [319:0] INITVAL_0F = 320'b0;
  parameter [319:0] INITVAL_10 = 320'b0;
  parameter [319:0] INITVAL_11 = 320'b0;
  parameter [319:0] INITVAL_12 = 320'b0;
  parameter [319:0] INITVAL_13 = 320'b0;
  parameter [319:0] INITVAL_14 = 320'b0;
  parameter [319:0] INITVAL_15 = 320'b0;
  parameter [319:0] INITVAL_16 = 320'b0;
  parameter [319:0] INITVAL_17 = 320'b0;
  parameter [319:0] INITVAL_18 = 320'b0;
  parameter [319:0] INITVAL_19 = 320'b0;
  parameter [319:0] INITVAL_1A = 320'b0;
  parameter [319:0] INITVAL_1B = 320'b0;
  parameter [319:0] INITVAL_1C = 320'b0;
  parameter [319:0] INITVAL_1D = 320'b0;
  parameter [319:0] INITVAL_1E = 320'b0;
  parameter [319:0] INITVAL_1F = 320'b0;
  parameter [319:0] INITVAL_20 = 320'b0;
  parameter [319:0] INITVAL_21 = 320'b0;
  parameter [319:0] INITVAL_22 = 320'b0;
  parameter [319:0] INITVAL_23 = 320'b0;
  parameter [319:0] INITVAL_24 = 320'b0;
  parameter [319:0] INITVAL_25 = 320'b0;
  parameter [319:0] INITVAL_26 = 320'b0;
  parameter [319:0] INITVAL_27 = 320'b0;
  parameter [319:0] INITVAL_28 = 320'b0;
  parameter [319:0] INITVAL_29 = 320'b0;
  parameter [319:0] INITVAL_2A = 320'b0;
  parameter [319:0] INITVAL_2B = 320'b0;
  parameter [319:0] INITVAL_2C = 320'b0;
  parameter [319:0] INITVAL_2D = 320'b0;
  parameter [319:0] INITVAL_2E = 320'b0;
  parameter [319:0] INITVAL_2F = 320'b0;
  parameter [319:0] INITVAL_30 = 320'b0;
  parameter [319:0] INITVAL_31 = 320'b0;
  parameter [319:0] INITVAL_32 = 320'b0;
  parameter [319:0] INITVAL_33 = 320'b0;
  parameter [319:0] INITVAL_34 = 320'b0;
  parameter [319:0] INITVAL_35 = 320'b0;
  parameter [319:0] INITVAL_36 = 320'b0;
  parameter [319:0] INITVAL_37 = 320'b0;
  parameter [319:0] INITVAL_38 = 320'b0;
  parameter [319:0] INITVAL_39 = 320'b0;
  parameter [319:0] INITVAL_3A = 320'b0;
  parameter [319:0] INITVAL_3B = 320'b0;
  parameter [319:0] INITVAL_3C = 320'b0;
  parameter [319:0] INITVAL_3D = 320'b0;
  parameter [319:0] INITVAL_3E = 320'b0;
  parameter [319:0] INITVAL_3F = 320'b0;
  // Half words: an address of 14 bits counts bits, three of them within a half word of 9.
  reg [8:0] halves[0:2047];
  reg [319:0] row;
  integer i;
  initial begin
    for (i = 0; i < 2048; i = i + 1) begin
      case (i / 32)
        0: row = INITVAL_00;
        1: row = INITVAL_01;
        2: row = INITVAL_02;
        3: row = INITVAL_03;
        4: row = INITVAL_04;
        5: row = INITVAL_05;
        6: row = INITVAL_06;
        7: row = INITVAL_07;
        8: row = INITVAL_08;
        9: row = INITVAL_09;
        10: row = INITVAL_0A;
        11: row = INITVAL_0B;
        12: row = INITVAL_0C;
        13: row = INITVAL_0D;
        14: row = INITVAL_0E;
        15: row = INITVAL_0F;
        16: row = INITVAL_10;
        17: row = INITVAL_11;
        18: row = INITVAL_12;
        19: row = INITVAL_13;
        20: row = INITVAL_14;
        21: row = INITVAL_15;
        22: row = INITVAL_16;
        23: row = INITVAL_17;
        24: row = INITVAL_18;
        25: row = INITVAL_19;
        26: row = INITVAL_1A;
        27: row = INITVAL_1B;
        28: row = INITVAL_1C;
        29: row = INITVAL_1D;
        30: row = INITVAL_1E;
        31: row = INITVAL_1F;
        32: row = INITVAL_20;
        33: row = INITVAL_21;
        34: row = INITVAL_22;
        35: row = INITVAL_23;
        36: row = INITVAL_24;
        37: row = INITVAL_25;
        38: row = INITVAL_26;
        39: row = INITVAL_27;
        40: row = INITVAL_28;
        41: row = INITVAL_29;
        42: row = INITVAL_2A;
        43: row = INITVAL_2B;
        44: row = INITVAL_2C;
        45: row = INITVAL_2D;
        46: row = INITVAL_2E;
        47: row = INITVAL_2F;
        48: row = INITVAL_30;
        49: row = INITVAL_31;
        50: row = INITVAL_32;
        51: row = INITVAL_33;
        52: row = INITVAL_34;
        53: row = INITVAL_35;
        54: row = INITVAL_36;
        55: row = INITVAL_37;
        56: row = INITVAL_38;
        57: row = INITVAL_39;
        58: row = INITVAL_3A;
        59: row = INITVAL_3B;
        60: row = INITVAL_3C;
        61: row = INITVAL_3D;
        62: row = INITVAL_3E;
        63: row = INITVAL_3F;
      endcase
      halves[i] = row[(i % 32) / 2 * 20 + i % 2 * 9 +: 9];
    end
  end

  wire [10:0] address_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3};
  wire [10:0] address_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3};
  reg [17:0] word_a, word_b, out_a, out_b;

  always @(posedge CLKA) begin
    if (CEA) word_a <= (DATA_WIDTH_A == 18)
        ? {halves[{address_a[10:1], 1'b1}], halves[{address_a[10:1], 1'b0}]}
        : {9'b0, halves[address_a]};
    if (OCEA) out_a <= word_a;
  end
  always @(posedge CLKB) begin
    if (CEB) word_b <= (DATA_WIDTH_B == 18)
        ? {halves[{address_b[10:1], 1'b1}], halves[{address_b[10:1], 1'b0}]}
        : {9'b0, halves[address_b]};
    if (OCEB) out_b <= word_b;
  end

  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9,
          DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} =
      (REGMODE_A == "OUTREG") ? out_a : word_a;
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9,
          DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} =
      (REGMODE_B == "OUTREG") ? out_b : word_b;
endmodule
