# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The named stream engines."""

from __future__ import annotations

from collections.abc import Sequence

from aesfab.design import catalogue as designs
from aesfab.engine import family
from aesfab.engine.family import Entry
from aesfab.engine.streams.spec import Engine, Streams


class NamedStreams(Entry[Engine]):
    """A stream engine with a name."""


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
    """The stream engine called ``name``, see ``family.find``."""
    return family.find(CATALOGUE, name, overrides)
