# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The block diagram of a core as a picture: the text drawing of ``schedule`` with lines and boxes.

Every character of the text has its place in the picture. What the characters mean:

``[ ... ]`` is a box, ``|R|`` a register, ``(+ ...)`` an addition; ``-`` and ``|`` are wires, ``+``
is where they meet, ``v`` and ``^`` are arrows. All the rest is text.
"""

from __future__ import annotations

import dataclasses
import html
import re

from aesfab.design import schedule
from aesfab.design.catalogue import Named

_W, _H = 8.4, 20.0  # of a character, in pixels
_MARGIN = 16.0
_TITLE = 30.0

_STYLE = """\
.page { fill: #ffffff; }
.wire { stroke: #30363d; stroke-width: 1.5; fill: none; }
.head { fill: #30363d; }
.box { fill: #eef2f7; stroke: #30363d; stroke-width: 1.2; }
.register { fill: #ffd8a8; stroke: #30363d; stroke-width: 1.2; }
.add { fill: #d3f0dc; stroke: #30363d; stroke-width: 1.2; }
text { fill: #1f2328; font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
text { font-size: 14px; white-space: pre; }
@media (prefers-color-scheme: dark) {
  .page { fill: #0d1117; }
  .wire { stroke: #c9d1d9; }
  .head { fill: #c9d1d9; }
  .box { fill: #1c2430; stroke: #c9d1d9; }
  .register { fill: #6b4413; stroke: #c9d1d9; }
  .add { fill: #1d4a2b; stroke: #c9d1d9; }
  text { fill: #e6edf3; }
}
"""


def files(named: Named, module: str) -> dict[str, str]:
    """The block diagram of a core.

    Args:
        named: the design.
        module: name of the top module.

    Returns:
        ``doc/block-diagram.svg`` to its text.
    """
    text = schedule.diagram(named.design)
    return {"doc/block-diagram.svg": svg(text, f"{module}: block diagram")}


def svg(text: str, title: str) -> str:
    """A drawing of ``schedule.diagram`` as SVG, for light and dark pages."""
    drawing = _Drawing(text)
    width = 2 * _MARGIN + _W * max(drawing.width, len(title))
    height = 2 * _MARGIN + _TITLE + _H * len(drawing.lines)
    shapes = "\n".join(drawing.shapes())
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<!-- Copyright AESFab contributors. -->
<!-- SPDX-License-Identifier: Apache-2.0 -->
<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" \
viewBox="0 0 {width:g} {height:g}" role="img">
<title>{html.escape(title)}</title>
<desc>
{html.escape(text)}
</desc>
<style>
{_STYLE}</style>
<rect class="page" width="{width:g}" height="{height:g}"/>
<text x="{_MARGIN:g}" y="{_MARGIN + 10:g}">{html.escape(title)}</text>
{shapes}
</svg>
"""


@dataclasses.dataclass(frozen=True)
class _Part:
    """A box, a register or an addition: its kind, its line, and its columns from first to last."""

    kind: str
    line: int
    first: int
    last: int
    label: str


_REGISTER = re.compile(r"\|(?=((?:[RPK]\d*|R, else 0))\|)")
_ADD = re.compile(r"\(\+[^()]*\)")
_BOX = re.compile(r"\[([^\[\]]*)\]")
_NODES = "+|^v"


class _Drawing:
    """A text drawing, and what each of its characters belongs to.

    Attributes:
        lines: of the text.
        width: characters of the longest one.
        parts: boxes, registers and additions.
        wires: characters that are drawn as wires, by line and column.
    """

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.width = max(map(len, self.lines))
        self.parts: list[_Part] = []
        # Characters that are drawn as something else than letters.
        self.taken: set[tuple[int, int]] = set()
        for at, line in enumerate(self.lines):
            for found in _REGISTER.finditer(line):
                last = found.start() + len(found[1]) + 1
                self._part("register", at, found.start(), last, found[1])
            for found in _ADD.finditer(line):
                self._part("add", at, found.start(), found.end() - 1, found[0][1:-1])
        for at, line in enumerate(self.lines):
            for found in _BOX.finditer(line):
                # Its text is text, with registers in it.
                self.parts.append(_Part("box", at, found.start(), found.end() - 1, ""))
                self.taken |= {(at, found.start()), (at, found.end() - 1)}
        self.wires = {
            (at, column)
            for at, line in enumerate(self.lines)
            for column in range(len(line))
            if (at, column) not in self.taken and self._is_wire(at, column)
        }

    def _part(self, kind: str, line: int, first: int, last: int, label: str) -> None:
        self.parts.append(_Part(kind, line, first, last, label))
        self.taken |= {(line, column) for column in range(first, last + 1)}

    def _at(self, line: int, column: int) -> str:
        """A character, a blank where there is none."""
        inside = 0 <= line < len(self.lines) and 0 <= column < len(self.lines[line])
        return self.lines[line][column] if inside else " "

    def _inside(self, line: int, column: int) -> bool:
        """Whether a place is in the text of a box."""
        return any(
            part.kind == "box" and part.line == line and part.first < column < part.last
            for part in self.parts
        )

    def _is_wire(self, line: int, column: int) -> bool:
        character = self._at(line, column)
        left, right = self._at(line, column - 1), self._at(line, column + 1)
        if self._inside(line, column):
            # Two registers of a box may have a wire between them.
            return character == "-" and (line, column - 1) in self.taken and right == "|"
        if character == "-":
            # A hyphen of a word has letters around it.
            return not ((left.isalnum() or left == "^") and (right.isalnum()))
        if character in "v^":
            return left in " |" and right in " |" and self._joins(line, column)
        return character in "+|" and not (left.isalnum() and right.isalnum())

    def _joins(self, line: int, column: int) -> bool:
        return "|" in (self._at(line - 1, column), self._at(line + 1, column)) or "+" in (
            self._at(line - 1, column),
            self._at(line + 1, column),
        )

    # ------------------------------------------------------------------------- shapes

    def shapes(self) -> list[str]:
        """The elements of the picture, wires first: boxes stand on their ends."""
        found = [shape for place in sorted(self.wires) for shape in self._wire(*place)]
        boxes = [part for part in self.parts if part.kind == "box"]
        found += [self._box(*stack) for stack in _stacks(boxes)]
        for part in self.parts:
            if part.kind != "box":
                found += self._token(part)
        for at in range(len(self.lines)):
            found += self._texts(at)
        return found

    def _wire(self, line: int, column: int) -> list[str]:
        character = self._at(line, column)
        left, top = _x(column), _y(line)
        middle, centre = left + _W / 2, top + _H / 2
        if character == "-":
            # Parts begin within their first character.
            start = left - 4 * ((line, column - 1) in self.taken)
            end = left + _W + 4 * ((line, column + 1) in self.taken)
            return [_path(start, centre, end, centre)]
        found = []
        across = [self._meets(line, column + step) for step in (-1, 1)]
        if character == "|":
            found.append(_path(middle, top, middle, top + _H))
            found += [_path(middle, top - 4, middle, top)] * self._part_at(line - 1, column)
            found += [_path(middle, top + _H, middle, top + _H + 4)] * self._part_at(
                line + 1, column
            )
            if all(across):
                # A wire that crosses another one.
                found.append(_path(left, centre, left + _W, centre))
            return found
        if character in "v^":
            tip, tail = (top + _H + 1, top) if character == "v" else (top - 1, top + _H)
            back = tip - 7 if character == "v" else tip + 7
            found.append(_path(middle, tail, middle, back))
            points = f"{middle:g},{tip:g} {middle - 4:g},{back:g} {middle + 4:g},{back:g}"
            return [*found, f'<polygon class="head" points="{points}"/>']
        along = [self._runs(line + step, column) for step in (-1, 1)]
        if across[0]:
            found.append(_path(left - 4, centre, middle, centre))
        if across[1]:
            found.append(_path(middle, centre, left + _W + 4, centre))
        if along[0]:
            found.append(_path(middle, top - 4, middle, centre))
        if along[1]:
            found.append(_path(middle, centre, middle, top + _H + 4))
        if sum(across + along) > 2:
            found.append(f'<circle class="head" cx="{middle:g}" cy="{centre:g}" r="2.4"/>')
        return found

    def _meets(self, line: int, column: int) -> bool:
        """Whether something stands beside a wire that it goes to."""
        return (line, column) in self.taken or (
            (line, column) in self.wires and self._at(line, column) in "-+"
        )

    def _runs(self, line: int, column: int) -> bool:
        """Whether something stands above or below a junction that it goes to."""
        wire = (line, column) in self.wires and self._at(line, column) in _NODES
        return wire or self._part_at(line, column)

    def _part_at(self, line: int, column: int) -> bool:
        return any(p.line == line and p.first < column < p.last for p in self.parts)

    def _box(self, first: _Part, last: _Part) -> str:
        x, y = _x(first.first) + 1, _y(first.line) + 2
        width, height = _x(first.last) + _W - 1 - x, _y(last.line) + _H - 2 - y
        return _rect("box", x, y, width, height, 3)

    def _token(self, part: _Part) -> list[str]:
        x, y = _x(part.first) + _W / 2 - 1, _y(part.line) + 3
        width = _W * (part.last - part.first) + 2
        round_by = 7 if part.kind == "add" else 1
        return [
            _rect(part.kind, x, y, width, _H - 6, round_by),
            _letters(part.label, part.line, part.first + 1),
        ]

    def _texts(self, line: int) -> list[str]:
        """Runs of letters, with single blanks in them."""
        text = "".join(
            " " if (line, column) in self.taken | self.wires else character
            for column, character in enumerate(self.lines[line])
        )
        return [
            _letters(found[0], line, found.start()) for found in re.finditer(r"\S+(?: \S+)*", text)
        ]


def _stacks(boxes: list[_Part]) -> list[tuple[_Part, _Part]]:
    """Boxes of the same columns in lines one below the other are one box."""
    stacks: list[tuple[_Part, _Part]] = []
    for box in sorted(boxes, key=lambda box: (box.first, box.last, box.line)):
        if stacks:
            first, last = stacks[-1]
            if (last.first, last.last, last.line + 1) == (box.first, box.last, box.line):
                stacks[-1] = (first, box)
                continue
        stacks.append((box, box))
    return stacks


def _x(column: int) -> float:
    return _MARGIN + _W * column


def _y(line: int) -> float:
    return _MARGIN + _TITLE + _H * line


def _path(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path class="wire" d="M{x1:g} {y1:g}L{x2:g} {y2:g}"/>'


def _rect(kind: str, x: float, y: float, width: float, height: float, corner: int) -> str:
    return (
        f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
        f'rx="{corner}"/>'
    )


def _letters(text: str, line: int, column: int) -> str:
    """Text in its columns, whatever the width of the font's letters."""
    return (
        f'<text x="{_x(column):g}" y="{_y(line) + 14.5:g}" textLength="{_W * len(text):g}" '
        f'lengthAdjust="spacingAndGlyphs">{html.escape(text)}</text>'
    )
