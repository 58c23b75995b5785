// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_soc_packet_dma with a program, a RAM and an engine that do what they like. Of the engine is taken
// as given (fair_o) that a beat of its results has bytes from the lowest lane on, one at least.
//
//   bounds_o   of the RAM only words with a byte of the piece that SOURCE and PIECE name are read, each
//              once for each beat, and only bytes that TARGET and ROOM name are written, in order, with
//              what came from the engine
//   streams_o  the beats offered are those bytes, with their number in tkeep and tlast where the piece
//              ends; no offer of a key, a descriptor or a beat changes or goes away, but by a stop
//   related_o  both, and the registers of the engine belong to what has moved
//
// related_o holds after a reset, and where it holds in a clock it holds in the next one: so for ever.
// Addresses are those of the RAM: bits above them are not there.

module soc_packet_dma_miter #(
  parameter int unsigned RamBits = 16
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         valid_i,
  input  logic [4:0]   addr_i,
  input  logic         write_i,
  input  logic [31:0]  data_i,
  input  logic [31:0]  ram_data_i,
  input  logic         key_ready_i,
  input  logic         desc_ready_i,
  input  logic         m_ready_i,
  input  logic         s_valid_i,
  input  logic [127:0] s_data_i,
  input  logic [15:0]  s_keep_i,
  input  logic [5:0]   s_user_i,
  output logic         fair_o,
  output logic         bounds_o,
  output logic         streams_o,
  output logic         related_o
);

  localparam int unsigned AddrBits = RamBits + 2;

  logic [31:0] data, ram_data;
  logic ram_read, key_valid, desc_valid, m_valid, m_last, s_ready;
  logic [3:0] ram_write;
  logic [RamBits-1:0] ram_addr;
  logic [255:0] key, desc;
  logic [11:0] key_user;
  logic [127:0] m_data;
  logic [15:0] m_keep;
  logic [1:0] m_user;
  logic [2:0][3:0] broken;

  aes_soc_packet_dma #(
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
    .m_key_tvalid_o (key_valid),
    .m_key_tready_i (key_ready_i),
    .m_key_tdata_o  (key),
    .m_key_tuser_o  (key_user),
    .m_desc_tvalid_o(desc_valid),
    .m_desc_tready_i(desc_ready_i),
    .m_desc_tdata_o (desc),
    .m_data_tvalid_o(m_valid),
    .m_data_tready_i(m_ready_i),
    .m_data_tdata_o (m_data),
    .m_data_tkeep_o (m_keep),
    .m_data_tlast_o (m_last),
    .m_data_tuser_o (m_user),
    .s_data_tvalid_i(s_valid_i),
    .s_data_tready_o(s_ready),
    .s_data_tdata_i (s_data_i),
    .s_data_tkeep_i (s_keep_i),
    .s_data_tuser_i (s_user_i)
  );

  logic write, stop;
  assign write = valid_i & write_i;
  assign stop  = write & (addr_i == 5'd4) & data_i[31];

  aes_rules_axi_stream #(
    .DataWidth(256),
    .UserWidth(12)
  ) u_key_rules (
    .clk_i,
    .rst_ni,
    .revoked_i(stop),
    .tvalid_i (key_valid),
    .tready_i (key_ready_i),
    .tdata_i  (key),
    .tkeep_i  ('1),
    .tlast_i  (1'b1),
    .tuser_i  (key_user),
    .broken_o (broken[0])
  );

  aes_rules_axi_stream #(
    .DataWidth(256)
  ) u_desc_rules (
    .clk_i,
    .rst_ni,
    .revoked_i(stop),
    .tvalid_i (desc_valid),
    .tready_i (desc_ready_i),
    .tdata_i  (desc),
    .tkeep_i  ('1),
    .tlast_i  (1'b1),
    .tuser_i  (1'b0),
    .broken_o (broken[1])
  );

  aes_rules_axi_stream #(
    .DataWidth(128),
    .UserWidth(2)
  ) u_data_rules (
    .clk_i,
    .rst_ni,
    .revoked_i(stop),
    .tvalid_i (m_valid),
    .tready_i (m_ready_i),
    .tdata_i  (m_data),
    .tkeep_i  (m_keep),
    .tlast_i  (m_last),
    .tuser_i  (m_user),
    .broken_o (broken[2])
  );

  ///////////////////////////////////////////////////////////////////////////
  // What has moved
  ///////////////////////////////////////////////////////////////////////////

  // Into the engine: the place and bytes of what is left of a piece, words of its beat.
  logic [AddrBits-1:0] from_q;
  logic [23:0] left_q;
  logic last_q, read_q, m;
  logic [2:0] reads_q;
  logic [4:0][31:0] words_q, words;
  logic [4:0] beat;

  assign m    = m_valid & m_ready_i;
  assign beat = (left_q > 24'd16) ? 5'd16 : 5'(left_q);

  always_comb begin
    words = words_q;
    for (int unsigned n = 0; n < 5; n++) if (read_q && reads_q == 3'(n + 1)) words[n] = ram_data_i;
  end

  // Out of it: the place and room that are left, and the beat that is written.
  logic [AddrBits-1:0] to_q;
  logic [23:0] room_q;
  logic [4:0] bytes_q;  // of the beat; 0: none
  logic [2:0] writes_q;  // words of it
  logic [127:0] result_q;
  logic s, text, ends;
  logic [4:0] s_bytes;

  always_comb begin
    s_bytes = '0;
    for (int unsigned n = 0; n < 16; n++) if (s_keep_i[n]) s_bytes = 5'(n + 1);
  end

  assign s    = s_valid_i & s_ready;
  assign text = s & ~s_user_i[0] & (24'(s_bytes) <= room_q);
  assign ends = bytes_q != '0 && {1'b0, writes_q, 2'b00} + 6'd4 >= 6'(to_q[1:0]) + 6'(bytes_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      from_q   <= '0;
      left_q   <= '0;
      last_q   <= 1'b0;
      read_q   <= 1'b0;
      reads_q  <= '0;
      to_q     <= '0;
      room_q   <= '0;
      bytes_q  <= '0;
      writes_q <= '0;
    end else if (stop) begin
      left_q   <= '0;
      read_q   <= 1'b0;
      reads_q  <= '0;
      room_q   <= '0;
      bytes_q  <= '0;
      writes_q <= '0;
    end else begin
      read_q <= ram_read;
      if (m) begin
        from_q  <= from_q + AddrBits'(beat);
        left_q  <= left_q - 24'(beat);
        reads_q <= '0;
      end else begin
        reads_q <= reads_q + 3'(ram_read);
      end
      if (write && left_q == '0 && addr_i == 5'd0) from_q <= AddrBits'(data_i);
      if (write && left_q == '0 && addr_i == 5'd1) begin
        left_q <= data_i[23:0];
        last_q <= data_i[31];
      end
      if (bytes_q != '0) begin
        writes_q <= ends ? '0 : writes_q + 3'd1;
        if (ends) begin
          bytes_q <= '0;
          to_q    <= to_q + AddrBits'(bytes_q);
        end
      end
      if (text) begin
        bytes_q <= s_bytes;
        room_q  <= room_q - 24'(s_bytes);
      end
      if (write && bytes_q == '0 && !s && addr_i == 5'd2) to_q <= AddrBits'(data_i);
      if (write && bytes_q == '0 && !s && addr_i == 5'd3) room_q <= data_i[23:0];
    end
  end

  always_ff @(posedge clk_i) begin
    words_q <= words;
    if (text) result_q <= s_data_i;
  end

  ///////////////////////////////////////////////////////////////////////////
  // What has to hold
  ///////////////////////////////////////////////////////////////////////////

  assign fair_o = !s_valid_i || (s_keep_i[0] && (s_keep_i[15:1] & ~s_keep_i[14:0]) == '0);

  logic [5:0] in_span, out_span;
  assign in_span  = 6'(from_q[1:0]) + 6'(beat);
  assign out_span = 6'(to_q[1:0]) + 6'(bytes_q);

  always_comb begin
    bounds_o = !(ram_read && ram_write != '0);
    if (ram_read && !({1'b0, reads_q, 2'b00} < in_span && left_q != '0 &&
                      ram_addr == from_q[2+:RamBits] + RamBits'(reads_q))) begin
      bounds_o = 1'b0;
    end
    if (bytes_q == '0 && ram_write != '0) bounds_o = 1'b0;
    if (bytes_q != '0 && ram_addr != to_q[2+:RamBits] + RamBits'(writes_q)) bounds_o = 1'b0;
    for (int unsigned n = 0; n < 4; n++) begin
      // The byte of the beat that goes there; those before the first one are more than 16.
      automatic logic [5:0] at = {1'b0, writes_q, 2'b00} + 6'(n) - 6'(to_q[1:0]);
      automatic logic own = at < 6'(bytes_q);
      if (bytes_q != '0 && ram_write[n] != own) bounds_o = 1'b0;
      if (ram_write[n] && ram_data[8*n+:8] != result_q[8*at[3:0]+:8]) bounds_o = 1'b0;
    end
  end

  always_comb begin
    streams_o = broken == '0;
    if (m_valid != (left_q != '0 && {1'b0, reads_q, 2'b00} >= in_span)) streams_o = 1'b0;
    if (m_valid && m_last != (last_q && left_q <= 24'd16)) streams_o = 1'b0;
    for (int unsigned n = 0; n < 16; n++) begin
      automatic logic [4:0] at = 5'(from_q[1:0]) + 5'(n);
      if (m_valid && m_keep[n] != (5'(n) < beat)) streams_o = 1'b0;
      if (m_valid && m_keep[n] && m_data[8*n+:8] != words[at[4:2]][8*at[1:0]+:8]) streams_o = 1'b0;
    end
    if (addr_i == 5'd1 && data != 32'(left_q)) streams_o = 1'b0;
    if (addr_i == 5'd3 && data != 32'(room_q)) streams_o = 1'b0;
  end

  always_comb begin
    related_o = bounds_o && streams_o && u_dma.source_q == from_q && u_dma.in_left_q == left_q &&
                u_dma.in_last_q == last_q && u_dma.in_asked_q == reads_q &&
                u_dma.in_flying_q == read_q && reads_q == u_dma.in_held_q + 3'(read_q) &&
                reads_q <= 3'd5 && (reads_q == '0 || {1'b0, reads_q, 2'b00} < in_span + 6'd4) &&
                (left_q != '0 || reads_q == '0) && u_dma.target_q == to_q &&
                u_dma.room_q == room_q && u_dma.out_busy_q == (bytes_q != '0) &&
                u_dma.out_word_q == writes_q && bytes_q <= 5'd16 &&
                (bytes_q == '0 ? writes_q == '0 : {1'b0, writes_q, 2'b00} < out_span) &&
                !(u_dma.key_q && u_dma.desc_q);
    for (int unsigned n = 0; n < 5; n++) begin
      if (3'(n) < u_dma.in_held_q && u_dma.in_words_q[n] != words_q[n]) related_o = 1'b0;
    end
    for (int unsigned n = 0; n < 16; n++) begin
      if (bytes_q != '0 && u_dma.out_keep_q[n] != (5'(n) < bytes_q)) related_o = 1'b0;
    end
    if (bytes_q != '0 && u_dma.out_data_q != result_q) related_o = 1'b0;
  end

endmodule
