// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Round keys made one after the other from a window of KeyExpansion (FIPS 197, section 5.2) for
// every key size. The window of step r is W[4r] to W[4r+Nk-1], the first word at the top: a key at
// r = 0, and round key r is always its top 128 bits. A step appends W[4r+Nk] to W[4r+Nk+3]:
//
//   Nk   step    the new words n0, n1, n2, n3                                      phase
//    4   each    n0 = w0 + t                                                       0
//    6   r, r+3  n0 = w0 + t                                                       0
//        r+1     n0 = w0 + w5            n2 = w2 + t, operand n1                   1
//        r+2     n0 = w0 + w5                                                      2
//    8   even    n0 = w0 + t                                                       0
//        odd     n0 = w0 + t without RotWord and Rcon                              1
//
// where not given, n1 = w1 + n0, n2 = w2 + n1, n3 = w3 + n2, and t = SubWord(RotWord(u)) + Rcon of
// the last word u of the window. So 192-bit keys take the S-boxes in two steps of three, and the
// new key of their middle step begins with two words of the old group.
//
// A step has two parts, so that a register may stand between them; each bit of a new word is one
// XOR of bits of the window in each part.

package aes_key_pkg;

  import aes_pkg::*;

  // A window, at the top where it is shorter.
  typedef logic [255:0] window_t;

  // Word i of a window.
  function automatic word_t window_word(window_t window, int unsigned i);
    return window[32*(7-i)+:32];
  endfunction

  // Steps after which the phases repeat.
  function automatic int unsigned num_phases(key_size_e key_size);
    case (key_size)
      KeySize128: return 1;
      KeySize192: return 3;
      default:    return 2;
    endcase
  endfunction

  function automatic logic [1:0] next_phase(key_size_e key_size, logic [1:0] phase);
    return (phase == 2'(num_phases(key_size) - 1)) ? '0 : phase + 2'd1;
  endfunction

  // Whether a step takes a round constant.
  function automatic logic takes_rcon(key_size_e key_size, logic [1:0] phase);
    case (key_size)
      KeySize128: return 1'b1;
      KeySize192: return ~phase[1];
      default:    return ~phase[0];
    endcase
  endfunction

  // The round constant after one of a 128-bit key: xtime of it up to {6c}, which follows the last one
  // and leads to {01}. Those of the standard come again from any other value, {00} too, for bits leave
  // at the top; xtime has cycles that never meet them. So what waits for the last one gets it.
  function automatic byte_t rcon_after(byte_t rcon);
    if (rcon[6] && rcon[5]) return 8'h01;
    return rcon[7] ? 8'h1b : {rcon[6:0], ~|rcon[6:0]};
  endfunction

  // The round constant of the step after one of that phase.
  function automatic byte_t next_rcon(key_size_e key_size, logic [1:0] phase, byte_t rcon);
    return takes_rcon(key_size, phase) ? xtime(rcon) : rcon;
  endfunction

  // The same for control that comes back from any state: of longer keys, a ring of the constants that
  // they take (the first eight at most) and {00}, which begins again where no other bit is set.
  function automatic byte_t rcon_from_any(key_size_e key_size, logic [1:0] phase, byte_t rcon);
    if (!takes_rcon(key_size, phase)) return rcon;
    return (key_size == KeySize128) ? rcon_after(rcon) : {rcon[6:0], ~|rcon};
  endfunction

  // Phase and round constant of step r, from 0.
  function automatic logic [1:0] phase_of(key_size_e key_size, int unsigned r);
    return 2'(r % num_phases(key_size));
  endfunction

  function automatic byte_t rcon_of(key_size_e key_size, int unsigned r);
    byte_t rcon;
    rcon = 8'h01;
    for (int unsigned i = 0; i < r; i++) rcon = next_rcon(key_size, phase_of(key_size, i), rcon);
    return rcon;
  endfunction

  // Operand of SubWord, rotated where the step rotates it. Of no use in phase 2 of 192-bit keys.
  function automatic word_t sub_operand(key_size_e key_size, logic [1:0] phase, window_t window);
    word_t last, straddling;
    logic unused_phase;
    unused_phase = phase[1];
    last       = window_word(window, key_width(key_size) / 32 - 1);
    straddling = window_word(window, 0) ^ window_word(window, 1) ^ last;
    case (key_size)
      KeySize128: return rot_word(last);
      KeySize192: return rot_word(phase[0] ? straddling : last);
      default:    return phase[0] ? last : rot_word(last);
    endcase
  endfunction

  // What is between the two parts of a step.
  typedef struct packed {
    word_t first;      // n0
    word_t second;     // w1
    word_t third;      // w2, or n2 where straddles
    word_t fourth;     // w3
    logic  straddles;  // the second half of the new words does not depend on the first
  } half_step_t;

  // sub is SubWord of the operand.
  function automatic half_step_t first_part(key_size_e key_size, logic [1:0] phase, window_t window,
                                            word_t sub, byte_t rcon);
    half_step_t h;
    word_t t, head;
    logic unused_phase;
    unused_phase = ^phase;
    t = sub ^ {takes_rcon(key_size, phase) ? rcon : 8'h00, 24'b0};
    h.straddles = key_size == KeySize192 && phase[0];
    head = (key_size == KeySize192 && phase != '0) ? window_word(window, 5) : t;
    h.first  = window_word(window, 0) ^ head;
    h.second = window_word(window, 1);
    h.third  = h.straddles ? window_word(window, 2) ^ t : window_word(window, 2);
    h.fourth = window_word(window, 3);
    return h;
  endfunction

  // The new words, n0 at the top. Each is a sum of its own, so that none waits for another.
  function automatic block_t second_part(half_step_t h);
    word_t before_third;
    before_third = h.straddles ? '0 : h.first ^ h.second;
    return {h.first, h.first ^ h.second, before_third ^ h.third, before_third ^ h.third ^ h.fourth};
  endfunction

endpackage
