# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The named CCM engines."""

from __future__ import annotations

from collections.abc import Sequence

from aesfab.design import catalogue as designs
from aesfab.engine import family
from aesfab.engine.ccm.spec import Engine
from aesfab.engine.family import Entry


class NamedCcm(Entry[Engine]):
    """A CCM engine with a name."""


_CORES = {
    "iterative-ram": "fab-iterative-ram",
    "iterative": "fab-iterative",
    "narrow": "fab-narrow",
    "tiny": "fab-tiny",
    "byte": "fab-byte-ram",
}

CATALOGUE: dict[str, NamedCcm] = {
    f"ccm-{name}": NamedCcm(f"ccm-{name}", Engine(designs.find(core)))
    for name, core in _CORES.items()
}
"""Name to CCM engine, in the order of the listings."""


def find(name: str, overrides: Sequence[str] = ()) -> NamedCcm:
    """The CCM engine called ``name``, see ``family.find``."""
    return family.find(CATALOGUE, name, overrides)
