// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What a program needs beside memory and devices. Registers of 32 bit, one clock an access:
//
//   0x00  CONSOLE     written: a character for the world outside
//   0x04  EXIT        written: the program has ended, with this status
//   0x08  TIME        microseconds since the reset
//   0x0c  TIME_HIGH   their upper half
//   0x10  BUS_ERRORS  accesses that a device answered with an error; zero when written
//   0x14  BUS_CLOCKS  clocks in which the processor stood at a device

module aes_soc_control #(
  parameter int unsigned ClocksPerUs = 100
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        valid_i,
  input  logic [2:0]  addr_i,         // of the register
  input  logic        write_i,
  input  logic [31:0] data_i,
  output logic [31:0] data_o,

  input  logic        bus_waiting_i,  // the processor stands at a device
  input  logic        bus_error_i,    // which answers with an error

  output logic        console_valid_o,
  output logic [7:0]  console_data_o,
  output logic        exit_valid_o,
  output logic [31:0] exit_status_o
);

  typedef enum logic [2:0] {
    RegConsole   = 3'd0,
    RegExit      = 3'd1,
    RegTime      = 3'd2,
    RegTimeHigh  = 3'd3,
    RegBusErrors = 3'd4,
    RegBusClocks = 3'd5
  } reg_e;

  localparam int unsigned TickBits = ClocksPerUs > 1 ? $clog2(ClocksPerUs) : 1;

  logic write, tick;
  logic [TickBits-1:0] clocks_q;
  logic [63:0] time_q;
  logic [31:0] bus_errors_q, bus_clocks_q;

  assign write = valid_i & write_i;
  assign tick  = clocks_q == TickBits'(ClocksPerUs - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clocks_q        <= '0;
      time_q          <= '0;
      bus_errors_q    <= '0;
      bus_clocks_q    <= '0;
      console_valid_o <= 1'b0;
      console_data_o  <= '0;
      exit_valid_o    <= 1'b0;
      exit_status_o   <= '0;
    end else begin
      clocks_q <= tick ? '0 : clocks_q + 1'b1;
      if (tick) time_q <= time_q + 1'b1;
      if (bus_waiting_i) bus_clocks_q <= bus_clocks_q + 1'b1;
      if (write && addr_i == RegBusErrors) bus_errors_q <= '0;
      else if (bus_error_i) bus_errors_q <= bus_errors_q + 1'b1;
      console_valid_o <= write & (addr_i == RegConsole);
      if (write && addr_i == RegConsole) console_data_o <= data_i[7:0];
      if (write && addr_i == RegExit) begin
        exit_valid_o  <= 1'b1;
        exit_status_o <= data_i;
      end
    end
  end

  always_comb begin
    case (addr_i)
      RegTime:      data_o = time_q[31:0];
      RegTimeHigh:  data_o = time_q[63:32];
      RegBusErrors: data_o = bus_errors_q;
      RegBusClocks: data_o = bus_clocks_q;
      default:      data_o = '0;
    endcase
  end

endmodule
