// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The rules of AXI4 (ARM IHI 0022) for what answers on it with one burst a direction under way:
//
//   broken_o[0]  an answer that is not taken changes or goes away
//   broken_o[1]  an answer without a burst or before its last beat, during reset, or more beats than
//                were asked for
//   broken_o[2]  a second burst taken before the first one has ended
//   broken_o[3]  an answer with another id, a read's last beat not marked or another one marked, or a
//                response to an exclusive access, of which there is none
//   broken_o[4]  Patience clocks in a row without a transfer, though all that is needed is offered
//
// asker_broken_o is high where the other side changes what it offers, offers a burst that AXI4 does not
// have, or marks another beat than the last one.

module aes_rules_axi4 #(
  parameter int unsigned AddrWidth = 14,
  parameter int unsigned DataWidth = 64,
  parameter int unsigned IdWidth   = 4,
  parameter int unsigned Patience  = 0   // clocks; 0: lateness is not judged
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   w_paused_i,  // what is written to waits: does not count as late
  input  logic                   r_paused_i,  // the same of what is read
  input  logic [IdWidth-1:0]     awid_i,
  input  logic [AddrWidth-1:0]   awaddr_i,
  input  logic [7:0]             awlen_i,
  input  logic [2:0]             awsize_i,
  input  logic [1:0]             awburst_i,
  input  logic                   awvalid_i,
  input  logic                   awready_i,
  input  logic [DataWidth-1:0]   wdata_i,
  input  logic [DataWidth/8-1:0] wstrb_i,
  input  logic                   wlast_i,
  input  logic                   wvalid_i,
  input  logic                   wready_i,
  input  logic [IdWidth-1:0]     bid_i,
  input  logic [1:0]             bresp_i,
  input  logic                   bvalid_i,
  input  logic                   bready_i,
  input  logic [IdWidth-1:0]     arid_i,
  input  logic [AddrWidth-1:0]   araddr_i,
  input  logic [7:0]             arlen_i,
  input  logic [2:0]             arsize_i,
  input  logic [1:0]             arburst_i,
  input  logic                   arvalid_i,
  input  logic                   arready_i,
  input  logic [IdWidth-1:0]     rid_i,
  input  logic [DataWidth-1:0]   rdata_i,
  input  logic [1:0]             rresp_i,
  input  logic                   rlast_i,
  input  logic                   rvalid_i,
  input  logic                   rready_i,
  output logic [4:0]             broken_o,
  output logic                   asker_broken_o
);

  localparam int unsigned WaitWidth = $clog2(Patience + 2);
  localparam logic [1:0] RespExOkay = 2'b01;
  localparam logic [1:0] BurstFixed = 2'b00;
  localparam logic [1:0] BurstIncr = 2'b01;
  localparam logic [1:0] BurstWrap = 2'b10;
  localparam logic [1:0] BurstReserved = 2'b11;

  typedef struct packed {
    logic [IdWidth-1:0]   id;
    logic [AddrWidth-1:0] addr;
    logic [7:0]           len;
    logic [2:0]           size;
    logic [1:0]           burst;
  } burst_t;

  // What AXI4 has: beats no wider than the bus; wrapping bursts of 2, 4, 8 or 16 beats from a multiple of
  // their size; fixed ones of 16 beats at most; none over a boundary of 4 KiB.
  function automatic logic illegal(logic [AddrWidth-1:0] addr, logic [7:0] len, logic [2:0] size,
                                   logic [1:0] burst);
    logic [AddrWidth-1:0] first;
    logic [15:0] past;
    first = (addr >> size) << size;
    past  = {4'b0, 12'(first)} + ((16'(len) + 16'd1) << size);
    return 32'(size) > $clog2(
        DataWidth / 8
    ) || burst == BurstReserved || (burst == BurstFixed && len > 8'd15) ||
        (burst == BurstWrap && (!(len inside {8'd1, 8'd3, 8'd7, 8'd15}) || addr != first)) ||
        (burst == BurstIncr && past > 16'h1000);
  endfunction

  burst_t aw_now, ar_now, aw_q, ar_q;
  assign aw_now = '{id: awid_i, addr: awaddr_i, len: awlen_i, size: awsize_i, burst: awburst_i};
  assign ar_now = '{id: arid_i, addr: araddr_i, len: arlen_i, size: arsize_i, burst: arburst_i};

  logic aw, w, b, ar, r;
  assign aw = awvalid_i & awready_i;
  assign w  = wvalid_i & wready_i;
  assign b  = bvalid_i & bready_i;
  assign ar = arvalid_i & arready_i;
  assign r  = rvalid_i & rready_i;

  // What stood in the last clock and was not taken.
  logic aw_held_q, w_held_q, b_held_q, ar_held_q, r_held_q;
  logic [DataWidth+DataWidth/8:0] w_q;
  logic [IdWidth+1:0] b_q;
  logic [IdWidth+DataWidth+2:0] r_q;

  // The bursts under way: what was asked for, and beats that were transferred.
  logic w_open_q, w_done_q, r_open_q;
  burst_t w_burst_q, r_burst_q;
  logic [7:0] w_n_q, r_n_q;
  logic [WaitWidth-1:0] w_wait_q, r_wait_q;
  logic w_due, r_due;

  assign w_due = !bvalid_i && !aw && !w && (awvalid_i || w_open_q) && (wvalid_i || w_done_q);
  assign r_due = !rvalid_i && !ar && (arvalid_i || r_open_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_held_q <= 1'b0;
      w_held_q  <= 1'b0;
      b_held_q  <= 1'b0;
      ar_held_q <= 1'b0;
      r_held_q  <= 1'b0;
      w_open_q  <= 1'b0;
      w_done_q  <= 1'b0;
      w_n_q     <= '0;
      r_open_q  <= 1'b0;
      r_n_q     <= '0;
      w_wait_q  <= '0;
      r_wait_q  <= '0;
    end else begin
      aw_held_q <= awvalid_i & ~awready_i;
      w_held_q  <= wvalid_i & ~wready_i;
      b_held_q  <= bvalid_i & ~bready_i;
      ar_held_q <= arvalid_i & ~arready_i;
      r_held_q  <= rvalid_i & ~rready_i;
      w_open_q  <= aw | (w_open_q & ~b);
      w_done_q  <= (w & wlast_i) | (w_done_q & ~b);
      w_n_q     <= (b ? '0 : w_n_q) + 8'(w);
      r_open_q  <= ar | (r_open_q & ~(r & rlast_i));
      r_n_q     <= ar ? '0 : r_n_q + 8'(r);
      if (!w_due) w_wait_q <= '0;
      else if (!w_paused_i && w_wait_q <= WaitWidth'(Patience)) w_wait_q <= w_wait_q + 1'b1;
      if (!r_due) r_wait_q <= '0;
      else if (!r_paused_i && r_wait_q <= WaitWidth'(Patience)) r_wait_q <= r_wait_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    aw_q <= aw_now;
    w_q  <= {wlast_i, wstrb_i, wdata_i};
    b_q  <= {bid_i, bresp_i};
    ar_q <= ar_now;
    r_q  <= {rid_i, rresp_i, rlast_i, rdata_i};
    if (aw) w_burst_q <= aw_now;
    if (ar) r_burst_q <= ar_now;
  end

  assign broken_o[0] = (b_held_q && !(bvalid_i && b_q == {bid_i, bresp_i})) ||
                       (r_held_q && !(rvalid_i && r_q == {rid_i, rresp_i, rlast_i, rdata_i}));
  assign broken_o[1] = (bvalid_i && !(w_open_q && w_done_q && rst_ni)) ||
                       (rvalid_i && !(r_open_q && rst_ni));
  assign broken_o[2] = (aw && w_open_q && !b) || (w && w_done_q && !b) ||
                       (ar && r_open_q && !(r && rlast_i));
  assign broken_o[3] = (bvalid_i && (bid_i != w_burst_q.id || bresp_i == RespExOkay)) ||
                       (rvalid_i && (rid_i != r_burst_q.id || rresp_i == RespExOkay ||
                                     rlast_i != (r_n_q == r_burst_q.len)));
  assign broken_o[4] = Patience != 0 &&
                       (w_wait_q > WaitWidth'(Patience) || r_wait_q > WaitWidth'(Patience));

  assign asker_broken_o = (aw_held_q && !(awvalid_i && aw_q == aw_now)) ||
                          (w_held_q && !(wvalid_i && w_q == {wlast_i, wstrb_i, wdata_i})) ||
                          (ar_held_q && !(arvalid_i && ar_q == ar_now)) ||
                          (awvalid_i && illegal(awaddr_i, awlen_i, awsize_i, awburst_i)) ||
                          (arvalid_i && illegal(araddr_i, arlen_i, arsize_i, arburst_i)) ||
                          (wvalid_i && w_open_q && !w_done_q &&
                           wlast_i != (w_n_q == w_burst_q.len)) ||
                          (!rst_ni && (awvalid_i || wvalid_i || arvalid_i));

  logic unused_burst;
  assign unused_burst = ^{w_burst_q, r_burst_q};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (broken_o == '0)
      else $error("aes_rules_axi4: broken_o is %b", broken_o);
      assert (!asker_broken_o)
      else $error("aes_rules_axi4: what is offered has changed, or is no burst");
    end
  end
`endif

endmodule
