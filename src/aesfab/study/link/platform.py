# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Machines as small text files (TOML): what a link costs, which core stands behind it.

A file has the sections

- top level: ``title``, ``kind`` (``processor`` or ``stream``), ``why`` (where its numbers are
  from);
- ``[core]``: ``design`` (a name of the catalogue) and either ``clock_mhz`` or ``device``: the
  median clock of the newest record of the design on that device;
- ``[buffers]``: ``blocks``, how many blocks may be on their way at a time, and ``setup_ns``, what a
  call of the driver costs before the first block;
- for ``processor``, whose program moves every word: ``[bus]`` with ``width_bits``, ``clock_mhz``,
  ``stores`` (names to bytes a store; loads are as wide), and ``[uncacheable]`` and, where the
  processor has it, ``[write_combining]``. Each of them says what one transaction moves at most,
  ``write_bytes`` and ``read_bytes``, and what it costs with one bus word: ``write_cycles`` and
  ``read_cycles`` of the bus clock, ``write_ns`` and ``read_ns``, or ``cost = "calibrated"``. Each
  further word takes a bus clock. ``[write_combining]`` also has ``buffers``, the number of
  combining buffers, which hold ``write_bytes`` each (a part of one leaves in uncacheable writes),
  and ``reads_wait_for``: ``chunk`` where reading begins after the last result of the chunk, or
  ``block``;
- for a machine that is calibrated, two ``[[calibration]]`` with ``store``, ``memory``, ``blocks``
  and the throughput that was measured: ``mbit_s``, or ``paper`` and ``system`` of a published row;
- for ``stream``, where a DMA engine moves data both ways at the same time: ``[stream]`` with
  ``mbit_s`` in each direction, ``packet_bytes`` of payload in a packet and
  ``packet_overhead_bytes`` beside them, ``latency_ns`` one way, and ``descriptor_bytes`` that one
  descriptor moves at most, at ``descriptor_ns`` each.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from aesfab import records
from aesfab.design import catalogue
from aesfab.errors import AesfabError, unknown
from aesfab.folder import generate
from aesfab.study import published
from aesfab.study.link.calibration import calibrate
from aesfab.study.link.machine import COMBINING, UNCACHEABLE, MemoryType, Platform, Point, Stream
from aesfab.system import files

KINDS = ("processor", "stream")

_MOST = 1e9
"""Of a number: a second, in ns. Beyond it, times of one block and of many differ by less than what
a float holds."""

_MOST_MHZ = 1e5

_MOST_WHOLE = 1 << 30
"""Of a whole number: bytes of a descriptor."""

_FOLDER = resources.files("aesfab.study.link") / "platforms"

_WAITS = ("block", "chunk")


def shipped() -> list[str]:
    """The names of the platforms that come with AESFab."""
    return sorted(Path(f.name).stem for f in _FOLDER.iterdir() if f.name.endswith(".toml"))


def load(name: str) -> Platform:
    """A platform by the name of one that is shipped, or by the path of a file ending in .toml.

    AesfabError for an unknown name and for anything in the file that is missing, unknown or out of
    range.
    """
    if name.endswith(".toml"):
        text = files.small_text(Path(name), "the platform")
    elif name in shipped():
        text = (_FOLDER / f"{name}.toml").read_text("utf-8")
    else:
        raise unknown("platform", name, shipped())
    try:
        content = tomllib.loads(text)
    except ValueError as error:
        raise AesfabError(f"platform {name}: not TOML: {error}") from error
    except RecursionError as error:
        raise AesfabError(f"platform {name}: nested too deeply") from error
    return _platform(Path(name).stem, content)


class _Section:
    """A table of the file whose entries are taken one by one; what is left over is an error."""

    def __init__(self, platform: str, path: str, content: Any) -> None:
        if not isinstance(content, dict):
            raise AesfabError(f"platform {platform}: no section [{path}]")
        self.platform, self.path, self.left = platform, path, dict(content)

    def _take(self, name: str, default: Any) -> Any:
        if name in self.left:
            return self.left.pop(name)
        if default is None:
            raise self.error(f"{name} is missing")
        return default

    def error(self, what: str) -> AesfabError:
        where = f"[{self.path}] " if self.path else ""
        return AesfabError(f"platform {self.platform}: {where}{what}")

    def text(self, name: str) -> str:
        value = self._take(name, None)
        if not isinstance(value, str) or not value.strip():
            raise self.error(f"{name} must be a text")
        return value

    def number(
        self, name: str, default: float | None = None, least: float = 0.0, most: float = _MOST
    ) -> float:
        value = self._take(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(f"{name} must be a number")
        if not value >= least:
            raise self.error(f"{name} must be at least {least:g}")
        if value > most:
            raise self.error(f"{name} must be at most {most:g}")
        return float(value)

    def whole(
        self, name: str, default: int | None = None, least: int = 0, most: int = _MOST_WHOLE
    ) -> int:
        value = self.number(name, default, least, most)
        if value != int(value):
            raise self.error(f"{name} must be a whole number")
        return int(value)

    def width(self, name: str) -> int:
        """Bytes that a transaction or an access moves."""
        value = self.whole(name, least=1)
        if 64 % value:
            raise self.error(f"{name} must be 1, 2, 4, ... 64 bytes")
        return value

    def choice(self, name: str, known: Sequence[str]) -> str:
        value = self.text(name)
        if value not in known:
            raise self.error(f"{name}: {unknown('value', value, known)}")
        return value

    def section(self, name: str) -> _Section:
        inner = f"{self.path}.{name}" if self.path else name
        return _Section(self.platform, inner, self.left.pop(name, None))

    def end(self) -> None:
        if self.left:
            raise self.error(f"unknown: {', '.join(sorted(self.left))}")


def _platform(name: str, content: Mapping[str, Any]) -> Platform:
    top = _Section(name, "", dict(content))
    title, why, kind = top.text("title"), top.text("why"), top.text("kind")
    if kind not in KINDS:
        raise AesfabError(f"platform {name}: {unknown('kind', kind, KINDS)}")
    core, buffers = top.section("core"), top.section("buffers")
    core_name = core.text("design")
    named = catalogue.find(core_name)
    if "clock_mhz" in core.left:
        core_mhz = core.number("clock_mhz", least=1e-3, most=_MOST_MHZ)
    else:
        core_mhz = _measured(name, named, core.text("device"))
    capacity = buffers.whole("blocks", least=1)
    setup_ns = buffers.number("setup_ns", 0.0)
    stores: dict[str, int] = {}
    memory: dict[str, MemoryType] = {}
    stream = None
    points: tuple[Point, ...] = ()
    word_bytes, word_ns = 0, 0.0
    if kind == "processor":
        bus = top.section("bus")
        width = bus.whole("width_bits", least=8)
        if width % 8 or 128 % width:
            raise AesfabError(f"platform {name}: [bus] width_bits must be 8, 16, 32, 64 or 128")
        word_bytes, word_ns = (
            width // 8,
            1000.0 / bus.number("clock_mhz", least=1e-3, most=_MOST_MHZ),
        )
        named_stores = bus.section("stores")
        for store in list(named_stores.left):
            stores[store] = named_stores.width(store)
        if not stores:
            raise AesfabError(f"platform {name}: [bus.stores] names no way to store")
        sections = [top.section(UNCACHEABLE)]
        if COMBINING in top.left:
            sections.append(top.section(COMBINING))
        calibrated = ["cost" in section.left for section in sections]
        if any(calibrated) and not all(calibrated):
            raise AesfabError(f"platform {name}: all types of memory are calibrated, or none")
        for section in sections:
            memory[section.path] = _memory(section, word_bytes, word_ns)
        if any(calibrated):
            points = _points(name, top.left.pop("calibration", None))
        bus.end()
    else:
        table = top.section("stream")
        stream = Stream(
            mbit_s=table.number("mbit_s", least=1e-3),
            packet_bytes=table.whole("packet_bytes", least=1),
            packet_overhead_bytes=table.whole("packet_overhead_bytes"),
            latency_ns=table.number("latency_ns"),
            descriptor_bytes=table.whole("descriptor_bytes", least=16),
            descriptor_ns=table.number("descriptor_ns"),
        )
        table.end()
    for section in (core, buffers, top):
        section.end()
    platform = Platform(
        name=name,
        title=title,
        why=why,
        design=named.design,
        core_name=core_name,
        core_mhz=core_mhz,
        capacity=capacity,
        setup_ns=setup_ns,
        word_bytes=word_bytes,
        word_ns=word_ns,
        stores=stores,
        memory=memory,
        stream=stream,
        points=points,
    )
    for point in points:
        if (point.store, point.memory) not in platform.ways():
            raise AesfabError(f"platform {name}: [calibration] no way {point.store}+{point.memory}")
    return calibrate(platform) if points else platform


def _memory(section: _Section, word_bytes: int, word_ns: float) -> MemoryType:
    combines = section.path == COMBINING
    write_bytes, read_bytes = section.width("write_bytes"), section.width("read_bytes")
    if combines and write_bytes % word_bytes:
        raise section.error("write_bytes must be whole bus words")
    buffers = section.whole("buffers", least=1) if combines else 0
    waits_for = section.choice("reads_wait_for", _WAITS) if combines else "block"
    if "cost" in section.left:
        section.choice("cost", ("calibrated",))
        write_ns = read_ns = 0.0
    elif "write_ns" in section.left:
        write_ns, read_ns = (section.number(f"{way}_ns", least=1e-3) for way in ("write", "read"))
    else:
        write_ns, read_ns = (
            word_ns * section.number(f"{way}_cycles", least=1e-3) for way in ("write", "read")
        )
    section.end()
    return MemoryType(write_bytes, read_bytes, write_ns, read_ns, buffers, waits_for == "chunk")


def _points(platform: str, content: Any) -> tuple[Point, ...]:
    """The measurements of a calibrated machine."""
    points = []
    for item in content if isinstance(content, list) else [content]:
        section = _Section(platform, "calibration", item)
        store, memory = section.text("store"), section.text("memory")
        blocks = section.whole("blocks", least=1)
        row = None
        if "paper" in section.left:
            paper, system = section.text("paper"), section.text("system")
            rows = [r for r in published.load() if (r.paper, r.system) == (paper, system)]
            if len(rows) != 1 or rows[0].mbit_s is None:
                raise section.error(f"{paper} prints no throughput of {system!r}")
            row, mbit_s = rows[0], rows[0].mbit_s
        else:
            mbit_s = section.number("mbit_s", least=1e-3)
        section.end()
        points.append(Point(store, memory, blocks, mbit_s, row))
    return tuple(points)


def _measured(platform: str, named: catalogue.Named, device: str) -> float:
    """``measured_mhz``, which a platform cannot do without."""
    mhz = measured_mhz(named, device)
    if mhz is None:
        raise AesfabError(f"platform {platform}: no record of {named.name} on {device}")
    return mhz


def measured_mhz(named: catalogue.Named, device: str) -> float | None:
    """The median clock of a design on a device, in MHz, from the records (``records.known``).

    None where it was not measured.
    """
    present = generate.Present(named)
    record = records.headline(
        record
        for record in records.known("implement")
        if record["device"] == device and present.has(record)
    )
    fmax = record.get("fmax_mhz") if record else None
    return float(fmax["median"]) if fmax else None
