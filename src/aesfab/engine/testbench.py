# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The self-checking testbench of a generated engine: official answers through its pins.

Each stream is a process of its own: descriptors and beats go in as fast as they are taken, keys
before them, and results are held back in some clocks. Inputs change at the falling edge, and what
is taken in a clock is looked at shortly before the rising one, so that it runs in Icarus Verilog
(``-g2012``), Verilator (``--binary --timing``) and vendor simulators alike.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from aesfab.engine import vectors
from aesfab.engine.catalogue import NamedEngine
from aesfab.engine.family import Entry
from aesfab.engine.packets import Error, Raw, Result
from aesfab.engine.vectors import Answer
from aesfab.folder.testbench import waveform

_END = "\n"


def answers(named: NamedEngine) -> list[Answer]:
    """The answers that travel with an engine: all of CTR, and of GCM one of each kind."""
    sizes = named.engine.key_bytes
    known = (*vectors.counter(), *(vectors.shipped() if named.engine.gcm else ()))
    return [answer for answer in known if len(answer.key) in sizes]


def text(named: NamedEngine) -> str:
    """The testbench of an engine."""
    engine = named.engine
    chosen = answers(named)
    keys, descriptors, beats = list[str](), list[str](), list[str]()
    results = list[str]()
    for number, answer in enumerate(chosen):
        slot = number % engine.num_slots
        packet = dataclasses.replace(answer.packet, slot=slot)
        keys.append(
            _key(engine.key_port_bytes, max(0, number + 1 - engine.num_slots), slot, answer.key)
        )
        pieces = packet.beats()
        raw = packet.descriptor(empty=not pieces)[12:32]
        descriptors.append(f"describe({number}, 160'h{raw[::-1].hex()});")
        beats += map(beat, pieces)
        results += outcome(number, packet.text, answer.result, engine.most_held is not None)
    clocks = 40 * (len(beats) + 3 * len(chosen)) * int(engine.interval() + 1) + 20000
    sources = sorted({answer.source.split()[0] for answer in chosen})
    return packets(
        named,
        f"{len(chosen)} official answers, from {', '.join(sources)}.",
        clocks,
        keys=keys,
        descriptors=descriptors,
        beats=beats,
        results=results,
        passed=f"{len(chosen)} packets",
    )


def packets(
    named: Entry[Any],
    what: str,
    clocks: int,
    *,
    keys: Sequence[str],
    descriptors: Sequence[str],
    beats: Sequence[str],
    results: Sequence[str],
    passed: str,
) -> str:
    """A testbench of packets with tags: ``frame`` with ``results``, calls of ``result``."""
    return frame(
        named,
        what,
        clocks,
        state="""\
  integer keys = 0;     // taken
  integer packets = 0;  // whose descriptor was taken
""",
        keys=keys,
        descriptors=descriptors,
        beats=beats,
        tasks=_RESULT,
        results=f"    while (!rst_n) @(negedge clk);\n{lines(results)}",
        passed=passed,
    )


_RESULT = """
  // A beat of the result of a packet; without a look at the data where any = 1.
  task result(input integer number, input any, input [127:0] data, input [15:0] keep, input last,
              input [5:0] user);
    begin
      taken_out = 1'b0;
      while (!taken_out) begin
        out_ready = (clocks % 3) != 0;
        #4 taken_out = out_valid && out_ready;
        if (taken_out && (out_keep !== keep || out_last !== last || out_user !== user ||
            (!any && out_data !== data))) begin
          $display("FAIL: packet %0d gives %h, keep %h, last %b, user %b", number, out_data,
                   out_keep, out_last, out_user);
          errors = errors + 1;
        end
        @(negedge clk);
      end
      out_ready = 1'b0;
    end
  endtask
"""


def frame(
    named: Entry[Any],
    what: str,
    clocks: int,
    *,
    state: str,
    keys: Sequence[str],
    descriptors: Sequence[str],
    beats: Sequence[str],
    tasks: str,
    results: str,
    passed: str,
) -> str:
    """A testbench of an engine: a process for each channel, and the check of the results.

    Args:
        named: the engine.
        what: what it checks with, for the header.
        clocks: after which it gives up.
        state: declarations of ``keys``, of the count of descriptors, and of the check.
        keys: calls of ``put_key``.
        descriptors: calls of ``describe``.
        beats: calls of ``beat``.
        tasks: those of the check.
        results: the process that counts ``errors``.
        passed: what passed, where there are none.
    """
    engine, module = named.engine, named.module
    key, unit = 8 * engine.key_port_bytes - 1, engine.UNIT
    tid = engine.stream_bits - 1

    def streams(text: str) -> str:
        return text if engine.stream_bits else ""

    def kinds(text: str) -> str:
        return text if engine.data_user() else ""

    stream = streams(f"input [{tid}:0] stream, ")
    return f"""// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Self-checking testbench of {module}: {what}
//
// Waveforms: +vcd=FILE.vcd; with Verilator from a program that was built with --trace.

module tb_{module};

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  reg key_valid = 1'b0;
  wire key_ready;
  reg [{key}:0] key_data = 0;
  reg [11:0] key_user = 0;
  reg desc_valid = 1'b0;
  wire desc_ready;
  reg [{engine.DESCRIPTOR_BITS - 1}:0] desc_data = 0;
  reg data_valid = 1'b0;
  wire data_ready;
  reg [127:0] data_data = 0;
  reg [15:0] data_keep = 0;
  reg data_last = 1'b0;
{kinds("  reg [1:0] data_user = 0;" + _END)}\
{streams(f"  reg [{tid}:0] desc_tid = 0;{_END}  reg [{tid}:0] data_tid = 0;{_END}")}\
  wire out_valid;
  reg out_ready = 1'b0;
{streams(f"  wire [{tid}:0] out_tid;{_END}")}\
  wire [127:0] out_data;
  wire [15:0] out_keep;
  wire out_last;
  wire [5:0] out_user;

  integer errors = 0;
  integer clocks = 0;
{state}\
  reg taken_key, taken_desc, taken_data, taken_out;

  {module} dut (
    .clk_i(clk), .rst_ni(rst_n),
    .s_key_tvalid_i(key_valid), .s_key_tready_o(key_ready),
    .s_key_tdata_i(key_data), .s_key_tuser_i(key_user),
    .s_desc_tvalid_i(desc_valid), .s_desc_tready_o(desc_ready), .s_desc_tdata_i(desc_data),
    .s_data_tvalid_i(data_valid), .s_data_tready_o(data_ready), .s_data_tdata_i(data_data),
    .s_data_tkeep_i(data_keep), .s_data_tlast_i(data_last),\
{kinds(" .s_data_tuser_i(data_user),")}
{streams("    .s_desc_tid_i(desc_tid), .s_data_tid_i(data_tid), .m_data_tid_o(out_tid)," + _END)}\
    .m_data_tvalid_o(out_valid), .m_data_tready_i(out_ready), .m_data_tdata_o(out_data),
    .m_data_tkeep_o(out_keep), .m_data_tlast_o(out_last), .m_data_tuser_o(out_user)
  );

  always #5 clk = ~clk;

  initial begin
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
  end

  always @(negedge clk) begin
    clocks = clocks + 1;
    if (clocks > {clocks}) begin
      $display("FAIL: no end after %0d clocks", clocks);
      $fatal;
    end
  end

  // A key for a slot, once so many {unit}s have been described.
  task put_key(input integer after, input [11:0] user,
               input [{key}:0] key);
    begin
      while ({unit}s < after || !rst_n) @(negedge clk);
      key_valid = 1'b1;
      key_user = user;
      key_data = key;
      taken_key = 1'b0;
      while (!taken_key) begin
        #4 taken_key = key_ready;
        @(negedge clk);
      end
      keys = keys + 1;
      key_valid = 1'b0;
    end
  endtask

  // A {unit}, once its key is there.
  task describe(input integer number, {stream}input [{engine.DESCRIPTOR_BITS - 1}:0] data);
    begin
      while (keys <= number) @(negedge clk);
      desc_valid = 1'b1;
{streams("      desc_tid = stream;" + _END)}\
      desc_data = data;
      taken_desc = 1'b0;
      while (!taken_desc) begin
        #4 taken_desc = desc_ready;
        @(negedge clk);
      end
      {unit}s = {unit}s + 1;
      desc_valid = 1'b0;
    end
  endtask

  task beat({streams("input integer number, ")}{stream}input [127:0] data, input [15:0] keep, \
input last{kinds(", input [1:0] user")});
    begin
{streams(f"      while ({unit}s <= number) @(negedge clk);{_END}")}\
      data_valid = 1'b1;
{streams("      data_tid = stream;" + _END)}\
      data_data = data;
      data_keep = keep;
      data_last = last;
{kinds("      data_user = user;" + _END)}\
      taken_data = 1'b0;
      while (!taken_data) begin
        #4 taken_data = data_ready;
        @(negedge clk);
      end
      data_valid = 1'b0;
    end
  endtask
{tasks}
  initial begin
    while (!rst_n) @(negedge clk);
{lines(keys)}
  end

  initial begin
    while (!rst_n) @(negedge clk);
{lines(descriptors)}
  end

  initial begin
    while (!rst_n) @(negedge clk);
{lines(beats)}
  end

  initial begin
{results}
    if (errors == 0) $display("PASS: {passed} in %0d clocks", clocks);
    else begin
      $display("FAIL: %0d errors", errors);
      $fatal;
    end
    $finish;
  end

{waveform(f"tb_{module}")}
endmodule
"""


def lines(calls: Sequence[str]) -> str:
    """Calls, a line each."""
    return "\n".join(f"    {call}" for call in calls)


def _key(port_bytes: int, after: int, slot: int, key: bytes) -> str:
    user = {16: 0, 24: 1, 32: 2}[len(key)] << 8 | slot
    data = key.ljust(port_bytes, b"\0")[::-1].hex()
    return f"put_key({after}, 12'h{user:03x}, {8 * port_bytes}'h{data});"


def beat(piece: Raw) -> str:
    """The call for a beat."""
    data = piece.data.ljust(16, b"\0")[::-1].hex()
    return f"beat(128'h{data}, 16'h{piece.keep:04x}, 1'b{int(piece.last)}, 2'd{piece.kind});"


def outcome(number: int, sent: bytes, result: Result, held: bool) -> Iterable[str]:
    """The beats that a packet has to give; text under a wrong tag is not known.

    Args:
        number: of the packet.
        sent: its text as it went in.
        result: what has to come out.
        held: whether text waits for its tag.
    """
    wrong = result.error is Error.TAG
    shown = sent if wrong and not held else result.text
    for at in range(0, len(shown), 16):
        piece = shown[at : at + 16]
        data = piece.ljust(16, b"\0")[::-1].hex()
        yield (
            f"result({number}, 1'b{int(wrong)}, 128'h{data}, 16'h{(1 << len(piece)) - 1:04x}, "
            "1'b0, 6'd0);"
        )
    tag = result.tag
    user = result.error << 2 | int(not wrong) << 1 | 1
    yield (
        f"result({number}, 1'b0, 128'h{tag.ljust(16, bytes(1))[::-1].hex()}, "
        f"16'h{(1 << len(tag)) - 1:04x}, 1'b1, 6'd{user});"
    )
