// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Frames from the host:
//
//   rx_i --[ UART ]--+--[ sync, version, command, tag, length ]-- command_o, tag_o, error_o
//                    |                    |
//                    |        +-----------+----+
//                    +--[ payload, byte by byte ]-- data_o
//                    +--[ CRC ]
//
// A frame whose CRC is right is offered until it is taken (valid_o and ready_i), and stands in these
// registers until then. A broken one is offered with an error. Bytes outside of a frame are skipped,
// and a frame that stops in the middle ends 2**TimeoutBits clocks after its last byte: so this module
// finds the next frame whatever was on the line. A frame that comes before the one before it was
// taken changes nothing, and busy_o says that there was one, until busy_clear_i.

module aes_board_rx
  import aes_board_pkg::*;
#(
  parameter int unsigned Modulus     = 12,  // as in aes_uart_rx
  parameter int unsigned Step        = 1,
  parameter int unsigned DataBytes   = 16,  // the longest payload
  parameter int unsigned TimeoutBits = 16
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   rx_i,
  output logic                   valid_o,
  input  logic                   ready_i,
  output error_e                 error_o,      // of CRC, version, length or time
  output logic [            7:0] command_o,
  output logic [            7:0] tag_o,
  output logic [            7:0] length_o,
  output logic [8*DataBytes-1:0] data_o,       // the last byte in the low bits
  output logic                   busy_o,
  input  logic                   busy_clear_i
);

  typedef enum logic [2:0] {
    StSync,
    StVersion,
    StCommand,
    StTag,
    StLength,
    StPayload,
    StCrcLow,
    StCrcHigh
  } state_e;

  logic bit_valid, bit_value, byte_valid;
  logic [7:0] byte_value;

  aes_uart_rx #(
    .Modulus(Modulus),
    .Step   (Step)
  ) u_uart (
    .clk_i,
    .rst_ni,
    .rx_i,
    .bit_valid_o (bit_valid),
    .bit_o       (bit_value),
    .byte_valid_o(byte_valid),
    .byte_o      (byte_value)
  );

  state_e state_q;
  logic begins;

  assign begins = byte_valid && state_q == StSync && byte_value == Sync;

  logic [15:0] crc;

  aes_board_crc u_crc (
    .clk_i,
    .rst_ni,
    .start_i(begins),
    .valid_i(bit_valid),
    .bit_i  (bit_value),
    .crc_o  (crc)
  );

  logic [TimeoutBits:0] quiet_q;  // clocks since the last byte of a frame
  logic timeout;

  assign timeout = quiet_q[TimeoutBits];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) quiet_q <= '0;
    else if (byte_valid || state_q == StSync || timeout) quiet_q <= '0;
    else quiet_q <= quiet_q + 1'b1;
  end

  logic valid_q, late_q, other_q, busy_q;
  error_e error_q;
  logic [7:0] command_q, tag_q, length_q, left_q;
  logic [8*DataBytes-1:0] data_q;
  logic ends, taken;
  error_e said;

  assign taken = valid_q & ready_i;

  // How a frame ends: with its last byte, with a length that cannot be, or in silence.
  always_comb begin
    ends = 1'b0;
    said = ErrNone;
    if (timeout) begin
      ends = 1'b1;
      said = ErrTimeout;
    end else if (byte_valid && state_q == StLength && byte_value > 8'(DataBytes)) begin
      ends = 1'b1;
      said = ErrLength;
    end else if (byte_valid && state_q == StCrcHigh) begin
      ends = 1'b1;
      if (crc != CrcResidue) said = ErrCrc;
      else if (other_q) said = ErrVersion;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StSync;
      valid_q   <= 1'b0;
      late_q    <= 1'b0;
      other_q   <= 1'b0;
      busy_q    <= 1'b0;
      error_q   <= ErrNone;
      command_q <= '0;
      tag_q     <= '0;
      length_q  <= '0;
      left_q    <= '0;
    end else begin
      if (taken) valid_q <= 1'b0;
      if (busy_clear_i) busy_q <= 1'b0;
      if (byte_valid) begin
        unique case (state_q)
          StSync: begin
            if (begins) state_q <= StVersion;
            // From the third byte on the registers are written, unless a frame still stands in them.
            late_q <= valid_q & ~taken;
          end
          StVersion: begin
            state_q <= StCommand;
            other_q <= byte_value != Version;
            late_q  <= valid_q & ~taken;
          end
          StCommand: begin
            state_q <= StTag;
            if (!late_q) command_q <= byte_value;
          end
          StTag: begin
            state_q <= StLength;
            if (!late_q) tag_q <= byte_value;
          end
          StLength: begin
            state_q <= byte_value == '0 ? StCrcLow : StPayload;
            left_q  <= byte_value;
            if (!late_q) length_q <= byte_value;
          end
          StPayload: begin
            left_q <= left_q - 8'd1;
            if (left_q == 8'd1) state_q <= StCrcLow;
          end
          StCrcLow:  state_q <= StCrcHigh;
          StCrcHigh: state_q <= StSync;
        endcase
      end
      if (ends) begin
        state_q <= StSync;
        if (late_q) begin
          busy_q <= 1'b1;
        end else begin
          valid_q <= 1'b1;
          error_q <= said;
        end
        late_q <= 1'b0;
      end
    end
  end

  // Emptied when it was taken: no key stays here.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) data_q <= '0;
    else if (taken) data_q <= '0;
    else if (byte_valid && state_q == StPayload && !late_q)
      data_q <= {data_q[8*DataBytes-9:0], byte_value};
  end

  assign valid_o   = valid_q;
  assign error_o   = error_q;
  assign command_o = command_q;
  assign tag_o     = tag_q;
  assign length_o  = length_q;
  assign data_o    = data_q;
  assign busy_o    = busy_q;

endmodule
