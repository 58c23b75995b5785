# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The named stream engines."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aesfab.design import catalogue as designs
from aesfab.design.catalogue import module_name
from aesfab.engine.streams.spec import Engine, Streams
from aesfab.errors import AesfabError, unknown


@dataclasses.dataclass(frozen=True)
class NamedStreams:
    """A stream engine with a name.

    Attributes:
        name: as the user types it.
        engine: its axes.
        overrides: axes changed on the command line.
        top: the name that the user gave its top module; empty: it is made of name and overrides.
    """

    name: str
    engine: Engine
    overrides: tuple[tuple[str, str], ...] = ()
    top: str = ""

    @property
    def design(self) -> Engine:
        """The engine, under the name that measuring knows."""
        return self.engine

    @property
    def module(self) -> str:
        """Name of the generated top module."""
        words = [self.name, *(f"{axis}-{value}" for axis, value in self.overrides)]
        return self.top or module_name(words, self.name)


# As many streams as fill the core, at least.
_CORES = {
    "pipeline-ram": ("fab-pipeline-ram", Streams.S64),
    "pipeline": ("fab-pipeline", Streams.S128),
    "interleaved-ram": ("fab-interleaved-ram", Streams.S8),
    "interleaved": ("fab-interleaved", Streams.S16),
}

CATALOGUE: dict[str, NamedStreams] = {
    f"cbc-streams-{name}": NamedStreams(
        f"cbc-streams-{name}", Engine(designs.find(core), streams=streams)
    )
    for name, (core, streams) in _CORES.items()
}
"""Name to stream engine, in the order of the listings."""


def find(name: str, overrides: Sequence[str] = ()) -> NamedStreams:
    """The stream engine called ``name``, with ``axis=value`` overrides of its axes or its core's.

    Raises AesfabError for an unknown name, axis or value and for an illegal combination.
    """
    if name not in CATALOGUE:
        raise unknown("engine", name, CATALOGUE)
    engine, applied = CATALOGUE[name].engine, []
    for override in overrides:
        axis, equals, value = override.partition("=")
        if not equals:
            raise AesfabError(f"'{override}' is not of the form axis=value")
        changed = engine.with_axis(axis, value)
        if changed != engine:
            applied.append((axis, value))
        engine = changed
    engine.require_legal()
    return NamedStreams(name, engine, tuple(applied))
