// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// S-box in composite-field logic of as few levels of 4-input LUTs as it was found to do: five.
//
//            +------------------------- lines, 12 -------------------------+
//            |                                                             v
//   byte_i --+-- norm parts -|P|- norm -|N|- inverse on lines -|I|- products -|E|- output -|*|- byte_o
//         8           12              4               6               13 or 15       8
//
// |*| is the register for every Levels >= 1; P, N, I and E are those of
//
//   2: N (with the byte)   3: N and E, or P and I   4: P, I and E
//
// so that no level is more than two LUTs deep with Levels = 4, nor with 3 for encryption. Of both
// directions three levels are P and I, which leave room for the selection. What is kept beside P is
// the byte, beside N and I the lines.
//
// The inverse of x in GF(2^8) is x^16 / n, where the norm n = x^17 lies in GF(2^4). Level by level:
//
//   norm parts  a bit of the norm is a quadratic form in the bits of the byte. Four of the 15 forms
//               that tell n are sums of three functions of four bits each, so the norm comes out of
//               two levels, without linear maps before them (aes_sbox_tower has them there).
//   norm        the sums of three.
//   inverse     1/n on three lines over GF(2^2), two bits each: a table of four bits.
//   products    x^16 / n is two products in GF(2^4), each known from products on three lines. A bit
//               of such a product is one LUT4 of two bits of 1/n and two line bits of x^16, which
//               are linear in x and early.
//   output      every output bit is a sum of at most four of these.
//
// With both directions, decryption inverts k times what it should, and the circuit of encryption
// stands between two levels that select. For k = {73} of FIPS 197 every selection is one LUT4.
//
// That is 53 LUT4 for encryption, 56 for decryption, 69 for both, for a mapper that leaves the
// circuit as it is (recipe shaped); others take more LUTs and levels. Encryption has 8, 20, 37 and
// 59 flip-flops with Levels from 1, of which 0, 8, 2 and 10 are not behind a LUT. A program of
// AESFab's repository, shallow_sbox.py, finds and prints the functions. Literature as in
// aes_sbox_tower.
//
// With Doubled = 1, {02} S stands above S in byte_o, as in aes_sbox_tower: three sums of two bits.

module aes_sbox_shallow
  import aes_pkg::*;
#(
  parameter dir_e        Dir     = DirEncrypt,
  parameter int unsigned Levels  = 0,           // register levels, 0 to 4
  parameter bit          Doubled = 1'b0         // 1: {02} S above S in byte_o
) (
  input  logic       clk_i,
  input  logic       decrypt_i,  // direction of byte_i; read only when Dir is DirBoth
  input  logic [7:0] byte_i,     // bit 7 is the most significant bit
  output logic [8*Doubled+7:0] byte_o  // Levels clocks after byte_i
);

  if (Levels > 4) begin : gen_bad_levels
    $fatal(1, "aes_sbox_shallow: Levels must be 0 to 4");
  end

  // Which register levels are there.
  localparam bit RegP = Levels == 4 || (Levels == 3 && Dir == DirBoth);
  localparam bit RegN = Levels == 2 || (Levels == 3 && Dir != DirBoth);
  localparam bit RegI = RegP;
  localparam bit RegE = Levels == 4 || (Levels == 3 && Dir != DirBoth);

  localparam int unsigned NumProducts = (Dir == DirDecrypt) ? 15 : 13;

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

  ///////////////////////////////////////////////////////////////////////////
  // Encryption
  ///////////////////////////////////////////////////////////////////////////

  function automatic logic [11:0] enc_norm_parts(logic [7:0] x);
    logic [11:0] h;
    h[0] = (x[0] & x[3]) ^ (x[0] & x[6]) ^ (x[1] & x[6]) ^ (x[3] & x[6]) ^ x[0] ^ x[1] ^ x[3] ^
      x[6];
    h[1] = (x[0] & x[2]) ^ (x[0] & x[4]) ^ (x[0] & x[5]) ^ (x[2] & x[4]) ^ (x[2] & x[5]) ^ x[4];
    h[2] = (x[1] & x[5]) ^ (x[1] & x[7]) ^ (x[3] & x[5]) ^ (x[3] & x[7]) ^ (x[5] & x[7]) ^ x[7];
    h[3] = (x[0] & x[6]) ^ (x[1] & x[5]) ^ (x[1] & x[6]) ^ (x[5] & x[6]) ^ x[0] ^ x[5] ^ x[6];
    h[4] = (x[0] & x[4]) ^ (x[0] & x[7]) ^ (x[4] & x[5]);
    h[5] = (x[1] & x[2]) ^ (x[1] & x[7]) ^ (x[2] & x[3]) ^ (x[2] & x[7]) ^ (x[3] & x[7]) ^
      x[2] ^ x[3];
    h[6] = (x[0] & x[4]) ^ (x[0] & x[6]) ^ (x[2] & x[4]) ^ (x[2] & x[6]) ^ (x[4] & x[6]) ^
      x[0] ^ x[2] ^ x[6];
    h[7] = (x[0] & x[5]) ^ (x[2] & x[5]) ^ (x[2] & x[7]) ^ (x[5] & x[7]) ^ x[5];
    h[8] = (x[1] & x[3]) ^ (x[1] & x[4]) ^ (x[3] & x[7]) ^ (x[4] & x[7]) ^ x[3];
    h[9] = (x[0] & x[1]) ^ (x[0] & x[5]) ^ (x[0] & x[7]) ^ (x[1] & x[5]) ^ (x[1] & x[7]) ^
      x[0] ^ x[1] ^ x[7];
    h[10] = (x[2] & x[3]) ^ (x[3] & x[4]) ^ x[3] ^ x[4];
    h[11] = (x[2] & x[6]) ^ (x[2] & x[7]) ^ (x[5] & x[6]) ^ (x[6] & x[7]) ^ x[6];
    return h;
  endfunction

  function automatic logic [11:0] enc_lines(logic [7:0] x);
    logic [11:0] l;
    l[0] = x[1];
    l[1] = x[7];
    l[2] = x[4] ^ x[5];
    l[3] = x[1] ^ x[2] ^ x[3];
    l[4] = x[1] ^ x[5] ^ x[7];
    l[5] = x[4] ^ x[6] ^ x[7];
    l[6] = x[0] ^ x[1] ^ x[2] ^ x[5];
    l[7] = x[0] ^ x[2] ^ x[3] ^ x[6];
    l[8] = x[1] ^ x[3] ^ x[4] ^ x[6];
    l[9] = x[2] ^ x[3] ^ x[5] ^ x[7];
    l[10] = x[1] ^ x[4] ^ x[6] ^ x[7];
    l[11] = l[8] ^ x[7];
    return l;
  endfunction

  function automatic logic [12:0] enc_products(logic [5:0] e, logic [11:0] l);
    logic [12:0] p;
    p[0] = (e[0] & l[10]) ^ (e[1] & (l[3] ^ l[10]));
    p[1] = (e[0] & (l[3] ^ l[10])) ^ (e[1] & l[3]);
    p[2] = (e[2] & l[0]) ^ (e[3] & (l[0] ^ l[9]));
    p[3] = (e[2] & (l[0] ^ l[9])) ^ (e[3] & l[9]);
    p[4] = (e[4] & l[5]) ^ (e[5] & (l[4] ^ l[5]));
    p[5] = (e[4] & l[4]) ^ (e[5] & l[5]);
    p[6] = (e[0] & l[1]) ^ (e[1] & (l[1] ^ l[7]));
    p[7] = (e[0] & (l[1] ^ l[7])) ^ (e[1] & l[7]);
    p[8] = (e[2] & (l[2] ^ l[8])) ^ (e[3] & l[8]);
    p[9] = (e[2] & l[8]) ^ (e[3] & l[2]);
    p[10] = (e[2] & l[2]) ^ (e[3] & (l[2] ^ l[8]));
    p[11] = (e[4] & l[11]) ^ (e[5] & (l[6] ^ l[11]));
    p[12] = (e[4] & (l[6] ^ l[11])) ^ (e[5] & l[6]);
    return p;
  endfunction

  function automatic logic [7:0] enc_output(logic [12:0] p);
    logic [7:0] y;
    y[0] = ~(p[0] ^ p[5] ^ p[7] ^ p[11]);
    y[1] = ~(p[10] ^ p[12]);
    y[2] = p[6] ^ p[9] ^ p[12];
    y[3] = p[1] ^ p[2] ^ p[7] ^ p[11];
    y[4] = p[0] ^ p[5] ^ p[9] ^ p[11];
    y[5] = ~(p[0] ^ p[5] ^ p[7] ^ p[9]);
    y[6] = ~(p[1] ^ p[3] ^ p[5]);
    y[7] = p[2] ^ p[4] ^ p[6] ^ p[8];
    return y;
  endfunction

  localparam logic [5:0][15:0] EncInverse = {
    16'hd878, 16'h2ada, 16'ha46e, 16'h6374, 16'h7c16, 16'h49ae
  };

  ///////////////////////////////////////////////////////////////////////////
  // Decryption
  ///////////////////////////////////////////////////////////////////////////

  function automatic logic [11:0] dec_norm_parts(logic [7:0] x);
    logic [11:0] h;
    h[0] = (x[0] & x[5]) ^ (x[0] & x[7]) ^ (x[1] & x[5]) ^ (x[5] & x[7]) ^ x[5];
    h[1] = (x[1] & x[3]) ^ (x[3] & x[4]) ^ (x[3] & x[5]) ^ (x[4] & x[5]) ^ x[3] ^ x[4];
    h[2] = (x[2] & x[4]) ^ (x[2] & x[6]) ^ (x[4] & x[6]) ^ (x[5] & x[6]) ^ x[2];
    h[3] = (x[0] & x[3]) ^ (x[1] & x[3]) ^ (x[2] & x[3]) ^ x[0] ^ x[1] ^ x[3];
    h[4] = (x[1] & x[6]) ^ (x[1] & x[7]) ^ (x[2] & x[7]) ^ x[6] ^ x[7];
    h[5] = (x[3] & x[4]) ^ (x[4] & x[5]) ^ (x[4] & x[7]) ^ (x[5] & x[7]);
    h[6] = (x[0] & x[2]) ^ (x[0] & x[5]) ^ (x[0] & x[6]) ^ (x[5] & x[6]) ^ x[2] ^ x[5] ^ x[6];
    h[7] = (x[1] & x[2]) ^ (x[1] & x[3]) ^ (x[2] & x[3]) ^ (x[2] & x[7]) ^ x[1] ^ x[7];
    h[8] = (x[1] & x[4]) ^ (x[1] & x[5]) ^ (x[1] & x[6]) ^ (x[4] & x[5]);
    h[9] = ~((x[0] & x[1]) ^ (x[0] & x[5]) ^ (x[1] & x[5]) ^ x[0] ^ x[1] ^ x[2] ^ x[5]);
    h[10] = (x[1] & x[7]) ^ (x[2] & x[6]) ^ (x[2] & x[7]) ^ x[6] ^ x[7];
    h[11] = (x[1] & x[4]) ^ (x[3] & x[4]) ^ (x[3] & x[5]) ^ (x[4] & x[5]) ^ x[3];
    return h;
  endfunction

  function automatic logic [11:0] dec_lines(logic [7:0] x);
    logic [11:0] l;
    l[0] = x[5];
    l[1] = x[0] ^ x[2];
    l[2] = x[3] ^ x[5];
    l[3] = x[0] ^ x[4] ^ x[6];
    l[4] = x[0] ^ x[3] ^ x[7];
    l[5] = x[5] ^ x[6] ^ x[7];
    l[6] = x[0] ^ x[1] ^ x[5] ^ x[6];
    l[7] = x[0] ^ x[2] ^ x[4] ^ x[7];
    l[8] = x[0] ^ x[3] ^ x[4] ^ x[7];
    l[9] = x[1] ^ x[3] ^ x[6] ^ x[7];
    l[10] = l[4] ^ x[2] ^ x[6];
    l[11] = l[6] ^ l[7] ^ x[5];
    return l;
  endfunction

  function automatic logic [14:0] dec_products(logic [5:0] e, logic [11:0] l);
    logic [14:0] p;
    p[0] = (e[0] & ~l[2]) ^ (e[1] & l[10]);
    p[1] = (e[0] & l[10]) ^ (e[1] & (~l[2] ^ l[10]));
    p[2] = (e[2] & l[5]) ^ (e[3] & (l[3] ^ l[5]));
    p[3] = (e[2] & l[3]) ^ (e[3] & l[5]);
    p[4] = (e[4] & ~l[1]) ^ (e[5] & ~l[8]);
    p[5] = (e[4] & ~l[8]) ^ (e[5] & (~l[1] ^ ~l[8]));
    p[6] = (e[4] & (~l[1] ^ ~l[8])) ^ (e[5] & ~l[1]);
    p[7] = (e[0] & (l[6] ^ l[11])) ^ (e[1] & l[6]);
    p[8] = (e[0] & l[6]) ^ (e[1] & l[11]);
    p[9] = (e[0] & l[11]) ^ (e[1] & (l[6] ^ l[11]));
    p[10] = (e[2] & ~l[0]) ^ (e[3] & (~l[0] ^ ~l[4]));
    p[11] = (e[2] & (~l[0] ^ ~l[4])) ^ (e[3] & ~l[4]);
    p[12] = (e[4] & ~l[7]) ^ (e[5] & l[9]);
    p[13] = (e[4] & l[9]) ^ (e[5] & (l[9] ^ ~l[7]));
    p[14] = (e[4] & (l[9] ^ ~l[7])) ^ (e[5] & ~l[7]);
    return p;
  endfunction

  function automatic logic [7:0] dec_output(logic [14:0] p);
    logic [7:0] y;
    y[0] = p[0] ^ p[5] ^ p[8] ^ p[13];
    y[1] = p[1] ^ p[2] ^ p[7] ^ p[11];
    y[2] = p[7] ^ p[10] ^ p[13];
    y[3] = p[3] ^ p[5] ^ p[7] ^ p[12];
    y[4] = p[3] ^ p[5] ^ p[11] ^ p[12];
    y[5] = p[0] ^ p[2] ^ p[4];
    y[6] = p[0] ^ p[5] ^ p[10] ^ p[14];
    y[7] = p[2] ^ p[6] ^ p[9] ^ p[14];
    return y;
  endfunction

  localparam logic [5:0][15:0] DecInverse = {
    16'h25f2, 16'hae1a, 16'he744, 16'hf922, 16'hc2b6, 16'h5738
  };

  ///////////////////////////////////////////////////////////////////////////
  // Both directions
  ///////////////////////////////////////////////////////////////////////////

  function automatic logic [7:0] both_input(logic [7:0] x, logic dec);
    logic [7:0] z;
    z[0] = x[0] ^ (dec & (x[0] ^ x[1] ^ x[5]));
    z[1] = x[1] ^ (dec & (x[6] ^ x[7]));
    z[2] = x[2] ^ (dec & (x[0] ^ x[7] ^ 1'b1));
    z[3] = x[3] ^ (dec & (x[0] ^ x[5]));
    z[4] = x[4] ^ (dec & (x[5] ^ x[6]));
    z[5] = x[5] ^ (dec & (x[2] ^ x[5] ^ x[6] ^ 1'b1));
    z[6] = x[6] ^ (dec & (x[3] ^ x[6] ^ x[7]));
    z[7] = x[7] ^ (dec & (x[0] ^ x[4] ^ x[7] ^ 1'b1));
    return z;
  endfunction

  function automatic logic [7:0] both_output(logic [7:0] y, logic dec);
    logic [7:0] r;
    r[0] = y[0] ^ (dec & (y[0] ^ y[1] ^ y[5]));
    r[1] = y[1] ^ (dec & (y[6] ^ y[7]));
    r[2] = y[2] ^ (dec & (y[0] ^ y[7] ^ 1'b1));
    r[3] = y[3] ^ (dec & (y[0] ^ y[5]));
    r[4] = y[4] ^ (dec & (y[5] ^ y[6]));
    r[5] = y[5] ^ (dec & (y[2] ^ y[5] ^ y[6] ^ 1'b1));
    r[6] = y[6] ^ (dec & (y[3] ^ y[6] ^ y[7]));
    r[7] = y[7] ^ (dec & (y[0] ^ y[4] ^ y[7] ^ 1'b1));
    return r;
  endfunction

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  // Behind P, behind N and so on; _d: before it.
  logic [7:0] inverted, byte_p, byte_n, byte_d;
  logic [11:0] parts_d, parts_p, lines_d, lines_n, lines_i;
  logic [3:0] norm_d, norm_n;
  logic [5:0] inverse_d, inverse_i;
  logic [NumProducts-1:0] products_d, products_e;

  if (RegP) begin : gen_reg_p
    always_ff @(posedge clk_i) begin
      parts_p <= parts_d;
      byte_p  <= inverted;
    end
  end else begin : gen_no_reg_p
    assign parts_p = parts_d;
    assign byte_p  = inverted;
  end

  for (genvar i = 0; i < 4; i++) begin : gen_norm
    assign norm_d[i] = ^parts_p[3*i+:3];
  end

  if (RegN) begin : gen_reg_n
    always_ff @(posedge clk_i) norm_n <= norm_d;
  end else begin : gen_no_reg_n
    assign norm_n = norm_d;
  end

  // In two levels the byte is what is kept, in more its lines: they are in registers of their LUTs.
  if (RegN && Levels == 2) begin : gen_keep_byte
    always_ff @(posedge clk_i) byte_n <= byte_p;
    assign lines_n = lines_d;
  end else if (RegN) begin : gen_keep_lines
    always_ff @(posedge clk_i) lines_n <= lines_d;
    assign byte_n = byte_p;
  end else begin : gen_keep_none
    assign byte_n  = byte_p;
    assign lines_n = lines_d;
  end

  if (RegI) begin : gen_reg_i
    always_ff @(posedge clk_i) begin
      inverse_i <= inverse_d;
      lines_i   <= lines_n;
    end
  end else begin : gen_no_reg_i
    assign inverse_i = inverse_d;
    assign lines_i   = lines_n;
  end

  if (RegE) begin : gen_reg_e
    always_ff @(posedge clk_i) products_e <= products_d;
  end else begin : gen_no_reg_e
    assign products_e = products_d;
  end

  if (Dir == DirDecrypt) begin : gen_decrypt
    assign inverted = byte_i;
    assign parts_d  = dec_norm_parts(inverted);
    assign lines_d  = dec_lines(byte_n);
    for (genvar i = 0; i < 6; i++) begin : gen_inverse
      assign inverse_d[i] = lookup(DecInverse[i], norm_n);
    end
    assign products_d = dec_products(inverse_i, lines_i);
    assign byte_d     = dec_output(products_e);
  end else begin : gen_encrypt
    logic [7:0] forward;
    assign parts_d = enc_norm_parts(inverted);
    assign lines_d = enc_lines(byte_n);
    for (genvar i = 0; i < 6; i++) begin : gen_inverse
      assign inverse_d[i] = lookup(EncInverse[i], norm_n);
    end
    assign products_d = enc_products(inverse_i, lines_i);
    assign forward    = enc_output(products_e);
    if (Dir == DirEncrypt) begin : gen_only
      assign inverted = byte_i;
      assign byte_d   = forward;
    end else begin : gen_both
      logic decrypt_out;
      if (Levels > 1) begin : gen_delay
        logic [Levels-2:0] decrypt_q;
        always_ff @(posedge clk_i) decrypt_q <= (Levels - 1)'({decrypt_q, decrypt_i});
        assign decrypt_out = decrypt_q[Levels-2];
      end else begin : gen_no_delay
        assign decrypt_out = decrypt_i;
      end
      assign inverted = both_input(byte_i, decrypt_i);
      assign byte_d   = both_output(forward, decrypt_out);
    end
  end

  logic [8*Doubled+7:0] result;

  if (Doubled) begin : gen_doubled
    assign result = {xtime(byte_d), byte_d};
  end else begin : gen_single
    assign result = byte_d;
  end

  if (Levels == 0) begin : gen_comb
    logic unused_clk;
    assign unused_clk = clk_i;
    assign byte_o     = result;
  end else begin : gen_reg
    always_ff @(posedge clk_i) byte_o <= result;
  end

  if (Dir != DirBoth) begin : gen_unused
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
  end

endmodule
