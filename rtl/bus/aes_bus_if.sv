// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// What a bus adapter asks of the device behind it: a write and a read port, which work at the same
// time and wait in one way. An access stands with *_valid until *_ready; in that clock its error and,
// for a read, its data count.
//
//   bus --[ aes_bus_* ]-- w_valid, w_addr, w_data, w_strb --> [ device ]
//                     <-- w_ready, w_error ------------------
//                      -- r_valid, r_addr, r_strb ---------->
//                     <-- r_ready, r_data, r_error ----------
//
// The lowest address is in the lowest bits of a word. An interface and no structure, because its
// widths are those of the bus.

interface aes_bus_if #(
  parameter int unsigned AddrWidth = 14,
  parameter int unsigned DataWidth = 32
);

  typedef logic [AddrWidth-1:0] addr_t;
  typedef logic [DataWidth-1:0] data_t;
  typedef logic [DataWidth/8-1:0] strb_t;

  logic w_valid, w_ready, w_error;
  addr_t w_addr;  // in bytes, of the whole word
  data_t w_data;
  strb_t w_strb;  // bytes that are written

  logic r_valid, r_ready, r_error;
  addr_t r_addr;
  strb_t r_strb;  // bytes that are wanted
  data_t r_data;

  modport bus(
      output w_valid, w_addr, w_data, w_strb, r_valid, r_addr, r_strb,
      input w_ready, w_error, r_ready, r_data, r_error
  );

  modport device(
      input w_valid, w_addr, w_data, w_strb, r_valid, r_addr, r_strb,
      output w_ready, w_error, r_ready, r_data, r_error
  );

endinterface
