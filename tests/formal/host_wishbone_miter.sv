// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_bus_wishbone with a master and a device that do what they like.
//
//   same_o     in every clock, from any state: what the device takes is what the master asks in that
//              clock and is answered in the next one, with its data and its error, and nothing else
//              is answered. In standard cycles nothing is asked in the clock of an answer, for there
//              the strobe still stands; in pipelined cycles a request is taken exactly when stall is
//              low. No data stands at the port but with an answer
//   related_o  with a master within Wishbone (fair_o, which a proof takes as given), no rule of the bus
//              (aes_rules_wishbone) is broken, and the adapter is in the state that belongs to the
//              requests under way
//
// related_o holds after a reset, and where it holds in a clock it holds in the next one: so for ever.

module host_wishbone_miter #(
  parameter bit Pipelined = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cyc_i,
  input  logic        stb_i,
  input  logic        we_i,
  input  logic [7:0]  adr_i,
  input  logic [3:0]  sel_i,
  input  logic [31:0] dat_i,
  input  logic        w_ready_i,
  input  logic        w_error_i,
  input  logic        r_ready_i,
  input  logic [31:0] r_data_i,
  input  logic        r_error_i,
  output logic        fair_o,
  output logic        same_o,
  output logic        related_o
);

  logic ack, err, stall;
  logic [31:0] dat;

  aes_bus_if #(
    .AddrWidth(8),
    .DataWidth(32)
  ) access ();

  assign {access.w_ready, access.w_error} = {w_ready_i, w_error_i};
  assign {access.r_ready, access.r_error, access.r_data} = {r_ready_i, r_error_i, r_data_i};

  aes_bus_wishbone #(
    .AddrWidth(8),
    .Pipelined(Pipelined)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .wb_cyc_i  (cyc_i),
    .wb_stb_i  (stb_i),
    .wb_we_i   (we_i),
    .wb_adr_i  (adr_i),
    .wb_sel_i  (sel_i),
    .wb_dat_i  (dat_i),
    .wb_dat_o  (dat),
    .wb_ack_o  (ack),
    .wb_err_o  (err),
    .wb_stall_o(stall),
    .access
  );

  logic [3:0] broken;
  logic unfair;

  aes_rules_wishbone #(
    .AddrWidth(8),
    .Pipelined(Pipelined),
    .Patience (1)
  ) u_rules (
    .clk_i,
    .rst_ni,
    .paused_i      (access.w_valid ? ~w_ready_i : access.r_valid & ~r_ready_i),
    .cyc_i,
    .stb_i,
    .we_i,
    .adr_i,
    .sel_i,
    .dat_i,
    .ack_i         (ack),
    .err_i         (err),
    .stall_i       (stall),
    .broken_o      (broken),
    .asker_broken_o(unfair)
  );

  assign fair_o = ~unfair;

  logic asked, taken;
  assign asked = cyc_i & stb_i & (Pipelined | ~(ack | err));
  assign taken = asked & (we_i ? w_ready_i : r_ready_i);

  // What the answer must be, from the clock before.
  logic taken_q, read_q, error_q;
  logic [31:0] data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= 1'b0;
      read_q  <= 1'b0;
    end else begin
      taken_q <= taken;
      read_q  <= ~we_i;
    end
  end
  always_ff @(posedge clk_i) begin
    error_q <= we_i ? w_error_i : r_error_i;
    data_q  <= r_data_i;
  end

  always_comb begin
    same_o = access.w_valid == (asked && we_i) && access.r_valid == (asked && !we_i);
    if (access.w_valid && {access.w_addr, access.w_data, access.w_strb} !=
                              {adr_i[7:2], 2'b00, dat_i, sel_i}) begin
      same_o = 1'b0;
    end
    if (access.r_valid && {access.r_addr, access.r_strb} != {adr_i[7:2], 2'b00, sel_i}) begin
      same_o = 1'b0;
    end
    if ((ack || err) != taken_q || (ack && err)) same_o = 1'b0;
    if (!(taken_q && read_q) && dat != '0) same_o = 1'b0;
    if (taken_q && (err != error_q || (read_q && dat != data_q))) same_o = 1'b0;
    if (Pipelined && cyc_i && stb_i && stall == taken) same_o = 1'b0;
    // For pipelined masters on standard cycles: the request goes when its answer comes.
    if (!Pipelined && cyc_i && stall == (ack || err)) same_o = 1'b0;
  end

  assign related_o = broken == '0 && (Pipelined ?
      u_rules.open_q == 2'(ack | err) && u_rules.wait_q == '0 :
      u_rules.open_q == '0 && (u_rules.held_q || !(ack || err)) &&
      (u_rules.wait_q == '0 || ack || err));

endmodule
