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

from aesfab.engine.streams import vectors, verify
from aesfab.engine.streams.catalogue import NamedStreams
from aesfab.engine.streams.vectors import Answer
from aesfab.engine.testbench import frame, lines


def answers(named: NamedStreams) -> list[Answer]:
    """The answers that travel with an engine: one of each mode, direction and length up to 64."""
    engine = named.engine
    return verify.fitting(vectors.shipped(), engine)


def text(named: NamedStreams) -> str:
    """The testbench of a stream engine."""
    engine = named.engine
    chosen = answers(named)
    streams = engine.num_streams
    tid = engine.stream_bits
    keys, descriptors, beats = list[str](), list[str](), list[str]()
    expected, ends = list[str](), [0]
    beats_of: list[list[str]] = []
    for number, answer in enumerate(chosen):
        slot, stream = number % engine.num_slots, number % streams
        message = dataclasses.replace(answer.message, slot=slot)
        raw = answer.key[::-1].hex()
        after = max(0, number + 1 - engine.num_slots)
        keys.append(f"put_key({after}, 12'h{slot:03x}, {8 * engine.key_port_bytes}'h{raw});")
        data = message.descriptor()[::-1].hex()
        descriptors.append(f"describe({number}, {tid}'d{stream}, 144'h{data});")
        beats_of.append(
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
    for first in range(0, len(beats_of), streams):
        group = beats_of[first : first + streams]
        for at in range(max(map(len, group))):
            beats += [line[at] for line in group if at < len(line)]
    begins = [f"place[{number}] = {begin};" for number, begin in enumerate(ends[:-1])]
    total = len(expected)
    sources = sorted({answer.source.split()[0] for answer in chosen})
    what = "\n".join(f"//   {source}" for source in sources)
    return frame(
        named,
        f"{len(chosen)} official answers, from\n{what}",
        60 * total * int(engine.interval() + 1) + 200 * len(chosen) + 20000,
        state=f"""\
  integer keys = 0;      // taken
  integer messages = 0;  // whose descriptor was taken
  integer done = 0;      // beats of results
  integer n;

  // The results of all messages, where each begins, and the message that each stream is at.
  reg [144:0] want [0:{total - 1}];
  integer place [0:{len(chosen) - 1}];
  integer message [0:{streams - 1}];
  reg [144:0] wanted;
""",
        keys=keys,
        descriptors=descriptors,
        beats=beats,
        tasks="",
        results=f"""\
{lines(expected)}
{lines(begins)}
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
    end""",
        passed=f"{len(chosen)} messages",
    )


def _lanes(data: bytes) -> str:
    return data.ljust(16, b"\0")[::-1].hex()
