// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_engine_results beside a queue. Who writes counts places by freed_o, and what comes later comes Wait
// clocks and two after its entry, to the place that was said. Behind it a queue of Places entries, from
// which any number leaves. same_o is high when entries leave in their order, each with what came later,
// none before its time, none that is not there, never more than the queue behind has places for; and when
// one that may leave does so soon. Registers of the reference are set by the reset, so it is proved for
// the clocks after one.

module engine_results_miter #(
  parameter int unsigned Depth  = 4,
  parameter int unsigned Wait   = 0,
  parameter int unsigned Places = 3
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  input  logic data_i,
  input  logic late_i,
  input  logic leaves_i,
  output logic same_o
);

  localparam int unsigned Bits = $clog2(Depth);
  localparam int unsigned Least = Wait + 5;  // clocks from an entry to its leaving
  localparam int unsigned All = Depth + 2;  // places, and two on their way out

  logic write, freed, valid, data, late, leaves, later;
  logic [Bits-1:0] place;
  logic [Bits:0] used_q;
  logic [3:0] behind_q;

  // Who writes, and the queue behind.
  assign write  = valid_i & (used_q != (Bits + 1)'(Depth));
  assign leaves = leaves_i & (behind_q != '0);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q   <= '0;
      behind_q <= '0;
    end else begin
      used_q   <= used_q + (Bits + 1)'(write) - (Bits + 1)'(freed);
      behind_q <= behind_q + 4'(valid) - 4'(leaves);
    end
  end

  // What comes later, with its place.
  logic [Wait+2:1] later_q, late_q;
  logic [Wait+2:1][Bits-1:0] place_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) later_q <= '0;
    else later_q <= {later_q[Wait+1:1], write};
  end
  always_ff @(posedge clk_i) begin
    late_q  <= {late_q[Wait+1:1], late_i};
    place_q <= {place_q[Wait+1:1], place};
  end
  assign later = later_q[Wait+2];

  aes_engine_results #(
    .Depth (Depth),
    .Width (1),
    .Wait  (Wait),
    .Late  (1),
    .Places(Places)
  ) u_results (
    .clk_i,
    .rst_ni,
    .valid_i     (write),
    .data_i,
    .place_o     (place),
    .freed_o     (freed),
    .late_valid_i(later),
    .late_place_i(place_q[Wait+2]),
    .late_i      (late_q[Wait+2]),
    .valid_o     (valid),
    .data_o      (data),
    .late_o      (late),
    .left_i      (leaves)
  );

  // The oldest entry lowest, with its age.
  typedef struct packed {
    logic [4:0] age;
    logic       data;
    logic       late;
  } entry_t;
  entry_t [All-1:0] queue_q, queue_d;
  logic [3:0] count_q, left;
  logic [2:0] idle_q;  // clocks in which an entry and a place were there, and nothing left

  assign left = count_q - 4'(valid);
  always_comb begin
    queue_d = valid ? queue_q >> $bits(entry_t) : queue_q;
    for (int unsigned i = 0; i < All; i++) begin
      if (queue_d[i].age != '1) queue_d[i].age = queue_d[i].age + 5'd1;
      if (write && left == 4'(i)) queue_d[i] = '{age: 5'd1, data: data_i, late: late_i};
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      idle_q  <= '0;
    end else begin
      count_q <= left + 4'(write);
      idle_q  <= (valid || count_q == '0 || queue_q[0].age < 5'(Least) || behind_q == 4'(Places)) ?
                 '0 : idle_q + 3'd1;
    end
  end
  always_ff @(posedge clk_i) queue_q <= queue_d;

  assign same_o = behind_q <= 4'(Places) && idle_q <= 3'd5 &&
                  (!valid || (count_q != '0 && data == queue_q[0].data && late == queue_q[0].late &&
                              queue_q[0].age >= 5'(Least)));

endmodule
