# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The pictures of the documents that are no plots: block diagrams, the program, words.

``make generated`` writes them to ``docs/pictures``, so README and the pages have them on any host.
Block diagrams follow from the axes of a design (``schedule.diagram``), the layers of the program
from ``tests/layers.toml``.
"""

from __future__ import annotations

import html
import textwrap
from pathlib import Path

import layers
from aesfab.design import catalogue, schedule
from aesfab.folder.collateral import diagram
from book import travel

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "pictures"

PROGRAM = """\
a need ----[ choose ]--+                 +--[ verify ]-- evidence
                       |                 |
a design --[ show ]----+--[ generate ]---+--[ implement ]-- LUT, cells, MHz
                                         |
                                         +-- a folder: RTL, testbench, syn/, data sheet
"""
"""What the commands do with each other."""

WORDS = {
    "aes_key_filler": "key_i --[ expander ]--[ loader ]--[ bank of round keys ]-- round keys",
    "aes_key_ring": """\
in_key_i --[ words ]--[ round keys of two blocks, in turn ]--+-- key word
                                 |                           |
                                 +--[ S-boxes of the state ]-+""",
    "aes_key_schedule_held": """\
in_key_i --[ mux ]--|R|--+-- round key
              |          |
              +--[ key round ]""",
    "aes_key_schedule_offered": """\
key_i --[ mux ]--[ LUT RAM, a word at a time ]--+-- round keys
           |                                    |
           +-------------[ SubWord ]------------+""",
    "aes_mixadd": "16 bytes --[ MixColumns (+ key) ]--|R|-- 16 bytes",
    "aes_s_modules": """\
16 bytes --[ choose 4 ]--[ 4 x S-box ]--[ collect 4 times ]-- 16 bytes""",
    "interface=words": "block, 128 bits --[ 4 words, one in each cycle ]-- in_word_i, 32 bits",
    "interface=bytes": "block, 128 bits --[ 16 bytes, one in each cycle ]-- in_byte_i, 8 bits",
    "levels": """\
0 levels: in --[ S-box ]-- out
2 levels: in --[ half |R| ]--[ half |R| ]-- out""",
    "latency": """\
cycle    0     1     2          10    11
in       A
out                                   A
         +------- latency = 11 -------+""",
    "interval": """\
cycle    0     1     2          10    11
in       A                      B
out                                   A
         +--- interval = 10 ----+""",
    "bank": """\
next key ----[ bank 0: being filled ]
current key --[ bank 1 ]-- round keys""",
    "slot": """\
   +--[ slot 0 |R| ]--[ slot 1 |R| ]--[ slot 2 |R| ]--+
   |                                                  |
   +---------------- three blocks go round -----------+""",
}
"""Word of the glossary to a drawing of it."""


def layer_picture() -> str:
    """The layers of the program, the ground at the bottom."""
    width, left, step, gap = 900, 40, 24, 10
    shapes: list[str] = []
    y = 46.0
    for number, layer in reversed(list(enumerate(layers.load(), 1))):
        x, first = float(left), y
        y += 6
        for name in layer.modules:
            wide = 7.4 * len(name) + 12
            if x + wide > width - 16:
                x, y = float(left), y + step + 2
            shapes.append(f'<rect class="box" x="{x:g}" y="{y:g}" width="{wide:g}" '
                          f'height="{step - 4}" rx="3"/>')  # fmt: skip
            shapes.append(f'<text class="name" x="{x + 6:g}" y="{y + 14:g}">{name}</text>')
            x += wide + 6
        y += step
        for line in textwrap.wrap(layer.what, 125):
            shapes.append(
                f'<text class="note" x="{left}" y="{y + 10:g}">{html.escape(line)}</text>'
            )
            y += 15
        y += 4
        shapes.insert(0, f'<rect class="layer" x="8" y="{first:g}" width="{width - 16}" '
                         f'height="{y - first:g}" rx="5"/>')  # fmt: skip
        shapes.append(f'<text x="18" y="{first + 20:g}">{number}</text>')
        y += gap
    title = "The layers of the program: a module uses its own layer and those below"
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<!-- Copyright AESFab contributors. -->
<!-- SPDX-License-Identifier: Apache-2.0 -->
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y:g}" viewBox="0 0 {width} {y:g}" \
role="img">
<title>{title}</title>
<style>
{diagram._STYLE}\
text.name, text.note {{ font-size: 12px; }}
.layer {{ fill: none; stroke: #8c959f; }}
</style>
<rect class="page" width="{width}" height="{y:g}"/>
<text x="16" y="26">{title}</text>
{chr(10).join(shapes)}
</svg>
"""


def word_file(word: str) -> str:
    """The name of a word's picture, in ``docs/pictures``."""
    return f"word-{word.replace('=', '-').replace('_', '-')}.svg"


def files() -> dict[Path, str]:
    """Each picture to its text."""
    found = {
        "program.svg": diagram.svg(PROGRAM.rstrip("\n"), "AESFab: from a need to a core"),
        "layers.svg": layer_picture(),
    }
    for page, name in travel.SHOWN.items():
        text = schedule.diagram(catalogue.CATALOGUE[name].design)
        found[f"{page}.svg"] = diagram.svg(text, f"{name}: block diagram")
    for word, text in WORDS.items():
        found[word_file(word)] = diagram.svg(text, word)
    return {FOLDER / name: text for name, text in found.items()}
