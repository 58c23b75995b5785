// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Narrow architecture behind 8-bit ports, encryption under 128-bit keys: a byte of the block comes
// with the byte of the key of the same number, and a byte of the result leaves a clock. One S-box for
// state and round keys, a round in 20 clocks.
//
//                          byte of the round key
//                                  |
//      +--[ MixColumns, in parts ]-(+)--+--[ S-box |R|R| ]--+--[ ShiftRows ]--+
//      |         |                      |                   |                 |
//      |     in_byte                    +-- |R| out_byte    +-- SubWord       |
//      +----------------------------------------------------------------------+
//
//   in_key_byte --+
//   RAM, 16 x 8 --+--|R|--(+)--|R|--+-- byte of the round key, and to the RAM
//                         | |       |
//           SubWord, Rcon + +--|R| x 3    byte n - 4
//
// A round takes slots 0 to 19. In slots 0 to 15 the bytes of the state meet those of the round key.
// In slots 16 to 19 bytes 13, 14, 15 and 12 of the round key go through the S-box for the next one.
// What must not be added is zero by the synchronous reset of its register.
//
//   slots 18, 19, 0 to 13    byte n of block and key is taken in slot 18 + n. A slot lasts until
//                            that byte is offered: then every register holds
//   round 10, slots 1 to 16  byte n of the result is on the port in slot n + 1
//   slot 18                  the next block may come: a byte that is not its first one is taken and
//                            dropped, so a lost byte costs two blocks and not all that follow
//
// Without pauses that is: clocks 0 to 15 in, clocks 203 to 218 out, the next block from clock 220 on.
//
// Bytes wait for ShiftRows in registers; with KeyMemDistributed in LUT RAM, and with KeyMemBlock in
// block RAM, to which they come a slot earlier, before the last register of the S-box.
//
// Only the top byte of in_block_i, in_key_i and out_block_o is in use, and the bit of in_block_i behind
// it, which says that this byte is the first one of its block.

module aes_core_narrow_serial
  import aes_pkg::*;
  import aes_key_pkg::*;
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
  // Control
  ///////////////////////////////////////////////////////////////////////////

  logic en;              // a slot passes: every register is loaded
  logic taken;           // a byte is, and not dropped
  logic [3:0] row_q;     // slot mod 4, one-hot
  logic [4:0] column_q;  // slot / 4, one-hot
  logic loading_q;       // slots in which a byte of block and key is taken
  logic plain_q;         // no MixColumns: from slot 19 of round 9 to slot 18 of round 0
  byte_t rcon_q;         // of the next round key; beyond the last one, {6c}, in round 10

  assign in_ready_o = loading_q;
  assign en         = taken | ~loading_q;

  if (Marked) begin : gen_marked
    assign taken = in_valid_i & (in_block_i[0] | ~(column_q[4] & row_q[2]));
  end else begin : gen_unmarked
    assign taken = in_valid_i;

    logic unused_first;
    assign unused_first = in_block_i[0];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_q     <= 4'b0100;
      column_q  <= 5'b10000;
      loading_q <= 1'b1;
    end else if (en) begin
      // A ring begins again where no other bit is set, so it comes back from any state.
      row_q <= {row_q[2:0], ~|row_q[2:0]};
      if (row_q[3]) column_q <= {column_q[3:0], ~|column_q[3:0]};
      // Up to slot 13, and from slot 18 of round 10 on: of the rounds without MixColumns the one in
      // which Rcon has bit 6.
      if (loading_q) loading_q <= ~(column_q[3] & row_q[1]);
      else loading_q <= column_q[4] & row_q[1] & plain_q & rcon_q[6];
    end
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      // {36} for the key of round 10 is the only one of {01} to {36} with bits 5 and 4.
      if (column_q[4] && row_q[2]) plain_q <= loading_q | (rcon_q[5] & rcon_q[4]);
      if (column_q[4] && row_q[3]) rcon_q <= loading_q ? 8'h01 : rcon_after(rcon_q);
    end
  end

  // Slots by what happens at their ends.
  logic slots_14_16, slots_15_18, slots_18_1;
  assign slots_14_16 = (column_q[3] & (row_q[2] | row_q[3])) | (column_q[4] & row_q[0]);
  assign slots_15_18 = (column_q[3] & row_q[3]) | (column_q[4] & ~row_q[3]);
  assign slots_18_1  = (column_q[4] & (row_q[2] | row_q[3])) |
                       (column_q[0] & (row_q[0] | row_q[1]));

  ///////////////////////////////////////////////////////////////////////////
  // Round keys: key_q is byte n in slot n; in slots 16 to 19 bytes 13, 14, 15 and 12
  ///////////////////////////////////////////////////////////////////////////

  byte_t substituted;  // of the byte of two slots before
  byte_t sub_early;    // of that of one slot before
  byte_t last_key;     // byte n + 3 of the round key before, in slot n
  byte_t old_q, key_q, key_1_q, key_2_q, before_q, sub_q;

  aes_key_bytes_memory #(
    .Style(Cfg.key_mem)
  ) u_keys (
    .clk_i,
    .en_i    (en),
    .row_i   (row_q),
    .column_i(column_q),
    .byte_i  (key_q),
    .byte_o  (last_key)
  );

  always_ff @(posedge clk_i) begin
    if (en) begin
      // Bytes 13 to 15 come from before_q alone, byte 12 from here.
      if (slots_14_16) old_q <= '0;
      else old_q <= loading_q ? in_key_i : last_key;

      key_q   <= old_q ^ before_q ^ sub_q;
      key_1_q <= key_q;
      key_2_q <= key_1_q;

      // Not for bytes 0 to 3, nor for the cipher key, nor for byte 12 that goes through the S-box.
      if (slots_18_1 || (column_q[4] && row_q[1]) || loading_q) before_q <= '0;
      else before_q <= slots_14_16 ? key_1_q : key_2_q;

      // For bytes 0 to 3 only, and not for the cipher key.
      if (!slots_18_1 || loading_q) sub_q <= '0;
      else sub_q <= substituted ^ ((column_q[4] && row_q[2]) ? rcon_q : '0);
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Data path
  ///////////////////////////////////////////////////////////////////////////

  byte_t same, sum, twice, state_d, shifted;

  assign state_d = same ^ sum ^ xtime(twice) ^ key_q;

  if (Cfg.sbox == SboxRom) begin : gen_rom
    aes_byte_sbox_held u_sbox (
      .clk_i,
      .en_i   (en),
      .byte_i (state_d),
      .early_o(sub_early),
      .byte_o (substituted)
    );
  end else begin : gen_logic
    byte_t state_q;

    aes_sub_bytes #(
      .Sbox    (Cfg.sbox),
      .Dir     (DirEncrypt),
      .Levels  (0),
      .NumBytes(1)
    ) u_sub_bytes (
      .clk_i,
      .decrypt_i(1'b0),
      .bytes_i  (state_q),
      .bytes_o  (sub_early)
    );

    always_ff @(posedge clk_i) begin
      if (en) begin
        state_q     <= state_d;
        substituted <= sub_early;
      end
    end
  end

  // Byte n comes to ShiftRows in slot n + 2, or n + 1 in block RAM, and leaves it in slot n + 15.
  if (Cfg.key_mem != KeyMemAuto) begin : gen_memory
    logic [3:0] row;
    logic write, first, turn;
    byte_t coming;

    if (Cfg.key_mem == KeyMemBlock) begin : gen_early
      assign row    = {row_q[0], row_q[3:1]};
      assign write  = column_q[4] ? row_q[0] : ~(column_q[0] & row_q[0]);
      assign first  = column_q[0] & row_q[0];
      assign turn   = column_q[3] & row_q[1];
      assign coming = sub_early;
    end else begin : gen_late
      assign row    = {row_q[1:0], row_q[3:2]};
      assign write  = column_q[4] ? row_q[0] | row_q[1] : ~(column_q[0] & (row_q[0] | row_q[1]));
      assign first  = column_q[0] & row_q[1];
      assign turn   = column_q[3] & row_q[2];
      assign coming = substituted;
    end

    aes_shift_rows_memory #(
      .InBlock(Cfg.key_mem == KeyMemBlock)
    ) u_shift_rows (
      .clk_i,
      .rst_ni,
      .en_i   (en),
      .row_i  (row),
      .write_i(write),
      .first_i(first),
      .turn_i (turn),
      .byte_i (coming),
      .byte_o (shifted)
    );
  end else begin : gen_queue
    // Rows 1 to 3 hold their first bytes for 3, 2 and 1 columns: slots 15, 19 and 3; 16 and 0; 17.
    logic [2:0] hold_q;
    logic unused_early;
    assign unused_early = ^sub_early;

    always_ff @(posedge clk_i) begin
      if (en) begin
        hold_q[2] <= (column_q[3] & (row_q[2] | row_q[3])) | (column_q[4] & ~row_q[1]) |
                     (column_q[0] & row_q[2]);
        hold_q[1] <= (column_q[3] & row_q[3]) | (column_q[4] & (row_q[0] | row_q[3]));
        hold_q[0] <= column_q[4] & row_q[0];
      end
    end

    aes_shift_rows_queue u_shift_rows (
      .clk_i,
      .en_i  (en),
      .hold_i(hold_q),
      .byte_i(substituted),
      .byte_o(shifted)
    );
  end

  aes_mix_column_serial u_mix_column (
    .clk_i,
    .en_i       (en),
    .first_i    (row_q[3]),
    .second_i   (row_q[0]),
    .last_i     (row_q[2]),
    .bypass_i   (plain_q),
    .zero_i     (slots_15_18),
    .load_i     (loading_q),
    .load_byte_i(in_block_i[8:1]),
    .byte_i     (shifted),
    .same_o     (same),
    .sum_o      (sum),
    .twice_o    (twice)
  );

  ///////////////////////////////////////////////////////////////////////////
  // Result: the state of round 10
  ///////////////////////////////////////////////////////////////////////////

  logic out_valid_d, out_valid_q;
  byte_t out_byte_q;

  assign out_valid_d = plain_q & ~loading_q & rcon_q[6] & ~column_q[4];

  // The port is zero between results, in a reset too.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_q <= 1'b0;
      out_byte_q  <= '0;
    end else begin
      out_valid_q <= out_valid_d;
      out_byte_q  <= out_valid_d ? state_d : '0;
    end
  end

  assign out_valid_o = out_valid_q;
  assign out_block_o = {out_byte_q, 120'd0};

endmodule
