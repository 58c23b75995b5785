// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Encryption under 128-bit keys, a byte at a time, with 128-bit ports around a core of 8-bit ports: the
// fewest registers that such ports allow.
//
//   in_block_i --[ block register, 16 bytes ]-- byte --+
//                     ^                                |
//                     | byte of the result      [ aes_core_narrow_serial, or aes_core_microcoded ]
//                     +--------------------------------+
//   in_key_i ----[ key register, 16 bytes ]---- byte --+
//
// Both registers move up by a byte in every clock; only acceptance loads them. The result moves into
// the bottom of the block register, which the block has left long before, so that register is the
// output, too. Neither register waits, so neither has an enable.
//
//   clock 0             the block is accepted
//   clocks 1 to 16      bytes 0 to 15 of block and key go into the core; zero follows them
//   clocks 204 to 219   bytes 0 to 15 of the result come out of it; clocks 1400 to 1415 of the
//                       microcoded one
//   clock 220 or 1416   out_valid_o: the register holds the result
//   clock 221 or 1417   the next block may come
//
// Between results out_block_o shows the block that was accepted and bytes of its result, as they
// move, and else zero: no state of an inner round, and nothing of a key. A reset makes both registers
// zero, which costs no logic.
//
// Cost beside that core: 258 flip-flops, with a LUT4 before each of the 256 of block and key.

module aes_core_narrow_shift
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  // Printed from one table for all cores
  input  logic   clk_i,
  input  logic   rst_ni,

  // Block
  input  logic   in_valid_i,
  output logic   in_ready_o,
  input  block_t in_block_i,
  input  block_t in_key_i,  // on-the-fly keys: its key, first byte at the top

  // Result, which cannot be held back
  output logic   out_valid_o,
  output block_t out_block_o
);

  logic load, byte_ready, byte_valid, byte_valid_q, feeding_q;
  block_t result, block_q, key_q;

  // The core is ready from the clock before a block is through until 16 bytes are taken: it is ready
  // for a block when it is not ready for bytes of one.
  assign in_ready_o  = byte_ready & ~feeding_q;
  assign load        = in_valid_i & in_ready_o;
  assign out_valid_o = byte_valid_q & ~byte_valid;
  assign out_block_o = block_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      feeding_q    <= 1'b0;
      byte_valid_q <= 1'b0;
      block_q      <= '0;
      key_q        <= '0;
    end else begin
      feeding_q    <= load | (feeding_q & byte_ready);
      byte_valid_q <= byte_valid;
      block_q      <= load ? in_block_i : {block_q[119:0], result[127:120]};
      key_q        <= load ? in_key_i : {key_q[119:0], 8'd0};
    end
  end

  if (Cfg.arch == ArchMicrocoded) begin : gen_microcoded
    aes_core_microcoded #(
      .Cfg   (Cfg),
      .Marked(1'b0)
    ) u_bytes (
      .clk_i,
      .rst_ni,
      .in_valid_i (feeding_q),
      .in_ready_o (byte_ready),
      .in_block_i ({block_q[127:120], 1'b0}),
      .in_key_i   (key_q[127:120]),
      .out_valid_o(byte_valid),
      .out_block_o(result)
    );
  end else begin : gen_narrow
    aes_core_narrow_serial #(
      .Cfg   (Cfg),
      .Marked(1'b0)
    ) u_bytes (
      .clk_i,
      .rst_ni,
      .in_valid_i (feeding_q),
      .in_ready_o (byte_ready),
      .in_block_i ({block_q[127:120], 1'b0}),
      .in_key_i   (key_q[127:120]),
      .out_valid_o(byte_valid),
      .out_block_o(result)
    );
  end

  logic unused_result;
  assign unused_result = ^result[119:0];

endmodule
