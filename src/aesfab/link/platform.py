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
  ``stores`` (names to bytes a store), and ``[uncacheable]`` and, where the processor has it,
  ``[write_combining]``. Each says what a transaction costs, either as ``write_cycles`` and
  ``read_cycles`` of the bus clock or as ``raw_mbit_s``, the payload rate of writing data and
  reading them back with nothing between: the calibration of a machine that was measured.
  ``[write_combining]`` also has ``buffer_bytes`` and ``buffers``; its transactions are bursts of a
  full buffer, a part of one is written in uncacheable transactions;
- for ``stream``, where a DMA engine moves data both ways at the same time: ``[stream]`` with
  ``mbit_s`` in each direction, ``packet_bytes`` of payload in a packet and
  ``packet_overhead_bytes`` beside them, ``latency_ns`` one way, and ``descriptor_bytes`` that one
  descriptor moves at most, at ``descriptor_ns`` each.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from aesfab import catalogue, files, generate, records
from aesfab.errors import AesfabError, unknown
from aesfab.spec import Design

KINDS = ("processor", "stream")

_MOST = 1e9
"""Of a number: a second, in ns. Beyond it, times of one block and of many differ by less than what
a float holds."""

_MOST_MHZ = 1e5

_MOST_WHOLE = 1 << 30
"""Of a whole number: bytes of a descriptor."""


@dataclasses.dataclass(frozen=True)
class MemoryType:
    """What a transaction on the bus costs, in ns.

    Attributes:
        unit_bytes: what one transaction moves: the bus width, or a full combining buffer.
        write_ns: a write of that.
        read_ns: a read of that.
        buffers: combining buffers of the processor; 0 where nothing is combined.
    """

    unit_bytes: int
    write_ns: float
    read_ns: float
    buffers: int = 0


@dataclasses.dataclass(frozen=True)
class Stream:
    """A link that moves data both ways at a time; see the module for the fields."""

    mbit_s: float
    packet_bytes: int
    packet_overhead_bytes: int
    latency_ns: float
    descriptor_bytes: int
    descriptor_ns: float


@dataclasses.dataclass(frozen=True, eq=False)
class Platform:
    """A host, a link and a core; each is its own, so that what was computed for it can be kept.

    Attributes:
        name: of its file.
        title: for people.
        why: where its numbers are from.
        design: the core; ``core_mhz`` is its clock.
        core_name: the name of the core in the catalogue.
        capacity: blocks that may be on their way at a time.
        setup_ns: of one call of the driver.
        stores: name of a way to store to the bytes of one store; empty for a stream.
        memory: memory type by name (``uncacheable``, ``write_combining``); empty for a stream.
        stream: the stream, None where a processor moves the data.
    """

    name: str
    title: str
    why: str
    design: Design
    core_name: str
    core_mhz: float
    capacity: int
    setup_ns: float
    stores: Mapping[str, int]
    memory: Mapping[str, MemoryType]
    stream: Stream | None

    def ways(self) -> list[tuple[str, str]]:
        """How data can be moved: (store, memory type); a stream has one, ``("dma", "stream")``."""
        if self.stream is not None:
            return [("dma", "stream")]
        return [(store, kind) for kind in self.memory for store in self.stores]


def shipped() -> list[str]:
    """The names of the platforms that come with AESFab."""
    folder = resources.files("aesfab.link") / "platforms"
    return sorted(Path(f.name).stem for f in folder.iterdir() if f.name.endswith(".toml"))


def load(name: str) -> Platform:
    """A platform by the name of one that is shipped, or by the path of a file ending in .toml.

    AesfabError for an unknown name and for anything in the file that is missing, unknown or out of
    range.
    """
    if name.endswith(".toml"):
        text = files.small_text(Path(name), "the platform")
    elif name in shipped():
        text = (resources.files("aesfab.link") / "platforms" / f"{name}.toml").read_text("utf-8")
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
            raise self._error(f"{name} is missing")
        return default

    def _error(self, what: str) -> AesfabError:
        where = f"[{self.path}] " if self.path else ""
        return AesfabError(f"platform {self.platform}: {where}{what}")

    def text(self, name: str) -> str:
        value = self._take(name, None)
        if not isinstance(value, str) or not value.strip():
            raise self._error(f"{name} must be a text")
        return value

    def number(
        self, name: str, default: float | None = None, least: float = 0.0, most: float = _MOST
    ) -> float:
        value = self._take(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._error(f"{name} must be a number")
        if not value >= least:
            raise self._error(f"{name} must be at least {least:g}")
        if value > most:
            raise self._error(f"{name} must be at most {most:g}")
        return float(value)

    def whole(
        self, name: str, default: int | None = None, least: int = 0, most: int = _MOST_WHOLE
    ) -> int:
        value = self.number(name, default, least, most)
        if value != int(value):
            raise self._error(f"{name} must be a whole number")
        return int(value)

    def section(self, name: str) -> _Section:
        inner = f"{self.path}.{name}" if self.path else name
        return _Section(self.platform, inner, self.left.pop(name, None))

    def end(self) -> None:
        if self.left:
            raise self._error(f"unknown: {', '.join(sorted(self.left))}")


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
    if kind == "processor":
        bus = top.section("bus")
        width = bus.whole("width_bits", least=8)
        if width % 8 or 128 % width:
            raise AesfabError(f"platform {name}: [bus] width_bits must be 8, 16, 32, 64 or 128")
        cycle_ns = 1000.0 / bus.number("clock_mhz", least=1e-3, most=_MOST_MHZ)
        named_stores = bus.section("stores")
        for store in list(named_stores.left):
            stores[store] = named_stores.whole(store, least=1)
            if 64 % stores[store]:
                raise AesfabError(
                    f"platform {name}: [bus.stores] {store} must be 1, 2, 4, ... 64 bytes"
                )
        if not stores:
            raise AesfabError(f"platform {name}: [bus.stores] names no way to store")
        memory["uncacheable"] = _memory(top.section("uncacheable"), cycle_ns, width // 8)
        if "write_combining" in top.left:
            combining = top.section("write_combining")
            unit = combining.whole("buffer_bytes", least=width // 8)
            if unit % (width // 8):
                raise AesfabError(
                    f"platform {name}: [write_combining] buffer_bytes must be whole bus words"
                )
            number = combining.whole("buffers", least=1)
            memory["write_combining"] = _memory(combining, cycle_ns, unit, number)
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
    return Platform(
        name=name,
        title=title,
        why=why,
        design=named.design,
        core_name=core_name,
        core_mhz=core_mhz,
        capacity=capacity,
        setup_ns=setup_ns,
        stores=stores,
        memory=memory,
        stream=stream,
    )


def _memory(section: _Section, cycle_ns: float, unit: int, buffers: int = 0) -> MemoryType:
    if "raw_mbit_s" in section.left:
        # Payload that is written and read back crosses the bus twice.
        write_ns = read_ns = 8 * unit * 1000.0 / section.number("raw_mbit_s", least=1e-3) / 2
    else:
        write_ns = cycle_ns * section.number("write_cycles", least=1e-3)
        read_ns = cycle_ns * section.number("read_cycles", least=1e-3)
    section.end()
    return MemoryType(unit, write_ns, read_ns, buffers)


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
