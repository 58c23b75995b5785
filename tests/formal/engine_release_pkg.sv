// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What holds of the counters of aes_engine_release in every state that can be reached.

package engine_release_pkg;

  // Beats that are released and not read, those that are held, and both, of so many that fit; and
  // whether a beat is shown.
  function automatic logic is_release_state(int unsigned depth, int unsigned released,
                                            int unsigned held, int unsigned used, logic valid);
    return released <= depth && held <= depth - 2 && used <= depth && used == released + held &&
           !(valid && released == 0);
  endfunction

endpackage
