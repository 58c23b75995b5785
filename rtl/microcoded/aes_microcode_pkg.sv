// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The program of the microcoded core: encryption under 128-bit keys (FIPS 197, sections 5.1 and 5.2).
//
// An instruction reads a byte, and what it reads is there for the operation of the next one; it writes
// the accumulator as it is before its own operation. So a byte that is read in word p meets the
// accumulator in word p + 1 and can be written in word p + 2.
//
//   read:   a byte of the data memory, with one of the key memory added to it; or the S-box of the
//           accumulator
//   op:     load        accumulator = byte
//           add         accumulator + byte
//           double      {02} accumulator + byte
//           take        a byte of block and key from the ports, into both memories
//   write:  the accumulator into a byte of the data memory or the key memory; or nothing, but a jump
//           (not in the last round) or a byte of the result
//
// Data memory                        Key memory
//   0 to 15    state                   0 to 15   round key
//   16 to 31   state after SubBytes
//              and ShiftRows
//   32 to 47   zero
//   48         Rcon
//   56         {01}
//
// Only bytes 0 to 31 and 48 to 55 of the data memory are ever written, whatever an instruction says:
// what a fault leaves in a memory is gone with the next block.
//
// The words, in the order in which they are run; a jump takes effect a word later:
//
//   0 to 17      take a block and its key; Rcon = {01}; go on at 171
//   89 to 168    MixColumns, five words a byte: {02} (a[i] + a[i+1]) + a[i+1] + a[i+2] + a[i+3]
//   169 to 200   key addition, SubBytes, ShiftRows: two bytes in four words
//   201 to 230   next round key in place, row by row
//   231 to 234   next Rcon; unless it was that of the last round, go on at 89
//   235 to 254   key addition, the 16 bytes of the result; go on at 0
//
// That is 1,416 clocks a block: 18, ten times 66 but for two, nine times 80, and 20.

package aes_microcode_pkg;

  typedef enum logic [1:0] {
    OpLoad,
    OpAdd,
    OpDouble,
    OpTake
  } op_e;

  typedef struct packed {
    logic sbox;  // read the S-box of the accumulator; with OpTake: only the first byte will do
    logic key;  // add the byte of the key memory
    logic [5:0] read;  // address in the data memory, and its lower bits in the key memory
    logic [5:0] write;  // WriteNothing and what is added to it, an address, or WriteKey + byte
    op_e op;
  } instruction_t;

  typedef logic [15:0] program_t[256];

  // Addresses of bytes.
  localparam logic [5:0] AtState = 6'd0;
  localparam logic [5:0] AtSubstituted = 6'd16;
  localparam logic [5:0] AtZero = 6'd32;
  localparam logic [5:0] AtRcon = 6'd48;
  localparam logic [5:0] AtOne = 6'd56;

  // Where only the key memory is written, and from where on nothing is.
  localparam logic [5:0] WriteKey = 6'd32;
  localparam logic [5:0] WriteNothing = 6'd56;
  localparam logic [5:0] WriteResult = WriteNothing | 6'd1;
  localparam logic [5:0] WriteJump = WriteNothing | 6'd4;  // to the round
  localparam logic [5:0] WriteJumpEntry = WriteNothing | 6'd6;  // to its entry

  // Where the parts of the program begin.
  localparam int unsigned NumWords = 255;
  localparam int unsigned Mix = 89;
  localparam int unsigned Substitute = Mix + 80;
  localparam int unsigned Expand = Substitute + 32;
  localparam int unsigned Result = Expand + 34;
  localparam int unsigned Entry = Substitute + 2;

  // The words by their number; the core keeps word p at address count_after(p) of aes_pkg.
  function automatic program_t make_words();
    logic [7:0] reads[256];  // {sbox, key, read}
    logic [5:0] writes[256];
    op_e ops[256];
    program_t words;

    for (int unsigned p = 0; p < 256; p++) begin
      reads[p]  = {2'b00, AtZero};
      writes[p] = WriteNothing;
      ops[p]    = OpLoad;
    end

    // A block and its key. In word 16 the accumulator is zero, so the jump is taken.
    for (int unsigned n = 0; n < 16; n++) begin
      ops[n]    = OpTake;
      writes[n] = AtState + 6'(n);
    end
    reads[0]   = {2'b10, AtZero};
    reads[15]  = {2'b00, AtOne};
    writes[16] = WriteJumpEntry;
    writes[17] = AtRcon;

    // MixColumns. The last sum is written among the words that follow.
    for (int unsigned n = 0; n < 16; n++) begin
      reads[Mix+5*n]    = {2'b00, AtSubstituted + 6'(n)};
      ops[Mix+5*n+1]    = OpLoad;
      reads[Mix+5*n+1]  = {2'b00, AtSubstituted + 6'(n / 4 * 4 + (n + 1) % 4)};
      ops[Mix+5*n+2]    = OpAdd;
      reads[Mix+5*n+2]  = {2'b00, AtSubstituted + 6'(n / 4 * 4 + (n + 1) % 4)};
      ops[Mix+5*n+3]    = OpDouble;
      reads[Mix+5*n+3]  = {2'b00, AtSubstituted + 6'(n / 4 * 4 + (n + 2) % 4)};
      ops[Mix+5*n+4]    = OpAdd;
      reads[Mix+5*n+4]  = {2'b00, AtSubstituted + 6'(n / 4 * 4 + (n + 3) % 4)};
      ops[Mix+5*n+5]    = OpAdd;
      writes[Mix+5*n+6] = AtState + 6'(n);
    end

    // Byte n = 4 c + r of the shifted state is that of column c + r. Two bytes take four words.
    for (int unsigned n = 0; n < 16; n++) begin
      reads[Substitute+n/2*4+n%2]    = {2'b01, AtState + 6'((n + n % 4 * 4) % 16)};
      ops[Substitute+n/2*4+n%2+1]    = OpLoad;
      reads[Substitute+n/2*4+n%2+2]  = {2'b10, AtZero};
      ops[Substitute+n/2*4+n%2+3]    = OpLoad;
      writes[Substitute+n/2*4+n%2+4] = AtSubstituted + 6'(n);
    end
    // The first two are read at the end of MixColumns, or of taking a block.
    reads[16] = reads[Substitute];
    reads[17] = reads[Substitute+1];

    // Row r of the round key: SubWord of byte 12 + r + 1, and the bytes of the row, each the sum of
    // what is new before it and what it was. A row takes seven words; row 0 one more for Rcon, and
    // row 3 one more for byte 12, which is new already: what it was is the sum of it and byte 8.
    for (int unsigned r = 0; r < 4; r++) begin
      reads[Expand+7*r+32'(r>0)] = {2'b01, AtZero + 6'(12 + (r + 1) % 4)};
      ops[Expand+7*r+32'(r>0)+1] = OpLoad;
      reads[Expand+7*r+32'(r>0)+32'(r==3)+2] = {2'b10, AtZero};
      ops[Expand+7*r+32'(r>0)+32'(r==3)+3] = OpLoad;
      for (int unsigned c = 0; c < 4; c++) begin
        reads[Expand+7*r+32'(r==3)+c+4]  = {2'b01, AtZero + 6'(4 * c + r)};
        ops[Expand+7*r+32'(r==3)+c+5]    = OpAdd;
        writes[Expand+7*r+32'(r==3)+c+6] = WriteKey + 6'(4 * c + r);
      end
    end
    reads[Expand+3]  = {2'b00, AtRcon};
    ops[Expand+4]    = OpAdd;
    reads[Expand+23] = {2'b01, AtZero + 6'd8};
    ops[Expand+24]   = OpAdd;

    // In the word of the jump the accumulator is Rcon of this round.
    reads[Expand+30]  = {2'b00, AtRcon};
    ops[Expand+31]    = OpLoad;
    ops[Expand+32]    = OpDouble;
    writes[Expand+32] = WriteJump;
    writes[Expand+33] = AtRcon;

    for (int unsigned n = 0; n < 16; n++) begin
      reads[Result+n]    = {2'b01, AtSubstituted + 6'(n)};
      ops[Result+n+1]    = OpLoad;
      writes[Result+n+2] = WriteResult;
    end

    // Linear feedback does not lead to the last address, nor away from it.
    writes[255] = WriteJumpEntry;

    for (int unsigned p = 0; p < 256; p++) words[p] = {reads[p], writes[p], ops[p]};
    return words;
  endfunction

endpackage
