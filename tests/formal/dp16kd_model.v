// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// DP16KD of ECP5 as far as our cores use it as a ROM with words of 18 bits: two read ports, each
// with a register on the way of its address and, with REGMODE = OUTREG, one more on its output, both
// with clock enables (Lattice FPGA-TN-02204, ECP5 memory usage guide). An asynchronous reset is that
// of the output register. Yosys has the cell as a black box only. For proofs, not for synthesis.
//
//   AD --[ memory ]--|CE|--+---------------+-- DO
//                          +--|OCE, RST|---+    OUTREG
//
// The content is in dp16kd_words.vh, lines of a case statement.

module DP16KD (
  input CLKA, CEA, OCEA, RSTA, WEA, CSA0, CSA1, CSA2,
  input ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7,
  input ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
  input DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8,
  input DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16, DIA17,
  output DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8,
  output DOA9, DOA10, DOA11, DOA12, DOA13, DOA14, DOA15, DOA16, DOA17,
  input CLKB, CEB, OCEB, RSTB, WEB, CSB0, CSB1, CSB2,
  input ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7,
  input ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
  input DIB0, DIB1, DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8,
  input DIB9, DIB10, DIB11, DIB12, DIB13, DIB14, DIB15, DIB16, DIB17,
  output DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8,
  output DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16, DOB17
);
  parameter REGMODE_A = "NOREG";
  parameter REGMODE_B = "NOREG";
  parameter RESETMODE = "SYNC";

  function [17:0] word(input [9:0] address);
    case (address)
      `include "dp16kd_words.vh"
      default: word = 18'h0;
    endcase
  endfunction

  wire [9:0] address_a =
      {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4};
  reg [17:0] data_a, register_a;

  always @(posedge CLKA) begin
    if (CEA) data_a <= word(address_a);
  end
  wire reset_a = RSTA && RESETMODE == "ASYNC";
  always @(posedge CLKA, posedge reset_a) begin
    if (reset_a) register_a <= 18'h0;
    else if (OCEA) register_a <= data_a;
  end

  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9,
          DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} =
      (REGMODE_A == "OUTREG") ? register_a : data_a;

  wire [9:0] address_b =
      {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4};
  reg [17:0] data_b, register_b;

  always @(posedge CLKB) begin
    if (CEB) data_b <= word(address_b);
  end
  wire reset_b = RSTB && RESETMODE == "ASYNC";
  always @(posedge CLKB, posedge reset_b) begin
    if (reset_b) register_b <= 18'h0;
    else if (OCEB) register_b <= data_b;
  end

  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9,
          DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} =
      (REGMODE_B == "OUTREG") ? register_b : data_b;
endmodule
