// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The T-boxes of a state: the dispatcher of their realisations, for any even number of bytes.
//
//   bytes_i --+--[ aes_tbox_* ]--+-- words_o    (one clock later, or Levels)
//             +--[ aes_tbox_* ]--+
//             :                  :
//
// Every T-box holds T0 or T0'; the rotation that makes T1 to T3 of them is that of the round. A
// block RAM serves two bytes. Refilled RAMs are all written at once, each at the address given by
// the byte of odd index of its pair. In a state these are the bytes of rows 0 and 2. They stand in
// the same column after ShiftRows and InvShiftRows, so they have a multiplexer less than the
// others.

module aes_tboxes
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox     = SboxTable,   // SboxTable or SboxRom
  parameter tbox_e       Tbox     = TboxFixed,
  parameter dir_e        Dir      = DirEncrypt,
  parameter int unsigned Levels   = 1,           // 2: TboxPair and TboxPacked only
  parameter bit          Tripled  = 1'b0,        // 1: TboxPair only, see there
  parameter bit          Selected = 1'b0,        // 1: TboxPacked only, see there
  parameter int unsigned NumBytes = 16           // even
) (
  input logic clk_i,
  input logic rst_ni,  // with Selected
  input logic decrypt_i,  // direction of bytes_i; with DirBoth and fixed tables
  input logic write_i,  // refilled tables: write in this clock
  input word_t write_word_i,
  input logic [1:0] table_i,  // with Selected
  input byte_t [NumBytes-1:0] bytes_i,
  output word_t [NumBytes-1:0] words_o  // Levels clocks after bytes_i
);

  if (!(Tbox inside {TboxPair, TboxPacked}) && Levels != 1) begin : gen_bad_levels
    $fatal(1, "aes_tboxes: only TboxPair and TboxPacked have two levels");
  end
  if ((Tbox != TboxPair && Tripled) || (Tbox != TboxPacked && Selected)) begin : gen_bad_kind
    $fatal(1, "aes_tboxes: Tripled is of TboxPair, Selected of TboxPacked");
  end

  if (Tbox == TboxRefilled) begin : gen_ram
    for (genvar i = 0; i < NumBytes; i += 2) begin : gen_pair
      aes_tbox_ram #(
        .NumPorts(2)
      ) u_tbox (
        .clk_i,
        .write_i,
        .word_i(write_word_i),
        .byte_i({bytes_i[i], bytes_i[i+1]}),
        .word_o({words_o[i], words_o[i+1]})
      );
    end
    logic unused_direction;
    assign unused_direction = ^{rst_ni, decrypt_i, Dir, table_i};
  end else if (Tbox == TboxPair) begin : gen_pair_words
    for (genvar i = 0; i < NumBytes; i += 2) begin : gen_pair
      aes_tbox_pair #(
        .Dir     (Dir),
        .Levels  (Levels),
        .Tripled (Tripled),
        .NumPorts(2)
      ) u_tbox (
        .clk_i,
        .decrypt_i,
        .byte_i(bytes_i[i+:2]),
        .word_o(words_o[i+:2])
      );
    end
    logic unused_pair;
    assign unused_pair = ^{rst_ni, Sbox, write_i, write_word_i, table_i};
  end else if (Tbox == TboxPacked) begin : gen_packed
    for (genvar i = 0; i < NumBytes; i += 2) begin : gen_pair
      aes_tbox_packed #(
        .Dir     (Dir),
        .Levels  (Levels),
        .Selected(Selected),
        .NumPorts(2)
      ) u_tbox (
        .clk_i,
        .rst_ni,
        .decrypt_i,
        .table_i,
        .byte_i(bytes_i[i+:2]),
        .word_o(words_o[i+:2])
      );
    end
    logic unused_packed;
    assign unused_packed = ^{Sbox, write_i, write_word_i};
  end else begin : gen_fixed
    if (Sbox == SboxRom) begin : gen_rom
      for (genvar i = 0; i < NumBytes; i += 2) begin : gen_pair
        aes_tbox_rom #(
          .Dir     (Dir),
          .NumPorts(2)
        ) u_tbox (
          .clk_i,
          .decrypt_i,
          .byte_i(bytes_i[i+:2]),
          .word_o(words_o[i+:2])
        );
      end
    end else if (Sbox == SboxTable) begin : gen_table
      for (genvar i = 0; i < NumBytes; i++) begin : gen_byte
        aes_tbox_table #(
          .Dir(Dir)
        ) u_tbox (
          .clk_i,
          .decrypt_i,
          .byte_i(bytes_i[i]),
          .word_o(words_o[i])
        );
      end
    end else begin : gen_unknown
      $fatal(1, "aes_tboxes: unknown Sbox");
    end
    logic unused_write;
    assign unused_write = ^{rst_ni, write_i, write_word_i, table_i};
  end

endmodule
