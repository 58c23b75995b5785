// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// AXI4 (ARM IHI 0022) to a write and a read port that may wait.
//
//   AW, W --> [ address of the beat ] --> w_*      error kept over the burst --> B
//   AR ----> [ address of the beat ] --> r_* --|R|--> R
//
// Bursts of every type, length and size; one write burst and one read burst at a time, both
// directions independent. A beat a clock in each direction while the ports are ready; two clocks
// more a burst for its address and, when writing, its response. A beat that is refused answers
// SLVERR, a write burst as a whole; the burst goes on to its end.
//
// Locks, caches, protection, quality of service, regions and user signals are not there: none of
// them means anything to a device of registers and FIFOs. AXI4-Lite is the case of one-beat bursts,
// see aes_bus_axi_lite.

module aes_bus_axi4 #(
  parameter int unsigned AddrWidth = 14,
  parameter int unsigned DataWidth = 64,
  parameter int unsigned IdWidth   = 4
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [IdWidth-1:0]     s_axi_awid_i,
  input  logic [AddrWidth-1:0]   s_axi_awaddr_i,
  input  logic [7:0]             s_axi_awlen_i,
  input  logic [2:0]             s_axi_awsize_i,
  input  logic [1:0]             s_axi_awburst_i,
  input  logic                   s_axi_awvalid_i,
  output logic                   s_axi_awready_o,
  input  logic [DataWidth-1:0]   s_axi_wdata_i,
  input  logic [DataWidth/8-1:0] s_axi_wstrb_i,
  input  logic                   s_axi_wlast_i,
  input  logic                   s_axi_wvalid_i,
  output logic                   s_axi_wready_o,
  output logic [IdWidth-1:0]     s_axi_bid_o,
  output logic [1:0]             s_axi_bresp_o,
  output logic                   s_axi_bvalid_o,
  input  logic                   s_axi_bready_i,

  input  logic [IdWidth-1:0]     s_axi_arid_i,
  input  logic [AddrWidth-1:0]   s_axi_araddr_i,
  input  logic [7:0]             s_axi_arlen_i,
  input  logic [2:0]             s_axi_arsize_i,
  input  logic [1:0]             s_axi_arburst_i,
  input  logic                   s_axi_arvalid_i,
  output logic                   s_axi_arready_o,
  output logic [IdWidth-1:0]     s_axi_rid_o,
  output logic [DataWidth-1:0]   s_axi_rdata_o,
  output logic [1:0]             s_axi_rresp_o,
  output logic                   s_axi_rlast_o,
  output logic                   s_axi_rvalid_o,
  input  logic                   s_axi_rready_i,

  aes_bus_if.bus access
);

  localparam int unsigned NumBytes = DataWidth / 8;
  localparam int unsigned LaneBits = $clog2(NumBytes);
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;

  typedef enum logic [1:0] {
    BurstFixed = 2'b00,
    BurstIncr  = 2'b01,
    BurstWrap  = 2'b10
  } burst_e;

  // A burst: the address of its next beat and what that becomes.
  typedef struct packed {
    logic [AddrWidth-1:0] addr;
    logic [AddrWidth-1:0] wrap;   // bits of the address that move in a wrapping burst
    logic [7:0]           beats;  // to come after the next one
    logic [2:0]           size;
    logic [1:0]           burst;
  } burst_t;

  function automatic burst_t begin_burst(logic [AddrWidth-1:0] addr, logic [7:0] len,
                                         logic [2:0] size, logic [1:0] burst);
    burst_t b;
    b.addr  = addr;
    b.beats = len;
    b.size  = size;
    b.burst = burst;
    // Wrapping bursts have 2, 4, 8 or 16 beats, so len and the bytes of a beat are all ones.
    b.wrap  = AddrWidth'({len[3:0], 7'h7f} >> (3'd7 - size));
    return b;
  endfunction

  function automatic burst_t next_beat(burst_t b);
    burst_t n;
    logic [AddrWidth-1:0] next;
    n       = b;
    n.beats = b.beats - 8'd1;
    // The address after the first beat is aligned to the size.
    next    = ((b.addr >> b.size) + 1'b1) << b.size;
    case (b.burst)
      BurstFixed: n.addr = b.addr;
      BurstWrap:  n.addr = (b.addr & ~b.wrap) | (next & b.wrap);
      default:    n.addr = next;
    endcase
    return n;
  endfunction

  // Bytes of the bus that a beat of this size may touch from this address on.
  function automatic logic [NumBytes-1:0] lanes(logic [LaneBits-1:0] first, logic [2:0] size);
    logic [NumBytes-1:0] mask;
    for (int unsigned n = 0; n < NumBytes; n++) begin
      mask[n] = (LaneBits'(n) >> size) == (first >> size) && LaneBits'(n) >= first;
    end
    return mask;
  endfunction

  ///////////////////////////////////////////////////////////////////////////
  // Writes
  ///////////////////////////////////////////////////////////////////////////

  typedef enum logic [1:0] {
    WriteAddress,
    WriteData,
    WriteResponse
  } write_e;

  write_e write_q;
  burst_t wb_q;
  logic [IdWidth-1:0] bid_q;
  logic w_failed_q;
  logic w_beat;

  assign s_axi_awready_o = write_q == WriteAddress;
  assign access.w_valid  = write_q == WriteData && s_axi_wvalid_i;
  assign access.w_addr   = wb_q.addr;
  assign access.w_data   = s_axi_wdata_i;
  assign access.w_strb   = s_axi_wstrb_i & lanes(wb_q.addr[LaneBits-1:0], wb_q.size);
  assign s_axi_wready_o  = write_q == WriteData && access.w_ready;
  assign w_beat          = access.w_valid & access.w_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= WriteAddress;
    end else begin
      case (write_q)
        WriteAddress:  if (s_axi_awvalid_i) write_q <= WriteData;
        WriteData:     if (w_beat && wb_q.beats == '0) write_q <= WriteResponse;
        WriteResponse: if (s_axi_bready_i) write_q <= WriteAddress;
        default:       write_q <= WriteAddress;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axi_awready_o) begin
      bid_q      <= s_axi_awid_i;
      w_failed_q <= 1'b0;
      wb_q       <= begin_burst(s_axi_awaddr_i, s_axi_awlen_i, s_axi_awsize_i, s_axi_awburst_i);
    end else if (w_beat) begin
      w_failed_q <= w_failed_q | access.w_error;
      wb_q       <= next_beat(wb_q);
    end
  end

  assign s_axi_bvalid_o = write_q == WriteResponse;
  assign s_axi_bid_o    = bid_q;
  assign s_axi_bresp_o  = w_failed_q ? RespSlvErr : RespOkay;

  // The length of a burst came with its address.
  logic unused_last;
  assign unused_last = s_axi_wlast_i;

  ///////////////////////////////////////////////////////////////////////////
  // Reads
  ///////////////////////////////////////////////////////////////////////////

  burst_t rb_q;
  logic reading_q, rvalid_q, rlast_q, r_failed_q, r_beat;
  logic [IdWidth-1:0] rid_q;
  logic [DataWidth-1:0] rdata_q;

  assign s_axi_arready_o = ~reading_q & (~rvalid_q | s_axi_rready_i);
  // A beat is taken from the port only when there is a place for it.
  assign access.r_valid = reading_q & (~rvalid_q | s_axi_rready_i);
  assign access.r_addr  = rb_q.addr;
  assign access.r_strb  = lanes(rb_q.addr[LaneBits-1:0], rb_q.size);
  assign r_beat         = access.r_valid & access.r_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reading_q <= 1'b0;
      rvalid_q  <= 1'b0;
    end else begin
      if (s_axi_arready_o && s_axi_arvalid_i) reading_q <= 1'b1;
      else if (r_beat && rb_q.beats == '0) reading_q <= 1'b0;
      rvalid_q <= r_beat | (rvalid_q & ~s_axi_rready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axi_arready_o && s_axi_arvalid_i) begin
      rid_q <= s_axi_arid_i;
      rb_q  <= begin_burst(s_axi_araddr_i, s_axi_arlen_i, s_axi_arsize_i, s_axi_arburst_i);
    end else if (r_beat) begin
      rb_q <= next_beat(rb_q);
    end
    // Gone when it is taken: it may be a block.
    if (r_beat) begin
      rdata_q    <= access.r_data;
      r_failed_q <= access.r_error;
      rlast_q    <= rb_q.beats == '0;
    end else if (s_axi_rready_i) begin
      rdata_q <= '0;
    end
  end

  assign s_axi_rvalid_o = rvalid_q;
  assign s_axi_rid_o    = rid_q;
  assign s_axi_rdata_o  = rdata_q;
  assign s_axi_rresp_o  = r_failed_q ? RespSlvErr : RespOkay;
  assign s_axi_rlast_o  = rlast_q;

endmodule
