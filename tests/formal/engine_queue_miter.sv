// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_engine_fifo in its other forms, beside a queue: with a register behind LUT RAM, behind block RAM,
// and with a short queue behind that. same_o is high when the entry that is shown is the oldest one and
// stays until it is taken, nothing is shown without one, nothing is lost, and an entry waits no longer
// than it may. related_o, when the states belong together too: all places of the queue, one behind the
// other, have the entries of the reference. It holds after a reset, and where it holds in a clock it
// holds in the next one, whatever the inputs.

module engine_queue_miter #(
  parameter int unsigned Depth  = 4,
  parameter bit          Block  = 1'b0,
  parameter bit          Spaced = 1'b1,
  parameter bit          Held   = 1'b0,
  parameter int unsigned Behind = 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  input  logic data_i,
  input  logic ready_i,
  output logic related_o,
  output logic same_o
);

  // Places in all, and clocks in which an entry may be there and not be shown.
  localparam bit Short = !Block && Depth <= 16;
  localparam int unsigned Places = (Spaced ? Depth : Short ? Depth : Depth + Behind) + 32'(Held);
  localparam int unsigned Looked = Spaced ? (Block ? 2 : 1) : Short ? 0 : 3;
  localparam int unsigned Wait = Looked + 32'(Held);
  localparam int unsigned CountBits = $clog2(Places + 1);

  logic ready, valid, write, read, data;

  aes_engine_fifo #(
    .Depth (Depth),
    .Width (1),
    .Block (Block),
    .Spaced(Spaced),
    .Held  (Held),
    .Behind(Behind)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .valid_i,
    .ready_o(ready),
    .data_i,
    .valid_o(valid),
    .ready_i,
    .data_o (data)
  );

  // Entry 0 is the oldest one.
  logic [Places-1:0] queue_q, queue_d;
  logic [CountBits-1:0] count_q, left;
  logic [2:0] hidden_q;  // clocks in which there was an entry and none was shown
  logic lost;

  assign write = valid_i & ready;
  assign read  = ready_i & valid;
  assign left  = count_q - CountBits'(read);
  assign lost  = write && left == CountBits'(Places);

  always_comb begin
    queue_d = read ? queue_q >> 1 : queue_q;
    for (int unsigned i = 0; i < Places; i++) begin
      if (write && left == CountBits'(i)) queue_d[i] = data_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q  <= '0;
      hidden_q <= '0;
    end else begin
      count_q  <= left + CountBits'(write);
      hidden_q <= (valid || count_q == '0) ? '0 : hidden_q + 3'd1;
    end
  end

  always_ff @(posedge clk_i) queue_q <= queue_d;

  // What waits stays.
  logic waits_q, data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waits_q <= 1'b0;
    else waits_q <= valid & ~ready_i;
  end
  always_ff @(posedge clk_i) data_q <= data;

  assign same_o = !lost && hidden_q <= 3'(Wait) && (ready || count_q >= CountBits'(Depth)) &&
                  (!valid || (count_q != '0 && data == queue_q[0])) &&
                  (!waits_q || (valid && data == data_q));

  // The counters of a RAM belong together.
  localparam int unsigned PtrWidth = $clog2(Depth);
  logic [PtrWidth:0] level;
  logic counters;
  assign level    = u_fifo.write_q - u_fifo.read_q;
  assign counters = level <= (PtrWidth + 1)'(Depth) &&
                    u_fifo.ready_q == (level != (PtrWidth + 1)'(Depth)) &&
                    u_fifo.write_next_q == (PtrWidth + 1)'(u_fifo.write_q + 1'b1) &&
                    u_fifo.read_next_q == (PtrWidth + 1)'(u_fifo.read_q + 1'b1);

  // In which order: a register at the output, the short queue, two registers behind block RAM, this.
  // A spaced queue has no entry in a register that is not in its RAM too.
  logic held_valid, held, first_valid, first, second_valid, second, form;
  logic [Depth-1:0] ram;  // the oldest entry lowest
  logic [Behind-1:0] short_ram;
  logic [$clog2(Behind):0] short_level;
  logic [4:1] moves;  // an entry is in this stage from the end, or in one behind it

  if (Short) begin : gen_short
    for (genvar i = 0; i < Depth; i++) begin : gen_entry
      assign ram[i] = u_fifo.gen_short.mem[PtrWidth'(u_fifo.read_q+i)];
    end
    if (Spaced) begin : gen_spaced
      assign {held_valid, held} = '0;
      assign form = u_fifo.gen_short.valid_q == (level != '0) &&
                    (!valid || (level != '0 && data == ram[0]));
    end else begin : gen_held
      assign held_valid = Held & valid;
      assign held       = data;
      assign form       = u_fifo.gen_short.valid_q == (level != '0);
    end
    assign {first_valid, first, second_valid, second, short_ram, short_level} = '0;
    assign moves = 4'(valid);
  end else begin : gen_long
    for (genvar i = 0; i < Depth; i++) begin : gen_entry
      assign ram[i] = u_fifo.gen_long.mem[PtrWidth'(u_fifo.read_q+i)];
    end
    if (Spaced) begin : gen_spaced
      assign {held_valid, held, first_valid, first, second_valid, second} = '0;
      assign {short_ram, short_level} = '0;
      assign form = (!u_fifo.gen_long.word_valid_q ||
                     (level != '0 && u_fifo.gen_long.word_q == ram[0])) &&
                    (!valid || (u_fifo.gen_long.word_valid_q && data == ram[0]));
      assign moves = 4'({u_fifo.gen_long.word_valid_q | valid, valid});
    end else begin : gen_fast
      localparam int unsigned Bits = $clog2(Behind);
      logic behind;
      for (genvar i = 0; i < Behind; i++) begin : gen_behind
        assign short_ram[i] = u_fifo.gen_long.gen_fast.u_behind.gen_short.mem[
            Bits'(u_fifo.gen_long.gen_fast.u_behind.read_q+i)];
      end
      assign short_level  = u_fifo.gen_long.gen_fast.u_behind.write_q -
                            u_fifo.gen_long.gen_fast.u_behind.read_q;
      assign held_valid   = Held & valid;
      assign held         = data;
      assign first_valid  = u_fifo.gen_long.data_valid_q;
      assign first        = u_fifo.gen_long.data_q;
      assign second_valid = u_fifo.gen_long.word_valid_q;
      assign second       = u_fifo.gen_long.word_q;
      assign behind = u_fifo.gen_long.gen_fast.u_behind.gen_short.valid_q == (short_level != '0) &&
          u_fifo.gen_long.gen_fast.u_behind.ready_q == (short_level != (Bits + 1)'(Behind)) &&
          u_fifo.gen_long.gen_fast.u_behind.write_next_q ==
              (Bits + 1)'(u_fifo.gen_long.gen_fast.u_behind.write_q + 1'b1) &&
          u_fifo.gen_long.gen_fast.u_behind.read_next_q ==
              (Bits + 1)'(u_fifo.gen_long.gen_fast.u_behind.read_q + 1'b1);
      // Each entry behind the RAM has a place in the short queue.
      assign form = behind && 8'(u_fifo.gen_long.gen_fast.room_q) + 8'(first_valid) +
          8'(second_valid) + 8'(short_level) + 8'(held_valid) == 8'(Behind);
      if (Held) begin : gen_held
        assign moves = {
          first_valid | second_valid | short_level != '0 | valid,
          first_valid | short_level != '0 | valid,
          short_level != '0 | valid,
          valid
        };
      end else begin : gen_direct
        assign moves = 4'({first_valid | second_valid | valid, first_valid | valid, valid});
      end
    end
  end

  // All entries, the oldest lowest.
  logic [Places-1:0] entries;
  logic [CountBits-1:0] number;
  always_comb begin
    entries = '0;
    number  = '0;
    if (held_valid) begin
      entries[0] = held;
      number     = CountBits'(1);
    end
    for (int unsigned i = 0; i < Behind; i++) begin
      if (32'(i) < 32'(short_level)) begin
        entries[number] = short_ram[i];
        number += 1'b1;
      end
    end
    if (first_valid) begin
      entries[number] = first;
      number += 1'b1;
    end
    if (second_valid) begin
      entries[number] = second;
      number += 1'b1;
    end
    for (int unsigned i = 0; i < Depth; i++) begin
      if (32'(i) < 32'(level)) begin
        entries[number] = ram[i];
        number += 1'b1;
      end
    end
  end

  always_comb begin
    related_o = same_o && counters && form && number == count_q && count_q <= CountBits'(Places);
    for (int unsigned i = 0; i < Places; i++) begin
      if (CountBits'(i) < count_q && entries[i] != queue_q[i]) related_o = 1'b0;
    end
    // One that is not shown yet comes nearer in each clock.
    for (int unsigned n = 1; n <= Wait; n++) begin
      if (hidden_q >= 3'(n) && !moves[Wait+1-n]) related_o = 1'b0;
    end
  end

endmodule
