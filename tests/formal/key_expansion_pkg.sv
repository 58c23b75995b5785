// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// KeyExpansion as FIPS 197 writes it (section 5.2, Fig. 11), one word at a time: the definition that
// key schedules are proved against.

package key_expansion_pkg;

  import aes_pkg::word_t, aes_pkg::byte_t, aes_pkg::SboxFwdTable;

  // Rcon[1] to Rcon[10] (section 5.2), first byte.
  localparam byte_t Rcon[11] = '{
      8'h00,
      8'h01,
      8'h02,
      8'h04,
      8'h08,
      8'h10,
      8'h20,
      8'h40,
      8'h80,
      8'h1b,
      8'h36
  };

  function automatic word_t sub_word(word_t w);
    return {
      SboxFwdTable[w[31:24]], SboxFwdTable[w[23:16]], SboxFwdTable[w[15:8]], SboxFwdTable[w[7:0]]
    };
  endfunction

  // What is done to W[i-1] before it is added to W[i-Nk].
  typedef struct packed {
    logic  rotates;      // RotWord and Rcon: i mod Nk = 0
    logic  substitutes;  // SubWord: the same, and with Nk > 6 where i mod Nk = 4
    byte_t rcon;
  } step_t;

  function automatic step_t step_of(int unsigned nk, int unsigned i);
    step_t step;
    step.rotates     = i % nk == 0;
    step.substitutes = step.rotates || (nk > 6 && i % nk == 4);
    step.rcon        = step.rotates ? Rcon[i/nk] : 8'h00;
    return step;
  endfunction

  // W[i] from W[i-1] and W[i-Nk].
  function automatic word_t next_word(step_t step, word_t last, word_t old);
    word_t temp;
    temp = step.rotates ? {last[23:0], last[31:24]} : last;
    if (step.substitutes) temp = sub_word(temp);
    return old ^ temp ^ {step.rcon, 24'h0};
  endfunction

endpackage
