// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What host and board say to each other over a UART, in frames.

package aes_board_pkg;

  // A design without a board uses none of these.
  // verilator lint_off UNUSEDPARAM
  parameter logic [7:0] Sync = 8'ha5;  // the first byte of a frame
  parameter logic [7:0] Version = 8'd1;  // of this protocol, the second byte
  parameter logic [15:0] CrcStart = 16'hffff;  // CRC-16/X-25, least significant bit first
  parameter logic [15:0] CrcPolynomial = 16'h8408;
  parameter logic [15:0] CrcResidue = 16'hf0b8;  // what it is behind a frame with its own CRC

  // Commands. The two low bits of a key command are its key_len_i.
  parameter logic [7:0] CmdHello = 8'h01;
  parameter logic [7:0] CmdReset = 8'h02;
  parameter logic [7:0] CmdEncrypt = 8'h03;
  parameter logic [7:0] CmdDecrypt = 8'h04;
  parameter logic [7:0] CmdKey128 = 8'h10;
  parameter logic [7:0] CmdKey192 = 8'h11;
  parameter logic [7:0] CmdKey256 = 8'h12;
  // A reply has this bit set beside the command that it answers; an error has a command of its own.
  parameter logic [7:0] Reply = 8'h80;
  parameter logic [7:0] CmdError = 8'hff;
  // verilator lint_on UNUSEDPARAM

  // The byte that an error frame carries.
  typedef enum logic [3:0] {
    ErrNone    = 4'd0,
    ErrCrc     = 4'd1,  // the frame was damaged
    ErrVersion = 4'd2,  // a frame of another version
    ErrCommand = 4'd3,  // no such command, or the core cannot do it
    ErrLength  = 4'd4,  // a length that the command does not have
    ErrNoKey   = 4'd5,  // a block before a key
    ErrTimeout = 4'd6,  // the frame stopped in the middle
    ErrBusy    = 4'd7,  // a frame came before the one before it had been taken
    ErrFault   = 4'd8   // a hardened core has seen a fault
  } error_e;

endpackage
