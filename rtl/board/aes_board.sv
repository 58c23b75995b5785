// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Between a UART and the ports of a core:
//
//   rx_i --[ frames in ]--+-- key  --[ key register, or the core's own ]--+
//                         |                                               v
//                         +-- block ---------------------------------->[ core ]--+
//                         |                                                      v
//                         +-- hello, reset, errors ------------------>[ frames out ]-- tx_o
//
// A core never stalls, so it gets a block only when its result has a place: when the payload of the
// reply before it is gone. The header of the reply goes out while the core works. A frame is answered
// by exactly one frame, and in order. A reset command resets the core and takes its key away.

module aes_board
  import aes_board_pkg::*;
#(
  parameter int unsigned          Modulus     = 12,    // as in aes_uart_rx
  parameter int unsigned          Step        = 1,
  parameter int unsigned          TimeoutBits = 16,    // as in aes_board_rx
  parameter int unsigned          KeyBits     = 128,   // of the longest key that the core takes
  parameter logic         [2:0]   KeySizes    = 3'b001,  // 128, 192, 256 bits: bits 0, 1, 2
  parameter bit                   Stored      = 1'b0,  // keys have a port of their own
  parameter bit                   CanEncrypt  = 1'b1,
  parameter bit                   CanDecrypt  = 1'b0,
  parameter bit                   CanFault    = 1'b0,  // it may say so with a result
  parameter logic         [127:0] Hello       = '0,    // payload of the answer to hello
  parameter int unsigned          Leds        = 1,     // 1 to 3
  parameter bit                   LedsLow     = 1'b0   // they are lit by 0
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            rx_i,
  output logic            tx_o,
  output logic [Leds-1:0] led_o,        // a key is set; a reply is sent; an error since hello
  // The core.
  output logic            core_rst_no,
  output logic            key_valid_o,
  input  logic            key_ready_i,
  output logic [   255:0] key_o,
  output logic [     1:0] key_len_o,
  output logic            in_valid_o,
  input  logic            in_ready_i,
  output logic [   127:0] in_block_o,
  output logic            in_decrypt_o,
  output logic [   255:0] in_key_o,
  input  logic            out_valid_i,
  input  logic [   127:0] out_block_i,
  input  logic            fault_i
);

  localparam int unsigned DataBytes = KeyBits / 8;

  logic frame_valid, frame_ready, busy, busy_clear;
  error_e frame_error;
  logic [7:0] command, tag, length;
  logic [8*DataBytes-1:0] data;

  aes_board_rx #(
    .Modulus    (Modulus),
    .Step       (Step),
    .DataBytes  (DataBytes),
    .TimeoutBits(TimeoutBits)
  ) u_rx (
    .clk_i,
    .rst_ni,
    .rx_i,
    .valid_o     (frame_valid),
    .ready_i     (frame_ready),
    .error_o     (frame_error),
    .command_o   (command),
    .tag_o       (tag),
    .length_o    (length),
    .data_o      (data),
    .busy_o      (busy),
    .busy_clear_i(busy_clear)
  );

  // ---------------------------------------------------------------------- what a frame asks for

  logic has_key_q, in_flight_q, pending_q;
  logic is_hello, is_reset, is_key, is_block, fits, known;
  error_e error;

  assign is_hello = command == CmdHello;
  assign is_reset = command == CmdReset;
  assign is_key = (command == CmdKey128 && KeySizes[0]) || (command == CmdKey192 && KeySizes[1]) ||
                  (command == CmdKey256 && KeySizes[2]);
  assign is_block = (command == CmdEncrypt && CanEncrypt) || (command == CmdDecrypt && CanDecrypt);
  assign known = is_hello | is_reset | is_key | is_block;
  assign fits = length == (is_key ? 8'(DataBytes) : is_block ? 8'd16 : 8'd0);

  always_comb begin
    error = frame_error;
    if (frame_error == ErrNone) begin
      if (!known) error = ErrCommand;
      else if (!fits) error = ErrLength;
      else if (is_block && !has_key_q) error = ErrNoKey;
    end
  end

  // ------------------------------------------------------------------------ what is done for it

  logic idle, free, can, good, do_block, do_key, do_other, result, load;
  logic [3:0] reset_q;  // clocks of the core's reset that are left

  // One thing at a time; a result that is under way has its place.
  assign can        = free && !pending_q && !in_flight_q && reset_q == '0;
  assign good       = frame_valid && error == ErrNone;
  assign in_valid_o = can && good && is_block;
  assign do_block   = in_valid_o & in_ready_i;
  assign do_key     = can && good && is_key && (key_ready_i || !Stored);
  assign do_other   = can && frame_valid && !(good && (is_block || is_key));
  assign result     = in_flight_q & out_valid_i;
  // A frame that came too early is answered behind the one that it met.
  assign busy_clear = can & busy & ~frame_valid;

  assign frame_ready = do_block | do_key | do_other;

  assign key_valid_o  = Stored && can && good && is_key;
  assign key_len_o    = command[1:0];
  assign in_block_o   = data[127:0];
  assign in_decrypt_o = command == CmdDecrypt;

  if (KeyBits < 256) begin : gen_short_key
    assign key_o = {data, {(256 - KeyBits) {1'b0}}};
  end else begin : gen_long_key
    assign key_o = data;
  end

  if (Stored) begin : gen_stored
    assign in_key_o = '0;
  end else begin : gen_on_the_fly
    logic [KeyBits-1:0] key_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) key_q <= '0;
      else if (reset_q != '0) key_q <= '0;
      else if (do_key) key_q <= data;
    end

    if (KeyBits < 256) begin : gen_short_key
      assign in_key_o = {key_q, {(256 - KeyBits) {1'b0}}};
    end else begin : gen_long_key
      assign in_key_o = key_q;
    end
  end

  // ------------------------------------------------------------------------------------- replies

  logic [7:0] reply_q, tag_q;
  logic [4:0] length_q;
  logic start, error_q;
  error_e code;
  logic says_error;

  assign code       = busy_clear ? ErrBusy : result ? ErrFault : error;
  assign says_error = busy_clear || (result ? fault_i && CanFault : frame_valid && !good);
  assign start      = pending_q & idle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      has_key_q   <= 1'b0;
      in_flight_q <= 1'b0;
      pending_q   <= 1'b0;
      reset_q     <= '0;
      error_q     <= 1'b0;
      reply_q     <= '0;
      tag_q       <= '0;
      length_q    <= '0;
    end else begin
      if (start) pending_q <= 1'b0;
      if (reset_q != '0) reset_q <= reset_q - 4'd1;
      if (result) in_flight_q <= 1'b0;

      if (frame_ready) begin
        reply_q  <= good ? command | Reply : CmdError;
        tag_q    <= tag;
        length_q <= !good ? 5'd1 : is_block || is_hello ? 5'd16 : 5'd0;
        // What a core with faults says is known with the result only.
        pending_q <= !(do_block && CanFault);
        error_q   <= (error_q && !is_hello) || !good;
      end
      if (do_block) in_flight_q <= 1'b1;
      if (do_key) has_key_q <= 1'b1;
      if (do_other && good && is_reset) begin
        has_key_q <= 1'b0;
        reset_q   <= '1;
      end

      if (result && CanFault) begin
        pending_q <= 1'b1;
        if (fault_i) begin
          reply_q  <= CmdError;
          length_q <= 5'd1;
          error_q  <= 1'b1;
        end
      end
      if (busy_clear) begin
        reply_q   <= CmdError;
        tag_q     <= '0;
        length_q  <= 5'd1;
        pending_q <= 1'b1;
        error_q   <= 1'b1;
      end
    end
  end

  // A register, so that no glitch resets the core.
  logic core_rst_nq;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) core_rst_nq <= 1'b0;
    else core_rst_nq <= reset_q == '0;
  end

  assign core_rst_no = core_rst_nq;

  assign load = result | do_other | busy_clear;

  aes_board_tx #(
    .Modulus(Modulus),
    .Step   (Step)
  ) u_tx (
    .clk_i,
    .rst_ni,
    .start_i  (start),
    .command_i(reply_q),
    .tag_i    (tag_q),
    .length_i (length_q),
    .load_i   (load && (result || busy_clear || !good || is_hello)),
    .data_i   (says_error ? {4'b0, code, 120'b0} : result ? out_block_i : Hello),
    .idle_o   (idle),
    .free_o   (free),
    .tx_o
  );

  logic [2:0] lit;

  assign lit   = {error_q, ~idle, has_key_q};
  assign led_o = lit[Leds-1:0] ^ {Leds{LedsLow}};

  if (Leds < 3) begin : gen_few_leds
    logic unused_lit;
    assign unused_lit = ^lit[2:Leds];
  end
  if (Stored) begin : gen_unused_register
  end else begin : gen_unused_ready
    logic unused_ready;
    assign unused_ready = key_ready_i;
  end
  if (!CanFault) begin : gen_unused_fault
    logic unused_fault;
    assign unused_fault = fault_i;
  end

endmodule
