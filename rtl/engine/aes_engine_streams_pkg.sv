// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Types of the stream engines: descriptors, beats, what travels beside a block.

package aes_engine_streams_pkg;

  // Modes of operation (SP 800-38A, SP 800-38B). No mode is 0, so an empty descriptor is refused.
  typedef enum logic [2:0] {
    ModeCbc  = 3'd3,  // encryption
    ModeCfb  = 3'd4,  // CFB128
    ModeOfb  = 3'd5,
    ModeCmac = 3'd6
  } mode_e;

  // tdata of a descriptor.
  typedef struct packed {
    logic [7:0]   slot;      // of the key
    logic [3:0]   reserved;
    logic         decrypt;
    logic [2:0]   mode;      // mode_e
    logic [127:0] iv;        // byte 0 lowest; not for CMAC
  } desc_t;

  // What the last beat of a result tells.
  typedef enum logic [2:0] {
    ErrNone = 3'd0,
    ErrMode = 3'd1,  // no mode or direction of this engine
    ErrSlot = 3'd2,  // no such slot, or no key in it
    ErrBeat = 3'd5   // a beat that the message cannot have there
  } error_e;

  // What is kept of a descriptor beside key and IV.
  typedef struct packed {
    error_e     error;
    logic       decrypt;
    logic [2:0] mode;
  } info_t;

  // What is kept of a beat beside its bytes.
  typedef struct packed {
    logic       ok;     // tkeep is a number of bytes from the lowest lane on
    logic       first;  // of its message
    logic       last;
    logic       full;   // 16 bytes
    logic       none;   // 0 bytes
    logic [3:0] len;    // bytes less 1
  } shape_t;

  // What travels beside a block through the core.
  typedef struct packed {
    logic       spare;   // no block of a stream: zero under a new key
    logic       last;
    error_e     error;
    logic       gives;   // a beat of the result
    logic       none;    // it has no byte
    logic [3:0] len;     // bytes of it, less 1
    logic       add;     // text is added behind the core
    logic       keep_e;  // next chaining value: the result of the core
    logic       keep_x;  // and the text (both: their sum)
  } meta_t;

  // A core whose keys travel with its blocks.
  function automatic aes_pkg::cfg_t with_keys_on_the_fly(aes_pkg::cfg_t cfg);
    aes_pkg::cfg_t changed;
    changed           = cfg;
    changed.key_sched = aes_pkg::KeysOnTheFly;
    return changed;
  endfunction

  // Multiplication by x (SP 800-38B, section 5.3).
  function automatic logic [127:0] double(logic [127:0] block);
    return {block[126:0], 1'b0} ^ (block[127] ? 128'h87 : 128'h0);
  endfunction

endpackage
