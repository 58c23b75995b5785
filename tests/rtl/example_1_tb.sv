// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Example 1 of qin2005 (section 3) on the rolling part of a round: what the shifter delivers and
// what the ROMs answer in each of its four steps, and the 16 bytes in the end. Blocks follow each
// other without a gap, the example between others, so that a result that is held too short or
// mixed with its neighbours shows. The other rolling parts must give the same 16 bytes.

module example_1_tb;

  import aes_pkg::*;

  localparam block_t Input = 128'h00102030_01112131_02122232_03132333;
  localparam block_t Output = 128'h638293c3_7cc92604_777db7c7_7bcafd23;

  // Steps 1 to 4: the control of the shifter, what it delivers, what the ROMs answer.
  localparam logic [3:0] Control[4] = '{4'b0000, 4'b0101, 4'b1010, 4'b1111};
  localparam word_t Shifted[4] = '{32'h00010203, 32'h11121310, 32'h22232021, 32'h33303132};
  localparam word_t Found[4] = '{32'h637c777b, 32'h82c97dca, 32'h9326b7fd, 32'hc304c723};

  // Results are compared for the example and for as many other blocks behind it.
  localparam int NumBlocks = 4;

  logic clk = 1'b0;
  int   clock = 0;
  int   checks = 0;
  int   failures = 0;

  always #5 clk = ~clk;
  always @(posedge clk) clock <= clock + 1;

  // The block that a rolling part of N look-ups is given in a clock.
  function automatic block_t given(int number);
    return (number % 2 == 1) ? Input : {4{32'h9e3779b9 * (number + 1)}} ^ Input;
  endfunction

  function automatic block_t defined(block_t block);
    block_t substituted;
    for (int n = 0; n < 16; n++) substituted[8*n+:8] = SboxFwdTable[block[8*n+:8]];
    return shift_rows(substituted);
  endfunction

  task automatic check(string what, block_t got, block_t expected);
    checks++;
    if (got !== expected) begin
      failures++;
      $display("clock %0d, %s: %h instead of %h", clock, what, got, expected);
    end
  endtask

  // The 4SM with its shifter, every step.
  block_t result_4sm;

  aes_rolling_part #(
    .Sbox      (SboxRom),
    .Order     (OrderShifter),
    .NumLookups(4)
  ) u_4sm (
    .clk_i   (clk),
    .turn_i  (2'(clock)),
    .state_i (given(clock / 4)),
    .result_o(result_4sm)
  );

  // The example is block 1: its steps begin in clock 4; the ROMs answer two clocks after a step.
  always @(negedge clk) begin
    if (clock >= 4 && clock < 8) begin
      check("control", 128'(u_4sm.gen_s_modules.gen_shifter.u_shifter.shift_i),
            128'(Control[clock-4]));
      check("shifter", 128'(u_4sm.gen_s_modules.chosen), 128'(Shifted[clock-4]));
    end
    if (clock == 8) begin
      check("control, step 5", 128'(u_4sm.gen_s_modules.gen_shifter.u_shifter.shift_i), '0);
    end
    if (clock >= 6 && clock < 10) begin
      check("ROM", 128'(u_4sm.gen_s_modules.u_s_modules.looked_up), 128'(Found[clock-6]));
    end
    if (clock == 11) check("4SM", result_4sm, Output);
  end

  // Every kind of rolling part: result_o is whole in the last clock of the period after the block's.
  for (genvar i = 0; i < 4; i++) begin : gen_kind
    localparam int NumLookups = (i < 2) ? 4 : (i == 2) ? 2 : 1;
    block_t result;

    aes_rolling_part #(
      .Sbox      (SboxRom),
      .Order     ((i == 0) ? OrderShifter : OrderPermutation),
      .NumLookups(NumLookups)
    ) u_part (
      .clk_i   (clk),
      .turn_i  (2'(clock % NumLookups)),
      .state_i (given(clock / NumLookups)),
      .result_o(result)
    );

    always @(negedge clk) begin
      int number;
      number = clock / NumLookups - 1;
      if (clock % NumLookups == NumLookups - 1 && number >= 0 && number < NumBlocks) begin
        check($sformatf("kind %0d", i), result, defined(given(number)));
        if (number == 1) check($sformatf("kind %0d, example", i), result, Output);
      end
    end
  end

  initial begin
    repeat (4 * (NumBlocks + 1)) @(posedge clk);
    #1;
    if (failures != 0) $fatal(1, "FAIL: %0d of %0d checks", failures, checks);
    $display("PASS: %0d checks", checks);
    $finish;
  end

endmodule
