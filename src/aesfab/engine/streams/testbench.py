# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The self-checking testbench of a generated stream engine: official answers through its pins.

Each channel is a process of its own; beats of several streams alternate, and results, which come
in the order in which the core gives them, are looked up by their stream. Inputs change at the
falling edge, and what is taken in a clock is looked at shortly before the rising one, so that it
runs in Icarus Verilog (``-g2012``), Verilator (``--binary --timing``) and vendor simulators alike.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aesfab.engine.streams import verify
from aesfab.engine.streams.catalogue import NamedStreams
from aesfab.engine.streams.vectors import Answer


def answers(named: NamedStreams) -> list[Answer]:
    """The answers that travel with an engine: one of each mode, direction and length up to 64."""
    kinds: dict[tuple[object, ...], Answer] = {}
    for answer in verify.answers_of(named.engine):
        message = answer.message
        if len(message.text) <= 64 and answer.valid and answer.tag == 16:
            kind = (message.mode, message.decrypt, len(message.text))
            kinds.setdefault(kind, answer)
    return list(kinds.values())


def text(named: NamedStreams) -> str:
    """The testbench of a stream engine."""
    engine, module = named.engine, named.module
    chosen = answers(named)
    streams = engine.num_streams
    tid = engine.stream_bits
    keys, descriptors, beats = list[str](), list[str](), list[str]()
    expected, ends = list[str](), [0]
    lines: list[list[str]] = []
    for number, answer in enumerate(chosen):
        slot, stream = number % engine.num_slots, number % streams
        message = dataclasses.replace(answer.message, slot=slot)
        raw = answer.key[::-1].hex()
        after = max(0, number + 1 - engine.num_slots)
        keys.append(f"put_key({after}, 12'h{slot:03x}, {8 * engine.key_bytes}'h{raw});")
        data = message.descriptor()[::-1].hex()
        descriptors.append(f"describe({number}, {tid}'d{stream}, 144'h{data});")
        lines.append(
            [
                f"beat({number}, {tid}'d{stream}, 128'h{_lanes(piece.data)}, "
                f"16'h{piece.keep:04x}, 1'b{int(piece.last)});"
                for piece in message.beats()
            ]
        )
        out = answer.result.text
        pieces = [out[at : at + 16] for at in range(0, len(out), 16)] or [b""]
        for at, piece in enumerate(pieces):
            last = int(at == len(pieces) - 1)
            expected.append(
                f"want[{len(expected)}] = {{1'b{last}, 16'h{(1 << len(piece)) - 1:04x}, "
                f"128'h{_lanes(piece)}}};"
            )
        ends.append(len(expected))
    # Beats of messages of other streams alternate, those of a stream stay in their order.
    for first in range(0, len(lines), streams):
        group = lines[first : first + streams]
        for at in range(max(map(len, group))):
            beats += [line[at] for line in group if at < len(line)]
    begins = [f"place[{number}] = {begin};" for number, begin in enumerate(ends[:-1])]
    total = len(expected)
    clocks = 60 * total * int(engine.interval() + 1) + 200 * len(chosen) + 20000
    sources = sorted({answer.source.split()[0] for answer in chosen})
    what = "\n".join(f"//   {source}" for source in sources)
    return f"""// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Self-checking testbench of {module}: {len(chosen)} official answers, from
{what}
// With +wave it writes {module}.vcd.

module tb_{module};

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  reg key_valid = 1'b0;
  wire key_ready;
  reg [{8 * engine.key_bytes - 1}:0] key_data = 0;
  reg [11:0] key_user = 0;
  reg desc_valid = 1'b0;
  wire desc_ready;
  reg [{tid - 1}:0] desc_tid = 0;
  reg [143:0] desc_data = 0;
  reg data_valid = 1'b0;
  wire data_ready;
  reg [{tid - 1}:0] data_tid = 0;
  reg [127:0] data_data = 0;
  reg [15:0] data_keep = 0;
  reg data_last = 1'b0;
  wire out_valid;
  reg out_ready = 1'b0;
  wire [{tid - 1}:0] out_tid;
  wire [127:0] out_data;
  wire [15:0] out_keep;
  wire out_last;
  wire [5:0] out_user;

  integer errors = 0;
  integer clocks = 0;
  integer keys = 0;      // taken
  integer messages = 0;  // whose descriptor was taken
  integer done = 0;      // beats of results
  integer n;
  reg taken_key, taken_desc, taken_data, taken_out;

  // The results of all messages, where each begins, and the message that each stream is at.
  reg [144:0] want [0:{total - 1}];
  integer place [0:{len(chosen) - 1}];
  integer message [0:{streams - 1}];
  reg [144:0] wanted;

  {module} dut (
    .clk_i(clk), .rst_ni(rst_n),
    .s_key_tvalid_i(key_valid), .s_key_tready_o(key_ready),
    .s_key_tdata_i(key_data), .s_key_tuser_i(key_user),
    .s_desc_tvalid_i(desc_valid), .s_desc_tready_o(desc_ready),
    .s_desc_tid_i(desc_tid), .s_desc_tdata_i(desc_data),
    .s_data_tvalid_i(data_valid), .s_data_tready_o(data_ready), .s_data_tid_i(data_tid),
    .s_data_tdata_i(data_data), .s_data_tkeep_i(data_keep), .s_data_tlast_i(data_last),
    .m_data_tvalid_o(out_valid), .m_data_tready_i(out_ready), .m_data_tid_o(out_tid),
    .m_data_tdata_o(out_data), .m_data_tkeep_o(out_keep), .m_data_tlast_o(out_last),
    .m_data_tuser_o(out_user)
  );

  always #5 clk = ~clk;

  initial begin
    if ($test$plusargs("wave")) begin
      $dumpfile("{module}.vcd");
      $dumpvars(0, tb_{module});
    end
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

  // A key for a slot, once so many messages have been described.
  task put_key(input integer after, input [11:0] user, input [{8 * engine.key_bytes - 1}:0] key);
    begin
      while (messages < after || !rst_n) @(negedge clk);
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

  // A message, once its key is there.
  task describe(input integer number, input [{tid - 1}:0] stream, input [143:0] data);
    begin
      while (keys <= number) @(negedge clk);
      desc_valid = 1'b1;
      desc_tid = stream;
      desc_data = data;
      taken_desc = 1'b0;
      while (!taken_desc) begin
        #4 taken_desc = desc_ready;
        @(negedge clk);
      end
      messages = messages + 1;
      desc_valid = 1'b0;
    end
  endtask

  task beat(input integer number, input [{tid - 1}:0] stream, input [127:0] data,
            input [15:0] keep, input last);
    begin
      while (messages <= number) @(negedge clk);
      data_valid = 1'b1;
      data_tid = stream;
      data_data = data;
      data_keep = keep;
      data_last = last;
      taken_data = 1'b0;
      while (!taken_data) begin
        #4 taken_data = data_ready;
        @(negedge clk);
      end
      data_valid = 1'b0;
    end
  endtask

  initial begin
    while (!rst_n) @(negedge clk);
{_lines(keys)}
  end

  initial begin
    while (!rst_n) @(negedge clk);
{_lines(descriptors)}
  end

  initial begin
    while (!rst_n) @(negedge clk);
{_lines(beats)}
  end

  initial begin
{_lines(expected)}
{_lines(begins)}
    for (n = 0; n < {streams}; n = n + 1) message[n] = n;
    while (!rst_n) @(negedge clk);
    while (done < {total}) begin
      out_ready = (clocks % 3) != 0;
      #4 taken_out = out_valid && out_ready;
      if (taken_out) begin
        done = done + 1;
        if (message[out_tid] >= {len(chosen)}) begin
          $display("FAIL: stream %0d has a result too many", out_tid);
          $fatal;
        end
        wanted = want[place[message[out_tid]]];
        if ({{out_last, out_keep, out_data}} !== wanted || out_user !== {{4'd0, {{2{{out_last}}}}}})
        begin
          $display("FAIL: message %0d gives %h, keep %h, last %b, user %b", message[out_tid],
                   out_data, out_keep, out_last, out_user);
          errors = errors + 1;
        end
        place[message[out_tid]] = place[message[out_tid]] + 1;
        if (wanted[144]) message[out_tid] = message[out_tid] + {streams};
      end
      @(negedge clk);
    end
    if (errors == 0) $display("PASS: {len(chosen)} messages in %0d clocks", clocks);
    else begin
      $display("FAIL: %0d errors", errors);
      $fatal;
    end
    $finish;
  end

endmodule
"""


def _lanes(data: bytes) -> str:
    return data.ljust(16, b"\0")[::-1].hex()


def _lines(calls: Sequence[str]) -> str:
    return "\n".join(f"    {call}" for call in calls)
