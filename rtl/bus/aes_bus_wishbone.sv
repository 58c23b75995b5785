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

  output logic                   w_valid_o,
  input  logic                   w_ready_i,
  output logic [AddrWidth-1:0]   w_addr_o,
  output logic [DataWidth-1:0]   w_data_o,
  output logic [DataWidth/8-1:0] w_strb_o,
  input  logic                   w_error_i,

  output logic                   r_valid_o,
  input  logic                   r_ready_i,
  output logic [AddrWidth-1:0]   r_addr_o,
  output logic [DataWidth/8-1:0] r_strb_o,
  input  logic [DataWidth-1:0]   r_data_i,
  input  logic                   r_error_i
);

  localparam logic [AddrWidth-1:0] WordMask = ~AddrWidth'(DataWidth / 8 - 1);

  logic answered, request, done, failed, ack_q, err_q;
  logic [DataWidth-1:0] dat_q;

  // In a standard cycle the strobe still stands in the clock of its answer.
  assign answered = (ack_q | err_q) & ~Pipelined;
  assign request  = wb_cyc_i & wb_stb_i & ~answered;

  assign w_valid_o = request & wb_we_i;
  assign w_addr_o  = wb_adr_i & WordMask;
  assign w_data_o  = wb_dat_i;
  assign w_strb_o  = wb_sel_i;
  assign r_valid_o = request & ~wb_we_i;
  assign r_addr_o  = wb_adr_i & WordMask;
  assign r_strb_o  = wb_sel_i;

  assign done   = (w_valid_o & w_ready_i) | (r_valid_o & r_ready_i);
  assign failed = wb_we_i ? w_error_i : r_error_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ack_q <= 1'b0;
      err_q <= 1'b0;
      dat_q <= '0;
    end else begin
      ack_q <= done & ~failed;
      err_q <= done & failed;
      // Gone with the answer: it may be a block.
      dat_q <= (done && !wb_we_i) ? r_data_i : '0;
    end
  end

  assign wb_ack_o   = ack_q;
  assign wb_err_o   = err_q;
  assign wb_dat_o   = dat_q;
  assign wb_stall_o = Pipelined ? request & ~done : wb_cyc_i & ~(ack_q | err_q);

endmodule
