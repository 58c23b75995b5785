// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A register of control: one, or three copies of it that vote.
//
//   Hardened = 0   d_i --|R|-- q_o
//   Hardened = 1   d_i --+--|R|--+
//                        +--|R|--+--[ majority of each bit ]-- q_o
//                        +--|R|--+--[ any difference ]-------- fault_o
//
// q_o is right where one copy of each bit is at most wrong. Every copy is loaded in every clock, so a
// flipped one is right again in the next clock: what holds its value must be given it again by d_i,
// which comes from q_o. fault_o is high in the clocks in which copies differ.
//
// Cost of Hardened for each bit: two flip-flops, a LUT for the majority and one for the difference.

module aes_control_register #(
  parameter int unsigned      Width      = 1,
  parameter bit               Hardened   = 1'b0,
  parameter bit               HasReset   = 1'b1,  // else one copy holds anything until it is loaded
  parameter logic [Width-1:0] ResetValue = '0,
  parameter bit               Keep       = 1'b0   // not to be made one with others of the same d_i
) (
  input  logic             clk_i,
  input  logic             rst_ni,   // HasReset
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o,
  output logic             fault_o
);

  if (Hardened) begin : gen_hardened
    logic [2:0][Width-1:0] copies;

    // An attribute of the process keeps Yosys from making one register of the three.
    for (genvar k = 0; k < 3; k++) begin : gen_copy
      (* keep *) logic [Width-1:0] copy_q;
      (* keep *) always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) copy_q <= ResetValue;
        else copy_q <= d_i;
      end
      assign copies[k] = copy_q;
    end

    assign q_o = (copies[0] & copies[1]) | (copies[0] & copies[2]) | (copies[1] & copies[2]);
    assign fault_o = (copies[0] != copies[1]) || (copies[0] != copies[2]);
  end else if (Keep) begin : gen_kept
    (* keep *) logic [Width-1:0] kept_q;
    if (HasReset) begin : gen_reset
      (* keep *) always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) kept_q <= ResetValue;
        else kept_q <= d_i;
      end
    end else begin : gen_no_reset
      (* keep *) always_ff @(posedge clk_i) kept_q <= d_i;
    end
    assign q_o     = kept_q;
    assign fault_o = 1'b0;
  end else begin : gen_plain
    logic [Width-1:0] plain_q;
    if (HasReset) begin : gen_reset
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) plain_q <= ResetValue;
        else plain_q <= d_i;
      end
    end else begin : gen_no_reset
      always_ff @(posedge clk_i) plain_q <= d_i;
    end
    assign q_o     = plain_q;
    assign fault_o = 1'b0;
  end

  if (!HasReset && !Hardened) begin : gen_unused
    logic unused_reset;
    assign unused_reset = rst_ni;
  end

endmodule
