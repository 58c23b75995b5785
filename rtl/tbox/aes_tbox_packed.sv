// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// T-boxes of encryption in 18 bits, which is what a port of many block RAMs has: one memory with one
// or two read ports that holds each different bit of S, 2S and 3S once.
//
//               +----------+
//   byte_i[p] --| > address|--18--(|O|)---- word_o[p] = {2S, S, S, 3S}, wires only
//   table_i ----|   ROM    |
//               +----------+
//
// Bit j of 2S is bit j - 1 of S, or, where the modulus reduces (j = 1, 3, 4), that and bit 7. Bit 0
// of 3S is bit 1 of 2S. So there are eight bits of S, three more of 2S and seven more of 3S, and a
// bit of MixColumns is a sum of four bits without anything before it.
//
// With Selected = 1 the memory has four tables. table_i, as early as byte_i, says which:
//
//   0      the products
//   1      for the last round: where Kept has a one, a bit of word_o's 2S is the one of S, and those
//          of its S and 3S are zero, so that a row of MixColumns is S there; where it has none, the
//          bit of its 3S is the one of S. (Not all bits can be kept, for they share places.)
//   2, 3   zero
//
// Levels = 1: the address register of the RAM. 2: and |O|, which may be its output register (recipe
// outreg on ECP5).
//
// In a loop the words come back as addresses, and a simulator of four states reads x at an address
// of x, also in the tables of zero. So with Selected the words are known after a reset of one clock:
// |O| has a reset; with one level a gate behind the RAM gives the zeros.

module aes_tbox_packed
  import aes_pkg::*;
  import aes_tbox_pkg::*;
#(
  parameter dir_e        Dir      = DirEncrypt,  // DirEncrypt only
  parameter int unsigned Levels   = 1,           // register levels, 1 or 2
  parameter bit          Selected = 1'b0,        // 1: four tables, 0: that of the products
  parameter int unsigned NumPorts = 1            // bytes a clock, 1 or 2
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,     // read only when Selected
  input  logic                 decrypt_i,  // not used: the ports are those of the other T-boxes
  input  logic  [         1:0] table_i,    // read only when Selected
  input  byte_t [NumPorts-1:0] byte_i,
  output word_t [NumPorts-1:0] word_o      // T0 of byte_i, Levels clocks later
);

  if (Dir != DirEncrypt) begin : gen_bad_dir
    $fatal(1, "aes_tbox_packed: Dir must be DirEncrypt");
  end
  if (Levels < 1 || Levels > 2) begin : gen_bad_levels
    $fatal(1, "aes_tbox_packed: Levels must be 1 or 2");
  end
  if (NumPorts < 1 || NumPorts > 2) begin : gen_bad_ports
    $fatal(1, "aes_tbox_packed: NumPorts must be 1 or 2");
  end

  localparam byte_t Kept = packed_kept();

  typedef struct packed {
    logic [7:1] thrice;   // bits of 3S
    logic       twice_4;  // bits of 2S
    logic       twice_3;
    logic       twice_1;
    byte_t      once;
  } packed_t;

  localparam int unsigned NumEntries = Selected ? 1024 : 256;
  typedef packed_t rom_t[NumEntries];

  function automatic packed_t pack_word(byte_t twice, byte_t once, byte_t thrice);
    packed_t entry;
    logic unused_bits;
    unused_bits   = ^{twice, thrice[0]};
    entry.thrice  = thrice[7:1];
    entry.twice_4 = twice[4];
    entry.twice_3 = twice[3];
    entry.twice_1 = twice[1];
    entry.once    = once;
    return entry;
  endfunction

  // Where bits 0, 2, 5, 6 and 7 of 2S stand among those of S.
  function automatic byte_t lower_bits(byte_t twice);
    logic unused_bits;
    unused_bits = ^twice;
    return {twice[0], twice[7:5], 2'b00, twice[2], 1'b0};
  endfunction

  function automatic rom_t make_rom();
    rom_t entries;
    for (int i = 0; i < NumEntries; i++) begin
      byte_t s, kept;
      s    = SboxFwdTable[i%256];
      kept = s & Kept;
      case (i / 256)
        0: entries[i] = pack_word(xtime(s), s, xtime(s) ^ s);
        1: entries[i] = pack_word(kept, lower_bits(kept), s & ~Kept);
        default: entries[i] = '0;
      endcase
    end
    return entries;
  endfunction

  (* rom_style = "block", ram_style = "block" *) packed_t rom[NumEntries];
  initial rom = make_rom();

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    packed_t data_q, data;
    byte_t twice, thrice;

    if (Selected) begin : gen_selected
      always_ff @(posedge clk_i) data_q <= rom[{table_i, byte_i[p]}];
    end else begin : gen_products
      always_ff @(posedge clk_i) data_q <= rom[byte_i[p]];
    end

    if (Levels == 2 && Selected) begin : gen_out_reset
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) data <= '0;
        else data <= data_q;
      end
    end else if (Levels == 2) begin : gen_out
      always_ff @(posedge clk_i) data <= data_q;
    end else if (Selected) begin : gen_gate
      logic zeros_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) zeros_q <= 1'b1;
        else zeros_q <= table_i[1];
      end
      assign data = zeros_q ? '0 : data_q;
    end else begin : gen_no_out
      assign data = data_q;
    end

    assign twice = {
      data.once[6:4], data.twice_4, data.twice_3, data.once[1], data.twice_1, data.once[7]
    };
    assign thrice = {data.thrice, data.twice_1};
    assign word_o[p] = {twice, data.once, data.once, thrice};
  end

  logic unused_inputs;
  assign unused_inputs = ^{rst_ni, decrypt_i, table_i};

endmodule
