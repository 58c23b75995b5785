// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// An AES core: the dispatcher of the architectures and the place where a design is checked.
//
//   key_i   --valid/ready--[ key schedule ]      stored keys; else in_key_i comes with each block
//                                 |
//   in_block_i --valid/ready--[ rounds ]--valid-- out_block_o
//
// A block accepted at clock t (in_valid_i and in_ready_o high) leaves at clock t + LATENCY
// (aes_pkg::latency), whatever the data and the key: a core never stalls and its timing tells
// nothing. Byte 0 of FIPS 197 is at the top of every block and key.
//
// All ports are always there; those that a design does not use are ignored or constant. Generated
// wrappers show only the ports in use.

module aes_core
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = '{
    arch:      ArchIterative,
    rounds:    1,
    sbox:      SboxTable,
    key_sbox:  SboxTable,
    dir:       DirEncrypt,
    key_size:  KeySize128,
    key_sched: KeysStored,
    key_mem:   KeyMemAuto
  }
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // Key, for stored keys
  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [255:0] key_i,         // first byte at the top
  input  logic [1:0]   key_len_i,     // key_len_e, for designs that take every key size

  // Block, with its direction (DirBoth) and its key (on-the-fly keys)
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  block_t       in_block_i,
  input  logic         in_decrypt_i,
  input  logic [255:0] in_key_i,      // first byte at the top

  // Result, which cannot be held back
  output logic         out_valid_o,
  output block_t       out_block_o
);

  ///////////////////////////////////////////////////////////////////////////
  // Legality: the same reasons, in the same words, as in spec.py
  ///////////////////////////////////////////////////////////////////////////

  localparam bit Stored = Cfg.key_sched != KeysOnTheFly;
  localparam bit Multi  = Cfg.rounds > 1;
  localparam bit AnyRom = Cfg.sbox == SboxRom || Cfg.key_sbox == SboxRom;

  // Nr mod rounds for every key size that the design takes; all of them are 10, 12 or 14.
  localparam bit Divides =
      !(Cfg.key_size inside {KeySize128, KeySizeAny} && 10 % Cfg.rounds != 0) &&
      !(Cfg.key_size inside {KeySize192, KeySizeAny} && 12 % Cfg.rounds != 0) &&
      !(Cfg.key_size inside {KeySize256, KeySizeAny} && 14 % Cfg.rounds != 0);

  if (!Divides) begin : gen_illegal_rounds
    $fatal(1, "the rounds in hardware must divide the number of rounds of every key size");
  end
  if (Multi && AnyRom) begin : gen_illegal_rom
    $fatal(1, "a block-RAM S-box takes a clock, so it cannot do several rounds in one");
  end
  if (Multi && Stored) begin : gen_illegal_stored
    $fatal(1, "several rounds a clock need on-the-fly keys: a memory gives one key a clock");
  end
  if (!Stored && Cfg.dir != DirEncrypt) begin : gen_illegal_direction
    $fatal(1, "on-the-fly keys run forward from the cipher key, so they serve encryption only");
  end
  if (!Stored && Cfg.key_size != KeySize128) begin : gen_illegal_key_size
    $fatal(1, "on-the-fly keys are made for 128-bit keys only");
  end
  if (!Stored && Cfg.key_mem != KeyMemAuto) begin : gen_illegal_key_mem
    $fatal(1, "on-the-fly keys have no key memory to choose");
  end

  ///////////////////////////////////////////////////////////////////////////
  // Architectures
  ///////////////////////////////////////////////////////////////////////////

  if (Cfg.arch == ArchIterative) begin : gen_iterative
    aes_core_iterative #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni,
      .key_valid_i,
      .key_ready_o,
      .key_i,
      .key_len_i,
      .in_valid_i,
      .in_ready_o,
      .in_block_i,
      .in_decrypt_i,
      .in_key_i,
      .out_valid_o,
      .out_block_o
    );
  end else begin : gen_unknown
    $fatal(1, "aes_core: unknown architecture");
  end

endmodule
