// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_bus_axi4 with a master and a device that do what they like, the master within AXI4 (fair_o, which
// a proof takes as given), beside the rules of the bus (aes_rules_axi4).
//
//   rules_o    no rule is broken: answers stand, each burst has its own, none is late
//   beats_o    each beat of data reaches the device once, with the address that AXI4 gives it (in
//              terms of the standard, A3.4.1) and no strobe outside its lanes; each answer brings
//              the data of its beat and tells whether the device refused it, or a beat of its burst
//   related_o  both, and the state of the adapter is the one that belongs to the bursts under way
//   kind_o     whatever the master does, also against AXI4, and in any state: what is offered and not
//              taken stands, and of two clocks in which everything is offered and the device is
//              ready, one brings a transfer in each direction
//
// related_o holds after a reset, and where it holds in a clock it holds in the next one: so for ever,
// and for bursts of every length.

module host_axi4_miter #(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned AddrWidth = 14,
  parameter int unsigned IdWidth   = 2
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [IdWidth-1:0]     awid_i,
  input  logic [AddrWidth-1:0]   awaddr_i,
  input  logic [7:0]             awlen_i,
  input  logic [2:0]             awsize_i,
  input  logic [1:0]             awburst_i,
  input  logic                   awvalid_i,
  input  logic [DataWidth-1:0]   wdata_i,
  input  logic [DataWidth/8-1:0] wstrb_i,
  input  logic                   wlast_i,
  input  logic                   wvalid_i,
  input  logic                   bready_i,
  input  logic [IdWidth-1:0]     arid_i,
  input  logic [AddrWidth-1:0]   araddr_i,
  input  logic [7:0]             arlen_i,
  input  logic [2:0]             arsize_i,
  input  logic [1:0]             arburst_i,
  input  logic                   arvalid_i,
  input  logic                   rready_i,
  input  logic                   w_ready_i,
  input  logic                   w_error_i,
  input  logic                   r_ready_i,
  input  logic [DataWidth-1:0]   r_data_i,
  input  logic                   r_error_i,
  output logic                   fair_o,
  output logic                   rules_o,
  output logic                   beats_o,
  output logic                   related_o,
  output logic                   kind_o
);

  localparam int unsigned NumBytes = DataWidth / 8;

  logic awready, wready, arready, bvalid, rvalid, rlast, unfair;
  logic [1:0] bresp, rresp;
  logic [IdWidth-1:0] bid, rid;
  logic [DataWidth-1:0] rdata;
  logic [4:0] broken;

  aes_bus_if #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth)
  ) access ();

  assign {access.w_ready, access.w_error} = {w_ready_i, w_error_i};
  assign {access.r_ready, access.r_error, access.r_data} = {r_ready_i, r_error_i, r_data_i};

  aes_bus_axi4 #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth),
    .IdWidth  (IdWidth)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .s_axi_awid_i   (awid_i),
    .s_axi_awaddr_i (awaddr_i),
    .s_axi_awlen_i  (awlen_i),
    .s_axi_awsize_i (awsize_i),
    .s_axi_awburst_i(awburst_i),
    .s_axi_awvalid_i(awvalid_i),
    .s_axi_awready_o(awready),
    .s_axi_wdata_i  (wdata_i),
    .s_axi_wstrb_i  (wstrb_i),
    .s_axi_wlast_i  (wlast_i),
    .s_axi_wvalid_i (wvalid_i),
    .s_axi_wready_o (wready),
    .s_axi_bid_o    (bid),
    .s_axi_bresp_o  (bresp),
    .s_axi_bvalid_o (bvalid),
    .s_axi_bready_i (bready_i),
    .s_axi_arid_i   (arid_i),
    .s_axi_araddr_i (araddr_i),
    .s_axi_arlen_i  (arlen_i),
    .s_axi_arsize_i (arsize_i),
    .s_axi_arburst_i(arburst_i),
    .s_axi_arvalid_i(arvalid_i),
    .s_axi_arready_o(arready),
    .s_axi_rid_o    (rid),
    .s_axi_rdata_o  (rdata),
    .s_axi_rresp_o  (rresp),
    .s_axi_rlast_o  (rlast),
    .s_axi_rvalid_o (rvalid),
    .s_axi_rready_i (rready_i),
    .access
  );

  aes_rules_axi4 #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth),
    .IdWidth  (IdWidth),
    .Patience (1)
  ) u_rules (
    .clk_i,
    .rst_ni,
    .w_paused_i    (access.w_valid & ~w_ready_i),
    .r_paused_i    (access.r_valid & ~r_ready_i),
    .awid_i,
    .awaddr_i,
    .awlen_i,
    .awsize_i,
    .awburst_i,
    .awvalid_i,
    .awready_i     (awready),
    .wdata_i,
    .wstrb_i,
    .wlast_i,
    .wvalid_i,
    .wready_i      (wready),
    .bid_i         (bid),
    .bresp_i       (bresp),
    .bvalid_i      (bvalid),
    .bready_i,
    .arid_i,
    .araddr_i,
    .arlen_i,
    .arsize_i,
    .arburst_i,
    .arvalid_i,
    .arready_i     (arready),
    .rid_i         (rid),
    .rdata_i       (rdata),
    .rresp_i       (rresp),
    .rlast_i       (rlast),
    .rvalid_i      (rvalid),
    .rready_i,
    .broken_o      (broken),
    .asker_broken_o(unfair)
  );

  assign fair_o  = ~unfair;
  assign rules_o = broken == '0;

  ///////////////////////////////////////////////////////////////////////////
  // Beats
  ///////////////////////////////////////////////////////////////////////////

  // Address and lanes of beat n, in the terms of A3.4.1.
  typedef struct packed {
    logic [AddrWidth-1:0] addr;
    logic [NumBytes-1:0]  lanes;
  } beat_t;

  function automatic beat_t beat(logic [AddrWidth-1:0] start, logic [7:0] len, logic [2:0] size,
                                 logic [1:0] burst, logic [7:0] n);
    beat_t b;
    logic [AddrWidth:0] aligned, address, bytes, total, boundary, lower, upper, word;
    bytes    = (AddrWidth + 1)'(1) << size;
    total    = ((AddrWidth + 1)'(len) + 1'b1) << size;
    aligned  = ((AddrWidth + 1)'(start) >> size) << size;
    boundary = (AddrWidth + 1)'(start) & ~(total - 1'b1);  // a wrapping burst has a power of two
    address  = (n == '0) ? (AddrWidth + 1)'(start) : aligned + ((AddrWidth + 1)'(n) << size);
    if (burst == 2'b00) address = (AddrWidth + 1)'(start);
    if (burst == 2'b10 && address >= boundary + total) address = address - total;
    // Lanes from the lower to the upper byte.
    word  = address & ~(AddrWidth + 1)'(NumBytes - 1);
    lower = address - word;
    upper = ((address >> size) << size) + bytes - 1'b1 - word;
    b.addr = AddrWidth'(address);
    for (int unsigned i = 0; i < NumBytes; i++) begin
      b.lanes[i] = (AddrWidth + 1)'(i) >= lower && (AddrWidth + 1)'(i) <= upper;
    end
    return b;
  endfunction

  // Beats that were taken from the device: those that were transferred, and the one that is offered.
  logic [7:0] fetched;
  beat_t w_beat, r_beat;
  assign fetched = u_rules.r_n_q + 8'(rvalid);
  assign w_beat = beat(u_rules.w_burst_q.addr, u_rules.w_burst_q.len, u_rules.w_burst_q.size,
                       u_rules.w_burst_q.burst, u_rules.w_n_q);
  assign r_beat = beat(u_rules.r_burst_q.addr, u_rules.r_burst_q.len, u_rules.r_burst_q.size,
                       u_rules.r_burst_q.burst, fetched);

  // What the device said.
  logic w_failed_q, r_failed_q;
  logic [DataWidth-1:0] r_data_q;
  always_ff @(posedge clk_i) begin
    if (awvalid_i && awready) w_failed_q <= 1'b0;
    else if (access.w_valid && w_ready_i) w_failed_q <= w_failed_q | w_error_i;
    if (access.r_valid && r_ready_i) {r_failed_q, r_data_q} <= {r_error_i, r_data_i};
  end

  logic w_data, r_fetching;
  assign w_data     = u_rules.w_open_q & ~u_rules.w_done_q;
  assign r_fetching = u_rules.r_open_q & ~(rvalid & rlast);

  always_comb begin
    beats_o = access.w_valid == (w_data && wvalid_i) && wready == (w_data && w_ready_i);
    if (access.w_valid && {access.w_addr, access.w_data, access.w_strb} !=
                              {w_beat.addr, wdata_i, wstrb_i & w_beat.lanes}) begin
      beats_o = 1'b0;
    end
    if (bvalid && bresp != {w_failed_q, 1'b0}) beats_o = 1'b0;
    // No beat is taken from the device while the last one has nowhere to go.
    if (access.r_valid != (r_fetching && !(rvalid && !rready_i))) beats_o = 1'b0;
    if (access.r_valid && {access.r_addr, access.r_strb} != r_beat) beats_o = 1'b0;
    if (rvalid && {rresp, rdata} != {r_failed_q, 1'b0, r_data_q}) beats_o = 1'b0;
  end

  logic w_moves, r_moves, w_offered, r_offered, w_stood_q, r_stood_q;
  assign w_moves   = (awvalid_i & awready) | (wvalid_i & wready) | (bvalid & bready_i);
  assign r_moves   = (arvalid_i & arready) | (rvalid & rready_i);
  assign w_offered = awvalid_i & wvalid_i & bready_i & w_ready_i;
  assign r_offered = arvalid_i & rready_i & r_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {w_stood_q, r_stood_q} <= '0;
    else {w_stood_q, r_stood_q} <= {w_offered & ~w_moves, r_offered & ~r_moves};
  end
  assign kind_o = ~broken[0] & ~(w_stood_q & w_offered & ~w_moves) &
                  ~(r_stood_q & r_offered & ~r_moves);

  ///////////////////////////////////////////////////////////////////////////
  // States that belong together
  ///////////////////////////////////////////////////////////////////////////

  // Bits of an address that move in a wrapping burst.
  function automatic logic [AddrWidth-1:0] moving(logic [7:0] len, logic [2:0] size);
    return AddrWidth'(((AddrWidth + 8)'({4'b0, len[3:0]} + 8'd1) << size) - 1'b1);
  endfunction

  // What of a burst under way is so because the master keeps to AXI4.
  function automatic logic legal(logic [AddrWidth-1:0] addr, logic [7:0] len, logic [2:0] size,
                                 logic [1:0] burst);
    return 32'(size) <= $clog2(NumBytes) && burst != 2'b11 && (
        burst != 2'b10 || (addr == (addr >> size) << size && len inside {8'd1, 8'd3, 8'd7, 8'd15}));
  endfunction

  localparam logic [1:0] WriteAddress = 2'd0;
  localparam logic [1:0] WriteData = 2'd1;
  localparam logic [1:0] WriteResponse = 2'd2;

  always_comb begin
    related_o = rules_o && beats_o && u_rules.w_wait_q == '0;
    case (u_bus.write_q)
      WriteAddress:  if (u_rules.w_open_q || u_rules.w_done_q) related_o = 1'b0;
      WriteData:     if (!u_rules.w_open_q || u_rules.w_done_q) related_o = 1'b0;
      WriteResponse: if (!u_rules.w_open_q || !u_rules.w_done_q) related_o = 1'b0;
      default:       related_o = 1'b0;
    endcase
    if (!u_rules.w_open_q && u_rules.w_n_q != '0) related_o = 1'b0;
    if (u_rules.w_open_q && w_failed_q != u_bus.w_failed_q) related_o = 1'b0;
    if (u_rules.w_open_q && u_bus.bid_q != u_rules.w_burst_q.id) related_o = 1'b0;
    if (w_data) begin
      if (u_rules.w_n_q > u_rules.w_burst_q.len ||
          u_bus.wb_q.beats != u_rules.w_burst_q.len - u_rules.w_n_q ||
          u_bus.wb_q.addr != w_beat.addr || u_bus.wb_q.size != u_rules.w_burst_q.size ||
          u_bus.wb_q.burst != u_rules.w_burst_q.burst ||
          u_bus.wb_q.wrap != moving(
              u_rules.w_burst_q.len, u_rules.w_burst_q.size
          ) || !legal(
              u_rules.w_burst_q.addr,
              u_rules.w_burst_q.len,
              u_rules.w_burst_q.size,
              u_rules.w_burst_q.burst
          )) begin
        related_o = 1'b0;
      end
    end
    if (u_bus.reading_q != r_fetching) related_o = 1'b0;
    if (rvalid && !u_rules.r_open_q) related_o = 1'b0;
    // The clock in which a first beat is fetched is the only one without a transfer.
    if (u_rules.r_wait_q != '0 && !rvalid) related_o = 1'b0;
    if (u_rules.r_open_q && u_bus.rid_q != u_rules.r_burst_q.id) related_o = 1'b0;
    if (u_rules.r_open_q && (u_rules.r_n_q > u_rules.r_burst_q.len)) related_o = 1'b0;
    if (u_bus.reading_q) begin
      if (u_bus.rb_q.beats != u_rules.r_burst_q.len - fetched ||
          fetched > u_rules.r_burst_q.len || u_bus.rb_q.addr != r_beat.addr ||
          u_bus.rb_q.size != u_rules.r_burst_q.size ||
          u_bus.rb_q.burst != u_rules.r_burst_q.burst ||
          u_bus.rb_q.wrap != moving(
              u_rules.r_burst_q.len, u_rules.r_burst_q.size
          ) || !legal(
              u_rules.r_burst_q.addr,
              u_rules.r_burst_q.len,
              u_rules.r_burst_q.size,
              u_rules.r_burst_q.burst
          )) begin
        related_o = 1'b0;
      end
    end
  end

endmodule
