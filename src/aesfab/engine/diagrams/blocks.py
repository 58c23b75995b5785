# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Block diagrams of engines, as drawings of text that ``collateral.diagram`` makes pictures of."""

from __future__ import annotations

from typing import Any

from aesfab.engine.ccm.spec import Engine as CcmEngine
from aesfab.engine.family import AnyEngine, Entry
from aesfab.engine.spec import Engine as PacketEngine
from aesfab.engine.streams.spec import Engine as StreamEngine
from aesfab.engine.xts.spec import Engine as SectorEngine
from aesfab.engine.xts.spec import Tweaks
from aesfab.folder.collateral import diagram

_OUT = "-- m_data"
_ADD = "(+)"


def files(named: Entry[Any]) -> dict[str, str]:
    """The block diagram of an engine: ``doc/block-diagram.svg`` to its text."""
    title = f"{named.module}: block diagram"
    return {"doc/block-diagram.svg": diagram.svg(drawing(named.engine), title)}


def drawing(engine: AnyEngine) -> str:
    """The drawing of an engine; TypeError for no kind of engine."""
    match engine:
        case PacketEngine() | CcmEngine() if engine.serial:
            return _bytes(engine)
        case PacketEngine():
            return _packets(engine)
        case CcmEngine():
            return _ccm(engine)
        case SectorEngine():
            return _sectors(engine)
        case StreamEngine():
            return _streams(engine)
    raise TypeError(f"no kind of engine: {engine!r}")


class _Page:
    """Lines of text, written from the left on or at a place."""

    def __init__(self, count: int) -> None:
        self.lines = [""] * count

    def add(self, line: int, text: str) -> int:
        """Write behind what a line has; the column of the last character."""
        self.lines[line] += text
        return len(self.lines[line]) - 1

    def wire(self, line: int, column: int, end: str) -> None:
        """A wire from the end of a line on, and what stands there with its middle in a column."""
        first = column - len(end) // 2
        self.lines[line] = self.lines[line].ljust(first, "-") + end

    def mark(self, line: int, column: int, character: str) -> None:
        """A character in a column, behind blanks."""
        self.lines[line] = self.lines[line].ljust(column) + character

    @property
    def text(self) -> str:
        """The drawing."""
        return "\n".join(line.rstrip() for line in self.lines)


def _box(text: str) -> str:
    return f"--[ {text} ]"


def _core(engine: AnyEngine) -> str:
    return _box(f"core {engine.core.name}")


def _release(engine: PacketEngine | CcmEngine) -> str:
    if engine.most_held is None:
        return f"release={engine.release.value}"
    return f"release={engine.release.value}, {engine.release_depth.value} beats"


def _ghash(engine: PacketEngine) -> str:
    if engine.serial:
        return "GHASH: a product of two bytes a clock"
    return "GHASH: a block a clock" if engine.lanes else f"GHASH: {engine.digit} bits a clock"


def _keys(engine: AnyEngine, what: str) -> str:
    return _box(f"{engine.num_slots} slots: {what}")


def _joined(page: _Page, first: str, second: str) -> int:
    """Keys in line 0 and descriptors in line 2 that come together; the column where they do."""
    page.add(0, f" s_key  {first}")
    page.add(2, f" s_desc {second}")
    column = max(len(page.lines[0]), len(page.lines[2])) + 2
    page.wire(0, column, "+")
    page.mark(1, column, "|")
    page.wire(2, column, "+")
    return column


def _with_sum(page: _Page, line: int, box: str, hashing: str) -> None:
    """A result that leaves, and the sum over what leaves, which gives the tag; ends a drawing."""
    start = page.add(line, "--+")
    page.mark(line + 1, start, "|")
    page.mark(line + 2, start, "+")
    page.add(line + 2, _box(hashing) + "--+")
    tag = len(page.lines[line + 2]) - 1
    # The tag goes up into the box.
    column = max(start + len(box) // 2, tag)
    page.wire(line, column - len(box) // 2 + 1, "")
    page.add(line, f"{box}{_OUT}")
    page.lines[line + 2] = page.lines[line + 2][:-1]
    page.wire(line + 2, column, "+")
    page.mark(line + 1, column, "^")


def _packets(engine: PacketEngine) -> str:
    page = _Page(7 if engine.gcm else 5)
    _joined(page, _keys(engine, "key, H" if engine.gcm else "key"), "--")
    end = page.add(2, f"{_box('counter')}{_core(engine)}{_box('key stream')}--+")
    page.mark(3, end, "|")
    page.add(4, f" s_data {_box('intake')}{_box('beats, in order')}")
    page.wire(4, end, _ADD)
    if engine.gcm:
        _with_sum(page, 4, _box(_release(engine)), _ghash(engine))
    else:
        page.add(4, f"{_box('results')}{_OUT}")
    return page.text


def _bytes(engine: PacketEngine | CcmEngine) -> str:
    hashes = isinstance(engine, PacketEngine) and engine.gcm
    page = _Page(5 if hashes else 3)
    start = page.add(0, f" s_key, s_desc, s_data {_box('byte by byte')}--+")
    keys = _keys(engine, "key, H" if hashes else "key")
    chain = " and chain" if isinstance(engine, CcmEngine) else ""
    end = page.add(0, f"{keys}{_core(engine)}{_box(f'key stream{chain}')}--+")
    page.mark(1, start, "|")
    page.mark(1, end, "|")
    page.mark(2, start, "+")
    page.wire(2, end, _ADD)
    page.add(2, _box("16 bytes |R|"))
    if isinstance(engine, PacketEngine) and hashes:
        _with_sum(page, 2, _box(_release(engine)), _ghash(engine))
    else:
        page.add(2, f"{_box(_release(engine)) if chain else ''}{_OUT}")
    return page.text


def _ccm(engine: CcmEngine) -> str:
    page = _Page(7)
    start = _joined(page, _keys(engine, "key"), _box("nonce, count"))
    chain = page.add(2, f"{_core(engine)}--+")
    end = page.add(2, f"{_box('key stream')}--+")
    for line in (3, 5):
        page.mark(line, start, "|")
    page.mark(3, chain, "|")
    page.mark(4, start - 1, _ADD)
    page.add(4, "--[ chain ]")
    page.wire(4, chain, "+")
    for line in (3, 4, 5):
        page.mark(line, end, "|")
    page.add(6, f" s_data {_box('intake')}")
    page.wire(6, start, "+")
    page.wire(6, end, _ADD)
    page.add(6, f"{_box(_release(engine))}{_OUT}")
    return page.text


def _sectors(engine: SectorEngine) -> str:
    page = _Page(5)
    _joined(page, _keys(engine, "key" if engine.cbc else "two keys"), "--")
    tweak = "IV, then each block"
    if not engine.cbc:
        shared = engine.tweaks is Tweaks.SHARED
        by = "the core" if shared else engine.tweaks.value
        tweak = f"tweaks, by {by}"
    before = page.add(2, f"{_box(tweak)}--+")
    page.add(4, f" s_data {_box('intake')}" + ("" if engine.cbc else _box("stolen bytes")))
    if not engine.cbc:
        before = max(before, len(page.lines[4]) + 3)
        page.lines[2] = page.lines[2][:-1]
        page.wire(2, before, "+")
        page.mark(3, before, "|")
        page.wire(4, before, _ADD)
    page.wire(4, before + 2, "")
    end = page.add(4, f"{_core(engine)}--{_ADD}") - 1
    if engine.cbc:
        page.lines[2] = page.lines[2][:-1]
    page.wire(2, end, "+")
    page.mark(3, end, "|")
    page.add(4, f"{_box('results')}{_OUT}")
    return page.text


def _streams(engine: StreamEngine) -> str:
    page = _Page(7)
    _joined(page, _keys(engine, "key"), _box(f"{engine.num_streams} streams: key, IV, mode"))
    start = page.add(2, f"{_box('ready list')}--+")
    page.mark(3, start, "|")
    page.add(4, f" s_data {_box('4 beats a stream')}")
    page.wire(4, start, _ADD)
    end = page.add(4, f"{_core(engine)}--+")
    page.mark(5, start, "|")
    page.mark(5, end, "|")
    page.mark(6, start, "+")
    page.add(6, _box("chaining value"))
    page.wire(6, end, "+")
    page.add(4, f"{_box('results')}{_OUT}")
    return page.text
