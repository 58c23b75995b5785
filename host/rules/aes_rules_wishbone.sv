// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The rules of Wishbone B4 (OpenCores) for what answers on it:
//
//   broken_o[0]  ack and err at once
//   broken_o[1]  an answer without a request: in standard cycles the strobe does not stand, in pipelined
//                ones every request of this cycle is answered already
//   broken_o[2]  more requests taken than MaxOpen before the first is answered
//   broken_o[3]  Patience clocks in a row without an answer to what stands
//
// A master may end its cycle at any time: what it has asked for is forgotten then, and an answer in a clock
// without cyc goes to nobody. asker_broken_o is high where the master changes what it asks for, without
// an answer and within its cycle.

module aes_rules_wishbone #(
  parameter int unsigned AddrWidth = 14,
  parameter int unsigned DataWidth = 32,
  parameter bit          Pipelined = 1'b0,
  parameter int unsigned MaxOpen   = 1,     // requests of pipelined cycles
  parameter int unsigned Patience  = 0      // clocks; 0: lateness is not judged
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   paused_i,        // what is behind the bus waits: does not count
  input  logic                   cyc_i,
  input  logic                   stb_i,
  input  logic                   we_i,
  input  logic [AddrWidth-1:0]   adr_i,
  input  logic [DataWidth/8-1:0] sel_i,
  input  logic [DataWidth-1:0]   dat_i,           // that is written
  input  logic                   ack_i,
  input  logic                   err_i,
  input  logic                   stall_i,
  output logic [3:0]             broken_o,
  output logic                   asker_broken_o
);

  localparam int unsigned OpenWidth = $clog2(MaxOpen + 2);
  localparam int unsigned WaitWidth = $clog2(Patience + 2);

  typedef struct packed {
    logic                   we;
    logic [AddrWidth-1:0]   adr;
    logic [DataWidth/8-1:0] sel;
    logic [DataWidth-1:0]   dat;
  } request_t;

  logic asked, answered, taken, held_q;
  request_t request, request_q;
  logic [OpenWidth-1:0] open_q;
  logic [WaitWidth-1:0] wait_q;

  assign asked    = cyc_i & stb_i;
  assign answered = cyc_i & (ack_i | err_i);
  assign taken    = Pipelined & asked & ~stall_i;
  assign request  = '{we: we_i, adr: adr_i, sel: sel_i, dat: we_i ? dat_i : '0};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q <= 1'b0;
      open_q <= '0;
      wait_q <= '0;
    end else begin
      held_q <= asked & ~(Pipelined ? ~stall_i : answered);
      open_q <= cyc_i ? open_q + OpenWidth'(taken) - (Pipelined ? OpenWidth'(answered) : '0) : '0;
      if (!cyc_i || answered || taken || !(stb_i || open_q != '0)) wait_q <= '0;
      else if (!paused_i && wait_q <= WaitWidth'(Patience)) wait_q <= wait_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) request_q <= request;

  assign broken_o[0] = ack_i & err_i;
  assign broken_o[1] = (answered && !(Pipelined ? open_q != '0 : stb_i)) ||
                       (!rst_ni && (ack_i || err_i));
  assign broken_o[2] = taken && !answered && open_q == OpenWidth'(MaxOpen);
  assign broken_o[3] = Patience != 0 && wait_q > WaitWidth'(Patience);

  assign asker_broken_o = held_q && cyc_i && !(stb_i && request == request_q);

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (broken_o == '0)
      else $error("aes_rules_wishbone: broken_o is %b", broken_o);
      assert (!asker_broken_o)
      else $error("aes_rules_wishbone: what is asked for has changed");
    end
  end
`endif

endmodule
