// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Types of the CCM engines (SP 800-38C): descriptors, and what is kept of them.
//
// Beats, errors and results are those of the packet engines (aes_engine_pkg).

package aes_engine_ccm_pkg;

  // The mode of a descriptor beside those of the other engines.
  typedef enum logic [3:0] {ModeCcm = 4'd8} mode_e;

  // tdata of a descriptor.
  typedef struct packed {
    logic [15:0]  aad_len;    // bytes of the AAD: up to 65,279
    logic [15:0]  text_len;   // bytes of the text
    logic [7:0]   tag_len;    // bytes of the tag: 4, 6, 8, 10, 12, 14, 16
    logic [7:0]   nonce_len;  // bytes of the nonce: 7 to 13
    logic [7:0]   slot;       // of the key
    logic [2:0]   reserved;
    logic         decrypt;
    logic [3:0]   mode;       // mode_e
    logic [127:0] nonce;      // byte 0 lowest; bytes that do not count are not looked at
  } desc_t;

  // AAD of so many bytes has another form of its length (SP 800-38C, section A.2.2).
  function automatic logic aad_too_long(logic [15:0] aad_len);
    return aad_len >= 16'hff00;
  endfunction

  // What is kept of a packet.
  typedef struct packed {
    logic [2:0]   q_less_1;  // bytes of the length of the text, less 1
    logic [2:0]   tag_half;  // half the bytes of the tag, less 1
    logic         has_aad;
    logic         decrypt;
    logic [103:0] nonce;     // byte 0 at the top, bytes that do not count are zero
  } packet_t;

endpackage
