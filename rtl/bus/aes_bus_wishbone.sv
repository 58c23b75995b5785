// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Wishbone B4 (OpenCores, revision B4) to a write and a read port that may wait.
//
//   cyc, stb, we --> w_* or r_* --|R|--> ack or err, data
//
// Standard cycles: the strobe stands until ack or err, which come in the clock after the port is
// ready; a transfer takes two clocks. Pipelined: a request is taken in every clock in which stall
// is low and answered in the next one; a transfer a clock. A cycle that the master ends while its
// request waits leaves no trace.

module aes_bus_wishbone #(
  parameter int unsigned AddrWidth = 14,
  parameter int unsigned DataWidth = 32,
  parameter bit          Pipelined = 1'b0  // else standard cycles
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   wb_cyc_i,
  input  logic                   wb_stb_i,
  input  logic                   wb_we_i,
  input  logic [AddrWidth-1:0]   wb_adr_i,   // in bytes; bits below a word are ignored
  input  logic [DataWidth/8-1:0] wb_sel_i,
  input  logic [DataWidth-1:0]   wb_dat_i,
  output logic [DataWidth-1:0]   wb_dat_o,
  output logic                   wb_ack_o,
  output logic                   wb_err_o,
  output logic                   wb_stall_o,

  aes_bus_if.bus access
);

  localparam logic [AddrWidth-1:0] WordMask = ~AddrWidth'(DataWidth / 8 - 1);

  logic answered, request, done, failed, ack_q, err_q;
  logic [DataWidth-1:0] dat_q;

  // In a standard cycle the strobe still stands in the clock of its answer.
  assign answered = (ack_q | err_q) & ~Pipelined;
  assign request  = wb_cyc_i & wb_stb_i & ~answered;

  assign access.w_valid = request & wb_we_i;
  assign access.w_addr  = wb_adr_i & WordMask;
  assign access.w_data  = wb_dat_i;
  assign access.w_strb  = wb_sel_i;
  assign access.r_valid = request & ~wb_we_i;
  assign access.r_addr  = wb_adr_i & WordMask;
  assign access.r_strb  = wb_sel_i;

  assign done   = (access.w_valid & access.w_ready) | (access.r_valid & access.r_ready);
  assign failed = wb_we_i ? access.w_error : access.r_error;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ack_q <= 1'b0;
      err_q <= 1'b0;
      dat_q <= '0;
    end else begin
      ack_q <= done & ~failed;
      err_q <= done & failed;
      // Gone with the answer: it may be a block.
      dat_q <= (done && !wb_we_i) ? access.r_data : '0;
    end
  end

  assign wb_ack_o   = ack_q;
  assign wb_err_o   = err_q;
  assign wb_dat_o   = dat_q;
  assign wb_stall_o = Pipelined ? request & ~done : wb_cyc_i & ~(ack_q | err_q);

endmodule
