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

    logic in_valid_q, in_decrypt_q, out_valid_q;
    block_t in_block_q, out_block_q;
    logic [255:0] in_key_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        in_valid_q  <= 1'b0;
        out_valid_q <= 1'b0;
      end else begin
        in_valid_q  <= in_valid_i;
        out_valid_q <= out_valid;
      end
    end
    always_ff @(posedge clk_i) begin
      in_block_q   <= in_block_i;
      in_decrypt_q <= in_decrypt_i;
      in_key_q     <= in_key_i;
      out_block_q  <= out_block;
    end
    assign in_valid    = in_valid_q;
    assign in_block    = in_block_q;
    assign in_decrypt  = in_decrypt_q;
    assign in_key      = in_key_q;
    assign in_ready_o  = 1'b1;
    assign out_valid_o = out_valid_q;
    assign out_block_o = out_block_q;

    logic unused_ready;
    assign unused_ready = in_ready;
  end else begin : gen_near
    assign in_valid    = in_valid_i;
    assign in_block    = in_block_i;
    assign in_decrypt  = in_decrypt_i;
    assign in_key      = in_key_i;
    assign in_ready_o  = in_ready;
    assign out_valid_o = out_valid;
    assign out_block_o = out_block;
  end

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
