// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// GHASH (SP 800-38D, section 6.4), a product of two bytes a clock:
//
//   byte_i --(+)--[ mux ]--[ sum, upper half: 2 x 16 bytes ]--|R|--+--[ x ]--|R|--(+)--|R|--+
//             ^     ^                                              |    ^           ^       |
//             |     |      byte_i --[ H, 16 bytes ]--[ mux ]--|R|--|----+           +-------+
//             |     |                1 + x + x^2 + x^7 --^         |                        |
//             +-----|----------------------------------------------+            upper bits  | lower
//                   |                                                                 |     |
//                   +------------------- byte of the product ------------------------(+)---|R|
//
// The product of the sum and H has 31 columns: column k is the sum of the products of bytes i and k - i.
// They are made from the last one down, and a byte of the product is there when the column before its
// own is. Bytes 31 to 16 are the upper half, those of x^128 and above. In columns 15 to 0 their products
// with 1 + x + x^2 + x^7, which is x^128, are added, of byte 16 + k in column k. The upper bits of column
// 15 go into byte 16, which is the last one that is taken: so nothing is left over. A byte of the new sum
// takes the place of the old one, which no column wants any longer.
//
// 256 + 16 products and five clocks are a multiplication.
//
// Bits are those of the standard: the most significant one of a byte is the lowest power of x.

module aes_engine_bytes_ghash
  import aes_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,

  // A byte in two clocks: its number, then what is done with it
  input  logic [3:0] index_i,
  input  logic [3:0] index_q_i,  // a clock later
  input  logic       key_i,      // it is of H
  input  logic       add_i,      // it is added to the sum
  input  logic       first_i,    // which was zero
  input  byte_t      byte_i,
  output byte_t      sum_o,      // that byte of the sum

  input  logic start_i,  // multiply, from the next clock on
  output logic busy_o,   // up to the clock in which the last byte of the new sum is written
  output logic soon_o    // it is free 205 clocks later
);

  // 1 + x + x^2 + x^7
  localparam byte_t Reduction = 8'he1;

  ///////////////////////////////////////////////////////////////////////////
  // Which product
  ///////////////////////////////////////////////////////////////////////////

  logic run_q, busy_q, soon_q, fold_q, first_q, ends;
  logic [4:0] column_q, column_d;
  logic [3:0] i_q, j_q;  // bytes of the sum and of H

  // Of columns 15 to 0 the last product is that with the upper half.
  assign ends     = column_q[4] ? i_q == 4'd15 : fold_q;
  assign column_d = column_q - 5'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) run_q <= 1'b0;
    else run_q <= start_i | (run_q & ~(ends & (column_q == '0)));
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      column_q <= 5'd30;
      i_q      <= 4'd15;
      j_q      <= 4'd15;
      fold_q   <= 1'b0;
      first_q  <= 1'b1;
    end else begin
      first_q <= ends;
      if (ends) begin
        // The first byte of the sum in column k > 15 is k - 15.
        column_q <= column_d;
        i_q      <= column_q[3:0] & {4{column_q[4]}};
        j_q      <= column_d[3:0] | {4{column_d[4]}};
        fold_q   <= 1'b0;
      end else begin
        i_q    <= i_q + 4'd1;
        j_q    <= j_q - 4'd1;
        // Byte 0 of H is in columns 15 to 0 alone.
        fold_q <= j_q == '0;
      end
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // The bytes: three clocks from their addresses to their sum
  ///////////////////////////////////////////////////////////////////////////

  logic [4:0] write_q;  // byte of the product that is made next
  logic write, flush_q;
  byte_t product_byte;

  (* no_rw_check *) byte_t mem[32];
  (* no_rw_check *) byte_t key_mem[16];
  byte_t sum_q, key_q;
  logic [4:0] sum_raddr, sum_waddr;
  byte_t sum_wdata;

  always_comb begin
    if (!run_q) sum_raddr = {1'b0, index_i};
    else if (fold_q) sum_raddr = {1'b1, column_q[3:0]};
    else sum_raddr = {1'b0, i_q};
  end
  assign sum_waddr = busy_q ? write_q : {1'b0, index_q_i};
  assign sum_wdata = busy_q ? product_byte : byte_i ^ (first_i ? 8'h00 : sum_q);

  always_ff @(posedge clk_i) begin
    if (write || add_i) mem[sum_waddr] <= sum_wdata;
    sum_q <= mem[sum_raddr];
  end
  always_ff @(posedge clk_i) begin
    if (key_i) key_mem[index_q_i] <= byte_i;
    if (fold_q) key_q <= Reduction;
    else key_q <= key_mem[j_q];
  end
  assign sum_o = sum_q;

  // One bit a power of x
  logic [14:0] product, product_q, column_sum_q;
  byte_t lower_q;  // of the column before
  logic [1:0] valid_q;
  logic [1:0] first_later_q;
  logic [2:0] ends_later_q;

  always_comb begin
    product = '0;
    for (int unsigned i = 0; i < 8; i++) begin
      for (int unsigned j = 0; j < 8; j++) product[i+j] ^= sum_q[7-i] & key_q[7-j];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q      <= '0;
      ends_later_q <= '0;
      flush_q      <= 1'b0;
      busy_q       <= 1'b0;
    end else begin
      valid_q      <= {valid_q[0], run_q};
      ends_later_q <= {ends_later_q[1:0], run_q & ends};
      flush_q      <= ends_later_q[2] & (write_q == 5'd1);
      busy_q       <= start_i | (busy_q & ~flush_q);
    end
  end

  always_ff @(posedge clk_i) begin
    first_later_q <= {first_later_q[0], first_q};
    product_q     <= product;
    if (valid_q[1]) begin
      column_sum_q <= product_q ^ (column_sum_q & {15{~first_later_q[1]}});
    end else begin
      column_sum_q <= '0;
    end
    if (start_i) begin
      lower_q <= '0;
      write_q <= 5'd31;
    end else if (write) begin
      for (int unsigned n = 0; n < 8; n++) lower_q[7-n] <= column_sum_q[n];
      write_q <= write_q - 5'd1;
    end
    // Columns 30 to 20 have 66 of 272 products, and four more are those of column 19 with i < 8.
    soon_q <= run_q & (~column_q[4] | (column_q[3:0] < 4'd3) | ((column_q[3:0] == 4'd3) & i_q[3]));
  end

  // Behind the last column its lower byte is left, which nothing is added to.
  assign write = ends_later_q[2] | flush_q;

  always_comb begin
    product_byte = lower_q;
    for (int unsigned n = 0; n < 7; n++) product_byte[7-n] ^= column_sum_q[8+n];
  end

  assign busy_o = start_i | busy_q;
  assign soon_o = ~start_i & (~busy_q | ~run_q | soon_q);

endmodule
