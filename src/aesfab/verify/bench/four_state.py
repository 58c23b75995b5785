# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The four-state bench: a player of scripts in Verilog, and the record out of what it prints.

The player does in Icarus Verilog and in Yosys what ``script.cpp`` does in Verilator: the same
scripts, the same record, so ``contract.judge`` judges both. It differs in what idle inputs carry:
``x``, wherever the valid of a port is low, and on all inputs in reset. Registers are unknown at the
start. The player prints what it samples in each clock; an ``x`` in that is a failure by itself.

It is synthesisable Verilog-2005, since Yosys simulates netlists. Inputs change at the falling edge
and are sampled at the rising one, so nothing depends on the order of events at an edge.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence

from aesfab.design.design import Design
from aesfab.verify import expansion
from aesfab.verify.bench.contract import Failure
from aesfab.verify.bench.script import BlockItem, End, KeyItem, Kind, Script, gap_bits, packed_gaps

TOP = "aesfab_four_state"
"""The module around player and core; its only port is the clock, ``clk_i``."""

CLOCKED = "aesfab_four_state_clocked"
"""The module around that one, which makes the clock and ends the simulation."""

CHECK = "four-state"
"""The name of this part of a verification, in failures."""

_EVENT = struct.Struct("<IIQ16s")
_KEY_LEN = {16: 0, 24: 1, 32: 2}
_ROUND_KEYS_AT = 64  # rows of memory for the round keys of a key, a power of two

_RESET, _RUN = 1, 2  # phases of the player

# Fields of a line that the player prints, after its first letter.
_NUMBERS = ("clock", "phase", "segment", "block", "offered", "word", "key", "key_offered")
_PINS = ("in_valid", "key_valid", "last_key_word", "round_key_valid")
_OUTPUTS = ("in_ready_o", "key_ready_o", "round_key_ready_o", "out_valid_o", "out_block_o")


def files(design: Design, module: str, script: Script) -> dict[str, str]:
    """The player of a script around a core, ``player.v``, and the files that it reads, by name.

    Args:
        design: of the core.
        module: its name.
        script: what is played.
    """
    keys = [key for segment in script.segments for key in segment.keys]
    blocks = [block for segment in script.segments for block in segment.blocks]
    outside = design.round_keys_from_outside
    memories: dict[str, Sequence[_Row]] = {
        "segments": [
            (s.reset_clocks, s.end, s.end_count, s.end_delay, len(s.keys), len(s.blocks))
            for s in script.segments
        ],
        "keys": [_key_row(key) for key in keys] or [(0,) * 12],
        "blocks": [_block_row(block) for block in blocks] or [(0,) * 16],
        "round_keys": [row for key in keys if outside for row in _round_key_rows(key)] or [(0, 0)],
    }
    texts = {
        f"{name}.hex": "".join("".join(f"{word:08x}" for word in row) + "\n" for row in rows)
        for name, rows in memories.items()
    }
    return {"player.v": _player(design, module, script, memories), **texts}


_Row = tuple[int, ...]  # words of 32 bits


def _words(data: bytes, number: int) -> _Row:
    """So many 32-bit words of which the first ones hold the bytes, the first byte at the top."""
    return struct.unpack(f">{number}I", data.ljust(4 * number, b"\0"))


def _key_row(item: KeyItem) -> _Row:
    length = _KEY_LEN[len(item.key)]
    return (item.idle, item.after_blocks, length, packed_gaps(item.gaps), *_words(item.key, 8))


def _block_row(item: BlockItem) -> _Row:
    head = (item.idle, item.after_keys, int(item.decrypt), packed_gaps(item.gaps))
    return (*head, *_words(item.block, 4), *_words(item.key, 8))


def _round_key_rows(item: KeyItem) -> list[_Row]:
    """Words of the round keys of the cipher, and beside them those of its inverse."""
    plain, mixed = (expansion.round_key_words(item.key, mixed=mixed) for mixed in (False, True))
    rows: list[_Row] = list(zip(plain, mixed, strict=True))
    return rows + [(0, 0)] * (_ROUND_KEYS_AT - len(rows))


# ---------------------------------------------------------------------------- the player


def _player(
    design: Design, module: str, script: Script, memories: dict[str, Sequence[_Row]]
) -> str:
    ports = {port.name: port for port in design.ports()}
    top = "[255 -: {}]" if design.pieces == 1 else ""
    sources = {
        "clk_i": "clk_i",
        "rst_ni": "rst_n",
        "clear_i": "1'b0",
        "clearing_o": "clearing",
        "key_error_o": "key_error",
        "fault_o": "fault",
        "key_valid_i": "key_valid",
        "key_len_i": "key_len",
        "key_i": "key" + top.format(design.key_width),
        "key_word_i": "key[255 -: 32]",
        "round_key_valid_i": "round_key_valid",
        "round_key_i": "round_key" + ("[63:32]" if design.round_key_words == 1 else ""),
        "mixed_round_key_i": "mixed_round_key" + ("[63:32]" if design.round_key_words == 1 else ""),
        "in_valid_i": "in_valid",
        "in_block_i": "in_block",
        "in_word_i": "in_block[127 -: 32]",
        "in_first_i": "in_first",
        "in_byte_i": "in_block[127 -: 8]",
        "in_key_byte_i": "in_key[255 -: 8]",
        "in_decrypt_i": "in_decrypt",
        "in_key_i": "in_key" + top.format(design.key_width),
        "key_ready_o": "key_ready",
        "round_key_ready_o": "round_key_ready",
        "in_ready_o": "in_ready",
        "out_valid_o": "out_valid",
        "out_block_o": "out_block",
        "out_word_o": "out_block[127 -: 32]",
        "out_byte_o": "out_block[127 -: 8]",
    }
    connections = ",\n".join(f"    .{name}({sources[name]})" for name in ports)
    idle = [
        f"  assign {wire} = {value};"
        for port, wire, value in (
            ("key_ready_o", "key_ready", "1'b0"),
            ("round_key_ready_o", "round_key_ready", "1'b0"),
            ("out_word_o", "out_block[95:0]", "96'd0"),
            ("out_byte_o", "out_block[119:0]", "120'd0"),
        )
        if (port in ports) == port.startswith("out_")
    ]
    values = {
        "NumSegments": len(memories["segments"]),
        "NumKeys": len(memories["keys"]),
        "NumBlocks": len(memories["blocks"]),
        "NumRoundKeys": len(memories["round_keys"]),
        "RoundKeysAt": _ROUND_KEYS_AT,
        "Patience": script.patience,
        "Drain": script.drain,
        "KeyOffered": int(script.key_offered),
        "HasKeys": int("key_valid_i" in ports),
        "Pieces": design.pieces,
        "PieceBits": 8 * design.piece_bytes,
        "GapBits": gap_bits(design.pieces - 1),
        "RoundKeyWords": design.round_key_words,
        "WhenDone": int(End.WHEN_DONE),
        "AfterBlocks": int(End.AFTER_BLOCKS),
        "AfterKeys": int(End.AFTER_KEYS),
    }
    parameters = "\n".join(f"  localparam {name} = {value};" for name, value in values.items())
    return _PLAYER.format(
        top=TOP,
        clocked=CLOCKED,
        module=module,
        parameters=parameters,
        idle="\n".join(idle),
        connections=connections,
    )


# Blocks and keys are offered as in script.cpp, words of them and of round keys as in pieces.h and
# round_keys.h. What is decided at a rising edge is on the pins from the falling one on.
_PLAYER = """\
module {top} (
  input clk_i,
  output done_o
);

{parameters}

  reg [191:0] segments [0:NumSegments-1];
  reg [383:0] keys [0:NumKeys-1];
  reg [511:0] blocks [0:NumBlocks-1];
  reg [63:0] round_keys [0:NumRoundKeys-1];
  initial $readmemh("segments.hex", segments);
  initial $readmemh("keys.hex", keys);
  initial $readmemh("blocks.hex", blocks);
  initial $readmemh("round_keys.hex", round_keys);

  // Pins.
  reg rst_n, key_valid, round_key_valid, in_valid, in_decrypt, in_first;
  reg [1:0] key_len;
  reg [255:0] key, in_key;
  reg [63:0] round_key, mixed_round_key;
  reg [127:0] in_block;
  wire key_ready, round_key_ready, in_ready, out_valid;
  wire clearing, key_error, fault;
  wire [127:0] out_block;
{idle}

  {module} u_core (
{connections}
  );

  // Where the script stands.
  reg [1:0] phase;  // 0: before the first clock, 1: reset, 2: at work, 3: the end
  reg [31:0] clock, left, segment, first_key, first_block;
  reg [31:0] last_progress, last_work, end_clock;
  reg ending;
  // The block that is offered or comes next, in this segment, and the piece of it.
  reg [31:0] block, block_idle, accepted, results;
  reg block_offered;
  reg [3:0] block_piece, result_piece;
  reg [3:0] block_gap;
  // The key likewise.
  reg [31:0] next_key, key_idle, keys_begun, keys_current;
  reg key_offered, key_pending, was_ready;
  reg [2:0] key_word;
  reg [3:0] key_gap;
  // Round keys of the key that is on its way, by its number among all.
  reg [31:0] round_key_of, round_key_next, round_key_end;
  reg [31:0] round_key_gaps;
  reg [3:0] round_key_gap;
  reg [2:0] round_key_count;

  initial begin
    phase = 2'd0;
    rst_n = 1'b1;
    clock = 32'd1;
    segment = 32'd0;
    first_key = 32'd0;
    first_block = 32'd0;
  end
  assign done_o = phase == 2'd3;

  wire [191:0] the_segment = segments[segment];
  wire [31:0] end_kind = the_segment[159:128];
  wire [31:0] end_count = the_segment[127:96];
  wire [31:0] end_delay = the_segment[95:64];
  wire [31:0] num_keys = the_segment[63:32];
  wire [31:0] num_blocks = the_segment[31:0];

  // What is on the pins, and what of it is taken.
  wire [511:0] block_item = blocks[first_block + block];
  wire [383:0] key_item = keys[first_key + next_key];
  wire [31:0] block_gaps = block_item[415:384];
  wire [31:0] key_gaps = key_item[287:256];
  wire [2:0] last_word = Pieces == 4 ? 3'd3 + {{key_item[289:288], 1'b0}} : 3'd0;
  wire last_key_word = key_word == last_word;
  wire take_block = in_valid === 1'b1 && in_ready === 1'b1 && phase == 2'd2;
  wire take_key = key_valid === 1'b1 && key_ready === 1'b1 && phase == 2'd2;
  wire take_round_key = round_key_valid === 1'b1 && round_key_ready === 1'b1 && phase == 2'd2;
  wire valid = out_valid === 1'b1;

  reg ended, hangs, starts, runs, wanted;
  reg [511:0] next_block_item;
  reg [383:0] next_key_item;

  always @(posedge clk_i) begin
    starts = phase == 2'd0;
    runs = 1'b0;
    if (phase == 2'd1 || phase == 2'd2) begin
      $display("T %0d %0d %0d %0d %0d %0d %0d %0d %b %b %b %b %b %b %b %b %b",
               clock, phase, segment, block, block_offered, block_piece, next_key, key_offered,
               in_valid, key_valid, last_key_word, round_key_valid,
               in_ready, key_ready, round_key_ready, out_valid, out_block);
    end
    if (phase == 2'd1) begin
      left = left - 32'd1;
      if (left == 32'd0) begin
        phase = 2'd2;
        runs = 1'b1;
        last_progress = clock + 32'd1;
      end
    end else if (phase == 2'd2) begin
      // Outputs.
      was_ready = HasKeys && key_ready === 1'b1;
      if (was_ready && key_pending) begin
        key_pending = 1'b0;
        keys_current = keys_current + 32'd1;
        last_progress = clock;
      end
      if (valid && result_piece == Pieces - 1 && results < accepted) begin
        results = results + 32'd1;
        last_progress = clock;
      end
      result_piece = valid && result_piece != Pieces - 1 ? result_piece + 4'd1 : 4'd0;
      // The block, or a piece of it, is taken.
      if (take_block) begin
        last_progress = clock;
        if (block_piece == Pieces - 1) begin
          block_offered = 1'b0;
          accepted = accepted + 32'd1;
          block = block + 32'd1;
          block_piece = 4'd0;
          block_gap = 4'd0;
          next_block_item = blocks[first_block + block];
          if (block < num_blocks) block_idle = next_block_item[511:480];
          if (end_kind == AfterBlocks && accepted == end_count) begin
            ending = 1'b1;
            end_clock = clock + end_delay;
          end
        end else begin
          block_gap = (block_gaps >> block_piece * GapBits) & ((1 << GapBits) - 1);
          block_piece = block_piece + 4'd1;
        end
      end else if (block_offered && block_gap != 4'd0) begin
        block_gap = block_gap - 4'd1;
      end
      // The key, or a word of it, is taken.
      if (take_key && last_key_word) begin
        key_offered = 1'b0;
        key_word = 3'd0;
        key_gap = 4'd0;
        if (KeyOffered) begin
          keys_current = keys_current + 32'd1;
        end else begin
          key_pending = 1'b1;
          keys_begun = keys_begun + 32'd1;
          if (end_kind == AfterKeys && keys_begun == end_count) begin
            ending = 1'b1;
            end_clock = clock + end_delay;
          end
        end
        next_key = next_key + 32'd1;
        next_key_item = keys[first_key + next_key];
        if (next_key < num_keys) key_idle = next_key_item[383:352];
        last_progress = clock;
      end else if (take_key) begin
        key_gap = key_gaps >> {{key_word, 2'b00}};
        key_word = key_word + 3'd1;
      end else if (key_offered && key_gap != 4'd0) begin
        key_gap = key_gap - 4'd1;
      end
      if (take_round_key) begin
        round_key_next = round_key_next + RoundKeyWords;
        round_key_gap = round_key_gaps >> {{round_key_count, 2'b00}};
        round_key_count = round_key_count + 3'd1;
      end else if (round_key_gap != 4'd0) begin
        round_key_gap = round_key_gap - 4'd1;
      end
      // The end.
      wanted = block != num_blocks || results != accepted;
      if (wanted) last_work = clock;
      if (!wanted && end_kind == WhenDone && clock >= last_work + Drain) begin
        ending = 1'b1;
        end_clock = clock;
      end
      ended = ending && clock >= end_clock;
      hangs = !ended && clock > last_progress + Patience;
      if (hangs) begin
        $display("H %0d %0d", clock, segment);
        phase = 2'd3;
      end else if (ended) begin
        $display("E %0d %0d", clock, segment);
        first_key = first_key + num_keys;
        first_block = first_block + num_blocks;
        segment = segment + 32'd1;
        if (segment == NumSegments) phase = 2'd3;
        else starts = 1'b1;
      end else begin
        runs = 1'b1;
      end
    end
    if (phase != 2'd0) clock = clock + 32'd1;
    if (starts) begin
      phase = 2'd1;
      left = segments[segment] >> 160;
      ending = 1'b0;
      block = 32'd0;
      block_offered = 1'b0;
      block_piece = 4'd0;
      block_gap = 4'd0;
      accepted = 32'd0;
      results = 32'd0;
      result_piece = 4'd0;
      next_key = 32'd0;
      key_offered = 1'b0;
      key_pending = 1'b0;
      key_word = 3'd0;
      key_gap = 4'd0;
      keys_begun = 32'd0;
      keys_current = 32'd0;
      round_key_next = 32'd0;
      round_key_end = 32'd0;
      round_key_gap = 4'd0;
      next_block_item = blocks[first_block];
      block_idle = next_block_item[511:480];
      next_key_item = keys[first_key];
      key_idle = next_key_item[383:352];
    end
    // What is offered in the next clock.
    if (runs) begin
      next_block_item = blocks[first_block + block];
      if (!block_offered && block < num_blocks) begin
        if (block_idle != 32'd0) begin
          block_idle = block_idle - 32'd1;
          last_progress = clock;
        end else if (keys_current >= next_block_item[479:448]) begin
          block_offered = 1'b1;
        end
      end
      next_key_item = keys[first_key + next_key];
      if (!key_offered && next_key < num_keys) begin
        if (key_idle != 32'd0) begin
          key_idle = key_idle - 32'd1;
          last_progress = clock;
        end else if (accepted >= next_key_item[351:320]) begin
          key_offered = 1'b1;
          if (KeyOffered) begin
            keys_begun = keys_begun + 32'd1;
            if (end_kind == AfterKeys && keys_begun == end_count) begin
              ending = 1'b1;
              end_clock = clock + end_delay;
            end
          end
        end
      end
      if (RoundKeyWords != 0 && key_offered && round_key_next == round_key_end) begin
        round_key_of = first_key + next_key;
        round_key_next = 32'd0;
        round_key_end = 32'd44 + {{next_key_item[289:288], 3'd0}};
        round_key_gaps = next_key_item[287:256];
        round_key_gap = 4'd0;
        round_key_count = 3'd0;
      end
    end
  end

  // The pieces that are due.
  wire [127:0] block_rest = block_item[383:256] << block_piece * PieceBits;
  wire [255:0] in_key_rest = block_item[255:0] << block_piece * PieceBits;
  wire [255:0] key_words = key_item[255:0] << {{key_word, 5'd0}};
  wire [31:0] round_key_row = round_key_of * RoundKeysAt + round_key_next;
  wire [63:0] round_key_first = round_keys[round_key_row];
  wire [63:0] round_key_second = round_keys[round_key_row + 32'd1];
  wire offers_block = phase == 2'd2 && block_offered && block_gap == 4'd0;
  wire offers_key = phase == 2'd2 && key_offered && key_gap == 4'd0;
  wire offers_round_key = phase == 2'd2 && round_key_next < round_key_end && round_key_gap == 4'd0;

  always @(negedge clk_i) begin
    rst_n <= phase != 2'd1;
    in_valid <= phase == 2'd2 ? offers_block : 1'bx;
    in_block <= offers_block ? block_rest : 128'bx;
    in_decrypt <= offers_block && block_piece == 4'd0 ? block_item[416] : 1'bx;
    in_first <= offers_block ? block_piece == 4'd0 : 1'bx;
    in_key <= offers_block ? in_key_rest : 256'bx;
    key_valid <= phase == 2'd2 ? offers_key : 1'bx;
    key <= offers_key ? key_words : 256'bx;
    key_len <= offers_key && key_word == 3'd0 ? key_item[289:288] : 2'bx;
    round_key_valid <= phase == 2'd2 ? offers_round_key : 1'bx;
    round_key <= offers_round_key ? {{round_key_first[63:32], round_key_second[63:32]}} : 64'bx;
    mixed_round_key <= offers_round_key ? {{round_key_first[31:0], round_key_second[31:0]}} : 64'bx;
  end

endmodule

`ifndef SYNTHESIS
module {clocked};
  reg clk;
  wire done;
  initial begin
    clk = 1'b0;
    forever #5 clk = ~clk;
  end
  {top} u_four_state (.clk_i(clk), .done_o(done));
  always @(posedge clk) if (done) $finish;
endmodule
`endif
"""


# ---------------------------------------------------------------------------- the record


def record(design: Design, printed: str) -> tuple[bytes, Failure | None]:
    """The record of a run, as ``contract.judge`` reads it, and the first ``x`` at an output.

    What must be known: ``out_valid_o`` always; a result, while that is high; the readys but in
    reset. Of these, ``in_ready_o`` only once a block is offered, and from the first result on
    always, unless it follows from the direction that is offered (``Design.direction_change``). The
    record ends before the clock of the ``x``.

    Args:
        design: whose core it was.
        printed: by the player, with lines of a simulator around it.
    """
    tracer = _Tracer(design)
    events: list[bytes] = []
    for line in printed.splitlines():
        if not re.match(r"[THE] \d", line):
            continue
        events += tracer.step(line.split())
        if tracer.unknown:
            break
    return b"".join(events), tracer.unknown


class _Tracer:
    """Makes events of the lines of a player."""

    def __init__(self, design: Design) -> None:
        self.outputs = {port.name for port in design.ports() if not port.is_input}
        self.result = f"out_{design.piece}_o"
        self.unknown: Failure | None = None
        self.phase = self.segment = -1
        self.requested = self.key_requested = -1
        self.key_ready = False
        # Whether in_ready_o is known while nothing is offered: once a result has come.
        self.answered = False
        self.listens = design.direction_change > 0

    def step(self, line: list[str]) -> Iterator[bytes]:
        """The events of a line."""
        if line[0] != "T":
            kind = Kind.HANG if line[0] == "H" else Kind.SEGMENT_END
            clock, segment = map(int, line[1:3])
            # As in script.cpp: the end comes after the edge.
            return iter([_event(kind, segment, clock + (kind is Kind.SEGMENT_END))])
        numbers = dict(zip(_NUMBERS, map(int, line[1:9]), strict=True))
        pins = dict(zip(_PINS, line[9:13], strict=True))
        outputs = dict(zip(_OUTPUTS, line[13:], strict=True))
        self._look(numbers, pins, outputs)
        return iter(()) if self.unknown else self._events(numbers, pins, outputs)

    def _events(
        self, n: dict[str, int], pins: dict[str, str], outputs: dict[str, str]
    ) -> Iterator[bytes]:
        clock = n["clock"]
        if (n["phase"], n["segment"]) != (self.phase, self.segment):
            self.phase, self.segment = n["phase"], n["segment"]
            self.requested = self.key_requested = -1
            self.key_ready = False
            kind = Kind.RESET if self.phase == _RESET else Kind.RELEASE
            yield _event(kind, self.segment, clock)
        runs = self.phase == _RUN
        if runs and n["offered"] and n["block"] != self.requested:
            self.requested = n["block"]
            yield _event(Kind.REQUEST, self.requested, clock)
        if runs and n["key_offered"] and n["key"] != self.key_requested:
            self.key_requested = n["key"]
            yield _event(Kind.KEY_REQUEST, self.key_requested, clock)
        ready = outputs["key_ready_o"] == "1"
        if runs and ready != self.key_ready:
            self.key_ready = ready
            yield _event(Kind.KEY_READY, ready, clock)
        if outputs["out_valid_o"] == "1":
            self.answered = True
            yield _event(Kind.OUT, 0, clock, int(outputs["out_block_o"], 2).to_bytes(16, "big"))
        if runs and pins["in_valid"] == outputs["in_ready_o"] == "1":
            yield _event(Kind.ACCEPT, n["block"], clock, bytes([n["word"]]))
        taken = pins["key_valid"] == outputs["key_ready_o"] == pins["last_key_word"] == "1"
        if runs and taken:
            yield _event(Kind.KEY_ACCEPT, n["key"], clock)

    def _look(self, n: dict[str, int], pins: dict[str, str], outputs: dict[str, str]) -> None:
        """Look for what must not be unknown."""
        runs = n["phase"] == _RUN
        matters = {
            "in_ready_o": runs
            and (pins["in_valid"] == "1" or (self.answered and not self.listens)),
            "key_ready_o": runs,
            "round_key_ready_o": runs,
            "out_valid_o": True,
            "out_block_o": outputs["out_valid_o"] == "1",
        }
        for port, value in outputs.items():
            name = self.result if port == "out_block_o" else port
            if name in self.outputs and matters[port] and not set(value) <= {"0", "1"}:
                bits = sum(bit not in "01" for bit in value)
                text = f"{name} is unknown" + (f" in {bits} bits" if len(value) > 1 else "")
                text += "" if runs else ", in reset"
                self.unknown = Failure(CHECK, text, n["clock"])
                return


def _event(kind: Kind, index: int, clock: int, data: bytes = b"") -> bytes:
    return _EVENT.pack(kind, index, clock, data.ljust(16, b"\0"))
