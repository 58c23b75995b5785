// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// A DMA engine for the packets of an AES engine, and the registers for its keys and descriptors.
//
//            +-- read words ---( a beat )--> m_data --> engine
//   RAM port |                                            |
//            +-- write bytes --( a beat )<-- s_data <-----+
//                                   |
//                                   +-- last beat --> RESULT
//
//   registers --( 8 words )--+--> m_key                            (tdata, byte 0 lowest)
//                            +--> m_desc
//
// One port of 32 bits for both ways; results go first, because they make room. Any address of a byte
// will do: a beat is read in up to five words, of which the bytes outside are not looked at, and
// written with the bytes that are its own. A beat takes the port four clocks each way, five where it
// is not aligned.
// Registers (32 bit, one clock an access):
//
//   0x00  SOURCE    byte address in RAM of the next piece
//   0x04  PIECE     written: start; [23:0] bytes, not zero; [25:24] its tuser; [31] its last beat
//                   ends the packet; read: bytes that are still to be read
//   0x08  TARGET    byte address in RAM of the text of the result
//   0x0c  ROOM      bytes of text that may still be written; read: the same
//   0x10  STATUS    read: [0] a key, [1] a descriptor, [2] a piece, [3] text is on its way; [4] the
//                   last beat of a result is in RESULT; [5] text came without room, and is lost;
//                   [13:8] tuser of that beat; written: [4] and [5] are zero again; with [31] all
//                   that is on its way is forgotten, and only rst_ni brings back an engine that was
//                   in a packet
//   0x14  KEY       written: offer the words as a key, with this tuser; when it is taken, they are
//                   overwritten
//   0x18  DESC      written: offer the words as a descriptor
//   0x1c  INFO      what the engine is (host/include/aesfab_engine.h)
//   0x20  WORDS     eight words, the lowest bytes first; they stay while one of both is offered
//   0x40  RESULT    four words: the last beat, byte 0 lowest
//
// Registers of a way are written only while nothing of it is on its way. No text is taken while a
// last beat is in RESULT, so it belongs to one packet. Forgetting takes offered beats back from the
// streams, which the protocol forbids, and an engine waits for the rest of its packet: it is for one
// that is reset next.

module aes_soc_packet_dma #(
  parameter int unsigned RamBits = 16,   // of a word address in RAM
  parameter logic [31:0] Info    = 32'h0
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               valid_i,
  input  logic [4:0]         addr_i,   // of the register
  input  logic               write_i,
  input  logic [31:0]        data_i,
  output logic [31:0]        data_o,

  output logic               ram_read_o,
  output logic [3:0]         ram_write_o,
  output logic [RamBits-1:0] ram_addr_o,
  output logic [31:0]        ram_data_o,
  input  logic [31:0]        ram_data_i,  // in the clock after ram_read_o

  output logic               m_key_tvalid_o,
  input  logic               m_key_tready_i,
  output logic [255:0]       m_key_tdata_o,
  output logic [11:0]        m_key_tuser_o,
  output logic               m_desc_tvalid_o,
  input  logic               m_desc_tready_i,
  output logic [255:0]       m_desc_tdata_o,
  output logic               m_data_tvalid_o,
  input  logic               m_data_tready_i,
  output logic [127:0]       m_data_tdata_o,
  output logic [15:0]        m_data_tkeep_o,
  output logic               m_data_tlast_o,
  output logic [1:0]         m_data_tuser_o,

  input  logic               s_data_tvalid_i,
  output logic               s_data_tready_o,
  input  logic [127:0]       s_data_tdata_i,
  input  logic [15:0]        s_data_tkeep_i,
  input  logic [5:0]         s_data_tuser_i  // [0]: the last beat
);

  typedef enum logic [4:0] {
    RegSource = 5'd0,
    RegPiece  = 5'd1,
    RegTarget = 5'd2,
    RegRoom   = 5'd3,
    RegStatus = 5'd4,
    RegKey    = 5'd5,
    RegDesc   = 5'd6,
    RegInfo   = 5'd7
  } reg_e;

  localparam logic [1:0] AtWords = 2'b01;  // of the registers' addresses, by their upper bits
  localparam logic [2:0] AtResult = 3'b100;

  logic write, stop;
  assign write = valid_i & write_i;
  assign stop  = write & (addr_i == RegStatus) & data_i[31];

  ///////////////////////////////////////////////////////////////////////////
  // Keys and descriptors
  ///////////////////////////////////////////////////////////////////////////

  logic key_q, desc_q;
  logic [11:0] key_user_q;
  logic [7:0][31:0] words_q;

  assign m_key_tvalid_o  = key_q;
  assign m_key_tdata_o   = words_q;
  assign m_key_tuser_o   = key_user_q;
  assign m_desc_tvalid_o = desc_q;
  assign m_desc_tdata_o  = words_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_q      <= 1'b0;
      desc_q     <= 1'b0;
      key_user_q <= '0;
      words_q    <= '0;
    end else begin
      if (write && addr_i[4:3] == AtWords && !key_q && !desc_q) words_q[addr_i[2:0]] <= data_i;
      if (stop || (key_q && m_key_tready_i)) key_q <= 1'b0;
      if (stop || (desc_q && m_desc_tready_i)) desc_q <= 1'b0;
      if (stop || (key_q && m_key_tready_i)) words_q <= '0;
      if (write && !key_q && !desc_q) begin
        if (addr_i == RegKey) begin
          key_q      <= 1'b1;
          key_user_q <= data_i[11:0];
        end
        if (addr_i == RegDesc) desc_q <= 1'b1;
      end
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // From RAM into the engine: a beat, then the next one
  ///////////////////////////////////////////////////////////////////////////

  logic [RamBits+1:0] source_q;
  logic [23:0] in_left_q;  // bytes of the piece from this beat on
  logic in_last_q;
  logic [1:0] in_user_q;
  logic [2:0] in_asked_q;  // words of the beat that were asked for
  logic [2:0] in_held_q;   // of these, in the register
  logic in_flying_q;       // one comes from RAM in this clock
  logic [4:0][31:0] in_words_q, in_words, in_shifted;
  logic [4:0] in_bytes, in_span;  // of the beat; and those before it in its first word
  logic [2:0] in_number;
  logic in_taken, in_wanted;

  assign in_bytes  = (in_left_q >= 24'd16) ? 5'd16 : in_left_q[4:0];
  assign in_span   = in_bytes + 5'(source_q[1:0]);
  assign in_number = in_span[4:2] + 3'(in_span[1:0] != '0);
  assign in_wanted = in_left_q != '0 && in_asked_q != in_number;
  assign in_taken  = m_data_tvalid_o & m_data_tready_i;

  always_comb begin
    in_words = in_words_q;
    if (in_flying_q) in_words[in_held_q] = ram_data_i;
  end

  logic unused_shifted;
  assign unused_shifted = ^in_shifted[4];

  // The last word of a beat is offered as it comes from RAM.
  assign m_data_tvalid_o = in_left_q != '0 && in_held_q + 3'(in_flying_q) == in_number;
  assign in_shifted      = in_words >> {source_q[1:0], 3'b000};
  assign m_data_tdata_o  = in_shifted[3:0];
  assign m_data_tkeep_o  = 16'((17'h1 << in_bytes) - 17'h1);
  assign m_data_tlast_o  = in_last_q & (in_left_q <= 24'd16);
  assign m_data_tuser_o  = in_user_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      source_q    <= '0;
      in_left_q   <= '0;
      in_last_q   <= 1'b0;
      in_user_q   <= '0;
      in_asked_q  <= '0;
      in_held_q   <= '0;
      in_flying_q <= 1'b0;
    end else if (stop) begin
      in_left_q   <= '0;
      in_asked_q  <= '0;
      in_held_q   <= '0;
      in_flying_q <= 1'b0;
    end else begin
      in_flying_q <= ram_read_o;
      if (in_taken) begin
        source_q   <= source_q + (RamBits+2)'(in_bytes);
        in_left_q  <= in_left_q - 24'(in_bytes);
        in_asked_q <= '0;
        in_held_q  <= '0;
      end else begin
        in_asked_q <= in_asked_q + 3'(ram_read_o);
        in_held_q  <= in_held_q + 3'(in_flying_q);
      end
      if (write && in_left_q == '0) begin
        if (addr_i == RegSource) source_q <= data_i[RamBits+1:0];
        if (addr_i == RegPiece) begin
          in_left_q <= data_i[23:0];
          in_user_q <= data_i[25:24];
          in_last_q <= data_i[31];
        end
      end
    end
  end

  always_ff @(posedge clk_i) in_words_q <= in_words;

  ///////////////////////////////////////////////////////////////////////////
  // Out of the engine into RAM
  ///////////////////////////////////////////////////////////////////////////

  logic [RamBits+1:0] target_q;
  logic [23:0] room_q;
  logic out_busy_q;        // a beat of text is in the register
  logic [2:0] out_word_q;  // of it, the next one
  logic [127:0] out_data_q;
  logic [15:0] out_keep_q;
  logic [4:0] out_bytes;
  logic result_valid_q, lost_q;
  logic [5:0] result_user_q;
  logic [3:0][31:0] result_q;
  logic [4:0][31:0] out_words;
  logic [19:0] out_strobes, out_rest;  // of the bytes of these words; from the next word on
  logic out_taken, out_fits, out_ends;

  assign s_data_tready_o = ~out_busy_q & ~result_valid_q;
  assign out_taken       = s_data_tvalid_i & s_data_tready_o;
  assign out_bytes       = 5'($countones(s_data_tkeep_i));
  assign out_fits        = 24'(out_bytes) <= room_q;

  assign out_words   = 160'(out_data_q) << {target_q[1:0], 3'b000};
  assign out_strobes = 20'(out_keep_q) << target_q[1:0];
  assign out_rest    = out_strobes >> {out_word_q + 3'd1, 2'b00};
  assign out_ends    = out_rest == '0;

  assign ram_write_o = out_busy_q ? out_strobes[4*out_word_q+:4] : '0;
  assign ram_read_o  = in_wanted & ~out_busy_q;
  assign ram_data_o  = out_words[out_word_q];
  assign ram_addr_o  = out_busy_q ? target_q[2+:RamBits] + RamBits'(out_word_q)
                                  : source_q[2+:RamBits] + RamBits'(in_asked_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      target_q       <= '0;
      room_q         <= '0;
      out_busy_q     <= 1'b0;
      out_word_q     <= '0;
      result_valid_q <= 1'b0;
      lost_q         <= 1'b0;
      result_user_q  <= '0;
    end else if (stop) begin
      room_q         <= '0;
      out_busy_q     <= 1'b0;
      out_word_q     <= '0;
      result_valid_q <= 1'b0;
      lost_q         <= 1'b0;
    end else begin
      if (out_busy_q) begin
        out_word_q <= out_ends ? '0 : out_word_q + 3'd1;
        out_busy_q <= ~out_ends;
        if (out_ends) target_q <= target_q + (RamBits + 2)'($countones(out_keep_q));
      end
      if (write && addr_i == RegStatus) begin
        result_valid_q <= 1'b0;
        lost_q         <= 1'b0;
      end
      if (out_taken) begin
        if (s_data_tuser_i[0]) begin
          result_valid_q <= 1'b1;
          result_user_q  <= s_data_tuser_i;
        end else if (out_fits) begin
          out_busy_q <= 1'b1;
          room_q     <= room_q - 24'(out_bytes);
        end else begin
          lost_q <= 1'b1;
        end
      end
      if (write && !out_busy_q && !out_taken) begin
        if (addr_i == RegTarget) target_q <= data_i[RamBits+1:0];
        if (addr_i == RegRoom) room_q <= data_i[23:0];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (out_taken && s_data_tuser_i[0]) result_q <= s_data_tdata_i;
    if (out_taken && !s_data_tuser_i[0]) begin
      out_data_q <= s_data_tdata_i;
      out_keep_q <= s_data_tkeep_i;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Reading the registers
  ///////////////////////////////////////////////////////////////////////////

  always_comb begin
    data_o = '0;
    if (addr_i[4:2] == AtResult) begin
      data_o = result_q[addr_i[1:0]];
    end else begin
      case (addr_i)
        RegPiece: data_o = 32'(in_left_q);
        RegRoom:  data_o = 32'(room_q);
        RegStatus: begin
          data_o = {
            18'h0,
            result_user_q,
            2'b00,
            lost_q,
            result_valid_q,
            out_busy_q,
            in_left_q != '0,
            desc_q,
            key_q
          };
        end
        RegInfo:  data_o = Info;
        default:  ;
      endcase
    end
  end

endmodule
