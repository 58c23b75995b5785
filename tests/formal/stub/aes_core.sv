// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A core by the contract of aes_core and nothing more, for proofs about what stands around a core:
// its result is the block plus the low byte of its key plus its direction, two clocks later. When it
// takes blocks is free: a ring that no reset sets says it, so a proof is for every
// order of events. It takes a block in every second clock at least, so that waiting has an end.

module aes_core
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  // Printed from one table for all cores
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  output logic         clearing_o,
  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,
  input  logic [1:0]   key_len_i,
  output logic         key_error_o,
  input  logic         round_key_valid_i,
  output logic         round_key_ready_o,
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,
  input  logic [255:0] in_key_i,
  output logic         out_valid_o,
  output block_t       out_block_o,
  output logic         fault_o
);

  localparam bit Stored = Cfg.key_sched != KeysOnTheFly;

  assign clearing_o  = 1'b0;
  assign key_error_o = 1'b0;
  assign fault_o     = 1'b0;

  logic [63:0] free_q;
  logic waited_q, key_ready_q, valid_q, out_valid_q;
  block_t block_q, out_block_q;
  byte_t key_q, current_q, key;
  logic accept;

  always_ff @(posedge clk_i) free_q <= {free_q[0], free_q[63:1]};

  assign in_ready_o  = free_q[0] | waited_q;
  assign key_ready_o = key_ready_q & Stored;
  assign accept      = in_valid_i & in_ready_o;
  assign key         = Stored ? current_q : in_key_i[255:248];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waited_q    <= 1'b0;
      key_ready_q <= 1'b1;
      valid_q     <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      waited_q    <= ~in_ready_o;
      key_ready_q <= key_ready_q ? ~key_valid_i : 1'b1;
      valid_q     <= accept;
      out_valid_q <= valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (key_valid_i && key_ready_o) key_q <= key_i[255:248];
    // Current from the clock in which key_ready_o rises again.
    if (!key_ready_q) current_q <= key_q;
    block_q     <= in_block_i ^ 128'(key) ^ (in_decrypt_i ? 128'h80 : 128'h0);
    out_block_q <= block_q;
  end

  assign out_valid_o = out_valid_q;
  assign out_block_o = out_block_q;

  logic unused;
  assign unused = ^{key_i, in_key_i, key_len_i, round_key_valid_i};
  assign round_key_ready_o = 1'b0;

endmodule
