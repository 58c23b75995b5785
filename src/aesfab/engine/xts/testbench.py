# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The self-checking testbench of a generated sector engine: official answers through its pins.

See ``engine.testbench`` for its processes. Results leave in the order of the descriptors.
"""

from __future__ import annotations

import dataclasses

from aesfab.engine.testbench import frame, lines
from aesfab.engine.xts import vectors, verify
from aesfab.engine.xts.catalogue import NamedXts
from aesfab.engine.xts.sectors import OF_TWEAKS
from aesfab.engine.xts.vectors import Answer


def answers(named: NamedXts) -> list[Answer]:
    """The answers that travel with an engine: one of each direction, length and kind of tweak."""
    return verify.fitting(vectors.shipped(), named.engine)


def text(named: NamedXts) -> str:
    """The testbench of a sector engine."""
    engine = named.engine
    chosen = answers(named)
    keys, descriptors, beats, wanted = list[str](), list[str](), list[str](), list[str]()
    for number, answer in enumerate(chosen):
        slot = number % engine.num_slots
        after = max(0, number + 1 - engine.num_slots)
        size = engine.key_port_bytes
        for which in range(engine.keys_of_slot):
            user, key = OF_TWEAKS * which | slot, answer.keys[size * which :][:size]
            keys.append(f"put_key({after}, 12'h{user:03x}, {8 * size}'h{key[::-1].hex()});")
        sector = dataclasses.replace(answer.sector, slot=slot)
        descriptors.append(f"describe({len(keys) - 1}, 144'h{sector.descriptor()[::-1].hex()});")
        beats += [
            f"beat(128'h{_lanes(piece.data)}, 16'h{piece.keep:04x}, 1'b{int(piece.last)});"
            for piece in sector.beats()
        ]
        out = answer.result.text
        pieces = [out[at : at + 16] for at in range(0, len(out), 16)]
        for at, piece in enumerate(pieces):
            last, keep = int(at == len(pieces) - 1), (1 << len(piece)) - 1
            wanted.append(
                f"want[{len(wanted)}] = {{1'b{last}, 16'h{keep:04x}, 128'h{_lanes(piece)}}};"
            )
    total = len(wanted)
    sources = sorted({answer.source.split()[0] for answer in chosen})
    longest = max(engine.sector_clocks(3) + engine.steal_clocks, 100)
    return frame(
        named,
        f"{len(chosen)} official answers, from {', '.join(sources)}.",
        8 * longest * len(chosen) + 20000,
        state=f"""\
  integer keys = 0;     // taken
  integer sectors = 0;  // whose descriptor was taken
  integer done = 0;     // beats of results

  // The beats of all results.
  reg [144:0] want [0:{total - 1}];
""",
        keys=keys,
        descriptors=descriptors,
        beats=beats,
        tasks="",
        results=f"""\
{lines(wanted)}
    while (!rst_n) @(negedge clk);
    while (done < {total}) begin
      out_ready = (clocks % 3) != 0;
      #4 taken_out = out_valid && out_ready;
      if (taken_out) begin
        if ({{out_last, out_keep, out_data}} !== want[done] ||
            out_user !== {{4'd0, {{2{{out_last}}}}}}) begin
          $display("FAIL: beat %0d of the results is %h, keep %h, last %b, user %b", done, out_data,
                   out_keep, out_last, out_user);
          errors = errors + 1;
        end
        done = done + 1;
      end
      @(negedge clk);
    end
    out_ready = 1'b0;""",
        passed=f"{len(chosen)} sectors",
    )


def _lanes(data: bytes) -> str:
    return data.ljust(16, b"\0")[::-1].hex()
