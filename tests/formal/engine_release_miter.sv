// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_engine_release: what is valid and not taken stays (kept_o); and a beat of a packet that is held
// never leaves before its last beat has come, and never at all if this tells an error (hidden_o). Beats
// that are held have the lowest bit of data high here and no others have, and hold_i changes only
// between packets; so hidden_o is that no beat with this bit leaves of a packet that was refused.
//
// related_o is what holds in every state that can be reached; where it holds in a clock it
// holds in the next one.

module engine_release_miter
  import aes_engine_pkg::*;
  import engine_release_pkg::is_release_state;
#(
  parameter int unsigned Depth = 4
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  input  logic       data_i,
  input  logic       last_i,
  input  logic       ok_i,
  input  logic       hold_i,
  input  logic       ready_i,
  output logic       related_o,
  output logic       kept_o,
  output logic       hidden_o
);

  localparam int unsigned PtrWidth = $clog2(Depth);

  logic ready, valid, was_waiting_q;
  logic [127:0] data;
  logic [3:0] len;
  result_user_t user, user_in;
  logic [$bits(result_user_t)+131:0] payload, payload_q;

  assign user_in = '{error: {3'd0, last_i & ~ok_i}, ok: last_i & ok_i, last: last_i};

  aes_engine_release #(
    .Depth(Depth)
  ) u_release (
    .clk_i,
    .rst_ni,
    .valid_i,
    .ready_o(ready),
    .data_i ({127'd0, data_i}),
    .len_i  (4'd15),
    .user_i (user_in),
    .hold_i,
    .valid_o(valid),
    .ready_i,
    .data_o (data),
    .len_o  (len),
    .user_o (user)
  );

  assign payload = {user, len, data};

  // Beats that have been released and not read.
  logic [PtrWidth:0] released, held, used;
  assign released = u_release.released_q - u_release.read_q;
  assign held     = u_release.write_q - u_release.released_q;
  assign used     = u_release.write_q - u_release.read_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) was_waiting_q <= 1'b0;
    else was_waiting_q <= valid & ~ready_i;
  end

  always_ff @(posedge clk_i) payload_q <= payload;

  assign kept_o = ~was_waiting_q | (valid & (payload == payload_q));

  // The reader moves up to what is released, which moves only by a beat that is not held, or a last one.
  logic [PtrWidth:0] released_before_q;
  logic may_release_q, refused_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      released_before_q <= '0;
      may_release_q     <= 1'b0;
      refused_q         <= 1'b0;
    end else begin
      released_before_q <= u_release.released_q;
      may_release_q     <= valid_i & ready & (last_i | ~hold_i);
      refused_q         <= valid_i & ready & last_i & ~ok_i;
    end
  end

  logic [PtrWidth:0] moved;
  assign moved    = u_release.released_q - released_before_q;
  assign hidden_o = (may_release_q | (moved == '0)) & (~refused_q | (moved == 1)) &
                    ~(valid & (released == '0));

  assign related_o = hidden_o &
      is_release_state(Depth, 32'(released), 32'(held), 32'(used), valid) &
      (~valid | (payload == u_release.mem[u_release.read_q[PtrWidth-1:0]])) & kept_o;

endmodule
