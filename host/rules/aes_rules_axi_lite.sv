// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The rules of AXI4-Lite (ARM IHI 0022, part B) for what answers on it, beside any bus of that kind:
//
//   broken_o[0]  an answer that is not taken changes or goes away
//   broken_o[1]  an answer without a request, or during reset
//   broken_o[2]  more requests taken than MaxOpen before the first is answered
//   broken_o[3]  a response that AXI4-Lite does not have
//   broken_o[4]  Patience clocks in a row without a transfer, though all that is needed is offered
//
// Each request is answered once: an answer that is taken ends its request, a second one has none, and
// one that never comes is late. asker_broken_o is high where the other side changes what it offers.

module aes_rules_axi_lite #(
  parameter int unsigned AddrWidth = 14,
  parameter int unsigned DataWidth = 32,
  parameter int unsigned MaxOpen   = 1,  // requests in each direction
  parameter int unsigned Patience  = 0   // clocks; 0: lateness is not judged
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   w_paused_i,      // what is written to waits: not late
  input  logic                   r_paused_i,      // the same of what is read
  input  logic [AddrWidth-1:0]   awaddr_i,
  input  logic [2:0]             awprot_i,
  input  logic                   awvalid_i,
  input  logic                   awready_i,
  input  logic [DataWidth-1:0]   wdata_i,
  input  logic [DataWidth/8-1:0] wstrb_i,
  input  logic                   wvalid_i,
  input  logic                   wready_i,
  input  logic [1:0]             bresp_i,
  input  logic                   bvalid_i,
  input  logic                   bready_i,
  input  logic [AddrWidth-1:0]   araddr_i,
  input  logic [2:0]             arprot_i,
  input  logic                   arvalid_i,
  input  logic                   arready_i,
  input  logic [DataWidth-1:0]   rdata_i,
  input  logic [1:0]             rresp_i,
  input  logic                   rvalid_i,
  input  logic                   rready_i,
  output logic [4:0]             broken_o,
  output logic                   asker_broken_o
);

  localparam int unsigned OpenWidth = $clog2(MaxOpen + 2);
  localparam int unsigned WaitWidth = $clog2(Patience + 2);
  localparam logic [1:0] RespExOkay = 2'b01;

  logic aw, w, b, ar, r;
  assign aw = awvalid_i & awready_i;
  assign w  = wvalid_i & wready_i;
  assign b  = bvalid_i & bready_i;
  assign ar = arvalid_i & arready_i;
  assign r  = rvalid_i & rready_i;

  // What stood in the last clock and was not taken.
  logic aw_held_q, w_held_q, b_held_q, ar_held_q, r_held_q;
  logic [AddrWidth+2:0] aw_q, ar_q;
  logic [DataWidth+DataWidth/8-1:0] w_q;
  logic [1:0] b_q;
  logic [DataWidth+1:0] r_q;

  // Requests that are taken and not answered; clocks in which nothing moved.
  logic [OpenWidth-1:0] aw_open_q, w_open_q, ar_open_q;
  logic [WaitWidth-1:0] w_wait_q, r_wait_q;
  logic w_due, r_due;

  assign w_due = (awvalid_i || aw_open_q != '0) && (wvalid_i || w_open_q != '0) && !bvalid_i &&
                 !aw && !w;
  assign r_due = (arvalid_i || ar_open_q != '0) && !rvalid_i && !ar;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_held_q <= 1'b0;
      w_held_q  <= 1'b0;
      b_held_q  <= 1'b0;
      ar_held_q <= 1'b0;
      r_held_q  <= 1'b0;
      aw_open_q <= '0;
      w_open_q  <= '0;
      ar_open_q <= '0;
      w_wait_q  <= '0;
      r_wait_q  <= '0;
    end else begin
      aw_held_q <= awvalid_i & ~awready_i;
      w_held_q  <= wvalid_i & ~wready_i;
      b_held_q  <= bvalid_i & ~bready_i;
      ar_held_q <= arvalid_i & ~arready_i;
      r_held_q  <= rvalid_i & ~rready_i;
      aw_open_q <= aw_open_q + OpenWidth'(aw) - OpenWidth'(b);
      w_open_q  <= w_open_q + OpenWidth'(w) - OpenWidth'(b);
      ar_open_q <= ar_open_q + OpenWidth'(ar) - OpenWidth'(r);
      if (!w_due) w_wait_q <= '0;
      else if (!w_paused_i && w_wait_q <= WaitWidth'(Patience)) w_wait_q <= w_wait_q + 1'b1;
      if (!r_due) r_wait_q <= '0;
      else if (!r_paused_i && r_wait_q <= WaitWidth'(Patience)) r_wait_q <= r_wait_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    aw_q <= {awprot_i, awaddr_i};
    w_q  <= {wstrb_i, wdata_i};
    b_q  <= bresp_i;
    ar_q <= {arprot_i, araddr_i};
    r_q  <= {rresp_i, rdata_i};
  end

  assign broken_o[0] = (b_held_q && !(bvalid_i && b_q == bresp_i)) ||
                       (r_held_q && !(rvalid_i && r_q == {rresp_i, rdata_i}));
  assign broken_o[1] = (bvalid_i && (aw_open_q == '0 || w_open_q == '0 || !rst_ni)) ||
                       (rvalid_i && (ar_open_q == '0 || !rst_ni));
  assign broken_o[2] = (aw && !b && aw_open_q == OpenWidth'(MaxOpen)) ||
                       (w && !b && w_open_q == OpenWidth'(MaxOpen)) ||
                       (ar && !r && ar_open_q == OpenWidth'(MaxOpen));
  assign broken_o[3] = (bvalid_i && bresp_i == RespExOkay) || (rvalid_i && rresp_i == RespExOkay);
  assign broken_o[4] = Patience != 0 &&
                       (w_wait_q > WaitWidth'(Patience) || r_wait_q > WaitWidth'(Patience));

  assign asker_broken_o = (aw_held_q && !(awvalid_i && aw_q == {awprot_i, awaddr_i})) ||
                          (w_held_q && !(wvalid_i && w_q == {wstrb_i, wdata_i})) ||
                          (ar_held_q && !(arvalid_i && ar_q == {arprot_i, araddr_i})) ||
                          (!rst_ni && (awvalid_i || wvalid_i || arvalid_i));

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (broken_o == '0)
      else $error("aes_rules_axi_lite: broken_o is %b", broken_o);
      assert (!asker_broken_o)
      else $error("aes_rules_axi_lite: what is offered has changed");
    end
  end
`endif

endmodule
