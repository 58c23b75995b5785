// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// S-modules: S-boxes that look up N bytes of a block in turn, and registers that collect what they
// find (qin2005, section 3, Figs. 4 and 5).
//
//   bytes_i[m] --[ S-box |R| ]--[ |R| if N = 4 ]--[ shift register, N bytes ]-- block_o, bytes
//                                                                            N m ... N m + N-1
//
// The byte that is found first stands at the top of its S-module's register, which the paper calls
// the feed-back register (16 bit for N = 2, 32 bit for N = 4). A byte that is given in clock c
// stands in block_o from clock c+2 on (N = 2) or c+3 (N = 4). aes_rolling_part says why four
// look-ups need one more register.
//
// All S-modules are one module, because two S-boxes share a dual-port block RAM. Cost: 16/N
// S-boxes (8/N block RAMs of 256 x 8 bit), 128 flip-flops, and 32 for N = 4.

module aes_s_modules
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox       = SboxTable,
  parameter int unsigned NumLookups = 2           // look-ups for a block, 2 or 4
) (
  input  logic                      clk_i,
  input  byte_t [16/NumLookups-1:0] bytes_i,  // the byte of S-module 0 at the top
  output block_t                    block_o
);

  if (NumLookups != 2 && NumLookups != 4) begin : gen_bad_lookups
    $fatal(1, "aes_s_modules: NumLookups must be 2 or 4");
  end

  localparam int unsigned NumModules = 16 / NumLookups;

  byte_t [NumModules-1:0] looked_up, found;

  aes_sub_bytes #(
    .Sbox    (Sbox),
    .Dir     (DirEncrypt),
    .Levels  (1),
    .NumBytes(NumModules)
  ) u_sub_bytes (
    .clk_i,
    .decrypt_i(1'b0),
    .bytes_i,
    .bytes_o  (looked_up)
  );

  if (NumLookups == 4) begin : gen_found
    always_ff @(posedge clk_i) found <= looked_up;
  end else begin : gen_no_found
    assign found = looked_up;
  end

  for (genvar m = 0; m < NumModules; m++) begin : gen_module
    byte_t [NumLookups-1:0] collected_q;
    always_ff @(posedge clk_i) collected_q <= {collected_q[NumLookups-2:0], found[m]};
    assign block_o[8*NumLookups*m+:8*NumLookups] = collected_q;
  end

endmodule
