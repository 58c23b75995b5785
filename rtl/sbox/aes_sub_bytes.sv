// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// SubBytes, InvSubBytes and SubWord: the dispatcher of the S-boxes, for any number of bytes.
//
//   bytes_i --+--[ aes_sbox_* ]--+-- bytes_o    (Levels clocks later)
//             +--[ aes_sbox_* ]--+
//             :                  :
//
// A block RAM serves two bytes, so the ROM is placed once for each pair.
//
// With Doubled = 1 each result has 16 bits: {02} S above S, from which MixColumns is made without
// its own multiplications. In block RAM both are in one word; in composite-field logic the double
// costs 3 or 4 LUT4; of the others it is made behind it.

module aes_sub_bytes
  import aes_pkg::*;
#(
  parameter sbox_e       Sbox     = SboxTable,
  parameter dir_e        Dir      = DirEncrypt,
  parameter int unsigned Levels   = 1,           // register levels; each S-box states its range
  parameter int unsigned NumBytes = 16,          // 16: SubBytes; 4: SubWord
  parameter bit          Doubled  = 1'b0         // 1: {02} S above S in bytes_o
) (
  input  logic                                clk_i,
  input  logic                                decrypt_i,  // of bytes_i; read only for DirBoth
  input  byte_t [NumBytes-1:0]                bytes_i,
  output logic  [NumBytes-1:0][8*Doubled+7:0] bytes_o     // Levels clocks after bytes_i
);

  if (Sbox == SboxRom) begin : gen_rom
    for (genvar i = 0; i < NumBytes; i += 2) begin : gen_pair
      localparam int unsigned NumPorts = (i + 1 < NumBytes) ? 2 : 1;
      aes_sbox_rom #(
        .Dir     (Dir),
        .Doubled (Doubled),
        .Levels  (Levels),
        .NumPorts(NumPorts)
      ) u_sbox (
        .clk_i,
        .decrypt_i,
        .byte_i(bytes_i[i+:NumPorts]),
        .byte_o(bytes_o[i+:NumPorts])
      );
    end
  end else if (Sbox == SboxTable) begin : gen_table
    for (genvar i = 0; i < NumBytes; i++) begin : gen_byte
      aes_sbox_table #(
        .Dir   (Dir),
        .Levels(Levels)
      ) u_sbox (
        .clk_i,
        .decrypt_i,
        .byte_i(bytes_i[i]),
        .byte_o(bytes_o[i][7:0])
      );
    end
  end else if (Sbox == SboxTower) begin : gen_tower
    for (genvar i = 0; i < NumBytes; i++) begin : gen_byte
      aes_sbox_tower #(
        .Dir    (Dir),
        .Levels (Levels),
        .Doubled(Doubled)
      ) u_sbox (
        .clk_i,
        .decrypt_i,
        .byte_i(bytes_i[i]),
        .byte_o(bytes_o[i])
      );
    end
  end else if (Sbox == SboxShallow) begin : gen_shallow
    for (genvar i = 0; i < NumBytes; i++) begin : gen_byte
      aes_sbox_shallow #(
        .Dir    (Dir),
        .Levels (Levels),
        .Doubled(Doubled)
      ) u_sbox (
        .clk_i,
        .decrypt_i,
        .byte_i(bytes_i[i]),
        .byte_o(bytes_o[i])
      );
    end
  end else if (Sbox == SboxWide) begin : gen_wide
    for (genvar i = 0; i < NumBytes; i++) begin : gen_byte
      aes_sbox_wide #(
        .Dir   (Dir),
        .Levels(Levels)
      ) u_sbox (
        .clk_i,
        .decrypt_i,
        .byte_i(bytes_i[i]),
        .byte_o(bytes_o[i][7:0])
      );
    end
  end else begin : gen_unknown
    $fatal(1, "aes_sub_bytes: unknown Sbox");
  end

  // The others give them themselves.
  if (Doubled && Sbox inside {SboxTable, SboxWide}) begin : gen_doubles
    for (genvar i = 0; i < NumBytes; i++) begin : gen_byte
      assign bytes_o[i][8*Doubled+:8] = xtime(bytes_o[i][7:0]);
    end
  end

endmodule
