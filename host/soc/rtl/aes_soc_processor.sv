// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A processor with its RAM and what a program needs beside devices.
//
//                       +--[ RAM ]--( port b )-- ram_*
//   [ processor ]--+----+
//   PicoRV32       |    +--[ control ]-- console, end
//   32 bit         +-- device_*
//
// Address map, by the upper four bits: 0 is RAM (program and data, no wait states), 4 is control
// (aes_soc_control), all others are devices.
//
// The processor asks for memory a clock ahead (its look-ahead interface), so an instruction that
// touches no memory takes three clocks and a load from RAM or a store to it five. It comes from a
// package of its own (picorv32.v) and has no input for errors of a bus: those are counted in
// BUS_ERRORS. An illegal instruction or an unaligned access stops it for ever (trap_o).
//
// Its interrupt 0 is its own timer. They are masked after a reset, but wake a program that sleeps
// (waitirq). None is latched: each is what its line is.

module aes_soc_processor #(
  parameter int unsigned RamWords    = 65536,  // a power of two
  parameter int unsigned ClocksPerUs = 100
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  // Devices: an access stands until it is answered
  output logic                        device_valid_o,
  output logic [31:0]                 device_addr_o,
  output logic [3:0]                  device_write_o,   // bytes; none: a read
  output logic [31:0]                 device_data_o,
  input  logic                        device_ready_i,
  input  logic [31:0]                 device_data_i,
  input  logic                        bus_waiting_i,    // it is one that is counted in BUS_CLOCKS
  input  logic                        bus_error_i,      // which answers with an error
  input  logic [31:0]                 irq_i,

  // The other port of the RAM
  input  logic                        ram_read_i,
  input  logic [3:0]                  ram_write_i,      // each byte; lowest address in bit 0
  input  logic [$clog2(RamWords)-1:0] ram_addr_i,       // of the word
  input  logic [31:0]                 ram_data_i,
  output logic [31:0]                 ram_data_o,

  output logic                        console_valid_o,
  output logic [7:0]                  console_data_o,
  output logic                        exit_valid_o,     // stays
  output logic [31:0]                 exit_status_o,
  output logic                        trap_o            // stays
);

  localparam int unsigned RamBits = $clog2(RamWords);
  localparam logic [3:0] AtRam = 4'h0;
  localparam logic [3:0] AtControl = 4'h4;

  logic cpu_valid, cpu_ready;
  logic [31:0] cpu_addr, cpu_wdata, cpu_rdata;
  logic [3:0] cpu_wstrb;
  logic ahead_read, ahead_write;
  logic [31:0] ahead_addr, ahead_wdata;
  logic [3:0] ahead_wstrb;
  logic unused_instr, unused_pcpi_valid, unused_trace_valid;
  logic [31:0] unused_insn, unused_rs1, unused_rs2, unused_eoi;
  logic [35:0] unused_trace;

  picorv32 #(
    .BARREL_SHIFTER  (1),
    .ENABLE_MUL      (1),
    .ENABLE_DIV      (1),
    .ENABLE_IRQ      (1),
    .ENABLE_IRQ_QREGS(0),
    .LATCHED_IRQ     (32'h0),
    .PROGADDR_RESET  (32'h0)
  ) u_cpu (
    .clk         (clk_i),
    .resetn      (rst_ni),
    .trap        (trap_o),
    .mem_valid   (cpu_valid),
    .mem_instr   (unused_instr),
    .mem_ready   (cpu_ready),
    .mem_addr    (cpu_addr),
    .mem_wdata   (cpu_wdata),
    .mem_wstrb   (cpu_wstrb),
    .mem_rdata   (cpu_rdata),
    .mem_la_read (ahead_read),
    .mem_la_write(ahead_write),
    .mem_la_addr (ahead_addr),
    .mem_la_wdata(ahead_wdata),
    .mem_la_wstrb(ahead_wstrb),
    .pcpi_valid  (unused_pcpi_valid),
    .pcpi_insn   (unused_insn),
    .pcpi_rs1    (unused_rs1),
    .pcpi_rs2    (unused_rs2),
    .pcpi_wr     (1'b0),
    .pcpi_rd     (32'h0),
    .pcpi_wait   (1'b0),
    .pcpi_ready  (1'b0),
    .irq         (irq_i),
    .eoi         (unused_eoi),
    .trace_valid (unused_trace_valid),
    .trace_data  (unused_trace)
  );

  logic unused_cpu;
  assign unused_cpu = ^{unused_instr, unused_pcpi_valid, unused_trace_valid, unused_insn,
                        unused_rs1, unused_rs2, unused_eoi, unused_trace,
                        ahead_addr[27:2+RamBits], ahead_addr[1:0]};

  // Who answers
  logic at_control, at_ram_ahead;
  logic [31:0] ram_rdata, control_rdata;

  assign at_ram_ahead   = ahead_addr[31:28] == AtRam;
  assign at_control     = cpu_valid & (cpu_addr[31:28] == AtControl);
  assign device_valid_o = cpu_valid & (cpu_addr[31:28] != AtRam) & ~at_control;
  assign device_addr_o  = cpu_addr;
  assign device_write_o = cpu_wstrb;
  assign device_data_o  = cpu_wdata;

  always_comb begin
    cpu_ready = cpu_valid;
    case (cpu_addr[31:28])
      AtRam:     cpu_rdata = ram_rdata;
      AtControl: cpu_rdata = control_rdata;
      default: begin
        cpu_rdata = device_data_i;
        cpu_ready = device_ready_i;
      end
    endcase
  end

  aes_soc_ram #(
    .Words(RamWords)
  ) u_ram (
    .clk_i,
    .a_read_i (ahead_read & at_ram_ahead),
    .a_write_i((ahead_write && at_ram_ahead) ? ahead_wstrb : '0),
    .a_addr_i (ahead_addr[2+:RamBits]),
    .a_data_i (ahead_wdata),
    .a_data_o (ram_rdata),
    .b_read_i (ram_read_i),
    .b_write_i(ram_write_i),
    .b_addr_i (ram_addr_i),
    .b_data_i (ram_data_i),
    .b_data_o (ram_data_o)
  );

  aes_soc_control #(
    .ClocksPerUs(ClocksPerUs)
  ) u_control (
    .clk_i,
    .rst_ni,
    .valid_i      (at_control),
    .addr_i       (cpu_addr[4:2]),
    .write_i      (|cpu_wstrb),
    .data_i       (cpu_wdata),
    .data_o       (control_rdata),
    .bus_waiting_i(bus_waiting_i),
    .bus_error_i  (bus_error_i),
    .console_valid_o,
    .console_data_o,
    .exit_valid_o,
    .exit_status_o
  );

endmodule
