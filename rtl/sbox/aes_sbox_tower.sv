// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// S-box in composite-field ("tower") logic, shaped for 4-input LUTs.
//
//                  +--------------- line bits, 12 ----------------+
//                  |                                              v
//   byte_i -lines-|A|-norm products-|B|-norm-|C|-inverse-|D|-products-|E|-sums-|F|-output-|*|- byte_o
//         8      12                6        4           6            12      10          8
//
// A to F are register levels, one LUT apart where there is one direction (with both, lines, sums and
// output are deeper). Levels says which of them are there besides the one on the output:
//
//   1: none   2: C   3: BD   4: ACE   5: ACEF   6: ACDEF   7: ABCDEF   8: the same and one on byte_i
//
// With OutRegisters = 0 and Levels = 2 they are B and E, and there is none on the output: for a user who has a
// register behind it, such as a RAM that it is written to.
//
// The line bits (and decrypt_i where Dir is DirBoth) travel along to where they are last read.
//
// With Doubled = 1, {02} S stands above S in byte_o, for MixColumns without multiplications of its
// own. Five of its bits are those of S; the other three, sums of two of them, are one LUT4 each, and
// one more is among the sums.
//
// The inverse of x in GF(2^8) is x^16 / N(x), where the norm N(x) = x^17 lies in GF(2^4). With
// x = (a, b), two elements of GF(2^4), this is N = u a^2 + v a b + w b^2, one inversion in
// GF(2^4), and two products by it. GF(2^4) is seen over GF(2^2) in turn: an element is known by its
// values on two of five "lines" (traces to GF(2^2), up to a factor), and a product of two elements
// by the products on three lines (Karatsuba). What counts in LUTs, not in gates:
//
//   lines     a and b on three lines: 12 bits, each an XOR of input bits. The linear maps into
//             the tower, and for decryption the inverse affine map, are merged into them.
//   norm      one bit of a product in GF(2^2) is one LUT4, whatever linear terms are added: two
//             bits on each of three lines (6), then an XOR for each bit of the norm (4).
//   inverse   a table of four bits gives 1/N directly on its three lines (6).
//   products  1/N times a and b on each line, two bits each (12).
//   sums,     every output bit is an XOR of at most four products or earlier outputs (8). The
//   output    linear map out of the tower and the affine map are merged. Sums are the outputs that
//             others need, and the products that go on.
//
// That is 36 LUT4, and 10 for the line bits of one direction: 46 as written (59 with both
// directions); what a mapper makes of it is in the table. The tower, a and b among 17 classes of
// GF(2^4)-linear forms, the lines and the bits on each line were searched for few line bits and
// short outputs. With both directions, decryption uses its own isomorphism, k x^(2^j), into the
// common tower, so that the multiplexers before and after the inversion merge with the linear maps.
//
// Cost, measured with Yosys 0.70, the module alone; a test takes it again:
//
//   Dir        iCE40      ECP5      iCE40, LUT/FF with Levels =
//             (LUT4) nowidelut       1      2      3      4      5      6      7      8
//   Encrypt       47        51       50/8  53/24  49/45  48/49  48/60  47/78  46/97  46/105
//   Decrypt       52        55       54/8  49/24  50/44  47/48  46/59  46/77  47/95  48/103
//   Both          73        69       74/8  67/25  66/46  64/51  64/66  65/85  64/104 64/113
//
// Doubled adds 3 or 4 LUTs with Levels from 4, and 3 or 4 flip-flops.
//
// Composite-field S-boxes: Satoh et al. 2001; Canright 2005; Boyar and Peralta 2010-2012;
// Reyhani-Masoleh et al. 2018. The circuits here were derived anew from the field equations.

module aes_sbox_tower
  import aes_pkg::*;
#(
  parameter dir_e        Dir          = DirEncrypt,
  parameter int unsigned Levels       = 0,           // register levels, 0 to 8
  parameter bit          Doubled      = 1'b0,        // 1: {02} S above S in byte_o
  parameter int unsigned OutRegisters = 1            // 0: none on the output; Levels is 2
) (
  input  logic       clk_i,
  input  logic       decrypt_i,  // direction of byte_i; read only when Dir is DirBoth
  input  logic [7:0] byte_i,     // bit 7 is the most significant bit
  output logic [8*Doubled+7:0] byte_o  // Levels clocks after byte_i; bit 7 is that of the byte
);

  if (Levels > 8) begin : gen_bad_levels
    $fatal(1, "aes_sbox_tower: Levels must be 0 to 8");
  end
  if (OutRegisters > 1 || (OutRegisters == 0 && Levels != 2)) begin : gen_bad_out
    $fatal(1, "aes_sbox_tower: OutRegisters must be 1, or 0 with two register levels");
  end

  localparam bit Open = OutRegisters == 0;

  // Which register levels are there. A: lines, B: norm products, C: norm, D: inverse, E: products,
  // F: sums. The one on the output is there for every Levels from 1.
  localparam bit RegIn = Levels == 8;
  localparam bit RegA = Levels >= 4;
  localparam bit RegB = Levels == 3 || Levels >= 7 || Open;
  localparam bit RegC = (Levels == 2 && !Open) || Levels >= 4;
  localparam bit RegD = Levels == 3 || Levels >= 6;
  localparam bit RegE = Levels >= 4 || Open;
  localparam bit RegF = Levels >= 5;

  // One bit of a table, as multiplexers: a table read through a register would become a memory.
  function automatic logic lookup(logic [15:0] entries, logic [3:0] n);
    logic [7:0] t0;
    logic [3:0] t1;
    logic [1:0] t2;
    for (int i = 0; i < 8; i++) t0[i] = n[0] ? entries[2*i+1] : entries[2*i];
    for (int i = 0; i < 4; i++) t1[i] = n[1] ? t0[2*i+1] : t0[2*i];
    for (int i = 0; i < 2; i++) t2[i] = n[2] ? t1[2*i+1] : t1[2*i];
    return n[3] ? t2[1] : t2[0];
  endfunction

  // Line bits: a in [5:0], b in [11:6], then copies of inputs that only the norm reads.
  localparam int unsigned LineWidth = (Dir == DirEncrypt) ? 13 : 12;
  localparam int unsigned SumWidth = (Dir == DirEncrypt) ? 12 : ((Dir == DirDecrypt) ? 11 : 14);

  ///////////////////////////////////////////////////////////////////////////
  // Encryption
  ///////////////////////////////////////////////////////////////////////////

  // Line bits of the S-box: linear in the byte.
  function automatic logic [12:0] enc_lines(logic [7:0] x);
    logic [12:0] l;
    l[0]  = x[2];
    l[1]  = x[0] ^ x[3] ^ x[4] ^ x[6];
    l[2]  = x[3] ^ x[4];
    l[3]  = x[5] ^ x[6] ^ x[7];
    l[4]  = x[0] ^ x[2] ^ x[5] ^ x[7];
    l[5]  = x[2] ^ x[3] ^ x[4];
    l[6]  = x[4] ^ x[5];
    l[7]  = x[1] ^ x[3] ^ x[5] ^ x[6];
    l[8]  = x[0] ^ x[1] ^ x[2] ^ x[4];
    l[9]  = x[4] ^ x[5] ^ x[7];
    l[10] = x[7];
    l[11] = x[0] ^ x[2] ^ x[3] ^ x[6];
    l[12] = x[5];
    return l;
  endfunction

  function automatic logic [5:0] enc_norm_products(logic [11:0] l);
    logic [5:0] g;
    g[0] = (l[0] & l[7]) ^ (l[1] & l[6]) ^ l[0] ^ l[6] ^ l[7];
    g[1] = (l[4] & l[11]) ^ (l[5] & (l[10] ^ l[11]));
    g[2] = (l[0] & (l[6] ^ l[7])) ^ (l[1] & l[7]) ^ l[0] ^ l[6] ^ l[7];
    g[3] = (l[4] & (l[10] ^ l[11])) ^ (l[5] & l[10]) ^ l[4] ^ l[5] ^ l[10] ^ l[11];
    g[4] = (l[2] & l[8]) ^ (l[3] & (l[8] ^ l[9])) ^ l[2] ^ l[8];
    g[5] = (l[2] & (l[8] ^ l[9])) ^ (l[3] & l[9]);
    return g;
  endfunction

  function automatic logic [3:0] enc_norm(logic [5:0] g, logic [1:0] k);
    logic [3:0] n;
    n[0] = g[2] ^ g[5];
    n[1] = g[0] ^ g[1] ^ g[3];
    n[2] = g[4] ^ g[1];
    n[3] = g[2] ^ g[3] ^ k[0] ^ k[1];
    return n;
  endfunction

  function automatic logic [11:0] enc_products(logic [5:0] e, logic [11:0] l);
    logic [11:0] p;
    p[0]  = (e[5] & l[11]) ^ (e[2] & (l[10] ^ l[11]));
    p[1]  = (e[0] & (l[6] ^ l[7])) ^ (e[3] & l[7]);
    p[2]  = (e[5] & l[4]) ^ (e[2] & l[5]);
    p[3]  = (e[4] & l[2]) ^ (e[1] & l[3]);
    p[4]  = (e[0] & l[1]) ^ (e[3] & (l[0] ^ l[1]));
    p[5]  = (e[4] & l[3]) ^ (e[1] & (l[2] ^ l[3]));
    p[6]  = (e[0] & l[0]) ^ (e[3] & l[1]);
    p[7]  = (e[5] & l[5]) ^ (e[2] & (l[4] ^ l[5]));
    p[8]  = (e[4] & (l[8] ^ l[9])) ^ (e[1] & l[9]);
    p[9]  = (e[0] & l[7]) ^ (e[3] & l[6]);
    p[10] = (e[4] & l[8]) ^ (e[1] & (l[8] ^ l[9]));
    p[11] = (e[5] & l[10]) ^ (e[2] & l[11]);
    return p;
  endfunction

  function automatic logic [11:0] enc_sums(logic [11:0] p);
    logic [11:0] s;
    s[0]    = ~(p[6] ^ p[3] ^ p[9] ^ p[0]);
    s[1]    = ~(p[1] ^ p[11]);
    s[2]    = p[9] ^ p[1] ^ p[10] ^ p[8];
    s[3]    = p[4] ^ p[7] ^ p[10] ^ p[11];
    s[4]    = p[4] ^ p[5];  // for the double only
    s[5]    = ~(p[6] ^ p[3]);
    s[11:6] = {p[9], p[8], p[6], p[5], p[4], p[2]};
    return s;
  endfunction

  function automatic logic [7:0] enc_output(logic [11:0] s);
    logic [7:0] y;
    y    = {2'b0, s[5:0]};
    y[4] = s[11] ^ s[10] ^ s[1] ^ s[5];
    y[6] = ~(s[9] ^ s[6] ^ s[0] ^ s[1]);
    y[7] = ~(s[7] ^ s[8] ^ s[0] ^ s[3]);
    return y;
  endfunction

  // Bits 4, 3 and 1 of the double: bit 7 and bit 3, 2, 0 of the output.
  function automatic logic [2:0] enc_double(logic [11:0] s);
    logic unused_sums;
    unused_sums = ^s;
    return {~(s[4] ^ s[0]), ~(s[4] ^ s[0] ^ s[3] ^ s[2]), ~(s[4] ^ s[3])};
  endfunction

  localparam logic [5:0][15:0] EncInverse = {
    16'hb0da, 16'h86f4, 16'h362e, 16'hc56a, 16'h9d16, 16'h6e52
  };

  ///////////////////////////////////////////////////////////////////////////
  // Decryption
  ///////////////////////////////////////////////////////////////////////////

  // Line bits of the inverse S-box: linear in the byte.
  function automatic logic [11:0] dec_lines(logic [7:0] x);
    logic [11:0] l;
    l[0]  = x[0] ^ x[4];
    l[1]  = x[1] ^ x[2];
    l[2]  = x[2];
    l[3]  = x[1] ^ x[2] ^ x[4] ^ x[5];
    l[4]  = x[1];
    l[5]  = x[0] ^ x[5];
    l[7]  = x[7] ^ l[3];
    l[8]  = x[0] ^ x[1] ^ x[2] ^ x[3];
    l[6]  = x[1] ^ x[4] ^ x[6] ^ l[8];
    l[9]  = x[6] ^ x[7] ^ l[0] ^ l[8];
    l[10] = x[0] ^ x[2] ^ x[4] ^ x[5];
    l[11] = x[7] ^ l[3] ^ l[8];
    return l;
  endfunction

  function automatic logic [5:0] dec_norm_products(logic [11:0] l);
    logic [5:0] g;
    g[0] = (l[0] & l[6]) ^ (l[1] & (l[6] ^ l[7])) ^ l[0] ^ l[1] ^ l[6] ^ l[7];
    g[1] = (l[4] & l[11]) ^ (l[5] & (l[10] ^ l[11])) ^ l[10];
    g[2] = ~((l[4] & (l[10] ^ l[11])) ^ (l[5] & l[10]) ^ l[4] ^ l[10]);
    g[3] = ~((l[0] & (l[6] ^ l[7])) ^ (l[1] & l[7]) ^ l[1] ^ l[6] ^ l[7]);
    g[4] = (l[2] & l[9]) ^ (l[3] & l[8]) ^ l[2] ^ l[9];
    g[5] = (l[2] & (l[8] ^ l[9])) ^ (l[3] & l[9]) ^ l[3] ^ l[8];
    return g;
  endfunction

  function automatic logic [3:0] dec_norm(logic [5:0] g, logic [1:0] k);
    logic [3:0] n;
    n[0] = g[3] ^ g[5] ^ g[2] ^ g[1];
    n[1] = g[0] ^ g[1];
    n[2] = g[4] ^ g[2] ^ k[0];
    n[3] = g[0] ^ g[5] ^ k[1];
    return n;
  endfunction

  function automatic logic [11:0] dec_products(logic [5:0] e, logic [11:0] l);
    logic [11:0] p;
    p[0]  = (e[3] & l[9]) ^ (e[2] & l[8]);
    p[1]  = (e[5] & l[6]) ^ (e[1] & (l[6] ^ l[7]));
    p[2]  = (e[0] & l[11]) ^ (e[4] & (l[10] ^ l[11]));
    p[3]  = (e[0] & (l[4] ^ l[5])) ^ (e[4] & l[4]) ^ e[0] ^ e[4];
    p[4]  = (e[5] & (l[0] ^ l[1])) ^ (e[1] & l[0]) ^ e[1];
    p[5]  = (e[5] & l[7]) ^ (e[1] & l[6]);
    p[6]  = (e[0] & l[10]) ^ (e[4] & l[11]);
    p[7]  = (e[3] & l[2]) ^ (e[2] & l[3]);
    p[8]  = (e[3] & l[3]) ^ (e[2] & (l[2] ^ l[3]));
    p[9]  = (e[5] & l[1]) ^ (e[1] & (l[0] ^ l[1])) ^ e[5];
    p[10] = (e[3] & l[8]) ^ (e[2] & (l[8] ^ l[9]));
    p[11] = (e[0] & l[4]) ^ (e[4] & l[5]) ^ e[0];
    return p;
  endfunction

  function automatic logic [10:0] dec_sums(logic [11:0] p);
    logic [10:0] s;
    s[0]    = p[4] ^ p[11] ^ p[10] ^ p[6];
    s[1]    = p[5] ^ p[1] ^ p[10] ^ p[2];
    s[2]    = p[7] ^ p[3] ^ p[5] ^ p[10];
    s[3]    = p[4] ^ p[9] ^ p[3] ^ p[11];
    s[10:4] = {p[8], p[6], p[5], p[4], p[2], p[1], p[0]};
    return s;
  endfunction

  function automatic logic [7:0] dec_output(logic [10:0] s);
    logic [7:0] y;
    y[1] = s[0];
    y[3] = s[1];
    y[5] = s[2];
    y[7] = s[3];
    y[0] = s[5] ^ s[4] ^ s[9] ^ y[5];
    y[2] = s[8] ^ s[5] ^ s[4] ^ y[5];
    y[4] = s[7] ^ s[10] ^ y[5] ^ y[7];
    y[6] = s[5] ^ s[6] ^ y[1] ^ y[7];
    return y;
  endfunction

  localparam logic [5:0][15:0] DecInverse = {
    16'h90de, 16'h7287, 16'h3e1a, 16'h746c, 16'h9635, 16'ha82f
  };

  ///////////////////////////////////////////////////////////////////////////
  // Both directions
  ///////////////////////////////////////////////////////////////////////////

  // Line bits of both directions: linear in the byte.
  function automatic logic [11:0] both_lines(logic [7:0] x, logic dec);
    logic [11:0] l;
    logic [ 1:0] t;
    t[0]  = (dec & (x[4] ^ x[7])) ^ x[1] ^ x[4] ^ x[7];
    t[1]  = x[2] ^ x[5] ^ x[6] ^ x[7];
    l[0]  = (dec & (x[1] ^ x[7])) ^ x[1] ^ x[5] ^ dec;
    l[2]  = (dec & l[0]) ^ x[7] ^ l[0] ^ t[1];
    l[4]  = (dec & x[1]) ^ x[3] ^ t[1] ^ dec;
    l[6]  = x[0] ^ x[1] ^ x[2] ^ x[4];
    l[7]  = (dec & (x[2] ^ l[0])) ^ l[0] ^ t[0] ^ dec;
    l[8]  = (dec & (x[4] ^ x[5] ^ x[7])) ^ x[7] ^ dec;
    l[5]  = (dec & x[4]) ^ l[8] ^ t[1];
    l[10] = (dec & (x[3] ^ x[6])) ^ x[3] ^ x[6] ^ t[0] ^ dec;
    l[1]  = (dec & x[0]) ^ x[0] ^ l[10] ^ t[1];
    l[3]  = (dec & (x[0] ^ l[10])) ^ x[0] ^ x[3] ^ l[10];
    l[9]  = l[6] ^ l[10];
    l[11] = l[6] ^ l[8] ^ l[10] ^ l[7];
    return l;
  endfunction

  function automatic logic [5:0] both_norm_products(logic [11:0] l);
    logic [5:0] g;
    g[0] = (l[4] & (l[10] ^ l[11])) ^ (l[5] & l[10]) ^ l[4] ^ l[10] ^ l[11];
    g[1] = (l[0] & l[6]) ^ (l[1] & (l[6] ^ l[7])) ^ l[1] ^ l[6] ^ l[7];
    g[2] = (l[2] & l[9]) ^ (l[3] & l[8]) ^ l[2] ^ l[8];
    g[3] = (l[0] & l[7]) ^ (l[1] & l[6]) ^ l[0] ^ l[1] ^ l[7];
    g[4] = (l[4] & l[11]) ^ (l[5] & (l[10] ^ l[11])) ^ l[4] ^ l[5] ^ l[10];
    g[5] = (l[2] & l[8]) ^ (l[3] & (l[8] ^ l[9])) ^ l[2] ^ l[3] ^ l[9];
    return g;
  endfunction

  function automatic logic [3:0] both_norm(logic [5:0] g, logic [1:0] k);
    logic [3:0] n;
    n[0] = g[1] ^ g[2] ^ k[1];
    n[1] = g[5] ^ g[0];
    n[2] = g[3] ^ g[4];
    n[3] = g[5] ^ g[2] ^ g[4] ^ k[0];
    return n;
  endfunction

  function automatic logic [11:0] both_products(logic [5:0] e, logic [11:0] l);
    logic [11:0] p;
    p[0]  = (e[0] & l[8]) ^ (e[5] & (l[8] ^ l[9]));
    p[1]  = (e[4] & (l[10] ^ l[11])) ^ (e[2] & l[11]);
    p[2]  = (e[1] & (l[0] ^ l[1])) ^ (e[3] & l[0]);
    p[3]  = (e[0] & l[3]) ^ (e[5] & (l[2] ^ l[3]));
    p[4]  = (e[4] & l[4]) ^ (e[2] & (l[4] ^ l[5]));
    p[5]  = (e[4] & (l[4] ^ l[5])) ^ (e[2] & l[5]);
    p[6]  = (e[1] & (l[6] ^ l[7])) ^ (e[3] & l[7]);
    p[7]  = (e[1] & l[0]) ^ (e[3] & l[1]);
    p[8]  = (e[4] & l[11]) ^ (e[2] & l[10]);
    p[9]  = (e[0] & (l[8] ^ l[9])) ^ (e[5] & l[9]);
    p[10] = (e[1] & l[6]) ^ (e[3] & (l[6] ^ l[7]));
    p[11] = (e[0] & l[2]) ^ (e[5] & l[3]);
    return p;
  endfunction

  function automatic logic [13:0] both_sums(logic [11:0] p, logic dec);
    logic [13:0] s;
    logic t1, t7;
    s[0]    = p[10] ^ p[0] ^ p[9];
    t1      = (dec & (p[4] ^ p[6])) ^ p[2] ^ p[6];
    s[1]    = p[3] ^ p[5] ^ p[8];
    s[2]    = p[7] ^ p[4] ^ p[0] ^ p[1];
    s[3]    = p[3] ^ p[10] ^ p[8] ^ p[1];
    s[4]    = (dec & (p[3] ^ s[0])) ^ p[3] ^ t1;
    t7      = (dec & (p[7] ^ p[3])) ^ p[3] ^ p[9];
    s[5]    = ~(p[3] ^ s[0] ^ t7 ^ dec);
    s[6]    = (dec & (s[2] ^ s[3] ^ t7)) ^ s[3] ^ t7;
    s[7]    = ~((dec & s[3]) ^ t1 ^ s[1] ^ dec);
    s[8]    = (dec & (p[6] ^ p[8] ^ s[2])) ^ s[2];
    s[13:9] = {p[11], p[9], p[7], p[6], p[5]};
    return s;
  endfunction

  function automatic logic [7:0] both_output(logic [13:0] s, logic dec);
    logic [7:0] y;
    logic t5, t8;
    y[1] = s[5];
    y[2] = s[6];
    y[5] = s[7];
    y[7] = s[8];
    t8   = (dec & (s[2] ^ y[1])) ^ s[10];
    t5   = (dec & y[5]) ^ s[13] ^ s[1];
    y[4] = s[9] ^ s[10] ^ s[4];
    y[0] = s[12] ^ y[5] ^ t8;
    y[3] = ~(s[0] ^ y[5] ^ t5 ^ dec);
    y[6] = ~(s[11] ^ s[3] ^ t5 ^ dec);
    return y;
  endfunction

  localparam logic [5:0][15:0] BothInverse = {
    16'h7a38, 16'hd6a2, 16'h98f4, 16'h45bc, 16'he926, 16'h346e
  };

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  logic [7:0] byte_q;
  logic dec_in, dec_sums_at, dec_out;  // decrypt_i for lines, sums and output
  logic [LineWidth-1:0] lines_d, lines_q, lines_n;
  logic [11:0] lines_i, lines_p;
  logic [5:0] g_d, g_q;
  logic [3:0] norm_d, norm_q;
  logic [5:0] inv_d, inv_q;
  logic [11:0] product_d, product_q;
  logic [SumWidth-1:0] sums_d, sums_q;
  logic [7:0] byte_d;
  logic [2:0] double_d;  // bits 4, 3 and 1; the others are bits of the byte

  if (Dir == DirEncrypt) begin : gen_encrypt
    logic unused_direction;
    assign unused_direction = ^{dec_in, dec_sums_at, dec_out};
    assign lines_d = enc_lines(byte_q);
    assign g_d     = enc_norm_products(lines_q[11:0]);
    assign norm_d  = enc_norm(g_q, {lines_n[12], lines_n[5]});
    for (genvar i = 0; i < 6; i++) begin : gen_inverse
      assign inv_d[i] = lookup(EncInverse[i], norm_q);
    end
    assign product_d = enc_products(inv_q, lines_p);
    assign sums_d    = enc_sums(product_q);
    assign byte_d    = enc_output(sums_q);
    assign double_d  = enc_double(sums_q);
  end else if (Dir == DirDecrypt) begin : gen_decrypt
    logic unused_direction;
    assign unused_direction = ^{dec_in, dec_sums_at, dec_out};
    assign lines_d = dec_lines(byte_q);
    assign g_d     = dec_norm_products(lines_q[11:0]);
    assign norm_d  = dec_norm(g_q, {lines_n[4], lines_n[5]});
    for (genvar i = 0; i < 6; i++) begin : gen_inverse
      assign inv_d[i] = lookup(DecInverse[i], norm_q);
    end
    assign product_d = dec_products(inv_q, lines_p);
    assign sums_d    = dec_sums(product_q);
    assign byte_d    = dec_output(sums_q);
    assign double_d  = {byte_d[3:2], byte_d[0]} ^ {3{byte_d[7]}};
  end else begin : gen_both
    assign lines_d = both_lines(byte_q, dec_in);
    assign g_d     = both_norm_products(lines_q[11:0]);
    assign norm_d  = both_norm(g_q, {lines_n[5], lines_n[4]});
    for (genvar i = 0; i < 6; i++) begin : gen_inverse
      assign inv_d[i] = lookup(BothInverse[i], norm_q);
    end
    assign product_d = both_products(inv_q, lines_p);
    assign sums_d    = both_sums(product_q, dec_sums_at);
    assign byte_d    = both_output(sums_q, dec_out);
    assign double_d  = {byte_d[3:2], byte_d[0]} ^ {3{byte_d[7]}};
  end

  // Register levels.
  if (Dir != DirBoth) begin : gen_one_direction
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
    assign {dec_in, dec_sums_at, dec_out} = '0;
  end else if (Levels <= 1) begin : gen_no_delay
    assign {dec_in, dec_sums_at, dec_out} = {3{decrypt_i}};
  end else begin : gen_delay
    localparam int unsigned Inner = Levels - 32'(!Open);  // levels before that of the output
    logic [Inner:0] dec;  // index: clocks after decrypt_i
    logic [Inner:1] dec_q;
    assign dec = {dec_q, decrypt_i};
    always_ff @(posedge clk_i) dec_q <= dec[Inner-1:0];
    assign dec_in      = RegIn ? dec[1] : dec[0];
    assign dec_sums_at = dec[Inner-32'(RegF)];
    assign dec_out     = dec[Inner];
  end

  if (RegIn) begin : gen_in
    always_ff @(posedge clk_i) byte_q <= byte_i;
  end else begin : gen_no_in
    assign byte_q = byte_i;
  end

  if (RegA) begin : gen_lines
    always_ff @(posedge clk_i) lines_q <= lines_d;
  end else begin : gen_no_lines
    assign lines_q = lines_d;
  end

  if (RegB) begin : gen_g
    always_ff @(posedge clk_i) begin
      g_q     <= g_d;
      lines_n <= lines_q;
    end
  end else begin : gen_no_g
    assign g_q     = g_d;
    assign lines_n = lines_q;
  end

  if (RegC) begin : gen_norm
    always_ff @(posedge clk_i) begin
      norm_q  <= norm_d;
      lines_i <= lines_n[11:0];
    end
  end else begin : gen_no_norm
    assign norm_q  = norm_d;
    assign lines_i = lines_n[11:0];
  end

  if (RegD) begin : gen_inv
    always_ff @(posedge clk_i) begin
      inv_q   <= inv_d;
      lines_p <= lines_i;
    end
  end else begin : gen_no_inv
    assign inv_q   = inv_d;
    assign lines_p = lines_i;
  end

  if (RegE) begin : gen_product
    always_ff @(posedge clk_i) product_q <= product_d;
  end else begin : gen_no_product
    assign product_q = product_d;
  end

  if (RegF) begin : gen_sums
    always_ff @(posedge clk_i) sums_q <= sums_d;
  end else begin : gen_no_sums
    assign sums_q = sums_d;
  end

  logic [7:0] result;
  logic [2:0] double;

  if (Levels == 0 || Open) begin : gen_comb
    logic unused_clk;
    assign unused_clk = clk_i;
    assign result     = byte_d;
    assign double     = double_d;
  end else begin : gen_reg
    logic [7:0] out_q;
    logic [2:0] double_q;
    always_ff @(posedge clk_i) begin
      out_q    <= byte_d;
      double_q <= double_d;
    end
    assign result = out_q;
    assign double = double_q;
  end

  assign byte_o[7:0] = result;

  if (Doubled) begin : gen_double
    assign byte_o[15:8] = {result[6:4], double[2:1], result[1], double[0], result[7]};
  end else begin : gen_no_double
    logic unused_double;
    assign unused_double = ^double;
  end

endmodule
