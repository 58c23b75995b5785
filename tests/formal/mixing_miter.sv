// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Blocks do not mix: two copies of a core that are offered blocks in the same clocks. One of the
// blocks, any that is accepted while watch_i is high, is the same with its key in both; all others
// are free in each. Its result must be the same, in the clock of its latency, and both copies take
// blocks and give results in the same clocks.
//
// What blocks do to each other shows in every byte alike, so one free byte stands for the 16 of a
// block or a key. The proof puts wires in the place of the tables and of MixColumns, which hold no
// state and know no other block.

module mixing_miter
  import aes_pkg::*;
#(
  parameter cfg_t Cfg = DefaultCfg
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  valid_i,
  input  logic  watch_i,
  input  byte_t block_byte_i[2],
  input  byte_t key_byte_i  [2],
  output logic  same_o
);

  localparam int unsigned Latency = latency(Cfg, KeyLen128);

  logic [1:0] ready, valid;
  block_t result[2];
  logic chosen, any_chosen_q;
  logic [Latency:1] age_q;  // of the block that was chosen, a bit for each clock

  assign chosen = valid_i & ready[0] & watch_i & ~any_chosen_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      any_chosen_q <= 1'b0;
      age_q        <= '0;
    end else begin
      any_chosen_q <= any_chosen_q | chosen;
      age_q        <= {age_q[Latency-1:1], chosen};
    end
  end

  for (genvar c = 0; c < 2; c++) begin : gen_copy
    logic from, unused_key_ready, unused_round_key_ready;

    assign from = ~chosen & (c == 1);

    aes_core #(
      .Cfg(Cfg)
    ) u_core (
      .clk_i,
      .rst_ni,
      .key_valid_i      (1'b0),
      .key_ready_o      (unused_key_ready),
      .key_i            ('0),
      .key_len_i        ('0),
      .round_key_valid_i(1'b0),
      .round_key_ready_o(unused_round_key_ready),
      .in_valid_i       (valid_i),
      .in_ready_o       (ready[c]),
      .in_block_i       ({16{block_byte_i[from]}}),
      .in_decrypt_i     (1'b0),
      .in_key_i         ({{16{key_byte_i[from]}}, 128'b0}),
      .out_valid_o      (valid[c]),
      .out_block_o      (result[c])
    );
  end

  assign same_o = ready[0] == ready[1] && valid[0] == valid[1] &&
                  (!age_q[Latency] || (valid[0] && result[0] == result[1]));

endmodule
