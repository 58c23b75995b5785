// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// The host system behind any bus: registers, data window and stream ports around aes_host.
//
//   bus write --+--( data window, collects bytes )--+--[ aes_host ]--+--( data window )-- bus read
//               |                   stream in ------+                +------ stream out
//               +--( registers, key )--- settings, erase ---^
//
// The map is aes_host_pkg, see docs/registers.md, its ports are aes_bus_if. Bytes of a block and a
// key stand in memory order: the lowest address is byte 0, in the lowest bits of a bus word.
//
// A block enters the input buffer with the write of its last byte, from whatever pieces it came, and
// leaves the output buffer with the read of its last byte.
//
// An access waits only for what comes by itself, so no program and no bus can hang: a write waits
// while the input buffer is full and the core goes on, a read while a result is on its way, a key
// while the last setting waits for blocks that go on. Everything else is refused at once, with an
// error on the bus and a bit in ERRORS. Where the bus cannot wait (CanWait = 0) every access that
// would is refused.
//
// Stream = 1 takes the data window away and opens the stream ports, which wait as long as they must.
// The marks that go with blocks (in_last_i) come out with them.
//
// Cost beside aes_host: 256 flip-flops for the key, 128 for the block that is written.

module aes_host_system
  import aes_pkg::*;
  import aes_host_pkg::*;
#(
  parameter cfg_t        Cfg       = DefaultCfg,
  parameter int unsigned Depth     = 512,         // blocks in each buffer, a power of two
  parameter bit          Guarded   = 1'b1,        // see aes_host_buffer
  parameter int unsigned DataWidth = 32,          // of the bus: 32, 64 or 128
  parameter bit          CanWait   = 1'b1,        // the bus honours *_ready
  parameter bit          Stream    = 1'b0         // blocks by the stream ports
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  aes_bus_if.device              access,

  // Streams, with Stream only
  input  logic                   in_valid_i,
  output logic                   in_ready_o,
  input  block_t                 in_block_i,   // byte 0 of FIPS 197 at the top
  input  logic                   in_last_i,
  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output block_t                 out_block_o,
  output logic                   out_last_o,

  output logic [$clog2(Depth):0] in_level_o,   // blocks that wait for the core
  output logic [$clog2(Depth):0] out_level_o,  // blocks that can be read
  output logic                   irq_o
);

  localparam int unsigned NumBytes = DataWidth / 8;
  localparam int unsigned WordBits = $clog2(NumBytes);
  localparam int unsigned NumLanes = DataWidth / 32;
  localparam int unsigned LaneBits = $clog2(NumLanes);

  if (!(DataWidth inside {32, 64, 128})) begin : gen_illegal_width
    $fatal(1, "aes_host_system: DataWidth must be 32, 64 or 128");
  end
  if ($clog2(Depth) > 15) begin : gen_illegal_depth
    $fatal(1, "aes_host_system: Depth must be 32768 or less");
  end

  ///////////////////////////////////////////////////////////////////////////
  // What the core can do
  ///////////////////////////////////////////////////////////////////////////

  localparam bit Encrypts = Cfg.dir != DirDecrypt;
  localparam bit Decrypts = Cfg.dir != DirEncrypt;
  localparam bit Key128 = Cfg.key_size == KeySize128 || Cfg.key_size == KeySizeAny;
  localparam bit Key192 = Cfg.key_size == KeySize192 || Cfg.key_size == KeySizeAny;
  localparam bit Key256 = Cfg.key_size == KeySize256 || Cfg.key_size == KeySizeAny;

  localparam info_t Info = '{
      version: InfoVersionReset,
      log2_depth: 5'($clog2(Depth)),
      encrypts: Encrypts,
      decrypts: Decrypts,
      key_128: Key128,
      key_192: Key192,
      key_256: Key256,
      guarded: Guarded,
      stream: Stream,
      default: '0
  };

  function automatic logic key_len_known(logic [1:0] key_len);
    case (key_len)
      KeyLen128: return Key128;
      KeyLen192: return Key192;
      KeyLen256: return Key256;
      default:   return 1'b0;
    endcase
  endfunction

  ///////////////////////////////////////////////////////////////////////////
  // Registers
  ///////////////////////////////////////////////////////////////////////////

  logic [255:0] key_q;
  logic set_valid_q, set_key_q, set_decrypt_q;
  logic [1:0] set_len_q;
  errors_t errors_q, errors_set;
  irq_enable_t irq_enable_q;
  logic [15:0] in_mark_q, out_mark_q;
  irq_status_t irq_status;
  status_t status;

  logic w_erases, core_reset;
  logic erase, erasing, keyed, set_ready, set_moving;
  logic host_in_valid, host_in_ready, host_out_valid, host_out_ready;
  block_t host_in_block, host_out_block;
  logic in_full, out_full, busy, moving, coming;

  ///////////////////////////////////////////////////////////////////////////
  // Writes
  ///////////////////////////////////////////////////////////////////////////

  // The block that is being written: its bytes in memory order, byte 0 lowest.
  logic [15:0][7:0] bytes_q, bytes_d;
  logic w_is_data, w_any, w_last_byte, w_push, w_refused, w_wait, w_fire;
  logic w_bad, w_needs_setting, w_bad_setting, set_accepted;
  logic r_refused_access, r_refused_underflow;
  control_t w_control;
  logic w_control_hit, w_errors_hit, w_enable_hit, w_in_mark_hit, w_out_mark_hit;
  logic [31:0] w_errors, w_enable, w_in_mark, w_out_mark;
  logic [31:0] key_byte_written;
  logic [31:0][7:0] key_bytes;  // in memory order

  assign w_is_data = access.w_addr >= DataOffset;
  assign w_any     = |access.w_strb;

  always_comb begin
    bytes_d = bytes_q;
    for (int unsigned n = 0; n < 16; n++) begin
      // Byte n of a block is byte n mod NumBytes of its word.
      if (w_is_data && access.w_strb[n%NumBytes] &&
          4'(n / NumBytes) == (access.w_addr[3:0] >> WordBits)) begin
        bytes_d[n] = access.w_data[8*(n%NumBytes)+:8];
      end
    end
  end

  assign w_last_byte = access.w_strb[NumBytes-1] &
                       ((access.w_addr[3:0] >> WordBits) == 4'(16 / NumBytes - 1));

  always_comb begin
    w_bad            = 1'b0;
    w_control        = '0;
    w_control_hit    = 1'b0;
    w_errors_hit     = 1'b0;
    w_enable_hit     = 1'b0;
    w_in_mark_hit    = 1'b0;
    w_out_mark_hit   = 1'b0;
    w_errors         = '0;
    w_enable         = '0;
    w_in_mark        = '0;
    w_out_mark       = '0;
    key_byte_written = '0;
    key_bytes        = '0;
    for (int unsigned lane = 0; lane < NumLanes; lane++) begin
      automatic logic [AddrWidth-1:0] addr;
      automatic logic [31:0] data;
      automatic logic [3:0] strb;
      automatic logic whole;
      addr  = {access.w_addr[AddrWidth-1:2+LaneBits], (2 + LaneBits)'(4 * lane)};
      data  = access.w_data[32*lane+:32];
      strb  = access.w_strb[4*lane+:4];
      whole = 1'b0;
      if (!w_is_data && strb != '0) begin
        case (addr)
          ControlOffset: begin
            w_control     = control_t'(data);
            w_control_hit = 1'b1;
            whole         = 1'b1;
          end
          ErrorsOffset: begin
            w_errors     = data;
            w_errors_hit = 1'b1;
            whole        = 1'b1;
          end
          IrqEnableOffset: begin
            w_enable     = data;
            w_enable_hit = 1'b1;
            whole        = 1'b1;
          end
          InMarkOffset: begin
            w_in_mark     = data;
            w_in_mark_hit = 1'b1;
            whole         = 1'b1;
          end
          OutMarkOffset: begin
            w_out_mark     = data;
            w_out_mark_hit = 1'b1;
            whole          = 1'b1;
          end
          // The upper halves of registers that can be written.
          ControlOffset + 14'd4, ErrorsOffset + 14'd4, IrqEnableOffset + 14'd4,
          InMarkOffset + 14'd4, OutMarkOffset + 14'd4:
          ;
          default: begin
            if (addr >= KeyOffset && addr < KeyOffset + AddrWidth'(KeyBytes)) begin
              for (int unsigned n = 0; n < 4; n++) begin
                key_byte_written[{addr[4:2], 2'(n)}] = strb[n];
                key_bytes[{addr[4:2], 2'(n)}]        = data[8*n+:8];
              end
            end else begin
              w_bad = 1'b1;
            end
          end
        endcase
        if (whole && strb != 4'b1111) w_bad = 1'b1;
      end
    end
  end

  logic unused_reserved;
  assign unused_reserved = ^{w_control, w_in_mark, w_out_mark};

  // Settings and keys wait for the setting before; the command to erase waits for nothing.
  assign w_erases        = w_control.erase | w_control.reset;
  assign w_needs_setting = (w_control_hit & w_control.set & ~w_erases) | (|key_byte_written);
  assign w_bad_setting = w_control_hit & w_control.set & ~w_erases &
      ~((w_control.decrypt ? Decrypts : Encrypts) &
        (w_control.load_key ? key_len_known(w_control.key_len) : keyed));

  assign w_push = w_is_data & w_last_byte & ~Stream;

  always_comb begin
    w_wait     = 1'b0;
    w_refused  = 1'b0;
    errors_set = '0;
    if (access.w_valid && w_any) begin
      if (w_bad || (w_is_data && (Stream || erasing)) || (w_needs_setting && erasing)) begin
        errors_set.illegal = 1'b1;
      end else if (w_bad_setting || (w_push && !keyed)) begin
        errors_set.setting = 1'b1;
      end else if (w_needs_setting && set_valid_q) begin
        w_wait             = CanWait & set_moving;
        errors_set.setting = ~w_wait;
      end else if (w_push && !host_in_ready) begin
        w_wait              = CanWait & moving;
        errors_set.overflow = ~w_wait;
      end
      w_refused = errors_set != '0;
    end
    if (access.r_valid && r_refused_underflow) errors_set.underflow = 1'b1;
    if (access.r_valid && r_refused_access) errors_set.illegal = 1'b1;
  end

  assign access.w_ready = ~w_wait;
  assign access.w_error = w_refused;
  assign w_fire         = access.w_valid & ~w_wait & ~w_refused;

  assign erase        = w_fire & w_control_hit & w_erases;
  assign core_reset   = w_fire & w_control_hit & w_control.reset;
  assign set_accepted = w_fire & w_control_hit & w_control.set & ~w_erases;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      set_valid_q  <= 1'b0;
      set_key_q     <= 1'b0;
      set_decrypt_q <= 1'b0;
      set_len_q     <= '0;
      errors_q     <= '0;
      irq_enable_q <= '0;
      in_mark_q    <= '0;
      out_mark_q   <= OutMarkBlocksReset;
    end else begin
      set_valid_q <= (set_accepted | (set_valid_q & ~set_ready)) & ~erase;
      if (set_accepted) begin
        set_key_q     <= w_control.load_key;
        set_decrypt_q <= w_control.decrypt;
        set_len_q     <= w_control.key_len;
      end
      errors_q <= (errors_q & ~((w_fire && w_errors_hit) ? errors_t'(w_errors) : '0)) | errors_set;
      if (w_fire && w_enable_hit) irq_enable_q <= irq_enable_t'(w_enable & 32'hf);
      if (w_fire && w_in_mark_hit) in_mark_q <= w_in_mark[15:0];
      if (w_fire && w_out_mark_hit) out_mark_q <= w_out_mark[15:0];
    end
  end

  // What is secret: zero after reset, after use and from the clock of the command to erase on.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_q   <= '0;
      bytes_q <= '0;
    end else if (erase) begin
      key_q   <= '0;
      bytes_q <= '0;
    end else begin
      if (set_valid_q && set_ready && set_key_q) key_q <= '0;
      for (int unsigned n = 0; n < 32; n++) begin
        if (w_fire && key_byte_written[n]) key_q[8*(31-n)+:8] <= key_bytes[n];
      end
      if (w_fire && !Stream) bytes_q <= bytes_d;
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Reads
  ///////////////////////////////////////////////////////////////////////////

  logic r_is_data, r_any, r_last_byte, r_bad, r_missing, r_wait;
  logic [15:0][7:0] out_bytes;  // in memory order
  logic [DataWidth-1:0] r_registers;

  assign r_is_data   = access.r_addr >= DataOffset;
  assign r_any       = |access.r_strb;
  assign r_last_byte = access.r_strb[NumBytes-1] &
                       ((access.r_addr[3:0] >> WordBits) == 4'(16 / NumBytes - 1));

  always_comb begin
    for (int unsigned n = 0; n < 16; n++) out_bytes[n] = get_byte(host_out_block, n);
  end

  always_comb begin
    r_bad       = 1'b0;
    r_registers = '0;
    for (int unsigned lane = 0; lane < NumLanes; lane++) begin
      automatic logic [AddrWidth-1:0] addr;
      automatic logic [31:0] data;
      automatic logic known;
      addr  = {access.r_addr[AddrWidth-1:2+LaneBits], (2 + LaneBits)'(4 * lane)};
      data  = '0;
      known = 1'b1;
      case (addr & ~14'd4)
        IdOffset:        data = IdMagicReset;
        InfoOffset:      data = Info;
        ControlOffset:   ;
        StatusOffset:    data = status;
        ErrorsOffset:    data = errors_q;
        InLevelOffset:   data = 32'(in_level_o);
        OutLevelOffset:  data = 32'(out_level_o);
        IrqEnableOffset: data = irq_enable_q;
        IrqStatusOffset: data = irq_status;
        InMarkOffset:    data = 32'(in_mark_q);
        OutMarkOffset:   data = 32'(out_mark_q);
        default:         known = addr >= KeyOffset && addr < KeyOffset + AddrWidth'(KeyBytes);
      endcase
      r_registers[32*lane+:32] = addr[2] ? '0 : data;
      if (!known && !r_is_data && access.r_strb[4*lane+:4] != '0) r_bad = 1'b1;
    end
  end

  assign r_missing           = r_is_data & r_any & ~host_out_valid & Guarded;
  assign r_wait              = r_missing & CanWait & coming & ~Stream & ~erasing;
  assign r_refused_access    = r_bad | (r_is_data & r_any & (Stream | erasing));
  assign r_refused_underflow = r_missing & ~r_wait & ~r_refused_access;

  assign access.r_ready = ~r_wait;
  assign access.r_error = r_refused_access | r_refused_underflow;

  always_comb begin
    access.r_data = r_registers;
    if (r_is_data) begin
      access.r_data = '0;
      for (int unsigned n = 0; n < 16; n++) begin
        if (4'(n / NumBytes) == (access.r_addr[3:0] >> WordBits) && !access.r_error) begin
          access.r_data[8*(n%NumBytes)+:8] = out_bytes[n];
        end
      end
    end
  end

  ///////////////////////////////////////////////////////////////////////////
  // Streams
  ///////////////////////////////////////////////////////////////////////////

  if (Stream) begin : gen_stream
    logic last_full, last_valid;
    logic [$clog2(4*Depth):0] unused_level;

    // A mark for every block in the buffers and in the core, so never full before them.
    aes_host_buffer #(
      .Depth(4 * Depth),
      .Width(1)
    ) u_last (
      .clk_i,
      .rst_ni,
      .erase_i(erasing),
      .write_i(in_valid_i & in_ready_o),
      .data_i (in_last_i),
      .full_o (last_full),
      .valid_o(last_valid),
      .read_i (out_valid_o & out_ready_i),
      .data_o (out_last_o),
      .level_o(unused_level)
    );

    assign host_in_valid  = in_valid_i;
    assign in_ready_o     = host_in_ready;
    assign host_in_block  = in_block_i;
    // A key that is being loaded is waited for before the buffers are wiped; the marks are gone by then.
    assign out_valid_o    = host_out_valid & ~erasing;
    assign host_out_ready = out_ready_i & ~erasing;
    assign out_block_o    = host_out_block;

    logic unused_stream;
    assign unused_stream = ^{last_full, last_valid, w_push, r_last_byte, bytes_q};
  end else begin : gen_window
    always_comb begin
      for (int unsigned n = 0; n < 16; n++) host_in_block[8*(15-n)+:8] = bytes_d[n];
    end
    // A setting and a block cannot be written in the same clock, so their order is that of the bus.
    assign host_in_valid  = w_fire & w_push;
    assign host_out_ready = access.r_valid & r_is_data & r_last_byte & ~r_wait & ~access.r_error;
    assign in_ready_o     = 1'b0;
    assign out_valid_o    = 1'b0;
    assign out_block_o    = '0;
    assign out_last_o     = 1'b0;

    logic unused_stream;
    assign unused_stream = ^{in_valid_i, in_block_i, in_last_i, out_ready_i};
  end

  ///////////////////////////////////////////////////////////////////////////
  // Core with its buffers
  ///////////////////////////////////////////////////////////////////////////

  aes_host #(
    .Cfg    (Cfg),
    .Depth  (Depth),
    .Guarded(Guarded)
  ) u_host (
    .clk_i,
    .rst_ni,
    .erase_i       (erase),
    .reset_i       (core_reset),
    .erasing_o     (erasing),
    .set_valid_i   (set_valid_q),
    .set_ready_o   (set_ready),
    .set_key_i     (set_key_q),
    .set_decrypt_i (set_decrypt_q),
    .set_key_len_i (set_len_q),
    .set_key_bits_i(key_q),
    .set_moving_o  (set_moving),
    .keyed_o       (keyed),
    .in_valid_i    (host_in_valid),
    .in_ready_o    (host_in_ready),
    .in_block_i    (host_in_block),
    .in_full_o     (in_full),
    .in_level_o,
    .out_valid_o   (host_out_valid),
    .out_ready_i   (host_out_ready),
    .out_block_o   (host_out_block),
    .out_full_o    (out_full),
    .out_level_o,
    .busy_o        (busy),
    .moving_o      (moving),
    .coming_o      (coming)
  );

  always_comb begin
    status           = '0;
    status.erasing   = erasing;
    status.keyed     = keyed;
    status.setting   = set_valid_q;
    status.busy      = busy;
    status.in_empty  = in_level_o == '0;
    status.in_full   = in_full;
    status.out_empty = out_level_o == '0;
    status.out_full  = out_full;
  end

  always_comb begin
    irq_status           = '0;
    irq_status.out_ready = 32'(out_level_o) >= 32'(out_mark_q);
    irq_status.in_ready  = 32'(in_level_o) <= 32'(in_mark_q) && !erasing;
    irq_status.idle      = !busy && !set_valid_q && !erasing;
    irq_status.error     = errors_q != '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) irq_o <= 1'b0;
    else irq_o <= |(irq_status & irq_enable_q);
  end

endmodule
