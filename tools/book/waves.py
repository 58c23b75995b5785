# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Timing diagrams as pictures for a page: the WaveJSON of ``folder.collateral.timing`` as SVG."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

from aesfab.design.catalogue import Named
from aesfab.folder.collateral import timing

_STEP, _ROW, _HIGH, _LEFT = 34, 26, 16, 150


def pictures(named: Named) -> list[tuple[str, str]]:
    """Title and SVG of each timing diagram of a design, with its notes below it."""
    found = []
    for trace in timing.traces(named.design).values():
        found.append((trace.title, svg(timing.wavedrom_source(trace, named.module), trace.notes)))
    return found


def _lanes(source: Any) -> Iterator[tuple[str, str, list[str]]]:
    """Name, wave and data of each row, groups opened."""
    for entry in source:
        if isinstance(entry, list):
            yield from _lanes(entry[1:])
        elif entry:
            yield entry["name"], entry["wave"], list(entry.get("data", ()))


def svg(source: dict[str, Any], notes: tuple[str, ...]) -> str:
    """A WaveJSON as SVG; the page's style sheet colours it."""
    lanes = list(_lanes(source["signal"]))
    columns = max(len(wave) for _, wave, _ in lanes)
    width = max(_LEFT + _STEP * columns + 10, 7 * max(map(len, notes)) + 20)
    height = _ROW * len(lanes) + 18 * len(notes) + 16
    shapes = []
    for number, (name, wave, data) in enumerate(lanes):
        top = 6 + _ROW * number
        shapes.append(f'<text x="{_LEFT - 10}" y="{top + 13}" text-anchor="end">'
                      f"{html.escape(name)}</text>")  # fmt: skip
        shapes += _lane(wave, data, top)
    for number, note in enumerate(notes):
        y = _ROW * len(lanes) + 24 + 18 * number
        shapes.append(f'<text x="6" y="{y}" class="note">{html.escape(note)}</text>')
    title = html.escape(str(source["head"]["text"]))
    return (
        f'<svg class="wave" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><title>{title}</title>{"".join(shapes)}</svg>'
    )


def _lane(wave: str, data: list[str], top: int) -> list[str]:
    """The shapes of a row. Values are boxes, levels are lines, a gap is a pair of strokes."""
    shapes = []
    values = iter(data)
    spans: list[tuple[str, int, int]] = []  # kind, first and last column
    before = "x"
    for at, letter in enumerate(wave):
        kind = before if letter in ".|" else letter
        if spans and letter in ".|" and spans[-1][0] == kind:
            spans[-1] = (kind, spans[-1][1], at)
        else:
            spans.append((kind, at, at))
        before = kind
    level: int | None = None
    for kind, first, last in spans:
        x, end = _LEFT + _STEP * first, _LEFT + _STEP * (last + 1)
        middle = top + _HIGH / 2
        if kind == "p":
            path = "".join(
                f"M{_LEFT + _STEP * at} {top + _HIGH}v-{_HIGH}h{_STEP / 2:g}v{_HIGH}h{_STEP / 2:g}"
                for at in range(first, last + 1)
                if wave[at] != "|"
            )
            shapes.append(f'<path class="line" d="{path}"/>')
        elif kind in "01":
            y = top + (0 if kind == "1" else _HIGH)
            edge = f"M{x} {top + _HIGH}V{top}" if level not in (None, y) else ""
            shapes.append(f'<path class="line" d="{edge}M{x} {y}H{end}"/>')
            level = y
            continue
        elif kind == "=":
            label = next(values, "")
            shapes.append(
                f'<rect class="value" x="{x + 1}" y="{top}" width="{end - x - 2}" '
                f'height="{_HIGH}" rx="4"/>'
            )
            shapes.append(f'<text x="{(x + end) / 2:g}" y="{top + 12.5:g}" class="in" '
                          f'text-anchor="middle"{_squeezed(label, end - x - 6)}>'
                          f"{html.escape(label)}</text>")  # fmt: skip
        else:
            shapes.append(f'<path class="any" d="M{x} {middle:g}H{end}"/>')
        level = None
    for at, letter in enumerate(wave):
        if letter == "|":
            x = _LEFT + _STEP * at + _STEP // 2
            shapes.append(f'<rect class="gap" x="{x - 4}" y="{top - 3}" width="8" '
                          f'height="{_HIGH + 6}"/>')  # fmt: skip
            shapes.append(
                f'<path class="any" d="M{x - 6} {top + _HIGH + 3}l6 -{_HIGH + 6}m2 0'
                f'l-6 {_HIGH + 6}"/>'
            )
    return shapes


def _squeezed(label: str, room: float) -> str:
    return (
        f' textLength="{room:g}" lengthAdjust="spacingAndGlyphs"' if 7 * len(label) > room else ""
    )
