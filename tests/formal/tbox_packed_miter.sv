// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The four tables of aes_tbox_packed, of two register levels, beside their definition. same_o is high
// when they agree.

module tbox_packed_miter
  import aes_pkg::*;
  import aes_tbox_pkg::*;
(
  input  logic        clk_i,
  input  logic  [1:0] table_i,
  input  byte_t [1:0] byte_i,
  output logic        same_o
);

  word_t [1:0] realised, defined_q, defined_late_q;

  aes_tbox_packed #(
    .Levels  (2),
    .Selected(1'b1),
    .NumPorts(2)
  ) u_tbox (
    .clk_i,
    .rst_ni   (1'b1),
    .decrypt_i(1'b0),
    .table_i,
    .byte_i,
    .word_o   (realised)
  );

  for (genvar p = 0; p < 2; p++) begin : gen_port
    byte_t s, kept, low;
    assign s    = SboxFwdTable[byte_i[p]];
    assign kept = s & packed_kept();
    // Bits 0, 2, 6 of a state are bits 7, 1, 5 of the byte that rows 2 and 3 take too, where those
    // bits of a state are not kept.
    assign low = {kept[0], 1'b0, kept[6], 3'b000, kept[2], 1'b0};

    always_ff @(posedge clk_i) begin
      case (table_i)
        2'd0:    defined_q[p] <= {xtime(s), s, s, xtime(s) ^ s};
        2'd1:    defined_q[p] <= {kept, low, low, s & ~packed_kept()};
        default: defined_q[p] <= '0;
      endcase
      defined_late_q[p] <= defined_q[p];
    end
  end

  assign same_o = realised == defined_late_q;

endmodule
