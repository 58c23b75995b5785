# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A block of FIPS 197, Appendix B, on its way through a core of each architecture.

What is done in a clock is what ``schedule.schedule`` says; the values are those of ``rounds``. A
row whose register holds bits that FIPS 197 has no name for, such as the middle of an S-box, shows
no value. Tests compare the values with registers of the simulated RTL.
"""

from __future__ import annotations

import dataclasses
import html
import json
import re
from collections.abc import Callable

from aesfab.design import catalogue, schedule
from aesfab.design.catalogue import Named
from aesfab.folder.collateral import diagram
from book import rounds

SHOWN = {
    "iterative": "fab-iterative",
    "interleaved": "fab-interleaved",
    "pipelined": "fab-pipeline",
    "rolling": "fab-rolling",
    "narrow": "fab-narrow",
    "narrow-bytes": "fab-byte",
    "microcoded": "fab-micro",
}
"""Page to the design that it shows."""


@dataclasses.dataclass(frozen=True)
class Step:
    """A clock.

    Attributes:
        clock: its number, 0 for the one in which the block, or its first byte, is accepted.
        text: what happens.
        bytes_: number of each byte that a register takes in it, to its value.
        what: what these bytes are, in words of FIPS 197; empty without any.
    """

    clock: int
    text: str
    bytes_: dict[int, int]
    what: str


_Found = tuple[dict[int, int], str]


def _whole(state: bytes, what: str) -> _Found:
    return dict(enumerate(state)), what


def _part(state: bytes, first: int, count: int, what: str) -> _Found:
    return {at: state[at] for at in range(first, first + count)}, what


def _state_after(number: int) -> str:
    if number == 0:
        return "start of round 1"
    return "output" if number == rounds.ROUNDS else f"start of round {number + 1}"


def _readers(named: Named, trace: rounds.Trace) -> list[tuple[str, Callable[..., _Found]]]:
    """Patterns of the schedule's rows to what they leave in a register."""
    design = named.design
    sbox_levels, mix_levels = str(design.sbox_levels.value), str(design.mix_levels.value)

    def of_sub(number: str, level: str = "") -> _Found:
        if level and level != sbox_levels:
            return {}, ""
        return _whole(trace.rounds[int(number) - 1].sub, f"after SubBytes of round {number}")

    def of_end(number: str, level: str = "") -> _Found:
        if level and level != mix_levels:
            return {}, ""
        return _whole(trace.end(int(number)), _state_after(int(number)))

    def of_word(word: str, number: str) -> _Found:
        return _part(trace.end(int(number)), 4 * int(word), 4,
                     f"column {word}, {_state_after(int(number))}")  # fmt: skip

    def of_column(number: str, column: str, last: str) -> _Found:
        assert last in (number, str(rounds.ROUNDS))
        return of_word(str(int(column) - 1), number)

    def of_byte(byte: str, number: str) -> _Found:
        return _part(trace.end(int(number)), int(byte), 1,
                     f"byte {byte}, {_state_after(int(number))}")  # fmt: skip

    return [
        (r"SubBytes of round (\d+) -> ", of_sub),
        (r"^ShiftRows, \+ K(\d+)", of_end),
        (r"^input register", lambda: _whole(trace.block, "input")),
        (r"^\+ K(0)", of_end),
        (r"^SubBytes of round (\d+), level (\d+)", of_sub),
        (r"^ShiftRows, MixColumns, \+ K(\d+), level (\d+)", of_end),
        (r"^block \+ K(0) -> entry registers", of_end),
        (r"round (\d+), column (\d): (?:MixColumns, )?\+ K(\d+) -> ", of_column),
        (r"^word (\d) of the block \+ K(0) ", of_word),
        (r"^column (\d) of round \d+, \+ K(\d+) ", of_word),
        (r"byte (\d+) of (?:the block|round \d+) \+ K(\d+) -> ", of_byte),
        (r"^out_valid_o, out_block_o", lambda: _whole(trace.result, "output")),
    ]


def steps(named: Named) -> list[Step]:
    """The clocks of the block of Appendix B in a core for 128-bit keys."""
    readers = _readers(named, rounds.trace())
    found = []
    for clock, text in schedule.schedule(named.design, 128):
        state = text.partition("|")[0].strip()
        values: dict[int, int] = {}
        what = ""
        for pattern, read in readers:
            if match := re.search(pattern, state):
                values, what = read(*match.groups())
                break
        found.append(Step(int(clock), " | ".join(map(str.strip, text.split("|"))), values, what))
    return found


# ------------------------------------------------------------------------------- the page

_TEXTS = {
    "iterative": (
        "Iterative core",
        "One round stands in hardware. A block goes round in it until all rounds are done.",
    ),
    "interleaved": (
        "Interleaved core",
        "One round stands in hardware, and registers cut it. So several blocks go round in it at "
        "the same time, each in a level of its own. The page follows one of them.",
    ),
    "pipelined": (
        "Pipelined core",
        "Every round stands in hardware. A new block enters in each cycle. The page follows one.",
    ),
    "rolling": (
        "Rolling core",
        "Every round stands in hardware, with fewer S-boxes than a round needs. They are used "
        "several times for a block. Its entry registers hold the bytes in the order of ShiftRows. "
        "The page shows them in the order of FIPS 197.",
    ),
    "narrow": (
        "Narrow core",
        "A round takes several cycles, a part of the state in each. Here a part is a column of "
        "four bytes.",
    ),
    "narrow-bytes": (
        "Narrow core, 8-bit ports",
        "One S-box does everything, a byte in each cycle. Block, key and result come as bytes.",
    ),
    "microcoded": (
        "Microcoded core",
        "A program does everything with an accumulator of one byte. Memories hold the state, the "
        "round key and the S-box. The page shows a byte where its round key is added.",
    ),
}


def title(page: str) -> str:
    """The title of a page."""
    return _TEXTS[page][0]


def _grid(values: dict[int, int], fresh: set[int]) -> str:
    """The state as FIPS 197 draws it: byte 0 top left, then down the columns."""
    rows = []
    for row in range(4):
        cells = []
        for column in range(4):
            at = 4 * column + row
            kind = ' class="fresh"' if at in fresh else ""
            cells.append(f"<td{kind}>{values[at]:02x}</td>" if at in values else "<td>·</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f'<table class="state">{"".join(rows)}</table>'


def page(name: str) -> str:
    """The page of an architecture, as Markdown with HTML in it."""
    named = catalogue.CATALOGUE[SHOWN[name]]
    heading, what = _TEXTS[name]
    design = named.design
    taken = steps(named)
    held: dict[int, int] = {}
    frames, rows = [], []
    for step in taken:
        held = held | step.bytes_
        fresh = sorted(step.bytes_)
        state = [f"{held[at]:02x}" if at in held else "" for at in range(16)]
        frames.append({"text": step.text, "what": step.what, "fresh": fresh, "state": state})
        value = bytes(step.bytes_.values()).hex(" ", 4) if step.bytes_ else ""
        rows.append(
            f"| {step.clock} | {step.text.replace('|', '&#124;')} | {step.what} "
            f"| {f'`{value}`' if value else ''} |"
        )
    data = html.escape(json.dumps(frames, separators=(",", ":")))
    first = next(at for at, step in enumerate(taken) if step.bytes_)
    picture = svg(named)
    table = "\n".join(rows)
    return f"""# {heading}

{what} The design is [`{named.name}`](../designs/{named.name}.md): {design.latency()} clocks of
latency, and a block every {design.interval_number()} clocks. Below, the block of FIPS 197,
Appendix B, travels through it. A register holds the value from the end of its clock on.

<div class="travel" data-frames="{data}">
<figure class="picture">{picture}</figure>
<div class="step">
<div class="controls"><button type="button" class="md-button" data-by="-1">back</button>
<input type="range" min="0" max="{len(frames) - 1}" value="{first}" aria-label="clock">
<button type="button" class="md-button" data-by="1">on</button></div>
<p>Clock <output>{first}</output>: <span class="text">{html.escape(taken[first].text)}</span></p>
{_grid(taken[first].bytes_, set(taken[first].bytes_))}
<p class="what">{taken[first].what}</p>
</div>
</div>

Bytes stand as in FIPS 197: byte 0 on the top left, then down the columns. New bytes are marked.

## Every clock

| clock | what happens | bytes in a register | value |
|---|---|---|---|
{table}

Where no value stands, the register holds something that FIPS 197 has no name for: the middle of an
S-box, a key, or another block.
"""


def svg(named: Named) -> str:
    """The block diagram of a design, to stand in a page."""
    text = diagram.svg(schedule.diagram(named.design), f"{named.name}: block diagram")
    return inline(text)


def inline(text: str) -> str:
    """A picture of ``diagram.svg`` for a page that has a light and a dark scheme of its own.

    Its style goes, as that of the page (``docs/assets/site.css``) colours it. So do blank lines,
    which would end the HTML in Markdown.
    """
    text = re.sub(r"<\?xml.*?\?>|<!--.*?-->|<style>.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r"<desc>.*?</desc>", "", text, flags=re.DOTALL)
    text = text.replace("<svg ", '<svg class="diagram" ', 1)
    return "".join(line for line in text.splitlines() if line.strip())


def bare(text: str) -> str:
    """A picture that has its own colours, for a page."""
    text = re.sub(r"<\?xml.*?\?>|<!--.*?-->", "", text, flags=re.DOTALL)
    return "".join(line for line in text.splitlines() if line.strip())
