# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Timing diagrams of a core, as WaveDrom sources and as pictures of these.

A diagram is a table of every port in every clock (``Trace``), which follows from latency,
acceptance and key set-up of the design. Clocks in which nothing changes are left out of the
picture, with a gap in their place; the row on top says the number of each clock that is there.
"""

from __future__ import annotations

import dataclasses
import html
import importlib
import importlib.util
import itertools
import json
import re
from collections.abc import Mapping, Sequence

from aesfab.design.architectures.contract import Between
from aesfab.design.axes import ROUNDS_OF_KEY, Architecture, Direction, Interface
from aesfab.design.catalogue import Named
from aesfab.design.design import Design

_KEPT = 2  # clocks that stay at each side of a gap, of a core
_LEAST_GAP = 3  # a shorter stretch is drawn whole
_LETTER, _LINE = 6.2, 16  # width of a letter and height of a line of the notes
_MOST_CLOCKS = 40  # of one picture, gaps left out

Value = int | str | None
"""What a port shows in a clock: a level, the name of a value, or None for anything at all."""


@dataclasses.dataclass
class Trace:
    """The ports of a core, clock by clock.

    Attributes:
        title: what the diagram shows, in a few words.
        notes: lines below it.
        inputs: port to its value in each clock.
        outputs: the same of what the core drives.
        kept: clocks that stay at each side of a gap.
    """

    title: str
    notes: tuple[str, ...]
    inputs: dict[str, list[Value]]
    outputs: dict[str, list[Value]]
    kept: int = _KEPT

    @property
    def clocks(self) -> int:
        """Number of clocks."""
        return len(next(iter(self.inputs.values())))


def files(named: Named, module: str) -> dict[str, str]:
    """The timing diagrams of a core.

    Args:
        named: the design.
        module: name of the top module.

    Returns:
        Relative name to text: ``doc/timing-WHAT.json``, and ``doc/timing-WHAT.svg`` where the
        package ``wavedrom`` is installed.
    """
    return drawn(traces(named.design), module)


def drawn(shown: Mapping[str, Trace], module: str) -> dict[str, str]:
    """The files of diagrams by their names, see ``files``."""
    found = {}
    for what, trace in shown.items():
        source = wavedrom_source(trace, module)
        text = json.dumps(source, indent=2) + "\n"
        found[f"doc/timing-{what}.json"] = text
        if (picture := _rendered(source, trace.notes)) is not None:
            found[f"doc/timing-{what}.svg"] = picture
    return found


def pictures(shown: Mapping[str, Trace]) -> str:
    """The diagrams in a data sheet, as pictures where the folder has them (``has_pictures``)."""
    if not has_pictures():
        return "Timing diagrams are in `doc/`, as sources for WaveDrom.\n"
    return "\n".join(f"![{trace.title}](doc/timing-{what}.svg)\n" for what, trace in shown.items())


def has_pictures() -> bool:
    """Whether diagrams become pictures: where the package ``wavedrom`` is installed."""
    return importlib.util.find_spec("wavedrom") is not None


def traces(design: Design) -> dict[str, Trace]:
    """What is drawn of a design: the name of each diagram to its trace.

    ``block``, ``words`` or ``bytes`` (one block), ``back-to-back``, and with stored keys ``key``.
    """
    found = {
        design.interface.value: _one_block(design),
        "back-to-back": _back_to_back(design),
    }
    if design.stored_keys:
        found["key"] = _key(design)
    return found


# ----------------------------------------------------------------------------- the model


def _legend(design: Design) -> str:
    """What the names of values mean."""
    if design.interface is Interface.WORDS:
        return "A0 to A3: words of block A, byte 0 of FIPS 197 first; RA0 to RA3: its result."
    if design.interface is Interface.BYTES:
        return "A0 to A15: bytes of block A; KA0 to KA15: its key; RA0 to RA15: its result."
    of_key = "KA: its key; " if not design.stored_keys else ""
    return f"A: a block; {of_key}R(A): its result."


class _Core:
    """The ports of a core in each clock, for blocks that are offered as early as can be.

    Clock 0 is idle. With stored keys one is current from the beginning, and the core is set up for
    the direction of the blocks.
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        self.pieces = design.pieces
        self.latency = design.latency()
        self.accepted: list[int] = []  # clocks, of first words or bytes

    def earliest(self, start: int) -> int:
        """The first clock from ``start`` on in which a block is accepted."""
        rule = self.design.acceptance()
        clock = start
        while not (
            all(clock - before not in rule.conflicts for before in self.accepted)
            and (
                not rule.limit
                or sum(clock - before < self.latency for before in self.accepted) < rule.limit
            )
            and (not self.accepted or (clock - self.accepted[0]) % rule.period == 0)
        ):
            clock += 1
        return clock

    def ready(self, clock: int) -> bool:
        """Whether in_ready_o is high, where every block was accepted that ``accepted`` holds."""
        if self.pieces > 1:
            # High for each word or byte of a block, and low until the next one may come.
            interval = self.design.interval()
            return all(not self.pieces <= clock - before < interval for before in self.accepted)
        known = [before for before in self.accepted if before < clock]
        then = _Core(self.design)
        then.accepted = known
        in_phase = (clock - self.accepted[0]) % self.design.acceptance().period == 0
        return in_phase and then.earliest(clock) == clock


def _ports(design: Design, core: _Core, clocks: int, letters: Sequence[str]) -> Trace:
    """The trace of blocks accepted as ``core`` has it, offered one right after the other."""
    whole = core.pieces == 1
    inputs: dict[str, list[Value]] = {}
    outputs: dict[str, list[Value]] = {}
    data_in, data_out = f"in_{design.piece}_i", f"out_{design.piece}_o"
    key_in = "in_key_i" if whole else f"in_key_{design.piece}_i"
    inputs["in_valid_i"] = [0] * clocks
    if design.interface is Interface.BYTES:
        inputs["in_first_i"] = [None] * clocks
    inputs[data_in] = [None] * clocks
    if design.direction is Direction.BOTH:
        inputs["in_decrypt_i"] = [None] * clocks
    if not design.stored_keys:
        inputs[key_in] = [None] * clocks
    outputs["in_ready_o"] = [int(core.ready(clock)) for clock in range(clocks)]
    outputs["out_valid_o"] = [0] * clocks
    outputs[data_out] = [None] * clocks
    if design.between_results is Between.ZERO:
        outputs[data_out] = ["0"] * clocks
    # Of a guarded core: nothing is cleared here, and no fault is met.
    names_of_ports = {port.name for port in design.ports()}
    for name, side in (("clear_i", inputs), ("clearing_o", outputs), ("fault_o", outputs)):
        if name in names_of_ports:
            side[name] = [0] * clocks

    offer = 1
    for letter, accepted in zip(letters, core.accepted, strict=True):
        names = [letter] if whole else _piece_names(letter, core.pieces)
        for clock in range(offer, accepted + len(names)):
            inputs["in_valid_i"][clock] = 1
            inputs[data_in][clock] = names[max(0, clock - accepted)]
            if "in_first_i" in inputs:
                inputs["in_first_i"][clock] = int(clock <= accepted)
            if "in_decrypt_i" in inputs and clock <= accepted:
                inputs["in_decrypt_i"][clock] = 0
            if key_in in inputs:
                inputs[key_in][clock] = f"K{inputs[data_in][clock]}"
        offer = accepted + len(names)
        first = accepted + core.latency - (0 if whole else core.pieces)
        for at, name in enumerate(names):
            if first + at < clocks:
                outputs["out_valid_o"][first + at] = 1
                outputs[data_out][first + at] = f"R({name})" if whole else f"R{name}"
        if design.between_results is Between.HELD and whole:
            for clock in range(first, clocks):
                outputs[data_out][clock] = f"R({letter})"
    return Trace("", (), inputs, outputs)


def _piece_names(letter: str, count: int) -> list[str]:
    """A name for each piece of a block; where there are many, one for those in the middle."""
    names = [f"{letter}{n}" for n in range(count)]
    if count > 4:
        names[2:-2] = [f"{letter}2-{letter}{count - 3}"] * (count - 4)
    return names


def _bits_text(design: Design) -> str:
    return f"{design.key_width}-bit key"


def _one_block(design: Design) -> Trace:
    core = _Core(design)
    core.accepted = [1]
    trace = _ports(design, core, 1 + design.latency() + 3, "A")
    if core.pieces > 1:
        trace.title = f"One block through {8 * design.piece_bytes}-bit ports"
        last = design.latency()
        trace.notes = (
            f"{_bits_text(design)}: the first {design.piece} is accepted in clock 1.",
            f"The last {design.piece} of the result leaves in clock {last}: {last} clocks, both "
            "counted.",
            _legend(design),
        )
    else:
        trace.title = "One block"
        trace.notes = (
            f"{_bits_text(design)}: the block is accepted in clock 1.",
            f"Its result leaves {design.latency()} clocks later, in clock {1 + design.latency()}.",
            _legend(design),
        )
    return trace


def _back_to_back(design: Design) -> Trace:
    """As many blocks as show the interval."""
    core = _Core(design)
    whole = core.pieces == 1
    count = 3 if whole else 2
    if whole and design.architecture in (Architecture.INTERLEAVED, Architecture.NARROW):
        # They enter in batches: a whole one, and the first block of the next.
        count = max(count, design.blocks_in_flight + 1)
    offer = 1
    for _ in range(count):
        core.accepted.append(core.earliest(offer))
        offer = core.accepted[-1] + core.pieces
    clocks = core.accepted[-1] + design.latency() + 2
    letters = [chr(ord("A") + n) for n in range(count)]
    trace = _ports(design, core, clocks, letters)
    interval, latency = design.interval(), design.latency()
    steps = {after - before for before, after in itertools.pairwise(core.accepted)}
    plural = "s" if interval > 1 else ""
    if steps == {interval}:
        rate = f"a block every {interval} clock{plural}" if plural else "a block every clock"
    else:
        rate = f"{design.interval_number()} clock{plural} a block on average"
    trace.title = "Blocks back to back"
    trace.notes = (
        f"{_bits_text(design)}: {rate}.",
        f"A result leaves {latency} clocks after its block"
        + ("." if whole else f", from the first {design.piece} to the last, both counted."),
        _legend(design),
    )
    return trace


def _key(design: Design) -> Trace:
    """The first key after reset, and a block that waits for it."""
    words = design.interface is Interface.WORDS
    setup = design.key_setup()
    count = design.key_width // 32 if words else 1
    begin = 1 if not words else count  # clock of the last word, or of the offer
    ready = begin + setup
    clocks = ready + 4
    offered, outside = design.key_offered, design.round_keys_from_outside
    level: list[Value] = [0] * clocks
    inputs: dict[str, list[Value]] = {"key_valid_i": list(level)}
    outputs: dict[str, list[Value]] = {"key_ready_o": list(level)}
    port = "key_word_i" if words else "key_i"
    for clock in range(clocks):
        taking = begin <= clock <= ready if offered else 1 <= clock <= begin
        inputs["key_valid_i"][clock] = int(taking)
        if offered:
            # It is low until the key on the port is expanded.
            outputs["key_ready_o"][clock] = None if clock < begin else int(clock == ready)
            if clock > ready:
                outputs["key_ready_o"][clock] = None
        else:
            outputs["key_ready_o"][clock] = int(clock <= begin or clock >= ready)
    if not outside:
        row: list[Value] = [None] * clocks
        for clock in range(1, (ready if offered else begin) + 1):
            row[clock] = f"K{clock - 1}" if words else "K"
        inputs[port] = row
    if "key_len_i" in {each.name for each in design.ports()}:
        inputs["key_len_i"] = [2 if clock == 1 else None for clock in range(clocks)]
        inputs["key_len_i"] = ["2" if value == 2 else None for value in inputs["key_len_i"]]
    if outside:
        _round_keys(design, inputs, outputs, begin, clocks)
    inputs["in_valid_i"] = [0] * clocks
    if design.refuses_key_lengths:
        outputs["key_error_o"] = [0] * clocks
    outputs["in_ready_o"] = [None] * clocks
    if not words:
        for clock in range(clocks):
            inputs["in_valid_i"][clock] = int(begin < clock <= ready) if not _changes(design) else 0
            outputs["in_ready_o"][clock] = int(clock == ready) if clock <= ready else None
        if _changes(design):
            outputs["in_ready_o"] = [0 if clock < ready else None for clock in range(clocks)]
        inputs["in_block_i"] = ["A" if value else None for value in inputs["in_valid_i"]]
    else:
        del inputs["in_valid_i"], outputs["in_ready_o"]
    what = "offered" if offered else "announced" if outside else "accepted"
    whose = "its last word is" if words else "it is"
    notes = (
        f"{_bits_text(design)}: {whose} {what} in clock {begin}.",
        f"It is current {setup} clocks later, from clock {ready} on.",
    )
    return Trace("The first key after reset", notes, inputs, outputs)


def _changes(design: Design) -> bool:
    return design.direction_change > 0


def _round_keys(
    design: Design,
    inputs: dict[str, list[Value]],
    outputs: dict[str, list[Value]],
    begin: int,
    clocks: int,
) -> None:
    """Round keys from outside: their words are there as soon as the core may take them."""
    total = 4 * (ROUNDS_OF_KEY[design.key_width] + 1) // design.round_key_words
    inputs["round_key_valid_i"] = [int(begin < clock) for clock in range(clocks)]
    for name in design.round_key_ports:
        inputs[name] = [f"1 of {total}, ..." if begin < clock else None for clock in range(clocks)]
    outputs["round_key_ready_o"] = [None] * clocks


# ------------------------------------------------------------------------------ drawing


def wavedrom_source(trace: Trace, module: str) -> dict[str, object]:
    """The WaveJSON of a trace, without the clocks in which nothing changes."""
    rows = {**trace.inputs, **trace.outputs}
    # None: a gap.
    shown = _shown(rows, trace)
    if len(shown) > _MOST_CLOCKS and "in_ready_o" in rows and "in_valid_i" in rows:
        # Where no block is offered, in_ready_o may change in a gap.
        offered = rows["in_valid_i"]
        rows["in_ready_o"] = [v if offered[c] else None for c, v in enumerate(rows["in_ready_o"])]
        shown = _shown(rows, trace)

    def lane(name: str, values: list[Value]) -> dict[str, object]:
        wave, data = "", []
        before: object = object()
        for clock in shown:
            if clock is None:
                wave += "|"
                continue
            value = values[clock]
            if value == before:
                wave += "."
            elif value is None:
                wave += "x"
            elif isinstance(value, str):
                wave += "="
                data.append(value)
            else:
                wave += str(value)
            before = value
        found: dict[str, object] = {"name": name, "wave": wave}
        if data:
            found["data"] = data
        return found

    ticks = "".join(
        "|" if clock is None else "p" if at == 0 else "." for at, clock in enumerate(shown)
    )
    numbers = "".join("|" if clock is None else "=" for clock in shown)
    signal: list[object] = [
        {"name": "clock", "wave": numbers, "data": [str(c) for c in shown if c is not None]},
        {"name": "clk_i", "wave": ticks},
        ["in", *(lane(name, values) for name, values in trace.inputs.items())],
        ["out", *(lane(name, values) for name, values in trace.outputs.items())],
    ]
    return {
        "signal": signal,
        "head": {"text": f"{module}: {trace.title}"},
        "foot": {"text": " ".join(trace.notes)},
        "config": {"hscale": 1},
    }


def _shown(rows: Mapping[str, list[Value]], trace: Trace) -> list[int | None]:
    """The clocks of a trace that are drawn, with None where some are left out."""
    columns = [tuple(row[clock] for row in rows.values()) for clock in range(trace.clocks)]
    kept = trace.kept
    shown: list[int | None] = []
    start = 0
    for clock in range(1, len(columns) + 1):
        if clock < len(columns) and columns[clock] == columns[start]:
            continue
        stretch = list(range(start, clock))
        if len(stretch) >= 2 * kept + _LEAST_GAP:
            shown += [*stretch[:kept], None, *stretch[-kept:]]
        else:
            shown += stretch
        start = clock
    return shown


def _rendered(source: dict[str, object], notes: Sequence[str]) -> str | None:
    """The picture of a WaveJSON on white, None where the package ``wavedrom`` is missing.

    It sets the text below a diagram in one line, which a narrow one has no room for; so the notes
    are set here, a line each.
    """
    if not has_pictures():
        return None
    wavedrom = importlib.import_module("wavedrom")
    drawn = {name: value for name, value in source.items() if name != "foot"}
    text: str = wavedrom.render(json.dumps(drawn)).tostring()
    root = re.search(r"<svg\b[^>]*>", text)
    assert root is not None
    size = {name: float(_attribute(root[0], name)) for name in ("width", "height")}
    width = max(size["width"], 24 + _LETTER * max(map(len, notes)))
    height = size["height"] + _LINE * len(notes) + 8
    opening = re.sub(r'\s(viewBox|width|height)="[^"]*"', "", root[0])[:-1]
    opening += f' width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">'
    # A page may be dark.
    opening += f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>'
    lines = "".join(
        f'<text x="12" y="{size["height"] + _LINE * (at + 1):g}" font-family="Helvetica, Arial, '
        f'sans-serif" font-size="11" fill="#000">{html.escape(note)}</text>'
        for at, note in enumerate(notes)
    )
    body = text[root.end() :].replace("</svg>", "")
    return f"{text[: root.start()]}{opening}{body}{lines}</svg>\n"


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf'\s{name}="([\d.]+)', tag)
    assert found is not None
    return found[1]
