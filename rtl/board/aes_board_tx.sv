// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Frames to the host:
//
//   command_i, tag_i, length_i --[ sync, version, command, tag, length ]--+
//   data_i --[ register, byte by byte ]-----------------------------------+--[ UART ]-- tx_o
//                                     +--[ CRC ]--------------------------+
//
// A frame begins with start_i while idle_o. Its header is on the line before its payload is needed:
// load_i gives that, at any time from the start on, and the frame waits for it. free_o says that
// header and payload of the frame before are gone, so that the next reply may be made.

module aes_board_tx
  import aes_board_pkg::*;
#(
  parameter int unsigned Modulus = 12,  // as in aes_uart_rx
  parameter int unsigned Step    = 1
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         start_i,
  input  logic [  7:0] command_i,  // these three hold still until free_o
  input  logic [  7:0] tag_i,
  input  logic [  4:0] length_i,   // bytes of payload, at most 16
  input  logic         load_i,
  input  logic [127:0] data_i,     // the first byte at the top
  output logic         idle_o,
  output logic         free_o,
  output logic         tx_o
);

  typedef enum logic [3:0] {
    StIdle,
    StSync,
    StVersion,
    StCommand,
    StTag,
    StLength,
    StPayload,
    StCrcLow,
    StCrcHigh
  } state_e;

  state_e state_q;
  logic loaded_q;
  logic [4:0] left_q;
  logic [127:0] data_q;
  logic [15:0] crc;
  logic valid, ready, taken;
  logic [7:0] value;
  logic bit_valid, bit_value;

  assign valid = state_q != StIdle && (state_q != StPayload || loaded_q);
  assign taken = valid & ready;

  always_comb begin
    case (state_q)
      StVersion: value = Version;
      StCommand: value = command_i;
      StTag:     value = tag_i;
      StLength:  value = {3'b0, length_i};
      StPayload: value = data_q[127:120];
      StCrcLow:  value = ~crc[7:0];
      StCrcHigh: value = ~crc[15:8];
      default:   value = Sync;
    endcase
  end

  // The line is a byte behind the state: the CRC of the payload is complete when the last bit of it
  // has begun, and the low byte of the CRC is taken later, after the stop bit.
  logic covers_q;  // whether the byte on the line counts for the CRC

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= StIdle;
      left_q   <= '0;
      covers_q <= 1'b0;
    end else begin
      if (taken) covers_q <= !(state_q inside {StSync, StCrcLow, StCrcHigh});
      case (state_q)
        StIdle:    if (start_i) state_q <= StSync;
        StSync:    if (taken) state_q <= StVersion;
        StVersion: if (taken) state_q <= StCommand;
        StCommand: if (taken) state_q <= StTag;
        StTag:     if (taken) state_q <= StLength;
        StLength: begin
          left_q <= length_i;
          if (taken) state_q <= length_i == '0 ? StCrcLow : StPayload;
        end
        StPayload: begin
          if (taken) begin
            left_q <= left_q - 5'd1;
            if (left_q == 5'd1) state_q <= StCrcLow;
          end
        end
        StCrcLow:  if (taken) state_q <= StCrcHigh;
        StCrcHigh: if (taken) state_q <= StIdle;
        default:   state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q <= 1'b0;
      data_q   <= '0;
    end else if (load_i) begin
      loaded_q <= 1'b1;
      data_q   <= data_i;
    end else if (taken && state_q == StPayload) begin
      if (left_q == 5'd1) loaded_q <= 1'b0;
      data_q <= {data_q[119:0], 8'b0};
    end
  end

  aes_uart_tx #(
    .Modulus(Modulus),
    .Step   (Step)
  ) u_uart (
    .clk_i,
    .rst_ni,
    .valid_i    (valid),
    .ready_o    (ready),
    .byte_i     (value),
    .bit_valid_o(bit_valid),
    .bit_o      (bit_value),
    .tx_o
  );

  aes_board_crc u_crc (
    .clk_i,
    .rst_ni,
    .start_i(taken && state_q == StSync),
    .valid_i(bit_valid & covers_q),
    .bit_i  (bit_value),
    .crc_o  (crc)
  );

  assign idle_o = state_q == StIdle;
  assign free_o = state_q inside {StIdle, StCrcLow, StCrcHigh};

endmodule
