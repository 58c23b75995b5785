// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_bus_memory_slot with a master and a device that do what they like. same_o, in every clock, from any
// state: what is written and read reaches the device in the same clock, whole; the data of a read come
// in the next clock, and in no other; and no rule of the slot (aes_rules_memory_slot) is broken.

module host_memory_slot_miter (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        write_i,
  input  logic        read_i,
  input  logic [4:0]  addr_i,
  input  logic [63:0] data_i,
  input  logic [63:0] r_data_i,
  output logic        same_o
);

  logic [63:0] data, r_data_q;
  logic [1:0] broken;
  logic read_q;

  aes_bus_if #(
    .AddrWidth(8),
    .DataWidth(64)
  ) access ();

  assign {access.w_ready, access.w_error} = 2'b10;
  assign {access.r_ready, access.r_error, access.r_data} = {2'b10, r_data_i};

  aes_bus_memory_slot #(
    .AddrWidth(8)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .slot_write_i(write_i),
    .slot_read_i (read_i),
    .slot_addr_i (addr_i),
    .slot_data_i (data_i),
    .slot_data_o (data),
    .access
  );

  aes_rules_memory_slot u_rules (
    .clk_i,
    .rst_ni,
    .read_i,
    .data_i  (data),
    .broken_o(broken)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_q <= 1'b0;
    else read_q <= read_i;
  end
  always_ff @(posedge clk_i) r_data_q <= r_data_i;

  assign same_o = broken == '0 && access.w_valid == write_i && access.r_valid == read_i &&
                  {access.w_addr, access.w_data, access.w_strb} ==
                  {addr_i, 3'b000, data_i, 8'hff} &&
                  {access.r_addr, access.r_strb} == {addr_i, 3'b000, 8'hff} &&
                  (!read_q || data == r_data_q);

endmodule
