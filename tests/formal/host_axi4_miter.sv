// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_bus_axi4 with a master and a device that do what they like within AXI4. From any state:
//
//   stable_o   an answer that is not taken stands: valid stays and what goes with it does not change
//
// From reset:
//
//   beats_o    each beat of data reaches the device once, with the address that AXI4 gives it (in
//              terms of the standard, A3.4.1) and no strobe outside its lanes, and each answer
//              comes after the last beat and tells whether one was refused
//   same_o     both

module host_axi4_miter #(
  parameter int unsigned DataWidth = 32
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [5:0]             awaddr_i,
  input  logic [1:0]             awlen_i,
  input  logic [1:0]             awsize_i,
  input  logic [1:0]             awburst_i,
  input  logic                   awvalid_i,
  input  logic [DataWidth-1:0]   wdata_i,
  input  logic [DataWidth/8-1:0] wstrb_i,
  input  logic                   wvalid_i,
  input  logic                   bready_i,
  input  logic [5:0]             araddr_i,
  input  logic [1:0]             arlen_i,
  input  logic [1:0]             arsize_i,
  input  logic [1:0]             arburst_i,
  input  logic                   arvalid_i,
  input  logic                   rready_i,
  input  logic                   w_ready_i,
  input  logic                   w_error_i,
  input  logic                   r_ready_i,
  input  logic [DataWidth-1:0]   r_data_i,
  input  logic                   r_error_i,
  output logic                   stable_o,
  output logic                   beats_o,
  output logic                   same_o
);

  localparam int unsigned AddrWidth = 6;
  localparam int unsigned NumBytes = DataWidth / 8;
  localparam int unsigned MaxSize = $clog2(NumBytes);

  logic awready, wready, arready, bvalid, rvalid, rlast;
  logic [1:0] bresp, rresp;
  logic [0:0] bid, rid;
  logic [DataWidth-1:0] rdata;

  // What the standard allows: sizes of the bus or less; wrapping bursts of 2 or 4 beats (here) that
  // begin at a multiple of the size; no reserved type.
  function automatic logic [1:0] legal_size(logic [1:0] size);
    return (32'(size) > MaxSize) ? 2'(MaxSize) : size;
  endfunction
  function automatic logic [1:0] legal_burst(logic [1:0] burst);
    return (burst == 2'b11) ? 2'b01 : burst;
  endfunction
  function automatic logic [1:0] legal_len(logic [1:0] len, logic [1:0] burst);
    return (burst == 2'b10) ? {len[1], 1'b1} : len;
  endfunction
  function automatic logic [5:0] legal_addr(logic [5:0] addr, logic [1:0] size, logic [1:0] burst);
    return (burst == 2'b10) ? (addr >> size) << size : addr;
  endfunction

  logic [1:0] awsize, arsize, awburst, arburst, awlen, arlen;
  logic [5:0] awaddr, araddr;
  assign awsize  = legal_size(awsize_i);
  assign arsize  = legal_size(arsize_i);
  assign awburst = legal_burst(awburst_i);
  assign arburst = legal_burst(arburst_i);
  assign awlen   = legal_len(awlen_i, awburst);
  assign arlen   = legal_len(arlen_i, arburst);
  assign awaddr  = legal_addr(awaddr_i, awsize, awburst);
  assign araddr  = legal_addr(araddr_i, arsize, arburst);

  aes_bus_if #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth)
  ) access ();

  assign {access.w_ready, access.w_error} = {w_ready_i, w_error_i};
  assign {access.r_ready, access.r_error, access.r_data} = {r_ready_i, r_error_i, r_data_i};

  aes_bus_axi4 #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth),
    .IdWidth  (1)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .s_axi_awid_i   (awaddr_i[0]),
    .s_axi_awaddr_i (awaddr),
    .s_axi_awlen_i  (8'(awlen)),
    .s_axi_awsize_i (3'(awsize)),
    .s_axi_awburst_i(awburst),
    .s_axi_awvalid_i(awvalid_i),
    .s_axi_awready_o(awready),
    .s_axi_wdata_i  (wdata_i),
    .s_axi_wstrb_i  (wstrb_i),
    .s_axi_wlast_i  (1'b0),
    .s_axi_wvalid_i (wvalid_i),
    .s_axi_wready_o (wready),
    .s_axi_bid_o    (bid),
    .s_axi_bresp_o  (bresp),
    .s_axi_bvalid_o (bvalid),
    .s_axi_bready_i (bready_i),
    .s_axi_arid_i   (araddr_i[0]),
    .s_axi_araddr_i (araddr),
    .s_axi_arlen_i  (8'(arlen)),
    .s_axi_arsize_i (3'(arsize)),
    .s_axi_arburst_i(arburst),
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

  ///////////////////////////////////////////////////////////////////////////
  // Answers stand
  ///////////////////////////////////////////////////////////////////////////

  logic b_held_q, r_held_q;
  logic [2:0] b_q;
  logic [DataWidth+3:0] r_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_held_q <= 1'b0;
      r_held_q <= 1'b0;
    end else begin
      b_held_q <= bvalid & ~bready_i;
      r_held_q <= rvalid & ~rready_i;
    end
  end
  always_ff @(posedge clk_i) begin
    b_q <= {bid, bresp};
    r_q <= {rid, rresp, rlast, rdata};
  end
  // From any state: a held answer is one that this circuit has seen.
  assign stable_o = (!b_held_q || (bvalid && b_q == {bid, bresp})) &&
                    (!r_held_q || (rvalid && r_q == {rid, rresp, rlast, rdata}));

  ///////////////////////////////////////////////////////////////////////////
  // Beats
  ///////////////////////////////////////////////////////////////////////////

  // Address and lanes of beat n, in the terms of A3.4.1.
  typedef struct packed {
    logic [5:0] addr;
    logic [NumBytes-1:0] lanes;
  } beat_t;

  function automatic beat_t beat(logic [5:0] start, logic [1:0] len, logic [1:0] size,
                                 logic [1:0] burst, logic [1:0] n);
    beat_t b;
    logic [7:0] aligned, address, bytes, total, boundary, lower, upper, word;
    bytes    = 8'd1 << size;
    total    = (8'(len) + 8'd1) << size;
    aligned  = (8'(start) >> size) << size;
    boundary = 8'(start) & ~(total - 8'd1);  // a wrapping burst has a power of two of bytes
    address  = (n == '0) ? 8'(start) : aligned + (8'(n) << size);
    if (burst == 2'b00) address = 8'(start);
    if (burst == 2'b10 && address >= boundary + total) address = address - total;
    // Lanes from the lower to the upper byte.
    word  = address & ~8'(NumBytes - 1);
    lower = address - word;
    upper = ((address >> size) << size) + bytes - 8'd1 - word;
    b.addr = 6'(address);
    for (int unsigned i = 0; i < NumBytes; i++) begin
      b.lanes[i] = 8'(i) >= lower && 8'(i) <= upper;
    end
    return b;
  endfunction

  logic w_open_q, w_done_q, w_failed_q, w_id_q, r_open_q, r_id_q;
  logic [5:0] w_start_q, r_start_q;
  logic [1:0] w_len_q, w_size_q, w_burst_q, w_n_q, r_len_q, r_size_q, r_burst_q, r_n_q;
  beat_t w_beat, r_beat;

  assign w_beat = beat(w_start_q, w_len_q, w_size_q, w_burst_q, w_n_q);
  assign r_beat = beat(r_start_q, r_len_q, r_size_q, r_burst_q, r_n_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      w_open_q <= 1'b0;
      w_done_q <= 1'b0;
      r_open_q <= 1'b0;
    end else begin
      if (awvalid_i && awready) begin
        w_open_q   <= 1'b1;
        w_done_q   <= 1'b0;
        w_failed_q <= 1'b0;
        w_n_q      <= '0;
        {w_id_q, w_start_q, w_len_q, w_size_q, w_burst_q} <=
            {awaddr_i[0], awaddr, awlen, awsize, awburst};
      end
      if (access.w_valid && w_ready_i) begin
        w_n_q      <= w_n_q + 2'd1;
        w_failed_q <= w_failed_q | w_error_i;
        w_done_q   <= w_n_q == w_len_q;
      end
      if (bvalid && bready_i) w_open_q <= 1'b0;
      if (arvalid_i && arready) begin
        r_open_q <= 1'b1;
        r_n_q    <= '0;
        {r_id_q, r_start_q, r_len_q, r_size_q, r_burst_q} <=
            {araddr_i[0], araddr, arlen, arsize, arburst};
      end
      if (access.r_valid && r_ready_i) begin
        r_n_q <= r_n_q + 2'd1;
        if (r_n_q == r_len_q) r_open_q <= 1'b0;
      end
    end
  end

  // The read beat that was taken in the last clock is at the output in this one.
  logic fetched_q, fetched_last_q, fetched_error_q;
  logic [DataWidth-1:0] fetched_data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fetched_q <= 1'b0;
    else fetched_q <= access.r_valid & r_ready_i;
  end
  always_ff @(posedge clk_i) begin
    fetched_last_q  <= r_n_q == r_len_q;
    fetched_error_q <= r_error_i;
    fetched_data_q  <= r_data_i;
  end

  always_comb begin
    beats_o = 1'b1;
    if (awready && w_open_q) beats_o = 1'b0;
    if (access.w_valid != (w_open_q && !w_done_q && wvalid_i)) beats_o = 1'b0;
    if (access.w_valid && {access.w_addr, access.w_data, access.w_strb} !=
                              {w_beat.addr, wdata_i, wstrb_i & w_beat.lanes}) begin
      beats_o = 1'b0;
    end
    if (access.w_valid && wready != w_ready_i) beats_o = 1'b0;
    if (bvalid != (w_open_q && w_done_q)) beats_o = 1'b0;
    if (bvalid && (bid != w_id_q || bresp != {w_failed_q, 1'b0})) beats_o = 1'b0;
    if (arready && r_open_q) beats_o = 1'b0;
    if (access.r_valid && {r_open_q, access.r_addr, access.r_strb} !=
                              {1'b1, r_beat.addr, r_beat.lanes}) begin
      beats_o = 1'b0;
    end
    // No beat is taken from the device while the last one has nowhere to go.
    if (access.r_valid && rvalid && !rready_i) beats_o = 1'b0;
    if (fetched_q && !(rvalid && rdata == fetched_data_q && rlast == fetched_last_q &&
                       rresp == {fetched_error_q, 1'b0} && rid == r_id_q)) begin
      beats_o = 1'b0;
    end
    if (rvalid && !fetched_q && !r_held_q) beats_o = 1'b0;
  end

  assign same_o = stable_o & beats_o;

endmodule
