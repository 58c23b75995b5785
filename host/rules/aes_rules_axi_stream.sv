// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The rules of AXI4-Stream (ARM IHI 0051) for what offers beats:
//
//   broken_o[0]  a beat that is not taken changes or goes away
//   broken_o[1]  a beat is offered during reset
//   broken_o[2]  tkeep is not a number of bytes from the lowest lane on, or no byte at all
//   broken_o[3]  a beat with fewer bytes than the bus has, before another one of its packet

module aes_rules_axi_stream #(
  parameter int unsigned DataWidth = 128,
  parameter int unsigned UserWidth = 1,
  parameter bit          Packed    = 1'b0  // only the last beat of a packet may have fewer bytes
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   revoked_i,  // a beat may go away in the next clock
  input  logic                   tvalid_i,
  input  logic                   tready_i,
  input  logic [DataWidth-1:0]   tdata_i,
  input  logic [DataWidth/8-1:0] tkeep_i,    // all ones where there is none
  input  logic                   tlast_i,
  input  logic [UserWidth-1:0]   tuser_i,
  output logic [3:0]             broken_o
);

  typedef struct packed {
    logic [DataWidth-1:0]   data;
    logic [DataWidth/8-1:0] keep;
    logic                   last;
    logic [UserWidth-1:0]   user;
  } beat_t;

  logic held_q;
  beat_t beat, beat_q;
  assign beat = '{data: tdata_i, keep: tkeep_i, last: tlast_i, user: tuser_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= 1'b0;
    else held_q <= tvalid_i & ~tready_i & ~revoked_i;
  end

  always_ff @(posedge clk_i) beat_q <= beat;

  assign broken_o[0] = held_q && !(tvalid_i && beat == beat_q);
  assign broken_o[1] = tvalid_i && !rst_ni;
  assign broken_o[2] = tvalid_i && (!tkeep_i[0] || (tkeep_i & (tkeep_i + 1'b1)) != '0);
  assign broken_o[3] = Packed && tvalid_i && !tlast_i && !(&tkeep_i);

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (broken_o == '0)
      else $error("aes_rules_axi_stream: broken_o is %b", broken_o);
    end
  end
`endif

endmodule
