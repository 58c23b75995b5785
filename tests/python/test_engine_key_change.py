# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Clocks of another stored key, of every way to store and to expand keys in an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pytest

import passed
from aesfab.design.axes import KeyExpansion, KeySchedule
from aesfab.engine import bench, every, verify
from aesfab.engine.xts import verify as of_sectors
from aesfab.engine.xts.spec import Engine as SectorEngine
from aesfab.errors import AesfabError

pytestmark = pytest.mark.kept(*passed.ENGINES, cores_of=passed.of_name)


def _points() -> Iterator[str]:
    """Names of engines, with the axes that are changed; each engine once."""
    seen = []
    for name in every.names():
        for schedule in (KeySchedule.STORED, KeySchedule.STORED_SINGLE):
            for expansion in KeyExpansion:
                words = (f"key_schedule={schedule.value}", f"key_expansion={expansion.value}")
                try:
                    engine = every.find(name, words).engine
                except AesfabError:
                    continue
                if engine not in seen:
                    seen.append(engine)
                    yield " ".join((name, *words))


def _lines(engine: Any) -> list[Callable[[Sequence[int]], bytes]]:
    """Packets or sectors in line, of few blocks and of more."""
    if isinstance(engine, SectorEngine):
        (decrypt, *_) = engine.directions
        of_keys = partial(of_sectors._of_keys, engine, decrypt=decrypt)
        return [partial(of_keys, more=more) for more in (0, 2, 8)]
    return [partial(verify._of_keys, engine, blocks=blocks) for blocks in (1, 2, 4, 7)]


@pytest.mark.parametrize("name", list(_points()))
def test_another_key_takes_the_clocks_that_are_promised(name: str) -> None:
    words = name.split()
    model = bench.build(every.find(words[0], words[1:]))
    assert verify.key_change(model, *_lines(model.named.engine)) == []
