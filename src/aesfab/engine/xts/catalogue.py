# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The named sector engines."""

from __future__ import annotations

from collections.abc import Sequence

from aesfab.design import catalogue as designs
from aesfab.engine import family
from aesfab.engine.family import Entry
from aesfab.engine.xts.spec import Engine, Modes, Tweaks


class NamedXts(Entry[Engine]):
    """A sector engine with a name."""


_STORED = ["key_schedule=stored", "doubled=no", "key_register=sub-word", "key_expansion=staged"]

# For sectors of 512 bytes no core waits for its tweaks. Those for both directions store their key.
_CORES: dict[str, tuple[str, list[str], Tweaks]] = {
    "pipeline-ram": ("fab-pipeline-ram", [], Tweaks.SHARED),
    "pipeline": ("fab-pipeline", [], Tweaks.SHARED),
    "interleaved-ram": ("fab-interleaved-ram", [], Tweaks.SHARED),
    "interleaved": ("fab-interleaved", [], Tweaks.SHARED),
    "iterative-ram": ("fab-iterative-ram", [], Tweaks.SHARED),
    "narrow": ("fab-narrow", [], Tweaks.SHARED),
    "tiny": ("fab-tiny", [], Tweaks.SHARED),
    "pipeline-ram-both": (
        "fab-pipeline-ram",
        ["direction=both", *_STORED],
        Tweaks.INTERLEAVED_RAM,
    ),
    "pipeline-both": (
        "fab-pipeline",
        ["direction=both", *_STORED, "key_memory=auto"],
        Tweaks.INTERLEAVED,
    ),
    "iterative-ram-both": ("fab-iterative-ram-both", ["key_bits=128"], Tweaks.ITERATIVE_RAM),
    "narrow-both": ("fab-narrow-both", ["key_bits=128"], Tweaks.TINY),
}

_CBC: dict[str, tuple[str, list[str]]] = {
    "pipeline-ram": ("fab-pipeline-ram", ["direction=decrypt", *_STORED]),
    "iterative": ("fab-iterative-dec", []),
    "tiny": ("fab-tiny-dec", []),
}


def _engines() -> list[NamedXts]:
    xts = [
        NamedXts(f"xts-{name}", Engine(designs.find(core, words), tweaks=tweaks))
        for name, (core, words, tweaks) in _CORES.items()
    ]
    cbc = [
        NamedXts(
            f"cbc-dec-{name}",
            Engine(designs.find(core, words), modes=Modes.CBC, tweaks=Tweaks.NONE),
        )
        for name, (core, words) in _CBC.items()
    ]
    return xts + cbc


CATALOGUE: dict[str, NamedXts] = {named.name: named for named in _engines()}
"""Name to sector engine, in the order of the listings."""


def find(name: str, overrides: Sequence[str] = ()) -> NamedXts:
    """The sector engine called ``name``, see ``family.find``."""
    return family.find(CATALOGUE, name, overrides)
