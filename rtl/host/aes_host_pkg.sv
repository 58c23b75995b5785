// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Registers of the host system: offsets in bytes, and what stands in each register.
// Made by tools/generated.py from rtl/host/aes_host.rdl; change that.

package aes_host_pkg;

  // Who takes some of them need not take all.
  // verilator lint_off UNUSEDPARAM

  // Bits of an address inside the device.
  localparam int unsigned AddrWidth = 14;

  localparam logic [AddrWidth-1:0] IdOffset = 14'h0000;
  localparam logic [AddrWidth-1:0] InfoOffset = 14'h0008;
  localparam logic [AddrWidth-1:0] ControlOffset = 14'h0010;
  localparam logic [AddrWidth-1:0] StatusOffset = 14'h0018;
  localparam logic [AddrWidth-1:0] ErrorsOffset = 14'h0020;
  localparam logic [AddrWidth-1:0] InLevelOffset = 14'h0028;
  localparam logic [AddrWidth-1:0] OutLevelOffset = 14'h0030;
  localparam logic [AddrWidth-1:0] IrqEnableOffset = 14'h0038;
  localparam logic [AddrWidth-1:0] IrqStatusOffset = 14'h0040;
  localparam logic [AddrWidth-1:0] InMarkOffset = 14'h0048;
  localparam logic [AddrWidth-1:0] OutMarkOffset = 14'h0050;
  localparam logic [AddrWidth-1:0] KeyOffset = 14'h0080;
  localparam logic [AddrWidth-1:0] DataOffset = 14'h2000;

  // Sizes in bytes.
  localparam int unsigned KeyBytes = 32;

  // Identification
  localparam logic [31:0] IdMagicReset = 32'h46534541;

  // Version and shape
  typedef struct packed {
    logic [8:0] reserved_23;
    logic       stream;
    logic       guarded;
    logic       key_256;
    logic       key_192;
    logic       key_128;
    logic       decrypts;
    logic       encrypts;
    logic [2:0] reserved_13;
    logic [4:0] log2_depth;
    logic [7:0] version;
  } info_t;
  localparam logic [7:0] InfoVersionReset = 8'h1;

  // Commands
  typedef struct packed {
    logic [21:0] reserved_10;
    logic        reset;
    logic        erase;
    logic [1:0]  reserved_6;
    logic [1:0]  key_len;
    logic        reserved_3;
    logic        decrypt;
    logic        load_key;
    logic        set;
  } control_t;

  // Status
  typedef struct packed {
    logic [23:0] reserved_8;
    logic        out_full;
    logic        out_empty;
    logic        in_full;
    logic        in_empty;
    logic        busy;
    logic        setting;
    logic        keyed;
    logic        erasing;
  } status_t;

  // Errors
  typedef struct packed {
    logic [27:0] reserved_4;
    logic        illegal;
    logic        setting;
    logic        underflow;
    logic        overflow;
  } errors_t;

  // Interrupts enabled
  typedef struct packed {
    logic [27:0] reserved_4;
    logic        error;
    logic        idle;
    logic        in_ready;
    logic        out_ready;
  } irq_enable_t;

  // Interrupt conditions
  typedef struct packed {
    logic [27:0] reserved_4;
    logic        error;
    logic        idle;
    logic        in_ready;
    logic        out_ready;
  } irq_status_t;

  // Mark of the output buffer
  localparam logic [15:0] OutMarkBlocksReset = 16'h1;

  // verilator lint_on UNUSEDPARAM

endpackage
