// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_soc_dma with a program, a RAM and a device that do what they like within what it asks of them
// (fair_o, which a proof takes as given): registers are written while BLOCKS reads as zero, but for a
// stop, and no more results come than blocks were taken.
//
//   bounds_o   of the RAM only the words of the blocks that SOURCE and BLOCKS name are read, each once
//              and in order, and only those that TARGET and BLOCKS name are written, each once and in
//              order, with the words of the results as they came
//   blocks_o   the device is offered blocks of the words that were read, in order; no offer changes or
//              goes away, but by a stop (aes_rules_axi_stream); BLOCKS is what is still to be written
//   related_o  both, and the counters of the engine belong to the words that have moved
//
// related_o holds after a reset, and where it holds in a clock it holds in the next one: so for ever.
// Addresses are those of the RAM: bits above them are not there.

module soc_dma_miter #(
  parameter int unsigned RamBits = 16
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         valid_i,
  input  logic [1:0]   addr_i,
  input  logic         write_i,
  input  logic [31:0]  data_i,
  input  logic [31:0]  ram_data_i,
  input  logic         m_ready_i,
  input  logic         s_valid_i,
  input  logic [127:0] s_data_i,
  input  logic         s_last_i,
  output logic         fair_o,
  output logic         bounds_o,
  output logic         blocks_o,
  output logic         related_o
);

  logic [31:0] data, ram_data;
  logic ram_read, ram_write, m_valid, m_last, s_ready;
  logic [RamBits-1:0] ram_addr;
  logic [127:0] m_data;
  logic [3:0] broken;

  aes_soc_dma #(
    .RamBits(RamBits)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .valid_i,
    .addr_i,
    .write_i,
    .data_i,
    .data_o         (data),
    .ram_read_o     (ram_read),
    .ram_write_o    (ram_write),
    .ram_addr_o     (ram_addr),
    .ram_data_o     (ram_data),
    .ram_data_i,
    .m_axis_tvalid_o(m_valid),
    .m_axis_tready_i(m_ready_i),
    .m_axis_tdata_o (m_data),
    .m_axis_tlast_o (m_last),
    .s_axis_tvalid_i(s_valid_i),
    .s_axis_tready_o(s_ready),
    .s_axis_tdata_i (s_data_i),
    .s_axis_tlast_i (s_last_i)
  );

  // The program.
  logic write, to_source, to_target, start, stop;
  assign write     = valid_i & write_i;
  assign to_source = write & (addr_i == 2'd0);
  assign to_target = write & (addr_i == 2'd1);
  assign start     = write & (addr_i == 2'd2);
  assign stop      = write & (addr_i == 2'd3);

  // The run: where it began, its blocks, and what has moved since.
  logic [RamBits-1:0] source_q, target_q;
  logic [31:0] num_q, taken_q, results_q;
  logic [34:0] reads_q, writes_q;  // words: a bit more than four of each block
  logic read_q, m, s;
  logic [127:0] words_q, result_q;

  assign m = m_valid & m_ready_i;
  assign s = s_valid_i & s_ready;

  aes_rules_axi_stream #(
    .DataWidth(128)
  ) u_rules (
    .clk_i,
    .rst_ni,
    .revoked_i(stop),
    .tvalid_i (m_valid),
    .tready_i (m_ready_i),
    .tdata_i  (m_data),
    .tkeep_i  ('1),
    .tlast_i  (m_last),
    .tuser_i  (1'b0),
    .broken_o (broken)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      source_q  <= '0;
      target_q  <= '0;
      num_q     <= '0;
      taken_q   <= '0;
      results_q <= '0;
      reads_q   <= '0;
      writes_q  <= '0;
      read_q    <= 1'b0;
    end else if (write) begin
      // A run begins or ends: what has moved is behind it. What moves in this clock still counts.
      source_q  <= to_source ? data_i[2+:RamBits] :
                               source_q + RamBits'(reads_q) + RamBits'(ram_read & ~stop);
      target_q  <= to_target ? data_i[2+:RamBits] :
                               target_q + RamBits'(writes_q) + RamBits'(ram_write & ~stop);
      num_q     <= start ? data_i : '0;
      taken_q   <= '0;
      results_q <= '0;
      reads_q   <= '0;
      writes_q  <= '0;
      read_q    <= 1'b0;
    end else begin
      taken_q   <= taken_q + 32'(m);
      results_q <= results_q + 32'(s);
      reads_q   <= reads_q + 35'(ram_read);
      writes_q  <= writes_q + 35'(ram_write);
      read_q    <= ram_read;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_q) words_q <= {ram_data_i, words_q[127:32]};
    if (s) result_q <= s_data_i;
  end

  logic idle;
  logic [34:0] all_words;
  assign all_words = {1'b0, num_q, 2'b00};
  assign idle   = writes_q == all_words;
  assign fair_o = (!write || stop || idle) && (!s_valid_i || results_q < taken_q);

  always_comb begin
    bounds_o = !(ram_read && ram_write);
    if (ram_read && !(reads_q < all_words && ram_addr == source_q + RamBits'(reads_q))) begin
      bounds_o = 1'b0;
    end
    if (ram_write && !(writes_q < all_words && ram_addr == target_q + RamBits'(writes_q) &&
                       ram_data == result_q[32*writes_q[1:0]+:32])) begin
      bounds_o = 1'b0;
    end
  end

  always_comb begin
    blocks_o = broken == '0;
    if (m_valid != (reads_q == {33'(taken_q) + 33'd1, 2'b00})) blocks_o = 1'b0;
    if (m_valid && m_data != (read_q ? {ram_data_i, words_q[127:32]} : words_q)) blocks_o = 1'b0;
    if (m_valid && m_last != (33'(taken_q) + 33'd1 == 33'(num_q))) blocks_o = 1'b0;
    if (addr_i == 2'd2 && data != num_q - 32'(writes_q[34:2])) blocks_o = 1'b0;
    if (s_ready && results_q == num_q) blocks_o = 1'b0;
  end

  always_comb begin
    related_o = bounds_o && blocks_o && reads_q <= all_words && writes_q <= all_words &&
                results_q <= taken_q && taken_q <= num_q &&
                u_dma.source_q == source_q + RamBits'(reads_q) &&
                u_dma.target_q == target_q + RamBits'(writes_q) &&
                u_dma.in_left_q == num_q - 32'(reads_q[34:2]) && u_dma.in_word_q == reads_q[1:0] &&
                u_dma.in_flying_q == read_q && u_dma.in_held_q <= 3'd4 &&
                reads_q == {1'b0, taken_q, 2'b00} + 35'(u_dma.in_held_q) + 35'(read_q) &&
                reads_q <= {1'b0, taken_q, 2'b00} + 35'd4 &&
                u_dma.out_left_q == num_q - 32'(writes_q[34:2]) && u_dma.out_held_q <= 3'd4 &&
                {1'b0, results_q, 2'b00} == writes_q + 35'(u_dma.out_held_q);
    case (u_dma.out_held_q)
      3'd0:    ;
      3'd1:    if (u_dma.out_data_q[31:0] != result_q[127:96]) related_o = 1'b0;
      3'd2:    if (u_dma.out_data_q[63:0] != result_q[127:64]) related_o = 1'b0;
      3'd3:    if (u_dma.out_data_q[95:0] != result_q[127:32]) related_o = 1'b0;
      default: if (u_dma.out_data_q != result_q) related_o = 1'b0;
    endcase
    // The words that came are at the top of both registers.
    case (u_dma.in_held_q)
      3'd0:    ;
      3'd1:    if (u_dma.in_data_q[127:96] != words_q[127:96]) related_o = 1'b0;
      3'd2:    if (u_dma.in_data_q[127:64] != words_q[127:64]) related_o = 1'b0;
      3'd3:    if (u_dma.in_data_q[127:32] != words_q[127:32]) related_o = 1'b0;
      default: if (u_dma.in_data_q != words_q) related_o = 1'b0;
    endcase
  end

endmodule
