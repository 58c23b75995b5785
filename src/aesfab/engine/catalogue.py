# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The named engines."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aesfab.design import catalogue as designs
from aesfab.design.catalogue import Named, module_name
from aesfab.engine.spec import AXES, Engine, Ghash, Modes
from aesfab.errors import AesfabError, unknown


@dataclasses.dataclass(frozen=True)
class NamedEngine:
    """An engine with a name.

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


# The smallest digits of GHASH that no core waits for.
_CORES = {
    "pipeline-ram": ("fab-pipeline-ram", Ghash.LANES),
    "pipeline": ("fab-pipeline", Ghash.LANES),
    "interleaved-ram": ("fab-interleaved-ram", Ghash.SIXTEEN),
    "interleaved": ("fab-interleaved", Ghash.SIXTEEN),
    "iterative-ram": ("fab-iterative-ram", Ghash.SIXTEEN),
    "narrow": ("fab-narrow", Ghash.FOUR),
    "tiny": ("fab-tiny", Ghash.ONE),
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


def around(core: Named, modes: Modes) -> Engine:
    """The engine of a core: with the smallest digit of GHASH that the core never waits for.

    A block a clock is the largest. The engine may be illegal; ``reasons()`` says why.
    """
    if modes is Modes.CTR:
        return Engine(core, modes=modes, ghash=Ghash.NONE)
    wanted = [Engine(core, modes=modes, ghash=each) for each in Ghash if each is not Ghash.NONE]
    interval = core.design.interval()
    return next((each for each in wanted if each.hash_clocks <= interval), wanted[-1])


def named(engine: Engine) -> NamedEngine:
    """An engine by the words that ``find`` takes: a name, its core and changed axes."""
    design = engine.core.design
    same = [each for each in CATALOGUE.values() if each.engine.modes is engine.modes]
    own = [each for each in same if each.engine.core.name == engine.core.name]
    base = (own or same)[0]
    words: list[tuple[str, str]] = []
    if not own:
        words.append(("core", engine.core.name))
    usual = designs.find(engine.core.name).design
    words += [(axis, value) for axis, value in design.axes().items() if usual.axes()[axis] != value]
    mine, its = engine.axes(), base.engine.axes()
    words += [(axis, mine[axis]) for axis in AXES if mine[axis] != its[axis]]
    return NamedEngine(base.name, engine, tuple(words))


def find(name: str, overrides: Sequence[str] = ()) -> NamedEngine:
    """The engine called ``name``, with ``axis=value`` overrides of its axes or its core's.

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
    return NamedEngine(name, engine, tuple(applied))
