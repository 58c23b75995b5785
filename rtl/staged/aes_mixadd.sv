// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// MixColumns or InvMixColumns, then AddRoundKey, in one or two register levels ("Mixadd", epsilon of
// standaert2003, section 5.2). Decryption adds the key after InvMixColumns as well, so its keys are
// those of the equivalent inverse cipher (FIPS 197, section 5.3.5).
//
//   Levels = 1                             Levels = 2
//
//              round_key_i                                 round_key_i, a clock later
//                    |                                           |
//   state_i --[ Mix ](+)--|R|-- state_o    state_i --[ sums ]-|R|-(+)--|R|-- state_o
//
// Levels = 2 is the cut of the paper. With a, b, c, d the bytes of rows r to r+3 of a column, row r
// of MixColumns is X(a + b) + b + c + d, and bit j of it
//
//   j = 0, 2, 5, 6, 7:  a[j-1] + b[j-1] + b[j] + c[j] + d[j]     one register (index -1 is bit 7)
//   j = 1, 3, 4:        u = a[j-1] + a[7] + b[j-1] + b[7],       two registers: the modulus adds
//                       v = b[j] + c[j] + d[j]                   bit 7 there
//
// so that the second level adds at most three bits: u + v + key. The key is therefore needed in the
// clock after the state.
//
// Cost of the 16 bytes: Levels = 2 has 11 + 8 registers a byte, 304, as in Table 2 of the paper.
// Its 304 LUTs count the sum of five bits as one LUT4 with the XOR gate that a Virtex slice has
// beside it; Yosys 0.70 takes two LUT4 for it: 384 LUT4 and 304 registers on Virtex. (Holding b[j]
// back for the second level would give 304 LUT4 and 384 registers, more registers than LUTs.)
// Levels = 1: 292 LUT4 and 128 registers.
//
// That cut is of encryption alone. With decryption, the first of two levels is the correction that
// makes InvMixColumns of MixColumns, and the second one MixColumns and the key: 8 registers a byte.
//
// Doubled = 1: the S-boxes give {02} a and {02} b too, so the first level is the sum of four bits,
// {02} a + {02} b + b + c, beside d: one LUT4 a bit, and one a bit in the second level. With
// Levels = 2: 256 LUT4 and 384 registers.
//
// In a loop whose round does the first key addition too (Levels = 2), a new block comes in on
// entry_i in the clock of its key; clear_i, a clock before, holds back what comes round the loop (a
// bit for each byte, bit 15 for byte 0, so that it may come from several registers). The registers
// do that with their synchronous reset, and the second level has an input to spare in each LUT4, so
// neither costs a LUT. With Early = 1 (and Doubled = 1) it comes in with clear_i, in place of a sum
// whose LUTs have two inputs to spare, so it needs no register before it that is 0 at other times:
//
//   {02} a + {02} b + b --[ 0 if clear_i ]--------|R|-(+)--|R|-- state_o
//   c + d --[ entry_i if clear_i ]----------------|R|--+
//                                          round_key_i

module aes_mixadd
  import aes_pkg::*;
#(
  parameter dir_e        Dir     = DirEncrypt,
  parameter int unsigned Levels  = 1,           // register levels, 1 or 2
  parameter bit          Doubled = 1'b0,        // whether double_i is used; DirEncrypt only
  parameter bit          Early   = 1'b0         // entry_i comes with clear_i; Levels = 2, Doubled
) (
  input  logic   clk_i,
  input  logic   decrypt_i,  // direction of state_i; read only when Dir is DirBoth
  input  block_t state_i,      // after ShiftRows or InvShiftRows
  input  block_t double_i,     // {02} state_i
  input  block_t round_key_i,  // Levels - 1 clocks after state_i
  input  logic [15:0] clear_i,  // for each byte: see above
  input  block_t entry_i,      // with round_key_i: added as well; Early: see above
  output block_t state_o       // Levels clocks after state_i
);

  if (Early && !(Levels == 2 && Doubled)) begin : gen_bad_early
    $fatal(1, "aes_mixadd: Early goes with two levels and doubles");
  end

  // The product as a sum of two, from the doubles: {02} a + {02} b + b + c, and d.
  block_t left, right;

  if (Doubled) begin : gen_sums
    for (genvar n = 0; n < 16; n++) begin : gen_byte
      localparam int unsigned Column = 4 * (n / 4);
      byte_t a2, b2, b, c, d;

      assign a2 = get_byte(double_i, n);
      assign b2 = get_byte(double_i, Column + (n + 1) % 4);
      assign b  = get_byte(state_i, Column + (n + 1) % 4);
      assign c  = get_byte(state_i, Column + (n + 2) % 4);
      assign d  = get_byte(state_i, Column + (n + 3) % 4);

      assign left[8*(15-n)+:8]  = a2 ^ b2 ^ b ^ (Early ? '0 : c);
      assign right[8*(15-n)+:8] = d ^ (Early ? c : '0);
    end
  end else begin : gen_no_sums
    logic unused_double;
    assign unused_double = ^{double_i, left, right};
    assign {left, right} = '0;
  end

  if (Levels == 1) begin : gen_one
    block_t mixed;

    if (Doubled) begin : gen_doubled
      assign mixed = left ^ right;
    end else begin : gen_matrix
      aes_mix_columns #(
        .Dir(Dir)
      ) u_mix_columns (
        .decrypt_i,
        .state_i,
        .state_o(mixed)
      );
    end

    logic unused_clear;
    assign unused_clear = ^clear_i;

    always_ff @(posedge clk_i) state_o <= mixed ^ round_key_i ^ entry_i;
  end else if (Levels == 2 && Doubled && Early) begin : gen_two_early
    block_t left_q, right_q;

    always_ff @(posedge clk_i) begin
      for (int unsigned n = 0; n < 16; n++) begin
        left_q[8*n+:8]  <= clear_i[n] ? '0 : left[8*n+:8];
        right_q[8*n+:8] <= clear_i[n] ? entry_i[8*n+:8] : right[8*n+:8];
      end
    end

    always_ff @(posedge clk_i) state_o <= left_q ^ right_q ^ round_key_i;
  end else if (Levels == 2 && Doubled) begin : gen_two_doubled
    block_t left_q, right_q;

    always_ff @(posedge clk_i) begin
      for (int unsigned n = 0; n < 16; n++) begin
        left_q[8*n+:8]  <= clear_i[n] ? '0 : left[8*n+:8];
        right_q[8*n+:8] <= clear_i[n] ? '0 : right[8*n+:8];
      end
    end

    always_ff @(posedge clk_i) state_o <= left_q ^ right_q ^ round_key_i ^ entry_i;
  end else if (Levels == 2 && Dir != DirEncrypt) begin : gen_two_inverse
    block_t corrected_d, corrected_q, mixed;

    for (genvar c = 0; c < 4; c++) begin : gen_column
      aes_inv_mix_correction #(
        .Dir(Dir)
      ) u_correction (
        .decrypt_i,
        .column_i(state_i[32*c+:32]),
        .column_o(corrected_d[32*c+:32])
      );
    end

    aes_mix_columns #(
      .Dir(DirEncrypt)
    ) u_mix_columns (
      .decrypt_i(1'b0),
      .state_i  (corrected_q),
      .state_o  (mixed)
    );

    always_ff @(posedge clk_i) begin
      for (int unsigned n = 0; n < 16; n++) begin
        corrected_q[8*n+:8] <= clear_i[n] ? '0 : corrected_d[8*n+:8];
      end
      state_o <= mixed ^ round_key_i ^ entry_i;
    end
  end else if (Levels == 2) begin : gen_two
    // The bits of a product by x that take bit 7 of the other factor: those of 8'h1b above bit 0.
    localparam byte_t WithBit7 = 8'h1a;

    for (genvar n = 0; n < 16; n++) begin : gen_byte
      localparam int unsigned Column = 4 * (n / 4);
      byte_t a, b, c, d, added, left_d, right_d, left_q, out_q;

      assign a   = get_byte(state_i, n);
      assign b   = get_byte(state_i, Column + (n + 1) % 4);
      assign c   = get_byte(state_i, Column + (n + 2) % 4);
      assign d   = get_byte(state_i, Column + (n + 3) % 4);

      assign added   = get_byte(round_key_i, n) ^ get_byte(entry_i, n);
      assign left_d  = xtime(a ^ b);
      assign right_d = b ^ c ^ d;

      for (genvar j = 0; j < 8; j++) begin : gen_bit
        if (WithBit7[j]) begin : gen_two_sums
          logic right_q;
          always_ff @(posedge clk_i) begin
            left_q[j] <= left_d[j] & ~clear_i[15-n];
            right_q   <= right_d[j] & ~clear_i[15-n];
            out_q[j]  <= left_q[j] ^ right_q ^ added[j];
          end
        end else begin : gen_one_sum
          always_ff @(posedge clk_i) begin
            left_q[j] <= (left_d[j] ^ right_d[j]) & ~clear_i[15-n];
            out_q[j]  <= left_q[j] ^ added[j];
          end
        end
      end

      assign state_o[8*(15-n)+:8] = out_q;
    end
  end else begin : gen_bad_levels
    $fatal(1, "aes_mixadd: Levels must be 1 or 2");
  end

  if (Dir != DirBoth) begin : gen_one_direction
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
  end

endmodule
