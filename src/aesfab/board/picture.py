# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A picture of a placed design: which tiles of the device the core takes, and which the bridge.

It is drawn from the places that nextpnr writes into its netlist, the same way for every family. A
tile is split by how many of its cells are of the core and of the bridge, and is the darker the more
of its cells are in use.
"""

from __future__ import annotations

import collections
import json
import re
from collections.abc import Iterator
from xml.sax.saxutils import escape

from aesfab.board import top
from aesfab.board.boards import Board
from aesfab.errors import ToolError

GRIDS = {
    "ice40-hx1k": (14, 18),
    "ice40-hx8k": (34, 34),
    "ice40-up5k": (26, 32),
    "ecp5-12k": (73, 51),
    "ecp5-25k": (73, 51),
    "ecp5-45k": (91, 72),
    "ecp5-85k": (127, 96),
    "gw1n-9": (47, 29),
    "gw2a-18": (56, 55),
    "gw5a-25": (92, 37),
}
"""Device to its columns and rows of tiles; another one is as large as what is used of it."""

_PLACE = re.compile(r"X(\d+)/?Y(\d+)/(\w+)")
_PAD = re.compile(r"io\d|PIO|IOB")
_RAM = re.compile(r"ram|EBR|BSRAM|spram", re.IGNORECASE)
_NO_CELL = re.compile(r"gb|GSR|VCC|GND|DCC|glb", re.IGNORECASE)
_LEVELS = 4
_COLOURS = {"core": "#1f6fb4", "bridge": "#d9822b", "RAM": "#2e9e6b", "pad": "#444444"}


def svg(board: Board, words: str, placed: bytes) -> str:
    """The picture of a design.

    Args:
        board: the board.
        words: of the design, for the title.
        placed: the netlist that nextpnr writes when the design is placed, JSON.

    Raises:
        ToolError: the netlist has no places.
    """
    tiles, rams, pads = _places(placed)
    if not tiles:
        raise ToolError(f"nextpnr says of no cell of {words} where it is")
    columns, rows = GRIDS.get(board.device.name, (0, 0))
    for x, y in (*tiles, *rams, *pads):
        columns, rows = max(columns, x + 1), max(rows, y + 1)
    side = 12 if max(columns, rows) < 60 else 7
    low = board.device.nextpnr == "ice40"  # its rows begin at the bottom
    width, height = columns * side + 20, rows * side + 64
    title = f"{words} on {board.title}"

    def corner(x: int, y: int) -> tuple[int, int]:
        return 10 + x * side, 34 + (rows - 1 - y if low else y) * side

    def rectangles() -> Iterator[str]:
        full = max(sum(counts.values()) for counts in tiles.values())
        for (x, y), counts in sorted(tiles.items()):
            left, upper = corner(x, y)
            used = sum(counts.values())
            level = -(-_LEVELS * used // full)
            core = round((side - 1) * counts["core"] / used, 1)
            if core:
                yield _rectangle(left, upper, core, side - 1, f"core l{level}")
            if core < side - 1:
                rest = round(side - 1 - core, 1)
                yield _rectangle(round(left + core, 1), upper, rest, side - 1, f"bridge l{level}")
        for place in sorted(rams):
            yield _rectangle(*corner(*place), side - 1, side - 1, "RAM")
        for place in sorted(pads):
            yield _rectangle(*corner(*place), side - 1, side - 1, "pad")

    parts = ["core", "bridge", *(["RAM"] if rams else []), "pad"]
    legend = "".join(
        f'<rect class="{part} l{_LEVELS}" x="{10 + 80 * n}" y="{height - 20}" width="10" '
        f'height="10"/><text x="{24 + 80 * n}" y="{height - 11}">{part}</text>'
        for n, part in enumerate(parts)
    )
    style = "".join(f".{part}{{fill:{colour}}}" for part, colour in _COLOURS.items())
    style += "".join(f".l{n}{{opacity:{n / _LEVELS:g}}}" for n in range(1, _LEVELS + 1))
    style += "text{font:11px sans-serif;fill:#222}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {max(width, 340)} {height}" '
        f'role="img" aria-label="Floorplan of {escape(title)}">\n<style>{style}</style>\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n'
        f'<text x="10" y="20">{escape(title)}</text>\n'
        f'<rect x="9" y="33" width="{columns * side + 1}" height="{rows * side + 1}" '
        f'fill="#f4f4f4" stroke="#999"/>\n' + "\n".join(rectangles()) + f"\n{legend}\n</svg>\n"
    )  # fmt: skip


def _rectangle(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'


_Place = tuple[int, int]


def _places(
    placed: bytes,
) -> tuple[dict[_Place, collections.Counter[str]], set[_Place], set[_Place]]:
    """Tiles of logic with cells of core and bridge, places of block RAMs, places of pads."""
    tiles: dict[_Place, collections.Counter[str]] = {}
    rams, pads = set(), set()
    (module,) = json.loads(placed)["modules"].values()
    for name, cell in module["cells"].items():
        found = _PLACE.match(cell["attributes"].get("NEXTPNR_BEL", ""))
        if not found or _NO_CELL.match(found[3]):
            continue
        place = int(found[1]), int(found[2])
        if _PAD.match(found[3]):
            pads.add(place)
        elif _RAM.match(found[3]):
            rams.add(place)
        else:
            part = "core" if name.startswith(f"{top.CORE}.") else "bridge"
            tiles.setdefault(place, collections.Counter())[part] += 1
    return tiles, rams, pads
