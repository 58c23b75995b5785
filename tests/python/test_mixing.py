# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Blocks that are under way at the same time do not mix.

The same blocks are sent again and again, with one of them as it was and every other one and its
key changed: the result of that one must be the same bits in the same clock. No oracle is asked,
and nothing is known of the design but how many blocks it holds.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

import passed
from aesfab.design import catalogue
from aesfab.design.axes import Architecture
from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.eda import simulate
from aesfab.eda.simulate import Model
from aesfab.folder import generate
from aesfab.verify.bench import script
from aesfab.verify.bench.script import BlockItem, KeyItem, Kind, Segment

pytestmark = pytest.mark.kept(*passed.EDA, "src/aesfab/verify", "src/aesfab/design", passed.cores)

DESIGNS = [n for n, named in catalogue.CATALOGUE.items() if named.design.blocks_in_flight > 1]


def _random(rng: random.Random, idle: int) -> BlockItem:
    return BlockItem(rng.randbytes(16), key=rng.randbytes(16), idle=idle)


def _keys(design: Design) -> list[KeyItem]:
    """The key of a sequence, where blocks have none of their own."""
    if not design.stored_keys:
        return []
    return [KeyItem(random.Random(2).randbytes(design.key_width // 8))]


def _complement(item: BlockItem) -> BlockItem:
    block, key = (bytes(255 - byte for byte in data) for data in (item.block, item.key))
    return BlockItem(block, key=key, idle=item.idle)


def _results(
    model: Model, design: Design, sequences: Sequence[Sequence[BlockItem]]
) -> list[list[tuple[int, bytes]]]:
    """Clock after the reset and bits of every result, a list for each sequence of blocks."""
    segments = [Segment(_keys(design), items) for items in sequences]
    played = script.Script(segments, script.patience(design), drain=4)
    run = model.run("script", given=played.encode())
    results: list[list[tuple[int, bytes]]] = []
    released = 0
    for kind, _, clock, data in script.decode_events(run.output):
        if kind == Kind.RELEASE:
            released = clock
            results.append([])
        elif kind == Kind.OUT:
            results[-1].append((clock - released, data))
    assert [len(found) for found in results] == [len(items) for items in sequences]
    return results


def _disturbed(model: Model, design: Design, gaps: Sequence[int]) -> set[int]:
    """The blocks whose results changed when all others did.

    One block of every slot is looked at, with as many before it and behind it as the design holds
    at most. In a pipeline, where all go the same way, a few will do.
    """
    rng = random.Random(1)
    flight = design.blocks_in_flight
    items = [_random(rng, rng.choice(gaps)) for _ in range(3 * flight)]
    sequences, kept = [items], []
    slots = list(range(flight, 2 * flight))
    if design.architecture is Architecture.PIPELINED:
        slots = sorted(rng.sample(slots, min(flight, 12)))
    for victim in slots:
        for change in (_complement, lambda item: _random(rng, item.idle)):
            others = [change(item) for item in items]
            sequences.append([*others[:victim], items[victim], *others[victim + 1 :]])
            kept.append(victim)
    first, *others_changed = _results(model, design, sequences)
    disturbed = set()
    for victim, results in zip(kept, others_changed, strict=True):
        # The change reached every other block, and did not move any.
        assert all(
            a[1] != b[1] for n, (a, b) in enumerate(zip(first, results, strict=True)) if n != victim
        )
        if results[victim] != first[victim]:
            disturbed.add(victim)
    return disturbed


@pytest.mark.parametrize("name", DESIGNS)
def test_no_block_sees_its_neighbours(name: str) -> None:
    named = catalogue.find(name)
    identity = passed.of_netlist(
        named, _undisturbed, _disturbed, _results, _complement, _random, _keys
    )
    passed.once(named.module, identity, lambda: _undisturbed(named))


def _undisturbed(named: Named) -> None:
    model = simulate.build(generate.sources(named), named.module, named.design.ports())
    for gaps in ([0], [0, 0, 1, 2, 7]):
        assert not _disturbed(model, named.design, gaps)


@pytest.mark.parametrize(
    ("name", "file", "old", "new"),
    [
        (
            "standaert-ram-sequential-42",
            "aes_core_interleaved.sv",
            "going_at[Front-1]) ? window",
            "going_at[Front]) ? window",
        ),
        (
            "standaert-ram-pipeline-21",
            "aes_core_pipelined.sv",
            ".round_key_i(key[r]),",
            ".round_key_i({key[r][127:1], key[r-1][0]}),",
        ),
        (
            "qin-8sm",
            "aes_core_rolling.sv",
            "assign first_key   = key_q;",
            "assign first_key   = {key_q[127:1], in_key_i[0]};",
        ),
    ],
    ids=["interleaved", "pipelined", "rolling"],
)
def test_mixed_blocks_are_seen(name: str, file: str, old: str, new: str, tmp_path: Path) -> None:
    """A key, or one bit of it, out of the neighbour's."""
    named = catalogue.find(name)
    sources = [Path(shutil.copy(path, tmp_path)) for path in generate.sources(named)]
    text = (tmp_path / file).read_text()
    assert text.count(old) == 1
    (tmp_path / file).write_text(text.replace(old, new))
    model = simulate.build(sources, named.module, named.design.ports())
    assert _disturbed(model, named.design, [0])
