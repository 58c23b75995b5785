# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a simulation of a design follows from, and the long ones that passed.

Those are kept in ``tests/passed.jsonl``, by the netlist of the design, the check that was made, the
bench, the contract of the design and the simulator. One of them is made again only when one of
these has changed, but for a sample, which always is. ``make simulations`` makes all and writes the
file anew.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aesfab
import kept
from aesfab import generate, process, verify
from aesfab.catalogue import Named

PASSED = Path(__file__).parents[1] / "passed.jsonl"
_PACKAGE = Path(aesfab.__file__).parent
JUDGES = [
    *sorted(path for path in (_PACKAGE / "bench").iterdir() if path.is_file()),
    *(_PACKAGE / f"{name}.py" for name in ("oracle", "simulate", "vectors", "verify")),
]
"""What finds a fault and says so."""


def contract(named: Named, *more: Any) -> str:
    """What the judge takes from the parameters of a design, with anything else behind it."""
    design = named.design
    clocks = [
        (b, design.latency(b), design.interval(b), design.key_setup(b), design.blocks_in_flight)
        for b in design.key_lengths
    ]
    accepted = [
        (rule.limit, rule.period, rule.direction_change, sorted(rule.conflicts))
        for rule in (design.acceptance(b) for b in design.key_lengths)
    ]
    return repr([clocks, accepted, design.ports(), named.overrides, *more])


@functools.cache
def _known() -> frozenset[str]:
    return frozenset(record["identity"] for record in kept.read(PASSED))


def identity(named: Named, functions: tuple[Callable[..., Any], ...]) -> str:
    """Of all that the outcome of a check on a design follows from."""
    texts = "\n".join(map(inspect.getsource, functions))
    tools = repr(verify._tools())
    return process.content_key(
        generate.netlist_hash(named), texts, JUDGES, named.module, contract(named), tools
    )


def once(named: Named, check: Callable[[Named], None], *used: Callable[..., Any]) -> None:
    """Check a design, unless that very check of that very design is known to have passed.

    Args:
        named: the design.
        check: raises where it fails.
        used: the functions beside the bench and the judge that the check calls.
    """
    name = identity(named, (check, *used))
    anew = os.environ.get("AESFAB_PASSED")
    if not anew and name in _known() and not kept.in_sample(name):
        return
    check(named)
    if anew:
        kept.add(
            Path(anew), {"check": check.__name__, "design": str(named.module), "identity": name}
        )
