// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_host_system at the port of its bus adapter, beside the register map as docs/registers.md has it,
// around a core that does what it likes within its contract (stub/aes_core.sv). In every clock, from any
// state, whatever is written and read:
//
//   errors_o   an access is answered with an error at once where the map has nothing there, where it can
//              only be read or written as a whole, and where blocks go through streams or are erased;
//              any other error is a setting that cannot be, or a block or a result that has no place
//              and will not have one by itself. An access without a byte is never an error. What cannot
//              be read reads as zero, and so do keys and commands. The bit of an error stands in ERRORS
//              in the next clock, and no bit of it goes but by a one that is written to it
//   kept_o     what is refused changes nothing: no key, setting, mark, byte of a block or level
//   waits_o    a bus that cannot wait is not made to; one that can waits only for a core that goes on
//   published_o  without guards, as published, nothing overflows or runs empty with an error, and no
//              block waits

module host_map_miter
  import aes_pkg::*;
#(
  parameter int unsigned DataWidth = 32,
  parameter bit          Guarded   = 1'b1,
  parameter bit          CanWait   = 1'b1,
  parameter bit          Stream    = 1'b0,
  parameter bit          OnTheFly  = 1'b0
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   w_valid_i,
  input  logic [13:0]            w_addr_i,
  input  logic [DataWidth-1:0]   w_data_i,
  input  logic [DataWidth/8-1:0] w_strb_i,
  input  logic                   r_valid_i,
  input  logic [13:0]            r_addr_i,
  input  logic [DataWidth/8-1:0] r_strb_i,
  input  logic                   in_valid_i,
  input  logic                   out_ready_i,
  output logic                   errors_o,
  output logic                   kept_o,
  output logic                   waits_o,
  output logic                   published_o
);

  function automatic cfg_t the_cfg();
    cfg_t cfg;
    cfg = DefaultCfg;
    if (OnTheFly) cfg.key_sched = KeysOnTheFly;
    return cfg;
  endfunction

  localparam int unsigned NumWords = DataWidth / 32;
  localparam int unsigned NumBytes = DataWidth / 8;

  aes_bus_if #(
    .AddrWidth(14),
    .DataWidth(DataWidth)
  ) access ();

  // An adapter names whole words.
  logic [13:0] w_addr, r_addr;
  assign w_addr         = w_addr_i & ~14'(NumBytes - 1);
  assign r_addr         = r_addr_i & ~14'(NumBytes - 1);
  assign access.w_valid = w_valid_i;
  assign access.w_addr  = w_addr;
  assign access.w_data  = w_data_i;
  assign access.w_strb  = w_strb_i;
  assign access.r_valid = r_valid_i;
  assign access.r_addr  = r_addr;
  assign access.r_strb  = r_strb_i;

  logic in_ready, out_valid, unused_out_last, unused_irq;
  block_t unused_out_block;
  logic [1:0] in_level, out_level;

  aes_host_system #(
    .Cfg      (the_cfg()),
    .Depth    (2),
    .Guarded  (Guarded),
    .DataWidth(DataWidth),
    .CanWait  (CanWait),
    .Stream   (Stream)
  ) u_system (
    .clk_i,
    .rst_ni,
    .access,
    .in_valid_i (in_valid_i & Stream),
    .in_ready_o (in_ready),
    .in_block_i ('0),
    .in_last_i  (1'b0),
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_block_o(unused_out_block),
    .out_last_o (unused_out_last),
    .in_level_o (in_level),
    .out_level_o(out_level),
    .irq_o      (unused_irq)
  );

  ///////////////////////////////////////////////////////////////////////////
  // The map
  ///////////////////////////////////////////////////////////////////////////

  typedef enum logic [2:0] {
    Nothing,
    ReadOnly,
    ReadWrite,
    Command,    // is written, reads as zero
    KeyWord,    // the same, byte by byte
    UpperRead,  // zero above a register that can only be read
    UpperWrite  // zero above another one
  } place_e;

  // What stands in the word of 32 bits at an address below the data window.
  function automatic place_e place(logic [12:0] addr);
    case (addr[12:2])
      11'(32'h00 >> 2), 11'(32'h08 >> 2), 11'(32'h18 >> 2), 11'(32'h28 >> 2), 11'(32'h30 >> 2),
      11'(32'h40 >> 2):
      return ReadOnly;
      11'(32'h04 >> 2), 11'(32'h0c >> 2), 11'(32'h1c >> 2), 11'(32'h2c >> 2), 11'(32'h34 >> 2),
      11'(32'h44 >> 2):
      return UpperRead;
      11'(32'h20 >> 2), 11'(32'h38 >> 2), 11'(32'h48 >> 2), 11'(32'h50 >> 2): return ReadWrite;
      11'(32'h10 >> 2): return Command;
      11'(32'h14 >> 2), 11'(32'h24 >> 2), 11'(32'h3c >> 2), 11'(32'h4c >> 2), 11'(32'h54 >> 2):
      return UpperWrite;
      default: return (addr >= 13'h80 && addr < 13'ha0) ? KeyWord : Nothing;
    endcase
  endfunction

  logic w_data, r_data, w_illegal, r_illegal, w_setting, w_sets, w_erases, w_needs, w_last, erasing;
  logic w_errors_hit, r_must_be_zero;
  logic [31:0] w_errors;
  assign w_data  = w_addr[13];
  assign r_data  = r_addr[13];
  assign erasing = u_system.erasing;

  always_comb begin
    w_illegal      = 1'b0;
    r_illegal      = 1'b0;
    w_sets         = 1'b0;
    w_erases       = 1'b0;
    w_needs        = 1'b0;
    w_errors_hit   = 1'b0;
    w_errors       = '0;
    r_must_be_zero = 1'b1;
    for (int unsigned n = 0; n < NumWords; n++) begin
      automatic place_e w_place, r_place;
      automatic logic [3:0] strb;
      w_place = place(13'(w_addr) + 13'(4 * n));
      r_place = place(13'(r_addr) + 13'(4 * n));
      strb    = w_strb_i[4*n+:4];
      if (!w_data && strb != '0) begin
        if (w_place inside {Nothing, ReadOnly, UpperRead}) w_illegal = 1'b1;
        if (w_place inside {ReadWrite, Command} && strb != '1) w_illegal = 1'b1;
        if (w_place == Command) begin
          w_sets   = w_data_i[32*n];
          w_erases = w_data_i[32*n+8] | w_data_i[32*n+9];
        end
        if (w_place == KeyWord) w_needs = 1'b1;
        if (13'(w_addr) + 13'(4 * n) == 13'h20) begin
          w_errors_hit = 1'b1;
          w_errors     = w_data_i[32*n+:32];
        end
      end
      if (!r_data && r_strb_i[4*n+:4] != '0 && r_place == Nothing) r_illegal = 1'b1;
      if (r_data || r_place inside {ReadOnly, ReadWrite}) r_must_be_zero = 1'b0;
    end
    // A command to erase is no setting.
    w_sets    = w_sets & ~w_erases;
    w_needs   = w_needs | w_sets;
    w_illegal = (w_illegal || (w_data && (Stream || erasing)) || (w_needs && erasing)) &&
                w_strb_i != '0;
    r_illegal = r_illegal || (r_data && (Stream || erasing) && r_strb_i != '0);
  end

  // The write that ends a block.
  assign w_last = w_data && w_strb_i[NumBytes-1] && 4'(w_addr) == 4'(16 - NumBytes);
  assign w_setting = (w_needs || (w_last && !u_system.keyed)) && !w_illegal;

  ///////////////////////////////////////////////////////////////////////////
  // Errors
  ///////////////////////////////////////////////////////////////////////////

  logic w_error, r_error, overflow, underflow;
  logic [3:0] said_q, errors_q;
  logic [3:0] cleared_q;
  assign w_error   = w_valid_i & access.w_ready & access.w_error;
  assign r_error   = r_valid_i & access.r_ready & access.r_error;
  assign overflow  = w_last && !w_illegal && !w_setting;
  assign underflow = r_data && r_strb_i != '0 && !r_illegal;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      said_q    <= '0;
      errors_q  <= '0;
      cleared_q <= '0;
    end else begin
      said_q <= {(w_error & w_illegal) | (r_error & r_illegal), w_error & w_setting,
                 r_error & ~r_illegal, w_error & ~w_illegal & ~w_setting};
      errors_q  <= 4'(u_system.errors_q);
      cleared_q <= (w_valid_i && access.w_ready && !access.w_error && w_errors_hit) ?
          4'(w_errors) : '0;
    end
  end

  always_comb begin
    errors_o = 4'(u_system.errors_q) == ((errors_q & ~cleared_q) | said_q);
    if (w_valid_i && w_illegal && !(access.w_ready && access.w_error)) errors_o = 1'b0;
    if (r_valid_i && r_illegal && !(access.r_ready && access.r_error)) errors_o = 1'b0;
    if (w_error && !w_illegal && !w_setting && !overflow) errors_o = 1'b0;
    if (w_error && overflow && in_level < 2'd2 && Guarded) errors_o = 1'b0;
    if (r_error && !r_illegal && !(underflow && !u_system.host_out_valid)) errors_o = 1'b0;
    if ((w_error && w_strb_i == '0) || (r_error && r_strb_i == '0)) errors_o = 1'b0;
    if (r_data && access.r_error && access.r_data != '0) errors_o = 1'b0;
    if (r_must_be_zero && access.r_data != '0) errors_o = 1'b0;
  end

  ///////////////////////////////////////////////////////////////////////////
  // What is refused changes nothing
  ///////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic [255:0] key;
    logic [127:0] bytes;
    logic [31:0]  marks;
    logic [3:0]   enable;
    logic         set;
    logic         erasing;
    logic [1:0]   in_level;
  } state_t;

  state_t state, state_q;
  logic refused_q, set_taken_q, fed_q, r_refused_q, lost_q;
  logic [1:0] out_level_q;
  assign state = '{
          key: u_system.key_q,
          bytes: u_system.bytes_q,
          marks: {u_system.in_mark_q, u_system.out_mark_q},
          enable: u_system.irq_enable_q,
          set: u_system.set_valid_q,
          erasing: erasing,
          in_level: in_level
      };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      refused_q   <= 1'b0;
      r_refused_q <= 1'b0;
    end else begin
      refused_q   <= w_error;
      r_refused_q <= r_error;
    end
  end
  always_ff @(posedge clk_i) begin
    state_q     <= state;
    out_level_q <= out_level;
    set_taken_q <= u_system.set_valid_q & u_system.set_ready;
    fed_q       <= u_system.u_host.in_pop;
    // From a state that only a fault leads to, the erasure begins by itself.
    lost_q      <= u_system.u_host.state_q > 3'd4;
  end

  logic quiet;
  assign quiet = erasing | state_q.erasing;

  always_comb begin
    kept_o = 1'b1;
    if (refused_q) begin
      if (state.key != state_q.key && !(set_taken_q && state.key == '0)) kept_o = 1'b0;
      if (state.bytes != state_q.bytes) kept_o = 1'b0;
      if (state.marks != state_q.marks || state.enable != state_q.enable) kept_o = 1'b0;
      if (state.set && !state_q.set) kept_o = 1'b0;
      if (state.erasing && !state_q.erasing && !lost_q) kept_o = 1'b0;
      // As published, the level is a number of one bit.
      if (!Stream && !quiet && ((state.in_level ^ (state_q.in_level - 2'(fed_q))) &
                                {Guarded, 1'b1}) != '0) begin
        kept_o = 1'b0;
      end
    end
    // A result that was refused to a read has not gone.
    if (r_refused_q && !Stream && !quiet && out_level < out_level_q && Guarded) kept_o = 1'b0;
  end

  ///////////////////////////////////////////////////////////////////////////
  // Waiting
  ///////////////////////////////////////////////////////////////////////////

  always_comb begin
    waits_o = 1'b1;
    if (!CanWait && !(access.w_ready && access.r_ready)) waits_o = 1'b0;
    if (w_valid_i && !access.w_ready &&
        !((w_last && u_system.moving) || (w_needs && u_system.set_moving))) begin
      waits_o = 1'b0;
    end
    if (r_valid_i && !access.r_ready && !(r_data && u_system.coming)) waits_o = 1'b0;
  end

  assign published_o = !said_q[0] && !said_q[1] && !(w_valid_i && w_data && !access.w_ready) &&
                       access.r_ready && !u_system.in_full && !u_system.out_full;

  logic unused;
  assign unused = ^{in_ready, out_valid};

endmodule
