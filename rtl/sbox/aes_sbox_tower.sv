// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// S-box in composite-field ("tower") logic, shaped for 4-input LUTs.
//
//                  +----------------- line bits, 12 -----------------+
//                  |                                                v
//   byte_i -lines-|4|-norm products-|3|-norm-|2,4|-inverse-|3|-products-|4|-output-|*|- byte_o
//         8      12                6        4             6            12         8
//
// |n| is a register where Levels = n; |*| is the register on the output for every Levels >= 1. The
// line bits (and decrypt_i where Dir is DirBoth) travel along to where they are last read.
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
//   output    every output bit is an XOR of at most four products or earlier outputs (8). The
//             linear map out of the tower and the affine map are merged.
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
//             (LUT4) nowidelut       1      2      3      4
//   Encrypt       47        51       50/8  53/24  49/45  48/49
//   Decrypt       52        55       54/8  49/24  50/44  47/48
//   Both          73        69       74/8  67/25  66/46  64/51
//
// Composite-field S-boxes: Satoh et al. 2001; Canright 2005; Boyar and Peralta 2010-2012;
// Reyhani-Masoleh et al. 2018. The circuits here were derived anew from the field equations.

module aes_sbox_tower
  import aes_pkg::*;
#(
  parameter dir_e        Dir    = DirEncrypt,
  parameter int unsigned Levels = 0            // register levels, 0 to 4
) (
  input  logic       clk_i,
  input  logic       decrypt_i,  // direction of byte_i; read only when Dir is DirBoth
  input  logic [7:0] byte_i,     // bit 7 is the most significant bit
  output logic [7:0] byte_o      // Levels clocks after byte_i
);

  if (Levels > 4) begin : gen_bad_levels
    $fatal(1, "aes_sbox_tower: Levels must be 0 to 4");
  end

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
  localparam int unsigned ProductWidth = 12;

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

  function automatic logic [7:0] enc_output(logic [11:0] p);
    logic [7:0] y;
    y[0] = ~(p[6] ^ p[3] ^ p[9] ^ p[0]);
    y[1] = ~(p[1] ^ p[11]);
    y[2] = p[9] ^ p[1] ^ p[10] ^ p[8];
    y[3] = p[4] ^ p[7] ^ p[10] ^ p[11];
    y[5] = ~(p[6] ^ p[3]);
    y[4] = p[9] ^ p[8] ^ y[1] ^ y[5];
    y[6] = ~(p[6] ^ p[2] ^ y[0] ^ y[1]);
    y[7] = ~(p[4] ^ p[5] ^ y[0] ^ y[3]);
    return y;
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

  function automatic logic [7:0] dec_output(logic [11:0] p);
    logic [7:0] y;
    y[1] = p[4] ^ p[11] ^ p[10] ^ p[6];
    y[3] = p[5] ^ p[1] ^ p[10] ^ p[2];
    y[5] = p[7] ^ p[3] ^ p[5] ^ p[10];
    y[0] = p[1] ^ p[0] ^ p[6] ^ y[5];
    y[2] = p[5] ^ p[1] ^ p[0] ^ y[5];
    y[7] = p[4] ^ p[9] ^ p[3] ^ p[11];
    y[4] = p[4] ^ p[8] ^ y[5] ^ y[7];
    y[6] = p[1] ^ p[2] ^ y[1] ^ y[7];
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

  function automatic logic [7:0] both_output(logic [11:0] p, logic dec);
    logic [7:0] y;
    logic [8:0] t;
    t[0] = p[10] ^ p[0] ^ p[9];
    t[1] = (dec & (p[4] ^ p[6])) ^ p[2] ^ p[6];
    t[2] = p[3] ^ p[5] ^ p[8];
    t[3] = p[7] ^ p[4] ^ p[0] ^ p[1];
    t[4] = p[3] ^ p[10] ^ p[8] ^ p[1];
    t[6] = (dec & (p[3] ^ t[0])) ^ p[3] ^ t[1];
    t[7] = (dec & (p[7] ^ p[3])) ^ p[3] ^ p[9];
    y[1] = ~(p[3] ^ t[0] ^ t[7] ^ dec);
    t[8] = (dec & (t[3] ^ y[1])) ^ p[6];
    y[2] = (dec & (t[3] ^ t[4] ^ t[7])) ^ t[4] ^ t[7];
    y[4] = p[5] ^ p[6] ^ t[6];
    y[5] = ~((dec & t[4]) ^ t[1] ^ t[2] ^ dec);
    t[5] = (dec & y[5]) ^ p[11] ^ t[2];
    y[0] = p[9] ^ y[5] ^ t[8];
    y[3] = ~(t[0] ^ y[5] ^ t[5] ^ dec);
    y[6] = ~(p[7] ^ t[4] ^ t[5] ^ dec);
    y[7] = (dec & (p[6] ^ p[8] ^ t[3])) ^ t[3];
    return y;
  endfunction

  localparam logic [5:0][15:0] BothInverse = {
    16'h7a38, 16'hd6a2, 16'h98f4, 16'h45bc, 16'he926, 16'h346e
  };

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  logic [LineWidth-1:0] lines_d, lines_q, lines_n;
  logic [11:0] lines_i, lines_p;
  logic [5:0] g_d, g_q;
  logic [3:0] norm_d, norm_q;
  logic [5:0] inv_d, inv_q;
  logic [ProductWidth-1:0] product_d, product_q;
  logic [7:0] byte_d;

  if (Dir == DirEncrypt) begin : gen_encrypt
    assign lines_d = enc_lines(byte_i);
    assign g_d     = enc_norm_products(lines_q[11:0]);
    assign norm_d  = enc_norm(g_q, {lines_n[12], lines_n[5]});
    for (genvar i = 0; i < 6; i++) begin : gen_inverse
      assign inv_d[i] = lookup(EncInverse[i], norm_q);
    end
    assign product_d = enc_products(inv_q, lines_p);
    assign byte_d    = enc_output(product_q);
  end else if (Dir == DirDecrypt) begin : gen_decrypt
    assign lines_d = dec_lines(byte_i);
    assign g_d     = dec_norm_products(lines_q[11:0]);
    assign norm_d  = dec_norm(g_q, {lines_n[4], lines_n[5]});
    for (genvar i = 0; i < 6; i++) begin : gen_inverse
      assign inv_d[i] = lookup(DecInverse[i], norm_q);
    end
    assign product_d = dec_products(inv_q, lines_p);
    assign byte_d    = dec_output(product_q);
  end else begin : gen_both
    logic dec_out;
    if (Levels <= 1) begin : gen_no_delay
      assign dec_out = decrypt_i;
    end else begin : gen_delay
      logic [Levels-2:0] dec_q;
      always_ff @(posedge clk_i) begin
        for (int i = 0; i < Levels - 1; i++) dec_q[i] <= (i == 0) ? decrypt_i : dec_q[i-1];
      end
      assign dec_out = dec_q[Levels-2];
    end
    assign lines_d = both_lines(byte_i, decrypt_i);
    assign g_d     = both_norm_products(lines_q[11:0]);
    assign norm_d  = both_norm(g_q, {lines_n[5], lines_n[4]});
    for (genvar i = 0; i < 6; i++) begin : gen_inverse
      assign inv_d[i] = lookup(BothInverse[i], norm_q);
    end
    assign product_d = both_products(inv_q, lines_p);
    assign byte_d    = both_output(product_q, dec_out);
  end

  if (Dir != DirBoth) begin : gen_one
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
  end

  // Register levels. 1: output. 2: norm, output. 3: norm products, inverse, output.
  // 4: lines, norm, products, output.
  if (Levels == 4) begin : gen_lines
    always_ff @(posedge clk_i) lines_q <= lines_d;
  end else begin : gen_no_lines
    assign lines_q = lines_d;
  end

  if (Levels == 3) begin : gen_g
    always_ff @(posedge clk_i) begin
      g_q     <= g_d;
      lines_n <= lines_q;
    end
  end else begin : gen_no_g
    assign g_q     = g_d;
    assign lines_n = lines_q;
  end

  if (Levels == 2 || Levels == 4) begin : gen_norm
    always_ff @(posedge clk_i) begin
      norm_q  <= norm_d;
      lines_i <= lines_n[11:0];
    end
  end else begin : gen_no_norm
    assign norm_q  = norm_d;
    assign lines_i = lines_n[11:0];
  end

  if (Levels == 3) begin : gen_inv
    always_ff @(posedge clk_i) begin
      inv_q   <= inv_d;
      lines_p <= lines_i;
    end
  end else begin : gen_no_inv
    assign inv_q   = inv_d;
    assign lines_p = lines_i;
  end

  if (Levels == 4) begin : gen_product
    always_ff @(posedge clk_i) product_q <= product_d;
  end else begin : gen_no_product
    assign product_q = product_d;
  end

  if (Levels == 0) begin : gen_comb
    logic unused_clk;
    assign unused_clk = clk_i;
    assign byte_o     = byte_d;
  end else begin : gen_reg
    logic [7:0] byte_q;
    always_ff @(posedge clk_i) byte_q <= byte_d;
    assign byte_o = byte_q;
  end

endmodule
