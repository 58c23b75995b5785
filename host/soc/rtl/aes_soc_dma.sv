// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A small DMA engine: blocks from RAM into a stream, and from a stream into RAM, both at a time.
//
//            +-- read word --( 4 words )--> m_axis --> device
//   RAM port |                                           |
//            +-- write word --( 4 words )<-- s_axis <----+
//
// One port of 32 bits for both, so eight clocks a block; results go first, because they make room.
// A program writes SOURCE, TARGET and then BLOCKS, which starts the engine, and reads BLOCKS until
// it is zero. Registers (32 bit, one clock an access):
//
//   0x0  SOURCE   byte address in RAM, of a word
//   0x4  TARGET   the same; may be SOURCE
//   0x8  BLOCKS   written: start; read: results that are still to come
//   0xc  CONTROL  written: stop at once and forget; read: bit 0: a mark (tlast) came with another
//                 block than the last one, since the start
//
// A stop takes an offered block back from the stream, which the protocol forbids: for a device that
// is erased next.

module aes_soc_dma #(
  parameter int unsigned RamBits = 16  // of a word address in RAM
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               valid_i,
  input  logic [1:0]         addr_i,   // of the register
  input  logic               write_i,
  input  logic [31:0]        data_i,
  output logic [31:0]        data_o,

  output logic               ram_read_o,
  output logic               ram_write_o,
  output logic [RamBits-1:0] ram_addr_o,
  output logic [31:0]        ram_data_o,
  input  logic [31:0]        ram_data_i,  // in the clock after ram_read_o

  output logic               m_axis_tvalid_o,
  input  logic               m_axis_tready_i,
  output logic [127:0]       m_axis_tdata_o,
  output logic               m_axis_tlast_o,

  input  logic               s_axis_tvalid_i,
  output logic               s_axis_tready_o,
  input  logic [127:0]       s_axis_tdata_i,
  input  logic               s_axis_tlast_i
);

  typedef enum logic [1:0] {
    RegSource  = 2'd0,
    RegTarget  = 2'd1,
    RegBlocks  = 2'd2,
    RegControl = 2'd3
  } reg_e;

  logic write, start, stop;
  logic [RamBits-1:0] source_q, target_q;
  logic mark_error_q;

  assign write = valid_i & write_i;
  assign start = write & (addr_i == RegBlocks);
  assign stop  = write & (addr_i == RegControl);

  // Into the device: words that were asked for and are in the register, the first one lowest.
  logic [31:0] in_left_q;  // blocks to be read from RAM
  logic [1:0] in_word_q;   // of the block that is read
  logic in_flying_q;       // a word comes from RAM in this clock
  logic [2:0] in_held_q;
  logic [127:0] in_data_q;
  logic in_taken, in_wanted;

  // Out of the device.
  logic [31:0] out_left_q;  // blocks to be written to RAM
  logic [2:0] out_held_q;   // words in the register, the next one lowest
  logic [127:0] out_data_q;
  logic out_taken;

  // The last word of a block is offered as it comes from RAM, so that the next one can be asked for
  // at once.
  assign m_axis_tvalid_o = in_held_q + 3'(in_flying_q) == 3'd4;
  assign m_axis_tdata_o  = in_flying_q ? {ram_data_i, in_data_q[127:32]} : in_data_q;
  assign m_axis_tlast_o  = in_left_q == '0;
  assign in_taken        = m_axis_tvalid_o & m_axis_tready_i;
  assign in_wanted       = in_left_q != '0 && (in_taken || !m_axis_tvalid_o);

  // Never more than were asked for: a block is taken while results of it and of later ones miss.
  assign s_axis_tready_o = out_left_q > 32'(out_held_q != '0) && out_held_q <= 3'd1;
  assign out_taken       = s_axis_tvalid_i & s_axis_tready_o;

  assign ram_write_o = out_held_q != '0;
  assign ram_read_o  = in_wanted & ~ram_write_o;
  assign ram_addr_o  = ram_write_o ? target_q : source_q;
  assign ram_data_o  = out_data_q[31:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      source_q     <= '0;
      target_q     <= '0;
      in_left_q    <= '0;
      in_word_q    <= '0;
      in_flying_q  <= 1'b0;
      in_held_q    <= '0;
      out_left_q   <= '0;
      out_held_q   <= '0;
      mark_error_q <= 1'b0;
    end else if (stop) begin
      in_left_q   <= '0;
      in_word_q   <= '0;
      in_flying_q <= 1'b0;
      in_held_q   <= '0;
      out_left_q  <= '0;
      out_held_q  <= '0;
    end else begin
      in_flying_q <= ram_read_o;
      in_held_q   <= in_taken ? 3'd0 : in_held_q + 3'(in_flying_q);
      if (ram_read_o) begin
        source_q  <= source_q + 1'b1;
        in_word_q <= in_word_q + 1'b1;
        if (in_word_q == 2'd3) in_left_q <= in_left_q - 1'b1;
      end
      if (ram_write_o) begin
        target_q   <= target_q + 1'b1;
        out_held_q <= out_held_q - 1'b1;
        if (out_held_q == 3'd1) out_left_q <= out_left_q - 1'b1;
      end
      if (out_taken) begin
        out_held_q   <= 3'd4;
        mark_error_q <= mark_error_q | (s_axis_tlast_i != (out_left_q == 32'(ram_write_o) + 1));
      end
      if (write && addr_i == RegSource) source_q <= data_i[2+:RamBits];
      if (write && addr_i == RegTarget) target_q <= data_i[2+:RamBits];
      if (start) begin
        in_left_q    <= data_i;
        out_left_q   <= data_i;
        mark_error_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_flying_q) in_data_q <= m_axis_tdata_o;
    if (out_taken) out_data_q <= s_axis_tdata_i;
    else if (ram_write_o) out_data_q <= {32'h0, out_data_q[127:32]};
  end

  always_comb begin
    data_o = '0;
    case (addr_i)
      RegBlocks:  data_o = out_left_q;
      RegControl: data_o = 32'(mark_error_q);
      default:    ;
    endcase
  end

  logic unused_addr;
  assign unused_addr = ^{data_i[1:0], data_i[31:2+RamBits]};

endmodule
