// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Types of the packet engines: descriptors, beats, items of the queue between front and back, errors.
//
// On the streams byte 0 is in the lowest lane (AXI4-Stream, ARM IHI 0051). Inside, as in the cores,
// byte 0 is at the top of a block; swap_bytes is the step between the two.

package aes_engine_pkg;

  ///////////////////////////////////////////////////////////////////////////
  // The streams
  ///////////////////////////////////////////////////////////////////////////

  // Modes of operation. GMAC is GCM without text. No mode is 0, so an empty descriptor is refused.
  typedef enum logic [2:0] {
    ModeCtr = 3'd1,  // SP 800-38A; the counter block is 128 bits wide and counts as one number
    ModeGcm = 3'd2   // SP 800-38D
  } mode_e;

  // tuser of a beat of data. In a packet beats come in the order IV, AAD, text, tag.
  typedef enum logic [1:0] {
    BeatText = 2'd0,
    BeatAad  = 2'd1,
    BeatIv   = 2'd2,  // an IV that is not 96 bits long
    BeatTag  = 2'd3   // decryption: the tag that the text has to have, in the last beat
  } beat_e;

  // The order of beats in a packet.
  function automatic logic [1:0] rank_of(beat_e kind);
    logic [1:0] rank;
    case (kind)
      BeatIv:   rank = 2'd0;
      BeatAad:  rank = 2'd1;
      BeatText: rank = 2'd2;
      default:  rank = 2'd3;
    endcase
    return rank;
  endfunction

  // tdata of a descriptor.
  typedef struct packed {
    logic [7:0]   tag_len;   // bytes of the tag: 4, 8, 12 to 16
    logic [7:0]   iv_len;    // bytes of the IV: 1 to 128 for GCM, 16 for CTR
    logic [7:0]   slot;      // of the key
    logic [2:0]   reserved;
    logic         empty;     // no beat of data follows
    logic         decrypt;
    logic [2:0]   mode;      // mode_e
    logic [127:0] iv;        // CTR: the first counter block; GCM: an IV of 96 bits, byte 0 lowest
  } desc_t;

  // What the last beat of a result tells.
  typedef enum logic [3:0] {
    ErrNone = 4'd0,
    ErrMode = 4'd1,  // no mode of this engine
    ErrSlot = 4'd2,  // no such slot, or no key in it
    ErrIv = 4'd3,  // length of the IV
    ErrTagLen = 4'd4,  // length of the tag
    ErrBeat = 4'd5,  // a beat that the packet cannot have there, or has to have and has not
    ErrLength = 4'd6,  // longer than the standard allows, or than what waits for its tag
    ErrTag = 4'd7  // the tag is wrong
  } error_e;

  function automatic logic iv_len_is_ok(logic [7:0] iv_len);
    return iv_len inside {[8'd1 : 8'd128]};
  endfunction

  function automatic logic tag_len_is_ok(logic [7:0] tag_len);
    return tag_len inside {8'd4, 8'd8, [8'd12 : 8'd16]};
  endfunction

  // What is wrong with the lengths of a descriptor, by what is known of them.
  function automatic error_e own_error_by(logic gcm, logic decrypt, logic empty, logic iv_ok,
                                          logic iv_not_12, logic iv_not_16, logic tag_len_ok);
    error_e own;
    own = ErrNone;
    if (gcm && !iv_ok) own = ErrIv;
    else if (!gcm && iv_not_16) own = ErrIv;
    else if (gcm && !tag_len_ok) own = ErrTagLen;
    else if (empty && gcm && (iv_not_12 || decrypt)) own = ErrBeat;
    return own;
  endfunction

  // What a descriptor tells by itself: whether its lengths are those of its mode.
  function automatic error_e own_error_of(logic gcm, logic decrypt, logic empty, logic [7:0] iv_len,
                                          logic [7:0] tag_len);
    logic iv_ok, iv_not_12, iv_not_16, tag_len_ok;
    iv_ok      = iv_len_is_ok(iv_len);
    iv_not_12  = iv_len != 8'd12;
    iv_not_16  = iv_len != 8'd16;
    tag_len_ok = tag_len_is_ok(tag_len);
    return own_error_by(gcm, decrypt, empty, iv_ok, iv_not_12, iv_not_16, tag_len_ok);
  endfunction

  // All that is wrong with it: its mode comes first, then its slot.
  function automatic error_e all_errors(logic mode_ok, logic slot_ok, error_e own);
    if (!mode_ok) return ErrMode;
    return slot_ok ? own : ErrSlot;
  endfunction

  // tuser of a result.
  typedef struct packed {
    logic [3:0] error;  // error_e; with the last beat
    logic       ok;     // with the last beat: no error, and the tag is right
    logic       last;   // the last beat: the tag, or zero
  } result_user_t;

  // A beat of data inside: what its tkeep says, and its bytes.
  typedef struct packed {
    beat_e        kind;
    logic         last;
    logic         ok;    // tkeep is a number of bytes from the lowest lane on, and so is the order
    logic         full;
    logic [3:0]   len;   // bytes less 1
    logic [127:0] data;  // byte 0 at the top; bytes that do not count are zero
  } beat_t;

  ///////////////////////////////////////////////////////////////////////////
  // Between front and back
  ///////////////////////////////////////////////////////////////////////////

  typedef enum logic [2:0] {
    ItemHead,  // a packet begins; data is H of its key
    ItemIv,
    ItemAad,
    ItemText,
    ItemTag,
    ItemError  // the packet ends here; len is its code
  } item_e;

  typedef struct packed {
    item_e        kind;
    logic         last;  // the packet has no item after this one
    logic         flag;  // ItemHead: decryption; ItemIv: the IV ends
    logic         gcm;   // ItemHead
    logic [3:0]   len;   // bytes of data that count, less 1; ItemHead: the same of the tag
    logic [127:0] data;  // byte 0 at the top; bytes that do not count are zero
  } item_t;

  // What a beat is, for who has no time to find out: right by itself, but for plain.
  typedef struct packed {
    logic plain;      // there is a beat, and it is none of an IV
    logic text;       // not the last beat of its packet
    logic text_last;
    logic aad;
    logic aad_last;
    logic tag;        // the last beat
    logic same_len;   // with tag: as long as that of the packet
  } beat_is_t;

  // Its kind, a bit for each: for who has no time to find out.
  typedef struct packed {
    logic head;
    logic iv;
    logic aad;
    logic text;
    logic tag;
    logic failed;
  } item_is_t;

  // What comes to a back that never waits, in one clock. The end of a packet may come with the head of the
  // next one.
  typedef struct packed {
    logic         mask;  // its text is over, and the key stream is that of J0
    logic         over;  // CTR: its text is over
    logic         hash;  // GHASH takes a block, or its message ends
    logic         mix;   // the key stream goes into that block; without text it is H
    item_is_t     is;    // nothing is high: no item
    logic         flag;  // as of item_t
    logic         gcm;
    logic [3:0]   len;
    logic [127:0] data;
  } event_t;

  function automatic item_is_t is_of(item_e kind);
    return
    '{
        head: kind == ItemHead,
        iv: kind == ItemIv,
        aad: kind == ItemAad,
        text: kind == ItemText,
        tag: kind == ItemTag,
        failed: kind == ItemError
    }
    ;
  endfunction

  ///////////////////////////////////////////////////////////////////////////
  // Bytes
  ///////////////////////////////////////////////////////////////////////////

  function automatic logic [127:0] swap_bytes(logic [127:0] block);
    logic [127:0] swapped;
    for (int unsigned n = 0; n < 16; n++) swapped[8*n+:8] = block[8*(15-n)+:8];
    return swapped;
  endfunction

  // A block as a polynomial with the coefficient of x^n at bit n, and back (SP 800-38D, section 6.3).
  function automatic logic [127:0] reverse_bits(logic [127:0] block);
    logic [127:0] reversed;
    for (int unsigned n = 0; n < 128; n++) reversed[n] = block[127-n];
    return reversed;
  endfunction

  function automatic logic [15:0] keep_of(logic [3:0] len);
    logic [15:0] keep;
    for (int unsigned n = 0; n < 16; n++) keep[n] = 4'(n) <= len;
    return keep;
  endfunction

  // A length less 1 in two parts, each as ones from below, of which the lowest is always there: so a byte
  // counts by three bits.
  typedef struct packed {
    logic [3:1] words;
    logic [3:1] bytes;
  } keep_t;

  function automatic keep_t keep_parts(logic [3:0] len);
    keep_t keep;
    keep.words = {len[3] & len[2], len[3], len[3] | len[2]};
    keep.bytes = {len[1] & len[0], len[1], len[1] | len[0]};
    return keep;
  endfunction

  function automatic logic [15:0] keep_by(keep_t keep);
    logic [4:0] words;
    logic [3:0] bytes;
    logic [15:0] all;
    words = {1'b0, keep.words, 1'b1};
    bytes = {keep.bytes, 1'b1};
    for (int unsigned n = 0; n < 16; n++) all[n] = words[n/4+1] | (words[n/4] & bytes[n%4]);
    return all;
  endfunction

  function automatic logic [3:0] len_by(keep_t keep);
    return {
      keep.words[2],
      keep.words[3] | (keep.words[1] & ~keep.words[2]),
      keep.bytes[2],
      keep.bytes[3] | (keep.bytes[1] & ~keep.bytes[2])
    };
  endfunction

  // Whether tkeep is a number of bytes from the lowest lane on.
  function automatic logic keep_is_legal(logic [15:0] keep);
    return keep[0] && (keep[15:1] & ~keep[14:0]) == '0;
  endfunction

  // That number less 1.
  function automatic logic [3:0] keep_len(logic [15:0] keep);
    logic [3:0] len;
    // Ones end at one place.
    len = {keep[8], keep[12], keep[14], keep[15]};
    for (int unsigned n = 1; n < 15; n += 2) len[0] |= keep[n] & ~keep[n+1];
    for (int unsigned n = 2; n < 14; n += 4) len[1] |= keep[n] & ~keep[n+2];
    len[2] |= keep[4] & ~keep[8];
    return len;
  endfunction

  // A pipeline fills much of a device: what stands around it may be far away from it. See
  // aes_engine_core.
  function automatic bit is_far(aes_pkg::cfg_t cfg);
    logic unused_cfg;
    unused_cfg = ^cfg;
    return cfg.arch == aes_pkg::ArchPipelined && cfg.key_sched == aes_pkg::KeysOnTheFly;
  endfunction

  // Lanes: clocks from the end of a message to its sum at most (aes_engine_lanes).
  function automatic int unsigned sum_clocks();
    return 23;
  endfunction

  // Places of the queue at the output, behind a back that never waits (aes_engine_results).
  function automatic int unsigned out_places();
    return 16;
  endfunction

  // Clocks that its core takes longer then.
  function automatic int unsigned far_clocks(aes_pkg::cfg_t cfg);
    return is_far(cfg) ? 2 : 0;
  endfunction

endpackage
