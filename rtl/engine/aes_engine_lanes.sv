// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// GHASH (SP 800-38D, section 6.4) of a block each clock, in eight lanes:
//
//   block_i --[ queue ]--|R|--|R|--(+)--|R|--[ product ]--+--[ sum of the last eight ]--|R|-- sum_o
//                 |                 ^          ^          |
//   lengths ------+--[ powers of H, RAM ]--|R|-+          |
//                                   +-----[ lanes ]-------+
//
// A product takes eight clocks with what stands around it, so a block is added to the product of the
// block eight before it, which was multiplied by H^8. The last eight blocks of a message take H^8 to
// H^1, and the sum of their products is GHASH. So a block waits until it is known whether it is among
// the last eight: until the message has ended, or nine more blocks are there.
//
// Messages follow each other without a gap, each with the powers of its slot. A key that is announced,
// when no message is under way, comes as the next block; it is multiplied by one, which stands in the
// place of H for that. So all powers are products, each the one before times H. That takes some 100
// clocks; zero is written over them in 10.

module aes_engine_lanes
  import aes_engine_pkg::*;
#(
  parameter  int unsigned NumSlots = 64,
  parameter  int unsigned KindBits = 2,
  localparam int unsigned SlotBits = $clog2(NumSlots)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                key_valid_i,  // for one clock: the next message is H
  input  logic                key_zero_i,   // no key: zero in place of its powers
  input  logic [SlotBits-1:0] key_slot_i,   // stays until key_done_o
  output logic                key_done_o,   // for one clock: its powers are there
  input  logic                valid_i,
  input  logic [127:0]        block_i,
  input  logic [SlotBits-1:0] slot_i,
  input  logic                end_i,        // the message ends
  input  logic [KindBits-1:0] kind_i,       // with end_i: what the sum is for
  output logic                sum_valid_o,  // for one clock
  output logic [KindBits-1:0] sum_kind_o,
  output logic [127:0]        sum_o
);

  localparam int unsigned Depth = 16;  // blocks that wait
  localparam int unsigned Levels = 7;  // of the product, and of what goes into it

  typedef struct packed {
    logic                power;   // not a block: a power of a key
    logic                final_;  // among the last eight
    logic                ends;
    logic [KindBits-1:0] kind;
    logic [2:0]          lane;
  } flags_t;

  ///////////////////////////////////////////////////////////////////////////
  // Powers of a key: each is the one before it times the first one
  ///////////////////////////////////////////////////////////////////////////

  typedef enum logic [1:0] {
    StRest,
    StWrite,
    StWait    // for the product
  } state_e;

  state_e state_q;
  logic issue;
  logic
      zero_q,
      key_q,
      start_q,
      power_start,
      power_goes,
      power_ends,
      powers_end;  // key_q: H is to come
  logic [2:0] power_q;
  logic [127:0] power_block_q, product;
  flags_t flags_q[Levels];
  logic last_valid;
  flags_t last_flags;

  // By registers: this goes to many bits. While H is to come nothing else does.
  assign power_start = start_q;
  assign power_goes  = start_q | key_q;
  assign power_ends  = last_valid & last_flags.power;
  assign powers_end  = (state_q == StWrite) & (power_q == 3'd7);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StRest;
      power_q <= '0;
      key_q   <= 1'b0;
      start_q <= 1'b0;
    end else begin
      start_q <= (state_q == StWrite) & ~zero_q & ~key_q & (power_q != 3'd7);
      case (state_q)
        StRest: begin
          power_q <= '0;
          if (key_valid_i) begin
            state_q <= StWrite;
            key_q   <= ~key_zero_i;
          end
        end
        StWrite: begin
          if (powers_end) state_q <= StRest;
          else if (zero_q) power_q <= power_q + 1'b1;
          else state_q <= StWait;
        end
        default: begin
          if (power_ends) begin
            power_q <= power_q + 3'(!key_q);
            key_q   <= 1'b0;
            state_q <= StWrite;
          end
        end
      endcase
    end
  end

  // A clock later: who waits for it counts slots.
  logic done_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_q <= 1'b0;
    else done_q <= powers_end;
  end
  assign key_done_o = done_q;

  always_ff @(posedge clk_i) begin
    if (state_q == StRest) begin
      zero_q        <= key_zero_i;
      power_block_q <= {~key_zero_i, 127'd0};
    end else if (state_q == StWait) begin
      power_block_q <= product;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Blocks wait until their power is known
  ///////////////////////////////////////////////////////////////////////////

  logic out_valid, ends_valid, unused_queue_ready, unused_ends_ready, out_ends, push;
  logic [127:0] out_block;
  logic [SlotBits-1:0] out_slot;
  logic [KindBits-1:0] out_kind;
  logic [4:0] level_q, in_count_q, out_count_q, total;
  logic many_q;

  assign push = valid_i;

  aes_engine_fifo #(
    .Depth(Depth),
    .Width(128 + SlotBits + 1 + KindBits),
    .Held (1'b1)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .valid_i,
    .ready_o(unused_queue_ready),
    .data_i ({kind_i, end_i, slot_i, block_i}),
    .valid_o(out_valid),
    .ready_i(ends_valid | many_q),
    .data_o ({out_kind, out_ends, out_slot, out_block})
  );

  // Of each message that ends in the queue the number of its blocks, modulo 32.
  aes_engine_fifo #(
    .Depth(Depth),
    .Width(5),
    .Held (1'b1)
  ) u_ends (
    .clk_i,
    .rst_ni,
    .valid_i(push & end_i),
    .ready_o(unused_ends_ready),
    .data_i (in_count_q),
    .valid_o(ends_valid),
    .ready_i(issue & out_ends),
    .data_o (total)
  );

  assign issue = out_valid & (ends_valid | many_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q     <= '0;
      many_q      <= 1'b0;
      in_count_q  <= 5'd1;
      out_count_q <= 5'd1;
    end else begin
      level_q <= level_q + 5'(push) - 5'(issue);
      // Ten a clock ago are nine at least. One goes in each clock then, so there is always room.
      many_q  <= level_q >= 5'd10;
      if (push) in_count_q <= end_i ? 5'd1 : in_count_q + 1'b1;
      if (issue) out_count_q <= out_ends ? 5'd1 : out_count_q + 1'b1;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Its power comes from the RAM, the sum of its lane is added
  ///////////////////////////////////////////////////////////////////////////

  logic [3:0] young_q;  // blocks of the message so far, eight at most
  logic [2:0] lane_q;
  logic ended_1_q, first_1_q, first_2_q, first_3_q, final_1;
  logic [4:0] total_1_q, count_1_q, behind;
  logic [SlotBits-1:0] slot_1_q;
  logic [SlotBits+2:0] address_q;
  logic [127:0] block_1_q, block_2_q, block_3_q, factor_q, power, power_word_q;
  flags_t flags_1_q, flags_2_q, flags_3_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      young_q <= '0;
      lane_q  <= '0;
    end else if (issue) begin
      if (out_ends) young_q <= '0;
      else if (!young_q[3]) young_q <= young_q + 1'b1;
      lane_q <= lane_q + 1'b1;
    end
  end

  // Blocks of the message behind this one, where it has ended.
  assign behind  = total_1_q - count_1_q;
  assign final_1 = ended_1_q & (behind < 5'd8);

  always_ff @(posedge clk_i) begin
    flags_1_q.power  <= power_goes;
    flags_1_q.final_ <= 1'b0;
    flags_1_q.ends   <= out_ends;
    flags_1_q.kind   <= out_kind;
    flags_1_q.lane   <= power_goes ? 3'd0 : lane_q;
    ended_1_q        <= ends_valid;
    first_1_q        <= ~young_q[3] & ~power_start;
    total_1_q        <= total;
    count_1_q        <= out_count_q;
    slot_1_q         <= power_goes ? key_slot_i : out_slot;
    // The power before is the sum of its lane.
    block_1_q        <= out_block;
    if (power_start) block_1_q <= '0;

    flags_2_q        <= flags_1_q;
    flags_2_q.final_ <= final_1;
    first_2_q        <= first_1_q;
    block_2_q        <= block_1_q;
    address_q        <= {slot_1_q, final_1 ? behind[2:0] : 3'd7};
    if (flags_1_q.power) address_q <= {slot_1_q, 3'd0};

    flags_3_q    <= flags_2_q;
    first_3_q    <= first_2_q;
    block_3_q    <= block_2_q;
    power_word_q <= power;
  end

  aes_engine_slots #(
    .Depth(8 * NumSlots),
    .Width(128)
  ) u_powers (
    .clk_i,
    .write_i(state_q == StWrite),
    .waddr_i({key_slot_i, power_q}),
    .wdata_i(power_block_q),
    .read_i (1'b1),
    .raddr_i(address_q),
    .rdata_o(power)
  );

  (* ram_style = "distributed" *) logic [127:0] lanes[8];
  logic [127:0] lane_sum, product_reversed;
  logic [Levels+2:0] valid_q;  // of flags_1_q to flags_3_q and of flags_q

  assign lane_sum   = lanes[flags_3_q.lane];
  assign last_valid = valid_q[Levels+2];
  assign last_flags = flags_q[Levels-1];

  // The next block of the lane reads it in the clock after this one at the earliest.
  always_ff @(posedge clk_i) begin
    if (last_valid) lanes[last_flags.lane] <= product;
    factor_q   <= block_3_q ^ (lane_sum & {128{~first_3_q}});
    flags_q[0] <= flags_3_q;
    for (int unsigned i = 1; i < Levels; i++) flags_q[i] <= flags_q[i-1];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Levels+1:0], issue | power_start};
  end

  aes_engine_multiplier u_multiplier (
    .clk_i,
    .a_i      (reverse_bits(factor_q)),
    .b_i      (reverse_bits(power_word_q)),
    .product_o(product_reversed)
  );
  assign product = reverse_bits(product_reversed);

  ///////////////////////////////////////////////////////////////////////////
  // The sum of the last eight
  ///////////////////////////////////////////////////////////////////////////

  logic [127:0] sum_q;
  logic sum_valid_q;
  logic [KindBits-1:0] sum_kind_q;

  // The first of the last eight begins it.
  logic going_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sum_valid_q <= 1'b0;
      going_q     <= 1'b0;
    end else begin
      sum_valid_q <= last_valid & last_flags.ends & ~last_flags.power;
      if (last_valid && !last_flags.power) going_q <= last_flags.final_ & ~last_flags.ends;
    end
  end
  always_ff @(posedge clk_i) begin
    if (last_valid && !last_flags.power) begin
      sum_kind_q <= last_flags.kind;
      if (last_flags.final_) sum_q <= product ^ (sum_q & {128{going_q}});
    end
  end

  assign sum_valid_o = sum_valid_q;
  assign sum_kind_o  = sum_kind_q;
  assign sum_o       = sum_q;

endmodule
