# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Engines of all kinds, of packets, streams and sectors: by their names, and what is their own."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aesfab import records
from aesfab.eda.simulate import Progress, silent
from aesfab.engine import catalogue, family, hdl
from aesfab.engine.catalogue import NamedEngine
from aesfab.engine.ccm import catalogue as ccm_catalogue
from aesfab.engine.ccm.catalogue import NamedCcm
from aesfab.engine.ccm.spec import MOST_TEXT
from aesfab.engine.spec import CLOCKS_HEAD, clocks_by_size
from aesfab.engine.spec import Engine as PacketEngine
from aesfab.engine.streams import catalogue as streams_catalogue
from aesfab.engine.streams.catalogue import NamedStreams
from aesfab.engine.xts import catalogue as xts_catalogue
from aesfab.engine.xts.catalogue import NamedXts
from aesfab.engine.xts.spec import Engine as SectorEngine
from aesfab.errors import unknown
from aesfab.records import Record

if TYPE_CHECKING:
    from types import ModuleType

    from aesfab.engine.crypt import AnyJob
    from aesfab.engine.folder import AnyFolder
    from aesfab.engine.verify import Evidence

AnyNamed = NamedEngine | NamedCcm | NamedStreams | NamedXts
"""An engine with a name, of any kind."""

Clocks = tuple[dict[str, Any], tuple[str, ...], Sequence[tuple[str, ...]]]
"""Facts by name, head of a table, its rows."""


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of engine, and what is its own.

    Attributes:
        catalogue: name to engine.
        package: of its modules. They are imported when they are asked for: what lists engines
            needs no simulator.
        columns: heads of its listing, the first one for the name.
        right: those of numbers.
        row: the row of an engine, without the name.
        clocks: of an engine: facts by name, head of a table, its rows.
    """

    catalogue: Mapping[str, Any]
    package: str
    columns: tuple[str, ...]
    right: tuple[str, ...]
    row: Callable[[Any], tuple[str, ...]]
    clocks: Callable[[Any], Clocks]

    def _module(self, name: str) -> ModuleType:
        return importlib.import_module(f"{self.package}.{name}")

    @property
    def folder(self) -> type[AnyFolder[Any]]:
        """Its folder."""
        found: type[AnyFolder[Any]] = self._module("folder").Folder
        return found

    @property
    def verify(self) -> Callable[..., Evidence]:
        """All checks of a model."""
        found: Callable[..., Evidence] = self._module("verify").verify
        return found

    @property
    def job(self) -> type[AnyJob]:
        """A file for it, made of what the command line tells."""
        found: type[AnyJob] = self._module("crypt").Job
        return found


def _own(engine: Any, *names: str) -> tuple[str, ...]:
    axes = engine.axes()
    return tuple(axes[name] for name in names)


def _with_key_change(engine: Any, clocks: Clocks) -> Clocks:
    """Those of an engine, and what another key costs, where it does."""
    facts, head, rows = clocks
    if not (count := engine.key_change_clocks):
        return clocks
    row = ("more with another key", *[str(count)] * (len(head) - 1))
    return {**facts, "key_change_clocks": count}, head, [*rows, row]


def _packet_clocks(engine: Any) -> Clocks:
    found = clocks_by_size(engine)
    rows = [tuple(map(str, (size, *both))) for size, both in found.items()]
    facts: dict[str, Any] = {
        "packet_clocks": {size: sealed for size, (sealed, _) in found.items()},
        "packet_clocks_decrypted": {size: opened for size, (_, opened) in found.items()},
    }
    new_key = engine.new_key_clocks if isinstance(engine, PacketEngine) else None
    if new_key is not None:
        facts["new_key_clocks"] = new_key
        rows.append(("more where a key is written", str(new_key), str(new_key)))
    return _with_key_change(engine, (facts, CLOCKS_HEAD, rows))


def _stream_clocks(engine: Any) -> Clocks:
    facts = {"streams_that_fill": engine.streams_that_fill, "turn_clocks": engine.turn_clocks}
    rows = [
        ("streams that fill the core", str(engine.streams_that_fill)),
        ("clocks from block to block with them", str(engine.interval_number())),
        ("clocks from block to block of one stream alone", str(engine.turn_clocks)),
    ]
    return facts, ("streams", ""), rows


def _sector_clocks(engine: Any) -> Clocks:
    sectors = engine.clocks_by_size
    head = ("bytes of a sector", "clocks from sector to sector")
    rows = [(str(size), str(count)) for size, count in sectors.items()]
    if engine.steal_clocks:
        rows.append(("more with a partial beat", str(engine.steal_clocks)))
    facts = {"sector_clocks": sectors, "steal_clocks": engine.steal_clocks}
    return _with_key_change(engine, (facts, head, rows))


PACKETS = Kind(
    catalogue.CATALOGUE,
    "aesfab.engine",
    ("engine", "modes", "core", "GHASH", "slots", "release", "interval"),
    ("interval",),
    lambda engine: (
        *_own(engine, "modes", "core", "ghash", "slots", "release"),
        str(engine.interval_number()),
    ),
    _packet_clocks,
)
CCM = Kind(
    ccm_catalogue.CATALOGUE,
    "aesfab.engine.ccm",
    ("CCM engine", "modes", "core", "slots", "release", "interval"),
    ("interval",),
    lambda engine: (
        *_own(engine, "modes", "core", "slots", "release"),
        str(engine.interval_number()),
    ),
    _packet_clocks,
)
STREAMS = Kind(
    streams_catalogue.CATALOGUE,
    "aesfab.engine.streams",
    ("engine of streams", "modes", "core", "streams", "that fill it", "slots", "interval"),
    ("streams", "that fill it", "interval"),
    lambda engine: (
        *_own(engine, "modes", "core", "streams"),
        str(engine.streams_that_fill),
        *_own(engine, "slots"),
        str(engine.interval_number()),
    ),
    _stream_clocks,
)
SECTORS = Kind(
    xts_catalogue.CATALOGUE,
    "aesfab.engine.xts",
    ("engine of sectors", "modes", "core", "direction", "tweaks", "slots", "interval", "512 bytes"),
    ("interval", "512 bytes"),
    lambda engine: (
        *_own(engine, "modes", "core"),
        "decrypt" if engine.cbc else engine.core.design.axes()["direction"],
        *_own(engine, "tweaks", "slots"),
        str(engine.interval_number()),
        str(engine.sector_clocks(32)),
    ),
    _sector_clocks,
)
KINDS = (PACKETS, CCM, STREAMS, SECTORS)
"""The kinds of engines, in the order of the listings."""


@dataclasses.dataclass(frozen=True)
class Way:
    """A direction of a mode.

    Attributes:
        example: name of an engine for it. The others are of the same kind.
        values: of the axis ``modes``, of engines for it.
    """

    example: str
    values: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Carried:
    """A mode that engines carry.

    Attributes:
        most: bytes of the longest packet, sector or message; of some the standard has no longest
            one (SP 800-38A to E).
        encrypt: of encryption.
        decrypt: of decryption. A tag of CMAC is made again, which is the same.
        least: bytes of the shortest one.
    """

    most: int
    encrypt: Way
    decrypt: Way
    least: int = 1

    def way(self, *, decrypt: bool) -> Way:
        """That of a direction."""
        return self.decrypt if decrypt else self.encrypt


_LONG = 16 * 2**20
_COUNTED = 16 * (2**32 - 2)
_CHAINED = Way("chained-streams-interleaved-ram", ("chained",))
_CTR = Way("ctr-interleaved-ram", ("ctr",))
_GCM = Way("gcm-interleaved-ram", ("gcm",))
_CCM = Way("ccm-iterative-ram", ("ccm",))
_XTS = Way("xts-iterative-ram-both", ("xts",))

MODES = {
    "cbc": Carried(
        _LONG,
        Way("cbc-streams-interleaved-ram", ("cbc", "chained")),
        Way("cbc-dec-iterative", ("cbc",)),
        least=16,
    ),
    "cfb": Carried(_LONG, _CHAINED, _CHAINED),
    "ofb": Carried(_LONG, _CHAINED, _CHAINED),
    "ctr": Carried(_COUNTED, _CTR, _CTR),
    "gcm": Carried(_COUNTED, _GCM, _GCM),
    "ccm": Carried(MOST_TEXT, _CCM, _CCM),
    "cmac": Carried(_LONG, _CHAINED, _CHAINED),
    "xts": Carried(_LONG, _XTS, _XTS, least=16),
}
"""By their names, as the command line has them."""


def example(mode: str, *, decrypt: bool) -> str:
    """An engine for one of ``MODES`` in a direction, as an option of the command line."""
    return f"--design {MODES[mode].way(decrypt=decrypt).example}"


SIZES = {name: (mode.least, mode.most) for name, mode in MODES.items()}
"""Modes that an engine carries, with the bytes of its shortest and longest packet, sector or
message."""


def carries(named: AnyNamed, mode: str, *, decrypt: bool) -> bool:
    """Whether an engine is for a mode of ``SIZES`` in a direction."""
    way = MODES[mode].way(decrypt=decrypt)
    if kind(named.name) is not kind(way.example) or named.engine.modes.value not in way.values:
        return False
    # But for sectors the core encrypts in both directions of a mode.
    return not isinstance(named.engine, SectorEngine) or decrypt in named.engine.directions


def streamed(mode: str, *, decrypt: bool) -> bool:
    """Whether the engines of a mode, in a direction, are those of streams."""
    return mode in MODES and kind(MODES[mode].way(decrypt=decrypt).example) is STREAMS


def in_both(mode: str) -> bool:
    """Whether one kind of engine has a mode of ``SIZES`` in both directions."""
    encrypts, decrypts = (MODES[mode].way(decrypt=each) for each in (False, True))
    return kind(encrypts.example) is kind(decrypts.example)


def carriers(mode: str, *, decrypt: bool) -> list[tuple[str, tuple[str, ...]]]:
    """The named engines that may be for a mode of ``SIZES`` in a direction.

    Returns:
        The name of each, and the word that its axis ``modes`` must be set by, where it must.
    """
    way = MODES[mode].way(decrypt=decrypt)
    of, first = kind(way.example), way.values[0]
    engines = {name: each.engine for name, each in of.catalogue.items()}
    have = {name: each for name, each in engines.items() if each.modes.value in way.values}
    # An engine of streams may have the other value as well, and then a name of its own.
    return [
        (name, () if name in have else (f"modes={first}",))
        for name, each in engines.items()
        if name in have or (of is STREAMS and each.with_axis("modes", first) not in have.values())
    ]


def folders() -> tuple[type[AnyFolder[Any]], ...]:
    """The kinds of folders of engines."""
    return tuple(kind.folder for kind in KINDS)


def names() -> list[str]:
    """The names of all engines."""
    return [name for kind in KINDS for name in kind.catalogue]


def is_engine(name: str) -> bool:
    """Whether a name is one of an engine."""
    return any(name in kind.catalogue for kind in KINDS)


def kind(name: str) -> Kind:
    """The kind of an engine of a name; AesfabError where there is none."""
    for each in KINDS:
        if name in each.catalogue:
            return each
    raise unknown("engine", name, names())


def find(name: str, overrides: Sequence[str] = ()) -> AnyNamed:
    """The engine of a name, with ``axis=value`` overrides; AesfabError where there is none."""
    found: AnyNamed = family.find(kind(name).catalogue, name, overrides)
    return found


def identity(named: AnyNamed, level: str, seed: int) -> dict[str, Any]:
    """See ``verify.identity``."""
    from aesfab.engine import verify as of_packets

    return of_packets.identity(named, level, seed)


def verify(
    named: AnyNamed, *, level: str = "full", seed: int = 1, progress: Progress = silent
) -> Record:
    """Run all checks of an engine on its RTL.

    Args:
        named: the engine.
        level: ``full``: every known answer; ``quick``: of those of GCM every fiftieth.
        seed: of what is random.
        progress: told of each step.

    Returns:
        A record of the kind ``engines``: ``passed``, ``failures``, and what was run.

    Raises:
        ToolError: the RTL does not compile.
    """
    from aesfab.engine import bench
    from aesfab.engine import verify as of_packets

    known = of_packets.identity(named, level, seed)
    model = bench.build(named, progress=progress)
    found = kind(named.name).verify(
        model, every_answer=level == "full", seed=seed, progress=progress
    )
    return of_packets.record(named, known, found)


def evidence_of(named: AnyNamed, known: Iterable[Record] | None = None) -> Record | None:
    """The record that speaks for an engine as its RTL is, of ``known`` or all; None without one."""
    return hdl.evidence_of(named, records.known(hdl.EVIDENCE) if known is None else known)


def folder(
    named: AnyNamed, output_format: str = "systemverilog", prefix: str = "", *, need: str = ""
) -> AnyFolder[Any]:
    """The folder of an engine, see ``folder.AnyFolder``."""
    return kind(named.name).folder(named, output_format, prefix, need)
