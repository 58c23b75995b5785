// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The core of an engine, without the ports that engines have no use for:
//
//   in_block_i --|R|--[ core, never stalls ]--|R|-- out_block_o     (registers: with Far)
//
// A pipeline fills much of a device, so what stands around it may be far away. With Far there is a
// register before and one behind it: two clocks more from a block to its result.

module aes_engine_core
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg,
  parameter bit   Far = 1'b0         // of a core that takes a block in each clock, with its key
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         key_valid_i,   // stored keys
  output logic         key_ready_o,
  input  logic [255:0] key_i,
  input  logic [1:0]   key_len_i,
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,
  input  logic [255:0] in_key_i,      // keys on the fly
  output logic         out_valid_o,
  output block_t       out_block_o
);

  logic in_valid, in_ready, in_decrypt, out_valid;
  block_t in_block, out_block;
  logic [255:0] in_key;

  if (Far) begin : gen_far
    if (Cfg.arch != ArchPipelined || Cfg.key_sched != KeysOnTheFly) begin : gen_illegal_far
      $fatal(1, "aes_engine_core: only a pipeline whose keys travel with its blocks is far");
    end

    assign in_ready_o = 1'b1;

    logic unused_ready;
    assign unused_ready = in_ready;
  end else begin : gen_near
    assign in_ready_o = in_ready;
  end

  aes_engine_hop #(
    .Far  (Far),
    .Width(128 + 1 + 256)
  ) u_in (
    .clk_i,
    .rst_ni,
    .valid_i(in_valid_i),
    .data_i ({in_block_i, in_decrypt_i, in_key_i}),
    .valid_o(in_valid),
    .data_o ({in_block, in_decrypt, in_key})
  );

  aes_engine_hop #(
    .Far(Far)
  ) u_out (
    .clk_i,
    .rst_ni,
    .valid_i(out_valid),
    .data_i (out_block),
    .valid_o(out_valid_o),
    .data_o (out_block_o)
  );

  logic unused_clearing, unused_key_error, unused_round_key_ready, unused_fault, unused;

  aes_core #(
    .Cfg(Cfg)
  ) u_core (
    .clk_i,
    .rst_ni,
    .clear_i          (1'b0),
    .clearing_o       (unused_clearing),
    .key_valid_i,
    .key_ready_o,
    .key_error_o      (unused_key_error),
    .key_i,
    .key_len_i,
    .round_key_valid_i(1'b0),
    .round_key_ready_o(unused_round_key_ready),
    .in_valid_i       (in_valid),
    .in_ready_o       (in_ready),
    .in_block_i       (in_block),
    .in_decrypt_i     (in_decrypt),
    .in_key_i         (in_key),
    .out_valid_o      (out_valid),
    .out_block_o      (out_block),
    .fault_o          (unused_fault)
  );

  assign unused = ^{unused_clearing, unused_key_error, unused_round_key_ready, unused_fault};

endmodule
