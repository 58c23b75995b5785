# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The named engines of packets."""

from __future__ import annotations

from collections.abc import Sequence

from aesfab.design import catalogue as designs
from aesfab.engine import family
from aesfab.engine.family import Entry
from aesfab.engine.spec import Engine, Ghash, Modes


class NamedEngine(Entry[Engine]):
    """An engine of packets with a name."""


# The smallest digits of GHASH that no core waits for.
_CORES = {
    "pipeline-ram": ("fab-pipeline-ram", Ghash.LANES),
    "pipeline": ("fab-pipeline", Ghash.LANES),
    "interleaved-ram": ("fab-interleaved-ram", Ghash.SIXTEEN),
    "interleaved": ("fab-interleaved", Ghash.SIXTEEN),
    "iterative-ram": ("fab-iterative-ram-packed", Ghash.EIGHT),
    "narrow": ("fab-narrow", Ghash.FOUR),
    "tiny": ("fab-tiny", Ghash.ONE),
    "byte": ("fab-byte-ram", Ghash.BYTES),
}


def _engines() -> list[NamedEngine]:
    gcm = [
        NamedEngine(f"gcm-{name}", Engine(designs.find(core), ghash=ghash))
        for name, (core, ghash) in _CORES.items()
    ]
    ctr = [
        NamedEngine(f"ctr-{name}", Engine(designs.find(core), modes=Modes.CTR, ghash=Ghash.NONE))
        for name, (core, _) in _CORES.items()
    ]
    return gcm + ctr


CATALOGUE: dict[str, NamedEngine] = {named.name: named for named in _engines()}
"""Name to engine, in the order of the listings."""


def find(name: str, overrides: Sequence[str] = ()) -> NamedEngine:
    """The engine called ``name``, see ``family.find``."""
    return family.find(CATALOGUE, name, overrides)
