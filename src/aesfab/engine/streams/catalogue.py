# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The named stream engines."""

from __future__ import annotations

from collections.abc import Sequence

from aesfab.design import catalogue as designs
from aesfab.engine import family
from aesfab.engine.family import Entry
from aesfab.engine.streams.spec import Engine, Modes, Streams


class NamedStreams(Entry[Engine]):
    """A stream engine with a name."""


# As many streams as fill the core, at least.
_ENGINES = {
    "cbc-streams-pipeline-ram": ("fab-pipeline-ram", Modes.CBC, Streams.S64),
    "cbc-streams-pipeline": ("fab-pipeline", Modes.CBC, Streams.S128),
    "cbc-streams-interleaved-ram": ("fab-interleaved-ram", Modes.CBC, Streams.S8),
    "cbc-streams-interleaved": ("fab-interleaved", Modes.CBC, Streams.S16),
    "chained-streams-interleaved-ram": ("fab-interleaved-ram", Modes.CHAINED, Streams.S8),
}

CATALOGUE: dict[str, NamedStreams] = {
    name: NamedStreams(name, Engine(designs.find(core), modes=modes, streams=streams))
    for name, (core, modes, streams) in _ENGINES.items()
}
"""Name to stream engine, in the order of the listings."""


def find(name: str, overrides: Sequence[str] = ()) -> NamedStreams:
    """The stream engine called ``name``, see ``family.find``."""
    return family.find(CATALOGUE, name, overrides)
