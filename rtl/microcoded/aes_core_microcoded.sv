// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Microcoded architecture, encryption under 128-bit keys behind 8-bit ports: one byte of an accumulator,
// three RAMs and a program (aes_microcode_pkg) in one of them.
//
//   |PC|--[ program RAM, 256 x 16 ]-- instruction
//
//              instruction, or accumulator for the S-box
//                     | address
//   in_byte --+   [ data RAM, 512 x 8: bytes, S-box ]----+
//             mux--^                                    (+)--|accumulator|--+--|R|-- out_byte
//          +--+   [ key RAM, 32 x 8: bytes, zeros ]------+ |                |
//          |       ^                                       | x 0, 1, {02}   |
//   in_key_byte --mux                                      +----------------+
//          +----------------------------------------------------------------+
//
// PC counts by linear feedback (count_after of aes_pkg), so no carry is wanted, and 0 follows the last of
// 255 words.
//
//   clocks 0 to 15         bytes of the block and of its key are taken, one in each clock in which they
//                          are offered: a clock without one is a clock more. Of the first one in_first
//                          is high; what else comes in its place is taken and dropped
//   clocks 1399 to 1414    bytes of the result
//   clock 1416             the next block may come
//
// The clocks are the same whatever the data and the key.
//
// A reset lets PC begin again, and a clock later the first byte may come. It does not clear the RAMs.
//
// Cost on iCE40: 78 logic cells, three RAMs.

module aes_core_microcoded
  import aes_pkg::*;
  import aes_microcode_pkg::*;
#(
  parameter cfg_t Cfg    = DefaultCfg,
  parameter bit   Marked = 1'b1         // 0: no byte is lost before it, and none is marked
) (
  // Printed from one table for all cores
  input  logic       clk_i,
  input  logic       rst_ni,

  // Block
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  logic [8:0] in_block_i,  // its bytes, the first one first; behind each, whether it is that
  input  byte_t      in_key_i,    // the first byte first

  // Result, which cannot be held back
  output logic       out_valid_o,
  output block_t     out_block_o
);

  ///////////////////////////////////////////////////////////////////////////
  // Program
  ///////////////////////////////////////////////////////////////////////////

  function automatic program_t make_program();
    program_t words, placed;
    byte_t address;
    words   = make_words();
    placed  = words;
    address = '0;
    for (int unsigned p = 0; p < NumWords; p++) begin
      placed[address] = words[p];
      address         = next_count(address);
    end
    return placed;
  endfunction

  localparam program_t Program = make_program();
  localparam byte_t AddressMix = count_after(Mix);
  localparam byte_t AddressEntry = count_after(Entry);

  (* rom_style = "block", ram_style = "block" *) logic [15:0] code[256];
  initial code = Program;

  instruction_t instruction_q;
  byte_t pc_q, acc_q;
  logic running_q;  // instruction_q is that of a clock before
  logic [3:0] count_q;
  logic first_byte, wait_for_byte, step, nothing, jumps, last, jump;

  assign in_ready_o = running_q & (instruction_q.op == OpTake);
  assign first_byte = Marked ? in_block_i[0] : 1'b1;

  assign wait_for_byte = in_ready_o & (~in_valid_i | (instruction_q.sbox & ~first_byte));
  assign step          = ~wait_for_byte;

  assign nothing = &instruction_q.write[5:3];
  assign jumps   = nothing & instruction_q.write[2];
  assign jump    = jumps & (instruction_q.write[1] | ~last);

  // Jumps since the one to the entry. Not from Rcon, which is in a memory with the data: no control
  // follows from what data can reach. 9 is what nine of them lead to from 0, and 15 what no number of
  // them does, and what would lead to itself.
  assign last = count_q[3] & count_q[0] & (count_q[2] ~^ count_q[1]);

  always_ff @(posedge clk_i) begin
    if (jumps) count_q <= instruction_q.write[1] ? '0 : {count_q[2:0], ~^count_q[3:2]};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      pc_q      <= '0;
    end else begin
      running_q <= 1'b1;
      if (step) begin
        if (!jump) pc_q <= next_count(pc_q);
        else pc_q <= instruction_q.write[1] ? AddressEntry : AddressMix;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (step) instruction_q <= code[pc_q];
  end

  ///////////////////////////////////////////////////////////////////////////
  // Memories
  ///////////////////////////////////////////////////////////////////////////

  typedef byte_t data_t[512];

  function automatic data_t make_data();
    data_t bytes;
    for (int unsigned i = 0; i < 256; i++) bytes[i] = (i == 32'(AtOne)) ? 8'h01 : 8'h00;
    for (int unsigned i = 0; i < 256; i++) bytes[256+i] = SboxFwdTable[i];
    return bytes;
  endfunction

  logic in_key_memory, in_data;
  byte_t data_q, key_q;
  logic [8:0] data_address;

  assign in_key_memory = instruction_q.write[5] & ~instruction_q.write[4];
  assign in_data       = ~instruction_q.write[5] |
      (instruction_q.write[4] & ~instruction_q.write[3]);
  assign data_address  = {
    instruction_q.sbox, instruction_q.sbox ? acc_q : {2'b00, instruction_q.read}
  };

  (* no_rw_check, ram_style = "block" *) byte_t data[512];
  initial data = make_data();

  always_ff @(posedge clk_i) begin
    if (running_q && in_data) begin
      data[{3'b000, instruction_q.write}] <= in_ready_o ? in_block_i[8:1] : acc_q;
    end
    data_q <= data[data_address];
  end

  aes_microcode_key #(
    .Style(Cfg.key_mem)
  ) u_key (
    .clk_i,
    .write_i        (in_ready_o | (running_q & in_key_memory)),
    .write_address_i(instruction_q.write[3:0]),
    .byte_i         (in_ready_o ? in_key_i : acc_q),
    .read_i         (instruction_q.key),
    .read_address_i (instruction_q.read[3:0]),
    .byte_o         (key_q)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Accumulator and result
  ///////////////////////////////////////////////////////////////////////////

  byte_t kept, acc_d;

  always_comb begin
    case (instruction_q.op)
      OpAdd:    kept = acc_q;
      OpDouble: kept = xtime(acc_q);
      default:  kept = '0;
    endcase
  end

  assign acc_d = kept ^ data_q ^ key_q;

  always_ff @(posedge clk_i) acc_q <= acc_d;

  logic out_valid_d, out_valid_q;
  byte_t out_byte_q;

  assign out_valid_d = nothing & instruction_q.write[0];

  // The port is zero between results, in a reset too.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_q <= 1'b0;
      out_byte_q  <= '0;
    end else begin
      out_valid_q <= running_q & out_valid_d;
      out_byte_q  <= (running_q && out_valid_d) ? acc_q : '0;
    end
  end

  assign out_valid_o = out_valid_q;
  assign out_block_o = {out_byte_q, 120'd0};

endmodule
