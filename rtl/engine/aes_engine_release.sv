// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Packets that wait for their tag:
//
//   data_i --[ RAM, Depth ]--|R|-- data_o
//               ^       ^
//            write   read, up to what is released
//
// Beats of a packet that is held are written behind the point up to which the reader may go. Its last
// beat moves this point on if the packet is right; else the beats are given up, and the last one, which
// tells the error, is all that the reader gets. A packet that is not held is released beat by beat.
// A packet with more beats than fit cannot be held: it ends with the error of its length. Beats that are
// given up stay in the RAM until others are written over them; the reader never sees them.

module aes_engine_release
  import aes_engine_pkg::*;
#(
  parameter int unsigned Depth = 512  // beats, a power of two; two of them are for last beats
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         valid_i,
  output logic         ready_o,
  input  logic [127:0] data_i,
  input  logic [3:0]   len_i,
  input  result_user_t user_i,
  input  logic         hold_i,
  output logic         valid_o,
  input  logic         ready_i,
  output logic [127:0] data_o,
  output logic [3:0]   len_o,
  output result_user_t user_o
);

  localparam int unsigned PtrWidth = $clog2(Depth);

  // One bit more than an address.
  logic [PtrWidth:0] write_q, released_q, read_q, read_d, held, used;
  logic over_q, is_over, drop, write, leaves, valid_q, right;
  logic [PtrWidth:0] place;
  result_user_t user;

  assign held    = write_q - released_q;
  assign used    = write_q - read_q;
  assign is_over = over_q | (held >= (PtrWidth + 1)'(Depth - 2));
  assign right   = user_i.ok & ~over_q;
  // A beat that no longer fits is dropped; the last beat has a place of its own.
  assign drop    = hold_i & ~user_i.last & is_over;
  assign ready_o = drop | (used < (PtrWidth + 1)'(Depth - (user_i.last ? 1 : 2)));
  assign write   = valid_i & ready_o & ~drop;
  assign place   = (user_i.last && !right) ? released_q : write_q;

  always_comb begin
    user = user_i;
    if (user_i.last && over_q) user = '{error: ErrLength, ok: 1'b0, last: 1'b1};
  end

  assign leaves = valid_q & ready_i;
  assign read_d = read_q + (PtrWidth + 1)'(leaves);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q    <= '0;
      released_q <= '0;
      read_q     <= '0;
      over_q     <= 1'b0;
      valid_q    <= 1'b0;
    end else begin
      read_q  <= read_d;
      valid_q <= read_d != released_q;
      if (write) write_q <= place + 1'b1;
      if (write && (user_i.last || !hold_i)) released_q <= place + 1'b1;
      if (valid_i && ready_o) over_q <= ~user_i.last & (over_q | drop);
    end
  end

  (* no_rw_check *) logic [$bits(result_user_t)+131:0] mem[Depth];
  logic [$bits(result_user_t)+131:0] word_q;

  always_ff @(posedge clk_i) begin
    if (write) mem[place[PtrWidth-1:0]] <= {user, len_i, data_i};
    word_q <= mem[read_d[PtrWidth-1:0]];
  end

  assign valid_o = valid_q;
  assign {user_o, len_o, data_o} = word_q;

endmodule
