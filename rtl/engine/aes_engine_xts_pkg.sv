// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Types of the sector engines: what is known of a sector, items of the queue beside the core.
//
// Descriptors and beats are those of the stream engines (aes_engine_streams_pkg), errors those of the
// packet engines (aes_engine_pkg).

package aes_engine_xts_pkg;

  // The mode of a descriptor beside those of the stream engines, of which CBC is here, too.
  typedef enum logic [2:0] {
    ModeXts = 3'd7  // IEEE 1619, SP 800-38E
  } mode_e;

  // Of a sector beside its key and its first tweak.
  typedef struct packed {
    logic                   load;     // stored keys: the key is another one than before
    logic                   decrypt;
    aes_engine_pkg::error_e error;
  } info_t;

  typedef enum logic [2:0] {
    ItemText,
    ItemTweak,   // the block is the first tweak of a sector
    ItemSteal,   // bytes of the result go into the last block, the others are the end of the text
    ItemStolen,  // that last block; its result leaves before them
    ItemError    // the sector ends here; len is its code; there is no block
  } item_e;

  typedef struct packed {
    item_e        kind;
    logic         last;
    logic [3:0]   len;    // bytes less 1; ItemStolen: of the end of the text
    logic [127:0] tweak;  // byte 0 lowest
  } item_t;

  // Behind a far core its kind is a bit for each; nothing is high where there is no item.
  typedef struct packed {
    logic         text;
    logic         tweak;
    logic         steal;
    logic         stolen;
    logic         failed;
    logic         last;
    logic [3:0]   len;
    logic [127:0] tweak_data;
  } event_t;

endpackage
